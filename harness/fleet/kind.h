/* SPDX-License-Identifier: MIT */
/* harness/fleet/kind.h - units that should behave alike: one GPU model with one driver, and so on. */
#ifndef BC_FLEET_KIND_H
#define BC_FLEET_KIND_H

#include "harness/history/night.h"

/**
 * bc_kind_text - "NVIDIA H200, sm_90, MIG off, driver 580.95, CUDA 13.0, images 90939d5b, expectations 2b90eea9"
 * @by: which of gpu, arch, mig, driver, cuda, images, expectations, separated by commas; NULL: all
 *
 * What is not known is left out. A fault that was planted in a reference device makes no kind.
 * Return: BC_EUSAGE for another word in @by.
 */
enum bc_status bc_kind_text(struct bc_history *h, const struct bc_history_run *r, const char *by, struct bc_text *out,
			    struct bc_error *err);

/* The results of the units of a night, one run a unit: the latest complete one, else the latest. */
#define BC_KIND_ABSENT UINT16_MAX

struct bc_fleet_variant {
	enum bc_verdict verdict;
	double wavefronts, conflicts; /* NaN: none */
	bool flaky;
	char *message; /* of the first unit that has it */
};

struct bc_fleet_case {
	const char *name;
	struct bc_fleet_variant *variant;
	size_t nvariants;
};

struct bc_fleet_unit {
	const struct bc_night_run *r;
	size_t kind;
};

struct bc_fleet_units {
	struct bc_night_runs runs; /* what the units point into */
	struct bc_history_cases names;
	struct bc_fleet_unit *unit;
	size_t nunits;
	char **kind;
	size_t *of_kind; /* how many units */
	size_t nkinds;
	struct bc_fleet_case *cases;
	size_t ncases;
	uint16_t *got; /* [nunits * ncases] index of the variant, or BC_KIND_ABSENT */
	float *cycles; /* [nunits * ncases] median of the clock's samples; NaN: none */
};

/* Return: BC_EREAD when the night was never gathered. */
enum bc_status bc_fleet_units(struct bc_history *h, const char *night, const char *by, struct bc_fleet_units *out,
			      struct bc_error *err);
void bc_fleet_units_release(struct bc_fleet_units *u); /* a zeroed one is allowed */

/* "PASS, 2 wavefronts, 1 conflicts" */
#define BC_VARIANT_TEXT 160
void bc_fleet_variant_text(const struct bc_fleet_variant *v, bool counts, char buf[BC_VARIANT_TEXT]);

#endif
