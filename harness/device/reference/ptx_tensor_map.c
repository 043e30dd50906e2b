/* SPDX-License-Identifier: MIT */
/* Tensor maps, and the way of a box from global to shared memory. No state of a launch. */
#include "harness/device/reference/ptx_tensor_map.h"

#include <string.h>

#define MAGIC UINT64_C(0x70616d726f736e74) /* "tnsormap" */
#define CHUNK_BITS 4u			   /* what swizzles move: 16 bytes */
#define LINE_BITS 7u			   /* rows of 128 bytes tell them how far */

_Static_assert(sizeof(struct bc_ptx_tensor) == BC_TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

static uint64_t hash_of(const struct bc_ptx_tensor *t)
{
	return bc_hash(BC_HASH_INIT, t, offsetof(struct bc_ptx_tensor, hash));
}

enum bc_status bc_ptx_tensor_encode(const struct bc_tensor_map *m, uint64_t address, const struct bc_arch *a,
				    const struct bc_ptx_hooks *hooks, unsigned char out[BC_TENSOR_MAP_BYTES],
				    struct bc_error *err)
{
	struct bc_ptx_tensor t = { .magic = MAGIC,
				   .address = address,
				   .type = (uint8_t)m->type,
				   .rank = (uint8_t)m->rank,
				   .swizzle = (uint8_t)m->swizzle,
				   .fill_nan = m->fill_nan };
	enum bc_status st = BC_OK;

	if (!a->bulk_copy)
		return bc_fail(err, BC_EUSAGE, "tensor map: %s has none", a->name);
	if (!hooks || !(hooks->tensor & BC_PTX_TENSOR_UNCHECKED))
		st = bc_tensor_map_check(m, address, a->tensor_atoms != 0, err);
	for (unsigned i = 0; i < BC_TENSOR_RANK_MAX; i++) {
		const bool used = i < m->rank;

		t.last[i] = used ? (uint32_t)(m->dim[i] - 1) : 0;
		t.box[i] = used ? (uint8_t)(m->box[i] - 1) : 0;
		t.step[i] = used && i > 0 && m->step[i] ? (uint8_t)m->step[i] : 1;
		if (used && i > 0)
			t.stride[i - 1] = m->stride[i - 1];
	}
	t.hash = hash_of(&t);
	if (!st)
		memcpy(out, &t, sizeof(t));
	return st;
}

bool bc_ptx_tensor_is_sound(const struct bc_ptx_tensor *t)
{
	return t->magic == MAGIC && t->hash == hash_of(t);
}

void bc_ptx_tile_make(const struct bc_ptx_tensor *t, const int32_t *at, uint32_t shared, unsigned faults,
		      struct bc_ptx_tile *out)
{
	const uint32_t span = bc_tensor_span((enum bc_tensor_swizzle)t->swizzle);

	*out = (struct bc_ptx_tile){ .t = *t, .shared = shared, .rows = 1, .faults = faults };
	out->elem = bc_tensor_type_bytes((enum bc_tensor_type)t->type);
	for (unsigned i = 0; i < BC_TENSOR_RANK_MAX; i++) {
		out->at[i] = i < t->rank ? at[i] : 0;
		out->count[i] = t->box[i] / (uint32_t)t->step[i] + 1; /* box is less 1, so this rounds up */
		out->rows *= i > 0 ? out->count[i] : 1;
	}
	out->row = out->count[0] * out->elem;
	out->pitch = out->row < span && !(faults & BC_PTX_TENSOR_PACKED) ? span : out->row;
}

uint64_t bc_ptx_tile_bytes(const struct bc_ptx_tile *tile)
{
	return tile->rows * tile->row;
}

/* A swizzle moves within its span, and a tile that begins inside of one may reach down to its start. */
uint64_t bc_ptx_tile_extent(const struct bc_ptx_tile *tile)
{
	return (tile->rows - 1) * tile->pitch + tile->row;
}

/* Bits of a 128-byte row's number go into the number of the chunk: as many as there are chunks in the span. */
static uint32_t swizzled(enum bc_tensor_swizzle s, uint32_t address)
{
	const uint32_t line = address >> LINE_BITS;

	switch (s) {
	case BC_TENSOR_32B: return address ^ (line & 1u) << CHUNK_BITS;
	case BC_TENSOR_64B: return address ^ (line & 3u) << CHUNK_BITS;
	case BC_TENSOR_128B: return address ^ (line & 7u) << CHUNK_BITS;
	case BC_TENSOR_128B_ATOM_32B: return address ^ (line & 3u) << (CHUNK_BITS + 1);
	case BC_TENSOR_128B_ATOM_32B_FLIP_8B:
		return address ^ (line & 3u) << (CHUNK_BITS + 1) ^ (line & 1u) << (CHUNK_BITS - 1);
	case BC_TENSOR_128B_ATOM_64B: return address ^ (line & 1u) << (CHUNK_BITS + 2);
	default: return address;
	}
}

uint32_t bc_ptx_tile_shared(const struct bc_ptx_tile *tile, uint64_t row, uint32_t byte)
{
	const enum bc_tensor_swizzle s = (enum bc_tensor_swizzle)tile->t.swizzle;
	const uint32_t offset = (uint32_t)row * tile->pitch + byte;

	if (tile->faults & BC_PTX_TENSOR_RELATIVE)
		return tile->shared + swizzled(s, offset);
	return swizzled(s, tile->shared + offset);
}

uint32_t bc_ptx_tile_row(const struct bc_ptx_tile *tile, uint64_t row, uint64_t *address, uint32_t *first)
{
	const struct bc_ptx_tensor *t = &tile->t;
	int64_t lo = tile->at[0], hi = lo + tile->count[0];

	*address = t->address;
	for (unsigned i = 1; i < t->rank; i++) {
		const uint32_t step = tile->faults & BC_PTX_TENSOR_DENSE ? 1 : t->step[i];
		const int64_t c = tile->at[i] + (int64_t)(row % tile->count[i] * step);

		if (c < 0 || c > t->last[i])
			return 0;
		*address += (uint64_t)c * t->stride[i - 1];
		row /= tile->count[i];
	}
	lo = lo < 0 ? 0 : lo;
	hi = hi > (int64_t)t->last[0] + 1 ? (int64_t)t->last[0] + 1 : hi;
	if (hi <= lo)
		return 0;
	*address += (uint64_t)lo * tile->elem;
	*first = (uint32_t)(lo - tile->at[0]);
	return (uint32_t)(hi - lo);
}

uint64_t bc_ptx_tile_fill(const struct bc_ptx_tile *tile)
{
	static const uint64_t nan[BC_TENSOR_NTYPES] = {
		[BC_TENSOR_F16] = 0x7fff,
		[BC_TENSOR_BF16] = 0x7fff,
		[BC_TENSOR_F32] = 0x7fffffff,
		[BC_TENSOR_F64] = UINT64_C(0x7fffffffffffffff),
	};

	return tile->t.fill_nan ? nan[tile->t.type] : 0;
}
