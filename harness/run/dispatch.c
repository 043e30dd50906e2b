/* SPDX-License-Identifier: MIT */
#include "harness/run/dispatch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/measure/measure.h"

#define OPEN_S 120u  /* a worker that opens its device has so long */
#define HEALTH_S 60u /* the same after a worker was lost, with a small kernel */
#define GRACE_MS 500

struct dispatch {
	struct bc_device_queue *lane;
	size_t n;
	const struct bc_dispatch_options *o;
};

static enum bc_status push(struct bc_device_queue *w, size_t first, size_t n, struct bc_error *err)
{
	if (!n)
		return BC_OK;
	if (w->nstack == w->capstack) {
		const size_t cap = w->capstack ? 2 * w->capstack : 64;
		struct bc_batch *grown = realloc(w->stack, cap * sizeof(*grown));

		if (!grown)
			return bc_fail(err, BC_ENOMEM, "dispatch: out of memory");
		w->stack = grown;
		w->capstack = cap;
	}
	w->stack[w->nstack++] = (struct bc_batch){ .first = first, .n = n };
	return BC_OK;
}

/* The whole of todo as batches, the first on top. */
static enum bc_status push_all(struct bc_device_queue *w, size_t most, struct bc_error *err)
{
	const size_t batches = (w->ntodo + most - 1) / most;
	enum bc_status st = BC_OK;

	for (size_t b = batches; !st && b-- > 0;) {
		const size_t first = b * most, left = w->ntodo - first;

		st = push(w, first, left < most ? left : most, err);
	}
	return st;
}

/* Give a case the outcome @how with a reason. */
static enum bc_status conclude(struct dispatch *d, struct bc_device_queue *w, size_t index, enum bc_outcome how,
			       const char *why, struct bc_error *err)
{
	struct bc_observation *o = &w->run->results[index].obs;

	if (w->seen[index])
		return BC_OK;
	memset(o, 0, sizeof(*o));
	(void)bc_strlcpy(o->id, w->run->results[index].c->id, sizeof(o->id));
	o->outcome = how;
	(void)bc_strlcpy(o->reason, why, sizeof(o->reason));
	w->seen[index] = true;
	return d->o->result(d->o->ctx, w->run, index, err);
}

/* Every case that is left. */
static enum bc_status conclude_all(struct dispatch *d, struct bc_device_queue *w, enum bc_outcome how, const char *why,
				   struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < w->ntodo; i++)
		st = conclude(d, w, w->todo[i], how, why, err);
	w->nstack = 0;
	w->state = BC_QUEUE_DONE;
	return st;
}

/* Send to the worker. One that is gone is handled as any death, which tells how it ended; what else failed is told. */
static void send_to(struct bc_device_queue *w, const struct bc_text *t)
{
	struct bc_error bad = { .msg = "" };

	if (!bc_proc_send(&w->proc, t->data, t->len, &bad))
		return;
	if (errno != EPIPE)
		(void)bc_strlcpy(w->why, bad.msg, sizeof(w->why));
	w->proc.eof = true;
}

static enum bc_status start_worker(struct dispatch *d, struct bc_device_queue *w, struct bc_error *err)
{
	struct bc_text t = { 0 };
	enum bc_status st = BC_OK;

	if (w->proc.pid && w->proc.to < 0) /* one that said goodbye in an earlier round */
		bc_proc_stop(&w->proc, -1, NULL, 0);
	if (!w->proc.pid)
		st = bc_proc_start((char *const *)d->o->argv, &w->proc, err);
	if (!st)
		st = bc_message_begin(&t, "open", err);
	if (!st && w->hurt)
		st = bc_message_add(&t, err, "health", "1");
	if (!st)
		st = bc_facts_add(&t, &w->run->facts, err);
	if (!st)
		st = bc_message_end(&t, err);
	w->state = BC_QUEUE_OPENING;
	w->why[0] = '\0';
	w->failed = w->lost = false;
	if (!st)
		send_to(w, &t);
	bc_text_release(&t);
	w->heard = bc_now();
	w->deadline = w->heard + (w->hurt ? HEALTH_S : OPEN_S);
	return st;
}

/* The next batch to the worker, or its end. */
static enum bc_status next_batch(struct dispatch *d, struct bc_device_queue *w, struct bc_error *err)
{
	struct bc_text t = { 0 };
	enum bc_status st = BC_OK;

