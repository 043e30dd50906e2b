/* SPDX-License-Identifier: MIT */
/* The run where a case went bad, and what changed with it. */
#include "harness/history/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"
#include "harness/history/table.h"

/* A case in one run, kept. */
struct kept {
	const struct bc_history_run *run;
	enum bc_verdict verdict;
	double value[BC_NVALUES];
	char *message;
};

struct series {
	struct kept *p; /* all units, in time's order */
	size_t n;
};

/* What became of the case on one unit. */
struct story {
	const struct kept *good, *bad; /* last good; first bad after it */
	const struct kept *was_bad;    /* the last bad one before the last good one */
	const struct kept *good_again; /* the first good one after that */
	size_t judged, since, skipped; /* since: judged from bad on */
};

struct printer {
	struct bc_history *h;
	const char *name;
	bool utf8;
	struct bc_out *out;
};

static enum bc_status keep(void *ctx, const struct bc_history_point *p, struct bc_error *err)
{
	struct series *s = ctx;
	struct kept *grown = s->p;

	if ((s->n & (s->n - 1)) == 0)
		grown = realloc(s->p, (s->n ? 2 * s->n : 1) * sizeof(*grown));
	if (!grown)
		return bc_fail(err, BC_ENOMEM, "history: out of memory");
	s->p = grown;
	grown[s->n] = (struct kept){ .run = p->run, .verdict = p->verdict, .message = strdup(p->message) };
	memcpy(grown[s->n].value, p->value, sizeof(p->value));
	if (!grown[s->n++].message)
		return bc_fail(err, BC_ENOMEM, "history: out of memory");
	return BC_OK;
}

static const char *unit_of(const struct kept *p)
{
	return p->run->fact[BC_FACT_UNIT];
}

static void follow(const struct series *s, size_t first, struct story *t)
{
	*t = (struct story){ 0 };
	for (size_t i = first; i < s->n; i++) {
		const struct kept *p = &s->p[i];

		if (strcmp(unit_of(p), unit_of(&s->p[first])) != 0)
			continue;
		if (p->verdict == BC_SKIP) {
			t->skipped++;
			continue;
		}
		t->judged++;
		if (p->verdict == BC_PASS) {
			t->good_again = t->bad ? p : t->good_again;
			t->good = p;
			t->bad = NULL;
			t->since = 0;
		} else {
			t->bad = t->bad ? t->bad : p;
			t->was_bad = p;
			t->since++;
		}
	}
}

static void put_line(const struct printer *w, const char *label, const char *text)
{
	bc_putf(w->out, "  %-10s  ", label);
	bc_put_printable(w->out, text, w->utf8);
	bc_put(w->out, "\n");
}

static void put_point(const struct printer *w, const char *label, const struct kept *p)
{
	char text[400];

	(void)snprintf(text, sizeof(text), "%s %s (run %.200s)", p->run->fact[BC_FACT_TIME],
		       bc_verdict_name(p->verdict), p->run->fact[BC_FACT_RUN_ID]);
	put_line(w, label, text);
	if (p->message[0])
		put_line(w, "", p->message);
}

/* What differs between two runs in the order of the names, then the values of the case. */
static void put_changes(const struct printer *w, const struct kept *old, const struct kept *now)
{
	struct bc_history_change *c = NULL;
	struct bc_table t = { .out = w->out, .utf8 = w->utf8 };
	size_t n = 0;

	if (!w->out->st)
		w->out->st = bc_history_changes(w->h, old->run, now->run, &c, &n, w->out->err);
	for (size_t i = 0; i < n; i++) {
		bc_table_add(&t, "%s", i ? "" : "changed   ");
		bc_table_add(&t, "%s", c[i].name);
		bc_table_add(&t, "%s -> %s", c[i].old[0] ? c[i].old : "-", c[i].now[0] ? c[i].now : "-");
	}
	bc_table_end(&t, 3, 2);
	if (!n)
		put_line(w, "changed", "nothing that the reports record; see `bankcheck history flaky`");
	for (size_t i = 0, shown = 0; i < BC_NVALUES; i++) {
		char a[BC_NUMBER_MAX], b[BC_NUMBER_MAX], text[120];

		if (isnan(old->value[i]) || isnan(now->value[i]) || old->value[i] == now->value[i])
			continue;
		(void)snprintf(text, sizeof(text), "%s %s -> %s", bc_history_value_names[i],
			       bc_number_text(old->value[i], a), bc_number_text(now->value[i], b));
		put_line(w, shown++ ? "" : "values", text);
	}
	bc_history_changes_release(c, n);
}

