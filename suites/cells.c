/* SPDX-License-Identifier: MIT */
/* suites/cells.c - every byte of shared memory that a block can have, on every SM: does it hold what is written? */
#include "suites/patterns.h"
#include "suites/programs.h"
#include "harness/core/cells.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define PAUSE_NS 100000000u /* of the retention test: 100 ms, as memory tests have it */
#define FAR_ROW 0x7f80u	    /* the last row of the first 32 KB, which every architecture has */

/* Buffers of the programs, in their order. */
enum { SMS = 0, ROUND, REPORT, OFFSETS = REPORT, CYCLES };

/* arg[0]: bits of an access. */
static bool by_width(unsigned i, struct bc_case *c)
{
	static const int16_t bits[] = { 32, 64, 128 };

	if (i >= BC_ARRAY_LEN(bits))
		return false;
	c->arg[0] = bits[i];
	bc_variant_add(c, "b");
	bc_variant_add_int(c, bits[i]);
	return true;
}

/* Both data launches are needed: see kernels/cells.cu. The seeds' lowest bits differ. */
static void fill_round(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	const uint32_t round = seed & 1u;

	(void)c;
	(void)bytes;
	memcpy(data, &round, sizeof(round));
}

static bool program(const struct bc_case *c, const struct bc_arch *a, const char *const kernels[3],
		    struct bc_program *out)
{
	const struct bc_cells_params p = { .bytes = a->optin_bytes, .pause = PAUSE_NS, .banks = a->banks };

	if (a->optin_bytes % 512 != 0)
		return false; /* the kernels give each lane whole units of 16 bytes */
	bc_program_start(out, "cells", kernels[c->arg[0] == 64 ? 1 : c->arg[0] / 64], BC_LANES, &p, sizeof(p));
	out->shared_bytes = a->optin_bytes;
	out->multi_writer = true;
	bc_program_sms(out, offsetof(struct bc_cells_params, sms));
	bc_program_in(out, offsetof(struct bc_cells_params, round), sizeof(uint32_t), fill_round);
	return true;
}

/* How many words each round must have read: march: five walks that read, for each of its backgrounds. */
static uint32_t words_read(const struct bc_case *c, const struct bc_arch *a, uint32_t round)
{
	const uint32_t words = a->optin_bytes / 4, backgrounds = c->arg[0] == 32 ? 6 : c->arg[0] == 64 ? 7 : 8;

	if (strcmp(c->rule->name, "march") == 0)
		return words * 5 * (round ? 1 + (backgrounds - 1) / 2 : 1 + backgrounds / 2);
	return strcmp(c->rule->name, "address") == 0 ? 2 * words : words;
}

static bool march_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	static const char *const kernels[] = { "bc_cells_march32", "bc_cells_march64", "bc_cells_march128" };
	const bool ok = program(c, a, kernels, out);

	out->compared = 4 * (uint64_t)words_read(c, a, 0);
	bc_program_out_per_sm(out, offsetof(struct bc_cells_params, report), sizeof(struct bc_cells_report));
	return ok;
}

static bool address_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	static const char *const kernels[] = { "bc_cells_addresses32", "bc_cells_addresses64",
					       "bc_cells_addresses128" };
	const bool ok = program(c, a, kernels, out);

	out->compared = 4 * (uint64_t)words_read(c, a, 0);
	bc_program_out_per_sm(out, offsetof(struct bc_cells_params, report), sizeof(struct bc_cells_report));
	return ok;
}

static bool retention_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	static const char *const kernels[] = { "bc_cells_retention32", "bc_cells_retention64",
					       "bc_cells_retention128" };
	const bool ok = program(c, a, kernels, out);

	out->compared = 4 * (uint64_t)words_read(c, a, 0);
	bc_program_out_per_sm(out, offsetof(struct bc_cells_params, report), sizeof(struct bc_cells_report));
	return ok;
}

static bool check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		  struct bc_mismatch *bad)
{
	return bc_cells_check(a, data[SMS], data[REPORT], words_read(c, a, seed & 1u), bad);
}

/* ---- speed ---- */

static bool one_speed(unsigned i, struct bc_case *c)
{
	if (i > 0)
		return false;
	c->needs = BC_NEED_CLOCK;
	bc_variant_add(c, "banks");
	return true;
}

/* All lanes at one word of each bank: in the first row of the window, in round 1 in one far away. */
static void fill_offsets(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	uint32_t *offset = data;
	const uint32_t banks = (uint32_t)(bytes / (4 * BC_LANES)), row = seed & 1u ? FAR_ROW : 0;

	(void)c;
	for (uint32_t i = 0; i < banks * BC_LANES; i++)
		offset[i] = row + i / BC_LANES * BC_WORD_BYTES;
}

static bool speed_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	static const char *const kernels[] = { "bc_cells_speed", "bc_cells_speed", "bc_cells_speed" };
	const bool ok = program(c, a, kernels, out);

	bc_program_in(out, offsetof(struct bc_cells_params, offsets), (size_t)a->banks * BC_LANES * 4, fill_offsets);
	bc_program_out_per_sm(out, offsetof(struct bc_cells_params, cycles), (size_t)a->banks * 4);
	return ok;
}

static bool speed_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			struct bc_mismatch *bad)
{
	const uint32_t *sms = data[SMS], *cycles = data[CYCLES];

	(void)c;
	(void)seed;
	for (uint32_t i = 0; i < sms[0] * a->banks; i++)
		if (cycles[i] == 0 || cycles[i] > 1u << 20)
			return bc_mismatch(bad, "cycles of SM and bank", i, cycles[i], BC_CELLS_SPEED_LOADS);
	return true;
}

static bool speed_clock(const struct bc_case *c, const struct bc_arch *a, void *const *data,
			struct bc_clock_reading *out)
{
	(void)c;
	return bc_cells_speed(a, data[SMS], data[CYCLES], out);
}

#define MARCH "A. J. van de Goor, Testing Semiconductor Memories: March C-"

static const struct bc_rule rules[] = {
	{ .name = "march",
	  .source = MARCH,
	  .build = by_width,
	  .program = march_program,
	  .check = check,
	  .sentence =
		  "every bit of every SM's shared memory can be 0 and 1, change both ways, and is changed by no other: "
		  "March C- over all bytes of a block" },
	{ .name = "address",
	  .source = MARCH,
	  .build = by_width,
	  .program = address_program,
	  .check = check,
	  .sentence = "every word of every SM's shared memory is a word of its own: each holds its own address" },
	{ .name = "retention",
	  .source = MARCH,
	  .build = by_width,
	  .program = retention_program,
	  .check = check,
	  .sentence = "every bit of every SM's shared memory keeps its value for 100 ms" },
	{ .name = "speed",
	  .source = "CUDA C++ Programming Guide, Shared Memory: all banks are alike",
	  .build = one_speed,
	  .program = speed_program,
	  .check = speed_check,
	  .clock = speed_clock,
	  .sentence = "every bank of every SM takes the same time" },
};

const struct bc_suite bc_suite_cells = {
	.name = "cells",
	.about = "march tests of every byte of shared memory that a block can have, on every SM",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
