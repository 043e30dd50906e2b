/* SPDX-License-Identifier: MIT */
/* harness/measure/counter_set.h - which counters are read together, and the operation whose canary proves them. */
#ifndef BC_MEASURE_COUNTER_SET_H
#define BC_MEASURE_COUNTER_SET_H

#include "harness/core/observe.h"
#include "harness/device/device.h"

struct bc_counter_set {
	enum bc_class cls;
	enum bc_op canary; /* BC_OP_NONE: global memory, whose canary is a program */
	enum bc_counter requests, wavefronts, conflicts, sectors; /* BC_NCOUNTERS: the class has none */
};

#define BC_COUNTER_SETS 12

const struct bc_counter_set *bc_counter_set(size_t i); /* in the order they are counted; NULL after the last */

/* The set of a pattern's operation: its class's plain one unless it has a request counter of its own. @op: BC_OP_NONE
 * for a program. NULL: no set counts the class. */
const struct bc_counter_set *bc_counter_set_of(enum bc_op op, enum bc_class cls);

/* What the set reads of @c; 0 for what its class has no counter for. */
struct bc_count bc_counter_set_count(const struct bc_counter_set *set, const struct bc_counts *c);

/* Bits of enum bc_counter: those of the set, and those that are asked of the device: of all sets that one pass reads
 * together with it. */
uint32_t bc_counter_set_needs(const struct bc_counter_set *set);
uint32_t bc_counter_set_asks(const struct bc_counter_set *set);

/* Classes whose counters one pass reads have the same turn, below BC_COUNTER_TURNS: from one turn to another the
 * profiler is set up anew, which takes 0.25 s. BC_CLASS_NONE goes with loads and stores. */
#define BC_COUNTER_TURNS 5u
unsigned bc_counter_turn(enum bc_class cls);

#endif
