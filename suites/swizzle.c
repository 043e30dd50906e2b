/* SPDX-License-Identifier: MIT */
/* suites/swizzle.c - tiles whose rows are permuted by col ^ row: rows and columns clean with no extra memory, and the
 * ways to get it wrong.
 */
#include "suites/patterns.h"
#include "suites/programs.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define THREADS 256u

static const uint8_t sizes[] = { 8, 16, 32, 64 };

static struct bc_layout xored(uint32_t width, uint32_t mask)
{
	return (struct bc_layout){ .kind = BC_LAYOUT_XOR, .width = width, .amount = mask };
}

static void name_tile(struct bc_case *c, uint32_t rows, uint32_t width)
{
	bc_variant_add_int(c, (int)rows);
	bc_variant_add(c, "x");
	bc_variant_add_int(c, (int)width);
}

/*
 * One request of an n x n tile: 32 elements of a row or of a column, or of 32 / n of them in a tile narrower than a
 * warp; the tile's first ones or its last. Row: [first + lane / n][lane % n], column: [lane % n][first + lane / n].
 */
static bool line_of(unsigned i, struct bc_case *c, bool is_column)
{
	const uint32_t bytes = bc_op_info(bc_rule_op(c->rule))->bytes;

	if (i >= 2 * BC_ARRAY_LEN(sizes))
		return false;

	const uint32_t n = sizes[i / 2], span = n < BC_LANES ? n : BC_LANES, lines = BC_LANES / span;
	const bool last = i % 2;
	const uint32_t line = last ? n - lines : 0, along = last ? n - span : 0;
	const struct bc_layout layout = xored(n, n - 1);

	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t across = line + l / span, at = along + l % span;

		c->pattern.offset[l] =
			bytes * (is_column ? bc_layout_index(at, across, layout) : bc_layout_index(across, at, layout));
	}
	name_tile(c, n, n);
	bc_variant_add(c, last ? "_last" : "_first");
	if (is_column && n == 64 && bytes == 2)
		bc_twin_set(c, NULL, last ? "32x32_last" : "32x32_first");
	return true;
}

static bool row(unsigned i, struct bc_case *c)
{
	return line_of(i, c, false);
}

static bool column(unsigned i, struct bc_case *c)
{
	return line_of(i, c, true);
}

/* One column of 32 rows of an n-word tile, the row masked to the tile's width: [lane][5]. */
static bool tall(unsigned i, struct bc_case *c)
{
	if (i >= 3)
		return false;

	const uint32_t n = sizes[i];

	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = BC_WORD_BYTES * bc_layout_index(l, 5, xored(n, n - 1));
	name_tile(c, BC_LANES, n);
	if (n < BC_LANES)
		bc_twin_set(c, NULL, "32x32");
	return true;
}

/* The same with col ^ row and no mask: the rows beyond the tile's width lie outside it. */
static bool unmasked(unsigned i, struct bc_case *c)
{
	if (i >= 2)
		return false;

	const uint32_t n = sizes[i];

	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = BC_WORD_BYTES * bc_layout_index(l, 5, xored(n, BC_MASK_ALL));
	name_tile(c, BC_LANES, n);
	return true;
}

/* Rows of 64 floats, a column of 32 of them, and only some bits of the row used: [lane][9]. */
static bool partial(unsigned i, struct bc_case *c)
{
	static const uint8_t masks[] = { 7, 15, 31 };

	if (i >= BC_ARRAY_LEN(masks))
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = BC_WORD_BYTES * bc_layout_index(l, 9, xored(64, masks[i]));
	bc_variant_add(c, "64_and_");
	bc_variant_add_int(c, masks[i]);
	if (masks[i] < 31)
		bc_twin_set(c, NULL, "64_and_31");
	return true;
}

/* Padding and swizzle at once, each cure undoing the other: row * 33 + (col ^ row). */
static void twice(struct bc_case *c, uint32_t fixed, bool is_column)
{
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t r = is_column ? l : fixed, col = is_column ? fixed : l;

		c->pattern.offset[l] = BC_WORD_BYTES * (r * 33 + (col ^ r));
	}
	bc_variant_add(c, is_column ? "col_" : "row_");
	bc_variant_add_int(c, (int)fixed);
}

