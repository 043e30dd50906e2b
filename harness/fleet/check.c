/* SPDX-License-Identifier: MIT */
/* What was expected of a night beside what was gathered, node by node. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fleet/fleet.h"
#include "harness/fleet/kind.h"

/* What can be said of a node, in the order in which it is said. */
enum word { MISSING, SHORT, EXTRA, TWICE, PARTIAL, OLD, SWAPPED, DRIVER, MODEL, DAMAGED, NWORDS };

static const char *const words[NWORDS] = { "MISSING", "SHORT",	 "EXTRA",  "TWICE", "PARTIAL",
					   "OLD",     "SWAPPED", "DRIVER", "MODEL", "DAMAGED" };

struct checking {
	struct bc_history *h;
	const struct bc_fleet_night *n;
	struct bc_night_runs now, before; /* before: the night before */
	struct bc_sheet *out;
	size_t ok, nodes;
	bool filtered; /* no run of the night has all cases */
	struct bc_error *err;
};

/* At most, of one GPU: its place, host and night, whether it is complete, its age, driver, GPU and architecture. */
#define COMPLAINTS_OF_UNIT 8

/* What is wrong with GPUs of a node, said once of all of which it is true. */
struct complaint {
	enum word word;
	char text[240];
	const char *unit; /* the first */
	size_t units;
};

/* A node while it is looked at. */
struct node {
	const char *name;
	const struct bc_fleet_expected *want; /* NULL: it is not expected */
	const struct bc_night_run *run;	      /* [nruns], all of it */
	size_t nruns;
	const struct bc_night_run **unit; /* [nunits] the run that counts of each GPU */
	size_t nunits;
	bool is[NWORDS];
	struct complaint *complaint; /* [ncomplaints] */
	size_t ncomplaints;
	struct bc_text detail; /* what is wrong, "; " between */
	size_t cases, findings;
};

static const char *fact(const struct bc_night_run *r, enum bc_history_fact f)
{
	return r->run.fact[f];
}

/* Of a night in which all runs have a part of the catalogue (`run --filter`), that part is the whole. */
static bool is_whole(const struct checking *c, const struct bc_night_run *r)
{
	const char *complete = fact(r, BC_FACT_COMPLETE);

	return strcmp(complete, "yes") == 0 || (c->filtered && strcmp(complete, "filtered") == 0);
}

static enum bc_status say(struct checking *c, struct node *n, enum word w, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static enum bc_status say(struct checking *c, struct node *n, enum word w, const char *fmt, ...)
{
	va_list ap;
	enum bc_status st = n->detail.len ? bc_text_addf(&n->detail, c->err, "; ") : BC_OK;

	n->is[w] = true;
	va_start(ap, fmt);
	if (!st)
		st = bc_text_vaddf(&n->detail, c->err, fmt, ap);
	va_end(ap);
	return st;
}

/* Of the runs of a GPU the latest whole one counts; without one the latest. */
static bool counts_more(const struct checking *c, const struct bc_night_run *a, const struct bc_night_run *b)
{
	const int later = strcmp(fact(a, BC_FACT_TIME), fact(b, BC_FACT_TIME));

	return is_whole(c, a) != is_whole(c, b) ? is_whole(c, a) : later > 0;
}

static enum bc_status find_units(struct checking *c, struct node *n)
{
	n->unit = calloc(n->nruns + 1, sizeof(*n->unit));
	if (!n->unit)
		return bc_fail(c->err, BC_ENOMEM, "fleet: out of memory");
	for (size_t i = 0; i < n->nruns; i++) {
		size_t k = 0;

		while (k < n->nunits && strcmp(fact(n->unit[k], BC_FACT_UNIT), fact(&n->run[i], BC_FACT_UNIT)) != 0)
			k++;
		if (k == n->nunits)
			n->unit[n->nunits++] = &n->run[i];
		else if (counts_more(c, &n->run[i], n->unit[k]))
			n->unit[k] = &n->run[i];
	}
	for (size_t k = 0; k < n->nunits; k++) {
		n->cases += n->unit[k]->run.cases;
		n->findings += n->unit[k]->run.findings;
	}
	return BC_OK;
}

/* Nothing was gathered: the engine's words, and what lies there unfinished. */
static enum bc_status check_missing(struct checking *c, struct node *n)
{
	const struct bc_fleet_job *j = bc_fleet_find_job(c->n, n->name);
	enum bc_status st;

	if (j)
		st = say(c, n, MISSING, "job %s: %s%s%s%s%s", j->job[0] ? j->job : "none",
			 j->state[0] ? j->state : "no state", j->exit[0] ? ", exit " : "", j->exit,
			 j->reason[0] ? ": " : "", j->reason);
	else
		st = say(c, n, MISSING, "no job of it is known");
	for (size_t i = 0; !st && i < c->n->nleft; i++)
		if (strcmp(c->n->left[i].node, n->name) == 0 && !c->n->left[i].why)
			st = say(c, n, MISSING, "nodes/%s/%s is not finished (no `done`)", n->name, c->n->left[i].job);
	return st;
}

static bool has_unit(const struct node *n, const char *unit)
{
	for (size_t i = 0; i < n->nunits; i++)
		if (strcmp(fact(n->unit[i], BC_FACT_UNIT), unit) == 0)
			return true;
	return false;
}

/* Which GPUs are not there: of those expected by UUID, else of those it had the night before. */
static enum bc_status name_lost(struct checking *c, struct node *n)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < n->want->nuuids; i++)
		if (!has_unit(n, n->want->uuid[i]))
			st = say(c, n, SHORT, "%s is not there", n->want->uuid[i]);
	for (size_t i = 0; !st && !n->want->nuuids && i < c->before.n; i++)
		if (strcmp(c->before.r[i].node, n->name) == 0 && !has_unit(n, fact(&c->before.r[i], BC_FACT_UNIT)))
			st = say(c, n, SHORT, "%s was there the night before", fact(&c->before.r[i], BC_FACT_UNIT));
	return st;
}

