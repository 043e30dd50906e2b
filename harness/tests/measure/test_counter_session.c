/* SPDX-License-Identifier: MIT */
#include "harness/measure/counter_session.h"
#include "harness/measure/counter_set.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/tests/measure/fake_device.h"

Suite *bc_test_counter_session(void);

#define CASES 4

static struct bc_fake fake;
static struct bc_device *dev;
static struct bc_counter_session *counting;
static struct bc_error err;
static struct bc_pattern pattern[CASES];
static struct bc_observation obs[CASES];
static struct bc_count_item item[CASES];

/* Strides of 1, 2, 4, 32 words: 1, 2, 4, 32 wavefronts a request; the first has 32 requests. */
static void setup(void)
{
	static const uint32_t words[CASES] = { 1, 2, 4, 32 };

	fake = (struct bc_fake){ .overhead = 5 };
	dev = bc_fake_open(&fake);
	ck_assert_int_eq(bc_counter_session_open(&bc_device_fake, dev, &fake.arch, &counting, &err), BC_OK);
	for (unsigned i = 0; i < CASES; i++) {
		pattern[i] =
			(struct bc_pattern){ .op = BC_OP_LD32, .mask = UINT32_MAX, .count = i ? 1 : 32, .step = 4 };
		for (uint32_t lane = 0; lane < BC_LANES; lane++)
			pattern[i].offset[lane] = lane * words[i] * 4;
		obs[i] = (struct bc_observation){ .requests_stated = 0 };
		(void)snprintf(obs[i].id, sizeof(obs[i].id), "s/r/%u", i);
		item[i] = (struct bc_count_item){ .pattern = &pattern[i], .obs = &obs[i] };
	}
}

static void teardown(void)
{
	bc_counter_session_close(counting);
	bc_device_fake.close(dev);
}

static void set_op(enum bc_op op)
{
	for (unsigned i = 0; i < CASES; i++)
		pattern[i].op = op;
}

static void session(enum bc_class cls)
{
	ck_assert_msg(bc_counter_session_count(counting, cls, 1, item, CASES, &err) == BC_OK, "%s", err.msg);
	ck_assert_str_eq(fake.bad_launch, "");
}

/* Attempt @a of every case reads what the laws give: wavefronts * requests. */
static void counts_are_right(unsigned a)
{
	static const uint64_t requests[CASES] = { 32, 8, 8, 8 }, ways[CASES] = { 1, 2, 4, 32 };

	for (unsigned i = 0; i < CASES; i++) {
		ck_assert_int_eq(obs[i].outcome, BC_RAN);
		ck_assert_uint_eq(obs[i].attempts, a + 1);
		ck_assert_str_eq(obs[i].counters_absent, "");
		ck_assert(!obs[i].counters_void && obs[i].requests_counted);
		ck_assert_uint_eq(obs[i].requests_stated, requests[i]);
		ck_assert_uint_eq(obs[i].count[a].requests, requests[i]);
		ck_assert_uint_eq(obs[i].count[a].wavefronts, requests[i] * ways[i]);
		ck_assert_uint_eq(obs[i].count[a].conflicts, requests[i] * (ways[i] - 1));
	}
}

static void anew(void)
{
	for (unsigned i = 0; i < CASES; i++)
		obs[i] = (struct bc_observation){ .id = "s/r/x" };
}

START_TEST(each_case_has_its_own_counts)
{
	session(BC_CLASS_LD);
	counts_are_right(0);
	ck_assert_uint_eq(fake.counts, 1); /* one session */
	ck_assert_uint_eq(fake.runs, 0);
	ck_assert_uint_eq(fake.launches, 2 + 1 + CASES + 2); /* canaries, baseline, cases, canaries */
}
END_TEST

START_TEST(stores_are_counted_as_stores)
{
	set_op(BC_OP_ST32);
	session(BC_CLASS_ST);
	counts_are_right(0);
}
END_TEST

/* The baseline of a kernel is counted once and subtracted once; a case that is counted again has it counted twice more.
 */
START_TEST(a_baseline_is_counted_once)
{
	session(BC_CLASS_LD);
	ck_assert_uint_eq(fake.baselines, 1);
	anew();
	session(BC_CLASS_LD);
	counts_are_right(0);
	ck_assert_uint_eq(fake.baselines, 1);
	session(BC_CLASS_LD);
	counts_are_right(1);
	ck_assert_uint_eq(fake.baselines, 3);
	ck_assert_str_eq(obs[0].read_again, ""); /* it was sound */
	anew();
	pattern[2].op = BC_OP_LD8; /* another kernel, another baseline */
	session(BC_CLASS_LD);
	ck_assert_uint_eq(fake.baselines, 4);
	ck_assert_uint_eq(obs[2].count[0].requests, 8);
}
END_TEST

