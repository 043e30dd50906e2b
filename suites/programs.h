/* SPDX-License-Identifier: MIT */
/* suites/programs.h - small builders for rules that run kernels of their own. Pure: they write into the program or the
 * buffer they are given and nowhere else.
 */
#ifndef BC_SUITES_PROGRAMS_H
#define BC_SUITES_PROGRAMS_H

#include "harness/core/case.h"

typedef void bc_fill_fn(const struct bc_case *c, void *data, size_t bytes, uint32_t seed);

/**
 * bc_program_start - one block of @threads threads of a kernel
 * @params: [size] the kernel's parameters as a C struct; at most BC_PROGRAM_PARAMS_MAX bytes
 */
void bc_program_start(struct bc_program *p, const char *image, const char *kernel, uint32_t threads, const void *params,
		      size_t size);

/* Append a buffer whose address goes to byte @param_offset of the parameters; @fill NULL: it is only written. */
void bc_program_in(struct bc_program *p, size_t param_offset, size_t bytes, bc_fill_fn *fill);
void bc_program_out(struct bc_program *p, size_t param_offset, size_t bytes);
void bc_program_inout(struct bc_program *p, size_t param_offset, size_t bytes, bc_fill_fn *fill);

/* One block on every SM: the buffer of the SMs' ids, and one that each block writes @bytes of its own of. */
void bc_program_sms(struct bc_program *p, size_t param_offset);
void bc_program_out_per_sm(struct bc_program *p, size_t param_offset, size_t bytes);

/* What is counted of the launch: @requests instructions of a class, one per warp. */
void bc_program_count(struct bc_program *p, enum bc_class cls, uint64_t requests);

/* A fill: word i is bc_fill_word(4 * i, seed), so that neighbouring words differ. */
void bc_fill_words(const struct bc_case *c, void *data, size_t bytes, uint32_t seed);

/* Fill @bad. Return: false, so that a check reads `return bc_mismatch(...)`. */
bool bc_mismatch(struct bc_mismatch *bad, const char *what, uint64_t index, double got, double want);

#endif
