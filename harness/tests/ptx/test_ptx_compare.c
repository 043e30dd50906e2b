/* SPDX-License-Identifier: MIT */
/* Floating-point comparisons and selections, and the approximate functions against libm within the ISA's bounds. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/base.h"
#include "harness/tests/ptx/ptx_form.h"
#include "harness/tests/ptx/soft_float.h"

Suite *bc_test_ptx_compare(void);

/* Of pairs: the next one. */
static const enum bc_ptx_values values[BC_SOFT_FORMATS] = {
	[BC_SOFT_F16] = BC_PTX_F16,
	[BC_SOFT_BF16] = BC_PTX_BF16,
	[BC_SOFT_F32] = BC_PTX_F32,
	[BC_SOFT_F64] = BC_PTX_F64,
};
static const char *const comparisons[] = {
	"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
};
static const char *const bools[] = { "", ".and", ".or", ".xor" };

static uint64_t low_bits(uint64_t v, unsigned bits)
{
	return bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v;
}

static char class_of(const struct bc_soft *f)
{
	return f->bits == 16 ? 'h' : f->bits == 32 ? 'r' : 'd';
}

static double number(const struct bc_ptx_form *f, uint64_t bits)
{
	const struct bc_soft *s = &bc_soft[f->bits];

	bits = low_bits(bits, s->bits);
	return bc_soft_value(s, f->ftz ? bc_soft_flush(s, bits) : bits);
}

static bool compares(int cmp, double a, double b)
{
	const bool nan = isnan(a) || isnan(b);

	switch (cmp) {
	case 0: return !nan && a == b;
	case 1: return !nan && a != b;
	case 2: return !nan && a < b;
	case 3: return !nan && a <= b;
	case 4: return !nan && a > b;
	case 5: return !nan && a >= b;
	case 12: return !nan;
	case 13: return nan;
	default: return nan || compares(cmp - 6, a, b);
	}
}

static bool combine(int op, bool a, bool b)
{
	switch (op) {
	case 1: return a && b;
	case 2: return a || b;
	case 3: return a != b;
	default: return a;
	}
}

/* aux: the comparison; mode: how it is combined with bit 0 of x[2]. */
static void want_setp(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const bool t = compares(f->aux, number(f, x[0]), number(f, x[1]));

	want[0] = combine(f->mode, t, x[2] & 1);
	want[1] = combine(f->mode, !t, x[2] & 1);
}

/* Pairs: p of the lower numbers, q of the upper ones. */
static void want_setp_pair(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	want[0] = combine(f->mode, compares(f->aux, number(f, x[0]), number(f, x[1])), x[2] & 1);
	want[1] = combine(f->mode, compares(f->aux, number(f, x[0] >> 16), number(f, x[1] >> 16)), x[2] & 1);
}

static void check_setp(unsigned format, bool pair, bool ftz, int cmp, int mode)
{
	const char reg = pair ? 'r' : class_of(&bc_soft[format]);
	char body[200];
	struct bc_ptx_form f = { .body = body,
				 .want = pair ? want_setp_pair : want_setp,
				 .bits = format,
				 .ftz = ftz,
				 .aux = cmp,
				 .mode = mode };

	(void)snprintf(
		body, sizeof(body),
		"setp.%s%s%s.%s%s %%p8|%%p9, %%%c4, %%%c5%s; selp.u64 %%d8, 1, 0, %%p8; selp.u64 %%d9, 1, 0, %%p9;",
		comparisons[cmp], bools[mode], ftz ? ".ftz" : "", bc_soft[format].name, pair ? "x2" : "", reg, reg,
		mode ? ", %p6" : "");
	f.values[0] = f.values[1] = pair ? values[format] + 1 : values[format];
	bc_ptx_form_check(&f);
}

START_TEST(setp_every_comparison)
{
	for (int cmp = 0; cmp < (int)BC_ARRAY_LEN(comparisons); cmp++) {
		for (unsigned format = 0; format < BC_SOFT_FORMATS; format++) {
			const bool half = format == BC_SOFT_F16 || format == BC_SOFT_BF16;

			check_setp(format, false, false, cmp, 0);
			check_setp(format, false, false, cmp, 1 + (cmp + (int)format) % 3);
			if (half)
				check_setp(format, true, false, cmp, cmp % 4);
			if (format == BC_SOFT_F16 || format == BC_SOFT_F32)
				check_setp(format, false, true, cmp, 0);
		}
	}
	bc_ptx_form_done();
}
END_TEST

/* What set gives for true; to_bits is an index. */
static const uint32_t set_true[] = { 0xffffffff, 0x3f800000, 0x3c00, 0x3f80, 0xffff };

