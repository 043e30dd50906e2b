/* SPDX-License-Identifier: MIT */
/* suites/declare_device.c - rules of the suite declare about the device: its figures, banks, and blocks of an SM. */
#include "suites/declare_device.h"
#include "suites/declare_kernel.h"
#include "suites/patterns.h"

#include <string.h>

#define TILE_BLOCKS 4096u
#define TILE_THREADS 64u
#define HOLD 10u /* sleeps of 2 microseconds, at most twice as long each */

enum fact { WINDOW_BASE, DYNAMIC_BYTES, WARP_LANES, OPTIN_BYTES, SM_BYTES, RESERVED_BYTES, STATIC_BYTES };

bool bc_declare_geometry_build(unsigned i, struct bc_case *c)
{
	static const char *const names[] = { "window_base", "dynamic_bytes",  "warp_lanes",  "optin_bytes",
					     "sm_bytes",    "reserved_bytes", "static_bytes" };

	if (i >= BC_ARRAY_LEN(names))
		return false;
	c->arg[0] = (int32_t)i;
	c->shared_bytes = 4 * BC_KB;
	bc_variant_add(c, names[i]);
	return true;
}

static void ask_limits(struct bc_program *p)
{
	if (p->nbuffers < BC_PROGRAM_BUFFERS)
		p->buffers[p->nbuffers] = (struct bc_program_buffer){ .bytes = sizeof(struct bc_device_limits),
								      .use = BC_BUFFER_DEVICE_LIMITS };
	p->nbuffers++;
}

bool bc_declare_geometry_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_declare_params p = bc_declare_params(c->shared_bytes, 0);

	(void)a;
	bc_declare_start(out, "bc_declare_geometry", BC_LANES, &p, 3);
	ask_limits(out);
	return true;
}

bool bc_declare_geometry_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			       struct bc_mismatch *bad)
{
	const uint32_t *out = data[0];
	const struct bc_device_limits *limits = data[1];
	const struct {
		uint32_t got, want;
	} fact[] = {
		[WINDOW_BASE] = { out[0], a->window_base },
		[DYNAMIC_BYTES] = { out[1], c->shared_bytes },
		[WARP_LANES] = { out[2], a->warp_lanes },
		[OPTIN_BYTES] = { limits->optin_bytes, a->optin_bytes },
		[SM_BYTES] = { limits->sm_bytes, a->sm_bytes },
		[RESERVED_BYTES] = { limits->reserved_bytes, a->reserved_bytes },
		[STATIC_BYTES] = { limits->static_bytes, a->static_bytes },
	};
	const uint32_t i = (uint32_t)c->arg[0];

	(void)seed;
	return fact[i].got == fact[i].want || bc_mismatch(bad, "figure", i, fact[i].got, fact[i].want);
}

/* ---- banks ---- */

bool bc_declare_banks_build(unsigned i, struct bc_case *c)
{
	static const int8_t stride[] = { 1, 8, 16, 32 };

	if (i >= BC_ARRAY_LEN(stride))
		return false;
	c->arg[0] = stride[i];
	c->shared_bytes = 4 * 32 * BC_LANES;
	bc_variant_add_int(c, stride[i]);
	if (i > 0)
		bc_twin_set(c, NULL, "1");
	return true;
}

bool bc_declare_banks_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_declare_params p = bc_declare_params(c->shared_bytes, (uint32_t)c->arg[0]);

	(void)a;
	bc_declare_start(out, "bc_declare_banks", BC_LANES, &p, BC_LANES);
	bc_program_count(out, BC_CLASS_LD, 1);
	return true;
}

bool bc_declare_banks_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			    struct bc_mismatch *bad)
{
	const uint32_t *out = data[0];

	(void)a;
	(void)seed;
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t want = bc_fill_word(4 * l * (uint32_t)c->arg[0], BC_DECLARE_SEED);

		if (out[l] != want)
			return bc_mismatch(bad, "lane", l, out[l], want);
	}
	return true;
}

bool bc_declare_banks_request(const struct bc_case *c, const struct bc_arch *a, uint64_t k,
			      struct bc_program_request *r)
{
	if (k > 0)
		return false;
	*r = (struct bc_program_request){ .op = BC_OP_LD32, .mask = UINT32_MAX };
	for (uint32_t l = 0; l < BC_LANES; l++)
		r->addr[l] = a->window_base + 4 * l * (uint32_t)c->arg[0];
	return true;
}

