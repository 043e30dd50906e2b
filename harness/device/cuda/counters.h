/* SPDX-License-Identifier: MIT */
/* harness/device/cuda/counters.h - hardware counters through CUPTI's Range Profiler: one range, one or more launches.
 */
#ifndef BC_DEVICE_CUDA_COUNTERS_H
#define BC_DEVICE_CUDA_COUNTERS_H

#include "harness/device/cuda/api.h"
#include "harness/device/device.h"

struct bc_cuda_counters;

/* CUPTI's metric of a counter, "smsp__inst_executed.sum"; NULL: it has none. */
const char *bc_cuda_metric(enum bc_counter c);

/* Make the session's launches, in order, in the current context, each range between push and pop; called once a pass.
 */
typedef enum bc_status bc_launch_all(void *ctx, struct bc_error *err);

/**
 * bc_cuda_counters_open - start CUPTI for a context
 * @api:   of bc_cupti_api_open
 * @index: CUDA's device index
 *
 * Return: BC_EDEVICE naming the call, the code and, where one is known, the cure.
 */
enum bc_status bc_cuda_counters_open(const struct bc_cupti_api *api, CUcontext ctx, unsigned index,
				     struct bc_cuda_counters **out, struct bc_error *err);

/**
 * bc_cuda_counters_session - count @n ranges of launches
 * @want:   bits of enum bc_counter
 * @n:      1..BC_SESSION_RANGES
 * @launch: makes the launches of the n ranges; run once a pass (user replay), so it must be repeatable
 * @counts: [n]; metrics the chip lacks are not marked present
 */
enum bc_status bc_cuda_counters_session(struct bc_cuda_counters *c, uint32_t want, size_t n, bc_launch_all *launch,
					void *ctx, struct bc_counts *counts, struct bc_error *err);

/**
 * bc_cuda_counters_passes - how many passes a set of counters needs
 * @want: bits of enum bc_counter
 * @has:  those of @want that the chip has; 0 passes when it has none
 *
 * No session may be open. Return: BC_EDEVICE naming the call.
 */
enum bc_status bc_cuda_counters_passes(struct bc_cuda_counters *c, uint32_t want, size_t *passes, uint32_t *has,
				       struct bc_error *err);

/**
 * bc_cuda_counters_begin - open a session that whoever launches fills, range by range
 * @want:   bits of enum bc_counter; without @replay a set of one pass
 * @replay: every launch is a range by itself, and runs once a pass with memory restored between; else ranges are
 *          pushed and popped
 *
 * At most BC_SESSION_RANGES ranges. After a failure, here or at the end, none is open.
 */
enum bc_status bc_cuda_counters_begin(struct bc_cuda_counters *c, uint32_t want, bool replay, struct bc_error *err);

/* Close it, and read its ranges, which are all over. @n: how many there are. @counts: [BC_SESSION_RANGES] */
enum bc_status bc_cuda_counters_end(struct bc_cuda_counters *c, size_t *n, struct bc_counts *counts,
				    struct bc_error *err);

/* Let go of the GPU's counters until the next session, which costs 0.2 s. No session may be open. */
enum bc_status bc_cuda_counters_rest(struct bc_cuda_counters *c, struct bc_error *err);
bool bc_cuda_counters_are_enabled(const struct bc_cuda_counters *c);

/* Open a range, called by launch; @index: from 0, in order. Close it. */
enum bc_status bc_cuda_counters_push(struct bc_cuda_counters *c, size_t index, struct bc_error *err);
enum bc_status bc_cuda_counters_pop(struct bc_cuda_counters *c, struct bc_error *err);

void bc_cuda_counters_close(struct bc_cuda_counters *c); /* NULL is allowed */

#endif
