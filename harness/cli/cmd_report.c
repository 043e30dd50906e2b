/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include <stdio.h>
#include <string.h>

#include "harness/report/console.h"
#include "harness/base/folder.h"
#include "harness/run/session.h"

/* Without --reports, reports go where the journal is. */
static enum bc_status stay_beside(const char *journal, struct bc_cli *c, struct bc_error *err)
{
	const char *slash = strrchr(journal, '/');
	const int len = slash ? (int)(slash - journal) : 1;

	if (snprintf(c->reports_dir, sizeof(c->reports_dir), "%.*s", len ? len : 1, slash ? journal : ".") >=
	    (int)sizeof(c->reports_dir))
		return bc_fail(err, BC_EUSAGE, "%.100s...: a path of more than %zu bytes: use --reports DIR", journal,
			       sizeof(c->reports_dir) - 1);
	return BC_OK;
}

int bc_cmd_report(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_cli here = *c;
	struct bc_run_options o;
	struct bc_console_options co = bc_console_detect(stdout);
	struct bc_console *console = NULL;
	struct bc_folder *folder = NULL;
	struct bc_session *s = NULL;
	struct bc_error err = { .msg = "" };
	const struct bc_run *run;
	int status = 0;
	enum bc_status st = BC_OK;

	bc_cli_console(c, &co);
	if (c->noperands != 1)
		st = bc_fail(&err, BC_EUSAGE,
			     "report: it takes one journal, not %zu: type `bankcheck report JOURNAL`, for example "
			     "reports/journal.tsv",
			     c->noperands);
	if (!st && !c->run.reports_dir)
		st = stay_beside(c->operands[0], &here, &err);
	o = bc_cli_run_options(&here);
	if (!st)
		st = bc_folder_open(here.reports_dir, &folder, &err);
	if (!st)
		st = bc_session_replay(&o, cat, c->operands[0], &s, &err);
	if (!st)
		st = bc_console_open(&co, &console, &err);
	if (!st) {
		run = bc_session_result(s);
		bc_console_begin(console, run);
		for (size_t i = 0; i < run->ndevices; i++)
			for (size_t k = 0; k < run->devices[i].nresults; k++)
				bc_console_result(console, &run->devices[i], &run->devices[i].results[k]);
		st = bc_cli_write_reports(&here, console, run, &err);
		status = bc_cli_run_status(c, run);
	}
	if (st)
		status = bc_cli_fail(&err);
	bc_session_close(s);
	bc_console_close(console);
	bc_folder_close(folder);
	return status;
}
