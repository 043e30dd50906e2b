/* SPDX-License-Identifier: MIT */
#include "harness/core/judge.h"
#include "harness/measure/witness.h"

#include <math.h>
#include <stdlib.h>

/* Are the counts of the last attempt what expected/ says, and were as many requests executed as the kernel states?
 * Where no expectations are, a further count would change nothing. */
static bool as_expected(const struct bc_measure *m, const struct bc_observation *o)
{
	const struct bc_count *c = &o->count[o->attempts - 1];
	struct bc_bounds b;

	if (!m->expect)
		return true;
	if (o->requests_counted && o->requests_stated && c->requests != o->requests_stated)
		return false; /* the kernel, says the judge; unless it is the baseline */
	bc_expect_find(m->expect, o->id, &b);
	return (!o->requests_stated && !b.row[BC_Q_REQUESTS]) || bc_counts_expected(o, &b);
}

/* The whole number that a row expects, and no other. False: no row, or an interval. */
static bool exactly(const struct bc_row *row, uint64_t *out)
{
	if (!row || row->lo < 0 || row->lo > row->hi || row->lo < row->hi || row->lo >= BC_PACK_BASE ||
	    row->lo > floor(row->lo))
		return false;
	*out = (uint64_t)row->lo;
	return true;
}

/* May the case share a range with others? Where all that is counted of it is expected to the integer. */
static bool packable(const struct bc_measure *m, const struct bc_witness_item *it, struct bc_count *expected)
{
	struct bc_bounds b;

	if (it->program || it->pattern.count != 1 || !m->expect)
		return false;
	bc_expect_find(m->expect, it->c->id, &b);
	return exactly(b.row[BC_Q_CONFLICTS], &expected->conflicts) &&
	       (it->cls == BC_CLASS_LDGSTS || exactly(b.row[BC_Q_WAVEFRONTS], &expected->wavefronts));
}

/* Count the cases of one class: all, the first time; then those whose counts are not as expected. */
static enum bc_status count_class(struct bc_measure *m, enum bc_class cls, bool first, const struct bc_witness_item *it,
				  struct bc_observation *obs, size_t n, struct bc_error *err)
{
	struct bc_count_item *item = calloc(n, sizeof(*item));
	size_t k = 0;
	enum bc_status st = BC_OK;

	if (!item)
		return bc_fail(err, BC_ENOMEM, "measure: out of memory");
	for (size_t i = 0; i < n; i++) {
		struct bc_count_item *one = &item[k];

		if (obs[i].outcome != BC_RAN || it[i].cls != cls || it[i].refused || obs[i].counters_void ||
		    obs[i].counters_absent[0] || obs[i].attempts == BC_ATTEMPTS_MAX)
			continue;
		if (!first && as_expected(m, &obs[i]) && obs[i].attempts == 1)
			continue;
		*one = (struct bc_count_item){ .pattern = it[i].program ? NULL : &it[i].pattern,
					       .c = it[i].c,
					       .counted_as = it[i].counted_as,
					       .obs = &obs[i] };
		one->packable = first && packable(m, &it[i], &one->expected);
		k++;
	}
	if (k)
		st = bc_counter_session_count(m->counting, cls, m->pack, item, k, err);
	free(item);
	return st;
}

enum bc_status bc_witness_counters(struct bc_measure *m, const struct bc_witness_item *it, struct bc_observation *obs,
				   size_t n, struct bc_error *err)
{
	const struct bc_facts *f = m->ops->facts(m->dev);
	const char *why = !m->counters ? "not asked for (--witness clock)" : f->counters_absent;
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < n; i++)
		(void)bc_strlcpy(obs[i].counters_absent, it[i].cls == BC_CLASS_NONE ? "the case counts nothing" : why,
				 sizeof(obs[i].counters_absent));
	for (int c = BC_CLASS_LD; !why[0] && !st && c < BC_NCLASSES; c++)
		for (unsigned t = 0; !st && t < BC_ATTEMPTS_MAX; t++)
			st = count_class(m, (enum bc_class)c, t == 0, it, obs, n, err);
	return st;
}
