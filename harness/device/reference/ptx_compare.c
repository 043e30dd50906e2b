/* SPDX-License-Identifier: MIT */
/* setp, set, selp, slct, testp. */
#include "harness/device/reference/ptx_lanes.h"

#include <math.h>

static bool ordered(enum bc_ptx_cmp cmp, int order)
{
	switch (cmp) {
	case BC_PTX_EQ:
	case BC_PTX_EQU: return order == 0;
	case BC_PTX_NE:
	case BC_PTX_NEU: return order != 0;
	case BC_PTX_LT:
	case BC_PTX_LTU: return order < 0;
	case BC_PTX_LE:
	case BC_PTX_LEU: return order <= 0;
	case BC_PTX_GT:
	case BC_PTX_GTU: return order > 0;
	case BC_PTX_GE:
	case BC_PTX_GEU: return order >= 0;
	case BC_PTX_NUM: return true;
	case BC_PTX_NAN: return false;
	}
	return false;
}

static bool compare_real(enum bc_ptx_cmp cmp, double a, double b)
{
	if (isnan(a) || isnan(b))
		return cmp >= BC_PTX_EQU && cmp != BC_PTX_NUM;
	return ordered(cmp, (a > b) - (a < b));
}

static int64_t extend(uint64_t v, unsigned bytes)
{
	if (bytes == 2)
		return (int16_t)(uint16_t)v;
	return bytes == 4 ? (int64_t)(int32_t)(uint32_t)v : (int64_t)v;
}

/* One bit per lane: equal in *@equal, less in *@less; @flip turns the order of signed numbers into that of unsigned. */
BC_PTX_WIDE static void order_all(const uint64_t pa[BC_LANES], const uint64_t pb[BC_LANES], unsigned shift,
				  uint64_t flip, uint32_t *equal, uint32_t *less)
{
	uint32_t is[BC_LANES], below[BC_LANES], e = 0, b = 0;

	for (unsigned l = 0; l < BC_LANES; l++) {
		const uint64_t x = pa[l] << shift ^ flip, y = pb[l] << shift ^ flip;

		is[l] = (uint32_t)(x == y) << l;
		below[l] = (uint32_t)(x < y) << l;
	}
	for (unsigned l = 0; l < BC_LANES; l++) {
		e |= is[l];
		b |= below[l];
	}
	*equal = e;
	*less = b;
}

/* Integers of a whole warp. */
static uint32_t compare_all(const struct bc_ptx_warp *w, const struct bc_ptx_insn *in)
{
	const bool is_signed = bc_ptx_type_signed((enum bc_ptx_type)in->stype);
	const enum bc_ptx_cmp cmp = (enum bc_ptx_cmp)in->cmp;
	uint32_t equal, less;

	order_all(w->r + in->src[0], w->r + in->src[1], is_signed ? 64u - 8u * in->elem : 0,
		  is_signed ? UINT64_C(1) << 63 : 0, &equal, &less);
	return (ordered(cmp, 0) ? equal : 0) | (ordered(cmp, -1) ? less : 0) | (ordered(cmp, 1) ? ~(equal | less) : 0);
}

/* One bit per lane of @mask: the comparison's outcome. @high: of the upper halves of packed types. */
static uint32_t compare(const struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask, bool high)
{
	const enum bc_ptx_type type = (enum bc_ptx_type)in->stype;
	const enum bc_ptx_cmp cmp = (enum bc_ptx_cmp)in->cmp;
	const uint64_t *pa = w->r + in->src[0], *pb = w->r + in->src[1];
	uint32_t out = 0;

	if (mask == BC_PTX_FULL && !bc_ptx_type_float(type))
		return compare_all(w, in);
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t a = pa[l], b = pb[l];
		bool t;

		if (bc_ptx_type_float(type)) {
			if (high)
				a >>= 16, b >>= 16;
			if (type == BC_PTX_F16 || type == BC_PTX_BF16)
				a &= 0xffff, b &= 0xffff;
			if (in->flags & BC_PTX_FL_FTZ)
				a = bc_ptx_flush(type, a), b = bc_ptx_flush(type, b);
			t = compare_real(cmp, bc_ptx_value(type, a), bc_ptx_value(type, b));
		} else if (bc_ptx_type_signed(type)) {
			const int64_t sa = extend(a, in->elem), sb = extend(b, in->elem);

			t = ordered(cmp, (sa > sb) - (sa < sb));
		} else {
			t = ordered(cmp, (a > b) - (a < b));
		}
		out |= (uint32_t)t << l;
	}
	return out;
}

