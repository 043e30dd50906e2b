/* SPDX-License-Identifier: MIT */
/* harness/tests/core/test_forms_idioms.c - rows of the idiom suites (see suites[] below) against closed forms.
 *
 * As in test_expected_forms.c a form sees the case's id and nothing of its program.
 */
#include "harness/core/expect.h"
#include "kernels/bc_kernel.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *bc_test_forms_idioms(void);

/* What the rows must say: wavefronts and conflicts, each over requests; sectors; none; data alone; a figure of time. */
struct form {
	unsigned wavefronts, conflicts, requests; /* requests 0: no such rows */
	unsigned sectors_lo, sectors_hi;	  /* 0: none */
	bool no_requests, data;			  /* `requests 0 0`; judged by data alone */
	double slack;				  /* of wavefronts and conflicts, above the form's */
	double slope, ratio;			  /* a number that the clock's bounds must hold; 0: none */
};

struct key {
	const char *variant;
	int n;	       /* the first number of the variant; "m1": -1 */
	unsigned bits; /* from the rule's name, 0: none */
};

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static struct form exact(unsigned wavefronts, unsigned requests)
{
	return (struct form){ .wavefronts = wavefronts, .conflicts = wavefronts - requests, .requests = requests };
}

static struct form clean(const struct key *k)
{
	(void)k;
	return exact(1, 1);
}

/* Clean, while global traffic of the same block goes on. */
static struct form pipe(const struct key *k)
{
	(void)k;
	return (struct form){ .wavefronts = 1, .requests = 1, .slack = 0.25 };
}

/* A warp's elements are @bits * 32 / 8 bytes, of which a wavefront takes 128; 8x8 has no two whole warps. */
static struct form bijective(const struct key *k)
{
	const unsigned n = k->bits < 32 ? 1 : k->bits / 32;

	if (k->n == 8)
		return (struct form){ .data = true };
	return (struct form){ .wavefronts = n, .requests = 1, .slack = n * 0.25 };
}

static struct form data(const struct key *k)
{
	(void)k;
	return (struct form){ .data = true };
}

static struct form none(const struct key *k)
{
	(void)k;
	return (struct form){ .no_requests = true };
}

/* Lanes up to a sector apart fill sectors without a hole; further apart each has one of its own. */
static struct form stride(const struct key *k)
{
	const unsigned apart = (unsigned)abs(k->n) * k->bits / 8, n = apart == 0 ? 1 : least(apart, 32);

	return (struct form){ .sectors_lo = n, .sectors_hi = n };
}

static struct form offset(const struct key *k)
{
	const unsigned full = k->bits / 8, cut = (unsigned)k->n * k->bits / 8 % 32 != 0;

	return (struct form){ .sectors_lo = full + cut, .sectors_hi = full + cut * (k->bits / 32) };
}

static struct form active(const struct key *k)
{
	const unsigned n = ((unsigned)k->n + 7) / 8;

	return (struct form){ .sectors_lo = n, .sectors_hi = n };
}

/* 256 threads: the figures that people are taught. */
static struct form strided_step(const struct key *k)
{
	static const unsigned char ways[] = { 2, 4, 8, 8, 8, 4, 2, 1 };
	unsigned step = 0;

	while (1 << step < k->n)
		step++;
	return exact(ways[step], 1);
}

/*
 * A tree of n threads: steps of n/2, n/4 ... 1 pairs. A step of p pairs takes max(p / 32, 1) warps; at a stride of 2 s
 * words, which is n / p, the min(p, 32) lanes of a warp are in 32 / min(n / p, 32) banks.
 */
static void tree(unsigned n, unsigned *warps, unsigned *wavefronts)
{
	*warps = *wavefronts = 0;
	for (unsigned p = n / 2; p > 0; p /= 2) {
		const unsigned busy = p > 32 ? p / 32 : 1, banks = 32 / least(n / p, 32), lanes = least(p, 32);

		*warps += busy;
		*wavefronts += busy * (lanes > banks ? lanes / banks : 1);
	}
}

static struct form strided_ld(const struct key *k)
{
	unsigned warps, wavefronts;

