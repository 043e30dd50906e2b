/* SPDX-License-Identifier: MIT */
#include "harness/measure/measure.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/core/judge.h"
#include "harness/measure/clock.h"
#include "harness/tests/measure/fake_device.h"

Suite *bc_test_measure(void);

static struct bc_fake fake;
static struct bc_device *dev;
static struct bc_measure *measure;
static struct bc_error err;
static struct bc_catalog cat;
static struct bc_expect expect;
static struct bc_observation obs[BC_BATCH_MAX];

/* Strides of 1, 2, 32 words, and a store. */
static const char *const ids[] = { "stride/ld_b32/1", "stride/ld_b32/2", "stride/ld_b32/32", "stride/st_b32/4" };
static const struct bc_case *cases[BC_ARRAY_LEN(ids)];

static void open_measure(bool with_expect, struct bc_measure_options o)
{
	bc_measure_close(measure);
	measure = NULL;
	ck_assert_msg(bc_measure_open(&bc_device_fake, dev, &fake.arch, with_expect ? &expect : NULL, &o, &measure,
				      &err) == BC_OK,
		      "%s", err.msg);
}

static void setup(void)
{
	fake = (struct bc_fake){ .overhead = 3 };
	dev = bc_fake_open(&fake);
	measure = NULL;
	ck_assert_msg(bc_catalog_build(bc_suites, &cat, &err) == BC_OK, "%s", err.msg);
	ck_assert_msg(bc_expect_load(BC_TEST_EXPECTED, "sm_90", &cat, &expect, &err) == BC_OK, "%s", err.msg);
	for (size_t i = 0; i < BC_ARRAY_LEN(ids); i++) {
		cases[i] = bc_catalog_find(&cat, ids[i]);
		ck_assert_msg(cases[i] != NULL, "no case %s", ids[i]);
	}
	open_measure(true, (struct bc_measure_options){ .counters = true, .clock = true });
}

static void teardown(void)
{
	bc_measure_close(measure);
	bc_device_fake.close(dev);
	bc_expect_release(&expect);
	bc_catalog_release(&cat);
}

static void batch(void)
{
	ck_assert_msg(bc_measure_batch(measure, cases, BC_ARRAY_LEN(cases), obs, &err) == BC_OK, "%s", err.msg);
	ck_assert_str_eq(fake.bad_launch, "");
}

static enum bc_verdict verdict(size_t i)
{
	struct bc_bounds bounds;
	const struct bc_judge_in in = { .c = cases[i], .arch = &fake.arch, .bounds = &bounds, .obs = &obs[i] };
	struct bc_judgement j;

	bc_expect_find(&expect, ids[i], &bounds);
	bc_judge(&in, &j);
	return j.verdict;
}

START_TEST(every_witness_speaks)
{
	static const unsigned ways[] = { 1, 2, 32, 4 };

	batch();
	for (size_t i = 0; i < BC_ARRAY_LEN(ids); i++) {
		const struct bc_observation *o = &obs[i];

		ck_assert_str_eq(o->id, ids[i]);
		ck_assert_msg(o->outcome == BC_RAN, "%s: %s", o->id, o->reason);
		ck_assert_msg(o->data_checked && o->data_ok, "%s: %s", o->id, o->data_detail);
		ck_assert_uint_eq(o->attempts, 1); /* as expected at once */
		ck_assert_uint_eq(o->requests_stated, 8);
		ck_assert_uint_eq(o->count[0].requests, 8);
		ck_assert_uint_eq(o->count[0].wavefronts, 8 * ways[i]);
		ck_assert_uint_eq(o->count[0].conflicts, 8 * (ways[i] - 1));
		ck_assert(o->clock_has);
		ck_assert_double_eq(o->clock_wavefronts, ways[i]);
		ck_assert_uint_ge(o->nsamples, 10);
		ck_assert(o->model_has);
		ck_assert_uint_eq(o->model_requests, 1);
		ck_assert_uint_eq(o->model_wavefronts, ways[i]);
		ck_assert_uint_eq(o->model_conflicts, ways[i] - 1);
		ck_assert_str_eq(o->counters_absent, "");
		ck_assert_str_eq(o->clock_absent, "");
		ck_assert(o->seconds >= 0 && o->seconds < 60);
		ck_assert_int_eq(verdict(i), BC_PASS);
	}
	ck_assert_uint_eq(obs[0].samples[0], 32 * 23);
	ck_assert_uint_eq(obs[2].samples[0], 32 * (23 + 62));
	ck_assert_uint_eq(obs[3].samples[0], 32 * 16);
}
END_TEST

