// SPDX-License-Identifier: MIT
// kernels/pattern_matrix.cu - ldmatrix and stmatrix of 1, 2 and 4 matrices whose row addresses are data.
//
// One warp (32 threads), all lanes active: lanes 8i..8i+7 give the 16-byte rows of matrix i, the others an address too.
// bc_ldsm<n>, bc_ldsm<n>t (.trans): what each lane got goes to results, one word a matrix. One LDSM a request; class ld
// is used by nothing else. bc_stsm<n>, bc_stsm4t: each lane stores words of its own, then shared memory is dumped. One
// STSM a request; class st is used by the fill too, class ld by the dump.
#include "bc_kernel.h"
#include "pattern.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
#define BC_LDSM(op, words, instruction)                                                           \
	extern "C" __global__ void bc_##op(const struct bc_pattern_params given)                  \
	{                                                                                         \
		const struct bc_pattern_params p = bc_enter<words>(given);                        \
		const bc_u32 base = bc_window();                                                  \
		const bc_u32 lane = threadIdx.x;                                                  \
		const bc_u32 first = base + p.offsets[lane];                                      \
		bc_u32 word[words];                                                               \
                                                                                                  \
		bc_report_window(p, base);                                                        \
		bc_fill(p);                                                                       \
		__syncthreads();                                                                  \
		_Pragma("unroll 1") for (bc_u32 rep = 0; rep < p.reps; rep++)                     \
		{                                                                                 \
			_Pragma("unroll 1") for (bc_u32 k = 0; k < p.count; k++)                  \
			{                                                                         \
				const bc_u32 addr = first + k * p.step;                           \
                                                                                                  \
				instruction;                                                      \
				if (p.results)                                                    \
					for (bc_u32 j = 0; j < words; j++)                        \
						p.results[(k * 32 + lane) * words + j] = word[j]; \
			}                                                                         \
		}                                                                                 \
	}
#else
#define BC_LDSM(op, words, instruction)                                    \
	extern "C" __global__ void bc_##op(const struct bc_pattern_params) \
	{                                                                  \
		__trap();                                                  \
	}
#endif

#define BC_LDSM1(trans)                                                              \
	asm volatile("ldmatrix.sync.aligned.m8n8.x1" trans ".shared.b16 {%0}, [%1];" \
		     : "=r"(word[0])                                                 \
		     : "r"(addr)                                                     \
		     : "memory")
#define BC_LDSM2(trans)                                                                  \
	asm volatile("ldmatrix.sync.aligned.m8n8.x2" trans ".shared.b16 {%0, %1}, [%2];" \
		     : "=r"(word[0]), "=r"(word[1])                                      \
		     : "r"(addr)                                                         \
		     : "memory")
#define BC_LDSM4(trans)                                                                          \
	asm volatile("ldmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 {%0, %1, %2, %3}, [%4];" \
		     : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])                \
		     : "r"(addr)                                                                 \
		     : "memory")

BC_LDSM(ldsm1, 1, BC_LDSM1(""))
BC_LDSM(ldsm2, 2, BC_LDSM2(""))
BC_LDSM(ldsm4, 4, BC_LDSM4(""))
BC_LDSM(ldsm1t, 1, BC_LDSM1(".trans"))
BC_LDSM(ldsm2t, 2, BC_LDSM2(".trans"))
BC_LDSM(ldsm4t, 4, BC_LDSM4(".trans"))

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define BC_STSM(op, words, instruction)                                              \
	extern "C" __global__ void bc_##op(const struct bc_pattern_params given)     \
	{                                                                            \
		const struct bc_pattern_params p = bc_enter<words>(given);           \
		const bc_u32 base = bc_window();                                     \
		const bc_u32 lane = threadIdx.x;                                     \
		const bc_u32 first = base + p.offsets[lane];                         \
		bc_u32 word[words];                                                  \
                                                                                     \
		bc_report_window(p, base);                                           \
		bc_fill(p);                                                          \
		__syncthreads();                                                     \
		_Pragma("unroll 1") for (bc_u32 rep = 0; rep < p.reps; rep++)        \
		{                                                                    \
			_Pragma("unroll 1") for (bc_u32 k = 0; k < p.count; k++)     \
			{                                                            \
				const bc_u32 addr = first + k * p.step;              \
                                                                                     \
				for (bc_u32 j = 0; j < words; j++)                   \
					word[j] = bc_store_word(k, lane, j, p.seed); \
				instruction;                                         \
			}                                                            \
		}                                                                    \
		__syncthreads();                                                     \
		bc_dump(p);                                                          \
	}
#else
#define BC_STSM(op, words, instruction)                                    \
	extern "C" __global__ void bc_##op(const struct bc_pattern_params) \
	{                                                                  \
		__trap();                                                  \
	}
#endif

#define BC_STSM4(trans)                                                                          \
	asm volatile("stmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 [%0], {%1, %2, %3, %4};" \
		     :                                                                           \
		     : "r"(addr), "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])         \
		     : "memory")

BC_STSM(stsm1, 1,
	asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};"
		     :
		     : "r"(addr), "r"(word[0])
		     : "memory"))
BC_STSM(stsm2, 2,
	asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
		     :
		     : "r"(addr), "r"(word[0]), "r"(word[1])
		     : "memory"))
BC_STSM(stsm4, 4, BC_STSM4(""))
BC_STSM(stsm4t, 4, BC_STSM4(".trans"))
