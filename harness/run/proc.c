/* SPDX-License-Identifier: MIT */
#include "harness/run/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/clock.h"

#define READ_BYTES 65536u
#define END_MS 2000  /* given to a worker that said it ends */
#define KILL_MS 5000 /* given to the kernel to end a killed one */

/* In the child: pipes to their places, then exec. Only async-signal-safe calls. */
static _Noreturn void become_worker(char *const *argv, int in, int out, pid_t parent)
{
	const int null = open("/dev/null", O_RDWR);
	const int a = fcntl(in, F_DUPFD, 10), b = fcntl(out, F_DUPFD, 10); /* clear of 3 and 4, whatever they were */

	(void)setpgid(0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it died before prctl */
		_exit(127);
	if (null < 0 || a < 0 || b < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(a, BC_WORKER_IN) < 0 ||
	    dup2(b, BC_WORKER_OUT) < 0)
		_exit(127);
	(void)close(a);
	(void)close(b);
	if (null > BC_WORKER_OUT)
		(void)close(null);
	(void)signal(SIGPIPE, SIG_DFL);
	execv(argv[0], argv);
	_exit(127);
}

enum bc_status bc_proc_start(char *const *argv, struct bc_proc *p, struct bc_error *err)
{
	int down[2] = { -1, -1 }, up[2] = { -1, -1 };
	const pid_t parent = getpid();
	enum bc_status st = BC_OK;

	memset(p, 0, sizeof(*p));
	p->to = p->from = -1;
	if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC)) {
		st = bc_fail(err, BC_EDEVICE, "worker: cannot make a pipe: %s", strerror(errno));
		goto out;
	}
	p->pid = fork();
	if (p->pid < 0) {
		p->pid = 0;
		st = bc_fail(err, BC_EDEVICE, "worker: cannot start a process: %s", strerror(errno));
		goto out;
	}
	if (p->pid == 0)
		become_worker(argv, down[0], up[1], parent);
	p->to = down[1];
	p->from = up[0];
	down[1] = up[0] = -1;
out:
	for (int i = 0; i < 2; i++) {
		if (down[i] >= 0)
			(void)close(down[i]);
		if (up[i] >= 0)
			(void)close(up[i]);
	}
	return st;
}

enum bc_status bc_proc_send(struct bc_proc *p, const char *data, size_t len, struct bc_error *err)
{
	enum bc_status st = bc_write_all(&bc_file_system, p->to, data, len, "worker", err);

	return st ? (err ? (err->status = BC_EDEVICE) : BC_EDEVICE) : BC_OK;
}

bool bc_proc_wait(const struct bc_proc *p, unsigned seconds)
{
	struct pollfd fd = { .fd = p->from, .events = POLLIN };
	const double end = bc_now() + seconds;

	double left = seconds;

	while (left >= 0) {
		const int n = poll(&fd, 1, (int)(left * 1000) + 1);

		if (n > 0 || (n < 0 && errno != EINTR))
			return true; /* a failure of poll shows in the read */
		if (n == 0)
			return false;
		left = end - bc_now();
	}
	return false;
}

enum bc_status bc_proc_read(struct bc_proc *p, struct bc_error *err)
{
	char buf[READ_BYTES];
	ssize_t n;

	if (p->taken) {
		p->input.len -= p->taken;
		memmove(p->input.data, p->input.data + p->taken, p->input.len);
		p->taken = 0;
	}
	do
		n = read(p->from, buf, sizeof(buf));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return BC_OK;
	if (n < 0)
		return bc_fail(err, BC_EDEVICE, "the pipe between bankcheck and its worker cannot be read: %s",
			       strerror(errno));
	if (n == 0) {
		p->eof = true;
		return BC_OK;
	}
	if (p->input.len + (size_t)n > 2u * BC_MESSAGE_BYTES + READ_BYTES && !memchr(p->input.data, '\n', p->input.len))
		return bc_fail(err, BC_EDEVICE, "worker: a line without end");
	return bc_text_add(&p->input, buf, (size_t)n, err);
}

char *bc_proc_line(struct bc_proc *p)
{
	char *start, *end;

	if (p->taken >= p->input.len)
		return NULL;
	start = p->input.data + p->taken;
	end = memchr(start, '\n', p->input.len - p->taken);
	if (!end)
		return NULL;
	*end = '\0';
	p->taken = (size_t)(end + 1 - p->input.data);
	return start;
}

/* Wait up to @ms for the end. */
static bool reap(pid_t pid, int ms, int *status)
{
	const struct timespec tick = { .tv_nsec = 2000000 };

	for (int waited = 0;; waited += 2) {
		const pid_t r = waitpid(pid, status, WNOHANG);

		if (r == pid || (r < 0 && errno != EINTR))
			return true;
		if (waited >= ms)
			return false;
		(void)nanosleep(&tick, NULL);
	}
}

static void describe_end(int status, char *end, size_t size)
{
	if (WIFSIGNALED(status)) {
		(void)snprintf(end, size, "signal SIG%s", bc_signal_name(WTERMSIG(status)));
	} else if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
		(void)snprintf(end, size, "exit status 127 (the worker could not be started)");
	} else {
		(void)snprintf(end, size, "exit status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	}
}

void bc_proc_close_input(struct bc_proc *p)
{
	if (p->to >= 0)
		(void)close(p->to);
	p->to = -1;
}

void bc_proc_stop(struct bc_proc *p, int grace_ms, char *end, size_t size)
{
	int status = 0;

	if (end && size)
		end[0] = '\0';
	if (p->to >= 0)
		(void)close(p->to);
	if (p->pid > 0) {
		bool ended = grace_ms < 0 && reap(p->pid, END_MS, &status);

		if (!ended && grace_ms) {
			(void)kill(p->pid, SIGTERM);
			ended = reap(p->pid, grace_ms > 0 ? grace_ms : 200, &status);
		}
		if (!ended) {
			(void)kill(p->pid, SIGKILL);
			ended = reap(p->pid, KILL_MS, &status);
		}
		if (end && ended)
			describe_end(status, end, size);
		else if (end)
			(void)snprintf(end, size, "not at all: SIGKILL has no effect");
	}
	if (p->from >= 0)
		(void)close(p->from);
	bc_text_release(&p->input);
	memset(p, 0, sizeof(*p));
	p->to = p->from = -1;
}
