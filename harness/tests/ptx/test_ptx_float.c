/* SPDX-License-Identifier: MIT */
/* Floating-point arithmetic and comparisons: every form over many operands, rounded by software or, for f64, by the
 * host in the form's rounding mode. */
#include <check.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/base.h"
#include "harness/tests/ptx/ptx_form.h"
#include "harness/tests/ptx/soft_float.h"

Suite *bc_test_ptx_float(void);

enum float_op { ADD, SUB, MUL, FMA, DIV, RCP, SQRT, MIN, MAX, NEG, ABS };

static const char *const rounding[] = { ".rn", ".rz", ".rm", ".rp" };

/* What bits of bc_ptx_form.aux mean here beside the operation. */
#define NAN_WINS 0x100 /* .NaN */
#define XORSIGN 0x200  /* .xorsign.abs */
#define RELU 0x400     /* .relu */
#define PACKED 0x800   /* two halves */
#define FORMAT(k) ((k) << 16)

static const struct bc_soft *format_of(const struct bc_ptx_form *f)
{
	return &bc_soft[f->aux >> 16];
}

static double exact(const struct bc_ptx_form *f, double a, double b, double c)
{
	const enum bc_soft_mode mode = (enum bc_soft_mode)f->mode;

	switch ((enum float_op)(f->aux & 0xff)) {
	case ADD: return bc_soft_add(a, b, mode);
	case SUB: return bc_soft_add(a, -b, mode);
	case MUL: return a * b;
	case FMA: {
		const double product = a * b;

		return bc_soft_add(product, c, mode);
	}
	case DIV: return a / b;
	case RCP: return 1 / a;
	case SQRT: return sqrt(a);
	default: return 0;
	}
}

/* min and max of the ISA: -0 is below +0, a NaN loses against a number unless NAN_WINS. */
static uint64_t extreme(const struct bc_ptx_form *f, uint64_t a, uint64_t b)
{
	const struct bc_soft *s = format_of(f);
	const uint64_t sign = (uint64_t)1 << (s->bits - 1), both = (a ^ b) & sign;
	uint64_t r;

	if (f->aux & XORSIGN) {
		a &= ~sign;
		b &= ~sign;
	}

	const double va = bc_soft_value(s, a), vb = bc_soft_value(s, b);
	const bool less = va < vb || (va == 0 && vb == 0 && signbit(va) && !signbit(vb));

	if ((isnan(va) && isnan(vb)) || ((f->aux & NAN_WINS) && (isnan(va) || isnan(vb))))
		return s->nan;
	if (isnan(va) || isnan(vb))
		r = isnan(va) ? b : a;
	else
		r = less == ((f->aux & 0xff) == MIN) ? a : b;
	return f->aux & XORSIGN ? (r & ~sign) | both : r;
}

/* One number, or one half of a packed pair. */
static uint64_t one(const struct bc_ptx_form *f, const uint64_t x[3])
{
	const struct bc_soft *s = format_of(f);
	const uint64_t sign = (uint64_t)1 << (s->bits - 1);
	uint64_t v[3], r;

	for (unsigned i = 0; i < 3; i++) {
		v[i] = s->bits < 64 ? x[i] & ((sign << 1) - 1) : x[i];
		v[i] = f->ftz ? bc_soft_flush(s, v[i]) : v[i];
	}
	switch (f->aux & 0xff) {
	case MIN:
	case MAX: r = extreme(f, v[0], v[1]); break;
	case NEG: r = v[0] ^ sign; break;
	case ABS: r = v[0] & ~sign; break;
	default:
		r = bc_soft_round(s, exact(f, bc_soft_value(s, v[0]), bc_soft_value(s, v[1]), bc_soft_value(s, v[2])),
				  (enum bc_soft_mode)f->mode, f->ftz);
	}
	if (f->sat)
		r = bc_soft_is_nan(s, r) || (r & sign) ? 0
		    : bc_soft_value(s, r) > 1	       ? bc_soft_round(s, 1, BC_SOFT_RN, false)
						       : r;
	if ((f->aux & RELU) && !bc_soft_is_nan(s, r) && (r & sign))
		r = 0;
	return r;
}

static void want_float(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const uint64_t high[3] = { x[0] >> 16, x[1] >> 16, x[2] >> 16 };

	want[0] = one(f, x);
	if (f->aux & PACKED)
		want[0] |= one(f, high) << 16;
}

static void set_values(struct bc_ptx_form *f, enum bc_ptx_values v)
{
	for (unsigned i = 0; i < 4; i++)
		f->values[i] = v;
}

