/* SPDX-License-Identifier: MIT */
/* suites/generic.c - loads and stores that name no address space and reach shared memory: the same laws. */
#include "suites/patterns.h"

static enum bc_op op_of(const struct bc_case *c)
{
	return bc_rule_op(c->rule);
}

static uint32_t bytes_of(const struct bc_case *c)
{
	return bc_op_info(op_of(c))->bytes;
}

/* Strides in elements. */
static bool stride(unsigned i, struct bc_case *c)
{
	static const int8_t strides[] = { 1, 0, 2, 3, 4, 8, 16, 32, 33, 64, -1, -6 };

	if (i >= (bytes_of(c) == BC_WORD_BYTES ? BC_ARRAY_LEN(strides) : 8))
		return false;
	bc_pattern_strided(c, op_of(c), 0, strides[i] * (int)bytes_of(c));
	bc_variant_add_int(c, strides[i]);
	if (strides[i] != 0 && strides[i] % 2 == 0)
		bc_twin_set(c, NULL, "1");
	return true;
}

static const uint8_t lanes[] = { 1, 2, 3, 5, 8, 16, 31, 32 };

/* n lanes at random places of the warp, all in one bank; the others inactive. */
static bool ways(unsigned i, struct bc_case *c)
{
	uint32_t place = 0;

	if (i >= BC_ARRAY_LEN(lanes))
		return false;
	bc_pattern_start(c, op_of(c), bc_random_mask(lanes[i]));
	for (uint32_t l = 0; l < BC_LANES; l++)
		if (c->pattern.mask >> l & 1)
			c->pattern.offset[l] = place++ * BC_ROW_BYTES;
	bc_variant_add_int(c, lanes[i]);
	if (lanes[i] > 1)
		bc_twin_set_stem(c, "apart", c->variant);
	return true;
}

/* The same lanes in banks of their own. */
static bool apart(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(lanes))
		return false;
	bc_pattern_start(c, op_of(c), bc_random_mask(lanes[i]));
	for (uint32_t l = 0; l < BC_LANES; l++)
		if (c->pattern.mask >> l & 1)
			c->pattern.offset[l] = l * BC_WORD_BYTES;
	bc_variant_add_int(c, lanes[i]);
	return true;
}

/* k = 1, 2, 4, 8, 16 words of one bank or of k banks, each of 32 / k lanes. */
static bool broadcast(unsigned i, struct bc_case *c)
{
	const unsigned k = 1u << i % 5;
	const bool one_bank = i >= 5;

	if (i >= 2 * 5)
		return false;
	bc_pattern_start(c, op_of(c), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = l % k * (one_bank ? BC_ROW_BYTES : BC_WORD_BYTES);
	bc_variant_add(c, one_bank ? "one_bank_" : "banks_");
	bc_variant_add_int(c, (int)k);
	if (one_bank && k > 1) {
		char variant[sizeof(c->variant)];

		(void)bc_strlcpy(variant, c->variant, sizeof(variant));
		c->variant[0] = '\0';
		bc_variant_add(c, "banks_");
		bc_variant_add_int(c, (int)k);
		bc_twin_set(c, NULL, c->variant);
		(void)bc_strlcpy(c->variant, variant, sizeof(c->variant));
	}
	return true;
}

/* Lanes l and l ^ x at one element, for the whole warp; broken: lane 13 elsewhere. */
static bool pair(unsigned i, struct bc_case *c)
{
	static const struct {
		const char *name;
		uint8_t bit;
		bool broken;
	} shapes[] = { { "x1", 0, false }, { "x2", 1, false }, { "x4", 2, false }, { "x1_broken", 0, true } };

	if (i >= BC_ARRAY_LEN(shapes))
		return false;
	bc_pattern_start(c, op_of(c), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		uint32_t element = bc_lane_pair(l, shapes[i].bit);

		if (shapes[i].broken && l == 13)
			element = (element + BC_ROW_BYTES / bytes_of(c) / 2) % 16;
		c->pattern.offset[l] = element * bytes_of(c);
	}
	bc_variant_add(c, shapes[i].name);
	return true;
}

#define MEASURED "docs/bank-laws.md, law 11: measured on an H200"
#define STRIDE "a generic access to shared memory takes the wavefronts of a shared one: gcd(stride, 32)"
#define STRIDE8 "a generic 8-byte access takes 2 gcd(stride, 16) wavefronts, in two groups of 16 lanes"
#define STRIDE16 "a generic 16-byte access takes 4 gcd(stride, 8) wavefronts, in four groups of 8 lanes"
#define WAYS "n active lanes of a generic access in one bank take n wavefronts"
#define APART "active lanes of a generic access in banks of their own take one wavefront"
#define BROADCAST "lanes of a generic access on one word are served together; words of one bank are not"
#define PAIR                                                                                                  \
	"generic loads by pairs of lanes l and l ^ x at one address keep their groups: the pair rule is for " \
	"ld.shared only"

static const struct bc_rule rules[] = {
	{ .name = "stride_gld32", .source = MEASURED, .build = stride, .sentence = STRIDE },
	{ .name = "stride_gst32", .source = MEASURED, .build = stride, .sentence = STRIDE },
	{ .name = "stride_gld64", .source = MEASURED, .build = stride, .sentence = STRIDE8 },
	{ .name = "stride_gst64", .source = MEASURED, .build = stride, .sentence = STRIDE8 },
	{ .name = "stride_gld128", .source = MEASURED, .build = stride, .sentence = STRIDE16 },
	{ .name = "stride_gst128", .source = MEASURED, .build = stride, .sentence = STRIDE16 },
	{ .name = "ways_gld32", .source = MEASURED, .build = ways, .sentence = WAYS },
	{ .name = "ways_gst32", .source = MEASURED, .build = ways, .sentence = WAYS },
	{ .name = "apart_gld32", .source = MEASURED, .build = apart, .sentence = APART },
	{ .name = "apart_gst32", .source = MEASURED, .build = apart, .sentence = APART },
	{ .name = "broadcast_gld32", .source = MEASURED, .build = broadcast, .sentence = BROADCAST },
	{ .name = "broadcast_gst32", .source = MEASURED, .build = broadcast, .sentence = BROADCAST },
	{ .name = "pair_gld64", .source = MEASURED, .build = pair, .sentence = PAIR },
	{ .name = "pair_gld128", .source = MEASURED, .build = pair, .sentence = PAIR },
};

const struct bc_suite bc_suite_generic = {
	.name = "generic",
	.about = "generic loads and stores that reach shared memory obey the laws of shared ones",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
