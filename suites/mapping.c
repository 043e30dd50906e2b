/* SPDX-License-Identifier: MIT */
/* suites/mapping.c - which bank an address falls in. */
#include "suites/patterns.h"

#define NEAR_DISTANCES 64u
#define FAR_DISTANCES 9	  /* 128, 256 ... 32768 words = 128 KB; the next power of two fits no architecture's window */
#define BLOCK_BYTES 4096u /* 32 lines of 128 bytes */
#define BLOCKS 56	  /* whole blocks in the largest window, 227 KB */
#define FIRST_HASHABLE_BIT 7 /* bits 0..6 of an address name the byte and the bank */
#define ADDRESS_BITS 18
#define LOWEST_ABSOLUTE 1024u /* dynamic shared memory starts at absolute address 0 or 1024 */

static bool distance(unsigned i, struct bc_case *c)
{
	const unsigned far = i < NEAR_DISTANCES ? 0 : i - NEAR_DISTANCES;

	if (far >= FAR_DISTANCES)
		return false;

	const uint32_t d = i < NEAR_DISTANCES ? i + 1 : 2 * NEAR_DISTANCES << far;

	bc_pattern_two_lanes(c, BC_OP_LD32, 0, d * BC_WORD_BYTES);
	bc_variant_add_int(c, (int)d);
	if (d % 32 == 0)
		bc_twin_set(c, NULL, "1");
	return true;
}

/* The lanes' absolute addresses differ in bit @i and no other. */
static bool address_bit(unsigned i, struct bc_case *c)
{
	const enum bc_op op = i == 0 ? BC_OP_LD8 : i == 1 ? BC_OP_LD16 : BC_OP_LD32;
	const uint32_t base = i == 10 ? 2 * LOWEST_ABSOLUTE : LOWEST_ABSOLUTE;

	if (i >= ADDRESS_BITS)
		return false;
	bc_pattern_two_lanes(c, op, base, base | 1u << i);
	c->pattern.origin = BC_FROM_ABSOLUTE;
	bc_variant_add_int(c, (int)i);
	if (i >= FIRST_HASHABLE_BIT)
		bc_twin_set(c, NULL, "2");
	return true;
}

/* The lanes' absolute addresses differ in bits a and b and no other: one lane has bit a set, the other bit b. */
static bool address_bit_pair(unsigned i, struct bc_case *c)
{
	for (unsigned a = FIRST_HASHABLE_BIT; a < ADDRESS_BITS - 1; a++) {
		const unsigned pairs = ADDRESS_BITS - 1 - a;

		if (i >= pairs) {
			i -= pairs;
			continue;
		}

		const unsigned b = a + 1 + i;
		const uint32_t base = a >= 10 ? 0 : b == 10 ? 2 * LOWEST_ABSOLUTE : LOWEST_ABSOLUTE;

		bc_pattern_two_lanes(c, BC_OP_LD32, base | 1u << a, base | 1u << b);
		c->pattern.origin = BC_FROM_ABSOLUTE;
		bc_variant_add_int(c, (int)a);
		bc_variant_add(c, "_");
		bc_variant_add_int(c, (int)b);
		bc_twin_set(c, "address_bit", "2");
		return true;
	}
	return false;
}

/* 32 requests over block @i of 4 KB; variant "last": the last 4 KB of the opt-in window. */
static bool window_block(unsigned i, struct bc_case *c, uint32_t lane_bytes, uint32_t step)
{
	if (i > BLOCKS)
		return false;
	bc_pattern_strided(c, BC_OP_LD32, i < BLOCKS ? i * BLOCK_BYTES : 0, (int)lane_bytes);
	c->pattern.count = 32;
	c->pattern.step = step;
	if (i == BLOCKS) {
		c->pattern.origin = BC_FROM_OPTIN_END;
		bc_variant_add(c, "last");
	} else {
		bc_variant_add_int(c, (int)i);
	}
	return true;
}

static bool window_line(unsigned i, struct bc_case *c)
{
	return window_block(i, c, BC_WORD_BYTES, BC_ROW_BYTES);
}

static bool window_column(unsigned i, struct bc_case *c)
{
	if (!window_block(i, c, BC_ROW_BYTES, BC_WORD_BYTES))
		return false;
	bc_twin_set(c, "window_line", c->variant);
	return true;
}

static bool base_alignment(unsigned i, struct bc_case *c)
{
	if (i >= 32)
		return false;
	bc_pattern_strided(c, BC_OP_LD32, i * BC_WORD_BYTES, BC_WORD_BYTES);
	bc_variant_add_int(c, (int)i);
	return true;
}

#define GUIDE "CUDA C++ Programming Guide, Shared Memory: successive 32-bit words map to successive banks"

static const struct bc_rule rules[] = {
	{ .name = "distance",
	  .source = GUIDE,
	  .build = distance,
	  .sentence = "two words meet in a bank exactly when their distance is a multiple of 32 words" },
	{ .name = "address_bit",
	  .source = GUIDE,
	  .build = address_bit,
	  .sentence = "address bits 2 to 6 name the bank; no higher bit of the absolute address changes it" },
	{ .name = "address_bit_pair",
	  .source = GUIDE,
	  .build = address_bit_pair,
	  .sentence = "no pair of address bits above the bank's is hashed into the bank" },
	{ .name = "window_line",
	  .source = GUIDE,
	  .build = window_line,
	  .sentence = "every aligned 128-byte line of the opt-in window is one wavefront: 32 words in 32 banks" },
	{ .name = "window_column",
	  .source = GUIDE,
	  .build = window_column,
	  .sentence = "32 words 128 bytes apart share one bank, anywhere in the opt-in window" },
	{ .name = "base_alignment",
	  .source = GUIDE,
	  .build = base_alignment,
	  .sentence = "32 consecutive words are free of conflicts from any base word" },
};

const struct bc_suite bc_suite_mapping = {
	.name = "mapping",
	.about = "bank = (byte address / 4) mod 32, over the whole window of shared memory",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
