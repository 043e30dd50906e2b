/* SPDX-License-Identifier: MIT */
/* suites/shuffle.c - lanes exchange values by shuffles, which touch no shared memory, or through shared memory. */
#include "suites/patterns.h"
#include "suites/programs.h"

#include "kernels/bc_kernel.h"

#define THREADS 64u
#define STEPS 8u

static const struct exchange {
	const char *name;
	uint8_t kind, by, width;
} exchanges[] = {
	{ "xor_1", BC_SHUFFLE_XOR, 1, 32 },
	{ "xor_2", BC_SHUFFLE_XOR, 2, 32 },
	{ "xor_4", BC_SHUFFLE_XOR, 4, 32 },
	{ "xor_8", BC_SHUFFLE_XOR, 8, 32 },
	{ "xor_16", BC_SHUFFLE_XOR, 16, 32 },
	{ "xor_31", BC_SHUFFLE_XOR, 31, 32 },
	{ "xor_3_of_8", BC_SHUFFLE_XOR, 3, 8 },
	{ "xor_16_of_8", BC_SHUFFLE_XOR, 16, 8 },
	{ "up_1", BC_SHUFFLE_UP, 1, 32 },
	{ "up_16", BC_SHUFFLE_UP, 16, 32 },
	{ "up_31", BC_SHUFFLE_UP, 31, 32 },
	{ "up_3_of_8", BC_SHUFFLE_UP, 3, 8 },
	{ "down_1", BC_SHUFFLE_DOWN, 1, 32 },
	{ "down_16", BC_SHUFFLE_DOWN, 16, 32 },
	{ "down_31", BC_SHUFFLE_DOWN, 31, 32 },
	{ "down_3_of_8", BC_SHUFFLE_DOWN, 3, 8 },
	{ "index_0", BC_SHUFFLE_INDEX, 0, 32 },
	{ "index_31", BC_SHUFFLE_INDEX, 31, 32 },
	{ "index_5_of_8", BC_SHUFFLE_INDEX, 5, 8 },
	{ "index_9_of_8", BC_SHUFFLE_INDEX, 9, 8 },
	{ "rotate_1", BC_SHUFFLE_ROTATE, 1, 32 },
	{ "rotate_31", BC_SHUFFLE_ROTATE, 31, 32 },
	{ "rotate_5_of_16", BC_SHUFFLE_ROTATE, 5, 16 },
};

/* arg[0]: which exchange; arg[1]: through shared memory; arg[2]: class that is counted. */
static const struct exchange *exchange_of(const struct bc_case *c)
{
	return &exchanges[c->arg[0]];
}

static bool build_as(unsigned i, struct bc_case *c, bool shared, enum bc_class cls)
{
	if (i >= BC_ARRAY_LEN(exchanges))
		return false;
	c->arg[0] = (int32_t)i;
	c->arg[1] = shared;
	c->arg[2] = (int32_t)cls;
	c->shared_bytes = shared ? 4 * THREADS : 0;
	bc_variant_add(c, exchanges[i].name);
	return true;
}

static bool lanes_ld(unsigned i, struct bc_case *c)
{
	return build_as(i, c, false, BC_CLASS_LD);
}

static bool lanes_st(unsigned i, struct bc_case *c)
{
	return build_as(i, c, false, BC_CLASS_ST);
}

static bool shared_ld(unsigned i, struct bc_case *c)
{
	return build_as(i, c, true, BC_CLASS_LD);
}

static bool shared_st(unsigned i, struct bc_case *c)
{
	return build_as(i, c, true, BC_CLASS_ST);
}

static bool program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct exchange *e = exchange_of(c);
	const struct bc_shuffle_params p = { .kind = e->kind, .by = e->by, .width = e->width, .steps = STEPS };

	(void)a;
	bc_program_start(out, "shuffle", c->arg[1] ? "bc_shuffle_shared" : "bc_shuffle_lanes", THREADS, &p, sizeof(p));
	out->shared_bytes = c->shared_bytes;
	bc_program_in(out, offsetof(struct bc_shuffle_params, in), 4 * THREADS, bc_fill_words);
	bc_program_out(out, offsetof(struct bc_shuffle_params, out), 4 * THREADS);
	bc_program_count(out, (enum bc_class)c->arg[2], c->arg[1] ? STEPS * THREADS / BC_LANES : 0);
	return true;
}

static bool check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		  struct bc_mismatch *bad)
{
	const struct exchange *e = exchange_of(c);
	const uint32_t *in = data[0], *out = data[1];

	(void)a;
	(void)seed;
	for (uint32_t warp = 0; warp < THREADS; warp += BC_LANES) {
		uint32_t value[BC_LANES], next[BC_LANES];

		for (uint32_t l = 0; l < BC_LANES; l++)
			next[l] = in[warp + l];
		for (uint32_t k = 0; k < STEPS; k++) {
			for (uint32_t l = 0; l < BC_LANES; l++)
				value[l] = next[l];
			for (uint32_t l = 0; l < BC_LANES; l++)
				next[l] = 3 * value[l] + value[bc_shuffle_source(e->kind, l, e->by, e->width)];
		}
		for (uint32_t l = 0; l < BC_LANES; l++)
			if (out[warp + l] != next[l])
				return bc_mismatch(bad, "thread", warp + l, out[warp + l], next[l]);
	}
	return true;
}

/* The steps of the shared exchange, all alike. */
static bool request(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *r)
{
	const struct exchange *e = exchange_of(c);
	const uint32_t warp = (uint32_t)k / STEPS * BC_LANES;
	const bool load = c->arg[2] == BC_CLASS_LD;

	if (warp >= THREADS)
		return false;
	*r = (struct bc_program_request){ .op = load ? BC_OP_LD32 : BC_OP_ST32, .mask = UINT32_MAX };
	for (uint32_t l = 0; l < BC_LANES; l++)
		r->addr[l] = a->window_base + 4 * (warp + (load ? bc_shuffle_source(e->kind, l, e->by, e->width) : l));
	return true;
}

#define GUIDE "CUDA C++ Programming Guide, warp shuffle functions"

static const struct bc_rule rules[] = {
	{ .name = "lanes_ld",
	  .source = GUIDE,
	  .build = lanes_ld,
	  .program = program,
	  .check = check,
	  .sentence = "an exchange by __shfl_*_sync executes no shared load" },
	{ .name = "lanes_st",
	  .source = GUIDE,
	  .build = lanes_st,
	  .program = program,
	  .check = check,
	  .sentence = "an exchange by __shfl_*_sync executes no shared store" },
	{ .name = "shared_ld",
	  .source = GUIDE,
	  .build = shared_ld,
	  .program = program,
	  .check = check,
	  .request = request,
	  .sentence = "the same exchange through shared memory gives the same values, for a clean load a step" },
	{ .name = "shared_st",
	  .source = GUIDE,
	  .build = shared_st,
	  .program = program,
	  .check = check,
	  .request = request,
	  .sentence = "the same exchange through shared memory gives the same values, for a clean store a step" },
};

const struct bc_suite bc_suite_shuffle = {
	.name = "shuffle",
	.about = "exchanges between lanes, by shuffles and through shared memory",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
