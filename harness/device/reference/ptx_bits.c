/* SPDX-License-Identifier: MIT */
/* Bits: logic (registers and predicates), shifts, fields, counts, permutations. */
#include "harness/device/reference/ptx_lanes.h"

/* Shift amounts are unsigned 32-bit; those at or past the width give 0 or the sign. */
static uint64_t shift_left(uint64_t a, uint64_t n, unsigned bits)
{
	if (n >= bits)
		return 0;
	return bits == 64 ? a << n : (a << n) & ((UINT64_C(1) << bits) - 1);
}

static uint64_t shift_right(uint64_t a, uint64_t n, unsigned bits)
{
	return n >= bits ? 0 : a >> n;
}

static uint64_t sign_extend(uint64_t a, unsigned bits)
{
	const uint64_t sign = UINT64_C(1) << (bits - 1);

	return (a ^ sign) - sign;
}

static uint64_t shift_right_signed(uint64_t a, uint64_t n, unsigned bits)
{
	const uint64_t wide = sign_extend(a, bits);
	const uint64_t fill = 0 - (wide >> 63);
	const unsigned by = n >= bits ? bits - 1 : (unsigned)n;
	const uint64_t v = by == 0 ? wide : wide >> by | fill << (64 - by);

	return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static uint64_t reverse(uint64_t a, unsigned bits)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < bits; i++)
		r = r << 1 | (a >> i & 1);
	return r;
}

static uint64_t leading_zeros(uint64_t a, unsigned bits)
{
	return a == 0 ? bits : (unsigned)__builtin_clzll(a) - (64 - bits);
}

LANES(and_b, a &b)
LANES(or_b, a | b)
LANES(xor_b, a ^ b)
LANES(not16, U16(~a))
LANES(not32, U32(~a))
LANES(not64, ~a)
LANES(cnot_b, (uint64_t)(a == 0))
LANES(shl16, shift_left(a, b, 16))
LANES(shl32, shift_left(a, b, 32))
LANES(shl64, shift_left(a, b, 64))
LANES(shr_u16, shift_right(a, b, 16))
LANES(shr_u32, shift_right(a, b, 32))
LANES(shr_u64, shift_right(a, b, 64))
LANES(shr_s16, shift_right_signed(a, b, 16))
LANES(shr_s32, shift_right_signed(a, b, 32))
LANES(shr_s64, shift_right_signed(a, b, 64))
LANES(brev32, reverse(a, 32))
LANES(brev64, reverse(a, 64))
LANES(clz32, leading_zeros(a, 32))
LANES(clz64, leading_zeros(a, 64))
LANES(popc_b, (uint64_t)(unsigned)__builtin_popcountll(a))

static void logic_pred(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint32_t a = w->p[in->src[0]] ^ in->src[2], b = w->p[in->src[1]] ^ in->src[3];
	uint32_t v = a;

	(void)x;
	switch (in->mode) {
	case 'a': v = a & b; break;
	case 'o': v = a | b; break;
	case 'x': v = a ^ b; break;
	case 'n': v = ~a; break;
	default: break;
	}
	w->p[in->dst] = (w->p[in->dst] & ~mask) | (v & mask);
}

static enum bc_status decode_logic_pred(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const bool one = d->mod[0].s[0] == 'n';
	enum bc_status st = bc_ptx_noperands(d, one ? 2 : 3, one ? 2 : 3);

	in->exec = logic_pred;
	in->mode = (uint8_t)d->mod[0].s[0];
	if (!st)
		st = bc_ptx_pred_dst(d, 0, &in->dst, NULL);
	if (!st)
		st = bc_ptx_pred_src(d, 1, &in->src[0], &in->src[2]);
	if (!st && !one)
		st = bc_ptx_pred_src(d, 2, &in->src[1], &in->src[3]);
	return st;
}

/* shf: the funnel a (low) and b (high) shifted by c; mode: 32 or 31 limits the amount (clamp, wrap). */
static void funnel(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t v = w->r[in->src[1] + l] << 32 | w->r[in->src[0] + l];
		uint64_t n = w->r[in->src[2] + l];

		if (in->flags & BC_PTX_FL_CLAMP)
			n = n > 32 ? 32 : n;
		else
			n &= 31;
		w->r[in->dst + l] = (in->flags & BC_PTX_FL_LEFT) ? U32(n == 0 ? v >> 32 : v >> (32 - n)) : U32(v >> n);
	}
}

