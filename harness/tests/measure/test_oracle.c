/* SPDX-License-Identifier: MIT */
/* harness/tests/measure/test_oracle.c - what atomics, matrix loads and stores, copies and generic accesses must have
 * done. */
#include "harness/measure/launch.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/measure/operation.h"
#include "harness/measure/oracle.h"
#include "harness/measure/oracle_atom.h"
#include "harness/tests/measure/fake_device.h"
#include "harness/tests/measure/launch_fixture.h"

Suite *bc_test_oracle(void);

#define ALL UINT32_MAX
#define PARAM(field) offsetof(struct bc_pattern_params, field)

/* Where the dump is: beside the results of operations that have both. */
static uint32_t *dump(void)
{
	return bc_made.dump ? bc_made.dump : bc_made.out;
}

/* The word of the dump at @offset of the window. */
static uint32_t *dumped(uint32_t offset)
{
	for (uint32_t i = 0; i < bc_made.nlines; i++)
		if (bc_made.lines[i] == offset / BC_LINE_BYTES)
			return dump() + i * BC_LINE_WORDS + offset % BC_LINE_BYTES / 4;
	ck_abort_msg("offset 0x%x is not in the dump", offset);
	return NULL;
}

static uint32_t float_bits(uint32_t whole)
{
	const float x = (float)whole;
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* The word that the kernels fill memory with. */
static uint32_t filled(uint32_t offset)
{
	if (bc_made.pattern.op == BC_OP_ADDF32 || bc_made.pattern.op == BC_OP_REDF32)
		return float_bits(bc_fill_word(offset, bc_made.seed) & 0xffff);
	return bc_fill_word(offset, bc_made.seed);
}

static void dump_filled(void)
{
	for (uint32_t i = 0; i < bc_made.nlines * BC_LINE_WORDS; i++)
		dump()[i] = filled(bc_made.lines[i / BC_LINE_WORDS] * BC_LINE_BYTES + i % BC_LINE_WORDS * 4);
}

/* --- what stores leave ------------------------------------------------------------------------------------------ */

/* Two requests, the second a word further on: of the words that both write, the second one's lane is the writer. */
START_TEST(the_last_request_is_the_writer)
{
	static const struct {
		const char *what;
		uint32_t request,
			lane; /* whose word stands where lane 5 of the first, lane 4 of the second request stores */
		bool right;
	} rows[] = {
		{ "the second request's lane", 1, 4, true },
		{ "the first request's lane: the second store is lost", 0, 5, false },
		{ "the lane of the first request, with what it stores a word further on", 1, 5, false },
		{ "the lane of the second request, with what it stored a word before", 0, 4, false },
	};
	const struct bc_pattern p = bc_made_strided(BC_OP_ST32, ALL, 256, 4, 2, 4);

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		bc_make(&p, 0);
		dump_filled();
		for (uint32_t k = 0; k < 2; k++)
			for (uint32_t lane = 0; lane < BC_LANES; lane++)
				*dumped(256 + 4 * (lane + k)) = bc_store_word(k, lane, 0, bc_made.seed);
		*dumped(256 + 4 * 5) = bc_store_word(rows[i].request, rows[i].lane, 0, bc_made.seed);
		ck_assert_msg(bc_made_accepted() == rows[i].right, "%s: %s", rows[i].what, bc_made_detail);
		if (!rows[i].right)
			ck_assert_msg(strstr(bc_made_detail, "the lanes 0x00000010 stored there whole in request 1"),
				      "%s", bc_made_detail);
	}
}
END_TEST

/* --- what an atomic does --------------------------------------------------------------------------------------- */

