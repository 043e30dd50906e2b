/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx_barrier.h"
#include "harness/device/reference/ptx_cluster.h"
#include "harness/device/reference/ptx_time.h"

/* After the barrier: the lanes of @w that waited go on. */
void bc_ptx_barrier_resume(struct bc_ptx_warp *w)
{
	for (unsigned s = 0; s < w->nsplit; s++) {
		if (w->split[s].state != BC_PTX_S_BARRIER)
			continue;
		w->split[s].state = BC_PTX_S_READY;
		w->split[s].pc++;
	}
	w->waiting = false;
}

static unsigned lane_of(const struct bc_ptx_split *sp)
{
	return (unsigned)__builtin_ctz(sp->mask);
}

/* All lanes of the warp name the same barrier in the same way? */
static bool same_barrier(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t id,
			 uint32_t count)
{
	const uint32_t kind = BC_PTX_FL_ARRIVE | BC_PTX_FL_COUNT_GIVEN;

	for (unsigned s = 0; s < w->nsplit; s++) {
		const struct bc_ptx_insn *at = &x->k->code[w->split[s].pc];

		for (uint32_t m = w->split[s].mask; m != 0; m &= m - 1) {
			const unsigned l = (unsigned)__builtin_ctz(m);

			if (!(at->flags & BC_PTX_FL_CLUSTER) && w->r[at->src[0] + l] == id && at->mode == in->mode &&
			    (at->flags & kind) == (in->flags & kind) &&
			    (!(at->flags & BC_PTX_FL_COUNT_GIVEN) || w->r[at->src[1] + l] == count))
				continue;
			bc_ptx_fail_at(x, w->b, at,
				       "lanes of warp %u wait at different barriers (lane %u at barrier %llu)",
				       w->index, l, (unsigned long long)w->r[at->src[0] + l]);
			return false;
		}
	}
	return true;
}

static uint32_t live_warps(const struct bc_ptx_block *b)
{
	uint32_t live = 0;

	for (uint32_t i = 0; i < b->nwarps; i++)
		live |= (uint32_t)!b->warp[i].done << i;
	return live;
}

/* What the race check learns from a barrier that completes. */
static void order_accesses(struct bc_ptx_run *x, struct bc_ptx_block *b, const struct bc_ptx_barrier *bar)
{
	uint32_t release[BC_PTX_WARPS_MAX], acquire[BC_PTX_WARPS_MAX];
	struct bc_error err;

	if (!b->shared->race)
		return;
	if (bar->waiting == live_warps(b) && b->alone) {
		bc_ptx_race_barrier_all(b->shared->race);
		return;
	}
	for (unsigned i = 0; i < BC_PTX_WARPS_MAX; i++) {
		release[i] = bar->arrivers >> i & 1 ? BC_PTX_FULL : 0;
		acquire[i] = bar->waiting >> i & 1 ? BC_PTX_FULL : 0;
	}
	if (bc_ptx_race_sync(b->shared->race, release, acquire, &err))
		bc_ptx_fail_at(x, b, &x->k->code[0], "%s", err.msg);
}

/* The reduction's result for the waiting lanes. */
static void put_reduction(struct bc_ptx_run *x, struct bc_ptx_warp *w, uint32_t popc, bool all, bool any)
{
	for (unsigned s = 0; s < w->nsplit; s++) {
		const struct bc_ptx_split *sp = &w->split[s];
		const struct bc_ptx_insn *in = &x->k->code[sp->pc];
		const bool t = in->mode == 'a' ? all : any;

		if (sp->state != BC_PTX_S_BARRIER || in->mode == 0)
			continue;
		if (in->mode != 'p') {
			w->p[in->dst] = (w->p[in->dst] & ~sp->mask) | (t ? sp->mask : 0);
			continue;
		}
		for (uint32_t m = sp->mask; m != 0; m &= m - 1)
			w->r[in->dst + (unsigned)__builtin_ctz(m)] = popc;
	}
}

static void complete(struct bc_ptx_run *x, struct bc_ptx_block *b, uint32_t id)
{
	struct bc_ptx_barrier *bar = &b->barrier[id];
	const struct bc_ptx_barrier done = *bar;
	const uint32_t expected = bar->counted ? bar->expected : (b->nwarps - b->ndone) * BC_LANES;

	if (bar->arrived == 0 || bar->arrived < expected)
		return;
	order_accesses(x, b, bar);
	*bar = (struct bc_ptx_barrier){ 0 };
	for (uint32_t i = 0; i < b->nwarps; i++) {
		if (!(done.waiting >> i & 1))
			continue;
		if (x->g->timing)
			b->warp[i].time.issue = done.cycle + 1;
		put_reduction(x, &b->warp[i], done.popc, done.all, done.any);
		bc_ptx_barrier_resume(&b->warp[i]);
	}
}

