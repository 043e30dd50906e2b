/* SPDX-License-Identifier: MIT */
#include "harness/run/check_run.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/tests/report/report_sample.h"

Suite *bc_test_check_run(void);

#define CASES 6

static struct bc_sample sample;
static struct bc_error err;
static char dir[BC_PATH_MAX], tap[BC_PATH_MAX + 16];

static const char *const variables[] = { "CK_TAP_LOG_FILE_NAME", "CK_XML_LOG_FILE_NAME", "CK_LOG_FILE_NAME",
					 "CK_RUN_SUITE",	 "CK_RUN_CASE",		 "CK_FORK",
					 "CK_VERBOSITY" };

/* What the judging step came to, told by the process that ran it. */
static struct outcome {
	enum bc_status st;
	size_t failed;
	char msg[512];
} got;

static void setup(void)
{
	bc_sample_folder(dir);
	(void)snprintf(tap, sizeof(tap), "%s/tap", dir);
	bc_sample_init(&sample, CASES);
}

static void teardown(void)
{
	bc_sample_release(&sample);
}

/* Check runs inside Check, so it gets a process of its own. @variable: one of the environment, NULL: none. */
static int judge(const char *file, const char *variable, const char *value)
{
	struct outcome o = { .st = BC_OK };
	int fd[2], status = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(fd), 0);
	(void)fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		for (size_t i = 0; i < BC_ARRAY_LEN(variables); i++)
			(void)unsetenv(variables[i]);
		if (variable)
			(void)setenv(variable, value, 1);
		if (!freopen("/dev/null", "w", stderr))
			_exit(99);
		o.st = bc_check_run(&sample.run, file, &o.failed, &err);
		(void)bc_strlcpy(o.msg, o.st ? err.msg : "", sizeof(o.msg));
		_exit(write(fd[1], &o, sizeof(o)) == (ssize_t)sizeof(o) ? 0 : 98);
	}
	(void)close(fd[1]);
	memset(&got, 0xff, sizeof(got));
	if (read(fd[0], &got, sizeof(got)) != (ssize_t)sizeof(got))
		got = (struct outcome){ .st = BC_OK, .msg = "it ended" };
	(void)close(fd[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool in_file(const char *path, const char *words)
{
	struct bc_text t = { 0 };
	bool there;

	ck_assert_msg(bc_file_read(path, 1 << 20, &t, &err) == BC_OK, "%s", err.msg);
	there = t.data && strstr(t.data, words);
	bc_text_release(&t);
	return there;
}

static const struct {
	enum bc_verdict v;
	bool fails;
	const char *before, *after; /* of its name in TAP */
} verdicts[] = {
	{ BC_PASS, false, "", "" },	   { BC_FAIL, true, "not ", "" },	    { BC_DISAGREE, true, "not ", "" },
	{ BC_BROKEN, true, "not ", "" },   { BC_LOST, true, "not ", "" },	    { BC_SKIP, false, "", " # SKIP " },
	{ BC_UNJUDGED, true, "not ", "" }, { BC_XFAIL, false, "not ", " # TODO " }, { BC_XPASS, true, "not ", "" },
};

START_TEST(a_verdict_fails_or_not)
{
	const struct bc_judgement *j = &sample.devices[0].results[2].judged;
	char words[BC_MESSAGE_MAX + 32];

	ck_assert_uint_eq(BC_ARRAY_LEN(verdicts), BC_NVERDICTS);
	ck_assert_int_eq(bc_verdict_is_finding(verdicts[_i].v), verdicts[_i].fails);
	bc_sample_set(&sample, 0, 2, verdicts[_i].v, "100% of it: <odd> & so on");
	ck_assert_int_eq(judge(tap, NULL, NULL), 0);
	ck_assert_msg(got.st == BC_OK, "%s", got.msg);
	ck_assert_uint_eq(got.failed, verdicts[_i].fails);
	(void)snprintf(words, sizeof(words), "%s: %s", bc_verdict_name(verdicts[_i].v), j->message);
	ck_assert_int_eq(in_file(tap, words), verdicts[_i].fails); /* the message starts with the verdict */
	(void)snprintf(words, sizeof(words), "\n%sok 3 - sm_90 stride/ld_b32/2%s%s\n", verdicts[_i].before,
		       verdicts[_i].after, verdicts[_i].after[0] ? j->message : "");
	ck_assert_msg(in_file(tap, words), "no line `%s`", words); /* its name is the same, whatever came out */
	ck_assert(in_file(tap, "1..6\n"));
}
END_TEST

START_TEST(every_case_has_a_line)
{
	bc_sample_set(&sample, 0, 1, BC_FAIL, "data: lane 3");
	bc_sample_set(&sample, 0, 5, BC_LOST, "signal SIGSEGV");
	ck_assert_int_eq(judge(tap, NULL, NULL), 0);
	ck_assert_msg(got.st == BC_OK, "%s", got.msg);
	ck_assert_uint_eq(got.failed, 2);
	for (unsigned i = 0; i < CASES; i++) {
		char words[64];

		(void)snprintf(words, sizeof(words), "%sok %u - ", i == 1 || i == 5 ? "not " : "", i + 1);
		ck_assert_msg(in_file(tap, words), "no line `%s`", words);
		ck_assert_msg(in_file(tap, sample.cases[i].id), "no %s", sample.cases[i].id);
	}
	ck_assert(in_file(tap, "FAIL: data: lane 3"));
	ck_assert(in_file(tap, "LOST: signal SIGSEGV"));
}
END_TEST

START_TEST(devices_are_judged_together)
{
	(void)bc_sample_add(&sample, BC_DEVICE_REFERENCE, "sm_80", "reference_sm_80");
	bc_sample_set(&sample, 1, 0, BC_UNJUDGED, "no expectation");
	ck_assert_int_eq(judge(tap, NULL, NULL), 0);
	ck_assert_uint_eq(got.failed, 1);
	ck_assert(in_file(tap, "1..12"));
	ck_assert(in_file(tap, "\nnot ok 7 - reference_sm_80 stride/ld_b32/0\n# UNJUDGED: no expectation\n"));
}
END_TEST

START_TEST(checks_own_variables_work)
{
	char xml[BC_PATH_MAX + 16];

	(void)snprintf(xml, sizeof(xml), "%s/xml", dir);
	bc_sample_set(&sample, 0, 0, BC_FAIL, "wrong");
	ck_assert_int_eq(judge(NULL, "CK_TAP_LOG_FILE_NAME", tap), 0);
	ck_assert_uint_eq(got.failed, 1);
	ck_assert(in_file(tap, "not ok 1 - "));
	ck_assert_int_eq(judge(NULL, "CK_XML_LOG_FILE_NAME", xml), 0);
	ck_assert(in_file(xml, "stride/ld_b32/0") && in_file(xml, "FAIL: wrong"));
	ck_assert_int_eq(judge(NULL, "CK_FORK", "yes"), 0);
	ck_assert_uint_eq(got.failed, 1);
}
END_TEST

/* The plan was filtered by CK_RUN_SUITE; should Check leave anything out beside, that is no success. */
START_TEST(what_check_leaves_out_is_told)
{
	bc_sample_set(&sample, 0, 0, BC_FAIL, "wrong");
	ck_assert_int_eq(judge(NULL, "CK_RUN_SUITE", "stride"), 0);
	ck_assert_int_eq(got.st, BC_OK);
	ck_assert_uint_eq(got.failed, 1);
	ck_assert_int_eq(judge(NULL, "CK_RUN_SUITE", "ways"), 0);
	ck_assert_int_eq(got.st, BC_EDEVICE);
	ck_assert_msg(strstr(got.msg, "Check counts 0 failures, the verdicts 1"), "%s", got.msg);
}
END_TEST

START_TEST(no_log_no_file)
{
	ck_assert_int_eq(judge(NULL, NULL, NULL), 0);
	ck_assert_int_eq(got.st, BC_OK);
	ck_assert_uint_eq(got.failed, 0);
	ck_assert_uint_eq(bc_sample_entries(dir), 0);
}
END_TEST

START_TEST(nothing_to_judge_is_no_failure)
{
	for (size_t i = 0; i < CASES; i++)
		bc_sample_set(&sample, 0, i, BC_SKIP, "needs ldmatrix");
	ck_assert_int_eq(judge(tap, NULL, NULL), 0);
	ck_assert_int_eq(got.st, BC_OK);
	ck_assert_uint_eq(got.failed, 0);
	ck_assert(in_file(tap, "1..6\nok 1 - sm_90 stride/ld_b32/0 # SKIP needs ldmatrix\n"));
	sample.devices[0].nresults = 0;
	ck_assert_int_eq(judge(tap, NULL, NULL), 0);
	ck_assert(in_file(tap, "1..0 # SKIP no case was selected\n"));
	sample.devices[0].nresults = CASES;
}
END_TEST

START_TEST(a_log_that_cannot_be_made_is_told)
{
	char gone[BC_PATH_MAX + 16];

	(void)snprintf(gone, sizeof(gone), "%s/gone/log", dir);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(judge(i ? NULL : gone, i ? variables[i - 1] : NULL, gone), 0);
		ck_assert_msg(got.st == BC_EWRITE, "log %u: %d", i, got.st);
		ck_assert_msg(strstr(got.msg, gone) && strstr(got.msg, strerror(ENOENT)), "%s", got.msg);
	}
}
END_TEST

START_TEST(a_full_disk_is_told)
{
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(judge(i ? NULL : "/dev/full", i ? variables[i - 1] : NULL, "/dev/full"), 0);
		ck_assert_msg(got.st == BC_EWRITE, "log %u: %d", i, got.st);
		ck_assert_msg(strstr(got.msg, "/dev/full") && strstr(got.msg, strerror(ENOSPC)), "%s", got.msg);
	}
}
END_TEST

