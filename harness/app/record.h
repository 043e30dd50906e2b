/* SPDX-License-Identifier: MIT */
/* harness/app/record.h - what the library in a program tells bankcheck: one text file a process.
 *
 * The library writes it anew, whole, every second and at the end of the process; `bankcheck app` reads those of all
 * processes. Lines of cells divided by tabs; a cell is escaped as escape.h's BC_ESCAPE_VALUE:
 *
 *	bankcheck-app 2
 *	process  PID  COMMAND
 *	device   INDEX  NAME  UUID  ARCH  DRIVER  CUDA
 *	kernel   DEVICE  KIND  X,Y,Z  X,Y,Z  SHARED_BYTES  LAUNCHES  NAME          grid, block
 *	count    COUNTER  LAUNCHES  SUM                                           of the kernel line above
 *	left     LAUNCHES  WHY                                                     launches that were not measured
 *	note     TEXT
 *	cost     START_US  MEASURED  US  SESSIONS  VOID                            MEASURED launches took US more
 *	cut                                                                        measuring ended before the process
 *did end                                                                        the process ended in order
 */
#ifndef BC_APP_RECORD_H
#define BC_APP_RECORD_H

#include "harness/base/base.h"
#include "harness/device/device.h"

#define BC_APP_NOTE_MAX 400
#define BC_APP_LEFT_MAX 12 /* reasons */

enum bc_app_kind { BC_APP_KERNEL = 0, BC_APP_GRAPH };
const char *bc_app_kind_name(enum bc_app_kind k); /* "kernel", "graph" */

/* A counter of one kernel: its sum over so many launches. */
struct bc_app_sum {
	uint64_t launches, sum;
};

/* Launches of one kernel with one grid, block and size of shared memory on one device. */
struct bc_app_kernel {
	char *name; /* as the driver has it: mangled; malloc'ed */
	enum bc_app_kind kind;
	unsigned device; /* the driver's index in its process */
	uint32_t grid[3], block[3];
	uint32_t shared_bytes; /* dynamic */
	uint64_t launches;     /* measured or not */
	struct bc_app_sum count[BC_NCOUNTERS];
};

struct bc_app_device {
	unsigned index;
	char name[128], uuid[48], arch[16];
	char driver[64], cuda[32]; /* versions; cuda: what the driver supports */
};

/* Launches that were not measured, and why. */
struct bc_app_left {
	char why[80];
	uint64_t launches;
};

/* What one process did. */
struct bc_app_record {
	long pid;
	char *command; /* malloc'ed; NULL: not known */
	struct bc_app_device *device;
	size_t ndevices;
	struct bc_app_kernel *kernel;
	size_t nkernels;
	struct bc_app_left left[BC_APP_LEFT_MAX];
	size_t nleft;
	char (*note)[BC_APP_NOTE_MAX];
	size_t nnotes;
	uint64_t start_us;	     /* that setting up and changes of counters took */
	uint64_t measured, extra_us; /* launches, and what measuring them took */
	uint64_t sessions, voids;    /* counter sessions; those whose canaries were wrong */
	bool cut;		     /* measuring ended early, by a failure: launches are missing */
	bool ended;		     /* in order: its last counts are there */
};

/* Add a note, once. Losing one for lack of memory is no failure. */
void bc_app_note(struct bc_app_record *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Count a launch that is not measured. */
void bc_app_leave(struct bc_app_record *r, const char *why);

/* The record as text. */
enum bc_status bc_app_record_write(const struct bc_app_record *r, struct bc_text *out, struct bc_error *err);

/**
 * bc_app_record_read - a record from its text, which is cut at its tabs
 * @path: for messages
 * @out:  zeroed; to be released in any case
 *
 * Return: BC_EDATA with path:line for what the library never writes.
 */
enum bc_status bc_app_record_read(char *text, const char *path, struct bc_app_record *out, struct bc_error *err);

void bc_app_record_release(struct bc_app_record *r);

#endif
