/* SPDX-License-Identifier: MIT */
#include "harness/tests/measure/fake_device.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/core/banks.h"
#include "kernels/bc_kernel.h"

#define PARAM(field) offsetof(struct bc_pattern_params, field)
#define UNWRITTEN 0xee /* what shared memory holds where nobody wrote */

struct bc_device {
	struct bc_fake *f;
};

/* A launch with its buffers in place. */
struct grid {
	struct bc_fake *f;
	const struct bc_launch *l;
	struct bc_pattern_params p;
	enum bc_op op;
	bool clock;
	unsigned char *memory[BC_LAUNCH_BUFFERS];
	unsigned char *shared;
};

struct bc_arch bc_fake_arch(void)
{
	return (struct bc_arch){ .name = "sm_90",
				 .cc = 90,
				 .warp_lanes = 32,
				 .banks = 32,
				 .bank_bytes = 4,
				 .window_base = 1024,
				 .optin_bytes = 232448,
				 .sm_bytes = 233472,
				 .reserved_bytes = 1024,
				 .static_bytes = 49152,
				 .pair_rule = 1,
				 .ldmatrix = 1,
				 .stmatrix = 1,
				 .cp_async = 1,
				 .ldgsts_conflicts = 1,
				 .redux = 1,
				 .mma_sync = 1,
				 .mbarrier = 1,
				 .cluster = 1,
				 .bulk_copy = 1,
				 .wgmma = 1,
				 .tensor_atoms = 0,
				 .popc_inc = 1,
				 .max_warps_sm = 64,
				 .max_blocks_sm = 32,
				 .confirmed = "none" };
}

struct bc_device *bc_fake_open(struct bc_fake *f)
{
	struct bc_device *d = calloc(1, sizeof(*d));

	ck_assert_ptr_nonnull(d);
	if (!f->arch.name[0])
		f->arch = bc_fake_arch();
	if (!f->facts.arch[0])
		(void)bc_strlcpy(f->facts.arch, f->arch.name, sizeof(f->facts.arch));
	d->f = f;
	return d;
}

/* Remember what is wrong with a launch; the first stands. */
static enum bc_status bad(struct grid *g, const char *what, struct bc_error *err)
{
	if (!g->f->bad_launch[0])
		(void)snprintf(g->f->bad_launch, sizeof(g->f->bad_launch), "%s of %s: %s", g->l->kernel, g->l->label,
			       what);
	return bc_fail(err, BC_EDEVICE, "fake: %s: %s", g->l->label, what);
}

/* The buffer whose address goes to @offset of the parameters, NULL: none. */
static void *buffer(const struct grid *g, size_t offset, size_t *bytes)
{
	for (size_t i = 0; i < g->l->nbuffers; i++) {
		if (g->l->buffers[i].param_offset != offset)
			continue;
		*bytes = g->l->buffers[i].bytes;
		return g->memory[i];
	}
	*bytes = 0;
	return NULL;
}

/* "bc_ld32_clock" to its parts. */
static enum bc_status find_kernel(struct grid *g, struct bc_error *err)
{
	char name[64];
	char *end;

	if (strncmp(g->l->kernel, "bc_", 3) != 0 || !bc_strlcpy(name, g->l->kernel + 3, sizeof(name)))
		return bad(g, "no such kernel", err);
	end = strstr(name, "_clock");
	g->clock = end != NULL;
	if (end)
		*end = '\0';
	g->op = bc_op_parse(name);
	if (g->op == BC_OP_NONE)
		return bad(g, "no such kernel", err);
	if (strcmp(g->l->image, bc_op_info(g->op)->store ? "pattern_st" : "pattern_ld") != 0)
		return bad(g, "the kernel is not in that image", err);
	return BC_OK;
}

static unsigned words(const struct grid *g)
{
	return bc_op_info(g->op)->bytes < 4 ? 1 : bc_op_info(g->op)->bytes / 4;
}

/* Are shape, offsets and buffers what the kernel needs? */
static enum bc_status check_launch(struct grid *g, struct bc_error *err)
{
	const struct bc_op_info *op = bc_op_info(g->op);
	const unsigned warps = g->clock && op->store ? 4 : 1;
	size_t bytes;
	const uint32_t *offsets = buffer(g, PARAM(offsets), &bytes);

