/* SPDX-License-Identifier: MIT */
/* suites/tma.h - what the files of the suite tma share. Pure. */
#ifndef BC_SUITES_TMA_H
#define BC_SUITES_TMA_H

#include "harness/core/case.h"
#include "kernels/bc_kernel.h"
#include "suites/tma_box.h"

#define BC_TMA_RELEASE 120 /* CUDA 12.0: PTX ISA 8.0 */
#define BC_TMA_PARAM(field) offsetof(struct bc_tma_params, field)
#define BC_TMA_SHARED_BYTES (4 * BC_BOX_WORDS + 16) /* a barrier behind the words */
#define BC_TMA_SEED 0x7a11ed00u			    /* of what lies in shared memory before a load */

/* arg[]: of cases that reduce floats, the type (enum bc_tensor_type) whose whole numbers fill both sides; else 0. */
#define BC_TMA_WHOLE 7

/* One warp of a kernel with the tensor map of a box, whose tensor is the program's first buffer. @count: requests. */
void bc_tma_start(struct bc_program *p, const char *kernel, const struct bc_box *b, uint32_t bytes, uint32_t tries,
		  uint32_t count);

/* What a tensor holds, and what shared memory is filled with before it is sent: words that name themselves; of the
 * cases that reduce floats, whole numbers. */
void bc_tma_fill_tensor(const struct bc_case *c, void *data, size_t bytes, uint32_t seed);
void bc_tma_fill_source(const struct bc_case *c, void *data, size_t bytes, uint32_t seed);

/* Did the window begin where it must, and the barrier complete, or not, as @completes says? */
bool bc_tma_check_info(const uint32_t *info, const struct bc_arch *a, bool completes, struct bc_mismatch *bad);

/**
 * bc_tma_check_sent - compare the tensor that a tile was sent to, every byte of it
 * @op:   "add" ...: what was done; NULL: stored
 * @data: the tensor, info, what shared memory was filled with
 */
bool bc_tma_check_sent(const struct bc_case *c, const struct bc_box *b, const char *op, const struct bc_arch *a,
		       void *const *data, uint32_t seed, struct bc_mismatch *bad);

/* The rule about reading a tile. */
bool bc_tma_read_build(unsigned i, struct bc_case *c);
bool bc_tma_read_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out);
bool bc_tma_read_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad);
bool bc_tma_read_request(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *out);

#endif
