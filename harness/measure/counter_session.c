/* SPDX-License-Identifier: MIT */
#include "harness/measure/counter_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/measure/baseline.h"
#include "harness/measure/canary.h"
#include "harness/measure/counter_set.h"
#include "harness/measure/launch.h"

#define CANARIES 4 /* launches, ranges of their own */
#define NONE BC_NCOUNTERS

struct bc_counter_session {
	const struct bc_device_ops *ops;
	struct bc_device *dev;
	const struct bc_arch *arch;
	struct bc_baselines base;
	bool in_vain[BC_COUNTER_SETS];	  /* no session of the set has been sound since one was tried twice */
	const struct bc_count_item *item; /* of the call: [n] */
	size_t n;
};

enum bc_status bc_counter_session_open(const struct bc_device_ops *ops, struct bc_device *dev,
				       const struct bc_arch *arch, struct bc_counter_session **out,
				       struct bc_error *err)
{
	struct bc_counter_session *k = calloc(1, sizeof(*k));

	if (!k)
		return bc_fail(err, BC_ENOMEM, "counting: out of memory");
	k->ops = ops;
	k->dev = dev;
	k->arch = arch;
	*out = k;
	return BC_OK;
}

void bc_counter_session_close(struct bc_counter_session *k)
{
	free(k);
}

/* How a session ended that has no counts. */
struct failure {
	char why[BC_REASON_MAX]; /* "": it has */
	bool is_void;		 /* a canary did not read what it must */
	bool for_good;		 /* the next would end so too */
};

/* One profiler session: its launches, and what each is for. */
struct counter_run {
	struct bc_counter_session *k;
	const struct bc_counter_set *set;
	bool anew;		  /* baselines are read anew, though there are some */
	struct bc_baselines base; /* as they are with this session's; k's when it is sound */
	struct bc_case_launch *made;
	struct bc_launch *launch;
	struct bc_counts *counts;
	struct bc_range *range; /* of the cases */
	size_t n, first_base, first_item, nranges;
	struct failure failure;
};

static enum bc_status add_pattern(struct counter_run *s, const struct bc_pattern *p, const char *label, uint32_t reps,
				  struct bc_error *err)
{
	return bc_case_launch_count(p, s->k->arch, label, reps, &s->made[s->n++], err);
}

/* Canary @i: 0 conflicts, 1 is clean. */
static enum bc_status add_canary(struct counter_run *s, unsigned i, struct bc_error *err)
{
	static const char *const label[] = { "canary with conflicts", "clean canary" };
	struct bc_canary c;

	bc_canary_get(s->set->canary, s->set->cls, i, s->k->arch, &c);
	if (c.program)
		return bc_case_launch_program(c.program, s->k->arch, 1, 0, &s->made[s->n++], err);
	return add_pattern(s, &c.pattern, label[i], bc_case_launch_reps(&c.pattern), err);
}

static enum bc_status add_canaries(struct counter_run *s, struct bc_error *err)
{
	enum bc_status st = add_canary(s, 0, err);

	return st ? st : add_canary(s, 1, err);
}

/* How often a session reads the baseline of @op's kernel. */
static unsigned readings(const struct bc_counter_session *k, enum bc_op op, bool anew)
{
	if (!anew)
		return !k->base.has[op];
	return BC_BASELINE_READINGS - k->base.has[op];
}

/* Launches for the baseline of @p's kernel, unless this session has them. */
static enum bc_status add_base(struct counter_run *s, const struct bc_pattern *p, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = s->first_base; i < s->n; i++)
		if (s->made[i].pattern.op == p->op)
			return BC_OK;
	for (unsigned i = readings(s->k, p->op, s->anew); !st && i > 0; i--)
		st = add_pattern(s, p, "baseline", 0, err);
	return st;
}

/* *count, of @n launches from @first, less their baselines. False when a baseline is larger, or unknown. */
static bool subtract_baselines(const struct counter_run *s, size_t first, unsigned n, struct bc_count *count)
{
	for (size_t i = first; i < first + n; i++) {
		const enum bc_op op = s->made[i].pattern.op;

		if (s->made[i].program.kernel)
			continue;
		if (!s->base.has[op] || !bc_baseline_subtract(count, &s->base.of[op]))
			return false;
	}
	return true;
}

