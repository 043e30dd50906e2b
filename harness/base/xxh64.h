/* SPDX-License-Identifier: MIT */
/* harness/base/xxh64.h - XXH64, to tell whether large files are the same: ten times as fast as bc_hash. */
#ifndef BC_BASE_XXH64_H
#define BC_BASE_XXH64_H

#include "harness/base/base.h"

/* Source: xxHash fast digest algorithm, specification 0.1.1. @seed: the hash of what comes before, to chain. */
uint64_t bc_xxh64(uint64_t seed, const void *data, size_t len);

#endif
