#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/run-tests.sh BINARY DIR - run the suites of a test program, as many at a time as there are CPUs.
#
# Each suite is a process of its own; what it prints goes to DIR/<suite>.log, its seconds to DIR/<suite>.seconds. The
# slowest suites of the last run start first. Prints what failed, then one line with the sums, in Check's own words.
# Status 1 when a test failed or a suite ran none. CK_RUN_SUITE=NAME: that suite alone, its output as it comes.
set -eu

[ $# -eq 2 ] || {
	echo "usage: $0 BINARY DIR" >&2
	exit 3
}
binary=$1
dir=$2

if [ -n "${CK_RUN_SUITE:-}" ]; then
	exec "$binary"
fi
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
mkdir -p "$dir"
rm -f "$dir"/*.log
"$binary" --list >"$dir/list"
while read -r suite; do
	echo "$(cat "$dir/$suite.seconds" 2>/dev/null || echo 1000) $suite"
done <"$dir/list" | sort -k1,1nr -k2 | cut -d' ' -f2 >"$dir/order"

# shellcheck disable=SC2016 # the inner shell's own $
xargs -P "$jobs" -n 1 sh -c '
	start=$(date +%s)
	CK_RUN_SUITE=$2 "$0" >"$1/$2.log" 2>&1
	echo "$?" >"$1/$2.status"
	echo "$(($(date +%s) - start))" >"$1/$2.seconds"
' "$binary" "$dir" <"$dir/order"

status=0
checks=0
failures=0
errors=0
while read -r suite; do
	log=$dir/$suite.log
	sums=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\)$/\1 \2 \3/p' "$log" |
		tail -n 1)
	# shellcheck disable=SC2086 # three numbers
	set -- ${sums:-0 0 0}
	checks=$((checks + $1))
	failures=$((failures + $2))
	errors=$((errors + $3))
	if [ "$(cat "$dir/$suite.status" 2>/dev/null)" = 0 ] && [ "$1" -gt 0 ]; then
		grep -v '^Running suite\|^[0-9]*%: Checks: ' "$log" || true
		continue
	fi
	status=1
	echo "suite $suite failed ($log):" >&2
	cat "$log" >&2
done <"$dir/list"
[ "$checks" -gt 0 ] || status=1
slowest=$(while read -r suite; do
	echo "$(cat "$dir/$suite.seconds") $suite"
done <"$dir/list" | sort -nr | head -n 5)
echo "slowest: $(echo "$slowest" |
	awk '{ printf "%s%s %s s", sep, $2, $1; sep = ", " }')"
percent=$((checks > 0 ? 100 * (checks - failures - errors) / checks : 0))
echo "$percent%: Checks: $checks, Failures: $failures, Errors: $errors"
exit "$status"
