/* SPDX-License-Identifier: MIT */
#include "harness/measure/pack.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/measure/counter_session.h"
#include "harness/tests/measure/fake_device.h"
#include "harness/tests/program.h"

Suite *bc_test_pack(void);

#define CASES 9

static const struct bc_count_source all = { .requests = true, .wavefronts = true, .conflicts = true };

static struct bc_error err;
static struct bc_pattern pattern[CASES];
static struct bc_observation obs[CASES];
static struct bc_count_item item[CASES];
static struct bc_range range[CASES];
static size_t nranges;

/* Cases of @ways wavefronts a request, all of which may share ranges. */
static void make_cases(const uint32_t *ways, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		pattern[i] = (struct bc_pattern){ .op = BC_OP_LD32, .mask = UINT32_MAX, .count = 1 };
		for (uint32_t lane = 0; lane < BC_LANES; lane++)
			pattern[i].offset[lane] = lane * (ways[i] == 1 ? 4 : ways[i] * 4);
		obs[i] = (struct bc_observation){ .id = "s/r/0" };
		obs[i].id[4] = (char)('0' + i);
		item[i] = (struct bc_count_item){ .pattern = &pattern[i],
						  .obs = &obs[i],
						  .packable = true,
						  .expected = { .wavefronts = ways[i], .conflicts = ways[i] - 1 } };
	}
}

static void put_into_ranges(size_t n, unsigned pack)
{
	ck_assert_msg(!bc_pack_ranges(item, n, pack, range, &nranges, &err), "%s", err.msg);
}

START_TEST(repetitions_are_powers_of_the_base)
{
	ck_assert_uint_eq(bc_pack_weight(0), 1);
	ck_assert_uint_eq(bc_pack_weight(1), 72);
	ck_assert_uint_eq(bc_pack_weight(2), 5184);
	ck_assert_uint_gt(BC_PACK_BASE, 64); /* cas by all lanes on one bank: 2 x 32 */
}
END_TEST

START_TEST(each_alone_when_that_is_asked)
{
	static const uint32_t ways[] = { 1, 32, 2 };

	make_cases(ways, 3);
	put_into_ranges(3, 1);
	ck_assert_uint_eq(nranges, 3);
	for (unsigned i = 0; i < 3; i++)
		ck_assert(range[i].n == 1 && range[i].item[0] == &item[i]);
}
END_TEST

/* Every case is in exactly one range; what may not be packed is alone; the dearest of a range makes one request. */
START_TEST(ranges_hold_every_case_once)
{
	static const uint32_t ways[CASES] = { 1, 32, 2, 16, 4, 8, 1, 32, 1 };
	unsigned seen[CASES] = { 0 }, alone = 0;

	make_cases(ways, CASES);
	item[2].packable = item[7].packable = false;
	put_into_ranges(CASES, 3);
	ck_assert_uint_eq(nranges, 2 + 3); /* 7 cases in threes */
	for (size_t r = 0; r < nranges; r++) {
		ck_assert_uint_ge(range[r].n, 1);
		ck_assert_uint_le(range[r].n, 3);
		alone += !range[r].item[0]->packable && range[r].n == 1;
		for (unsigned k = 0; k < range[r].n; k++) {
			seen[range[r].item[k] - item]++;
			ck_assert(k == 0 ||
				  range[r].item[k]->expected.wavefronts <= range[r].item[k - 1]->expected.wavefronts);
		}
	}
	ck_assert_uint_eq(alone, 2);
	for (unsigned i = 0; i < CASES; i++)
		ck_assert_uint_eq(seen[i], 1);
	put_into_ranges(0, 3);
	ck_assert_uint_eq(nranges, 0);
}
END_TEST

START_TEST(a_range_of_none_or_too_many_is_refused)
{
	static const uint32_t ways[] = { 1 };

	make_cases(ways, 1);
	ck_assert_int_eq(bc_pack_ranges(item, 1, 0, range, &nranges, &err), BC_EUSAGE);
	ck_assert_int_eq(bc_pack_ranges(item, 1, BC_PACK_MAX + 1, range, &nranges, &err), BC_EUSAGE);
}
END_TEST

/* One range: 32, 4 and 1 wavefronts a request, in 1, 72 and 5,184 requests. */
static void one_range(void)
{
	static const uint32_t ways[] = { 32, 4, 1 };

	make_cases(ways, 3);
	put_into_ranges(3, 3);
	ck_assert_uint_eq(nranges, 1);
}

