/* SPDX-License-Identifier: MIT */
/* Blocks on several multiprocessors: where each is, and cooperative launches whose blocks wait for one another. */
#include "harness/device/reference/ptx.h"

#include <check.h>
#include <string.h>

#include "harness/tests/ptx/ptx_run.h"

Suite *bc_test_ptx_sms(void);

static struct bc_error err;
static struct bc_ptx_result result;

/* Lane 0 of each block adds 1 to the word at out + 252 and waits until @n have; then it stores what is asked. */
#define MEET                                                                                         \
	"setp.eq.u32 %p1, %r1, 0; @!%p1 exit; atom.global.add.u32 %r5, [%d1+252], 1;\n"              \
	"again: ld.volatile.global.u32 %r6, [%d1+252]; setp.lt.u32 %p2, %r6, %r0; @%p2 bra again;\n" \
	"mov.u32 %r7, %ctaid.x; mul.wide.u32 %d4, %r7, 4; add.u64 %d4, %d4, %d1;\n"

START_TEST(blocks_go_round_the_multiprocessors)
{
	uint32_t out[160];
	struct bc_ptx_run_spec s = { .body = "mov.u32 %r4, %smid; mov.u32 %r5, %nsmid; mad.lo.u32 %r4, %r5, 100, %r4; "
					     "st.global.u32 [%d3], %r4;",
				     .out = out,
				     .out_bytes = sizeof(out),
				     .launch = { .grid = { 5 }, .sms = 3 } };

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	for (uint32_t b = 0; b < 5; b++)
		ck_assert_uint_eq(out[32 * b], 300 + b % 3);
	s.launch.sms = 0;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	for (uint32_t b = 0; b < 5; b++)
		ck_assert_uint_eq(out[32 * b], 100);
}
END_TEST

START_TEST(blocks_of_a_cooperative_launch_wait_for_one_another)
{
	uint32_t out[64];
	struct bc_ptx_run_spec s = { .body = MEET "mov.u32 %r8, %smid; st.global.u32 [%d4], %r8;",
				     .out = out,
				     .out_bytes = sizeof(out),
				     .keep_out = true,
				     .n = 7,
				     .launch = { .grid = { 7 }, .sms = 7, .cooperative = true, .budget = 1u << 20 } };

	memset(out, 0, sizeof(out));
	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(out[63], 7);
	for (uint32_t b = 0; b < 7; b++)
		ck_assert_uint_eq(out[b], b);
	/* One after another they cannot: the first waits for ever. */
	memset(out, 0, sizeof(out));
	s.launch.cooperative = false;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_EDEVICE);
	ck_assert_ptr_nonnull(strstr(err.msg, "hang"));
}
END_TEST

START_TEST(each_block_of_a_cooperative_launch_has_its_own_memory)
{
	uint32_t out[64] = { 0 };
	struct bc_ptx_run_spec s = {
		.body = "setp.eq.u32 %p1, %r1, 0; @!%p1 exit; mov.u32 %r9, %ctaid.x; st.shared.u32 [%r2], %r9;\n"
			"atom.global.add.u32 %r5, [%d1+252], 1;\n"
			"again: ld.volatile.global.u32 %r6, [%d1+252]; setp.lt.u32 %p2, %r6, %r0; @%p2 bra again;\n"
			"mul.wide.u32 %d4, %r9, 4; add.u64 %d4, %d4, %d1; ld.shared.u32 %r8, [%r2]; "
			"st.global.u32 [%d4], %r8;",
		.out = out,
		.out_bytes = sizeof(out),
		.keep_out = true,
		.n = 4,
		.launch = { .grid = { 4 }, .sms = 4, .cooperative = true, .shared_bytes = 128 }
	};

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	for (uint32_t b = 0; b < 4; b++)
		ck_assert_uint_eq(out[b], b);
}
END_TEST

START_TEST(a_cooperative_launch_that_is_too_large_is_refused)
{
	struct bc_ptx_run_spec s = { .body = "", .launch = { .grid = { 5 }, .sms = 4, .cooperative = true } };

	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_EUSAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "5,1,1) blocks, the device has 4 SMs"));
}
END_TEST

START_TEST(a_sleep_takes_its_time)
{
	uint32_t out[64];
	struct bc_ptx_run_spec s = {
		.body = "mov.u64 %d5, %globaltimer; mov.u32 %r4, 70000; nanosleep.u32 %r4; mov.u64 %d6, %globaltimer; "
			"sub.u64 %d6, %d6, %d5; cvt.u32.u64 %r5, %d6; st.global.u32 [%d3], %r5;",
		.out = out,
		.out_bytes = sizeof(out)
	};

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_ge(out[0], 70000);
	ck_assert_uint_le(out[0], 70010);
}
END_TEST

/* ---- hooks ---- */

static void slow_bank(void *ctx, const struct bc_ptx_access *a, struct bc_wavefronts *n)
{
	(void)ctx;
	if (a->sm == 1 && a->op == BC_OP_LD32)
		n->wavefronts += 10;
}

static void change_memory(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
			  uint32_t bytes[BC_LANES])
{
	(void)ctx;
	(void)data;
	(void)bytes;
	if (a->space == BC_PTX_SHARED && a->sm == 1)
		a->shared[4] = 0x77; /* not what is stored to: 4 bytes on */
}

START_TEST(a_hook_knows_the_multiprocessor_and_its_memory)
{
	uint32_t out[96];
	const struct bc_ptx_hooks serve = { .serve = slow_bank }, store = { .store = change_memory };
	struct bc_ptx_run_spec s = {
		.body = "setp.eq.u32 %p1, %r1, 0; @!%p1 exit; mov.u32 %r4, 0; st.shared.u32 [%r2+4], %r4; "
			"st.shared.u32 [%r2], %r4; ld.shared.u32 %r5, [%r2+4]; st.global.u32 [%d3], %r5;",
		.out = out,
		.out_bytes = sizeof(out),
		.launch = { .grid = { 3 }, .sms = 3, .shared_bytes = 64, .hooks = &serve }
	};

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(result.counts.ld_wavefronts, 13);
	ck_assert_uint_eq(result.counts.st_wavefronts, 6);
	s.launch.hooks = &store;
	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(out[0], 0);
	ck_assert_uint_eq(out[32], 0x77);
	ck_assert_uint_eq(out[64], 0);
}
END_TEST

Suite *bc_test_ptx_sms(void)
{
	Suite *s = suite_create("ptx_sms");
	TCase *tc = tcase_create("multiprocessors");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, blocks_go_round_the_multiprocessors);
	tcase_add_test(tc, blocks_of_a_cooperative_launch_wait_for_one_another);
	tcase_add_test(tc, each_block_of_a_cooperative_launch_has_its_own_memory);
	tcase_add_test(tc, a_cooperative_launch_that_is_too_large_is_refused);
	tcase_add_test(tc, a_sleep_takes_its_time);
	tcase_add_test(tc, a_hook_knows_the_multiprocessor_and_its_memory);
	suite_add_tcase(s, tc);
	return s;
}
