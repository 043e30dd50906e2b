/* SPDX-License-Identifier: MIT */
/* harness/base/sha256.h - SHA-256 (FIPS 180-4), to tell whether two files belong together. */
#ifndef BC_BASE_SHA256_H
#define BC_BASE_SHA256_H

#include "harness/base/base.h"

/* @hex: 64 lower-case digits and a NUL, as sha256sum prints them. */
void bc_sha256_hex(const void *data, size_t len, char hex[65]);

#endif