START_TEST(outliers_do_not_move_the_clock)
{
	fake.noisy_clock = true;
	batch();
	ck_assert_double_eq(obs[2].clock_wavefronts, 32);
	ck_assert_uint_eq(obs[2].samples[3], 32 * 85 + 9999); /* but they are recorded */
}
END_TEST

/* A case whose counts are not as expected is counted three times in all, its neighbours once. */
START_TEST(an_unexpected_count_is_made_again)
{
	fake.fault = BC_FAKE_ONE_MORE;
	fake.fault_label = ids[1];
	batch();
	ck_assert_uint_eq(obs[0].attempts, 1);
	ck_assert_uint_eq(obs[1].attempts, 3);
	ck_assert_uint_eq(obs[2].attempts, 1);
	for (unsigned a = 0; a < 3; a++)
		ck_assert_uint_eq(obs[1].count[a].wavefronts, 17);
	ck_assert_int_eq(verdict(1), BC_DISAGREE);
}
END_TEST

/* The second count fits: still three are made, and the case is not a pass. Sessions: loads 1 to 3. */
START_TEST(a_repeat_that_fits_is_no_pass)
{
	fake.fault = BC_FAKE_ONE_MORE;
	fake.fault_label = ids[1];
	fake.fault_from = fake.fault_to = 1;
	batch();
	ck_assert_uint_eq(obs[1].attempts, 3);
	ck_assert_uint_eq(obs[1].count[0].wavefronts, 17);
	ck_assert_uint_eq(obs[1].count[1].wavefronts, 16);
	ck_assert_uint_eq(obs[1].count[2].wavefronts, 16);
	ck_assert_int_eq(verdict(1), BC_FAIL); /* unstable */
}
END_TEST

START_TEST(a_void_repeat_does_not_wash_the_first_count_away)
{
	fake.fault = BC_FAKE_ONE_MORE;
	fake.fault_label = ids[1];
	fake.fault_from = fake.fault_to = 1;
	fake.refuse_from = 2;
	batch();
	ck_assert_uint_eq(obs[1].attempts, 1);
	ck_assert_str_eq(obs[1].counters_absent, "");
	ck_assert_int_eq(verdict(1), BC_DISAGREE);
}
END_TEST

