/* SPDX-License-Identifier: MIT */
/* harness/base/gzip.h - gzip (RFC 1952): files that were compressed are read as if they were not. */
#ifndef BC_BASE_GZIP_H
#define BC_BASE_GZIP_H

#include "harness/base/base.h"

/* Do the bytes begin as a gzip file does? */
bool bc_is_gzip(const struct bc_text *t);

/**
 * bc_gunzip - the bytes that a gzip file holds, of all its members
 * @path: for messages
 * @max:  most bytes of the result
 * @out:  zeroed by the caller; filled on success only, ended by NUL
 *
 * Return: BC_EDATA for one that is damaged, cut short, followed by other bytes, or holds more than @max; BC_ENOMEM.
 */
enum bc_status bc_gunzip(const struct bc_text *in, const char *path, size_t max, struct bc_text *out,
			 struct bc_error *err);

/**
 * bc_gzip - compress
 * @out: zeroed by the caller; filled on success only
 *
 * The same bytes give the same result. Return: BC_ENOMEM.
 */
enum bc_status bc_gzip(const void *data, size_t len, struct bc_text *out, struct bc_error *err);

#endif