	if (g->l->grid[0] != 1 || g->l->grid[1] != 1 || g->l->grid[2] != 1 || g->l->block[0] != 32 * warps ||
	    g->l->block[1] != 1 || g->l->block[2] != 1)
		return bad(g, "wrong shape", err);
	if (!offsets || bytes != 128)
		return bad(g, "no offsets", err);
	if (g->l->shared_bytes > g->f->arch.optin_bytes)
		return bad(g, "more shared memory than a block can have", err);
	for (unsigned lane = 0; lane < BC_LANES; lane++)
		for (uint32_t k = 0; g->p.mask >> lane & 1 && k < (g->clock ? BC_TIMED_ACCESSES : g->p.count); k++)
			if (offsets[lane] + (uint64_t)k * g->p.step + op->bytes > g->l->shared_bytes ||
			    (offsets[lane] + k * g->p.step) % op->bytes)
				return bad(g, "an access outside shared memory or misaligned", err);
	(void)buffer(g, PARAM(lines), &bytes);
	if (bytes != g->p.nlines * sizeof(uint32_t))
		return bad(g, "the list of lines has another length", err);
	if (buffer(g, PARAM(results), &bytes) && bytes != (size_t)g->p.count * BC_LANES * words(g) * 4)
		return bad(g, "the results have another length", err);
	if (buffer(g, PARAM(dump), &bytes) && bytes != (size_t)g->p.nlines * BC_LINE_BYTES)
		return bad(g, "the dump has another length", err);
	if (buffer(g, PARAM(info), &bytes) && bytes != 8)
		return bad(g, "the window's facts have another length", err);
	if (g->clock != (buffer(g, PARAM(samples), &bytes) != NULL) || bytes != (size_t)g->p.nsamples * 32)
		return bad(g, "the samples have another length", err);
	return BC_OK;
}

static void release(struct grid *g)
{
	for (size_t i = 0; i < BC_LAUNCH_BUFFERS; i++)
		free(g->memory[i]);
	free(g->shared);
}

static enum bc_status prepare(struct grid *g, struct bc_fake *f, const struct bc_launch *l, struct bc_error *err)
{
	enum bc_status st;

	memset(g, 0, sizeof(*g));
	g->f = f;
	g->l = l;
	if (l->params_size != sizeof(g->p))
		return bad(g, "no pattern parameters", err);
	memcpy(&g->p, l->params, sizeof(g->p));
	for (size_t i = 0; i < l->nbuffers; i++) {
		g->memory[i] = malloc(l->buffers[i].bytes ? l->buffers[i].bytes : 1);
		ck_assert_ptr_nonnull(g->memory[i]);
		if (l->buffers[i].init)
			memcpy(g->memory[i], l->buffers[i].init, l->buffers[i].bytes);
		else
			memset(g->memory[i], l->buffers[i].poison, l->buffers[i].bytes);
	}
	g->shared = malloc(l->shared_bytes ? l->shared_bytes : 1);
	ck_assert_ptr_nonnull(g->shared);
	memset(g->shared, UNWRITTEN, l->shared_bytes);
	st = find_kernel(g, err);
	return st ? st : check_launch(g, err);
}

static void copy_out(const struct grid *g)
{
	for (size_t i = 0; i < g->l->nbuffers; i++)
		if (g->l->buffers[i].out)
			memcpy(g->l->buffers[i].out, g->memory[i], g->l->buffers[i].bytes);
}

static void fill(struct grid *g)
{
	size_t bytes;
	const uint32_t *lines = buffer(g, PARAM(lines), &bytes);

	for (uint32_t i = 0; i < g->p.nlines; i++) {
		for (uint32_t w = 0; w < BC_LINE_WORDS; w++) {
			const uint32_t at = lines[i] * BC_LINE_BYTES + w * 4;
			const uint32_t word = g->clock ? 0 : bc_fill_word(at, g->p.seed);

			ck_assert_uint_le(at + 4, g->l->shared_bytes);
			memcpy(g->shared + at, &word, 4);
		}
	}
}

/* Request @k of one lane. */
static void access_once(struct grid *g, const uint32_t *offsets, uint32_t *results, uint32_t k, uint32_t lane)
{
	const unsigned bytes = bc_op_info(g->op)->bytes;
	unsigned char *at = g->shared + offsets[lane] + (size_t)k * g->p.step;
	const bool wrong = g->f->wrong_label && strcmp(g->f->wrong_label, g->l->label) == 0 && g->f->wrong_lane == lane;
	uint32_t word[4] = { 0 };

	if (bc_op_info(g->op)->store) {
		for (unsigned j = 0; j < words(g); j++)
			word[j] = bc_store_word(k, lane, j, g->p.seed);
		word[0] ^= wrong;
		memcpy(at, word, bytes);
	} else {
		memcpy(word, at, bytes);
		word[0] ^= wrong;
		if (results)
			memcpy(results + (k * BC_LANES + lane) * words(g), word, 4 * words(g));
	}
}

