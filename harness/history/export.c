/* SPDX-License-Identifier: MIT */
/* Results as CSV and JSON lines. */
#include "harness/history/print.h"

#include <math.h>
#include <string.h>

#include "harness/base/textfile.h"
#include "harness/base/escape.h"

#define WRITE_AT ((size_t)1 << 16) /* bytes */

struct exporting {
	bool jsonl;
	FILE *out;
	struct bc_text text;
	struct bc_error *err;
};

static enum bc_status write_text(struct exporting *x)
{
	if (x->text.len && fwrite(x->text.data, 1, x->text.len, x->out) != x->text.len)
		return bc_fail(x->err, BC_EWRITE, "export: could not be written");
	bc_text_clear(&x->text);
	return BC_OK;
}

static enum bc_status json_string(struct exporting *x, const char *s)
{
	enum bc_status st = bc_text_add(&x->text, "\"", 1, x->err);

	while (!st && *s) {
		const unsigned char c = (unsigned char)*s;
		size_t n = 0;

		while (s[n] && s[n] != '"' && s[n] != '\\' && (unsigned char)s[n] >= 0x20)
			n++;
		if (n)
			st = bc_text_add(&x->text, s, n, x->err);
		else
			st = c < 0x20 ? bc_text_addf(&x->text, x->err, "\\u%04x", c)
				      : bc_text_addf(&x->text, x->err, "\\%c", c);
		s += n ? n : 1;
	}
	return st ? st : bc_text_add(&x->text, "\"", 1, x->err);
}

/* RFC 4180: quoted when it must be, quotes doubled. */
static enum bc_status csv_string(struct exporting *x, const char *s)
{
	enum bc_status st = BC_OK;

	if (!strpbrk(s, ",\"\r\n"))
		return bc_text_add(&x->text, s, strlen(s), x->err);
	st = bc_text_add(&x->text, "\"", 1, x->err);
	for (; !st && *s; s++)
		st = bc_text_add(&x->text, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1, x->err);
	return st ? st : bc_text_add(&x->text, "\"", 1, x->err);
}

/* The @i-th column's name or, in JSON lines, its key. */
static enum bc_status start_column(struct exporting *x, size_t i, const char *name)
{
	if (x->jsonl)
		return bc_text_addf(&x->text, x->err, "%s\"%s\":", i ? "," : "{", name);
	return i ? bc_text_add(&x->text, ",", 1, x->err) : BC_OK;
}

static enum bc_status text_column(struct exporting *x, size_t i, const char *name, const char *value)
{
	const enum bc_status st = start_column(x, i, name);

	return st ? st : x->jsonl ? json_string(x, value) : csv_string(x, value);
}

static enum bc_status number_column(struct exporting *x, size_t i, const char *name, double value)
{
	char buf[BC_NUMBER_MAX];
	const enum bc_status st = start_column(x, i, name);

	if (st || (isnan(value) && !x->jsonl))
		return st;
	return bc_text_addf(&x->text, x->err, "%s", isnan(value) ? "null" : bc_number_text(value, buf));
}

static enum bc_status put_point(void *ctx, const struct bc_history_point *p, struct bc_error *err)
{
	struct exporting *x = ctx;
	enum bc_status st = BC_OK;
	size_t at = 0;

	for (size_t i = 0; !st && i < BC_NFACTS; i++)
		st = text_column(x, at++, bc_history_fact_names[i], p->run->fact[i]);
	if (!st)
		st = text_column(x, at++, "case", p->c->name);
	if (!st)
		st = text_column(x, at++, "verdict", bc_verdict_name(p->verdict));
	for (size_t i = 0; !st && i < BC_NVALUES; i++)
		st = number_column(x, at++, bc_history_value_names[i], p->value[i]);
	if (!st)
		st = text_column(x, at++, "flaky", p->flaky ? "yes" : "no");
	if (!st)
		st = text_column(x, at, "message", p->message);
	if (!st)
		st = x->jsonl ? bc_text_addf(&x->text, err, "}\n") : bc_text_addf(&x->text, err, "\r\n");
	return st || x->text.len < WRITE_AT ? st : write_text(x);
}

static enum bc_status put_head(struct exporting *x)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < BC_NFACTS; i++)
		st = bc_text_addf(&x->text, x->err, "%s,", bc_history_fact_names[i]);
	if (!st)
		st = bc_text_addf(&x->text, x->err, "case,verdict");
	for (size_t i = 0; !st && i < BC_NVALUES; i++)
		st = bc_text_addf(&x->text, x->err, ",%s", bc_history_value_names[i]);
	return st ? st : bc_text_addf(&x->text, x->err, ",flaky,message\r\n");
}

enum bc_status bc_history_export(struct bc_history *h, const char *glob, bool jsonl, FILE *out, struct bc_error *err)
{
	struct exporting x = { .jsonl = jsonl, .out = out, .err = err };
	struct bc_history_runs runs = { 0 };
	struct bc_history_cases cases = { 0 };
	enum bc_status st = bc_history_runs(h, &runs, err);

	if (!st)
		st = bc_history_cases(h, glob, &cases, err);
	if (!st && !jsonl)
		st = put_head(&x);
	if (!st)
		st = bc_history_visit(h, runs.run, runs.n, &cases, put_point, &x, err);
	if (!st)
		st = write_text(&x);
	bc_text_release(&x.text);
	bc_history_cases_release(&cases);
	bc_history_runs_release(&runs);
	return st;
}
