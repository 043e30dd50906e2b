/* SPDX-License-Identifier: MIT */
/* cvt: between all integer and floating-point types, exact intermediate, rounded once. */
#include "harness/device/reference/ptx_exec.h"

/* Integer to integer: truncate or extend, or clamp with .sat. */
static uint64_t to_integer(enum bc_ptx_type type, const struct bc_ptx_real *r, bool clamp)
{
	const unsigned bits = 8 * bc_ptx_type_bytes(type);
	const bool is_signed = bc_ptx_type_signed(type);
	const uint64_t top = is_signed	  ? (UINT64_C(1) << (bits - 1)) - 1
			     : bits == 64 ? UINT64_MAX
					  : (UINT64_C(1) << bits) - 1;
	uint64_t v = r->sign ? 0 - r->m : r->m;

	if (clamp && !r->sign && r->m > top)
		v = top;
	if (clamp && r->sign && is_signed && r->m > top + 1)
		v = 0 - (top + 1);
	if (clamp && r->sign && !is_signed)
		v = 0;
	return v;
}

/* Clear what is above the destination register; sign-extend to its width when the type is narrower. */
static uint64_t widen(enum bc_ptx_type type, uint64_t v, unsigned reg_bytes)
{
	const unsigned bits = 8 * bc_ptx_type_bytes(type);

	if (bits < 64) {
		v &= (UINT64_C(1) << bits) - 1;
		if (bc_ptx_type_signed(type) && (v >> (bits - 1) & 1) != 0)
			v |= UINT64_MAX << bits;
	}
	return reg_bytes < 8 ? v & ((UINT64_C(1) << 8 * reg_bytes) - 1) : v;
}

static uint64_t real_to_integer(const struct bc_ptx_insn *in, enum bc_ptx_type from, struct bc_ptx_real *r)
{
	const enum bc_ptx_type to = (enum bc_ptx_type)in->type;
	const unsigned bits = 8 * bc_ptx_type_bytes(to);

	if (r->cls == BC_PTX_NOT_A_NUMBER)
		return from == BC_PTX_F64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
	if (r->cls == BC_PTX_INFINITE) {
		r->m = UINT64_MAX;
		return to_integer(to, r, true);
	}
	bc_ptx_to_integer(r, (enum bc_ptx_round)in->round);
	return to_integer(to, r, true);
}

static uint64_t saturate_bits(enum bc_ptx_type type, uint64_t bits)
{
	const double v = bc_ptx_value(type, bits);

	if (!(v > 0.0))
		return 0; /* NaN too */
	return v > 1.0 ? bc_ptx_round_double(type, 1.0) : bits;
}

/*
 * NaN to a floating-point type: from and to f64 the sign and the upper bits of the payload are kept, and the quiet
 * bit set; bf16 to f32 moves the bits; everything else gives the canonical NaN.
 */
static uint64_t convert_nan(enum bc_ptx_type to, enum bc_ptx_type from, const struct bc_ptx_real *r, uint64_t bits)
{
	static const uint8_t mantissa[BC_PTX_NTYPES] = {
		[BC_PTX_F16] = 10, [BC_PTX_BF16] = 7, [BC_PTX_F32] = 23, [BC_PTX_F64] = 52
	};
	const unsigned has = mantissa[from], wants = mantissa[to], width = 8 * bc_ptx_type_bytes(to);
	uint64_t m;

	if (from == BC_PTX_BF16 && to == BC_PTX_F32)
		return bits << 16 & 0xffffffff;
	if (from != BC_PTX_F64 && to != BC_PTX_F64)
		return bc_ptx_pack(to, r, BC_PTX_RN);
	m = bits & ((UINT64_C(1) << has) - 1);
	m = has > wants ? m >> (has - wants) : m << (wants - has);
	m |= UINT64_C(1) << (wants - 1);
	return (uint64_t)r->sign << (width - 1) | ((UINT64_C(1) << (width - 1 - wants)) - 1) << wants | m;
}

