/* SPDX-License-Identifier: MIT */
/* harness/base/terminal.h - text for people: which characters their locale shows, how wide it is, where it is wrapped.
 *
 * Each character (code point) is taken to be one column wide.
 */
#ifndef BC_BASE_TERMINAL_H
#define BC_BASE_TERMINAL_H

#include "harness/base/out.h"

/* Does the user's locale take UTF-8? The program's own locale stays as it is; not for threads. */
bool bc_locale_is_utf8(void);

/* Columns of the first @len bytes of @s, which is valid UTF-8. */
size_t bc_text_width(const char *s, size_t len);

/* Append a string that may hold anything, escaped to one line; each character that is not ASCII becomes `?` where the
 * locale has no UTF-8 (@utf8 false). */
void bc_put_printable(struct bc_out *o, const char *s, bool utf8);

/* How a text is wrapped. */
struct bc_wrap {
	unsigned indent;  /* columns before the text in every line but the first */
	unsigned columns; /* most of a line, the indent among them; more than indent */
	bool utf8;	  /* false: each character that is not ASCII becomes `?` */
};

/**
 * bc_put_wrapped - append @s, wrapped at its blanks
 * @s: valid UTF-8 and printable (escape.h)
 *
 * The first line goes on at column @wrap->indent, where the caller has put what stands before it. Blanks in a row are
 * one. A word that is wider than a line is cut. No line ends with a blank; the last line has no line feed.
 */
void bc_put_wrapped(struct bc_out *o, const struct bc_wrap *wrap, const char *s);

#endif
