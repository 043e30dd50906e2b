/* SPDX-License-Identifier: MIT */
/* harness/cli/cmd_selftest.c - planted faults x suites and rules, and which the clock alone finds: the table. */
#include "harness/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/base/clock.h"
#include "harness/cli/selftest_runs.h"

#define TABLE_WIDTH 100u
#define NAME_WIDTH 22
#define KIND_WIDTH 8
#define CLOCK_WIDTH 9

static size_t count_suites(void)
{
	size_t n = 0;

	while (bc_suites[n])
		n++;
	return n;
}

static size_t count_faults(void)
{
	size_t n = 0;

	while (bc_faults[n].name)
		n++;
	return n;
}

static bool suite_exists(const char *name)
{
	for (size_t i = 0; bc_suites[i]; i++)
		if (strcmp(bc_suites[i]->name, name) == 0)
			return true;
	return false;
}

/* Must the suite catch the fault by its counts? */
static bool must_catch(const struct bc_fault *f, const char *suite)
{
	for (size_t i = 0; f && f->kind != BC_FAULT_TIME && i < BC_FAULT_SUITES && f->suites[i]; i++)
		if (strcmp(f->suites[i], suite) == 0)
			return true;
	return false;
}

/* A suite of which the architecture can run nothing misses nothing. */
static bool is_missed(const struct bc_selftest_job *j, size_t suite)
{
	const struct bc_selftest_cell *c = &j->by[BC_SELFTEST_COUNTERS].cell[suite];

	return must_catch(j->fault, bc_suites[suite]->name) && c->possible && !c->caught;
}

/* A cell: how many cases caught the fault; `*`: the suite must. */
static void cell_text(const struct bc_selftest_job *j, size_t suite, char *buf, size_t size)
{
	const struct bc_selftest_cell *c = &j->by[BC_SELFTEST_COUNTERS].cell[suite];

	if (c->wrong)
		(void)snprintf(buf, size, "%u?", c->wrong);
	else if (is_missed(j, suite))
		(void)snprintf(buf, size, "MISSED");
	else if (!c->caught && (c->voided || c->broken))
		(void)snprintf(buf, size, "%u%c", c->voided ? c->voided : c->broken, c->voided ? 'v' : 'b');
	else if (c->caught)
		(void)snprintf(buf, size, "%u%s", c->caught, must_catch(j->fault, bc_suites[suite]->name) ? "*" : "");
	else
		(void)snprintf(buf, size, "%s", c->judged ? "." : "-");
}

/* ---- by the clock alone ---- */

/* All suites of a run by the clock. */
static struct bc_selftest_cell clock_cell(const struct bc_selftest_job *j)
{
	struct bc_selftest_cell all = { 0 };

	for (size_t s = 0; bc_suites[s]; s++) {
		all.judged += j->by[BC_SELFTEST_CLOCK].cell[s].judged;
		all.caught += j->by[BC_SELFTEST_CLOCK].cell[s].caught;
		all.wrong += j->by[BC_SELFTEST_CLOCK].cell[s].wrong;
	}
	return all;
}

/* A fault that one rule alone shows needs a figure for it: is it judged on the sound device @sound? */
static bool has_figure(const struct bc_fault *f, const struct bc_selftest_job *sound)
{
	const long rule = f->clock_rule ? bc_rules_find(f->clock_rule) : -1;

	return !f->clock_rule || (rule >= 0 && (sound->by[BC_SELFTEST_CLOCK].rule[rule] & BC_RULE_JUDGED));
}

static bool is_missed_by_clock(const struct bc_selftest_job *j, const struct bc_selftest_job *sound)
{
	return j->fault && j->by[BC_SELFTEST_CLOCK].wanted && has_figure(j->fault, sound) && !clock_cell(j).caught;
}

static void clock_text(const struct bc_selftest_job *j, const struct bc_selftest_job *sound, char *buf, size_t size)
{
	const struct bc_selftest_cell all = clock_cell(j);

	if (all.wrong)
		(void)snprintf(buf, size, "%u?", all.wrong);
	else if (is_missed_by_clock(j, sound))
		(void)snprintf(buf, size, "MISSED");
	else if (all.caught)
		(void)snprintf(buf, size, "%u*", all.caught);
	else
		(void)snprintf(buf, size, "%s", !j->fault && all.judged ? "." : "-");
}

/* ---- the table ---- */

static int column_width(size_t suite)
{
	const size_t len = strlen(bc_suites[suite]->name);

	return bc_suites[suite]->hidden ? 0 : (int)(len < 6 ? 6 : len) + 2; /* hidden suites have no column */
}

