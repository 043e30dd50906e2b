/* SPDX-License-Identifier: MIT */
/* harness/run/remote.h - a device in a worker process, asked for what patterns count and how long they take.
 *
 * The device may take its process down: it is started again once for each question, and what happened is kept.
 */
#ifndef BC_RUN_REMOTE_H
#define BC_RUN_REMOTE_H

#include "harness/core/observe.h"
#include "harness/measure/patterns.h"
#include "harness/run/run_options.h"

struct bc_remote;

/**
 * bc_remote_open - open a device in a worker
 * @o:      options of the worker; they outlive the remote
 * @device: as listed
 *
 * Return: BC_EDEVICE when the device cannot be opened.
 */
enum bc_status bc_remote_open(const struct bc_run_options *o, const struct bc_facts *device, struct bc_remote **out,
			      struct bc_error *err);

/* Of the opened device: whether there are counters and a clock is known. */
const struct bc_facts *bc_remote_facts(const struct bc_remote *r);

/* Workers that died or hung, and why the last did; 0: none. */
unsigned bc_remote_deaths(const struct bc_remote *r, const char **why);

/* As bc_patterns_count, bc_patterns_time and bc_patterns_window; any @n. */
enum bc_status bc_remote_count(struct bc_remote *r, const struct bc_pattern *p, size_t n, struct bc_pattern_count *out,
			       char *absent, size_t size, struct bc_error *err);
enum bc_status bc_remote_time(struct bc_remote *r, const struct bc_pattern *p, size_t n, struct bc_pattern_time *out,
			      char *absent, size_t size, struct bc_error *err);
enum bc_status bc_remote_window(struct bc_remote *r, struct bc_window *out, struct bc_error *err);

/* One case of the catalogue, measured as a run measures it. */
enum bc_status bc_remote_case(struct bc_remote *r, const char *id, struct bc_observation *out, struct bc_error *err);

void bc_remote_close(struct bc_remote *r); /* NULL is allowed */

#endif
