/* SPDX-License-Identifier: MIT */
/* The steps in their order, and the file that says which have ended. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/qualify/child.h"

#define STATE_MAX (1u << 20)
#define KEY_MAX 160

/* Steps that ended, of this run or of the one that is resumed: lines of key, status, milliseconds. */
struct state {
	struct bc_text text;
	const char *dir;
};

/* What the steps depend on: the state of another run is not gone on from. */
static enum bc_status describe(const struct bc_qualify_options *o, struct bc_text *out, struct bc_error *err)
{
	char options[600];
	enum bc_status st;

	bc_run_options_text(o->run, options, sizeof(options));
	st = bc_text_addf(out, err, "options\t%s; device %s; soak %u; baseline %s", options,
			  o->run->devices ? o->run->devices : "all", o->soak_s, o->baseline ? o->baseline : "none");
	for (size_t i = 0; !st && i < o->kernels->n; i++)
		st = bc_text_addf(out, err, "; kernels %s", o->kernels->item[i]);
	for (size_t i = 0; !st && i < o->cupti->n; i++)
		st = bc_text_addf(out, err, "; cupti %s", o->cupti->item[i]);
	for (size_t i = 0; !st && i < o->run->filter.n; i++)
		st = bc_text_addf(out, err, "; filter %s", o->run->filter.item[i]);
	for (size_t i = 0; !st && i < o->run->exclude.n; i++)
		st = bc_text_addf(out, err, "; exclude %s", o->run->exclude.item[i]);
	for (size_t i = 0; !st && i < out->len; i++)
		if (out->data[i] == '\n')
			out->data[i] = ' ';
	return st ? st : bc_text_addf(out, err, "\n");
}

static enum bc_status save(const struct state *s, struct bc_error *err)
{
	return bc_file_replace(&bc_file_system, s->dir, BC_QUALIFY_STATE, s->text.data, s->text.len, err);
}

/* Begin with the state that is there (--resume), or anew. */
static enum bc_status begin(const struct bc_qualify_options *o, struct state *s, struct bc_error *err)
{
	struct bc_text now = { 0 };
	char path[BC_PATH_MAX];
	struct stat there;
	enum bc_status st = describe(o, &now, err);

	s->dir = o->reports_dir;
	if (!st && snprintf(path, sizeof(path), "%s/" BC_QUALIFY_STATE, s->dir) >= (int)sizeof(path))
		st = bc_fail(err, BC_EUSAGE, "--reports: the path is too long");
	if (!st && o->resume && stat(path, &there) == 0)
		st = bc_file_read(path, STATE_MAX, &s->text, err);
	if (!st && s->text.len && (s->text.len < now.len || memcmp(s->text.data, now.data, now.len) != 0))
		st = bc_fail(err, BC_EUSAGE,
			     "%s: --resume: the options are not those that the qualification began with; use the same, "
			     "or leave --resume out to begin anew",
			     path);
	if (!st && !s->text.len) {
		st = bc_text_add(&s->text, now.data, now.len, err);
		if (!st)
			st = save(s, err);
	}
	bc_text_release(&now);
	return st;
}

/* Did the step end before? */
static bool find(const struct state *s, const char *key, struct bc_qualify_step *step)
{
	const size_t len = strlen(key);

	for (const char *at = s->text.data; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		char *end = NULL;

		if (strncmp(at, key, len) != 0 || at[len] != '\t')
			continue;
		step->status = (int)strtol(at + len + 1, &end, 10);
		if (*end != '\t')
			return false;
		step->seconds = (double)strtol(end + 1, &end, 10) / 1000;
		step->done = step->earlier = *end == '\n';
		return step->done;
	}
	return false;
}

/* The folder of a device's reports of the whole catalogue. */
static bool catalogue_of(const struct bc_qualify_options *o, const struct bc_qualify_device *d, char *path, size_t size)
{
	return (size_t)snprintf(path, size, "%s/%s/%s", o->reports_dir, d ? d->name : "",
				bc_qualify_step_name(BC_QUALIFY_CATALOGUE)) < size;
}

