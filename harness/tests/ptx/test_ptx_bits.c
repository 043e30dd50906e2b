/* SPDX-License-Identifier: MIT */
/* Bit operations: every form over many operands, against a bit-by-bit reading of the PTX ISA. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/base.h"
#include "harness/tests/ptx/ptx_form.h"

Suite *bc_test_ptx_bits(void);

enum bit_op {
	AND,
	OR,
	XOR,
	NOT,
	CNOT,
	SHL,
	SHR,
	BREV,
	CLZ,
	POPC,
	BFIND,
	BFIND_SHIFT,
	BFE,
	BFI,
	SZEXT_CLAMP,
	SZEXT_WRAP,
	BMSK_CLAMP,
	BMSK_WRAP
};

static unsigned bit(uint64_t v, unsigned i)
{
	return (unsigned)(v >> i & 1);
}

static uint64_t mask_of(unsigned bits)
{
	return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

/* The position of the highest bit that differs from the sign (0 when unsigned), -1 when there is none. */
static int find_high(uint64_t a, unsigned bits, bool is_signed)
{
	const unsigned sign = is_signed ? bit(a, bits - 1) : 0;
	int at = (int)bits - 1;

	while (at >= 0 && bit(a, (unsigned)at) == sign)
		at--;
	return at;
}

static uint64_t shifted(uint64_t a, unsigned bits, bool left, bool is_signed, uint32_t by)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bits; i++) {
		const int64_t from = left ? (int64_t)i - by : (int64_t)i + by;

		if (from >= 0 && from < bits)
			v |= (uint64_t)bit(a, (unsigned)from) << i;
		else if (!left && is_signed)
			v |= (uint64_t)bit(a, bits - 1) << i;
	}
	return v;
}

static uint64_t extract(uint64_t a, unsigned bits, bool is_signed, unsigned pos, unsigned len)
{
	const unsigned last = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
	const unsigned fill = is_signed && len > 0 ? bit(a, last) : 0;
	uint64_t v = 0;

	for (unsigned i = 0; i < bits; i++)
		v |= (uint64_t)(i < len && pos + i < bits ? bit(a, pos + i) : fill) << i;
	return v;
}

static uint64_t insert(uint64_t a, uint64_t b, unsigned bits, unsigned pos, unsigned len)
{
	for (unsigned i = 0; i < len && pos + i < bits; i++)
		b = (b & ~((uint64_t)1 << (pos + i))) | (uint64_t)bit(a, i) << (pos + i);
	return b;
}

/* Sign- or zero-extension of the low @n bits of @a; n = 0 gives 0. */
static uint64_t extend(uint64_t a, bool is_signed, uint32_t n, bool wrap)
{
	n = wrap ? n & 31 : n < 32 ? n : 32;
	return extract(a, 32, is_signed, 0, n);
}

static uint64_t bit_mask(uint32_t from, uint32_t count, bool wrap)
{
	uint64_t v = 0;

	from = wrap ? from & 31 : from;
	count = wrap ? count & 31 : count;
	for (uint64_t i = from; i < 32 && i < (uint64_t)from + count; i++)
		v |= (uint64_t)1 << i;
	return v;
}

static uint64_t one(const struct bc_ptx_form *f, uint64_t a, uint64_t b, const uint64_t x[4])
{
	const unsigned n = f->bits;
	uint64_t v = 0;

	switch ((enum bit_op)f->aux) {
	case AND: return a & b;
	case OR: return a | b;
	case XOR: return a ^ b;
	case NOT: return ~a;
	case CNOT: return a == 0;
	case SHL: return shifted(a, n, true, false, (uint32_t)x[1]);
	case SHR: return shifted(a, n, false, f->is_signed, (uint32_t)x[1]);
	case BREV:
		for (unsigned i = 0; i < n; i++)
			v |= (uint64_t)bit(a, i) << (n - 1 - i);
		return v;
	case CLZ: return n - 1 - (unsigned)find_high(a, n, false);
	case POPC:
		for (unsigned i = 0; i < n; i++)
			v += bit(a, i);
		return v;
	case BFIND: return (uint32_t)find_high(a, n, f->is_signed);
	case BFIND_SHIFT:
		return find_high(a, n, f->is_signed) < 0 ? 0xffffffff : n - 1 - (unsigned)find_high(a, n, f->is_signed);
	case BFE: return extract(a, n, f->is_signed, x[1] & 0xff, x[2] & 0xff);
	case BFI: return insert(a, b, n, x[2] & 0xff, x[3] & 0xff);
	case SZEXT_CLAMP: return extend(a, f->is_signed, (uint32_t)x[1], false);
	case SZEXT_WRAP: return extend(a, f->is_signed, (uint32_t)x[1], true);
	case BMSK_CLAMP: return bit_mask((uint32_t)x[0], (uint32_t)x[1], false);
	case BMSK_WRAP: return bit_mask((uint32_t)x[0], (uint32_t)x[1], true);
	}
	return 0;
}

