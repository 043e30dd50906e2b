/* SPDX-License-Identifier: MIT */
/* Control flow of a kernel: where lanes that diverge meet again, and which of them go first.
 *
 * The meeting point of a branch is the immediate post-dominator of its block (Cooper, Harvey, Kennedy: a simple,
 * fast dominance algorithm). Guarded exits are left out of the graph: lanes that leave are no longer waited for.
 * The order is a weak topological one (Bourdoncle: efficient chaotic iteration strategies): a loop's blocks lie
 * together and before what follows the loop, so that lanes that are behind run first and catch up.
 */
#include "harness/device/reference/ptx_exec.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define BLOCKS_MAX 65536
#define ORDER_BLOCKS_MAX 2048 /* more: text order; the recursion is as deep as there are blocks */
#define STEPS_MAX (UINT64_C(1) << 27)

struct block {
	uint32_t first, last; /* instructions */
	uint32_t succ, nsucc; /* edges of the graph: indices into succ[] */
	uint32_t pred, npred;
	uint32_t number; /* in postorder of the reversed graph; NONE: does not reach the exit */
	uint32_t ipdom;	 /* block, NONE */
	uint32_t dfn;	 /* Bourdoncle's depth-first number */
};

struct graph {
	struct bc_ptx_kernel *k;
	struct block *b; /* [n + 1]; b[n] is the exit */
	uint32_t n;
	uint32_t *of; /* instruction -> block */
	uint32_t *succ, *pred;
	size_t nsucc, succ_cap;
	uint32_t *stack, *order; /* scratch, [n + 1] */
	uint32_t nstack, norder, dfn;
};

static bool guarded(const struct bc_ptx_insn *in)
{
	return in->guard != BC_PTX_PRED_TRUE;
}

static bool ends_block(const struct bc_ptx_insn *in)
{
	return in->flow == BC_PTX_F_BRANCH || in->flow == BC_PTX_F_INDEXED || in->flow == BC_PTX_F_EXIT ||
	       in->flow == BC_PTX_F_TRAP;
}

static void mark_leaders(struct bc_ptx_kernel *k)
{
	k->code[0].leader = true;
	for (size_t i = 0; i < k->ncode; i++) {
		const struct bc_ptx_insn *in = &k->code[i];

		if (ends_block(in) && i + 1 < k->ncode)
			k->code[i + 1].leader = true;
		if (in->flow == BC_PTX_F_BRANCH)
			k->code[in->target].leader = true;
		for (uint32_t t = 0; in->flow == BC_PTX_F_INDEXED && t < in->nlist; t++)
			k->code[k->list[in->list + t]].leader = true;
	}
}

static enum bc_status add_edge(struct graph *g, uint32_t to, struct bc_error *err)
{
	enum bc_status st = bc_ptx_array_grow(&g->succ, g->nsucc, &g->succ_cap, sizeof(*g->succ), 1u << 24, err);

	if (!st)
		g->succ[g->nsucc++] = to;
	return st;
}

static enum bc_status add_edges(struct graph *g, uint32_t b, struct bc_error *err)
{
	const struct bc_ptx_insn *in = &g->k->code[g->b[b].last];
	bool falls = guarded(in) || !ends_block(in);
	enum bc_status st = BC_OK;

	g->b[b].succ = (uint32_t)g->nsucc;
	if (in->flow == BC_PTX_F_BRANCH)
		st = add_edge(g, g->of[in->target], err);
	for (uint32_t t = 0; in->flow == BC_PTX_F_INDEXED && t < in->nlist && !st; t++)
		st = add_edge(g, g->of[g->k->list[in->list + t]], err);
	if (in->flow == BC_PTX_F_EXIT && !guarded(in))
		st = add_edge(g, g->n, err);
	if (!st && falls)
		st = add_edge(g, b + 1, err);
	g->b[b].nsucc = (uint32_t)g->nsucc - g->b[b].succ;
	return st;
}

