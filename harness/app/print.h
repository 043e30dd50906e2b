/* SPDX-License-Identifier: MIT */
/* harness/app/print.h - the summary as text, JSON, JUnit, and a page. */
#ifndef BC_APP_PRINT_H
#define BC_APP_PRINT_H

#include "harness/app/command.h"
#include "harness/app/summary.h"

/* What a report says beside the table. */
struct bc_app_report {
	const struct bc_app_summary *summary;
	const struct bc_app_config *config;
	const struct bc_app_end *end;
	const struct bc_budget *budget; /* NULL: none */
	const char *command;		/* its words, quoted for a shell */
	const char *today;		/* YYYY-MM-DD */
};

/* @all: every row and check; else the rows that lose most and the checks that are no PASS or SKIP. */
enum bc_status bc_app_print_text(const struct bc_app_report *r, bool all, struct bc_text *out, struct bc_error *err);

/* docs/json.md has the schema bankcheck-app-1. */
enum bc_status bc_app_print_json(const struct bc_app_report *r, struct bc_text *out, struct bc_error *err);

/* A testcase a kernel and bound. */
enum bc_status bc_app_print_junit(const struct bc_app_report *r, struct bc_text *out, struct bc_error *err);

enum bc_status bc_app_print_html(const struct bc_app_report *r, struct bc_text *out, struct bc_error *err);

#endif
