/* SPDX-License-Identifier: MIT */
/* suites/random.c - 32 random words: how many wavefronts a load takes when nobody planned its addresses. */
#include "suites/patterns.h"
#include "suites/programs.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define THREADS 256u
#define WARPS (THREADS / BC_LANES)
#define REPS 512u	   /* 4096 requests in all */
#define SPREAD 0x9e3779b9u /* seeds that differ in low bits only would exchange the threads' generators, no more */

enum { SEED, OWN_BANK };

static uint32_t word_of(const struct bc_random_params *p, uint32_t x, uint32_t lane)
{
	return (x >> BC_RANDOM_SHIFT & p->keep) | (lane & p->own);
}

static struct bc_random_params params_of(const struct bc_case *c)
{
	return (struct bc_random_params){ .seed = (uint32_t)c->arg[SEED] * SPREAD,
					  .reps = REPS,
					  .keep = BC_RANDOM_WORDS - 1 - (c->arg[OWN_BANK] ? BC_LANES - 1 : 0),
					  .own = c->arg[OWN_BANK] ? BC_LANES - 1 : 0 };
}

static void build(struct bc_case *c, unsigned seed, bool own)
{
	c->arg[SEED] = (int32_t)seed;
	c->arg[OWN_BANK] = own;
	c->shared_bytes = 4 * BC_RANDOM_WORDS;
	bc_variant_add(c, "seed_");
	bc_variant_add_int(c, (int)seed);
	if (!own)
		bc_twin_set(c, "own_bank_ld32", c->variant);
}

/* Seeds 1 to 4 have their exact sums in expected/, 5 and 6 the mean of all such loads. */
static bool sum(unsigned i, struct bc_case *c)
{
	if (i >= 4)
		return false;
	build(c, 1 + i, false);
	return true;
}

static bool mean(unsigned i, struct bc_case *c)
{
	if (i >= 2)
		return false;
	build(c, 5 + i, false);
	return true;
}

static bool own_bank(unsigned i, struct bc_case *c)
{
	if (i >= 6)
		return false;
	build(c, 1 + i, true);
	return true;
}

static bool program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_random_params p = params_of(c);

	(void)a;
	bc_program_start(out, "random", "bc_random_ld32", THREADS, &p, sizeof(p));
	out->shared_bytes = c->shared_bytes;
	bc_program_in(out, offsetof(struct bc_random_params, in), 4 * BC_RANDOM_WORDS, bc_fill_words);
	bc_program_out(out, offsetof(struct bc_random_params, out), 4 * THREADS);
	bc_program_count(out, BC_CLASS_LD, WARPS * REPS);
	return true;
}

static bool check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		  struct bc_mismatch *bad)
{
	const struct bc_random_params p = params_of(c);
	const uint32_t *in = data[0], *out = data[1];

	(void)a;
	(void)seed;
	for (uint32_t t = 0; t < THREADS; t++) {
		uint32_t x = bc_mix32(t ^ p.seed), total = 0;

		for (uint32_t rep = 0; rep < p.reps; rep++) {
			x = x * BC_RANDOM_FACTOR + BC_RANDOM_TERM;
			total = total * 3 + in[word_of(&p, x, t % BC_LANES)];
		}
		if (out[t] != total)
			return bc_mismatch(bad, "thread", t, out[t], total);
	}
	return true;
}

/* @n steps of the generator at once are x -> *factor x + *term, by squaring. */
static void steps(uint32_t n, uint32_t *factor, uint32_t *term)
{
	uint32_t a = BC_RANDOM_FACTOR, b = BC_RANDOM_TERM;

	*factor = 1;
	*term = 0;
	for (; n; n >>= 1) {
		if (n & 1) {
			*factor *= a;
			*term = *term * a + b;
		}
		b = b * a + b;
		a *= a;
	}
}

static bool request(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *r)
{
	const struct bc_random_params p = params_of(c);
	uint32_t factor, term;

	if (k >= WARPS * REPS)
		return false;
	steps(1 + (uint32_t)k % REPS, &factor, &term);
	r->op = BC_OP_LD32;
	r->mask = BC_MASK_ALL;
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t start = bc_mix32(((uint32_t)k / REPS * BC_LANES + l) ^ p.seed);

		r->addr[l] = a->window_base + 4 * word_of(&p, start * factor + term, l);
	}
	return true;
}

#define RULE "the balls-in-bins problem: the fullest of 32 banks when 32 of 4096 words are drawn; law 2"
#define SUM "loads of 32 random words take the sum over the requests of the most words in one bank, to the wavefront"
#define MEAN "a load of 32 random words of 4096 takes 3.51 wavefronts in the mean: neither 32 nor 1"
#define OWN "random rows do not matter when each lane stays in a bank of its own"

static const struct bc_rule rules[] = {
	{ .name = "sum_ld32",
	  .source = RULE,
	  .build = sum,
	  .sentence = SUM,
	  .program = program,
	  .check = check,
	  .request = request },
	{ .name = "mean_ld32",
	  .source = RULE,
	  .build = mean,
	  .sentence = MEAN,
	  .program = program,
	  .check = check,
	  .request = request },
	{ .name = "own_bank_ld32",
	  .source = RULE,
	  .build = own_bank,
	  .sentence = OWN,
	  .program = program,
	  .check = check,
	  .request = request },
};

const struct bc_suite bc_suite_random = {
	.name = "random",
	.about = "loads of 32 random words of 4096, many requests in a launch",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
