/* SPDX-License-Identifier: MIT */
/* suites/declare.c - shared memory as it is declared: static, dynamic, private to a block, and its limits. */
#include "suites/declare_device.h"
#include "suites/declare_kernel.h"
#include "suites/patterns.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define PLAIN (48 * BC_KB) /* without opt-in */
#define THREADS 128u
#define BLOCK_THREADS 64u
#define ROUNDS 8u

/* A thread's sum over the words that it reads of a filled array: word count - 1 - i has weight i + 1. */
static uint32_t sum_backwards(uint32_t thread, uint32_t count, uint32_t seed)
{
	uint32_t sum = 0;

	for (uint32_t i = thread; i < count; i += THREADS)
		sum += (i + 1) * bc_fill_word(4 * (count - 1 - i), seed);
	return sum;
}

/* ---- static ---- */

static const struct {
	const char *name, *kernel;
	uint32_t bytes;
} statics[] = {
	{ "4", "bc_declare_static_4", 4 },
	{ "1k", "bc_declare_static_1k", BC_KB },
	{ "16k", "bc_declare_static_16k", 16 * BC_KB },
	{ "32k", "bc_declare_static_32k", 32 * BC_KB },
	{ "48k", "bc_declare_static_48k", 48 * BC_KB },
};

static bool static_build(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(statics))
		return false;
	c->arg[0] = (int32_t)i;
	c->shared_bytes = statics[i].bytes;
	bc_variant_add(c, statics[i].name);
	return true;
}

static bool static_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_declare_params p = bc_declare_params(0, 0);

	(void)a;
	bc_declare_start(out, statics[c->arg[0]].kernel, THREADS, &p, THREADS);
	return true;
}

static bool static_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			 struct bc_mismatch *bad)
{
	const uint32_t *out = data[0];

	(void)a;
	(void)seed;
	for (uint32_t t = 0; t < THREADS; t++) {
		const uint32_t want = sum_backwards(t, statics[c->arg[0]].bytes / 4, BC_DECLARE_SEED);

		if (out[t] != want)
			return bc_mismatch(bad, "thread", t, out[t], want);
	}
	return true;
}

/* ---- static and dynamic together ---- */

static bool mixed_build(unsigned i, struct bc_case *c)
{
	static const uint8_t kilobytes[] = { 1, 2, 8, 16 };

	if (i >= BC_ARRAY_LEN(kilobytes))
		return false;
	c->arg[0] = kilobytes[i];
	c->shared_bytes = (48u + kilobytes[i]) * BC_KB;
	bc_variant_add(c, "48k_and_");
	bc_variant_add_int(c, kilobytes[i]);
	bc_variant_add(c, "k");
	return true;
}

static bool mixed_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_declare_params p = bc_declare_params((uint32_t)c->arg[0] * BC_KB, 0);

	(void)a;
	bc_declare_start(out, "bc_declare_mixed", THREADS, &p, THREADS);
	return true;
}

static bool mixed_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			struct bc_mismatch *bad)
{
	const uint32_t *out = data[0];

	(void)a;
	(void)seed;
	for (uint32_t t = 0; t < THREADS; t++) {
		const uint32_t want = sum_backwards(t, 48 * BC_KB / 4, BC_DECLARE_SEED) +
				      sum_backwards(t, (uint32_t)c->arg[0] * BC_KB / 4, ~BC_DECLARE_SEED);

		if (out[t] != want)
			return bc_mismatch(bad, "thread", t, out[t], want);
	}
	return true;
}

/* ---- dynamic, by size ---- */

/* arg[0]: bytes, counted from the opt-in limit when arg[1] is set. */
static uint32_t bytes_of(const struct bc_case *c, const struct bc_arch *a)
{
	return (uint32_t)c->arg[0] + (c->arg[1] ? a->optin_bytes : 0);
}

static bool kilobytes_build(unsigned i, struct bc_case *c)
{
	if (i >= 227)
		return false;
	c->arg[0] = (int32_t)((i + 1) * BC_KB);
	c->shared_bytes = (i + 1) * BC_KB;
	bc_variant_add_int(c, (int)i + 1);
	return true;
}

static const struct limit {
	const char *name;
	int32_t bytes;
	bool from_optin;
} limits[] = {
	{ "1_byte", 1, false },	      { "48k_less_1", PLAIN - 1, false },
	{ "48k", PLAIN, false },      { "48k_and_1", PLAIN + 1, false },
	{ "optin_less_1", -1, true }, { "optin", 0, true },
};

static bool limit_build(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(limits))
		return false;
	c->arg[0] = limits[i].bytes;
	c->arg[1] = limits[i].from_optin;
	c->shared_bytes = limits[i].from_optin ? 0 : (uint32_t)limits[i].bytes; /* the limit is there by its name */
	bc_variant_add(c, limits[i].name);
	return true;
}

static bool dynamic_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_declare_params p = bc_declare_params(bytes_of(c, a), 0);

	bc_declare_start(out, "bc_declare_dynamic", THREADS, &p, p.bytes / BC_KB + 1);
	return true;
}