	if (!w->nstack) {
		bc_proc_close_input(
			&w->proc); /* it takes its device down while reports are written; the session reaps it */
		w->state = BC_QUEUE_DONE;
		return BC_OK;
	}
	if (d->o->isolate && w->state == BC_QUEUE_BUSY) {
		bc_proc_stop(&w->proc, -1, NULL, 0);
		w->state = BC_QUEUE_IDLE; /* the next case gets a new worker */
		return BC_OK;
	}
	w->now = w->stack[--w->nstack];
	for (size_t i = 0; !st && i < w->now.n; i++) {
		const struct bc_result *r = &w->run->results[w->todo[w->now.first + i]];

		st = bc_text_addf(&t, err, "case\tid=%s", r->c->id);
		if (!st && r->ntries)
			st = bc_text_addf(&t, err, "\tattempt=%zu", r->ntries);
		if (!st)
			st = bc_text_add(&t, "\n", 1, err);
	}
	if (!st)
		st = bc_text_addf(&t, err, "measure\n");
	w->state = BC_QUEUE_BUSY;
	w->heard = bc_now();
	w->deadline = w->heard + (double)d->o->timeout_s * (double)w->now.n;
	if (!st)
		send_to(w, &t);
	bc_text_release(&t);
	return st;
}

static enum bc_status take_observation(struct dispatch *d, struct bc_device_queue *w, const struct bc_fields *m,
				       struct bc_error *err)
{
	struct bc_observation o;
	enum bc_status st = bc_observation_parse(m, &o, err);

	if (st)
		return st;
	for (size_t i = 0; i < w->now.n; i++) {
		const size_t index = w->todo[w->now.first + i];
		struct bc_result *r = &w->run->results[index];

		if (strcmp(r->c->id, o.id) != 0 || w->seen[index])
			continue;
		r->obs = o;
		w->seen[index] = true;
		w->deaths = 0;
		return d->o->result(d->o->ctx, w->run, index, err);
	}
	return bc_fail(err, BC_EDATA, "the worker sent %s, which it was not given", o.id);
}

/* The worker says that it is done with its batch: then each case of it must have its observation. */
static enum bc_status take_done(const struct bc_device_queue *w, struct bc_error *err)
{
	for (size_t i = 0; i < w->now.n; i++) {
		const size_t index = w->todo[w->now.first + i];

		if (!w->seen[index])
			return bc_fail(err, BC_EDATA, "the worker says that it is done, without a result for %s",
				       w->run->results[index].c->id);
	}
	return BC_OK;
}

/* Is @events in @all, as a whole: not as the beginning of another ("Xid 6" of "Xid 63")? */
static bool has_events(const char *all, const char *events)
{
	const size_t len = strlen(events);

	for (const char *at = all; (at = strstr(at, events)); at++)
		if ((at == all || at[-1] == ' ') && (!at[len] || at[len] == ';' || at[len] == ','))
			return true;
	return false;
}

/* What the GPU told of, once each. */
static void keep_events(struct bc_device_run *d, const char *events)
{
	const size_t len = strlen(d->events);

	if (events[0] && !has_events(d->events, events))
		(void)snprintf(d->events + len, sizeof(d->events) - len, "%s%s", len ? "; " : "", events);
}

/* A worker's line. A malformed one ends the worker, not the run. */
static enum bc_status take_line(struct dispatch *d, struct bc_device_queue *w, char *line, struct bc_error *err)
{
	struct bc_fields m;
	struct bc_error bad = { .msg = "" };
	enum bc_status st = bc_message_parse(line, &m, &bad);

	w->heard = bc_now();
	if (!st)
		keep_events(w->run, bc_message_get(&m, "events"));
	if (!st && strcmp(m.kind, "opened") == 0 && w->state == BC_QUEUE_OPENING) {
		st = bc_facts_parse(&m, &w->run->facts, &bad);
		if (!w->run->state_before[0]) /* of the first worker: later ones start in the middle */
			(void)bc_strlcpy(w->run->state_before, bc_message_get(&m, "state"),
					 sizeof(w->run->state_before));
		w->run->images_hash = strtoull(bc_message_get(&m, "images_hash"), NULL, 16);
		if (!st)
			return next_batch(d, w, err);
	} else if (!st && strcmp(m.kind, "obs") == 0 && w->state == BC_QUEUE_BUSY) {
		st = take_observation(d, w, &m, &bad);
		if (st && bad.status != BC_EDATA)
			return bc_fail(err, bad.status, "%s", bad.msg); /* ours, not the worker's */
	} else if (!st && strcmp(m.kind, "done") == 0 && w->state == BC_QUEUE_BUSY) {
		st = take_done(w, &bad);
		(void)bc_strlcpy(w->run->state_after, bc_message_get(&m, "state"), sizeof(w->run->state_after));
		if (!st)
			return next_batch(d, w, err);
	} else if (!st && strcmp(m.kind, "failed") == 0) {
		st = bc_fail(&bad, BC_EDEVICE, "%s", bc_message_get(&m, "why"));
		w->failed = true;
		w->lost = bc_message_get(&m, "lost")[0] != '\0';
	} else if (!st && strcmp(m.kind, "alive") != 0) {
		st = bc_fail(&bad, BC_EDATA, "the worker sent `%.60s`, which has no place here", m.kind);
	}
	if (st) {
		(void)bc_strlcpy(w->why, bad.msg, sizeof(w->why));
		w->proc.eof = true;
	}
	return BC_OK;
}

