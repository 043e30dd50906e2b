/* SPDX-License-Identifier: MIT */
/* harness/app/library/canaries.h - launches of our own that prove the counters of a session in somebody else's context.
 *
 * The same as measure/ makes for a run (canary.h): of each class of operation a launch with 32-way conflicts and a
 * clean one, less a launch that does nothing else. Where they do not read what they must, the session's counts are
 * void.
 */
#ifndef BC_APP_LIBRARY_CANARIES_H
#define BC_APP_LIBRARY_CANARIES_H

#include "harness/device/cuda/api.h"
#include "harness/device/device.h"

struct bc_app_canaries;

/* What is launched: at the beginning of a session all, at the end the last two thirds. */
#define BC_APP_CANARIES_MAX 18

/**
 * bc_app_canaries_open - make ready the canaries of a set of counters in the current context
 * @kernels: folder of the images
 * @want:    bits of enum bc_counter; classes without a canary (gmma, arbitration) have none
 *
 * Return: BC_EREAD, BC_EDEVICE, BC_ENOMEM.
 */
enum bc_status bc_app_canaries_open(const struct bc_cuda_api *cu, const char *kernels, uint32_t want,
				    struct bc_app_canaries **out, struct bc_error *err);

/* Launches at the beginning and at the end of a session. */
size_t bc_app_canaries_first(const struct bc_app_canaries *c);
size_t bc_app_canaries_last(const struct bc_app_canaries *c);

/* Launch the @i-th of the beginning, or of the end, on a stream of its own. */
enum bc_status bc_app_canaries_launch(struct bc_app_canaries *c, size_t i, bool end, struct bc_error *err);

/* Do they read what they must? @first, @last: [..._first], [..._last]. @why: of the first that does not. */
bool bc_app_canaries_match(const struct bc_app_canaries *c, const struct bc_counts *first, const struct bc_counts *last,
			   char *why, size_t size);

void bc_app_canaries_close(struct bc_app_canaries *c); /* NULL is allowed */

#endif
