/* SPDX-License-Identifier: MIT */
/* GPUs that are not as the others of their kind: counts, clock, facts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"
#include "harness/fleet/fleet.h"
#include "harness/fleet/kind.h"
#include "harness/fleet/odd.h"

#define EXAMPLES_MAX 3 /* cases that are named */

/* A unit and a way in which it is odd. */
struct odd {
	char *node, *unit, *kind, *what; /* what: "counts", "clock", "fact vbios" */
	char *value, *others;
	bool before; /* it was odd in the same way the night before */
};

struct odds {
	struct odd *o;
	size_t n;
	struct bc_text notes; /* lines */
};

struct looking {
	struct bc_history *h;
	struct bc_fleet_units *u;
	struct odds *odds;
	size_t *member; /* [nunits] units of the kind at hand */
	size_t n;
	size_t kind;
	double *v, *room; /* [nunits] */
	struct bc_error *err;
};

static enum bc_status no_memory(struct bc_error *err)
{
	return bc_fail(err, BC_ENOMEM, "fleet: out of memory");
}

static void release(struct odds *o)
{
	for (size_t i = 0; i < o->n; i++) {
		free(o->o[i].node);
		free(o->o[i].unit);
		free(o->o[i].kind);
		free(o->o[i].what);
		free(o->o[i].value);
		free(o->o[i].others);
	}
	free(o->o);
	bc_text_release(&o->notes);
	*o = (struct odds){ 0 };
}

static enum bc_status add(struct looking *l, size_t unit, const char *what, const char *value, const char *others)
{
	const struct bc_night_run *r = l->u->unit[unit].r;
	struct odd *o;

	if ((l->odds->n & (l->odds->n - 1)) == 0) {
		struct odd *grown = realloc(l->odds->o, (l->odds->n ? 2 * l->odds->n : 1) * sizeof(*grown));

		if (!grown)
			return no_memory(l->err);
		l->odds->o = grown;
	}
	o = &l->odds->o[l->odds->n++];
	*o = (struct odd){ strdup(r->node),
			   strdup(r->run.fact[BC_FACT_UNIT]),
			   strdup(l->u->kind[l->kind]),
			   strdup(what),
			   strdup(value),
			   strdup(others),
			   false };
	return o->node && o->unit && o->kind && o->what && o->value && o->others ? BC_OK : no_memory(l->err);
}

static uint16_t got(const struct looking *l, size_t unit, size_t c)
{
	return l->u->got[unit * l->u->ncases + c];
}

/* What most units of the kind got of a case; BC_KIND_ABSENT: there is no majority. *all: units that have the case. */
static uint16_t majority(const struct looking *l, size_t c, size_t *all)
{
	uint16_t v = BC_KIND_ABSENT;
	size_t lead = 0, n = 0;

	*all = 0;
	for (size_t i = 0; i < l->n; i++) { /* Boyer and Moore: a majority, if there is one, is left over */
		const uint16_t g = got(l, l->member[i], c);

		if (g == BC_KIND_ABSENT)
			continue;
		++*all;
		if (!lead)
			v = g;
		lead = g == v ? lead + 1 : lead - 1;
	}
	for (size_t i = 0; i < l->n; i++)
		n += got(l, l->member[i], c) == v;
	return v != BC_KIND_ABSENT && bc_is_majority(n, *all, BC_FLEET_UNITS_MIN) ? v : BC_KIND_ABSENT;
}

/* "stride/ld_b32/2: PASS, 3 wavefronts, the others PASS, 2 wavefronts" */
static enum bc_status put_example(struct looking *l, struct bc_text *t, size_t c, uint16_t own, uint16_t others)
{
	char a[BC_VARIANT_TEXT], b[BC_VARIANT_TEXT];

	bc_fleet_variant_text(&l->u->cases[c].variant[own], true, a);
	bc_fleet_variant_text(&l->u->cases[c].variant[others], true, b);
	return bc_text_addf(t, l->err, "%s%s: %s, the others %s", t->len ? "; " : "", l->u->cases[c].name, a, b);
}

/* The same verdict, but its counts are not known (or those of the others): a compact report, counters that were
 * refused. That is a fact of the run, not a count that is odd. */
