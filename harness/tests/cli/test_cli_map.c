/* SPDX-License-Identifier: MIT */
/* bankcheck map, propose and confirm, as a user calls them. */
#include "harness/tests/program.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/tests/drawn_law.h"

Suite *bc_test_cli_map(void);

#define FEW " --confirm 200"

START_TEST(the_sound_device_is_as_expected)
{
	bc_run_program("map --device reference --reference-clock" FEW);
	bc_expect_status(0, NULL);
	bc_expect_output("conclusion  as expected of sm_90");
	bc_expect_output("bit 4 of the bank = address bit 6");
	bc_expect_output("200 random patterns support it, 0 contradict it");
	bc_expect_output("starts at 0x400; a block gets 232448 bytes, 49152 without opt-in");
	bc_expect_output("1024 bytes of each block are reserved; an SM holds 32 blocks");
	bc_expect_output("a load from L1 takes 1.4");
	bc_run_program("map --device reference --reference-clock --format json" FEW);
	bc_expect_status(0, NULL);
	bc_expect_output("\"schema\": \"bankcheck-map-1\"");
	bc_expect_output("\"witnesses_agree\": true");
	bc_expect_output("\"as_expected\": true");
	bc_expect_output("\"law\": \"banks 32\\nbank_bytes 4\\nbank_bit 0 = 2\\n");
	/* Several devices, and several are one document. */
	bc_run_program("map --device reference:sm_75,reference:sm_80 --witness counters --format json" FEW);
	bc_expect_status(0, NULL);
	bc_expect_output("\"device\": \"reference:sm_75\"");
	bc_expect_output("\"device\": \"reference:sm_80\"");
}
END_TEST

START_TEST(a_law_goes_in_and_comes_out)
{
	struct drawn_law d;
	char text[DRAWN_TEXT];

	drawn_law_make(&d, 4711, 232448, false);
	drawn_law_text(&d, text);
	bc_write_file("law.txt", "w", text);
	bc_run_program("map --law law.txt --format law --witness counters" FEW);
	bc_expect_status(1, NULL);
	drawn_law_found(&d, false, text);
	ck_assert_str_eq(bc_call.out.data, text);
	bc_run_program("map --law law.txt --format law --witness clock --reference-clock" FEW);
	bc_expect_status(1, NULL);
	drawn_law_found(&d, true, text);
	ck_assert_str_eq(bc_call.out.data, text);
	bc_run_program("map --law law.txt --witness counters" FEW);
	bc_expect_output("conclusion  other than expected of sm_90");
	bc_expect_output("found by counters: bank");
}
END_TEST

START_TEST(what_is_not_found_is_said)
{
	bc_write_file("law.txt", "w", "not_linear 3\n");
	bc_run_program("map --law law.txt --witness counters" FEW);
	bc_expect_status(1, NULL);
	bc_expect_output("the bank function is not linear");
	bc_expect_output("share a bank");
	bc_run_program("map --device reference --fault line-conflict --witness counters --confirm 4000");
	bc_expect_status(1, NULL);
	bc_expect_output("contradicted");
	bc_run_program("map --device reference --fault counters-zero" FEW);
	bc_expect_status(4, NULL);
	bc_expect_output("the counters are void");
	bc_expect_output("no witness found a law");
	bc_run_program("map --device reference --fault counters-zero --reference-clock" FEW);
	bc_expect_status(0, NULL); /* the clock found it */
	bc_run_program("map --device reference --witness clock" FEW);
	bc_expect_status(4, NULL);
	bc_expect_output("the reference device has no clock");
}
END_TEST

static const struct {
	const char *words, *says;
} wrong[] = {
	{ "map --device reference --format xml", "text, json and law" },
	{ "map --device reference:sm_01", "no such architecture" },
	{ "map --device reference --law none.txt", "none.txt" },
	{ "map --device reference --fault nothing", "no such fault" },
	{ "map --device reference --confirm 0", "--confirm" },
	{ "map --fault banks-16 --device cuda:0", "reference device only" },
	{ "propose", "--proposal DIR" },
	{ "propose --proposal new", "name the reports" },
	{ "confirm", "name the reports" },
	{ "confirm none.xml", "none.xml" },
};

START_TEST(wrong_usage_is_exit_status_3)
{
	bc_run_program(wrong[_i].words);
	bc_expect_status(3, wrong[_i].says);
}
END_TEST