static uint32_t combine(const struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t t)
{
	const uint32_t c = w->p[in->psrc] ^ in->psrc_flip;

	switch (in->mode) {
	case 'a': return t & c;
	case 'o': return t | c;
	case 'x': return t ^ c;
	default: return t;
	}
}

static void put_pred(struct bc_ptx_warp *w, uint32_t pred, uint32_t v, uint32_t mask)
{
	w->p[pred] = (w->p[pred] & ~mask) | (v & mask);
}

static void setp(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint32_t t = compare(w, in, mask, false);
	const uint32_t p = combine(w, in, t);
	/* Packed halves: the second predicate is the upper half's; else that of the complement. */
	const uint32_t q = combine(w, in, in->vec == 2 ? compare(w, in, mask, true) : ~t);

	(void)x;
	put_pred(w, in->dst, p, mask);
	put_pred(w, in->dst2, q, mask);
}

/* The bits of true for set's destination type; half of a packed destination when @in->vec is 2. */
static uint64_t truth(const struct bc_ptx_insn *in)
{
	switch (in->type) {
	case BC_PTX_F32: return 0x3f800000;
	case BC_PTX_F16:
	case BC_PTX_F16X2: return 0x3c00;
	case BC_PTX_BF16:
	case BC_PTX_BF16X2: return 0x3f80;
	case BC_PTX_U16:
	case BC_PTX_S16: return 0xffff;
	default: return in->vec == 2 ? 0xffff : 0xffffffff;
	}
}

static void set(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint32_t low = combine(w, in, compare(w, in, mask, false));
	const uint32_t high = in->vec == 2 ? combine(w, in, compare(w, in, mask, true)) : 0;
	const uint64_t yes = truth(in);

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		w->r[in->dst + l] = (low >> l & 1 ? yes : 0) | (high >> l & 1 ? yes << 16 : 0);
	}
}

static void selp(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint32_t p = w->p[in->psrc] ^ in->psrc_flip;

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		w->r[in->dst + l] = w->r[(p >> l & 1 ? in->src[0] : in->src[1]) + l];
	}
}

static void slct(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t c = w->r[in->src[2] + l];
		bool first;

		if (in->stype == BC_PTX_F32) {
			if (in->flags & BC_PTX_FL_FTZ)
				c = bc_ptx_flush(BC_PTX_F32, c);
			first = bc_ptx_as_float(c) >= 0.0f; /* -0 selects a, NaN selects b */
		} else {
			first = (int32_t)(uint32_t)c >= 0;
		}
		w->r[in->dst + l] = w->r[(first ? in->src[0] : in->src[1]) + l];
	}
}

static void testp(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	uint32_t out = 0;

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const double v = bc_ptx_value((enum bc_ptx_type)in->type, w->r[in->src[0] + l]);
		const double least = in->type == BC_PTX_F64 ? 0x1p-1022 : 0x1p-126;
		const bool subnormal = v != 0.0 && fabs(v) < least;
		bool t = false;

		switch (in->mode) {
		case 0: t = isfinite(v) != 0; break;
		case 1: t = isinf(v) != 0; break;
		case 2: t = !isnan(v); break;
		case 3: t = isnan(v) != 0; break;
		case 4: t = isfinite(v) && !subnormal; break;
		default: t = subnormal; break;
		}
		out |= (uint32_t)t << l;
	}
	put_pred(w, in->dst, out, mask);
}

