#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-arch.sh PTXAS FACTS LIBCUPTI EXPECTED DIR CC... - does the CUDA toolkit say what arch.txt says?
#
# EXPECTED holds sm_NN/arch.txt. CC...: the architectures of the kernels' images (75 80 ...), looked at beside those of
# EXPECTED. One without a folder is compared with the nearest older one, as the harness judges it by that one's laws
# (provisional); what differs is said.
#   ptxas             window_base (where it puts the first byte of dynamic shared memory), popc_inc, static_bytes,
#                     optin_bytes, max_warps_sm and max_blocks_sm (launch bounds that it takes), ldmatrix, stmatrix,
#                     cp_async, redux, mma_sync, mbarrier, cluster, bulk_copy, wgmma, tensor_atoms
#   cuda_occupancy.h  sm_bytes, max_blocks_sm, and whether there is something reserved (FACTS: build/arch_facts)
#   CUPTI             ldgsts_conflicts
# sm_bytes less reserved_bytes is optin_bytes. PTXAS and LIBCUPTI are empty when there is none. What cannot be asked is
# said. Files are written to DIR. Status 1: a figure differs.
set -eu

[ $# -ge 5 ] || {
	echo "usage: $0 PTXAS FACTS LIBCUPTI EXPECTED DIR CC..." >&2
	exit 3
}
ptxas=$1
facts=$2
libcupti=$3
expected=$4
dir=$5
shift 5
compared=0
untold=""
variant="" # a: the architecture's own instructions, sm_90a

if [ -z "$ptxas" ]; then
	echo "arch: no figure of arch.txt was compared: no CUDA toolkit found"
	exit 0
fi
mkdir -p "$dir"
failed=$dir/failed # is there when something was found: subshells find too
rm -f "$failed"

# complain WORDS
complain()
{
	echo "check-arch: $1" >&2
	: >"$failed"
}

