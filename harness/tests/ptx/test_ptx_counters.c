/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/ptx/ptx_run.h"

Suite *bc_test_ptx_counters(void);

static struct bc_error err;
static struct bc_ptx_result result;
static uint32_t in[4096], out[4096];

#define EACH(stride) "mad.lo.u32 %r4, %r1, " #stride ", %r2; "

/* One warp, 16 KB of shared memory. What is counted in the body alone; expectations from the bank laws. */
static const struct {
	const char *what, *body;
	struct bc_ptx_counts want; /* instructions, lane_instructions, barriers: not compared when 0 */
} rows[] = {
	{ "nothing", "", { 0 } },
	{ "a word a lane", EACH(4) "ld.shared.u32 %r5, [%r4];", { .ld_requests = 1, .ld_wavefronts = 1 } },
	{ "stride of 32 words",
	  EACH(128) "st.shared.u32 [%r4], %r5;",
	  { .st_requests = 1, .st_wavefronts = 32, .st_conflicts = 31 } },
	{ "one word for all", "ld.shared.u32 %r5, [%r2];", { .ld_requests = 1, .ld_wavefronts = 1 } },
	{ "bytes of one word",
	  "and.b32 %r4, %r1, 3; add.u32 %r4, %r4, %r2; ld.shared.u8 %r5, [%r4];",
	  { .ld_requests = 1, .ld_wavefronts = 1 } },
	{ "16 bytes a lane, no conflict",
	  EACH(16) "ld.shared.v4.u32 {%r5,%r6,%r7,%r8}, [%r4];",
	  { .ld_requests = 1, .ld_wavefronts = 4 } },
	{ "16 bytes as two 64-bit words",
	  EACH(16) "st.shared.v2.u64 [%r4], {%d4,%d5};",
	  { .st_requests = 1, .st_wavefronts = 4 } },
	{ "8 bytes as four halves",
	  EACH(8) "ld.shared.v4.u16 {%h1,%h2,%h3,%h4}, [%r4];",
	  { .ld_requests = 1, .ld_wavefronts = 2 } },
	{ "8 bytes of equal pairs are one group",
	  "shr.u32 %r4, %r1, 1; mad.lo.u32 %r4, %r4, 8, %r2; ld.shared.u64 %d4, [%r4];",
	  { .ld_requests = 1, .ld_wavefronts = 1 } },
	{ "stores of equal pairs are not",
	  "shr.u32 %r4, %r1, 1; mad.lo.u32 %r4, %r4, 8, %r2; st.shared.u64 [%r4], %d4;",
	  { .st_requests = 1, .st_wavefronts = 2 } },
	{ "half of the lanes",
	  EACH(128) "setp.lt.u32 %p1, %r1, 16; @%p1 ld.shared.u32 %r5, [%r4];",
	  { .ld_requests = 1, .ld_wavefronts = 16, .ld_conflicts = 15 } },
	{ "no lane", "setp.lt.u32 %p1, %r1, 0; @%p1 ld.shared.u32 %r5, [%r2];", { 0 } },
	{ "two arms, two requests",
	  EACH(4) "setp.lt.u32 %p1, %r1, 16; @%p1 bra A; ld.shared.u32 %r5, [%r4]; bra J; "
		  "A: ld.shared.u32 %r6, [%r4]; J:",
	  { .ld_requests = 2, .ld_wavefronts = 2 } },
	{ "the same behind the two arms is one",
	  EACH(4) "setp.lt.u32 %p1, %r1, 16; @%p1 bra A; mov.u32 %r5, 1; bra J; A: mov.u32 %r5, 2; "
		  "J: ld.shared.u32 %r6, [%r4];",
	  { .ld_requests = 1, .ld_wavefronts = 1 } },
	{ "a loop of four",
	  "mov.u32 %r6, 0; L: ld.shared.u32 %r5, [%r2]; add.u32 %r6, %r6, 1; "
	  "setp.lt.u32 %p1, %r6, 4; @%p1 bra L;",
	  { .ld_requests = 4, .ld_wavefronts = 4 } },
	{ "generic accesses are no requests",
	  EACH(128) "cvt.u64.u32 %d4, %r4; cvta.shared.u64 %d4, %d4; st.u32 [%d4], %r5; "
		    "ld.u32 %r5, [%d4];",
	  { .ld_wavefronts = 32, .ld_conflicts = 31, .st_wavefronts = 32, .st_conflicts = 31 } },
	{ "atom.add of one word",
	  "atom.shared.add.u32 %r5, [%r2], %r1; mov.u32 %r6, %r5;",
	  { .atom_requests = 1, .atom_wavefronts = 32, .atom_conflicts = 31 } },
	{ "atom.add of a word a lane",
	  EACH(4) "atom.shared.add.u32 %r5, [%r4], %r1; mov.u32 %r6, %r5;",
	  { .atom_requests = 1, .atom_wavefronts = 1 } },
	{ "atom.add of 1 whose result is used",
	  "atom.shared.add.u32 %r5, [%r2], 1; mov.u32 %r6, %r5;",
	  { .atom_requests = 1, .atom_wavefronts = 32, .atom_conflicts = 31 } },
	{ "atom.add of 1 whose result is not used",
	  "atom.shared.add.u32 %r5, [%r2], 1;",
	  { .atom_requests = 1, .atom_wavefronts = 1 } },
	{ "atom.add of 1 into _", "atom.shared.add.u32 _, [%r2], 1;", { .atom_requests = 1, .atom_wavefronts = 1 } },
	{ "red.add of 1", "red.shared.add.u32 [%r2], 1;", { .atom_requests = 1, .atom_wavefronts = 1 } },
	{ "red.add of a register that is 1",
	  "mov.u32 %r5, 1; red.shared.add.u32 [%r2], %r5;",
	  { .atom_requests = 1, .atom_wavefronts = 1 } },
	{ "red.add of a register that is not always 1",
	  "mov.u32 %r5, 1; setp.eq.u32 %p1, %r1, 1; @%p1 mov.u32 %r5, 2; "
	  "red.shared.add.u32 [%r2], %r5;",
	  { .atom_requests = 1, .atom_wavefronts = 32, .atom_conflicts = 31 } },
	{ "red.add of a register that is 1 in some lanes",
	  "setp.eq.u32 %p1, %r1, 1; @%p1 mov.u32 %r5, 1; red.shared.add.u32 [%r2], %r5;",
	  { .atom_requests = 1, .atom_wavefronts = 32, .atom_conflicts = 31 } },
	{ "red.add of 2",
	  "red.shared.add.u32 [%r2], 2;",
	  { .atom_requests = 1, .atom_wavefronts = 32, .atom_conflicts = 31 } },
	{ "red.add of 1, 32-way",
	  EACH(128) "red.shared.add.u32 [%r4], 1;",
	  { .atom_requests = 1, .atom_wavefronts = 32, .atom_conflicts = 31 } },
	{ "red.max",
	  "red.shared.max.u32 [%r2], %r1;",
	  { .atom_requests = 1, .atom_wavefronts = 32, .atom_conflicts = 31 } },
	{ "cas",
	  "atom.shared.cas.b32 %r5, [%r2], 0, 1;",
	  { .atom_requests = 1, .atom_wavefronts = 64, .atom_conflicts = 31 } },
	{ "exch.b64",
	  "atom.shared.exch.b64 %d5, [%r2], %d4;",
	  { .atom_requests = 1, .atom_wavefronts = 32, .atom_conflicts = 30 } },
	{ "add.f32 counts as a request only",
	  "mov.f32 %r5, 0f3F800000; red.shared.add.f32 [%r2], %r5;",
	  { .atom_requests = 1 } },
	{ "add.u64 counts as a request only", "red.shared.add.u64 [%r2], %d4;", { .atom_requests = 1 } },
	{ "ldmatrix.x4, rows of 16 bytes",
	  EACH(16) "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5,%r6,%r7,%r8}, [%r4];",
	  { .ldsm_requests = 1, .ld_wavefronts = 4 } },
	{ "ldmatrix.x4, rows of 128 bytes",
	  EACH(128) "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5,%r6,%r7,%r8}, [%r4];",
	  { .ldsm_requests = 1, .ld_wavefronts = 32, .ld_conflicts = 28 } },
	{ "ldmatrix.x2.trans, rows of 64 bytes",
	  EACH(64) "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r5,%r6}, [%r4];",
	  { .ldsm_requests = 1, .ld_wavefronts = 8, .ld_conflicts = 6 } },
	{ "ldmatrix by a generic address",
	  EACH(144) "cvt.u64.u32 %d4, %r4; cvta.shared.u64 %d4, %d4; "
		    "ldmatrix.sync.aligned.m8n8.x4.b16 {%r5,%r6,%r7,%r8}, [%d4];",
	  { .ldsm_requests = 1, .ld_wavefronts = 4 } },
	{ "stmatrix.x1, rows of 32 bytes",
	  EACH(32) "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {%r5};",
	  { .stsm_requests = 1, .st_wavefronts = 2, .st_conflicts = 1 } },
	{ "cp.async.ca of 4 to one word",
	  "cp.async.ca.shared.global [%r2], [%d0], 4; cp.async.wait_all;",
	  { .ldgsts_requests = 1, .ldgsts_conflicts = 31 } },
	{ "cp.async.ca of 16", EACH(16) "cp.async.ca.shared.global [%r4], [%d0], 16;", { .ldgsts_requests = 1 } },
	{ "cp.async.cg", EACH(128) "cp.async.cg.shared.global [%r4], [%d0], 16;", { .ldgsts_requests = 1 } },
	{ "a global word a lane", "ld.global.u32 %r5, [%d2];", { .global_ld_requests = 1, .global_ld_sectors = 4 } },
	{ "one global word", "ld.global.nc.u32 %r5, [%d0];", { .global_ld_requests = 1, .global_ld_sectors = 1 } },
	{ "a sector a lane",
	  "mad.wide.u32 %d4, %r1, 32, %d1; st.global.u8 [%d4], %r5;",
	  { .global_st_requests = 1, .global_st_sectors = 32 } },
	{ "16 global bytes a lane",
	  "mad.wide.u32 %d4, %r1, 16, %d1; st.global.v4.u32 [%d4], {%r4,%r4,%r4,%r4};",
	  { .global_st_requests = 1, .global_st_sectors = 16 } },
	{ "words that straddle", "ld.global.u32 %r5, [%d2+4];", { .global_ld_requests = 1, .global_ld_sectors = 5 } },
	{ "a generic global load", "ld.u32 %r5, [%d2];", { .global_ld_requests = 1, .global_ld_sectors = 4 } },
	{ "global atomics count as neither", "atom.global.add.u32 %r5, [%d1], 1;", { 0 } },
	{ "barriers", "bar.sync 0; bar.sync 1; bar.arrive 2, 64; bar.warp.sync 0xffffffff;", { .barriers = 3 } },
};

