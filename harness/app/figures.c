/* SPDX-License-Identifier: MIT */
#include "harness/app/figures.h"

#include <string.h>

#define BIT(c) (UINT32_C(1) << BC_CTR_##c)

/* (sum of @above) / (sum of @below); below 0: a launch. */
static const struct {
	const char *name;
	uint32_t above, below;
	double scale;
} figures[BC_NFIGURES] = {
	[BC_FIGURE_LD_CONFLICTS] = { "ld.conflicts", BIT(LD_CONFLICTS), BIT(LD_REQUESTS) | BIT(LDSM_REQUESTS), 1 },
	[BC_FIGURE_LD_WAVEFRONTS] = { "ld.wavefronts", BIT(LD_WAVEFRONTS), BIT(LD_REQUESTS) | BIT(LDSM_REQUESTS), 1 },
	[BC_FIGURE_ST_CONFLICTS] = { "st.conflicts", BIT(ST_CONFLICTS), BIT(ST_REQUESTS) | BIT(STSM_REQUESTS), 1 },
	[BC_FIGURE_ST_WAVEFRONTS] = { "st.wavefronts", BIT(ST_WAVEFRONTS), BIT(ST_REQUESTS) | BIT(STSM_REQUESTS), 1 },
	[BC_FIGURE_ATOM_CONFLICTS] = { "atom.conflicts", BIT(ATOM_CONFLICTS), BIT(ATOM_REQUESTS), 1 },
	[BC_FIGURE_ATOM_WAVEFRONTS] = { "atom.wavefronts", BIT(ATOM_WAVEFRONTS), BIT(ATOM_REQUESTS), 1 },
	[BC_FIGURE_LDGSTS_CONFLICTS] = { "ldgsts.conflicts", BIT(LDGSTS_CONFLICTS), BIT(LDGSTS_REQUESTS), 1 },
	[BC_FIGURE_GMMA_CONFLICTS] = { "gmma.conflicts", BIT(GMMA_CONFLICTS), BIT(GMMA_WAVEFRONTS), 1 },
	[BC_FIGURE_SECTORS] = { "sectors", BIT(GLOBAL_LD_SECTORS) | BIT(GLOBAL_ST_SECTORS),
				BIT(GLOBAL_LD_REQUESTS) | BIT(GLOBAL_ST_REQUESTS), 1 },
	[BC_FIGURE_LD_SECTORS] = { "ld.sectors", BIT(GLOBAL_LD_SECTORS), BIT(GLOBAL_LD_REQUESTS), 1 },
	[BC_FIGURE_ST_SECTORS] = { "st.sectors", BIT(GLOBAL_ST_SECTORS), BIT(GLOBAL_ST_REQUESTS), 1 },
	[BC_FIGURE_ARBITRATION] = { "arbitration", BIT(ARBITRATION), 0, 1 },
	[BC_FIGURE_DURATION] = { "duration", BIT(DURATION), 0, 1e-3 },
	[BC_FIGURE_LAUNCHES] = { "launches", 0, 0, 1 },
};

/* Requests of a kind of instruction that a chip may lack: not counted is none. */
#define OPTIONAL (BIT(LDSM_REQUESTS) | BIT(STSM_REQUESTS))

const char *bc_figure_name(enum bc_figure f)
{
	return (unsigned)f < BC_NFIGURES ? figures[f].name : "unknown";
}

bool bc_figure_parse(const char *name, enum bc_figure *out)
{
	for (unsigned f = 0; f < BC_NFIGURES; f++) {
		if (strcmp(figures[f].name, name) != 0)
			continue;
		*out = (enum bc_figure)f;
		return true;
	}
	return false;
}

uint32_t bc_figure_counters(enum bc_figure f)
{
	return figures[f].above | figures[f].below;
}

double bc_count_of(const struct bc_app_kernel *k, enum bc_counter c)
{
	return k->count[c].launches ? (double)k->count[c].sum / (double)k->count[c].launches : -1;
}

/* The sum of the counters of @set, a launch. False: one was not counted. @launches: of the one that rests on fewest. */
static bool sum_of(const struct bc_app_kernel *k, uint32_t set, double *sum, uint64_t *launches)
{
	*sum = 0;
	for (unsigned c = 0; c < BC_NCOUNTERS; c++) {
		const double v = bc_count_of(k, (enum bc_counter)c);

		if (!(set >> c & 1u) || (v < 0 && OPTIONAL >> c & 1u))
			continue;
		if (v < 0)
			return false;
		*sum += v;
		if (k->count[c].launches < *launches)
			*launches = k->count[c].launches;
	}
	return true;
}

enum bc_figure_state bc_figure_of(const struct bc_app_kernel *k, enum bc_figure f, double *value, uint64_t *launches)
{
	double above, below = 1;

	*value = 0;
	*launches = k->launches;
	if (f == BC_FIGURE_LAUNCHES) {
		*value = (double)k->launches;
		return BC_FIGURE_THERE;
	}
	if (!sum_of(k, figures[f].above, &above, launches) ||
	    (figures[f].below && !sum_of(k, figures[f].below, &below, launches)))
		return BC_FIGURE_UNCOUNTED;
	if (below <= 0) /* generic loads and stores have wavefronts and no requests */
		return above > 0 ? BC_FIGURE_UNCOUNTED : BC_FIGURE_NONE;
	*value = above / below * figures[f].scale;
	return BC_FIGURE_THERE;
}

uint64_t bc_figure_requests(const struct bc_app_kernel *k, enum bc_figure f)
{
	double value, below;
	uint64_t launches;

	if (!figures[f].below || bc_figure_of(k, f, &value, &launches) != BC_FIGURE_THERE ||
	    !sum_of(k, figures[f].below, &below, &launches))
		return 0;
	return (uint64_t)(below * (double)launches + 0.5);
}

double bc_lost_wavefronts(const struct bc_app_kernel *k)
{
	static const enum bc_counter lost[] = { BC_CTR_LD_CONFLICTS, BC_CTR_ST_CONFLICTS, BC_CTR_ATOM_CONFLICTS,
						BC_CTR_LDGSTS_CONFLICTS, BC_CTR_GMMA_CONFLICTS };
	double sum = 0;

	for (size_t i = 0; i < BC_ARRAY_LEN(lost); i++) {
		const double v = bc_count_of(k, lost[i]);

		if (v > 0)
			sum += v;
	}
	return sum * (double)k->launches;
}
