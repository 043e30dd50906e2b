/* SPDX-License-Identifier: MIT */
/* suites/tma_send.c - what goes back to a tensor: contents before, and what they must be afterwards. */
#include "suites/tma.h"

#include <string.h>

#include "suites/programs.h"

void bc_tma_start(struct bc_program *p, const char *kernel, const struct bc_box *b, uint32_t bytes, uint32_t tries,
		  uint32_t count)
{
	struct bc_tma_params params = { .bytes = bytes,
					.tries = tries,
					.tile = b->tile,
					.words = BC_BOX_WORDS,
					.seed = BC_TMA_SEED,
					.count = count };

	for (unsigned i = 0; i < BC_TENSOR_RANK_MAX; i++)
		params.at[i] = b->at[i];
	bc_program_start(p, "tma", kernel, BC_LANES, &params, sizeof(params));
	p->shared_bytes = BC_TMA_SHARED_BYTES;
	p->maps[0] = b->map;
	p->maps[0].param_offset = BC_TMA_PARAM(map);
	p->nmaps = 1;
}

/* A whole number from -32 to 31, so that a float of any size holds it and the sum of two. */
static int whole(uint32_t i, uint32_t seed)
{
	return (int)(bc_fill_word(4 * i, seed) >> 26) - 32;
}

/* Its bits as a float of @t: the sign, the exponent, and what is below the leading one. */
static uint32_t bits_of(enum bc_tensor_type t, int v)
{
	const uint32_t fraction = t == BC_TENSOR_F16 ? 10 : t == BC_TENSOR_BF16 ? 7 : 23;
	const uint32_t bias = t == BC_TENSOR_F16 ? 15 : 127, size = t == BC_TENSOR_F32 ? 32 : 16;
	const uint32_t m = (uint32_t)(v < 0 ? -v : v), sign = v < 0 ? 1u << (size - 1) : 0;
	uint32_t e = 0;

	if (!m)
		return 0;
	while (m >> (e + 1))
		e++;
	return sign | (e + bias) << fraction | (fraction >= e ? (m ^ 1u << e) << (fraction - e) : 0);
}

static void fill(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	const enum bc_tensor_type t = (enum bc_tensor_type)c->arg[BC_TMA_WHOLE];
	const uint32_t size = bc_tensor_type_bytes(t);

	if (!c->arg[BC_TMA_WHOLE]) {
		bc_fill_words(c, data, bytes, seed);
		return;
	}
	for (uint32_t i = 0; i < bytes / size; i++) {
		const uint32_t bits = bits_of(t, whole(i, seed));

		memcpy((unsigned char *)data + (size_t)i * size, &bits, size);
	}
}

void bc_tma_fill_tensor(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	fill(c, data, bytes, seed);
}

/* Other values than the tensor has. */
void bc_tma_fill_source(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	fill(c, data, bytes, ~seed);
}

bool bc_tma_check_info(const uint32_t *info, const struct bc_arch *a, bool completes, struct bc_mismatch *bad)
{
	if (info[0] != a->window_base)
		return bc_mismatch(bad, "address of shared memory's first byte", 0, info[0], a->window_base);
	if ((info[1] == 1) != completes) {
		(void)bc_mismatch(bad, "barrier", 0, info[1], completes);
		bad->note = completes ? "it did not complete: fewer bytes came than the box has"
				      : "it completed, and expected more bytes than the box has";
		return false;
	}
	return true;
}

/* @old and @v as signed numbers of @size bytes, 4 or 8. */
static bool less(uint64_t v, uint64_t old, bool is_signed, uint32_t size)
{
	const uint64_t top = is_signed ? UINT64_C(1) << (8 * size - 1) : 0;

	return (v ^ top) < (old ^ top);
}

/* The bits of the element that holds @old when @v is reduced to it. */
static uint64_t reduced(const char *op, enum bc_tensor_type t, uint64_t old, uint64_t v)
{
	const bool is_signed = t == BC_TENSOR_S32 || t == BC_TENSOR_S64;
	const uint32_t size = bc_tensor_type_bytes(t);

	if (strcmp(op, "add") == 0)
		return old + v;
	if (strcmp(op, "min") == 0)
		return less(v, old, is_signed, size) ? v : old;
	if (strcmp(op, "max") == 0)
		return less(old, v, is_signed, size) ? v : old;
	if (strcmp(op, "inc") == 0)
		return old >= v ? 0 : old + 1;
	if (strcmp(op, "dec") == 0)
		return old == 0 || old > v ? v : old - 1;
	if (strcmp(op, "and") == 0)
		return old & v;
	return strcmp(op, "or") == 0 ? old | v : old ^ v;
}

/* The same of whole numbers. */
static int reduced_whole(const char *op, int old, int v)
{
	if (strcmp(op, "min") == 0)
		return v < old ? v : old;
	if (strcmp(op, "max") == 0)
		return v > old ? v : old;
	return old + v;
}

bool bc_tma_check_sent(const struct bc_case *c, const struct bc_box *b, const char *op, const struct bc_arch *a,
		       void *const *data, uint32_t seed, struct bc_mismatch *bad)
{
	const uint32_t size = bc_tensor_type_bytes(b->map.type), bytes = bc_box_tensor_bytes(b);
	const unsigned char *got = data[0], *source = data[2];
	const uint32_t *info = data[1];
	uint32_t word[BC_BOX_TENSOR_WORDS] = { 0 }, from = 0;
	unsigned char *want = (unsigned char *)word;

	if (info[0] != a->window_base)
		return bc_tma_check_info(info, a, true, bad);
	bc_tma_fill_tensor(c, word, bytes, seed);
	for (uint32_t e = 0; e < bc_box_elements(b); e++) {
		const uint32_t at = bc_box_shared(b, a->window_base, e);
		uint64_t old = 0, v = 0;

		if (!bc_box_global(b, e, &from))
			continue;
		memcpy(&old, want + from, size);
		memcpy(&v, source + at, size);
		if (op && c->arg[BC_TMA_WHOLE])
			v = bits_of(b->map.type, reduced_whole(op, whole(from / size, seed), whole(at / size, ~seed)));
		else if (op)
			v = reduced(op, b->map.type, old, v);
		memcpy(want + from, &v, size);
	}
	for (uint32_t i = 0; i < bytes; i++) {
		if (got[i] != want[i])
			return bc_mismatch(bad, "byte of the tensor", i, got[i], want[i]);
	}
	return true;
}
