/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/report/junit_merge.h"
#include "harness/report/reader.h"

static enum bc_status check_arguments(const struct bc_cli *c, struct bc_error *err)
{
	if (!c->noperands)
		return bc_fail(
			err, BC_EUSAGE,
			"merge: name the reports: `bankcheck merge REPORT... -o FILE` (a REPORT may be a folder)");
	if (!c->output)
		return bc_fail(err, BC_EUSAGE, "merge: name the output: -o FILE");
	if (c->output[strlen(c->output) - 1] == '/' || strlen(c->output) >= BC_PATH_MAX)
		return bc_fail(err, BC_EUSAGE, "--output %s: it takes the name of a file", c->output);
	return BC_OK;
}

static enum bc_status write_piece(void *ctx, const char *bytes, size_t len, struct bc_error *err)
{
	return bc_replacement_write(ctx, bytes, len, err);
}

/* Write the file that -o names, whole or not at all. */
static enum bc_status write_file(const char *path, enum bc_junit_form form, char *const *paths, size_t n,
				 struct bc_merge_sums *sums, struct bc_error *err)
{
	char dir[BC_PATH_MAX];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct bc_replacement *file = NULL;
	struct bc_merge_out out = { .form = form, .write = write_piece, .refused = bc_cli_refused };
	enum bc_status st;

	(void)bc_strlcpy(dir, slash ? path : ".", sizeof(dir));
	if (slash)
		dir[slash == path ? 1 : slash - path] = '\0';
	st = bc_replacement_open(&bc_file_system, dir, name, &file, err);
	if (st)
		return st;
	out.ctx = file;
	return bc_replacement_end(file, bc_junit_merge(paths, n, &out, sums, err), err);
}

static void print_sums(const char *path, const struct bc_merge_sums *s)
{
	(void)printf("%s: %zu report%s, %zu device%s, %zu case%s: %zu passed, %zu failures, %zu errors, %zu skipped\n",
		     path, s->reports, s->reports == 1 ? "" : "s", s->devices, s->devices == 1 ? "" : "s", s->tests,
		     s->tests == 1 ? "" : "s", s->tests - s->failures - s->errors - s->skipped, s->failures, s->errors,
		     s->skipped);
}

/* What was asked for, and the reports do not have. */
static void print_verdict_only(const struct bc_cli *c, const struct bc_merge_sums *s)
{
	if (s->verdict_only && c->junit == BC_JUNIT_FULL)
		(void)printf("%zu cases have their verdict alone: their reports are compact (--junit compact)\n",
			     s->verdict_only);
}

int bc_cmd_merge(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_error err = { .msg = "" };
	struct bc_merge_sums sums = { 0 };
	char **paths = NULL;
	size_t n = 0;
	enum bc_status st = check_arguments(c, &err);

	(void)cat;
	for (size_t i = 0; !st && i < c->noperands; i++)
		st = bc_report_paths_below(c->operands[i], &paths, &n, &err);
	if (!st)
		st = bc_file_not_among(c->output, paths, n, &err);
	if (!st)
		st = write_file(c->output, (enum bc_junit_form)c->junit, paths, n, &sums, &err);
	if (!st) {
		print_sums(c->output, &sums);
		print_verdict_only(c, &sums);
		bc_cli_warn_of_limits(c->output, c->junit == BC_JUNIT_COMPACT);
		st = bc_cli_flush(&err);
	}
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
	return st ? bc_cli_fail(&err) : bc_cli_left_out(sums.refused);
}
