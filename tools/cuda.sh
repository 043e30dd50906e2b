#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/cuda.sh - find the CUDA toolkit. Prints NAME=VALUE words for the Makefile, one a line.
#
# CUDA_HOME decides alone when it is set: nothing is looked for elsewhere, and nothing of another toolkit is mixed in.
# Otherwise the first of: nvcc on the PATH, /usr/local/cuda, the newest /usr/local/cuda-*, /opt/cuda. CUDA_HOME=none: no
# toolkit, whatever is installed.
#
# A toolkit is a folder with bin/ and include/ (or targets/*/include), as NVIDIA and distributions install it; or the
# folder `nvidia` of a Python environment, whose packages lie side by side (CUDA 12: cuda_nvcc, cuda_cupti ...) or
# in one folder (CUDA 13: cu13).
#   CUDA_ROOT      the toolkit's folder
#   CUDA_VERSION   13.0, from cuda.h
#   CUDA_INCLUDES  folders with cuda.h and CUPTI's headers, colon-separated; only when the CUDA device can be built
#   NVCC           compiler of the kernels
#   PTXAS          its assembler
#   CUOBJDUMP, NVDISASM  disassemblers
#   LIBCUPTI       CUPTI, for what it tells without a GPU
#   CUDA_LACKS     why the CUDA device cannot be built, with ~ for blanks
#   NVCC_LACKS     why no kernels can be built
set -eu

say()
{
	case $2 in
	*[[:space:]]*) echo "cuda.sh: $2: a path with blanks is not supported" >&2 ;;
	?*) echo "$1=$2" ;;
	esac
}

# first_file FILE...: the first that is one; nothing when none is
first_file()
{
	for f; do
		if [ -f "$f" ]; then
			echo "$f"
			return 0
		fi
	done
	return 0
}

# program ROOT NAME: a program of the toolkit, in whichever of its folders
program()
{
	first_file "$1/bin/$2" "$1"/cuda_"$2"/bin/"$2"
}

# header ROOT NAME
header()
{
	first_file "$1/include/$2" "$1"/targets/*/include/"$2" "$1/extras/CUPTI/include/$2" \
		"$1/cuda_runtime/include/$2" "$1/cuda_cupti/include/$2"
}

# A folder `nvidia` of CUDA 13's Python packages holds the toolkit in cu13; every other one is it.
home_of()
{
	newest=$(printf '%s\n' "$1"/cu[0-9]*/ | LC_ALL=C sort -V | tail -n 1)
	if [ -z "$(header "$1" cuda.h)" ] && [ -d "$newest" ]; then
		echo "${newest%/}"
	else
		echo "$1"
	fi
}

is_toolkit()
{
	[ -n "$(program "$1" nvcc)" ] || [ -n "$(header "$1" cuda.h)" ]
}

# found: the folder of the toolkit when CUDA_HOME is not set
found()
{
	nvcc=$(command -v nvcc 2>/dev/null || true)
	[ -z "$nvcc" ] || nvcc=$(readlink -f "$nvcc")
	newest=$(printf '%s\n' /usr/local/cuda-[0-9]*/ | LC_ALL=C sort -V | tail -n 1)
	for root in ${nvcc:+"${nvcc%/bin/*}"} /usr/local/cuda "${newest%/}" /opt/cuda; do
		if is_toolkit "$root"; then
			echo "$root"
			return 0
		fi
	done
	return 0
}

lack_all()
{
	say CUDA_LACKS "$1"
	say NVCC_LACKS "$1"
	exit 0
}

case ${CUDA_HOME:-} in
none) lack_all switched~off~by~CUDA_HOME=none ;;
"")
	root=$(found)
	[ -n "$root" ] || lack_all no~CUDA~toolkit~in~CUDA_HOME,~by~nvcc~on~the~PATH,~or~in~/usr/local/cuda
	;;
*[[:space:]]*) lack_all CUDA_HOME~is~a~path~with~blanks ;;
*)
	[ -d "$CUDA_HOME" ] || lack_all "CUDA_HOME=$CUDA_HOME~is~no~folder"
	root=$(home_of "$(cd "$CUDA_HOME" && pwd)")
	is_toolkit "$root" || lack_all "CUDA_HOME=$CUDA_HOME~holds~no~toolkit~(neither~bin/nvcc~nor~include/cuda.h)"
	;;
esac

nvcc=$(program "$root" nvcc)
cuda_h=$(header "$root" cuda.h)
cupti_h=$(header "$root" cupti_range_profiler.h)
host_h=$(header "$root" cupti_profiler_host.h)
say CUDA_ROOT "$root"
say NVCC "$nvcc"
[ -n "$nvcc" ] || say NVCC_LACKS "no~nvcc~in~$root"
say PTXAS "$(first_file "$(program "$root" ptxas)" "$root/cuda_nvcc/bin/ptxas")"
say LIBCUPTI "$(first_file "$root"/lib64/libcupti.so.1[23] "$root"/targets/*/lib/libcupti.so.1[23] \
	"$root"/extras/CUPTI/lib64/libcupti.so.1[23] "$root"/lib/libcupti.so.1[23] \
		"$root"/cuda_cupti/lib/libcupti.so.1[23])"
say CUOBJDUMP "$(program "$root" cuobjdump)"
say NVDISASM "$(program "$root" nvdisasm)"
if [ -n "$cuda_h" ]; then
	number=$(awk '$1 == "#define" && $2 == "CUDA_VERSION" { sub(/[^0-9].*/, "", $3); print $3 }' "$cuda_h")
	[ -z "$number" ] || say CUDA_VERSION "$((number / 1000)).$((number % 1000 / 10))"
fi
if [ -z "$cuda_h" ]; then
	say CUDA_LACKS "no~cuda.h~in~$root"
elif [ -z "$cupti_h" ] || [ -z "$host_h" ]; then
	say CUDA_LACKS \
		"no~cupti_range_profiler.h~in~$root:~CUPTI~is~not~installed,~or~older~than~CUDA~12.6~Update~2"
else
	includes=$(dirname "$cuda_h")
	cupti=$(dirname "$cupti_h")
	[ "$cupti" = "$includes" ] || includes=$includes:$cupti
	say CUDA_INCLUDES "$includes"
fi
