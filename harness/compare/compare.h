/* SPDX-License-Identifier: MIT */
/* harness/compare/compare.h - two runs side by side: what differs between them, and what changed in each case.
 *
 * Pure: reports that were read (report/reader.h) go in, a record of the comparison comes out; print.h shows it. The
 * comparison looks both ways: swapped runs give the same record with old and new, worse and better swapped (but for
 * what is not symmetric by its meaning: a case that is new is no worse, one that vanished is).
 */
#ifndef BC_COMPARE_COMPARE_H
#define BC_COMPARE_COMPARE_H

#include "harness/compare/speed.h"
#include "harness/report/reader.h"

/* Something that a run says of itself, and that is not the same in both. */
struct bc_difference {
	const char *name;  /* of the property: "driver" */
	const char *label; /* in words: "driver" */
	const char *old, *now;
	bool blame; /* a change may come from it */
};

enum bc_count_of { BC_COUNT_WAVEFRONTS = 0, BC_COUNT_CONFLICTS, BC_COUNT_SECTORS, BC_COUNT_CLOCK, BC_NCOUNTS };

/* A count per request (BC_COUNT_CLOCK: the clock's wavefronts, ratio or slope) that is not what it was. */
struct bc_count_change {
	bool changed; /* and that says something: within bounds that leave room it does not */
	bool within;  /* it moved, but within bounds that leave room: noise */
	bool has_old, has_now;
	double old, now; /* of the attempt that is farthest from the bounds */
	bool bounded;	 /* what is expected now: */
	double lo, hi;
	int farther; /* 1: farther out of the bounds than before, -1: nearer, 0: neither */
};

/* A case that is in either run. */
struct bc_compared {
	const char *id;
	const struct bc_read_case *old, *now; /* NULL: ABSENT there */
	bool verdict;			      /* the verdict changed, or it is absent on one side */
	bool reason;			      /* a SKIP whose reason is not what it was */
	bool outcome;			      /* the same verdict with another outcome */
	bool data_worse, data_better;	      /* the data were right and are wrong; or the other way */
	struct bc_count_change count[BC_NCOUNTS];
	const struct bc_speed_test *speed; /* NULL: the clocks were not compared */
	bool worse, better;
};

enum bc_comparability {
	BC_COMPARABLE = 0,
	BC_NO_PARTNER,	  /* no device of the architecture on the other side, and nothing else to compare */
	BC_THROTTLED_OLD, /* counts and verdicts are compared, clocks are not */
	BC_THROTTLED_NOW,
	BC_THROTTLED_BOTH,
};

/* A device, old and new. */
struct bc_pair_diff {
	const struct bc_read_device *old, *now; /* one may be NULL: the device is in one run only */
	const char *old_path, *now_path;	/* NULL with it */
	bool matched_by_uuid, matched_by_arch;	/* else by its name */
	enum bc_comparability obstacle;
	struct bc_difference *difference;
	size_t ndifferences;
	struct bc_compared *cases; /* of both sides, sorted by id */
	size_t ncases;
};

struct bc_diff_sums {
	size_t cases, same, changed, worse, better, other; /* changed = worse + better + other */
	size_t absent, added, verdicts, counts, within;
	size_t speed[BC_NSPEEDS]; /* [0]: clocks that were not compared */
};

struct bc_diff {
	struct bc_pair_diff *pairs;
	size_t npairs;
	struct bc_speed_test *tests;
	size_t ntests;
	struct bc_speed_plan plan;
	bool none_comparable; /* no device of one run has a partner in the other */
	size_t obstacles;     /* pairs that cannot be compared whole */
	struct bc_diff_sums sums;
};

/* One side of the comparison; the files outlive the result. */
struct bc_side {
	const char *word; /* as the command line names it */
	const struct bc_read_file *files;
	size_t nfiles;
};

/**
 * bc_compare - compare two runs
 * @tolerance: 0.01: clock changes up to 1 % are none
 * @out: zeroed; filled on success
 *
 * Devices of one architecture are partners when they have the same UUID; else the same name on one host; else the same
 * name; else when one of the architecture is left on either side.
 *
 * Return: BC_EDATA with path:line when a device is twice on one side or a measured value is malformed, BC_ENOMEM.
 */
enum bc_status bc_compare(const struct bc_side *old, const struct bc_side *now, double tolerance, struct bc_diff *out,
			  struct bc_error *err);
void bc_diff_release(struct bc_diff *d);

/* 1 something is worse (@strict: or UNDECIDED), 2 something cannot be compared, else 0. */
int bc_diff_status(const struct bc_diff *d, bool strict);

/* Whether a case is to be shown. Moves within bounds and clocks that are SAME are not. */
bool bc_compared_changed(const struct bc_compared *c);

/* "PASS"; "ABSENT" of NULL. */
const char *bc_compared_verdict(const struct bc_read_case *c);

const char *bc_count_name(enum bc_count_of k); /* "wavefronts" */

#endif
