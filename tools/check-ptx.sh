#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-ptx.sh NVCC COMMITTED_DIR FRESH_DIR NAME... - is the committed PTX what its source gives today?
#
# Each kernels/NAME.cu must have COMMITTED_DIR/NAME.ptx and the other way round. The texts are compared when the
# found nvcc is the one that wrote the committed file ("Cuda compilation tools, release ..." line of its head); else
# the reason why they were not is printed. NVCC is empty when there is none. FRESH_DIR is written to.
# NVCC_PTX_FLAGS in the environment: the flags the committed files are made with.
set -eu

[ $# -ge 3 ] || {
	echo "usage: $0 NVCC COMMITTED_DIR FRESH_DIR NAME..." >&2
	exit 3
}
nvcc=$1
committed=$2
fresh=$3
shift 3
status=0
same=0
untold=""

version_line()
{
	grep -m1 '^// Cuda compilation tools' "$1" || true
}

for name; do
	[ -f "$committed/$name.ptx" ] || {
		echo "check-ptx: $committed/$name.ptx is missing: run 'make ptx' and commit it" >&2
		status=1
	}
done
for file in "$committed"/*.ptx; do
	[ -e "$file" ] || continue
	base=$(basename "$file" .ptx)
	case " $* " in
	*" $base "*) ;;
	*)
		echo "check-ptx: $file has no kernels/$base.cu: remove it" >&2
		status=1
		;;
	esac
done
if [ -z "$nvcc" ]; then
	echo "ptx: not compared with the sources: no nvcc found"
	exit "$status"
fi
release=$("$nvcc" --version | grep -m1 '^Cuda compilation tools')
mkdir -p "$fresh"
for name; do
	[ -f "$committed/$name.ptx" ] || continue
	was=$(version_line "$committed/$name.ptx")
	if [ "$was" != "// $release" ]; then
		untold="$untold $name"
		other=${was#// }
		continue
	fi
	# shellcheck disable=SC2086 # a list of flags
	"$nvcc" ${NVCC_PTX_FLAGS:-} -o "$fresh/$name.ptx" "kernels/$name.cu"
	if cmp -s "$fresh/$name.ptx" "$committed/$name.ptx"; then
		same=$((same + 1))
	else
		echo "check-ptx: $committed/$name.ptx is not what kernels/$name.cu gives:" \
			"run 'make ptx' and commit it" >&2
		diff -u "$committed/$name.ptx" "$fresh/$name.ptx" | head -20 >&2 || true
		status=1
	fi
done
if [ -n "$untold" ]; then
	echo "ptx: not compared, written by another nvcc ($other; here: $release):$untold"
fi
[ "$status" -ne 0 ] || echo "ptx: $same of $# committed files compared with their sources, all the same"
exit "$status"
