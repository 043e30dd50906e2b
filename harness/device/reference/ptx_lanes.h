/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_lanes.h - how the files of instructions make one function an operation; theirs alone. */
#ifndef BC_DEVICE_REFERENCE_PTX_LANES_H
#define BC_DEVICE_REFERENCE_PTX_LANES_H

#include "harness/device/reference/ptx_exec.h"

/* Loops over all lanes are built for the processor's wider vectors as well, and chosen when the program starts.
 * Not with sanitizers: the choice is made before they are ready. For integers only: wider processors round some
 * expressions of floating point otherwise (fused multiply-add). */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BC_PTX_WIDE __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define BC_PTX_WIDE
#endif

/*
 * LANES(name, expression): a function that computes the expression of a, b, c (the lane's operands) for all
 * active lanes. Operands are zero-extended; results must be too. A result that is an operand as well is written after
 * all lanes were read, so that the compiler may take many at once.
 */
#define LANES(name, expression)                                                                                     \
	BC_PTX_WIDE static void name##_all(uint64_t *d, const uint64_t *pa, const uint64_t *pb, const uint64_t *pc) \
	{                                                                                                           \
		uint64_t out[BC_LANES];                                                                             \
                                                                                                                    \
		for (unsigned l = 0; l < BC_LANES; l++) {                                                           \
			const uint64_t a = pa[l], b = pb[l], c = pc[l];                                             \
                                                                                                                    \
			(void)b, (void)c;                                                                           \
			out[l] = (expression);                                                                      \
		}                                                                                                   \
		for (unsigned l = 0; l < BC_LANES; l++)                                                             \
			d[l] = out[l];                                                                              \
	}                                                                                                           \
                                                                                                                    \
	static void name(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)  \
	{                                                                                                           \
		const uint64_t *pa = w->r + in->src[0], *pb = w->r + in->src[1], *pc = w->r + in->src[2];           \
		uint64_t *d = w->r + in->dst;                                                                       \
                                                                                                                    \
		(void)x;                                                                                            \
		if (mask == BC_PTX_FULL) {                                                                          \
			name##_all(d, pa, pb, pc);                                                                  \
			return;                                                                                     \
		}                                                                                                   \
		for (uint32_t m = mask; m != 0; m &= m - 1) {                                                       \
			const unsigned l = (unsigned)__builtin_ctz(m);                                              \
			const uint64_t a = pa[l], b = pb[l], c = pc[l];                                             \
                                                                                                                    \
			(void)b, (void)c;                                                                           \
			d[l] = (expression);                                                                        \
		}                                                                                                   \
	}

#define U16(v) ((uint64_t)(uint16_t)(v))
#define U32(v) ((uint64_t)(uint32_t)(v))

#endif
