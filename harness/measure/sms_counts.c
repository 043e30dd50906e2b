/* SPDX-License-Identifier: MIT */
/* What all SMs count together must be what one counts, times the SMs. */
#include "harness/measure/sms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/measure/counter_set.h"

#define RANGES_ALONE 32 /* pairs of ranges of one session, when each case is counted alone */

static const struct bc_counter_set *set_of(enum bc_op op)
{
	return bc_counter_set_of(op, bc_op_info(op)->cls);
}

/* Launches of some cases of one operation: all of them on one SM, then all of them on every SM. */
struct counting {
	struct bc_case_launch *made;
	struct bc_launch *launch;
	struct bc_counts *counts;
	size_t n;
};

static void release(struct counting *k)
{
	for (size_t i = 0; k->made && i < k->n; i++)
		bc_case_launch_release(&k->made[i]);
	free(k->made);
	free(k->launch);
	free(k->counts);
	*k = (struct counting){ .n = 0 };
}

/* @joined: one range for one SM and one for all; else a pair of ranges for each case. */
static enum bc_status build(struct bc_measure *m, const struct bc_sms_member *const *some, size_t n, uint32_t sms,
			    bool joined, struct counting *k, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	*k = (struct counting){ .made = calloc(2 * n, sizeof(*k->made)),
				.launch = calloc(2 * n, sizeof(*k->launch)),
				.counts = calloc(2 * n, sizeof(*k->counts)) };
	if (!k->made || !k->launch || !k->counts)
		st = bc_fail(err, BC_ENOMEM, "counting on every SM: out of memory");
	for (size_t i = 0; !st && i < 2 * n; i++) {
		const bool all = joined ? i >= n : i % 2;
		const struct bc_pattern *p = &some[joined ? i % n : i / 2]->pattern;
		struct bc_case_launch *r = &k->made[k->n++];

		st = bc_case_launch_count(p, m->arch, some[joined ? i % n : i / 2]->c.id, bc_case_launch_reps(p), r,
					  err);
		if (!st && all)
			st = bc_case_launch_spread(r, m->arch, sms, err);
		r->launch.joined = joined && i % n != 0;
		k->launch[i] = r->launch;
	}
	return st;
}

/* Count what was built; "" in @absent: it was counted. */
static enum bc_status count(struct bc_measure *m, struct counting *k, enum bc_op op, char *absent, size_t size,
			    struct bc_error *err)
{
	/* all that one pass reads: from loads to stores the profiler need not be set up anew, which takes 0.25 s */
	const uint32_t want = bc_counter_set_needs(set_of(op)), asks = bc_counter_set_asks(set_of(op));
	struct bc_error one = { .msg = "" };
	const enum bc_status st = m->ops->count(m->dev, k->launch, k->n, asks, k->counts, &one);

	if (st == BC_ENOMEM)
		return bc_fail(err, BC_ENOMEM, "%s", one.msg);
	if (st && !m->ops->alive(m->dev))
		return bc_fail(err, BC_EDEVICE, "%s", one.msg);
	if (st)
		(void)bc_strlcpy(absent, one.msg, size);
	else if ((k->counts[0].present & want) != want)
		(void)bc_strlcpy(absent, "the chip lacks a counter of the operation", size);
	return BC_OK;
}

/* Is what all count @sms times what one counts? The first quantity that is not, in words. */
static bool is_multiple(const struct bc_count *one, const struct bc_count *all, uint32_t sms, char *text, size_t size)
{
	const struct {
		const char *name;
		uint64_t one, all;
	} q[] = { { "requests", one->requests, all->requests },
		  { "wavefronts", one->wavefronts, all->wavefronts },
		  { "conflicts", one->conflicts, all->conflicts } };

	for (size_t i = 0; i < BC_ARRAY_LEN(q); i++) {
		if (q[i].all == q[i].one * sms)
			continue;
		(void)snprintf(text, size, "%u SMs counted %llu %s, it should be %u times the %llu of one", sms,
			       (unsigned long long)q[i].all, q[i].name, sms, (unsigned long long)q[i].one);
		return false;
	}
	return true;
}

/* Which case is it? Each is counted alone, on one SM and on all. */
static enum bc_status find_case(struct bc_measure *m, const struct bc_sms_member *const *some, size_t n, uint32_t sms,
				struct bc_observation *o, struct bc_error *err)
{
	const enum bc_op op = some[0]->pattern.op;
	bool found = false;
	enum bc_status st = BC_OK;

