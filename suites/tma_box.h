/* SPDX-License-Identifier: MIT */
/* suites/tma_box.h - a box of a tensor and its tile in shared memory: where each element lies, on both sides. Pure. */
#ifndef BC_SUITES_TMA_BOX_H
#define BC_SUITES_TMA_BOX_H

#include "harness/core/program.h"

#define BC_BOX_WORDS 2048u	  /* of shared memory that a tile may lie in */
#define BC_BOX_TENSOR_WORDS 8192u /* of a tensor, at most */

struct bc_box {
	struct bc_tensor_map map;
	int at[BC_TENSOR_RANK_MAX]; /* coordinates of its first element; below 0 or beyond the tensor: outside */
	uint32_t tile;		    /* first byte of the tile, from the first byte of shared memory */
};

/* A tensor of @rank dimensions of @dim elements; rows of it are 16 bytes apart, and the other strides so. The box is
 * all of it. */
void bc_box_start(struct bc_box *b, enum bc_tensor_type type, uint32_t rank, const uint32_t *dim);

uint32_t bc_box_tensor_bytes(const struct bc_box *b); /* from its first to behind its last element, whole words */
uint32_t bc_box_row_bytes(const struct bc_box *b);    /* of the tile */
uint32_t bc_box_elements(const struct bc_box *b);     /* of the tile */
uint32_t bc_box_bytes(const struct bc_box *b);	      /* of the tile, without gaps */

/* Where element @e of the tile lies in shared memory that starts at absolute address @base: offset from there. */
uint32_t bc_box_shared(const struct bc_box *b, uint32_t base, uint32_t e);

/* Byte of the tensor where element @e of the tile comes from. Return: false when it is outside. */
bool bc_box_global(const struct bc_box *b, uint32_t e, uint32_t *at);

/* The first elements of the box, of as many as @box says, are at @at. */
void bc_box_place(struct bc_box *b, const uint32_t *box, const int *at);

/* @rows rows of @row bytes of a tensor of 64 by 40 words; the tile at @tile. */
void bc_box_wide(struct bc_box *b, enum bc_tensor_swizzle s, uint32_t row, uint32_t rows, uint32_t tile);

/**
 * bc_box_check_load - compare a dump of shared memory, every byte of it
 * @base:   absolute address of its first byte
 * @tensor: what the tensor holds
 * @dump:   [BC_BOX_WORDS]
 * @seed:   it was filled with bc_fill_word before
 *
 * What lies between rows that are narrower than the span is not looked at. Return: false, and the first wrong byte in
 * @bad.
 */
bool bc_box_check_load(const struct bc_box *b, uint32_t base, const void *tensor, const void *dump, uint32_t seed,
		       struct bc_mismatch *bad);

/* "128b", as ids want it. */
const char *bc_box_swizzle_name(enum bc_tensor_swizzle s);

#endif
