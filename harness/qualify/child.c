/* SPDX-License-Identifier: MIT */
#include "harness/qualify/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/run/journal.h"

#define OUTPUT "output.txt"
#define ERRORS "errors.txt"
#define TEXT_MAX_BYTES (64u << 20)
#define WORDS_MAX 256

/* The words of a command; they point into the options and into this struct. */
struct words {
	char *word[WORDS_MAX + 1];
	size_t n;
	char dashed[BC_RUN_OPTIONS_MAX][40], number[BC_RUN_OPTIONS_MAX][BC_OPTION_BUF], seconds[16];
};

static void add(struct words *w, const char *word)
{
	if (w->n < WORDS_MAX)
		w->word[w->n++] = (char *)word; /* exec changes none of them */
}

static void add_pair(struct words *w, const char *name, const char *value)
{
	if (!value)
		return;
	add(w, name);
	add(w, value);
}

/* Options of a run that a step does not get from the user: it has its own, or knows none. */
static bool takes(enum bc_qualify_kind k, const char *name)
{
	static const char *const never[] = { "device",	"kernels", "cupti", "reports", "resume",
					     "shuffle", "repeat",  "sms",   "shard" };
	static const char *const map[] = { "expected",	      "fault",		 "law",	      "witness",
					   "reference-clock", "reference-noise", "inactivity" };
	bool named = false;

	for (size_t i = 0; i < BC_ARRAY_LEN(never); i++)
		if (strcmp(never[i], name) == 0)
			return false;
	if (k == BC_QUALIFY_CELLS && (strcmp(name, "filter") == 0 || strcmp(name, "exclude") == 0))
		return false;
	if (k == BC_QUALIFY_SELFTEST)
		return strcmp(name, "expected") == 0;
	if (k != BC_QUALIFY_MAP)
		return k != BC_QUALIFY_DIFF;
	for (size_t i = 0; i < BC_ARRAY_LEN(map); i++)
		named = named || strcmp(map[i], name) == 0;
	return named;
}

static void add_run_options(struct words *w, enum bc_qualify_kind k, const struct bc_run_options *o)
{
	for (size_t i = 0; i < bc_run_option_count; i++) {
		const struct bc_option *row = &bc_run_option_table[i];
		const struct bc_option_list *list =
			(const struct bc_option_list *)(const void *)((const char *)o + row->offset);

		if (!takes(k, row->name) || bc_option_is_preset(row, o))
			continue;
		(void)snprintf(w->dashed[i], sizeof(w->dashed[i]), "--%s", row->name);
		for (size_t n = 0; row->type == BC_OPTION_LIST && n < list->n; n++)
			add_pair(w, w->dashed[i], list->item[n]);
		if (row->type == BC_OPTION_LIST)
			continue;
		add(w, w->dashed[i]);
		if (row->argument)
			add(w, bc_option_text(row, o, w->number[i]));
	}
}

/* The journal of a run that was cut off: it is continued. */
static bool was_cut_off(const struct bc_qualify_options *o, const char *dir)
{
	char journal[BC_PATH_MAX];

	if (!o->resume || snprintf(journal, sizeof(journal), "%s/journal.tsv", dir) >= (int)sizeof(journal))
		return false;
	return access(journal, R_OK) == 0 && !bc_journal_is_empty(journal);
}

static void make_words(const struct bc_qualify_options *o, const struct bc_qualify_device *d, enum bc_qualify_kind k,
		       const char *dir, const char *baseline, const char *catalogue, struct words *w)
{
	static const char *const commands[BC_QUALIFY_STEPS] = {
		"selftest", "map", "run", "run", "matrix", "diff", "run"
	};

	w->n = 0;
	add(w, o->self);
	add(w, commands[k]);
	add_run_options(w, k, o->run);
	if (k == BC_QUALIFY_SELFTEST)
		add(w, "--quick");
	if (k != BC_QUALIFY_SELFTEST && k != BC_QUALIFY_DIFF)
		add_pair(w, "--device", d->option);
	for (size_t i = 0; i < o->kernels->n && (k == BC_QUALIFY_MATRIX || i == 0) && k != BC_QUALIFY_DIFF; i++)
		add_pair(w, "--kernels", o->kernels->item[i]);
	for (size_t i = 0; i < o->cupti->n && (k == BC_QUALIFY_MATRIX || i == 0) && k != BC_QUALIFY_DIFF; i++)
		if (k != BC_QUALIFY_SELFTEST)
			add_pair(w, "--cupti", o->cupti->item[i]);
	if (k == BC_QUALIFY_CATALOGUE || k == BC_QUALIFY_CELLS || k == BC_QUALIFY_SOAK || k == BC_QUALIFY_MATRIX)
		add_pair(w, "--reports", dir);
	if (k == BC_QUALIFY_CATALOGUE) {
		add_pair(w, "--exclude", "cells");
		add_pair(w, "--sms", "all");
		add_pair(w, "--repeat", "3");
		add_pair(w, "--shuffle", "1");
	}
	if (k == BC_QUALIFY_CELLS)
		add_pair(w, "--filter", "cells");
	if (k == BC_QUALIFY_SOAK) {
		(void)snprintf(w->seconds, sizeof(w->seconds), "%u", o->soak_s);
		add_pair(w, "--soak", w->seconds);
		add_pair(w, "--sms", "all");
	}
	if ((k == BC_QUALIFY_CATALOGUE || k == BC_QUALIFY_CELLS) && was_cut_off(o, dir))
		add(w, "--resume");
	if (k == BC_QUALIFY_MAP || k == BC_QUALIFY_DIFF)
		add_pair(w, "--format", "json");
	if (k == BC_QUALIFY_DIFF) {
		add_pair(w, "--exclude", "cells"); /* a step of its own */
		add(w, baseline);
		add(w, catalogue);
	}
	w->word[w->n] = NULL;
}

