/* SPDX-License-Identifier: MIT */
#include "harness/compare/describe.h"
#include "harness/base/stats.h"

#include <math.h>
#include <string.h>

#include "harness/base/textfile.h"

static bool counts_changed(const struct bc_compared *c)
{
	for (unsigned k = 0; k < BC_NCOUNTS; k++)
		if (c->count[k].changed)
			return true;
	return false;
}

const char *bc_describe_kind(const struct bc_compared *c)
{
	if (c->worse)
		return "WORSE";
	if (c->better)
		return "BETTER";
	if (!bc_compared_changed(c))
		return "SAME";
	if (c->speed && c->speed->speed == BC_SPEED_UNDECIDED && !c->verdict && !c->reason && !c->outcome &&
	    !c->data_worse && !c->data_better && !counts_changed(c))
		return "UNDECIDED";
	return "CHANGED";
}

const char *bc_describe_type(const struct bc_compared *c)
{
	if (!c->now)
		return "ABSENT";
	if (!c->old)
		return "NEW";
	if (c->verdict)
		return bc_verdict_name(c->now->verdict);
	if (c->reason)
		return "REASON";
	if (c->data_worse || c->data_better)
		return "DATA";
	if (counts_changed(c))
		return "COUNT";
	if (c->outcome)
		return "OUTCOME";
	return c->speed ? bc_speed_name(c->speed->speed) : "SAME";
}

/* Length of the suite's name with the slash. */
static size_t suite_len(const char *id)
{
	const char *slash = strchr(id, '/');

	return slash ? (size_t)(slash - id) + 1 : strlen(id);
}

size_t bc_describe_whole_suite(const struct bc_pair_diff *p, size_t i)
{
	const char *id = p->cases[i].id;
	const size_t len = suite_len(id);
	const bool added = !p->cases[i].old;
	size_t n = 0;

	if (i > 0 && strncmp(p->cases[i - 1].id, id, len) == 0)
		return 0;
	for (; i + n < p->ncases && strncmp(p->cases[i + n].id, id, len) == 0; n++)
		if (added ? p->cases[i + n].old != NULL : p->cases[i + n].now != NULL)
			return 0;
	return n > 1 ? n : 0;
}

/* A change of a ratio in percent, without its sign. */
static const char *percent(double ratio, char buf[BC_NUMBER_MAX])
{
	const double v = fabs(ratio - 1) * 100, scale = v < 0.1 ? 1000 : v < 10 ? 100 : 10;

	return bc_number_text(round(v * scale) / scale, buf);
}

static const char *signed_percent(double ratio, char buf[BC_NUMBER_MAX + 1])
{
	buf[0] = ratio < 1 ? '-' : '+';
	(void)percent(ratio, buf + 1);
	return strcmp(buf + 1, "0") == 0 ? buf + 1 : buf;
}

void bc_describe_speed(struct bc_out *o, const struct bc_speed_test *t)
{
	char by[BC_NUMBER_MAX], lo[BC_NUMBER_MAX + 1], hi[BC_NUMBER_MAX + 1], was[BC_NUMBER_MAX], is[BC_NUMBER_MAX];

	bc_put(o, bc_speed_name(t->speed));
	if (t->speed == BC_SPEED_SLOWER || t->speed == BC_SPEED_FASTER)
		bc_putf(o, " by %s %%", percent(t->shift.ratio, by));
	else if (t->why)
		bc_putf(o, ", %s", bc_undecided_text(t->why));
	if (t->exact)
		bc_put(o, " (no spread)");
	else if (t->shift.lo > 0 && isfinite(t->shift.hi) && t->why != BC_ZERO_SAMPLE)
		bc_putf(o, " (%s to %s %%)", signed_percent(t->shift.lo, lo), signed_percent(t->shift.hi, hi));
	bc_putf(o, ", %s -> %s cycles", bc_number_text(bc_median(t->old.v, t->old.n), was),
		bc_number_text(bc_median(t->now.v, t->now.n), is));
}

static void put_count(struct bc_out *o, enum bc_count_of k, const struct bc_count_change *n)
{
	char old[BC_NUMBER_MAX], now[BC_NUMBER_MAX], lo[BC_NUMBER_MAX], hi[BC_NUMBER_MAX];

	bc_putf(o, "%s %s -> %s", bc_count_name(k), bc_number_text(n->old, old), bc_number_text(n->now, now));
	if (n->bounded)
		bc_putf(o, ", expected %s..%s%s", bc_number_text(n->lo, lo), bc_number_text(n->hi, hi),
			n->farther > 0	 ? " (farther out)"
			: n->farther < 0 ? " (nearer)"
					 : "");
}

static void put_verdict(struct bc_out *o, const struct bc_compared *c)
{
	bc_putf(o, "%s -> %s", bc_compared_verdict(c->old), bc_compared_verdict(c->now));
	if (c->old && c->old->verdict == BC_XFAIL && c->now &&
	    (c->now->verdict == BC_PASS || c->now->verdict == BC_XPASS))
		bc_put(o, " (a known failure ended)");
	if (c->now && c->now->message[0])
		bc_putf(o, ": %s", c->now->message);
}

