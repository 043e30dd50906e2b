/* SPDX-License-Identifier: MIT */
#include "harness/cli/selftest_rules.h"

#include <stdio.h>
#include <string.h>

#define RULE_WIDTH 32

const struct bc_hardware_rule bc_hardware_rules[] = {
	{ "declare/resident", "blocks that are on an SM at one time, and the reference device runs each alone" },
	{ "cluster/time_ld", "what another block's shared memory costs, and no published law gives it" },
	{ "sync/cost", "what a barrier costs, and no published law gives it" },
	{ NULL, NULL },
};

size_t bc_rules_count(void)
{
	size_t n = 0;

	for (size_t i = 0; bc_suites[i]; i++)
		n += bc_suites[i]->hidden ? 0 : bc_suites[i]->nrules;
	return n;
}

long bc_rules_index(const struct bc_case *c)
{
	size_t n = 0;

	for (size_t i = 0; bc_suites[i]; i++) {
		if (bc_suites[i]->hidden)
			continue;
		if (bc_suites[i] == c->suite)
			return (long)n + (c->rule - c->suite->rules);
		n += bc_suites[i]->nrules;
	}
	return -1;
}

long bc_rules_find(const char *name)
{
	size_t n = 0;

	for (size_t i = 0; bc_suites[i]; i++) {
		const size_t len = strlen(bc_suites[i]->name);

		if (bc_suites[i]->hidden)
			continue;
		for (size_t k = 0; k < bc_suites[i]->nrules; k++, n++)
			if (strncmp(name, bc_suites[i]->name, len) == 0 && name[len] == '/' &&
			    strcmp(name + len + 1, bc_suites[i]->rules[k].name) == 0)
				return (long)n;
	}
	return -1;
}

/* What a case is judged by. */
static unsigned judged_by(const struct bc_bounds *b)
{
	if (b->row[BC_Q_WAVEFRONTS] || b->row[BC_Q_CONFLICTS] || b->row[BC_Q_SECTORS] || b->row[BC_Q_REQUESTS])
		return BC_RULE_COUNTED;
	if (b->row[BC_Q_CLOCK_RATIO] || b->row[BC_Q_CLOCK_SLOPE])
		return BC_RULE_TIMED;
	return BC_RULE_PLAIN;
}

static bool failed_by(const struct bc_judgement *j, const char *outcome)
{
	return j->verdict == BC_FAIL && strncmp(j->outcome, outcome, strlen(outcome)) == 0;
}

unsigned bc_rule_marks(const struct bc_result *r, const struct bc_arch *a, const struct bc_fault *f, bool by_clock)
{
	const struct bc_judgement *j = &r->judged;
	const unsigned by = judged_by(&r->bounds);
	char unmet[200];
	unsigned marks = by;

	if (bc_case_unmet(r->c, a, unmet, sizeof(unmet)) || (by_clock && by != BC_RULE_TIMED))
		return 0;
	if (j->verdict != BC_SKIP)
		marks |= BC_RULE_JUDGED;
	else if (j->skip == BC_SKIPPED_NO_FIGURE)
		marks |= BC_RULE_NO_FIGURE;
	if (!f || f->any_kernel)
		return marks;
	if (by == BC_RULE_COUNTED && (j->verdict == BC_DISAGREE || failed_by(j, "ratio") || failed_by(j, "unstable")))
		marks |= BC_RULE_BY_COUNTS;
	if (by == BC_RULE_TIMED && (j->verdict == BC_DISAGREE || failed_by(j, "ratio")))
		marks |= BC_RULE_BY_CLOCK;
	if (by == BC_RULE_PLAIN && j->verdict == BC_FAIL)
		marks |= BC_RULE_BY_DATA;
	return marks;
}

const char *bc_rule_lacks(unsigned fault_free, unsigned any, bool listed)
{
	if (!fault_free)
		return NULL;
	if (listed)
		return (fault_free & ~(unsigned)BC_RULE_NO_FIGURE) == BC_RULE_TIMED
			       ? NULL
			       : "it is listed as a rule that hardware alone can judge, and is judged here";
	if ((fault_free & BC_RULE_TIMED) && !(fault_free & (BC_RULE_JUDGED | BC_RULE_NO_FIGURE)))
		return "it is about time, not judged, and not listed as a rule that hardware alone can judge";
	if ((fault_free & BC_RULE_TIMED) && (fault_free & BC_RULE_JUDGED) && !(any & BC_RULE_BY_CLOCK))
		return "no planted fault moves its time";
	if ((fault_free & BC_RULE_COUNTED) && !(any & BC_RULE_BY_COUNTS))
		return "no planted fault moves its counts";
	if ((fault_free & BC_RULE_PLAIN) && !(any & BC_RULE_BY_DATA))
		return "no planted fault spoils its data";
	return NULL;
}

