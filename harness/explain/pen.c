/* SPDX-License-Identifier: MIT */
#include "harness/explain/pen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/escape.h"

/* A printf that appends: the text may be long, but no line is. */
static void put(struct bc_pen *p, struct bc_text *to, const char *fmt, va_list ap)
{
	char buf[1024];
	const int n = vsnprintf(buf, sizeof(buf), fmt, ap);

	if (p->st)
		return;
	if (n < 0 || (size_t)n >= sizeof(buf))
		p->st = bc_fail(p->err, BC_EDATA, "a text of the picture is longer than %zu bytes", sizeof(buf) - 1);
	else
		p->st = bc_text_add(to, buf, (size_t)n, p->err);
}

void bc_pen_put(struct bc_pen *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put(p, &p->line, fmt, ap);
	va_end(ap);
}

void bc_pen_end(struct bc_pen *p)
{
	size_t len = p->line.len;

	while (len > 0 && p->line.data[len - 1] == ' ')
		len--;
	if (!p->st && len > 0)
		p->st = bc_text_add(p->out, p->line.data, len, p->err);
	if (!p->st)
		p->st = bc_text_add(p->out, "\n", 1, p->err);
	bc_text_clear(&p->line);
}

/* Bytes of the character at @s, which is valid UTF-8. */
static size_t character(const char *s)
{
	size_t n = 1;

	while (((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

static unsigned width(const char *s, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i += character(s + i))
		n++;
	return n;
}

/* One word, cut where it is wider than a line has room. @column: where the line at hand ends. */
static void put_word(struct bc_pen *p, const char *word, size_t len, unsigned *column)
{
	const unsigned wide = width(word, len);

	if (*column > p->indent && *column + 1 + wide > p->columns) {
		bc_pen_end(p);
		*column = 0;
	} else if (*column > p->indent) {
		bc_pen_put(p, " ");
		++*column;
	}
	for (size_t i = 0; i < len; i += character(word + i)) {
		if (*column == p->columns) {
			bc_pen_end(p);
			*column = 0;
		}
		if (*column == 0) {
			bc_pen_put(p, "%*s", (int)p->indent, "");
			*column = p->indent;
		}
		if ((unsigned char)word[i] < 0x80 || p->utf8)
			bc_pen_put(p, "%.*s", (int)character(word + i), word + i);
		else
			bc_pen_put(p, "?");
		++*column;
	}
}

void bc_pen_field(struct bc_pen *p, const char *label, const char *fmt, ...)
{
	struct bc_text raw = { 0 }, text = { 0 };
	unsigned column = p->indent;
	va_list ap;

	va_start(ap, fmt);
	put(p, &raw, fmt, ap);
	va_end(ap);
	if (!p->st)
		p->st = bc_escape(&text, BC_ESCAPE_LINE, raw.data ? raw.data : "", raw.len, p->err);
	bc_pen_put(p, "%-*s", (int)p->indent, label);
	for (const char *s = text.data; !p->st && s && *s;) {
		const size_t len = strcspn(s, " ");

		if (len > 0)
			put_word(p, s, len, &column);
		s += len + strspn(s + len, " ");
	}
	bc_pen_end(p);
	bc_text_release(&text);
	bc_text_release(&raw);
}

enum bc_status bc_pen_close(struct bc_pen *p)
{
	bc_text_release(&p->line);
	return p->st;
}
