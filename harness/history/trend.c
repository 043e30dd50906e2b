/* SPDX-License-Identifier: MIT */
/* Listing runs, and cases over time. */
#include "harness/history/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"
#include "harness/history/table.h"

#define DAY 10 /* characters of YYYY-MM-DD */

/* The matching cases in one run, or in a group of runs. */
struct sum {
	unsigned n[BC_NVERDICTS], runs;
	double lo[BC_NVALUES], hi[BC_NVALUES]; /* NaN: none */
};

struct trend {
	const struct bc_history_runs *runs;
	struct sum *sum; /* [runs->n] */
	bool single;	 /* one case */
	const char *by, *glob;
	size_t ncases;
	bool utf8;
	struct bc_out *out;
};

enum bc_status bc_history_list(struct bc_history *h, bool utf8, struct bc_text *out, struct bc_error *err)
{
	static const char *const head[] = { "time", "device",	"gpu",	"driver",   "cuda", "cases",
					    "PASS", "findings", "SKIP", "complete", "run" };
	struct bc_out o = { .to = out, .err = err };
	struct bc_table t = { .out = &o, .utf8 = utf8 };
	struct bc_history_runs runs = { 0 };

	o.st = bc_history_runs(h, &runs, err);
	if (!runs.n)
		bc_put(&o, "no runs yet\n");
	for (size_t i = 0; runs.n && i < BC_ARRAY_LEN(head); i++)
		bc_table_add(&t, "%s", head[i]);
	for (size_t i = 0; i < runs.n; i++) {
		const struct bc_history_run *r = &runs.run[i];
		static const enum bc_history_fact facts[] = { BC_FACT_TIME, BC_FACT_DEVICE, BC_FACT_GPU, BC_FACT_DRIVER,
							      BC_FACT_CUDA };

		for (size_t k = 0; k < BC_ARRAY_LEN(facts); k++)
			bc_table_add(&t, "%s", r->fact[facts[k]][0] ? r->fact[facts[k]] : "-");
		bc_table_add(&t, "%u", r->cases);
		bc_table_add(&t, "%u", r->passed);
		bc_table_add(&t, "%u", r->findings);
		bc_table_add(&t, "%u", r->skipped);
		bc_table_add(&t, "%s", r->fact[BC_FACT_COMPLETE]);
		bc_table_add(&t, "%s", r->fact[BC_FACT_RUN_ID]);
	}
	bc_table_end(&t, BC_ARRAY_LEN(head), 0);
	bc_history_runs_release(&runs);
	return o.st;
}

static void sum_init(struct sum *s)
{
	*s = (struct sum){ 0 };
	for (size_t i = 0; i < BC_NVALUES; i++)
		s->lo[i] = s->hi[i] = (double)NAN;
}

static void sum_add(struct sum *to, const struct sum *from)
{
	to->runs += from->runs;
	for (size_t i = 0; i < BC_NVERDICTS; i++)
		to->n[i] += from->n[i];
	for (size_t i = 0; i < BC_NVALUES; i++) {
		to->lo[i] = fmin(to->lo[i], from->lo[i]);
		to->hi[i] = fmax(to->hi[i], from->hi[i]);
	}
}

static enum bc_status take_point(void *ctx, const struct bc_history_point *p, struct bc_error *err)
{
	struct trend *t = ctx;
	struct sum one;

	(void)err;
	sum_init(&one);
	one.n[p->verdict] = 1;
	memcpy(one.lo, p->value, sizeof(one.lo));
	memcpy(one.hi, p->value, sizeof(one.hi));
	sum_add(&t->sum[p->run - t->runs->run], &one);
	t->sum[p->run - t->runs->run].runs = 1;
	return BC_OK;
}

static const char *unit_of(const struct trend *t, size_t i)
{
	return t->runs->run[i].fact[BC_FACT_UNIT];
}

/* Is this run of the unit of run @first, with any of the cases? */
static bool belongs(const struct trend *t, size_t first, size_t i)
{
	return t->sum[i].runs && strcmp(unit_of(t, i), unit_of(t, first)) == 0;
}

/* The group of a run and its length. */
static const char *group_of(const struct trend *t, size_t i, size_t *len)
{
	const struct bc_history_run *r = &t->runs->run[i];
	const char *s = strcmp(t->by, "driver") == 0 ? r->fact[BC_FACT_DRIVER]
			: strcmp(t->by, "cuda") == 0 ? r->fact[BC_FACT_CUDA]
						     : r->fact[BC_FACT_TIME];

	*len = strcmp(t->by, "date") == 0 && strlen(s) > DAY ? DAY : strlen(s);
	return s;
}

static bool same_group(const struct trend *t, size_t a, size_t b)
{
	size_t la, lb;
	const char *x = group_of(t, a, &la), *y = group_of(t, b, &lb);

	return la == lb && strncmp(x, y, la) == 0;
}

