/* SPDX-License-Identifier: MIT */
/* Division, square root, reciprocals and the approximations of f32 and f64. */
#include "harness/device/reference/ptx_exec.h"

#include <math.h>

enum op { DIV = 0, SQRT, RCP, RSQRT, SIN, COS, LG2, EX2, TANH };
enum form { ROUNDED = 0, APPROX, FULL };

/* In the host's current rounding mode; see ptx_float.c for the volatile objects. */
static float rounded32(enum op op, float a, float b)
{
	const volatile float va = a, vb = b;
	volatile float r;

	if (op == SQRT)
		r = sqrtf(va);
	else if (op == RCP)
		r = 1.0f / va;
	else
		r = va / vb;
	return r;
}

static double rounded64(enum op op, double a, double b)
{
	const volatile double va = a, vb = b;
	volatile double r;

	if (op == SQRT)
		r = sqrt(va);
	else if (op == RCP)
		r = 1.0 / va;
	else
		r = va / vb;
	return r;
}

/* The approximations: computed in double, rounded once. */
static float approximate(enum op op, float a, float b)
{
	const double v = (double)a;

	switch (op) {
	case DIV:
		/* a * (1 / b): above 2^126 the reciprocal is subnormal and taken as 0. */
		if (fabs((double)b) > 0x1p126 && isfinite(b))
			return isinf(a) ? NAN : copysignf(0.0f, a) * copysignf(1.0f, b);
		return (float)(v / (double)b);
	case SQRT: return (float)sqrt(v);
	case RCP: return (float)(1.0 / v);
	case RSQRT: return (float)(1.0 / sqrt(v));
	case SIN: return (float)sin(v);
	case COS: return (float)cos(v);
	case LG2: return (float)log2(v);
	case EX2: return (float)exp2(v);
	case TANH: return (float)tanh(v);
	}
	return NAN;
}

static uint64_t lane32(const struct bc_ptx_insn *in, uint64_t a, uint64_t b)
{
	uint64_t bits;
	float r;

	if (in->flags & BC_PTX_FL_FTZ) {
		a = bc_ptx_flush(BC_PTX_F32, a);
		b = bc_ptx_flush(BC_PTX_F32, b);
	}
	if (in->mode == APPROX)
		r = approximate((enum op)in->op, bc_ptx_as_float(a), bc_ptx_as_float(b));
	else
		r = rounded32((enum op)in->op, bc_ptx_as_float(a), bc_ptx_as_float(b));
	bits = bc_ptx_float_bits(r);
	if (!(in->flags & BC_PTX_FL_FTZ))
		return bits;
	/* A quotient below the smallest normal number is flushed, even when it was rounded to that number. */
	if (in->op == DIV && (bits & 0x7fffffff) == 0x00800000 &&
	    fabs((double)bc_ptx_as_float(a) / (double)bc_ptx_as_float(b)) < 0x1p-126)
		bits &= 0x80000000;
	return bc_ptx_flush(BC_PTX_F32, bits);
}

static void execute32(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	bc_ptx_host_round((enum bc_ptx_round)in->round);
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		w->r[in->dst + l] = lane32(in, w->r[in->src[0] + l], w->r[in->src[1] + l]);
	}
	bc_ptx_host_round(BC_PTX_RN);
}

static uint64_t quiet(uint64_t a, uint64_t b)
{
	if (isnan(bc_ptx_as_double(a)))
		return a | UINT64_C(0x0008000000000000);
	if (isnan(bc_ptx_as_double(b)))
		return b | UINT64_C(0x0008000000000000);
	return UINT64_C(0xfff8000000000000);
}

static uint64_t flush64(uint64_t bits)
{
	return (bits >> 52 & 0x7ff) == 0 ? bits & UINT64_C(0x8000000000000000) : bits;
}

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 give the upper word, the lower one is 0. rsqrt.approx.f64 is whole. */
static uint64_t approximate64(const struct bc_ptx_insn *in, uint64_t a)
{
	const bool ftz = (in->flags & BC_PTX_FL_FTZ) != 0;
	const double v = bc_ptx_as_double(ftz ? flush64(a) : a);
	const double r = in->op == RCP ? 1.0 / v : 1.0 / sqrt(v);
	uint64_t bits = bc_ptx_double_bits(r);

	if (isnan(r))
		return ftz ? UINT64_C(0x7fffffff00000000) : quiet(a, 0);
	if (ftz)
		bits = flush64(bits) & UINT64_C(0xffffffff00000000);
	return bits;
}

