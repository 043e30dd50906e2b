/* SPDX-License-Identifier: MIT */
#include "harness/measure/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/measure/oracle.h"

#define SHARED_LEAST 4096u
#define ROOM_BYTES 4096u /* above all that is stored: for what a faulty device stores a second time, further up */
#define PARAM(field) offsetof(struct bc_pattern_params, field)

const uint32_t bc_seeds[2] = { 0x5f1a0000u, 0xcfc0004du };

const char *const bc_case_launch_images[] = {
	"pattern_ld", "pattern_st", "pattern_generic", "pattern_atom", "pattern_matrix", "pattern_async", NULL
};

enum bc_status bc_pattern_at(const struct bc_case *c, const struct bc_arch *a, struct bc_pattern *out,
			     struct bc_error *err)
{
	struct bc_pattern p = c->pattern;
	uint32_t addr[BC_LANES];

	bc_case_addresses(c, a, 0, addr);
	for (unsigned l = 0; l < BC_LANES; l++) {
		if (!(p.mask >> l & 1u)) {
			p.offset[l] = 0;
			continue;
		}
		if (addr[l] < a->window_base)
			return bc_fail(err, BC_EDATA, "%s: lane %u's address 0x%x lies below the window (0x%x)", c->id,
				       l, addr[l], a->window_base);
		p.offset[l] = addr[l] - a->window_base;
	}
	p.origin = BC_FROM_START;
	*out = p;
	return BC_OK;
}

static uint64_t extent(const struct bc_pattern *p)
{
	uint64_t end = 0;

	for (unsigned l = 0; l < BC_LANES; l++) {
		const uint64_t e =
			(uint64_t)p->offset[l] + (uint64_t)(p->count - 1) * p->step + bc_op_info(p->op)->bytes;

		if (p->mask >> l & 1u && e > end)
			end = e;
	}
	return end;
}

/* Dynamic shared memory of a launch: the extent in whole lines and @room more, at most what a block can have. */
static uint32_t shared_bytes(const struct bc_pattern *p, const struct bc_arch *a, uint32_t room)
{
	const uint64_t end = (extent(p) < SHARED_LEAST ? SHARED_LEAST : extent(p)) + room;
	const uint64_t bytes = (end + BC_LINE_BYTES - 1) / BC_LINE_BYTES * BC_LINE_BYTES;

	return bytes > a->optin_bytes ? a->optin_bytes : (uint32_t)bytes;
}

