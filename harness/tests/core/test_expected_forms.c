/* SPDX-License-Identifier: MIT */
/* harness/tests/core/test_expected_forms.c - rows of the pattern suites against closed forms that know no bank law.
 *
 * A form sees the case's id and no address: it reads the numbers out of the variant and says how many wavefronts and
 * how many groups of lanes the request takes. conflicts = wavefronts - groups.
 */
#include "harness/core/expect.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/world.h"

Suite *bc_test_expected_forms(void);

#define NUMBERS_MAX 4

/* What an id says. */
struct key {
	const char *variant;
	int n[NUMBERS_MAX]; /* numbers of the variant: "s1_5" has 1 and 5, "m3" has -3 */
	unsigned count;
	unsigned bits; /* of the access, from the rule's name; 0: the name has none */
	bool load;
	bool pairs_merge; /* the architecture has the pair rule */
};

struct form {
	unsigned wavefronts, groups;
};

static unsigned gcd(unsigned a, unsigned b)
{
	while (b != 0) {
		const unsigned r = a % b;

		a = b;
		b = r;
	}
	return a;
}

static unsigned first_abs(const struct key *k)
{
	return (unsigned)abs(k->n[0]);
}

/* Groups of an access by all lanes at addresses of their own: 128 bytes each. */
static unsigned groups(const struct key *k)
{
	return k->bits <= 32 ? 1 : k->bits / 32;
}

static struct form clean(const struct key *k)
{
	return (struct form){ groups(k), groups(k) };
}

static struct form one_group(unsigned wavefronts)
{
	return (struct form){ wavefronts, 1 };
}

static struct form distance(const struct key *k)
{
	return one_group(k->n[0] % 32 == 0 ? 2 : 1);
}

static struct form address_bit(const struct key *k)
{
	return one_group(k->n[0] >= 7 ? 2 : 1);
}

static struct form always_2(const struct key *k)
{
	(void)k;
	return one_group(2);
}

static struct form always_32(const struct key *k)
{
	(void)k;
	return one_group(32);
}

static struct form word_stride(const struct key *k)
{
	return one_group(k->n[0] == 0 ? 1 : gcd(first_abs(k), 32));
}

/* The first number: ways, words of one bank, the stride of "s32_5" (1 or 32 words). */
static struct form the_number(const struct key *k)
{
	return one_group(first_abs(k));
}

/*
 * Strides of bytes and halves. A whole number of words: as words. Below a word: at most 32 words in a row. Between
 * one and two words: the words span more than 32 and fewer than 64, so some bank has two and none three. 65 halves:
 * even lanes at words 65m, odd ones at words 65m + 32, the same bank.
 */
static struct form part_stride(const struct key *k)
{
	const unsigned bytes = first_abs(k) * k->bits / 8;

	if (bytes >= 4 && bytes % 4 == 0)
		return one_group(gcd(bytes / 4, 32));
	if (bytes < 4)
		return one_group(1);
	ck_assert_msg(bytes < 8 || bytes == 130, "no form for a stride of %u bytes", bytes);
	return one_group(2);
}

/* Strides of 8 and 16 bytes: each group meets all its columns of banks gcd times. Stride 0 is the pair rule's. */
static struct form wide_stride(const struct key *k)
{
	const unsigned n = groups(k), merged = k->load && k->pairs_merge ? n / 2 : n;

	if (k->n[0] == 0)
		return (struct form){ merged, merged };
	return (struct form){ n * gcd(first_abs(k), 32 / n), n };
}

static struct form partner(const struct key *k)
{
	const unsigned n = groups(k);

	return (struct form){ first_abs(k) < 32 / n ? 2 * n : n, n };
}

static struct form active_groups(const struct key *k)
{
	return (struct form){ k->count, k->count };
}

static struct form pair(const struct key *k)
{
	const bool agree =
		(k->n[0] == 1 || k->n[0] == 2) && !strstr(k->variant, "broken") && !strstr(k->variant, "then");
	const unsigned n = groups(k), left = k->load && k->pairs_merge && agree ? n / 2 : n;

	return (struct form){ strstr(k->variant, "one_bank") ? 16 : left, left };
}

static struct form column(const struct key *k)
{
	return (struct form){ 32, groups(k) };
}

/* By "suite/stem_" of the rule, the operation left out. */
static const struct {
	const char *rule;
	struct form (*form)(const struct key *k);
} forms[] = {
	{ "mapping/distance", distance },
	{ "mapping/address_bit", address_bit },
	{ "mapping/address_bit_pair", always_2 },
	{ "mapping/window_line", clean },
	{ "mapping/window_column", always_32 },
	{ "mapping/base_alignment", clean },
	{ "broadcast/one_word_", clean },
	{ "broadcast/groups_", clean },
	{ "broadcast/same_bank_", the_number },
	{ "broadcast/several_", clean },
	{ "broadcast/bytes_", clean },
	{ "broadcast/halves_", clean },
	{ "stride/", word_stride },
	{ "stride/offset_", the_number },
	{ "ways/first_", the_number },
	{ "ways/last_", the_number },
	{ "ways/scattered_", the_number },
	{ "ways/inactive_", the_number },
	{ "ways/apart_", clean },
	{ "width/stride_b8", part_stride },
	{ "width/stride_b16", part_stride },
	{ "width/stride_b64", wide_stride },
	{ "width/stride_b128", wide_stride },
	{ "width/consecutive_", clean },
	{ "width/partner_", partner },
	{ "width/active_groups_", active_groups },
	{ "width/pair_", pair },
	{ "width/column_", column },
	{ "width/column_padded_", clean },
};

static const char *const suites[] = { "mapping", "broadcast", "stride", "ways", "width" };

