/* SPDX-License-Identifier: MIT */
#include "harness/measure/same_bank.h"

#include "harness/core/banks.h"

#define CHUNK 16u

/* The banks that 16 bytes at @offset meet. */
static uint64_t banks_of(const struct bc_geometry *g, const struct bc_arch *a, uint32_t offset)
{
	uint64_t banks = 0;

	for (uint32_t i = 0; i < CHUNK; i += 4)
		banks |= UINT64_C(1) << bc_geometry_bank(g, a->window_base + offset + i);
	return banks;
}

bool bc_same_bank(const struct bc_arch *a, unsigned n, uint32_t *out)
{
	const struct bc_geometry g = bc_arch_geometry(a);
	unsigned found = 0;

	if (!a->law.mapped) {
		for (; found < n; found++)
			out[found] = found * BC_SAME_BANK_BYTES;
		return true;
	}
	for (uint32_t at = 0; found < n && at + CHUNK <= a->optin_bytes; at += CHUNK) {
		bool same = true;

		for (uint32_t i = 0; i < CHUNK; i += 4)
			same = same && bc_geometry_bank(&g, a->window_base + at + i) ==
					       bc_geometry_bank(&g, a->window_base + i);
		if (same)
			out[found++] = at;
	}
	return found == n;
}

bool bc_other_bank(const struct bc_arch *a, uint32_t from, uint32_t *out)
{
	const struct bc_geometry g = bc_arch_geometry(a);
	const uint64_t first = banks_of(&g, a, 0);

	for (uint32_t at = from; at + CHUNK <= a->optin_bytes; at += CHUNK)
		if ((banks_of(&g, a, at) & first) == 0) {
			*out = at;
			return true;
		}
	return false;
}
