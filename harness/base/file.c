/* SPDX-License-Identifier: MIT */
#include "harness/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct bc_file_calls bc_file_system = { .write = write, .fsync = fsync, .close = close, .rename = rename };

enum bc_status bc_paths_add(struct bc_paths *p, const char *path, struct bc_error *err)
{
	char *copy = strdup(path);
	char **more = copy ? realloc(p->path, (p->n + 1) * sizeof(*more)) : NULL;

	if (!more) {
		free(copy);
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", path);
	}
	p->path = more;
	p->path[p->n++] = copy;
	return BC_OK;
}

void bc_paths_release(struct bc_paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->path[i]);
	free(p->path);
	*p = (struct bc_paths){ 0 };
}

enum bc_status bc_write_all(const struct bc_file_calls *calls, int fd, const void *data, size_t len, const char *path,
			    struct bc_error *err)
{
	const char *p = data;

	while (len > 0) {
		const ssize_t n = calls->write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return bc_fail(err, BC_EWRITE, "%s: cannot write: %s", path,
				       n < 0 ? strerror(errno) : "no progress");
		p += n;
		len -= (size_t)n;
	}
	return BC_OK;
}

enum bc_status bc_file_sync(const struct bc_file_calls *calls, int fd, const char *path, struct bc_error *err)
{
	/* a pipe, a device, a file system that knows no sync or is only read */
	if (calls->fsync(fd) == 0 || errno == EINVAL || errno == EROFS)
		return BC_OK;
	return bc_fail(err, BC_EWRITE, "%s: cannot sync to disk: %s", path, strerror(errno));
}

/* The folder that @path is in. */
static enum bc_status sync_folder(const struct bc_file_calls *calls, const char *path, struct bc_error *err)
{
	const char *slash = strrchr(path, '/');
	char dir[BC_PATH_MAX] = ".";
	enum bc_status st;
	int fd;

	if (slash) /* with its slash: that of the root too */
		(void)snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path) + 1, path);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return bc_fail(err, BC_EWRITE, "%s: cannot open the folder to sync it: %s", dir, strerror(errno));
	st = bc_file_sync(calls, fd, dir, err);
	if (calls->close(fd) != 0 && !st)
		st = bc_fail(err, BC_EWRITE, "%s: cannot close the folder: %s", dir, strerror(errno));
	return st;
}

enum bc_status bc_file_rename(const struct bc_file_calls *calls, const char *temp, const char *path,
			      struct bc_error *err)
{
	enum bc_status st;

	if (calls->rename(temp, path) == 0)
		return sync_folder(calls, path, err);
	st = bc_fail(err, BC_EWRITE, "%s: cannot rename it to %s: %s", temp, path, strerror(errno));
	(void)unlink(temp);
	return st;
}

/* A rename would put a file in the place of a device or a pipe, /dev/stdout for one. */
static enum bc_status refuse_special(const char *path, struct bc_error *err)
{
	struct stat there, out;

	if (stat(path, &there) != 0)
		return errno == ENOENT ? BC_OK : bc_fail(err, BC_EWRITE, "%s: %s", path, strerror(errno));
	if (!S_ISREG(there.st_mode))
		return bc_fail(err, BC_EWRITE,
			       "%s: is a %s, and a report is a file that replaces what is there: name a file", path,
			       S_ISDIR(there.st_mode) ? "folder" : "device or pipe");
	if (fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == there.st_dev && out.st_ino == there.st_ino)
		return bc_fail(err, BC_EWRITE, "%s: is where standard output goes: name another file", path);
	return BC_OK;
}

struct bc_replacement {
	const struct bc_file_calls *calls;
	int fd; /* of the temporary file; -1: it is closed */
	char path[BC_PATH_MAX], temp[BC_PATH_MAX];
};

enum bc_status bc_replacement_open(const struct bc_file_calls *calls, const char *dir, const char *name,
				   struct bc_replacement **out, struct bc_error *err)
{
	struct bc_replacement *r = malloc(sizeof(*r));
	enum bc_status st = BC_OK;
	int n, m;

