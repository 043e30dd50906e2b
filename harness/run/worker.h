/* SPDX-License-Identifier: MIT */
/* harness/run/worker.h - the process that touches a device: takes case ids from a pipe, sends observations back.
 *
 * From the parent: `list`, `open` (facts of the device, health=1: run a small kernel, counters_off=WHY: leave the
 * profiler's library alone), `case id=...` (and `attempt=N` when it ran N times before) any number of times, `measure`.
 * To the parent: `device` (facts) any number of times and `listed why=...`; `opened` (facts, images_hash,
 * state=); `profiler in=1` before the profiler's library is called, `profiler in=0` after, until a session ended well;
 * for a measure: `alive`, `obs` (one per case), `done` (state= of the GPU, where that is known, events= it reported
 * since); `failed why=...` (events=) when the device is not usable: the process ends. lost=1: because the device's
 * context died (a sticky CUDA error), which is the case's doing or the device's, not the tool's.
 */
#ifndef BC_RUN_WORKER_H
#define BC_RUN_WORKER_H

#include "harness/core/case.h"
#include "harness/run/run_options.h"

/* Serve until the parent closes its end or the device fails. Return: exit status of the process. */
int bc_worker_main(const struct bc_run_options *o, const struct bc_catalog *cat, int in, int out);

#endif
