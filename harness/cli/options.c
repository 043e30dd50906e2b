/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/terminal.h"
#include "harness/base/escape.h"
#include "harness/measure/measure.h"

#define RUN BC_CMD_RUN
#define LIST BC_CMD_LIST
#define EXPLAIN BC_CMD_EXPLAIN
#define DEVICES BC_CMD_DEVICES
#define SELFTEST BC_CMD_SELFTEST
#define WORKER BC_CMD_WORKER
#define DIFF BC_CMD_DIFF
#define MERGE BC_CMD_MERGE
#define HISTORY BC_CMD_HISTORY
#define HTML BC_CMD_HTML
#define KNOWN BC_CMD_KNOWN
#define REPORT BC_CMD_REPORT

enum kind { TEXT, FLAG, MANY, NUMBER, COUNT, WITNESS, REQUIRE, HELP, VERSION };

#define AT(field) offsetof(struct bc_cli, field)

static const struct option_row {
	const char *name, *arg; /* arg: NULL takes none */
	char letter;		/* 0: none */
	enum kind kind;
	size_t offset;
	unsigned commands;
	const char *help;
} options[] = {
	{ "device", "LIST", 0, TEXT, AT(device), RUN,
	  "devices, comma-separated: cuda:N, all (all GPUs), reference (= reference:sm_90), "
	  "reference:sm_NN, reference:all; default: all GPUs, or reference where there is none" },
	{ "filter", "GLOB", 0, MANY, AT(filter), RUN | LIST,
	  "take the cases that match: `*` crosses `/`, a bare suite or suite/rule takes all "
	  "below it; may be given again" },
	{ "exclude", "GLOB", 0, MANY, AT(exclude), RUN | LIST,
	  "leave out the cases that match; wins over --filter; may be given again" },
	{ "reports", "DIR", 0, TEXT, AT(reports), RUN | REPORT, "folder for the reports (default: reports)" },
	{ "expected", "DIR", 0, TEXT, AT(expected), RUN | LIST | EXPLAIN | SELFTEST | KNOWN | WORKER | REPORT,
	  "folder of the expectations" },
	{ "kernels", "DIR", 0, TEXT, AT(kernels), RUN | DEVICES | SELFTEST | WORKER, "folder of the kernel images" },
	{ "witness", "WHICH", 0, WITNESS, AT(witness), RUN | WORKER,
	  "counters, clock or auto (both, where both are there; the default)" },
	{ "require", "counters", 0, REQUIRE, AT(require_counters), RUN, "a case without counters is BROKEN" },
	{ "pack", "N", 0, COUNT, AT(pack), RUN | WORKER,
	  "count up to N cases in one profiler range, told apart by their "
	  "repetitions: 1 (each alone) to 3 (default: 3 on a GPU, 1 on the reference device)" },
	{ "timeout", "SECONDS", 0, NUMBER, AT(timeout_s), RUN, "limit of one case (default: 10)" },
	{ "inactivity", "SECONDS", 0, NUMBER, AT(quiet_s), RUN,
	  "a worker that is not heard from for so long is hung (default: 120)" },
	{ "deadline", "SECONDS", 0, NUMBER, AT(deadline_s), RUN,
	  "limit of the whole run: what is left then is LOST (default: none)" },
	{ "isolate", "WHAT", 0, TEXT, AT(isolate), RUN,
	  "device: one worker process a device (the default); case: one a case" },
	{ "shard", "I/N", 0, TEXT, AT(shard), RUN,
	  "of the chosen cases take the I-th of N parts (I from 1), for N machines" },
	{ "shuffle", "SEED", 0, TEXT, AT(shuffle), RUN,
	  "run the cases in an order that the seed, a whole number, decides" },
	{ "repeat", "N", 0, COUNT, AT(repeat), RUN, "run every case N times; the worst verdict is the case's" },
	{ "retries", "N", 0, COUNT, AT(retries), RUN,
	  "run a case that fails by counters or clock again, up to N times, each in a new worker; "
	  "one that passes then is flaky" },
	{ "retry-lost", "N", 0, COUNT, AT(retry_lost), RUN, "the same for a LOST case" },
	{ "flaky-ok", NULL, 0, FLAG, AT(flaky_ok), RUN | REPORT, "flaky cases do not make the exit status 1" },
	{ "fail-fast", NULL, 0, FLAG, AT(fail_fast), RUN, "end the run at the first finding; what is left is SKIP" },
	{ "rerun-failed", "REPORT", 0, TEXT, AT(rerun_failed), RUN,
	  "take the cases that are findings in a report of an earlier run, or in "
	  "a folder of them" },
	{ "resume", NULL, 0, FLAG, AT(resume), RUN,
	  "go on from the journal in the folder of the reports: same options, program, kernels "
	  "and expectations" },
	{ "fault", "NAME", 0, TEXT, AT(fault), RUN | SELFTEST | WORKER,
	  "plant a fault in the reference device (`bankcheck selftest` "
	  "names them); selftest: this one alone" },
	{ "racecheck", NULL, 0, FLAG, AT(racecheck), RUN | WORKER, "reference device: report races in shared memory" },
	{ "strict", NULL, 0, FLAG, AT(strict), RUN | DIFF | REPORT,
	  "run: a provisional architecture makes the exit status 1; diff: a clock "
	  "that is UNDECIDED does" },
	{ "tolerance", "PERCENT", 0, TEXT, AT(tolerance), DIFF,
	  "changes of the clock up to this are none (default: 1)" },
	{ "format", "FORMAT", 0, TEXT, AT(format), DIFF | LIST | EXPLAIN | DEVICES | HISTORY,
	  "text (the default) or json; diff: markdown and "
	  "junit too; history export: csv (the default) or jsonl" },
	{ "output", "FILE", 'o', TEXT, AT(output), MERGE | HTML, "the file to write" },
	{ "db", "FILE", 0, TEXT, AT(db), HISTORY, "the history (default: reports/history.db)" },
	{ "by", "WHAT", 0, TEXT, AT(by), HISTORY, "trend: a row for each driver, cuda or date (the default)" },
	{ "pool", NULL, 0, FLAG, AT(pool), HISTORY,
	  "trend, first-bad: GPUs of one model are one, for machines that come and "
	  "go" },
	{ "keep", "N", 0, TEXT, AT(keep), HISTORY, "prune: the newest N runs of each device stay" },
	{ "before", "DATE", 0, TEXT, AT(before), HISTORY, "prune: the runs of earlier days than YYYY-MM-DD go" },
	{ "tap", "FILE", 0, TEXT, AT(tap), RUN | REPORT, "write the verdicts as TAP too" },
	{ "verbose", NULL, 'v', FLAG, AT(verbose), RUN | REPORT, "one line a case" },
	{ "quiet", NULL, 'q', FLAG, AT(quiet), RUN | REPORT, "findings only" },
	{ "long", NULL, 0, FLAG, AT(longer), LIST | SELFTEST,
	  "list: add the rule's sentence and what is expected; selftest: add "
	  "each rule with the faults that it catches" },
	{ "arch", "sm_NN", 0, TEXT, AT(arch), LIST | EXPLAIN | SELFTEST,
	  "architecture (default: sm_90); selftest takes `all` too" },
	{ "op", "OP", 0, TEXT, AT(op), EXPLAIN, "operation: ld32, st128, atom32, ldsm4, cpa16ca ..." },
	{ "offsets", "A,B,...", 0, TEXT, AT(offsets), EXPLAIN, "byte offset of each lane, 32 of them" },
	{ "mask", "HEX", 0, TEXT, AT(mask), EXPLAIN, "active lanes (default: ffffffff)" },
	{ "patterns", "FILE", 0, TEXT, AT(patterns), EXPLAIN,
	  "a table of patterns (`-`: standard input); prints op, name, wavefronts, "
	  "conflicts of each" },
	{ "help", NULL, 'h', HELP, 0, ~0u, "print this help" },
	{ "version", NULL, 0, VERSION, 0, ~0u, "print the version" },
};

