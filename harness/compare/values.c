/* SPDX-License-Identifier: MIT */
#include "harness/compare/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"

#define MOVED 1e-6	/* less is the rounding of the report */
#define CLOCK_MOVED 0.5 /* wavefronts by the clock are whole numbers, measured */

struct bounds {
	bool has;
	double lo, hi;
};

static enum bc_status malformed(const struct bc_read_case *c, const char *path, const char *key, struct bc_error *err)
{
	return bc_fail(err, BC_EDATA,
		       "%s:%u: %s: the value of %s= cannot be read: a damaged report; run the case again", path,
		       c->line, c->id, key);
}

/* Digits at *@s, which is moved behind them. Return: false when there are none, or it is over 2^64 - 1. */
static bool take_number(const char **s, uint64_t *out)
{
	uint64_t v = 0;
	const char *p = *s;

	for (; *p >= '0' && *p <= '9'; p++) {
		const uint64_t digit = (uint64_t)(*p - '0');

		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	if (p == *s)
		return false;
	*s = p;
	*out = v;
	return true;
}

enum bc_status bc_values_samples(const struct bc_read_case *c, const char *path, struct bc_samples *out,
				 struct bc_error *err)
{
	const char *s = bc_key_get(&c->keys, "clock_samples");

	out->n = 0;
	while (s) {
		uint64_t v;

		if (!take_number(&s, &v) || v > UINT32_MAX || (*s && *s != ',') || out->n == BC_SAMPLES_MAX)
			return malformed(c, path, "clock_samples", err);
		out->v[out->n++] = (uint32_t)v;
		s = *s ? s + 1 : NULL;
	}
	return BC_OK;
}

/* lo..hi of a quantity. */
static bool read_bounds(const struct bc_read_case *c, const char *key, struct bounds *out)
{
	const char *s = c ? bc_key_get(&c->keys, key) : NULL, *dots = s ? strstr(s, "..") : NULL;
	char lo[BC_NUMBER_MAX];

	out->has = false;
	if (!s)
		return true;
	if (!dots || (size_t)(dots - s) >= sizeof(lo))
		return false;
	memcpy(lo, s, (size_t)(dots - s));
	lo[dots - s] = '\0';
	out->has = true;
	return bc_number_parse(lo, &out->lo) && bc_number_parse(dots + 2, &out->hi);
}

/* How far @v lies out of the bounds. */
static double distance(const struct bounds *b, double v)
{
	if (!b->has)
		return 0;
	return v < b->lo ? b->lo - v : v > b->hi ? v - b->hi : 0;
}

/* `name:number` items of one attempt up to ';' or the end, at *@s. @total: of @name, @requests: of `requests`. */
static bool read_attempt(const char **s, const char *name, bool *has, uint64_t *total, uint64_t *requests)
{
	*has = false;
	*requests = 0;
	while (**s && **s != ';') {
		const char *colon = strchr(*s, ':'), *item = *s;
		size_t len;
		uint64_t v;

		if (!colon)
			return false;
		len = (size_t)(colon - item);
		*s = colon + 1;
		if (!take_number(s, &v) || (**s && **s != ';' && **s != ' '))
			return false;
		*s += **s == ' ';
		if (len == strlen(name) && strncmp(item, name, len) == 0) {
			*has = true;
			*total = v;
		} else if (len == 8 && strncmp(item, "requests", len) == 0) {
			*requests = v;
		}
	}
	*s += **s == ';';
	return true;
}

/* The count per request of the attempt that is farthest from the bounds. */
static bool read_count(const struct bc_read_case *c, const char *name, const struct bounds *b, bool *has, double *out)
{
	const char *s = bc_key_get(&c->keys, "counters"), *stated = bc_key_get(&c->keys, "requests_stated");
	uint64_t per = 0;

	*has = false;
	if (bc_key_get(&c->keys, "counters_void"))
		return true; /* what they read is not to be trusted, the verdict says so */
	if (stated && (!take_number(&stated, &per) || *stated))
		return false;
	while (s && *s) {
		uint64_t total = 0, requests;
		bool there;
		double v;

		if (!read_attempt(&s, name, &there, &total, &requests))
			return false;
		requests = requests ? requests : per;
		if (!there)
			continue;
		v = requests ? (double)total / (double)requests : (double)total;
		if (!*has || distance(b, v) > distance(b, *out))
			*out = v;
		*has = true;
	}
	return true;
}

static bool read_clock(const struct bc_read_case *c, bool *has, double *out)
{
	const char *s = bc_key_get(&c->keys, "clock");

	*has = s != NULL && strcmp(s, "nan") != 0 && strcmp(s, "inf") != 0;
	return !*has || bc_number_parse(s, out);
}

/* What bounds a count, by both runs' reports; the first that is there. */
static enum bc_status find_bounds(enum bc_count_of k, const struct bc_read_case *old, const char *old_path,
				  const struct bc_read_case *now, const char *now_path, struct bounds *b,
				  struct bc_error *err)
{
	static const char *const keys[BC_NCOUNTS][3] = {
		[BC_COUNT_WAVEFRONTS] = { "wavefronts" },
		[BC_COUNT_CONFLICTS] = { "conflicts" },
		[BC_COUNT_SECTORS] = { "sectors" },
		[BC_COUNT_CLOCK] = { "clock_ratio", "clock_slope", "wavefronts" },
	};

	b->has = false;
	for (size_t i = 0; i < 3 && keys[k][i] && !b->has; i++) {
		if (!read_bounds(now, keys[k][i], b))
			return malformed(now, now_path, keys[k][i], err);
		if (!b->has && !read_bounds(old, keys[k][i], b))
			return malformed(old, old_path, keys[k][i], err);
	}
	return BC_OK;
}

enum bc_status bc_values_count(enum bc_count_of k, const struct bc_read_case *old, const char *old_path,
			       const struct bc_read_case *now, const char *now_path, struct bc_count_change *out,
			       struct bc_error *err)
{
	struct bounds b;
	double was, is, by;
	enum bc_status st = find_bounds(k, old, old_path, now, now_path, &b, err);

	*out = (struct bc_count_change){ 0 };
	if (st)
		return st;
	if (k == BC_COUNT_CLOCK ? !read_clock(old, &out->has_old, &out->old)
				: !read_count(old, bc_count_name(k), &b, &out->has_old, &out->old))
		return malformed(old, old_path, k == BC_COUNT_CLOCK ? "clock" : "counters", err);
	if (k == BC_COUNT_CLOCK ? !read_clock(now, &out->has_now, &out->now)
				: !read_count(now, bc_count_name(k), &b, &out->has_now, &out->now))
		return malformed(now, now_path, k == BC_COUNT_CLOCK ? "clock" : "counters", err);
	out->bounded = b.has;
	out->lo = b.has ? b.lo : 0;
	out->hi = b.has ? b.hi : 0;
	if (!out->has_old || !out->has_now)
		return BC_OK;
	by = fabs(out->now - out->old);
	if (by <= (k == BC_COUNT_CLOCK && b.has && b.lo == b.hi ? CLOCK_MOVED : MOVED))
		return BC_OK;
	was = distance(&b, out->old);
	is = distance(&b, out->now);
	out->within = b.has && b.lo < b.hi && was == 0 && is == 0;
	out->changed = !out->within;
	out->farther = is > was + MOVED ? 1 : is < was - MOVED ? -1 : 0;
	return BC_OK;
}
