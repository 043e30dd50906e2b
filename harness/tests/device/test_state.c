/* SPDX-License-Identifier: MIT */
#include "harness/device/state.h"

#include <check.h>
#include <string.h>

Suite *bc_test_state(void);

static const struct {
	const char *what;
	struct bc_gpu_reading r;
	const char *text, *disturbed;
} rows[] = {
	{ "nothing could be read", { .sm_mhz = 5, .processes = 7, .reasons = 0xff }, "", "" },
	{ "all of it",
	  { .has_clocks = true,
	    .has_celsius = true,
	    .has_reasons = true,
	    .has_errors = true,
	    .has_processes = true,
	    .sm_mhz = 1980,
	    .memory_mhz = 3201,
	    .celsius = 41,
	    .processes = 1 },
	  "1980 MHz, memory 3201 MHz, 41 C, 0 uncorrected ECC errors, 0 other processes",
	  "" },
	{ "idle", { .has_reasons = true, .reasons = 0x1 }, "idle", "" },
	{ "a power cap is steady", { .has_reasons = true, .reasons = 0x4 }, "software power cap", "" },
	{ "heat is not",
	  { .has_reasons = true, .reasons = 0x24 },
	  "software power cap, software thermal slowdown",
	  "software thermal slowdown" },
	{ "all that disturbs",
	  { .has_reasons = true, .reasons = 0xe8 },
	  "hardware slowdown, software thermal slowdown, hardware thermal slowdown, hardware power brake",
	  "hardware slowdown, software thermal slowdown, hardware thermal slowdown, hardware power brake" },
	{ "an unknown reason", { .has_reasons = true, .reasons = UINT64_C(1) << 40 }, "", "" },
	{ "one other", { .has_processes = true, .processes = 2 }, "1 other process", "1 other process on the GPU" },
	{ "none listed at all", { .has_processes = true }, "0 other processes", "" },
	{ "shared", { .has_celsius = true, .celsius = 40, .mps = true }, "40 C, under MPS", "" },
	{ "errors are told", { .has_errors = true, .errors = 3 }, "3 uncorrected ECC errors", "" },
	{ "the largest of each",
	  { .has_clocks = true,
	    .has_celsius = true,
	    .has_reasons = true,
	    .has_errors = true,
	    .has_processes = true,
	    .sm_mhz = ~0u,
	    .memory_mhz = ~0u,
	    .celsius = ~0u,
	    .reasons = UINT64_MAX,
	    .errors = UINT64_MAX,
	    .processes = ~0u },
	  NULL,
	  NULL }, /* cut, and ended */
};

START_TEST(a_reading_is_described)
{
	struct bc_device_state s;

	memset(&s, 'x', sizeof(s));
	bc_state_describe(&rows[_i].r, &s);
	ck_assert(memchr(s.text, '\0', sizeof(s.text)) && memchr(s.disturbed, '\0', sizeof(s.disturbed)));
	if (!rows[_i].text) {
		ck_assert_ptr_nonnull(strstr(s.text, "hardware slowdown"));
		ck_assert_ptr_nonnull(strstr(s.disturbed, "hardware slowdown"));
		return;
	}
	ck_assert_msg(strcmp(s.text, rows[_i].text) == 0, "%s: %s", rows[_i].what, s.text);
	ck_assert_msg(strcmp(s.disturbed, rows[_i].disturbed) == 0, "%s: %s", rows[_i].what, s.disturbed);
}
END_TEST

#define XID(n)                \
	{                     \
		BC_GPU_XID, n \
	}

