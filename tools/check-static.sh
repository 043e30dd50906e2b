#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-static.sh NVCC DIR - does the compiler hold to the limit of 48 KB of static shared memory?
#
# A kernel with 49,152 bytes must compile to machine code, one with a word more must not: the limit is ptxas's, the
# driver's is laxer, so no launch can test it. Files are written to DIR. NVCC is empty when there is none: not compared.
set -eu

[ $# -eq 2 ] || {
	echo "usage: $0 NVCC DIR" >&2
	exit 3
}
nvcc=$1
dir=$2

if [ -z "$nvcc" ]; then
	echo "static: the limit of 48 KB was not compared: no nvcc found"
	exit 0
fi
mkdir -p "$dir"

# compiles WORDS: is there machine code for a kernel with so many words of static shared memory? What is said: $dir/log
compiles()
{
	cat >"$dir/static.cu" <<EOF
extern "C" __global__ void f(unsigned *out)
{
	__shared__ unsigned words[$1];

	for (unsigned i = threadIdx.x; i < $1; i += blockDim.x)
		words[i] = out[i];
	__syncthreads();
	out[threadIdx.x] = words[$1 - 1 - threadIdx.x];
}
EOF
	"$nvcc" -cubin -o "$dir/static.cubin" "$dir/static.cu" >"$dir/log" 2>&1
}

if ! compiles 12288; then
	echo "check-static: 49,152 bytes of static shared memory do not compile:" >&2
	cat "$dir/log" >&2
	exit 1
fi
if compiles 12289; then
	echo "check-static: 49,156 bytes of static shared memory compile, the limit is 49,152" >&2
	exit 1
fi
if ! grep -q 'too much shared data' "$dir/log"; then
	echo "check-static: 49,156 bytes of static shared memory are refused, but not for that:" >&2
	cat "$dir/log" >&2
	exit 1
fi
echo "static: 49,152 bytes of static shared memory compile, 49,156 do not"
