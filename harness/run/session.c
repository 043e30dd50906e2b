/* SPDX-License-Identifier: MIT */
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
#include "harness/run/resume.h"
#include "harness/core/case_ids.h"
#include "harness/run/session_state.h"
#include "harness/run/targets.h"

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
	caught = sig;
}

/* Read `device` lines up to `listed`. */
static enum bc_status read_list(const struct bc_run_options *o, struct bc_proc *p, struct bc_facts **gpus, size_t *n,
				char *why, size_t size, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (;;) {
		struct bc_fields m;
		struct bc_facts *grown;
		char *line = bc_proc_line(p);

		if (!line) {
			if (p->eof)
				return bc_fail(err, BC_EDEVICE,
					       "the worker that lists the GPUs ended without an answer");
			if (!bc_proc_wait(p, o->inactivity_s))
				return bc_fail(err, BC_EDEVICE,
					       "the worker that lists the GPUs was not heard from for %u s: the driver "
					       "hangs",
					       o->inactivity_s);
			st = bc_proc_read(p, err);
			if (st)
				return st;
			continue;
		}
		st = bc_message_parse(line, &m, err);
		if (st)
			return st;
		if (strcmp(m.kind, "listed") == 0) {
			(void)bc_strlcpy(why, bc_message_get(&m, "why"), size);
			return BC_OK;
		}
		if (strcmp(m.kind, "device") != 0)
			return bc_fail(err, BC_EDEVICE, "listing the GPUs: %s", bc_message_get(&m, "why"));
		grown = realloc(*gpus, (*n + 1) * sizeof(*grown));
		if (!grown)
			return bc_fail(err, BC_ENOMEM, "device list: out of memory");
		*gpus = grown;
		st = bc_facts_parse(&m, &grown[*n], err);
		if (st)
			return st;
		++*n;
	}
}

/* List the GPUs through a worker; on success the worker is left running in @p for the first device. */
static enum bc_status list_gpus(const struct bc_run_options *o, struct bc_proc *p, struct bc_facts **gpus, size_t *n,
				char *why, size_t size, struct bc_error *err)
{
	struct bc_worker_argv argv;
	enum bc_status st;

	*gpus = NULL;
	*n = 0;
	why[0] = '\0';
	bc_run_options_worker_argv(o, &argv);
	st = bc_proc_start((char *const *)argv.word, p, err);
	if (!st)
		st = bc_proc_send(p, "list\n", 5, err);
	if (!st)
		st = read_list(o, p, gpus, n, why, size, err);
	if (st) {
		free(*gpus);
		*gpus = NULL;
		*n = 0;
		bc_proc_stop(p, 0, NULL, 0);
	}
	return st;
}

enum bc_status bc_session_list(const struct bc_run_options *o, struct bc_facts **gpus, size_t *n, char *why,
			       size_t size, struct bc_error *err)
{
	struct bc_proc p;
	enum bc_status st = list_gpus(o, &p, gpus, n, why, size, err);

	if (!st)
		bc_proc_stop(&p, -1, NULL, 0);
	return st;
}

/* Facts of one GPU as its opening tells them. */
static enum bc_status probe(const struct bc_run_options *o, struct bc_facts *f, struct bc_error *err)
{
	struct bc_worker_argv argv;
	struct bc_text t = { 0 };
	struct bc_fields m;
	struct bc_proc p;
	char *line = NULL;
	enum bc_status st;

	bc_run_options_worker_argv(o, &argv);
	st = bc_proc_start((char *const *)argv.word, &p, err);
	if (!st)
		st = bc_message_begin(&t, "open", err);
	if (!st)
		st = bc_facts_add(&t, f, err);
	if (!st)
		st = bc_message_end(&t, err);
	if (!st && bc_proc_send(&p, t.data, t.len, NULL))
		p.eof = true; /* it is gone already */
	while (!st && !(line = bc_proc_line(&p)) && !p.eof && bc_proc_wait(&p, o->inactivity_s))
		st = bc_proc_read(&p, err);
	if (!st && !line)
		(void)snprintf(f->counters_absent, sizeof(f->counters_absent),
			       "cuda:%u cannot be opened: the worker that tried %s", f->index,
			       p.eof ? "ended without an answer" : "hangs");
	if (!st && line)
		st = bc_message_parse(line, &m, err);
	if (!st && line && strcmp(m.kind, "opened") == 0)
		st = bc_facts_parse(&m, f, err);
	else if (!st && line)
		(void)bc_strlcpy(f->counters_absent, bc_message_get(&m, "why"), sizeof(f->counters_absent));
	bc_proc_stop(&p, line || p.eof ? -1 : 0, NULL, 0);
	bc_text_release(&t);
	return st;
}

