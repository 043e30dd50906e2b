/* SPDX-License-Identifier: MIT */
/* harness/run/last_run.h - what the run before left in the reports folder: its journal, and the reports that it names.
 *
 * A new run sets that journal aside before it does anything else, so that `--resume` after a run that was killed early
 * never continues the one before. When its own plan is made, it removes the reports of the run before, so that none of
 * them is taken for today's, but keeps another host's; when it does not come so far, the journal goes back to its
 * place.
 */
#ifndef BC_RUN_LAST_RUN_H
#define BC_RUN_LAST_RUN_H

#include "harness/core/results.h"

/**
 * bc_last_run_set_aside - rename a journal to <journal>.last
 * @moved: whether there was one; what is no regular file (a pipe, /dev/null) stays
 *
 * Return: BC_EWRITE.
 */
enum bc_status bc_last_run_set_aside(const char *journal, bool *moved, struct bc_error *err);

/* Undo it. */
void bc_last_run_put_back(const char *journal);

/**
 * bc_last_run_clear - the new journal is in place: make an end of <journal>.last and the reports that it names
 * @run: the run that begins
 *
 * They are removed, and nothing else is. Those of another host are kept, as NAME-HOST.xml and journal-HOST.tsv, and
 * what was so kept of this host is removed: hosts that share a folder have one report each. Reports lie beside the
 * journal; one that cannot be read, or names none, moves none. Return: BC_EWRITE for a report that cannot be moved.
 */
enum bc_status bc_last_run_clear(const char *journal, const struct bc_run *run, struct bc_error *err);

/**
 * bc_last_run_is_of_another - is a journal of another host than that of @run?
 * @host: filled with the journal's host
 *
 * It is when the hosts have different names and no GPU is in both runs. Names that only the system gave (containers)
 * count where both runs have GPUs.
 */
bool bc_last_run_is_of_another(const char *journal, const struct bc_run *run, char host[BC_HOST_MAX]);

#endif
