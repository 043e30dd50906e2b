/* SPDX-License-Identifier: MIT */
/* A warp: its lanes in groups (splits) that are at different places, and where those meet (joins). */
#include "harness/device/reference/ptx_mbarrier.h"
#include "harness/device/reference/ptx_warp.h"

#include <string.h>

#include "harness/device/reference/ptx_barrier.h"
#include "harness/device/reference/ptx_time.h"

/* Instructions that lanes run alone while others wait for them at a meeting point, before those go on without them:
 * what they wait for may be done by the waiting ones (a lock). */
#define WAIT_MAX (16 * BC_PTX_QUANTUM)

static uint32_t guard_of(const struct bc_ptx_warp *w, const struct bc_ptx_insn *in)
{
	return w->p[in->guard] ^ in->guard_flip;
}

static void remove_split(struct bc_ptx_warp *w, unsigned s)
{
	w->split[s] = w->split[--w->nsplit];
}

static void add_split(struct bc_ptx_warp *w, uint32_t mask, uint32_t pc, int32_t join, uint64_t ran)
{
	w->split[w->nsplit++] = (struct bc_ptx_split){ .mask = mask, .pc = pc, .join = join, .ran = ran };
}

/* Return: index of a new join, -1 when there is no room (which cannot be: each holds lanes apart from the others). */
static int32_t new_join(struct bc_ptx_warp *w, uint32_t rpc, uint32_t pending, int32_t parent)
{
	for (int32_t j = 0; j < BC_PTX_JOINS; j++) {
		if (w->join[j].used)
			continue;
		w->join[j] = (struct bc_ptx_join){ .rpc = rpc, .pending = pending, .parent = parent, .used = true };
		return j;
	}
	return -1;
}

/* All lanes that a join waits for have arrived, or left. */
static void complete_join(struct bc_ptx_warp *w, int32_t j, uint64_t ran)
{
	struct bc_ptx_join *join = &w->join[j];

	if (join->arrived != join->pending)
		return;
	join->used = false;
	if (join->arrived != 0)
		add_split(w, join->arrived, join->rpc, join->parent, ran);
}

/* Splits at their meeting point arrive there; splits at one place become one. */
static void merge_splits(struct bc_ptx_warp *w)
{
	bool again = true;

	while (again) {
		again = false;
		for (unsigned s = 0; s < w->nsplit && !again; s++) {
			const struct bc_ptx_split sp = w->split[s];

			if (sp.state != BC_PTX_S_READY || sp.join < 0 || sp.pc != w->join[sp.join].rpc)
				continue;
			w->join[sp.join].arrived |= sp.mask;
			remove_split(w, s);
			complete_join(w, sp.join, sp.ran);
			again = true;
		}
		for (unsigned s = 0; s < w->nsplit && !again; s++) {
			for (unsigned t = s + 1; t < w->nsplit && !again; t++) {
				struct bc_ptx_split *a = &w->split[s];
				const struct bc_ptx_split b = w->split[t];

				if (a->state != BC_PTX_S_READY || b.state != BC_PTX_S_READY || a->pc != b.pc ||
				    a->join != b.join)
					continue;
				a->mask |= b.mask;
				remove_split(w, t);
				/* The split is all that its join waits for: the join has no more use. */
				if (a->join >= 0 && a->mask == w->join[a->join].pending) {
					w->join[a->join].used = false;
					a->join = w->join[a->join].parent;
				}
				again = true;
			}
		}
	}
	if (w->nsplit == 1 && w->split[0].join < 0)
		w->split[0].ran = 0;
}

/* Lanes that wait at meeting points go on. Return: true when there were any. */
static bool break_joins(struct bc_ptx_warp *w)
{
	bool any = false;

	for (int32_t j = 0; j < BC_PTX_JOINS; j++) {
		struct bc_ptx_join *join = &w->join[j];

		if (!join->used || join->arrived == 0)
			continue;
		add_split(w, join->arrived, join->rpc, join->parent, 0);
		join->pending &= ~join->arrived;
		join->arrived = 0;
		any = true;
	}
	for (unsigned s = 0; s < w->nsplit; s++)
		w->split[s].ran = 0;
	return any;
}

static bool waited_too_long(const struct bc_ptx_warp *w)
{
	for (unsigned s = 0; s < w->nsplit; s++)
		if (w->split[s].ran >= WAIT_MAX)
			return true;
	return false;
}

