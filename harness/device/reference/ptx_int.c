/* SPDX-License-Identifier: MIT */
/* Integer arithmetic: add, sub, mul, mad, div, rem, sad, min, max, abs, neg, carries, dp4a, dp2a. */
#include "harness/device/reference/ptx_lanes.h"

#define S16(v) ((int64_t)(int16_t)(uint16_t)(v))
#define S32(v) ((int64_t)(int32_t)(uint32_t)(v))
#define S64(v) ((int64_t)(v))

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

static uint64_t high_u64(uint64_t a, uint64_t b)
{
	return (uint64_t)((u128)a * b >> 64);
}

static uint64_t high_s64(uint64_t a, uint64_t b)
{
	return (uint64_t)((u128)((s128)S64(a) * S64(b)) >> 64);
}

static uint64_t saturate32(int64_t v)
{
	return U32(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

/* Division by zero is undefined in PTX; here quotient and remainder are all ones, as on hardware. */
static uint64_t divide_s(int64_t a, int64_t b)
{
	if (b == 0)
		return UINT64_MAX;
	if (b == -1)
		return 0 - (uint64_t)a;
	return (uint64_t)(a / b);
}

static uint64_t remainder_s(int64_t a, int64_t b)
{
	if (b == 0)
		return UINT64_MAX;
	return b == -1 ? 0 : (uint64_t)(a % b);
}

static uint64_t divide_u(uint64_t a, uint64_t b)
{
	return b == 0 ? UINT64_MAX : a / b;
}

static uint64_t remainder_u(uint64_t a, uint64_t b)
{
	return b == 0 ? UINT64_MAX : a % b;
}

static uint64_t distance_u(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t distance_s(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* 24-bit operands, zero- or sign-extended. */
static uint64_t u24(uint64_t v)
{
	return v & 0xffffff;
}

static int64_t s24(uint64_t v)
{
	return ((int64_t)(v & 0xffffff) ^ 0x800000) - 0x800000;
}

static uint64_t mul24_high_u(uint64_t a, uint64_t b)
{
	return U32(u24(a) * u24(b) >> 16);
}

static uint64_t mul24_high_s(uint64_t a, uint64_t b)
{
	return U32((uint64_t)(s24(a) * s24(b)) >> 16);
}

static uint64_t absolute(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* Both halves of a 32-bit register. */
#define HALVES(low, high) (U16(low) | U16(high) << 16)
#define MIN_S16(a, b) (S16(a) < S16(b) ? (a) : (b))
#define MAX_S16(a, b) (S16(a) > S16(b) ? (a) : (b))
#define RELU16(v) (S16(v) < 0 ? 0 : (v))
#define RELU32(v) (S32(v) < 0 ? 0 : (v))

LANES(add16x2, HALVES(a + b, (a >> 16) + (b >> 16)))
LANES(min_u16x2, HALVES(U16(a) < U16(b) ? a : b, a >> 16 < b >> 16 ? a >> 16 : b >> 16))
LANES(max_u16x2, HALVES(U16(a) > U16(b) ? a : b, a >> 16 > b >> 16 ? a >> 16 : b >> 16))
LANES(min_s16x2, HALVES(MIN_S16(a, b), MIN_S16(a >> 16, b >> 16)))
LANES(max_s16x2, HALVES(MAX_S16(a, b), MAX_S16(a >> 16, b >> 16)))
LANES(min_relu_s16x2, HALVES(RELU16(MIN_S16(a, b)), RELU16(MIN_S16(a >> 16, b >> 16))))
LANES(max_relu_s16x2, HALVES(RELU16(MAX_S16(a, b)), RELU16(MAX_S16(a >> 16, b >> 16))))
LANES(min_relu_s32, RELU32(S32(a) < S32(b) ? a : b))
LANES(max_relu_s32, RELU32(S32(a) > S32(b) ? a : b))
LANES(add16, U16(a + b))
LANES(add32, U32(a + b))
LANES(add64, a + b)
LANES(add_sat32, saturate32(S32(a) + S32(b)))
LANES(sub16, U16(a - b))
LANES(sub32, U32(a - b))
LANES(sub64, a - b)
LANES(sub_sat32, saturate32(S32(a) - S32(b)))
LANES(mul16, U16(a *b))
LANES(mul32, U32(a *b))
LANES(mul64, a *b)
LANES(mul_hi_u16, a *b >> 16)
LANES(mul_hi_s16, U16((uint64_t)(S16(a) * S16(b)) >> 16))
LANES(mul_hi_u32, a *b >> 32)
LANES(mul_hi_s32, U32((uint64_t)(S32(a) * S32(b)) >> 32))
LANES(mul_hi_u64, high_u64(a, b))
LANES(mul_hi_s64, high_s64(a, b))
LANES(mul_wide_u16, a *b)
LANES(mul_wide_s16, U32(S16(a) * S16(b)))
LANES(mul_wide_u32, a *b)
LANES(mul_wide_s32, (uint64_t)(S32(a) * S32(b)))
LANES(mad16, U16(a *b + c))
LANES(mad32, U32(a *b + c))
LANES(mad64, a *b + c)
LANES(mad_hi_u16, U16((a * b >> 16) + c))
LANES(mad_hi_s16, U16(((uint64_t)(S16(a) * S16(b)) >> 16) + c))
LANES(mad_hi_u32, U32((a * b >> 32) + c))
LANES(mad_hi_s32, U32(((uint64_t)(S32(a) * S32(b)) >> 32) + c))
LANES(mad_hi_u64, high_u64(a, b) + c)
LANES(mad_hi_s64, high_s64(a, b) + c)
LANES(mad_hi_sat32, saturate32(S32((uint64_t)(S32(a) * S32(b)) >> 32) + S32(c)))
LANES(mad_wide_u16, U32(a *b + c))
LANES(mad_wide_s16, U32((uint64_t)(S16(a) * S16(b)) + c))
LANES(mad_wide_u32, a *b + c)
LANES(mad_wide_s32, (uint64_t)(S32(a) * S32(b)) + c)
LANES(mul24_lo_u, U32(u24(a) * u24(b)))
LANES(mul24_lo_s, U32(s24(a) * s24(b)))
LANES(mul24_hi_u, mul24_high_u(a, b))
LANES(mul24_hi_s, mul24_high_s(a, b))
LANES(mad24_lo_u, U32(u24(a) * u24(b) + c))
LANES(mad24_lo_s, U32((uint64_t)(s24(a) * s24(b)) + c))
LANES(mad24_hi_u, U32(mul24_high_u(a, b) + c))
LANES(mad24_hi_s, U32(mul24_high_s(a, b) + c))
LANES(mad24_hi_sat, saturate32(S32(mul24_high_s(a, b)) + S32(c)))
LANES(sad_u16, U16(distance_u(a, b) + c))
LANES(sad_s16, U16(distance_s(S16(a), S16(b)) + c))
LANES(sad_u32, U32(distance_u(a, b) + c))
LANES(sad_s32, U32(distance_s(S32(a), S32(b)) + c))
LANES(sad_u64, distance_u(a, b) + c)
LANES(sad_s64, distance_s(S64(a), S64(b)) + c)
LANES(div_u16, U16(divide_u(a, b)))
LANES(div_s16, U16(divide_s(S16(a), S16(b))))
LANES(div_u32, U32(divide_u(a, b)))
LANES(div_s32, U32(divide_s(S32(a), S32(b))))
LANES(div_u64, divide_u(a, b))
LANES(div_s64, divide_s(S64(a), S64(b)))
LANES(rem_u16, U16(remainder_u(a, b)))
LANES(rem_s16, U16(remainder_s(S16(a), S16(b))))
LANES(rem_u32, U32(remainder_u(a, b)))
LANES(rem_s32, U32(remainder_s(S32(a), S32(b))))
LANES(rem_u64, remainder_u(a, b))
LANES(rem_s64, remainder_s(S64(a), S64(b)))
LANES(min_u, a < b ? a : b)
LANES(max_u, a > b ? a : b)
LANES(min_s16, S16(a) < S16(b) ? a : b)
LANES(max_s16, S16(a) > S16(b) ? a : b)
LANES(min_s32, S32(a) < S32(b) ? a : b)
LANES(max_s32, S32(a) > S32(b) ? a : b)
LANES(min_s64, S64(a) < S64(b) ? a : b)
LANES(max_s64, S64(a) > S64(b) ? a : b)
LANES(abs16, U16(absolute(S16(a))))
LANES(abs32, U32(absolute(S32(a))))
LANES(abs64, absolute(S64(a)))
LANES(neg16, U16(0 - a))
LANES(neg32, U32(0 - a))
LANES(neg64, 0 - a)

#define U16_ BC_PTX_U16
#define S16_ BC_PTX_S16
#define U32_ BC_PTX_U32
#define S32_ BC_PTX_S32
#define U64_ BC_PTX_U64
#define S64_ BC_PTX_S64

/* One row a form: the opcode up to its type; result bytes; number of sources. The third has the result's width. */
static const struct form {
	const char *name, *mode; /* mode: "" none */
	enum bc_ptx_type type;
	uint8_t result, nsrc;
	bc_ptx_exec_fn *exec;
} forms[] = {
	{ "add", "", U16_, 2, 2, add16 },
	{ "add", "", S16_, 2, 2, add16 },
	{ "add", "", U32_, 4, 2, add32 },
	{ "add", "", S32_, 4, 2, add32 },
	{ "add", "", U64_, 8, 2, add64 },
	{ "add", "", S64_, 8, 2, add64 },
	{ "add", "sat", S32_, 4, 2, add_sat32 },
	{ "add", "", BC_PTX_U16X2, 4, 2, add16x2 },
	{ "add", "", BC_PTX_S16X2, 4, 2, add16x2 },
	{ "sub", "", U16_, 2, 2, sub16 },
	{ "sub", "", S16_, 2, 2, sub16 },
	{ "sub", "", U32_, 4, 2, sub32 },
	{ "sub", "", S32_, 4, 2, sub32 },
	{ "sub", "", U64_, 8, 2, sub64 },
	{ "sub", "", S64_, 8, 2, sub64 },
	{ "sub", "sat", S32_, 4, 2, sub_sat32 },
	{ "mul", "lo", U16_, 2, 2, mul16 },
	{ "mul", "lo", S16_, 2, 2, mul16 },
	{ "mul", "lo", U32_, 4, 2, mul32 },
	{ "mul", "lo", S32_, 4, 2, mul32 },
	{ "mul", "lo", U64_, 8, 2, mul64 },
	{ "mul", "lo", S64_, 8, 2, mul64 },
	{ "mul", "hi", U16_, 2, 2, mul_hi_u16 },
	{ "mul", "hi", S16_, 2, 2, mul_hi_s16 },
	{ "mul", "hi", U32_, 4, 2, mul_hi_u32 },
	{ "mul", "hi", S32_, 4, 2, mul_hi_s32 },
	{ "mul", "hi", U64_, 8, 2, mul_hi_u64 },
	{ "mul", "hi", S64_, 8, 2, mul_hi_s64 },
	{ "mul", "wide", U16_, 4, 2, mul_wide_u16 },
	{ "mul", "wide", S16_, 4, 2, mul_wide_s16 },
	{ "mul", "wide", U32_, 8, 2, mul_wide_u32 },
	{ "mul", "wide", S32_, 8, 2, mul_wide_s32 },
	{ "mad", "lo", U16_, 2, 3, mad16 },
	{ "mad", "lo", S16_, 2, 3, mad16 },
	{ "mad", "lo", U32_, 4, 3, mad32 },
	{ "mad", "lo", S32_, 4, 3, mad32 },
	{ "mad", "lo", U64_, 8, 3, mad64 },
	{ "mad", "lo", S64_, 8, 3, mad64 },
	{ "mad", "hi", U16_, 2, 3, mad_hi_u16 },
	{ "mad", "hi", S16_, 2, 3, mad_hi_s16 },
	{ "mad", "hi", U32_, 4, 3, mad_hi_u32 },
	{ "mad", "hi", S32_, 4, 3, mad_hi_s32 },
	{ "mad", "hi", U64_, 8, 3, mad_hi_u64 },
	{ "mad", "hi", S64_, 8, 3, mad_hi_s64 },
	{ "mad", "hi.sat", S32_, 4, 3, mad_hi_sat32 },
	{ "mad", "wide", U16_, 4, 3, mad_wide_u16 },
	{ "mad", "wide", S16_, 4, 3, mad_wide_s16 },
	{ "mad", "wide", U32_, 8, 3, mad_wide_u32 },
	{ "mad", "wide", S32_, 8, 3, mad_wide_s32 },
	{ "mul24", "lo", U32_, 4, 2, mul24_lo_u },
	{ "mul24", "lo", S32_, 4, 2, mul24_lo_s },
	{ "mul24", "hi", U32_, 4, 2, mul24_hi_u },
	{ "mul24", "hi", S32_, 4, 2, mul24_hi_s },
	{ "mad24", "lo", U32_, 4, 3, mad24_lo_u },
	{ "mad24", "lo", S32_, 4, 3, mad24_lo_s },
	{ "mad24", "hi", U32_, 4, 3, mad24_hi_u },
	{ "mad24", "hi", S32_, 4, 3, mad24_hi_s },
	{ "mad24", "hi.sat", S32_, 4, 3, mad24_hi_sat },
	{ "sad", "", U16_, 2, 3, sad_u16 },
	{ "sad", "", S16_, 2, 3, sad_s16 },
	{ "sad", "", U32_, 4, 3, sad_u32 },
	{ "sad", "", S32_, 4, 3, sad_s32 },
	{ "sad", "", U64_, 8, 3, sad_u64 },
	{ "sad", "", S64_, 8, 3, sad_s64 },
	{ "div", "", U16_, 2, 2, div_u16 },
	{ "div", "", S16_, 2, 2, div_s16 },
	{ "div", "", U32_, 4, 2, div_u32 },
	{ "div", "", S32_, 4, 2, div_s32 },
	{ "div", "", U64_, 8, 2, div_u64 },
	{ "div", "", S64_, 8, 2, div_s64 },
	{ "rem", "", U16_, 2, 2, rem_u16 },
	{ "rem", "", S16_, 2, 2, rem_s16 },
	{ "rem", "", U32_, 4, 2, rem_u32 },
	{ "rem", "", S32_, 4, 2, rem_s32 },
	{ "rem", "", U64_, 8, 2, rem_u64 },
	{ "rem", "", S64_, 8, 2, rem_s64 },
	{ "min", "", U16_, 2, 2, min_u },
	{ "min", "", S16_, 2, 2, min_s16 },
	{ "min", "", U32_, 4, 2, min_u },
	{ "min", "", S32_, 4, 2, min_s32 },
	{ "min", "", U64_, 8, 2, min_u },
	{ "min", "", S64_, 8, 2, min_s64 },
	{ "max", "", U16_, 2, 2, max_u },
	{ "max", "", S16_, 2, 2, max_s16 },
	{ "max", "", U32_, 4, 2, max_u },
	{ "max", "", S32_, 4, 2, max_s32 },
	{ "max", "", U64_, 8, 2, max_u },
	{ "max", "", S64_, 8, 2, max_s64 },
	{ "min", "", BC_PTX_U16X2, 4, 2, min_u16x2 },
	{ "max", "", BC_PTX_U16X2, 4, 2, max_u16x2 },
	{ "min", "", BC_PTX_S16X2, 4, 2, min_s16x2 },
	{ "max", "", BC_PTX_S16X2, 4, 2, max_s16x2 },
	{ "min", "relu", BC_PTX_S16X2, 4, 2, min_relu_s16x2 },
	{ "max", "relu", BC_PTX_S16X2, 4, 2, max_relu_s16x2 },
	{ "min", "relu", S32_, 4, 2, min_relu_s32 },
	{ "max", "relu", S32_, 4, 2, max_relu_s32 },
	{ "abs", "", S16_, 2, 1, abs16 },
	{ "abs", "", S32_, 4, 1, abs32 },
	{ "abs", "", S64_, 8, 1, abs64 },
	{ "neg", "", S16_, 2, 1, neg16 },
	{ "neg", "", S32_, 4, 1, neg32 },
	{ "neg", "", S64_, 8, 1, neg64 },
};

/* The opcode's parts between its name and its type, joined by dots, equal @mode? */
static bool mode_is(const struct bc_ptx_decoder *d, const char *mode)
{
	const struct bc_ptx_slice first = d->mod[1], last = d->mod[d->nmod - 2];

	if (d->nmod == 2)
		return mode[0] == '\0';
	return bc_ptx_slice_is((struct bc_ptx_slice){ first.s, (uint32_t)(last.s + last.len - first.s) }, mode);
}

static enum bc_status decode_form(struct bc_ptx_decoder *d, const struct form *f)
{
	enum bc_ptx_type third = f->type;
	enum bc_status st = bc_ptx_noperands(d, f->nsrc + 1u, f->nsrc + 1u);

	if (f->result > bc_ptx_type_bytes(f->type)) {
		if (f->type == U16_ || f->type == S16_)
			third = BC_PTX_B32;
		else
			third = BC_PTX_B64;
	}
	d->in->exec = f->exec;
	d->in->type = (uint8_t)f->type;
	if (!st)
		st = bc_ptx_dst(d, 0, f->result, false, &d->in->dst);
	for (unsigned i = 0; i < f->nsrc && !st; i++)
		st = bc_ptx_src(d, i + 1, i == 2 ? third : f->type, false, &d->in->src[i]);
	return st;
}

/* Extended precision: the carry is one bit per lane, in w->carry. */
enum { CARRY_IN = 1, CARRY_OUT = 2, MULTIPLY = 4, HIGH = 8, SUBTRACT = 16 };

static void extended(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const unsigned bits = in->elem * 8u;
	const bool is_signed = bc_ptx_type_signed((enum bc_ptx_type)in->type);

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t a = w->r[in->src[0] + l], b = w->r[in->src[1] + l];
		const u128 carry = (in->mode & CARRY_IN) != 0 ? w->carry >> l & 1u : 0;
		u128 sum;

		if (in->mode & MULTIPLY) {
			if (bits == 32 && is_signed)
				a = (in->mode & HIGH) ? U32((uint64_t)(S32(a) * S32(b)) >> 32) : U32(a * b);
			else if (bits == 32)
				a = (in->mode & HIGH) ? a * b >> 32 : U32(a * b);
			else if (is_signed)
				a = (in->mode & HIGH) ? high_s64(a, b) : a * b;
			else
				a = (in->mode & HIGH) ? high_u64(a, b) : a * b;
			b = w->r[in->src[2] + l];
		}
		/* The flag of a subtraction is its borrow. */
		sum = (in->mode & SUBTRACT) ? (u128)a - b - carry : (u128)a + b + carry;
		if (in->mode & CARRY_OUT)
			w->carry = (w->carry & ~(1u << l)) | (uint32_t)(sum >> bits & 1) << l;
		w->r[in->dst + l] = bits == 32 ? U32(sum) : (uint64_t)sum;
	}
}

/* add.cc, addc[.cc], sub.cc, subc[.cc], mad.lo.cc, madc.hi[.cc] ... */
static enum bc_status decode_extended(struct bc_ptx_decoder *d)
{
	const struct bc_ptx_slice name = d->mod[0];
	struct bc_ptx_insn *in = d->in;
	enum bc_status st;

	if (bc_ptx_slice_is(name, "addc") || bc_ptx_slice_is(name, "subc") || bc_ptx_slice_is(name, "madc"))
		in->mode |= CARRY_IN;
	if (name.s[0] == 's')
		in->mode |= SUBTRACT;
	if (name.s[0] == 'm') {
		in->mode |= MULTIPLY;
		if (bc_ptx_take_modifier(d, "hi"))
			in->mode |= HIGH;
		else if (!bc_ptx_take_modifier(d, "lo"))
			return bc_ptx_unknown(d);
	}
	if (bc_ptx_take_modifier(d, "cc"))
		in->mode |= CARRY_OUT;
	in->type = (uint8_t)bc_ptx_take_type(d);
	in->elem = (uint8_t)bc_ptx_type_bytes((enum bc_ptx_type)in->type);
	if (!bc_ptx_modifiers_done(d) || in->elem < 4 || in->elem > 8 || (in->mode & (CARRY_IN | CARRY_OUT)) == 0)
		return bc_ptx_unknown(d);
	in->exec = extended;
	st = bc_ptx_noperands(d, in->mode & MULTIPLY ? 4 : 3, in->mode & MULTIPLY ? 4 : 3);
	if (!st)
		st = bc_ptx_dst(d, 0, in->elem, false, &in->dst);
	for (unsigned i = 1; i < d->s->noperands && !st; i++)
		st = bc_ptx_src(d, i, (enum bc_ptx_type)in->type, false, &in->src[i - 1]);
	return st;
}

/* Byte @i of @v as a number. */
static int64_t byte_of(uint64_t v, unsigned i, bool is_signed)
{
	const uint8_t b = (uint8_t)(v >> 8 * i);

	return is_signed ? (int64_t)(int8_t)b : (int64_t)b;
}

/* dp4a: four products of bytes; dp2a: two of a half and a byte. in->mode: first byte of b, in->elem: 1 or 2. */
static void dot(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const bool sa = in->type == BC_PTX_S32, sb = in->stype == BC_PTX_S32;

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t a = w->r[in->src[0] + l], b = w->r[in->src[1] + l];
		uint64_t sum = w->r[in->src[2] + l];

		for (unsigned i = 0; i < 4u / in->elem; i++) {
			const uint16_t half = (uint16_t)(a >> 16 * (i & 1));
			const int64_t va = in->elem == 1 ? byte_of(a, i, sa)
					   : sa		 ? (int64_t)(int16_t)half
							 : (int64_t)half;

			sum += (uint64_t)(va * byte_of(b, in->mode + i, sb));
		}
		w->r[in->dst + l] = U32(sum);
	}
}

static enum bc_status decode_dot(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_noperands(d, 4, 4);

	in->exec = dot;
	in->elem = d->mod[0].s[2] == '4' ? 1 : 2;
	if (in->elem == 2 && bc_ptx_take_modifier(d, "hi"))
		in->mode = 2;
	else if (in->elem == 2 && !bc_ptx_take_modifier(d, "lo"))
		return bc_ptx_unknown(d);
	in->type = (uint8_t)bc_ptx_take_type(d);
	in->stype = (uint8_t)bc_ptx_take_type(d);
	if (!bc_ptx_modifiers_done(d) || (in->type != BC_PTX_S32 && in->type != BC_PTX_U32) ||
	    (in->stype != BC_PTX_S32 && in->stype != BC_PTX_U32))
		return bc_ptx_unknown(d);
	if (!st)
		st = bc_ptx_dst(d, 0, 4, false, &in->dst);
	for (unsigned i = 1; i < 4 && !st; i++)
		st = bc_ptx_src(d, i, BC_PTX_B32, false, &in->src[i - 1]);
	return st;
}

enum bc_status bc_ptx_decode_integer(struct bc_ptx_decoder *d)
{
	const struct bc_ptx_slice name = d->mod[0];
	const enum bc_ptx_type type = bc_ptx_last_type(d);

	if (name.len == 4 && name.s[0] == 'd' && name.s[1] == 'p')
		return decode_dot(d);
	if (bc_ptx_has_modifier(d, "cc") || (name.len == 4 && name.s[3] == 'c'))
		return decode_extended(d);
	if (type == BC_PTX_NONE)
		return bc_ptx_unknown(d);
	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++)
		if (forms[i].type == type && bc_ptx_slice_is(name, forms[i].name) && mode_is(d, forms[i].mode))
			return decode_form(d, &forms[i]);
	return bc_ptx_unknown(d);
}