/* Does the canary at launch @i, of kind @which, read what it must? */
static bool canary_matches(const struct counter_run *s, size_t i, unsigned which, char *why, size_t size)
{
	const struct bc_counter_set *set = s->set;
	const uint64_t q = s->made[i].requests;
	struct bc_count c = bc_counter_set_count(set, &s->counts[i]);
	struct bc_canary want;

	bc_canary_get(set->canary, set->cls, which, s->k->arch, &want);
	if (subtract_baselines(s, i, 1, &c) && (set->requests == NONE || c.requests == q) &&
	    (set->wavefronts == NONE || c.wavefronts == q * want.wavefronts) &&
	    (set->conflicts == NONE || c.conflicts == q * want.conflicts) &&
	    (set->sectors == NONE || c.sectors == q * want.sectors))
		return true;
	(void)snprintf(
		why, size,
		"the session's counters are void: its %s canary of class %s (%llu requests, each %u wavefronts, %u "
		"conflicts, %u sectors) read %llu requests, %llu wavefronts, %llu conflicts, %llu sectors: is another "
		"profiler (DCGM, ncu) reading them?",
		i < 2 ? "first" : "last", bc_class_name(set->cls), (unsigned long long)q, want.wavefronts,
		want.conflicts, want.sectors, (unsigned long long)c.requests, (unsigned long long)c.wavefronts,
		(unsigned long long)c.conflicts, (unsigned long long)c.sectors);
	return false;
}

static enum bc_status add_range(struct counter_run *s, struct bc_range *r, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	r->launch = s->n;
	if (!r->item[0]->pattern)
		return bc_case_launch_program(r->item[0]->c, s->k->arch, 1, 0, &s->made[s->n++], err);
	for (unsigned k = 0; !st && k < r->n; k++) {
		const struct bc_count_item *it = r->item[k];

		st = add_pattern(s, it->pattern, it->obs->id,
				 r->n > 1 ? bc_pack_weight(k) : bc_case_launch_reps(it->pattern), err);
		s->made[s->n - 1].launch.joined = k > 0;
	}
	return st;
}

/* Canaries, baselines, cases, canaries. */
static enum bc_status build_launches(struct counter_run *s, const struct bc_count_item *item, size_t n,
				     struct bc_error *err)
{
	struct bc_canary c;
	enum bc_status st = add_canaries(s, err);

	s->first_base = s->n;
	bc_canary_get(s->set->canary, s->set->cls, 0, s->k->arch, &c);
	if (!st && !c.program)
		st = add_base(s, &c.pattern, err);
	for (size_t i = 0; !st && i < n; i++)
		if (item[i].pattern)
			st = add_base(s, item[i].pattern, err);
	s->first_item = s->n;
	for (size_t i = 0; !st && i < s->nranges; i++)
		st = add_range(s, &s->range[i], err);
	if (!st)
		st = add_canaries(s, err);
	for (size_t i = 0; i < s->n; i++)
		s->launch[i] = s->made[i].launch;
	return st;
}

static struct bc_count_source counted_by(const struct bc_counter_set *set)
{
	return (struct bc_count_source){ .requests = set->requests != NONE,
					 .wavefronts = set->wavefronts != NONE,
					 .conflicts = set->conflicts != NONE };
}

/* This session's baselines: what most readings of each are, the one that was known among them. */
static void read_baselines(struct counter_run *s)
{
	for (size_t i = s->first_base, m; i < s->first_item; i += m) {
		const enum bc_op op = s->made[i].pattern.op;
		struct bc_count reading[BC_BASELINE_READINGS];
		size_t n = 0;

		if (s->base.has[op])
			reading[n++] = s->base.of[op];
		for (m = 0; i + m < s->first_item && s->made[i + m].pattern.op == op; m++)
			reading[n++] = bc_counter_set_count(s->set, &s->counts[i + m]);
		s->base.has[op] = bc_baseline_most(reading, n, &s->base.of[op]);
	}
}

/* Was the baseline of @op that is known until now wrong? */
static bool was_wrong(const struct counter_run *s, enum bc_op op)
{
	const struct bc_baselines *old = &s->k->base;

	return old->has[op] && s->base.has[op] && !bc_count_same(&old->of[op], &s->base.of[op]);
}

