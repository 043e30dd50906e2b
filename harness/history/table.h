/* SPDX-License-Identifier: MIT */
/* harness/history/table.h - aligned columns, strips of verdicts and sparklines. */
#ifndef BC_HISTORY_TABLE_H
#define BC_HISTORY_TABLE_H

#include "harness/base/terminal.h"
#include "harness/core/judge.h"

#define BC_TABLE_COLUMNS 12
#define BC_VERDICT_STRIP_COLUMNS 60

/* A table being filled. */
struct bc_table {
	struct bc_out *out;   /* where it will stand; its failure is the table's */
	bool utf8;	      /* false: what is not ASCII becomes `?` */
	struct bc_text cells; /* by row, each ended by NUL; to be zero-initialised, as is n */
	size_t n;
};

/* The next cell, escaped to one line. */
void bc_table_add(struct bc_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Put the rows of @columns (at most BC_TABLE_COLUMNS) cells, two blanks between columns, each line indented by @indent.
 * Frees the table, also after a failure. */
void bc_table_end(struct bc_table *t, size_t columns, unsigned indent);

/**
 * bc_put_verdict_strip - a point for each run that passed, the verdict's letter for others
 * @v: [n], in time's order; the worst of several where there are more than BC_VERDICT_STRIP_COLUMNS runs
 */
void bc_put_verdict_strip(struct bc_out *o, const enum bc_verdict *v, size_t n);

/**
 * bc_put_sparkline - one mark a run, the largest of several where there are more than BC_VERDICT_STRIP_COLUMNS runs
 * @v: [n], in time's order; NaN is a blank
 *
 * The lowest mark is the smallest value; eight heights, in ASCII `_.-~=+*#`.
 */
void bc_put_sparkline(struct bc_out *o, const double *v, size_t n, bool utf8);

#endif
