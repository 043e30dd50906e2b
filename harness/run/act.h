/* SPDX-License-Identifier: MIT */
/* harness/run/act.h - a worker that misbehaves because its case says so: cases of hidden suites, which test the runner. */
#ifndef BC_RUN_ACT_H
#define BC_RUN_ACT_H

#include "harness/core/case.h"
#include "harness/core/observe.h"

/* Does the case act in its @attempt-th run (0-based)? */
bool bc_act_now(const struct bc_case *c, unsigned attempt);

/* Before the batch that holds the case is measured. @out: descriptor of the parent's pipe. May not return. */
void bc_act_before(const struct bc_case *c, unsigned attempt, int out);

/* On what was measured of the case. */
void bc_act_after(const struct bc_case *c, unsigned attempt, struct bc_observation *o);

#endif
