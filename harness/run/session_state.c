/* SPDX-License-Identifier: MIT */
/* harness/run/session_state.c - from observations to results: judged, journalled, run again or reported. */
#include "harness/run/session_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/clock.h"
#include "harness/run/targets.h"

enum bc_status bc_session_reserve(struct bc_session *s, size_t device, size_t n, struct bc_error *err)
{
	struct bc_device_run *d = &s->run.devices[device];
	struct bc_device_queue *q = &s->queue[device];
	struct bc_case_progress *progress = &s->progress[device];

	d->results = calloc(n + 1, sizeof(*d->results));
	q->todo = calloc(n + 1, sizeof(*q->todo));
	q->observed = calloc(n + 1, sizeof(*q->observed));
	progress->finished = calloc(n + 1, sizeof(*progress->finished));
	progress->runs_again = calloc(n + 1, sizeof(*progress->runs_again));
	if (bc_attempts_any(&s->attempts))
		progress->best = calloc(n + 1, sizeof(*progress->best));
	if (!d->results || !q->todo || !q->observed || !progress->finished || !progress->runs_again ||
	    (bc_attempts_any(&s->attempts) && !progress->best))
		return bc_fail(err, BC_ENOMEM, "plan: out of memory");
	q->run = d;
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

void bc_session_plan_case(struct bc_session *s, size_t device, const struct bc_case *c)
{
	struct bc_device_run *d = &s->run.devices[device];
	struct bc_result *r = &d->results[d->nresults];

	r->c = c;
	r->judged =
		(struct bc_judgement){ .verdict = BC_LOST, .message = "no observation" }; /* never a PASS by default */
	(void)bc_strlcpy(r->obs.id, c->id, sizeof(r->obs.id));
	bc_expect_find(&s->expect[device], c->id, &r->bounds);
	s->queue[device].observed[d->nresults++] = decided_by_plan(c, d, &r->obs);
}

/* The reference device has no clock unless it was asked for, and even then not for times that no law gives. */
static bool has_no_clock(const struct bc_session *s, const struct bc_device_run *d, const struct bc_case *c)
{
	if (d->facts.kind != BC_DEVICE_REFERENCE)
		return false;
	return d->facts.clock_absent[0] ? s->witness != BC_WITNESS_CLOCK : (c->needs & BC_NEED_HARDWARE_CLOCK) != 0;
}

static void judge_observation(const struct bc_session *s, const struct bc_device_run *d, struct bc_result *r)
{
	struct bc_known known;
	const struct bc_judge_in in = { .c = r->c,
					.arch = &d->arch,
					.bounds = &r->bounds,
					.obs = &r->obs,
					.known = &known,
					.require_counters = s->require_counters,
					.counters_not_asked = s->witness == BC_WITNESS_CLOCK,
					.clock_not_asked = s->witness == BC_WITNESS_COUNTERS,
					.has_no_clock = has_no_clock(s, d, r->c),
					.counters_are_model = d->facts.counters_are_model };

	bc_known_find(&s->known, r->c->id, d->arch.name, &d->facts, s->run.timestamp, &known);
	bc_judge(&in, &r->judged);
}

void bc_session_cut_short(struct bc_session *s, size_t device, size_t index, enum bc_outcome how, const char *why)
{
	struct bc_device_run *d = &s->run.devices[device];
	struct bc_result *r = &d->results[index];

	if (!r->ntries || r->ntries >= s->attempts.repeat || bc_verdict_is_finding(r->judged.verdict))
		return;
	r->obs.outcome = how;
	(void)snprintf(r->obs.reason, sizeof(r->obs.reason), "%zu of %u repeats, the worst %s: %.*s", r->ntries,
		       s->attempts.repeat, bc_verdict_name(r->judged.verdict), BC_REASON_MAX - 80, why);
	judge_observation(s, d, r);
}

enum bc_status bc_session_judge(struct bc_session *s, size_t device, size_t index, bool ended, struct bc_error *err)
{
	struct bc_device_run *d = &s->run.devices[device];
	struct bc_case_progress *progress = &s->progress[device];
	struct bc_result *r = &d->results[index];
	const enum bc_outcome how = r->obs.outcome;
	char why[BC_REASON_MAX];
	enum bc_status st;

