/* SPDX-License-Identifier: MIT */
/*
 * harness/tests/run/inject.c - makes one call of the program fail. build/bankcheck-inject is the program's own objects
 * linked with this file and -Wl,--wrap=CALL for each call below (INJECT_CALLS of the Makefile), static libraries
 * included.
 *
 * BC_INJECT=CLASS:N     the N-th call of that class (counted in each process) fails, once in all processes together;
 *                       CLASS:N+ makes it and all later ones fail, in every process. N is 0 for none.
 * BC_INJECT_IN=ROLE     whose call: parent, child (between fork and exec) or worker
 * BC_INJECT_FIRED=FILE  gets a line "<call> <class>: <error in words>" when it came to that
 * BC_INJECT_COUNT=FILE  gets a line "<role> <class> <calls>" for each class when a process ends
 *
 * A call that fails does nothing, but for close and fclose, which close. Interrupted (eintr) and short calls are no
 * failures: nothing may change by them. Standard output and the worker's input are stdio streams, whose own calls are
 * inside the C library; they are put on calls of this file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libxml/xmlmemory.h>

enum class { MEM, XML, READ, WRITE, EPIPED, OPEN, CLOSE, SYNC, DIRS, STAT, PROC, INTR, SHORT, NCLASSES };
enum role { NOBODY, PARENT, CHILD, WORKER };

static const char *const class_names[NCLASSES] = {
	[MEM] = "mem",	 [XML] = "xml",	    [READ] = "read",   [WRITE] = "write", [EPIPED] = "epipe",
	[OPEN] = "open", [CLOSE] = "close", [SYNC] = "sync",   [DIRS] = "dir",	  [STAT] = "stat",
	[PROC] = "proc", [INTR] = "eintr",  [SHORT] = "short",
};
static const char *const role_names[] = { [NOBODY] = "", [PARENT] = "parent", [CHILD] = "child", [WORKER] = "worker" };

static enum role role, wanted_role;
static enum class wanted_class = NCLASSES;
static unsigned long wanted;
static bool for_good;
static atomic_ulong calls[NCLASSES];
static const char *fired, *count;

/* Without the wrapped calls. */
static void append(const char *path, int flags, const char *text)
{
	const long fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0666);

	if (fd < 0)
		return;
	(void)syscall(SYS_write, fd, text, strlen(text));
	(void)syscall(SYS_close, fd);
}

/* The first process and thread that gets here may fail its call. */
static bool claim(enum class c, const char *call, int error)
{
	char line[128];
	struct stat s;

	if (!fired)
		return true;
	if (!for_good && syscall(SYS_newfstatat, AT_FDCWD, fired, &s, 0) == 0)
		return false;
	(void)snprintf(line, sizeof(line), "%s %s: %s\n", call, class_names[c], strerror(error));
	append(fired, for_good ? 0 : O_EXCL, line);
	return true;
}

/* Is it this call's turn to fail? Sets errno. */
static bool hit(enum class c, const char *call, int error)
{
	unsigned long n;
	int was = errno;

	if (role == NOBODY)
		return false;
	n = atomic_fetch_add(&calls[c], 1) + 1;
	if (role != wanted_role || c != wanted_class || !wanted || (for_good ? n < wanted : n != wanted) ||
	    !claim(c, call, error)) {
		errno = was;
		return false;
	}
	errno = error;
	return true;
}

