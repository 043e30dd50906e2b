/* SPDX-License-Identifier: MIT */
#include "harness/run/watch.h"

#include <check.h>
#include <string.h>

#include "harness/tests/measure/fake_device.h"

Suite *bc_test_watch(void);

#define HOT "hardware thermal slowdown"
#define SLOW "slowed down for 2.0 ms by heat"

static const struct {
	const char *what, *before, *after, *between, *why;
} rows[] = {
	{ "all is well", "", "", "", NULL },
	{ "hot before", HOT, "", "", "GPU is throttled / busy: " HOT },
	{ "hot after", "", HOT, "", "GPU is throttled / busy: " HOT },
	{ "hot in between, which neither look saw", "", "", SLOW, "GPU is throttled / busy: " SLOW },
	{ "what was seen is said", HOT, "", SLOW, "GPU is throttled / busy: " HOT },
};

START_TEST(times_of_a_throttled_gpu_are_no_witness)
{
	struct bc_device_state before = { .text = "" }, after = { .text = "" };
	struct bc_device_events between = { .events = "Xid 63" };
	struct bc_observation o[4] = { { .clock_has = true, .clock_wavefronts = 2, .data_ok = true, .attempts = 1 },
				       { .clock_value_has = true, .clock_value = 2 },
				       { .clock_absent = "none is read" },
				       { .clock_flat = "1 as long as 2" } };

	(void)bc_strlcpy(before.disturbed, rows[_i].before, sizeof(before.disturbed));
	(void)bc_strlcpy(after.disturbed, rows[_i].after, sizeof(after.disturbed));
	(void)bc_strlcpy(between.slowed, rows[_i].between, sizeof(between.slowed));
	bc_watch_drop_clock(&before, &after, &between, o, 4);
	ck_assert_msg(o[0].clock_has == !rows[_i].why && o[1].clock_value_has == !rows[_i].why, "%s", rows[_i].what);
	for (size_t i = 0; i < 2; i++)
		ck_assert_msg(strcmp(o[i].clock_absent, rows[_i].why ? rows[_i].why : "") == 0, "%s: %s", rows[_i].what,
			      o[i].clock_absent);
	ck_assert_str_eq(o[3].clock_flat, rows[_i].why ? "" : "1 as long as 2"); /* it may be the disturbance's */
	ck_assert(o[0].data_ok && o[0].attempts == 1); /* counters and data are as they were */
	ck_assert_str_eq(o[2].clock_absent, "none is read");
}
END_TEST

START_TEST(a_look_is_kept_for_a_second)
{
	struct bc_fake fake = { .state = { .text = "41 C" } };
	struct bc_watch w = { 0 };
	struct bc_device_state s;
	struct bc_device_events h;

	bc_watch_read(&w, &s); /* no device is open */
	bc_watch_events_since(&w, &h);
	ck_assert(!s.text[0] && !h.events[0] && !h.slowed[0]);
	w = (struct bc_watch){ .ops = &bc_device_fake, .dev = bc_fake_open(&fake) };
	bc_watch_read(&w, &s);
	ck_assert_str_eq(s.text, "41 C");
	fake.state = (struct bc_device_state){ .text = "99 C", .disturbed = HOT };
	bc_watch_read(&w, &s);
	ck_assert_str_eq(s.text, "41 C");
	w.read_at -= 1.5;
	bc_watch_read(&w, &s);
	ck_assert_str_eq(s.text, "99 C");
	ck_assert_str_eq(s.disturbed, HOT);
	ck_assert_uint_eq(fake.looks, 2);
	/* what has happened is asked each time */
	fake.events = (struct bc_device_events){ .events = "Xid 31", .slowed = SLOW };
	for (unsigned i = 0; i < 2; i++) {
		bc_watch_events_since(&w, &h);
		ck_assert_str_eq(h.events, i ? "" : "Xid 31");
		ck_assert_str_eq(h.slowed, i ? "" : SLOW);
	}
	bc_device_fake.close(w.dev);
}
END_TEST

START_TEST(a_device_without_a_state_has_none)
{
	struct bc_fake fake = { .overhead = 0 };
	struct bc_device_ops ops = bc_device_fake;
	struct bc_watch w = { .ops = &ops, .dev = bc_fake_open(&fake) };
	struct bc_device_state s = { .text = "x" };
	struct bc_device_events h = { .events = "x" };

	ops.state = NULL;
	ops.events_since = NULL;
	bc_watch_read(&w, &s);
	bc_watch_events_since(&w, &h);
	ck_assert(!s.text[0] && !h.events[0]);
	bc_device_fake.close(w.dev);
}
END_TEST

Suite *bc_test_watch(void)
{
	Suite *s = suite_create("watch");
	TCase *tc = tcase_create("watch");

	tcase_add_loop_test(tc, times_of_a_throttled_gpu_are_no_witness, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_test(tc, a_look_is_kept_for_a_second);
	tcase_add_test(tc, a_device_without_a_state_has_none);
	suite_add_tcase(s, tc);
	return s;
}
