/* SPDX-License-Identifier: MIT */
/* Planted faults through the program: run --fault, and selftest with one fault, told right and made to go wrong; and
 * what makes a rule tested. All faults together, and all rules: `make check` runs selftest itself. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/selftest_rules.h"
#include "harness/tests/program.h"

Suite *bc_test_selftest(void);

static struct bc_program_call call;

static void setup(void)
{
	bc_program_init(&call);
}

static void teardown(void)
{
	bc_program_release(&call);
}

static const struct {
	const char *words;
	int status;
	const char *said[3]; /* on standard output, or for status 3 on standard error */
} runs[] = {
	{ "run --fault banks-16 --filter mapping/distance/16",
	  1,
	  { "FAIL", "counters wavefronts=2 conflicts=1; model wavefronts=1 conflicts=0 (other than the law)" } },
	{ "run --fault banks-16 --filter mapping/distance/16 --device reference:sm_75",
	  1,
	  { "reference_sm_75", "FAIL" } },
	{ "run --fault load-neighbour --filter stride/ld_b32/1", 1, { "FAIL", "data: lane 9" } },
	{ "run --fault store-doubled --filter stride/st_b32/64", 1, { "FAIL", "nobody stores there" } },
	{ "run --fault store-doubled --filter matrix/pitch_stsm4/512", 1, { "FAIL", "nobody stores there" } },
	{ "run --fault store-doubled --filter async/data_cpa8/stride_32", 1, { "FAIL", "nobody stores there" } },
	{ "run --fault store-doubled --filter transpose/shared_st/f32_32x8_plain_32x32", 0, { "1 PASS" } },
	{ "run --fault counters-zero --filter stride/ld_b32/1", 2, { "BROKEN", "canary" } },
	{ "run --fault counters-st-zero --filter stride/ld_b32/1", 0, { "1 PASS" } },
	{ "run --fault banks-16 --filter mapping/distance/1", 0, { "1 PASS" } },
	{ "run --fault no-such", 3, { "no such fault", "banks-16", "counters-off-by-one" } },
	{ "run --fault banks-16 --device cuda:0", 3, { "reference device only" } },
	{ "run --fault banks-16 --device reference,all", 3, { "reference device only" } },
	{ "selftest --fault no-such", 3, { "no such fault" } },
	{ "selftest --arch sm_01", 3, { "sm_01" } },
	{ "selftest --filter stride", 3, { "unknown or ambiguous option" } },
	{ "run --fault shuffle-counted --filter shuffle/lanes_ld/xor_1",
	  1,
	  { "FAIL", "requests=16; expected requests=0" } },
	{ "selftest --fault pair-rule-wide",
	  0,
	  { "pair-rule-wide        law           58*", "every suite that must catch the fault does", "4 runs" } },
	{ "selftest --fault cas-as-add --arch sm_80",
	  0,
	  { "cas-as-add            law             -", "sm_80 has no figure for clock/cas_over_add" } },
	{ "selftest --fault matrix-row --arch sm_70", 0, { "cannot have the fault matrix-row", "no finding" } },
	{ "selftest --fault pair-rule-wide --kernels nowhere",
	  1,
	  { "missed: pair-rule-wide", "wrong finding: on the fault-free device", "NOT as it should be" } },
};

START_TEST(faults_come_out_as_the_row_says)
{
	bc_program_run(&call, runs[_i].words);
	ck_assert_msg(call.status == runs[_i].status, "%s: exit status %d\n%s\n%s", runs[_i].words, call.status,
		      call.out.data, call.err.data);
	for (size_t k = 0; k < BC_ARRAY_LEN(runs[_i].said) && runs[_i].said[k]; k++)
		ck_assert_msg(strstr(runs[_i].status == 3 ? call.err.data : call.out.data, runs[_i].said[k]) != NULL,
			      "%s: no `%s` in:\n%s\n%s", runs[_i].words, runs[_i].said[k], call.out.data,
			      call.err.data);
}
END_TEST

static const struct {
	const char *quantities; /* whose rows are made so wide that everything passes: sed -E */
	const char *fault, *said;
} missed[] = {
	{ "wavefronts|conflicts|sectors", "lines-whole", "missed: lines-whole (" },
	{ "clock_ratio", "atomic-broadcast", " are served together) by the clock alone" },
};

/* Rows that let any number of sectors pass catch no law of global memory, and such rows of times no law of atomics by
 * the clock: selftest must say so. (Wide rows of wavefronts and conflicts would not do: on the reference device they
 * must be the model's besides.) */
