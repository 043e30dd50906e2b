/* SPDX-License-Identifier: MIT */
#include "suites/programs.h"

#include <string.h>

#include "kernels/bc_kernel.h"

void bc_program_start(struct bc_program *p, const char *image, const char *kernel, uint32_t threads, const void *params,
		      size_t size)
{
	memset(p, 0, sizeof(*p));
	p->image = image;
	p->kernel = kernel;
	p->block[0] = threads;
	p->params_size = size;
	memcpy(p->params, params, size < sizeof(p->params) ? size : sizeof(p->params)); /* too much is refused later */
}

static void add(struct bc_program *p, enum bc_buffer_use use, size_t param_offset, size_t bytes, bc_fill_fn *fill)
{
	if (p->nbuffers < BC_PROGRAM_BUFFERS)
		p->buffers[p->nbuffers] = (struct bc_program_buffer){
			.bytes = bytes, .use = use, .param_offset = param_offset, .fill = fill
		};
	p->nbuffers++; /* one too many is refused later */
}

void bc_program_in(struct bc_program *p, size_t param_offset, size_t bytes, bc_fill_fn *fill)
{
	add(p, BC_BUFFER_IN, param_offset, bytes, fill);
}

void bc_program_out(struct bc_program *p, size_t param_offset, size_t bytes)
{
	add(p, BC_BUFFER_OUT, param_offset, bytes, NULL);
}

void bc_program_inout(struct bc_program *p, size_t param_offset, size_t bytes, bc_fill_fn *fill)
{
	add(p, BC_BUFFER_INOUT, param_offset, bytes, fill);
}

void bc_program_sms(struct bc_program *p, size_t param_offset)
{
	p->every_sm = true;
	add(p, BC_BUFFER_SMS, param_offset, 0, NULL);
}

void bc_program_out_per_sm(struct bc_program *p, size_t param_offset, size_t bytes)
{
	add(p, BC_BUFFER_OUT, param_offset, bytes, NULL);
	if (p->nbuffers <= BC_PROGRAM_BUFFERS)
		p->buffers[p->nbuffers - 1].per_sm = true;
}

void bc_program_count(struct bc_program *p, enum bc_class cls, uint64_t requests)
{
	p->cls = cls;
	p->requests = requests;
}

void bc_fill_words(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	uint32_t *word = data;

	(void)c;
	for (uint32_t i = 0; i < bytes / 4; i++)
		word[i] = bc_fill_word(4 * i, seed);
}

bool bc_mismatch(struct bc_mismatch *bad, const char *what, uint64_t index, double got, double want)
{
	*bad = (struct bc_mismatch){ .what = what, .index = index, .got = got, .want = want };
	return false;
}
