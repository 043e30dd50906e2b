/* SPDX-License-Identifier: MIT */
/* suites/stride.c - 4-byte accesses at a constant stride. */
#include "suites/patterns.h"

#define STRIDE_MAX 64

/* Strides 0, 1..64, then -1..-64 words. Only even strides other than 0 conflict. */
static bool strides(unsigned i, struct bc_case *c)
{
	const int s = i <= STRIDE_MAX ? (int)i : STRIDE_MAX - (int)i;

	if (i > 2 * STRIDE_MAX)
		return false;
	bc_pattern_strided(c, bc_rule_op(c->rule), 0, s * (int)BC_WORD_BYTES);
	bc_variant_add_int(c, s);
	if (s != 0 && s % 2 == 0)
		bc_twin_set(c, NULL, s > 0 ? "1" : "m1");
	return true;
}

/* The base moved by 1..31 words, at strides 1 and 32. */
static bool offsets(unsigned i, struct bc_case *c)
{
	const unsigned words = 1 + i % 31;
	const int stride = i < 31 ? (int)BC_WORD_BYTES : (int)BC_ROW_BYTES;

	if (i >= 2 * 31)
		return false;
	bc_pattern_strided(c, bc_rule_op(c->rule), words * BC_WORD_BYTES, stride);
	bc_variant_add(c, "s1_");
	bc_variant_add_int(c, (int)words);
	if (i < 31)
		return true;
	bc_twin_set(c, NULL, c->variant);
	c->variant[0] = '\0';
	bc_variant_add(c, "s32_");
	bc_variant_add_int(c, (int)words);
	return true;
}

#define GUIDE "CUDA C++ Programming Guide, Shared Memory: strided access"

static const struct bc_rule rules[] = {
	{ .name = "ld_b32",
	  .source = GUIDE,
	  .build = strides,
	  .sentence = "a load at a stride of s words takes gcd(s, 32) wavefronts; stride 0 is a broadcast" },
	{ .name = "st_b32",
	  .source = GUIDE,
	  .build = strides,
	  .sentence = "a store at a stride of s words takes gcd(s, 32) wavefronts; stride 0 writes one word" },
	{ .name = "offset_ld_b32",
	  .source = GUIDE,
	  .build = offsets,
	  .sentence = "the base of a strided load does not change its wavefronts" },
	{ .name = "offset_st_b32",
	  .source = GUIDE,
	  .build = offsets,
	  .sentence = "the base of a strided store does not change its wavefronts" },
};

const struct bc_suite bc_suite_stride = {
	.name = "stride",
	.about = "4-byte loads and stores at constant strides of -64 to 64 words",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
