/* SPDX-License-Identifier: MIT */
/* harness/explain/drawing.h - the text that `bankcheck explain` prints: labelled fields and lines of a picture.
 *
 * Parts of a line are put into .out (base/out.h), in printable characters; bc_drawing_end_line ends it.
 */
#ifndef BC_EXPLAIN_DRAWING_H
#define BC_EXPLAIN_DRAWING_H

#include "harness/base/terminal.h"

struct bc_drawing {
	struct bc_out out;
	struct bc_wrap wrap; /* of fields: the indent is where their text starts */
};

/* End the line at hand, without blanks at its end. */
void bc_drawing_end_line(struct bc_drawing *d);

/* A line `label   text`, the text wrapped at blanks and indented; control characters are escaped. @label "": none. */
void bc_drawing_field(struct bc_drawing *d, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
