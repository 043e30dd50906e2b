/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx_time.h"

/*
 * Cycles from a load to the use of its value, by compute capability. Sources: docs/reference-device.md. Shared memory:
 * one wavefront. An architecture without a row of its own has that of the next older one.
 */
static const struct {
	uint32_t cc;
	struct bc_ptx_timing is;
} timings[] = {
	{ 70, { .shared = 19, .l1 = 28, .l2 = 193 } },
	{ 80, { .shared = 23, .l1 = 33, .l2 = 200 } },
	{ 89, { .shared = 30, .l1 = 33, .l2 = 200 } },
	{ 90, { .shared = 23, .l1 = 34, .l2 = 284 } },
};

/* Published for every architecture from sm_70 on. */
#define WARP_WAVEFRONT 2u /* cycles of one warp's path for each wavefront */
#define SM_WAVEFRONT 1u	  /* of the path of all warps of an SM */
#define GROUP 1u	  /* for each group of lanes beyond the first */

struct bc_ptx_timing bc_ptx_timing_of(const struct bc_arch *a)
{
	struct bc_ptx_timing t = timings[0].is;

	for (size_t i = 0; i < BC_ARRAY_LEN(timings); i++)
		if (timings[i].cc <= a->cc)
			t = timings[i].is;
	return t;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void bc_ptx_time_begin(struct bc_ptx_run *x)
{
	x->served = (struct bc_ptx_served){ 0 };
}

/* The registers of a list that the instruction reads, or writes. */
static bool list_has(const struct bc_ptx_insn *in, enum bc_ptx_list_use use)
{
	return in->list_use == (uint8_t)use;
}

static uint64_t operands_ready(const struct bc_ptx_run *x, const struct bc_ptx_warp *w, const struct bc_ptx_insn *in)
{
	const uint64_t *ready = w->time.ready;
	uint64_t t = 0;

	for (unsigned i = 0; i < BC_ARRAY_LEN(in->src); i++)
		t = later(t, ready[in->src[i] / BC_LANES]);
	for (uint32_t i = 0; list_has(in, BC_PTX_LIST_READ) && i < in->nregs; i++)
		t = later(t, ready[x->k->list[in->list + i] / BC_LANES]);
	return t;
}

/* Columns 0 and 1 are no registers; a predicate's number may look like one of them. */
static void set_ready(struct bc_ptx_warp *w, uint32_t slot, uint64_t t)
{
	if (slot >= 2 * BC_LANES)
		w->time.ready[slot / BC_LANES] = t;
}

/* Shared memory serves the request when both paths are free, from @t on. While it waits for its own warp's path, other
 * warps have the SM's. Return: when it is done. */
static uint64_t serve_shared(struct bc_ptx_run *x, struct bc_ptx_warp *w, uint64_t t)
{
	const struct bc_ptx_served *s = &x->served;
	const uint64_t start = later(t, later(w->time.path, w->b->path));

	w->time.path = start + (uint64_t)WARP_WAVEFRONT * s->wavefronts;
	w->b->path = later(t, w->b->path) + (uint64_t)SM_WAVEFRONT * s->wavefronts;
	return start + x->g->timing->shared + (uint64_t)WARP_WAVEFRONT * (s->wavefronts - 1) +
	       (uint64_t)GROUP * (s->groups > 0 ? s->groups - 1 : 0);
}

void bc_ptx_time_end(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in)
{
	const struct bc_ptx_timing *timing = x->g->timing;
	const uint64_t start = later(w->time.issue, operands_ready(x, w, in));
	uint64_t done = start;

	if (x->served.wavefronts > 0)
		done = serve_shared(x, w, start);
	if (x->served.global)
		done = later(done, start + (in->flags & BC_PTX_FL_CACHE_GLOBAL ? timing->l2 : timing->l1));
	w->time.issue++;
	w->time.done = later(w->time.done, done);
	set_ready(w, in->dst, done);
	set_ready(w, in->dst2, done);
	for (uint32_t i = 0; list_has(in, BC_PTX_LIST_WRITTEN) && i < in->nregs; i++)
		set_ready(w, x->k->list[in->list + i], done);
}

uint64_t bc_ptx_time_drain(struct bc_ptx_warp *w)
{
	w->time.issue = later(w->time.issue, w->time.done);
	return w->time.issue;
}

/* A number from 0 to @max, the same for the same place and time. */
static uint64_t noise(const struct bc_ptx_warp *w, uint64_t t, uint64_t seed, uint32_t max)
{
	uint64_t z = seed + (t + 1) * UINT64_C(0x9e3779b97f4a7c15) + (w->b->linear << 5 | w->index);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9); /* splitmix64 */
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % ((uint64_t)max + 1);
}

uint64_t bc_ptx_time_read(struct bc_ptx_run *x, struct bc_ptx_warp *w)
{
	const struct bc_ptx_timing *timing = x->g->timing;
	const uint64_t t = bc_ptx_time_drain(w);

	return timing->noise ? t + noise(w, t, timing->seed, timing->noise) : t;
}
