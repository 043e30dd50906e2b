// SPDX-License-Identifier: MIT
// kernels/tma.cu - boxes of a tensor by cp.async.bulk.tensor to shared memory, and back. One block of one warp.
//
// bc_tma_load_<n>d: shared memory is filled, lane 0 starts the copy of a box, all lanes ask the barrier, at most
// p.tries times, whether its bytes are there, and shared memory is dumped.
// bc_tma_store_<n>d, bc_tma_reduce_<op>: shared memory is filled, lane 0 sends a box to the tensor and waits until it
// is written. Nothing is dumped: the tensor is what is looked at.
// bc_tma_read<bits>, bc_tma_ldsm4: after a load in two dimensions p.count requests read the tile at given offsets. The
// first are generic loads (LD), which move the wavefront and conflict counters of class ld and no request counter, for
// an mbarrier moves that too; bc_tma_ldsm4: LDSM.
#include "bc_kernel.h"

#if __CUDACC_VER_MAJOR__ >= 12 // PTX ISA 8.0
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define LANES 32u

extern __shared__ __align__(1024) unsigned char window[];

__device__ __forceinline__ bc_u32 window_base()
{
	return (bc_u32)__cvta_generic_to_shared(window);
}

enum fill { NOT, BY_SEED, BY_SOURCE };

// Its words, and the barrier behind them. What lanes write is seen by the copies that follow.
template <enum fill how> __device__ __forceinline__ bc_u32 enter(const struct bc_tma_params &p)
{
	const bc_u32 base = window_base(), barrier = base + 4 * p.words;

	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(barrier) : "memory");
		p.info[0] = base;
	}
	for (bc_u32 i = threadIdx.x; how != NOT && i < p.words; i += LANES)
		*reinterpret_cast<bc_u32 *>(window + 4 * i) =
			how == BY_SOURCE ? p.source[i] : bc_fill_word(4 * i, p.seed);
	asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
	__syncthreads();
	return barrier;
}

__device__ __forceinline__ void expect(bc_u32 barrier, bc_u32 bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(barrier), "r"(bytes) : "memory");
}

// Have its bytes come?
__device__ __forceinline__ bc_u32 wait(const struct bc_tma_params &p, bc_u32 barrier)
{
	bc_u32 done = 0;

	for (bc_u32 i = 0; i < p.tries && !done; i++)
		asm volatile("{\n\t.reg .pred q;\n\tmbarrier.test_wait.parity.shared::cta.b64 q, [%1], 0;\n\t"
			     "selp.u32 %0, 1, 0, q;\n\t}"
			     : "=r"(done)
			     : "r"(barrier)
			     : "memory");
	return done;
}

#define MAP(p) (reinterpret_cast<bc_u64>(&(p).map[0]))

// COORDINATES: the last operands of the asm statement, %3 up.
#define LOAD(rank, names, ...)                                                                                  \
	__device__ __forceinline__ void load_##rank(const struct bc_tma_params &p, bc_u32 tile, bc_u32 barrier) \
	{                                                                                                       \
		asm volatile("cp.async.bulk.tensor." #rank ".shared::cluster.global.tile"                       \
			     ".mbarrier::complete_tx::bytes [%0], [%1, {" names "}], [%2];"                     \
			     :                                                                                  \
			     : "r"(tile), "l"(MAP(p)), "r"(barrier), __VA_ARGS__                                \
			     : "memory");                                                                       \
	}                                                                                                       \
	extern "C" __global__ void bc_tma_load_##rank(const __grid_constant__ struct bc_tma_params p)           \
	{                                                                                                       \
		const bc_u32 barrier = enter<BY_SEED>(p);                                                       \
                                                                                                                \
		if (threadIdx.x == 0) {                                                                         \
			expect(barrier, p.bytes);                                                               \
			load_##rank(p, window_base() + p.tile, barrier);                                        \
		}                                                                                               \
		const bc_u32 done = wait(p, barrier);                                                           \
                                                                                                                \
		__syncthreads();                                                                                \
		for (bc_u32 i = threadIdx.x; i < p.words; i += LANES)                                           \
			p.out[i] = *reinterpret_cast<bc_u32 *>(window + 4 * i);                                 \
		if (threadIdx.x == 0)                                                                           \
			p.info[1] = done;                                                                       \
	}