/* The baseline of ld8, read once, a session's second: the canary's is the first. It is below what it should be, above,
 * and above all counts. */
static const int wrong_by[] = { -3, 2, 1000 };

START_TEST(a_baseline_that_was_read_wrong_costs_nothing)
{
	set_op(BC_OP_LD8);
	fake.wrong_baseline = 2;
	fake.wrong_by = wrong_by[_i];
	session(BC_CLASS_LD);
	if (wrong_by[_i] < 0) { /* else a case is below it, and it is read anew at once */
		ck_assert_uint_ne(obs[1].count[0].wavefronts, 16);
		session(BC_CLASS_LD); /* as measure does with a count that is not expected */
		counts_are_right(1);
	}
	for (unsigned i = 0; i < CASES; i++) {
		ck_assert_msg(obs[i].outcome == BC_RAN, "%s", obs[i].reason);
		ck_assert_uint_eq(obs[i].count[0].wavefronts, (i ? 8 : 32) * (i == 3 ? 32 : 1u << i));
		ck_assert_msg(strstr(obs[i].read_again, "the baseline of ld8: first ") != NULL, "%s",
			      obs[i].read_again);
	}
	anew();
	session(BC_CLASS_LD); /* and the next cases know nothing of it */
	counts_are_right(0);
	ck_assert_str_eq(obs[0].read_again, "");
}
END_TEST

/* It is the second of three that is wrong: the first stands. */
START_TEST(a_sound_baseline_stays)
{
	set_op(BC_OP_LD8);
	session(BC_CLASS_LD);
	fake.wrong_baseline = 6; /* the third of five readings: two of the canary's come first */
	fake.wrong_by = 2;
	session(BC_CLASS_LD);
	ck_assert_uint_eq(fake.baselines, 6);
	counts_are_right(1);
	ck_assert_str_eq(obs[0].read_again, "");
}
END_TEST

START_TEST(baselines_that_are_never_the_same_void_all)
{
	fake.baselines_stray = true;
	session(BC_CLASS_LD);
	for (unsigned i = 0; i < CASES; i++)
		ck_assert(obs[i].counters_void && !obs[i].attempts);
}
END_TEST

/* The canary's is sound, the cases' is not. */
static enum bc_status straying_count(struct bc_device *d, const struct bc_launch *l, size_t n, uint32_t want,
				     struct bc_counts *counts, struct bc_error *e)
{
	static uint64_t more;
	const enum bc_status st = bc_device_fake.count(d, l, n, want, counts, e);

	for (size_t i = 0; i < n; i++)
		if (strcmp(l[i].kernel, "bc_ld8") == 0 && strcmp(l[i].label, "baseline") == 0)
			counts[i].v[BC_CTR_LD_WAVEFRONTS] += ++more;
	return st;
}

START_TEST(a_baseline_that_is_never_the_same_breaks_its_cases)
{
	static struct bc_device_ops ops;

	ops = bc_device_fake;
	ops.count = straying_count;
	bc_counter_session_close(counting);
	ck_assert_int_eq(bc_counter_session_open(&ops, dev, &fake.arch, &counting, &err), BC_OK);
	pattern[2].op = BC_OP_LD8;
	session(BC_CLASS_LD);
	session(BC_CLASS_LD);
	ck_assert_int_eq(obs[2].outcome, BC_TOOL_ERROR);
	ck_assert_msg(strstr(obs[2].reason, "no two of three launches") != NULL, "%s", obs[2].reason);
	ck_assert_uint_eq(obs[1].attempts, 2);
}
END_TEST

