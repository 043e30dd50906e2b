/* SPDX-License-Identifier: MIT */
/* The matrix as a page: the table of the cells, the instructions that differ, and what each difference comes from. */
#include <inttypes.h>

#include "harness/base/out.h"
#include "harness/html/sheet.h"
#include "harness/matrix/matrix.h"

#define ROWS_MAX 2000 /* of differences; the page says how many are left out */

/* A cell of a table: what @put says of @c. */
static void put_said(struct bc_out *o, const struct bc_cell *c, void (*put)(struct bc_out *, const struct bc_cell *))
{
	struct bc_text text = { 0 };
	struct bc_out part = bc_out_part(o, &text);

	put(&part, c);
	bc_out_join(o, &part);
	bc_put(o, "<td>");
	bc_sheet_text(o, bc_out_text(&part));
	bc_text_release(&text);
}

static void put_number(struct bc_out *o, size_t n)
{
	bc_putf(o, "<td class=num>%zu", n);
}

static void put_cell(struct bc_out *o, const struct bc_matrix *m, const struct bc_cell *c)
{
	const struct bc_diff_sums *s = &c->diff.sums;
	const size_t at = (size_t)(c - m->cell);
	size_t aspects[BC_NASPECTS] = { 0 };

	for (size_t i = 0; i < m->n; i++) {
		const struct bc_attribution *a = &m->attribution[i];
		const bool here = c->kind == BC_CELL_BASE	? !a->cells
				  : c->kind == BC_CELL_BASELINE ? a->cause == BC_CAUSE_DRIVER
								: a->cells >> at & 1;

		aspects[a->aspect] += here;
	}
	bc_put(o, "<tr><th scope=row>");
	bc_sheet_text(o, c->name);
	put_said(o, c, bc_cell_put_kernels);
	put_said(o, c, bc_cell_put_cupti);
	put_number(o, s->cases);
	for (unsigned a = 0; a < BC_NASPECTS; a++)
		put_number(o, aspects[a]);
	bc_put(o, "<td>");
	if (c->why[0]) {
		bc_put(o, "<b class=\"v vB\">not whole</b> ");
		bc_sheet_text(o, c->why);
	} else if (c->kind == BC_CELL_BASELINE) {
		bc_put(o, "the base against this report");
	} else {
		bc_putf(o, "exit %d", c->status);
	}
	bc_put(o, "\n");
}

static void put_code(struct bc_out *o, const struct bc_matrix *m)
{
	bc_put(o, "<h2>Instructions</h2>\n<p class=note>What the suites measure, counted in the code (not as "
		  "executed), where it is not as in the base.\n<div class=\"scroll tall\"><table class=grid>"
		  "<thead><tr><th>Cell<th>Image<th>Architecture<th>Kernel<th>Instruction<th>Here<th>Base</thead>\n");
	for (size_t i = 0; i < m->ncells; i++) {
		const struct bc_cell *c = &m->cell[i];

		if (c->kind == BC_CELL_COMPILER && !c->has_code) {
			bc_putf(o, "<tr><th scope=row>%s<td colspan=6>not compared: ", c->name);
			bc_sheet_text(o, c->no_code);
			bc_put(o, "\n");
		}
		for (size_t k = 0; c->has_code && k < c->code.n; k++) {
			const struct bc_code_difference *d = &c->code.difference[k];
			const char *const words[] = { d->image, d->arch, d->kernel, d->key[0] ? d->key : "(kernel)" };

			if (!bc_matrix_shows(d))
				continue;
			bc_putf(o, "<tr><th scope=row>%s", c->name);
			for (size_t w = 0; w < BC_ARRAY_LEN(words); w++) {
				bc_put(o, "<td>");
				bc_sheet_text(o, words[w]);
			}
			bc_putf(o, "<td class=num>%" PRIu64 "<td class=num>%" PRIu64 "\n", d->now, d->was);
		}
	}
	bc_put(o, "</table></div>\n");
}

static void put_attribution(struct bc_out *o, const struct bc_matrix *m, const struct bc_attribution *a)
{
	struct bc_text text[2] = { { 0 }, { 0 } };
	struct bc_out cells = bc_out_part(o, &text[0]), change = bc_out_part(o, &text[1]);

	bc_matrix_put_cells(&cells, m, a);
	bc_matrix_put_change(&change, a);
	bc_out_join(o, &cells);
	bc_out_join(o, &change);
	bc_putf(o, "<tr><th scope=row>%s<td>%s<td><code>", bc_cause_name(a->cause), bc_aspect_name(a->aspect));
	bc_sheet_text(o, a->id);
	bc_put(o, "</code> <small>");
	bc_sheet_text(o, a->device->dev);
	bc_put(o, "</small><td>");
	bc_sheet_text(o, bc_out_text(&cells));
	bc_put(o, "<td>");
	bc_sheet_text(o, bc_out_text(&change));
	bc_put(o, "\n");
	bc_text_release(&text[0]);
	bc_text_release(&text[1]);
}

static void put_attributions(struct bc_out *o, const struct bc_matrix *m)
{
	size_t shown = 0;

	bc_put(o, "<h2>Differences</h2>\n<div class=\"scroll tall\"><table class=grid><thead><tr><th>Cause<th>What<th>"
		  "Case<th>Cells<th>Change</thead>\n");
	for (unsigned c = 0; c < BC_NCAUSES; c++)
		for (size_t i = 0; i < m->n; i++)
			if (m->attribution[i].cause == (enum bc_cause)c && shown++ < ROWS_MAX)
				put_attribution(o, m, &m->attribution[i]);
	bc_put(o, "</table></div>\n");
	if (shown > ROWS_MAX)
		bc_putf(o, "<p class=note>And %zu more: matrix.json has all.\n", shown - ROWS_MAX);
}

enum bc_status bc_matrix_page(const struct bc_matrix *m, struct bc_text *out, struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };

	bc_sheet_begin(&o, "bankcheck matrix");
	bc_putf(&o, "<p class=\"big%s\"><strong>%s</strong>", bc_matrix_status(m) ? " bad" : "",
		bc_matrix_status(m) ? "Something differs, or could not be compared" : "Nothing differs");
	for (unsigned c = 0; c < BC_NCAUSES; c++)
		if (bc_matrix_count(m, (enum bc_cause)c))
			bc_putf(&o, " %s: %zu.", bc_cause_name((enum bc_cause)c), bc_matrix_count(m, (enum bc_cause)c));
	bc_put(&o, "\n<h2>Cells</h2>\n<div class=scroll><table class=grid><thead><tr><th>Cell<th>Kernels<th>CUPTI<th>"
		   "Cases");
	for (unsigned a = 0; a < BC_NASPECTS; a++)
		bc_putf(&o, "<th>Other %s", bc_aspect_name((enum bc_aspect)a));
	bc_put(&o, "<th>Run</thead>\n");
	for (size_t i = 0; i < m->ncells + m->has_baseline; i++)
		put_cell(&o, m, &m->cell[i]);
	bc_put(&o, "</table></div>\n");
	put_attributions(&o, m);
	put_code(&o, m);
	bc_sheet_end(&o);
	return o.st;
}
