// SPDX-License-Identifier: MIT
// kernels/pattern_generic.cu - generic loads and stores of 4, 8 and 16 bytes that reach shared memory.
//
// bc_gld<bits>, bc_gst<bits>: as bc_ld<bits> and bc_st<bits> of pattern_ld.cu and pattern_st.cu, but the instruction
// under test names no address space (LD and ST instead of LDS and STS). They move the wavefront and conflict counters
// of shared memory and no request counter.
#include "bc_kernel.h"
#include "pattern.cuh"

// Generic address of the first byte of the window, of which the compiler may not know that it is shared: an address
// that could be global too is chosen at run time.
__device__ __forceinline__ size_t generic_window(const struct bc_pattern_params &p)
{
	return p.count ? (size_t)bc_shared : (size_t)p.offsets;
}

#define BC_GLD(width, words, instruction)                                                                 \
	extern "C" __global__ void bc_gld##width(const struct bc_pattern_params given)                    \
	{                                                                                                 \
		const struct bc_pattern_params p = bc_enter<words>(given);                                \
		const size_t base = generic_window(p);                                                    \
		const bc_u32 lane = threadIdx.x;                                                          \
                                                                                                          \
		bc_report_window(p, bc_window());                                                         \
		bc_fill(p);                                                                               \
		__syncthreads();                                                                          \
		if (p.mask >> lane & 1u) {                                                                \
			const size_t first = base + p.offsets[lane];                                      \
			bc_u32 word[words];                                                               \
                                                                                                          \
			_Pragma("unroll 1") for (bc_u32 rep = 0; rep < p.reps; rep++)                     \
			{                                                                                 \
				_Pragma("unroll 1") for (bc_u32 k = 0; k < p.count; k++)                  \
				{                                                                         \
					const size_t addr = first + k * p.step;                           \
                                                                                                          \
					instruction;                                                      \
					if (p.results)                                                    \
						for (bc_u32 j = 0; j < words; j++)                        \
							p.results[(k * 32 + lane) * words + j] = word[j]; \
				}                                                                         \
			}                                                                                 \
		}                                                                                         \
	}

#define BC_GST(width, words, instruction)                                                    \
	extern "C" __global__ void bc_gst##width(const struct bc_pattern_params given)       \
	{                                                                                    \
		const struct bc_pattern_params p = bc_enter<words>(given);                   \
		const size_t base = generic_window(p);                                       \
		const bc_u32 lane = threadIdx.x;                                             \
                                                                                             \
		bc_report_window(p, bc_window());                                            \
		bc_fill(p);                                                                  \
		__syncthreads();                                                             \
		if (p.mask >> lane & 1u) {                                                   \
			const size_t first = base + p.offsets[lane];                         \
			bc_u32 word[words];                                                  \
                                                                                             \
			_Pragma("unroll 1") for (bc_u32 rep = 0; rep < p.reps; rep++)        \
			{                                                                    \
				_Pragma("unroll 1") for (bc_u32 k = 0; k < p.count; k++)     \
				{                                                            \
					const size_t addr = first + k * p.step;              \
                                                                                             \
					for (bc_u32 j = 0; j < words; j++)                   \
						word[j] = bc_store_word(k, lane, j, p.seed); \
					instruction;                                         \
				}                                                            \
			}                                                                    \
		}                                                                            \
		__syncthreads();                                                             \
		bc_dump(p);                                                                  \
	}

BC_GLD(32, 1, asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(word[0]) : "l"(addr) : "memory"))
BC_GLD(64, 2, asm volatile("ld.volatile.v2.u32 {%0, %1}, [%2];" : "=r"(word[0]), "=r"(word[1]) : "l"(addr) : "memory"))
BC_GLD(128, 4,
       asm volatile("ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];"
		    : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
		    : "l"(addr)
		    : "memory"))
BC_GST(32, 1, asm volatile("st.volatile.u32 [%0], %1;" : : "l"(addr), "r"(word[0]) : "memory"))
BC_GST(64, 2, asm volatile("st.volatile.v2.u32 [%0], {%1, %2};" : : "l"(addr), "r"(word[0]), "r"(word[1]) : "memory"))
BC_GST(128, 4,
       asm volatile("st.volatile.v4.u32 [%0], {%1, %2, %3, %4};"
		    :
		    : "l"(addr), "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])
		    : "memory"))
