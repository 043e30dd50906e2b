/* SPDX-License-Identifier: MIT */
/* Cycles that the interpreter's clock shows, by the law written beside each row. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/tests/ptx/ptx_run.h"

Suite *bc_test_ptx_time(void);

static struct bc_error err;

/* Chosen so that each shows in a sum; the cycles of wavefronts are the interpreter's own: 2 of a warp, 1 of the SM. */
static const struct bc_ptx_timing timing = { .shared = 23, .l1 = 34, .l2 = 284 };

#define CLOCK "mov.u32 %r10, %clock;\n"
#define UNTIL "mov.u32 %r11, %clock;\nsub.u32 %r12, %r11, %r10;\nst.global.u32 [%d3], %r12;\n"
/* Lane l at word n * l of the window: %r4. */
#define PLACE "mul.lo.u32 %r4, %r1, %r0;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r2;\n"
/* A word that holds its own address. */
#define SELF "st.shared.u32 [%r4], %r4;\n"
#define CHAIN4                                                                     \
	"ld.volatile.shared.u32 %r4, [%r4];\nld.volatile.shared.u32 %r4, [%r4];\n" \
	"ld.volatile.shared.u32 %r4, [%r4];\nld.volatile.shared.u32 %r4, [%r4];\n"
#define LOADS4                                                                       \
	"ld.volatile.shared.u32 %r20, [%r4];\nld.volatile.shared.u32 %r21, [%r4];\n" \
	"ld.volatile.shared.u32 %r22, [%r4];\nld.volatile.shared.u32 %r23, [%r4];\n"
#define STORES4                                                                    \
	"st.volatile.shared.u32 [%r4], %r1;\nst.volatile.shared.u32 [%r4], %r1;\n" \
	"st.volatile.shared.u32 [%r4], %r1;\nst.volatile.shared.u32 [%r4], %r1;\n"
/* The word's own address in global memory, in out. */
#define GLOBAL "mov.b64 %d4, %d1;\nst.global.u64 [%d4], %d4;\n"

static const struct {
	const char *what, *body;
	uint32_t stride, warps; /* words between lanes; warps of the block */
	uint32_t want;		/* beside the one cycle that the first read of the clock takes */
} rows[] = {
	{ "a chain of clean loads: 23 each", PLACE SELF CLOCK CHAIN4 UNTIL, 1, 1, 4 * 23 },
	{ "2 more for the second word of a bank", PLACE SELF CLOCK CHAIN4 UNTIL, 2, 1, 4 * (23 + 2) },
	{ "62 more for 32 words of one bank", PLACE SELF CLOCK CHAIN4 UNTIL, 32, 1, 4 * (23 + 62) },
	{ "independent loads overlap: 2 a wavefront, 23 for the last", PLACE SELF CLOCK LOADS4 UNTIL, 8, 1,
	  3 * 2 * 8 + 23 + 2 * 7 },
	{ "stores too", PLACE SELF CLOCK STORES4 UNTIL, 16, 1, 3 * 2 * 16 + 23 + 2 * 15 },
	{ "four warps: 1 a wavefront together", PLACE SELF "bar.sync 0;\n" CLOCK LOADS4 UNTIL, 32, 4,
	  15 * 32 + 23 + 2 * 31 },
	{ "an add takes 2 for each lane in the bank", PLACE SELF CLOCK "atom.shared.add.u32 %r5, [%r4], 2;\n" UNTIL, 8,
	  1, 23 + 2 * 7 },
	{ "a compare-and-swap 4", PLACE SELF CLOCK "atom.shared.cas.b32 %r5, [%r4], %r1, 5;\n" UNTIL, 8, 1,
	  23 + 2 * 15 },
	{ "two groups of lanes: 1 more than their wavefronts",
	  "shl.b32 %r4, %r1, 3;\nadd.u32 %r4, %r4, %r2;\nst.shared.u64 [%r4], %d1;\n" CLOCK
	  "ld.volatile.shared.u64 %d5, [%r4];\n" UNTIL,
	  0, 1, 23 + 2 + 1 },
	{ "a load that the L1 cache answers",
	  GLOBAL CLOCK "ld.global.u64 %d4, [%d4];\nld.global.u64 %d4, [%d4];\n" UNTIL, 0, 1, 2 * 34 },
	{ "a load past it: .cg", GLOBAL CLOCK "ld.global.cg.u64 %d4, [%d4];\nld.global.cg.u64 %d4, [%d4];\n" UNTIL, 0,
	  1, 2 * 284 },
	{ "nothing but a move", CLOCK "mov.u32 %r5, 1;\n" UNTIL, 0, 1, 1 },
};

