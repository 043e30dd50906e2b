/* SPDX-License-Identifier: MIT */
/* suites/width.c - accesses of 1, 2, 8 and 16 bytes: strides, the groups of lanes, the pair rule. */
#include "suites/patterns.h"

static uint32_t width_of(const struct bc_case *c)
{
	return bc_op_info(bc_rule_op(c->rule))->bytes;
}

/* Strides in elements of the access. Stride 1 stands first: it is the twin of those that conflict. */
static const struct stride_list {
	uint32_t bytes;
	int clean[9];
	unsigned nclean;
	int conflicting[10];
	unsigned nconflicting;
} stride_lists[] = {
	{ 1, { 1, 0, 2, 3, 4, 12, 132, -1, -4 }, 9, { 5, 6, 7, 8, 16, 32, 64, 128 }, 8 },
	{ 2, { 1, 0, 2, 6, 66, -1 }, 6, { 3, 4, 8, 16, 32, 64, 65 }, 7 },
	{ 8, { 1, 0, 3, 5, 17, 33, -1 }, 7, { 2, 4, 6, 8, 12, 16, 24, 32, -2, -16 }, 10 },
	{ 16, { 1, 0, 3, 5, 7, 9, 17, -1 }, 8, { 2, 4, 6, 8, 12, 16, 32, -8 }, 8 },
};

static const struct stride_list *find_strides(uint32_t bytes)
{
	for (size_t k = 0; k < BC_ARRAY_LEN(stride_lists); k++)
		if (stride_lists[k].bytes == bytes)
			return &stride_lists[k];
	return NULL;
}

static bool strides(unsigned i, struct bc_case *c)
{
	const struct stride_list *list = find_strides(width_of(c));

	if (!list || i >= list->nclean + list->nconflicting)
		return false;

	const int s = i < list->nclean ? list->clean[i] : list->conflicting[i - list->nclean];

	bc_pattern_strided(c, bc_rule_op(c->rule), 0, s * (int)list->bytes);
	bc_variant_add_int(c, s);
	if (i >= list->nclean)
		bc_twin_set(c, NULL, "1");
	return true;
}

/* 32 consecutive elements; rotated by 5 lanes, so that a group's elements wrap round the banks. */
static bool consecutive(unsigned i, struct bc_case *c)
{
	static const struct {
		const char *name;
		uint32_t lanes;
	} rotations[] = { { "forward", 0 }, { "rotated", 5 } };

	if (i >= BC_ARRAY_LEN(rotations))
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = (l + rotations[i].lanes) % BC_LANES * width_of(c);
	bc_variant_add(c, rotations[i].name);
	return true;
}

/*
 * Lanes l and l ^ x meet in the same banks at different words, and no other two lanes of a group do, whatever the
 * group: it conflicts exactly when both belong to one group. Groups are 32, 16 and 8 lanes.
 */
static bool partner(unsigned i, struct bc_case *c)
{
	const uint32_t bytes = width_of(c), x = 1u << i;
	const uint32_t columns = bytes > BC_WORD_BYTES ? BC_ROW_BYTES / bytes : BC_LANES;
	const uint32_t group = bytes > BC_WORD_BYTES ? columns : BC_LANES;

	if (i >= 5)
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t number = bc_lane_pair(l, i);

		c->pattern.offset[l] =
			number % columns * bytes + number / columns * 2 * BC_ROW_BYTES + (l >> i & 1) * BC_ROW_BYTES;
	}
	bc_variant_add_int(c, (int)x);
	if (x < group && group < BC_LANES)
		bc_twin_set(c, NULL, "16");
	else if (x < group)
		bc_twin_set_stem(c, "consecutive", "forward");
	return true;
}

/* Consecutive elements, only some of the groups of lanes active: an empty group costs nothing. */
static bool active_groups(unsigned i, struct bc_case *c)
{
	static const struct {
		uint32_t bytes, mask;
		const char *name;
	} active[] = {
		{ 8, 0x0000ffff, "0" },	 { 8, 0xffff0000, "1" },    { 16, 0x000000ff, "0" },
		{ 16, 0xff000000, "3" }, { 16, 0x00ff00ff, "0_2" }, { 16, 0xffffff00, "1_2_3" },
	};
	const uint32_t bytes = width_of(c);

	for (size_t k = 0; k < BC_ARRAY_LEN(active); k++) {
		if (active[k].bytes != bytes || i-- > 0)
			continue;
		bc_pattern_start(c, bc_rule_op(c->rule), active[k].mask);
		for (uint32_t l = 0; l < BC_LANES; l++)
			if (active[k].mask >> l & 1)
				c->pattern.offset[l] = l * bytes;
		bc_variant_add(c, active[k].name);
		return true;
	}
	return false;
}

