/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_tensor_map.h - tensor maps as the reference device makes them, and where the elements of
 * a box lie. Inside of the interpreter. */
#ifndef BC_DEVICE_REFERENCE_PTX_TENSOR_MAP_H
#define BC_DEVICE_REFERENCE_PTX_TENSOR_MAP_H

#include "harness/device/reference/ptx.h"

#define BC_PTX_TENSOR_ROW_MAX 2048u /* bytes: 256 elements of 8 */

/* The 128 bytes of a tensor map. */
struct bc_ptx_tensor {
	uint64_t magic, address;
	uint64_t stride[BC_TENSOR_RANK_MAX - 1];
	uint32_t last[BC_TENSOR_RANK_MAX]; /* highest coordinate */
	uint8_t box[BC_TENSOR_RANK_MAX];   /* elements less 1 */
	uint8_t step[BC_TENSOR_RANK_MAX];
	uint8_t type, rank, swizzle, fill_nan;
	uint8_t zero[38];
	uint64_t hash; /* of all before it */
};

/* Are these the bytes that bc_ptx_tensor_encode made? */
bool bc_ptx_tensor_is_sound(const struct bc_ptx_tensor *t);

/* A box on its way: a tile of @rows rows. */
struct bc_ptx_tile {
	struct bc_ptx_tensor t;
	int32_t at[BC_TENSOR_RANK_MAX];	    /* coordinates of the box */
	uint32_t count[BC_TENSOR_RANK_MAX]; /* elements that are copied */
	uint32_t shared;		    /* absolute address of the tile */
	uint32_t elem, row, pitch;	    /* bytes of an element; of a row; from a row to the next in shared memory */
	uint64_t rows;
	unsigned faults; /* enum bc_ptx_tensor_fault bits */
};

/* @faults: those planted. */
void bc_ptx_tile_make(const struct bc_ptx_tensor *t, const int32_t *at, uint32_t shared, unsigned faults,
		      struct bc_ptx_tile *out);

uint64_t bc_ptx_tile_bytes(const struct bc_ptx_tile *tile);  /* that a copy of it moves */
uint64_t bc_ptx_tile_extent(const struct bc_ptx_tile *tile); /* bytes of shared memory from its start to its end */

/* Absolute shared address of byte @byte of row @row of the tile. */
uint32_t bc_ptx_tile_shared(const struct bc_ptx_tile *tile, uint64_t row, uint32_t byte);

/**
 * bc_ptx_tile_row - where a row lies in global memory
 * @address: of the first of its elements that are inside the tensor
 * @first:   that element's index in the row
 *
 * Return: how many elements are inside, one after another; 0: none.
 */
uint32_t bc_ptx_tile_row(const struct bc_ptx_tile *tile, uint64_t row, uint64_t *address, uint32_t *first);

/* What is read for an element outside the tensor. */
uint64_t bc_ptx_tile_fill(const struct bc_ptx_tile *tile);

#endif
