/* SPDX-License-Identifier: MIT */
/* ldmatrix and stmatrix, .m8n8 of 16-bit elements. */
#include "harness/device/reference/ptx_exec.h"

#include <string.h>

#define ROW_BYTES 16
#define ROWS 8

static enum bc_op law_of(const struct bc_ptx_insn *in)
{
	static const enum bc_op loads[2][5] = {
		{ [1] = BC_OP_LDSM1, [2] = BC_OP_LDSM2, [4] = BC_OP_LDSM4 },
		{ [1] = BC_OP_LDSM1T, [2] = BC_OP_LDSM2T, [4] = BC_OP_LDSM4T },
	};
	static const enum bc_op stores[2][5] = {
		{ [1] = BC_OP_STSM1, [2] = BC_OP_STSM2, [4] = BC_OP_STSM4 },
		{ [1] = BC_OP_STSM1, [2] = BC_OP_STSM2, [4] = BC_OP_STSM4T }, /* .trans changes nothing */
	};
	const bool transposed = (in->flags & BC_PTX_FL_TRANS) != 0;

	return in->mode == 's' ? stores[transposed][in->vec] : loads[transposed][in->vec];
}

/* Lanes that name a row. */
static uint32_t row_lanes(const struct bc_ptx_insn *in)
{
	return in->vec == 4 ? BC_PTX_FULL : (1u << ROWS * in->vec) - 1;
}

static void row_addresses(struct bc_ptx_run *x, const struct bc_ptx_warp *w, const struct bc_ptx_insn *in)
{
	const uint64_t window = in->space == BC_PTX_GENERIC ? BC_PTX_SHARED_WINDOW : 0;

	for (unsigned l = 0; l < BC_LANES; l++)
		x->addr[l] = w->r[in->src[0] + l] + in->imm - window;
}

/* Element (row, column) of matrix @i is here in the rows. */
static unsigned char *element(struct bc_ptx_run *x, unsigned i, unsigned row, unsigned column)
{
	return x->data[ROWS * i + row] + 2 * column;
}

/* Where the halves of @lane's register for matrix @i come from and go to. */
static void fragment(struct bc_ptx_run *x, const struct bc_ptx_insn *in, unsigned i, unsigned lane,
		     unsigned char *half[2])
{
	const unsigned q = lane / 4, r = lane % 4;

	for (unsigned h = 0; h < 2; h++)
		half[h] = in->flags & BC_PTX_FL_TRANS ? element(x, i, 2 * r + h, q) : element(x, i, q, 2 * r + h);
}

static void load_matrix(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	const uint32_t *list = x->k->list + in->list;
	struct bc_ptx_access a;

	row_addresses(x, w, in);
	for (uint32_t m = row_lanes(in); m != 0; m &= m - 1) {
		const uint32_t l = (uint32_t)__builtin_ctz(m);
		const unsigned char *p = bc_ptx_shared_at(x, w, in, l, x->addr[l], ROW_BYTES, ROW_BYTES, false);

		if (!p)
			return;
		bc_ptx_shared_read(x, w, in, l, x->addr[l], ROW_BYTES, false);
		memcpy(x->data[l], p, ROW_BYTES);
	}
	x->counts.ldsm_requests++;
	bc_ptx_count_shared(x, w, in, law_of(in), x->addr, mask);
	a = bc_ptx_access_of(x, w, in, BC_PTX_LDMATRIX, BC_PTX_SHARED, ROW_BYTES, row_lanes(in), x->addr);
	if (h && h->load) {
		a.op = law_of(in);
		h->load(h->ctx, &a, x->data);
	}
	for (unsigned i = 0; i < in->vec; i++) {
		for (unsigned l = 0; l < BC_LANES; l++) {
			unsigned char *half[2];
			uint16_t v[2];

			fragment(x, in, i, l, half);
			memcpy(&v[0], half[0], 2);
			memcpy(&v[1], half[1], 2);
			w->r[list[i] + l] = (uint64_t)v[0] | (uint64_t)v[1] << 16;
		}
	}
}

static void gather_rows(struct bc_ptx_run *x, const struct bc_ptx_warp *w, const struct bc_ptx_insn *in)
{
	const uint32_t *list = x->k->list + in->list;

	for (unsigned i = 0; i < in->vec; i++) {
		for (unsigned l = 0; l < BC_LANES; l++) {
			const uint64_t v = w->r[list[i] + l];
			const uint16_t low = (uint16_t)v, high = (uint16_t)(v >> 16);
			unsigned char *half[2];

			fragment(x, in, i, l, half);
			memcpy(half[0], &low, 2);
			memcpy(half[1], &high, 2);
		}
	}
}

