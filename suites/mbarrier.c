/* SPDX-License-Identifier: MIT */
/* suites/mbarrier.c - mbarrier objects: counting, phases, bytes to come, and the pipeline made of them. */
#include "suites/patterns.h"
#include "suites/programs.h"

#include "kernels/bc_kernel.h"

#define STEPS 9u
#define PIPE_STEPS 13u
#define COUNT_MAX ((1 << 20) - 1)
#define TX_RELEASE 120 /* PTX ISA 8.0 */

/* arg[0]: threads of the block; arg[1]: stages; arg[2]: a count of arrivals or bytes. */
static uint32_t threads_of(const struct bc_case *c)
{
	return (uint32_t)c->arg[0];
}

static void of_block(struct bc_case *c, int threads, uint32_t words)
{
	c->arg[0] = threads;
	c->needs = BC_NEED_MBARRIER;
	c->shared_bytes = 8 * BC_MBARRIER_OBJECTS + 4 * words;
}

static void of_hopper(struct bc_case *c)
{
	c->needs |= BC_NEED_BULK_COPY;
	c->release = TX_RELEASE;
}

static bool some_threads(unsigned i, struct bc_case *c)
{
	static const int threads[] = { 32, 64, 96, 256, 1024 };

	if (i >= BC_ARRAY_LEN(threads))
		return false;
	of_block(c, threads[i], 2 * (uint32_t)threads[i]);
	bc_variant_add_int(c, threads[i]);
	return true;
}

static bool some_threads_sm90(unsigned i, struct bc_case *c)
{
	if (!some_threads(i, c))
		return false;
	of_hopper(c);
	return true;
}

static bool some_counts(unsigned i, struct bc_case *c)
{
	static const int counts[] = { 1, 2, 31, 32, 1024, 65536, COUNT_MAX };

	if (i >= BC_ARRAY_LEN(counts))
		return false;
	of_block(c, 32, 0);
	c->arg[2] = counts[i];
	bc_variant_add_int(c, counts[i]);
	return true;
}

static bool some_bytes(unsigned i, struct bc_case *c)
{
	static const int bytes[] = { 2, 16, 4096, COUNT_MAX };

	if (i >= BC_ARRAY_LEN(bytes))
		return false;
	of_block(c, 32, 0);
	of_hopper(c);
	c->arg[2] = bytes[i];
	bc_variant_add_int(c, bytes[i]);
	return true;
}

static bool some_pipes(unsigned i, struct bc_case *c)
{
	static const struct {
		int stages, consumers;
	} pipes[] = { { 2, 1 }, { 2, 3 }, { 3, 1 }, { 3, 7 }, { 4, 3 }, { 4, 31 } };

	if (i >= BC_ARRAY_LEN(pipes))
		return false;
	of_block(c, 32 * (1 + pipes[i].consumers), 32 * (uint32_t)pipes[i].stages);
	c->arg[1] = pipes[i].stages;
	bc_variant_add_int(c, pipes[i].stages);
	bc_variant_add(c, "_for_");
	bc_variant_add_int(c, pipes[i].consumers);
	return true;
}

static void start(const struct bc_case *c, const char *kernel, uint32_t steps, uint32_t count, size_t in_words,
		  size_t out_words, struct bc_program *out)
{
	const struct bc_mbarrier_params p = { .steps = steps, .stages = (uint32_t)c->arg[1], .count = count };

	bc_program_start(out, "mbarrier", kernel, threads_of(c), &p, sizeof(p));
	out->shared_bytes = c->shared_bytes;
	if (in_words)
		bc_program_in(out, offsetof(struct bc_mbarrier_params, in), 4 * in_words, bc_fill_words);
	bc_program_out(out, offsetof(struct bc_mbarrier_params, out), 4 * out_words);
}

static bool answers(const uint32_t *got, const char *what, uint32_t first, uint32_t n, uint32_t want,
		    struct bc_mismatch *bad)
{
	for (uint32_t i = 0; i < n; i++)
		if (got[first + i] != want)
			return bc_mismatch(bad, what, i, got[first + i], want);
	return true;
}

/* ---- count ---- */

