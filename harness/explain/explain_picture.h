/* SPDX-License-Identifier: MIT */
/* harness/explain/explain_picture.h - the two drawings of explain.c: the table of lanes and the banks by wavefront. */
#ifndef BC_EXPLAIN_EXPLAIN_PICTURE_H
#define BC_EXPLAIN_EXPLAIN_PICTURE_H

#include "harness/core/case.h"
#include "harness/explain/drawing.h"

/* One request, scheduled. */
struct bc_picture {
	struct bc_geometry geometry;
	const struct bc_op_info *op;
	uint32_t mask;	  /* active lanes that touch memory: of a matrix operation those that give rows */
	uint32_t ignored; /* active lanes whose address is not used */
	uint32_t addr[BC_LANES];
	struct bc_wavefronts w;
	struct bc_bank_access touch[BC_LANES * BC_LANE_WORDS_MAX];
	size_t ntouches;
};

/* Wavefronts that one group of lanes takes in the schedule: it is n-way. */
unsigned bc_picture_ways(const struct bc_picture *p, unsigned group);

/* "0-7, 9, 12-15" of the lanes of @mask, "none" of an empty one. */
#define BC_LANES_TEXT_MAX 128
void bc_lanes_text(uint32_t mask, char buf[BC_LANES_TEXT_MAX]);

/* Four columns of eight lanes: lane, address, bank, wavefront. */
void bc_picture_lanes(const struct bc_picture *p, struct bc_drawing *d);

/* Banks as columns, wavefronts as rows, groups of lanes one below the other; then how to read it. */
void bc_picture_banks(const struct bc_picture *p, struct bc_drawing *d);

#endif