/* Counts of the call's cases that were made with a wrong baseline are corrected, and say so. */
static void correct_counts(const struct counter_run *s)
{
	const struct bc_counter_session *k = s->k;

	for (size_t i = 0; i < k->n; i++) {
		struct bc_observation *o = k->item[i].obs;
		const enum bc_op op = k->item[i].pattern ? k->item[i].pattern->op : BC_OP_NONE;
		const struct bc_count *was = &k->base.of[op], *is = &s->base.of[op];
		char why[BC_REASON_MAX];

		if (!was_wrong(s, op))
			continue;
		bc_baseline_correct(o, was, is);
		(void)snprintf(why, sizeof(why),
			       "the baseline of %s: first %llu requests, %llu wavefronts, %llu conflicts, then twice "
			       "%llu, %llu, %llu",
			       bc_op_info(op)->name, (unsigned long long)was->requests,
			       (unsigned long long)was->wavefronts, (unsigned long long)was->conflicts,
			       (unsigned long long)is->requests, (unsigned long long)is->wavefronts,
			       (unsigned long long)is->conflicts);
		bc_observation_read_again(o, why);
	}
}

static void break_case(struct bc_observation *o, const char *why)
{
	o->outcome = BC_TOOL_ERROR;
	(void)bc_strlcpy(o->reason, why, sizeof(o->reason));
}

/* The counts of a case that was counted alone. One below its baseline is counted again with the baseline read anew; it
 * is broken when that was right. */
static void read_alone(const struct counter_run *s, struct bc_range *r, bool at_fault)
{
	struct bc_observation *o = r->item[0]->obs;
	struct bc_count c = r->raw;

	o->requests_stated = s->made[r->launch].requests;
	if (!o->attempts)
		o->counted_with = 0;
	r->unexpected = r->below = !subtract_baselines(s, r->launch, 1, &c);
	if (r->below && s->anew && !s->base.has[s->made[r->launch].pattern.op])
		break_case(o, "no two of three launches of the kernel with 0 repetitions count the same");
	else if ((r->below && s->anew) || (r->item[0]->below && !at_fault))
		break_case(o, "the kernel counted less than the same kernel with 0 repetitions");
	else if (!r->below)
		o->count[o->attempts++] = c;
}

/* The ranges of a sound session. */
static void read_ranges(struct counter_run *s)
{
	for (size_t i = 0; i < s->nranges; i++) {
		struct bc_range *r = &s->range[i];
		struct bc_count sum;

		for (unsigned k = 0; k < r->n; k++) {
			struct bc_observation *o = r->item[k]->obs;

			o->requests_stated = s->made[r->launch + k].requests;
			o->requests_counted = s->set->requests != NONE;
			o->wavefronts_uncounted = s->set->wavefronts == NONE;
			o->conflicts_uncounted = s->set->conflicts == NONE;
			o->sectors_counted = s->set->sectors != NONE;
		}
		sum = r->raw = bc_counter_set_count(s->set, &s->counts[r->launch]);
		if (r->n == 1)
			read_alone(s, r, was_wrong(s, s->made[r->launch].pattern.op));
		else if (subtract_baselines(s, r->launch, r->n, &sum))
			bc_pack_read(r, counted_by(s->set), &sum);
		else
			r->unexpected = r->below = true; /* counted alone, each can say what is wrong */
	}
}

/* Baselines first, then the canaries, then the cases. */
static void read_counts(struct counter_run *s)
{
	char *why = s->failure.why;
	const size_t size = sizeof(s->failure.why);

	read_baselines(s);
	s->failure.is_void = !canary_matches(s, 0, 0, why, size) || !canary_matches(s, 1, 1, why, size) ||
			     !canary_matches(s, s->n - 2, 0, why, size) || !canary_matches(s, s->n - 1, 1, why, size);
	if (s->failure.is_void)
		return; /* what a void session read is no baseline either */
	correct_counts(s);
	read_ranges(s);
	s->k->base = s->base;
}

/* Count what was built; the failure says why when that is impossible though the device is well. */
static enum bc_status count_launches(struct counter_run *s, struct bc_error *err)
{
	const uint32_t need = bc_counter_set_needs(s->set);
	struct failure *f = &s->failure;
	struct bc_error one = { .msg = "" };
	enum bc_status st = s->k->ops->count(s->k->dev, s->launch, s->n, bc_counter_set_asks(s->set), s->counts, &one);