static const struct {
	const char *name;
	uint8_t cmp;
	bool integer, bits, real;
	bool is_unsigned; /* lo, ls, hi, hs: unsigned types only */
} comparisons[] = {
	{ "eq", BC_PTX_EQ, true, true, true, false },	  { "ne", BC_PTX_NE, true, true, true, false },
	{ "lt", BC_PTX_LT, true, false, true, false },	  { "le", BC_PTX_LE, true, false, true, false },
	{ "gt", BC_PTX_GT, true, false, true, false },	  { "ge", BC_PTX_GE, true, false, true, false },
	{ "lo", BC_PTX_LT, true, false, false, true },	  { "ls", BC_PTX_LE, true, false, false, true },
	{ "hi", BC_PTX_GT, true, false, false, true },	  { "hs", BC_PTX_GE, true, false, false, true },
	{ "equ", BC_PTX_EQU, false, false, true, false }, { "neu", BC_PTX_NEU, false, false, true, false },
	{ "ltu", BC_PTX_LTU, false, false, true, false }, { "leu", BC_PTX_LEU, false, false, true, false },
	{ "gtu", BC_PTX_GTU, false, false, true, false }, { "geu", BC_PTX_GEU, false, false, true, false },
	{ "num", BC_PTX_NUM, false, false, true, false }, { "nan", BC_PTX_NAN, false, false, true, false },
};

/* .cmp{.bool}{.ftz} */
static bool decode_comparison(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const enum bc_ptx_type type = bc_ptx_last_type(d);
	const bool real = bc_ptx_type_float(type), bits = type >= BC_PTX_B8 && type <= BC_PTX_B128;
	bool found = false;

	for (size_t i = 0; i < BC_ARRAY_LEN(comparisons) && !found; i++) {
		if (!bc_ptx_take_modifier(d, comparisons[i].name))
			continue;
		found = real ? comparisons[i].real : bits ? comparisons[i].bits : comparisons[i].integer;
		found = found && !(comparisons[i].is_unsigned && bc_ptx_type_signed(type));
		in->cmp = comparisons[i].cmp;
	}
	if (bc_ptx_take_modifier(d, "and"))
		in->mode = 'a';
	else if (bc_ptx_take_modifier(d, "or"))
		in->mode = 'o';
	else if (bc_ptx_take_modifier(d, "xor"))
		in->mode = 'x';
	if (real && type != BC_PTX_F64 && bc_ptx_take_modifier(d, "ftz"))
		in->flags |= BC_PTX_FL_FTZ;
	return found;
}

/* The element type that is compared, and its operands' type. */
static enum bc_ptx_type element_type(struct bc_ptx_insn *in, enum bc_ptx_type type)
{
	in->stype = (uint8_t)type;
	in->elem = (uint8_t)bc_ptx_type_bytes(type);
	if (type == BC_PTX_F16X2 || type == BC_PTX_BF16X2) {
		in->stype = type == BC_PTX_F16X2 ? BC_PTX_F16 : BC_PTX_BF16;
		in->vec = 2;
		return BC_PTX_B32;
	}
	return type == BC_PTX_F16 || type == BC_PTX_BF16 ? BC_PTX_B16 : type;
}

static bool comparable(enum bc_ptx_type type)
{
	const unsigned bytes = bc_ptx_type_bytes(type);

	return bytes >= 2 && bytes <= 8 && type != BC_PTX_F32X2 && type != BC_PTX_U16X2 && type != BC_PTX_S16X2;
}

static enum bc_status decode_sources(struct bc_ptx_decoder *d, enum bc_ptx_type operand)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_noperands(d, in->mode ? 4 : 3, in->mode ? 4 : 3);

	if (!st)
		st = bc_ptx_src(d, 1, operand, false, &in->src[0]);
	if (!st)
		st = bc_ptx_src(d, 2, operand, false, &in->src[1]);
	if (!st && in->mode)
		st = bc_ptx_pred_src(d, 3, &in->psrc, &in->psrc_flip);
	return st;
}

static enum bc_status decode_setp(struct bc_ptx_decoder *d)
{
	enum bc_ptx_type type;
	enum bc_status st;

	if (!decode_comparison(d))
		return bc_ptx_unknown(d);
	type = bc_ptx_take_type(d);
	if (!bc_ptx_modifiers_done(d) || !comparable(type))
		return bc_ptx_unknown(d);
	d->in->exec = setp;
	st = decode_sources(d, element_type(d->in, type));
	return st ? st : bc_ptx_pred_dst(d, 0, &d->in->dst, &d->in->dst2);
}

