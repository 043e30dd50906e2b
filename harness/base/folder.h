/* SPDX-License-Identifier: MIT */
/* harness/base/folder.h - the reports folder: made, proven writable, and locked against a second run. */
#ifndef BC_BASE_FOLDER_H
#define BC_BASE_FOLDER_H

#include "harness/base/base.h"

struct bc_folder;

/**
 * bc_folder_open - take the folder @dir for this process
 *
 * Makes it and its parents, checks that files can be made in it, and locks <dir>/.lock (flock, so that the lock ends
 * with the process however that ends). The lock file holds the pid of the holder and stays when the lock is gone.
 *
 * Return: BC_EWRITE naming the folder when it cannot be made or written, or is locked (then with the holder's pid).
 */
enum bc_status bc_folder_open(const char *dir, struct bc_folder **out, struct bc_error *err);

void bc_folder_close(struct bc_folder *f); /* NULL is allowed */

#endif