static unsigned findings(const struct sum *s)
{
	unsigned n = 0;

	for (enum bc_verdict v = BC_PASS; v < BC_NVERDICTS; v++)
		if (v != BC_PASS && v != BC_XFAIL && v != BC_SKIP)
			n += s->n[v];
	return n;
}

static void add_verdicts(struct bc_table *table, const struct sum *s)
{
	char text[BC_NVERDICTS * 24];
	size_t at = 0;

	text[0] = '\0';
	for (enum bc_verdict v = BC_PASS; v < BC_NVERDICTS; v++)
		if (s->n[v])
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %u", at ? ", " : "",
					       bc_verdict_name(v), s->n[v]);
	bc_table_add(table, "%s", text);
}

static void add_range(struct bc_table *table, double lo, double hi)
{
	char a[BC_NUMBER_MAX], b[BC_NUMBER_MAX];

	if (isnan(lo))
		bc_table_add(table, "-");
	else if (lo < hi)
		bc_table_add(table, "%s..%s", bc_number_text(lo, a), bc_number_text(hi, b));
	else
		bc_table_add(table, "%s", bc_number_text(lo, a));
}

/* Rows: one a group, in the order in which they first come. */
static void put_groups(const struct trend *t, size_t first)
{
	struct bc_table table = { .out = t->out, .utf8 = t->utf8 };
	const size_t columns = t->single ? 3 + BC_NVALUES : 4;
	size_t *last = calloc(t->runs->n, sizeof(*last)); /* of each group: a run of it; its sum is in group[] */
	struct sum *group = calloc(t->runs->n, sizeof(*group));
	size_t n = 0;

	if (!last || !group) {
		t->out->st = bc_fail(t->out->err, BC_ENOMEM, "history: out of memory");
		goto out;
	}
	for (size_t i = first; i < t->runs->n; i++) {
		size_t g = n;

		if (!belongs(t, first, i))
			continue;
		while (g > 0 && !same_group(t, last[g - 1], i))
			g--;
		if (g == 0) {
			sum_init(&group[n]);
			last[n++] = i;
			g = n;
		}
		sum_add(&group[g - 1], &t->sum[i]);
	}
	bc_table_add(&table, "%s", t->by);
	bc_table_add(&table, "runs");
	bc_table_add(&table, "verdicts");
	for (size_t v = 0; t->single && v < BC_NVALUES; v++)
		bc_table_add(&table, "%s", bc_history_value_names[v]);
	if (!t->single)
		bc_table_add(&table, "findings");
	for (size_t g = 0; g < n; g++) {
		size_t len;
		const char *name = group_of(t, last[g], &len);

		bc_table_add(&table, "%.*s", len ? (int)len : 1, len ? name : "-");
		bc_table_add(&table, "%u", group[g].runs);
		add_verdicts(&table, &group[g]);
		for (size_t v = 0; t->single && v < BC_NVALUES; v++)
			add_range(&table, group[g].lo[v], group[g].hi[v]);
		if (!t->single)
			bc_table_add(&table, "%u", findings(&group[g]));
	}
out:
	bc_table_end(&table, columns, 2);
	free(last);
	free(group);
}

static void put_spark(const struct trend *t, const char *label, const double *v, size_t n, double lo, double hi)
{
	char a[BC_NUMBER_MAX], b[BC_NUMBER_MAX];

	bc_putf(t->out, "  %-10s  ", label);
	bc_put_sparkline(t->out, v, n, t->utf8);
	bc_putf(t->out, "  %s", bc_number_text(lo, a));
	if (lo < hi)
		bc_putf(t->out, "..%s", bc_number_text(hi, b));
	bc_put(t->out, "\n");
}

/* Lines of marks: verdicts; then of one case the values that moved (or one that did not), of several the findings. */
static void put_marks(const struct trend *t, const size_t *run, size_t n, const struct sum *whole,
		      enum bc_verdict *verdict, double *v)
{
	bool moved = false;
	size_t some = BC_NVALUES; /* a value that is there */

	for (size_t i = 0; i < n; i++) {
		verdict[i] = BC_PASS;
		for (enum bc_verdict k = BC_PASS; k < BC_NVERDICTS; k++)
			if (t->sum[run[i]].n[k] && (bc_verdict_rank(k) > bc_verdict_rank(verdict[i])))
				verdict[i] = k;
	}
	bc_putf(t->out, "  %-10s  ", "verdict");
	bc_put_verdict_strip(t->out, verdict, n);
	bc_put(t->out, "\n");
	for (size_t i = 0; i < BC_NVALUES; i++) {
		const size_t k = BC_NVALUES - 1 - i; /* the cycles first */

		some = isnan(whole->hi[k]) || some < BC_NVALUES ? some : k;
		moved |= whole->lo[k] < whole->hi[k];
	}
	for (size_t k = 0; t->single && k < BC_NVALUES; k++) {
		if (moved ? !(whole->lo[k] < whole->hi[k]) : k != some)
			continue;
		for (size_t i = 0; i < n; i++)
			v[i] = t->sum[run[i]].hi[k];
		put_spark(t, bc_history_value_names[k], v, n, whole->lo[k], whole->hi[k]);
	}
	if (!t->single) {
		double lo = (double)NAN, hi = (double)NAN;

		for (size_t i = 0; i < n; i++) {
			v[i] = findings(&t->sum[run[i]]);
			lo = fmin(lo, v[i]);
			hi = fmax(hi, v[i]);
		}
		put_spark(t, "findings", v, n, lo, hi);
	}
}