static const struct command_row {
	const char *name, *words; /* words: its arguments, NULL: none */
	enum bc_command command;
	bool internal;
	const char *help;
} commands[] = {
	{ "run", NULL, BC_CMD_RUN, false, "run the cases, judge them, write reports/<architecture>.xml" },
	{ "list", NULL, BC_CMD_LIST, false, "print the ids of the cases, one a line" },
	{ "explain", "[CASE]", BC_CMD_EXPLAIN, false,
	  "draw a case or a pattern: lane, address, bank, wavefront; or count a "
	  "table of patterns; needs no GPU" },
	{ "devices", NULL, BC_CMD_DEVICES, false, "say what is here: GPU, driver, toolkit, CUPTI, counter permission" },
	{ "selftest", NULL, BC_CMD_SELFTEST, false,
	  "plant every fault in the reference device, one a run, and print which suites "
	  "catch it and whether each rule catches one" },
	{ "diff", "OLD NEW", BC_CMD_DIFF, false,
	  "compare two reports (or folders of reports): what changed, case by case, how sure "
	  "that is, and what else differs between the runs" },
	{ "merge", "REPORT...", BC_CMD_MERGE, false, "make one report of the reports of many hosts and GPUs" },
	{ "history", "ACTION [WORD...]", BC_CMD_HISTORY, false,
	  "many runs in one file: `add REPORT...` (or folders of reports), "
	  "`list`, `trend CASE|GLOB`, `flaky` (verdicts that flip with nothing else changed), `first-bad CASE` (since "
	  "when, and "
	  "what changed with it), `export [CASE|GLOB]`, `prune`" },
	{ "html", "REPORT...", BC_CMD_HTML, false,
	  "make one page of reports (or folders of reports): summary, matrix, and each "
	  "case with its values and its picture" },
	{ "known", "[REPORT...]", BC_CMD_KNOWN, false,
	  "list the known failures of expected/known.txt, and what reports (default: those "
	  "in the folder reports) say of them" },
	{ "report", "JOURNAL", BC_CMD_REPORT, false,
	  "write the reports of a run that was cut off, from its journal (journal.tsv in "
	  "the folder of the reports)" },
	{ "worker", NULL, BC_CMD_WORKER, true, "serve cases to a parent (internal)" },
	{ "man", NULL, BC_CMD_MAN, true, "print the man page (internal)" },
};

