/* SPDX-License-Identifier: MIT */
/* Another bank law through the program: --law for the reference device and for explain, and its words in arch.txt. */
#include "harness/tests/program.h"

#include <check.h>

Suite *bc_test_law(void);

/* Words 16 apart share a bank, and stores to one word are not served together. */
#define LAW "banks 16\nmerge st32 none\n"

START_TEST(the_reference_device_takes_a_law)
{
	bc_write_file("law.txt", "w", LAW);
	bc_run_program("run --law law.txt --filter mapping/distance/16 --filter mapping/distance/1");
	bc_expect_status(1, NULL);
	bc_expect_output("counters wavefronts=2 conflicts=1; model wavefronts=1 conflicts=0 (other than the law)");
	bc_expect_output("1 PASS");
	bc_run_program("run --law law.txt --witness clock --reference-clock --filter mapping/distance/16");
	bc_expect_status(1, NULL);
	bc_expect_output("FAIL");
}
END_TEST

START_TEST(explain_draws_by_a_law)
{
	bc_write_file("law.txt", "w", LAW);
	bc_run_program("explain --law law.txt stride/st_b32/0");
	bc_expect_status(0, NULL);
	bc_expect_output("wavefronts  32;");
	bc_expect_output("one that was given: lanes served together 32, merged none");
	bc_run_program("explain --law law.txt mapping/distance/16");
	bc_expect_output("wavefronts  2;");
}
END_TEST

/* An architecture whose arch.txt has the words: model and reference device follow, and rows written for it are green.
 */
START_TEST(an_architecture_has_its_own_law)
{
	bc_copy_expected();
	bc_write_file("expected/sm_90/arch.txt", "a", "\nmerge st32 none\n");
	bc_run_program("run --device reference --expected expected --filter stride/st_b32/0 --filter stride/ld_b32/0");
	bc_expect_status(1, NULL);
	bc_expect_output("FAIL");
	bc_expect_output("1 PASS");
	bc_write_file(
		"expected/sm_90/stride.txt", "a",
		"\nrow stride/st_b32/0 wavefronts=32 conflicts=31 measured stores of one word do not merge here\n");
	bc_run_program("run --device reference --expected expected --filter stride/st_b32/0 --filter stride/ld_b32/0");
	bc_expect_status(0, NULL);
	bc_expect_output("2 PASS");
	bc_run_program("explain --expected expected stride/st_b32/0");
	bc_expect_output("wavefronts  32;");
	bc_run_program("run --device reference:sm_80 --expected expected --filter stride/st_b32/0");
	bc_expect_status(0, NULL);
	bc_write_file("expected/sm_90/arch.txt", "a", "\nnot_linear 1\n");
	bc_run_program("run --device reference --expected expected --filter stride/st_b32/0");
	bc_expect_status(3, "not_linear is for --law");
}
END_TEST

START_TEST(what_is_no_law_is_exit_status_3)
{
	bc_write_file("law.txt", "w", "banks 16\ncolour red\n");
	bc_run_program("run --law law.txt --filter stride/ld_b32/1");
	bc_expect_status(3, "law.txt:2: 'colour' is no word of a law");
	ck_assert(!bc_file_exists("reports/reference-sm_90.xml"));
	bc_run_program("run --law none.txt --filter stride/ld_b32/1");
	bc_expect_status(3, "none.txt");
	bc_write_file("law.txt", "w", LAW);
	bc_run_program("run --law law.txt --device cuda:0 --filter stride/ld_b32/1");
	bc_expect_status(3, "only the reference device takes a law");
	bc_run_program("run --law law.txt --fault banks-64 --filter stride/ld_b32/1");
	bc_expect_status(3, "--law and --fault exclude each other");
	/* Bit 17 is in the window of sm_90, not in that of sm_86. */
	bc_write_file("law.txt", "w", "banks 2\nbank_bit 0 = 2 17\n");
	bc_run_program("run --law law.txt --device reference:sm_90,reference:sm_86 --filter stride/ld_b32/1");
	bc_expect_status(3, "law.txt:2: bank_bit 0: no address of the window");
}
END_TEST

Suite *bc_test_law(void)
{
	Suite *s = suite_create("law");
	TCase *tc = tcase_create("program");

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, bc_call_setup, bc_call_teardown);
	tcase_add_test(tc, the_reference_device_takes_a_law);
	tcase_add_test(tc, explain_draws_by_a_law);
	tcase_add_test(tc, an_architecture_has_its_own_law);
	tcase_add_test(tc, what_is_no_law_is_exit_status_3);
	suite_add_tcase(s, tc);
	return s;
}
