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

/* Put @text in the file that -o names, whole or not at all. */
static enum bc_status write_file(const char *path, const struct bc_text *text, struct bc_error *err)
{
	char dir[BC_PATH_MAX];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	(void)bc_strlcpy(dir, slash ? path : ".", sizeof(dir));
	if (slash)
		dir[slash == path ? 1 : slash - path] = '\0';
	return bc_file_replace(&bc_file_system, dir, name, text->data, text->len, err);
}

int bc_cmd_merge(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_error err = { .msg = "" };
	struct bc_text text = { 0 };
	struct bc_merge_sums sums = { 0 };
	char **paths = NULL;
	size_t n = 0;
	enum bc_status st = check_arguments(c, &err);

	(void)cat;
	for (size_t i = 0; !st && i < c->noperands; i++)
		st = bc_report_paths(c->operands[i], &paths, &n, &err);
	if (!st)
		st = bc_file_not_among(c->output, paths, n, &err);
	if (!st)
		st = bc_junit_merge(paths, n, &text, &sums, &err);
	if (!st)
		st = write_file(c->output, &text, &err);
	if (!st) {
		(void)printf("%s: %zu report%s, %zu device%s, %zu case%s: %zu passed, %zu failures, %zu errors, %zu "
			     "skipped\n",
			     c->output, sums.reports, sums.reports == 1 ? "" : "s", sums.devices,
			     sums.devices == 1 ? "" : "s", sums.tests, sums.tests == 1 ? "" : "s",
			     sums.tests - sums.failures - sums.errors - sums.skipped, sums.failures, sums.errors,
			     sums.skipped);
		st = bc_cli_flush(&err);
	}
	bc_text_release(&text);
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
	return st ? bc_cli_fail(&err) : 0;
}
