/* SPDX-License-Identifier: MIT */
/* harness/run/session_state.h - the inside of a session, for the files that make it up (session_run.c,
 * session_state.c, identity.c, resume.c, replay.c). */
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
	bool *finished;		      /* [nresults] it has its final result */
	bool *runs_again;	      /* [nresults] it has a result, and runs again */
	struct bc_best_attempt *best; /* [nresults]; NULL: no case runs more than once */
	bool device_journalled;	      /* the journal has the facts of the opened device */
};

struct bc_session {
	const struct bc_run_options *options;
	const struct bc_catalog *cat;
	struct bc_run run;
	struct bc_device_queue *queue;	   /* one per device */
	struct bc_case_progress *progress; /* one per device */
	struct bc_expect *expect;	   /* one per device */
	struct bc_known_list known;
	uint64_t journal_expect_hash; /* replay: of the journal's run */
	struct bc_journal *journal;
	struct bc_attempts_options attempts;
	bool require_counters;
	unsigned witness;			/* enum bc_witness */
	const struct bc_session_events *events; /* while it runs */
	size_t nfinished, total;
	double deadline;	      /* monotonic time at which the run ends; 0: none */
	bool has_finding;	      /* for --fail-fast */
	char stop_reason[100];	      /* why it was stopped, "": it was not */
	enum bc_outcome stop_outcome; /* what the cases that remained get then */
	volatile sig_atomic_t *signal_caught;
	int signal;
	enum bc_session_plan plan;
};

/* Make room for @n results of a device, and for their progress. BC_ENOMEM. */
enum bc_status bc_session_reserve(struct bc_session *s, size_t device, size_t n, struct bc_error *err);

/* Add a case to a device's plan, in the room that was made. */
void bc_session_plan_case(struct bc_session *s, size_t device, const struct bc_case *c);

/**
 * bc_session_judge - judge the observation that a result holds, and decide whether the case runs again
 * @ended: the observation only says that there is none: the run or the device ended
 */
enum bc_status bc_session_judge(struct bc_session *s, size_t device, size_t index, bool ended, struct bc_error *err);

/**
 * bc_session_cut_short - a case that was to be repeated and was not, as often as it should have been
 * @how, @why: what became of the repeats that are missing
 *
 * It gets that outcome, "2 of 100 repeats, the worst PASS: ...", unless a repeat was a finding: that one stands.
 * Without repeats, and when all are there, nothing changes.
 */
void bc_session_cut_short(struct bc_session *s, size_t device, size_t index, enum bc_outcome how, const char *why);

/* Tell the listener (bc_session_events) of a final result. */
void bc_session_notify(struct bc_session *s, size_t device, size_t index);

/* Put the cases that run again into the queues. Return: how many there are. */
size_t bc_session_next_round(struct bc_session *s);

/* Say of a device whether its results are the whole catalogue's, and if not, why. @ended: what ended the run before
 * its time, in a word; NULL: nothing. */
void bc_session_complete(struct bc_session *s, size_t device, const char *ended);

/* Index of the device called @dev. Return: false when there is none. */
bool bc_session_find_device(const struct bc_session *s, const char *dev, size_t *device);

/**
 * bc_session_take_journalled - an `obs` line of a journal, taken as if it came from a worker
 *
 * Return: BC_EDATA for one that is malformed, or of a case that is not in the plan.
 */
enum bc_status bc_session_take_journalled(struct bc_session *s, const struct bc_fields *line, struct bc_error *err);

/* dispatch.h's result() and stop(); the context is the session. */
enum bc_status bc_session_on_result(void *ctx, struct bc_device_run *d, size_t index, struct bc_error *err);
const char *bc_session_stop_reason(void *ctx, enum bc_outcome *how);

/* dispatch.h's death(): kept for the reports, and journalled. */
enum bc_status bc_session_on_death(void *ctx, struct bc_device_run *d, const struct bc_death *death,
				   struct bc_error *err);

/* A `death` line of a journal. BC_EDATA for one of a device that is not in the run. */
enum bc_status bc_session_take_death(struct bc_session *s, const struct bc_fields *line, struct bc_error *err);

#endif
