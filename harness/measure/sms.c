/* SPDX-License-Identifier: MIT */
#include "harness/measure/sms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stats.h"

#define TOGETHER 32  /* cases whose launches are there at once */
#define SEEDS 2	     /* data launches of a case */
#define ATTEMPTS 3   /* at a time that is out of bounds: something may have disturbed it */
#define SM_IDS 1024u /* ids beyond are not told apart when faulty SMs are counted */

/* What is being compared. */
struct comparison {
	struct bc_measure *m;
	const struct bc_case *c;
	struct bc_observation *o;
	uint32_t sms;
	struct bc_sms_member *list;
	size_t n;
	bool faulty[SM_IDS];
	uint32_t nfaulty, lowest; /* SMs with wrong data; the lowest of the first case that has any */
	size_t wrong;		  /* index + 1 of that case; 0: none */
	double farthest;
};

/* ---- the cases ---- */

/* The rule's cases that can run here. */
static enum bc_status list_members(struct comparison *k, struct bc_error *err)
{
	const struct bc_facts *f = k->m->ops->facts(k->m->dev);
	size_t cap = 0;

	for (unsigned i = 0;; i++) {
		struct bc_sms_member one = { .c = { .suite = k->c->of_suite, .rule = k->c->of_rule } };
		struct bc_sms_member *grown;
		char why[BC_REASON_MAX];
		enum bc_status st;

		if (!k->c->of_rule->build(i, &one.c))
			return BC_OK;
		(void)snprintf(one.c.id, sizeof(one.c.id), "%s/%s/%s", k->c->of_suite->name, k->c->of_rule->name,
			       one.c.variant);
		if (bc_case_unmet(&one.c, k->m->arch, why, sizeof(why)) ||
		    bc_device_lacks(k->m->arch, f, bc_case_extent(&one.c, k->m->arch), why, sizeof(why)))
			continue;
		st = bc_pattern_at(&one.c, k->m->arch, &one.pattern, err);
		if (st)
			return st;
		if (k->n == cap) {
			cap = cap ? 2 * cap : 64;
			grown = realloc(k->list, cap * sizeof(*grown));
			if (!grown)
				return bc_fail(err, BC_ENOMEM, "%s: out of memory", k->c->id);
			k->list = grown;
		}
		k->list[k->n++] = one;
	}
}

/* Is the SM one of those that are compared? */
static bool wanted(const struct bc_measure *m, uint32_t sm)
{
	bool found = m->nsm == 0;

	for (size_t i = 0; i < m->nsm; i++)
		found = found || m->sm[i] == sm;
	return found;
}

/* Were the blocks on all SMs, and the SMs that are asked for among them? False: the case cannot be measured. */
static bool spread(struct comparison *k, const struct bc_case_launch *r)
{
	char why[BC_REASON_MAX] = "";

	if (!bc_case_launch_sms(r->ids, k->sms, why, sizeof(why))) {
		bc_witness_tool_error(k->o, why);
		return false;
	}
	for (size_t i = 0; i < k->m->nsm; i++) {
		uint32_t b = 0;

		while (b < k->sms && r->ids[1 + b] != k->m->sm[i])
			b++;
		if (b < k->sms)
			continue;
		(void)snprintf(why, sizeof(why), "--sms: there is no SM %u: the %u SMs have other numbers", k->m->sm[i],
			       k->sms);
		bc_witness_tool_error(k->o, why);
		return false;
	}
	return true;
}

/* Run what was made; a failure that leaves the device well is the case's. */
static enum bc_status run(struct comparison *k, struct bc_case_launch *r, size_t n, struct bc_error *err)
{
	struct bc_case_launch *ref[SEEDS * TOGETHER];
	struct bc_observation *own[SEEDS * TOGETHER];

	for (size_t i = 0; i < n; i++) {
		ref[i] = &r[i];
		own[i] = k->o;
	}
	return bc_witness_run(k->m, ref, own, n, err);
}

static void release(struct bc_case_launch *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bc_case_launch_release(&r[i]);
}

/* ---- data ---- */

/* What block @b of a launch of case @at wrote is wrong. */
static void note_wrong(struct comparison *k, size_t at, uint32_t sm, const char *detail)
{
	if (sm < SM_IDS && !k->faulty[sm]) {
		k->faulty[sm] = true;
		k->nfaulty++;
	}
	if (k->wrong && (k->wrong != at + 1 || sm >= k->lowest))
		return;
	k->wrong = at + 1;
	k->lowest = sm;
	(void)snprintf(k->o->data_detail, sizeof(k->o->data_detail), "SM %u, %s: %.200s", sm, k->list[at].c.id, detail);
}

