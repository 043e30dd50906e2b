/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include "harness/cli/find_arch.h"
#include "harness/cli/soak.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/device/reference/faults.h"
#include "harness/report/console.h"
#include "harness/report/render.h"
#include "harness/base/folder.h"
#include "harness/report/github.h"
#include "harness/report/junit.h"
#include "harness/report/reader.h"
#include "harness/run/check_run.h"
#include "harness/run/journal.h"
#include "harness/run/session.h"
#include "harness/run/targets.h"

struct sinks {
	struct bc_console *console;
	const struct bc_run *run;
};

static void on_begin(void *ctx, const struct bc_run *run)
{
	struct sinks *s = ctx;

	s->run = run;
	bc_console_begin(s->console, run);
}

static void on_progress(void *ctx, size_t done, size_t total, const char *id)
{
	bc_console_progress(((struct sinks *)ctx)->console, done, total, id);
}

static void on_result(void *ctx, const struct bc_device_run *d, const struct bc_result *r)
{
	bc_console_result(((struct sinks *)ctx)->console, d, r);
}

static bool any_provisional(const struct bc_run *run)
{
	for (size_t i = 0; i < run->ndevices; i++)
		if (run->devices[i].arch.provisional)
			return true;
	return false;
}

void bc_cli_console(const struct bc_cli *c, struct bc_console_options *o)
{
	o->verbose = c->verbose;
	o->quiet = c->quiet;
	if (c->color != BC_COLOR_AUTO)
		o->color = c->color == BC_COLOR_ALWAYS;
}

/* Reports and logs; all are tried, the first failure is kept. */
enum bc_status bc_cli_write_reports(const struct bc_cli *c, struct bc_console *console, const struct bc_run *run,
				    struct bc_error *err)
{
	struct bc_paths paths = { 0 };
	struct bc_error later;
	size_t failed = 0;
	enum bc_status st = bc_check_run(run, c->tap, &failed, err), next;

	next = bc_junit_write(run, (enum bc_junit_form)c->junit, c->reports_dir, &paths, st ? &later : err);
	st = st ? st : next;
	next = bc_console_end(console, run, &paths, st ? &later : err);
	st = st ? st : next;
	if (bc_github_wanted()) {
		next = bc_github_report(run, &paths, stdout, st ? &later : err);
		st = st ? st : next;
	}
	for (size_t i = 0; i < paths.n; i++)
		bc_cli_warn_of_limits(paths.path[i], c->junit == BC_JUNIT_COMPACT);
	bc_paths_release(&paths);
	return st;
}

/* Did a case pass only in a later attempt, or did a worker die? */
static bool any_flaky(const struct bc_run *run)
{
	for (size_t i = 0; i < run->ndevices; i++)
		if (run->devices[i].ndeaths)
			return true;
	for (size_t i = 0; i < run->ndevices; i++)
		for (size_t k = 0; k < run->devices[i].nresults; k++)
			if (run->devices[i].results[k].flaky)
				return true;
	return false;
}

static size_t count_skips(const struct bc_run *run, enum bc_skip why)
{
	size_t n = 0;

	for (size_t i = 0; i < run->ndevices; i++)
		for (size_t k = 0; k < run->devices[i].nresults; k++)
			n += run->devices[i].results[k].judged.skip == why;
	return n;
}

int bc_cli_run_status(const struct bc_cli *c, const struct bc_run *run)
{
	size_t n[BC_NVERDICTS] = { 0 }, cases = 0;
	int status;

	for (size_t i = 0; i < run->ndevices; i++)
		cases += run->devices[i].nresults;
	if (!cases)
		(void)fputs("bankcheck: note: the selection is empty, no case was run\n", stderr);
	for (size_t i = 0; i < run->ndevices; i++)
		bc_count_verdicts(&run->devices[i], n);
	status = bc_exit_status(n, count_skips(run, BC_SKIPPED_NOT_JUDGED),
				c->strict && (any_provisional(run) || count_skips(run, BC_SKIPPED_NO_FIGURE)));
	return (status == 0 || status == 4) && !c->flaky_ok && any_flaky(run) ? 1 : status;
}

/* Mark the cases that are findings in a report. */
static enum bc_status mark_findings(const struct bc_read_file *f, const struct bc_catalog *cat, bool *only,
				    struct bc_error *err)
{
	for (size_t i = 0; i < f->ndevices; i++) {
		for (size_t k = 0; k < f->devices[i].ncases; k++) {
			const struct bc_read_case *r = &f->devices[i].cases[k];
			const struct bc_case *c = bc_catalog_find(cat, r->id);

			if (!bc_verdict_is_finding(r->verdict))
				continue;
			if (!c)
				return bc_fail(err, BC_EDATA, "%s:%u: the case %s does not exist in this version",
					       f->path, r->line, r->id);
			only[c - cat->cases] = true;
		}
	}
	return BC_OK;
}

/* The cases of --rerun-failed. */
static enum bc_status read_findings(const char *word, const struct bc_catalog *cat, bool **only, struct bc_error *err)
{
	char **path = NULL;
	size_t n = 0;
	enum bc_status st = bc_report_paths(word, &path, &n, err);

