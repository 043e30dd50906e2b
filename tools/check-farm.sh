#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-farm.sh FOLDER - nights of farm/slurm/night on a Slurm of this machine (tools/test-slurm.sh): does each
# thing that goes wrong on a farm have the word and the exit status of `bankcheck fleet` that docs/farm.md gives it?
#
# Nodes have eight reference devices each. Exit status: 0: all as it should be, or skipped, with the reason; 1: not.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 1 ] || {
	echo "usage: $0 FOLDER" >&2
	exit 3
}
if [ "$1" != --inside ]; then
	mkdir -p "$1"
	folder=$(cd "$1" && pwd)
	for node in h1 h2 h3 h4 h5 h6 short drained busy killed limit; do
		echo "$node 8 mixed"
	done >"$folder/nodes.txt"
	status=0
	"$top/tools/test-slurm.sh" --nodes "$folder/nodes.txt" "$folder/slurm" "$0" --inside "$folder" || status=$?
	[ "$status" != 77 ] || exit 0 # it said why
	exit "$status"
fi

folder=$2
nights=$folder/nights
rm -rf "${folder:?}/nights" "${folder:?}/bin" "${folder:?}/expected"
mkdir -p "$nights" "$folder/bin"

# Wide bounds, for the GPU whose counts are odd and pass.
cp -R "$top/expected" "$folder/expected"
sed -i 's|^\(row stride/ld_b32/2 .*\)wavefronts=2 conflicts=1 |\1wavefronts=2..4 conflicts=1..3 |' \
	"$folder/expected/common/stride.txt"

# What each node's GPUs are like.
cat >"$folder/bin/bankcheck" <<'PROGRAM'
#!/bin/sh
program=TOP/build/bankcheck
[ "$1" = run ] || exec "$program" "$@"
shift
all=sm_70,reference:sm_75,reference:sm_80,reference:sm_86,reference:sm_87,reference:sm_89,reference:sm_90
case $SLURMD_NODENAME in short) ;; *) all=$all,reference:sm_100 ;; esac
case $SLURMD_NODENAME,$* in
h2,*2026-01-0[14]*) set -- "$@" --fault banks-64 ;;
h3,*2026-01-03*) odd=yes ;;
killed,*2026-01-01*) set -- "$@" --filter stride/ld_b32 --repeat 20 ;;
limit,*2026-01-01*) set -- "$@" --filter stride/ld_b32 --repeat 1000 ;;
esac
case $SLURMD_NODENAME,$* in
*2026-01-03* | h4,*2026-01-04*) driver=575.1 ;;
*2026-01-04*) driver=580.1 ;;
*) exec "$program" run --device "reference:$all" --expected FOLDER/expected "$@" ;;
esac
status=0
"$program" run --device "reference:$all" --expected FOLDER/expected "$@" || status=$?
before=""
for word; do
	[ "$before" != --reports ] || reports=$word
	before=$word
done
# What NVML tells where there is a GPU.
sed -i "s/<property name=\"driver\" value=\"none\"/<property name=\"driver\" value=\"$driver\"/" "$reports"/*.xml
# A wavefront more than the others count, within the bounds: no planted fault does this, for the model would find it.
counted="counters=requests:8 wavefronts"
[ -z "${odd:-}" ] || sed -i "s/^$counted:16 conflicts:8$/$counted:24 conflicts:16/" "$reports"/*.xml
exit $status
PROGRAM
sed -i "s|TOP|$top|; s|FOLDER|$folder|g" "$folder/bin/bankcheck"
chmod +x "$folder/bin/bankcheck"
bankcheck=$folder/bin/bankcheck
wrong=0

bad()
{
	echo "check-farm: $1" >&2
	wrong=1
}

# until COMMAND...: it is true within a minute and a half, or within $seconds
seconds=90
until_true()
{
	last=$(($(date +%s) + seconds))
	until "$@" >/dev/null 2>&1; do
		[ "$(date +%s)" -lt "$last" ] || {
			bad "waited in vain for: $*"
			return 1
		}
		sleep 0.2
	done
}

# says FILE NODE WORD [WHAT]: the row of a node
says()
{
	grep -E "^([A-Z, ]*, )?$3(,[A-Z, ]*)? +$2 .*${4:-}" "$1" >/dev/null ||
		bad "$2 should be $3${4:+ ($4)}, but: $(grep -E " $2 " "$1" || echo 'no such row')"
}

ends_with()
{
	want=$1
	shift
	got=0
	"$@" >"$folder/out" 2>&1 || got=$?
	[ "$got" = "$want" ] || bad "status $got, not $want: $*: $(tail -n 3 "$folder/out")"
}

journal_grows()
{
	[ "$(cat "$nights"/2026-01-01/nodes/killed/*/journal.tsv | wc -l)" -ge 40 ]
}

