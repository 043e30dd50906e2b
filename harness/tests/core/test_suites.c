/* SPDX-License-Identifier: MIT */
/* harness/tests/core/test_suites.c - the real suites: ids, twins, rows on every architecture, cover of the window. */
#include "harness/core/case_ids.h"
#include "harness/core/expect.h"
#include "suites/patterns.h"

#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/world.h"

Suite *bc_test_suites(void);

#define FEWEST_CASES 500
#define WINDOW_MAX (328u * 1024)
/* What the cases reach: the largest window of a GPU that is sold; of a larger one its first 224 KB and its last 4 KB.
 */
#define REACH (227u * 1024)
#define WHOLE_BLOCKS (224u * 1024)

static bool fits(const struct bc_case *c, const struct bc_arch *a)
{
	char why[256];

	return !bc_case_unmet(c, a, why, sizeof(why));
}

static bool in_rule(const struct bc_case *c, const char *suite, const char *rule)
{
	return strcmp(c->suite->name, suite) == 0 && strcmp(c->rule->name, rule) == 0;
}

START_TEST(the_catalogue_has_the_five_suites)
{
	static const char *const names[] = { "broadcast", "mapping", "stride", "ways", "width" };

	ck_assert_uint_ge(bc_world.cat.n, FEWEST_CASES);
	for (size_t i = 0; i < BC_ARRAY_LEN(names); i++) {
		size_t n = 0;

		for (size_t k = 0; k < bc_world.cat.n; k++)
			n += strcmp(bc_world.cat.cases[k].suite->name, names[i]) == 0;
		ck_assert_msg(n > 0, "suite %s has no case", names[i]);
	}
}
END_TEST

START_TEST(every_rule_has_a_sentence_and_a_source)
{
	for (size_t i = 0; i < bc_world.cat.n; i++) {
		const struct bc_rule *r = bc_world.cat.cases[i].rule;

		ck_assert_msg(r->sentence && strlen(r->sentence) > 10, "%s: no sentence", bc_world.cat.cases[i].id);
		ck_assert_msg(r->source && strlen(r->source) > 10, "%s: no source", bc_world.cat.cases[i].id);
		ck_assert_msg(bc_world.cat.cases[i].suite->about != NULL, "%s: the suite has no line about it",
			      bc_world.cat.cases[i].id);
	}
}
END_TEST

/* Ids are for ever: none may go unseen, and a new one is written down. */
START_TEST(ids_are_the_listed_ones)
{
	bc_world_need(bc_case_ids_check(BC_TEST_EXPECTED, &bc_world.cat, &bc_world.err), "case-ids.txt");
}
END_TEST

/* A rule that names an operation runs it: ld_b64 is ld64, cas64 is cas64. */
START_TEST(operations_are_what_rules_say)
{
	for (size_t i = 0; i < bc_world.cat.n; i++) {
		const struct bc_case *c = &bc_world.cat.cases[i];
		const char *name = c->rule->name, *suffix = strstr(name, "ld_b"), *bits;
		char op[16];

		if (c->rule->program)
			continue; /* the kernel runs what it runs */
		suffix = suffix ? suffix : strstr(name, "st_b");
		if (!suffix) { /* others by the operation's own name: stride_cas64 */
			const char *last = strrchr(name, '_');
			const enum bc_op named = bc_op_parse(last ? last + 1 : name);

			ck_assert_msg(named == c->pattern.op ||
					      (named == BC_OP_NONE && !bc_op_info(c->pattern.op)->store),
				      "%s runs %s", c->id, bc_op_info(c->pattern.op)->name);
			continue;
		}
		bits = suffix + 4;
		ck_assert_msg(strlen(bits) >= 1 && strlen(bits) <= 3, "%s: the operation is not the end of the rule",
			      c->id);
		memcpy(op, suffix, 2);
		memcpy(op + 2, bits, strlen(bits) + 1);
		ck_assert_msg(c->pattern.op == bc_op_parse(op), "%s runs %s", c->id, bc_op_info(c->pattern.op)->name);
	}
}
END_TEST