	tree((unsigned)k->n, &warps, &wavefronts);
	return exact(2 * wavefronts + 1, 2 * warps + 1);
}

static struct form strided_st(const struct key *k)
{
	const unsigned fill = (unsigned)k->n / 32;
	unsigned warps, wavefronts;

	tree((unsigned)k->n, &warps, &wavefronts);
	return exact(wavefronts + fill, warps + fill);
}

/* 64 bins are two words of each bank: a request takes two wavefronts when some bank has both. */
static struct form histogram(const struct key *k)
{
	unsigned both = 0;

	if (strcmp(k->variant, "two_of_a_bank") == 0)
		return exact(2, 1);
	if (strcmp(k->variant, "random") != 0)
		return exact(1, 1);
	for (unsigned request = 0; request < 32; request++) {
		uint64_t bins = 0;

		for (unsigned lane = 0; lane < 32; lane++)
			bins |= UINT64_C(1) << bc_mix32(32 * request + lane) % 64;
		both += (bins & bins >> 32) != 0;
	}
	return exact(32 + both, 32);
}

static struct form n_way(const struct key *k)
{
	return exact((unsigned)k->n, 1);
}

static struct form slope_2(const struct key *k)
{
	(void)k;
	return (struct form){ .slope = 2 };
}

static struct form slope_1(const struct key *k)
{
	(void)k;
	return (struct form){ .slope = 1 };
}

static struct form slope_4(const struct key *k)
{
	(void)k;
	return (struct form){ .slope = 4 };
}

static struct form ratio_2(const struct key *k)
{
	(void)k;
	return (struct form){ .ratio = 2 };
}

/* Law 6: n wavefronts on one word too. */
static struct form ratio_1(const struct key *k)
{
	(void)k;
	return (struct form){ .ratio = 1 };
}

/* Law 8: one wavefront instead of n. */
static struct form one_of_n(const struct key *k)
{
	return (struct form){ .ratio = 1.0 / k->n };
}

static struct form bandwidth(const struct key *k)
{
	(void)k;
	return (struct form){ .ratio = 32 * 4 };
}

/* V100: 19 cycles for shared memory, 28 for the L1 cache, 193 for the L2 cache. */
static struct form latency(const struct key *k)
{
	return (struct form){ .ratio = strncmp(k->variant, "l1", 2) == 0 ? 28. / 19 : 193. / 19 };
}

static struct form at_least_1(const struct key *k)
{
	(void)k;
	return (struct form){ .ratio = 1 };
}

/* Reading 32 rows of a tile. Groups of lanes are served one after another: 4, 2, 1 of 16, 8, 4 bytes. Down a column the
 * lanes of a group meet in one place of their rows, or in 8 places of a swizzle; along the rows they never meet. */
static struct form tma_read(const struct key *k)
{
	const bool matrix = strncmp(k->variant, "ldmatrix", 8) == 0, rows = strncmp(k->variant, "rows", 4) == 0;
	const unsigned groups = matrix ? 4 : (unsigned)k->n / 4, places = strstr(k->variant, "none") ? 1 : 8;
	const unsigned each = rows || 32 / groups < places ? 1 : 32 / groups / places;

	return (struct form){ .wavefronts = groups * each, .conflicts = groups * (each - 1), .requests = 1 };
}

/* 32 rows of the span, 128 bytes without one: as many sectors as a row has bytes. */
static struct form tma_sectors(const struct key *k)
{
	const unsigned span = k->n ? (unsigned)k->n : 128;

	return (struct form){ .sectors_lo = span, .sectors_hi = span };
}