/* The split to run: those that ran a turn less go first, then those that are behind in the code. -1: none is ready. */
static int choose_split(const struct bc_ptx_warp *w, const struct bc_ptx_insn *code)
{
	int best = -1;
	uint64_t best_turn = 0;

	for (unsigned s = 0; s < w->nsplit; s++) {
		const struct bc_ptx_split *sp = &w->split[s];
		const uint64_t turn = sp->ran / BC_PTX_QUANTUM;
		bool better;

		if (sp->state != BC_PTX_S_READY)
			continue;
		if (best < 0 || turn != best_turn)
			better = best < 0 || turn < best_turn;
		else if (code[sp->pc].order != code[w->split[best].pc].order)
			better = code[sp->pc].order < code[w->split[best].pc].order;
		else
			better = sp->pc < w->split[best].pc;
		if (better) {
			best = (int)s;
			best_turn = turn;
		}
	}
	return best;
}

/* Lanes @taken of split @s go to @target, the others stay behind the branch. */
static void diverge(struct bc_ptx_run *x, struct bc_ptx_warp *w, unsigned s, const struct bc_ptx_insn *in,
		    uint32_t taken, uint32_t target)
{
	struct bc_ptx_split *sp = &w->split[s];

	if (in->rpc != BC_PTX_NO_PC && (sp->join < 0 || w->join[sp->join].rpc != in->rpc)) {
		const int32_t j = new_join(w, in->rpc, sp->mask, sp->join);

		if (j < 0) {
			bc_ptx_fail_at(x, w->b, in, "too many places where lanes meet");
			return;
		}
		sp->join = j;
	}
	sp->mask &= ~taken;
	add_split(w, taken, target, sp->join, sp->ran);
}

static void exit_lanes(struct bc_ptx_warp *w, unsigned s, uint32_t exited)
{
	struct bc_ptx_split *sp = &w->split[s];
	const uint64_t ran = sp->ran;
	int32_t j = sp->join;

	w->live &= ~exited;
	sp->mask &= ~exited;
	sp->pc++;
	if (sp->mask == 0)
		remove_split(w, s);
	while (j >= 0) {
		const int32_t parent = w->join[j].parent;

		w->join[j].pending &= ~exited;
		complete_join(w, j, ran);
		j = parent;
	}
	if (w->live == 0)
		w->done = true;
}

static void branch_indexed(struct bc_ptx_run *x, struct bc_ptx_warp *w, unsigned s, const struct bc_ptx_insn *in,
			   uint32_t lanes)
{
	const uint32_t *list = x->k->list + in->list;
	const uint64_t *index = w->r + in->src[0];

	while (lanes != 0 && !x->failed) {
		const unsigned first = (unsigned)__builtin_ctz(lanes);
		uint32_t same = 0;

		if (index[first] >= in->nlist) {
			bc_ptx_fail_at(x, w->b, in, "brx.idx: lane %u has index %llu of %u targets", first,
				       (unsigned long long)index[first], in->nlist);
			return;
		}
		for (uint32_t m = lanes; m != 0; m &= m - 1)
			same |= (uint32_t)(index[__builtin_ctz(m)] < in->nlist &&
					   list[index[__builtin_ctz(m)]] == list[index[first]])
				<< __builtin_ctz(m);
		lanes &= ~same;
		if (same == w->split[s].mask)
			w->split[s].pc = list[index[first]];
		else
			diverge(x, w, s, in, same, list[index[first]]);
	}
}

/*
 * The splits that wait with split @s: at the same instruction; at any bar.warp.sync that names lanes of one another.
 * Return: their lanes with a true guard; *@splits one bit per split, *@need all lanes that they name.
 */
static uint32_t splits_at_sync(const struct bc_ptx_run *x, const struct bc_ptx_warp *w, unsigned s, uint32_t *splits,
			       uint32_t *need)
{
	const bool bar = x->k->code[w->split[s].pc].flow == BC_PTX_F_WARPBAR;
	uint32_t here = 0;
	bool more = true;

	*splits = 0;
	*need = w->split[s].need;
	while (more) {
		more = false;
		for (unsigned t = 0; t < w->nsplit; t++) {
			const struct bc_ptx_split *o = &w->split[t];
			const struct bc_ptx_insn *at = &x->k->code[o->pc];

			if ((*splits >> t & 1) || o->state != BC_PTX_S_SYNC)
				continue;
			if (bar ? at->flow != BC_PTX_F_WARPBAR || (o->mask & *need) == 0 : o->pc != w->split[s].pc)
				continue;
			here |= o->mask & guard_of(w, at);
			*splits |= 1u << t;
			*need |= o->need;
			more = true;
		}
	}
	return here;
}

