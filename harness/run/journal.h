/* SPDX-License-Identifier: MIT */
/* harness/run/journal.h - plan and observations on disk as they come, one message per line (message.h).
 *
 *     run     format, version, run_id, timestamp, host, rerun, the options that the results depend on as option_NAME
 *             (run_options.h), and the hashes of what else they depend on
 *     device  dev, rerun, report (its name), facts, images_hash: once before a device is opened, and again when it is
 * open plan    dev, id: the cases, all before the first of them starts obs     dev, and an observation death   dev,
 * reason, during, events: a worker that died or hung (struct bc_death)
 *
 * A line is written by one write(2). One without an end is of a run that was cut off, and is ignored.
 */
#ifndef BC_RUN_JOURNAL_H
#define BC_RUN_JOURNAL_H

#include "harness/core/results.h"

#define BC_JOURNAL_FORMAT 2u /* 1 had the options as one text, and no field format */

struct bc_journal;
struct bc_fields;
struct bc_run_options;

/* Start a journal: the run, its devices and its plan, synced, its name too. Replaces an older one, in one step
 * when it is whole. */
enum bc_status bc_journal_create(const char *path, const struct bc_run *run, const struct bc_run_options *o,
				 struct bc_journal **out, struct bc_error *err);

/* A line that was read; its strings live until the function returns. */
typedef enum bc_status bc_journal_line_fn(void *ctx, const struct bc_fields *line, struct bc_error *err);

/**
 * bc_journal_read - hand every line of a journal to @line, in order
 * @whole: bytes up to the end of the last line with an end; may be NULL
 *
 * Return: BC_EREAD; BC_EDATA with path:line for what is no journal, or one of another format; what @line returns, with
 * path:line before it.
 */
enum bc_status bc_journal_read(const char *path, bc_journal_line_fn *line, void *ctx, size_t *whole,
			       struct bc_error *err);

/* Has it not even one whole line, or is there none? A run that was killed in its first moments, or whose host went
 * down, leaves such a one. False for what cannot be read. */
bool bc_journal_is_empty(const char *path);

/**
 * bc_journal_same - is the head of a journal that of this run?
 * @head: its first line
 * @o:    options of this run
 *
 * Return: BC_EDATA naming what differs: an option, or the hash of plan, binary, kernels or expectations.
 */
enum bc_status bc_journal_same(const struct bc_fields *head, const struct bc_run *run, const struct bc_run_options *o,
			       struct bc_error *err);

/* Open a journal to append to it, behind its first @whole bytes. */
enum bc_status bc_journal_append(const char *path, size_t whole, struct bc_journal **out, struct bc_error *err);

/* Append a device, with its facts as they are now. */
enum bc_status bc_journal_device(struct bc_journal *j, const struct bc_device_run *d, struct bc_error *err);

/* Append one observation of the device @dev: one line, one write. */
enum bc_status bc_journal_add(struct bc_journal *j, const char *dev, const struct bc_observation *o,
			      struct bc_error *err);

/* Append a worker that died or hung, and read such a line. */
enum bc_status bc_journal_death(struct bc_journal *j, const char *dev, const struct bc_death *death,
				struct bc_error *err);
void bc_journal_parse_death(const struct bc_fields *line, struct bc_death *out);

void bc_journal_close(struct bc_journal *j); /* NULL is allowed */

#endif
