#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/cuda.sh - find the CUDA toolkit. Prints NAME=VALUE words for the Makefile, one a line.
#
# Looked at in this order, the first with cuda.h or nvcc wins: $CUDA_HOME, nvcc on the PATH, /usr/local/cuda.
# CUDA_HOME=none: no toolkit, whatever is installed.
#   CUDA_ROOT      the toolkit's folder
#   CUDA_VERSION   13.0, from cuda.h
#   CUDA_INCLUDES  folders with cuda.h and CUPTI's headers, colon-separated; only when the CUDA device can be built
#   NVCC           compiler of the kernels
#   CUOBJDUMP      disassembler of the images
#   CUDA_LACKS     why the CUDA device cannot be built, with ~ for blanks
set -eu

lacks=""

say()
{
	case $2 in
	*[[:space:]]*) echo "cuda.sh: $2: a path with blanks is not supported" >&2 ;;
	?*) echo "$1=$2" ;;
	esac
}

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

# toolkit_of NVCC: the folder above the bin/ it is in, links resolved
toolkit_of()
{
	real=$(readlink -f "$1") || return 0
	dirname "$(dirname "$real")"
}

is_toolkit()
{
	[ -x "$1/bin/nvcc" ] || [ -f "$1/include/cuda.h" ] || [ -f "$1/targets/x86_64-linux/include/cuda.h" ]
}

root=""
path_nvcc=$(command -v nvcc 2>/dev/null || true)
case ${CUDA_HOME:-} in
none)
	say CUDA_LACKS switched~off~by~CUDA_HOME=none
	exit 0
	;;
"") ;;
*)
	if is_toolkit "$CUDA_HOME"; then
		root=$CUDA_HOME
	else
		echo "cuda.sh: CUDA_HOME=$CUDA_HOME holds neither bin/nvcc nor include/cuda.h; looking elsewhere" >&2
	fi
	;;
esac
if [ -z "$root" ] && [ -n "$path_nvcc" ]; then
	root=$(toolkit_of "$path_nvcc")
	is_toolkit "$root" || root=""
fi
if [ -z "$root" ] && is_toolkit /usr/local/cuda; then
	root=/usr/local/cuda
fi
if [ -z "$root" ]; then
	say CUDA_LACKS no~CUDA~toolkit~in~CUDA_HOME,~by~nvcc~on~the~PATH,~or~in~/usr/local/cuda
	exit 0
fi

say CUDA_ROOT "$root"
say NVCC "$(first_file "$root/bin/nvcc" "$path_nvcc")"
say CUOBJDUMP "$(first_file "$(command -v cuobjdump 2>/dev/null || true)" "$root/bin/cuobjdump")"

cuda_h=$(first_file "$root/include/cuda.h" "$root"/targets/*/include/cuda.h)
cupti_h=$(first_file "$root/include/cupti_range_profiler.h" "$root"/targets/*/include/cupti_range_profiler.h \
	"$root/extras/CUPTI/include/cupti_range_profiler.h")
host_h=$(first_file "$root/include/cupti_profiler_host.h" "$root"/targets/*/include/cupti_profiler_host.h \
	"$root/extras/CUPTI/include/cupti_profiler_host.h")
if [ -z "$cuda_h" ]; then
	lacks=no~cuda.h~in~$root
elif [ -z "$cupti_h" ] || [ -z "$host_h" ]; then
	lacks="no~CUPTI~Range~Profiler~headers~in~$root,~which~come~with~CUDA~12.6~and~newer"
fi
if [ -n "$cuda_h" ]; then
	number=$(sed -n 's/^#define[[:space:]][[:space:]]*CUDA_VERSION[[:space:]][[:space:]]*\([0-9][0-9]*\).*/\1/p' "$cuda_h")
	[ -z "$number" ] || say CUDA_VERSION "$((number / 1000)).$((number % 1000 / 10))"
fi
if [ -n "$lacks" ]; then
	say CUDA_LACKS "$lacks"
	exit 0
fi
includes=$(dirname "$cuda_h")
cupti=$(dirname "$cupti_h")
[ "$cupti" = "$includes" ] || includes=$includes:$cupti
say CUDA_INCLUDES "$includes"
