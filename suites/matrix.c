/* SPDX-License-Identifier: MIT */
/* suites/matrix.c - ldmatrix and stmatrix: eight rows of 16 bytes a matrix, each matrix served by itself. */
#include "suites/patterns.h"

#define CHUNK_BYTES 16u /* a row of a matrix: 8 elements of 2 bytes */
#define ROWS 8u
#define CHUNKS 8u /* of a tile's 128-byte row */

static enum bc_op op_of(const struct bc_case *c)
{
	return bc_rule_op(c->rule);
}

static uint32_t matrices_of(const struct bc_case *c)
{
	return bc_op_info(op_of(c))->matrices;
}

static void start(struct bc_case *c)
{
	bc_pattern_start(c, op_of(c), BC_MASK_ALL);
	c->needs |= bc_op_info(op_of(c))->store ? BC_NEED_STMATRIX : BC_NEED_LDMATRIX;
}

/* Row pitch in bytes, 16 to 528: rows that are an even number of chunks apart meet in their banks. */
static bool conflicts(uint32_t pitch)
{
	return pitch / CHUNK_BYTES % 2 == 0;
}

/* Rows of all matrices one after another, @pitch bytes apart. */
static bool pitch(unsigned i, struct bc_case *c)
{
	static const uint16_t some[] = { 16, 32, 48, 64, 112, 128, 144, 256, 272, 512, 528 };
	const bool all = op_of(c) == BC_OP_LDSM4 || op_of(c) == BC_OP_STSM4;

	if (i >= (all ? 33 : BC_ARRAY_LEN(some)))
		return false;

	const uint32_t bytes = all ? (i + 1) * CHUNK_BYTES : some[i];

	start(c);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = l * bytes;
	bc_variant_add_int(c, (int)bytes);
	if (conflicts(bytes))
		bc_twin_set(c, NULL, "16");
	return true;
}

/* A 16 x 16 tile of 2-byte elements, as a product takes it: lanes 0-15 its rows, lanes 16-31 their second half. */
static bool tile(unsigned i, struct bc_case *c)
{
	static const uint16_t pitches[] = { 48, 80, 144, 272, 32, 64, 128, 256 };

	if (i >= BC_ARRAY_LEN(pitches))
		return false;
	start(c);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = l % 16 * pitches[i] + l / 16 * CHUNK_BYTES;
	bc_variant_add_int(c, pitches[i]);
	if (conflicts(pitches[i]))
		bc_twin_set(c, NULL, "144");
	return true;
}

/* Rows 0-7 of a tile of 128-byte rows; matrix m takes chunk (first + m) % 8 of each, @xored with the row or not. */
static void chunks(struct bc_case *c, unsigned first, bool xored)
{
	start(c);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t row = l % ROWS, chunk = (first + l / ROWS) % CHUNKS;

		c->pattern.offset[l] = row * BC_ROW_BYTES + (xored ? chunk ^ row : chunk) * CHUNK_BYTES;
	}
	bc_variant_add(c, "chunk_");
	bc_variant_add_int(c, (int)first);
}

static bool swizzled(unsigned i, struct bc_case *c)
{
	if (i >= CHUNKS)
		return false;
	chunks(c, i, true);
	return true;
}

static bool unswizzled(unsigned i, struct bc_case *c)
{
	if (i >= CHUNKS)
		return false;
	chunks(c, i, false);
	bc_twin_set_stem(c, "swizzled", c->variant);
	return true;
}

/* Lanes that give no row have addresses that would conflict, or meet the rows. */
static bool ignored(unsigned i, struct bc_case *c)
{
	static const char *const names[] = { "one_bank", "one_address", "on_the_rows", "scattered" };

	if (i >= BC_ARRAY_LEN(names))
		return false;
	start(c);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t wild[] = { 1024 + l * BC_ROW_BYTES, 16384, l % ROWS * CHUNK_BYTES,
					  1024 + l * 37 % 64 * 13 * CHUNK_BYTES };

		c->pattern.offset[l] = l < ROWS * matrices_of(c) ? l * CHUNK_BYTES : wild[i];
	}
	bc_variant_add(c, names[i]);
	return true;
}

/* Rows of one matrix that are the same 16 bytes. */
static bool same_rows(unsigned i, struct bc_case *c)
{
	static const char *const names[] = { "all", "each_matrix", "pairs", "two_of_a_bank" };

	if (i >= BC_ARRAY_LEN(names))
		return false;
	start(c);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t place[] = { 0, l / ROWS * CHUNK_BYTES, l / 2 * CHUNK_BYTES,
					   l % 2 * BC_ROW_BYTES + l / ROWS * CHUNK_BYTES };

		c->pattern.offset[l] = place[i];
	}
	bc_variant_add(c, names[i]);
	if (i == 3)
		bc_twin_set(c, NULL, names[1]);
	return true;
}

/* Four requests, each on the next rows. */
static bool requests(unsigned i, struct bc_case *c)
{
	if (i >= 1)
		return false;
	start(c);
	c->pattern.count = 4;
	c->pattern.step = BC_LANES * CHUNK_BYTES;
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = l * CHUNK_BYTES;
	bc_variant_add_int(c, 4);
	return true;
}

