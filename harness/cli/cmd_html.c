/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/html/fold.h"
#include "harness/html/html.h"
#include "harness/report/read_shards.h"
#include "harness/report/reader.h"

/* The folder and the name of a path. */
static enum bc_status split_path(const char *path, char dir[BC_PATH_MAX], const char **name, struct bc_error *err)
{
	const char *slash = strrchr(path, '/');
	const size_t len = slash ? (slash == path ? 1 : (size_t)(slash - path)) : 0;

	if (len >= BC_PATH_MAX)
		return bc_fail(err, BC_EUSAGE, "--output %.200s...: the path is too long", path);
	(void)bc_strlcpy(dir, slash ? path : ".", slash ? len + 1 : 2);
	*name = slash ? slash + 1 : path;
	if (!**name)
		return bc_fail(
			err, BC_EUSAGE,
			"--output %s: this is a folder; give the name of the page too, for example -o report.html",
			path);
	return BC_OK;
}

static enum bc_status read_all(char *const *path, size_t n, struct bc_read_file *files, size_t *nread, size_t *refused,
			       struct bc_html_fold *fold, struct bc_error *err)
{
	enum bc_status st = BC_OK, ended;

	*nread = 0;
	for (size_t i = 0; !st && i < n; i++) {
		st = bc_report_read(path[i], &files[*nread], err);
		*nread += !st;
		if (!st)
			st = bc_html_fold_add(fold, &files[*nread - 1], err);
		if ((st == BC_EDATA || st == BC_EREAD) && n > 1) {
			bc_cli_fail(err);
			++*refused;
			st = BC_OK;
		}
	}
	if (!st && n && !*nread)
		st = bc_fail(err, BC_EDATA, "html: none of the %zu reports could be taken", n);
	ended = bc_html_fold_end(fold, st ? NULL : err);
	st = st ? st : ended;
	return st ? st : bc_report_join(files, *nread, err);
}

static enum bc_status make_page(const struct bc_cli *c, size_t *refused, struct bc_error *err)
{
	struct bc_read_file *files = NULL;
	struct bc_text page = { 0 };
	char **path = NULL, dir[BC_PATH_MAX];
	const char *name = "";
	struct bc_html_fold fold = { 0 };
	size_t n = 0, nread = 0, runs = 0;
	enum bc_status st = split_path(c->output, dir, &name, err);

	for (size_t i = 0; !st && i < c->noperands; i++)
		st = bc_report_paths_below(c->operands[i], &path, &n, err);
	if (!st)
		st = bc_file_not_among(c->output, path, n, err);
	if (!st) {
		files = calloc(n + 1, sizeof(*files));
		st = files ? read_all(path, n, files, &nread, refused, &fold, err)
			   : bc_fail(err, BC_ENOMEM, "html: out of memory");
	}
	if (!st)
		st = bc_html_write(files, nread, &page, err);
	if (!st)
		st = bc_file_replace(&bc_file_system, dir, name, page.data, page.len, err);
	for (size_t f = 0; f < nread; f++)
		runs += files[f].ndevices;
	if (!st) {
		(void)printf("%s: %zu report%s, %zu verdict%s, %zu bytes\n", c->output, nread, nread == 1 ? "" : "s",
			     fold.verdicts, fold.verdicts == 1 ? "" : "s", page.len);
		if (fold.folding)
			(void)printf("%zu runs, of which %zu differ\n", fold.runs, runs);
		st = bc_cli_flush(err);
	}
	for (size_t f = 0; f < nread; f++)
		bc_report_release(&files[f]);
	for (size_t i = 0; i < n; i++)
		free(path[i]);
	free(files);
	free(path);
	bc_text_release(&page);
	return st;
}

int bc_cmd_html(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_error err = { .msg = "" };
	size_t refused = 0;
	enum bc_status st = BC_OK;

	(void)cat;
	if (!c->noperands)
		st = bc_fail(&err, BC_EUSAGE, "html: name the reports: `bankcheck html reports -o report.html`");
	else if (!c->output)
		st = bc_fail(&err, BC_EUSAGE, "html: name the page: `bankcheck html %s -o report.html`",
			     c->operands[0]);
	if (!st)
		st = make_page(c, &refused, &err);
	return st ? bc_cli_fail(&err) : bc_cli_left_out(refused);
}