static void check_f32(const char *op, int aux, unsigned operands, bool modes, bool sat)
{
	char name[40];

	for (int i = 0; i < (modes ? 16 : 4); i++) {
		const int mode = modes ? i >> 2 : 0;
		struct bc_ptx_form f = { .op = name,
					 .args = operands == 1	 ? "rr"
						 : operands == 2 ? "rrr"
								 : "rrrr",
					 .want = want_float,
					 .mode = mode,
					 .ftz = i & 1,
					 .sat = i & 2,
					 .aux = aux | FORMAT(BC_SOFT_F32) };

		if (f.sat && !sat)
			continue;
		f.compare = (aux & 0xff) == NEG || (aux & 0xff) == ABS ? BC_PTX_NAN32 : BC_PTX_EXACT;
		set_values(&f, BC_PTX_F32);
		(void)snprintf(name, sizeof(name), "%s%s%s%s%s%s.f32", op, modes ? rounding[mode] : "",
			       i & 1 ? ".ftz" : "", i & 2 ? ".sat" : "", aux & NAN_WINS ? ".NaN" : "",
			       aux & XORSIGN ? ".xorsign.abs" : "");
		bc_ptx_form_check(&f);
	}
}

START_TEST(f32_arithmetic)
{
	check_f32("add", ADD, 2, true, true);
	check_f32("sub", SUB, 2, true, true);
	check_f32("mul", MUL, 2, true, true);
	check_f32("fma", FMA, 3, true, true);
	check_f32("mad", FMA, 3, true, true);
	check_f32("div", DIV, 2, true, false);
	check_f32("rcp", RCP, 1, true, false);
	check_f32("sqrt", SQRT, 1, true, false);
	check_f32("add", ADD, 2, false, true); /* no mode: to nearest */
	check_f32("mul", MUL, 2, false, true);
	bc_ptx_form_done();
}
END_TEST

START_TEST(f32_min_max_neg_abs)
{
	for (int k = 0; k < 4; k++) {
		const int more = (k & 1 ? NAN_WINS : 0) | (k & 2 ? XORSIGN : 0);

		check_f32("min", MIN | more, 2, false, false);
		check_f32("max", MAX | more, 2, false, false);
	}
	check_f32("neg", NEG, 1, false, false);
	check_f32("abs", ABS, 1, false, false);
	bc_ptx_form_done();
}
END_TEST

/* ---------------------------------------------------------------- f64: the host's arithmetic */