static const struct {
	enum bc_op op;
	uint64_t state, x, y, want;
} applied[] = {
	{ BC_OP_ATOM32, 5, 7, 0, 12 },
	{ BC_OP_ATOM32, 0xffffffff, 2, 0, 1 },
	{ BC_OP_RED32, 0xffffffff, 1, 0, 0 },
	{ BC_OP_REDV32, 0x80000000, 0x80000001, 0, 1 },
	{ BC_OP_ADD64, 0xffffffff, 1, 0, UINT64_C(0x100000000) },
	{ BC_OP_ADD64, UINT64_MAX, 1, 0, 0 },
	{ BC_OP_RED64, UINT64_C(0x1ffffffff), 1, 0, UINT64_C(0x200000000) },
	{ BC_OP_ADDF32, 0x3f800000, 0x40000000, 0, 0x40400000 }, /* 1 + 2 = 3 */
	{ BC_OP_REDF32, 0x41200000, 0x3f000000, 0, 0x41280000 }, /* 10 + 0.5 */
	{ BC_OP_MAX32, 0x80000000, 1, 0, 0x80000000 },		 /* unsigned */
	{ BC_OP_MAX32, 3, 4, 0, 4 },
	{ BC_OP_REDMAX32, 0xffffffff, 4, 0, 0xffffffff },
	{ BC_OP_MIN32, 0x80000000, 1, 0, 1 },
	{ BC_OP_MIN32, 3, 4, 0, 3 },
	{ BC_OP_AND32, 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00 },
	{ BC_OP_OR32, 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0 },
	{ BC_OP_XOR32, 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0 },
	{ BC_OP_INC32, 6, 7, 0, 7 },
	{ BC_OP_INC32, 7, 7, 0, 0 },
	{ BC_OP_INC32, 8, 7, 0, 0 },
	{ BC_OP_EXCH32, 8, 7, 0, 7 },
	{ BC_OP_EXCH64, 8, UINT64_C(0x700000000), 0, UINT64_C(0x700000000) },
	{ BC_OP_CAS32, 8, 8, 9, 9 },
	{ BC_OP_CAS32, 8, 7, 9, 8 },
	{ BC_OP_CAS64, UINT64_C(0x100000008), UINT64_C(0x100000008), 9, 9 },
	{ BC_OP_CAS64, UINT64_C(0x100000008), 8, 9, UINT64_C(0x100000008) }, /* the upper half differs */
};

START_TEST(an_atomic_leaves_what_ptx_says)
{
	const uint64_t operand[2] = { applied[_i].x, applied[_i].y };
	const uint64_t got = bc_oracle_apply(applied[_i].op, applied[_i].state, operand);

	ck_assert_msg(got == applied[_i].want, "%s of 0x%llx and 0x%llx: 0x%llx", bc_op_info(applied[_i].op)->name,
		      (unsigned long long)applied[_i].state, (unsigned long long)applied[_i].x,
		      (unsigned long long)got);
}
END_TEST

/* What lane @lane brings to @offset in request @k, written down apart from the oracle. */
static void brings(uint32_t k, uint32_t lane, uint32_t offset, uint64_t x[2])
{
	const enum bc_op op = bc_made.pattern.op;
	const uint32_t w0 = bc_store_word(k, lane, 0, bc_made.seed), w1 = bc_store_word(k, lane, 1, bc_made.seed);
	const uint32_t sparse = w1 & bc_store_word(k, lane, 2, bc_made.seed) & bc_store_word(k, lane, 3, bc_made.seed);
	const uint32_t wrong = lane % 4 == 3 ? 0x80000000u : 0;
	const bool wide = bc_op_info(op)->bytes == 8;
	const uint64_t value = wide ? (uint64_t)w1 << 32 | w0 : w0;
	const uint64_t there =
		wide ? (uint64_t)(filled(offset + 4) ^ wrong) << 32 | filled(offset) : filled(offset) ^ wrong;

	x[0] = value;
	x[1] = 0;
	if (op == BC_OP_RED32)
		x[0] = 1;
	else if (op == BC_OP_AND32)
		x[0] = sparse ^ 0xffffffff;
	else if (op == BC_OP_OR32)
		x[0] = sparse;
	else if (op == BC_OP_ADDF32 || op == BC_OP_REDF32)
		x[0] = float_bits(w0 % 4096 + 1);
	else if (op == BC_OP_CAS32 || op == BC_OP_CAS64) {
		x[0] = there;
		x[1] = value;
	}
}

