/* SPDX-License-Identifier: MIT */
/* A hundred workers that die: memory and descriptors of their parent stay what they were. */
#include <check.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/tests/program.h"

Suite *bc_test_restarts(void);

#define REPORT "reports/reference-sm_90.xml"

/* Results in the journal. */
static unsigned results(void)
{
	struct bc_text t = bc_program_file(&bc_call, "reports/journal.tsv");
	unsigned n = 0;

	for (const char *at = t.data; (at = strstr(at, "\nobs\t")); at++)
		n++;
	bc_text_release(&t);
	return n;
}

/* So many workers that are killed, with room for so many descriptors: does the run end as it must? */
static bool goes_well(unsigned workers, rlim_t descriptors)
{
	char words[100];

	bc_call.open_limit = descriptors;
	(void)snprintf(words, sizeof(words), "run --device reference --filter meta/dies/kill --repeat %u", workers);
	bc_run_program(words);
	bc_call.open_limit = 0;
	return bc_call.status == 2 && strstr(bc_call.out.data, "the worker ended: signal SIGKILL") &&
	       strstr(bc_call.out.data, "1 case: 1 LOST\n") && !bc_call.err.data[0];
}

/* With not one descriptor more than two workers need, a hundred and ten find room too: none keeps one. */
START_TEST(a_hundred_workers_leave_no_descriptor)
{
	rlim_t least = 4;

	while (least < 64 && !goes_well(2, least))
		least++;
	ck_assert_uint_gt(least, 6); /* the three that it starts with, journal, lock, pipes */
	ck_assert_uint_lt(least, 64);
	ck_assert_msg(goes_well(110, least), "with %lu descriptors: %s%s", (unsigned long)least, bc_call.out.data,
		      bc_call.err.data);
	ck_assert_uint_eq(results(), 110);
}
END_TEST

/* Not under sanitizers: they keep what is freed, and something of every fork. LeakSanitizer looks in its own way. */
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
/* Resident kilobytes of a process; 0 when it is gone. */
static long resident(pid_t pid)
{
	char path[64], line[200];
	long kb = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "VmRSS:", 6) == 0)
			kb = strtol(line + 6, NULL, 10);
	if (f)
		ck_assert_int_eq(fclose(f), 0);
	return kb;
}

START_TEST(a_hundred_workers_leave_no_memory)
{
	const struct timespec tick = { .tv_nsec = 1000000 };
	const pid_t pid = bc_program_launch(&bc_call, "run --device reference --filter meta/dies/kill --repeat 110");
	unsigned samples[2] = { 0 }, n = 0;
	long kb[2] = { LONG_MAX, LONG_MAX }, k = 1;

	while (n < 109 && k) {
		n = results();
		k = resident(pid);
		if (k && n >= 3 &&
		    (n < 50 || n >= 60)) { /* the least of each time: starting a worker takes more for a moment */
			const unsigned when = n >= 60;

			kb[when] = k < kb[when] ? k : kb[when];
			samples[when]++;
		}
		(void)nanosleep(&tick, NULL);
	}
	bc_program_end(&bc_call, pid);
	bc_expect_status(2, NULL);
	bc_expect_output("1 case: 1 LOST\n");
	ck_assert(samples[0] >= 3 && samples[1] >= 3);
	ck_assert_msg(kb[1] <= kb[0] + 512, "%ld kB in the first 50 workers, %ld kB after 60", kb[0], kb[1]);
}
END_TEST
#endif

/* A device whose worker died runs a small kernel before it gets the next case; one that cannot is abandoned. */
START_TEST(a_device_that_does_not_come_back_is_given_up)
{
	const struct timespec tick = { .tv_nsec = 5000000 }, second = { .tv_sec = 1, .tv_nsec = 500000000 };
	bool there = false;
	pid_t pid;

	bc_shell("mkdir k && cp -r '" BC_TEST_KERNELS "/ptx' k/");
	pid = bc_program_launch(&bc_call,
				"run --device reference --kernels k --isolate case --timeout 4 --filter meta/sound/1 "
				"--filter meta/dies/kill --filter meta/hangs/sleep --filter meta/once/exit");
	for (unsigned i = 0; i < 4000 && !there; i++) {
		struct bc_text t = bc_program_file(&bc_call, "reports/journal.tsv");

		there = strstr(t.data, "\nobs\tdev=reference_sm_90\tid=meta/dies/kill") != NULL;
		bc_text_release(&t);
		(void)nanosleep(&tick, NULL);
	}
	(void)nanosleep(&second, NULL);	     /* the next worker is healthy, and its case sleeps for 4 s */
	bc_shell("rm k/ptx/pattern_ld.ptx"); /* so that the worker after it has no kernel to run */
	bc_program_end(&bc_call, pid);
	bc_expect_status(2, NULL);
	bc_expect_output("LOST     reference_sm_90 meta/dies/kill: the worker ended: signal SIGKILL");
	bc_expect_output("LOST     reference_sm_90 meta/once/exit: device abandoned: it did not come back after its "
			 "worker was lost: health check: ");
	bc_expect_output("4 cases: 1 PASS, 3 LOST\n");
}
END_TEST