static bool twice_row(unsigned i, struct bc_case *c)
{
	static const uint8_t rows[] = { 0, 13, 31 };

	if (i >= BC_ARRAY_LEN(rows))
		return false;
	twice(c, rows[i], false);
	return true;
}

static bool twice_column(unsigned i, struct bc_case *c)
{
	if (i >= BC_LANES)
		return false;
	twice(c, i, true);
	bc_twin_set(c, "column_ld_b32", "32x32_first");
	return true;
}

/* Each element of a row moved by an offset of its own, drawn at random: (col + r(row, col)) mod 32. */
static bool drawn(unsigned i, struct bc_case *c)
{
	static const uint8_t rows[] = { 0, 7, 31 };

	if (i >= BC_ARRAY_LEN(rows))
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = BC_WORD_BYTES * (rows[i] * 32u + (l + bc_mix32(rows[i] * 32u + l)) % 32);
	bc_variant_add(c, "row_");
	bc_variant_add_int(c, rows[i]);
	return true;
}

/* Whole tiles on the device. arg[]: what a case needs to know of itself. */
enum { WIDTH, BYTES };

static uint32_t arg(const struct bc_case *c, unsigned k)
{
	return (uint32_t)c->arg[k];
}

static size_t tile_bytes(const struct bc_case *c)
{
	return (size_t)arg(c, WIDTH) * arg(c, WIDTH) * arg(c, BYTES);
}

static const struct {
	const char *rule, *kernel;
	uint8_t bytes;
} kernels[] = {
	{ "bijective_b16", "bc_swizzle_b16", 2 },
	{ "bijective_b32", "bc_swizzle_b32", 4 },
	{ "bijective_b64", "bc_swizzle_b64", 8 },
	{ "bijective_b128", "bc_swizzle_b128", 16 },
};

static size_t find_kernel(const struct bc_rule *r)
{
	size_t k = 0;

	while (k + 1 < BC_ARRAY_LEN(kernels) && strcmp(kernels[k].rule, r->name) != 0)
		k++;
	return k;
}

static bool bijective(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(sizes))
		return false;
	c->arg[WIDTH] = sizes[i];
	c->arg[BYTES] = kernels[find_kernel(c->rule)].bytes;
	c->shared_bytes = (uint32_t)tile_bytes(c);
	name_tile(c, sizes[i], sizes[i]);
	return true;
}

/* Every warp has an element in each round: how often one without any runs the store is the compiler's choice. */
static bool counts_stores(const struct bc_case *c)
{
	return arg(c, WIDTH) * arg(c, WIDTH) % THREADS == 0;
}

static bool bijective_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_swizzle_params p = { .layout = xored(arg(c, WIDTH), arg(c, WIDTH) - 1) };

	(void)a;
	bc_program_start(out, "swizzle", kernels[find_kernel(c->rule)].kernel, THREADS, &p, sizeof(p));
	out->shared_bytes = c->shared_bytes;
	bc_program_in(out, offsetof(struct bc_swizzle_params, in), tile_bytes(c), bc_fill_words);
	bc_program_out(out, offsetof(struct bc_swizzle_params, columns), tile_bytes(c));
	bc_program_out(out, offsetof(struct bc_swizzle_params, raw), tile_bytes(c));
	if (counts_stores(c))
		bc_program_count(out, BC_CLASS_ST, arg(c, WIDTH) * arg(c, WIDTH) / BC_LANES);
	return true;
}

/* Elements 32 k to 32 k + 31 of the tile, each stored where the layout has it. */
static bool bijective_request(const struct bc_case *c, const struct bc_arch *a, uint64_t k,
			      struct bc_program_request *out)
{
	const uint32_t n = arg(c, WIDTH), bytes = arg(c, BYTES);