/* A pattern asks of the architecture what its operation needs. */
START_TEST(operations_have_their_needs)
{
	for (size_t i = 0; i < bc_world.cat.n; i++) {
		const struct bc_case *c = &bc_world.cat.cases[i];
		const struct bc_op_info *op = bc_op_info(c->pattern.op);
		unsigned want = 0;

		if (op->matrices)
			want = op->store ? BC_NEED_STMATRIX : BC_NEED_LDMATRIX;
		else if (op->cls == BC_CLASS_LDGSTS)
			want = BC_NEED_CP_ASYNC;
		else if (c->pattern.op == BC_OP_RED32)
			want = BC_NEED_CODE | BC_NEED_POPC_INC;
		ck_assert_msg((c->needs & want) == want, "%s: needs %x, its operation %x", c->id, c->needs, want);
	}
}
END_TEST

/* A bounded count of a program and what the model makes of its requests. */
static void check_model(const struct bc_case *c, const struct bc_arch *a, const struct bc_row *row, double model)
{
	ck_assert_msg(!row || (model >= row->lo && model <= row->hi), "%s:%u: %s on %s: by the model it is %g",
		      row->path, row->line, c->id, a->name, model);
}

/* Programs: some row for every case, around the model where the rule lists requests; a conflict has a clean twin. */
static void check_program_rows(const struct bc_case *c, const struct bc_arch *a, const struct bc_expect *e)
{
	struct bc_program_request first;
	struct bc_model m;
	struct bc_bounds b;
	bool any = false;

	bc_expect_find(e, c->id, &b);
	for (size_t q = 0; q < BC_ARRAY_LEN(b.row); q++)
		any |= b.row[q] != NULL;
	ck_assert_msg(any, "%s on %s: no row", c->id, a->name);
	if (c->rule->request && c->rule->request(c, a, 0, &first)) {
		bc_world_need(bc_case_model_all(c, a, &m, &bc_world.err), c->id);
		check_model(c, a, b.row[BC_Q_WAVEFRONTS], (double)m.wavefronts / (double)m.requests);
		check_model(c, a, b.row[BC_Q_CONFLICTS], (double)m.conflicts / (double)m.requests);
		check_model(c, a, b.row[BC_Q_REQUESTS], (double)m.requests);
	}

	const struct bc_row *k = b.row[BC_Q_CONFLICTS];
	const struct bc_case *twin = bc_catalog_find(&bc_world.cat, c->twin);

	if (!k || k->lo <= 0)
		return;
	ck_assert_msg(twin != NULL, "%s on %s: it conflicts and has no clean twin ('%s')", c->id, a->name, c->twin);
	ck_assert_msg(fits(twin, a), "%s on %s: its twin %s does not fit", c->id, a->name, twin->id);
	bc_expect_find(e, twin->id, &b);
	ck_assert_msg(b.row[BC_Q_CONFLICTS] && b.row[BC_Q_CONFLICTS]->lo <= 0 && b.row[BC_Q_CONFLICTS]->hi < k->lo,
		      "%s on %s: its twin %s is not clean", c->id, a->name, twin->id);
}

/* Has the pattern counts that a law gives and a counter reads? Copies only in the cases that need their counter. */
static bool counted(const struct bc_case *c)
{
	const struct bc_op_info *op = bc_op_info(c->pattern.op);

	if (op->law == BC_LAW_UNKNOWN || op->law == BC_LAW_UNCOUNTED)
		return false;
	return op->cls != BC_CLASS_LDGSTS || (c->needs & BC_NEED_LDGSTS_COUNTER) != 0;
}