/* Block 0 by the oracle, the others by block 0, and by the oracle where they differ: lanes that race may leave either
 * value. */
static void check_launch(struct comparison *k, size_t at, const struct bc_case_launch *r)
{
	char first[BC_REASON_MAX] = "", detail[BC_REASON_MAX] = "";
	const bool first_ok = bc_case_launch_check_block(r, 0, k->m->arch, first, sizeof(first));

	for (uint32_t b = 0; b < k->sms; b++) {
		const bool same = b == 0 || !bc_case_launch_differs(r, b);

		if (!wanted(k->m, r->ids[1 + b]))
			continue;
		if (same && !first_ok)
			note_wrong(k, at, r->ids[1 + b], first);
		else if (!same && !bc_case_launch_check_block(r, b, k->m->arch, detail, sizeof(detail)))
			note_wrong(k, at, r->ids[1 + b], detail);
	}
}

static enum bc_status compare_data(struct comparison *k, size_t first, size_t n, struct bc_error *err)
{
	struct bc_case_launch *r = calloc(SEEDS * n, sizeof(*r));
	size_t made = 0;
	enum bc_status st = r ? BC_OK : bc_fail(err, BC_ENOMEM, "%s: out of memory", k->c->id);

	for (size_t i = 0; !st && i < SEEDS * n; i++) {
		const struct bc_sms_member *one = &k->list[first + i / SEEDS];

		made++;
		st = bc_case_launch_data(&one->pattern, k->m->arch, one->c.id, i % SEEDS, &r[i], err);
		if (!st)
			st = bc_case_launch_spread(&r[i], k->m->arch, k->sms, err);
	}
	if (!st)
		st = run(k, r, made, err);
	for (size_t i = 0; !st && k->o->outcome == BC_RAN && i < made; i++)
		if (spread(k, &r[i])) {
			k->o->data_bytes += (uint64_t)k->sms * (r[i].out_bytes + r[i].dump_bytes);
			check_launch(k, first + i / SEEDS, &r[i]);
		}
	release(r, r ? made : 0);
	free(r);
	return st;
}

static void finish_data(struct comparison *k)
{
	const size_t len = strlen(k->o->data_detail);

	k->o->data_checked = true;
	k->o->data_ok = !k->wrong;
	if (k->wrong)
		(void)snprintf(k->o->data_detail + len, sizeof(k->o->data_detail) - len,
			       "; %u of %u SMs have wrong data", k->nfaulty, k->sms);
}

/* ---- clock ---- */

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The time of the SM farthest from the median of the SMs. */
struct outlier {
	double ratio, cycles, median, least, most;
	uint32_t sm;
};

static enum bc_status find_outlier(struct comparison *k, const struct bc_case_launch *r, struct outlier *out,
				   struct bc_error *err)
{
	double *cycles = calloc(2 * (size_t)k->sms, sizeof(*cycles)), *sorted = cycles ? cycles + k->sms : NULL;
	size_t n = 0;

	*out = (struct outlier){ .ratio = 1 };
	if (!cycles)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", k->c->id);
	for (uint32_t b = 0; b < k->sms; b++) {
		uint32_t samples[BC_SAMPLES_MAX];

		bc_case_launch_block_samples(r, b, samples);
		cycles[b] = bc_median(samples, BC_CLOCK_SAMPLES);
		if (wanted(k->m, r->ids[1 + b]))
			sorted[n++] = cycles[b];
	}
	qsort(sorted, n, sizeof(*sorted), by_value);
	out->median = n ? sorted[n / 2] : 0;
	out->least = n ? sorted[0] : 0;
	out->most = n ? sorted[n - 1] : 0;
	for (uint32_t b = 0; out->median > 0 && b < k->sms; b++) {
		const double ratio = cycles[b] / out->median;

		if (!wanted(k->m, r->ids[1 + b]) || fabs(ratio - 1) <= fabs(out->ratio - 1))
			continue;
		out->ratio = ratio;
		out->cycles = cycles[b];
		out->sm = r->ids[1 + b];
	}
	free(cycles);
	return BC_OK;
}

static void note_outlier(struct comparison *k, size_t at, const struct outlier *w)
{
	struct bc_observation *o = k->o;

	if (o->clock_value_has && fabs(w->ratio - 1) <= k->farthest)
		return;
	k->farthest = fabs(w->ratio - 1);
	o->clock_value_has = true;
	o->clock_value = w->ratio;
	o->samples[0] = (uint32_t)w->least;
	o->samples[1] = (uint32_t)w->median;
	o->samples[2] = (uint32_t)w->most;
	o->nsamples = 3;
	if (k->farthest > 0)
		(void)snprintf(o->clock_detail, sizeof(o->clock_detail),
			       "SM %u, %s: a timed section takes %.6g cycles, the median of the SMs is %.6g", w->sm,
			       k->list[at].c.id, w->cycles, w->median);
}

