/* SPDX-License-Identifier: MIT */
/* The matrix as text. */
#include <inttypes.h>
#include <string.h>

#include "harness/base/out.h"
#include "harness/compare/describe.h"
#include "harness/matrix/matrix.h"

#define SHOWN 40 /* cases of one cause in full; clocks: FEW */
#define FEW 5

static void put_sums(struct bc_out *o, const struct bc_cell *c)
{
	const struct bc_diff_sums *s = &c->diff.sums;

	bc_putf(o,
		"    %zu cases: %zu the same, %zu other verdicts, %zu other counts; clocks: %zu SAME, %zu SLOWER, %zu ",
		s->cases, s->same, s->verdicts, s->counts, s->speed[BC_SPEED_SAME], s->speed[BC_SPEED_SLOWER],
		s->speed[BC_SPEED_FASTER]);
	bc_putf(o, "FASTER, %zu UNDECIDED\n", s->speed[BC_SPEED_UNDECIDED]);
}

static void put_code(struct bc_out *o, const struct bc_cell *c)
{
	size_t shown = 0, left = 0;

	if (c->kind != BC_CELL_COMPILER)
		return;
	if (!c->has_code) {
		bc_put(o, "    instructions not compared: ");
		bc_put_line(o, c->no_code);
		bc_put(o, "\n");
		return;
	}
	for (size_t i = 0; i < c->code.n; i++) {
		const struct bc_code_difference *d = &c->code.difference[i];

		if (!bc_matrix_shows(d))
			continue;
		if (shown == SHOWN) {
			left++;
			continue;
		}
		shown++;
		bc_putf(o, "    instructions: %s %s %s: ", d->image, d->arch, d->kernel);
		if (d->key[0])
			bc_putf(o, "%s %" PRIu64 ", base %" PRIu64 "\n", d->key, d->now, d->was);
		else
			bc_putf(o, "the kernel is %s\n", d->was ? "gone" : "new");
	}
	if (left)
		bc_putf(o, "    instructions: and %zu more (`bankcheck code` lists them)\n", left);
	if (!shown)
		bc_putf(o, "    instructions: those that the suites measure are the same in %zu kernels\n",
			c->code.kernels);
}

static void put_cell(struct bc_out *o, const struct bc_cell *c)
{
	bc_putf(o, "  %-12s kernels ", c->name);
	bc_cell_put_kernels(o, c);
	bc_put(o, ", CUPTI ");
	bc_cell_put_cupti(o, c);
	if (c->kind != BC_CELL_BASELINE)
		bc_putf(o, ", exit %d", c->status);
	bc_put(o, "\n");
	if (c->why[0]) {
		bc_put(o, "    NOT COMPARED WHOLE: ");
		bc_put_line(o, c->why);
		bc_put(o, "\n");
	}
	if (c->compared)
		put_sums(o, c);
	put_code(o, c);
}

static void put_one(struct bc_out *o, const struct bc_matrix *m, const struct bc_attribution *a)
{
	struct bc_text text = { 0 };
	struct bc_out change = bc_out_part(o, &text);

	bc_matrix_put_change(&change, a);
	bc_out_join(o, &change);
	bc_putf(o, "  %s %s %s [", bc_aspect_name(a->aspect), a->device->dev, a->id);
	bc_matrix_put_cells(o, m, a);
	bc_put(o, "] ");
	bc_put_line(o, bc_out_text(&change));
	bc_put(o, "\n");
	bc_text_release(&text);
}

static void put_cause(struct bc_out *o, const struct bc_matrix *m, enum bc_cause cause)
{
	size_t n[BC_NASPECTS] = { 0 }, shown[BC_NASPECTS] = { 0 };

	for (size_t i = 0; i < m->n; i++)
		if (m->attribution[i].cause == cause)
			n[m->attribution[i].aspect]++;
	bc_putf(o, "%s: %s:", bc_cause_name(cause), bc_cause_words(cause));
	for (unsigned a = 0; a < BC_NASPECTS; a++)
		if (n[a])
			bc_putf(o, " %zu %s", n[a], bc_aspect_name((enum bc_aspect)a));
	bc_put(o, "\n");
	if (cause == BC_CAUSE_DRIVER) {
		const struct bc_diff *d = &m->cell[m->ncells].diff;

		for (size_t p = 0; p < d->npairs; p++) {
			bc_put(o, "  differs from the baseline: ");
			bc_describe_other_changes(o, &d->pairs[p]);
			bc_put(o, "\n");
		}
	}
	for (size_t i = 0; i < m->n; i++) {
		const struct bc_attribution *a = &m->attribution[i];

		if (a->cause == cause && shown[a->aspect]++ < (a->aspect == BC_ASPECT_CLOCK ? FEW : SHOWN))
			put_one(o, m, a);
	}
	for (unsigned a = 0; a < BC_NASPECTS; a++) {
		const size_t most = a == BC_ASPECT_CLOCK ? FEW : SHOWN;

		if (n[a] > most)
			bc_putf(o, "  and %zu more of %s (matrix.json and matrix.xml have all)\n", n[a] - most,
				bc_aspect_name((enum bc_aspect)a));
	}
}

static void put_conclusion(struct bc_out *o, const struct bc_matrix *m)
{
	size_t missing = 0;

	for (size_t i = 0; i < m->ncells + m->has_baseline; i++)
		missing += m->cell[i].why_status != 0;
	bc_putf(o, "matrix: %zu runs, %zu not compared whole; differences:", m->ncells, missing);
	for (unsigned c = 0; c < BC_NCAUSES; c++)
		bc_putf(o, "%s %s %zu", c ? "," : "", bc_cause_name((enum bc_cause)c),
			bc_matrix_count(m, (enum bc_cause)c));
	bc_put(o, "\n");
}

enum bc_status bc_matrix_text(const struct bc_matrix *m, struct bc_text *out, struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };

	bc_put(&o, "cells, each against the base:\n");
	for (size_t i = 0; i < m->ncells + m->has_baseline; i++)
		put_cell(&o, &m->cell[i]);
	for (unsigned c = 0; c < BC_NCAUSES; c++)
		if (bc_matrix_count(m, (enum bc_cause)c))
			put_cause(&o, m, (enum bc_cause)c);
	put_conclusion(&o, m);
	return o.st;
}
