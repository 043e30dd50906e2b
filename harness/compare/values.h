/* SPDX-License-Identifier: MIT */
/* harness/compare/values.h - the measured values of a case in a report: counts per request, bounds, clock samples. */
#ifndef BC_COMPARE_VALUES_H
#define BC_COMPARE_VALUES_H

#include "harness/compare/compare.h"

/**
 * bc_values_samples - clock_samples= of a case
 * @path: for messages
 *
 * Return: BC_EDATA with path:line when it is not 1 to BC_SAMPLES_MAX whole numbers. No such key: BC_OK and n = 0.
 */
enum bc_status bc_values_samples(const struct bc_read_case *c, const char *path, struct bc_samples *out,
				 struct bc_error *err);

/**
 * bc_values_count - compare one count of a case
 * @old, @now: the case in both runs; the bounds are those of @now, or else of @old
 *
 * Return: BC_EDATA with path:line when counters=, clock= or a bound is malformed.
 */
enum bc_status bc_values_count(enum bc_count_of k, const struct bc_read_case *old, const char *old_path,
			       const struct bc_read_case *now, const char *now_path, struct bc_count_change *out,
			       struct bc_error *err);

#endif
