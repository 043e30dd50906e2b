/* SPDX-License-Identifier: MIT */
/* cp.async: the source is read when the copy is issued; shared memory is written when it is waited for, the latest
 * moment the ISA allows, so that a missing wait is seen. */
#include "harness/device/reference/ptx_exec.h"

#include <stdlib.h>
#include <string.h>

#define PENDING_MAX 4096 /* copies of a warp; the older half is completed when there would be more */

enum { COPY = 0, COMMIT, WAIT_GROUP, WAIT_ALL };

/* With a source size the hardware uses another form of the instruction. */
static enum bc_op law_of(const struct bc_ptx_insn *in)
{
	const bool zeros = in->mode != COPY;

	if (in->flags & BC_PTX_FL_CACHE_GLOBAL)
		return zeros ? BC_OP_CPA16CGZ : BC_OP_CPA16CG;
	if (in->elem == 16)
		return zeros ? BC_OP_CPA16CAZ : BC_OP_CPA16CA;
	if (in->elem == 8)
		return zeros ? BC_OP_CPA8Z : BC_OP_CPA8;
	return zeros ? BC_OP_CPA4Z : BC_OP_CPA4;
}

/* Write shared memory for the lanes of @mask of one copy. */
static void write_copied(struct bc_ptx_run *x, struct bc_ptx_warp *w, struct bc_ptx_copy *c, uint32_t mask)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	const struct bc_ptx_insn *in = c->in;
	uint64_t addr[BC_LANES];
	uint32_t enable[BC_LANES];
	struct bc_ptx_access a;

	for (unsigned l = 0; l < BC_LANES; l++) {
		addr[l] = c->addr[l];
		enable[l] = (1u << c->bytes) - 1;
		memcpy(x->data[l], c->data[l], sizeof(c->data[l]));
	}
	a = bc_ptx_access_of(x, w, in, BC_PTX_COPY, BC_PTX_SHARED, c->bytes, mask, addr);
	if (h && h->store) {
		a.op = law_of(in);
		h->store(h->ctx, &a, x->data, enable);
	}
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const uint32_t l = (uint32_t)__builtin_ctz(m);

		if (!bc_ptx_shared_at(x, w, in, l, addr[l], c->bytes, c->bytes, true))
			return;
		bc_ptx_shared_put(x, w, in, l, addr[l], c->bytes, enable[l]);
	}
	c->mask &= ~mask;
}

/* Complete the copies of the lanes of @mask whose group is below @below[lane]. */
static void complete_copies(struct bc_ptx_run *x, struct bc_ptx_warp *w, uint32_t mask, const uint32_t below[BC_LANES])
{
	size_t kept = 0;

	for (size_t i = 0; i < w->ncopy && !x->failed; i++) {
		struct bc_ptx_copy *c = &w->copy[i];
		uint32_t now = 0;

		for (uint32_t m = c->mask & mask; m != 0; m &= m - 1) {
			const unsigned l = (unsigned)__builtin_ctz(m);

			now |= (uint32_t)(c->group[l] < below[l]) << l;
		}
		if (now)
			write_copied(x, w, c, now);
		if (c->mask != 0 && kept != i)
			w->copy[kept] = *c;
		kept += c->mask != 0;
	}
	w->ncopy = x->failed ? 0 : kept;
}

static struct bc_ptx_copy *new_copy(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in)
{
	struct bc_error err;

	if (w->ncopy == PENDING_MAX) {
		const size_t half = PENDING_MAX / 2;

		for (size_t i = 0; i < half && !x->failed; i++)
			write_copied(x, w, &w->copy[i], w->copy[i].mask);
		memmove(&w->copy[0], &w->copy[half], (w->ncopy - half) * sizeof(*w->copy));
		w->ncopy -= half;
	}
	if (bc_ptx_array_grow(&w->copy, w->ncopy, &w->copy_cap, sizeof(*w->copy), PENDING_MAX + 1, &err)) {
		bc_ptx_fail_at(x, w->b, in, "%s", err.msg);
		return NULL;
	}
	return &w->copy[w->ncopy];
}

/* Bytes that come from the source; the rest of the destination is zero. */
static uint32_t source_bytes(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, unsigned lane)
{
	uint64_t n = in->elem;

	if (in->mode == 's')
		n = w->r[in->src[2] + lane];
	else if (in->mode == 'i')
		n = (w->p[in->psrc] ^ in->psrc_flip) >> lane & 1 ? 0 : in->elem;
	if (n > in->elem)
		bc_ptx_fail_at(x, w->b, in, "cp.async: lane %u has source size %llu of %u bytes", lane,
			       (unsigned long long)n, in->elem);
	return n > in->elem ? in->elem : (uint32_t)n;
}

static void copy(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	struct bc_ptx_copy *c = new_copy(x, w, in);

	if (!c)
		return;
	*c = (struct bc_ptx_copy){ .in = in, .mask = mask, .bytes = in->elem };
	for (unsigned l = 0; l < BC_LANES; l++) {
		x->addr[l] = w->r[in->src[0] + l] + in->imm;
		c->addr[l] = (uint32_t)x->addr[l];
		c->group[l] = w->committed[l];
	}
	for (uint32_t m = mask; m != 0 && !x->failed; m &= m - 1) {
		const uint32_t l = (uint32_t)__builtin_ctz(m);
		const uint32_t n = source_bytes(x, w, in, l);
		const uint64_t from = w->r[in->src[1] + l] + w->r[in->src[3] + l];
		const unsigned char *p;

		if (!bc_ptx_shared_at(x, w, in, l, x->addr[l], in->elem, in->elem, true))
			return;
		if (n == 0)
			continue;
		p = bc_ptx_global_at(x, w, in, l, from, n, 1, false);
		if (p && (from & (in->elem - 1u)) != 0)
			p = bc_ptx_global_at(x, w, in, l, from, n, in->elem, false);
		if (!p)
			return;
		bc_ptx_global_load(c->data[l], p, n, n % 4 == 0 ? 4 : 1);
	}
	if (x->failed)
		return;
	w->ncopy++;
	x->counts.ldgsts_requests++;
	bc_ptx_count_shared(x, w, in, law_of(in), x->addr, mask);
}

