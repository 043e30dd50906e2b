/* SPDX-License-Identifier: MIT */
/* Integer arithmetic and comparisons: every form over many operands, against 128-bit arithmetic. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/base.h"
#include "harness/tests/ptx/ptx_form.h"

Suite *bc_test_ptx_integer(void);

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

static const struct {
	const char *name, *reg;
	unsigned bits;
	bool is_signed;
} types[] = {
	{ "u16", "h", 16, false }, { "s16", "h", 16, true },  { "u32", "r", 32, false },
	{ "s32", "r", 32, true },  { "u64", "d", 64, false }, { "s64", "d", 64, true },
};

/* The number that the low @bits of @v are. */
static wide number(uint64_t v, unsigned bits, bool is_signed)
{
	const uint64_t low = bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v;

	if (is_signed && (low >> (bits - 1) & 1))
		return (wide)low - ((wide)1 << bits);
	return (wide)low;
}

static uint64_t low_bits(wide v, unsigned bits)
{
	return bits < 64 ? (uint64_t)v & (((uint64_t)1 << bits) - 1) : (uint64_t)v;
}

static wide clamp(wide v, unsigned bits, bool is_signed)
{
	const wide most = ((wide)1 << (is_signed ? bits - 1 : bits)) - 1;
	const wide least = is_signed ? -most - 1 : 0;

	return v < least ? least : v > most ? most : v;
}

enum arith {
	ADD,
	SUB,
	MUL_LO,
	MUL_HI,
	MUL_WIDE,
	MAD_LO,
	MAD_HI,
	MAD_WIDE,
	DIV,
	REM,
	MIN,
	MAX,
	ABS,
	NEG,
	SAD,
	MUL24_LO,
	MUL24_HI,
	MAD24_LO,
	MAD24_HI,
};

/* Bits @from and up of the product, as a signed or unsigned number of the type. */
static wide product(const struct bc_ptx_form *f, wide a, wide b, unsigned from)
{
	return f->is_signed ? (a * b) >> from : (wide)(((uwide)a * (uwide)b) >> from);
}

static wide arithmetic(const struct bc_ptx_form *f, wide a, wide b, wide c)
{
	const unsigned n = f->bits;
	const wide a24 = number((uint64_t)a, 24, f->is_signed), b24 = number((uint64_t)b, 24, f->is_signed);

	switch ((enum arith)f->aux) {
	case ADD: return a + b;
	case SUB: return a - b;
	case MUL_LO:
	case MUL_WIDE: return product(f, a, b, 0);
	case MUL_HI: return product(f, a, b, n);
	case MAD_LO: return (wide)((uwide)product(f, a, b, 0) + (uwide)c);
	case MAD_WIDE: return (wide)((uwide)product(f, a, b, 0) + (uwide)c);
	case MAD_HI: return number((uint64_t)product(f, a, b, n), n, f->is_signed) + c;
	case DIV: return b == 0 ? -1 : a / b;
	case REM: return b == 0 ? -1 : a % b;
	case MIN: return a < b ? a : b;
	case MAX: return a > b ? a : b;
	case ABS: return a < 0 ? -a : a;
	case NEG: return -a;
	case SAD: return c + (a < b ? b - a : a - b);
	case MUL24_LO: return a24 * b24;
	case MUL24_HI: return (a24 * b24) >> 16;
	case MAD24_LO: return a24 * b24 + c;
	case MAD24_HI: return number((uint64_t)((a24 * b24) >> 16), 32, f->is_signed) + c;
	}
	return 0;
}

static void want_arithmetic(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const unsigned to = f->to_bits ? f->to_bits : f->bits;
	wide v = arithmetic(f, number(x[0], f->bits, f->is_signed), number(x[1], f->bits, f->is_signed),
			    number(x[2], to, f->is_signed));

	if (f->sat)
		v = clamp(v, f->bits, f->is_signed);
	want[0] = low_bits(v, to);
}