/* Check one case with its rows on one architecture. */
static void check_rows(const struct bc_case *c, const struct bc_arch *a, const struct bc_expect *e)
{
	struct bc_bounds b;
	uint64_t wavefronts, conflicts;

	bc_expect_find(e, c->id, &b);

	const struct bc_row *w = b.row[BC_Q_WAVEFRONTS], *k = b.row[BC_Q_CONFLICTS];

	if (!counted(c)) {
		ck_assert_msg(b.row[BC_Q_DATA] && !w && !k, "%s on %s: its counts have no law: it has one row, data",
			      c->id, a->name);
		ck_assert_msg(c->twin[0] == '\0', "%s: judged by data, but names the twin %s", c->id, c->twin);
		return;
	}
	ck_assert_msg(k && !w == (bc_op_info(c->pattern.op)->cls == BC_CLASS_LDGSTS),
		      "%s on %s: conflicts, and wavefronts but for copies, need a row", c->id, a->name);
	ck_assert_msg((!w || w->lo >= w->hi) && k->lo >= k->hi, "%s on %s: a pattern case is exact", c->id, a->name);
	bc_world_need(bc_case_model(c, a, &wavefronts, &conflicts, &bc_world.err), c->id);
	ck_assert_msg(!w || w->lo * c->pattern.count == (double)wavefronts,
		      "%s:%u: on %s the model has %g wavefronts a request", w->path, w->line, a->name,
		      (double)wavefronts / c->pattern.count);
	ck_assert_msg(k->lo * c->pattern.count == (double)conflicts,
		      "%s:%u: on %s the model has %g conflicts a request", k->path, k->line, a->name,
		      (double)conflicts / c->pattern.count);
	if (k->lo <= 0) {
		ck_assert_msg(c->twin[0] == '\0', "%s on %s: it is clean, but names the twin %s", c->id, a->name,
			      c->twin);
		return;
	}

	const struct bc_case *twin = bc_catalog_find(&bc_world.cat, c->twin);

	ck_assert_msg(twin != NULL, "%s on %s: it conflicts and has no clean twin ('%s')", c->id, a->name, c->twin);
	bc_expect_find(e, twin->id, &b);
	ck_assert_msg(b.row[BC_Q_CONFLICTS] && b.row[BC_Q_CONFLICTS]->hi <= 0, "%s on %s: its twin %s is not clean",
		      c->id, a->name, twin->id);
	ck_assert_msg(fits(twin, a), "%s on %s: its twin %s does not fit", c->id, a->name, twin->id);
	ck_assert_msg(twin->pattern.op == c->pattern.op && twin->pattern.count == c->pattern.count,
		      "%s: its twin %s has another operation or number of requests", c->id, twin->id);
	ck_assert_msg(__builtin_popcount(twin->pattern.mask) == __builtin_popcount(c->pattern.mask),
		      "%s: its twin %s has another number of active lanes", c->id, twin->id);
}

START_TEST(rows_are_there_and_equal_the_model_on_every_architecture)
{
	for (size_t i = 0; i < bc_world.narchs; i++) {
		struct bc_expect e = { 0 };
		size_t checked = 0;

		bc_world_need(
			bc_expect_load(BC_TEST_EXPECTED, bc_world.archs[i].name, &bc_world.cat, &e, &bc_world.err),
			bc_world.archs[i].name);
		for (size_t k = 0; k < bc_world.cat.n; k++) {
			if (!fits(&bc_world.cat.cases[k], &bc_world.archs[i]))
				continue;
			if (bc_world.cat.cases[k].rule->program)
				check_program_rows(&bc_world.cat.cases[k], &bc_world.archs[i], &e);
			else
				check_rows(&bc_world.cat.cases[k], &bc_world.archs[i], &e);
			checked++;
		}
		ck_assert_msg(checked >= FEWEST_CASES, "%s runs %zu cases", bc_world.archs[i].name, checked);
		bc_expect_release(&e);
	}
}
END_TEST

/* The part of the window whose distances and address bits the cases are to have. */
static uint32_t reach_of(const struct bc_arch *a)
{
	return a->optin_bytes < REACH ? a->optin_bytes : REACH;
}

