/* SPDX-License-Identifier: MIT */
/* suites/transpose.c - whole matrices transposed through a 32 x 32 tile of shared memory, as people write it.
 *
 * Requests are stated for whole tiles only: where a tile lies across the edge it depends on the compiler whether a
 * warp without a lane inside skips the instruction or runs it with no lane. Other sizes are judged by their data.
 */
#include "suites/patterns.h"
#include "suites/programs.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define TILE 32u

/* arg[]: what a case needs to know of itself. */
enum { BYTES, ROWS, LAYOUT, WIDTH, HEIGHT, CLASS };

#define NAIVE 3 /* instead of a layout: no shared memory */

static const char *const layout_names[] = { "plain", "padded", "xor", "naive" };

static const struct kernel {
	uint8_t bytes, rows;
	const char *prefix;    /* of variants */
	const char *kernel[3]; /* by layout */
} kernels[] = {
	{ 4,
	  8,
	  "f32_32x8_",
	  { "bc_transpose_f32_32x8_plain", "bc_transpose_f32_32x8_padded", "bc_transpose_f32_32x8_xor" } },
	{ 4,
	  32,
	  "f32_32x32_",
	  { "bc_transpose_f32_32x32_plain", "bc_transpose_f32_32x32_padded", "bc_transpose_f32_32x32_xor" } },
	{ 8,
	  8,
	  "f64_32x8_",
	  { "bc_transpose_f64_32x8_plain", "bc_transpose_f64_32x8_padded", "bc_transpose_f64_32x8_xor" } },
	{ 8,
	  32,
	  "f64_32x32_",
	  { "bc_transpose_f64_32x32_plain", "bc_transpose_f64_32x32_padded", "bc_transpose_f64_32x32_xor" } },
};

static uint32_t arg(const struct bc_case *c, unsigned k)
{
	return (uint32_t)c->arg[k];
}

static struct bc_layout layout_of(const struct bc_case *c)
{
	return (struct bc_layout){ .kind = arg(c, LAYOUT),
				   .width = TILE,
				   .amount = arg(c, LAYOUT) == BC_LAYOUT_PADDED ? 1 : TILE - 1 };
}

static void name_case(struct bc_case *c, const char *prefix, uint32_t width, uint32_t height)
{
	bc_variant_add(c, prefix);
	bc_variant_add(c, layout_names[arg(c, LAYOUT)]);
	bc_variant_add(c, "_");
	bc_variant_add_int(c, (int)width);
	bc_variant_add(c, "x");
	bc_variant_add_int(c, (int)height);
}

static void set_case(struct bc_case *c, const struct kernel *k, uint32_t layout, uint32_t width, uint32_t height)
{
	c->arg[BYTES] = k->bytes;
	c->arg[ROWS] = k->rows;
	c->arg[LAYOUT] = (int32_t)layout;
	c->arg[WIDTH] = (int32_t)width;
	c->arg[HEIGHT] = (int32_t)height;
	if (layout != NAIVE)
		c->shared_bytes = TILE * bc_layout_pitch(layout_of(c)) * k->bytes;
	name_case(c, k->prefix, width, height);
}

/* Width x height of the matrix. */
struct size {
	uint8_t width, height;
};

/* Every kernel and layout with each of @n sizes. */
static bool all_kernels(unsigned i, struct bc_case *c, const struct size *size, unsigned n)
{
	if (i >= n * 3 * BC_ARRAY_LEN(kernels))
		return false;
	set_case(c, &kernels[i / (3 * n)], i % 3, size[i / 3 % n].width, size[i / 3 % n].height);
	return true;
}

/* One block, and a grid of 3 x 2. */
static bool shared(unsigned i, struct bc_case *c, enum bc_class cls)
{
	static const struct size sizes[] = { { 32, 32 }, { 96, 64 } };

	c->arg[CLASS] = (int32_t)cls;
	return all_kernels(i, c, sizes, BC_ARRAY_LEN(sizes));
}

static bool shared_ld(unsigned i, struct bc_case *c)
{
	struct bc_case twin = { .rule = c->rule };

	if (!shared(i, c, BC_CLASS_LD))
		return false;
	if (arg(c, LAYOUT) == BC_LAYOUT_PLAIN && shared(i + BC_LAYOUT_PADDED, &twin, BC_CLASS_LD))
		bc_twin_set(c, NULL, twin.variant);
	return true;
}

static bool shared_st(unsigned i, struct bc_case *c)
{
	return shared(i, c, BC_CLASS_ST);
}

/* With no tile to cure: the layout does not matter to global memory, so the padded one stands for all. */
static bool global(unsigned i, struct bc_case *c, enum bc_class cls)
{
	static const struct kernel naive[] = { { .bytes = 4, .rows = 8, .prefix = "f32_" },
					       { .bytes = 8, .rows = 8, .prefix = "f64_" } };

	c->arg[CLASS] = (int32_t)cls;
	if (i < BC_ARRAY_LEN(kernels))
		set_case(c, &kernels[i], BC_LAYOUT_PADDED, 96, 64);
	else if (i < BC_ARRAY_LEN(kernels) + BC_ARRAY_LEN(naive))
		set_case(c, &naive[i - BC_ARRAY_LEN(kernels)], NAIVE, 96, 64);
	else
		return false;
	return true;
}

