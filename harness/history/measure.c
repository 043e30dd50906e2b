/* SPDX-License-Identifier: MIT */
#include "harness/history/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"

#define SAMPLES_MAX 4096

static enum bc_status malformed(const struct bc_read_case *c, const char *path, const char *key, struct bc_error *err)
{
	return bc_fail(err, BC_EDATA,
		       "%s:%u: %s: the value of %s= cannot be read: a damaged report; run the case again", path,
		       c->line, c->id, key);
}

/* Digits at *@s, which is moved behind them. Return: false when there are none or over 18. */
static bool take_number(const char **s, uint64_t *out)
{
	const size_t n = strspn(*s, "0123456789");
	uint64_t v = 0;

	if (n == 0 || n > 18)
		return false;
	for (size_t i = 0; i < n; i++)
		v = v * 10 + (uint64_t)((*s)[i] - '0');
	*s += n;
	*out = v;
	return true;
}

/* Totals of one attempt, `name:number` items up to ';' or the end. */
struct totals {
	bool has[2];
	uint64_t requests, total[2];
};

static bool read_attempt(const char **s, struct totals *t)
{
	static const char *const names[2] = { "wavefronts", "conflicts" };

	*t = (struct totals){ 0 };
	while (**s && **s != ';') {
		const char *item = *s, *colon = strchr(item, ':');
		const size_t len = colon ? (size_t)(colon - item) : 0;
		uint64_t v;

		if (!colon)
			return false;
		*s = colon + 1;
		if (!take_number(s, &v) || (**s && **s != ';' && **s != ' '))
			return false;
		*s += **s == ' ';
		if (len == 8 && strncmp(item, "requests", len) == 0)
			t->requests = v;
		for (size_t i = 0; i < 2; i++) {
			if (len == strlen(names[i]) && strncmp(item, names[i], len) == 0) {
				t->has[i] = true;
				t->total[i] = v;
			}
		}
	}
	*s += **s == ';';
	return true;
}

static bool read_counters(const struct bc_read_case *c, double value[2])
{
	const char *s = bc_key_get(&c->keys, "counters"), *stated = bc_key_get(&c->keys, "requests_stated");
	uint64_t per = 0;

	if (bc_key_get(&c->keys, "counters_void"))
		return true; /* what they read is not to be trusted */
	if (stated && (!take_number(&stated, &per) || *stated))
		return false;
	while (s && *s) {
		struct totals t;

		if (!read_attempt(&s, &t))
			return false;
		if (!t.requests)
			t.requests = per ? per : 1;
		for (size_t i = 0; i < 2; i++)
			if (t.has[i])
				value[i] = fmax(value[i], (double)t.total[i] / (double)t.requests);
	}
	return true;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool read_samples(const struct bc_read_case *c, double *median)
{
	const char *s = bc_key_get(&c->keys, "clock_samples");
	uint64_t v[SAMPLES_MAX];
	size_t n = 0, middle;

	if (!s)
		return true;
	for (;;) {
		if (n == SAMPLES_MAX || !take_number(&s, &v[n++]) || (*s && *s != ','))
			return false;
		if (!*s++)
			break;
	}
	qsort(v, n, sizeof(v[0]), by_value);
	middle = n / 2;
	*median = ((double)v[middle] + (double)v[n - 1 - middle]) / 2;
	return true;
}

enum bc_status bc_history_measure(const struct bc_read_case *c, const char *path, double value[BC_NVALUES],
				  struct bc_error *err)
{
	const char *clock = bc_key_get(&c->keys, "clock");

	for (size_t i = 0; i < BC_NVALUES; i++)
		value[i] = (double)NAN;
	if (!read_counters(c, value))
		return malformed(c, path, "counters", err);
	if (clock && strcmp(clock, "nan") != 0 && strcmp(clock, "inf") != 0 &&
	    !bc_number_parse(clock, &value[BC_VALUE_CLOCK]))
		return malformed(c, path, "clock", err);
	if (!read_samples(c, &value[BC_VALUE_CYCLES]))
		return malformed(c, path, "clock_samples", err);
	return BC_OK;
}
