/* SPDX-License-Identifier: MIT */
/* harness/run/misbehave.h - a worker that misbehaves because its case says so: cases of hidden suites, which test the
 * runner. */
#ifndef BC_RUN_MISBEHAVE_H
#define BC_RUN_MISBEHAVE_H

#include "harness/core/case.h"
#include "harness/core/observe.h"

/* Does the case misbehave in its @attempt-th run (0-based)? */
bool bc_misbehave_now(const struct bc_case *c, unsigned attempt);

/* Before the batch that holds the case is measured. @out: descriptor of the parent's pipe. May not return. */
void bc_misbehave_before(const struct bc_case *c, unsigned attempt, int out);

/* On what was measured of the case. */
void bc_misbehave_after(const struct bc_case *c, unsigned attempt, struct bc_observation *o);

#endif
