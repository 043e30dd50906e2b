/* SPDX-License-Identifier: MIT */
#include "harness/fleet/kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"

#define HASH_SHOWN 8 /* digits of a hash that tell kinds apart well enough to read */

static enum bc_status no_memory(struct bc_error *err)
{
	return bc_fail(err, BC_ENOMEM, "fleet: out of memory");
}

/* What makes a kind. */
static const struct part {
	const char *word, *prefix;
	int fact;	  /* enum bc_history_fact; -1: of the report's facts */
	const char *name; /* of that */
	int shown;	  /* most characters; 0: all */
} parts[] = {
	{ "gpu", "", BC_FACT_GPU, NULL, 0 },
	{ "arch", "", BC_FACT_ARCH, NULL, 0 },
	{ "mig", "MIG ", -1, "mig", 0 },
	{ "driver", "driver ", BC_FACT_DRIVER, NULL, 0 },
	{ "cuda", "CUDA ", BC_FACT_CUDA, NULL, 0 },
	{ "images", "images ", BC_FACT_IMAGE, NULL, HASH_SHOWN },
	{ "expectations", "expectations ", BC_FACT_EXPECTED, NULL, HASH_SHOWN },
};

/* Is @word in the list @by? */
static bool is_in(const char *by, const char *word)
{
	const size_t n = strlen(word);

	for (; by; by = strchr(by, ',') ? strchr(by, ',') + 1 : NULL)
		if (strncmp(by, word, n) == 0 && (by[n] == ',' || !by[n]))
			return true;
	return false;
}

static enum bc_status check_by(const char *by, struct bc_error *err)
{
	while (by && *by) {
		const size_t n = strcspn(by, ",");
		bool known = false;

		for (size_t i = 0; i < BC_ARRAY_LEN(parts); i++)
			known = known || (strlen(parts[i].word) == n && strncmp(parts[i].word, by, n) == 0);
		if (!known)
			return bc_fail(err, BC_EUSAGE,
				       "--by %.60s: it takes gpu, arch, mig, driver, cuda, images and expectations, "
				       "separated by commas",
				       by);
		by += n + (by[n] == ',');
	}
	return BC_OK;
}

enum bc_status bc_kind_text(struct bc_history *h, const struct bc_history_run *r, const char *by, struct bc_text *out,
			    struct bc_error *err)
{
	enum bc_status st = check_by(by, err);

	if (!st)
		st = bc_text_add(out, "", 0, err);
	for (size_t i = 0; !st && i < BC_ARRAY_LEN(parts); i++) {
		const struct part *p = &parts[i];
		char *own = NULL;
		const char *value;
		size_t n;

		if (by && !is_in(by, p->word))
			continue;
		if (p->fact < 0)
			st = bc_history_fact(h, r->id, p->name, &own, err);
		value = p->fact < 0 ? own : r->fact[p->fact];
		if (!st && value[0]) {
			const char *fault = strstr(value, ", planted fault");

			n = fault ? (size_t)(fault - value) : strlen(value);
			if (p->shown && n > (size_t)p->shown)
				n = (size_t)p->shown;
			st = bc_text_addf(out, err, "%s%s%.*s", out->len ? ", " : "", p->prefix, (int)n, value);
		}
		free(own);
	}
	return st;
}

/* How much a run has of the catalogue: all, a part that was chosen, less than it should. */
static int wholeness(const struct bc_night_run *r)
{
	const char *complete = r->run.fact[BC_FACT_COMPLETE];

	return strcmp(complete, "yes") == 0 ? 2 : strcmp(complete, "filtered") == 0;
}

static int by_unit(const void *a, const void *b)
{
	const struct bc_night_run *x = ((const struct bc_fleet_unit *)a)->r, *y = ((const struct bc_fleet_unit *)b)->r;
	int order = strcmp(x->run.fact[BC_FACT_UNIT], y->run.fact[BC_FACT_UNIT]);

	if (!order) /* what counts more comes first */
		order = wholeness(y) - wholeness(x);
	if (!order)
		order = strcmp(y->run.fact[BC_FACT_TIME], x->run.fact[BC_FACT_TIME]);
	return order ? order : strcmp(x->job, y->job);
}

static int by_node(const void *a, const void *b)
{
	const struct bc_night_run *x = ((const struct bc_fleet_unit *)a)->r, *y = ((const struct bc_fleet_unit *)b)->r;
	const int order = strcmp(x->node, y->node);

	return order ? order : strcmp(x->run.fact[BC_FACT_UNIT], y->run.fact[BC_FACT_UNIT]);
}

/* One run a unit. */
static enum bc_status choose_units(struct bc_fleet_units *u, struct bc_error *err)
{
	size_t n = 0;

	u->unit = calloc(u->runs.n + 1, sizeof(*u->unit));
	if (!u->unit)
		return no_memory(err);
	for (size_t i = 0; i < u->runs.n; i++)
		u->unit[i].r = &u->runs.r[i];
	qsort(u->unit, u->runs.n, sizeof(*u->unit), by_unit);
	for (size_t i = 0; i < u->runs.n; i++)
		if (!n || strcmp(u->unit[n - 1].r->run.fact[BC_FACT_UNIT], u->unit[i].r->run.fact[BC_FACT_UNIT]) != 0)
			u->unit[n++] = u->unit[i];
	u->nunits = n;
	qsort(u->unit, n, sizeof(*u->unit), by_node);
	return BC_OK;
}

