/* SPDX-License-Identifier: MIT */
/* Instructions of a warp together: shfl, vote, match, redux, elect, activemask, and the barriers' decoding. */
#include "harness/device/reference/ptx_exec.h"

static void put_pred(struct bc_ptx_warp *w, uint32_t pred, uint32_t v, uint32_t mask)
{
	w->p[pred] = (w->p[pred] & ~mask) | (v & mask);
}

static void active_mask(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1)
		w->r[in->dst + (unsigned)__builtin_ctz(m)] = mask;
}

/* Lane that @lane reads from; *@valid: the predicate's value. */
static unsigned source_lane(const struct bc_ptx_insn *in, unsigned lane, uint64_t b, uint64_t c, bool *valid)
{
	const int own = (int)lane, by = (int)(b & 31), segment = (int)(c >> 8 & 31), clamp = (int)(c & 31);
	const int max = (own & segment) | (clamp & ~segment & 31), min = own & segment;
	int j;

	switch (in->mode) {
	case 'u':
		j = own - by;
		*valid = j >= max;
		break;
	case 'd':
		j = own + by;
		*valid = j <= max;
		break;
	case 'b':
		j = own ^ by;
		*valid = j <= max;
		break;
	default:
		j = min | (by & ~segment & 31);
		*valid = j <= max;
		break;
	}
	return *valid ? (unsigned)j & 31 : lane;
}

static void shuffle(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	uint64_t a[BC_LANES];
	uint32_t valid = 0;

	if (h && h->count_shuffles) {
		x->counts.ld_requests++;
		x->counts.ld_wavefronts++;
		x->counts.st_requests++;
		x->counts.st_wavefronts++;
	}
	for (unsigned l = 0; l < BC_LANES; l++)
		a[l] = w->r[in->src[0] + l];
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		bool ok;
		const unsigned j = source_lane(in, l, w->r[in->src[1] + l], w->r[in->src[2] + l], &ok);

		w->r[in->dst + l] = a[j];
		valid |= (uint32_t)ok << l;
	}
	put_pred(w, in->dst2, valid, mask);
}

static void vote(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint32_t set = (w->p[in->psrc] ^ in->psrc_flip) & mask;
	bool t = false;

	(void)x;
	switch (in->mode) {
	case 'b':
		for (uint32_t m = mask; m != 0; m &= m - 1)
			w->r[in->dst + (unsigned)__builtin_ctz(m)] = set;
		return;
	case 'l': t = set == mask; break;
	case 'n': t = set != 0; break;
	default: t = set == 0 || set == mask; break;
	}
	put_pred(w, in->dst, t ? BC_PTX_FULL : 0, mask);
}

static void match(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	uint64_t a[BC_LANES];
	bool all = true;

	(void)x;
	for (unsigned l = 0; l < BC_LANES; l++)
		a[l] = w->r[in->src[0] + l];
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		uint32_t same = 0;

		for (uint32_t n = mask; n != 0; n &= n - 1) {
			const unsigned k = (unsigned)__builtin_ctz(n);

			same |= (uint32_t)(a[k] == a[l]) << k;
		}
		all = all && same == mask;
		w->r[in->dst + l] = same;
	}
	if (in->mode != 'l')
		return;
	for (uint32_t m = mask; m != 0; m &= m - 1)
		w->r[in->dst + (unsigned)__builtin_ctz(m)] = all ? mask : 0;
	put_pred(w, in->dst2, all ? BC_PTX_FULL : 0, mask);
}

static uint32_t reduce(const struct bc_ptx_insn *in, uint32_t a, uint32_t b)
{
	const bool is_signed = in->type == BC_PTX_S32;

	switch ((enum bc_ptx_atomic_op)in->op) {
	case BC_PTX_A_ADD: return a + b;
	case BC_PTX_A_MIN: return (is_signed ? (int32_t)a < (int32_t)b : a < b) ? a : b;
	case BC_PTX_A_MAX: return (is_signed ? (int32_t)a > (int32_t)b : a > b) ? a : b;
	case BC_PTX_A_AND: return a & b;
	case BC_PTX_A_OR: return a | b;
	default: return a ^ b;
	}
}

static void reduce_warp(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	uint32_t v = 0;
	bool first = true;

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const uint32_t a = (uint32_t)w->r[in->src[0] + (unsigned)__builtin_ctz(m)];

		v = first ? a : reduce(in, v, a);
		first = false;
	}
	for (uint32_t m = mask; m != 0; m &= m - 1)
		w->r[in->dst + (unsigned)__builtin_ctz(m)] = v;
}

static void elect(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const unsigned leader = (unsigned)__builtin_ctz(mask);

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1)
		w->r[in->dst + (unsigned)__builtin_ctz(m)] = leader;
	put_pred(w, in->dst2, 1u << leader, mask);
}

