#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/bench-fleet.sh BUILD [NODES] - a night of NODES hosts (500) with eight GPUs each, made of one report: what
# gathering and asking cost, and that exactly what was planted is found. Limits are of CPU time, for a machine that
# does other things too. Takes 1.7 MB of disk a host.
set -eu
export LC_ALL=C

build=$1
nodes=${2:-500}
units=$((nodes * 8 - 9)) # one node missing, one GPU too
cases=$(sed -n 's/.* tests="\([0-9]*\)".*/\1/p; /<testsuites /q' reports/examples/sm_90.xml | head -n 1)
dir=$build/bench-fleet
night=$dir/2026-12-01
failed=0

rm -rf "$dir"
mkdir -p "$dir"
trap 'rm -rf "$dir"' EXIT
"$build/fleet-make" reports/examples/sm_90.xml "$night" "$nodes" 8

# measure NAME STATUS COMMAND...: CPU seconds in $cpu, MiB in $mib; output in $dir/NAME
measure()
{
	name=$1 want=$2
	shift 2
	"$build/fleet-make" --measure "$@" >"$dir/$name" 2>"$dir/err"
	read -r cpu mib status <<-EOF
	$(tail -n 1 "$dir/err")
	EOF
	if [ "$status" != "$want" ]; then
		sed '$d' "$dir/err" >&2
		bad "$name: exit status $status, not $want"
	fi
	[ "$mib" -le 1024 ] || bad "$name: $mib MiB, over 1024"
}

bad()
{
	echo "bench-fleet: $*" >&2
	failed=1
}

# at_most VALUE LIMIT WHAT
at_most()
{
	awk -v v="$1" -v l="$2" 'BEGIN { exit !(v <= l) }' || bad "$3: $1, over $2"
}

measure gather 0 "$build/bankcheck" fleet gather "$night"
us=$(awk -v s="$cpu" -v n="$((units * cases))" 'BEGIN { printf "%.1f", s * 1e6 / n }')
bytes=$(wc -c <"$dir/history.db")
echo "gather    $units units, $((units * cases)) testcases: $cpu s CPU, $us us a testcase (limit 25), $mib MiB," \
	"history $((bytes / units / 1024)) KB a unit"
at_most "$us" 25 "gather, microseconds a testcase"

measure check 2 "$build/bankcheck" fleet check "$night"
echo "check     $cpu s CPU, $mib MiB"
got=$(grep -vE '^(OK  |word )' "$dir/check" | awk '{ print $1, $2 }' | tr '\n' ';')
want="MISSING node0001;SHORT node0002;DRIVER node0003;$((nodes - 3)) of;"
[ "$got" = "$want" ] || bad "check found: $got, not $want"

measure outliers 2 "$build/bankcheck" fleet outliers "$night"
echo "outliers  $cpu s CPU (limit 60), $mib MiB"
at_most "$cpu" 60 "outliers, seconds"
got=$(awk '$2 ~ /^node[0-9]/ { print $2, $4 }' "$dir/outliers" | tr '\n' ';')
[ "$got" = "node0004 clock;node0005 counts;" ] || bad "outliers found: $got"
grep -q '3 cases differ' "$dir/outliers" || bad "outliers: not the three cases"

measure table 2 "$build/bankcheck" fleet table "$night"
echo "table     $cpu s CPU (limit 60), $mib MiB"
at_most "$cpu" 60 "table, seconds"
rows=$(grep -c '/' "$dir/table" || true)
[ "$rows" = 3 ] || bad "table has $rows rows, not 3"
[ "$(grep -c ': 1 of ' "$dir/table")" = 3 ] || bad "table does not show one GPU in each row"

measure merge 0 "$build/bankcheck" merge "$night/nodes/node0002" "$night/nodes/node0003" "$night/nodes/node0004" \
	"$night/nodes/node0005" -o "$dir/merged.xml"
echo "merge     4 hosts: $cpu s CPU, $mib MiB"
exit $failed
