/* SPDX-License-Identifier: MIT */
/* The patterns of a rule on every SM of a reference device: what one faulty SM does to data, counts and time. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "harness/core/judge.h"
#include "harness/device/device.h"
#include "harness/measure/launch.h"
#include "harness/measure/measure.h"

Suite *bc_test_sms(void);

static struct bc_catalog cat;
static struct bc_expect expect;
static struct bc_arch arch;
static struct bc_error err;

static void setup(void)
{
	ck_assert_msg(!bc_catalog_build(bc_suites, &cat, &err), "%s", err.msg);
	ck_assert_msg(!bc_expect_load(BC_TEST_EXPECTED, "sm_90", &cat, &expect, &err), "%s", err.msg);
	ck_assert_msg(!bc_arch_load(BC_TEST_EXPECTED, "sm_90", &arch, &err), "%s", err.msg);
}

static void teardown(void)
{
	bc_expect_release(&expect);
	bc_catalog_release(&cat);
}

/* Judge a case on a device with @sms SMs and a fault (NULL: none), that compares the @nsm SMs of @sm (0: all). */
static void judge(const char *id, const char *fault, uint32_t sms, const uint32_t *sm, size_t nsm,
		  struct bc_observation *obs, struct bc_judgement *out)
{
	const struct bc_device_ops *ops = &bc_device_reference;
	const struct bc_open_options o = { .kernels_dir = BC_TEST_KERNELS,
					   .expected_dir = BC_TEST_EXPECTED,
					   .fault = fault,
					   .reference_clock = true,
					   .reference_sms = sms };
	const struct bc_measure_options mo = { .clock = true, .counters = true, .sm = sm, .nsm = nsm };
	const struct bc_facts which = { .kind = BC_DEVICE_REFERENCE, .arch = "sm_90" };
	const struct bc_case *c = bc_catalog_find(&cat, id);
	struct bc_device *dev = NULL;
	struct bc_measure *m = NULL;
	struct bc_bounds bounds;
	const struct bc_judge_in in = {
		.c = c, .arch = &arch, .bounds = &bounds, .obs = obs, .counters_are_model = true
	};

	ck_assert_msg(c != NULL, "%s", id);
	ck_assert_msg(!ops->open(&o, &which, &dev, &err), "%s", err.msg);
	ck_assert_msg(!bc_measure_open(ops, dev, &arch, &expect, &mo, &m, &err), "%s", err.msg);
	ck_assert_msg(!bc_measure_batch(m, &c, 1, obs, &err), "%s: %s", id, err.msg);
	bc_measure_close(m);
	ops->close(dev);
	bc_expect_find(&expect, id, &bounds);
	bc_judge(&in, out);
}

static const struct {
	const char *id, *fault;
	enum bc_verdict verdict;
	const char *outcome, *says;
} cases[] = {
	{ "sms/broadcast/groups_ld_b32", NULL, BC_PASS, "", "" },
	{ "sms/broadcast/groups_st_b32", NULL, BC_PASS, "", "" }, /* lanes race */
	{ "sms/broadcast_clock/groups_ld_b32", NULL, BC_PASS, "", "" },
	{ "sms/atomic/one_word_atom32", NULL, BC_PASS, "", "" }, /* what each lane gets is a race */
	{ "sms/atomic/one_word_addf32", NULL, BC_PASS, "", "" }, /* a loop: not counted */
	{ "sms/matrix/tile_stsm4", NULL, BC_PASS, "", "" },
	{ "sms/async/data_cpa16cg", NULL, BC_PASS, "", "" },
	{ "sms/mapping/base_alignment", NULL, BC_PASS, "", "" }, /* to the end of the window */
	/* Bank 7 of SM 2 reads 0: lane 7 of the words in a row, whose offset is 28; none stores there in the other. */
	{ "sms/width/consecutive_ld_b32", "sm-bank-stuck", BC_FAIL, "data", "SM 2, width/consecutive_ld_b32/" },
	{ "sms/width/consecutive_ld_b32", "sm-bank-stuck", BC_FAIL, "data", "offset 0x1c, word 0: read 0x00000000" },
	{ "sms/width/consecutive_ld_b32", "sm-bank-stuck", BC_FAIL, "data", "1 of 4 SMs have wrong data" },
	{ "sms/atomic/one_word_atom32", "cell-stuck", BC_PASS, "", "" }, /* no pattern of the rule touches the cell */
	{ "sms/width/consecutive_ld_b32", "sm-counts", BC_FAIL, "sms", "counters, width/consecutive_ld_b32/" },
	{ "sms/width/consecutive_ld_b32", "sm-counts", BC_FAIL, "sms",
	  ": 4 SMs counted 40 wavefronts, it should be 4 times the 8 of one" },
	/* 23 cycles a load and 32 loads, against 25: 2 more for the wavefront; the section itself takes one. */
	{ "sms/width_clock/consecutive_ld_b32", "sm-bank-slow", BC_FAIL, "ratio",
	  "a timed section takes 801 cycles, the median of the SMs is 737" },
	{ "sms/width_clock/consecutive_ld_b32", "sm-bank-slow", BC_FAIL, "ratio", "(SM 2, width/consecutive_ld_b32/" },
	{ "sms/width_clock/consecutive_ld_b32", "sm-bank-stuck", BC_PASS, "", "" },
};