static enum bc_status decode_funnel(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_noperands(d, 4, 4);

	in->exec = funnel;
	if (bc_ptx_take_modifier(d, "l"))
		in->flags |= BC_PTX_FL_LEFT;
	else if (!bc_ptx_take_modifier(d, "r"))
		return bc_ptx_unknown(d);
	if (bc_ptx_take_modifier(d, "clamp"))
		in->flags |= BC_PTX_FL_CLAMP;
	else if (!bc_ptx_take_modifier(d, "wrap"))
		return bc_ptx_unknown(d);
	if (bc_ptx_take_type(d) != BC_PTX_B32 || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	if (!st)
		st = bc_ptx_dst(d, 0, 4, false, &in->dst);
	for (unsigned i = 0; i < 3 && !st; i++)
		st = bc_ptx_src(d, i + 1, BC_PTX_B32, false, &in->src[i]);
	return st;
}

/* Bit field extract: the field is filled up with zeroes, or with the sign bit of the field (or of the operand). */
static void extract(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const unsigned bits = in->elem * 8u;
	const bool is_signed = bc_ptx_type_signed((enum bc_ptx_type)in->type);

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t a = w->r[in->src[0] + l];
		const unsigned pos = (unsigned)(w->r[in->src[1] + l] & 0xff),
			       len = (unsigned)(w->r[in->src[2] + l] & 0xff);
		const unsigned top = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
		const uint64_t sign = is_signed && len > 0 ? a >> top & 1 : 0;
		uint64_t v = 0;

		if (pos < bits && len > 0)
			v = a >> pos & (len >= 64 ? UINT64_MAX : (UINT64_C(1) << len) - 1);
		/* Bits that lie past the operand's top are the sign too. */
		if (sign && pos < bits)
			v |= top - pos >= 63 ? 0 : UINT64_MAX << (top - pos);
		else if (sign)
			v = UINT64_MAX;
		w->r[in->dst + l] = bits == 32 ? U32(v) : v;
	}
}

/* bfi: field a into b at c, length d. */
static void insert(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const unsigned bits = in->elem * 8u;

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t a = w->r[in->src[0] + l], b = w->r[in->src[1] + l];
		const unsigned pos = (unsigned)(w->r[in->src[2] + l] & 0xff),
			       len = (unsigned)(w->r[in->src[3] + l] & 0xff);
		uint64_t field = 0;

		if (pos < bits)
			field = (len >= 64 ? UINT64_MAX : (UINT64_C(1) << len) - 1) << pos;
		if (bits == 32)
			field = U32(field);
		w->r[in->dst + l] = (b & ~field) | (pos < bits ? (a << pos & field) : 0);
	}
}

static enum bc_status decode_field(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const bool is_insert = d->mod[0].s[2] == 'i';
	const enum bc_ptx_type type = bc_ptx_take_type(d);
	enum bc_status st = bc_ptx_noperands(d, is_insert ? 5 : 4, is_insert ? 5 : 4);
	unsigned n = 0;

	in->type = (uint8_t)type;
	in->elem = (uint8_t)bc_ptx_type_bytes(type);
	if (!bc_ptx_modifiers_done(d) || in->elem < 4 || in->elem > 8)
		return bc_ptx_unknown(d);
	if (is_insert != (type == BC_PTX_B32 || type == BC_PTX_B64))
		return bc_ptx_unknown(d);
	in->exec = is_insert ? insert : extract;
	if (!st)
		st = bc_ptx_dst(d, 0, in->elem, false, &in->dst);
	if (!st)
		st = bc_ptx_src(d, 1, type, false, &in->src[n++]);
	if (!st && is_insert)
		st = bc_ptx_src(d, 2, type, false, &in->src[n++]);
	for (unsigned i = n + 1; i < d->s->noperands && !st; i++)
		st = bc_ptx_src(d, i, BC_PTX_U32, false, &in->src[n++]);
	return st;
}

