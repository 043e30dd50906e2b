/* SPDX-License-Identifier: MIT */
/* The matrix as JSON: docs/json.md has the schema. */
#include "harness/report/json.h"

#include "harness/base/out.h"
#include "harness/compare/describe.h"
#include "harness/matrix/matrix.h"

#define MATRIX_SCHEMA "bankcheck-matrix-1"

/* What one of the functions that put words puts, as a string. */
static json_t *cell_words(const struct bc_cell *c, void (*put)(struct bc_out *, const struct bc_cell *))
{
	struct bc_text text = { 0 };
	struct bc_out o = { .to = &text };
	json_t *j;

	put(&o, c);
	j = o.st ? NULL : bc_json_text(bc_out_text(&o));
	bc_text_release(&text);
	return j;
}

static bool append(json_t **list, json_t *one)
{
	if (*list && !json_array_append_new(*list, one))
		return true;
	json_decref(*list);
	*list = NULL;
	return false;
}

static json_t *code(const struct bc_cell *c)
{
	json_t *list = c->has_code ? json_array() : json_null();

	for (size_t i = 0; list && c->has_code && i < c->code.n; i++) {
		const struct bc_code_difference *d = &c->code.difference[i];

		if (bc_matrix_shows(d) &&
		    !append(&list, json_pack("{so, so, so, so, ss, sI, sI}", "image", bc_json_text(d->image), "arch",
					     bc_json_text(d->arch), "kernel", bc_json_text(d->kernel), "instruction",
					     bc_json_known(d->key), "class", bc_code_class_name(d->class), "base",
					     (json_int_t)d->was, "now", (json_int_t)d->now)))
			break;
	}
	return list;
}

static json_t *cell(const struct bc_cell *c)
{
	static const char *const kinds[] = {
		[BC_CELL_BASE] = "base", [BC_CELL_COMPILER] = "compiler", [BC_CELL_CUPTI] = "CUPTI",
		[BC_CELL_PTX] = "PTX",	 [BC_CELL_AGAIN] = "base",	  [BC_CELL_BASELINE] = "baseline"
	};
	const struct bc_diff_sums *s = &c->diff.sums;

	return json_pack("{ss, ss, so, so, so, sb, so, sI, sI, sI, sI, sI, sI, sI, so, so}", "name", c->name, "kind",
			 kinds[c->kind], "kernels", cell_words(c, bc_cell_put_kernels), "cupti",
			 cell_words(c, bc_cell_put_cupti), "exit_status",
			 c->kind == BC_CELL_BASELINE ? json_null() : json_integer(c->status), "compared",
			 (int)(c->kind == BC_CELL_BASE ? c->nfiles > 0 : c->compared), "why_not_whole",
			 bc_json_known(c->why), "cases", (json_int_t)s->cases, "same", (json_int_t)s->same, "verdicts",
			 (json_int_t)s->verdicts, "counts", (json_int_t)s->counts, "slower",
			 (json_int_t)s->speed[BC_SPEED_SLOWER], "faster", (json_int_t)s->speed[BC_SPEED_FASTER],
			 "undecided", (json_int_t)s->speed[BC_SPEED_UNDECIDED], "instructions", code(c),
			 "instructions_absent", bc_json_known(c->no_code));
}

static json_t *cells(const struct bc_matrix *m)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < m->ncells + m->has_baseline; i++)
		(void)append(&list, cell(&m->cell[i]));
	return list;
}

static json_t *cell_names(const struct bc_matrix *m, uint64_t cells)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < m->ncells; i++)
		if (cells >> i & 1)
			(void)append(&list, json_string(m->cell[i].name));
	return list;
}

static json_t *attribution(const struct bc_matrix *m, const struct bc_attribution *a)
{
	struct bc_text text = { 0 };
	struct bc_out o = { .to = &text };
	json_t *j = NULL;

	bc_matrix_put_change(&o, a);
	if (!o.st)
		j = json_pack("{so, so, ss, ss, so, sb, sb, so}", "device", bc_json_text(a->device->dev), "case",
			      bc_json_text(a->id), "aspect", bc_aspect_name(a->aspect), "cause",
			      bc_cause_name(a->cause), "cells", cell_names(m, a->cells), "base_is_the_odd_one",
			      (int)a->odd_base, "bad", (int)a->bad, "change", bc_json_text(bc_out_text(&o)));
	bc_text_release(&text);
	return j;
}

static json_t *attributions(const struct bc_matrix *m)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < m->n; i++)
		(void)append(&list, attribution(m, &m->attribution[i]));
	return list;
}

static json_t *sums(const struct bc_matrix *m)
{
	json_t *j = json_object();

	for (unsigned c = 0; j && c < BC_NCAUSES; c++) {
		if (json_object_set_new(j, bc_cause_name((enum bc_cause)c),
					json_integer((json_int_t)bc_matrix_count(m, (enum bc_cause)c)))) {
			json_decref(j);
			j = NULL;
		}
	}
	return j;
}

enum bc_status bc_matrix_json(const struct bc_matrix *m, struct bc_text *out, struct bc_error *err)
{
	json_t *root = json_pack("{ss, ss, si, so, so, so}", "schema", MATRIX_SCHEMA, "bankcheck", BC_VERSION,
				 "exit_status", bc_matrix_status(m), "differences", sums(m), "cells", cells(m),
				 "attributions", attributions(m));

	return bc_json_write(root, false, out, err);
}
