/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/faults.h"

#include <string.h>

#include "harness/device/reference/fault_cells.h"
#include "harness/device/reference/fault_laws.h"

#define STUCK_BANK 5u
#define NEIGHBOUR_LANE 9u
#define LOST_LANE 21u
#define LOST_ROW 5u
#define TORN_LANE 3u
#define OPTIN_LACK 1024u
#define MORE_RESERVED 2048u /* so much that an SM holds a block less on every architecture */
#define OFF_BY_ONE_EACH 5u
#define LATE_CYCLES 10u

/* Why no clock shows a fault. */
#define BY_DATA "the data is wrong, and is compared whatever the other witnesses are"
#define SECTORS "sectors of global memory are counted, and no case times them"
#define COUNTED_ONLY "what counters read is wrong; what the device does, and its time, are not"

/* ---- data ---- */

static bool shared(const struct bc_ptx_access *a, enum bc_ptx_kind kind)
{
	return a->space == BC_PTX_SHARED && a->kind == kind;
}

static bool active(const struct bc_ptx_access *a, unsigned lane)
{
	return (a->mask >> lane & 1u) != 0;
}

static void stuck_bank(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES])
{
	(void)ctx;
	if (!shared(a, BC_PTX_LOAD) && !shared(a, BC_PTX_LDMATRIX))
		return;
	for (unsigned l = 0; l < BC_LANES; l++)
		for (uint32_t i = 0; active(a, l) && i < a->bytes; i++)
			if ((a->addr[l] + i) / 4 % 32 == STUCK_BANK)
				data[l][i] = 0;
}

static void neighbours_value(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES])
{
	(void)ctx;
	if (shared(a, BC_PTX_LOAD) && active(a, NEIGHBOUR_LANE) && active(a, NEIGHBOUR_LANE + 1))
		memcpy(data[NEIGHBOUR_LANE], data[NEIGHBOUR_LANE + 1], a->bytes);
}

static void swapped_row(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES])
{
	unsigned char row[BC_PTX_LANE_BYTES];

	(void)ctx;
	if (!shared(a, BC_PTX_LDMATRIX))
		return;
	memcpy(row, data[2], sizeof(row));
	memcpy(data[2], data[3], sizeof(row));
	memcpy(data[3], row, sizeof(row));
}

static void lost_store(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
		       uint32_t bytes[BC_LANES])
{
	(void)ctx;
	(void)data;
	if (shared(a, BC_PTX_STORE))
		bytes[LOST_LANE] = 0;
}

static void lost_copy(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
		      uint32_t bytes[BC_LANES])
{
	(void)ctx;
	(void)data;
	if (shared(a, BC_PTX_COPY))
		bytes[LOST_LANE] = 0;
}

static void lost_row(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
		     uint32_t bytes[BC_LANES])
{
	(void)ctx;
	(void)data;
	if (shared(a, BC_PTX_STMATRIX))
		bytes[LOST_ROW] = 0;
}

static void lost_global_store(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
			      uint32_t bytes[BC_LANES])
{
	(void)ctx;
	(void)data;
	if (a->space == BC_PTX_GLOBAL && a->kind == BC_PTX_STORE)
		bytes[LOST_LANE] = 0;
}

static void torn_store(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
		       uint32_t bytes[BC_LANES])
{
	(void)ctx;
	(void)data;
	if (shared(a, BC_PTX_STORE) && a->bytes == 16)
		bytes[TORN_LANE] &= 0xffu;
}

/* Of the lanes that store to one element, all but the lowest write its lower half only. */
static void mixed_store(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
			uint32_t bytes[BC_LANES])
{
	const uint32_t lower = (UINT32_C(1) << a->bytes / 2) - 1;

	(void)ctx;
	(void)data;
	if (!shared(a, BC_PTX_STORE) || a->bytes < 2)
		return;
	for (unsigned l = 1; l < BC_LANES; l++)
		for (unsigned k = 0; active(a, l) && k < l; k++)
			if (active(a, k) && a->addr[k] == a->addr[l])
				bytes[l] &= lower;
}

/* The highest active lane's. */
static void lost_update(void *ctx, const struct bc_ptx_access *a, uint32_t *update)
{
	(void)ctx;
	if (a->space == BC_PTX_SHARED && a->mask)
		*update &= ~(UINT32_C(1) << (31 - __builtin_clz(a->mask)));
}

static bool no_barrier(void *ctx, uint64_t block, uint32_t warp, unsigned line)
{
	(void)ctx;
	(void)block;
	(void)warp;
	(void)line;
	return true;
}