static int by_value(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* All lines of @shared bytes. */
static enum bc_status all_lines(uint32_t shared, uint32_t **out, uint32_t *n, struct bc_error *err)
{
	const uint32_t count = shared / BC_LINE_BYTES;
	uint32_t *lines = malloc(count * sizeof(*lines));

	if (!lines)
		return bc_fail(err, BC_ENOMEM, "launch: out of memory");
	for (uint32_t i = 0; i < count; i++)
		lines[i] = i;
	*out = lines;
	*n = count;
	return BC_OK;
}

/* The lines that @p touches, ascending, each once. */
static enum bc_status touched_lines(const struct bc_pattern *p, uint32_t **out, uint32_t *n, struct bc_error *err)
{
	uint32_t *lines = malloc((size_t)p->count * BC_LANES * sizeof(*lines)), k = 0, unique = 0;

	if (!lines)
		return bc_fail(err, BC_ENOMEM, "launch: out of memory");
	for (uint32_t i = 0; i < p->count * BC_LANES; i++)
		if (p->mask >> i % BC_LANES & 1u)
			lines[k++] = (p->offset[i % BC_LANES] + i / BC_LANES * p->step) / BC_LINE_BYTES;
	qsort(lines, k, sizeof(*lines), by_value);
	for (uint32_t i = 0; i < k; i++)
		if (!i || lines[i] != lines[unique - 1])
			lines[unique++] = lines[i];
	*out = lines;
	*n = unique;
	return BC_OK;
}

uint32_t bc_case_launch_reps(const struct bc_pattern *p)
{
	return p->count >= 8 ? 1 : 8 / p->count;
}

static void add_buffer(struct bc_launch *l, size_t offset, size_t bytes, const void *init, uint8_t poison, void *out)
{
	l->buffers[l->nbuffers++] = (struct bc_buffer){
		.bytes = bytes, .init = init, .poison = poison, .out = out, .param_offset = offset
	};
}

/* What all launches of a pattern have in common. */
static enum bc_status start(const struct bc_pattern *p, const struct bc_arch *a, const char *label, const char *suffix,
			    struct bc_case_launch *r, struct bc_pattern_params *params, struct bc_error *err)
{
	const struct bc_operation *o = bc_operation_of(p->op);

	memset(r, 0, sizeof(*r));
	memset(params, 0, sizeof(*params));
	if (!o)
		return bc_fail(err, BC_EDEVICE, "%s: no kernel for the operation %s", label, bc_op_info(p->op)->name);
	if (extent(p) > a->optin_bytes)
		return bc_fail(err, BC_EDEVICE, "%s: %llu bytes of shared memory asked of a block, %s has %u", label,
			       (unsigned long long)extent(p), a->name, a->optin_bytes);
	(void)snprintf(r->kernel, sizeof(r->kernel), "bc_%s%s", bc_op_info(p->op)->name, suffix);
	r->pattern = *p;
	memcpy(r->offsets, p->offset, sizeof(r->offsets));
	r->launch.image = o->image;
	r->launch.kernel = r->kernel;
	r->launch.label = label;
	for (unsigned i = 0; i < 3; i++)
		r->launch.grid[i] = r->launch.block[i] = 1;
	r->launch.block[0] = BC_LANES;
	r->launch.shared_bytes = shared_bytes(p, a, 0);
	r->launch.multi_writer = bc_op_info(p->op)->store;
	params->mask = p->mask;
	params->count = p->count;
	params->step = p->step;
	add_buffer(&r->launch, PARAM(offsets), sizeof(r->offsets), r->offsets, 0, NULL);
	return BC_OK;
}

/* The lines that are filled, and dumped where the operation changes them: with @whole all that the block has. */
static enum bc_status add_lines(struct bc_case_launch *r, bool whole, struct bc_pattern_params *params,
				struct bc_error *err)
{
	enum bc_status st = whole ? all_lines(r->launch.shared_bytes, &r->lines, &r->nlines, err)
				  : touched_lines(&r->pattern, &r->lines, &r->nlines, err);

	if (st)
		return st;
	params->nlines = r->nlines;
	add_buffer(&r->launch, PARAM(lines), r->nlines * sizeof(*r->lines), r->lines, 0, NULL);
	return BC_OK;
}

static void finish(struct bc_case_launch *r, const struct bc_pattern_params *params)
{
	memcpy(r->launch.params, params, sizeof(*params));
	r->launch.params_size = sizeof(*params);
	r->requests = (uint64_t)params->count * params->reps;
}

/* What the lanes copy, where the operation copies. */
static enum bc_status add_source(struct bc_case_launch *r, struct bc_error *err)
{
	const struct bc_pattern *p = &r->pattern;
	const size_t bytes = (size_t)p->count * BC_LANES * bc_operation_words(p->op) * 4;

	if (!bc_operation_of(p->op)->copies)
		return BC_OK;
	r->source = malloc(bytes);
	if (!r->source)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", r->launch.label);
	bc_oracle_source(p, r->seed, r->source);
	add_buffer(&r->launch, PARAM(source), bytes, r->source, 0, NULL);
	return BC_OK;
}

/* A buffer of @bytes for what comes back, poisoned. */
static enum bc_status add_output(struct bc_case_launch *r, size_t param, size_t bytes, uint32_t **out,
				 struct bc_error *err)
{
	*out = malloc(bytes);
	if (!*out)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", r->launch.label);
	add_buffer(&r->launch, param, bytes, NULL, r->poison, *out);
	return BC_OK;
}

static struct bc_operation_result result_of(const struct bc_case_launch *r)
{
	return (struct bc_operation_result){ .pattern = &r->pattern,
					     .seed = r->seed,
					     .poison = r->poison,
					     .lines = r->lines,
					     .nlines = r->nlines,
					     .out = r->out,
					     .out_bytes = r->out_bytes,
					     .dump = r->dump,
					     .scratch = r->scratch };
}

/* @bytes for the check. */
static enum bc_status add_scratch(struct bc_case_launch *r, size_t bytes, struct bc_error *err)
{
	r->scratch = malloc(bytes ? bytes : 1);
	return r->scratch ? BC_OK : bc_fail(err, BC_ENOMEM, "%s: out of memory", r->launch.label);
}

enum bc_status bc_case_launch_data(const struct bc_pattern *p, const struct bc_arch *a, const char *label,
				   unsigned seed_index, struct bc_case_launch *r, struct bc_error *err)
{
	struct bc_pattern_params params;
	const struct bc_operation *o = bc_operation_of(p->op);
	enum bc_status st = start(p, a, label, "", r, &params, err);

	if (st)
		return st;
	r->seed = params.seed = bc_seeds[seed_index];
	r->poison = seed_index ? 0x5a : 0xa5;
	params.reps = 1;
	if (o->changes)
		r->launch.shared_bytes = shared_bytes(p, a, ROOM_BYTES);
	st = add_lines(r, o->changes, &params, err);
	if (st)
		return st;

	const size_t results = (size_t)p->count * BC_LANES * bc_operation_words(p->op) * 4;
	const size_t dump = (size_t)r->nlines * BC_LINE_BYTES;

	r->out_bytes = o->returns ? results : dump;
	r->dump_bytes = o->returns && o->changes ? dump : 0;
	st = add_output(r, o->returns ? PARAM(results) : PARAM(dump), r->out_bytes, &r->out, err);
	if (!st && r->dump_bytes)
		st = add_output(r, PARAM(dump), r->dump_bytes, &r->dump, err);
	if (!st)
		st = add_source(r, err);
	if (!st) {
		const struct bc_operation_result result = result_of(r);

		st = add_scratch(r, bc_oracle_scratch_bytes(&result), err);
	}
	if (st)
		return st;
	add_buffer(&r->launch, PARAM(info), sizeof(r->info), NULL, r->poison, r->info);
	finish(r, &params);
	return BC_OK;
}

enum bc_status bc_case_launch_count(const struct bc_pattern *p, const struct bc_arch *a, const char *label,
				    uint32_t reps, struct bc_case_launch *r, struct bc_error *err)
{
	struct bc_pattern_params params;
	enum bc_status st = start(p, a, label, "", r, &params, err);

	if (st)
		return st;
	r->seed = params.seed = bc_seeds[0];
	r->launch.reads_unwritten = true; /* what is read plays no part */
	r->launch.repeats = reps > 1;
	params.reps = reps;
	st = add_source(r, err);
	if (st)
		return st;
	finish(r, &params);
	return BC_OK;
}

enum bc_status bc_case_launch_clock(const struct bc_pattern *p, const struct bc_arch *a, const char *label,
				    uint32_t nsamples, struct bc_case_launch *r, struct bc_error *err)
{
	struct bc_pattern_params params;
	const size_t bytes = (size_t)nsamples * 4 * 2 * sizeof(uint32_t);
	enum bc_status st = start(p, a, label, "_clock", r, &params, err);

	if (st)
		return st;
	if (!bc_op_info(p->op)->timed)
		return bc_fail(err, BC_EDEVICE, "%s: %s cannot be timed", label, bc_op_info(p->op)->name);
	if (p->count != 1 && p->count != BC_TIMED_ACCESSES)
		return bc_fail(err, BC_EDEVICE, "%s: a pattern of %u requests cannot be timed", label, p->count);
	if (p->count == 1)
		params.step = 0;
	if (bc_op_info(p->op)->store)
		r->launch.block[0] = 4 * BC_LANES;
	st = add_lines(r, false, &params, err);
	if (st)
		return st;
	params.nsamples = r->nsamples = nsamples;
	r->samples = calloc(1, bytes);
	if (!r->samples)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", label);
	add_buffer(&r->launch, PARAM(samples), bytes, r->samples, 0, r->samples);
	finish(r, &params);
	return BC_OK;
}

bool bc_case_launch_check(const struct bc_case_launch *r, const struct bc_arch *a, char *detail, size_t size)
{
	if (r->info[0] != a->window_base) {
		(void)snprintf(detail, size, "dynamic shared memory starts at 0x%x, arch.txt says 0x%x", r->info[0],
			       a->window_base);
		return false;
	}
	if (r->info[1] != r->launch.shared_bytes) {
		(void)snprintf(detail, size, "%%dynamic_smem_size is %u, the launch asked for %u", r->info[1],
			       r->launch.shared_bytes);
		return false;
	}
	const struct bc_operation_result o = result_of(r);

	return bc_oracle_check(&o, detail, size);
}

void bc_case_launch_samples(const struct bc_case_launch *r, uint32_t cycles[BC_SAMPLES_MAX])
{
	const unsigned warps = r->launch.block[0] / BC_LANES;

	for (uint32_t s = 0; s < r->nsamples && s < BC_SAMPLES_MAX; s++) {
		const uint32_t *t = &r->samples[s * 8];
		int32_t first = 0, last = 0; /* relative to warp 0's start, so that a clock that wraps is no harm */

		for (unsigned w = 0; w < warps; w++) {
			const int32_t before = (int32_t)(t[2 * w] - t[0]), after = (int32_t)(t[2 * w + 1] - t[0]);

			first = before < first ? before : first;
			last = after > last ? after : last;
		}
		cycles[s] = (uint32_t)(last - first);
	}
}

bool bc_case_launch_sms(const uint32_t *ids, uint32_t sms, char *detail, size_t size)
{
	uint32_t *sorted = NULL, distinct = 0;

	if (ids[0] != sms) {
		(void)snprintf(detail, size, "%u blocks of %u were there: one was to run on every SM", ids[0], sms);
		return false;
	}
	sorted = malloc((size_t)sms * sizeof(*sorted));
	if (!sorted) {
		(void)snprintf(detail, size, "out of memory");
		return false;
	}
	memcpy(sorted, ids + 1, (size_t)sms * sizeof(*sorted));
	qsort(sorted, sms, sizeof(*sorted), by_value);
	for (uint32_t i = 0; i < sms; i++)
		distinct += !i || sorted[i] != sorted[i - 1];
	free(sorted);
	if (distinct != sms)
		(void)snprintf(detail, size, "the blocks of one launch ran on %u SMs, the device has %u", distinct,
			       sms);
	return distinct == sms;
}

/* Buffer @i of a program, and what it holds before the launch. */
static enum bc_status add_program_buffer(struct bc_case_launch *r, const struct bc_case *c, size_t i,
					 struct bc_error *err)
{
	const struct bc_program_buffer *b = &r->program.buffers[i];
	const size_t bytes = b->use == BC_BUFFER_SMS ? BC_SMS_WORDS(r->sms) * sizeof(uint32_t) : b->bytes;
	struct bc_buffer *added;

	r->data[i] = malloc(bytes * (b->per_sm ? r->sms : 1) + 1);
	if (!r->data[i])
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", c->id);
	if (b->use == BC_BUFFER_DEVICE_LIMITS)
		return BC_OK;
	if (b->use == BC_BUFFER_SMS)
		memset(r->data[i], 0, bytes);
	else if (b->use != BC_BUFFER_OUT)
		b->fill(c, r->data[i], b->bytes, r->seed);
	add_buffer(&r->launch, b->param_offset, bytes, b->use == BC_BUFFER_OUT ? NULL : r->data[i], r->poison,
		   r->data[i]);
	added = &r->launch.buffers[r->launch.nbuffers - 1];
	added->per_block = b->per_sm;
	return BC_OK;
}

enum bc_status bc_case_launch_program(const struct bc_case *c, const struct bc_arch *a, uint32_t sms,
				      unsigned seed_index, struct bc_case_launch *r, struct bc_error *err)
{
	struct bc_program *p = &r->program;
	size_t scratch = 0;
	enum bc_status st = BC_OK;

	memset(r, 0, sizeof(*r));
	r->seed = bc_seeds[seed_index];
	r->poison = seed_index ? 0x5a : 0xa5;
	if (!c->rule->program(c, a, p))
		return bc_fail(err, BC_EDEVICE, "%s: the suite cannot say what to launch on %s", c->id, a->name);
	if (p->nbuffers > BC_PROGRAM_BUFFERS || p->nmaps > BC_PROGRAM_MAPS || p->params_size > BC_PROGRAM_PARAMS_MAX ||
	    !p->image || !p->kernel)
		return bc_fail(err, BC_EDEVICE, "%s: the suite's program is not well-formed", c->id);
	(void)bc_strlcpy(r->kernel, p->kernel, sizeof(r->kernel));
	r->launch = (struct bc_launch){ .image = p->image,
					.kernel = r->kernel,
					.label = c->id,
					.shared_bytes = p->shared_bytes,
					.params_size = p->params_size,
					.multi_writer = p->multi_writer,
					.reads_unwritten = p->reads_unwritten,
					.no_optin = p->no_optin };
	for (unsigned i = 0; i < 3; i++) {
		r->launch.grid[i] = p->grid[i] ? p->grid[i] : 1;
		r->launch.block[i] = p->block[i] ? p->block[i] : 1;
		r->launch.cluster[i] = p->cluster[i];
	}
	if (p->every_sm) {
		r->sms = r->launch.grid[0] = sms;
		r->launch.grid[1] = r->launch.grid[2] = 1;
		r->launch.cooperative = true;
	}
	memcpy(r->launch.params, p->params, p->params_size);
	r->requests = p->requests;
	r->launch.nmaps = p->nmaps;
	memcpy(r->launch.maps, p->maps, p->nmaps * sizeof(p->maps[0]));
	for (size_t i = 0; !st && i < p->nbuffers; i++) {
		const struct bc_program_buffer *b = &p->buffers[i];

		if (b->use == BC_BUFFER_IN && b->bytes > scratch)
			scratch = b->bytes;
		st = add_program_buffer(r, c, i, err);
	}
	return st ? st : add_scratch(r, scratch, err);
}

/* An input that the kernel must not have changed. */
static bool unchanged(const struct bc_case_launch *r, const struct bc_case *c, size_t i, char *detail, size_t size)
{
	const struct bc_program_buffer *b = &r->program.buffers[i];

	b->fill(c, r->scratch, b->bytes, r->seed);
	if (memcmp(r->scratch, r->data[i], b->bytes) == 0)
		return true;
	(void)snprintf(detail, size, "the kernel changed its input");
	return false;
}

bool bc_case_launch_check_program(const struct bc_case_launch *r, const struct bc_case *c, const struct bc_arch *a,
				  char *detail, size_t size)
{
	struct bc_mismatch bad = { .what = "element" };

	for (size_t i = 0; i < r->program.nbuffers; i++)
		if (r->program.buffers[i].use == BC_BUFFER_IN && !unchanged(r, c, i, detail, size))
			return false;
	if (c->rule->check(c, a, r->data, r->seed, &bad))
		return true;
	if (bad.text[0]) {
		(void)bc_strlcpy(detail, bad.text, size);
		return false;
	}
	(void)snprintf(detail, size, "%s %llu: %.9g, expected %.9g%s%s", bad.what, (unsigned long long)bad.index,
		       bad.got, bad.want, bad.note ? ": " : "", bad.note ? bad.note : "");
	return false;
}

void bc_case_launch_release(struct bc_case_launch *r)
{
	for (size_t i = 0; i < BC_PROGRAM_BUFFERS; i++) {
		free(r->data[i]);
		r->data[i] = NULL;
	}
	free(r->ids);
	free(r->infos);
	free(r->differ);
	r->ids = r->infos = r->differ = NULL;
	free(r->out);
	free(r->dump);
	free(r->source);
	free(r->samples);
	free(r->lines);
	free(r->scratch);
	r->scratch = NULL;
	r->out = r->dump = r->source = r->samples = r->lines = NULL;
}