LOAD(1d, "%3", "r"(p.at[0]))
LOAD(2d, "%3, %4", "r"(p.at[0]), "r"(p.at[1]))
LOAD(3d, "%3, %4, %5", "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]))
LOAD(4d, "%3, %4, %5, %6", "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]))
LOAD(5d, "%3, %4, %5, %6, %7", "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]), "r"(p.at[4]))

// What goes to the tensor is there when the kernel goes on.
#define SEND(name, instruction, names, ...)                                                                   \
	extern "C" __global__ void bc_tma_##name(const __grid_constant__ struct bc_tma_params p)              \
	{                                                                                                     \
		(void)enter<BY_SOURCE>(p);                                                                    \
		if (threadIdx.x == 0)                                                                         \
			asm volatile(instruction ".tile.bulk_group [%0, {" names "}], [%1];\n\t"              \
						 "cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" \
				     :                                                                        \
				     : "l"(MAP(p)), "r"(window_base() + p.tile), __VA_ARGS__                  \
				     : "memory");                                                             \
	}
#define STORE(rank, names, ...) \
	SEND(store_##rank, "cp.async.bulk.tensor." #rank ".global.shared::cta", names, __VA_ARGS__)
#define REDUCE(op)                                                                                          \
	SEND(reduce_##op, "cp.reduce.async.bulk.tensor.2d.global.shared::cta." #op, "%2, %3", "r"(p.at[0]), \
	     "r"(p.at[1]))

STORE(1d, "%2", "r"(p.at[0]))
STORE(2d, "%2, %3", "r"(p.at[0]), "r"(p.at[1]))
STORE(3d, "%2, %3, %4", "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]))
STORE(4d, "%2, %3, %4, %5", "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]))
STORE(5d, "%2, %3, %4, %5, %6", "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]), "r"(p.at[4]))

REDUCE(add)
REDUCE(min)
REDUCE(max)
REDUCE(inc)
REDUCE(dec)
REDUCE(and)
REDUCE(or)
REDUCE(xor)

// The barrier is waited for; then the requests, whose words go to p.out.
#define READ(name, width, instruction)                                                            \
	extern "C" __global__ void bc_tma_##name(const __grid_constant__ struct bc_tma_params p)  \
	{                                                                                         \
		const bc_u32 barrier = enter<NOT>(p), lane = threadIdx.x, shared = window_base(); \
		/* The compiler may not know that it is shared memory. */                         \
		const size_t generic = p.count ? (size_t)window : (size_t)p.offsets;              \
                                                                                                  \
		if (lane == 0) {                                                                  \
			expect(barrier, p.bytes);                                                 \
			load_2d(p, shared + p.tile, barrier);                                     \
		}                                                                                 \
		const bc_u32 done = wait(p, barrier);                                             \
                                                                                                  \
		__syncthreads();                                                                  \
		_Pragma("unroll 1") for (bc_u32 k = 0; k < p.count; k++)                          \
		{                                                                                 \
			const bc_u32 offset = p.offsets[k * LANES + lane];                        \
			bc_u32 word[width];                                                       \
                                                                                                  \
			instruction;                                                              \
			for (bc_u32 j = 0; j < width; j++)                                        \
				p.out[(k * LANES + lane) * width + j] = word[j];                  \
		}                                                                                 \
		if (lane == 0)                                                                    \
			p.info[1] = done;                                                         \
		(void)generic;                                                                    \
	}

READ(read32, 1, asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(word[0]) : "l"(generic + offset) : "memory"))
READ(read64, 2,
     asm volatile("ld.volatile.v2.u32 {%0, %1}, [%2];"
		  : "=r"(word[0]), "=r"(word[1])
		  : "l"(generic + offset)
		  : "memory"))
READ(read128, 4,
     asm volatile("ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];"
		  : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
		  : "l"(generic + offset)
		  : "memory"))
READ(ldsm4, 4,
     asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		  : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
		  : "r"(shared + offset)
		  : "memory"))
#else
// An architecture that lacks what the kernels do: no case runs them there.
#define NOTHING(name)                                                          \
	extern "C" __global__ void bc_tma_##name(const struct bc_tma_params p) \
	{                                                                      \
		(void)p;                                                       \
	}

NOTHING(load_1d)
NOTHING(load_2d)
NOTHING(load_3d)
NOTHING(load_4d)
NOTHING(load_5d)
NOTHING(store_1d)
NOTHING(store_2d)
NOTHING(store_3d)
NOTHING(store_4d)
NOTHING(store_5d)
NOTHING(reduce_add)
NOTHING(reduce_min)
NOTHING(reduce_max)
NOTHING(reduce_inc)
NOTHING(reduce_dec)
NOTHING(reduce_and)
NOTHING(reduce_or)
NOTHING(reduce_xor)
NOTHING(read32)
NOTHING(read64)
NOTHING(read128)
NOTHING(ldsm4)
#endif
#endif
