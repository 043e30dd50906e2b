/* SPDX-License-Identifier: MIT */
/* harness/run/attempts.h - cases that run more than once: all of them (repeat), or those that went wrong (retry). */
#ifndef BC_RUN_ATTEMPTS_H
#define BC_RUN_ATTEMPTS_H

#include "harness/core/results.h"

struct bc_attempts_options {
	unsigned repeat;     /* times every case runs; 0, 1: once */
	unsigned retries;    /* further attempts at a FAIL by counters or clock, or a DISAGREE */
	unsigned retry_lost; /* further attempts at a LOST */
};

/* What the last attempt, or the worst, came to. */
struct bc_best_attempt {
	struct bc_observation obs;
	struct bc_judgement judged;
};

/* Does any case run more than once? */
bool bc_attempts_any(const struct bc_attempts_options *o);

/**
 * bc_attempts_add - a judged attempt at a case
 * @best:  the case's own, zeroed before its first attempt
 * @ended: the run or its device ended: this was no attempt, and there is no other
 * @again: whether the case is to run again
 *
 * Afterwards the result is what stands if nothing more comes: the worst attempt (repeat) or the last (retry). A PASS
 * after an attempt that was none is flaky. Return: BC_ENOMEM.
 */
enum bc_status bc_attempts_add(const struct bc_attempts_options *o, struct bc_best_attempt *best, struct bc_result *r,
			       bool ended, bool *again, struct bc_error *err);

#endif
