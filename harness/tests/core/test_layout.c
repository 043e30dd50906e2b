/* SPDX-License-Identifier: MIT */
/* harness/tests/core/test_layout.c - bc_layout_index: by hand, one to one over whole tiles, and the ways that are not.
 */
#include "kernels/bc_kernel.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

Suite *bc_test_layout(void);

#define LEN(a) (sizeof(a) / sizeof((a)[0]))
#define SIDE_MAX 64u
#define PLACES (4u * SIDE_MAX * SIDE_MAX)

static const struct bc_layout plain_32 = { BC_LAYOUT_PLAIN, 32, 0 };

/* Indices worked out by hand. */
static const struct {
	const char *what;
	struct bc_layout layout;
	uint32_t row, col, want;
} spots[] = {
	{ "plain: row-major", { BC_LAYOUT_PLAIN, 32, 0 }, 3, 5, 101 },
	{ "plain: the amount is not looked at", { BC_LAYOUT_PLAIN, 32, 7 }, 3, 5, 101 },
	{ "padded: one element a row", { BC_LAYOUT_PADDED, 32, 1 }, 3, 5, 104 },
	{ "padded by 0 is plain", { BC_LAYOUT_PADDED, 32, 0 }, 3, 5, 101 },
	{ "padded: the last element of [32][33]", { BC_LAYOUT_PADDED, 32, 1 }, 31, 31, 1054 },
	{ "xor: row 0 is as it was", { BC_LAYOUT_XOR, 32, 31 }, 0, 5, 5 },
	{ "xor: 5 ^ 3 = 6", { BC_LAYOUT_XOR, 32, 31 }, 3, 5, 102 },
	{ "xor: the last element comes first in its row", { BC_LAYOUT_XOR, 32, 31 }, 31, 31, 992 },
	{ "xor: row 9 of a tile of 8 is masked to 1", { BC_LAYOUT_XOR, 8, 7 }, 9, 5, 76 },
	{ "xor: only the masked bits of the row", { BC_LAYOUT_XOR, 64, 7 }, 15, 9, 974 },
};

START_TEST(elements_are_where_a_hand_put_them)
{
	const uint32_t got = bc_layout_index(spots[_i].row, spots[_i].col, spots[_i].layout);

	ck_assert_msg(got == spots[_i].want, "%s: index %u, expected %u", spots[_i].what, got, spots[_i].want);
}
END_TEST

/* How many elements of @rows rows share a place with another, and the place beyond the last. */
static uint32_t shared_places(uint32_t rows, struct bc_layout l, uint32_t *end)
{
	static uint8_t users[PLACES];
	uint32_t lost = 0;

	memset(users, 0, sizeof(users));
	*end = 0;
	for (uint32_t r = 0; r < rows; r++) {
		for (uint32_t c = 0; c < l.width; c++) {
			const uint32_t at = bc_layout_index(r, c, l);

			if (at >= PLACES)
				ck_abort_msg("[%u][%u] lies at %u", r, c, at);
			*end = at + 1 > *end ? at + 1 : *end;
			lost += users[at] != 0;
			users[at] = 1;
		}
	}
	return lost;
}

/* Do row and column come out of the index of every element? */
static bool all_undone(uint32_t rows, struct bc_layout l)
{
	bool right = true;

	for (uint32_t r = 0; r < rows; r++) {
		for (uint32_t c = 0; c < l.width; c++) {
			const uint32_t at = bc_layout_index(r, c, l);

			right = right && bc_layout_row(at, l) == r && bc_layout_col(at, l) == c;
		}
	}
	return right;
}

