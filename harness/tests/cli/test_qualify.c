/* SPDX-License-Identifier: MIT */
/* qualify: its steps, its verdict and its pages, on the reference device; the self-test is noted as done in the state,
 * for it takes long and is tested elsewhere. */
#include <check.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/qualify/qualify.h"
#include "harness/tests/program.h"

Suite *bc_test_qualify(void);

static struct bc_program_call call;

static void setup(void)
{
	bc_program_init(&call);
}

static void teardown(void)
{
	bc_program_release(&call);
}

static void write_file(const char *name, const char *text)
{
	char path[BC_PATH_MAX + 64];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", call.dir, name);
	f = fopen(path, "w");
	ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* A state in which the self-test has ended with @status, of a run with @options (of the run) and @rest. */
static void after_selftest(const char *options, const char *device, const char *rest, int status)
{
	char path[BC_PATH_MAX + 64], text[600];

	(void)snprintf(path, sizeof(path), "%s/q", call.dir);
	(void)mkdir(path, 0777);
	(void)snprintf(text, sizeof(text), "options\t%s; device %s; soak 0; %s\nselftest\t%d\t1500\n", options, device,
		       rest, status);
	write_file("q/state.tsv", text);
}

static void run(const char *words, int status)
{
	bc_program_run(&call, words);
	ck_assert_msg(call.status == status, "%s: exit status %d\n%s\n%s", words, call.status, call.out.data,
		      call.err.data);
}

static void said(const char *words)
{
	ck_assert_msg(strstr(call.out.data, words) != NULL, "no `%s` in:\n%s\n%s", words, call.out.data, call.err.data);
}

#define FILTER "baseline none; filter stride/ld_b32/?"
#define QUALIFY "qualify --device reference --filter stride/ld_b32/? --reports q --resume"

static json_t *page(const char *name)
{
	struct bc_text file = bc_program_file(&call, name);
	json_error_t why;
	json_t *j = json_loads(file.data, 0, &why);

	ck_assert_msg(j != NULL, "%s: %s", name, why.text);
	bc_text_release(&file);
	return j;
}

/* Without --device the devices are asked for with this run's own folders, and what they answer is told. */
START_TEST(devices_that_cannot_be_listed_are_not_taken_for_no_gpu)
{
	run("qualify --expected nowhere --reports q", 3);
	ck_assert_ptr_nonnull(strstr(call.err.data, "nowhere: cannot be opened"));
	ck_assert_ptr_null(strstr(call.err.data, "no GPU here"));
}
END_TEST

START_TEST(a_sound_device_is_qualified_and_resume_runs_nothing_again)
{
	static const char *const files[] = { "q/qualify.txt",
					     "q/qualify.html",
					     "q/qualify.xml",
					     "q/reference/qualify.html",
					     "q/reference/map/output.txt",
					     "q/reference/cells/reference-sm_90.xml" };
	json_t *j;
	struct bc_text text;

	after_selftest("defaults", "reference", FILTER, 0);
	run(QUALIFY, 0);
	said("qualify: QUALIFIED WITH REMARKS\n");
	said("this is the reference device, not hardware");
	said("only a part of the catalogue was run");
	said("  catalogue");
	said("10 cases: 10 PASS");
	said("matrix     fewer than two --kernels or --cupti were given");
	said("32 banks of 4 bytes; bank bit 0 = address bit 2; bank bit 1 = address bit 3;");
	for (size_t i = 0; i < BC_ARRAY_LEN(files); i++) {
		text = bc_program_file(&call, files[i]);
		ck_assert_msg(text.len > 0, "no %s", files[i]);
		bc_text_release(&text);
	}
	j = page("q/qualify.json");
	ck_assert_str_eq(json_string_value(json_object_get(j, "verdict")), "QUALIFIED WITH REMARKS");
	ck_assert_uint_eq(json_array_size(json_object_get(j, "devices")), 1);
	json_decref(j);
	run(QUALIFY " --strict", 1);
	ck_assert_msg(strstr(call.err.data, "catalogue was done before") &&
			      strstr(call.err.data, "map was done before"),
		      "%s", call.err.data);
	ck_assert_msg(!strstr(call.err.data, " ... "), "%s", call.err.data);
	/* Other options are another qualification. */
	run(QUALIFY " --soak 1", 3);
	ck_assert_ptr_nonnull(strstr(call.err.data, "the options are not those"));
}
END_TEST

/* As the report of a GPU whose counters are refused. */
START_TEST(refused_counters_are_not_judged)
{
	char command[2 * BC_PATH_MAX];

	after_selftest("defaults", "reference", FILTER, 0);
	run(QUALIFY, 0);
	(void)snprintf(command, sizeof(command),
		       "sed -i 's/name=\"counters_absent\" value=\"[^\"]*\"/name=\"counters_absent\" value=\"no "
		       "permission\"/' '%s/q/reference/catalogue/reference-sm_90.xml'",
		       call.dir);
	ck_assert_int_eq(system(command), 0);
	run(QUALIFY, 4);
	said("NOT QUALIFIED");
	said("not judged: counters cannot be read: no permission");
}
END_TEST

START_TEST(a_finding_is_a_reason_and_comes_first)
{
	const char *reasons, *remarks;
	json_t *j;

	after_selftest("--fault load-neighbour", "reference", FILTER, 0);
	run(QUALIFY " --fault load-neighbour", 1);
	said("qualify: NOT QUALIFIED\n");
	said("stride/ld_b32/1 is FAIL: data: lane 9");
	said("4 more findings: see the report"); /* of 9 */
	reasons = strstr(call.out.data, "\nReasons\n");
	remarks = strstr(call.out.data, "\nRemarks\n");
	ck_assert(reasons && remarks && reasons < remarks);
	j = page("q/reference/qualify.json");
	ck_assert_int_eq(json_integer_value(json_object_get(j, "exit_status")), 1);
	json_decref(j);
}
END_TEST

START_TEST(a_law_that_nobody_listed_is_named)
{
	write_file("hash.law",
		   "bank_bit 0 = 2 14\nbank_bit 1 = 3\nbank_bit 2 = 4\nbank_bit 3 = 5\nbank_bit 4 = 6 15\n");
	after_selftest("--law hash.law", "reference", FILTER, 0);
	run(QUALIFY " --law hash.law", 1);
	said("NOT QUALIFIED");
	said("bank law other than expected of sm_90");
	said("found: 32 banks of 4 bytes; bank bit 0 = address bits 2 14;");
	said("bank bit 4 = address bits 6 15");
	said("10 cases: 10 PASS"); /* none of them goes so far: the law alone is the reason */
}
END_TEST

START_TEST(a_tool_that_is_not_sound_qualifies_nothing)
{
	after_selftest("defaults", "reference", FILTER, 1);
	run(QUALIFY, 2);
	said("the tool itself is not sound: selftest --quick ended with status 1");
}
END_TEST

/* Strides 1 to 9, and the SMs beside one another. */
START_TEST(gpus_of_a_kind_are_compared_with_the_first_of_them)
{
	after_selftest("--reference-clock", "reference,reference:sm_90,reference:sm_80", FILTER, 0);
	run("qualify --device reference,reference:sm_90,reference:sm_80 --reference-clock --filter stride/ld_b32/? "
	    "--reports q --resume",
	    0);
	said("10 cases compared with the clock of reference: 10 as fast, 0 slower, 0 faster, 0 not to be told");
	said("no --baseline was given, and no GPU of its kind before it");
	ck_assert_ptr_null(strstr(call.out.data, "compared with the clock of reference:sm_90"));
}
END_TEST

START_TEST(a_baseline_is_compared)
{
	after_selftest("defaults", "reference", "baseline base; filter stride/ld_b32/?", 0);
	run("run --device reference --filter stride/ld_b32/? --filter cells/speed --reports base", 0);
	run(QUALIFY " --baseline base", 0); /* cells is a step of its own: nothing is missed */
	said("10 cases compared: 10 the same, 0 worse, 0 better");
	run(QUALIFY " --baseline nowhere", 3);
}
END_TEST

START_TEST(what_was_cut_off_is_continued)
{
	char journal[BC_PATH_MAX + 64];
	pid_t pid;

	after_selftest("defaults", "reference", "baseline none; filter stride", 0);
	pid = bc_program_launch(&call, "qualify --device reference --filter stride --reports q --resume");
	/* while the catalogue runs, however fast the machine is */
	(void)snprintf(journal, sizeof(journal), "%s/q/reference/catalogue/journal.tsv", call.dir);
	for (unsigned i = 0; access(journal, F_OK) != 0 && i < 10000; i++)
		(void)usleep(2000);
	ck_assert_int_eq(kill(pid, SIGINT), 0);
	bc_program_end(&call, pid);
	ck_assert_msg(call.status == 130, "%d\n%s\n%s", call.status, call.out.data, call.err.data);
	run("qualify --device reference --filter stride --reports q --resume", 0);
	said("382 cases: 382 PASS");
}
END_TEST

START_TEST(wrong_usage)
{
	run("qualify --device reference", 3);
	ck_assert_ptr_nonnull(strstr(call.err.data, "--reports DIR is missing"));
	run("qualify --device reference:all --reports q", 3);
	run("qualify --device reference,reference --reports q", 3);
	run("qualify --device reference, --reports q", 3);
}
END_TEST

/* ---- the verdict alone ---- */

static const struct {
	const char *what;
	int status[4]; /* of reasons; -1: a remark */
	size_t n;
	enum bc_qualified verdict;
	int exit, strict;
} verdicts[] = {
	{ "nothing", { 0 }, 0, BC_QUALIFIED, 0, 0 },
	{ "a remark", { -1 }, 1, BC_QUALIFIED_WITH_REMARKS, 0, 1 },
	{ "a finding", { 1, -1 }, 2, BC_NOT_QUALIFIED, 1, 1 },
	{ "not judged", { -1, 4 }, 2, BC_NOT_QUALIFIED, 4, 4 },
	{ "a finding, and not judged", { 4, 1 }, 2, BC_NOT_QUALIFIED, 1, 1 },
	{ "broken above all", { 1, 4, 2, -1 }, 4, BC_NOT_QUALIFIED, 2, 2 },
};

START_TEST(the_verdict_is_the_worst)
{
	struct bc_qualify_device d = { .option = "cuda:0" };
	struct bc_qualify q = { .device = &d, .n = 1 };

	for (size_t i = 0; i < verdicts[_i].n; i++)
		bc_qualify_add(&d, verdicts[_i].status[i] >= 0, verdicts[_i].status[i], "number %zu", i);
	ck_assert_msg(bc_qualify_verdict(&d) == verdicts[_i].verdict, "%s", verdicts[_i].what);
	ck_assert_msg(bc_qualify_worst(&q) == verdicts[_i].verdict, "%s", verdicts[_i].what);
	ck_assert_msg(bc_qualify_status(&q, false) == verdicts[_i].exit, "%s", verdicts[_i].what);
	ck_assert_msg(bc_qualify_status(&q, true) == verdicts[_i].strict, "%s, strict", verdicts[_i].what);
}
END_TEST

START_TEST(a_reason_is_never_crowded_out)
{
	struct bc_qualify_device d = { .option = "cuda:0" };

	for (unsigned i = 0; i < BC_QUALIFY_REMARKS + 5; i++)
		bc_qualify_add(&d, false, 0, "remark %u", i);
	ck_assert(bc_qualify_verdict(&d) == BC_QUALIFIED_WITH_REMARKS);
	bc_qualify_add(&d, true, 2, "the reason");
	ck_assert(bc_qualify_verdict(&d) == BC_NOT_QUALIFIED);
	ck_assert_uint_eq(d.nremarks, BC_QUALIFY_REMARKS);
}
END_TEST

Suite *bc_test_qualify(void)
{
	Suite *s = suite_create("qualify");
	TCase *tc = tcase_create("qualify");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 240);
	tcase_add_test(tc, devices_that_cannot_be_listed_are_not_taken_for_no_gpu);
	tcase_add_test(tc, a_sound_device_is_qualified_and_resume_runs_nothing_again);
	tcase_add_test(tc, refused_counters_are_not_judged);
	tcase_add_test(tc, a_finding_is_a_reason_and_comes_first);
	tcase_add_test(tc, a_law_that_nobody_listed_is_named);
	tcase_add_test(tc, a_tool_that_is_not_sound_qualifies_nothing);
	tcase_add_test(tc, gpus_of_a_kind_are_compared_with_the_first_of_them);
	tcase_add_test(tc, a_baseline_is_compared);
	tcase_add_test(tc, what_was_cut_off_is_continued);
	tcase_add_test(tc, wrong_usage);
	tcase_add_loop_test(tc, the_verdict_is_the_worst, 0, (int)BC_ARRAY_LEN(verdicts));
	tcase_add_test(tc, a_reason_is_never_crowded_out);
	suite_add_tcase(s, tc);
	return s;
}
