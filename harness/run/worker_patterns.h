/* SPDX-License-Identifier: MIT */
/* harness/run/worker_patterns.h - the worker's side of pattern_message.h. */
#ifndef BC_RUN_WORKER_PATTERNS_H
#define BC_RUN_WORKER_PATTERNS_H

#include "harness/run/pattern_message.h"

/* Patterns that were sent and are not measured yet. Zero-initialise; ops, dev and arch are set when the device is open.
 */
struct bc_worker_patterns {
	const struct bc_device_ops *ops;
	struct bc_device *dev;
	const struct bc_arch *arch;
	struct bc_patterns *t;
	struct bc_pattern *p; /* [BC_PATTERNS_AT_ONCE] */
	size_t n;
};

/**
 * bc_worker_patterns_handle - one message of the parent
 * @is_one: false: it is of another kind, and nothing was done
 * @answer: whole messages for the parent
 */
enum bc_status bc_worker_patterns_handle(struct bc_worker_patterns *w, const struct bc_fields *m, bool *is_one,
					 struct bc_text *answer, struct bc_error *err);

void bc_worker_patterns_release(struct bc_worker_patterns *w);

#endif
