/* SPDX-License-Identifier: MIT */
/* harness/report/read_shards.h - the shards of a run, read from their reports, as the one run that they are. */
#ifndef BC_REPORT_READ_SHARDS_H
#define BC_REPORT_READ_SHARDS_H

#include "harness/report/reader.h"

/**
 * bc_report_join - put the shards of a run together, in place
 * @file: [n]; a device that is a shard of an earlier one is added to it and taken out of its own file, which may be
 *        left without any
 *
 * Shards belong together when their reports name the same run (--run-name), N, options, selection, bankcheck, image
 * hash, expectations, device name, architecture and GPU model; without a run name a report stands for itself. complete=
 * of the device they make is what they say but for their shards, "yes" when they say nothing else; shard= is "all N".
 *
 * Return: BC_EDEVICE, so exit status 2, naming the run, when a shard is missing or there twice; BC_EDATA when a case is
 * in two shards; BC_ENOMEM.
 */
enum bc_status bc_report_join(struct bc_read_file *file, size_t n, struct bc_error *err);

/* Return: equal for the shards of one run and for what bc_report_join makes of them; 0: the device has no run name. */
uint64_t bc_report_run_key(const struct bc_read_device *d);

/* Return: whether bc_report_join would look for others to go with a device of the file. */
bool bc_report_has_shard(const struct bc_read_file *f);

#endif