static bool says_less(const struct bc_fleet_case *c, uint16_t a, uint16_t b)
{
	const struct bc_fleet_variant *x = &c->variant[a], *y = &c->variant[b];

	return x->verdict == y->verdict && x->flaky == y->flaky &&
	       ((isnan(x->wavefronts) && isnan(x->conflicts)) || (isnan(y->wavefronts) && isnan(y->conflicts)));
}

static enum bc_status look_at_counts(struct looking *l)
{
	size_t *odd = calloc(l->u->nunits + 1, sizeof(*odd)), undecided = 0;
	struct bc_text *text = calloc(l->u->nunits + 1, sizeof(*text));
	enum bc_status st = odd && text ? BC_OK : no_memory(l->err);

	for (size_t c = 0; !st && c < l->u->ncases; c++) {
		size_t all;
		const uint16_t most = majority(l, c, &all);

		undecided += most == BC_KIND_ABSENT && all > 0;
		for (size_t i = 0; !st && most != BC_KIND_ABSENT && i < l->n; i++) {
			const size_t unit = l->member[i];
			const uint16_t g = got(l, unit, c);

			if (g == most || g == BC_KIND_ABSENT || says_less(&l->u->cases[c], g, most))
				continue;
			if (odd[unit]++ < EXAMPLES_MAX)
				st = put_example(l, &text[unit], c, g, most);
		}
	}
	for (size_t i = 0; !st && i < l->n; i++) {
		const size_t unit = l->member[i];
		char value[64];

		if (!odd[unit])
			continue;
		(void)snprintf(value, sizeof(value), "%zu case%s differ%s", odd[unit], odd[unit] == 1 ? "" : "s",
			       odd[unit] == 1 ? "s" : "");
		st = add(l, unit, "counts", value, text[unit].data);
	}
	if (!st && undecided)
		st = bc_text_addf(&l->odds->notes, l->err, "%s: %zu case%s without a majority\n", l->u->kind[l->kind],
				  undecided, undecided == 1 ? "" : "s");
	for (size_t i = 0; text && i < l->u->nunits; i++)
		bc_text_release(&text[i]);
	free(text);
	free(odd);
	return st;
}

/* The kind's median of a case's cycles; NaN when less than half of it have any. */
static double middle_cycles(struct looking *l, size_t c)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const float f = l->u->cycles[l->member[i] * l->u->ncases + c];

		if (f > 0)
			l->v[n++] = (double)f;
	}
	return 2 * n >= l->n ? bc_median_of(l->v, n) : (double)NAN;
}

/* Each unit's median, over the cases, of its cycles by the kind's; NaN when it has none. */
static enum bc_status find_ratios(struct looking *l, double *ratio)
{
	double *middle = calloc(l->u->ncases + 1, sizeof(*middle)), *of = calloc(l->u->ncases + 1, sizeof(*of));

	if (!middle || !of) {
		free(middle);
		free(of);
		return no_memory(l->err);
	}
	for (size_t c = 0; c < l->u->ncases; c++)
		middle[c] = middle_cycles(l, c);
	for (size_t i = 0; i < l->n; i++) {
		const float *f = &l->u->cycles[l->member[i] * l->u->ncases];
		size_t n = 0;

		for (size_t c = 0; c < l->u->ncases; c++)
			if (f[c] > 0 && middle[c] > 0)
				of[n++] = (double)f[c] / middle[c];
		ratio[i] = bc_median_of(of, n);
	}
	free(middle);
	free(of);
	return BC_OK;
}

/* Members whose number is too far from the middle of all. @below: only what is less counts. */
static enum bc_status look_at_numbers(struct looking *l, const double *number, const char *what, double floor,
				      bool below, const char *unit)
{
	size_t n = 0;
	double middle, limit;
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < l->n; i++)
		if (!isnan(number[i]))
			l->v[n++] = number[i];
	if (n < BC_FLEET_UNITS_MIN)
		return BC_OK;
	middle = bc_median_of(l->v, n);
	limit = bc_odd_limit(l->v, n, middle, floor, l->room);
	for (size_t i = 0; !st && i < l->n; i++) {
		char value[64], others[96];

		if (isnan(number[i]) || fabs(number[i] - middle) <= limit || (below && number[i] > middle))
			continue;
		(void)snprintf(value, sizeof(value), "%.6g%s", number[i], unit);
		(void)snprintf(others, sizeof(others), "the kind's median is %.6g%s, odd is beyond %.4g%s", middle,
			       unit, limit, unit);
		st = add(l, l->member[i], what, value, others);
	}
	return st;
}