static bool dynamic_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			  struct bc_mismatch *bad)
{
	const uint32_t *out = data[0], n = bytes_of(c, a) / BC_KB;

	(void)seed;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t want = bc_fill_word((n - 1 - i) * BC_KB, BC_DECLARE_SEED);

		if (out[i] != want)
			return bc_mismatch(bad, "kilobyte", n - 1 - i, out[i], want);
	}
	return out[n] == 0xa7 || bc_mismatch(bad, "last byte", bytes_of(c, a) - 1, out[n], 0xa7);
}

static bool whole_build(unsigned i, struct bc_case *c)
{
	if (i >= 2)
		return false;
	c->arg[0] = i ? 0 : PLAIN;
	c->arg[1] = i == 1;
	c->shared_bytes = i ? 0 : PLAIN;
	bc_variant_add(c, i ? "optin" : "48k");
	return true;
}

static bool whole_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_declare_params p = bc_declare_params(bytes_of(c, a), 0);

	bc_declare_start(out, "bc_declare_dynamic_whole", THREADS, &p, THREADS);
	return true;
}

static bool whole_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			struct bc_mismatch *bad)
{
	const uint32_t *out = data[0];

	(void)seed;
	for (uint32_t t = 0; t < THREADS; t++) {
		const uint32_t want = sum_backwards(t, bytes_of(c, a) / 4, BC_DECLARE_SEED);

		if (out[t] != want)
			return bc_mismatch(bad, "thread", t, out[t], want);
	}
	return true;
}

/* ---- launches that must be refused ---- */

static const struct refusal {
	const char *name, *kernel;
	uint32_t bytes, accepted; /* dynamic; counted from the opt-in limit when from_optin */
	bool from_optin, opts_in;
} refusals[] = {
	{ "static_48k_and_1", "bc_declare_mixed", 1, 0, false, false },
	{ "static_48k_and_1k", "bc_declare_mixed", BC_KB, 0, false, false },
	{ "static_48k_and_16k", "bc_declare_mixed", 16 * BC_KB, 0, false, false },
	{ "dynamic_48k_and_1", "bc_declare_dynamic", PLAIN + 1, PLAIN, false, false },
	{ "dynamic_64k", "bc_declare_dynamic", 64 * BC_KB, PLAIN, false, false },
	{ "dynamic_optin", "bc_declare_dynamic", 0, PLAIN, true, false },
	{ "optin_and_1", "bc_declare_dynamic", 1, 0, true, true },
	{ "optin_and_1k", "bc_declare_dynamic", BC_KB, 0, true, true },
};

static bool refused_build(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(refusals))
		return false;
	c->arg[0] = (int32_t)i;
	bc_variant_add(c, refusals[i].name);
	return true;
}

static bool refused_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct refusal *r = &refusals[c->arg[0]];
	const uint32_t accepted = r->opts_in ? a->optin_bytes : r->accepted;
	const struct bc_declare_params p =
		bc_declare_params(accepted, 0); /* the kernel uses no more than it gets when it runs */

	bc_declare_start(out, r->kernel, THREADS, &p, THREADS + accepted / BC_KB + 1);
	out->shared_bytes = r->bytes + (r->from_optin ? a->optin_bytes : 0);
	out->refused = true;
	out->no_optin = !r->opts_in;
	out->accepted_bytes = accepted;
	return true;
}

/* Never asked: a refused launch brings nothing back. */
static bool refused_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			  struct bc_mismatch *bad)
{
	(void)c;
	(void)a;
	(void)data;
	(void)seed;
	return bc_mismatch(bad, "launch", 0, 1, 0);
}

/* ---- several arrays in one buffer ---- */

static bool carve_build(unsigned i, struct bc_case *c)
{
	static const int8_t count[] = { 1, 3, 7, 8, 13, 16, 31, 100 };

	if (i >= BC_ARRAY_LEN(count))
		return false;
	c->arg[0] = count[i];
	c->shared_bytes = (uint32_t)count[i] * (1 + 8 + 16) + 7 + 15; /* and what alignment may skip */
	bc_variant_add_int(c, count[i]);
	return true;
}

static bool carve_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_declare_params p = bc_declare_params(c->shared_bytes, (uint32_t)c->arg[0]);

	(void)a;
	bc_declare_start(out, "bc_declare_carve", THREADS, &p, 6 * (size_t)p.count);
	return true;
}

static bool carve_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			struct bc_mismatch *bad)
{
	const uint32_t *out = data[0], n = (uint32_t)c->arg[0];

	(void)a;
	(void)seed;
	for (uint32_t t = 0; t < n; t++) {
		const uint32_t word = bc_fill_word(4 * (n - 1 - t), BC_DECLARE_SEED);
		const uint32_t want[] = { word & 0xffu, word, word, word + 1, word + 2, word + 3 };

		for (uint32_t k = 0; k < BC_ARRAY_LEN(want); k++)
			if (out[6 * t + k] != want[k])
				return bc_mismatch(bad, "value", 6 * t + k, out[6 * t + k], want[k]);
	}
	return true;
}

/* ---- blocks beside and after one another ---- */

