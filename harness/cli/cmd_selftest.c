/* SPDX-License-Identifier: MIT */
/* harness/cli/cmd_selftest.c - planted faults x suites and rules: each run is a session on a faulty reference device.
 *
 * The runs are dealt out to as many processes as there are CPUs; what came out of each lies in memory they share.
 */
#include "harness/cli/options.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/cli/selftest_rules.h"
#include "harness/run/session.h"

#define SUITES_MAX 64
#define PROCESSES_MAX 64
#define TABLE_WIDTH 100u
#define NAME_WIDTH 22
#define KIND_WIDTH 8

/* Cases of one suite in one run. */
struct cell {
	uint32_t possible; /* the architecture meets their needs */
	uint32_t judged;   /* not SKIP */
	uint32_t caught;   /* with the verdict that the fault's kind calls for */
	uint32_t voided;   /* law faults: they moved a canary as well, so the case is BROKEN */
	uint32_t broken;   /* data faults: the kernel went astray with the wrong data and was stopped */
	uint32_t wrong;	   /* with another finding */
};

/* One run: an architecture with one fault or none. */
struct job {
	const struct bc_fault *fault; /* NULL: the fault-free device */
	const struct bc_arch *arch;
	bool done;
	int signal;	       /* that ended it, 0: none */
	enum bc_status status; /* of the session */
	size_t cases;
	double seconds;
	char why[400]; /* the session's error, or the first case with a wrong finding */
	struct cell cell[SUITES_MAX];
	uint8_t rule[BC_RULES_MAX]; /* bits of enum bc_rule_mark */
};

struct pool {
	atomic_size_t next, finished;
	size_t n;
	struct job job[];
};

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

/* Index of a suite in bc_suites, -1 when there is none of that name yet. */
static long find_suite(const char *name)
{
	for (size_t i = 0; bc_suites[i]; i++)
		if (strcmp(bc_suites[i]->name, name) == 0)
			return (long)i;
	return -1;
}

static bool must_catch(const struct bc_fault *f, const char *suite)
{
	for (size_t i = 0; f && i < BC_FAULT_SUITES && f->suites[i]; i++)
		if (strcmp(f->suites[i], suite) == 0)
			return true;
	return false;
}

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
	return r->judged.verdict == BC_FAIL || (f->kind == BC_FAULT_LAW && r->judged.verdict == BC_DISAGREE);
}

static void count_result(struct job *j, const struct bc_arch *a, const struct bc_result *r)
{
	char unmet[200];
	const long suite = find_suite(r->c->suite->name), rule = bc_rules_index(r->c);
	struct cell *c;

	if (suite < 0)
		return;
	if (rule >= 0)
		j->rule[rule] |= (uint8_t)bc_rule_marks(r, a, j->fault);
	c = &j->cell[suite];
	c->possible += !bc_case_unmet(r->c, a, unmet, sizeof(unmet));
	switch (r->judged.verdict) {
	case BC_SKIP: return;
	case BC_PASS:
	case BC_XFAIL: c->judged++; return;
	case BC_UNJUDGED:
		if (j->fault) /* said once, of the fault-free device */
			return;
		break;
	default: break;
	}
	c->judged++;
	if (is_expected_finding(j->fault, r)) {
		c->caught++;
		return;
	}
	if (j->fault && j->fault->kind == BC_FAULT_LAW && is_void(r)) {
		c->voided++; /* no verdict on the rule: it does not count as caught, nor does the next */
		return;
	}
	if (j->fault && j->fault->kind == BC_FAULT_DATA && r->obs.outcome == BC_TOOL_ERROR) {
		c->broken++;
		return;
	}
	c->wrong++;
	if (!j->why[0])
		(void)snprintf(j->why, sizeof(j->why), "%s is %s: %.260s", r->c->id, bc_verdict_name(r->judged.verdict),
			       r->judged.message);
}

static void run_job(const struct bc_cli *c, const struct bc_catalog *cat, struct job *j)
{
	char device[BC_ARCH_NAME_MAX + 16];
	struct bc_run_options o = bc_cli_run_options(c);
	struct bc_session *s = NULL;
	struct bc_error err = { .msg = "" };
	const double start = bc_now();

	(void)snprintf(device, sizeof(device), "reference:%s", j->arch->name);
	o.devices = device;
	o.fault = j->fault ? j->fault->name : NULL;
	j->status = bc_session_open(&o, cat, &s, &err);
	if (!j->status)
		j->status = bc_session_run(s, NULL, &err);
	if (j->status) {
		(void)bc_strlcpy(j->why, err.msg, sizeof(j->why));
	} else {
		const struct bc_device_run *d = &bc_session_result(s)->devices[0];

		j->signal = bc_session_signal(s);
		j->cases = d->nresults;
		for (size_t i = 0; i < d->nresults; i++)
			count_result(j, &d->arch, &d->results[i]);
	}
	bc_session_close(s);
	j->seconds = bc_now() - start;
	j->done = true;
}

