/* SPDX-License-Identifier: MIT */
/* The summary as an ordinary run, and its JUnit. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/app/print.h"
#include "harness/base/build.h"
#include "harness/base/escape.h"
#include "harness/report/junit.h"
#include "harness/run/naming.h"

#define SLUG_MAX 60u
#define UNBOUNDED 1e15 /* of a bound from below: no count is as large */

/* Figures that are reported of every kernel, bounded or not. */
static const enum bc_figure reported[] = { BC_FIGURE_LD_CONFLICTS,   BC_FIGURE_ST_CONFLICTS,
					   BC_FIGURE_ATOM_CONFLICTS, BC_FIGURE_LDGSTS_CONFLICTS,
					   BC_FIGURE_GMMA_CONFLICTS, BC_FIGURE_SECTORS };

static const struct {
	enum bc_verdict verdict;
	enum bc_skip skip;
} verdicts[BC_NAPP_VERDICTS] = {
	[BC_APP_PASS] = { BC_PASS, BC_SKIPPED_NOT },	  [BC_APP_FAIL] = { BC_FAIL, BC_SKIPPED_NOT },
	[BC_APP_XFAIL] = { BC_XFAIL, BC_SKIPPED_NOT },	  [BC_APP_SKIP] = { BC_SKIP, BC_SKIPPED_NEED },
	[BC_APP_ERROR] = { BC_UNJUDGED, BC_SKIPPED_NOT },
};

/* What a result points to. */
struct backing {
	struct bc_case c;
	struct bc_rule rule;
	struct bc_row row;
	char *sentence, *source; /* malloc'ed */
};

struct building {
	const struct bc_app_report *r;
	struct bc_run run;
	const char **gpu;     /* [ndevices] model */
	struct backing *back; /* [room] */
	size_t n, room;
	struct bc_error *err;
};

static const struct bc_suite suite = { .name = "app", .about = "kernels of a program" };

static char *text_of(const char *head, const char *what)
{
	const size_t size = strlen(head) + strlen(what) + 1;
	char *s = malloc(size);

	if (s)
		(void)snprintf(s, size, "%s%s", head, what);
	return s;
}

/* Letters, digits and '_' of @brief; where that is not all of @whole, what tells it from others equal in short. */
static void slug(const char *brief, const char *whole, char out[SLUG_MAX])
{
	const size_t most = SLUG_MAX - 8;
	size_t n = 0;

	for (const char *at = brief; *at && n < most; at++)
		if (isalnum((unsigned char)*at) || *at == '_')
			out[n++] = *at;
		else if (n && out[n - 1] != '_')
			out[n++] = '_';
	while (n && out[n - 1] == '_')
		n--;
	out[n] = '\0';
	if (strcmp(out, whole) != 0)
		(void)snprintf(out + n, SLUG_MAX - n, "%s%06" PRIx64, n ? "_" : "",
			       bc_hash(BC_HASH_INIT, whole, strlen(whole)) & 0xffffffu);
}