#define NOT_BROKEN 32
#define STORE_SHAPES 8 /* stores take the first shapes of the table */

/* Lanes l and l ^ (1 << bit) at one element. */
static const struct pair_shape {
	const char *name;
	uint32_t mask;
	uint8_t bit, upper_bit; /* of lanes 0-15 and of lanes 16-31 */
	uint8_t broken;		/* this lane reads another element, in banks that its group leaves free */
	bool one_bank;		/* elements 128 bytes apart instead of consecutive */
} pair_shapes[] = {
	{ "x1", BC_MASK_ALL, 0, 0, NOT_BROKEN, false },
	{ "x2", BC_MASK_ALL, 1, 1, NOT_BROKEN, false },
	{ "x4", BC_MASK_ALL, 2, 2, NOT_BROKEN, false },
	{ "x8", BC_MASK_ALL, 3, 3, NOT_BROKEN, false },
	{ "x16", BC_MASK_ALL, 4, 4, NOT_BROKEN, false },
	{ "x1_one_bank", BC_MASK_ALL, 0, 0, NOT_BROKEN, true },
	{ "x1_partners_off", 0x55555555, 0, 0, NOT_BROKEN, false },
	{ "x2_partners_off", 0x33333333, 1, 1, NOT_BROKEN, false },
	{ "x4_partners_off", 0x0f0f0f0f, 2, 2, NOT_BROKEN, false },
	{ "x1_lane_13_off", 0xffffdfff, 0, 0, NOT_BROKEN, false },
	{ "x1_broken_0", BC_MASK_ALL, 0, 0, 0, false },
	{ "x1_broken_13", BC_MASK_ALL, 0, 0, 13, false },
	{ "x1_broken_31", BC_MASK_ALL, 0, 0, 31, false },
	{ "x2_broken_13", BC_MASK_ALL, 1, 1, 13, false },
	{ "x1_then_x2", BC_MASK_ALL, 0, 1, NOT_BROKEN, false },
};

static bool pair(unsigned i, struct bc_case *c)
{
	const enum bc_op op = bc_rule_op(c->rule);
	const uint32_t bytes = width_of(c);

	if (i >= (bc_op_info(op)->store ? STORE_SHAPES : BC_ARRAY_LEN(pair_shapes)))
		return false;

	const struct pair_shape *p = &pair_shapes[i];

	bc_pattern_start(c, op, p->mask);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		uint32_t element = bc_lane_pair(l, l < BC_LANES / 2 ? p->bit : p->upper_bit);

		if (l == p->broken)
			element = (element + BC_ROW_BYTES / bytes / 2) % 16;
		if (p->mask >> l & 1)
			c->pattern.offset[l] = element * (p->one_bank ? BC_ROW_BYTES : bytes);
	}
	bc_variant_add(c, p->name);
	if (p->one_bank)
		bc_twin_set(c, NULL, "x1");
	return true;
}

/* A column of a tile of 8-byte elements with rows @pitch bytes apart. */
static bool column_of(unsigned i, struct bc_case *c, uint32_t pitch)
{
	static const uint8_t columns[] = { 0, 1, 15, 31 };

	if (i >= BC_ARRAY_LEN(columns))
		return false;
	bc_pattern_strided(c, bc_rule_op(c->rule), columns[i] * width_of(c), (int)pitch);
	bc_variant_add_int(c, columns[i]);
	return true;
}

static bool column(unsigned i, struct bc_case *c)
{
	if (!column_of(i, c, 256))
		return false;
	bc_twin_set_stem(c, "column_padded", c->variant);
	return true;
}

static bool column_padded(unsigned i, struct bc_case *c)
{
	return column_of(i, c, 256 + 8);
}