/* Take jobs until none is left, or one was ended by a signal. */
static void run_jobs(const struct bc_cli *c, const struct bc_catalog *cat, struct pool *p)
{
	bool stop = false;
	size_t i;

	while (!stop && (i = atomic_fetch_add(&p->next, 1)) < p->n) {
		run_job(c, cat, &p->job[i]);
		stop = p->job[i].signal != 0;
		atomic_fetch_add(&p->finished, 1);
	}
}

/* Wait for the processes; on a terminal, say how far they are. */
static enum bc_status wait_for_processes(struct pool *p, size_t processes, struct bc_error *err)
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
			(void)fprintf(stderr, "\r%zu of %zu runs", atomic_load(&p->finished), p->n);
			(void)nanosleep(&pause, NULL);
		}
	}
	if (tty)
		(void)fputs("\r\033[K", stderr);
	return st;
}

static enum bc_status run_in_processes(const struct bc_cli *c, const struct bc_catalog *cat, struct pool *p,
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
			run_jobs(c, cat, p);
			_exit(0);
		}
	}
	st = wait_for_processes(p, started, err);
	for (size_t i = 0; !st && i < p->n; i++)
		if (p->job[i].status)
			st = bc_fail(err, p->job[i].status, "%s", p->job[i].why);
	return st;
}

/* ---- what came out ---- */

/* A suite of which the architecture can run nothing misses nothing. */
static bool is_missed(const struct job *j, size_t suite)
{
	return must_catch(j->fault, bc_suites[suite]->name) && j->cell[suite].possible && !j->cell[suite].caught;
}

