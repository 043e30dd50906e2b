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

#define MANY_CASES 10 /* limits of a case that runs all of a rule's on every SM */
#define OPEN_S 120u   /* a worker that opens its device has so long */
#define HEALTH_S 60u  /* the same after a worker was lost, with a small kernel */
#define GRACE_MS 500

struct dispatch {
	struct bc_device_queue *queue;
	size_t n;
	const struct bc_dispatch_options *o;
};

static enum bc_status push_batch(struct bc_device_queue *q, size_t first, size_t n, struct bc_error *err)
{
	if (!n)
		return BC_OK;
	if (q->nbatches == q->batches_room) {
		const size_t cap = q->batches_room ? 2 * q->batches_room : 64;
		struct bc_batch *grown = realloc(q->batches, cap * sizeof(*grown));

		if (!grown)
			return bc_fail(err, BC_ENOMEM, "dispatch: out of memory");
		q->batches = grown;
		q->batches_room = cap;
	}
	q->batches[q->nbatches++] = (struct bc_batch){ .first = first, .n = n };
	return BC_OK;
}

/* The whole of todo as batches, the first on top. */
static enum bc_status push_batches(struct bc_device_queue *q, size_t most, struct bc_error *err)
{
	const size_t batches = (q->ntodo + most - 1) / most;
	enum bc_status st = BC_OK;

	for (size_t b = batches; !st && b-- > 0;) {
		const size_t first = b * most, left = q->ntodo - first;

		st = push_batch(q, first, left < most ? left : most, err);
	}
	return st;
}

/* Give a case the outcome @how with a reason. */
static enum bc_status set_outcome(struct dispatch *d, struct bc_device_queue *q, size_t index, enum bc_outcome how,
				  const char *why, struct bc_error *err)
{
	struct bc_observation *o = &q->run->results[index].obs;

	if (q->observed[index])
		return BC_OK;
	memset(o, 0, sizeof(*o));
	(void)bc_strlcpy(o->id, q->run->results[index].c->id, sizeof(o->id));
	o->outcome = how;
	(void)bc_strlcpy(o->reason, why, sizeof(o->reason));
	q->observed[index] = true;
	return d->o->result(d->o->ctx, q->run, index, err);
}

/* Every case that is left. */
static enum bc_status set_remaining_outcomes(struct dispatch *d, struct bc_device_queue *q, enum bc_outcome how,
					     const char *why, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < q->ntodo; i++)
		st = set_outcome(d, q, q->todo[i], how, why, err);
	q->nbatches = 0;
	q->state = BC_QUEUE_DONE;
	return st;
}

/* Send to the worker. One that is gone is handled like any death, and its exit status is the reason; another failure is
 * the reason itself. */
static void send_to(struct bc_device_queue *q, const struct bc_text *t)
{
	struct bc_error bad = { .msg = "" };

	if (!bc_proc_send(&q->worker, t->data, t->len, &bad))
		return;
	if (errno != EPIPE)
		(void)bc_strlcpy(q->end_reason, bad.msg, sizeof(q->end_reason));
	q->worker.eof = true;
}

static enum bc_status start_worker(struct dispatch *d, struct bc_device_queue *q, struct bc_error *err)
{
	struct bc_text t = { 0 };
	enum bc_status st = BC_OK;

	if (q->worker.pid && q->worker.to < 0) /* one that said goodbye in an earlier round */
		bc_proc_stop(&q->worker, -1, NULL, 0);
	if (!q->worker.pid)
		st = bc_proc_start((char *const *)d->o->argv, &q->worker, err);
	if (!st)
		st = bc_message_begin(&t, "open", err);
	if (!st && q->restarted)
		st = bc_message_add(&t, err, "health", "1");
	if (!st && q->counters_off[0])
		st = bc_message_add(&t, err, "counters_off", "%s", q->counters_off);
	if (!st)
		st = bc_facts_add(&t, &q->run->facts, err);
	if (!st)
		st = bc_message_end(&t, err);
	q->state = BC_QUEUE_OPENING;
	q->end_reason[0] = '\0';
	q->reported_failure = q->context_lost = q->in_profiler = false;
	q->events[0] = '\0';
	if (!st)
		send_to(q, &t);
	bc_text_release(&t);
	q->last_heard = bc_now();
	q->deadline = q->last_heard + (q->restarted ? HEALTH_S : OPEN_S);
	return st;
}

/* The next batch to the worker, or its end. */
static enum bc_status next_batch(struct dispatch *d, struct bc_device_queue *q, struct bc_error *err)
{
	struct bc_text t = { 0 };
	unsigned limits = 0;
	enum bc_status st = BC_OK;

