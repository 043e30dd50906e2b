/* SPDX-License-Identifier: MIT */
/* harness/explain/layout.h - how a tile lies in shared memory, by the families that libraries use, and what reading and
 * writing it costs.
 *
 * FAMILY then row=BYTES, and elem=BYTES where the family moves elements (default 4), separated by blanks:
 *
 *     plain                      rows one after another
 *     pad:BYTES                  so many bytes more after each row
 *     interval:EVERY,PAD         PAD bytes more after every EVERY bytes, wherever a row ends
 *     cute:B,M,S                 bits M .. M+B-1 of the byte's offset are XORed with the bits S above them
 *     xor:MASK                   the element's column is XORed with row & MASK
 *     phase:VEC,PER,MAX          the column of VEC elements is XORed with row / PER % MAX (Triton)
 *     items:SHIFT                element i lies at i + (i >> SHIFT) (CUB)
 */
#ifndef BC_EXPLAIN_LAYOUT_H
#define BC_EXPLAIN_LAYOUT_H

#include "harness/core/arch.h"
#include "harness/core/banks.h"

enum bc_layout_family {
	BC_FAMILY_PLAIN = 0,
	BC_FAMILY_PAD,
	BC_FAMILY_INTERVAL,
	BC_FAMILY_CUTE,
	BC_FAMILY_XOR,
	BC_FAMILY_PHASE,
	BC_FAMILY_ITEMS,
	BC_NFAMILIES
};

struct bc_tile_layout {
	enum bc_layout_family family;
	uint32_t n[3];	    /* its numbers */
	uint32_t row, elem; /* bytes */
};

/**
 * bc_tile_layout_parse - a layout in the words above
 *
 * row: 4..4096 bytes, a multiple of elem; elem: 1, 2, 4, 8, 16. An XOR stays in its row. Return: BC_EUSAGE with what is
 * wrong.
 */
enum bc_status bc_tile_layout_parse(const char *text, struct bc_tile_layout *out, struct bc_error *err);

/* Where the byte @column of row @row lies, from the start of the tile. */
uint32_t bc_tile_address(const struct bc_tile_layout *l, uint32_t row, uint32_t column);

/* One way of reading or writing the tile by a warp. */
struct bc_tile_access {
	const char *name; /* "column of 4 bytes" */
	enum bc_op op;
	uint32_t rows, bytes; /* rows it reaches, bytes of a row that it needs at least */
	/* Lane @l reaches this row and this byte of it. */
	void (*place)(uint32_t l, const struct bc_tile_layout *t, uint32_t *row, uint32_t *column);
};

#define BC_TILE_ACCESSES 12
const struct bc_tile_access *bc_tile_access(size_t i); /* below BC_TILE_ACCESSES */

/**
 * bc_tile_count - what an access costs
 * @fits: false: a row is too short for it, or the layout takes the bytes of a lane apart or off their alignment;
 * nothing is counted
 */
enum bc_status bc_tile_count(const struct bc_tile_layout *l, const struct bc_tile_access *a,
			     const struct bc_geometry *g, bool *fits, struct bc_wavefronts *out, struct bc_error *err);

/* The picture: where the 16-byte chunks of the first rows lie, and what every access costs. */
enum bc_status bc_tile_draw(const struct bc_tile_layout *l, const struct bc_arch *arch, struct bc_text *out,
			    struct bc_error *err);
enum bc_status bc_tile_json(const struct bc_tile_layout *l, const struct bc_arch *arch, struct bc_text *out,
			    struct bc_error *err);

#endif
