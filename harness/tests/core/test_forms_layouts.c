/* SPDX-License-Identifier: MIT */
/* harness/tests/core/test_forms_layouts.c - rows of padding and swizzle against closed forms that know no bank law.
 *
 * A form sees the numbers of the case's variant ("32x33_col_1": 32, 33, 1) and the bits of the access, no address, and
 * says how many wavefronts the request takes. A warp's access of b bits makes one group, or b / 32 of them.
 */
#include "harness/core/expect.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/world.h"

Suite *bc_test_forms_layouts(void);

#define NUMBERS_MAX 4

struct key {
	unsigned n[NUMBERS_MAX], count;
	unsigned bits;
};

static unsigned gcd(unsigned a, unsigned b)
{
	return b == 0 ? a : gcd(b, a % b);
}

static unsigned groups(const struct key *k)
{
	return k->bits <= 32 ? 1 : k->bits / 32;
}

static unsigned clean(const struct key *k)
{
	return groups(k);
}

/* A column of 32 in rows of n[1] elements. Elements of 4 bytes and more: each of the groups meets gcd(pitch, lanes).
 * Smaller ones: where the pitch is whole words, as words; one element more than whole words: see padding.c. */
static unsigned padded_column(const struct key *k)
{
	const unsigned lanes = 32 / groups(k), per_word = k->bits < 32 ? 32 / k->bits : 1, pitch = k->n[1];

	if (pitch % per_word == 0)
		return groups(k) * gcd(pitch / per_word, lanes);
	return k->n[2] % per_word == 0 ? 1 : 2;
}

static unsigned narrow_row(const struct key *k)
{
	return k->n[0] == k->n[1] ? 1 : 2;
}

/* n x n words: n * n / 32 lines meet; a pad of 32 / n separates them, one of 1 not quite. */
static unsigned narrow_column(const struct key *k)
{
	const unsigned n = k->n[0], pad = k->n[1] - n;

	return pad == 0 ? n * n / 32 : pad == 32 / n ? 1 : 2;
}

/* TX x TY threads, pad: without one all rows of a line are in the same banks, with one 32 / TY columns meet. */
static unsigned block_load(const struct key *k)
{
	return k->n[2] == 0 ? k->n[0] * k->n[1] / 32 : 32 / k->n[1];
}

static unsigned block_store(const struct key *k)
{
	return k->n[2] != 0 && k->n[0] < 32 ? 2 : 1;
}

/* 16 rows of n[1] words, two columns n[2] apart. */
static unsigned step(const struct key *k)
{
	return k->n[1] % 32 == 0 ? 16 : k->n[2] < 16 ? 2 : 1;
}

static unsigned xor_column(const struct key *k)
{
	return k->bits == 16 && k->n[0] == 64 ? 2 : groups(k);
}

static unsigned tall(const struct key *k)
{
	return 32 / k->n[1];
}

static unsigned partial(const struct key *k)
{
	return 32 / (k->n[1] + 1);
}

/* Rows r and r' meet in column c when they agree in the bits 0..3 that c has not: each bit that it has doubles. */
static unsigned twice_column(const struct key *k)
{
	unsigned wavefronts = 2;

	for (unsigned bit = 1; bit < 16; bit *= 2)
		wavefronts *= k->n[0] & bit ? 2 : 1;
	return wavefronts;
}

/* By "suite/stem_" of the rule, the operation left out. */
static const struct {
	const char *rule;
	unsigned (*form)(const struct key *k);
} forms[] = {
	{ "padding/row_", clean },
	{ "padding/column_", padded_column },
	{ "padding/narrow_row_", narrow_row },
	{ "padding/narrow_column_", narrow_column },
	{ "padding/block_ld_b", block_load },
	{ "padding/block_st_b", block_store },
	{ "padding/step_", step },
	{ "swizzle/row_", clean },
	{ "swizzle/column_", xor_column },
	{ "swizzle/tall_", tall },
	{ "swizzle/unmasked_", clean },
	{ "swizzle/partial_", partial },
	{ "swizzle/twice_row_", clean },
	{ "swizzle/twice_column_", twice_column },
	{ "swizzle/drawn_", clean },
};

