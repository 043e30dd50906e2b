/* SPDX-License-Identifier: MIT */
/* What all formats of the matrix say in the same words. */
#include "harness/base/out.h"
#include "harness/compare/describe.h"
#include "harness/matrix/matrix.h"

/* A property of the cell's first device; "" when it has no report. */
static const char *property(const struct bc_cell *c, const char *name)
{
	for (size_t f = 0; f < c->nfiles; f++)
		if (c->files[f].ndevices)
			return bc_read_property(&c->files[f].devices[0], name);
	return "";
}

static void put_both(struct bc_out *o, const char *given, const char *otherwise, const char *found)
{
	bc_put_line(o, given ? given : otherwise);
	if (found[0]) {
		bc_put(o, " (");
		bc_put_line(o, found);
		bc_put(o, ")");
	}
}

void bc_cell_put_kernels(struct bc_out *o, const struct bc_cell *c)
{
	put_both(o, c->kernels, c->kind == BC_CELL_BASELINE ? "of the report" : "own", property(c, "toolkit"));
}

void bc_cell_put_cupti(struct bc_out *o, const struct bc_cell *c)
{
	put_both(o, c->cupti, c->kind == BC_CELL_BASELINE ? "of the report" : "found", property(c, "cupti"));
}

void bc_matrix_put_cells(struct bc_out *o, const struct bc_matrix *m, const struct bc_attribution *a)
{
	const char *sep = "";

	for (size_t i = 0; i < m->ncells; i++) {
		if (!(a->cells >> i & 1))
			continue;
		bc_putf(o, "%s%s", sep, m->cell[i].name);
		sep = ", ";
	}
	if (a->odd_base)
		bc_put(o, " (all others: the base's own is the odd one)");
	if (!a->cells)
		bc_put(o, "every cell");
}

void bc_matrix_put_change(struct bc_out *o, const struct bc_attribution *a)
{
	if (a->change) {
		const struct bc_read_case *now = a->change->now;
		const bool is_void = now && bc_key_get(&now->keys, "counters_void");
		const char *why = now ? bc_key_get(&now->keys, "counters_absent") : NULL;

		bc_describe_change(o, a->change);
		if (a->aspect == BC_ASPECT_COUNTS && is_void)
			bc_putf(o, "%scounters void: %s", o->to->len ? "; " : "",
				why ? why : "a canary was not as known");
	} else {
		bc_put(o, bc_verdict_name(a->base->verdict));
		if (a->base->message[0])
			bc_putf(o, ": %s", a->base->message);
	}
}

bool bc_matrix_shows(const struct bc_code_difference *d)
{
	return bc_code_class_counts(d->class);
}
