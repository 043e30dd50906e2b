/* SPDX-License-Identifier: MIT */
#include "harness/compare/speed.h"

#include <stdlib.h>

static bool has_zero(const struct bc_samples *s)
{
	uint32_t min, max;

	bc_samples_range(s, &min, &max);
	return min == 0;
}

static bool is_constant(const struct bc_samples *s)
{
	uint32_t min, max;

	bc_samples_range(s, &min, &max);
	return min == max && s->n >= BC_SPEED_EXACT_MIN;
}

/* Both lists are constants: the ratio is known. A run on another SM, or code that lies elsewhere, moves a section by a
 * cycle now and then, so the tolerance holds here too, and a cycle alone is never called. */
static void judge_constants(struct bc_speed_test *t, double tolerance)
{
	const double most = 1 + tolerance, least = 1 / most, old = t->old.v[0], now = t->now.v[0];

	t->exact = true;
	t->shift = (struct bc_shift){ now / old, now / old, now / old };
	t->speed = BC_SPEED_SAME;
	if (now > old && t->shift.ratio >= most)
		t->speed = BC_SPEED_SLOWER;
	else if (now < old && t->shift.ratio <= least)
		t->speed = BC_SPEED_FASTER;
	if (t->speed != BC_SPEED_SAME && now - old > -BC_SPEED_STEP_MIN && now - old < BC_SPEED_STEP_MIN) {
		t->speed = BC_SPEED_UNDECIDED;
		t->why = BC_CLOCK_STEP;
	}
}

/* Judge what needs no statistics. Return: false when it does. */
static bool judge_plain(struct bc_speed_test *t, double tolerance)
{
	t->p = 1;
	t->why = BC_DECIDED;
	t->exact = false;
	t->shift = (struct bc_shift){ 1, 1, 1 };
	if (!t->old.n || !t->now.n || has_zero(&t->old) || has_zero(&t->now)) {
		t->speed = BC_SPEED_UNDECIDED;
		t->why = BC_ZERO_SAMPLE;
		return true;
	}
	if (!is_constant(&t->old) || !is_constant(&t->now))
		return false;
	judge_constants(t, tolerance);
	return true;
}

static void judge_tested(struct bc_speed_test *t, const struct bc_speed_plan *plan, bool significant)
{
	const double most = 1 + plan->tolerance, least = 1 / most;

	bc_rank_shift(&t->old, &t->now, BC_SPEED_SAME_ALPHA, &t->shift);
	t->speed = BC_SPEED_UNDECIDED;
	if (significant && t->shift.ratio > 1 && t->shift.ratio >= most)
		t->speed = BC_SPEED_SLOWER;
	else if (significant && t->shift.ratio < 1 && t->shift.ratio <= least)
		t->speed = BC_SPEED_FASTER;
	else if (t->shift.lo >= least && t->shift.hi <= most)
		t->speed = BC_SPEED_SAME;
	else if (significant)
		t->why = BC_SMALL_CHANGE;
	else if (bc_rank_smallest_p(t->old.n, t->now.n) > plan->alpha / (double)plan->tested)
		t->why = BC_FEW_SAMPLES;
	else
		t->why = BC_WIDE_SPREAD;
}

enum bc_status bc_speed_judge(struct bc_speed_test *test, size_t n, struct bc_speed_plan *plan, struct bc_error *err)
{
	double *p = calloc(n ? n : 1, sizeof(*p));
	bool *significant = calloc(n ? n : 1, sizeof(*significant));
	size_t *at = calloc(n ? n : 1, sizeof(*at));
	enum bc_status st = BC_OK;

	plan->tested = 0;
	if (!p || !significant || !at)
		st = bc_fail(err, BC_ENOMEM, "comparison: out of memory");
	for (size_t i = 0; !st && i < n; i++) {
		if (judge_plain(&test[i], plan->tolerance))
			continue;
		st = bc_rank_test(&test[i].old, &test[i].now, &test[i].p, err);
		p[plan->tested] = test[i].p;
		at[plan->tested++] = i;
	}
	if (!st)
		st = bc_holm(p, plan->tested, plan->alpha, significant, err);
	for (size_t i = 0; !st && i < plan->tested; i++)
		judge_tested(&test[at[i]], plan, significant[i]);
	free(at);
	free(significant);
	free(p);
	return st;
}

const char *bc_speed_name(enum bc_speed s)
{
	static const char *const names[BC_NSPEEDS] = {
		[BC_SPEED_NONE] = "",	      [BC_SPEED_SAME] = "SAME",		  [BC_SPEED_SLOWER] = "SLOWER",
		[BC_SPEED_FASTER] = "FASTER", [BC_SPEED_UNDECIDED] = "UNDECIDED",
	};

	return (unsigned)s < BC_NSPEEDS ? names[s] : "";
}

const char *bc_undecided_text(enum bc_undecided why)
{
	switch (why) {
	case BC_DECIDED: return "";
	case BC_FEW_SAMPLES: return "too few samples for so many cases";
	case BC_WIDE_SPREAD: return "the samples spread too far";
	case BC_SMALL_CHANGE: return "a change about as large as the tolerance";
	case BC_CLOCK_STEP: return "one cycle, the step of the clock itself";
	case BC_ZERO_SAMPLE: return "a sample of 0 cycles: the clock did not run";
	}
	return "";
}

unsigned bc_speed_samples_needed(size_t tested, double alpha)
{
	unsigned n = 1;

	while (n < BC_SAMPLES_MAX && tested && bc_rank_smallest_p(n, n) > alpha / (double)tested)
		n++;
	return n;
}