START_TEST(a_missed_fault_is_said)
{
	char words[2 * BC_PATH_MAX], command[4 * BC_PATH_MAX];

	ck_assert_int_lt(snprintf(command, sizeof(command),
				  "cp -r '%s' '%s/expected' && sed -i -E "
				  "'/^row /s/ (%s)=[0-9.]+/ \\1=0..1000000/g; s/(0\\.\\.1000000)\\.\\.[0-9.]+/\\1/' "
				  "'%s'/expected/*/*.txt",
				  BC_TEST_EXPECTED, call.dir, missed[_i].quantities, call.dir),
			 (int)sizeof(command));
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_lt(snprintf(words, sizeof(words), "selftest --fault %s --expected %s/expected", missed[_i].fault,
				  call.dir),
			 (int)sizeof(words));
	bc_program_run(&call, words);
	ck_assert_msg(call.status == 1, "exit status %d\n%s\n%s", call.status, call.out.data, call.err.data);
	ck_assert_msg(strstr(call.out.data, "MISSED") != NULL, "%s", call.out.data);
	ck_assert_msg(strstr(call.out.data, missed[_i].said) != NULL, "%s", call.out.data);
	ck_assert_msg(strstr(call.out.data, "wrong finding:") == NULL, "%s", call.out.data);
}
END_TEST

/* ---- is a rule tested? ---- */

#define COUNTED BC_RULE_COUNTED
#define PLAIN BC_RULE_PLAIN
#define TIMED BC_RULE_TIMED
#define JUDGED BC_RULE_JUDGED
#define BY_COUNTS BC_RULE_BY_COUNTS
#define BY_DATA BC_RULE_BY_DATA
#define BY_CLOCK BC_RULE_BY_CLOCK
#define NO_FIGURE BC_RULE_NO_FIGURE

/* Cases with a row of @quantity, under the fault @fault ("": none). */
static const struct {
	const char *what;
	enum bc_quantity quantity;
	const char *fault;
	enum bc_verdict verdict;
	const char *outcome;
	unsigned want;
} marks[] = {
	{ "sound, wavefronts", BC_Q_WAVEFRONTS, "", BC_PASS, "", COUNTED | JUDGED },
	{ "sound, conflicts", BC_Q_CONFLICTS, "", BC_PASS, "", COUNTED | JUDGED },
	{ "sound, sectors", BC_Q_SECTORS, "", BC_PASS, "", COUNTED | JUDGED },
	{ "sound, requests", BC_Q_REQUESTS, "", BC_PASS, "", COUNTED | JUDGED },
	{ "sound, data", BC_Q_DATA, "", BC_PASS, "", PLAIN | JUDGED },
	{ "sound, skipped", BC_Q_CLOCK_SLOPE, "", BC_SKIP, "", TIMED },
	{ "a finding without a fault catches none", BC_Q_DATA, "", BC_FAIL, "data", PLAIN | JUDGED },
	{ "moved counts", BC_Q_WAVEFRONTS, "banks-16", BC_FAIL, "ratio wavefronts=2", COUNTED | JUDGED | BY_COUNTS },
	{ "counts that differ", BC_Q_WAVEFRONTS, "banks-16", BC_FAIL, "unstable 1,2,1", COUNTED | JUDGED | BY_COUNTS },
	{ "counts against the model", BC_Q_WAVEFRONTS, "banks-16", BC_DISAGREE, "disagree counters wavefronts=2",
	  COUNTED | JUDGED | BY_COUNTS },
	{ "wrong data proves no count", BC_Q_WAVEFRONTS, "store-lost", BC_FAIL, "data", COUNTED | JUDGED },
	{ "nor does too little memory", BC_Q_WAVEFRONTS, "optin-small", BC_FAIL, "unsupported", COUNTED | JUDGED },
	{ "wrong data", BC_Q_DATA, "store-lost", BC_FAIL, "data", PLAIN | JUDGED | BY_DATA },
	{ "too little memory", BC_Q_DATA, "optin-small", BC_FAIL, "unsupported", PLAIN | JUDGED | BY_DATA },
	{ "results lost whatever the kernel", BC_Q_DATA, "store-lost-global", BC_FAIL, "data", PLAIN | JUDGED },
	{ "a void session proves nothing", BC_Q_WAVEFRONTS, "counters-zero", BC_BROKEN, "", COUNTED | JUDGED },
	{ "nor does a kernel that went astray", BC_Q_DATA, "bank-stuck", BC_BROKEN, "", PLAIN | JUDGED },
	{ "nor a lost worker", BC_Q_DATA, "bank-stuck", BC_LOST, "", PLAIN | JUDGED },
	{ "nor a case that passes", BC_Q_DATA, "bank-stuck", BC_PASS, "", PLAIN | JUDGED },
	{ "wrong data proves no time", BC_Q_CLOCK_RATIO, "store-lost", BC_FAIL, "data", TIMED | JUDGED },
	{ "another time", BC_Q_CLOCK_RATIO, "shared-late", BC_FAIL, "ratio clock_ratio=9", TIMED | JUDGED | BY_CLOCK },
	{ "another slope", BC_Q_CLOCK_SLOPE, "banks-16", BC_FAIL, "ratio clock_slope=1", TIMED | JUDGED | BY_CLOCK },
	{ "a time without a fault catches none", BC_Q_CLOCK_RATIO, "", BC_FAIL, "ratio clock_ratio=9", TIMED | JUDGED },
};

