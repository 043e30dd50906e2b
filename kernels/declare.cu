// SPDX-License-Identifier: MIT
// kernels/declare.cu - shared memory as it is declared, and how much of it there is.
//
// bc_declare_static_<size>: an array of fixed size. bc_declare_dynamic: what the launch gives, touched once a KB and
// at its last byte; _whole: every word. bc_declare_carve: three arrays cut out of one dynamic buffer.
// bc_declare_private: every block has its own. bc_declare_reuse: what blocks before left there plays no part;
// bc_declare_needs_zeros is the same without its first store: a bug that the reference device must find; no case runs
// it. bc_declare_geometry: what the special registers say. bc_declare_banks: one shared load, class ld.
// bc_declare_resident: blocks of an SM at one time. (Not static: the name of an internal symbol would depend on the
// folder the file is compiled in.)
#include "bc_kernel.h"

extern __shared__ uint4 dynamic[];

static __device__ __forceinline__ bc_u32 *dynamic_words(void)
{
	return reinterpret_cast<bc_u32 *>(dynamic);
}

template <bc_u32 count> __device__ __forceinline__ void use_static(const struct bc_declare_params &p)
{
	__shared__ bc_u32 words[count];
	bc_u32 sum = 0;

	for (bc_u32 i = threadIdx.x; i < count; i += blockDim.x)
		words[i] = bc_fill_word(4 * i, p.seed);
	__syncthreads();
	for (bc_u32 i = threadIdx.x; i < count; i += blockDim.x)
		sum += (i + 1) * words[count - 1 - i];
	p.out[threadIdx.x] = sum;
}

#define BC_DECLARE_STATIC(name, bytes)                                                        \
	extern "C" __global__ void bc_declare_static_##name(const struct bc_declare_params p) \
	{                                                                                     \
		use_static<(bytes) / 4>(p);                                                   \
	}

BC_DECLARE_STATIC(4, 4)
BC_DECLARE_STATIC(1k, 1024)
BC_DECLARE_STATIC(16k, 16 * 1024)
BC_DECLARE_STATIC(32k, 32 * 1024)
BC_DECLARE_STATIC(48k, 48 * 1024)

// Static and dynamic together: both are there, and neither is the other.
extern "C" __global__ void bc_declare_mixed(const struct bc_declare_params p)
{
	__shared__ bc_u32 words[48 * 1024 / 4];
	const bc_u32 n = p.bytes / 4;
	bc_u32 sum = 0;

	for (bc_u32 i = threadIdx.x; i < 48 * 1024 / 4; i += blockDim.x)
		words[i] = bc_fill_word(4 * i, p.seed);
	for (bc_u32 i = threadIdx.x; i < n; i += blockDim.x)
		dynamic_words()[i] = bc_fill_word(4 * i, ~p.seed);
	__syncthreads();
	for (bc_u32 i = threadIdx.x; i < 48 * 1024 / 4; i += blockDim.x)
		sum += (i + 1) * words[48 * 1024 / 4 - 1 - i];
	for (bc_u32 i = threadIdx.x; i < n; i += blockDim.x)
		sum += (i + 1) * dynamic_words()[n - 1 - i];
	p.out[threadIdx.x] = sum;
}

extern "C" __global__ void bc_declare_dynamic(const struct bc_declare_params p)
{
	const bc_u32 n = p.bytes / 1024;
	bc_u32 *words = dynamic_words();
	unsigned char *bytes = reinterpret_cast<unsigned char *>(words);

	for (bc_u32 i = threadIdx.x; i < n; i += blockDim.x)
		words[i * 256] = bc_fill_word(i * 1024, p.seed);
	if (threadIdx.x == 0)
		bytes[p.bytes - 1] = 0xa7;
	__syncthreads();
	for (bc_u32 i = threadIdx.x; i < n; i += blockDim.x)
		p.out[i] = words[(n - 1 - i) * 256];
	if (threadIdx.x == 1)
		p.out[n] = bytes[p.bytes - 1];
}

extern "C" __global__ void bc_declare_dynamic_whole(const struct bc_declare_params p)
{
	const bc_u32 n = p.bytes / 4;
	bc_u32 *words = dynamic_words();
	bc_u32 sum = 0;

	for (bc_u32 i = threadIdx.x; i < n; i += blockDim.x)
		words[i] = bc_fill_word(4 * i, p.seed);
	__syncthreads();
	for (bc_u32 i = threadIdx.x; i < n; i += blockDim.x)
		sum += (i + 1) * words[n - 1 - i];
	p.out[threadIdx.x] = sum;
}