	if (!r)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", name);
	r->calls = calls;
	r->fd = -1;
	n = snprintf(r->path, sizeof(r->path), "%s/%s", dir, name);
	m = snprintf(r->temp, sizeof(r->temp), "%s/.%s.tmp", dir, name);
	if (n < 0 || (size_t)n >= sizeof(r->path) || m < 0 || (size_t)m >= sizeof(r->temp))
		st = bc_fail(err, BC_EWRITE, "%.200s...: path of %s longer than %d bytes", dir, name, BC_PATH_MAX - 1);
	if (!st)
		st = refuse_special(r->path, err);
	if (!st && unlink(r->temp) != 0 && errno != ENOENT)
		st = bc_fail(err, BC_EWRITE, "%s: cannot remove what an earlier run left: %s", r->temp,
			     strerror(errno));
	if (!st) {
		r->fd = open(r->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (r->fd < 0)
			st = bc_fail(err, BC_EWRITE, "%s: cannot create: %s", r->temp, strerror(errno));
	}
	if (!st) {
		*out = r;
		r = NULL; /* the caller owns it now */
	}
	free(r);
	return st;
}

enum bc_status bc_replacement_write(struct bc_replacement *r, const void *data, size_t len, struct bc_error *err)
{
	return bc_write_all(r->calls, r->fd, data, len, r->temp, err);
}

enum bc_status bc_replacement_end(struct bc_replacement *r, enum bc_status st, struct bc_error *err)
{
	if (!st)
		st = bc_file_sync(r->calls, r->fd, r->temp, err);
	if (r->calls->close(r->fd) != 0 && !st)
		st = bc_fail(err, BC_EWRITE, "%s: cannot close: %s", r->temp, strerror(errno));
	if (!st)
		st = bc_file_rename(r->calls, r->temp, r->path, err);
	else
		(void)unlink(r->temp); /* the first failure is the one to tell */
	free(r);
	return st;
}

enum bc_status bc_file_replace(const struct bc_file_calls *calls, const char *dir, const char *name, const void *data,
			       size_t len, struct bc_error *err)
{
	struct bc_replacement *r = NULL;
	enum bc_status st = bc_replacement_open(calls, dir, name, &r, err);

	return st ? st : bc_replacement_end(r, bc_replacement_write(r, data, len, err), err);
}

enum bc_status bc_file_not_among(const char *path, char *const *read, size_t n, struct bc_error *err)
{
	struct stat out, in;

	if (stat(path, &out) != 0)
		return errno == ENOENT ? BC_OK : bc_fail(err, BC_EWRITE, "%s: %s", path, strerror(errno));
	for (size_t i = 0; i < n; i++)
		if (stat(read[i], &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return bc_fail(err, BC_EUSAGE,
				       "--output %s: is %s, a report that is read and would be lost: name another file",
				       path, read[i]);
	return BC_OK;
}

const char *bc_path_end(const char *path, unsigned parts)
{
	const char *at = path + strlen(path);

	while (at > path && !(at[-1] == '/' && --parts == 0))
		at--;
	return at;
}

/* Can @c stand before a path in a text? */
static bool ends_before_path(char c)
{
	return strchr(" \t\n\"'`(=:,;", c) != NULL;
}

void bc_shorten_paths(char *text, const char *dir)
{
	size_t above = strlen(dir); /* bytes of what stands before the last component */

	while (above > 0 && dir[above - 1] == '/')
		above--;
	while (above > 0 && dir[above - 1] != '/')
		above--;
	if (dir[0] != '/')
		return; /* it says nothing of the machine */
	for (char *at = text; above > 1 && (at = strchr(at, '/'));) {
		if ((at == text || ends_before_path(at[-1])) && strncmp(at, dir, above) == 0)
			memmove(at, at + above, strlen(at + above) + 1);
		else
			at++;
	}
}
