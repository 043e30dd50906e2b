/* SPDX-License-Identifier: MIT */
/* suites/declare_kernel.h - how the rules of the suite declare launch the kernels of kernels/declare.cu. */
#ifndef BC_SUITES_DECLARE_KERNEL_H
#define BC_SUITES_DECLARE_KERNEL_H

#include "suites/programs.h"

#include "kernels/bc_kernel.h"

#define BC_KB 1024u
#define BC_DECLARE_SEED 0x2b7e1516u /* of what the kernels store */

struct bc_declare_params bc_declare_params(uint32_t bytes, uint32_t count);

/* One block of a kernel with @params->bytes of dynamic shared memory; @out_words: of its first buffer. */
void bc_declare_start(struct bc_program *p, const char *kernel, uint32_t threads,
		      const struct bc_declare_params *params, size_t out_words);

#endif