/* The form whose rule @id begins with; the operation ("ld_b32", "st_b8") follows. */
static size_t find_form(const char *id)
{
	size_t i = 0;

	for (; i < BC_ARRAY_LEN(forms); i++) {
		const size_t len = strlen(forms[i].rule);

		if (strncmp(id, forms[i].rule, len) == 0 &&
		    (forms[i].rule[len - 1] == 'b' || strncmp(id + len, "ld_b", 4) == 0 ||
		     strncmp(id + len, "st_b", 4) == 0))
			break;
	}
	return i;
}

static struct key read_id(const char *id)
{
	const char *variant = strrchr(id, '/') + 1;
	const char *op = strstr(id, "ld_b") ? strstr(id, "ld_b") : strstr(id, "st_b");
	struct key k = { .bits = op ? (unsigned)strtoul(op + 4, NULL, 10) : 0 };

	while (*variant != '\0' && k.count < NUMBERS_MAX) {
		char *end;

		variant += strcspn(variant, "0123456789");
		if (*variant == '\0')
			break;
		k.n[k.count++] = (unsigned)strtoul(variant, &end, 10);
		variant = end;
	}
	return k;
}

static bool is_ours(const struct bc_case *c)
{
	return (strcmp(c->suite->name, "padding") == 0 || strcmp(c->suite->name, "swizzle") == 0) && !c->rule->program;
}

static void compare(const struct bc_arch *a, bool *used)
{
	struct bc_expect e = { 0 };

	bc_world_need(bc_expect_load(BC_TEST_EXPECTED, a->name, &bc_world.cat, &e, &bc_world.err), a->name);
	for (size_t i = 0; i < bc_world.cat.n; i++) {
		const struct bc_case *c = &bc_world.cat.cases[i];
		struct bc_bounds b;

		if (!is_ours(c))
			continue;

		const struct key k = read_id(c->id);
		const size_t f = find_form(c->id);

		ck_assert_msg(f < BC_ARRAY_LEN(forms), "%s: no closed form", c->id);
		used[f] = true;

		const unsigned want = forms[f].form(&k);

		bc_expect_find(&e, c->id, &b);

		const struct bc_row *w = b.row[BC_Q_WAVEFRONTS], *x = b.row[BC_Q_CONFLICTS];

		ck_assert_msg(w && x, "%s on %s: no rows", c->id, a->name);
		ck_assert_msg(w->lo == want && w->hi == want, "%s:%u: %s on %s: %g wavefronts, by closed form %u",
			      w->path, w->line, c->id, a->name, w->lo, want);
		ck_assert_msg(x->lo == want - groups(&k) && x->hi == x->lo,
			      "%s:%u: %s on %s: %g conflicts, by closed form %u", x->path, x->line, c->id, a->name,
			      x->lo, want - groups(&k));
	}
	bc_expect_release(&e);
}

START_TEST(rows_equal_the_closed_forms_on_every_architecture)
{
	bool used[BC_ARRAY_LEN(forms)] = { false };

	ck_assert_uint_gt(bc_world.narchs, 0);
	for (size_t i = 0; i < bc_world.narchs; i++)
		compare(&bc_world.archs[i], used);
	for (size_t f = 0; f < BC_ARRAY_LEN(forms); f++)
		ck_assert_msg(used[f], "no case has the form of %s", forms[f].rule);
}
END_TEST

/* What the catalogue's cases must hold, by hand: the figures that people quote. */
static const struct {
	const char *id;
	double wavefronts;
} quoted[] = {
	{ "padding/column_ld_b32/32x32", 32 },	    { "padding/column_ld_b32/32x33", 1 },
	{ "padding/column_ld_b32/32x34", 2 },	    { "padding/column_ld_b32/32x36", 4 },
	{ "padding/column_ld_b32/32x40", 8 },	    { "padding/column_ld_b32/32x48", 16 },
	{ "padding/column_ld_b8/32x36_col_1", 1 },  { "padding/column_ld_b16/32x33_col_1", 2 },
	{ "padding/column_ld_b64/32x33", 2 },	    { "padding/column_ld_b128/32x33", 4 },
	{ "padding/block_ld_b32/32x32_pad_1", 1 },  { "padding/block_ld_b32/32x16_pad_1", 2 },
	{ "padding/block_ld_b32/32x8_pad_1", 4 },   { "padding/block_ld_b32/16x32_pad_1", 1 },
	{ "padding/block_ld_b32/16x16_pad_1", 2 },  { "padding/block_st_b32/16x32_pad_1", 2 },
	{ "padding/block_st_b32/16x16_pad_1", 2 },  { "padding/step_ld_b32/16x65_step_4", 2 },
	{ "padding/step_ld_b32/16x64_step_4", 16 }, { "swizzle/column_ld_b16/64x64_first", 2 },
	{ "swizzle/column_ld_b32/64x64_last", 1 },  { "swizzle/partial_ld_b32/64_and_7", 4 },
	{ "swizzle/partial_ld_b32/64_and_15", 2 },  { "swizzle/partial_ld_b32/64_and_31", 1 },
	{ "swizzle/twice_column_ld_b32/col_0", 2 }, { "swizzle/twice_column_ld_b32/col_31", 32 },
};

