/* SPDX-License-Identifier: MIT */
/* harness/map/proposal.h - what was found, as files for expected/: a person reads them, and takes their first line out.
 */
#ifndef BC_MAP_PROPOSAL_H
#define BC_MAP_PROPOSAL_H

#include "harness/core/expect.h"
#include "harness/map/report.h"

/* A folder's rows on their way: one text a suite. */
struct bc_proposal {
	const struct bc_catalog *cat;
	const char *expected_dir; /* what is there now; never written */
	const char *dir;	  /* where the proposal goes */
	char arch[BC_ARCH_NAME_MAX];
	struct bc_text *suite; /* [nsuites] rows, in the order of bc_suites */
	size_t nsuites;
	struct bc_text arch_text; /* arch.txt; empty: none is proposed */
	unsigned long rows;
};

enum bc_status bc_proposal_begin(struct bc_proposal *p, const struct bc_catalog *cat, const char *expected_dir,
				 const char *dir, const char *arch, struct bc_error *err);

/**
 * bc_proposal_row - a row for a case whose counts are other than its row in expected/
 * @now:                    what is expected now: its other quantities stay
 * @wavefronts, @conflicts: of one request; NaN: the case has none
 * @basis:                  one line
 */
enum bc_status bc_proposal_row(struct bc_proposal *p, const struct bc_case *c, const struct bc_bounds *now,
			       double wavefronts, double conflicts, const char *basis, struct bc_error *err);

/* Write <dir>/<arch>/arch.txt and the suites' files, each beginning with the line `proposed`. BC_EUSAGE when @dir is
 * expected/ itself; BC_EWRITE. */
enum bc_status bc_proposal_write(const struct bc_proposal *p, struct bc_error *err);
void bc_proposal_release(struct bc_proposal *p); /* a zeroed one is allowed */

/**
 * bc_map_propose - arch.txt and the rows that the laws found ask for
 *
 * Two devices of one architecture must have one law. Return: BC_EDATA naming a device without a sound law.
 */
enum bc_status bc_map_propose(const struct bc_map_report *r, size_t n, const struct bc_catalog *cat,
			      const char *expected_dir, const char *dir, struct bc_error *err);

#endif