static void compare(const char *what, const char *name, uint64_t got, uint64_t want)
{
	ck_assert_msg(got == want, "%s: %s is %llu, not %llu", what, name, (unsigned long long)got,
		      (unsigned long long)want);
}

#define COMPARE(name) compare(what, #name, got->name, want->name)

static void compare_counts(const char *what, const struct bc_ptx_counts *got, const struct bc_ptx_counts *want)
{
	COMPARE(ld_requests);
	COMPARE(ld_wavefronts);
	COMPARE(ld_conflicts);
	COMPARE(st_requests);
	COMPARE(st_wavefronts);
	COMPARE(st_conflicts);
	COMPARE(atom_requests);
	COMPARE(atom_wavefronts);
	COMPARE(atom_conflicts);
	COMPARE(ldsm_requests);
	COMPARE(stsm_requests);
	COMPARE(ldgsts_requests);
	COMPARE(ldgsts_conflicts);
	COMPARE(global_ld_requests);
	COMPARE(global_ld_sectors);
	COMPARE(global_st_requests);
	COMPARE(global_st_sectors);
	if (want->barriers)
		COMPARE(barriers);
}

START_TEST(counts_follow_the_laws)
{
	const struct bc_ptx_run_spec s = { .body = rows[_i].body,
					   .in = in,
					   .in_bytes = sizeof(in),
					   .out = out,
					   .out_bytes = sizeof(out),
					   .launch = { .shared_bytes = 16384, .reads_unwritten = true } };

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s: %s", rows[_i].what, err.msg);
	compare_counts(rows[_i].what, &result.counts, &rows[_i].want);
}
END_TEST