/* Any one baseline of the run is read wrong, once, and the cases, counted alone or together, are what they are. */
START_TEST(one_wrong_baseline_fails_no_case)
{
	static const char *const bytes[] = { "width/stride_ld_b8/4",   "width/stride_ld_b8/8",
					     "width/stride_ld_b64/16", "width/stride_ld_b128/32",
					     "width/stride_st_b8/8",   "width/stride_st_b64/16" };
	static const int by[] = { -3, 1, 1000 };
	const struct bc_case *some[BC_ARRAY_LEN(bytes)];
	size_t again = 0;

	for (size_t i = 0; i < BC_ARRAY_LEN(bytes); i++) {
		some[i] = bc_catalog_find(&cat, bytes[i]);
		ck_assert_msg(some[i] != NULL, "no case %s", bytes[i]);
	}
	for (unsigned k = 0; k < 7 * 2 * BC_ARRAY_LEN(by); k++) { /* ld32, ld8, ld64, ld128, st32, st8, st64 */
		fake = (struct bc_fake){ .overhead = 3, .arch = fake.arch, .facts = fake.facts };
		fake.wrong_baseline = 1 + k % 7;
		fake.wrong_by = by[k / 7 % BC_ARRAY_LEN(by)];
		open_measure(true,
			     (struct bc_measure_options){ .counters = true, .pack = k < 7 * BC_ARRAY_LEN(by) ? 1 : 3 });
		ck_assert_int_eq(bc_measure_batch(measure, some, BC_ARRAY_LEN(some), obs, &err), BC_OK);
		for (size_t i = 0; i < BC_ARRAY_LEN(some); i++) {
			struct bc_bounds bounds;
			struct bc_judgement j;
			const struct bc_judge_in in = {
				.c = some[i], .arch = &fake.arch, .bounds = &bounds, .obs = &obs[i]
			};

			bc_expect_find(&expect, some[i]->id, &bounds);
			bc_judge(&in, &j);
			ck_assert_msg(j.verdict == BC_PASS, "%s, baseline %u by %d, pack %u: %s; %s", some[i]->id,
				      fake.wrong_baseline, fake.wrong_by, k < 7 * BC_ARRAY_LEN(by) ? 1 : 3, j.message,
				      obs[i].read_again);
			again += obs[i].read_again[0] != '\0';
		}
	}
	ck_assert_uint_ge(again, 7 * 2 * BC_ARRAY_LEN(by)); /* and it is told */
}
END_TEST

START_TEST(without_expectations_one_count_is_made)
{
	open_measure(false, (struct bc_measure_options){ .counters = true, .clock = true });
	fake.fault = BC_FAKE_ONE_MORE;
	fake.fault_label = ids[1];
	batch();
	ck_assert_uint_eq(obs[1].attempts, 1);
}
END_TEST

/* It may be the baseline; else the judge says that it is the kernel. */
START_TEST(a_wrong_request_count_is_made_again)
{
	fake.fault = BC_FAKE_ONE_REQUEST_MORE;
	fake.fault_label = ids[1];
	batch();
	ck_assert_uint_eq(obs[1].attempts, 3);
	ck_assert_int_eq(verdict(1), BC_BROKEN);
	ck_assert_int_eq(verdict(0), BC_PASS);
}
END_TEST

/* One bad launch: a whole run fails, then each is tried alone and only the guilty case is broken. */
START_TEST(one_bad_launch_is_alone)
{
	fake.bad_label = ids[2];
	batch();
	for (size_t i = 0; i < BC_ARRAY_LEN(ids); i++) {
		ck_assert_int_eq(obs[i].outcome, i == 2 ? BC_TOOL_ERROR : BC_RAN);
		ck_assert_int_eq(verdict(i), i == 2 ? BC_BROKEN : BC_PASS);
		ck_assert(i == 2 || (obs[i].attempts == 1 && obs[i].clock_has));
	}
	ck_assert_str_eq(obs[2].reason, "fake: a launch failed");
	ck_assert(!obs[2].data_checked);
}
END_TEST

START_TEST(wrong_data_is_that_cases_alone)
{
	fake.wrong_label = ids[2];
	fake.wrong_lane = 17;
	batch();
	for (size_t i = 0; i < BC_ARRAY_LEN(ids); i++) {
		ck_assert(obs[i].data_checked);
		ck_assert_int_eq(obs[i].data_ok, i != 2);
	}
	ck_assert_msg(strstr(obs[2].data_detail, "lane 17, request 0, offset 0x880"), "%s", obs[2].data_detail);
	ck_assert_int_eq(verdict(2), BC_FAIL);
	fake.wrong_label = ids[3];
	batch();
	ck_assert(obs[2].data_ok && !obs[3].data_ok);
}
END_TEST

static const struct {
	const char *what;
	unsigned fail_run, fail_count;
	const char *bad_label;
} deaths[] = {
	{ "in the data launches", 1, 0, NULL },
	{ "in a launch of one case", 0, 0, "stride/ld_b32/2" },
	{ "while counting", 0, 1, NULL },
	{ "while counting stores", 0, 2, NULL },
	{ "in the calibration", 2, 0, NULL },
	{ "in the timed launches", 4, 0, NULL }, /* data, two calibrations, then these */
};