/* Pid of the worker of the run @pid; 0: it has none now. */
static pid_t worker_of(pid_t pid)
{
	char path[64];
	long child = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%ld", &child) != 1)
		child = 0;
	if (f)
		(void)fclose(f);
	return (pid_t)child;
}

/* Give a worker of the run a signal when so many results are on disk (0: as soon as it is there), @times times,
 * always so many results later. */
static void hurt(pid_t pid, int sig, unsigned at, unsigned times)
{
	const struct timespec tick = { .tv_nsec = 2000000 };
	pid_t last = 0;

	for (unsigned i = 0; i < 10000 && times; i++) {
		const pid_t child = results() >= at ? worker_of(pid) : 0;

		if (child > 0 && child != last) {
			ck_assert_int_eq(kill(child, sig), 0);
			last = child;
			times--;
			at += at;
		}
		(void)nanosleep(&tick, NULL);
	}
	ck_assert_uint_eq(times, 0);
}

static const struct {
	int sig;
	unsigned at, times;
	const char *options, *says;
} injuries[] = {
	{ SIGSEGV, 200, 1, "--strict", "a worker died or hung: the worker ended: signal SIGSEGV; it had in hand: " },
	{ SIGKILL, 200, 3, "--strict", "a worker died or hung: the worker ended: signal SIGKILL; it had in hand: " },
	{ SIGSTOP, 200, 1, "--inactivity 5 --exclude cells", /* under a sanitizer the cells are silent for longer */
	  "a worker died or hung: hung: the worker sent nothing for 5 s; it " },
	{ SIGKILL, 0, 1, "--strict",
	  "a worker died or hung: the worker ended: signal SIGKILL; it had in hand: opening the " },
};

/* A worker dies or hangs, and all its cases pass in the hands of the next: that is a finding, and it is told. */
START_TEST(a_worker_that_was_lost_leaves_a_trace)
{
	char words[200];
	struct bc_text journal;
	xmlDocPtr doc;
	pid_t pid;

	(void)snprintf(words, sizeof(words), "run -q %s --device reference", injuries[_i].options);
	pid = bc_program_launch(&bc_call, words);
	hurt(pid, injuries[_i].sig, injuries[_i].at, injuries[_i].times);
	bc_program_end(&bc_call, pid);
	bc_expect_status(1, NULL);
	bc_expect_output(injuries[_i].says);
	bc_expect_no_output("LOST");
	bc_expect_no_output("BROKEN");
	doc = bc_report(REPORT);
	ck_assert_double_eq(bc_report_number(doc, "count(//testcase/failure) + count(//testcase/error)"), 0);
	ck_assert_double_eq(bc_report_number(doc, "number(substring-before(//property[@name='deaths']/@value, ':'))"),
			    injuries[_i].times);
	xmlFreeDoc(doc);
	journal = bc_program_file(&bc_call, "reports/journal.tsv");
	ck_assert_ptr_nonnull(strstr(journal.data, "\ndeath\tdev=reference_sm_90\treason="));
	bc_text_release(&journal);
	bc_run_program("report reports/journal.tsv --flaky-ok -q"); /* the journal alone tells it too */
	bc_expect_status(0, NULL);
	bc_expect_output(injuries[_i].says);
	bc_run_program("report reports/journal.tsv -q");
	bc_expect_status(1, NULL);
	(void)snprintf(words, sizeof(words), "run --resume -q %s --device reference", injuries[_i].options);
	bc_run_program(words); /* and so does a run that goes on */
	bc_expect_status(1, NULL);
	bc_expect_output(injuries[_i].says);
}
END_TEST

START_TEST(a_calm_run_tells_of_no_death)
{
	xmlDocPtr doc;

	bc_run_program("run --device reference --filter stride/ld_b32/2");
	bc_expect_status(0, NULL);
	bc_expect_no_output("died");
	doc = bc_report(REPORT);
	ck_assert_double_eq(bc_report_number(doc, "count(//property[@name='deaths'][@value='none'])"), 1);
	xmlFreeDoc(doc);
}
END_TEST

Suite *bc_test_restarts(void)
{
	Suite *s = suite_create("restarts");
	TCase *tc = tcase_create("workers");

	tcase_add_checked_fixture(tc, bc_call_setup, bc_call_teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_hundred_workers_leave_no_descriptor);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
	tcase_add_test(tc, a_hundred_workers_leave_no_memory);
#endif
	tcase_add_test(tc, a_device_that_does_not_come_back_is_given_up);
	tcase_add_loop_test(tc, a_worker_that_was_lost_leaves_a_trace, 0, (int)BC_ARRAY_LEN(injuries));
	tcase_add_test(tc, a_calm_run_tells_of_no_death);
	suite_add_tcase(s, tc);
	return s;
}
