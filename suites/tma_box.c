/* SPDX-License-Identifier: MIT */
#include "suites/tma_box.h"

#include <string.h>

#include "kernels/bc_kernel.h"
#include "suites/programs.h"

#define GAP 16u /* bytes between the rows of a tensor, so that one that is taken for packed is seen */

/*
 * Bit @to + k of an address is XORed with its bit 7 + k, for k below @bits: the swizzles go by the absolute address,
 * not by the place in the tile (seen on an H200 for 32B, 64B and 128B: each byte of tiles at 0, 128, 256 and 512 bytes
 * from a multiple of 1024). A row of the tile keeps the span.
 */
static const struct {
	const char *name;
	uint32_t span, to, bits;
	bool flip; /* bit 3 too, by bit 7 */
} swizzles[BC_TENSOR_NSWIZZLES] = {
	[BC_TENSOR_PLAIN] = { "none", 0, 0, 0, false },
	[BC_TENSOR_32B] = { "32b", 32, 4, 1, false },
	[BC_TENSOR_64B] = { "64b", 64, 4, 2, false },
	[BC_TENSOR_128B] = { "128b", 128, 4, 3, false },
	[BC_TENSOR_128B_ATOM_32B] = { "128b_atom_32b", 128, 5, 2, false },
	[BC_TENSOR_128B_ATOM_32B_FLIP_8B] = { "128b_atom_32b_flip_8b", 128, 5, 2, true },
	[BC_TENSOR_128B_ATOM_64B] = { "128b_atom_64b", 128, 6, 1, false },
};

const char *bc_box_swizzle_name(enum bc_tensor_swizzle s)
{
	return swizzles[s].name;
}

void bc_box_start(struct bc_box *b, enum bc_tensor_type type, uint32_t rank, const uint32_t *dim)
{
	uint64_t bytes = bc_tensor_type_bytes(type);

	memset(b, 0, sizeof(*b));
	b->map.type = type;
	b->map.rank = rank;
	for (uint32_t i = 0; i < rank; i++) {
		b->map.dim[i] = dim[i];
		b->map.box[i] = dim[i];
		b->map.step[i] = 1;
		bytes = (bytes * dim[i] + 15) / 16 * 16 + GAP;
		if (i + 1 < rank)
			b->map.stride[i] = bytes;
	}
}

uint32_t bc_box_tensor_bytes(const struct bc_box *b)
{
	uint64_t end = b->map.dim[0] * bc_tensor_type_bytes(b->map.type);

	for (uint32_t i = 1; i < b->map.rank; i++)
		end += (b->map.dim[i] - 1) * b->map.stride[i - 1];
	return (uint32_t)((end + 3) / 4 * 4);
}

/* Elements of dimension @i that are copied: every step-th. */
static uint32_t copied(const struct bc_box *b, uint32_t i)
{
	return i ? (b->map.box[i] + b->map.step[i] - 1) / b->map.step[i] : b->map.box[0];
}

uint32_t bc_box_row_bytes(const struct bc_box *b)
{
	return b->map.box[0] * bc_tensor_type_bytes(b->map.type);
}

uint32_t bc_box_elements(const struct bc_box *b)
{
	uint32_t n = 1;

	for (uint32_t i = 0; i < b->map.rank; i++)
		n *= copied(b, i);
	return n;
}

uint32_t bc_box_bytes(const struct bc_box *b)
{
	return bc_box_elements(b) * bc_tensor_type_bytes(b->map.type);
}

uint32_t bc_box_shared(const struct bc_box *b, uint32_t base, uint32_t e)
{
	const uint32_t pitch = swizzles[b->map.swizzle].span ? swizzles[b->map.swizzle].span : bc_box_row_bytes(b);
	const uint32_t row = e / b->map.box[0], bytes = e % b->map.box[0] * bc_tensor_type_bytes(b->map.type);
	const uint32_t plain = base + b->tile + row * pitch + bytes;
	uint32_t address = plain;

	for (uint32_t k = 0; k < swizzles[b->map.swizzle].bits; k++)
		address ^= (plain >> (7 + k) & 1u) << (swizzles[b->map.swizzle].to + k);
	if (swizzles[b->map.swizzle].flip)
		address ^= (plain >> 7 & 1u) << 3;
	return address - base;
}

