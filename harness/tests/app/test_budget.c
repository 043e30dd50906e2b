/* SPDX-License-Identifier: MIT */
#include "harness/app/budget.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/app/config.h"
#include "harness/app/tally.h"
#include "harness/base/demangle.h"

Suite *bc_test_budget(void);

static const struct {
	const char *text, *message;
} wrong[] = {
	{ "", "bounds nothing" },
	{ "kernel scale ld.conflicts<=0\n", "b:1: a glob stands in double quotes" },
	{ "kernel \"scale ld.conflicts<=0\n", "b:1: the glob's closing quote is missing" },
	{ "kernel \"\" ld.conflicts<=0\n", "b:1: the glob is empty" },
	{ "# c\nkernel \"a\"\n", "b:2: the line bounds nothing" },
	{ "kernel \"a\" ld.conflicts<0\n", "b:1: ld.conflicts<0: a bound is FIGURE<=NUMBER" },
	{ "kernel \"a\" ld.conflicts <= 0\n", "b:1: ld.conflicts: a bound is" },
	{ "kernel \"a\" ld.conflicts<=-1\n", "b:1: -1: not a number from 0 up" },
	{ "kernel \"a\" ld.conflicts<=1e3\n", "b:1: 1e3: not a number" },
	{ "kernel \"a\" bank.conflicts<=1\n", "b:1: bank.conflicts: not a figure; there are ld.conflicts" },
	{ "kernel \"a\" sectors<=1 sectors<=2\n", "b:1: sectors: bounded twice" },
	{ "kernel \"a\" sectors<=1\nkernel \"a\" sectors<=2\n", "b:2: a: is in line 1 already" },
	{ "default sectors<=1\ndefault sectors<=2\n", "b:2: default: is in line 1 already" },
	{ "limit \"a\" sectors<=1\n", "b:1: limit: a line begins with kernel, default or known" },
	{ "default sectors<=1\nknown \"a\" sectors until=2027-02-30 x\n", "b:2: a known line is" },
	{ "default sectors<=1\nknown \"a\" sectors until=2027-02-03\n", "b:2: a known line is" },
	{ "default sectors<=1\nknown \"a\" sector until=2027-02-03 x\n", "b:2: sector: not a figure" },
};

START_TEST(a_wrong_budget_is_named_by_its_line)
{
	struct bc_budget b = { 0 };
	struct bc_error err = { .msg = "" };

	ck_assert_int_eq(bc_budget_parse(wrong[_i].text, "b", &b, &err), BC_EDATA);
	ck_assert_msg(strstr(err.msg, wrong[_i].message), "%s", err.msg);
	bc_budget_release(&b);
}
END_TEST

START_TEST(the_first_line_that_matches_counts)
{
	struct bc_budget b = { 0 };
	struct bc_error err = { .msg = "" };
	const char *mangled = "_ZN2ns5scaleIfEEvPfi", *name = "void ns::scale<float>(float*, int)";

	/* a comment behind a bound is no bound */
	ck_assert_int_eq(bc_budget_parse("kernel \"ns::sc*\" st.conflicts<=1 # a comment\n", "b", &b, &err), BC_EDATA);
	bc_budget_release(&b);
	ck_assert_msg(!bc_budget_parse("default ld.conflicts<=3\n"
				       "kernel \"ns::scale<double>\" st.conflicts<=0\n"
				       "kernel \"ns::scale<float>\" st.conflicts<=1 launches>=2\n"
				       "kernel \"_ZN2ns5*\" st.conflicts<=2\n",
				       "b", &b, &err),
		      "%s", err.msg);
	ck_assert_uint_eq(bc_budget_find(&b, mangled, name)->line, 3);
	ck_assert_uint_eq(bc_budget_find(&b, "_ZN2ns5other", "ns::other")->line, 4);
	ck_assert_uint_eq(bc_budget_find(&b, "k", "k")->line, 1);
	ck_assert(b.lines[2].bound[1].least && b.lines[2].bound[1].figure == BC_FIGURE_LAUNCHES);
	ck_assert_uint_eq(bc_budget_counters(&b) & (1u << BC_CTR_ATOM_CONFLICTS), 0);
	ck_assert_uint_ne(bc_budget_counters(&b) & (1u << BC_CTR_STSM_REQUESTS), 0);
	bc_budget_release(&b);
}
END_TEST

