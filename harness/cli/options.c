/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include <string.h>

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
#define CODE BC_CMD_CODE
#define METRICS BC_CMD_METRICS
#define MATRIX BC_CMD_MATRIX
#define QUALIFY BC_CMD_QUALIFY
#define FLEET BC_CMD_FLEET
#define APP BC_CMD_APP
#define KERNEL BC_CMD_KERNEL
#define MAP BC_CMD_MAP
#define PROPOSE BC_CMD_PROPOSE
#define CONFIRM BC_CMD_CONFIRM
#define EVERY (~0u)

static const char *const formats[] = { "text", "json", NULL };
static const char *const diff_formats[] = { "text", "json", "markdown", "junit", NULL };
static const char *const kernel_formats[] = { "text", "json", "html", NULL };
static const char *const map_formats[] = { "text", "json", "law", NULL };
static const char *const history_formats[] = { "text", "json", "csv", "jsonl", NULL };
static const char *const junit_forms[] = { [BC_JUNIT_FULL] = "full", [BC_JUNIT_COMPACT] = "compact", NULL };
static const char *const sheet_formats[] = { "text", "json", "html", "junit", NULL };
static const char *const colors[] = {
	[BC_COLOR_AUTO] = "auto", [BC_COLOR_ALWAYS] = "always", [BC_COLOR_NEVER] = "never", NULL
};
static const char *const graph_words[] = { "whole", "split", NULL };
static const char *const trends[] = { "driver", "cuda", "date", NULL };

/* Rows of struct bc_cli itself. */
#define TEXT(option, operand, field, of, words)                   \
	{                                                         \
		.commands = (of),                                 \
		.row = {.name = (option),                         \
			.argument = (operand),                    \
			.type = BC_OPTION_TEXT,                   \
			.offset = offsetof(struct bc_cli, field), \
			.help = (words) }                         \
	}
/* A text for which completion offers some words; the command checks it. */
#define WORD(option, operand, field, list, of, text)              \
	{                                                         \
		.commands = (of),                                 \
		.row = {.name = (option),                         \
			.argument = (operand),                    \
			.type = BC_OPTION_TEXT,                   \
			.offset = offsetof(struct bc_cli, field), \
			.words = (list),                          \
			.help = (text) }                          \
	}
#define FLAG(option, key, field, of, words)                       \
	{                                                         \
		.commands = (of),                                 \
		.row = {.name = (option),                         \
			.letter = (key),                          \
			.type = BC_OPTION_FLAG,                   \
			.offset = offsetof(struct bc_cli, field), \
			.help = (words) }                         \
	}

#define LIST_OF(option, operand, field, of, words)                \
	{                                                         \
		.commands = (of),                                 \
		.row = {.name = (option),                         \
			.argument = (operand),                    \
			.type = BC_OPTION_LIST,                   \
			.offset = offsetof(struct bc_cli, field), \
			.help = (words) }                         \
	}

