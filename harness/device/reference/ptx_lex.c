/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx_text.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
	return is_alpha(c) || is_digit(c) || c == '_' || c == '$';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool bc_ptx_slice_is(struct bc_ptx_slice s, const char *word)
{
	const size_t n = strlen(word);

	return s.len == n && memcmp(s.s, word, n) == 0;
}

bool bc_ptx_slice_same(struct bc_ptx_slice a, struct bc_ptx_slice b)
{
	return a.len == b.len && memcmp(a.s, b.s, a.len) == 0;
}

static char peek(const struct bc_ptx_lexer *lx, size_t ahead)
{
	return (size_t)(lx->end - lx->at) > ahead ? lx->at[ahead] : '\0';
}

/* White space and comments. @spaced: set when there was any. */
static enum bc_status skip_blank(struct bc_ptx_lexer *lx, bool *spaced, struct bc_error *err)
{
	for (;;) {
		const char c = peek(lx, 0);

		if (lx->at == lx->end)
			return BC_OK;
		if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
			lx->line += c == '\n';
			lx->at++;
		} else if (c == '/' && peek(lx, 1) == '/') {
			bc_ptx_lex_skip_line(lx);
		} else if (c == '/' && peek(lx, 1) == '*') {
			const unsigned start = lx->line;

			for (lx->at += 2; peek(lx, 0) != '*' || peek(lx, 1) != '/'; lx->at++) {
				if (lx->at == lx->end)
					return bc_fail(err, BC_EDATA, "%s:%u: comment is not closed", lx->path, start);
				lx->line += *lx->at == '\n';
			}
			lx->at += 2;
		} else {
			return BC_OK;
		}
		*spaced = true;
	}
}

void bc_ptx_lex_skip_line(struct bc_ptx_lexer *lx)
{
	while (lx->at < lx->end && *lx->at != '\n')
		lx->at++;
}

/* 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: exactly @digits hex digits after the two letters. */
static enum bc_status lex_hex_float(struct bc_ptx_lexer *lx, struct bc_ptx_token *t, unsigned digits,
				    struct bc_error *err)
{
	lx->at += 2;
	t->value = 0;
	for (unsigned i = 0; i < digits; i++) {
		const int d = hex_digit(peek(lx, 0));

		if (d < 0)
			return bc_fail(err, BC_EDATA, "%s:%u: a floating-point constant of this form has %u hex digits",
				       lx->path, lx->line, digits);
		t->value = t->value << 4 | (unsigned)d;
		lx->at++;
	}
	t->kind = digits == 8 ? BC_PTX_T_F32 : BC_PTX_T_F64;
	return BC_OK;
}

static enum bc_status lex_decimal_float(struct bc_ptx_lexer *lx, struct bc_ptx_token *t, size_t len,
					struct bc_error *err)
{
	char buf[64];
	char *end = NULL;
	double v;
	locale_t c_locale, before;

	if (len >= sizeof(buf))
		return bc_fail(err, BC_EDATA, "%s:%u: number too long", lx->path, lx->line);
	memcpy(buf, lx->at, len);
	buf[len] = '\0';
	c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	if (c_locale == (locale_t)0)
		return bc_fail(err, BC_ENOMEM, "%s:%u: no C locale: %s", lx->path, lx->line, strerror(errno));
	before = uselocale(c_locale);
	v = strtod(buf, &end);
	(void)uselocale(before);
	freelocale(c_locale);
	if (end != buf + len)
		return bc_fail(err, BC_EDATA, "%s:%u: malformed number '%s'", lx->path, lx->line, buf);
	memcpy(&t->value, &v, sizeof(v));
	t->kind = BC_PTX_T_F64;
	lx->at += len;
	return BC_OK;
}

/* Return: length of a decimal floating-point constant here, 0 when it is an integer. */
static size_t decimal_float_length(const struct bc_ptx_lexer *lx)
{
	size_t n = 0, exp;

	while (is_digit(peek(lx, n)))
		n++;
	if (peek(lx, n) != '.' && peek(lx, n) != 'e' && peek(lx, n) != 'E')
		return 0;
	if (peek(lx, n) == '.')
		for (n++; is_digit(peek(lx, n)); n++)
			;
	if (peek(lx, n) == 'e' || peek(lx, n) == 'E') {
		exp = n + 1;
		exp += peek(lx, exp) == '+' || peek(lx, exp) == '-';
		if (is_digit(peek(lx, exp)))
			for (n = exp; is_digit(peek(lx, n)); n++)
				;
	}
	return n;
}