static void run(unsigned i, const struct bc_ptx_timing *t, uint32_t *out, size_t n)
{
	const struct bc_ptx_run_spec s = { .body = rows[i].body,
					   .launch = { .block = { rows[i].warps * BC_LANES, 1, 1 },
						       .shared_bytes = 32768,
						       .multi_writer = true,
						       .timing = t },
					   .out = out,
					   .out_bytes = n * sizeof(*out),
					   .n = rows[i].stride };

	ck_assert_msg(bc_ptx_run_kernel(&s, NULL, &err) == BC_OK, "%s: %s", rows[i].what, err.msg);
}

START_TEST(instructions_take_what_the_law_says)
{
	uint32_t out[4 * BC_LANES] = { 0 };

	run((unsigned)_i, &timing, out, BC_ARRAY_LEN(out));

	uint32_t most = 0;

	for (uint32_t w = 0; w < rows[_i].warps; w++)
		most = out[w * BC_LANES + 5] > most ? out[w * BC_LANES + 5] : most;
	ck_assert_msg(most == rows[_i].want + 1, "%s: %u cycles, not %u", rows[_i].what, most, rows[_i].want);
}
END_TEST

/* Noise makes a read late by 0 to so many cycles, differently from warp to warp and time to time, and the same again.
 */
START_TEST(noise_is_bounded_and_repeats)
{
	struct bc_ptx_timing t = timing;
	uint32_t out[2][4 * BC_LANES] = { { 0 } }, differ = 0;

	t.noise = 50;
	for (t.seed = 1; t.seed <= 40; t.seed++) {
		run(0, &t, out[0], BC_ARRAY_LEN(out[0]));
		run(0, &t, out[1], BC_ARRAY_LEN(out[1]));
		ck_assert_uint_eq(out[0][5], out[1][5]);
		ck_assert_msg(out[0][5] + 50 >= 92 && out[0][5] <= 92 + 4 + 50, "seed %llu: %u",
			      (unsigned long long)t.seed, out[0][5]);
		differ += out[0][5] != 92;
	}
	ck_assert_uint_ge(differ, 30);
}
END_TEST

/* Without a timing the clock counts the warp's instructions. */
START_TEST(without_a_timing_the_clock_counts_instructions)
{
	uint32_t out[4 * BC_LANES] = { 0 };

	run(0, NULL, out, BC_ARRAY_LEN(out));
	ck_assert_uint_eq(out[5], 5);
}
END_TEST

/* A warp that waits at a barrier goes on when the last one has arrived. */
START_TEST(a_barrier_waits_for_the_slowest_warp)
{
	static const char body[] = PLACE SELF "shr.u32 %r6, %r1, 5;\nsetp.ne.u32 %p1, %r6, 0;\n" CLOCK
					      "@%p1 bra L;\n" CHAIN4 CHAIN4 "L:\nbar.sync 0;\n" UNTIL;
	uint32_t out[2 * BC_LANES] = { 0 };
	const struct bc_ptx_run_spec s = {
		.body = body,
		.launch = { .block = { 2 * BC_LANES, 1, 1 }, .shared_bytes = 32768, .timing = &timing },
		.out = out,
		.out_bytes = sizeof(out),
		.n = 1
	};

	ck_assert_msg(bc_ptx_run_kernel(&s, NULL, &err) == BC_OK, "%s", err.msg);
	for (unsigned w = 0; w < 2; w++)
		ck_assert_msg(out[w * BC_LANES] >= 8 * 23 && out[w * BC_LANES] <= 8 * 23 + 20, "warp %u: %u", w,
			      out[w * BC_LANES]);
}
END_TEST

START_TEST(an_architecture_has_its_figures_or_the_next_older_ones)
{
	static const struct {
		uint32_t cc, shared;
	} want[] = { { 70, 19 }, { 75, 19 }, { 80, 23 }, { 86, 23 }, { 89, 30 }, { 90, 23 }, { 121, 23 }, { 60, 19 } };
	struct bc_arch a = bc_ptx_run_arch();

	for (size_t i = 0; i < BC_ARRAY_LEN(want); i++) {
		a.cc = want[i].cc;
		ck_assert_msg(bc_ptx_timing_of(&a).shared == want[i].shared, "sm_%u: %u", want[i].cc,
			      bc_ptx_timing_of(&a).shared);
		ck_assert_uint_eq(bc_ptx_timing_of(&a).noise, 0);
	}
}
END_TEST

Suite *bc_test_ptx_time(void)
{
	Suite *s = suite_create("ptx_time");
	TCase *tc = tcase_create("time");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, instructions_take_what_the_law_says, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_test(tc, noise_is_bounded_and_repeats);
	tcase_add_test(tc, without_a_timing_the_clock_counts_instructions);
	tcase_add_test(tc, a_barrier_waits_for_the_slowest_warp);
	tcase_add_test(tc, an_architecture_has_its_figures_or_the_next_older_ones);
	suite_add_tcase(s, tc);
	return s;
}
