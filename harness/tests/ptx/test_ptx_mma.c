/* SPDX-License-Identifier: MIT */
/* mma.sync: each shape with random fragments against a product made here, from the PTX ISA's tables of where element i
 * of a lane's fragment stands. */
#include "harness/tests/ptx/ptx_run.h"

#include <check.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *bc_test_ptx_mma(void);

static struct bc_error err;

/* As the ISA writes them: g groupID, t threadID_in_group, i the element of the lane. */
#define LOW (i < 2 || (i >= 4 && i < 6))

static unsigned half_k8_row(unsigned g, unsigned i)
{
	return i < 2 ? g : g + 8;
}
static unsigned half_k8_col(unsigned t, unsigned i)
{
	return 2 * t + (i & 1);
}
static unsigned half_k16_row(unsigned g, unsigned i)
{
	return LOW ? g : g + 8;
}
static unsigned half_k16_col(unsigned t, unsigned i)
{
	return 2 * t + (i & 1) + (i >= 4 ? 8 : 0);
}
static unsigned half_k16_b(unsigned t, unsigned i)
{
	return 2 * t + (i & 1) + (i >= 2 ? 8 : 0);
}
static unsigned by_turns_row(unsigned g, unsigned i)
{
	return i % 2 ? g + 8 : g;
}
static unsigned one_col(unsigned t, unsigned i)
{
	return i < 2 ? t : t + 4;
}
static unsigned one_b(unsigned t, unsigned i)
{
	return i ? t + 4 : t;
}
static unsigned double_k16_col(unsigned t, unsigned i)
{
	return i / 2 * 4 + t;
}
static unsigned double_k16_b(unsigned t, unsigned i)
{
	return i * 4 + t;
}
static unsigned same_row(unsigned g, unsigned i)
{
	return i < 1000 ? g : 0;
}
static unsigned byte_col(unsigned t, unsigned i)
{
	return 4 * t + (i & 3);
}
static unsigned byte_k16_row(unsigned g, unsigned i)
{
	return i < 4 ? g : g + 8;
}
static unsigned byte_k32_row(unsigned g, unsigned i)
{
	return i < 4 || (i >= 8 && i < 12) ? g : g + 8;
}
static unsigned byte_k32_col(unsigned t, unsigned i)
{
	return 4 * t + (i & 3) + (i >= 8 ? 16 : 0);
}
static unsigned byte_k32_b(unsigned t, unsigned i)
{
	return 4 * t + (i & 3) + (i >= 4 ? 16 : 0);
}

enum kind { HALF, BFLOAT, TFLOAT, DOUBLE, SBYTE, UBYTE, FP8_E4M3, FP8_E5M2 };

