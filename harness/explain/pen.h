/* SPDX-License-Identifier: MIT */
/* harness/explain/pen.h - lines of a picture: wrapped, without blanks at their ends, in the characters that are
 * allowed.
 *
 * The first failure is kept in the pen; what is drawn after it is dropped, so that callers look once, at the end.
 */
#ifndef BC_EXPLAIN_PEN_H
#define BC_EXPLAIN_PEN_H

#include "harness/base/base.h"

struct bc_pen {
	struct bc_text *out;
	bool utf8;	     /* false: what is not ASCII becomes `?` */
	unsigned columns;    /* most of a line that is wrapped */
	unsigned indent;     /* where the text of a field starts */
	struct bc_text line; /* the line at hand, not yet in out */
	enum bc_status st;
	struct bc_error *err;
};

/* Append to the line at hand. What is drawn must be printable; nothing is wrapped. */
void bc_pen_put(struct bc_pen *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* End the line at hand. */
void bc_pen_end(struct bc_pen *p);

/* A line `label   text`, the text wrapped at blanks and indented; control characters are escaped. @label "": none. */
void bc_pen_field(struct bc_pen *p, const char *label, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Return: the first failure. The pen's memory is freed. */
enum bc_status bc_pen_close(struct bc_pen *p);

#endif