START_TEST(one_faulty_sm_is_named)
{
	struct bc_observation obs;
	struct bc_judgement j;

	judge(cases[_i].id, cases[_i].fault, cases[_i].fault ? 4 : 3, NULL, 0, &obs, &j);
	ck_assert_msg(j.verdict == cases[_i].verdict && strncmp(j.outcome, cases[_i].outcome, 3) == 0, "%s, %s: %s %s",
		      cases[_i].id, cases[_i].fault ? cases[_i].fault : "sound", bc_verdict_name(j.verdict), j.message);
	ck_assert_msg(strstr(j.message, cases[_i].says) != NULL, "%s, %s: %s", cases[_i].id, cases[_i].fault,
		      j.message);
}
END_TEST

START_TEST(sms_that_are_not_asked_for_do_not_count)
{
	static const uint32_t some[] = { 0, 3 }, two[] = { 1, 2 }, absent[] = { 0, 4 };
	struct bc_observation obs;
	struct bc_judgement j;

	judge("sms/width/consecutive_ld_b32", "sm-bank-stuck", 4, some, 2, &obs, &j);
	ck_assert_msg(j.verdict == BC_PASS, "%s", j.message);
	judge("sms/width/consecutive_ld_b32", "sm-bank-stuck", 4, two, 2, &obs, &j);
	ck_assert_msg(j.verdict == BC_FAIL, "%s", j.message);
	judge("sms/width/consecutive_ld_b32", NULL, 4, absent, 2, &obs, &j);
	ck_assert_msg(j.verdict == BC_BROKEN && strstr(j.message, "there is no SM 4"), "%s", j.message);
}
END_TEST

/* 8 requests of one wavefront from each of the rule's cases, on 5 SMs. */
/* A suite of patterns that nobody listed in suites/sms.c would never be seen on the other SMs. */
START_TEST(every_suite_of_patterns_is_there)
{
	const struct bc_suite *sms = NULL;

	for (size_t i = 0; bc_suites[i]; i++)
		if (bc_suites[i]->every_sm && strcmp(bc_suites[i]->name, "sms") == 0)
			sms = bc_suites[i];
	ck_assert_ptr_nonnull(sms);
	for (size_t i = 0; bc_suites[i]; i++) {
		bool patterns = false, listed = false;

		for (size_t k = 0; k < bc_suites[i]->nrules; k++)
			patterns = patterns || !bc_suites[i]->rules[k].program;
		for (size_t k = 0; k < sms->nrules; k++)
			listed = listed || strcmp(sms->rules[k].name, bc_suites[i]->name) == 0;
		ck_assert_msg(listed || !patterns || bc_suites[i]->hidden, "%s is not in suites/sms.c",
			      bc_suites[i]->name);
	}
}
END_TEST

START_TEST(counts_are_those_of_all_sms)
{
	struct bc_observation obs;
	struct bc_judgement j;
	uint64_t n = 0;

	for (size_t i = 0; i < cat.n; i++)
		n += strncmp(cat.cases[i].id, "width/consecutive_ld_b32/", 25) == 0;
	judge("sms/width/consecutive_ld_b32", NULL, 5, NULL, 0, &obs, &j);
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_eq(obs.count[0].requests, 5 * 8 * n);
	ck_assert_uint_eq(obs.count[0].wavefronts, 5 * 8 * n);
	ck_assert_uint_eq(obs.count[0].conflicts, 0);
	ck_assert_uint_eq(obs.requests_stated, 5 * 8 * n);
}
END_TEST

/* Two blocks of it do not fit on an SM of any architecture, with what the system takes of each. */
START_TEST(a_launch_on_every_sm_takes_more_than_half_of_it)
{
	struct bc_arch *archs = NULL;
	size_t n = 0;

	ck_assert(!bc_arch_list(BC_TEST_EXPECTED, &archs, &n, &err) && n > 10);
	for (size_t i = 0; i < n; i++) {
		struct bc_pattern p = { .op = BC_OP_LD32, .mask = UINT32_MAX, .count = 1 };
		struct bc_case_launch r;

		ck_assert(!bc_case_launch_data(&p, &archs[i], "test", 0, &r, &err));
		ck_assert(!bc_case_launch_spread(&r, &archs[i], 6, &err));
		ck_assert_uint_gt(2 * (r.launch.shared_bytes + archs[i].reserved_bytes), archs[i].sm_bytes);
		ck_assert_uint_le(r.launch.shared_bytes, archs[i].optin_bytes);
		ck_assert(r.launch.cooperative && r.launch.grid[0] == 6);
		bc_case_launch_release(&r);
	}
	free(archs);
}
END_TEST

Suite *bc_test_sms(void)
{
	Suite *s = suite_create("sms");
	TCase *tc = tcase_create("sms");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, one_faulty_sm_is_named, 0, (int)BC_ARRAY_LEN(cases));
	tcase_add_test(tc, sms_that_are_not_asked_for_do_not_count);
	tcase_add_test(tc, every_suite_of_patterns_is_there);
	tcase_add_test(tc, counts_are_those_of_all_sms);
	tcase_add_test(tc, a_launch_on_every_sm_takes_more_than_half_of_it);
	suite_add_tcase(s, tc);
	return s;
}