/* To f16, bf16, f32, f64. */
static uint64_t to_real(const struct bc_ptx_insn *in, enum bc_ptx_type from, struct bc_ptx_real *r, uint64_t source)
{
	const enum bc_ptx_type to = (enum bc_ptx_type)in->type;
	uint64_t bits;

	if (in->flags & BC_PTX_FL_ROUND_INT && r->cls == BC_PTX_FINITE && r->e < 0)
		bc_ptx_to_integer(r, (enum bc_ptx_round)in->round);
	if (r->cls == BC_PTX_NOT_A_NUMBER)
		bits = convert_nan(to, from, r, source);
	else
		bits = bc_ptx_pack(to, r, (enum bc_ptx_round)in->round);
	if ((in->flags & BC_PTX_FL_RELU) && r->sign && r->cls != BC_PTX_NOT_A_NUMBER)
		bits = 0;
	if (in->flags & BC_PTX_FL_SAT)
		bits = saturate_bits(to, bits);
	if ((in->flags & BC_PTX_FL_CLAMP) && r->cls != BC_PTX_NOT_A_NUMBER) {
		/* .satfinite: the largest number instead of infinity. */
		const uint64_t infinity = to == BC_PTX_F16 ? 0x7c00 : 0x7f80;

		if ((bits & 0x7fff) == infinity)
			bits -= 1;
	}
	if ((in->flags & BC_PTX_FL_FTZ) && to == BC_PTX_F32)
		bits = bc_ptx_flush(BC_PTX_F32, bits);
	return bits;
}

static uint64_t convert(const struct bc_ptx_insn *in, uint64_t v)
{
	const enum bc_ptx_type from = (enum bc_ptx_type)in->stype, to = (enum bc_ptx_type)in->type;
	struct bc_ptx_real r;

	if ((in->flags & BC_PTX_FL_FTZ) && from == BC_PTX_F32) {
		v = bc_ptx_flush(BC_PTX_F32, v);
		if ((v & 0x7fffffff) > 0x7f800000)
			v = 0x7fffffff;
	}
	bc_ptx_unpack(from, v, &r);
	if (bc_ptx_type_float(to))
		return to_real(in, from, &r, v);
	if (bc_ptx_type_float(from))
		return widen(to, real_to_integer(in, from, &r), in->elem);
	return widen(to, to_integer(to, &r, (in->flags & BC_PTX_FL_SAT) != 0), in->elem);
}

static void execute(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		w->r[in->dst + l] = convert(in, w->r[in->src[0] + l]);
	}
}

/* cvt.rn.f16x2.f32 d, a, b: a in the upper half. */
static void execute_pair(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		w->r[in->dst + l] = convert(in, w->r[in->src[0] + l]) << 16 | convert(in, w->r[in->src[1] + l]);
	}
}

static bool integer_round(struct bc_ptx_decoder *d, uint8_t *round)
{
	static const char *const words[] = {
		[BC_PTX_RN] = "rni", [BC_PTX_RZ] = "rzi", [BC_PTX_RM] = "rmi", [BC_PTX_RP] = "rpi"
	};

	for (unsigned i = 0; i < BC_ARRAY_LEN(words); i++) {
		if (!bc_ptx_take_modifier(d, words[i]))
			continue;
		*round = (uint8_t)i;
		return true;
	}
	return false;
}

static bool loses(enum bc_ptx_type to, enum bc_ptx_type from)
{
	static const uint8_t precision[BC_PTX_NTYPES] = {
		[BC_PTX_F16] = 11, [BC_PTX_BF16] = 8, [BC_PTX_F32] = 24, [BC_PTX_F64] = 53
	};

	return precision[to] < precision[from];
}

