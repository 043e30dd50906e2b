#!/bin/sh
# SPDX-License-Identifier: MIT
# farm/slurm/node.sh NIGHT PROGRAM [RUN OPTION...] - the batch script of one node of a night, which farm/slurm/night
# submits: PROGRAM run, with its reports in NIGHT/nodes/NODE/JOB/.
#
# - A requeued job keeps its number, so its folder, and goes on with --resume where it was cut off.
# - TERM (time limit, preemption, scancel) and INT are passed on to bankcheck, which then writes its reports.
# - Reports and journal are compressed; `done`, with the exit status, is put in place last. Without a report there is no
#   `done`: the node stays MISSING. A folder with `done` is never touched again: a job that is requeued after it goes on
#   in a folder beside it, JOB-1.
#
# Exit status: bankcheck's; 3 when this node has no NIGHT or no PROGRAM.
set -u

bad()
{
	echo "node.sh: $1" >&2
	exit 3
}

case ${1:-} in
-h | --help)
	sed -n '3,12s/^# \{0,1\}//p' "$0"
	exit 0
	;;
esac
[ $# -ge 2 ] || bad "usage: node.sh NIGHT PROGRAM [RUN OPTION...]; it is a batch script, farm/slurm/night submits it"
night=$1
program=$2
shift 2
[ -n "${SLURM_JOB_ID:-}" ] || bad "no SLURM_JOB_ID: it is a batch script, farm/slurm/night submits it"
node=${SLURMD_NODENAME:-$(uname -n)}
[ -f "$night/expected.tsv" ] || bad "$night is not on $node: a night must lie on a file system that all nodes share"
command -v "$program" >/dev/null 2>&1 || bad "$program is not on $node: install bankcheck there, or say night --program"

# The folder of this job; one that is done belongs to a run before a requeue.
folder=$night/nodes/$node/$SLURM_JOB_ID
before=""
turn=0
while [ -e "$folder/done" ]; do
	turn=$((turn + 1))
	before=$folder
	folder=$night/nodes/$node/$SLURM_JOB_ID-$turn
done
mkdir -p "$folder" || bad "$folder cannot be made"

# Cut off: the journal says how far it came. That of a run that ended whole is none to go on from.
resume=""
journal=$folder/journal.tsv
if [ ! -s "$journal" ]; then
	for packed in "$journal.gz" ${before:+"$before/journal.tsv.gz"}; do
		[ -s "$packed" ] || continue
		case $(cat "$before/done" 2>/dev/null) in 130 | 143 | "") ;; *) continue ;; esac
		gzip -dc "$packed" >"$journal.new" && mv "$journal.new" "$journal"
		break
	done
fi
[ ! -s "$journal" ] || resume=--resume

child=""
caught=""
forward()
{
	caught=$1
	[ -z "$child" ] || kill -s "$1" "$child" 2>/dev/null
}
trap 'forward TERM' TERM
trap 'forward INT' INT

echo "node.sh: $node, job $SLURM_JOB_ID, restart ${SLURM_RESTART_COUNT:-0}: $program run --reports $folder $* $resume"
# A batch shell that waits for a program in the foreground would see the signal only when that has ended. A signal ends
# the wait, not bankcheck.
measure()
{
	"$program" run --host "$node" --label night="${night##*/}" --reports "$folder" -q "$@" &
	child=$!
	[ -z "$caught" ] || forward "$caught"
	wait "$child"
	status=$?
	while kill -0 "$child" 2>/dev/null; do
		wait "$child"
		status=$?
	done
}

measure "$@" ${resume:+"$resume"}
if [ -n "$resume" ] && [ "$status" = 3 ]; then
	echo "node.sh: the run that was cut off cannot be continued (above): it begins anew"
	rm -f "$journal"
	measure "$@"
fi

set -- "$folder"/*.xml
if [ ! -e "$1" ]; then
	echo "node.sh: bankcheck ended with status $status and without a report" >&2
	[ "$status" != 0 ] || status=2
	exit "$status"
fi
if command -v gzip >/dev/null; then
	gzip -f -- "$@" "$folder"/journal*.tsv || {
		echo "node.sh: the reports in $folder cannot be compressed" >&2
		exit 2
	}
fi
if ! echo "$status" >"$folder/.done" || ! mv "$folder/.done" "$folder/done"; then
	echo "node.sh: $folder/done cannot be written" >&2
	exit 2
fi
exit "$status"
