/* SPDX-License-Identifier: MIT */
/* cp.async.bulk and cp.reduce.async.bulk without a tensor map: bytes that lie together. They move when they are waited
 * for, the latest moment the ISA allows, so that a missing wait is seen. */
#include "harness/device/reference/ptx_pending.h"

#include <stdio.h>
#include <string.h>

#define PIECE 8u
#define ALL ((1u << PIECE) - 1)
#define UNIT 16u /* addresses and sizes are multiples of it: PTX ISA, cp.async.bulk */

/* bc_ptx_insn.mode */
enum { LOAD = 0, SHARE, STORE, REDUCE, PREFETCH };

/* bytes of shared memory at @at, into @data */
static bool take_shared(struct bc_ptx_run *x, const struct bc_ptx_pending *c, uint64_t at, unsigned char *data)
{
	const unsigned char *s = bc_ptx_shared_at(x, c->w, c->in, c->lane, at, PIECE, PIECE, false);

	if (!s)
		return false;
	bc_ptx_shared_read(x, c->w, c->in, c->lane, (uint32_t)at, PIECE, false);
	memcpy(data, s, PIECE);
	return true;
}

static void to_shared(struct bc_ptx_run *x, const struct bc_ptx_pending *c)
{
	const bool load = c->in->mode == LOAD;
	const unsigned char *p = NULL;
	unsigned char piece[PIECE];

	if (load && c->bytes)
		p = bc_ptx_global_at(x, c->w, c->in, c->lane, c->from, (uint32_t)c->bytes, UNIT, false);
	if (load && !p)
		return;
	for (uint32_t at = 0; at < c->bytes; at += PIECE) {
		if (load)
			bc_ptx_global_load(piece, p + at, PIECE, PIECE);
		else if (!take_shared(x, c, c->from + at, piece))
			return;
		if (!bc_ptx_shared_at(x, c->w, c->in, c->lane, c->to + at, PIECE, PIECE, true))
			return;
		memcpy(x->data[c->lane], piece, PIECE);
		bc_ptx_shared_put(x, c->w, c->in, c->lane, c->to + at, PIECE, ALL);
	}
}

static void to_global(struct bc_ptx_run *x, const struct bc_ptx_pending *c)
{
	const uint32_t elem = c->in->elem;
	unsigned char piece[PIECE], *p = NULL;

	if (c->bytes)
		p = bc_ptx_global_at(x, c->w, c->in, c->lane, c->to, (uint32_t)c->bytes, UNIT, true);
	for (uint32_t at = 0; p && at < c->bytes; at += PIECE) {
		if (!take_shared(x, c, c->from + at, piece))
			return;
		for (uint32_t i = 0; i < PIECE && c->in->mode == REDUCE; i += elem) {
			uint64_t v = 0;

			memcpy(&v, piece + i, elem);
			(void)bc_ptx_update_global(c->in, p + at + i, v, 0, true);
		}
		if (c->in->mode == STORE)
			bc_ptx_global_store(p + at, piece, PIECE, PIECE, ALL);
	}
}

/* What a lane asks for, and whether it may. */
static bool make_copy(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
		      struct bc_ptx_pending *c)
{
	const uint32_t *list = x->k->list + in->list;
	const bool loads = in->mode == LOAD || in->mode == SHARE;

	*c = (struct bc_ptx_pending){ .w = w,
				      .in = in,
				      .lane = lane,
				      .move = loads ? to_shared : to_global,
				      .grouped = !loads,
				      .bytes = (uint32_t)w->r[in->src[3] + lane],
				      .to = w->r[in->src[0] + lane] + in->imm,
				      .from = w->r[in->src[1] + lane] + w->r[list[0] + lane] };
	if (c->bytes % UNIT)
		bc_ptx_fail_at(x, w->b, in, "lane %u: a bulk copy of %llu bytes, which is no multiple of %u", lane,
			       (unsigned long long)c->bytes, UNIT);
	else if (c->from % UNIT || (in->mode != PREFETCH && c->to % UNIT))
		bc_ptx_fail_at(x, w->b, in,
			       "lane %u: a bulk copy's %s address 0x%llx is no multiple of %u: align it so", lane,
			       c->from % UNIT ? "source" : "destination",
			       (unsigned long long)(c->from % UNIT ? c->from : c->to), UNIT);
	else if (loads && c->bytes)
		(void)bc_ptx_shared_at(x, w, in, lane, c->to, (uint32_t)c->bytes, UNIT, true);
	if (loads)
		c->barrier = w->r[in->src[2] + lane] + w->r[list[1] + lane];
	return !x->failed;
}

static void start(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	struct bc_ptx_pending c;

	for (uint32_t m = mask; m != 0 && !x->failed; m &= m - 1) {
		if (!make_copy(x, w, in, (uint32_t)__builtin_ctz(m), &c))
			return;
		if (in->mode != PREFETCH)
			bc_ptx_pending_add(x, &c);
	}
}

