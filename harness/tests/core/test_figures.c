/* SPDX-License-Identifier: MIT */
/* harness/tests/core/test_figures.c - rows of several quantities, and quantities of which nobody knows a figure. */
#include "harness/core/judge.h"
#include "harness/tests/invented.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *bc_test_figures(void);

static struct bc_catalog cat;

static void set_up(void)
{
	cat = bc_invented_catalog();
}

static void tear_down(void)
{
	bc_catalog_release(&cat);
}

static const struct {
	const char *what, *row;
	struct bc_count count;
	uint64_t stated;
	bool global, want;
} counts[] = {
	{ "as expected", "wavefronts=2 conflicts=1", { 8, 16, 8, 0 }, 8, false, true },
	{ "wavefronts alone are off", "wavefronts=2 conflicts=1", { 8, 17, 8, 0 }, 8, false, false },
	{ "conflicts alone are off", "wavefronts=2 conflicts=1", { 8, 16, 9, 0 }, 8, false, false },
	{ "conflicts off below", "wavefronts=2 conflicts=1", { 8, 16, 7, 0 }, 8, false, false },
	{ "both inside an interval", "wavefronts=2..3 conflicts=1..2", { 8, 20, 9, 0 }, 8, false, true },
	{ "sectors", "sectors=4", { 8, 0, 0, 32 }, 8, true, true },
	{ "sectors are off", "sectors=4", { 8, 0, 0, 33 }, 8, true, false },
	{ "requests", "requests=8", { 8, 16, 8, 0 }, 8, false, true },
	{ "requests are off", "requests=8", { 9, 16, 8, 0 }, 8, false, false },
	{ "a request where none may be", "requests=0", { 1, 0, 0, 0 }, 0, false, false },
	{ "none where none may be", "requests=0", { 0, 0, 0, 0 }, 0, false, true },
	{ "requests off beside right sectors", "sectors=4 requests=8", { 9, 0, 0, 36 }, 9, true, false },
	{ "an unknown figure is as expected", "wavefronts=unknown conflicts=1", { 8, 99, 8, 0 }, 8, false, true },
	{ "but not what is known beside it", "wavefronts=unknown conflicts=1", { 8, 99, 9, 0 }, 8, false, false },
};

static void find(const char *row, struct bc_expect *e, struct bc_bounds *b)
{
	struct bc_error err = { 0 };
	char text[200];

	(void)snprintf(text, sizeof(text), "row alpha/ld/2 %s rule x", row);
	*e = (struct bc_expect){ 0 };
	ck_assert_msg(!bc_layer_parse(&e->common, text, "e.txt", &cat, &err), "%s", err.msg);
	ck_assert_msg(!bc_layer_finish(&e->common, &err), "%s", err.msg);
	bc_expect_find(e, "alpha/ld/2", b);
}

static struct bc_observation counted(const struct bc_count *count, uint64_t stated, bool global)
{
	return (struct bc_observation){ .id = "alpha/ld/2",
					.data_checked = true,
					.data_ok = true,
					.attempts = 1,
					.count = { *count },
					.requests_stated = stated,
					.requests_counted = true,
					.wavefronts_uncounted = global,
					.conflicts_uncounted = global,
					.sectors_counted = global };
}

/* What a count is measured again for is what the judge will not let pass: one formula. */
START_TEST(a_count_is_as_expected_or_not)
{
	const struct bc_observation o = counted(&counts[_i].count, counts[_i].stated, counts[_i].global);
	const struct bc_arch arch = bc_invented_arch();
	struct bc_judgement j;
	struct bc_bounds b;
	struct bc_expect e;

	find(counts[_i].row, &e, &b);
	ck_assert_msg(bc_counts_expected(&o, &b) == counts[_i].want, "%s", counts[_i].what);
	bc_judge(
		&(struct bc_judge_in){
			.c = bc_catalog_find(&cat, "alpha/ld/2"), .arch = &arch, .bounds = &b, .obs = &o },
		&j);
	ck_assert_msg((j.verdict == BC_PASS) == counts[_i].want || j.verdict == BC_BROKEN, "%s: %s %s", counts[_i].what,
		      bc_verdict_name(j.verdict), j.message);
	bc_expect_release(&e);
}
END_TEST