/* The columns [first, end) of the table; the first of them begin with what the clock alone finds. */
static void print_columns(const struct bc_selftest_job *job, size_t n, size_t first, size_t end)
{
	char text[24];

	(void)printf("\n%-*s%-*s", NAME_WIDTH, "fault", KIND_WIDTH, "kind");
	if (first == 0)
		(void)printf("%*s", CLOCK_WIDTH, "by clock");
	for (size_t s = first; s < end; s++)
		(void)printf("%*s", column_width(s), bc_suites[s]->hidden ? "" : bc_suites[s]->name);
	(void)putchar('\n');
	for (size_t i = 0; i < n; i++) {
		const struct bc_fault *f = job[i].fault;

		(void)printf("%-*s%-*s", NAME_WIDTH, f ? f->name : "(none)", KIND_WIDTH,
			     f ? bc_fault_kind_name(f->kind) : "");
		if (first == 0) {
			clock_text(&job[i], &job[0], text, sizeof(text));
			(void)printf("%*s", CLOCK_WIDTH, text);
		}
		for (size_t s = first; s < end; s++) {
			if (bc_suites[s]->hidden)
				continue;
			cell_text(&job[i], s, text, sizeof(text));
			(void)printf("%*s", column_width(s), text);
		}
		(void)putchar('\n');
	}
}

static void print_table(const struct bc_selftest_job *job, size_t n)
{
	const size_t suites = count_suites();
	size_t first = 0;

	while (first < suites) {
		size_t end = first, width = NAME_WIDTH + KIND_WIDTH + (first == 0 ? CLOCK_WIDTH : 0);

		while (end < suites && (end == first || width + (size_t)column_width(end) <= TABLE_WIDTH))
			width += (size_t)column_width(end++);
		print_columns(job, n, first, end);
		first = end;
	}
}

/* Why faults have no run by the clock, each reason once with its faults. */
static void print_no_clock(const struct bc_selftest_job *job, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *why = job[i].fault ? job[i].fault->no_clock : NULL;
		bool said = false;

		for (size_t k = 0; why && k < i; k++)
			said = said || (job[k].fault && job[k].fault->no_clock == why);
		if (!why || said)
			continue;
		(void)printf("not by clock: %s:\n ", why);
		for (size_t k = i; k < n; k++)
			if (job[k].fault && job[k].fault->no_clock == why)
				(void)printf(" %s", job[k].fault->name);
		(void)putchar('\n');
	}
}

/* Suites that must catch a fault of these and do not exist yet; faults the architecture cannot have, and those that the
 * clock cannot show. */
static void print_impossible(const struct bc_selftest_job *job, size_t n, const struct bc_fault *only)
{
	const char *head = "\na suite that does not exist must catch:\n";

	for (size_t k = 0; k < n; k++) {
		const struct bc_fault *f = job[k].fault;

		for (size_t i = 0; f && i < BC_FAULT_SUITES && f->suites[i]; i++) {
			if (suite_exists(f->suites[i]))
				continue;
			(void)printf("%s  %-*s%s\n", head, NAME_WIDTH, f->name, f->suites[i]);
			head = "";
		}
	}
	for (const struct bc_fault *f = bc_faults; f->name; f++)
		if ((!only || f == only) && !bc_fault_possible(f, job[0].arch))
			(void)printf("%s cannot have the fault %s\n", job[0].arch->name, f->name);
	for (size_t k = 1; k < n; k++)
		if (job[k].by[BC_SELFTEST_CLOCK].wanted && !has_figure(job[k].fault, &job[0]))
			(void)printf("not by clock: %s has no figure for %s, which shows %s\n", job[0].arch->name,
				     job[k].fault->clock_rule, job[k].fault->name);
	print_no_clock(job, n);
}

/* What is not as it should be, a line each. Return: how many. */
static size_t print_problems(const struct bc_selftest_job *job, size_t n)
{
	static const char *const ways[] = { [BC_SELFTEST_COUNTERS] = "", [BC_SELFTEST_CLOCK] = " by the clock alone" };
	size_t problems = 0;

	for (size_t i = 0; i < n; i++) {
		const struct bc_fault *f = job[i].fault;

		for (size_t s = 0; bc_suites[s]; s++) {
			if (!is_missed(&job[i], s))
				continue;
			(void)printf("%smissed: %s (%s) by the suite %s\n", problems++ ? "" : "\n", f->name,
				     f->sentence, bc_suites[s]->name);
		}
		if (is_missed_by_clock(&job[i], &job[0]))
			(void)printf("%smissed: %s (%s) by the clock alone\n", problems++ ? "" : "\n", f->name,
				     f->sentence);
		for (int way = 0; way < BC_SELFTEST_WAYS; way++) {
			if (!job[i].by[way].why[0])
				continue;
			(void)printf("%swrong finding: %s%s%s\n  %s\n", problems++ ? "" : "\n",
				     f ? "with the fault " : "on the fault-free device", f ? f->name : "", ways[way],
				     job[i].by[way].why);
		}
	}
	return problems;
}

/* What the runs with all faults say of the rules. Return: how many are not as they should be. */
static size_t print_rules(const struct bc_selftest_job *job, size_t n, bool long_format)
{
	struct bc_rule_runs runs = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		for (int way = 0; way < BC_SELFTEST_WAYS; way++) {
			runs.fault[runs.n] = job[i].fault;
			runs.marks[runs.n++] = job[i].by[way].rule;
		}
	}
	return bc_rules_print(&runs, long_format);
}

