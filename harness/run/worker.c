/* SPDX-License-Identifier: MIT */
#include "harness/run/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/run/misbehave.h"
#include "harness/measure/measure.h"
#include "harness/run/message.h"
#include "harness/run/proc.h"
#include "harness/run/targets.h"
#include "harness/run/watch.h"
#include "harness/run/worker_patterns.h"

#define IMAGES_MAX 64

struct worker {
	const struct bc_run_options *o;
	struct bc_open_options open; /* what of them the device gets */
	const struct bc_catalog *cat;
	int out;
	struct bc_text text; /* message being written */
	const struct bc_device_ops *ops;
	struct bc_device *dev;
	struct bc_arch arch;
	struct bc_expect expect;
	struct bc_measure *measure;
	const struct bc_case *batch[BC_BATCH_MAX];
	unsigned attempt[BC_BATCH_MAX]; /* of each: how often it ran before */
	size_t n;
	struct bc_watch watch;
	struct bc_sms_choice sms;
	struct bc_worker_patterns patterns;
};

static enum bc_status send_text(struct worker *w, struct bc_error *err)
{
	enum bc_status st = bc_message_end(&w->text, err);

	return st ? st : bc_write_all(&bc_file_system, w->out, w->text.data, w->text.len, "parent", err);
}

static enum bc_status say(struct worker *w, const char *kind, const char *key, const char *value, struct bc_error *err)
{
	enum bc_status st = bc_message_begin(&w->text, kind, err);

	if (!st && key)
		st = bc_message_add(&w->text, err, key, "%s", value);
	return st ? st : send_text(w, err);
}

static enum bc_status send_facts(struct worker *w, const char *kind, const struct bc_facts *f, uint64_t hash,
				 struct bc_error *err)
{
	struct bc_device_state state;
	enum bc_status st = bc_message_begin(&w->text, kind, err);

	bc_watch_read(&w->watch, &state);
	if (!st && state.text[0])
		st = bc_message_add(&w->text, err, "state", "%s", state.text);
	if (!st)
		st = bc_facts_add(&w->text, f, err);
	if (!st && hash)
		st = bc_message_add(&w->text, err, "images_hash", "%016llx", (unsigned long long)hash);
	return st ? st : send_text(w, err);
}

static enum bc_status do_list(struct worker *w, struct bc_error *err)
{
	enum bc_status st = BC_OK;
#ifdef BC_WITH_CUDA
	struct bc_facts *f = NULL;
	struct bc_error why = { .msg = "" };
	size_t n = 0;

	if (bc_device_cuda.list(&w->open, &f, &n, &why))
		n = 0;
	for (size_t i = 0; !st && i < n; i++)
		st = send_facts(w, "device", &f[i], 0, err);
	free(f);
	return st ? st : say(w, "listed", "why", n ? "" : why.msg[0] ? why.msg : "the driver lists no GPU", err);
#else
	(void)st;
	return say(w, "listed", "why", "this binary was built without a CUDA toolkit", err);
#endif
}

static const struct bc_device_ops *ops_of(enum bc_device_kind kind)
{
#ifdef BC_WITH_CUDA
	if (kind == BC_DEVICE_CUDA)
		return &bc_device_cuda;
#endif
	return kind == BC_DEVICE_REFERENCE ? &bc_device_reference : NULL;
}

/* Names of the images that the catalogue's cases run from, each once. */
static size_t list_images(const struct worker *w, const char *names[IMAGES_MAX])
{
	size_t n = 0;

	while (bc_measure_images[n]) {
		names[n] = bc_measure_images[n];
		n++;
	}
	for (size_t i = 0; i < w->cat->n; i++) {
		const struct bc_case *c = &w->cat->cases[i];
		struct bc_program p = { 0 };
		size_t k = 0;

		if (!c->rule->program || !c->rule->program(c, &w->arch, &p) || !p.image)
			continue;
		while (k < n && strcmp(names[k], p.image) != 0)
			k++;
		if (k == n && n < IMAGES_MAX)
			names[n++] = p.image;
	}
	return n;
}

/* Identity of all images together. One that is missing is left out here: it breaks its cases, later. */
static enum bc_status hash_images(struct worker *w, uint64_t *hash, struct bc_error *err)
{
	const char *names[IMAGES_MAX];
	const size_t n = list_images(w, names);

