// SPDX-License-Identifier: MIT
// Plain kernels with control flow that lanes take apart; test_ptx_control.c says on the host what each computes.
// programs_90.ptx, programs_100.ptx (the two dialects): nvcc 13.0 -arch=compute_NN -ptx programs.cu
#include <cstdint>

extern "C" {

__constant__ int table[8] = { 1, -2, 3, -4, 5, -6, 7, -8 };
__device__ unsigned total = 100;

// Loops with break and continue, a switch, an early return out of a nested loop.
__global__ void control(const int *in, int *out, unsigned n)
{
	const unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
	int acc = 0;

	if (i >= n)
		return;
	for (int k = 0; k < in[i]; k++) {
		if (k == 5)
			continue;
		if (k > 40)
			break;
		switch (k % 7) {
		case 0: acc += 1; break;
		case 1: acc *= 3; break;
		case 2: acc -= k; break;
		case 3: acc ^= 0x55; break;
		case 4: acc += in[(i + k) % n]; break;
		case 5: acc = (int)((unsigned)acc << 1); break;
		default: acc = ~acc;
		}
		for (int j = 0; j < (k & 3); j++) {
			if ((acc + j) % 5 == 0) {
				acc += j;
				if (acc & 1)
					break;
			} else {
				acc -= 1;
			}
			if (acc > 100000) {
				out[i] = -1;
				return;
			}
		}
	}
	out[i] = acc;
}

// A local array indexed by data, and a constant table.
__global__ void locals(const int *in, int *out, unsigned n)
{
	const unsigned i = threadIdx.x;
	int buf[16], r = 0;

	for (int k = 0; k < 16; k++)
		buf[k] = in[(i + k) % n];
	for (int k = 0; k < 16; k++) {
		const int j = (in[i] + k) & 15, t = buf[k];

		buf[k] = buf[j];
		buf[j] = t;
	}
	for (int k = 0; k < 16; k++)
		r = r * 31 + buf[(k * in[i]) & 15];
	out[i] = r + table[i & 7];
}

// A lock that the lanes of a warp take from one another.
__global__ void lock(const int *in, int *out, unsigned n)
{
	__shared__ int held, count;
	bool done = false;

	if (threadIdx.x == 0)
		held = count = 0;
	__syncthreads();
	while (!done) {
		if (atomicCAS(&held, 0, 1) == 0) {
			*(volatile int *)&count = *(volatile int *)&count + in[threadIdx.x % n];
			__threadfence_block();
			atomicExch(&held, 0);
			done = true;
		}
	}
	__syncthreads();
	out[threadIdx.x] = count;
}

// Sum of a block: shuffles, then shared memory; then one atomic for the grid.
__global__ void reduce(const int *in, int *out, unsigned n)
{
	__shared__ int part[32];
	const unsigned i = threadIdx.x + blockIdx.x * blockDim.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	int v = i < n ? in[i] : 0;

	for (int d = 16; d > 0; d >>= 1)
		v += __shfl_down_sync(0xffffffffu, v, d);
	if (lane == 0)
		part[warp] = v;
	__syncthreads();
	if (warp == 0) {
		v = lane < blockDim.x / 32 ? part[lane] : 0;
		for (int d = 16; d > 0; d >>= 1)
			v += __shfl_xor_sync(0xffffffffu, v, d);
		if (lane == 0) {
			out[blockIdx.x] = v;
			atomicAdd(&total, (unsigned)v);
		}
	}
}

// Votes, matches and shuffles among the lanes of one branch.
__global__ void votes(const int *in, int *out, unsigned n)
{
	const unsigned i = threadIdx.x;
	const int v = in[i % n];
	int r = 0;

	if (v & 1) {
		const unsigned m = __activemask();

		r = (int)(__ballot_sync(m, v > 10) ^ __match_any_sync(m, v & 6)) + __shfl_sync(m, v, __ffs(m) - 1);
		__syncwarp(m);
	} else {
		r = __shfl_up_sync(__activemask(), v, 0) * 3;
	}
	__syncwarp();
	out[i] = r + __popc(__ballot_sync(0xffffffffu, v > 0));
}

// Half of the warps fill a buffer, the other half empty it: named barriers with thread counts.
__global__ void pipe(const int *in, int *out, unsigned n)
{
	__shared__ int buf[64];
	const unsigned t = threadIdx.x & 63;

	if (threadIdx.x < 64) {
		for (unsigned k = 0; k < n; k++) {
			asm volatile("bar.sync 1, 128;" ::: "memory");
			buf[t] = in[t] * (int)(k + 1);
			asm volatile("bar.arrive 2, 128;" ::: "memory");
		}
	} else {
		int sum = 0;

		for (unsigned k = 0; k < n; k++) {
			asm volatile("bar.arrive 1, 128;" ::: "memory");
			asm volatile("bar.sync 2, 128;" ::: "memory");
			sum += buf[63 - t];
		}
		out[t] = sum;
	}
}

// Barriers with reductions.
__global__ void counts(const int *in, int *out, unsigned n)
{
	const int v = in[threadIdx.x % n];

	out[threadIdx.x] = __syncthreads_count(v > 3) * 4 + __syncthreads_and(v > 0) * 2 + __syncthreads_or(v > 100);
}

// One lane an element of a structure with fields of all sizes.
struct mixed {
	double d;
	int i;
	short h;
	signed char c;
};

__global__ void fields(const struct mixed *in, struct mixed *out, unsigned n)
{
	struct mixed s = in[threadIdx.x % n];

	s.d *= 2;
	s.i += s.h;
	s.h = (short)-s.h;
	s.c = (signed char)(s.c + 100);
	out[threadIdx.x] = s;
}

// The last block to finish sums what all blocks wrote.
__global__ void last(const int *in, int *out, unsigned n)
{
	__shared__ bool is_last;
	const unsigned i = threadIdx.x + blockIdx.x * blockDim.x;

	if (i < n)
		out[1 + i] = in[i] * 2;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		is_last = atomicInc((unsigned *)&out[0], gridDim.x - 1) == gridDim.x - 1;
	__syncthreads();
	if (is_last && threadIdx.x == 0) {
		int sum = 0;

		for (unsigned k = 0; k < n; k++)
			sum += *(volatile int *)&out[1 + k];
		out[1 + n] = sum;
	}
}
}
