/* SPDX-License-Identifier: MIT */
#include "harness/run/targets.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *bc_test_targets(void);

#define WHY "no driver here"

static struct bc_error err;

/* Two H200, an A100, and one of an architecture that has no folder. */
static const struct bc_facts gpus[] = {
	{ .index = 0, .arch = "sm_90", .name = "H200", .optin_bytes = 232448 },
	{ .index = 1, .arch = "sm_90", .name = "H200", .optin_bytes = 232448 },
	{ .index = 2, .arch = "sm_80", .name = "A100", .optin_bytes = 166912 },
	{ .index = 3,
	  .arch = "sm_91",
	  .name = "new",
	  .optin_bytes = 250000,
	  .sm_bytes = 260000,
	  .reserved_bytes = 2048,
	  .static_bytes = 50000 },
};

static const struct {
	const char *what, *list;
	size_t ngpus;
	const char *want;  /* option=dev pairs, each with a blank behind; NULL: an error ... */
	const char *words; /* ... with these words */
	bool asks;	   /* the list asks what GPUs are here */
} rows[] = {
	{ "the default with GPUs", NULL, 1, "cuda:0=sm_90 ", NULL, true },
	{ "the default without", NULL, 0, NULL,
	  "this host has no GPU: " WHY "; to test on a CPU instead, name the reference device: --device reference",
	  true },
	{ "all", "all", 4, "cuda:0=sm_90_cuda0 cuda:1=sm_90_cuda1 cuda:2=sm_80 cuda:3=sm_91 ", NULL, true },
	{ "one", "cuda:2", 4, "cuda:2=sm_80 ", NULL, true },
	{ "one of two alike keeps the plain name", "cuda:1", 4, "cuda:1=sm_90 ", NULL, true },
	{ "two alike", "cuda:1,cuda:0", 4, "cuda:1=sm_90_cuda1 cuda:0=sm_90_cuda0 ", NULL, true },
	{ "two that differ", "cuda:1,cuda:2", 4, "cuda:1=sm_90 cuda:2=sm_80 ", NULL, true },
	{ "one twice", "cuda:1,cuda:1,cuda:01", 4, "cuda:1=sm_90 ", NULL, true },
	{ "all and one", "cuda:1,all", 2, "cuda:1=sm_90_cuda1 cuda:0=sm_90_cuda0 ", NULL, true },
	{ "the reference device", "reference", 4, "reference:sm_90=reference_sm_90 ", NULL, false },
	{ "of an architecture", "reference:sm_70", 0, "reference:sm_70=reference_sm_70 ", NULL, false },
	{ "twice by two names", "reference,reference:sm_90", 0, "reference:sm_90=reference_sm_90 ", NULL, false },
	{ "beside a GPU of the same architecture", "cuda:0,reference", 4,
	  "cuda:0=sm_90 reference:sm_90=reference_sm_90 ", NULL, true },
	{ "all, then another", "all,reference", 1, "cuda:0=sm_90 reference:sm_90=reference_sm_90 ", NULL, true },
	{ "another, then all", "reference,all", 1, "reference:sm_90=reference_sm_90 cuda:0=sm_90 ", NULL, true },
	{ "reference:all asks no GPU", "reference:all,reference", 0, NULL, NULL, false }, /* looked at below */
	{ "no GPU at all", "all", 0, NULL,
	  "--device all: this host has no GPU: " WHY
	  "; to test on a CPU instead, name the reference device: --device reference",
	  true },
	{ "none of that number", "cuda:4", 4, NULL,
	  "--device cuda:4: no such GPU: this host has 4 (see `bankcheck devices`)", true },
	{ "none here", "cuda:0", 0, NULL, "--device cuda:0: no such GPU: this host has 0: " WHY, true },
	{ "a number far too large", "cuda:99999999999999999999", 4, NULL, "no such GPU", true },
	{ "a negative number", "cuda:-1", 4, NULL, "--device cuda:-1: not a device", true },
	{ "no number", "cuda:", 4, NULL, "--device cuda:: not a device", true },
	{ "a number with a tail", "cuda:1x", 4, NULL, "no such GPU", true },
	{ "cuda alone", "cuda", 4, NULL, "--device cuda: not a device; devices are cuda:N, all, reference", false },
	{ "another name", "gpu0", 4, NULL, "--device gpu0: not a device", false },
	{ "capitals", "ALL", 4, NULL, "--device ALL: not a device", false },
	{ "an empty word", "cuda:0,", 4, NULL, "not a device", true },
	{ "a blank", "cuda:0, cuda:1", 4, NULL, "not a device", true },
	{ "nothing", "", 4, NULL, "not a device", false },
	{ "an architecture that is not there", "reference:sm_91", 4, NULL,
	  "--device reference:sm_91: no such architecture in " BC_TEST_EXPECTED " (it has: sm_70 sm_75", false },
	{ "no architecture", "reference:", 4, NULL, "no such architecture", false },
	{ "a folder that is none", "reference:common", 4, NULL, "no such architecture", false },
};