static void want_bits(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const uint64_t m = mask_of(f->bits);

	want[0] = one(f, x[0] & m, x[1] & m, x) & mask_of(f->to_bits ? f->to_bits : f->bits);
}

static void check_all(const struct bc_ptx_form *forms, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct bc_ptx_form f = forms[i];

		f.want = want_bits;
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}

START_TEST(logic)
{
	static const struct bc_ptx_form forms[] = {
		{ .op = "and.b16", .args = "hhh", .bits = 16, .aux = AND },
		{ .op = "and.b32", .args = "rrr", .bits = 32, .aux = AND },
		{ .op = "and.b64", .args = "ddd", .bits = 64, .aux = AND },
		{ .op = "and.pred", .args = "ppp", .bits = 1, .aux = AND },
		{ .op = "or.b16", .args = "hhh", .bits = 16, .aux = OR },
		{ .op = "or.b32", .args = "rrr", .bits = 32, .aux = OR },
		{ .op = "or.b64", .args = "ddd", .bits = 64, .aux = OR },
		{ .op = "or.pred", .args = "ppp", .bits = 1, .aux = OR },
		{ .op = "xor.b16", .args = "hhh", .bits = 16, .aux = XOR },
		{ .op = "xor.b32", .args = "rrr", .bits = 32, .aux = XOR },
		{ .op = "xor.b64", .args = "ddd", .bits = 64, .aux = XOR },
		{ .op = "xor.pred", .args = "ppp", .bits = 1, .aux = XOR },
		{ .op = "not.b16", .args = "hh", .bits = 16, .aux = NOT },
		{ .op = "not.b32", .args = "rr", .bits = 32, .aux = NOT },
		{ .op = "not.b64", .args = "dd", .bits = 64, .aux = NOT },
		{ .op = "not.pred", .args = "pp", .bits = 1, .aux = NOT },
		{ .op = "cnot.b16", .args = "hh", .bits = 16, .aux = CNOT },
		{ .op = "cnot.b32", .args = "rr", .bits = 32, .aux = CNOT },
		{ .op = "cnot.b64", .args = "dd", .bits = 64, .aux = CNOT },
	};

	check_all(forms, BC_ARRAY_LEN(forms));
}
END_TEST