enum bc_status bc_session_probe(const struct bc_run_options *o, struct bc_facts *gpus, size_t n, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	(void)signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; !st && i < n; i++)
		st = probe(o, &gpus[i], err);
	return st;
}

/* Names of the run: when, where, which. */
static void name_run(struct bc_run *r, const struct bc_run_options *o)
{
	const time_t t = time(NULL);
	struct tm tm;
	char when[24] = "";

	if (gmtime_r(&t, &tm)) {
		(void)strftime(r->timestamp, sizeof(r->timestamp), "%Y-%m-%dT%H:%M:%S", &tm);
		(void)strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &tm);
	}
	if (gethostname(r->host, sizeof(r->host) - 1))
		(void)bc_strlcpy(r->host, "localhost", sizeof(r->host));
	(void)snprintf(r->run_id, sizeof(r->run_id), "%s-%.24s-%ld", when, r->host, (long)getpid());
	(void)bc_strlcpy(r->reports_dir, o->reports_dir ? o->reports_dir : "", sizeof(r->reports_dir));
	(void)snprintf(r->rerun, sizeof(r->rerun), "bankcheck run%s", o->rerun ? o->rerun : "");
}

static enum bc_status plan_device(struct bc_session *s, size_t i, const struct bc_target *t, const bool *chosen,
				  size_t n, struct bc_error *err)
{
	struct bc_device_run *d = &s->run.devices[i];
	enum bc_status st = bc_expect_load(s->o->expected_dir, t->arch.name, s->cat, &s->expect[i], err);

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
	if (s->o->shuffle.given)
		(void)snprintf(d->note, sizeof(d->note), "shuffled with seed %u", s->o->shuffle.value);
	for (size_t k = 0; k < s->cat->n + s->cat->nhidden; k++) {
		const struct bc_case *c = &s->cat->cases[k];

		if (!chosen[k])
			continue;
		bc_session_add(s, i, c);
		s->run.plan_hash = bc_hash(s->run.plan_hash, c->id, strlen(c->id) + 1);
	}
	return BC_OK;
}

static enum bc_status plan(struct bc_session *s, const struct bc_target *t, size_t n, struct bc_error *err)
{
	const struct bc_selection selection = { .filter = s->o->filter.item,
						.nfilter = s->o->filter.n,
						.exclude = s->o->exclude.item,
						.nexclude = s->o->exclude.n,
						.only_suite = s->o->only_suite,
						.only_rule = s->o->only_rule };
	bool *chosen = calloc(s->cat->n + s->cat->nhidden + 1, sizeof(*chosen));
	size_t count = 0;
	enum bc_status st;

	s->run.devices = calloc(n ? n : 1, sizeof(*s->run.devices));
	s->work = calloc(n ? n : 1, sizeof(*s->work));
	s->expect = calloc(n ? n : 1, sizeof(*s->expect));
	s->standing = calloc(n ? n : 1, sizeof(*s->standing));
	if (!chosen || !s->run.devices || !s->work || !s->expect || !s->standing) {
		st = bc_fail(err, BC_ENOMEM, "plan: out of memory");
		goto out;
	}
	s->run.ndevices = n;
	s->run.plan_hash = BC_HASH_INIT;
	st = bc_case_ids_check(s->o->expected_dir, s->cat, err);
	if (!st)
		st = bc_select(s->cat, &selection, chosen, &count, err);
	for (size_t k = 0; !st && s->o->only && k < s->cat->n + s->cat->nhidden; k++)
		chosen[k] = chosen[k] && s->o->only[k];
	if (!st && s->o->shard.of)
		(void)bc_shard(chosen, s->cat->n + s->cat->nhidden, s->o->shard.part, s->o->shard.of);
	for (size_t i = 0; !st && i < n; i++)
		st = plan_device(s, i, &t[i], chosen, count, err);
	if (!st)
		st = bc_session_identify(s, err);
out:
	free(chosen);
	return st;
}

enum bc_status bc_session_open(const struct bc_run_options *o, const struct bc_catalog *cat, struct bc_session **out,
			       struct bc_error *err)
{
	struct bc_session *s = calloc(1, sizeof(*s));
	struct bc_proc first = { .to = -1, .from = -1 };
	struct bc_facts *gpus = NULL;
	struct bc_target *targets = NULL;
	size_t ngpus = 0, n = 0;
	char why[400] = "";
	enum bc_status st = BC_OK;

