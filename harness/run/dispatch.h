/* SPDX-License-Identifier: MIT */
/* harness/run/dispatch.h - hands batches of cases to workers until every case has its result. */
#ifndef BC_RUN_DISPATCH_H
#define BC_RUN_DISPATCH_H

#include <signal.h>

#include "harness/core/results.h"
#include "harness/run/proc.h"

/* Part of todo: cases [first, first + n). */
struct bc_batch {
	size_t first, n;
};

/* One device's cases and where they stand. Zero-initialise; the caller frees todo, seen and stack. */
struct bc_device_queue {
	struct bc_device_run *run;
	size_t *todo, ntodo; /* indices into run->results */
	bool *seen;	     /* [run->nresults] it has its observation */
	struct bc_proc proc; /* its worker; pid 0: none */
	enum { BC_QUEUE_IDLE, BC_QUEUE_OPENING, BC_QUEUE_BUSY, BC_QUEUE_DONE } state;
	struct bc_batch *stack; /* batches still to run, the next on top */
	size_t nstack, capstack;
	struct bc_batch now;	/* in the worker's hands */
	double deadline, heard; /* monotonic seconds */
	unsigned deaths;	/* of single cases, in a row */
	bool started;
	char why[BC_REASON_MAX]; /* why the worker has to end, or what it said before it ended */
	bool failed;		 /* it said itself what went wrong, and that it ends ... */
	bool lost; /* ... because its device's context died (a sticky error), not for a fault of the tool */
	bool hurt; /* a worker of it was lost: the next one has to run a small kernel first */
	bool gone; /* the device was given up, or cannot be opened: nothing more is run on it */
};

struct bc_dispatch_options {
	unsigned timeout_s;    /* of one case; a batch has the sum */
	unsigned inactivity_s; /* nothing heard for so long: hung */
	const char **argv;     /* of a worker */
	/* A case has its observation; a failure stops everything. */
	enum bc_status (*result)(void *ctx, struct bc_device_run *d, size_t index, struct bc_error *err);
	void *ctx;
	volatile sig_atomic_t *caught; /* set by a signal: stop */
	bool isolate;		       /* a worker for each case */
	/* Is the run to end? Return: why, which every case that is left gets with the outcome *how; NULL: go on. May be
	 * NULL. */
	const char *(*stop)(void *ctx, enum bc_outcome *how);
};

/* Deaths of single cases in a row after which a device is given up. */
#define BC_DEATHS_MAX 3

/**
 * bc_dispatch - run all lanes to their end
 *
 * As many workers at once as there are CPUs for reference devices; GPUs all at once. After it every case of every lane
 * has an observation. Return: the first failure of result(), or BC_ENOMEM.
 */
enum bc_status bc_dispatch(struct bc_device_queue *lane, size_t n, const struct bc_dispatch_options *o,
			   struct bc_error *err);

#endif