	(void)bc_strlcpy(why, r->obs.reason, sizeof(why));
	judge_observation(s, d, r);
	st = bc_attempts_add(&s->attempts, progress->best ? &progress->best[index] : NULL, r, ended,
			     &progress->runs_again[index], err);
	if (!st && ended)
		bc_session_cut_short(s, device, index, how, why);
	progress->finished[index] = !progress->runs_again[index];
	s->has_finding = s->has_finding || (progress->finished[index] && bc_verdict_is_finding(r->judged.verdict));
	return st;
}

void bc_session_notify(struct bc_session *s, size_t device, size_t index)
{
	struct bc_device_run *d = &s->run.devices[device];
	const struct bc_result *r = &d->results[index];

	s->nfinished++;
	if (s->events && s->events->result)
		s->events->result(s->events->ctx, d, r);
	if (s->events && s->events->progress)
		s->events->progress(s->events->ctx, s->nfinished, s->total, r->c->id);
}

/* Where the images lie on this machine is nobody's business who reads the report. */
static void shorten_paths(const struct bc_session *s, struct bc_device_run *d, struct bc_observation *o)
{
	const char *dir = bc_run_options_kernels(s->options);
	char *const texts[] = { o->reason,	o->counters_absent,	  o->clock_absent,
				o->code_absent, d->facts.counters_absent, d->facts.images };

	for (size_t i = 0; i < BC_ARRAY_LEN(texts); i++)
		bc_shorten_paths(texts[i], dir);
}

enum bc_status bc_session_on_result(void *ctx, struct bc_device_run *d, size_t index, struct bc_error *err)
{
	struct bc_session *s = ctx;
	const size_t device = (size_t)(d - s->run.devices);
	struct bc_case_progress *progress = &s->progress[device];
	struct bc_observation *o = &d->results[index].obs;
	const bool no_answer = o->outcome == BC_LOST_WORKER || o->outcome == BC_NOT_RUN;
	const bool ending = no_answer && (s->stop_reason[0] || *s->signal_caught);
	enum bc_status st = BC_OK;

	shorten_paths(s, d, o);
	if (s->journal && !ending && d->images_hash && !progress->device_journalled) {
		st = bc_journal_device(s->journal, d, err); /* it was opened: its facts are complete now */
		progress->device_journalled = true;
	}
	if (!st && s->journal && !ending) /* what had no chance to run is no result: a resumed run runs it */
		st = bc_journal_add(s->journal, d->dev, o, err);
	if (!st)
		st = bc_session_judge(s, device, index, ending || (no_answer && s->queue[device].abandoned), err);
	if (!st && progress->finished[index])
		bc_session_notify(s, device, index);
	return st;
}

static enum bc_status keep_death(struct bc_device_run *d, const struct bc_death *death, struct bc_error *err)
{
	struct bc_death *grown = realloc(d->deaths, (d->ndeaths + 1) * sizeof(*grown));

	if (!grown)
		return bc_fail(err, BC_ENOMEM, "workers that died: out of memory");
	d->deaths = grown;
	d->deaths[d->ndeaths++] = *death;
	return BC_OK;
}

enum bc_status bc_session_on_death(void *ctx, struct bc_device_run *d, const struct bc_death *death,
				   struct bc_error *err)
{
	struct bc_session *s = ctx;
	struct bc_death shown = *death;
	enum bc_status st;

	bc_shorten_paths(shown.reason, bc_run_options_kernels(s->options));
	st = keep_death(d, &shown, err);
	return !st && s->journal ? bc_journal_death(s->journal, d->dev, &shown, err) : st;
}

enum bc_status bc_session_take_death(struct bc_session *s, const struct bc_fields *line, struct bc_error *err)
{
	const char *dev = bc_message_get(line, "dev");
	struct bc_death death;
	size_t device;