#define PTX "PTX ISA, ldmatrix and stmatrix: lane l holds two elements of row l / 4, lanes 8m to 8m+7 name the rows"
#define MEASURED "docs/bank-laws.md, law 9: measured on an H200"
#define SWIZZLE "CUTLASS and CUDA C++ Programming Guide (tensor maps): 128-byte swizzle of 16-byte chunks; law 9"
#define PITCH                                                                                                         \
	"rows at a pitch of p bytes take gcd(p / 16, 8) wavefronts a matrix: 128 is 8-way, 16 bytes of padding cure " \
	"it"
#define TILE "a 16 x 16 tile is free of conflicts when its row pitch is an odd number of 16-byte chunks"
#define XORED "16-byte chunks XORed with the row (mod 8) make every column of chunks free of conflicts"
#define PLAIN "a column of chunks in rows of 128 bytes is 8-way in each matrix"
#define IGNORED "addresses of lanes that give no row are ignored"
#define SAME "rows of a matrix that are the same 16 bytes are served together"
#define REQUESTS "each request takes the wavefronts of its own rows"

static const struct bc_rule rules[] = {
	{ .name = "pitch_ldsm1", .source = MEASURED, .build = pitch, .sentence = PITCH },
	{ .name = "pitch_ldsm2", .source = MEASURED, .build = pitch, .sentence = PITCH },
	{ .name = "pitch_ldsm4", .source = MEASURED, .build = pitch, .sentence = PITCH },
	{ .name = "pitch_ldsm1t", .source = MEASURED, .build = pitch, .sentence = PITCH },
	{ .name = "pitch_ldsm2t", .source = MEASURED, .build = pitch, .sentence = PITCH },
	{ .name = "pitch_ldsm4t", .source = MEASURED, .build = pitch, .sentence = PITCH },
	{ .name = "pitch_stsm1", .source = MEASURED, .build = pitch, .sentence = PITCH },
	{ .name = "pitch_stsm2", .source = MEASURED, .build = pitch, .sentence = PITCH },
	{ .name = "pitch_stsm4", .source = MEASURED, .build = pitch, .sentence = PITCH },
	{ .name = "pitch_stsm4t", .source = MEASURED, .build = pitch, .sentence = PITCH },
	{ .name = "tile_ldsm4", .source = MEASURED, .build = tile, .sentence = TILE },
	{ .name = "tile_ldsm4t", .source = MEASURED, .build = tile, .sentence = TILE },
	{ .name = "tile_stsm4", .source = MEASURED, .build = tile, .sentence = TILE },
	{ .name = "swizzled_ldsm4", .source = SWIZZLE, .build = swizzled, .sentence = XORED },
	{ .name = "swizzled_ldsm2t", .source = SWIZZLE, .build = swizzled, .sentence = XORED },
	{ .name = "swizzled_stsm4", .source = SWIZZLE, .build = swizzled, .sentence = XORED },
	{ .name = "unswizzled_ldsm4", .source = MEASURED, .build = unswizzled, .sentence = PLAIN },
	{ .name = "unswizzled_stsm4", .source = MEASURED, .build = unswizzled, .sentence = PLAIN },
	{ .name = "ignored_ldsm1", .source = PTX, .build = ignored, .sentence = IGNORED },
	{ .name = "ignored_ldsm2", .source = PTX, .build = ignored, .sentence = IGNORED },
	{ .name = "ignored_ldsm1t", .source = PTX, .build = ignored, .sentence = IGNORED },
	{ .name = "ignored_ldsm2t", .source = PTX, .build = ignored, .sentence = IGNORED },
	{ .name = "ignored_stsm1", .source = PTX, .build = ignored, .sentence = IGNORED },
	{ .name = "ignored_stsm2", .source = PTX, .build = ignored, .sentence = IGNORED },
	{ .name = "same_rows_ldsm1", .source = MEASURED, .build = same_rows, .sentence = SAME },
	{ .name = "same_rows_ldsm2", .source = MEASURED, .build = same_rows, .sentence = SAME },
	{ .name = "same_rows_ldsm4", .source = MEASURED, .build = same_rows, .sentence = SAME },
	{ .name = "same_rows_ldsm4t", .source = MEASURED, .build = same_rows, .sentence = SAME },
	{ .name = "same_rows_stsm4", .source = MEASURED, .build = same_rows, .sentence = SAME },
	{ .name = "requests_ldsm1", .source = MEASURED, .build = requests, .sentence = REQUESTS },
	{ .name = "requests_ldsm4", .source = MEASURED, .build = requests, .sentence = REQUESTS },
	{ .name = "requests_ldsm4t", .source = MEASURED, .build = requests, .sentence = REQUESTS },
	{ .name = "requests_stsm4", .source = MEASURED, .build = requests, .sentence = REQUESTS },
};

const struct bc_suite bc_suite_matrix = {
	.name = "matrix",
	.about = "ldmatrix and stmatrix: every lane's fragment, row pitches, the swizzle of 16-byte chunks",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
