/* SPDX-License-Identifier: MIT */
#include "harness/run/run_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/escape.h"
#include "harness/core/case.h"
#include "harness/device/device.h"
#include "harness/run/message.h"

#define TIMES_MAX 1000 /* of --repeat and --retries */
#define NOISE_MAX 1000
#define GPUS_MAX 1000
#define KEY_PREFIX "option_"
#define KEY_MAX 40

#define FOR_WORKER BC_OPTION_FOR_WORKER
#define JOURNALLED BC_OPTION_JOURNALLED
#define FOR_RERUN BC_OPTION_FOR_RERUN
#define AT(field) offsetof(struct bc_run_options, field)

static const char *const witnesses[] = {
	[BC_WITNESS_AUTO] = "auto", [BC_WITNESS_COUNTERS] = "counters", [BC_WITNESS_CLOCK] = "clock", NULL
};
static const char *const requirements[] = { [BC_REQUIRE_NOTHING] = "", [BC_REQUIRE_COUNTERS] = "counters", NULL };
static const char *const isolations[] = { [BC_ISOLATE_DEVICE] = "device", [BC_ISOLATE_CASE] = "case", NULL };

const struct bc_option bc_run_option_table[] = {
	{ .name = "device",
	  .argument = "LIST",
	  .type = BC_OPTION_TEXT,
	  .variable = "BANKCHECK_DEVICE",
	  .offset = AT(devices),
	  .help = "devices, separated by commas: cuda:N, all (all GPUs), reference (= reference:sm_90), "
		  "reference:sm_NN, reference:all (default: all GPUs)" },
	{ .name = "gpus",
	  .argument = "N",
	  .type = BC_OPTION_NUMBER,
	  .offset = AT(gpus),
	  .min = 1,
	  .max = GPUS_MAX,
	  .help = "the run must have N GPUs; with fewer or more, nothing is run and the exit status is 2" },
	{ .name = "filter",
	  .argument = "GLOB",
	  .type = BC_OPTION_LIST,
	  .offset = AT(filter),
	  .help = "take the cases that match; `*` also matches `/`, and a suite or suite/rule selects all cases "
		  "below it; may be given several times" },
	{ .name = "exclude",
	  .argument = "GLOB",
	  .type = BC_OPTION_LIST,
	  .offset = AT(exclude),
	  .help = "leave out the cases that match, even if --filter selects them; may be given several times" },
	{ .name = "reports",
	  .argument = "DIR",
	  .type = BC_OPTION_TEXT,
	  .variable = "BANKCHECK_REPORTS",
	  .offset = AT(reports_dir),
	  .help = "folder of the reports (default: reports)" },
	{ .name = "expected",
	  .argument = "DIR",
	  .type = BC_OPTION_TEXT,
	  .variable = "BANKCHECK_EXPECTED",
	  .offset = AT(expected_dir),
	  .use = FOR_WORKER | FOR_RERUN,
	  .help = "folder of the expectations (default: the one of the program)" },
	{ .name = "kernels",
	  .argument = "DIR",
	  .type = BC_OPTION_TEXT,
	  .variable = "BANKCHECK_KERNELS",
	  .offset = AT(kernels_dir),
	  .use = FOR_WORKER | FOR_RERUN,
	  .help = "folder of the kernel images, or the CUDA release that made them (12.9); default: the newest beside "
		  "the program that the driver takes" },
	{ .name = "cupti",
	  .argument = "FILE",
	  .type = BC_OPTION_TEXT,
	  .offset = AT(cupti),
	  .use = FOR_WORKER | JOURNALLED | FOR_RERUN,
	  .help = "the libcupti to count with, exactly this file (default: the one of CUDA_HOME, then libcupti.so.13 "
		  "or "
		  ".12 where the system finds it, then of /usr/local/cuda and /opt/cuda)" },
	{ .name = "fault",
	  .argument = "NAME",
	  .type = BC_OPTION_TEXT,
	  .offset = AT(fault),
	  .use = FOR_WORKER | JOURNALLED | FOR_RERUN,
	  .help = "plant a fault in the reference device; `bankcheck selftest` lists the names, and with this option "
		  "plants that fault alone" },
	{ .name = "law",
	  .argument = "FILE",
	  .type = BC_OPTION_TEXT,
	  .offset = AT(law),
	  .use = FOR_WORKER | JOURNALLED | FOR_RERUN,
	  .help = "give the reference device the bank law in this file: banks, bank_bytes, bank_bit, group, merge, "
		  "cas_factor, window_base, not_linear (docs/bank-laws.md); explain draws by it" },
	{ .name = "witness",
	  .argument = "WHICH",
	  .type = BC_OPTION_CHOICE,
	  .offset = AT(witness),
	  .words = witnesses,
	  .use = FOR_WORKER | JOURNALLED | FOR_RERUN,
	  .help = "judge a case, besides its data, by counters, by clock, or by both where available (auto)" },
	{ .name = "require",
	  .argument = "counters",
	  .type = BC_OPTION_CHOICE,
	  .offset = AT(require),
	  .words = requirements,
	  .use = JOURNALLED | FOR_RERUN,
	  .help = "a case without hardware counters is BROKEN; the reference device has none" },
	{ .name = "sms",
	  .argument = "WHICH",
	  .type = BC_OPTION_TEXT,
	  .offset = AT(sms),
	  .use = FOR_WORKER | JOURNALLED | FOR_RERUN,
	  .help = "one: a case runs on one SM; all: besides, the suite sms runs the patterns of every rule on all SMs "
		  "at "
		  "once and compares data, counts and times; N,N,...: it compares these SMs (default: one)" },
	{ .name = "racecheck",
	  .type = BC_OPTION_FLAG,
	  .offset = AT(racecheck),
	  .use = FOR_WORKER | JOURNALLED | FOR_RERUN,
	  .help = "reference device: report races in shared memory" },
	{ .name = "reference-clock",
	  .type = BC_OPTION_FLAG,
	  .offset = AT(reference_clock),
	  .use = FOR_WORKER | JOURNALLED | FOR_RERUN,
	  .help = "reference device: it has a clock, by the published cycles of the architecture" },
	{ .name = "reference-noise",
	  .argument = "CYCLES",
	  .type = BC_OPTION_NUMBER,
	  .offset = AT(reference_noise),
	  .min = 1,
	  .max = NOISE_MAX,
	  .use = FOR_WORKER | JOURNALLED | FOR_RERUN,
	  .help = "with --reference-clock: each read of the clock is late by 0 to CYCLES, from 1 to 1000 (default: "
		  "0)" },
	{ .name = "reference-sms",
	  .argument = "N",
	  .type = BC_OPTION_NUMBER,
	  .offset = AT(reference_sms),
	  .min = 1,
	  .max = BC_REFERENCE_SMS_MAX,
	  .use = FOR_WORKER | JOURNALLED | FOR_RERUN,
	  .help = "reference device: it has N multiprocessors, from 1 to 256 (default: 1; a planted fault of one "
		  "multiprocessor brings others along)" },
	{ .name = "pack",
	  .argument = "N",
	  .type = BC_OPTION_NUMBER,
	  .offset = AT(pack),
	  .min = 1,
	  .max = BC_PACK_MAX,
	  .use = FOR_WORKER | JOURNALLED | FOR_RERUN,
	  .help = "count up to N cases in one profiler range, from 1 (each case alone) to 3; their repetitions tell "
		  "them apart (default: 3 on a GPU, 1 on the reference device)" },
	{ .name = "timeout",
	  .argument = "SECONDS",
	  .type = BC_OPTION_SECONDS,
	  .offset = AT(timeout_s),
	  .preset = 10,
	  .help = "time limit of one case" },
	{ .name = "inactivity",
	  .argument = "SECONDS",
	  .type = BC_OPTION_SECONDS,
	  .offset = AT(inactivity_s),
	  .preset = 120,
	  .help = "a worker that sends nothing for this long counts as hung" },
	{ .name = "deadline",
	  .argument = "SECONDS",
	  .type = BC_OPTION_SECONDS,
	  .offset = AT(deadline_s),
	  .help = "time limit of the whole run; the cases that remain are LOST (default: none)" },
	{ .name = "isolate",
	  .argument = "WHAT",
	  .type = BC_OPTION_CHOICE,
	  .offset = AT(isolate),
	  .words = isolations,
	  .help = "device: one worker process per device; case: one worker process per case" },
	{ .name = "shard",
	  .argument = "I/N",
	  .type = BC_OPTION_PART,
	  .offset = AT(shard),
	  .max = BC_CASES_MAX,
	  .help = "divide the selected cases into N parts and run the I-th (from 1), so that N machines share them" },
	{ .name = "run-name",
	  .argument = "NAME",
	  .type = BC_OPTION_TEXT,
	  .offset = AT(run_name),
	  .help = "name of the run, the same for all its shards and another one for every run (a pipeline's number): "
		  "diff, html, merge and history add then take the shards for one run" },
	{ .name = "host",
	  .argument = "NAME",
	  .type = BC_OPTION_TEXT,
	  .offset = AT(host),
	  .help = "name of this host in reports (default: SLURMD_NODENAME, then NODE_NAME, then the system's)" },
	{ .name = "label",
	  .argument = "KEY=VALUE",
	  .type = BC_OPTION_LIST,
	  .offset = AT(label),
	  .help = "say this of the run in its reports, as the property label_KEY; may be given several times" },
	{ .name = "shuffle",
	  .argument = "SEED",
	  .type = BC_OPTION_SEED,
	  .offset = AT(shuffle),
	  .help = "run the cases in a random order; the same seed, a whole number, gives the same order" },
	{ .name = "repeat",
	  .argument = "N",
	  .type = BC_OPTION_NUMBER,
	  .offset = AT(repeat),
	  .min = 1,
	  .max = TIMES_MAX,
	  .preset = 1,
	  .use = JOURNALLED,
	  .help = "run every case N times; its verdict is the worst of them" },
	{ .name = "retries",
	  .argument = "N",
	  .type = BC_OPTION_NUMBER,
	  .offset = AT(retries),
	  .min = 1,
	  .max = TIMES_MAX,
	  .use = JOURNALLED,
	  .help = "run a case that fails by counters or clock again, up to N times, each time in a new worker; a case "
		  "that then passes is flaky" },
	{ .name = "retry-lost",
	  .argument = "N",
	  .type = BC_OPTION_NUMBER,
	  .offset = AT(retry_lost),
	  .min = 1,
	  .max = TIMES_MAX,
	  .use = JOURNALLED,
	  .help = "run a LOST case again, up to N times" },
	{ .name = "fail-fast",
	  .type = BC_OPTION_FLAG,
	  .offset = AT(fail_fast),
	  .help = "end the run at the first finding; the cases that remain are SKIP" },
	{ .name = "resume",
	  .type = BC_OPTION_FLAG,
	  .offset = AT(resume),
	  .help = "continue the run that was cut off, from the journal in the reports folder; options, program, "
		  "kernels and expectations must be the same" },
};

