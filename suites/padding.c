/* SPDX-License-Identifier: MIT */
/* suites/padding.c - tiles whose rows are padded: what cures the column, what does not, and what padding costs.
 *
 * Tiles are named rows x pitch, the pitch in elements: 32x33 is s[32][33]. Element [row][col] lies at
 * row * pitch + col elements.
 */
#include "suites/patterns.h"

#include "kernels/bc_kernel.h"

/*
 * Tiles of which a warp accesses a row or a column of 32. Those of 4 bytes and more are walked through whole: 32
 * requests, the rows 0..31 or the columns 0..31 one after another. Of bytes and halves one row and column is taken
 * (@from), for in a column they do not all behave alike. Narrow tiles give their first column.
 * The store is s[row][lane] and the load s[lane][col], or the other way round.
 */
static const struct tile {
	uint8_t bytes, rows, width, pad, from, count;
	const char *twin; /* of the column, when it conflicts */
} tiles[] = {
	{ 1, 32, 32, 0, 0, 1, "32x36_col_0" }, { 1, 32, 32, 1, 0, 1, NULL },
	{ 1, 32, 32, 1, 1, 1, "32x36_col_1" }, { 1, 32, 32, 4, 0, 1, NULL },
	{ 1, 32, 32, 4, 1, 1, NULL },	       { 2, 32, 32, 0, 0, 1, "32x34_col_0" },
	{ 2, 32, 32, 1, 0, 1, NULL },	       { 2, 32, 32, 1, 1, 1, "32x34_col_1" },
	{ 2, 32, 32, 2, 0, 1, NULL },	       { 2, 32, 32, 2, 1, 1, NULL },
	{ 4, 32, 32, 0, 0, 32, "32x33" },      { 4, 32, 32, 1, 0, 32, NULL },
	{ 4, 32, 32, 2, 0, 32, "32x33" },      { 4, 32, 32, 4, 0, 32, "32x33" },
	{ 4, 32, 32, 8, 0, 32, "32x33" },      { 4, 32, 32, 16, 0, 32, "32x33" },
	{ 4, 32, 8, 0, 0, 1, "32x9" },	       { 4, 32, 8, 1, 0, 1, NULL },
	{ 4, 32, 16, 0, 0, 1, "32x17" },       { 4, 32, 16, 1, 0, 1, NULL },
	{ 4, 64, 64, 0, 0, 32, "64x65" },      { 4, 64, 64, 1, 0, 32, NULL },
	{ 8, 32, 32, 0, 0, 32, "32x33" },      { 8, 32, 32, 1, 0, 32, NULL },
	{ 16, 32, 32, 0, 0, 32, "32x33" },     { 16, 32, 32, 1, 0, 32, NULL },
};

static struct bc_layout padded(uint32_t width, uint32_t pad)
{
	return (struct bc_layout){ .kind = BC_LAYOUT_PADDED, .width = width, .amount = pad };
}

static void name_tile(struct bc_case *c, uint32_t rows, uint32_t pitch)
{
	bc_variant_add_int(c, (int)rows);
	bc_variant_add(c, "x");
	bc_variant_add_int(c, (int)pitch);
}

/* The @i-th tile of elements of @bytes that is at least @width wide, NULL when there is none. */
static const struct tile *find_tile(unsigned i, uint32_t bytes, uint32_t width)
{
	for (size_t k = 0; k < BC_ARRAY_LEN(tiles); k++)
		if (tiles[k].bytes == bytes && tiles[k].width >= width && i-- == 0)
			return &tiles[k];
	return NULL;
}