static bool same_gpu(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static size_t device_of(const struct building *b, const char *gpu)
{
	for (size_t i = 0; i < b->run.ndevices; i++)
		if (same_gpu(b->gpu[i], gpu))
			return i;
	return 0;
}

static bool taken(const struct building *b, const char *id)
{
	for (size_t i = 0; i < b->n; i++)
		if (strcmp(b->back[i].c.id, id) == 0)
			return true;
	return false;
}

/* A result of one kernel and figure on @gpu. @name: SIZE_MAX: of a line that no kernel matches. */
static struct bc_result *add(struct building *b, size_t name, const char *glob, const char *figure, const char *gpu,
			     struct backing **back)
{
	const struct bc_app_name *n = name == SIZE_MAX ? NULL : &b->r->summary->name[name];
	struct bc_device_run *d = &b->run.devices[device_of(b, gpu)];
	struct backing *p = &b->back[b->n];
	char kernel[SLUG_MAX], id[BC_ID_MAX];

	if (n)
		slug(n->brief, n->full, kernel);
	else
		slug(glob, glob, kernel);
	(void)snprintf(id, sizeof(id), "app/%s/%s", kernel, figure);
	for (unsigned again = 2; taken(b, id); again++) /* on another GPU, or a figure that a budget bounds twice */
		(void)snprintf(id, sizeof(id), "app/%s/%s_%u", kernel, figure, again);
	(void)bc_strlcpy(p->c.id, id, sizeof(p->c.id));
	p->sentence = text_of("kernel ", n ? n->full : glob);
	p->source = text_of(b->r->budget ? b->r->budget->path : "", "");
	if (!p->sentence || !p->source)
		return NULL;
	p->rule = (struct bc_rule){ .name = "kernel", .sentence = p->sentence, .source = p->source };
	p->c.suite = &suite;
	p->c.rule = &p->rule;
	d->results[d->nresults].c = &p->c;
	*back = p;
	b->n++;
	return &d->results[d->nresults++];
}

static bool quantity_of(enum bc_figure f, enum bc_quantity *out)
{
	const char *name = bc_figure_name(f);

	if (strstr(name, "conflicts"))
		*out = BC_Q_CONFLICTS;
	else if (strstr(name, "wavefronts"))
		*out = BC_Q_WAVEFRONTS;
	else if (strstr(name, "sectors"))
		*out = BC_Q_SECTORS;
	else
		return false;
	return true;
}

/* What was counted, in the figure's own quantity. */
static void observe(struct bc_observation *o, const struct bc_app_row *row, enum bc_figure f, double value)
{
	const uint64_t requests = bc_figure_requests(&row->k, f);
	const uint64_t total = (uint64_t)(value * (double)requests + 0.5);
	enum bc_quantity q;

	if (!quantity_of(f, &q))
		return;
	o->attempts = 1;
	o->requests_counted = true;
	o->requests_stated = requests;
	o->wavefronts_uncounted = q != BC_Q_WAVEFRONTS;
	o->conflicts_uncounted = q != BC_Q_CONFLICTS;
	o->sectors_counted = q == BC_Q_SECTORS;
	o->count[0] = (struct bc_count){ requests, total, total, total };
}

static enum bc_status add_check(struct building *b, const struct bc_app_check *c)
{
	const enum bc_figure f = c->bound->figure;
	struct backing *p = NULL;
	struct bc_result *r;
	char figure[40];
	enum bc_quantity q;

	(void)snprintf(figure, sizeof(figure), "%s%s", c->name == SIZE_MAX ? "ran" : bc_figure_name(f),
		       c->name != SIZE_MAX && c->bound->least ? "_least" : "");
	r = add(b, c->name, c->line->glob ? c->line->glob : "default", figure, c->row ? c->row->gpu : NULL, &p);
	if (!r)
		return bc_fail(b->err, BC_ENOMEM, "app.xml: out of memory");
	r->judged.verdict = verdicts[c->verdict].verdict;
	r->judged.skip = verdicts[c->verdict].skip;
	if (c->verdict != BC_APP_PASS)
		(void)bc_strlcpy(r->judged.message, c->message, sizeof(r->judged.message));
	(void)bc_strlcpy(r->obs.reason, c->message, sizeof(r->obs.reason));
	if (c->row)
		observe(&r->obs, c->row, f, c->value);
	if (c->name != SIZE_MAX && quantity_of(f, &q)) {
		p->row = (struct bc_row){ .quantity = q,
					  .lo = c->bound->least ? c->bound->value : 0,
					  .hi = c->bound->least ? UNBOUNDED : c->bound->value,
					  .basis = "the budget",
					  .path = b->r->budget->path,
					  .line = c->line->line };
		r->bounds.row[q] = &p->row;
	}
	return BC_OK;
}

static bool bounded(const struct bc_app_summary *s, size_t name, enum bc_figure f)
{
	for (size_t i = 0; i < s->nchecks; i++)
		if (s->check[i].name == name && s->check[i].bound->figure == f)
			return true;
	return false;
}

/* The row of the kernel on @gpu whose figure is largest; NULL: none has it. */
static const struct bc_app_row *largest(const struct bc_app_summary *s, size_t name, const char *gpu, enum bc_figure f,
					double *value)
{
	const struct bc_app_row *found = NULL;

	for (size_t i = 0; i < s->nrows; i++) {
		uint64_t launches;
		double v;

		if (s->row[i].name != name || !same_gpu(s->row[i].gpu, gpu) ||
		    bc_figure_of(&s->row[i].k, f, &v, &launches) != BC_FIGURE_THERE || (found && v <= *value))
			continue;
		found = &s->row[i];
		*value = v;
	}
	return found;
}

static bool ran_on(const struct bc_app_summary *s, size_t name, const char *gpu)
{
	for (size_t i = 0; i < s->nrows; i++)
		if (s->row[i].name == name && same_gpu(s->row[i].gpu, gpu))
			return true;
	return false;
}

/* The figures of a kernel that no budget bounds. Always the same cases and words, so that two runs can be compared. */
static enum bc_status add_figures(struct building *b, size_t name, const char *gpu)
{
	const struct bc_app_summary *s = b->r->summary;

	for (size_t i = 0; i < BC_ARRAY_LEN(reported); i++) {
		struct backing *p = NULL;
		struct bc_result *r;
		const struct bc_app_row *row;
		double value = 0;

		if (bounded(s, name, reported[i]))
			continue;
		r = add(b, name, "", bc_figure_name(reported[i]), gpu, &p);
		if (!r)
			return bc_fail(b->err, BC_ENOMEM, "app.xml: out of memory");
		r->judged = (struct bc_judgement){ .verdict = BC_SKIP,
						   .skip = BC_SKIPPED_NO_FIGURE,
						   .message = "no budget bounds it" };
		(void)bc_strlcpy(r->obs.reason, r->judged.message, sizeof(r->obs.reason));
		row = largest(s, name, gpu, reported[i], &value);
		if (row)
			observe(&r->obs, row, reported[i], value);
	}
	return BC_OK;
}

/* A device a model of GPU. The UUID is told where there is one such GPU. */
static void add_device(struct building *b, const struct bc_app_device *like, const char *gpu)
{
	struct bc_run *run = &b->run;
	struct bc_device_run *d = &run->devices[run->ndevices];
	unsigned same = 1;

	b->gpu[run->ndevices] = gpu;
	d->facts = (struct bc_facts){ .kind = BC_DEVICE_CUDA, .index = (unsigned)run->ndevices, .ecc = -1 };
	(void)bc_strlcpy(d->facts.name, gpu, sizeof(d->facts.name));
	if (like) {
		(void)bc_strlcpy(d->facts.arch, like->arch, sizeof(d->facts.arch));
		(void)bc_strlcpy(d->facts.uuid, like->uuid, sizeof(d->facts.uuid));
		(void)bc_strlcpy(d->facts.driver, like->driver, sizeof(d->facts.driver));
		(void)bc_strlcpy(d->facts.cuda, like->cuda, sizeof(d->facts.cuda));
	}
	for (size_t i = 0; i < run->ndevices; i++)
		same += strcmp(run->devices[i].facts.arch, d->facts.arch) == 0;
	(void)snprintf(d->dev, sizeof(d->dev), "%s", like && like->arch[0] ? like->arch : "no_gpu");
	if (same > 1)
		(void)snprintf(d->dev, sizeof(d->dev), "%.30s_%u", like ? like->arch : "no_gpu", same);
	d->complete = b->r->complete;
	(void)bc_strlcpy(d->incomplete, d->complete ? "" : "counts of a process are missing", sizeof(d->incomplete));
	d->expect_hash = b->r->budget ? b->r->budget->hash : 0;
	run->ndevices++;
}

static enum bc_status add_devices(struct building *b)
{
	const struct bc_app_summary *s = b->r->summary;
	size_t most = 1;

	for (size_t i = 0; i < s->nrecords; i++)
		most += s->record[i].ndevices;
	b->run.devices = calloc(most, sizeof(*b->run.devices));
	b->gpu = calloc(most, sizeof(*b->gpu));
	if (!b->run.devices || !b->gpu)
		return bc_fail(b->err, BC_ENOMEM, "app.xml: out of memory");
	for (size_t i = 0; i < s->nrecords; i++)
		for (size_t k = 0; k < s->record[i].ndevices; k++) {
			const struct bc_app_device *d = &s->record[i].device[k];
			const size_t at = device_of(b, d->name);

			if (!b->run.ndevices || !same_gpu(b->gpu[at], d->name))
				add_device(b, d, d->name);
			else if (strcmp(b->run.devices[at].facts.uuid, d->uuid) != 0)
				b->run.devices[at].facts.uuid[0] = '\0';
		}
	if (!b->run.ndevices)
		add_device(b, NULL, "no GPU");
	b->room = s->nchecks + s->nnames * b->run.ndevices * BC_ARRAY_LEN(reported) + 1;
	b->back = calloc(b->room, sizeof(*b->back));
	for (size_t i = 0; i < b->run.ndevices; i++)
		b->run.devices[i].results = calloc(b->room, sizeof(*b->run.devices[i].results));
	for (size_t i = 0; i < b->run.ndevices; i++)
		if (!b->back || !b->run.devices[i].results)
			return bc_fail(b->err, BC_ENOMEM, "app.xml: out of memory");
	return BC_OK;
}

static enum bc_status name_run(struct building *b)
{
	static const struct bc_run_options none;
	struct bc_run *run = &b->run;
	enum bc_status st = bc_run_name(run, b->r->options ? b->r->options : &none, b->err);
	struct bc_text again = { 0 };

	if (!st)
		st = bc_text_addf(&again, b->err, "bankcheck app%s", b->r->budget ? " --budget " : "");
	if (!st && b->r->budget)
		st = bc_shell_quote(&again, b->r->budget->path, b->err);
	if (!st)
		st = bc_text_addf(&again, b->err, " -- %s", b->r->command);
	if (!st && !bc_strlcpy(run->rerun, again.data, sizeof(run->rerun)))
		(void)bc_strlcpy(run->rerun, "the same program, whose command is too long to be told",
				 sizeof(run->rerun));
	bc_text_release(&again);
	run->seconds = b->r->end->seconds;
	run->rerun_whole = true;
	(void)snprintf(run->options, sizeof(run->options), "app -- %.280s", b->r->command);
	(void)bc_strlcpy(run->commit, bc_build_commit, sizeof(run->commit));
	(void)bc_strlcpy(run->built, bc_build_with, sizeof(run->built));
	return st;
}

enum bc_status bc_app_print_junit(const struct bc_app_report *r, struct bc_text *out, struct bc_error *err)
{
	const struct bc_app_summary *s = r->summary;
	struct building b = { .r = r, .err = err };
	enum bc_status st = name_run(&b);

	if (!st)
		st = add_devices(&b);
	for (size_t i = 0; !st && i < s->nchecks; i++)
		st = add_check(&b, &s->check[i]);
	for (size_t d = 0; !st && d < b.run.ndevices; d++)
		for (size_t n = 0; !st && n < s->nnames; n++)
			if (ran_on(s, n, b.gpu[d]))
				st = add_figures(&b, n, b.gpu[d]);
	if (!st)
		st = bc_junit_format(&b.run, BC_JUNIT_FULL, NULL, out, err);
	for (size_t i = 0; i < b.n; i++) {
		free(b.back[i].sentence);
		free(b.back[i].source);
	}
	for (size_t i = 0; i < b.run.ndevices; i++)
		free(b.run.devices[i].results);
	free(b.run.devices);
	free(b.gpu);
	free(b.back);
	return st;
}
