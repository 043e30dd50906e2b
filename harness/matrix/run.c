/* SPDX-License-Identifier: MIT */
#include "harness/matrix/matrix.h"

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
#include "harness/base/textfile.h"
#include "harness/report/read_shards.h"

#define JIT "CUDA_FORCE_PTX_JIT"
#define LOG_NAME "output.txt"
#define LOG_MAX (64u << 20)

/* The words of a cell's command; they point into the options and into this struct. */
struct words {
	char **word;
	size_t n, cap;
	char dashed[BC_RUN_OPTIONS_MAX][40];
	char number[BC_RUN_OPTIONS_MAX][BC_OPTION_BUF];
};

static enum bc_status add_word(struct words *w, const char *word, struct bc_error *err)
{
	if (w->n + 1 >= w->cap) {
		const size_t cap = w->cap ? 2 * w->cap : 64;
		char **grown = realloc(w->word, cap * sizeof(*grown));

		if (!grown)
			return bc_fail(err, BC_ENOMEM, "matrix: out of memory");
		w->word = grown;
		w->cap = cap;
	}
	w->word[w->n++] = (char *)word; /* exec changes none of them */
	w->word[w->n] = NULL;
	return BC_OK;
}

static enum bc_status add_pair(struct words *w, const char *name, const char *value, struct bc_error *err)
{
	enum bc_status st = value ? add_word(w, name, err) : BC_OK;

	return st || !value ? st : add_word(w, value, err);
}

/* Is the option one that each cell has its own of? */
static bool is_own(const struct bc_option *row)
{
	return strcmp(row->name, "kernels") == 0 || strcmp(row->name, "cupti") == 0 ||
	       strcmp(row->name, "reports") == 0;
}

/* An option of the run, as it was given. */
static enum bc_status add_option(struct words *w, size_t i, const struct bc_run_options *o, struct bc_error *err)
{
	const struct bc_option *row = &bc_run_option_table[i];
	enum bc_status st = BC_OK;

	if (is_own(row) || bc_option_is_preset(row, o))
		return BC_OK;
	(void)snprintf(w->dashed[i], sizeof(w->dashed[i]), "--%s", row->name);
	if (row->type == BC_OPTION_LIST) {
		const struct bc_option_list *list =
			(const struct bc_option_list *)(const void *)((const char *)o + row->offset);

		for (size_t k = 0; !st && k < list->n; k++)
			st = add_pair(w, w->dashed[i], list->item[k], err);
		return st;
	}
	st = add_word(w, w->dashed[i], err);
	return st || !row->argument ? st : add_word(w, bc_option_text(row, o, w->number[i]), err);
}

static enum bc_status make_words(const struct bc_matrix_options *o, const struct bc_cell *c, const char *dir,
				 struct words *w, struct bc_error *err)
{
	enum bc_status st = add_word(w, o->self, err);

	if (!st)
		st = add_word(w, "run", err);
	for (size_t i = 0; !st && i < bc_run_option_count; i++)
		st = add_option(w, i, o->run, err);
	if (!st)
		st = add_pair(w, "--kernels", c->kernels, err);
	if (!st)
		st = add_pair(w, "--cupti", c->cupti, err);
	return st ? st : add_pair(w, "--reports", dir, err);
}

/* The child: what it prints goes into the log. */
static _Noreturn void be_cell(const struct bc_matrix_options *o, const struct bc_cell *c, char **word, const char *log)
{
	const int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(2);
	if (o->ptx) /* otherwise the environment is the user's */
		(void)(c->kind == BC_CELL_PTX ? setenv(JIT, "1", 1) : unsetenv(JIT));
	(void)execv(word[0], word);
	(void)fprintf(stderr, "bankcheck: matrix: %s cannot be started: %s\n", word[0], strerror(errno));
	_exit(2);
}

static volatile sig_atomic_t caught;

static void on_signal(int signal)
{
	caught = signal;
}

/* Wait for the cell; a signal that would end this process ends the cell instead, which then writes its reports. */
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

