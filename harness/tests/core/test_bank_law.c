/* SPDX-License-Identifier: MIT */
/* The words of a law: read, checked, counted by, and printed again; against laws counted by brute force. */
#include "harness/core/banks.h"
#include "harness/tests/drawn_law.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *bc_test_bank_law(void);

#define WINDOW 232448u
#define LAWS 24
#define PATTERNS 12 /* of each operation and law */

static struct bc_error err;

static struct bc_arch sm_90(void)
{
	struct bc_arch a;

	ck_assert_msg(!bc_arch_load(BC_TEST_EXPECTED, "sm_90", &a, &err), "%s", err.msg);
	return a;
}

START_TEST(a_law_counts_as_by_brute_force)
{
	struct bc_arch a = sm_90();
	struct drawn_law d;
	char text[DRAWN_TEXT];
	uint64_t s = 77;

	drawn_law_make(&d, (uint64_t)_i, WINDOW, false);
	drawn_law_text(&d, text);
	ck_assert_msg(!bc_arch_law_parse(text, "drawn", &a, &err), "%s\n%s", err.msg, text);

	const struct bc_geometry g = bc_arch_geometry(&a);

	for (unsigned k = 0; drawn_ops[k].name; k++) {
		const enum bc_op op = bc_op_parse(drawn_ops[k].name);

		for (unsigned i = 0; i < PATTERNS; i++) {
			struct bc_bank_access touch[BC_LANES * BC_LANE_WORDS_MAX];
			uint32_t addr[32], mask;
			struct drawn_count want;
			struct bc_wavefronts w;
			size_t n;

			drawn_pattern(&s, k, d.window_base, WINDOW, addr, &mask);
			want = drawn_law_count(&d, k, addr, mask);
			ck_assert_msg(!bc_banks_schedule(&g, op, addr, mask, &w, touch, BC_ARRAY_LEN(touch), &n, &err),
				      "%s", err.msg);
			ck_assert_msg(w.wavefronts == want.wavefronts && w.conflicts == want.conflicts,
				      "law %d, %s, pattern %u: %u wavefronts and %u conflicts, expected %u and %u\n%s",
				      _i, drawn_ops[k].name, i, w.wavefronts, w.conflicts, want.wavefronts,
				      want.conflicts, text);
			if (w.law != BC_LAW_CAS && n)
				ck_assert_uint_eq(touch[n - 1].wavefront, want.wavefronts - 1);
		}
	}
}
END_TEST

START_TEST(a_law_is_printed_in_one_form)
{
	struct bc_arch a = sm_90();
	struct bc_text out = { 0 };
	bool ops[BC_NOPS] = { false };
	struct drawn_law d;
	char text[DRAWN_TEXT];

	for (unsigned k = 0; drawn_ops[k].name; k++)
		ops[bc_op_parse(drawn_ops[k].name)] = true;
	drawn_law_make(&d, (uint64_t)_i, WINDOW, false);
	drawn_law_text(&d, text);
	ck_assert_msg(!bc_arch_law_parse(text, "drawn", &a, &err), "%s", err.msg);

	const struct bc_geometry g = bc_arch_geometry(&a);

	ck_assert(!bc_geometry_print(&g, ops, true, &out, &err));
	ck_assert(!bc_text_addf(&out, &err, "window_base %u\n", a.window_base));
	drawn_law_found(&d, false, text);
	ck_assert_str_eq(out.data, text);
	bc_text_release(&out);
}
END_TEST

/* Every operation that has a law is drawn, in the order of core/op.h. */
START_TEST(all_operations_are_drawn)
{
	unsigned k = 0;

	for (unsigned op = 0; op < BC_NOPS; op++)
		if (bc_op_has_law((enum bc_op)op)) {
			ck_assert_str_eq(drawn_ops[k].name, bc_op_info((enum bc_op)op)->name);
			ck_assert_int_eq(drawn_ops[k].timed, bc_op_info((enum bc_op)op)->timed);
			k++;
		}
	ck_assert_ptr_null(drawn_ops[k].name);
}
END_TEST

