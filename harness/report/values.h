/* SPDX-License-Identifier: MIT */
/* harness/report/values.h - the measured values in the lines of a testcase, read back: the one reader of them.
 *
 * keys.h writes the lines; what they hold is read here and nowhere else, with one limit for each figure. The reader of
 * report files checks every case (bc_values_check), so that a damaged figure is refused by whatever reads the file.
 */
#ifndef BC_REPORT_VALUES_H
#define BC_REPORT_VALUES_H

#include "harness/core/expect.h"
#include "harness/core/observe.h"
#include "harness/report/keys.h"

/* The largest count: above it a double no longer holds every whole number. No run of hours counts as much. */
#define BC_VALUE_COUNT_MAX (UINT64_C(1) << 53)

/* What `lo..hi` says. */
struct bc_value_bounds {
	bool has; /* false: the key is not there, or says `unknown` */
	double lo, hi;
};

/* What one attempt of `counters=` or `model=` says; totals, over all requests. */
struct bc_value_counts {
	bool has[BC_NQUANTITIES]; /* wavefronts, conflicts, sectors, requests */
	uint64_t total[BC_NQUANTITIES];
};

struct bc_samples {
	unsigned n; /* 0..BC_SAMPLES_MAX */
	uint32_t v[BC_SAMPLES_MAX];
};

/* The bounds of a quantity. Return: false when they are malformed. */
bool bc_values_bounds(const struct bc_key_values *k, enum bc_quantity q, struct bc_value_bounds *out);

/**
 * bc_values_attempt - the next attempt of a list such as "requests:8 wavefronts:16;requests:8 wavefronts:17"
 * @cursor: where it starts; moved behind it. Items of other names are passed over
 * @more:   false at the end of the list; nothing was read then
 *
 * Return: false when it is malformed, or a count is above BC_VALUE_COUNT_MAX.
 */
bool bc_values_attempt(const char **cursor, struct bc_value_counts *out, bool *more);

/* `requests_stated=`, by which totals are divided; 0 when it is not there. Return: false when it is malformed. */
bool bc_values_stated(const struct bc_key_values *k, uint64_t *out);

/* `clock=`: *has is false when it is not there, or no number came out ("nan"). Return: false when it is malformed. */
bool bc_values_clock(const struct bc_key_values *k, bool *has, double *out);

/* `clock_samples=`: 1 to BC_SAMPLES_MAX cycle counts below 2^32; n = 0 when it is not there. False: malformed. */
bool bc_values_samples(const struct bc_key_values *k, struct bc_samples *out);

/* Return: the first key whose value cannot be read, NULL when all can. */
const char *bc_values_check(const struct bc_key_values *k);

#endif