static const struct {
	int status;
	const char *when;
} statuses[] = {
	{ 0, "everything that was judged is as expected" },
	{ 1, "a FAIL, DISAGREE, XPASS, UNJUDGED or a flaky case; with --strict also a provisional architecture; "
	     "selftest: a fault that "
	     "is not caught as it must be, a rule that catches none; diff: something is worse" },
	{ 2, "a BROKEN or LOST case, or output that could not be written; diff: runs that cannot be compared" },
	{ 3, "wrong usage, input that cannot be read or is malformed, a glob that matches nothing" },
	{ 4, "nothing was judged (only SKIPs)" },
	{ 130, "ended by SIGINT (reports are written)" },
	{ 143, "ended by SIGTERM (reports are written)" },
};

int bc_cli_fail(const struct bc_error *err)
{
	struct bc_text text = { 0 }; /* one line without what a terminal obeys: a message may quote any file */

	(void)fprintf(stderr, "bankcheck: %s\n",
		      bc_escape_str(&text, BC_ESCAPE_LINE, err->msg, NULL) || !text.data ? err->msg : text.data);
	bc_text_release(&text);
	return bc_status_exit(err->status);
}

enum bc_status bc_cli_flush(struct bc_error *err)
{
	if (fflush(stdout) || ferror(stdout))
		return bc_fail(err, BC_EWRITE, "standard output could not be written");
	return BC_OK;
}

enum bc_status bc_cli_json(const struct bc_cli *c, bool *json, struct bc_error *err)
{
	*json = c->format && strcmp(c->format, "json") == 0;
	if (c->format && !*json && strcmp(c->format, "text") != 0)
		return bc_fail(err, BC_EUSAGE, "--format %s: text or json", c->format);
	return BC_OK;
}

/* @text wrapped at 78 columns, each line indented by @indent. */
static void print_wrapped(const char *text, unsigned indent)
{
	struct bc_text wrapped = { 0 };
	struct bc_out out = { .to = &wrapped };

	bc_put_wrapped(&out, &(struct bc_wrap){ .indent = indent, .columns = 78, .utf8 = true }, text);
	(void)printf("%*s%s\n", (int)indent, "", out.st ? text : bc_out_text(&out));
	bc_text_release(&wrapped);
}

