/* SPDX-License-Identifier: MIT */
#include "harness/cli/selftest_runs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/run/session.h"

#define PROCESSES_MAX 64

/* Index of a suite in bc_suites, -1 when there is none of that name. */
static long find_suite(const char *name)
{
	for (size_t i = 0; bc_suites[i]; i++)
		if (strcmp(bc_suites[i]->name, name) == 0)
			return (long)i;
	return -1;
}

bool bc_selftest_can_show(const struct bc_fault *f, enum bc_selftest_way way)
{
	if (!f)
		return true;
	return way == BC_SELFTEST_CLOCK ? !f->no_clock : f->kind != BC_FAULT_TIME;
}

size_t bc_selftest_jobs(const struct bc_arch *archs, size_t narchs, const struct bc_fault *only, bool quick,
			struct bc_selftest_job *job)
{
	size_t n = 0;

	for (size_t a = 0; a < narchs; a++) {
		for (const struct bc_fault *f = NULL; !f || f->name; f = f ? f + 1 : bc_faults) {
			if (f && ((only && f != only) || (quick && !f->quick) || !bc_fault_possible(f, &archs[a])))
				continue;
			for (int way = 0; job && way < BC_SELFTEST_WAYS; way++)
				job[n].by[way].wanted = bc_selftest_can_show(f, (enum bc_selftest_way)way) &&
							(!quick || way == BC_SELFTEST_COUNTERS);
			if (job) {
				job[n].fault = f;
				job[n].arch = &archs[a];
			}
			n++;
		}
	}
	return n;
}

/* ---- one run ---- */

/* BROKEN because a canary did not read what it must? */
static bool is_void(const struct bc_result *r)
{
	return r->judged.verdict == BC_BROKEN && r->obs.counters_void;
}

/* Is this what a fault of the kind calls for? */
static bool is_expected_finding(const struct bc_fault *f, const struct bc_result *r)
{
	if (!f)
		return false;
	if (f->kind == BC_FAULT_COUNTER)
		return is_void(r);
	return r->judged.verdict == BC_FAIL || (f->kind != BC_FAULT_DATA && r->judged.verdict == BC_DISAGREE);
}

/* A finding in a run with the fault @f, or without one. Return: it is one that should not be there. */
static bool count_finding(const struct bc_fault *f, const struct bc_result *r, struct bc_selftest_cell *c)
{
	if (is_expected_finding(f, r))
		c->caught++;
	else if (f && f->kind == BC_FAULT_LAW && is_void(r))
		c->voided++; /* no verdict on the rule: it does not count as caught, nor does the next */
	else if (f && f->kind == BC_FAULT_DATA && r->obs.outcome == BC_TOOL_ERROR)
		c->broken++;
	else
		c->wrong++;
	return c->wrong > 0;
}

static void count_result(const struct bc_fault *f, enum bc_selftest_way way, const struct bc_arch *a,
			 const struct bc_result *r, struct bc_selftest_run *run)
{
	char unmet[200];
	const long suite = find_suite(r->c->suite->name), rule = bc_rules_index(r->c);
	struct bc_selftest_cell *c;

	if (suite < 0)
		return;
	if (rule >= 0)
		run->rule[rule] |= (uint8_t)bc_rule_marks(r, a, f, way == BC_SELFTEST_CLOCK);
	c = &run->cell[suite];
	c->possible += !bc_case_unmet(r->c, a, unmet, sizeof(unmet));
	switch (r->judged.verdict) {
	case BC_SKIP: return;
	case BC_PASS:
	case BC_XFAIL: c->judged++; return;
	case BC_UNJUDGED:
		if (f) /* said once, of the fault-free device */
			return;
		break;
	default: break;
	}
	c->judged++;
	if (count_finding(f, r, c) && !run->why[0])
		(void)snprintf(run->why, sizeof(run->why), "%s is %s: %.260s", r->c->id,
			       bc_verdict_name(r->judged.verdict), r->judged.message);
}

