/* SPDX-License-Identifier: MIT */
/* Tensor maps and the copies that they describe, against an oracle that goes from element to element. */
#include "harness/device/reference/ptx.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/ptx/ptx_run.h"

Suite *bc_test_ptx_tensor(void);

#define WINDOW 32768u /* bytes of shared memory */
#define TENSOR 65536u /* bytes of the tensor's memory */
#define BOXES 400
#define BASE 1024u /* bc_ptx_run_arch: window_base */

static struct bc_error err;
static struct bc_ptx_result result;

/* The kernels' parameters. */
struct params {
	_Alignas(64) unsigned char map[BC_TENSOR_MAP_BYTES];
	uint64_t tensor, window; /* shared memory is filled from here, and goes back there */
	int32_t at[BC_TENSOR_RANK_MAX];
	uint32_t tile, bytes, unused[5];
};

#define COORDINATES_1 "{%r1}"
#define COORDINATES_2 "{%r1, %r2}"
#define COORDINATES_3 "{%r1, %r2, %r3}"
#define COORDINATES_4 "{%r1, %r2, %r3, %r4}"
#define COORDINATES_5 "{%r1, %r2, %r3, %r4, %r5}"

/* One lane fills the window, 16 bytes at a time, does @body, and brings it back. %r6: the tile, %d0: the map. */
#define TEXT(body)                                                                                               \
	".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 128 .b8 window[];\n"              \
	".visible .entry k(.param .align 64 .b8 p[192]) {\n"                                                     \
	".reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %d<16>; .shared .align 8 .b64 barrier;\n"                 \
	"mov.b64 %d0, p; cvta.param.u64 %d0, %d0; ld.param.u64 %d1, [p+136];\n"                                  \
	"ld.param.u32 %r1, [p+144]; ld.param.u32 %r2, [p+148]; ld.param.u32 %r3, [p+152];\n"                     \
	"ld.param.u32 %r4, [p+156]; ld.param.u32 %r5, [p+160]; ld.param.u32 %r6, [p+164];\n"                     \
	"ld.param.u32 %r7, [p+168]; mov.u32 %r8, window; add.u32 %r6, %r6, %r8;\n"                               \
	"mov.u32 %r9, 0; fill: add.u32 %r10, %r8, %r9; cvt.u64.u32 %d2, %r9; add.u64 %d2, %d2, %d1;\n"           \
	"ld.global.v4.u32 {%r11, %r12, %r13, %r14}, [%d2]; st.shared.v4.u32 [%r10], {%r11, %r12, %r13, %r14};\n" \
	"add.u32 %r9, %r9, 16; setp.lt.u32 %p1, %r9, 32768; @%p1 bra fill; mov.u32 %r15, barrier;\n" body        \
	"mov.u32 %r9, 0; dump: add.u32 %r10, %r8, %r9; cvt.u64.u32 %d2, %r9; add.u64 %d2, %d2, %d1;\n"           \
	"ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [%r10]; st.global.v4.u32 [%d2], {%r11, %r12, %r13, %r14};\n" \
	"add.u32 %r9, %r9, 16; setp.lt.u32 %p1, %r9, 32768; @%p1 bra dump; ret; }\n"

#define EXPECT                                                                      \
	"mbarrier.init.shared::cta.b64 [%r15], 1; fence.proxy.async.shared::cta;\n" \
	"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r15], %r7;\n"
#define WAIT                                                                                                        \
	"mov.u32 %r16, 0; wait: mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r15], 0; add.u32 %r16, %r16, 1;\n" \
	"setp.lt.u32 %p3, %r16, 1000; and.pred %p3, %p3, !%p2; @%p3 bra wait; @!%p2 trap;\n"
#define LOAD(rank)                                                                                                \
	TEXT(EXPECT "cp.async.bulk.tensor." #rank                                                                 \
		    "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r6], [%d0, " COORDINATES_##rank \
	     "], [%r15];\n" WAIT)