/* Hooks that change what is counted, on paper: %d0 and %d1 are at the start of a line, %d2 is %d0 + 4 * lane. */
static const struct {
	const char *what, *body;
	struct bc_ptx_hooks hooks;
	struct bc_ptx_counts want;
} hooked[] = {
	{ "a shuffle", "shfl.sync.idx.b32 %r5, %r1, 3, 31, 0xffffffff;", { .share_blocks = false }, { 0 } },
	{ "a shuffle that counts",
	  "shfl.sync.idx.b32 %r5, %r1, 3, 31, 0xffffffff;",
	  { .count_shuffles = true },
	  { .ld_requests = 1, .ld_wavefronts = 1, .st_requests = 1, .st_wavefronts = 1 } },
	{ "a vote does not", "vote.sync.ballot.b32 %r5, %p1, 0xffffffff;", { .count_shuffles = true }, { 0 } },
	{ "one word of a line",
	  "ld.global.u32 %r5, [%d0];",
	  { .whole_lines = true },
	  { .global_ld_requests = 1, .global_ld_sectors = 4 } },
	{ "all words of a line",
	  "ld.global.u32 %r5, [%d2];",
	  { .whole_lines = true },
	  { .global_ld_requests = 1, .global_ld_sectors = 4 } },
	{ "words of two lines",
	  "ld.global.u32 %r5, [%d2+4];",
	  { .whole_lines = true },
	  { .global_ld_requests = 1, .global_ld_sectors = 8 } },
	{ "a word of each of 32 lines",
	  "mad.wide.u32 %d4, %r1, 128, %d1; st.global.u8 [%d4], %r5;",
	  { .whole_lines = true },
	  { .global_st_requests = 1, .global_st_sectors = 128 } },
	{ "words by words",
	  "ld.global.u32 %r5, [%d2];",
	  { .by_words = true },
	  { .global_ld_requests = 1, .global_ld_sectors = 4 } },
	{ "a byte by words",
	  "ld.global.u8 %r5, [%d0];",
	  { .by_words = true },
	  { .global_ld_requests = 1, .global_ld_sectors = 1 } },
	{ "8 bytes by words",
	  "mad.wide.u32 %d4, %r1, 8, %d0; ld.global.u64 %d4, [%d4];",
	  { .by_words = true },
	  { .global_ld_requests = 1, .global_ld_sectors = 16 } },
	{ "16 bytes by words",
	  "mad.wide.u32 %d4, %r1, 16, %d1; st.global.v4.u32 [%d4], {%r4,%r4,%r4,%r4};",
	  { .by_words = true },
	  { .global_st_requests = 1, .global_st_sectors = 64 } },
};

