/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx.h"

#include <check.h>
#include <string.h>

#include "harness/tests/ptx/ptx_run.h"

Suite *bc_test_ptx_races(void);

static struct bc_error err;
static struct bc_ptx_result result;
static uint32_t in[64];

/* ---------------------------------------------------------------- races: 64 threads, 2 warps */

#define OWN "shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r2; "
#define NEXT "add.u32 %r5, %r1, 1; and.b32 %r5, %r5, 63; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r2; "

static const struct {
	const char *what, *body;
	bool race;
	bool multi_writer;
} races[] = {
	{ "each thread its own word",
	  OWN "st.shared.u32 [%r4], %r1; ld.shared.u32 %r6, [%r4]; st.shared.u32 [%r4], %r6;", false, false },
	{ "the neighbour's word after a barrier",
	  OWN NEXT "st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r6, [%r5];", false, false },
	{ "the neighbour's word without a barrier", OWN NEXT "st.shared.u32 [%r4], %r1; ld.shared.u32 %r6, [%r5];",
	  true, false },
	{ "written while it may still be read",
	  OWN NEXT "st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r6, [%r5]; "
		   "st.shared.u32 [%r4], %r6;",
	  true, false },
	{ "read by another thread before, then by the writer itself",
	  "setp.eq.u32 %p1, %r1, 0; @%p1 ld.shared.u32 %r6, [%r2]; setp.eq.u32 %p1, %r1, 32; @%p1 ld.shared.u32 %r6, "
	  "[%r2];"
	  " @%p1 st.shared.u32 [%r2], %r6;",
	  true, false },
	{ "the same, twice by the writer itself",
	  "setp.eq.u32 %p1, %r1, 0; @%p1 ld.shared.u32 %r6, [%r2]; setp.eq.u32 %p1, %r1, 32; @%p1 ld.shared.u32 %r6, "
	  "[%r2];"
	  " @%p1 ld.shared.u32 %r6, [%r2]; @%p1 st.shared.u32 [%r2], %r6;",
	  true, false },
	{ "written after a second barrier",
	  OWN NEXT "st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r6, [%r5]; bar.sync 0; "
		   "st.shared.u32 [%r4], %r6;",
	  false, false },
	{ "all write one word", "st.shared.u32 [%r2], %r0;", true, false },
	{ "all lanes of one warp write one word, which is said",
	  "setp.ge.u32 %p1, %r1, 32; @%p1 exit; st.shared.u32 [%r2], %r1;", false, true },
	{ "two warps write one word, whatever is said", "st.shared.u32 [%r2], %r1;", true, true },
	{ "neighbouring bytes are not the same", "add.u32 %r4, %r1, %r2; st.shared.u8 [%r4], %r1;", false, false },
	{ "a byte and the word around it",
	  "setp.eq.u32 %p1, %r1, 3; @%p1 st.shared.u8 [%r2+1], %r1; setp.eq.u32 %p1, %r1, 4; "
	  "@%p1 st.shared.u32 [%r2], %r1;",
	  true, false },
	{ "a byte of a word that another thread wrote whole",
	  "setp.eq.u32 %p1, %r1, 3; @%p1 st.shared.u32 [%r2], %r1; setp.eq.u32 %p1, %r1, 4; "
	  "@%p1 st.shared.u8 [%r2+3], %r1;",
	  true, false },
	{ "the byte behind a word that another thread wrote whole",
	  "setp.eq.u32 %p1, %r1, 3; @%p1 st.shared.u32 [%r2], %r1; setp.eq.u32 %p1, %r1, 4; "
	  "@%p1 st.shared.u8 [%r2+4], %r1;",
	  false, false },
	{ "a word of which another thread wrote one byte before, and this one the other three",
	  OWN
	  "st.shared.u8 [%r4], %r1; st.shared.u16 [%r4+2], %r1; st.shared.u8 [%r4+1], %r1; st.shared.u32 [%r4], %r1; "
	  "setp.eq.u32 %p1, %r1, 4; @%p1 st.shared.u8 [%r2+1], %r1;",
	  true, false },
	{ "whole words, one word on in the next warp's turn",
	  OWN "st.shared.u32 [%r4], %r1; setp.ge.u32 %p1, %r1, 32; @%p1 ld.shared.u32 %r6, [%r4+-4];", true, false },
	{ "whole words, split by a byte's read before a barrier",
	  OWN NEXT
	  "st.shared.u32 [%r4], %r1; ld.shared.u8 %r6, [%r4+1]; bar.sync 0; ld.shared.u32 %r6, [%r5]; bar.sync 0; "
	  "st.shared.u32 [%r5], %r6;",
	  false, false },
	{ "only reads", "ld.shared.u32 %r6, [%r2]; ld.shared.u8 %r6, [%r2+1];", false, false },
	{ "atomics", "red.shared.add.u32 [%r2], %r1; atom.shared.max.u32 %r6, [%r2], %r1;", false, false },
	{ "an atomic and a plain store",
	  "setp.eq.u32 %p1, %r1, 3; @%p1 st.shared.u32 [%r2], %r1; "
	  "red.shared.add.u32 [%r2], %r1;",
	  true, false },
	{ "lanes of one warp after bar.warp.sync",
	  "setp.ge.u32 %p1, %r1, 32; @%p1 exit; " OWN
	  "xor.b32 %r5, %r4, 4; st.shared.u32 [%r4], %r1; bar.warp.sync 0xffffffff; "
	  "ld.shared.u32 %r6, [%r5];",
	  false, false },
	{ "lanes of one warp, bar.warp.sync before the store only",
	  "setp.ge.u32 %p1, %r1, 32; @%p1 exit; " OWN
	  "xor.b32 %r5, %r4, 4; bar.warp.sync 0xffffffff; st.shared.u32 [%r4], %r1; "
	  "ld.shared.u32 %r6, [%r5];",
	  true, false },
	{ "bar.warp.sync does not order two warps",
	  OWN NEXT "st.shared.u32 [%r4], %r1; bar.warp.sync 0xffffffff; ld.shared.u32 %r6, [%r5];", true, false },
	{ "bar.warp.sync of half a warp does not order the other half",
	  "setp.ge.u32 %p1, %r1, 32; @%p1 exit; " OWN
	  "xor.b32 %r5, %r4, 64; st.shared.u32 [%r4], %r1; setp.lt.u32 %p1, %r1, 16; "
	  "@%p1 bra A; bar.warp.sync 0xffff0000; bra J;"
	  " A: bar.warp.sync 0x0000ffff; J: ld.shared.u32 %r6, [%r5];",
	  true, false },
	{ "arrive and sync: producer before consumer",
	  "setp.lt.u32 %p1, %r1, 32; @%p1 bra P; bar.sync 1, 64; ld.shared.u32 %r6, [%r2]; "
	  "exit; P: setp.eq.u32 %p2, %r1, 0; @%p2 st.shared.u32 [%r2], %r1; bar.arrive 1, 64;",
	  false, false },
	{ "arrive and sync: the producer is not ordered after the consumer",
	  "setp.lt.u32 %p1, %r1, 32; @%p1 bra P; ld.shared.u32 %r6, [%r2]; bar.sync 1, 64; "
	  "exit;"
	  " P: bar.arrive 1, 64; setp.eq.u32 %p2, %r1, 0; @%p2 st.shared.u32 [%r2], %r1;",
	  true, false },
	{ "cp.async lands when it is waited for",
	  "setp.ne.u32 %p1, %r1, 0; @%p1 bra J; cp.async.ca.shared.global [%r2], [%d0], 4; "
	  "cp.async.wait_all; J: bar.sync 0; ld.shared.u32 %r6, [%r2];",
	  false, false },
	{ "cp.async and no barrier",
	  "setp.ne.u32 %p1, %r1, 0; @%p1 bra J; cp.async.ca.shared.global [%r2], [%d0], 4; "
	  "cp.async.wait_all; J: ld.shared.u32 %r6, [%r2];",
	  true, false },
};

