/* SPDX-License-Identifier: MIT */
/* `bankcheck app` round a program, on a driver and a CUPTI of the tests' own making (harness/tests/stubs/app_*.c). */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/tests/program.h"

Suite *bc_test_app(void);

#define PROGRAM " -- " BC_TEST_STUBS "/app/program "
#define STUBS "--kernels images --cupti " BC_TEST_STUBS "/app/libcupti.so.13 "

static void setup(void)
{
	static const char *const images[] = { "pattern_ld", "pattern_st", "pattern_atom", "pattern_async", "coalesce" };

	bc_call_setup();
	bc_call.set[0][0] = "LD_LIBRARY_PATH";
	bc_call.set[0][1] = BC_TEST_STUBS "/app";
	bc_shell("mkdir images");
	for (size_t i = 0; i < BC_ARRAY_LEN(images); i++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "images/%s.fatbin", images[i]);
		bc_write_file(name, "w", "an image for the stub\n");
	}
}

static bool there(void)
{
	return access(BC_TEST_STUBS "/app/program", X_OK) == 0; /* not built without the headers of a toolkit */
}

static void app(const char *options, const char *acts)
{
	char words[700];

	(void)snprintf(words, sizeof(words), "app " STUBS "%s" PROGRAM "%s", options, acts);
	bc_run_program(words);
}

static void says(const char *words)
{
	ck_assert_msg(strstr(bc_call.err.data, words), "no `%s` in:\n%s", words, bc_call.err.data);
}

static void does_not_say(const char *words)
{
	ck_assert_msg(!strstr(bc_call.err.data, words), "`%s` in:\n%s", words, bc_call.err.data);
}