	if (!q->nbatches) {
		bc_proc_close_input(
			&q->worker); /* it takes its device down while reports are written; the session reaps it */
		q->state = BC_QUEUE_DONE;
		return BC_OK;
	}
	if (d->o->isolate && q->state == BC_QUEUE_BUSY) {
		bc_proc_stop(&q->worker, -1, NULL, 0);
		q->state = BC_QUEUE_IDLE; /* the next case gets a new worker */
		return BC_OK;
	}
	q->current = q->batches[--q->nbatches];
	for (size_t i = 0; !st && i < q->current.n; i++) {
		const struct bc_result *r = &q->run->results[q->todo[q->current.first + i]];

		limits += r->c->of_rule ? MANY_CASES : 1;
		st = bc_text_addf(&t, err, "case\tid=%s", r->c->id);
		if (!st && r->ntries)
			st = bc_text_addf(&t, err, "\tattempt=%zu", r->ntries);
		if (!st)
			st = bc_text_add(&t, "\n", 1, err);
	}
	if (!st)
		st = bc_text_addf(&t, err, "measure\n");
	q->state = BC_QUEUE_BUSY;
	q->last_heard = bc_now();
	q->deadline = q->last_heard + (double)d->o->timeout_s * (double)limits;
	if (!st)
		send_to(q, &t);
	bc_text_release(&t);
	return st;
}

static enum bc_status take_observation(struct dispatch *d, struct bc_device_queue *q, const struct bc_fields *m,
				       struct bc_error *err)
{
	struct bc_observation o;
	enum bc_status st = bc_observation_parse(m, &o, err);

	if (st)
		return st;
	for (size_t i = 0; i < q->current.n; i++) {
		const size_t index = q->todo[q->current.first + i];
		struct bc_result *r = &q->run->results[index];

		if (strcmp(r->c->id, o.id) != 0 || q->observed[index])
			continue;
		r->obs = o;
		q->observed[index] = true;
		q->deaths_in_row = 0;
		return d->o->result(d->o->ctx, q->run, index, err);
	}
	return bc_fail(err, BC_EDATA, "the worker sent a result of %s, which is not in its batch", o.id);
}

