/* SPDX-License-Identifier: MIT */
#include "harness/explain/drawing.h"

#include <stdarg.h>

void bc_drawing_end_line(struct bc_drawing *d)
{
	struct bc_text *t = d->out.to;

	while (t->len > 0 && t->data[t->len - 1] == ' ')
		t->len--;
	bc_put(&d->out, "\n");
}

void bc_drawing_field(struct bc_drawing *d, const char *label, const char *fmt, ...)
{
	struct bc_text raw = { 0 }, safe = { 0 };
	struct bc_out field = bc_out_part(&d->out, &safe);
	va_list ap;

	va_start(ap, fmt);
	if (!field.st)
		field.st = bc_text_vaddf(&raw, field.err, fmt, ap);
	va_end(ap);
	bc_put_line(&field, raw.data ? raw.data : "");
	bc_out_join(&d->out, &field);
	bc_putf(&d->out, "%-*s", (int)d->wrap.indent, label);
	bc_put_wrapped(&d->out, &d->wrap, bc_out_text(&field));
	bc_drawing_end_line(d);
	bc_text_release(&safe);
	bc_text_release(&raw);
}
