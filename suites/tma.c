/* SPDX-License-Identifier: MIT */
/* suites/tma.c - boxes of a tensor in shared memory by cp.async.bulk.tensor: where each byte lies, what is outside, the
 * way back, reductions, what reading a tile costs, and the traps.
 */
#include "suites/patterns.h"
#include "suites/programs.h"
#include "suites/tma.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define TRIES (1u << 16) /* a millisecond: a copy that never comes */
#define FEW_TRIES 4096u	 /* some 100 microseconds: enough for a copy to come, whose barrier then waits on */
#define BASE_STEP 128u
#define BASES 9u /* 0 to 1024 */

/* arg[]: which box, and of what else there are several. */
enum { FAMILY, A, B };
enum family { RANK, SWIZZLE, NARROW, ELEMENT, OUTSIDE, STEP, REDUCE, SECTORS };

/* ---- the boxes ---- */

static const struct {
	uint32_t dim[5], box[5];
	int at[5];
} shapes[] = {
	{ { 200 }, { 64 }, { 32 } },
	{ { 24, 20 }, { 8, 6 }, { 4, 5 } },
	{ { 12, 7, 6 }, { 8, 3, 4 }, { 4, 2, 1 } },
	{ { 8, 5, 4, 4 }, { 4, 3, 2, 3 }, { 4, 1, 1, 1 } },
	{ { 8, 4, 3, 3, 4 }, { 4, 2, 2, 3, 2 }, { 0, 1, 1, 0, 2 } },
};

static const struct {
	enum bc_tensor_swizzle swizzle;
	uint32_t row, tile;
} narrow_rows[] = { { BC_TENSOR_32B, 16, 0 },  { BC_TENSOR_64B, 16, 0 },   { BC_TENSOR_64B, 32, 0 },
		    { BC_TENSOR_64B, 48, 0 },  { BC_TENSOR_128B, 16, 0 },  { BC_TENSOR_128B, 32, 0 },
		    { BC_TENSOR_128B, 64, 0 }, { BC_TENSOR_128B, 112, 0 }, { BC_TENSOR_128B, 32, 384 } };

static const char *const type_names[BC_TENSOR_NTYPES] = { "u8",	 "u16", "u32", "s32", "u64",
							  "s64", "f16", "f32", "f64", "bf16" };

/* Coordinates as for 4-byte elements. A box begins at a multiple of 16 bytes of a row, and one that is stored not
 * before the tensor: else an H200 ends the kernel with an illegal instruction (docs/bank-laws.md). */
static const struct {
	const char *name;
	enum bc_tensor_type type;
	enum bc_tensor_swizzle swizzle;
	bool nan;
	int at[2];
} outsides[] = {
	{ "left", BC_TENSOR_U32, BC_TENSOR_PLAIN, false, { -4, 1 } },
	{ "right", BC_TENSOR_U32, BC_TENSOR_PLAIN, false, { 12, 1 } },
	{ "above", BC_TENSOR_U32, BC_TENSOR_PLAIN, false, { 4, -3 } },
	{ "below", BC_TENSOR_U32, BC_TENSOR_PLAIN, false, { 4, 6 } },
	{ "corner", BC_TENSOR_U32, BC_TENSOR_PLAIN, false, { -8, -2 } },
	{ "inside_row", BC_TENSOR_U32, BC_TENSOR_PLAIN, false, { 12, 9 } },
	{ "all", BC_TENSOR_U32, BC_TENSOR_PLAIN, false, { 40, 20 } },
	{ "corner_64b", BC_TENSOR_U32, BC_TENSOR_64B, false, { -8, -2 } },
	{ "f32_zero", BC_TENSOR_F32, BC_TENSOR_PLAIN, false, { 12, 6 } },
	{ "f32_nan", BC_TENSOR_F32, BC_TENSOR_PLAIN, true, { 12, 6 } },
	{ "f16_nan", BC_TENSOR_F16, BC_TENSOR_PLAIN, true, { -4, 6 } },
	{ "bf16_nan", BC_TENSOR_BF16, BC_TENSOR_PLAIN, true, { 12, -3 } },
	{ "f64_nan", BC_TENSOR_F64, BC_TENSOR_PLAIN, true, { 12, 6 } },
	{ "far_corner_64b", BC_TENSOR_U32, BC_TENSOR_64B, false, { 12, 6 } },
};