/* Mark the bytes that the cases of a rule touch in the window of @a; each byte once. */
static void cover(const char *rule, const struct bc_arch *a, uint8_t *touched)
{
	memset(touched, 0, WINDOW_MAX);
	for (size_t i = 0; i < bc_world.cat.n; i++) {
		const struct bc_case *c = &bc_world.cat.cases[i];

		if (!in_rule(c, "mapping", rule) || !fits(c, a))
			continue;
		for (uint32_t k = 0; k < c->pattern.count; k++) {
			uint32_t addr[BC_LANES];

			bc_case_addresses(c, a, k, addr);
			for (unsigned l = 0; l < BC_LANES; l++) {
				const uint32_t at = addr[l] - a->window_base;

				ck_assert_msg(at <= a->optin_bytes - 4, "%s on %s: address 0x%x", c->id, a->name,
					      addr[l]);
				memset(touched + at, 1, 4);
			}
		}
	}
}

START_TEST(lines_and_columns_cover_the_whole_window_of_every_architecture)
{
	static const char *const names[] = { "window_line", "window_column" };
	static uint8_t touched[WINDOW_MAX];

	for (size_t i = 0; i < bc_world.narchs; i++) {
		for (size_t r = 0; r < BC_ARRAY_LEN(names); r++) {
			ck_assert_uint_le(bc_world.archs[i].optin_bytes, WINDOW_MAX);
			cover(names[r], &bc_world.archs[i], touched);
			for (uint32_t b = 0; b < bc_world.archs[i].optin_bytes; b++)
				ck_assert_msg(touched[b] ||
						      (bc_world.archs[i].optin_bytes > REACH && b >= WHOLE_BLOCKS &&
						       b + 4096 < bc_world.archs[i].optin_bytes),
					      "%s: byte %u is in no case of %s", bc_world.archs[i].name, b, names[r]);
		}
	}
}
END_TEST

START_TEST(distances_reach_the_end_of_every_window)
{
	for (size_t i = 0; i < bc_world.narchs; i++) {
		for (uint32_t d = 1; d <= WINDOW_MAX; d = d < 64 ? d + 1 : d * 2) {
			struct bc_case c = { 0 };

			bc_variant_add(&c, "mapping/distance/");
			bc_variant_add_int(&c, (int)d);

			const struct bc_case *found = bc_catalog_find(&bc_world.cat, c.variant);

			ck_assert_msg((d + 1) * 4 > reach_of(&bc_world.archs[i]) ||
					      (found && fits(found, &bc_world.archs[i])),
				      "%s: distance %u fits and has no case", bc_world.archs[i].name, d);
			ck_assert_msg(!found || found->pattern.offset[31] - found->pattern.offset[0] == d * 4, "%s",
				      c.variant);
		}
	}
}
END_TEST

/* Where the two lanes of a case differ, by the numbers in its variant: "7", "7_12". */
static uint32_t bits_of_variant(const char *variant)
{
	char *rest;
	uint32_t bits = 1u << strtoul(variant, &rest, 10);

	if (*rest == '_')
		bits |= 1u << strtoul(rest + 1, &rest, 10);
	ck_assert_msg(*rest == '\0', "variant %s", variant);
	return bits;
}

