#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/code-list.sh CUOBJDUMP NVDISASM IMAGE.fatbin [NAME.sm_NN.cubin...] - which machine instructions each kernel of
# an image has. To stdout:
#
#   sha256<TAB>HASH              of the image, so that a list of another image is noticed
#   arch<TAB>sm_NN               the lines below are of this architecture
#   KERNEL<TAB>MNEMONIC<TAB>N    N instructions of this mnemonic, modifiers included (LDS.64)
#   KERNEL<TAB>timed:STS*32,LDS<TAB>N
#                                N stretches between two reads of the clock have just these shared-memory and barrier
#                                instructions in this order (without modifiers of barriers); "timed:" if there are none;
#                                ",unwaited" at the end: the second read does not wait for what was loaded last
#   KERNEL<TAB>registers<TAB>N   and stack, local, shared: bytes of a thread, of a thread, of a block; by cuobjdump only
#
# Either disassembler may be '' when it is not here. The cubins are those that the image was made of, for nvdisasm,
# which reads no image; without them cuobjdump takes them out. An architecture that neither knows is left out, and said
# so on stderr: the list is then shorter, and the status still 0.
set -eu

[ $# -ge 3 ] || {
	echo "usage: $0 CUOBJDUMP NVDISASM IMAGE [CUBIN...]" >&2
	exit 3
}
cuobjdump=$1
nvdisasm=$2
image=$3
shift 3
if [ -z "$cuobjdump" ] && { [ -z "$nvdisasm" ] || [ $# -eq 0 ]; }; then
	echo "$0: $image: no cuobjdump, and no nvdisasm with cubins: no list can be made" >&2
	exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Beside itself cuobjdump needs nvdisasm, which it looks for on the PATH.
[ -z "$cuobjdump" ] || PATH=$(dirname "$cuobjdump"):$PATH
[ -z "$nvdisasm" ] || PATH=$(dirname "$nvdisasm"):$PATH
export PATH

# cubin ARCH FILE...: the one of the architecture
cubin()
{
	cubin_arch=$1
	shift
	for file; do
		case $file in
		*."$cubin_arch".cubin) echo "$file" ;;
		esac
	done
}

# disassemble ARCH CUBIN: into $work/sass; CUBIN may be ''. What failed last says why in $work/sass.
disassemble()
{
	if [ -n "$cuobjdump" ] && "$cuobjdump" -sass -arch "$1" "$image" >"$work/sass" 2>&1 &&
		grep -q 'Function :' "$work/sass"; then
		return 0
	fi
	[ -n "$nvdisasm" ] || return 1
	one=$2
	if [ -z "$one" ] && [ -n "$cuobjdump" ]; then
		mkdir -p "$work/cubins"
		(cd "$work/cubins" && "$cuobjdump" -xelf ".$1.cubin" "$absolute") >/dev/null 2>&1 || return 1
		one=$(cubin "$1" "$work"/cubins/*)
	fi
	[ -n "$one" ] && "$nvdisasm" -c "$one" >"$work/sass" 2>"$work/log" &&
			grep -q '^\.text\.' "$work/sass" && return 0
	cat "$work/log" >>"$work/sass" 2>/dev/null || true
	return 1
}

# resources ARCH: of each kernel, as cuobjdump says
resources()
{
	[ -n "$cuobjdump" ] || return 0
	"$cuobjdump" -res-usage -arch "$1" "$image" 2>/dev/null | awk '
	$1 == "Function" { kernel = $2; sub(/:$/, "", kernel); next }
	$1 ~ /^REG:/ && kernel != "" {
		for (i = 1; i <= NF; i++) {
			split($i, part, ":")
			if (part[1] == "REG")
				printf "%s\tregisters\t%d\n", kernel, part[2]
			else if (part[1] ~ /^(STACK|LOCAL|SHARED)$/)
				printf "%s\t%s\t%d\n", kernel, tolower(part[1]), part[2]
		}
		kernel = ""
	}'
}

case $image in
/*) absolute=$image ;;
*) absolute=$PWD/$image ;;
esac
hash=$(sha256sum "$image")
printf 'sha256\t%s\n' "${hash%% *}"
if [ $# -gt 0 ]; then
	archs=$(printf '%s\n' "$@" | sed -n 's/.*\.\(sm_[0-9][0-9]*[a-z]*\)\.cubin$/\1/p')
else
	archs=$("$cuobjdump" -lelf "$image" 2>"$work/log" |
		sed -n 's/.*\.\(sm_[0-9][0-9]*[a-z]*\)\.cubin$/\1/p') || true
fi
left_out=""
why=$(head -n 1 "$work/log" 2>/dev/null || true)
[ -n "$archs" ] || left_out=" all"
for arch in $archs; do
	if ! disassemble "$arch" "$(cubin "$arch" "$@")"; then
		left_out="$left_out $arch"
		why=$(grep -m1 -i 'fatal\|error\|invalid' "$work/sass" || true)
		continue
	fi
	printf 'arch\t%s\n' "$arch"
	# A kernel begins with "Function : NAME" (cuobjdump) or ".text.NAME:" (nvdisasm); an instruction line:
	# /*0040*/  @!P0 LDS.64 R2, [R4] ;  /* 0x... */
	{
		resources "$arch"
		awk '
		$1 == "Function" && $2 == ":" { kernel = $3; next }
		/^\.text\./ { kernel = substr($1, 7); sub(/:$/, "", kernel); next }
		$1 ~ /^\/\*[0-9a-f]+\*\/$/ && kernel != "" {
			word = 2
			while ($word == "{" || $word ~ /^@/)
				word++
			mnemonic = $word
			sub(/;$/, "", mnemonic)
			if (mnemonic !~ /^[A-Z][A-Z0-9_.]*$/)
				next
			count[kernel "\t" mnemonic]++
			if ($0 ~ /SR_CLOCKLO/) {
				run_ends()
				if (loaded != "")
					sequence = sequence ",unwaited"
				loaded = ""
				if (timed == kernel)
					count[kernel "\ttimed:" sequence]++
				timed = timed == kernel ? "" : kernel
				sequence = ""
				next
			}
			if (timed != kernel)
				next
			if (loaded != "" && $0 ~ "[^A-Z0-9]" loaded "[^0-9]")
				loaded = ""
			if (mnemonic ~ timed_too) {
				if (mnemonic ~ /^(LDS|LD|ATOMS|ATOM)([.]|$)/) {
					loaded = $(word + 1)
					sub(/,$/, "", loaded)
				}
				sub(/^BAR.*/, "BAR", mnemonic)
				if (mnemonic != last)
					run_ends()
				last = mnemonic
				n++
			}
		}
		# n instructions of one kind in a row
		function run_ends()
		{
			if (n)
				sequence = sequence (sequence == "" ? "" : ",") last (n > 1 ? "*" n : "")
			n = 0
			last = ""
		}
		BEGIN { timed_too = "^(LDS|STS|LDSM|STSM|LDGSTS|UBLKCP|LD|ST|ATOMS|ATOM|BAR|SYNCS|MEMBAR)([.]|$)" }
		END { for (key in count) printf "%s\t%d\n", key, count[key] }
		' "$work/sass"
	} | LC_ALL=C sort
done
if [ -n "$left_out" ]; then
	echo "code-list: $image: left out:$left_out (${why:-no machine code in it})" >&2
fi
