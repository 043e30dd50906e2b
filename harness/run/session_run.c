/* SPDX-License-Identifier: MIT */
/* harness/run/session_run.c - opening a session and running it to its end (session.h). */
#include "harness/run/session.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/core/select.h"
#include "harness/run/order.h"
#include "harness/run/identity.h"
#include "harness/run/last_run.h"
#include "harness/run/naming.h"
#include "harness/run/probe.h"
#include "harness/run/resume.h"
#include "harness/core/case_ids.h"
#include "harness/run/session_state.h"
#include "harness/run/targets.h"

static volatile sig_atomic_t signal_caught;

static void on_signal(int sig)
{
	signal_caught = sig;
}

/* What a run is called, and what it says of itself. */
static enum bc_status name_run(struct bc_run *r, const struct bc_run_options *o, struct bc_error *err)
{
	(void)bc_strlcpy(r->reports_dir, o->reports_dir ? o->reports_dir : "", sizeof(r->reports_dir));
	(void)snprintf(r->rerun, sizeof(r->rerun), "bankcheck run%s", o->rerun ? o->rerun : "");
	r->shard = o->shard;
	bc_run_options_text(o, r->options, sizeof(r->options));
	return bc_run_name(r, o, err);
}

static enum bc_status plan_device(struct bc_session *s, size_t i, const struct bc_target *t, const bool *chosen,
				  size_t n, struct bc_error *err)
{
	struct bc_device_run *d = &s->run.devices[i];
	enum bc_status st = bc_expect_load(s->options->expected_dir, t->arch.name, s->cat, &s->expect[i], err);

	if (!st)
		st = bc_expect_check(&s->expect[i], s->cat, &t->arch, err);
	if (st)
		return st;
	d->facts = t->facts;
	d->arch = t->arch;
	(void)bc_strlcpy(d->dev, t->dev, sizeof(d->dev));
	(void)snprintf(d->rerun, sizeof(d->rerun), "%.400s --device %s", s->run.rerun, t->option);
	d->expect_hash = bc_expect_hash(&s->expect[i]);
	st = bc_session_reserve(s, i, n, err);
	if (st)
		return st;
	if (s->options->shuffle.given)
		(void)snprintf(d->note, sizeof(d->note), "shuffled with seed %u", s->options->shuffle.value);
	for (size_t k = 0; k < s->cat->n + s->cat->nhidden; k++) {
		const struct bc_case *c = &s->cat->cases[k];

		if (!chosen[k])
			continue;
		bc_session_plan_case(s, i, c);
		s->run.plan_hash = bc_hash(s->run.plan_hash, c->id, strlen(c->id) + 1);
	}
	return BC_OK;
}

/* Leave of the chosen cases those of options.only. */
static enum bc_session_plan take_only(const struct bc_session *s, bool *chosen)
{
	const bool *only = s->options->only;
	size_t named = 0, left = 0;

	for (size_t k = 0; k < s->cat->n + s->cat->nhidden; k++) {
		named += only && only[k];
		chosen[k] = chosen[k] && (!only || only[k]);
		left += chosen[k];
	}
	return left ? BC_PLAN_CASES : only && !named ? BC_PLAN_NO_FINDINGS : BC_PLAN_EMPTY;
}

/* What is chosen, before a shard takes its part of it. */
static void name_selection(struct bc_session *s, const bool *chosen)
{
	size_t n = 0;

	s->run.select_hash = BC_HASH_INIT;
	for (size_t k = 0; k < s->cat->n + s->cat->nhidden; k++) {
		if (!chosen[k])
			continue;
		s->run.select_hash = bc_hash(s->run.select_hash, s->cat->cases[k].id, strlen(s->cat->cases[k].id) + 1);
		n += k < s->cat->n;
	}
	s->run.filtered = n < s->cat->n;
}

static enum bc_status plan(struct bc_session *s, const struct bc_target *t, size_t n, struct bc_error *err)
{
	struct bc_selection selection = { .filter = s->options->filter.item,
					  .nfilter = s->options->filter.n,
					  .exclude = s->options->exclude.item,
					  .nexclude = s->options->exclude.n,
					  .only_suite = s->options->only_suite,
					  .only_rule = s->options->only_rule };
	bool *chosen = calloc(s->cat->n + s->cat->nhidden + 1, sizeof(*chosen));
	struct bc_sms_choice sms = { .every = false };
	size_t count = 0;
	enum bc_status st;

