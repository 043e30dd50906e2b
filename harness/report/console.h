/* SPDX-License-Identifier: MIT */
/* harness/report/console.h - what a person sees: the devices, a progress bar, one line a finding, the summary.
 *
 * A finding's line is `VERDICT device case: message`, on one line whatever the message holds. With verbose every
 * case has a line; with quiet there are the findings' lines and nothing else. Write failures are remembered and told
 * by bc_console_end.
 */
#ifndef BC_REPORT_CONSOLE_H
#define BC_REPORT_CONSOLE_H

#include <stdio.h>

#include "harness/core/results.h"
#include "harness/base/file.h"

struct bc_console_options {
	FILE *out;
	bool verbose, quiet; /* quiet wins */
	bool tty;	     /* a progress bar may be drawn */
	unsigned lines_ms;   /* without a bar: least time between two lines that say how far a device is; 0: none */
	bool color;
	unsigned width;	    /* columns; 0: the terminal is asked each time, 80 when it does not answer */
	unsigned redraw_ms; /* least time between two drawings of the bar */
};

/**
 * bc_console_detect - options for @out: bar on a terminal, else a line a minute, colour on a terminal unless NO_COLOR
 * is set and not empty
 *
 * TERM=dumb, or none, is no terminal. verbose and quiet are false.
 */
struct bc_console_options bc_console_detect(FILE *out);

struct bc_console;

enum bc_status bc_console_open(const struct bc_console_options *o, struct bc_console **out, struct bc_error *err);

/* Say what devices there are. The first line says so when one is the reference device. Uses facts, arch, note, dev. */
void bc_console_begin(struct bc_console *c, const struct bc_run *run);

/* Without a terminal, results that follow one another for more than lines_ms also make a line "<device>: 1200 of 3413
 * cases after 61 s", unless quiet or verbose. */

/* @done of @total cases have an observation; @now is the case at hand, "" for none. Draws the bar, or nothing. */
void bc_console_progress(struct bc_console *c, size_t done, size_t total, const char *now);

/* A result: a line when it is a finding, or with verbose. Without verbose, LOST results in a row with one message
 * (those of an interrupted run) are lines up to the 10th, and other findings of one device, rule (BROKEN: any
 * rule), verdict and cause (cause.h) up to the 3rd; bc_console_end says how many more there are. */
void bc_console_result(struct bc_console *c, const struct bc_device_run *d, const struct bc_result *r);

/**
 * bc_console_end - erase the bar; counts by verdict, wall time, reports, and the line to run each finding again,
 * of 50 findings at most
 * @paths: reports that were written
 *
 * Return: BC_EWRITE when the output did not take everything that was written since bc_console_open.
 */
enum bc_status bc_console_end(struct bc_console *c, const struct bc_run *run, const struct bc_paths *paths,
			      struct bc_error *err);

/* Erase the bar, so that something else may write to the terminal; it comes back with the next progress. */
void bc_console_erase(struct bc_console *c);

void bc_console_close(struct bc_console *c); /* NULL is allowed; does not close the output */

#endif
