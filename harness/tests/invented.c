/* SPDX-License-Identifier: MIT */
#include "harness/tests/invented.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pattern of all lanes, lane l at l * stride bytes. */
struct variant {
	const char *name, *twin;
	enum bc_op op;
	uint32_t stride, first;
	enum bc_origin origin;
	unsigned needs;
};

static bool build(const struct variant *v, size_t n, unsigned i, struct bc_case *c)
{
	if (i >= n)
		return false;
	bc_strlcpy(c->variant, v[i].name, sizeof(c->variant));
	bc_strlcpy(c->twin, v[i].twin ? v[i].twin : "", sizeof(c->twin));
	c->needs = v[i].needs;
	c->pattern = (struct bc_pattern){ .op = v[i].op, .origin = v[i].origin, .mask = UINT32_MAX, .count = 1 };
	for (uint32_t lane = 0; lane < BC_LANES; lane++)
		c->pattern.offset[lane] = v[i].first + lane * v[i].stride;
	return true;
}

static const struct variant loads[] = {
	{ .name = "1", .op = BC_OP_LD32, .stride = 4 },
	{ .name = "2", .op = BC_OP_LD32, .stride = 8, .twin = "ld/1" },
	{ .name = "32", .op = BC_OP_LD32, .stride = 128, .twin = "alpha/ld/1" },
};

static const struct variant stores[] = {
	{ .name = "1", .op = BC_OP_ST32, .stride = 4 },
	{ .name = "2", .op = BC_OP_ST32, .stride = 8, .twin = "st/1" },
};

static const struct variant uniform[] = {
	{ .name = "0", .op = BC_OP_LD32 },
};

static const struct variant edge[] = {
	{ .name = "last", .op = BC_OP_LD32, .stride = 4, .origin = BC_FROM_OPTIN_END },
	{ .name = "abs", .op = BC_OP_LD32, .stride = 4, .first = 0x800, .origin = BC_FROM_ABSOLUTE },
	{ .name = "low", .op = BC_OP_LD32, .stride = 4, .first = 0x3fc, .origin = BC_FROM_ABSOLUTE },
	{ .name = "deep", .op = BC_OP_LD32, .stride = 4, .first = 65536 - 124 },
};

static const struct variant needs[] = {
	{ .name = "ldsm", .op = BC_OP_LDSM4, .stride = 16, .needs = BC_NEED_LDMATRIX },
	{ .name = "stsm", .op = BC_OP_STSM4, .stride = 16, .needs = BC_NEED_STMATRIX },
	{ .name = "copy", .op = BC_OP_CPA4, .stride = 4, .needs = BC_NEED_CP_ASYNC },
	{ .name = "counter", .op = BC_OP_CPA4, .stride = 4, .needs = BC_NEED_CP_ASYNC | BC_NEED_LDGSTS_COUNTER },
	{ .name = "clock", .op = BC_OP_LD32, .stride = 4, .needs = BC_NEED_CLOCK },
	{ .name = "code", .op = BC_OP_RED32, .stride = 4, .needs = BC_NEED_CODE },
};

static bool build_loads(unsigned i, struct bc_case *c)
{
	return build(loads, BC_ARRAY_LEN(loads), i, c);
}

static bool build_stores(unsigned i, struct bc_case *c)
{
	return build(stores, BC_ARRAY_LEN(stores), i, c);
}

static bool build_uniform(unsigned i, struct bc_case *c)
{
	return build(uniform, BC_ARRAY_LEN(uniform), i, c);
}

static bool build_edge(unsigned i, struct bc_case *c)
{
	return build(edge, BC_ARRAY_LEN(edge), i, c);
}

static bool build_needs(unsigned i, struct bc_case *c)
{
	return build(needs, BC_ARRAY_LEN(needs), i, c);
}

static const struct bc_rule alpha_rules[] = {
	{ .name = "ld",
	  .sentence = "a load of stride s takes gcd(s, banks) wavefronts",
	  .source = "invented",
	  .build = build_loads },
	{ .name = "st",
	  .sentence = "a store of stride s takes gcd(s, banks) wavefronts",
	  .source = "invented",
	  .build = build_stores },
};
static const struct bc_rule alphabet_rules[] = {
	{ .name = "uniform", .sentence = "one word serves every lane", .source = "invented", .build = build_uniform },
};
static const struct bc_rule beta_rules[] = {
	{ .name = "edge",
	  .sentence = "the edges of the window are banks as any",
	  .source = "invented",
	  .build = build_edge },
	{ .name = "needs",
	  .sentence = "what an architecture lacks is not asked of it",
	  .source = "invented",
	  .build = build_needs },
};

static const struct bc_suite alpha = { "alpha", "strides", alpha_rules, BC_ARRAY_LEN(alpha_rules), false, false };
static const struct bc_suite alphabet = { "alphabet",	  "a name that begins as another",
					  alphabet_rules, BC_ARRAY_LEN(alphabet_rules),
					  false,	  false };
static const struct bc_suite beta = { "beta", "edges and needs", beta_rules, BC_ARRAY_LEN(beta_rules), false, false };

const struct bc_suite *const bc_invented_suites[] = { &beta, &alphabet, &alpha, NULL };

struct bc_catalog bc_invented_catalog(void)
{
	struct bc_catalog cat = { 0 };
	struct bc_error err = { 0 };

	if (bc_catalog_build(bc_invented_suites, &cat, &err)) {
		fprintf(stderr, "the invented suites: %s\n", err.msg);
		exit(EXIT_FAILURE);
	}
	return cat;
}

struct bc_arch bc_invented_arch(void)
{
	return (struct bc_arch){
		.name = "sm_00",
		.cc = 0,
		.warp_lanes = 32,
		.banks = 16,
		.bank_bytes = 8,
		.window_base = 1024,
		.optin_bytes = 65536,
		.sm_bytes = 131072,
		.reserved_bytes = 1024,
		.static_bytes = 32768,
		.pair_rule = 0,
		.ldmatrix = 1,
		.stmatrix = 0,
		.cp_async = 1,
		.ldgsts_conflicts = 0,
		.redux = 1,
		.mma_sync = 1,
		.mbarrier = 1,
		.cluster = 1,
		.bulk_copy = 1,
		.wgmma = 1,
		.tensor_atoms = 1,
		.popc_inc = 1,
		.max_warps_sm = 48,
		.max_blocks_sm = 7,
		.confirmed = "Invented GPU, driver 0.0, 2000-01-01",
	};
}