/* A call that does nothing and returns @bad. */
#define WRAP(type, name, params, args, class, error, bad)                     \
	type __real_##name params;                                            \
	type __wrap_##name params;                                            \
	type __wrap_##name params                                             \
	{                                                                     \
		return hit(class, #name, error) ? (bad) : __real_##name args; \
	}

/* The same, where it may be interrupted too. */
#define WRAP_SLOW(type, name, params, args, class, error, bad)           \
	type __real_##name params;                                       \
	type __wrap_##name params;                                       \
	type __wrap_##name params                                        \
	{                                                                \
		if (hit(INTR, #name, EINTR) || hit(class, #name, error)) \
			return (bad);                                    \
		return __real_##name args;                               \
	}

/* The same, where it may move less than was asked for too. */
#define WRAP_MOVE(name, params, args, args_of_one, class, error)         \
	ssize_t __real_##name params;                                    \
	ssize_t __wrap_##name params;                                    \
	ssize_t __wrap_##name params                                     \
	{                                                                \
		if (hit(INTR, #name, EINTR) || hit(class, #name, error)) \
			return -1;                                       \
		if (size > 1 && hit(SHORT, #name, errno))                \
			return __real_##name args_of_one;                \
		return __real_##name args;                               \
	}

/* Closed all the same. */
#define WRAP_CLOSE(type, name, params, args)            \
	type __real_##name params;                      \
	type __wrap_##name params;                      \
	type __wrap_##name params                       \
	{                                               \
		const type r = __real_##name args;      \
                                                        \
		return hit(CLOSE, #name, EIO) ? -1 : r; \
	}

#define WRAP_OPEN(name)                                                                  \
	int __real_##name(const char *path, int flags, ...);                             \
	int __wrap_##name(const char *path, int flags, ...);                             \
	int __wrap_##name(const char *path, int flags, ...)                              \
	{                                                                                \
		va_list ap;                                                              \
		mode_t mode = 0;                                                         \
                                                                                         \
		va_start(ap, flags);                                                     \
		if (flags & O_CREAT)                                                     \
			mode = va_arg(ap, mode_t);                                       \
		va_end(ap);                                                              \
		return hit(OPEN, #name, EMFILE) ? -1 : __real_##name(path, flags, mode); \
	}

/* All commands that the program uses take a pointer-sized argument or none. */
#define WRAP_FCNTL(name)                                                                                      \
	int __real_##name(int fd, int cmd, ...);                                                              \
	int __wrap_##name(int fd, int cmd, ...);                                                              \
	int __wrap_##name(int fd, int cmd, ...)                                                               \
	{                                                                                                     \
		va_list ap;                                                                                   \
		void *arg;                                                                                    \
                                                                                                              \
		va_start(ap, cmd);                                                                            \
		arg = va_arg(ap, void *);                                                                     \
		va_end(ap);                                                                                   \
		return hit(PROC, #name, cmd == F_DUPFD ? EMFILE : ENOLCK) ? -1 : __real_##name(fd, cmd, arg); \
	}

WRAP(void *, malloc, (size_t size), (size), MEM, ENOMEM, NULL)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), MEM, ENOMEM, NULL)
WRAP(void *, realloc, (void *p, size_t size), (p, size), MEM, ENOMEM, NULL)
WRAP(char *, strdup, (const char *s), (s), MEM, ENOMEM, NULL)
WRAP(char *, strndup, (const char *s, size_t n), (s, n), MEM, ENOMEM, NULL)
WRAP(int, vasprintf, (char **s, const char *fmt, va_list ap), (s, fmt, ap), MEM, ENOMEM, -1)
WRAP(void *, mmap, (void *a, size_t n, int prot, int flags, int fd, off_t o), (a, n, prot, flags, fd, o), MEM, ENOMEM,
     MAP_FAILED)
WRAP(void *, mmap64, (void *a, size_t n, int prot, int flags, int fd, off_t o), (a, n, prot, flags, fd, o), MEM, ENOMEM,
     MAP_FAILED)

WRAP_MOVE(read, (int fd, void *p, size_t size), (fd, p, size), (fd, p, 1), READ, EIO)
WRAP_MOVE(pread, (int fd, void *p, size_t size, off_t at), (fd, p, size, at), (fd, p, 1, at), READ, EIO)
WRAP_MOVE(pread64, (int fd, void *p, size_t size, off_t at), (fd, p, size, at), (fd, p, 1, at), READ, EIO)
WRAP(struct dirent *, readdir, (DIR * d), (d), READ, EIO, NULL)

ssize_t __real_write(int fd, const void *p, size_t size);
ssize_t __wrap_write(int fd, const void *p, size_t size);
ssize_t __wrap_write(int fd, const void *p, size_t size)
{
	if (hit(INTR, "write", EINTR) || hit(EPIPED, "write", EPIPE) || hit(WRITE, "write", ENOSPC))
		return -1;
	return __real_write(fd, p, size > 1 && hit(SHORT, "write", errno) ? 1 : size);
}
WRAP_MOVE(pwrite64, (int fd, const void *p, size_t size, off_t at), (fd, p, size, at), (fd, p, 1, at), WRITE, ENOSPC)

WRAP_OPEN(open)
WRAP_OPEN(open64)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), OPEN, EMFILE, NULL)
WRAP(DIR *, opendir, (const char *path), (path), OPEN, EMFILE, NULL)
WRAP(int, scandir,
     (const char *path, struct dirent ***list, int (*f)(const struct dirent *),
      int (*order)(const struct dirent **, const struct dirent **)),
     (path, list, f, order), OPEN, EMFILE, -1)
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), OPEN, EMFILE, -1)
WRAP(int, mkstemp, (char *path), (path), OPEN, EMFILE, -1)
WRAP_CLOSE(int, close, (int fd), (fd))
WRAP_CLOSE(int, fclose, (FILE * f), (f))

WRAP(int, fsync, (int fd), (fd), SYNC, EIO, -1)
WRAP(int, fdatasync, (int fd), (fd), SYNC, EIO, -1)

WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), DIRS, EACCES, -1)
WRAP(int, rename, (const char *from, const char *to), (from, to), DIRS, EACCES, -1)
WRAP(int, unlink, (const char *path), (path), DIRS, EACCES, -1)
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), DIRS, EIO, -1)
WRAP(int, ftruncate64, (int fd, off_t size), (fd, size), DIRS, EIO, -1)
WRAP(int, flock, (int fd, int what), (fd, what), DIRS, ENOLCK, -1)

