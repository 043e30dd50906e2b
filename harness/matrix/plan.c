/* SPDX-License-Identifier: MIT */
#include "harness/matrix/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum bc_status add_cell(struct bc_matrix *m, enum bc_cell_kind kind, const char *name, size_t number,
			       const char *kernels, const char *cupti, struct bc_error *err)
{
	struct bc_cell *c = &m->cell[m->ncells];

	if (m->ncells == BC_MATRIX_CELLS_MAX)
		return bc_fail(err, BC_EUSAGE, "matrix: more than %d runs", BC_MATRIX_CELLS_MAX);
	*c = (struct bc_cell){ .kind = kind, .kernels = kernels, .cupti = cupti };
	if (number)
		(void)snprintf(c->name, sizeof(c->name), "%s-%zu", name, number);
	else
		(void)snprintf(c->name, sizeof(c->name), "%s", name);
	m->ncells++;
	return BC_OK;
}

static enum bc_status check_words(const char *option, const struct bc_option_list *list, struct bc_error *err)
{
	for (size_t i = 0; i < list->n; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(list->item[i], list->item[k]) == 0)
				return bc_fail(err, BC_EUSAGE,
					       "--%s %s is there twice: each is a cell of its own, and the base is run "
					       "twice as it is",
					       option, list->item[i]);
	return BC_OK;
}

enum bc_status bc_matrix_plan(const struct bc_matrix_options *o, struct bc_matrix *m, struct bc_error *err)
{
	const char *kernels = o->kernels.n ? o->kernels.item[0] : NULL, *cupti = o->cupti.n ? o->cupti.item[0] : NULL;
	enum bc_status st = check_words("kernels", &o->kernels, err);

	if (!st)
		st = check_words("cupti", &o->cupti, err);
	if (!st && o->kernels.n < 2 && o->cupti.n < 2 && !o->ptx && !o->baseline)
		st = bc_fail(
			err, BC_EUSAGE,
			"matrix: nothing to compare: name two or more --kernels DIR, two or more --cupti FILE (the "
			"first of each is the base), --ptx-jit or --baseline REPORT");
	m->tolerance = o->tolerance;
	if (!st)
		st = add_cell(m, BC_CELL_BASE, "base", 0, kernels, cupti, err);
	for (size_t i = 1; !st && i < o->kernels.n; i++)
		st = add_cell(m, BC_CELL_COMPILER, "compiler", i + 1, o->kernels.item[i], cupti, err);
	for (size_t i = 1; !st && i < o->cupti.n; i++)
		st = add_cell(m, BC_CELL_CUPTI, "cupti", i + 1, kernels, o->cupti.item[i], err);
	if (!st && o->ptx)
		st = add_cell(m, BC_CELL_PTX, "ptx", 0, kernels, cupti, err);
	if (!st)
		st = add_cell(m, BC_CELL_AGAIN, "base-again", 0, kernels, cupti, err);
	m->has_baseline = o->baseline != NULL;
	if (!st && o->baseline)
		m->cell[m->ncells] = (struct bc_cell){ .kind = BC_CELL_BASELINE, .name = "baseline" };
	return st;
}

void bc_matrix_release(struct bc_matrix *m)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(m->cell); i++) {
		struct bc_cell *c = &m->cell[i];

		if (c->compared)
			bc_diff_release(&c->diff);
		if (c->has_code)
			bc_code_comparison_release(&c->code);
		for (size_t k = 0; k < c->nfiles; k++)
			bc_report_release(&c->files[k]);
		free(c->files);
	}
	free(m->attribution);
	*m = (struct bc_matrix){ .n = 0 };
}

const char *bc_aspect_name(enum bc_aspect a)
{
	static const char *const names[BC_NASPECTS] = {
		[BC_ASPECT_DATA] = "data",
		[BC_ASPECT_COUNTS] = "counts",
		[BC_ASPECT_CLOCK] = "clock",
		[BC_ASPECT_VERDICT] = "verdict",
	};

	return (unsigned)a < BC_NASPECTS ? names[a] : "";
}

static const struct {
	const char *name, *words;
} causes[BC_NCAUSES] = {
	[BC_CAUSE_NOISE] = { "noise", "the base differs from the base" },
	[BC_CAUSE_COMPILER] = { "compiler", "differs under other compilers only" },
	[BC_CAUSE_PTX] = { "driver's compiler", "differs only where the driver compiles the PTX" },
	[BC_CAUSE_CUPTI] = { "CUPTI", "differs under other CUPTIs only" },
	[BC_CAUSE_DRIVER] = { "driver or GPU", "the same in every cell, and other than in the baseline" },
	[BC_CAUSE_EVERYWHERE] = { "every cell", "a finding in every cell: driver, GPU, or the kernels themselves" },
	[BC_CAUSE_UNTOLD] = { "not told apart", "what it differs under has no one thing in common" },
};

const char *bc_cause_name(enum bc_cause c)
{
	return (unsigned)c < BC_NCAUSES ? causes[c].name : "";
}

const char *bc_cause_words(enum bc_cause c)
{
	return (unsigned)c < BC_NCAUSES ? causes[c].words : "";
}
