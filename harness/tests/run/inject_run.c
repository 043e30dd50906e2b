/* SPDX-License-Identifier: MIT */
#include "harness/base/clock.h"
#include "harness/tests/run/inject_run.h"

#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_S 60 /* a run takes milliseconds; the program's own shortest limit for a worker that hangs is 120 s */
#define SLOTS_MAX 4
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PART 10
#else
#define PART 1
#endif

static const char *const classes[] = { "mem",  "xml", "read", "write", "epipe", "open", "close",
				       "sync", "dir", "stat", "proc",  "eintr", "short" };

static struct slot {
	struct bc_program_call call;
	struct bc_injection what;
	char order[32], fired[BC_PATH_MAX + 16];
	pid_t pid;
} slots[SLOTS_MAX];

bool bc_inject_whole(void)
{
	return getenv("BC_INJECT_ALL") != NULL;
}

void bc_inject_assert(bool holds, const struct bc_injection *i, const char *what)
{
	ck_assert_msg(holds, "%s: %s:%u%s in the %s (%s), status %d\n%.1500s\n%.1500s", what, i->class, i->n,
		      i->for_good ? "+" : "", i->role, i->fired[0] ? i->fired : "not reached", bc_call.status,
		      bc_call.err.data, bc_call.out.data);
}

size_t bc_inject_sweep_out(const char *below, const char *const *keep)
{
	char path[BC_PATH_MAX + 300];
	DIR *d;
	size_t removed = 0;

	ck_assert_int_lt(snprintf(path, sizeof(path), "%s/%s", bc_call.dir, below), (int)sizeof(path));
	d = opendir(path);
	for (const struct dirent *e; d && (e = readdir(d));) {
		bool kept = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;

		for (size_t i = 0; !kept && keep[i]; i++)
			kept = strcmp(e->d_name, keep[i]) == 0;
		ck_assert_int_lt(snprintf(path, sizeof(path), "%s/%s/%s", bc_call.dir, below, e->d_name),
				 (int)sizeof(path));
		if (!kept && e->d_type == DT_REG) {
			ck_assert_int_eq(unlink(path), 0);
			removed++;
		}
	}
	if (d)
		ck_assert_int_eq(closedir(d), 0);
	return removed;
}

static void prepare(struct slot *s, const char *role, const char *order)
{
	if (!s->call.dir[0])
		bc_program_init(&s->call);
	ck_assert_int_lt(snprintf(s->fired, sizeof(s->fired), "%s/fired", s->call.dir), (int)sizeof(s->fired));
	(void)unlink(s->fired);
	(void)bc_strlcpy(s->order, order, sizeof(s->order));
	s->call.binary = BC_TEST_INJECT;
	s->call.set[0][0] = "BC_INJECT";
	s->call.set[0][1] = s->order;
	s->call.set[1][0] = "BC_INJECT_IN";
	s->call.set[1][1] = role;
	s->call.set[2][0] = "BC_INJECT_FIRED";
	s->call.set[2][1] = s->fired;
}

/* Wait for the end, but not for ever. */
static void end(struct slot *s)
{
	const struct timespec tick = { .tv_nsec = 1000000 };
	const double start = bc_now();
	siginfo_t info = { .si_pid = 0 };

	do {
		ck_assert_int_eq(waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOWAIT | WNOHANG), 0);
		if (info.si_pid)
			break;
		(void)nanosleep(&tick, NULL);
	} while (bc_now() - start <= (bc_emulated() ? 10 * LIMIT_S : LIMIT_S));
	if (!info.si_pid)
		(void)kill(s->pid, SIGKILL);
	bc_program_end(&s->call, s->pid);
	bc_call = s->call;
	bc_inject_assert(info.si_pid != 0, &s->what, "it hangs");
}

static void launch(struct slot *s, const struct bc_injected *run, const struct bc_injection *what)
{
	char order[32];

	(void)snprintf(order, sizeof(order), "%s:%u%s", what->class, what->n, what->for_good ? "+" : "");
	prepare(s, what->role, order);
	s->what = *what;
	bc_call = s->call;
	run->before();
	s->pid = bc_program_launch(&s->call, run->words);
}