/* The worker is gone (or was ended for @why): what of its batch has no observation is halved; alone it is LOST, also
 * when the worker could still say how its context died, or BROKEN when it said that the tool failed. */
static enum bc_status after_death(struct dispatch *d, struct bc_device_queue *w, const char *why, struct bc_error *err)
{
	size_t first = 0, n = 0;
	enum bc_status st = BC_OK;

	if (w->state == BC_QUEUE_OPENING) {
		char text[BC_REASON_MAX];

		(void)snprintf(text, sizeof(text), "%s: %.*s",
			       w->hurt ? "device given up: it did not come back after its worker was lost"
				       : "the device could not be opened",
			       BC_REASON_MAX - 80, why);
		w->gone = true;
		return conclude_all(d, w, w->hurt ? BC_LOST_WORKER : BC_TOOL_ERROR, text, err);
	}
	w->hurt = true;
	for (size_t i = 0; i < w->now.n; i++) { /* observations come in order: what is missing is the tail */
		if (w->seen[w->todo[w->now.first + i]])
			continue;
		if (!n)
			first = w->now.first + i;
		n = w->now.first + i + 1 - first;
	}
	w->state = BC_QUEUE_IDLE;
	if (n == 1) {
		st = conclude(d, w, w->todo[first], w->failed && !w->lost ? BC_TOOL_ERROR : BC_LOST_WORKER, why, err);
		w->deaths++;
		w->gone = w->gone || w->deaths >= BC_DEATHS_MAX;
		if (!st && w->gone)
			st = conclude_all(d, w, BC_LOST_WORKER,
					  "device given up: three cases in a row took their worker down", err);
	} else if (n > 1) {
		st = push(w, first + n / 2, n - n / 2, err);
		if (!st)
			st = push(w, first, n / 2, err);
	}
	if (!st && w->state == BC_QUEUE_IDLE && !w->nstack)
		w->state = BC_QUEUE_DONE;
	return st;
}

/* End a lane's worker and settle its batch. @why: NULL when it ended by itself. */
static enum bc_status bury(struct dispatch *d, struct bc_device_queue *w, const char *why, struct bc_error *err)
{
	const bool ends = !why && (w->failed || !w->why[0]); /* of itself; others talked nonsense or hang */
	char how[64], text[BC_REASON_MAX + 128];

	bc_proc_stop(&w->proc, ends ? -1 : GRACE_MS, how, sizeof(how));
	if (why)
		(void)snprintf(text, sizeof(text), "%s", why);
	else if (w->why[0])
		(void)snprintf(text, sizeof(text), "%s", w->why);
	else
		(void)snprintf(text, sizeof(text), "the worker ended: %s", how);
	return after_death(d, w, text, err);
}

static enum bc_status serve(struct dispatch *d, struct bc_device_queue *w, struct bc_error *err)
{
	struct bc_error bad = { .msg = "" };
	/* One that could not be sent to may have left last words. */
	enum bc_status st = w->proc.eof && !bc_proc_wait(&w->proc, 0) ? BC_OK : bc_proc_read(&w->proc, &bad);
	char *line;

	if (st == BC_EDEVICE) { /* the worker's fault: it ends, the run goes on */
		(void)bc_strlcpy(w->why, bad.msg, sizeof(w->why));
		w->proc.eof = true;
		st = BC_OK;
	} else if (st) {
		return bc_fail(err, st, "%s", bad.msg);
	}
	while (!st && w->proc.pid && !(w->proc.eof && w->why[0]) && (line = bc_proc_line(&w->proc)))
		st = take_line(d, w, line, err);
	if (!st && w->proc.pid && w->proc.eof && w->state != BC_QUEUE_DONE)
		st = bury(d, w, NULL, err);
	return st;
}

static enum bc_status check_time(struct dispatch *d, struct bc_device_queue *w, double t, struct bc_error *err)
{
	char why[160];

	if (t > w->deadline)
		(void)snprintf(why, sizeof(why), "hung: no result within %s of %u s%s",
			       w->state == BC_QUEUE_OPENING ? "the opening's limit" : "the limit",
			       w->state != BC_QUEUE_OPENING ? d->o->timeout_s
			       : w->hurt		    ? HEALTH_S
							    : OPEN_S,
			       w->state == BC_QUEUE_BUSY && w->now.n > 1 ? " a case" : "");
	else if (w->state == BC_QUEUE_BUSY && t > w->heard + d->o->inactivity_s)
		(void)snprintf(why, sizeof(why), "hung: nothing heard from the worker for %u s", d->o->inactivity_s);
	else
		return BC_OK;
	return bury(d, w, why, err);
}

