/* SPDX-License-Identifier: MIT */
#include "harness/compare/compare.h"

#include <stdlib.h>
#include <string.h>

#include "harness/compare/pairing.h"
#include "harness/compare/counts.h"
#include "harness/report/render.h"

const char *bc_count_name(enum bc_count_of k)
{
	static const char *const names[BC_NCOUNTS] = {
		[BC_COUNT_WAVEFRONTS] = "wavefronts",
		[BC_COUNT_CONFLICTS] = "conflicts",
		[BC_COUNT_SECTORS] = "sectors",
		[BC_COUNT_CLOCK] = "clock",
	};

	return (unsigned)k < BC_NCOUNTS ? names[k] : "";
}

const char *bc_compared_verdict(const struct bc_read_case *c)
{
	return c ? bc_verdict_name(c->verdict) : "ABSENT";
}

bool bc_compared_changed(const struct bc_compared *c)
{
	bool counts = false;

	for (unsigned k = 0; k < BC_NCOUNTS; k++)
		counts = counts || c->count[k].changed;
	return c->verdict || c->reason || c->outcome || c->data_worse || c->data_better || counts ||
	       (c->speed && c->speed->speed != BC_SPEED_SAME);
}

static const char *value(const struct bc_read_case *c, const char *key)
{
	const char *v = bc_key_get(&c->keys, key);

	return v ? v : "";
}

/* Why a case was skipped: reason= , else what the testcase's message says. */
static const char *skip_reason(const struct bc_read_case *c)
{
	const char *v = value(c, "reason");

	return v[0] ? v : c->message;
}

static bool is_finding(const struct bc_read_case *c)
{
	return bc_verdict_is_finding(c->verdict);
}

/* What a changed verdict means. A case that is new has nothing to be worse than. */
static void judge_verdicts(struct bc_compared *c)
{
	const struct bc_read_case *old = c->old, *now = c->now;

	if (!old || !now) {
		c->verdict = true;
		c->worse = !now;
		return;
	}
	c->verdict = old->verdict != now->verdict;
	c->verdict_only = old->verdict_only || now->verdict_only;
	c->reason = now->verdict == BC_SKIP && old->verdict == BC_SKIP &&
		    (c->verdict_only ? strcmp(old->message, now->message) != 0
				     : strcmp(skip_reason(old), skip_reason(now)) != 0);
	c->outcome = !c->verdict && !c->verdict_only && strcmp(value(old, "outcome"), value(now, "outcome")) != 0;
	if (c->reason)
		c->worse = true;
	if (!c->verdict)
		return;
	if (old->verdict == BC_PASS || now->verdict == BC_SKIP)
		c->worse = true;
	else if (now->verdict == BC_PASS)
		c->better = true;
	else if (now->verdict == BC_XPASS) /* a known failure that ended, or a failure that ended */
		c->better = true;
	else if (!is_finding(old) && is_finding(now))
		c->worse = true;
	else if (is_finding(old) && !is_finding(now))
		c->better = true;
}

static void judge_data(struct bc_compared *c)
{
	const char *old = value(c->old, "data"), *now = value(c->now, "data");

	c->data_worse = strcmp(old, "right") == 0 && strcmp(now, "wrong") == 0;
	c->data_better = strcmp(old, "wrong") == 0 && strcmp(now, "right") == 0;
	c->worse = c->worse || c->data_worse;
	c->better = c->better || c->data_better;
}

static void judge_counts(struct bc_compared *c, const struct bc_pair_diff *p)
{
	for (unsigned k = 0; k < BC_NCOUNTS; k++) {
		if (k == BC_COUNT_CLOCK && p->obstacle)
			continue;
		c->count[k] = bc_compare_count((enum bc_count_of)k, c->old, c->now);
		c->worse = c->worse || c->count[k].farther > 0;
		c->better = c->better || c->count[k].farther < 0;
	}
}

/* Set up the test of the case's clocks, when both runs have samples. @d->tests has room for it. */
static void prepare_speed(struct bc_diff *d, struct bc_compared *c, const struct bc_pair_diff *p)
{
	struct bc_speed_test *t = &d->tests[d->ntests];

	if (p->obstacle)
		return;
	memset(t, 0, sizeof(*t));
	(void)bc_values_samples(&c->old->keys, &t->old); /* the reader of the report looked at them */
	(void)bc_values_samples(&c->now->keys, &t->now);
	if (t->old.n && t->now.n) {
		c->speed = t;
		d->ntests++;
	}
}

static enum bc_status compare_case(struct bc_diff *d, struct bc_compared *c, const struct bc_pair_diff *p,
				   struct bc_error *err)
{
	if (!c->old && !c->now)
		return bc_fail(err, BC_EDATA, "a pair of nothing");
	c->id = c->old ? c->old->id : c->now->id;
	judge_verdicts(c);
	if (!c->old || !c->now)
		return BC_OK;
	if (c->verdict_only)
		return BC_OK;
	judge_data(c);
	judge_counts(c, p);
	prepare_speed(d, c, p);
	return BC_OK;
}