# of CC: the arch.txt that the harness judges CC by; empty: none
of()
{
	best=""
	for path in "$expected"/sm_*/arch.txt; do
		have=${path%/arch.txt}
		have=${have##*/sm_}
		if [ "$have" -le "$1" ] && { [ -z "$best" ] || [ "$have" -gt "$best" ]; }; then
			best=$have
		fi
	done
	[ -z "$best" ] || echo "$expected/sm_$best/arch.txt"
}

# compare CC KEY VALUE WHO: is it what arch.txt says?
compare()
{
	at=$(awk -v key="$2" '$1 == key { print FNR " " $2 }' "$file")
	[ -n "$at" ] || {
		complain "$file: has no $2"
		return 0
	}
	compared=$((compared + 1))
	[ "${at#* }" != "$3" ] || return 0
	if [ "$file" = "$expected/sm_$1/arch.txt" ]; then
		complain "$file:${at% *}: $2 ${at#* }, but for sm_$1 $4 says $3"
	else
		untold="$untold
arch: sm_$1 has no folder: $file:${at% *}, which it is judged by (provisional), has $2 ${at#* }; $4 says $3"
	fi
}

# skip CC WHAT WHY
skip()
{
	untold="$untold
arch: sm_$1: $2 not compared: $3"
}

# trouble CC WHAT: a tool did neither of the two things that it was asked about; $dir/log has its words
trouble()
{
	complain "sm_$1: $2 could not be asked: $(cat "$dir/log")"
}

# kernel DIRECTIVES DECLARATIONS BODY: the text of a kernel `probe`
kernel()
{
	cat <<-EOF
		.version $isa
		.target sm_$cc$variant
		.address_size 64
		.visible .entry probe(.param .u64 out) $1
		{
			.reg .b64 %d<4>;
			.reg .b32 %r<12>;
			.reg .pred %p<2>;
			$2
			ld.param.u64 %d1, [out];
			cvta.to.global.u64 %d1, %d1;
			mov.u32 %r1, %tid.x;
			mov.u32 %r2, dynamic;
			mad.lo.u32 %r2, %r1, 16, %r2;
			$3
			st.global.u32 [%d1], %r3;
			ret;
		}
	EOF
}

# assemble CC DIRECTIVES DECLARATIONS BODY [OPTION]: into $dir/probe.cubin, words into $dir/log
assemble()
{
	kernel "$2" "$3" "$4" | sed 's/^\.visible/.extern .shared .align 16 .b8 dynamic[];\n&/' >"$dir/probe.ptx"
	"$ptxas" ${5:+"$5"} -arch="sm_$1$variant" -o "$dir/probe.cubin" "$dir/probe.ptx" >"$dir/log" 2>&1
}

ask_layout()
{
	if ! assemble "$1" "" "" 'red.shared.add.u32 [%r2], 1; bar.sync 0; ld.shared.u32 %r3, [%r2];' ||
		! "$facts" cubin "$dir/probe.cubin" probe >"$dir/facts" 2>"$dir/log"; then
		trouble "$1" "where dynamic shared memory starts, and ATOMS.POPC.INC,"
		return 0
	fi
	compare "$1" window_base "$(sed -n 's/^window_base //p' "$dir/facts")" ptxas
	compare "$1" popc_inc "$(sed -n 's/^popc_inc //p' "$dir/facts")" ptxas
}

# shared BYTES: declarations of so much static shared memory; its use
shared()
{
	echo ".shared .align 16 .b8 fixed[$1];"
}
use='mov.u32 %r4, fixed; mad.lo.u32 %r4, %r1, 4, %r4;
	st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r3, [%r4 + 4];'

# limit: the most shared memory, out of ptxas's refusal
limit()
{
	most=$(sed -n 's/.*too much shared data.* \(0x[0-9a-f]*\) max).*/\1/p' "$dir/log" | head -n 1)
	[ -z "$most" ] || echo $((most))
}

ask_sizes()
{
	if assemble "$1" "" "$(shared 1048576)" "$use" || [ -z "$(limit)" ]; then
		trouble "$1" static_bytes
	elif [ "${release%%.*}" -lt 13 ]; then
		skip "$1" static_bytes "ptxas $release has another limit, $(limit), without its nvcc"
	else
		most=$(limit)
		compare "$1" static_bytes "$most" ptxas
		assemble "$1" "" "$(shared "$most")" "$use" || trouble "$1" "static_bytes, $most of them"
		! assemble "$1" "" "$(shared $((most + 4)))" "$use" ||
			trouble "$1" "static_bytes, $((most + 4)) of them"
	fi
	# With this option, which is not in its manual, ptxas puts the limit where the opt-in is.
	if assemble "$1" "" "$(shared 1048576)" "$use" --enable-extended-smem=true || [ -z "$(limit)" ]; then
		skip "$1" optin_bytes "ptxas does not tell (--enable-extended-smem)"
	else
		compare "$1" optin_bytes "$(limit)" ptxas
	fi
	compare "$1" optin_bytes $(($(figure sm_bytes) - $(figure reserved_bytes))) "sm_bytes less reserved_bytes"
}

# bounds CC THREADS BLOCKS: does ptxas take the launch bounds? It warns of those that no SM has room for.
bounds()
{
	assemble "$1" ".maxntid $2, 1, 1 .minnctapersm $3" "" 'mov.u32 %r3, 0;' || {
		trouble "$1" "launch bounds of $2 threads, $3 blocks"
		return 1
	}
	! grep -q 'minnctapersm' "$dir/log"
}

# most_blocks CC THREADS GUESS: the most blocks of so many threads that have room on an SM
most_blocks()
{
	if [ "$3" -gt 0 ] && bounds "$1" "$2" "$3" && ! bounds "$1" "$2" $(($3 + 1)); then
		echo "$3"
		return 0
	fi
	blocks=0
	while [ "$blocks" -lt 256 ] && bounds "$1" "$2" $((blocks + 1)); do
		blocks=$((blocks + 1))
	done
	echo "$blocks"
}

# figure KEY: what arch.txt says, 0: nothing
figure()
{
	awk -v key="$1" '$1 == key { value = $2 } END { print value + 0 }' "$file"
}

ask_residency()
{
	blocks_of_4=$(most_blocks "$1" 128 $(($(figure max_warps_sm) / 4)))
	compare "$1" max_warps_sm $((blocks_of_4 * 4)) "ptxas (launch bounds)"
	compare "$1" max_blocks_sm "$(most_blocks "$1" 32 "$(figure max_blocks_sm)")" "ptxas (launch bounds)"
}

# instruction CC KEY BODY: is it taken, or refused because the architecture lacks it?
instruction()
{
	if assemble "$1" "" "" "$3"; then
		compare "$1" "$2" 1 ptxas
	elif grep -q "requires .target sm_\|not supported on .target" "$dir/log"; then
		compare "$1" "$2" 0 ptxas
	else
		trouble "$1" "$2"
	fi
}

# newer CC ISA KEY BODY [SUFFIX]: an instruction of PTX ISA and of the target sm_CCsuffix, where ptxas has such a one
newer()
{
	if ! printf '%s\n%s\n' "$2" "$isa" | sort -V -C; then
		skip "$1" "$3" "ptxas $release reads PTX $isa, and it is of $2"
	elif [ -n "${5:-}" ] && ! "$ptxas" --help | grep -q "sm_$1$5"; then
		compare "$1" "$3" 0 "ptxas (no sm_$1$5)"
	else
		variant=${5:-}
		instruction "$1" "$3" "$4"
		variant=""
	fi
}

ask_instructions()
{
	instruction "$1" ldmatrix 'ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];'
	instruction "$1" stmatrix 'stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1}; ld.shared.u32 %r3, [%r2];'
	instruction "$1" cp_async 'cp.async.ca.shared.global [%r2], [%d1], 4; cp.async.wait_all;
		ld.shared.u32 %r3, [%r2];'
	instruction "$1" redux 'redux.sync.add.u32 %r3, %r1, 0xffffffff;'
	instruction "$1" mma_sync 'mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r3, %r4}, {%r1, %r1, %r1, %r1},
		{%r1, %r1}, {%r1, %r1};'
	instruction "$1" mbarrier 'mbarrier.init.shared.b64 [%r2], %r1; mbarrier.inval.shared.b64 [%r2];
		mov.u32 %r3, 0;'
	newer "$1" 7.8 cluster 'mapa.shared::cluster.u32 %r3, %r2, 0;'
	newer "$1" 8.0 bulk_copy 'cp.async.bulk.commit_group; mov.u32 %r3, 0;'
	newer "$1" 8.0 wgmma 'wgmma.fence.sync.aligned; mov.u32 %r3, 0;' a
	newer "$1" 8.6 tensor_atoms 'tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [%r2], 1;
		mov.u32 %r3, 0;' a
}

ask_occupancy()
{
	if ! "$facts" occupancy "$1" >"$dir/facts" 2>"$dir/log"; then
		skip "$1" "sm_bytes, reserved_bytes" "$(cat "$dir/log")"
		return 0
	fi
	compare "$1" sm_bytes "$(sed -n 's/^sm_bytes //p' "$dir/facts")" cuda_occupancy.h
	compare "$1" max_blocks_sm "$(sed -n 's/^max_blocks_sm //p' "$dir/facts")" cuda_occupancy.h
	compare "$1" reserved_bytes "$(sed -n 's/^reserves 1/1024/p; s/^reserves 0/0/p' "$dir/facts")" cuda_occupancy.h
}

# A chip of each architecture, as CUPTI names them; they are equal in this.
chips="70:GV100 75:TU102 80:GA100 86:GA102 87:GA10B 89:AD102 90:GH100 100:GB100 103:GB110 110:GB10B 120:GB202 121:GB20B"
count=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op

# metric CHIP METRIC: 1, 0; empty: it cannot be told, $dir/log says why
metric()
{
	"$facts" metric "$libcupti" "$1" "$2" 2>"$dir/log" | sed -n 's/^has //p'
}

ask_cupti()
{
	chip="" has=""
	for pair in $chips; do
		[ "${pair%%:*}" != "$1" ] || chip=${pair#*:}
	done
	if [ -z "$libcupti" ]; then
		skip "$1" ldgsts_conflicts "no libcupti found"
	elif [ -z "$chip" ]; then
		skip "$1" ldgsts_conflicts "no chip of it is known here"
	elif [ "$control" != 1 ]; then
		skip "$1" ldgsts_conflicts "CUPTI does not know ${count}_ld, which every chip has"
	else
		has=$(metric "$chip" "${count}_ldgsts.sum")
		if [ -n "$has" ]; then
			compare "$1" ldgsts_conflicts "$has" "CUPTI ($chip)"
		else
			skip "$1" ldgsts_conflicts "CUPTI does not tell for $chip: $(cat "$dir/log")"
		fi
	fi
}

# ptxas says which PTX it reads when it is given one of the future.
echo '.version 99.0' >"$dir/probe.ptx"
isa=$("$ptxas" -arch=sm_90 -o "$dir/probe.cubin" "$dir/probe.ptx" 2>&1 |
	sed -n "s/.*current version is '\([0-9.]*\)'.*/\1/p")
[ -n "$isa" ] || {
	echo "check-arch: $ptxas does not say which PTX it reads" >&2
	exit 1
}
control=""
[ -z "$libcupti" ] || control=$(metric GH100 "${count}_ld.sum")
release=$("$ptxas" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')

have=$(for path in "$expected"/sm_*/arch.txt; do
	path=${path%/arch.txt}
	echo "${path##*/sm_}"
done)
n=0
for cc in $(printf '%s\n' "$have" "$@" | sort -nu); do
	file=$(of "$cc")
	[ -n "$file" ] || continue
	n=$((n + 1))
	echo 'ret;' >"$dir/probe.ptx"
	if assemble "$cc" "" "" 'mov.u32 %r3, 0;'; then
		ask_layout "$cc"
		ask_residency "$cc"
		ask_instructions "$cc"
		[ "$file" != "$expected/sm_$cc/arch.txt" ] || ask_sizes "$cc"
	elif grep -q "not defined for option 'gpu-name'" "$dir/log"; then
		skip "$cc" "what ptxas knows" "ptxas $release makes no code for it"
	else
		trouble "$cc" "an empty kernel"
	fi
	if [ "$file" = "$expected/sm_$cc/arch.txt" ]; then # else its capacities come from the device
		ask_occupancy "$cc"
		ask_cupti "$cc"
	fi
done
[ -z "$untold" ] || printf '%s\n' "${untold#?}"
[ ! -e "$failed" ] || exit 1
echo "arch: $n architectures, $compared figures of arch.txt compared with ptxas $release, cuda_occupancy.h and CUPTI," \
	"all the same"