static const struct {
	const char *rule; /* a rule, or all whose names start so when it ends with _ */
	struct form (*form)(const struct key *k);
} forms[] = {
	{ "coalesce/stride_", stride },
	{ "coalesce/offset_", offset },
	{ "coalesce/active_", active },
	{ "reduction/strided_step", strided_step },
	{ "reduction/modulo_step", clean },
	{ "reduction/sequential_", clean },
	{ "reduction/strided_ld", strided_ld },
	{ "reduction/strided_st", strided_st },
	{ "reduction/modulo", data },
	{ "reduction/histogram", histogram },
	{ "sync/reverse", clean },
	{ "sync/warp", clean },
	{ "sync/pipe", pipe },
	{ "sync/vote", data },
	{ "sync/cost", at_least_1 },
	{ "shuffle/lanes_", none },
	{ "shuffle/shared_", clean },
	{ "declare/banks", n_way },
	{ "declare/resident", at_least_1 },
	{ "declare/static", data },
	{ "declare/mixed", data },
	{ "declare/kilobytes", data },
	{ "declare/limit", data },
	{ "declare/whole", data },
	{ "declare/refused", data },
	{ "declare/carve", data },
	{ "declare/private", data },
	{ "declare/reuse", data },
	{ "declare/geometry", data },
	{ "declare/occupancy", data },
	{ "swizzle/bijective_", bijective },
	{ "swizzle/layouts", data },
	{ "clock/chain", slope_2 },
	{ "clock/one_warp_ld", slope_2 },
	{ "clock/one_warp_st", slope_2 },
	{ "clock/one_warp_add", slope_2 },
	{ "clock/one_warp_cas", slope_4 },
	{ "clock/four_warps_", slope_1 },
	{ "clock/cas_over_add", ratio_2 },
	{ "clock/one_word_add", ratio_1 },
	{ "clock/one_word_add_1", one_of_n },
	{ "clock/bandwidth", bandwidth },
	{ "clock/latency", latency },
	{ "tma/rank", data },
	{ "tma/swizzle", data },
	{ "tma/narrow", data },
	{ "tma/element", data },
	{ "tma/outside", data },
	{ "tma/step", data },
	{ "tma/store", data },
	{ "tma/reduce", data },
	{ "tma/sectors_", tma_sectors },
	{ "tma/read", tma_read },
	{ "tma/refused", data },
	{ "tma/unfinished", data },
};

/* Of these all rules; of others those of the table that run kernels of their own. */
static const char *const suites[] = { "coalesce", "reduction", "sync", "shuffle", "declare", "clock", "tma" };

static struct bc_error err;

static size_t find_form(const struct bc_case *c)
{
	char rule[BC_ID_MAX];
	size_t i = 0;

	ck_assert_int_gt(snprintf(rule, sizeof(rule), "%s/%s", c->suite->name, c->rule->name), 0);
	for (; i < BC_ARRAY_LEN(forms); i++) {
		const size_t len = strlen(forms[i].rule);

		if (strcmp(forms[i].rule, rule) == 0 ||
		    (forms[i].rule[len - 1] == '_' && strncmp(forms[i].rule, rule, len) == 0))
			break;
	}
	return i;
}

static bool ours(const struct bc_case *c)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(suites); i++)
		if (strcmp(c->suite->name, suites[i]) == 0)
			return true;
	return c->rule->program && find_form(c) < BC_ARRAY_LEN(forms);
}

static struct key key_of(const struct bc_case *c)
{
	const char *digit = strpbrk(c->variant, "0123456789"), *bits = strstr(c->rule->name, "_b");
	struct key k = { .variant = c->variant };

	k.n = digit ? (int)strtol(digit, NULL, 10) : 0;
	k.n = digit && digit > c->variant && digit[-1] == 'm' ? -k.n : k.n;
	k.bits = bits ? (unsigned)strtoul(bits + 2, NULL, 10) : 0;
	return k;
}

/* One row: @want in it, and no wider than a millionth where the count is exact. */
static void row_holds(const struct bc_case *c, const struct bc_row *row, bool wanted, double want, double width)
{
	ck_assert_msg(!!row == wanted, "%s: a row is %s", c->id, wanted ? "missing" : "too many");
	if (!row || row->unknown)
		return;
	ck_assert_msg(row->lo <= want && row->hi >= want, "%s:%u: %s: %g to %g, by closed form %g", row->path,
		      row->line, c->id, row->lo, row->hi, want);
	ck_assert_msg(row->hi - row->lo <= width, "%s:%u: %s: %g to %g is too wide", row->path, row->line, c->id,
		      row->lo, row->hi);
}

