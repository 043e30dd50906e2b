/* SPDX-License-Identifier: MIT */
#include "harness/compare/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOTH (2 * BC_SAMPLES_MAX)
#define PAIRS (BC_SAMPLES_MAX * BC_SAMPLES_MAX)
#define EXACT_BELOW 10 /* samples of a list: fewer are always tested exactly */
#define SCREEN 0.05    /* a p over this by the normal approximation is not made exact */

/* Both lists, sorted together. Ranks are doubled, so that the middle of tied ranks is whole. */
struct ranked {
	unsigned n, nnow;
	unsigned rank[BOTH]; /* ascending */
	unsigned sum;	     /* of the ranks of the list `now` */
	double ties;	     /* sum of t^3 - t over groups of t equal samples */
};

struct tagged {
	uint32_t v;
	bool now;
};

static int by_value(const void *a, const void *b)
{
	const uint32_t x = ((const struct tagged *)a)->v, y = ((const struct tagged *)b)->v;

	return (x > y) - (x < y);
}

static void rank_all(const struct bc_samples *old, const struct bc_samples *now, struct ranked *r)
{
	struct tagged all[BOTH];

	memset(r, 0, sizeof(*r));
	r->n = old->n + now->n;
	r->nnow = now->n;
	for (unsigned i = 0; i < old->n; i++)
		all[i] = (struct tagged){ old->v[i], false };
	for (unsigned i = 0; i < now->n; i++)
		all[old->n + i] = (struct tagged){ now->v[i], true };
	qsort(all, r->n, sizeof(all[0]), by_value);
	for (unsigned first = 0, end; first < r->n; first = end) {
		const unsigned before = first;

		for (end = first; end < r->n && all[end].v == all[first].v;)
			end++;
		for (unsigned i = before; i < end; i++) {
			r->rank[i] = before + 1 + end; /* twice the mean of before + 1 .. end */
			r->sum += all[i].now ? r->rank[i] : 0;
		}
		r->ties += pow(end - before, 3) - (end - before);
	}
}

/* Twice the tail of the normal distribution with the variance that the ties leave. */
static double normal_p(const struct ranked *r)
{
	const double n = r->n, a = n - r->nnow, b = r->nnow;
	const double variance = a * b / 12 * (n + 1 - r->ties / (n * (n - 1)));
	const double distance = fabs((double)r->sum / 2 - b * (n + 1) / 2) - 0.5; /* corrected for continuity */

	if (variance <= 0 || distance <= 0)
		return 1;
	return erfc(distance / sqrt(2 * variance));
}

static double choose(unsigned n, unsigned k)
{
	double c = 1;

	for (unsigned i = 1; i <= k; i++)
		c = c * (n - k + i) / i;
	return c;
}

/*
 * Twice the chance that nnow of the ranks, drawn at random, add up to no more than the sum seen (or to no less, when
 * that is rarer). ways[k][s]: ways to draw k of the ranks so far that exceed the sum of the k smallest by s. As ranks
 * are taken in ascending order, an excess only grows, so those over that of the sum seen need not be kept.
 */
static enum bc_status exact_p(const struct ranked *r, double *p, struct bc_error *err)
{
	unsigned rank[BOTH], base[BOTH + 1] = { 0 }, sum = r->sum;
	const unsigned k_max = r->nnow, mean = k_max * (r->n + 1);
	double *ways, total = 0;
	size_t row;

	memcpy(rank, r->rank, sizeof(rank));
	if (sum > mean) { /* mirrored: the upper tail becomes the lower */
		for (unsigned i = 0; i < r->n; i++)
			rank[i] = 2 * (r->n + 1) - r->rank[r->n - 1 - i];
		sum = 2 * mean - sum;
	}
	for (unsigned k = 1; k <= r->n; k++)
		base[k] = base[k - 1] + rank[k - 1];
	row = sum - base[k_max] + 1;
	ways = calloc((k_max + 1) * row, sizeof(*ways));
	if (!ways)
		return bc_fail(err, BC_ENOMEM, "rank test: out of memory");
	ways[0] = 1;
	for (unsigned i = 0; i < r->n; i++) {
		for (unsigned k = i + 1 < k_max ? i + 1 : k_max; k >= 1; k--) {
			const size_t excess = rank[i] - rank[k - 1]; /* base[k] is base[k - 1] + rank[k - 1] */

			for (size_t s = excess; s < row; s++)
				ways[k * row + s] += ways[(k - 1) * row + s - excess];
		}
	}
	for (size_t s = 0; s < row; s++)
		total += ways[k_max * row + s];
	free(ways);
	*p = fmin(1, 2 * total / choose(r->n, k_max));
	return BC_OK;
}

