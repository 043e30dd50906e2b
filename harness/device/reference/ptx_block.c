/* SPDX-License-Identifier: MIT */
/* A block: its warps in turn. */
#include "harness/device/reference/ptx_block.h"

#include <string.h>

#include "harness/device/reference/ptx_barrier.h"
#include "harness/device/reference/ptx_cluster.h"
#include "harness/device/reference/ptx_mbarrier.h"
#include "harness/device/reference/ptx_warp.h"

#define COOPERATIVE_QUANTUM 64u /* of a warp's turn, where blocks may wait for others by asking again and again */

static void fill_specials(struct bc_ptx_run *x, struct bc_ptx_warp *w)
{
	const struct bc_ptx_kernel *k = x->k;
	const struct bc_ptx_launch *l = x->g->l;
	const struct bc_ptx_block *b = w->b;

	for (unsigned lane = 0; lane < BC_LANES; lane++) {
		const uint32_t t = w->index * BC_LANES + lane, bit = 1u << lane;
		uint64_t v[BC_PTX_NSPECIALS] = {
			[BC_PTX_SR_TID_X] = t % l->block[0],
			[BC_PTX_SR_TID_Y] = t / l->block[0] % l->block[1],
			[BC_PTX_SR_TID_Z] = t / l->block[0] / l->block[1],
			[BC_PTX_SR_NTID_X] = l->block[0],
			[BC_PTX_SR_NTID_Y] = l->block[1],
			[BC_PTX_SR_NTID_Z] = l->block[2],
			[BC_PTX_SR_CTAID_X] = b->id[0],
			[BC_PTX_SR_CTAID_Y] = b->id[1],
			[BC_PTX_SR_CTAID_Z] = b->id[2],
			[BC_PTX_SR_NCTAID_X] = l->grid[0],
			[BC_PTX_SR_NCTAID_Y] = l->grid[1],
			[BC_PTX_SR_NCTAID_Z] = l->grid[2],
			[BC_PTX_SR_LANEID] = lane,
			[BC_PTX_SR_WARPID] = w->index,
			[BC_PTX_SR_NWARPID] = BC_PTX_WARPS_MAX,
			[BC_PTX_SR_SMID] = b->sm,
			[BC_PTX_SR_NSMID] = l->sms ? l->sms : 1,
			[BC_PTX_SR_GRIDID] = 0,
			[BC_PTX_SR_LANEMASK_EQ] = bit,
			[BC_PTX_SR_LANEMASK_LT] = bit - 1,
			[BC_PTX_SR_LANEMASK_LE] = bit | (bit - 1),
			[BC_PTX_SR_LANEMASK_GT] = ~(bit | (bit - 1)),
			[BC_PTX_SR_LANEMASK_GE] = ~(bit - 1),
			[BC_PTX_SR_DYNAMIC_SMEM_SIZE] = l->shared_bytes,
			[BC_PTX_SR_TOTAL_SMEM_SIZE] = (uint64_t)x->g->shared_bytes + k->arch.reserved_bytes,
		};

		bc_ptx_cluster_specials(x->g, b, v);
		for (unsigned s = 0; s < BC_PTX_NSPECIALS; s++)
			if (k->special[s] != 0)
				w->r[k->special[s] + lane] = v[s];
	}
}

static void start_block(struct bc_ptx_run *x, struct bc_ptx_block *b, uint64_t n, unsigned ordinal, bool alone)
{
	const uint32_t *block = x->g->l->block;

	bc_ptx_cluster_place(x->g, n, b);
	b->cluster_phases = 0;
	b->sm = (uint32_t)(b->linear % (x->g->l->sms ? x->g->l->sms : 1));
	b->ordinal = ordinal;
	b->alone = alone;
	b->nthreads = block[0] * block[1] * block[2];
	b->nwarps = (b->nthreads + BC_LANES - 1) / BC_LANES;
	b->ndone = 0;
	b->serial = 0;
	b->npending = 0;
	b->path = 0;
	memset(b->barrier, 0, sizeof(b->barrier));
	for (uint32_t i = 0; i < b->nwarps; i++) {
		b->warp[i].b = b;
		b->warp[i].index = i;
		bc_ptx_warp_start(x, &b->warp[i]);
		fill_specials(x, &b->warp[i]);
	}
}

/* With a timing: the warp that is behind all others in time runs, up to the cycle where another one is. */
static bool timed_turn(struct bc_ptx_run *x, struct bc_ptx_block *b)
{
	struct bc_ptx_warp *first = NULL;
	unsigned ready = 0;

	for (uint32_t i = 0; i < b->nwarps; i++) {
		struct bc_ptx_warp *w = &b->warp[i];

		if (w->done || w->waiting)
			continue;
		ready++;
		if (!first || w->time.issue < first->time.issue)
			first = w;
	}
	if (!first)
		return false;
	if (ready > 1)
		x->quantum = 1;
	return bc_ptx_warp_run(x, first);
}

/* Every warp that can run gets a turn. Return: true when one did. */
static bool turn(struct bc_ptx_run *x, struct bc_ptx_block *b)
{
	bool ran = false;

	x->quantum = x->g->l->cooperative || x->g->ranks > 1 ? COOPERATIVE_QUANTUM : BC_PTX_QUANTUM;
	if (x->g->timing)
		return timed_turn(x, b);
	for (uint32_t i = 0; i < b->nwarps && !x->failed; i++) {
		struct bc_ptx_warp *w = &b->warp[i];

		if (w->done || w->waiting)
			continue;
		ran = bc_ptx_warp_run(x, w) || ran;
	}
	return ran;
}

static void clear_shared(struct bc_ptx_shared *s)
{
	memset(s->data, 0xcd, s->bytes);
	memset(s->written, 0, s->bytes);
	bc_ptx_mbarriers_reset(s);
	bc_ptx_cluster_forget(s);
	if (s->race)
		bc_ptx_race_reset(s->race);
}

void bc_ptx_block_run(struct bc_ptx_run *x, uint64_t first, unsigned nblocks)
{
	bool ran = true;

	for (unsigned i = 0; i < nblocks; i++)
		if (i == 0 || !x->g->share)
			clear_shared(x->block[i].shared);
	x->nseen = 0;
	x->failed = false;
	for (unsigned i = 0; i < nblocks; i++)
		start_block(x, &x->block[i], first + i, i, nblocks == 1 || !x->g->share);
	while (ran && !x->failed && first <= atomic_load(&x->g->failed)) {
		ran = false;
		for (unsigned i = 0; i < nblocks; i++)
			ran = turn(x, &x->block[i]) || ran;
	}
	for (unsigned i = 0; i < nblocks && !ran && !x->failed; i++)
		if (x->block[i].ndone < x->block[i].nwarps)
			bc_ptx_barrier_deadlock(x, &x->block[i]);
}