/* "suite/rule" */
static void name_of(const struct bc_suite *s, const struct bc_rule *rule, char name[BC_ID_MAX])
{
	(void)snprintf(name, BC_ID_MAX, "%s/%s", s->name, rule->name);
}

static bool is_listed(const char *name)
{
	for (const struct bc_hardware_rule *h = bc_hardware_rules; h->name; h++)
		if (strcmp(h->name, name) == 0)
			return true;
	return false;
}

/* Of all runs, or of those without a fault. */
static unsigned marks_of(const struct bc_rule_runs *runs, size_t rule, bool fault_free)
{
	unsigned any = 0;

	for (size_t i = 0; i < runs->n; i++)
		if (!fault_free || !runs->fault[i])
			any |= runs->marks[i][rule];
	return any;
}

/* A rule with the faults that it catches by what its cases are judged by. */
static void print_rule(const struct bc_rule_runs *runs, size_t rule, const char *name)
{
	const unsigned caught = BC_RULE_BY_COUNTS | BC_RULE_BY_DATA | BC_RULE_BY_CLOCK;

	(void)printf("  %-*s", RULE_WIDTH, name);
	for (size_t i = 0; i < runs->n; i++)
		if (runs->fault[i] && (runs->marks[i][rule] & caught))
			(void)printf(" %s", runs->fault[i]->name);
	(void)putchar('\n');
}

/* Entries of the list that name no rule. Return: how many. */
static size_t print_strays(void)
{
	size_t strays = 0;

	for (const struct bc_hardware_rule *h = bc_hardware_rules; h->name; h++) {
		bool found = false;

		for (size_t i = 0; bc_suites[i]; i++) {
			for (size_t k = 0; k < bc_suites[i]->nrules; k++) {
				char name[BC_ID_MAX];

				name_of(bc_suites[i], &bc_suites[i]->rules[k], name);
				found = found || strcmp(name, h->name) == 0;
			}
		}
		if (found)
			continue;
		(void)printf("%sno rule: %s is listed as a rule that hardware alone can judge (%s)\n",
			     strays++ ? "" : "\n", h->name, __FILE__);
	}
	return strays;
}

size_t bc_rules_print(const struct bc_rule_runs *runs, bool long_format)
{
	const size_t strays = print_strays();
	size_t rule = 0, runnable = 0, hardware = 0, no_figure = 0, problems = 0;

	if (long_format)
		(void)puts("\nRules, and the faults that each catches in what its cases are judged by:");
	for (size_t i = 0; bc_suites[i]; i++) {
		const struct bc_suite *s = bc_suites[i];

		for (size_t k = 0; !s->hidden && k < s->nrules; k++, rule++) {
			const unsigned fault_free = marks_of(runs, rule, true);
			char name[BC_ID_MAX];
			const char *lacks;

			name_of(s, &s->rules[k], name);
			lacks = bc_rule_lacks(fault_free, marks_of(runs, rule, false), is_listed(name));
			runnable += fault_free != 0;
			hardware += fault_free && !lacks && is_listed(name);
			no_figure += !lacks && !is_listed(name) && (fault_free & BC_RULE_TIMED) &&
				     !(fault_free & BC_RULE_JUDGED);
			problems += lacks != NULL;
			if (long_format && fault_free)
				print_rule(runs, rule, name);
			if (lacks)
				(void)printf("%suntested rule: %s (%s): %s\n",
					     problems == 1 && !long_format ? "\n" : "", name, s->rules[k].sentence,
					     lacks);
		}
	}
	(void)printf("\nRules: %zu of the %zu that can run here catch a planted fault in what they are judged by",
		     runnable - hardware - no_figure - problems, runnable);
	if (hardware)
		(void)printf(",\n%zu need hardware", hardware);
	if (no_figure)
		(void)printf(",\n%zu are about time and have no figure for the architecture", no_figure);
	(void)puts(problems ? "; the rules named above are not tested." : ".");
	return problems + strays;
}
