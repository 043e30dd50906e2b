/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/ptx/ptx_run.h"

Suite *bc_test_ptx_memory(void);

static struct bc_error err;
static struct bc_ptx_result result;
static uint32_t in[64], out[64];

/* ---------------------------------------------------------------- findings: one row, one access that is wrong */

#define STOPS BC_EDEVICE
#define GOES_ON BC_OK

/* in and out have 256 bytes; the block has 256 bytes of dynamic shared memory from 0x400 on. */
static const struct {
	const char *what, *body;
	enum bc_status status;
	enum bc_ptx_fault_kind kind;
	enum bc_ptx_space space;
	uint32_t lane, bytes, line;
	bool write;
	uint64_t shared_addr; /* 0: not compared */
} findings[] = {
	{ "the word behind the allocation", "ld.global.u32 %r4, [%d0+256];", STOPS, BC_PTX_OUT_OF_BOUNDS, BC_PTX_GLOBAL,
	  0, 4, 9, false, 0 },
	{ "the last of 32 words that follow one another",
	  "shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r2; st.shared.u32 [%r4+132], %r1;", STOPS, BC_PTX_SHARED_LIMIT,
	  BC_PTX_SHARED, 31, 4, 9, true, 0x500 },
	{ "one of 32 words that nobody wrote",
	  "shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r2; setp.ne.u32 %p1, %r1, 5; @%p1 st.shared.u32 [%r4], %r1;\n"
	  "ld.shared.u32 %r6, [%r4];",
	  BC_OK, BC_PTX_UNWRITTEN, BC_PTX_SHARED, 5, 4, 10, false, 0x414 },
	{ "the last lane alone", "mad.wide.u32 %d4, %r1, 8, %d1;\nst.global.v4.u32 [%d4+8], {%r4,%r4,%r4,%r4};", STOPS,
	  BC_PTX_MISALIGNED, BC_PTX_GLOBAL, 0, 16, 10, true, 0 },
	{ "a vector that only ends outside",
	  "mad.wide.u32 %d4, %r1, 8, %d1;\n setp.ne.u32 %p1, %r1, 31; @%p1 exit; "
	  "st.global.v2.u64 [%d4], {%d5,%d5};",
	  STOPS, BC_PTX_OUT_OF_BOUNDS, BC_PTX_GLOBAL, 31, 16, 10, true, 0 },
	{ "null", "mov.u64 %d4, 0;\n\nld.global.u8 %r4, [%d4];", STOPS, BC_PTX_UNMAPPED, BC_PTX_GLOBAL, 0, 1, 11, false,
	  0 },
	{ "far away", "mov.u64 %d4, 0x123456789000; atom.global.add.u32 %r4, [%d4], 1;", STOPS, BC_PTX_UNMAPPED,
	  BC_PTX_GLOBAL, 0, 4, 9, true, 0 },
	{ "a misaligned word", "setp.ne.u32 %p1, %r1, 7; @%p1 exit; ld.global.u32 %r4, [%d0+2];", STOPS,
	  BC_PTX_MISALIGNED, BC_PTX_GLOBAL, 7, 4, 9, false, 0 },
	{ "a generic address in the gap", "st.u32 [%d1+260], %r4;", STOPS, BC_PTX_OUT_OF_BOUNDS, BC_PTX_GLOBAL, 0, 4, 9,
	  true, 0 },
	{ "shared, one byte past the end", "shl.b32 %r4, %r1, 3; add.u32 %r4, %r4, %r2; st.shared.u32 [%r4+5], %r1;",
	  STOPS, BC_PTX_MISALIGNED, BC_PTX_SHARED, 0, 4, 9, true, 0x405 },
	{ "shared, the word behind the end", "shl.b32 %r4, %r1, 3; add.u32 %r4, %r4, %r2; st.shared.u32 [%r4+8], %r1;",
	  STOPS, BC_PTX_SHARED_LIMIT, BC_PTX_SHARED, 31, 4, 9, true, 0x500 },
	{ "shared, below the window", "ld.shared.u32 %r4, [%r2+-4];", STOPS, BC_PTX_SHARED_LIMIT, BC_PTX_SHARED, 0, 4,
	  9, false, 0x3fc },
	{ "shared through a generic address", "cvt.u64.u32 %d4, %r2; cvta.shared.u64 %d4, %d4; ld.u32 %r4, [%d4+256];",
	  STOPS, BC_PTX_SHARED_LIMIT, BC_PTX_SHARED, 0, 4, 9, false, 0x500 },
	{ "a shared atomic past the end", "atom.shared.add.u32 %r4, [%r2+256], 1;", STOPS, BC_PTX_SHARED_LIMIT,
	  BC_PTX_SHARED, 0, 4, 9, true, 0x500 },
	{ "a row of ldmatrix past the end",
	  "mad.lo.u32 %r4, %r1, 40, %r2; and.b32 %r4, %r4, 0xfffffff0; "
	  "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4];",
	  STOPS, BC_PTX_SHARED_LIMIT, BC_PTX_SHARED, 7, 16, 9, false, 0x510 },
	{ "a misaligned row of ldmatrix", "add.u32 %r4, %r2, 8; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4];",
	  STOPS, BC_PTX_MISALIGNED, BC_PTX_SHARED, 0, 16, 9, false, 0x408 },
	{ "cp.async to behind the end", "cp.async.ca.shared.global [%r2+252], [%d0], 8;", STOPS, BC_PTX_SHARED_LIMIT,
	  BC_PTX_SHARED, 0, 8, 9, true, 0x4fc },
	{ "cp.async from behind the end", "cp.async.ca.shared.global [%r2], [%d0+252], 8;", STOPS, BC_PTX_OUT_OF_BOUNDS,
	  BC_PTX_GLOBAL, 0, 8, 9, false, 0 },
	{ "cp.async from a misaligned source", "cp.async.cg.shared.global [%r2], [%d0+8], 16;", STOPS,
	  BC_PTX_MISALIGNED, BC_PTX_GLOBAL, 0, 16, 9, false, 0 },
	{ "local memory past its end", ".local .align 4 .b8 a[16]; mov.u32 %r4, a; ld.local.u32 %r5, [%r4+16];", STOPS,
	  BC_PTX_OUT_OF_BOUNDS, BC_PTX_LOCAL, 0, 4, 9, false, 0 },
	{ "parameters past their end", "ld.param.u64 %d4, [n+4];", STOPS, BC_PTX_OUT_OF_BOUNDS, BC_PTX_PARAM, 0, 8, 9,
	  false, 0 },
	{ "a parameter written", "mov.b64 %d4, in; cvta.param.u64 %d4, %d4; st.u32 [%d4], %r4;", STOPS,
	  BC_PTX_READ_ONLY, BC_PTX_PARAM, 0, 4, 9, true, 0 },
	{ "shared bytes never written",
	  "setp.ne.u32 %p1, %r1, 9; @%p1 exit; st.shared.u8 [%r2+32], %r1; "
	  "ld.shared.u32 %r4, [%r2+32];",
	  GOES_ON, BC_PTX_UNWRITTEN, BC_PTX_SHARED, 9, 4, 9, false, 0x421 },
	{ "an atomic on bytes never written", "red.shared.add.u32 [%r2], 1;", GOES_ON, BC_PTX_UNWRITTEN, BC_PTX_SHARED,
	  0, 4, 9, false, 0x400 },
	{ "ldmatrix of bytes never written",
	  "shl.b32 %r4, %r1, 4; and.b32 %r4, %r4, 0x7f; add.u32 %r4, %r4, %r2; "
	  "setp.ge.u32 %p1, %r1, 3; @!%p1 st.shared.v4.u32 [%r4], {%r1,%r1,%r1,%r1};"
	  " ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4];",
	  GOES_ON, BC_PTX_UNWRITTEN, BC_PTX_SHARED, 3, 16, 9, false, 0x430 },
	{ "cp.async that nobody waited for",
	  "setp.ne.u32 %p1, %r1, 0; @%p1 exit; cp.async.ca.shared.global [%r2], [%d0], 4; "
	  "cp.async.commit_group; ld.shared.u32 %r4, [%r2];",
	  GOES_ON, BC_PTX_UNWRITTEN, BC_PTX_SHARED, 0, 4, 9, false, 0x400 },
};