START_TEST(address_bits_differ_in_the_absolute_address)
{
	for (size_t i = 0; i < bc_world.narchs; i++) {
		uint32_t single = 0;
		unsigned pairs = 0;

		for (size_t k = 0; k < bc_world.cat.n; k++) {
			const struct bc_case *c = &bc_world.cat.cases[k];
			const bool pair = in_rule(c, "mapping", "address_bit_pair");
			uint32_t addr[BC_LANES];

			if ((!pair && !in_rule(c, "mapping", "address_bit")) || !fits(c, &bc_world.archs[i]))
				continue;
			bc_case_addresses(c, &bc_world.archs[i], 0, addr);
			ck_assert_uint_eq(c->pattern.mask, 0x80000001u);
			ck_assert_msg((addr[0] ^ addr[31]) == bits_of_variant(c->variant), "%s on %s: 0x%x and 0x%x",
				      c->id, bc_world.archs[i].name, addr[0], addr[31]);
			pairs += pair;
			single |= pair ? 0 : addr[0] ^ addr[31];
		}

		/* Bit b can differ when addresses with and without it are in the window. */
		const uint32_t end = bc_world.archs[i].window_base + reach_of(&bc_world.archs[i]);
		unsigned bits = 0;

		while ((1u << bits) + bc_world.archs[i].window_base < end)
			bits++;
		ck_assert_uint_le(bits, 18);
		ck_assert_msg(single == (1u << bits) - 1, "%s: bits 0x%x have a case that fits, of %u",
			      bc_world.archs[i].name, single, bits);
		ck_assert_uint_eq(pairs, (bits - 7) * (bits - 8) / 2);
	}
}
END_TEST

/* The n lanes of the conflict stand where the rule's name says: in bank n - 1, the first, the last, the only ones. */
START_TEST(the_lanes_of_a_conflict_stand_where_the_rule_says)
{
	unsigned seen = 0;

	for (size_t i = 0; i < bc_world.cat.n; i++) {
		const struct bc_case *c = &bc_world.cat.cases[i];
		const unsigned n = (unsigned)strtoul(c->variant, NULL, 10);
		uint32_t in_bank = 0;

		if (strcmp(c->suite->name, "ways") != 0)
			continue;
		for (unsigned l = 0; l < BC_LANES; l++)
			if ((c->pattern.mask >> l & 1) && c->pattern.offset[l] / 4 % 32 == n - 1)
				in_bank |= 1u << l;

		const uint32_t mask = c->pattern.mask;
		const bool n_lanes = __builtin_popcount(in_bank) == (int)n;
		bool right = __builtin_popcount(mask) == (int)n; /* apart */

		if (strncmp(c->rule->name, "first", 5) == 0)
			right = mask == UINT32_MAX && in_bank == UINT32_MAX >> (32 - n);
		else if (strncmp(c->rule->name, "last", 4) == 0)
			right = mask == UINT32_MAX && in_bank == UINT32_MAX << (32 - n);
		else if (strncmp(c->rule->name, "scattered", 9) == 0)
			right = mask == UINT32_MAX && n_lanes;
		else if (strncmp(c->rule->name, "inactive", 8) == 0)
			right = mask == in_bank && n_lanes;
		ck_assert_msg(right, "%s: lanes %08x of %08x are in the bank", c->id, in_bank, mask);
		seen++;
	}
	ck_assert_uint_eq(seen, 2 * (4 * 32 + 31));
}
END_TEST

