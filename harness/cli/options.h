/* SPDX-License-Identifier: MIT */
/* harness/cli/options.h - the one table of subcommands and options: parsing, --help and the man page come from it. */
#ifndef BC_CLI_OPTIONS_H
#define BC_CLI_OPTIONS_H

#include "harness/run/session.h"

/* Bits: which subcommands an option belongs to. */
enum bc_command {
	BC_CMD_RUN = 1 << 0,
	BC_CMD_LIST = 1 << 1,
	BC_CMD_EXPLAIN = 1 << 2,
	BC_CMD_DEVICES = 1 << 3,
	BC_CMD_SELFTEST = 1 << 4,
	BC_CMD_WORKER = 1 << 5, /* internal */
	BC_CMD_MAN = 1 << 6,	/* internal: prints the man page */
	BC_CMD_DIFF = 1 << 7,
	BC_CMD_MERGE = 1 << 8,
	BC_CMD_HISTORY = 1 << 9,
	BC_CMD_HTML = 1 << 10,
	BC_CMD_KNOWN = 1 << 12,
	BC_CMD_REPORT = 1 << 13,
};

/* What the command line said. Strings point into argv. */
struct bc_cli {
	enum bc_command command;
	const char *device, *reports, *expected, *kernels, *fault, *tap, *arch, *op, *offsets, *mask, *patterns;
	const char *format, *tolerance, *output;
	const char *db, *by, *keep, *before;
	bool pool;
	const char *shard, *shuffle, *rerun_failed, *isolate;
	unsigned repeat, retries, retry_lost, deadline_s, pack;
	bool fail_fast, flaky_ok, resume;
	const char **filter, **exclude; /* [nfilter], [nexclude]; malloc'ed */
	size_t nfilter, nexclude;
	enum bc_witness witness;
	bool require_counters, strict, racecheck, verbose, quiet, longer;
	unsigned timeout_s, quiet_s;
	const char **words; /* arguments that are no options; malloc'ed */
	size_t nwords;
	bool done; /* --help or --version was answered: exit 0 */
	/* Found, not said: */
	char self[1024]; /* path of this binary */
	char kernels_dir[1100], expected_dir[1100], reports_dir[512];
};

/**
 * bc_cli_parse - take the command line apart
 *
 * Also finds the binary, its kernels (--kernels, build/kernels beside it, ../lib/bankcheck/kernels) and expected/
 * (--expected, ../expected, ../share/bankcheck/expected).
 * Return: BC_EUSAGE with what is wrong and what to type.
 */
enum bc_status bc_cli_parse(int argc, char **argv, struct bc_cli *out, struct bc_error *err);
void bc_cli_release(struct bc_cli *c);

/* The man page, troff with the man macros. BC_EWRITE. */
enum bc_status bc_cli_man(struct bc_error *err);

/* Flush standard output; BC_EWRITE when anything that was printed did not get out. */
enum bc_status bc_cli_flush(struct bc_error *err);

/* --format of a command that has text and json. Return: BC_EUSAGE for another. */
enum bc_status bc_cli_json(const struct bc_cli *c, bool *json, struct bc_error *err);

/* Subcommands, one file each. Return: exit status. */
int bc_cmd_run(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_list(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_explain(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_selftest(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_devices(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_diff(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_merge(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_history(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_html(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_report(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_known(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_worker(const struct bc_cli *c, const struct bc_catalog *cat);

struct bc_console;

/* All reports and logs of a finished run (cmd_run.c). Each is tried; the first failure is returned. */
enum bc_status bc_cli_report(const struct bc_cli *c, struct bc_console *console, const struct bc_run *run,
			     struct bc_error *err);

/* Exit status of a run by its verdicts and flakes. */
int bc_cli_run_status(const struct bc_cli *c, const struct bc_run *run);

/* Print an error the one way it is printed and give its exit status. */
int bc_cli_fail(const struct bc_error *err);

#endif