START_TEST(a_wrong_access_is_found)
{
	const struct bc_ptx_run_spec s = { .body = findings[_i].body,
					   .in = in,
					   .in_bytes = sizeof(in),
					   .out = out,
					   .out_bytes = sizeof(out),
					   .launch = { .shared_bytes = 256,
						       .reads_unwritten = findings[_i].status == STOPS } };
	const enum bc_status st = bc_ptx_run_kernel(&s, &result, &err);
	const struct bc_ptx_finding *f = &result.finding[0];
	const char *what = findings[_i].what;

	ck_assert_msg(st == findings[_i].status, "%s: status %d: %s", what, st, st ? err.msg : "");
	ck_assert_msg(result.nfindings == 1, "%s: %zu findings", what, result.nfindings);
	ck_assert_msg(f->kind == findings[_i].kind && f->space == findings[_i].space, "%s: %s", what, f->text);
	ck_assert_msg(f->lane == findings[_i].lane && f->thread[0] == findings[_i].lane, "%s: %s", what, f->text);
	ck_assert_msg(f->line == findings[_i].line && f->bytes == findings[_i].bytes && f->write == findings[_i].write,
		      "%s: %s", what, f->text);
	ck_assert_msg(!findings[_i].shared_addr || f->address == findings[_i].shared_addr, "%s: %s", what, f->text);
	if (st)
		ck_assert_str_eq(err.msg, f->text);
}
END_TEST

