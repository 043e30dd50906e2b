/* SPDX-License-Identifier: MIT */
#include "harness/report/values.h"

#include <string.h>

#include "harness/base/textfile.h"

static const enum bc_quantity counted[] = { BC_Q_WAVEFRONTS, BC_Q_CONFLICTS, BC_Q_SECTORS, BC_Q_REQUESTS };

/* Digits at *@cursor, which is moved behind them. Return: false when there are none, or the number is over @max. */
static bool read_number(const char **cursor, uint64_t max, uint64_t *out)
{
	const char *p = *cursor;
	uint64_t v = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		v = v * 10 + (uint64_t)(*p - '0');
		if (v > max)
			return false;
	}
	if (p == *cursor)
		return false;
	*cursor = p;
	*out = v;
	return true;
}

bool bc_values_bounds(const struct bc_key_values *k, enum bc_quantity q, struct bc_value_bounds *out)
{
	const char *s = bc_key_get(k, bc_quantity_name(q)), *dots = s ? strstr(s, "..") : NULL;
	char lo[BC_NUMBER_MAX];

	*out = (struct bc_value_bounds){ 0 };
	if (!s || strcmp(s, "unknown") == 0)
		return true;
	if (!dots || (size_t)(dots - s) >= sizeof(lo))
		return false;
	memcpy(lo, s, (size_t)(dots - s));
	lo[dots - s] = '\0';
	out->has = bc_number_parse(lo, &out->lo) && bc_number_parse(dots + 2, &out->hi) && out->lo <= out->hi;
	return out->has;
}

/* `name:number` at *@cursor, up to a blank, `;` or the end. */
static bool read_item(const char **cursor, struct bc_value_counts *out)
{
	const char *name = *cursor, *end = name + strcspn(name, ": ;");
	uint64_t v;

	if (*end != ':')
		return false;
	*cursor = end + 1;
	if (!read_number(cursor, BC_VALUE_COUNT_MAX, &v) || (**cursor && **cursor != ';' && **cursor != ' '))
		return false;
	for (size_t i = 0; i < BC_ARRAY_LEN(counted); i++) {
		const char *q = bc_quantity_name(counted[i]);

		if (strlen(q) != (size_t)(end - name) || strncmp(name, q, strlen(q)) != 0)
			continue;
		out->has[counted[i]] = true;
		out->total[counted[i]] = v;
	}
	return true;
}

bool bc_values_attempt(const char **cursor, struct bc_value_counts *out, bool *more)
{
	*out = (struct bc_value_counts){ 0 };
	*more = **cursor != '\0';
	while (**cursor && **cursor != ';') {
		if (!read_item(cursor, out))
			return false;
		*cursor += **cursor == ' ';
	}
	*cursor += **cursor == ';';
	return true;
}

bool bc_values_stated(const struct bc_key_values *k, uint64_t *out)
{
	const char *s = bc_key_get(k, "requests_stated");

	*out = 0;
	return !s || (read_number(&s, BC_VALUE_COUNT_MAX, out) && *s == '\0');
}

bool bc_values_clock(const struct bc_key_values *k, bool *has, double *out)
{
	const char *s = bc_key_get(k, "clock");

	*has = s != NULL && strcmp(s, "nan") != 0 && strcmp(s, "inf") != 0;
	return !*has || bc_number_parse(s, out);
}

bool bc_values_samples(const struct bc_key_values *k, struct bc_samples *out)
{
	const char *s = bc_key_get(k, "clock_samples");

	out->n = 0;
	while (s) {
		uint64_t v;

		if (!read_number(&s, UINT32_MAX, &v) || (*s && *s != ',') || out->n == BC_SAMPLES_MAX)
			return false;
		out->v[out->n++] = (uint32_t)v;
		s = *s ? s + 1 : NULL;
	}
	return true;
}

static bool counts_are_right(const char *list)
{
	struct bc_value_counts counts;
	bool more = list != NULL;

	while (more)
		if (!bc_values_attempt(&list, &counts, &more))
			return false;
	return true;
}

const char *bc_values_check(const struct bc_key_values *k)
{
	struct bc_value_bounds bounds;
	struct bc_samples samples;
	uint64_t stated;
	double clock;
	bool has;

	for (unsigned q = 0; q < BC_Q_DATA; q++)
		if (!bc_values_bounds(k, (enum bc_quantity)q, &bounds))
			return bc_quantity_name((enum bc_quantity)q);
	if (!counts_are_right(bc_key_get(k, "counters")))
		return "counters";
	if (!counts_are_right(bc_key_get(k, "model")))
		return "model";
	if (!bc_values_stated(k, &stated))
		return "requests_stated";
	if (!bc_values_clock(k, &has, &clock))
		return "clock";
	return bc_values_samples(k, &samples) ? NULL : "clock_samples";
}