	s->run.devices = calloc(n ? n : 1, sizeof(*s->run.devices));
	s->queue = calloc(n ? n : 1, sizeof(*s->queue));
	s->expect = calloc(n ? n : 1, sizeof(*s->expect));
	s->progress = calloc(n ? n : 1, sizeof(*s->progress));
	if (!chosen || !s->run.devices || !s->queue || !s->expect || !s->progress) {
		st = bc_fail(err, BC_ENOMEM, "plan: out of memory");
		goto out;
	}
	s->run.ndevices = n;
	s->run.plan_hash = BC_HASH_INIT;
	st = bc_sms_parse(s->options->sms, &sms, err);
	selection.every_sm = sms.every;
	if (!st)
		st = bc_case_ids_check(s->options->expected_dir, s->cat, err);
	if (!st)
		st = bc_select(s->cat, &selection, chosen, &count, err);
	if (!st)
		s->plan = take_only(s, chosen);
	if (!st)
		name_selection(s, chosen);
	if (!st && s->options->shard.of)
		(void)bc_shard(chosen, s->cat->n + s->cat->nhidden, s->options->shard.part, s->options->shard.of);
	for (size_t i = 0; !st && i < n; i++)
		st = plan_device(s, i, &t[i], chosen, count, err);
	if (!st)
		st = bc_session_identify(s, err);
out:
	free(chosen);
	return st;
}

/* The GPUs of the run: are there as many as it must have? */
static enum bc_status check_gpus(const struct bc_run_options *o, const struct bc_target *t, size_t n, const char *why,
				 struct bc_error *err)
{
	size_t gpus = 0;

	for (size_t i = 0; i < n; i++)
		gpus += t[i].facts.kind == BC_DEVICE_CUDA;
	if (o->gpus && gpus != o->gpus)
		return bc_fail(err, BC_EDEVICE, "--gpus %u: the run would have %zu%s%s (see `bankcheck devices`)",
			       o->gpus, gpus, *why ? ": " : "", why);
	if (o->require == BC_REQUIRE_COUNTERS && gpus < n)
		return bc_fail(err, BC_EUSAGE,
			       "--require counters: the reference device has no hardware counters; what it counts are "
			       "the bank laws: run on GPUs only, or without --require");
	return BC_OK;
}

/* The journal of the run, and the end of what the run before left. */
static enum bc_status open_journal(struct bc_session *s, struct bc_error *err)
{
	const struct bc_run_options *o = s->options;
	enum bc_status st =
		o->resume ? bc_session_resume(s, err) : bc_journal_create(o->journal, &s->run, o, &s->journal, err);

	/* once it is certain that the run begins; a resumed one ends what it may have been killed at */
	return st ? st : bc_last_run_clear(o->journal, &s->run, err);
}

enum bc_status bc_session_open(const struct bc_run_options *o, const struct bc_catalog *cat, struct bc_session **out,
			       struct bc_error *err)
{
	struct bc_session *s = calloc(1, sizeof(*s));
	struct bc_proc first = { .to = -1, .from = -1 };
	struct bc_facts *gpus = NULL;
	struct bc_target *targets = NULL;
	size_t ngpus = 0, n = 0;
	bool set_aside = false;
	char why[400] = "";
	enum bc_status st = BC_OK;

