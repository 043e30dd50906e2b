#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/lint.sh FILE.c... - clang-tidy, cppcheck, shellcheck and the project's own rules over the tree.
#
# LINT_CFLAGS: how the files are compiled. LINT_CUDA_CFLAGS: what harness/device/cuda/ needs beside; empty when there
# is no toolkit, then clang-tidy leaves those files out. Status 1 when anything was found.
set -eu

jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
status=0
# sources: every file a person wrote in C, CUDA, CSS, JavaScript, shell or make
sources()
{
	find suites kernels harness tools farm examples .ci Makefile -type f \
		\( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.css' -o -name '*.js' -o -name '*.sh' \
		-o -name '*.py' -o -name Makefile -o -path '.ci/*' -o -path 'farm/slurm/*' \)
}

# The licence line: the first of a file, or the second below #!.
lint_spdx()
{
	sources | while read -r file; do
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT' ||
			echo "$file:1: no 'SPDX-License-Identifier: MIT' in the first line"
	done
}

# The rooms of harness/ and the floor each is on. A room includes itself and rooms on lower floors, nothing else; suites
# include core. What is not listed here (cli, tests, bench) stands above all. docs/architecture.md has the picture.
floors="base:0 core:1 device:2 report:2 measure:3 compare:3 history:3 explain:3 run:4 html:4"
floors="$floors map:5 matrix:5 fleet:5 app:5 kernel:5 qualify:5 cli:6"

# Which folders a folder may include, and which system headers are kept to a few files. A folder may always include its
# own files and kernels/bc_kernel.h.
lint_includes()
{
	# shellcheck disable=SC2016 # awk's own $
	find suites harness kernels -name '*.[ch]' | sort | xargs awk -v floors="$floors" '
	BEGIN {
		n = split(floors, pair, " ")
		for (i = 1; i <= n; i++) {
			split(pair[i], part, ":")
			floor[part[1]] = part[2]
		}
	}
	function starts(s, prefix) { return substr(s, 1, length(prefix)) == prefix }
	function room(path) { split(path, dir, "/"); return dir[1] == "harness" ? dir[2] : dir[1] }
	function allowed(from, to,   a, b) {
		a = room(from)
		b = room(to)
		if (to == "kernels/bc_kernel.h" || a == "tests" || a == "bench") return 1
		if (a == "suites") return b == "suites" || b == "core" || b == "base"
		if (a == "kernels") return b == "kernels"
		if (starts(from, "harness/device/reference/") && starts(to, "harness/device/cuda/")) return 0
		if (starts(from, "harness/device/cuda/") && starts(to, "harness/device/reference/")) return 0
		if (!(a in floor) || !(b in floor)) return 0
		return a == b || floor[b] < floor[a]
	}
	function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text }
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, part, "\"")
		if (!starts(part[2], "harness/") && !starts(part[2], "suites/") && !starts(part[2], "kernels/") &&
		    !starts(FILENAME, "kernels/"))
			complain("include \"" part[2] "\" by its path from the top of the tree")
		else if (!allowed(FILENAME, part[2]))
			complain("may not include \"" part[2] "\" (includes point one way, see CONTRIBUTING.md)")
	}
	/^[ \t]*#[ \t]*include[ \t]*</ {
		split($0, part, /[<>]/)
		header = part[2]
		cuda = header ~ /^(cuda|cupti|nvperf|generated_cuda|driver_types|device_types)[A-Za-z0-9_]*\.h$/
		if (cuda && !starts(FILENAME, "harness/device/cuda/") && !starts(FILENAME, "harness/app/library/") &&
		    !starts(FILENAME, "harness/tests/stubs/"))
			complain("only harness/device/cuda/, app/library/ and tests/stubs/ include <" header ">")
		tests = starts(FILENAME, "harness/tests/")
		if (starts(header, "libxml/") && !tests && FILENAME !~ /^harness\/report\/(junit|read|xml)/)
			complain("only junit*, read* and xml* of harness/report/ include <" header ">")
		if (header == "sqlite3.h" && !tests && !starts(FILENAME, "harness/history/"))
			complain("only harness/history/ and tests include <sqlite3.h>")
		if (header == "check.h" && !tests && FILENAME != "harness/run/check_run.c")
			complain("only harness/run/check_run.c and tests include <check.h>")
		if (starts(FILENAME, "suites/") && (header == "stdio.h" || cuda))
			complain("a suite has no I/O and no CUDA: <" header ">")
	}
	'
}

# Units (a .c and its .h) that include each other in a circle. tsort names each.
lint_circles()
{
	# shellcheck disable=SC2016 # awk's own $
	find suites harness -name '*.[ch]' | sort | xargs awk '
	function stem(path) { sub(/\.[ch]$/, "", path); return path }
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, part, "\"")
		if (stem(FILENAME) != stem(part[2]))
			print stem(FILENAME), stem(part[2])
	}
	' | tsort 2>&1 >/dev/null | sed 's/^tsort: -*:* *//'
}

# What `make format` would change, and lines over 120 columns that it cannot cut. Other releases of clang-format lay out
# otherwise, so only the one that the tree is laid out by (Debian 12's) is asked.
lint_format()
{
	files=$(find suites harness kernels tools -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh')
	# shellcheck disable=SC2086 # a list of files
	case $(clang-format --version 2>/dev/null) in
	*" version 14."*)
		clang-format --dry-run $files 2>&1 |
			sed -n "s/: warning: code should be.*/: not as 'make format' lays it out/p" | sort -u
		;;
	*) echo "lint: format: not compared, clang-format 14 is not here" >&2 ;;
	esac
	others=$(find harness/html tools farm .ci -name '*.sh' -o \
		-name '*.css' -o -name '*.js' -o -name '*.py' -o -path '.ci/*' -type f -o -path 'farm/slurm/*' -type f)
	for file in $files $others; do
		expand -t 8 "$file" | LC_ALL=C.UTF-8 grep -n '^.\{121,\}' |
			sed "s|^\([0-9]*\):.*|$file:\1: over 120 columns|"
	done
	pages=$(find ./*.md docs expected harness kernels reports suites -name '*.md')
	for file in $pages; do # tables and what programs print may be wider
		LC_ALL=C.UTF-8 grep -nv '^|\|^    ' "$file" | LC_ALL=C.UTF-8 grep '^[0-9]*:.\{121,\}' |
			sed "s|^\([0-9]*\):.*|$file:\1: over 120 columns|"
	done
}

# report NAME FILE: show what was found, if anything
report()
{
	if [ -s "$2" ]; then
		cat "$2" >&2
		echo "lint: $1: see above" >&2
		status=1
	else
		echo "lint: $1: clean"
	fi
}

# lint.sh --tidy FILE: one file, so that xargs can run several at a time. Prints the findings; the analyzer's long
# account of how it got there only with LINT_NOTES=1. What clang-tidy says on stderr is about system headers.
tidy_one()
{
	extra="-include tools/lint_model.h"
	case $1 in
	harness/base/base.c) extra="" ;; # it defines what the model stands in for
	harness/device/cuda/* | harness/app/library/* | harness/tests/stubs/* | tools/*)
		extra="$extra ${LINT_CUDA_CFLAGS:-}"
		;;
	esac
	found=$(mktemp)
	# shellcheck disable=SC2086 # lists of flags
	if ! clang-tidy --quiet "$1" -- ${LINT_CFLAGS:-} $extra -include tools/lint_tests.h \
		>"$found" 2>"$found.err"; then
		awk -v notes="${LINT_NOTES:-}" \
			'/: note: / { skip = !notes } /: (error|warning): / { skip = 0 } !skip' "$found"
		grep -q ': error: ' "$found" || cat "$found.err"
		echo "$1: clang-tidy: failed"
	fi
	rm -f "$found" "$found.err"
}

lint_tidy()
{
	left_out=""
	: >"$work/list"
	for file; do
		case $file:${LINT_CUDA_CFLAGS:-} in
		harness/device/cuda/*: | harness/app/library/*: | harness/tests/stubs/*: | tools/*:)
			left_out="$left_out $file"
			;;
		*) echo "$file" >>"$work/list" ;;
		esac
	done
	[ -z "$left_out" ] || echo "lint: clang-tidy: left out, no CUDA toolkit:$left_out"
	xargs -P "$jobs" -n 1 sh "$0" --tidy <"$work/list" >"$work/tidy"
	report clang-tidy "$work/tidy"
}

# Check's macros are not C to cppcheck; what they stand for is.
lint_cppcheck()
{
	cppcheck --std=c11 --enable=warning,performance,portability --inline-suppr --quiet --error-exitcode=1 \
		-j "$jobs" --suppress=missingInclude --suppress=missingIncludeSystem --suppress=unmatchedSuppression \
		-I. -D_GNU_SOURCE --include=tools/lint_tests.h -DEND_TEST= \
		-D'START_TEST(name)=static void name(int _i)' \
		"$@" >"$work/cpp" 2>&1 || true
	report cppcheck "$work/cpp"
}

if [ "${1:-}" = --tidy ]; then
	tidy_one "$2"
	exit 0
fi
[ $# -gt 0 ] || {
	echo "usage: $0 FILE.c..." >&2
	exit 3
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

lint_spdx >"$work/spdx"
report "licence lines" "$work/spdx"
lint_includes >"$work/includes"
report "include rules" "$work/includes"
lint_circles >"$work/circles"
report "no circles of includes" "$work/circles"
sources | grep '\.sh$\|^\.ci/\|^farm/slurm/' | xargs shellcheck >"$work/shell" 2>&1 || true
report shellcheck "$work/shell"
lint_format >"$work/format"
report format "$work/format"
lint_cppcheck "$@"
lint_tidy "$@"
exit "$status"
