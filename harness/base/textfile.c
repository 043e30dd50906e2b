/* SPDX-License-Identifier: MIT */
#include "harness/base/textfile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIGITS_MAX 15 /* 10^15 < 2^53: the digits and the power of ten are exact, so is the quotient's rounding */

enum bc_status bc_textfile_read(const char *path, struct bc_text *out, struct bc_error *err)
{
	struct bc_text text = { 0 };
	const enum bc_status st = bc_file_read(path, BC_TEXTFILE_MAX, &text, err);

	if (st)
		return st;

	const char *nul = memchr(text.data, '\0', text.len);

	if (nul) {
		unsigned line = 1;

		for (const char *p = text.data; p < nul; p++)
			line += *p == '\n';
		bc_text_release(&text);
		return bc_fail(err, BC_EDATA, "%s:%u: a NUL byte: this is not a text file", path, line);
	}
	*out = text;
	return BC_OK;
}

void bc_lines_start(struct bc_lines *l, const char *text, const char *path)
{
	*l = (struct bc_lines){ .path = path, .next = text };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The line from @start, @len bytes, checked and copied into l->text without blanks at its ends. */
static enum bc_status take_line(struct bc_lines *l, const char *start, size_t len, struct bc_error *err)
{
	if (len > 0 && start[len - 1] == '\r')
		len--;
	while (len > 0 && is_blank(*start)) {
		start++;
		len--;
	}
	while (len > 0 && is_blank(start[len - 1]))
		len--;
	if (len >= sizeof(l->text))
		return bc_fail(err, BC_EDATA, "%s:%u: a line of %zu bytes: at most %zu are allowed", l->path, l->number,
			       len, sizeof(l->text) - 1);
	for (size_t i = 0; i < len; i++) {
		const unsigned char c = (unsigned char)start[i];

		if (c == 0x7f || (c < 0x20 && c != '\t'))
			return bc_fail(err, BC_EDATA, "%s:%u: control character 0x%02x: remove it", l->path, l->number,
				       c);
	}
	memcpy(l->text, start, len);
	l->text[len] = '\0';
	return BC_OK;
}

enum bc_status bc_lines_next(struct bc_lines *l, bool *more, struct bc_error *err)
{
	while (*l->next != '\0') {
		const char *start = l->next;
		const size_t len = strcspn(start, "\n");

		l->next = start + len + (start[len] == '\n');
		l->number++;

		const enum bc_status st = take_line(l, start, len, err);

		if (st)
			return st;
		if (l->text[0] != '\0' && l->text[0] != '#') {
			*more = true;
			return BC_OK;
		}
	}
	*more = false;
	return BC_OK;
}

char *bc_field(char **cursor)
{
	char *start = *cursor + strspn(*cursor, " \t");
	char *end = start + strcspn(start, " \t");

	if (*start == '\0')
		return NULL;
	*cursor = *end == '\0' ? end : end + 1;
	*end = '\0';
	return start;
}

char *bc_rest(char **cursor)
{
	char *start = *cursor + strspn(*cursor, " \t");

	*cursor = start + strlen(start);
	return *start == '\0' ? NULL : start;
}

bool bc_number_parse(const char *s, double *out)
{
	const bool negative = *s == '-';
	uint64_t digits = 0;
	double scale = 1;
	unsigned n = 0, whole = 0;
	bool point = false;

	for (s += negative; *s != '\0'; s++) {
		if (*s == '.' && !point && whole > 0) {
			point = true;
			continue;
		}
		if (*s < '0' || *s > '9' || n == DIGITS_MAX)
			return false;
		digits = digits * 10 + (uint64_t)(*s - '0');
		n++;
		if (point)
			scale *= 10;
		else
			whole++;
	}
	if (whole == 0 || (point && n == whole))
		return false;
	*out = (double)digits / scale;
	if (negative)
		*out = -*out;
	return true;
}

bool bc_u32_parse(const char *s, uint32_t *out)
{
	uint64_t v = 0;

	if (*s == '\0')
		return false;
	for (; *s != '\0'; s++) {
		if (*s < '0' || *s > '9')
			return false;
		v = v * 10 + (uint64_t)(*s - '0');
		if (v > UINT32_MAX)
			return false;
	}
	*out = (uint32_t)v;
	return true;
}

const char *bc_number_text(double v, char buf[BC_NUMBER_MAX])
{
	const char *word = isnan(v) ? "nan" : v > 1e12 ? "over 1e12" : v < -1e12 ? "below -1e12" : NULL;

	if (word) {
		bc_strlcpy(buf, word, BC_NUMBER_MAX);
		return buf;
	}

	const uint64_t micro = (uint64_t)(fabs(v) * 1e6 + 0.5);
	const char *sign = v < 0 && micro > 0 ? "-" : "";
	int n = snprintf(buf, BC_NUMBER_MAX, "%s%" PRIu64 ".%06" PRIu64, sign, micro / 1000000, micro % 1000000);

	if (n < 0 || n >= BC_NUMBER_MAX) {
		bc_strlcpy(buf, "?", BC_NUMBER_MAX);
		return buf;
	}
	while (buf[n - 1] == '0')
		buf[--n] = '\0';
	if (buf[n - 1] == '.')
		buf[n - 1] = '\0';
	return buf;
}