/* One number of the list; false: it is none, or there already. */
static bool add_sm(const char *word, size_t len, struct bc_sms_choice *out)
{
	uint32_t sm = 0;

	if (!len || len > 5 || out->n == BC_SMS_MAX)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (word[i] < '0' || word[i] > '9')
			return false;
		sm = sm * 10 + (uint32_t)(word[i] - '0');
	}
	for (size_t i = 0; i < out->n; i++)
		if (out->sm[i] == sm)
			return false;
	out->sm[out->n++] = sm;
	return true;
}

enum bc_status bc_sms_parse(const char *text, struct bc_sms_choice *out, struct bc_error *err)
{
	*out = (struct bc_sms_choice){ .every = text && strcmp(text, "one") != 0 };
	if (!text || !out->every || strcmp(text, "all") == 0)
		return BC_OK;
	for (const char *at = text;; at++) {
		const size_t len = strcspn(at, ",");

		if (!add_sm(at, len, out))
			return bc_fail(
				err, BC_EUSAGE,
				"--sms %.60s: it is one, all, or up to %d numbers of SMs separated by commas, each "
				"once",
				text, BC_SMS_MAX);
		at += len;
		if (!*at)
			return BC_OK;
	}
}

const size_t bc_run_option_count = BC_ARRAY_LEN(bc_run_option_table);

