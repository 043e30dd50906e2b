/* SPDX-License-Identifier: MIT */
/* suites/clock.c - what wavefronts cost in cycles. Slopes and ratios only: how long an access takes differs by chip. */
#include "suites/patterns.h"
#include "suites/programs.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define WARP_BYTES 4096u
#define ACCESSES ((double)BC_TIMED_ACCESSES)

/* arg[]: what a case needs to know of itself. WAYS and REPS: two each, of the settings. */
enum { WORK, WARPS, WAYS, REPS = WAYS + 2 };

enum work { CHAIN, LD, ST, ADD, CAS, ADD_CAS, WORD_ADD, WORD_ADD_1, LD128, LATENCY };

static const char *const kernels[] = {
	[CHAIN] = "bc_time_chain",
	[LD] = "bc_time_ld",
	[ST] = "bc_time_st",
	[ADD] = "bc_time_add",
	[CAS] = "bc_time_cas",
	[ADD_CAS] = "bc_time_add_cas",
	[WORD_ADD] = "bc_time_word_add",
	[WORD_ADD_1] = "bc_time_word_add_1",
	[LD128] = "bc_time_ld128",
	[LATENCY] = "bc_time_latency",
};

static uint32_t arg(const struct bc_case *c, unsigned k)
{
	return (uint32_t)c->arg[k];
}

/* A case of @warps warps in two settings of n ways, one round of accesses each. */
static void start(struct bc_case *c, enum work work, int warps, int first_ways, int second_ways)
{
	c->arg[WORK] = (int32_t)work;
	c->arg[WARPS] = warps;
	c->arg[WAYS] = first_ways;
	c->arg[WAYS + 1] = second_ways;
	c->arg[REPS] = c->arg[REPS + 1] = 1;
	c->needs = BC_NEED_CLOCK;
	c->shared_bytes = (uint32_t)warps * WARP_BYTES;
}

static bool program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_time_params p = { .ways = { arg(c, WAYS), arg(c, WAYS + 1) },
					  .reps = { arg(c, REPS), arg(c, REPS + 1) } };
	const size_t samples = (size_t)2 * BC_TIME_SAMPLES * arg(c, WARPS) * 2,
		     threads = (size_t)arg(c, WARPS) * BC_LANES;

	(void)a;
	bc_program_start(out, "clock", kernels[c->arg[WORK]], (uint32_t)threads, &p, sizeof(p));
	out->shared_bytes = c->shared_bytes;
	out->multi_writer = c->arg[WORK] == WORD_ADD || c->arg[WORK] == WORD_ADD_1; /* all lanes clear the one word */
	if (c->needs & BC_NEED_CODE)
		out->mnemonic = "ATOMS.POPC.INC";
	bc_program_out(out, offsetof(struct bc_time_params, samples), samples * sizeof(uint32_t));
	bc_program_out(out, offsetof(struct bc_time_params, out), 2 * threads * sizeof(uint32_t));
	return true;
}

/* What a lane's accesses in a setting came to. */
static uint32_t result_of(const struct bc_case *c, unsigned setting, uint32_t lane)
{
	const uint32_t n = BC_TIMED_ACCESSES, reps = arg(c, REPS + setting), ways = arg(c, WAYS + setting);
	const bool together = setting == 1 && lane < ways; /* on one word */

	switch ((enum work)c->arg[WORK]) {
	case CHAIN: return 0; /* each load brought the address it was loaded from */
	case LD: return n * lane;
	case ST: return lane + n - 1;
	case ADD: return (lane + 1) * (n * (n - 1) / 2);
	case CAS: return n * (n - 1) / 2;
	case ADD_CAS: return (setting ? 1 : lane + 1) * (n * (n - 1) / 2);
	case WORD_ADD: return n * (together ? ways * (ways + 1) / 2 : lane + 1);
	case WORD_ADD_1: return n * (together ? ways : 1);
	case LD128: return reps * n * (lane ^ (lane + 1) ^ (lane + 2) ^ (lane + 3));
	case LATENCY: break;
	}
	return 0;
}

static bool check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		  struct bc_mismatch *bad)
{
	const uint32_t *out = data[1], threads = arg(c, WARPS) * BC_LANES;

	(void)a;
	(void)seed;
	if (c->arg[WORK] == LATENCY) /* both chains ended where they began */
		return (out[2] == 0 && out[3] == 0) || bc_mismatch(bad, "chain", out[2] == 0, out[2] | out[3], 0);
	for (uint32_t i = 0; i < 2 * threads; i++) {
		const uint32_t want = result_of(c, i / threads, i % BC_LANES);

		if (out[i] != want)
			return bc_mismatch(bad, "value", i, out[i], want);
	}
	return true;
}

