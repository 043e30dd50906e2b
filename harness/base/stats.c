/* SPDX-License-Identifier: MIT */
#include "harness/base/stats.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

double bc_median(const uint32_t *v, size_t n)
{
	uint32_t sorted[BC_MEDIAN_MAX];

	if (!n || n > BC_MEDIAN_MAX)
		return 0;
	memcpy(sorted, v, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);

	const size_t lower = (n - 1) / 2, upper = n / 2;

	return ((double)sorted[lower] + (double)sorted[upper]) / 2;
}
