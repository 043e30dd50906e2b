/* SPDX-License-Identifier: MIT */
#include "harness/run/remote.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/pattern_message.h"
#include "harness/run/proc.h"

struct bc_remote {
	const struct bc_run_options *o;
	struct bc_facts listed, facts; /* facts: of the opened device */
	struct bc_proc proc;
	bool running, in_profiler;
	char counters_off[200]; /* the profiler's library took a worker down: later ones leave it alone */
	unsigned deaths;
	char why[300]; /* of the last */
	struct bc_text text;
};

/* One question: what is sent, and what is done with each answer. */
struct question {
	struct bc_text *send; /* whole messages */
	const char *last;     /* kind of the message that ends the answer */
	enum bc_status (*take)(struct question *q, const struct bc_fields *m, struct bc_error *err); /* every message */
	/* For take: */
	const struct bc_pattern *p;
	size_t n, got;
	struct bc_pattern_count *count;
	struct bc_pattern_time *time;
	struct bc_window *window;
	struct bc_observation *obs;
	struct bc_facts *facts;
	char *absent;
	size_t size;
};

static void stop(struct bc_remote *r, bool kill_it, char *end, size_t size)
{
	if (r->running)
		bc_proc_stop(&r->proc, kill_it ? 0 : -1, end, size);
	r->running = false;
}

/* The worker is gone, or hangs. */
static void note_death(struct bc_remote *r, bool hangs)
{
	char end[80] = "";

	stop(r, hangs, end, sizeof(end));
	r->deaths++;
	if (hangs)
		(void)snprintf(r->why, sizeof(r->why), "the worker sent nothing for %u s", r->o->inactivity_s);
	else
		(void)snprintf(r->why, sizeof(r->why), "the worker ended: %s", end);
	if (r->in_profiler)
		(void)snprintf(r->counters_off, sizeof(r->counters_off), "CUPTI %s: measured without counters",
			       hangs ? "hangs when it is called" : "takes down the process that calls it");
}

/* Send and read to the end of the answer. @died: the worker did. */
static enum bc_status ask_once(struct bc_remote *r, struct question *q, bool *died, struct bc_error *err)
{
	struct bc_fields m;
	enum bc_status st = BC_OK;

	*died = false;
	q->got = 0;
	if (bc_proc_send(&r->proc, q->send->data, q->send->len, NULL))
		r->proc.eof = true; /* why it is gone is read below */
	for (;;) {
		char *line = bc_proc_line(&r->proc);

		if (!line && (r->proc.eof || !bc_proc_wait(&r->proc, r->o->inactivity_s))) {
			*died = true;
			note_death(r, !r->proc.eof);
			return BC_OK;
		}
		if (!line) {
			st = bc_proc_read(&r->proc, err);
			if (st)
				return st;
			continue;
		}
		st = bc_message_parse(line, &m, err);
		if (st)
			return st;
		if (strcmp(m.kind, "profiler") == 0) {
			r->in_profiler = strcmp(bc_message_get(&m, "in"), "1") == 0;
			continue;
		}
		if (strcmp(m.kind, "failed") == 0) {
			*died = bc_message_get(&m, "lost")[0] != '\0';
			st = *died ? BC_OK : bc_fail(err, BC_EDEVICE, "%s", bc_message_get(&m, "why"));
			(void)bc_strlcpy(r->why, bc_message_get(&m, "why"), sizeof(r->why));
			stop(r, false, NULL, 0); /* the message is gone with it */
			r->deaths += *died;
			return st;
		}
		st = q->take(q, &m, err);
		if (st || strcmp(m.kind, q->last) == 0)
			return st;
	}
}

static enum bc_status take_opened(struct question *q, const struct bc_fields *m, struct bc_error *err)
{
	if (strcmp(m->kind, "opened") != 0)
		return bc_fail(err, BC_EDEVICE, "opening: an answer `%.40s`", m->kind);
	return bc_facts_parse(m, q->facts, err);
}

/* Start a worker and open the device in it. */
static enum bc_status start(struct bc_remote *r, bool *died, struct bc_error *err)
{
	struct bc_worker_argv argv;
	struct bc_text t = { 0 };
	struct question q = { .send = &t, .last = "opened", .take = take_opened, .facts = &r->facts };
	enum bc_status st;

	bc_run_options_worker_argv(r->o, &argv);
	r->in_profiler = false;
	st = bc_proc_start((char *const *)argv.word, &r->proc, err);
	r->running = !st;
	if (!st)
		st = bc_message_begin(&t, "open", err);
	if (!st)
		st = bc_facts_add(&t, &r->listed, err);
	if (!st && r->counters_off[0])
		st = bc_message_add(&t, err, "counters_off", "%s", r->counters_off);
	if (!st)
		st = bc_message_end(&t, err);
	if (!st)
		st = ask_once(r, &q, died, err);
	bc_text_release(&t);
	return st;
}

/* Ask; a worker that dies is started again, once. */
static enum bc_status ask(struct bc_remote *r, struct question *q, struct bc_error *err)
{
	bool died = true;
	enum bc_status st = BC_OK;

	for (unsigned attempt = 0; !st && died && attempt < 2; attempt++) {
		died = false;
		if (!r->running)
			st = start(r, &died, err);
		if (!st && !died)
			st = ask_once(r, q, &died, err);
	}
	if (!st && died)
		st = bc_fail(err, BC_EDEVICE, "%s, twice at the same work", r->why);
	return st;
}