void bc_describe_change(struct bc_out *o, const struct bc_compared *c)
{
	const char *sep = "";

	if (c->verdict) {
		put_verdict(o, c);
		sep = "; ";
	} else if (c->reason) {
		bc_putf(o, "SKIP with another reason: %s (was: %s)", c->now->message, c->old->message);
		sep = "; ";
	} else if (c->outcome) {
		bc_putf(o, "%s, but another way: %s (was: %s)", bc_verdict_name(c->now->verdict), c->now->message,
			c->old->message);
		sep = "; ";
	}
	if (c->data_worse || c->data_better) {
		bc_putf(o, "%sdata %s", sep, c->data_worse ? "right -> wrong" : "wrong -> right");
		sep = "; ";
	}
	for (unsigned k = 0; k < BC_NCOUNTS; k++) {
		if (!c->count[k].changed)
			continue;
		bc_put(o, sep);
		put_count(o, (enum bc_count_of)k, &c->count[k]);
		sep = "; ";
	}
	if (c->speed && c->speed->speed != BC_SPEED_SAME) {
		bc_put(o, sep);
		bc_describe_speed(o, c->speed);
	}
}

void bc_describe_device(struct bc_out *o, const struct bc_read_device *d)
{
	bc_putf(o, "%s (%s, %s) on %s", d->dev, bc_read_property(d, "gpu"), bc_read_property(d, "device"),
		d->host[0] ? d->host : "an unknown host");
}

const char *bc_describe_comparability(enum bc_comparability o)
{
	switch (o) {
	case BC_COMPARABLE: return "";
	case BC_NO_PARTNER: return "the other run has no device of this architecture";
	case BC_THROTTLED_OLD: return "the old run was throttled: clocks are not compared";
	case BC_THROTTLED_NOW: return "the new run was throttled: clocks are not compared";
	case BC_THROTTLED_BOTH: return "both runs were throttled: clocks are not compared";
	}
	return "";
}

void bc_describe_other_changes(struct bc_out *o, const struct bc_pair_diff *p)
{
	const char *sep = "";

	for (size_t i = 0; i < p->ndifferences; i++) {
		if (!p->difference[i].blame)
			continue;
		bc_putf(o, "%s%s", sep, p->difference[i].label);
		sep = ", ";
	}
}

void bc_describe_verdict_only(struct bc_out *o, const struct bc_pair_diff *p)
{
	const bool old = p->old && p->old->nverdict_only, now = p->now && p->now->nverdict_only;

	if (p->nverdict_only)
		bc_putf(o,
			"%zu of %zu cases are compared by their verdict alone: %s compact (--junit compact) and %s no "
			"data, counts or clocks of them",
			p->nverdict_only, p->ncases,
			old && now ? "both reports are"
			: old	   ? "the old report is"
				   : "the new report is",
			old && now ? "have" : "has");
}

void bc_describe_sums(struct bc_out *o, const struct bc_diff *d)
{
	const struct bc_diff_sums *s = &d->sums;

	bc_putf(o, "%zu cases: %zu the same, %zu worse, %zu better, %zu changed otherwise", s->cases, s->same, s->worse,
		s->better, s->other);
	bc_putf(o, " (%zu absent, %zu new, %zu other verdicts, %zu other counts; %zu moved within their bounds)\n",
		s->absent, s->added, s->verdicts, s->counts, s->within);
	if (s->verdict_only)
		bc_putf(o, "compact reports: %zu of them by their verdict alone, not by data, counts and clocks\n",
			s->verdict_only);
}

void bc_describe_clocks(struct bc_out *o, const struct bc_diff *d)
{
	const size_t *n = d->sums.speed;
	char tolerance[BC_NUMBER_MAX], alpha[BC_NUMBER_MAX];

	if (!d->ntests) {
		bc_put(o, "clocks: none compared\n");
		return;
	}
	bc_putf(o, "clocks: %zu compared: %zu SAME, %zu SLOWER, %zu FASTER, %zu UNDECIDED\n", d->ntests,
		n[BC_SPEED_SAME], n[BC_SPEED_SLOWER], n[BC_SPEED_FASTER], n[BC_SPEED_UNDECIDED]);
	bc_putf(o,
		"method: tolerance %s %%; no spread on either side: a change over it counts (%zu cases); else rank "
		"tests (%zu "
		"cases), chance of any false alarm among them at most %s %%, if the samples of a run are independent "
		"(what "
		"holds for a whole run looks like a change)\n",
		bc_number_text(d->plan.tolerance * 100, tolerance), d->ntests - d->plan.tested, d->plan.tested,
		bc_number_text(d->plan.alpha * 100, alpha));
	for (size_t i = 0; i < d->ntests; i++) {
		if (d->tests[i].why != BC_FEW_SAMPLES)
			continue;
		bc_putf(o, "some cases have too few samples to be told apart among %zu: %u a run are needed\n",
			d->plan.tested, bc_speed_samples_needed(d->plan.tested, d->plan.alpha));
		break;
	}
}
