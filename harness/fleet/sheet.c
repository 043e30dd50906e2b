/* SPDX-License-Identifier: MIT */
#include "harness/fleet/sheet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/history/table.h"
#include "harness/report/json.h"
#include "harness/report/xml.h"

#define SCHEMA "bankcheck-fleet-1"

bool bc_sheet_format_parse(const char *word, enum bc_sheet_format *out)
{
	static const char *const words[] = {
		[BC_SHEET_TEXT] = "text", [BC_SHEET_JSON] = "json", [BC_SHEET_HTML] = "html", [BC_SHEET_JUNIT] = "junit"
	};

	for (unsigned i = 0; i < BC_ARRAY_LEN(words); i++)
		if (strcmp(word ? word : "text", words[i]) == 0) {
			*out = (enum bc_sheet_format)i;
			return true;
		}
	return false;
}

static enum bc_status no_memory(struct bc_error *err)
{
	return bc_fail(err, BC_ENOMEM, "fleet: out of memory");
}

static enum bc_status add_text(char ***list, size_t *n, const char *text, struct bc_error *err)
{
	char **grown = realloc(*list, (*n + 1) * sizeof(*grown));

	if (!grown)
		return no_memory(err);
	*list = grown;
	grown[*n] = strdup(text);
	if (!grown[*n])
		return no_memory(err);
	++*n;
	return BC_OK;
}

enum bc_status bc_sheet_column(struct bc_sheet *s, const char *head, struct bc_error *err)
{
	return add_text(&s->column, &s->ncolumns, head, err);
}

enum bc_status bc_sheet_row(struct bc_sheet *s, unsigned weight, const char *suite, const char *name, const char *type,
			    const char *message, struct bc_error *err)
{
	struct bc_sheet_row *r;
	bool all = true;

	if ((s->nrows & (s->nrows - 1)) == 0) {
		struct bc_sheet_row *grown = realloc(s->row, (s->nrows ? 2 * s->nrows : 1) * sizeof(*grown));

		if (!grown)
			return no_memory(err);
		s->row = grown;
	}
	r = &s->row[s->nrows++];
	*r = (struct bc_sheet_row){ .weight = weight,
				    .cell = calloc(s->ncolumns + 1, sizeof(*r->cell)),
				    .suite = strdup(suite),
				    .name = strdup(name),
				    .type = strdup(type),
				    .message = strdup(message) };
	for (size_t i = 0; r->cell && i < s->ncolumns; i++)
		all = (r->cell[i] = strdup("")) != NULL && all;
	if (weight > s->weight)
		s->weight = weight;
	return all && r->cell && r->suite && r->name && r->type && r->message ? BC_OK : no_memory(err);
}

enum bc_status bc_sheet_cell(struct bc_sheet *s, size_t column, const char *text, struct bc_error *err)
{
	char *copy = strdup(text);

	if (!copy)
		return no_memory(err);
	free(s->row[s->nrows - 1].cell[column]);
	s->row[s->nrows - 1].cell[column] = copy;
	return BC_OK;
}

enum bc_status bc_sheet_note(struct bc_sheet *s, unsigned weight, struct bc_error *err, const char *fmt, ...)
{
	struct bc_text t = { 0 };
	va_list ap;
	enum bc_status st;

	va_start(ap, fmt);
	st = bc_text_vaddf(&t, err, fmt, ap);
	va_end(ap);
	if (!st)
		st = add_text(&s->note, &s->nnotes, t.data, err);
	bc_text_release(&t);
	if (weight > s->weight)
		s->weight = weight;
	return st;
}

void bc_sheet_release(struct bc_sheet *s)
{
	for (size_t i = 0; i < s->nrows; i++) {
		for (size_t k = 0; s->row[i].cell && k < s->ncolumns; k++)
			free(s->row[i].cell[k]);
		free(s->row[i].cell);
		free(s->row[i].suite);
		free(s->row[i].name);
		free(s->row[i].type);
		free(s->row[i].message);
	}
	for (size_t i = 0; i < s->ncolumns; i++)
		free(s->column[i]);
	for (size_t i = 0; i < s->nnotes; i++)
		free(s->note[i]);
	free(s->row);
	free(s->column);
	free(s->note);
	free(s->night);
	*s = (struct bc_sheet){ 0 };
}

