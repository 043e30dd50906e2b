/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx.h"

#include <check.h>
#include <string.h>

#include "harness/tests/ptx/ptx_run.h"

Suite *bc_test_ptx_hooks(void);

static struct bc_error err;
static struct bc_ptx_result result;
static uint32_t out[64];

/* ---------------------------------------------------------------- hooks */

static void hook_load(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES])
{
	(void)ctx;
	if (a->space == BC_PTX_SHARED && a->op == BC_OP_LD32)
		for (unsigned l = 0; l < 31; l++)
			memcpy(data[l], data[l + 1], a->bytes);
}

static void hook_store(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
		       uint32_t bytes[BC_LANES])
{
	(void)ctx;
	(void)data;
	if (a->space == BC_PTX_SHARED)
		bytes[5] = 0x3; /* lane 5's store is torn */
}

static void hook_atomic(void *ctx, const struct bc_ptx_access *a, uint32_t *update)
{
	(void)ctx;
	(void)a;
	*update &= ~(1u << 9);
}

static bool hook_skip(void *ctx, uint64_t block, uint32_t warp, unsigned line)
{
	(void)block;
	(void)line;
	return warp == *(uint32_t *)ctx;
}

static enum bc_status hook_count(void *ctx, const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				 uint32_t mask, struct bc_wavefronts *o, struct bc_error *e)
{
	(void)ctx;
	(void)e;
	ck_assert_uint_eq(g->banks, 32);
	ck_assert_int_eq(op, BC_OP_ST32);
	*o = (struct bc_wavefronts){ .wavefronts = addr[1] - addr[0], .conflicts = (unsigned)__builtin_popcount(mask) };
	return BC_OK;
}

START_TEST(hooks_change_what_they_are_for)
{
	static const char body[] = "shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r2; add.u32 %r5, %r1, 0x10000; "
				   "st.shared.u32 [%r4], %r5; ld.shared.u32 %r6, [%r4];"
				   " st.global.u32 [%d3], %r6; atom.global.add.u32 %r7, [%d1+252], 1;";
	const struct bc_ptx_hooks load = { .load = hook_load }, store = { .store = hook_store },
				  atomic = { .atomic = hook_atomic }, count = { .count = hook_count };
	struct bc_ptx_run_spec s = { .body = body,
				     .out = out,
				     .out_bytes = sizeof(out),
				     .launch = { .shared_bytes = 128, .reads_unwritten = true } };

	s.launch.hooks = &load;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(out[0], 0x10001);
	ck_assert_uint_eq(out[31], 0x1001f);
	s.launch.hooks = &store;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(out[4], 0x10004);
	ck_assert_uint_eq(out[5] & 0xffff, 5);
	ck_assert_uint_ne(out[5] >> 16, 1);
	s.launch.hooks = &atomic;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(out[63], 0xeeeeeeee + 31u);
	s.launch.hooks = &count;
	s.body = "shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r2; setp.lt.u32 %p1, %r1, 5; "
		 "@%p1 st.shared.u32 [%r4], %r1;";
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(result.counts.st_wavefronts, 4);
	ck_assert_uint_eq(result.counts.st_conflicts, 5);
}
END_TEST

START_TEST(a_skipped_barrier_is_not_waited_at)
{
	/* Warps run in order: when warp 0 does not wait, it reads before warp 1 writes. */
	uint32_t warp = 0;
	const struct bc_ptx_hooks h = { .ctx = &warp, .skip_barrier = hook_skip };
	struct bc_ptx_run_spec s = {
		.body = "mov.u32 %r4, 1; mov.u32 %r5, 2; st.shared.u32 [%r2], %r4; setp.ge.u32 %p1, %r1, 32; "
			"@%p1 st.shared.u32 [%r2], %r5; bar.sync 0; ld.shared.u32 %r6, [%r2]; "
			"st.global.u32 [%d3], %r6;",
		.out = out,
		.out_bytes = sizeof(out),
		.launch = { .block = { 64 }, .shared_bytes = 64 }
	};

	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(out[0], 2);
	s.launch.hooks = &h;
	s.body = "mov.u32 %r4, 1; mov.u32 %r5, 2; st.shared.u32 [%r2], %r4; setp.ge.u32 %p1, %r1, 32; "
		 "@%p1 st.shared.u32 [%r2], %r5; bar.sync 0; ld.shared.u32 %r6, [%r2]; "
		 "st.global.u32 [%d3], %r6;"
		 " setp.lt.u32 %p1, %r1, 32; @%p1 exit; bar.sync 0;";
	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(out[0], 1);
}
END_TEST

START_TEST(blocks_that_share_memory_see_each_other)
{
	const struct bc_ptx_hooks h = { .share_blocks = true };
	struct bc_ptx_run_spec s = { .body = "st.shared.u32 [%r2], %r3; bar.sync 0; ld.shared.u32 %r4, [%r2]; "
					     "st.global.u32 [%d3], %r4;",
				     .out = out,
				     .out_bytes = sizeof(out),
				     .launch = { .grid = { 2 }, .shared_bytes = 64 } };

	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(out[0], 31);
	ck_assert_uint_eq(out[32], 63);
	s.body = "setp.eq.u32 %p1, %r3, 0; @%p1 st.shared.u32 [%r2], %r1; bar.sync 0; "
		 "setp.eq.u32 %p1, %r3, 32; mov.u32 %r4, 44; @%p1 ld.shared.u32 %r4, [%r2]; "
		 "st.global.u32 [%d3], %r4;";
	s.launch.hooks = &h;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(result.nfindings, 0);
	ck_assert_uint_eq(out[32], 0);
	s.launch.hooks = NULL;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(result.nfindings, 1);
}
END_TEST

Suite *bc_test_ptx_hooks(void)
{
	Suite *s = suite_create("ptx_hooks");
	TCase *tc = tcase_create("hooks");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, hooks_change_what_they_are_for);
	tcase_add_test(tc, a_skipped_barrier_is_not_waited_at);
	tcase_add_test(tc, blocks_that_share_memory_see_each_other);
	suite_add_tcase(s, tc);
	return s;
}