static const struct {
	const char *name;
	uint32_t step[2];
	int at;
} steps[] = {
	{ "rows_2", { 2, 1 }, 3 },	  { "rows_3", { 3, 1 }, 3 },   { "rows_5", { 5, 1 }, 3 },
	{ "rows_8", { 8, 1 }, 3 },	  { "planes_2", { 1, 2 }, 3 }, { "rows_2_planes_3", { 2, 3 }, 3 },
	{ "rows_2_above", { 2, 1 }, -3 },
};

static const struct {
	const char *op;
	enum bc_tensor_type type;
} reductions[] = {
	{ "add", BC_TENSOR_U32 }, { "add", BC_TENSOR_S32 },  { "add", BC_TENSOR_U64 },	{ "add", BC_TENSOR_F32 },
	{ "add", BC_TENSOR_F16 }, { "add", BC_TENSOR_BF16 }, { "min", BC_TENSOR_U32 },	{ "min", BC_TENSOR_S32 },
	{ "min", BC_TENSOR_U64 }, { "max", BC_TENSOR_U32 },  { "max", BC_TENSOR_S32 },	{ "max", BC_TENSOR_S64 },
	{ "inc", BC_TENSOR_U32 }, { "dec", BC_TENSOR_U32 },  { "and", BC_TENSOR_U32 },	{ "or", BC_TENSOR_U32 },
	{ "xor", BC_TENSOR_U64 }, { "min", BC_TENSOR_F16 },  { "max", BC_TENSOR_BF16 },
};

/* A box of 64 bytes by 8 rows of a tensor of 96 bytes by 10. */
static void small_box(enum bc_tensor_type type, int x, int y, struct bc_box *b)
{
	const uint32_t bytes = bc_tensor_type_bytes(type);
	const uint32_t dim[] = { 96 / bytes, 10 }, box[] = { 64 / bytes, 8 };
	const int at[] = { x * 4 / (int)bytes, y };

	bc_box_start(b, type, 2, dim);
	bc_box_place(b, box, at);
}

static uint32_t span_of(enum bc_tensor_swizzle s)
{
	return s == BC_TENSOR_PLAIN ? 128 : bc_tensor_span(s);
}

static void step_box(unsigned i, struct bc_box *b)
{
	static const uint32_t dim[] = { 16, 24, 12 }, box[] = { 16, 12, 6 };
	const int at[] = { 0, steps[i].at, 2 };

	bc_box_start(b, BC_TENSOR_U32, 3, dim);
	bc_box_place(b, box, at);
	b->map.step[1] = steps[i].step[0];
	b->map.step[2] = steps[i].step[1];
}

static void box_of(const struct bc_case *c, struct bc_box *b)
{
	const unsigned i = (unsigned)c->arg[A], k = (unsigned)c->arg[B];

	switch ((enum family)c->arg[FAMILY]) {
	case RANK:
		bc_box_start(b, BC_TENSOR_U32, i + 1, shapes[i].dim);
		bc_box_place(b, shapes[i].box, shapes[i].at);
		b->tile = BASE_STEP;
		break;
	case SWIZZLE:
		bc_box_wide(b, (enum bc_tensor_swizzle)i, span_of((enum bc_tensor_swizzle)i), 16, k * BASE_STEP);
		break;
	case NARROW: bc_box_wide(b, narrow_rows[i].swizzle, narrow_rows[i].row, 16, narrow_rows[i].tile); break;
	case ELEMENT:
		small_box((enum bc_tensor_type)i, 4, 1, b);
		b->tile = 2 * BASE_STEP;
		break;
	case OUTSIDE:
		small_box(outsides[i].type, outsides[i].at[0], outsides[i].at[1], b);
		b->map.swizzle = outsides[i].swizzle;
		b->map.fill_nan = outsides[i].nan;
		break;
	case STEP: step_box(i, b); break;
	case SECTORS:
		bc_box_wide(b, (enum bc_tensor_swizzle)i, span_of((enum bc_tensor_swizzle)i), BC_LANES, 0);
		b->map.stride[0] = 384; /* each row begins in the middle of a line */
		break;
	case REDUCE: small_box(reductions[i].type, 4, 1, b); break;
	}
}

