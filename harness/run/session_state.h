/* SPDX-License-Identifier: MIT */
/* harness/run/session_state.h - the inside of a session, for the files that make it up (session.c, results.c,
 * resume.c). */
#ifndef BC_RUN_SESSION_STATE_H
#define BC_RUN_SESSION_STATE_H

#include <signal.h>

#include "harness/run/attempts.h"
#include "harness/run/dispatch.h"
#include "harness/run/journal.h"
#include "harness/core/known.h"
#include "harness/run/session.h"

/* Where the cases of one device stand. */
struct bc_case_progress {
	bool *done;		      /* [nresults] it has its final result */
	bool *again;		      /* [nresults] it has a result, and runs again */
	struct bc_best_attempt *kept; /* [nresults]; NULL: no case runs more than once */
	bool told;		      /* the journal has the facts of the opened device */
};

struct bc_session {
	const struct bc_run_options *o;
	const struct bc_catalog *cat;
	struct bc_run run;
	struct bc_device_queue *work;	   /* one a device */
	struct bc_case_progress *standing; /* one a device */
	struct bc_expect *expect;	   /* one a device */
	struct bc_known_list known;
	uint64_t was_expect_hash; /* replay: of the journal */
	struct bc_journal *journal;
	struct bc_attempts_options attempts;
	bool require_counters;
	const struct bc_session_events *ev; /* while it runs */
	size_t ndone, total;
	double end;	     /* monotonic time of --deadline; 0: none */
	bool found;	     /* a finding, for --fail-fast */
	char why[100];	     /* it was stopped, "": it was not */
	enum bc_outcome how; /* that what was left gets then */
	volatile sig_atomic_t *caught;
	int signal;
};

/* A device's results: room for @n, and for where they stand. */
enum bc_status bc_session_reserve(struct bc_session *s, size_t device, size_t n, struct bc_error *err);

/* Plan a case on a device, in the room that there is. */
void bc_session_add(struct bc_session *s, size_t device, const struct bc_case *c);

/**
 * bc_session_accept - judge the observation that a result holds, and decide whether the case runs again
 * @ended: the observation only says that there is none: the run or the device ended
 */
enum bc_status bc_session_accept(struct bc_session *s, size_t device, size_t index, bool ended, struct bc_error *err);

/* Tell the sinks of a final result. */
void bc_session_report(struct bc_session *s, size_t device, size_t index);

/* Put the cases that run again back to work. Return: how many there are. */
size_t bc_session_next_round(struct bc_session *s);

/* dispatch.h's result() and stop(); the context is the session. */
enum bc_status bc_session_on_result(void *ctx, struct bc_device_run *d, size_t index, struct bc_error *err);
const char *bc_session_stop(void *ctx, enum bc_outcome *how);

#endif
