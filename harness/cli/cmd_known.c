/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/report/reader.h"
#include "harness/core/known.h"

/* What the reports say of the case: a line each. Return: how many. */
static size_t print_reports(const struct bc_known_entry *e, const struct bc_read_file *file, size_t n)
{
	size_t said = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < file[i].ndevices; k++) {
			const struct bc_read_device *d = &file[i].devices[k];
			const struct bc_read_case *c = bc_read_find(d, e->id);

			if (!c)
				continue;
			(void)printf("  %s %s (%s): %s%s%s\n", d->timestamp, d->dev, file[i].path,
				     bc_verdict_name(c->verdict), c->message[0] ? ": " : "", c->message);
			said++;
		}
	}
	return said;
}

static void print_entry(const struct bc_known_list *l, const struct bc_known_entry *e, const char *today,
			const struct bc_read_file *file, size_t n)
{
	(void)printf("%s on %s: %s\n", e->id, e->archs, e->outcome);
	(void)printf("  %s, %s\n", e->reason, e->link);
	if (!e->driver.any)
		(void)printf("  driver %s-%s\n", e->driver.lo, e->driver.hi);
	if (!e->cuda.any)
		(void)printf("  CUDA %s-%s\n", e->cuda.lo, e->cuda.hi);
	(void)printf("  %s %s, %s:%u\n", bc_known_expired(e, today) ? "expired: counted until" : "counts until",
		     e->expires, l->path, e->line);
	if (!print_reports(e, file, n))
		(void)puts("  no report contains it");
}

/* The reports that the words name; without words those of ./reports, if there are any. */
static enum bc_status read_reports(const struct bc_cli *c, struct bc_read_file **file, size_t *n, struct bc_error *err)
{
	char **path = NULL;
	size_t npaths = 0;
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < c->noperands; i++)
		st = bc_report_paths(c->operands[i], &path, &npaths, err);
	if (!st && !c->noperands && (access(c->reports_dir, F_OK) == 0 || errno != ENOENT)) {
		st = bc_report_paths(c->reports_dir, &path, &npaths, err);
		st = st == BC_EDATA ? BC_OK : st; /* it has none */
	}
	*file = calloc(npaths + 1, sizeof(**file));
	if (!st && !*file)
		st = bc_fail(err, BC_ENOMEM, "known: out of memory");
	for (size_t i = 0; !st && i < npaths; i++) {
		st = bc_report_read(path[i], &(*file)[i], err);
		*n += !st;
	}
	for (size_t i = 0; i < npaths; i++)
		free(path[i]);
	free(path);
	return st;
}

int bc_cmd_known(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_known_list list = { 0 };
	struct bc_read_file *file = NULL;
	struct bc_error err = { .msg = "" };
	const time_t t = time(NULL);
	struct tm tm;
	char today[BC_DATE_MAX] = "";
	size_t n = 0;
	enum bc_status st = bc_known_load(c->expected_dir, cat, &list, &err);

	if (gmtime_r(&t, &tm))
		(void)strftime(today, sizeof(today), "%Y-%m-%d", &tm);
	if (!st)
		st = read_reports(c, &file, &n, &err);
	if (!st && !list.n)
		(void)puts("there are no known failures");
	for (size_t i = 0; !st && i < list.n; i++)
		print_entry(&list, &list.entry[i], today, file, n);
	if (!st)
		st = bc_cli_flush(&err);
	for (size_t i = 0; i < n; i++)
		bc_report_release(&file[i]);
	free(file);
	bc_known_release(&list);
	return st ? bc_cli_fail(&err) : 0;
}
