/* SPDX-License-Identifier: MIT */
/* cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, in mode tile: boxes of a tensor to shared memory and back. */
#include "harness/device/reference/ptx_pending.h"

#include <stdio.h>
#include <string.h>

#define PIECE 8u /* bytes that lie together under every swizzle */
#define TILE_ALIGN 128u
#define ROW_ALIGN 16u /* measured on an H200: 82 boxes, loads and stores of 1- to 8-byte elements */
#define CUT_BYTES 16u /* of the planted fault */

/* bc_ptx_insn.mode */
enum { LOAD = 0, STORE, REDUCE, PREFETCH };

static const enum bc_ptx_type element_types[BC_TENSOR_NTYPES] = {
	[BC_TENSOR_U8] = BC_PTX_U8,	[BC_TENSOR_U16] = BC_PTX_U16, [BC_TENSOR_U32] = BC_PTX_U32,
	[BC_TENSOR_S32] = BC_PTX_S32,	[BC_TENSOR_U64] = BC_PTX_U64, [BC_TENSOR_S64] = BC_PTX_S64,
	[BC_TENSOR_F16] = BC_PTX_F16,	[BC_TENSOR_F32] = BC_PTX_F32, [BC_TENSOR_F64] = BC_PTX_F64,
	[BC_TENSOR_BF16] = BC_PTX_BF16,
};

/* Where a row ends that the planted fault cuts. */
static uint32_t row_end(const struct bc_ptx_tile *tile, uint64_t row)
{
	const bool cut = (tile->faults & BC_PTX_TENSOR_CUT) != 0 && row + 1 == tile->rows;

	return cut ? tile->row - CUT_BYTES : tile->row;
}

/* Which bytes of the piece at @byte of a row lie in [@first, @end) of it: bit i for byte i. */
static uint32_t inside(uint32_t byte, uint32_t first, uint32_t end)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < PIECE; i++)
		bits |= (uint32_t)(byte + i >= first && byte + i < end) << i;
	return bits;
}

/* Sectors of @bytes in one piece, or of the lines of 128 bytes that they are in. */
static uint64_t sectors(const struct bc_ptx_run *x, uint64_t address, uint64_t bytes)
{
	const uint64_t unit = x->g->l->hooks && x->g->l->hooks->whole_lines ? 128 : 32;

	return bytes ? ((address + bytes - 1) / unit - address / unit + 1) * (unit / 32) : 0;
}

/* The elements of a row that are inside the tensor: bytes *first to *end of it, at *p in global memory. */
static bool row_in_global(struct bc_ptx_run *x, const struct bc_ptx_pending *c, uint64_t row, bool write,
			  unsigned char **p, uint32_t *first, uint32_t *end)
{
	const uint32_t elem = c->tile.elem;
	uint64_t address = 0;
	uint32_t at = 0, n = bc_ptx_tile_row(&c->tile, row, &address, &at);

	*first = at * elem;
	*end = (at + n) * elem;
	*p = n ? bc_ptx_global_at(x, c->w, c->in, c->lane, address, n * elem, elem, write) : NULL;
	if (!write)
		x->counts.tma_ld_sectors += sectors(x, address, (uint64_t)n * elem);
	else if (c->in->mode == STORE)
		x->counts.tma_st_sectors += sectors(x, address, (uint64_t)n * elem);
	return *p || !n;
}

static void load_tile(struct bc_ptx_run *x, const struct bc_ptx_pending *c)
{
	const struct bc_ptx_tile *tile = &c->tile;
	const uint64_t fill = bc_ptx_tile_fill(tile);
	const bool filled = (tile->faults & BC_PTX_TENSOR_UNFILLED) == 0;
	unsigned char row[BC_PTX_TENSOR_ROW_MAX], *p;
	uint32_t first, end;

	for (uint64_t r = 0; r < tile->rows && row_in_global(x, c, r, false, &p, &first, &end); r++) {
		for (uint32_t at = 0; at < tile->row; at += tile->elem)
			memcpy(row + at, &fill, tile->elem);
		if (p)
			bc_ptx_global_load(row + first, p, end - first, tile->elem);
		for (uint32_t at = 0; at < row_end(tile, r); at += PIECE) {
			const uint32_t to = bc_ptx_tile_shared(tile, r, at);
			const uint32_t enable = filled ? (1u << PIECE) - 1 : inside(at, first, end);

			if (!bc_ptx_shared_at(x, c->w, c->in, c->lane, to, PIECE, PIECE, true))
				return;
			memcpy(x->data[c->lane], row + at, PIECE);
			bc_ptx_shared_put(x, c->w, c->in, c->lane, to, PIECE, enable);
		}
	}
}