static const struct {
	const char *what;
	enum bc_fake_fault fault;
	const char *label; /* of the launches it is in, NULL: all */
	const char *words; /* of the reason */
} faults[] = {
	{ "every counter reads 0", BC_FAKE_STUCK, NULL,
	  "first canary of class ld (8 requests, each 32 wavefronts, 31 conflicts" },
	{ "everything counts twice", BC_FAKE_DOUBLED, NULL, "read 21 requests, 517 wavefronts, 501 conflicts" },
	{ "a wavefront too many", BC_FAKE_ONE_MORE, "canary with conflicts",
	  "read 8 requests, 257 wavefronts, 249 conflicts" },
	{ "a request too many", BC_FAKE_ONE_REQUEST_MORE, "canary with conflicts",
	  "read 9 requests, 256 wavefronts, 248 con" },
	{ "only the clean one is wrong", BC_FAKE_ONE_MORE, "clean canary",
	  "each 1 wavefronts, 0 conflicts, 0 sectors) read 8 re" },
	{ "a canary below its baseline", BC_FAKE_NOTHING, "clean canary",
	  "each 1 wavefronts, 0 conflicts, 0 sectors) read 4 re" },
};

START_TEST(a_canary_that_does_not_sing_voids_the_session)
{
	fake.fault = faults[_i].fault;
	fake.fault_label = faults[_i].label;
	session(BC_CLASS_LD);
	for (unsigned i = 0; i < CASES; i++) {
		ck_assert_msg(obs[i].counters_void, "%s: case %u keeps its counts", faults[_i].what, i);
		ck_assert_uint_eq(obs[i].attempts, 0);
		ck_assert_int_eq(obs[i].outcome, BC_RAN);
		ck_assert_msg(strstr(obs[i].counters_absent, faults[_i].words) &&
				      strstr(obs[i].counters_absent, "void"),
			      "%s: %s", faults[_i].what, obs[i].counters_absent);
	}
	ck_assert_uint_eq(fake.counts, 2); /* it was tried once more, in vain: the next is not */
	anew();
	session(BC_CLASS_LD);
	ck_assert(obs[0].counters_void);
	ck_assert_uint_eq(fake.counts, 3);
	/* the next session is sound and counts the baseline anew */
	fake.fault = BC_FAKE_RIGHT;
	anew();
	session(BC_CLASS_LD);
	counts_are_right(0);
	ck_assert_uint_eq(fake.baselines, 1 + 3 + 1 + 1);
	ck_assert_str_eq(obs[0].read_again, "");
}
END_TEST

/* Void, or refused, for once: its cases are counted in the next session, and say so. */
START_TEST(a_session_that_fails_once_costs_nothing)
{
	if (_i < (int)BC_ARRAY_LEN(faults)) {
		fake.fault = faults[_i].fault;
		fake.fault_label = faults[_i].label;
		fake.fault_from = fake.fault_to = 1;
	} else {
		fake.fail_count = 1;
	}
	session(BC_CLASS_LD);
	counts_are_right(0);
	ck_assert_uint_eq(fake.counts, 2);
	for (unsigned i = 0; i < CASES; i++)
		ck_assert_msg(strstr(obs[i].read_again,
				     _i < (int)BC_ARRAY_LEN(faults) ? faults[_i].words : "a launch failed"),
			      "%s", obs[i].read_again);
	fake.fault_from = fake.fault_to = 3; /* and once more, later */
	fake.fail_count = 3;
	anew();
	session(BC_CLASS_LD);
	counts_are_right(0);
	ck_assert_uint_eq(fake.counts, 4);
}
END_TEST

#define LAST (2 + 1 + CASES + 2 - 1) /* launches: canaries, baseline, cases, canaries */

/* Device operations whose launches from @break_from to @break_to of a call read one wrong counter, or only 0. */
static size_t break_from, break_to;
static enum bc_counter break_what; /* BC_NCOUNTERS: all read 0 */

static enum bc_status breaking_count(struct bc_device *d, const struct bc_launch *l, size_t n, uint32_t want,
				     struct bc_counts *counts, struct bc_error *e)
{
	const enum bc_status st = bc_device_fake.count(d, l, n, want, counts, e);
	const size_t more = break_from > 2 && n > LAST + 1 ? n - (LAST + 1) : 0; /* baselines that are read anew */

	for (size_t i = break_from + more; i <= break_to + more && i < n; i++)
		if (break_what == BC_NCOUNTERS)
			memset(counts[i].v, 0, sizeof(counts[i].v));
		else
			counts[i].v[break_what]++;
	return st;
}

static void open_breaking(void)
{
	static struct bc_device_ops ops;

	ops = bc_device_fake;
	ops.count = breaking_count;
	bc_counter_session_close(counting);
	ck_assert_int_eq(bc_counter_session_open(&ops, dev, &fake.arch, &counting, &err), BC_OK);
}