_Static_assert(BC_ARRAY_LEN(bc_run_option_table) <= BC_RUN_OPTIONS_MAX, "BC_RUN_OPTIONS_MAX is too small");

void bc_run_options_init(struct bc_run_options *o)
{
	memset(o, 0, sizeof(*o));
	for (size_t i = 0; i < bc_run_option_count; i++)
		bc_option_init(&bc_run_option_table[i], o);
}

void bc_run_options_release(struct bc_run_options *o)
{
	for (size_t i = 0; i < bc_run_option_count; i++)
		bc_option_release(&bc_run_option_table[i], o);
	bc_run_options_init(o);
}

void bc_run_options_worker_argv(const struct bc_run_options *o, struct bc_worker_argv *out)
{
	size_t n = 0;

	out->word[n++] = o->self;
	out->word[n++] = "worker";
	for (size_t i = 0; i < bc_run_option_count; i++) {
		const struct bc_option *row = &bc_run_option_table[i];

		if (!(row->use & FOR_WORKER) || bc_option_is_preset(row, o))
			continue;
		(void)snprintf(out->dashed[i], sizeof(out->dashed[i]), "--%s", row->name);
		out->word[n++] = out->dashed[i];
		if (row->argument)
			out->word[n++] = bc_option_text(row, o, out->number[i]);
	}
	out->word[n] = NULL;
}