static void execute(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lanes)
{
	if (!x->g->timing) {
		in->exec(x, w, in, lanes);
		return;
	}
	bc_ptx_time_begin(x);
	in->exec(x, w, in, lanes);
	bc_ptx_time_end(x, w, in);
}

/* Execute for each set of lanes that name the same members; they must be the members, as far as those are here. */
static void execute_sync(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t here)
{
	const uint64_t *members = w->r + in->src[3];

	for (uint32_t left = here; left != 0 && !x->failed;) {
		const uint32_t mask = (uint32_t)members[__builtin_ctz(left)];
		uint32_t same = 0;

		for (uint32_t m = left; m != 0; m &= m - 1)
			same |= (uint32_t)((uint32_t)members[__builtin_ctz(m)] == mask) << __builtin_ctz(m);
		if (same != (mask & here)) {
			bc_ptx_fail_at(
				x, w->b, in,
				"lanes 0x%x of warp %u give the member mask 0x%x, other lanes in it give another one",
				same, w->index, mask);
			return;
		}
		execute(x, w, in, same);
		left &= ~same;
	}
}

/* Do enough lanes wait where split @s does? Then execute the instruction for all of them. */
static bool release_sync(struct bc_ptx_run *x, struct bc_ptx_warp *w, unsigned s)
{
	const struct bc_ptx_insn *in = &x->k->code[w->split[s].pc];
	uint32_t splits, need;
	const uint32_t here = splits_at_sync(x, w, s, &splits, &need);

	if ((need & w->live & ~here) != 0)
		return false;
	if ((in->flags & BC_PTX_FL_WHOLE_WARP) && here != BC_PTX_FULL)
		bc_ptx_fail_at(x, w->b, in, "only lanes 0x%x of warp %u are there; all 32 are needed", here, w->index);
	else if (in->flow == BC_PTX_F_SYNC)
		execute_sync(x, w, in, here);
	for (unsigned t = 0; t < w->nsplit; t++) {
		if (!(splits >> t & 1))
			continue;
		w->split[t].state = BC_PTX_S_READY;
		w->split[t].pc++;
	}
	if (in->flow == BC_PTX_F_WARPBAR && w->b->shared->race) {
		uint32_t lanes[BC_PTX_WARPS_MAX] = { 0 };
		struct bc_error err;

		lanes[w->index] = here;
		if (bc_ptx_race_sync(w->b->shared->race, lanes, lanes, &err))
			bc_ptx_fail_at(x, w->b, in, "%s", err.msg);
	}
	return true;
}

/* Split @s is at a warp-wide instruction with the lanes @lanes. */
static void reach_sync(struct bc_ptx_run *x, struct bc_ptx_warp *w, unsigned s, const struct bc_ptx_insn *in,
		       uint32_t lanes)
{
	const uint64_t *members = w->r + in->src[3];
	uint32_t need = 0;

	for (uint32_t m = lanes; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		need |= (uint32_t)members[l];
		if (members[l] >> l & 1)
			continue;
		bc_ptx_fail_at(x, w->b, in,
			       "lane %u of warp %u gives the member mask 0x%x, in which its own bit is not set", l,
			       w->index, (uint32_t)members[l]);
		return;
	}
	w->split[s].need = need;
	w->split[s].state = BC_PTX_S_SYNC;
	(void)release_sync(x, w, s);
}

/*
 * An instruction that is not plain, for the lanes @lanes (guard true) of split @s.
 * Return: true when the split goes on alone at its new pc.
 */