/* One lane's atomic on the dump and the results. */
static void atomic(uint32_t k, uint32_t lane)
{
	const struct bc_pattern *p = &bc_made.pattern;
	const unsigned words = bc_op_info(p->op)->bytes / 4;
	const uint32_t offset = p->offset[lane] + k * p->step;
	uint32_t *at = dumped(offset);
	uint64_t x[2], state = at[0];

	if (words == 2)
		state |= (uint64_t)at[1] << 32;
	brings(k, lane, offset, x);
	for (unsigned j = 0; j < words; j++) {
		if (bc_made.dump)
			bc_made.out[(k * BC_LANES + lane) * words + j] = (uint32_t)(state >> 32 * j);
		at[j] = (uint32_t)(bc_oracle_apply(p->op, state, x) >> 32 * j);
	}
}

/* Lane @i of an order: ascending, descending, and a mixed one. */
static uint32_t ordered(unsigned order, uint32_t i)
{
	return order == 0 ? i : order == 1 ? BC_LANES - 1 - i : (i * 13 + 5) % BC_LANES;
}

static void atomics_right(const struct bc_pattern *p, unsigned order)
{
	dump_filled();
	if (bc_made.dump)
		memset(bc_made.out, bc_made.poison, bc_made.out_bytes);
	for (uint32_t k = 0; k < p->count; k++)
		for (uint32_t i = 0; i < BC_LANES; i++)
			if (p->mask >> ordered(order, i) & 1)
				atomic(k, ordered(order, i));
}

static struct bc_pattern atomic_pattern(enum bc_op op, unsigned shape)
{
	const uint32_t bytes = bc_op_info(op)->bytes;

	switch (shape) {
	case 0: return bc_made_strided(op, ALL, 256, bytes, 1, 0);	    /* apart */
	case 1: return bc_made_strided(op, ALL, 256, 0, 1, 0);		    /* one word */
	case 2: return bc_made_strided(op, 0x5a0ff0c3, 128, 128, 2, bytes); /* one bank, some lanes, two requests */
	default: return bc_made_strided(op, ALL, 256, 0, 4, 0);		    /* one word again and again */
	}
}

#define ATOMICS (BC_OP_REDF32 - BC_OP_ATOM32 + 1)

/* Whatever the order of the lanes, and each bit of the dump and of the results is looked at. */
START_TEST(any_order_of_atomics_is_right)
{
	const enum bc_op op = (enum bc_op)(BC_OP_ATOM32 + _i);

	for (unsigned shape = 0; shape < 4; shape++) {
		const struct bc_pattern p = atomic_pattern(op, shape);

		for (unsigned order = 0; order < 3; order++) {
			bc_make(&p, order % 2);
			ck_assert(bc_operation_of(op)->returns == (bc_made.dump != NULL));
			atomics_right(&p, order);
			ck_assert_msg(bc_made_accepted(), "%s, shape %u, order %u: %s", bc_op_info(op)->name, shape,
				      order, bc_made_detail);
		}
		for (size_t bit = 0; bit < (size_t)bc_made.nlines * BC_LINE_BYTES * 8; bit += 61) {
			dump()[bit / 32] ^= 1u << bit % 32;
			ck_assert_msg(!bc_made_accepted(), "%s: bit %zu of the dump", bc_op_info(op)->name, bit);
			dump()[bit / 32] ^= 1u << bit % 32;
		}
		if (shape > 0 && (op == BC_OP_AND32 || op == BC_OP_OR32))
			continue; /* a lane whose bits others clear or set too may as well have come a step earlier */
		for (size_t bit = 0; bc_made.dump && bit < bc_made.out_bytes * 8; bit += 5) {
			bc_made.out[bit / 32] ^= 1u << bit % 32;
			ck_assert_msg(!bc_made_accepted(), "%s: bit %zu of the results", bc_op_info(op)->name, bit);
			bc_made.out[bit / 32] ^= 1u << bit % 32;
		}
	}
}
END_TEST

enum accident {
	LOST_UPDATE,
	SAME_VALUE_TWICE,
	NEW_VALUE_BACK,
	SWAPPED,
	WRONG_PLACE,
	NOT_ACTIVE,
	LATER_REQUEST,
	NEIGHBOUR
};