/* Everything of one architecture. Return: how many things are not as they should be. */
static size_t print_architecture(const struct bc_selftest_job *job, size_t n, const struct bc_fault *only, bool quick,
				 bool long_format)
{
	const struct bc_arch *a = job[0].arch;
	size_t problems;

	(void)printf("selftest: reference device %s, %zu cases, %zu planted fault%s\n", a->name,
		     job[0].by[BC_SELFTEST_COUNTERS].cases, n - 1, n == 2 ? "" : "s");
	print_table(job, n);
	(void)puts("\nNumbers: cases that caught the fault: FAIL or DISAGREE; for the kind counter BROKEN, because a "
		   "canary voided the counters.\n*: this suite must catch it; .: not caught; v: void, the fault also "
		   "moved a canary; b: BROKEN, the wrong data led\nthe kernel astray and it was stopped; -: no case of "
		   "the suite runs here; ?: wrong findings.\nby clock: cases that caught it with the reference clock "
		   "and no counters; -: no clock can show it, for the reason below.");
	print_impossible(job, n, only);
	problems = print_problems(job, n);
	if (!only && !quick)
		problems += print_rules(job, n, long_format);
	(void)printf("\n%s: %s\n\n", a->name,
		     problems ? "NOT as it should be"
		     : n == 1 ? "the fault-free device shows no finding"
		     : only || quick
			     ? "every suite that must catch the fault does; the fault-free device shows no finding"
			     : "every suite that must catch a fault does, and every rule catches at least one; the "
			       "fault-free device shows no finding");
	return problems;
}

static enum bc_status find_archs(const struct bc_cli *c, struct bc_arch **out, size_t *n, struct bc_error *err)
{
	enum bc_status st;

	if (c->arch && strcmp(c->arch, "all") == 0)
		return bc_arch_list(c->expected_dir, out, n, err);
	*n = 1;
	*out = malloc(sizeof(**out));
	if (!*out)
		return bc_fail(err, BC_ENOMEM, "selftest: out of memory");
	st = bc_arch_load(c->expected_dir, c->arch ? c->arch : BC_DEFAULT_REFERENCE, *out, err);
	if (st) {
		free(*out);
		*out = NULL;
	}
	return st;
}

/* Print what came out, architecture by architecture. Return: how many things are not as they should be. */
static size_t print_all(const struct bc_selftest_pool *p, const struct bc_fault *only, const struct bc_cli *c,
			double seconds)
{
	size_t problems = 0, runs = 0;

	for (size_t first = 0, n = 0; first < p->n; first += n) {
		for (n = 0; first + n < p->n && p->job[first + n].arch == p->job[first].arch; n++)
			for (int way = 0; way < BC_SELFTEST_WAYS; way++)
				runs += p->job[first + n].by[way].wanted;
		problems += print_architecture(&p->job[first], n, only, c->quick, c->long_format);
	}
	(void)printf("%zu run%s in %.1f s\n", runs, runs == 1 ? "" : "s", seconds);
	return problems;
}

int bc_cmd_selftest(const struct bc_cli *c, const struct bc_catalog *cat)
{
	const double start = bc_now();
	const struct bc_fault *only = NULL;
	struct bc_arch *archs = NULL;
	struct bc_selftest_pool *p = NULL;
	struct bc_error err = { .msg = "" };
	size_t narchs = 0, size = 0;
	int status = 0;
	enum bc_status st = find_archs(c, &archs, &narchs, &err);

	if (!st && c->run.fault)
		st = bc_fault_require(c->run.fault, &only, &err);
	if (!st && (count_suites() > BC_SELFTEST_SUITES_MAX || bc_rules_count() > BC_RULES_MAX))
		st = bc_fail(&err, BC_EUSAGE, "selftest: more than %d suites or %d rules", BC_SELFTEST_SUITES_MAX,
			     BC_RULES_MAX);
	if (!st && BC_SELFTEST_WAYS * (count_faults() + 1) > BC_RULE_RUNS_MAX)
		st = bc_fail(&err, BC_EUSAGE, "selftest: more than %d runs of faults", BC_RULE_RUNS_MAX);
	if (!st) {
		size = sizeof(*p) + bc_selftest_jobs(archs, narchs, only, c->quick, NULL) * sizeof(p->job[0]);
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED) {
			p = NULL;
			st = bc_fail(&err, BC_ENOMEM, "selftest: out of memory");
		}
	}
	if (p) {
		p->n = bc_selftest_jobs(archs, narchs, only, c->quick, p->job);
		st = bc_selftest_run_all(c, cat, p, &err);
	}
	if (p && !st && bc_selftest_signal(p)) {
		status = 128 + bc_selftest_signal(p);
	} else if (p && !st) {
		status = print_all(p, only, c, bc_now() - start) ? 1 : 0;
		st = bc_cli_flush(&err);
	}
	if (st)
		status = bc_cli_fail(&err);
	if (p)
		(void)munmap(p, size);
	free(archs);
	return status;
}
