/* SPDX-License-Identifier: MIT */
/* A hundred workers that die: memory and descriptors of their parent stay what they were. */
#include <check.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/tests/program.h"

Suite *bc_test_restarts(void);

/* Open descriptors of a process; 0 when it is gone. */
static unsigned open_files(pid_t pid)
{
	char path[64];
	unsigned n = 0;
	DIR *d;

	(void)snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
	d = opendir(path);
	while (d && readdir(d))
		n++;
	if (d)
		ck_assert_int_eq(closedir(d), 0);
	return n;
}

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

START_TEST(nothing_is_left_of_a_hundred_workers)
{
	const struct timespec tick = { .tv_nsec = 1000000 };
	const pid_t pid = bc_program_launch(&bc_call, "run --device reference --filter meta/dies/kill --repeat 110");
	unsigned files[2] = { UINT_MAX, UINT_MAX }, samples[2] = { 0 }, n = 0;
	long kb[2] = { LONG_MAX, LONG_MAX };

	while (n < 109 && open_files(pid)) {
		n = results();
		const unsigned when = n >= 60;

		if (n >= 3 && (n < 50 || when)) {
			const unsigned f = open_files(pid);
			const long k = resident(pid);

			/* The least of each time: a worker that is being started holds more for a moment, a leak always. */
			if (f && k) {
				files[when] = f < files[when] ? f : files[when];
				kb[when] = k < kb[when] ? k : kb[when];
				samples[when]++;
			}
		}
		(void)nanosleep(&tick, NULL);
	}
	bc_program_end(&bc_call, pid);
	bc_ended(2, NULL);
	bc_said("1 case: 1 LOST\n");
	ck_assert(samples[0] >= 3 && samples[1] >= 3);
	ck_assert_uint_gt(files[0], 5);
	ck_assert_msg(files[1] <= files[0], "%u open files in the first 50 workers, %u after 60", files[0], files[1]);
	ck_assert_msg(kb[1] <= kb[0] + 512, "%ld kB in the first 50 workers, %ld kB after 60", kb[0], kb[1]);
}
END_TEST

/* A device whose worker died runs a small kernel before it gets the next case; one that cannot is given up. */
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
	bc_ended(2, NULL);
	bc_said("LOST     reference_sm_90 meta/dies/kill: the worker ended: signal SIGKILL");
	bc_said("LOST     reference_sm_90 meta/once/exit: device given up: it did not come back after its worker was lost: health check: ");
	bc_said("4 cases: 1 PASS, 3 LOST\n");
}
END_TEST

Suite *bc_test_restarts(void)
{
	Suite *s = suite_create("restarts");
	TCase *tc = tcase_create("workers");

	tcase_add_checked_fixture(tc, bc_call_setup, bc_call_teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, nothing_is_left_of_a_hundred_workers);
	tcase_add_test(tc, a_device_that_does_not_come_back_is_given_up);
	suite_add_tcase(s, tc);
	return s;
}