static const struct bc_count as_expected = { .requests = 1 + 72 + 5184,
					     .wavefronts = 32 + 72 * 4 + 5184 * 1,
					     .conflicts = 31 + 72 * 3 };

START_TEST(digits_are_the_cases_own_counts)
{
	static const uint64_t requests[] = { 1, 72, 5184 }, wavefronts[] = { 32, 288, 5184 },
			      conflicts[] = { 31, 216, 0 };

	one_range();
	bc_pack_read(&range[0], all, &as_expected);
	ck_assert(!range[0].unexpected);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(obs[i].attempts, 1);
		ck_assert_uint_eq(obs[i].counted_with, 2);
		ck_assert_uint_eq(obs[i].requests_stated, requests[i]);
		ck_assert_uint_eq(obs[i].count[0].requests, requests[i]);
		ck_assert_uint_eq(obs[i].count[0].wavefronts, wavefronts[i]);
		ck_assert_uint_eq(obs[i].count[0].conflicts, conflicts[i]);
	}
}
END_TEST

/* What a range may be off by: one request of one case, more than a digit holds, everything at once, nothing counted. */
static const struct {
	const char *what;
	int64_t requests, wavefronts, conflicts; /* added to what is expected */
} off[] = {
	{ "a wavefront more of the first", 0, 1, 0 },
	{ "a wavefront less of the first", 0, -1, 0 },
	{ "a wavefront more of the second", 0, 72, 0 },
	{ "a wavefront more of the last", 0, 5184, 0 },
	{ "a wavefront more in one of the second's requests", 0, 1, 1 },
	{ "a conflict more of the last", 0, 0, 5184 },
	{ "a conflict less of the second", 0, 0, -72 },
	{ "a request more of the first", 1, 0, 0 },
	{ "the last case did not run", -5184, -5184, 0 },
	{ "the first carries into the second", 0, 72 - 32, 72 - 31 },
	{ "the last is beyond a digit", 0, 5184 * 72, 5184 * 72 },
	{ "all is doubled", 5257, 5504, 247 },
	{ "nothing was counted", -5257, -5504, -247 },
};

START_TEST(one_wrong_digit_fells_the_range)
{
	struct bc_count sum = as_expected;

	one_range();
	sum.requests += (uint64_t)off[_i].requests;
	sum.wavefronts += (uint64_t)off[_i].wavefronts;
	sum.conflicts += (uint64_t)off[_i].conflicts;
	bc_pack_read(&range[0], all, &sum);
	ck_assert_msg(range[0].unexpected, "%s", off[_i].what);
	ck_assert_uint_eq(range[0].sum.wavefronts, sum.wavefronts);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_msg(!obs[i].attempts && !obs[i].counted_with, "%s", off[_i].what);
}
END_TEST

/* A class without a counter of wavefronts, or of requests: what it cannot count is 0 and expected of nobody. */
START_TEST(what_a_class_does_not_count_is_not_looked_at)
{
	static const struct bc_count_source conflicts = { .conflicts = true };
	const struct bc_count sum = { .conflicts = as_expected.conflicts };

	one_range();
	bc_pack_read(&range[0], conflicts, &sum);
	ck_assert(!range[0].unexpected);
	ck_assert_uint_eq(obs[1].count[0].conflicts, 216);
	ck_assert_uint_eq(obs[1].count[0].wavefronts, 0);
	one_range();
	bc_pack_read(&range[0], all, &sum);
	ck_assert(range[0].unexpected);
}
END_TEST

/* The range read @sum; then the cases were counted alone, 8 requests each, at @ways wavefronts a request. */
static void fall(const struct bc_count *sum, const uint32_t *ways)
{
	one_range();
	bc_pack_read(&range[0], all, sum);
	ck_assert(range[0].unexpected);
	for (unsigned i = 0; i < 3; i++) {
		obs[i].attempts = 1;
		obs[i].requests_stated = 8;
		obs[i].count[0] =
			(struct bc_count){ .requests = 8, .wavefronts = 8 * ways[i], .conflicts = 8 * (ways[i] - 1) };
	}
	bc_pack_check_sum(&range[0], all);
}

