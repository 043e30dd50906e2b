/* SPDX-License-Identifier: MIT */
/* harness/history/outcome.h - what came out of cases, each once in the file and once in memory. For profile.c alone. */
#ifndef BC_HISTORY_OUTCOME_H
#define BC_HISTORY_OUTCOME_H

#include "harness/history/db.h"

struct bc_kept_outcome {
	int64_t id, case_id;
	enum bc_verdict verdict;
	double wavefronts, conflicts; /* NaN: none */
	bool flaky;
	int64_t message; /* id of the text; 0: none */
	char *text;	 /* "" without a message */
};

/* Do they say the same of the same case? */
bool bc_kept_outcome_same(const struct bc_kept_outcome *a, const struct bc_kept_outcome *b);

/* Those that were read. Zero-initialise. */
struct bc_outcome_list {
	struct bc_kept_outcome **outcome; /* by id, NULL where there is none or it was not read */
	size_t room;
};

void bc_outcome_list_release(struct bc_outcome_list *list);

/* The outcome of this number. BC_EDATA when there is none, or its verdict is not known. */
enum bc_status bc_outcome_by_id(struct bc_history *h, struct bc_outcome_list *list, int64_t id,
				const struct bc_kept_outcome **out, struct bc_error *err);

/* bc_kept_outcome_of of profile.h. */
enum bc_status bc_outcome_find(struct bc_history *h, struct bc_outcome_list *list, const struct bc_kept_outcome *want,
			       const struct bc_kept_outcome **out, struct bc_error *err);

#endif
