/* SPDX-License-Identifier: MIT */
#include "harness/base/out.h"

#include <stdarg.h>
#include <string.h>

void bc_put(struct bc_out *o, const char *s)
{
	bc_put_bytes(o, s, strlen(s));
}

void bc_put_bytes(struct bc_out *o, const char *bytes, size_t len)
{
	if (!o->st)
		o->st = bc_text_add(o->to, bytes, len, o->err);
}

void bc_putf(struct bc_out *o, const char *fmt, ...)
{
	va_list ap;

	if (o->st)
		return;
	va_start(ap, fmt);
	o->st = bc_text_vaddf(o->to, o->err, fmt, ap);
	va_end(ap);
}

void bc_put_escaped(struct bc_out *o, enum bc_escape how, const char *s)
{
	if (!o->st)
		o->st = bc_escape_str(o->to, how, s, o->err);
}

void bc_put_line(struct bc_out *o, const char *s)
{
	bc_put_escaped(o, BC_ESCAPE_LINE, s);
}

void bc_put_markdown(struct bc_out *o, const char *s, const char *plain)
{
	struct bc_text line = { 0 };
	struct bc_out part = bc_out_part(o, &line);

	bc_put_line(&part, s);
	bc_out_join(o, &part);
	for (size_t i = 0; i < line.len; i++) {
		const unsigned char c = (unsigned char)line.data[i];
		const bool stays = c >= 0x80 || c == ' ' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
				   (c >= 'A' && c <= 'Z') || strchr(plain, c);

		bc_putf(o, stays ? "%c" : "&#%u;", c);
	}
	bc_text_release(&line);
}

struct bc_out bc_out_part(const struct bc_out *o, struct bc_text *to)
{
	return (struct bc_out){ .to = to, .err = o->err, .st = o->st };
}

void bc_out_join(struct bc_out *o, const struct bc_out *part)
{
	if (!o->st)
		o->st = part->st;
}

const char *bc_out_text(const struct bc_out *o)
{
	return o->to->len ? o->to->data : "";
}
