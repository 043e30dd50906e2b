// SPDX-License-Identifier: MIT
// kernels/pattern_st.cu - shared stores of 1, 2, 4, 8 and 16 bytes whose lane offsets and mask are data.
//
// bc_st<bits>: one warp (32 threads). Fills shared memory, then each active lane stores words of its own where its
// offset names; request k of the pattern is offset + k * step. One STS a request, each waited for by a load of one
// lane: two stores on their way at once can count a conflict with each other (see docs/toolkits.md, "What the H200
// showed"). Shared memory is then dumped. Counter class st is used by the fill too (its share is the launch with 0
// repetitions), class ld by the waiting and the dump. bc_st<bits>_clock: four warps (128 threads, one a sub-partition),
// each a burst of BC_TIMED_ACCESSES independent stores that ends with a load by one lane (1 wavefront whatever the
// pattern), which shared memory serves after them, so that the clock is read when the stores are done.
#include "bc_kernel.h"
#include "pattern.cuh"

#define BC_ST(width, words, instruction)                                                                         \
	__device__ __forceinline__ void store_##width(bc_u32 addr, const bc_u32 *word)                           \
	{                                                                                                        \
		instruction;                                                                                     \
	}                                                                                                        \
	extern "C" __global__ void bc_st##width(const struct bc_pattern_params given)                            \
	{                                                                                                        \
		const struct bc_pattern_params p = bc_enter<words>(given);                                       \
		const bc_u32 base = bc_window();                                                                 \
		const bc_u32 lane = threadIdx.x;                                                                 \
                                                                                                                 \
		bc_report_window(p, base);                                                                       \
		bc_fill(p);                                                                                      \
		__syncthreads();                                                                                 \
		if (p.mask >> lane & 1u) {                                                                       \
			const bc_u32 first = base + p.offsets[lane];                                             \
			const bc_u32 leader = __ffs(p.mask) - 1;                                                 \
			bc_u32 word[words];                                                                      \
                                                                                                                 \
			_Pragma("unroll 1") for (bc_u32 rep = 0; rep < p.reps; rep++)                            \
			{                                                                                        \
				_Pragma("unroll 1") for (bc_u32 k = 0; k < p.count; k++)                         \
				{                                                                                \
					for (bc_u32 j = 0; j < words; j++)                                       \
						word[j] = bc_store_word(k, lane, j, p.seed);                     \
					store_##width(first + k * p.step, word);                                 \
					bc_wait(bc_load_alone(lane == leader, first & ~3u));                     \
				}                                                                                \
			}                                                                                        \
		}                                                                                                \
		__syncthreads();                                                                                 \
		bc_dump(p);                                                                                      \
	}                                                                                                        \
	extern "C" __global__ void bc_st##width##_clock(const struct bc_pattern_params given)                    \
	{                                                                                                        \
		const struct bc_pattern_params p = bc_enter<words>(given);                                       \
		const bc_u32 base = bc_window();                                                                 \
		const bc_u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;                                  \
		const bool active = p.mask >> lane & 1u;                                                         \
		const bc_u32 first = base + (active ? p.offsets[lane] : 0u);                                     \
		const bc_u32 leader = __ffs(p.mask) - 1;                                                         \
		bc_u32 word[words];                                                                              \
                                                                                                                 \
		bc_fill_zero(p);                                                                                 \
		for (bc_u32 j = 0; j < words; j++)                                                               \
			word[j] = 0;                                                                             \
		_Pragma("unroll 1") for (bc_u32 s = 0; s <= p.nsamples; s++)                                     \
		{                                                                                                \
			__syncthreads();                                                                         \
			if (active) {                                                                            \
				bc_u32 at = first;                                                               \
				const bc_u32 before = bc_clock();                                                \
                                                                                                                 \
				_Pragma("unroll") for (bc_u32 k = 0; k < BC_TIMED_ACCESSES; k++)                 \
				{                                                                                \
					store_##width(at, word);                                                 \
					at = bc_opaque(at + p.step);                                             \
				}                                                                                \
				const bc_u32 after = bc_clock_after(bc_load_alone(lane == leader, first & ~3u)); \
                                                                                                                 \
				if (s > 0 && lane == leader) {                                                   \
					p.samples[(s - 1) * 8 + warp * 2] = before;                              \
					p.samples[(s - 1) * 8 + warp * 2 + 1] = after;                           \
				}                                                                                \
			}                                                                                        \
		}                                                                                                \
	}

BC_ST(8, 1, asm volatile("st.volatile.shared.u8 [%0], %1;" : : "r"(addr), "r"(word[0]) : "memory"))
BC_ST(16, 1, asm volatile("st.volatile.shared.u16 [%0], %1;" : : "r"(addr), "h"((unsigned short)word[0]) : "memory"))
BC_ST(32, 1, asm volatile("st.volatile.shared.u32 [%0], %1;" : : "r"(addr), "r"(word[0]) : "memory"))
BC_ST(64, 2,
      asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};"
		   :
		   : "r"(addr), "r"(word[0]), "r"(word[1])
		   : "memory"))
BC_ST(128, 4,
      asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};"
		   :
		   : "r"(addr), "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])
		   : "memory"))