START_TEST(a_finding_names_everything)
{
	const struct bc_ptx_run_spec s = {
		.body = "mov.u32 %r4, %ctaid.y; setp.ne.u32 %p1, %r4, 2; @%p1 exit; mov.u32 %r4, %tid.y; "
			"setp.ne.u32 %p1, %r4, 3; @%p1 exit;"
			" setp.ne.u32 %p1, %r1, 4; @%p1 exit;\nld.shared.u64 %d4, [%r2+64];",
		.path = "dir/file.ptx",
		.launch = { .grid = { 1, 3, 1 }, .block = { 10, 8, 1 }, .shared_bytes = 64 }
	};

	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_EDEVICE);
	/* Thread (4,3,0) is linear thread 34: lane 2 of warp 1. */
	ck_assert_str_eq(err.msg, "outside the block's shared memory: kernel k, dir/file.ptx:10, block (0,2,0), "
				  "thread (4,3,0), lane 2: "
				  "8-byte read at shared address 0x440, the block has 0x400..0x440");
}
END_TEST

START_TEST(reads_unwritten_and_multi_writer_are_allowed_where_said)
{
	struct bc_ptx_run_spec s = { .body = "ld.shared.u32 %r4, [%r2+8]; bar.sync 0; st.shared.u32 [%r2], %r1;",
				     .launch = { .shared_bytes = 256, .racecheck = true } };

	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(result.nfindings, 2);
	s.launch.reads_unwritten = true;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(result.nfindings, 1);
	ck_assert_int_eq(result.finding[0].kind, BC_PTX_RACE);
	s.launch.multi_writer = true;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(result.nfindings, 0);
}
END_TEST

/* ---------------------------------------------------------------- what memory instructions do */