/* What ended in @s: judged. Return: was it more than all calls? */
static bool judge(struct slot *s, const struct bc_injected *run)
{
	struct bc_text fired;
	bool over;

	end(s);
	fired = bc_program_file(&s->call, "fired");
	(void)bc_strlcpy(s->what.fired, fired.data, sizeof(s->what.fired));
	s->what.fired[strcspn(s->what.fired, "\n")] = '\0';
	bc_text_release(&fired);
	over = !s->what.fired[0];
	bc_inject_assert(bc_call.status < 4, &s->what, "no status of docs/exit-status.md");
	run->after(&s->what);
	s->call.out = bc_call.out; /* they may have been read anew */
	s->call.err = bc_call.err;
	s->call.status = bc_call.status;
	return over;
}

/* How many calls there are when nothing fails: lines of "<role> <class> <calls>". */
static struct bc_text count(const struct bc_injected *run)
{
	struct slot *s = &slots[0];
	char path[BC_PATH_MAX + 16];
	struct bc_text text;

	prepare(s, "", "mem:0");
	ck_assert_int_lt(snprintf(path, sizeof(path), "%s/count", s->call.dir), (int)sizeof(path));
	s->call.set[3][0] = "BC_INJECT_COUNT";
	s->call.set[3][1] = path;
	bc_call = s->call;
	run->before();
	s->pid = bc_program_launch(&s->call, run->words);
	end(s);
	text = bc_program_file(&s->call, "count");
	(void)unlink(path);
	s->call.set[3][0] = NULL;
	return text;
}

/* Of the process of that role that makes most. */
static unsigned long calls_of(const char *counts, const char *role, const char *class)
{
	char who[16], what[16];
	unsigned long n, most = 0;

	for (const char *at = counts; sscanf(at, "%15s %15s %lu", who, what, &n) == 3; at = strchr(at, '\n') + 1)
		if (strcmp(who, role) == 0 && strcmp(what, class) == 0 && n > most)
			most = n;
	return most;
}

static void one_class(const struct bc_injected *run, const char *role, const char *class, unsigned long n,
		      bool for_good)
{
	const bool harmless = strcmp(class, "eintr") == 0 || strcmp(class, "short") == 0;
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const unsigned nslots = cpus > SLOTS_MAX ? SLOTS_MAX : cpus < 1 ? 1 : (unsigned)cpus;
	const unsigned first = run->first / (for_good ? 20 : PART);
	const unsigned more = run->more / (for_good ? 2 : PART) + 1;
	const unsigned step = bc_inject_whole() || n <= first ? 1 : (unsigned)(n - first) / more + 1;
	unsigned next = 1, running = 0, at = 0;
	bool over = false;

	for (;;) {
		while (!over && running < nslots) {
			const struct bc_injection what = {
				.role = role, .class = class, .n = next, .for_good = for_good, .harmless = harmless
			};

			launch(&slots[(at + running++) % nslots], run, &what);
			next += next < first ? 1 : step;
		}
		if (!running)
			break;
		over = judge(&slots[at], run) || over;
		at = (at + 1) % nslots;
		running--;
	}
	ck_assert_uint_gt(next, n / 2); /* they were there to be tried; polls and waits are not as many every time */
}

void bc_inject_all(const struct bc_injected *run, const char *role, const char *const *for_good)
{
	struct bc_text counts;

	bc_program_release(&bc_call); /* it becomes one of the slots */
	counts = count(run);

	for (size_t c = 0; c < BC_ARRAY_LEN(classes); c++)
		one_class(run, role, classes[c], calls_of(counts.data, role, classes[c]), false);
	for (size_t c = 0; for_good[c]; c++)
		one_class(run, role, for_good[c], calls_of(counts.data, role, for_good[c]), true);
	bc_text_release(&counts);
}

void bc_inject_none(const char *words)
{
	bc_call.binary = BC_TEST_INJECT;
	bc_run_program(words);
}
