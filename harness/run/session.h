/* SPDX-License-Identifier: MIT */
/* harness/run/session.h - one `bankcheck run`: devices, plan, workers, results.
 *
 * The parent never touches a device. One worker process per device; the cases are handed out in batches, a batch whose
 * worker dies or hangs is halved until the guilty case is alone. Every planned case gets exactly one result.
 *
 * The functions are in session_run.c (open, run), replay.c and session_state.c (result, signal, close).
 */
#ifndef BC_RUN_SESSION_H
#define BC_RUN_SESSION_H

#include "harness/core/results.h"
#include "harness/run/run_options.h"

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
 * A new journal replaces that of the run before, whose reports are removed (last_run.h): not with options.resume, not
 * when the plan is BC_PLAN_EMPTY or BC_PLAN_NO_FINDINGS, and not when this fails.
 * Return: BC_EUSAGE for a device or glob that is not there, no GPU, or counters that no device can have; BC_EDEVICE for
 * another number of GPUs than options.gpus; BC_EDATA or BC_EREAD for a bad expected/.
 */
enum bc_status bc_session_open(const struct bc_run_options *o, const struct bc_catalog *cat, struct bc_session **out,
			       struct bc_error *err);

/* Has the plan any case? */
enum bc_session_plan {
	BC_PLAN_CASES,	     /* yes, or the shard it is has none */
	BC_PLAN_EMPTY,	     /* no: the selection is empty */
	BC_PLAN_NO_FINDINGS, /* no: run_options.only names none */
};
enum bc_session_plan bc_session_plan(const struct bc_session *s);

/**
 * bc_session_run - run the plan to its end
 *
 * SIGINT and SIGTERM end it early: workers are stopped, what has no observation is LOST "interrupted".
 * Return: BC_OK also when cases are LOST; a failure only when the journal cannot be written or memory is out.
 */
enum bc_status bc_session_run(struct bc_session *s, const struct bc_session_events *ev, struct bc_error *err);

/**
 * bc_session_replay - the session that a journal describes, as far as it came; nothing is run
 * @o: expected_dir and reports_dir; outlives the session
 *
 * Cases without a result in the journal are LOST. Return: BC_EREAD, BC_EDATA: no journal, or not of these expectations.
 */
enum bc_status bc_session_replay(const struct bc_run_options *o, const struct bc_catalog *cat, const char *journal,
				 struct bc_session **out, struct bc_error *err);

/* The run with its results; valid until close. */
const struct bc_run *bc_session_result(const struct bc_session *s);

/* The signal that ended it, 0: none. */
int bc_session_signal(const struct bc_session *s);

void bc_session_close(struct bc_session *s); /* NULL is allowed; stops workers that are left */

#endif
