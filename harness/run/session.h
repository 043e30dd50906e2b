/* SPDX-License-Identifier: MIT */
/* harness/run/session.h - one `bankcheck run`: devices, plan, workers, results.
 *
 * The parent never touches a device. One worker process a device; the cases are handed out in batches, a batch whose
 * worker dies or hangs is halved until the guilty case is alone. Every planned case gets exactly one result.
 */
#ifndef BC_RUN_SESSION_H
#define BC_RUN_SESSION_H

#include "harness/core/results.h"
#include "harness/core/select.h"

enum bc_witness { BC_WITNESS_AUTO = 0, BC_WITNESS_COUNTERS, BC_WITNESS_CLOCK };

struct bc_session_options {
	const char *self;    /* path of this binary, for the workers */
	const char *devices; /* --device LIST, NULL: default */
	const char *expected_dir, *kernels_dir, *reports_dir;
	struct bc_selection selection;
	enum bc_witness witness;
	bool require_counters;
	unsigned pack;	     /* most cases counted in one range (pack.h); 0: the device's own */
	bool racecheck;	     /* reference device */
	const char *fault;   /* reference device, NULL: none */
	unsigned timeout_s;  /* limit of one case, at least 1 */
	unsigned quiet_s;    /* a worker not heard from for so long is hung, at least 1 */
	const char *journal; /* file the observations are appended to as they come, NULL: none */
	/* What of the selection is run, and how often: */
	const bool *only;	 /* [cat->n + cat->nhidden] of the selection these, NULL: all */
	unsigned shard, nshards; /* the shard-th (1-based) of so many; nshards 0: everything */
	bool shuffle;		 /* in an order that only seed decides */
	uint32_t seed;
	unsigned repeat;     /* every case so often, the worst counts; 0, 1: once */
	unsigned retries;    /* further attempts at a FAIL by counters or clock, each in a new worker */
	unsigned retry_lost; /* further attempts at a LOST */
	bool fail_fast;	     /* the first finding ends the run: the rest is SKIP */
	bool isolate;	     /* a worker for each case */
	unsigned deadline_s; /* of the whole run: the rest is LOST; 0: none */
	bool resume;	     /* go on from the journal of the same run */
	const char *rerun;   /* options that a line to run a case again needs beside --device and --filter, "" */
};

/* What happens meanwhile. Any may be NULL. */
struct bc_session_events {
	void *ctx;
	void (*begin)(void *ctx, const struct bc_run *run);
	void (*progress)(void *ctx, size_t done, size_t total, const char *id);
	void (*result)(void *ctx, const struct bc_device_run *d, const struct bc_result *r);
};

struct bc_session;

/**
 * bc_session_open - find the devices, load what is expected, plan
 *
 * Return: BC_EUSAGE for a device or glob that is not there, BC_EDATA or BC_EREAD for a bad expected/.
 */
enum bc_status bc_session_open(const struct bc_session_options *o, const struct bc_catalog *cat,
			       struct bc_session **out, struct bc_error *err);

/**
 * bc_session_run - run the plan to its end
 *
 * SIGINT and SIGTERM end it early: workers are stopped, what has no observation is LOST "interrupted".
 * Return: BC_OK also when cases are LOST; a failure only when the journal cannot be written or memory is out.
 */
enum bc_status bc_session_run(struct bc_session *s, const struct bc_session_events *ev, struct bc_error *err);

/**
 * bc_session_replay - the session that a journal tells of, as far as it came; nothing is run
 * @o: expected_dir and reports_dir; outlives the session
 *
 * Cases without a result in the journal are LOST. Return: BC_EREAD, BC_EDATA: no journal, or not of these expectations.
 */
enum bc_status bc_session_replay(const struct bc_session_options *o, const struct bc_catalog *cat, const char *journal,
				 struct bc_session **out, struct bc_error *err);

/* The run with its results; valid until close. */
const struct bc_run *bc_session_result(const struct bc_session *s);

/* The signal that ended it, 0: none. */
int bc_session_signal(const struct bc_session *s);

void bc_session_close(struct bc_session *s); /* NULL is allowed; stops workers that are left */

/**
 * bc_session_list - what GPUs are here, as a worker sees them
 * @why: [size] why there is none, ""
 */
enum bc_status bc_session_list(const struct bc_session_options *o, struct bc_facts **gpus, size_t *n, char *why,
			       size_t size, struct bc_error *err);

/* Open each GPU once in a worker of its own, so that its facts say whether counters can be read. A GPU that cannot be
 * opened has the reason in counters_absent. */
enum bc_status bc_session_probe(const struct bc_session_options *o, struct bc_facts *gpus, size_t n,
				struct bc_error *err);

#endif