static enum bc_status build_blocks(struct graph *g, struct bc_error *err)
{
	struct bc_ptx_kernel *k = g->k;
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < k->ncode; i++)
		g->n += k->code[i].leader;
	if (g->n > BLOCKS_MAX)
		return bc_fail(err, BC_EDATA, "%s:%u: kernel %s has %u basic blocks, at most %d are supported",
			       k->module->path, k->entry->line, k->entry->cname, g->n, BLOCKS_MAX);
	g->b = calloc(g->n + 1u, sizeof(*g->b));
	g->of = calloc(k->ncode + 1, sizeof(*g->of));
	g->stack = calloc(g->n + 1u, sizeof(*g->stack));
	g->order = calloc(g->n + 1u, sizeof(*g->order));
	if (!g->b || !g->of || !g->stack || !g->order)
		return bc_fail(err, BC_ENOMEM, "out of memory for the control flow of a kernel");
	for (uint32_t i = 0, b = NONE; i < k->ncode; i++) {
		b += k->code[i].leader; /* NONE + 1 is 0 */
		if (k->code[i].leader)
			g->b[b].first = i;
		g->b[b].last = i;
		g->of[i] = b;
	}
	for (uint32_t b = 0; b < g->n && !st; b++)
		st = add_edges(g, b, err);
	return st;
}

static enum bc_status build_preds(struct graph *g, struct bc_error *err)
{
	uint32_t at = 0;

	g->pred = calloc(g->nsucc + 1, sizeof(*g->pred));
	if (!g->pred)
		return bc_fail(err, BC_ENOMEM, "out of memory for the control flow of a kernel");
	for (size_t i = 0; i < g->nsucc; i++)
		g->b[g->succ[i]].npred++;
	for (uint32_t b = 0; b <= g->n; b++) {
		g->b[b].pred = at;
		at += g->b[b].npred;
		g->b[b].npred = 0;
	}
	for (uint32_t b = 0; b < g->n; b++) {
		for (uint32_t i = 0; i < g->b[b].nsucc; i++) {
			struct block *to = &g->b[g->succ[g->b[b].succ + i]];

			g->pred[to->pred + to->npred++] = b;
		}
	}
	return BC_OK;
}

/* Postorder of the reversed graph from the exit, without recursion; order[] gets the blocks. */
static void number_backwards(struct graph *g)
{
	uint32_t *next = g->stack; /* edge to follow next, by block; the path is kept in ipdom for the time being */
	uint32_t at = g->n, from = NONE;

	for (uint32_t b = 0; b <= g->n; b++) {
		g->b[b].number = g->b[b].ipdom = NONE;
		next[b] = 0;
	}
	g->norder = 0;
	for (;;) {
		if (next[at] < g->b[at].npred) {
			const uint32_t p = g->pred[g->b[at].pred + next[at]++];

			if (g->b[p].number == NONE && next[p] == 0 && p != g->n && g->b[p].ipdom == NONE) {
				g->b[p].ipdom = at;
				at = p;
			}
			continue;
		}
		g->b[at].number = g->norder;
		g->order[g->norder++] = at;
		if (at == g->n)
			break;
		from = g->b[at].ipdom;
		at = from;
	}
	for (uint32_t b = 0; b <= g->n; b++)
		g->b[b].ipdom = NONE;
}

static uint32_t intersect(const struct graph *g, uint32_t a, uint32_t b, uint64_t *steps)
{
	while (a != b) {
		*steps += 1;
		if (g->b[a].number < g->b[b].number)
			a = g->b[a].ipdom;
		else
			b = g->b[b].ipdom;
	}
	return a;
}

static enum bc_status post_dominators(struct graph *g, struct bc_error *err)
{
	uint64_t steps = 0;
	bool changed = true;