/* The worker says that it is done with its batch: then each case of it must have its observation. */
static enum bc_status take_done(const struct bc_device_queue *q, struct bc_error *err)
{
	for (size_t i = 0; i < q->current.n; i++) {
		const size_t index = q->todo[q->current.first + i];

		if (!q->observed[index])
			return bc_fail(err, BC_EDATA, "the worker ended its batch without a result of %s",
				       q->run->results[index].c->id);
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

/* Keep what the GPU reported, once each. */
static void keep_events(char *all, size_t size, const char *events)
{
	const size_t len = strlen(all);

	if (events[0] && !has_events(all, events))
		(void)snprintf(all + len, size - len, "%s%s", len ? "; " : "", events);
}

/* A worker's line. A malformed one ends the worker, not the run. */
static enum bc_status take_message(struct dispatch *d, struct bc_device_queue *q, char *line, struct bc_error *err)
{
	struct bc_fields m;
	struct bc_error bad = { .msg = "" };
	enum bc_status st = bc_message_parse(line, &m, &bad);

	q->last_heard = bc_now();
	if (!st) {
		keep_events(q->run->events, sizeof(q->run->events), bc_message_get(&m, "events"));
		keep_events(q->events, sizeof(q->events), bc_message_get(&m, "events"));
	}
	if (!st && strcmp(m.kind, "opened") == 0 && q->state == BC_QUEUE_OPENING) {
		st = bc_facts_parse(&m, &q->run->facts, &bad);
		if (!q->run->state_before[0]) /* of the first worker: later ones start in the middle */
			(void)bc_strlcpy(q->run->state_before, bc_message_get(&m, "state"),
					 sizeof(q->run->state_before));
		q->run->images_hash = strtoull(bc_message_get(&m, "images_hash"), NULL, 16);
		q->openings = 0;
		if (!st)
			return next_batch(d, q, err);
	} else if (!st && strcmp(m.kind, "obs") == 0 && q->state == BC_QUEUE_BUSY) {
		st = take_observation(d, q, &m, &bad);
		if (st && bad.status != BC_EDATA)
			return bc_fail(err, bad.status, "%s", bad.msg); /* ours, not the worker's */
	} else if (!st && strcmp(m.kind, "done") == 0 && q->state == BC_QUEUE_BUSY) {
		st = take_done(q, &bad);
		(void)bc_strlcpy(q->run->state_after, bc_message_get(&m, "state"), sizeof(q->run->state_after));
		if (!st)
			return next_batch(d, q, err);
	} else if (!st && strcmp(m.kind, "profiler") == 0) {
		q->in_profiler = strcmp(bc_message_get(&m, "in"), "1") == 0;
	} else if (!st && strcmp(m.kind, "failed") == 0) {
		st = bc_fail(&bad, BC_EDEVICE, "%s", bc_message_get(&m, "why"));
		q->reported_failure = true;
		q->context_lost = bc_message_get(&m, "lost")[0] != '\0';
		q->no_images = bc_message_get(&m, "no_images")[0] != '\0';
	} else if (!st && strcmp(m.kind, "alive") != 0) {
		st = bc_fail(&bad, BC_EDATA, "the worker sent `%.60s`, which is unexpected here", m.kind);
	}
	if (st) {
		(void)bc_strlcpy(q->end_reason, bad.msg, sizeof(q->end_reason));
		q->worker.eof = true;
	}
	return BC_OK;
}

/* What of the batch in the worker's hands has no observation: observations come in order, so it is the tail. */
static struct bc_batch unobserved_tail(const struct bc_device_queue *q)
{
	struct bc_batch left = { 0 };

	for (size_t i = 0; i < q->current.n; i++) {
		if (q->observed[q->todo[q->current.first + i]])
			continue;
		if (!left.n)
			left.first = q->current.first + i;
		left.n = q->current.first + i + 1 - left.first;
	}
	return left;
}

/* Tell of a worker that died, hung or had to be ended, and of what it had in hand. */
static enum bc_status tell_death(struct dispatch *d, struct bc_device_queue *q, const char *why, struct bc_error *err)
{
	struct bc_death death = { .reason = "" };
	const struct bc_batch left = unobserved_tail(q);
	const struct bc_result *results = q->run->results;

	(void)bc_strlcpy(death.reason, why, sizeof(death.reason));
	(void)bc_strlcpy(death.events, q->events, sizeof(death.events));
	if (q->state == BC_QUEUE_OPENING)
		(void)snprintf(death.during, sizeof(death.during), "opening the device");
	else if (!left.n)
		(void)snprintf(death.during, sizeof(death.during), "no case");
	else if (left.n == 1)
		(void)bc_strlcpy(death.during, results[q->todo[left.first]].c->id, sizeof(death.during));
	else
		(void)snprintf(death.during, sizeof(death.during), "%zu cases, from %s to %s", left.n,
			       results[q->todo[left.first]].c->id, results[q->todo[left.first + left.n - 1]].c->id);
	if (q->in_profiler)
		(void)snprintf(death.during + strlen(death.during), sizeof(death.during) - strlen(death.during),
			       ", inside CUPTI");
	return d->o->death ? d->o->death(d->o->ctx, q->run, &death, err) : BC_OK;
}

/* The profiler's library took the worker down, or hangs: no case is to blame. Its batch is run by workers that leave it
 * alone; reports have the reason with the device's facts. */
static enum bc_status give_up_counters(struct bc_device_queue *q, const char *why, struct bc_error *err)
{
	const struct bc_batch left = q->state == BC_QUEUE_BUSY ? unobserved_tail(q) : (struct bc_batch){ 0 };

	(void)snprintf(
		q->counters_off, sizeof(q->counters_off),
		"CUPTI does not refuse, it takes down the process that calls it (%.*s): look into the kernel's log, "
		"update the driver or the CUDA toolkit; the run goes on without it",
		BC_REASON_MAX - 200, why);
	q->restarted = true;
	q->state = BC_QUEUE_IDLE;
	return push_batch(q, left.first, left.n, err);
}

/* A worker is gone that should have opened the device. One that died without a word (@died) gets one successor. */
static enum bc_status handle_failed_opening(struct dispatch *d, struct bc_device_queue *q, const char *why, bool died,
					    struct bc_error *err)
{
	char text[BC_REASON_MAX];

	if (died && ++q->openings < BC_OPENINGS_MAX) {
		q->state = BC_QUEUE_IDLE;
		return BC_OK;
	}
	if (q->no_images) {
		q->abandoned = true;
		return set_remaining_outcomes(d, q, BC_NO_IMAGES, why, err);
	}
	(void)snprintf(text, sizeof(text), "%s: %.*s",
		       q->restarted ? "device abandoned: it did not come back after its worker was lost"
				    : "the device could not be opened",
		       BC_REASON_MAX - 80, why);
	q->abandoned = true;
	return set_remaining_outcomes(d, q, q->restarted ? BC_LOST_WORKER : BC_TOOL_ERROR, text, err);
}

/* The worker is gone (or was ended for @why): what of its batch has no observation is halved; alone it is LOST, also
 * when the worker could still say how its context died, or BROKEN when it said that the tool failed. */
static enum bc_status handle_worker_end(struct dispatch *d, struct bc_device_queue *q, const char *why,
					struct bc_error *err)
{
	const struct bc_batch left = unobserved_tail(q);
	const size_t first = left.first, n = left.n;
	enum bc_status st = BC_OK;

	q->restarted = true;
	q->state = BC_QUEUE_IDLE;
	if (n == 1) {
		st = set_outcome(d, q, q->todo[first],
				 q->reported_failure && !q->context_lost ? BC_TOOL_ERROR : BC_LOST_WORKER, why, err);
		q->deaths_in_row++;
		q->abandoned = q->abandoned || q->deaths_in_row >= BC_DEATHS_MAX;
		if (!st && q->abandoned)
			st = set_remaining_outcomes(d, q, BC_LOST_WORKER,
						    "device abandoned: three cases in a row took their worker down",
						    err);
	} else if (n > 1) {
		st = push_batch(q, first + n / 2, n - n / 2, err);
		if (!st)
			st = push_batch(q, first, n / 2, err);
	}
	if (!st && q->state == BC_QUEUE_IDLE && !q->nbatches)
		q->state = BC_QUEUE_DONE;
	return st;
}

/* End a queue's worker and settle its batch. @why: NULL when it ended by itself. */
static enum bc_status reap_worker(struct dispatch *d, struct bc_device_queue *q, const char *why, struct bc_error *err)
{
	const bool ends =
		!why && (q->reported_failure || !q->end_reason[0]); /* of itself; others talked nonsense or hang */
	const bool opening = q->state == BC_QUEUE_OPENING;
	char how[64], text[BC_REASON_MAX + 128];
	enum bc_status st = BC_OK;

	bc_proc_stop(&q->worker, ends ? -1 : GRACE_MS, how, sizeof(how));
	if (why)
		(void)snprintf(text, sizeof(text), "%s", why);
	else if (q->end_reason[0])
		(void)snprintf(text, sizeof(text), "%s", q->end_reason);
	else
		(void)snprintf(text, sizeof(text), "the worker ended: %s", how);
	if (!opening || !q->reported_failure) /* one that says that it cannot open the device has not died */
		st = tell_death(d, q, text, err);
	if (st)
		return st;
	/* SIGKILL is somebody else's doing, the kernel's for want of memory; what the worker said itself is no crash.
	 */
	if (q->in_profiler && !q->counters_off[0] && !q->reported_failure && (why || !q->end_reason[0]) &&
	    !(ends && strcmp(how, "signal SIGKILL") == 0))
		return give_up_counters(q, text, err);
	return opening ? handle_failed_opening(d, q, text, ends && !q->reported_failure, err)
		       : handle_worker_end(d, q, text, err);
}

static enum bc_status read_worker(struct dispatch *d, struct bc_device_queue *q, struct bc_error *err)
{
	struct bc_error bad = { .msg = "" };
	/* One that could not be sent to may have left last words. */
	enum bc_status st = q->worker.eof && !bc_proc_wait(&q->worker, 0) ? BC_OK : bc_proc_read(&q->worker, &bad);
	char *line;

	if (st == BC_EDEVICE) { /* the worker's fault: it ends, the run continues */
		(void)bc_strlcpy(q->end_reason, bad.msg, sizeof(q->end_reason));
		q->worker.eof = true;
		st = BC_OK;
	} else if (st) {
		return bc_fail(err, st, "%s", bad.msg);
	}
	while (!st && q->worker.pid && !(q->worker.eof && q->end_reason[0]) && (line = bc_proc_line(&q->worker)))
		st = take_message(d, q, line, err);
	if (!st && q->worker.pid && q->worker.eof && q->state != BC_QUEUE_DONE)
		st = reap_worker(d, q, NULL, err);
	return st;
}

static enum bc_status check_limits(struct dispatch *d, struct bc_device_queue *q, double t, struct bc_error *err)
{
	char why[160];

	if (t > q->deadline)
		(void)snprintf(why, sizeof(why), "hung: %s within the limit of %u s%s",
			       q->state == BC_QUEUE_OPENING ? "the device was not opened" : "no result",
			       q->state != BC_QUEUE_OPENING ? d->o->timeout_s
			       : q->restarted		    ? HEALTH_S
							    : OPEN_S,
			       q->state == BC_QUEUE_BUSY && q->current.n > 1 ? " per case" : "");
	else if ((q->state == BC_QUEUE_BUSY || q->in_profiler) && t > q->last_heard + d->o->inactivity_s)
		(void)snprintf(why, sizeof(why), "hung: the worker sent nothing for %u s", d->o->inactivity_s);
	else
		return BC_OK;
	return reap_worker(d, q, why, err);
}

/* Start what may start: all GPUs, and reference devices up to the number of CPUs. */
static enum bc_status start_workers(struct dispatch *d, struct bc_error *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long busy = 0;
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < d->n; i++)
		busy += d->queue[i].run->facts.kind == BC_DEVICE_REFERENCE &&
			(d->queue[i].state == BC_QUEUE_OPENING || d->queue[i].state == BC_QUEUE_BUSY);
	for (size_t i = 0; !st && i < d->n; i++) {
		struct bc_device_queue *q = &d->queue[i];
		struct bc_error why;

		if (q->state != BC_QUEUE_IDLE ||
		    (q->run->facts.kind == BC_DEVICE_REFERENCE && busy >= (cpus > 0 ? cpus : 1)))
			continue;
		if (!q->batched)
			st = push_batches(q, d->o->isolate ? 1 : BC_BATCH_MAX, err);
		q->batched = true;
		if (!st && !q->nbatches) {
			q->state = BC_QUEUE_DONE;
		} else if (!st && start_worker(d, q, &why)) {
			bc_proc_stop(&q->worker, 0, NULL, 0);
			st = set_remaining_outcomes(d, q, BC_TOOL_ERROR, why.msg, err);
		} else {
			busy += q->run->facts.kind == BC_DEVICE_REFERENCE;
		}
	}
	return st;
}

/* Wait for something to happen. @any: false when all queues are done. */
static enum bc_status wait_for_workers(struct dispatch *d, struct pollfd *fds, size_t *owner, size_t *nfds, bool *any,
				       struct bc_error *err)
{
	double wake = bc_now() + 0.2; /* a signal that came just before poll waits no longer */