enum bc_status bc_remote_open(const struct bc_run_options *o, const struct bc_facts *device, struct bc_remote **out,
			      struct bc_error *err)
{
	struct bc_remote *r = calloc(1, sizeof(*r));
	bool died = true;
	enum bc_status st = BC_OK;

	if (!r)
		return bc_fail(err, BC_ENOMEM, "worker: out of memory");
	(void)signal(SIGPIPE, SIG_IGN);
	r->o = o;
	r->listed = *device;
	for (unsigned attempt = 0; !st && died && attempt < 2; attempt++)
		st = start(r, &died, err);
	if (!st && died)
		st = bc_fail(err, BC_EDEVICE, "%s, twice while it opened the device", r->why);
	if (st) {
		bc_remote_close(r);
		return st;
	}
	*out = r;
	return BC_OK;
}

const struct bc_facts *bc_remote_facts(const struct bc_remote *r)
{
	return &r->facts;
}

unsigned bc_remote_deaths(const struct bc_remote *r, const char **why)
{
	*why = r->why;
	return r->deaths;
}

void bc_remote_close(struct bc_remote *r)
{
	if (!r)
		return;
	stop(r, false, NULL, 0);
	bc_text_release(&r->text);
	free(r);
}

static enum bc_status take_measured(struct question *q, const struct bc_fields *m, struct bc_error *err)
{
	if (strcmp(m->kind, q->last) == 0) {
		if (bc_message_get(m, "absent")[0])
			(void)bc_strlcpy(q->absent, bc_message_get(m, "absent"), q->size);
		return q->got == q->n ? BC_OK
				      : bc_fail(err, BC_EDEVICE, "%zu of %zu patterns were answered", q->got, q->n);
	}
	if (q->got == q->n || strcmp(m->kind, q->count ? "counted" : "timed") != 0)
		return bc_fail(err, BC_EDEVICE, "measuring patterns: an answer `%.40s`", m->kind);
	q->got++;
	return q->count ? bc_counted_parse(m, &q->count[q->got - 1], err)
			: bc_timed_parse(m, &q->time[q->got - 1], err);
}

/* @count or @time is wanted. */
static enum bc_status measure(struct bc_remote *r, const struct bc_pattern *p, size_t n, struct bc_pattern_count *count,
			      struct bc_pattern_time *time, char *absent, size_t size, struct bc_error *err)
{
	struct bc_text all = { 0 };
	enum bc_status st = BC_OK;

	absent[0] = '\0';
	for (size_t i = 0, k; !st && i < n; i += k) {
		struct question q = { .send = &all, .last = "measured", .take = take_measured };

		k = n - i < BC_PATTERNS_AT_ONCE ? n - i : BC_PATTERNS_AT_ONCE;
		q.n = k;
		q.count = count ? count + i : NULL;
		q.time = time ? time + i : NULL;
		q.absent = absent;
		q.size = size;
		all.len = 0;
		for (size_t j = 0; !st && j < k; j++) {
			st = bc_pattern_message(&p[i + j], &r->text, err);
			if (!st)
				st = bc_text_add(&all, r->text.data, r->text.len, err);
		}
		if (!st)
			st = bc_text_addf(&all, err, "%s\n", count ? "count" : "time");
		if (!st)
			st = ask(r, &q, err);
	}
	bc_text_release(&all);
	return st;
}

enum bc_status bc_remote_count(struct bc_remote *r, const struct bc_pattern *p, size_t n, struct bc_pattern_count *out,
			       char *absent, size_t size, struct bc_error *err)
{
	return measure(r, p, n, out, NULL, absent, size, err);
}

enum bc_status bc_remote_time(struct bc_remote *r, const struct bc_pattern *p, size_t n, struct bc_pattern_time *out,
			      char *absent, size_t size, struct bc_error *err)
{
	return measure(r, p, n, NULL, out, absent, size, err);
}

static enum bc_status take_window(struct question *q, const struct bc_fields *m, struct bc_error *err)
{
	return bc_window_parse(m, q->window, err);
}

enum bc_status bc_remote_window(struct bc_remote *r, struct bc_window *out, struct bc_error *err)
{
	struct bc_text t = { 0 };
	struct question q = { .send = &t, .last = "window", .take = take_window, .window = out };
	enum bc_status st = bc_text_addf(&t, err, "window\n");

	if (!st)
		st = ask(r, &q, err);
	bc_text_release(&t);
	return st;
}

static enum bc_status take_case(struct question *q, const struct bc_fields *m, struct bc_error *err)
{
	if (strcmp(m->kind, "obs") == 0) {
		q->got = 1;
		return bc_observation_parse(m, q->obs, err);
	}
	return strcmp(m->kind, "done") == 0 && q->got ? BC_OK
						      : bc_fail(err, BC_EDEVICE, "a case: an answer `%.40s`", m->kind);
}

enum bc_status bc_remote_case(struct bc_remote *r, const char *id, struct bc_observation *out, struct bc_error *err)
{
	struct bc_text t = { 0 };
	struct question q = { .send = &t, .last = "done", .take = take_case, .obs = out };
	enum bc_status st = bc_text_addf(&t, err, "case\tid=%s\nmeasure\n", id);

	if (!st)
		st = ask(r, &q, err);
	bc_text_release(&t);
	return st;
}
