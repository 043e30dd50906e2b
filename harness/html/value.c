/* SPDX-License-Identifier: MIT */
/* The numbers that a report's lines name. */
#include "harness/html/page.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/textfile.h"

static const char *const quantities[] = { "wavefronts",	 "conflicts", "sectors", "clock_slope",
					  "clock_ratio", "requests",  "data" };

const char *bc_html_quantity(const struct bc_read_case *c)
{
	for (size_t i = 0; i + 1 < BC_ARRAY_LEN(quantities); i++)
		if (bc_key_get(&c->keys, quantities[i]))
			return quantities[i];
	return "data";
}

/* The number after "name:" in a list of items. */
static bool item(const char *list, size_t len, const char *name, uint32_t *out)
{
	const size_t n = strlen(name);

	for (size_t at = 0; at < len; at += strcspn(list + at, " ;") + 1) {
		const size_t end = strcspn(list + at, " ;");
		char digits[16];

		if (end <= n + 1 || end - n - 1 >= sizeof(digits) || strncmp(list + at, name, n) != 0 ||
		    list[at + n] != ':')
			continue;
		memcpy(digits, list + at + n + 1, end - n - 1);
		digits[end - n - 1] = '\0';
		return bc_u32_parse(digits, out);
	}
	return false;
}

/* A witness's items, attempts apart by `;`: the quantity of each, divided by @per (0: as it is). */
static void attempts(const char *list, const char *quantity, uint32_t per, char buf[BC_HTML_VALUE_MAX])
{
	char last[BC_NUMBER_MAX] = "", one[BC_NUMBER_MAX];
	bool equal = true;
	size_t used = 0;

	buf[0] = '\0';
	for (const char *at = list; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
		const size_t len = strcspn(at, ";");
		uint32_t n = 0;

		if (!item(at, len, quantity, &n))
			continue;
		(void)bc_number_text(per ? (double)n / per : n, one);
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
	const char *stated = bc_key_get(&c->keys, "requests_stated");
	uint32_t per = 0;

	buf[0] = '\0';
	if (!s)
		return;
	if (w == BC_HTML_CLOCK) {
		if (clocked || strcmp(quantity, "wavefronts") == 0)
			(void)bc_strlcpy(buf, s, BC_HTML_VALUE_MAX);
		return;
	}
	if (w == BC_HTML_MODEL)
		(void)item(s, strcspn(s, ";"), "requests", &per);
	else if (stated)
		(void)bc_u32_parse(stated, &per);
	attempts(s, quantity, per_request ? per : 0, buf);
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