static const struct {
	const char *form;
	enum kind a, b;
	unsigned m, k, na, nb; /* elements of a lane */
	unsigned (*row)(unsigned, unsigned), (*col)(unsigned, unsigned), (*brow)(unsigned, unsigned);
	bool short_sums;
} forms[] = {
	{ "m16n8k8.row.col.f32.f16.f16.f32", HALF, HALF, 16, 8, 4, 2, half_k8_row, half_k8_col, half_k8_col, false },
	{ "m16n8k8.row.col.f16.f16.f16.f16", HALF, HALF, 16, 8, 4, 2, half_k8_row, half_k8_col, half_k8_col, true },
	{ "m16n8k8.row.col.f32.bf16.bf16.f32", BFLOAT, BFLOAT, 16, 8, 4, 2, half_k8_row, half_k8_col, half_k8_col,
	  false },
	{ "m16n8k16.row.col.f32.f16.f16.f32", HALF, HALF, 16, 16, 8, 4, half_k16_row, half_k16_col, half_k16_b, false },
	{ "m16n8k16.row.col.f16.f16.f16.f16", HALF, HALF, 16, 16, 8, 4, half_k16_row, half_k16_col, half_k16_b, true },
	{ "m16n8k16.row.col.f32.bf16.bf16.f32", BFLOAT, BFLOAT, 16, 16, 8, 4, half_k16_row, half_k16_col, half_k16_b,
	  false },
	{ "m16n8k4.row.col.f32.tf32.tf32.f32", TFLOAT, TFLOAT, 16, 4, 2, 1, by_turns_row, one_col, one_b, false },
	{ "m16n8k8.row.col.f32.tf32.tf32.f32", TFLOAT, TFLOAT, 16, 8, 4, 2, by_turns_row, one_col, one_b, false },
	{ "m8n8k4.row.col.f64.f64.f64.f64", DOUBLE, DOUBLE, 8, 4, 1, 1, same_row, one_col, one_b, false },
	{ "m16n8k4.row.col.f64.f64.f64.f64", DOUBLE, DOUBLE, 16, 4, 2, 1, by_turns_row, one_col, one_b, false },
	{ "m16n8k8.row.col.f64.f64.f64.f64", DOUBLE, DOUBLE, 16, 8, 4, 2, by_turns_row, one_col, one_b, false },
	{ "m16n8k16.row.col.f64.f64.f64.f64", DOUBLE, DOUBLE, 16, 16, 8, 4, by_turns_row, double_k16_col, double_k16_b,
	  false },
	{ "m8n8k16.row.col.s32.s8.s8.s32", SBYTE, SBYTE, 8, 16, 4, 4, same_row, byte_col, byte_col, false },
	{ "m8n8k16.row.col.s32.u8.s8.s32", UBYTE, SBYTE, 8, 16, 4, 4, same_row, byte_col, byte_col, false },
	{ "m16n8k16.row.col.s32.s8.u8.s32", SBYTE, UBYTE, 16, 16, 8, 4, byte_k16_row, byte_col, byte_col, false },
	{ "m16n8k32.row.col.satfinite.s32.s8.s8.s32", SBYTE, SBYTE, 16, 32, 16, 8, byte_k32_row, byte_k32_col,
	  byte_k32_b, false },
	{ "m16n8k32.row.col.f32.e4m3.e4m3.f32", FP8_E4M3, FP8_E4M3, 16, 32, 16, 8, byte_k32_row, byte_k32_col,
	  byte_k32_b, false },
	{ "m16n8k32.row.col.f32.e5m2.e4m3.f32", FP8_E5M2, FP8_E4M3, 16, 32, 16, 8, byte_k32_row, byte_k32_col,
	  byte_k32_b, false },
	{ "m16n8k32.row.col.f16.e4m3.e5m2.f16", FP8_E4M3, FP8_E5M2, 16, 32, 16, 8, byte_k32_row, byte_k32_col,
	  byte_k32_b, true },
};

static unsigned bytes_of(enum kind k)
{
	return k == DOUBLE ? 8 : k == TFLOAT ? 4 : k == HALF || k == BFLOAT ? 2 : 1;
}

/* Small whole numbers and their bits, written down: 0, 1, 2, 3, 4, then negative. */
static void element(enum kind k, unsigned which, unsigned char *at, double *value)
{
	static const double values[] = { 0, 1, 2, 3, 4, -1, -2, -3 };
	static const uint16_t half[] = { 0, 0x3c00, 0x4000, 0x4200, 0x4400, 0xbc00, 0xc000, 0xc200 };
	static const uint16_t bfloat[] = { 0, 0x3f80, 0x4000, 0x4040, 0x4080, 0xbf80, 0xc000, 0xc040 };
	static const uint8_t e4m3[] = { 0, 0x38, 0x40, 0x44, 0x48, 0xb8, 0xc0, 0xc4 };
	static const uint8_t e5m2[] = { 0, 0x3c, 0x40, 0x42, 0x44, 0xbc, 0xc0, 0xc2 };
	const float f = (float)values[which];
	const double d = values[which];
	const int8_t s = (int8_t)values[which];
	const uint8_t u = (uint8_t)(30 * which);

	*value = k == UBYTE ? u : d;
	switch (k) {
	case HALF: memcpy(at, &half[which], 2); break;
	case BFLOAT: memcpy(at, &bfloat[which], 2); break;
	case TFLOAT: memcpy(at, &f, 4); break;
	case DOUBLE: memcpy(at, &d, 8); break;
	case SBYTE: memcpy(at, &s, 1); break;
	case UBYTE: memcpy(at, &u, 1); break;
	case FP8_E4M3: memcpy(at, &e4m3[which], 1); break;
	case FP8_E5M2: memcpy(at, &e5m2[which], 1); break;
	}
}

#define LANE_BYTES 128u

static unsigned char in[32 * LANE_BYTES], out[32 * LANE_BYTES];
static double a[16][32], b[32][8], c[16][8];
static char body[4000];

static void text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void text(const char *fmt, ...)
{
	const size_t len = strlen(body);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(body + len, sizeof(body) - len, fmt, ap);
	va_end(ap);
}

/* A list of @n registers from @first on: "{%r8,%r9}". */
static void list(bool wide, unsigned first, unsigned n, const char *end)
{
	for (unsigned i = 0; i < n; i++)
		text("%s%%%c%u", i ? "," : "{", wide ? 'd' : 'r', first + i);
	text("}%s", end);
}

