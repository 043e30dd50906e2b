/* SPDX-License-Identifier: MIT */
/* suites/reduction.c - sums by a tree in shared memory, and histograms with the bins of a block in shared memory. */
#include "suites/patterns.h"
#include "suites/programs.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define STEP_THREADS 256
#define BINS 64
#define ITEMS 1024
#define ITEM_THREADS 128

enum kind { STRIDED, MODULO, SEQUENTIAL, HISTOGRAM };

/* arg[]: what a case needs to know of itself. STEP: the distance of a pair when one step is run alone, 0: the whole
 * tree; histograms: which of the distributions. */
enum { KIND, THREADS, STEP, STORES };

/* Pairs of a step: the first element of the i-th is i, or 2 s i; modulo: the thread's own number. */
static uint32_t pairs_of(const struct bc_case *c, uint32_t s)
{
	return (uint32_t)c->arg[THREADS] / (2 * s);
}

static bool pair_at(const struct bc_case *c, uint32_t s, uint32_t tid, uint32_t *index)
{
	switch ((enum kind)c->arg[KIND]) {
	case STRIDED: *index = 2 * s * tid; return tid < pairs_of(c, s);
	case MODULO: *index = tid; return tid % (2 * s) == 0;
	case SEQUENTIAL: *index = tid; return tid < s;
	case HISTOGRAM: break;
	}
	return false;
}

/* Number of pairs in a step of a tree. */
static uint32_t step_pairs(const struct bc_case *c, uint32_t s)
{
	return c->arg[KIND] == SEQUENTIAL ? s : pairs_of(c, s);
}

/* The *k-th warp and step in which a lane has a pair. False: there are not that many, and *k is less by their number.
 */
static bool find_active_warp(const struct bc_case *c, uint64_t *k, uint32_t *step, uint32_t *warp)
{
	const uint32_t threads = (uint32_t)c->arg[THREADS], only = (uint32_t)c->arg[STEP];

	for (uint32_t s = only ? only : 1; s < threads && (!only || s == only); s *= 2) {
		for (uint32_t w = 0; w < threads / BC_LANES; w++) {
			bool active = false;
			uint32_t index;

			for (uint32_t l = 0; !active && l < BC_LANES; l++)
				active = pair_at(c, s, w * BC_LANES + l, &index);
			if (active && *k == 0) {
				*step = s;
				*warp = w;
				return true;
			}
			*k -= active;
		}
	}
	return false;
}

static uint64_t active_warps(const struct bc_case *c)
{
	uint64_t left = UINT64_MAX;
	uint32_t step, warp;

	(void)find_active_warp(c, &left, &step, &warp);
	return UINT64_MAX - left;
}

static bool active_warp(const struct bc_case *c, uint64_t k, uint32_t *step, uint32_t *warp)
{
	return find_active_warp(c, &k, step, warp);
}

/* One warp of a step: the first words of its pairs (@second: the others). */
static void pair_request(const struct bc_case *c, const struct bc_arch *a, uint32_t s, uint32_t warp, bool second,
			 struct bc_program_request *r)
{
	for (uint32_t l = 0; l < BC_LANES; l++) {
		uint32_t index;

		if (!pair_at(c, s, warp * BC_LANES + l, &index))
			continue;
		r->mask |= UINT32_C(1) << l;
		r->addr[l] = a->window_base + 4 * (index + (second ? s : 0));
	}
}

/* Loads: two per active warp, and one for the result of the whole tree. Stores: one per warp that fills, one per active
 * warp. */
static bool tree_request(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *r)
{
	const uint32_t fills = c->arg[STORES] ? (uint32_t)c->arg[THREADS] / BC_LANES : 0;
	uint32_t step, warp;

	memset(r, 0, sizeof(*r));
	r->op = c->arg[STORES] ? BC_OP_ST32 : BC_OP_LD32;
	if (k < fills) {
		r->mask = UINT32_MAX;
		for (uint32_t l = 0; l < BC_LANES; l++)
			r->addr[l] = a->window_base + 4 * ((uint32_t)k * BC_LANES + l);
		return true;
	}
	k -= fills;
	if (active_warp(c, c->arg[STORES] ? k : k / 2, &step, &warp)) {
		pair_request(c, a, step, warp, !c->arg[STORES] && k % 2, r);
		return true;
	}
	if (c->arg[STORES] || c->arg[STEP] || k > 2 * active_warps(c))
		return false;
	r->mask = 1;
	r->addr[0] = a->window_base;
	return true;
}