/* Start what may start: all GPUs, and reference devices up to the number of CPUs. */
static enum bc_status start_some(struct dispatch *d, struct bc_error *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long busy = 0;
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < d->n; i++)
		busy += d->lane[i].run->facts.kind == BC_DEVICE_REFERENCE &&
			(d->lane[i].state == BC_QUEUE_OPENING || d->lane[i].state == BC_QUEUE_BUSY);
	for (size_t i = 0; !st && i < d->n; i++) {
		struct bc_device_queue *w = &d->lane[i];
		struct bc_error why;

		if (w->state != BC_QUEUE_IDLE ||
		    (w->run->facts.kind == BC_DEVICE_REFERENCE && busy >= (cpus > 0 ? cpus : 1)))
			continue;
		if (!w->started)
			st = push_all(w, d->o->isolate ? 1 : BC_BATCH_MAX, err);
		w->started = true;
		if (!st && !w->nstack) {
			w->state = BC_QUEUE_DONE;
		} else if (!st && start_worker(d, w, &why)) {
			bc_proc_stop(&w->proc, 0, NULL, 0);
			st = conclude_all(d, w, BC_TOOL_ERROR, why.msg, err);
		} else {
			busy += w->run->facts.kind == BC_DEVICE_REFERENCE;
		}
	}
	return st;
}

/* Wait for something to happen. @any: false when all lanes are done. */
static enum bc_status wait_any(struct dispatch *d, struct pollfd *fds, size_t *owner, size_t *nfds, bool *any,
			       struct bc_error *err)
{
	double wake = bc_now() + 0.2; /* a signal that came just before poll waits no longer */

	*nfds = 0;
	*any = false;
	for (size_t i = 0; i < d->n; i++) {
		const struct bc_device_queue *w = &d->lane[i];

		*any = *any || w->state != BC_QUEUE_DONE;
		if (!w->proc.pid || w->state == BC_QUEUE_IDLE || w->state == BC_QUEUE_DONE)
			continue;
		wake = w->proc.eof ? 0 : w->deadline < wake ? w->deadline : wake;
		owner[*nfds] = i;
		fds[(*nfds)++] = (struct pollfd){ .fd = w->proc.from, .events = POLLIN };
	}
	if (*any && *nfds) {
		const double left = wake - bc_now();

		if (poll(fds, *nfds, left > 0 ? (int)(left * 1000) + 1 : 0) >= 0)
			return BC_OK;
		if (errno != EINTR)
			return bc_fail(err, BC_EDEVICE, "dispatch: cannot wait for the workers: %s", strerror(errno));
		for (size_t i = 0; i < *nfds; i++)
			fds[i].revents = 0;
	}
	return BC_OK;
}

enum bc_status bc_dispatch(struct bc_device_queue *lane, size_t n, const struct bc_dispatch_options *o,
			   struct bc_error *err)
{
	struct dispatch d = { .lane = lane, .n = n, .o = o };
	struct pollfd *fds = calloc(n ? n : 1, sizeof(*fds));
	size_t *owner = calloc(n ? n : 1, sizeof(*owner)), nfds = 0;
	enum bc_outcome how = BC_LOST_WORKER;
	const char *why = NULL;
	enum bc_status st = fds && owner ? BC_OK : bc_fail(err, BC_ENOMEM, "dispatch: out of memory");

	while (!st && !*o->caught && !(why = o->stop ? o->stop(o->ctx, &how) : NULL)) {
		bool any = false;

		st = start_some(&d, err);
		if (!st)
			st = wait_any(&d, fds, owner, &nfds, &any, err);
		if (st || !any)
			break;
		for (size_t i = 0; !st && !*o->caught && i < nfds; i++) {
			struct bc_device_queue *w = &lane[owner[i]];

			if (fds[i].revents || w->proc.eof) /* at its end: what was sent did not reach it */
				st = serve(&d, w, err);
			if (!st && w->proc.pid && (w->state == BC_QUEUE_OPENING || w->state == BC_QUEUE_BUSY))
				st = check_time(&d, w, bc_now(), err);
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (lane[i].proc.pid && (st || *o->caught || lane[i].state != BC_QUEUE_DONE))
			bc_proc_stop(&lane[i].proc, 0, NULL, 0);
		if (!st && *o->caught)
			st = conclude_all(&d, &lane[i], BC_LOST_WORKER, "interrupted", err);
		else if (!st && why)
			st = conclude_all(&d, &lane[i], how, why, err);
	}
	free(owner);
	free(fds);
	return st;
}
