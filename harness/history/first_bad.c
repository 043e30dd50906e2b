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
	struct bc_text *out;
	struct bc_error *err;
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

static void tell(const struct series *s, size_t first, struct story *t)
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

static enum bc_status line(const struct printer *w, const char *label, const char *text)
{
	enum bc_status st = bc_text_addf(w->out, w->err, "  %-10s  ", label);

	if (!st)
		st = bc_printable(w->out, text, w->utf8, w->err);
	return st ? st : bc_text_addf(w->out, w->err, "\n");
}

static enum bc_status print_point(const struct printer *w, const char *label, const struct kept *p)
{
	char text[400];
	enum bc_status st;

	(void)snprintf(text, sizeof(text), "%s %s (run %.200s)", p->run->fact[BC_FACT_TIME],
		       bc_verdict_name(p->verdict), p->run->fact[BC_FACT_RUN_ID]);
	st = line(w, label, text);
	return st || !p->message[0] ? st : line(w, "", p->message);
}

/* What differs between two runs in the order of the names, then the values of the case. */
static enum bc_status print_changes(const struct printer *w, const struct kept *old, const struct kept *now)
{
	struct bc_history_change *c = NULL;
	struct bc_table t = { .utf8 = w->utf8, .err = w->err };
	size_t n = 0;
	enum bc_status st = bc_history_changes(w->h, old->run, now->run, &c, &n, w->err), ended;

	for (size_t i = 0; !st && i < n; i++) {
		bc_table_add(&t, "%s", i ? "" : "changed   ");
		bc_table_add(&t, "%s", c[i].name);
		bc_table_add(&t, "%s -> %s", c[i].old[0] ? c[i].old : "-", c[i].now[0] ? c[i].now : "-");
	}
	ended = bc_table_end(&t, 3, 2, w->out);
	st = st ? st : ended;
	if (!st && !n)
		st = line(w, "changed", "nothing that the reports record; see `bankcheck history flaky`");
	for (size_t i = 0, shown = 0; !st && i < BC_NVALUES; i++) {
		char a[BC_NUMBER_MAX], b[BC_NUMBER_MAX], text[120];

		if (isnan(old->value[i]) || isnan(now->value[i]) || old->value[i] == now->value[i])
			continue;
		(void)snprintf(text, sizeof(text), "%s %s -> %s", bc_history_value_names[i],
			       bc_number_text(old->value[i], a), bc_number_text(now->value[i], b));
		st = line(w, shown++ ? "" : "values", text);
	}
	bc_history_changes_release(c, n);
	return st;
}

static enum bc_status print_bad(const struct printer *w, const struct story *t)
{
	char text[200];
	enum bc_status st = print_point(w, "first bad", t->bad);

	if (!st && t->good)
		st = print_point(w, "last good", t->good);
	if (t->good)
		(void)snprintf(text, sizeof(text), "in %zu of %zu runs since", t->since, t->since);
	else
		(void)snprintf(text, sizeof(text), "in %zu of %zu runs: it never passed here", t->since, t->since);
	if (!st)
		st = line(w, "bad", text);
	return st || !t->good ? st : print_changes(w, t->good, t->bad);
}

static enum bc_status print_good(const struct printer *w, const struct story *t)
{
	char text[200];
	enum bc_status st;

	if (!t->was_bad) {
		(void)snprintf(text, sizeof(text), "PASS in %zu of %zu runs", t->judged, t->judged);
		return line(w, "good", text);
	}
	st = line(w, "good", "now");
	if (!st)
		st = print_point(w, "last bad", t->was_bad);
	if (!st)
		st = print_point(w, "good again", t->good_again);
	return st ? st : print_changes(w, t->was_bad, t->good_again);
}

static enum bc_status print_unit(const struct printer *w, const struct series *s, size_t first)
{
	const struct bc_history_run *r = s->p[first].run;
	struct story t;
	char text[512];
	enum bc_status st;

	tell(s, first, &t);
	(void)snprintf(text, sizeof(text), "%.150s on %.80s (%.80s%s%.40s)", w->name, r->fact[BC_FACT_UNIT],
		       r->fact[BC_FACT_GPU], r->fact[BC_FACT_GPU][0] ? ", " : "", r->fact[BC_FACT_ARCH]);
	st = bc_printable(w->out, text, w->utf8, w->err);
	if (!st)
		st = bc_text_addf(w->out, w->err, "\n");
	if (st)
		return st;
	if (!t.judged) {
		(void)snprintf(text, sizeof(text), "in %zu of %zu runs", t.skipped, t.skipped);
		return line(w, "SKIP", text);
	}
	return t.bad ? print_bad(w, &t) : print_good(w, &t);
}

static enum bc_status print_units(const struct printer *w, const struct series *s)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < s->n; i++) {
		bool first = true;

		for (size_t k = i; first && k-- > 0;)
			first = strcmp(unit_of(&s->p[k]), unit_of(&s->p[i])) != 0;
		if (first && i)
			st = bc_text_addf(w->out, w->err, "\n");
		if (first && !st)
			st = print_unit(w, s, i);
	}
	return st;
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
	const struct printer w = { h, name, utf8, out, err };
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
	if (!st)
		st = print_units(&w, &s);
	for (size_t i = 0; i < s.n; i++)
		free(s.p[i].message);
	free(s.p);
	bc_history_cases_release(&cases);
	bc_history_runs_release(&runs);
	return st;
}
