/* SPDX-License-Identifier: MIT */
#include "harness/map/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 20000
#define LONES 16
#define RANDOM_PAIRS 640 /* with 64 banks ten of them conflict */
#define STEADY 0.25	 /* of a unit: nearer than this to a number of wavefronts is that number */

const char *bc_map_by_name(enum bc_map_by by)
{
	return by == BC_MAP_CLOCK ? "clock" : "counters";
}

uint64_t bc_probe_random(struct bc_probe *p)
{
	uint64_t z = p->random += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint32_t bc_probe_below(struct bc_probe *p, uint32_t n)
{
	return (uint32_t)(bc_probe_random(p) % n);
}

uint32_t bc_probe_address(struct bc_probe *p, uint32_t bytes)
{
	return p->base + bc_probe_below(p, (p->end - p->base) / bytes) * bytes;
}

bool bc_probe_pair_of(struct bc_probe *p, uint32_t difference, struct bc_pair *out)
{
	const uint32_t top = UINT32_C(1) << (31 - __builtin_clz(difference));

	for (unsigned i = 0; i < TRIES; i++) {
		/* From the addresses that have the highest bit, which may be few; half of the time the other way. */
		const uint32_t low = top > p->base ? top : p->base;
		const uint32_t a =
			i % 2 && low < p->end ? (low + bc_probe_below(p, p->end - low)) & ~3u : bc_probe_address(p, 4);
		const uint32_t b = a ^ difference;

		if (a < p->base || b < p->base || b >= p->end)
			continue;
		*out = (struct bc_pair){ .a = a, .b = b };
		return true;
	}
	return false;
}

static void as_pattern(const struct bc_probe *p, const struct bc_sample *s, struct bc_pattern *out)
{
	*out = (struct bc_pattern){ .op = s->op, .mask = s->mask, .count = 1 };
	for (uint32_t lanes = s->mask; lanes; lanes &= lanes - 1) {
		const unsigned l = (unsigned)__builtin_ctz(lanes);

		out->offset[l] = s->addr[l] - p->base;
	}
}

static void take_count(const struct bc_pattern_count *n, struct bc_sample *s)
{
	s->has = n->has;
	s->wavefronts_counted = n->wavefronts_counted;
	s->whole = n->has && n->wavefronts % n->requests == 0 && n->conflicts % n->requests == 0;
	s->wavefronts = n->has ? (unsigned)(n->wavefronts / n->requests) : 0;
	s->conflicts = n->has ? (unsigned)(n->conflicts / n->requests) : 0;
}

enum bc_status bc_probe_measure(struct bc_probe *p, struct bc_sample *s, size_t n, struct bc_error *err)
{
	struct bc_pattern *pattern = calloc(n ? n : 1, sizeof(*pattern));
	struct bc_pattern_count *count = calloc(n ? n : 1, sizeof(*count));
	struct bc_pattern_time *time = calloc(n ? n : 1, sizeof(*time));
	char absent[BC_MAP_TEXT] = "";
	enum bc_status st = pattern && count && time ? BC_OK : bc_fail(err, BC_ENOMEM, "map: out of memory");

	for (size_t i = 0; !st && i < n; i++)
		as_pattern(p, &s[i], &pattern[i]);
	if (!st && p->by == BC_MAP_COUNTERS)
		st = p->source->count(p->source->ctx, pattern, n, count, absent, sizeof(absent), err);
	else if (!st)
		st = p->source->time(p->source->ctx, pattern, n, time, absent, sizeof(absent), err);
	for (size_t i = 0; !st && i < n; i++) {
		if (p->by == BC_MAP_COUNTERS) {
			take_count(&count[i], &s[i]);
			continue;
		}
		s[i].has = s[i].whole = time[i].has;
		s[i].cycles = time[i].cycles;
		s[i].spread = time[i].spread;
	}
	if (absent[0])
		(void)bc_strlcpy(p->absent, absent, sizeof(p->absent));
	free(time);
	free(count);
	free(pattern);
	return st;
}

static struct bc_sample pair_sample(const struct bc_pair *pair)
{
	return (struct bc_sample){ .op = BC_OP_LD32, .mask = 3, .addr = { pair->a, pair->b } };
}

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double middle(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

/* The cost of a load by one lane, and how much it strays. */
static bool read_lone(struct bc_probe *p, const struct bc_sample *s)
{
	double v[LONES], stray = 0, spread = 0;

	for (size_t i = 0; i < LONES; i++) {
		if (!s[i].has)
			return false;
		v[i] = s[i].cycles;
	}
	p->lone = middle(v, LONES);
	for (size_t i = 0; i < LONES; i++)
		spread = s[i].spread > spread ? s[i].spread : spread;
	for (size_t i = 0; i < LONES; i++)
		stray = fabs(s[i].cycles - p->lone) > stray ? fabs(s[i].cycles - p->lone) : stray;
	/* Samples may stray though their medians agree: half of that is where another median may lie. */
	p->noise = 8 + (stray > spread / 4 ? 2 * stray : spread / 2);
	return true;
}

enum bc_status bc_probe_prepare(struct bc_probe *p, bool *ok, struct bc_error *err)
{
	struct bc_sample *s = calloc(LONES + RANDOM_PAIRS, sizeof(*s));
	double more[RANDOM_PAIRS];
	size_t n = 0;
	enum bc_status st = BC_OK;

	*ok = true;
	if (!s)
		return bc_fail(err, BC_ENOMEM, "map: out of memory");
	if (p->by == BC_MAP_COUNTERS)
		goto out;
	for (size_t i = 0; i < LONES + RANDOM_PAIRS; i++) {
		const struct bc_pair pair = { .a = bc_probe_address(p, 4), .b = bc_probe_address(p, 4) };

		s[i] = pair_sample(&pair);
		if (i < LONES)
			s[i].mask = 1;
	}
	st = bc_probe_measure(p, s, LONES + RANDOM_PAIRS, err);
	*ok = !st && read_lone(p, s);
	for (size_t i = LONES; *ok && i < LONES + RANDOM_PAIRS; i++)
		if (s[i].cycles > p->lone + p->noise)
			more[n++] = s[i].cycles - p->lone;
	if (st || !*ok)
		goto out;
	*ok = n > 0;
	if (!n) {
		(void)snprintf(p->absent, sizeof(p->absent),
			       "the clock tells no conflict: %d random pairs of addresses all take as long as one",
			       RANDOM_PAIRS);
		goto out;
	}
	p->unit = middle(more, n);
	*ok = p->unit > 3 * p->noise;
	if (!*ok)
		(void)snprintf(
			p->absent, sizeof(p->absent),
			"the clock is not steady: a conflict takes %.0f cycles more, and loads stray by %.0f (GPU "
			"busy or throttled?)",
			p->unit, p->noise);
out:
	free(s);
	return st;
}

/* Does the sample of a pair show two wavefronts? False: neither one nor two. */
static bool read_pair(struct bc_probe *p, const struct bc_sample *s, bool *conflict)
{
	const double more = p->unit > 0 ? (s->cycles - p->lone) / p->unit : 0;

	if (!s->has)
		return false;
	if (p->by == BC_MAP_COUNTERS) {
		*conflict = s->wavefronts == 2;
		if (s->whole && (s->wavefronts == 1 || s->wavefronts == 2) && s->conflicts == s->wavefronts - 1)
			return true;
		(void)snprintf(p->absent, sizeof(p->absent),
			       "the counters make no sense: a 4-byte load by two lanes, at 0x%x and 0x%x, takes %u%s "
			       "wavefronts and %u conflicts",
			       s->addr[0], s->addr[1], s->wavefronts, s->whole ? "" : " and a part", s->conflicts);
		return false;
	}
	*conflict = more > 0.5;
	if (fabs(more) <= STEADY || fabs(more - 1) <= STEADY)
		return true;
	(void)snprintf(p->absent, sizeof(p->absent),
		       "the clock is not steady: a 4-byte load by two lanes, at 0x%x and 0x%x, takes %.2f wavefronts "
		       "(GPU busy or throttled?)",
		       s->addr[0], s->addr[1], 1 + more);
	return false;
}

enum bc_status bc_probe_pairs(struct bc_probe *p, struct bc_pair *pair, size_t n, bool *ok, struct bc_error *err)
{
	struct bc_sample *s = calloc(n ? n : 1, sizeof(*s));
	enum bc_status st = s ? BC_OK : bc_fail(err, BC_ENOMEM, "map: out of memory");

	*ok = true;
	for (size_t i = 0; !st && i < n; i++)
		s[i] = pair_sample(&pair[i]);
	for (unsigned attempt = 0; !st && attempt < 2; attempt++) { /* what disturbed the clock may be over */
		*ok = true;
		st = bc_probe_measure(p, s, n, err);
		for (size_t i = 0; !st && *ok && i < n; i++)
			*ok = read_pair(p, &s[i], &pair[i].conflict);
		if (*ok || p->by == BC_MAP_COUNTERS)
			break;
	}
	free(s);
	return st;
}