START_TEST(a_dead_device_ends_the_batch)
{
	fake.dies = true;
	fake.fail_run = deaths[_i].fail_run;
	fake.fail_count = deaths[_i].fail_count;
	fake.bad_label = deaths[_i].bad_label;
	err.msg[0] = '\0';
	ck_assert_msg(bc_measure_batch(measure, cases, BC_ARRAY_LEN(cases), obs, &err) == BC_EDEVICE, "%s",
		      deaths[_i].what);
	ck_assert_msg(fake.dead && strcmp(err.msg, "fake: a launch failed") == 0, "%s: %s", deaths[_i].what, err.msg);
}
END_TEST

START_TEST(a_calibration_that_fails_costs_the_clock_alone)
{
	fake.bad_label = "clock calibration";
	batch();
	for (size_t i = 0; i < BC_ARRAY_LEN(ids); i++) {
		ck_assert_int_eq(obs[i].outcome, BC_RAN);
		ck_assert(!obs[i].clock_has);
		ck_assert_str_eq(obs[i].clock_absent, "fake: a launch failed");
		ck_assert_int_eq(verdict(i), BC_PASS); /* the counters carry it */
	}
}
END_TEST

START_TEST(a_flat_clock_is_a_finding)
{
	fake.flat_clock = true;
	batch();
	for (size_t i = 0; i < BC_ARRAY_LEN(ids); i++) {
		ck_assert(!obs[i].clock_has);
		ck_assert_msg(strstr(obs[i].clock_flat, "does not rise"), "%s", obs[i].clock_flat);
		ck_assert_str_eq(obs[i].clock_absent, "");
		ck_assert_uint_ge(obs[i].nsamples, 10); /* recorded all the same */
	}
}
END_TEST

/* Samples stray: the GPU may have been disturbed, and nothing is said of it. */
START_TEST(a_flat_clock_that_strays_tells_nothing)
{
	fake.flat_clock = fake.noisy_clock = true;
	batch();
	for (size_t i = 0; i < BC_ARRAY_LEN(ids); i++) {
		ck_assert(!obs[i].clock_has);
		ck_assert_str_eq(obs[i].clock_flat, "");
		ck_assert_msg(strstr(obs[i].clock_absent, "does not rise"), "%s", obs[i].clock_absent);
	}
}
END_TEST

/* Its line is timed once more, and stands then. */
START_TEST(a_calibration_disturbed_for_a_moment_costs_nothing)
{
	fake.flat_clock_runs = 2; /* the batch's data, and the first calibration */
	batch();
	for (size_t i = 0; i < BC_ARRAY_LEN(ids); i++)
		ck_assert_msg(obs[i].clock_has, "%s: %s%s", obs[i].id, obs[i].clock_absent, obs[i].clock_flat);
	ck_assert_msg(strstr(obs[0].read_again, "does not rise") != NULL, "%s", obs[0].read_again);
	ck_assert_str_eq(obs[3].read_again, ""); /* the stores have a line of their own */
}
END_TEST

/* Disturbed for longer: the batch has no clock, the next one does. A line that is flat stays flat. */
START_TEST(a_calibration_is_tried_again_in_the_next_batch)
{
	fake.flat_clock = fake.noisy_clock = true;
	batch();
	ck_assert(!obs[0].clock_has && obs[0].clock_absent[0]);
	fake.flat_clock = false;
	batch();
	for (size_t i = 0; i < BC_ARRAY_LEN(ids); i++)
		ck_assert_msg(obs[i].clock_has, "%s: %s", obs[i].id, obs[i].clock_absent);
}
END_TEST

