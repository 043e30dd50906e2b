/* SPDX-License-Identifier: MIT */
/* An opened case: what is expected of it, what each witness says; a line for all runs that say the same. */
#include "harness/html/page.h"
#include "harness/report/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/escape.h"

/* What a row of a case shows of one run. Writes nothing when there is nothing. */
typedef void show_fn(struct bc_html *p, const struct bc_read_case *c, const char *key);

static void show_text(struct bc_html *p, const struct bc_read_case *c, const char *key)
{
	const char *s = bc_key_get(&c->keys, key);

	if (s)
		bc_html_text(p, s);
}

static void show_verdict(struct bc_html *p, const struct bc_read_case *c, const char *key)
{
	(void)key;
	if (c->verdict == BC_PASS && !c->message[0])
		return;
	bc_html_verdict(p, c->verdict);
	bc_put(&p->out, " ");
	bc_html_text(p, c->message);
}

static void show_expected(struct bc_html *p, const struct bc_read_case *c, const char *key)
{
	/* data= is what came out: right is all that can be expected of it */
	const char *bounds = strcmp(key, "data") != 0 ? bc_key_get(&c->keys, key) : NULL, *origin, *basis;
	char name[40];

	(void)snprintf(name, sizeof(name), "%s_origin", key);
	origin = bc_key_get(&c->keys, name);
	(void)snprintf(name, sizeof(name), "%s_basis", key);
	basis = bc_key_get(&c->keys, name);
	if (!bounds && !origin)
		return;
	if (bounds) {
		bc_put(&p->out, "<b>");
		bc_html_bounds(p, bounds);
		bc_put(&p->out, "</b> ");
	} else {
		bc_put(&p->out, "<b>right</b> ");
	}
	if (origin) {
		bc_put(&p->out, "<i>");
		bc_html_text(p, origin);
		bc_put(&p->out, "</i> ");
	}
	if (basis)
		bc_html_text(p, basis);
}

static void show_data(struct bc_html *p, const struct bc_read_case *c, const char *key)
{
	const char *detail = bc_key_get(&c->keys, "data_detail");

	show_text(p, c, key);
	if (detail) {
		bc_put(&p->out, ": ");
		bc_html_text(p, detail);
	}
}

/* "requests:8 conflicts:0" as "requests 8, conflicts 0"; of several attempts that are equal one, and how many. */
static void put_items(struct bc_html *p, const char *s)
{
	const size_t first = strcspn(s, ";");
	unsigned n = 1;
	bool equal = true;
	char *copy = strdup(s);

	if (!copy) {
		p->out.st = bc_fail(p->out.err, BC_ENOMEM, "html: out of memory");
		return;
	}
	for (const char *at = s + first; *at; n++) {
		const size_t len = strcspn(++at, ";");

		equal = equal && len == first && strncmp(at, s, len) == 0;
		at += len;
	}
	if (equal)
		copy[first] = '\0';
	for (char *c = copy; *c; c++)
		*c = *c == ':' ? ' ' : *c == ' ' ? ',' : *c;
	for (char *at = copy, *end; at; at = end) {
		end = strpbrk(at, ",;");
		const bool again = end && *end == ';';

		if (end)
			*end++ = '\0';
		bc_html_text(p, at);
		if (end)
			bc_put(&p->out, again ? "; again: " : ", ");
	}
	if (equal && n > 1)
		bc_putf(&p->out, ", %u times alike", n);
	free(copy);
}