START_TEST(counters_that_lock_up_in_the_middle_are_caught_by_the_last_canary)
{
	open_breaking();
	break_what = BC_NCOUNTERS;
	break_to = LAST;
	for (break_from = 3; break_from <= LAST; break_from++) {
		anew();
		session(BC_CLASS_LD);
		ck_assert_msg(obs[0].counters_void, "from launch %zu on", break_from);
		ck_assert_ptr_nonnull(strstr(obs[0].counters_absent, "last canary"));
	}
}
END_TEST

/* Each counter of each of the four canaries is looked at. */
START_TEST(every_canary_is_heard)
{
	static const size_t canary[] = { 0, 1, LAST - 1, LAST };
	static const enum bc_counter counter[] = { BC_CTR_LD_REQUESTS, BC_CTR_LD_WAVEFRONTS, BC_CTR_LD_CONFLICTS };

	open_breaking();
	for (size_t i = 0; i < BC_ARRAY_LEN(canary); i++) {
		for (size_t k = 0; k < BC_ARRAY_LEN(counter); k++) {
			break_from = break_to = canary[i];
			break_what = counter[k];
			anew();
			session(BC_CLASS_LD);
			ck_assert_msg(obs[0].counters_void && obs[0].attempts == 0, "launch %zu, %s", canary[i],
				      bc_counter_name(counter[k]));
		}
	}
	break_from = break_to = LAST + 1;
	anew();
	session(BC_CLASS_LD);
	counts_are_right(0);
}
END_TEST

/* What a sound session counted is not lost when a later one is void or impossible. */
START_TEST(an_older_count_stands)
{
	session(BC_CLASS_LD);
	fake.fault = BC_FAKE_STUCK;
	session(BC_CLASS_LD);
	counts_are_right(0);
	fake.fault = BC_FAKE_RIGHT;
	fake.fail_count = 4; /* twice was in vain before: once */
	session(BC_CLASS_LD);
	counts_are_right(0);
	session(BC_CLASS_LD);
	counts_are_right(1);
}
END_TEST

START_TEST(a_chip_without_the_counter_has_no_counts)
{
	fake.missing = 1u << BC_CTR_LD_CONFLICTS;
	session(BC_CLASS_LD);
	for (unsigned i = 0; i < CASES; i++) {
		ck_assert_uint_eq(obs[i].attempts, 0);
		ck_assert(!obs[i].counters_void);
		ck_assert_msg(strstr(obs[i].counters_absent, "the chip has no counter ld_conflicts"), "%s",
			      obs[i].counters_absent);
	}
	ck_assert_uint_eq(fake.counts, 1);	  /* the next try would not have it either */
	fake.missing = 1u << BC_CTR_ST_CONFLICTS; /* not of this class */
	anew();
	session(BC_CLASS_LD);
	counts_are_right(0);
}
END_TEST

START_TEST(counting_that_is_impossible_says_why)
{
	fake.refuse_from = 1;
	session(BC_CLASS_LD);
	ck_assert_uint_eq(fake.counts, 2);
	for (unsigned i = 0; i < CASES; i++) {
		ck_assert_uint_eq(obs[i].attempts, 0);
		ck_assert_int_eq(obs[i].outcome, BC_RAN);
		ck_assert_str_eq(obs[i].counters_absent, "fake: the counters were taken away");
		ck_assert_str_eq(obs[i].read_again, "");
	}
	anew();
	session(BC_CLASS_LD);
	ck_assert_uint_eq(fake.counts, 3); /* not tried twice again */
}
END_TEST

START_TEST(a_dead_device_ends_it)
{
	fake.fail_count = 1;
	fake.dies = true;
	ck_assert_int_eq(bc_counter_session_count(counting, BC_CLASS_LD, 1, item, CASES, &err), BC_EDEVICE);
	ck_assert_str_eq(err.msg, "fake: a launch failed");
}
END_TEST

START_TEST(less_than_the_baseline_breaks_that_case_alone)
{
	fake.fault = BC_FAKE_NOTHING;
	fake.fault_label = "s/r/2";
	session(BC_CLASS_LD);
	ck_assert_int_eq(obs[2].outcome, BC_TOOL_ERROR);
	ck_assert_ptr_nonnull(strstr(obs[2].reason, "less than the same kernel with 0 repetitions"));
	ck_assert_uint_eq(obs[2].attempts, 0);
	ck_assert_uint_eq(obs[1].count[0].wavefronts, 16);
	ck_assert_uint_eq(obs[3].count[0].wavefronts, 256);
}
END_TEST

/* One counter of the launch of case s/r/2 reads less than its baseline, the others what they should. */
static enum bc_counter low;

