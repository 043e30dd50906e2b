/* SPDX-License-Identifier: MIT */
/* harness/run/naming.h - inside of a session: when, where and which: the names of a run. */
#ifndef BC_RUN_NAMING_H
#define BC_RUN_NAMING_H

#include "harness/core/results.h"
#include "harness/run/run_options.h"

/**
 * bc_run_name - fill timestamp, host, host_by, run_id, machine_id, slurm_job, slurm_restart, run_name and labels of @r
 *
 * The host is --host, else the first of SLURMD_NODENAME and NODE_NAME that is set and not empty, else the system's.
 * Return: BC_EUSAGE for a host, run name or label that cannot be one; BC_EDEVICE when the system gives no random bits.
 */
enum bc_status bc_run_name(struct bc_run *r, const struct bc_run_options *o, struct bc_error *err);

/* Append all labels as one text, KEY=VALUE a line; nothing without labels. */
enum bc_status bc_labels_text(const struct bc_run *r, struct bc_text *out, struct bc_error *err);

/* Take labels from such a text. Return: BC_EDATA for what bc_labels_text cannot have written. */
enum bc_status bc_labels_parse(const char *text, struct bc_run *r, struct bc_error *err);

#endif
