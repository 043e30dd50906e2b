/* SPDX-License-Identifier: MIT */
#include "harness/run/order.h"

#include <string.h>

#include "harness/measure/counter_set.h"

#define WINDOW 1024 /* shuffled cases among which those with the counters of one pass stand together */

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

/* Of @n cases in any order those with the counters of one pass come after one another, in the order they had; which
 * counters come first is drawn. */
static void group_by_turn(const struct bc_device_run *d, size_t *todo, size_t n, uint64_t *state)
{
	unsigned turn[BC_COUNTER_TURNS] = { 0 };
	size_t sorted[WINDOW] = { 0 }, k = 0;

	for (unsigned i = 0; i < BC_COUNTER_TURNS; i++) {
		const unsigned at = next_random(state) % (i + 1);

		turn[i] = turn[at];
		turn[at] = i;
	}
	for (unsigned t = 0; t < BC_COUNTER_TURNS; t++)
		for (size_t i = 0; i < n; i++)
			if (bc_counter_turn(bc_case_class(d->results[todo[i]].c, &d->arch)) == turn[t])
				sorted[k++] = todo[i];
	memcpy(todo, sorted, n * sizeof(*todo));
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
	for (size_t i = 0; shuffle && i < n; i += WINDOW)
		group_by_turn(d, todo + i, n - i < WINDOW ? n - i : WINDOW, &state);
	return n;
}
