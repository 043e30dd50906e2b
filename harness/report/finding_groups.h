/* SPDX-License-Identifier: MIT */
/* harness/report/finding_groups.h - findings by cause, counted as they come: those of one device and rule with one
 * verdict and one cause (cause.h) are a group. What makes a case BROKEN is not its rule's: there the rules are one. */
#ifndef BC_REPORT_FINDING_GROUPS_H
#define BC_REPORT_FINDING_GROUPS_H

#include "harness/core/results.h"
#include "harness/report/cause.h"

struct bc_finding_group {
	enum bc_verdict verdict;
	char dev[sizeof(((struct bc_device_run *)0)->dev)];
	char rule[BC_ID_MAX]; /* "stride/ld_b32"; "": any */
	char cause[BC_CAUSE_MAX];
	size_t n;
};

/* A zeroed one is empty. */
struct bc_finding_groups {
	struct bc_finding_group *group; /* in the order of their first findings */
	size_t n, room;
};

/* Count a result. Return: how many of its group there are now; 0 when memory lacks, it is then in none. */
size_t bc_finding_groups_add(struct bc_finding_groups *g, const struct bc_device_run *d, const struct bc_result *r);
void bc_finding_groups_release(struct bc_finding_groups *g); /* it is empty then */

#endif
