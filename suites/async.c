/* SPDX-License-Identifier: MIT */
/* suites/async.c - cp.async: global to shared memory past the registers. Copies to one word do not merge. */
#include "suites/patterns.h"
#include "suites/programs.h"

#include <string.h>

#include "kernels/bc_kernel.h"

static enum bc_op op_of(const struct bc_case *c)
{
	return bc_rule_op(c->rule);
}

static uint32_t bytes_of(const struct bc_case *c)
{
	return bc_op_info(op_of(c))->bytes;
}

/* Conflicts are counted only where the chip has the counter; the data of the same copies is in rules of its own. */
static void start(struct bc_case *c, uint32_t mask, bool counted)
{
	bc_pattern_start(c, op_of(c), mask);
	c->needs |= BC_NEED_CP_ASYNC | (counted ? BC_NEED_LDGSTS_COUNTER : 0u);
}

static void spread(struct bc_case *c, uint32_t stride)
{
	for (uint32_t l = 0; l < BC_LANES; l++)
		if (c->pattern.mask >> l & 1)
			c->pattern.offset[l] = l * stride * bytes_of(c);
}

/* Strides in elements. */
static bool stride(unsigned i, struct bc_case *c)
{
	static const uint8_t strides[] = { 1, 0, 2, 3, 4, 8, 16, 32, 33 };

	if (i >= BC_ARRAY_LEN(strides))
		return false;
	start(c, BC_MASK_ALL, true);
	spread(c, strides[i]);
	bc_variant_add_int(c, strides[i]);
	if (strides[i] % 2 == 0)
		bc_twin_set(c, NULL, "1");
	return true;
}

/* The first n lanes on one element, the others on elements of their own in other banks of their group. */
static bool one_word(unsigned i, struct bc_case *c)
{
	static const uint8_t some[] = { 1, 2, 5, 8, 16, 31, 32 };

	if (i >= BC_ARRAY_LEN(some))
		return false;
	start(c, BC_MASK_ALL, true);
	for (uint32_t l = some[i]; l < BC_LANES; l++)
		c->pattern.offset[l] = l * bytes_of(c);
	bc_variant_add_int(c, some[i]);
	if (some[i] > 1)
		bc_twin_set(c, NULL, "1");
	return true;
}

static const uint8_t active_lanes[] = { 2, 5, 16, 31 };

static bool inactive(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(active_lanes))
		return false;
	start(c, bc_random_mask(active_lanes[i]), true);
	bc_variant_add_int(c, active_lanes[i]);
	bc_twin_set_stem(c, "apart", c->variant);
	return true;
}

static bool apart(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(active_lanes))
		return false;
	start(c, bc_random_mask(active_lanes[i]), true);
	spread(c, 1);
	bc_variant_add_int(c, active_lanes[i]);
	return true;
}

/* What is copied, judged by data alone. */
static bool data(unsigned i, struct bc_case *c)
{
	static const struct {
		const char *name;
		uint32_t mask, stride, count;
	} shapes[] = {
		{ "stride_1", BC_MASK_ALL, 1, 1 },   { "stride_3", BC_MASK_ALL, 3, 1 },
		{ "stride_32", BC_MASK_ALL, 32, 1 }, { "one_word", BC_MASK_ALL, 0, 1 },
		{ "some_lanes", 0x5a0ff0c3, 1, 1 },  { "one_lane", 0x00010000, 1, 1 },
		{ "requests_4", BC_MASK_ALL, 1, 4 },
	};

	if (i >= BC_ARRAY_LEN(shapes))
		return false;
	start(c, shapes[i].mask, false);
	spread(c, shapes[i].stride);
	c->pattern.count = shapes[i].count;
	c->pattern.step = shapes[i].count > 1 ? BC_LANES * bytes_of(c) : 0;
	bc_variant_add(c, shapes[i].name);
	return true;
}

/* ---- kernels of their own ---- */

#define TILE_WORDS (4u * BC_ASYNC_PIPE_THREADS)
#define BLOCKS 64u

enum { STAGES, TILES }; /* arg[] of the pipeline */
enum { WORDS, CACHE };	/* arg[] of the copy: 32-bit words of a thread; which kernel */

static bool pipe(unsigned i, struct bc_case *c)
{
	static const uint8_t tiles[] = { 1, 7 }; /* fewer than the stages, and more */

	if (i >= 4 * BC_ARRAY_LEN(tiles))
		return false;
	c->needs = BC_NEED_CP_ASYNC;
	c->arg[STAGES] = (int32_t)(1 + i / BC_ARRAY_LEN(tiles));
	c->arg[TILES] = tiles[i % BC_ARRAY_LEN(tiles)];
	c->shared_bytes = (uint32_t)c->arg[STAGES] * TILE_WORDS * 4;
	bc_variant_add(c, "stages_");
	bc_variant_add_int(c, c->arg[STAGES]);
	bc_variant_add(c, "_tiles_");
	bc_variant_add_int(c, c->arg[TILES]);
	return true;
}

static bool pipe_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	static const char *const kernels[] = { "bc_async_pipe1", "bc_async_pipe2", "bc_async_pipe3", "bc_async_pipe4" };
	const struct bc_async_params p = { .tiles = (uint32_t)c->arg[TILES] };
	const size_t bytes = p.tiles * TILE_WORDS * (size_t)4;

	(void)a;
	bc_program_start(out, "async", kernels[c->arg[STAGES] - 1], BC_ASYNC_PIPE_THREADS, &p, sizeof(p));
	bc_program_in(out, offsetof(struct bc_async_params, in), bytes, bc_fill_words);
	bc_program_out(out, offsetof(struct bc_async_params, out), bytes);
	return true;
}

