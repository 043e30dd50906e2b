/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_lanes.h - how the files of instructions make one function an operation; theirs alone. */
#ifndef BC_DEVICE_REFERENCE_PTX_LANES_H
#define BC_DEVICE_REFERENCE_PTX_LANES_H

#include "harness/device/reference/ptx_exec.h"

/*
 * LANES(name, expression): a function that computes the expression of a, b, c (the lane's operands) for all
 * active lanes. Operands are zero-extended; results must be too.
 */
#define LANES(name, expression)                                                                                    \
	static void name(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask) \
	{                                                                                                          \
		const uint64_t *pa = w->r + in->src[0], *pb = w->r + in->src[1], *pc = w->r + in->src[2];          \
		uint64_t *d = w->r + in->dst;                                                                      \
                                                                                                                   \
		(void)x;                                                                                           \
		if (mask == BC_PTX_FULL) {                                                                         \
			for (unsigned l = 0; l < BC_LANES; l++) {                                                  \
				const uint64_t a = pa[l], b = pb[l], c = pc[l];                                    \
                                                                                                                   \
				(void)b, (void)c;                                                                  \
				d[l] = (expression);                                                               \
			}                                                                                          \
			return;                                                                                    \
		}                                                                                                  \
		for (uint32_t m = mask; m != 0; m &= m - 1) {                                                      \
			const unsigned l = (unsigned)__builtin_ctz(m);                                             \
			const uint64_t a = pa[l], b = pb[l], c = pc[l];                                            \
                                                                                                                   \
			(void)b, (void)c;                                                                          \
			d[l] = (expression);                                                                       \
		}                                                                                                  \
	}

#define U16(v) ((uint64_t)(uint16_t)(v))
#define U32(v) ((uint64_t)(uint32_t)(v))

#endif