static bool expects_unit(const struct bc_fleet_expected *e, const char *unit)
{
	for (size_t i = 0; i < e->nuuids; i++)
		if (strcmp(e->uuid[i], unit) == 0)
			return true;
	return false;
}

static enum bc_status check_number(struct checking *c, struct node *n)
{
	enum bc_status st = BC_OK;

	if (!n->want)
		return say(c, n, EXTRA, "the node is not expected");
	if (n->want->gpus && n->nunits < n->want->gpus) {
		st = say(c, n, SHORT, "%zu of %u GPUs", n->nunits, n->want->gpus);
		return st ? st : name_lost(c, n);
	}
	if (n->want->gpus && n->nunits > n->want->gpus)
		st = say(c, n, EXTRA, "%zu GPUs, %u are expected", n->nunits, n->want->gpus);
	return st;
}

/* Where this GPU should be: on the node that expects its UUID, or that had it the night before. NULL: nobody knows. */
static const char *home_of(const struct checking *c, const char *unit)
{
	for (size_t i = 0; i < c->n->nexpected; i++)
		if (expects_unit(&c->n->expected[i], unit))
			return c->n->expected[i].node;
	for (size_t i = 0; i < c->before.n; i++)
		if (strcmp(fact(&c->before.r[i], BC_FACT_UNIT), unit) == 0)
			return c->before.r[i].node;
	return NULL;
}

static void complain(struct node *n, enum word w, const char *unit, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void complain(struct node *n, enum word w, const char *unit, const char *fmt, ...)
{
	struct complaint now = { .word = w, .unit = unit, .units = 1 };
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(now.text, sizeof(now.text), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < n->ncomplaints; i++)
		if (n->complaint[i].word == w && strcmp(n->complaint[i].text, now.text) == 0) {
			n->complaint[i].units++;
			return;
		}
	n->complaint[n->ncomplaints++] = now;
}

static enum bc_status check_host(struct checking *c, struct node *n, const struct bc_night_run *r)
{
	char *by = NULL, *label = NULL;
	enum bc_status st = bc_history_fact(c->h, r->run.id, "host_by", &by, c->err);

	if (!st && by[0] && strcmp(by, "system") != 0 && strcmp(fact(r, BC_FACT_HOST), n->name) != 0)
		complain(n, SWAPPED, fact(r, BC_FACT_UNIT), "the report in nodes/%s/%s is of the host %s", n->name,
			 r->job, fact(r, BC_FACT_HOST));
	if (!st)
		st = bc_history_fact(c->h, r->run.id, "label_night", &label, c->err);
	if (!st && label[0] && strcmp(label, c->n->name) != 0)
		complain(n, OLD, fact(r, BC_FACT_UNIT), "the run says that it is of the night %s", label);
	free(by);
	free(label);
	return st;
}

static void complain_of_unit(const struct checking *c, struct node *n, const struct bc_night_run *r)
{
	const char *unit = fact(r, BC_FACT_UNIT), *driver = fact(r, BC_FACT_DRIVER);

	if (!is_whole(c, r))
		complain(n, PARTIAL, unit, "the run is not complete (%s), %u cases", fact(r, BC_FACT_COMPLETE),
			 r->run.cases);
	if (r->earlier[0])
		complain(n, OLD, unit, "the run %s is of the night %s", fact(r, BC_FACT_RUN_ID), r->earlier);
	else if (c->n->begun[0] && strcmp(fact(r, BC_FACT_TIME), c->n->begun) < 0)
		complain(n, OLD, unit, "the run is of %s, the night began %s", fact(r, BC_FACT_TIME), c->n->begun);
	if (!n->want)
		return;
	if (n->want->driver[0] && !driver[0])
		complain(n, DRIVER, unit, "no driver is named, %s is expected", n->want->driver);
	else if (n->want->driver[0] && strcmp(n->want->driver, driver) != 0)
		complain(n, DRIVER, unit, "driver %s, not %s", driver, n->want->driver);
	if (n->want->gpu[0] && strcmp(n->want->gpu, fact(r, BC_FACT_GPU)) != 0)
		complain(n, MODEL, unit, "%s, not %s", fact(r, BC_FACT_GPU), n->want->gpu);
	if (n->want->arch[0] && strcmp(n->want->arch, fact(r, BC_FACT_ARCH)) != 0)
		complain(n, MODEL, unit, "%s, not %s", fact(r, BC_FACT_ARCH), n->want->arch);
}

/* What is true of all GPUs of a node is said of the node. */
static enum bc_status say_complaints(struct checking *c, struct node *n)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < n->ncomplaints; i++) {
		const struct complaint *k = &n->complaint[i];