START_TEST(what_is_not_asked_for_is_absent_with_a_reason)
{
	open_measure(true, (struct bc_measure_options){ .counters = false, .clock = true });
	batch();
	ck_assert_str_eq(obs[0].counters_absent, "not asked for (--witness clock)");
	ck_assert_uint_eq(obs[0].attempts, 0);
	ck_assert_uint_eq(fake.counts, 0);
	ck_assert(obs[0].clock_has);
	ck_assert_int_eq(verdict(2), BC_PASS);
	open_measure(true, (struct bc_measure_options){ .counters = true, .clock = false });
	batch();
	ck_assert_str_eq(obs[0].clock_absent, "not asked for (--witness counters)");
	ck_assert(!obs[0].clock_has && obs[0].nsamples == 0);
	ck_assert_uint_eq(obs[0].attempts, 1);
}
END_TEST

START_TEST(what_the_device_lacks_is_absent_with_its_reason)
{
	(void)bc_strlcpy(fake.facts.counters_absent, "no permission", sizeof(fake.facts.counters_absent));
	(void)bc_strlcpy(fake.facts.clock_absent, "no clock here", sizeof(fake.facts.clock_absent));
	batch();
	ck_assert_str_eq(obs[0].counters_absent, "no permission");
	ck_assert_str_eq(obs[0].clock_absent, "no clock here");
	ck_assert_uint_eq(fake.counts, 0);
	ck_assert_int_eq(verdict(0), BC_SKIP); /* the model alone is no witness of the device */
	ck_assert(obs[0].data_ok);
}
END_TEST

/* Counters that are taken away in the middle of a run. Sessions: loads, stores. */
static const struct {
	const char *what;
	unsigned from;
	bool clock;
	enum bc_fake_fault fault;
	enum bc_verdict loads, stores;
} taken[] = {
	{ "before the first session, with a clock", 1, true, BC_FAKE_RIGHT, BC_PASS, BC_PASS },
	{ "before the first session", 1, false, BC_FAKE_RIGHT, BC_SKIP, BC_SKIP },
	{ "between two sessions", 2, false, BC_FAKE_RIGHT, BC_PASS, BC_SKIP },
	{ "they read 0 instead", 2, false, BC_FAKE_STUCK, BC_PASS, BC_BROKEN },
	{ "they read 0, and the clock stands in", 2, true, BC_FAKE_STUCK, BC_PASS, BC_PASS },
};

START_TEST(counters_that_are_taken_away_are_never_zero)
{
	const bool stuck = taken[_i].fault == BC_FAKE_STUCK;

	open_measure(true, (struct bc_measure_options){ .counters = true, .clock = taken[_i].clock });
	fake.refuse_from = stuck ? 0 : taken[_i].from;
	fake.fault = taken[_i].fault;
	fake.fault_from = taken[_i].from;
	fake.fault_to = 100;
	batch();
	for (size_t i = 0; i < BC_ARRAY_LEN(ids); i++) {
		const bool gone = i == 3 || taken[_i].from == 1;

		ck_assert_msg(verdict(i) == (i == 3 ? taken[_i].stores : taken[_i].loads), "%s: %s is %s",
			      taken[_i].what, ids[i], bc_verdict_name(verdict(i)));
		ck_assert_msg((obs[i].attempts == 0) == gone && (obs[i].counters_absent[0] != '\0') == gone,
			      "%s: %s: %s", taken[_i].what, ids[i], obs[i].counters_absent);
		if (gone)
			ck_assert_msg(strstr(obs[i].counters_absent,
					     stuck ? "void" : "fake: the counters were taken away") != NULL,
				      "%s: %s", taken[_i].what, obs[i].counters_absent);
	}
}
END_TEST

START_TEST(a_pattern_that_cannot_be_timed_has_no_clock)
{
	struct bc_case two = *cases[0];
	const struct bc_case *one[] = { &two };

	two.pattern.count = 2;
	two.pattern.step = 4;
	ck_assert_int_eq(bc_measure_batch(measure, one, 1, obs, &err), BC_OK);
	ck_assert_str_eq(obs[0].clock_absent, "no clock protocol for 2 requests of ld32");
	ck_assert_uint_eq(obs[0].count[0].requests, 8);
	ck_assert(obs[0].data_ok);
}
END_TEST

