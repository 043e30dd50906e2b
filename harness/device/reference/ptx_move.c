/* SPDX-License-Identifier: MIT */
/* mov (with packing and unpacking of vectors), cvta, isspacep. */
#include "harness/device/reference/ptx_cluster.h"

static void move(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint64_t *a = w->r + in->src[0];
	uint64_t *d = w->r + in->dst;

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		d[l] = a[l];
	}
}

static void move_pred(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint32_t v = w->p[in->psrc] ^ in->psrc_flip;

	(void)x;
	w->p[in->dst] = (w->p[in->dst] & ~mask) | (v & mask);
}

/* {a, b, ...} -> d: a in the low bits. */
static void pack(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint32_t *list = x->k->list + in->list;

	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t v = 0;

		for (uint32_t i = 0; i < in->nlist; i++)
			v |= w->r[list[i] + l] << (8u * in->elem * i);
		w->r[in->dst + l] = v;
	}
}

static void unpack(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint32_t *list = x->k->list + in->list;
	const uint64_t keep = (UINT64_C(1) << 8u * in->elem) - 1;

	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t v = w->r[in->src[0] + l];

		for (uint32_t i = 0; i < in->nlist; i++)
			w->r[list[i] + l] = v >> (8u * in->elem * i) & keep;
	}
}

/* mov.b64 {%r1, %r2}, {..} does not exist: one side is a vector. */
static enum bc_status decode_vector(struct bc_ptx_decoder *d, enum bc_ptx_type type, bool packs)
{
	struct bc_ptx_insn *in = d->in;
	const struct bc_ptx_operand *v = bc_ptx_operand_at(d, packs ? 1 : 0);
	const unsigned bytes = bc_ptx_type_bytes(type);
	enum bc_ptx_type element;
	enum bc_status st = BC_OK;

	if ((v->count != 2 && v->count != 4) || bytes / v->count == 0 || bytes > 8)
		return bc_ptx_unknown(d);
	in->elem = (uint8_t)(bytes / v->count);
	in->exec = packs ? pack : unpack;
	in->list = (uint32_t)d->k->nlist;
	in->nlist = v->count;
	in->list_use = packs ? BC_PTX_LIST_READ : BC_PTX_LIST_WRITTEN;
	in->nregs = v->count;
	element = in->elem == 4 ? BC_PTX_B32 : in->elem == 2 ? BC_PTX_B16 : BC_PTX_B8;
	for (unsigned i = 0; i < v->count && !st; i++) {
		const struct bc_ptx_operand *o = &d->e->operand[v->first + i];
		uint32_t slot = 0;

		/* There are no 8-bit registers to speak of: bytes live in 16-bit ones. */
		if (packs)
			st = bc_ptx_operand_src(d, o, element, in->elem == 1, &slot);
		else
			st = bc_ptx_operand_dst(d, o, in->elem, in->elem == 1, &slot);
		if (!st && packs && in->elem == 1)
			st = bc_ptx_unknown(d); /* upper bits would have to be cut off */
		if (!st)
			st = bc_ptx_list_add(d, slot);
	}
	if (st)
		return st;
	return packs ? bc_ptx_dst(d, 0, bytes, false, &in->dst) : bc_ptx_src(d, 1, type, false, &in->src[0]);
}

static enum bc_status decode_mov(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const enum bc_ptx_type type = bc_ptx_take_type(d);
	const unsigned bytes = bc_ptx_type_bytes(type);
	enum bc_status st = bc_ptx_noperands(d, 2, 2);

	if (st)
		return st;
	if (!bc_ptx_modifiers_done(d) || type == BC_PTX_NONE)
		return bc_ptx_unknown(d);
	if (type == BC_PTX_PRED) {
		in->exec = move_pred;
		st = bc_ptx_pred_dst(d, 0, &in->dst, NULL);
		return st ? st : bc_ptx_pred_src(d, 1, &in->psrc, &in->psrc_flip);
	}
	if (bytes < 2 || bytes > 8)
		return bc_ptx_unknown(d);
	if (bc_ptx_operand_at(d, 0)->kind == BC_PTX_O_VECTOR || bc_ptx_operand_at(d, 1)->kind == BC_PTX_O_VECTOR)
		return decode_vector(d, type, bc_ptx_operand_at(d, 1)->kind == BC_PTX_O_VECTOR);
	in->exec = move;
	st = bc_ptx_dst(d, 0, bytes, false, &in->dst);
	return st ? st : bc_ptx_src(d, 1, type, false, &in->src[0]);
}

