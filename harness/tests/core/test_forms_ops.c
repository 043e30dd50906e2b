/* SPDX-License-Identifier: MIT */
/* harness/tests/core/test_forms_ops.c - rows of the suites atomic, matrix, generic, async and random against closed
 * forms that know no bank law and see no address.
 */
#include "harness/core/expect.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/world.h"
#include "kernels/bc_kernel.h"

Suite *bc_test_forms_ops(void);

#define NUMBERS_MAX 4

/* What an id says. */
struct key {
	const char *variant;
	int n[NUMBERS_MAX]; /* numbers of the variant */
	unsigned groups;    /* in which a request by all lanes is served */
	bool cas;	    /* two passes each */
	bool merge;	    /* lanes on one word are served together */
};

struct form {
	unsigned wavefronts, groups;
};

static unsigned gcd(unsigned a, unsigned b)
{
	return b ? gcd(b, a % b) : a;
}

static unsigned first(const struct key *k)
{
	return (unsigned)abs(k->n[0]);
}

static struct form clean(const struct key *k)
{
	return (struct form){ k->groups, k->groups };
}

/* n lanes on one element, the others apart: a wavefront for each lane there, and one for each group that has none
 * there. */
static struct form one_word(const struct key *k)
{
	const unsigned lanes = 32 / k->groups, full = (first(k) + lanes - 1) / lanes;

	if (k->merge)
		return clean(k);
	return (struct form){ first(k) + k->groups - full, k->groups };
}

/* The lanes of a group meet gcd to a bank; at stride 0 all of them do, unless they merge. */
static struct form stride(const struct key *k)
{
	if (k->n[0] == 0 && k->merge)
		return clean(k); /* generic loads keep their groups: the pair rule is not theirs (law 11) */
	return (struct form){ k->n[0] == 0 ? 32 : k->groups * gcd(first(k), 32 / k->groups), k->groups };
}

/* The first number: lanes, lanes a word, words of one bank. */
static struct form lanes(const struct key *k)
{
	return (struct form){ k->merge ? 1 : first(k), 1 };
}

static struct form words(const struct key *k)
{
	return (struct form){ k->merge ? first(k) : 32, 1 };
}

static struct form ways(const struct key *k)
{
	return (struct form){ first(k), 1 };
}

static struct form again(const struct key *k)
{
	return (struct form){ strcmp(k->variant, "apart") == 0 ? k->groups : 32, k->groups };
}

static struct form broadcast(const struct key *k)
{
	return (struct form){ strncmp(k->variant, "banks", 5) == 0 ? 1 : first(k), 1 };
}

/* Generic loads by pairs of lanes: nothing merges. */
static struct form pair(const struct key *k)
{
	return clean(k);
}

/* Eight rows at an odd number of 16-byte chunks meet once in each of 8 columns. */
static struct form rows(const struct key *k)
{
	return (struct form){ k->groups * gcd(first(k) / 16, 8), k->groups };
}

static struct form eight_way(const struct key *k)
{
	return (struct form){ k->groups * 8, k->groups };
}

static struct form same_rows(const struct key *k)
{
	return (struct form){ strstr(k->variant, "of_a_bank") ? 2 * k->groups : k->groups, k->groups };
}

/* By "suite/stem" of the rule, without the operation. */
static const struct {
	const char *rule;
	struct form (*form)(const struct key *k);
} forms[] = {
	{ "atomic/one_word", one_word },   { "atomic/stride", stride },	       { "atomic/inactive", lanes },
	{ "atomic/apart", clean },	   { "atomic/groups", lanes },	       { "atomic/same_bank", words },
	{ "atomic/again", again },	   { "matrix/pitch", rows },	       { "matrix/tile", rows },
	{ "matrix/swizzled", clean },	   { "matrix/unswizzled", eight_way }, { "matrix/ignored", clean },
	{ "matrix/same_rows", same_rows }, { "matrix/requests", clean },       { "generic/stride", stride },
	{ "generic/ways", ways },	   { "generic/apart", clean },	       { "generic/broadcast", broadcast },
	{ "generic/pair", pair },	   { "async/stride", stride },	       { "async/one_word", one_word },
	{ "async/inactive", lanes },	   { "async/apart", clean },
};

static bool mine(const struct bc_case *c)
{
	static const char *const suites[] = { "atomic", "matrix", "generic", "async" };

	for (size_t i = 0; i < BC_ARRAY_LEN(suites); i++)
		if (strcmp(c->suite->name, suites[i]) == 0)
			return true;
	return false;
}