static const struct {
	const char *what;
	enum bc_op op;
	enum accident accident;
	const char *words;
} accidents[] = {
	{ "an update was lost", BC_OP_ATOM32, LOST_UPDATE, "memory holds" },
	{ "an update was lost", BC_OP_REDV32, LOST_UPDATE, "memory holds" },
	{ "an update was lost", BC_OP_RED32, LOST_UPDATE, "memory holds" },
	{ "an update was lost", BC_OP_ADD64, LOST_UPDATE, "memory holds" },
	{ "an update was lost", BC_OP_REDF32, LOST_UPDATE, "memory holds" },
	{ "two lanes got one value", BC_OP_ATOM32, SAME_VALUE_TWICE, "no order of the lanes 0xffffffff" },
	{ "two lanes got one value", BC_OP_EXCH32, SAME_VALUE_TWICE, "no order of the lanes" },
	{ "two lanes got one value", BC_OP_INC32, SAME_VALUE_TWICE, "no order of the lanes" },
	{ "two lanes got one value", BC_OP_ADDF32, SAME_VALUE_TWICE, "no order of the lanes" },
	{ "the new value came back, not the old", BC_OP_ATOM32, NEW_VALUE_BACK, "no order of the lanes" },
	{ "the new value came back, not the old", BC_OP_EXCH64, NEW_VALUE_BACK, "no order of the lanes" },
	{ "two lanes have each other's values", BC_OP_ATOM32, SWAPPED, "no order of the lanes" },
	{ "two lanes have each other's values", BC_OP_XOR32, SWAPPED, "no order of the lanes" },
	{ "the word beside it was changed", BC_OP_MAX32, WRONG_PLACE, "offset 0x104: memory holds" },
	{ "the word beside it was changed", BC_OP_CAS32, WRONG_PLACE, "offset 0x104: memory holds" },
	{ "a lane that is not active got a value", BC_OP_ATOM32, NOT_ACTIVE, "lane 31, request 0: returned" },
	{ "the requests came in another order", BC_OP_ATOM32, LATER_REQUEST, "request 0: no order" },
	{ "a line beside it was changed", BC_OP_REDMAX32, NEIGHBOUR, "offset 0xfc: memory holds" },
};

static void happen(enum accident a, const struct bc_pattern *p)
{
	uint32_t *at = dumped(256);
	uint32_t old[BC_LANES];
	uint64_t x[2];

	switch (a) {
	case LOST_UPDATE: /* the last lane's */
		dump_filled();
		for (uint32_t lane = 0; lane < BC_LANES - 1; lane++)
			atomic(0, lane);
		if (bc_made.dump) {
			uint32_t kept[2] = { at[0], at[1] };

			atomic(0, BC_LANES - 1);
			memcpy(at, kept, bc_op_info(p->op)->bytes);
		}
		break;
	case SAME_VALUE_TWICE: bc_made.out[7] = bc_made.out[6]; break;
	case NEW_VALUE_BACK:
		brings(0, 0, 256, x);
		bc_made.out[0] = (uint32_t)bc_oracle_apply(p->op, bc_made.out[0] | (uint64_t)bc_made.out[1] << 32, x);
		break;
	case SWAPPED:
		old[0] = bc_made.out[3];
		bc_made.out[3] = bc_made.out[9];
		bc_made.out[9] = old[0];
		break;
	case WRONG_PLACE: *dumped(260) = *dumped(256); break;
	case NOT_ACTIVE: bc_made.out[31] = 0; break;
	case LATER_REQUEST:
		for (unsigned lane = 0; lane < BC_LANES; lane++) {
			old[lane] = bc_made.out[lane];
			bc_made.out[lane] = bc_made.out[BC_LANES + lane];
			bc_made.out[BC_LANES + lane] = old[lane];
		}
		break;
	case NEIGHBOUR: *dumped(252) = 0; break;
	}
}

