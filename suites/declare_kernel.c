/* SPDX-License-Identifier: MIT */
#include "suites/declare_kernel.h"

struct bc_declare_params bc_declare_params(uint32_t bytes, uint32_t count)
{
	return (struct bc_declare_params){ .bytes = bytes, .count = count, .seed = BC_DECLARE_SEED };
}

void bc_declare_start(struct bc_program *p, const char *kernel, uint32_t threads,
		      const struct bc_declare_params *params, size_t out_words)
{
	bc_program_start(p, "declare", kernel, threads, params, sizeof(*params));
	p->shared_bytes = params->bytes;
	bc_program_out(p, offsetof(struct bc_declare_params, out), 4 * out_words);
}