START_TEST(a_result_marks_its_rule)
{
	static const struct bc_case c = { .id = "a/case/1" };
	static const struct bc_row row = { .hi = 1 };
	struct bc_arch a = { .name = "sm_90", .optin_bytes = 1024 };
	struct bc_result r = { .c = &c };
	const struct bc_fault *f = marks[_i].fault[0] ? bc_fault_find(marks[_i].fault) : NULL;

	ck_assert(!marks[_i].fault[0] || f);
	r.bounds.row[marks[_i].quantity] = &row;
	r.judged.verdict = marks[_i].verdict;
	(void)bc_strlcpy(r.judged.outcome, marks[_i].outcome, sizeof(r.judged.outcome));
	ck_assert_msg(bc_rule_marks(&r, &a, f, false) == marks[_i].want, "%s: 0x%x", marks[_i].what,
		      bc_rule_marks(&r, &a, f, false));
	ck_assert_msg(bc_rule_marks(&r, &a, f, true) == (marks[_i].want & TIMED ? marks[_i].want : 0),
		      "%s, by the clock alone: 0x%x", marks[_i].what, bc_rule_marks(&r, &a, f, true));
}
END_TEST

START_TEST(a_time_without_a_figure_is_marked)
{
	static const struct bc_case c = { .id = "a/case/1" };
	static const struct bc_row row = { .unknown = true };
	struct bc_result r = { .c = &c, .judged = { .verdict = BC_SKIP, .skip = BC_SKIPPED_NO_FIGURE } };
	const struct bc_arch a = { .name = "sm_90" };

	r.bounds.row[BC_Q_CLOCK_RATIO] = &row;
	ck_assert_uint_eq(bc_rule_marks(&r, &a, NULL, true), TIMED | NO_FIGURE);
	r.judged.skip = BC_SKIPPED_NOT_JUDGED;
	ck_assert_uint_eq(bc_rule_marks(&r, &a, NULL, true), TIMED);
}
END_TEST

START_TEST(a_case_that_cannot_run_marks_nothing)
{
	static const struct bc_case c = { .id = "a/case/1", .needs = BC_NEED_LDMATRIX };
	static const struct bc_row row = { .hi = 1 };
	const struct bc_arch without = { .name = "sm_70" }, with = { .name = "sm_90", .ldmatrix = 1 };
	struct bc_result r = { .c = &c, .judged = { .verdict = BC_PASS } };

	r.bounds.row[BC_Q_WAVEFRONTS] = &row;
	ck_assert_uint_eq(bc_rule_marks(&r, &without, NULL, false), 0);
	ck_assert_uint_eq(bc_rule_marks(&r, &with, NULL, false), COUNTED | JUDGED);
}
END_TEST