static enum bc_status look_at_clock(struct looking *l)
{
	double *ratio = calloc(l->n + 1, sizeof(*ratio));
	enum bc_status st = ratio ? find_ratios(l, ratio) : no_memory(l->err);

	if (!st)
		st = look_at_numbers(l, ratio, "clock", BC_ODD_CLOCK_FLOOR, false, "");
	free(ratio);
	return st;
}

/* Facts that are the same on all GPUs of a kind. */
static const char *const facts[] = { "clock",	   "memory_clock", "sms",	   "optin_bytes",
				     "ecc",	   "board_part",   "vbios",	   "gsp_firmware",
				     "pcie_width", "environment",  "clock_absent", "counters_absent" };

/* The value that most members have; NULL: none has a majority. */
static const char *most_common(char *const *value, size_t n)
{
	const char *v = NULL;
	size_t lead = 0, same = 0;

	for (size_t i = 0; i < n; i++) {
		if (!lead)
			v = value[i];
		lead = strcmp(value[i], v) == 0 ? lead + 1 : lead - 1;
	}
	for (size_t i = 0; i < n; i++)
		same += strcmp(value[i], v) == 0;
	return bc_is_majority(same, n, BC_FLEET_UNITS_MIN) ? v : NULL;
}

static enum bc_status read_fact(struct looking *l, const char *name, char **value)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < l->n; i++)
		st = bc_history_fact(l->h, l->u->unit[l->member[i]].r->run.id, name, &value[i], l->err);
	return st;
}

static enum bc_status look_at_fact(struct looking *l, const char *name)
{
	char **value = calloc(l->n + 1, sizeof(*value)), what[64];
	const char *most;
	enum bc_status st = value ? read_fact(l, name, value) : no_memory(l->err);

	(void)snprintf(what, sizeof(what), "fact %s", name);
	most = st ? NULL : most_common(value, l->n);
	for (size_t i = 0; !st && most && i < l->n; i++)
		if (strcmp(value[i], most) != 0)
			st = add(l, l->member[i], what, value[i][0] ? value[i] : "none", most[0] ? most : "none");
	for (size_t i = 0; value && i < l->n; i++)
		free(value[i]);
	free(value);
	return st;
}

/* "1980 MHz, memory ...": the clock that the GPU ran at. A GPU that is held down has the same cycles as the others. */
static enum bc_status look_at_mhz(struct looking *l, const char *name)
{
	char **value = calloc(l->n + 1, sizeof(*value)), what[64];
	double *mhz = calloc(l->n + 1, sizeof(*mhz));
	enum bc_status st = value && mhz ? read_fact(l, name, value) : no_memory(l->err);

	for (size_t i = 0; !st && i < l->n; i++) {
		char digits[16];
		uint32_t n = 0;
		const size_t len = strspn(value[i], "0123456789");

		(void)snprintf(digits, sizeof(digits), "%.*s", (int)(len < 12 ? len : 12), value[i]);
		mhz[i] = strncmp(value[i] + len, " MHz", 4) == 0 && bc_u32_parse(digits, &n) ? n : (double)NAN;
	}
	(void)snprintf(what, sizeof(what), "fact %s", name);
	if (!st)
		st = look_at_numbers(l, mhz, what, BC_ODD_MHZ_FLOOR, true, " MHz");
	for (size_t i = 0; value && i < l->n; i++)
		free(value[i]);
	free(value);
	free(mhz);
	return st;
}

static enum bc_status look_at_kind(struct looking *l, size_t kind)
{
	enum bc_status st;

	l->kind = kind;
	l->n = 0;
	for (size_t i = 0; i < l->u->nunits; i++)
		if (l->u->unit[i].kind == kind)
			l->member[l->n++] = i;
	if (l->n < BC_FLEET_UNITS_MIN)
		return bc_text_addf(&l->odds->notes, l->err, "%s: no majority: %zu unit%s, %d are needed\n",
				    l->u->kind[kind], l->n, l->n == 1 ? "" : "s", BC_FLEET_UNITS_MIN);
	st = look_at_counts(l);
	if (!st)
		st = look_at_clock(l);
	for (size_t i = 0; !st && i < BC_ARRAY_LEN(facts); i++)
		st = look_at_fact(l, facts[i]);
	if (!st)
		st = look_at_mhz(l, "state_before");
	return st ? st : look_at_mhz(l, "state_after");
}

