// SPDX-License-Identifier: MIT
// kernels/pattern_async.cu - cp.async of 4, 8 and 16 bytes whose lane offsets and mask are data.
//
// bc_cpa<bytes><cache>: one warp (32 threads). Fills shared memory, then each active lane copies its own words from
// global memory to where its offset names; request k of the pattern is offset + k * step, committed and waited for
// before the next. Shared memory is then dumped. One LDGSTS a request; waiting adds to class ld, copying to no other
// class than ldgsts.
// bc_cpa<bytes><cache>z: the form with a source size, 0 to all bytes by lane; the rest is filled with zeros.
#include "bc_kernel.h"
#include "pattern.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define BC_CPA(op, words, instruction)                                                            \
	extern "C" __global__ void bc_##op(const struct bc_pattern_params given)                  \
	{                                                                                         \
		const struct bc_pattern_params p = bc_enter<words>(given);                        \
		const bc_u32 base = bc_window();                                                  \
		const bc_u32 lane = threadIdx.x;                                                  \
                                                                                                  \
		bc_report_window(p, base);                                                        \
		bc_fill(p);                                                                       \
		__syncthreads();                                                                  \
		if (p.mask >> lane & 1u) {                                                        \
			const bc_u32 first = base + p.offsets[lane];                              \
			const size_t source = __cvta_generic_to_global(p.source);                 \
                                                                                                  \
			_Pragma("unroll 1") for (bc_u32 rep = 0; rep < p.reps; rep++)             \
			{                                                                         \
				_Pragma("unroll 1") for (bc_u32 k = 0; k < p.count; k++)          \
				{                                                                 \
					const bc_u32 addr = first + k * p.step;                   \
					const size_t from = source + (k * 32 + lane) * words * 4; \
					const bc_u32 size = bc_copy_bytes(k, lane, words * 4);    \
                                                                                                  \
					(void)size;                                               \
					instruction;                                              \
				}                                                                 \
			}                                                                         \
		}                                                                                 \
		__syncthreads();                                                                  \
		bc_dump(p);                                                                       \
	}
#else
#define BC_CPA(op, words, instruction)                                     \
	extern "C" __global__ void bc_##op(const struct bc_pattern_params) \
	{                                                                  \
		__trap();                                                  \
	}
#endif

#define BC_WAIT "\n\tcp.async.commit_group;\n\tcp.async.wait_group 0;"
#define BC_COPY(cache, bytes)                                                          \
	asm volatile("cp.async." cache ".shared.global [%0], [%1], " bytes ";" BC_WAIT \
		     :                                                                 \
		     : "r"(addr), "l"(from)                                            \
		     : "memory")
#define BC_COPY_ZERO(cache, bytes)                                                         \
	asm volatile("cp.async." cache ".shared.global [%0], [%1], " bytes ", %2;" BC_WAIT \
		     :                                                                     \
		     : "r"(addr), "l"(from), "r"(size)                                     \
		     : "memory")

BC_CPA(cpa4, 1, BC_COPY("ca", "4"))
BC_CPA(cpa8, 2, BC_COPY("ca", "8"))
BC_CPA(cpa16ca, 4, BC_COPY("ca", "16"))
BC_CPA(cpa16cg, 4, BC_COPY("cg", "16"))
BC_CPA(cpa4z, 1, BC_COPY_ZERO("ca", "4"))
BC_CPA(cpa8z, 2, BC_COPY_ZERO("ca", "8"))
BC_CPA(cpa16caz, 4, BC_COPY_ZERO("ca", "16"))
BC_CPA(cpa16cgz, 4, BC_COPY_ZERO("cg", "16"))