#define WRITTEN "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
#define STORE(rank)                                                       \
	TEXT("fence.proxy.async.shared::cta; cp.async.bulk.tensor." #rank \
	     "d.global.shared::cta.tile.bulk_group [%d0, " COORDINATES_##rank "], [%r6];\n" WRITTEN)

static const char *const loads[] = { LOAD(1), LOAD(2), LOAD(3), LOAD(4), LOAD(5) };
static const char *const stores[] = { STORE(1), STORE(2), STORE(3), STORE(4), STORE(5) };

/* What a test launches, and what came of it. */
static struct bc_tensor_map map;
static struct params params;
static unsigned char window[WINDOW], before[WINDOW], tensor[TENSOR], was[TENSOR];
static struct bc_arch arch;

static uint32_t draw(uint32_t n)
{
	static uint32_t x = 12345;

	x = x * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(x >> 8) * n >> 24);
}

static void fill(unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)draw(256);
}

static void start(void)
{
	memset(&map, 0, sizeof(map));
	memset(&params, 0, sizeof(params));
	arch = bc_ptx_run_arch();
	fill(before, sizeof(before));
	fill(was, sizeof(was));
}

/* Run @text; @break_map: a bit of the map is turned first. */
static enum bc_status run(const char *text, bool break_map)
{
	struct bc_ptx_module *m = NULL;
	struct bc_ptx_image *image = NULL;
	struct bc_ptx_kernel *k = NULL;
	struct bc_ptx_mem *mem = NULL;
	struct bc_ptx_launch l = { .grid = { 1, 1, 1 },
				   .block = { 1, 1, 1 },
				   .shared_bytes = WINDOW,
				   .params = &params,
				   .params_size = sizeof(params) };
	enum bc_status st = bc_ptx_parse(text, strlen(text), "t.ptx", &m, &err);

	if (!st)
		st = bc_ptx_mem_create(1u << 24, &mem, &err);
	if (!st)
		st = bc_ptx_mem_alloc(mem, TENSOR, &params.tensor, &err);
	if (!st)
		st = bc_ptx_mem_alloc(mem, WINDOW, &params.window, &err);
	if (!st)
		st = bc_ptx_mem_write(mem, params.tensor, was, TENSOR, &err);
	if (!st)
		st = bc_ptx_mem_write(mem, params.window, before, WINDOW, &err);
	if (!st)
		st = bc_ptx_tensor_encode(&map, params.tensor + map.offset, &arch, NULL, params.map, &err);
	params.map[40] ^= break_map;
	if (!st)
		st = bc_ptx_load(m, mem, &image, &err);
	if (!st)
		st = bc_ptx_prepare(image, "k", &arch, &k, &err);
	if (!st)
		st = bc_ptx_launch(k, &l, &result, &err);
	if (!st)
		st = bc_ptx_mem_read(mem, params.window, window, WINDOW, &err);
	if (!st)
		st = bc_ptx_mem_read(mem, params.tensor, tensor, TENSOR, &err);
	bc_ptx_release(k);
	bc_ptx_unload(image);
	bc_ptx_free(m);
	bc_ptx_mem_destroy(mem);
	return st;
}

/* ---- the oracle ---- */

static const unsigned sizes[BC_TENSOR_NTYPES] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2 };

/* Which address bit is XORed with which: pairs of each swizzle, ended by 0. */
static const unsigned char moved[BC_TENSOR_NSWIZZLES][8] = {
	[BC_TENSOR_32B] = { 4, 7 },
	[BC_TENSOR_64B] = { 4, 7, 5, 8 },
	[BC_TENSOR_128B] = { 4, 7, 5, 8, 6, 9 },
	[BC_TENSOR_128B_ATOM_32B] = { 5, 7, 6, 8 },
	[BC_TENSOR_128B_ATOM_32B_FLIP_8B] = { 5, 7, 6, 8, 3, 7 },
	[BC_TENSOR_128B_ATOM_64B] = { 6, 7 },
};
static const unsigned spans[BC_TENSOR_NSWIZZLES] = { 0, 32, 64, 128, 128, 128, 128 };

typedef void visit_fn(unsigned char *shared, unsigned char *global, unsigned bytes);

