/* SPDX-License-Identifier: MIT */
#include "harness/tests/ptx/ptx_form.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/tests/ptx/ptx_run.h"

#define THREADS 2048
#define AWKWARD 32
#define TOLD 10 /* forms named in the message */

static const uint64_t awkward_int[AWKWARD] = {
	0,
	1,
	2,
	3,
	UINT64_MAX,
	UINT64_MAX - 1,
	7,
	31,
	32,
	33,
	63,
	64,
	65,
	0x7f,
	0x80,
	0xff,
	0x100,
	0x7fff,
	0x8000,
	0xffff,
	0x10000,
	0x7fffff,
	0x800000,
	0x7fffffff,
	0x80000000,
	0x80000001,
	0xffffffff,
	0x100000000,
	0x7fffffffffffffff,
	0x8000000000000000,
	0xffffffff80000000,
	0xaaaaaaaaaaaaaaaa,
};
static const uint64_t awkward_f16[AWKWARD] = {
	0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0x0001, 0x8001,
	0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x7bff, 0xfbff, 0x3c01, 0x3bff, 0x3800, 0xb800,
	0x3e00, 0x4100, 0xc100, 0x1000, 0x0200, 0x7800, 0x5bff, 0x0801, 0x1400, 0x5c00,
};
static const uint64_t awkward_bf16[AWKWARD] = {
	0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0x0001, 0x8001,
	0x007f, 0x807f, 0x0080, 0x8080, 0x0081, 0x7f7f, 0xff7f, 0x3f81, 0x3f7f, 0x3f00, 0xbf00,
	0x3fc0, 0x4020, 0xc020, 0x3b80, 0x0040, 0x7f00, 0x1f80, 0x2080, 0x3c00, 0x4300,
};
/* Among them: halves, 2^31, 2^32, 2^63, and the ends and ties of f16 (65504, 65520, 2^-14, 2^-25, 1 + 2^-11). */
static const uint64_t awkward_f32[AWKWARD] = {
	0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
	0x7f800001, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff,
	0xff7fffff, 0x3f800001, 0x3f7fffff, 0x3f000000, 0xbf000000, 0x40200000, 0xbfc00000, 0x4f000000,
	0xcf000000, 0x4f800000, 0x5f000000, 0x477fe000, 0x477ff000, 0x387fffff, 0x33000000, 0x3f801000,
};
/* Among them: halves, 2^31, 2^32 - 1/2, 2^63, 2^64, and the ends and ties of f32. */
static const uint64_t awkward_f64[AWKWARD] = {
	0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
	0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001, 0x0000000000000001,
	0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
	0x7fefffffffffffff, 0xffefffffffffffff, 0x3ff0000000000001, 0x3fefffffffffffff, 0x3fe0000000000000,
	0xbfe0000000000000, 0x4004000000000000, 0xbff8000000000000, 0x41e0000000000000, 0xc1e0000000000001,
	0x41effffffff00000, 0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x47efffffe0000000,
	0x47effffff0000000, 0x3690000000000000,
};

static uint64_t state;
static struct {
	unsigned forms, operands;
	size_t len;
	char text[8000];
} differ;

