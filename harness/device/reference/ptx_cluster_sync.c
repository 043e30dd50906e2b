/* SPDX-License-Identifier: MIT */
/* Barriers of a cluster, and races between its blocks.
 *
 * A warp counts its arrivals and its waits. What it did before its arrival number n is ordered before what others do
 * after their wait number n. That of a relaxed arrival is not.
 */
#include "harness/device/reference/ptx_barrier.h"
#include "harness/device/reference/ptx_cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct touch {
	struct bc_ptx_cluster_who {
		uint32_t who; /* rank * 1024 + thread, + 1; 0: nobody */
		uint32_t at;  /* its arrivals before, those that order */
		uint32_t stmt;
	} writer, reader[2]; /* readers: the last two different blocks; the newest first */
	bool atomic;
};

enum bc_status bc_ptx_cluster_watch(struct bc_ptx_shared *s, struct bc_error *err)
{
	s->touch = calloc(s->bytes + 1u, sizeof(struct touch));
	return s->touch ? BC_OK
			: bc_fail(err, BC_ENOMEM, "out of memory for the race check of %u shared bytes", s->bytes);
}

void bc_ptx_cluster_forget(struct bc_ptx_shared *s)
{
	if (s->touch)
		memset(s->touch, 0, (size_t)s->bytes * sizeof(struct touch));
}

static uint32_t rank_of(const struct bc_ptx_cluster_who *o)
{
	return (o->who - 1) / 1024;
}

/* Did another block do it, and nothing puts it before what @w does now? */
static bool unordered(const struct bc_ptx_cluster_who *o, const struct bc_ptx_warp *w)
{
	return o->who != 0 && rank_of(o) != w->b->rank && o->at >= w->cluster_waits;
}

static void report(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
		   uint64_t addr, uint32_t bytes, bool write, const struct bc_ptx_cluster_who *o)
{
	const uint32_t *id = x->block[rank_of(o)].id;
	char detail[96];

	(void)snprintf(detail, sizeof(detail), "of block (%u,%u,%u): no barrier of the cluster is between", id[0],
		       id[1], id[2]);
	const struct bc_ptx_where_at at = {
		.kind = BC_PTX_RACE,
		.space = BC_PTX_SHARED,
		.lane = lane,
		.addr = addr,
		.bytes = bytes,
		.write = write,
		.other_line = x->k->code[o->stmt].line,
		.other_thread = (o->who - 1) % 1024,
		.detail = detail,
	};
	bc_ptx_add_finding(x, w, in, &at);
}

void bc_ptx_cluster_touch(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
			  uint64_t addr, uint32_t bytes, bool write, bool atomic)
{
	const struct bc_ptx_shared *s = x->remote ? x->remote : w->b->shared;
	const struct bc_ptx_cluster_who me = { w->b->rank * 1024 + w->index * BC_LANES + lane + 1, w->cluster_orders,
					       in->stmt };
	const struct bc_ptx_cluster_who *other = NULL;
	struct touch *t = (struct touch *)s->touch + (addr - s->base);

	for (uint32_t i = 0; i < bytes; i++, t++) {
		if (unordered(&t->writer, w) && !(atomic && t->atomic))
			other = &t->writer;
		for (unsigned r = 0; r < 2 && write && !other; r++)
			if (unordered(&t->reader[r], w))
				other = &t->reader[r];
		if (other) {
			report(x, w, in, lane, addr + i, bytes, write, other);
			return;
		}
		if (write) {
			t->writer = me;
			t->atomic = atomic;
			continue;
		}
		if (t->reader[0].who && rank_of(&t->reader[0]) != w->b->rank)
			t->reader[1] = t->reader[0];
		t->reader[0] = me;
	}
}

/* The blocks of @b's cluster. */
static struct bc_ptx_block *blocks(struct bc_ptx_run *x, struct bc_ptx_block *b)
{
	return x->g->ranks > 1 ? x->block : b;
}

static void end_phase(struct bc_ptx_run *x, struct bc_ptx_block *first, uint64_t cycle)
{
	for (unsigned i = 0; i < x->g->ranks; i++) {
		struct bc_ptx_block *b = &first[i];

		b->cluster_phases++;
		if (b->shared->race && b->alone)
			bc_ptx_race_barrier_all(b->shared->race);
		for (uint32_t k = 0; k < b->nwarps; k++) {
			struct bc_ptx_warp *w = &b->warp[k];

			if (w->done || !w->waiting || w->barrier != BC_PTX_CLUSTER_BARRIER)
				continue;
			w->cluster_waits++;
			if (x->g->timing)
				w->time.issue = cycle + 1;
			bc_ptx_barrier_resume(w);
		}
	}
}

/* Has every warp that goes on arrived? */
static void complete(struct bc_ptx_run *x, struct bc_ptx_block *of)
{
	struct bc_ptx_block *first = blocks(x, of);
	uint64_t cycle = 0;
	bool any = false;

	for (unsigned i = 0; i < x->g->ranks; i++)
		for (uint32_t k = 0; k < first[i].nwarps; k++) {
			const struct bc_ptx_warp *w = &first[i].warp[k];

			if (w->done)
				continue;
			if (w->cluster_arrivals <= of->cluster_phases)
				return;
			any = true;
			cycle = w->time.issue > cycle ? w->time.issue : cycle;
		}
	if (any)
		end_phase(x, first, cycle);
}

void bc_ptx_cluster_exit(struct bc_ptx_run *x, struct bc_ptx_block *b)
{
	if (!x->failed)
		complete(x, b);
}

void bc_ptx_cluster_barrier(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	const uint32_t kind = BC_PTX_FL_ARRIVE | BC_PTX_FL_CLUSTER;

	for (unsigned s = 0; s < w->nsplit; s++)
		if ((x->k->code[w->split[s].pc].flags & kind) != (in->flags & kind)) {
			bc_ptx_fail_at(x, w->b, in, "lanes of warp %u wait at different barriers", w->index);
			return;
		}
	if (in->flags & BC_PTX_FL_ARRIVE) {
		if (w->cluster_arrivals > w->cluster_waits) {
			bc_ptx_fail_at(x, w->b, in, "warp %u arrives at the cluster's barrier twice without a wait",
				       w->index);
			return;
		}
		w->cluster_arrivals++;
		if (!(in->flags & BC_PTX_FL_RELAXED))
			w->cluster_orders = w->cluster_arrivals;
		bc_ptx_barrier_resume(w);
		complete(x, w->b);
		return;
	}
	if (w->cluster_arrivals == w->cluster_waits) {
		bc_ptx_fail_at(x, w->b, in, "warp %u waits at the cluster's barrier and has not arrived", w->index);
		return;
	}
	if (w->b->cluster_phases > w->cluster_waits || (h && h->cluster & BC_PTX_CLUSTER_UNORDERED)) {
		w->cluster_waits++;
		bc_ptx_barrier_resume(w);
		return;
	}
	w->waiting = true;
	w->barrier = BC_PTX_CLUSTER_BARRIER;
}