static double of_bits(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static void want_f64(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	static const int host_modes[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };
	volatile double a = of_bits(x[0]), b = of_bits(x[1]), c = of_bits(x[2]), r = 0;
	const int was = fegetround();

	if (fesetround(host_modes[f->mode]))
		ck_abort_msg("the host has not this rounding mode");
	switch ((enum float_op)(f->aux & 0xff)) {
	case ADD: r = a + b; break;
	case SUB: r = a - b; break;
	case MUL: r = a * b; break;
	case FMA: r = fma(a, b, c); break;
	case DIV: r = a / b; break;
	case RCP: r = 1 / a; break;
	case SQRT: r = sqrt(a); break;
	default: break;
	}
	if (fesetround(was))
		ck_abort_msg("the host's rounding mode cannot be restored");

	const double result = r;

	memcpy(&want[0], &result, sizeof(result));
}

static void check_f64(const char *op, int aux, unsigned operands, bool modes)
{
	char name[40];

	for (int mode = 0; mode < (modes ? 4 : 1); mode++) {
		struct bc_ptx_form f = { .op = name,
					 .args = operands == 1	 ? "dd"
						 : operands == 2 ? "ddd"
								 : "dddd",
					 .want = modes ? want_f64 : want_float,
					 .mode = mode,
					 .compare = BC_PTX_NAN64,
					 .aux = aux | FORMAT(BC_SOFT_F64) };

		set_values(&f, BC_PTX_F64);
		(void)snprintf(name, sizeof(name), "%s%s.f64", op, modes ? rounding[mode] : "");
		bc_ptx_form_check(&f);
	}
}

START_TEST(f64_arithmetic)
{
	check_f64("add", ADD, 2, true);
	check_f64("sub", SUB, 2, true);
	check_f64("mul", MUL, 2, true);
	check_f64("fma", FMA, 3, true);
	check_f64("mad", FMA, 3, true);
	check_f64("div", DIV, 2, true);
	check_f64("rcp", RCP, 1, true);
	check_f64("sqrt", SQRT, 1, true);
	check_f64("min", MIN, 2, false);
	check_f64("max", MAX, 2, false);
	check_f64("neg", NEG, 1, false);
	check_f64("abs", ABS, 1, false);
	bc_ptx_form_done();
}
END_TEST

/* ---------------------------------------------------------------- f16, bf16 and their pairs */

static const struct {
	const char *op;
	int aux;
	bool rn, ftz, sat; /* .rn is written; forms with .ftz, .sat (f16 only) */
} halves[] = {
	{ "add", ADD, false, true, true },
	{ "add", ADD, true, false, false },
	{ "sub", SUB, false, true, true },
	{ "sub", SUB, true, false, false },
	{ "mul", MUL, false, true, true },
	{ "mul", MUL, true, false, false },
	{ "fma", FMA, true, true, true },
	{ "fma", FMA | RELU, true, false, false },
	{ "min", MIN, false, true, false },
	{ "max", MAX, false, true, false },
	{ "min", MIN | NAN_WINS, false, true, false },
	{ "max", MAX | NAN_WINS, false, true, false },
	{ "min", MIN | XORSIGN, false, true, false },
	{ "max", MAX | XORSIGN, false, true, false },
};

static void check_half(size_t k, int format, bool packed, bool ftz, bool sat)
{
	static const enum bc_ptx_values values[2][2] = { { BC_PTX_F16, BC_PTX_F16X2 }, { BC_PTX_BF16, BC_PTX_BF16X2 } };
	const int aux = halves[k].aux;
	const char regs[] = { packed ? 'r' : 'h', packed ? 'r' : 'h', packed ? 'r' : 'h',
			      (aux & 0xff) == FMA ? (packed ? 'r' : 'h') : '\0', '\0' };
	char name[40];
	struct bc_ptx_form f = { .op = name,
				 .args = regs,
				 .want = want_float,
				 .ftz = ftz,
				 .sat = sat,
				 .aux = aux | FORMAT(format) | (packed ? PACKED : 0) };

	(void)snprintf(name, sizeof(name), "%s%s%s%s%s%s%s.%s%s", halves[k].op, halves[k].rn ? ".rn" : "",
		       ftz ? ".ftz" : "", sat ? ".sat" : "", aux & RELU ? ".relu" : "", aux & NAN_WINS ? ".NaN" : "",
		       aux & XORSIGN ? ".xorsign.abs" : "", bc_soft[format].name, packed ? "x2" : "");
	set_values(&f, values[format][packed]);
	bc_ptx_form_check(&f);
}

START_TEST(half_arithmetic)
{
	for (size_t k = 0; k < BC_ARRAY_LEN(halves); k++) {
		for (int i = 0; i < 8; i++) {
			const bool packed = i & 1, ftz = i & 2, sat = i & 4;

			if ((ftz && !halves[k].ftz) || (sat && !halves[k].sat))
				continue;
			check_half(k, BC_SOFT_F16, packed, ftz, sat);
			if (!ftz && !sat)
				check_half(k, BC_SOFT_BF16, packed, false, false);
		}
	}
	bc_ptx_form_done();
}
END_TEST

/* Only the sign changes; of a NaN the ISA leaves the payload open, so these have no NaN among their operands. */
static void no_nan(uint64_t (*x)[4])
{
	for (unsigned t = 0; t < 32; t++)
		for (unsigned i = 0; i < 4; i++)
			x[t][i] &= 0xbfffbfff; /* the top bit of the exponent */
}

START_TEST(half_signs)
{
	static const struct bc_ptx_form forms[] = {
		{ .op = "neg.f16", .args = "hh", .aux = NEG | FORMAT(BC_SOFT_F16) },
		{ .op = "neg.f16x2", .args = "rr", .aux = NEG | FORMAT(BC_SOFT_F16) | PACKED },
		{ .op = "neg.ftz.f16", .args = "hh", .aux = NEG | FORMAT(BC_SOFT_F16), .ftz = true },
		{ .op = "neg.bf16", .args = "hh", .aux = NEG | FORMAT(BC_SOFT_BF16) },
		{ .op = "neg.bf16x2", .args = "rr", .aux = NEG | FORMAT(BC_SOFT_BF16) | PACKED },
		{ .op = "abs.f16", .args = "hh", .aux = ABS | FORMAT(BC_SOFT_F16) },
		{ .op = "abs.f16x2", .args = "rr", .aux = ABS | FORMAT(BC_SOFT_F16) | PACKED },
		{ .op = "abs.ftz.f16x2", .args = "rr", .aux = ABS | FORMAT(BC_SOFT_F16) | PACKED, .ftz = true },
		{ .op = "abs.bf16", .args = "hh", .aux = ABS | FORMAT(BC_SOFT_BF16) },
		{ .op = "abs.bf16x2", .args = "rr", .aux = ABS | FORMAT(BC_SOFT_BF16) | PACKED },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++) {
		struct bc_ptx_form f = forms[i];

		f.want = want_float;
		f.shape = no_nan;
		set_values(&f, BC_PTX_F16X2);
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

Suite *bc_test_ptx_float(void)
{
	Suite *s = suite_create("ptx_float");
	TCase *tc = tcase_create("forms");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, f32_arithmetic);
	tcase_add_test(tc, f32_min_max_neg_abs);
	tcase_add_test(tc, f64_arithmetic);
	tcase_add_test(tc, half_arithmetic);
	tcase_add_test(tc, half_signs);
	suite_add_tcase(s, tc);
	return s;
}