static const struct {
	const char *what, *body;
	uint64_t want[3]; /* u64 words 0, 1 and 31 of out, one a lane */
} effects[] = {
#define STORE64 " mad.wide.u32 %d20, %r1, 8, %d1; st.global.u64 [%d20], %d10;"
	{ "a signed comparison by the whole warp",
	  "sub.u32 %r4, %r1, 1; setp.lt.s32 %p1, %r4, 1; selp.u64 %d10, 1, 0, %p1;" STORE64,
	  { 1, 1, 0 } },
	{ "ld.s8 extends to the register",
	  "mov.u32 %r4, 0x80; st.shared.u8 [%r2], %r4; bar.sync 0; ld.shared.s8 %d10, [%r2];" STORE64,
	  { 0xffffffffffffff80, 0xffffffffffffff80, 0xffffffffffffff80 } },
	{ "ld.s8 into 32 bits",
	  "mov.u32 %r4, 0x80; st.shared.u8 [%r2], %r4; ld.shared.s8 %r5, [%r2]; "
	  "mov.b64 %d10, {%r5, %r5};" STORE64,
	  { 0xffffff80ffffff80, 0xffffff80ffffff80, 0xffffff80ffffff80 } },
	{ "ld.u8 does not extend",
	  "mov.u32 %r4, 0x1ff; st.shared.u8 [%r2], %r4; ld.shared.u8 %d10, [%r2];" STORE64,
	  { 0xff, 0xff, 0xff } },
	{ "a vector of bytes",
	  "mov.u32 %r4, 0x44332211; st.shared.u32 [%r2], %r4; "
	  "ld.shared.v4.u8 {%h1,%h2,%h3,%h4}, [%r2];"
	  " mov.b32 %r5, {%h4,%h2}; cvt.u64.u32 %d10, %r5;" STORE64,
	  { 0x00220044, 0x00220044, 0x00220044 } },
	{ "v2.u64 through generic shared addresses",
	  "cvt.u64.u32 %d4, %r2; cvta.shared.u64 %d4, %d4; mad.wide.u32 %d4, %r1, 16, %d4; "
	  "cvt.u64.u32 %d5, %r1; mov.u64 %d6, 7;"
	  " st.v2.u64 [%d4], {%d6,%d5}; ld.v2.u64 {%d7,%d8}, [%d4]; "
	  "mad.lo.u64 %d10, %d7, 100, %d8;" STORE64,
	  { 700, 701, 731 } },
	{ "lanes of one generic load in three spaces",
	  ".local .align 8 .b8 a[8]; mov.u64 %d4, 5; st.local.u64 [a], %d4; mov.u64 %d5, 6; "
	  "st.shared.u64 [%r2], %d5; mov.u64 %d6, a; cvta.local.u64 %d6, %d6;"
	  " cvt.u64.u32 %d7, %r2; cvta.shared.u64 %d7, %d7; setp.eq.u32 %p1, %r1, 0; "
	  "selp.u64 %d8, %d6, %d7, %p1; setp.eq.u32 %p2, %r1, 31; selp.u64 %d8, %d0, %d8, %p2;"
	  " ld.u64 %d10, [%d8];" STORE64,
	  { 5, 6, 0x0000000200000001 } },
	{ "the later lane wins",
	  "st.shared.u32 [%r2], %r1; bar.sync 0; ld.shared.u32 %r5, [%r2]; "
	  "cvt.u64.u32 %d10, %r5;" STORE64,
	  { 31, 31, 31 } },
	{ "atom.inc wraps",
	  "mov.u32 %r4, 0; st.shared.u32 [%r2], %r4; bar.sync 0; "
	  "atom.shared.inc.u32 %r5, [%r2], 4; cvt.u64.u32 %d10, %r5;" STORE64,
	  { 0, 1, 1 } },
	{ "atom.dec wraps",
	  "mov.u32 %r4, 2; st.shared.u32 [%r2], %r4; bar.sync 0; "
	  "atom.shared.dec.u32 %r5, [%r2], 4; cvt.u64.u32 %d10, %r5;" STORE64,
	  { 2, 1, 1 } },
	{ "atom.dec of more than its bound",
	  "mov.u32 %r4, 9; st.shared.u32 [%r2], %r4; bar.sync 0; atom.shared.dec.u32 %r5, [%r2], 4; "
	  "cvt.u64.u32 %d10, %r5;" STORE64,
	  { 9, 4, 4 } },
	{ "atom.cas takes once",
	  "mov.u32 %r4, 9; st.shared.u32 [%r2], %r4; bar.sync 0; "
	  "atom.shared.cas.b32 %r5, [%r2], 9, %r1; cvt.u64.u32 %d10, %r5;" STORE64,
	  { 9, 0, 0 } },
	{ "atom.exch.b64",
	  "mov.u64 %d4, 99; st.shared.u64 [%r2], %d4; bar.sync 0; cvt.u64.u32 %d5, %r1; "
	  "atom.shared.exch.b64 %d10, [%r2], %d5;" STORE64,
	  { 99, 0, 30 } },
	{ "atom.min.s32",
	  "mov.u32 %r4, 3; st.shared.u32 [%r2], %r4; bar.sync 0; sub.s32 %r5, 1, %r1; "
	  "atom.shared.min.s32 %r6, [%r2], %r5; cvt.u64.u32 %d10, %r6;" STORE64,
	  { 3, 1, 0xffffffe3 } },
	{ "red.add.f32",
	  "mov.f32 %r4, 0f3F800000; mov.u32 %r5, 0; setp.eq.u32 %p1, %r1, 0; "
	  "@%p1 st.shared.u32 [%r2], %r5; bar.sync 0; red.shared.add.f32 [%r2], %r4;"
	  " bar.sync 0; ld.shared.u32 %r6, [%r2]; cvt.u64.u32 %d10, %r6;" STORE64,
	  { 0x42000000, 0x42000000, 0x42000000 } },
	{ "atom.add.noftz.f16x2",
	  "mov.u32 %r5, 0; st.global.u32 [%d1+1024], %r5; mov.u32 %r4, 0x3c003800; "
	  "atom.global.add.noftz.f16x2 %r6, [%d1+1024], %r4; cvt.u64.u32 %d10, %r6;" STORE64,
	  { 0, 0x3c003800, 0x4fc04bc0 } },
	{ "ldmatrix gives each lane two halves of its row",
	  "shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r2; st.shared.u32 [%r4], %r1; bar.sync 0; "
	  "and.b32 %r5, %r1, 7; shl.b32 %r5, %r5, 4; add.u32 %r5, %r5, %r2;"
	  " ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r5]; cvt.u64.u32 %d10, %r6;" STORE64,
	  { 0, 1, 31 } },
	/* Half h of row r is 8 * r + h; transposed, lane l holds column l / 4 of rows 2 * (l % 4) and the next. */
	{ "ldmatrix.trans gives columns",
	  "and.b32 %r6, %r1, 7; shl.b32 %r4, %r6, 4; add.u32 %r4, %r4, %r2; "
	  "shl.b32 %r6, %r6, 3; mov.u32 %r7, 0; L: add.u32 %r8, %r6, %r7; "
	  "cvt.u16.u32 %h1, %r8; shl.b32 %r9, %r7, 1; add.u32 %r9, %r9, %r4;"
	  " st.shared.u16 [%r9], %h1; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 8; "
	  "@%p1 bra L; bar.sync 0; "
	  "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r10}, [%r4]; "
	  "cvt.u64.u32 %d10, %r10;" STORE64,
	  { 0x00080000, 0x00180010, 0x003f0037 } },
	{ "stmatrix and ldmatrix are each other's reverse",
	  "shl.b32 %r4, %r1, 4; add.u32 %r4, %r4, %r2; mul.lo.u32 %r5, %r1, 0x10001; "
	  "add.u32 %r6, %r5, 1; add.u32 %r7, %r5, 2; add.u32 %r8, %r5, 3;"
	  " stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r4], {%r5,%r6,%r7,%r8}; "
	  "bar.sync 0; "
	  "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r10,%r11,%r12,%r13}, [%r4];"
	  " mov.b64 %d10, {%r10,%r13};" STORE64,
	  { 0x300000000, 0x0001000400010001, 0x001f0022001f001f } },
	{ "cp.async with a source size fills with zeros",
	  "mov.u64 %d4, 0xffffffffffffffff; shl.b32 %r4, %r1, 3; add.u32 %r4, %r4, %r2; "
	  "st.shared.u64 [%r4], %d4; and.b32 %r5, %r1, 7;"
	  " cp.async.ca.shared.global [%r4], [%d0], 8, %r5; cp.async.wait_all; "
	  "ld.shared.u64 %d10, [%r4];" STORE64,
	  { 0, 1, 0x0000000200000001 & 0xffffffffffffff } },
	{ "cp.async that ignores its source",
	  "shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r2; mov.u64 %d10, 0; "
	  "setp.eq.u32 %p1, %r1, 1; cp.async.ca.shared.global [%r4], [%d0], 4, %p1; "
	  "cp.async.wait_all;"
	  " ld.shared.u32 %r5, [%r4]; cvt.u64.u32 %d10, %r5;" STORE64,
	  { 1, 0, 1 } },
	{ "cp.async groups end in order",
	  "shl.b32 %r4, %r1, 3; add.u32 %r4, %r4, %r2; mov.u64 %d4, 0; "
	  "st.shared.u64 [%r4], %d4; cp.async.ca.shared.global [%r4], [%d0+4], 4; "
	  "cp.async.commit_group;"
	  " cp.async.ca.shared.global [%r4+4], [%d0+8], 4; cp.async.commit_group; "
	  "cp.async.wait_group 1; ld.shared.u64 %d10, [%r4];" STORE64,
	  { 2, 2, 2 } },
	{ "isspacep",
	  "cvt.u64.u32 %d4, %r2; cvta.shared.u64 %d4, %d4; isspacep.shared %p1, %d4; "
	  "isspacep.global %p2, %d4; isspacep.global %p3, %d0; isspacep.local %p4, %d0;"
	  " selp.u64 %d10, 1, 0, %p1; @%p2 add.u64 %d10, %d10, 2; @%p3 add.u64 %d10, %d10, 4; "
	  "@%p4 add.u64 %d10, %d10, 8;" STORE64,
	  { 5, 5, 5 } },
	{ "cvta there and back",
	  "cvt.u64.u32 %d4, %r2; cvta.shared.u64 %d5, %d4; cvta.to.shared.u64 %d6, %d5; "
	  "sub.u64 %d10, %d6, %d4; cvta.to.global.u64 %d7, %d0; sub.u64 %d7, %d7, %d0; "
	  "add.u64 %d10, %d10, %d7;"
	  " setp.ne.u64 %p1, %d5, %d4; @%p1 add.u64 %d10, %d10, 3;" STORE64,
	  { 3, 3, 3 } },
};