	if (st == BC_ENOMEM) /* ours: nothing that the device lacks, so no case may be skipped for it */
		return bc_fail(err, BC_ENOMEM, "%s", one.msg);
	if (st && !s->k->ops->alive(s->k->dev))
		return bc_fail(err, BC_EDEVICE, "%s", one.msg);
	if (st)
		(void)bc_strlcpy(f->why, one.msg, sizeof(f->why));
	for (size_t i = 0; !f->why[0] && i < s->n; i++)
		for (unsigned c = 0; !f->why[0] && c < BC_NCOUNTERS && !s->launch[i].joined; c++)
			if (need >> c & 1u && !(s->counts[i].present >> c & 1u))
				(void)snprintf(f->why, sizeof(f->why), "the chip has no counter %s",
					       bc_counter_name((enum bc_counter)c));
	f->for_good = !st && f->why[0];
	return BC_OK;
}

/* Cases of one set, to be counted in one session. */
struct batch {
	const struct bc_counter_set *set;
	const struct bc_count_item *item;
	size_t n;
	unsigned pack;
	bool anew;		/* with baselines read anew */
	struct bc_range *range; /* [n], filled */
	size_t nranges;
};

/* One profiler session. */
static enum bc_status run_session(struct bc_counter_session *k, struct batch *b, struct failure *failure,
				  struct bc_error *err)
{
	/* canaries twice; baselines of the cases and of the canary; cases */
	const size_t most = CANARIES + BC_BASELINE_READINGS * (b->n + 1) + b->n;
	struct counter_run s = { .k = k, .set = b->set, .range = b->range, .anew = b->anew, .base = k->base };
	enum bc_status st = bc_pack_ranges(b->item, b->n, b->pack, b->range, &s.nranges, err);

	s.made = calloc(most, sizeof(*s.made));
	s.launch = calloc(most, sizeof(*s.launch));
	s.counts = calloc(most, sizeof(*s.counts));
	if (!st && (!s.made || !s.launch || !s.counts))
		st = bc_fail(err, BC_ENOMEM, "counting: out of memory");
	if (!st)
		st = build_launches(&s, b->item, b->n, err);
	if (!st)
		st = count_launches(&s, err);
	if (!st && !s.failure.why[0])
		read_counts(&s);
	for (size_t i = 0; i < s.n; i++)
		bc_case_launch_release(&s.made[i]);
	free(s.counts);
	free(s.launch);
	free(s.made);
	b->nranges = s.nranges;
	*failure = s.failure;
	return st;
}

/* What a session that failed leaves of a case; what a sound one counted before stands. */
static void mark_failed(struct bc_observation *o, const struct failure *f)
{
	if (o->attempts)
		return;
	o->counters_void = f->is_void;
	(void)bc_strlcpy(o->counters_absent, f->why, sizeof(o->counters_absent));
}

/* A session; one that fails is tried once more before it takes its cases with it, unless that was in vain the last
 * time. */
static enum bc_status count_session(struct bc_counter_session *k, struct batch *b, struct bc_error *err)
{
	bool *in_vain = &k->in_vain[b->set - bc_counter_set(0)];
	struct failure first, f;
	enum bc_status st = run_session(k, b, &f, err);

	first = f;
	if (!st && f.why[0] && !f.for_good && !*in_vain) {
		b->anew = true;
		st = run_session(k, b, &f, err);
		*in_vain = f.why[0];
	} else if (!f.why[0]) {
		*in_vain = false;
	}
	for (size_t i = 0; !st && i < b->n; i++) {
		if (f.why[0])
			mark_failed(b->item[i].obs, &f);
		else if (first.why[0])
			bc_observation_read_again(b->item[i].obs, first.why);
	}
	return st;
}

/* How many readings of baselines come with item @i that do not with an item before it? */
static unsigned base_launches(struct bc_counter_session *k, const struct bc_count_item *item, size_t i, bool anew)
{
	if (!item[i].pattern)
		return 0;
	for (size_t j = 0; j < i; j++)
		if (item[j].pattern && item[j].pattern->op == item[i].pattern->op)
			return 0;
	return readings(k, item[i].pattern->op, anew);
}