	if (!s)
		return bc_fail(err, BC_ENOMEM, "session: out of memory");
	s->o = o;
	s->cat = cat;
	s->require_counters = o->require == BC_REQUIRE_COUNTERS;
	s->attempts =
		(struct bc_attempts_options){ .repeat = o->repeat, .retries = o->retries, .retry_lost = o->retry_lost };
	s->caught = &caught;
	caught = 0;
	name_run(&s->run, o);
	(void)signal(SIGPIPE, SIG_IGN);
	st = bc_known_load(o->expected_dir, cat, &s->known, err);
	if (!st && bc_targets_want_cuda(o->devices))
		st = list_gpus(o, &first, &gpus, &ngpus, why, sizeof(why), err);
	if (!st)
		st = bc_targets_resolve(o->devices, o->expected_dir, gpus, ngpus, why, &targets, &n, err);
	if (!st)
		st = plan(s, targets, n, err);
	if (!st && o->journal)
		st = o->resume ? bc_session_resume(s, err)
			       : bc_journal_create(o->journal, &s->run, o, &s->journal, err);
	if (st)
		goto out;
	for (size_t i = 0; i < n; i++)
		s->work[i].ntodo = bc_order(&s->run.devices[i], s->work[i].seen, o->shuffle.given, o->shuffle.value,
					    s->work[i].todo);
	if (first.pid && n && s->run.devices[0].facts.kind == BC_DEVICE_CUDA) {
		s->work[0].proc =
			first; /* the worker that listed goes on with the first GPU: one start of the driver less */
		first = (struct bc_proc){ .to = -1, .from = -1 };
	}
	*out = s;
	s = NULL;
out:
	bc_proc_stop(&first, -1, NULL, 0);
	bc_session_close(s);
	free(targets);
	free(gpus);
	return st;
}

/* What needs no worker: decided by the plan, or taken over from a journal. */
static enum bc_status settle_first(struct bc_session *s, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < s->run.ndevices; i++) {
		for (size_t k = 0; !st && k < s->run.devices[i].nresults; k++) {
			struct bc_device_run *d = &s->run.devices[i];

			if (!s->work[i].seen[k])
				continue;
			if (!s->standing[i].done[k] && s->journal)
				st = bc_journal_add(s->journal, d->dev, &d->results[k].obs, err);
			if (!st && !s->standing[i].done[k])
				st = bc_session_accept(s, i, k, true, err);
			if (!st)
				bc_session_report(s, i, k);
		}
	}
	return st;
}

enum bc_status bc_session_run(struct bc_session *s, const struct bc_session_events *ev, struct bc_error *err)
{
	const struct sigaction act = { .sa_handler = on_signal };
	struct sigaction old_int, old_term;
	struct bc_worker_argv argv;
	struct bc_dispatch_options d = { .timeout_s = s->o->timeout_s,
					 .inactivity_s = s->o->inactivity_s,
					 .argv = argv.word,
					 .result = bc_session_on_result,
					 .ctx = s,
					 .caught = &caught,
					 .isolate = s->o->isolate == BC_ISOLATE_CASE,
					 .stop = bc_session_stop };
	const double start = bc_now();
	enum bc_status st = BC_OK;

	caught = 0;
	s->ev = ev;
	s->end = s->o->deadline_s ? start + s->o->deadline_s : 0;
	(void)sigaction(SIGINT, &act, &old_int);
	(void)sigaction(SIGTERM, &act, &old_term);
	bc_run_options_worker_argv(s->o, &argv);
	if (ev && ev->begin)
		ev->begin(ev->ctx, &s->run);
	for (size_t i = 0; i < s->run.ndevices; i++)
		s->total += s->run.devices[i].nresults;
	st = settle_first(s, err);
	do {
		if (!st)
			st = bc_dispatch(s->work, s->run.ndevices, &d, err);
	} while (!st && bc_session_next_round(s));
	s->signal = caught;
	(void)sigaction(SIGINT, &old_int, NULL);
	(void)sigaction(SIGTERM, &old_term, NULL);
	s->run.seconds = bc_now() - start;
	for (size_t i = 0; i < s->run.ndevices; i++)
		s->run.devices[i].complete = !s->signal && !st && !s->why[0] && s->run.devices[i].nresults == s->cat->n;
	return st;
}

const struct bc_run *bc_session_result(const struct bc_session *s)
{
	return &s->run;
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
		if (s->work) {
			if (s->work[i].proc.pid)
				bc_proc_stop(&s->work[i].proc, s->work[i].state == BC_QUEUE_DONE ? -1 : 0, NULL, 0);
			free(s->work[i].todo);
			free(s->work[i].seen);
			free(s->work[i].stack);
		}
		if (s->standing) {
			free(s->standing[i].done);
			free(s->standing[i].again);
			free(s->standing[i].kept);
		}
		if (s->expect)
			bc_expect_release(&s->expect[i]);
		for (size_t k = 0; k < s->run.devices[i].nresults; k++)
			free(s->run.devices[i].results[k].tries);
		free(s->run.devices[i].results);
	}
	free(s->run.devices);
	free(s->work);
	free(s->standing);
	free(s->expect);
	bc_known_release(&s->known);
	bc_journal_close(s->journal);
	free(s);
}