	if (!bc_session_find_device(s, dev, &device))
		return bc_fail(err, BC_EDATA, "a worker that died on %s, which is no device of the run", dev);
	bc_journal_parse_death(line, &death);
	return keep_death(&s->run.devices[device], &death, err);
}

const char *bc_session_stop_reason(void *ctx, enum bc_outcome *how)
{
	struct bc_session *s = ctx;

	if (!s->stop_reason[0] && s->options->fail_fast && s->has_finding) {
		(void)snprintf(s->stop_reason, sizeof(s->stop_reason), "fail-fast");
		s->stop_outcome = BC_NOT_RUN;
	} else if (!s->stop_reason[0] && s->deadline > 0 && bc_now() > s->deadline) {
		(void)snprintf(s->stop_reason, sizeof(s->stop_reason), "the deadline of the run, %u s, has passed",
			       s->options->deadline_s);
		s->stop_outcome = BC_LOST_WORKER;
	}
	*how = s->stop_outcome;
	return s->stop_reason[0] ? s->stop_reason : NULL;
}

size_t bc_session_next_round(struct bc_session *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->run.ndevices; i++) {
		struct bc_device_queue *q = &s->queue[i];
		struct bc_case_progress *progress = &s->progress[i];
		const bool over = q->abandoned || s->stop_reason[0] || *s->signal_caught;

		q->ntodo = 0;
		for (size_t k = 0; k < s->run.devices[i].nresults; k++) {
			if (!progress->runs_again[k])
				continue;
			progress->runs_again[k] = false;
			if (over) { /* what it came to so far stands, unless it was to be repeated */
				bc_session_cut_short(s, i, k, s->stop_reason[0] ? s->stop_outcome : BC_LOST_WORKER,
						     s->stop_reason[0]	 ? s->stop_reason
						     : *s->signal_caught ? "interrupted"
									 : "the device was abandoned");
				progress->finished[k] = true;
				bc_session_notify(s, i, k);
				continue;
			}
			q->observed[k] = false;
			q->todo[q->ntodo++] = k;
		}
		if (!q->ntodo)
			continue;
		n += q->ntodo;
		q->batched = false;
		q->deaths_in_row = 0;
		q->state = BC_QUEUE_IDLE;
	}
	return n;
}

bool bc_session_find_device(const struct bc_session *s, const char *dev, size_t *device)
{
	for (*device = 0; *device < s->run.ndevices; ++*device)
		if (strcmp(s->run.devices[*device].dev, dev) == 0)
			return true;
	return false;
}

static bool find_result(const struct bc_device_run *d, const char *id, size_t *index)
{
	for (*index = 0; *index < d->nresults; ++*index)
		if (strcmp(d->results[*index].c->id, id) == 0)
			return true;
	return false;
}

enum bc_status bc_session_take_journalled(struct bc_session *s, const struct bc_fields *line, struct bc_error *err)
{
	struct bc_observation o;
	size_t device, index;
	enum bc_status st = bc_observation_parse(line, &o, err);

	if (st)
		return st;
	if (!bc_session_find_device(s, bc_message_get(line, "dev"), &device) ||
	    !find_result(&s->run.devices[device], o.id, &index))
		return bc_fail(err, BC_EDATA, "a result of %s on %s, which is not in the plan", o.id,
			       bc_message_get(line, "dev"));
	if (s->queue[device].observed[index])
		return BC_OK; /* decided by the plan, or there already */
	s->run.devices[device].results[index].obs = o;
	st = bc_session_judge(s, device, index, false, err);
	s->queue[device].observed[index] = s->progress[device].finished[index];
	s->progress[device].runs_again[index] = false; /* what runs again is in the first round */
	return st;
}

void bc_session_complete(struct bc_session *s, size_t device, const char *ended)
{
	struct bc_device_run *d = &s->run.devices[device];
	char shard[40] = "";

	if (s->run.shard.of > 1)
		(void)snprintf(shard, sizeof(shard), "shard %u/%u", s->run.shard.part, s->run.shard.of);
	(void)snprintf(d->incomplete, sizeof(d->incomplete), "%s%s%s%s%s", s->run.filtered ? "filtered" : "",
		       s->run.filtered && shard[0] ? ", " : "", shard,
		       ended && (s->run.filtered || shard[0]) ? ", " : "", ended ? ended : "");
	d->complete = !d->incomplete[0];
}

const struct bc_run *bc_session_result(const struct bc_session *s)
{
	return &s->run;
}

enum bc_session_plan bc_session_plan(const struct bc_session *s)
{
	return s->plan;
}

int bc_session_signal(const struct bc_session *s)
{
	return s->signal;
}

void bc_session_close(struct bc_session *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->run.ndevices; i++) {
		if (s->queue) {
			if (s->queue[i].worker.pid)
				bc_proc_stop(&s->queue[i].worker, s->queue[i].state == BC_QUEUE_DONE ? -1 : 0, NULL, 0);
			free(s->queue[i].todo);
			free(s->queue[i].observed);
			free(s->queue[i].batches);
		}
		if (s->progress) {
			free(s->progress[i].finished);
			free(s->progress[i].runs_again);
			free(s->progress[i].best);
		}
		if (s->expect)
			bc_expect_release(&s->expect[i]);
		for (size_t k = 0; k < s->run.devices[i].nresults; k++)
			free(s->run.devices[i].results[k].tries);
		free(s->run.devices[i].results);
		free(s->run.devices[i].deaths);
	}
	free(s->run.devices);
	free(s->queue);
	free(s->progress);
	free(s->expect);
	bc_known_release(&s->known);
	bc_journal_close(s->journal);
	free(s);
}