/* How many of @item fit into one session beside canaries and baselines (one of them the canary's). */
static size_t items_that_fit(struct bc_counter_session *k, const struct bc_count_item *item, size_t n, unsigned pack,
			     bool anew)
{
	size_t alone = 0, packed = 0, bases = anew ? BC_BASELINE_READINGS : 1, i = 0;

	for (; i < n; i++) {
		const bool p = pack > 1 && item[i].packable;

		alone += !p;
		packed += p;
		bases += base_launches(k, item, i, anew);
		if (CANARIES + bases + alone + (packed + pack - 1) / pack > BC_SESSION_RANGES)
			break;
	}
	return i ? i : n > 0; /* one fits: few operations share a set */
}

/* The sum of an unexpected range is taken with the baselines as they are now. */
static void check_sum(const struct bc_counter_session *k, struct bc_range *r, const struct bc_counter_set *set)
{
	r->sum = r->raw;
	for (unsigned i = 0; i < r->n; i++) {
		const enum bc_op op = r->item[i]->pattern->op;

		if (!k->base.has[op] || !bc_baseline_subtract(&r->sum, &k->base.of[op])) {
			r->sum = (struct bc_count){ 0 };
			break;
		}
	}
	bc_pack_check_sum(r, counted_by(set));
}

/* One set: in ranges of b->pack, then what was not as expected alone, with baselines read anew. */
static enum bc_status count_set(struct bc_counter_session *k, struct batch *b, struct bc_error *err)
{
	struct bc_range *range = calloc(2 * b->n + 1, sizeof(*range));
	struct bc_count_item *alone = calloc(b->n + 1, sizeof(*alone));
	size_t m = 0;
	enum bc_status st = range && alone ? BC_OK : bc_fail(err, BC_ENOMEM, "counting: out of memory");

	b->range = range;
	if (!st)
		st = count_session(k, b, err);
	for (size_t i = 0; !st && i < b->nranges; i++) {
		for (unsigned j = 0; range[i].unexpected && j < range[i].n; j++) {
			if (range[i].item[j]->obs->outcome != BC_RAN)
				continue;
			alone[m] = *range[i].item[j];
			alone[m++].below = range[i].n == 1;
		}
	}
	for (size_t first = 0, fit = 0; !st && first < m; first += fit) {
		struct batch again = { .set = b->set,
				       .item = alone + first,
				       .pack = 1,
				       .anew = true,
				       .range = range ? range + b->n : NULL };

		fit = again.n = items_that_fit(k, alone + first, m - first, 1, true);
		st = count_session(k, &again, err);
	}
	for (size_t i = 0; !st && i < b->nranges; i++)
		if (range[i].unexpected && range[i].n > 1)
			check_sum(k, &range[i], b->set);
	free(alone);
	free(range);
	return st;
}

/* Cases that were counted before are counted again with baselines read anew. */
static bool counted_before(const struct bc_count_item *item, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (item[i].obs->attempts)
			return true;
	return false;
}

enum bc_status bc_counter_session_count(struct bc_counter_session *k, enum bc_class cls, unsigned pack,
					const struct bc_count_item *item, size_t n, struct bc_error *err)
{
	const bool anew = counted_before(item, n);
	const struct bc_counter_set *set;
	struct bc_count_item *some;
	enum bc_status st;

	if (!pack || pack > BC_PACK_MAX)
		return bc_fail(err, BC_EUSAGE, "%u cases in a range: 1 to %d are possible", pack, BC_PACK_MAX);
	some = calloc(n ? n : 1, sizeof(*some));
	st = some ? BC_OK : bc_fail(err, BC_ENOMEM, "counting: out of memory");
	k->item = item;
	k->n = n;
	for (size_t i = 0; !st && (set = bc_counter_set(i)) != NULL; i++) {
		size_t m = 0;

		for (size_t j = 0; j < n; j++)
			if (bc_counter_set_of(item[j].pattern ? item[j].pattern->op : item[j].counted_as, cls) == set)
				some[m++] = item[j];
		for (size_t first = 0; !st && first < m;) {
			struct batch b = { .set = set, .item = some + first, .pack = pack, .anew = anew };

			b.n = items_that_fit(k, some + first, m - first, pack, anew);
			first += b.n;
			st = count_set(k, &b, err);
		}
	}
	free(some);
	return st;
}