static const struct {
	unsigned commands;
	struct bc_option row;
} own_options[] = {
	TEXT("rerun-failed", "REPORT", rerun_failed, RUN,
	     "take only the cases that are findings in a report of an earlier run, or in a folder of reports"),
	TEXT("reports", "DIR", run.reports_dir, REPORT, "folder for the reports (default: where the journal is)"),
	FLAG("flaky-ok", 0, flaky_ok, RUN | REPORT,
	     "flaky cases, and workers that died or hung and whose cases passed later, do not make the exit status 1"),
	{ .commands = QUALIFY,
	  .row = { .name = "soak",
		   .argument = "SECONDS",
		   .type = BC_OPTION_SECONDS,
		   .offset = offsetof(struct bc_cli, soak_s),
		   .help = "at the end run the cases again and again for so long (default: no soak)" } },
	{ .commands = RUN,
	  .row = { .name = "soak",
		   .argument = "SECONDS",
		   .type = BC_OPTION_SECONDS,
		   .offset = offsetof(struct bc_cli, soak_s),
		   .help = "run the cases again and again for so long, each time in another order; the reports are of "
			   "the "
			   "first round with a finding, or of the last (--fail-fast: stop at the first finding)" } },
	FLAG("strict", 0, strict, RUN | REPORT,
	     "a provisional architecture, or a case without a figure for it, makes the exit status 1"),
	FLAG("strict", 0, strict, DIFF, "a clock that is UNDECIDED makes the exit status 1"),
	TEXT("tap", "FILE", tap, RUN | REPORT, "also write the verdicts as TAP"),
	FLAG("verbose", 'v', verbose, RUN | REPORT, "print one line per case"),
	FLAG("verbose", 'v', verbose, APP, "print every kernel and every bound"),
	FLAG("quiet", 'q', quiet, APP, "say nothing when the exit status is 0"),
	FLAG("verbose", 'v', verbose, CODE, "also print the differences that do not make the exit status 1"),
	FLAG("quiet", 'q', quiet, RUN | REPORT, "print findings only"),
	{ .commands = RUN | REPORT | MERGE,
	  .row = { .name = "junit",
		   .argument = "FORM",
		   .type = BC_OPTION_CHOICE,
		   .offset = offsetof(struct bc_cli, junit),
		   .words = junit_forms,
		   .help = "what the XML has: measured values of all cases (full), or of findings only, a tenth of "
			   "the size (compact)" } },
	FLAG("quiet", 'q', quiet, MATRIX | QUALIFY, "do not tell of each run as it begins and ends"),
	TEXT("reports", "DIR", run.reports_dir, QUALIFY, "folder for the page, and a folder below it for each step"),
	LIST_OF("kernels", "DIR", matrix_kernels, QUALIFY,
		"folder of kernel images; with several, all steps take the first and the matrix compares all"),
	LIST_OF("cupti", "FILE", matrix_cupti, QUALIFY,
		"libcupti to use; with several, all steps take the first and the matrix compares all"),
	TEXT("baseline", "REPORT", baseline, QUALIFY,
	     "report, or folder of reports, to compare the catalogue's run with"),
	FLAG("strict", 0, strict, QUALIFY, "remarks make the exit status 1"),
	LIST_OF("kernels", "DIR", matrix_kernels, MATRIX,
		"folder of kernel images, or the CUDA release that made them; may be given several times: the first is "
		"the "
		"base's, each other is a run"),
	LIST_OF("cupti", "FILE", matrix_cupti, MATRIX,
		"a libcupti to count with; may be given several times: the first is the base's, each other is a run"),
	FLAG("ptx-jit", 0, ptx_jit, MATRIX,
	     "one run more: the base's images, of which the driver compiles the PTX (CUDA_FORCE_PTX_JIT=1)"),
	TEXT("baseline", "REPORT", baseline, MATRIX,
	     "an earlier report, or folder of reports, of the same cases: what all runs agree on and differs from it "
	     "is the driver's or the GPU's"),
	TEXT("reports", "DIR", run.reports_dir, MATRIX,
	     "folder for matrix.txt, .xml, .json, .html and one folder for each run (default: reports)"),
	{ .commands = RUN | REPORT,
	  .row = { .name = "color",
		   .argument = "WHEN",
		   .type = BC_OPTION_CHOICE,
		   .offset = offsetof(struct bc_cli, color),
		   .words = colors,
		   .help = "colours: always, never, or on a terminal unless NO_COLOR is set (auto)" } },
	TEXT("tolerance", "PERCENT", tolerance, DIFF | MATRIX,
	     "changes of the clock up to this percentage count as none (default: 1)"),
	WORD("format", "FORMAT", format, formats, LIST | EXPLAIN | DEVICES | CODE | MATRIX,
	     "text or json (default: text)"),
	WORD("format", "FORMAT", format, map_formats, MAP,
	     "text, json, or law: what was found in the words of --law (default: text)"),
	TEXT("proposal", "DIR", proposal, MAP | PROPOSE,
	     "write what is other than expected to DIR/sm_NN, as files that runs refuse until a person takes their "
	     "first line out"),
	{ .commands = MAP,
	  .row = { .name = "confirm",
		   .argument = "N",
		   .type = BC_OPTION_NUMBER,
		   .offset = offsetof(struct bc_cli, confirm),
		   .min = 1,
		   .max = 1000000,
		   .help = "random patterns that confirm the law (default: 10000)" } },
	WORD("format", "FORMAT", format, diff_formats, DIFF, "text, json, markdown or junit (default: text)"),
	WORD("format", "FORMAT", format, history_formats, HISTORY,
	     "text or json (default: text); export: csv or jsonl (default: csv)"),
	WORD("format", "FORMAT", format, sheet_formats, FLEET,
	     "check, table, outliers: text, json, html or junit (default: text)"),
	WORD("format", "FORMAT", format, kernel_formats, KERNEL, "text, json or html (default: text)"),
	{ .commands = MERGE | HTML | KERNEL,
	  .row = { .name = "output",
		   .argument = "FILE",
		   .letter = 'o',
		   .type = BC_OPTION_TEXT,
		   .offset = offsetof(struct bc_cli, output),
		   .help = "the file to write" } },
	TEXT("db", "FILE", db, HISTORY, "the file of the history (default: reports/history.db)"),
	TEXT("db", "FILE", db, FLEET,
	     "the history that nights are kept in (default: history.db beside the folder of the night)"),
	TEXT("by", "LIST", by, FLEET,
	     "table: what makes a kind, separated by commas: gpu, arch, mig, driver, cuda, images, expectations "
	     "(default: all)"),
	WORD("by", "WHAT", by, trends, HISTORY, "trend: one row per driver, cuda or date (default: date)"),
	FLAG("pool", 0, pool, HISTORY,
	     "trend, first-bad: treat all GPUs of one model as one GPU, for machines that come and go"),
	TEXT("keep", "N", keep, HISTORY, "prune: keep the newest N runs of each device"),
	TEXT("before", "DATE", before, HISTORY, "prune: remove the runs of days before YYYY-MM-DD"),
	FLAG("long", 0, long_format, LIST, "also print the rule and what is expected"),
	FLAG("long", 0, long_format, SELFTEST, "also print each rule with the faults that it catches"),
	TEXT("arch", "sm_NN", arch, LIST | EXPLAIN | KERNEL, "architecture (default: sm_90)"),
	TEXT("entry", "NAME", entry, KERNEL,
	     "the kernel, mangled or as it is written; needed where the file has several"),
	TEXT("grid", "X[,Y[,Z]]", grid, KERNEL, "blocks (default: 1)"),
	TEXT("block", "X[,Y[,Z]]", block, KERNEL, "threads of a block (default: 32)"),
	TEXT("shared", "BYTES", shared_bytes, KERNEL, "dynamic shared memory of a block: 4096, 48K (default: 0)"),
	LIST_OF("arg", "TYPE=VALUE", kernel_args, KERNEL,
		"one for each parameter, in their order: u32=5, s64=-1, f32=1.5, "
		"buf=1M:zero|iota|iota-f32|random[:SEED], "
		"buf=file=PATH, out=64K (kept, see --save), struct=HEX"),
	LIST_OF("symbol", "NAME=FILL", kernel_symbols, KERNEL,
		"what a __device__ or __constant__ variable (its name in the PTX) holds before: zero, iota, iota-f32, "
		"random[:SEED], file=PATH"),
	TEXT("save", "DIR", save, KERNEL, "write what out= buffers hold afterwards to DIR/argN.bin"),
	TEXT("nvcc-flags", "FLAGS", nvcc_flags, KERNEL,
	     "more flags for nvcc, which compiles a .cu file: '-I include -DN=4'"),
	TEXT("max-instructions", "N", max_instructions, KERNEL,
	     "warp instructions after which the kernel counts as one that never ends (default: 4G)"),
	TEXT("max-conflicts", "X", max_conflicts, KERNEL,
	     "a line with more conflicts a request makes the exit status 1"),
	TEXT("draw", "LINE", draw, KERNEL, "draw the worst request of a line of the source, as `explain` does"),
	TEXT("arch", "sm_NN", arch, SELFTEST, "architecture, or `all` (default: sm_90)"),
	FLAG("quick", 0, quick, SELFTEST,
	     "one fault of each kind of law, data and counters, each shown to the suites that must catch it: seconds"),
	TEXT("op", "OP", op, EXPLAIN, "operation: ld32, st128, atom32, ldsm4, cpa16ca ..."),
	TEXT("offsets", "A,B,...", offsets, EXPLAIN, "byte offsets of the 32 lanes"),
	TEXT("mask", "HEX", mask, EXPLAIN, "active lanes (default: ffffffff)"),
	TEXT("patterns", "FILE", patterns, EXPLAIN,
	     "read a table of patterns (`-`: standard input) and print op, name, wavefronts and conflicts of each"),
	TEXT("layout", "LAYOUT", layout, EXPLAIN,
	     "what a tile costs: plain, pad:BYTES, interval:EVERY,PAD, cute:B,M,S, xor:MASK, phase:VEC,PER,MAX or "
	     "items:SHIFT, then row=BYTES and elem=BYTES: 'cute:3,4,3 row=128'"),
	TEXT("reports", "DIR", app_reports, APP, "write app.xml (JUnit), app.json and app.html there"),
	TEXT("budget", "FILE", budget, APP, "judge the kernels by the bounds in this file (docs/app.md)"),
	TEXT("write-budget", "FILE", write_budget, APP, "write a budget that this run keeps, to be reviewed"),
	TEXT("slack", "PERCENT", slack, APP, "--write-budget: bounds are so much above what was counted (default: 5)"),
	TEXT("sample", "N", sample, APP,
	     "take the counts of at most N launches of each kernel, grid and block, evenly over the run"),
	FLAG("replay", 0, replay, APP,
	     "run each launch once per pass with its memory restored, so that all counters are read at each (some "
	     "milliseconds per launch)"),
	WORD("graphs", "HOW", graphs, graph_words, APP,
	     "whole (default): count a launch of a graph as one; split: its kernels one by one, with --replay"),
	FLAG("device-clock", 0, device_clock, APP, "also measure how long each kernel runs"),
	FLAG("help", 'h', help, EVERY, "print this help"),
	FLAG("version", 'V', version, EVERY,
	     "print the version; `bankcheck --version --long`: also the commit, and what the program and the images "
	     "beside it were made with"),
};

