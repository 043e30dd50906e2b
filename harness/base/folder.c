/* SPDX-License-Identifier: MIT */
#include "harness/base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/file.h"

struct bc_folder {
	int lock; /* descriptor of <dir>/.lock; -1: none */
};

#define ELSEWHERE "choose another folder with --reports DIR"

/* mkdir -p. @dir is not empty and shorter than BC_PATH_MAX. */
static enum bc_status make_folders(const char *dir, struct bc_error *err)
{
	char part[BC_PATH_MAX];
	size_t len = 0;

	while (dir[len]) {
		struct stat sb;
		const char *why;
		int made;

		len += strspn(dir + len, "/");
		len += strcspn(dir + len, "/");
		memcpy(part, dir, len);
		part[len] = '\0';
		if (mkdir(part, 0777) == 0)
			continue;
		made = errno;
		if (stat(part, &sb) != 0)
			why = strerror(made == EEXIST ? errno : made);
		else if (S_ISDIR(sb.st_mode))
			continue;
		else
			why = made == EEXIST ? "there is a file of that name" : strerror(made);
		return bc_fail(err, BC_EWRITE, "%s: cannot make the reports folder: %s: %s; " ELSEWHERE, dir, part,
			       why);
	}
	return BC_OK;
}

/* Make a file in the folder and remove it: permissions, a read-only file system and a full one show here. */
static enum bc_status try_to_write(const char *dir, struct bc_error *err)
{
	char path[BC_PATH_MAX + 16];
	enum bc_status st;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/.probe", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return bc_fail(err, BC_EWRITE, "%s: cannot write in the reports folder: %s; " ELSEWHERE, dir,
			       strerror(errno));
	st = bc_write_all(&bc_file_system, fd, "\n", 1, path, err);
	if (close(fd) != 0 && !st)
		st = bc_fail(err, BC_EWRITE, "%s: cannot close: %s", path, strerror(errno));
	if (unlink(path) != 0 && !st)
		st = bc_fail(err, BC_EWRITE, "%s: cannot remove: %s", path, strerror(errno));
	return st;
}

/* The folder is locked by somebody else; say by whom. */
static enum bc_status locked(int fd, const char *dir, struct bc_error *err)
{
	char holder[32] = "";
	const ssize_t n = pread(fd, holder, sizeof(holder) - 1, 0);
	const size_t digits = n > 0 ? strspn(holder, "0123456789") : 0;

	holder[digits] = '\0';
	return bc_fail(err, BC_EWRITE,
		       "%s: another bankcheck (pid %s) is writing its reports here; wait for it, or " ELSEWHERE, dir,
		       digits ? holder : "not yet known");
}

static enum bc_status take_lock(struct bc_folder *f, const char *dir, struct bc_error *err)
{
	char path[BC_PATH_MAX + 16], pid[24];
	int n;

	(void)snprintf(path, sizeof(path), "%s/.lock", dir);
	f->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (f->lock < 0)
		return bc_fail(err, BC_EWRITE, "%s: cannot write in the reports folder: %s: %s; " ELSEWHERE, dir, path,
			       strerror(errno));
	if (flock(f->lock, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EWOULDBLOCK)
			return locked(f->lock, dir, err);
		return bc_fail(err, BC_EWRITE, "%s: cannot lock: %s; " ELSEWHERE, path, strerror(errno));
	}
	n = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
	if (ftruncate(f->lock, 0) != 0)
		return bc_fail(err, BC_EWRITE, "%s: cannot empty: %s", path, strerror(errno));
	return bc_write_all(&bc_file_system, f->lock, pid, (size_t)n, path, err);
}

enum bc_status bc_folder_open(const char *dir, struct bc_folder **out, struct bc_error *err)
{
	struct bc_folder *f;
	enum bc_status st;

	if (!dir[0] || strlen(dir) >= BC_PATH_MAX)
		return bc_fail(err, BC_EWRITE, "reports folder: its name must have 1 to %d bytes", BC_PATH_MAX - 1);
	f = malloc(sizeof(*f));
	if (!f)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", dir);
	f->lock = -1;
	st = make_folders(dir, err);
	if (!st)
		st = take_lock(f, dir, err);
	if (!st)
		st = try_to_write(dir, err);
	if (!st) {
		*out = f;
		f = NULL; /* the caller owns it now */
	}
	bc_folder_close(f);
	return st;
}

void bc_folder_close(struct bc_folder *f)
{
	if (!f)
		return;
	if (f->lock >= 0)
		(void)close(f->lock); /* ends the lock; nothing in the file matters any more */
	free(f);
}