START_TEST(an_accident_of_atomics_is_caught)
{
	const enum accident a = accidents[_i].accident;
	const struct bc_pattern p = bc_made_strided(accidents[_i].op, a == NOT_ACTIVE ? ALL >> 1 : ALL, 256, 0,
						    a == LATER_REQUEST ? 2 : 1, 0);

	for (unsigned seed = 0; seed < 2; seed++) {
		bc_make(&p, seed);
		atomics_right(&p, 0);
		ck_assert_msg(bc_made_accepted(), "%s: %s", accidents[_i].what, bc_made_detail);
		happen(a, &p);
		ck_assert_msg(!bc_made_accepted(), "%s: %s", bc_op_info(p.op)->name, accidents[_i].what);
		ck_assert_msg(strstr(bc_made_detail, accidents[_i].words), "%s: %s", accidents[_i].what,
			      bc_made_detail);
	}
}
END_TEST

/* --- matrices -------------------------------------------------------------------------------------------------- */

/* Which word of which row a lane holds: worked out by hand from the figures of the PTX ISA. */
static const struct {
	enum bc_op op;
	unsigned lane, word; /* the register */
	unsigned matrix;
	unsigned row[2], half[2]; /* where its lower and its upper 16 bits come from */
} fragments[] = {
	{ BC_OP_LDSM1, 0, 0, 0, { 0, 0 }, { 0, 1 } },	{ BC_OP_LDSM1, 5, 0, 0, { 1, 1 }, { 2, 3 } },
	{ BC_OP_LDSM1, 31, 0, 0, { 7, 7 }, { 6, 7 } },	{ BC_OP_LDSM2, 5, 1, 1, { 1, 1 }, { 2, 3 } },
	{ BC_OP_LDSM4, 31, 2, 2, { 7, 7 }, { 6, 7 } },	{ BC_OP_LDSM4, 12, 3, 3, { 3, 3 }, { 0, 1 } },
	{ BC_OP_LDSM1T, 0, 0, 0, { 0, 1 }, { 0, 0 } },	{ BC_OP_LDSM1T, 5, 0, 0, { 2, 3 }, { 1, 1 } },
	{ BC_OP_LDSM1T, 31, 0, 0, { 6, 7 }, { 7, 7 } }, { BC_OP_LDSM2T, 6, 1, 1, { 4, 5 }, { 1, 1 } },
	{ BC_OP_LDSM4T, 31, 3, 3, { 6, 7 }, { 7, 7 } }, { BC_OP_LDSM4T, 16, 0, 0, { 0, 1 }, { 4, 4 } },
};

/* Rows at odd distances, so that no two rows are consecutive; lanes that name no row far off. */
static struct bc_pattern rows_of(enum bc_op op)
{
	struct bc_pattern p = bc_made_strided(op, ALL, 0, 48, 1, 0);

	for (unsigned lane = 8 * bc_op_info(op)->matrices; lane < BC_LANES; lane++)
		p.offset[lane] = 8192 + lane * 128;
	return p;
}

static uint32_t half_of(uint32_t row_offset, unsigned half)
{
	return bc_fill_word(row_offset + half / 2 * 4, bc_made.seed) >> 16 * (half % 2) & 0xffff;
}

START_TEST(a_lane_gets_its_fragment)
{
	const unsigned words = bc_op_info(fragments[_i].op)->matrices, lane = fragments[_i].lane;
	const struct bc_pattern p = rows_of(fragments[_i].op);
	uint32_t want = 0;
	char expected[40];

	bc_make(&p, 0);
	ck_assert_uint_eq(bc_made.out_bytes, 4u * BC_LANES * words);
	for (unsigned u = 0; u < 2; u++)
		want |= half_of(p.offset[8 * fragments[_i].matrix + fragments[_i].row[u]], fragments[_i].half[u])
			<< 16 * u;
	/* Everything before the fragment right: the oracle then asks for this one. */
	for (unsigned tries = 0; tries < BC_LANES * words; tries++) {
		unsigned at_lane, at_word;
		uint32_t value;
		const char *tail;

		ck_assert(!bc_made_accepted());
		ck_assert_int_eq(sscanf(bc_made_detail, "lane %u,", &at_lane), 1);
		tail = strstr(bc_made_detail, "word ");
		ck_assert_ptr_nonnull(tail);
		ck_assert_int_eq(sscanf(tail, "word %u", &at_word), 1);
		tail = strstr(bc_made_detail, "expected 0x");
		ck_assert_ptr_nonnull(tail);
		ck_assert_int_eq(sscanf(tail, "expected 0x%x", &value), 1);
		if (at_lane == lane && at_word == fragments[_i].word)
			break;
		bc_made.out[at_lane * words + at_word] = value;
	}
	(void)snprintf(expected, sizeof(expected), "expected 0x%08x", want);
	ck_assert_msg(strstr(bc_made_detail, expected), "%s lane %u word %u: %s, by hand %s", bc_op_info(p.op)->name,
		      lane, fragments[_i].word, bc_made_detail, expected);
}
END_TEST