START_TEST(todays_law_in_words_is_todays_law)
{
	struct bc_arch a = sm_90(), plain = a;
	struct drawn_law d;
	char text[DRAWN_TEXT];
	uint64_t s = 5;

	drawn_law_sound(&d, 1024);
	drawn_law_text(&d, text);
	ck_assert_msg(!bc_arch_law_parse(text, "today", &a, &err), "%s", err.msg);
	ck_assert(a.law.given && !plain.law.given);

	const struct bc_geometry g = bc_arch_geometry(&a), h = bc_arch_geometry(&plain);

	for (unsigned k = 0; drawn_ops[k].name; k++)
		for (unsigned i = 0; i < 100; i++) {
			const enum bc_op op = bc_op_parse(drawn_ops[k].name);
			uint32_t addr[32], mask;
			struct bc_wavefronts v, w;

			drawn_pattern(&s, k, 1024, WINDOW, addr, &mask);
			ck_assert(!bc_banks_count(&g, op, addr, mask, &v, &err));
			ck_assert(!bc_banks_count(&h, op, addr, mask, &w, &err));
			ck_assert_msg(v.wavefronts == w.wavefronts && v.conflicts == w.conflicts &&
					      v.merged == w.merged && v.groups == w.groups,
				      "%s: %u and %u", drawn_ops[k].name, v.wavefronts, w.wavefronts);
		}
}
END_TEST

/* A random table: equal seeds agree, all banks are used, and no XOR of address bits explains it. */
START_TEST(a_random_table_is_not_linear)
{
	struct bc_arch a = sm_90();
	unsigned used = 0, broken = 0;

	ck_assert_msg(!bc_arch_law_parse("banks 16\nnot_linear 4\n", "t", &a, &err), "%s", err.msg);

	const struct bc_geometry g = bc_arch_geometry(&a);

	for (uint32_t x = 1024; x < 4096; x += 4) {
		used |= 1u << bc_geometry_bank(&g, x);
		ck_assert_uint_eq(bc_geometry_bank(&g, x), bc_geometry_bank(&g, x + 3));
		broken += (bc_geometry_bank(&g, x) == bc_geometry_bank(&g, x ^ 64)) !=
			  (bc_geometry_bank(&g, x ^ 8) == bc_geometry_bank(&g, x ^ 72));
	}
	ck_assert_uint_eq(used, 0xffff);
	ck_assert_uint_gt(broken, 10);
}
END_TEST

/* Texts that are no law: where, and what is said. */
static const struct {
	const char *text, *line, *says;
} wrong[] = {
	{ "banks 33\n", "f:1:", "power of two" },
	{ "banks 32\nbanks 32\n", "f:2:", "already set in line 1" },
	{ "bank_bytes 6\n", "f:1:", "4 or 8" },
	{ "window_base 100\n", "f:1:", "steps of 128" },
	{ "window_base 32768\n", "f:1:", "16384" },
	{ "colour red\n", "f:1:", "no word of a law" },
	{ "optin_bytes 16384\n", "f:1:", "no word of a law" },
	{ "\n# a comment\nbank_bit\n", "f:3:", "bank_bit I = B B" },
	{ "bank_bit 6 = 2\n", "f:1:", "I from 0 to 5" },
	{ "bank_bit 0 2\n", "f:1:", "bank_bit I = B B" },
	{ "bank_bit 0 =\n", "f:1:", "bank_bit I = B B" },
	{ "bank_bit 0 = x\n", "f:1:", "address bit 'x'" },
	{ "bank_bit 0 = 20\n", "f:1:", "0 to 19" },
	{ "bank_bit 0 = 3 3\n", "f:1:", "twice" },
	{ "banks 2\nbank_bit 0 = 3\nbank_bit 0 = 4\n", "f:3:", "already set in line 2" },
	{ "banks 4\nbank_bit 0 = 3\n", "f:", "bank_bit 1 is missing" },
	{ "banks 2\nbank_bit 0 = 3\nbank_bit 1 = 4\n", "f:3:", "2 banks have 1 bits" },
	{ "banks 2\nbank_bit 0 = 1 4\n", "f:2:", "within a word" },
	{ "banks 2\nbank_bytes 8\nbank_bit 0 = 2 4\n", "f:3:", "within a word of 8" },
	{ "banks 2\nbank_bit 0 = 18\n", "f:2:", "no address of the window" },
	{ "banks 8\nbank_bit 0 = 2 3\nbank_bit 1 = 3 4\nbank_bit 2 = 2 4\n", "f:4:", "half of the 8 banks" },
	{ "group\n", "f:1:", "no operation" },
	{ "group ld33 8\n", "f:1:", "'ld33' is no operation" },
	{ "group cpa16cg 8\n", "f:1:", "no bank law" },
	{ "group ld32\n", "f:1:", "group ld32 N" },
	{ "group ld32 12\n", "f:1:", "a power of two" },
	{ "group ld32 2\n", "f:1:", "4 to 32" },
	{ "group ldsm2 32\n", "f:1:", "8 to 16" },
	{ "group ld32 8 8\n", "f:1:", "group ld32 N" },
	{ "group ld32 8\ngroup ld32 8\n", "f:2:", "already set in line 1" },
	{ "merge ld32 some\n", "f:1:", "none|word|whole" },
	{ "merge ld32 own\n", "f:1:", "none|word|whole" },
	{ "merge ld32 word word\n", "f:1:", "none|word|whole" },
	{ "merge ld32 word\nmerge ld32 word\n", "f:2:", "already set in line 1" },
	{ "merge ld32 pairs\n", "f:1:", "groups to merge" },
	{ "merge exch64 pair1\n", "f:1:", "groups to merge" },
	{ "group ld64 32\nmerge ld64 pair2\n", "f:2:", "groups to merge" },
	{ "cas_factor 0\n", "f:1:", "1 to 16" },
	{ "cas_factor 2\ncas_factor 2\n", "f:2:", "already set" },
	{ "not_linear\n", "f:1:", "seed" },
	{ "not_linear 1\nnot_linear 1\n", "f:2:", "already set" },
	{ "banks 2\nbank_bit 0 = 2\nnot_linear 1\n", "f:3:", "exclude" },
};