/* Wrong in the same way together and alone, even beyond a digit: nothing is held against the others. */
START_TEST(a_range_that_is_the_sum_of_its_cases_is_forgotten)
{
	static const uint32_t wrong[][3] = { { 31, 4, 1 }, { 32, 8, 1 },     { 32, 4, 2 },
					     { 96, 4, 1 }, { 32, 100, 200 }, { 1, 1, 8 } };
	const uint32_t *w = wrong[_i];
	const struct bc_count sum = { .requests = 5257,
				      .wavefronts = w[0] + 72 * w[1] + 5184 * w[2],
				      .conflicts = w[0] - 1 + 72 * (w[1] - 1) + 5184 * (w[2] - 1) };

	fall(&sum, w);
	for (unsigned i = 0; i < 3; i++)
		ck_assert(obs[i].attempts == 1 && !obs[i].counted_with);
}
END_TEST

/* Off together, right alone: the case whose digit is off has both on its record, and the others have not. */
START_TEST(what_the_cases_do_not_explain_is_on_record)
{
	static const uint32_t right[] = { 32, 4, 1 };
	struct bc_count sum = as_expected;

	sum.wavefronts += 72 * 3;
	sum.conflicts += 72 * 3;
	fall(&sum, right);
	ck_assert(obs[0].attempts == 1 && obs[2].attempts == 1);
	ck_assert_uint_eq(obs[1].attempts, 2);
	ck_assert_uint_eq(obs[1].counted_with, 2);
	ck_assert_uint_eq(obs[1].count[1].requests, 8);
	ck_assert_uint_eq(obs[1].count[1].wavefronts, 8 * 7);
	ck_assert_uint_eq(obs[1].count[1].conflicts, 8 * 6);
}
END_TEST

/* Cases that could not be counted alone: what the sound range read of them is not lost when it is wrong, and not held
 * against them, nor against the others, when the others explain it (96: beyond a digit). */
START_TEST(what_was_not_counted_alone_is_as_the_range_read_it)
{
	static const struct {
		uint32_t together[3], alone[3]; /* wavefronts a request; alone 0: not counted */
		unsigned attempts[3];
	} t[] = {
		{ { 31, 4, 1 }, { 0, 0, 0 }, { 1, 0, 0 } },  { { 32, 4, 2 }, { 32, 4, 0 }, { 1, 1, 1 } },
		{ { 31, 4, 1 }, { 32, 4, 0 }, { 2, 1, 0 } }, { { 31, 4, 1 }, { 31, 0, 1 }, { 1, 0, 1 } },
		{ { 96, 4, 1 }, { 96, 0, 0 }, { 1, 0, 0 } },
	};
	const uint32_t *w = t[_i].together;
	const struct bc_count sum = { .requests = 5257,
				      .wavefronts = w[0] + 72 * w[1] + 5184 * w[2],
				      .conflicts = w[0] - 1 + 72 * (w[1] - 1) + 5184 * (w[2] - 1) };

	one_range();
	bc_pack_read(&range[0], all, &sum);
	ck_assert(range[0].unexpected);
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t a = t[_i].alone[i];

		obs[i].attempts = a > 0;
		obs[i].requests_stated = 8;
		obs[i].counters_void = !a;
		(void)bc_strlcpy(obs[i].counters_absent, a ? "" : "void", sizeof(obs[i].counters_absent));
		obs[i].count[0] =
			(struct bc_count){ .requests = 8, .wavefronts = 8 * a, .conflicts = a ? 8 * (a - 1) : 0 };
	}
	bc_pack_check_sum(&range[0], all);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(obs[i].attempts, t[_i].attempts[i]);
		ck_assert(obs[i].counters_void == !t[_i].attempts[i] &&
			  !obs[i].counters_absent[0] == !!t[_i].attempts[i]);
		if (!t[_i].alone[i] && obs[i].attempts)
			ck_assert(obs[i].count[0].requests == 8 && obs[i].count[0].wavefronts == 8 * w[i] &&
				  obs[i].requests_stated == 8);
	}
}
END_TEST

START_TEST(broken_cases_add_no_count)
{
	static const uint32_t right[] = { 32, 4, 1 };
	struct bc_count sum = as_expected;

	sum.wavefronts++;
	fall(&sum, right);
	ck_assert_uint_eq(obs[0].attempts, 2);
	obs[0].attempts = 1;
	obs[1].outcome = BC_TOOL_ERROR;
	bc_pack_check_sum(&range[0], all);
	ck_assert_uint_eq(obs[0].attempts, 1);
}
END_TEST

/* ---- ranges of launches ---- */

