/* SPDX-License-Identifier: MIT */
/* suites/mma.c - a tile of a matrix product: fragments from shared memory, mma.sync on them. Elements are small whole
 * numbers, so that every order of the sums gives the same bits.
 */
#include "suites/patterns.h"
#include "suites/programs.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define ROW_BYTES 128u

enum type { F16, BF16, TF32, S8, U8, F64, NTYPES };

/* arg[0]: the type of A and B; arg[1]: bytes from row to row; arg[2]: XOR mask; arg[3]: how B lies; arg[4]: 16-bit
 * accumulators. */
static enum type type_of(const struct bc_case *c)
{
	return (enum type)c->arg[0];
}

static unsigned element_bytes(enum type t)
{
	static const uint8_t bytes[NTYPES] = { 2, 2, 4, 1, 1, 8 };

	return bytes[t];
}

/* Columns of a row of A. */
static uint32_t depth(const struct bc_case *c)
{
	return ROW_BYTES / element_bytes(type_of(c));
}

/* Ways to lay the rows out. */
static const struct {
	const char *name;
	uint32_t pitch, mask;
} layouts[] = { { "plain", 128, 0 }, { "pad_16", 144, 0 }, { "xor", 128, 7 } };

static bool of_type(unsigned i, struct bc_case *c, enum type t)
{
	if (i >= BC_ARRAY_LEN(layouts))
		return false;
	c->needs = BC_NEED_MMA_SYNC | BC_NEED_LDMATRIX;
	c->arg[0] = (int32_t)t;
	c->arg[1] = (int32_t)layouts[i].pitch;
	c->arg[2] = (int32_t)layouts[i].mask;
	c->shared_bytes = 24 * layouts[i].pitch;
	bc_variant_add(c, layouts[i].name);
	return true;
}

static bool f16(unsigned i, struct bc_case *c)
{
	return of_type(i, c, F16);
}

static bool bf16(unsigned i, struct bc_case *c)
{
	return of_type(i, c, BF16);
}

static bool tf32(unsigned i, struct bc_case *c)
{
	return of_type(i, c, TF32);
}

static bool s8(unsigned i, struct bc_case *c)
{
	return of_type(i, c, S8);
}

static bool u8(unsigned i, struct bc_case *c)
{
	return of_type(i, c, U8);
}

static bool f64(unsigned i, struct bc_case *c)
{
	return of_type(i, c, F64);
}

static bool short_sums(unsigned i, struct bc_case *c)
{
	c->arg[4] = 1;
	return of_type(i, c, F16);
}

/* B as it lies in memory with its columns side by side: 1 KB, in rows of 16 bytes. */
static bool across(unsigned i, struct bc_case *c, int how)
{
	if (!of_type(i % BC_ARRAY_LEN(layouts), c, i < BC_ARRAY_LEN(layouts) ? F16 : BF16) ||
	    i >= 2 * BC_ARRAY_LEN(layouts))
		return false;
	c->arg[3] = how;
	c->shared_bytes = 16 * (uint32_t)c->arg[1] + 1024;
	bc_variant_add(c, i < BC_ARRAY_LEN(layouts) ? "_f16" : "_bf16");
	return true;
}

static bool transposed(unsigned i, struct bc_case *c)
{
	return across(i, c, 1);
}

static bool not_transposed(unsigned i, struct bc_case *c)
{
	return across(i, c, 2);
}

/* ---- elements ---- */

/* A small whole number as an element. */
static void put(enum type t, unsigned char *at, int v)
{
	const float f = (float)v;
	const double d = v;
	const int8_t byte = (int8_t)v;
	uint32_t bits, exponent;
	uint16_t half;

	memcpy(&bits, &f, sizeof(bits));
	switch (t) {
	case TF32: memcpy(at, &bits, sizeof(bits)); return;
	case F64: memcpy(at, &d, sizeof(d)); return;
	case S8:
	case U8: memcpy(at, &byte, 1); return;
	case BF16: half = (uint16_t)(bits >> 16); break;
	default:
		exponent = v ? (bits >> 23 & 0xff) - 127 + 15 : 0;
		half = (uint16_t)(bits >> 16 & 0x8000) | (uint16_t)(exponent << 10) | (uint16_t)(bits >> 13 & 0x3ff);
		break;
	}
	memcpy(at, &half, sizeof(half));
}

/* Element @i of A, or B: -4 to 4; unsigned ones 0 to 8; of 16-bit sums -1 to 1, whose sums a half holds. */
static int number(const struct bc_case *c, uint32_t which, uint32_t i, uint32_t seed)
{
	const uint32_t h = bc_mix32(i ^ which ^ seed);

	if (c->arg[4])
		return (int)(h % 3) - 1;
	return (int)(h % 9) - (type_of(c) == U8 && which == 0 ? 0 : 4);
}

#define OF_B 0x40000000u

static void fill(const struct bc_case *c, void *data, size_t bytes, uint32_t which, uint32_t seed)
{
	const unsigned size = element_bytes(type_of(c));

	for (uint32_t i = 0; i < bytes / size; i++)
		put(type_of(c), (unsigned char *)data + (size_t)i * size, number(c, which, i, seed));
}