static void execute64(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	bc_ptx_host_round((enum bc_ptx_round)in->round);
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t a = w->r[in->src[0] + l], b = w->r[in->src[1] + l];

		if (in->mode == APPROX) {
			w->r[in->dst + l] = approximate64(in, a);
		} else {
			const double r = rounded64((enum op)in->op, bc_ptx_as_double(a), bc_ptx_as_double(b));

			w->r[in->dst + l] = isnan(r) ? quiet(a, in->op == DIV ? b : 0) : bc_ptx_double_bits(r);
		}
	}
	bc_ptx_host_round(BC_PTX_RN);
}

static const struct {
	const char *name;
	uint8_t op, nsrc;
	bool rounded32, approx32, full32, rounded64, approx64, ftz64;
} ops[] = {
	{ "div", DIV, 2, true, true, true, true, false, false },
	{ "sqrt", SQRT, 1, true, true, false, true, false, false },
	{ "rcp", RCP, 1, true, true, false, true, true, true },
	{ "rsqrt", RSQRT, 1, false, true, false, false, true, false },
	{ "sin", SIN, 1, false, true, false, false, false, false },
	{ "cos", COS, 1, false, true, false, false, false, false },
	{ "lg2", LG2, 1, false, true, false, false, false, false },
	{ "ex2", EX2, 1, false, true, false, false, false, false },
	{ "tanh", TANH, 1, false, true, false, false, false, false },
};

static enum bc_status decode_op(struct bc_ptx_decoder *d, size_t i)
{
	struct bc_ptx_insn *in = d->in;
	const enum bc_ptx_type type = bc_ptx_last_type(d);
	const bool wide = type == BC_PTX_F64;
	enum bc_status st;

	if (type != BC_PTX_F64 && type != BC_PTX_F32)
		return bc_ptx_unknown(d);
	in->op = ops[i].op;
	if (bc_ptx_take_modifier(d, "approx"))
		in->mode = APPROX;
	else if (bc_ptx_take_modifier(d, "full"))
		in->mode = FULL;
	else if (!bc_ptx_take_round(d, &in->round))
		return bc_ptx_unknown(d);
	if ((in->op != TANH || wide) && bc_ptx_take_modifier(d, "ftz"))
		in->flags |= BC_PTX_FL_FTZ;
	in->type = (uint8_t)bc_ptx_take_type(d);
	if (!bc_ptx_modifiers_done(d) || (in->mode == APPROX && !(wide ? ops[i].approx64 : ops[i].approx32)) ||
	    (in->mode == FULL && (wide || !ops[i].full32)) ||
	    (in->mode == ROUNDED && !(wide ? ops[i].rounded64 : ops[i].rounded32)))
		return bc_ptx_unknown(d);
	/* f64 has .ftz in approximations only, and rcp.approx only with it. */
	if (wide && ((in->flags & BC_PTX_FL_FTZ) ? in->mode != APPROX : in->mode == APPROX && ops[i].ftz64))
		return bc_ptx_unknown(d);
	in->exec = wide ? execute64 : execute32;
	st = bc_ptx_noperands(d, ops[i].nsrc + 1u, ops[i].nsrc + 1u);
	if (!st)
		st = bc_ptx_dst(d, 0, wide ? 8 : 4, false, &in->dst);
	for (unsigned s = 0; s < ops[i].nsrc && !st; s++)
		st = bc_ptx_src(d, s + 1, type, false, &in->src[s]);
	return st;
}

enum bc_status bc_ptx_decode_math(struct bc_ptx_decoder *d)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(ops); i++)
		if (bc_ptx_slice_is(d->mod[0], ops[i].name))
			return decode_op(d, i);
	return bc_ptx_unknown(d);
}