/* The bytes [@first, @end) of row @r of the tile in shared memory. */
static bool row_from_shared(struct bc_ptx_run *x, const struct bc_ptx_pending *c, uint64_t r, uint32_t first,
			    uint32_t end, unsigned char *row)
{
	for (uint32_t at = first / PIECE * PIECE; at < end; at += PIECE) {
		const uint32_t from = bc_ptx_tile_shared(&c->tile, r, at);
		const unsigned char *s = bc_ptx_shared_at(x, c->w, c->in, c->lane, from, PIECE, PIECE, false);
		const uint32_t lo = at < first ? first - at : 0, hi = end - at < PIECE ? end - at : PIECE;

		if (!s)
			return false;
		bc_ptx_shared_read(x, c->w, c->in, c->lane, from + lo, hi - lo, false);
		memcpy(row + at, s, PIECE);
	}
	return true;
}

static void store_tile(struct bc_ptx_run *x, const struct bc_ptx_pending *c)
{
	const struct bc_ptx_tile *tile = &c->tile;
	const uint32_t elem = tile->elem, all = (1u << elem) - 1;
	const bool reduces = c->in->mode == REDUCE && !(tile->faults & BC_PTX_TENSOR_STORES);
	const struct bc_ptx_insn op = { .op = c->in->op,
					.type = (uint8_t)element_types[tile->t.type],
					.elem = (uint8_t)elem };
	unsigned char row[BC_PTX_TENSOR_ROW_MAX], *p;
	uint32_t first, end;

	for (uint64_t r = 0; r < tile->rows && row_in_global(x, c, r, true, &p, &first, &end); r++) {
		end = end < row_end(tile, r) ? end : row_end(tile, r);
		if (!p || first >= end)
			continue;
		if (!row_from_shared(x, c, r, first, end, row))
			return;
		for (uint32_t at = first; at < end; at += elem, p += elem) {
			uint64_t v = 0;

			memcpy(&v, row + at, elem);
			if (reduces)
				(void)bc_ptx_update_global(&op, p, v, 0, true);
			else
				bc_ptx_global_store(p, &v, elem, elem, all);
		}
	}
}

/* Which elements an operation reduces (PTX ISA, cp.reduce.async.bulk). */
static bool can_reduce(enum bc_ptx_atomic_op op, enum bc_tensor_type t)
{
	const unsigned bytes = bc_tensor_type_bytes(t);

	switch (op) {
	case BC_PTX_A_ADD: return bytes >= 4 || bc_tensor_type_float(t);
	case BC_PTX_A_INC:
	case BC_PTX_A_DEC: return t == BC_TENSOR_U32;
	case BC_PTX_A_MIN:
	case BC_PTX_A_MAX: return bytes >= 4 ? !bc_tensor_type_float(t) : bc_tensor_type_float(t);
	default: return bytes >= 4 && !bc_tensor_type_float(t);
	}
}

/* The tensor map that a lane names. */
static bool read_map(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
		     struct bc_ptx_tensor *out)
{
	const uint64_t address = w->r[in->src[1] + lane] + w->r[in->src[3] + lane];
	const enum bc_ptx_space space = bc_ptx_space_of(x, address);
	const unsigned char *p;

	if (space == BC_PTX_SHARED || space == BC_PTX_LOCAL) {
		bc_ptx_fail_at(x, w->b, in,
			       "lane %u: the tensor map at 0x%llx is not in global, constant or parameter memory", lane,
			       (unsigned long long)address);
		return false;
	}
	p = space == BC_PTX_PARAM ? bc_ptx_param_at(x, w, in, lane, address, BC_TENSOR_MAP_BYTES, BC_TENSOR_MAP_ALIGN)
	    : space == BC_PTX_CONST
		    ? bc_ptx_const_at(x, w, in, lane, address, BC_TENSOR_MAP_BYTES, BC_TENSOR_MAP_ALIGN)
		    : bc_ptx_global_at(x, w, in, lane, address, BC_TENSOR_MAP_BYTES, BC_TENSOR_MAP_ALIGN, false);
	if (!p)
		return false;
	memcpy(out, p, sizeof(*out));
	if (bc_ptx_tensor_is_sound(out))
		return true;
	bc_ptx_fail_at(x, w->b, in, "lane %u: the 128 bytes at 0x%llx are no tensor map that the device made", lane,
		       (unsigned long long)address);
	return false;
}

static bool before_tensor(const int32_t *at, unsigned rank)
{
	for (unsigned i = 0; i < rank; i++)
		if (at[i] < 0)
			return true;
	return false;
}