	for (size_t first = 0; !st && !found && first < n; first += RANGES_ALONE) {
		const size_t some_n = n - first < RANGES_ALONE ? n - first : RANGES_ALONE;
		struct counting k = { .n = 0 };
		char absent[BC_REASON_MAX] = "", text[200];

		st = build(m, some + first, some_n, sms, false, &k, err);
		if (!st)
			st = count(m, &k, op, absent, sizeof(absent), err);
		for (size_t i = 0; !st && !absent[0] && !found && i < some_n; i++) {
			const struct bc_count one = bc_counter_set_count(set_of(op), &k.counts[2 * i]);
			const struct bc_count all = bc_counter_set_count(set_of(op), &k.counts[2 * i + 1]);

			found = !is_multiple(&one, &all, sms, text, sizeof(text));
			if (found)
				(void)snprintf(o->sms_detail, sizeof(o->sms_detail), "counters, %s: %s",
					       some[first + i]->c.id, text);
		}
		release(&k);
	}
	return st;
}

/* The cases of one operation. */
static enum bc_status count_some(struct bc_measure *m, const struct bc_sms_member *const *some, size_t n, uint32_t sms,
				 struct bc_observation *o, struct bc_error *err)
{
	const enum bc_op op = some[0]->pattern.op;
	struct counting k = { .n = 0 };
	struct bc_count one, all;
	char text[200];
	enum bc_status st = build(m, some, n, sms, true, &k, err);

	if (!st)
		st = count(m, &k, op, o->counters_absent, sizeof(o->counters_absent), err);
	if (!st && !o->counters_absent[0]) {
		one = bc_counter_set_count(set_of(op), &k.counts[0]);
		all = bc_counter_set_count(set_of(op), &k.counts[n]);
		for (size_t i = 0; i < n; i++)
			o->requests_stated += k.made[n + i].requests * sms;
		o->requests_counted = bc_op_info(op)->counter_requests != NULL;
		o->count[0].requests += all.requests;
		o->count[0].wavefronts += all.wavefronts;
		o->count[0].conflicts += all.conflicts;
		if (!is_multiple(&one, &all, sms, text, sizeof(text)) && !o->sms_detail[0]) {
			(void)snprintf(o->sms_detail, sizeof(o->sms_detail), "counters, all cases of the rule: %s",
				       text);
			st = find_case(m, some, n, sms, o, err);
		}
	}
	release(&k);
	return st;
}

/* Loops in hardware (law 12) count what lanes happen to meet; cp.async.cg moves no counter. */
static bool counts_by_addresses(enum bc_op op)
{
	const enum bc_law law = bc_op_info(op)->law;

	return set_of(op) && law != BC_LAW_UNKNOWN && law != BC_LAW_UNCOUNTED && law != BC_LAW_NONE;
}

enum bc_status bc_sms_count(struct bc_measure *m, const struct bc_sms_member *list, size_t n, uint32_t sms,
			    struct bc_observation *o, struct bc_error *err)
{
	const char *why = !m->counters ? "not asked for (--witness clock)" : m->ops->facts(m->dev)->counters_absent;
	const struct bc_sms_member **some = calloc(n, sizeof(*some));
	bool counted = false;
	enum bc_status st = some ? BC_OK : bc_fail(err, BC_ENOMEM, "counting on every SM: out of memory");

	(void)bc_strlcpy(o->counters_absent, why, sizeof(o->counters_absent));
	for (enum bc_op op = BC_OP_NONE; !st && !o->counters_absent[0] && op < BC_NOPS; op++) {
		size_t k = 0;

		for (size_t i = 0; i < n; i++)
			if (list[i].pattern.op == op)
				some[k++] = &list[i];
		if (!k || !counts_by_addresses(op))
			continue;
		st = count_some(m, some, k, sms, o, err);
		counted = true;
	}
	if (!st && !counted && !o->counters_absent[0])
		(void)bc_strlcpy(o->counters_absent, "the operation's counts do not go by addresses alone",
				 sizeof(o->counters_absent));
	if (!st && !o->counters_absent[0])
		o->attempts = 1;
	free(some);
	return st;
}