static void run_data(struct grid *g)
{
	size_t bytes;
	const uint32_t *offsets = buffer(g, PARAM(offsets), &bytes), *lines = buffer(g, PARAM(lines), &bytes);
	uint32_t *results = buffer(g, PARAM(results), &bytes), *info = buffer(g, PARAM(info), &bytes);
	unsigned char *dump = buffer(g, PARAM(dump), &bytes);

	if (info) {
		info[0] = g->f->arch.window_base;
		info[1] = g->l->shared_bytes;
	}
	fill(g);
	for (uint32_t rep = 0; rep < g->p.reps; rep++)
		for (uint32_t k = 0; k < g->p.count; k++)
			for (uint32_t lane = 0; lane < BC_LANES; lane++)
				if (g->p.mask >> lane & 1)
					access_once(g, offsets, results, k, lane);
	for (uint32_t i = 0; dump && i < g->p.nlines; i++)
		memcpy(dump + (size_t)i * BC_LINE_BYTES, g->shared + (size_t)lines[i] * BC_LINE_BYTES, BC_LINE_BYTES);
}

/* The bank laws on request @k. */
static struct bc_wavefronts law(const struct grid *g, uint32_t k)
{
	const struct bc_geometry geometry = bc_arch_geometry(&g->f->arch);
	size_t bytes;
	const uint32_t *offsets = buffer(g, PARAM(offsets), &bytes);
	struct bc_wavefronts w = { 0 };
	struct bc_error err = { .msg = "" };
	uint32_t addr[BC_LANES];

	for (unsigned lane = 0; lane < BC_LANES; lane++)
		addr[lane] = g->f->arch.window_base + offsets[lane] + k * g->p.step;
	ck_assert_msg(bc_banks_count(&geometry, g->op, addr, g->p.mask, &w, &err) == BC_OK, "%s", err.msg);
	return w;
}

/* Cycles of BC_TIMED_ACCESSES accesses. The %clock register wraps in the middle of every second sample. */
static void run_clock(struct grid *g)
{
	const bool store = bc_op_info(g->op)->store;
	size_t bytes;
	uint32_t *samples = buffer(g, PARAM(samples), &bytes);
	uint32_t cycles = 0;

	fill(g);
	for (uint32_t k = 0; k < BC_TIMED_ACCESSES; k++)
		cycles += store ? 4 * law(g, k).wavefronts : 23 + 2 * (law(g, k).wavefronts - 1);
	if (g->f->flat_clock || g->f->runs <= g->f->flat_clock_runs)
		cycles = 1000;
	memset(samples, 0, bytes);
	for (uint32_t s = 0; s < g->p.nsamples; s++) {
		const uint32_t start = s % 2 ? UINT32_MAX - 16 : 5000,
			       late = g->f->noisy_clock && s % 4 == 3 ? 9999 : 0;

		for (uint32_t warp = 0; warp < (store ? 4 : 1);
		     warp++) { /* the warps start and end one after another */
			samples[s * 8 + warp * 2] = start + warp;
			samples[s * 8 + warp * 2 + 1] = start + cycles + late - (3 - warp) * store;
		}
	}
}

static bool has_label(const char *label, const struct bc_launch *l)
{
	return label && strcmp(label, l->label) == 0;
}

/* The switches that make a whole call fail. */
static enum bc_status misbehave(struct bc_fake *f, bool now, const struct bc_launch *l, size_t n, struct bc_error *err)
{
	for (size_t i = 0; i < n; i++)
		now = now || has_label(f->bad_label, &l[i]);
	if (f->dead)
		return bc_fail(err, BC_EDEVICE, "fake: the device is not usable");
	if (!now)
		return BC_OK;
	f->dead = f->dies;
	return bc_fail(err, BC_EDEVICE, "fake: a launch failed");
}

static enum bc_status fake_run(struct bc_device *d, const struct bc_launch *l, size_t n, struct bc_error *err)
{
	enum bc_status st = misbehave(d->f, ++d->f->runs == d->f->fail_run, l, n, err);

	for (size_t i = 0; !st && i < n; i++) {
		struct grid g;

		st = prepare(&g, d->f, &l[i], err);
		if (!st && g.clock)
			run_clock(&g);
		else if (!st)
			run_data(&g);
		if (!st)
			copy_out(&g);
		release(&g);
	}
	return st;
}