static void put_bad(const struct printer *w, const struct story *t)
{
	char text[200];

	put_point(w, "first bad", t->bad);
	if (t->good)
		put_point(w, "last good", t->good);
	(void)snprintf(text, sizeof(text), "in %zu of %zu runs%s", t->since, t->since,
		       t->good ? " since" : ": it never passed here");
	put_line(w, "bad", text);
	if (t->good)
		put_changes(w, t->good, t->bad);
}

static void put_good(const struct printer *w, const struct story *t)
{
	char text[200];

	if (!t->was_bad) {
		(void)snprintf(text, sizeof(text), "PASS in %zu of %zu runs", t->judged, t->judged);
		put_line(w, "good", text);
		return;
	}
	put_line(w, "good", "now");
	put_point(w, "last bad", t->was_bad);
	put_point(w, "good again", t->good_again);
	put_changes(w, t->was_bad, t->good_again);
}

static void put_unit(const struct printer *w, const struct series *s, size_t first)
{
	const struct bc_history_run *r = s->p[first].run;
	struct story t;
	char text[512];

	follow(s, first, &t);
	(void)snprintf(text, sizeof(text), "%.150s on %.80s (%.80s%s%.40s)", w->name, r->fact[BC_FACT_UNIT],
		       r->fact[BC_FACT_GPU], r->fact[BC_FACT_GPU][0] ? ", " : "", r->fact[BC_FACT_ARCH]);
	bc_put_printable(w->out, text, w->utf8);
	bc_put(w->out, "\n");
	if (!t.judged) {
		(void)snprintf(text, sizeof(text), "in %zu of %zu runs", t.skipped, t.skipped);
		put_line(w, "SKIP", text);
	} else if (t.bad) {
		put_bad(w, &t);
	} else {
		put_good(w, &t);
	}
}

static void put_units(const struct printer *w, const struct series *s)
{
	for (size_t i = 0; !w->out->st && i < s->n; i++) {
		bool first = true;

		for (size_t k = i; first && k-- > 0;)
			first = strcmp(unit_of(&s->p[k]), unit_of(&s->p[i])) != 0;
		if (first && i)
			bc_put(w->out, "\n");
		if (first)
			put_unit(w, s, i);
	}
}

/* The one case of this name. */
static enum bc_status choose(struct bc_history *h, const char *name, struct bc_history_cases *cases,
			     struct bc_error *err)
{
	enum bc_status st = bc_history_cases(h, NULL, cases, err);

	cases->nchosen = 0;
	for (size_t i = 0; !st && i < cases->n; i++) {
		cases->c[i].chosen = strcmp(cases->c[i].name, name) == 0;
		cases->nchosen += cases->c[i].chosen;
	}
	if (!st && !cases->nchosen)
		st = bc_fail(err, BC_EUSAGE,
			     "%s: no case of this name in the history; `bankcheck list` prints the ids, "
			     "`bankcheck history trend` takes globs",
			     name);
	return st;
}

enum bc_status bc_history_first_bad(struct bc_history *h, const char *name, bool pool, bool utf8, struct bc_text *out,
				    struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };
	const struct printer w = { .h = h, .name = name, .utf8 = utf8, .out = &o };
	struct bc_history_runs runs = { 0 };
	struct bc_history_cases cases = { 0 };
	struct series s = { 0 };
	enum bc_status st = bc_history_runs(h, &runs, err);

	if (!st && pool)
		st = bc_history_pool(&runs, err);
	if (!st)
		st = choose(h, name, &cases, err);
	if (!st)
		st = bc_history_visit(h, runs.run, runs.n, &cases, keep, &s, err);
	o.st = st;
	put_units(&w, &s);
	for (size_t i = 0; i < s.n; i++)
		free(s.p[i].message);
	free(s.p);
	bc_history_cases_release(&cases);
	bc_history_runs_release(&runs);
	return o.st;
}