/* A cell: how many cases caught the fault; `*`: the suite must. */
static void cell_text(const struct job *j, size_t suite, char *buf, size_t size)
{
	const struct cell *c = &j->cell[suite];

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

static int column_width(size_t suite)
{
	const size_t len = strlen(bc_suites[suite]->name);

	return bc_suites[suite]->hidden ? 0 : (int)(len < 6 ? 6 : len) + 2; /* hidden suites have no column */
}

/* The columns [first, end) of the table. */
static void print_columns(const struct job *job, size_t n, size_t first, size_t end)
{
	(void)printf("\n%-*s%-*s", NAME_WIDTH, "fault", KIND_WIDTH, "kind");
	for (size_t s = first; s < end; s++)
		(void)printf("%*s", column_width(s), bc_suites[s]->hidden ? "" : bc_suites[s]->name);
	(void)putchar('\n');
	for (size_t i = 0; i < n; i++) {
		const struct bc_fault *f = job[i].fault;
		char text[24];

		(void)printf("%-*s%-*s", NAME_WIDTH, f ? f->name : "(none)", KIND_WIDTH,
			     f ? bc_fault_kind_name(f->kind) : "");
		for (size_t s = first; s < end; s++) {
			if (bc_suites[s]->hidden)
				continue;
			cell_text(&job[i], s, text, sizeof(text));
			(void)printf("%*s", column_width(s), text);
		}
		(void)putchar('\n');
	}
}

static void print_table(const struct job *job, size_t n)
{
	const size_t suites = count_suites();
	size_t first = 0;

	while (first < suites) {
		size_t end = first, width = NAME_WIDTH + KIND_WIDTH;

		while (end < suites && (end == first || width + (size_t)column_width(end) <= TABLE_WIDTH))
			width += (size_t)column_width(end++);
		print_columns(job, n, first, end);
		first = end;
	}
}

/* Suites that must catch a fault of these and do not exist yet; faults the architecture cannot have. */
static void print_impossible(const struct job *job, size_t n, const struct bc_fault *only)
{
	const char *head = "\na suite that does not exist must catch:\n";

	for (size_t k = 0; k < n; k++) {
		const struct bc_fault *f = job[k].fault;

		for (size_t i = 0; f && i < BC_FAULT_SUITES && f->suites[i]; i++) {
			if (find_suite(f->suites[i]) >= 0)
				continue;
			(void)printf("%s  %-*s%s\n", head, NAME_WIDTH, f->name, f->suites[i]);
			head = "";
		}
	}
	for (const struct bc_fault *f = bc_faults; f->name; f++)
		if ((!only || f == only) && !bc_fault_possible(f, job[0].arch))
			(void)printf("%s cannot have the fault %s\n", job[0].arch->name, f->name);
}

/* What is not as it should be, a line each. Return: how many. */
static size_t print_problems(const struct job *job, size_t n)
{
	size_t problems = 0;

	for (size_t i = 0; i < n; i++) {
		const struct bc_fault *f = job[i].fault;

		for (size_t s = 0; bc_suites[s]; s++) {
			if (!is_missed(&job[i], s))
				continue;
			(void)printf("%smissed: %s (%s) by the suite %s\n", problems++ ? "" : "\n", f->name,
				     f->sentence, bc_suites[s]->name);
		}
		if (!job[i].why[0])
			continue;
		(void)printf("%swrong finding: %s%s\n  %s\n", problems++ ? "" : "\n",
			     f ? "with the fault " : "on the fault-free device", f ? f->name : "", job[i].why);
	}
	return problems;
}

/* What the runs with all faults say of the rules. Return: how many are not as they should be. */
static size_t print_rules(const struct job *job, size_t n, bool long_format)
{
	struct bc_rule_runs runs = { .n = n };

	for (size_t i = 0; i < n; i++) {
		runs.fault[i] = job[i].fault;
		runs.marks[i] = job[i].rule;
	}
	return bc_rules_print(&runs, long_format);
}

/* Everything of one architecture. Return: how many things are not as they should be. */
static size_t print_architecture(const struct job *job, size_t n, const struct bc_fault *only, bool long_format)
{
	const struct bc_arch *a = job[0].arch;
	size_t problems;

	(void)printf("selftest: reference device %s, %zu cases, %zu planted fault%s\n", a->name, job[0].cases, n - 1,
		     n == 2 ? "" : "s");
	print_table(job, n);
	(void)puts("\nNumbers: cases that caught the fault: FAIL or DISAGREE; for the kind counter BROKEN, because a "
		   "canary voided the counters.\n*: this suite must catch it; .: not caught; v: void, the fault also "
		   "moved a canary; b: BROKEN, the wrong data led\nthe kernel astray and it was stopped; -: no case of "
		   "the "
		   "suite runs here; ?: wrong findings");
	print_impossible(job, n, only);
	problems = print_problems(job, n);
	if (!only)
		problems += print_rules(job, n, long_format);
	(void)printf("\n%s: %s\n\n", a->name,
		     problems ? "NOT as it should be"
		     : n == 1 ? "the fault-free device shows no finding"
		     : only   ? "every suite that must catch the fault does; the fault-free device shows no finding"
			      : "every suite that must catch a fault does, and every rule catches at least one; the "
				"fault-free device shows no finding");
	return problems;
}

/* One job for the fault-free device and one for each fault (@only: that one) the architecture can have, architecture by
 * architecture. @job may be NULL. */
static size_t make_jobs(const struct bc_arch *archs, size_t narchs, const struct bc_fault *only, struct job *job)
{
	size_t n = 0;

	for (size_t a = 0; a < narchs; a++) {
		for (const struct bc_fault *f = NULL; !f || f->name; f = f ? f + 1 : bc_faults) {
			if (f && ((only && f != only) || !bc_fault_possible(f, &archs[a])))
				continue;
			if (job)
				job[n] = (struct job){ .fault = f, .arch = &archs[a] };
			n++;
		}
	}
	return n;
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

/* The signal that ended the runs, 0: none. */
static int ended_by(const struct pool *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->job[i].signal)
			return p->job[i].signal;
	return 0;
}

int bc_cmd_selftest(const struct bc_cli *c, const struct bc_catalog *cat)
{
	const double start = bc_now();
	const struct bc_fault *only = NULL;
	struct bc_arch *archs = NULL;
	struct pool *p = NULL;
	struct bc_error err = { .msg = "" };
	size_t narchs = 0, problems = 0, size = 0;
	int status = 0;
	enum bc_status st = find_archs(c, &archs, &narchs, &err);

	if (!st && c->run.fault)
		st = bc_fault_require(c->run.fault, &only, &err);
	if (!st && (count_suites() > SUITES_MAX || bc_rules_count() > BC_RULES_MAX))
		st = bc_fail(&err, BC_EUSAGE, "selftest: more than %d suites or %d rules", SUITES_MAX, BC_RULES_MAX);
	if (!st && count_faults() >= BC_RULE_RUNS_MAX)
		st = bc_fail(&err, BC_EUSAGE, "selftest: more than %d faults", BC_RULE_RUNS_MAX - 1);
	if (!st) {
		size = sizeof(*p) + make_jobs(archs, narchs, only, NULL) * sizeof(p->job[0]);
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED) {
			p = NULL;
			st = bc_fail(&err, BC_ENOMEM, "selftest: out of memory");
		}
	}
	if (p) {
		p->n = make_jobs(archs, narchs, only, p->job);
		st = run_in_processes(c, cat, p, &err);
	}
	if (p && !st && ended_by(p)) {
		status = 128 + ended_by(p);
	} else if (p && !st) {
		for (size_t first = 0, n = 0; first < p->n; first += n) {
			for (n = 0; first + n < p->n && p->job[first + n].arch == p->job[first].arch;)
				n++;
			problems += print_architecture(&p->job[first], n, only, c->long_format);
		}
		(void)printf("%zu run%s in %.1f s\n", p->n, p->n == 1 ? "" : "s", bc_now() - start);
		status = problems ? 1 : 0;
		st = bc_cli_flush(&err);
	}
	if (st)
		status = bc_cli_fail(&err);
	if (p)
		(void)munmap(p, size);
	free(archs);
	return status;
}