static bool is_named(const struct bc_fault *f, const char *suite)
{
	for (size_t k = 0; f && k < BC_FAULT_SUITES && f->suites[k]; k++)
		if (strcmp(suite, f->suites[k]) == 0)
			return true;
	return false;
}

/* The cases of a run by the clock. Without a fault, all that have one; with it, those of the suite `clock` and of the
 * suites that must catch it; where a capacity is wrong, which nothing counts, all of these. */
static bool *clocked_cases(const struct bc_catalog *cat, const struct bc_fault *f)
{
	bool *only = calloc(cat->n + cat->nhidden, sizeof(*only));

	for (size_t i = 0; only && i < cat->n + cat->nhidden; i++) {
		const struct bc_case *c = &cat->cases[i];
		const bool named = is_named(f, c->suite->name);

		only[i] = bc_case_has_clock(c) &&
			  (!f || named || strcmp(c->suite->name, f->sms ? "cells" : "clock") == 0);
		only[i] = only[i] || (f && f->arch && named) || (named && c->of_rule && c->needs & BC_NEED_CLOCK);
	}
	return only;
}

#define GLOBS_MAX (BC_FAULT_SUITES + 1)

/* What of the catalogue a run is shown. With a fault of one SM among several, and with --quick: the suites that must
 * catch it, of the suite sms the patterns of one suite; else all but the cells, which take long and see nothing but
 * memory that fails. By the clock, the suite that times what the fault may slow: `clock`, of one SM cells/speed. */
static void select_cases(const struct bc_fault *f, bool suites_alone, bool clock, struct bc_run_options *o,
			 const char *globs[GLOBS_MAX])
{
	size_t n = 0;

	if (!f || !suites_alone) {
		globs[n++] = "cells";
		o->exclude = (struct bc_option_list){ .item = globs, .n = n };
		return;
	}
	for (size_t i = 0; i < BC_FAULT_SUITES && f->suites[i]; i++)
		globs[n++] = strcmp(f->suites[i], "sms") == 0 ? "sms/broadcast*" : f->suites[i];
	if (clock)
		globs[n++] = f->sms ? "cells/speed*" : "clock";
	o->filter = (struct bc_option_list){ .item = globs, .n = n };
}

static void run_session(const struct bc_run_options *o, const struct bc_catalog *cat, const struct bc_fault *f,
			enum bc_selftest_way way, struct bc_selftest_run *run)
{
	struct bc_session *s = NULL;
	struct bc_error err = { .msg = "" };

	run->status = bc_session_open(o, cat, &s, &err);
	if (!run->status)
		run->status = bc_session_run(s, NULL, &err);
	if (run->status) {
		(void)bc_strlcpy(run->why, err.msg, sizeof(run->why));
	} else {
		const struct bc_device_run *d = &bc_session_result(s)->devices[0];

		run->signal = bc_session_signal(s);
		run->cases = d->nresults;
		for (size_t i = 0; i < d->nresults; i++)
			count_result(f, way, &d->arch, &d->results[i], run);
	}
	bc_session_close(s);
}

static void run_one(const struct bc_cli *c, const struct bc_catalog *cat, struct bc_selftest_job *j,
		    enum bc_selftest_way way)
{
	char device[BC_ARCH_NAME_MAX + 16];
	struct bc_run_options o = bc_cli_run_options(c);
	const struct bc_fault *asked = o.fault ? bc_fault_find(o.fault) : NULL; /* the only one of this selftest */
	struct bc_selftest_run *run = &j->by[way];
	const struct bc_fault *shown = j->fault ? j->fault : asked;
	const char *globs[GLOBS_MAX];
	bool *only = NULL;