/* A cell's last words, as the reason why it has no report. */
static void read_last_words(const char *log, char *out, size_t size)
{
	struct bc_text text = { 0 };
	struct bc_error err;

	(void)bc_strlcpy(out, "it says nothing", size);
	if (!bc_file_read(log, LOG_MAX, &text, &err) && text.data) {
		char *save = NULL;

		for (char *line = strtok_r(text.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
			if (line[strspn(line, " \t")])
				(void)bc_strlcpy(out, strncmp(line, "bankcheck: ", 11) == 0 ? line + 11 : line, size);
	}
	bc_text_release(&text);
}

static enum bc_status read_reports(const char *word, struct bc_read_file **files, size_t *n, struct bc_error *err)
{
	char **paths = NULL;
	size_t npaths = 0;
	enum bc_status st = bc_report_paths(word, &paths, &npaths, err);

	if (!st) {
		*files = calloc(npaths + 1, sizeof(**files));
		if (!*files)
			st = bc_fail(err, BC_ENOMEM, "matrix: out of memory");
	}
	for (size_t i = 0; !st && i < npaths; i++) {
		st = bc_report_read(paths[i], &(*files)[i], err);
		*n += !st;
	}
	if (!st)
		st = bc_report_join(*files, *n, err);
	for (size_t i = 0; i < npaths; i++)
		free(paths[i]);
	free(paths);
	return st;
}

/* Reports of an earlier matrix must not pass for this one's. */
static void remove_old_reports(const char *dir)
{
	struct bc_error err;
	char **paths = NULL;
	size_t n = 0;

	if (!bc_report_paths(dir, &paths, &n, &err))
		for (size_t i = 0; i < n; i++)
			(void)unlink(paths[i]);
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
}

/* The first case of the reports, when the data of none of their cases was looked at; else NULL. */
static const struct bc_read_case *nothing_ran(const struct bc_cell *c)
{
	const struct bc_read_case *first = NULL;

	for (size_t f = 0; f < c->nfiles; f++) {
		for (size_t i = 0; i < c->files[f].ndevices; i++) {
			const struct bc_read_device *d = &c->files[f].devices[i];

			for (size_t k = 0; k < d->ncases; k++) {
				const char *data = bc_key_get(&d->cases[k].keys, "data");

				if (data && (strcmp(data, "right") == 0 || strcmp(data, "wrong") == 0))
					return NULL;
				first = first ? first : &d->cases[k];
			}
		}
	}
	return first;
}

/* What the end of the run means: reports are there but for a cell that could not begin. */
static enum bc_status judge_end(struct bc_cell *c, const char *dir, const char *log, struct bc_error *err)
{
	const struct bc_read_case *first;
	struct bc_error one = { .msg = "" };
	char words[300];
	enum bc_status st = BC_OK;

	if (c->status == 0 || c->status == 1 || c->status == 2 || c->status == 4)
		st = read_reports(dir, &c->files, &c->nfiles, &one);
	if (st == BC_ENOMEM)
		return bc_fail(err, st, "%s", one.msg);
	first = nothing_ran(c);
	if (c->nfiles && c->status != 4 && (c->status != 2 || !first)) /* its findings are in the reports */
		return BC_OK;
	read_last_words(log, words, sizeof(words));
	c->why_status = c->status == 4 ? 4 : 2;
	c->idle = first != NULL;
	if (first)
		(void)snprintf(c->why, sizeof(c->why), "it could run no case: %s", first->message);
	else if (c->nfiles)
		(void)bc_strlcpy(c->why, "its run ended with status 4: something could not be judged", sizeof(c->why));
	else
		(void)snprintf(c->why, sizeof(c->why), "no report, status %d: %s", c->status, words);
	return BC_OK;
}

static enum bc_status run_cell(const struct bc_matrix_options *o, struct bc_cell *c, struct bc_error *err)
{
	struct words w = { .n = 0 };
	char dir[BC_PATH_MAX], log[BC_PATH_MAX + sizeof(LOG_NAME)];
	pid_t pid;
	enum bc_status st = BC_OK;

	if (snprintf(dir, sizeof(dir), "%s/%s", o->reports_dir, c->name) >= (int)sizeof(dir))
		return bc_fail(err, BC_EUSAGE, "--reports: the path is too long");
	(void)snprintf(log, sizeof(log), "%s/" LOG_NAME, dir);
	if (mkdir(dir, 0777) && errno != EEXIST)
		return bc_fail(err, BC_EWRITE, "%s: %s", dir, strerror(errno));
	remove_old_reports(dir);
	st = make_words(o, c, dir, &w, err);
	if (!st) {
		(void)fflush(NULL);
		pid = fork();
		if (pid == 0)
			be_cell(o, c, w.word, log);
		if (pid < 0)
			st = bc_fail(err, BC_EDEVICE, "matrix: fork: %s", strerror(errno));
		else
			c->status = wait_for(pid);
	}
	free(w.word);
	return st || caught ? st : judge_end(c, dir, log, err);
}

enum bc_status bc_matrix_run(const struct bc_matrix_options *o, struct bc_matrix *m, bc_matrix_event *event, void *ctx,
			     struct bc_error *err)
{
	const struct sigaction mine = { .sa_handler = on_signal };
	struct bc_cell *baseline = &m->cell[m->ncells];
	struct sigaction old[2];
	enum bc_status st = BC_OK;

	if (m->has_baseline)
		st = read_reports(o->baseline, &baseline->files, &baseline->nfiles, err);
	caught = 0;
	(void)sigaction(SIGINT, &mine, &old[0]);
	(void)sigaction(SIGTERM, &mine, &old[1]);
	for (size_t i = 0; !st && i < m->ncells && !caught; i++) {
		event(ctx, m, &m->cell[i], false);
		st = run_cell(o, &m->cell[i], err);
		if (!st && !caught)
			event(ctx, m, &m->cell[i], true);
	}
	m->signal = caught;
	(void)sigaction(SIGINT, &old[0], NULL);
	(void)sigaction(SIGTERM, &old[1], NULL);
	return st;
}