static const struct {
	const char *name;
	enum bc_ptx_space space;
	uint64_t window; /* 0: the generic address is the same */
} spaces[] = {
	{ "global", BC_PTX_GLOBAL, 0 },
	{ "const", BC_PTX_CONST, 0 },
	{ "shared", BC_PTX_SHARED, BC_PTX_SHARED_WINDOW },
	{ "shared::cta", BC_PTX_SHARED, BC_PTX_SHARED_WINDOW },
	{ "shared::cluster", BC_PTX_SHARED, BC_PTX_SHARED_WINDOW },
	{ "local", BC_PTX_LOCAL, BC_PTX_LOCAL_WINDOW },
	{ "param", BC_PTX_PARAM, 0 }, /* addresses of parameters are generic already */
	{ "param::entry", BC_PTX_PARAM, 0 },
};

/* imm: the window's base; flags LEFT: to the space, else from it. */
static void convert_address(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t a = w->r[in->src[0] + l];

		w->r[in->dst + l] = in->flags & BC_PTX_FL_LEFT ? a - in->imm : a + in->imm;
	}
}

static enum bc_status decode_cvta(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const bool to = bc_ptx_take_modifier(d, "to");
	bool found = false;
	enum bc_status st = bc_ptx_noperands(d, 2, 2);

	if (st)
		return st;
	for (size_t i = 0; i < BC_ARRAY_LEN(spaces) && !found; i++) {
		found = bc_ptx_take_modifier(d, spaces[i].name);
		in->imm = spaces[i].window;
	}
	if (!found || bc_ptx_take_type(d) != BC_PTX_U64 || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	in->flags |= to ? BC_PTX_FL_LEFT : 0;
	in->exec = convert_address;
	st = bc_ptx_dst(d, 0, 8, false, &in->dst);
	return st ? st : bc_ptx_src(d, 1, BC_PTX_U64, false, &in->src[0]);
}

/* Generic address -> which space. What is in no window is global. */
static void is_space(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	uint32_t out = 0;

	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t a = w->r[in->src[0] + l], code = (a - BC_PTX_SHARED_WINDOW) >> BC_PTX_RANK_SHIFT;
		bool in_it = bc_ptx_space_of(x, a) == (enum bc_ptx_space)in->space;

		/* Memory of another block is in .shared::cluster alone. */
		if (in_it && in->space == BC_PTX_SHARED && !(in->flags & BC_PTX_FL_CLUSTER))
			in_it = code == 0 || code == (uint64_t)w->b->rank + 1;
		out |= (uint32_t)in_it << l;
	}
	w->p[in->dst] = (w->p[in->dst] & ~mask) | out;
}

static enum bc_status decode_isspacep(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	bool found = false;
	enum bc_status st = bc_ptx_noperands(d, 2, 2);

	in->flags |= bc_ptx_has_modifier(d, "shared::cluster") ? BC_PTX_FL_CLUSTER : 0;
	for (size_t i = 0; i < BC_ARRAY_LEN(spaces) && !found; i++) {
		found = bc_ptx_take_modifier(d, spaces[i].name);
		in->space = (uint8_t)spaces[i].space;
	}
	if (!found || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	in->exec = is_space;
	if (!st)
		st = bc_ptx_pred_dst(d, 0, &in->dst, NULL);
	return st ? st : bc_ptx_src(d, 1, BC_PTX_U64, false, &in->src[0]);
}

enum bc_status bc_ptx_decode_move(struct bc_ptx_decoder *d)
{
	if (bc_ptx_slice_is(d->mod[0], "mov"))
		return decode_mov(d);
	if (bc_ptx_slice_is(d->mod[0], "cvta"))
		return decode_cvta(d);
	return decode_isspacep(d);
}
