/* SPDX-License-Identifier: MIT */
/* Results as CSV and JSON lines. */
#include "harness/history/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"
#include "harness/base/out.h"
#include "harness/report/json.h"

#define WRITE_AT ((size_t)1 << 16) /* bytes */

struct exporting {
	bool jsonl;
	FILE *file;
	struct bc_text text;
	struct bc_out out; /* into text */
};

/* Write what has come together, and forget it. */
static void flush(struct exporting *x)
{
	if (!x->out.st && x->text.len && fwrite(x->text.data, 1, x->text.len, x->file) != x->text.len)
		x->out.st = bc_fail(x->out.err, BC_EWRITE, "export: could not be written");
	bc_text_clear(&x->text);
}

static void put_json_string(struct bc_out *o, const char *s)
{
	json_t *text = json_string(s);
	char *quoted = text ? json_dumps(text, JSON_ENCODE_ANY) : NULL;

	if (quoted)
		bc_put(o, quoted);
	else if (!o->st)
		o->st = bc_fail(o->err, BC_ENOMEM, "export: out of memory");
	free(quoted);
	json_decref(text);
}

/* RFC 4180: quoted when it must be, quotes doubled. */
static void put_csv_string(struct bc_out *o, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		bc_put(o, s);
		return;
	}
	bc_put(o, "\"");
	for (; *s; s++)
		bc_put_bytes(o, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
	bc_put(o, "\"");
}

/* The @i-th column's name or, in JSON lines, its key. */
static void start_column(struct exporting *x, size_t i, const char *name)
{
	if (x->jsonl)
		bc_putf(&x->out, "%s\"%s\":", i ? "," : "{", name);
	else if (i)
		bc_put(&x->out, ",");
}

static void text_column(struct exporting *x, size_t i, const char *name, const char *value)
{
	start_column(x, i, name);
	if (x->jsonl)
		put_json_string(&x->out, value);
	else
		put_csv_string(&x->out, value);
}

static void number_column(struct exporting *x, size_t i, const char *name, double value)
{
	char buf[BC_NUMBER_MAX];

	start_column(x, i, name);
	if (!isnan(value))
		bc_put(&x->out, bc_number_text(value, buf));
	else if (x->jsonl)
		bc_put(&x->out, "null");
}

static enum bc_status put_point(void *ctx, const struct bc_history_point *p, struct bc_error *err)
{
	struct exporting *x = ctx;
	size_t at = 0;

	(void)err; /* that of x->out */
	for (size_t i = 0; i < BC_NFACTS; i++)
		text_column(x, at++, bc_history_fact_names[i], p->run->fact[i]);
	text_column(x, at++, "case", p->c->name);
	text_column(x, at++, "verdict", bc_verdict_name(p->verdict));
	for (size_t i = 0; i < BC_NVALUES; i++)
		number_column(x, at++, bc_history_value_names[i], p->value[i]);
	text_column(x, at++, "flaky", p->flaky ? "yes" : "no");
	text_column(x, at, "message", p->message);
	bc_put(&x->out, x->jsonl ? "}\n" : "\r\n");
	if (x->text.len >= WRITE_AT)
		flush(x);
	return x->out.st;
}

static void put_head(struct exporting *x)
{
	for (size_t i = 0; i < BC_NFACTS; i++)
		bc_putf(&x->out, "%s,", bc_history_fact_names[i]);
	bc_put(&x->out, "case,verdict");
	for (size_t i = 0; i < BC_NVALUES; i++)
		bc_putf(&x->out, ",%s", bc_history_value_names[i]);
	bc_put(&x->out, ",flaky,message\r\n");
}

enum bc_status bc_history_export(struct bc_history *h, const char *glob, bool jsonl, FILE *out, struct bc_error *err)
{
	struct exporting x = { .jsonl = jsonl, .file = out };
	struct bc_history_runs runs = { 0 };
	struct bc_history_cases cases = { 0 };
	enum bc_status st = bc_history_runs(h, &runs, err);

	x.out = (struct bc_out){ .to = &x.text, .err = err };
	if (!st)
		st = bc_history_cases(h, glob, &cases, err);
	if (!st && !jsonl)
		put_head(&x);
	if (!st)
		st = bc_history_visit(h, runs.run, runs.n, &cases, put_point, &x, err);
	if (!st) {
		flush(&x);
		st = x.out.st;
	}
	bc_text_release(&x.text);
	bc_history_cases_release(&cases);
	bc_history_runs_release(&runs);
	return st;
}
