/* SPDX-License-Identifier: MIT */
#include "harness/history/table.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void bc_table_add(struct bc_table *t, const char *fmt, ...)
{
	struct bc_text raw = { 0 };
	struct bc_out cell = bc_out_part(t->out, &t->cells);
	va_list ap;

	va_start(ap, fmt);
	if (!cell.st)
		cell.st = bc_text_vaddf(&raw, cell.err, fmt, ap);
	va_end(ap);
	bc_put_printable(&cell, raw.data ? raw.data : "", t->utf8);
	bc_put_bytes(&cell, "", 1);
	bc_out_join(t->out, &cell);
	bc_text_release(&raw);
	t->n++;
}

void bc_table_end(struct bc_table *t, size_t columns, unsigned indent)
{
	size_t width[BC_TABLE_COLUMNS] = { 0 };
	const char *cell = t->cells.data;

	for (size_t i = 0; !t->out->st && i < t->n; i++, cell += strlen(cell) + 1) {
		const size_t w = bc_text_width(cell, strlen(cell));

		if (w > width[i % columns])
			width[i % columns] = w;
	}
	cell = t->cells.data;
	for (size_t i = 0; !t->out->st && i < t->n; i++, cell += strlen(cell) + 1) {
		const size_t k = i % columns;
		const bool last = k + 1 == columns || i + 1 == t->n;
		const size_t pad = last ? 0 : width[k] - bc_text_width(cell, strlen(cell)) + 2;

		bc_putf(t->out, "%*s", k == 0 ? (int)indent : 0, "");
		bc_put(t->out, cell);
		bc_putf(t->out, "%*s%s", (int)pad, "", last ? "\n" : "");
	}
	bc_text_release(&t->cells);
	t->n = 0;
}

/* Runs of column @i: *from up to the result. */
static size_t column(size_t i, size_t n, size_t columns, size_t *from)
{
	*from = i * n / columns;
	return (i + 1) * n / columns;
}

void bc_put_verdict_strip(struct bc_out *o, const enum bc_verdict *v, size_t n)
{
	const size_t columns = n < BC_VERDICT_STRIP_COLUMNS ? n : BC_VERDICT_STRIP_COLUMNS;

	for (size_t i = 0; i < columns; i++) {
		size_t from;
		const size_t to = column(i, n, columns, &from);
		enum bc_verdict worst = v[from];

		for (size_t k = from; k < to; k++)
			if (bc_verdict_rank(v[k]) > bc_verdict_rank(worst))
				worst = v[k];
		bc_putf(o, "%c", worst == BC_PASS ? '.' : bc_verdict_letter(worst));
	}
}

void bc_put_sparkline(struct bc_out *o, const double *v, size_t n, bool utf8)
{
	static const char *const marks[2][8] = {
		{ "_", ".", "-", "~", "=", "+", "*", "#" },
		{ "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588" },
	};
	const size_t columns = n < BC_VERDICT_STRIP_COLUMNS ? n : BC_VERDICT_STRIP_COLUMNS;
	double lo = (double)NAN, hi = (double)NAN;

	for (size_t i = 0; i < n; i++) {
		lo = fmin(lo, v[i]);
		hi = fmax(hi, v[i]);
	}
	for (size_t i = 0; i < columns; i++) {
		size_t from;
		const size_t to = column(i, n, columns, &from);
		double most = (double)NAN;

		for (size_t k = from; k < to; k++)
			most = fmax(most, v[k]);
		if (isnan(most))
			bc_put(o, " ");
		else
			bc_put(o, marks[utf8][hi > lo ? (size_t)((most - lo) / (hi - lo) * 7 + 0.5) : 0]);
	}
}
