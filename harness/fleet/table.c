/* SPDX-License-Identifier: MIT */
/* Cases that are not unanimous, by kind: as long as there are findings, however large the fleet. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fleet/fleet.h"
#include "harness/fleet/kind.h"

struct tabling {
	struct bc_fleet_units *u;
	struct bc_sheet *out;
	size_t *n; /* [nkinds * most variants of a case] */
	size_t most;
	size_t unanimous[BC_NVERDICTS];
	struct bc_error *err;
};

/* How many units of each kind have each variant of a case. */
static void count(const struct tabling *t, size_t c)
{
	memset(t->n, 0, t->u->nkinds * t->most * sizeof(*t->n));
	for (size_t i = 0; i < t->u->nunits; i++) {
		const uint16_t v = t->u->got[i * t->u->ncases + c];

		if (v != BC_KIND_ABSENT)
			t->n[t->u->unit[i].kind * t->most + v]++;
	}
}

/* Does it go into the table? Units of one kind differ, or kinds have verdicts that differ (a SKIP does not: the kind
 * cannot run it), or a verdict is a finding. */
static bool is_shown(const struct tabling *t, size_t c)
{
	const struct bc_fleet_case *fc = &t->u->cases[c];
	bool shown = false;
	int seen = -1;

	for (size_t v = 0; v < fc->nvariants; v++) {
		const enum bc_verdict verdict = fc->variant[v].verdict;

		shown = shown || bc_verdict_is_finding(verdict);
		if (verdict == BC_SKIP)
			continue;
		shown = shown || (seen >= 0 && seen != (int)verdict);
		seen = (int)verdict;
	}
	for (size_t k = 0; k < t->u->nkinds; k++) {
		size_t variants = 0;

		for (size_t v = 0; v < fc->nvariants; v++)
			variants += t->n[k * t->most + v] > 0;
		shown = shown || variants > 1;
	}
	return shown;
}

/* "FAIL 1 of 320; PASS 319 of 320", with counts where one verdict has several. */
static enum bc_status put_cell(struct tabling *t, size_t c, size_t kind, struct bc_text *out)
{
	const struct bc_fleet_case *fc = &t->u->cases[c];
	size_t all = 0;
	bool counts = false;
	enum bc_status st = bc_text_add(out, "", 0, t->err);

	for (size_t v = 0; v < fc->nvariants; v++) {
		all += t->n[kind * t->most + v];
		for (size_t o = 0; o < v; o++)
			counts = counts || (t->n[kind * t->most + v] && t->n[kind * t->most + o] &&
					    fc->variant[v].verdict == fc->variant[o].verdict);
	}
	/* rare ones first: they are what the row is there for */
	for (size_t want = 1; !st && want <= all; want++)
		for (size_t v = 0; !st && v < fc->nvariants; v++) {
			char text[BC_VARIANT_TEXT];

			if (t->n[kind * t->most + v] != want)
				continue;
			bc_fleet_variant_text(&fc->variant[v], counts, text);
			st = bc_text_addf(out, t->err, "%s%s: %zu of %zu", out->len ? "; " : "", text, want, all);
		}
	return st;
}

/* The worst verdict of a row. */
static enum bc_verdict worst(const struct bc_fleet_case *fc)
{
	enum bc_verdict w = fc->variant[0].verdict;

	for (size_t v = 1; v < fc->nvariants; v++)
		if (bc_verdict_rank(fc->variant[v].verdict) > bc_verdict_rank(w))
			w = fc->variant[v].verdict;
	return w;
}

static enum bc_status put_row(struct tabling *t, size_t c)
{
	const struct bc_fleet_case *fc = &t->u->cases[c];
	const enum bc_verdict w = worst(fc);
	const char *message = "units differ";
	size_t kind = 0;
	enum bc_status st;

	for (size_t v = 0; v < fc->nvariants; v++)
		if (fc->variant[v].verdict == w && fc->variant[v].message[0])
			message = fc->variant[v].message;
	for (size_t k = t->u->nkinds; k-- > 0;)
		for (size_t v = 0; v < fc->nvariants; v++)
			if (fc->variant[v].verdict == w && t->n[k * t->most + v])
				kind = k;
	st = bc_sheet_row(t->out, 1, t->u->kind[kind], fc->name, bc_verdict_name(w), message, t->err);
	if (!st)
		st = bc_sheet_cell(t->out, 0, fc->name, t->err);
	for (size_t k = 0; !st && k < t->u->nkinds; k++) {
		struct bc_text cell = { 0 };

		st = put_cell(t, c, k, &cell);
		if (!st)
			st = bc_sheet_cell(t->out, 1 + k, cell.data, t->err);
		bc_text_release(&cell);
	}
	return st;
}

static enum bc_status put_all(struct tabling *t)
{
	struct bc_text rest = { 0 };
	size_t unanimous = 0;
	enum bc_status st = bc_text_add(&rest, "", 0, t->err);

	for (size_t c = 0; !st && c < t->u->ncases; c++) {
		if (!t->u->cases[c].nvariants)
			continue; /* of other nights */
		count(t, c);
		if (is_shown(t, c)) {
			st = put_row(t, c);
			continue;
		}
		unanimous++;
		t->unanimous[worst(&t->u->cases[c])]++;
	}
	for (unsigned v = 0; !st && v < BC_NVERDICTS; v++)
		if (t->unanimous[v])
			st = bc_text_addf(&rest, t->err, "%s%zu %s", rest.len ? ", " : "", t->unanimous[v],
					  bc_verdict_name((enum bc_verdict)v));
	if (!st)
		st = bc_sheet_note(t->out, 0, t->err, "%zu cases are unanimous%s%s", unanimous, rest.len ? ": " : "",
				   rest.data);
	for (size_t k = 0; !st && k < t->u->nkinds; k++)
		st = bc_sheet_note(t->out, 0, t->err, "kind %zu: %s: %zu unit%s", k + 1,
				   t->u->kind[k][0] ? t->u->kind[k] : "all", t->u->of_kind[k],
				   t->u->of_kind[k] == 1 ? "" : "s");
	bc_text_release(&rest);
	return st;
}

enum bc_status bc_fleet_table(struct bc_history *h, const char *night, const char *by, struct bc_sheet *out,
			      struct bc_error *err)
{
	struct bc_fleet_units u = { 0 };
	struct tabling t = { .u = &u, .out = out, .err = err };
	enum bc_status st = bc_fleet_units(h, night, by, &u, err);

	if (st)
		return st;
	out->command = "table";
	out->night = strdup(night);
	for (size_t c = 0; c < u.ncases; c++)
		t.most = u.cases[c].nvariants > t.most ? u.cases[c].nvariants : t.most;
	t.n = calloc(u.nkinds * t.most + 1, sizeof(*t.n));
	if (!out->night || !t.n)
		st = bc_fail(err, BC_ENOMEM, "fleet: out of memory");
	if (!st)
		st = bc_sheet_column(out, "case", err);
	for (size_t k = 0; !st && k < u.nkinds; k++) {
		char head[32];

		(void)snprintf(head, sizeof(head), "kind %zu", k + 1);
		st = bc_sheet_column(out, head, err);
	}
	if (!st)
		st = put_all(&t);
	free(t.n);
	bc_fleet_units_release(&u);
	return st;
}