WRAP(int, stat, (const char *path, struct stat *s), (path, s), STAT, EIO, -1)
WRAP(int, stat64, (const char *path, struct stat64 *s), (path, s), STAT, EIO, -1)
WRAP(int, lstat64, (const char *path, struct stat64 *s), (path, s), STAT, EIO, -1)
WRAP(int, fstat, (int fd, struct stat *s), (fd, s), STAT, EIO, -1)
WRAP(int, fstat64, (int fd, struct stat64 *s), (fd, s), STAT, EIO, -1)
WRAP(int, access, (const char *path, int mode), (path, mode), STAT, EIO, -1)
WRAP(ssize_t, readlink, (const char *path, char *buf, size_t size), (path, buf, size), STAT, EIO, -1)
WRAP(char *, getcwd, (char *buf, size_t size), (buf, size), STAT, ENOENT, NULL)

WRAP(int, pipe2, (int fd[2], int flags), (fd, flags), PROC, EMFILE, -1)
WRAP(int, dup2, (int from, int to), (from, to), PROC, EMFILE, -1)
WRAP(int, execv, (const char *path, char *const *argv), (path, argv), PROC, EACCES, -1)
WRAP_FCNTL(fcntl)
WRAP_FCNTL(fcntl64)
WRAP_SLOW(pid_t, waitpid, (pid_t pid, int *status, int flags), (pid, status, flags), PROC, ECHILD, -1)
WRAP_SLOW(int, poll, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms), PROC, ENOMEM, -1)
WRAP(int, pthread_create, (pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *arg), (t, a, f, arg), PROC,
     EAGAIN, EAGAIN)

int __real_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
	if (!hit(INTR, "nanosleep", EINTR))
		return __real_nanosleep(t, left);
	if (left)
		*left = *t;
	return -1;
}