/* A table; where there are too many columns for one, a line for each cell that says something. */
static void put_text(const struct bc_sheet *s, bool utf8, struct bc_out *o)
{
	struct bc_table t = { .out = o, .utf8 = utf8 };
	const bool wide = s->ncolumns > BC_TABLE_COLUMNS;

	if (s->nrows && !wide) {
		for (size_t k = 0; k < s->ncolumns; k++)
			bc_table_add(&t, "%s", s->column[k]);
		for (size_t i = 0; i < s->nrows; i++)
			for (size_t k = 0; k < s->ncolumns; k++)
				bc_table_add(&t, "%s", s->row[i].cell[k][0] ? s->row[i].cell[k] : "-");
		bc_table_end(&t, s->ncolumns, 0);
	}
	for (size_t i = 0; wide && i < s->nrows; i++)
		for (size_t k = 1; k < s->ncolumns; k++) {
			if (!s->row[i].cell[k][0])
				continue;
			bc_table_add(&t, "%s", s->row[i].cell[0]);
			bc_table_add(&t, "%s", s->column[k]);
			bc_table_add(&t, "%s", s->row[i].cell[k]);
		}
	if (wide)
		bc_table_end(&t, 3, 0);
	for (size_t i = 0; i < s->nnotes; i++) {
		bc_put_printable(o, s->note[i], utf8);
		bc_put(o, "\n");
	}
}

static json_t *texts(char *const *list, size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; a && i < n; i++)
		if (json_array_append_new(a, bc_json_text(list[i]))) {
			json_decref(a);
			return NULL;
		}
	return a;
}

static enum bc_status put_json(const struct bc_sheet *s, struct bc_text *out, struct bc_error *err)
{
	json_t *rows = json_array();

	for (size_t i = 0; rows && i < s->nrows; i++) {
		const struct bc_sheet_row *r = &s->row[i];
		json_t *one =
			json_pack("{si, so, so, so, so, so}", "weight", (int)r->weight, "kind", bc_json_text(r->suite),
				  "name", bc_json_text(r->name), "type", bc_json_text(r->type), "message",
				  bc_json_text(r->message), "cells", texts(r->cell, s->ncolumns));

		if (json_array_append_new(rows, one)) {
			json_decref(rows);
			rows = NULL;
		}
	}
	return bc_json_write(json_pack("{ss, ss, so, si, so, so, so}", "schema", SCHEMA, "command", s->command, "night",
				       bc_json_text(s->night), "status", (int)s->weight, "columns",
				       texts(s->column, s->ncolumns), "rows", rows, "notes", texts(s->note, s->nnotes)),
			     false, out, err);
}

/* Safe between tags. */
static void put_html_text(struct bc_out *o, const char *s)
{
	struct bc_text line = { 0 };
	struct bc_out one = bc_out_part(o, &line);

	bc_put_line(&one, s);
	bc_out_join(o, &one);
	for (const char *c = bc_out_text(&one); *c; c++)
		switch (*c) {
		case '&': bc_put(o, "&amp;"); break;
		case '<': bc_put(o, "&lt;"); break;
		case '>': bc_put(o, "&gt;"); break;
		default: bc_put_bytes(o, c, 1);
		}
	bc_text_release(&line);
}

static void put_html(const struct bc_sheet *s, struct bc_out *o)
{
	bc_put(o, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta name=viewport "
		  "content=\"width=device-width, initial-scale=1\">\n<title>");
	bc_putf(o, "%s: %s ", s->weight ? "not OK" : "OK", s->command);
	put_html_text(o, s->night);
	bc_put(o,
	       "</title>\n<style>body{font:14px sans-serif;margin:1em}table{border-collapse:collapse}th,td{border:1px "
	       "solid #999;padding:2px 6px;text-align:left;vertical-align:top}.w1{background:#fd9}.w2{background:#fbb}"
	       "</style>\n</head>\n<body>\n<h1>bankcheck fleet ");
	bc_putf(o, "%s ", s->command);
	put_html_text(o, s->night);
	bc_put(o, "</h1>\n");
	for (size_t i = 0; i < s->nnotes; i++) {
		bc_put(o, "<p>");
		put_html_text(o, s->note[i]);
		bc_put(o, "\n");
	}
	bc_put(o, "<table>\n<tr>");
	for (size_t k = 0; k < s->ncolumns; k++) {
		bc_put(o, "<th>");
		put_html_text(o, s->column[k]);
	}
	for (size_t i = 0; i < s->nrows; i++) {
		bc_putf(o, "\n<tr class=w%u>", s->row[i].weight);
		for (size_t k = 0; k < s->ncolumns; k++) {
			bc_put(o, "<td>");
			put_html_text(o, s->row[i].cell[k]);
		}
	}
	bc_put(o, "\n</table>\n</body>\n</html>\n");
}

