/* SPDX-License-Identifier: MIT */
/* explain --layout: counts of tiles as library-layouts.tsv and the libraries' own users have them, worked out apart
 * from the program; and what is no layout. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/explain/layout.h"
#include "harness/tests/program.h"

Suite *bc_test_tile_layout(void);

static struct bc_arch arch;

static void setup(void)
{
	struct bc_error err;

	bc_call_setup();
	ck_assert_msg(!bc_arch_load(BC_TEST_EXPECTED, "sm_90", &arch, &err), "%s", err.msg);
}

static const struct {
	const char *layout, *access;
	unsigned wavefronts, conflicts;
} counts[] = {
	{ "plain row=128", "rows, 4 bytes a lane", 1, 0 },
	{ "plain row=128", "column, 4 bytes of 32 rows", 32, 31 },
	{ "plain row=128", "column, 8 bytes of 32 rows", 32, 30 },
	{ "plain row=128", "column, 16 bytes of 32 rows", 32, 28 },
	{ "plain row=128", "ldmatrix.x4, 16 rows", 32, 28 },	  /* cute_sw033_row64h_x4 */
	{ "plain row=64", "fragment of words, 8 rows", 4, 3 },	  /* tf32_A_mk_p0 */
	{ "plain row=128", "fragment of words, 8 rows", 8, 7 },	  /* tf32_A_mk_p0_32 */
	{ "plain row=128", "fragment of doubles, 8 rows", 8, 6 }, /* dmma_A_ld16 */
	{ "pad:4 row=128", "column, 4 bytes of 32 rows", 1, 0 },
	{ "pad:4 row=128", "rows, 4 bytes a lane", 1, 0 },
	{ "pad:16 row=128", "ldmatrix.x4, 16 rows", 4, 0 },	     /* wmma_A_k64_pad8 */
	{ "pad:32 row=128", "ldmatrix.x4, 16 rows", 8, 4 },	     /* wmma_A_k64_pad16 */
	{ "pad:16 row=64", "fragment of words, 8 rows", 1, 0 },	     /* tf32_A_mk_p4 */
	{ "pad:16 row=128", "fragment of doubles, 8 rows", 4, 2 },   /* dmma_A_ld18 */
	{ "pad:32 row=128", "fragment of doubles, 8 rows", 2, 0 },   /* dmma_A_ld20 */
	{ "interval:128,16 row=128", "ldmatrix.x4, 16 rows", 4, 0 }, /* triton_padded_64_8_C64 */
	{ "interval:64,16 row=128", "ldmatrix.x4, 16 rows", 8, 4 },  /* triton_padded_32_8_C64 */
	{ "interval:512,16 row=256", "ldmatrix.x4, 16 rows", 8, 4 }, /* triton_padded_256_8_C128 */
	{ "cute:3,4,3 row=128", "ldmatrix.x4, 16 rows", 4, 0 },	     /* cute_sw343_row64h_x4 */
	{ "cute:2,4,3 row=64", "ldmatrix.x4, 16 rows", 4, 0 },	     /* cute_sw243_row32h_x4 */
	{ "cute:3,4,3 row=256", "ldmatrix.x4, 16 rows", 8, 4 },	     /* cute_sw333_row128h_x4 */
	{ "cute:3,4,4 row=256", "ldmatrix.x4, 16 rows", 4, 0 },	     /* cute_sw334_row128h_x4 */
	{ "cute:3,4,3 row=128", "column, 4 bytes of 32 rows", 4, 3 },
	{ "cute:3,4,3 row=128", "column, 8 bytes of 32 rows", 4, 2 },
	{ "cute:3,4,3 row=128", "column, 16 bytes of 32 rows", 4, 0 },
	{ "cute:3,4,3 row=128", "mma C of floats, 8 rows, stored", 4, 2 }, /* mmaC_f32_row32_sw323 */
	{ "cute:2,5,3 row=256", "mma C of floats, 8 rows, stored", 2, 0 }, /* mmaC_f32_row64_sw233 */
	{ "cute:3,4,4 row=256", "mma C of floats, 8 rows, stored", 4, 2 }, /* mmaC_f32_row64_sw324 */
	{ "xor:31 row=128", "column, 4 bytes of 32 rows", 1, 0 },
	{ "xor:7 row=128", "column, 4 bytes of 32 rows", 4, 3 },
	{ "xor:7 row=96", "column, 4 bytes of 32 rows", 4, 3 },	       /* 24 columns: three blocks of 8 */
	{ "phase:1,1,4 row=128", "column, 4 bytes of 32 rows", 8, 7 }, /* triton_f32_C32_m4_col */
	{ "phase:1,1,32 row=128", "column, 4 bytes of 32 rows", 1, 0 },
	{ "phase:8,1,8 row=128 elem=2", "ldmatrix.x4, 16 rows", 4, 0 },	  /* triton_v8p1m8_C64h */
	{ "phase:8,2,4 row=64 elem=2", "ldmatrix.x4, 16 rows", 4, 0 },	  /* triton_v8p2m4_C32h */
	{ "phase:8,4,2 row=32 elem=2", "ldmatrix.x4, 16 rows", 4, 0 },	  /* triton_v8p4m2_C16h */
	{ "phase:1,1,1 row=128 elem=2", "ldmatrix.x4, 16 rows", 32, 28 }, /* triton_v1p1m1_C64h */
	{ "items:5 row=32 elem=4", "column, 4 bytes of 32 rows", 1, 0 },  /* cub_exch_ipt8_pad */
	{ "items:5 row=28 elem=4", "column, 4 bytes of 32 rows", 2, 1 },  /* cub_exch_ipt7_pad */
	{ "plain row=28 elem=4", "column, 4 bytes of 32 rows", 1, 0 },	  /* cub_exch_ipt7_plain */
};