/* Most significant non-sign bit; all ones when there is none. */
static void find_bit(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const unsigned bits = in->elem * 8u;
	const bool is_signed = bc_ptx_type_signed((enum bc_ptx_type)in->type);

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t a = w->r[in->src[0] + l];

		if (is_signed && (a >> (bits - 1) & 1))
			a = bits == 32 ? U32(~a) : ~a;
		if (a == 0)
			w->r[in->dst + l] = UINT32_MAX;
		else if (in->flags & BC_PTX_FL_CLAMP)
			w->r[in->dst + l] = leading_zeros(a, bits);
		else
			w->r[in->dst + l] = bits - 1 - leading_zeros(a, bits);
	}
}

static enum bc_status decode_find_bit(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_noperands(d, 2, 2);

	in->exec = find_bit;
	if (bc_ptx_take_modifier(d, "shiftamt"))
		in->flags |= BC_PTX_FL_CLAMP;
	in->type = (uint8_t)bc_ptx_take_type(d);
	in->elem = (uint8_t)bc_ptx_type_bytes((enum bc_ptx_type)in->type);
	if (!bc_ptx_modifiers_done(d) || in->elem < 4 || in->elem > 8 || in->type == BC_PTX_B32 ||
	    in->type == BC_PTX_B64)
		return bc_ptx_unknown(d);
	if (!st)
		st = bc_ptx_dst(d, 0, 4, false, &in->dst);
	return st ? st : bc_ptx_src(d, 1, (enum bc_ptx_type)in->type, false, &in->src[0]);
}

/* lop3: bit i of the table is the result for a = bit 2 of i, b = bit 1, c = bit 0. */
static uint32_t lookup3(uint32_t a, uint32_t b, uint32_t c, uint8_t table)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < 8; i++)
		if (table >> i & 1)
			v |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
	return v;
}

static void lop3(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	uint32_t p = 0;

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint32_t v = lookup3((uint32_t)w->r[in->src[0] + l], (uint32_t)w->r[in->src[1] + l],
					   (uint32_t)w->r[in->src[2] + l], (uint8_t)in->imm);

		w->r[in->dst + l] = v;
		p |= (uint32_t)(v != 0) << l;
	}
	if (in->mode == 0)
		return;
	if (in->mode == 'a')
		p &= w->p[in->psrc] ^ in->psrc_flip;
	else
		p |= w->p[in->psrc] ^ in->psrc_flip;
	w->p[in->dst2] = (w->p[in->dst2] & ~mask) | (p & mask);
}

static enum bc_status decode_lop3(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const struct bc_ptx_operand *o = bc_ptx_operand_at(d, 0);
	struct bc_ptx_operand first;
	enum bc_status st;

	in->exec = lop3;
	if (bc_ptx_take_modifier(d, "and"))
		in->mode = 'a';
	else if (bc_ptx_take_modifier(d, "or"))
		in->mode = 'o';
	if (bc_ptx_take_type(d) != BC_PTX_B32 || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	st = bc_ptx_noperands(d, in->mode ? 6 : 5, in->mode ? 6 : 5);
	if (st)
		return st;
	first = *o;
	if (in->mode) {
		if (o->reg2 < 0 || d->e->reg[o->reg2] != BC_PTX_PRED)
			return bc_ptx_refuse(d, "the second destination is not a predicate");
		in->dst2 = d->k->pred_of[o->reg2];
		first.reg2 = -1;
		st = bc_ptx_pred_src(d, 5, &in->psrc, &in->psrc_flip);
	}
	if (!st)
		st = bc_ptx_operand_dst(d, &first, 4, false, &in->dst);
	for (unsigned i = 0; i < 3 && !st; i++)
		st = bc_ptx_src(d, i + 1, BC_PTX_B32, false, &in->src[i]);
	if (!st)
		st = bc_ptx_literal(d, 4, &in->imm);
	if (!st && in->imm > 255)
		st = bc_ptx_refuse(d, "the table of lop3 has 8 bits");
	return st;
}

/* Selector nibble @i of prmt, of the default mode or one of the special ones. */
static unsigned permute_nibble(unsigned mode, uint32_t c, unsigned i)
{
	const unsigned s = c & 3;

	switch (mode) {
	case 1: return (s + i) & 7;	      /* f4e */
	case 2: return (s + 8 - i) & 7;	      /* b4e */
	case 3: return s;		      /* rc8 */
	case 4: return i > s ? i : s;	      /* ecl */
	case 5: return i < s ? i : s;	      /* ecr */
	case 6: return 2 * (s & 1) + (i & 1); /* rc16 */
	default: return c >> 4 * i & 15;
	}
}

static void permute(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t v = w->r[in->src[1] + l] << 32 | w->r[in->src[0] + l];
		uint32_t r = 0;

		for (unsigned i = 0; i < 4; i++) {
			const unsigned n = permute_nibble(in->mode, (uint32_t)w->r[in->src[2] + l], i);
			uint32_t byte = (uint32_t)(v >> 8 * (n & 7)) & 0xff;

			if (n & 8)
				byte = byte & 0x80 ? 0xff : 0;
			r |= byte << 8 * i;
		}
		w->r[in->dst + l] = r;
	}
}