static enum bc_status lowering_count(struct bc_device *d, const struct bc_launch *l, size_t n, uint32_t want,
				     struct bc_counts *counts, struct bc_error *e)
{
	const enum bc_status st = bc_device_fake.count(d, l, n, want, counts, e);

	for (size_t i = 0; i < n; i++)
		if (strcmp(l[i].label, "s/r/2") == 0)
			counts[i].v[low] = fake.overhead - 1;
	return st;
}

START_TEST(any_counter_below_its_baseline_breaks_the_case)
{
	static const enum bc_counter counter[] = { BC_CTR_LD_REQUESTS, BC_CTR_LD_WAVEFRONTS, BC_CTR_LD_CONFLICTS };
	static struct bc_device_ops ops;

	ops = bc_device_fake;
	ops.count = lowering_count;
	low = counter[_i];
	bc_counter_session_close(counting);
	ck_assert_int_eq(bc_counter_session_open(&ops, dev, &fake.arch, &counting, &err), BC_OK);
	session(BC_CLASS_LD);
	ck_assert_msg(obs[2].outcome == BC_TOOL_ERROR && obs[2].attempts == 0, "%s: %llu", bc_counter_name(low),
		      (unsigned long long)obs[2].count[0].conflicts);
	ck_assert_ptr_nonnull(strstr(obs[2].reason, "less than the same kernel with 0 repetitions"));
	ck_assert_int_eq(obs[3].outcome, BC_RAN);
	ck_assert_uint_eq(obs[3].count[0].conflicts, 248);
}
END_TEST

START_TEST(a_wrong_count_is_handed_on_as_it_is)
{
	fake.fault = BC_FAKE_ONE_MORE;
	fake.fault_label = "s/r/1";
	session(BC_CLASS_LD);
	ck_assert_uint_eq(obs[1].count[0].wavefronts, 17);
	ck_assert_uint_eq(obs[1].count[0].conflicts, 9);
	ck_assert_uint_eq(obs[0].count[0].wavefronts, 32);
}
END_TEST

/* What sorts cases by turns would lose those of a turn beyond the last. */
START_TEST(every_class_has_a_turn)
{
	unsigned seen = 0;

	for (unsigned c = 0; c < BC_NCLASSES; c++) {
		ck_assert_msg(bc_counter_turn((enum bc_class)c) < BC_COUNTER_TURNS, "class %s",
			      bc_class_name((enum bc_class)c));
		seen |= 1u << bc_counter_turn((enum bc_class)c);
	}
	ck_assert_uint_eq(seen, (1u << BC_COUNTER_TURNS) - 1);
}
END_TEST

Suite *bc_test_counter_session(void)
{
	Suite *s = suite_create("counter_session");
	TCase *tc = tcase_create("count");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_case_has_its_own_counts);
	tcase_add_test(tc, stores_are_counted_as_stores);
	tcase_add_test(tc, a_baseline_is_counted_once);
	tcase_add_loop_test(tc, a_baseline_that_was_read_wrong_costs_nothing, 0, (int)BC_ARRAY_LEN(wrong_by));
	tcase_add_test(tc, a_sound_baseline_stays);
	tcase_add_test(tc, baselines_that_are_never_the_same_void_all);
	tcase_add_test(tc, a_baseline_that_is_never_the_same_breaks_its_cases);
	tcase_add_loop_test(tc, a_canary_that_does_not_sing_voids_the_session, 0, (int)BC_ARRAY_LEN(faults));
	tcase_add_loop_test(tc, a_session_that_fails_once_costs_nothing, 0, (int)BC_ARRAY_LEN(faults) + 1);
	tcase_add_test(tc, counters_that_lock_up_in_the_middle_are_caught_by_the_last_canary);
	tcase_add_test(tc, every_canary_is_heard);
	tcase_add_test(tc, an_older_count_stands);
	tcase_add_test(tc, a_chip_without_the_counter_has_no_counts);
	tcase_add_test(tc, counting_that_is_impossible_says_why);
	tcase_add_test(tc, a_dead_device_ends_it);
	tcase_add_test(tc, less_than_the_baseline_breaks_that_case_alone);
	tcase_add_loop_test(tc, any_counter_below_its_baseline_breaks_the_case, 0, 3);
	tcase_add_test(tc, a_wrong_count_is_handed_on_as_it_is);
	tcase_add_test(tc, every_class_has_a_turn);
	suite_add_tcase(s, tc);
	return s;
}