/* Patterns worked out by hand, one lane a row: rules whose counts would not change if lanes stood elsewhere. */
static const struct {
	const char *id;
	unsigned lane;
	uint32_t offset; /* bytes from the pattern's origin */
} spots[] = {
	{ "mapping/distance/33", 31, 132 },
	{ "mapping/address_bit/10", 0, 2048 },
	{ "mapping/address_bit/10", 31, 3072 },
	{ "mapping/address_bit_pair/7_10", 0, 2176 },
	{ "mapping/address_bit_pair/7_10", 31, 3072 },
	{ "mapping/address_bit_pair/16_17", 31, 131072 },
	{ "mapping/window_line/55", 31, 225404 },
	{ "mapping/window_column/55", 31, 229248 },
	{ "mapping/window_line/last", 0, 0 },
	{ "mapping/base_alignment/31", 0, 124 },
	{ "mapping/base_alignment/31", 31, 248 },
	{ "broadcast/one_word_ld_b32/word_1000", 17, 4000 },
	{ "broadcast/groups_ld_b32/adjacent_4", 31, 28 },
	{ "broadcast/groups_ld_b32/interleaved_4", 31, 28 },
	{ "broadcast/groups_ld_b32/interleaved_4", 8, 0 },
	{ "broadcast/groups_st_b32/adjacent_16", 15, 0 },
	{ "broadcast/same_bank_ld_b32/adjacent_2", 16, 128 },
	{ "broadcast/same_bank_st_b32/interleaved_2", 16, 0 },
	{ "broadcast/same_bank_st_b32/interleaved_2", 17, 128 },
	{ "broadcast/several_ld_b32/7", 6, 808 },
	{ "broadcast/several_ld_b32/7", 7, 0 },
	{ "broadcast/bytes_ld_b8/part_3", 31, 3 },
	{ "broadcast/bytes_ld_b8/one_word", 6, 2 },
	{ "broadcast/bytes_st_b8/adjacent", 6, 6 },
	{ "broadcast/bytes_st_b8/interleaved", 7, 28 },
	{ "broadcast/bytes_st_b8/interleaved", 9, 5 },
	{ "broadcast/halves_ld_b16/part_1", 31, 2 },
	{ "broadcast/halves_ld_b16/interleaved", 15, 60 },
	{ "broadcast/halves_ld_b16/interleaved", 17, 6 },
	{ "stride/ld_b32/m3", 0, 372 },
	{ "stride/ld_b32/m3", 31, 0 },
	{ "stride/st_b32/64", 31, 7936 },
	{ "stride/offset_ld_b32/s32_5", 1, 148 },
	{ "ways/first_ld_b32/3", 2, 264 },
	{ "ways/first_ld_b32/3", 3, 12 },
	{ "ways/first_ld_b32/3", 31, 124 },
	{ "ways/last_st_b32/3", 0, 12 },
	{ "ways/last_st_b32/3", 28, 12 },
	{ "ways/last_st_b32/3", 31, 264 },
	{ "ways/inactive_ld_b32/1", 26, 0 },
	{ "ways/apart_ld_b32/32", 1, 128 },
	{ "width/stride_ld_b8/5", 31, 155 },
	{ "width/stride_st_b64/m2", 0, 496 },
	{ "width/consecutive_ld_b128/rotated", 0, 80 },
	{ "width/consecutive_ld_b128/rotated", 27, 0 },
	{ "width/partner_ld_b32/16", 17, 132 },
	{ "width/partner_ld_b64/8", 8, 128 },
	{ "width/partner_ld_b64/8", 16, 64 },
	{ "width/partner_ld_b128/8", 8, 128 },
	{ "width/partner_st_b128/1", 17, 384 },
	{ "width/active_groups_ld_b128/3", 24, 384 },
	{ "width/pair_ld_b64/x2", 5, 24 },
	{ "width/pair_ld_b64/x1_one_bank", 31, 1920 },
	{ "width/pair_ld_b64/x1_broken_13", 13, 112 },
	{ "width/pair_ld_b128/x1_broken_0", 0, 64 },
	{ "width/pair_ld_b128/x1_then_x2", 15, 112 },
	{ "width/pair_ld_b128/x1_then_x2", 18, 128 },
	{ "width/column_ld_b64/31", 2, 760 },
	{ "width/column_padded_st_b64/31", 2, 776 },
};

START_TEST(lanes_are_where_a_hand_put_them)
{
	const struct bc_case *c = bc_catalog_find(&bc_world.cat, spots[_i].id);

	ck_assert_msg(c != NULL, "%s is gone", spots[_i].id);
	ck_assert_msg(c->pattern.mask >> spots[_i].lane & 1, "%s: lane %u is inactive", c->id, spots[_i].lane);
	ck_assert_msg(c->pattern.offset[spots[_i].lane] == spots[_i].offset, "%s: lane %u is at %u, not %u", c->id,
		      spots[_i].lane, c->pattern.offset[spots[_i].lane], spots[_i].offset);
}
END_TEST