/* What the name of an operation says: how many matrices, bytes; whether it is compare-and-swap, merges. */
static void read_op(const char *op, struct key *k)
{
	const size_t len = strlen(op);

	if (strncmp(op, "ldsm", 4) == 0 || strncmp(op, "stsm", 4) == 0)
		k->groups = (unsigned)(op[4] - '0');
	else if (strncmp(op, "cpa", 3) == 0)
		k->groups = (unsigned)strtoul(op + 3, NULL, 10) / 4;
	else if (strcmp(op + len - 3, "128") == 0)
		k->groups = 4;
	else
		k->groups = strcmp(op + len - 2, "64") == 0 ? 2 : 1;
	k->cas = strncmp(op, "cas", 3) == 0;
	k->merge = strcmp(op, "red32") == 0 || op[0] == 'g';
}

/* Take an id apart. @rule: "suite/stem". */
static void read_id(const struct bc_case *c, struct key *k, char rule[BC_ID_MAX])
{
	const char *op = strrchr(c->rule->name, '_');
	unsigned count = 0;

	memset(k, 0, sizeof(*k));
	k->variant = c->variant;
	bc_strlcpy(rule, c->id, BC_ID_MAX);
	rule[strlen(c->suite->name) + 1 + strlen(c->rule->name)] = '\0';
	if (op) {
		*strrchr(rule, '_') = '\0';
		read_op(op + 1, k);
	}
	for (const char *p = k->variant; *p && count < NUMBERS_MAX; p++) {
		char *end;

		if (*p < '0' || *p > '9')
			continue;
		k->n[count++] = (int)strtol(p, &end, 10);
		p = end - 1;
	}
	if (k->variant[0] == 'm' && k->variant[1] >= '0' && k->variant[1] <= '9')
		k->n[0] = -k->n[0];
}

/* Index of the form of a rule, BC_ARRAY_LEN(forms): it has none. */
static size_t find_form(const char *rule)
{
	size_t f = 0;

	while (f < BC_ARRAY_LEN(forms) && strcmp(forms[f].rule, rule) != 0)
		f++;
	return f;
}

static void compare(const struct bc_case *c, const struct bc_arch *a, const struct bc_bounds *b, bool *used)
{
	char rule[BC_ID_MAX];
	struct key k;

	read_id(c, &k, rule);

	const size_t f = find_form(rule);

	ck_assert_msg(f < BC_ARRAY_LEN(forms), "%s: no closed form for '%s'", c->id, rule);
	used[f] = true;

	const struct form want = forms[f].form(&k);
	const double wavefronts = k.cas ? 2 * want.wavefronts : want.wavefronts,
		     conflicts = want.wavefronts - want.groups;
	const struct bc_row *w = b->row[BC_Q_WAVEFRONTS], *x = b->row[BC_Q_CONFLICTS];

	ck_assert_msg(x && (w || strcmp(c->suite->name, "async") == 0), "%s on %s: no rows", c->id, a->name);
	ck_assert_msg(!w || (w->lo == wavefronts && w->hi == wavefronts), "%s:%u: %s: %g wavefronts, by closed form %g",
		      w->path, w->line, c->id, w->lo, wavefronts);
	ck_assert_msg(x->lo == conflicts && x->hi == conflicts, "%s:%u: %s: %g conflicts, by closed form %g", x->path,
		      x->line, c->id, x->lo, conflicts);
}

START_TEST(rows_equal_the_closed_forms_on_every_architecture)
{
	bool used[BC_ARRAY_LEN(forms)] = { false };
	size_t by_data = 0;

	ck_assert_uint_gt(bc_world.narchs, 0);
	for (size_t i = 0; i < bc_world.narchs; i++) {
		struct bc_expect e = { 0 };

		bc_world_need(
			bc_expect_load(BC_TEST_EXPECTED, bc_world.archs[i].name, &bc_world.cat, &e, &bc_world.err),
			bc_world.archs[i].name);
		for (size_t k = 0; k < bc_world.cat.n; k++) {
			struct bc_bounds b;

			if (!mine(&bc_world.cat.cases[k]))
				continue;
			bc_expect_find(&e, bc_world.cat.cases[k].id, &b);
			if (b.row[BC_Q_DATA])
				by_data++;
			else
				compare(&bc_world.cat.cases[k], &bc_world.archs[i], &b, used);
		}
		bc_expect_release(&e);
	}
	for (size_t f = 0; f < BC_ARRAY_LEN(forms); f++)
		ck_assert_msg(used[f], "no case has the form of %s", forms[f].rule);
	ck_assert_uint_gt(by_data, 0);
}
END_TEST

