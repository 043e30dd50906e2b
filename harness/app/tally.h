/* SPDX-License-Identifier: MIT */
/* harness/app/tally.h - the launches of a process by kernel, and what was counted in them. Pure. */
#ifndef BC_APP_TALLY_H
#define BC_APP_TALLY_H

#include "harness/app/record.h"

#define BC_APP_GROUPS 12 /* sets of counters that take turns */

struct bc_app_tally;

/* @sample: launches of a kernel whose counts are kept, of each set of counters; 0: all.
 * Return: NULL: out of memory. */
struct bc_app_tally *bc_app_tally_open(struct bc_app_record *r, unsigned sample);
void bc_app_tally_close(struct bc_app_tally *t);

/**
 * bc_app_tally_launch - a launch begins
 * @name: as the driver has it; copied when it is new
 * @index: of its kernel in the record
 *
 * Return: BC_ENOMEM, and then it is not counted.
 */
enum bc_status bc_app_tally_launch(struct bc_app_tally *t, const struct bc_app_kernel *like, const char *name,
				   size_t *index, struct bc_error *err);

/* Is the launch that just began one of the sample? To be asked once a launch. @group: below BC_APP_GROUPS */
bool bc_app_tally_sampled(struct bc_app_tally *t, size_t index, unsigned group);

/* What a launch of kernel @index counted. */
enum bc_status bc_app_tally_add(struct bc_app_tally *t, size_t index, unsigned group, const struct bc_counts *c,
				struct bc_error *err);

/* Bring the sums of the record up to date. */
void bc_app_tally_sum(struct bc_app_tally *t);

#endif
