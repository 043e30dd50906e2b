/* SPDX-License-Identifier: MIT */
#include "harness/tests/ptx/soft_float.h"

#include <math.h>
#include <string.h>

const struct bc_soft bc_soft[BC_SOFT_FORMATS] = {
	[BC_SOFT_F16] = { "f16", 16, 11, 15, 0x7fff },
	[BC_SOFT_BF16] = { "bf16", 16, 8, 127, 0x7fff },
	[BC_SOFT_F32] = { "f32", 32, 24, 127, 0x7fffffff },
	[BC_SOFT_F64] = { "f64", 64, 53, 1023, 0x7fffffffffffffff },
};

static uint64_t fraction_mask(const struct bc_soft *f)
{
	return ((uint64_t)1 << (f->precision - 1)) - 1;
}

static uint64_t infinity(const struct bc_soft *f)
{
	return (uint64_t)(2 * f->bias + 1) << (f->precision - 1);
}

static uint64_t sign_of(const struct bc_soft *f, bool negative)
{
	return (uint64_t)negative << (f->bits - 1);
}

static uint64_t magnitude(const struct bc_soft *f, uint64_t bits)
{
	return bits & (sign_of(f, true) - 1);
}

bool bc_soft_is_nan(const struct bc_soft *f, uint64_t bits)
{
	return magnitude(f, bits) > infinity(f);
}

uint64_t bc_soft_flush(const struct bc_soft *f, uint64_t bits)
{
	return magnitude(f, bits) <= fraction_mask(f) ? bits & sign_of(f, true) : bits;
}

static bool rounds_up(bool negative, bool odd, bool half, bool rest, enum bc_soft_mode mode)
{
	switch (mode) {
	case BC_SOFT_RN: return half && (rest || odd);
	case BC_SOFT_RZ: return false;
	case BC_SOFT_RM: return negative && (half || rest);
	case BC_SOFT_RP: return !negative && (half || rest);
	}
	return false;
}

uint64_t bc_soft_pack(const struct bc_soft *f, bool negative, uint64_t m, bool sticky, int e, enum bc_soft_mode mode,
		      bool flush)
{
	const int p = (int)f->precision, least = 1 - f->bias;
	int top = e - 1, unit, cut;
	uint64_t kept;
	bool half = false, rest = sticky;

	if (m == 0)
		return sign_of(f, negative);
	for (uint64_t left = m; left; left >>= 1)
		top++;
	if (flush && top < least)
		return sign_of(f, negative);
	unit = (top > least ? top : least) - (p - 1);
	cut = unit - e;
	if (cut <= 0) {
		kept = m << -cut;
	} else {
		kept = cut < 64 ? m >> cut : 0;
		half = cut <= 64 && (m >> (cut - 1) & 1);
		rest = sticky || (cut > 64 ? m != 0 : (m & (((uint64_t)1 << (cut - 1)) - 1)) != 0);
	}
	kept += rounds_up(negative, kept & 1, half, rest, mode);
	/* Adding to the exponent field carries from the fraction into it. */
	if (kept > fraction_mask(f))
		kept += (uint64_t)(unit + p - 1 + f->bias - 1) << (p - 1);
	if (kept >= infinity(f) && (mode == BC_SOFT_RZ || mode == (negative ? BC_SOFT_RP : BC_SOFT_RM)))
		kept = infinity(f) - 1;
	if (kept > infinity(f))
		kept = infinity(f);
	return kept | sign_of(f, negative);
}

uint64_t bc_soft_round(const struct bc_soft *f, double v, enum bc_soft_mode mode, bool flush)
{
	int e;

	if (isnan(v))
		return f->nan;
	if (isinf(v))
		return infinity(f) | sign_of(f, signbit(v));

	const double m = ldexp(frexp(fabs(v), &e), 53);

	return bc_soft_pack(f, signbit(v), (uint64_t)m, false, e - 53, mode, flush);
}

double bc_soft_value(const struct bc_soft *f, uint64_t bits)
{
	const uint64_t m = magnitude(f, bits), fraction = m & fraction_mask(f);
	const int exponent = (int)(m >> (f->precision - 1));
	double v;

	if (m >= infinity(f))
		v = m > infinity(f) ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		v = ldexp((double)fraction, 2 - f->bias - (int)f->precision);
	else
		v = ldexp((double)(fraction | (fraction_mask(f) + 1)), exponent + 1 - f->bias - (int)f->precision);
	return (bits & sign_of(f, true)) ? -v : v;
}

/* @v is the exact value rounded to nearest, @error has the sign of exact value minus @v. */
static double to_odd(double v, double error)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	if (!isfinite(v) || error == 0 || isnan(error) || (bits & 1))
		return v;
	bits = (error > 0) == (v > 0) ? bits + 1 : bits - 1;
	memcpy(&v, &bits, sizeof(bits));
	return v;
}

double bc_soft_add(double a, double b, enum bc_soft_mode mode)
{
	const double s = a + b, t = s - a;
	const double error = (a - (s - t)) + (b - t);

	if (s == 0 && error == 0 && !(a == 0 && b == 0 && signbit(a) == signbit(b)))
		return mode == BC_SOFT_RM ? -0.0 : 0.0;
	return to_odd(s, error);
}

double bc_soft_integral(double v, enum bc_soft_mode mode)
{
	const double down = floor(v), part = v - down;
	double r;

	if (!(fabs(v) < 0x1p62) || part == 0)
		return v;
	if (mode == BC_SOFT_RN)
		r = part > 0.5 || (part == 0.5 && fmod(down, 2) != 0) ? down + 1 : down;
	else
		r = mode == BC_SOFT_RP || (mode == BC_SOFT_RZ && v < 0) ? down + 1 : down;
	return copysign(r, v);
}
