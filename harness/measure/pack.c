/* SPDX-License-Identifier: MIT */
#include "harness/measure/pack.h"

#include <stdlib.h>

#include "harness/measure/launch.h"

uint32_t bc_pack_weight(unsigned k)
{
	uint32_t w = 1;

	while (k-- > 0)
		w *= BC_PACK_BASE;
	return w;
}

static int most_expensive_first(const void *p, const void *q)
{
	const struct bc_count_item *x = *(const struct bc_count_item *const *)p,
				   *y = *(const struct bc_count_item *const *)q;
	const uint64_t a = x->expected.wavefronts + x->expected.conflicts;
	const uint64_t b = y->expected.wavefronts + y->expected.conflicts;

	if (a != b)
		return a > b ? -1 : 1;
	return x < y ? -1 : x > y; /* as they came: the same every time */
}

enum bc_status bc_pack_ranges(const struct bc_count_item *item, size_t n, unsigned pack, struct bc_range *out,
			      size_t *nranges, struct bc_error *err)
{
	const struct bc_count_item **some;
	size_t k = 0, m = 0, packed;

	*nranges = 0;
	if (!pack || pack > BC_PACK_MAX)
		return bc_fail(err, BC_EUSAGE, "%u cases in a range: 1 to %d are possible", pack, BC_PACK_MAX);
	some = calloc(n ? n : 1, sizeof(*some));
	if (!some)
		return bc_fail(err, BC_ENOMEM, "counting: out of memory");
	for (size_t i = 0; i < n; i++) {
		if (pack > 1 && item[i].packable)
			some[k++] = &item[i];
		else
			out[m++] = (struct bc_range){ .item = { &item[i] }, .n = 1 };
	}
	qsort(some, k, sizeof(*some), most_expensive_first);
	packed = (k + pack - 1) / pack;
	for (size_t i = 0; i < k; i++) {
		struct bc_range *r = &out[m + i % packed];

		if (i < packed)
			*r = (struct bc_range){ .n = 0 };
		r->item[r->n++] = some[i];
	}
	*nranges = m + packed;
	free(some);
	return BC_OK;
}

/* Digit @k of @n of @sum; the last is all that is left, however much. */
static uint64_t digit(uint64_t sum, unsigned k, unsigned n)
{
	const uint64_t q = sum / bc_pack_weight(k);

	return k + 1 < n ? q % BC_PACK_BASE : q;
}

/* What case @k counted for one request. */
static struct bc_count digits(const struct bc_count *sum, unsigned k, unsigned n)
{
	return (struct bc_count){ .requests = digit(sum->requests, k, n),
				  .wavefronts = digit(sum->wavefronts, k, n),
				  .conflicts = digit(sum->conflicts, k, n) };
}

static struct bc_count times(struct bc_count c, uint64_t n)
{
	return (struct bc_count){ .requests = c.requests * n,
				  .wavefronts = c.wavefronts * n,
				  .conflicts = c.conflicts * n };
}

static bool same(struct bc_count_source by, const struct bc_count *a, const struct bc_count *b)
{
	return (!by.requests || a->requests == b->requests) && (!by.wavefronts || a->wavefronts == b->wavefronts) &&
	       (!by.conflicts || a->conflicts == b->conflicts);
}

void bc_pack_read(struct bc_range *r, struct bc_count_source by, const struct bc_count *sum)
{
	for (unsigned k = 0; k < r->n; k++) {
		const struct bc_count one = digits(sum, k, r->n);
		struct bc_count want = r->item[k]->expected;

		want.requests = 1;
		if (!same(by, &one, &want))
			r->unexpected = true;
	}
	r->sum = *sum;
	for (unsigned k = 0; !r->unexpected && k < r->n; k++) {
		struct bc_observation *o = r->item[k]->obs;

		o->requests_stated = bc_pack_weight(k);
		o->counted_with = r->n - 1;
		o->count[o->attempts++] = times(digits(sum, k, r->n), bc_pack_weight(k));
	}
}

/* What case @k counted alone; where it could not be, in @requests, what it is expected to. */
static struct bc_count count_alone(const struct bc_range *r, unsigned k, uint64_t requests)
{
	const struct bc_observation *o = r->item[k]->obs;
	struct bc_count want = r->item[k]->expected;

	want.requests = 1;
	return o->attempts ? o->count[o->attempts - 1] : times(want, requests);
}

/* One more count of a case; the first that it has says that there is one. */
static void add_count(struct bc_observation *o, const struct bc_count *c, uint64_t requests, uint64_t with)
{
	if (!o->attempts) {
		o->requests_stated = requests;
		o->counters_void = false;
		o->counters_absent[0] = '\0';
	}
	o->counted_with = with;
	o->count[o->attempts++] = *c;
}

void bc_pack_check_sum(const struct bc_range *r, struct bc_count_source by)
{
	const uint64_t requests =
		bc_case_launch_reps(r->item[0]->pattern); /* the same of all: patterns of one request */
	const struct bc_count read = times(r->sum, requests);
	struct bc_count all = { .requests = 0 };

	for (unsigned k = 0; k < r->n; k++) {
		const struct bc_observation *o = r->item[k]->obs;
		const struct bc_count c = times(count_alone(r, k, requests), bc_pack_weight(k));

		if (o->outcome != BC_RAN || o->attempts == BC_ATTEMPTS_MAX)
			return; /* broken: that is said already */
		all.requests += c.requests;
		all.wavefronts += c.wavefronts;
		all.conflicts += c.conflicts;
	}
	if (same(by, &all, &read))
		return;
	for (unsigned k = 0; k < r->n; k++) {
		const struct bc_count one = times(digits(&r->sum, k, r->n), requests), c = count_alone(r, k, requests);

		if (!same(by, &one, &c))
			add_count(r->item[k]->obs, &one, requests, r->n - 1);
	}
}
