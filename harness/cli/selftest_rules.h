/* SPDX-License-Identifier: MIT */
/* harness/cli/selftest_rules.h - does each rule of the catalogue catch a planted fault?
 *
 * A rule counts as tested when a fault changes what its cases are judged by: a case with rows of counts must be caught
 * by its counts, a case that is judged by data alone by its data, a case about time by the reference clock. Faults that
 * spoil the results of any kernel do not count (bc_fault.any_kernel), nor do voided counters. Rules that only hardware
 * can judge are listed.
 */
#ifndef BC_CLI_SELFTEST_RULES_H
#define BC_CLI_SELFTEST_RULES_H

#include "harness/core/results.h"
#include "harness/device/reference/faults.h"

#define BC_RULES_MAX 1024    /* rules of the suites that are not hidden */
#define BC_RULE_RUNS_MAX 200 /* runs on one architecture: two without a fault, two for each fault */

/* What one run showed of a rule: of all its cases whose needs the architecture meets. */
enum bc_rule_mark {
	BC_RULE_COUNTED = 1 << 0,   /* one has rows of counts */
	BC_RULE_PLAIN = 1 << 1,	    /* one is judged by data alone */
	BC_RULE_TIMED = 1 << 2,	    /* one has rows of the clock, and none of counts */
	BC_RULE_JUDGED = 1 << 3,    /* one is not SKIP */
	BC_RULE_BY_COUNTS = 1 << 4, /* a counted one is DISAGREE, or FAIL by its counts, with the fault */
	BC_RULE_BY_DATA = 1 << 5,   /* a plain one is FAIL with the fault */
	BC_RULE_BY_CLOCK = 1 << 6,  /* a timed one is DISAGREE, or FAIL by its time, with the fault */
	BC_RULE_NO_FIGURE = 1 << 7, /* one is SKIP because nobody knows its figure on the architecture */
};

/* A rule that the reference device cannot judge. */
struct bc_hardware_rule {
	const char *name; /* suite/rule */
	const char *why;
};

/* All of them, ended by a row without a name. A test plants their faults in a device that has a clock. */
extern const struct bc_hardware_rule bc_hardware_rules[];

/* Rules of the suites that are not hidden. */
size_t bc_rules_count(void);

/* Return: index of the rule "suite/rule", -1: there is none. */
long bc_rules_find(const char *name);

/* Return: index of a case's rule, 0 .. bc_rules_count() - 1, in order of the suites; -1: of a hidden suite. */
long bc_rules_index(const struct bc_case *c);

/**
 * bc_rule_marks - what one result shows of its rule: bits of enum bc_rule_mark
 * @f: the planted fault, NULL: none
 * @by_clock: counters were not asked for: it shows something of rules about time alone
 *
 * Return: 0 when the architecture does not meet the case's needs. Pure.
 */
unsigned bc_rule_marks(const struct bc_result *r, const struct bc_arch *a, const struct bc_fault *f, bool by_clock);

/**
 * bc_rule_lacks - what is missing for a rule to be tested
 * @fault_free: marks of the runs without a fault
 * @any:   marks of all runs
 * @listed: it is one of bc_hardware_rules
 *
 * Return: words, "no planted fault moves its counts"; NULL: nothing is missing, or nothing of it can run there. Pure.
 */
const char *bc_rule_lacks(unsigned fault_free, unsigned any, bool listed);

/* The runs of one architecture. Zero-initialise. */
struct bc_rule_runs {
	size_t n;
	const struct bc_fault *fault[BC_RULE_RUNS_MAX]; /* NULL: the fault-free device */
	const uint8_t *marks[BC_RULE_RUNS_MAX];		/* each [bc_rules_count()] */
};

/**
 * bc_rules_print - how many rules catch a fault, and those that do not
 * @long_format: also each rule with the faults that it catches
 *
 * Return: how many rules are not as they should be, entries of bc_hardware_rules that name no rule among them.
 */
size_t bc_rules_print(const struct bc_rule_runs *runs, bool long_format);

#endif