		if (k->units == 1)
			st = say(c, n, k->word, "%s: %s", k->unit, k->text);
		else if (k->units == n->nunits)
			st = say(c, n, k->word, "%s", k->text);
		else
			st = say(c, n, k->word, "%s and %zu more: %s", k->unit, k->units - 1, k->text);
	}
	return st;
}

static enum bc_status check_units(struct checking *c, struct node *n)
{
	enum bc_status st = BC_OK;

	n->complaint = calloc(n->nunits * COMPLAINTS_OF_UNIT + 1, sizeof(*n->complaint));
	if (!n->complaint)
		return bc_fail(c->err, BC_ENOMEM, "fleet: out of memory");
	for (size_t k = 0; !st && k < n->nunits; k++) {
		const struct bc_night_run *r = n->unit[k];
		const char *unit = fact(r, BC_FACT_UNIT), *home = home_of(c, unit);

		if (home && strcmp(home, n->name) != 0)
			complain(n, SWAPPED, unit, "should be in %s", home);
		else if (n->want && n->want->nuuids && !expects_unit(n->want, unit))
			st = say(c, n, EXTRA, "%s is not expected", unit);
		if (!st)
			st = check_host(c, n, r);
		complain_of_unit(c, n, r);
	}
	return st ? st : say_complaints(c, n);
}

/* A GPU with whole runs of two jobs, and runs that are in another folder too. */
static enum bc_status check_twice(struct checking *c, struct node *n)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < n->nruns; i++) {
		const struct bc_night_run *a = &n->run[i];

		for (size_t k = 0; !st && k < c->now.n; k++) {
			const struct bc_night_run *b = &c->now.r[k];
			const bool elsewhere = strcmp(a->node, b->node) != 0;

			if (a->run.id == b->run.id && a != b && (elsewhere || a < b))
				st = say(c, n, TWICE, "the run %s is in nodes/%s/%s and in nodes/%s/%s",
					 fact(a, BC_FACT_RUN_ID), a->node, a->job, b->node, b->job);
			else if (!elsewhere && a < b && strcmp(a->job, b->job) != 0 && is_whole(c, a) &&
				 is_whole(c, b) && strcmp(fact(a, BC_FACT_UNIT), fact(b, BC_FACT_UNIT)) == 0)
				st = say(c, n, TWICE, "%s ran in the jobs %s and %s", fact(a, BC_FACT_UNIT), a->job,
					 b->job);
		}
	}
	return st;
}

static enum bc_status check_damaged(struct checking *c, struct node *n)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < c->n->nleft; i++)
		if (strcmp(c->n->left[i].node, n->name) == 0 && c->n->left[i].why)
			st = say(c, n, DAMAGED, "%s", c->n->left[i].why);
	return st;
}

/* The row of a node: word, node, GPUs, cases, findings, what is wrong. */
static enum bc_status put_node(struct checking *c, struct node *n)
{
	struct bc_text word = { 0 }, kind = { 0 }, gpus = { 0 };
	char number[32];
	unsigned weight = 0;
	enum bc_status st = bc_text_add(&word, "", 0, c->err);