static bool blocks_build(unsigned i, struct bc_case *c)
{
	static const int16_t blocks[] = { 2, 16, 64, 512 };

	if (i >= BC_ARRAY_LEN(blocks))
		return false;
	c->arg[0] = blocks[i];
	c->shared_bytes = 4 * BLOCK_THREADS;
	bc_variant_add_int(c, blocks[i]);
	return true;
}

static bool blocks_program(const struct bc_case *c, const char *kernel, struct bc_program *out)
{
	const struct bc_declare_params p = bc_declare_params(4 * BLOCK_THREADS, ROUNDS);

	bc_declare_start(out, kernel, BLOCK_THREADS, &p, (size_t)c->arg[0] * BLOCK_THREADS);
	out->grid[0] = (uint32_t)c->arg[0];
	return true;
}

static bool private_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	return blocks_program(c, "bc_declare_private", out);
}

static bool reuse_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	return blocks_program(c, "bc_declare_reuse", out);
}

/* No thread found a word of another block. */
static bool private_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			  struct bc_mismatch *bad)
{
	const uint32_t *out = data[0];

	(void)a;
	(void)seed;
	for (uint32_t i = 0; i < (uint32_t)c->arg[0] * BLOCK_THREADS; i++)
		if (out[i] != 0)
			return bc_mismatch(bad, "foreign words of thread", i, out[i], 0);
	return true;
}

/* Thread t: the sum of t + k over the rounds, whatever lay there before. */
static bool reuse_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			struct bc_mismatch *bad)
{
	const uint32_t *out = data[0];

	(void)a;
	(void)seed;
	for (uint32_t i = 0; i < (uint32_t)c->arg[0] * BLOCK_THREADS; i++) {
		const uint32_t want = ROUNDS * (i % BLOCK_THREADS) + ROUNDS * (ROUNDS - 1) / 2;

		if (out[i] != want)
			return bc_mismatch(bad, "thread", i, out[i], want);
	}
	return true;
}

#define GUIDE "CUDA C++ Programming Guide, shared memory and technical specifications by compute capability"

#define RULE(rule_name, what, text)                                                          \
	{                                                                                    \
		.name = rule_name, .source = GUIDE, .sentence = text, .build = what##_build, \
		.program = what##_program, .check = what##_check                             \
	}

static const struct bc_rule rules[] = {
	RULE("static", static, "an array of fixed size up to 48 BC_KB is there whole"),
	RULE("mixed", mixed,
	     "48 BC_KB of static shared memory and dynamic shared memory lie side by side after opt-in"),
	{ .name = "kilobytes",
	  .source = GUIDE,
	  .build = kilobytes_build,
	  .program = dynamic_program,
	  .check = dynamic_check,
	  .sentence = "every size of dynamic shared memory up to the opt-in limit is given, in steps of 1 BC_KB" },
	{ .name = "limit",
	  .source = GUIDE,
	  .build = limit_build,
	  .program = dynamic_program,
	  .check = dynamic_check,
	  .sentence = "dynamic shared memory is given to the byte at its limits of 48 BC_KB and of the opt-in" },
	RULE("whole", whole, "every word of the dynamic shared memory of a block can be used"),
	RULE("refused", refused,
	     "more than 48 BC_KB without opt-in, or than the opt-in limit, is a clean launch error"),
	RULE("carve", carve, "several arrays cut out of one dynamic buffer, each aligned to its elements, do not meet"),
	{ .name = "private",
	  .source = GUIDE,
	  .build = blocks_build,
	  .program = private_program,
	  .check = private_check,
	  .sentence = "shared memory is private to a block" },
	{ .name = "reuse",
	  .source = GUIDE,
	  .build = blocks_build,
	  .program = reuse_program,
	  .check = reuse_check,
	  .sentence =
		  "what earlier blocks left in shared memory plays no part in a kernel that writes before it reads" },
	RULE("geometry", bc_declare_geometry, "window, limits and sizes are those of the compute capability"),
	{ .name = "banks",
	  .source = GUIDE,
	  .build = bc_declare_banks_build,
	  .program = bc_declare_banks_program,
	  .check = bc_declare_banks_check,
	  .request = bc_declare_banks_request,
	  .sentence = "there are 32 banks: words 32 apart share one, words 16 apart alternate" },
	{ .name = "occupancy",
	  .source = GUIDE,
	  .build = bc_declare_occupancy_build,
	  .program = bc_declare_occupancy_program,
	  .check = bc_declare_occupancy_check,
	  .sentence = "padding costs residency: an SM holds sm_bytes / (bytes + reserved) blocks, rounded down" },
	{ .name = "resident",
	  .source = GUIDE,
	  .build = bc_declare_resident_build,
	  .program = bc_declare_resident_program,
	  .check = bc_declare_resident_check,
	  .clock = bc_declare_resident_clock,
	  .sentence = "as many blocks as fit are seen on an SM at one time, and never more" },
};

const struct bc_suite bc_suite_declare = {
	.name = "declare",
	.about = "static and dynamic shared memory, its limits, and the blocks that an SM holds",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