/* Each element of the box, in the order of the tile: its place in @shared, and in @global (NULL: outside). */
static void each_element(unsigned char *shared, unsigned char *global, visit_fn *visit)
{
	const unsigned bytes = sizes[map.type], row = map.box[0] * bytes;
	const unsigned pitch = spans[map.swizzle] ? spans[map.swizzle] : row;
	/* This many shared bytes lie below the window: the barrier, aligned up. */
	const unsigned first = BASE + 128;
	unsigned n = 0, i[5];
	unsigned end[5];

	for (unsigned d = 0; d < 5; d++)
		end[d] = d < map.rank ? map.box[d] : 1;
	for (i[4] = 0; i[4]<end[4]; i[4] += map.rank> 4 ? map.step[4] : 1)
		for (i[3] = 0; i[3]<end[3]; i[3] += map.rank> 3 ? map.step[3] : 1)
			for (i[2] = 0; i[2]<end[2]; i[2] += map.rank> 2 ? map.step[2] : 1)
				for (i[1] = 0; i[1]<end[1]; i[1] += map.rank> 1 ? map.step[1] : 1, n++)
					for (i[0] = 0; i[0] < end[0]; i[0]++) {
						const unsigned at = first + params.tile + n * pitch + i[0] * bytes;
						unsigned to = at;
						unsigned char *g = global + map.offset;
						bool in = true;

						for (unsigned k = 0; moved[map.swizzle][k]; k += 2)
							to ^= (at >> moved[map.swizzle][k + 1] & 1u)
							      << moved[map.swizzle][k];
						for (unsigned d = 0; d < map.rank; d++) {
							const long c = (long)params.at[d] + (long)i[d];

							in = in && c >= 0 && c < (long)map.dim[d];
							if (in)
								g += (size_t)c * (d ? map.stride[d - 1] : bytes);
						}
						visit(shared + (to - first), in ? g : NULL, bytes);
					}
}

