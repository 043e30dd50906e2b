/* SPDX-License-Identifier: MIT */
#include "harness/run/order.h"

size_t bc_shard(bool *chosen, size_t n, unsigned shard, unsigned of)
{
	size_t k = 0, left = 0;

	for (size_t i = 0; i < n; i++) {
		if (!chosen[i])
			continue;
		chosen[i] = k++ % of == shard - 1;
		left += chosen[i];
	}
	return left;
}

/* A 64-bit linear congruential generator (Knuth's MMIX); its upper half. */
static uint32_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 32);
}

size_t bc_order(const struct bc_device_run *d, const bool *seen, bool shuffle, uint32_t seed, size_t *todo)
{
	uint64_t state = seed;
	size_t n = 0;

	for (int cls = BC_CLASS_NONE; cls < BC_NCLASSES; cls++)
		for (size_t i = 0; i < d->nresults; i++)
			if (!seen[i] && (int)bc_case_class(d->results[i].c, &d->arch) == cls)
				todo[n++] = i;
	for (size_t i = n; shuffle && i > 1; i--) { /* Fisher-Yates */
		const size_t k = next_random(&state) % i, last = todo[i - 1];

		todo[i - 1] = todo[k];
		todo[k] = last;
	}
	return n;
}
