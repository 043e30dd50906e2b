/* SPDX-License-Identifier: MIT */
/* harness/app/summary.h - the records of all processes as one table, judged against a budget. Pure. */
#ifndef BC_APP_SUMMARY_H
#define BC_APP_SUMMARY_H

#include "harness/app/budget.h"

/* Launches of one kernel with one grid, block and size of shared memory on one model of GPU, of all processes. */
struct bc_app_row {
	struct bc_app_kernel k; /* its name is owned by the summary's name */
	size_t name;		/* index */
	const char *gpu;	/* "NVIDIA H200" */
};

/* A kernel by its name. */
struct bc_app_name {
	char *mangled, *full, *brief; /* as the driver has it; demangled; short; malloc'ed */
	uint64_t launches;
	double lost; /* wavefronts beyond the ideal, of all launches */
};

enum bc_app_verdict {
	BC_APP_PASS = 0,
	BC_APP_FAIL,
	BC_APP_XFAIL, /* broken, and known until a day */
	BC_APP_SKIP,  /* the kernel makes no such request */
	BC_APP_ERROR, /* could not be judged: never ran, or no launch was counted for it */
	BC_NAPP_VERDICTS
};
const char *bc_app_verdict_name(enum bc_app_verdict v); /* "PASS" */

/* One bound of the budget and one kernel that it is for. */
struct bc_app_check {
	const struct bc_budget_line *line;
	const struct bc_bound *bound;
	size_t name;		      /* index; SIZE_MAX: no kernel of that name ran */
	const struct bc_app_row *row; /* that decided; NULL: none */
	double value;
	uint64_t launches; /* that the value rests on */
	enum bc_app_verdict verdict;
	char message[400];
};

struct bc_app_summary {
	struct bc_app_record *record; /* [nrecords] as read; owned */
	size_t nrecords;
	struct bc_app_row *row; /* most lost wavefronts first */
	size_t nrows;
	struct bc_app_name *name; /* the same order */
	size_t nnames;
	struct bc_app_check *check; /* by line of the budget, then by name */
	size_t nchecks;
	size_t count[BC_NAPP_VERDICTS];
	uint64_t launches, measured, extra_us, start_us, sessions, voids;
	size_t incomplete; /* processes of which counts are missing: killed, cut short, or void sessions */
	double lost;
};

/**
 * bc_app_summary_make - put the records together
 * @records: [n] taken over, also after a failure
 * @out: zeroed; to be released in any case
 */
enum bc_status bc_app_summary_make(struct bc_app_record *records, size_t n, struct bc_app_summary *out,
				   struct bc_error *err);

/**
 * bc_app_summary_judge - judge all kernels
 * @today: YYYY-MM-DD
 *
 * A bound is judged by the worst grid and block of its kernel. A kernel line that no kernel matches is an error.
 */
enum bc_status bc_app_summary_judge(struct bc_app_summary *s, const struct bc_budget *b, const char *today,
				    struct bc_error *err);

/* Was a counter read in any launch? */
bool bc_app_summary_counted(const struct bc_app_summary *s);

/* A budget that this run keeps: each figure as it was, more by @slack percent and a hundredth. */
enum bc_status bc_app_summary_budget(const struct bc_app_summary *s, unsigned slack, struct bc_text *out,
				     struct bc_error *err);

void bc_app_summary_release(struct bc_app_summary *s);

#endif