static enum bc_status name_kinds(struct bc_history *h, const char *by, struct bc_fleet_units *u, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	u->kind = calloc(u->nunits + 1, sizeof(*u->kind));
	u->of_kind = calloc(u->nunits + 1, sizeof(*u->of_kind));
	if (!u->kind || !u->of_kind)
		return no_memory(err);
	for (size_t i = 0; !st && i < u->nunits; i++) {
		struct bc_text t = { 0 };
		size_t k = 0;

		st = bc_kind_text(h, &u->unit[i].r->run, by, &t, err);
		while (!st && k < u->nkinds && !(u->kind[k] && t.data && strcmp(u->kind[k], t.data) == 0))
			k++;
		if (!st && k == u->nkinds) {
			u->kind[u->nkinds++] = t.data; /* it is the list's now */
			t = (struct bc_text){ 0 };
		}
		u->unit[i].kind = k;
		u->of_kind[k] += !st;
		bc_text_release(&t);
	}
	return st;
}

struct filling {
	struct bc_fleet_units *u;
	size_t unit;
};

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static enum bc_status fill(void *ctx, const struct bc_history_point *p, struct bc_error *err)
{
	struct filling *f = ctx;
	const size_t at = (size_t)(p->c - f->u->names.c);
	struct bc_fleet_case *c = &f->u->cases[at];
	struct bc_fleet_variant *grown;
	size_t v = 0;

	while (v < c->nvariants && !(c->variant[v].verdict == p->verdict && c->variant[v].flaky == p->flaky &&
				     same(c->variant[v].wavefronts, p->value[BC_VALUE_WAVEFRONTS]) &&
				     same(c->variant[v].conflicts, p->value[BC_VALUE_CONFLICTS])))
		v++;
	if (v == c->nvariants) {
		if (v + 1 >= BC_KIND_ABSENT)
			return bc_fail(err, BC_EDATA, "fleet: %s has too many outcomes", c->name);
		grown = realloc(c->variant, (v + 1) * sizeof(*grown));
		if (!grown)
			return no_memory(err);
		c->variant = grown;
		grown[v] = (struct bc_fleet_variant){ .verdict = p->verdict,
						      .wavefronts = p->value[BC_VALUE_WAVEFRONTS],
						      .conflicts = p->value[BC_VALUE_CONFLICTS],
						      .flaky = p->flaky,
						      .message = strdup(p->message) };
		if (!grown[v].message)
			return no_memory(err);
		c->nvariants++;
	}
	f->u->got[f->unit * f->u->ncases + at] = (uint16_t)v;
	f->u->cycles[f->unit * f->u->ncases + at] = (float)p->value[BC_VALUE_CYCLES];
	return BC_OK;
}

static enum bc_status read_results(struct bc_history *h, struct bc_fleet_units *u, struct bc_error *err)
{
	enum bc_status st = bc_history_cases(h, NULL, &u->names, err);

	if (st)
		return st;
	u->ncases = u->names.n;
	u->cases = calloc(u->ncases + 1, sizeof(*u->cases));
	u->got = malloc((u->nunits * u->ncases + 1) * sizeof(*u->got));
	u->cycles = malloc((u->nunits * u->ncases + 1) * sizeof(*u->cycles));
	if (!u->cases || !u->got || !u->cycles)
		return no_memory(err);
	for (size_t i = 0; i < u->ncases; i++)
		u->cases[i].name = u->names.c[i].name;
	for (size_t i = 0; i < u->nunits * u->ncases; i++) {
		u->got[i] = BC_KIND_ABSENT;
		u->cycles[i] = NAN;
	}
	for (size_t i = 0; !st && i < u->nunits; i++) {
		struct filling f = { u, i };

		st = bc_history_visit(h, &u->unit[i].r->run, 1, &u->names, fill, &f, err);
	}
	return st;
}

enum bc_status bc_fleet_units(struct bc_history *h, const char *night, const char *by, struct bc_fleet_units *out,
			      struct bc_error *err)
{
	enum bc_status st;

	*out = (struct bc_fleet_units){ 0 };
	st = bc_night_runs(h, night, &out->runs, err);
	if (!st && !out->runs.n)
		st = bc_fail(
			err, BC_EREAD,
			"the night `%.80s` has no runs in this history: `bankcheck fleet gather NIGHT` takes them in",
			night);
	if (!st)
		st = choose_units(out, err);
	if (!st)
		st = name_kinds(h, by, out, err);
	if (!st)
		st = read_results(h, out, err);
	if (st)
		bc_fleet_units_release(out);
	return st;
}

void bc_fleet_units_release(struct bc_fleet_units *u)
{
	for (size_t i = 0; i < u->ncases && u->cases; i++) {
		for (size_t v = 0; v < u->cases[i].nvariants; v++)
			free(u->cases[i].variant[v].message);
		free(u->cases[i].variant);
	}
	for (size_t i = 0; i < u->nkinds; i++)
		free(u->kind[i]);
	free(u->kind);
	free(u->of_kind);
	free(u->cases);
	free(u->got);
	free(u->cycles);
	free(u->unit);
	bc_history_cases_release(&u->names);
	bc_night_runs_release(&u->runs);
	*u = (struct bc_fleet_units){ 0 };
}

void bc_fleet_variant_text(const struct bc_fleet_variant *v, bool counts, char buf[BC_VARIANT_TEXT])
{
	char w[BC_NUMBER_MAX], c[BC_NUMBER_MAX];
	int n = snprintf(buf, BC_VARIANT_TEXT, "%s%s", bc_verdict_name(v->verdict), v->flaky ? " (flaky)" : "");

	if (counts && !isnan(v->wavefronts))
		n += snprintf(buf + n, BC_VARIANT_TEXT - (size_t)n, ", %s wavefronts",
			      bc_number_text(v->wavefronts, w));
	if (counts && !isnan(v->conflicts))
		(void)snprintf(buf + n, BC_VARIANT_TEXT - (size_t)n, ", %s conflicts", bc_number_text(v->conflicts, c));
}
