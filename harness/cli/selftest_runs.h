/* SPDX-License-Identifier: MIT */
/* harness/cli/selftest_runs.h - the runs of a selftest: each fault by counters, and by the clock alone.
 *
 * A run is a session on a faulty reference device. The runs are dealt out to as many processes as there are CPUs; what
 * came out of each lies in memory they share.
 */
#ifndef BC_CLI_SELFTEST_RUNS_H
#define BC_CLI_SELFTEST_RUNS_H

#include <stdatomic.h>

#include "harness/cli/options.h"
#include "harness/cli/selftest_rules.h"

#define BC_SELFTEST_SUITES_MAX 64

/* How a fault is looked for. */
enum bc_selftest_way {
	BC_SELFTEST_COUNTERS, /* all cases, by data and counters */
	/* Counters not asked for, the reference clock: the cases that have a clock, of the suites that must catch the
	 * fault and of `clock`; all of those suites where a capacity is wrong. */
	BC_SELFTEST_CLOCK,
	BC_SELFTEST_WAYS
};

/* Cases of one suite in one run. */
struct bc_selftest_cell {
	uint32_t possible; /* the architecture meets their needs */
	uint32_t judged;   /* not SKIP */
	uint32_t caught;   /* with the verdict that the fault's kind calls for */
	uint32_t voided;   /* law faults: they moved a canary as well, so the case is BROKEN */
	uint32_t broken;   /* data faults: the kernel went astray with the wrong data and was stopped */
	uint32_t wrong;	   /* with another finding */
};

struct bc_selftest_run {
	bool wanted, done;
	int signal;	       /* that ended it, 0: none */
	enum bc_status status; /* of the session */
	size_t cases;
	char why[400]; /* the session's error, or the first case with a wrong finding */
	struct bc_selftest_cell cell[BC_SELFTEST_SUITES_MAX];
	uint8_t rule[BC_RULES_MAX]; /* bits of enum bc_rule_mark */
};

/* An architecture with one fault or none. */
struct bc_selftest_job {
	const struct bc_fault *fault; /* NULL: the fault-free device */
	const struct bc_arch *arch;
	struct bc_selftest_run by[BC_SELFTEST_WAYS];
};

struct bc_selftest_pool {
	atomic_size_t next, finished; /* of 2 * n runs */
	size_t n;
	struct bc_selftest_job job[];
};

/* Must the way find the fault at all? By counters not what only takes other times, by the clock not what no_clock says.
 * NULL (no fault): both ways are run. */
bool bc_selftest_can_show(const struct bc_fault *f, enum bc_selftest_way way);

/**
 * bc_selftest_jobs - a job for the fault-free device and one for each fault the architecture can have, architecture by
 * architecture
 * @only: this fault alone; NULL: all
 * @quick: of the faults those of the quick part, by counters
 * @job:  filled; may be NULL
 *
 * Return: how many.
 */
size_t bc_selftest_jobs(const struct bc_arch *archs, size_t narchs, const struct bc_fault *only, bool quick,
			struct bc_selftest_job *job);

/**
 * bc_selftest_run_all - every run of the pool, in processes
 * @p: in memory that is shared with child processes
 *
 * Return: BC_EDEVICE when a process could not be started or ended badly, or the first session's failure.
 */
enum bc_status bc_selftest_run_all(const struct bc_cli *c, const struct bc_catalog *cat, struct bc_selftest_pool *p,
				   struct bc_error *err);

/* The signal that ended the runs, 0: none. */
int bc_selftest_signal(const struct bc_selftest_pool *p);

#endif
