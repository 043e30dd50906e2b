/* SPDX-License-Identifier: MIT */
/* suites/atomic.c - atomics and reductions on shared memory: they do not broadcast, but for the add of a constant 1. */
#include "suites/patterns.h"

static enum bc_op op_of(const struct bc_case *c)
{
	return bc_rule_op(c->rule);
}

static uint32_t bytes_of(const struct bc_case *c)
{
	return bc_op_info(op_of(c))->bytes;
}

/* Lanes on one word take a wavefront each (laws 6 and 7); red32 merges them, and of some operations no law is known. */
static bool lanes_count(enum bc_op op)
{
	return bc_op_info(op)->law == BC_LAW_ATOM || bc_op_info(op)->law == BC_LAW_CAS;
}

static bool no_law(enum bc_op op)
{
	return bc_op_info(op)->law == BC_LAW_UNKNOWN;
}

static void start(struct bc_case *c, uint32_t mask)
{
	bc_pattern_start(c, op_of(c), mask);
	if (op_of(c) == BC_OP_RED32)
		c->needs |= BC_NEED_CODE | BC_NEED_POPC_INC;
}

/* The first n lanes on one element, the others on elements of their own in other banks of their group. */
static bool one_word(unsigned i, struct bc_case *c)
{
	static const uint8_t some[] = { 1, 2, 5, 8, 16, 31, 32 }, few[] = { 1, 5, 32 };
	const enum bc_op op = op_of(c);
	const bool all = op == BC_OP_ATOM32 || op == BC_OP_CAS32 || op == BC_OP_RED32;

	if (i >= (all ? BC_LANES : no_law(op) ? BC_ARRAY_LEN(few) : BC_ARRAY_LEN(some)))
		return false;

	const uint32_t n = all ? i + 1 : no_law(op) ? few[i] : some[i];

	start(c, BC_MASK_ALL);
	for (uint32_t l = n; l < BC_LANES; l++)
		c->pattern.offset[l] = l * bytes_of(c);
	bc_variant_add_int(c, (int)n);
	if (n > 1 && lanes_count(op))
		bc_twin_set(c, NULL, "1");
	return true;
}

/* Strides in elements. */
static bool stride(unsigned i, struct bc_case *c)
{
	static const uint8_t strides[] = { 1, 0, 2, 32, 3, 4, 8, 16, 33 };
	const enum bc_op op = op_of(c);

	if (i >= (no_law(op) ? 4 : BC_ARRAY_LEN(strides)))
		return false;

	const uint32_t s = strides[i];

	start(c, BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = l * s * bytes_of(c);
	bc_variant_add_int(c, (int)s);
	if (!no_law(op) && (s == 0 ? lanes_count(op) : s % 2 == 0))
		bc_twin_set(c, NULL, "1");
	return true;
}

static const uint8_t active_lanes[] = { 2, 5, 16, 31 };

/* n lanes at random places of the warp are active and on one word. */
static bool inactive(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(active_lanes))
		return false;
	start(c, bc_random_mask(active_lanes[i]));
	bc_variant_add_int(c, active_lanes[i]);
	if (lanes_count(op_of(c)))
		bc_twin_set_stem(c, "apart", c->variant);
	return true;
}

/* The same lanes on words of their own. */
static bool apart(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(active_lanes))
		return false;
	start(c, bc_random_mask(active_lanes[i]));
	for (uint32_t l = 0; l < BC_LANES; l++)
		if (c->pattern.mask >> l & 1)
			c->pattern.offset[l] = l * bytes_of(c);
	bc_variant_add_int(c, active_lanes[i]);
	return true;
}

