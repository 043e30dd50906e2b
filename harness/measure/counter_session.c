/* SPDX-License-Identifier: MIT */
#include "harness/measure/counter_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/measure/canary.h"
#include "harness/measure/launch.h"

#define BASELINES_MAX 64
#define CANARIES 4 /* launches, ranges of their own */
#define NONE BC_NCOUNTERS

/* Counters that are read together, and the operation whose canary proves them. */
static const struct counter_set {
	enum bc_class cls;
	enum bc_op canary; /* BC_OP_NONE: global memory, whose canary is a program */
	enum bc_counter requests, wavefronts, conflicts, sectors; /* NONE: the class has none */
} counter_sets[] = {
	{ BC_CLASS_LD, BC_OP_LD32, BC_CTR_LD_REQUESTS, BC_CTR_LD_WAVEFRONTS, BC_CTR_LD_CONFLICTS, NONE },
	{ BC_CLASS_LD, BC_OP_LDSM4, BC_CTR_LDSM_REQUESTS, BC_CTR_LD_WAVEFRONTS, BC_CTR_LD_CONFLICTS, NONE },
	{ BC_CLASS_LD, BC_OP_GLD32, NONE, BC_CTR_LD_WAVEFRONTS, BC_CTR_LD_CONFLICTS, NONE },
	{ BC_CLASS_ST, BC_OP_ST32, BC_CTR_ST_REQUESTS, BC_CTR_ST_WAVEFRONTS, BC_CTR_ST_CONFLICTS, NONE },
	{ BC_CLASS_ST, BC_OP_STSM4, BC_CTR_STSM_REQUESTS, BC_CTR_ST_WAVEFRONTS, BC_CTR_ST_CONFLICTS, NONE },
	{ BC_CLASS_ST, BC_OP_GST32, NONE, BC_CTR_ST_WAVEFRONTS, BC_CTR_ST_CONFLICTS, NONE },
	{ BC_CLASS_ATOM, BC_OP_ATOM32, BC_CTR_ATOM_REQUESTS, BC_CTR_ATOM_WAVEFRONTS, BC_CTR_ATOM_CONFLICTS, NONE },
	{ BC_CLASS_LDGSTS, BC_OP_CPA4, BC_CTR_LDGSTS_REQUESTS, NONE, BC_CTR_LDGSTS_CONFLICTS, NONE },
	{ BC_CLASS_GLOBAL_LD, BC_OP_NONE, BC_CTR_GLOBAL_LD_REQUESTS, NONE, NONE, BC_CTR_GLOBAL_LD_SECTORS },
	{ BC_CLASS_GLOBAL_ST, BC_OP_NONE, BC_CTR_GLOBAL_ST_REQUESTS, NONE, NONE, BC_CTR_GLOBAL_ST_SECTORS },
};

/* The set of a pattern's operation: its class's plain one unless it has a request counter of its own, or none. */
static const struct counter_set *set_of(enum bc_op op, enum bc_class cls)
{
	const struct bc_op_info *info = bc_op_info(op);
	enum bc_op like = BC_OP_NONE;

	if (info->matrices)
		like = info->store ? BC_OP_STSM4 : BC_OP_LDSM4;
	else if (op != BC_OP_NONE && !info->counter_requests)
		like = info->store ? BC_OP_GST32 : BC_OP_GLD32;
	for (size_t i = 0; i < BC_ARRAY_LEN(counter_sets); i++)
		if (counter_sets[i].cls == cls && (like == BC_OP_NONE || counter_sets[i].canary == like))
			return &counter_sets[i];
	return NULL;
}

/* Counts of the launch with 0 repetitions, once per kernel: a counted launch fills nothing, so its shape is always the
 * same. */
struct baseline {
	enum bc_op op;
	struct bc_count count;
};

struct bc_counter_session {
	const struct bc_device_ops *ops;
	struct bc_device *dev;
	const struct bc_arch *arch;
	struct baseline base[BASELINES_MAX];
	size_t nbase;
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

/* One profiler session: its launches, and what each is for. */
struct counter_run {
	struct bc_counter_session *k;
	const struct counter_set *set;
	struct bc_case_launch *made;
	struct bc_launch *launch;
	struct bc_counts *counts;
	struct bc_range *range; /* of the cases */
	size_t n, first_base, first_item, nranges;
};

static struct baseline *find_base(struct bc_counter_session *k, enum bc_op op)
{
	for (size_t i = 0; i < k->nbase; i++)
		if (k->base[i].op == op)
			return &k->base[i];
	return NULL;
}

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