static void compare(const struct bc_case *c, const struct form *f, const struct bc_bounds *b)
{
	const bool counts = f->requests != 0;
	const struct bc_row *sectors = b->row[BC_Q_SECTORS], *requests = b->row[BC_Q_REQUESTS];
	const struct bc_row *ratio = b->row[BC_Q_CLOCK_RATIO];

	row_holds(c, b->row[BC_Q_WAVEFRONTS], counts, counts ? (double)f->wavefronts / f->requests : 0,
		  f->slack + 1.1e-6);
	row_holds(c, b->row[BC_Q_CONFLICTS], counts, counts ? (double)f->conflicts / f->requests : 0,
		  f->slack + 1.1e-6);
	if (sectors && sectors->origin == BC_ORIGIN_MEASURED) { /* one of the numbers that the form leaves open */
		ck_assert_msg(sectors->lo >= f->sectors_lo && sectors->hi <= f->sectors_hi,
			      "%s:%u: %s: outside %g to %g", sectors->path, sectors->line, c->id, (double)f->sectors_lo,
			      (double)f->sectors_hi);
	} else {
		row_holds(c, sectors, f->sectors_lo != 0, f->sectors_lo, f->sectors_hi - f->sectors_lo);
		row_holds(c, sectors, f->sectors_lo != 0, f->sectors_hi, f->sectors_hi - f->sectors_lo);
	}
	row_holds(c, requests, f->no_requests, 0, 0);
	row_holds(c, b->row[BC_Q_DATA], f->data, 1, 0);
	row_holds(c, b->row[BC_Q_CLOCK_SLOPE], f->slope > 0, f->slope, f->slope / 4);
	if (ratio && ratio->unknown)
		return;
	if (ratio &&
	    ratio->origin == BC_ORIGIN_MEASURED) /* what one architecture showed has no closed form, but is narrow */
		ck_assert_msg(ratio->hi <= 2 * ratio->lo, "%s:%u: %s: too wide for a measured row", ratio->path,
			      ratio->line, c->id);
	else
		row_holds(c, ratio, f->ratio > 0, f->ratio, 40);
}

START_TEST(rows_equal_the_closed_forms_on_every_architecture)
{
	bool used[BC_ARRAY_LEN(forms)] = { false };
	struct bc_catalog cat;
	struct bc_arch *archs = NULL;
	size_t n = 0;

	ck_assert_msg(!bc_catalog_build(bc_suites, &cat, &err), "%s", err.msg);
	ck_assert_msg(!bc_arch_list(BC_TEST_EXPECTED, &archs, &n, &err), "%s", err.msg);
	ck_assert_uint_gt(n, 0);
	for (size_t a = 0; a < n; a++) {
		struct bc_expect e = { 0 };

		ck_assert_msg(!bc_expect_load(BC_TEST_EXPECTED, archs[a].name, &cat, &e, &err), "%s", err.msg);
		for (size_t i = 0; i < cat.n; i++) {
			const struct bc_case *c = &cat.cases[i];
			const size_t f = ours(c) ? find_form(c) : 0;
			struct bc_bounds b;

			if (!ours(c))
				continue;
			ck_assert_msg(f < BC_ARRAY_LEN(forms), "%s: no closed form", c->id);
			used[f] = true;

			const struct key k = key_of(c);
			const struct form want = forms[f].form(&k);

			bc_expect_find(&e, c->id, &b);
			compare(c, &want, &b);
		}
		bc_expect_release(&e);
	}
	for (size_t f = 0; f < BC_ARRAY_LEN(forms); f++)
		ck_assert_msg(used[f], "no case has the form of %s", forms[f].rule);
	free(archs);
	bc_catalog_release(&cat);
}
END_TEST

Suite *bc_test_forms_idioms(void)
{
	Suite *s = suite_create("forms_idioms");
	TCase *tc = tcase_create("rows");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, rows_equal_the_closed_forms_on_every_architecture);
	suite_add_tcase(s, tc);
	return s;
}
