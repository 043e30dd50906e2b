/* SPDX-License-Identifier: MIT */
/* harness/app/budget.h - a budget file: what kernels may cost. Text, reviewed as text.
 *
 *	# comment
 *	kernel "GLOB"  ld.conflicts<=0.05  st.conflicts<=0  launches>=1
 *	default        ld.conflicts<=0.5
 *	known "GLOB"   st.conflicts  until=2027-06-30  reason in words
 *
 * A kernel takes the first `kernel` line whose glob matches its name (demangled, with or without parameters, or
 * mangled), else the `default` lines. A bound is FIGURE<=N or FIGURE>=N; figures.h has the figures. A `known` line lets
 * a broken bound pass until the end of its day.
 */
#ifndef BC_APP_BUDGET_H
#define BC_APP_BUDGET_H

#include "harness/app/figures.h"

struct bc_bound {
	enum bc_figure figure;
	bool least; /* >= */
	double value;
};

struct bc_budget_line {
	char *glob;				/* NULL: default; malloc'ed */
	struct bc_bound bound[2 * BC_NFIGURES]; /* each figure from above and from below */
	size_t n;
	unsigned line;
};

struct bc_budget_known {
	char *glob, *reason; /* malloc'ed */
	enum bc_figure figure;
	char until[11]; /* YYYY-MM-DD */
	unsigned line;
};

struct bc_budget {
	char *path;    /* malloc'ed */
	uint64_t hash; /* of the text */
	struct bc_budget_line *lines;
	size_t n;
	struct bc_budget_known *known;
	size_t nknown;
};

/**
 * bc_budget_read - read a budget file
 * @out: zeroed; to be released in any case
 *
 * Return: BC_EREAD, or BC_EDATA with path:line.
 */
enum bc_status bc_budget_read(const char *path, struct bc_budget *out, struct bc_error *err);

/* The same of a text, which is for tests and fuzzing. */
enum bc_status bc_budget_parse(const char *text, const char *path, struct bc_budget *out, struct bc_error *err);

void bc_budget_release(struct bc_budget *b);

/* Does @glob match a kernel's name? @mangled: as the driver has it; @name: demangled. */
bool bc_budget_matches(const char *glob, const char *mangled, const char *name);

/* The first line for a kernel; NULL: none. */
const struct bc_budget_line *bc_budget_find(const struct bc_budget *b, const char *mangled, const char *name);

/* The known line for a broken bound, with its day not over on @today (YYYY-MM-DD); NULL: none. @expired: one whose day
 * is over, or NULL. */
const struct bc_budget_known *bc_budget_excuse(const struct bc_budget *b, const char *mangled, const char *name,
					       enum bc_figure f, const char *today,
					       const struct bc_budget_known **expired);

/* Bits of enum bc_counter that the bounds need. */
uint32_t bc_budget_counters(const struct bc_budget *b);

#endif