static bool lost_arrival(void *ctx, enum bc_ptx_mbarrier_event e, uint32_t lane)
{
	(void)ctx;
	return e == BC_PTX_MBARRIER_ARRIVE && lane == LOST_LANE;
}

static bool no_drop(void *ctx, enum bc_ptx_mbarrier_event e, uint32_t lane)
{
	(void)ctx;
	(void)lane;
	return e == BC_PTX_MBARRIER_DROP;
}

static bool no_bytes_expected(void *ctx, enum bc_ptx_mbarrier_event e, uint32_t lane)
{
	(void)ctx;
	(void)lane;
	return e == BC_PTX_MBARRIER_EXPECT || e == BC_PTX_MBARRIER_COMPLETE;
}

static bool no_wait(void *ctx, enum bc_ptx_mbarrier_event e, uint32_t lane)
{
	(void)ctx;
	(void)lane;
	return e == BC_PTX_MBARRIER_WAIT;
}

/* ---- what the device is ---- */

static void less_optin(struct bc_arch *a)
{
	a->optin_bytes -= a->optin_bytes > OPTIN_LACK ? OPTIN_LACK : 0;
}

static void more_reserved(struct bc_arch *a)
{
	a->reserved_bytes += MORE_RESERVED;
}

/* ---- time ---- */

/* A shared load takes longer than one that the L1 cache answers. */
static void late_shared(struct bc_ptx_timing *t)
{
	t->shared = t->l1 + LATE_CYCLES;
}

/* ---- counters ---- */

static void all_zero(struct bc_ptx_counts *c)
{
	memset(c, 0, sizeof(*c));
}

static void no_conflicts(struct bc_ptx_counts *c)
{
	c->ld_conflicts = c->st_conflicts = c->atom_conflicts = c->ldgsts_conflicts = 0;
}

static void st_zero(struct bc_ptx_counts *c)
{
	c->st_requests = c->st_wavefronts = c->st_conflicts = c->stsm_requests = 0;
}

static void doubled(struct bc_ptx_counts *c)
{
	c->ld_wavefronts *= 2;
	c->ld_conflicts *= 2;
	c->st_wavefronts *= 2;
	c->st_conflicts *= 2;
	c->atom_wavefronts *= 2;
	c->atom_conflicts *= 2;
	c->ldgsts_conflicts *= 2;
	c->global_ld_sectors *= 2;
	c->global_st_sectors *= 2;
	c->tma_ld_sectors *= 2;
	c->tma_st_sectors *= 2;
}

static void off_by_one(struct bc_ptx_counts *c)
{
	const uint64_t ld = (c->ld_requests + c->ldsm_requests) / OFF_BY_ONE_EACH;
	const uint64_t st = (c->st_requests + c->stsm_requests) / OFF_BY_ONE_EACH;

	c->ld_wavefronts += ld;
	c->ld_conflicts += ld;
	c->st_wavefronts += st;
	c->st_conflicts += st;
	c->atom_wavefronts += c->atom_requests / OFF_BY_ONE_EACH;
	c->atom_conflicts += c->atom_requests / OFF_BY_ONE_EACH;
	c->ldgsts_conflicts += c->ldgsts_requests / OFF_BY_ONE_EACH;
	c->global_ld_sectors += c->global_ld_requests / OFF_BY_ONE_EACH;
	c->global_st_sectors += c->global_st_requests / OFF_BY_ONE_EACH;
	c->tma_ld_sectors += c->tma_ld_sectors > 0;
	c->tma_st_sectors += c->tma_st_sectors > 0;
}

#define FEATURE(field) offsetof(struct bc_arch, field)
#define ONE_SM .sms = BC_FAULT_SMS
#define TENSOR(bit)                                                                                     \
	.kind = BC_FAULT_DATA, .no_clock = BY_DATA, .suites = { "tma" }, .feature = FEATURE(bulk_copy), \
	.hooks = { .tensor = (bit) }
#define CLUSTER(bit)                                                                                      \
	.kind = BC_FAULT_DATA, .no_clock = BY_DATA, .suites = { "cluster" }, .feature = FEATURE(cluster), \
	.hooks = { .cluster = (bit) }
#define COUNTED "broadcast", "mapping", "stride", "ways", "width"

