/* SPDX-License-Identifier: MIT */
/* harness/base/escape.h - text made safe before a report format sees it, and times that no locale changes.
 *
 * Names, messages and reasons come from outside and may hold anything. What XML 1.0 cannot carry,
 * what moves a terminal's cursor and what a reader cannot see becomes a readable escape; everything else stays:
 *
 *	\n \r \t         line feed, carriage return, tab
 *	\x1b             one byte: other control characters, DEL, and every byte that is not valid UTF-8
 *	\u202e           one code point: C1 controls, surrogates, U+FFFE, U+FFFF, and the invisible ones
 *	                 (zero width, direction marks, line and paragraph separators, byte order mark)
 *	\\               a backslash (BC_ESCAPE_VALUE only)
 */
#ifndef BC_BASE_ESCAPE_H
#define BC_BASE_ESCAPE_H

#include "harness/base/base.h"

enum bc_escape {
	BC_ESCAPE_TEXT = 0, /* several lines: line feed and tab stay as they are */
	BC_ESCAPE_LINE,	    /* one line: line feed and tab are escaped */
	BC_ESCAPE_VALUE,    /* as BC_ESCAPE_LINE, and a backslash is doubled: bc_unescape gives the bytes back */
};

/**
 * bc_escape - append @len bytes, escaped
 *
 * The result is valid UTF-8 and holds only characters that XML 1.0 allows. '=' is never escaped: a key has none,
 * so a key=value line is split at its first '='.
 */
enum bc_status bc_escape(struct bc_text *out, enum bc_escape how, const char *bytes, size_t len, struct bc_error *err);

/* bc_escape of a NUL-terminated string. */
enum bc_status bc_escape_str(struct bc_text *out, enum bc_escape how, const char *s, struct bc_error *err);

/**
 * bc_escape_capped - bc_escape, but at most @max bytes are appended
 * @max: at least 64
 *
 * A longer text is cut between two characters or escapes and ends with "... (N bytes cut)", N counted in @bytes.
 */
enum bc_status bc_escape_capped(struct bc_text *out, enum bc_escape how, const char *bytes, size_t len, size_t max,
				struct bc_error *err);

/**
 * bc_unescape - append the bytes that BC_ESCAPE_VALUE turned into @value
 *
 * bc_unescape(bc_escape(b)) is b for all byte strings. Return: BC_EDATA for an escape that is not in the list above;
 * what was appended until then is taken back.
 */
enum bc_status bc_unescape(struct bc_text *out, const char *value, size_t len, struct bc_error *err);

/**
 * bc_shell_quote - append one word as a POSIX shell reads it back
 *
 * Plain when it holds nothing special; '...' otherwise; $'...' with octal bytes when it holds what bc_escape would
 * escape, so that the line can be shown and copied.
 */
enum bc_status bc_shell_quote(struct bc_text *out, const char *word, struct bc_error *err);

/* Empty a text and keep its memory; data stays NUL-terminated. */
void bc_text_clear(struct bc_text *t);

/* Whole milliseconds of @seconds, 0 for what is negative or no number; at most 10^15. */
uint64_t bc_milliseconds(double seconds);

/* @ms as seconds with three decimals and a point: "1.234". */
#define BC_SECONDS_MAX 32
void bc_seconds(uint64_t ms, char buf[BC_SECONDS_MAX]);

#endif
