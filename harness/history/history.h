/* SPDX-License-Identifier: MIT */
/* harness/history/history.h - many runs in one SQLite file: what was added, and what can be asked of it.
 *
 * Reports are the record; the history is made of them and can be made anew. A run here is one device of one run:
 * its key is run_id, device and unit. Several processes may use a file at once: one writes, the others wait for it up
 * to BC_HISTORY_WAIT_MS. A process that dies leaves the file as it was before its transaction, which is one report.
 */
#ifndef BC_HISTORY_HISTORY_H
#define BC_HISTORY_HISTORY_H

#include "harness/core/judge.h"
#include "harness/report/reader.h"

#define BC_HISTORY_SCHEMA 3	 /* PRAGMA user_version; docs/history.md */
#define BC_HISTORY_WAIT_MS 30000 /* for another writer */
#define BC_HISTORY_RUNS_MAX 1000000u

struct bc_history;

enum bc_history_mode {
	BC_HISTORY_READ,  /* the file must be there */
	BC_HISTORY_WRITE, /* is made, with its folder (one level) */
};

/**
 * bc_history_open - open a history, and bring an older schema up to date
 *
 * BC_HISTORY_READ works in a folder that cannot be written, if the schema is this one's.
 * Return: BC_EREAD when it is not there or cannot be read; BC_EDATA for a file that is no database, is another
 * program's, is damaged or has a newer schema (it is left as it is); BC_EWRITE when it cannot be made or written.
 */
enum bc_status bc_history_open(const char *path, enum bc_history_mode mode, struct bc_history **out,
			       struct bc_error *err);
void bc_history_close(struct bc_history *h); /* NULL is allowed */

/* What became of the devices of a report. */
struct bc_history_added {
	size_t added;
	size_t known;	 /* run_id, device and unit were there, with no fewer cases: nothing was done */
	size_t replaced; /* they were there with fewer cases (a run that was resumed), or without values (compact) */
	size_t cases;	 /* of those added and replaced */
	size_t verdict_only; /* of these cases: from compact reports, so that they have no values */
};

/**
 * bc_history_add - add all devices of a report, or none: one transaction
 *
 * Return: BC_EDATA with path:line for values or a time that cannot be read; BC_EWRITE.
 */
enum bc_status bc_history_add(struct bc_history *h, const struct bc_read_file *f, struct bc_history_added *out,
			      struct bc_error *err);

/* What a run is known by and what may move its results. */
enum bc_history_fact {
	BC_FACT_TIME = 0, /* YYYY-MM-DDTHH:MM:SS */
	BC_FACT_RUN_ID,
	BC_FACT_DEVICE, /* cuda:0, reference:sm_90 */
	BC_FACT_UNIT,	/* the piece of hardware: its UUID, else host and device; of a reference device its name, with
			 * the host before it when that was named (host_by is not "system") */
	BC_FACT_ARCH,
	BC_FACT_GPU,
	BC_FACT_HOST,
	BC_FACT_DRIVER,
	BC_FACT_CUDA,
	BC_FACT_IMAGE,	  /* hash of the kernel images */
	BC_FACT_EXPECTED, /* hash of the expectations */
	BC_FACT_VERSION,  /* of bankcheck */
	BC_FACT_COMPLETE, /* yes, no: a filtered run */
	BC_FACT_OPTIONS,  /* what the run was asked to do: witness, pack, repeat, fault ... */
	BC_FACT_JUNIT,	  /* full; compact: cases without a finding have no values; "": of an earlier version, full */
	BC_NFACTS
};

extern const char *const bc_history_fact_names[BC_NFACTS];

struct bc_history_run {
	int64_t id;
	char *fact[BC_NFACTS];			   /* "" when not known */
	unsigned cases, passed, findings, skipped; /* findings: not PASS, XFAIL or SKIP; the rest is XFAIL */
};

struct bc_history_runs {
	struct bc_history_run *run; /* by time, then run id, then device */
	size_t n;
};

enum bc_status bc_history_runs(struct bc_history *h, struct bc_history_runs *out, struct bc_error *err);
/* Make GPUs of one model and architecture one unit, for machines that come and go. */
enum bc_status bc_history_pool(struct bc_history_runs *r, struct bc_error *err);
void bc_history_runs_release(struct bc_history_runs *r); /* a zeroed one is allowed */

/* Names of cases, sorted, and which of them are meant. */
struct bc_history_cases {
	struct bc_history_case {
		int64_t id;
		char *name;
		bool chosen;
	} * c;
	size_t n, nchosen;
};

/**
 * bc_history_cases - all cases, those that match @glob chosen (bc_glob_matches; NULL: all)
 *
 * Return: BC_EUSAGE when none matches.
 */
enum bc_status bc_history_cases(struct bc_history *h, const char *glob, struct bc_history_cases *out,
				struct bc_error *err);
void bc_history_cases_release(struct bc_history_cases *c); /* a zeroed one is allowed */

enum bc_history_value {
	BC_VALUE_WAVEFRONTS = 0, /* per request, the most of the attempts */
	BC_VALUE_CONFLICTS,	 /* the same */
	BC_VALUE_CLOCK,		 /* clock=: wavefronts, ratio or slope */
	BC_VALUE_CYCLES,	 /* median of the clock's samples */
	BC_NVALUES
};

extern const char *const bc_history_value_names[BC_NVALUES];

/* One case in one run. */
struct bc_history_point {
	const struct bc_history_run *run;
	const struct bc_history_case *c;
	enum bc_verdict verdict;
	double value[BC_NVALUES]; /* NaN: none */
	bool flaky;		  /* it passed, but not in its first attempt */
	const char *message;	  /* "" for PASS; valid during the call */
	int64_t outcome;	  /* equal for equal verdict, counts, flaky and message of a case */
};

typedef enum bc_status bc_history_fn(void *ctx, const struct bc_history_point *p, struct bc_error *err);

/**
 * bc_history_visit - call @fn for the chosen cases of @n runs, in the order of @run, then in an order of cases that is
 *                    the same in all runs
 *
 * A failure of @fn ends it and is returned.
 */
enum bc_status bc_history_visit(struct bc_history *h, const struct bc_history_run *run, size_t n,
				const struct bc_history_cases *cases, bc_history_fn *fn, void *ctx,
				struct bc_error *err);

/* All properties of the reports of two runs that differ, those that differ in any two runs left out. */
struct bc_history_change {
	char *name, *old, *now; /* "" when one has it not */
};

enum bc_status bc_history_changes(struct bc_history *h, const struct bc_history_run *old,
				  const struct bc_history_run *now, struct bc_history_change **out, size_t *n,
				  struct bc_error *err);
void bc_history_changes_release(struct bc_history_change *c, size_t n);

/**
 * bc_history_prune - remove runs
 * @keep:   0, or how many of the newest runs of each unit stay
 * @before: NULL, or YYYY-MM-DD: runs of earlier days go
 * @gone, @left: runs
 *
 * One transaction; then the file is made smaller, if nobody else uses it.
 */
enum bc_status bc_history_prune(struct bc_history *h, unsigned keep, const char *before, size_t *gone, size_t *left,
				struct bc_error *err);

#endif
