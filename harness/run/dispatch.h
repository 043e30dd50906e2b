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

/* One device's cases and where they stand. Zero-initialise; the caller frees todo, observed and batches. */
struct bc_device_queue {
	struct bc_device_run *run;
	size_t *todo, ntodo;   /* indices into run->results */
	bool *observed;	       /* [run->nresults] it has its observation */
	struct bc_proc worker; /* pid 0: none */
	enum { BC_QUEUE_IDLE, BC_QUEUE_OPENING, BC_QUEUE_BUSY, BC_QUEUE_DONE } state;
	bool batched;		  /* todo was divided into batches */
	struct bc_batch *batches; /* still to run, the next one last */
	size_t nbatches, batches_room;
	struct bc_batch current;	/* in the worker's hands */
	double deadline, last_heard;	/* monotonic seconds */
	unsigned deaths_in_row;		/* workers that died with a single case */
	unsigned openings;		/* workers in a row that died while they opened the device */
	char events[200];		/* what the GPU told the worker of; "": nothing */
	char end_reason[BC_REASON_MAX]; /* why the worker has to end, or what it said before it ended */
	bool reported_failure;		/* it said itself what went wrong, and that it ends ... */
	bool context_lost; /* ... because its device's context died (a sticky error), not for a fault of the tool */
	bool no_images;	   /* it ends because the driver takes none of the kernel images */
	bool in_profiler;  /* it calls the profiler's library: should it end now, that is to blame */
	char counters_off[BC_REASON_MAX]; /* why its workers leave that library alone, "": they do not */
	bool restarted;			  /* a worker of it was lost: the next one has to run a small kernel first */
	bool abandoned;			  /* nothing more is run on it: it cannot be opened, or too many workers died */
};

struct bc_dispatch_options {
	unsigned timeout_s;    /* of one case; a batch has the sum */
	unsigned inactivity_s; /* a worker that sends nothing for so long is hung */
	const char **argv;     /* of a worker */
	/* A case has its observation; a failure stops everything. */
	enum bc_status (*result)(void *ctx, struct bc_device_run *d, size_t index, struct bc_error *err);
	/* A worker died, hung or had to be ended; a failure stops everything. May be NULL. */
	enum bc_status (*death)(void *ctx, struct bc_device_run *d, const struct bc_death *death, struct bc_error *err);
	void *ctx;			      /* of all of these functions */
	volatile sig_atomic_t *signal_caught; /* set by a signal handler: stop */
	bool isolate;			      /* a worker for each case */
	/* Is the run to end? Return: why; every case that remains gets that reason and *outcome. NULL: go on. May be
	 * NULL. */
	const char *(*stop)(void *ctx, enum bc_outcome *outcome);
};

/* Deaths of single cases in a row after which a device is abandoned. */
#define BC_DEATHS_MAX 3
/* Workers in a row that may die while they open a device. */
#define BC_OPENINGS_MAX 2

/**
 * bc_dispatch - run all queues to their end
 *
 * As many workers at once as there are CPUs for reference devices; GPUs all at once. After it every case of every queue
 * has an observation. Return: the first failure of result(), or BC_ENOMEM.
 */
enum bc_status bc_dispatch(struct bc_device_queue *queue, size_t n, const struct bc_dispatch_options *o,
			   struct bc_error *err);

#endif
