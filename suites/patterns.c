/* SPDX-License-Identifier: MIT */
#include "suites/patterns.h"

#include <string.h>

#define SCATTER_SEED 20090u

void bc_variant_add(struct bc_case *c, const char *text)
{
	const size_t len = strlen(c->variant);

	(void)bc_strlcpy(c->variant + len, text, sizeof(c->variant) - len); /* a cut name is a duplicate: refused */
}

void bc_variant_add_int(struct bc_case *c, int n)
{
	char digits[16];
	size_t at = sizeof(digits) - 1;
	unsigned rest = n < 0 ? 0u - (unsigned)n : (unsigned)n;

	digits[at] = '\0';
	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (n < 0)
		digits[--at] = 'm';
	bc_variant_add(c, digits + at);
}

static void twin_add(struct bc_case *c, const char *text)
{
	const size_t len = strlen(c->twin);

	(void)bc_strlcpy(c->twin + len, text, sizeof(c->twin) - len); /* a cut twin does not exist: refused */
}

void bc_twin_set(struct bc_case *c, const char *rule, const char *variant)
{
	c->twin[0] = '\0';
	twin_add(c, rule ? rule : c->rule->name);
	twin_add(c, "/");
	twin_add(c, variant);
}

static const struct {
	const char *suffix;
	enum bc_op op;
} suffixes[] = {
	{ "ld_b8", BC_OP_LD8 },	    { "ld_b16", BC_OP_LD16 },	{ "ld_b32", BC_OP_LD32 }, { "ld_b64", BC_OP_LD64 },
	{ "ld_b128", BC_OP_LD128 }, { "st_b8", BC_OP_ST8 },	{ "st_b16", BC_OP_ST16 }, { "st_b32", BC_OP_ST32 },
	{ "st_b64", BC_OP_ST64 },   { "st_b128", BC_OP_ST128 },
};

/* Where the operation starts in the rule's name, NULL when it names none; @op is set when it does. */
static const char *find_op(const struct bc_rule *r, enum bc_op *op)
{
	const size_t len = strlen(r->name);

	for (size_t i = 0; i < BC_ARRAY_LEN(suffixes); i++) {
		const size_t n = strlen(suffixes[i].suffix);

		if (len < n || strcmp(r->name + len - n, suffixes[i].suffix) != 0 ||
		    (len > n && r->name[len - n - 1] != '_'))
			continue;
		*op = suffixes[i].op;
		return r->name + len - n;
	}

	const char *last = strrchr(r->name, '_');

	last = last ? last + 1 : r->name;
	*op = bc_op_parse(last);
	return *op != BC_OP_NONE ? last : NULL;
}

enum bc_op bc_rule_op(const struct bc_rule *r)
{
	enum bc_op op = BC_OP_NONE;

	(void)find_op(r, &op);
	return op;
}

void bc_twin_set_stem(struct bc_case *c, const char *stem, const char *variant)
{
	enum bc_op op = BC_OP_NONE;
	const char *suffix = find_op(c->rule, &op);

	c->twin[0] = '\0';
	twin_add(c, stem);
	twin_add(c, "_");
	twin_add(c, suffix ? suffix : "");
	twin_add(c, "/");
	twin_add(c, variant);
}

void bc_pattern_start(struct bc_case *c, enum bc_op op, uint32_t mask)
{
	memset(&c->pattern, 0, sizeof(c->pattern));
	c->pattern.op = op;
	c->pattern.origin = BC_FROM_START;
	c->pattern.mask = mask;
	c->pattern.count = 1;
}

void bc_pattern_strided(struct bc_case *c, enum bc_op op, uint32_t first, int stride)
{
	const uint32_t step = stride < 0 ? 0u - (uint32_t)stride : (uint32_t)stride;

	bc_pattern_start(c, op, BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = first + step * (stride < 0 ? BC_LANES - 1 - l : l);
}

void bc_pattern_two_lanes(struct bc_case *c, enum bc_op op, uint32_t lane0, uint32_t lane31)
{
	bc_pattern_start(c, op, 1u << 0 | 1u << 31);
	c->pattern.offset[0] = lane0;
	c->pattern.offset[31] = lane31;
}

uint32_t bc_lane_pair(uint32_t l, unsigned bit)
{
	const uint32_t below = (1u << bit) - 1;

	return (l & below) | (l >> 1 & ~below);
}

uint32_t bc_random_mask(unsigned n)
{
	uint8_t lane[BC_LANES];
	uint32_t x = SCATTER_SEED + n, mask = 0;

	for (uint8_t l = 0; l < BC_LANES; l++)
		lane[l] = l;
	for (uint32_t i = 0; i < n && i < BC_LANES; i++) {
		x = x * 1664525u + 1013904223u;

		const uint32_t pick = i + (x >> 16) % (BC_LANES - i);
		const uint8_t chosen = lane[pick];

		lane[pick] = lane[i];
		lane[i] = chosen;
		mask |= 1u << chosen;
	}
	return mask;
}