static const struct bc_tile_access *access_of(const char *name)
{
	for (size_t i = 0; i < BC_TILE_ACCESSES; i++)
		if (strcmp(bc_tile_access(i)->name, name) == 0)
			return bc_tile_access(i);
	ck_abort_msg("no access is called %s", name);
	return NULL;
}

START_TEST(a_tile_costs_what_its_users_say)
{
	const struct bc_geometry g = bc_arch_geometry(&arch);
	struct bc_tile_layout l;
	struct bc_wavefronts w;
	struct bc_error err = { .msg = "" };
	bool fits = false;

	ck_assert_msg(!bc_tile_layout_parse(counts[_i].layout, &l, &err), "%s", err.msg);
	ck_assert_msg(!bc_tile_count(&l, access_of(counts[_i].access), &g, &fits, &w, &err), "%s", err.msg);
	ck_assert_msg(fits, "%s does not fit %s", counts[_i].access, counts[_i].layout);
	ck_assert_msg(w.wavefronts == counts[_i].wavefronts && w.conflicts == counts[_i].conflicts,
		      "%s, %s: %u wavefronts, %u conflicts", counts[_i].layout, counts[_i].access, w.wavefronts,
		      w.conflicts);
}
END_TEST

/* Bytes that the layout takes apart, an address off its alignment, a row that is too short: no number is given. */
START_TEST(what_does_not_fit_is_not_counted)
{
	static const char *const rows[][2] = {
		{ "xor:31 row=128", "column, 8 bytes of 32 rows" },
		{ "pad:4 row=128", "ldmatrix.x4, 16 rows" },
		{ "plain row=16", "ldmatrix.x4, 16 rows" },
		{ "plain row=8", "fragment of words, 8 rows" },
		{ "interval:64,4 row=128", "column, 16 bytes of 32 rows" },
		{ "items:5 row=128", "rows, 8 bytes a lane" },
	};
	const struct bc_geometry g = bc_arch_geometry(&arch);

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		struct bc_tile_layout l;
		struct bc_wavefronts w;
		struct bc_error err = { .msg = "" };
		bool fits = true;

		ck_assert_msg(!bc_tile_layout_parse(rows[i][0], &l, &err), "%s", err.msg);
		ck_assert_int_eq(bc_tile_count(&l, access_of(rows[i][1]), &g, &fits, &w, &err), BC_OK);
		ck_assert_msg(!fits, "%s, %s", rows[i][0], rows[i][1]);
	}
}
END_TEST

