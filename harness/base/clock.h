/* SPDX-License-Identifier: MIT */
/* harness/base/clock.h - the clock that waits and durations are measured by. */
#ifndef BC_BASE_CLOCK_H
#define BC_BASE_CLOCK_H

/* Seconds since some moment in the past, never set back (CLOCK_MONOTONIC). Cannot fail. */
double bc_now(void);

#endif
