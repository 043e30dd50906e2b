/* SPDX-License-Identifier: MIT */
/* suites/broadcast.c - lanes that touch the same word are served together. */
#include "suites/patterns.h"

static const char *const placements[] = { "adjacent", "interleaved" };

/* All lanes at one word, at four places of the row and of the window. */
static bool one_word(unsigned i, struct bc_case *c)
{
	static const uint16_t word[] = { 0, 1, 31, 1000 };

	if (i >= BC_ARRAY_LEN(word))
		return false;
	bc_pattern_strided(c, bc_rule_op(c->rule), word[i] * BC_WORD_BYTES, 0);
	bc_variant_add(c, "word_");
	bc_variant_add_int(c, word[i]);
	return true;
}

/* @lanes lanes per word, the words @pitch bytes apart; adjacent lanes share one, or lanes 32 / @lanes apart do. */
static void shared_words(struct bc_case *c, unsigned lanes, bool interleaved, uint32_t pitch)
{
	const uint32_t words = BC_LANES / lanes;

	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = (interleaved ? l % words : l / lanes) * pitch;
}

static void name_placement(struct bc_case *c, bool interleaved, unsigned n)
{
	bc_variant_add(c, placements[interleaved]);
	bc_variant_add(c, "_");
	bc_variant_add_int(c, (int)n);
}

/* Groups of 2, 4, 8, 16 lanes per word, consecutive words. */
static bool groups(unsigned i, struct bc_case *c)
{
	const unsigned lanes = 2u << i % 4;

	if (i >= 2 * 4)
		return false;
	shared_words(c, lanes, i >= 4, BC_WORD_BYTES);
	name_placement(c, i >= 4, lanes);
	return true;
}

/* k = 1, 2, 4 ... 32 words of one bank, each of 32 / k lanes. */
static bool same_bank(unsigned i, struct bc_case *c)
{
	const unsigned k = 1u << i % 6;

	if (i >= 2 * 6)
		return false;
	shared_words(c, BC_LANES / k, i >= 6, BC_ROW_BYTES);
	name_placement(c, i >= 6, k);
	if (k > 1)
		bc_twin_set(c, NULL, i >= 6 ? "interleaved_1" : "adjacent_1");
	return true;
}

/* n words in n banks and n rows, lane l at word l mod n; the banks 7 apart, so no two words are neighbours. */
static bool several(unsigned i, struct bc_case *c)
{
	static const uint8_t words[] = { 2, 3, 5, 7, 11, 16, 31 };

	if (i >= BC_ARRAY_LEN(words))
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t w = l % words[i];

		c->pattern.offset[l] = w * BC_ROW_BYTES + w * 7 % 32 * BC_WORD_BYTES;
	}
	bc_variant_add_int(c, words[i]);
	return true;
}

/*
 * The parts (bytes or halves) of words. Variant "part_p": all lanes at part p of one word; "one_word": the lanes
 * share out the parts of one word; "adjacent": consecutive parts; "interleaved": lanes of one word far apart.
 */
static bool parts(unsigned i, struct bc_case *c)
{
	const uint32_t size = bc_op_info(bc_rule_op(c->rule))->bytes, n = BC_WORD_BYTES / size, words = BC_LANES / n;
	static const char *const names[] = { "one_word", "adjacent", "interleaved" };

	if (i >= n + BC_ARRAY_LEN(names))
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		uint32_t *offset = &c->pattern.offset[l];

		if (i < n)
			*offset = i * size;
		else if (i == n)
			*offset = l % n * size;
		else if (i == n + 1)
			*offset = l * size;
		else
			*offset = l % words * BC_WORD_BYTES + l / words * size;
	}
	if (i < n) {
		bc_variant_add(c, "part_");
		bc_variant_add_int(c, (int)i);
	} else {
		bc_variant_add(c, names[i - n]);
	}
	return true;
}

#define GUIDE "CUDA C++ Programming Guide, Shared Memory: lanes that access the same 32-bit word do not conflict"

static const struct bc_rule rules[] = {
	{ .name = "one_word_ld_b32",
	  .source = GUIDE,
	  .build = one_word,
	  .sentence = "one word loaded by all lanes is one wavefront" },
	{ .name = "one_word_st_b32",
	  .source = GUIDE,
	  .build = one_word,
	  .sentence = "one word stored by all lanes is one wavefront; any one lane's value is there afterwards" },
	{ .name = "groups_ld_b32",
	  .source = GUIDE,
	  .build = groups,
	  .sentence = "groups of lanes that each load one word, in different banks, are one wavefront" },
	{ .name = "groups_st_b32",
	  .source = GUIDE,
	  .build = groups,
	  .sentence = "groups of lanes that each store one word, in different banks, are one wavefront" },
	{ .name = "same_bank_ld_b32",
	  .source = GUIDE,
	  .build = same_bank,
	  .sentence = "k words of one bank, each loaded by 32 / k lanes, are k wavefronts: words count, not lanes" },
	{ .name = "same_bank_st_b32",
	  .source = GUIDE,
	  .build = same_bank,
	  .sentence = "k words of one bank, each stored by 32 / k lanes, are k wavefronts: words count, not lanes" },
	{ .name = "several_ld_b32",
	  .source = GUIDE,
	  .build = several,
	  .sentence = "several broadcasts in different banks are one wavefront, whatever their rows" },
	{ .name = "several_st_b32",
	  .source = GUIDE,
	  .build = several,
	  .sentence = "several words in different banks, each stored by several lanes, are one wavefront" },
	{ .name = "bytes_ld_b8",
	  .source = GUIDE,
	  .build = parts,
	  .sentence = "the four bytes of a word are loaded together, whichever lanes load them" },
	{ .name = "bytes_st_b8",
	  .source = GUIDE,
	  .build = parts,
	  .sentence = "the four bytes of a word are stored together, whichever lanes store them" },
	{ .name = "halves_ld_b16",
	  .source = GUIDE,
	  .build = parts,
	  .sentence = "the two halves of a word are loaded together, whichever lanes load them" },
	{ .name = "halves_st_b16",
	  .source = GUIDE,
	  .build = parts,
	  .sentence = "the two halves of a word are stored together, whichever lanes store them" },
};

const struct bc_suite bc_suite_broadcast = {
	.name = "broadcast",
	.about = "lanes that touch the same word are served together, and how many words share a bank",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