/* What a lane asks for, and whether it may. */
static bool make_copy(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
		      struct bc_ptx_pending *c)
{
	const uint32_t *list = x->k->list + in->list;
	const uint64_t shared = w->r[in->src[0] + lane] + in->imm;
	const unsigned faults = x->g->l->hooks ? x->g->l->hooks->tensor : 0;
	struct bc_ptx_tensor map;
	int32_t at[BC_TENSOR_RANK_MAX] = { 0 };
	int64_t into_row;

	if (!read_map(x, w, in, lane, &map))
		return false;
	for (unsigned i = 0; i < in->vec; i++)
		at[i] = (int32_t)(uint32_t)w->r[list[i] + lane];
	into_row = (int64_t)at[0] * (int64_t)bc_tensor_type_bytes((enum bc_tensor_type)map.type);
	*c = (struct bc_ptx_pending){ .w = w,
				      .in = in,
				      .lane = lane,
				      .move = in->mode == LOAD ? load_tile : store_tile,
				      .grouped = in->mode != LOAD };
	bc_ptx_tile_make(&map, at, (uint32_t)shared, faults, &c->tile);
	if (map.rank != in->vec)
		bc_ptx_fail_at(x, w->b, in, "lane %u: a copy of %u dimensions with a tensor map of %u", lane, in->vec,
			       map.rank);
	else if (in->mode == REDUCE && !can_reduce((enum bc_ptx_atomic_op)in->op, (enum bc_tensor_type)map.type))
		bc_ptx_fail_at(x, w->b, in,
			       "lane %u: this reduction of the tensor map's elements (type %u) is not known", lane,
			       map.type);
	else if (in->mode != PREFETCH && into_row % ROW_ALIGN)
		bc_ptx_fail_at(
			x, w->b, in,
			"lane %u: the box begins %lld bytes into a row, which is no multiple of %u (measured: an "
			"H200 ends the kernel, illegal instruction)",
			lane, (long long)into_row, ROW_ALIGN);
	else if (in->mode != PREFETCH && in->mode != LOAD && before_tensor(at, in->vec))
		bc_ptx_fail_at(
			x, w->b, in,
			"lane %u: a box that is written begins before the tensor (measured: an H200 ends the kernel, "
			"illegal instruction)",
			lane);
	else if (in->mode != PREFETCH && shared % TILE_ALIGN)
		bc_ptx_fail_at(x, w->b, in, "lane %u: the tile's shared address 0x%llx is no multiple of %u", lane,
			       (unsigned long long)shared, TILE_ALIGN);
	else if (in->mode != PREFETCH && bc_ptx_tile_extent(&c->tile) > w->b->shared->bytes)
		bc_ptx_fail_at(x, w->b, in, "lane %u: a tile of %llu bytes, the block has %u bytes of shared memory",
			       lane, (unsigned long long)bc_ptx_tile_extent(&c->tile), w->b->shared->bytes);
	if (in->mode == LOAD)
		c->barrier = w->r[in->src[2] + lane] + w->r[list[in->vec] + lane];
	c->bytes = bc_ptx_tile_bytes(&c->tile);
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

/* .1d ... .5d; 0: something else. */
static uint8_t take_rank(struct bc_ptx_decoder *d)
{
	static const char *const names[] = { "1d", "2d", "3d", "4d", "5d" };

	for (size_t i = 0; i < BC_ARRAY_LEN(names); i++)
		if (bc_ptx_take_modifier(d, names[i]))
			return (uint8_t)(i + 1);
	return 0;
}

/* [map, {c0, c1, ...}]: operand @i. The coordinates go to the list. */
static enum bc_status decode_map(struct bc_ptx_decoder *d, unsigned i)
{
	struct bc_ptx_insn *in = d->in;
	const struct bc_ptx_operand *o = bc_ptx_operand_at(d, i);
	uint64_t offset = 0;
	uint32_t slot = 0;
	enum bc_status st = bc_ptx_address(d, i, BC_PTX_GENERIC, &in->src[1], &offset);

	if (!st && o->count != in->vec)
		st = bc_ptx_refuse(d, "the number of coordinates is not the number of dimensions");
	if (!st)
		st = bc_ptx_constant(d, offset, &in->src[3]);
	in->list = (uint32_t)d->k->nlist;
	in->list_use = BC_PTX_LIST_READ;
	in->nregs = in->vec;
	for (unsigned k = 0; !st && k < in->vec; k++) {
		st = bc_ptx_operand_src(d, &d->e->operand[o->first + k], BC_PTX_B32, false, &slot);
		if (!st)
			st = bc_ptx_list_add(d, slot);
	}
	return st;
}

/* What is not known, by its name. */
static enum bc_status refuse_modes(const struct bc_ptx_decoder *d)
{
	static const char *const modes[] = { "im2col",	       "im2col_no_offs", "im2col::w",
					     "im2col::w::128", "tile::gather4",	 "tile::scatter4",
					     "cta_group::1",   "cta_group::2",	 "multicast::cluster" };
	char why[80];

