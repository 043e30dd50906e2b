// SPDX-License-Identifier: MIT
// kernels/pattern_ld.cu - shared loads of 1, 2, 4, 8 and 16 bytes whose lane offsets and mask are data.
//
// bc_ld<bits>: one warp (32 threads). Fills shared memory, then each active lane loads what its offset names;
// request k of the pattern is offset + k * step. One LDS a request (`.volatile`, so that none is merged).
// Counter class ld is used by nothing else, class st by the fill.
// bc_ld<bits>_clock: one warp, a chain of BC_TIMED_ACCESSES dependent loads of zeroed memory: the value
// loaded (0) is added to the next address, so that a load starts when the one before it is complete.
#include "bc_kernel.h"
#include "pattern.cuh"

#define BC_LD(type, width, words, instruction)                                                            \
	__device__ __forceinline__ bc_u32 load_##width(bc_u32 addr, bc_u32 *word)                         \
	{                                                                                                 \
		instruction;                                                                              \
		return word[0];                                                                           \
	}                                                                                                 \
	extern "C" __global__ void bc_ld##width(const struct bc_pattern_params given)                     \
	{                                                                                                 \
		const struct bc_pattern_params p = bc_enter<words>(given);                                \
		const bc_u32 base = bc_window();                                                          \
		const bc_u32 lane = threadIdx.x;                                                          \
                                                                                                          \
		bc_report_window(p, base);                                                                \
		bc_fill(p);                                                                               \
		__syncthreads();                                                                          \
		if (p.mask >> lane & 1u) {                                                                \
			const bc_u32 first = base + p.offsets[lane];                                      \
			bc_u32 word[words];                                                               \
                                                                                                          \
			_Pragma("unroll 1") for (bc_u32 rep = 0; rep < p.reps; rep++)                     \
			{                                                                                 \
				_Pragma("unroll 1") for (bc_u32 k = 0; k < p.count; k++)                  \
				{                                                                         \
					load_##width(first + k * p.step, word);                           \
					if (p.results)                                                    \
						for (bc_u32 j = 0; j < words; j++)                        \
							p.results[(k * 32 + lane) * words + j] = word[j]; \
				}                                                                         \
			}                                                                                 \
		}                                                                                         \
	}                                                                                                 \
	extern "C" __global__ void bc_ld##width##_clock(const struct bc_pattern_params given)             \
	{                                                                                                 \
		const struct bc_pattern_params p = bc_enter<words>(given);                                \
		const bc_u32 base = bc_window();                                                          \
		const bc_u32 lane = threadIdx.x;                                                          \
                                                                                                          \
		bc_fill_zero(p);                                                                          \
		__syncthreads();                                                                          \
		if (p.mask >> lane & 1u) {                                                                \
			const bc_u32 first = base + p.offsets[lane];                                      \
			const bc_u32 leader = __ffs(p.mask) - 1;                                          \
			bc_u32 word[words];                                                               \
                                                                                                          \
			_Pragma("unroll 1") for (bc_u32 s = 0; s <= p.nsamples; s++)                      \
			{                                                                                 \
				bc_u32 value = 0, at = first;                                             \
				const bc_u32 before = bc_clock();                                         \
                                                                                                          \
				_Pragma("unroll") for (bc_u32 k = 0; k < BC_TIMED_ACCESSES; k++)          \
				{                                                                         \
					value = load_##width(at + value, word);                           \
					at = bc_opaque(at + p.step);                                      \
				}                                                                         \
				const bc_u32 after = bc_clock_after(at + value);                          \
                                                                                                          \
				if (s > 0 && lane == leader) {                                            \
					p.samples[(s - 1) * 8] = before;                                  \
					p.samples[(s - 1) * 8 + 1] = after;                               \
				}                                                                         \
			}                                                                                 \
		}                                                                                         \
	}

BC_LD(bc_u32, 8, 1, asm volatile("ld.volatile.shared.u8 %0, [%1];" : "=r"(word[0]) : "r"(addr) : "memory"))
BC_LD(bc_u32, 16, 1, unsigned short half; asm volatile("ld.volatile.shared.u16 %0, [%1];"
						       : "=h"(half)
						       : "r"(addr)
						       : "memory");
      word[0] = half)
BC_LD(bc_u32, 32, 1, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(word[0]) : "r"(addr) : "memory"))
BC_LD(bc_u32, 64, 2,
      asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
		   : "=r"(word[0]), "=r"(word[1])
		   : "r"(addr)
		   : "memory"))
BC_LD(bc_u32, 128, 4,
      asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
		   : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
		   : "r"(addr)
		   : "memory"))