START_TEST(a_list_names_the_devices_of_the_row)
{
	struct bc_target *t = NULL;
	size_t n = 0;
	char got[512] = "";
	const enum bc_status st = bc_targets_resolve(rows[_i].list, BC_TEST_EXPECTED, gpus, rows[_i].ngpus,
						     rows[_i].ngpus ? "" : WHY, &t, &n, &err);

	ck_assert_msg(bc_targets_want_cuda(rows[_i].list) == rows[_i].asks, "%s: asks for GPUs: %d", rows[_i].what,
		      !rows[_i].asks);
	for (size_t i = 0; i < n; i++) {
		const size_t len = strlen(got);

		(void)snprintf(got + len, sizeof(got) - len, "%s=%s ", t[i].option, t[i].dev);
	}
	if (rows[_i].words) {
		ck_assert_msg(st == BC_EUSAGE, "%s: status %d", rows[_i].what, st);
		ck_assert_msg(strstr(err.msg, rows[_i].words), "%s: %s", rows[_i].what, err.msg);
		ck_assert_ptr_null(t);
	} else {
		ck_assert_msg(st == BC_OK, "%s: %s", rows[_i].what, err.msg);
		ck_assert_msg(!rows[_i].want || strcmp(got, rows[_i].want) == 0, "%s: %s", rows[_i].what, got);
	}
	free(t);
}
END_TEST

START_TEST(reference_all_is_every_folder)
{
	struct bc_target *t = NULL;
	struct bc_arch *archs = NULL;
	size_t n = 0, narchs = 0;

	ck_assert_int_eq(bc_arch_list(BC_TEST_EXPECTED, &archs, &narchs, &err), BC_OK);
	ck_assert_int_eq(bc_targets_resolve("reference:all", BC_TEST_EXPECTED, NULL, 0, "", &t, &n, &err), BC_OK);
	ck_assert_uint_eq(n, narchs);
	ck_assert_uint_ge(n, 12);
	for (size_t i = 0; i < n; i++) {
		char dev[48];

		(void)snprintf(dev, sizeof(dev), "reference_%s", archs[i].name);
		ck_assert_str_eq(t[i].dev, dev);
		ck_assert_str_eq(t[i].arch.name, archs[i].name);
		ck_assert_uint_eq(t[i].arch.optin_bytes, archs[i].optin_bytes);
		ck_assert_int_eq(t[i].facts.kind, BC_DEVICE_REFERENCE);
	}
	free(t);
	free(archs);
}
END_TEST

START_TEST(a_listed_architecture_is_its_own)
{
	struct bc_arch a;

	ck_assert_int_eq(bc_arch_of_device(BC_TEST_EXPECTED, &gpus[0], &a, &err), BC_OK);
	ck_assert_str_eq(a.name, "sm_90");
	ck_assert(!a.provisional);
	ck_assert_uint_eq(a.optin_bytes, 232448);
	ck_assert_uint_eq(a.window_base, 1024);
}
END_TEST

/* No folder: laws of the nearest older one, capacities from the device. */
START_TEST(an_unlisted_architecture_is_provisional)
{
	const struct bc_facts little = { .arch = "sm_86000", .name = "future" }; /* tells no capacity */
	struct bc_arch a, newest;
	struct bc_arch *archs = NULL;
	size_t n = 0;

	ck_assert_int_eq(bc_arch_of_device(BC_TEST_EXPECTED, &gpus[3], &a, &err), BC_OK);
	ck_assert_str_eq(a.name, "sm_91");
	ck_assert_uint_eq(a.cc, 91);
	ck_assert(a.provisional);
	ck_assert_str_eq(a.confirmed, "none");
	ck_assert_uint_eq(a.stmatrix, 1); /* of sm_90, and not of sm_89 or sm_100 */
	ck_assert_uint_eq(a.max_blocks_sm, 32);
	ck_assert_uint_eq(a.optin_bytes, 250000);
	ck_assert_uint_eq(a.sm_bytes, 260000);
	ck_assert_uint_eq(a.reserved_bytes, 2048);
	ck_assert_uint_eq(a.static_bytes, 50000);
	ck_assert_int_eq(bc_arch_list(BC_TEST_EXPECTED, &archs, &n, &err), BC_OK);
	newest = archs[n - 1];
	free(archs);
	ck_assert_int_eq(bc_arch_of_device(BC_TEST_EXPECTED, &little, &a, &err), BC_OK);
	ck_assert(a.provisional);
	ck_assert_uint_eq(a.optin_bytes, newest.optin_bytes);
	ck_assert_uint_eq(a.sm_bytes, newest.sm_bytes);
}
END_TEST

START_TEST(what_is_no_architecture_is_refused)
{
	const struct bc_facts old = { .arch = "sm_52", .name = "M60" }, odd = { .arch = "gfx90a", .name = "MI250" };
	struct bc_arch a;

	ck_assert_int_eq(bc_arch_of_device(BC_TEST_EXPECTED, &old, &a, &err), BC_EDATA);
	ck_assert_msg(strstr(err.msg, "no folder for sm_52 and none older"), "%s", err.msg);
	ck_assert_int_eq(bc_arch_of_device(BC_TEST_EXPECTED, &odd, &a, &err), BC_EDEVICE);
	ck_assert_msg(strstr(err.msg, "`gfx90a` is no architecture"), "%s", err.msg);
	ck_assert_int_eq(bc_arch_of_device(BC_TEST_DATA "/nowhere", &old, &a, &err), BC_EREAD);
	ck_assert_msg(strstr(err.msg, "nowhere"), "%s", err.msg);
}
END_TEST

Suite *bc_test_targets(void)
{
	Suite *s = suite_create("targets");
	TCase *tc = tcase_create("targets");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, a_list_names_the_devices_of_the_row, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_test(tc, reference_all_is_every_folder);
	tcase_add_test(tc, a_listed_architecture_is_its_own);
	tcase_add_test(tc, an_unlisted_architecture_is_provisional);
	tcase_add_test(tc, what_is_no_architecture_is_refused);
	suite_add_tcase(s, tc);
	return s;
}