/* A row of 32 elements, or a column of 32. */
static bool line_of(unsigned i, struct bc_case *c, bool is_column)
{
	const enum bc_op op = bc_rule_op(c->rule);
	const uint32_t bytes = bc_op_info(op)->bytes;
	const struct tile *t = find_tile(i, bytes, is_column ? 0 : BC_LANES);

	if (!t)
		return false;

	const struct bc_layout layout = padded(t->width, t->pad);

	bc_pattern_start(c, op, BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] =
			bytes * (is_column ? bc_layout_index(l, t->from, layout) : bc_layout_index(t->from, l, layout));
	c->pattern.count = t->count;
	if (t->count > 1)
		c->pattern.step = bytes * (is_column ? 1 : bc_layout_pitch(layout));
	name_tile(c, t->rows, bc_layout_pitch(layout));
	if (bytes < BC_WORD_BYTES) {
		bc_variant_add(c, is_column ? "_col_" : "_row_");
		bc_variant_add_int(c, t->from);
	}
	if (is_column && t->twin)
		bc_twin_set(c, NULL, t->twin);
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

/* Square tiles narrower than a warp, n x n: a request takes 32 / n rows or 32 / n columns. */
static const struct {
	uint8_t n, pad;
	const char *row_twin, *column_twin;
} narrow[] = {
	{ 8, 0, NULL, "8x12" },	  { 8, 1, "8x8", "8x12" },     { 8, 4, "8x8", NULL },
	{ 16, 0, NULL, "16x18" }, { 16, 1, "16x16", "16x18" }, { 16, 2, "16x16", NULL },
};

/* Rows: s[lane / n][lane % n]. Columns: s[lane % n][lane / n]. */
static bool narrow_of(unsigned i, struct bc_case *c, bool is_column)
{
	if (i >= BC_ARRAY_LEN(narrow))
		return false;

	const uint32_t n = narrow[i].n;
	const struct bc_layout layout = padded(n, narrow[i].pad);
	const char *twin = is_column ? narrow[i].column_twin : narrow[i].row_twin;

	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = BC_WORD_BYTES * (is_column ? bc_layout_index(l % n, l / n, layout)
								  : bc_layout_index(l / n, l % n, layout));
	name_tile(c, n, n + narrow[i].pad);
	if (twin)
		bc_twin_set(c, NULL, twin);
	return true;
}

static bool narrow_row(unsigned i, struct bc_case *c)
{
	return narrow_of(i, c, false);
}

static bool narrow_column(unsigned i, struct bc_case *c)
{
	return narrow_of(i, c, true);
}

/*
 * Blocks of TX x TY threads that transpose a tile s[TY][TX + pad], thread t = threadIdx.y * TX + threadIdx.x. The first
 * warp is taken. The store is s[(t / TX) * (TX + pad) + t % TX], the load s[(t % TY) * (TX + pad) + t / TY].
 */
static const struct {
	uint8_t tx, ty;
} blocks[] = { { 32, 32 }, { 32, 16 }, { 32, 8 }, { 16, 32 }, { 16, 16 } };

static bool block_of(unsigned i, struct bc_case *c, bool store)
{
	const uint32_t pad = i % 2;

	if (i >= 2 * BC_ARRAY_LEN(blocks))
		return false;

	const uint32_t tx = blocks[i / 2].tx, ty = blocks[i / 2].ty;
	const struct bc_layout layout = padded(tx, pad);

	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t t = 0; t < BC_LANES; t++)
		c->pattern.offset[t] = BC_WORD_BYTES * (store ? bc_layout_index(t / tx, t % tx, layout)
							      : bc_layout_index(t % ty, t / ty, layout));
	name_tile(c, tx, ty);
	bc_variant_add(c, "_pad_");
	bc_variant_add_int(c, (int)pad);
	if (store && tx < BC_LANES && pad)
		bc_twin_set(c, NULL, tx == ty ? "16x16_pad_0" : "16x32_pad_0");
	else if (!store && (pad == 0 || ty < BC_LANES))
		bc_twin_set(c, NULL, "32x32_pad_1");
	return true;
}

static bool block_store(unsigned i, struct bc_case *c)
{
	return block_of(i, c, true);
}

static bool block_load(unsigned i, struct bc_case *c)
{
	return block_of(i, c, false);
}

/* Half a warp a column of s[16][pitch], the two columns @step apart: lane l loads [l % 16][step * (l / 16)]. The store
 * is s[warp][lane], rows of 64 in two requests. */
static bool step(unsigned i, struct bc_case *c)
{
	static const struct {
		uint8_t pad, step;
	} shapes[] = { { 0, 4 }, { 1, 4 }, { 1, 16 } };

	if (i >= BC_ARRAY_LEN(shapes))
		return false;

	const struct bc_layout layout = padded(64, shapes[i].pad);

	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = BC_WORD_BYTES * bc_layout_index(l % 16, shapes[i].step * (l / 16), layout);
	name_tile(c, 16, bc_layout_pitch(layout));
	bc_variant_add(c, "_step_");
	bc_variant_add_int(c, shapes[i].step);
	if (shapes[i].step < 16)
		bc_twin_set(c, NULL, "16x65_step_16");
	return true;
}

