/* SPDX-License-Identifier: MIT */
/* harness/cli/cmd_matrix.c - `bankcheck matrix`: the same cases with several compilers and CUPTIs. */
#include "harness/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/folder.h"
#include "harness/base/textfile.h"
#include "harness/matrix/matrix.h"

#define TOLERANCE_MAX 1000 /* percent */

static enum bc_status read_options(const struct bc_cli *c, struct bc_matrix_options *o, bool *json,
				   struct bc_error *err)
{
	*o = (struct bc_matrix_options){ .run = &c->run,
					 .self = c->self,
					 .reports_dir = c->reports_dir,
					 .kernels = c->matrix_kernels,
					 .cupti = c->matrix_cupti,
					 .ptx = c->ptx_jit,
					 .baseline = c->baseline,
					 .tolerance = BC_SPEED_TOLERANCE };
	if (c->tolerance) {
		if (!bc_number_parse(c->tolerance, &o->tolerance) || o->tolerance < 0 || o->tolerance > TOLERANCE_MAX)
			return bc_fail(err, BC_EUSAGE, "--tolerance %s: a percentage, 0 to %d", c->tolerance,
				       TOLERANCE_MAX);
		o->tolerance /= 100;
	}
	return bc_cli_json(c->format, json, err);
}

/* One line when a cell begins, and its end. */
static void on_cell(void *ctx, const struct bc_matrix *m, const struct bc_cell *c, bool ended)
{
	const bool *quiet = ctx;

	if (*quiet)
		return;
	if (ended)
		(void)fprintf(stderr, "%s\n", c->why[0] ? c->why : "done");
	else
		(void)fprintf(stderr, "bankcheck: matrix: %zu of %zu, %s ... ", (size_t)(c - m->cell) + 1, m->ncells,
			      c->name);
	(void)fflush(stderr);
}

/* Write all formats; each is tried, the first failure is kept. The text or the JSON is printed as well. */
static enum bc_status write_all(const struct bc_matrix *m, const char *dir, bool json, struct bc_error *err)
{
	static const struct {
		const char *name;
		bc_matrix_printer *print;
	} formats[] = { { "matrix.txt", bc_matrix_text },
			{ "matrix.xml", bc_matrix_junit },
			{ "matrix.json", bc_matrix_json },
			{ "matrix.html", bc_matrix_page } };
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < BC_ARRAY_LEN(formats); i++) {
		const bool shown = formats[i].print == (json ? bc_matrix_json : bc_matrix_text);
		struct bc_text text = { 0 };
		struct bc_error later;
		enum bc_status next = formats[i].print(m, &text, st ? &later : err);

		if (!next && shown && text.len)
			(void)fwrite(text.data, 1, text.len, stdout); /* the flush tells whether it got out */
		if (!next)
			next = bc_file_replace(&bc_file_system, dir, formats[i].name, text.data, text.len,
					       st ? &later : err);
		bc_text_release(&text);
		st = st ? st : next;
	}
	return st ? st : bc_cli_flush(err);
}

int bc_cmd_matrix(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_matrix_options o;
	struct bc_matrix *m = calloc(1, sizeof(*m));
	struct bc_folder *folder = NULL;
	struct bc_error err = { .msg = "" };
	bool json = false, quiet = c->quiet;
	int status;
	enum bc_status st = m ? BC_OK : bc_fail(&err, BC_ENOMEM, "matrix: out of memory");

	(void)cat;
	if (!st)
		st = read_options(c, &o, &json, &err);
	if (!st)
		st = bc_matrix_plan(&o, m, &err);
	if (!st)
		st = bc_folder_open(c->reports_dir, &folder, &err);
	if (!st)
		st = bc_matrix_run(&o, m, on_cell, &quiet, &err);
	if (!st)
		st = bc_matrix_compare(m, &err);
	if (!st)
		st = write_all(m, c->reports_dir, json, &err);
	status = st ? bc_cli_fail(&err) : bc_matrix_status(m);
	if (m && m->signal)
		status = 128 + m->signal;
	bc_folder_close(folder);
	if (m)
		bc_matrix_release(m);
	free(m);
	return status;
}