/* Cycles of each run, from the first warp's start to the last warp's end. Return: the median of the setting's runs. */
static double cycles_of(const struct bc_case *c, unsigned setting, const uint32_t *samples,
			struct bc_clock_reading *out)
{
	const uint32_t warps = arg(c, WARPS);
	uint32_t sorted[BC_TIME_SAMPLES] = { 0 };
	const unsigned middle = BC_TIME_SAMPLES / 2;

	for (unsigned run = 0; run < BC_TIME_SAMPLES; run++) {
		const uint32_t *at = samples + (size_t)(setting * BC_TIME_SAMPLES + run) * warps * 2;
		int32_t first = 0, last = 0;
		unsigned k = run;

		for (uint32_t w = 0; w < warps;
		     w++) { /* as distances from the first warp's start, whatever wraps around */
			const int32_t before = (int32_t)(at[2 * w] - at[0]), after = (int32_t)(at[2 * w + 1] - at[0]);

			first = before < first ? before : first;
			last = after > last ? after : last;
		}
		out->samples[out->n++] = (uint32_t)(last - first);
		for (; k > 0 && sorted[k - 1] > (uint32_t)(last - first); k--)
			sorted[k] = sorted[k - 1];
		sorted[k] = (uint32_t)(last - first);
	}
	return ((double)sorted[middle - 1] + sorted[middle]) / 2;
}

static bool settings(const struct bc_case *c, void *const *data, double cycles[2], struct bc_clock_reading *out)
{
	*out = (struct bc_clock_reading){ .value = 0 };
	for (unsigned s = 0; s < 2; s++)
		cycles[s] = cycles_of(c, s, data[0], out);
	return cycles[0] > 0 && cycles[1] > 0;
}

/* Cycles for each further wavefront of one access. */
static bool slope(const struct bc_case *c, const struct bc_arch *a, void *const *data, struct bc_clock_reading *out)
{
	const double more = (c->arg[WAYS + 1] - c->arg[WAYS]) * ACCESSES * c->arg[WARPS];
	double cycles[2];

	(void)a;
	if (!settings(c, data, cycles, out))
		return false;
	out->value = (cycles[1] - cycles[0]) / more;
	return true;
}

static bool ratio(const struct bc_case *c, const struct bc_arch *a, void *const *data, struct bc_clock_reading *out)
{
	double cycles[2];

	(void)a;
	if (!settings(c, data, cycles, out))
		return false;
	out->value = cycles[1] / cycles[0];
	return true;
}

/* Bytes that the second setting loads more, a cycle that it takes more. */
static bool bytes_per_clock(const struct bc_case *c, const struct bc_arch *a, void *const *data,
			    struct bc_clock_reading *out)
{
	const double more = (c->arg[REPS + 1] - c->arg[REPS]) * ACCESSES * c->arg[WARPS] * BC_LANES * 16;
	double cycles[2];

	(void)a;
	if (!settings(c, data, cycles, out) || cycles[1] <= cycles[0])
		return false;
	out->value = more / (cycles[1] - cycles[0]);
	return true;
}

static bool chain_build(unsigned i, struct bc_case *c)
{
	static const int8_t ways[] = { 2, 3, 4, 5, 7, 8, 12, 16, 24, 31, 32 };

	if (i >= BC_ARRAY_LEN(ways))
		return false;
	start(c, CHAIN, 1, 1, ways[i]);
	bc_variant_add_int(c, ways[i]);
	return true;
}

/* A burst that is n-way against one that is 32-way. */
static bool burst(unsigned i, struct bc_case *c, enum work work, int warps)
{
	static const int8_t ways[] = { 4, 8, 16 };

	if (i >= BC_ARRAY_LEN(ways))
		return false;
	start(c, work, warps, ways[i], BC_LANES);
	bc_variant_add_int(c, ways[i]);
	return true;
}

static bool one_warp_ld(unsigned i, struct bc_case *c)
{
	return burst(i, c, LD, 1);
}

static bool one_warp_st(unsigned i, struct bc_case *c)
{
	return burst(i, c, ST, 1);
}

static bool four_warps_ld(unsigned i, struct bc_case *c)
{
	return burst(i, c, LD, 4);
}

static bool four_warps_st(unsigned i, struct bc_case *c)
{
	return burst(i, c, ST, 4);
}