static void print_help(unsigned command)
{
	const struct command_row *one = NULL;

	for (size_t i = 0; i < BC_ARRAY_LEN(commands); i++)
		if (commands[i].command == command)
			one = &commands[i];
	if (one)
		(void)printf("usage: bankcheck %s [options]%s%s\n\n%s\n", one->name, one->words ? " " : "",
			     one->words ? one->words : "", one->help);
	else
		(void)puts("usage: bankcheck COMMAND [options]\n\nDoes a GPU, its driver and its toolkit treat shared "
			   "memory by the "
			   "rules?\n\ncommands (bankcheck COMMAND --help says more):");
	for (size_t i = 0; !one && i < BC_ARRAY_LEN(commands); i++) {
		if (commands[i].internal)
			continue;
		(void)printf("  %s%s%s\n", commands[i].name, commands[i].words ? " " : "",
			     commands[i].words ? commands[i].words : "");
		print_wrapped(commands[i].help, 6);
	}
	(void)puts("\noptions:");
	for (size_t i = 0; i < BC_ARRAY_LEN(options); i++) {
		const struct option_row *o = &options[i];

		if (!(o->commands & (one ? (unsigned)command : ~0u)) || (!one && o->commands != ~0u))
			continue;
		(void)printf("  --%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
		if (o->letter)
			(void)printf(", -%c", o->letter);
		(void)putchar('\n');
		print_wrapped(o->help, 6);
	}
	(void)puts("\nexit status:");
	for (size_t i = 0; i < BC_ARRAY_LEN(statuses); i++)
		(void)printf("  %3d  %s\n", statuses[i].status, statuses[i].when);
}

/* troff: a backslash and a leading point or quote mean something. */
static void print_troff(const char *s)
{
	for (bool start = true; *s; s++, start = false) {
		if (start && (*s == '.' || *s == '\''))
			(void)fputs("\\&", stdout);
		if (*s == '\\')
			(void)fputs("\\e", stdout);
		else if (*s == '-')
			(void)fputs("\\-", stdout);
		else
			(void)putchar(*s);
	}
}

enum bc_status bc_cli_man(struct bc_error *err)
{
	struct bc_text keys = { 0 };
	enum bc_status st = bc_arch_manual(&keys, err);

	if (st)
		return st;
	(void)printf(
		".TH BANKCHECK 1 \"\" \"bankcheck %s\" \"User Commands\"\n.SH NAME\nbankcheck \\- check a GPU's shared "
		"memory against the rules CUDA programmers rely on\n.SH SYNOPSIS\n.B bankcheck\n.I "
		"COMMAND\n[options]\n",
		BC_VERSION);
	(void)puts(".SH DESCRIPTION\nRuns a catalogue of microkernels, each exercising one rule of shared memory; "
		   "checks the data, "
		   "the conflicts that the hardware counters report and the cycles that the accesses take; and writes "
		   "JUnit XML, one "
		   "file an architecture.\n.SH COMMANDS");
	for (size_t i = 0; i < BC_ARRAY_LEN(commands); i++) {
		if (commands[i].internal)
			continue;
		(void)printf(".TP\n.B %s%s%s\n", commands[i].name, commands[i].words ? " " : "",
			     commands[i].words ? commands[i].words : "");
		print_troff(commands[i].help);
		(void)putchar('\n');
	}
	(void)puts(".SH OPTIONS");
	for (size_t i = 0; i < BC_ARRAY_LEN(options); i++) {
		const struct option_row *o = &options[i];

		(void)printf(".TP\n.B \\-\\-%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
		if (o->letter)
			(void)printf(", \\-%c", o->letter);
		(void)putchar('\n');
		if (o->commands != ~0u) {
			const char *sep = "(";

			for (size_t k = 0; k < BC_ARRAY_LEN(commands); k++) {
				if (!(o->commands & commands[k].command) || commands[k].internal)
					continue;
				(void)printf("%s%s", sep, commands[k].name);
				sep = ", ";
			}
			(void)fputs(sep[0] == ',' ? ") " : "", stdout);
		}
		print_troff(o->help);
		(void)putchar('\n');
	}
	(void)puts(".SH EXIT STATUS");
	for (size_t i = 0; i < BC_ARRAY_LEN(statuses); i++) {
		(void)printf(".TP\n.B %d\n", statuses[i].status);
		print_troff(statuses[i].when);
		(void)putchar('\n');
	}
	(void)puts(".SH FILES\n.TP\n.I expected/sm_NN/arch.txt\nAn architecture; its keys:\n.nf");
	for (char *next = keys.data, *line; next && (line = strsep(&next, "\n"));) {
		print_troff(line);
		(void)putchar('\n');
	}
	(void)puts(".fi\n.SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours.\n.TP\n.B LC_ALL, LC_CTYPE, "
		   "LANG\nexplain draws in ASCII unless they say UTF-8.\n.TP\n.B CK_RUN_SUITE, CK_RUN_CASE\ntake only "
		   "this suite, this "
		   "rule.\n.TP\n.B CK_TAP_LOG_FILE_NAME, CK_XML_LOG_FILE_NAME\nlogs that Check writes.\n.TP\n.B "
		   "GITHUB_ACTIONS, "
		   "GITHUB_STEP_SUMMARY\nfindings as annotations, and a summary of the step.");
	bc_text_release(&keys);
	return bc_cli_flush(err);
}

static enum bc_status number(const char *name, const char *s, unsigned *out, struct bc_error *err)
{
	char *end = NULL;
	const unsigned long v = strtoul(s, &end, 10);

	if (*s < '0' || *s > '9' || *end || v < 1 || v > 86400)
		return bc_fail(err, BC_EUSAGE, "--%s %s: a whole number of seconds, 1 to 86400", name, s);
	*out = (unsigned)v;
	return BC_OK;
}

static enum bc_status count(const char *name, const char *s, unsigned most, unsigned *out, struct bc_error *err)
{
	char *end = NULL;
	const unsigned long v = strtoul(s, &end, 10);

	if (*s < '0' || *s > '9' || *end || v < 1 || v > most)
		return bc_fail(err, BC_EUSAGE, "--%s %s: a whole number, 1 to %u", name, s, most);
	*out = (unsigned)v;
	return BC_OK;
}

static enum bc_status set(struct bc_cli *c, const struct option_row *o, const char *arg, struct bc_error *err)
{
	char *at = (char *)c + o->offset;

	switch (o->kind) {
	case TEXT:
		if (!*arg)
			return bc_fail(err, BC_EUSAGE, "--%s: its argument %s is empty", o->name, o->arg);
		*(const char **)at = arg;
		return BC_OK;
	case FLAG: *(bool *)at = true; return BC_OK;
	case MANY:
		if (o->offset == AT(filter))
			c->filter[c->nfilter++] = arg;
		else
			c->exclude[c->nexclude++] = arg;
		return BC_OK;
	case NUMBER: return number(o->name, arg, (unsigned *)at, err);
	case COUNT: return count(o->name, arg, o->offset == AT(pack) ? BC_PACK_MAX : 1000, (unsigned *)at, err);
	case WITNESS:
		if (strcmp(arg, "auto") == 0)
			c->witness = BC_WITNESS_AUTO;
		else if (strcmp(arg, "counters") == 0)
			c->witness = BC_WITNESS_COUNTERS;
		else if (strcmp(arg, "clock") == 0)
			c->witness = BC_WITNESS_CLOCK;
		else
			return bc_fail(err, BC_EUSAGE, "--witness %s: counters, clock or auto", arg);
		return BC_OK;
	case REQUIRE:
		if (strcmp(arg, "counters") != 0)
			return bc_fail(err, BC_EUSAGE, "--require %s: only `counters` can be required", arg);
		c->require_counters = true;
		return BC_OK;
	case HELP:
		print_help(c->command);
		c->done = true;
		return BC_OK;
	case VERSION:
		(void)printf("bankcheck %s\n", BC_VERSION);
		c->done = true;
		return BC_OK;
	}
	return BC_OK;
}

static bool is_dir(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 ? S_ISDIR(s.st_mode)
				   : errno != ENOENT && errno != ENOTDIR; /* else what uses it tells */
}

/* @said, or the first of two places relative to the binary that is a folder: without `..`, as it stands in messages. */
static void find_dir(const char *said, const char *self_dir, const char *near, const char *installed, char *out,
		     size_t size)
{
	char *plain;

	if (said) {
		(void)bc_strlcpy(out, said, size);
		return;
	}
	(void)snprintf(out, size, "%s/%s", self_dir, near);
	if (!is_dir(out))
		(void)snprintf(out, size, "%s/%s", self_dir, installed);
	plain = realpath(out, NULL);
	if (plain && strlen(plain) < size)
		(void)bc_strlcpy(out, plain, size);
	free(plain);
}

static enum bc_status find_places(struct bc_cli *c, struct bc_error *err)
{
	char dir[sizeof(c->self)];
	const ssize_t n = readlink("/proc/self/exe", c->self, sizeof(c->self) - 1);
	char *slash;

	if (n <= 0)
		return bc_fail(err, BC_EREAD,
			       "/proc/self/exe cannot be read: the binary does not find itself (is /proc mounted?)");
	c->self[n] = '\0';
	(void)bc_strlcpy(dir, c->self, sizeof(dir));
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
	find_dir(c->kernels, dir, "kernels", "../lib/bankcheck/kernels", c->kernels_dir, sizeof(c->kernels_dir));
	find_dir(c->expected, dir, "../expected", "../share/bankcheck/expected", c->expected_dir,
		 sizeof(c->expected_dir));
	if (!bc_strlcpy(c->reports_dir, c->reports ? c->reports : "reports", sizeof(c->reports_dir)))
		return bc_fail(err, BC_EUSAGE, "--reports: the path is longer than %zu bytes",
			       sizeof(c->reports_dir) - 1);
	return BC_OK;
}

static enum bc_status find_command(int argc, char **argv, struct bc_cli *c, struct bc_error *err)
{
	if (argc < 2)
		return bc_fail(err, BC_EUSAGE, "which command? `bankcheck --help` lists them");
	if (argv[1][0] == '-') {
		if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
			print_help(0);
		else if (strcmp(argv[1], "--version") == 0)
			(void)printf("bankcheck %s\n", BC_VERSION);
		else
			return bc_fail(err, BC_EUSAGE, "%s: the command comes first; `bankcheck --help` lists them",
				       argv[1]);
		c->done = true;
		return BC_OK;
	}
	for (size_t i = 0; i < BC_ARRAY_LEN(commands); i++) {
		if (strcmp(argv[1], commands[i].name) == 0) {
			c->command = commands[i].command;
			return BC_OK;
		}
	}
	return bc_fail(err, BC_EUSAGE, "`%s` is no command; `bankcheck --help` lists them", argv[1]);
}

/* What getopt_long refused. A letter may stand in the middle of a word (-qx), then argv does not name it alone. */
static enum bc_status unknown_option(char **argv, struct bc_error *err)
{
	const char letter[] = { '-', (char)optopt, '\0' };

	return bc_fail(err, BC_EUSAGE,
		       "%s: no such option of `bankcheck %s`, or it takes no argument, or it is cut too "
		       "short; `bankcheck %s --help` lists them",
		       optopt > 0 && optopt < 256 ? letter : argv[optind - 1], argv[1], argv[1]);
}

/* Has the command arguments that are no options? */
static bool takes_words(enum bc_command command)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(commands); i++)
		if (commands[i].command == command)
			return commands[i].words != NULL;
	return false;
}

