/* SPDX-License-Identifier: MIT */
#include "harness/app/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/file.h"

#define RECORD_MAX ((size_t)256 << 20)
#define CONFIG_NAME "config"

static volatile sig_atomic_t program; /* its pid while it runs */

/* A signal that is sent to us alone goes on to the program; one from the terminal has reached it by itself. */
static void pass_on(int sig)
{
	if (program > 0)
		(void)kill((pid_t)program, sig);
}

static void set_handlers(struct sigaction old[2])
{
	struct sigaction act = { .sa_handler = pass_on, .sa_flags = SA_RESTART };

	(void)sigemptyset(&act.sa_mask);
	(void)sigaction(SIGTERM, &act, &old[0]);
	act.sa_handler = SIG_IGN; /* a Ctrl-C is for the program: we wait for its end */
	(void)sigaction(SIGINT, &act, &old[1]);
}

static void restore_handlers(const struct sigaction old[2])
{
	(void)sigaction(SIGTERM, &old[0], NULL);
	(void)sigaction(SIGINT, &old[1], NULL);
}

/* In the child: become the program. @back: where errno goes when that fails. */
static void become(char *const *argv, const char *library, const char *config, const struct sigaction old[2], int back)
{
	int failed;

	restore_handlers(old);
	if (setenv("CUDA_INJECTION64_PATH", library, 1) == 0 && setenv(BC_APP_ENVIRONMENT, config, 1) == 0)
		(void)execvp(argv[0], argv);
	failed = errno;
	(void)!write(back, &failed, sizeof(failed));
	_exit(127);
}

static enum bc_status start(char *const *argv, const char *library, const char *config, const struct sigaction old[2],
			    pid_t *pid, struct bc_error *err)
{
	int ends[2], failed = 0;
	ssize_t got;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return bc_fail(err, BC_EDEVICE, "app: pipe: %s", strerror(errno));
	(void)fflush(NULL);
	*pid = fork();
	if (*pid == 0)
		become(argv, library, config, old, ends[1]);
	(void)close(ends[1]);
	if (*pid < 0) {
		(void)close(ends[0]);
		return bc_fail(err, BC_EDEVICE, "app: fork: %s", strerror(errno));
	}
	while ((got = read(ends[0], &failed, sizeof(failed))) < 0 && errno == EINTR)
		;
	(void)close(ends[0]);
	if (got == 0)
		return BC_OK;
	(void)waitpid(*pid, NULL, 0);
	return bc_fail(err, BC_EUSAGE, "%s: %s", argv[0], strerror(failed));
}

static int is_record(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && strcmp(dot, ".record") == 0;
}

static enum bc_status gather(const char *dir, struct bc_app_record **records, size_t *n, struct bc_error *err)
{
	struct dirent **names = NULL;
	const int found = scandir(dir, &names, is_record, alphasort);
	enum bc_status st = BC_OK;

	if (found < 0)
		return bc_fail(err, BC_EREAD, "%s: %s", dir, strerror(errno));
	*records = calloc((size_t)found + 1, sizeof(**records));
	if (!*records)
		st = bc_fail(err, BC_ENOMEM, "app: out of memory");
	for (int i = 0; i < found; i++) {
		char path[BC_PATH_MAX + 300];
		struct bc_text text = { 0 };

		(void)snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		if (!st)
			st = bc_file_read(path, RECORD_MAX, &text, err);
		if (!st)
			st = bc_app_record_read(text.data, path, &(*records)[(*n)++], err);
		bc_text_release(&text);
		free(names[i]);
	}
	free(names);
	return st;
}

static void remove_folder(const char *dir)
{
	DIR *d = opendir(dir);

	for (struct dirent *e; d && (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			(void)unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		(void)closedir(d);
	(void)rmdir(dir);
}

static enum bc_status write_config(const char *dir, const struct bc_app_config *c, struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st = bc_app_config_write(c, &text, err);

	if (!st)
		st = bc_file_replace(&bc_file_system, dir, CONFIG_NAME, text.data, text.len, err);
	bc_text_release(&text);
	return st;
}

enum bc_status bc_app_run(char *const *argv, const char *library, struct bc_app_config *config, struct bc_app_end *end,
			  struct bc_app_record **records, size_t *n, struct bc_error *err)
{
	const char *tmp = getenv("TMPDIR");
	char dir[BC_PATH_MAX], path[BC_PATH_MAX + 16];
	const double began = bc_now();
	struct sigaction old[2];
	pid_t pid = 0;
	int status = 0;
	enum bc_status st;

	*records = NULL;
	*n = 0;
	*end = (struct bc_app_end){ .status = 127 };
	(void)snprintf(dir, sizeof(dir), "%.900s/bankcheck-app-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return bc_fail(err, BC_EDEVICE, "%s: %s", dir, strerror(errno));
	(void)snprintf(path, sizeof(path), "%s/" CONFIG_NAME, dir);
	config->dir = dir;
	st = write_config(dir, config, err);
	if (!st) {
		set_handlers(old);
		st = start(argv, library, path, old, &pid, err);
		program = st ? 0 : pid;
		while (!st && waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		program = 0;
		restore_handlers(old);
	}
	if (!st) {
		end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		end->status = end->signal ? 128 + end->signal : WEXITSTATUS(status);
		st = gather(dir, records, n, err);
	}
	end->seconds = bc_now() - began;
	remove_folder(dir);
	config->dir = NULL;
	return st;
}