static bool global_ld(unsigned i, struct bc_case *c)
{
	return global(i, c, BC_CLASS_GLOBAL_LD);
}

static bool global_st(unsigned i, struct bc_case *c)
{
	return global(i, c, BC_CLASS_GLOBAL_ST);
}

/* Sizes off the tile: one more and one less, several tiles and a rest, a single row, a single element. */
static bool odd_size(unsigned i, struct bc_case *c)
{
	static const struct size sizes[] = { { 33, 31 }, { 100, 70 }, { 65, 1 }, { 1, 1 } };

	c->arg[CLASS] = BC_CLASS_NONE;
	return all_kernels(i, c, sizes, BC_ARRAY_LEN(sizes));
}

static const char *kernel_of(const struct bc_case *c)
{
	if (arg(c, LAYOUT) == NAIVE)
		return arg(c, BYTES) == 4 ? "bc_transpose_f32_naive" : "bc_transpose_f64_naive";
	for (size_t k = 0; k < BC_ARRAY_LEN(kernels); k++)
		if (kernels[k].bytes == arg(c, BYTES) && kernels[k].rows == arg(c, ROWS))
			return kernels[k].kernel[arg(c, LAYOUT)];
	return NULL;
}

static bool program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_transpose_params p = { .width = arg(c, WIDTH), .height = arg(c, HEIGHT) };
	const size_t bytes = (size_t)p.width * p.height * arg(c, BYTES);

	(void)a;
	bc_program_start(out, "transpose", kernel_of(c), TILE, &p, sizeof(p));
	out->block[1] = arg(c, ROWS);
	out->grid[0] = (p.width + TILE - 1) / TILE;
	out->grid[1] = (p.height + TILE - 1) / TILE;
	bc_program_in(out, offsetof(struct bc_transpose_params, in), bytes, bc_fill_words);
	bc_program_out(out, offsetof(struct bc_transpose_params, out), bytes);
	if (arg(c, CLASS) != BC_CLASS_NONE)
		bc_program_count(out, (enum bc_class)c->arg[CLASS], (uint64_t)p.width * p.height / TILE);
	return out->kernel != NULL;
}

/* Every element, bit for bit. */
static bool check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		  struct bc_mismatch *bad)
{
	const uint32_t width = arg(c, WIDTH), height = arg(c, HEIGHT), words = arg(c, BYTES) / 4;
	const uint32_t *in = data[0], *out = data[1];

	(void)a;
	(void)seed;
	for (uint32_t e = 0; e < width * height * words; e++) {
		const uint32_t x = e / words / height, y = e / words % height;
		const uint32_t want = in[(y * width + x) * words + e % words];

		if (out[e] != want)
			return bc_mismatch(bad, "word", e, out[e], want);
	}
	return true;
}

/* Request @k of a launch of whole tiles: row k % 32 of a tile is stored, column k % 32 loaded. All tiles are alike. */
static bool request(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *out)
{
	const struct bc_layout layout = layout_of(c);
	const bool store = arg(c, CLASS) == BC_CLASS_ST, wide = arg(c, BYTES) == 8;
	const uint32_t line = (uint32_t)(k % TILE);

	if (k >= (uint64_t)arg(c, WIDTH) * arg(c, HEIGHT) / TILE)
		return false;
	out->op = store ? (wide ? BC_OP_ST64 : BC_OP_ST32) : (wide ? BC_OP_LD64 : BC_OP_LD32);
	out->mask = BC_MASK_ALL;
	for (uint32_t l = 0; l < BC_LANES; l++)
		out->addr[l] = a->window_base + arg(c, BYTES) * (store ? bc_layout_index(line, l, layout)
								       : bc_layout_index(l, line, layout));
	return true;
}

#define GUIDE "NVIDIA developer blog, An Efficient Matrix Transpose in CUDA C/C++; Best Practices Guide, Shared Memory"

static const struct bc_rule rules[] = {
	{ .name = "shared_ld",
	  .source = GUIDE,
	  .build = shared_ld,
	  .program = program,
	  .check = check,
	  .request = request,
	  .sentence = "the columns of the tile conflict 32-way unless it is padded by one element or swizzled" },
	{ .name = "shared_st",
	  .source = GUIDE,
	  .build = shared_st,
	  .program = program,
	  .check = check,
	  .request = request,
	  .sentence = "the rows of the tile are stored without conflict in every layout" },
	{ .name = "global_ld",
	  .source = GUIDE,
	  .build = global_ld,
	  .program = program,
	  .check = check,
	  .sentence = "rows are loaded in as few sectors as they can be" },
	{ .name = "global_st",
	  .source = GUIDE,
	  .build = global_st,
	  .program = program,
	  .check = check,
	  .sentence = "through the tile rows are stored in as few sectors as can be, without it in one an element" },
	{ .name = "odd_size",
	  .source = GUIDE,
	  .build = odd_size,
	  .program = program,
	  .check = check,
	  .sentence = "matrices that are no multiple of the tile come out right in every layout" },
};

const struct bc_suite bc_suite_transpose = {
	.name = "transpose",
	.about = "matrices transposed through a tile of shared memory: plain, padded, swizzled; float and double",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