uint64_t bc_ptx_form_random(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* A number with @fraction bits of fraction and exponent near 1's, of which the last ones are often 0. */
static uint64_t near_one(unsigned fraction, uint64_t bias)
{
	const uint64_t r = bc_ptx_form_random();
	const uint64_t one = (uint64_t)1 << fraction, zeros = bc_ptx_form_random() % (fraction + 1);
	const uint64_t exponent = bias + r % 48 - (bias < 64 ? r % 48 * 6 / 10 + 14 : 30);

	return exponent << fraction | ((r >> 8) & (one - 1) & ~(((uint64_t)1 << zeros) - 1));
}

static uint64_t awkward(enum bc_ptx_values v, uint64_t i)
{
	i %= AWKWARD;
	switch (v) {
	case BC_PTX_INT: return awkward_int[i];
	case BC_PTX_F16: return awkward_f16[i];
	case BC_PTX_F16X2: return awkward_f16[i] << 16 | awkward_f16[(i * 5 + 3) % AWKWARD];
	case BC_PTX_BF16: return awkward_bf16[i];
	case BC_PTX_BF16X2: return awkward_bf16[i] << 16 | awkward_bf16[(i * 5 + 3) % AWKWARD];
	case BC_PTX_F32: return awkward_f32[i];
	case BC_PTX_F64: return awkward_f64[i];
	case BC_PTX_SMALL: return i == 29 ? 255 : i == 30 ? 256 : i == 31 ? UINT64_MAX : i * 7 % 71;
	}
	return 0;
}

static uint64_t shaped(enum bc_ptx_values v)
{
	const uint64_t sign = bc_ptx_form_random() & 1;

	switch (v) {
	case BC_PTX_INT: {
		const uint64_t r = bc_ptx_form_random() >> (bc_ptx_form_random() & 63);

		return sign ? ~r : r;
	}
	case BC_PTX_F16: return near_one(10, 15) | sign << 15;
	case BC_PTX_F16X2: return near_one(10, 15) | sign << 15 | near_one(10, 15) << 16;
	case BC_PTX_BF16: return near_one(7, 127) | sign << 15;
	case BC_PTX_BF16X2: return near_one(7, 127) | sign << 15 | near_one(7, 127) << 16;
	case BC_PTX_F32: return near_one(23, 127) | sign << 31;
	case BC_PTX_F64: return near_one(52, 1023) | sign << 63;
	case BC_PTX_SMALL: return bc_ptx_form_random() % 72;
	}
	return 0;
}

/* The first 1,024 threads pair every awkward value with every other. */
static void fill(const struct bc_ptx_form *f, uint64_t (*x)[4], unsigned n)
{
	state = 1;
	for (const char *s = f->op ? f->op : f->body; *s; s++)
		state = state * 31 + (unsigned char)*s;
	for (unsigned t = 0; t < n; t++) {
		for (unsigned k = 0; k < 4; k++) {
			const uint64_t r = bc_ptx_form_random();
			const enum bc_ptx_values v = f->values[k];

			if (t < AWKWARD * AWKWARD && k < 2)
				x[t][k] = awkward(v, k ? t / AWKWARD : t);
			else if (r & 1)
				x[t][k] = awkward(v, r >> 8);
			else
				x[t][k] = (r & 2) || v == BC_PTX_SMALL ? shaped(v) : bc_ptx_form_random();
		}
	}
	for (unsigned t = 0; f->shape && t < n; t += 32)
		f->shape(x + t);
}

static enum bc_status add_instruction(struct bc_text *t, const struct bc_ptx_form *f, struct bc_error *err)
{
	static const char to_d[][40] = { "cvt.u64.u16 %d8, %h8;", "cvt.u64.u32 %d8, %r8;", "",
					 "selp.u64 %d8, 1, 0, %p8;" };
	static const char classes[] = "hrdp";
	enum bc_status st;

	if (f->body)
		return bc_text_addf(t, err, "%s\n", f->body);
	st = bc_text_addf(t, err, "%s %%%c8", f->op, f->args[0]);
	for (unsigned i = 1; !st && f->args[i]; i++)
		st = bc_text_addf(t, err, ", %%%c%u", f->args[i], i + 3);
	if (!st)
		st = bc_text_addf(t, err, "%s;\n%s\n", f->tail ? f->tail : "",
				  to_d[strchr(classes, f->args[0]) - classes]);
	return st;
}

static enum bc_status add_kernel(struct bc_text *t, const struct bc_ptx_form *f, struct bc_error *err)
{
	enum bc_status st =
		bc_text_addf(t, err,
			     "mad.wide.u32 %%d2, %%r3, 32, %%d0; mad.wide.u32 %%d3, %%r3, 16, %%d1;\n"
			     "ld.global.v2.u64 {%%d4, %%d5}, [%%d2]; ld.global.v2.u64 {%%d6, %%d7}, [%%d2+16];\n"
			     "mov.u64 %%d8, 0; mov.u64 %%d9, 0;\n");

	for (unsigned i = 4; !st && i < 8; i++)
		st = bc_text_addf(t, err,
				  "cvt.u32.u64 %%r%u, %%d%u; cvt.u16.u64 %%h%u, %%d%u;"
				  " and.b32 %%r8, %%r%u, 1; setp.ne.u32 %%p%u, %%r8, 0;\n",
				  i, i, i, i, i, i);
	if (!st)
		st = add_instruction(t, f, err);
	if (!st)
		st = bc_text_addf(t, err, "st.global.v2.u64 [%%d3], {%%d8, %%d9};\n");
	return st;
}

static double f32_of(uint64_t bits)
{
	const uint32_t low = (uint32_t)bits;
	float v;

	memcpy(&v, &low, sizeof(v));
	return (double)v;
}

static double f64_of(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static bool near(const struct bc_ptx_form *f, uint64_t got, uint64_t want)
{
	const double g = f32_of(got), w = f64_of(want);

	if (isnan(w))
		return isnan(g);
	if (isinf(w) || (w == 0 && f->compare == BC_PTX_NEAR))
		return g == w && signbit(g) == signbit(w);
	return fabs(g - w) <= f->tolerance * (f->compare == BC_PTX_NEAR ? fabs(w) : fmax(fabs(w), 1));
}

static bool nan16(uint64_t bits)
{
	return bits <= 0xffff && (bits & 0x7fff) > 0x7c00;
}

static bool same(const struct bc_ptx_form *f, const uint64_t got[2], const uint64_t want[2])
{
	if (got[1] != want[1])
		return false;
	if (want[0] == BC_PTX_OPEN)
		return true;
	switch (f->compare) {
	case BC_PTX_EXACT: break;
	case BC_PTX_NAN16: return got[0] == want[0] || (nan16(got[0]) && nan16(want[0]));
	case BC_PTX_NAN32: return got[0] == want[0] || (isnan(f32_of(got[0])) && isnan(f32_of(want[0])));
	case BC_PTX_NAN64: return got[0] == want[0] || (isnan(f64_of(got[0])) && isnan(f64_of(want[0])));
	case BC_PTX_NEAR:
	case BC_PTX_NEAR_ABS: return near(f, got[0], want[0]);
	}
	return got[0] == want[0];
}

static void tell(const char *format, const char *what, const char *more)
{
	const int n = snprintf(differ.text + differ.len, sizeof(differ.text) - differ.len, format, what, more);

	if (n > 0 && differ.len + (size_t)n < sizeof(differ.text))
		differ.len += (size_t)n;
}

/* Names the form and the first operands that differ. */
static void compare(const struct bc_ptx_form *f, uint64_t (*x)[4], uint64_t (*got)[2], unsigned n)
{
	static uint64_t want[THREADS][2];
	char line[400];
	unsigned bad = 0;

	memset(want, 0, sizeof(want));
	for (unsigned t = 0; t < n; t++) {
		if (f->warp && t % (f->block ? f->block : 32) == 0)
			f->warp(f, x + t, want + t);
		else if (!f->warp)
			f->want(f, (const uint64_t *)x[t], want[t]);
	}
	for (unsigned t = 0; t < n; t++) {
		if (same(f, (const uint64_t *)got[t], (const uint64_t *)want[t]))
			continue;
		if (bad++ > 0)
			continue;
		(void)snprintf(line, sizeof(line),
			       "thread %u: %#" PRIx64 " %#" PRIx64 " %#" PRIx64 " %#" PRIx64 ": got %#" PRIx64
			       " %#" PRIx64 ", want %#" PRIx64 " %#" PRIx64,
			       t, x[t][0], x[t][1], x[t][2], x[t][3], got[t][0], got[t][1], want[t][0], want[t][1]);
	}
	differ.operands += bad;
	if (bad > 0 && differ.forms++ < TOLD)
		tell("%.300s: %s\n", f->op ? f->op : f->body, line);
}

void bc_ptx_form_check(const struct bc_ptx_form *f)
{
	static uint64_t x[THREADS][4], got[THREADS][2];
	const unsigned n = f->threads ? f->threads : THREADS, most = f->block ? f->block : 256;
	const unsigned block = n < most ? n : most;
	struct bc_text body = { 0 };
	struct bc_error err;
	enum bc_status st = add_kernel(&body, f, &err);
	struct bc_ptx_run_spec s = {
		.body = body.data,
		.launch = { .grid = { n / block }, .block = { block }, .shared_bytes = 256 * 8 },
		.in = x,
		.in_bytes = n * sizeof(x[0]),
		.out = got,
		.out_bytes = n * sizeof(got[0]),
		.n = n,
	};

	fill(f, x, n);
	if (!st)
		st = bc_ptx_run_kernel(&s, NULL, &err);
	bc_text_release(&body);
	if (!st)
		compare(f, x, got, n);
	else if (differ.forms++ < TOLD)
		tell("%.300s: %s\n", f->op ? f->op : f->body, err.msg);
}

void bc_ptx_form_done(void)
{
	const unsigned forms = differ.forms, operands = differ.operands;

	differ.forms = 0;
	differ.operands = 0;
	differ.len = 0;
	ck_assert_msg(forms == 0, "%u forms differ, %u operands:\n%s", forms, operands, differ.text);
}