/* Store the fragments of all lanes but @lost: row and word of lane l is l / 4 and l % 4; transposed as above. */
static void stmatrix(const struct bc_pattern *p, unsigned lost)
{
	const bool trans = p->op == BC_OP_STSM4T;

	dump_filled();
	for (unsigned lane = 0; lane < BC_LANES; lane++) {
		for (unsigned m = 0; lane != lost && m < bc_op_info(p->op)->matrices; m++) {
			const uint32_t word = bc_store_word(0, lane, m, bc_made.seed);

			for (unsigned u = 0; u < 2; u++) {
				const unsigned row = trans ? lane % 4 * 2 + u : lane / 4;
				const unsigned half = trans ? lane / 4 : lane % 4 * 2 + u;
				const uint16_t value = (uint16_t)(word >> 16 * u);

				memcpy((char *)dumped(p->offset[8 * m + row] + half / 2 * 4) + half % 2 * 2, &value, 2);
			}
		}
	}
}

START_TEST(stored_fragments_are_in_their_rows)
{
	static const enum bc_op ops[] = { BC_OP_STSM1, BC_OP_STSM2, BC_OP_STSM4, BC_OP_STSM4T };
	const struct bc_pattern p = rows_of(ops[_i]);

	bc_make(&p, 1);
	stmatrix(&p, BC_LANES);
	ck_assert_msg(bc_made_accepted(), "%s: %s", bc_op_info(p.op)->name, bc_made_detail);
	for (size_t bit = 0; bit < bc_made.out_bytes * 8; bit += 37) {
		bc_made.out[bit / 32] ^= 1u << bit % 32;
		ck_assert_msg(!bc_made_accepted(), "%s: bit %zu is not looked at", bc_op_info(p.op)->name, bit);
		bc_made.out[bit / 32] ^= 1u << bit % 32;
	}
	for (unsigned lost = 0; lost < BC_LANES; lost++) {
		stmatrix(&p, lost);
		ck_assert_msg(!bc_made_accepted(), "%s: lane %u's words are not there", bc_op_info(p.op)->name, lost);
	}
	stmatrix(&p, BC_LANES);
	if (ops[_i] == BC_OP_STSM1) { /* lane 20 names no row: nothing may be written where it points */
		*dumped(p.offset[20]) = bc_store_word(0, 20, 0, bc_made.seed);
		ck_assert(!bc_made_accepted());
		ck_assert_msg(strstr(bc_made_detail, "nobody stores there"), "%s", bc_made_detail);
	}
}
END_TEST

START_TEST(rows_on_one_place_leave_one_of_them)
{
	struct bc_pattern p = bc_made_strided(BC_OP_STSM1, ALL, 512, 0, 1, 0);

	bc_make(&p, 0);
	dump_filled();
	for (unsigned w = 0; w < 4; w++) /* row 6's words, but the last: row 2's */
		*dumped(512 + 4 * w) = bc_store_word(0, (w == 3 ? 2u : 6u) * 4 + w, 0, bc_made.seed);
	ck_assert_msg(bc_made_accepted(), "%s", bc_made_detail);
	*dumped(512) = bc_store_word(0, 25, 0, bc_made.seed); /* a word of another column */
	ck_assert(!bc_made_accepted());
}
END_TEST

/* --- copies ---------------------------------------------------------------------------------------------------- */