/* What is done; status; words of the summary. */
static const struct {
	const char *name, *mode, *options, *acts;
	int status;
	const char *words[3];
} calls[] = {
	{ "counts",
	  NULL,
	  "-v",
	  "conflict:30 clean:20 stores:10",
	  0,
	  { "31.000", "60 launches of 3 kernels; 60 measured", "(0 void)" } },
	{ "all sets of counters",
	  NULL,
	  "-v",
	  "conflict:400",
	  0,
	  { "400   31.000        -        -        -        -        -  conflict", "400 measured", NULL } },
	{ "a graph is a launch",
	  NULL,
	  "-v",
	  "capture:conflict graph:3",
	  0,
	  { "graph of 2 kernels: conflict (2)", "3 measured in 1 session", "2 launches not measured: captured" } },
	{ "a graph's kernels",
	  NULL,
	  "-v --graphs split",
	  "capture:conflict graph:3",
	  0,
	  { "6   31.000        -        -        -        -        -  conflict (3,1,1; 32,1,1; 0)", NULL, NULL } },
	{ "a graph with replay",
	  NULL,
	  "-v --replay",
	  "capture:conflict graph:3 clean:1",
	  0,
	  { "3 launches not measured: a graph, with --replay", "1 measured", NULL } },
	{ "replay",
	  NULL,
	  "-v --replay",
	  "conflict:5",
	  0,
	  { "5   31.000        -        -        -        -        -  conflict", "5 measured", NULL } },
	{ "threads", NULL, "-v", "threads:8", 0, { "320 launches of 1 kernels; 320 measured", "(0 void)", NULL } },
	{ "a fork is left alone",
	  NULL,
	  "-v",
	  "clean:2 fork clean:2",
	  0,
	  { "1 process with CUDA, 4 launches", "4 measured", NULL } },
	{ "a child that runs a program",
	  NULL,
	  "-v",
	  "clean:4 spawn",
	  0,
	  { "2 processes with CUDA, 6 launches", "6 measured", NULL } },
	{ "two contexts",
	  NULL,
	  "-v",
	  "clean:3 context clean:3",
	  0,
	  { "6 measured in 2 sessions (0 void)", NULL, NULL } },
	{ "two GPUs",
	  NULL,
	  "-v",
	  "conflict:3 gpu conflict:2",
	  0,
	  { "5 launches of 1 kernels; 5 measured in 2 sessions (0 void)", "3   31.000", "2   31.000" } },
	{ "a context that ends",
	  NULL,
	  "-v",
	  "clean:3 destroy context clean:2",
	  0,
	  { "5 measured in 2 sessions (0 void)", NULL, NULL } },
	{ "a launch that is refused", NULL, "-v", "refused clean:2", 0, { "2 measured", NULL, NULL } },
	{ "a trap",
	  NULL,
	  "-v",
	  "clean:5 trap:1 status:7",
	  7,
	  { "measuring ended: a kernel of the program: CUDA_ERROR_LAUNCH_FAILED (719)", "exit status 7: the program",
	    NULL } },
	{ "a hang",
	  NULL,
	  "-v --timeout 1",
	  "clean:5 hang:1 clean:5",
	  4,
	  { "a launch was not over after 1 s (--timeout)", "5 launches not measured: measuring had ended", NULL } },
	{ "nccl",
	  NULL,
	  "-v",
	  "ncclDevKernel:3 clean:2",
	  0,
	  { "3 launches not measured: excluded", "2 measured", NULL } },
	{ "--exclude",
	  NULL,
	  "-v --exclude cl*",
	  "conflict:3 clean:2",
	  0,
	  { "2 launches not measured: excluded", "3 measured", NULL } },
	{ "--filter",
	  NULL,
	  "-v --filter cl*",
	  "conflict:3 clean:2",
	  0,
	  { "3 launches not measured: excluded", "2 measured", NULL } },
	{ "--device-clock", NULL, "-v --device-clock --reports r", "clean:200", 0, { "200 measured", NULL, NULL } },
	{ "no permission",
	  "refuse",
	  "-v",
	  "clean:5",
	  4,
	  { "no counters: cuptiProfilerInitialize", "CAP_SYS_ADMIN", "nothing was judged" } },
	{ "void counters",
	  "void",
	  "-v",
	  "clean:5",
	  4,
	  { "ld_requests of a canary reads 16 instead of 8", "1 sessions (1 void)", "nothing was judged" } },
	{ "a CUPTI that fails",
	  "push",
	  "-v",
	  "clean:50",
	  4,
	  { "measuring ended: cuptiRangeProfilerPushRange", "launches not measured: measuring had ended", NULL } },
	{ "a chip without some", "no_metric", "-v", "conflict:90", 0, { "31.000", "?", NULL } },
	{ "killed",
	  NULL,
	  "-v",
	  "clean:3 kill",
	  137,
	  { "ended without its last counts", "exit status 137: the program was ended by signal KILL", NULL } },
	{ "_exit", NULL, "-v", "clean:3 _exit:0", 4, { "ended without its last counts", NULL, NULL } },
	{ "no launch", NULL, "-v", "status:0", 4, { "launched no kernel: nothing was judged", NULL, NULL } },
};

START_TEST(a_program_is_counted)
{
	if (!there())
		return;
	bc_call.set[1][0] = "BC_STUB_APP";
	bc_call.set[1][1] = calls[_i].mode;
	app(calls[_i].options, calls[_i].acts);
	ck_assert_msg(bc_call.status == calls[_i].status, "%s: exit status %d\n%s", calls[_i].name, bc_call.status,
		      bc_call.err.data);
	for (size_t w = 0; w < BC_ARRAY_LEN(calls[0].words) && calls[_i].words[w]; w++)
		says(calls[_i].words[w]);
	/* nothing of ours is in the program's output, and nothing we did went wrong in it */
	ck_assert_msg(!strstr(bc_call.out.data, "capture failed"), "%s", bc_call.out.data);
	ck_assert_msg(!strstr(bc_call.out.data, "bankcheck"), "%s", bc_call.out.data);
}
END_TEST

/* A call that api.h asks of every driver and the stubs lack would make each test below one of "nothing was judged". */
START_TEST(the_stubs_have_what_the_library_asks_for)
{
	if (!there())
		return;
	app("-v", "clean:1");
	does_not_say("has no");
	does_not_say("measuring ended");
	ck_assert_int_eq(bc_call.status, 0);
}
END_TEST