/* A law is found, proposed, refused until a person accepts it; then its rows are green on the device that has it. */
START_TEST(a_proposal_is_accepted_and_green)
{
	bc_write_file("law.txt", "w",
		      "banks 16\nbank_bit 0 = 2 7\nbank_bit 1 = 3\nbank_bit 2 = 4\nbank_bit 3 = 5 12\n"
		      "group ld64 32\nmerge st32 none\nmerge ld128 pair1\ncas_factor 3\n");
	bc_copy_expected();
	bc_run_program("map --law law.txt --witness counters --expected expected --proposal new" FEW);
	bc_expect_status(1, NULL);
	bc_shell("head -1 new/sm_90/arch.txt | grep -qx proposed && head -1 new/sm_90/stride.txt | grep -qx proposed");
	bc_shell("grep -q '^row stride/ld_b32/1 .* measured ' new/sm_90/stride.txt");
	bc_shell("rm -r expected/sm_90 && cp -r new/sm_90 expected/");
	bc_run_program("run --law law.txt --expected expected --filter stride");
	bc_expect_status(3, "arch.txt:1: this file is only proposed");
	bc_shell("sed -i 1d expected/sm_90/arch.txt");
	bc_run_program("run --law law.txt --expected expected --filter stride");
	bc_expect_status(3, "only proposed");
	bc_shell("sed -i '1{/^proposed$/d}' expected/sm_90/*.txt");
	bc_run_program("run --law law.txt --expected expected -q --filter stride --filter width --filter atomic "
		       "--filter mapping --filter ways --filter matrix");
	bc_expect_status(0, NULL);
	bc_run_program("run --law law.txt --expected expected -q --witness clock --reference-clock --filter stride "
		       "--filter width/*ld* --filter width/*st* --filter ways");
	bc_expect_status(0, NULL);
	bc_run_program("map --law law.txt --witness counters --expected expected" FEW);
	bc_expect_status(0, NULL);
	bc_expect_output("as expected of sm_90");
	/* The folder of the expectations is never written. */
	bc_run_program("map --law law.txt --witness counters --expected expected --proposal expected" FEW);
	bc_expect_status(3, "that is the folder of the expectations");
	bc_write_file("law.txt", "w", "not_linear 3\n");
	bc_run_program("map --law law.txt --witness counters --proposal other" FEW);
	bc_expect_status(3, "no proposal");
	ck_assert(!bc_file_exists("other/sm_90/arch.txt"));
}
END_TEST

/* Three runs that agree: made from one real report. */
static void three_runs(void)
{
	bc_shell("cp '" BC_TEST_EXPECTED "/../reports/examples/sm_90.xml' a.xml");
	bc_shell("sed 's/name=\"run_id\" value=\"/&second-/' a.xml >b.xml");
	bc_shell("sed 's/name=\"run_id\" value=\"/&third-/' a.xml >c.xml");
}

START_TEST(runs_that_agree_are_proposed)
{
	three_runs();
	bc_copy_expected();
	bc_run_program("propose a.xml b.xml c.xml --expected expected --proposal new");
	bc_expect_status(0, NULL);
	bc_expect_output("3 runs on 1 GPU");
	bc_expect_output(" 0 of them other than expected, 0 are disputed");
	ck_assert(!bc_file_exists("new/sm_90/stride.txt"));
	/* One row of expected/ is wrong: all runs say so. */
	bc_write_file("expected/sm_90/stride.txt", "w",
		      "row stride/ld_b32/2 wavefronts=3 conflicts=2 measured made up\n");
	bc_run_program("propose a.xml b.xml c.xml --expected expected --proposal new");
	bc_expect_status(0, NULL);
	bc_expect_output("1 of them other than expected");
	bc_shell("grep -q '^row stride/ld_b32/2 wavefronts=2 conflicts=1 measured ' new/sm_90/stride.txt");
	bc_shell("test $(grep -c ^row new/sm_90/stride.txt) = 1 && head -1 new/sm_90/stride.txt | grep -qx proposed");
	/* One run says otherwise of it: no row, and the case is named. */
	bc_shell("sed -i '/^case=stride.ld_b32.2$/,/^counters=/s/^\\(counters=requests:\\([0-9]*\\)\\) .*/\\1 "
		 "wavefronts:7 conflicts:6/' c.xml");
	bc_run_program("propose a.xml b.xml c.xml --expected expected --proposal newer");
	bc_expect_status(1, NULL);
	bc_expect_output("1 are disputed");
	bc_expect_output("stride/ld_b32/2: requests:");
	ck_assert(!bc_file_exists("newer/sm_90/stride.txt"));
	bc_run_program("propose a.xml b.xml b.xml --expected expected --proposal newest");
	bc_expect_status(3, "hold 2 runs of one GPU");
	bc_run_program("propose a.xml b.xml c.xml --expected expected --proposal expected");
	bc_expect_status(3, "that is the folder of the expectations");
}
END_TEST

START_TEST(a_clean_run_is_confirmed)
{
	three_runs();
	bc_run_program("confirm a.xml");
	bc_expect_status(0, NULL);
	bc_expect_output("confirmed NVIDIA H200, driver 580.159.04, 2026-");
	bc_shell("sed 's/name=\"complete\" value=\"yes\"/name=\"complete\" value=\"filtered\"/' a.xml >b.xml");
	bc_run_program("confirm b.xml");
	bc_expect_status(1, "not complete (complete=filtered)");
	bc_run_program("run --filter stride/ld_b32/1 --device reference --reports r");
	bc_run_program("confirm r");
	bc_expect_status(1, "only hardware confirms");
}
END_TEST

Suite *bc_test_cli_map(void)
{
	Suite *s = suite_create("cli_map");
	TCase *tc = tcase_create("program");

	tcase_set_timeout(tc, 300);
	tcase_add_checked_fixture(tc, bc_call_setup, bc_call_teardown);
	tcase_add_test(tc, the_sound_device_is_as_expected);
	tcase_add_test(tc, a_law_goes_in_and_comes_out);
	tcase_add_test(tc, what_is_not_found_is_said);
	tcase_add_loop_test(tc, wrong_usage_is_exit_status_3, 0, (int)BC_ARRAY_LEN(wrong));
	tcase_add_test(tc, a_proposal_is_accepted_and_green);
	tcase_add_test(tc, runs_that_agree_are_proposed);
	tcase_add_test(tc, a_clean_run_is_confirmed);
	suite_add_tcase(s, tc);
	return s;
}