/* Names as compilers write them, what a person reads of them, and in 30 bytes. */
static const struct {
	const char *symbol, *core, *brief;
} names[] = {
	{ "saxpy", "saxpy", "saxpy" },
	{ "_Z5scalePfi", "scale", "scale" },
	{ "_ZN2ns5scaleIfLi4EEEvPT_i", "ns::scale<float, 4>", "ns::scale<float, 4>" },
	{ "_ZN12_GLOBAL__N_15scaleEPf", "(anonymous namespace)::scale", "(anonymous namespace)::scale" },
	{ "_ZN5outer5inner4kernINS_3aaaINS_3bbbIiiEEEENS_3cccIfEEEEvv",
	  "outer::inner::kern<outer::aaa<outer::bbb<int, int> >, outer::ccc<float> >", "outer::inner::kern<...>" },
};

START_TEST(names_are_read_as_written)
{
	char *full, *core, *brief;

	if (!bc_can_demangle())
		return;
	full = bc_demangle(names[_i].symbol);
	core = bc_name_core(full);
	brief = bc_name_short(full, 30);
	ck_assert_str_eq(core, names[_i].core);
	ck_assert_str_eq(brief, names[_i].brief);
	free(full);
	free(core);
	free(brief);
}
END_TEST

START_TEST(figures_are_made_of_counters)
{
	struct bc_app_kernel k = { .launches = 10 };
	uint64_t launches;
	double v;

	ck_assert_int_eq(bc_figure_of(&k, BC_FIGURE_ST_CONFLICTS, &v, &launches), BC_FIGURE_UNCOUNTED);
	/* stores and stmatrix over different launches: a launch makes 6 and 2 requests and 40 conflicts */
	k.count[BC_CTR_ST_REQUESTS] = (struct bc_app_sum){ 2, 12 };
	k.count[BC_CTR_STSM_REQUESTS] = (struct bc_app_sum){ 3, 6 };
	k.count[BC_CTR_ST_CONFLICTS] = (struct bc_app_sum){ 2, 80 };
	ck_assert_int_eq(bc_figure_of(&k, BC_FIGURE_ST_CONFLICTS, &v, &launches), BC_FIGURE_THERE);
	ck_assert_double_eq(v, 5);
	ck_assert_uint_eq(launches, 2);
	ck_assert_double_eq(bc_lost_wavefronts(&k), 400);
	k.count[BC_CTR_ATOM_REQUESTS] = k.count[BC_CTR_ATOM_CONFLICTS] = (struct bc_app_sum){ 4, 0 };
	ck_assert_int_eq(bc_figure_of(&k, BC_FIGURE_ATOM_CONFLICTS, &v, &launches), BC_FIGURE_NONE);
	ck_assert_int_eq(bc_figure_of(&k, BC_FIGURE_LAUNCHES, &v, &launches), BC_FIGURE_THERE);
	ck_assert_double_eq(v, 10);
}
END_TEST

static void launch(struct bc_app_tally *t, const char *name, uint32_t grid, uint64_t conflicts, bool *kept)
{
	const struct bc_app_kernel k = { .grid = { grid, 1, 1 }, .block = { 32, 1, 1 } };
	struct bc_counts c = { .present = 1u << BC_CTR_LD_CONFLICTS };
	struct bc_error err;
	size_t at;

	c.v[BC_CTR_LD_CONFLICTS] = conflicts;
	ck_assert(!bc_app_tally_launch(t, &k, name, &at, &err));
	*kept = bc_app_tally_sampled(t, at, 0);
	if (*kept)
		ck_assert(!bc_app_tally_add(t, at, 0, &c, &err));
}

START_TEST(launches_are_told_apart)
{
	struct bc_app_record r = { 0 };
	struct bc_app_tally *t = bc_app_tally_open(&r, 0);
	bool kept;

	for (unsigned i = 0; i < 500; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "k%u", i % 100);
		launch(t, name, 1 + i % 2, i, &kept);
		ck_assert(kept);
	}
	ck_assert_uint_eq(r.nkernels, 100); /* i % 100 and i % 2 go together */
	launch(t, "k0", 2, 0, &kept);
	ck_assert_uint_eq(r.nkernels, 101);
	ck_assert_uint_eq(r.kernel[0].launches, 5);
	ck_assert_uint_eq(r.kernel[0].count[BC_CTR_LD_CONFLICTS].sum, 0 + 100 + 200 + 300 + 400);
	bc_app_tally_close(t);
	bc_app_record_release(&r);
}
END_TEST

/* Of 4,000 launches whose count is their number 16 are kept; evenly, so their mean is near the middle. */
START_TEST(a_sample_is_even)
{
	struct bc_app_record r = { 0 };
	struct bc_app_tally *t = bc_app_tally_open(&r, 16);
	size_t measured = 0;
	bool kept;

	for (unsigned i = 0; i < 4000; i++) {
		launch(t, "k", 1, i, &kept);
		measured += kept;
	}
	bc_app_tally_sum(t);
	ck_assert_uint_eq(r.kernel[0].launches, 4000);
	ck_assert_uint_eq(r.kernel[0].count[BC_CTR_LD_CONFLICTS].launches, 16);
	ck_assert_uint_le(measured, 32 + 16 * 8);
	ck_assert_double_eq_tol((double)r.kernel[0].count[BC_CTR_LD_CONFLICTS].sum / 16, 2000, 300);
	bc_app_tally_close(t);
	bc_app_record_release(&r);
}
END_TEST

