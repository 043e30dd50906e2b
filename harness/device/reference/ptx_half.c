/* SPDX-License-Identifier: MIT */
/* f16, f16x2, bf16, bf16x2: arithmetic computed in double (exactly, or rounded to odd) and rounded once. */
#include "harness/device/reference/ptx_exec.h"

#include <math.h>

enum op { ADD = 0, SUB, MUL, FMA, MIN, MAX, ABS, NEG, EX2, TANH };

#define SIGN16 0x8000u
#define NAN16 0x7fffu

/* Neither sum nor product of two f16 or bf16 needs more than rounding to odd in double. */
static double compute(enum op op, double a, double b, double c)
{
	double product;

	switch (op) {
	case ADD: return bc_ptx_add_odd(a, b);
	case SUB: return bc_ptx_add_odd(a, -b);
	case MUL: return a * b;
	case FMA: product = a * b; return bc_ptx_add_odd(product, c);
	case EX2: return exp2(a);
	case TANH: return tanh(a);
	default: return NAN;
	}
}

static uint64_t extreme(const struct bc_ptx_insn *in, enum bc_ptx_type type, uint64_t a, uint64_t b)
{
	const uint64_t sign = (a ^ b) & SIGN16;
	double va = bc_ptx_value(type, a), vb = bc_ptx_value(type, b);
	uint64_t r;
	bool first;

	if ((isnan(va) && isnan(vb)) || ((in->flags & BC_PTX_FL_NAN) && (isnan(va) || isnan(vb))))
		return NAN16;
	if (in->flags & BC_PTX_FL_XORSIGN) {
		a &= ~(uint64_t)SIGN16;
		b &= ~(uint64_t)SIGN16;
		va = fabs(va);
		vb = fabs(vb);
	}
	if (isnan(va) || isnan(vb))
		first = isnan(vb);
	else if (va == vb)
		first = in->op == MIN ? (a & SIGN16) != 0 : (a & SIGN16) == 0;
	else
		first = in->op == MIN ? va < vb : va > vb;
	r = first ? a : b;
	return in->flags & BC_PTX_FL_XORSIGN ? r | sign : r;
}

static uint64_t element(const struct bc_ptx_insn *in, uint64_t a, uint64_t b, uint64_t c)
{
	const enum bc_ptx_type type = (enum bc_ptx_type)in->stype; /* F16 or BF16 */
	uint64_t r;
	double v;

	if (in->flags & BC_PTX_FL_FTZ) {
		a = bc_ptx_flush(type, a);
		b = bc_ptx_flush(type, b);
		c = bc_ptx_flush(type, c);
	}
	if (in->op == ABS || in->op == NEG) {
		if (isnan(bc_ptx_value(type, a)))
			return NAN16;
		return in->op == ABS ? a & ~(uint64_t)SIGN16 : a ^ SIGN16;
	}
	if (in->op == MIN || in->op == MAX)
		return extreme(in, type, a, b);
	v = compute((enum op)in->op, bc_ptx_value(type, a), bc_ptx_value(type, b), bc_ptx_value(type, c));
	if (in->flags & BC_PTX_FL_SAT)
		v = isnan(v) || v <= 0.0 ? 0.0 : v >= 1.0 ? 1.0 : v;
	if ((in->flags & BC_PTX_FL_RELU) && v <= 0.0)
		v = 0.0;
	r = bc_ptx_round_double(type, v);
	/* What is below the smallest normal number is flushed, even when it was rounded to that number. */
	if ((in->flags & BC_PTX_FL_FTZ) && fabs(v) < (type == BC_PTX_F16 ? 0x1p-14 : 0x1p-126))
		r &= SIGN16;
	return r;
}

static void execute(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t a = w->r[in->src[0] + l], b = w->r[in->src[1] + l], c = w->r[in->src[2] + l];
		uint64_t r = element(in, a & 0xffff, b & 0xffff, c & 0xffff);

		if (in->elem == 4)
			r |= element(in, a >> 16, b >> 16, c >> 16) << 16;
		w->r[in->dst + l] = r;
	}
}

static const struct {
	const char *name;
	uint8_t op, nsrc;
} ops[] = {
	{ "add", ADD, 2 }, { "sub", SUB, 2 }, { "mul", MUL, 2 }, { "fma", FMA, 3 }, { "min", MIN, 2 },
	{ "max", MAX, 2 }, { "abs", ABS, 1 }, { "neg", NEG, 1 }, { "ex2", EX2, 1 }, { "tanh", TANH, 1 },
};

static enum bc_status modifiers(struct bc_ptx_decoder *d, bool is_bf16)
{
	struct bc_ptx_insn *in = d->in;
	const bool rounds = in->op <= FMA;
	const bool has_round = rounds && bc_ptx_take_modifier(d, "rn");

	if ((in->op == FMA && !has_round) || ((in->op == EX2 || in->op == TANH) && !bc_ptx_take_modifier(d, "approx")))
		return bc_ptx_unknown(d);
	if (in->op != TANH && bc_ptx_take_modifier(d, "ftz"))
		in->flags |= BC_PTX_FL_FTZ;
	/* ex2.approx.ftz.bf16 is the only bf16 form with .ftz, and it has it always. */
	if (is_bf16 && ((in->flags & BC_PTX_FL_FTZ) != 0) != (in->op == EX2))
		return bc_ptx_unknown(d);
	if (rounds && !is_bf16 && bc_ptx_take_modifier(d, "sat"))
		in->flags |= BC_PTX_FL_SAT;
	if (in->op == FMA && !(in->flags & BC_PTX_FL_SAT) && bc_ptx_take_modifier(d, "relu"))
		in->flags |= BC_PTX_FL_RELU;
	if (in->op == MIN || in->op == MAX) {
		if (bc_ptx_take_modifier(d, "NaN"))
			in->flags |= BC_PTX_FL_NAN;
		if (bc_ptx_take_modifier(d, "xorsign")) {
			in->flags |= BC_PTX_FL_XORSIGN;
			if (!bc_ptx_take_modifier(d, "abs"))
				return bc_ptx_unknown(d);
		}
	}
	in->type = (uint8_t)bc_ptx_take_type(d);
	return bc_ptx_modifiers_done(d) ? BC_OK : bc_ptx_unknown(d);
}

enum bc_status bc_ptx_decode_half(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const enum bc_ptx_type type = bc_ptx_last_type(d);
	const bool is_bf16 = type == BC_PTX_BF16 || type == BC_PTX_BF16X2;
	enum bc_ptx_type operand;
	unsigned nsrc = 0;
	enum bc_status st = bc_ptx_unknown(d);

	for (size_t i = 0; i < BC_ARRAY_LEN(ops); i++) {
		if (!bc_ptx_slice_is(d->mod[0], ops[i].name))
			continue;
		in->op = ops[i].op;
		nsrc = ops[i].nsrc;
		st = modifiers(d, is_bf16);
	}
	if (st)
		return st;
	in->exec = execute;
	in->stype = (uint8_t)(is_bf16 ? BC_PTX_BF16 : BC_PTX_F16);
	in->elem = (uint8_t)bc_ptx_type_bytes(type);
	operand = in->elem == 4 ? BC_PTX_B32 : BC_PTX_B16;
	st = bc_ptx_noperands(d, nsrc + 1, nsrc + 1);
	if (!st)
		st = bc_ptx_dst(d, 0, in->elem, false, &in->dst);
	for (unsigned i = 0; i < nsrc && !st; i++)
		st = bc_ptx_src(d, i + 1, operand, false, &in->src[i]);
	return st;
}
