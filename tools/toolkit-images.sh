#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/toolkit-images.sh RELEASE HOME OUT KERNEL.cu... - kernel images by NVRTC and ptxas of one CUDA release.
#
# HOME holds the release's libnvrtc, ptxas and runtime headers: a toolkit's folder, or what tools/toolkits.sh made. From
# 11.8 on this works for each release, with nvcc or without. OUT becomes what `bankcheck run --kernels OUT` takes:
#   NAME.fatbin, NAME.code   machine code for each architecture, and PTX for 75 and 90; what instructions they have
#   ptx/NAME.ptx             for the reference device
#   toolkit                  what made them: "release 12.4", "route nvrtc" ...
# From the environment:
#   ARCHS                architectures, as "80 90"; empty: 70 and all from 75 up that the release makes
#   NVRTC_COMPILE        the program made of tools/nvrtc-compile.c
#   FATBINARY            packs the images: of any CUDA 13 (the packages of 12 have none)
#   CUOBJDUMP, NVDISASM  for the lists; one release's for all images, so that lists can be compared. May be empty.
set -eu

[ $# -ge 4 ] || {
	echo "usage: $0 RELEASE HOME OUT KERNEL.cu..." >&2
	exit 3
}
release=$1
home=$2
out=$3
shift 3

# need WORDS PATH...: the first path that is a file, or the end
need()
{
	what=$1
	shift
	for file; do
		if [ -f "$file" ]; then
			echo "$file"
			return 0
		fi
	done
	echo "toolkit-images: $release=$home: no $what there" >&2
	exit 1
}

nvrtc=$(need libnvrtc.so "$home"/lib/libnvrtc.so.[0-9]* "$home"/lib64/libnvrtc.so.[0-9]* \
	"$home"/targets/*/lib/libnvrtc.so.[0-9]* "$home"/cuda_nvrtc/lib/libnvrtc.so.[0-9]* \
		"$home"/cu1?/lib/libnvrtc.so.[0-9]*)
ptxas=$(need ptxas "$home/bin/ptxas" "$home/cuda_nvcc/bin/ptxas" "$home"/cu1?/bin/ptxas)
pipeline=$(need cuda_pipeline.h "$home/include/cuda_pipeline.h" "$home"/targets/*/include/cuda_pipeline.h \
	"$home/cuda_runtime/include/cuda_pipeline.h" "$home"/cu1?/include/cuda_pipeline.h)
[ -n "${FATBINARY:-}" ] || {
	echo "toolkit-images: no fatbinary to pack the images with: name one of CUDA 13 (FATBINARY=...)," \
			"or a toolkit that" \
		"has it among TOOLKITS" >&2
	exit 1
}

# nvcc's headers in a package of CUDA 13 include what is of one more folder.
include=$(dirname "$pipeline")
known=$("$NVRTC_COMPILE" "$nvrtc" --list)
says=$(echo "$known" | head -n 1)
[ "$says" = "$(echo "$release" | cut -d. -f1,2)" ] || {
	echo "toolkit-images: $release=$home: its libnvrtc is of CUDA $says" >&2
	exit 1
}
known=$(echo "$known" | sed 1d)
archs=""
for arch in ${ARCHS:-$known}; do
	if ! echo "$known" | grep -qx "$arch"; then
		echo "toolkit-images: CUDA $release makes no code for sm_$arch: left out" >&2
	elif [ -n "${ARCHS:-}" ] || [ "$arch" -eq 70 ] || [ "$arch" -ge 75 ]; then
		archs="$archs $arch"
	fi
done
[ -n "$archs" ] || {
	echo "toolkit-images: no architecture is left for CUDA $release" >&2
	exit 1
}

# Everything is made in a folder of its own, which takes OUT's place when it is whole.
work=$out.new
rm -rf "$work"
mkdir -p "$work/ptx" "$work/parts"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

ptx_archs=""
for arch in 75 90; do
	! echo "$known" | grep -qx "$arch" || ptx_archs="$ptx_archs $arch"
done
for source; do
	name=$(basename "$source" .cu)
	stem=$work/parts/$name
	# shellcheck disable=SC2046,SC2086 # lists of words
	"$NVRTC_COMPILE" "$nvrtc" "$source" "$stem" $(printf '%s\n' $archs $ptx_archs | sort -n -u) -- \
		--std=c++17 -I"$(dirname "$source")" -I"$include"
	images=""
	cubins=""
	for arch in $archs; do
		"$ptxas" -O3 -arch="sm_$arch" -o "$stem.sm_$arch.cubin" "$stem.compute_$arch.ptx"
		images="$images --image3=kind=elf,sm=$arch,file=$stem.sm_$arch.cubin"
		cubins="$cubins $stem.sm_$arch.cubin"
	done
	for arch in $ptx_archs; do
		images="$images --image3=kind=ptx,sm=$arch,file=$stem.compute_$arch.ptx"
		cp "$stem.compute_$arch.ptx" "$work/ptx/$name.ptx"
	done
	# shellcheck disable=SC2086
	"$FATBINARY" -64 --create="$work/$name.fatbin" $images
	if [ -n "${CUOBJDUMP:-}${NVDISASM:-}" ]; then
		# shellcheck disable=SC2086
		"$(dirname "$0")/code-list.sh" "${CUOBJDUMP:-}" "${NVDISASM:-}" "$work/$name.fatbin" $cubins \
			>"$work/$name.code"
	fi
done
rm -rf "$work/parts"
[ -n "${CUOBJDUMP:-}${NVDISASM:-}" ] ||
	echo "toolkit-images: no cuobjdump and no nvdisasm: no lists of instructions" >&2
version()
{
	"$1" --version | sed -n 's/^Cuda compilation tools.* V\([0-9.]*\).*/\1/p'
}
"$(dirname "$0")/toolkit-file.sh" "$work" release "$says" route nvrtc ptxas "$(version "$ptxas")" \
	fatbinary "$(version "$FATBINARY")" archs "$(echo "$archs" | sed 's/^ //')"
rm -rf "$out"
mv "$work" "$out"
trap - EXIT
echo "$out: CUDA $says by NVRTC and ptxas, for$archs"