/* Elements of @words words come back in reverse order within each part of @part elements. */
static bool reversed(const uint32_t *in, const uint32_t *out, uint32_t n, uint32_t part, uint32_t words,
		     struct bc_mismatch *bad)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t from = i / part * part + (part - 1 - i % part);

		for (uint32_t j = 0; j < words; j++)
			if (out[i * words + j] != in[from * words + j])
				return bc_mismatch(bad, "word", i * words + j, out[i * words + j],
						   in[from * words + j]);
	}
	return true;
}

static bool pipe_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	(void)a;
	(void)seed;
	return reversed(data[0], data[1], (uint32_t)c->arg[TILES] * TILE_WORDS, TILE_WORDS, 1, bad);
}

static const struct {
	const char *name, *kernel;
	uint8_t words;
} copies[] = {
	{ "cpa4", "bc_async_copy4", 1 },
	{ "cpa8", "bc_async_copy8", 2 },
	{ "cpa16ca", "bc_async_copy16ca", 4 },
	{ "cpa16cg", "bc_async_copy16cg", 4 },
};

static bool grid(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(copies))
		return false;
	c->needs = BC_NEED_CP_ASYNC;
	c->arg[WORDS] = copies[i].words;
	c->arg[CACHE] = (int32_t)i;
	c->shared_bytes = BC_ASYNC_COPY_THREADS * copies[i].words * 4u;
	bc_variant_add(c, copies[i].name);
	return true;
}

static bool grid_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_async_params p = { .tiles = 0 };
	const size_t bytes = BLOCKS * BC_ASYNC_COPY_THREADS * (size_t)c->arg[WORDS] * 4;

	(void)a;
	bc_program_start(out, "async", copies[c->arg[CACHE]].kernel, BC_ASYNC_COPY_THREADS, &p, sizeof(p));
	out->grid[0] = BLOCKS;
	bc_program_in(out, offsetof(struct bc_async_params, in), bytes, bc_fill_words);
	bc_program_out(out, offsetof(struct bc_async_params, out), bytes);
	bc_program_count(out, BC_CLASS_LDGSTS, BLOCKS * BC_ASYNC_COPY_THREADS / BC_LANES);
	return true;
}

static bool grid_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	(void)a;
	(void)seed;
	return reversed(data[0], data[1], BLOCKS * BC_ASYNC_COPY_THREADS, BC_ASYNC_COPY_THREADS,
			(uint32_t)c->arg[WORDS], bad);
}

#define PTX "PTX ISA, cp.async"
#define GUIDE "CUDA C++ Programming Guide, asynchronous data copies"
#define MEASURED "docs/bank-laws.md, law 10: measured on an H200"
#define STRIDE "cp.async.ca conflicts as stores do, but lanes on one word do not merge; groups of 32, 16, 8 lanes"
#define ONE_WORD "n lanes that copy to one word take n wavefronts of their group"
#define INACTIVE "only active lanes take wavefronts: n of them on one word conflict n - 1 times"
#define APART "active lanes that copy to banks of their own do not conflict"
#define DATA "after commit and wait shared memory holds what each lane copied, and nothing else changed"
#define ZERO "bytes beyond the source size are filled with zeros"
#define PIPE "wait_group n returns when all but the newest n groups are in shared memory"
#define GRID "every block has what it copied, on a busy grid; the counts are recorded, not bounded"

static const struct bc_rule rules[] = {
	{ .name = "stride_cpa4", .source = MEASURED, .build = stride, .sentence = STRIDE },
	{ .name = "stride_cpa8", .source = MEASURED, .build = stride, .sentence = STRIDE },
	{ .name = "stride_cpa16ca", .source = MEASURED, .build = stride, .sentence = STRIDE },
	{ .name = "one_word_cpa4", .source = MEASURED, .build = one_word, .sentence = ONE_WORD },
	{ .name = "one_word_cpa8", .source = MEASURED, .build = one_word, .sentence = ONE_WORD },
	{ .name = "one_word_cpa16ca", .source = MEASURED, .build = one_word, .sentence = ONE_WORD },
	{ .name = "inactive_cpa4", .source = MEASURED, .build = inactive, .sentence = INACTIVE },
	{ .name = "apart_cpa4", .source = MEASURED, .build = apart, .sentence = APART },
	{ .name = "data_cpa4", .source = PTX, .build = data, .sentence = DATA },
	{ .name = "data_cpa8", .source = PTX, .build = data, .sentence = DATA },
	{ .name = "data_cpa16ca", .source = PTX, .build = data, .sentence = DATA },
	{ .name = "data_cpa16cg", .source = PTX, .build = data, .sentence = DATA },
	{ .name = "zero_fill_cpa4z", .source = PTX, .build = data, .sentence = ZERO },
	{ .name = "zero_fill_cpa8z", .source = PTX, .build = data, .sentence = ZERO },
	{ .name = "zero_fill_cpa16caz", .source = PTX, .build = data, .sentence = ZERO },
	{ .name = "zero_fill_cpa16cgz", .source = PTX, .build = data, .sentence = ZERO },
	{ .name = "pipe",
	  .source = GUIDE,
	  .build = pipe,
	  .sentence = PIPE,
	  .program = pipe_program,
	  .check = pipe_check },
	{ .name = "grid",
	  .source = GUIDE,
	  .build = grid,
	  .sentence = GRID,
	  .program = grid_program,
	  .check = grid_check },
};

const struct bc_suite bc_suite_async = {
	.name = "async",
	.about = "cp.async of 4, 8, 16 bytes: data, zero fill, groups, conflicts where the chip counts them",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
