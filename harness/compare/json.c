/* SPDX-License-Identifier: MIT */
/* The comparison as JSON: docs/json.md has the schema. */
#include "harness/compare/print.h"
#include "harness/base/stats.h"
#include "harness/compare/describe.h"
#include "harness/report/json.h"

#define DIFF_SCHEMA "bankcheck-diff-1"

static json_t *device(const struct bc_read_device *d, const char *path)
{
	if (!d)
		return json_null();
	return json_pack("{so, so, so, so, so, so, so, sI}", "file", bc_json_text(path), "name", bc_json_text(d->dev),
			 "arch", bc_json_text(bc_read_property(d, "arch")), "gpu",
			 bc_json_text(bc_read_property(d, "gpu")), "host", bc_json_text(d->host), "run_id",
			 bc_json_text(bc_read_property(d, "run_id")), "timestamp", bc_json_text(d->timestamp), "cases",
			 (json_int_t)d->ncases);
}

static json_t *differences(const struct bc_pair_diff *p)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < p->ndifferences; i++) {
		const struct bc_difference *x = &p->difference[i];
		json_t *one = json_pack("{ss, so, so, sb}", "property", x->name, "old", bc_json_text(x->old), "new",
					bc_json_text(x->now), "may_explain", (int)x->blame);

		if (json_array_append_new(list, one)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *counts(const struct bc_compared *c)
{
	json_t *list = json_array();

	for (unsigned k = 0; list && k < BC_NCOUNTS; k++) {
		const struct bc_count_change *n = &c->count[k];
		json_t *one;

		if (!n->changed && !n->within)
			continue;
		one = json_pack("{ss, so, so, so, so, sb, si}", "quantity", bc_count_name((enum bc_count_of)k), "old",
				bc_json_number(n->old), "new", bc_json_number(n->now), "lo",
				n->bounded ? bc_json_number(n->lo) : json_null(), "hi",
				n->bounded ? bc_json_number(n->hi) : json_null(), "within_bounds", (int)n->within,
				"farther", n->farther);
		if (json_array_append_new(list, one)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *speed(const struct bc_speed_test *t)
{
	if (!t)
		return json_null();
	return json_pack("{ss, ss, sb, so, so, so, so, so, so, si, si}", "judged", bc_speed_name(t->speed), "reason",
			 bc_undecided_text(t->why), "exact", (int)t->exact, "p", bc_json_number(t->p), "ratio",
			 bc_json_number(t->shift.ratio), "lo", bc_json_number(t->shift.lo), "hi",
			 bc_json_number(t->shift.hi), "old_median", bc_json_number(bc_median(t->old.v, t->old.n)),
			 "new_median", bc_json_number(bc_median(t->now.v, t->now.n)), "old_samples", (int)t->old.n,
			 "new_samples", (int)t->now.n);
}

static json_t *compared(const struct bc_compared *c)
{
	struct bc_text change = { 0 };
	struct bc_out o = { .to = &change };
	json_t *j = NULL;

	bc_describe_change(&o, c);
	if (!o.st)
		j = json_pack("{so, ss, ss, so, so, ss, ss, so, so}", "case", bc_json_text(c->id), "kind",
			      bc_describe_kind(c), "type", bc_describe_type(c), "old_message",
			      bc_json_text(c->old ? c->old->message : NULL), "new_message",
			      bc_json_text(c->now ? c->now->message : NULL), "old", bc_compared_verdict(c->old), "new",
			      bc_compared_verdict(c->now), "counts", counts(c), "clock", speed(c->speed));
	if (j && json_object_set_new(j, "change", bc_json_text(change.data ? change.data : ""))) {
		json_decref(j);
		j = NULL;
	}
	bc_text_release(&change);
	return j;
}

/* Cases that changed, or moved within their bounds. */
static json_t *changes(const struct bc_pair_diff *p)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < p->ncases; i++) {
		bool within = false;

		for (unsigned k = 0; k < BC_NCOUNTS; k++)
			within = within || p->cases[i].count[k].within;
		if (!within && !bc_compared_changed(&p->cases[i]))
			continue;
		if (json_array_append_new(list, compared(&p->cases[i]))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *pairs(const struct bc_diff *d)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < d->npairs; i++) {
		const struct bc_pair_diff *p = &d->pairs[i];
		json_t *one =
			json_pack("{so, so, sb, ss, sI, so, so}", "old", device(p->old, p->old_path), "new",
				  device(p->now, p->now_path), "comparable", p->obstacle == BC_COMPARABLE, "obstacle",
				  bc_describe_comparability(p->obstacle), "verdict_only", (json_int_t)p->nverdict_only,
				  "differences", differences(p), "cases", changes(p));

		if (json_array_append_new(list, one)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *sums(const struct bc_diff *d)
{
	const struct bc_diff_sums *s = &d->sums;

	return json_pack("{sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI}", "cases", (json_int_t)s->cases, "verdict_only",
			 (json_int_t)s->verdict_only, "same", (json_int_t)s->same, "worse", (json_int_t)s->worse,
			 "better", (json_int_t)s->better, "other", (json_int_t)s->other, "absent",
			 (json_int_t)s->absent, "new", (json_int_t)s->added, "verdicts", (json_int_t)s->verdicts,
			 "counts", (json_int_t)s->counts, "within_bounds", (json_int_t)s->within);
}

static json_t *clocks(const struct bc_diff *d)
{
	const size_t *n = d->sums.speed;

	return json_pack("{sI, sI, sI, sI, sI, sI, sf, sf, ss, sf}", "compared", (json_int_t)d->ntests, "same",
			 (json_int_t)n[BC_SPEED_SAME], "slower", (json_int_t)n[BC_SPEED_SLOWER], "faster",
			 (json_int_t)n[BC_SPEED_FASTER], "undecided", (json_int_t)n[BC_SPEED_UNDECIDED], "rank_tests",
			 (json_int_t)d->plan.tested, "tolerance_percent", d->plan.tolerance * 100, "false_alarm_chance",
			 d->plan.alpha, "assumes", "the samples of a run are independent", "interval_chance",
			 1 - BC_SPEED_SAME_ALPHA);
}

enum bc_status bc_diff_json(const struct bc_diff_show *s, struct bc_text *out, struct bc_error *err)
{
	json_t *root = json_pack("{ss, ss, so, so, si, so, so, so}", "schema", DIFF_SCHEMA, "bankcheck", BC_VERSION,
				 "old", bc_json_text(s->old->word), "new", bc_json_text(s->now->word), "exit_status",
				 bc_diff_status(s->d, s->strict), "sums", sums(s->d), "clocks", clocks(s->d), "devices",
				 pairs(s->d));

	return bc_json_write(root, false, out, err);
}