	if (!counts_stores(c) || k >= n * n / BC_LANES)
		return false;
	out->op = bytes == 2 ? BC_OP_ST16 : bytes == 4 ? BC_OP_ST32 : bytes == 8 ? BC_OP_ST64 : BC_OP_ST128;
	out->mask = BC_MASK_ALL;
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t e = (uint32_t)k * BC_LANES + l;

		out->addr[l] = a->window_base + bytes * bc_layout_index(e / n, e % n, xored(n, n - 1));
	}
	return true;
}

/* The first two bytes of an element, to be shown. */
static double first_half(const unsigned char *at)
{
	return (double)(at[0] | at[1] << 8);
}

/* Is @got the tile @want, or with @turned its transpose? */
static bool compare(const struct bc_case *c, const void *got, const void *want, bool turned, const char *note,
		    struct bc_mismatch *bad)
{
	const uint32_t n = arg(c, WIDTH), bytes = arg(c, BYTES);
	const unsigned char *g = got, *w = want;

	for (uint32_t e = 0; e < n * n; e++) {
		const unsigned char *is = g + (size_t)e * bytes;
		const unsigned char *must = w + (size_t)(turned ? e % n * n + e / n : e) * bytes;

		if (memcmp(is, must, bytes) == 0)
			continue;
		(void)bc_mismatch(bad, "element", e, first_half(is), first_half(must));
		bad->note = note;
		return false;
	}
	return true;
}

static bool bijective_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			    struct bc_mismatch *bad)
{
	(void)a;
	(void)seed;
	return compare(c, data[1], data[0], true, "read by columns (its lower 16 bits)", bad) &&
	       compare(c, data[2], data[0], false, "read in the order of shared memory (its lower 16 bits)", bad);
}

static bool layouts(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(sizes))
		return false;
	c->arg[WIDTH] = sizes[i];
	c->arg[BYTES] = BC_WORD_BYTES;
	c->shared_bytes = BC_WORD_BYTES * sizes[i] * (sizes[i] + 1u);
	name_tile(c, sizes[i], sizes[i]);
	return true;
}

static bool layouts_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_layouts_params p = { .width = arg(c, WIDTH) };

	(void)a;
	bc_program_start(out, "swizzle", "bc_swizzle_layouts", THREADS, &p, sizeof(p));
	out->shared_bytes = c->shared_bytes;
	bc_program_in(out, offsetof(struct bc_layouts_params, in), tile_bytes(c), bc_fill_words);
	for (size_t k = 0; k < 3; k++)
		bc_program_out(out, offsetof(struct bc_layouts_params, out) + k * sizeof(p.out[0]), tile_bytes(c));
	return true;
}

static bool layouts_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			  struct bc_mismatch *bad)
{
	(void)a;
	(void)seed;
	return compare(c, data[1], data[0], true, "layout plain (its lower 16 bits)", bad) &&
	       compare(c, data[2], data[1], false, "layout padded, expected what plain gives (lower 16 bits)", bad) &&
	       compare(c, data[3], data[1], false, "layout xor, expected what plain gives (lower 16 bits)", bad);
}

#define TAUGHT "CUTLASS and CuTe documentation, swizzled shared-memory layouts; NVIDIA forums, transpose by XOR"
#define DERIVED "bank = (address / 4) mod 32 and the algebra of exclusive or"
#define ROW "a row of a tile with col ^ row is free of conflicts: exclusive or with the row permutes the row"
#define COLUMN "a column of a tile with col ^ row is free of conflicts, with no padding"
#define COLUMN16 "a column with col ^ row is free of conflicts, but in 64 x 64 halves rows 2k and 2k + 1 share a bank"
#define TALL "masked with n - 1, a column of 32 rows of n < 32 words is still 32 / n-way: only n rows differ"
#define UNMASKED "without the mask the rows below n leave the tile: no conflict, but memory that is not the tile's"
#define PARTIAL "in rows of 64 floats all five bits of the row are needed: & 7 leaves 4-way columns, & 15 2-way"
#define TWICE "row * 33 + (col ^ row) gives each element its own place, but column c is 2 to 32-way"
#define DRAWN "a random offset is free of conflicts within a row, and loses elements: two of them get one place"
#define BIJECTIVE "col ^ row gives each element its own place in the tile's own memory, and there is a way back"
#define SAME "plain, padded and xor differ in where elements lie, never in results"
#define PROGRAM(run) .build = run, .program = run##_program, .check = run##_check