/* ---- to shared memory ---- */

static bool build(unsigned i, unsigned n, enum family family, const char *name, struct bc_case *c)
{
	if (i >= n)
		return false;
	c->arg[FAMILY] = (int32_t)family;
	c->arg[A] = (int32_t)i;
	c->needs = BC_NEED_BULK_COPY;
	c->release = BC_TMA_RELEASE;
	c->shared_bytes = BC_TMA_SHARED_BYTES;
	if (name)
		bc_variant_add(c, name);
	return true;
}

static bool rank_build(unsigned i, struct bc_case *c)
{
	if (!build(i, BC_ARRAY_LEN(shapes), RANK, NULL, c))
		return false;
	bc_variant_add_int(c, (int)i + 1);
	bc_variant_add(c, "d");
	return true;
}

static bool swizzle_build(unsigned i, struct bc_case *c)
{
	if (!build(i, (BC_TENSOR_128B + 1) * BASES, SWIZZLE, NULL, c))
		return false;
	c->arg[A] = (int32_t)(i / BASES);
	c->arg[B] = (int32_t)(i % BASES);
	bc_variant_add(c, bc_box_swizzle_name((enum bc_tensor_swizzle)(i / BASES)));
	bc_variant_add(c, "_at_");
	bc_variant_add_int(c, (int)(i % BASES * BASE_STEP));
	return true;
}

static bool narrow_build(unsigned i, struct bc_case *c)
{
	if (!build(i, BC_ARRAY_LEN(narrow_rows), NARROW, NULL, c))
		return false;
	bc_variant_add(c, bc_box_swizzle_name(narrow_rows[i].swizzle));
	bc_variant_add(c, "_row_");
	bc_variant_add_int(c, (int)narrow_rows[i].row);
	if (narrow_rows[i].tile) {
		bc_variant_add(c, "_at_");
		bc_variant_add_int(c, (int)narrow_rows[i].tile);
	}
	return true;
}

static bool element_build(unsigned i, struct bc_case *c)
{
	return build(i, BC_ARRAY_LEN(type_names), ELEMENT, i < BC_ARRAY_LEN(type_names) ? type_names[i] : NULL, c);
}

static bool outside_build(unsigned i, struct bc_case *c)
{
	return build(i, BC_ARRAY_LEN(outsides), OUTSIDE, i < BC_ARRAY_LEN(outsides) ? outsides[i].name : NULL, c);
}

static bool step_build(unsigned i, struct bc_case *c)
{
	return build(i, BC_ARRAY_LEN(steps), STEP, i < BC_ARRAY_LEN(steps) ? steps[i].name : NULL, c);
}

/* Kernels by rank. */
static const char *const loads[] = { "bc_tma_load_1d", "bc_tma_load_2d", "bc_tma_load_3d", "bc_tma_load_4d",
				     "bc_tma_load_5d" };
static const char *const stores[] = { "bc_tma_store_1d", "bc_tma_store_2d", "bc_tma_store_3d", "bc_tma_store_4d",
				      "bc_tma_store_5d" };

/* @extra: bytes that the barrier is told to expect beside those of the box. */
static void start_load(const struct bc_box *b, uint32_t extra, struct bc_program *out)
{
	bc_tma_start(out, loads[b->map.rank - 1], b, bc_box_bytes(b) + extra, extra ? FEW_TRIES : TRIES, 0);
	bc_program_in(out, BC_TMA_PARAM(tensor), bc_box_tensor_bytes(b), bc_tma_fill_tensor);
	bc_program_out(out, BC_TMA_PARAM(info), 2 * sizeof(uint32_t));
	bc_program_out(out, BC_TMA_PARAM(out), BC_BOX_WORDS * sizeof(uint32_t));
}

static bool load_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	struct bc_box b;

	(void)a;
	box_of(c, &b);
	start_load(&b, 0, out);
	return true;
}

static bool load_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	struct bc_box b;

	(void)seed;
	box_of(c, &b);
	return bc_tma_check_info(data[1], a, true, bad) &&
	       bc_box_check_load(&b, a->window_base, data[0], data[2], BC_TMA_SEED, bad);
}

/* ---- a barrier that expects more ---- */

