/* SPDX-License-Identifier: MIT */
#include "harness/fleet/odd.h"

#include <math.h>

bool bc_is_majority(size_t n, size_t of, size_t least)
{
	return of >= least && 3 * n > 2 * of;
}

/* Put the k-th smallest in its place, smaller ones before it (Hoare's selection). */
static double select_kth(double *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		const double pivot = v[lo + (hi - lo) / 2];
		size_t i = lo, j = hi;

		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			const double t = v[i];

			v[i++] = v[j];
			v[j--] = t;
		}
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return v[k];
}

double bc_median_of(double *v, size_t n)
{
	double upper, lower = -INFINITY;

	if (!n)
		return (double)NAN;
	upper = select_kth(v, n, n / 2);
	if (n % 2)
		return upper;
	for (size_t i = 0; i < n / 2; i++)
		lower = fmax(lower, v[i]);
	return (lower + upper) / 2;
}

double bc_odd_limit(const double *v, size_t n, double middle, double floor, double *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = fabs(v[i] - middle);
	return fmax(floor * fabs(middle), BC_ODD_MADS * BC_ODD_MAD_SCALE * bc_median_of(room, n));
}