static void store_matrix(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	uint32_t enable[BC_LANES];
	struct bc_ptx_access a;

	row_addresses(x, w, in);
	gather_rows(x, w, in);
	for (uint32_t m = row_lanes(in); m != 0; m &= m - 1) {
		const uint32_t l = (uint32_t)__builtin_ctz(m);

		enable[l] = (1u << ROW_BYTES) - 1;
		if (!bc_ptx_shared_at(x, w, in, l, x->addr[l], ROW_BYTES, ROW_BYTES, true))
			return;
	}
	x->counts.stsm_requests++;
	bc_ptx_count_shared(x, w, in, law_of(in), x->addr, mask);
	a = bc_ptx_access_of(x, w, in, BC_PTX_STMATRIX, BC_PTX_SHARED, ROW_BYTES, row_lanes(in), x->addr);
	if (h && h->store) {
		a.op = law_of(in);
		h->store(h->ctx, &a, x->data, enable);
	}
	for (uint32_t m = row_lanes(in); m != 0; m &= m - 1) {
		const uint32_t l = (uint32_t)__builtin_ctz(m);

		bc_ptx_shared_put(x, w, in, l, x->addr[l], ROW_BYTES, enable[l]);
	}
}

/* The registers: {r0, ...}, or one register for .x1. */
static enum bc_status take_registers(struct bc_ptx_decoder *d, unsigned i, bool is_load)
{
	struct bc_ptx_insn *in = d->in;
	const struct bc_ptx_operand *o = bc_ptx_operand_at(d, i);
	enum bc_status st = BC_OK;

	if ((o->kind == BC_PTX_O_VECTOR ? o->count : 1) != in->vec)
		return bc_ptx_refuse(d, "the number of registers does not match the number of matrices");
	in->list = (uint32_t)d->k->nlist;
	in->list_use = is_load ? BC_PTX_LIST_WRITTEN : BC_PTX_LIST_READ;
	in->nregs = in->vec;
	for (unsigned n = 0; n < in->vec && !st; n++) {
		const struct bc_ptx_operand *r = o->kind == BC_PTX_O_VECTOR ? &d->e->operand[o->first + n] : o;
		uint32_t slot = 0;

		if (is_load)
			st = bc_ptx_operand_dst(d, r, 4, false, &slot);
		else
			st = bc_ptx_operand_src(d, r, BC_PTX_B32, false, &slot);
		if (!st)
			st = bc_ptx_list_add(d, slot);
	}
	return st;
}

enum bc_status bc_ptx_decode_matrix(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const bool is_load = d->mod[0].s[0] == 'l';
	enum bc_status st = bc_ptx_noperands(d, 2, 2);

	if (is_load ? !d->k->arch.ldmatrix : !d->k->arch.stmatrix)
		return bc_ptx_lacks(d, is_load ? "ldmatrix" : "stmatrix");
	if (st)
		return st;
	if (!bc_ptx_take_modifier(d, "sync") || !bc_ptx_take_modifier(d, "aligned") || !bc_ptx_take_modifier(d, "m8n8"))
		return bc_ptx_unknown(d);
	in->mode = is_load ? 'l' : 's';
	in->vec = bc_ptx_take_modifier(d, "x1")	  ? 1
		  : bc_ptx_take_modifier(d, "x2") ? 2
		  : bc_ptx_take_modifier(d, "x4") ? 4
						  : 0;
	if (bc_ptx_take_modifier(d, "trans"))
		in->flags |= BC_PTX_FL_TRANS;
	in->space = bc_ptx_take_modifier(d, "shared") || bc_ptx_take_modifier(d, "shared::cta") ? BC_PTX_SHARED
												: BC_PTX_GENERIC;
	if (in->vec == 0 || bc_ptx_take_type(d) != BC_PTX_B16 || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	in->flow = BC_PTX_F_SYNC;
	in->flags |= BC_PTX_FL_WHOLE_WARP;
	in->exec = is_load ? load_matrix : store_matrix;
	st = bc_ptx_constant(d, BC_PTX_FULL, &in->src[3]);
	if (!st)
		st = take_registers(d, is_load ? 0 : 1, is_load);
	return st ? st : bc_ptx_address(d, is_load ? 1 : 0, (enum bc_ptx_space)in->space, &in->src[0], &in->imm);
}