static const struct {
	const char *name;
	uint32_t bytes;
} surpluses[] = { { "16_bytes", 16 }, { "as_much_again", 8 * 6 * 4 } };

static bool unfinished_build(unsigned i, struct bc_case *c)
{
	if (!build(i, BC_ARRAY_LEN(surpluses), RANK, i < BC_ARRAY_LEN(surpluses) ? surpluses[i].name : NULL, c))
		return false;
	c->arg[A] = 1; /* two dimensions */
	c->arg[B] = (int32_t)i;
	return true;
}

static bool unfinished_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	struct bc_box b;

	(void)a;
	box_of(c, &b);
	start_load(&b, surpluses[c->arg[B]].bytes, out);
	return true;
}

/* The bytes are there all the same. */
static bool unfinished_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			     struct bc_mismatch *bad)
{
	struct bc_box b;

	(void)seed;
	box_of(c, &b);
	return bc_tma_check_info(data[1], a, false, bad) &&
	       bc_box_check_load(&b, a->window_base, data[0], data[2], BC_TMA_SEED, bad);
}

/* ---- tensor maps that cannot be made ---- */

enum wrong { ROW, ATOM, ADDRESS, STRIDE, UNIT, BOX, STEPS, FLOATS };

static const struct {
	const char *name;
	enum wrong wrong;
	enum bc_tensor_swizzle swizzle;
} refusals[] = {
	{ "32b_row_48", ROW, BC_TENSOR_32B },
	{ "64b_row_80", ROW, BC_TENSOR_64B },
	{ "128b_row_144", ROW, BC_TENSOR_128B },
	{ "128b_atom_32b", ATOM, BC_TENSOR_128B_ATOM_32B },
	{ "128b_atom_32b_flip_8b", ATOM, BC_TENSOR_128B_ATOM_32B_FLIP_8B },
	{ "128b_atom_64b", ATOM, BC_TENSOR_128B_ATOM_64B },
	{ "address_8", ADDRESS, BC_TENSOR_PLAIN },
	{ "stride_8", STRIDE, BC_TENSOR_PLAIN },
	{ "row_40", UNIT, BC_TENSOR_PLAIN },
	{ "box_257", BOX, BC_TENSOR_PLAIN },
	{ "step_9", STEPS, BC_TENSOR_PLAIN },
	{ "nan_in_u32", FLOATS, BC_TENSOR_PLAIN },
};

static bool refused_build(unsigned i, struct bc_case *c)
{
	return build(i, BC_ARRAY_LEN(refusals), SWIZZLE, i < BC_ARRAY_LEN(refusals) ? refusals[i].name : NULL, c);
}

/* The box that may be had, made wrong. */
static void refused_box(const struct bc_case *c, struct bc_box *b)
{
	const unsigned i = (unsigned)c->arg[A];

	bc_box_wide(b, refusals[i].swizzle, span_of(refusals[i].swizzle), 16, 0);
	switch (refusals[i].wrong) {
	case ROW: b->map.box[0] += 4; break;
	case ATOM: break;
	case ADDRESS: b->map.offset = 8; break;
	case STRIDE: b->map.stride[0] -= 8; break;
	case UNIT: b->map.box[0] = 10; break;
	case BOX: b->map.box[1] = 257; break;
	case STEPS: b->map.step[1] = 9; break;
	case FLOATS: b->map.fill_nan = true; break;
	}
}

/* The swizzles 128B_ATOM_* are refused where the chip lacks them; elsewhere they are loads as others are. */
static bool refused_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	struct bc_box b, right;

	bc_box_wide(&right, BC_TENSOR_128B, 128, 16, 0);
	start_load(&right, 0, out);
	out->refused = refusals[c->arg[A]].wrong != ATOM || !a->tensor_atoms;
	out->accepted_bytes = out->shared_bytes;
	out->accepted_map = out->maps[0];
	refused_box(c, &b);
	b.map.param_offset = out->maps[0].param_offset;
	out->maps[0] = b.map;
	return true;
}

static bool refused_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			  struct bc_mismatch *bad)
{
	struct bc_box b;

	(void)seed;
	refused_box(c, &b);
	return bc_tma_check_info(data[1], a, true, bad) &&
	       bc_box_check_load(&b, a->window_base, data[0], data[2], BC_TMA_SEED, bad);
}

