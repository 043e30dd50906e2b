#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-toolkits.sh DIR OBJECT... - does everything work with the CUDA releases that it should work with?
#
# DIR: where tools/toolkits.sh keeps releases; what is missing is fetched with pip. OBJECT...: the program, without
# harness/device/cuda/. Needs no GPU. From the environment:
#   COMPILE, LINK   how the Makefile compiles, and what it links with
#   RELEASES        of these, headers and CUPTI: the program is compiled with each, and asks each CUPTI up to 13.1
#                   for its chips and counters; the answer must not depend on the headers
#   IMAGES          of these, kernels by NVRTC and ptxas: the PTX must pass on the reference device, the
#                   instructions that the suites measure must be the same from 12.4 on, whatever the kernels are called;
#                   between two reads of the clock must stand what the kernels say, in their order, by each release
# Status 0 with the reason when pip is not here.
set -eu

[ $# -ge 2 ] || {
	echo "usage: $0 DIR OBJECT..." >&2
	exit 3
}
dir=$1
shift
tools=$(dirname "$0")
out=$dir/check
mkdir -p "$out/shim"
: >"$out/shim/string"
failed=""

fail()
{
	echo "check-toolkits: $1" >&2
	failed=yes
}

# fetch PARTS RELEASE...
fetch()
{
	parts=$1
	shift
	status=0
	"$tools/toolkits.sh" --parts "$parts" --into "$dir" "$@" >"$out/log" 2>&1 || status=$?
	if [ "$status" -eq 77 ]; then
		echo "toolkits: not checked: $(sed -n 's/^toolkits: //p' "$out/log")"
		exit 0
	fi
	[ "$status" -eq 0 ] || {
		cat "$out/log" >&2
		exit 1
	}
}

# build RELEASE: the program, its CUDA device compiled with the release's headers
build()
{
	headers=$1
	shift
	own=""
	for source in harness/device/cuda/*.c; do
		object=$out/$headers-$(basename "$source" .c).o
		# shellcheck disable=SC2086 # a command with its words
		$COMPILE -DBC_WITH_CUDA -Werror -I"$out/shim" -isystem "$dir/$headers/include" -c -o "$object" \
			"$source" || return 1
		own="$own $object"
	done
	# shellcheck disable=SC2086
	${CC:-cc} -o "$out/bankcheck-$headers" "$@" $own $LINK
}

# up_to_131 RELEASE: does its CUPTI answer without a driver?
up_to_131()
{
	case $1 in
	12.* | 13.0* | 13.1*) return 0 ;;
	*) return 1 ;;
	esac
}

# ask HEADERS RELEASE: chips and counters of the release's CUPTI, by the program with these headers
ask()
{
	"$out/bankcheck-$1" metrics --cupti "$(echo "$PWD/$dir/$2"/lib/libcupti.so.1*)" >"$out/$2-by-$1.txt" 2>&1
}

# The chips that each release can count on, found by hand with its own libraries.
chips_of()
{
	case $1 in
	12.6*) echo 19 ;;
	12.8) echo 24 ;;
	12.9) echo 27 ;;
	13.0) echo 29 ;;
	13.1) echo 30 ;;
	esac
}

check_cupti()
{
	first=""
	for headers in $RELEASES; do
		if ! ask "$headers" "$1"; then
			if up_to_131 "$1" || ! grep -q '^bankcheck: ' "$out/$1-by-$headers.txt"; then
				fail "CUPTI $1, headers $headers: $(cat "$out/$1-by-$headers.txt")"
			fi
			continue
		fi
		[ -n "$first" ] || first=$headers
		cmp -s "$out/$1-by-$first.txt" "$out/$1-by-$headers.txt" ||
			fail "CUPTI $1 answers otherwise with the headers of $headers than with those of $first"
	done
	if ! up_to_131 "$1"; then
		if [ -n "$first" ]; then
			echo "toolkits: CUPTI $1: answers"
		else
			echo "toolkits: CUPTI $1: $(sed 's/^bankcheck: //' "$out/$1-by-$1.txt")"
		fi
		return 0
	fi
	[ -n "$first" ] || return 0
	has=$(sed -n 's/^chips  *\([0-9]*\):.*/\1/p' "$out/$1-by-$first.txt")
	[ -z "$(chips_of "$1")" ] || [ "$has" = "$(chips_of "$1")" ] ||
		fail "CUPTI $1 can count on $has chips, not $(chips_of "$1")"
	grep -q '^chips.* GH100' "$out/$1-by-$first.txt" || fail "CUPTI $1 does not know GH100"
	grep -q '^ld_conflicts .* \([0-9]*\) of \1$' "$out/$1-by-$first.txt" ||
		fail "CUPTI $1: a chip without ld_conflicts"
	echo "toolkits: CUPTI $1: $has chips, whichever headers"
}

