/* SPDX-License-Identifier: MIT */
#include "harness/run/probe.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Read `device` lines up to `listed`. */
static enum bc_status read_list(const struct bc_run_options *o, struct bc_proc *p, struct bc_facts **gpus, size_t *n,
				char *why, size_t size, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (;;) {
		struct bc_fields m;
		struct bc_facts *grown;
		char *line = bc_proc_line(p);

		if (!line) {
			if (p->eof)
				return bc_fail(err, BC_EDEVICE,
					       "the worker that lists the GPUs ended without an answer");
			if (!bc_proc_wait(p, o->inactivity_s))
				return bc_fail(err, BC_EDEVICE,
					       "the worker that lists the GPUs sent nothing for %u s: the driver "
					       "hangs",
					       o->inactivity_s);
			st = bc_proc_read(p, err);
			if (st)
				return st;
			continue;
		}
		st = bc_message_parse(line, &m, err);
		if (st)
			return st;
		if (strcmp(m.kind, "listed") == 0) {
			(void)bc_strlcpy(why, bc_message_get(&m, "why"), size);
			return BC_OK;
		}
		if (strcmp(m.kind, "device") != 0)
			return bc_fail(err, BC_EDEVICE, "listing the GPUs: %s", bc_message_get(&m, "why"));
		grown = realloc(*gpus, (*n + 1) * sizeof(*grown));
		if (!grown)
			return bc_fail(err, BC_ENOMEM, "device list: out of memory");
		*gpus = grown;
		st = bc_facts_parse(&m, &grown[*n], err);
		if (st)
			return st;
		++*n;
	}
}

enum bc_status bc_probe_list_and_keep(const struct bc_run_options *o, struct bc_proc *p, struct bc_facts **gpus,
				      size_t *n, char *why, size_t size, struct bc_error *err)
{
	struct bc_worker_argv argv;
	enum bc_status st;

	*gpus = NULL;
	*n = 0;
	why[0] = '\0';
	bc_run_options_worker_argv(o, &argv);
	st = bc_proc_start((char *const *)argv.word, p, err);
	if (!st)
		st = bc_proc_send(p, "list\n", 5, err);
	if (!st)
		st = read_list(o, p, gpus, n, why, size, err);
	if (st) {
		free(*gpus);
		*gpus = NULL;
		*n = 0;
		bc_proc_stop(p, 0, NULL, 0);
	}
	return st;
}

enum bc_status bc_probe_list(const struct bc_run_options *o, struct bc_facts **gpus, size_t *n, char *why, size_t size,
			     struct bc_error *err)
{
	struct bc_proc p;
	enum bc_status st = bc_probe_list_and_keep(o, &p, gpus, n, why, size, err);

	if (!st)
		bc_proc_stop(&p, -1, NULL, 0);
	return st;
}

/* The worker's answer to `open`; NULL: it ended or hangs. @in_profiler: in the profiler's library. */
static char *opening_answer(const struct bc_run_options *o, struct bc_proc *p, struct bc_fields *m, bool *in_profiler,
			    struct bc_error *err, enum bc_status *st)
{
	char *line = NULL;

	*in_profiler = false;
	while (!*st) {
		line = bc_proc_line(p);
		if (line) {
			*st = bc_message_parse(line, m, err);
			if (*st || strcmp(m->kind, "profiler") != 0)
				break;
			*in_profiler = strcmp(bc_message_get(m, "in"), "1") == 0;
		} else if (p->eof || !bc_proc_wait(p, o->inactivity_s)) {
			break;
		} else {
			*st = bc_proc_read(p, err);
		}
	}
	return line;
}

/* The facts of one GPU, complete: a worker opens it. */
static enum bc_status open_gpu(const struct bc_run_options *o, struct bc_facts *f, struct bc_error *err)
{
	struct bc_worker_argv argv;
	struct bc_text t = { 0 };
	struct bc_fields m;
	struct bc_proc p;
	char *line = NULL;
	bool in_profiler = false;
	enum bc_status st;

	bc_run_options_worker_argv(o, &argv);
	st = bc_proc_start((char *const *)argv.word, &p, err);
	if (!st)
		st = bc_message_begin(&t, "open", err);
	if (!st)
		st = bc_facts_add(&t, f, err);
	if (!st)
		st = bc_message_end(&t, err);
	if (!st && bc_proc_send(&p, t.data, t.len, NULL))
		p.eof = true; /* it is gone already */
	if (!st)
		line = opening_answer(o, &p, &m, &in_profiler, err, &st);
	if (!st && !line && in_profiler)
		(void)snprintf(f->counters_absent, sizeof(f->counters_absent), "CUPTI %s: runs go on without counters",
			       p.eof ? "takes down the process that calls it" : "hangs when it is called");
	else if (!st && !line)
		(void)snprintf(f->counters_absent, sizeof(f->counters_absent),
			       "cuda:%u cannot be opened: the worker that tried %s", f->index,
			       p.eof ? "ended without an answer" : "hangs");
	if (!st && line && strcmp(m.kind, "opened") == 0)
		st = bc_facts_parse(&m, f, err);
	else if (!st && line && bc_message_get(&m, "no_images")[0])
		(void)snprintf(f->images, sizeof(f->images), "none: %s", bc_message_get(&m, "why"));
	else if (!st && line)
		(void)bc_strlcpy(f->counters_absent, bc_message_get(&m, "why"), sizeof(f->counters_absent));
	bc_proc_stop(&p, line || p.eof ? -1 : 0, NULL, 0);
	bc_text_release(&t);
	return st;
}

enum bc_status bc_probe_open(const struct bc_run_options *o, struct bc_facts *gpus, size_t n, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	(void)signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; !st && i < n; i++)
		st = open_gpu(o, &gpus[i], err);
	return st;
}