/* ---- back to the tensor ---- */

static const struct {
	const char *name;
	enum family family;
	int32_t a, b;
} sends[] = {
	{ "1d", RANK, 0, 0 },
	{ "2d", RANK, 1, 0 },
	{ "3d", RANK, 2, 0 },
	{ "4d", RANK, 3, 0 },
	{ "5d", RANK, 4, 0 },
	{ "32b_at_384", SWIZZLE, BC_TENSOR_32B, 3 },
	{ "64b_at_384", SWIZZLE, BC_TENSOR_64B, 3 },
	{ "128b_at_384", SWIZZLE, BC_TENSOR_128B, 3 },
	{ "128b_row_32", NARROW, 5, 0 },
	{ "u8", ELEMENT, BC_TENSOR_U8, 0 },
	{ "u64", ELEMENT, BC_TENSOR_U64, 0 },
	{ "right", OUTSIDE, 1, 0 },
	{ "below", OUTSIDE, 3, 0 },
	{ "far_corner_64b", OUTSIDE, 13, 0 },
	{ "all_outside", OUTSIDE, 6, 0 },
};

static bool store_build(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(sends))
		return false;
	(void)build(0, 1, sends[i].family, sends[i].name, c);
	c->arg[A] = sends[i].a;
	c->arg[B] = sends[i].b;
	return true;
}

static void start_send(const char *kernel, const struct bc_box *b, struct bc_program *out)
{
	bc_tma_start(out, kernel, b, 0, 0, 0);
	bc_program_inout(out, BC_TMA_PARAM(tensor), bc_box_tensor_bytes(b), bc_tma_fill_tensor);
	bc_program_out(out, BC_TMA_PARAM(info), 2 * sizeof(uint32_t));
	bc_program_in(out, BC_TMA_PARAM(source), BC_BOX_WORDS * sizeof(uint32_t), bc_tma_fill_source);
}

static bool store_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	struct bc_box b;

	(void)a;
	box_of(c, &b);
	start_send(stores[b.map.rank - 1], &b, out);
	return true;
}

static bool store_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			struct bc_mismatch *bad)
{
	struct bc_box b;

	box_of(c, &b);
	return bc_tma_check_sent(c, &b, NULL, a, data, seed, bad);
}

/* 32 rows of the span. */
static bool sectors_build(unsigned i, struct bc_case *c)
{
	if (!build(i, BC_TENSOR_128B + 1, SECTORS, NULL, c))
		return false;
	bc_variant_add(c, bc_box_swizzle_name((enum bc_tensor_swizzle)i));
	return true;
}

static bool sectors_ld_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	if (!load_program(c, a, out))
		return false;
	bc_program_count(out, BC_CLASS_TMA_LD, 1);
	return true;
}

static bool sectors_st_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	if (!store_program(c, a, out))
		return false;
	bc_program_count(out, BC_CLASS_TMA_ST, 1);
	return true;
}

static bool reduce_build(unsigned i, struct bc_case *c)
{
	if (!build(i, BC_ARRAY_LEN(reductions), REDUCE, NULL, c))
		return false;
	bc_variant_add(c, reductions[i].op);
	bc_variant_add(c, "_");
	bc_variant_add(c, type_names[reductions[i].type]);
	if (bc_tensor_type_float(reductions[i].type))
		c->arg[BC_TMA_WHOLE] = (int32_t)reductions[i].type;
	return true;
}

static bool reduce_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	static const struct {
		const char *op, *kernel;
	} kernels[] = {
		{ "add", "bc_tma_reduce_add" }, { "min", "bc_tma_reduce_min" }, { "max", "bc_tma_reduce_max" },
		{ "inc", "bc_tma_reduce_inc" }, { "dec", "bc_tma_reduce_dec" }, { "and", "bc_tma_reduce_and" },
		{ "or", "bc_tma_reduce_or" },	{ "xor", "bc_tma_reduce_xor" },
	};
	struct bc_box b;

	(void)a;
	box_of(c, &b);
	for (size_t i = 0; i < BC_ARRAY_LEN(kernels); i++)
		if (strcmp(kernels[i].op, reductions[c->arg[A]].op) == 0)
			start_send(kernels[i].kernel, &b, out);
	return true;
}