static enum bc_status decode_set(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_ptx_type type, to;
	enum bc_status st;
	bool half_to;

	if (!decode_comparison(d))
		return bc_ptx_unknown(d);
	to = bc_ptx_take_type(d);
	type = bc_ptx_take_type(d);
	half_to = to == BC_PTX_F16 || to == BC_PTX_BF16 || to == BC_PTX_F16X2 || to == BC_PTX_BF16X2 ||
		  to == BC_PTX_U16 || to == BC_PTX_S16;
	if (!bc_ptx_modifiers_done(d) || !comparable(type) ||
	    !(to == BC_PTX_U32 || to == BC_PTX_S32 || to == BC_PTX_F32 || half_to))
		return bc_ptx_unknown(d);
	in->exec = set;
	in->type = (uint8_t)to;
	st = decode_sources(d, element_type(in, type));
	if (!st && (in->vec == 2) != (to == BC_PTX_F16X2 || to == BC_PTX_BF16X2) &&
	    !(in->vec == 2 && (to == BC_PTX_U32 || to == BC_PTX_S32)))
		st = bc_ptx_unknown(d);
	return st ? st : bc_ptx_dst(d, 0, bc_ptx_type_bytes(to), false, &in->dst);
}

static enum bc_status decode_selp(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const enum bc_ptx_type type = bc_ptx_take_type(d);
	enum bc_status st = bc_ptx_noperands(d, 4, 4);

	if (!bc_ptx_modifiers_done(d) || !comparable(type))
		return bc_ptx_unknown(d);
	in->exec = selp;
	if (!st)
		st = bc_ptx_dst(d, 0, bc_ptx_type_bytes(type), false, &in->dst);
	if (!st)
		st = bc_ptx_src(d, 1, type, false, &in->src[0]);
	if (!st)
		st = bc_ptx_src(d, 2, type, false, &in->src[1]);
	return st ? st : bc_ptx_pred_src(d, 3, &in->psrc, &in->psrc_flip);
}

static enum bc_status decode_slct(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_ptx_type type;
	enum bc_status st = bc_ptx_noperands(d, 4, 4);

	if (bc_ptx_take_modifier(d, "ftz"))
		in->flags |= BC_PTX_FL_FTZ;
	type = bc_ptx_take_type(d);
	in->stype = (uint8_t)bc_ptx_take_type(d);
	if (!bc_ptx_modifiers_done(d) || !comparable(type) || (in->stype != BC_PTX_S32 && in->stype != BC_PTX_F32) ||
	    ((in->flags & BC_PTX_FL_FTZ) && in->stype != BC_PTX_F32))
		return bc_ptx_unknown(d);
	in->exec = slct;
	if (!st)
		st = bc_ptx_dst(d, 0, bc_ptx_type_bytes(type), false, &in->dst);
	if (!st)
		st = bc_ptx_src(d, 1, type, false, &in->src[0]);
	if (!st)
		st = bc_ptx_src(d, 2, type, false, &in->src[1]);
	return st ? st : bc_ptx_src(d, 3, (enum bc_ptx_type)in->stype, false, &in->src[2]);
}

static enum bc_status decode_testp(struct bc_ptx_decoder *d)
{
	static const char *const modes[] = { "finite", "infinite", "number", "notanumber", "normal", "subnormal" };
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_noperands(d, 2, 2);
	bool found = false;

	for (unsigned i = 0; i < BC_ARRAY_LEN(modes) && !found; i++) {
		found = bc_ptx_take_modifier(d, modes[i]);
		in->mode = (uint8_t)i;
	}
	in->type = (uint8_t)bc_ptx_take_type(d);
	if (!found || !bc_ptx_modifiers_done(d) || (in->type != BC_PTX_F32 && in->type != BC_PTX_F64))
		return bc_ptx_unknown(d);
	in->exec = testp;
	if (!st)
		st = bc_ptx_pred_dst(d, 0, &in->dst, NULL);
	return st ? st : bc_ptx_src(d, 1, (enum bc_ptx_type)in->type, false, &in->src[0]);
}

enum bc_status bc_ptx_decode_compare(struct bc_ptx_decoder *d)
{
	const struct bc_ptx_slice name = d->mod[0];

	if (bc_ptx_slice_is(name, "setp"))
		return decode_setp(d);
	if (bc_ptx_slice_is(name, "set"))
		return decode_set(d);
	if (bc_ptx_slice_is(name, "selp"))
		return decode_selp(d);
	if (bc_ptx_slice_is(name, "slct"))
		return decode_slct(d);
	return decode_testp(d);
}