static const struct {
	const char *what;
	struct bc_gpu_events e;
	struct bc_gpu_slowdown before, after;
	const char *events, *slowed;
} spans[] = {
	{ "nothing", { .n = 0 }, { .has_heat = false }, { .has_heat = false }, "", "" },
	{ "a page fault", { { XID(31) }, .n = 1 }, { 0 }, { 0 }, "Xid 31 (GPU memory page fault)", "" },
	{ "one that has no meaning here", { { XID(4711) }, .n = 1 }, { 0 }, { 0 }, "Xid 4711", "" },
	{ "twice the same, and another between",
	  { { XID(13), XID(45), XID(13) }, .n = 3 },
	  { 0 },
	  { 0 },
	  "Xid 13 (graphics engine exception) 2 times, Xid 45 (preemptive cleanup, due to previous errors)",
	  "" },
	{ "the data of an ECC event is not what it is",
	  { { { 0x2, 1 }, { 0x2, 2 }, { 0x1, 31 } }, .n = 3 },
	  { 0 },
	  { 0 },
	  "double-bit ECC error 2 times, single-bit ECC error",
	  "" },
	{ "fatal", { { { 0x2000, 0 } }, .n = 1 }, { 0 }, { 0 }, "poisoned data, fatal", "" },
	{ "an unknown type", { { { 0x100000, 5 } }, .n = 1 }, { 0 }, { 0 }, "NVML event 0x100000", "" },
	{ "some found no room, and the GPU is gone",
	  { { XID(79) }, .n = 1, .more = 7, .lost = true },
	  { 0 },
	  { 0 },
	  "the GPU is lost, Xid 79 (GPU has fallen off the bus), 7 more",
	  "" },
	{ "as hot as before", { .n = 0 }, { true, true, 5, 6 }, { true, true, 5, 6 }, "", "" },
	{ "a tenth of a second of heat",
	  { .n = 0 },
	  { true, true, 1000000, 6 },
	  { true, true, 101000000, 6 },
	  "",
	  "slowed down for 100.0 ms by heat" },
	{ "both",
	  { .n = 0 },
	  { true, true, 0, 0 },
	  { true, true, 1500000, 2000000 },
	  "",
	  "slowed down for 1.5 ms by heat, slowed down for 2.0 ms by the board's power limit" },
	{ "not known before", { .n = 0 }, { false, true, 0, 6 }, { true, true, 9, 6 }, "", "" },
	{ "not known after", { .n = 0 }, { true, true, 0, 6 }, { false, false, 9, 9 }, "", "" },
	{ "the driver was loaded anew", { .n = 0 }, { true, true, 50, 50 }, { true, true, 1, 1 }, "", "" },
};

START_TEST(a_span_is_described)
{
	struct bc_device_events h;

	memset(&h, 'x', sizeof(h));
	bc_state_events_since(&spans[_i].e, &spans[_i].before, &spans[_i].after, &h);
	ck_assert_msg(strcmp(h.events, spans[_i].events) == 0, "%s: %s", spans[_i].what, h.events);
	ck_assert_msg(strcmp(h.slowed, spans[_i].slowed) == 0, "%s: %s", spans[_i].what, h.slowed);
}
END_TEST

START_TEST(a_flood_of_events_is_cut)
{
	struct bc_gpu_events e = { .n = BC_GPU_EVENTS_MAX };
	const struct bc_gpu_slowdown none = { 0 };
	struct bc_device_events h;

	for (size_t i = 0; i < e.n; i++)
		e.event[i] = (struct bc_gpu_event)XID(UINT64_MAX - i);
	memset(&h, 'x', sizeof(h));
	bc_state_events_since(&e, &none, &none, &h);
	ck_assert_ptr_nonnull(memchr(h.events, '\0', sizeof(h.events)));
	ck_assert_int_eq(strncmp(h.events, "Xid 18446744073709551615, ", 26), 0);
}
END_TEST

/* The numbers that NVIDIA's documentation calls well known, and one of nobody. */
START_TEST(well_known_xids_have_a_meaning)
{
	static const unsigned known[] = { 13, 31, 43, 45, 48, 62, 63, 64, 74, 79, 92, 94, 95, 119, 120 };

	for (size_t i = 0; i < BC_ARRAY_LEN(known); i++)
		ck_assert_msg(bc_xid_meaning(known[i]) != NULL, "Xid %u", known[i]);
	ck_assert_str_eq(bc_xid_meaning(79), "GPU has fallen off the bus");
	ck_assert_str_eq(bc_xid_meaning(94), "contained ECC error");
	ck_assert_str_eq(bc_xid_meaning(119), "GSP RPC timeout");
	ck_assert_ptr_null(bc_xid_meaning(0));
}
END_TEST

Suite *bc_test_state(void)
{
	Suite *s = suite_create("state");
	TCase *tc = tcase_create("describe");

	tcase_add_loop_test(tc, a_reading_is_described, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_loop_test(tc, a_span_is_described, 0, (int)BC_ARRAY_LEN(spans));
	tcase_add_test(tc, a_flood_of_events_is_cut);
	tcase_add_test(tc, well_known_xids_have_a_meaning);
	suite_add_tcase(s, tc);
	return s;
}
