/* SPDX-License-Identifier: MIT */
/* harness/bench/overhead.c - what the parent of the workers costs a case: plan, dispatch, judge, journal and report.
 *
 * Processor time of this process only, which does what `bankcheck run` does but for Check and the console. The bound is
 * 50 microseconds a case.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "harness/report/junit.h"
#include "harness/run/session.h"

#define REPORTS BC_TEST_TMP
#define JOURNAL REPORTS "/bench-journal.tsv"
#define BOUND_US 50.0

/* Seconds of processor time of this process, its children's left out. */
static double cpu(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		return 0;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

int main(void)
{
	const struct bc_run_options o = { .self = BC_TEST_BINARY,
					  .devices = "reference",
					  .expected_dir = BC_TEST_EXPECTED,
					  .kernels_dir = BC_TEST_KERNELS,
					  .reports_dir = REPORTS,
					  .timeout_s = 60,
					  .inactivity_s = 120,
					  .journal = JOURNAL };
	struct bc_catalog cat = { 0 };
	struct bc_session *s = NULL;
	struct bc_error err = { .msg = "" };
	struct bc_text xml = { 0 };
	double start, opened, run, done;
	size_t n = 0;
	enum bc_status st = bc_catalog_build(bc_suites, &cat, &err);

	start = cpu();
	if (!st)
		st = bc_session_open(&o, &cat, &s, &err);
	opened = cpu();
	if (!st)
		st = bc_session_run(s, NULL, &err);
	run = cpu();
	if (!st) {
		n = bc_session_result(s)->devices[0].nresults;
		st = bc_junit_format(bc_session_result(s), BC_JUNIT_FULL, "reference-sm_90.xml", &xml, &err);
	}
	done = cpu();
	if (st || !n) {
		(void)fprintf(stderr, "bench: %s\n", err.msg);
	} else {
		(void)printf("%zu cases; parent's processor time: open %.1f ms, run %.1f ms, report %.1f ms\n", n,
			     (opened - start) * 1e3, (run - opened) * 1e3, (done - run) * 1e3);
		(void)printf("a case                 %.1f us (bound: %.0f us), the opening left out\n",
			     (done - opened) * 1e6 / (double)n, BOUND_US);
		st = (done - opened) * 1e6 / (double)n > BOUND_US ? BC_EDATA : BC_OK;
	}
	bc_session_close(s);
	bc_catalog_release(&cat);
	bc_text_release(&xml);
	return st ? 1 : 0;
}