static const struct {
	const char *layout, *said;
} wrong[] = {
	{ "", "no such family" },
	{ "swizzle row=128", "no such family" },
	{ "plain", "row=BYTES is wanted" },
	{ "plain:3 row=128", "plain is wanted" },
	{ "pad row=128", "pad:BYTES is wanted" },
	{ "pad:-4 row=128", "pad:BYTES is wanted" },
	{ "pad:4096 row=128", "number 1 from 0 to 1024" },
	{ "pad:4,4 row=128", "pad:BYTES is wanted" },
	{ "interval:0,16 row=128", "number 1 from 1" },
	{ "interval:64 row=128", "interval:EVERY,PAD is wanted" },
	{ "cute:3,4 row=128", "cute:B,M,S is wanted" },
	{ "cute:9,4,3 row=128", "number 1 from 0 to 8" },
	{ "cute:3,4,0 row=128", "number 3 from 1" },
	{ "phase:1,0,8 row=128", "number 2 from 1" },
	{ "xor:31 row=64", "leaves rows of 16 elements" },	       /* row 31 reaches row 32 */
	{ "xor:15 row=96", "a smaller MASK" },			       /* 24 columns: 16 ^ 8 is 24 */
	{ "phase:8,1,8 row=64 elem=2", "leaves rows of 32 elements" }, /* row 7 reaches row 8 */
	{ "phase:8,1,4 row=72 elem=2", "a smaller MAX" },	       /* 4 chunks and a half */
	{ "plain row=0", "row=BYTES is wanted" },
	{ "plain row=8192", "row=BYTES is wanted, 4 to 4096" },
	{ "plain row=130", "whole elements" },
	{ "plain row=128 elem=3", "elem= is 1, 2, 4, 8 or 16" },
	{ "plain row=128 elem=32", "elem= is 1, 2, 4, 8 or 16" },
	{ "plain row=128x", "neither row=BYTES nor elem=BYTES" },
	{ "plain row", "neither row=BYTES nor elem=BYTES" },
	{ "plain rows=128", "neither row=BYTES nor elem=BYTES" },
	{ "plain row=99999999999", "neither row=BYTES nor elem=BYTES" },
};

START_TEST(what_is_no_layout_is_told)
{
	struct bc_tile_layout l;
	struct bc_error err = { .msg = "" };

	ck_assert_int_eq(bc_tile_layout_parse(wrong[_i].layout, &l, &err), BC_EUSAGE);
	ck_assert_msg(strstr(err.msg, wrong[_i].said) != NULL, "%s: %s", wrong[_i].layout, err.msg);
}
END_TEST

START_TEST(the_program_draws_it)
{
	bc_shell(BC_TEST_BINARY " explain --layout 'cute:3,4,3 row=128' >drawn");
	bc_shell("grep -q '^layout      cute:3,4,3 row=128 elem=4$' drawn");
	bc_shell("grep -q '^  7 |  28  24  20  16  12   8   4   0$' drawn");
	bc_shell("grep -q '^column, 4 bytes of 32 rows  *ld32  *4  *1  *3$' drawn");
	bc_shell(BC_TEST_BINARY " explain --layout 'plain row=128' --arch sm_70 >old && ! grep ldmatrix old");
	bc_shell(BC_TEST_BINARY
		 " explain --layout 'plain row=128' --format json | grep -q '\"schema\": \"bankcheck-layout-1\"'");
	bc_shell(BC_TEST_BINARY " explain --layout 'plain row=128' stride/ld_b32/1 2>said; test $? = 3");
	bc_shell("grep -q 'exclude each other' said");
}
END_TEST

Suite *bc_test_tile_layout(void)
{
	Suite *s = suite_create("tile_layout");
	TCase *tc = tcase_create("counts");

	tcase_add_checked_fixture(tc, setup, bc_call_teardown);
	tcase_add_loop_test(tc, a_tile_costs_what_its_users_say, 0, (int)BC_ARRAY_LEN(counts));
	tcase_add_test(tc, what_does_not_fit_is_not_counted);
	tcase_add_loop_test(tc, what_is_no_layout_is_told, 0, (int)BC_ARRAY_LEN(wrong));
	tcase_add_test(tc, the_program_draws_it);
	suite_add_tcase(s, tc);
	return s;
}
