/* SPDX-License-Identifier: MIT */
/* Cases whose verdict flips with nothing else changed. */
#include "harness/history/print.h"

#include <stdlib.h>
#include <string.h>

#include "harness/history/table.h"

/* What must be the same for a flip to have no other cause. */
static const enum bc_history_fact same[] = { BC_FACT_UNIT,     BC_FACT_DRIVER,	BC_FACT_CUDA,	BC_FACT_IMAGE,
					     BC_FACT_EXPECTED, BC_FACT_VERSION, BC_FACT_OPTIONS };

/* A case in the runs of one group. */
struct state {
	unsigned n[BC_NVERDICTS], judged, flips, retried;
	enum bc_verdict last;
	const struct bc_history_run *flip; /* the latest */
};

struct flaky {
	const struct bc_history_cases *cases;
	struct state *state; /* [cases->n] */
	struct bc_table table;
	size_t found;
};

static int by_group(const void *a, const void *b)
{
	const struct bc_history_run *x = a, *y = b;
	static const enum bc_history_fact order[] = { BC_FACT_TIME, BC_FACT_RUN_ID, BC_FACT_DEVICE };
	int cmp = 0;

	for (size_t i = 0; !cmp && i < BC_ARRAY_LEN(same); i++)
		cmp = strcmp(x->fact[same[i]], y->fact[same[i]]);
	for (size_t i = 0; !cmp && i < BC_ARRAY_LEN(order); i++)
		cmp = strcmp(x->fact[order[i]], y->fact[order[i]]);
	return cmp;
}

static bool is_same_group(const struct bc_history_run *x, const struct bc_history_run *y)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(same); i++)
		if (strcmp(x->fact[same[i]], y->fact[same[i]]) != 0)
			return false;
	return true;
}

static enum bc_status take_point(void *ctx, const struct bc_history_point *p, struct bc_error *err)
{
	struct flaky *f = ctx;
	struct state *s = &f->state[p->c - f->cases->c];

	(void)err;
	s->n[p->verdict]++;
	if (p->verdict == BC_SKIP) /* it tells nothing of the case: what comes after is held against what was before */
		return BC_OK;
	if (s->judged && p->verdict != s->last) {
		s->flips++;
		s->flip = p->run;
	}
	if (p->flaky) {
		s->retried++;
		s->flip = s->flip ? s->flip : p->run;
	}
	s->last = p->verdict;
	s->judged++;
	return BC_OK;
}

static void add_case(struct flaky *f, const char *name, const struct state *s)
{
	char text[BC_NVERDICTS * 24];
	size_t at = 0;

	text[0] = '\0';
	for (enum bc_verdict v = BC_PASS; v < BC_NVERDICTS; v++)
		if (s->n[v])
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %u", at ? ", " : "",
					       bc_verdict_name(v), s->n[v]);
	bc_table_add(&f->table, "%s", name);
	bc_table_add(&f->table, "%u", s->flips);
	bc_table_add(&f->table, "%u", s->retried);
	bc_table_add(&f->table, "%s", text);
	bc_table_add(&f->table, "%s", s->flip->fact[BC_FACT_UNIT]);
	bc_table_add(&f->table, "%s", s->flip->fact[BC_FACT_DRIVER][0] ? s->flip->fact[BC_FACT_DRIVER] : "-");
	bc_table_add(&f->table, "%s %s", s->flip->fact[BC_FACT_TIME], s->flip->fact[BC_FACT_RUN_ID]);
	f->found++;
}

/* @n runs of one group. */
static enum bc_status find_in_group(struct bc_history *h, struct flaky *f, const struct bc_history_run *run, size_t n,
				    struct bc_error *err)
{
	enum bc_status st;

	memset(f->state, 0, f->cases->n * sizeof(*f->state));
	st = bc_history_visit(h, run, n, f->cases, take_point, f, err);
	for (size_t i = 0; !st && i < f->cases->n; i++)
		if (f->state[i].flip)
			add_case(f, f->cases->c[i].name, &f->state[i]);
	return st;
}

static enum bc_status find_flips(struct bc_history *h, struct flaky *f, struct bc_history_runs *runs,
				 struct bc_error *err)
{
	static const char *const head[] = { "case", "flips", "retried", "verdicts", "unit", "driver", "last at" };
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < BC_ARRAY_LEN(head); i++)
		bc_table_add(&f->table, "%s", head[i]);
	if (runs->n)
		qsort(runs->run, runs->n, sizeof(*runs->run), by_group);
	for (size_t i = 0, n; !st && i < runs->n; i += n) {
		for (n = 1; i + n < runs->n && is_same_group(&runs->run[i], &runs->run[i + n]);)
			n++;
		st = find_in_group(h, f, &runs->run[i], n, err);
	}
	return st;
}

enum bc_status bc_history_flaky(struct bc_history *h, bool utf8, struct bc_text *out, struct bc_error *err)
{
	struct bc_history_runs runs = { 0 };
	struct bc_history_cases cases = { 0 };
	struct bc_text text = { 0 };
	struct bc_out table = { .to = &text, .err = err };
	struct flaky f = { .cases = &cases, .table = { .out = &table, .utf8 = utf8 } };
	enum bc_status st = bc_history_runs(h, &runs, err);

	if (!st)
		st = bc_history_cases(h, NULL, &cases, err);
	f.state = calloc(cases.n + 1, sizeof(*f.state));
	if (!st && !f.state)
		st = bc_fail(err, BC_ENOMEM, "history: out of memory");
	if (!st)
		st = find_flips(h, &f, &runs, err);
	if (!table.st)
		table.st = st;
	bc_table_end(&f.table, 7, 0);
	st = table.st;
	if (!st && f.found)
		st = bc_text_add(out, text.data, text.len, err);
	else if (!st)
		st = bc_text_addf(out, err, "no case of %zu runs flips with nothing else changed\n", runs.n);
	bc_text_release(&text);
	free(f.state);
	bc_history_cases_release(&cases);
	bc_history_runs_release(&runs);
	return st;
}