static bool tree_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	static const char *const whole[] = { "bc_reduce_strided", "bc_reduce_modulo", "bc_reduce_sequential" };
	static const char *const step[] = { "bc_reduce_strided_step", "bc_reduce_modulo_step",
					    "bc_reduce_sequential_step" };
	const uint32_t threads = (uint32_t)c->arg[THREADS], s = (uint32_t)c->arg[STEP];
	const struct bc_reduce_params p = { .step = s };
	const uint64_t active = active_warps(c);

	(void)a;
	bc_program_start(out, "reduction", s ? step[c->arg[KIND]] : whole[c->arg[KIND]], threads, &p, sizeof(p));
	out->shared_bytes = 4 * threads;
	bc_program_in(out, offsetof(struct bc_reduce_params, in), 4 * (size_t)threads, bc_fill_words);
	bc_program_out(out, offsetof(struct bc_reduce_params, out), 4 * (size_t)(s ? step_pairs(c, s) : 1));
	if (c->arg[KIND] == MODULO && !s)
		return true; /* compiled to predicated accesses: how many a warp without a pair executes is not the
				source's */
	if (c->arg[STORES])
		bc_program_count(out, BC_CLASS_ST, threads / BC_LANES + active);
	else
		bc_program_count(out, BC_CLASS_LD, 2 * active + !s);
	return true;
}

static bool tree_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	const uint32_t *in = data[0], *out = data[1], s = (uint32_t)c->arg[STEP];
	uint32_t sum = 0;

	(void)a;
	(void)seed;
	for (uint32_t i = 0; i < (uint32_t)c->arg[THREADS]; i++)
		sum += in[i];
	if (!s)
		return out[0] == sum || bc_mismatch(bad, "sum", 0, out[0], sum);
	for (uint32_t i = 0; i < step_pairs(c, s); i++) {
		const uint32_t first = c->arg[KIND] == SEQUENTIAL ? i : 2 * s * i;

		if (out[i] != in[first] + in[first + s])
			return bc_mismatch(bad, "pair", i, out[i], in[first] + in[first + s]);
	}
	return true;
}

/* One step of 256 threads, by its distance. */
static bool steps_of(unsigned i, struct bc_case *c, enum kind kind)
{
	const int s = i < 8 ? 1 << i : 0;

	if (!s)
		return false;
	c->arg[KIND] = (int32_t)kind;
	c->arg[THREADS] = STEP_THREADS;
	c->arg[STEP] = s;
	c->shared_bytes = 4 * STEP_THREADS;
	bc_variant_add_int(c, s);
	if (kind == STRIDED && s < STEP_THREADS / 2)
		bc_twin_set(c, NULL, "128");
	return true;
}

static bool strided_step(unsigned i, struct bc_case *c)
{
	return steps_of(i, c, STRIDED);
}

static bool modulo_step(unsigned i, struct bc_case *c)
{
	return steps_of(i, c, MODULO);
}

static bool sequential_step(unsigned i, struct bc_case *c)
{
	return steps_of(i, c, SEQUENTIAL);
}

/* The whole tree, by its threads. */
static bool whole(unsigned i, struct bc_case *c, enum kind kind, bool stores)
{
	static const int16_t threads[] = { 32, 64, 128, 256, 512, 1024 };

	if (i >= BC_ARRAY_LEN(threads))
		return false;
	c->arg[KIND] = (int32_t)kind;
	c->arg[THREADS] = threads[i];
	c->arg[STORES] = stores;
	c->shared_bytes = 4 * (uint32_t)threads[i];
	bc_variant_add_int(c, threads[i]);
	if (kind == STRIDED && threads[i] > BC_LANES) /* a tree of one warp is clean */
		bc_twin_set(c, stores ? "sequential_st" : "sequential_ld", c->variant);
	return true;
}

static bool strided_ld(unsigned i, struct bc_case *c)
{
	return whole(i, c, STRIDED, false);
}

static bool strided_st(unsigned i, struct bc_case *c)
{
	return whole(i, c, STRIDED, true);
}

static bool sequential_ld(unsigned i, struct bc_case *c)
{
	return whole(i, c, SEQUENTIAL, false);
}

static bool sequential_st(unsigned i, struct bc_case *c)
{
	return whole(i, c, SEQUENTIAL, true);
}

static bool modulo(unsigned i, struct bc_case *c)
{
	return whole(i, c, MODULO, false);
}

/* Which bin item @i falls into. */
enum spread { ONE_BIN, OWN_BIN, PAIRS, TWO_OF_A_BANK, RANDOM };

static uint32_t bin_of(const struct bc_case *c, uint32_t i)
{
	const uint32_t lane = i % BC_LANES;

	switch ((enum spread)c->arg[STEP]) {
	case ONE_BIN: return 5;
	case OWN_BIN: return lane;
	case PAIRS: return lane / 2;
	case TWO_OF_A_BANK: return lane % 16 + lane / 16 * 32;
	case RANDOM: break;
	}
	return bc_mix32(i) % BINS;
}

