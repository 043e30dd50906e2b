/* SPDX-License-Identifier: MIT */
/* harness/cli/cmd_app.c - `bankcheck app`: conflict budgets for every kernel of an unmodified program. */
#include "harness/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/app/print.h"
#include "harness/base/escape.h"
#include "harness/base/file.h"
#include "harness/base/folder.h"
#include "harness/base/textfile.h"

#define LIBRARY "libbankcheck-app.so"
#define SLACK 5u

/* What is counted without a budget. */
#define BIT(c) (UINT32_C(1) << BC_CTR_##c)
#define UNCOUNTED (BIT(INSTRUCTIONS) | BIT(BARRIERS) | BIT(DURATION))

struct app {
	const struct bc_cli *c;
	struct bc_app_config config;
	struct bc_budget budget;
	struct bc_app_summary summary;
	struct bc_app_end end;
	struct bc_text command;
	struct bc_folder *folder; /* of the reports; NULL: none are written */
	char library[BC_PATH_MAX], today[11];
	unsigned slack;
};

static enum bc_status number(const char *option, const char *text, unsigned least, unsigned most, unsigned *out,
			     struct bc_error *err)
{
	uint32_t v = 0;

	if (!text)
		return BC_OK;
	if (!bc_u32_parse(text, &v) || v < least || v > most)
		return bc_fail(err, BC_EUSAGE, "--%s %s: it takes a whole number from %u to %u", option, text, least,
			       most);
	*out = v;
	return BC_OK;
}

/* Beside the program, or where `make install` puts it. */
static enum bc_status find_library(struct app *a, struct bc_error *err)
{
	static const char *const places[] = { "", "../lib/bankcheck/", "lib/", "../lib/" };
	const char *slash = strrchr(a->c->self, '/');
	const int len = slash ? (int)(slash - a->c->self) : 0;

	for (size_t i = 0; i < BC_ARRAY_LEN(places); i++) {
		(void)snprintf(a->library, sizeof(a->library), "%.*s/%s" LIBRARY, len, a->c->self, places[i]);
		if (access(a->library, R_OK) == 0)
			return BC_OK;
	}
	return bc_fail(err, BC_EUSAGE,
		       "app: %.*s/" LIBRARY " is not there: `make` builds it where there is a CUDA toolkit", len,
		       a->c->self);
}

/* Kernels that wait for other GPUs, or for the host: they are never measured. */
static const char *const waiting[] = { "nccl*", "*DelayKernel*" };

static enum bc_status configure(struct app *a, struct bc_error *err)
{
	const struct bc_cli *c = a->c;
	struct bc_app_config *k = &a->config;
	enum bc_status st = number("sample", c->sample, 1, BC_APP_SAMPLE_MAX, &k->sample, err);

	a->slack = SLACK;
	if (!st)
		st = number("slack", c->slack, 0, 1000, &a->slack, err);
	if (!st && c->graphs && strcmp(c->graphs, "whole") != 0 && strcmp(c->graphs, "split") != 0)
		st = bc_fail(err, BC_EUSAGE, "--graphs %s: it takes whole or split", c->graphs);
	if (!st && c->slack && !c->write_budget)
		st = bc_fail(err, BC_EUSAGE, "--slack: it belongs to --write-budget");
	if (st)
		return st;
	k->kernels = c->kernels_dir;
	k->cupti = c->run.cupti;
	k->timeout_s = c->run.timeout_s;
	k->deadline_s = c->run.deadline_s;
	k->split_graphs = c->graphs && strcmp(c->graphs, "split") == 0;
	k->replay = c->replay || k->split_graphs;
	k->filter = c->run.filter;
	k->exclude.item = calloc(c->run.exclude.n + BC_ARRAY_LEN(waiting), sizeof(*k->exclude.item));
	if (!k->exclude.item)
		return bc_fail(err, BC_ENOMEM, "app: out of memory");
	for (size_t i = 0; i < c->run.exclude.n; i++)
		k->exclude.item[k->exclude.n++] = c->run.exclude.item[i];
	for (size_t i = 0; i < BC_ARRAY_LEN(waiting); i++)
		k->exclude.item[k->exclude.n++] = waiting[i];
	k->want = c->budget && !c->write_budget ? bc_budget_counters(&a->budget) | BIT(ARBITRATION)
						: ((UINT32_C(1) << BC_NCOUNTERS) - 1) & ~UNCOUNTED;
	if (c->device_clock)
		k->want |= BIT(DURATION);
	return BC_OK;
}

static enum bc_status prepare(struct app *a, struct bc_error *err)
{
	const time_t now = time(NULL);
	struct tm day;
	enum bc_status st = BC_OK;

	if (!a->c->noperands)
		return bc_fail(err, BC_EUSAGE, "app: name the program: `bankcheck app [OPTION...] -- COMMAND...`");
	if (!localtime_r(&now, &day) || !strftime(a->today, sizeof(a->today), "%Y-%m-%d", &day))
		return bc_fail(err, BC_EDEVICE, "app: what day is it?");
	if (a->c->budget)
		st = bc_budget_read(a->c->budget, &a->budget, err);
	if (!st)
		st = configure(a, err);
	if (!st)
		st = find_library(a, err);
	if (!st && a->c->app_reports) /* before the program runs, so that its counts are not lost */
		st = bc_folder_open(a->c->app_reports, &a->folder, err);
	for (size_t i = 0; !st && i < a->c->noperands; i++) {
		if (i)
			st = bc_text_add(&a->command, " ", 1, err);
		if (!st)
			st = bc_shell_quote(&a->command, a->c->operands[i], err);
	}
	return st;
}