/* Why values are missing: @run [n] has reports with verdicts alone. */
static void put_verdict_only(const struct trend *t, const size_t *run, size_t n)
{
	size_t compact = 0;

	for (size_t i = 0; t->single && i < n; i++) {
		const struct sum *s = &t->sum[run[i]];
		bool any = false;

		for (size_t k = 0; k < BC_NVALUES; k++)
			any = any || !isnan(s->hi[k]);
		compact += !any && strcmp(t->runs->run[run[i]].fact[BC_FACT_JUNIT], "compact") == 0;
	}
	if (compact)
		bc_putf(t->out, "  no values of %zu of %zu runs: their reports are compact (--junit compact)\n",
			compact, n);
}

static void put_unit(const struct trend *t, size_t first)
{
	const struct bc_history_run *r = &t->runs->run[first];
	size_t *run = calloc(t->runs->n, sizeof(*run)), n = 0;
	enum bc_verdict *verdict = calloc(t->runs->n, sizeof(*verdict));
	double *v = calloc(t->runs->n, sizeof(*v));
	char line[512];
	struct sum whole;

	if (!run || !verdict || !v) {
		t->out->st = bc_fail(t->out->err, BC_ENOMEM, "history: out of memory");
		goto out;
	}
	sum_init(&whole);
	for (size_t i = first; i < t->runs->n; i++) {
		if (!belongs(t, first, i))
			continue;
		run[n++] = i;
		sum_add(&whole, &t->sum[i]);
	}
	(void)snprintf(line, sizeof(line), "%.150s%s on %.80s (%.80s%s%.40s)", t->glob,
		       t->single ? "" : " (several cases)", r->fact[BC_FACT_UNIT], r->fact[BC_FACT_GPU],
		       r->fact[BC_FACT_GPU][0] ? ", " : "", r->fact[BC_FACT_ARCH]);
	bc_put_printable(t->out, line, t->utf8);
	bc_putf(t->out, ": %zu run%s, %.*s to %.*s\n", n, n == 1 ? "" : "s", DAY, r->fact[BC_FACT_TIME], DAY,
		t->runs->run[run[n - 1]].fact[BC_FACT_TIME]);
	put_groups(t, first);
	put_verdict_only(t, run, n);
	put_marks(t, run, n, &whole, verdict, v);
out:
	free(run);
	free(verdict);
	free(v);
}

/* Each unit once, at its first run with any of the cases. */
static void put_units(const struct trend *t)
{
	bool any = false;

	for (size_t i = 0; !t->out->st && i < t->runs->n; i++) {
		bool first = t->sum[i].runs != 0;

		for (size_t k = i; first && k-- > 0;)
			if (belongs(t, i, k))
				first = false;
		if (!first)
			continue;
		if (any)
			bc_put(t->out, "\n");
		put_unit(t, i);
		any = true;
	}
}

enum bc_status bc_history_trend(struct bc_history *h, const char *glob, const char *by, bool pool, bool utf8,
				struct bc_text *out, struct bc_error *err)
{
	struct bc_history_runs runs = { 0 };
	struct bc_history_cases cases = { 0 };
	struct bc_out o = { .to = out, .err = err };
	struct trend t = { .runs = &runs, .by = by, .glob = glob, .utf8 = utf8, .out = &o };
	enum bc_status st;

	if (strcmp(by, "driver") != 0 && strcmp(by, "cuda") != 0 && strcmp(by, "date") != 0)
		return bc_fail(err, BC_EUSAGE, "--by %s: driver, cuda or date", by);
	st = bc_history_runs(h, &runs, err);
	if (!st && pool)
		st = bc_history_pool(&runs, err);
	if (!st)
		st = bc_history_cases(h, glob, &cases, err);
	t.single = cases.nchosen == 1;
	t.ncases = cases.nchosen;
	t.sum = calloc(runs.n + 1, sizeof(*t.sum));
	if (!st && !t.sum)
		st = bc_fail(err, BC_ENOMEM, "history: out of memory");
	for (size_t i = 0; !st && i < runs.n; i++)
		sum_init(&t.sum[i]);
	if (!st)
		st = bc_history_visit(h, runs.run, runs.n, &cases, take_point, &t, err);
	o.st = st;
	put_units(&t);
	free(t.sum);
	bc_history_cases_release(&cases);
	bc_history_runs_release(&runs);
	return o.st;
}