	number_backwards(g);
	g->b[g->n].ipdom = g->n;
	while (changed) {
		changed = false;
		for (uint32_t i = g->norder - 1; i-- > 0;) { /* the exit is last */
			struct block *b = &g->b[g->order[i]];
			uint32_t dom = NONE;

			for (uint32_t e = 0; e < b->nsucc; e++) {
				const uint32_t s = g->succ[b->succ + e];

				steps++;
				if (g->b[s].ipdom == NONE)
					continue;
				dom = dom == NONE ? s : intersect(g, dom, s, &steps);
			}
			changed = changed || dom != b->ipdom;
			b->ipdom = dom;
		}
		if (steps > STEPS_MAX)
			return bc_fail(err, BC_EDATA, "%s:%u: the control flow of kernel %s is too complex",
				       g->k->module->path, g->k->entry->line, g->k->entry->cname);
	}
	return BC_OK;
}

static uint32_t visit(struct graph *g, uint32_t v);

/* The rest of a loop with head @v; its blocks are placed before what was placed so far. */
static void visit_component(struct graph *g, uint32_t v)
{
	for (uint32_t i = 0; i < g->b[v].nsucc; i++) {
		const uint32_t s = g->succ[g->b[v].succ + i];

		if (s != g->n && g->b[s].dfn == 0)
			(void)visit(g, s);
	}
}

static uint32_t visit(struct graph *g, uint32_t v)
{
	uint32_t head = ++g->dfn;
	bool loop = false;

	g->stack[g->nstack++] = v;
	g->b[v].dfn = head;
	for (uint32_t i = 0; i < g->b[v].nsucc; i++) {
		const uint32_t s = g->succ[g->b[v].succ + i];
		uint32_t least;

		if (s == g->n)
			continue;
		least = g->b[s].dfn == 0 ? visit(g, s) : g->b[s].dfn;
		if (least <= head) {
			head = least;
			loop = true;
		}
	}
	if (head != g->b[v].dfn)
		return head;
	g->b[v].dfn = NONE;
	for (uint32_t top = g->stack[--g->nstack]; top != v; top = g->stack[--g->nstack])
		g->b[top].dfn = 0;
	if (loop)
		visit_component(g, v);
	g->order[g->norder++] = v;
	return head;
}

/* bc_ptx_insn.order: blocks placed last come first. */
static void weak_topological_order(struct graph *g)
{
	uint32_t *rank = g->of; /* of is not needed any more; by block here */

	g->nstack = g->norder = g->dfn = 0;
	for (uint32_t b = 0; b < g->n; b++)
		g->b[b].dfn = 0;
	if (g->n <= ORDER_BLOCKS_MAX)
		(void)visit(g, 0);
	for (uint32_t b = 0; b < g->n; b++)
		rank[b] = g->n + b; /* text order, and for blocks that are not reached */
	for (uint32_t i = 0; i < g->norder; i++)
		rank[g->order[i]] = g->norder - i;
	for (uint32_t b = 0; b < g->n; b++)
		for (uint32_t i = g->b[b].first; i <= g->b[b].last; i++)
			g->k->code[i].order = rank[b];
}

static void set_meeting_points(struct graph *g)
{
	for (uint32_t b = 0; b < g->n; b++) {
		struct bc_ptx_insn *in = &g->k->code[g->b[b].last];
		const uint32_t dom = g->b[b].ipdom;

		in->rpc = dom == NONE || dom == g->n ? BC_PTX_NO_PC : g->b[dom].first;
	}
}

enum bc_status bc_ptx_flow_build(struct bc_ptx_kernel *k, struct bc_error *err)
{
	struct graph g = { .k = k };
	enum bc_status st;

	mark_leaders(k);
	st = build_blocks(&g, err);
	if (!st)
		st = build_preds(&g, err);
	if (!st)
		st = post_dominators(&g, err);
	if (!st) {
		set_meeting_points(&g);
		weak_topological_order(&g);
	}
	free(g.b);
	free(g.of);
	free(g.succ);
	free(g.pred);
	free(g.stack);
	free(g.order);
	return st;
}
