/* SPDX-License-Identifier: MIT */
/* harness/run/probe.h - what GPUs this host has, asked through a worker: the parent never touches a driver. */
#ifndef BC_RUN_PROBE_H
#define BC_RUN_PROBE_H

#include "harness/core/facts.h"
#include "harness/run/proc.h"
#include "harness/run/run_options.h"

/**
 * bc_probe_list - the GPUs of this host
 * @gpus: [*n] malloc'ed, the caller frees it
 * @why:  [size] why there is none, "" when there are some
 *
 * Return: BC_EDEVICE when the worker ends, or sends nothing for the inactivity limit.
 */
enum bc_status bc_probe_list(const struct bc_run_options *o, struct bc_facts **gpus, size_t *n, char *why, size_t size,
			     struct bc_error *err);

/* The same; on success the worker keeps running in @worker and can open the first device without another start. */
enum bc_status bc_probe_list_and_keep(const struct bc_run_options *o, struct bc_proc *worker, struct bc_facts **gpus,
				      size_t *n, char *why, size_t size, struct bc_error *err);

/* Open each GPU once in a worker of its own, so that its facts say whether counters can be read. A GPU that cannot be
 * opened has the reason in counters_absent. */
enum bc_status bc_probe_open(const struct bc_run_options *o, struct bc_facts *gpus, size_t n, struct bc_error *err);

#endif