static void put(struct bc_counts *c, enum bc_counter requests, uint64_t q, uint64_t w, uint64_t x)
{
	c->v[requests] = q; /* wavefronts and conflicts of a class follow its requests */
	c->v[requests + 1] = w;
	c->v[requests + 2] = x;
}

static void count_one(const struct grid *g, struct bc_counts *c)
{
	const struct bc_fake *f = g->f;
	const enum bc_counter first = bc_op_info(g->op)->store ? BC_CTR_ST_REQUESTS : BC_CTR_LD_REQUESTS;
	const bool call = (!f->fault_from && !f->fault_to) || (f->counts >= f->fault_from && f->counts <= f->fault_to);
	const bool faulty = call && (!f->fault_label || has_label(f->fault_label, g->l)) &&
			    (g->p.reps > 0 || f->fault == BC_FAKE_STUCK);
	uint64_t q = 0, w = 0, x = 0;

	for (uint32_t k = 0; k < g->p.count; k++) {
		const struct bc_wavefronts one = law(g, k);

		q += g->p.reps;
		w += (uint64_t)g->p.reps * one.wavefronts;
		x += (uint64_t)g->p.reps * one.conflicts;
	}
	q += f->overhead;
	w += f->overhead;
	x += f->overhead;
	switch (faulty ? f->fault : BC_FAKE_RIGHT) {
	case BC_FAKE_STUCK: put(c, first, 0, 0, 0); break;
	case BC_FAKE_DOUBLED: put(c, first, 2 * q, 2 * w, 2 * x); break;
	case BC_FAKE_ONE_MORE: put(c, first, q, w + 1, x + 1); break;
	case BC_FAKE_ONE_REQUEST_MORE: put(c, first, q + 1, w, x); break;
	case BC_FAKE_NOTHING: put(c, first, f->overhead - 1, f->overhead - 1, f->overhead - 1); break;
	default: put(c, first, q, w, x); break;
	}
}

/* What is wrong with the @n-th baseline. */
static void spoil_baseline(const struct bc_fake *f, unsigned n, enum bc_op op, struct bc_counts *c)
{
	const enum bc_counter first = bc_op_info(op)->store ? BC_CTR_ST_REQUESTS : BC_CTR_LD_REQUESTS;
	const int by = f->baselines_stray ? (int)n : n == f->wrong_baseline ? f->wrong_by : 0;

	for (unsigned i = first; i < first + 3; i++)
		c->v[i] += (uint64_t)(int64_t)by;
}

static enum bc_status fake_count(struct bc_device *d, const struct bc_launch *l, size_t n, uint32_t want,
				 struct bc_counts *counts, struct bc_error *err)
{
	enum bc_status st = misbehave(d->f, ++d->f->counts == d->f->fail_count, l, n, err);

	if (!st && d->f->refuse_from && d->f->counts >= d->f->refuse_from)
		st = bc_fail(err, BC_EDEVICE, "fake: the counters were taken away");
	for (size_t i = 0; !st && i < n; i++) {
		struct grid g;

		memset(&counts[i], 0, sizeof(counts[i]));
		st = prepare(&g, d->f, &l[i], err);
		if (!st) {
			d->f->launches++;
			d->f->baselines += g.p.reps == 0;
			count_one(&g, &counts[i]);
			if (g.p.reps == 0)
				spoil_baseline(d->f, d->f->baselines, g.op, &counts[i]);
			counts[i].present = want & ~d->f->missing;
		}
		release(&g);
	}
	if (!st)
		bc_counts_join(l, n, counts);
	return st;
}

static const struct bc_facts *fake_facts(const struct bc_device *d)
{
	return &d->f->facts;
}

static bool fake_alive(const struct bc_device *d)
{
	return !d->f->dead;
}

static void fake_close(struct bc_device *d)
{
	free(d);
}

static enum bc_status fake_image(struct bc_device *d, const char *image, uint64_t *hash, struct bc_error *err)
{
	(void)d;
	(void)err;
	*hash = bc_hash(BC_HASH_INIT, image, strlen(image));
	return BC_OK;
}

static void fake_state(struct bc_device *d, struct bc_device_state *out)
{
	d->f->looks++;
	*out = d->f->state;
}

static void fake_events_since(struct bc_device *d, struct bc_device_events *out)
{
	*out = d->f->events;
	memset(&d->f->events, 0, sizeof(d->f->events));
}

const struct bc_device_ops bc_device_fake = {
	.name = "fake",
	.facts = fake_facts,
	.image = fake_image,
	.run = fake_run,
	.count = fake_count,
	.pack = 1,
	.alive = fake_alive,
	.close = fake_close,
	.state = fake_state,
	.events_since = fake_events_since,
};
