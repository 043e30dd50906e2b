/* SPDX-License-Identifier: MIT */
/* suites/meta.c - cases that fail, die, hang, flood and come late, to test the harness itself. Run only when named. */
#include "suites/patterns.h"
#include "suites/programs.h"

#include "kernels/bc_kernel.h"

#define THREADS 32u
#define SPIN_CYCLES (UINT64_C(1) << 36) /* tens of seconds: longer than a case may take, shorter than anybody minds */

enum kernel { SWAP = 0, ILLEGAL, TRAP, SPIN };

static const char *const kernels[] = { "bc_meta_swap", "bc_meta_illegal", "bc_meta_trap", "bc_meta_spin" };

struct variant {
	const char *name;
	enum kernel kernel;
	uint32_t flip;
	enum bc_misbehave misbehave;
	unsigned attempts;     /* that act; 0: all */
	uint32_t shared_bytes; /* 0: what the kernel takes */
	unsigned warps;	       /* of the block; 0: one */
};

/* arg[0]: the kernel; arg[1]: the bits that come out wrong; arg[2]: warps of the block. */
static bool build(const struct variant *v, size_t n, unsigned i, struct bc_case *c)
{
	if (i >= n)
		return false;
	c->arg[0] = (int32_t)v[i].kernel;
	c->arg[1] = (int32_t)v[i].flip;
	c->arg[2] = v[i].warps ? (int32_t)v[i].warps : 1;
	c->misbehave = v[i].misbehave;
	c->misbehave_attempts = v[i].attempts;
	c->shared_bytes = v[i].shared_bytes ? v[i].shared_bytes : 4 * THREADS;
	bc_variant_add(c, v[i].name);
	return true;
}

static bool sound(unsigned i, struct bc_case *c)
{
	static const struct variant v[] = {
		{ .name = "1" },
		{ .name = "2" },
		{ .name = "3" },
		{ .name = "4" },
		{ .name = "late", .misbehave = BC_MISBEHAVE_LATE },
		{ .name = "flood", .misbehave = BC_MISBEHAVE_FLOOD },
	};

	return build(v, BC_ARRAY_LEN(v), i, c);
}

static bool fails(unsigned i, struct bc_case *c)
{
	static const struct variant v[] = {
		{ .name = "data", .flip = 0x10000 },
		{ .name = "ratio" },
		{ .name = "counters", .misbehave = BC_MISBEHAVE_MISCOUNT },
		{ .name = "unjudged" },
		{ .name = "refused", .warps = 64 }, /* more threads than a block may have */
	};

	return build(v, BC_ARRAY_LEN(v), i, c);
}

static bool skips(unsigned i, struct bc_case *c)
{
	static const struct variant v[] = { { .name = "memory", .shared_bytes = 1u << 24 } };

	return build(v, BC_ARRAY_LEN(v), i, c);
}

static bool dies(unsigned i, struct bc_case *c)
{
	static const struct variant v[] = {
		{ .name = "illegal_address", .kernel = ILLEGAL },
		{ .name = "trap", .kernel = TRAP },
		{ .name = "exit_0", .misbehave = BC_MISBEHAVE_EXIT_0 },
		{ .name = "exit_3", .misbehave = BC_MISBEHAVE_EXIT_3 },
		{ .name = "abort", .misbehave = BC_MISBEHAVE_ABORT },
		{ .name = "segv", .misbehave = BC_MISBEHAVE_SEGV },
		{ .name = "kill", .misbehave = BC_MISBEHAVE_KILL },
		{ .name = "nonsense", .misbehave = BC_MISBEHAVE_NONSENSE },
	};

	return build(v, BC_ARRAY_LEN(v), i, c);
}

static bool hangs(unsigned i, struct bc_case *c)
{
	static const struct variant v[] = { { .name = "spin", .kernel = SPIN },
					    { .name = "sleep", .misbehave = BC_MISBEHAVE_SLEEP } };

	return build(v, BC_ARRAY_LEN(v), i, c);
}

static bool once(unsigned i, struct bc_case *c)
{
	static const struct variant v[] = {
		{ .name = "counters", .misbehave = BC_MISBEHAVE_MISCOUNT, .attempts = 1 },
		{ .name = "exit", .misbehave = BC_MISBEHAVE_EXIT_3, .attempts = 1 },
	};

	return build(v, BC_ARRAY_LEN(v), i, c);
}

static bool program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_meta_params p = { .cycles = SPIN_CYCLES, .flip = (uint32_t)c->arg[1] };

	(void)a;
	bc_program_start(out, "meta", kernels[c->arg[0]], THREADS * (uint32_t)c->arg[2], &p, sizeof(p));
	out->shared_bytes = c->shared_bytes;
	bc_program_in(out, offsetof(struct bc_meta_params, in), 4 * THREADS, bc_fill_words);
	bc_program_out(out, offsetof(struct bc_meta_params, out), 4 * THREADS);
	bc_program_count(out, BC_CLASS_LD, 1);
	return true;
}

static bool check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		  struct bc_mismatch *bad)
{
	const uint32_t *in = data[0], *out = data[1];

	(void)c;
	(void)a;
	(void)seed;
	for (uint32_t l = 0; l < THREADS; l++)
		if (out[l] != in[l ^ 1])
			return bc_mismatch(bad, "lane", l, out[l], in[l ^ 1]);
	return true;
}

static bool request(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *r)
{
	(void)c;
	if (k > 0)
		return false;
	*r = (struct bc_program_request){ .op = BC_OP_LD32, .mask = UINT32_MAX };
	for (uint32_t l = 0; l < BC_LANES; l++)
		r->addr[l] = a->window_base + 4 * (l ^ 1);
	return true;
}

#define RULE .source = "docs/running.md", .program = program, .check = check, .request = request

static const struct bc_rule rules[] = {
	{ .name = "sound",
	  .build = sound,
	  RULE,
	  .sentence = "a sound case passes, also when its worker is slow or noisy" },
	{ .name = "fails",
	  .build = fails,
	  RULE,
	  .sentence = "wrong data, wrong counts, a missing expectation and a refused launch are told apart" },
	{ .name = "skips", .build = skips, RULE, .sentence = "a case that needs what no device has is skipped" },
	{ .name = "dies",
	  .build = dies,
	  RULE,
	  .sentence = "a case that takes its worker down is lost, and its neighbours are not" },
	{ .name = "hangs", .build = hangs, RULE, .sentence = "a case that does not end is lost after its time limit" },
	{ .name = "once",
	  .build = once,
	  RULE,
	  .sentence = "a case that goes wrong in its first attempt only is flaky" },
};

const struct bc_suite bc_suite_meta = {
	.name = "meta",
	.about = "cases that misbehave, to test the harness itself",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
	.hidden = true,
};
