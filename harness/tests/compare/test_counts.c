/* SPDX-License-Identifier: MIT */
/* How a count of a case moved from one run to the other: what is a change, and what is noise. */
#include "harness/compare/counts.h"

#include <check.h>
#include <stdio.h>

Suite *bc_test_counts(void);

#define W(total) "counters=requests:8 wavefronts:" total
#define EXACT "wavefronts=2..2\n"
#define ROOM "wavefronts=2..2.5\n"

static const struct {
	const char *what;
	enum bc_count_of of;
	const char *old, *now; /* lines of the two reports */
	bool changed, within;
	int farther;
} rows[] = {
	{ "the same", BC_COUNT_WAVEFRONTS, EXACT W("16"), EXACT W("16"), false, false, 0 },
	{ "one wavefront in eight requests, exact", BC_COUNT_WAVEFRONTS, EXACT W("16"), EXACT W("17"), true, false, 1 },
	{ "back again", BC_COUNT_WAVEFRONTS, EXACT W("17"), EXACT W("16"), true, false, -1 },
	{ "wrong before, as wrong on the other side", BC_COUNT_WAVEFRONTS, EXACT W("17"), EXACT W("15"), true, false,
	  0 },
	{ "without bounds", BC_COUNT_WAVEFRONTS, W("16"), W("17"), true, false, 0 },
	{ "inside bounds with room", BC_COUNT_WAVEFRONTS, ROOM W("16"), ROOM W("17"), false, true, 0 },
	{ "out of bounds with room", BC_COUNT_WAVEFRONTS, ROOM W("16"), ROOM W("21"), true, false, 1 },
	{ "not counted now", BC_COUNT_WAVEFRONTS, EXACT W("16"), EXACT, false, false, 0 },
	{ "the attempt farthest out counts", BC_COUNT_WAVEFRONTS, EXACT W("16"),
	  EXACT W("16") ";requests:8 wavefronts:24;requests:8 wavefronts:17", true, false, 1 },
	{ "void counts are none", BC_COUNT_WAVEFRONTS, EXACT W("16"), EXACT W("24") "\ncounters_void=yes", false, false,
	  0 },
	/* Wavefronts by the clock are whole numbers, measured: half of one is no change where one number is expected.
	 */
	{ "the clock, half a wavefront", BC_COUNT_CLOCK, EXACT "clock=2", EXACT "clock=2.5", false, false, 0 },
	{ "the clock, more than half", BC_COUNT_CLOCK, EXACT "clock=2", EXACT "clock=2.75", true, false, 1 },
	{ "the clock, a wavefront", BC_COUNT_CLOCK, EXACT "clock=2", EXACT "clock=3", true, false, 1 },
	{ "a slope outside", BC_COUNT_CLOCK, "clock_slope=1.9..2.1\nclock=2", "clock_slope=1.9..2.1\nclock=2.25", true,
	  false, 1 },
	{ "a slope inside", BC_COUNT_CLOCK, "clock_slope=1.9..2.1\nclock=2", "clock_slope=1.9..2.1\nclock=2.0625",
	  false, true, 0 },
	{ "a time without a figure", BC_COUNT_CLOCK, "clock=2", "clock=2.25", true, false, 0 },
	{ "no clock before", BC_COUNT_CLOCK, EXACT, EXACT "clock=3", false, false, 0 },
};

static void read_case(const char *lines, struct bc_read_case *c)
{
	struct bc_error err = { 0 };
	char text[600];

	(void)snprintf(text, sizeof(text), "format=1\n%s\n", lines);
	*c = (struct bc_read_case){ .verdict = BC_PASS };
	ck_assert_msg(bc_junit_keys(text, &c->keys, &err) == BC_OK, "%s", err.msg);
}

START_TEST(a_count_moved_as_the_row_says)
{
	struct bc_read_case old, now;
	struct bc_count_change c;

	read_case(rows[_i].old, &old);
	read_case(rows[_i].now, &now);
	c = bc_compare_count(rows[_i].of, &old, &now);
	ck_assert_msg(c.changed == rows[_i].changed && c.within == rows[_i].within && c.farther == rows[_i].farther,
		      "%s: from %g to %g: changed %d, within %d, farther %d", rows[_i].what, c.old, c.now, c.changed,
		      c.within, c.farther);
	bc_key_values_release(&old.keys);
	bc_key_values_release(&now.keys);
}
END_TEST

Suite *bc_test_counts(void)
{
	Suite *s = suite_create("counts");
	TCase *tc = tcase_create("counts");

	tcase_add_loop_test(tc, a_count_moved_as_the_row_says, 0, (int)BC_ARRAY_LEN(rows));
	suite_add_tcase(s, tc);
	return s;
}