START_TEST(a_case_without_a_kernel_is_broken)
{
	struct bc_case none = *cases[0], low = *cases[0];
	const struct bc_case *some[] = { &none, &low, cases[1] };

	none.pattern.op = BC_OP_NONE;
	low.pattern.origin = BC_FROM_ABSOLUTE; /* address 0 lies below the window */
	ck_assert_msg(bc_measure_batch(measure, some, 3, obs, &err) == BC_OK, "%s", err.msg);
	ck_assert_int_eq(obs[0].outcome, BC_TOOL_ERROR);
	ck_assert_msg(strstr(obs[0].reason, "no kernel for the operation none"), "%s", obs[0].reason);
	ck_assert_int_eq(obs[1].outcome, BC_TOOL_ERROR);
	ck_assert_msg(strstr(obs[1].reason, "below the window"), "%s", obs[1].reason);
	ck_assert_int_eq(obs[2].outcome, BC_RAN);
	ck_assert(obs[2].data_ok && obs[2].clock_has && obs[2].attempts == 1);
}
END_TEST

/* A case whose kernel came with CUDA 12.0; where nobody knows what made the images it is asked for. */
static const struct {
	const char *toolkit, *reason;
} toolkits[] = {
	{ "CUDA 11.8 by nvcc 11.8.89", "kernels of CUDA 12.0 or newer (these are of CUDA 11.8)" },
	{ "CUDA 11.8", "kernels of CUDA 12.0 or newer (these are of CUDA 11.8)" },
	{ "CUDA 12.0 by nvcc 12.0.140", NULL },
	{ "CUDA 13.5 by nvcc 13.5.1", NULL },
	{ "unknown: no file toolkit", NULL },
	{ "", NULL },
};

START_TEST(images_of_an_older_compiler_lack_a_kernel)
{
	struct bc_case newer = *cases[0];
	const struct bc_case *two[] = { &newer, cases[1] };

	newer.release = 120;
	(void)bc_strlcpy(fake.facts.toolkit, toolkits[_i].toolkit, sizeof(fake.facts.toolkit));
	ck_assert_msg(bc_measure_batch(measure, two, 2, obs, &err) == BC_OK, "%s", err.msg);
	ck_assert_int_eq(obs[1].outcome, BC_RAN);
	ck_assert(obs[1].data_ok);
	ck_assert_int_eq(obs[0].outcome, toolkits[_i].reason ? BC_NO_KERNEL : BC_RAN);
	ck_assert_str_eq(obs[0].reason, toolkits[_i].reason ? toolkits[_i].reason : "");
	ck_assert_int_eq(obs[0].data_checked, !toolkits[_i].reason);
}
END_TEST

START_TEST(a_batch_has_a_size)
{
	const struct bc_case *many[BC_BATCH_MAX + 1];
	static struct bc_observation room[BC_BATCH_MAX + 1];

	for (size_t i = 0; i < BC_ARRAY_LEN(many); i++)
		many[i] = cases[i % BC_ARRAY_LEN(cases)];
	ck_assert_int_eq(bc_measure_batch(measure, many, BC_BATCH_MAX + 1, room, &err), BC_EUSAGE);
	ck_assert_int_eq(bc_measure_batch(measure, many, BC_BATCH_MAX, room, &err), BC_OK);
	ck_assert(room[BC_BATCH_MAX - 1].data_ok);
	ck_assert_int_eq(bc_measure_batch(measure, many, 0, room, &err), BC_OK);
	bc_measure_close(NULL);
}
END_TEST

