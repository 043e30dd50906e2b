/* SPDX-License-Identifier: MIT */
/* harness/device/counter.c - what all devices share of counting: the counters' names, launches joined to ranges. */
#include "harness/device/device.h"

const char *bc_counter_name(enum bc_counter c)
{
	static const char *const names[BC_NCOUNTERS] = {
		[BC_CTR_LD_REQUESTS] = "ld_requests",
		[BC_CTR_LD_WAVEFRONTS] = "ld_wavefronts",
		[BC_CTR_LD_CONFLICTS] = "ld_conflicts",
		[BC_CTR_ST_REQUESTS] = "st_requests",
		[BC_CTR_ST_WAVEFRONTS] = "st_wavefronts",
		[BC_CTR_ST_CONFLICTS] = "st_conflicts",
		[BC_CTR_ATOM_REQUESTS] = "atom_requests",
		[BC_CTR_ATOM_WAVEFRONTS] = "atom_wavefronts",
		[BC_CTR_ATOM_CONFLICTS] = "atom_conflicts",
		[BC_CTR_LDSM_REQUESTS] = "ldsm_requests",
		[BC_CTR_STSM_REQUESTS] = "stsm_requests",
		[BC_CTR_LDGSTS_REQUESTS] = "ldgsts_requests",
		[BC_CTR_LDGSTS_CONFLICTS] = "ldgsts_conflicts",
		[BC_CTR_GLOBAL_LD_REQUESTS] = "global_ld_requests",
		[BC_CTR_GLOBAL_LD_SECTORS] = "global_ld_sectors",
		[BC_CTR_GLOBAL_ST_REQUESTS] = "global_st_requests",
		[BC_CTR_GLOBAL_ST_SECTORS] = "global_st_sectors",
		[BC_CTR_ARBITRATION] = "arbitration",
		[BC_CTR_INSTRUCTIONS] = "instructions",
		[BC_CTR_BARRIERS] = "barriers",
		[BC_CTR_GMMA_WAVEFRONTS] = "gmma_wavefronts",
		[BC_CTR_GMMA_CONFLICTS] = "gmma_conflicts",
		[BC_CTR_TMA_LD_SECTORS] = "tma_ld_sectors",
		[BC_CTR_TMA_ST_SECTORS] = "tma_st_sectors",
		[BC_CTR_DURATION] = "duration",
	};

	return (unsigned)c < BC_NCOUNTERS && names[c] ? names[c] : "unknown";
}

size_t bc_buffer_bytes(const struct bc_launch *l, const struct bc_buffer *b)
{
	return b->per_block ? b->bytes * l->grid[0] * l->grid[1] * l->grid[2] : b->bytes;
}

void bc_counts_join(const struct bc_launch *l, size_t n, struct bc_counts *counts)
{
	size_t first = 0;

	for (size_t i = 0; i < n; i++) {
		if (!l[i].joined) {
			first = i;
			continue;
		}
		for (unsigned c = 0; c < BC_NCOUNTERS; c++)
			counts[first].v[c] += counts[i].v[c];
		counts[first].present &= counts[i].present;
		counts[i] = (struct bc_counts){ .present = 0 };
	}
}

size_t bc_range_launches(const struct bc_launch *l, size_t n)
{
	size_t k = 1;

	while (k < n && l[k].joined)
		k++;
	return k;
}

void bc_counts_spread(const struct bc_launch *l, size_t n, size_t ranges, struct bc_counts *counts)
{
	for (size_t i = n; i-- > 0;) { /* from the end, so that none is overwritten before it is moved */
		const struct bc_counts none = { .present = 0 };

		counts[i] = l[i].joined ? none : counts[--ranges];
	}
}