START_TEST(shifts)
{
	static const struct bc_ptx_form forms[] = {
		{ .op = "shl.b16", .args = "hhr", .bits = 16, .aux = SHL },
		{ .op = "shl.b32", .args = "rrr", .bits = 32, .aux = SHL },
		{ .op = "shl.b64", .args = "ddr", .bits = 64, .aux = SHL },
		{ .op = "shr.b16", .args = "hhr", .bits = 16, .aux = SHR },
		{ .op = "shr.u16", .args = "hhr", .bits = 16, .aux = SHR },
		{ .op = "shr.s16", .args = "hhr", .bits = 16, .aux = SHR, .is_signed = true },
		{ .op = "shr.b32", .args = "rrr", .bits = 32, .aux = SHR },
		{ .op = "shr.u32", .args = "rrr", .bits = 32, .aux = SHR },
		{ .op = "shr.s32", .args = "rrr", .bits = 32, .aux = SHR, .is_signed = true },
		{ .op = "shr.b64", .args = "ddr", .bits = 64, .aux = SHR },
		{ .op = "shr.u64", .args = "ddr", .bits = 64, .aux = SHR },
		{ .op = "shr.s64", .args = "ddr", .bits = 64, .aux = SHR, .is_signed = true },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++) {
		struct bc_ptx_form f = forms[i];

		f.want = want_bits;
		bc_ptx_form_check(&f);
		f.values[1] = BC_PTX_SMALL;
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

START_TEST(counts_and_positions)
{
	static const struct bc_ptx_form forms[] = {
		{ .op = "brev.b32", .args = "rr", .bits = 32, .aux = BREV },
		{ .op = "brev.b64", .args = "dd", .bits = 64, .aux = BREV },
		{ .op = "clz.b32", .args = "rr", .bits = 32, .aux = CLZ },
		{ .op = "clz.b64", .args = "rd", .bits = 64, .to_bits = 32, .aux = CLZ },
		{ .op = "popc.b32", .args = "rr", .bits = 32, .aux = POPC },
		{ .op = "popc.b64", .args = "rd", .bits = 64, .to_bits = 32, .aux = POPC },
		{ .op = "bfind.u32", .args = "rr", .bits = 32, .aux = BFIND },
		{ .op = "bfind.s32", .args = "rr", .bits = 32, .aux = BFIND, .is_signed = true },
		{ .op = "bfind.u64", .args = "rd", .bits = 64, .to_bits = 32, .aux = BFIND },
		{ .op = "bfind.s64", .args = "rd", .bits = 64, .to_bits = 32, .aux = BFIND, .is_signed = true },
		{ .op = "bfind.shiftamt.u32", .args = "rr", .bits = 32, .aux = BFIND_SHIFT },
		{ .op = "bfind.shiftamt.s32", .args = "rr", .bits = 32, .aux = BFIND_SHIFT, .is_signed = true },
		{ .op = "bfind.shiftamt.u64", .args = "rd", .bits = 64, .to_bits = 32, .aux = BFIND_SHIFT },
		{ .op = "bfind.shiftamt.s64",
		  .args = "rd",
		  .bits = 64,
		  .to_bits = 32,
		  .aux = BFIND_SHIFT,
		  .is_signed = true },
	};

	check_all(forms, BC_ARRAY_LEN(forms));
}
END_TEST

#define POS_LEN .values = { BC_PTX_INT, BC_PTX_SMALL, BC_PTX_SMALL, BC_PTX_SMALL }
#define TO_POS_LEN .values = { BC_PTX_INT, BC_PTX_INT, BC_PTX_SMALL, BC_PTX_SMALL }

START_TEST(bit_fields)
{
	static const struct bc_ptx_form forms[] = {
		{ .op = "bfe.u32", .args = "rrrr", .bits = 32, .aux = BFE, POS_LEN },
		{ .op = "bfe.s32", .args = "rrrr", .bits = 32, .aux = BFE, .is_signed = true, POS_LEN },
		{ .op = "bfe.u64", .args = "ddrr", .bits = 64, .aux = BFE, POS_LEN },
		{ .op = "bfe.s64", .args = "ddrr", .bits = 64, .aux = BFE, .is_signed = true, POS_LEN },
		{ .op = "bfe.s32", .args = "rrrr", .bits = 32, .aux = BFE, .is_signed = true },
		{ .op = "bfi.b32", .args = "rrrrr", .bits = 32, .aux = BFI, TO_POS_LEN },
		{ .op = "bfi.b64", .args = "dddrr", .bits = 64, .aux = BFI, TO_POS_LEN },
		{ .op = "bfi.b64", .args = "dddrr", .bits = 64, .aux = BFI },
		{ .op = "szext.clamp.u32", .args = "rrr", .bits = 32, .aux = SZEXT_CLAMP, POS_LEN },
		{ .op = "szext.clamp.s32", .args = "rrr", .bits = 32, .aux = SZEXT_CLAMP, .is_signed = true, POS_LEN },
		{ .op = "szext.wrap.u32", .args = "rrr", .bits = 32, .aux = SZEXT_WRAP, POS_LEN },
		{ .op = "szext.wrap.s32", .args = "rrr", .bits = 32, .aux = SZEXT_WRAP, .is_signed = true, POS_LEN },
		{ .op = "bmsk.clamp.b32",
		  .args = "rrr",
		  .bits = 32,
		  .aux = BMSK_CLAMP,
		  .values = { BC_PTX_SMALL, BC_PTX_SMALL } },
		{ .op = "bmsk.wrap.b32",
		  .args = "rrr",
		  .bits = 32,
		  .aux = BMSK_WRAP,
		  .values = { BC_PTX_SMALL, BC_PTX_SMALL } },
	};

	check_all(forms, BC_ARRAY_LEN(forms));
}
END_TEST

static const char *const prmt_modes[] = { "", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16" };

static void want_prmt(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	static const unsigned clamp_left[4][4] = { { 0, 1, 2, 3 }, { 1, 1, 2, 3 }, { 2, 2, 2, 3 }, { 3, 3, 3, 3 } };
	static const unsigned clamp_right[4][4] = { { 0, 0, 0, 0 }, { 0, 1, 1, 1 }, { 0, 1, 2, 2 }, { 0, 1, 2, 3 } };
	const uint64_t bytes = (x[0] & 0xffffffff) | x[1] << 32;
	const unsigned sel = x[2] & 3;

	for (unsigned i = 0; i < 4; i++) {
		const unsigned nibble = (unsigned)(x[2] >> (4 * i)) & 15;
		const unsigned from[] = { nibble & 7,
					  sel + i,
					  (8 + sel - i) & 7,
					  sel,
					  clamp_left[sel][i],
					  clamp_right[sel][i],
					  (sel & 1) * 2 + (i & 1) };
		uint64_t b = bytes >> (8 * from[f->aux]) & 0xff;

		if (f->aux == 0 && (nibble & 8))
			b = b & 0x80 ? 0xff : 0;
		want[0] |= b << (8 * i);
	}
}

START_TEST(prmt_every_mode)
{
	char name[24];

	for (int i = 0; i < (int)BC_ARRAY_LEN(prmt_modes); i++) {
		const struct bc_ptx_form f = { .op = name, .args = "rrrr", .want = want_prmt, .aux = i };

		(void)snprintf(name, sizeof(name), "prmt.b32%s", prmt_modes[i]);
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

static void want_lop3(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	for (unsigned i = 0; i < 32; i++) {
		const unsigned row = bit(x[0], i) << 2 | bit(x[1], i) << 1 | bit(x[2], i);

		want[0] |= (uint64_t)bit((uint64_t)f->aux, row) << i;
	}
}

START_TEST(lop3_every_table)
{
	char tail[16];

	for (int i = 0; i < 256; i++) {
		const struct bc_ptx_form f = {
			.op = "lop3.b32", .args = "rrrr", .tail = tail, .want = want_lop3, .aux = i, .threads = 128
		};

		(void)snprintf(tail, sizeof(tail), ", %d", i);
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

/* aux: 0 l.clamp, 1 l.wrap, 2 r.clamp, 3 r.wrap */
static void want_shf(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const uint64_t both = (x[0] & 0xffffffff) | x[1] << 32;
	const uint32_t by = f->aux & 1 ? x[2] & 31 : (uint32_t)x[2] < 32 ? (uint32_t)x[2] : 32;

	want[0] = f->aux < 2 ? both << by >> 32 : both >> by & 0xffffffff;
}

START_TEST(funnel_shifts)
{
	static const char *const ops[] = { "shf.l.clamp.b32", "shf.l.wrap.b32", "shf.r.clamp.b32", "shf.r.wrap.b32" };

	for (int i = 0; i < 8; i++) {
		const struct bc_ptx_form f = {
			.op = ops[i / 2],
			.args = "rrrr",
			.want = want_shf,
			.aux = i / 2,
			.values = { BC_PTX_INT, BC_PTX_INT, i & 1 ? BC_PTX_SMALL : BC_PTX_INT },
		};

		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

static void want_halves(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	(void)f;
	want[0] = (x[0] & 0xffff) << 48 | (x[1] & 0xffff) << 32 | (x[0] >> 16 & 0xffff) << 16 | (x[0] >> 48);
	want[1] = (x[2] & 0xffffffff) << 32 | x[2] >> 32;
}

START_TEST(packing_moves)
{
	const struct bc_ptx_form f = {
		.body = "mov.b32 {%h8, %h9}, %r4; mov.b64 {%h10, %h11, %h12, %h13}, %d4; mov.b32 {%h14, %h15}, %r5;"
			" mov.b64 %d8, {%h13, %h9, %h14, %h8}; mov.b64 {%r8, %r9}, %d6; mov.b64 %d9, {%r9, %r8};",
		.want = want_halves,
	};

	bc_ptx_form_check(&f);
	bc_ptx_form_done();
}
END_TEST

Suite *bc_test_ptx_bits(void)
{
	Suite *s = suite_create("ptx_bits");
	TCase *tc = tcase_create("forms");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, logic);
	tcase_add_test(tc, shifts);
	tcase_add_test(tc, counts_and_positions);
	tcase_add_test(tc, bit_fields);
	tcase_add_test(tc, prmt_every_mode);
	tcase_add_test(tc, lop3_every_table);
	tcase_add_test(tc, funnel_shifts);
	tcase_add_test(tc, packing_moves);
	suite_add_tcase(s, tc);
	return s;
}