enum bc_status bc_cli_parse(int argc, char **argv, struct bc_cli *c, struct bc_error *err)
{
	struct option longs[BC_ARRAY_LEN(options) + 1] = { 0 };
	const struct option_row *row[BC_ARRAY_LEN(options)];
	char shorts[2 * BC_ARRAY_LEN(options) + 2] = ":";
	size_t n = 0, ns = 1;
	int got, index = -1;
	enum bc_status st;

	memset(c, 0, sizeof(*c));
	c->timeout_s = 10;
	c->quiet_s = 120;
	st = find_command(argc, argv, c, err);
	if (st || c->done)
		return st;
	c->filter = calloc((size_t)argc, sizeof(*c->filter));
	c->exclude = calloc((size_t)argc, sizeof(*c->exclude));
	c->words = calloc((size_t)argc, sizeof(*c->words));
	if (!c->filter || !c->exclude || !c->words)
		return bc_fail(err, BC_ENOMEM, "command line: out of memory");
	for (size_t i = 0; i < BC_ARRAY_LEN(options); i++) {
		if (!(options[i].commands & (unsigned)c->command))
			continue;
		longs[n] =
			(struct option){ options[i].name, options[i].arg ? required_argument : no_argument, NULL, 256 };
		row[n++] = &options[i];
		if (options[i].letter) {
			shorts[ns++] = options[i].letter;
			if (options[i].arg)
				shorts[ns++] = ':';
		}
	}
	opterr = 0;
	optind = 2;
	while (!st && !c->done && (got = getopt_long(argc, argv, shorts, longs, &index)) != -1) {
		const struct option_row *o = NULL;

		if (got == ':')
			return bc_fail(err, BC_EUSAGE, "%s needs an argument", argv[optind - 1]);
		if (got == '?')
			return unknown_option(argv, err);
		if (got == 256)
			o = row[index];
		for (size_t i = 0; !o && i < n; i++)
			if (row[i]->letter == got)
				o = row[i];
		st = o ? set(c, o, optarg, err) : BC_OK;
	}
	for (int i = optind; !st && !c->done && i < argc; i++)
		c->words[c->nwords++] = argv[i];
	if (!st && !c->done && c->nwords && !takes_words(c->command))
		st = bc_fail(err, BC_EUSAGE, "`%s`: %s takes no argument like that; cases are chosen with --filter",
			     c->words[0], argv[1]);
	return st ? st : c->done ? BC_OK : find_places(c, err);
}

void bc_cli_release(struct bc_cli *c)
{
	free(c->filter);
	free(c->exclude);
	free(c->words);
	c->filter = c->exclude = c->words = NULL;
}