START_TEST(hooks_change_what_is_counted)
{
	const struct bc_ptx_run_spec s = { .body = hooked[_i].body,
					   .in = in,
					   .in_bytes = sizeof(in),
					   .out = out,
					   .out_bytes = sizeof(out),
					   .launch = { .shared_bytes = 16384, .hooks = &hooked[_i].hooks } };

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s: %s", hooked[_i].what, err.msg);
	compare_counts(hooked[_i].what, &result.counts, &hooked[_i].want);
}
END_TEST

START_TEST(blocks_and_warps_add_up)
{
	const struct bc_ptx_run_spec s = {
		.body = EACH(8) "st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r5, [%r4];",
		.in = in,
		.in_bytes = sizeof(in),
		.launch = { .grid = { 7, 3, 2 }, .block = { 64 }, .shared_bytes = 512, .workers = 2 }
	};
	/* 84 warps, two ways each. */
	static const struct bc_ptx_counts want = { .ld_requests = 84,
						   .ld_wavefronts = 168,
						   .ld_conflicts = 84,
						   .st_requests = 84,
						   .st_wavefronts = 168,
						   .st_conflicts = 84,
						   .barriers = 84 };

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	compare_counts("84 warps", &result.counts, &want);
	ck_assert_uint_eq(result.counts.lane_instructions, result.counts.instructions * 32);
	ck_assert_uint_eq(result.counts.instructions % 84, 0);
}
END_TEST

