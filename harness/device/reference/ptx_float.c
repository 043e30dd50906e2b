/* SPDX-License-Identifier: MIT */
/* f32, f64 and f32x2 arithmetic that is exact or rounded once: add, sub, mul, fma, min, max, abs, neg, copysign. */
#include "harness/device/reference/ptx_exec.h"

#include <math.h>

enum op { ADD = 0, SUB, MUL, FMA, MIN, MAX, ABS, NEG, COPYSIGN };

#define SIGN32 UINT64_C(0x80000000)
#define SIGN64 UINT64_C(0x8000000000000000)

/* One operation, rounded to nearest: the host's mode unless it was changed. */
static float nearest32(enum op op, float a, float b, float c)
{
	switch (op) {
	case ADD: return a + b;
	case SUB: return a - b;
	case MUL: return a * b;
	default: return fmaf(a, b, c);
	}
}

/*
 * One operation in the host's current rounding mode. The operands and the result pass through volatile objects, so
 * that the operation happens between two changes of the mode.
 */
static float arithmetic32(enum op op, float a, float b, float c)
{
	const volatile float va = a, vb = b, vc = c;
	volatile float r = 0.0f;

	switch (op) {
	case ADD: r = va + vb; break;
	case SUB: r = va - vb; break;
	case MUL: r = va * vb; break;
	default: r = fmaf(va, vb, vc); break;
	}
	return r;
}

static double arithmetic64(enum op op, double a, double b, double c)
{
	const volatile double va = a, vb = b, vc = c;
	volatile double r = 0.0;

	switch (op) {
	case ADD: r = va + vb; break;
	case SUB: r = va - vb; break;
	case MUL: r = va * vb; break;
	default: r = fma(va, vb, vc); break;
	}
	return r;
}

static uint64_t saturate32(float v)
{
	if (isnan(v) || v <= 0.0f)
		return 0;
	return bc_ptx_float_bits(v >= 1.0f ? 1.0f : v);
}

/*
 * Is the exact result of an operation that was rounded to the smallest normal number below it? Then .ftz flushes it.
 * A sum that small is exact.
 */
static bool tiny32(const struct bc_ptx_insn *in, uint64_t a, uint64_t b, uint64_t c)
{
	double exact = bc_ptx_value(BC_PTX_F32, a) * bc_ptx_value(BC_PTX_F32, b); /* 48 bits */

	if (in->op != MUL && in->op != FMA)
		return false;
	if (in->op == FMA) {
		bc_ptx_host_round(BC_PTX_RN);
		exact = bc_ptx_add_odd(exact, bc_ptx_value(BC_PTX_F32, c));
		bc_ptx_host_round((enum bc_ptx_round)in->round);
	}
	return fabs(exact) < 0x1p-126;
}

/* In the current rounding mode, with .ftz and .sat. */
static uint64_t rounded32(const struct bc_ptx_insn *in, uint64_t a, uint64_t b, uint64_t c)
{
	const bool ftz = (in->flags & BC_PTX_FL_FTZ) != 0;
	uint64_t bits;
	float r;

	if (ftz) {
		a = bc_ptx_flush(BC_PTX_F32, a);
		b = bc_ptx_flush(BC_PTX_F32, b);
		c = bc_ptx_flush(BC_PTX_F32, c);
	}
	if (in->round == BC_PTX_RN)
		r = nearest32((enum op)in->op, bc_ptx_as_float(a), bc_ptx_as_float(b), bc_ptx_as_float(c));
	else
		r = arithmetic32((enum op)in->op, bc_ptx_as_float(a), bc_ptx_as_float(b), bc_ptx_as_float(c));
	bits = bc_ptx_float_bits(r);
	if (ftz && (bits & ~SIGN32) == 0x00800000 && tiny32(in, a, b, c))
		bits &= SIGN32;
	if (ftz)
		bits = bc_ptx_flush(BC_PTX_F32, bits);
	return in->flags & BC_PTX_FL_SAT ? saturate32(bc_ptx_as_float(bits)) : bits;
}

/* The NaN that a f64 operation with these operands gives: the first one, quiet. */
static uint64_t pick_nan64(uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t operand[] = { a, b, c };

	for (unsigned i = 0; i < BC_ARRAY_LEN(operand); i++)
		if (isnan(bc_ptx_as_double(operand[i])))
			return operand[i] | UINT64_C(0x0008000000000000);
	return UINT64_C(0xfff8000000000000);
}