const struct bc_fault bc_faults[] = {
	{ .name = "banks-16",
	  .sentence = "there are 16 banks",
	  .quick = true,
	  .kind = BC_FAULT_LAW,
	  .suites = { "mapping", "stride", "ways", "width", "padding", "swizzle", "reduction", "transpose", "matrix" },
	  .hooks = { .count = bc_law_half_the_banks } },
	{ .name = "banks-64",
	  .sentence = "there are 64 banks",
	  .kind = BC_FAULT_LAW,
	  .suites = { "broadcast", "mapping", "stride", "ways", "width", "padding", "swizzle", "random", "matrix" },
	  .hooks = { .count = bc_law_twice_the_banks } },
	{ .name = "banks-8-byte",
	  .sentence = "a bank is 8 bytes wide",
	  .kind = BC_FAULT_LAW,
	  .suites = { "broadcast", "mapping", "stride", "ways", "width" },
	  .hooks = { .count = bc_law_wide_banks } },
	{ .name = "banks-hashed",
	  .sentence = "address bits from 14 up are XORed into the bank",
	  .quick = true,
	  .kind = BC_FAULT_LAW,
	  .suites = { "mapping" },
	  .hooks = { .count = bc_law_hashed } },
	{ .name = "bank-stuck",
	  .sentence = "the words of bank 5 read 0",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "mapping", "stride", "ways", "width" },
	  .hooks = { .load = stuck_bank } },
	{ .name = "line-conflict",
	  .sentence = "one line of the window, at 0xe380, costs a wavefront more",
	  .kind = BC_FAULT_LAW,
	  .suites = { "mapping" },
	  .hooks = { .count = bc_law_bad_line } },
	{ .name = "optin-small",
	  .sentence = "a block can have 1 KB of shared memory less than it should",
	  .kind = BC_FAULT_LAW,
	  .suites = { "mapping", "declare" },
	  .arch = less_optin },
	{ .name = "reserved-more",
	  .sentence = "the system takes 2 KB more of the shared memory of each block",
	  .kind = BC_FAULT_LAW,
	  .suites = { "declare" },
	  .arch = more_reserved },
	{ .name = "broadcast-none",
	  .sentence = "loads of one word by several lanes are not served together",
	  .quick = true,
	  .kind = BC_FAULT_LAW,
	  .suites = { "broadcast", "stride", "width", "generic" },
	  .hooks = { .count = bc_law_no_broadcast } },
	{ .name = "broadcast-whole-warp",
	  .sentence = "loads are served together only when all lanes load one word",
	  .kind = BC_FAULT_LAW,
	  .suites = { "broadcast", "width" },
	  .hooks = { .count = bc_law_whole_warp_broadcast } },
	{ .name = "broadcast-none-stores",
	  .sentence = "stores to one word by several lanes are not served together",
	  .quick = true,
	  .kind = BC_FAULT_LAW,
	  .suites = { "broadcast", "stride", "width" },
	  .hooks = { .count = bc_law_no_store_broadcast } },
	{ .name = "pair-rule-missing",
	  .sentence = "8- and 16-byte loads by pairs of lanes never merge groups",
	  .quick = true,
	  .kind = BC_FAULT_LAW,
	  .suites = { "width" },
	  .feature = FEATURE(pair_rule),
	  .hooks = { .count = bc_law_no_pair_rule } },
	{ .name = "pair-rule-wide",
	  .sentence = "8- and 16-byte loads by lanes l and l ^ 4 at one address merge groups too",
	  .kind = BC_FAULT_LAW,
	  .suites = { "width" },
	  .feature = FEATURE(pair_rule),
	  .hooks = { .count = bc_law_wide_pair_rule } },
	{ .name = "groups-8-byte",
	  .sentence = "8-byte accesses are served in one group of 32 lanes",
	  .kind = BC_FAULT_LAW,
	  .suites = { "width" },
	  .hooks = { .count = bc_law_one_group_of_8_bytes } },
	{ .name = "groups-16-byte",
	  .sentence = "16-byte accesses are served in two groups of 16 lanes",
	  .quick = true,
	  .kind = BC_FAULT_LAW,
	  .suites = { "width" },
	  .hooks = { .count = bc_law_two_groups_of_16_bytes } },
	{ .name = "subword-conflict",
	  .sentence = "bytes and halves of one word conflict",
	  .kind = BC_FAULT_LAW,
	  .suites = { "broadcast", "width" },
	  .hooks = { .count = bc_law_subwords_apart } },
	{ .name = "inactive-counted",
	  .sentence = "inactive lanes count, at what their address register holds",
	  .quick = true,
	  .kind = BC_FAULT_LAW,
	  .suites = { "ways" },
	  .hooks = { .count = bc_law_all_lanes } },
	{ .name = "inactive-paired",
	  .sentence = "an inactive lane counts when its neighbour, lane l ^ 1, is active",
	  .kind = BC_FAULT_LAW,
	  .suites = { "atomic", "ways" },
	  .hooks = { .count = bc_law_paired_lanes } },
	{ .name = "load-neighbour",
	  .sentence = "lane 9 loads what lane 10 should",
	  .quick = true,
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "broadcast", "mapping", "stride", "ways", "width", "shuffle" },
	  .hooks = { .load = neighbours_value } },
	{ .name = "store-lost",
	  .sentence = "the stores of lane 21 are lost",
	  .quick = true,
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "broadcast", "stride", "ways", "width" },
	  .hooks = { .store = lost_store } },
	{ .name = "store-torn",
	  .sentence = "a 16-byte store of lane 3 writes its lower 8 bytes only",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "width" },
	  .hooks = { .store = torn_store } },
	{ .name = "store-mixed",
	  .sentence = "stores of several lanes to one element leave a mixture",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "broadcast", "stride", "width" },
	  .hooks = { .store = mixed_store } },
	{ .name = "store-doubled",
	  .sentence = "a store is done 4 KB further up as well, where the block has memory",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "broadcast", "stride", "ways", "width", "padding", "swizzle", "generic", "matrix", "async" },
	  .hooks = { .also_at = 4096 } },
	{ .name = "store-lost-global",
	  .sentence = "the stores of lane 21 to global memory are lost",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .any_kernel = true,
	  .suites = { "coalesce", "mapping" },
	  .hooks = { .store = lost_global_store } },
	{ .name = "copy-lost",
	  .sentence = "what lane 21 copies by cp.async is lost",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "async" },
	  .feature = FEATURE(cp_async),
	  .hooks = { .store = lost_copy } },
	{ .name = "atomic-lost",
	  .sentence = "the atomic update of a warp's last lane is lost",
	  .quick = true,
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "atomic" },
	  .hooks = { .atomic = lost_update } },
	{ .name = "atomic-broadcast",
	  .sentence = "atomics of several lanes on one word are served together",
	  .quick = true,
	  .kind = BC_FAULT_LAW,
	  .suites = { "atomic" },
	  .clock_rule = "clock/one_word_add",
	  .hooks = { .count = bc_law_atomics_merge } },
	{ .name = "atomic-add-one",
	  .sentence = "atomic adds of 1 whose result is unused are not served together",
	  .kind = BC_FAULT_LAW,
	  .suites = { "atomic" },
	  .feature = FEATURE(popc_inc),
	  .clock_rule = "clock/one_word_add_1",
	  .hooks = { .count = bc_law_adds_of_one_apart } },
	{ .name = "cas-as-add",
	  .sentence = "a compare-and-swap takes what an add takes",
	  .kind = BC_FAULT_LAW,
	  .suites = { "atomic" },
	  .clock_rule = "clock/cas_over_add",
	  .hooks = { .count = bc_law_cas_as_add } },
	{ .name = "shuffle-counted",
	  .sentence = "a shuffle counts as a shared load and a shared store",
	  .kind = BC_FAULT_LAW,
	  .no_clock = COUNTED_ONLY,
	  .suites = { "shuffle" },
	  .hooks = { .count_shuffles = true } },
	{ .name = "lines-whole",
	  .sentence = "global memory comes in whole lines of 128 bytes",
	  .quick = true,
	  .kind = BC_FAULT_LAW,
	  .no_clock = SECTORS,
	  .suites = { "coalesce", "matmul", "transpose", "tma" },
	  .hooks = { .whole_lines = true } },
	{ .name = "global-by-words",
	  .sentence = "global accesses of 8 and 16 bytes are done word by word",
	  .kind = BC_FAULT_LAW,
	  .no_clock = SECTORS,
	  .suites = { "coalesce", "transpose" },
	  .hooks = { .by_words = true } },
	{ .name = "matrix-row",
	  .sentence = "ldmatrix exchanges the rows 2 and 3 of its first matrix",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "matrix" },
	  .feature = FEATURE(ldmatrix),
	  .hooks = { .load = swapped_row } },
	{ .name = "matrix-row-lost",
	  .sentence = "row 5 of stmatrix's first matrix is lost",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "matrix" },
	  .feature = FEATURE(stmatrix),
	  .hooks = { .store = lost_row } },
	{ .name = "dsm-own",
	  .sentence = "mapa names the block's own shared memory, whatever block is asked for",
	  CLUSTER(BC_PTX_CLUSTER_OWN) },
	{ .name = "dsm-early",
	  .sentence = "who waits at a cluster's barrier goes on at once",
	  CLUSTER(BC_PTX_CLUSTER_UNORDERED) },
	{ .name = "dsm-counted",
	  .sentence = "accesses of another block's shared memory count as local ones",
	  CLUSTER(BC_PTX_CLUSTER_COUNTED) },
	{ .name = "tensor-swizzle",
	  .sentence = "swizzles of tensor copies go by the offset in the tile, not by the address",
	  .quick = true,
	  TENSOR(BC_PTX_TENSOR_RELATIVE) },
	{ .name = "tensor-packed",
	  .sentence = "rows of a tensor copy that are shorter than the swizzle's span lie close together",
	  TENSOR(BC_PTX_TENSOR_PACKED) },
	{ .name = "tensor-unfilled",
	  .sentence = "elements outside the tensor are not filled",
	  TENSOR(BC_PTX_TENSOR_UNFILLED) },
	{ .name = "tensor-dense",
	  .sentence = "tensor copies take every element, whatever the element strides are",
	  TENSOR(BC_PTX_TENSOR_DENSE) },
	{ .name = "tensor-cut", .sentence = "the last 16 bytes of a tensor copy are lost", TENSOR(BC_PTX_TENSOR_CUT) },
	{ .name = "tensor-stores", .sentence = "tensor reductions store", TENSOR(BC_PTX_TENSOR_STORES) },
	{ .name = "tensor-unchecked", .sentence = "every tensor map can be made", TENSOR(BC_PTX_TENSOR_UNCHECKED) },
	{ .name = "tensor-uncounted",
	  .sentence = "a tensor copy completes its barrier, however many bytes that expects",
	  TENSOR(BC_PTX_TENSOR_UNCOUNTED) },
	{ .name = "barrier-ignored",
	  .sentence = "block barriers do not wait",
	  .quick = true,
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "sync", "reduction", "transpose", "matmul" },
	  .hooks = { .skip_barrier = no_barrier } },
	{ .name = "mma-product-lost",
	  .sentence = "mma.sync leaves out the last column of A",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "mma" },
	  .feature = FEATURE(mma_sync),
	  .hooks = { .lost_products = true } },
	{ .name = "mbarrier-arrival-lost",
	  .sentence = "an mbarrier does not count the arrivals of lane 21",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "mbarrier" },
	  .feature = FEATURE(mbarrier),
	  .hooks = { .mbarrier = lost_arrival } },
	{ .name = "mbarrier-early",
	  .sentence = "a wait for an mbarrier says that the phase has ended, whether it has or not",
	  .quick = true,
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "mbarrier" },
	  .feature = FEATURE(mbarrier),
	  .hooks = { .mbarrier = no_wait } },
	{ .name = "mbarrier-drop-ignored",
	  .sentence = "an mbarrier goes on to expect those that dropped out",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "mbarrier" },
	  .feature = FEATURE(mbarrier),
	  .hooks = { .mbarrier = no_drop } },
	{ .name = "mbarrier-bytes-ignored",
	  .sentence = "an mbarrier does not count bytes",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "mbarrier" },
	  .feature = FEATURE(bulk_copy),
	  .hooks = { .mbarrier = no_bytes_expected } },
	{ .name = "blocks-share",
	  .sentence = "two blocks have one shared memory",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "declare" },
	  .hooks = { .share_blocks = true } },
	{ .name = "shared-late",
	  .sentence = "shared memory answers later than the L1 cache",
	  .kind = BC_FAULT_TIME,
	  .suites = { "clock" },
	  .clock_rule = "clock/latency",
	  .timing = late_shared },
	{ .name = "cell-stuck",
	  .sentence = "SM 2: bit 5 of the word at 0x2a1c, in bank 7, reads 1",
	  .quick = true,
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "cells" },
	  ONE_SM,
	  .hooks = { .load = bc_fault_cell_stuck } },
	{ .name = "cell-transition",
	  .sentence = "SM 2: bit 5 of the word at 0x2a1c, in bank 7, cannot go from 0 to 1",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "cells" },
	  ONE_SM,
	  .hooks = { .store = bc_fault_cell_transition } },
	{ .name = "cell-coupling",
	  .sentence =
		  "SM 2: when bit 5 of the word at 0x2a1c goes from 0 to 1, that of the next word, in bank 8, changes",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "cells" },
	  ONE_SM,
	  .hooks = { .store = bc_fault_cell_coupling } },
	{ .name = "cell-decoder",
	  .sentence = "SM 2: the address 0x2a1c reaches the word of 0x4a1c, both in bank 7",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "cells" },
	  ONE_SM,
	  .hooks = { .load = bc_fault_decoder_load, .store = bc_fault_decoder_store } },
	{ .name = "cell-retention",
	  .sentence = "SM 2: bit 5 of the word at 0x2a1c, in bank 7, is 0 after 50 ms",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "cells" },
	  ONE_SM,
	  .hooks = { .load = bc_fault_cell_retention } },
	{ .name = "sm-bank-slow",
	  .sentence = "SM 2: each access to bank 7 takes a wavefront more",
	  .kind = BC_FAULT_LAW,
	  .suites = { "sms" },
	  ONE_SM,
	  .hooks = { .serve = bc_fault_bank_slow } },
	{ .name = "sm-bank-stuck",
	  .sentence = "SM 2: the words of bank 7 read 0",
	  .kind = BC_FAULT_DATA,
	  .no_clock = BY_DATA,
	  .suites = { "cells", "sms" },
	  ONE_SM,
	  .hooks = { .load = bc_fault_sm_bank_stuck } },
	{ .name = "sm-counts",
	  .sentence = "SM 2: each request counts a wavefront and a conflict too many",
	  .quick = true,
	  .kind = BC_FAULT_LAW,
	  .suites = { "sms" },
	  ONE_SM,
	  .hooks = { .serve = bc_fault_sm_counts } },
	{ .name = "counters-zero",
	  .sentence = "all counters are stuck at 0",
	  .quick = true,
	  .kind = BC_FAULT_COUNTER,
	  .no_clock = COUNTED_ONLY,
	  .suites = { COUNTED },
	  .counters = all_zero },
	{ .name = "counters-no-conflict",
	  .sentence = "the conflict counters are stuck at 0",
	  .kind = BC_FAULT_COUNTER,
	  .no_clock = COUNTED_ONLY,
	  .suites = { COUNTED },
	  .counters = no_conflicts },
	{ .name = "counters-st-zero",
	  .sentence = "the counters of stores are stuck at 0, the others are sound",
	  .kind = BC_FAULT_COUNTER,
	  .no_clock = COUNTED_ONLY,
	  .suites = { "broadcast", "stride", "ways", "width" },
	  .counters = st_zero },
	{ .name = "counters-doubled",
	  .sentence = "wavefronts, conflicts and sectors are counted twice",
	  .kind = BC_FAULT_COUNTER,
	  .no_clock = COUNTED_ONLY,
	  .suites = { COUNTED },
	  .counters = doubled },
	{ .name = "counters-off-by-one",
	  .sentence = "at every fifth request of a launch one wavefront or sector too many is counted",
	  .quick = true,
	  .kind = BC_FAULT_COUNTER,
	  .no_clock = COUNTED_ONLY,
	  .suites = { COUNTED },
	  .counters = off_by_one },
	{ .name = NULL },
};