kill_tree()
{
	# shellcheck disable=SC2013 # numbers, in one line
	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		kill_tree "$child"
	done
	kill -KILL "$1" 2>/dev/null || :
}

# A host dies: its slurmd, and all below the slurmstepd of its job.
kill_node()
{
	until_true journal_grows || return 0
	job=$(awk '$1 == "killed" { print $2 }' "$nights/2026-01-01/jobs.tsv")
	kill -KILL "$(cat "$FARM/run/slurmd.killed.pid")"
	for at in /proc/[0-9]*; do
		case $(tr '\0' ' ' 2>/dev/null <"$at/cmdline") in
		"slurmstepd: [$job."*)
			tr '\0' '\n' <"$at/environ" | grep -qx "SLURM_CONF=$SLURM_CONF" && kill_tree "${at#/proc/}"
			;;
		esac
	done
	scontrol update nodename=killed state=down reason="it died"
	slurmd -f "$SLURM_CONF" -N killed
	sleep 1
	scontrol update nodename=killed state=resume 2>/dev/null || : # it may have come back by itself
	until_true scontrol update jobid="$job" starttime=now
}

night()
{
	"$top/farm/slurm/night" --every 2 --time 2 --program "$bankcheck" "$@" -- --filter stride/ld_b32/2
}

# The first night.
PATH=$PATH:/usr/sbin:/sbin
"$top/farm/slurm/inventory" -p gpus >"$folder/fleet.tsv"
[ "$(grep -c '^[^#]' "$folder/fleet.tsv")" = 11 ] || bad "inventory has not the 11 nodes"
ends_with 3 night --time 5 --deadline now+5minutes "$folder/fleet.tsv" "$nights/2026-01-01" # none could ever run
scontrol update nodename=drained state=drain reason="bad DIMM"
sbatch -Q -w busy --exclusive -o /dev/null --wrap "exec sleep 300"
until_true sh -c 'squeue -h -w busy -t R | grep .'
one=$nights/2026-01-01
night --deadline now+240seconds --sbatch --signal=B:TERM@60 "$folder/fleet.tsv" "$one" || bad "night ends with $?"
kill_node
ends_with 0 night --deadline now+240seconds "$folder/fleet.tsv" "$one"
grep -q '^night: 0 submitted' "$folder/out" || bad "called again, it submits what has a job: $(cat "$folder/out")"
all_ended()
{
	"$top/farm/slurm/night" --jobs "$one"
	! grep -E 'PENDING|RUNNING|COMPLETING' "$one/jobs.tsv"
}
# Jobs that could not start end at the deadline.
seconds=330
until_true all_ended || :
seconds=90
cp -R "$(echo "$one"/nodes/h5/*)" "$one/nodes/h5/again"
ends_with 2 "$bankcheck" fleet check "$one"
cp "$folder/out" "$folder/check-1"
cat "$folder/check-1"
for node in h1 h3 h4 h6 killed; do
	says "$folder/check-1" $node OK '8 of 8'
done
says "$folder/check-1" h2 OK 'findings'
says "$folder/check-1" h5 TWICE
says "$folder/check-1" short SHORT '7 of 8 GPUs'
says "$folder/check-1" drained MISSING 'DEADLINE.*bad DIMM'
says "$folder/check-1" busy MISSING 'DEADLINE'
says "$folder/check-1" limit PARTIAL
grep -q -e '--resume' "$one"/log/killed-*.out || bad "the requeued run does not go on: $(cat "$one"/log/killed-*.out)"
ends_with 2 "$bankcheck" fleet table "$one" # nodes are missing
grep -q 'FAIL' "$folder/out" || bad "table does not show h2's finding"

# The second, of healthy nodes, but for one that is odd and passes, and a driver that is not the one asked for.
two=$nights/2026-01-02
awk -F'\t' -v OFS='\t' '/^h[1-6]\t/ { if ($1 == "h4") $5 = "580.1"; print }' "$folder/fleet.tsv" >"$folder/fleet-2.tsv"
mkdir -p "$two/nodes/h5" "$two/nodes/h6"
cp -R "$(echo "$one"/nodes/h5/[0-9]*)" "$two/nodes/h5/5"
cp -R "$(echo "$one"/nodes/h1/[0-9]*)" "$two/nodes/h6/6"
ends_with 2 night --wait --at-most 2 "$folder/fleet-2.tsv" "$two"
cat "$folder/out"
grep -q 'wait for places' "$folder/out" || bad "--at-most 2 does not wait"
for node in h1 h2 h3; do
	says "$folder/out" $node OK