static void load_element(unsigned char *shared, unsigned char *global, unsigned bytes)
{
	static const unsigned char nan[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	memcpy(shared, global ? global : nan, bytes);
	if (!global && map.fill_nan)
		shared[bytes - 1] = 0x7f;
	else if (!global)
		memset(shared, 0, bytes);
}

static void store_element(unsigned char *shared, unsigned char *global, unsigned bytes)
{
	if (global)
		memcpy(global, shared, bytes);
}

/* ---- boxes at random ---- */

/* A tensor of up to 32 KB and a box that reaches into it, or misses it. */
static void draw_box(bool steps)
{
	unsigned bytes, chunks;
	uint64_t size;

	start();
	map.type = (enum bc_tensor_type)draw(BC_TENSOR_NTYPES);
	map.swizzle = (enum bc_tensor_swizzle)draw(BC_TENSOR_NSWIZZLES);
	map.rank = 1 + draw(5);
	map.fill_nan = bc_tensor_type_float(map.type) && draw(2);
	map.offset = 16 * draw(8);
	arch.tensor_atoms = 1;
	bytes = sizes[map.type];
	chunks = spans[map.swizzle] ? spans[map.swizzle] / 16 : bytes == 1 ? 16 : 8;
	map.box[0] = (1 + draw(chunks)) * 16 / bytes;
	map.dim[0] = 1 + draw(map.box[0] * 2);
	map.step[0] = 1 + draw(8); /* which is not looked at */
	size = (map.dim[0] * bytes + 15) / 16 * 16;
	for (unsigned i = 1; i < map.rank; i++) {
		map.stride[i - 1] = size + 16 * draw(2);
		map.dim[i] = 1 + draw(map.rank == 5 ? 3 : 4);
		map.box[i] = 1 + draw(map.rank == 5 ? 3 : 5);
		map.step[i] = steps ? 1 + draw(3) : 1;
		size = map.stride[i - 1] * map.dim[i];
	}
	for (unsigned i = 0; i < map.rank; i++)
		params.at[i] = (int32_t)draw(2 + (uint32_t)map.dim[i]) - 1 - (int32_t)(i ? 0 : draw(map.box[0]));
	/* as hardware has it: at a multiple of 16 bytes of a row */
	params.at[0] = (int32_t)((params.at[0] + 1024) / (int32_t)(16 / bytes) * (int32_t)(16 / bytes)) - 1024;
	params.tile = 128 * draw(17);
}

/* A box that is stored does not begin before the tensor. */
static void draw_stored_box(void)
{
	draw_box(true);
	for (unsigned i = 0; i < map.rank; i++)
		params.at[i] = params.at[i] < 0 ? 0 : params.at[i];
}

/* The kernel of the box's rank. */
static const char *of_rank(const char *const *texts)
{
	ck_assert(map.rank >= 1 && map.rank <= BC_TENSOR_RANK_MAX);
	return texts[map.rank - 1];
}

static uint32_t bytes_of_box(void)
{
	uint32_t n = map.box[0] * sizes[map.type];

	for (unsigned i = 1; i < map.rank; i++)
		n *= (map.box[i] + map.step[i] - 1) / map.step[i];
	return n;
}

static void expect_same(const unsigned char *got, const unsigned char *want, size_t n, unsigned box)
{
	size_t i = 0;

	while (i < n && got[i] == want[i])
		i++;
	ck_assert_msg(i == n, "box %u: byte %zu", box, i);
}

START_TEST(boxes_come_to_their_places)
{
	for (unsigned n = 0; n < BOXES; n++) {
		draw_box(true);
		params.bytes = bytes_of_box();
		ck_assert_msg(run(of_rank(loads), false) == BC_OK, "box %u: %s", n, err.msg);
		each_element(before, was, load_element);
		expect_same(window, before, WINDOW, n);
		ck_assert(memcmp(tensor, was, TENSOR) == 0);
		ck_assert_uint_eq(result.nfindings, 0);
	}
}
END_TEST

START_TEST(tiles_go_back_to_theirs)
{
	for (unsigned n = 0; n < BOXES; n++) {
		draw_stored_box();
		ck_assert_msg(run(of_rank(stores), false) == BC_OK, "box %u: %s", n, err.msg);
		each_element(before, was, store_element);
		expect_same(tensor, was, TENSOR, n);
		ck_assert(memcmp(window, before, WINDOW) == 0);
	}
}
END_TEST

/* ---- reductions ---- */

#define REDUCE(op)                                                                                  \
	TEXT("fence.proxy.async.shared::cta; cp.reduce.async.bulk.tensor.1d.global.shared::cta." op \
	     ".tile.bulk_group [%d0, {%r1}], [%r6];\n" WRITTEN)

static void plain_row(enum bc_tensor_type type)
{
	start();
	map = (struct bc_tensor_map){
		.type = type, .rank = 1, .dim = { 64 / sizes[type] }, .box = { 64 / sizes[type] }, .step = { 1 }
	};
}

static const struct {
	const char *text;
	enum bc_tensor_type type;
	uint64_t old, v, want;
} reductions[] = {
	{ REDUCE("add"), BC_TENSOR_U32, 0xffffffff, 2, 1 },
	{ REDUCE("add"), BC_TENSOR_S64, UINT64_MAX, 5, 4 },
	{ REDUCE("add"), BC_TENSOR_F16, 0x3c00, 0x4000, 0x4200 },	      /* 1 + 2 */
	{ REDUCE("add"), BC_TENSOR_BF16, 0x3f80, 0xbf80, 0 },		      /* 1 - 1 */
	{ REDUCE("add"), BC_TENSOR_F32, 0x3f000000, 0x3f000000, 0x3f800000 }, /* 0.5 + 0.5 */
	{ REDUCE("add"), BC_TENSOR_F64, UINT64_C(1) << 62, UINT64_C(1) << 62, UINT64_C(0x4010000000000000) },
	{ REDUCE("min"), BC_TENSOR_U32, 0xffffffff, 2, 2 },
	{ REDUCE("min"), BC_TENSOR_S32, 0xffffffff, 2, 0xffffffff },
	{ REDUCE("max"), BC_TENSOR_U64, UINT64_MAX, 2, UINT64_MAX },
	{ REDUCE("max"), BC_TENSOR_S64, UINT64_MAX, 2, 2 },
	{ REDUCE("min"), BC_TENSOR_F16, 0x4000, 0xbc00, 0xbc00 }, /* 2 and -1 */
	{ REDUCE("max"), BC_TENSOR_F16, 0x4000, 0xbc00, 0x4000 },
	{ REDUCE("min"), BC_TENSOR_F16, 0xbc00, 0xc000, 0xc000 },  /* -1 and -2 */
	{ REDUCE("min"), BC_TENSOR_BF16, 0x0000, 0x8000, 0x8000 }, /* 0 and -0 */
	{ REDUCE("max"), BC_TENSOR_BF16, 0x7fff, 0x3f80, 0x3f80 }, /* NaN and 1 */
	{ REDUCE("inc"), BC_TENSOR_U32, 6, 7, 7 },
	{ REDUCE("inc"), BC_TENSOR_U32, 7, 7, 0 },
	{ REDUCE("dec"), BC_TENSOR_U32, 0, 7, 7 },
	{ REDUCE("dec"), BC_TENSOR_U32, 7, 7, 6 },
	{ REDUCE("and"), BC_TENSOR_U32, 0xc, 0xa, 0x8 },
	{ REDUCE("or"), BC_TENSOR_U64, 0xc, 0xa, 0xe },
	{ REDUCE("xor"), BC_TENSOR_S32, 0xc, 0xa, 0x6 },
};

START_TEST(a_tile_is_reduced_to_the_tensor)
{
	const unsigned bytes = sizes[reductions[_i].type];

	plain_row(reductions[_i].type);
	for (unsigned i = 0; i < 64; i += bytes) {
		memcpy(was + i, &reductions[_i].old, bytes);
		memcpy(before + i, &reductions[_i].v, bytes);
	}
	ck_assert_msg(run(reductions[_i].text, false) == BC_OK, "%s", err.msg);
	for (unsigned i = 0; i < 64; i += bytes)
		ck_assert_msg(memcmp(tensor + i, &reductions[_i].want, bytes) == 0, "element at %u", i);
	ck_assert(memcmp(tensor + 64, was + 64, TENSOR - 64) == 0);
}
END_TEST

/* ---- when the bytes move ---- */

#define SEND "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%d0, {%r1}], [%r6];\n"
#define COMMIT "cp.async.bulk.commit_group;\n"
/* The first word of the tile becomes 7. */
#define OVERWRITE "mov.u32 %r16, 7; st.shared.u32 [%r6], %r16;\n"

enum { NOTHING, FIRST, SEVEN };

static const struct {
	const char *text;
	int want; /* in the tensor: what was there, what the tile held first, or 7 */
} waits[] = {
	{ TEXT(SEND COMMIT), NOTHING },
	{ TEXT(SEND "cp.async.bulk.wait_group 0;\n"), NOTHING }, /* of no group yet */
	{ TEXT(SEND COMMIT "cp.async.bulk.wait_group 1;\n"), NOTHING },
	{ TEXT(SEND COMMIT "cp.async.bulk.wait_group 0;\n"), FIRST },
	{ TEXT(SEND COMMIT COMMIT "cp.async.bulk.wait_group 1;\n"), FIRST },
	{ TEXT(SEND COMMIT "cp.async.bulk.wait_group.read 0;\n" OVERWRITE), FIRST },
	{ TEXT(SEND COMMIT OVERWRITE "cp.async.bulk.wait_group.read 0;\n"), SEVEN }, /* too early */
	{ TEXT(SEND COMMIT SEND COMMIT OVERWRITE "cp.async.bulk.wait_group 1;\n"), SEVEN },
};

START_TEST(a_tile_goes_when_it_is_waited_for)
{
	static const uint32_t seven = 7;
	unsigned char want[64];

	plain_row(BC_TENSOR_U32);
	memcpy(want, waits[_i].want == NOTHING ? was : before, sizeof(want));
	if (waits[_i].want == SEVEN)
		memcpy(want, &seven, sizeof(seven));
	ck_assert_msg(run(waits[_i].text, false) == BC_OK, "%s", err.msg);
	ck_assert(memcmp(tensor, want, sizeof(want)) == 0);
	ck_assert(memcmp(tensor + 64, was + 64, TENSOR - 64) == 0);
}
END_TEST

/* Nobody asks the barrier: the tile does not come. */
START_TEST(a_box_that_nobody_waits_for_does_not_come)
{
	plain_row(BC_TENSOR_U32);
	params.bytes = 64;
	ck_assert_msg(
		run(TEXT(EXPECT "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
				"[%r6], [%d0, {%r1}], [%r15];\n"),
		    false) == BC_OK,
		"%s", err.msg);
	ck_assert(memcmp(window, before, WINDOW) == 0);
}
END_TEST

/* Sectors of 32 bytes that the rows cover, each row on its own. */
START_TEST(sectors_are_counted)
{
	start();
	map = (struct bc_tensor_map){ .type = BC_TENSOR_U32,
				      .rank = 2,
				      .dim = { 64, 8 },
				      .stride = { 272 }, /* rows begin at 0 and 16 in a sector by turns */
				      .box = { 8, 4 },
				      .step = { 1, 1 } };
	params.bytes = 128;
	ck_assert_msg(run(loads[1], false) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(result.counts.tma_ld_sectors, 1 + 2 + 1 + 2);
	ck_assert_uint_eq(result.counts.tma_st_sectors, 0);
	params.at[1] = 6; /* two rows are outside */
	ck_assert_msg(run(stores[1], false) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(result.counts.tma_ld_sectors, 0);
	ck_assert_uint_eq(result.counts.tma_st_sectors, 1 + 2);
}
END_TEST

/* ---- what is refused ---- */

static const struct {
	const char *text;
	enum bc_tensor_type type;
	uint32_t rank, tile;
	bool broken, short_memory;
	const char *why;
} failures[] = {
	{ LOAD(1), BC_TENSOR_U32, 1, 64, false, false,
	  "lane 0: the tile's shared address 0x4c0 is no multiple of 128" },
	{ LOAD(2), BC_TENSOR_U32, 1, 0, false, false, "lane 0: a copy of 2 dimensions with a tensor map of 1" },
	{ LOAD(1), BC_TENSOR_U32, 1, 0, true, false, "are no tensor map that the device made" },
	{ LOAD(1), BC_TENSOR_U32, 1, 0, false, true, "out of bounds" },
	{ LOAD(1), BC_TENSOR_U32, 1, WINDOW, false, false, "outside the block's shared memory" },
	{ REDUCE("inc"), BC_TENSOR_U64, 1, 0, false, false, "this reduction of the tensor map's elements" },
	{ REDUCE("min"), BC_TENSOR_F32, 1, 0, false, false, "this reduction of the tensor map's elements" },
	{ TEXT("add.u64 %d0, %d0, 16; cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%d0, {%r1}];"), BC_TENSOR_U32, 1,
	  0, false, false, "misaligned address" },
	{ TEXT("cvt.u64.u32 %d3, %r6; cvta.shared.u64 %d3, %d3; "
	       "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%d3, {%r1}];"),
	  BC_TENSOR_U32, 1, 0, false, false, "is not in global, constant or parameter memory" },
	{ TEXT("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r6], "
	       "[%d0, {%r1, %r2, %r3}], [%r15], {%h1};"),
	  BC_TENSOR_U32, 1, 0, false, false,
	  "t.ptx:14: tensor copies with .im2col are not known to the reference device: `cp.async" },
	{ TEXT("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
	       "[%r6], [%d0, {%r1}], [%r15], %h1;"),
	  BC_TENSOR_U32, 1, 0, false, false, "tensor copies with .multicast::cluster are not known" },
	{ TEXT("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d0, {%r1}], [%r6];"), BC_TENSOR_U32, 1, 0,
	  false, false, "the number of coordinates is not the number of dimensions" },
	{ TEXT("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%d0], [%r6];"), BC_TENSOR_U32, 1, 0, false,
	  false, "the number of coordinates is not the number of dimensions" },
	{ TEXT("cp.async.bulk.tensor.6d.global.shared::cta.tile.bulk_group [%d0, {%r1}], [%r6];"), BC_TENSOR_U32, 1, 0,
	  false, false, "not known to the reference device" },
	{ TEXT("fence.proxy.tensormap::generic.acquire.gpu [%d0], 128;"), BC_TENSOR_U32, 1, 0, false, false,
	  "not known to the reference device: `fence.proxy.tensormap" },
};

START_TEST(what_cannot_be_copied_is_named)
{
	plain_row(failures[_i].type);
	params.tile = failures[_i].tile;
	params.bytes = 64;
	if (failures[_i].short_memory)
		map.offset = TENSOR - 32;
	ck_assert_int_ne(run(failures[_i].text, failures[_i].broken), BC_OK);
	ck_assert_msg(strstr(err.msg, failures[_i].why) != NULL, "%s", err.msg);
}
END_TEST

/* Where a box may begin, as an H200 has it. */
static const struct {
	enum bc_tensor_type type;
	int32_t at;
	bool stored;
	const char *why; /* NULL: it may */
} begins[] = {
	{ BC_TENSOR_U32, 4, false, NULL },
	{ BC_TENSOR_U32, -4, false, NULL },
	{ BC_TENSOR_U32, 4, true, NULL },
	{ BC_TENSOR_U8, 16, true, NULL },
	{ BC_TENSOR_U64, 2, true, NULL },
	{ BC_TENSOR_U32, 10, false, "the box begins 40 bytes into a row, which is no multiple of 16" },
	{ BC_TENSOR_U32, -1, false, "the box begins -4 bytes into a row" },
	{ BC_TENSOR_U8, 8, true, "the box begins 8 bytes into a row" },
	{ BC_TENSOR_U16, 4, false, "the box begins 8 bytes into a row" },
	{ BC_TENSOR_U64, 1, true, "the box begins 8 bytes into a row" },
	{ BC_TENSOR_U32, -4, true, "a box that is written begins before the tensor" },
};

START_TEST(a_box_begins_where_hardware_takes_it)
{
	plain_row(begins[_i].type);
	params.at[0] = begins[_i].at;
	params.bytes = bytes_of_box();
	if (!begins[_i].why) {
		ck_assert_msg(run(begins[_i].stored ? stores[0] : loads[0], false) == BC_OK, "%s", err.msg);
		return;
	}
	ck_assert_int_eq(run(begins[_i].stored ? stores[0] : loads[0], false), BC_EDEVICE);
	ck_assert_msg(strstr(err.msg, begins[_i].why) != NULL, "%s", err.msg);
}
END_TEST

START_TEST(an_architecture_without_them_says_so)
{
	plain_row(BC_TENSOR_U32);
	arch.bulk_copy = 0;
	ck_assert_int_ne(run(stores[0], false), BC_OK);
	ck_assert_str_eq(err.msg, "tensor map: sm_00 has none");
}
END_TEST

/* Hints change nothing. */
START_TEST(hints_are_taken)
{
	plain_row(BC_TENSOR_U32);
	ck_assert_msg(
		run(TEXT("cp.async.bulk.prefetch.tensor.1d.L2.global.tile.L2::cache_hint [%d0, {%r1}], %d1;"
			 "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group.L2::cache_hint [%d0, {%r1}], "
			 "[%r6], %d1;" WRITTEN),
		    false) == BC_OK,
		"%s", err.msg);
	ck_assert(memcmp(tensor, before, 64) == 0);
}
END_TEST

/* Each requirement of cuTensorMapEncodeTiled, and its words. */
static const struct {
	struct bc_tensor_map map; /* what is not 0 is put into one that can be made */
	uint64_t address;
	const char *why;
} refusals[] = {
	{ { .rank = 6 }, 0, "rank 6, it can be 1 to 5" },
	{ { .type = BC_TENSOR_NTYPES }, 0, "type 10 or swizzle 0 does not exist" },
	{ { .type = 0 }, 8, "the tensor's address 0x8 is no multiple of 16" },
	{ { .dim = { 0, (UINT64_C(1) << 32) + 1 } }, 0, "dimension 1 has 4294967297 elements, it can have 1 to 2^32" },
	{ { .stride = { 24 } }, 0, "a stride of 24 bytes in dimension 1: it is a multiple of 16 below 2^40" },
	{ { .stride = { UINT64_C(1) << 40 } }, 0, "a stride of 1099511627776 bytes" },
	{ { .box = { 257 } }, 0, "the box spans 257 elements of dimension 0, it can 1 to 256" },
	{ { .box = { 8 } }, 0, "a row of the box has 8 bytes, no multiple of 16" },
	{ { .step = { 0, 9 } }, 0, "element stride 9 in dimension 1, it can be 1 to 8" },
	{ { .box = { 48 }, .swizzle = BC_TENSOR_32B }, 0, "a row of the box has 48 bytes, swizzle 32B allows 32" },
	{ { .box = { 144 }, .swizzle = BC_TENSOR_128B }, 0, "a row of the box has 144 bytes, swizzle 128B allows 128" },
	{ { .swizzle = BC_TENSOR_128B_ATOM_32B }, 0, "the chip has no swizzle 128B_ATOM_32B" },
	{ { .fill_nan = true }, 0, "only floats can be filled with NaN" },
};

START_TEST(a_map_that_cannot_be_made_is_refused)
{
	const struct bc_tensor_map *r = &refusals[_i].map;
	unsigned char bytes[BC_TENSOR_MAP_BYTES];
	const struct bc_ptx_hooks unchecked = { .tensor = BC_PTX_TENSOR_UNCHECKED };

	start();
	map = (struct bc_tensor_map){ .type = BC_TENSOR_U8,
				      .rank = 2,
				      .dim = { 512, 16 },
				      .stride = { 512 },
				      .box = { 32, 4 },
				      .step = { 1, 1 } };
	ck_assert_int_eq(bc_ptx_tensor_encode(&map, 0, &arch, NULL, bytes, &err), BC_OK);
	map.rank = r->rank ? r->rank : map.rank;
	map.type = r->type ? r->type : map.type;
	map.dim[1] = r->dim[1] ? r->dim[1] : map.dim[1];
	map.stride[0] = r->stride[0] ? r->stride[0] : map.stride[0];
	map.box[0] = r->box[0] ? r->box[0] : map.box[0];
	map.step[1] = r->step[1] ? r->step[1] : map.step[1];
	map.swizzle = r->swizzle;
	map.fill_nan = r->fill_nan;
	ck_assert_int_eq(bc_ptx_tensor_encode(&map, refusals[_i].address, &arch, NULL, bytes, &err), BC_EUSAGE);
	ck_assert_msg(strstr(err.msg, refusals[_i].why) != NULL, "%s", err.msg);
	if (map.rank < 6)
		ck_assert_int_eq(bc_ptx_tensor_encode(&map, refusals[_i].address, &arch, &unchecked, bytes, &err),
				 BC_OK);
}
END_TEST

Suite *bc_test_ptx_tensor(void)
{
	Suite *s = suite_create("ptx_tensor");
	TCase *tc = tcase_create("copies");

	tcase_add_test(tc, boxes_come_to_their_places);
	tcase_add_test(tc, tiles_go_back_to_theirs);
	tcase_add_loop_test(tc, a_tile_is_reduced_to_the_tensor, 0, BC_ARRAY_LEN(reductions));
	tcase_add_loop_test(tc, a_tile_goes_when_it_is_waited_for, 0, BC_ARRAY_LEN(waits));
	tcase_add_test(tc, a_box_that_nobody_waits_for_does_not_come);
	tcase_add_test(tc, sectors_are_counted);
	tcase_add_test(tc, hints_are_taken);
	suite_add_tcase(s, tc);
	tc = tcase_create("refused");
	tcase_add_loop_test(tc, what_cannot_be_copied_is_named, 0, BC_ARRAY_LEN(failures));
	tcase_add_loop_test(tc, a_box_begins_where_hardware_takes_it, 0, (int)BC_ARRAY_LEN(begins));
	tcase_add_test(tc, an_architecture_without_them_says_so);
	tcase_add_loop_test(tc, a_map_that_cannot_be_made_is_refused, 0, BC_ARRAY_LEN(refusals));
	suite_add_tcase(s, tc);
	return s;
}
