/* SPDX-License-Identifier: MIT */
/* harness/run/results.c - from observations to results: judged, journalled, run again or told. */
#include "harness/base/clock.h"
#include "harness/run/session_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/targets.h"

enum bc_status bc_session_reserve(struct bc_session *s, size_t device, size_t n, struct bc_error *err)
{
	struct bc_device_run *d = &s->run.devices[device];
	struct bc_device_queue *w = &s->work[device];
	struct bc_case_progress *at = &s->standing[device];

	d->results = calloc(n + 1, sizeof(*d->results));
	w->todo = calloc(n + 1, sizeof(*w->todo));
	w->seen = calloc(n + 1, sizeof(*w->seen));
	at->done = calloc(n + 1, sizeof(*at->done));
	at->again = calloc(n + 1, sizeof(*at->again));
	if (bc_attempts_any(&s->attempts))
		at->kept = calloc(n + 1, sizeof(*at->kept));
	if (!d->results || !w->todo || !w->seen || !at->done || !at->again ||
	    (bc_attempts_any(&s->attempts) && !at->kept))
		return bc_fail(err, BC_ENOMEM, "plan: out of memory");
	w->run = d;
	return BC_OK;
}

/* A case that never goes to a worker: the architecture lacks what it needs, or the device has less than it should. */
static bool decided_by_plan(const struct bc_case *c, const struct bc_device_run *d, struct bc_observation *obs)
{
	char unmet[200];

	if (bc_case_unmet(c, &d->arch, unmet, sizeof(unmet)))
		return true;
	if (!bc_device_lacks(&d->arch, &d->facts, bc_case_extent(c, &d->arch), obs->reason, sizeof(obs->reason)))
		return false;
	obs->outcome = BC_UNSUPPORTED;
	return true;
}

void bc_session_add(struct bc_session *s, size_t device, const struct bc_case *c)
{
	struct bc_device_run *d = &s->run.devices[device];
	struct bc_result *r = &d->results[d->nresults];

	r->c = c;
	r->judged =
		(struct bc_judgement){ .verdict = BC_LOST, .message = "no observation" }; /* never a PASS by default */
	(void)bc_strlcpy(r->obs.id, c->id, sizeof(r->obs.id));
	bc_expect_find(&s->expect[device], c->id, &r->bounds);
	s->work[device].seen[d->nresults++] = decided_by_plan(c, d, &r->obs);
}

enum bc_status bc_session_accept(struct bc_session *s, size_t device, size_t index, bool ended, struct bc_error *err)
{
	struct bc_device_run *d = &s->run.devices[device];
	struct bc_case_progress *at = &s->standing[device];
	struct bc_result *r = &d->results[index];
	struct bc_known known;
	const struct bc_judge_in in = { .c = r->c,
					.arch = &d->arch,
					.bounds = &r->bounds,
					.obs = &r->obs,
					.known = &known,
					.require_counters = s->require_counters };
	enum bc_status st;

	bc_known_find(&s->known, r->c->id, d->arch.name, &d->facts, s->run.timestamp, &known);
	bc_judge(&in, &r->judged);
	st = bc_attempts_add(&s->attempts, at->kept ? &at->kept[index] : NULL, r, ended, &at->again[index], err);
	at->done[index] = !at->again[index];
	s->found = s->found || (at->done[index] && bc_verdict_is_finding(r->judged.verdict));
	return st;
}

void bc_session_report(struct bc_session *s, size_t device, size_t index)
{
	struct bc_device_run *d = &s->run.devices[device];
	const struct bc_result *r = &d->results[index];

	s->ndone++;
	if (s->ev && s->ev->result)
		s->ev->result(s->ev->ctx, d, r);
	if (s->ev && s->ev->progress)
		s->ev->progress(s->ev->ctx, s->ndone, s->total, r->c->id);
}

enum bc_status bc_session_on_result(void *ctx, struct bc_device_run *d, size_t index, struct bc_error *err)
{
	struct bc_session *s = ctx;
	const size_t device = (size_t)(d - s->run.devices);
	struct bc_case_progress *at = &s->standing[device];
	const struct bc_observation *o = &d->results[index].obs;
	const bool no_answer = o->outcome == BC_LOST_WORKER || o->outcome == BC_NOT_RUN;
	const bool ending = no_answer && (s->why[0] || *s->caught);
	enum bc_status st = BC_OK;

	if (s->journal && !ending && d->images_hash && !at->told) {
		st = bc_journal_device(s->journal, d, err); /* it was opened: its facts are complete now */
		at->told = true;
	}
	if (!st && s->journal && !ending) /* what had no chance to run is no result: a resumed run runs it */
		st = bc_journal_add(s->journal, d->dev, o, err);
	if (!st)
		st = bc_session_accept(s, device, index, ending || (no_answer && s->work[device].gone), err);
	if (!st && at->done[index])
		bc_session_report(s, device, index);
	return st;
}

const char *bc_session_stop(void *ctx, enum bc_outcome *how)
{
	struct bc_session *s = ctx;

	if (!s->why[0] && s->o->fail_fast && s->found) {
		(void)snprintf(s->why, sizeof(s->why), "fail-fast");
		s->how = BC_NOT_RUN;
	} else if (!s->why[0] && s->end > 0 && bc_now() > s->end) {
		(void)snprintf(s->why, sizeof(s->why), "the run's deadline of %u s was over", s->o->deadline_s);
		s->how = BC_LOST_WORKER;
	}
	*how = s->how;
	return s->why[0] ? s->why : NULL;
}

size_t bc_session_next_round(struct bc_session *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->run.ndevices; i++) {
		struct bc_device_queue *w = &s->work[i];
		struct bc_case_progress *at = &s->standing[i];
		const bool over = w->gone || s->why[0] || *s->caught;

		w->ntodo = 0;
		for (size_t k = 0; k < s->run.devices[i].nresults; k++) {
			if (!at->again[k])
				continue;
			at->again[k] = false;
			if (over) { /* what it came to so far stands */
				at->done[k] = true;
				bc_session_report(s, i, k);
				continue;
			}
			w->seen[k] = false;
			w->todo[w->ntodo++] = k;
		}
		if (!w->ntodo)
			continue;
		n += w->ntodo;
		w->started = false;
		w->deaths = 0;
		w->state = BC_QUEUE_IDLE;
	}
	return n;
}