static void fill_a(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	fill(c, data, bytes, 0, seed);
}

static void fill_b(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	fill(c, data, bytes, OF_B, seed);
}

/* B's element (k, column), as the kernel takes it. ldmatrix without .trans takes each 8 by 8 part the other way round.
 */
static int of_b(const struct bc_case *c, uint32_t k, uint32_t column, uint32_t seed)
{
	uint32_t i = column * depth(c) + k;

	if (c->arg[3] == 1)
		i = k * 8 + column;
	else if (c->arg[3] == 2)
		i = (k / 8 * 8 + column) * 8 + k % 8;
	return number(c, OF_B, i, seed);
}

static bool program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	static const char *const kernels[NTYPES] = { "bc_mma_f16", "bc_mma_bf16", "bc_mma_tf32",
						     "bc_mma_s8",  "bc_mma_u8",	  "bc_mma_f64" };
	const struct bc_mma_params p = { .pitch = (uint32_t)c->arg[1],
					 .mask = (uint32_t)c->arg[2],
					 .transposed = (uint32_t)c->arg[3] };
	const bool f64s = type_of(c) == F64;

	(void)a;
	bc_program_start(out, "mma", c->arg[4] ? "bc_mma_f16_f16" : kernels[type_of(c)], 32, &p, sizeof(p));
	out->shared_bytes = c->shared_bytes;
	bc_program_in(out, offsetof(struct bc_mma_params, a), (f64s ? 8 : 16) * ROW_BYTES, fill_a);
	bc_program_in(out, offsetof(struct bc_mma_params, b), 8 * ROW_BYTES, fill_b);
	bc_program_out(out, offsetof(struct bc_mma_params, out), c->arg[4] ? 256 : 512);
	return true;
}

static double result(const struct bc_case *c, const void *out, uint32_t i)
{
	const unsigned char *at = out;
	int32_t whole;
	uint16_t half;
	float f;
	double d;

	if (c->arg[4]) { /* a whole number below 2048, or what no sum can be */
		memcpy(&half, at + 2 * (size_t)i, sizeof(half));
		for (int v = -64; v <= 64; v++) {
			unsigned char want[2];

			put(F16, want, v);
			if (memcmp(want, &half, 2) == 0)
				return v;
		}
		return 1e9;
	}
	switch (type_of(c)) {
	case F64: memcpy(&d, at + 8 * (size_t)i, sizeof(d)); return d;
	case S8:
	case U8: memcpy(&whole, at + 4 * (size_t)i, sizeof(whole)); return whole;
	default: memcpy(&f, at + 4 * (size_t)i, sizeof(f)); return f;
	}
}

static bool check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		  struct bc_mismatch *bad)
{
	const uint32_t rows = type_of(c) == F64 ? 8 : 16, n = depth(c);

	(void)a;
	for (uint32_t i = 0; i < rows * 8; i++) {
		int want = 0;

		for (uint32_t k = 0; k < n; k++)
			want += number(c, 0, i / 8 * n + k, seed) * of_b(c, k, i % 8, seed);
		if (result(c, data[2], i) != want)
			return bc_mismatch(bad, "element", i, result(c, data[2], i), want);
	}
	return true;
}

/* The wrong form: its own, predictable, result; which is not the product. */
static bool check_wrong(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			struct bc_mismatch *bad)
{
	struct bc_case right = *c;
	struct bc_mismatch unused;

	right.arg[3] = 1;
	if (!check(c, a, data, seed, bad))
		return false;
	if (!check(&right, a, data, seed, &unused))
		return true;
	*bad = (struct bc_mismatch){ .text = "the product is right although B was loaded without .trans" };
	return false;
}

#define ISA "PTX ISA, warp-level matrix instructions: mma.sync, fragments"
#define PRODUCT(n, text)                                                                                    \
	{                                                                                                   \
		.name = #n, .source = ISA, .build = n, .program = program, .check = check, .sentence = text \
	}

static const struct bc_rule rules[] = {
	PRODUCT(f16, "ldmatrix brings 16-bit floats into the lanes where mma.sync wants them, whatever the layout of "
		     "the rows"),
	PRODUCT(bf16, "the same of bfloat16"),
	PRODUCT(tf32, "the same of 32-bit elements, a pair of halves for ldmatrix"),
	PRODUCT(s8, "the same of bytes, two for each half"),
	PRODUCT(u8, "the same of unsigned bytes with signed ones"),
	PRODUCT(f64, "fragments of 64-bit floats are loaded one by one, and multiplied by fused steps"),
	PRODUCT(short_sums, "accumulators of 16 bits stand two in a register, columns side by side"),
	PRODUCT(transposed, "ldmatrix.trans brings B in when its columns lie side by side"),
	{ .name = "not_transposed",
	  .source = ISA,
	  .build = not_transposed,
	  .program = program,
	  .check = check_wrong,
	  .sentence =
		  "without .trans each 8 by 8 part of B is taken the other way round: another product, and no error" },
};

const struct bc_suite bc_suite_mma = {
	.name = "mma",
	.about = "tiles of matrix products: fragments from shared memory, mma.sync on them",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