pid_t __real_fork(void);
pid_t __wrap_fork(void);
pid_t __wrap_fork(void)
{
	const pid_t pid = hit(PROC, "fork", EAGAIN) ? -1 : __real_fork();

	if (pid == 0) {
		role = CHILD;
		for (int c = 0; c < NCLASSES; c++)
			atomic_store(&calls[c], 0);
	}
	return pid;
}

/* ---------------------------------------------------------------------------------------------- stdio */
/* As stdio's own: it goes on after a short write, and passes a failure on. What is interrupted by a signal that the
 * program handles ends the run, so that is not tried here. */
static ssize_t write_out(void *cookie, const char *data, size_t size)
{
	size_t done = 0;

	(void)cookie;
	while (done < size) {
		ssize_t n;

		if (hit(EPIPED, "stdout", EPIPE) || hit(WRITE, "stdout", ENOSPC))
			break;
		n = __real_write(STDOUT_FILENO, data + done,
				 size - done > 1 && hit(SHORT, "stdout", errno) ? 1 : size - done);
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static ssize_t read_in(void *cookie, char *data, size_t size)
{
	return __wrap_read((int)(intptr_t)cookie, data, size);
}

static int close_in(void *cookie)
{
	return __wrap_close((int)(intptr_t)cookie);
}

FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode)
{
	const cookie_io_functions_t io = { .read = read_in, .close = close_in };

	if (hit(OPEN, "fdopen", EMFILE))
		return NULL;
	return strcmp(mode, "r") == 0 ? fopencookie((void *)(intptr_t)fd, mode, io) : __real_fdopen(fd, mode);
}

/* ---------------------------------------------------------------------------------------------- libxml2 */
static void *xml_malloc(size_t size)
{
	return hit(XML, "xml malloc", ENOMEM) ? NULL : __real_malloc(size);
}

static void *xml_realloc(void *p, size_t size)
{
	return hit(XML, "xml realloc", ENOMEM) ? NULL : __real_realloc(p, size);
}

static char *xml_strdup(const char *s)
{
	return hit(XML, "xml strdup", ENOMEM) ? NULL : __real_strdup(s);
}

/* ---------------------------------------------------------------------------------------------- begin and end */
static void take_order(const char *order)
{
	const char *colon = order ? strchr(order, ':') : NULL;
	char *end;

	for (int c = 0; colon && c < NCLASSES; c++)
		if (strlen(class_names[c]) == (size_t)(colon - order) &&
		    strncmp(order, class_names[c], (size_t)(colon - order)) == 0)
			wanted_class = (enum class)c;
	if (!colon || wanted_class == NCLASSES) {
		(void)fputs("BC_INJECT: CLASS:N or CLASS:N+, see harness/tests/run/inject.c\n", stderr);
		_exit(125);
	}
	wanted = strtoul(colon + 1, &end, 10);
	for_good = *end == '+';
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **envp)
{
	const cookie_io_functions_t io = { .write = write_out };
	const char *in = getenv("BC_INJECT_IN"), *order = getenv("BC_INJECT");
	FILE *out;

	(void)envp;
	fired = getenv("BC_INJECT_FIRED");
	count = getenv("BC_INJECT_COUNT");
	if (order)
		take_order(order);
	for (int r = PARENT; in && r <= WORKER; r++)
		if (strcmp(in, role_names[r]) == 0)
			wanted_role = (enum role)r;
	out = fopencookie(NULL, "w", io);
	if (!out || xmlMemSetup(free, xml_malloc, xml_realloc, xml_strdup))
		_exit(125);
	stdout = out;
	role = argc > 1 && strcmp(argv[1], "worker") == 0 ? WORKER : PARENT;
}

__attribute__((destructor)) static void end(void)
{
	const char *who = role_names[role];

	role = NOBODY;
	for (int c = 0; count && c < NCLASSES; c++) {
		char line[64];

		(void)snprintf(line, sizeof(line), "%s %s %lu\n", who, class_names[c], atomic_load(&calls[c]));
		append(count, 0, line);
	}
}