static enum bc_status decode_permute(struct bc_ptx_decoder *d)
{
	static const char *const modes[] = { "f4e", "b4e", "rc8", "ecl", "ecr", "rc16" };
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_noperands(d, 4, 4);

	in->exec = permute;
	if (bc_ptx_take_type(d) != BC_PTX_B32)
		return bc_ptx_unknown(d);
	for (unsigned i = 0; i < BC_ARRAY_LEN(modes); i++)
		if (in->mode == 0 && bc_ptx_take_modifier(d, modes[i]))
			in->mode = (uint8_t)(i + 1);
	if (!bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	if (!st)
		st = bc_ptx_dst(d, 0, 4, false, &in->dst);
	for (unsigned i = 0; i < 3 && !st; i++)
		st = bc_ptx_src(d, i + 1, BC_PTX_B32, false, &in->src[i]);
	return st;
}

/* bmsk: b ones starting at a. */
static void bit_mask(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t pos = w->r[in->src[0] + l], len = w->r[in->src[1] + l];

		if (in->flags & BC_PTX_FL_CLAMP) {
			pos = pos > 32 ? 32 : pos;
			len = len > 32 ? 32 : len;
		} else {
			pos &= 31;
			len &= 31;
		}
		w->r[in->dst + l] = U32(((UINT64_C(1) << len) - 1) << pos);
	}
}

/* szext: a as a number of b bits, sign- or zero-extended. */
static void extend(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t a = w->r[in->src[0] + l];
		uint64_t n = w->r[in->src[1] + l], v = a;

		if (in->flags & BC_PTX_FL_CLAMP)
			n = n > 32 ? 32 : n;
		else
			n &= 31;
		if (n == 0)
			v = 0;
		else if (n < 32)
			v = a & ((UINT64_C(1) << n) - 1);
		if (in->type == BC_PTX_S32 && n > 0)
			v = U32(sign_extend(v, (unsigned)n));
		w->r[in->dst + l] = v;
	}
}

static enum bc_status decode_mask_or_extend(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const bool is_mask = d->mod[0].s[0] == 'b';
	enum bc_status st = bc_ptx_noperands(d, 3, 3);

	in->exec = is_mask ? bit_mask : extend;
	if (bc_ptx_take_modifier(d, "clamp"))
		in->flags |= BC_PTX_FL_CLAMP;
	else if (!bc_ptx_take_modifier(d, "wrap"))
		return bc_ptx_unknown(d);
	in->type = (uint8_t)bc_ptx_take_type(d);
	if (!bc_ptx_modifiers_done(d) ||
	    (is_mask ? in->type != BC_PTX_B32 : in->type != BC_PTX_U32 && in->type != BC_PTX_S32))
		return bc_ptx_unknown(d);
	if (!st)
		st = bc_ptx_dst(d, 0, 4, false, &in->dst);
	if (!st)
		st = bc_ptx_src(d, 1, BC_PTX_B32, false, &in->src[0]);
	return st ? st : bc_ptx_src(d, 2, BC_PTX_U32, false, &in->src[1]);
}

