/* SPDX-License-Identifier: MIT */
/* harness/compare/types.h - the record of a comparison: what compare.h makes and print.h shows. */
#ifndef BC_COMPARE_TYPES_H
#define BC_COMPARE_TYPES_H

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
	bool verdict_only; /* a report has the verdict alone (compact): data, counts and clock were not compared */
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
	size_t ncases, nverdict_only;
};

struct bc_diff_sums {
	size_t cases, same, changed, worse, better, other; /* changed = worse + better + other */
	size_t absent, added, verdicts, counts, within;
	size_t verdict_only;	  /* cases whose data, counts and clocks could not be compared */
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

#endif