START_TEST(races_are_found)
{
	const struct bc_ptx_run_spec s = { .body = races[_i].body,
					   .in = in,
					   .in_bytes = sizeof(in),
					   .launch = { .block = { 64 },
						       .shared_bytes = 512,
						       .racecheck = true,
						       .reads_unwritten = true,
						       .multi_writer = races[_i].multi_writer } };

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s: %s", races[_i].what, err.msg);
	ck_assert_msg((result.nfindings > 0) == races[_i].race, "%s: %zu findings: %s", races[_i].what,
		      result.nfindings, result.finding[0].text);
	ck_assert_msg(!races[_i].race || result.finding[0].kind == BC_PTX_RACE, "%s: %s", races[_i].what,
		      result.finding[0].text);
}
END_TEST

START_TEST(a_block_does_not_inherit_the_order_of_the_one_before)
{
	/* Block 0 synchronises its first warp many times; block 1 does not. */
	const struct bc_ptx_run_spec s = {
		.body = "mov.u32 %r4, %ctaid.x; setp.eq.u32 %p1, %r4, 1; @%p1 bra J; bar.warp.sync 0xffffffff;"
			" bar.warp.sync 0xffffffff; bar.warp.sync 0xffffffff; ret; J: setp.eq.u32 %p2, %r1, 3;"
			" @%p2 st.shared.u32 [%r2], %r1; setp.eq.u32 %p2, %r1, 4; @%p2 st.shared.u32 [%r2], %r1;",
		.launch = { .grid = { 2 }, .shared_bytes = 64, .racecheck = true }
	};

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(result.nfindings, 1);
	ck_assert_uint_eq(result.finding[0].block[0], 1);
}
END_TEST

START_TEST(a_race_names_both_accesses)
{
	const struct bc_ptx_run_spec s = { .body = "setp.eq.u32 %p1, %r1, 3;\n@%p1 st.shared.u32 [%r2+16], %r1;"
						   "\nsetp.eq.u32 %p1, %r1, 40;\n@%p1 ld.shared.u8 %r4, [%r2+18];",
					   .launch = { .block = { 64 }, .shared_bytes = 64, .racecheck = true } };
	const struct bc_ptx_finding *f = &result.finding[0];

	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(result.nfindings, 1);
	ck_assert_uint_eq(f->line, 12);
	ck_assert_uint_eq(f->other_line, 10);
	ck_assert_uint_eq(f->other_thread, 3);
	ck_assert_uint_eq(f->thread[0], 40);
	ck_assert_uint_eq(f->address, 0x412);
	ck_assert_str_eq(f->text, "race: kernel k, test.ptx:12, block (0,0,0), thread (40,0,0), "
				  "lane 8: 1-byte read at shared address 0x412, "
				  "with line 10 of thread (3,0,0)");
}
END_TEST

Suite *bc_test_ptx_races(void)
{
	Suite *s = suite_create("ptx_races");
	TCase *tc = tcase_create("races");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, races_are_found, 0, (int)BC_ARRAY_LEN(races));
	tcase_add_test(tc, a_block_does_not_inherit_the_order_of_the_one_before);
	tcase_add_test(tc, a_race_names_both_accesses);
	suite_add_tcase(s, tc);
	return s;
}
