/* SPDX-License-Identifier: MIT */
#include "harness/measure/baseline.h"

bool bc_count_same(const struct bc_count *a, const struct bc_count *b)
{
	return a->requests == b->requests && a->wavefronts == b->wavefronts && a->conflicts == b->conflicts &&
	       a->sectors == b->sectors;
}

bool bc_baseline_most(const struct bc_count *reading, size_t n, struct bc_count *out)
{
	for (size_t i = 0; i < n; i++) {
		size_t alike = 0;

		for (size_t k = 0; k < n; k++)
			alike += bc_count_same(&reading[i], &reading[k]);
		if (2 * alike <= n)
			continue;
		*out = reading[i];
		return true;
	}
	return false;
}

bool bc_baseline_subtract(struct bc_count *count, const struct bc_count *baseline)
{
	if (count->requests < baseline->requests || count->wavefronts < baseline->wavefronts ||
	    count->conflicts < baseline->conflicts)
		return false;
	count->requests -= baseline->requests;
	count->wavefronts -= baseline->wavefronts;
	count->conflicts -= baseline->conflicts;
	return true;
}

void bc_baseline_correct(struct bc_observation *o, const struct bc_count *was, const struct bc_count *is)
{
	for (unsigned a = 0; a < o->attempts; a++) {
		struct bc_count raw = o->count[a];

		raw.requests += was->requests;
		raw.wavefronts += was->wavefronts;
		raw.conflicts += was->conflicts;
		if (bc_baseline_subtract(&raw, is))
			o->count[a] = raw;
	}
}