	for (size_t i = 0; i < n; i++) {
		struct bc_error missing = { .msg = "" };
		uint64_t h = 0;

		if (!w->ops->image(w->dev, names[i], &h, &missing))
			*hash = bc_hash(*hash ? *hash : BC_HASH_INIT, &h, sizeof(h));
		else if (missing.status == BC_ENOMEM) /* it is there all the same */
			return bc_fail(err, BC_ENOMEM, "%s", missing.msg);
	}
	return BC_OK;
}

/* The parent is told before the device calls CUPTI: a library that crashes takes this process down. */
static void tell_profiler(void *ctx, bool begins)
{
	struct bc_error ignored; /* a parent that is gone is noticed soon enough */

	(void)say(ctx, "profiler", "in", begins ? "1" : "0", &ignored);
}

static enum bc_status do_open(struct worker *w, const struct bc_fields *m, struct bc_error *err)
{
	const char *off = bc_message_get(m, "counters_off");
	struct bc_measure_options mo = { .counters = w->o->witness != BC_WITNESS_CLOCK,
					 .clock = w->o->witness != BC_WITNESS_COUNTERS,
					 .pack = w->o->pack,
					 .kernels_dir = w->open.kernels_dir };
	struct bc_facts f;
	uint64_t hash = 0;
	enum bc_status st = bc_facts_parse(m, &f, err);

	if (!st)
		st = bc_sms_parse(w->o->sms, &w->sms, err);
	if (st)
		return st;
	mo.sm = w->sms.sm;
	mo.nsm = w->sms.n;
	w->ops = ops_of(f.kind);
	if (!w->ops)
		return bc_fail(err, BC_EDEVICE, "this binary was built without that device");
	w->open.counters_off = off[0] ? off : NULL;
	w->open.profiler = tell_profiler;
	w->open.profiler_ctx = w;
	st = w->ops->open(&w->open, &f, &w->dev, err);
	w->watch = (struct bc_watch){ .ops = w->ops, .dev = w->dev };
	if (!st)
		st = bc_arch_of_device(w->o->expected_dir, w->ops->facts(w->dev), &w->arch, err);
	if (!st)
		st = bc_expect_load(w->o->expected_dir, w->arch.name, w->cat, &w->expect, err);
	if (!st && w->ops->kernels_dir)
		mo.kernels_dir = w->ops->kernels_dir(w->dev);
	if (!st)
		st = bc_measure_open(w->ops, w->dev, &w->arch, &w->expect, &mo, &w->measure, err);
	w->patterns = (struct bc_worker_patterns){ .ops = w->ops, .dev = w->dev, .arch = &w->arch };
	if (!st)
		st = hash_images(w, &hash, err);
	if (!st && bc_message_get(m, "health")[0])
		st = bc_measure_check_health(w->measure, err);
	return st ? st : send_facts(w, "opened", w->ops->facts(w->dev), hash, err);
}

static enum bc_status say_done(struct worker *w, const struct bc_device_state *state,
			       const struct bc_device_events *events, struct bc_error *err)
{
	enum bc_status st = bc_message_begin(&w->text, "done", err);

	if (!st && state->text[0])
		st = bc_message_add(&w->text, err, "state", "%s", state->text);
	if (!st && events->events[0])
		st = bc_message_add(&w->text, err, "events", "%s", events->events);
	return st ? st : send_text(w, err);
}

static enum bc_status do_measure(struct worker *w, struct bc_error *err)
{
	struct bc_observation *obs = calloc(w->n ? w->n : 1, sizeof(*obs));
	struct bc_device_state before, after;
	struct bc_device_events between;
	enum bc_status st = BC_OK;

	if (!obs)
		return bc_fail(err, BC_ENOMEM, "worker: out of memory");
	if (!w->measure)
		st = bc_fail(err, BC_EDEVICE, "measure before open");
	for (size_t i = 0; !st && i < w->n; i++)
		bc_misbehave_before(w->batch[i], w->attempt[i], w->out);
	bc_watch_read(&w->watch, &before);
	if (!st)
		st = bc_measure_batch(w->measure, w->batch, w->n, obs, err);
	if (st)
		goto out;
	bc_watch_events_since(&w->watch, &between);
	bc_watch_read(&w->watch, &after);
	bc_watch_drop_clock(&before, &after, &between, obs, w->n);
	for (size_t i = 0; !st && i < w->n; i++) {
		bc_misbehave_after(w->batch[i], w->attempt[i], &obs[i]);
		st = bc_message_begin(&w->text, "obs", err);
		if (!st)
			st = bc_observation_add(&w->text, &obs[i], err);
		if (!st)
			st = send_text(w, err);
	}
	if (!st)
		st = say_done(w, &after, &between, err);
out:
	free(obs);
	w->n = 0;
	return st;
}