START_TEST(a_text_that_is_no_law_is_refused)
{
	struct bc_arch a = sm_90();
	const struct bc_arch before = a;

	ck_assert_int_eq(bc_arch_law_parse(wrong[_i].text, "f", &a, &err), BC_EDATA);
	ck_assert_msg(strncmp(err.msg, wrong[_i].line, strlen(wrong[_i].line)) == 0 && strstr(err.msg, wrong[_i].says),
		      "%s gives: %s", wrong[_i].text, err.msg);
	ck_assert(memcmp(&a, &before, sizeof(a)) == 0);
}
END_TEST

START_TEST(a_law_of_few_words_changes_only_those)
{
	struct bc_arch a = sm_90();

	ck_assert_msg(!bc_arch_law_parse("group ld64 32\nmerge st32 none\n", "f", &a, &err), "%s", err.msg);

	const struct bc_geometry g = bc_arch_geometry(&a);

	ck_assert_uint_eq(a.banks, 32);
	ck_assert_uint_eq(a.window_base, 1024);
	ck_assert_uint_eq(bc_geometry_group(&g, BC_OP_LD64), 32);
	ck_assert_int_eq(bc_geometry_merge(&g, BC_OP_LD64), BC_MERGE_WORD); /* no groups, no pairs */
	ck_assert_int_eq(bc_geometry_merge(&g, BC_OP_LD128), BC_MERGE_PAIRS);
	ck_assert_int_eq(bc_geometry_merge(&g, BC_OP_ST32), BC_MERGE_NONE);
	ck_assert_int_eq(bc_geometry_merge(&g, BC_OP_ATOM32), BC_MERGE_NONE);
	ck_assert_uint_eq(bc_geometry_bank(&g, 132), 1);
	ck_assert_uint_eq(bc_geometry_cas_factor(&g), 2);
	ck_assert_int_eq(bc_arch_law_load("/no/such/law", &a, &err), BC_EREAD);
}
END_TEST

Suite *bc_test_bank_law(void)
{
	Suite *s = suite_create("bank_law");
	TCase *tc = tcase_create("law");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, a_law_counts_as_by_brute_force, 0, LAWS);
	tcase_add_loop_test(tc, a_law_is_printed_in_one_form, 0, LAWS);
	tcase_add_test(tc, all_operations_are_drawn);
	tcase_add_test(tc, todays_law_in_words_is_todays_law);
	tcase_add_test(tc, a_random_table_is_not_linear);
	tcase_add_loop_test(tc, a_text_that_is_no_law_is_refused, 0, (int)BC_ARRAY_LEN(wrong));
	tcase_add_test(tc, a_law_of_few_words_changes_only_those);
	suite_add_tcase(s, tc);
	return s;
}