static bool run_control(struct bc_ptx_run *x, struct bc_ptx_warp *w, unsigned s, const struct bc_ptx_insn *in,
			uint32_t lanes)
{
	struct bc_ptx_split *sp = &w->split[s];

	if (lanes == 0) {
		sp->pc++;
		return true;
	}
	switch ((enum bc_ptx_flow)in->flow) {
	case BC_PTX_F_BRANCH:
		if (lanes == sp->mask) {
			sp->pc = in->target;
			return true;
		}
		sp->pc++;
		diverge(x, w, s, in, lanes, in->target);
		return false;
	case BC_PTX_F_INDEXED:
		if (lanes != sp->mask)
			sp->pc++;
		branch_indexed(x, w, s, in, lanes);
		return false;
	case BC_PTX_F_EXIT: exit_lanes(w, s, lanes); return false;
	case BC_PTX_F_TRAP:
		bc_ptx_fail_at(x, w->b, in, "trap, executed by lanes 0x%x of warp %u", lanes, w->index);
		return false;
	case BC_PTX_F_SYNC:
	case BC_PTX_F_WARPBAR:
		reach_sync(x, w, s, in, lanes);
		return w->nsplit == 1 && w->split[0].state == BC_PTX_S_READY;
	case BC_PTX_F_BARRIER:
		if (lanes != sp->mask) { /* those whose guard is false go on */
			const uint32_t others = sp->mask & ~lanes;

			sp->mask = lanes;
			add_split(w, others, sp->pc + 1, sp->join, sp->ran);
		}
		sp->state = BC_PTX_S_BARRIER;
		return false;
	case BC_PTX_F_YIELD:
	case BC_PTX_F_PLAIN: break;
	}
	sp->pc++;
	return true;
}

static void put_clock(struct bc_ptx_run *x, struct bc_ptx_warp *w)
{
	const struct bc_ptx_kernel *k = x->k;
	const uint64_t now = x->g->timing ? bc_ptx_time_read(x, w) : w->clock;
	static const uint8_t which[] = { BC_PTX_SR_CLOCK,	BC_PTX_SR_CLOCK_HI,	  BC_PTX_SR_CLOCK64,
					 BC_PTX_SR_GLOBALTIMER, BC_PTX_SR_GLOBALTIMER_LO, BC_PTX_SR_GLOBALTIMER_HI };

	for (size_t i = 0; i < BC_ARRAY_LEN(which); i++) {
		const uint32_t slot = k->special[which[i]];
		uint64_t v = now;

		if (slot == 0)
			continue;
		if (which[i] == BC_PTX_SR_CLOCK || which[i] == BC_PTX_SR_GLOBALTIMER_LO)
			v = (uint32_t)v;
		else if (which[i] == BC_PTX_SR_CLOCK_HI || which[i] == BC_PTX_SR_GLOBALTIMER_HI)
			v >>= 32;
		for (unsigned l = 0; l < BC_LANES; l++)
			w->r[slot + l] = v;
	}
}

/* nanosleep: as long as the lane that sleeps longest. */
static void sleep_lanes(const struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lanes)
{
	const uint64_t *t = w->r + in->src[0];
	uint64_t longest = 0;

	for (uint32_t m = lanes; m != 0; m &= m - 1)
		if (t[__builtin_ctz(m)] > longest)
			longest = t[__builtin_ctz(m)];
	w->clock += longest;
	if (x->g->timing)
		w->time.issue += longest;
}

/* Run split @s until its way may meet another's, it waits, or *@left instructions are used up. */
static void run_split(struct bc_ptx_run *x, struct bc_ptx_warp *w, unsigned s, uint32_t *left)
{
	const struct bc_ptx_insn *const code = x->k->code;
	const int32_t join = w->split[s].join;
	const uint32_t rpc = join >= 0 ? w->join[join].rpc : BC_PTX_NO_PC;

	while (*left > 0) {
		struct bc_ptx_split *sp = &w->split[s];
		const struct bc_ptx_insn *in = &code[sp->pc];
		const uint32_t lanes = sp->mask & guard_of(w, in);

		*left -= 1;
		sp->ran++;
		w->clock++;
		x->counts.instructions++;
		x->counts.lane_instructions += (unsigned)__builtin_popcount(sp->mask);
		if (in->flow == BC_PTX_F_PLAIN) {
			if (lanes != 0) {
				if (in->flags & BC_PTX_FL_CLOCK)
					put_clock(x, w);
				execute(x, w, in, lanes);
			}
			sp->pc++;
			if (x->yielded) /* it waits for an mbarrier */
				return;
		} else if (in->flow == BC_PTX_F_YIELD) {
			sp->pc++;
			if (lanes != 0) {
				sleep_lanes(x, w, in, lanes);
				sp->ran += BC_PTX_QUANTUM;
				x->yielded = true;
				return;
			}
		} else if (!run_control(x, w, s, in, lanes)) {
			return;
		}
		if (x->failed || (code[sp->pc].leader && (w->nsplit > 1 || sp->pc == rpc)))
			return;
	}
}