/* .op.type of a reduction to global memory. */
static bool take_reduction(struct bc_ptx_decoder *d)
{
	static const struct {
		const char *name;
		enum bc_ptx_atomic_op op;
	} ops[] = {
		{ "add", BC_PTX_A_ADD }, { "min", BC_PTX_A_MIN }, { "max", BC_PTX_A_MAX }, { "inc", BC_PTX_A_INC },
		{ "dec", BC_PTX_A_DEC }, { "and", BC_PTX_A_AND }, { "or", BC_PTX_A_OR },   { "xor", BC_PTX_A_XOR }
	};
	static const struct {
		const char *name;
		enum bc_ptx_type type;
		uint8_t bytes;
	} types[] = { { "u32", BC_PTX_U32, 4 }, { "s32", BC_PTX_S32, 4 }, { "u64", BC_PTX_U64, 8 },
		      { "s64", BC_PTX_S64, 8 }, { "b32", BC_PTX_U32, 4 }, { "b64", BC_PTX_U64, 8 } };
	size_t o = 0, t = 0;
	bool bits;

	while (o < BC_ARRAY_LEN(ops) && !bc_ptx_take_modifier(d, ops[o].name))
		o++;
	if (o == BC_ARRAY_LEN(ops))
		return false;
	while (t < BC_ARRAY_LEN(types) && !bc_ptx_take_modifier(d, types[t].name))
		t++;
	if (t == BC_ARRAY_LEN(types))
		return false;
	d->in->op = (uint8_t)ops[o].op;
	d->in->type = (uint8_t)types[t].type;
	d->in->elem = types[t].bytes;
	bits = types[t].name[0] == 'b';
	if (d->in->op == BC_PTX_A_AND || d->in->op == BC_PTX_A_OR || d->in->op == BC_PTX_A_XOR)
		return bits;
	if (d->in->op == BC_PTX_A_INC || d->in->op == BC_PTX_A_DEC)
		return types[t].type == BC_PTX_U32 && !bits;
	return !bits && !(d->in->op == BC_PTX_A_ADD && types[t].type == BC_PTX_S64);
}

/* Where from and to, and what tells that it is complete. */
static bool take_route(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;

	if (in->mode == PREFETCH)
		return bc_ptx_take_modifier(d, "L2") && bc_ptx_take_modifier(d, "global");
	if (bc_ptx_take_modifier(d, "global")) {
		in->mode = in->mode == REDUCE ? REDUCE : STORE;
		return bc_ptx_take_modifier(d, "shared::cta") && bc_ptx_take_modifier(d, "bulk_group");
	}
	if (in->mode == REDUCE)
		return false;
	if (!bc_ptx_take_modifier(d, "shared::cluster") && !bc_ptx_take_modifier(d, "shared::cta"))
		return false;
	in->mode = bc_ptx_take_modifier(d, "shared::cta") ? SHARE : LOAD;
	return (in->mode == SHARE || bc_ptx_take_modifier(d, "global")) &&
	       bc_ptx_take_modifier(d, "mbarrier::complete_tx::bytes");
}

/* [to], [from], bytes, and [barrier] where there is one; a prefetch has no [to]. */
static enum bc_status decode_operands(struct bc_ptx_decoder *d, unsigned hinted)
{
	struct bc_ptx_insn *in = d->in;
	const bool loads = in->mode == LOAD || in->mode == SHARE;
	const bool from_global = in->mode == LOAD || in->mode == PREFETCH;
	const unsigned first = in->mode != PREFETCH, n = first + 2 + loads + hinted;
	uint64_t offset = 0, barrier = 0;
	uint32_t slot = 0;
	enum bc_status st = bc_ptx_noperands(d, n, n);

	if (!st && first)
		st = bc_ptx_address(d, 0, loads ? BC_PTX_SHARED : BC_PTX_GLOBAL, &in->src[0], &in->imm);
	if (!st)
		st = bc_ptx_address(d, first, from_global ? BC_PTX_GLOBAL : BC_PTX_SHARED, &in->src[1], &offset);
	if (!st)
		st = bc_ptx_src(d, first + 1, BC_PTX_U32, false, &in->src[3]);
	if (!st && loads)
		st = bc_ptx_address(d, first + 2, BC_PTX_SHARED, &in->src[2], &barrier);
	in->list = (uint32_t)d->k->nlist;
	if (!st)
		st = bc_ptx_constant(d, offset, &slot);
	if (!st)
		st = bc_ptx_list_add(d, slot);
	if (!st)
		st = bc_ptx_constant(d, barrier, &slot);
	return st ? st : bc_ptx_list_add(d, slot);
}

enum bc_status bc_ptx_decode_bulk(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const bool reduces = bc_ptx_take_modifier(d, "reduce");
	const unsigned hinted = bc_ptx_has_modifier(d, "L2::cache_hint");
	bool known = bc_ptx_take_modifier(d, "async") && bc_ptx_take_modifier(d, "bulk");

	if (!d->k->arch.bulk_copy)
		return bc_ptx_lacks(d, "cp.async.bulk");
	if (bc_ptx_has_modifier(d, "multicast::cluster"))
		return bc_ptx_refuse(d, "bulk copies with .multicast::cluster are not known to the reference device");
	in->mode = reduces ? REDUCE : bc_ptx_take_modifier(d, "prefetch") ? PREFETCH : LOAD;
	known = known && take_route(d);
	(void)bc_ptx_take_modifier(d, "L2::cache_hint");
	known = known && (!reduces || take_reduction(d));
	if (!known || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	in->space = BC_PTX_SHARED;
	in->exec = start;
	return decode_operands(d, hinted);
}