	bc_canary_get(s->set->canary, s->set->cls, i, &c);
	if (c.program)
		return bc_case_launch_program(c.program, s->k->arch, 0, &s->made[s->n++], err);
	return add_pattern(s, &c.pattern, label[i], bc_case_launch_reps(&c.pattern), err);
}

static enum bc_status add_canaries(struct counter_run *s, struct bc_error *err)
{
	enum bc_status st = add_canary(s, 0, err);

	return st ? st : add_canary(s, 1, err);
}

/* A baseline for @p's kernel, when there is none yet (measured or planned in this session). */
static enum bc_status add_base(struct counter_run *s, const struct bc_pattern *p, struct bc_error *err)
{
	if (find_base(s->k, p->op))
		return BC_OK;
	if (s->k->nbase == BASELINES_MAX)
		return bc_fail(err, BC_EDEVICE, "more than %d kernels need a baseline", BASELINES_MAX);
	s->k->base[s->k->nbase++] = (struct baseline){ .op = p->op };
	return add_pattern(s, p, "baseline", 0, err);
}

static uint64_t value_of(const struct bc_counts *c, enum bc_counter k)
{
	return k == NONE ? 0 : c->v[k];
}

static struct bc_count counts_of(const struct counter_set *set, const struct bc_counts *c)
{
	return (struct bc_count){ .requests = value_of(c, set->requests),
				  .wavefronts = value_of(c, set->wavefronts),
				  .conflicts = value_of(c, set->conflicts),
				  .sectors = value_of(c, set->sectors) };
}

/* @out = the range of @n launches from @first less their baselines. False when a baseline is larger: the counts make
 * no sense. */
static bool subtract_baselines(const struct counter_run *s, size_t first, unsigned n, struct bc_count *out)
{
	*out = counts_of(s->set, &s->counts[first]);
	for (size_t i = first; i < first + n; i++) {
		const struct bc_case_launch *r = &s->made[i];
		const struct baseline none = { .op = BC_OP_NONE };
		const struct baseline *b = r->program.kernel ? &none : find_base(s->k, r->pattern.op);

		if (!b || out->requests < b->count.requests || out->wavefronts < b->count.wavefronts ||
		    out->conflicts < b->count.conflicts)
			return false;
		out->requests -= b->count.requests;
		out->wavefronts -= b->count.wavefronts;
		out->conflicts -= b->count.conflicts;
	}
	return true;
}

/* Does the canary at launch @i, of kind @which, read what it must? */
static bool canary_matches(const struct counter_run *s, size_t i, unsigned which, char *why, size_t size)
{
	const struct counter_set *set = s->set;
	const uint64_t q = s->made[i].requests;
	struct bc_count c = { 0 };
	struct bc_canary want;

	bc_canary_get(set->canary, set->cls, which, &want);
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
		return bc_case_launch_program(r->item[0]->c, s->k->arch, 0, &s->made[s->n++], err);
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
	bc_canary_get(s->set->canary, s->set->cls, 0, &c);
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

static struct bc_count_source counted_by(const struct counter_set *set)
{
	return (struct bc_count_source){ .requests = set->requests != NONE,
					 .wavefronts = set->wavefronts != NONE,
					 .conflicts = set->conflicts != NONE };
}

static void mark_void(struct bc_observation *o, const char *why)
{
	if (o->attempts)
		return; /* what a sound session counted before stands */
	o->counters_void = true;
	(void)bc_strlcpy(o->counters_absent, why, sizeof(o->counters_absent));
}

/* The counts of a case that was counted alone. */
static void read_alone(const struct counter_run *s, const struct bc_range *r)
{
	struct bc_observation *o = r->item[0]->obs;

	o->requests_stated = s->made[r->launch].requests;
	if (!o->attempts)
		o->counted_with = 0;
	if (subtract_baselines(s, r->launch, 1, &o->count[o->attempts])) {
		o->attempts++;
		return;
	}
	o->outcome = BC_TOOL_ERROR;
	(void)bc_strlcpy(o->reason, "the kernel counted less than the same kernel with 0 repetitions",
			 sizeof(o->reason));
}

/* Baselines first, then the canaries, then the cases. */
static void read_counts(struct counter_run *s)
{
	const size_t old = s->k->nbase - (s->first_item - s->first_base);
	char why[BC_REASON_MAX] = "";
	bool sound;

	for (size_t i = s->first_base; i < s->first_item; i++)
		s->k->base[old + i - s->first_base].count = counts_of(s->set, &s->counts[i]);
	sound = canary_matches(s, 0, 0, why, sizeof(why)) && canary_matches(s, 1, 1, why, sizeof(why)) &&
		canary_matches(s, s->n - 2, 0, why, sizeof(why)) && canary_matches(s, s->n - 1, 1, why, sizeof(why));
	if (!sound)
		s->k->nbase = old; /* what a void session read is no baseline either */
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
			if (!sound)
				mark_void(o, why);
		}
		if (sound && r->n == 1)
			read_alone(s, r);
		else if (sound && subtract_baselines(s, r->launch, r->n, &sum))
			bc_pack_read(r, counted_by(s->set), &sum);
		else if (sound)
			r->unexpected = true; /* counted alone, each can say what is wrong */
	}
}