/* No split is ready. Return: true when the warp is at a block barrier now (or went through it). */
static bool reach_barrier(struct bc_ptx_run *x, struct bc_ptx_warp *w)
{
	const struct bc_ptx_insn *in = NULL;
	uint32_t lanes = 0;

	for (unsigned s = 0; s < w->nsplit; s++) {
		if (w->split[s].state == BC_PTX_S_SYNC && release_sync(x, w, s))
			return true;
	}
	for (unsigned s = 0; s < w->nsplit; s++) {
		if (w->split[s].state != BC_PTX_S_BARRIER)
			continue;
		lanes |= w->split[s].mask;
		in = in ? in : &x->k->code[w->split[s].pc];
	}
	if (lanes == w->live && in) {
		bc_ptx_barrier_arrive(x, w, in);
		return !x->failed;
	}
	if (break_joins(w))
		return true;
	in = &x->k->code[w->split[0].pc];
	for (unsigned s = 0; s < w->nsplit; s++)
		if (w->split[s].state == BC_PTX_S_SYNC)
			in = &x->k->code[w->split[s].pc];
	bc_ptx_fail_at(x, w->b, in, "deadlock: lanes 0x%x of warp %u wait for lanes that do not come (live: 0x%x)",
		       w->split[0].mask, w->index, w->live);
	return false;
}

/* Take instructions from the launch's budget. Return: false when it is used up. */
static bool take_budget(struct bc_ptx_run *x, struct bc_ptx_warp *w)
{
	uint_fast64_t have = atomic_load(&x->g->budget), take;
	char why[160];

	do {
		if (have == 0) {
			bc_ptx_mbarrier_stuck(w->b, why, sizeof(why));
			bc_ptx_fail_at(x, w->b, &x->k->code[w->split[0].pc],
				       "hang: instruction budget used up (warp %u is here)%s", w->index, why);
			return false;
		}
		take = have > 65536 ? 65536 : have;
	} while (!atomic_compare_exchange_weak(&x->g->budget, &have, have - take));
	x->budget += take;
	return true;
}

bool bc_ptx_warp_run(struct bc_ptx_run *x, struct bc_ptx_warp *w)
{
	uint32_t left = x->quantum;

	while (left > 0 && !x->failed && !w->done && !w->waiting) {
		uint32_t now;
		int s;

		merge_splits(w);
		if (waited_too_long(w) && break_joins(w))
			continue;
		s = choose_split(w, x->k->code);
		if (s < 0) {
			(void)reach_barrier(x, w);
			if (x->g->timing) /* those that waited for this one go on at the same time */
				break;
			continue;
		}
		if (x->budget == 0 && !take_budget(x, w))
			break;
		now = x->budget < left ? (uint32_t)x->budget : left;
		left -= now;
		x->budget -= now;
		x->yielded = false;
		run_split(x, w, (unsigned)s, &now);
		x->budget += now;
		left = x->yielded ? 0 : left + now;
	}
	if (w->done)
		bc_ptx_barrier_exit(x, w->b);
	return true;
}

void bc_ptx_warp_start(struct bc_ptx_run *x, struct bc_ptx_warp *w)
{
	const uint32_t first = w->index * BC_LANES, threads = w->b->nthreads;

	w->live = threads - first >= BC_LANES ? BC_PTX_FULL : (1u << (threads - first)) - 1;
	w->carry = 0;
	w->clock = 0;
	w->time.issue = w->time.done = w->time.path = 0;
	if (w->time.ready)
		memset(w->time.ready, 0, x->k->nslots * sizeof(*w->time.ready));
	w->nsplit = 0;
	w->done = w->waiting = false;
	w->asks = 0;
	w->cluster_arrivals = w->cluster_waits = w->cluster_orders = 0;
	w->ncopy = 0;
	memset(w->join, 0, sizeof(w->join));
	memset(w->committed, 0, sizeof(w->committed));
	memset(w->bulk_committed, 0, sizeof(w->bulk_committed));
	memset(w->r, 0, (size_t)x->k->first_constant * BC_LANES * sizeof(*w->r));
	memset(w->p, 0, x->k->npreds * sizeof(*w->p));
	memset(w->local, 0, (size_t)x->k->local_bytes * BC_LANES);
	w->p[BC_PTX_PRED_TRUE] = BC_PTX_FULL;
	add_split(w, w->live, 0, -1, 0);
}
