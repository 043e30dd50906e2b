/* SPDX-License-Identifier: MIT */
/* Exchange between the lanes of a warp over random masks of lanes, and atomic operations. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/base.h"
#include "harness/tests/ptx/ptx_form.h"
#include "harness/tests/ptx/soft_float.h"

Suite *bc_test_ptx_warp(void);

/* ---------------------------------------------------------------- shfl, vote, match, redux */

#define OUTSIDE 0xdead /* result of lanes outside the mask */

/* Lanes of the mask %r7 execute the instruction, the others jump over it. */
#define IN_MASK(instruction)                                                                                \
	"mov.u32 %r10, %laneid; mov.u32 %r11, 1; shl.b32 %r11, %r11, %r10; and.b32 %r11, %r11, %r7;"        \
	" setp.eq.u32 %p8, %r11, 0; setp.ne.u32 %p9, 0, 0; mov.u32 %r8, 0xdead; @%p8 bra OUT; " instruction \
	" OUT: cvt.u64.u32 %d8, %r8; selp.u64 %d9, 1, 0, %p9;"

/* x[3]: a mask, the same in all lanes. x[0] is drawn from few values, in every third warp from one or two. */
static void masks(uint64_t (*x)[4])
{
	const uint64_t r = bc_ptx_form_random(), kind = r >> 32 & 7, few = r >> 40 & 3;
	uint64_t mask = r & 0xffffffff;

	if (kind < 2)
		mask = 0xffffffff;
	else if (kind == 2)
		mask = (uint64_t)1 << (r & 31);
	else if (kind == 3)
		mask = 0x55555555;
	for (unsigned t = 0; t < 32; t++) {
		x[t][3] = mask ? mask : 1;
		if (few == 0)
			x[t][0] = r;
		else if (few == 1)
			x[t][0] = x[t & 3][0];
		else if (few == 2)
			x[t][0] = t == (r >> 45 & 31) ? ~r : r;
	}
}

/* aux: up, down, bfly, idx */
static void want_shfl(const struct bc_ptx_form *f, uint64_t (*x)[4], uint64_t (*want)[2])
{
	const uint32_t mask = (uint32_t)x[0][3];

	for (int lane = 0; lane < 32; lane++) {
		const int b = x[lane][1] & 31, c = x[lane][2] & 31, seg = x[lane][2] >> 8 & 31;
		const int most = (lane & seg) | (c & ~seg & 31), least = lane & seg;
		const int from[] = { lane - b, lane + b, lane ^ b, least | (b & ~seg & 31) };
		int j = from[f->aux];
		const bool p = f->aux == 0 ? j >= most : j <= most;

		want[lane][0] = OUTSIDE;
		if (!(mask >> lane & 1))
			continue;
		j = p ? j : lane;
		want[lane][0] = mask >> j & 1 ? x[j][0] & 0xffffffff : BC_PTX_OPEN;
		want[lane][1] = p;
	}
}

enum warp_op { ALL, ANY, UNI, BALLOT, MATCH_ANY, MATCH_ALL, ADD, MIN, MAX, AND, OR, XOR };

static int64_t value(const struct bc_ptx_form *f, uint64_t v)
{
	return f->is_signed ? (int64_t)(int32_t)(uint32_t)v : (int64_t)(uint32_t)v;
}

static uint64_t redux(const struct bc_ptx_form *f, uint64_t (*x)[4], uint32_t mask)
{
	bool first = true;
	int64_t r = 0;

	for (unsigned t = 0; t < 32; t++) {
		const int64_t v = value(f, x[t][0]);

		if (!(mask >> t & 1))
			continue;
		if (first)
			r = v;
		else if (f->aux == ADD)
			r += v;
		else if (f->aux == MIN)
			r = v < r ? v : r;
		else if (f->aux == MAX)
			r = v > r ? v : r;
		else
			r = f->aux == AND ? r & v : f->aux == OR ? r | v : r ^ v;
		first = false;
	}
	return (uint32_t)r;
}

/* Lanes of the mask whose x[0] is that of @lane. */
static uint32_t alike(const struct bc_ptx_form *f, uint64_t (*x)[4], uint32_t mask, unsigned lane)
{
	const uint64_t bits = f->bits < 64 ? ((uint64_t)1 << f->bits) - 1 : UINT64_MAX;
	uint32_t r = 0;

	for (unsigned t = 0; t < 32; t++)
		if ((mask >> t & 1) && ((x[t][0] ^ x[lane][0]) & bits) == 0)
			r |= 1u << t;
	return r;
}