START_TEST(programs_that_use_no_cuda)
{
	if (!there())
		return;
	bc_run_program("app -- true");
	bc_expect_status(4, "no process of the program used CUDA");
	bc_run_program("app -- false");
	bc_expect_status(1, "the program ended with it");
	bc_run_program("app -- no-such-program-here");
	bc_expect_status(3, "no-such-program-here: No such file or directory");
	bc_run_program("app");
	bc_expect_status(3, "app: name the program");
	bc_run_program("app --sample 0 -- true");
	bc_expect_status(3, "--sample 0: it takes a whole number from 1");
	bc_run_program("app --graphs half -- true");
	bc_expect_status(3, "--graphs half: it takes whole or split");
	bc_run_program("app --slack 3 -- true");
	bc_expect_status(3, "--slack: it belongs to --write-budget");
	bc_run_program("app --budget nowhere -- true");
	bc_expect_status(3, "nowhere");
}
END_TEST

/* The budget decides; the program's own status is stronger; what is not counted is not green. */
static const struct {
	const char *name, *budget, *mode, *acts;
	int status;
	const char *words;
} budgets[] = {
	{ "kept", "default ld.conflicts<=31\n", NULL, "conflict:30", 0, "all budgets were kept" },
	{ "broken", "kernel \"conf*\" ld.conflicts<=30.9\n", NULL, "conflict:30 clean:3", 1,
	  "FAIL  conflict: ld.conflicts=31, the budget is <=30.9" },
	{ "at least", "kernel \"clean\" launches>=4\n", NULL, "clean:3", 1, "launches=3, the budget is >=4" },
	{ "the first match counts", "kernel \"clean\" ld.conflicts<=0\nkernel \"*\" ld.conflicts<=31\n", NULL,
	  "clean:3 conflict:2", 0, "2 passed" },
	{ "never ran", "kernel \"gone\" ld.conflicts<=0\n", NULL, "clean:3", 2,
	  "ERROR gone: no kernel whose first match is this line (budget:1) ran" },
	{ "no such request", "default atom.conflicts<=0\n", NULL, "clean:3", 0, "1 without such requests" },
	{ "known", "default ld.conflicts<=0\nknown \"conflict\" ld.conflicts until=2999-01-01 to be cured\n", NULL,
	  "conflict:3", 0, "1 known" },
	{ "no longer known", "default ld.conflicts<=0\nknown \"conflict\" ld.conflicts until=2020-01-01 to be cured\n",
	  NULL, "conflict:3", 1, "known, but only until 2020-01-01" },
	{ "not counted", "default gmma.conflicts<=0\n", "no_metric", "clean:3", 4, "nothing was judged" },
	{ "not counted, others are", "default ld.conflicts<=0 atom.conflicts<=0\n", "no_metric", "clean:3", 2,
	  "atom.conflicts: no launch was counted for it" },
	{ "cut short", "default ld.conflicts<=0\n", "push", "clean:100", 4, "nothing was judged" },
	{ "a child that was killed", "default ld.conflicts<=0\n", NULL, "clean:100 hang:1 clean:100 _exit:0", 2,
	  "the counts of a process are not complete" },
	{ "the program fails", "default ld.conflicts<=0\n", NULL, "conflict:3 status:9", 9, "FAIL  conflict" },
};

START_TEST(a_budget_is_judged)
{
	if (!there())
		return;
	bc_call.set[1][0] = "BC_STUB_APP";
	bc_call.set[1][1] = budgets[_i].mode;
	bc_write_file("budget", "w", budgets[_i].budget);
	app("--budget budget", budgets[_i].acts);
	ck_assert_msg(bc_call.status == budgets[_i].status, "%s: exit status %d\n%s", budgets[_i].name, bc_call.status,
		      bc_call.err.data);
	says(budgets[_i].words);
}
END_TEST