/* Other commands that take an option of `run`. What a worker takes is in the option's row. */
static const struct {
	const char *name;
	unsigned commands;
} shared_options[] = {
	{ "device", QUALIFY },
	{ "expected", QUALIFY },
	{ "fault", QUALIFY },
	{ "law", QUALIFY },
	{ "witness", QUALIFY },
	{ "reference-clock", QUALIFY },
	{ "reference-noise", QUALIFY },
	{ "reference-sms", QUALIFY },
	{ "filter", QUALIFY },
	{ "exclude", QUALIFY },
	{ "timeout", QUALIFY },
	{ "inactivity", QUALIFY },
	{ "resume", QUALIFY },
	{ "filter", LIST | APP | DIFF },
	{ "exclude", LIST | APP | DIFF },
	{ "reports", KNOWN },
	{ "run-name", APP },
	{ "host", APP },
	{ "label", APP },
	{ "timeout", APP },
	{ "deadline", APP },
	{ "expected", LIST | EXPLAIN | KERNEL | DEVICES | SELFTEST | KNOWN | REPORT | MAP | PROPOSE },
	{ "kernels", DEVICES | SELFTEST | APP | MAP },
	{ "cupti", DEVICES | METRICS | APP | MAP },
	{ "fault", SELFTEST | MAP },
	{ "law", EXPLAIN | MAP },
	{ "device", MAP },
	{ "witness", MAP },
	{ "reference-clock", MAP },
	{ "reference-noise", MAP },
	{ "inactivity", MAP },
};

