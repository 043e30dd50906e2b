/* SPDX-License-Identifier: MIT */
#include "harness/run/attempts.h"

#include <stdlib.h>
#include <string.h>

bool bc_attempts_any(const struct bc_attempts_options *o)
{
	return o->repeat > 1 || o->retries || o->retry_lost;
}

/* May another attempt help? Wrong data and broken tools are no flakes. */
static bool failed_by_measurement(const struct bc_judgement *j)
{
	return j->verdict == BC_DISAGREE || (j->verdict == BC_FAIL && (strncmp(j->outcome, "ratio", 5) == 0 ||
								       strncmp(j->outcome, "unstable", 8) == 0));
}

static enum bc_status add_try(struct bc_result *r, struct bc_error *err)
{
	struct bc_attempt *grown = realloc(r->tries, (r->ntries + 1) * sizeof(*grown));

	if (!grown)
		return bc_fail(err, BC_ENOMEM, "attempts at %s: out of memory", r->c->id);
	r->tries = grown;
	grown[r->ntries].verdict = r->judged.verdict;
	grown[r->ntries].seconds = r->obs.seconds;
	(void)bc_strlcpy(grown[r->ntries].message, r->judged.message, sizeof(grown[r->ntries].message));
	r->ntries++;
	return BC_OK;
}

/* Attempts that were LOST, or that were not. */
static size_t count(const struct bc_result *r, bool lost)
{
	size_t n = 0;

	for (size_t i = 0; i < r->ntries; i++)
		n += (r->tries[i].verdict == BC_LOST) == lost;
	return n;
}

enum bc_status bc_attempts_add(const struct bc_attempts_options *o, struct bc_best_attempt *best, struct bc_result *r,
			       bool ended, bool *again, struct bc_error *err)
{
	const bool first = r->ntries == 0;
	enum bc_status st = BC_OK;

	*again = false;
	if (!bc_attempts_any(o) || (ended && first))
		return BC_OK;
	if (!ended)
		st = add_try(r, err);
	if (st)
		return st;
	if (!ended &&
	    (first || o->repeat <= 1 || bc_verdict_rank(r->judged.verdict) > bc_verdict_rank(best->judged.verdict))) {
		best->obs = r->obs;
		best->judged = r->judged;
	} else {
		r->obs = best->obs;
		r->judged = best->judged;
	}
	if (ended)
		return BC_OK;
	if (o->repeat > 1)
		*again = r->ntries < o->repeat;
	else if (r->judged.verdict == BC_LOST)
		*again = count(r, true) <= o->retry_lost;
	else if (failed_by_measurement(&r->judged))
		*again = count(r, false) <= o->retries;
	r->flaky = o->repeat <= 1 && r->ntries > 1 && r->judged.verdict == BC_PASS;
	return BC_OK;
}