static bool reduce_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			 struct bc_mismatch *bad)
{
	struct bc_box b;

	box_of(c, &b);
	return bc_tma_check_sent(c, &b, reductions[c->arg[A]].op, a, data, seed, bad);
}

#define ISA "PTX ISA 8.0, cp.async.bulk.tensor, and CUDA driver API, cuTensorMapEncodeTiled"
#define SEEN "measured on an H200: each byte of tiles at 0, 128, 256 and 512 bytes from a multiple of 1024"
#define MOVED "measured on an H200: a load and a store of 8,192 bytes move 8,192 bytes"
#define LOAD(run) .build = run##_build, .program = load_program, .check = load_check

static const struct bc_rule rules[] = {
	{ .name = "rank",
	  .source = ISA,
	  LOAD(rank),
	  .sentence = "a box of 1 to 5 dimensions comes row by row, its first dimension innermost, and nothing else" },
	{ .name = "swizzle",
	  .source = SEEN,
	  LOAD(swizzle),
	  .sentence = "swizzles XOR absolute address bits: 32B bit 4 with 7, 64B 5:4 with 8:7, 128B 6:4 with 9:7" },
	{ .name = "narrow",
	  .source = "measured on an H200: rows of 32 and 64 bytes under 128B",
	  LOAD(narrow),
	  .sentence = "rows of a box that are shorter than the swizzle's span keep the span as their pitch" },
	{ .name = "element",
	  .source = ISA,
	  LOAD(element),
	  .sentence = "elements of 1, 2, 4 and 8 bytes of every type come bit by bit as they are" },
	{ .name = "outside",
	  .source = ISA,
	  LOAD(outside),
	  .sentence = "elements outside the tensor, below 0 or beyond its end, are 0, or NaN where that is asked" },
	{ .name = "step",
	  .source = ISA,
	  LOAD(step),
	  .sentence = "with element strides a box of n elements holds each s-th of them, n / s rounded up" },
	{ .name = "store",
	  .source = ISA,
	  .build = store_build,
	  .program = store_program,
	  .check = store_check,
	  .sentence = "a tile goes back to the tensor the way that it comes, and nothing is written outside of it" },
	{ .name = "reduce",
	  .source = "PTX ISA 8.0, cp.reduce.async.bulk.tensor",
	  .build = reduce_build,
	  .program = reduce_program,
	  .check = reduce_check,
	  .sentence = "each element of the tensor is reduced with that of the tile, by the tensor map's type" },
	{ .name = "sectors_ld",
	  .source = MOVED,
	  .build = sectors_build,
	  .program = sectors_ld_program,
	  .check = load_check,
	  .sentence = "a box moves the sectors that it covers, whatever the swizzle" },
	{ .name = "sectors_st",
	  .source = MOVED,
	  .build = sectors_build,
	  .program = sectors_st_program,
	  .check = store_check,
	  .sentence = "a tile that goes back moves the sectors that its box covers, whatever the swizzle" },
	{ .name = "read",
	  .source = "measured on an H200: 16 bytes a lane, a row of 128 bytes each; and the laws of docs/bank-laws.md",
	  .build = bc_tma_read_build,
	  .program = bc_tma_read_program,
	  .check = bc_tma_read_check,
	  .request = bc_tma_read_request,
	  .sentence = "swizzled tiles free columns of 16 bytes of conflicts; of 8 bytes they stay 2-way, of 4 bytes "
		      "4-way" },
	{ .name = "refused",
	  .source = "CUDA driver API, cuTensorMapEncodeTiled; 128B_ATOM_* measured on an H200",
	  .build = refused_build,
	  .program = refused_program,
	  .check = refused_check,
	  .sentence = "a tensor map that breaks a rule is refused, and right after it another can be made and used" },
	{ .name = "unfinished",
	  .source = "PTX ISA 8.0, mbarrier: a phase completes when its transaction count is 0",
	  .build = unfinished_build,
	  .program = unfinished_program,
	  .check = unfinished_check,
	  .sentence = "a barrier that expects more bytes than the box has never completes, though they are there" },
};

const struct bc_suite bc_suite_tma = {
	.name = "tma",
	.about = "tensor copies to shared memory and back: where each byte lies under a swizzle, and what reading it "
		 "costs",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
