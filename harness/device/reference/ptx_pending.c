/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx_pending.h"

#include <stdlib.h>

#define PENDING_MAX 65536u /* copies of a block */

void bc_ptx_pending_add(struct bc_ptx_run *x, struct bc_ptx_pending *p)
{
	struct bc_ptx_block *b = p->w->b;
	struct bc_error err;

	if (bc_ptx_array_grow(&b->pending, b->npending, &b->pending_cap, sizeof(*p), PENDING_MAX, &err)) {
		bc_ptx_fail_at(x, b, p->in, "%s", err.msg);
		return;
	}
	p->group = p->w->bulk_committed[p->lane];
	b->pending[b->npending++] = *p;
}

void bc_ptx_pending_arrive(struct bc_ptx_run *x, struct bc_ptx_block *b, uint64_t barrier, bc_ptx_told_fn *told)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->npending && !x->failed; i++) {
		const struct bc_ptx_pending p = b->pending[i];

		if (p.grouped || p.barrier != barrier) {
			b->pending[kept++] = p;
			continue;
		}
		p.move(x, &p);
		if (!x->failed)
			told(x, &p);
	}
	b->npending = x->failed ? 0 : kept;
}

/* The copies of the lanes of @mask whose group is not among the newest in->imm are done. */
static void wait_groups(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	struct bc_ptx_block *b = w->b;
	size_t kept = 0;

	for (size_t i = 0; i < b->npending && !x->failed; i++) {
		const struct bc_ptx_pending p = b->pending[i];
		const bool mine = p.grouped && p.w == w && (mask >> p.lane & 1u) != 0;

		if (mine && (uint64_t)p.group + in->imm < w->bulk_committed[p.lane])
			p.move(x, &p);
		else
			b->pending[kept++] = p;
	}
	b->npending = x->failed ? 0 : kept;
}

static void commit_group(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	(void)in;
	for (uint32_t m = mask; m != 0; m &= m - 1)
		w->bulk_committed[__builtin_ctz(m)]++;
}

/* .read waits until the sources were read: here the copy is done then. */
enum bc_status bc_ptx_decode_bulk_group(struct bc_ptx_decoder *d)
{
	bool waits;
	enum bc_status st;

	if (!d->k->arch.bulk_copy)
		return bc_ptx_lacks(d, "cp.async.bulk");
	if (!bc_ptx_take_modifier(d, "async") || !bc_ptx_take_modifier(d, "bulk"))
		return bc_ptx_unknown(d);
	waits = bc_ptx_take_modifier(d, "wait_group");
	if (!waits && !bc_ptx_take_modifier(d, "commit_group"))
		return bc_ptx_unknown(d);
	if (waits)
		(void)bc_ptx_take_modifier(d, "read");
	if (!bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	d->in->exec = waits ? wait_groups : commit_group;
	st = bc_ptx_noperands(d, waits, waits);
	return st || !waits ? st : bc_ptx_literal(d, 0, &d->in->imm);
}