START_TEST(a_budget_is_written_and_kept)
{
	if (!there())
		return;
	app("--write-budget new", "conflict:300 clean:300 stores:300");
	ck_assert_int_eq(bc_call.status, 0);
	app("--budget new", "conflict:300 clean:300 stores:300");
	ck_assert_msg(bc_call.status == 0, "%s", bc_call.err.data);
	says("0 failed");
	says("0 could not be judged");
	bc_shell("sed -i 's/^kernel \"clean\".*/kernel \"clean\" ld.conflicts<=0/; s/32.56/30/' new");
	app("--budget new", "conflict:300 clean:300 stores:300");
	ck_assert_int_eq(bc_call.status, 1);
	says("FAIL  conflict");
	does_not_say("FAIL  clean");
}
END_TEST

START_TEST(reports_hold_it)
{
	xmlDocPtr doc;
	struct bc_text json;

	if (!there())
		return;
	bc_write_file("budget", "w", "kernel \"conflict\" ld.conflicts<=1 launches>=1\nkernel \"gone\" sectors<=4\n");
	app("--budget budget --reports out", "conflict:3");
	ck_assert_int_eq(bc_call.status, 2);
	doc = bc_report("out/app.xml");
	ck_assert_double_eq(bc_report_number(doc, "count(//testcase)"), 8); /* 3 bounds, 5 figures without */
	ck_assert_double_eq(bc_report_number(doc, "count(//failure[@type='FAIL'])"), 1);
	ck_assert_double_eq(bc_report_number(doc, "count(//error[@type='UNJUDGED'])"), 1);
	ck_assert_double_eq(bc_report_number(doc, "count(//skipped[@message='no budget bounds it'])"), 5);
	ck_assert_double_eq(bc_report_number(doc, "count(//testcase[@name='conflict/ld.conflicts']/failure)"), 1);
	ck_assert_double_eq(bc_report_number(doc, "number(/testsuites/@tests)"), 8);
	xmlFreeDoc(doc);
	json = bc_program_file(&bc_call, "out/app.json");
	ck_assert_msg(strstr(json.data, "\"schema\": \"bankcheck-app-1\""), "%s", json.data);
	ck_assert_msg(strstr(json.data, "\"exit_status\": 0"), "%s", json.data);
	bc_text_release(&json);
	json = bc_program_file(&bc_call, "out/app.html");
	ck_assert_msg(strstr(json.data, "<title>FAIL: "), "%s", json.data);
	bc_text_release(&json);
}
END_TEST

/* app.xml is what `run` writes: the commands that compare runs take it. */
START_TEST(runs_of_a_program_are_compared)
{
	if (!there())
		return;
	bc_write_file("budget", "w", "kernel \"conflict\" ld.conflicts<=31.5 launches>=1\n");
	app("--budget budget --reports old --host n1", "conflict:30 clean:30");
	ck_assert_msg(bc_call.status == 0, "%s", bc_call.err.data);
	app("--budget budget --reports new --host n1", "conflict:30 clean:30");
	bc_run_program("diff old new");
	bc_expect_status(0, NULL);
	ck_assert_msg(strstr(bc_call.out.data, "13 cases: 13 the same"), "%s", bc_call.out.data);
	bc_shell("cp new/app.xml within.xml; sed -i 's/requests:240 conflicts:7440/requests:240 conflicts:7500/' "
		 "within.xml; "
		 "sed -i 's/requests:240 conflicts:7440/requests:240 conflicts:9600/' new/app.xml");
	bc_run_program("diff old/app.xml within.xml");
	bc_expect_status(0, NULL);
	ck_assert_msg(strstr(bc_call.out.data, "1 moved within their bounds"), "%s", bc_call.out.data);
	bc_run_program("diff old new");
	bc_expect_status(1, NULL);
	ck_assert_msg(
		strstr(bc_call.out.data, "WORSE     app/conflict/ld.conflicts: conflicts 31 -> 40, expected 0..31.5"),
		"%s", bc_call.out.data);
	bc_run_program("history add old new --db h.db");
	bc_expect_status(0, NULL);
	bc_run_program("history trend app/conflict/ld.conflicts --db h.db");
	bc_expect_status(0, NULL);
	ck_assert_msg(strstr(bc_call.out.data, "PASS 2"), "%s", bc_call.out.data);
	bc_run_program("html old/app.xml -o page.html");
	bc_expect_status(0, NULL);
}
END_TEST