/* Without a baseline a GPU is compared with the first one of its kind that was qualified before it. */
static void find_other(const struct bc_qualify_options *o, const struct bc_qualify *q, struct bc_qualify_device *d)
{
	for (const struct bc_qualify_device *other = q->device; !o->baseline && other < d; other++) {
		if (!d->gpu[0] || !other->step[BC_QUALIFY_CATALOGUE].done || strcmp(d->gpu, other->gpu) != 0 ||
		    strcmp(d->arch, other->arch) != 0)
			continue;
		(void)bc_strlcpy(d->beside, other->option, sizeof(d->beside));
		d->step[BC_QUALIFY_DIFF].wanted = catalogue_of(o, other, d->beside_reports, sizeof(d->beside_reports));
		return;
	}
}

static enum bc_status run_step(const struct bc_qualify_options *o, struct bc_qualify_device *d,
			       struct bc_qualify_step *step, enum bc_qualify_kind k, struct state *s,
			       bc_qualify_event *event, void *ctx, struct bc_error *err)
{
	char dir[BC_PATH_MAX], catalogue[BC_PATH_MAX], key[KEY_MAX];
	const char *baseline = d && d->beside[0] ? d->beside_reports : o->baseline;
	const double start = bc_now();
	enum bc_status st = BC_OK;

	(void)snprintf(key, sizeof(key), "%s%s%s", d ? d->name : "", d ? "/" : "", bc_qualify_step_name(k));
	if (snprintf(dir, sizeof(dir), "%s/%s", o->reports_dir, key) >= (int)sizeof(dir) ||
	    !catalogue_of(o, d, catalogue, sizeof(catalogue)))
		return bc_fail(err, BC_EUSAGE, "--reports: the path is too long");
	if (!find(s, key, step)) {
		event(ctx, d, k, step, false);
		st = bc_qualify_child(o, d, k, dir, baseline, catalogue, &step->status, err);
		if (st || bc_qualify_signal())
			return st; /* it is begun again, or continued, by --resume */
		step->seconds = bc_now() - start;
		step->done = true;
		st = bc_text_addf(&s->text, err, "%s\t%d\t%.0f\n", key, step->status, step->seconds * 1000);
		if (!st)
			st = save(s, err);
	}
	if (!st && d)
		st = bc_qualify_read(o, d, k, dir, err);
	if (!st)
		event(ctx, d, k, step, true);
	return st;
}

/* A tool that is not sound qualifies nothing. */
static void judge_selftest(struct bc_qualify *q)
{
	struct bc_qualify_step *s = &q->selftest;

	(void)snprintf(s->result, sizeof(s->result), "%s",
		       s->status == 0 ? "every planted fault is caught" : "not every planted fault is caught");
	for (size_t i = 0; s->status && i < q->n; i++)
		bc_qualify_add(
			&q->device[i], true, 2,
			"the tool itself is not sound: selftest --quick ended with status %d (selftest/output.txt)",
			s->status);
}

enum bc_status bc_qualify_run(const struct bc_qualify_options *o, struct bc_qualify *q, bc_qualify_event *event,
			      void *ctx, struct bc_error *err)
{
	struct state s = { .dir = NULL };
	enum bc_status st = begin(o, &s, err);

	bc_qualify_catch_signals(true);
	if (!st)
		st = run_step(o, NULL, &q->selftest, BC_QUALIFY_SELFTEST, &s, event, ctx, err);
	if (!st && q->selftest.done)
		judge_selftest(q);
	for (size_t i = 0; !st && i < q->n && !bc_qualify_signal(); i++) {
		struct bc_qualify_device *d = &q->device[i];
		char dir[BC_PATH_MAX];

		if (snprintf(dir, sizeof(dir), "%s/%s", o->reports_dir, d->name) >= (int)sizeof(dir))
			st = bc_fail(err, BC_EUSAGE, "--reports: the path is too long");
		else if (mkdir(dir, 0777) && errno != EEXIST)
			st = bc_fail(err, BC_EWRITE, "%s: %s", dir, strerror(errno));
		for (enum bc_qualify_kind k = BC_QUALIFY_MAP; !st && k < BC_QUALIFY_STEPS && !bc_qualify_signal();
		     k++) {
			if (k == BC_QUALIFY_DIFF)
				find_other(o, q, d);
			if (d->step[k].wanted)
				st = run_step(o, d, &d->step[k], k, &s, event, ctx, err);
		}
	}
	q->signal = bc_qualify_signal();
	bc_qualify_catch_signals(false);
	bc_text_release(&s.text);
	return st;
}
