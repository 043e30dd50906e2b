/* SPDX-License-Identifier: MIT */
/* harness/device/cuda/counters.h - hardware counters through CUPTI's Range Profiler: one kernel launch, one range. */
#ifndef BC_DEVICE_CUDA_COUNTERS_H
#define BC_DEVICE_CUDA_COUNTERS_H

#include "harness/device/cuda/api.h"
#include "harness/device/device.h"

struct bc_cuda_counters;

/* Most launches of one session: counter data is 27 KB a range for three metrics. */
#define BC_SESSION_RANGES 96

/* Make @n launches, in order, in the current context; called once a pass. */
typedef enum bc_status bc_launch_all(void *ctx, struct bc_error *err);

/**
 * bc_cuda_counters_open - start CUPTI for a context
 * @index: CUDA's device index
 *
 * Return: BC_EDEVICE naming the call, the code and, where one is known, the cure.
 */
enum bc_status bc_cuda_counters_open(CUcontext ctx, unsigned index, struct bc_cuda_counters **out, struct bc_error *err);

/**
 * bc_cuda_counters_session - count @n launches, each alone
 * @want:   bits of enum bc_counter
 * @n:      1..BC_SESSION_RANGES
 * @launch: makes the n launches; run once a pass (user replay), so it must be repeatable
 * @counts: [n]; metrics the chip lacks are not marked present
 */
enum bc_status bc_cuda_counters_session(struct bc_cuda_counters *c, uint32_t want, size_t n, bc_launch_all *launch,
					void *ctx, struct bc_counts *counts, struct bc_error *err);

void bc_cuda_counters_close(struct bc_cuda_counters *c); /* NULL is allowed */

#endif