/* d|p with d a 32-bit register or `_`. */
static enum bc_status dst_and_pred(struct bc_ptx_decoder *d, unsigned bytes)
{
	struct bc_ptx_operand o = *bc_ptx_operand_at(d, 0);

	d->in->dst2 = BC_PTX_PRED_SINK;
	if (o.reg2 >= 0) {
		if (d->e->reg[o.reg2] != BC_PTX_PRED)
			return bc_ptx_refuse(d, "the second destination is not a predicate");
		d->in->dst2 = d->k->pred_of[o.reg2];
		o.reg2 = -1;
	}
	return bc_ptx_operand_dst(d, &o, bytes, false, &d->in->dst);
}

static enum bc_status decode_shuffle(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_noperands(d, 5, 5);

	if (!bc_ptx_take_modifier(d, "sync"))
		return bc_ptx_unknown(d);
	in->mode = bc_ptx_take_modifier(d, "up")     ? 'u'
		   : bc_ptx_take_modifier(d, "down") ? 'd'
		   : bc_ptx_take_modifier(d, "bfly") ? 'b'
		   : bc_ptx_take_modifier(d, "idx")  ? 'i'
						     : 0;
	if (in->mode == 0 || bc_ptx_take_type(d) != BC_PTX_B32 || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	in->exec = shuffle;
	if (!st)
		st = dst_and_pred(d, 4);
	for (unsigned i = 0; i < 4 && !st; i++)
		st = bc_ptx_src(d, i + 1, BC_PTX_B32, false, &in->src[i]);
	return st;
}

static enum bc_status decode_vote(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_noperands(d, 3, 3);

	if (!bc_ptx_take_modifier(d, "sync"))
		return bc_ptx_unknown(d);
	in->mode = bc_ptx_take_modifier(d, "all")      ? 'l'
		   : bc_ptx_take_modifier(d, "any")    ? 'n'
		   : bc_ptx_take_modifier(d, "uni")    ? 'u'
		   : bc_ptx_take_modifier(d, "ballot") ? 'b'
						       : 0;
	if (in->mode == 0 || bc_ptx_take_type(d) != (in->mode == 'b' ? BC_PTX_B32 : BC_PTX_PRED) ||
	    !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	in->exec = vote;
	if (!st)
		st = in->mode == 'b' ? bc_ptx_dst(d, 0, 4, false, &in->dst) : bc_ptx_pred_dst(d, 0, &in->dst, NULL);
	if (!st)
		st = bc_ptx_pred_src(d, 1, &in->psrc, &in->psrc_flip);
	return st ? st : bc_ptx_src(d, 2, BC_PTX_B32, false, &in->src[3]);
}

static enum bc_status decode_match(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_ptx_type type;
	enum bc_status st = bc_ptx_noperands(d, 3, 3);

	in->mode = bc_ptx_take_modifier(d, "any") ? 'n' : bc_ptx_take_modifier(d, "all") ? 'l' : 0;
	if (in->mode == 0 || !bc_ptx_take_modifier(d, "sync"))
		return bc_ptx_unknown(d);
	type = bc_ptx_take_type(d);
	if ((type != BC_PTX_B32 && type != BC_PTX_B64) || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	in->exec = match;
	if (!st)
		st = in->mode == 'l' ? dst_and_pred(d, 4) : bc_ptx_dst(d, 0, 4, false, &in->dst);
	if (!st)
		st = bc_ptx_src(d, 1, type, false, &in->src[0]);
	return st ? st : bc_ptx_src(d, 2, BC_PTX_B32, false, &in->src[3]);
}

static enum bc_status decode_redux(struct bc_ptx_decoder *d)
{
	static const struct {
		const char *name;
		uint8_t op;
		bool bits;
	} ops[] = {
		{ "add", BC_PTX_A_ADD, false }, { "min", BC_PTX_A_MIN, false }, { "max", BC_PTX_A_MAX, false },
		{ "and", BC_PTX_A_AND, true },	{ "or", BC_PTX_A_OR, true },	{ "xor", BC_PTX_A_XOR, true },
	};
	struct bc_ptx_insn *in = d->in;
	bool found = false, bits = false;
	enum bc_status st = bc_ptx_noperands(d, 3, 3);

	if (!d->k->arch.redux)
		return bc_ptx_lacks(d, "redux.sync");
	if (!bc_ptx_take_modifier(d, "sync"))
		return bc_ptx_unknown(d);
	for (size_t i = 0; i < BC_ARRAY_LEN(ops) && !found; i++) {
		found = bc_ptx_take_modifier(d, ops[i].name);
		in->op = ops[i].op;
		bits = ops[i].bits;
	}
	in->type = (uint8_t)bc_ptx_take_type(d);
	if (!found || !bc_ptx_modifiers_done(d) ||
	    (bits ? in->type != BC_PTX_B32 : in->type != BC_PTX_U32 && in->type != BC_PTX_S32))
		return bc_ptx_unknown(d);
	in->exec = reduce_warp;
	if (!st)
		st = bc_ptx_dst(d, 0, 4, false, &in->dst);
	if (!st)
		st = bc_ptx_src(d, 1, BC_PTX_B32, false, &in->src[0]);
	return st ? st : bc_ptx_src(d, 2, BC_PTX_B32, false, &in->src[3]);
}

static enum bc_status decode_elect(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_noperands(d, 2, 2);

	if (!bc_ptx_take_modifier(d, "sync") || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	in->exec = elect;
	if (!st)
		st = dst_and_pred(d, 4);
	return st ? st : bc_ptx_src(d, 1, BC_PTX_B32, false, &in->src[3]);
}

/* bar.red.{popc,and,or}: mode p, a, o; the predicate operand is the last one. */
static enum bc_status decode_reduction(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const unsigned n = d->s->noperands;
	enum bc_status st = bc_ptx_noperands(d, 3, 4);

	in->mode = bc_ptx_take_modifier(d, "popc")  ? 'p'
		   : bc_ptx_take_modifier(d, "and") ? 'a'
		   : bc_ptx_take_modifier(d, "or")  ? 'o'
						    : 0;
	(void)bc_ptx_take_modifier(d, "aligned");
	if (in->mode == 0 || bc_ptx_take_type(d) != (in->mode == 'p' ? BC_PTX_U32 : BC_PTX_PRED) ||
	    !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	if (!st)
		st = in->mode == 'p' ? bc_ptx_dst(d, 0, 4, false, &in->dst) : bc_ptx_pred_dst(d, 0, &in->dst, NULL);
	if (!st)
		st = bc_ptx_src(d, 1, BC_PTX_U32, false, &in->src[0]);
	if (!st && n == 4) {
		in->flags |= BC_PTX_FL_COUNT_GIVEN;
		st = bc_ptx_src(d, 2, BC_PTX_U32, false, &in->src[1]);
	}
	return st ? st : bc_ptx_pred_src(d, n - 1, &in->psrc, &in->psrc_flip);
}

static enum bc_status decode_block_barrier(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st;

	in->flow = BC_PTX_F_BARRIER;
	(void)bc_ptx_take_modifier(d, "cta");
	if (bc_ptx_take_modifier(d, "red"))
		return decode_reduction(d);
	if (bc_ptx_take_modifier(d, "arrive"))
		in->flags |= BC_PTX_FL_ARRIVE;
	else if (!bc_ptx_take_modifier(d, "sync"))
		return bc_ptx_unknown(d);
	(void)bc_ptx_take_modifier(d, "aligned");
	if (!bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	st = bc_ptx_noperands(d, in->flags & BC_PTX_FL_ARRIVE ? 2 : 1, 2);
	if (!st)
		st = bc_ptx_src(d, 0, BC_PTX_U32, false, &in->src[0]);
	if (!st && d->s->noperands == 2) {
		in->flags |= BC_PTX_FL_COUNT_GIVEN;
		st = bc_ptx_src(d, 1, BC_PTX_U32, false, &in->src[1]);
	}
	return st;
}

static enum bc_status decode_barrier(struct bc_ptx_decoder *d)
{
	enum bc_status st;

	if (bc_ptx_has_modifier(d, "cluster"))
		return bc_ptx_decode_cluster(d);
	if (d->mod[0].len != 3 || !bc_ptx_take_modifier(d, "warp"))
		return decode_block_barrier(d);
	if (!bc_ptx_take_modifier(d, "sync") || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	d->in->flow = BC_PTX_F_WARPBAR;
	st = bc_ptx_noperands(d, 1, 1);
	return st ? st : bc_ptx_src(d, 0, BC_PTX_B32, false, &d->in->src[3]);
}

enum bc_status bc_ptx_decode_sync(struct bc_ptx_decoder *d)
{
	const struct bc_ptx_slice name = d->mod[0];

	if (bc_ptx_slice_is(name, "bar") || bc_ptx_slice_is(name, "barrier"))
		return decode_barrier(d);
	if (bc_ptx_slice_is(name, "activemask")) {
		enum bc_status st = bc_ptx_noperands(d, 1, 1);

		d->in->exec = active_mask;
		if (bc_ptx_take_type(d) != BC_PTX_B32 || !bc_ptx_modifiers_done(d))
			return bc_ptx_unknown(d);
		return st ? st : bc_ptx_dst(d, 0, 4, false, &d->in->dst);
	}
	d->in->flow = BC_PTX_F_SYNC;
	if (bc_ptx_slice_is(name, "shfl"))
		return decode_shuffle(d);
	if (bc_ptx_slice_is(name, "vote"))
		return decode_vote(d);
	if (bc_ptx_slice_is(name, "match"))
		return decode_match(d);
	if (bc_ptx_slice_is(name, "redux"))
		return decode_redux(d);
	return decode_elect(d);
}
