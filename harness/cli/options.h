/* SPDX-License-Identifier: MIT */
/* harness/cli/options.h - subcommands and their options: the tables that parsing, --help and the man page come from.
 *
 * The options of a run are rows of bc_run_option_table (harness/run/run_options.h); the others are rows here.
 */
#ifndef BC_CLI_OPTIONS_H
#define BC_CLI_OPTIONS_H

#include "harness/cli/output.h"
#include "harness/core/case.h"
#include "harness/core/results.h"
#include "harness/report/junit.h"
#include "harness/run/run_options.h"

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
	BC_CMD_CODE = 1 << 14,
	BC_CMD_METRICS = 1 << 15,
	BC_CMD_HELP = 1 << 16,
	BC_CMD_COMPLETION = 1 << 17,
	BC_CMD_MATRIX = 1 << 20,
	BC_CMD_APP = 1 << 21,
	BC_CMD_FLEET = 1 << 22,
	BC_CMD_MAP = 1 << 24,
	BC_CMD_PROPOSE = 1 << 25,
	BC_CMD_CONFIRM = 1 << 26,
	BC_CMD_QUALIFY = 1 << 27,
	BC_CMD_KERNEL = 1 << 28,
};

enum bc_color { BC_COLOR_AUTO = 0, BC_COLOR_ALWAYS, BC_COLOR_NEVER };

/* What the command line said. Strings point into argv. */
struct bc_cli {
	enum bc_command command;
	struct bc_run_options run; /* as given: for a session, see bc_cli_run_options */
	const char *tap, *rerun_failed, *arch, *op, *offsets, *mask, *patterns, *layout;
	const char *format, *tolerance, *output;
	const char *db, *by, *keep, *before;
	const char *budget, *write_budget, *slack, *sample, *graphs, *app_reports; /* NULL: no reports of `app` */
	bool replay, device_clock;
	const char *entry, *grid, *block, *shared_bytes, *nvcc_flags, *save, *max_conflicts, *draw,
		*max_instructions; /* kernel */
	struct bc_option_list kernel_args, kernel_symbols;
	const char *proposal;
	unsigned confirm; /* 0: not said */
	bool pool, flaky_ok, strict, verbose, quiet, long_format;
	bool quick;					    /* selftest */
	unsigned soak_s;				    /* 0: not given */
	unsigned color;					    /* enum bc_color */
	struct bc_option_list matrix_kernels, matrix_cupti; /* the first is the base's */
	const char *baseline;
	bool ptx_jit;
	unsigned junit; /* enum bc_junit_form */
	bool help, version;
	const char **operands; /* arguments that are no options; malloc'ed */
	size_t noperands;
	bool done; /* --help or --version was answered: exit 0 */
	/* Found, not said: */
	char self[1024]; /* path of this binary */
	char kernels_dir[1100], expected_dir[1100], reports_dir[512];
};

/* One option as the command line has it. */
struct bc_cli_option {
	const struct bc_option *option;
	unsigned commands; /* bits of enum bc_command */
	size_t base;	   /* where in struct bc_cli the struct lies that the option's offset is in */
};

/* All options of all commands, in the order of the help. Commands for which an option means something else have a row
 * each. */
size_t bc_cli_option_count(void);
struct bc_cli_option bc_cli_option_at(size_t i); /* below the count */

struct bc_cli_command {
	const char *name, *operands; /* operands: as help shows them, NULL: it takes none */
	enum bc_command command;
	bool internal;
	const char *help;
};
extern const struct bc_cli_command bc_cli_commands[]; /* ended by a row without a name */

struct bc_cli_exit_status {
	int status;
	unsigned commands; /* bits of enum bc_command: whose status it is */
	const char *when;  /* NULL: the end of the list */
};
extern const struct bc_cli_exit_status bc_cli_exit_statuses[];

/* The options of a run for a session: as given, with the folders and the binary that were found. */
struct bc_run_options bc_cli_run_options(const struct bc_cli *c);

/* The command of that name, NULL when there is none. */
const struct bc_cli_command *bc_cli_command_find(const char *name);

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
int bc_cmd_code(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_metrics(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_completion(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_fleet(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_qualify(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_matrix(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_app(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_map(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_propose(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_confirm(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_kernel(const struct bc_cli *c, const struct bc_catalog *cat);
int bc_cmd_worker(const struct bc_cli *c, const struct bc_catalog *cat);

struct bc_console;

struct bc_console_options;

/* What --verbose, --quiet and --color make of the console that was detected. */
void bc_cli_console(const struct bc_cli *c, struct bc_console_options *o);

/* All reports and logs of a finished run (cmd_run.c). Each is tried; the first failure is returned. */
enum bc_status bc_cli_write_reports(const struct bc_cli *c, struct bc_console *console, const struct bc_run *run,
				    struct bc_error *err);

/* Exit status of a run by its verdicts and flakes. */
int bc_cli_run_status(const struct bc_cli *c, const struct bc_run *run);

#endif
