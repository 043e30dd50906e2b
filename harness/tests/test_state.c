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

Suite *bc_test_state(void)
{
	Suite *s = suite_create("state");
	TCase *tc = tcase_create("describe");

	tcase_add_loop_test(tc, a_reading_is_described, 0, (int)BC_ARRAY_LEN(rows));
	suite_add_tcase(s, tc);
	return s;
}