static uint32_t bit(enum bc_counter c)
{
	return c == NONE ? 0 : UINT32_C(1) << c;
}

static uint32_t counters_needed(const struct counter_set *s)
{
	return bit(s->requests) | bit(s->wavefronts) | bit(s->conflicts) | bit(s->sectors);
}

/* Classes whose counters one pass reads together, so that the profiler is not set up anew from one to the other: loads
 * and stores. Atomics with either, or with copies, take two passes. Source: CUPTI's host API, 26 chips, TU102 to GB20B.
 */
static bool read_together(enum bc_class a, enum bc_class b)
{
	static const enum bc_class pairs[][2] = { { BC_CLASS_LD, BC_CLASS_ST },
						  { BC_CLASS_GLOBAL_LD, BC_CLASS_GLOBAL_ST } };

	for (size_t i = 0; i < BC_ARRAY_LEN(pairs); i++)
		if ((a == pairs[i][0] && b == pairs[i][1]) || (a == pairs[i][1] && b == pairs[i][0]))
			return true;
	return a == b;
}

/* What is asked of the device: the counters of all sets that are read together with @set. */
static uint32_t counters_asked(const struct counter_set *set)
{
	uint32_t want = 0;

	for (size_t i = 0; i < BC_ARRAY_LEN(counter_sets); i++)
		if (read_together(counter_sets[i].cls, set->cls))
			want |= counters_needed(&counter_sets[i]);
	return want;
}

/* Count what was built; @absent says why when that is impossible though the device is well. */
static enum bc_status count_launches(struct counter_run *s, char *absent, size_t size, struct bc_error *err)
{
	const uint32_t need = counters_needed(s->set);
	struct bc_error one = { .msg = "" };
	enum bc_status st = s->k->ops->count(s->k->dev, s->launch, s->n, counters_asked(s->set), s->counts, &one);

	if (st == BC_ENOMEM) /* ours: nothing that the device lacks, so no case may be skipped for it */
		return bc_fail(err, BC_ENOMEM, "%s", one.msg);
	if (st && !s->k->ops->alive(s->k->dev))
		return bc_fail(err, BC_EDEVICE, "%s", one.msg);
	if (st)
		(void)bc_strlcpy(absent, one.msg, size);
	for (size_t i = 0; !absent[0] && i < s->n; i++)
		for (unsigned c = 0; !absent[0] && c < BC_NCOUNTERS && !s->launch[i].joined; c++)
			if (need >> c & 1u && !(s->counts[i].present >> c & 1u))
				(void)snprintf(absent, size, "the chip has no counter %s",
					       bc_counter_name((enum bc_counter)c));
	return BC_OK;
}

/* One profiler session of one set; @range: [n], filled. */
static enum bc_status run_session(struct bc_counter_session *k, const struct counter_set *set, unsigned pack,
				  const struct bc_count_item *item, size_t n, struct bc_range *range, size_t *nranges,
				  struct bc_error *err)
{
	const size_t most = 2 * n + CANARIES + 1,
		     base = k->nbase; /* canaries twice; per case a baseline and a launch */
	struct counter_run s = { .k = k, .set = set, .range = range };
	char absent[BC_REASON_MAX] = "";
	enum bc_status st = bc_pack_ranges(item, n, pack, range, &s.nranges, err);