static void show_counts(struct bc_html *p, const struct bc_read_case *c, const char *key)
{
	const char *s = bc_key_get(&c->keys, key), *by = bc_key_get(&c->keys, "counters_by");
	const char *nothing = bc_key_get(&c->keys, strcmp(key, "model") == 0 ? "model_absent" : "counters_absent");

	if (s)
		put_items(p, s);
	if (s && by && strcmp(key, "counters") == 0 && strcmp(by, "hardware") != 0) {
		bc_put(&p->out, " (by the ");
		bc_html_text(p, by);
		bc_put(&p->out, ")");
	}
	if (strcmp(key, "counters") == 0 && bc_key_get(&c->keys, "counters_void"))
		bc_put(&p->out, " \u2013 void: the canary did not read what it must");
	if (nothing) {
		bc_put(&p->out, s ? " \u2013 " : "<em>none: ");
		bc_html_text(p, nothing);
		bc_put(&p->out, s ? "" : "</em>");
	}
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* All samples, each cycle count once with how often it came. */
static void put_samples(struct bc_html *p, struct bc_samples *s)
{
	qsort(s->v, s->n, sizeof(s->v[0]), by_number);
	for (unsigned i = 0, k; i < s->n; i = k) {
		for (k = i; k < s->n && s->v[k] == s->v[i];)
			k++;
		bc_putf(&p->out, k - i > 1 ? "%s%" PRIu32 "\u202f\u00d7%u" : "%s%" PRIu32, i ? ", " : "", s->v[i],
			k - i);
	}
}

static void show_clock(struct bc_html *p, const struct bc_read_case *c, const char *key)
{
	const char *s = bc_key_get(&c->keys, key), *nothing = bc_key_get(&c->keys, "clock_absent");
	struct bc_samples samples;

	if (s) {
		bc_put(&p->out, "<b>");
		bc_html_text(p, s);
		bc_put(&p->out, "</b>");
	}
	if (bc_values_samples(&c->keys, &samples) && samples.n) {
		bc_put(&p->out, "; cycles ");
		put_samples(p, &samples);
	}
	if (nothing) {
		bc_put(&p->out, s ? " \u2013 " : "<em>none: ");
		bc_html_text(p, nothing);
		bc_put(&p->out, s ? "" : "</em>");
	}
}

/* Rows of an opened case, in order. */
static const struct row {
	const char *label, *key;
	show_fn *show;
	bool expected; /* under "expected", else under "measured" */
} rows[] = {
	{ "verdict", "verdict", show_verdict, false },
	{ "known as", "outcome", show_text, false },
	{ "because", "reason", show_text, false },
	{ "wavefronts", "wavefronts", show_expected, true },
	{ "conflicts", "conflicts", show_expected, true },
	{ "sectors", "sectors", show_expected, true },
	{ "clock ratio", "clock_ratio", show_expected, true },
	{ "clock slope", "clock_slope", show_expected, true },
	{ "requests", "requests", show_expected, true },
	{ "data", "data", show_expected, true },
	{ "data", "data", show_data, false },
	{ "counters", "counters", show_counts, false },
	{ "clock", "clock", show_clock, false },
	{ "model", "model", show_counts, false },
	{ "code", "code_absent", show_text, false },
};

static void show_row(struct bc_html *p, const struct bc_html_case *c, const struct row *row, struct bc_html_shown *s)
{
	struct bc_text *const page = p->out.to;

	for (size_t r = 0; r < p->nruns; r++) {
		bc_text_clear(&s->text[r]);
		s->done[r] = !c->of[r];
		p->out.to = &s->text[r];
		if (c->of[r])
			row->show(p, c->of[r], row->key);
	}
	p->out.to = page;
	for (size_t r = 0; r < p->nruns; r++) {
		if (s->done[r] || !s->text[r].len)
			continue;
		for (size_t k = 0; k < p->nruns; k++) {
			s->in[k] = c->of[k] && s->text[k].len == s->text[r].len &&
				   memcmp(s->text[k].data, s->text[r].data, s->text[r].len) == 0;
			s->done[k] = s->done[k] || s->in[k];
		}
		bc_putf(&p->out, "<tr><th>%s%s<td>", row->expected ? "expected " : "", row->label);
		bc_html_runs(p, s->in);
		bc_put(&p->out, s->text[r].data);
		bc_put(&p->out, "\n");
	}
}

void bc_html_rows(struct bc_html *p, const struct bc_html_case *c, struct bc_html_shown *s)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++)
		show_row(p, c, &rows[i], s);
}