static void execute32(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	if (in->round != BC_PTX_RN)
		bc_ptx_host_round((enum bc_ptx_round)in->round);
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		w->r[in->dst + l] = rounded32(in, w->r[in->src[0] + l], w->r[in->src[1] + l], w->r[in->src[2] + l]);
	}
	if (in->round != BC_PTX_RN)
		bc_ptx_host_round(BC_PTX_RN);
}

/* f32x2: both halves of a 64-bit register. */
static void execute_pair(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	bc_ptx_host_round((enum bc_ptx_round)in->round);
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t a = w->r[in->src[0] + l], b = w->r[in->src[1] + l], c = w->r[in->src[2] + l];
		const uint64_t low = rounded32(in, (uint32_t)a, (uint32_t)b, (uint32_t)c);

		w->r[in->dst + l] = low | rounded32(in, a >> 32, b >> 32, c >> 32) << 32;
	}
	bc_ptx_host_round(BC_PTX_RN);
}

static void execute64(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	if (in->round != BC_PTX_RN)
		bc_ptx_host_round((enum bc_ptx_round)in->round);
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t a = w->r[in->src[0] + l], b = w->r[in->src[1] + l], c = w->r[in->src[2] + l];
		const double r =
			arithmetic64((enum op)in->op, bc_ptx_as_double(a), bc_ptx_as_double(b), bc_ptx_as_double(c));

		w->r[in->dst + l] = isnan(r) ? pick_nan64(a, b, c) : bc_ptx_double_bits(r);
	}
	if (in->round != BC_PTX_RN)
		bc_ptx_host_round(BC_PTX_RN);
}

/* min, max of numbers or NaN: -0 is less than +0; without .NaN a number wins over NaN. */
static uint64_t extreme(enum op op, uint32_t flags, uint64_t a, uint64_t b, bool wide)
{
	const uint64_t sign = wide ? SIGN64 : SIGN32;
	const uint64_t result_sign = (a ^ b) & sign;
	uint64_t r;
	double va, vb;
	bool first;

	if (flags & BC_PTX_FL_FTZ) {
		a = bc_ptx_flush(BC_PTX_F32, a);
		b = bc_ptx_flush(BC_PTX_F32, b);
	}
	va = bc_ptx_value(wide ? BC_PTX_F64 : BC_PTX_F32, a);
	vb = bc_ptx_value(wide ? BC_PTX_F64 : BC_PTX_F32, b);
	if (isnan(va) && isnan(vb))
		return wide ? pick_nan64(a, b, 0) : 0x7fffffff;
	if (isnan(va) || isnan(vb)) {
		if (flags & BC_PTX_FL_NAN)
			return wide ? pick_nan64(a, b, 0) : 0x7fffffff;
		r = isnan(va) ? b : a;
		return flags & BC_PTX_FL_XORSIGN ? (r & ~sign) | result_sign : r;
	}
	if (flags & BC_PTX_FL_XORSIGN) {
		a &= ~sign;
		b &= ~sign;
		va = fabs(va);
		vb = fabs(vb);
	}
	if (va == vb)
		first = op == MIN ? (a & sign) != 0 : (a & sign) == 0;
	else
		first = op == MIN ? va < vb : va > vb;
	r = first ? a : b;
	return flags & BC_PTX_FL_XORSIGN ? r | result_sign : r;
}

static void execute_extreme(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const bool wide = in->type == BC_PTX_F64;

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t r = extreme((enum op)in->op, in->flags, w->r[in->src[0] + l], w->r[in->src[1] + l], wide);

		if (in->vec == 3)
			r = extreme((enum op)in->op, in->flags, r, w->r[in->src[2] + l], wide);
		w->r[in->dst + l] = r;
	}
}