# renamed RELEASE: the release's ptxas on the kernels under other names, as lists with the names put back
renamed()
{
	rm -rf "$out/named-$1" "$out/renamed-$1"
	mkdir -p "$out/named-$1" "$out/renamed-$1"
	for ptx in "$dir/../kernels-$1"/ptx/*.ptx; do
		name=$(basename "$ptx" .ptx)
		sed 's/\<bc_/bc_cutlass_/g' "$ptx" >"$out/$name.ptx"
		"$dir/$1/bin/ptxas" -O3 -arch=sm_90 -o "$out/$name.sm_90.cubin" "$out/$name.ptx"
		"$tools/code-list.sh" "" "$disassembler" "$out/$name.sm_90.cubin" "$out/$name.sm_90.cubin" |
			sed 's/^bc_cutlass_/bc_/' >"$out/renamed-$1/$name.code"
		"$dir/$1/bin/ptxas" -O3 -arch=sm_90 -o "$out/$name.sm_90.cubin" "$ptx"
		"$tools/code-list.sh" "" "$disassembler" "$out/$name.sm_90.cubin" "$out/$name.sm_90.cubin" \
			>"$out/named-$1/$name.code"
	done
	"$program" code "$out/named-$1" "$out/renamed-$1" >"$out/log" || {
		cat "$out/log" >&2
		fail "ptxas $1 makes other instructions of kernels that are called otherwise"
	}
}

# timed_rule: the timed kernels as their sources have them: BC_TIMED_ACCESSES accesses; after stores the one load that
# waits for them. A kernel of kernels/clock.cu has two such stretches, latency and the spinning one have one. What the
# cost of barriers is measured with has loops of its own, and is not among them.
timed_rule()
{
	for width in 8:.U8 16:.U16 32: 64:.64 128:.128; do
		printf 'bc_ld%s_clock\ttimed:LDS%s*32\t1\n' "${width%:*}" "${width#*:}"
		printf 'bc_st%s_clock\ttimed:STS%s*32,LDS\t1\n' "${width%:*}" "${width#*:}"
	done
	for kernel in 'chain:LDS*32' 'ld:LDS*32' 'ld128:LDS.128*32' 'st:STS*32,LDS' 'add:ATOMS.ADD*32' \
		'cas:ATOMS.CAS*32'; do
		printf 'bc_time_%s\ttimed:%s\t2\n' "${kernel%%:*}" "${kernel#*:}"
	done
	printf 'bc_time_word_add%s\ttimed:ATOMS.%s*32,LDS\t2\n' '' ADD _1 POPC.INC.32
	printf 'bc_time_add_cas\ttimed:ATOMS.%s*32\t1\n' ADD CAS
	printf 'bc_time_latency\ttimed:LDS*32\t1\nbc_meta_spin\ttimed:\t1\n'
}

# timed_list RELEASE: what its images have between reads of the clock
timed_list()
{
	cat "$dir/../kernels-$1"/*.code | grep '	timed:' | grep -v '^bc_sync_cost' | LC_ALL=C sort
}

# timed RELEASE: is it what the kernels say, and in all timed kernels the same as by the newest release, but for how
# often a loop around a stretch is unrolled?
timed()
{
	timed_rule | LC_ALL=C sort >"$out/timed-rule"
	timed_list "$newest" | cut -f 1,2 >"$out/timed-newest"
	timed_list "$1" >"$out/timed-$1"
	cut -f 1,2 "$out/timed-$1" >"$out/timed-kinds"
	if [ -z "$(LC_ALL=C comm -23 "$out/timed-rule" "$out/timed-$1")" ] &&
		cmp -s "$out/timed-newest" "$out/timed-kinds"; then
		echo "toolkits: between the reads of the clock CUDA $1 has what the kernels say"
	else
		diff "$out/timed-rule" "$out/timed-$1" >&2 || true
		diff "$out/timed-newest" "$out/timed-kinds" >&2 || true
		fail "CUDA $1 has something else between the reads of the clock"
	fi
}

# shellcheck disable=SC2086 # lists of words
fetch cudart,cupti $RELEASES
for release in $RELEASES; do
	if build "$release" "$@"; then
		echo "toolkits: compiled with the headers of CUDA $release"
	else
		fail "the program does not compile with the headers of CUDA $release"
	fi
	program=$out/bankcheck-$release
done
[ -z "$failed" ] || exit 1
for release in $RELEASES; do
	check_cupti "$release"
done
if [ -n "${IMAGES:-}" ]; then
	newest=$(echo "$IMAGES" | tr ' ' '\n' | sort -V | tail -n 1)
	# Disassemblers are to be had from 13.2 on; a newer one reads what an older ptxas made.
	reads=$(printf '%s\n' 13.2 "$newest" | sort -V | tail -n 1)
	disassembler=$dir/$reads/bin/nvdisasm
	# shellcheck disable=SC2086 # a list of words
	fetch nvcc,cudart,nvrtc $IMAGES
	fetch cuobjdump,nvdisasm "$reads"
	list=""
	for release in $IMAGES; do
		list="$list $release=$dir/$release"
	done
	${MAKE:-make} --no-print-directory toolkit-images ARCHS=90 TOOLKITS="$list"
	for release in $IMAGES; do
		images=$dir/../kernels-$release
		if "$program" run --device reference:sm_90 --kernels "$images" --expected expected \
			--reports "$out/reports" -q \
			>"$out/log" 2>&1; then
			echo "toolkits: PTX of CUDA $release passes on the reference device"
		else
			cat "$out/log" >&2
			fail "the PTX of CUDA $release does not pass on the reference device"
		fi
		renamed "$release"
		timed "$release"
		[ "$(printf '%s\n' 12.4 "$release" | sort -V | head -n 1)" = 12.4 ] || continue
		"$program" code "$dir/../kernels-$newest" "$images" >"$out/log" || {
			cat "$out/log" >&2
			fail "CUDA $release makes other instructions than $newest"
		}
	done
fi
[ -z "$failed" ] || exit 1
echo "toolkits: all as it should be"