/* Which launches are joined ('+') to the one before, and the ranges that makes. */
static const struct {
	const char *launches;
	size_t ranges, first; /* launches of the first */
} joined[] = {
	{ "-", 1, 1 }, { "---", 3, 1 }, { "-++", 1, 3 }, { "-+-", 2, 2 }, { "--+", 2, 1 }, { "-+--++-", 4, 2 },
};

/* What a device counts range by range, and what it counts launch by launch, come to the same. */
START_TEST(counts_belong_to_the_first_launch_of_a_range)
{
	const size_t n = strlen(joined[_i].launches);
	struct bc_launch l[8] = { { .image = NULL } };
	struct bc_counts each[8] = { { .present = 0 } }, whole[8] = { { .present = 0 } };
	size_t ranges = 0;

	for (size_t i = 0; i < n; i++) {
		l[i].joined = joined[_i].launches[i] == '+';
		ranges += !l[i].joined;
		each[i] = (struct bc_counts){ .present = 6 };
		each[i].v[BC_CTR_LD_REQUESTS] = UINT64_C(1) << 4 * i;
		whole[ranges - 1].present = 6;
		whole[ranges - 1].v[BC_CTR_LD_REQUESTS] += UINT64_C(1) << 4 * i;
	}
	ck_assert_uint_eq(ranges, joined[_i].ranges);
	ck_assert_uint_eq(bc_range_launches(l, n), joined[_i].first);
	bc_counts_join(l, n, each);
	bc_counts_spread(l, n, ranges, whole);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(each[i].present, l[i].joined ? 0 : 6);
		ck_assert_uint_eq(whole[i].present, l[i].joined ? 0 : 6);
		ck_assert_uint_eq(whole[i].v[BC_CTR_LD_REQUESTS], each[i].v[BC_CTR_LD_REQUESTS]);
		ck_assert_uint_eq(each[i].v[BC_CTR_LD_REQUESTS] >> 4 * i & 1, !l[i].joined);
	}
}
END_TEST

/* ---- on a device ---- */

static struct bc_fake fake;
static struct bc_device *dev;
static struct bc_counter_session *counting;

static void on_device(void)
{
	static const uint32_t ways[CASES] = { 1, 2, 4, 8, 16, 32, 32, 2, 1 };

	fake = (struct bc_fake){ .overhead = 5 };
	dev = bc_fake_open(&fake);
	ck_assert_int_eq(bc_counter_session_open(&bc_device_fake, dev, &fake.arch, &counting, &err), BC_OK);
	make_cases(ways, CASES);
}

static void close_device(void)
{
	bc_counter_session_close(counting);
	bc_device_fake.close(dev);
}

static void count(unsigned pack)
{
	ck_assert_msg(!bc_counter_session_count(counting, BC_CLASS_LD, pack, item, CASES, &err), "%s", err.msg);
	ck_assert_str_eq(fake.bad_launch, "");
}

static void case_is_right(unsigned i, unsigned attempt)
{
	const struct bc_count *c = &obs[i].count[attempt];

	ck_assert_uint_eq(c->requests, obs[i].requests_stated);
	ck_assert_uint_eq(c->wavefronts, c->requests * item[i].expected.wavefronts);
	ck_assert_uint_eq(c->conflicts, c->requests * item[i].expected.conflicts);
}

START_TEST(packed_and_alone_count_the_same)
{
	const unsigned pack = (unsigned)_i;

	count(pack);
	ck_assert_uint_eq(fake.counts, 1);
	ck_assert_uint_eq(fake.launches, 2 + 1 + CASES + 2);
	for (unsigned i = 0; i < CASES; i++) {
		ck_assert_uint_eq(obs[i].attempts, 1);
		ck_assert_uint_le(obs[i].counted_with, pack - 1);
		case_is_right(i, 0);
	}
	ck_assert_uint_eq(obs[0].counted_with > 0, pack > 1);
}
END_TEST

/* A case that is wrong in every launch is counted alone, and so are the two that shared its range, and nobody else. */
START_TEST(a_wrong_case_is_counted_alone)
{
	unsigned alone = 0;

	fake.overhead = 0; /* else it is doubled too, and the range is not the sum of its cases */
	fake.fault = BC_FAKE_DOUBLED;
	fake.fault_label = "s/r/3";
	count(3);
	ck_assert_uint_eq(fake.counts, 2);
	for (unsigned i = 0; i < CASES; i++) {
		ck_assert_uint_eq(obs[i].attempts, 1);
		alone += !obs[i].counted_with;
		if (i != 3)
			case_is_right(i, 0);
	}
	ck_assert_uint_eq(alone, 3);
	ck_assert_uint_eq(obs[3].count[0].requests, 2 * 8);
}
END_TEST

