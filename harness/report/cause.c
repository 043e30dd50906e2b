/* SPDX-License-Identifier: MIT */
#include "harness/report/cause.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/textfile.h"

#define EXPECTED "; expected "
#define DISAGREE "disagree "

/* A part of a message. */
struct part {
	const char *at;
	size_t len;
};

static struct part until(const char *at, const char *end, const char *stop)
{
	const size_t len = strcspn(at, stop);

	return (struct part){ at, len < (size_t)(end - at) ? len : (size_t)(end - at) };
}

/* The next `name=value` of a list of them with blanks between; false at its end. */
static bool next_item(const char **at, const char *end, struct part *name, struct part *value)
{
	while (*at < end) {
		const struct part word = until(*at, end, " ;");
		const char *equal = memchr(word.at, '=', word.len);

		if (*word.at == '(')
			return false; /* where the row is written */
		*at = word.at + word.len + 1;
		if (!equal)
			continue;
		*name = (struct part){ word.at, (size_t)(equal - word.at) };
		*value = (struct part){ equal + 1, word.len - name->len - 1 };
		return true;
	}
	return false;
}

static bool parse(const char *at, size_t len, double *out)
{
	char text[40];

	if (len >= sizeof(text))
		return false;
	(void)bc_strlcpy(text, at, len + 1);
	return bc_number_parse(text, out);
}

/* Is a number inside "2" or "1..1.5"? What cannot be read is not. */
static bool inside(struct part value, struct part bounds)
{
	const char *dots = NULL;
	double v, lo, hi;

	for (size_t i = 0; i + 1 < bounds.len && !dots; i++)
		dots = bounds.at[i] == '.' && bounds.at[i + 1] == '.' ? bounds.at + i : NULL;
	if (!parse(value.at, value.len, &v) || !parse(bounds.at, dots ? (size_t)(dots - bounds.at) : bounds.len, &lo))
		return false;
	if (!dots)
		hi = lo;
	else if (!parse(dots + 2, bounds.len - (size_t)(dots - bounds.at) - 2, &hi))
		return false;
	return v >= lo && v <= hi;
}

/* What each witness of [from, end) names of the quantity, "counters 2, clock 1", into @buf.
 * Return: is one of them outside @bounds, or without a number, or not what another is? */
static bool measured(const char *from, const char *end, struct part quantity, struct part bounds,
		     char buf[BC_CAUSE_MAX])
{
	struct part first = { NULL, 0 };
	size_t used = 0;
	bool odd = false;

	buf[0] = '\0';
	for (const char *next; from < end; from = next) {
		const struct part segment = until(from, end, ";"), witness = until(from, end, " =;");
		const char *at = segment.at, *const stop = segment.at + segment.len;
		const bool ratio = witness.len == 5 && strncmp(witness.at, "ratio", 5) == 0;
		struct part name, value;
		bool found = false;

		next = stop + strspn(stop, "; ");
		while (!found && next_item(&at, stop, &name, &value))
			found = (name.len == quantity.len && strncmp(name.at, quantity.at, name.len) == 0) ||
				name.at == witness.at; /* "clock=fraction" */
		if (!found || used >= BC_CAUSE_MAX - 1)
			continue;
		odd = odd || !inside(value, bounds) ||
		      (first.at && (first.len != value.len || strncmp(first.at, value.at, value.len) != 0));
		first = first.at ? first : value;
		used += (size_t)snprintf(buf + used, BC_CAUSE_MAX - used, "%s%.*s%s%.*s", used ? ", " : "",
					 ratio ? 0 : (int)witness.len, witness.at, ratio ? "" : " ", (int)value.len,
					 value.at);
	}
	return odd;
}

/* "2 instead of 1 wavefronts"; false: the message does not say what was measured and expected. */
static bool numbers(const char *message, char buf[BC_CAUSE_MAX])
{
	const char *const expected = strstr(message, EXPECTED);
	const char *const from = message + (strncmp(message, DISAGREE, strlen(DISAGREE)) == 0 ? strlen(DISAGREE) : 0);
	const char *at, *end;
	struct part quantity, bounds;
	char values[BC_CAUSE_MAX];

	if (!expected)
		return false;
	at = expected + strlen(EXPECTED);
	end = at + strcspn(at, ";");
	while (next_item(&at, end, &quantity, &bounds)) {
		if (!measured(from, expected, quantity, bounds, values))
			continue;
		(void)snprintf(buf, BC_CAUSE_MAX, "%.80s instead of %.*s %.*s", values, (int)bounds.len, bounds.at,
			       (int)quantity.len, quantity.at);
		for (char *c = buf; *c; c++)
			*c = *c == '_' ? ' ' : *c;
		return true;
	}
	return false;
}

void bc_cause_text(const char *message, char buf[BC_CAUSE_MAX])
{
	static const char *const ends[] = { ": ", "; ", " (" };
	size_t len = strlen(message);

	if (numbers(message, buf))
		return;
	for (size_t i = 0; i < BC_ARRAY_LEN(ends); i++) {
		const char *at = strstr(message, ends[i]);

		len = at && (size_t)(at - message) < len ? (size_t)(at - message) : len;
	}
	(void)bc_strlcpy(buf, message, len < BC_CAUSE_MAX ? len + 1 : BC_CAUSE_MAX);
}
