#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/false-alarms.sh FOLDER FOLDER... - how often `bankcheck diff` finds a change where there is none.
#
# Each folder holds runs of the same program and kernels on one machine (one loan of it, one day ...): every sm_*.xml in
# it, at any depth, is a run. Every two runs are compared, those of one folder and those of two folders apart:
#
#   pairs  cases  rank-tested  SLOWER  FASTER  UNDECIDED  worse  better  pairs-with-a-finding
#
# Numbers are sums over the pairs; worse holds what is SLOWER too, as diff counts it. Then each case that was WORSE or
# BETTER, with the number of pairs. BANKCHECK: the program, default build/bankcheck.
#
# Exit status: 0; 1 when there was a finding; 3 wrong usage, or two runs that cannot be compared.
set -eu

program=${BANKCHECK:-build/bankcheck}

fail()
{
	printf 'false-alarms.sh: %s\n' "$1" >&2
	exit 3
}

[ $# -ge 1 ] || fail 'usage: tools/false-alarms.sh FOLDER... (one a machine or day, each with the reports of its runs)'
command -v "$program" >/dev/null || fail "$program cannot be run: make it, or name it in BANKCHECK"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# One line a run: number of its folder, report.
n=0
for folder; do
	[ -d "$folder" ] || fail "$folder: no such folder"
	n=$((n + 1))
	find "$folder" -name 'sm_*.xml' | LC_ALL=C sort | sed "s|^|$n |" >"$work/found"
	[ -s "$work/found" ] || fail "$folder: no report (sm_*.xml) in it"
	cat "$work/found" >>"$work/runs"
done
[ "$(wc -l <"$work/runs")" -ge 2 ] || fail 'one run is no pair'

# "within 3413 44 0 0 8 0 0" of one comparison, and its findings.
read_diff()
{
	awk -v where="$1" -v cases_file="$work/cases" '
		function number(line) { sub(/^[^:]*: */, "", line); return line + 0 }
		function text(line) { sub(/^[^:]*: *"/, "", line); sub(/",?$/, "", line); return line }
		/^ "[a-z]+": [{[]/ { part = $1 }
		part == "\"sums\":" || part == "\"clocks\":" {
			key = $1
			gsub(/[":]/, "", key)
			if (!(key in value))
				value[key] = number($0)
		}
		/^     "case": / { name = text($0) }
		/^     "kind": "(WORSE|BETTER)"/ { print where, text($0), name >>cases_file }
		END {
			split("cases rank_tests slower faster undecided worse better", keys, " ")
			line = where
			for (i = 1; i <= 7; i++) {
				if (!(keys[i] in value))
					exit 1
				line = line " " value[keys[i]]
			}
			print line
		}' "$work/diff" >>"$work/pairs"
}

: >"$work/cases"
: >"$work/pairs"
awk '{
		folder[NR] = $1
		sub(/^[0-9]+ /, "")
		report[NR] = $0
	}
	END {
		for (i = 1; i <= NR; i++)
			for (k = i + 1; k <= NR; k++)
				print (folder[i] == folder[k] ? "within" : "across") "\t" report[i] "\t" report[k]
	}' "$work/runs" >"$work/todo"
while IFS='	' read -r where old new; do
	st=0
	"$program" diff "$old" "$new" --format json >"$work/diff" 2>"$work/err" || st=$?
	[ "$st" -le 1 ] || { cat "$work/err" >&2; fail "$old and $new cannot be compared (status $st)"; }
	read_diff "$where" || fail "$program diff --format json: not understood"
done <"$work/todo"

printf '%s: runs %s, folders %s\n' "$("$program" --version | sed -n 1p)" "$(wc -l <"$work/runs" | tr -d ' ')" "$#"
awk '{
		at = $1
		pairs[at]++
		for (k = 2; k <= 8; k++)
			sum[at, k] += $k
		found[at] += $4 + $5 + $7 + $8 > 0
	}
	END {
		printf "%-18s %5s %8s %11s %6s %6s %9s %6s %6s %14s\n", "", "pairs", "cases", "rank-tested", "SLOWER", \
			"FASTER", "UNDECIDED", "worse", "better", "with a finding"
		split("within across", names, " ")
		for (i = 1; i <= 2; i++) {
			at = names[i]
			if (!pairs[at])
				continue
			printf "%-18s %5d %8d %11d %6d %6d %9d %6d %6d %14d\n", \
				at == "within" ? "within a folder" : "across folders", pairs[at], sum[at, 2], \
				sum[at, 3], sum[at, 4], sum[at, 5], sum[at, 6], sum[at, 7], sum[at, 8], found[at]
		}
	}' "$work/pairs"
LC_ALL=C sort "$work/cases" | uniq -c | while read -r times where what name; do
	printf '%s: %s in %s pairs %s\n' "$name" "$what" "$times" "$where"
done
[ ! -s "$work/cases" ]