const struct bc_cli_command bc_cli_commands[] = {
	{ "run", NULL, BC_CMD_RUN, false, "run the cases, judge them and write reports/<architecture>.xml" },
	{ "list", NULL, BC_CMD_LIST, false, "print the ids of the cases, one per line" },
	{ "explain", "[CASE]", BC_CMD_EXPLAIN, false,
	  "draw a case or a pattern: lanes, addresses, banks and wavefronts; or count a table of patterns; needs no "
	  "GPU" },
	{ "devices", NULL, BC_CMD_DEVICES, false,
	  "print what this host has: GPUs, driver, toolkit, CUPTI, counter permission" },
	{ "selftest", NULL, BC_CMD_SELFTEST, false,
	  "plant every fault in the reference device, one per run; print which suites catch it, and whether every "
	  "rule catches at least one" },
	{ "map", NULL, BC_CMD_MAP, false,
	  "find out a device's bank laws from addresses alone: banks, the bank function, groups of lanes, merging, "
	  "window; by counters, by clock, and compared with what is expected" },
	{ "propose", "REPORT...", BC_CMD_PROPOSE, false,
	  "write rows for what three or more runs, or several GPUs, count alike and expected/ says otherwise; name "
	  "what "
	  "they do not agree on" },
	{ "confirm", "REPORT...", BC_CMD_CONFIRM, false,
	  "print the `confirmed` line that a complete run without findings allows to write into arch.txt" },
	{ "diff", "OLD NEW", BC_CMD_DIFF, false,
	  "compare two reports, or folders of reports: what changed in each case, how certain that is, and what else "
	  "differs between the runs" },
	{ "merge", "REPORT...", BC_CMD_MERGE, false, "merge reports from many hosts and GPUs into one" },
	{ "history", "ACTION [WORD...]", BC_CMD_HISTORY, false,
	  "keep many runs in one file: `add REPORT...` (or folders of reports), `list`, `trend CASE|GLOB`, `flaky` "
	  "(verdicts that change although nothing else did), `first-bad CASE` (since when, and what changed then), "
	  "`export [CASE|GLOB]`, `prune`" },
	{ "html", "REPORT...", BC_CMD_HTML, false,
	  "make one page from reports, or folders of reports: summary, matrix, and every case with its values and its "
	  "picture" },
	{ "known", "[REPORT...]", BC_CMD_KNOWN, false,
	  "list the known failures in expected/known.txt, and what reports (default: those in the folder reports) say "
	  "about them" },
	{ "report", "JOURNAL", BC_CMD_REPORT, false,
	  "write the reports of a run that was cut off from its journal (journal.tsv in the reports folder), beside it "
	  "unless --reports says otherwise" },
	{ "code", "DIR DIR...", BC_CMD_CODE, false,
	  "compare the instructions in folders of kernel images with those in the first, kernel by kernel: shared "
	  "memory, "
	  "atomics, barriers, matrix instructions, spills; needs no GPU" },
	{ "matrix", NULL, BC_CMD_MATRIX, false,
	  "run the cases with each of several compilers (--kernels) and CUPTIs (--cupti), and say of each difference "
	  "what it comes from: compiler, CUPTI, noise, driver or GPU" },
	{ "qualify", NULL, BC_CMD_QUALIFY, false,
	  "qualify a GPU, its driver and its toolkit: self-test, bank laws, the catalogue on all SMs three times, "
	  "every "
	  "byte of shared memory, a matrix of toolkits, a baseline, a soak; one page says QUALIFIED or why not" },
	{ "fleet", "ACTION [NIGHT]", BC_CMD_FLEET, false,
	  "count a night of many hosts, of which the folder NIGHT has the reports: `gather` takes them into a history, "
	  "each once; `check` compares them with expected.tsv (what is missing is exit status 2); `table` has a row "
	  "for each case that is not unanimous; `outliers` names GPUs that are not as the others of their kind (1)" },
	{ "metrics", NULL, BC_CMD_METRICS, false,
	  "print which chips a CUPTI knows and which counters it has for each; needs no GPU" },
	{ "help", "[COMMAND]", BC_CMD_HELP, false, "print this help, or that of a command" },
	{ "completion", "bash|zsh", BC_CMD_COMPLETION, false,
	  "print what completes bankcheck's commands, options and case ids in that shell; `make install` installs it" },
	{ "app", "-- COMMAND...", BC_CMD_APP, false,
	  "run a CUDA program as it is and judge the kernels it launches by a budget of shared-memory conflicts, from "
	  "hardware counters; --filter and --exclude choose kernels by their names" },
	{ "kernel", "FILE", BC_CMD_KERNEL, false,
	  "run a kernel of your own (.ptx, or .cu where nvcc is) on the reference device: conflicts by source line, "
	  "races, "
	  "reads of what was never written; needs no GPU" },
	{ "worker", NULL, BC_CMD_WORKER, true, "serve cases to a parent (internal)" },
	{ "man", NULL, BC_CMD_MAN, true, "print the man page (internal)" },
	{ NULL, NULL, 0, false, NULL },
};