static enum bc_status do_case(struct worker *w, const struct bc_fields *m, struct bc_error *err)
{
	const struct bc_case *c = bc_catalog_find(w->cat, bc_message_get(m, "id"));

	if (!c)
		return bc_fail(err, BC_EDATA, "there is no case `%s`", bc_message_get(m, "id"));
	if (w->n == BC_BATCH_MAX)
		return bc_fail(err, BC_EDATA, "a batch of more than %d cases", BC_BATCH_MAX);
	w->attempt[w->n] = (unsigned)strtoul(bc_message_get(m, "attempt"), NULL, 10); /* "" is the first */
	w->batch[w->n++] = c;
	return BC_OK;
}

/* The last words, with what the GPU reported. A failure to send them is ignored. */
static void say_failed(struct worker *w, enum bc_status failed, const char *why)
{
	struct bc_device_events events;
	struct bc_error ignored;
	enum bc_status st = bc_message_begin(&w->text, "failed", &ignored);

	bc_watch_events_since(&w->watch, &events);
	if (!st && w->dev && !w->ops->alive(w->dev))
		st = bc_message_add(&w->text, &ignored, "lost", "1");
	if (!st && failed == BC_EIMAGES)
		st = bc_message_add(&w->text, &ignored, "no_images", "1");
	if (!st)
		st = bc_message_add(&w->text, &ignored, "why", "%s%s%s", why, events.events[0] ? "; " : "",
				    events.events);
	if (!st && events.events[0])
		st = bc_message_add(&w->text, &ignored, "events", "%s", events.events);
	if (!st)
		(void)send_text(w, &ignored);
}

static enum bc_status handle(struct worker *w, const struct bc_fields *m, struct bc_error *err)
{
	bool patterns;
	enum bc_status st = bc_worker_patterns_handle(&w->patterns, m, &patterns, &w->text, err);

	if (!st && patterns && w->text.len)
		st = bc_write_all(&bc_file_system, w->out, w->text.data, w->text.len, "parent", err);
	if (st || patterns)
		return st;
	if (strcmp(m->kind, "list") == 0)
		return do_list(w, err);
	if (strcmp(m->kind, "open") == 0)
		return do_open(w, m, err);
	if (strcmp(m->kind, "case") == 0)
		return do_case(w, m, err);
	if (strcmp(m->kind, "measure") == 0)
		return do_measure(w, err);
	return bc_fail(err, BC_EDATA, "unknown message `%.40s`", m->kind);
}

int bc_worker_main(const struct bc_run_options *o, const struct bc_catalog *cat, int in, int out)
{
	struct worker w = { .o = o,
			    .open = { .kernels_dir = bc_run_options_kernels(o),
				      .images_beside = !o->kernels_dir,
				      .expected_dir = o->expected_dir,
				      .fault = o->fault,
				      .law = o->law,
				      .racecheck = o->racecheck,
				      .reference_clock = o->reference_clock,
				      .reference_noise = o->reference_noise,
				      .reference_sms = o->reference_sms,
				      .no_counters = o->witness == BC_WITNESS_CLOCK,
				      .cupti = o->cupti },
			    .cat = cat,
			    .out = out };
	struct bc_error err = { .msg = "" };
	struct bc_proc from = { .to = -1, .from = in };
	enum bc_status st = BC_OK;

	while (!st) {
		char *line = bc_proc_line(&from);
		struct bc_fields m;

		if (!line && from.eof)
			break;
		if (!line) {
			st = bc_proc_read(&from, &err);
			continue;
		}
		st = bc_message_parse(line, &m, &err);
		if (!st)
			st = handle(&w, &m, &err);
	}
	if (st)
		say_failed(&w, st, err.msg);
	bc_worker_patterns_release(&w.patterns);
	bc_measure_close(w.measure);
	if (w.ops)
		w.ops->close(w.dev);
	bc_expect_release(&w.expect);
	bc_text_release(&w.text);
	bc_text_release(&from.input);
	(void)close(in);
	return st ? 1 : 0;
}
