/* SPDX-License-Identifier: MIT */
/* harness/cli/cmd_qualify.c - `bankcheck qualify`: one command, one page: is this GPU as it should be? */
#include "harness/cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/file.h"
#include "harness/base/folder.h"
#include "harness/qualify/qualify.h"

/* A line when a step begins, and how it ended. */
static void on_step(void *ctx, const struct bc_qualify_device *d, enum bc_qualify_kind k,
		    const struct bc_qualify_step *s, bool ended)
{
	const bool *quiet = ctx;

	if (*quiet)
		return;
	if (!ended)
		(void)fprintf(stderr, "bankcheck: qualify: %s%s%s ... ", d ? d->option : "", d ? ": " : "",
			      bc_qualify_step_name(k));
	else if (s->earlier)
		(void)fprintf(stderr, "bankcheck: qualify: %s%s%s was done before\n", d ? d->option : "", d ? ": " : "",
			      bc_qualify_step_name(k));
	else
		(void)fprintf(stderr, "%s%s(%.1f s)\n", s->result, s->result[0] ? " " : "", s->seconds);
	(void)fflush(stderr);
}

/* The page of one device in its folder, or of all; each form is tried, the first failure is kept. */
static enum bc_status write_pages(const struct bc_qualify *q, const struct bc_qualify_device *d, const char *dir,
				  struct bc_error *err)
{
	static const struct {
		const char *name;
		bc_qualify_printer *print;
	} forms[] = { { "qualify.txt", bc_qualify_text },
		      { "qualify.json", bc_qualify_json },
		      { "qualify.xml", bc_qualify_junit },
		      { "qualify.html", bc_qualify_page } };
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++) {
		struct bc_text text = { 0 };
		struct bc_error later;
		enum bc_status next = forms[i].print(q, d, &text, st ? &later : err);

		if (!next && !d && i == 0 && text.len)
			(void)fwrite(text.data, 1, text.len, stdout); /* the flush tells whether it got out */
		if (!next)
			next = bc_file_replace(&bc_file_system, dir, forms[i].name, text.data, text.len,
					       st ? &later : err);
		bc_text_release(&text);
		st = st ? st : next;
	}
	return st;
}

static enum bc_status write_all(const struct bc_cli *c, const struct bc_qualify *q, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < q->n; i++) {
		char dir[BC_PATH_MAX];

		if (snprintf(dir, sizeof(dir), "%s/%s", c->reports_dir, q->device[i].name) >= (int)sizeof(dir))
			return bc_fail(err, BC_EUSAGE, "--reports: the path is too long");
		st = write_pages(q, &q->device[i], dir, err);
	}
	if (!st)
		st = write_pages(q, NULL, c->reports_dir, err);
	return st ? st : bc_cli_flush(err);
}

static enum bc_status check_options(const struct bc_cli *c, struct bc_error *err)
{
	struct stat there;

	if (!c->run.reports_dir)
		return bc_fail(err, BC_EUSAGE, "qualify: --reports DIR is missing: where the page and all reports go");
	if (c->baseline && stat(c->baseline, &there))
		return bc_fail(err, BC_EREAD, "--baseline %s: %s", c->baseline, strerror(errno));
	return BC_OK;
}

int bc_cmd_qualify(const struct bc_cli *c, const struct bc_catalog *cat)
{
	const struct bc_qualify_options o = { .self = c->self,
					      .run = &c->run,
					      .reports_dir = c->reports_dir,
					      .expected_dir = c->expected_dir,
					      .baseline = c->baseline,
					      .kernels = &c->matrix_kernels,
					      .cupti = &c->matrix_cupti,
					      .soak_s = c->soak_s,
					      .strict = c->strict,
					      .resume = c->run.resume };
	struct bc_qualify q = { .n = 0 };
	struct bc_folder *folder = NULL;
	struct bc_error err = { .msg = "" };
	bool quiet = c->quiet;
	int status;
	enum bc_status st = check_options(c, &err);

	(void)cat;
	if (!st)
		st = bc_folder_open(c->reports_dir, &folder, &err);
	if (!st)
		st = bc_qualify_plan(&o, &q, &err);
	if (!st)
		st = bc_qualify_run(&o, &q, on_step, &quiet, &err);
	if (!st && !q.signal)
		st = write_all(c, &q, &err);
	status = st ? bc_cli_fail(&err) : bc_qualify_status(&q, c->strict);
	if (q.signal)
		status = 128 + q.signal;
	bc_qualify_release(&q);
	bc_folder_close(folder);
	return status;
}