START_TEST(a_log_may_go_to_standard_output)
{
	const int out = dup(STDOUT_FILENO);

	(void)fflush(NULL);
	ck_assert_int_ge(out, 0);
	ck_assert_ptr_nonnull(freopen(tap, "w", stdout));
	(void)judge("-", NULL, NULL);
	(void)fflush(stdout);
	ck_assert_int_ge(dup2(out, STDOUT_FILENO), 0);
	ck_assert_int_eq(got.st, BC_OK);
	ck_assert(in_file(tap, "1..6"));
	ck_assert_uint_eq(bc_sample_entries(dir), 1);
}
END_TEST

Suite *bc_test_check_run(void)
{
	Suite *s = suite_create("check_run");
	TCase *tc = tcase_create("check_run");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_verdict_fails_or_not, 0, (int)BC_ARRAY_LEN(verdicts));
	tcase_add_test(tc, every_case_has_a_line);
	tcase_add_test(tc, devices_are_judged_together);
	tcase_add_test(tc, checks_own_variables_work);
	tcase_add_test(tc, what_check_leaves_out_is_told);
	tcase_add_test(tc, no_log_no_file);
	tcase_add_test(tc, nothing_to_judge_is_no_failure);
	tcase_add_test(tc, a_log_that_cannot_be_made_is_told);
	tcase_add_test(tc, a_full_disk_is_told);
	tcase_add_test(tc, a_log_may_go_to_standard_output);
	suite_add_tcase(s, tc);
	return s;
}
