/* SPDX-License-Identifier: MIT */
/* harness/measure/sms.h - all patterns of a rule on every SM at once: data, clock and counts beside one another.
 *
 * Each pattern is one cooperative launch with one block on every SM. Called by measure.c alone.
 */
#ifndef BC_MEASURE_SMS_H
#define BC_MEASURE_SMS_H

#include "harness/measure/witness.h"

/* A case of the rule, placed on the architecture. */
struct bc_sms_member {
	struct bc_case c;
	struct bc_pattern pattern;
};

/**
 * bc_sms_observe - one case that runs a rule's patterns on every SM (c->of_rule)
 * @o: id is set; filled are the outcome, and of a case that needs the clock its value (the time of the SM that is
 * farthest from the median of all SMs, over the median, of the pattern where it is farthest; its detail names SM and
 * case), of another the data, the counts over all SMs, and in sms_detail which case's counts are not those of one SM
 * times the SMs
 *
 * A launch whose blocks are not on as many SMs as the device has is BC_TOOL_ERROR. Return: as bc_measure_batch.
 */
enum bc_status bc_sms_observe(struct bc_measure *m, const struct bc_case *c, struct bc_observation *o,
			      struct bc_error *err);

/* sms_counts.c: counts of one SM and of all. @list: [n] */
enum bc_status bc_sms_count(struct bc_measure *m, const struct bc_sms_member *list, size_t n, uint32_t sms,
			    struct bc_observation *o, struct bc_error *err);

#endif
