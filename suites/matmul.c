/* SPDX-License-Identifier: MIT */
/* suites/matmul.c - the matrix product through 16 x 16 tiles of shared memory, against the naive one.
 *
 * Matrices are named m x n x k: a is m x k, b is k x n.
 */
#include "suites/patterns.h"
#include "suites/programs.h"

#include <math.h>
#include <string.h>

#include "kernels/bc_kernel.h"

#define TILE 16u
#define WARPS (TILE * TILE / BC_LANES) /* of a block */
#define TILE_LOADS (2 * TILE)	       /* shared loads of a warp for each step over k */
#define FRACTION 8388608.0	       /* 2^23: elements are whole multiples of 1 / FRACTION in [-1, 1) */
#define UNIT 5.9604644775390625e-08    /* 2^-24, the unit roundoff of a float */

#define NAIVE 3 /* instead of a layout: no shared memory */

/* arg[]: what a case needs to know of itself. */
enum { LAYOUT, M, N, K, CLASS };

static const char *const layout_names[] = { "plain", "padded", "xor", "naive" };
static const char *const kernels[] = { "bc_matmul_plain", "bc_matmul_padded", "bc_matmul_xor", "bc_matmul_naive" };

static uint32_t arg(const struct bc_case *c, unsigned k)
{
	return (uint32_t)c->arg[k];
}

static uint32_t tiles(uint32_t n)
{
	return (n + TILE - 1) / TILE;
}

static struct bc_layout layout_of(const struct bc_case *c)
{
	return (struct bc_layout){ .kind = arg(c, LAYOUT),
				   .width = TILE,
				   .amount = arg(c, LAYOUT) == BC_LAYOUT_PADDED ? 1 : TILE - 1 };
}

struct size {
	uint8_t m, n, k;
};

static void set_case(struct bc_case *c, uint32_t layout, struct size s, enum bc_class cls)
{
	c->arg[LAYOUT] = (int32_t)layout;
	c->arg[M] = s.m;
	c->arg[N] = s.n;
	c->arg[K] = s.k;
	c->arg[CLASS] = (int32_t)cls;
	if (layout != NAIVE)
		c->shared_bytes = 2 * TILE * bc_layout_pitch(layout_of(c)) * 4;
	bc_variant_add_int(c, s.m);
	bc_variant_add(c, "x");
	bc_variant_add_int(c, s.n);
	bc_variant_add(c, "x");
	bc_variant_add_int(c, s.k);
}

/* Each of the first @layouts layouts with each size. */
static bool build(unsigned i, struct bc_case *c, unsigned layouts, const struct size *size, size_t n, enum bc_class cls)
{
	if (i >= layouts * n)
		return false;
	bc_variant_add(c, layout_names[i % layouts]);
	bc_variant_add(c, "_");
	set_case(c, i % layouts, size[i / layouts], cls);
	return true;
}

/* One block, a grid of whole tiles, a grid with edges: shared memory is used alike in all. */
static const struct size shared_sizes[] = { { 16, 16, 48 }, { 32, 48, 32 }, { 20, 17, 33 } };

static bool shared_ld(unsigned i, struct bc_case *c)
{
	return build(i, c, 3, shared_sizes, BC_ARRAY_LEN(shared_sizes), BC_CLASS_LD);
}

static bool shared_st(unsigned i, struct bc_case *c)
{
	struct bc_case twin = { .rule = c->rule };

	if (!build(i, c, 3, shared_sizes, BC_ARRAY_LEN(shared_sizes), BC_CLASS_ST))
		return false;
	if (arg(c, LAYOUT) == BC_LAYOUT_PADDED &&
	    build(i + 1, &twin, 3, shared_sizes, BC_ARRAY_LEN(shared_sizes), BC_CLASS_ST))
		bc_twin_set(c, NULL, twin.variant);
	return true;
}

/* Whole tiles only: at the edge it depends on the compiler whether a warp with no lane inside runs the instruction. */
static bool global_ld(unsigned i, struct bc_case *c)
{
	static const struct size sizes[] = { { 32, 32, 32 }, { 32, 16, 64 } };

	return build(i, c, 4, sizes, BC_ARRAY_LEN(sizes), BC_CLASS_GLOBAL_LD);
}

