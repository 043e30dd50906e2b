/* SPDX-License-Identifier: MIT */
/* harness/run/run_options.h - what a run is asked for, and the one table of the options that ask for it.
 *
 * A row is all that an option needs: the command line, help and the man page, the arguments of a worker, the fields of
 * the journal and the command that runs a case again come from it. Options that other commands take, or that only the
 * reports of a run depend on, are in harness/cli/options.c.
 */
#ifndef BC_RUN_RUN_OPTIONS_H
#define BC_RUN_RUN_OPTIONS_H

#include "harness/base/option.h"

enum bc_witness { BC_WITNESS_AUTO = 0, BC_WITNESS_COUNTERS, BC_WITNESS_CLOCK };
enum bc_requirement { BC_REQUIRE_NOTHING = 0, BC_REQUIRE_COUNTERS };
enum bc_isolation { BC_ISOLATE_DEVICE = 0, BC_ISOLATE_CASE };

struct bc_run_options {
	/* Each is the value of a row of the table; the row says what it does. */
	const char *devices; /* NULL: all GPUs */
	struct bc_option_list filter, exclude;
	const char *reports_dir, *expected_dir, *kernels_dir;
	const char *cupti;	     /* NULL: looked for */
	const char *fault;	     /* NULL: none */
	const char *law;	     /* file of the reference device's law; NULL: the architecture's */
	unsigned witness;	     /* enum bc_witness */
	unsigned require;	     /* enum bc_requirement */
	unsigned isolate;	     /* enum bc_isolation */
	unsigned gpus;		     /* GPUs that the run must have; 0: not said */
	unsigned pack;		     /* most cases of one profiler range (pack.h); 0: the device's own */
	unsigned timeout_s;	     /* limit of one case, at least 1 */
	unsigned inactivity_s;	     /* a worker that sends nothing for so long is hung, at least 1 */
	unsigned deadline_s;	     /* limit of the whole run; 0: none */
	unsigned repeat;	     /* runs of every case; 0, 1: one */
	unsigned retries;	     /* further attempts at a FAIL by counters or clock */
	unsigned retry_lost;	     /* further attempts at a LOST */
	const char *sms;	     /* --sms; NULL: one */
	struct bc_option_part shard; /* of 0: all cases */
	const char *run_name;	     /* NULL: none */
	const char *host;	     /* NULL: the environment or the system says it */
	struct bc_option_list label; /* KEY=VALUE */
	struct bc_option_seed shuffle;
	bool racecheck, fail_fast, resume;
	bool reference_clock;	  /* the reference device has a clock ... */
	unsigned reference_noise; /* ... whose reads are late by 0 to so many cycles */
	unsigned reference_sms;	  /* multiprocessors of the reference device; 0: 1 */
	/* What the program adds: */
	const char *self;		    /* path of this binary, for the workers */
	const char *own_kernels;	    /* the images that come with the program, where no kernels_dir was given */
	const char *only_suite, *only_rule; /* CK_RUN_SUITE, CK_RUN_CASE; NULL: any */
	const bool *only;		    /* [cat->n + cat->nhidden] of the chosen cases these; NULL: all */
	const char *journal;		    /* file that the observations are appended to as they come; NULL: none */
	const char *rerun; /* options that a command which runs a case again needs beside --device and --filter */
};

/* Bits of a row's use. */
enum bc_run_option_use {
	BC_OPTION_FOR_WORKER = 1 << 0, /* a worker gets it as an argument */
	BC_OPTION_JOURNALLED = 1 << 1, /* the results depend on it: a resumed run must have the same */
	BC_OPTION_FOR_RERUN = 1 << 2,  /* a command that runs a case again repeats it */
};

#define BC_RUN_OPTIONS_MAX 64

extern const struct bc_option bc_run_option_table[]; /* [bc_run_option_count], of struct bc_run_options */
extern const size_t bc_run_option_count;	     /* at most BC_RUN_OPTIONS_MAX */

/* Give all options their presets. */
void bc_run_options_init(struct bc_run_options *o);

/* Free the lists; the options are as after init. */
void bc_run_options_release(struct bc_run_options *o);

/* The folder of images: as given, or the program's own; those beside it count too then (device/image_sets.h). */
const char *bc_run_options_kernels(const struct bc_run_options *o);

/* The arguments of a worker. They point into the options and into this struct: it is not moved while they are used. */
struct bc_worker_argv {
	const char *word[3 + 2 * BC_RUN_OPTIONS_MAX]; /* ended by NULL */
	char dashed[BC_RUN_OPTIONS_MAX][32];	      /* "--name" */
	char number[BC_RUN_OPTIONS_MAX][BC_OPTION_BUF];
};
void bc_run_options_worker_argv(const struct bc_run_options *o, struct bc_worker_argv *out);

/* Append the options that a command which runs a case again repeats, each after a blank, quoted for a shell; not what
 * the environment says. */
enum bc_status bc_run_options_rerun(const struct bc_run_options *o, struct bc_text *out, struct bc_error *err);

/* The options that the results depend on (the journalled ones), as far as they were given: "--witness clock --pack 1";
 * "defaults": none was. For reports: not quoted, cut at @size. */
void bc_run_options_text(const struct bc_run_options *o, char *text, size_t size);

struct bc_fields;

/* Add the journalled options to a message that was begun: option_NAME=TEXT, without those that were not given. */
enum bc_status bc_run_options_add(const struct bc_run_options *o, struct bc_text *message, struct bc_error *err);

/**
 * bc_run_options_parse - the journalled options of a message
 * @o: initialised; an option that the message lacks is left as it is. Texts point into the message.
 *
 * Return: BC_EDATA for a value that its option cannot have.
 */
enum bc_status bc_run_options_parse(const struct bc_fields *message, struct bc_run_options *o, struct bc_error *err);

/**
 * bc_run_options_differ - the first journalled option that two runs do not share
 * @text: [size] filled with its name and both values: "--retries not given, now 1"
 *
 * Return: false when they share all.
 */
bool bc_run_options_differ(const struct bc_run_options *then, const struct bc_run_options *now, char *text,
			   size_t size);

/* SMs that --sms names at most. */
#define BC_SMS_MAX 256

/* Which SMs cases are compared on. */
struct bc_sms_choice {
	bool every; /* the cases of every_sm suites are in the plan */
	uint32_t sm[BC_SMS_MAX];
	size_t n; /* 0: all */
};

/**
 * bc_sms_parse - the argument of --sms
 * @text: "one" (or NULL), "all", or numbers of SMs separated by commas, each once
 *
 * Return: BC_EUSAGE "--sms text: what it must be".
 */
enum bc_status bc_sms_parse(const char *text, struct bc_sms_choice *out, struct bc_error *err);

#endif