/* A merge of both sorted lists; what is on one side only is ABSENT on the other. */
static enum bc_status compare_pair(struct bc_diff *d, struct bc_pair_diff *p, struct bc_error *err)
{
	const size_t nold = p->old ? p->old->ncases : 0, nnow = p->now ? p->now->ncases : 0;
	size_t i = 0, k = 0;
	enum bc_status st = BC_OK;

	p->cases = calloc(nold + nnow + 1, sizeof(*p->cases));
	if (!p->cases)
		return bc_fail(err, BC_ENOMEM, "comparison: out of memory");
	while (!st && (i < nold || k < nnow)) {
		const int order = i == nold ? 1 : k == nnow ? -1 : strcmp(p->old->cases[i].id, p->now->cases[k].id);
		struct bc_compared *c = &p->cases[p->ncases++];

		c->old = order <= 0 ? &p->old->cases[i++] : NULL;
		c->now = order >= 0 ? &p->now->cases[k++] : NULL;
		st = compare_case(d, c, p, err);
		p->nverdict_only += c->verdict_only;
	}
	return st;
}

static void finish_case(struct bc_diff *d, struct bc_compared *c)
{
	struct bc_diff_sums *s = &d->sums;
	const enum bc_speed speed = c->speed ? c->speed->speed : BC_SPEED_NONE;
	bool counts = false, within = false;

	c->worse = c->worse || speed == BC_SPEED_SLOWER;
	c->better = !c->worse && (c->better || speed == BC_SPEED_FASTER);
	for (unsigned k = 0; k < BC_NCOUNTS; k++) {
		counts = counts || c->count[k].changed;
		within = within || c->count[k].within;
	}
	s->cases++;
	s->speed[speed]++;
	s->verdict_only += c->verdict_only;
	s->absent += !c->now;
	s->added += !c->old;
	s->verdicts += c->verdict && c->old && c->now;
	s->counts += counts;
	s->within += within && !counts;
	if (!bc_compared_changed(c)) {
		s->same++;
		return;
	}
	s->changed++;
	s->worse += c->worse;
	s->better += c->better;
	s->other += !c->worse && !c->better;
}

/* When no device has a partner there is nothing to compare, and no case is called ABSENT for that. */
static void find_obstacles(struct bc_diff *d)
{
	bool any = false;

	for (size_t i = 0; i < d->npairs; i++)
		any = any || (d->pairs[i].old && d->pairs[i].now);
	d->none_comparable = !any;
	for (size_t i = 0; i < d->npairs; i++) {
		if (!any)
			d->pairs[i].obstacle = BC_NO_PARTNER;
		d->obstacles += d->pairs[i].obstacle != BC_COMPARABLE;
	}
}

static enum bc_status compare_all(struct bc_diff *d, struct bc_error *err)
{
	size_t most = 0;
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < d->npairs; i++)
		most += d->pairs[i].old ? d->pairs[i].old->ncases : 0;
	d->tests = calloc(most + 1, sizeof(*d->tests));
	if (!d->tests)
		return bc_fail(err, BC_ENOMEM, "comparison: out of memory");
	for (size_t i = 0; !st && i < d->npairs; i++)
		if (d->pairs[i].obstacle != BC_NO_PARTNER)
			st = compare_pair(d, &d->pairs[i], err);
	if (!st)
		st = bc_speed_judge(d->tests, d->ntests, &d->plan, err);
	for (size_t i = 0; !st && i < d->npairs; i++)
		for (size_t k = 0; k < d->pairs[i].ncases; k++)
			finish_case(d, &d->pairs[i].cases[k]);
	return st;
}

enum bc_status bc_compare(const struct bc_side *old, const struct bc_side *now, double tolerance, struct bc_diff *out,
			  struct bc_error *err)
{
	struct bc_diff d = { .plan = { .tolerance = tolerance, .alpha = BC_SPEED_ALPHA } };
	enum bc_status st = bc_pairing_make(old, now, &d.pairs, &d.npairs, err);

	if (!st) {
		find_obstacles(&d);
		st = compare_all(&d, err);
	}
	if (st)
		bc_diff_release(&d);
	else
		*out = d;
	return st;
}

void bc_diff_release(struct bc_diff *d)
{
	bc_pairing_release(d->pairs, d->npairs);
	free(d->tests);
	*d = (struct bc_diff){ 0 };
}

int bc_diff_status(const struct bc_diff *d, bool strict)
{
	if (d->sums.worse || (strict && d->sums.speed[BC_SPEED_UNDECIDED]))
		return 1;
	return d->obstacles || d->none_comparable ? 2 : 0;
}
