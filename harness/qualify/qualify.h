/* SPDX-License-Identifier: MIT */
/* harness/qualify/qualify.h - is this GPU, with this driver and toolkit, as it should be? One command, one page.
 *
 * The steps are commands of this program, each a process with a folder of its own below the reports' folder: what they
 * say is read from their reports. A step that ended is noted in STATE_FILE, so that --resume goes on after it.
 */
#ifndef BC_QUALIFY_QUALIFY_H
#define BC_QUALIFY_QUALIFY_H

#include "harness/base/file.h"
#include "harness/base/base.h"
#include "harness/base/option.h"
#include "harness/base/textfile.h"
#include "harness/core/banks.h"
#include "harness/core/judge.h"
#include "harness/run/run_options.h"

#define BC_QUALIFY_STATE "state.tsv"

enum bc_qualify_kind {
	BC_QUALIFY_SELFTEST = 0, /* of the tool, once for all devices */
	BC_QUALIFY_MAP,
	BC_QUALIFY_CATALOGUE,
	BC_QUALIFY_CELLS,
	BC_QUALIFY_MATRIX,
	BC_QUALIFY_DIFF,
	BC_QUALIFY_SOAK,
	BC_QUALIFY_STEPS
};

enum bc_qualified { BC_QUALIFIED = 0, BC_QUALIFIED_WITH_REMARKS, BC_NOT_QUALIFIED };

struct bc_qualify_options {
	const char *self; /* path of this program */
	const struct bc_run_options *run;
	const char *reports_dir, *expected_dir;
	const char *baseline; /* NULL: none */
	const struct bc_option_list *kernels,
		*cupti;	 /* folders and libraries of the matrix; the first is used by all steps */
	unsigned soak_s; /* 0: no soak */
	bool strict, resume;
};

struct bc_qualify_step {
	bool wanted;
	const char *why_not; /* wanted is false: in words */
	bool done, earlier;  /* earlier: before --resume */
	int status;	     /* its exit status */
	double seconds;
	char result[300]; /* what it came to, in words */
};

/* A reason why a device is not qualified, or a remark. */
struct bc_qualify_remark {
	bool reason;
	int status; /* of a reason: 1, 2 or 4, as exit status */
	char text[400];
};

#define BC_QUALIFY_REMARKS 40

/* Which address bits make a bit of the bank's number, row by row. */
struct bc_qualify_law {
	bool known;
	uint32_t row[BC_BANK_BITS_MAX];
	unsigned rows;
};

struct bc_qualify_device {
	char option[64]; /* what --device takes: "cuda:0" */
	char name[64];	 /* its folder: "cuda_0" */
	struct bc_qualify_step step[BC_QUALIFY_STEPS];
	struct bc_qualify_remark remark[BC_QUALIFY_REMARKS];
	size_t nremarks;
	/* From its reports; "" where not known. */
	char gpu[128], arch[64], uuid[64], driver[64], cuda[32], toolkit[96], standing[200], sms[16];
	size_t verdict[BC_NVERDICTS]; /* of the catalogue and the cells */
	struct bc_qualify_law found, expected;
	char law[1200];		/* found, in the words of `map --format law`, "" when none */
	char differences[1200]; /* lines: where it is not as expected */
	char beside[64];	/* without a baseline: the GPU of its kind, qualified before it, to compare with; "" */
	char beside_reports[BC_PATH_MAX];
	char clock[200]; /* how its clock compares with the baseline's, or that GPU's */
};

struct bc_qualify {
	struct bc_qualify_step selftest;
	struct bc_qualify_device *device;
	size_t n;
	char bankcheck[64];
	int signal; /* that ended it, 0: none */
};

const char *bc_qualify_step_name(enum bc_qualify_kind k);  /* "catalogue": its folder, and in reports */
const char *bc_qualify_step_about(enum bc_qualify_kind k); /* what it does, one line */
const char *bc_qualified_name(enum bc_qualified q);	   /* "QUALIFIED WITH REMARKS" */

/**
 * bc_qualify_plan - the devices and which steps each gets
 *
 * Return: BC_EUSAGE for a device list that names none, or one that qualify cannot take apart; BC_EDEVICE, BC_ENOMEM.
 */
enum bc_status bc_qualify_plan(const struct bc_qualify_options *o, struct bc_qualify *q, struct bc_error *err);

/* Told of a step before and after it ran. @d NULL: of the self-test. */
typedef void bc_qualify_event(void *ctx, const struct bc_qualify_device *d, enum bc_qualify_kind k,
			      const struct bc_qualify_step *s, bool ended);

/**
 * bc_qualify_run - run the steps, and read what they wrote
 *
 * SIGINT and SIGTERM go to the step at hand and end it all; q->signal says so. With o->resume, steps that ended before
 * are read and not run. Return: BC_EUSAGE when the options are not those of the state that is to be resumed;
 * BC_EWRITE, BC_ENOMEM.
 */
enum bc_status bc_qualify_run(const struct bc_qualify_options *o, struct bc_qualify *q, bc_qualify_event *event,
			      void *ctx, struct bc_error *err);

/* read.c: fill what a finished step says; remarks are added to the device. */
enum bc_status bc_qualify_read(const struct bc_qualify_options *o, struct bc_qualify_device *d, enum bc_qualify_kind k,
			       const char *dir, struct bc_error *err);

/* Append one; beyond BC_QUALIFY_REMARKS they are dropped, but a reason takes the place of the last remark. */
void bc_qualify_add(struct bc_qualify_device *d, bool reason, int status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

enum bc_qualified bc_qualify_verdict(const struct bc_qualify_device *d);

/* Of all devices; the worst. */
enum bc_qualified bc_qualify_worst(const struct bc_qualify *q);

/* 2, 1 or 4 by the reasons, in that order; 0 without any, with @strict 1 when there are remarks. */
int bc_qualify_status(const struct bc_qualify *q, bool strict);

/* Of one device (@d), or of all (@d NULL). */
typedef enum bc_status bc_qualify_printer(const struct bc_qualify *q, const struct bc_qualify_device *d,
					  struct bc_text *out, struct bc_error *err);
bc_qualify_printer bc_qualify_text, bc_qualify_json, bc_qualify_junit, bc_qualify_page;

void bc_qualify_release(struct bc_qualify *q);

#endif
