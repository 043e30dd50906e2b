/* SPDX-License-Identifier: MIT */
/* harness/map/report.h - what was found of one device: measured in a worker, compared, and printed. */
#ifndef BC_MAP_REPORT_H
#define BC_MAP_REPORT_H

#include "harness/map/map.h"
#include "harness/run/remote.h"
#include "harness/run/targets.h"

struct bc_map_report {
	struct bc_target target;
	struct bc_facts facts; /* of the opened device */
	struct bc_window window;
	bool asked[BC_MAP_NBY];
	struct bc_map_law law[BC_MAP_NBY];
	double l1_over_shared, l2_over_shared; /* of latencies; 0: not measured */
	char latency_absent[BC_MAP_TEXT];
	unsigned deaths; /* of workers */
	char why[BC_MAP_TEXT];
	struct bc_text differences; /* lines: what is other than expected, or other by one witness than by the other */
	bool differs, disagrees;    /* from what is expected; one witness from the other */
};

/**
 * bc_map_measure - find all there is to find of one device
 * @target: resolved; its architecture's law is what is expected
 * @asked:  [BC_MAP_NBY] witnesses
 *
 * Return: BC_EDEVICE when the device cannot be opened or died twice at the same work. Release it in any case.
 */
enum bc_status bc_map_measure(const struct bc_run_options *o, const struct bc_target *target,
			      const bool asked[BC_MAP_NBY], const struct bc_map_options *mo, struct bc_map_report *out,
			      struct bc_error *err);
void bc_map_report_release(struct bc_map_report *r); /* a zeroed one is allowed */

/* 0; 1: something differs, contradicts, or a worker died; 4: no witness found a law. */
int bc_map_status(const struct bc_map_report *r);

/* The law that speaks for the device: by counters where they found one, else by clock. NULL: neither did. */
const struct bc_map_law *bc_map_best(const struct bc_map_report *r);

/* For people. */
enum bc_status bc_map_print(const struct bc_map_report *r, struct bc_text *out, struct bc_error *err);

/* One document for all devices, "bankcheck-map-1" (docs/json.md). */
enum bc_status bc_map_json(const struct bc_map_report *r, size_t n, int status, struct bc_text *out,
			   struct bc_error *err);

#endif