START_TEST(instructions_are_counted_one_a_warp)
{
	struct bc_ptx_run_spec s = { .body = "", .launch = { .block = { 40 } } };
	uint64_t empty, lanes;

	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	empty = result.counts.instructions;
	lanes = result.counts.lane_instructions;
	ck_assert_uint_eq(lanes, empty / 2 * 40);
	s.body = "add.u32 %r4, %r4, 1; setp.eq.u32 %p1, %r1, 99; @%p1 add.u32 %r4, %r4, 1; membar.gl;";
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(result.counts.instructions, empty + 8);
	ck_assert_uint_eq(result.counts.lane_instructions, lanes + 160);
}
END_TEST

/* A loop that two groups of lanes leave at different times counts the loads of each iteration once. */
START_TEST(lanes_that_loop_together_are_one_request)
{
	const struct bc_ptx_run_spec s = {
		.body = "and.b32 %r6, %r1, 1; add.u32 %r6, %r6, 3; mov.u32 %r7, 0; "
			"L: ld.shared.u32 %r5, [%r2]; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, %r6; "
			"@%p1 bra L;"
			" ld.shared.u32 %r5, [%r2];",
		.launch = { .shared_bytes = 64, .reads_unwritten = true }
	};

	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(result.counts.ld_requests, 4 + 1);
}
END_TEST

/* The measured patterns of loads and stores, as kernels whose offsets come from memory. */
struct measured {
	const char *op, *body;
};

static const struct measured measured[] = {
	{ "ld8", "ld.shared.u8 %r5, [%r4];" },
	{ "ld16", "ld.shared.u16 %h1, [%r4];" },
	{ "ld32", "ld.shared.u32 %r5, [%r4];" },
	{ "ld64", "ld.shared.v2.u32 {%r5,%r6}, [%r4];" },
	{ "ld128", "ld.shared.v4.u32 {%r5,%r6,%r7,%r8}, [%r4];" },
	{ "st8", "st.shared.u8 [%r4], %r5;" },
	{ "st16", "st.shared.u16 [%r4], %h1;" },
	{ "st32", "st.shared.u32 [%r4], %r5;" },
	{ "st64", "st.shared.v2.u32 [%r4], {%r5,%r6};" },
	{ "st128", "st.shared.v4.u32 [%r4], {%r5,%r6,%r7,%r8};" },
	{ "gld32", "cvt.u64.u32 %d4, %r4; cvta.shared.u64 %d4, %d4; ld.u32 %r5, [%d4];" },
	{ "gst32", "cvt.u64.u32 %d4, %r4; cvta.shared.u64 %d4, %d4; st.u32 [%d4], %r5;" },
	{ "atom32", "atom.shared.add.u32 %r5, [%r4], %r1; mov.u32 %r6, %r5;" },
	{ "max32", "atom.shared.max.u32 %r5, [%r4], %r1; mov.u32 %r6, %r5;" },
	{ "and32", "atom.shared.and.b32 %r5, [%r4], %r1; mov.u32 %r6, %r5;" },
	{ "inc32", "atom.shared.inc.u32 %r5, [%r4], %r1; mov.u32 %r6, %r5;" },
	{ "exch32", "atom.shared.exch.b32 %r5, [%r4], %r1; mov.u32 %r6, %r5;" },
	{ "cas32", "atom.shared.cas.b32 %r5, [%r4], %r1, %r0; mov.u32 %r6, %r5;" },
	{ "exch64", "atom.shared.exch.b64 %d5, [%r4], %d4;" },
	{ "cas64", "atom.shared.cas.b64 %d5, [%r4], %d4, %d6;" },
	{ "red32", "red.shared.add.u32 [%r4], 1;" },
	{ "redv32", "red.shared.add.u32 [%r4], %r1;" },
	{ "redmax32", "red.shared.max.u32 [%r4], %r1;" },
	{ "ldsm1", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4];" },
	{ "ldsm2", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5,%r6}, [%r4];" },
	{ "ldsm4", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5,%r6,%r7,%r8}, [%r4];" },
	{ "ldsm4t", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r5,%r6,%r7,%r8}, [%r4];" },
	{ "stsm1", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {%r5};" },
	{ "stsm2", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r4], {%r5,%r6};" },
	{ "stsm4", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r4], {%r5,%r6,%r7,%r8};" },
	{ "cpa4", "cp.async.ca.shared.global [%r4], [%d0], 4;" },
	{ "cpa8", "cp.async.ca.shared.global [%r4], [%d0], 8;" },
	{ "cpa16ca", "cp.async.ca.shared.global [%r4], [%d0], 16;" },
	{ "cpa16cg", "cp.async.cg.shared.global [%r4], [%d0], 16;" },
};

/* Field @n (0-based) of a tab-separated line. */
static const char *field(const char *line, unsigned n)
{
	for (; n > 0; n--)
		line = strchr(line, '\t') + 1;
	return line;
}

/* All rows of one operation in one launch: block b takes row b. in: a mask and 32 offsets a row. */
static unsigned gather(const char *text, const char *op, uint32_t *table, unsigned max, uint64_t *wavefronts,
		       uint64_t *conflicts)
{
	const size_t n = strlen(op);
	unsigned found = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		char *at;

		if (strncmp(line, op, n) != 0 || line[n] != '\t')
			continue;
		ck_assert_uint_lt(found, max);
		table[33 * found] = (uint32_t)strtoul(field(line, 2), NULL, 16);
		*wavefronts += strtoul(field(line, 4), NULL, 10);
		*conflicts += strtoul(field(line, 5), NULL, 10);
		at = (char *)(uintptr_t)field(line, 7);
		for (unsigned l = 0; l < 32; l++, at++)
			table[33 * found + 1 + l] = (uint32_t)strtoul(at, &at, 10);
		found++;
	}
	return found;
}