const struct bc_cli_command *bc_cli_command_find(const char *name)
{
	for (const struct bc_cli_command *row = bc_cli_commands; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

size_t bc_cli_option_count(void)
{
	return bc_run_option_count + BC_ARRAY_LEN(own_options);
}

/* What a matrix gives none of its runs: it says these itself, or they are about parts of one run. */
static const char *const not_of_matrix[] = {
	"kernels", "cupti", "reports", "shard", "run-name", "fail-fast", "resume"
};

/* Commands that take an option of a run. */
static unsigned commands_of(const struct bc_option *o)
{
	unsigned commands = (o->use & BC_OPTION_FOR_WORKER ? RUN | WORKER : RUN) | MATRIX;

	for (size_t i = 0; i < BC_ARRAY_LEN(not_of_matrix); i++)
		if (strcmp(not_of_matrix[i], o->name) == 0)
			commands &= ~(unsigned)MATRIX;
	for (size_t i = 0; i < BC_ARRAY_LEN(shared_options); i++)
		if (strcmp(shared_options[i].name, o->name) == 0)
			commands |= shared_options[i].commands;
	return commands;
}

struct bc_cli_option bc_cli_option_at(size_t i)
{
	const size_t own = i - bc_run_option_count;

	if (i < bc_run_option_count)
		return (struct bc_cli_option){ .option = &bc_run_option_table[i],
					       .commands = commands_of(&bc_run_option_table[i]),
					       .base = offsetof(struct bc_cli, run) };
	return (struct bc_cli_option){ .option = &own_options[own].row, .commands = own_options[own].commands };
}

struct bc_run_options bc_cli_run_options(const struct bc_cli *c)
{
	struct bc_run_options o = c->run;

	o.self = c->self;
	o.expected_dir = c->expected_dir;
	o.kernels_dir = c->run.kernels_dir ? c->kernels_dir : NULL;
	o.own_kernels = c->kernels_dir;
	o.reports_dir = c->reports_dir;
	return o;
}