/* Which roundings the pair of types needs: PTX demands .r?i to integers, and .r? where the result may be inexact. */
static bool rounding_fits(const struct bc_ptx_insn *in, bool has_round, bool has_integer_round)
{
	const enum bc_ptx_type to = (enum bc_ptx_type)in->type, from = (enum bc_ptx_type)in->stype;
	const bool to_float = bc_ptx_type_float(to), from_float = bc_ptx_type_float(from);

	if (!to_float)
		return from_float ? has_integer_round : !has_round && !has_integer_round;
	if (!from_float)
		return has_round;
	if (to == from)
		return !has_round;
	if (loses(to, from))
		return has_round;
	return !has_integer_round;
}

static bool plain_type(enum bc_ptx_type t)
{
	return (t >= BC_PTX_U8 && t <= BC_PTX_S64) || t == BC_PTX_F16 || t == BC_PTX_BF16 || t == BC_PTX_F32 ||
	       t == BC_PTX_F64;
}

static enum bc_status decode_pair(struct bc_ptx_decoder *d, enum bc_ptx_type half)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_noperands(d, 3, 3);

	in->type = (uint8_t)half;
	in->exec = execute_pair;
	if (!st)
		st = bc_ptx_dst(d, 0, 4, false, &in->dst);
	if (!st)
		st = bc_ptx_src(d, 1, BC_PTX_F32, false, &in->src[0]);
	return st ? st : bc_ptx_src(d, 2, BC_PTX_F32, false, &in->src[1]);
}

enum bc_status bc_ptx_decode_cvt(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	bool has_integer_round = integer_round(d, &in->round);
	const bool has_round = !has_integer_round && bc_ptx_take_round(d, &in->round);
	bool relu, to_half;
	enum bc_status st;

	relu = bc_ptx_take_modifier(d, "relu");
	if (bc_ptx_take_modifier(d, "satfinite"))
		in->flags |= BC_PTX_FL_CLAMP;
	relu = relu || bc_ptx_take_modifier(d, "relu");
	if (bc_ptx_take_modifier(d, "ftz"))
		in->flags |= BC_PTX_FL_FTZ;
	if (bc_ptx_take_modifier(d, "sat"))
		in->flags |= BC_PTX_FL_SAT;
	in->flags |= relu ? BC_PTX_FL_RELU : 0;
	in->type = (uint8_t)bc_ptx_take_type(d);
	in->stype = (uint8_t)bc_ptx_take_type(d);
	to_half = in->type == BC_PTX_F16 || in->type == BC_PTX_BF16 || in->type == BC_PTX_F16X2 ||
		  in->type == BC_PTX_BF16X2;
	if (!bc_ptx_modifiers_done(d) ||
	    ((in->flags & (BC_PTX_FL_RELU | BC_PTX_FL_CLAMP)) != 0 && !(to_half && in->stype == BC_PTX_F32)))
		return bc_ptx_unknown(d);
	if ((in->type == BC_PTX_F16X2 || in->type == BC_PTX_BF16X2) && in->stype == BC_PTX_F32 && has_round)
		return decode_pair(d, in->type == BC_PTX_F16X2 ? BC_PTX_F16 : BC_PTX_BF16);
	if (!plain_type((enum bc_ptx_type)in->type) || !plain_type((enum bc_ptx_type)in->stype) ||
	    !rounding_fits(in, has_round, has_integer_round))
		return bc_ptx_unknown(d);
	in->flags |= has_integer_round ? BC_PTX_FL_ROUND_INT : 0;
	in->exec = execute;
	st = bc_ptx_noperands(d, 2, 2);
	if (!st)
		st = bc_ptx_dst(d, 0, bc_ptx_type_bytes((enum bc_ptx_type)in->type), true, &in->dst);
	in->elem = (uint8_t)(st ? 8 : bc_ptx_operand_bytes(d, 0));
	in->elem = in->elem ? in->elem : 8;
	return st ? st : bc_ptx_src(d, 1, (enum bc_ptx_type)in->stype, true, &in->src[0]);
}