static void commit(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	(void)in;
	for (uint32_t m = mask; m != 0; m &= m - 1)
		w->committed[__builtin_ctz(m)]++;
}

/* wait_group N: all but the N newest groups; wait_all: everything. */
static void wait(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	uint32_t below[BC_LANES];

	for (unsigned l = 0; l < BC_LANES; l++) {
		const uint32_t done = w->committed[l];

		if (in->mode == WAIT_ALL)
			below[l] = UINT32_MAX;
		else
			below[l] = done > in->imm ? done - (uint32_t)in->imm : 0;
	}
	complete_copies(x, w, mask, below);
}

static enum bc_status decode_wait(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const bool group = bc_ptx_take_modifier(d, "wait_group");
	enum bc_status st = bc_ptx_noperands(d, group, group);

	in->exec = wait;
	in->mode = group ? WAIT_GROUP : WAIT_ALL;
	if (!group && !bc_ptx_take_modifier(d, "wait_all"))
		return bc_ptx_unknown(d);
	if (!bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	return st || !group ? st : bc_ptx_literal(d, 0, &in->imm);
}

/* The optional fourth operand: source size, or a predicate that ignores the source. */
static enum bc_status decode_source_size(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const struct bc_ptx_operand *o = bc_ptx_operand_at(d, 3);

	if (o->kind == BC_PTX_O_REG && d->e->reg[o->reg] == BC_PTX_PRED) {
		in->mode = 'i';
		return bc_ptx_pred_src(d, 3, &in->psrc, &in->psrc_flip);
	}
	in->mode = 's';
	return bc_ptx_src(d, 3, BC_PTX_U32, false, &in->src[2]);
}

static enum bc_status decode_copy(struct bc_ptx_decoder *d)
{
	static const char *const hints[] = { "L2::cache_hint", "L2::64B", "L2::128B", "L2::256B" };
	struct bc_ptx_insn *in = d->in;
	const bool hinted = bc_ptx_has_modifier(d, "L2::cache_hint");
	uint64_t size = 0, offset = 0;
	uint32_t slot = 0;
	enum bc_status st = bc_ptx_noperands(d, hinted ? 4 : 3, hinted ? 5 : 4);

	if (bc_ptx_take_modifier(d, "cg"))
		in->flags |= BC_PTX_FL_CACHE_GLOBAL;
	else if (!bc_ptx_take_modifier(d, "ca"))
		return bc_ptx_unknown(d);
	if ((!bc_ptx_take_modifier(d, "shared") && !bc_ptx_take_modifier(d, "shared::cta")) ||
	    !bc_ptx_take_modifier(d, "global"))
		return bc_ptx_unknown(d);
	for (size_t i = 0; i < BC_ARRAY_LEN(hints); i++)
		(void)bc_ptx_take_modifier(d, hints[i]);
	if (!bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	if (!st)
		st = bc_ptx_literal(d, 2, &size);
	if (!st && size != 16 && (in->flags & BC_PTX_FL_CACHE_GLOBAL || (size != 4 && size != 8)))
		st = bc_ptx_refuse(d, "cp.async copies 4, 8 or 16 bytes, .cg 16");
	in->elem = (uint8_t)size;
	in->space = BC_PTX_SHARED;
	in->exec = copy;
	if (!st)
		st = bc_ptx_address(d, 0, BC_PTX_SHARED, &in->src[0], &in->imm);
	if (!st)
		st = bc_ptx_address(d, 1, BC_PTX_GLOBAL, &in->src[1], &offset);
	if (!st && d->s->noperands == (hinted ? 5 : 4))
		st = decode_source_size(d);
	if (!st)
		st = bc_ptx_constant(d, offset, &slot);
	in->src[3] = slot;
	return st;
}

enum bc_status bc_ptx_decode_async(struct bc_ptx_decoder *d)
{
	enum bc_status st;

	if (bc_ptx_has_modifier(d, "tensor"))
		return bc_ptx_decode_tensor(d);
	if (bc_ptx_has_modifier(d, "commit_group") || bc_ptx_has_modifier(d, "wait_group")) {
		if (bc_ptx_has_modifier(d, "bulk"))
			return bc_ptx_decode_bulk_group(d);
	} else if (bc_ptx_has_modifier(d, "bulk")) {
		return bc_ptx_decode_bulk(d);
	}
	if (!bc_ptx_take_modifier(d, "async"))
		return bc_ptx_unknown(d);
	if (!d->k->arch.cp_async)
		return bc_ptx_lacks(d, "cp.async");
	d->k->uses_async = true;
	if (bc_ptx_has_modifier(d, "wait_group") || bc_ptx_has_modifier(d, "wait_all"))
		return decode_wait(d);
	if (bc_ptx_take_modifier(d, "commit_group")) {
		d->in->exec = commit;
		st = bc_ptx_noperands(d, 0, 0);
		return bc_ptx_modifiers_done(d) ? st : bc_ptx_unknown(d);
	}
	return decode_copy(d);
}
