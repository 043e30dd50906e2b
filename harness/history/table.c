/* SPDX-License-Identifier: MIT */
#include "harness/history/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/base/escape.h"

enum bc_status bc_printable(struct bc_text *out, const char *s, bool utf8, struct bc_error *err)
{
	const size_t start = out->len;
	size_t to = start;
	enum bc_status st = bc_escape_str(out, BC_ESCAPE_LINE, s, err);

	if (st || utf8 || !out->data)
		return st;
	for (size_t i = start; i < out->len; i++) {
		const unsigned char c = (unsigned char)out->data[i];

		if (c < 0x80)
			out->data[to++] = out->data[i];
		else if (c >= 0xc0) /* the first byte of a character */
			out->data[to++] = '?';
	}
	out->len = to;
	out->data[to] = '\0';
	return BC_OK;
}

void bc_table_add(struct bc_table *t, const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	struct bc_text *grown = t->cell;
	int n;

	if (t->st)
		return;
	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n >= 0 && (t->n & (t->n - 1)) == 0)
		grown = realloc(t->cell, (t->n ? 2 * t->n : 1) * sizeof(*grown));
	if (n < 0 || !grown) {
		t->st = bc_fail(t->err, BC_ENOMEM, "history: out of memory");
	} else {
		t->cell = grown;
		grown[t->n] = (struct bc_text){ 0 };
		t->st = bc_printable(&grown[t->n++], s, t->utf8, t->err);
	}
	if (n >= 0)
		free(s);
}

/* Characters of UTF-8. */
static size_t width_of(const struct bc_text *cell)
{
	size_t n = 0;

	for (size_t i = 0; i < cell->len; i++)
		n += ((unsigned char)cell->data[i] & 0xc0) != 0x80;
	return n;
}

enum bc_status bc_table_end(struct bc_table *t, size_t columns, unsigned indent, struct bc_text *out)
{
	size_t width[BC_TABLE_COLUMNS] = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		const size_t w = width_of(&t->cell[i]);

		if (w > width[i % columns])
			width[i % columns] = w;
	}
	for (size_t i = 0; !t->st && i < t->n; i++) {
		const struct bc_text *cell = &t->cell[i];
		const size_t k = i % columns;
		const bool last = k + 1 == columns || i + 1 == t->n;
		const size_t pad = last ? 0 : width[k] - width_of(cell) + 2;

		if (k == 0)
			t->st = bc_text_addf(out, t->err, "%*s", (int)indent, "");
		if (!t->st && cell->len)
			t->st = bc_text_add(out, cell->data, cell->len, t->err);
		if (!t->st)
			t->st = bc_text_addf(out, t->err, "%*s%s", (int)pad, "", last ? "\n" : "");
	}
	for (size_t i = 0; i < t->n; i++)
		bc_text_release(&t->cell[i]);
	free(t->cell);
	t->cell = NULL;
	t->n = 0;
	return t->st;
}

char bc_verdict_letter(enum bc_verdict v)
{
	switch (v) {
	case BC_PASS: return '.';
	case BC_FAIL: return 'F';
	case BC_DISAGREE: return 'D';
	case BC_BROKEN: return 'B';
	case BC_LOST: return 'L';
	case BC_SKIP: return 's';
	case BC_UNJUDGED: return 'U';
	case BC_XFAIL: return 'x';
	case BC_XPASS: return 'X';
	case BC_NVERDICTS: break;
	}
	return '?';
}

/* Runs of column @i: *from up to the result. */
static size_t column(size_t i, size_t n, size_t columns, size_t *from)
{
	*from = i * n / columns;
	return (i + 1) * n / columns;
}

enum bc_status bc_verdict_strip(struct bc_text *out, const enum bc_verdict *v, size_t n, struct bc_error *err)
{
	const size_t columns = n < BC_VERDICT_STRIP_COLUMNS ? n : BC_VERDICT_STRIP_COLUMNS;
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < columns; i++) {
		size_t from;
		const size_t to = column(i, n, columns, &from);
		enum bc_verdict worst = v[from];

		for (size_t k = from; k < to; k++)
			if (bc_verdict_rank(v[k]) > bc_verdict_rank(worst))
				worst = v[k];
		st = bc_text_addf(out, err, "%c", bc_verdict_letter(worst));
	}
	return st;
}

enum bc_status bc_sparkline(struct bc_text *out, const double *v, size_t n, bool utf8, struct bc_error *err)
{
	static const char *const marks[2][8] = {
		{ "_", ".", "-", "~", "=", "+", "*", "#" },
		{ "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588" },
	};
	const size_t columns = n < BC_VERDICT_STRIP_COLUMNS ? n : BC_VERDICT_STRIP_COLUMNS;
	double lo = (double)NAN, hi = (double)NAN;
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < n; i++) {
		lo = fmin(lo, v[i]);
		hi = fmax(hi, v[i]);
	}
	for (size_t i = 0; !st && i < columns; i++) {
		size_t from;
		const size_t to = column(i, n, columns, &from);
		double most = (double)NAN;

		for (size_t k = from; k < to; k++)
			most = fmax(most, v[k]);
		st = isnan(most) ? bc_text_addf(out, err, " ")
				 : bc_text_addf(out, err, "%s",
						marks[utf8][hi > lo ? (size_t)((most - lo) / (hi - lo) * 7 + 0.5) : 0]);
	}
	return st;
}
