/* SPDX-License-Identifier: MIT */
/* harness/app/library/counting.h - the counters of one CUDA context, while somebody else launches.
 *
 * Sets of counters that fit in one pass take turns, in turns that get longer, for a change costs 0.2 s. A session is
 * opened by canaries, filled with the program's launches, each a range, and closed by canaries; when these are wrong
 * nothing of it counts. With replay all counters are in one set, and every launch is a range by itself.
 *
 * All calls are made with the context current and while no other thread launches.
 */
#ifndef BC_APP_LIBRARY_COUNTING_H
#define BC_APP_LIBRARY_COUNTING_H

#include "harness/app/config.h"
#include "harness/app/tally.h"
#include "harness/device/cuda/api.h"

struct bc_app_counting;

struct bc_app_counting_to {
	const struct bc_cuda_api *cu;
	const struct bc_cupti_api *cupti;
	const struct bc_app_config *config;
	struct bc_app_tally *tally;
	struct bc_app_record *record;
};

/**
 * bc_app_counting_open - ask what the chip can count, and in which sets
 * @device: CUDA's index
 *
 * Return: BC_EDEVICE with the reason why nothing can be counted.
 */
enum bc_status bc_app_counting_open(const struct bc_app_counting_to *to, CUcontext ctx, unsigned device,
				    struct bc_app_counting **out, struct bc_error *err);

/**
 * bc_app_counting_begin - before a launch: open a range for it
 * @measured: false: it is not of the sample, and no range was opened
 *
 * After a failure nothing can be counted in this context any more.
 */
enum bc_status bc_app_counting_begin(struct bc_app_counting *c, size_t kernel, bool *measured, struct bc_error *err);

/* After it has ended, or was refused: close the range. */
enum bc_status bc_app_counting_end(struct bc_app_counting *c, size_t kernel, bool refused, struct bc_error *err);

/**
 * bc_app_counting_begin_graph - with replay: open a session for one launch of a graph
 *
 * ..._end_graph: after it has ended: close it. @kernel: [n] in the tally, of its kernels in the order in which they
 * run. Return: BC_EDATA when another number of kernels ran: their counts are lost, nothing else is.
 */
enum bc_status bc_app_counting_begin_graph(struct bc_app_counting *c, struct bc_error *err);
enum bc_status bc_app_counting_end_graph(struct bc_app_counting *c, const size_t *kernel, size_t n,
					 struct bc_error *err);

/* A launch passes that is not to be measured: with replay, the session must not see it. */
enum bc_status bc_app_counting_pass(struct bc_app_counting *c, struct bc_error *err);

/* Close the session, if one is open, and take in its counts. */
enum bc_status bc_app_counting_flush(struct bc_app_counting *c, struct bc_error *err);

/* Flush, and let go of the GPU's counters. */
enum bc_status bc_app_counting_rest(struct bc_app_counting *c, struct bc_error *err);
bool bc_app_counting_is_enabled(const struct bc_app_counting *c);

/* Seconds that opening sessions has taken so far: a change of counters costs 0.2 s. */
double bc_app_counting_opening(const struct bc_app_counting *c);

/* @lost: the context is gone or must not be touched: only memory of the host is freed. NULL is allowed. */
void bc_app_counting_close(struct bc_app_counting *c, bool lost);

#endif