/* Is it outside of what expected/ says? */
static bool out_of_bounds(const struct comparison *k, const struct outlier *w)
{
	struct bc_bounds b;

	if (!k->m->expect)
		return false;
	bc_expect_find(k->m->expect, k->c->id, &b);
	return b.row[BC_Q_CLOCK_RATIO] &&
	       (w->ratio < b.row[BC_Q_CLOCK_RATIO]->lo || w->ratio > b.row[BC_Q_CLOCK_RATIO]->hi);
}

static enum bc_status compare_times(struct comparison *k, const size_t *timed, size_t n, unsigned attempt,
				    struct bc_error *err)
{
	struct bc_case_launch *r = calloc(n, sizeof(*r));
	size_t made = 0;
	enum bc_status st = r ? BC_OK : bc_fail(err, BC_ENOMEM, "%s: out of memory", k->c->id);

	for (size_t i = 0; !st && i < n; i++) {
		const struct bc_sms_member *one = &k->list[timed[i]];

		made++;
		st = bc_case_launch_clock(&one->pattern, k->m->arch, one->c.id, BC_CLOCK_SAMPLES, &r[i], err);
		if (!st)
			st = bc_case_launch_spread(&r[i], k->m->arch, k->sms, err);
	}
	if (!st)
		st = run(k, r, made, err);
	for (size_t i = 0; !st && k->o->outcome == BC_RAN && i < made; i++) {
		struct outlier w;

		if (!spread(k, &r[i]))
			break;
		st = find_outlier(k, &r[i], &w, err);
		if (!st && attempt + 1 < ATTEMPTS && out_of_bounds(k, &w))
			st = compare_times(k, &timed[i], 1, attempt + 1, err);
		else if (!st)
			note_outlier(k, timed[i], &w);
	}
	release(r, r ? made : 0);
	free(r);
	return st;
}

static enum bc_status compare_clock(struct comparison *k, struct bc_error *err)
{
	const char *no_clock = bc_witness_no_clock(k->m, k->c);
	size_t timed[TOGETHER], n = 0;
	enum bc_status st = BC_OK;

	if (no_clock[0])
		(void)bc_strlcpy(k->o->clock_absent, no_clock, sizeof(k->o->clock_absent));
	for (size_t i = 0; !st && !no_clock[0] && i < k->n; i++) {
		if (bc_case_has_clock(&k->list[i].c))
			timed[n++] = i;
		if (n == TOGETHER || (n && i + 1 == k->n)) {
			st = compare_times(k, timed, n, 0, err);
			n = 0;
		}
	}
	if (!st && n)
		st = compare_times(k, timed, n, 0, err);
	if (!k->o->clock_value_has && !k->o->clock_absent[0])
		(void)bc_strlcpy(k->o->clock_absent, "no pattern of the rule has a clock protocol",
				 sizeof(k->o->clock_absent));
	return st;
}

enum bc_status bc_sms_observe(struct bc_measure *m, const struct bc_case *c, struct bc_observation *o,
			      struct bc_error *err)
{
	const struct bc_facts *f = m->ops->facts(m->dev);
	struct comparison k = { .m = m, .c = c, .o = o, .sms = f->sms ? f->sms : 1 };
	const bool clock = c->needs & BC_NEED_CLOCK;
	enum bc_status st = list_members(&k, err);

	if (!st && !k.n) {
		o->outcome = BC_UNSUPPORTED;
		(void)bc_strlcpy(o->reason, "the device can run no pattern of the rule", sizeof(o->reason));
	}
	for (size_t i = 0, n; !st && !clock && o->outcome == BC_RAN && i < k.n; i += n) {
		n = k.n - i < TOGETHER ? k.n - i : TOGETHER;
		st = compare_data(&k, i, n, err);
	}
	if (!st && o->outcome == BC_RAN)
		finish_data(&k);
	if (!st && clock && o->outcome == BC_RAN)
		st = compare_clock(&k, err);
	if (!clock)
		(void)bc_strlcpy(o->clock_absent, "the rule has cases of its own for time", sizeof(o->clock_absent));
	else
		(void)bc_strlcpy(o->counters_absent, "the case counts nothing", sizeof(o->counters_absent));
	if (!st && !clock && o->outcome == BC_RAN)
		st = bc_sms_count(m, k.list, k.n, k.sms, o, err);
	free(k.list);
	return st;
}