START_TEST(measured_patterns_are_counted_as_measured)
{
	enum { MAX = 400 };
	static uint32_t table[33 * MAX];
	char path[512], body[600];
	struct bc_text text = { 0 };
	uint64_t wavefronts = 0, conflicts = 0, got_w, got_c;
	const char *op = measured[_i].op;
	unsigned n;

	(void)snprintf(path, sizeof(path), "%s/core/h200-sm90-patterns.tsv", BC_TEST_DATA);
	ck_assert_msg(bc_file_read(path, 1u << 24, &text, &err) == BC_OK, "%s", err.msg);
	n = gather(text.data, op, table, MAX, &wavefronts, &conflicts);
	bc_text_release(&text);
	ck_assert_msg(n > 10, "%s: %u rows", op, n);
	(void)snprintf(body, sizeof(body),
		       "mov.u32 %%r10, %%ctaid.x; mad.wide.u32 %%d10, %%r10, 132, %%d0; "
		       "ld.global.u32 %%r11, [%%d10]; mad.wide.u32 %%d10, %%r1, 4, %%d10; "
		       "ld.global.u32 %%r4, [%%d10+4];"
		       " add.u32 %%r4, %%r4, %%r2; shr.u32 %%r11, %%r11, %%r1; and.b32 %%r11, %%r11, 1; "
		       "setp.eq.u32 %%p1, %%r11, 0; @%%p1 bra E; %s E:",
		       measured[_i].body);
	const struct bc_ptx_run_spec s = { .body = body,
					   .in = table,
					   .in_bytes = 33 * 4 * n,
					   .launch = {
						   .grid = { n }, .shared_bytes = 65536, .reads_unwritten = true } };

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s: %s", op, err.msg);
	got_w = result.counts.ld_wavefronts + result.counts.st_wavefronts + result.counts.atom_wavefronts;
	got_c = result.counts.ld_conflicts + result.counts.st_conflicts + result.counts.atom_conflicts +
		result.counts.ldgsts_conflicts;
	if (strncmp(op, "cpa", 3) != 0) /* the counter of their wavefronts does not exist on the device measured */
		compare(op, "wavefronts", got_w, wavefronts);
	compare(op, "conflicts", got_c, conflicts);
}
END_TEST

Suite *bc_test_ptx_counters(void)
{
	Suite *s = suite_create("ptx_counters");
	TCase *tc = tcase_create("counters");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, counts_follow_the_laws, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_loop_test(tc, hooks_change_what_is_counted, 0, (int)BC_ARRAY_LEN(hooked));
	tcase_add_test(tc, blocks_and_warps_add_up);
	tcase_add_test(tc, instructions_are_counted_one_a_warp);
	tcase_add_test(tc, lanes_that_loop_together_are_one_request);
	tcase_add_loop_test(tc, measured_patterns_are_counted_as_measured, 0, (int)BC_ARRAY_LEN(measured));
	suite_add_tcase(s, tc);
	return s;
}