	*nfds = 0;
	*any = false;
	for (size_t i = 0; i < d->n; i++) {
		const struct bc_device_queue *q = &d->queue[i];

		*any = *any || q->state != BC_QUEUE_DONE;
		if (!q->worker.pid || q->state == BC_QUEUE_IDLE || q->state == BC_QUEUE_DONE)
			continue;
		wake = q->worker.eof ? 0 : q->deadline < wake ? q->deadline : wake;
		owner[*nfds] = i;
		fds[(*nfds)++] = (struct pollfd){ .fd = q->worker.from, .events = POLLIN };
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

enum bc_status bc_dispatch(struct bc_device_queue *queue, size_t n, const struct bc_dispatch_options *o,
			   struct bc_error *err)
{
	struct dispatch d = { .queue = queue, .n = n, .o = o };
	struct pollfd *fds = calloc(n ? n : 1, sizeof(*fds));
	size_t *owner = calloc(n ? n : 1, sizeof(*owner)), nfds = 0;
	enum bc_outcome how = BC_LOST_WORKER;
	const char *why = NULL;
	enum bc_status st = fds && owner ? BC_OK : bc_fail(err, BC_ENOMEM, "dispatch: out of memory");

	while (!st && !*o->signal_caught && !(why = o->stop ? o->stop(o->ctx, &how) : NULL)) {
		bool any = false;

		st = start_workers(&d, err);
		if (!st)
			st = wait_for_workers(&d, fds, owner, &nfds, &any, err);
		if (st || !any)
			break;
		for (size_t i = 0; !st && !*o->signal_caught && i < nfds; i++) {
			struct bc_device_queue *q = &queue[owner[i]];

			if (fds[i].revents || q->worker.eof) /* at its end: what was sent did not reach it */
				st = read_worker(&d, q, err);
			if (!st && q->worker.pid && (q->state == BC_QUEUE_OPENING || q->state == BC_QUEUE_BUSY))
				st = check_limits(&d, q, bc_now(), err);
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (queue[i].worker.pid && (st || *o->signal_caught || queue[i].state != BC_QUEUE_DONE))
			bc_proc_stop(&queue[i].worker, 0, NULL, 0);
		if (!st && *o->signal_caught)
			st = set_remaining_outcomes(&d, &queue[i], BC_LOST_WORKER, "interrupted", err);
		else if (!st && why)
			st = set_remaining_outcomes(&d, &queue[i], how, why, err);
	}
	free(owner);
	free(fds);
	return st;
}
