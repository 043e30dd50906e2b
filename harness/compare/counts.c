/* SPDX-License-Identifier: MIT */
#include "harness/compare/counts.h"

#include <math.h>
#include "harness/report/values.h"

#define MOVED 1e-6	/* less is the rounding of the report */
#define CLOCK_MOVED 0.5 /* wavefronts by the clock are whole numbers, measured */

static const enum bc_quantity quantity_of[BC_NCOUNTS] = {
	[BC_COUNT_WAVEFRONTS] = BC_Q_WAVEFRONTS,
	[BC_COUNT_CONFLICTS] = BC_Q_CONFLICTS,
	[BC_COUNT_SECTORS] = BC_Q_SECTORS,
	[BC_COUNT_CLOCK] = BC_Q_WAVEFRONTS,
};

/* How far @v lies out of the bounds. */
static double distance(const struct bc_value_bounds *b, double v)
{
	if (!b->has)
		return 0;
	return v < b->lo ? b->lo - v : v > b->hi ? v - b->hi : 0;
}

/*
 * The count per request of the attempt that is farthest from the bounds; void counts are not to be trusted, the verdict
 * says so. (The values can be read: the reader of the report looked at them.)
 */
static void read_count(const struct bc_read_case *c, enum bc_quantity q, const struct bc_value_bounds *b, bool *has,
		       double *out)
{
	const char *s = bc_key_get(&c->keys, "counters");
	struct bc_value_counts counts;
	uint64_t stated = 0;
	bool more = s && !bc_key_get(&c->keys, "counters_void");

	*has = false;
	(void)bc_values_stated(&c->keys, &stated);
	while (more && bc_values_attempt(&s, &counts, &more) && more) {
		const uint64_t requests = counts.total[BC_Q_REQUESTS] ? counts.total[BC_Q_REQUESTS] : stated;
		const double v = (double)counts.total[q] / (double)(requests ? requests : 1);

		if (!counts.has[q])
			continue;
		if (!*has || distance(b, v) > distance(b, *out))
			*out = v;
		*has = true;
	}
}

/* What bounds a count, by both runs' reports; the first that is there. */
static void find_bounds(enum bc_count_of k, const struct bc_read_case *old, const struct bc_read_case *now,
			struct bc_value_bounds *b)
{
	static const enum bc_quantity clocks[] = { BC_Q_CLOCK_RATIO, BC_Q_CLOCK_SLOPE, BC_Q_WAVEFRONTS };
	const enum bc_quantity *q = k == BC_COUNT_CLOCK ? clocks : &quantity_of[k];

	b->has = false;
	for (size_t i = 0; i < (k == BC_COUNT_CLOCK ? BC_ARRAY_LEN(clocks) : 1) && !b->has; i++) {
		if (now)
			(void)bc_values_bounds(&now->keys, q[i], b);
		if (!b->has && old)
			(void)bc_values_bounds(&old->keys, q[i], b);
	}
}

struct bc_count_change bc_compare_count(enum bc_count_of k, const struct bc_read_case *old,
					const struct bc_read_case *now)
{
	struct bc_count_change change = { 0 }, *out = &change;
	struct bc_value_bounds b;
	double was, is, by;

	find_bounds(k, old, now, &b);
	if (k == BC_COUNT_CLOCK) {
		(void)bc_values_clock(&old->keys, &out->has_old, &out->old);
		(void)bc_values_clock(&now->keys, &out->has_now, &out->now);
	} else {
		read_count(old, quantity_of[k], &b, &out->has_old, &out->old);
		read_count(now, quantity_of[k], &b, &out->has_now, &out->now);
	}
	out->bounded = b.has;
	out->lo = b.has ? b.lo : 0;
	out->hi = b.has ? b.hi : 0;
	if (!out->has_old || !out->has_now)
		return change;
	by = fabs(out->now - out->old);
	if (by <= (k == BC_COUNT_CLOCK && b.has && b.lo == b.hi ? CLOCK_MOVED : MOVED))
		return change;
	was = distance(&b, out->old);
	is = distance(&b, out->now);
	out->within = b.has && b.lo < b.hi && was == 0 && is == 0;
	out->changed = !out->within;
	out->farther = is > was + MOVED ? 1 : is < was - MOVED ? -1 : 0;
	return change;
}