static enum bc_status run(struct app *a, struct bc_error *err)
{
	char **argv = calloc(a->c->noperands + 1, sizeof(*argv));
	struct bc_app_record *records = NULL;
	size_t n = 0;
	enum bc_status st, made;

	if (!argv)
		return bc_fail(err, BC_ENOMEM, "app: out of memory");
	memcpy(argv, a->c->operands, a->c->noperands * sizeof(*argv));
	st = bc_app_run(argv, a->library, &a->config, &a->end, &records, &n, err);
	made = bc_app_summary_make(records, n, &a->summary, st ? NULL : err);
	if (!st)
		st = made;
	if (!st && a->c->budget)
		st = bc_app_summary_judge(&a->summary, &a->budget, a->today, err);
	free(argv);
	return st;
}

typedef enum bc_status print_fn(const struct bc_app_report *r, struct bc_text *out, struct bc_error *err);

static enum bc_status write_one(const struct app *a, const struct bc_app_report *r, const char *name, print_fn *print,
				struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st = print(r, &text, err);

	if (!st)
		st = bc_file_replace(&bc_file_system, a->c->app_reports, name, text.data, text.len, err);
	bc_text_release(&text);
	return st;
}

/* Each is tried; the first failure is kept. */
static enum bc_status write_reports(const struct app *a, const struct bc_app_report *r, struct bc_error *err)
{
	static const struct {
		const char *name;
		print_fn *print;
	} files[] = {
		{ "app.xml", bc_app_print_junit },
		{ "app.json", bc_app_print_json },
		{ "app.html", bc_app_print_html },
	};
	enum bc_status st = BC_OK;

	for (size_t i = 0; a->folder && i < BC_ARRAY_LEN(files); i++) {
		const enum bc_status one = write_one(a, r, files[i].name, files[i].print, st ? NULL : err);

		st = st ? st : one;
	}
	return st;
}

static enum bc_status write_budget(const struct app *a, struct bc_error *err)
{
	struct bc_text text = { 0 };
	const char *path = a->c->write_budget, *slash = strrchr(path, '/');
	char dir[BC_PATH_MAX];
	enum bc_status st = bc_app_summary_budget(&a->summary, a->slack, &text, err);

	(void)bc_strlcpy(dir, slash ? path : ".", sizeof(dir));
	if (slash)
		dir[slash == path ? 1 : slash - path] = '\0';
	if (!st)
		st = bc_file_replace(&bc_file_system, dir, slash ? slash + 1 : path, text.data, text.len, err);
	bc_text_release(&text);
	return st;
}

/* The exit status, and in words whose it is and what it says. Nothing judged is not green. */
static int verdict(const struct app *a, char *words, size_t size)
{
	const struct bc_app_summary *s = &a->summary;
	const size_t *n = s->count;

	if (a->end.signal)
		(void)snprintf(words, size, "the program was ended by signal %s", bc_signal_name(a->end.signal));
	else if (a->end.status)
		(void)snprintf(words, size, "the program ended with it");
	if (a->end.status)
		return a->end.status;
	if (!s->nrecords)
		(void)snprintf(words, size, "no process of the program used CUDA: nothing was judged");
	else if (!s->launches)
		(void)snprintf(words, size, "the program launched no kernel: nothing was judged");
	else if (!bc_app_summary_counted(s))
		(void)snprintf(words, size, "no launch was counted: nothing was judged");
	if (!bc_app_summary_counted(s))
		return 4;
	/* what was not counted may have broken a budget: that is not green */
	(void)snprintf(words, size, "%s",
		       !a->c->budget	 ? "nothing was bounded: --budget FILE"
		       : n[BC_APP_ERROR] ? "a budget could not be judged"
		       : s->incomplete	 ? "the counts of a process are not complete, see above"
		       : n[BC_APP_FAIL]	 ? "a budget was broken"
					 : "all budgets were kept");
	return !a->c->budget ? 0 : n[BC_APP_ERROR] || s->incomplete ? 2 : n[BC_APP_FAIL] ? 1 : 0;
}

/* The program's output is its own: what we say goes to standard error. */
static enum bc_status report(struct app *a, int *status, struct bc_error *err)
{
	const struct bc_app_report r = { .summary = &a->summary,
					 .config = &a->config,
					 .end = &a->end,
					 .budget = a->c->budget ? &a->budget : NULL,
					 .command = a->command.data,
					 .today = a->today,
					 .options = &a->c->run,
					 .complete = !a->summary.incomplete };
	struct bc_text text = { 0 };
	char words[200];
	enum bc_status st, printed;

	*status = verdict(a, words, sizeof(words));
	st = write_reports(a, &r, err);
	if (a->c->write_budget) {
		const enum bc_status one = write_budget(a, st ? NULL : err);

		st = st ? st : one;
	}
	printed = a->c->quiet && !*status ? BC_OK : bc_app_print_text(&r, a->c->verbose, &text, st ? NULL : err);
	if (text.data)
		(void)fputs(text.data, stderr);
	if (!a->c->quiet || *status)
		(void)fprintf(stderr, "exit status %d: %s\n", *status, words);
	bc_text_release(&text);
	return st ? st : printed;
}

int bc_cmd_app(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct app a = { .c = c };
	struct bc_error err = { .msg = "" };
	int status = 0;
	enum bc_status st = prepare(&a, &err);

	(void)cat;
	if (!st)
		st = run(&a, &err);
	if (!st)
		st = report(&a, &status, &err);
	if (st) {
		const int ours = bc_cli_fail(&err);

		status = a.end.status && a.end.status != 127 ? a.end.status : ours;
	}
	bc_app_summary_release(&a.summary);
	bc_budget_release(&a.budget);
	bc_text_release(&a.command);
	bc_folder_close(a.folder);
	free(a.config.exclude.item);
	return status;
}