#define GUIDE "CUDA C++ Best Practices Guide, Shared Memory in Matrix Multiplication (C=AAT): a column of padding"
#define MATRIX "CUDA C++ Best Practices Guide, padding of a transposed tile, with the guide's bank = word mod 32"
#define ROW "a row of 32 elements is free of conflicts, however the rows are padded"
#define COLUMN "a column of 32 words takes gcd(pitch, 32) wavefronts: an odd pitch cures it, an even one does not"
#define PARTS "bytes and halves: a pad of one element leaves columns 2-way, a pad of 4 bytes cures all of them"
#define WIDE "elements of 8 and 16 bytes: a pad of one element cures the column (4 bytes would misalign the next row)"
#define NARROW_ROW "tiles narrower than a warp: a pad makes the row access of a warp 2-way"
#define NARROW_COLUMN "tiles narrower than a warp: a pad of one word leaves the column 2-way, 32 / n words cure it"
#define BLOCK_LD "a pad of one word cures the transposed load when the block is 32 high; lower blocks stay 32 / TY-way"
#define BLOCK_ST "a pad of one word makes the store of a block that is 16 wide 2-way"
#define STEP "s[16][65] with half a warp a column conflicts when the columns are fewer than 16 apart"

static const struct bc_rule rules[] = {
	{ .name = "row_ld_b8", .source = GUIDE, .build = row, .sentence = ROW },
	{ .name = "row_st_b8", .source = GUIDE, .build = row, .sentence = ROW },
	{ .name = "column_ld_b8", .source = MATRIX, .build = column, .sentence = PARTS },
	{ .name = "column_st_b8", .source = MATRIX, .build = column, .sentence = PARTS },
	{ .name = "row_ld_b16", .source = GUIDE, .build = row, .sentence = ROW },
	{ .name = "row_st_b16", .source = GUIDE, .build = row, .sentence = ROW },
	{ .name = "column_ld_b16", .source = MATRIX, .build = column, .sentence = PARTS },
	{ .name = "column_st_b16", .source = MATRIX, .build = column, .sentence = PARTS },
	{ .name = "row_ld_b32", .source = GUIDE, .build = row, .sentence = ROW },
	{ .name = "row_st_b32", .source = GUIDE, .build = row, .sentence = ROW },
	{ .name = "column_ld_b32", .source = GUIDE, .build = column, .sentence = COLUMN },
	{ .name = "column_st_b32", .source = GUIDE, .build = column, .sentence = COLUMN },
	{ .name = "row_ld_b64", .source = GUIDE, .build = row, .sentence = ROW },
	{ .name = "row_st_b64", .source = GUIDE, .build = row, .sentence = ROW },
	{ .name = "column_ld_b64", .source = MATRIX, .build = column, .sentence = WIDE },
	{ .name = "column_st_b64", .source = MATRIX, .build = column, .sentence = WIDE },
	{ .name = "row_ld_b128", .source = GUIDE, .build = row, .sentence = ROW },
	{ .name = "row_st_b128", .source = GUIDE, .build = row, .sentence = ROW },
	{ .name = "column_ld_b128", .source = MATRIX, .build = column, .sentence = WIDE },
	{ .name = "column_st_b128", .source = MATRIX, .build = column, .sentence = WIDE },
	{ .name = "narrow_row_ld_b32", .source = MATRIX, .build = narrow_row, .sentence = NARROW_ROW },
	{ .name = "narrow_row_st_b32", .source = MATRIX, .build = narrow_row, .sentence = NARROW_ROW },
	{ .name = "narrow_column_ld_b32", .source = MATRIX, .build = narrow_column, .sentence = NARROW_COLUMN },
	{ .name = "narrow_column_st_b32", .source = MATRIX, .build = narrow_column, .sentence = NARROW_COLUMN },
	{ .name = "block_ld_b32", .source = MATRIX, .build = block_load, .sentence = BLOCK_LD },
	{ .name = "block_st_b32", .source = MATRIX, .build = block_store, .sentence = BLOCK_ST },
	{ .name = "step_ld_b32", .source = MATRIX, .build = step, .sentence = STEP },
};

const struct bc_suite bc_suite_padding = {
	.name = "padding",
	.about = "tiles with padded rows: which pad cures the column, which does not, and what it costs",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