/* The seed moves all bins to other banks, in the same way: who meets whom stays. */
static void fill_items(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	uint32_t *item = data;

	for (uint32_t i = 0; i < bytes / 4; i++)
		item[i] = bin_of(c, i) ^ (seed >> 16) % BC_LANES;
}

static bool histogram_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_reduce_params p = { .step = BINS, .items = ITEMS };

	(void)c;
	(void)a;
	bc_program_start(out, "reduction", "bc_reduce_histogram", ITEM_THREADS, &p, sizeof(p));
	out->shared_bytes = 4 * BINS;
	bc_program_in(out, offsetof(struct bc_reduce_params, in), 4 * ITEMS, fill_items);
	bc_program_out(out, offsetof(struct bc_reduce_params, out), 4 * BINS);
	bc_program_count(out, BC_CLASS_ATOM, ITEMS / BC_LANES);
	out->mnemonic = "ATOMS.POPC.INC";
	return true;
}

static bool histogram_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			    struct bc_mismatch *bad)
{
	const uint32_t *item = data[0], *out = data[1];
	uint32_t count[BINS] = { 0 };

	(void)c;
	(void)a;
	(void)seed;
	for (uint32_t i = 0; i < ITEMS; i++)
		count[item[i] % BINS]++;
	for (uint32_t b = 0; b < BINS; b++)
		if (out[b] != count[b])
			return bc_mismatch(bad, "bin", b, out[b], count[b]);
	return true;
}

static bool histogram_request(const struct bc_case *c, const struct bc_arch *a, uint64_t k,
			      struct bc_program_request *r)
{
	memset(r, 0, sizeof(*r));
	if (k >= ITEMS / BC_LANES)
		return false;
	r->op = BC_OP_RED32;
	r->mask = UINT32_MAX;
	for (uint32_t l = 0; l < BC_LANES; l++)
		r->addr[l] = a->window_base + 4 * bin_of(c, (uint32_t)k * BC_LANES + l);
	return true;
}

static bool histogram(unsigned i, struct bc_case *c)
{
	static const char *const names[] = { "one_bin", "own_bin", "pairs", "two_of_a_bank", "random" };

	if (i >= BC_ARRAY_LEN(names))
		return false;
	c->arg[KIND] = HISTOGRAM;
	c->arg[THREADS] = ITEM_THREADS;
	c->arg[STEP] = (int32_t)i;
	c->shared_bytes = 4 * BINS;
	c->needs = BC_NEED_CODE | BC_NEED_POPC_INC;
	bc_variant_add(c, names[i]);
	if (i == TWO_OF_A_BANK || i == RANDOM)
		bc_twin_set(c, NULL, "own_bin");
	return true;
}

#define HARRIS "M. Harris, Optimizing Parallel Reduction in CUDA: kernels 1, 2 and 3"
#define PRIVATISED "CUDA C++ Best Practices Guide, shared memory; docs/bank-laws.md, law 8"

#define TREE(rule_name, make, text)                                                                            \
	{                                                                                                      \
		.name = rule_name, .source = HARRIS, .sentence = text, .build = make, .program = tree_program, \
		.check = tree_check, .request = tree_request                                                   \
	}

static const struct bc_rule rules[] = {
	TREE("strided_step", strided_step,
	     "the step at distance s of 256 threads with index 2 s tid is min(2 s, 8, 256 / 2 s)-way"),
	TREE("modulo_step", modulo_step, "a step with tid % (2 s) is divergent, but free of conflicts"),
	TREE("sequential_step", sequential_step, "a step with sequential addressing is free of conflicts"),
	TREE("strided_ld", strided_ld, "the loads of a whole tree with index 2 s tid conflict"),
	TREE("strided_st", strided_st, "the stores of a whole tree with index 2 s tid conflict"),
	TREE("sequential_ld", sequential_ld,
	     "the loads of a whole tree with sequential addressing are free of conflicts"),
	TREE("sequential_st", sequential_st,
	     "the stores of a whole tree with sequential addressing are free of conflicts"),
	{ .name = "modulo",
	  .source = HARRIS,
	  .build = modulo,
	  .program = tree_program,
	  .check = tree_check,
	  .sentence = "a whole tree with tid % (2 s) gives the same sum" },
	{ .name = "histogram",
	  .source = PRIVATISED,
	  .build = histogram,
	  .program = histogram_program,
	  .check = histogram_check,
	  .request = histogram_request,
	  .sentence = "atomicAdd of 1 to the bins of a block merges the lanes of one bin: it is served as a store" },
};

const struct bc_suite bc_suite_reduction = {
	.name = "reduction",
	.about = "tree reductions with three ways of addressing, and a histogram in shared memory",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