/* Does the environment say it? Then it says it to the next run, too. */
static bool is_of_environment(const struct bc_option *row, const struct bc_run_options *o)
{
	const char *value = row->variable ? getenv(row->variable) : NULL;
	char buf[BC_OPTION_BUF];

	return value && strcmp(value, bc_option_text(row, o, buf)) == 0;
}

enum bc_status bc_run_options_rerun(const struct bc_run_options *o, struct bc_text *out, struct bc_error *err)
{
	enum bc_status st = bc_text_add(out, "", 0, err);

	for (size_t i = 0; !st && i < bc_run_option_count; i++) {
		const struct bc_option *row = &bc_run_option_table[i];
		char buf[BC_OPTION_BUF];

		if (!(row->use & FOR_RERUN) || bc_option_is_preset(row, o) || is_of_environment(row, o))
			continue;
		st = bc_text_addf(out, err, " --%s%s", row->name, row->argument ? " " : "");
		if (!st && row->argument)
			st = bc_shell_quote(out, bc_option_text(row, o, buf), err);
	}
	return st;
}

const char *bc_run_options_kernels(const struct bc_run_options *o)
{
	return o->kernels_dir ? o->kernels_dir : o->own_kernels ? o->own_kernels : "";
}

void bc_run_options_text(const struct bc_run_options *o, char *text, size_t size)
{
	size_t len = 0;

	(void)bc_strlcpy(text, "defaults", size);
	for (size_t i = 0; i < bc_run_option_count && len < size; i++) {
		const struct bc_option *row = &bc_run_option_table[i];
		char buf[BC_OPTION_BUF];

		if (!(row->use & JOURNALLED) || bc_option_is_preset(row, o))
			continue;
		len += (size_t)snprintf(text + len, size - len, "%s--%s%s%s", len ? " " : "", row->name,
					row->argument ? " " : "", row->argument ? bc_option_text(row, o, buf) : "");
	}
}

/* The key of an option in a message: the keys of messages have no dash. */
static void make_key(const struct bc_option *row, char key[KEY_MAX])
{
	(void)snprintf(key, KEY_MAX, KEY_PREFIX "%s", row->name);
	for (char *c = key; *c; c++)
		if (*c == '-')
			*c = '_';
}

enum bc_status bc_run_options_add(const struct bc_run_options *o, struct bc_text *message, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < bc_run_option_count; i++) {
		const struct bc_option *row = &bc_run_option_table[i];
		char key[KEY_MAX], buf[BC_OPTION_BUF];
		const char *text = bc_option_text(row, o, buf);

		if (!(row->use & JOURNALLED) || !text[0])
			continue;
		make_key(row, key);
		st = bc_message_add(message, err, key, "%s", text);
	}
	return st;
}

enum bc_status bc_run_options_parse(const struct bc_fields *message, struct bc_run_options *o, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < bc_run_option_count; i++) {
		const struct bc_option *row = &bc_run_option_table[i];
		struct bc_error why = { .msg = "" };
		const char *text;
		char key[KEY_MAX];

		make_key(row, key);
		text = bc_message_get(message, key);
		if (!(row->use & JOURNALLED) || !text[0])
			continue;
		if (row->type == BC_OPTION_FLAG && strcmp(text, "no") == 0)
			continue;
		if (row->type == BC_OPTION_FLAG && strcmp(text, "yes") != 0)
			st = bc_fail(err, BC_EDATA, "%s=%.60s: it is yes or no", key, text);
		else if (bc_option_set(row, o, text, &why))
			st = bc_fail(err, BC_EDATA, "%s=%.60s is not valid (%s)", key, text, why.msg);
	}
	return st;
}

bool bc_run_options_differ(const struct bc_run_options *then, const struct bc_run_options *now, char *text, size_t size)
{
	for (size_t i = 0; i < bc_run_option_count; i++) {
		const struct bc_option *row = &bc_run_option_table[i];
		char buf[2][BC_OPTION_BUF];
		const char *a, *b;

		if (!(row->use & JOURNALLED))
			continue;
		a = bc_option_text(row, then, buf[0]);
		b = bc_option_text(row, now, buf[1]);
		if (strcmp(a, b) == 0)
			continue;
		(void)snprintf(text, size, "--%s %.80s, now %.80s", row->name, a[0] ? a : "not given",
			       b[0] ? b : "not given");
		return true;
	}
	return false;
}