START_TEST(memory_does_as_written)
{
	static const unsigned words[3] = { 0, 1, 31 };
	static uint64_t got[256];
	struct bc_ptx_run_spec s = { .body = effects[_i].body,
				     .in = in,
				     .in_bytes = sizeof(in),
				     .out = got,
				     .out_bytes = sizeof(got),
				     .launch = { .shared_bytes = 1024 } };

	for (uint32_t i = 0; i < 64; i++)
		in[i] = i + 1;
	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s: %s", effects[_i].what, err.msg);
	ck_assert_msg(result.nfindings == 0, "%s: %s", effects[_i].what, result.finding[0].text);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_msg(got[words[i]] == effects[_i].want[i], "%s: lane %u has 0x%llx, not 0x%llx",
			      effects[_i].what, words[i], (unsigned long long)got[words[i]],
			      (unsigned long long)effects[_i].want[i]);
}
END_TEST

START_TEST(variables_have_their_initial_values)
{
	static const char text[] =
		".version 8.0\n.target sm_80\n.address_size 64\n"
		".visible .const .align 4 .u32 c[3] = {1, -2, 0x30};\n"
		".visible .global .align 8 .b8 bytes[10] = {1, 2, 3, 4, 5};\n"
		".global .align 8 .u64 pointers[2] = {generic(bytes)+3, c};\n"
		".global .f32 f = 0f3FC00000; .global .f64 g = 2.5; .global .align 4 .u32 zero;\n"
		".shared .b8 unused[1000]; .shared .align 8 .b8 first[24]; .shared .align 16 .b8 second[16];\n"
		".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
		".reg .b32 %r<9>; .reg .b64 %d<9>; ld.param.u64 %d1, [out];\n"
		"ld.const.u32 %r1, [c+4]; st.global.u32 [%d1], %r1;\n"
		"ld.global.u64 %d2, [pointers]; ld.u8 %r2, [%d2]; st.global.u32 [%d1+4], %r2;\n"
		"ld.global.u64 %d2, [pointers+8]; ld.u32 %r2, [%d2+8]; st.global.u32 [%d1+8], %r2;\n"
		"ld.global.u32 %r3, [f]; st.global.u32 [%d1+12], %r3; ld.global.u64 %d3, [g]; "
		"st.global.u64 [%d1+16], %d3;\n"
		"ld.global.u32 %r4, [bytes+4]; st.global.u32 [%d1+24], %r4;\n"
		"mov.u32 %r5, second; mov.u32 %r6, first; sub.u32 %r5, %r5, %r6; "
		"st.global.u32 [%d1+28], %r5; st.global.u32 [%d1+32], %r6;\n"
		"mov.u64 %d4, bytes; ld.global.u16 %r7, [%d4+8]; st.global.u32 [%d1+36], %r7; ret; }\n";
	uint32_t got[10] = { 0 };
	const struct bc_ptx_run_spec s = { .text = text, .out = got, .out_bytes = sizeof(got) };
	static const uint32_t expected[] = { 0xfffffffe, 4, 0x30, 0x3fc00000, 0, 0x40040000, 5, 32, 1024, 0 };

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	for (unsigned i = 0; i < BC_ARRAY_LEN(expected); i++)
		ck_assert_msg(got[i] == expected[i], "word %u is 0x%x, not 0x%x", i, got[i], expected[i]);
}
END_TEST

