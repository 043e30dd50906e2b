/* SPDX-License-Identifier: MIT */
/* suites/ways.c - exactly n words of one bank in one request, for every n, wherever the n lanes stand. */
#include "suites/patterns.h"

/* What the lanes outside the n-way conflict do. */
enum rest {
	REST_INACTIVE = 0,
	REST_ELSEWHERE, /* each in a bank of its own */
	REST_TOGETHER,	/* all at one word of another bank */
};

static uint32_t first_lanes(unsigned n)
{
	return BC_MASK_ALL >> (BC_LANES - n);
}

static uint32_t last_lanes(unsigned n)
{
	return BC_MASK_ALL << (BC_LANES - n);
}

/* The lanes of @chosen in bank @bank, each at a word of its own; the others as @rest says. */
static void conflict(struct bc_case *c, uint32_t chosen, uint32_t bank, enum rest rest)
{
	uint32_t row = 0, other = 1;

	bc_pattern_start(c, bc_rule_op(c->rule), rest == REST_INACTIVE ? chosen : BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		uint32_t *offset = &c->pattern.offset[l];

		if (chosen >> l & 1) {
			*offset = row++ * BC_ROW_BYTES + bank * BC_WORD_BYTES;
		} else if (rest != REST_INACTIVE) {
			*offset = (bank + other) % 32 * BC_WORD_BYTES;
			other += rest == REST_ELSEWHERE;
		}
	}
}

/* Variant @i: an (i + 1)-way conflict of the lanes @chosen in bank @i; its clean twin is "1". */
static bool n_ways(struct bc_case *c, unsigned i, uint32_t chosen, enum rest rest)
{
	conflict(c, chosen, i, rest);
	bc_variant_add_int(c, (int)i + 1);
	if (i > 0)
		bc_twin_set(c, NULL, "1");
	return true;
}

static bool first(unsigned i, struct bc_case *c)
{
	return i < BC_LANES && n_ways(c, i, first_lanes(i + 1), REST_ELSEWHERE);
}

static bool last(unsigned i, struct bc_case *c)
{
	return i < BC_LANES && n_ways(c, i, last_lanes(i + 1), REST_TOGETHER);
}

static bool scattered(unsigned i, struct bc_case *c)
{
	return i < BC_LANES && n_ways(c, i, bc_random_mask(i + 1), REST_ELSEWHERE);
}

static bool inactive(unsigned i, struct bc_case *c)
{
	if (i >= BC_LANES)
		return false;
	conflict(c, bc_random_mask(i + 1), i, REST_INACTIVE);
	bc_variant_add_int(c, (int)i + 1);
	if (i > 0)
		bc_twin_set_stem(c, "apart", c->variant);
	return true;
}

/* The lanes of `inactive`, each in a bank of its own: its clean twins. One lane alone is there already. */
static bool apart(unsigned i, struct bc_case *c)
{
	const unsigned n = i + 2;
	uint32_t nth = 0;

	if (n > BC_LANES)
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), bc_random_mask(n));
	for (uint32_t l = 0; l < BC_LANES; l++) {
		if (c->pattern.mask >> l & 1) {
			c->pattern.offset[l] = nth * BC_ROW_BYTES + (n - 1 + nth) % 32 * BC_WORD_BYTES;
			nth++;
		}
	}
	bc_variant_add_int(c, (int)n);
	return true;
}

#define GUIDE "CUDA C++ Best Practices Guide, Shared Memory and Memory Banks: addresses in one bank are serialised"

static const struct bc_rule rules[] = {
	{ .name = "first_ld_b32",
	  .source = GUIDE,
	  .build = first,
	  .sentence = "n words of one bank loaded by the first n lanes, the others in banks of their own: n-way" },
	{ .name = "first_st_b32",
	  .source = GUIDE,
	  .build = first,
	  .sentence = "n words of one bank stored by the first n lanes, the others in banks of their own: n-way" },
	{ .name = "last_ld_b32",
	  .source = GUIDE,
	  .build = last,
	  .sentence = "n words of one bank loaded by the last n lanes, the others at one word: n-way" },
	{ .name = "last_st_b32",
	  .source = GUIDE,
	  .build = last,
	  .sentence = "n words of one bank stored by the last n lanes, the others at one word: n-way" },
	{ .name = "scattered_ld_b32",
	  .source = GUIDE,
	  .build = scattered,
	  .sentence = "n words of one bank loaded by n lanes anywhere in the warp: n-way" },
	{ .name = "scattered_st_b32",
	  .source = GUIDE,
	  .build = scattered,
	  .sentence = "n words of one bank stored by n lanes anywhere in the warp: n-way" },
	{ .name = "inactive_ld_b32",
	  .source = GUIDE,
	  .build = inactive,
	  .sentence = "n words of one bank loaded by the only n active lanes: n-way; inactive lanes cost nothing" },
	{ .name = "inactive_st_b32",
	  .source = GUIDE,
	  .build = inactive,
	  .sentence = "n words of one bank stored by the only n active lanes: n-way; inactive lanes cost nothing" },
	{ .name = "apart_ld_b32",
	  .source = GUIDE,
	  .build = apart,
	  .sentence = "n active lanes that load from n banks are free of conflicts" },
	{ .name = "apart_st_b32",
	  .source = GUIDE,
	  .build = apart,
	  .sentence = "n active lanes that store to n banks are free of conflicts" },
};

const struct bc_suite bc_suite_ways = {
	.name = "ways",
	.about = "n-way conflicts for every n from 1 to 32, of loads and stores",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