/* ---- blocks an SM holds ---- */

static const struct {
	const char *name;
	uint32_t bytes;
} holdings[] = {
	{ "two_padded_tiles", 2 * 32 * 33 * 4 },
	{ "two_swizzled_tiles", 2 * 32 * 32 * 4 },
	{ "4k", 4 * BC_KB },
	{ "16k", 16 * BC_KB },
	{ "48k", 48 * BC_KB },
};

bool bc_declare_occupancy_build(unsigned i, struct bc_case *c)
{
	if (i >= BC_ARRAY_LEN(holdings))
		return false;
	c->arg[0] = (int32_t)i;
	c->shared_bytes = holdings[i].bytes;
	bc_variant_add(c, holdings[i].name);
	return true;
}

bool bc_declare_resident_build(unsigned i, struct bc_case *c)
{
	c->needs = BC_NEED_CLOCK | BC_NEED_HARDWARE_CLOCK; /* blocks stay for a time that only hardware has */
	return i < 2 && bc_declare_occupancy_build(i, c);
}

/* Blocks of 64 threads that fit: by shared memory, with what the system takes, by warps, and by blocks. */
static uint32_t blocks_that_fit(const struct bc_case *c, const struct bc_arch *a)
{
	const uint32_t by_bytes = a->sm_bytes / (holdings[c->arg[0]].bytes + a->reserved_bytes);
	const uint32_t by_warps = a->max_warps_sm / (TILE_THREADS / BC_LANES);
	const uint32_t most = by_warps < a->max_blocks_sm ? by_warps : a->max_blocks_sm;

	return by_bytes < most ? by_bytes : most;
}

static void fill_zero(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	(void)c;
	(void)seed;
	memset(data, 0, bytes);
}

static void resident(const struct bc_case *c, uint32_t blocks, uint32_t hold, struct bc_program *out)
{
	const struct bc_declare_params p = bc_declare_params(holdings[c->arg[0]].bytes, hold);

	bc_program_start(out, "declare", "bc_declare_resident", TILE_THREADS, &p, sizeof(p));
	out->shared_bytes = p.bytes;
	out->grid[0] = blocks;
	bc_program_inout(out, offsetof(struct bc_declare_params, out), 4 * BC_DECLARE_SMS, fill_zero);
	bc_program_inout(out, offsetof(struct bc_declare_params, most), 4 * (BC_DECLARE_SMS + 1), fill_zero);
}

bool bc_declare_occupancy_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	resident(c, 1, 0, out);
	ask_limits(out);
	return true;
}

bool bc_declare_occupancy_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
				struct bc_mismatch *bad)
{
	const struct bc_device_limits *limits = data[2];

	(void)seed;
	return limits->blocks_per_sm == blocks_that_fit(c, a) ||
	       bc_mismatch(bad, "blocks of an SM, case", (uint64_t)c->arg[0], limits->blocks_per_sm,
			   blocks_that_fit(c, a));
}

bool bc_declare_resident_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	resident(c, TILE_BLOCKS, HOLD, out);
	return true;
}

/* All blocks ran and left, and no SM held more than fit. */
bool bc_declare_resident_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			       struct bc_mismatch *bad)
{
	const uint32_t *now = data[0], *most = data[1];

	(void)seed;
	for (uint32_t sm = 0; sm < BC_DECLARE_SMS; sm++) {
		if (now[sm] != 0)
			return bc_mismatch(bad, "blocks left on SM", sm, now[sm], 0);
		if (most[sm] > blocks_that_fit(c, a))
			return bc_mismatch(bad, "blocks at a time on SM", sm, most[sm], blocks_that_fit(c, a));
	}
	return most[BC_DECLARE_SMS] == TILE_BLOCKS ||
	       bc_mismatch(bad, "blocks in all", 0, most[BC_DECLARE_SMS], TILE_BLOCKS);
}

/* The most that were seen together, over those that fit. */
bool bc_declare_resident_clock(const struct bc_case *c, const struct bc_arch *a, void *const *data,
			       struct bc_clock_reading *out)
{
	const uint32_t *most = data[1];
	uint32_t best = 0;

	for (uint32_t sm = 0; sm < BC_DECLARE_SMS; sm++)
		best = most[sm] > best ? most[sm] : best;
	*out = (struct bc_clock_reading){ .value = (double)best / blocks_that_fit(c, a), .samples = { best }, .n = 1 };
	return best > 0;
}