	s.made = calloc(most, sizeof(*s.made));
	s.launch = calloc(most, sizeof(*s.launch));
	s.counts = calloc(most, sizeof(*s.counts));
	if (!st && (!s.made || !s.launch || !s.counts))
		st = bc_fail(err, BC_ENOMEM, "counting: out of memory");
	if (!st)
		st = build_launches(&s, item, n, err);
	if (!st)
		st = count_launches(&s, absent, sizeof(absent), err);
	if (!st && !absent[0])
		read_counts(&s);
	if (st || absent[0])
		k->nbase = base;
	for (size_t i = 0; absent[0] && i < n; i++)
		if (!item[i].obs->attempts)
			(void)bc_strlcpy(item[i].obs->counters_absent, absent, sizeof(item[i].obs->counters_absent));
	for (size_t i = 0; i < s.n; i++)
		bc_case_launch_release(&s.made[i]);
	free(s.counts);
	free(s.launch);
	free(s.made);
	*nranges = s.nranges;
	return st;
}

/* Does item @i need a baseline that neither exists nor comes with an item before it? */
static bool needs_base(struct bc_counter_session *k, const struct bc_count_item *item, size_t i)
{
	if (!item[i].pattern || find_base(k, item[i].pattern->op))
		return false;
	for (size_t j = 0; j < i; j++)
		if (item[j].pattern && item[j].pattern->op == item[i].pattern->op)
			return false;
	return true;
}

/* How many of @item fit into one session beside canaries and baselines (one of them the canary's). */
static size_t items_that_fit(struct bc_counter_session *k, const struct bc_count_item *item, size_t n, unsigned pack)
{
	size_t alone = 0, packed = 0, bases = 1, i = 0;

	for (; i < n; i++) {
		const bool p = pack > 1 && item[i].packable;

		alone += !p;
		packed += p;
		bases += needs_base(k, item, i);
		if (CANARIES + bases + alone + (packed + pack - 1) / pack > BC_SESSION_RANGES)
			break;
	}
	return i ? i : n > 0; /* one fits: few operations share a set */
}

/* One set: in ranges of @pack, then what was not as expected alone. */
static enum bc_status count_set(struct bc_counter_session *k, const struct counter_set *set, unsigned pack,
				const struct bc_count_item *item, size_t n, struct bc_error *err)
{
	struct bc_range *range = calloc(2 * n + 1, sizeof(*range));
	struct bc_count_item *alone = calloc(n + 1, sizeof(*alone));
	size_t nranges = 0, m = 0;
	enum bc_status st = range && alone ? BC_OK : bc_fail(err, BC_ENOMEM, "counting: out of memory");

	if (!st)
		st = run_session(k, set, pack, item, n, range, &nranges, err);
	for (size_t i = 0; !st && i < nranges; i++)
		for (unsigned j = 0; range[i].unexpected && j < range[i].n; j++)
			alone[m++] = *range[i].item[j];
	for (size_t first = 0, fit = 0, ignored; !st && first < m; first += fit) {
		fit = items_that_fit(k, alone + first, m - first, 1);
		st = run_session(k, set, 1, alone + first, fit, range + n, &ignored, err);
	}
	for (size_t i = 0; !st && i < nranges; i++)
		if (range[i].unexpected)
			bc_pack_check_sum(&range[i], counted_by(set));
	free(alone);
	free(range);
	return st;
}

enum bc_status bc_counter_session_count(struct bc_counter_session *k, enum bc_class cls, unsigned pack,
					const struct bc_count_item *item, size_t n, struct bc_error *err)
{
	struct bc_count_item *some;
	enum bc_status st;

	if (!pack || pack > BC_PACK_MAX)
		return bc_fail(err, BC_EUSAGE, "%u cases in a range: 1 to %d are possible", pack, BC_PACK_MAX);
	some = calloc(n ? n : 1, sizeof(*some));
	st = some ? BC_OK : bc_fail(err, BC_ENOMEM, "counting: out of memory");
	for (size_t i = 0; !st && i < BC_ARRAY_LEN(counter_sets); i++) {
		size_t m = 0;

		for (size_t j = 0; j < n; j++)
			if (set_of(item[j].pattern ? item[j].pattern->op : BC_OP_NONE, cls) == &counter_sets[i])
				some[m++] = item[j];
		for (size_t first = 0, fit = 0; !st && first < m; first += fit) {
			fit = items_that_fit(k, some + first, m - first, pack);
			st = count_set(k, &counter_sets[i], pack, some + first, fit, err);
		}
	}
	free(some);
	return st;
}
