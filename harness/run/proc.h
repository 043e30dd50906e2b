/* SPDX-License-Identifier: MIT */
/* harness/run/proc.h - a worker process: fork and exec of this binary, a pipe each way, lines of text. */
#ifndef BC_RUN_PROC_H
#define BC_RUN_PROC_H

#include <sys/types.h>

#include "harness/run/message.h"

/* The descriptors a worker finds its pipes at. */
#define BC_WORKER_IN 3
#define BC_WORKER_OUT 4

struct bc_proc {
	pid_t pid;	      /* 0: none */
	int to, from;	      /* -1: closed */
	struct bc_text input; /* read and not yet taken */
	size_t taken;
	bool eof;
};

/**
 * bc_proc_start - start a worker
 * @argv: NULL-terminated; argv[0] is the binary's path
 *
 * The worker has its own process group (a Ctrl-C at the terminal does not reach it), dies with the parent
 * (PR_SET_PDEATHSIG) and has /dev/null as standard input and output. Return: BC_EDEVICE.
 */
enum bc_status bc_proc_start(char *const *argv, struct bc_proc *p, struct bc_error *err);

/* Send bytes (whole lines). BC_EDEVICE when the worker is gone (SIGPIPE must be ignored). */
enum bc_status bc_proc_send(struct bc_proc *p, const char *data, size_t len, struct bc_error *err);

/* Wait for something to read, or the end, up to @seconds. Return: false when nothing came. */
bool bc_proc_wait(const struct bc_proc *p, unsigned seconds);

/* Read what is there, without waiting longer than read(2) does; sets eof at the end. BC_EDEVICE when it cannot be read
 * or is no message. The worker reads its own input in the same way. */
enum bc_status bc_proc_read(struct bc_proc *p, struct bc_error *err);

/* The next whole line, NUL-ended in place, NULL when there is none yet. Valid until the next fill. */
char *bc_proc_line(struct bc_proc *p);

/* Nothing more is asked of the worker: its input ends, so that it ends too. Stop reaps it. */
void bc_proc_close_input(struct bc_proc *p);

/**
 * bc_proc_stop - end the worker and reap it
 * @grace_ms: time it is given after SIGTERM before SIGKILL; 0: SIGKILL at once; -1: it is expected to end by itself
 * soon
 * @end:      filled with how it ended: "exit status 1", "signal SIGSEGV"; may be NULL
 *
 * A worker that a driver holds so that not even SIGKILL ends it is left behind after some seconds.
 */
void bc_proc_stop(struct bc_proc *p, int grace_ms, char *end, size_t size);

#endif