/* Not counted: nothing to be measured again for. The last of several counts is the one that is asked for. */
START_TEST(which_count_is_asked_for)
{
	struct bc_observation o = counted(&(struct bc_count){ 8, 17, 9, 0 }, 8, false);
	struct bc_bounds b;
	struct bc_expect e;

	find("wavefronts=2 conflicts=1", &e, &b);
	o.attempts = 0;
	ck_assert(bc_counts_expected(&o, &b));
	o.attempts = 2;
	o.count[1] = (struct bc_count){ 8, 16, 8, 0 };
	ck_assert(bc_counts_expected(&o, &b));
	o.attempts = 1;
	ck_assert(!bc_counts_expected(&o, &b));
	bc_expect_release(&e);
}
END_TEST

static const struct {
	const char *what, *row;
	bool counters, clock, data_wrong;
	enum bc_verdict verdict;
	const char *message;
} unknown[] = {
	{ "all is unknown: told, not judged", "wavefronts=unknown conflicts=unknown", true, false, false, BC_SKIP,
	  "no figure for sm_00; measured: counters wavefronts=2 conflicts=1" },
	{ "nothing measured either", "clock_ratio=unknown", false, false, false, BC_SKIP, "no figure for sm_00" },
	{ "the clock's figure", "clock_ratio=unknown", false, true, false, BC_SKIP,
	  "no figure for sm_00; measured: clock clock_ratio=3" },
	{ "wrong data is wrong all the same", "wavefronts=unknown conflicts=unknown", true, false, true, BC_FAIL,
	  "data: " },
	{ "what is known is judged", "wavefronts=2 conflicts=unknown", true, false, false, BC_PASS, "" },
	{ "and fails", "wavefronts=3 conflicts=unknown", true, false, false, BC_FAIL,
	  "ratio wavefronts=2 conflicts=1; expected wavefronts=3 conflicts=unknown (e.txt:1)" },
	{ "no witness for what is known", "wavefronts=2 conflicts=unknown", false, false, false, BC_SKIP,
	  "no witness" },
};

START_TEST(an_unknown_figure)
{
	struct bc_observation o = counted(&(struct bc_count){ 8, 16, 8, 0 }, 8, false);
	const struct bc_arch arch = bc_invented_arch();
	struct bc_judgement j;
	struct bc_bounds b;
	struct bc_expect e;

	find(unknown[_i].row, &e, &b);
	o.attempts = unknown[_i].counters;
	o.clock_value_has = unknown[_i].clock;
	o.clock_value = 3;
	o.data_ok = !unknown[_i].data_wrong;
	bc_judge(
		&(struct bc_judge_in){
			.c = bc_catalog_find(&cat, "alpha/ld/2"), .arch = &arch, .bounds = &b, .obs = &o },
		&j);
	ck_assert_msg(j.verdict == unknown[_i].verdict, "%s: %s %s", unknown[_i].what, bc_verdict_name(j.verdict),
		      j.message);
	ck_assert_msg(strncmp(j.message, unknown[_i].message, strlen(unknown[_i].message)) == 0, "%s: %s",
		      unknown[_i].what, j.message);
	bc_expect_release(&e);
}
END_TEST

Suite *bc_test_figures(void)
{
	Suite *s = suite_create("figures");
	TCase *t = tcase_create("figures");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_loop_test(t, a_count_is_as_expected_or_not, 0, (int)BC_ARRAY_LEN(counts));
	tcase_add_test(t, which_count_is_asked_for);
	tcase_add_loop_test(t, an_unknown_figure, 0, (int)BC_ARRAY_LEN(unknown));
	suite_add_tcase(s, t);
	return s;
}