static enum bc_status find_odds(struct bc_history *h, const char *night, struct odds *out, struct bc_error *err)
{
	struct bc_fleet_units u = { 0 };
	struct looking l = { .h = h, .u = &u, .odds = out, .err = err };
	enum bc_status st = bc_fleet_units(h, night, NULL, &u, err);

	if (st)
		return st;
	l.member = calloc(u.nunits + 1, sizeof(*l.member));
	l.v = calloc(u.nunits + 1, sizeof(*l.v));
	l.room = calloc(u.nunits + 1, sizeof(*l.room));
	if (!l.member || !l.v || !l.room)
		st = no_memory(err);
	for (size_t k = 0; !st && k < u.nkinds; k++)
		st = look_at_kind(&l, k);
	free(l.member);
	free(l.v);
	free(l.room);
	bc_fleet_units_release(&u);
	return st;
}

/* Those of two nights first, then by node. */
static int by_weight(const void *a, const void *b)
{
	const struct odd *x = a, *y = b;
	int order = y->before - x->before;

	if (!order)
		order = strcmp(x->node, y->node);
	if (!order)
		order = strcmp(x->unit, y->unit);
	return order ? order : strcmp(x->what, y->what);
}

static enum bc_status put_row(const struct odd *o, struct bc_sheet *out, struct bc_error *err)
{
	const char *const cell[] = { o->before ? "2" : "1", o->node, o->unit, o->what, o->value, o->others, o->kind };
	struct bc_text message = { 0 };
	enum bc_status st = bc_text_addf(&message, err, "%s: %s (%s)%s", o->unit, o->value, o->others,
					 o->before ? "; two nights running" : "");

	if (!st)
		st = bc_sheet_row(out, 1, o->kind, o->node, o->what, message.data, err);
	for (size_t i = 0; !st && i < BC_ARRAY_LEN(cell); i++)
		st = bc_sheet_cell(out, i, cell[i], err);
	bc_text_release(&message);
	return st;
}

static enum bc_status put_all(struct odds *now, const struct odds *then, const char *before, struct bc_sheet *out,
			      struct bc_error *err)
{
	static const char *const heads[] = { "nights", "node", "GPU", "what", "is", "others", "kind" };
	size_t again = 0;
	char *save = NULL;
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < BC_ARRAY_LEN(heads); i++)
		st = bc_sheet_column(out, heads[i], err);
	for (size_t i = 0; i < now->n; i++) {
		for (size_t k = 0; k < then->n; k++)
			now->o[i].before = now->o[i].before || (strcmp(now->o[i].unit, then->o[k].unit) == 0 &&
								strcmp(now->o[i].what, then->o[k].what) == 0);
		again += now->o[i].before;
	}
	if (now->n)
		qsort(now->o, now->n, sizeof(*now->o), by_weight);
	for (size_t i = 0; !st && i < now->n; i++)
		st = put_row(&now->o[i], out, err);
	if (!st)
		st = bc_sheet_note(out, 0, err, "%zu odd; %zu of them also in the night before%s%s%s", now->n, again,
				   before[0] ? " (" : "", before, before[0] ? ")" : "");
	if (!now->notes.data)
		return st;
	for (char *line = strtok_r(now->notes.data, "\n", &save); !st && line; line = strtok_r(NULL, "\n", &save))
		st = bc_sheet_note(out, 0, err, "%s", line);
	return st;
}

enum bc_status bc_fleet_outliers(struct bc_history *h, const char *night, struct bc_sheet *out, struct bc_error *err)
{
	struct odds now = { 0 }, then = { 0 };
	char *before = NULL;
	enum bc_status st = bc_night_before(h, night, &before, err);

	out->command = "outliers";
	out->night = strdup(night);
	if (!out->night)
		st = no_memory(err);
	if (!st && before[0])
		st = find_odds(h, before, &then, err);
	if (!st)
		st = find_odds(h, night, &now, err);
	if (!st)
		st = put_all(&now, &then, before, out, err);
	release(&now);
	release(&then);
	free(before);
	return st;
}
