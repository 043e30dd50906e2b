/* SPDX-License-Identifier: MIT */
/* Launches of a pattern with a block on every SM. */
#include "harness/measure/launch.h"

#include <stdlib.h>
#include <string.h>

enum { OUT = 0, DUMP, INFO, NPARTS };

/* So much that a second block does not fit on the SM beside it, whatever the system takes of each. */
static uint32_t more_than_half(const struct bc_arch *a)
{
	const uint32_t half = a->sm_bytes / 2 / BC_LINE_BYTES * BC_LINE_BYTES + BC_LINE_BYTES;

	return half < a->optin_bytes ? half : a->optin_bytes;
}

static struct bc_buffer *buffer_of(struct bc_launch *l, const void *out)
{
	for (size_t i = 0; out && i < l->nbuffers; i++)
		if (l->buffers[i].out == out)
			return &l->buffers[i];
	return NULL;
}

/* Give a buffer room for all blocks. @differ NULL: all of it comes back. */
static enum bc_status widen(struct bc_case_launch *r, uint32_t **data, uint32_t *differ, struct bc_error *err)
{
	struct bc_buffer *b = buffer_of(&r->launch, *data);
	uint32_t *wide;

	if (!b)
		return BC_OK;
	wide = malloc(b->bytes * r->sms + 1);
	if (!wide)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", r->launch.label);
	if (*data != r->info)
		free(*data);
	*data = wide;
	b->out = wide;
	b->init = NULL;
	b->poison = r->poison;
	b->per_block = true;
	b->differ = differ;
	return BC_OK;
}

enum bc_status bc_case_launch_spread(struct bc_case_launch *r, const struct bc_arch *a, uint32_t sms,
				     struct bc_error *err)
{
	struct bc_launch *l = &r->launch;
	uint32_t *info = r->info;
	enum bc_status st = BC_OK;

	r->sms = sms;
	l->grid[0] = sms;
	l->cooperative = true;
	if (l->shared_bytes < more_than_half(a))
		l->shared_bytes = more_than_half(a);
	r->ids = calloc(BC_SMS_WORDS(sms), sizeof(*r->ids));
	r->differ = calloc((size_t)NPARTS * sms, sizeof(*r->differ));
	if (!r->ids || !r->differ || l->nbuffers == BC_LAUNCH_BUFFERS)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", l->label);
	st = widen(r, &r->out, r->differ + OUT * sms, err);
	if (!st)
		st = widen(r, &r->dump, r->differ + DUMP * sms, err);
	if (!st)
		st = widen(r, &info, r->differ + INFO * sms, err);
	if (!st)
		st = widen(r, &r->samples, NULL, err);
	if (info != r->info)
		r->infos = info;
	l->buffers[l->nbuffers++] = (struct bc_buffer){ .bytes = BC_SMS_WORDS(sms) * sizeof(*r->ids),
							.init = r->ids,
							.out = r->ids,
							.param_offset = offsetof(struct bc_pattern_params, sms) };
	return st;
}

bool bc_case_launch_differs(const struct bc_case_launch *r, uint32_t b)
{
	bool differs = false;

	for (uint32_t i = 0; i < NPARTS; i++)
		differs = differs || r->differ[i * r->sms + b] != 0;
	return differs;
}

/* Where block @b's words are; block 0's where they are the same. */
static uint32_t *slice(const struct bc_case_launch *r, uint32_t *all, unsigned part, uint32_t b, size_t bytes)
{
	return all && r->differ[part * r->sms + b] ? all + b * (bytes / sizeof(*all)) : all;
}

bool bc_case_launch_check_block(const struct bc_case_launch *r, uint32_t b, const struct bc_arch *a, char *detail,
				size_t size)
{
	struct bc_case_launch one = *r;

	one.out = slice(r, r->out, OUT, b, r->out_bytes);
	one.dump = slice(r, r->dump, DUMP, b, r->dump_bytes);
	memcpy(one.info, slice(r, r->infos, INFO, b, sizeof(one.info)), sizeof(one.info));
	return bc_case_launch_check(&one, a, detail, size);
}

void bc_case_launch_block_samples(const struct bc_case_launch *r, uint32_t b, uint32_t cycles[BC_SAMPLES_MAX])
{
	struct bc_case_launch one = *r;

	one.samples = r->samples + (size_t)b * r->nsamples * 8;
	bc_case_launch_samples(&one, cycles);
}