static const struct {
	const char *what;
	enum bc_op op;
	unsigned k, lane, bytes; /* source bytes of this lane in this request */
} sizes[] = {
	{ "all of four", BC_OP_CPA4, 0, 0, 4 },
	{ "all of sixteen", BC_OP_CPA16CG, 1, 31, 16 },
	{ "none", BC_OP_CPA4Z, 0, 0, 0 },
	{ "one byte", BC_OP_CPA4Z, 0, 1, 1 },
	{ "all", BC_OP_CPA4Z, 0, 4, 4 },
	{ "none again", BC_OP_CPA4Z, 0, 5, 0 },
	{ "the second request", BC_OP_CPA4Z, 1, 4, 0 },
	{ "seven of eight", BC_OP_CPA8Z, 0, 7, 7 },
	{ "sixteen", BC_OP_CPA16CAZ, 0, 16, 16 },
	{ "thirteen of sixteen", BC_OP_CPA16CGZ, 1, 29, 13 },
};

START_TEST(a_copy_is_its_source_and_then_zeros)
{
	const enum bc_op op = sizes[_i].op;
	const unsigned bytes = bc_op_info(op)->bytes, words = bytes / 4;
	const struct bc_pattern p = bc_made_strided(op, ALL, 512, bytes, 2, 32 * bytes);
	const struct bc_buffer *source = NULL;
	unsigned char *at;

	bc_make(&p, 0);
	for (size_t i = 0; i < bc_made.launch.nbuffers; i++)
		if (bc_made.launch.buffers[i].param_offset == PARAM(source))
			source = &bc_made.launch.buffers[i];
	ck_assert_ptr_nonnull(source);
	ck_assert_uint_eq(source->bytes, 2u * BC_LANES * bytes);
	ck_assert_ptr_eq(source->init, bc_made.source);
	ck_assert_ptr_null(source->out);
	dump_filled();
	for (unsigned k = 0; k < 2; k++) {
		for (unsigned lane = 0; lane < BC_LANES; lane++) {
			unsigned size = bytes;

			if (op >= BC_OP_CPA4Z)
				size = (lane + k) % (bytes + 1);
			if (k == sizes[_i].k && lane == sizes[_i].lane)
				ck_assert_msg(size == sizes[_i].bytes, "%s: %u", sizes[_i].what, size);
			memset(dumped(512 + (k * 32 + lane) * bytes), 0, bytes);
			memcpy(dumped(512 + (k * 32 + lane) * bytes), bc_made.source + (k * 32 + lane) * words, size);
		}
	}
	ck_assert_msg(bc_made_accepted(), "%s: %s", sizes[_i].what, bc_made_detail);
	at = (unsigned char *)dumped(512 + (sizes[_i].k * 32 + sizes[_i].lane) * bytes);
	for (unsigned b = 0; b < bytes; b++) {
		at[b] ^= 0x10;
		ck_assert_msg(!bc_made_accepted(), "%s: byte %u is not looked at", sizes[_i].what, b);
		at[b] ^= 0x10;
	}
}
END_TEST

START_TEST(a_counted_copy_has_a_source_too)
{
	const struct bc_pattern p = bc_made_strided(BC_OP_CPA8, ALL, 0, 8, 4, 256);

	ck_assert_int_eq(bc_case_launch_count(&p, &bc_made_arch, "x", 2, &bc_made, &bc_made_err), BC_OK);
	ck_assert_uint_eq(bc_made.launch.nbuffers, 2);
	ck_assert_uint_eq(bc_made.launch.buffers[1].param_offset, PARAM(source));
	ck_assert_uint_eq(bc_made.launch.buffers[1].bytes, 4u * 32 * 8);
}
END_TEST

/* --- what is launched ------------------------------------------------------------------------------------------ */

