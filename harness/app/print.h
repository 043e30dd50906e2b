/* SPDX-License-Identifier: MIT */
/* harness/app/print.h - the summary as text, JSON, JUnit, and a page. */
#ifndef BC_APP_PRINT_H
#define BC_APP_PRINT_H

#include "harness/app/command.h"
#include "harness/app/summary.h"
#include "harness/run/run_options.h"

/* What a report says beside the table. */
struct bc_app_report {
	const struct bc_app_summary *summary;
	const struct bc_app_config *config;
	const struct bc_app_end *end;
	const struct bc_budget *budget;	      /* NULL: none */
	const char *command;		      /* its words, quoted for a shell */
	const char *today;		      /* YYYY-MM-DD */
	const struct bc_run_options *options; /* host, labels and name of the run; NULL: none */
	bool complete;			      /* nothing that ran is missing from the counts */
};

/* @all: every row and check; else the rows that lose most and the checks that are no PASS or SKIP. */
enum bc_status bc_app_print_text(const struct bc_app_report *r, bool all, struct bc_text *out, struct bc_error *err);

/* docs/json.md has the schema bankcheck-app-1. */
enum bc_status bc_app_print_json(const struct bc_app_report *r, struct bc_text *out, struct bc_error *err);

/**
 * bc_app_print_junit - the ordinary report (report/junit.h): what run writes and diff, history, html and fleet read
 *
 * A device a model of GPU, suite `app`; case `app/<kernel>/<figure>` a kernel and bound, judged, and one a kernel and
 * figure that no budget bounds: SKIP, with its counts. <kernel> is the short name in letters, digits and `_`, and six
 * digits of a hash of the whole name where it is not a plain C name. `_least` marks a bound from below. A bound that
 * could not be judged is UNJUDGED.
 */
enum bc_status bc_app_print_junit(const struct bc_app_report *r, struct bc_text *out, struct bc_error *err);

enum bc_status bc_app_print_html(const struct bc_app_report *r, struct bc_text *out, struct bc_error *err);

#endif
