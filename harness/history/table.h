/* SPDX-License-Identifier: MIT */
/* harness/history/table.h - aligned columns, strips of verdicts and sparklines. */
#ifndef BC_HISTORY_TABLE_H
#define BC_HISTORY_TABLE_H

#include "harness/core/judge.h"

#define BC_TABLE_COLUMNS 12
#define BC_VERDICT_STRIP_COLUMNS 60

/* Zero-initialise but for utf8. The first failure is kept; what comes after it is dropped. */
struct bc_table {
	bool utf8;	      /* false: what is not ASCII becomes `?` */
	size_t columns;	      /* of the first row */
	struct bc_text *cell; /* by row */
	size_t n;
	enum bc_status st;
	struct bc_error *err;
};

/* The next cell, escaped to one line. */
void bc_table_add(struct bc_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Rows of @columns cells, two blanks between columns, each line indented by @indent. Frees the table. */
enum bc_status bc_table_end(struct bc_table *t, size_t columns, unsigned indent, struct bc_text *out);

/* @s on one line, escaped, in the characters that are allowed. */
enum bc_status bc_printable(struct bc_text *out, const char *s, bool utf8, struct bc_error *err);

/* One letter a verdict: `.` PASS, F, D, B, L, s SKIP, U, x XFAIL, X XPASS. */
char bc_verdict_letter(enum bc_verdict v);

/**
 * bc_verdict_strip - one letter a run, the worst of several where there are more than BC_VERDICT_STRIP_COLUMNS runs
 * @v: [n], in time's order
 */
enum bc_status bc_verdict_strip(struct bc_text *out, const enum bc_verdict *v, size_t n, struct bc_error *err);

/**
 * bc_sparkline - one mark a run, the largest of several where there are more than BC_VERDICT_STRIP_COLUMNS runs
 * @v: [n], in time's order; NaN is a blank
 *
 * The lowest mark is the smallest value; eight heights, in ASCII `_.-~=+*#`.
 */
enum bc_status bc_sparkline(struct bc_text *out, const double *v, size_t n, bool utf8, struct bc_error *err);

#endif
