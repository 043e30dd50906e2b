/* SPDX-License-Identifier: MIT */
/* harness/history/night.h - the runs of a night: which folders they were gathered from, each once. */
#ifndef BC_HISTORY_NIGHT_H
#define BC_HISTORY_NIGHT_H

#include "harness/history/history.h"

/* A folder NIGHT/nodes/NODE/JOB. */
struct bc_history_place {
	const char *night, *node, *job;
};

/**
 * bc_history_gather - add all devices of the reports of a folder, or none, and that the folder was gathered
 * @whole: there are no more; else the folder does not count as gathered
 *
 * A run that is there already stays as it is, and is known to be of this folder too.
 * Return: as bc_history_add.
 */
enum bc_status bc_history_gather(struct bc_history *h, const struct bc_history_place *place,
				 const struct bc_read_file *f, size_t n, bool whole, struct bc_history_added *out,
				 struct bc_error *err);

/* Was the folder gathered? */
enum bc_status bc_history_is_gathered(struct bc_history *h, const struct bc_history_place *place, bool *is,
				      struct bc_error *err);

/* Say that it was, in the transaction at hand. For add.c. */
enum bc_status bc_history_place_done(struct bc_history *h, const struct bc_history_place *place, struct bc_error *err);

/* A run in a night. */
struct bc_night_run {
	char *node, *job;
	struct bc_history_run run;
	char *earlier; /* the latest earlier night that has this very run too; "": none */
};

struct bc_night_runs {
	struct bc_night_run *r; /* by node, then job, then device */
	size_t n;
};

enum bc_status bc_night_runs(struct bc_history *h, const char *night, struct bc_night_runs *out, struct bc_error *err);
void bc_night_runs_release(struct bc_night_runs *r); /* a zeroed one is allowed */

/* The night before: the greatest name below @night of those gathered, malloc'ed; "" when there is none. @night NULL:
 * the last of all. */
enum bc_status bc_night_before(struct bc_history *h, const char *night, char **out, struct bc_error *err);

/* A fact of a run's report, malloc'ed; "" when it is not there or "none". */
enum bc_status bc_history_fact(struct bc_history *h, int64_t run, const char *name, char **out, struct bc_error *err);

#endif