static bool count_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_mbarrier_count", 0, 0, 0, 2 * (size_t)threads_of(c) + 1, out);
	return true;
}

/* The arrivals come in some order, one by one or several at once (an H200 takes those of a warp together): each is told
 * what was pending before its group. So those who see the most take as many away, and the next see what is left. */
static bool in_groups(const uint32_t *seen, uint32_t n, uint32_t stride, struct bc_mismatch *bad)
{
	uint32_t times[1025] = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t v = seen[i * stride];

		if (v == 0 || v > n)
			return bc_mismatch(bad, "pending arrivals, as told to thread", i * stride, v, n);
		times[v]++;
	}
	for (uint32_t left = n; left > 0; left -= times[left])
		if (times[left] == 0 || times[left] > left)
			return bc_mismatch(bad, "arrivals that are told of so many pending:", left, times[left], 1);
	return true;
}

static bool count_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			struct bc_mismatch *bad)
{
	const uint32_t *out = data[0], n = threads_of(c);

	(void)a;
	(void)seed;
	return in_groups(out, n, 1, bad) && answers(out, "first answer", 2 * n, 1, 2, bad) &&
	       answers(out, "answer of thread", n, n, 3, bad);
}

/* ---- limits ---- */

static bool limits_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_mbarrier_limits", 0, (uint32_t)c->arg[2], 0, 5, out);
	return true;
}

static bool limits_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			 struct bc_mismatch *bad)
{
	const uint32_t *out = data[0], count = (uint32_t)c->arg[2], want[] = { count, 0, 1, 1, 1 };

	(void)a;
	(void)seed;
	for (uint32_t i = count > 1 ? 0 : 2; i < BC_ARRAY_LEN(want); i++)
		if (out[i] != want[i])
			return bc_mismatch(bad, "answer", i, out[i], want[i]);
	return true;
}

/* ---- noComplete, and a count given ---- */

static bool last_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const uint32_t n = threads_of(c);
	uint32_t sum = 0;

	(void)a;
	for (uint32_t t = 0; t < n; t++)
		sum += t % 4 + 1;
	start(c, c->release ? "bc_mbarrier_times" : "bc_mbarrier_no_complete", 0, sum, 0, 2 * (size_t)n, out);
	return true;
}

static bool last_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	const uint32_t *out = data[0], n = threads_of(c);

	(void)a;
	(void)seed;
	return answers(out, "answer before the last arrival, to thread", 0, n, 0, bad) &&
	       answers(out, "answer after it, to thread", n, n, 1, bad);
}

/* ---- drop ---- */

static bool drop_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_mbarrier_drop", 0, 0, 0, 2 * (size_t)threads_of(c), out);
	return true;
}

static bool drop_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	const uint32_t *out = data[0], n = threads_of(c);

	(void)a;
	(void)seed;
	for (uint32_t t = 1; t < n; t += 2)
		if (out[t])
			return bc_mismatch(bad, "thread", t, out[t], 0);
	return in_groups(out, n / 2, 2, bad) && answers(out, "answer of thread", n, n, 2, bad);
}

/* ---- phases ---- */

static bool phases_of(const struct bc_case *c, const char *kernel, struct bc_program *out)
{
	const size_t words = (size_t)STEPS * threads_of(c);

	start(c, kernel, STEPS, 0, words, words, out);
	return true;
}

static bool state_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	return phases_of(c, "bc_mbarrier_phases", out);
}

static bool parity_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	return phases_of(c, "bc_mbarrier_parity", out);
}

static bool try_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	return phases_of(c, "bc_mbarrier_try", out);
}

static bool phases_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			 struct bc_mismatch *bad)
{
	const uint32_t *in = data[0], *out = data[1], n = threads_of(c);

	(void)a;
	(void)seed;
	for (uint32_t i = 0; i < STEPS * n; i++) {
		const uint32_t want = in[i / n * n + n - 1 - i % n];

		if (out[i] != want)
			return bc_mismatch(bad, "word", i, out[i], want);
	}
	return true;
}

/* ---- bytes ---- */

static bool tx_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_mbarrier_tx", 0, (uint32_t)c->arg[2], 0, 7, out);
	return true;
}

