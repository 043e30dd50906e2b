/* SPDX-License-Identifier: MIT */
#include "harness/app/library/canaries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/core/arch.h"
#include "harness/measure/canary.h"
#include "harness/measure/launch.h"

#define IMAGE_MAX (64u << 20)
#define STEPS 3 /* a base, one with conflicts, a clean one */
#define CLASSES (BC_APP_CANARIES_MAX / STEPS)
#define NONE BC_NCOUNTERS

/* The counters of a class, and the operation that proves them. */
static const struct class
{
	enum bc_class cls;
	enum bc_op op; /* BC_OP_NONE: global memory */
	enum bc_counter requests, wavefronts, conflicts, sectors;
} classes[] = {
	{ BC_CLASS_LD, BC_OP_LD32, BC_CTR_LD_REQUESTS, BC_CTR_LD_WAVEFRONTS, BC_CTR_LD_CONFLICTS, NONE },
	{ BC_CLASS_ST, BC_OP_ST32, BC_CTR_ST_REQUESTS, BC_CTR_ST_WAVEFRONTS, BC_CTR_ST_CONFLICTS, NONE },
	{ BC_CLASS_ATOM, BC_OP_ATOM32, BC_CTR_ATOM_REQUESTS, BC_CTR_ATOM_WAVEFRONTS, BC_CTR_ATOM_CONFLICTS, NONE },
	{ BC_CLASS_LDGSTS, BC_OP_CPA4, BC_CTR_LDGSTS_REQUESTS, NONE, BC_CTR_LDGSTS_CONFLICTS, NONE },
	{ BC_CLASS_GLOBAL_LD, BC_OP_NONE, BC_CTR_GLOBAL_LD_REQUESTS, NONE, NONE, BC_CTR_GLOBAL_LD_SECTORS },
	{ BC_CLASS_GLOBAL_ST, BC_OP_NONE, BC_CTR_GLOBAL_ST_REQUESTS, NONE, NONE, BC_CTR_GLOBAL_ST_SECTORS },
};

/* One launch, ready in the context. */
struct ready {
	struct bc_case_launch made;
	CUfunction f;
	unsigned char params[BC_LAUNCH_PARAMS_MAX];
	bool skipped; /* a base that its class does not need */
};

struct bc_app_canaries {
	const struct bc_cuda_api *cu;
	const struct class *cls[CLASSES];
	size_t n;
	uint32_t want;
	struct ready *ready; /* [n][STEPS] */
	CUmodule module[CLASSES];
	CUdeviceptr memory[BC_APP_CANARIES_MAX];
	size_t nmodules, nmemory;
	CUstream stream;
};

/* A canary needs 8 KB; where its shared memory starts plays no part. */
static const struct bc_arch arch = { .name = "any", .optin_bytes = 48u << 10 };

static bool wanted(const struct bc_app_canaries *c, enum bc_counter k)
{
	return k != NONE && (c->want >> k & 1u);
}

static enum bc_status make(const struct class *cls, unsigned step, struct ready *r, struct bc_error *err)
{
	struct bc_canary canary;

	bc_canary_get(cls->op, cls->cls, step == 2, &arch, &canary);
	r->skipped = canary.program && step == 0;
	if (r->skipped)
		return BC_OK;
	if (canary.program)
		return bc_case_launch_program(canary.program, &arch, 1, 0, &r->made, err);
	return bc_case_launch_count(&canary.pattern, &arch, "canary", step ? bc_case_launch_reps(&canary.pattern) : 0,
				    &r->made, err);
}

static enum bc_status load(struct bc_app_canaries *c, const char *kernels, const char *image, CUmodule *out,
			   struct bc_error *err)
{
	struct bc_text text = { 0 };
	char path[1200];
	enum bc_status st;

	(void)snprintf(path, sizeof(path), "%.1000s/%.100s.fatbin", kernels, image);
	st = bc_file_read(path, IMAGE_MAX, &text, err);
	if (!st)
		st = bc_cuda_check(c->cu->cuModuleLoadData(out, text.data), "cuModuleLoadData", image, err);
	if (!st)
		c->module[c->nmodules++] = *out;
	bc_text_release(&text);
	return st;
}

/* Memory for a launch's buffers, with what they hold, and their addresses in its parameters. */
static enum bc_status place(struct bc_app_canaries *c, struct ready *r, struct bc_error *err)
{
	const struct bc_launch *l = &r->made.launch;
	size_t bytes = 0, at = 0;
	CUdeviceptr memory = 0;
	enum bc_status st;

	memcpy(r->params, l->params, l->params_size);
	for (size_t b = 0; b < l->nbuffers; b++)
		bytes += (l->buffers[b].bytes + 255) / 256 * 256;
	st = bc_cuda_check(c->cu->cuMemAlloc(&memory, bytes ? bytes : 1), "cuMemAlloc", l->label, err);
	if (st)
		return st;
	c->memory[c->nmemory++] = memory;
	for (size_t b = 0; !st && b < l->nbuffers; b++) {
		const struct bc_buffer *buf = &l->buffers[b];
		const uint64_t address = (uint64_t)memory + at;

		if (buf->init)
			st = bc_cuda_check(c->cu->cuMemcpyHtoD((CUdeviceptr)address, buf->init, buf->bytes),
					   "cuMemcpyHtoD", l->label, err);
		memcpy(r->params + buf->param_offset, &address, sizeof(address));
		at += (buf->bytes + 255) / 256 * 256;
	}
	return st;
}

static enum bc_status prepare(struct bc_app_canaries *c, const char *kernels, size_t i, struct bc_error *err)
{
	CUmodule module = NULL;
	enum bc_status st = BC_OK;

