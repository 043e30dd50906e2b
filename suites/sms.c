/* SPDX-License-Identifier: MIT */
/* suites/sms.c - is every SM like the others? One case a rule of patterns: all of its patterns on all SMs. */
#include "suites/patterns.h"
#include "suites/programs.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define CLOCK "_clock"

/* The suite that a rule is about: its name, without CLOCK at the end. */
static const struct bc_suite *suite_of(const struct bc_rule *rule)
{
	for (size_t i = 0; bc_suites[i]; i++) {
		const size_t len = strlen(bc_suites[i]->name);

		if (strncmp(bc_suites[i]->name, rule->name, len) == 0 &&
		    (rule->name[len] == '\0' || strcmp(rule->name + len, CLOCK) == 0))
			return bc_suites[i];
	}
	return NULL;
}

static bool is_clock(const struct bc_rule *rule)
{
	const size_t len = strlen(rule->name), end = strlen(CLOCK);

	return len > end && strcmp(rule->name + len - end, CLOCK) == 0;
}

/* Has a rule a pattern that can be timed? */
static bool is_timed(const struct bc_suite *suite, const struct bc_rule *rule)
{
	for (unsigned i = 0;; i++) {
		struct bc_case c = { .suite = suite, .rule = rule };

		if (!rule->build(i, &c))
			return false;
		if (bc_case_has_clock(&c))
			return true;
	}
}

/* What all cases of a rule need of the architecture. */
static unsigned needs_of(const struct bc_suite *suite, const struct bc_rule *rule)
{
	unsigned needs = BC_NEED_LDMATRIX | BC_NEED_STMATRIX | BC_NEED_CP_ASYNC;

	for (unsigned i = 0;; i++) {
		struct bc_case c = { .suite = suite, .rule = rule };

		if (!rule->build(i, &c))
			return needs;
		needs &= c.needs;
	}
}

/* Its variants are the suite's rules of patterns; of the clock's rules, those that can be timed. */
static bool build(unsigned i, struct bc_case *c)
{
	const struct bc_suite *s = suite_of(c->rule);
	const bool clock = is_clock(c->rule);

	for (size_t k = 0; s && k < s->nrules; k++) {
		if (s->rules[k].program || (clock && !is_timed(s, &s->rules[k])) || i--)
			continue;
		c->of_suite = s;
		c->of_rule = &s->rules[k];
		c->needs = needs_of(s, c->of_rule) | (clock ? BC_NEED_CLOCK : 0);
		bc_variant_add(c, c->of_rule->name);
		return true;
	}
	return false;
}

/* harness/measure/sms.c launches the patterns' kernels and compares what the SMs wrote by this one. */
static bool program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_compare_params p = { .words = 0 };

	(void)c;
	(void)a;
	bc_program_start(out, "sms", "bc_sms_compare", BC_LANES, &p, sizeof(p));
	return true;
}

static bool check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		  struct bc_mismatch *bad)
{
	(void)a;
	(void)data;
	(void)seed;
	return bc_mismatch(bad, c->id, 0, 0, 0); /* nothing to see without the other SMs */
}

#define RULE(rule, words)                                                                                      \
	{                                                                                                      \
		.name = rule, .source = "the data of one SM, and the oracle where lanes race", .build = build, \
		.program = program, .check = check, .sentence = words                                          \
	}
#define OF(suite) RULE(suite, "every SM gives the same data and counts alike for the patterns of " suite)
#define CLOCK_OF(suite) RULE(suite CLOCK, "every SM takes the same time for the patterns of " suite)

static const struct bc_rule rules[] = {
	OF("async"),	     OF("atomic"),	  OF("broadcast"),  CLOCK_OF("broadcast"), OF("generic"),
	OF("layouts"),	     CLOCK_OF("layouts"), OF("mapping"),    CLOCK_OF("mapping"),   OF("matrix"),
	OF("padding"),	     CLOCK_OF("padding"), OF("stride"),	    CLOCK_OF("stride"),	   OF("swizzle"),
	CLOCK_OF("swizzle"), OF("ways"),	  CLOCK_OF("ways"), OF("width"),	   CLOCK_OF("width"),
};

const struct bc_suite bc_suite_sms = {
	.name = "sms",
	.about = "the patterns of each rule on every SM, beside one another: data, counts and time (--sms all)",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
	.hidden = true,
	.every_sm = true,
};