/* abs and neg of a NaN: the canonical one, for f64 the same one, quiet. */
static void execute_sign(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint64_t sign = in->type == BC_PTX_F64 ? SIGN64 : SIGN32;

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t a = w->r[in->src[0] + l];

		if (in->flags & BC_PTX_FL_FTZ)
			a = bc_ptx_flush(BC_PTX_F32, a);
		if (in->op != COPYSIGN && isnan(bc_ptx_value((enum bc_ptx_type)in->type, a)))
			a = in->type == BC_PTX_F64 ? pick_nan64(a, 0, 0) : 0x7fffffff;
		else if (in->op == ABS)
			a &= ~sign;
		else if (in->op == NEG)
			a ^= sign;
		else
			a = (a & sign) | (w->r[in->src[1] + l] & ~sign);
		w->r[in->dst + l] = a;
	}
}

static const struct {
	const char *name;
	uint8_t op, nsrc;
	bool rounds, must_round;
} ops[] = {
	{ "add", ADD, 2, true, false },	 { "sub", SUB, 2, true, false },
	{ "mul", MUL, 2, true, false },	 { "fma", FMA, 3, true, true },
	{ "mad", FMA, 3, true, true },	 { "min", MIN, 2, false, false },
	{ "max", MAX, 2, false, false }, { "abs", ABS, 1, false, false },
	{ "neg", NEG, 1, false, false }, { "copysign", COPYSIGN, 2, false, false },
};

static enum bc_status modifiers(struct bc_ptx_decoder *d, bool rounds, bool must_round)
{
	struct bc_ptx_insn *in = d->in;
	const bool has_round = rounds && bc_ptx_take_round(d, &in->round);
	const enum bc_ptx_type type = bc_ptx_last_type(d);

	if (must_round && !has_round)
		return bc_ptx_unknown(d);
	if (type != BC_PTX_F64 && in->op != COPYSIGN && bc_ptx_take_modifier(d, "ftz"))
		in->flags |= BC_PTX_FL_FTZ;
	if (type == BC_PTX_F32 && rounds && bc_ptx_take_modifier(d, "sat"))
		in->flags |= BC_PTX_FL_SAT;
	if (type == BC_PTX_F32 && (in->op == MIN || in->op == MAX)) {
		if (bc_ptx_take_modifier(d, "NaN"))
			in->flags |= BC_PTX_FL_NAN;
		if (bc_ptx_take_modifier(d, "xorsign")) {
			in->flags |= BC_PTX_FL_XORSIGN;
			if (!bc_ptx_take_modifier(d, "abs"))
				return bc_ptx_unknown(d);
		}
	}
	in->type = (uint8_t)bc_ptx_take_type(d);
	if (!bc_ptx_modifiers_done(d) || (type == BC_PTX_F32X2 && !rounds))
		return bc_ptx_unknown(d);
	return BC_OK;
}

static bc_ptx_exec_fn *executor(enum op op, enum bc_ptx_type type)
{
	if (op == MIN || op == MAX)
		return execute_extreme;
	if (op >= ABS)
		return execute_sign;
	if (type == BC_PTX_F64)
		return execute64;
	return type == BC_PTX_F32X2 ? execute_pair : execute32;
}

enum bc_status bc_ptx_decode_float(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_unknown(d);
	unsigned nsrc = 0;

	for (size_t i = 0; i < BC_ARRAY_LEN(ops); i++) {
		if (!bc_ptx_slice_is(d->mod[0], ops[i].name))
			continue;
		in->op = ops[i].op;
		nsrc = ops[i].nsrc;
		st = modifiers(d, ops[i].rounds, ops[i].must_round);
	}
	if (st)
		return st;
	if ((in->op == MIN || in->op == MAX) && d->s->noperands == 4 && in->type == BC_PTX_F32 &&
	    !(in->flags & BC_PTX_FL_XORSIGN))
		nsrc = 3;
	in->vec = (uint8_t)nsrc;
	in->exec = executor((enum op)in->op, (enum bc_ptx_type)in->type);
	st = bc_ptx_noperands(d, nsrc + 1, nsrc + 1);
	if (!st)
		st = bc_ptx_dst(d, 0, bc_ptx_type_bytes((enum bc_ptx_type)in->type), false, &in->dst);
	for (unsigned i = 0; i < nsrc && !st; i++)
		st = bc_ptx_src(d, i + 1, in->type == BC_PTX_F32X2 ? BC_PTX_B64 : (enum bc_ptx_type)in->type, false,
				&in->src[i]);
	return st;
}