/* The operations that hardware-measured laws leave out are judged by data alone, the others never. */
START_TEST(data_rows_are_where_no_law_is)
{
	static const char *const lawless[] = { "min32", "or32", "xor32", "add64", "addf32", "red64", "redf32" };
	struct bc_expect e = { 0 };

	bc_world_need(bc_expect_load(BC_TEST_EXPECTED, "sm_90", &bc_world.cat, &e, &bc_world.err), "sm_90");
	for (size_t i = 0; i < bc_world.cat.n; i++) {
		const struct bc_case *c = &bc_world.cat.cases[i];
		bool want = strncmp(c->rule->name, "data_", 5) == 0 || strncmp(c->rule->name, "zero_fill_", 10) == 0 ||
			    c->rule->program;
		struct bc_bounds b;

		if (!mine(c))
			continue;
		for (size_t k = 0; k < BC_ARRAY_LEN(lawless); k++)
			want = want || strcmp(strrchr(c->rule->name, '_') ? strrchr(c->rule->name, '_') + 1 : "",
					      lawless[k]) == 0;
		bc_expect_find(&e, c->id, &b);
		ck_assert_msg(want == (b.row[BC_Q_DATA] != NULL), "%s: a row of data is %s", c->id,
			      want ? "missing" : "wrong");
	}
	bc_expect_release(&e);
}
END_TEST

/* Wavefronts of all requests of a seed, counted word by word: the most different words of one bank. */
static unsigned random_sum(uint32_t seed)
{
	static uint32_t x[256];
	unsigned sum = 0;

	for (uint32_t t = 0; t < 256; t++)
		x[t] = bc_mix32(t ^ seed * 0x9e3779b9u);
	for (unsigned rep = 0; rep < 512; rep++) {
		for (unsigned warp = 0; warp < 8; warp++) {
			uint32_t word[32];
			unsigned most = 0;

			for (unsigned l = 0; l < 32; l++) {
				x[warp * 32 + l] = x[warp * 32 + l] * 1664525u + 1013904223u;
				word[l] = x[warp * 32 + l] >> 20;
			}
			for (unsigned bank = 0; bank < 32; bank++) {
				unsigned n = 0;

				for (unsigned l = 0; l < 32; l++) {
					unsigned m = 0;

					while (m < l && word[m] != word[l])
						m++;
					n += m == l && word[l] % 32 == bank;
				}
				most = n > most ? n : most;
			}
			sum += most;
		}
	}
	return sum;
}

START_TEST(random_rows_are_the_sums)
{
	struct bc_expect e = { 0 };
	unsigned exact = 0, bounded = 0;

	bc_world_need(bc_expect_load(BC_TEST_EXPECTED, "sm_90", &bc_world.cat, &e, &bc_world.err), "sm_90");
	for (size_t i = 0; i < bc_world.cat.n; i++) {
		const struct bc_case *c = &bc_world.cat.cases[i];
		const struct bc_row *w, *k;
		struct bc_bounds b;
		double mean;

		if (strcmp(c->suite->name, "random") != 0 || strncmp(c->rule->name, "own", 3) == 0)
			continue;
		bc_expect_find(&e, c->id, &b);
		w = b.row[BC_Q_WAVEFRONTS];
		k = b.row[BC_Q_CONFLICTS];
		ck_assert_msg(w && k, "%s: no rows", c->id);
		mean = random_sum((uint32_t)strtoul(c->variant + 5, NULL, 10)) / 4096.0;
		ck_assert_msg(w->lo <= mean && w->hi >= mean, "%s: %g, counted %g", c->id, w->lo, mean);
		ck_assert_msg(k->lo <= mean - 1 && k->hi >= mean - 1, "%s: %g conflicts", c->id, k->lo);
		ck_assert_msg(w->hi - w->lo <= 3.51 * 0.01 + 1e-9 && k->hi - k->lo <= 3.51 * 0.01 + 1e-9, "%s: wide",
			      c->id);
		exact += w->lo >= w->hi && k->lo >= k->hi;
		bounded += w->lo < w->hi;
	}
	ck_assert_uint_eq(exact, 4);
	ck_assert_uint_eq(bounded, 2);
	bc_expect_release(&e);
}
END_TEST

Suite *bc_test_forms_ops(void)
{
	Suite *s = suite_create("forms_ops");
	TCase *tc = tcase_create("rows");

	tcase_add_unchecked_fixture(tc, bc_world_open, bc_world_close);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, rows_equal_the_closed_forms_on_every_architecture);
	tcase_add_test(tc, data_rows_are_where_no_law_is);
	tcase_add_test(tc, random_rows_are_the_sums);
	suite_add_tcase(s, tc);
	return s;
}