START_TEST(quoted_figures_are_there)
{
	struct bc_expect e = { 0 };
	struct bc_bounds b;

	bc_world_need(bc_expect_load(BC_TEST_EXPECTED, "sm_90", &bc_world.cat, &e, &bc_world.err), "sm_90");
	ck_assert_msg(bc_catalog_find(&bc_world.cat, quoted[_i].id) != NULL, "%s is gone", quoted[_i].id);
	bc_expect_find(&e, quoted[_i].id, &b);
	ck_assert_msg(b.row[BC_Q_WAVEFRONTS] && b.row[BC_Q_WAVEFRONTS]->lo == quoted[_i].wavefronts, "%s",
		      quoted[_i].id);
	bc_expect_release(&e);
}
END_TEST

/* Lanes of a few cases, by hand: bytes from the first of shared memory. */
static const struct {
	const char *id;
	unsigned lane;
	uint32_t offset;
} spots[] = {
	{ "padding/column_ld_b32/32x33", 31, 4092 },	    { "padding/row_st_b32/64x65", 31, 124 },
	{ "padding/column_ld_b8/32x33_col_1", 31, 1024 },   { "padding/column_st_b16/32x34_col_1", 2, 138 },
	{ "padding/column_ld_b128/32x33", 1, 528 },	    { "padding/narrow_row_st_b32/8x9", 8, 36 },
	{ "padding/narrow_column_ld_b32/16x17", 31, 1024 }, { "padding/block_ld_b32/32x8_pad_1", 9, 136 },
	{ "padding/block_st_b32/16x16_pad_1", 31, 128 },    { "padding/step_ld_b32/16x65_step_4", 17, 276 },
	{ "swizzle/row_ld_b32/8x8_first", 9, 32 },	    { "swizzle/row_ld_b32/8x8_last", 0, 144 },
	{ "swizzle/column_ld_b32/32x32_first", 31, 4092 },  { "swizzle/column_ld_b64/64x64_last", 0, 16632 },
	{ "swizzle/column_ld_b128/16x16_first", 16, 16 },   { "swizzle/tall_ld_b32/32x8", 9, 304 },
	{ "swizzle/unmasked_ld_b32/32x8", 31, 1096 },	    { "swizzle/partial_ld_b32/64_and_7", 31, 7992 },
	{ "swizzle/twice_column_ld_b32/col_3", 5, 684 },
};

START_TEST(lanes_are_where_a_hand_put_them)
{
	const struct bc_case *c = bc_catalog_find(&bc_world.cat, spots[_i].id);

	ck_assert_msg(c != NULL, "%s is gone", spots[_i].id);
	ck_assert_msg(c->pattern.offset[spots[_i].lane] == spots[_i].offset, "%s: lane %u is at %u, not %u", c->id,
		      spots[_i].lane, c->pattern.offset[spots[_i].lane], spots[_i].offset);
}
END_TEST

Suite *bc_test_forms_layouts(void)
{
	Suite *s = suite_create("forms_layouts");
	TCase *tc = tcase_create("rows");

	tcase_add_unchecked_fixture(tc, bc_world_open, bc_world_close);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, rows_equal_the_closed_forms_on_every_architecture);
	tcase_add_loop_test(tc, quoted_figures_are_there, 0, (int)BC_ARRAY_LEN(quoted));
	tcase_add_loop_test(tc, lanes_are_where_a_hand_put_them, 0, (int)BC_ARRAY_LEN(spots));
	suite_add_tcase(s, tc);
	return s;
}
