/* SPDX-License-Identifier: MIT */
/* harness/history/print.h - what `bankcheck history` answers, as text. Everything from a report is escaped. */
#ifndef BC_HISTORY_PRINT_H
#define BC_HISTORY_PRINT_H

#include <stdio.h>

#include "harness/history/history.h"

/* One line a run. */
enum bc_status bc_history_list(struct bc_history *h, bool utf8, struct bc_text *out, struct bc_error *err);

/**
 * bc_history_trend - the matching cases over time, unit by unit: a row a group, a strip of verdicts, sparklines
 * @by:   "driver", "cuda" or "date"
 * @pool: GPUs of one model are one unit
 *
 * One case: its values; several: how many of them are findings. BC_EUSAGE when none matches, or for another @by.
 */
enum bc_status bc_history_trend(struct bc_history *h, const char *glob, const char *by, bool pool, bool utf8,
				struct bc_text *out, struct bc_error *err);

/* Cases whose verdict is not the same in all runs of a unit with one driver, CUDA, kernel image, set of expectations
 * and bankcheck; and those that passed only when tried again. */
enum bc_status bc_history_flaky(struct bc_history *h, bool utf8, struct bc_text *out, struct bc_error *err);

/**
 * bc_history_first_bad - for each unit: the first bad run after the last good one, and what differs between the two
 *
 * Good is PASS; SKIP is passed over; all else is bad. BC_EUSAGE when there is no such case.
 */
enum bc_status bc_history_first_bad(struct bc_history *h, const char *name, bool pool, bool utf8, struct bc_text *out,
				    struct bc_error *err);

/**
 * bc_history_export - a row a result: CSV (RFC 4180, with a head) or JSON lines
 * @glob: NULL: all cases
 */
enum bc_status bc_history_export(struct bc_history *h, const char *glob, bool jsonl, FILE *out, struct bc_error *err);

#endif
