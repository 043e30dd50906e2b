/* SPDX-License-Identifier: MIT */
/* Conversions from, to and between floating-point types. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/base.h"
#include "harness/tests/ptx/ptx_form.h"
#include "harness/tests/ptx/soft_float.h"

Suite *bc_test_ptx_convert(void);

static const char *const rounding[] = { ".rn", ".rz", ".rm", ".rp" };
static const char *const integral[] = { ".rni", ".rzi", ".rmi", ".rpi" };
static const char *const integers[] = { "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64" };
static const enum bc_ptx_values values[BC_SOFT_FORMATS] = {
	[BC_SOFT_F16] = BC_PTX_F16,
	[BC_SOFT_BF16] = BC_PTX_BF16,
	[BC_SOFT_F32] = BC_PTX_F32,
	[BC_SOFT_F64] = BC_PTX_F64,
};

static uint64_t low_bits(uint64_t v, unsigned bits)
{
	return bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v;
}

static char class_of(const struct bc_soft *f)
{
	return f->bits == 16 ? 'h' : f->bits == 32 ? 'r' : 'd';
}

/* ---------------------------------------------------------------- integer to float */

static void want_from_integer(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const struct bc_soft *to = &bc_soft[f->aux];
	const uint64_t v = low_bits(x[0], f->bits);
	const bool negative = f->is_signed && (v >> (f->bits - 1) & 1);

	want[0] = bc_soft_pack(to, negative, negative ? low_bits(-v, f->bits) : v, false, 0, (enum bc_soft_mode)f->mode,
			       false);
	if (v == 0)
		want[0] = 0;
	if (f->sat && negative)
		want[0] = 0;
	else if (f->sat && v > 1)
		want[0] = bc_soft_round(to, 1, BC_SOFT_RN, false);
}