done
says "$folder/out" h4 DRIVER '580.1'
says "$folder/out" h5 OLD
says "$folder/out" h6 SWAPPED '  should be in h1;'
cp -R "$two/nodes/h1" "$two/nodes/h99"
ends_with 2 "$bankcheck" fleet check "$two"
says "$folder/out" h99 EXTRA
rm -rf "$two/nodes/h99"

# The third: six that are there, one of them odd within its bounds.
three=$nights/2026-01-03
awk -F'\t' '/^h[1-6]\t/' "$folder/fleet.tsv" >"$folder/fleet-3.tsv"
ends_with 0 night --wait "$folder/fleet-3.tsv" "$three"
ends_with 1 "$bankcheck" fleet outliers "$three"
cat "$folder/out"
grep -q 'h3 .* counts .*PASS, 3 wavefronts' "$folder/out" || bad "outliers does not name h3, which passes"
! grep -E '(^|[^a-z])h[12456]([^0-9]|$)' "$folder/out" || bad "outliers names a healthy node"
# The fourth, by another engine: ReFrame, on the same Slurm. The driver was changed on all nodes but one.
four=$nights/2026-01-04
reframe=""
if command -v reframe >/dev/null; then
	reframe=reframe
elif python3 -m venv "$folder/reframe" >/dev/null 2>&1 &&
	"$folder/reframe/bin/pip" -q --disable-pip-version-check install 'reframe-hpc==4.10.4' \
		>"$folder/pip.log" 2>&1; then
	reframe=$folder/reframe/bin/reframe
fi
if [ -n "$reframe" ]; then
	cat >"$folder/site.py" <<-'SITE'
		site_configuration = {
		    'systems': [{'name': 'farm', 'hostnames': ['.*'], 'partitions': [
		        {'name': 'gpus', 'scheduler': 'squeue', 'launcher': 'local', 'environs': ['builtin'],
		         'access': ['-p gpus', '--gres=gpu:7'], 'max_jobs': 20}]}],
		    'general': [{'report_file': 'FOLDER/reframe.json', 'save_log_files': False}],
		}
	SITE
	sed -i "s|FOLDER|$folder|" "$folder/site.py"
	mkdir -p "$four"
	awk -F'\t' -v OFS='\t' '/^(h[1-6]|short)\t/ { $5 = "580.1"; print }' \
		"$folder/fleet.tsv" >"$four/expected.tsv"
	ends_with 1 env HOME="$folder" "$reframe" -C "$folder/site.py" --prefix "$folder/reframe-runs" \
		-c "$top/farm/reframe/bankcheck.py" -r --nocolor --distribute=idle -S program="$bankcheck" \
		-S night="$four" -S options='--filter stride/ld_b32/2'
	cp "$folder/out" "$folder/reframe.txt"
	grep -q '^FAILURE INFO for bankcheck_node .*nid=h2 ' "$folder/out" ||
		bad "ReFrame does not name h2: $(cat "$folder/out")"
	grep -q 'bankcheck ended with 1: a finding.*; FAIL .*stride/ld_b32/2' "$folder/out" ||
		bad "ReFrame does not say what h2 has"
	[ "$(grep -c '^FAILURE INFO' "$folder/out")" = 1 ] || bad "ReFrame has other failures than h2's"
	# On its own machine, and of one case.
	sed 's/squeue/local/' "$folder/site.py" >"$folder/site-here.py"
	ends_with 0 env HOME="$folder" "$reframe" -C "$folder/site-here.py" --prefix "$folder/reframe-runs" \
		-c "$top/farm/reframe/bankcheck.py" -r --nocolor -S program="$top/build/bankcheck" \
		-S options='--device reference --filter stride/ld_b32/2'
	ends_with 2 "$bankcheck" fleet check "$four"
	cat "$folder/out"
	for node in h1 h3 h5 h6; do
		says "$folder/out" $node OK '8 of 8'
	done
	says "$folder/out" h2 OK findings
	says "$folder/out" h4 DRIVER '  driver 575.1, not 580.1'
	says "$folder/out" short SHORT '7 of 8 GPUs'
	ends_with 0 "$bankcheck" diff "$(echo "$three"/nodes/h1/*)" "$(echo "$four"/nodes/h1/*)"
	grep -q 'differs: driver: 575.1 -> 580.1' "$folder/out" ||
		bad "diff does not name the driver: $(cat "$folder/out")"
	grep -q 'may come from: .*driver' "$folder/out" ||
		bad "diff does not say that a change may come from the driver"
else
	echo "check-farm: ReFrame not tried: it is not here, and pip could not fetch it:" \
		"$(tail -n 1 "$folder/pip.log" 2>/dev/null)"
fi
[ "$wrong" = 0 ] || exit 1
echo "farm: each thing that went wrong on the test Slurm has its word and its exit status"
