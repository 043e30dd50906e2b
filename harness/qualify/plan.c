/* SPDX-License-Identifier: MIT */
/* Which devices, which steps, and what the steps came to: a verdict. */
#include "harness/qualify/qualify.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/qualify/child.h"
#include "harness/report/json.h"

#define DEVICES_MAX 64

static const struct {
	const char *name, *about;
} steps[BC_QUALIFY_STEPS] = {
	[BC_QUALIFY_SELFTEST] = { "selftest",
				  "is the tool sound? One planted fault of each kind, on the reference device" },
	[BC_QUALIFY_MAP] = { "map", "what are the bank laws? From addresses, counters and clock alone" },
	[BC_QUALIFY_CATALOGUE] = { "catalogue",
				   "every case three times, shuffled, and the patterns of every rule on all SMs" },
	[BC_QUALIFY_CELLS] = { "cells", "march tests of every byte of shared memory, on all SMs" },
	[BC_QUALIFY_MATRIX] = { "matrix", "the same cases with other compilers and CUPTIs" },
	[BC_QUALIFY_DIFF] = { "diff", "compared with the baseline" },
	[BC_QUALIFY_SOAK] = { "soak", "the cases again and again, on all SMs" },
};

const char *bc_qualify_step_name(enum bc_qualify_kind k)
{
	return (unsigned)k < BC_QUALIFY_STEPS ? steps[k].name : "?";
}

const char *bc_qualify_step_about(enum bc_qualify_kind k)
{
	return (unsigned)k < BC_QUALIFY_STEPS ? steps[k].about : "?";
}

const char *bc_qualified_name(enum bc_qualified q)
{
	static const char *const names[] = { "QUALIFIED", "QUALIFIED WITH REMARKS", "NOT QUALIFIED" };

	return (unsigned)q < BC_ARRAY_LEN(names) ? names[q] : "?";
}

/* ---- devices ---- */

static enum bc_status add_device(struct bc_qualify *q, const char *option, size_t len, struct bc_error *err)
{
	struct bc_qualify_device *d;

	if (q->n == DEVICES_MAX)
		return bc_fail(err, BC_EUSAGE, "--device: more than %d devices", DEVICES_MAX);
	d = &q->device[q->n++];
	(void)snprintf(d->option, sizeof(d->option), "%.*s", (int)(len < sizeof(d->option) ? len : 0), option);
	if (!d->option[0] || strcmp(d->option, "reference:all") == 0)
		return bc_fail(err, BC_EUSAGE,
			       "--device %.60s: qualify takes cuda:N, all, reference and reference:sm_NN, separated by "
			       "commas",
			       option);
	(void)bc_strlcpy(d->name, d->option, sizeof(d->name));
	for (char *c = d->name; *c; c++)
		*c = isalnum((unsigned char)*c) ? *c : '_';
	for (size_t i = 0; i + 1 < q->n; i++)
		if (strcmp(q->device[i].name, d->name) == 0)
			return bc_fail(err, BC_EUSAGE, "--device: %s is there twice", d->option);
	return BC_OK;
}

/* All GPUs of this host, as `devices` lists them. */
static enum bc_status add_gpus(const struct bc_qualify_options *o, struct bc_qualify *q, struct bc_error *err)
{
	struct bc_text text = { 0 };
	json_t *j = NULL, *gpus;
	size_t n;
	enum bc_status st = bc_qualify_ask_devices(o, &text, err);

	if (!st)
		j = json_loads(text.data ? text.data : "", 0, NULL);
	gpus = json_object_get(j, "gpus");
	n = json_array_size(gpus);
	if (!st && !n) {
		const char *why = json_string_value(json_object_get(j, "no_gpu"));

		st = bc_fail(err, BC_EUSAGE,
			     "no GPU here (%.200s); `--device reference` qualifies the reference device, as a trial",
			     why ? why : "`bankcheck devices` says why");
	}
	for (size_t i = 0; !st && i < n; i++) {
		char option[32];

		(void)snprintf(option, sizeof(option), "cuda:%lld",
			       (long long)json_integer_value(json_object_get(json_array_get(gpus, i), "index")));
		st = add_device(q, option, strlen(option), err);
	}
	json_decref(j);
	bc_text_release(&text);
	return st;
}