/* The body: every lane loads its fragments from its 128 bytes, multiplies, and stores what came out. */
static void make_body(size_t f, unsigned nd)
{
	const bool wide = forms[f].a == DOUBLE;
	const unsigned reg = wide ? 8 : 4, na = forms[f].na * bytes_of(forms[f].a) / reg;
	const unsigned nb = forms[f].nb * bytes_of(forms[f].b) / reg;
	const unsigned first = 20;

	body[0] = '\0';
	text("mul.wide.u32 %%d4, %%r1, 128; add.u64 %%d5, %%d0, %%d4; add.u64 %%d6, %%d1, %%d4; ");
	for (unsigned i = 0; i < na + nb + nd; i++)
		text("ld.global.%s %%%c%u, [%%d5+%u]; ", wide ? "u64" : "u32", wide ? 'd' : 'r', first + i, reg * i);
	text("mma.sync.aligned.%s ", forms[f].form);
	list(wide, 8, nd, ", ");
	list(wide, first, na, ", ");
	list(wide, first + na, nb, ", ");
	list(wide, first + na + nb, nd, "; ");
	for (unsigned i = 0; i < nd; i++)
		text("st.global.%s [%%d6+%u], %%%c%u; ", wide ? "u64" : "u32", reg * i, wide ? 'd' : 'r', 8 + i);
}

static double sum_at(size_t f, const unsigned char *at, unsigned i)
{
	int32_t s;
	float v;
	double d;
	uint16_t h;

	if (forms[f].short_sums) { /* whole numbers below 2048 */
		memcpy(&h, at + 2 * (size_t)i, 2);
		d = h & 0x7c00 ? ldexp(1024 + (h & 0x3ff), (h >> 10 & 31) - 25) : 0;
		return h & 0x8000 ? -d : d;
	}
	if (forms[f].a == DOUBLE) {
		memcpy(&d, at + 8 * (size_t)i, 8);
		return d;
	}
	if (forms[f].a == SBYTE || forms[f].a == UBYTE) {
		memcpy(&s, at + 4 * (size_t)i, 4);
		return s;
	}
	memcpy(&v, at + 4 * (size_t)i, 4);
	return v;
}

/* C's element as the accumulator's type. */
static void put_c(size_t f, unsigned char *at, unsigned i, int which, double *value)
{
	unsigned char unused[8];
	int32_t s;

	if (forms[f].short_sums) {
		element(HALF, (unsigned)which, at + 2 * (size_t)i, value);
	} else if (forms[f].a == DOUBLE) {
		element(DOUBLE, (unsigned)which, at + 8 * (size_t)i, value);
	} else if (forms[f].a == SBYTE || forms[f].a == UBYTE) {
		element(SBYTE, (unsigned)which, unused, value);
		s = (int32_t)*value;
		memcpy(at + 4 * (size_t)i, &s, 4);
	} else {
		element(TFLOAT, (unsigned)which, at + 4 * (size_t)i, value);
	}
}

static unsigned any(void)
{
	static uint32_t state = 1;

	state = state * 1664525u + 1013904223u;
	return state >> 29;
}

START_TEST(fragments_are_the_isas)
{
	const unsigned sums = forms[_i].m / 4, sum_bytes = forms[_i].short_sums ? 2 : forms[_i].a == DOUBLE ? 8 : 4;
	const unsigned reg = forms[_i].a == DOUBLE ? 8 : 4;
	const unsigned at_b = forms[_i].na * bytes_of(forms[_i].a), at_c = at_b + forms[_i].nb * bytes_of(forms[_i].b);
	const struct bc_ptx_run_spec s = {
		.body = body, .in = in, .in_bytes = sizeof(in), .out = out, .out_bytes = sizeof(out)
	};

	for (unsigned l = 0; l < 32; l++) {
		const unsigned g = l / 4, t = l % 4;
		unsigned char *lane = in + (size_t)l * LANE_BYTES;

		for (unsigned i = 0; i < forms[_i].na; i++)
			element(forms[_i].a, any(), lane + i * bytes_of(forms[_i].a),
				&a[forms[_i].row(g, i)][forms[_i].col(t, i)]);
		for (unsigned i = 0; i < forms[_i].nb; i++)
			element(forms[_i].b, any(), lane + at_b + i * bytes_of(forms[_i].b),
				&b[forms[_i].brow(t, i)][g]);
		for (unsigned i = 0; i < sums; i++)
			put_c((size_t)_i, lane + at_c, i, (int)any(), &c[i < 2 ? g : g + 8][2 * t + (i & 1)]);
	}
	make_body((size_t)_i, sums * sum_bytes / reg);
	ck_assert_msg(bc_ptx_run_kernel(&s, NULL, &err) == BC_OK, "%s: %s", forms[_i].form, err.msg);
	for (unsigned l = 0; l < 32; l++)
		for (unsigned i = 0; i < sums; i++) {
			const unsigned row = i < 2 ? l / 4 : l / 4 + 8, column = 2 * (l % 4) + (i & 1);
			double want = c[row][column];

			for (unsigned k = 0; k < forms[_i].k; k++)
				want += a[row][k] * b[k][column];
			ck_assert_msg(sum_at((size_t)_i, out + (size_t)l * LANE_BYTES, i) == want,
				      "%s: lane %u, element %u: %g, not %g", forms[_i].form, l, i,
				      sum_at((size_t)_i, out + (size_t)l * LANE_BYTES, i), want);
		}
}
END_TEST

