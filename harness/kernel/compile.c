/* SPDX-License-Identifier: MIT */
#include "harness/kernel/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 64

/* nvcc of CUDA_HOME, which decides alone; else of the PATH, else of /usr/local/cuda. */
static bool find_nvcc(char *path, size_t size)
{
	const char *home = getenv("CUDA_HOME"), *search = getenv("PATH");

	if (home && *home)
		return (size_t)snprintf(path, size, "%s/bin/nvcc", home) < size && access(path, X_OK) == 0;
	for (const char *at = search ? search : ""; *at;) {
		const size_t len = strcspn(at, ":");

		if (len && (size_t)snprintf(path, size, "%.*s/nvcc", (int)len, at) < size && access(path, X_OK) == 0)
			return true;
		at += len + (at[len] == ':');
	}
	return (size_t)snprintf(path, size, "/usr/local/cuda/bin/nvcc") < size && access(path, X_OK) == 0;
}

/* What ends us ends nvcc first, and waits until its folder is removed. */
static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

#define NENDING BC_ARRAY_LEN(ending)

static volatile sig_atomic_t ended_by; /* 0: nothing */
static volatile sig_atomic_t compiler; /* its process group while it runs, 0: none */

static void end_compiler(int sig)
{
	ended_by = sig;
	if (compiler > 0)
		(void)kill(-(pid_t)compiler, SIGTERM);
}

/* What is ignored (nohup) stays so. */
static void set_handlers(struct sigaction old[NENDING])
{
	struct sigaction act = { .sa_handler = end_compiler };

	(void)sigemptyset(&act.sa_mask);
	ended_by = 0;
	for (size_t i = 0; i < NENDING; i++)
		if (sigaction(ending[i], NULL, &old[i]) == 0 && old[i].sa_handler != SIG_IGN)
			(void)sigaction(ending[i], &act, NULL);
}

static void restore_handlers(const struct sigaction old[NENDING])
{
	for (size_t i = 0; i < NENDING; i++)
		(void)sigaction(ending[i], &old[i], NULL);
}

static void become(char *const *word, const char *said, const sigset_t *mask)
{
	const int fd = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (size_t i = 0; i < NENDING; i++)
		(void)signal(ending[i], SIG_DFL);
	if (fd < 0 || setpgid(0, 0) || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0 ||
	    sigprocmask(SIG_SETMASK, mask, NULL))
		_exit(127);
	(void)execv(word[0], word);
	_exit(127);
}

/* In a process group of its own: nvcc's own children end with it. Return: its exit status, -1: none. */
static int run(char *const *word, const char *said)
{
	int status = -1;
	sigset_t held, before;
	pid_t pid = -1;

	(void)sigemptyset(&held);
	for (size_t i = 0; i < NENDING; i++)
		(void)sigaddset(&held, ending[i]);
	(void)sigprocmask(SIG_BLOCK, &held, &before); /* until we know whom to end */
	if (!ended_by)
		pid = fork();
	if (pid == 0)
		become(word, said, &before);
	if (pid > 0) {
		(void)setpgid(pid, pid); /* whichever of the two comes first */
		compiler = pid;
	}
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	compiler = 0;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Has the line at @at the word? */
static bool line_has(const char *at, const char *word)
{
	const char *found = strstr(at, word);

	return found && found < at + strcspn(at, "\n");
}

/* The first line of nvcc's words that is an error. */
static enum bc_status refuse(const char *file, int status, const char *said, struct bc_error *err)
{
	const char *at = said;

	while (*at && !line_has(at, "error"))
		at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
	at = *at ? at : said;
	return bc_fail(err, BC_EDATA, "%s: nvcc does not compile it (exit status %d): %.*s", file, status,
		       (int)strcspn(at, "\n"), at);
}

/* nvcc in the folder @dir; @flags is taken apart in place. */
static enum bc_status call(const char *nvcc, const char *file, const char *arch, char *flags, const char *dir,
			   struct bc_text *ptx, struct bc_error *err)
{
	char target[32], out[BC_PATH_MAX], said[BC_PATH_MAX], *word[WORDS_MAX + 1], *rest = NULL;
	struct bc_text text = { 0 };
	size_t n = 0;
	enum bc_status st = BC_OK;
	int status;

	(void)snprintf(target, sizeof(target), "-arch=compute_%s", arch + 3);
	(void)snprintf(out, sizeof(out), "%s/kernel.ptx", dir);
	(void)snprintf(said, sizeof(said), "%s/said", dir);
	word[n++] = (char *)nvcc; /* exec changes none of them */
	word[n++] = (char *)"-ptx";
	word[n++] = (char *)"-lineinfo";
	word[n++] = target;
	for (char *w = strtok_r(flags, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest)) {
		if (n + 4 > WORDS_MAX)
			return bc_fail(err, BC_EUSAGE, "--nvcc-flags: more than %d words", WORDS_MAX - 7);
		word[n++] = w;
	}
	word[n++] = (char *)"-o";
	word[n++] = out;
	word[n++] = (char *)file;
	word[n] = NULL;
	status = run(word, said);
	if (status == 0)
		st = bc_file_read(out, BC_PTX_TEXT_MAX, ptx, err);
	else if (status < 0 || bc_file_read(said, BC_PTX_TEXT_MAX, &text, NULL))
		st = bc_fail(err, BC_EDEVICE, "%s: nvcc could not be run", file);
	else
		st = refuse(file, status, text.data ? text.data : "", err);
	bc_text_release(&text);
	(void)unlink(out);
	(void)unlink(said);
	return st;
}

enum bc_status bc_kernel_compile(const char *file, const char *arch, const char *flags, struct bc_text *ptx,
				 struct bc_error *err)
{
	const char *tmp = getenv("TMPDIR");
	char nvcc[BC_PATH_MAX], dir[BC_PATH_MAX - 32], *words;
	struct sigaction old[NENDING];
	enum bc_status st;

	if (access(file, R_OK) != 0)
		return bc_fail(err, BC_EREAD, "%s: cannot be opened: %s", file, strerror(errno));
	if (!find_nvcc(nvcc, sizeof(nvcc)))
		return bc_fail(
			err, BC_EUSAGE,
			"%s: nvcc is not here to compile it (CUDA_HOME, PATH, /usr/local/cuda): give the PTX, which "
			"`nvcc -ptx -lineinfo` writes",
			file);
	words = strdup(flags ? flags : "");
	if (!words)
		return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
	set_handlers(old);
	if ((size_t)snprintf(dir, sizeof(dir), "%s/bankcheck-kernel-XXXXXX", tmp && *tmp ? tmp : "/tmp") >=
		    sizeof(dir) ||
	    !mkdtemp(dir)) {
		st = bc_fail(err, BC_EWRITE, "%s: a folder cannot be made: %s", tmp ? tmp : "/tmp", strerror(errno));
	} else {
		st = call(nvcc, file, arch, words, dir, ptx, err);
		(void)rmdir(dir);
	}
	restore_handlers(old);
	free(words);
	if (ended_by)
		(void)raise(ended_by);
	return st;
}
