/* SPDX-License-Identifier: MIT */
/* suites/tma_read.c - what reading a tile costs: its columns, its rows, its matrices. The tile has 32 rows of the
 * swizzle's span (128 bytes without one); request k reads column or row k.
 */
#include "suites/tma.h"

#include <string.h>

#include "suites/patterns.h"
#include "suites/programs.h"

#define ROWS BC_LANES
#define TRIES (1u << 16)

static const struct access {
	const char *name, *kernel;
	enum bc_op op; /* generic: an mbarrier moves the counter of shared loads */
	uint32_t words;
	bool along; /* lanes follow each other along the rows; else lane l reads of row l */
} accesses[] = {
	{ "column_16", "bc_tma_read128", BC_OP_GLD128, 4, false },
	{ "column_8", "bc_tma_read64", BC_OP_GLD64, 2, false },
	{ "column_4", "bc_tma_read32", BC_OP_GLD32, 1, false },
	{ "ldmatrix", "bc_tma_ldsm4", BC_OP_LDSM4, 4, false },
	{ "rows_8", "bc_tma_read64", BC_OP_GLD64, 2, true },
	{ "rows_4", "bc_tma_read32", BC_OP_GLD32, 1, true },
};

enum { COLUMN_16, COLUMN_8, COLUMN_4, LDMATRIX, ROWS_8, ROWS_4 };

static const struct {
	uint8_t access, swizzle;
	uint16_t tile;
} reads[] = {
	{ COLUMN_16, BC_TENSOR_PLAIN, 0 }, { COLUMN_16, BC_TENSOR_32B, 0 },    { COLUMN_16, BC_TENSOR_64B, 0 },
	{ COLUMN_16, BC_TENSOR_128B, 0 },  { COLUMN_16, BC_TENSOR_128B, 384 }, { COLUMN_8, BC_TENSOR_PLAIN, 0 },
	{ COLUMN_8, BC_TENSOR_32B, 0 },	   { COLUMN_8, BC_TENSOR_64B, 0 },     { COLUMN_8, BC_TENSOR_128B, 0 },
	{ COLUMN_4, BC_TENSOR_PLAIN, 0 },  { COLUMN_4, BC_TENSOR_32B, 0 },     { COLUMN_4, BC_TENSOR_64B, 0 },
	{ COLUMN_4, BC_TENSOR_128B, 0 },   { LDMATRIX, BC_TENSOR_PLAIN, 0 },   { LDMATRIX, BC_TENSOR_32B, 0 },
	{ LDMATRIX, BC_TENSOR_64B, 0 },	   { LDMATRIX, BC_TENSOR_128B, 0 },    { LDMATRIX, BC_TENSOR_128B, 384 },
	{ ROWS_8, BC_TENSOR_PLAIN, 0 },	   { ROWS_8, BC_TENSOR_128B, 0 },      { ROWS_4, BC_TENSOR_PLAIN, 0 },
	{ ROWS_4, BC_TENSOR_128B, 0 },
};

static const struct access *access_of(const struct bc_case *c)
{
	return &accesses[reads[c->arg[0]].access];
}

static void box_of(const struct bc_case *c, struct bc_box *b)
{
	const enum bc_tensor_swizzle s = (enum bc_tensor_swizzle)reads[c->arg[0]].swizzle;

	bc_box_wide(b, s, s == BC_TENSOR_PLAIN ? 128 : bc_tensor_span(s), ROWS, reads[c->arg[0]].tile);
}

static uint32_t row_words(const struct bc_box *b)
{
	return bc_box_row_bytes(b) / 4;
}

static uint32_t requests_of(const struct bc_case *c, const struct bc_box *b)
{
	return access_of(c)->along ? ROWS * row_words(b) / (BC_LANES * access_of(c)->words)
				   : row_words(b) / access_of(c)->words;
}