static const struct {
	const char *body, *message;
} refused[] = {
	{ "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%r8,%r9,%r10,%r11}, {%r4,%r4,%r4,%r4}, {%r4,%r4}, "
	  "{%r4,%r4,%r4,%r4};",
	  "not known" },
	{ "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r8}, {%r4}, {%r4}, {%r4};", "not known" },
	{ "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32 {%r8}, {%r4}, {%r4}, {%r4};", "not known" },
	{ "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r8,%r9}, {%r4,%r4,%r4,%r4}, {%r4,%r4}, "
	  "{%r4,%r4,%r4,%r4};",
	  "the number of registers of a fragment does not fit its shape" },
	{ "mma.sync.aligned.m16n8k8.row.col.satfinite.f32.f16.f16.f32 {%r8,%r9,%r10,%r11}, {%r4,%r4}, {%r4}, "
	  "{%r4,%r4,%r4,%r4};",
	  "not known" },
};

START_TEST(what_is_not_known_is_refused)
{
	const struct bc_ptx_run_spec s = { .body = refused[_i].body };

	ck_assert_int_eq(bc_ptx_run_kernel(&s, NULL, &err), BC_EDATA);
	ck_assert_msg(strstr(err.msg, refused[_i].message) && strstr(err.msg, "test.ptx:9"), "%s", err.msg);
}
END_TEST

/* Sums that leave 32 bits: they wrap, or with .satfinite stop. */
START_TEST(whole_numbers_wrap_or_saturate)
{
	uint32_t got[32] = { 0 };
	char line[400];
	const struct bc_ptx_run_spec s = { .body = line, .out = got, .out_bytes = sizeof(got) };

	(void)snprintf(line, sizeof(line),
		       "mov.u32 %%r4, 0x7f7f7f7f; mov.u32 %%r5, 0x7fffffff; "
		       "mma.sync.aligned.m8n8k16.row.col%s.s32.s8.s8.s32 {%%r8,%%r9}, {%%r4}, {%%r4}, {%%r5,%%r5}; "
		       "st.global.u32 [%%d3], %%r9;",
		       _i ? ".satfinite" : "");
	ck_assert_msg(bc_ptx_run_kernel(&s, NULL, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(got[7], _i ? 0x7fffffffu : 0x7fffffffu + 16u * 127u * 127u);
}
END_TEST

START_TEST(lanes_must_all_be_there)
{
	const struct bc_ptx_run_spec s = { .body = "setp.lt.u32 %p0, %r1, 16; @%p0 "
						   "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r8,%r9}, {%r4}, "
						   "{%r4}, {%r5,%r5};",
					   .launch = { .budget = 1000 } };

	ck_assert_int_eq(bc_ptx_run_kernel(&s, NULL, &err), BC_EDEVICE);
}
END_TEST

Suite *bc_test_ptx_mma(void)
{
	Suite *s = suite_create("ptx_mma");
	TCase *tc = tcase_create("mma");

	tcase_add_loop_test(tc, fragments_are_the_isas, 0, (int)BC_ARRAY_LEN(forms));
	tcase_add_loop_test(tc, what_is_not_known_is_refused, 0, (int)BC_ARRAY_LEN(refused));
	tcase_add_loop_test(tc, whole_numbers_wrap_or_saturate, 0, 2);
	tcase_add_test(tc, lanes_must_all_be_there);
	suite_add_tcase(s, tc);
	return s;
}