/* Largest dynamic shared memory of a block, as NVIDIA's programming guide states it. */
static const struct {
	const char *name;
	uint32_t optin_kb, sm_kb, warps, blocks;
} capacities[] = {
	{ "sm_70", 96, 96, 64, 32 },	{ "sm_75", 64, 64, 32, 16 },	{ "sm_80", 163, 164, 64, 32 },
	{ "sm_86", 99, 100, 48, 16 },	{ "sm_87", 163, 164, 48, 16 },	{ "sm_88", 99, 100, 48, 16 },
	{ "sm_89", 99, 100, 48, 24 },	{ "sm_90", 227, 228, 64, 32 },	{ "sm_100", 227, 228, 64, 32 },
	{ "sm_103", 227, 228, 64, 32 }, { "sm_107", 327, 328, 32, 16 }, { "sm_110", 227, 228, 48, 24 },
	{ "sm_120", 99, 100, 48, 24 },	{ "sm_121", 99, 100, 48, 24 },
};

START_TEST(architectures_have_the_published_capacities)
{
	struct bc_arch a;

	bc_world_need(bc_arch_load(BC_TEST_EXPECTED, capacities[_i].name, &a, &bc_world.err), capacities[_i].name);
	ck_assert_uint_eq(a.optin_bytes, capacities[_i].optin_kb * 1024);
	ck_assert_uint_eq(a.sm_bytes, capacities[_i].sm_kb * 1024);
	ck_assert_uint_eq(a.max_warps_sm, capacities[_i].warps);
	ck_assert_uint_eq(a.max_blocks_sm, capacities[_i].blocks);
	ck_assert_uint_eq(a.optin_bytes + a.reserved_bytes, a.sm_bytes);
	ck_assert_uint_eq(a.window_base, a.cc >= 90 ? 1024 : 0);
	ck_assert_uint_eq(a.reserved_bytes, a.cc >= 80 ? 1024 : 0);
	ck_assert_uint_eq(a.banks * a.bank_bytes, 128);
	ck_assert_uint_eq(a.static_bytes, 48 * 1024);
	ck_assert_uint_eq(a.ldmatrix, a.cc >= 75);
	ck_assert_uint_eq(a.stmatrix, a.cc >= 90);
	ck_assert_uint_eq(a.cp_async, a.cc >= 80);
	ck_assert_uint_eq(a.redux, a.cc >= 80);
	ck_assert_uint_eq(a.mma_sync, a.cc >= 80);
	ck_assert_uint_eq(a.mbarrier, a.cc >= 80);
	ck_assert_uint_eq(a.cluster, a.cc >= 90);
	ck_assert_uint_eq(a.bulk_copy, a.cc >= 90);
	ck_assert_uint_eq(a.wgmma, a.cc == 90);
	ck_assert_uint_eq(a.tensor_atoms, a.cc >= 100);
	ck_assert_uint_eq(a.popc_inc, a.cc >= 80);
	ck_assert_uint_eq(a.ldgsts_conflicts, a.cc >= 80 && a.cc != 86 && a.cc != 88);
	ck_assert_int_eq(strcmp(a.confirmed, "none") == 0, a.cc != 90);
}
END_TEST

/* The masks of a calculation of the documented generator done elsewhere. */
static const struct {
	unsigned n;
	uint32_t mask;
} scatters[] = {
	{ 0, 0x00000000 }, { 1, 0x04000000 },  { 2, 0x20100000 },  { 3, 0x00202004 },  { 5, 0x00010065 },
	{ 8, 0x01c09007 }, { 16, 0x85b3adc2 }, { 24, 0xfdebf5ce }, { 31, 0xf7ffffff }, { 32, 0xffffffff },
};

START_TEST(scattered_lanes_are_the_same_everywhere)
{
	ck_assert_uint_eq(bc_random_mask(scatters[_i].n), scatters[_i].mask);
}
END_TEST

static const struct {
	int n;
	const char *want;
} names[] = {
	{ 0, "0" }, { 7, "7" }, { 10, "10" }, { -3, "m3" }, { INT_MAX, "2147483647" }, { INT_MIN, "m2147483648" },
};

