/* SPDX-License-Identifier: MIT */
#include "harness/base/escape.h"

#include <stdio.h>
#include <string.h>

#define CUT_NOTE_MAX 48 /* "... (18446744073709551615 bytes cut)" */

/* Code points that are valid in UTF-8 and yet escaped: not XML 1.0, or not to be seen. All below U+10000. */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x0000, 0x001f }, /* C0 controls */
	{ 0x007f, 0x009f }, /* DEL, C1 controls */
	{ 0x200b, 0x200f }, /* zero width, direction marks */
	{ 0x2028, 0x202e }, /* line and paragraph separators, embeddings */
	{ 0x2060, 0x206f }, /* joiners, isolates */
	{ 0xd800, 0xdfff }, /* surrogates */
	{ 0xfeff, 0xfeff }, /* byte order mark */
	{ 0xfff9, 0xfffb }, /* annotations */
	{ 0xfffe, 0xffff }, /* not characters */
};

static bool is_hidden(uint32_t cp)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(hidden); i++)
		if (cp >= hidden[i].first && cp <= hidden[i].last)
			return true;
	return false;
}

/* Length of the UTF-8 sequence at @p, 1..4; surrogates are let through for the caller to name. 0: a bad byte. */
static size_t decode(const unsigned char *p, size_t left, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n;

	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		n = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		n = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (n > left)
		return 0;
	*cp = p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*cp = *cp << 6 | (p[i] & 0x3fu);
	}
	return *cp < least[n] || *cp > 0x10ffff ? 0 : n;
}

/* The character at @p: its escape in @esc, or "" when it stays. Returns the bytes it takes, at least 1. */
static size_t escape_one(const unsigned char *p, size_t left, enum bc_escape how, char esc[8])
{
	uint32_t cp = 0;
	const size_t n = decode(p, left, &cp);

	esc[0] = '\0';
	if (n == 0) {
		(void)snprintf(esc, 8, "\\x%02x", p[0]);
		return 1;
	}
	if (cp == '\\' && how == BC_ESCAPE_VALUE)
		(void)snprintf(esc, 8, "\\\\");
	else if ((cp == '\n' || cp == '\t') && how == BC_ESCAPE_TEXT)
		return n;
	else if (cp == '\n')
		(void)snprintf(esc, 8, "\\n");
	else if (cp == '\t')
		(void)snprintf(esc, 8, "\\t");
	else if (cp == '\r')
		(void)snprintf(esc, 8, "\\r");
	else if (is_hidden(cp) && cp < 0x80)
		(void)snprintf(esc, 8, "\\x%02x", (unsigned)(cp & 0x7f));
	else if (is_hidden(cp))
		(void)snprintf(esc, 8, "\\u%04x", (unsigned)(cp & 0xffff));
	return n;
}

/* Append escaped characters until the end or until @room bytes are used up; *done is what was taken of @bytes. */
static enum bc_status escape_into(struct bc_text *out, enum bc_escape how, const char *bytes, size_t len, size_t room,
				  size_t *done, struct bc_error *err)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t plain = 0; /* where the run of characters that stay began */
	size_t i = 0, used = 0;
	enum bc_status st = BC_OK;

	while (i < len) {
		char esc[8];
		const size_t n = escape_one(p + i, len - i, how, esc);
		const size_t cost = esc[0] ? strlen(esc) : n;

		if (cost > room - used)
			break;
		used += cost;
		if (esc[0]) {
			st = bc_text_add(out, bytes + plain, i - plain, err);
			if (!st)
				st = bc_text_add(out, esc, cost, err);
			if (st)
				return st;
			plain = i + n;
		}
		i += n;
	}
	*done = i;
	return bc_text_add(out, bytes + plain, i - plain, err);
}

enum bc_status bc_escape(struct bc_text *out, enum bc_escape how, const char *bytes, size_t len, struct bc_error *err)
{
	size_t done;

	return escape_into(out, how, bytes, len, SIZE_MAX, &done, err);
}

enum bc_status bc_escape_str(struct bc_text *out, enum bc_escape how, const char *s, struct bc_error *err)
{
	return bc_escape(out, how, s, strlen(s), err);
}

enum bc_status bc_escape_capped(struct bc_text *out, enum bc_escape how, const char *bytes, size_t len, size_t max,
				struct bc_error *err)
{
	const size_t start = out->len;
	size_t done;
	enum bc_status st = escape_into(out, how, bytes, len, max, &done, err);

	if (st || done == len)
		return st;
	out->len = start; /* again, with room for the note */
	st = escape_into(out, how, bytes, len, max > CUT_NOTE_MAX ? max - CUT_NOTE_MAX : 0, &done, err);
	if (st)
		return st;
	return bc_text_addf(out, err, "... (%zu bytes cut)", len - done);
}