START_TEST(a_night_of_programs_is_gathered)
{
	if (!there())
		return;
	bc_write_file("budget", "w", "kernel \"conflict\" ld.conflicts<=31\n");
	bc_shell("mkdir -p night/nodes/n1/1 night/nodes/n2/1; printf 'n1\\t1\\tsm_90\\nn2\\t1\\tsm_90\\n' "
		 ">night/expected.tsv");
	app("--budget budget --host n1 --reports night/nodes/n1/1", "conflict:30");
	app("--budget budget --host n2 --reports night/nodes/n2/1", "conflict:30 clean:3");
	bc_shell("touch night/nodes/n1/1/done night/nodes/n2/1/done; "
		 "sed -i 's/GPU-2222/GPU-3333/; s/verdict=PASS/verdict=FAIL/; s/ tests=\"12\" failures=\"0\"/ "
		 "tests=\"12\" failures=\"1\"/; 0,/<system-out>/s//<failure type=\"FAIL\" "
		 "message=\"x\"\\/><system-out>/' night/nodes/n2/1/app.xml");
	bc_run_program("fleet gather night --db f.db");
	bc_expect_status(0, NULL);
	bc_run_program("fleet check night --db f.db");
	bc_expect_status(1, NULL);
	ck_assert_msg(strstr(bc_call.out.data, "OK    n1") || strstr(bc_call.out.data, "OK       n1"), "%s",
		      bc_call.out.data);
	bc_run_program("fleet table night --db f.db");
	ck_assert_msg(strstr(bc_call.out.data, "app/conflict/ld.conflicts"), "%s", bc_call.out.data);
}
END_TEST

/* A model of GPU is a device of the report; the same kernel is judged where its figure is worst. */
START_TEST(two_gpus_are_two_devices)
{
	xmlDocPtr doc;

	if (!there())
		return;
	app("--reports out", "conflict:3 gpu conflict:2");
	doc = bc_report("out/app.xml");
	ck_assert_double_eq(bc_report_number(doc, "count(//testsuite)"), 2);
	ck_assert_double_eq(bc_report_number(doc, "count(//testsuite[@name='bankcheck.sm_80.app']/testcase)"), 6);
	ck_assert_double_eq(bc_report_number(doc, "count(//property[@name='gpu' and @value='Second GPU'])"), 1);
	xmlFreeDoc(doc);
}
END_TEST

/* At most N launches are kept, whatever the order: a kernel that is clean in one half and not in the other shows it. */
START_TEST(a_sample_is_over_the_whole_run)
{
	if (!there())
		return;
	app("-v --sample 10", "conflict:1000");
	ck_assert_int_eq(bc_call.status, 0);
	says("not of the sample (--sample)");
	says("1000   31.000");
}
END_TEST

Suite *bc_test_app(void)
{
	Suite *s = suite_create("app");
	TCase *tc = tcase_create("programs");

	tcase_add_checked_fixture(tc, setup, bc_call_teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, a_program_is_counted, 0, (int)BC_ARRAY_LEN(calls));
	tcase_add_test(tc, the_stubs_have_what_the_library_asks_for);
	tcase_add_test(tc, programs_that_use_no_cuda);
	tcase_add_loop_test(tc, a_budget_is_judged, 0, (int)BC_ARRAY_LEN(budgets));
	tcase_add_test(tc, a_budget_is_written_and_kept);
	tcase_add_test(tc, reports_hold_it);
	tcase_add_test(tc, runs_of_a_program_are_compared);
	tcase_add_test(tc, a_night_of_programs_is_gathered);
	tcase_add_test(tc, two_gpus_are_two_devices);
	tcase_add_test(tc, a_sample_is_over_the_whole_run);
	suite_add_tcase(s, tc);
	return s;
}