START_TEST(constants_cannot_be_written)
{
	static const char text[] =
		".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .u32 c[4];\n"
		".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {\n.reg .b64 %d<9>;\n"
		"mov.u64 %d1, c; cvta.const.u64 %d1, %d1; st.u32 [%d1+8], 1; ret; }\n"
		".visible .entry plain(.param .u64 in, .param .u64 out, .param .u32 n) {\n.reg .b64 %d<9>;\n"
		"mov.u64 %d1, c; st.global.u32 [%d1], 1; ret; }\n";
	static const char *const entries[] = { "k", "plain" };

	for (unsigned i = 0; i < BC_ARRAY_LEN(entries); i++) {
		const struct bc_ptx_run_spec s = { .text = text, .entry = entries[i] };

		ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_EDEVICE);
		ck_assert_int_eq(result.finding[0].kind, BC_PTX_READ_ONLY);
		ck_assert_int_eq(result.finding[0].space, BC_PTX_CONST);
	}
}
END_TEST

START_TEST(static_shared_memory_lies_below_dynamic)
{
	static const char text[] =
		".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 128 .b8 window[];\n"
		".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
		".reg .b32 %r<9>; .reg .b64 %d<9>; .shared .align 4 .b8 own[20]; ld.param.u64 %d1, [out];\n"
		"mov.u32 %r1, own; mov.u32 %r2, window; st.global.v2.u32 [%d1], {%r1,%r2}; "
		"st.shared.u32 [window+60], %r1; st.shared.u32 [own+16], %r1; ret; }\n";
	uint32_t got[2] = { 0 };
	struct bc_ptx_run_spec s = {
		.text = text, .out = got, .out_bytes = sizeof(got), .launch = { .shared_bytes = 64 }
	};
	struct bc_arch arch = bc_ptx_run_arch();

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(got[0], 0x400);
	ck_assert_uint_eq(got[1], 0x480);
	arch.window_base = 0;
	s.arch = &arch;
	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(got[0], 0);
	ck_assert_uint_eq(got[1], 0x80);
	arch.optin_bytes = 128 + 63; /* 20 bytes, aligned to 128, and 64 */
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_EUSAGE);
	arch.optin_bytes++;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	arch.static_bytes = 19;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_EUSAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "20 bytes of static shared memory"));
}
END_TEST