static void want(struct bc_qualify_step *s, bool wanted, const char *why_not)
{
	s->wanted = wanted;
	s->why_not = wanted ? NULL : why_not;
}

static void plan_steps(const struct bc_qualify_options *o, struct bc_qualify_device *d)
{
	want(&d->step[BC_QUALIFY_SELFTEST], false, "once for all devices");
	want(&d->step[BC_QUALIFY_MAP], true, NULL);
	want(&d->step[BC_QUALIFY_CATALOGUE], true, NULL);
	want(&d->step[BC_QUALIFY_CELLS], true, NULL);
	want(&d->step[BC_QUALIFY_MATRIX], o->kernels->n > 1 || o->cupti->n > 1,
	     "fewer than two --kernels or --cupti were given");
	want(&d->step[BC_QUALIFY_DIFF], o->baseline != NULL,
	     "no --baseline was given, and no GPU of its kind before it");
	want(&d->step[BC_QUALIFY_SOAK], o->soak_s != 0, "no --soak was given");
}

enum bc_status bc_qualify_plan(const struct bc_qualify_options *o, struct bc_qualify *q, struct bc_error *err)
{
	const char *list = o->run->devices;
	enum bc_status st = BC_OK;

	q->device = calloc(DEVICES_MAX, sizeof(*q->device));
	if (!q->device)
		return bc_fail(err, BC_ENOMEM, "qualify: out of memory");
	(void)bc_strlcpy(q->bankcheck, BC_VERSION, sizeof(q->bankcheck));
	if (!list && (o->run->fault || o->run->law))
		list = "reference";
	for (const char *at = list ? list : "all"; !st; at++) {
		const size_t len = strcspn(at, ",");

		st = len == 3 && strncmp(at, "all", 3) == 0 ? add_gpus(o, q, err) : add_device(q, at, len, err);
		at += len;
		if (!*at)
			break;
	}
	want(&q->selftest, true, NULL);
	for (size_t i = 0; i < q->n; i++)
		plan_steps(o, &q->device[i]);
	return st;
}

/* ---- the verdict ---- */

void bc_qualify_add(struct bc_qualify_device *d, bool reason, int status, const char *fmt, ...)
{
	struct bc_qualify_remark *r = NULL;
	va_list ap;

	if (d->nremarks < BC_QUALIFY_REMARKS)
		r = &d->remark[d->nremarks++];
	for (size_t i = BC_QUALIFY_REMARKS; !r && reason && i > 0; i--)
		if (!d->remark[i - 1].reason)
			r = &d->remark[i - 1];
	if (!r)
		return;
	r->reason = reason;
	r->status = status;
	va_start(ap, fmt);
	if (vsnprintf(r->text, sizeof(r->text), fmt, ap) < 0)
		r->text[0] = '\0';
	va_end(ap);
}

enum bc_qualified bc_qualify_verdict(const struct bc_qualify_device *d)
{
	for (size_t i = 0; i < d->nremarks; i++)
		if (d->remark[i].reason)
			return BC_NOT_QUALIFIED;
	return d->nremarks ? BC_QUALIFIED_WITH_REMARKS : BC_QUALIFIED;
}

enum bc_qualified bc_qualify_worst(const struct bc_qualify *q)
{
	enum bc_qualified worst = BC_QUALIFIED;

	for (size_t i = 0; i < q->n; i++)
		if (bc_qualify_verdict(&q->device[i]) > worst)
			worst = bc_qualify_verdict(&q->device[i]);
	return worst;
}

int bc_qualify_status(const struct bc_qualify *q, bool strict)
{
	bool is[5] = { false };
	size_t remarks = 0;

	for (size_t i = 0; i < q->n; i++) {
		for (size_t k = 0; k < q->device[i].nremarks; k++) {
			const struct bc_qualify_remark *r = &q->device[i].remark[k];

			remarks += !r->reason;
			if (r->reason)
				is[r->status == 2 || r->status == 4 ? r->status : 1] = true;
		}
	}
	if (is[2] || is[1] || is[4])
		return is[2] ? 2 : is[1] ? 1 : 4;
	return strict && remarks ? 1 : 0;
}

void bc_qualify_release(struct bc_qualify *q)
{
	free(q->device);
	*q = (struct bc_qualify){ .n = 0 };
}