bool bc_tma_read_build(unsigned i, struct bc_case *c)
{
	const struct access *x;

	if (i >= BC_ARRAY_LEN(reads))
		return false;
	c->arg[0] = (int32_t)i;
	c->needs = BC_NEED_BULK_COPY;
	c->release = BC_TMA_RELEASE;
	c->shared_bytes = BC_TMA_SHARED_BYTES;
	x = access_of(c);
	bc_variant_add(c, x->name);
	bc_variant_add(c, "_");
	bc_variant_add(c, bc_box_swizzle_name((enum bc_tensor_swizzle)reads[i].swizzle));
	if (reads[i].tile) {
		bc_variant_add(c, "_at_");
		bc_variant_add_int(c, reads[i].tile);
	}
	if (reads[i].access == COLUMN_8)
		bc_twin_set(c, NULL, "rows_8_128b");
	else if (reads[i].access == COLUMN_4)
		bc_twin_set(c, NULL, "rows_4_128b");
	else if (reads[i].swizzle == BC_TENSOR_PLAIN && !x->along)
		bc_twin_set(c, NULL, reads[i].access == LDMATRIX ? "ldmatrix_128b" : "column_16_128b");
	return true;
}

/* The first element that @lane addresses in request @k. */
static uint32_t addressed(const struct access *x, const struct bc_box *b, uint32_t k, uint32_t lane)
{
	if (x->along)
		return (k * BC_LANES + lane) * x->words;
	return lane * row_words(b) + k * x->words;
}

/* The element that comes as its word @j: ldmatrix gives row l / 4 of matrix j, word l % 4. */
static uint32_t received(const struct access *x, const struct bc_box *b, uint32_t k, uint32_t lane, uint32_t j)
{
	if (x->op == BC_OP_LDSM4)
		return addressed(x, b, k, 8 * j + lane / 4) + lane % 4;
	return addressed(x, b, k, lane) + j;
}

/* @c: the case; the offsets depend on where shared memory begins: on a multiple of 1024 on every architecture that has
 * tensor copies. */
static void fill_offsets(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	uint32_t *offset = data;
	struct bc_box b;

	(void)seed;
	box_of(c, &b);
	for (uint32_t i = 0; i < bytes / 4; i++)
		offset[i] = bc_box_shared(&b, 0, addressed(access_of(c), &b, i / BC_LANES, i % BC_LANES));
}

bool bc_tma_read_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct access *x = access_of(c);
	struct bc_box b;
	uint32_t n;

	if (a->window_base % 1024)
		return false;
	box_of(c, &b);
	n = requests_of(c, &b);
	bc_tma_start(out, x->kernel, &b, bc_box_bytes(&b), TRIES, n);
	bc_program_in(out, BC_TMA_PARAM(tensor), bc_box_tensor_bytes(&b), bc_tma_fill_tensor);
	bc_program_out(out, BC_TMA_PARAM(info), 2 * sizeof(uint32_t));
	bc_program_out(out, BC_TMA_PARAM(out), (size_t)n * BC_LANES * x->words * 4);
	bc_program_in(out, BC_TMA_PARAM(offsets), (size_t)n * BC_LANES * 4, fill_offsets);
	bc_program_count(out, BC_CLASS_LD, n);
	out->counted_as = x->op;
	return true;
}

bool bc_tma_read_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	const struct access *x = access_of(c);
	const unsigned char *tensor = data[0];
	const uint32_t *got = data[2];
	struct bc_box b;

	(void)seed;
	if (!bc_tma_check_info(data[1], a, true, bad))
		return false;
	box_of(c, &b);
	for (uint32_t i = 0; i < requests_of(c, &b) * BC_LANES * x->words; i++) {
		const uint32_t j = i % x->words, lane = i / x->words % BC_LANES, k = i / x->words / BC_LANES;
		uint32_t at = 0, want;

		(void)bc_box_global(&b, received(x, &b, k, lane, j), &at); /* all of it is inside */
		memcpy(&want, tensor + at, sizeof(want));
		if (got[i] != want)
			return bc_mismatch(bad, "word", i, got[i], want);
	}
	return true;
}

bool bc_tma_read_request(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *out)
{
	struct bc_box b;

	box_of(c, &b);
	if (k >= requests_of(c, &b))
		return false;
	out->op = access_of(c)->op;
	out->mask = BC_MASK_ALL;
	for (uint32_t l = 0; l < BC_LANES; l++)
		out->addr[l] =
			a->window_base + bc_box_shared(&b, a->window_base, addressed(access_of(c), &b, (uint32_t)k, l));
	return true;
}
