/* SPDX-License-Identifier: MIT */
/* The numbers that a report's lines name. */
#include "harness/html/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/textfile.h"
#include "harness/report/values.h"

#define CLOCK_NEAR 0.2 /* as in judge.c: a clock this near a whole number names it */

static const char *const quantities[] = { "wavefronts",	 "conflicts", "sectors", "clock_slope",
					  "clock_ratio", "requests",  "data" };

const char *bc_html_quantity(const struct bc_read_case *c)
{
	for (size_t i = 0; i + 1 < BC_ARRAY_LEN(quantities); i++)
		if (bc_key_get(&c->keys, quantities[i]))
			return quantities[i];
	return "data";
}

/* A witness's items, attempts apart by `;`: the quantity of each, divided by @per (0: as it is). */
static void put_attempts(const char *list, enum bc_quantity q, uint64_t per, char buf[BC_HTML_VALUE_MAX])
{
	char last[BC_NUMBER_MAX] = "", one[BC_NUMBER_MAX];
	struct bc_value_counts counts;
	bool equal = true, more = true;
	size_t used = 0;

	buf[0] = '\0';
	while (bc_values_attempt(&list, &counts, &more) && more) {
		if (!counts.has[q])
			continue;
		(void)bc_number_text((double)counts.total[q] / (double)(per ? per : 1), one);
		equal = equal && (!used || strcmp(one, last) == 0);
		(void)memcpy(last, one, sizeof(last));
		if (used + strlen(one) + 2 < BC_HTML_VALUE_MAX)
			used += (size_t)snprintf(buf + used, BC_HTML_VALUE_MAX - used, "%s%s", used ? "," : "", one);
	}
	if (equal)
		(void)bc_strlcpy(buf, last, BC_HTML_VALUE_MAX);
}

void bc_html_value(const struct bc_read_case *c, enum bc_html_witness w, const char *quantity,
		   char buf[BC_HTML_VALUE_MAX])
{
	const bool per_request = strcmp(quantity, "requests") != 0, clocked = strncmp(quantity, "clock", 5) == 0;
	const char *s = bc_key_get(&c->keys, w == BC_HTML_COUNTERS ? "counters"
					     : w == BC_HTML_CLOCK  ? "clock"
								   : "model");
	const char *first = s;
	struct bc_value_counts counts;
	enum bc_quantity q;
	uint64_t per = 0;
	bool more;

	buf[0] = '\0';
	if (!s)
		return;
	if (w == BC_HTML_CLOCK) {
		if (clocked || strcmp(quantity, "wavefronts") == 0)
			(void)bc_strlcpy(buf, s, BC_HTML_VALUE_MAX);
		return;
	}
	if (!bc_quantity_parse(quantity, &q))
		return;
	if (w == BC_HTML_MODEL && bc_values_attempt(&first, &counts, &more))
		per = counts.total[BC_Q_REQUESTS];
	else
		(void)bc_values_stated(&c->keys, &per);
	put_attempts(s, q, per_request ? per : 0, buf);
}

static bool parse(const char *at, size_t len, double *out)
{
	char text[BC_NUMBER_MAX];

	if (len >= sizeof(text))
		return false;
	(void)bc_strlcpy(text, at, len + 1);
	return bc_number_parse(text, out);
}

bool bc_html_is_odd(const char *bounds, enum bc_html_witness w, const char *quantity, const char *value)
{
	const char *dots = strstr(bounds, "..");
	const bool whole = w == BC_HTML_CLOCK && strncmp(quantity, "clock", 5) != 0;
	double lo, hi;

	if (!dots || !value[0] || !parse(bounds, (size_t)(dots - bounds), &lo) || !bc_number_parse(dots + 2, &hi))
		return false;
	for (const char *at = value; *at;) {
		const size_t len = strcspn(at, ",");
		double v;

		if (!parse(at, len, &v))
			return true;
		if (whole && fabs(v - round(v)) <= CLOCK_NEAR)
			v = round(v);
		if (v < lo || v > hi)
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}

void bc_html_bounds(struct bc_html *p, const char *bounds)
{
	const char *dots = strstr(bounds, "..");
	const size_t lo = dots ? (size_t)(dots - bounds) : 0;

	if (dots && strlen(dots + 2) == lo && strncmp(bounds, dots + 2, lo) == 0) {
		bc_html_text(p, dots + 2);
	} else if (dots && lo < 64) {
		char first[64];

		(void)bc_strlcpy(first, bounds, lo + 1);
		bc_html_text(p, first);
		bc_put(&p->out, "\u2013");
		bc_html_text(p, dots + 2);
	} else {
		bc_html_text(p, bounds);
	}
}