static __device__ __forceinline__ bc_u32 align_up(bc_u32 at, bc_u32 to)
{
	return (at + to - 1) / to * to;
}

// @count elements each: bytes, then doubles, then vectors of 16 bytes, each where its alignment lets it start.
extern "C" __global__ void bc_declare_carve(const struct bc_declare_params p)
{
	const bc_u32 t = threadIdx.x, n = p.count, doubles_at = align_up(n, sizeof(double));
	const bc_u32 vectors_at = align_up(doubles_at + n * (bc_u32)sizeof(double), sizeof(uint4));
	unsigned char *bytes = reinterpret_cast<unsigned char *>(dynamic);
	double *doubles = reinterpret_cast<double *>(bytes + doubles_at);
	uint4 *vectors = reinterpret_cast<uint4 *>(bytes + vectors_at);

	if (t < n) {
		const bc_u32 word = bc_fill_word(4 * t, p.seed);

		bytes[t] = (unsigned char)word;
		doubles[t] = (double)word;
		vectors[t] = make_uint4(word, word + 1, word + 2, word + 3);
	}
	__syncthreads();
	if (t < n) {
		const uint4 v = vectors[n - 1 - t];

		p.out[6 * t] = bytes[n - 1 - t];
		p.out[6 * t + 1] = (bc_u32)doubles[n - 1 - t];
		p.out[6 * t + 2] = v.x;
		p.out[6 * t + 3] = v.y;
		p.out[6 * t + 4] = v.z;
		p.out[6 * t + 5] = v.w;
	}
}

// Every block writes the same places, again and again, and must always find its own there.
extern "C" __global__ void bc_declare_private(const struct bc_declare_params p)
{
	const bc_u32 t = threadIdx.x, n = blockDim.x;
	bc_u32 *words = dynamic_words();
	bc_u32 foreign = 0;

#pragma unroll 1
	for (bc_u32 k = 0; k < p.count; k++) {
		words[t] = bc_store_word(k, blockIdx.x, 0, p.seed) + t;
		__syncthreads();
		foreign += words[n - 1 - t] != bc_store_word(k, blockIdx.x, 0, p.seed) + n - 1 - t;
		__syncthreads();
	}
	p.out[blockIdx.x * n + t] = foreign;
}

template <bool first_store> __device__ __forceinline__ void count_up(const struct bc_declare_params &p)
{
	volatile bc_u32 *words = dynamic_words();
	const bc_u32 t = threadIdx.x;

	if (first_store)
		words[t] = 0;
#pragma unroll 1
	for (bc_u32 k = 0; k < p.count; k++)
		words[t] = words[t] + t + k;
	p.out[blockIdx.x * blockDim.x + t] = words[t];
	words[t] = 0xdeadbeef; // for the blocks that come here next
}

extern "C" __global__ void bc_declare_reuse(const struct bc_declare_params p)
{
	count_up<true>(p);
}

extern "C" __global__ void bc_declare_needs_zeros(const struct bc_declare_params p)
{
	count_up<false>(p);
}

extern "C" __global__ void bc_declare_geometry(const struct bc_declare_params p)
{
	if (threadIdx.x == 0) {
		bc_u32 size;

		asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
		p.out[0] = (bc_u32)__cvta_generic_to_shared(dynamic);
		p.out[1] = size;
		p.out[2] = warpSize;
	}
}

// @count: words from lane to lane.
extern "C" __global__ void bc_declare_banks(const struct bc_declare_params p)
{
	bc_u32 *words = dynamic_words();

	for (bc_u32 i = threadIdx.x; i < p.bytes / 4; i += blockDim.x)
		words[i] = bc_fill_word(4 * i, p.seed);
	__syncthreads();
	p.out[threadIdx.x] = words[threadIdx.x * p.count];
}

// Each block counts itself in and out of its SM and stays some microseconds. `out`: [SM] now, `most`: [SM] the most at
// a time.
extern "C" __global__ void bc_declare_resident(const struct bc_declare_params p)
{
	if (threadIdx.x == 0) {
		bc_u32 sm, now;

		asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
		sm %= BC_DECLARE_SMS;
		now = atomicAdd(&p.out[sm], 1u) + 1;
		atomicMax(&p.most[sm], now);
#pragma unroll 1
		for (bc_u32 i = 0; i < p.count; i++)
			asm volatile("nanosleep.u32 2000;" : : : "memory");
		atomicSub(&p.out[sm], 1u);
		atomicAdd(&p.most[BC_DECLARE_SMS], 1u);
	}
	__syncthreads();
}