START_TEST(numbers_become_names)
{
	struct bc_case c = { 0 };

	bc_variant_add(&c, "x_");
	bc_variant_add_int(&c, names[_i].n);
	ck_assert_str_eq(c.variant + 2, names[_i].want);
}
END_TEST

static const struct {
	const char *rule;
	enum bc_op op;
	const char *twin;
} rule_ops[] = {
	{ "ld_b32", BC_OP_LD32, "s_ld_b32/v" },
	{ "stride_ld_b8", BC_OP_LD8, "s_ld_b8/v" },
	{ "x_ld_b128", BC_OP_LD128, "s_ld_b128/v" },
	{ "x_st_b64", BC_OP_ST64, "s_st_b64/v" },
	{ "st_b16", BC_OP_ST16, "s_st_b16/v" },
	{ "distance", BC_OP_NONE, "s_/v" },
	{ "old_b32", BC_OP_NONE, "s_/v" },
	{ "ld_b32_x", BC_OP_NONE, "s_/v" },
	{ "b32", BC_OP_NONE, "s_/v" },
};

START_TEST(the_rule_names_the_operation)
{
	const struct bc_rule r = { .name = rule_ops[_i].rule };
	struct bc_case c = { .rule = &r };

	ck_assert_int_eq(bc_rule_op(&r), rule_ops[_i].op);
	bc_twin_set_stem(&c, "s", "v");
	ck_assert_str_eq(c.twin, rule_ops[_i].twin);
}
END_TEST

START_TEST(pairs_of_lanes_have_one_number)
{
	for (unsigned bit = 0; bit < 5; bit++) {
		unsigned seen[16] = { 0 };

		for (uint32_t l = 0; l < 32; l++) {
			ck_assert_uint_lt(bc_lane_pair(l, bit), 16);
			ck_assert_uint_eq(bc_lane_pair(l, bit), bc_lane_pair(l ^ 1u << bit, bit));
			seen[bc_lane_pair(l, bit)]++;
		}
		for (unsigned i = 0; i < 16; i++)
			ck_assert_uint_eq(seen[i], 2);
	}
}
END_TEST

Suite *bc_test_suites(void)
{
	Suite *s = suite_create("suites");
	TCase *tc = tcase_create("catalogue");

	tcase_add_unchecked_fixture(tc, bc_world_open, bc_world_close);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, the_catalogue_has_the_five_suites);
	tcase_add_test(tc, every_rule_has_a_sentence_and_a_source);
	tcase_add_test(tc, ids_are_the_listed_ones);
	tcase_add_test(tc, operations_are_what_rules_say);
	tcase_add_test(tc, operations_have_their_needs);
	tcase_add_test(tc, rows_are_there_and_equal_the_model_on_every_architecture);
	tcase_add_test(tc, lines_and_columns_cover_the_whole_window_of_every_architecture);
	tcase_add_test(tc, distances_reach_the_end_of_every_window);
	tcase_add_test(tc, address_bits_differ_in_the_absolute_address);
	tcase_add_test(tc, the_lanes_of_a_conflict_stand_where_the_rule_says);
	tcase_add_loop_test(tc, lanes_are_where_a_hand_put_them, 0, (int)BC_ARRAY_LEN(spots));
	suite_add_tcase(s, tc);

	tc = tcase_create("tables");
	tcase_add_loop_test(tc, architectures_have_the_published_capacities, 0, (int)BC_ARRAY_LEN(capacities));
	tcase_add_loop_test(tc, scattered_lanes_are_the_same_everywhere, 0, (int)BC_ARRAY_LEN(scatters));
	tcase_add_loop_test(tc, numbers_become_names, 0, (int)BC_ARRAY_LEN(names));
	tcase_add_loop_test(tc, the_rule_names_the_operation, 0, (int)BC_ARRAY_LEN(rule_ops));
	tcase_add_test(tc, pairs_of_lanes_have_one_number);
	suite_add_tcase(s, tc);
	return s;
}