/* One operation for all types that it has; @wide_result: the result (and c) are twice as wide. */
static void check_types(const char *op, const char *args, enum arith aux, unsigned most_bits, bool signed_only,
			bool wide_result)
{
	char name[40], regs[8];

	for (size_t i = 0; i < BC_ARRAY_LEN(types); i++) {
		struct bc_ptx_form f = { .op = name,
					 .args = regs,
					 .want = want_arithmetic,
					 .bits = types[i].bits,
					 .is_signed = types[i].is_signed,
					 .aux = (int)aux };

		if (types[i].bits > most_bits || (signed_only && !types[i].is_signed))
			continue;
		(void)snprintf(name, sizeof(name), "%s.%s", op, types[i].name);
		for (size_t k = 0; k <= strlen(args); k++)
			regs[k] = args[k] == 'w' ? (types[i].bits == 16 ? 'r' : 'd') : args[k] ? types[i].reg[0] : '\0';
		f.to_bits = wide_result ? 2 * types[i].bits : 0;
		bc_ptx_form_check(&f);
	}
}

START_TEST(arithmetic_of_every_type)
{
	check_types("add", "ttt", ADD, 64, false, false);
	check_types("sub", "ttt", SUB, 64, false, false);
	check_types("mul.lo", "ttt", MUL_LO, 64, false, false);
	check_types("mul.hi", "ttt", MUL_HI, 64, false, false);
	check_types("mul.wide", "wtt", MUL_WIDE, 32, false, true);
	check_types("mad.lo", "tttt", MAD_LO, 64, false, false);
	check_types("mad.hi", "tttt", MAD_HI, 64, false, false);
	check_types("mad.wide", "wttw", MAD_WIDE, 32, false, true);
	check_types("div", "ttt", DIV, 64, false, false);
	check_types("rem", "ttt", REM, 64, false, false);
	check_types("min", "ttt", MIN, 64, false, false);
	check_types("max", "ttt", MAX, 64, false, false);
	check_types("abs", "tt", ABS, 64, true, false);
	check_types("neg", "tt", NEG, 64, true, false);
	check_types("sad", "tttt", SAD, 64, false, false);
	bc_ptx_form_done();
}
END_TEST

