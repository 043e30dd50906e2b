/* SPDX-License-Identifier: MIT */
/* Faults planted in the cells of one SM, and what the march tests say of them. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/core/cells.h"
#include "harness/core/judge.h"
#include "harness/device/device.h"
#include "harness/measure/launch.h"
#include "harness/measure/measure.h"
#include "kernels/bc_kernel.h"

Suite *bc_test_cells(void);

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

/* Judge a case on a reference device with @sms SMs, a clock and a fault (NULL: none). */
static void judge(const char *id, const char *fault, uint32_t sms, struct bc_judgement *out)
{
	const struct bc_device_ops *ops = &bc_device_reference;
	const struct bc_open_options o = { .kernels_dir = BC_TEST_KERNELS,
					   .expected_dir = BC_TEST_EXPECTED,
					   .fault = fault,
					   .reference_clock = true,
					   .reference_sms = sms };
	const struct bc_measure_options mo = { .clock = true };
	const struct bc_facts which = { .kind = BC_DEVICE_REFERENCE, .arch = "sm_90" };
	const struct bc_case *c = bc_catalog_find(&cat, id);
	struct bc_device *dev = NULL;
	struct bc_measure *m = NULL;
	struct bc_observation obs;
	struct bc_bounds bounds;
	const struct bc_judge_in in = { .c = c, .arch = &arch, .bounds = &bounds, .obs = &obs };

	ck_assert_ptr_nonnull(c);
	ck_assert_msg(!ops->open(&o, &which, &dev, &err), "%s", err.msg);
	ck_assert_uint_eq(ops->facts(dev)->sms, fault && sms < 4 ? 4 : sms);
	ck_assert_msg(!bc_measure_open(ops, dev, &arch, &expect, &mo, &m, &err), "%s", err.msg);
	ck_assert_msg(!bc_measure_batch(m, &c, 1, &obs, &err), "%s: %s", id, err.msg);
	bc_measure_close(m);
	ops->close(dev);
	bc_expect_find(&expect, id, &bounds);
	bc_judge(&in, out);
}

/* SM, bank and bit as the fault's sentence says; what the words hold by the test's definition. NULL: it passes. */
static const struct {
	const char *fault, *id, *says;
} found[] = {
	{ "cell-stuck", "cells/march/b32",
	  "SM 2, address 0x2a1c, bank 7: expected 0x00000000, found 0x00000020 (bit 5)" },
	{ "cell-stuck", "cells/march/b64",
	  "SM 2, address 0x2a1c, bank 7: expected 0x00000000, found 0x00000020 (bit 5)" },
	{ "cell-stuck", "cells/march/b128",
	  "SM 2, address 0x2a1c, bank 7: expected 0x00000000, found 0x00000020 (bit 5)" },
	{ "cell-stuck", "cells/address/b64",
	  "SM 2, address 0x2a1c, bank 7: expected 0x00002a1c, found 0x00002a3c (bit 5)" },
	{ "cell-stuck", "cells/retention/b32",
	  "SM 2, address 0x2a1c, bank 7: expected 0x55555555, found 0x55555575 (bit 5)" },
	{ "cell-transition", "cells/march/b32",
	  "SM 2, address 0x2a1c, bank 7: expected 0xffffffff, found 0xffffffdf (bit 5)" },
	{ "cell-transition", "cells/march/b64",
	  "SM 2, address 0x2a1c, bank 7: expected 0xffffffff, found 0xffffffdf (bit 5)" },
	{ "cell-transition", "cells/march/b128",
	  "SM 2, address 0x2a1c, bank 7: expected 0xffffffff, found 0xffffffdf (bit 5)" },
	{ "cell-coupling", "cells/march/b32",
	  "SM 2, address 0x2a20, bank 8: expected 0x00000000, found 0x00000020 (bit 5)" },
	{ "cell-coupling", "cells/march/b64",
	  "SM 2, address 0x2a20, bank 8: expected 0x00000000, found 0x00000020 (bit 5)" },
	{ "cell-coupling", "cells/march/b128",
	  "SM 2, address 0x2a20, bank 8: expected 0x00000000, found 0x00000020 (bit 5)" },
	{ "cell-decoder", "cells/address/b32", "SM 2, address 0x2a1c, bank 7: expected 0x00002a1c, found 0x00004a1c" },
	{ "cell-decoder", "cells/address/b64", "SM 2, address 0x2a1c, bank 7: expected 0x00002a1c, found 0x00004a1c" },
	{ "cell-decoder", "cells/address/b128", "SM 2, address 0x2a1c, bank 7: expected 0x00002a1c, found 0x00004a1c" },
	{ "cell-decoder", "cells/march/b32", "address 0x2a1c, bank 7: expected 0x00000000, found 0xffffffff" },
	{ "cell-retention", "cells/retention/b32",
	  "SM 2, address 0x2a1c, bank 7: expected 0xaaaaaaaa, found 0xaaaaaa8a (bit 5)" },
	{ "cell-retention", "cells/retention/b64",
	  "SM 2, address 0x2a1c, bank 7: expected 0xaaaaaaaa, found 0xaaaaaa8a (bit 5)" },
	{ "cell-retention", "cells/retention/b128",
	  "SM 2, address 0x2a1c, bank 7: expected 0xaaaaaaaa, found 0xaaaaaa8a (bit 5)" },
	{ "cell-retention", "cells/march/b32", NULL }, /* it takes no 50 ms */
	{ "cell-stuck", "cells/speed/banks", NULL },
	{ "sm-bank-slow", "cells/speed/banks", "(SM 2, bank 7: 32 dependent loads take " },
	{ "sm-bank-slow", "cells/march/b32", NULL },
};

