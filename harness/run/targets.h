/* SPDX-License-Identifier: MIT */
/* harness/run/targets.h - from `--device LIST` and what is here to the devices of a run. Pure but for reading
 * expected/. */
#ifndef BC_RUN_TARGETS_H
#define BC_RUN_TARGETS_H

#include "harness/core/arch.h"
#include "harness/core/case.h"
#include "harness/core/facts.h"

struct bc_target {
	struct bc_facts facts; /* as listed */
	struct bc_arch arch;
	char dev[48];	 /* "sm_90", "sm_90_cuda1", "reference_sm_90" */
	char option[32]; /* what --device takes for it alone: "cuda:0", "reference:sm_90" */
};

/* Does the list (NULL: the default) ask what GPUs are here? */
bool bc_targets_want_cuda(const char *list);

/**
 * bc_targets_resolve - the devices of a run
 * @list:     comma list of cuda:N, all, reference, reference:sm_NN, reference:all; NULL: all GPUs
 * @expected: expected/ root
 * @gpus:     [ngpus] what is here
 * @why:      why there is no GPU, "" when there are some or nobody looked
 *
 * A device named twice is taken once. Return: BC_EUSAGE for an unknown name or a GPU that is not here; for no GPU at
 * all, naming the reference device.
 */
enum bc_status bc_targets_resolve(const char *list, const char *expected, const struct bc_facts *gpus, size_t ngpus,
				  const char *why, struct bc_target **out, size_t *n, struct bc_error *err);

#endif