static bool tx_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		     struct bc_mismatch *bad)
{
	static const uint32_t want[] = { 0, 0, 1, 0, 1, 0, 1 };
	const uint32_t *out = data[0];

	(void)c;
	(void)a;
	(void)seed;
	for (uint32_t i = 0; i < BC_ARRAY_LEN(want); i++)
		if (out[i] != want[i])
			return bc_mismatch(bad, "answer", i, out[i], want[i]);
	return true;
}

/* ---- the pipeline ---- */

static bool pipe_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const size_t consumers = threads_of(c) / BC_LANES - 1;

	(void)a;
	start(c, "bc_mbarrier_pipe", PIPE_STEPS, 0, PIPE_STEPS * BC_LANES, consumers * PIPE_STEPS * BC_LANES, out);
	return true;
}

static bool pipe_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	const uint32_t *in = data[0], *out = data[1], words = PIPE_STEPS * BC_LANES;
	const uint32_t consumers = threads_of(c) / BC_LANES - 1;

	(void)a;
	(void)seed;
	for (uint32_t i = 0; i < consumers * words; i++) {
		const uint32_t k = i % words, want = in[k / BC_LANES * BC_LANES + BC_LANES - 1 - k % BC_LANES];

		if (out[i] != want)
			return bc_mismatch(bad, "word", i, out[i], want);
	}
	return true;
}

#define ISA "PTX ISA, parallel synchronization and communication instructions: mbarrier"

static const struct bc_rule rules[] = {
	{ .name = "count",
	  .source = ISA,
	  .build = some_threads,
	  .program = count_program,
	  .check = count_check,
	  .sentence = "each arrival takes one from what is pending and is told how much that was before it, or before "
		      "the arrivals served with it; the last ends the phase, and the phase before the first counts as "
		      "ended" },
	{ .name = "limits",
	  .source = ISA,
	  .build = some_counts,
	  .program = limits_program,
	  .check = limits_check,
	  .sentence = "an mbarrier counts from 1 to 1048575 arrivals, and after mbarrier.inval its place can be used "
		      "again" },
	{ .name = "no_complete",
	  .source = ISA,
	  .build = some_threads,
	  .program = last_program,
	  .check = last_check,
	  .sentence = "arrivals with .noComplete count, and leave the end of the phase to another" },
	{ .name = "drop",
	  .source = ISA,
	  .build = some_threads,
	  .program = drop_program,
	  .check = drop_check,
	  .sentence = "who arrives by arrive_drop counts for this phase and is not waited for in the next" },
	{ .name = "state",
	  .source = ISA,
	  .build = some_threads,
	  .program = state_program,
	  .check = phases_check,
	  .sentence =
		  "who waits for the state of its own arrival sees what all stored before theirs, phase after phase" },
	{ .name = "parity",
	  .source = ISA,
	  .build = some_threads,
	  .program = parity_program,
	  .check = phases_check,
	  .sentence = "waiting by the parity of the phase does the same, without a state" },
	{ .name = "try_wait",
	  .source = ISA,
	  .build = some_threads_sm90,
	  .program = try_program,
	  .check = phases_check,
	  .sentence = "mbarrier.try_wait may come back before the phase has ended, and asked again it says so when it "
		      "has" },
	{ .name = "times",
	  .source = ISA,
	  .build = some_threads_sm90,
	  .program = last_program,
	  .check = last_check,
	  .sentence = "a thread can arrive several times at once" },
	{ .name = "bytes",
	  .source = ISA,
	  .build = some_bytes,
	  .program = tx_program,
	  .check = tx_check,
	  .sentence =
		  "a phase that expects bytes ends when all have come, in whatever order arrivals, expectations and "
		  "bytes come" },
	{ .name = "pipe",
	  .source = "CUDA C++ Programming Guide, asynchronous barriers: producer and consumer",
	  .build = some_pipes,
	  .program = pipe_program,
	  .check = pipe_check,
	  .sentence =
		  "a producer and its consumers pass tiles through 2 to 4 stages, a full and an empty mbarrier each" },
};

const struct bc_suite bc_suite_mbarrier = {
	.name = "mbarrier",
	.about = "mbarrier objects: arrivals, phases, bytes to come, and pipelines of them",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