enum bc_status bc_rank_test(const struct bc_samples *old, const struct bc_samples *now, double *p, struct bc_error *err)
{
	struct ranked r;
	double rough;

	*p = 1;
	if (!old->n || !now->n)
		return BC_OK;
	rank_all(old, now, &r);
	rough = normal_p(&r);
	if (rough > SCREEN && old->n >= EXACT_BELOW && now->n >= EXACT_BELOW) {
		*p = rough;
		return BC_OK;
	}
	return exact_p(&r, p, err);
}

double bc_rank_smallest_p(unsigned nold, unsigned nnow)
{
	return !nold || !nnow ? 1 : fmin(1, 2 / choose(nold + nnow, nnow));
}

/*
 * Number of ways that Mann-Whitney's U is u, for lists without ties: the coefficients of the Gaussian binomial, made by
 * multiplying with 1 - q^(n + i) and dividing by 1 - q^i. Below 2^64 for lists up to 32, so modulo 2^64 is exact.
 */
static void u_ways(unsigned n, unsigned m, uint64_t ways[PAIRS + 1])
{
	memset(ways, 0, (PAIRS + 1) * sizeof(ways[0]));
	ways[0] = 1;
	for (unsigned i = 1; i <= m; i++) {
		for (unsigned u = PAIRS; u >= n + i; u--)
			ways[u] -= ways[u - n - i];
		for (unsigned u = i; u <= PAIRS; u++)
			ways[u] += ways[u - i];
	}
}

static int by_double(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void bc_rank_shift(const struct bc_samples *old, const struct bc_samples *now, double alpha, struct bc_shift *out)
{
	double ratio[PAIRS], tail = 0;
	uint64_t ways[PAIRS + 1];
	const double all = choose(old->n + now->n, now->n);
	size_t n = 0, out_of = 0;

	*out = (struct bc_shift){ 1, 0, INFINITY };
	if (!old->n || !now->n)
		return;
	for (unsigned i = 0; i < old->n; i++)
		for (unsigned k = 0; k < now->n; k++)
			ratio[n++] = (double)now->v[k] / (double)old->v[i];
	qsort(ratio, n, sizeof(ratio[0]), by_double);
	/* the geometric mean of the middle two, so that swapped lists give the reciprocal */
	out->ratio = sqrt(ratio[(n - 1) / 2] * ratio[n / 2]);
	u_ways(old->n, now->n, ways);
	while (out_of < n && tail + (double)ways[out_of] / all <= alpha / 2)
		tail += (double)ways[out_of++] / all;
	out->lo = out_of && 2 * out_of <= n ? ratio[out_of - 1] : 0;
	out->hi = out_of && 2 * out_of <= n ? ratio[n - out_of] : INFINITY;
}

struct placed {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	return by_double(&((const struct placed *)a)->p, &((const struct placed *)b)->p);
}

enum bc_status bc_holm(const double *p, size_t n, double alpha, bool *significant, struct bc_error *err)
{
	struct placed *order = calloc(n ? n : 1, sizeof(*order));
	bool still = true;

	if (!order)
		return bc_fail(err, BC_ENOMEM, "comparison: out of memory");
	for (size_t i = 0; i < n; i++)
		order[i] = (struct placed){ p[i], i };
	qsort(order, n, sizeof(*order), by_p);
	for (size_t i = 0; i < n; i++) {
		still = still && order[i].p <= alpha / (double)(n - i);
		significant[order[i].at] = still;
	}
	free(order);
	return BC_OK;
}

void bc_samples_range(const struct bc_samples *s, uint32_t *min, uint32_t *max)
{
	*min = s->n ? UINT32_MAX : 0;
	*max = 0;
	for (unsigned i = 0; i < s->n; i++) {
		*min = s->v[i] < *min ? s->v[i] : *min;
		*max = s->v[i] > *max ? s->v[i] : *max;
	}
}