static bool product(unsigned i, struct bc_case *c)
{
	static const struct size sizes[] = { { 1, 1, 1 }, { 16, 16, 1 }, { 17, 15, 31 }, { 5, 40, 3 }, { 33, 2, 50 } };

	return build(i, c, 4, sizes, BC_ARRAY_LEN(sizes), BC_CLASS_NONE);
}

static bool layouts(unsigned i, struct bc_case *c)
{
	static const struct size sizes[] = { { 16, 16, 16 }, { 20, 17, 33 } };

	if (i >= BC_ARRAY_LEN(sizes))
		return false;
	set_case(c, BC_LAYOUT_PLAIN, sizes[i], BC_CLASS_NONE);
	c->shared_bytes = 2 * TILE * (3 * TILE + 1) * 4;
	return true;
}

static void fill(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	float *element = data;

	(void)c;
	for (uint32_t i = 0; i < bytes / sizeof(*element); i++)
		element[i] = (float)(((double)(bc_fill_word(4 * i, seed) >> 8) - FRACTION) / FRACTION);
}

/* Other values than the first matrix has. */
static void fill_second(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	fill(c, data, bytes, ~seed);
}

/* Requests of the counted class by the whole launch. */
static uint64_t requests_of(const struct bc_case *c)
{
	const uint64_t warps = (uint64_t)tiles(arg(c, M)) * tiles(arg(c, N)) * WARPS, steps = tiles(arg(c, K));

	switch ((enum bc_class)c->arg[CLASS]) {
	case BC_CLASS_LD: return warps * steps * TILE_LOADS;
	case BC_CLASS_ST: return warps * steps * 2;
	case BC_CLASS_GLOBAL_LD: return warps * (arg(c, LAYOUT) == NAIVE ? 2 * arg(c, K) : 2 * steps);
	default: return 0;
	}
}

static void start(const struct bc_case *c, const char *kernel, unsigned results, struct bc_program *out)
{
	const struct bc_matmul_params p = { .m = arg(c, M), .n = arg(c, N), .k = arg(c, K) };

	bc_program_start(out, "matmul", kernel, TILE, &p, sizeof(p));
	out->block[1] = TILE;
	out->grid[0] = tiles(p.n);
	out->grid[1] = tiles(p.m);
	bc_program_in(out, offsetof(struct bc_matmul_params, a), (size_t)p.m * p.k * sizeof(float), fill);
	bc_program_in(out, offsetof(struct bc_matmul_params, b), (size_t)p.k * p.n * sizeof(float), fill_second);
	for (size_t i = 0; i < results; i++)
		bc_program_out(out, offsetof(struct bc_matmul_params, c) + i * sizeof(p.c[0]),
			       (size_t)p.m * p.n * sizeof(float));
}

static bool program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, kernels[arg(c, LAYOUT)], 1, out);
	if (arg(c, CLASS) != BC_CLASS_NONE)
		bc_program_count(out, (enum bc_class)c->arg[CLASS], requests_of(c));
	return true;
}

static bool layouts_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_matmul_layouts", 3, out);
	return true;
}

/*
 * Every element against a product in double precision. A float dot product of k terms, each product and sum rounded or
 * fused, in any order, is off by at most g * sum |a b| with g = k u / (1 - k u), u = 2^-24 (Higham, Accuracy and
 * Stability of Numerical Algorithms, 3.1). The host's products are exact and its sum is off by k 2^-53 of the same:
 * g with k + 1 covers it.
 */
static bool check_product(const struct bc_case *c, void *const *data, const float *got, struct bc_mismatch *bad)
{
	const uint32_t m = arg(c, M), n = arg(c, N), k = arg(c, K);
	const double ku = (k + 1) * UNIT, g = ku / (1 - ku);
	const float *a = data[0], *b = data[1];

	for (uint32_t e = 0; e < m * n; e++) {
		double sum = 0, size = 0;

		for (uint32_t i = 0; i < k; i++) {
			const double term = (double)a[e / n * k + i] * (double)b[i * n + e % n];

			sum += term;
			size += fabs(term);
		}
		if (!(fabs((double)got[e] - sum) <= g * size)) /* NaN is wrong, too */
			return bc_mismatch(bad, "element", e, (double)got[e], sum);
	}
	return true;
}