static bool one_warp_add(unsigned i, struct bc_case *c)
{
	return burst(i, c, ADD, 1);
}

static bool one_warp_cas(unsigned i, struct bc_case *c)
{
	return burst(i, c, CAS, 1);
}

static bool cas_over_add(unsigned i, struct bc_case *c)
{
	static const int8_t ways[] = { 8, 16, 32 };

	if (i >= BC_ARRAY_LEN(ways))
		return false;
	start(c, ADD_CAS, 1, ways[i], ways[i]);
	bc_variant_add_int(c, ways[i]);
	return true;
}

/* n lanes on n words of one bank against n lanes on one word. */
static bool one_word(unsigned i, struct bc_case *c, enum work work)
{
	static const int8_t ways[] = { 8, 16, 32 };

	if (i >= BC_ARRAY_LEN(ways))
		return false;
	start(c, work, 1, ways[i], ways[i]);
	bc_variant_add_int(c, ways[i]);
	return true;
}

static bool one_word_add(unsigned i, struct bc_case *c)
{
	return one_word(i, c, WORD_ADD);
}

static bool one_word_add_1(unsigned i, struct bc_case *c)
{
	const bool built = one_word(i, c, WORD_ADD_1);

	c->needs |= BC_NEED_CODE | BC_NEED_POPC_INC;
	return built;
}

static bool bandwidth_build(unsigned i, struct bc_case *c)
{
	static const int8_t warps[] = { 4, 8, 12 }; /* 48 KB: no opt-in */

	if (i >= BC_ARRAY_LEN(warps))
		return false;
	start(c, LD128, warps[i], 1, 1);
	c->arg[REPS + 1] = 3;
	bc_variant_add_int(c, warps[i]);
	return true;
}

static bool latency_build(unsigned i, struct bc_case *c)
{
	if (i >= 2)
		return false;
	start(c, LATENCY, 1, 0, (int)i + 1);
	bc_variant_add(c, i ? "l2_over_shared" : "l1_over_shared");
	return true;
}

#define MEASURED "docs/clock.md; measured on an H200: the slopes, not the offsets, agree between published chips"
#define LAWS "docs/bank-laws.md, laws 6 and 8"
#define PUBLISHED "Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, and its successors"

#define RULE(rule_name, origin, make, what, text)                                                         \
	{                                                                                                 \
		.name = rule_name, .source = origin, .sentence = text, .build = make, .program = program, \
		.check = check, .clock = what                                                             \
	}

static const struct bc_rule rules[] = {
	RULE("chain", MEASURED, chain_build, slope,
	     "in a chain of dependent loads each further wavefront costs 2 cycles"),
	RULE("one_warp_ld", MEASURED, one_warp_ld, slope,
	     "in a burst of loads by one warp each further wavefront costs 2 cycles"),
	RULE("one_warp_st", MEASURED, one_warp_st, slope,
	     "in a burst of stores by one warp each further wavefront costs 2 cycles"),
	RULE("four_warps_ld", MEASURED, four_warps_ld, slope,
	     "loads by four warps: a wavefront a cycle for the whole SM"),
	RULE("four_warps_st", MEASURED, four_warps_st, slope,
	     "stores by four warps: a wavefront a cycle for the whole SM"),
	RULE("one_warp_add", MEASURED, one_warp_add, slope,
	     "in a burst of atomic adds by one warp each further lane in a bank costs 2 cycles"),
	RULE("one_warp_cas", MEASURED, one_warp_cas, slope,
	     "in a burst of compare-and-swaps by one warp each further lane in a bank costs 4 cycles"),
	RULE("cas_over_add", MEASURED, cas_over_add, ratio,
	     "compare-and-swap takes twice as long as add, as it takes twice the wavefronts"),
	RULE("one_word_add", LAWS, one_word_add, ratio,
	     "atomic adds by n lanes take as long on one word as on n words of one bank: each lane has its turn"),
	RULE("one_word_add_1", LAWS, one_word_add_1, ratio,
	     "adds of 1 whose result is unused by n lanes on one word are served together, on n words of a bank they "
	     "are not"),
	RULE("bandwidth", MEASURED, bandwidth_build, bytes_per_clock,
	     "clean loads of 16 bytes move 128 bytes per cycle and SM"),
	RULE("latency", PUBLISHED, latency_build, ratio,
	     "shared memory answers sooner than the L1 cache, and several times sooner than the L2 cache"),
};

const struct bc_suite bc_suite_clock = {
	.name = "clock",
	.about = "cycles for each wavefront, bytes per cycle, and shared memory against the caches of global memory",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