/* Tiles of 1, 2, 4 ... 64 columns with half as many rows, to twice as many. */
START_TEST(layouts_are_one_to_one_and_can_be_undone)
{
	const uint32_t width = 1u << _i;

	for (uint32_t rows = width / 2 + 1; rows <= 2 * width; rows++) {
		const struct bc_layout all[] = {
			{ BC_LAYOUT_PLAIN, width, 0 },
			{ BC_LAYOUT_PADDED, width, 1 },
			{ BC_LAYOUT_PADDED, width, 4 },
			{ BC_LAYOUT_XOR, width, width - 1 },
			{ BC_LAYOUT_XOR, width, (width - 1) / 2 },
		};

		for (size_t k = 0; k < LEN(all); k++) {
			const uint32_t pad = all[k].kind == BC_LAYOUT_PADDED ? all[k].amount : 0;
			uint32_t end;

			ck_assert_msg(shared_places(rows, all[k], &end) == 0, "%u x %u, layout %zu: two at one place",
				      rows, width, k);
			ck_assert_msg(end <= rows * (width + pad), "%u x %u, layout %zu: reaches %u", rows, width, k,
				      end);
			ck_assert_uint_eq(bc_layout_pitch(all[k]), width + pad);
			ck_assert_msg(all_undone(rows, all[k]), "%u x %u, layout %zu: the way back leads elsewhere",
				      rows, width, k);
		}
	}
}
END_TEST

/* A swizzle that needs no more memory than the tile fills all of it. */
START_TEST(xor_needs_no_extra_memory)
{
	const uint32_t n = 1u << _i;
	const struct bc_layout l = { BC_LAYOUT_XOR, n, n - 1 };
	uint32_t end;

	ck_assert_uint_eq(shared_places(n, l, &end), 0);
	ck_assert_uint_eq(end, n * n);
}
END_TEST

/* What the traps do: elements that lose their place to another, and where the tile ends. */
static const struct {
	const char *what;
	struct bc_layout layout;
	uint32_t rows, lost, end;
} traps[] = {
	{ "8 wide, 32 high, not masked: one to one, past its 256 words", { BC_LAYOUT_XOR, 8, 0xffffffff }, 32, 0, 280 },
	{ "16 wide, 32 high, not masked", { BC_LAYOUT_XOR, 16, 0xffffffff }, 32, 0, 528 },
	{ "8 wide, 32 high, masked: inside", { BC_LAYOUT_XOR, 8, 7 }, 32, 0, 256 },
	/* Row 8 + s (bit 3 set) goes to line 9 + s, row 16 + s stays in line 16 + s: lines 16 hold rows 15 and 16. */
	{ "8 wide, 24 high, mask 15: row 15 ends where row 16 is", { BC_LAYOUT_XOR, 8, 15 }, 24, 8, 192 },
};

START_TEST(traps_are_what_they_are_said_to_be)
{
	uint32_t end;
	const uint32_t lost = shared_places(traps[_i].rows, traps[_i].layout, &end);

	ck_assert_msg(lost == traps[_i].lost, "%s: %u elements lost, expected %u", traps[_i].what, lost,
		      traps[_i].lost);
	ck_assert_msg(end == traps[_i].end, "%s: ends at %u, expected %u", traps[_i].what, end, traps[_i].end);
}
END_TEST

/* A width that is no power of two: row 8 sends column 16 to 24, which is column 0 of row 9, and 0 ^ 9 is 9. */
START_TEST(a_width_that_is_no_power_of_two_is_not_one_to_one)
{
	const struct bc_layout l = { BC_LAYOUT_XOR, 24, 31 };
	uint32_t end;

	ck_assert_uint_eq(bc_layout_index(8, 16, l), bc_layout_index(9, 9, l));
	ck_assert_uint_gt(shared_places(24, l, &end), 0);
}
END_TEST

/* row * 33 + (col ^ row): one to one. */
START_TEST(padding_and_swizzle_at_once_are_one_to_one)
{
	static uint8_t used[32 * 33];

	memset(used, 0, sizeof(used));
	for (uint32_t r = 0; r < 32; r++) {
		for (uint32_t c = 0; c < 32; c++) {
			const uint32_t at = r * 33 + (c ^ r);

			ck_assert_uint_lt(at, LEN(used));
			ck_assert_msg(!used[at]++, "[%u][%u]: place %u is taken", r, c, at);
		}
	}
}
END_TEST