static bool check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		  struct bc_mismatch *bad)
{
	(void)a;
	(void)seed;
	return check_product(c, data, data[2], bad);
}

/* Equal to the bit: -0 is not 0, and a NaN is the same NaN. */
static bool same_bits(float x, float y)
{
	uint32_t a, b;

	memcpy(&a, &x, sizeof(a));
	memcpy(&b, &y, sizeof(b));
	return a == b;
}

/* All three right, and the same to the bit: the layouts change no operation and no order. */
static bool layouts_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			  struct bc_mismatch *bad)
{
	(void)a;
	(void)seed;
	for (unsigned i = 0; i < 3; i++) {
		const float *got = data[2 + i], *first = data[2];

		if (!check_product(c, data, got, bad))
			return false;
		for (uint32_t e = 0; e < arg(c, M) * arg(c, N); e++) {
			if (same_bits(got[e], first[e]))
				continue;
			(void)bc_mismatch(bad, "element", e, (double)got[e], (double)first[e]);
			bad->note = "the layouts do not give the same result";
			return false;
		}
	}
	return true;
}

/*
 * Request @k of a launch; all blocks and steps are alike. Warp w has the rows 2 w and 2 w + 1 of the tiles. Stores: the
 * tile of a, then that of b. Loads: a[row][i] and b[i][col], i = 0..15.
 */
static bool request(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *out)
{
	const struct bc_layout layout = layout_of(c);
	const bool store = arg(c, CLASS) == BC_CLASS_ST;
	const uint32_t second = (uint32_t)(k % 2), each = store ? 2 : TILE_LOADS;
	const uint32_t step = (uint32_t)(k % each / 2), warp = (uint32_t)(k / each % WARPS);
	const uint32_t base = a->window_base + second * TILE * bc_layout_pitch(layout) * 4;

	if (k >= requests_of(c))
		return false;
	out->op = store ? BC_OP_ST32 : BC_OP_LD32;
	out->mask = BC_MASK_ALL;
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t ty = 2 * warp + l / TILE, tx = l % TILE;
		const uint32_t row = store || !second ? ty : step, col = store || second ? tx : step;

		out->addr[l] = base + 4 * bc_layout_index(row, col, layout);
	}
	return true;
}

#define GUIDE "CUDA C++ Programming Guide, 3.2.4 Shared Memory: matrix multiplication with shared memory"
#define PADS "CUDA C++ Programming Guide, 3.2.4, and bank = (address / 4) mod 32"

static const struct bc_rule rules[] = {
	{ .name = "shared_ld",
	  .source = GUIDE,
	  .build = shared_ld,
	  .program = program,
	  .check = check,
	  .request = request,
	  .sentence = "the loads of a tiled product are clean: elements of a are broadcast, rows of b consecutive" },
	{ .name = "shared_st",
	  .source = PADS,
	  .build = shared_st,
	  .program = program,
	  .check = check,
	  .request = request,
	  .sentence = "a pad that the 16 x 16 tile does not need makes its stores 2-way; plain and xor are clean" },
	{ .name = "global_ld",
	  .source = GUIDE,
	  .build = global_ld,
	  .program = program,
	  .check = check,
	  .sentence = "tiles of 16 x 16 need a sixteenth of the naive product's global loads" },
	{ .name = "product",
	  .source = GUIDE,
	  .build = product,
	  .program = program,
	  .check = check,
	  .sentence = "the product is right to the rounding of its sums, for sizes off the tile too" },
	{ .name = "layouts",
	  .source = GUIDE,
	  .build = layouts,
	  .program = layouts_program,
	  .check = layouts_check,
	  .sentence = "plain, padded and xor give the same product to the bit" },
};

const struct bc_suite bc_suite_matmul = {
	.name = "matmul",
	.about = "the matrix product through tiles of shared memory: clean loads, a sixteenth of the global ones",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