	*only = calloc(cat->n + cat->nhidden + 1, sizeof(**only));
	if (!st && !*only)
		st = bc_fail(err, BC_ENOMEM, "rerun-failed: out of memory");
	for (size_t i = 0; !st && i < n; i++) {
		struct bc_read_file f = { 0 };

		st = bc_report_read(path[i], &f, err);
		if (!st)
			st = mark_findings(&f, cat, *only, err);
		bc_report_release(&f);
	}
	for (size_t i = 0; i < n; i++)
		free(path[i]);
	free(path);
	return st;
}

/* Options that do not go together. */
static enum bc_status check_options(const struct bc_cli *c, struct bc_error *err)
{
	const struct bc_fault *f;
	enum bc_status st;

	if (c->run.repeat > 1 && (c->run.retries || c->run.retry_lost))
		return bc_fail(err, BC_EUSAGE,
			       "--repeat and --retries exclude each other: repeating looks for what retrying hides");
	if (c->soak_s && c->run.resume)
		return bc_fail(err, BC_EUSAGE,
			       "--soak and --resume exclude each other: a soak's rounds are begun anew");
	st = bc_cli_check_law(c, err);
	if (st || !c->run.fault)
		return st;
	if (c->run.devices && bc_targets_want_cuda(c->run.devices))
		return bc_fail(err, BC_EUSAGE,
			       "--fault %.40s: faults are planted in the reference device only, and --device %.200s "
			       "names a GPU",
			       c->run.fault, c->run.devices);
	return bc_fault_require(c->run.fault, &f, err);
}

/* --resume where there is no journal, or an empty one: a run that was killed in its first moments leaves that. Return:
 * go on from it? */
static bool start_anew(const char *journal)
{
	(void)fprintf(stderr, "bankcheck: note: --resume: %s%s%s: the run starts anew\n",
		      access(journal, F_OK) ? "there is no " : "", journal,
		      access(journal, F_OK) ? " to continue from" : " is empty");
	return false;
}

/* Nothing is to be run, and no report is touched. Return: the exit status. */
static int say_empty(const struct bc_cli *c, enum bc_session_plan plan)
{
	const bool clean = plan == BC_PLAN_NO_FINDINGS;

	(void)fprintf(stderr, "bankcheck: %s, so no case was run; the reports in %s are as they were\n",
		      clean ? "note: the report of --rerun-failed has no finding" : "the selection is empty",
		      c->reports_dir);
	return clean ? 0 : 4;
}

/* The last words of --soak, and its file beside the reports. */
static enum bc_status end_soak(const struct bc_cli *c, const struct bc_soak *s, struct bc_error *err)
{
	char text[160];

	bc_soak_text(s, text, sizeof(text));
	(void)printf("soak:   %s; the reports are of round %llu\n", text, (unsigned long long)s->kept);
	return bc_soak_write(s, c->reports_dir, err);
}

int bc_cmd_run(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_console_options co = bc_console_detect(stdout);
	struct bc_run_options o = bc_cli_run_options(c);
	struct sinks sinks = { 0 };
	const struct bc_session_events ev = {
		.ctx = &sinks, .begin = on_begin, .progress = on_progress, .result = on_result
	};
	char journal[sizeof(c->reports_dir) + 16];
	struct bc_text rerun = { 0 };
	struct bc_folder *folder = NULL;
	struct bc_session *session = NULL;
	struct bc_soak soak = { .rounds = 0 };
	bool *only = NULL;
	struct bc_error err = { .msg = "" };
	int status = 0;
	enum bc_status st;

	bc_cli_console(c, &co);
	(void)snprintf(journal, sizeof(journal), "%s/journal.tsv", c->reports_dir);
	o.journal = journal;
	o.only_suite = getenv("CK_RUN_SUITE");
	o.only_rule = getenv("CK_RUN_CASE");
	if (!o.devices && (o.fault || o.law)) /* only the reference device has faults, or another law */
		o.devices = "reference";
	st = check_options(c, &err);
	if (!st && c->rerun_failed)
		st = read_findings(c->rerun_failed, cat, &only, &err);
	o.only = only;
	if (!st)
		st = bc_run_options_rerun(&c->run, &rerun, &err);
	o.rerun = rerun.data;
	if (!st)
		st = bc_folder_open(c->reports_dir, &folder, &err);
	if (!st)
		st = bc_console_open(&co, &sinks.console, &err);
	if (!st && o.resume && bc_journal_is_empty(journal))
		o.resume = start_anew(journal);
	if (!st && c->soak_s)
		st = bc_soak_run(c->soak_s, &o, cat, &ev, &session, &soak, &err);
	else if (!st)
		st = bc_session_open(&o, cat, &session, &err);
	if (!st && bc_session_plan(session) != BC_PLAN_CASES) {
		status = say_empty(c, bc_session_plan(session));
		goto out;
	}
	if (!st && !c->soak_s)
		st = bc_session_run(session, &ev, &err);
	if (!st)
		st = bc_cli_write_reports(c, sinks.console, bc_session_result(session), &err);
	if (!st && c->soak_s)
		st = end_soak(c, &soak, &err);
	if (st && sinks.console)
		bc_console_erase(sinks.console);
	if (st)
		status = bc_cli_fail(&err);
	if (session && (!st || bc_session_signal(session)))
		status = bc_cli_run_status(c, bc_session_result(session));
	if (session && bc_session_signal(session))
		status = 128 + bc_session_signal(session);
	if (soak.signal)
		status = 128 + soak.signal;
out:
	bc_session_close(session);
	bc_console_close(sinks.console);
	bc_folder_close(folder);
	bc_text_release(&rerun);
	free(only);
	return status;
}