START_TEST(saturated_and_24_bit_arithmetic)
{
	static const struct bc_ptx_form forms[] = {
		{ .op = "add.sat.s32", .args = "rrr", .aux = ADD, .is_signed = true, .sat = true },
		{ .op = "sub.sat.s32", .args = "rrr", .aux = SUB, .is_signed = true, .sat = true },
		{ .op = "mad.hi.sat.s32", .args = "rrrr", .aux = MAD_HI, .is_signed = true, .sat = true },
		{ .op = "mul24.lo.u32", .args = "rrr", .aux = MUL24_LO },
		{ .op = "mul24.lo.s32", .args = "rrr", .aux = MUL24_LO, .is_signed = true },
		{ .op = "mul24.hi.u32", .args = "rrr", .aux = MUL24_HI },
		{ .op = "mul24.hi.s32", .args = "rrr", .aux = MUL24_HI, .is_signed = true },
		{ .op = "mad24.lo.u32", .args = "rrrr", .aux = MAD24_LO },
		{ .op = "mad24.lo.s32", .args = "rrrr", .aux = MAD24_LO, .is_signed = true },
		{ .op = "mad24.hi.u32", .args = "rrrr", .aux = MAD24_HI },
		{ .op = "mad24.hi.s32", .args = "rrrr", .aux = MAD24_HI, .is_signed = true },
		{ .op = "mad24.hi.sat.s32", .args = "rrrr", .aux = MAD24_HI, .is_signed = true, .sat = true },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++) {
		struct bc_ptx_form f = forms[i];

		f.want = want_arithmetic;
		f.bits = 32;
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

/* Bytes (aux 0) or halfwords (1: .lo, 2: .hi) times bytes; is_signed is of a, to_signed of b. */
static void want_dot(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const bool any_signed = f->is_signed || f->to_signed;
	wide sum = number(x[2], 32, any_signed);

	for (unsigned i = 0; i < (f->aux ? 2u : 4u); i++) {
		const wide a =
			f->aux ? number(x[0] >> (16 * i), 16, f->is_signed) : number(x[0] >> (8 * i), 8, f->is_signed);
		const unsigned at = i + (f->aux == 2 ? 2 : 0);

		sum += a * number(x[1] >> (8 * at), 8, f->to_signed);
	}
	want[0] = low_bits(sum, 32);
}

START_TEST(dot_products)
{
	static const char *const ops[] = { "dp4a", "dp2a.lo", "dp2a.hi" };
	char name[40];

	for (int i = 0; i < 12; i++) {
		const struct bc_ptx_form f = { .op = name,
					       .args = "rrrr",
					       .want = want_dot,
					       .aux = i / 4,
					       .is_signed = i & 1,
					       .to_signed = i & 2 };

		(void)snprintf(name, sizeof(name), "%s.%s.%s", ops[i / 4], i & 1 ? "s32" : "u32",
			       i & 2 ? "s32" : "u32");
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

/* Sums and differences of 128 bits in 32- and 64-bit pieces, carries in and out; products by madc. */
static void want_carry(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const uwide a = (uwide)x[1] << 64 | x[0], b = (uwide)x[3] << 64 | x[2];
	uwide v = 0;

	switch (f->aux) {
	case 0: v = a + b; break;
	case 1: v = a - b; break;
	case 2: v = (uwide)x[0] * x[1]; break;
	case 3: v = (uwide)x[0] * x[1] + b; break;
	default: /* the carry out of a 32-bit sum and difference */
		want[0] = ((x[0] & 0xffffffff) + (x[1] & 0xffffffff)) >> 32;
		want[1] = (x[0] & 0xffffffff) < (x[1] & 0xffffffff) ? 0xffffffff : 0;
		return;
	}
	want[0] = (uint64_t)v;
	want[1] = (uint64_t)(v >> 64);
}

START_TEST(carry_chains)
{
	static const struct bc_ptx_form forms[] = {
		{ .body = "add.cc.u64 %d8, %d4, %d6; addc.u64 %d9, %d5, %d7;", .aux = 0 },
		{ .body = "sub.cc.u64 %d8, %d4, %d6; subc.u64 %d9, %d5, %d7;", .aux = 1 },
		{ .body = "mov.b64 {%r8, %r9}, %d4; mov.b64 {%r10, %r11}, %d5; mov.b64 {%r12, %r13}, %d6;"
			  " mov.b64 {%r14, %r15}, %d7; add.cc.u32 %r8, %r8, %r12; addc.cc.u32 %r9, %r9, %r13;"
			  " addc.cc.s32 %r10, %r10, %r14; addc.u32 %r11, %r11, %r15; mov.b64 %d8, {%r8, %r9};"
			  " mov.b64 %d9, {%r10, %r11};",
		  .aux = 0 },
		{ .body = "mov.b64 {%r8, %r9}, %d4; mov.b64 {%r10, %r11}, %d5; mov.b64 {%r12, %r13}, %d6;"
			  " mov.b64 {%r14, %r15}, %d7; sub.cc.u32 %r8, %r8, %r12; subc.cc.u32 %r9, %r9, %r13;"
			  " subc.cc.s32 %r10, %r10, %r14; subc.u32 %r11, %r11, %r15; mov.b64 %d8, {%r8, %r9};"
			  " mov.b64 %d9, {%r10, %r11};",
		  .aux = 1 },
		{ .body = "mov.b64 {%r8, %r9}, %d4; mov.b64 {%r10, %r11}, %d5;"
			  " mul.lo.u32 %r12, %r8, %r10; mul.hi.u32 %r13, %r8, %r10;"
			  " mad.lo.cc.u32 %r13, %r8, %r11, %r13; madc.hi.u32 %r14, %r8, %r11, 0;"
			  " mad.lo.cc.u32 %r13, %r9, %r10, %r13; madc.hi.cc.u32 %r14, %r9, %r10, %r14; addc.u32 %r15, "
			  "0, 0;"
			  " mad.lo.cc.u32 %r14, %r9, %r11, %r14; madc.hi.u32 %r15, %r9, %r11, %r15;"
			  " mov.b64 %d8, {%r12, %r13}; mov.b64 %d9, {%r14, %r15};",
		  .aux = 2 },
		{ .body = "mad.lo.cc.u64 %d8, %d4, %d5, %d6; madc.hi.u64 %d9, %d4, %d5, %d7;", .aux = 3 },
		{ .body = "add.cc.u32 %r8, %r4, %r5; addc.u32 %r8, 0, 0; cvt.u64.u32 %d8, %r8;"
			  " sub.cc.u32 %r9, %r4, %r5; subc.u32 %r9, 0, 0; cvt.u64.u32 %d9, %r9;",
		  .aux = 4 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++) {
		struct bc_ptx_form f = forms[i];

		f.want = want_carry;
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

/* d = lhs compared with rhs; the order is that of the comparisons' names below. */
static bool compares(int cmp, wide a, wide b)
{
	switch (cmp % 6) {
	case 0: return a == b;
	case 1: return a != b;
	case 2: return a < b;
	case 3: return a <= b;
	case 4: return a > b;
	default: return a >= b;
	}
}

static const char *const comparisons[] = { "eq", "ne", "lt", "le", "gt", "ge", "", "", "lo", "ls", "hi", "hs" };
static const char *const bools[] = { "and", "or", "xor" };

static bool combine(int op, bool a, bool b)
{
	return op == 0 ? a && b : op == 1 ? a || b : a != b;
}

/* mode: 0 plain, 1 p|q, 2..4 p|q with and, or, xor of bit 0 of x[2], 5..7 the same of its complement. */
static void want_setp(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const bool t = compares(f->aux, number(x[0], f->bits, f->is_signed), number(x[1], f->bits, f->is_signed));
	const bool c = (x[2] & 1) != (f->mode >= 5);

	if (f->mode < 2) {
		want[0] = t;
		want[1] = f->mode ? !t : 0;
		return;
	}
	want[0] = combine((f->mode - 2) % 3, t, c);
	want[1] = combine((f->mode - 2) % 3, !t, c);
}

static void check_setp(const char *type, char reg, unsigned bits, bool is_signed, int cmp, int mode)
{
	char body[200], bop[8] = "", c[8] = "";
	const struct bc_ptx_form f = {
		.body = body, .want = want_setp, .bits = bits, .is_signed = is_signed, .aux = cmp, .mode = mode
	};

	if (mode >= 2) {
		(void)snprintf(bop, sizeof(bop), ".%s", bools[(mode - 2) % 3]);
		(void)snprintf(c, sizeof(c), ", %s%%p6", mode >= 5 ? "!" : "");
	}
	(void)snprintf(body, sizeof(body),
		       "setp.ne.u32 %%p9, 0, 0; setp.%s%s.%s %%p8%s, %%%c4, %%%c5%s; selp.u64 %%d8, 1, 0, %%p8;"
		       " selp.u64 %%d9, 1, 0, %%p9;",
		       comparisons[cmp], bop, type, mode ? "|%p9" : "", reg, reg, c);
	bc_ptx_form_check(&f);
}

START_TEST(setp_every_comparison)
{
	static const char *const untyped[] = { "b16", "b32", "b64" };

	for (size_t i = 0; i < BC_ARRAY_LEN(types); i++)
		for (int cmp = 0; cmp < 12; cmp++)
			if ((cmp < 6 || !types[i].is_signed) && *comparisons[cmp])
				check_setp(types[i].name, types[i].reg[0], types[i].bits, types[i].is_signed, cmp,
					   (cmp + (int)i) % 8);
	for (int mode = 0; mode < 8; mode++) {
		check_setp("s32", 'r', 32, true, 2, mode);
		check_setp("u64", 'd', 64, false, 5, mode);
	}
	for (int i = 0; i < 6; i++)
		check_setp(untyped[i / 2], "hrd"[i / 2], 16u << (i / 2), false, i % 2, i);
	bc_ptx_form_done();
}
END_TEST

/* to_bits 1: the result is f32; mode as in want_setp, without 1. */
static void want_set(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	want_setp(f, x, want);
	want[0] = !want[0] ? 0 : f->to_bits == 1 ? 0x3f800000 : 0xffffffff;
	want[1] = 0;
}

START_TEST(set_to_a_register)
{
	static const struct bc_ptx_form sets[] = {
		{ .op = "set.lt.u32.s32", .args = "rrr", .bits = 32, .is_signed = true, .aux = 2 },
		{ .op = "set.eq.s32.u32", .args = "rrr", .bits = 32, .aux = 0 },
		{ .op = "set.hi.f32.u32", .args = "rrr", .bits = 32, .aux = 10, .to_bits = 1 },
		{ .op = "set.ge.u32.s64", .args = "rdd", .bits = 64, .is_signed = true, .aux = 5 },
		{ .op = "set.ne.u32.b16", .args = "rhh", .bits = 16, .aux = 1 },
		{ .op = "set.le.and.u32.s16", .args = "rhhp", .bits = 16, .is_signed = true, .aux = 3, .mode = 2 },
		{ .op = "set.gt.or.f32.s32",
		  .args = "rrrp",
		  .bits = 32,
		  .is_signed = true,
		  .aux = 4,
		  .mode = 3,
		  .to_bits = 1 },
		{ .op = "set.lo.xor.u32.u64", .args = "rddp", .bits = 64, .aux = 8, .mode = 4 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(sets); i++) {
		struct bc_ptx_form f = sets[i];

		f.want = want_set;
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

static void want_selp(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	want[0] = low_bits((wide)(x[2] & 1 ? x[0] : x[1]), f->bits);
}

static void want_slct(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	want[0] = low_bits((wide)(number(x[2], 32, true) >= 0 ? x[0] : x[1]), f->bits);
}

START_TEST(selections)
{
	static const char *const names[] = {
		"b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(names); i++) {
		const char reg = i < 3 ? 'h' : i < 7 ? 'r' : 'd';
		char name[24], regs[8];
		struct bc_ptx_form f = { .op = name, .args = regs, .bits = i < 3 ? 16 : i < 7 ? 32 : 64 };

		(void)snprintf(name, sizeof(name), "selp.%s", names[i]);
		(void)snprintf(regs, sizeof(regs), "%c%c%cp", reg, reg, reg);
		f.want = want_selp;
		bc_ptx_form_check(&f);
		(void)snprintf(name, sizeof(name), "slct.%s.s32", names[i]);
		regs[3] = 'r';
		f.want = want_slct;
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

/* Integer to integer; a narrower source is read from the low bits, a narrower result is extended by its type. */
static void want_cvt(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	wide v = number(x[0], f->bits, f->is_signed);

	if (f->sat)
		v = clamp(v, f->to_bits, f->to_signed);
	v = number((uint64_t)v, f->to_bits, f->to_signed);
	want[0] = low_bits(v, f->to_bits < 32 ? 32 : f->to_bits);
}

START_TEST(conversions_between_integers)
{
	static const char *const names[] = { "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64" };
	char name[32], regs[4];

	for (unsigned i = 0; i < 128; i++) {
		const unsigned to = i & 7, from = i >> 3 & 7;
		const struct bc_ptx_form f = { .op = name,
					       .args = regs,
					       .want = want_cvt,
					       .bits = 8u << (from / 2),
					       .is_signed = from & 1,
					       .to_bits = 8u << (to / 2),
					       .to_signed = to & 1,
					       .sat = i >= 64 };

		(void)snprintf(name, sizeof(name), "cvt%s.%s.%s", f.sat ? ".sat" : "", names[to], names[from]);
		(void)snprintf(regs, sizeof(regs), "%c%c", to < 6 ? 'r' : 'd', from < 6 ? 'r' : 'd');
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

Suite *bc_test_ptx_integer(void)
{
	Suite *s = suite_create("ptx_integer");
	TCase *tc = tcase_create("forms");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, arithmetic_of_every_type);
	tcase_add_test(tc, saturated_and_24_bit_arithmetic);
	tcase_add_test(tc, dot_products);
	tcase_add_test(tc, carry_chains);
	tcase_add_test(tc, setp_every_comparison);
	tcase_add_test(tc, set_to_a_register);
	tcase_add_test(tc, selections);
	tcase_add_test(tc, conversions_between_integers);
	suite_add_tcase(s, tc);
	return s;
}
