/* SPDX-License-Identifier: MIT */
#include "harness/measure/clock.h"
#include "harness/base/stats.h"

#include <check.h>
#include <string.h>

#include "harness/tests/measure/fake_device.h"

Suite *bc_test_clock(void);

static struct bc_error err;

/* Every key there can be: the groups of lanes of an access. */
static const struct {
	struct bc_clock_key key;
	unsigned most; /* ways of the last point: the lanes of a group */
} keys[] = {
	{ { BC_OP_LD8, 1, false }, 32 },  { { BC_OP_LD16, 1, false }, 32 }, { { BC_OP_LD32, 1, false }, 32 },
	{ { BC_OP_LD64, 1, false }, 16 }, { { BC_OP_LD64, 2, false }, 16 }, { { BC_OP_LD128, 1, false }, 8 },
	{ { BC_OP_LD128, 2, false }, 8 }, { { BC_OP_LD128, 3, false }, 8 }, { { BC_OP_LD128, 4, false }, 8 },
	{ { BC_OP_ST8, 1, false }, 32 },  { { BC_OP_ST16, 1, false }, 32 }, { { BC_OP_ST32, 1, false }, 32 },
	{ { BC_OP_ST64, 1, false }, 16 }, { { BC_OP_ST64, 2, false }, 16 }, { { BC_OP_ST128, 1, false }, 8 },
	{ { BC_OP_ST128, 2, false }, 8 }, { { BC_OP_ST128, 3, false }, 8 }, { { BC_OP_ST128, 4, false }, 8 },
	{ { BC_OP_LD64, 1, true }, 8 },	  { { BC_OP_LD128, 1, true }, 4 },  { { BC_OP_LD128, 2, true }, 4 },
};

/* Devices that the known patterns must take the same wavefronts on. */
#define GEOMETRY(n, bytes, pairs)                                         \
	{                                                                 \
		.banks = (n), .bank_bytes = (bytes), .pair_rule = (pairs) \
	}

static const struct {
	const char *what;
	struct bc_geometry g;
} devices[] = {
	{ "32 banks", GEOMETRY(32, 4, true) },	       { "no pair rule", GEOMETRY(32, 4, false) },
	{ "16 banks", GEOMETRY(16, 4, true) },	       { "64 banks", GEOMETRY(64, 4, true) },
	{ "banks of 8 bytes", GEOMETRY(32, 8, true) },
};

/* Lanes on one word are there only as the pairs of a merged key. Else they are never there, so whether the device
 * merges them plays no part. */
static void check_words_differ(const struct bc_pattern *p, const char *name)
{
	for (unsigned a = 0; a < BC_LANES; a++)
		for (unsigned b = 0; b < a; b++)
			ck_assert_msg(!(p->mask >> a & 1) || !(p->mask >> b & 1) ||
					      p->offset[a] / 16 != p->offset[b] / 16,
				      "%s: lanes %u and %u share a word", name, a, b);
}

/* The known patterns take what they are said to take by the bank laws, and belong to their own key. */
START_TEST(known_patterns_take_what_they_claim)
{
	const struct bc_clock_key *key = &keys[_i].key;
	const struct bc_arch arch = bc_fake_arch();
	const char *name = bc_op_info(key->op)->name;
	struct bc_clock_line line;

	ck_assert_msg(bc_clock_patterns(key, &arch, &line, &err) == BC_OK, "%s: %s", name, err.msg);
	ck_assert_uint_ge(line.n, key->merged ? 4 : 5);
	ck_assert_uint_eq(line.point[0].wavefronts, key->groups); /* clean */
	ck_assert_uint_eq(line.point[line.n - 1].wavefronts, key->groups * keys[_i].most);
	for (unsigned i = 0; i < line.n; i++) {
		const struct bc_pattern *p = &line.point[i].pattern;
		struct bc_wavefronts w;
		uint32_t addr[BC_LANES];

		for (unsigned lane = 0; lane < BC_LANES; lane++)
			addr[lane] = arch.window_base + p->offset[lane];
		ck_assert_uint_eq(p->op, key->op);
		ck_assert_uint_eq(p->count, 1);
		if (!key->merged)
			check_words_differ(p, name);
		for (size_t d = 0; d < BC_ARRAY_LEN(devices); d++) {
			ck_assert_msg(bc_banks_count(&devices[d].g, p->op, addr, p->mask, &w, &err) == BC_OK, "%s: %s",
				      name, err.msg);
			ck_assert_msg(w.wavefronts == line.point[i].wavefronts && w.groups == key->groups &&
					      w.merged == (key->merged && devices[d].g.pair_rule),
				      "%s, %u groups, point %u, %s: %u wavefronts in %u groups%s, not %u", name,
				      key->groups, i, devices[d].what, w.wavefronts, w.groups,
				      w.merged ? ", merged" : "", line.point[i].wavefronts);
		}
		ck_assert(i == 0 || line.point[i].wavefronts > line.point[i - 1].wavefronts);
	}
}
END_TEST