/* Wrong when it is counted with others and right alone: both are on record. */
START_TEST(a_case_that_is_wrong_once_has_both_counts)
{
	unsigned twice = 0;

	fake.fault = BC_FAKE_ONE_MORE;
	fake.fault_label = "s/r/6"; /* 32-way: the first of its range, of one request */
	fake.fault_from = fake.fault_to = 1;
	count(3);
	for (unsigned i = 0; i < CASES; i++) {
		case_is_right(i, 0);
		twice += obs[i].attempts == 2;
	}
	ck_assert_uint_eq(twice, 1);
	ck_assert_uint_eq(obs[6].attempts, 2);
	ck_assert_uint_eq(obs[6].count[1].wavefronts, 8 * 33);
}
END_TEST

/* Wrong with others, in a sound session; then the counters become void, or are taken away: it stays wrong. */
START_TEST(a_wrong_case_that_cannot_be_counted_alone_stays_wrong)
{
	if (_i) {
		fake.refuse_from = 2;
	} else {
		fake.fault = BC_FAKE_STUCK;
		fake.fault_from = 2;
		fake.fault_to = 3;
	}
	item[3].expected = (struct bc_count){ .wavefronts = 7, .conflicts = 6 }; /* of 8 and 7 */
	count(3);
	ck_assert_uint_eq(fake.counts, 3); /* the second is tried once more */
	for (unsigned i = 0; i < CASES; i++)
		ck_assert(i == 3 || !obs[i].attempts == (obs[i].counters_absent[0] != '\0'));
	ck_assert_uint_eq(obs[3].attempts, 1);
	ck_assert(!obs[3].counters_void && !obs[3].counters_absent[0]);
	ck_assert_uint_eq(obs[3].requests_stated, 8);
	ck_assert_uint_eq(obs[3].count[0].wavefronts, 8 * 8);
}
END_TEST

START_TEST(a_session_of_none_or_too_many_is_refused)
{
	ck_assert_int_eq(bc_counter_session_count(counting, BC_CLASS_LD, 0, item, CASES, &err), BC_EUSAGE);
	ck_assert_int_eq(bc_counter_session_count(counting, BC_CLASS_LD, BC_PACK_MAX + 1, item, CASES, &err),
			 BC_EUSAGE);
	ck_assert_uint_eq(fake.counts, 0);
}
END_TEST

START_TEST(a_void_session_packs_nothing)
{
	fake.fault = BC_FAKE_STUCK;
	count(3);
	for (unsigned i = 0; i < CASES; i++)
		ck_assert(obs[i].counters_void && !obs[i].attempts);
	ck_assert_uint_eq(fake.counts, 2);
}
END_TEST

/* More cases than a session has ranges: several sessions, each with canaries at both ends. */
START_TEST(a_session_has_only_so_many_ranges)
{
	static struct bc_count_item many[200];
	static struct bc_observation seen[200];

	for (size_t i = 0; i < BC_ARRAY_LEN(many); i++) {
		many[i] = item[i % CASES];
		seen[i] = (struct bc_observation){ .id = "s/r/x" };
		many[i].obs = &seen[i];
	}
	ck_assert_int_eq(bc_counter_session_count(counting, BC_CLASS_LD, 1, many, BC_ARRAY_LEN(many), &err), BC_OK);
	ck_assert_uint_eq(fake.counts, 3); /* 91 beside canaries and baseline, 91, 18 */
	ck_assert_uint_eq(fake.launches, 200 + 3 * 4 + 1);
	for (size_t i = 0; i < BC_ARRAY_LEN(many); i++)
		ck_assert_uint_eq(seen[i].attempts, 1);
}
END_TEST

/* ---- in the program ---- */