static const struct form {
	const char *name;
	enum bc_ptx_type type;
	uint8_t result, nsrc;
	bool shift; /* the second source is u32 */
	bc_ptx_exec_fn *exec;
} forms[] = {
	{ "and", BC_PTX_B16, 2, 2, false, and_b },   { "and", BC_PTX_B32, 4, 2, false, and_b },
	{ "and", BC_PTX_B64, 8, 2, false, and_b },   { "or", BC_PTX_B16, 2, 2, false, or_b },
	{ "or", BC_PTX_B32, 4, 2, false, or_b },     { "or", BC_PTX_B64, 8, 2, false, or_b },
	{ "xor", BC_PTX_B16, 2, 2, false, xor_b },   { "xor", BC_PTX_B32, 4, 2, false, xor_b },
	{ "xor", BC_PTX_B64, 8, 2, false, xor_b },   { "not", BC_PTX_B16, 2, 1, false, not16 },
	{ "not", BC_PTX_B32, 4, 1, false, not32 },   { "not", BC_PTX_B64, 8, 1, false, not64 },
	{ "cnot", BC_PTX_B16, 2, 1, false, cnot_b }, { "cnot", BC_PTX_B32, 4, 1, false, cnot_b },
	{ "cnot", BC_PTX_B64, 8, 1, false, cnot_b }, { "shl", BC_PTX_B16, 2, 2, true, shl16 },
	{ "shl", BC_PTX_B32, 4, 2, true, shl32 },    { "shl", BC_PTX_B64, 8, 2, true, shl64 },
	{ "shr", BC_PTX_B16, 2, 2, true, shr_u16 },  { "shr", BC_PTX_B32, 4, 2, true, shr_u32 },
	{ "shr", BC_PTX_B64, 8, 2, true, shr_u64 },  { "shr", BC_PTX_U16, 2, 2, true, shr_u16 },
	{ "shr", BC_PTX_U32, 4, 2, true, shr_u32 },  { "shr", BC_PTX_U64, 8, 2, true, shr_u64 },
	{ "shr", BC_PTX_S16, 2, 2, true, shr_s16 },  { "shr", BC_PTX_S32, 4, 2, true, shr_s32 },
	{ "shr", BC_PTX_S64, 8, 2, true, shr_s64 },  { "brev", BC_PTX_B32, 4, 1, false, brev32 },
	{ "brev", BC_PTX_B64, 8, 1, false, brev64 }, { "clz", BC_PTX_B32, 4, 1, false, clz32 },
	{ "clz", BC_PTX_B64, 4, 1, false, clz64 },   { "popc", BC_PTX_B32, 4, 1, false, popc_b },
	{ "popc", BC_PTX_B64, 4, 1, false, popc_b },
};

static enum bc_status decode_form(struct bc_ptx_decoder *d)
{
	const enum bc_ptx_type type = bc_ptx_take_type(d);
	const struct form *f = NULL;
	enum bc_status st;

	for (size_t i = 0; i < BC_ARRAY_LEN(forms) && !f; i++)
		if (forms[i].type == type && bc_ptx_slice_is(d->mod[0], forms[i].name))
			f = &forms[i];
	if (!f || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	d->in->exec = f->exec;
	st = bc_ptx_noperands(d, f->nsrc + 1u, f->nsrc + 1u);
	if (!st)
		st = bc_ptx_dst(d, 0, f->result, false, &d->in->dst);
	for (unsigned i = 0; i < f->nsrc && !st; i++)
		st = bc_ptx_src(d, i + 1, i == 1 && f->shift ? BC_PTX_U32 : type, false, &d->in->src[i]);
	return st;
}

enum bc_status bc_ptx_decode_bits(struct bc_ptx_decoder *d)
{
	const struct bc_ptx_slice name = d->mod[0];

	if (bc_ptx_slice_is(name, "shf"))
		return decode_funnel(d);
	if (bc_ptx_slice_is(name, "bfe") || bc_ptx_slice_is(name, "bfi"))
		return decode_field(d);
	if (bc_ptx_slice_is(name, "bfind"))
		return decode_find_bit(d);
	if (bc_ptx_slice_is(name, "lop3"))
		return decode_lop3(d);
	if (bc_ptx_slice_is(name, "prmt"))
		return decode_permute(d);
	if (bc_ptx_slice_is(name, "bmsk") || bc_ptx_slice_is(name, "szext"))
		return decode_mask_or_extend(d);
	if (bc_ptx_last_type(d) == BC_PTX_PRED && d->nmod == 2 && !bc_ptx_slice_is(name, "cnot") && name.s[0] != 's')
		return decode_logic_pred(d);
	return decode_form(d);
}