enum set_result { TO_INT, TO_F32, TO_F16, TO_BF16, TO_INT16 };

static void want_set(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	want_setp(f, x, want);
	want[0] = want[0] ? set_true[f->to_bits] : 0;
	want[1] = 0;
}

static void want_set_pair(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	want_setp_pair(f, x, want);
	want[0] = (want[0] ? set_true[f->to_bits] : 0) | (want[1] ? (uint64_t)set_true[f->to_bits] << 16 : 0);
	want[1] = 0;
}

START_TEST(set_to_a_register)
{
	static const struct bc_ptx_form forms[] = {
		{ .op = "set.lt.u32.f32", .args = "rrr", .bits = BC_SOFT_F32, .aux = 2 },
		{ .op = "set.ltu.ftz.u32.f32", .args = "rrr", .bits = BC_SOFT_F32, .aux = 8, .ftz = true },
		{ .op = "set.eq.f32.f32", .args = "rrr", .bits = BC_SOFT_F32, .aux = 0, .to_bits = TO_F32 },
		{ .op = "set.ge.s32.f64", .args = "rdd", .bits = BC_SOFT_F64, .aux = 5 },
		{ .op = "set.nan.u32.f64", .args = "rdd", .bits = BC_SOFT_F64, .aux = 13 },
		{ .op = "set.gt.and.u32.f32", .args = "rrrp", .bits = BC_SOFT_F32, .aux = 4, .mode = 1 },
		{ .op = "set.neu.xor.f32.f32",
		  .args = "rrrp",
		  .bits = BC_SOFT_F32,
		  .aux = 7,
		  .mode = 3,
		  .to_bits = TO_F32 },
		{ .op = "set.lt.f16.f16", .args = "hhh", .bits = BC_SOFT_F16, .aux = 2, .to_bits = TO_F16 },
		{ .op = "set.geu.ftz.f16.f16",
		  .args = "hhh",
		  .bits = BC_SOFT_F16,
		  .aux = 11,
		  .to_bits = TO_F16,
		  .ftz = true },
		{ .op = "set.eq.u16.f16", .args = "hhh", .bits = BC_SOFT_F16, .aux = 0, .to_bits = TO_INT16 },
		{ .op = "set.ne.u32.f16", .args = "rhh", .bits = BC_SOFT_F16, .aux = 1, .to_bits = TO_INT },
		{ .op = "set.gt.bf16.bf16", .args = "hhh", .bits = BC_SOFT_BF16, .aux = 4, .to_bits = TO_BF16 },
		{ .op = "set.num.u32.bf16", .args = "rhh", .bits = BC_SOFT_BF16, .aux = 12, .to_bits = TO_INT },
		{ .op = "set.le.u32.f16x2",
		  .args = "rrr",
		  .bits = BC_SOFT_F16,
		  .aux = 3,
		  .to_bits = TO_INT16,
		  .want = want_set_pair },
		{ .op = "set.le.f16x2.f16x2",
		  .args = "rrr",
		  .bits = BC_SOFT_F16,
		  .aux = 3,
		  .to_bits = TO_F16,
		  .want = want_set_pair },
		{ .op = "set.ltu.bf16x2.bf16x2",
		  .args = "rrr",
		  .bits = BC_SOFT_BF16,
		  .aux = 8,
		  .to_bits = TO_BF16,
		  .want = want_set_pair },
		{ .op = "set.eq.u32.bf16x2",
		  .args = "rrr",
		  .bits = BC_SOFT_BF16,
		  .aux = 0,
		  .to_bits = TO_INT16,
		  .want = want_set_pair },
		{ .op = "set.gt.and.f16x2.f16x2",
		  .args = "rrrp",
		  .bits = BC_SOFT_F16,
		  .aux = 4,
		  .to_bits = TO_F16,
		  .want = want_set_pair,
		  .mode = 1 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++) {
		struct bc_ptx_form f = forms[i];

		f.values[0] = f.values[1] = values[f.bits] + (f.want ? 1 : 0);
		f.want = f.want ? f.want : want_set;
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

/* slct by an f32: -0 counts as not negative, a NaN selects the second. */
static void want_slct(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const struct bc_ptx_form by = { .bits = BC_SOFT_F32, .ftz = f->ftz };

	want[0] = low_bits(number(&by, x[2]) >= 0 ? x[0] : x[1], f->to_bits);
}

static void want_testp(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const struct bc_soft *s = &bc_soft[f->bits];
	const double v = number(f, x[0]);
	const bool subnormal = bc_soft_flush(s, low_bits(x[0], s->bits)) != low_bits(x[0], s->bits);

	/* Zeros are normal numbers here. */
	const bool is[] = { isfinite(v), isinf(v), !isnan(v), isnan(v), isfinite(v) && !subnormal, subnormal };

	want[0] = is[f->aux];
}

/* d = b with the sign of a */
static void want_copysign(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const uint64_t sign = (uint64_t)1 << (bc_soft[f->bits].bits - 1);

	want[0] = (x[0] & sign) | (x[1] & (sign - 1));
}

START_TEST(selections_and_classes)
{
	static const char *const classes[] = { "finite", "infinite", "number", "notanumber", "normal", "subnormal" };
	static const struct bc_ptx_form forms[] = {
		{ .op = "slct.f32.f32",
		  .args = "rrrr",
		  .want = want_slct,
		  .to_bits = 32,
		  .values = { BC_PTX_F32, BC_PTX_INT, BC_PTX_F32 } },
		{ .op = "slct.ftz.u32.f32",
		  .args = "rrrr",
		  .want = want_slct,
		  .to_bits = 32,
		  .ftz = true,
		  .values = { BC_PTX_INT, BC_PTX_INT, BC_PTX_F32 } },
		{ .op = "slct.b64.f32",
		  .args = "dddr",
		  .want = want_slct,
		  .to_bits = 64,
		  .values = { BC_PTX_INT, BC_PTX_INT, BC_PTX_F32 } },
		{ .op = "copysign.f32",
		  .args = "rrr",
		  .want = want_copysign,
		  .bits = BC_SOFT_F32,
		  .values = { BC_PTX_F32, BC_PTX_F32 } },
		{ .op = "copysign.f64",
		  .args = "ddd",
		  .want = want_copysign,
		  .bits = BC_SOFT_F64,
		  .values = { BC_PTX_F64, BC_PTX_F64 } },
	};
	char name[40];

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++)
		bc_ptx_form_check(&forms[i]);
	for (int i = 0; i < 12; i++) {
		const struct bc_ptx_form f = {
			.op = name,
			.args = i & 1 ? "pd" : "pr",
			.want = want_testp,
			.aux = i / 2,
			.bits = i & 1 ? BC_SOFT_F64 : BC_SOFT_F32,
			.values = { i & 1 ? BC_PTX_F64 : BC_PTX_F32 },
		};

		(void)snprintf(name, sizeof(name), "testp.%s.f%d", classes[i / 2], i & 1 ? 64 : 32);
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

/* ---------------------------------------------------------------- approximate functions */

enum approx { EX2, LG2, SIN, COS, RCP, RSQRT, SQRT, DIV, TANH };

static void want_approx(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const double a = number(f, x[0]), b = number(f, x[1]);
	double r = 0;

	switch ((enum approx)f->aux) {
	case EX2: r = exp2(a); break;
	case LG2: r = log2(a); break;
	case SIN: r = sin(a); break;
	case COS: r = cos(a); break;
	case RCP: r = 1 / a; break;
	case RSQRT: r = 1 / sqrt(a); break;
	case SQRT: r = sqrt(a); break;
	case DIV: r = a / b; break;
	case TANH: r = tanh(a); break;
	}
	if (f->ftz && fabs(r) < 0x1p-126)
		r = copysign(0, r);
	if (fabs(r) >= 0x1.ffffffp127)
		r = copysign((double)INFINITY, r);
	memcpy(&want[0], &r, sizeof(r));
}

/* Arguments where the relative bound holds: the exponent within -31 .. 32, or zero, infinity, NaN. */
static void moderate(uint64_t (*x)[4])
{
	for (unsigned t = 0; t < 32; t++) {
		for (unsigned i = 0; i < 2; i++) {
			const uint64_t exponent = x[t][i] >> 23 & 0xff;

			if (exponent != 0 && exponent != 0xff)
				x[t][i] = (x[t][i] & 0x807fffff) | (96 + exponent % 64) << 23;
			else if (exponent == 0)
				x[t][i] &= 0x80000000;
		}
	}
}

/* Arguments of sin and cos: below 2 pi. */
static void angles(uint64_t (*x)[4])
{
	for (unsigned t = 0; t < 32; t++)
		if ((x[t][0] >> 23 & 0xff) != 0xff)
			x[t][0] = (x[t][0] & 0x807fffff) | (114 + (x[t][0] >> 23) % 15) << 23;
}

START_TEST(approximate_functions)
{
	static const struct bc_ptx_form forms[] = {
		{ .op = "ex2.approx.f32", .args = "rr", .aux = EX2, .shape = angles, .tolerance = 0x1p-22 },
		{ .op = "ex2.approx.ftz.f32",
		  .args = "rr",
		  .aux = EX2,
		  .shape = moderate,
		  .ftz = true,
		  .tolerance = 0x1p-22 },
		{ .op = "lg2.approx.ftz.f32",
		  .args = "rr",
		  .aux = LG2,
		  .shape = moderate,
		  .ftz = true,
		  .tolerance = 0x1p-22,
		  .compare = BC_PTX_NEAR_ABS },
		{ .op = "lg2.approx.f32", .args = "rr", .aux = LG2, .tolerance = 0x1p-22, .compare = BC_PTX_NEAR_ABS },
		{ .op = "sin.approx.ftz.f32",
		  .args = "rr",
		  .aux = SIN,
		  .shape = angles,
		  .ftz = true,
		  .tolerance = 0x1p-20,
		  .compare = BC_PTX_NEAR_ABS },
		{ .op = "cos.approx.ftz.f32",
		  .args = "rr",
		  .aux = COS,
		  .shape = angles,
		  .ftz = true,
		  .tolerance = 0x1p-20,
		  .compare = BC_PTX_NEAR_ABS },
		{ .op = "rcp.approx.f32", .args = "rr", .aux = RCP, .shape = moderate, .tolerance = 0x1p-23 },
		{ .op = "rcp.approx.ftz.f32", .args = "rr", .aux = RCP, .ftz = true, .tolerance = 0x1p-23 },
		{ .op = "rsqrt.approx.f32", .args = "rr", .aux = RSQRT, .tolerance = 0x1p-22 },
		{ .op = "rsqrt.approx.ftz.f32", .args = "rr", .aux = RSQRT, .ftz = true, .tolerance = 0x1p-22 },
		{ .op = "sqrt.approx.f32", .args = "rr", .aux = SQRT, .tolerance = 0x1p-22 },
		{ .op = "sqrt.approx.ftz.f32", .args = "rr", .aux = SQRT, .ftz = true, .tolerance = 0x1p-22 },
		{ .op = "div.approx.f32", .args = "rrr", .aux = DIV, .shape = moderate, .tolerance = 0x1p-22 },
		{ .op = "div.full.f32", .args = "rrr", .aux = DIV, .shape = moderate, .tolerance = 0x1p-22 },
		{ .op = "div.full.ftz.f32",
		  .args = "rrr",
		  .aux = DIV,
		  .shape = moderate,
		  .ftz = true,
		  .tolerance = 0x1p-22 },
		{ .op = "tanh.approx.f32", .args = "rr", .aux = TANH, .shape = moderate, .tolerance = 0x1p-10 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++) {
		struct bc_ptx_form f = forms[i];

		f.want = want_approx;
		f.bits = BC_SOFT_F32;
		f.compare = f.compare ? f.compare : BC_PTX_NEAR;
		f.values[0] = f.values[1] = BC_PTX_F32;
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

/* Below 2, no NaN: where the bounds for halves hold. */
static void below_two(uint64_t (*x)[4])
{
	for (unsigned t = 0; t < 32; t++)
		x[t][0] &= 0xbfffbfff;
}

START_TEST(approximate_functions_of_halves)
{
	static const struct {
		const char *op, *type;
		enum approx aux;
		unsigned format;
		bool ftz;
		double tolerance;
	} forms[] = {
		{ "ex2.approx", "f16", EX2, BC_SOFT_F16, false, 0x1p-9 },
		{ "ex2.approx.ftz", "bf16", EX2, BC_SOFT_BF16, true, 0x1p-7 },
		{ "tanh.approx", "f16", TANH, BC_SOFT_F16, false, 0x1p-10 },
		{ "tanh.approx", "bf16", TANH, BC_SOFT_BF16, false, 0x1p-8 },
	};
	char body[160];

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++) {
		const struct bc_ptx_form f = {
			.body = body,
			.want = want_approx,
			.shape = below_two,
			.aux = (int)forms[i].aux,
			.bits = forms[i].format,
			.ftz = forms[i].ftz,
			.compare = BC_PTX_NEAR_ABS,
			.tolerance = forms[i].tolerance,
			.values = { values[forms[i].format] },
		};

		(void)snprintf(body, sizeof(body), "%s.%s %%h8, %%h4; cvt.f32.%s %%r8, %%h8; cvt.u64.u32 %%d8, %%r8;",
			       forms[i].op, forms[i].type, forms[i].type);
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

Suite *bc_test_ptx_compare(void)
{
	Suite *s = suite_create("ptx_compare");
	TCase *tc = tcase_create("forms");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, setp_every_comparison);
	tcase_add_test(tc, set_to_a_register);
	tcase_add_test(tc, selections_and_classes);
	tcase_add_test(tc, approximate_functions);
	tcase_add_test(tc, approximate_functions_of_halves);
	suite_add_tcase(s, tc);
	return s;
}
