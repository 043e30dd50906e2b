/* SPDX-License-Identifier: MIT */
/* harness/compare/counts.h - how a count of a case moved from one run to another. Pure. */
#ifndef BC_COMPARE_COUNTS_H
#define BC_COMPARE_COUNTS_H

#include "harness/compare/types.h"

/* Compare one count of a case that is in both runs. The bounds are those of @now, or else of @old. */
struct bc_count_change bc_compare_count(enum bc_count_of k, const struct bc_read_case *old,
					const struct bc_read_case *now);

#endif