	if (!s)
		return bc_fail(err, BC_ENOMEM, "session: out of memory");
	s->options = o;
	s->cat = cat;
	s->require_counters = o->require == BC_REQUIRE_COUNTERS;
	s->witness = o->witness;
	s->attempts =
		(struct bc_attempts_options){ .repeat = o->repeat, .retries = o->retries, .retry_lost = o->retry_lost };
	s->signal_caught = &signal_caught;
	signal_caught = 0;
	st = name_run(&s->run, o, err);
	(void)signal(SIGPIPE, SIG_IGN);
	if (!st && o->journal && !o->resume)
		st = bc_last_run_set_aside(o->journal, &set_aside, err);
	if (!st)
		st = bc_known_load(o->expected_dir, cat, &s->known, err);
	if (!st && bc_targets_want_cuda(o->devices))
		st = bc_probe_list_and_keep(o, &first, &gpus, &ngpus, why, sizeof(why), err);
	if (!st && !ngpus && bc_targets_want_cuda(o->devices) && o->gpus)
		st = check_gpus(o, NULL, 0, why, err);
	if (!st)
		st = bc_targets_resolve(o->devices, o->expected_dir, gpus, ngpus, why, &targets, &n, err);
	if (!st)
		st = check_gpus(o, targets, n, "", err);
	if (!st)
		st = plan(s, targets, n, err);
	if (!st && o->journal && s->plan == BC_PLAN_CASES)
		st = open_journal(s, err);
	if (st)
		goto out;
	for (size_t i = 0; i < n; i++)
		s->queue[i].ntodo = bc_order(&s->run.devices[i], s->queue[i].observed, o->shuffle.given,
					     o->shuffle.value, s->queue[i].todo);
	if (first.pid && n && s->run.devices[0].facts.kind == BC_DEVICE_CUDA) {
		s->queue[0].worker =
			first; /* the worker that listed opens the first GPU: this saves one start of the driver */
		first = (struct bc_proc){ .to = -1, .from = -1 };
	}
	*out = s;
	s = NULL;
out:
	if (set_aside && (st || (*out)->plan != BC_PLAN_CASES))
		bc_last_run_put_back(o->journal);
	bc_proc_stop(&first, -1, NULL, 0);
	bc_session_close(s);
	free(targets);
	free(gpus);
	return st;
}

/* What needs no worker: decided by the plan, or taken over from a journal. */
static enum bc_status finish_decided(struct bc_session *s, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < s->run.ndevices; i++) {
		for (size_t k = 0; !st && k < s->run.devices[i].nresults; k++) {
			struct bc_device_run *d = &s->run.devices[i];

			if (!s->queue[i].observed[k])
				continue;
			if (!s->progress[i].finished[k] && s->journal)
				st = bc_journal_add(s->journal, d->dev, &d->results[k].obs, err);
			if (!st && !s->progress[i].finished[k])
				st = bc_session_judge(s, i, k, true, err);
			if (!st)
				bc_session_notify(s, i, k);
		}
	}
	return st;
}

enum bc_status bc_session_run(struct bc_session *s, const struct bc_session_events *ev, struct bc_error *err)
{
	const struct sigaction act = { .sa_handler = on_signal };
	struct sigaction old_int, old_term;
	struct bc_worker_argv argv;
	struct bc_dispatch_options d = { .timeout_s = s->options->timeout_s,
					 .inactivity_s = s->options->inactivity_s,
					 .argv = argv.word,
					 .result = bc_session_on_result,
					 .death = bc_session_on_death,
					 .ctx = s,
					 .signal_caught = &signal_caught,
					 .isolate = s->options->isolate == BC_ISOLATE_CASE,
					 .stop = bc_session_stop_reason };
	const double start = bc_now();
	enum bc_status st = BC_OK;

	signal_caught = 0;
	s->events = ev;
	s->deadline = s->options->deadline_s ? start + s->options->deadline_s : 0;
	(void)sigaction(SIGINT, &act, &old_int);
	(void)sigaction(SIGTERM, &act, &old_term);
	bc_run_options_worker_argv(s->options, &argv);
	if (ev && ev->begin)
		ev->begin(ev->ctx, &s->run);
	for (size_t i = 0; i < s->run.ndevices; i++)
		s->total += s->run.devices[i].nresults;
	st = finish_decided(s, err);
	do {
		if (!st)
			st = bc_dispatch(s->queue, s->run.ndevices, &d, err);
	} while (!st && bc_session_next_round(s));
	s->signal = signal_caught;
	(void)sigaction(SIGINT, &old_int, NULL);
	(void)sigaction(SIGTERM, &old_term, NULL);
	s->run.seconds = bc_now() - start;
	for (size_t i = 0; i < s->run.ndevices; i++)
		bc_session_complete(s, i,
				    s->signal || st		    ? "interrupted"
				    : !s->stop_reason[0]	    ? NULL
				    : s->stop_outcome == BC_NOT_RUN ? "fail-fast"
								    : "deadline");
	return st;
}