/* "bankcheck.fleet.<kind>" with [a-z0-9_] for the kind. */
static void class_name(const char *suite, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "bankcheck.fleet.");

	for (; *suite && n + 1 < size; suite++) {
		const char c = *suite >= 'A' && *suite <= 'Z' ? (char)(*suite - 'A' + 'a') : *suite;
		const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (plain || buf[n - 1] != '_')
			buf[n++] = plain ? c : '_';
	}
	buf[n] = '\0';
}

/* Rows of one kind that weigh something. */
static void put_suite(const struct bc_sheet *s, const char *suite, struct bc_xml *x)
{
	char class[200];
	size_t n[3] = { 0 };

	class_name(suite, class, sizeof(class));
	for (size_t i = 0; i < s->nrows; i++)
		n[s->row[i].weight] += strcmp(s->row[i].suite, suite) == 0;
	bc_xml_start(x, "testsuite");
	bc_xml_attr(x, "name", class);
	bc_xml_attr_count(x, "tests", n[1] + n[2]);
	bc_xml_attr_count(x, "failures", n[1]);
	bc_xml_attr_count(x, "errors", n[2]);
	bc_xml_attr_count(x, "skipped", 0);
	bc_xml_attr(x, "time", "0.000");
	bc_xml_start(x, "properties");
	bc_xml_property(x, "night", s->night);
	bc_xml_property(x, "kind", suite);
	bc_xml_property(x, "bankcheck", BC_VERSION);
	bc_xml_end(x);
	for (size_t i = 0; i < s->nrows; i++) {
		const struct bc_sheet_row *r = &s->row[i];

		if (!r->weight || strcmp(r->suite, suite) != 0)
			continue;
		bc_xml_start(x, "testcase");
		bc_xml_attr(x, "classname", class);
		bc_xml_attr(x, "name", r->name);
		bc_xml_attr(x, "time", "0.000");
		bc_xml_start(x, r->weight == 1 ? "failure" : "error");
		bc_xml_attr(x, "type", r->type);
		bc_xml_attr(x, "message", r->message);
		bc_xml_end(x);
		bc_xml_end(x);
	}
	bc_xml_end(x);
}

static enum bc_status put_junit(const struct bc_sheet *s, struct bc_text *out, struct bc_error *err)
{
	struct bc_xml x;
	size_t n[3] = { 0 };

	for (size_t i = 0; i < s->nrows; i++)
		n[s->row[i].weight]++;
	bc_xml_open(&x, "fleet", err);
	bc_xml_start(&x, "testsuites");
	bc_xml_attr(&x, "name", "bankcheck fleet");
	bc_xml_attr_count(&x, "tests", n[1] + n[2]);
	bc_xml_attr_count(&x, "failures", n[1]);
	bc_xml_attr_count(&x, "errors", n[2]);
	bc_xml_attr(&x, "time", "0.000");
	for (size_t i = 0; i < s->nrows; i++) {
		bool first = s->row[i].weight > 0;

		for (size_t k = 0; first && k < i; k++)
			first = !s->row[k].weight || strcmp(s->row[k].suite, s->row[i].suite) != 0;
		if (first)
			put_suite(s, s->row[i].suite, &x);
	}
	bc_xml_end(&x);
	return bc_xml_close(&x, out);
}

enum bc_status bc_sheet_write(const struct bc_sheet *s, enum bc_sheet_format f, bool utf8, struct bc_text *out,
			      struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };

	switch (f) {
	case BC_SHEET_TEXT: put_text(s, utf8, &o); break;
	case BC_SHEET_JSON: return put_json(s, out, err);
	case BC_SHEET_HTML: put_html(s, &o); break;
	case BC_SHEET_JUNIT: return put_junit(s, out, err);
	}
	return o.st;
}
