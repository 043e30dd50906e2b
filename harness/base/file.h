/* SPDX-License-Identifier: MIT */
/* harness/base/file.h - a file replaces the older one whole or not at all. */
#ifndef BC_BASE_FILE_H
#define BC_BASE_FILE_H

#include <sys/types.h>

#include "harness/base/base.h"

#define BC_PATH_MAX 1024

/* Files that were written, for the summary. Zero-initialise. */
struct bc_paths {
	char **path;
	size_t n;
};

/* Append a copy of @path. */
enum bc_status bc_paths_add(struct bc_paths *p, const char *path, struct bc_error *err);
void bc_paths_release(struct bc_paths *p);

/* The system calls that a replacement makes, so that tests can let each fail. */
struct bc_file_calls {
	ssize_t (*write)(int fd, const void *buf, size_t len);
	int (*fsync)(int fd);
	int (*close)(int fd);
	int (*rename)(const char *from, const char *to);
};

extern const struct bc_file_calls bc_file_system;

/**
 * bc_file_replace - make <dir>/<name> hold @len bytes
 * @calls: &bc_file_system
 * @name:  without '/'
 *
 * Written to <dir>/.<name>.tmp, synced, closed, renamed, and the folder synced. On failure the old file is as it was
 * (but when only the last step, the folder's sync, failed) and the temporary file is gone.
 * Only one process at a time may write one folder (folder.h locks it). What is there and is no regular file (a folder,
 * a device, a pipe), and the file that standard output goes to, is refused and stays.
 *
 * Return: BC_EWRITE naming the path and the step.
 */
enum bc_status bc_file_replace(const struct bc_file_calls *calls, const char *dir, const char *name, const void *data,
			       size_t len, struct bc_error *err);

/* The same for a file that is written piece by piece. */
struct bc_replacement;

enum bc_status bc_replacement_open(const struct bc_file_calls *calls, const char *dir, const char *name,
				   struct bc_replacement **out, struct bc_error *err);
enum bc_status bc_replacement_write(struct bc_replacement *r, const void *data, size_t len, struct bc_error *err);

/* Put the file in its place when @st is BC_OK; else remove what was written. Frees @r. Return: the first failure. */
enum bc_status bc_replacement_end(struct bc_replacement *r, enum bc_status st, struct bc_error *err);

/**
 * bc_file_not_among - is @path another file than each of @read, whatever they are called?
 *
 * Return: BC_EUSAGE when it is one of the @n files that are read, which would be lost.
 */
enum bc_status bc_file_not_among(const char *path, char *const *read, size_t n, struct bc_error *err);

/* What a report names of a path: its last @parts components, "expected/common/stride.txt", for the folders above are of
 * this machine. Return: a place in @path. */
const char *bc_path_end(const char *path, unsigned parts);

/* Leave out what stands before the last component of the folder @dir wherever @text names something in it or beside
 * it: "/opt/x/build/kernels-12.9/a.ptx: ..." becomes "kernels-12.9/a.ptx: ..." for /opt/x/build/kernels. */
void bc_shorten_paths(char *text, const char *dir);

/* The steps of bc_file_replace, for a file that stays open. */

/* Write all of @len bytes to @fd, through short writes and signals. Return: BC_EWRITE naming @path. */
enum bc_status bc_write_all(const struct bc_file_calls *calls, int fd, const void *data, size_t len, const char *path,
			    struct bc_error *err);

/* What was written to @fd to disk, where there is such a thing as a sync. Return: BC_EWRITE naming @path. */
enum bc_status bc_file_sync(const struct bc_file_calls *calls, int fd, const char *path, struct bc_error *err);

/**
 * bc_file_rename - put the whole file @temp in the place of @path, in the same folder, for good
 *
 * The folder is synced, for a rename alone may be undone when the host goes down. When the rename fails, @temp is
 * removed.
 *
 * Return: BC_EWRITE naming the path.
 */
enum bc_status bc_file_rename(const struct bc_file_calls *calls, const char *temp, const char *path,
			      struct bc_error *err);

#endif
