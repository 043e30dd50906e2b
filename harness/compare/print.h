/* SPDX-License-Identifier: MIT */
/* harness/compare/print.h - a comparison as text, Markdown, JSON or JUnit. A format is a row of print.c and a file. */
#ifndef BC_COMPARE_PRINT_H
#define BC_COMPARE_PRINT_H

#include "harness/compare/compare.h"

#define BC_DIFF_MARKDOWN_ROWS 300 /* changes in a table of Markdown, which says how many are left out */

struct bc_diff_show {
	const struct bc_diff *d;
	const struct bc_side *old, *now;
	bool strict; /* UNDECIDED is a failure */
};

/* Append the comparison to @out. Return: BC_ENOMEM, BC_EWRITE when a library cannot write it. */
typedef enum bc_status bc_diff_printer(const struct bc_diff_show *s, struct bc_text *out, struct bc_error *err);

bc_diff_printer bc_diff_text, bc_diff_markdown, bc_diff_json, bc_diff_junit;

/* Return: what prints --format @name (NULL: text), NULL when there is no such format. */
bc_diff_printer *bc_diff_printer_find(const char *name);

#endif