START_TEST(simulated_memory)
{
	struct bc_ptx_mem *m = NULL;
	uint64_t a = 0, b = 0, c = 0;
	uint32_t v = 77, w = 0;

	ck_assert_int_eq(bc_ptx_mem_create(1000, &m, &err), BC_OK);
	ck_assert_int_eq(bc_ptx_mem_alloc(m, 0, &a, &err), BC_EUSAGE);
	ck_assert_int_eq(bc_ptx_mem_alloc(m, 300, &a, &err), BC_OK);
	ck_assert_int_eq(bc_ptx_mem_alloc(m, 700, &b, &err), BC_OK);
	ck_assert_int_eq(bc_ptx_mem_alloc(m, 1, &c, &err), BC_ENOMEM);
	ck_assert_uint_eq(a % 256, 0);
	ck_assert_uint_eq(b % 256, 0);
	ck_assert_uint_ge(b, a + 300 + 4096);
	ck_assert_int_eq(bc_ptx_mem_write(m, a + 296, &v, 4, &err), BC_OK);
	ck_assert_int_eq(bc_ptx_mem_write(m, a + 297, &v, 4, &err), BC_EUSAGE);
	ck_assert_int_eq(bc_ptx_mem_read(m, a + 296, &w, 4, &err), BC_OK);
	ck_assert_uint_eq(w, 77);
	ck_assert_int_eq(bc_ptx_mem_read(m, a + 300, &w, 1, &err), BC_EUSAGE);
	ck_assert_int_eq(bc_ptx_mem_read(m, 0, &w, 0, &err), BC_OK);
	ck_assert_int_eq(bc_ptx_mem_read(m, b, &w, 4, &err), BC_OK);
	ck_assert_uint_eq(w, 0);
	ck_assert_int_eq(bc_ptx_mem_free(m, a + 4, &err), BC_EUSAGE);
	ck_assert_int_eq(bc_ptx_mem_free(m, a, &err), BC_OK);
	ck_assert_int_eq(bc_ptx_mem_free(m, a, &err), BC_EUSAGE);
	ck_assert_int_eq(bc_ptx_mem_read(m, a, &w, 4, &err), BC_EUSAGE);
	ck_assert_int_eq(bc_ptx_mem_alloc(m, 300, &c, &err), BC_OK);
	bc_ptx_mem_destroy(m);
	bc_ptx_mem_destroy(NULL);
}
END_TEST