static const struct {
	enum bc_op op;
	const char *image;
	bool returns, changes, copies;
	unsigned words;
} operations[] = {
	{ BC_OP_LD8, "pattern_ld", true, false, false, 1 },
	{ BC_OP_ST128, "pattern_st", false, true, false, 4 },
	{ BC_OP_GLD32, "pattern_generic", true, false, false, 1 },
	{ BC_OP_GLD128, "pattern_generic", true, false, false, 4 },
	{ BC_OP_GST64, "pattern_generic", false, true, false, 2 },
	{ BC_OP_ATOM32, "pattern_atom", true, true, false, 1 },
	{ BC_OP_CAS64, "pattern_atom", true, true, false, 2 },
	{ BC_OP_ADDF32, "pattern_atom", true, true, false, 1 },
	{ BC_OP_RED32, "pattern_atom", false, true, false, 1 },
	{ BC_OP_RED64, "pattern_atom", false, true, false, 2 },
	{ BC_OP_LDSM1, "pattern_matrix", true, false, false, 1 },
	{ BC_OP_LDSM4T, "pattern_matrix", true, false, false, 4 },
	{ BC_OP_STSM2, "pattern_matrix", false, true, false, 2 },
	{ BC_OP_CPA4, "pattern_async", false, true, true, 1 },
	{ BC_OP_CPA16CGZ, "pattern_async", false, true, true, 4 },
};

START_TEST(operations_have_their_kernels)
{
	const enum bc_op op = operations[_i].op;
	const struct bc_operation *o = bc_operation_of(op);
	const struct bc_pattern p = bc_made_strided(op, ALL, 256, 16, 1, 0);
	char kernel[32];

	ck_assert_ptr_nonnull(o);
	ck_assert_str_eq(o->image, operations[_i].image);
	ck_assert(o->returns == operations[_i].returns && o->changes == operations[_i].changes &&
		  o->copies == operations[_i].copies);
	ck_assert_uint_eq(bc_operation_words(op), operations[_i].words);
	bc_make(&p, 0);
	(void)snprintf(kernel, sizeof(kernel), "bc_%s", bc_op_info(op)->name);
	ck_assert_str_eq(bc_made.launch.kernel, kernel);
	ck_assert_str_eq(bc_made.launch.image, o->image);
	ck_assert_uint_eq(bc_made.nlines, o->changes ? 64 : 4); /* 8 KB; the 512 bytes */
	ck_assert(bc_made.launch.nbuffers <= BC_LAUNCH_BUFFERS);
}
END_TEST

START_TEST(every_operation_has_a_kernel)
{
	for (enum bc_op op = BC_OP_LD8; op < BC_NOPS; op++) {
		bool listed = false;

		ck_assert_msg(bc_operation_of(op) != NULL, "%s", bc_op_info(op)->name);
		for (size_t i = 0; bc_case_launch_images[i]; i++)
			listed = listed || strcmp(bc_case_launch_images[i], bc_operation_of(op)->image) == 0;
		ck_assert_msg(listed, "%s: its image is not in the list", bc_op_info(op)->name);
	}
	ck_assert_ptr_null(bc_operation_of(BC_OP_NONE));
	ck_assert_ptr_null(bc_operation_of(BC_NOPS));
}
END_TEST

Suite *bc_test_oracle(void)
{
	Suite *s = suite_create("oracle");
	TCase *tc = tcase_create("oracle");

	tcase_add_checked_fixture(tc, bc_made_setup, bc_made_teardown);
	tcase_add_test(tc, the_last_request_is_the_writer);
	tcase_add_loop_test(tc, an_atomic_leaves_what_ptx_says, 0, (int)BC_ARRAY_LEN(applied));
	tcase_add_loop_test(tc, any_order_of_atomics_is_right, 0, ATOMICS);
	tcase_add_loop_test(tc, an_accident_of_atomics_is_caught, 0, (int)BC_ARRAY_LEN(accidents));
	tcase_add_loop_test(tc, a_lane_gets_its_fragment, 0, (int)BC_ARRAY_LEN(fragments));
	tcase_add_loop_test(tc, stored_fragments_are_in_their_rows, 0, 4);
	tcase_add_test(tc, rows_on_one_place_leave_one_of_them);
	tcase_add_loop_test(tc, a_copy_is_its_source_and_then_zeros, 0, (int)BC_ARRAY_LEN(sizes));
	tcase_add_test(tc, a_counted_copy_has_a_source_too);
	tcase_add_loop_test(tc, operations_have_their_kernels, 0, (int)BC_ARRAY_LEN(operations));
	tcase_add_test(tc, every_operation_has_a_kernel);
	suite_add_tcase(s, tc);
	return s;
}
