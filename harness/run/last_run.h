/* SPDX-License-Identifier: MIT */
/* harness/run/last_run.h - what the run before left in the reports folder: its journal, and the reports that it names.
 *
 * A new run sets that journal aside before it does anything else, so that `--resume` after a run that was killed early
 * never continues the one before. When its own plan is made, it removes the reports of the run before, so that none of
 * them is taken for today's; when it does not come so far, the journal goes back to its place.
 */
#ifndef BC_RUN_LAST_RUN_H
#define BC_RUN_LAST_RUN_H

#include "harness/base/base.h"

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
 * bc_last_run_remove_reports - remove the reports that <journal>.last names, and nothing else
 *
 * They lie beside the journal. A journal that cannot be read, or names none, removes none. Return: BC_EWRITE for a
 * report that cannot be removed.
 */
enum bc_status bc_last_run_remove_reports(const char *journal, struct bc_error *err);

/* Remove <journal>.last: the new journal is in place. */
void bc_last_run_forget(const char *journal);

#endif
