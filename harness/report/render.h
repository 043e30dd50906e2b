/* SPDX-License-Identifier: MIT */
/* harness/report/render.h - what all sinks share: the look of a verdict, names of devices, counts, the rerun line. */
#ifndef BC_REPORT_RENDER_H
#define BC_REPORT_RENDER_H

#include "harness/core/results.h"

/* One row a verdict; a new verdict is a new row. */
struct bc_verdict_style {
	const char *element; /* JUnit child of the testcase: "failure", "error", "skipped"; NULL: none, it passed */
	const char *color;   /* SGR parameters for a terminal, "31" */
};

/* Return: never NULL; a value that is no verdict looks like BROKEN. Its name is bc_verdict_name's. */
const struct bc_verdict_style *bc_verdict_style(enum bc_verdict v);

/* Add the cases of @d to @n, [BC_NVERDICTS]. */
void bc_count_verdicts(const struct bc_device_run *d, size_t n[BC_NVERDICTS]);

#define BC_DEVICE_LABEL_MAX 40

/* The device as --device takes it: "cuda:0", "reference:sm_90". */
void bc_device_label(const struct bc_device_run *d, char buf[BC_DEVICE_LABEL_MAX]);

/* Architecture of the device: "sm_90"; "unknown" when the device never said. */
const char *bc_device_arch(const struct bc_device_run *d);

#define BC_CONFIRMATION_MAX 160

/* How far the architecture's expectations are proven: "confirmed GPU, driver, date", "unconfirmed", "provisional". */
void bc_confirmation_text(const struct bc_arch *a, char buf[BC_CONFIRMATION_MAX]);

#define BC_DEATH_TEXT_MAX 1100

/* "the worker ended: signal SIGSEGV; it had 64 cases, from A to B; the GPU had told of Xid 31". */
void bc_death_text(const struct bc_device_run *d, const struct bc_death *death, char buf[BC_DEATH_TEXT_MAX]);

/**
 * bc_rerun_line - append the command line that runs one case on one device again
 *
 * The head is the device's (bc_device_run.rerun), else the run's, already quoted; the case id is quoted here.
 */
enum bc_status bc_rerun_line(const struct bc_run *run, const struct bc_device_run *d, const char *case_id,
			     struct bc_text *out, struct bc_error *err);

#endif