/* Every load and store pattern of the catalogue passes by all witnesses on a device that obeys the laws. */
START_TEST(the_catalogue_passes)
{
	size_t pass = 0, next = 0;

	while (next < cat.n) {
		const struct bc_case *some[BC_BATCH_MAX];
		size_t n = 0;

		for (; next < cat.n && n < BC_BATCH_MAX; next++)
			if (cat.cases[next].pattern.op >= BC_OP_LD8 && cat.cases[next].pattern.op <= BC_OP_ST128)
				some[n++] = &cat.cases[next];
		ck_assert_msg(bc_measure_batch(measure, some, n, obs, &err) == BC_OK, "%s", err.msg);
		ck_assert_str_eq(fake.bad_launch, "");
		for (size_t i = 0; i < n; i++) {
			struct bc_bounds bounds;
			const struct bc_judge_in in = {
				.c = some[i], .arch = &fake.arch, .bounds = &bounds, .obs = &obs[i]
			};
			struct bc_judgement j;

			bc_expect_find(&expect, some[i]->id, &bounds);
			bc_judge(&in, &j);
			ck_assert_msg(j.verdict == BC_PASS, "%s: %s: %s", some[i]->id, bc_verdict_name(j.verdict),
				      j.message);
			ck_assert_msg(obs[i].attempts == 1 && obs[i].clock_has, "%s: %s%s", some[i]->id,
				      obs[i].counters_absent, obs[i].clock_absent);
			pass++;
		}
	}
	ck_assert_uint_ge(pass, 500);
}
END_TEST

/* A launch that must be refused and takes the context down: the device is told lost with that launch's words, and
 * nothing more is launched on it. */
START_TEST(a_refused_launch_that_ends_the_context_is_no_refusal)
{
	const struct bc_case *refused = bc_catalog_find(&cat, "declare/refused/dynamic_64k");

	ck_assert_ptr_nonnull(refused);
	fake.fail_run = 1;
	fake.dies = true;
	ck_assert_int_eq(bc_measure_batch(measure, &refused, 1, obs, &err), BC_EDEVICE);
	ck_assert_str_eq(err.msg, "fake: a launch failed");
	ck_assert_uint_eq(fake.runs, 1);
}
END_TEST

Suite *bc_test_measure(void)
{
	Suite *s = suite_create("measure");
	TCase *tc = tcase_create("measure");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, every_witness_speaks);
	tcase_add_test(tc, outliers_do_not_move_the_clock);
	tcase_add_test(tc, an_unexpected_count_is_made_again);
	tcase_add_test(tc, a_repeat_that_fits_is_no_pass);
	tcase_add_test(tc, a_void_repeat_does_not_wash_the_first_count_away);
	tcase_add_test(tc, one_wrong_baseline_fails_no_case);
	tcase_add_test(tc, without_expectations_one_count_is_made);
	tcase_add_test(tc, a_wrong_request_count_is_made_again);
	tcase_add_test(tc, one_bad_launch_is_alone);
	tcase_add_test(tc, wrong_data_is_that_cases_alone);
	tcase_add_loop_test(tc, a_dead_device_ends_the_batch, 0, (int)BC_ARRAY_LEN(deaths));
	tcase_add_test(tc, a_calibration_that_fails_costs_the_clock_alone);
	tcase_add_test(tc, a_flat_clock_is_a_finding);
	tcase_add_test(tc, a_flat_clock_that_strays_tells_nothing);
	tcase_add_test(tc, a_calibration_disturbed_for_a_moment_costs_nothing);
	tcase_add_test(tc, a_calibration_is_tried_again_in_the_next_batch);
	tcase_add_test(tc, what_is_not_asked_for_is_absent_with_a_reason);
	tcase_add_test(tc, what_the_device_lacks_is_absent_with_its_reason);
	tcase_add_loop_test(tc, counters_that_are_taken_away_are_never_zero, 0, (int)BC_ARRAY_LEN(taken));
	tcase_add_test(tc, a_pattern_that_cannot_be_timed_has_no_clock);
	tcase_add_test(tc, a_case_without_a_kernel_is_broken);
	tcase_add_loop_test(tc, images_of_an_older_compiler_lack_a_kernel, 0, (int)BC_ARRAY_LEN(toolkits));
	tcase_add_test(tc, a_batch_has_a_size);
	tcase_add_test(tc, the_catalogue_passes);
	tcase_add_test(tc, a_refused_launch_that_ends_the_context_is_no_refusal);
	suite_add_tcase(s, tc);
	return s;
}