	(void)snprintf(device, sizeof(device), "reference:%s", j->arch->name);
	o.devices = device;
	o.fault = j->fault ? j->fault->name : NULL;
	if (way == BC_SELFTEST_CLOCK) {
		o.witness = BC_WITNESS_CLOCK;
		o.reference_clock = true;
		o.only = only = clocked_cases(cat, shown);
	}
	if (shown || c->quick)
		select_cases(shown, shown && (shown->sms || (c->quick && j->fault)), way == BC_SELFTEST_CLOCK, &o,
			     globs);
	if (way == BC_SELFTEST_CLOCK && !only) {
		run->status = BC_ENOMEM;
		(void)bc_strlcpy(run->why, "selftest: out of memory", sizeof(run->why));
	} else {
		run_session(&o, cat, j->fault, way, run);
	}
	free(only);
	run->done = true;
}

/* ---- all runs ---- */

/* Take runs until none is left, or one was ended by a signal. */
static void take_runs(const struct bc_cli *c, const struct bc_catalog *cat, struct bc_selftest_pool *p)
{
	bool stop = false;
	size_t i;

	while (!stop && (i = atomic_fetch_add(&p->next, 1)) < BC_SELFTEST_WAYS * p->n) {
		struct bc_selftest_job *j = &p->job[i / BC_SELFTEST_WAYS];
		struct bc_selftest_run *run = &j->by[i % BC_SELFTEST_WAYS];

		if (run->wanted)
			run_one(c, cat, j, (enum bc_selftest_way)(i % BC_SELFTEST_WAYS));
		stop = run->signal != 0;
		atomic_fetch_add(&p->finished, 1);
	}
}

/* Wait for the processes; on a terminal, say how far they are. */
static enum bc_status wait_for_processes(struct bc_selftest_pool *p, size_t processes, struct bc_error *err)
{
	const struct timespec pause = { .tv_nsec = 100 * 1000 * 1000 };
	const bool tty = isatty(STDERR_FILENO) == 1;
	enum bc_status st = BC_OK;

	while (processes) {
		int how = 0;
		const pid_t pid = waitpid(-1, &how, tty ? WNOHANG : 0);

		if (pid > 0) {
			processes--;
			if (how)
				st = bc_fail(err, BC_EDEVICE,
					     "selftest: a process that runs faulty devices ended with wait status 0x%x",
					     (unsigned)how);
		} else if (pid < 0 && errno != EINTR) {
			return bc_fail(err, BC_EDEVICE, "selftest: waiting for a process: %s", strerror(errno));
		} else if (pid == 0) {
			(void)fprintf(stderr, "\r%zu of %zu runs", atomic_load(&p->finished), BC_SELFTEST_WAYS * p->n);
			(void)nanosleep(&pause, NULL);
		}
	}
	if (tty)
		(void)fputs("\r\033[K", stderr);
	return st;
}

enum bc_status bc_selftest_run_all(const struct bc_cli *c, const struct bc_catalog *cat, struct bc_selftest_pool *p,
				   struct bc_error *err)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t most = cpus < 1 ? 1 : cpus > PROCESSES_MAX ? PROCESSES_MAX : (size_t)cpus, started = 0;
	enum bc_status st = BC_OK;

	(void)fflush(stdout);
	most = most < p->n ? most : p->n;
	for (; started < most; started++) {
		const pid_t pid = fork();

		if (pid < 0 && !started)
			return bc_fail(err, BC_EDEVICE, "selftest: no process could be started");
		if (pid < 0)
			break;
		if (pid == 0) {
			(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
			take_runs(c, cat, p);
			_exit(0);
		}
	}
	st = wait_for_processes(p, started, err);
	for (size_t i = 0; !st && i < BC_SELFTEST_WAYS * p->n; i++) {
		const struct bc_selftest_run *run = &p->job[i / BC_SELFTEST_WAYS].by[i % BC_SELFTEST_WAYS];

		if (run->status)
			st = bc_fail(err, run->status, "%s", run->why);
	}
	return st;
}

int bc_selftest_signal(const struct bc_selftest_pool *p)
{
	for (size_t i = 0; i < BC_SELFTEST_WAYS * p->n; i++)
		if (p->job[i / BC_SELFTEST_WAYS].by[i % BC_SELFTEST_WAYS].signal)
			return p->job[i / BC_SELFTEST_WAYS].by[i % BC_SELFTEST_WAYS].signal;
	return 0;
}