bool bc_box_global(const struct bc_box *b, uint32_t e, uint32_t *at)
{
	uint64_t byte = 0;

	for (uint32_t i = 0; i < b->map.rank; i++) {
		const uint32_t n = copied(b, i), step = i ? b->map.step[i] : 1;
		const int64_t c = (int64_t)b->at[i] + (int64_t)(e % n) * step;

		if (c < 0 || (uint64_t)c >= b->map.dim[i])
			return false;
		byte += (uint64_t)c * (i ? b->map.stride[i - 1] : bc_tensor_type_bytes(b->map.type));
		e /= n;
	}
	*at = (uint32_t)byte;
	return true;
}

void bc_box_place(struct bc_box *b, const uint32_t *box, const int *at)
{
	for (uint32_t i = 0; i < b->map.rank; i++) {
		b->map.box[i] = box[i];
		b->at[i] = at[i];
	}
}

void bc_box_wide(struct bc_box *b, enum bc_tensor_swizzle s, uint32_t row, uint32_t rows, uint32_t tile)
{
	static const uint32_t dim[] = { 64, 40 };
	const uint32_t box[] = { row / 4, rows };
	static const int at[] = { 16, 3 };

	bc_box_start(b, BC_TENSOR_U32, 2, dim);
	bc_box_place(b, box, at);
	b->map.swizzle = s;
	b->tile = tile;
}

/* Is the element at @p a NaN of its type? */
static bool is_nan(enum bc_tensor_type t, const unsigned char *p)
{
	uint64_t bits = 0, exponent;

	memcpy(&bits, p, bc_tensor_type_bytes(t));
	switch (t) {
	case BC_TENSOR_F16: exponent = 0x7c00; break;
	case BC_TENSOR_BF16: exponent = 0x7f80; break;
	case BC_TENSOR_F32: exponent = 0x7f800000; break;
	default: exponent = UINT64_C(0x7ff0000000000000); break;
	}
	return (bits & exponent) == exponent && (bits & ((exponent & (~exponent + 1)) - 1)) != 0;
}

/* What element @e must be, at @want, which holds what was there before. */
static void element(const struct bc_box *b, uint32_t e, const unsigned char *tensor, const unsigned char *got,
		    unsigned char *want)
{
	const uint32_t bytes = bc_tensor_type_bytes(b->map.type);
	uint32_t from = 0;

	if (bc_box_global(b, e, &from))
		memcpy(want, tensor + from, bytes);
	else if (!b->map.fill_nan)
		memset(want, 0, bytes);
	else if (is_nan(b->map.type, got))
		memcpy(want, got, bytes); /* any NaN */
	else
		memset(want, 0xff, bytes);
}

bool bc_box_check_load(const struct bc_box *b, uint32_t base, const void *tensor, const void *dump, uint32_t seed,
		       struct bc_mismatch *bad)
{
	const uint32_t span = swizzles[b->map.swizzle].span;
	const uint32_t end = bc_box_elements(b) / b->map.box[0] * (span ? span : bc_box_row_bytes(b));
	const unsigned char *got = dump;
	uint32_t word[BC_BOX_WORDS];
	unsigned char *want = (unsigned char *)word;

	for (uint32_t i = 0; i < BC_BOX_WORDS; i++)
		word[i] = bc_fill_word(4 * i, seed);
	if (span && bc_box_row_bytes(b) < span)
		memcpy(want + b->tile, got + b->tile, end);
	for (uint32_t e = 0; e < bc_box_elements(b); e++) {
		const uint32_t at = bc_box_shared(b, base, e);

		element(b, e, tensor, got + at, want + at);
	}
	for (uint32_t i = 0; i < sizeof(word); i++) {
		if (got[i] == want[i])
			continue;
		(void)bc_mismatch(bad, "byte of shared memory", i, got[i], want[i]);
		bad->note = i < b->tile ? "below the tile" : i - b->tile < end ? "in the tile" : "behind the tile";
		return false;
	}
	return true;
}
