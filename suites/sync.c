/* SPDX-License-Identifier: MIT */
/* suites/sync.c - barriers order shared memory: of a block, of some of its warps, of one warp. */
#include "suites/patterns.h"
#include "suites/programs.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define PIPE_STEPS 6u
#define VOTE_STEPS 6u
#define COST_STEPS 16u
#define WARP_STEPS 5u
#define THREADS_MAX 1024

/* arg[0]: threads of the block. */
static uint32_t threads_of(const struct bc_case *c)
{
	return (uint32_t)c->arg[0];
}

static bool by_threads(unsigned i, struct bc_case *c, const int16_t *threads, size_t n)
{
	if (i >= n)
		return false;
	c->arg[0] = threads[i];
	c->shared_bytes = 4 * (uint32_t)threads[i];
	bc_variant_add_int(c, threads[i]);
	return true;
}

static bool some_threads(unsigned i, struct bc_case *c)
{
	static const int16_t threads[] = { 32, 64, 96, 128, 256, 512, 1024 };

	return by_threads(i, c, threads, BC_ARRAY_LEN(threads));
}

static bool even_warps(unsigned i, struct bc_case *c)
{
	static const int16_t threads[] = { 64, 128, 192, 256, 512, 1024 };

	return by_threads(i, c, threads, BC_ARRAY_LEN(threads));
}

static bool timed_threads(unsigned i, struct bc_case *c)
{
	static const int16_t threads[] = { 64, 128, 256, 512, 1024 };

	c->needs = BC_NEED_CLOCK | BC_NEED_HARDWARE_CLOCK;
	return by_threads(i, c, threads, BC_ARRAY_LEN(threads));
}

/* What all have in common. @rows: of n words each, what goes in and comes out, in halves of a block for the pipe. */
static void start(const struct bc_case *c, const char *kernel, uint32_t steps, size_t in_words, size_t out_words,
		  bc_fill_fn *fill, struct bc_program *out)
{
	const struct bc_sync_params p = { .steps = steps };

	bc_program_start(out, "sync", kernel, threads_of(c), &p, sizeof(p));
	out->shared_bytes = c->shared_bytes;
	bc_program_in(out, offsetof(struct bc_sync_params, in), 4 * in_words, fill);
	bc_program_out(out, offsetof(struct bc_sync_params, out), 4 * out_words);
}

static bool compare(const uint32_t *got, const uint32_t *want, uint32_t first, uint32_t n, struct bc_mismatch *bad)
{
	for (uint32_t i = 0; i < n; i++)
		if (got[first + i] != want[i])
			return bc_mismatch(bad, "word", first + i, got[first + i], want[i]);
	return true;
}

/* ---- reverse ---- */

static bool reverse_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_sync_reverse", 0, threads_of(c), threads_of(c), bc_fill_words, out);
	bc_program_count(out, BC_CLASS_LD, threads_of(c) / BC_LANES);
	return true;
}

static bool reverse_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			  struct bc_mismatch *bad)
{
	const uint32_t *in = data[0], *out = data[1], n = threads_of(c);

	(void)a;
	(void)seed;
	for (uint32_t t = 0; t < n; t++)
		if (out[t] != in[n - 1 - t])
			return bc_mismatch(bad, "thread", t, out[t], in[n - 1 - t]);
	return true;
}

static bool reverse_request(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *r)
{
	const uint32_t n = threads_of(c);

	if (k >= n / BC_LANES)
		return false;
	*r = (struct bc_program_request){ .op = BC_OP_LD32, .mask = UINT32_MAX };
	for (uint32_t l = 0; l < BC_LANES; l++)
		r->addr[l] = a->window_base + 4 * (n - 1 - ((uint32_t)k * BC_LANES + l));
	return true;
}

/* ---- producers and consumers ---- */

static bool pipe_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const size_t words = (size_t)PIPE_STEPS * threads_of(c) / 2;

	(void)a;
	start(c, "bc_sync_pipe", PIPE_STEPS, words, words, bc_fill_words, out);
	bc_program_count(out, BC_CLASS_LD, words / BC_LANES);
	return true;
}

/* The consumers' loads: step by step, each a half of the buffer backwards. */
static bool pipe_request(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *r)
{
	const uint32_t half = threads_of(c) / 2, warps = half / BC_LANES;
	const uint32_t step = (uint32_t)k / warps, warp = (uint32_t)k % warps;

	if (step >= PIPE_STEPS)
		return false;
	*r = (struct bc_program_request){ .op = BC_OP_LD32, .mask = UINT32_MAX };
	for (uint32_t l = 0; l < BC_LANES; l++)
		r->addr[l] = a->window_base + 4 * (step % 2 * half + half - 1 - (warp * BC_LANES + l));
	return true;
}

static bool pipe_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	const uint32_t *in = data[0], *out = data[1], half = threads_of(c) / 2;

	(void)a;
	(void)seed;
	for (uint32_t i = 0; i < PIPE_STEPS * half; i++) {
		const uint32_t want = in[i / half * half + half - 1 - i % half];

		if (out[i] != want)
			return bc_mismatch(bad, "word", i, out[i], want);
	}
	return true;
}

/* ---- inside a warp ---- */

static bool warp_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_sync_warp", 0, threads_of(c), threads_of(c), bc_fill_words, out);
	bc_program_count(out, BC_CLASS_LD, WARP_STEPS * threads_of(c) / BC_LANES);
	return true;
}

