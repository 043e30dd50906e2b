/* SPDX-License-Identifier: MIT */
/* harness/fleet/sheet.h - a small table that can be shown as text, JSON, HTML and JUnit. */
#ifndef BC_FLEET_SHEET_H
#define BC_FLEET_SHEET_H

#include "harness/base/out.h"

/* A row. What is heavier than nothing is a testcase of JUnit: a failure (1) or an error (2). */
struct bc_sheet_row {
	char **cell;	 /* [ncolumns] */
	unsigned weight; /* 0: nothing wrong; 1: a finding; 2: something is missing, or not as it should be */
	char *suite;	 /* JUnit: the kind */
	char *name;	 /* JUnit: node, GPU or case */
	char *type;	 /* JUnit and JSON: MISSING, FAIL, clock ... */
	char *message;
};

struct bc_sheet {
	const char *command; /* "check" */
	char *night;
	char **column; /* heads */
	size_t ncolumns;
	struct bc_sheet_row *row;
	size_t nrows;
	char **note; /* lines below */
	size_t nnotes;
	unsigned weight; /* the heaviest of rows and notes: 0, 1, 2 */
};

enum bc_sheet_format { BC_SHEET_TEXT = 0, BC_SHEET_JSON, BC_SHEET_HTML, BC_SHEET_JUNIT };

/* Return: false for another word than text, json, html, junit; NULL is text. */
bool bc_sheet_format_parse(const char *word, enum bc_sheet_format *out);

/* Strings are copied. All of these keep the first failure, BC_ENOMEM. */
enum bc_status bc_sheet_column(struct bc_sheet *s, const char *head, struct bc_error *err);
enum bc_status bc_sheet_row(struct bc_sheet *s, unsigned weight, const char *suite, const char *name, const char *type,
			    const char *message, struct bc_error *err); /* a new row, all cells "" */
enum bc_status bc_sheet_cell(struct bc_sheet *s, size_t column, const char *text,
			     struct bc_error *err); /* of the last */
enum bc_status bc_sheet_note(struct bc_sheet *s, unsigned weight, struct bc_error *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void bc_sheet_release(struct bc_sheet *s); /* a zeroed one is allowed */

enum bc_status bc_sheet_write(const struct bc_sheet *s, enum bc_sheet_format f, bool utf8, struct bc_text *out,
			      struct bc_error *err);

#endif
