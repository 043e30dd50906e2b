/* SPDX-License-Identifier: MIT */
/* harness/cli/soak.h - run --soak: the plan again and again, each time in another order, until the time is over. */
#ifndef BC_CLI_SOAK_H
#define BC_CLI_SOAK_H

#include "harness/cli/options.h"
#include "harness/run/session.h"

#define BC_SOAK_FILE "soak.json"

/* What all rounds came to. */
struct bc_soak {
	double seconds;
	uint64_t rounds, cases, findings; /* of cases, counted once a round */
	uint64_t bytes;			  /* that were compared */
	uint64_t kept;			  /* the round whose session was kept, from 1 */
	int signal;			  /* that ended it, 0: none */
};

/**
 * bc_soak_run - sessions one after another, shuffled, for @seconds; the round that is under way then is finished
 * @o:    options of each; the seed of the first round is o->shuffle's, or 1, and grows by one a round
 * @ev:   told of all rounds; begin: of the first alone
 * @kept: the first session that had a finding, else the last one; the caller closes it, also on failure
 *
 * A line a minute goes to standard output. With o->fail_fast the first finding ends it. A signal ends it too. Return:
 * as bc_session_open and bc_session_run.
 */
enum bc_status bc_soak_run(unsigned seconds, const struct bc_run_options *o, const struct bc_catalog *cat,
			   const struct bc_session_events *ev, struct bc_session **kept, struct bc_soak *out,
			   struct bc_error *err);

/* "60 s: 14 rounds, 47782 cases, 3.21 GB compared, no finding". */
void bc_soak_text(const struct bc_soak *s, char *text, size_t size);

/* BC_SOAK_FILE in the folder of the reports. */
enum bc_status bc_soak_write(const struct bc_soak *s, const char *dir, struct bc_error *err);

#endif
