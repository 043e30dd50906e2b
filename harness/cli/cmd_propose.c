/* SPDX-License-Identifier: MIT */
/* harness/cli/cmd_propose.c - `bankcheck propose` and `confirm`: what finished runs allow to write into expected/. */
#include "harness/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/map/agree.h"
#include "harness/report/read_shards.h"

#define ARCHS_MAX 32

/* The reports of the command line, read. */
struct reports {
	struct bc_read_file *file;
	size_t n;
};

static enum bc_status read_reports(const struct bc_cli *c, const char *command, struct reports *out,
				   struct bc_error *err)
{
	char **paths = NULL;
	size_t n = 0;
	enum bc_status st = BC_OK;

	if (!c->noperands)
		return bc_fail(err, BC_EUSAGE,
			       "%s: name the reports: `bankcheck %s REPORT...` (a REPORT may be a folder)", command,
			       command);
	for (size_t i = 0; !st && i < c->noperands; i++)
		st = bc_report_paths(c->operands[i], &paths, &n, err);
	if (!st) {
		out->file = calloc(n ? n : 1, sizeof(*out->file));
		st = out->file ? BC_OK : bc_fail(err, BC_ENOMEM, "%s: out of memory", command);
	}
	for (size_t i = 0; !st && i < n; i++) {
		st = bc_report_read(paths[i], &out->file[out->n], err);
		out->n += !st;
	}
	if (!st)
		st = bc_report_join(out->file, out->n, err);
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
	return st;
}

static void release_reports(struct reports *r)
{
	for (size_t i = 0; i < r->n; i++)
		bc_report_release(&r->file[i]);
	free(r->file);
}

static void print_agreement(const struct bc_agreement *a, const char *dir)
{
	(void)printf(
		"%s: %u runs on %u GPU%s: %lu cases are counted alike by all, %lu of them other than expected, %lu "
		"are disputed\n",
		a->arch, a->runs, a->gpus, a->gpus == 1 ? "" : "s", a->cases, a->rows, a->disputed);
	if (a->words.len)
		(void)printf("not agreed on:\n%s", a->words.data);
	if (a->rows)
		(void)printf("proposed in %s/%s\n", dir, a->arch);
}

int bc_cmd_propose(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct reports r = { NULL, 0 };
	struct bc_error err = { .msg = "" };
	const char *arch[ARCHS_MAX];
	size_t narchs = 0;
	int status = 0;
	enum bc_status st = BC_OK;

	if (!c->proposal)
		st = bc_fail(&err, BC_EUSAGE, "propose: name the folder of the proposal: --proposal DIR");
	if (!st)
		st = read_reports(c, "propose", &r, &err);
	if (!st) {
		narchs = bc_agree_archs(r.file, r.n, arch, ARCHS_MAX);
		if (!narchs)
			st = bc_fail(&err, BC_EDATA, "propose: the reports hold no run of a GPU");
	}
	for (size_t i = 0; !st && i < narchs; i++) {
		struct bc_agreement a;

		st = bc_agree_propose(r.file, r.n, arch[i], cat, c->expected_dir, c->proposal, &a, &err);
		if (!st)
			print_agreement(&a, c->proposal);
		status = a.disputed ? 1 : status;
		bc_agreement_release(&a);
	}
	if (!st)
		st = bc_cli_flush(&err);
	release_reports(&r);
	return st ? bc_cli_fail(&err) : status;
}

int bc_cmd_confirm(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct reports r = { NULL, 0 };
	struct bc_error err = { .msg = "" };
	int status = 0;
	enum bc_status st = read_reports(c, "confirm", &r, &err);

	(void)cat;
	for (size_t i = 0; !st && i < r.n; i++) {
		for (size_t k = 0; k < r.file[i].ndevices; k++) {
			char line[400], why[400];

			if (bc_agree_confirm(&r.file[i].devices[k], line, sizeof(line), why, sizeof(why))) {
				(void)printf("%s\n", line);
				continue;
			}
			status = 1;
			(void)fprintf(stderr, "bankcheck: %s: %s confirms nothing: %s\n", r.file[i].path,
				      r.file[i].devices[k].dev, why);
		}
	}
	if (!st)
		st = bc_cli_flush(&err);
	release_reports(&r);
	return st ? bc_cli_fail(&err) : status;
}