const char *bc_fault_kind_name(enum bc_fault_kind k)
{
	static const char *const names[] = { [BC_FAULT_LAW] = "law",
					     [BC_FAULT_DATA] = "data",
					     [BC_FAULT_TIME] = "time",
					     [BC_FAULT_COUNTER] = "counter" };

	return (unsigned)k < BC_ARRAY_LEN(names) ? names[k] : "?";
}

const struct bc_fault *bc_fault_find(const char *name)
{
	for (const struct bc_fault *f = bc_faults; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

enum bc_status bc_fault_require(const char *name, const struct bc_fault **out, struct bc_error *err)
{
	const struct bc_fault *f = bc_fault_find(name);
	struct bc_text names = { 0 };
	enum bc_status st = BC_OK;

	if (f) {
		*out = f;
		return BC_OK;
	}
	for (const struct bc_fault *k = bc_faults; !st && k->name; k++)
		st = bc_text_addf(&names, err, " %s", k->name);
	if (!st)
		st = bc_fail(err, BC_EUSAGE, "--fault %.40s: no such fault; there are:%s", name, names.data);
	bc_text_release(&names);
	return st;
}

bool bc_fault_possible(const struct bc_fault *f, const struct bc_arch *a)
{
	uint32_t has = 1;

	if (f->feature)
		memcpy(&has, (const char *)a + f->feature, sizeof(has));
	return has != 0;
}