/* The rows of the swizzle suite's random offsets: each loses elements, a third of them in the mean (1/e). */
START_TEST(a_random_offset_is_not_one_to_one)
{
	unsigned lost = 0;

	for (uint32_t r = 0; r < 32; r++) {
		uint32_t used = 0;

		for (uint32_t c = 0; c < 32; c++)
			used |= 1u << (c + bc_mix32(r * 32 + c)) % 32;
		ck_assert_msg(used != 0xffffffff, "row %u is a permutation", r);
		lost += 32 - (unsigned)__builtin_popcount(used);
	}
	ck_assert_msg(lost > 300 && lost < 450, "%u of 1024 elements lost", lost);
}
END_TEST

/* Largest number of words in one bank. */
static unsigned ways(const uint32_t word[32])
{
	unsigned in_bank[32] = { 0 }, most = 0;

	for (unsigned l = 0; l < 32; l++) {
		bool again = false;

		for (unsigned k = 0; k < l; k++)
			again |= word[k] == word[l];
		in_bank[word[l] % 32] += !again;
	}
	for (unsigned b = 0; b < 32; b++)
		most = in_bank[b] > most ? in_bank[b] : most;
	return most;
}

/* Square tiles of 8 and 16 words: no pad frees both the row and the column of a warp, the exclusive or does. */
START_TEST(no_pad_cures_both_ways_of_a_narrow_tile)
{
	const uint32_t n = _i ? 16 : 8;
	uint32_t row[32], column[32];

	for (uint32_t pad = 0; pad <= 64; pad++) {
		const struct bc_layout l = { BC_LAYOUT_PADDED, n, pad };

		for (uint32_t k = 0; k < 32; k++) {
			row[k] = bc_layout_index(k / n, k % n, l);
			column[k] = bc_layout_index(k % n, k / n, l);
		}
		ck_assert_msg(ways(row) > 1 || ways(column) > 1, "%u x %u is clean both ways", n, n + pad);
	}

	const struct bc_layout l = { BC_LAYOUT_XOR, n, n - 1 };

	for (uint32_t k = 0; k < 32; k++) {
		row[k] = bc_layout_index(k / n, k % n, l);
		column[k] = bc_layout_index(k % n, k / n, l);
	}
	ck_assert_uint_eq(ways(row), 1);
	ck_assert_uint_eq(ways(column), 1);
}
END_TEST

/* What `ways` says of a plain tile, so that it can be believed above. */
START_TEST(a_plain_column_is_32_way)
{
	uint32_t word[32];

	for (uint32_t k = 0; k < 32; k++)
		word[k] = bc_layout_index(k, 3, plain_32);
	ck_assert_uint_eq(ways(word), 32);
}
END_TEST

Suite *bc_test_layout(void)
{
	Suite *s = suite_create("layout");
	TCase *tc = tcase_create("index");

	tcase_add_loop_test(tc, elements_are_where_a_hand_put_them, 0, (int)LEN(spots));
	tcase_add_loop_test(tc, layouts_are_one_to_one_and_can_be_undone, 0, 7);
	tcase_add_loop_test(tc, xor_needs_no_extra_memory, 0, 7);
	tcase_add_loop_test(tc, traps_are_what_they_are_said_to_be, 0, (int)LEN(traps));
	tcase_add_test(tc, a_width_that_is_no_power_of_two_is_not_one_to_one);
	tcase_add_test(tc, padding_and_swizzle_at_once_are_one_to_one);
	tcase_add_test(tc, a_random_offset_is_not_one_to_one);
	tcase_add_loop_test(tc, no_pad_cures_both_ways_of_a_narrow_tile, 0, 2);
	tcase_add_test(tc, a_plain_column_is_32_way);
	suite_add_tcase(s, tc);
	return s;
}
