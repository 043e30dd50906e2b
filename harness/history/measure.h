/* SPDX-License-Identifier: MIT */
/* harness/history/measure.h - the numbers of a case that the history keeps. */
#ifndef BC_HISTORY_MEASURE_H
#define BC_HISTORY_MEASURE_H

#include "harness/history/history.h"

/**
 * bc_history_measure - read counters=, clock= and clock_samples= of a case
 * @path:  for messages
 * @value: [BC_NVALUES], NaN for what is not there or void
 *
 * Return: BC_EDATA with path:line for a value that cannot be read.
 */
enum bc_status bc_history_measure(const struct bc_read_case *c, const char *path, double value[BC_NVALUES],
				  struct bc_error *err);

#endif
