/* SPDX-License-Identifier: MIT */
/* harness/history/profile.h - how the results of a run are kept: its kind's profile, and where it differs.
 *
 * What came out of a case (verdict, counts, message) is an outcome, and is kept once. A profile is a list of outcomes,
 * one a case, that runs of one kind share; a run keeps a reference to its profile, the cases in which it differs, and
 * its measured numbers as one compressed blob, as differences from the numbers of the run that made the profile. So a
 * run is as large as what is special about it. Profiles and outcomes never change. For harness/history/ alone.
 */
#ifndef BC_HISTORY_PROFILE_H
#define BC_HISTORY_PROFILE_H

#include "harness/history/outcome.h"

enum { BC_KEPT_CLOCK = 0, BC_KEPT_CYCLES, BC_KEPT_NUMBERS };

/* A case of a run or of a profile. */
struct bc_kept_case {
	int64_t case_id;
	const struct bc_kept_outcome *o; /* NULL only in a run's list of exceptions: the run has no such case */
	double number[BC_KEPT_NUMBERS];	 /* NaN: none */
};

struct bc_kept {
	struct bc_kept_case *c; /* by case_id */
	size_t n;
};

struct bc_profile {
	int64_t id;
	struct bc_kept kept;
	const char **name; /* of the cases, in the order of kept; NULL until bc_profile_of_kind has loaded it */
};

/* What was read of a file's outcomes and profiles. */
struct bc_kept_cache;
void bc_kept_cache_free(struct bc_kept_cache *c); /* NULL is allowed */

/* Forget it when another process has changed the file. At the start of a transaction. */
enum bc_status bc_kept_refresh(struct bc_history *h, struct bc_error *err);

/**
 * bc_profile_of_kind - the profile that a new run of this kind and number of cases would refer to
 *
 * *out is NULL when there is none. It lives until the history is closed. For one transaction: another process may
 * remove it between two.
 */
enum bc_status bc_profile_of_kind(struct bc_history *h, const char *kind, size_t cases, const struct bc_profile **out,
				  struct bc_error *err);

/**
 * bc_kept_outcome_of - the outcome that is as @want
 * @want: id and message are not read
 *
 * It is added when it is new.
 */
enum bc_status bc_kept_outcome_of(struct bc_history *h, const struct bc_kept_outcome *want,
				  const struct bc_kept_outcome **out, struct bc_error *err);

/* Keep the results of a run that is in the table `run`. @kept is sorted. */
enum bc_status bc_kept_write(struct bc_history *h, int64_t run, const char *kind, struct bc_kept *kept,
			     struct bc_error *err);

/**
 * bc_kept_read - the results of a run
 * @out: free it with bc_kept_release. After bc_kept_refresh; empty for a run that is not there
 *
 * Return: BC_EDATA for a blob that is damaged or a verdict that is not known.
 */
enum bc_status bc_kept_read(struct bc_history *h, int64_t run, struct bc_kept *out, struct bc_error *err);
void bc_kept_release(struct bc_kept *k);

/* Remove a run; profiles and outcomes stay until the next prune. */
enum bc_status bc_kept_remove_run(struct bc_history *h, int64_t run, struct bc_error *err);

/* Bring the results of schema 2 (table result2) over. */
enum bc_status bc_kept_migrate(struct bc_history *h, struct bc_error *err);

/**
 * bc_numbers_pack, bc_numbers_unpack - the numbers of @k as bytes, and back
 * @base: those they are differences from, by case_id; may be empty
 *
 * Exact: what is unpacked with the same base and cases has the same bits. Return: BC_EDATA without a message for bytes
 * that are damaged or of other cases.
 */
enum bc_status bc_numbers_pack(const struct bc_kept *k, const struct bc_kept *base, struct bc_text *out,
			       struct bc_error *err);
enum bc_status bc_numbers_unpack(const struct bc_text *bytes, struct bc_kept *k, const struct bc_kept *base,
				 struct bc_error *err);

#endif
