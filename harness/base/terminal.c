/* SPDX-License-Identifier: MIT */
#include "harness/base/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

bool bc_locale_is_utf8(void)
{
	const char *now = setlocale(LC_CTYPE, NULL);
	char *before = now ? strdup(now) : NULL;
	bool utf8;

	if (!before)
		return false;
	utf8 = setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	(void)setlocale(LC_CTYPE, before);
	free(before);
	return utf8;
}

/* Is @c the first byte of a character? */
static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t bc_text_width(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += starts_character(s[i]);
	return n;
}

/* @s, which is printable, in the characters that the locale has. */
static void put_shown(struct bc_out *o, const char *s, size_t len, bool utf8)
{
	for (size_t i = 0; i < len;) {
		size_t n = i;

		while (n < len && (utf8 || (unsigned char)s[n] < 0x80))
			n++;
		bc_put_bytes(o, s + i, n - i);
		if (n < len)
			bc_put(o, "?");
		for (i = n < len ? n + 1 : n; i < len && !starts_character(s[i]);)
			i++;
	}
}

void bc_put_printable(struct bc_out *o, const char *s, bool utf8)
{
	struct bc_text line = { 0 };
	struct bc_out part = bc_out_part(o, &line);

	bc_put_line(&part, s);
	bc_out_join(o, &part);
	put_shown(o, bc_out_text(&part), line.len, utf8);
	bc_text_release(&line);
}

/* Bytes of the first @columns characters of @s, at most @len. */
static size_t bytes_of(const char *s, size_t len, size_t columns)
{
	size_t i = 0;

	for (; i < len; i++)
		if (starts_character(s[i]) && columns-- == 0)
			break;
	return i;
}

static void next_line(struct bc_out *o, const struct bc_wrap *wrap, size_t *column)
{
	bc_putf(o, "\n%*s", (int)wrap->indent, "");
	*column = wrap->indent;
}

void bc_put_wrapped(struct bc_out *o, const struct bc_wrap *wrap, const char *s)
{
	size_t column = wrap->indent;

	for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
		const char *const end = s + strcspn(s, " ");

		if (column > wrap->indent && column + 1 + bc_text_width(s, (size_t)(end - s)) > wrap->columns) {
			next_line(o, wrap, &column);
		} else if (column > wrap->indent) {
			bc_put(o, " ");
			column++;
		}
		while (s < end) {
			size_t n;

			if (column == wrap->columns)
				next_line(o, wrap, &column);
			n = bytes_of(s, (size_t)(end - s), wrap->columns - column);
			put_shown(o, s, n, wrap->utf8);
			column += bc_text_width(s, n);
			s += n;
		}
	}
}