START_TEST(a_planted_fault_is_named_by_sm_bank_and_bit)
{
	struct bc_judgement j;

	judge(found[_i].id, found[_i].fault, 1, &j);
	if (!found[_i].says) {
		ck_assert_msg(j.verdict == BC_PASS, "%s, %s: %s", found[_i].fault, found[_i].id, j.message);
		return;
	}
	ck_assert_msg(j.verdict == BC_FAIL, "%s, %s: %s", found[_i].fault, found[_i].id, bc_verdict_name(j.verdict));
	ck_assert_msg(strstr(j.message, found[_i].says) != NULL, "%s, %s: %s", found[_i].fault, found[_i].id,
		      j.message);
	if (j.outcome[0] == 'd')
		ck_assert_msg(strstr(j.message, "1 of 4 SMs have some") != NULL, "%s", j.message);
}
END_TEST

START_TEST(a_sound_device_passes_with_any_number_of_sms)
{
	struct bc_judgement j;

	for (size_t i = 0; i < cat.n; i++) {
		if (strcmp(cat.cases[i].suite->name, "cells") != 0)
			continue;
		for (uint32_t sms = 1; sms <= 3; sms += 2) {
			judge(cat.cases[i].id, NULL, sms, &j);
			ck_assert_msg(j.verdict == BC_PASS, "%s, %u SMs: %s", cat.cases[i].id, sms, j.message);
		}
	}
}
END_TEST

/* ---- what a launch on every SM brings back, without a device ---- */

START_TEST(blocks_must_be_on_as_many_sms_as_there_are)
{
	const uint32_t good[] = { 4, 17, 3, 0, 9 }, twice[] = { 4, 1, 2, 2, 3 }, few[] = { 3, 0, 1, 2, 0 };
	char why[200] = "";

	ck_assert(bc_case_launch_sms(good, 4, why, sizeof(why)));
	ck_assert(!bc_case_launch_sms(twice, 4, why, sizeof(why)));
	ck_assert_str_eq(why, "the blocks of one launch ran on 3 SMs, the device has 4");
	ck_assert(!bc_case_launch_sms(few, 4, why, sizeof(why)));
	ck_assert_str_eq(why, "3 blocks of 4 were there: one was to run on every SM");
}
END_TEST

static struct bc_cells_report report(void)
{
	return (struct bc_cells_report){ .read = 100, .base = arch.window_base, .size = arch.optin_bytes };
}

START_TEST(the_lowest_faulty_sm_is_named)
{
	const uint32_t sms[] = { 3, 7, 5, 6 };
	struct bc_cells_report r[3] = { report(), report(), report() };
	struct bc_mismatch bad;

	ck_assert(bc_cells_check(&arch, sms, r, 100, &bad));
	r[0].wrong = r[1].wrong = 1;
	r[0].first[0] = (struct bc_cells_wrong){ .address = 0x404, .expected = 1, .found = 0 };
	r[1].first[0] = (struct bc_cells_wrong){ .address = 0x3fc80, .expected = 0xf0, .found = 0x0f };
	ck_assert(!bc_cells_check(&arch, sms, r, 100, &bad));
	ck_assert_str_eq(bad.text,
			 "SM 5, address 0x3fc80, bank 0: expected 0x000000f0, found 0x0000000f; 1 wrong reads on "
			 "it, and 2 of 3 SMs have some");
}
END_TEST

START_TEST(an_sm_that_read_too_little_is_a_finding)
{
	const uint32_t sms[] = { 2, 0, 1 };
	struct bc_cells_report r[2] = { report(), report() };
	struct bc_mismatch bad;

	r[1].read = 99;
	ck_assert(!bc_cells_check(&arch, sms, r, 100, &bad));
	ck_assert_ptr_nonnull(strstr(bad.text, "SM 1 read 99 words"));
	r[1] = report();
	r[1].size -= 1024;
	ck_assert(!bc_cells_check(&arch, sms, r, 100, &bad));
	ck_assert_ptr_nonnull(strstr(bad.text, "of 231424 bytes"));
}
END_TEST

/* Sixteen words of one bank differ by whole rows of 128 bytes, on every architecture of today. */
START_TEST(the_bank_of_an_address)
{
	for (uint32_t row = 0; row < 16; row++)
		for (uint32_t bank = 0; bank < 32; bank++)
			ck_assert_uint_eq(bc_bank_of(&arch, 0x400 + row * 128 + bank * 4 + row % 4), bank);
}
END_TEST

Suite *bc_test_cells(void)
{
	Suite *s = suite_create("cells");
	TCase *tc = tcase_create("cells");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, a_planted_fault_is_named_by_sm_bank_and_bit, 0, (int)BC_ARRAY_LEN(found));
	tcase_add_test(tc, a_sound_device_passes_with_any_number_of_sms);
	tcase_add_test(tc, blocks_must_be_on_as_many_sms_as_there_are);
	tcase_add_test(tc, the_lowest_faulty_sm_is_named);
	tcase_add_test(tc, an_sm_that_read_too_little_is_a_finding);
	tcase_add_test(tc, the_bank_of_an_address);
	suite_add_tcase(s, tc);
	return s;
}
