/* SPDX-License-Identifier: MIT */
/* harness/base/textfile.h - texts of lines and fields, and the numbers in them.
 *
 * A text is lines of fields separated by blanks (spaces and tabs). Empty lines and lines whose first character
 * that is not blank is `#` are skipped. Numbers are read and written with a point under any locale.
 */
#ifndef BC_BASE_TEXTFILE_H
#define BC_BASE_TEXTFILE_H

#include "harness/base/base.h"

#define BC_LINE_MAX 1024
#define BC_TEXTFILE_MAX ((size_t)64 << 20) /* bytes of the largest text that is read */
#define BC_NUMBER_MAX 32

struct bc_lines {
	const char *path;	/* for messages */
	const char *next;	/* where the next line starts */
	unsigned number;	/* of the line in text, from 1 */
	char text[BC_LINE_MAX]; /* the line, without its end, without blanks at both ends */
};

/**
 * bc_textfile_read - a text file into memory
 *
 * Return: BC_EREAD when it cannot be read; BC_EDATA with path:line when it holds a NUL byte.
 */
enum bc_status bc_textfile_read(const char *path, struct bc_text *out, struct bc_error *err);

/* Start at the first line of @text (NUL-terminated, outlives @l, as @path does). */
void bc_lines_start(struct bc_lines *l, const char *text, const char *path);

/**
 * bc_lines_next - the next line that says something, into l->text
 * @more: false at the end of the text
 *
 * Return: BC_EDATA with path:line for a line over BC_LINE_MAX - 1 bytes or one with a control character.
 */
enum bc_status bc_lines_next(struct bc_lines *l, bool *more, struct bc_error *err);

/* Cut the next field off *@cursor (in place). Return: the field, NULL when none is left. */
char *bc_field(char **cursor);

/* The rest of the line from *@cursor, without blanks in front. Return: NULL when there is none. */
char *bc_rest(char **cursor);

/**
 * bc_number_parse - a decimal number: [-]digits[.digits], at most 15 digits, read exactly
 *
 * Return: false when @s is anything else (an exponent, a comma, "nan", a sign `+`, an empty text).
 */
bool bc_number_parse(const char *s, double *out);

/* Decimal digits only, 0..2^32-1. Return: false when @s is anything else. */
bool bc_u32_parse(const char *s, uint32_t *out);

/**
 * bc_number_text - a number as short as it is true to 6 decimals: "2", "3.51", "-0.5", "nan"
 *
 * Return: @buf.
 */
const char *bc_number_text(double v, char buf[BC_NUMBER_MAX]);

#endif
