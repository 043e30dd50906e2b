/* SPDX-License-Identifier: MIT */
#include "harness/history/measure.h"

#include <math.h>
#include "harness/base/stats.h"
#include "harness/report/values.h"

/* The largest count per request of all attempts. */
static void read_counters(const struct bc_read_case *c, double value[BC_NVALUES])
{
	static const struct {
		enum bc_history_value to;
		enum bc_quantity from;
	} counts[] = { { BC_VALUE_WAVEFRONTS, BC_Q_WAVEFRONTS }, { BC_VALUE_CONFLICTS, BC_Q_CONFLICTS } };
	const char *s = bc_key_get(&c->keys, "counters");
	struct bc_value_counts of;
	uint64_t stated = 0;
	bool more = s && !bc_key_get(&c->keys, "counters_void"); /* void: what they read is not to be trusted */

	(void)bc_values_stated(&c->keys, &stated);
	while (more && bc_values_attempt(&s, &of, &more) && more) {
		const uint64_t requests = of.total[BC_Q_REQUESTS] ? of.total[BC_Q_REQUESTS] : stated;

		for (size_t i = 0; i < BC_ARRAY_LEN(counts); i++)
			if (of.has[counts[i].from])
				value[counts[i].to] =
					fmax(value[counts[i].to],
					     (double)of.total[counts[i].from] / (double)(requests ? requests : 1));
	}
}

void bc_history_measure(const struct bc_read_case *c, double value[BC_NVALUES])
{
	struct bc_samples samples;
	double clock;
	bool has;

	for (size_t i = 0; i < BC_NVALUES; i++)
		value[i] = (double)NAN;
	read_counters(c, value);
	if (bc_values_clock(&c->keys, &has, &clock) && has)
		value[BC_VALUE_CLOCK] = clock;
	if (bc_values_samples(&c->keys, &samples) && samples.n)
		value[BC_VALUE_CYCLES] = bc_median(samples.v, samples.n);
}