/* mode 1: the predicate is complemented */
static void want_warp(const struct bc_ptx_form *f, uint64_t (*x)[4], uint64_t (*want)[2])
{
	const uint32_t mask = (uint32_t)x[0][3];
	uint32_t ballot = 0;

	for (unsigned t = 0; t < 32; t++)
		ballot |= (uint32_t)((x[t][0] ^ (uint64_t)f->mode) & 1) << t;
	ballot &= mask;
	for (unsigned t = 0; t < 32; t++) {
		want[t][0] = OUTSIDE;
		if (!(mask >> t & 1))
			continue;
		switch ((enum warp_op)f->aux) {
		case ALL: want[t][1] = ballot == mask; break;
		case ANY: want[t][1] = ballot != 0; break;
		case UNI: want[t][1] = ballot == mask || ballot == 0; break;
		case BALLOT: want[t][0] = ballot; break;
		case MATCH_ANY: want[t][0] = alike(f, x, mask, t); break;
		case MATCH_ALL:
			want[t][1] = alike(f, x, mask, t) == mask;
			want[t][0] = want[t][1] ? mask : 0;
			break;
		default: want[t][0] = redux(f, x, mask); break;
		}
	}
}

START_TEST(exchange_between_lanes)
{
	static const struct bc_ptx_form forms[] = {
		{ .body = IN_MASK("shfl.sync.up.b32 %r8|%p9, %r4, %r5, %r6, %r7;"), .warp = want_shfl, .aux = 0 },
		{ .body = IN_MASK("shfl.sync.down.b32 %r8|%p9, %r4, %r5, %r6, %r7;"), .warp = want_shfl, .aux = 1 },
		{ .body = IN_MASK("shfl.sync.bfly.b32 %r8|%p9, %r4, %r5, %r6, %r7;"), .warp = want_shfl, .aux = 2 },
		{ .body = IN_MASK("shfl.sync.idx.b32 %r8|%p9, %r4, %r5, %r6, %r7;"), .warp = want_shfl, .aux = 3 },
		{ .body = IN_MASK("vote.sync.all.pred %p9, %p4, %r7;"), .aux = ALL },
		{ .body = IN_MASK("vote.sync.any.pred %p9, %p4, %r7;"), .aux = ANY },
		{ .body = IN_MASK("vote.sync.uni.pred %p9, %p4, %r7;"), .aux = UNI },
		{ .body = IN_MASK("vote.sync.ballot.b32 %r8, %p4, %r7;"), .aux = BALLOT },
		{ .body = IN_MASK("vote.sync.all.pred %p9, !%p4, %r7;"), .aux = ALL, .mode = 1 },
		{ .body = IN_MASK("vote.sync.ballot.b32 %r8, !%p4, %r7;"), .aux = BALLOT, .mode = 1 },
		{ .body = IN_MASK("match.any.sync.b32 %r8, %r4, %r7;"), .aux = MATCH_ANY, .bits = 32 },
		{ .body = IN_MASK("match.any.sync.b64 %r8, %d4, %r7;"), .aux = MATCH_ANY, .bits = 64 },
		{ .body = IN_MASK("match.all.sync.b32 %r8|%p9, %r4, %r7;"), .aux = MATCH_ALL, .bits = 32 },
		{ .body = IN_MASK("match.all.sync.b64 %r8|%p9, %d4, %r7;"), .aux = MATCH_ALL, .bits = 64 },
		{ .body = IN_MASK("redux.sync.add.u32 %r8, %r4, %r7;"), .aux = ADD },
		{ .body = IN_MASK("redux.sync.add.s32 %r8, %r4, %r7;"), .aux = ADD, .is_signed = true },
		{ .body = IN_MASK("redux.sync.min.u32 %r8, %r4, %r7;"), .aux = MIN },
		{ .body = IN_MASK("redux.sync.min.s32 %r8, %r4, %r7;"), .aux = MIN, .is_signed = true },
		{ .body = IN_MASK("redux.sync.max.u32 %r8, %r4, %r7;"), .aux = MAX },
		{ .body = IN_MASK("redux.sync.max.s32 %r8, %r4, %r7;"), .aux = MAX, .is_signed = true },
		{ .body = IN_MASK("redux.sync.and.b32 %r8, %r4, %r7;"), .aux = AND },
		{ .body = IN_MASK("redux.sync.or.b32 %r8, %r4, %r7;"), .aux = OR },
		{ .body = IN_MASK("redux.sync.xor.b32 %r8, %r4, %r7;"), .aux = XOR },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++) {
		struct bc_ptx_form f = forms[i];

		f.warp = f.warp ? f.warp : want_warp;
		f.shape = masks;
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

/* ---------------------------------------------------------------- reductions at a barrier */

/* aux: ALL, ANY or BALLOT, here the count; mode 1: the predicate is complemented. */
static void want_barrier(const struct bc_ptx_form *f, uint64_t (*x)[4], uint64_t (*want)[2])
{
	unsigned set = 0;

	for (unsigned t = 0; t < f->block; t++)
		set += (x[t][0] ^ (uint64_t)f->mode) & 1;
	for (unsigned t = 0; t < f->block; t++)
		want[t][0] = f->aux == BALLOT ? set : f->aux == ALL ? set == f->block : set > 0;
}

START_TEST(reductions_at_a_barrier)
{
	static const struct bc_ptx_form forms[] = {
		{ .body = "bar.red.popc.u32 %r8, 0, %p4; cvt.u64.u32 %d8, %r8;", .aux = BALLOT },
		{ .body = "bar.red.popc.u32 %r8, 1, !%p4; cvt.u64.u32 %d8, %r8;", .aux = BALLOT, .mode = 1 },
		{ .body = "bar.red.and.pred %p8, 0, %p4; selp.u64 %d8, 1, 0, %p8;", .aux = ALL },
		{ .body = "bar.red.or.pred %p8, 0, %p4; selp.u64 %d8, 1, 0, %p8;", .aux = ANY },
		{ .body = "bar.red.or.pred %p8, 3, !%p4; selp.u64 %d8, 1, 0, %p8;", .aux = ANY, .mode = 1 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++) {
		for (unsigned block = 32; block <= 256; block *= 2) {
			struct bc_ptx_form f = forms[i];

			f.warp = want_barrier;
			f.shape = masks;
			f.block = block;
			bc_ptx_form_check(&f);
		}
	}
	bc_ptx_form_done();
}
END_TEST

/* ---------------------------------------------------------------- atomics */

enum atom_op { A_ADD, A_MIN, A_MAX, A_INC, A_DEC, A_EXCH, A_CAS, A_AND, A_OR, A_XOR };

static const struct {
	const char *name, *type;
	enum atom_op op;
	unsigned bits;
	bool is_signed;
	int format; /* of floating-point numbers, else -1 */
} atoms[] = {
	{ "add", "u32", A_ADD, 32, false, -1 },
	{ "add", "s32", A_ADD, 32, true, -1 },
	{ "add", "u64", A_ADD, 64, false, -1 },
	{ "min", "u32", A_MIN, 32, false, -1 },
	{ "min", "s32", A_MIN, 32, true, -1 },
	{ "min", "u64", A_MIN, 64, false, -1 },
	{ "min", "s64", A_MIN, 64, true, -1 },
	{ "max", "u32", A_MAX, 32, false, -1 },
	{ "max", "s32", A_MAX, 32, true, -1 },
	{ "max", "u64", A_MAX, 64, false, -1 },
	{ "max", "s64", A_MAX, 64, true, -1 },
	{ "inc", "u32", A_INC, 32, false, -1 },
	{ "dec", "u32", A_DEC, 32, false, -1 },
	{ "exch", "b32", A_EXCH, 32, false, -1 },
	{ "exch", "b64", A_EXCH, 64, false, -1 },
	{ "cas", "b32", A_CAS, 32, false, -1 },
	{ "cas", "b64", A_CAS, 64, false, -1 },
	{ "and", "b32", A_AND, 32, false, -1 },
	{ "and", "b64", A_AND, 64, false, -1 },
	{ "or", "b32", A_OR, 32, false, -1 },
	{ "or", "b64", A_OR, 64, false, -1 },
	{ "xor", "b32", A_XOR, 32, false, -1 },
	{ "xor", "b64", A_XOR, 64, false, -1 },
	{ "add", "f32", A_ADD, 32, false, BC_SOFT_F32 },
	{ "add.noftz", "f16x2", A_ADD, 32, false, BC_SOFT_F16 },
	{ "add", "f64", A_ADD, 64, false, BC_SOFT_F64 },
	{ "add.noftz", "bf16x2", A_ADD, 32, false, BC_SOFT_BF16 },
};

static uint64_t low_bits(uint64_t v, unsigned bits)
{
	return bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v;
}

/* f32 sums are flushed in global memory, and not in shared memory. */
static uint64_t float_sum(const struct bc_ptx_form *f, uint64_t a, uint64_t b)
{
	const struct bc_soft *s = &bc_soft[atoms[f->aux].format];

	a = low_bits(f->ftz ? bc_soft_flush(s, a) : a, s->bits);
	b = low_bits(f->ftz ? bc_soft_flush(s, b) : b, s->bits);
	return bc_soft_round(s, bc_soft_add(bc_soft_value(s, a), bc_soft_value(s, b), BC_SOFT_RN), BC_SOFT_RN, f->ftz);
}

static uint64_t double_sum(uint64_t a, uint64_t b)
{
	double va, vb;

	memcpy(&va, &a, sizeof(va));
	memcpy(&vb, &b, sizeof(vb));
	va += vb;
	memcpy(&a, &va, sizeof(a));
	return a;
}

static bool below(const struct bc_ptx_form *f, uint64_t a, uint64_t b)
{
	const uint64_t flip = atoms[f->aux].is_signed ? (uint64_t)1 << (atoms[f->aux].bits - 1) : 0;

	return (a ^ flip) < (b ^ flip);
}

static uint64_t updated(const struct bc_ptx_form *f, uint64_t old, uint64_t b, uint64_t c)
{
	if (atoms[f->aux].format == BC_SOFT_F64)
		return double_sum(old, b);
	if (atoms[f->aux].format == BC_SOFT_F32)
		return float_sum(f, old, b);
	if (atoms[f->aux].format >= 0)
		return float_sum(f, old & 0xffff, b & 0xffff) | float_sum(f, old >> 16, b >> 16) << 16;
	switch (atoms[f->aux].op) {
	case A_ADD: return old + b;
	case A_MIN: return below(f, b, old) ? b : old;
	case A_MAX: return below(f, old, b) ? b : old;
	case A_INC: return old >= b ? 0 : old + 1;
	case A_DEC: return old == 0 || old > b ? b : old - 1;
	case A_EXCH: return b;
	case A_CAS: return old == b ? c : old;
	case A_AND: return old & b;
	case A_OR: return old | b;
	case A_XOR: return old ^ b;
	}
	return 0;
}

/* mode 1: red, which gives no old value */
static void want_atom(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2])
{
	const unsigned n = atoms[f->aux].bits;
	const uint64_t old = low_bits(x[0], n);

	want[0] = f->mode ? 0 : old;
	want[1] = low_bits(updated(f, old, low_bits(x[1], n), low_bits(x[2], n)), n);
}

static void often_equal(uint64_t (*x)[4])
{
	for (unsigned t = 0; t < 32; t++)
		x[t][1] = bc_ptx_form_random() & 1 ? x[t][0] : x[t][1];
}

/* For f64, whose NaN results are open. */
static void no_nan(uint64_t (*x)[4])
{
	for (unsigned t = 0; t < 32; t++)
		for (unsigned i = 0; i < 2; i++)
			x[t][i] &= 0xbfffffffffffffff;
}

static enum bc_ptx_values values_of(int format)
{
	static const enum bc_ptx_values values[BC_SOFT_FORMATS] = {
		[BC_SOFT_F16] = BC_PTX_F16X2,
		[BC_SOFT_BF16] = BC_PTX_BF16X2,
		[BC_SOFT_F32] = BC_PTX_F32,
		[BC_SOFT_F64] = BC_PTX_F64,
	};

	return format < 0 ? BC_PTX_INT : values[format];
}

/* On 8 bytes of the thread's own, in global or shared memory, with or without the space's name. */
static void check_atom(size_t k, bool shared, bool generic, bool red)
{
	const bool wide = atoms[k].bits == 64, cas = atoms[k].op == A_CAS;
	const char reg = wide ? 'd' : 'r';
	const char *space = generic ? "" : shared ? ".shared" : ".global";
	char body[600], update[100];
	struct bc_ptx_form f = { .body = body, .want = want_atom, .aux = (int)k, .mode = red };

	f.ftz = atoms[k].format == BC_SOFT_F32 && !shared;
	f.shape = cas ? often_equal : atoms[k].format == BC_SOFT_F64 ? no_nan : NULL;
	f.values[0] = f.values[1] = values_of(atoms[k].format);
	if (red)
		(void)snprintf(update, sizeof(update), "red%s.%s.%s [%%d10], %%%c5;", space, atoms[k].name,
			       atoms[k].type, reg);
	else
		(void)snprintf(update, sizeof(update), "atom%s.%s.%s %%%c8, [%%d10], %%%c5%s;", space, atoms[k].name,
			       atoms[k].type, reg, reg,
			       !cas   ? ""
			       : wide ? ", %d6"
				      : ", %r6");
	(void)snprintf(body, sizeof(body), "mov.u32 %%r8, 0; %s%s %s ld%s.b%u %%%c9, [%%d10];%s",
		       shared ? "mad.lo.u32 %r10, %r1, 8, %r2; st.shared.u64 [%r10], %d4; cvt.u64.u32 %d10, %r10;"
			      : "mov.u64 %d10, %d2;",
		       shared && generic ? " cvta.shared.u64 %d10, %d10;" : "", update, space, atoms[k].bits, reg,
		       wide ? "" : " cvt.u64.u32 %d8, %r8; cvt.u64.u32 %d9, %r9;");
	bc_ptx_form_check(&f);
}

START_TEST(atomics_on_a_word_of_ones_own)
{
	for (size_t k = 0; k < BC_ARRAY_LEN(atoms); k++) {
		for (int i = 0; i < 4; i++) {
			check_atom(k, i & 1, i & 2, false);
			if (atoms[k].op != A_EXCH && atoms[k].op != A_CAS)
				check_atom(k, i & 1, i & 2, true);
		}
	}
	bc_ptx_form_done();
}
END_TEST

/* All lanes of a warp update the first lane's operand; what is left does not depend on their order. */
static void want_contended(const struct bc_ptx_form *f, uint64_t (*x)[4], uint64_t (*want)[2])
{
	const unsigned n = atoms[f->aux].bits;
	uint64_t v = low_bits(x[0][0], n);

	for (unsigned t = 0; t < 32; t++)
		v = low_bits(updated(f, v, low_bits(x[t][1], n), 0), n);
	for (unsigned t = 0; t < 32; t++)
		want[t][1] = v;
}

static void same_operand(uint64_t (*x)[4])
{
	for (unsigned t = 1; t < 32; t++)
		x[t][1] = x[0][1];
}

START_TEST(atomics_on_one_word)
{
	char body[400];

	for (size_t k = 0; k < BC_ARRAY_LEN(atoms); k++) {
		const char reg = atoms[k].bits == 64 ? 'd' : 'r';
		const bool counts = atoms[k].op == A_INC || atoms[k].op == A_DEC;
		const struct bc_ptx_form f = {
			.body = body, .warp = want_contended, .aux = (int)k, .shape = counts ? same_operand : NULL
		};

		if (atoms[k].op == A_EXCH || atoms[k].op == A_CAS || atoms[k].format >= 0)
			continue;
		(void)snprintf(body, sizeof(body),
			       "and.b32 %%r10, %%r3, 0xffffffe0; mad.wide.u32 %%d10, %%r10, 32, %%d0;"
			       " atom.global.%s.%s %%%c11, [%%d10], %%%c5; bar.warp.sync 0xffffffff;"
			       " ld.global.b%u %%%c9, [%%d10]; %s",
			       atoms[k].name, atoms[k].type, reg, reg, atoms[k].bits, reg,
			       reg == 'r' ? "cvt.u64.u32 %d9, %r9;" : "");
		bc_ptx_form_check(&f);
	}
	bc_ptx_form_done();
}
END_TEST

Suite *bc_test_ptx_warp(void)
{
	Suite *s = suite_create("ptx_warp");
	TCase *tc = tcase_create("forms");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, exchange_between_lanes);
	tcase_add_test(tc, reductions_at_a_barrier);
	tcase_add_test(tc, atomics_on_a_word_of_ones_own);
	tcase_add_test(tc, atomics_on_one_word);
	suite_add_tcase(s, tc);
	return s;
}