	for (size_t i = 0; i < BC_ARRAY_LEN(modes); i++) {
		if (!bc_ptx_has_modifier(d, modes[i]))
			continue;
		(void)snprintf(why, sizeof(why), "tensor copies with .%s are not known to the reference device",
			       modes[i]);
		return bc_ptx_refuse(d, why);
	}
	return bc_ptx_unknown(d);
}

/* [tile], [map, {coordinates}], [barrier] */
static enum bc_status decode_load(struct bc_ptx_decoder *d, unsigned hinted)
{
	struct bc_ptx_insn *in = d->in;
	uint64_t offset = 0;
	uint32_t slot = 0;
	enum bc_status st = bc_ptx_noperands(d, 3 + hinted, 3 + hinted);

	if (!st)
		st = bc_ptx_address(d, 0, BC_PTX_SHARED, &in->src[0], &in->imm);
	if (!st)
		st = decode_map(d, 1);
	if (!st)
		st = bc_ptx_address(d, 2, BC_PTX_SHARED, &in->src[2], &offset);
	if (!st)
		st = bc_ptx_constant(d, offset, &slot);
	return st ? st : bc_ptx_list_add(d, slot);
}

/* [map, {coordinates}], [tile]; a prefetch has no tile. */
static enum bc_status decode_store(struct bc_ptx_decoder *d, unsigned hinted)
{
	const unsigned n = d->in->mode == PREFETCH ? 1 : 2;
	enum bc_status st = bc_ptx_noperands(d, n + hinted, n + hinted);

	if (!st)
		st = decode_map(d, 0);
	return st || n == 1 ? st : bc_ptx_address(d, 1, BC_PTX_SHARED, &d->in->src[0], &d->in->imm);
}

static bool take_reduction(struct bc_ptx_decoder *d)
{
	static const struct {
		const char *name;
		enum bc_ptx_atomic_op op;
	} ops[] = {
		{ "add", BC_PTX_A_ADD }, { "min", BC_PTX_A_MIN }, { "max", BC_PTX_A_MAX }, { "inc", BC_PTX_A_INC },
		{ "dec", BC_PTX_A_DEC }, { "and", BC_PTX_A_AND }, { "or", BC_PTX_A_OR },   { "xor", BC_PTX_A_XOR }
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(ops); i++) {
		d->in->op = (uint8_t)ops[i].op;
		if (bc_ptx_take_modifier(d, ops[i].name))
			return true;
	}
	return false;
}

enum bc_status bc_ptx_decode_tensor(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const bool reduces = bc_ptx_take_modifier(d, "reduce");
	const unsigned hinted = bc_ptx_has_modifier(d, "L2::cache_hint");
	bool known = bc_ptx_take_modifier(d, "async") && bc_ptx_take_modifier(d, "bulk");

	if (!d->k->arch.bulk_copy)
		return bc_ptx_lacks(d, "cp.async.bulk.tensor");
	in->mode = reduces ? REDUCE : bc_ptx_take_modifier(d, "prefetch") ? PREFETCH : LOAD;
	known = known && bc_ptx_take_modifier(d, "tensor");
	in->vec = take_rank(d);
	known = known && in->vec;
	if (in->mode == PREFETCH) {
		known = known && bc_ptx_take_modifier(d, "L2") && bc_ptx_take_modifier(d, "global");
	} else if (bc_ptx_take_modifier(d, "global")) {
		known = known && (bc_ptx_take_modifier(d, "shared::cta") || bc_ptx_take_modifier(d, "shared"));
		in->mode = reduces ? REDUCE : STORE;
	} else {
		known = known &&
			(bc_ptx_take_modifier(d, "shared::cluster") || bc_ptx_take_modifier(d, "shared::cta")) &&
			bc_ptx_take_modifier(d, "global");
	}
	known = known && (in->mode != REDUCE || take_reduction(d));
	(void)bc_ptx_take_modifier(d, "tile");
	if (in->mode == LOAD)
		known = known && bc_ptx_take_modifier(d, "mbarrier::complete_tx::bytes");
	else if (in->mode != PREFETCH)
		known = known && bc_ptx_take_modifier(d, "bulk_group");
	(void)bc_ptx_take_modifier(d, "L2::cache_hint");
	if (!known || !bc_ptx_modifiers_done(d))
		return refuse_modes(d);
	in->space = BC_PTX_SHARED;
	in->exec = start;
	return in->mode == LOAD ? decode_load(d, hinted) : decode_store(d, hinted);
}