#define GUIDE "CUDA C++ Programming Guide, Shared Memory; Nsight Compute guide, shared memory wavefronts"
#define MEASURED "docs/bank-laws.md, laws 3 to 5: measured on an H200"
#define SUBWORD "accesses of less than a word follow the words they touch, whatever the stride"
#define STRIDE8 "8-byte accesses at a stride of s elements take 2 gcd(s, 16) wavefronts: two groups of 16 lanes"
#define STRIDE16 "16-byte accesses at a stride of s elements take 4 gcd(s, 8) wavefronts: four groups of 8 lanes"
#define CONSECUTIVE "consecutive elements are free of conflicts; 16-byte ones take 4 wavefronts and 0 conflicts"
#define PARTNER "lanes conflict only within their group: 32 lanes of 4 bytes, 16 of 8 bytes, 8 of 16 bytes"
#define EMPTY "a group with no active lane takes no wavefront"
#define PAIR_LD "loads by pairs of lanes l and l ^ x at one address merge two groups, for x = 1 or 2 and the whole warp"
#define PAIR_ST "stores by pairs of lanes at one address never merge groups"
#define COLUMN "a column of doubles with rows of 256 bytes is in one pair of banks: 16-way in both groups"
#define PADDED "one double of padding a row frees the column of conflicts"

static const struct bc_rule rules[] = {
	{ .name = "stride_ld_b8", .source = GUIDE, .build = strides, .sentence = SUBWORD },
	{ .name = "stride_st_b8", .source = GUIDE, .build = strides, .sentence = SUBWORD },
	{ .name = "stride_ld_b16", .source = GUIDE, .build = strides, .sentence = SUBWORD },
	{ .name = "stride_st_b16", .source = GUIDE, .build = strides, .sentence = SUBWORD },
	{ .name = "stride_ld_b64", .source = MEASURED, .build = strides, .sentence = STRIDE8 },
	{ .name = "stride_st_b64", .source = MEASURED, .build = strides, .sentence = STRIDE8 },
	{ .name = "stride_ld_b128", .source = MEASURED, .build = strides, .sentence = STRIDE16 },
	{ .name = "stride_st_b128", .source = MEASURED, .build = strides, .sentence = STRIDE16 },
	{ .name = "consecutive_ld_b32", .source = GUIDE, .build = consecutive, .sentence = CONSECUTIVE },
	{ .name = "consecutive_st_b32", .source = GUIDE, .build = consecutive, .sentence = CONSECUTIVE },
	{ .name = "consecutive_ld_b128", .source = GUIDE, .build = consecutive, .sentence = CONSECUTIVE },
	{ .name = "consecutive_st_b128", .source = GUIDE, .build = consecutive, .sentence = CONSECUTIVE },
	{ .name = "partner_ld_b32", .source = MEASURED, .build = partner, .sentence = PARTNER },
	{ .name = "partner_st_b32", .source = MEASURED, .build = partner, .sentence = PARTNER },
	{ .name = "partner_ld_b64", .source = MEASURED, .build = partner, .sentence = PARTNER },
	{ .name = "partner_st_b64", .source = MEASURED, .build = partner, .sentence = PARTNER },
	{ .name = "partner_ld_b128", .source = MEASURED, .build = partner, .sentence = PARTNER },
	{ .name = "partner_st_b128", .source = MEASURED, .build = partner, .sentence = PARTNER },
	{ .name = "active_groups_ld_b64", .source = MEASURED, .build = active_groups, .sentence = EMPTY },
	{ .name = "active_groups_st_b64", .source = MEASURED, .build = active_groups, .sentence = EMPTY },
	{ .name = "active_groups_ld_b128", .source = MEASURED, .build = active_groups, .sentence = EMPTY },
	{ .name = "active_groups_st_b128", .source = MEASURED, .build = active_groups, .sentence = EMPTY },
	{ .name = "pair_ld_b64", .source = MEASURED, .build = pair, .sentence = PAIR_LD },
	{ .name = "pair_st_b64", .source = MEASURED, .build = pair, .sentence = PAIR_ST },
	{ .name = "pair_ld_b128", .source = MEASURED, .build = pair, .sentence = PAIR_LD },
	{ .name = "pair_st_b128", .source = MEASURED, .build = pair, .sentence = PAIR_ST },
	{ .name = "column_ld_b64", .source = GUIDE, .build = column, .sentence = COLUMN },
	{ .name = "column_st_b64", .source = GUIDE, .build = column, .sentence = COLUMN },
	{ .name = "column_padded_ld_b64", .source = GUIDE, .build = column_padded, .sentence = PADDED },
	{ .name = "column_padded_st_b64", .source = GUIDE, .build = column_padded, .sentence = PADDED },
};

const struct bc_suite bc_suite_width = {
	.name = "width",
	.about = "accesses of 1 to 16 bytes: strides, groups of lanes served together, the pair rule",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