START_TEST(integer_to_float)
{
	char name[40], regs[3] = "";

	for (unsigned i = 0; i < 8 * BC_SOFT_FORMATS * 8; i++) {
		const unsigned type = i & 7, format = i / 8 % BC_SOFT_FORMATS, mode = i / 32 % 4;
		const struct bc_ptx_form f = { .op = name,
					       .args = regs,
					       .want = want_from_integer,
					       .bits = 8u << (type / 2),
					       .is_signed = type & 1,
					       .mode = (int)mode,
					       .aux = (int)format,
					       .sat = i >= 128 };

		if (f.sat && (format != BC_SOFT_F32 || mode > 0))
			continue;
		regs[0] = class_of(&bc_soft[format]);
		regs[1] = type < 6 ? 'r' : 'd';
		(void)snprintf(name, sizeof(name), "cvt%s%s.%s.%s", rounding[mode], f.sat ? ".sat" : "",
			       bc_soft[format].name, integers[type]);
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

/* ---------------------------------------------------------------- float to integer */

/* Out of range: the nearest end of the range. NaN: 0 when neither type has 64 bits, else the highest bit alone. Narrow
 * results are extended to 32 bits by their type. */
static void want_to_integer(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const struct bc_soft *from = &bc_soft[f->aux];
	const uint64_t in = low_bits(x[0], from->bits);
	const double v = bc_soft_integral(bc_soft_value(from, f->ftz ? bc_soft_flush(from, in) : in),
					  (enum bc_soft_mode)f->mode);
	const uint64_t most = low_bits(UINT64_MAX, f->to_bits - f->to_signed);
	const uint64_t least = f->to_signed ? ~most : 0; /* extended to 64 bits */
	uint64_t r = 0;

	if (v >= ldexp(1, (int)f->to_bits - f->to_signed))
		r = most;
	else if (v < (f->to_signed ? -ldexp(1, (int)f->to_bits - 1) : 0))
		r = least;
	else if (isnan(v))
		r = f->aux != BC_SOFT_F64 && f->to_bits < 64 ? 0 : f->to_signed ? least : most - (most >> 1);
	else
		r = v < 0 ? -(uint64_t)-v : (uint64_t)v;
	want[0] = low_bits(r, f->to_bits < 32 ? 32 : f->to_bits);
}

START_TEST(float_to_integer)
{
	char name[40], regs[3] = "";

	for (unsigned i = 0; i < 8 * BC_SOFT_FORMATS * 8; i++) {
		const unsigned type = i & 7, format = i / 8 % BC_SOFT_FORMATS, mode = i / 32 % 4;
		const struct bc_ptx_form f = { .op = name,
					       .args = regs,
					       .want = want_to_integer,
					       .values = { values[format], 0, 0, 0 },
					       .to_bits = 8u << (type / 2),
					       .to_signed = type & 1,
					       .mode = (int)mode,
					       .aux = (int)format,
					       .ftz = i >= 128 };

		if (f.ftz && format != BC_SOFT_F32)
			continue;
		regs[0] = type < 6 ? 'r' : 'd';
		regs[1] = class_of(&bc_soft[format]);
		(void)snprintf(name, sizeof(name), "cvt%s%s.%s.%s", integral[mode], f.ftz ? ".ftz" : "", integers[type],
			       bc_soft[format].name);
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

/* ---------------------------------------------------------------- float to float */

#define INTEGRAL 1  /* .rni and its like */
#define RELU 2	    /* .relu */
#define SATFINITE 4 /* .satfinite */
#define PACKED 8    /* two numbers into halves, the first the upper one */

/* bits: the source's format, to_bits: the result's. */
static uint64_t float_to_float(const struct bc_ptx_form *f, uint64_t in)
{
	const struct bc_soft *from = &bc_soft[f->bits], *to = &bc_soft[f->to_bits];
	const bool flush_in = f->ftz && f->bits == BC_SOFT_F32, flush_out = f->ftz && f->to_bits == BC_SOFT_F32;
	const enum bc_soft_mode mode = (enum bc_soft_mode)f->mode;
	double v;
	uint64_t r, sign = (uint64_t)1 << (to->bits - 1);

	in = low_bits(in, from->bits);
	v = bc_soft_value(from, flush_in ? bc_soft_flush(from, in) : in);
	if (f->aux & INTEGRAL)
		v = bc_soft_integral(v, mode);
	r = bc_soft_round(to, v, mode, flush_out);
	if (f->sat)
		r = bc_soft_is_nan(to, r) || (r & sign) ? 0
		    : bc_soft_value(to, r) > 1		? bc_soft_round(to, 1, BC_SOFT_RN, false)
							: r;
	if ((f->aux & RELU) && !bc_soft_is_nan(to, r) && (r & sign))
		r = 0;
	if ((f->aux & SATFINITE) && isinf(bc_soft_value(to, r)))
		r--;
	return r;
}

static void want_float_to_float(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	want[0] = float_to_float(f, x[0]);
	if (f->aux & PACKED)
		want[0] = want[0] << 16 | float_to_float(f, x[1]);
}

static void check_conversion(struct bc_ptx_form f, const char *modifiers)
{
	const struct bc_soft *from = &bc_soft[f.bits], *to = &bc_soft[f.to_bits];
	const bool packed = f.aux & PACKED;
	const char regs[] = { packed ? 'r' : class_of(to), class_of(from), packed ? class_of(from) : '\0', '\0' };
	char name[64];

	(void)snprintf(name, sizeof(name), "cvt%s.%s%s.%s", modifiers, to->name, packed ? "x2" : "", from->name);
	f.op = name;
	f.args = regs;
	f.want = want_float_to_float;
	f.values[0] = f.values[1] = values[f.bits];
	/* What is left of an f64's NaN is open. */
	if (f.bits == BC_SOFT_F64 && f.to_bits == BC_SOFT_F16)
		f.compare = BC_PTX_NAN16;
	else
		f.compare = f.to_bits == BC_SOFT_F32   ? BC_PTX_NAN32
			    : f.to_bits == BC_SOFT_F64 ? BC_PTX_NAN64
						       : BC_PTX_EXACT;
	bc_ptx_form_check(&f);
}

static const struct {
	unsigned from, to;
	int nmodes; /* 0: none is written */
	bool integral, ftz, sat;
} conversions[] = {
	{ BC_SOFT_F64, BC_SOFT_F32, 4, false, true, true },    { BC_SOFT_F64, BC_SOFT_F16, 4, false, false, true },
	{ BC_SOFT_F32, BC_SOFT_F16, 4, false, true, true },    { BC_SOFT_F32, BC_SOFT_BF16, 2, false, false, false },
	{ BC_SOFT_F16, BC_SOFT_F32, 0, false, true, true },    { BC_SOFT_F16, BC_SOFT_F64, 0, false, false, true },
	{ BC_SOFT_F32, BC_SOFT_F64, 0, false, true, true },    { BC_SOFT_BF16, BC_SOFT_F32, 0, false, false, false },
	{ BC_SOFT_F32, BC_SOFT_F32, 4, true, true, true },     { BC_SOFT_F64, BC_SOFT_F64, 4, true, false, true },
	{ BC_SOFT_F16, BC_SOFT_F16, 4, true, false, false },   { BC_SOFT_F32, BC_SOFT_F32, 0, false, true, true },
	{ BC_SOFT_BF16, BC_SOFT_F64, 0, false, false, false },
};

START_TEST(float_to_float_conversions)
{
	char modifiers[32];

	for (size_t k = 0; k < BC_ARRAY_LEN(conversions); k++) {
		const int n = conversions[k].nmodes;

		for (int i = 0; i < 4 * (n ? n : 1); i++) {
			const char *mode = !n ? "" : conversions[k].integral ? integral[i / 4] : rounding[i / 4];
			const struct bc_ptx_form f = { .bits = conversions[k].from,
						       .to_bits = conversions[k].to,
						       .mode = i / 4,
						       .ftz = i & 1,
						       .sat = i & 2,
						       .aux = conversions[k].integral ? INTEGRAL : 0 };

			if ((f.ftz && !conversions[k].ftz) || (f.sat && !conversions[k].sat))
				continue;
			(void)snprintf(modifiers, sizeof(modifiers), "%s%s%s", mode, f.ftz ? ".ftz" : "",
				       f.sat ? ".sat" : "");
			check_conversion(f, modifiers);
		}
	}
	bc_ptx_form_done();
}
END_TEST

START_TEST(conversions_to_halves_and_pairs)
{
	static const struct {
		const char *modifiers;
		int mode, aux;
	} forms[] = {
		{ ".rn", BC_SOFT_RN, PACKED },
		{ ".rz", BC_SOFT_RZ, PACKED },
		{ ".rn.relu", BC_SOFT_RN, PACKED | RELU },
		{ ".rz.relu", BC_SOFT_RZ, PACKED | RELU },
		{ ".rn.satfinite", BC_SOFT_RN, SATFINITE },
		{ ".rn.satfinite", BC_SOFT_RN, PACKED | SATFINITE },
		{ ".rz.relu.satfinite", BC_SOFT_RZ, RELU | SATFINITE },
		{ ".rn.relu", BC_SOFT_RN, RELU },
		{ ".rz.relu", BC_SOFT_RZ, RELU },
	};

	for (size_t i = 0; i < 2 * BC_ARRAY_LEN(forms); i++) {
		const struct bc_ptx_form f = { .bits = BC_SOFT_F32,
					       .to_bits = i & 1 ? BC_SOFT_BF16 : BC_SOFT_F16,
					       .mode = forms[i / 2].mode,
					       .aux = forms[i / 2].aux };

		check_conversion(f, forms[i / 2].modifiers);
	}
	bc_ptx_form_done();
}
END_TEST

Suite *bc_test_ptx_convert(void)
{
	Suite *s = suite_create("ptx_convert");
	TCase *tc = tcase_create("forms");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, integer_to_float);
	tcase_add_test(tc, float_to_integer);
	tcase_add_test(tc, float_to_float_conversions);
	tcase_add_test(tc, conversions_to_halves_and_pairs);
	suite_add_tcase(s, tc);
	return s;
}