/* Predicates of the warp's lanes into the reduction. */
static void reduce(struct bc_ptx_run *x, struct bc_ptx_warp *w, struct bc_ptx_barrier *bar)
{
	for (unsigned s = 0; s < w->nsplit; s++) {
		const struct bc_ptx_insn *in = &x->k->code[w->split[s].pc];
		const uint32_t set = (w->p[in->psrc] ^ in->psrc_flip) & w->split[s].mask;

		bar->popc += (uint32_t)__builtin_popcount(set);
		bar->all = bar->all && set == w->split[s].mask;
		bar->any = bar->any || set != 0;
	}
}

/* Return: false after a failure. */
static bool join_barrier(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
			 struct bc_ptx_barrier *bar, uint32_t id, uint32_t count)
{
	const bool counted = (in->flags & BC_PTX_FL_COUNT_GIVEN) != 0;

	if (counted && (count == 0 || count % BC_LANES != 0)) {
		bc_ptx_fail_at(x, w->b, in, "barrier %u with a thread count of %u, which is no multiple of %d", id,
			       count, BC_LANES);
		return false;
	}
	if (bar->arrived == 0)
		*bar = (struct bc_ptx_barrier){ .counted = counted, .expected = count, .all = true };
	if (bar->counted != counted || bar->expected != count) {
		bc_ptx_fail_at(x, w->b, in, "warps give different thread counts for barrier %u (%u and %u; 0: all)", id,
			       bar->expected, count);
		return false;
	}
	if (bar->arrivers >> w->index & 1) {
		bc_ptx_fail_at(x, w->b, in, "warp %u arrives at barrier %u twice before it completes", w->index, id);
		return false;
	}
	bar->arrived += BC_LANES;
	bar->arrivers |= 1u << w->index;
	if (x->g->timing && bc_ptx_time_drain(w) > bar->cycle)
		bar->cycle = w->time.issue;
	reduce(x, w, bar);
	return true;
}

void bc_ptx_barrier_arrive(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	const unsigned lane = lane_of(&w->split[0]);
	const uint64_t id = w->r[in->src[0] + lane];
	const bool arrive = (in->flags & BC_PTX_FL_ARRIVE) != 0;
	uint32_t count = 0;

	if (in->flags & BC_PTX_FL_CLUSTER) {
		bc_ptx_cluster_barrier(x, w, in);
		return;
	}
	if (in->flags & BC_PTX_FL_COUNT_GIVEN)
		count = (uint32_t)w->r[in->src[1] + lane];
	if (id >= BC_PTX_BARRIERS) {
		bc_ptx_fail_at(x, w->b, in, "barrier %llu; there are barriers 0 to %d", (unsigned long long)id,
			       BC_PTX_BARRIERS - 1);
		return;
	}
	if (!same_barrier(x, w, in, (uint32_t)id, count))
		return;
	x->counts.barriers++;
	if (!arrive && h && h->skip_barrier && h->skip_barrier(h->ctx, w->b->linear, w->index, in->line)) {
		struct bc_ptx_barrier own = { .all = true };

		reduce(x, w, &own);
		put_reduction(x, w, own.popc, own.all, own.any);
		bc_ptx_barrier_resume(w);
		return;
	}
	if (!join_barrier(x, w, in, &w->b->barrier[id], (uint32_t)id, count))
		return;
	if (arrive) {
		bc_ptx_barrier_resume(w);
	} else {
		w->b->barrier[id].waiting |= 1u << w->index;
		w->waiting = true;
		w->barrier = (uint32_t)id;
	}
	complete(x, w->b, (uint32_t)id);
}

void bc_ptx_barrier_exit(struct bc_ptx_run *x, struct bc_ptx_block *b)
{
	b->ndone++;
	for (uint32_t id = 0; id < BC_PTX_BARRIERS && !x->failed; id++)
		if (!b->barrier[id].counted)
			complete(x, b, id);
	bc_ptx_cluster_exit(x, b);
}

void bc_ptx_barrier_deadlock(struct bc_ptx_run *x, const struct bc_ptx_block *b)
{
	for (uint32_t i = 0; i < b->nwarps; i++) {
		const struct bc_ptx_warp *w = &b->warp[i];
		const struct bc_ptx_barrier *bar = &b->barrier[w->barrier % BC_PTX_BARRIERS];

		if (!w->waiting)
			continue;
		if (w->barrier == BC_PTX_CLUSTER_BARRIER) {
			bc_ptx_fail_at(x, b, &x->k->code[w->split[0].pc],
				       "deadlock: warp %u waits at the cluster's barrier, and no warp can go on", i);
			return;
		}
		bc_ptx_fail_at(x, b, &x->k->code[w->split[0].pc],
			       "deadlock: barrier %u has %u of %u threads, and no warp can go on", w->barrier,
			       bar->arrived, bar->counted ? bar->expected : (b->nwarps - b->ndone) * BC_LANES);
		return;
	}
}