/* The verdict of every case, with whatever makes it up, is the same packed and alone; only the requests differ. */
START_TEST(verdicts_do_not_depend_on_packing)
{
	static const char *const faults[] = { "", " --fault banks-hashed", " --fault atomic-broadcast",
					      " --fault pair-rule-missing" };
	struct bc_text said[2] = { { 0 } };
	char words[200];

	for (unsigned i = 0; i < 2; i++) {
		(void)snprintf(words, sizeof(words),
			       "run --device reference -v --filter width --filter broadcast --filter atomic "
			       "--pack %d%s",
			       i ? BC_PACK_MAX : 1, faults[_i]);
		bc_run_program(words);
		bc_expect_status(_i > 0, NULL);
		said[i] = bc_call.out;
		bc_call.out = (struct bc_text){ 0 };
	}
	for (unsigned i = 0; i < 2; i++) { /* up to the summary, which has the time it took */
		char *end = strstr(said[i].data, "\n\n");

		ck_assert(end || strlen(said[i].data) > 1000);
		if (end)
			*end = '\0';
	}
	ck_assert_str_eq(said[0].data, said[1].data);
	bc_text_release(&said[0]);
	bc_text_release(&said[1]);
}
END_TEST

/* 129 cases: a batch of 128 in 43 ranges, 42 of three and one of two; and the last case alone. */
START_TEST(packed_cases_say_so_in_the_report)
{
	xmlDocPtr doc;

	bc_run_program("run --device reference --filter stride/ld_b32 --pack 3");
	bc_expect_status(0, NULL);
	doc = bc_report("reports/reference-sm_90.xml");
	ck_assert_double_eq(bc_report_number(doc, "count(//system-out[contains(., 'counted_with=2')])"), 126);
	ck_assert_double_eq(bc_report_number(doc, "count(//system-out[contains(., 'counted_with=1')])"), 2);
	ck_assert_double_eq(bc_report_number(doc, "count(//system-out[contains(., 'requests_stated=5184')])"), 42);
	xmlFreeDoc(doc);
	bc_run_program("run --device reference --filter stride/ld_b32");
	doc = bc_report("reports/reference-sm_90.xml");
	ck_assert_double_eq(bc_report_number(doc, "count(//system-out[contains(., 'counted_with')])"), 0);
	xmlFreeDoc(doc);
	bc_run_program("run --device reference --pack 4");
	bc_expect_status(3, "--pack 4: a whole number, 1 to 3");
}
END_TEST

Suite *bc_test_pack(void)
{
	Suite *s = suite_create("pack");
	TCase *tc = tcase_create("digits"), *on = tcase_create("sessions"), *whole = tcase_create("program");

	tcase_add_test(tc, repetitions_are_powers_of_the_base);
	tcase_add_test(tc, each_alone_when_that_is_asked);
	tcase_add_test(tc, ranges_hold_every_case_once);
	tcase_add_test(tc, a_range_of_none_or_too_many_is_refused);
	tcase_add_test(tc, digits_are_the_cases_own_counts);
	tcase_add_loop_test(tc, one_wrong_digit_fells_the_range, 0, (int)BC_ARRAY_LEN(off));
	tcase_add_test(tc, what_a_class_does_not_count_is_not_looked_at);
	tcase_add_loop_test(tc, a_range_that_is_the_sum_of_its_cases_is_forgotten, 0, 6);
	tcase_add_test(tc, what_the_cases_do_not_explain_is_on_record);
	tcase_add_loop_test(tc, what_was_not_counted_alone_is_as_the_range_read_it, 0, 5);
	tcase_add_test(tc, broken_cases_add_no_count);
	tcase_add_loop_test(tc, counts_belong_to_the_first_launch_of_a_range, 0, (int)BC_ARRAY_LEN(joined));
	suite_add_tcase(s, tc);
	tcase_add_checked_fixture(on, on_device, close_device);
	tcase_add_loop_test(on, packed_and_alone_count_the_same, 1, BC_PACK_MAX + 1);
	tcase_add_test(on, a_wrong_case_is_counted_alone);
	tcase_add_test(on, a_case_that_is_wrong_once_has_both_counts);
	tcase_add_loop_test(on, a_wrong_case_that_cannot_be_counted_alone_stays_wrong, 0, 2);
	tcase_add_test(on, a_session_of_none_or_too_many_is_refused);
	tcase_add_test(on, a_void_session_packs_nothing);
	tcase_add_test(on, a_session_has_only_so_many_ranges);
	suite_add_tcase(s, on);
	tcase_add_checked_fixture(whole, bc_call_setup, bc_call_teardown);
	tcase_add_loop_test(whole, verdicts_do_not_depend_on_packing, 0, 4);
	tcase_add_test(whole, packed_cases_say_so_in_the_report);
	tcase_set_timeout(whole, 120);
	suite_add_tcase(s, whole);
	return s;
}