START_TEST(one_block_gives_one_finding_a_line)
{
	/* 40 lines, in each of which all lanes read what was never written, in 3 blocks. */
	struct bc_text body = { 0 };
	struct bc_ptx_run_spec s = { .launch = { .grid = { 3 }, .shared_bytes = 64, .workers = 2 } };

	for (unsigned i = 0; i < 40; i++)
		ck_assert_int_eq(bc_text_addf(&body, &err, "ld.shared.u32 %%r4, [%%r2+%u];\n", i % 16 * 4), BC_OK);
	s.body = body.data;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(result.nfindings, 120);
	for (unsigned i = 0; i < BC_PTX_FINDINGS_MAX; i++) {
		ck_assert_uint_eq(result.finding[i].block[0], 0);
		ck_assert_uint_eq(result.finding[i].line, 9 + i);
	}
	bc_text_release(&body);
}
END_TEST

Suite *bc_test_ptx_memory(void)
{
	Suite *s = suite_create("ptx_memory");
	TCase *tc = tcase_create("memory");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, a_wrong_access_is_found, 0, (int)BC_ARRAY_LEN(findings));
	tcase_add_test(tc, a_finding_names_everything);
	tcase_add_test(tc, reads_unwritten_and_multi_writer_are_allowed_where_said);
	tcase_add_loop_test(tc, memory_does_as_written, 0, (int)BC_ARRAY_LEN(effects));
	tcase_add_test(tc, variables_have_their_initial_values);
	tcase_add_test(tc, constants_cannot_be_written);
	tcase_add_test(tc, static_shared_memory_lies_below_dynamic);
	tcase_add_test(tc, simulated_memory);
	tcase_add_test(tc, one_block_gives_one_finding_a_line);
	suite_add_tcase(s, tc);
	return s;
}