START_TEST(a_record_is_read_as_it_was_written)
{
	struct bc_app_record r = { .pid = 12, .command = strdup("a\tprogram"), .start_us = 5, .ended = true },
			     back = { 0 };
	struct bc_app_tally *t = bc_app_tally_open(&r, 0);
	struct bc_text text = { 0 }, again = { 0 };
	struct bc_error err = { .msg = "" };
	bool kept;

	launch(t, "tab\there", 3, 7, &kept);
	launch(t, "two", 3, 9, &kept);
	bc_app_leave(&r, "excluded");
	bc_app_leave(&r, "excluded");
	bc_app_note(&r, "a %s", "note");
	bc_app_note(&r, "a %s", "note");
	ck_assert(!bc_app_record_write(&r, &text, &err));
	ck_assert(!bc_text_add(&again, text.data, text.len, &err));
	ck_assert_msg(!bc_app_record_read(text.data, "r", &back, &err), "%s", err.msg);
	ck_assert_str_eq(back.command, "a\tprogram");
	ck_assert_str_eq(back.kernel[0].name, "tab\there");
	ck_assert_uint_eq(back.kernel[1].count[BC_CTR_LD_CONFLICTS].sum, 9);
	ck_assert_uint_eq(back.left[0].launches, 2);
	ck_assert_uint_eq(back.nnotes, 1);
	ck_assert(back.ended && !back.cut);
	bc_text_release(&text);
	ck_assert(!bc_app_record_write(&back, &text, &err));
	ck_assert_str_eq(text.data, again.data);
	bc_text_release(&text);
	bc_text_release(&again);
	bc_app_tally_close(t);
	bc_app_record_release(&r);
	bc_app_record_release(&back);
}
END_TEST

static const struct {
	const char *text, *message;
} damaged[] = {
	{ "", "r: empty" },
	{ "bankcheck-app 9\n", "r:1: not a record of this version" },
	{ "bankcheck-app 2\nprocess\t1\tx", "r:2: the line has no end" },
	{ "bankcheck-app 2\nprocess\tx\ty\n", "r:2: a process line is" },
	{ "bankcheck-app 2\ncount\tld_requests\t1\t1\n", "r:2: a count line is" },
	{ "bankcheck-app 2\nkernel\t0\tkernel\t1,1\t1,1,1\t0\t1\tk\n", "r:2: a kernel line is" },
	{ "bankcheck-app 2\nkernel\t0\tthing\t1,1,1\t1,1,1\t0\t1\tk\n", "r:2: thing: not a kind" },
	{ "bankcheck-app 2\nkernel\t0\tkernel\t1,1,1\t1,1,1\t0\t1\tk\ncount\tx\t1\t1\n", "r:3: x: not a counter" },
	{ "bankcheck-app 2\ncost\t1\t2\t3\t4\n", "r:2: cost: no line" },
	{ "bankcheck-app 2\nhello\n", "r:2: hello: no line" },
};

START_TEST(a_damaged_record_is_named)
{
	struct bc_app_record r = { 0 };
	struct bc_error err = { .msg = "" };
	char *text = strdup(damaged[_i].text);

	ck_assert_int_eq(bc_app_record_read(text, "r", &r, &err), BC_EDATA);
	ck_assert_msg(strstr(err.msg, damaged[_i].message), "%s", err.msg);
	bc_app_record_release(&r);
	free(text);
}
END_TEST

Suite *bc_test_budget(void)
{
	Suite *s = suite_create("budget");
	TCase *tc = tcase_create("budget");

	tcase_add_loop_test(tc, a_wrong_budget_is_named_by_its_line, 0, (int)BC_ARRAY_LEN(wrong));
	tcase_add_test(tc, the_first_line_that_matches_counts);
	tcase_add_loop_test(tc, names_are_read_as_written, 0, (int)BC_ARRAY_LEN(names));
	tcase_add_test(tc, figures_are_made_of_counters);
	tcase_add_test(tc, launches_are_told_apart);
	tcase_add_test(tc, a_sample_is_even);
	tcase_add_test(tc, a_record_is_read_as_it_was_written);
	tcase_add_loop_test(tc, a_damaged_record_is_named, 0, (int)BC_ARRAY_LEN(damaged));
	suite_add_tcase(s, tc);
	return s;
}
