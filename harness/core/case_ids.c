/* SPDX-License-Identifier: MIT */
#include "harness/core/case_ids.h"
#include "harness/base/textfile.h"

#include <stdlib.h>

/* Mark the case that a line names. */
/* Suites that test the harness are not in the list. */
static bool is_listed(const struct bc_case *c)
{
	return !c->suite->hidden || c->suite->every_sm;
}

static enum bc_status take_line(struct bc_lines *l, const struct bc_catalog *cat, bool *listed, struct bc_error *err)
{
	char *cursor = l->text;
	const char *id = bc_field(&cursor);
	const struct bc_case *c = bc_catalog_find(cat, id);

	if (bc_field(&cursor))
		return bc_fail(err, BC_EDATA, "%s:%u: a line is one case id", l->path, l->number);
	if (!c || !is_listed(c))
		return bc_fail(err, BC_EDATA,
			       "%s:%u: the case %s is in the list and not in this program: run the program that "
			       "belongs to these "
			       "expectations (--expected), or delete the line if the case is gone on purpose",
			       l->path, l->number, id);
	if (listed[c - cat->cases])
		return bc_fail(err, BC_EDATA, "%s:%u: the case %s is listed twice: keep one line", l->path, l->number,
			       id);
	listed[c - cat->cases] = true;
	return BC_OK;
}

static enum bc_status take_lines(const char *text, const char *path, const struct bc_catalog *cat, bool *listed,
				 struct bc_error *err)
{
	struct bc_lines lines;

	bc_lines_start(&lines, text, path);
	for (;;) {
		bool more;
		enum bc_status st = bc_lines_next(&lines, &more, err);

		if (st || !more)
			return st;
		st = take_line(&lines, cat, listed, err);
		if (st)
			return st;
	}
}

enum bc_status bc_case_ids_check(const char *expected_dir, const struct bc_catalog *cat, struct bc_error *err)
{
	struct bc_text path = { 0 }, text = { 0 };
	bool *listed = calloc(cat->n + cat->nhidden + 1, sizeof(*listed));
	enum bc_status st = listed ? bc_text_addf(&path, err, "%s/case-ids.txt", expected_dir)
				   : bc_fail(err, BC_ENOMEM, "case-ids.txt: out of memory");

	if (!st)
		st = bc_textfile_read(path.data, &text, err);
	if (!st)
		st = take_lines(text.data ? text.data : "", path.data, cat, listed, err);
	for (size_t i = 0; !st && i < cat->n + cat->nhidden; i++)
		if (is_listed(&cat->cases[i]) && !listed[i])
			st = bc_fail(err, BC_EDATA,
				     "%s: the case %s is in this program and not in the list: add a line for it, or "
				     "run with the "
				     "expectations that belong to this program (--expected)",
				     path.data, cat->cases[i].id);
	bc_text_release(&text);
	bc_text_release(&path);
	free(listed);
	return st;
}
