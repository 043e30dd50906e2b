/* SPDX-License-Identifier: MIT */
/* harness/base/stats.h - the middle of a list of numbers. Pure. */
#ifndef BC_BASE_STATS_H
#define BC_BASE_STATS_H

#include "harness/base/base.h"

#define BC_MEDIAN_MAX 64

/**
 * bc_median - the middle of @n numbers, the mean of the two middle ones when @n is even
 * @v: in any order, not changed
 *
 * Return: 0 when @n is 0 or over BC_MEDIAN_MAX.
 */
double bc_median(const uint32_t *v, size_t n);

#endif
