/* SPDX-License-Identifier: MIT */
#include "harness/run/misbehave.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define LATE_MS 1500
#define FLOOD_OUT (1u << 20)
#define FLOOD_ERR (1u << 16)

bool bc_misbehave_now(const struct bc_case *c, unsigned attempt)
{
	return c->misbehave != BC_MISBEHAVE_NONE && (c->misbehave_attempts == 0 || attempt < c->misbehave_attempts);
}

static void flood(int fd, size_t bytes)
{
	char line[1024];

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	for (size_t done = 0; done < bytes; done += sizeof(line))
		if (write(fd, line, sizeof(line)) <= 0)
			return; /* nobody reads: enough of it */
}

/* End by a signal, whatever handler a library set, and leave no core file behind. */
static void die(int sig)
{
	const struct rlimit none = { 0 };

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)signal(sig, SIG_DFL);
	(void)raise(sig);
}

void bc_misbehave_before(const struct bc_case *c, unsigned attempt, int out)
{
	static const char nonsense[] = "this is no message\n";
	const struct timespec late = { .tv_sec = LATE_MS / 1000, .tv_nsec = LATE_MS % 1000 * 1000000L };

	if (!bc_misbehave_now(c, attempt))
		return;
	switch (c->misbehave) {
	case BC_MISBEHAVE_EXIT_0: _exit(0);
	case BC_MISBEHAVE_EXIT_3: _exit(3);
	case BC_MISBEHAVE_ABORT: die(SIGABRT); break;
	case BC_MISBEHAVE_SEGV: die(SIGSEGV); break;
	case BC_MISBEHAVE_KILL: die(SIGKILL); break;
	case BC_MISBEHAVE_SLEEP:
		for (;;)
			(void)pause();
	case BC_MISBEHAVE_LATE: (void)nanosleep(&late, NULL); break;
	case BC_MISBEHAVE_FLOOD:
		flood(STDOUT_FILENO, FLOOD_OUT);
		flood(STDERR_FILENO, FLOOD_ERR);
		break;
	case BC_MISBEHAVE_NONSENSE:
		if (write(out, nonsense, sizeof(nonsense) - 1) < 0)
			_exit(3);
		break;
	case BC_MISBEHAVE_NONE:
	case BC_MISBEHAVE_MISCOUNT: break;
	}
}

void bc_misbehave_after(const struct bc_case *c, unsigned attempt, struct bc_observation *o)
{
	if (c->misbehave != BC_MISBEHAVE_MISCOUNT || !bc_misbehave_now(c, attempt))
		return;
	for (unsigned i = 0; i < o->attempts && i < BC_ATTEMPTS_MAX; i++)
		o->count[i].conflicts++;
}
