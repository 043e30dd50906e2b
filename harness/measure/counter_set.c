/* SPDX-License-Identifier: MIT */
#include "harness/measure/counter_set.h"

#define NO_COUNTER BC_NCOUNTERS

static const struct bc_counter_set counter_sets[] = {
	{ BC_CLASS_LD, BC_OP_LD32, BC_CTR_LD_REQUESTS, BC_CTR_LD_WAVEFRONTS, BC_CTR_LD_CONFLICTS, NO_COUNTER },
	{ BC_CLASS_LD, BC_OP_LDSM4, BC_CTR_LDSM_REQUESTS, BC_CTR_LD_WAVEFRONTS, BC_CTR_LD_CONFLICTS, NO_COUNTER },
	{ BC_CLASS_LD, BC_OP_GLD32, NO_COUNTER, BC_CTR_LD_WAVEFRONTS, BC_CTR_LD_CONFLICTS, NO_COUNTER },
	{ BC_CLASS_ST, BC_OP_ST32, BC_CTR_ST_REQUESTS, BC_CTR_ST_WAVEFRONTS, BC_CTR_ST_CONFLICTS, NO_COUNTER },
	{ BC_CLASS_ST, BC_OP_STSM4, BC_CTR_STSM_REQUESTS, BC_CTR_ST_WAVEFRONTS, BC_CTR_ST_CONFLICTS, NO_COUNTER },
	{ BC_CLASS_ST, BC_OP_GST32, NO_COUNTER, BC_CTR_ST_WAVEFRONTS, BC_CTR_ST_CONFLICTS, NO_COUNTER },
	{ BC_CLASS_ATOM, BC_OP_ATOM32, BC_CTR_ATOM_REQUESTS, BC_CTR_ATOM_WAVEFRONTS, BC_CTR_ATOM_CONFLICTS,
	  NO_COUNTER },
	{ BC_CLASS_LDGSTS, BC_OP_CPA4, BC_CTR_LDGSTS_REQUESTS, NO_COUNTER, BC_CTR_LDGSTS_CONFLICTS, NO_COUNTER },
	{ BC_CLASS_GLOBAL_LD, BC_OP_NONE, BC_CTR_GLOBAL_LD_REQUESTS, NO_COUNTER, NO_COUNTER, BC_CTR_GLOBAL_LD_SECTORS },
	{ BC_CLASS_GLOBAL_ST, BC_OP_NONE, BC_CTR_GLOBAL_ST_REQUESTS, NO_COUNTER, NO_COUNTER, BC_CTR_GLOBAL_ST_SECTORS },
	{ BC_CLASS_TMA_LD, BC_OP_NONE, NO_COUNTER, NO_COUNTER, NO_COUNTER, BC_CTR_TMA_LD_SECTORS },
	{ BC_CLASS_TMA_ST, BC_OP_NONE, NO_COUNTER, NO_COUNTER, NO_COUNTER, BC_CTR_TMA_ST_SECTORS },
};

_Static_assert(BC_ARRAY_LEN(counter_sets) == BC_COUNTER_SETS, "as many as the header says");

const struct bc_counter_set *bc_counter_set(size_t i)
{
	return i < BC_ARRAY_LEN(counter_sets) ? &counter_sets[i] : NULL;
}

const struct bc_counter_set *bc_counter_set_of(enum bc_op op, enum bc_class cls)
{
	const struct bc_op_info *info = bc_op_info(op);
	enum bc_op like = BC_OP_NONE;

	if (info->matrices)
		like = info->store ? BC_OP_STSM4 : BC_OP_LDSM4;
	else if (op != BC_OP_NONE && !info->counter_requests)
		like = info->store ? BC_OP_GST32 : BC_OP_GLD32;
	for (size_t i = 0; i < BC_ARRAY_LEN(counter_sets); i++)
		if (counter_sets[i].cls == cls && (like == BC_OP_NONE || counter_sets[i].canary == like))
			return &counter_sets[i];
	return NULL;
}

static uint64_t value_of(const struct bc_counts *c, enum bc_counter k)
{
	return k == NO_COUNTER ? 0 : c->v[k];
}

struct bc_count bc_counter_set_count(const struct bc_counter_set *set, const struct bc_counts *c)
{
	return (struct bc_count){ .requests = value_of(c, set->requests),
				  .wavefronts = value_of(c, set->wavefronts),
				  .conflicts = value_of(c, set->conflicts),
				  .sectors = value_of(c, set->sectors) };
}

static uint32_t bit(enum bc_counter c)
{
	return c == NO_COUNTER ? 0 : UINT32_C(1) << c;
}

uint32_t bc_counter_set_needs(const struct bc_counter_set *s)
{
	return bit(s->requests) | bit(s->wavefronts) | bit(s->conflicts) | bit(s->sectors);
}

/* Classes whose counters one pass reads together, so that the profiler is not set up anew from one to the other: loads
 * and stores. Atomics with either, or with copies, take two passes; so do copies by the TMA with accesses of global
 * memory. Source: CUPTI's host API, 26 chips, TU102 to GB20B.
 */
static bool read_together(enum bc_class a, enum bc_class b)
{
	static const enum bc_class pairs[][2] = { { BC_CLASS_LD, BC_CLASS_ST },
						  { BC_CLASS_GLOBAL_LD, BC_CLASS_GLOBAL_ST },
						  { BC_CLASS_TMA_LD, BC_CLASS_TMA_ST } };

	for (size_t i = 0; i < BC_ARRAY_LEN(pairs); i++)
		if ((a == pairs[i][0] && b == pairs[i][1]) || (a == pairs[i][1] && b == pairs[i][0]))
			return true;
	return a == b;
}

uint32_t bc_counter_set_asks(const struct bc_counter_set *set)
{
	uint32_t want = 0;

	for (size_t i = 0; i < BC_ARRAY_LEN(counter_sets); i++)
		if (read_together(counter_sets[i].cls, set->cls))
			want |= bc_counter_set_needs(&counter_sets[i]);
	return want;
}

unsigned bc_counter_turn(enum bc_class cls)
{
	switch (cls) {
	case BC_CLASS_ATOM: return 1;
	case BC_CLASS_LDGSTS: return 2;
	case BC_CLASS_GLOBAL_LD:
	case BC_CLASS_GLOBAL_ST: return 3;
	case BC_CLASS_TMA_LD:
	case BC_CLASS_TMA_ST: return 4;
	default: return 0;
	}
}