static enum bc_status lex_number(struct bc_ptx_lexer *lx, struct bc_ptx_token *t, struct bc_error *err)
{
	const char second = peek(lx, 1);
	unsigned base = 10, digits = 0;
	size_t len;

	if (peek(lx, 0) == '0' && (second == 'f' || second == 'F'))
		return lex_hex_float(lx, t, 8, err);
	if (peek(lx, 0) == '0' && (second == 'd' || second == 'D'))
		return lex_hex_float(lx, t, 16, err);
	len = decimal_float_length(lx);
	if (len > 0)
		return lex_decimal_float(lx, t, len, err);
	if (peek(lx, 0) == '0' && (second == 'x' || second == 'X' || second == 'b' || second == 'B')) {
		base = second == 'x' || second == 'X' ? 16 : 2;
		lx->at += 2;
	} else if (peek(lx, 0) == '0' && is_digit(second)) {
		base = 8;
	}
	t->kind = BC_PTX_T_INT;
	t->value = 0;
	for (;; lx->at++, digits++) {
		const int d = hex_digit(peek(lx, 0));

		if (d < 0 || (unsigned)d >= base)
			break;
		if (t->value > (UINT64_MAX - (unsigned)d) / base)
			return bc_fail(err, BC_EDATA, "%s:%u: integer constant above 64 bits", lx->path, lx->line);
		t->value = t->value * base + (unsigned)d;
	}
	if (peek(lx, 0) == 'U')
		lx->at++;
	if (digits == 0 || is_word(peek(lx, 0)))
		return bc_fail(err, BC_EDATA, "%s:%u: malformed number", lx->path, lx->line);
	return BC_OK;
}

static enum bc_status lex_string(struct bc_ptx_lexer *lx, struct bc_ptx_token *t, struct bc_error *err)
{
	t->kind = BC_PTX_T_STRING;
	lx->at++;
	while (lx->at < lx->end && *lx->at != '"' && *lx->at != '\n')
		lx->at += *lx->at == '\\' && lx->end - lx->at > 1 && lx->at[1] != '\n' ? 2 : 1;
	if (peek(lx, 0) != '"')
		return bc_fail(err, BC_EDATA, "%s:%u: string is not closed", lx->path, lx->line);
	lx->at++;
	return BC_OK;
}

/* ".word", with "::word" parts: ".L1::evict_last", ".shared::cta". */
static void lex_dot(struct bc_ptx_lexer *lx, struct bc_ptx_token *t)
{
	t->kind = BC_PTX_T_DOT;
	lx->at++;
	for (;;) {
		while (is_word(peek(lx, 0)))
			lx->at++;
		if (peek(lx, 0) != ':' || peek(lx, 1) != ':' || !is_word(peek(lx, 2)))
			break;
		lx->at += 2;
	}
	t->text.s++;
}

enum bc_status bc_ptx_next_token(struct bc_ptx_lexer *lx, struct bc_ptx_token *t, struct bc_error *err)
{
	enum bc_status st;
	char c;

	*t = (struct bc_ptx_token){ .kind = BC_PTX_T_END };
	st = skip_blank(lx, &t->spaced, err);
	if (st)
		return st;
	t->line = lx->line;
	t->text.s = lx->at;
	if (lx->at == lx->end)
		return BC_OK;
	c = peek(lx, 0);
	if (is_alpha(c) || c == '_' || c == '$' || (c == '%' && is_word(peek(lx, 1)))) {
		t->kind = BC_PTX_T_WORD;
		for (lx->at++; is_word(peek(lx, 0)); lx->at++)
			;
	} else if (is_digit(c)) {
		st = lex_number(lx, t, err);
	} else if (c == '.' && is_word(peek(lx, 1))) {
		lex_dot(lx, t);
	} else if (c == '"') {
		st = lex_string(lx, t, err);
	} else if (strchr("{}[]()<>,;:@!|=+-*/~&^?%#.", c) && c != '\0') {
		t->kind = BC_PTX_T_PUNCT;
		t->punct = c;
		lx->at++;
	} else {
		return bc_fail(err, BC_EDATA, "%s:%u: unexpected character 0x%02x", lx->path, lx->line,
			       (unsigned)(unsigned char)c);
	}
	t->text.len = (uint32_t)(lx->at - t->text.s);
	return st;
}