static volatile sig_atomic_t caught;
static struct sigaction before[2];

static void on_signal(int signal)
{
	caught = signal;
}

void bc_qualify_catch_signals(bool on)
{
	const struct sigaction mine = { .sa_handler = on_signal };

	if (on)
		caught = 0;
	(void)sigaction(SIGINT, on ? &mine : &before[0], on ? &before[0] : NULL);
	(void)sigaction(SIGTERM, on ? &mine : &before[1], on ? &before[1] : NULL);
}

int bc_qualify_signal(void)
{
	return caught;
}

/* The step ends by the signal, in its own order. */
static int wait_for(pid_t pid)
{
	int status = 0;
	bool told = false;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
		if (caught && !told)
			(void)kill(pid, caught);
		told = caught != 0;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The child: what it prints goes to files. */
static _Noreturn void be_step(char **word, const char *dir)
{
	char path[BC_PATH_MAX + 16];
	int out, errors;

	(void)snprintf(path, sizeof(path), "%s/" OUTPUT, dir);
	out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	(void)snprintf(path, sizeof(path), "%s/" ERRORS, dir);
	errors = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out < 0 || errors < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
		_exit(2);
	(void)execv(word[0], word);
	(void)fprintf(stderr, "bankcheck: qualify: %s cannot be started: %s\n", word[0], strerror(errno));
	_exit(2);
}

static enum bc_status start(char **word, const char *dir, int *status, struct bc_error *err)
{
	pid_t pid;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return bc_fail(err, BC_EWRITE, "%s: %s", dir, strerror(errno));
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0)
		be_step(word, dir);
	if (pid < 0)
		return bc_fail(err, BC_EDEVICE, "qualify: fork: %s", strerror(errno));
	*status = wait_for(pid);
	return BC_OK;
}

enum bc_status bc_qualify_child(const struct bc_qualify_options *o, const struct bc_qualify_device *d,
				enum bc_qualify_kind k, const char *dir, const char *baseline, const char *catalogue,
				int *status, struct bc_error *err)
{
	struct words w;

	make_words(o, d, k, dir, baseline, catalogue, &w);
	return start(w.word, dir, status, err);
}

enum bc_status bc_qualify_ask_devices(const struct bc_qualify_options *o, struct bc_text *out, struct bc_error *err)
{
	char dir[BC_PATH_MAX], path[BC_PATH_MAX + 16];
	struct bc_text errors = { 0 };
	struct words w = { .n = 0 };
	int status = 0;
	enum bc_status st = BC_OK;

	if (snprintf(dir, sizeof(dir), "%s/devices", o->reports_dir) >= (int)sizeof(dir))
		return bc_fail(err, BC_EUSAGE, "--reports: the path is too long");
	add(&w, o->self);
	add(&w, "devices");
	add_pair(&w, "--format", "json");
	add_pair(&w, "--expected", o->run->expected_dir);
	add_pair(&w, "--kernels", o->kernels->n ? o->kernels->item[0] : NULL);
	add_pair(&w, "--cupti", o->cupti->n ? o->cupti->item[0] : NULL);
	st = start(w.word, dir, &status, err);
	(void)snprintf(path, sizeof(path), "%s/" OUTPUT, dir);
	if (!st)
		st = bc_file_read(path, TEXT_MAX_BYTES, out, err);
	if (st || out->len)
		return st;
	/* it could not tell: its words say why */
	(void)snprintf(path, sizeof(path), "%s/" ERRORS, dir);
	st = bc_file_read(path, TEXT_MAX_BYTES, &errors, err);
	if (!st)
		st = bc_fail(err, status == 3 ? BC_EUSAGE : BC_EDEVICE,
			     "the devices of this host cannot be listed (exit status %d): %.400s", status,
			     errors.len ? errors.data : "it said nothing");
	bc_text_release(&errors);
	return st;
}