/* Value of @n lower-case or upper-case hexadecimal digits; false when one is not. */
static bool hex(const char *p, size_t n, uint32_t *value)
{
	*value = 0;
	for (size_t i = 0; i < n; i++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *at = p[i] ? strchr(digits, p[i]) : NULL;

		if (!at)
			return false;
		*value = *value << 4 | (uint32_t)((at - digits) & 15);
	}
	return true;
}

/* Bytes of the escape at @p (a backslash) in @buf, their number in *n. Returns what it takes of @p, 0: no escape. */
static size_t unescape_one(const char *p, size_t left, char buf[3], size_t *n)
{
	static const char names[] = "\\nrt", bytes[] = "\\\n\r\t";
	uint32_t v;
	const char *at;

	if (left < 2 || !p[1])
		return 0;
	at = strchr(names, p[1]);
	*n = 1;
	if (at) {
		buf[0] = bytes[at - names];
		return 2;
	}
	if (p[1] == 'x' && left >= 4 && hex(p + 2, 2, &v)) {
		buf[0] = (char)(unsigned char)v;
		return 4;
	}
	if (p[1] != 'u' || left < 6 || !hex(p + 2, 4, &v) || v < 0x80)
		return 0;
	*n = v < 0x800 ? 2 : 3;
	if (v < 0x800) {
		buf[0] = (char)(unsigned char)(0xc0 | v >> 6);
	} else {
		buf[0] = (char)(unsigned char)(0xe0 | v >> 12);
		buf[1] = (char)(unsigned char)(0x80 | (v >> 6 & 0x3f));
	}
	buf[*n - 1] = (char)(unsigned char)(0x80 | (v & 0x3f));
	return 6;
}

enum bc_status bc_unescape(struct bc_text *out, const char *value, size_t len, struct bc_error *err)
{
	const size_t start = out->len;
	enum bc_status st = BC_OK;
	size_t i = 0;

	while (i < len && !st) {
		const char *slash = memchr(value + i, '\\', len - i);
		const size_t run = slash ? (size_t)(slash - (value + i)) : len - i;
		char buf[3];
		size_t n = 0, took = 0;

		st = bc_text_add(out, value + i, run, err);
		i += run;
		if (st || i == len)
			break;
		took = unescape_one(value + i, len - i, buf, &n);
		if (took == 0)
			st = bc_fail(err, BC_EDATA, "byte %zu: a backslash that begins none of the escapes", i);
		else
			st = bc_text_add(out, buf, n, err);
		i += took;
	}
	if (st && out->data) {
		out->len = start;
		out->data[start] = '\0';
	}
	return st;
}

static enum bc_status quote_ansi(struct bc_text *out, const char *word, struct bc_error *err)
{
	const unsigned char *p = (const unsigned char *)word;
	const size_t len = strlen(word);
	enum bc_status st = bc_text_add(out, "$'", 2, err);

	for (size_t i = 0; i < len && !st;) {
		char esc[8];
		const size_t n = escape_one(p + i, len - i, BC_ESCAPE_LINE, esc);

		if (esc[0])
			for (size_t k = 0; k < n && !st; k++)
				st = bc_text_addf(out, err, "\\%03o", p[i + k]);
		else if (p[i] == '\'' || p[i] == '\\')
			st = bc_text_addf(out, err, "\\%c", p[i]);
		else
			st = bc_text_add(out, word + i, n, err);
		i += n;
	}
	return st ? st : bc_text_add(out, "'", 1, err);
}

enum bc_status bc_shell_quote(struct bc_text *out, const char *word, struct bc_error *err)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:,+@%-=";
	const unsigned char *p = (const unsigned char *)word;
	const size_t len = strlen(word);
	enum bc_status st;

	/* '=' at the start expands in some shells; a word of plain characters may hold it elsewhere */
	if (len > 0 && word[0] != '=' && strspn(word, plain) == len)
		return bc_text_add(out, word, len, err);
	for (size_t i = 0; i < len;) {
		char esc[8];
		const size_t n = escape_one(p + i, len - i, BC_ESCAPE_LINE, esc);

		if (esc[0])
			return quote_ansi(out, word, err);
		i += n;
	}
	st = bc_text_add(out, "'", 1, err);
	for (size_t i = 0; i < len && !st; i++)
		st = word[i] == '\'' ? bc_text_add(out, "'\\''", 4, err) : bc_text_add(out, word + i, 1, err);
	return st ? st : bc_text_add(out, "'", 1, err);
}

void bc_text_clear(struct bc_text *t)
{
	t->len = 0;
	if (t->data)
		t->data[0] = '\0';
}

uint64_t bc_milliseconds(double seconds)
{
	if (!(seconds > 0))
		return 0;
	return seconds >= 1e12 ? UINT64_C(1000000000000000) : (uint64_t)(seconds * 1000 + 0.5);
}

void bc_seconds(uint64_t ms, char buf[BC_SECONDS_MAX])
{
	(void)snprintf(buf, BC_SECONDS_MAX, "%llu.%03llu", (unsigned long long)(ms / 1000),
		       (unsigned long long)(ms % 1000));
}
