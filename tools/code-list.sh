#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/code-list.sh CUOBJDUMP IMAGE.fatbin - which machine instructions each kernel of an image has. To stdout:
#
#   sha256<TAB>HASH              of the image, so that a list of another image is noticed
#   arch<TAB>sm_NN               the lines below are of this architecture
#   KERNEL<TAB>MNEMONIC<TAB>N    N instructions of this mnemonic, modifiers included (LDS.64)
#
# An architecture that the disassembler does not know is left out, and said so on stderr.
set -eu

[ $# -eq 2 ] || {
	echo "usage: $0 CUOBJDUMP IMAGE" >&2
	exit 3
}
cuobjdump=$1
image=$2
sass=$(mktemp)
trap 'rm -f "$sass"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

hash=$(sha256sum "$image")
printf 'sha256\t%s\n' "${hash%% *}"

# Beside the disassembler cuobjdump needs nvdisasm, which it looks for on the PATH.
PATH=$(dirname "$cuobjdump"):$PATH
export PATH
archs=$("$cuobjdump" -lelf "$image" | sed -n 's/.*\.\(sm_[0-9][0-9]*[a-z]*\)\.cubin$/\1/p')
[ -n "$archs" ] || {
	echo "$0: $image: $cuobjdump lists no machine code in it" >&2
	exit 2
}
left_out=""
why=""
for arch in $archs; do
	if ! "$cuobjdump" -sass -arch "$arch" "$image" >"$sass" 2>&1 || ! grep -q 'Function :' "$sass"; then
		left_out="$left_out $arch"
		why=$(grep -m1 -i 'fatal\|error' "$sass" || true)
		continue
	fi
	printf 'arch\t%s\n' "$arch"
	# An instruction line: /*0040*/  @!P0 LDS.64 R2, [R4] ;  /* 0x... */
	awk '
	$1 == "Function" && $2 == ":" { kernel = $3; next }
	$1 ~ /^\/\*[0-9a-f]+\*\/$/ && kernel != "" {
		word = 2
		while ($word == "{" || $word ~ /^@/)
			word++
		mnemonic = $word
		sub(/;$/, "", mnemonic)
		if (mnemonic ~ /^[A-Z][A-Z0-9_.]*$/)
			count[kernel "\t" mnemonic]++
	}
	END { for (key in count) printf "%s\t%d\n", key, count[key] }
	' "$sass" | LC_ALL=C sort
done
if [ -n "$left_out" ]; then
	echo "code-list: $image: left out:$left_out (${why:-no listing})" >&2
fi