	for (unsigned step = 0; !st && step < STEPS; step++) {
		struct ready *r = &c->ready[i * STEPS + step];

		st = make(c->cls[i], step, r, err);
		if (st || r->skipped)
			continue;
		if (!module)
			st = load(c, kernels, r->made.launch.image, &module, err);
		if (!st)
			st = bc_cuda_check(c->cu->cuModuleGetFunction(&r->f, module, r->made.launch.kernel),
					   "cuModuleGetFunction", r->made.launch.kernel, err);
		if (!st)
			st = place(c, r, err);
	}
	return st;
}

enum bc_status bc_app_canaries_open(const struct bc_cuda_api *cu, const char *kernels, uint32_t want,
				    struct bc_app_canaries **out, struct bc_error *err)
{
	struct bc_app_canaries *c = calloc(1, sizeof(*c));
	enum bc_status st = BC_OK;

	if (!c)
		return bc_fail(err, BC_ENOMEM, "canaries: out of memory");
	c->cu = cu;
	c->want = want;
	for (size_t i = 0; i < BC_ARRAY_LEN(classes); i++)
		if (wanted(c, classes[i].requests) || wanted(c, classes[i].wavefronts) ||
		    wanted(c, classes[i].conflicts) || wanted(c, classes[i].sectors))
			c->cls[c->n++] = &classes[i];
	c->ready = calloc(c->n * STEPS + 1, sizeof(*c->ready));
	if (!c->ready)
		st = bc_fail(err, BC_ENOMEM, "canaries: out of memory");
	if (!st)
		st = bc_cuda_check(cu->cuStreamCreate(&c->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate", NULL, err);
	for (size_t i = 0; !st && i < c->n; i++)
		st = prepare(c, kernels, i, err);
	if (st)
		bc_app_canaries_close(c);
	else
		*out = c;
	return st;
}

size_t bc_app_canaries_first(const struct bc_app_canaries *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n * STEPS; i++)
		n += !c->ready[i].skipped;
	return n;
}

size_t bc_app_canaries_last(const struct bc_app_canaries *c)
{
	return c->n * (STEPS - 1);
}

/* The @i-th launch of the beginning (skipped ones are none) or of the end (no base). */
static size_t find(const struct bc_app_canaries *c, size_t i, bool end)
{
	size_t at = 0;

	for (;; at++) {
		if (c->ready[at].skipped || (end && at % STEPS == 0))
			continue;
		if (i-- == 0)
			return at;
	}
}

enum bc_status bc_app_canaries_launch(struct bc_app_canaries *c, size_t i, bool end, struct bc_error *err)
{
	struct ready *r = &c->ready[find(c, i, end)];
	const struct bc_launch *l = &r->made.launch;
	size_t size = l->params_size;
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, r->params, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
			  CU_LAUNCH_PARAM_END };

	return bc_cuda_check(c->cu->cuLaunchKernel(r->f, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
						   l->block[2], l->shared_bytes, c->stream, NULL, extra),
			     "cuLaunchKernel", "canary", err);
}

static uint64_t less(const struct bc_counts *c, const struct bc_counts *base, enum bc_counter k)
{
	const uint64_t b = base ? base->v[k] : 0;

	return c->v[k] >= b ? c->v[k] - b : UINT64_MAX;
}

/* Does counter @k, if it was read, show @n? */
static bool shows(const struct bc_app_canaries *c, const struct bc_counts *counts, const struct bc_counts *base,
		  enum bc_counter k, uint64_t n, char *why, size_t size)
{
	if (!wanted(c, k) || !(counts->present >> k & 1u) || less(counts, base, k) == n)
		return true;
	(void)snprintf(why, size,
		       "void counters: %s of a canary reads %" PRId64 " instead of %" PRIu64
		       ": is another profiler (DCGM, ncu) reading them?",
		       bc_counter_name(k), (int64_t)less(counts, base, k), n);
	return false;
}

bool bc_app_canaries_match(const struct bc_app_canaries *c, const struct bc_counts *first, const struct bc_counts *last,
			   char *why, size_t size)
{
	const struct bc_counts *base = NULL;
	bool right = true;

	for (size_t at = 0; right && at < c->n * STEPS; at++) {
		const struct class *cls = c->cls[at / STEPS];
		const struct ready *r = &c->ready[at];
		const uint64_t q = r->made.requests;
		struct bc_canary want;

		if (at % STEPS == 0)
			base = r->skipped ? NULL : first;
		if (at % STEPS == 0) {
			first += !r->skipped;
			continue;
		}
		bc_canary_get(cls->op, cls->cls, at % STEPS == 2, &arch, &want);
		for (int end = 0; right && end < 2; end++) {
			const struct bc_counts *n = end ? last : first;

			right = shows(c, n, base, cls->requests, q, why, size) &&
				shows(c, n, base, cls->wavefronts, q * want.wavefronts, why, size) &&
				shows(c, n, base, cls->conflicts, q * want.conflicts, why, size) &&
				shows(c, n, base, cls->sectors, q * want.sectors, why, size);
		}
		first++;
		last++;
	}
	return right;
}

void bc_app_canaries_close(struct bc_app_canaries *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nmemory; i++)
		(void)c->cu->cuMemFree(c->memory[i]);
	for (size_t i = 0; i < c->nmodules; i++)
		(void)c->cu->cuModuleUnload(c->module[i]);
	for (size_t i = 0; c->ready && i < c->n * STEPS; i++)
		bc_case_launch_release(&c->ready[i].made);
	if (c->stream)
		(void)c->cu->cuStreamDestroy(c->stream);
	free(c->ready);
	free(c);
}