/* Every lane has the sum of its warp. */
static bool warp_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	const uint32_t *in = data[0], *out = data[1];

	(void)a;
	(void)seed;
	for (uint32_t t = 0; t < threads_of(c); t++) {
		uint32_t sum = 0;

		for (uint32_t l = 0; l < BC_LANES; l++)
			sum += in[t / BC_LANES * BC_LANES + l];
		if (out[t] != sum)
			return bc_mismatch(bad, "thread", t, out[t], sum);
	}
	return true;
}

static bool warp_request(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *r)
{
	const uint32_t warp = (uint32_t)k / WARP_STEPS, x = 16u >> k % WARP_STEPS;

	if (warp >= threads_of(c) / BC_LANES)
		return false;
	*r = (struct bc_program_request){ .op = BC_OP_LD32, .mask = UINT32_MAX };
	for (uint32_t l = 0; l < BC_LANES; l++)
		r->addr[l] = a->window_base + 4 * ((warp * BC_LANES + l) ^ x);
	return true;
}

/* ---- votes ---- */

/* Step 0: no thread; 1: all; 2: one; 3: all but one; 4: one warp; then at random. */
static void fill_votes(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	uint32_t *in = data;
	const uint32_t n = threads_of(c), one = (seed >> 16) % n;

	for (uint32_t i = 0; i < bytes / 4; i++) {
		const uint32_t t = i % n;
		const bool votes[] = { false, true, t == one, t != one, t / BC_LANES == one / BC_LANES };

		in[i] = i / n < BC_ARRAY_LEN(votes) ? votes[i / n] : bc_mix32(i ^ seed) % 2;
	}
}

static bool vote_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const size_t words = (size_t)VOTE_STEPS * threads_of(c);

	(void)a;
	start(c, "bc_sync_vote", VOTE_STEPS, words, words, fill_votes, out);
	return true;
}

static bool vote_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	const uint32_t *in = data[0], *out = data[1], n = threads_of(c);

	(void)a;
	(void)seed;
	for (uint32_t k = 0; k < VOTE_STEPS; k++) {
		uint32_t count = 0, want;

		for (uint32_t t = 0; t < n; t++)
			count += in[k * n + t] != 0;
		want = count | (uint32_t)(count == n) << 16 | (uint32_t)(count > 0) << 17;
		for (uint32_t t = 0; t < n; t++)
			if (out[k * n + t] != want)
				return bc_mismatch(bad, "vote", k * n + t, out[k * n + t], want);
	}
	return true;
}

/* ---- what barriers cost ---- */

static bool cost_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_sync_cost", COST_STEPS, threads_of(c), 2 * (size_t)threads_of(c), bc_fill_words, out);
	bc_program_out(out, offsetof(struct bc_sync_params, cycles), 2 * sizeof(uint32_t));
	return true;
}

static bool cost_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	const uint32_t *in = data[0], *out = data[1], n = threads_of(c);
	uint32_t value[THREADS_MAX], next[THREADS_MAX] = { 0 };

	(void)a;
	(void)seed;
	memcpy(value, in, 4 * (size_t)n);
	for (uint32_t k = 0; k < COST_STEPS; k++) {
		for (uint32_t t = 0; t < n; t++)
			next[t] = value[t] + value[t ^ 1];
		memcpy(value, next, 4 * (size_t)n);
	}
	return compare(out, value, 0, n, bad) && compare(out, value, n, n, bad);
}

static bool cost_clock(const struct bc_case *c, const struct bc_arch *a, void *const *data,
		       struct bc_clock_reading *out)
{
	const uint32_t *cycles = data[2];

	(void)c;
	(void)a;
	if (!cycles[0] || !cycles[1])
		return false;
	*out = (struct bc_clock_reading){ .value = (double)cycles[0] / cycles[1],
					  .samples = { cycles[0], cycles[1] },
					  .n = 2 };
	return true;
}

#define GUIDE "CUDA C++ Programming Guide, synchronization functions"
#define ISA "PTX ISA, bar and barrier: named barriers with a count of threads"

static const struct bc_rule rules[] = {
	{ .name = "reverse",
	  .source = GUIDE,
	  .build = some_threads,
	  .program = reverse_program,
	  .check = reverse_check,
	  .request = reverse_request,
	  .sentence =
		  "after __syncthreads every thread sees what the others stored; reading backwards does not conflict" },
	{ .name = "pipe",
	  .source = ISA,
	  .build = even_warps,
	  .program = pipe_program,
	  .check = pipe_check,
	  .request = pipe_request,
	  .sentence = "producer and consumer warps pass a buffer by bar.arrive and bar.sync on named barriers" },
	{ .name = "warp",
	  .source = GUIDE,
	  .build = some_threads,
	  .program = warp_program,
	  .check = warp_check,
	  .request = warp_request,
	  .sentence = "inside a warp __syncwarp is enough to order shared memory" },
	{ .name = "vote",
	  .source = GUIDE,
	  .build = some_threads,
	  .program = vote_program,
	  .check = vote_check,
	  .sentence = "__syncthreads_count, _and and _or give every thread the block's vote" },
	{ .name = "cost",
	  .source = GUIDE,
	  .build = timed_threads,
	  .program = cost_program,
	  .check = cost_check,
	  .clock = cost_clock,
	  .sentence = "where only lanes of a warp exchange, a barrier of the block in every step costs time" },
};

const struct bc_suite bc_suite_sync = {
	.name = "sync",
	.about = "barriers of a block, of some of its warps and of one warp, and what they cost",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