static const struct bc_rule rules[] = {
	{ .name = "row_ld_b16", .source = TAUGHT, .build = row, .sentence = ROW },
	{ .name = "row_st_b16", .source = TAUGHT, .build = row, .sentence = ROW },
	{ .name = "column_ld_b16", .source = DERIVED, .build = column, .sentence = COLUMN16 },
	{ .name = "column_st_b16", .source = DERIVED, .build = column, .sentence = COLUMN16 },
	{ .name = "row_ld_b32", .source = TAUGHT, .build = row, .sentence = ROW },
	{ .name = "row_st_b32", .source = TAUGHT, .build = row, .sentence = ROW },
	{ .name = "column_ld_b32", .source = TAUGHT, .build = column, .sentence = COLUMN },
	{ .name = "column_st_b32", .source = TAUGHT, .build = column, .sentence = COLUMN },
	{ .name = "row_ld_b64", .source = TAUGHT, .build = row, .sentence = ROW },
	{ .name = "row_st_b64", .source = TAUGHT, .build = row, .sentence = ROW },
	{ .name = "column_ld_b64", .source = TAUGHT, .build = column, .sentence = COLUMN },
	{ .name = "column_st_b64", .source = TAUGHT, .build = column, .sentence = COLUMN },
	{ .name = "row_ld_b128", .source = TAUGHT, .build = row, .sentence = ROW },
	{ .name = "row_st_b128", .source = TAUGHT, .build = row, .sentence = ROW },
	{ .name = "column_ld_b128", .source = TAUGHT, .build = column, .sentence = COLUMN },
	{ .name = "column_st_b128", .source = TAUGHT, .build = column, .sentence = COLUMN },
	{ .name = "tall_ld_b32", .source = DERIVED, .build = tall, .sentence = TALL },
	{ .name = "tall_st_b32", .source = DERIVED, .build = tall, .sentence = TALL },
	{ .name = "unmasked_ld_b32", .source = DERIVED, .build = unmasked, .sentence = UNMASKED },
	{ .name = "partial_ld_b32", .source = DERIVED, .build = partial, .sentence = PARTIAL },
	{ .name = "partial_st_b32", .source = DERIVED, .build = partial, .sentence = PARTIAL },
	{ .name = "twice_row_ld_b32", .source = DERIVED, .build = twice_row, .sentence = TWICE },
	{ .name = "twice_column_ld_b32", .source = DERIVED, .build = twice_column, .sentence = TWICE },
	{ .name = "drawn_st_b32", .source = DERIVED, .build = drawn, .sentence = DRAWN },
	{ .name = "bijective_b16",
	  .source = DERIVED,
	  .sentence = BIJECTIVE,
	  PROGRAM(bijective),
	  .request = bijective_request },
	{ .name = "bijective_b32",
	  .source = DERIVED,
	  .sentence = BIJECTIVE,
	  PROGRAM(bijective),
	  .request = bijective_request },
	{ .name = "bijective_b64",
	  .source = DERIVED,
	  .sentence = BIJECTIVE,
	  PROGRAM(bijective),
	  .request = bijective_request },
	{ .name = "bijective_b128",
	  .source = DERIVED,
	  .sentence = BIJECTIVE,
	  PROGRAM(bijective),
	  .request = bijective_request },
	{ .name = "layouts", .source = TAUGHT, .sentence = SAME, PROGRAM(layouts) },
};

const struct bc_suite bc_suite_swizzle = {
	.name = "swizzle",
	.about = "tiles permuted by col ^ row: rows and columns clean with no extra memory, and the traps",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
