/* SPDX-License-Identifier: MIT */
#include "harness/run/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum bc_status add_escaped(struct bc_text *t, const char *s, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	while (!st && *s) {
		const size_t plain = strcspn(s, "\\\t\n\r");

		st = bc_text_add(t, s, plain, err);
		s += plain;
		if (st || !*s)
			break;
		st = bc_text_add(t, *s == '\\' ? "\\\\" : *s == '\t' ? "\\t" : *s == '\n' ? "\\n" : "\\r", 2, err);
		s++;
	}
	return st;
}

enum bc_status bc_message_begin(struct bc_text *t, const char *kind, struct bc_error *err)
{
	t->len = 0;
	return bc_text_add(t, kind, strlen(kind), err);
}

enum bc_status bc_message_add(struct bc_text *t, struct bc_error *err, const char *key, const char *fmt, ...)
{
	char value[4096];
	va_list ap;
	int n;
	enum bc_status st;

	va_start(ap, fmt);
	n = vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(value))
		return bc_fail(err, BC_EDATA, "message: the value of %s is too long", key);
	st = bc_text_add(t, "\t", 1, err);
	if (!st)
		st = bc_text_add(t, key, strlen(key), err);
	if (!st)
		st = bc_text_add(t, "=", 1, err);
	return st ? st : add_escaped(t, value, err);
}

enum bc_status bc_message_end(struct bc_text *t, struct bc_error *err)
{
	enum bc_status st = bc_text_add(t, "\n", 1, err);

	if (!st && t->len > BC_MESSAGE_BYTES)
		return bc_fail(err, BC_EDATA, "message of %zu bytes, at most %u", t->len, BC_MESSAGE_BYTES);
	return st;
}

static bool unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s != '\\') {
			*to++ = *s;
			continue;
		}
		s++;
		if (*s == '\\')
			*to++ = '\\';
		else if (*s == 't')
			*to++ = '\t';
		else if (*s == 'n')
			*to++ = '\n';
		else if (*s == 'r')
			*to++ = '\r';
		else
			return false;
	}
	*to = '\0';
	return true;
}

enum bc_status bc_message_parse(char *line, struct bc_fields *out, struct bc_error *err)
{
	char *next = line;

	memset(out, 0, sizeof(*out));
	out->kind = strsep(&next, "\t");
	if (!out->kind[0])
		return bc_fail(err, BC_EDATA, "message: an empty line");
	while (next) {
		char *field = strsep(&next, "\t"), *eq = strchr(field, '=');

		if (!eq || eq == field)
			return bc_fail(err, BC_EDATA, "message %.40s: a field without `=`: %.60s", out->kind, field);
		if (out->n == BC_MESSAGE_FIELDS)
			return bc_fail(err, BC_EDATA, "message %.40s: more than %d fields", out->kind,
				       BC_MESSAGE_FIELDS);
		*eq = '\0';
		if (!unescape(eq + 1))
			return bc_fail(err, BC_EDATA, "message %.40s: bad escape in %.40s", out->kind, field);
		out->field[out->n].key = field;
		out->field[out->n++].value = eq + 1;
	}
	return BC_OK;
}

const char *bc_message_get(const struct bc_fields *f, const char *key)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->field[i].key, key) == 0)
			return f->field[i].value;
	return "";
}