static const struct {
	const char *what;
	unsigned sound, any; /* @any beside @sound */
	bool listed;
	const char *want; /* words of what is missing, NULL: nothing */
} rules[] = {
	{ "nothing can run", 0, 0, false, NULL },
	{ "nothing of a listed one can run", 0, 0, true, NULL },
	{ "no fault moves its counts", COUNTED | JUDGED, 0, false, "moves its counts" },
	{ "wrong data alone", COUNTED | JUDGED, BY_DATA, false, "moves its counts" },
	{ "moved counts", COUNTED | JUDGED, BY_COUNTS, false, NULL },
	{ "no fault spoils its data", PLAIN | JUDGED, 0, false, "spoils its data" },
	{ "wrong data", PLAIN | JUDGED, BY_DATA, false, NULL },
	{ "cases of both kinds, one caught", COUNTED | PLAIN | JUDGED, BY_COUNTS, false, "spoils its data" },
	{ "cases of both kinds, the other caught", COUNTED | PLAIN | JUDGED, BY_DATA, false, "moves its counts" },
	{ "cases of both kinds, both caught", COUNTED | PLAIN | JUDGED, BY_COUNTS | BY_DATA, false, NULL },
	{ "counted, but skipped, and nothing catches", COUNTED, 0, false, "moves its counts" },
	{ "about time, not judged, not listed", TIMED, 0, false, "not judged, and not listed" },
	{ "no fault moves its time", TIMED | JUDGED, 0, false, "moves its time" },
	{ "wrong counts prove no time", TIMED | JUDGED, BY_COUNTS, false, "moves its time" },
	{ "another time", TIMED | JUDGED, BY_CLOCK, false, NULL },
	{ "counts and time, the counts caught", TIMED | COUNTED | JUDGED, BY_COUNTS, false, "moves its time" },
	{ "counts and time, both caught", TIMED | COUNTED | JUDGED, BY_COUNTS | BY_CLOCK, false, NULL },
	{ "no figure for its time", TIMED | NO_FIGURE, 0, false, NULL },
	{ "a figure for some of its cases", TIMED | JUDGED | NO_FIGURE, 0, false, "moves its time" },
	{ "listed, and without a figure", TIMED | NO_FIGURE, 0, true, NULL },
	{ "about time and listed", TIMED, JUDGED, true, NULL },
	{ "listed, but judged", TIMED | JUDGED, 0, true, "is judged here" },
	{ "listed, but has counts", COUNTED, 0, true, "is judged here" },
};

START_TEST(a_rule_lacks_what_the_row_says)
{
	const char *got = bc_rule_lacks(rules[_i].sound, rules[_i].sound | rules[_i].any, rules[_i].listed);

	ck_assert_msg((got != NULL) == (rules[_i].want != NULL), "%s: %s", rules[_i].what, got ? got : "nothing");
	ck_assert_msg(!got || strstr(got, rules[_i].want), "%s: %s", rules[_i].what, got);
}
END_TEST

/* Every rule of the suites that are not hidden has an index of its own, in order. */
START_TEST(rules_have_their_index)
{
	struct bc_catalog cat;
	struct bc_error err = { .msg = "" };
	const struct bc_rule *last = NULL;
	long next = 0;

	ck_assert_msg(!bc_catalog_build(bc_suites, &cat, &err), "%s", err.msg);
	for (size_t i = 0; i < cat.n; i++) {
		if (cat.cases[i].rule != last)
			next++;
		last = cat.cases[i].rule;
		ck_assert_msg(bc_rules_index(&cat.cases[i]) == next - 1, "%s: %ld", cat.cases[i].id,
			      bc_rules_index(&cat.cases[i]));
	}
	ck_assert_uint_eq((size_t)next, bc_rules_count());
	ck_assert_int_eq(bc_rules_find("async/no_such"), -1);
	for (size_t i = 0; i < cat.n; i++) {
		char name[BC_ID_MAX];

		if (!cat.cases[i].rule)
			continue;
		(void)snprintf(name, sizeof(name), "%s/%s", cat.cases[i].suite->name, cat.cases[i].rule->name);
		ck_assert_int_eq(bc_rules_find(name), bc_rules_index(&cat.cases[i]));
	}
	ck_assert_uint_gt(cat.nhidden, 0);
	ck_assert_int_eq(bc_rules_index(&cat.cases[cat.n]), -1);
	bc_catalog_release(&cat);
}
END_TEST

Suite *bc_test_selftest(void)
{
	Suite *s = suite_create("selftest");
	TCase *tc = tcase_create("program"), *rule = tcase_create("rules");

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, faults_come_out_as_the_row_says, 0, (int)BC_ARRAY_LEN(runs));
	tcase_add_loop_test(tc, a_missed_fault_is_said, 0, (int)BC_ARRAY_LEN(missed));
	suite_add_tcase(s, tc);
	tcase_add_loop_test(rule, a_result_marks_its_rule, 0, (int)BC_ARRAY_LEN(marks));
	tcase_add_test(rule, a_time_without_a_figure_is_marked);
	tcase_add_test(rule, a_case_that_cannot_run_marks_nothing);
	tcase_add_loop_test(rule, a_rule_lacks_what_the_row_says, 0, (int)BC_ARRAY_LEN(rules));
	tcase_add_test(rule, rules_have_their_index);
	suite_add_tcase(s, rule);
	return s;
}