START_TEST(no_protocol_no_patterns)
{
	static const struct bc_clock_key none[] = {
		{ BC_OP_ATOM32, 1, false }, { BC_OP_LDSM4, 4, false }, { BC_OP_CPA16CA, 4, false },
		{ BC_OP_NONE, 1, false },   { BC_OP_LD32, 0, false },  { BC_OP_LD32, 2, false },
		{ BC_OP_LD64, 3, false },   { BC_OP_LD128, 5, false }, { BC_OP_LD32, 1, true },
		{ BC_OP_ST64, 1, true },    { BC_OP_LD64, 2, true },   { BC_OP_LD128, 3, true },
	};
	const struct bc_arch arch = bc_fake_arch();
	struct bc_clock_line line;

	for (size_t i = 0; i < BC_ARRAY_LEN(none); i++)
		ck_assert_msg(bc_clock_patterns(&none[i], &arch, &line, &err) == BC_EDEVICE,
			      "%s, %u groups is accepted", bc_op_info(none[i].op)->name, none[i].groups);
}
END_TEST

START_TEST(the_median_is_the_middle)
{
	static const struct {
		unsigned n;
		uint32_t s[5];
		double want;
	} rows[] = {
		{ 1, { 7 }, 7 },
		{ 2, { 9, 4 }, 6.5 },
		{ 3, { 100, 1, 2 }, 2 },
		{ 4, { 4, 1, 3, 2 }, 2.5 },
		{ 5, { 5, 5, 1, 99999, 5 }, 5 },
		{ 2, { UINT32_MAX, UINT32_MAX }, UINT32_MAX },
		{ 0, { 7 }, 0 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		uint32_t s[BC_SAMPLES_MAX] = { 0 };

		memcpy(s, rows[i].s, sizeof(rows[i].s));
		ck_assert_double_eq(bc_median(s, rows[i].n), rows[i].want);
		ck_assert_msg(memcmp(s, rows[i].s, sizeof(rows[i].s)) == 0, "row %zu: the samples were moved", i);
	}
	ck_assert_double_eq(bc_median((const uint32_t[1]){ 7 }, BC_MEDIAN_MAX + 1), 0);
}
END_TEST

/* A line through (wavefronts, cycles). */
static struct bc_clock_line line_of(unsigned n, const double points[][2])
{
	struct bc_clock_line line = { .key = { BC_OP_LD32, 1, false }, .n = n };

	for (unsigned i = 0; i < n; i++) {
		line.point[i].wavefronts = (unsigned)points[i][0];
		line.point[i].cycles = points[i][1];
	}
	return line;
}

/* 1 -> 100, 2 -> 140, 4 -> 240 cycles: slopes of 40 and 50. */
static const double bent[][2] = { { 1, 100 }, { 2, 140 }, { 4, 240 } };

static const struct {
	const char *what;
	double cycles, want;
} places[] = {
	{ "the first point", 100, 1 },
	{ "a point in the middle", 140, 2 },
	{ "the last point", 240, 4 },
	{ "between the points", 190, 3 },
	{ "half way is not sure", 120, 1.5 },
	{ "half way in the steeper part", 165, 2.5 },
	{ "beyond the end along the last segment", 340, 6 },
	{ "far beyond", 1640, 32 },
	{ "a little below a whole number", 132.4, 2 },
	{ "0.2 above", 148, 2 }, /* 2.16 */
	{ "too far above to be sure", 152.5, 2.25 },
	{ "too far below to be sure", 130, 1.75 },
	{ "below the first point", 94, 1 },
	{ "well below the first point", 60, 0 },
};

START_TEST(cycles_have_their_place_on_the_line)
{
	const struct bc_clock_line line = line_of(3, bent);
	double w = -1;

	ck_assert_msg(bc_clock_wavefronts(&line, places[_i].cycles, &w, &err) == BC_OK, "%s", err.msg);
	ck_assert_msg(w > places[_i].want - 1e-9 && w < places[_i].want + 1e-9, "%s: %f", places[_i].what, w);
}
END_TEST

/* As measured on an H200: a chain takes 23 cycles and 2 for each further wavefront, four warps of stores 4 a wavefront.
 */
START_TEST(every_way_is_told_apart)
{
	static const unsigned known[] = { 1, 2, 3, 4, 8, 16, 32 };
	const double n = _i + 1;
	double load[BC_ARRAY_LEN(known)][2], store[BC_ARRAY_LEN(known)][2], w = 0;
	struct bc_clock_line line;

	for (size_t i = 0; i < BC_ARRAY_LEN(known); i++) {
		load[i][0] = store[i][0] = known[i];
		load[i][1] = 32 * (23 + 2 * (known[i] - 1.0)) + 30;
		store[i][1] =
			known[i] == 1 ? 32 * 4.15 + 40 : 32 * 4.0 * known[i] + 40; /* the first step is a little less */
	}
	line = line_of(BC_ARRAY_LEN(known), (const double(*)[2])load);
	ck_assert_int_eq(bc_clock_wavefronts(&line, 32 * (23 + 2 * (n - 1)) + 30 + (_i % 3 - 1) * 6, &w, &err), BC_OK);
	ck_assert_double_eq(w, n);
	line = line_of(BC_ARRAY_LEN(known), (const double(*)[2])store);
	ck_assert_int_eq(bc_clock_wavefronts(&line, (_i ? 32 * 4.0 * n : 32 * 4.15) + 40 + (_i % 3 - 1) * 12, &w, &err),
			 BC_OK);
	ck_assert_double_eq(w, n);
}
END_TEST

START_TEST(a_line_that_does_not_rise_tells_nothing)
{
	static const struct {
		const char *what;
		unsigned n;
		double p[3][2];
		const char *words;
	} rows[] = {
		{ "flat",
		  3,
		  { { 1, 100 }, { 2, 100 }, { 4, 100 } },
		  "does not rise: 1 wavefronts in 100.0 cycles, 2 in 100.0" },
		{ "falls at the end",
		  3,
		  { { 1, 100 }, { 2, 140 }, { 4, 139 } },
		  "2 wavefronts in 140.0 cycles, 4 in 139.0" },
		{ "falls at the start",
		  3,
		  { { 1, 150 }, { 2, 140 }, { 4, 240 } },
		  "1 wavefronts in 150.0 cycles, 2 in 140.0" },
		{ "one point", 1, { { 1, 100 } }, "fewer than two points" },
		{ "no point", 0, { { 0, 0 } }, "fewer than two points" },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		const struct bc_clock_line line = line_of(rows[i].n, rows[i].p);
		double w = -1;

		ck_assert_msg(bc_clock_wavefronts(&line, 120, &w, &err) == BC_EDEVICE, "%s: %f", rows[i].what, w);
		ck_assert_msg(strstr(err.msg, rows[i].words), "%s: %s", rows[i].what, err.msg);
		ck_assert_double_eq(w, -1);
	}
}
END_TEST

/* Every sample alike: the device is so. One that strays: it may have been disturbed. */
START_TEST(a_flat_line_without_spread_is_the_device)
{
	static const double falls[][2] = { { 1, 100 }, { 2, 140 }, { 4, 140 } };
	struct bc_clock_line line = line_of(3, falls);
	char why[400] = "";

	ck_assert_int_eq(bc_clock_shape_of(&line, why, sizeof(why)), BC_CLOCK_FLAT);
	ck_assert_msg(strstr(why, "2 wavefronts in 140.0 cycles, 4 in 140.0 (every sample alike)"), "%s", why);
	line.point[1].spread = 1;
	ck_assert_int_eq(bc_clock_shape_of(&line, why, sizeof(why)), BC_CLOCK_UNSURE);
	ck_assert_msg(strstr(why, "(GPU busy or throttled?)"), "%s", why);
	line.point[1].spread = 0;
	line.point[2].spread = 1;
	ck_assert_int_eq(bc_clock_shape_of(&line, why, sizeof(why)), BC_CLOCK_UNSURE);
	line.point[2].cycles = 141;
	ck_assert_int_eq(bc_clock_shape_of(&line, why, sizeof(why)), BC_CLOCK_RISES);
	line.n = 1;
	ck_assert_int_eq(bc_clock_shape_of(&line, why, sizeof(why)), BC_CLOCK_UNSURE);
}
END_TEST

Suite *bc_test_clock(void)
{
	Suite *s = suite_create("clock");
	TCase *tc = tcase_create("clock");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, known_patterns_take_what_they_claim, 0, (int)BC_ARRAY_LEN(keys));
	tcase_add_test(tc, no_protocol_no_patterns);
	tcase_add_test(tc, the_median_is_the_middle);
	tcase_add_loop_test(tc, cycles_have_their_place_on_the_line, 0, (int)BC_ARRAY_LEN(places));
	tcase_add_loop_test(tc, every_way_is_told_apart, 0, 32);
	tcase_add_test(tc, a_line_that_does_not_rise_tells_nothing);
	tcase_add_test(tc, a_flat_line_without_spread_is_the_device);
	suite_add_tcase(s, tc);
	return s;
}