/* Take an id apart. @rule: "suite/stem_" without the operation, or the whole "suite/rule" when it names none. */
static void read_id(const char *id, struct key *k, char rule[BC_ID_MAX])
{
	char *op;

	*k = (struct key){ .variant = strrchr(id, '/') + 1 };
	memcpy(rule, id, (size_t)(k->variant - 1 - id));
	rule[k->variant - 1 - id] = '\0';
	op = strstr(rule, "ld_b");
	k->load = op != NULL;
	op = op ? op : strstr(rule, "st_b");
	if (op) {
		k->bits = (unsigned)strtoul(op + 4, NULL, 10);
		*op = '\0';
	}
	for (const char *p = k->variant; *p != '\0' && k->count < NUMBERS_MAX; p += *p != '\0') {
		char *end;

		if (strspn(p, "0123456789") == 0)
			continue;
		k->n[k->count] = (int)strtol(p, &end, 10);
		if (p == k->variant + 1 && k->variant[0] == 'm')
			k->n[k->count] = -k->n[k->count];
		k->count++;
		p = end - (*end == '\0');
	}
}

/* Index of the form of a rule; a form may ask for a width: "width/stride_b8". */
static size_t find_form(const char *rule, unsigned bits)
{
	char with_bits[BC_ID_MAX + 8];
	size_t i = 0;

	ck_assert_int_gt(snprintf(with_bits, sizeof(with_bits), "%sb%u", rule, bits), 0);
	while (i < BC_ARRAY_LEN(forms) && strcmp(forms[i].rule, rule) != 0 && strcmp(forms[i].rule, with_bits) != 0)
		i++;
	return i;
}

static bool has_forms(const struct bc_case *c)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(suites); i++)
		if (strcmp(c->suite->name, suites[i]) == 0)
			return true;
	return false;
}

/* Compare the rows of all cases on one architecture. @used: [forms] set where a form was. */
static void compare(const struct bc_arch *a, bool *used)
{
	struct bc_expect e = { 0 };

	bc_world_need(bc_expect_load(BC_TEST_EXPECTED, a->name, &bc_world.cat, &e, &bc_world.err), a->name);
	for (size_t i = 0; i < bc_world.cat.n; i++) {
		const struct bc_case *c = &bc_world.cat.cases[i];
		char rule[BC_ID_MAX];
		struct bc_bounds b;
		struct key k;

		if (!has_forms(c))
			continue;
		read_id(c->id, &k, rule);
		k.pairs_merge = a->pair_rule != 0;

		const size_t f = find_form(rule, k.bits);

		ck_assert_msg(f < BC_ARRAY_LEN(forms), "%s: no closed form for '%s'", c->id, rule);
		used[f] = true;

		const struct form want = forms[f].form(&k);

		bc_expect_find(&e, c->id, &b);

		const struct bc_row *w = b.row[BC_Q_WAVEFRONTS], *x = b.row[BC_Q_CONFLICTS];

		ck_assert_msg(w && x, "%s on %s: no rows", c->id, a->name);
		ck_assert_msg(w->lo == want.wavefronts && w->hi == want.wavefronts,
			      "%s:%u: %s on %s: %g wavefronts, by closed form %u", w->path, w->line, c->id, a->name,
			      w->lo, want.wavefronts);
		ck_assert_msg(x->lo == want.wavefronts - want.groups && x->hi == want.wavefronts - want.groups,
			      "%s:%u: %s on %s: %g conflicts, by closed form %u", x->path, x->line, c->id, a->name,
			      x->lo, want.wavefronts - want.groups);
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

/* The reading of ids, by hand. */
static const struct {
	const char *id, *rule;
	int n[NUMBERS_MAX];
	unsigned count, bits;
	bool load;
} readings[] = {
	{ "stride/ld_b32/m3", "stride/", { -3 }, 1, 32, true },
	{ "stride/st_b32/64", "stride/", { 64 }, 1, 32, false },
	{ "stride/offset_ld_b32/s32_5", "stride/offset_", { 32, 5 }, 2, 32, true },
	{ "mapping/address_bit_pair/7_12", "mapping/address_bit_pair", { 7, 12 }, 2, 0, false },
	{ "mapping/window_line/last", "mapping/window_line", { 0 }, 0, 0, false },
	{ "width/active_groups_st_b128/1_2_3", "width/active_groups_", { 1, 2, 3 }, 3, 128, false },
	{ "width/pair_ld_b64/x2_broken_13", "width/pair_", { 2, 13 }, 2, 64, true },
	{ "broadcast/same_bank_st_b32/interleaved_16", "broadcast/same_bank_", { 16 }, 1, 32, false },
};

START_TEST(ids_are_read_right)
{
	char rule[BC_ID_MAX];
	struct key k;

	read_id(readings[_i].id, &k, rule);
	ck_assert_str_eq(rule, readings[_i].rule);
	ck_assert_uint_eq(k.count, readings[_i].count);
	for (unsigned i = 0; i < k.count; i++)
		ck_assert_int_eq(k.n[i], readings[_i].n[i]);
	ck_assert_uint_eq(k.bits, readings[_i].bits);
	ck_assert(k.load == readings[_i].load);
}
END_TEST

Suite *bc_test_expected_forms(void)
{
	Suite *s = suite_create("expected_forms");
	TCase *tc = tcase_create("rows");

	tcase_add_unchecked_fixture(tc, bc_world_open, bc_world_close);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, rows_equal_the_closed_forms_on_every_architecture);
	suite_add_tcase(s, tc);

	tc = tcase_create("ids");
	tcase_add_loop_test(tc, ids_are_read_right, 0, (int)BC_ARRAY_LEN(readings));
	suite_add_tcase(s, tc);
	return s;
}