/* @lanes lanes per word, the words @pitch bytes apart. */
static void shared_words(struct bc_case *c, unsigned lanes, bool interleaved, uint32_t pitch)
{
	start(c, BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = (interleaved ? l % (BC_LANES / lanes) : l / lanes) * pitch;
	bc_variant_add(c, interleaved ? "interleaved_" : "adjacent_");
}

/* Groups of 2, 4, 8, 16 lanes per word, consecutive words. */
static bool groups(unsigned i, struct bc_case *c)
{
	const unsigned lanes = 2u << i % 4;

	if (i >= 2 * 4)
		return false;
	shared_words(c, lanes, i >= 4, BC_WORD_BYTES);
	bc_variant_add_int(c, (int)lanes);
	if (lanes_count(op_of(c)))
		bc_twin_set_stem(c, "stride", "1");
	return true;
}

/* k = 1, 2, 4 ... 32 words of one bank, each of 32 / k lanes. */
static bool same_bank(unsigned i, struct bc_case *c)
{
	const unsigned k = 1u << i % 6;

	if (i >= 2 * 6)
		return false;
	shared_words(c, BC_LANES / k, i >= 6, BC_ROW_BYTES);
	bc_variant_add_int(c, (int)k);
	if (k > 1 || lanes_count(op_of(c)))
		bc_twin_set_stem(c, "stride", "1");
	return true;
}

/* Four requests on the same words: what one leaves the next one finds. */
static bool again(unsigned i, struct bc_case *c)
{
	static const char *const names[] = { "apart", "one_word" };

	if (i >= BC_ARRAY_LEN(names))
		return false;
	start(c, BC_MASK_ALL);
	c->pattern.count = 4;
	for (uint32_t l = 0; l < BC_LANES && i == 0; l++)
		c->pattern.offset[l] = l * bytes_of(c);
	bc_variant_add(c, names[i]);
	if (i > 0 && lanes_count(op_of(c)))
		bc_twin_set(c, NULL, names[0]);
	return true;
}

#define PTX "PTX ISA, atom: an atomic returns what memory held, and no other access comes between"
#define MEASURED "docs/bank-laws.md, laws 6 and 7: measured on an H200"
#define MERGED "docs/bank-laws.md, law 8: measured on an H200"
#define LANES "lanes of an atomic on one word are served one after another: n lanes, n wavefronts"
#define LANES_CAS "lanes of a compare-and-swap on one word are served one after another, each in two wavefronts"
#define LANES_RED "an add of 1 whose result is unused merges lanes on one word: one wavefront"
#define STRIDE "an atomic takes as many wavefronts as its fullest bank has lanes: gcd(stride, 32), 32 on one word"
#define STRIDE64 "an atomic on 8 bytes goes in two groups of 16 lanes: 2 gcd(stride, 16) wavefronts, 32 on one address"
#define STRIDE_CAS "compare-and-swap takes twice the wavefronts of other atomics and counts as many conflicts as they"
#define STRIDE_RED "an add of 1 whose result is unused takes as many wavefronts as its fullest bank has words"
#define DATA "what memory holds afterwards and what each lane gets are those of some order of the lanes"
#define INACTIVE "only active lanes take wavefronts"
#define APART "active lanes in banks of their own do not conflict"
#define GROUPS "lanes count even where they share a word: g lanes per word, in different banks, take g wavefronts"
#define GROUPS_RED \
	"lanes on one word merge, so that groups of lanes, a word each in different banks, take one wavefront"
#define BANK "atomics of all lanes in one bank take 32 wavefronts, however many words it is"
#define BANK_RED "an add of 1 to k words of one bank takes k wavefronts"
#define AGAIN "what a request leaves in memory the next one returns"

static const struct bc_rule rules[] = {
	{ .name = "one_word_atom32", .source = MEASURED, .build = one_word, .sentence = LANES },
	{ .name = "one_word_max32", .source = MEASURED, .build = one_word, .sentence = LANES },
	{ .name = "one_word_and32", .source = MEASURED, .build = one_word, .sentence = LANES },
	{ .name = "one_word_inc32", .source = MEASURED, .build = one_word, .sentence = LANES },
	{ .name = "one_word_exch32", .source = MEASURED, .build = one_word, .sentence = LANES },
	{ .name = "one_word_exch64", .source = MEASURED, .build = one_word, .sentence = LANES },
	{ .name = "one_word_redv32", .source = MEASURED, .build = one_word, .sentence = LANES },
	{ .name = "one_word_redmax32", .source = MEASURED, .build = one_word, .sentence = LANES },
	{ .name = "one_word_cas32", .source = MEASURED, .build = one_word, .sentence = LANES_CAS },
	{ .name = "one_word_cas64", .source = MEASURED, .build = one_word, .sentence = LANES_CAS },
	{ .name = "one_word_red32", .source = MERGED, .build = one_word, .sentence = LANES_RED },
	{ .name = "one_word_min32", .source = PTX, .build = one_word, .sentence = DATA },
	{ .name = "one_word_or32", .source = PTX, .build = one_word, .sentence = DATA },
	{ .name = "one_word_xor32", .source = PTX, .build = one_word, .sentence = DATA },
	{ .name = "one_word_add64", .source = PTX, .build = one_word, .sentence = DATA },
	{ .name = "one_word_addf32", .source = PTX, .build = one_word, .sentence = DATA },
	{ .name = "one_word_red64", .source = PTX, .build = one_word, .sentence = DATA },
	{ .name = "one_word_redf32", .source = PTX, .build = one_word, .sentence = DATA },
	{ .name = "stride_atom32", .source = MEASURED, .build = stride, .sentence = STRIDE },
	{ .name = "stride_max32", .source = MEASURED, .build = stride, .sentence = STRIDE },
	{ .name = "stride_and32", .source = MEASURED, .build = stride, .sentence = STRIDE },
	{ .name = "stride_inc32", .source = MEASURED, .build = stride, .sentence = STRIDE },
	{ .name = "stride_exch32", .source = MEASURED, .build = stride, .sentence = STRIDE },
	{ .name = "stride_redv32", .source = MEASURED, .build = stride, .sentence = STRIDE },
	{ .name = "stride_redmax32", .source = MEASURED, .build = stride, .sentence = STRIDE },
	{ .name = "stride_exch64", .source = MEASURED, .build = stride, .sentence = STRIDE64 },
	{ .name = "stride_cas32", .source = MEASURED, .build = stride, .sentence = STRIDE_CAS },
	{ .name = "stride_cas64", .source = MEASURED, .build = stride, .sentence = STRIDE_CAS },
	{ .name = "stride_red32", .source = MERGED, .build = stride, .sentence = STRIDE_RED },
	{ .name = "stride_min32", .source = PTX, .build = stride, .sentence = DATA },
	{ .name = "stride_or32", .source = PTX, .build = stride, .sentence = DATA },
	{ .name = "stride_xor32", .source = PTX, .build = stride, .sentence = DATA },
	{ .name = "stride_add64", .source = PTX, .build = stride, .sentence = DATA },
	{ .name = "stride_addf32", .source = PTX, .build = stride, .sentence = DATA },
	{ .name = "stride_red64", .source = PTX, .build = stride, .sentence = DATA },
	{ .name = "stride_redf32", .source = PTX, .build = stride, .sentence = DATA },
	{ .name = "inactive_atom32", .source = MEASURED, .build = inactive, .sentence = INACTIVE },
	{ .name = "inactive_cas32", .source = MEASURED, .build = inactive, .sentence = INACTIVE },
	{ .name = "inactive_redv32", .source = MEASURED, .build = inactive, .sentence = INACTIVE },
	{ .name = "inactive_red32", .source = MERGED, .build = inactive, .sentence = LANES_RED },
	{ .name = "apart_atom32", .source = MEASURED, .build = apart, .sentence = APART },
	{ .name = "apart_cas32", .source = MEASURED, .build = apart, .sentence = APART },
	{ .name = "apart_redv32", .source = MEASURED, .build = apart, .sentence = APART },
	{ .name = "groups_atom32", .source = MEASURED, .build = groups, .sentence = GROUPS },
	{ .name = "groups_red32", .source = MERGED, .build = groups, .sentence = GROUPS_RED },
	{ .name = "same_bank_atom32", .source = MEASURED, .build = same_bank, .sentence = BANK },
	{ .name = "same_bank_red32", .source = MERGED, .build = same_bank, .sentence = BANK_RED },
	{ .name = "again_atom32", .source = PTX, .build = again, .sentence = AGAIN },
	{ .name = "again_max32", .source = PTX, .build = again, .sentence = AGAIN },
	{ .name = "again_inc32", .source = PTX, .build = again, .sentence = AGAIN },
	{ .name = "again_exch32", .source = PTX, .build = again, .sentence = AGAIN },
	{ .name = "again_cas32", .source = PTX, .build = again, .sentence = AGAIN },
	{ .name = "again_cas64", .source = PTX, .build = again, .sentence = AGAIN },
	{ .name = "again_xor32", .source = PTX, .build = again, .sentence = AGAIN },
	{ .name = "again_add64", .source = PTX, .build = again, .sentence = AGAIN },
	{ .name = "again_addf32", .source = PTX, .build = again, .sentence = AGAIN },
};

const struct bc_suite bc_suite_atomic = {
	.name = "atomic",
	.about = "shared atomics and reductions: right whatever the order, and how many wavefronts they take",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
