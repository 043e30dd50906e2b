/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/compare/print.h"
#include "harness/base/textfile.h"
#include "harness/report/read_shards.h"

#define TOLERANCE_MAX 1000 /* percent */

static enum bc_status check_arguments(const struct bc_cli *c, bc_diff_printer **print, double *tolerance,
				      struct bc_error *err)
{
	if (c->noperands != 2)
		return bc_fail(err, BC_EUSAGE,
			       "diff: it compares two reports (or folders of reports), not %zu: type `bankcheck "
			       "diff OLD NEW`",
			       c->noperands);
	*print = bc_diff_printer_find(c->format);
	if (!*print)
		return bc_fail(err, BC_EUSAGE, "--format %s: it takes text, markdown, json or junit", c->format);
	*tolerance = BC_SPEED_TOLERANCE;
	if (!c->tolerance)
		return BC_OK;
	if (!bc_number_parse(c->tolerance, tolerance) || *tolerance < 0 || *tolerance > TOLERANCE_MAX)
		return bc_fail(err, BC_EUSAGE, "--tolerance %s: a percentage, 0 to %d", c->tolerance, TOLERANCE_MAX);
	*tolerance /= 100;
	return BC_OK;
}

/* All reports that a word names. @files: malloc'ed, @n of them whole, also on failure. */
static enum bc_status read_side(const char *word, struct bc_read_file **files, size_t *n, struct bc_error *err)
{
	char **paths = NULL;
	size_t npaths = 0;
	enum bc_status st = bc_report_paths(word, &paths, &npaths, err);

	if (!st) {
		*files = calloc(npaths, sizeof(**files));
		if (!*files)
			st = bc_fail(err, BC_ENOMEM, "diff: out of memory");
	}
	for (size_t i = 0; !st && i < npaths; i++) {
		st = bc_report_read(paths[i], &(*files)[i], err);
		*n += !st;
	}
	if (!st)
		st = bc_report_join(*files, *n, err);
	for (size_t i = 0; i < npaths; i++)
		free(paths[i]);
	free(paths);
	return st;
}

/* --filter and --exclude, on both sides. */
static enum bc_status choose(const struct bc_cli *c, struct bc_read_file *const files[2], const size_t n[2],
			     struct bc_error *err)
{
	const struct bc_option_list *filter = &c->run.filter, *exclude = &c->run.exclude;
	size_t left = 0;

	if (!filter->n && !exclude->n)
		return BC_OK;
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < n[i]; k++)
			left += bc_report_select(&files[i][k], filter->item, filter->n, exclude->item, exclude->n);
	return left ? BC_OK
		    : bc_fail(err, BC_EUSAGE,
			      "diff: --filter and --exclude leave no case of either report: look at the "
			      "ids that `bankcheck list` prints");
}

static enum bc_status show(const struct bc_diff_show *s, bc_diff_printer *print, struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st = print(s, &text, err);

	if (!st && text.len && fwrite(text.data, 1, text.len, stdout) != text.len)
		st = bc_fail(err, BC_EWRITE, "standard output could not be written");
	bc_text_release(&text);
	return st ? st : bc_cli_flush(err);
}

int bc_cmd_diff(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_read_file *files[2] = { NULL, NULL };
	size_t n[2] = { 0, 0 };
	struct bc_side side[2];
	struct bc_diff diff = { 0 };
	struct bc_error err = { .msg = "" };
	bc_diff_printer *print = NULL;
	double tolerance = 0;
	int status = 0;
	enum bc_status st = check_arguments(c, &print, &tolerance, &err);

	(void)cat;
	for (size_t i = 0; !st && i < 2; i++) {
		st = read_side(c->operands[i], &files[i], &n[i], &err);
		side[i] = (struct bc_side){ c->operands[i], files[i], n[i] };
	}
	if (!st)
		st = choose(c, files, n, &err);
	if (!st)
		st = bc_compare(&side[0], &side[1], tolerance, &diff, &err);
	if (!st)
		st = show(&(struct bc_diff_show){ &diff, &side[0], &side[1], c->strict }, print, &err);
	status = st ? bc_cli_fail(&err) : bc_diff_status(&diff, c->strict);
	bc_diff_release(&diff);
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < n[i]; k++)
			bc_report_release(&files[i][k]);
		free(files[i]);
	}
	return status;
}
