/* SPDX-License-Identifier: MIT */
/* harness/base/out.h - writing into a text, with one look at the end for what went wrong.
 *
 * The first failure is kept in the writer and its error record; what is put after it is dropped.
 */
#ifndef BC_BASE_OUT_H
#define BC_BASE_OUT_H

#include "harness/base/escape.h"

struct bc_out {
	struct bc_text *to;
	struct bc_error *err;
	enum bc_status st; /* of the first failure; BC_OK: none yet */
};

/* Append a string as it is. */
void bc_put(struct bc_out *o, const char *s);

/* Append @len bytes as they are. */
void bc_put_bytes(struct bc_out *o, const char *bytes, size_t len);

/* Append what printf would print. */
void bc_putf(struct bc_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Append a string that may hold anything, made safe (escape.h). */
void bc_put_escaped(struct bc_out *o, enum bc_escape how, const char *s);

/* bc_put_escaped as one line. */
void bc_put_line(struct bc_out *o, const char *s);

/* bc_put_line in Markdown: all but letters, digits, blanks, what is not ASCII and @plain becomes an entity, so that
 * nothing in it can format, link or open a tag. */
void bc_put_markdown(struct bc_out *o, const char *s, const char *plain);

/* A writer into another text, for a part that is changed before it is put into @o; it starts with @o's failure. */
struct bc_out bc_out_part(const struct bc_out *o, struct bc_text *to);

/* Keep the failure of @part when it is the first. */
void bc_out_join(struct bc_out *o, const struct bc_out *part);

/* What was put, "" when that is nothing. */
const char *bc_out_text(const struct bc_out *o);

#endif