	for (unsigned w = 0; !st && w < NWORDS; w++)
		if (n->is[w])
			st = bc_text_addf(&word, c->err, "%s%s", word.len ? ", " : "", words[w]);
	weight = word.len ? 2 : n->findings ? 1 : 0;
	if (!st && !word.len)
		st = bc_text_addf(&word, c->err, "OK");
	if (!st && !n->detail.len)
		st = n->findings ? bc_text_addf(&n->detail, c->err, "%zu finding%s", n->findings,
						n->findings == 1 ? "" : "s")
				 : bc_text_add(&n->detail, "", 0, c->err);
	if (!st)
		st = n->nunits ? bc_kind_text(c->h, &n->unit[0]->run, NULL, &kind, c->err)
			       : bc_text_addf(&kind, c->err, "%s%s%s", n->want ? n->want->gpu : "",
					      n->want && n->want->gpu[0] && n->want->arch[0] ? ", " : "",
					      n->want ? n->want->arch : "");
	if (!st)
		st = n->want && n->want->gpus ? bc_text_addf(&gpus, c->err, "%zu of %u", n->nunits, n->want->gpus)
					      : bc_text_addf(&gpus, c->err, "%zu", n->nunits);
	if (!st)
		st = bc_sheet_row(c->out, weight, kind.len ? kind.data : "unknown", n->name,
				  weight == 1 ? "FINDINGS" : word.data, n->detail.data, c->err);
	if (!st)
		st = bc_sheet_cell(c->out, 0, word.data, c->err);
	if (!st)
		st = bc_sheet_cell(c->out, 1, n->name, c->err);
	if (!st)
		st = bc_sheet_cell(c->out, 2, gpus.data, c->err);
	(void)snprintf(number, sizeof(number), "%zu", n->cases);
	if (!st)
		st = bc_sheet_cell(c->out, 3, number, c->err);
	(void)snprintf(number, sizeof(number), "%zu", n->findings);
	if (!st)
		st = bc_sheet_cell(c->out, 4, number, c->err);
	if (!st)
		st = bc_sheet_cell(c->out, 5, n->detail.data, c->err);
	c->nodes++;
	c->ok += weight < 2;
	bc_text_release(&word);
	bc_text_release(&kind);
	bc_text_release(&gpus);
	return st;
}

static enum bc_status check_node(struct checking *c, const char *name)
{
	struct node n = { .name = name, .want = bc_fleet_find_expected(c->n, name) };
	enum bc_status st;

	for (size_t i = 0; i < c->now.n; i++)
		if (strcmp(c->now.r[i].node, name) == 0) {
			if (!n.nruns)
				n.run = &c->now.r[i];
			n.nruns++;
		}
	st = find_units(c, &n);
	if (!st && !n.nruns)
		st = check_missing(c, &n);
	if (!st && (n.nruns || !n.want))
		st = check_number(c, &n);
	if (!st)
		st = check_units(c, &n);
	if (!st)
		st = check_twice(c, &n);
	if (!st)
		st = check_damaged(c, &n);
	if (!st)
		st = put_node(c, &n);
	free(n.unit);
	free(n.complaint);
	bc_text_release(&n.detail);
	return st;
}

static enum bc_status check_all(struct checking *c)
{
	const char *last = "";
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < c->n->nexpected; i++)
		st = check_node(c, c->n->expected[i].node);
	for (size_t i = 0; !st && i < c->now.n; i++) { /* by node */
		if (strcmp(c->now.r[i].node, last) != 0 && !bc_fleet_find_expected(c->n, c->now.r[i].node))
			st = check_node(c, c->now.r[i].node);
		last = c->now.r[i].node;
	}
	if (!st)
		st = bc_sheet_note(c->out, 0, c->err, "%zu of %zu nodes are OK%s", c->ok, c->nodes,
				   c->filtered && c->now.n ? "; all runs have a part of the catalogue (filtered)" : "");
	return st;
}

enum bc_status bc_fleet_check(struct bc_history *h, const struct bc_fleet_night *n, struct bc_sheet *out,
			      struct bc_error *err)
{
	static const char *const heads[] = { "word", "node", "GPUs", "cases", "findings", "what" };
	struct checking c = { .h = h, .n = n, .out = out, .err = err };
	char *before = NULL;
	enum bc_status st = BC_OK;

	if (!n->has_expected)
		return bc_fail(err, BC_EREAD,
			       "%s/expected.tsv: no such file: without it nobody knows what is missing; a line a node: "
			       "node gpus arch gpu driver uuids, separated by tabs, - for what is not asserted",
			       n->dir);
	out->command = "check";
	out->night = strdup(n->name);
	if (!out->night)
		return bc_fail(err, BC_ENOMEM, "fleet: out of memory");
	for (size_t i = 0; !st && i < BC_ARRAY_LEN(heads); i++)
		st = bc_sheet_column(out, heads[i], err);
	if (!st)
		st = bc_night_runs(h, n->name, &c.now, err);
	if (!st)
		st = bc_night_before(h, n->name, &before, err);
	if (!st && before[0])
		st = bc_night_runs(h, before, &c.before, err);
	c.filtered = true;
	for (size_t i = 0; i < c.now.n; i++)
		c.filtered = c.filtered && strcmp(fact(&c.now.r[i], BC_FACT_COMPLETE), "yes") != 0;
	if (!st)
		st = check_all(&c);
	bc_night_runs_release(&c.now);
	bc_night_runs_release(&c.before);
	free(before);
	return st;
}
