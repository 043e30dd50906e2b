/* SPDX-License-Identifier: MIT */
/* harness/history/measure.h - the numbers of a case that the history keeps. */
#ifndef BC_HISTORY_MEASURE_H
#define BC_HISTORY_MEASURE_H

#include "harness/history/history.h"

/* Read counters=, clock= and clock_samples= of a case that the reader of reports took.
 * @value: [BC_NVALUES], NaN for what is not there or void */
void bc_history_measure(const struct bc_read_case *c, double value[BC_NVALUES]);

#endif
