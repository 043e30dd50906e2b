/* SPDX-License-Identifier: MIT */
/* suites/layouts.c: every case has the lanes' addresses that the libraries' own layouts have, written down apart from
 * it (data/core/library-layouts.tsv; library-layouts-cases.tsv says which case is which). */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "harness/core/case.h"

Suite *bc_test_library_layouts(void);

#define CASES BC_TEST_DATA "/core/library-layouts-cases.tsv"
#define LAYOUTS BC_TEST_DATA "/core/library-layouts.tsv"

static struct bc_text cases, layouts;
static struct bc_catalog cat;

static void setup(void)
{
	struct bc_error err;

	ck_assert_msg(!bc_file_read(CASES, 1 << 20, &cases, &err), "%s", err.msg);
	ck_assert_msg(!bc_file_read(LAYOUTS, 1 << 20, &layouts, &err), "%s", err.msg);
	ck_assert_msg(!bc_catalog_build(bc_suites, &cat, &err), "%s", err.msg);
}

static void teardown(void)
{
	bc_text_release(&cases);
	bc_text_release(&layouts);
	bc_catalog_release(&cat);
}

/* The row of a layout: op, then name, mask, wavefronts, conflicts, offsets. NULL: there is none. */
static const char *row_of(const char *name, size_t len)
{
	for (const char *line = layouts.data; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *tab = strchr(line, '\t');

		if (tab && strncmp(tab + 1, name, len) == 0 && tab[1 + len] == '\t')
			return line;
	}
	return NULL;
}

static void compare(const struct bc_case *c, const char *row)
{
	const char *op = bc_op_info(c->pattern.op)->name, *at = row;
	char *end = NULL;

	ck_assert_msg(strncmp(row, op, strlen(op)) == 0 && row[strlen(op)] == '\t', "%s is of %s", c->id, op);
	for (unsigned field = 0; field < 2; field++)
		at = strchr(at, '\t') + 1;
	ck_assert_msg(strtoul(at, &end, 16) == c->pattern.mask, "%s: mask %x", c->id, c->pattern.mask);
	for (unsigned field = 0; field < 3; field++)
		at = strchr(at, '\t') + 1;
	for (unsigned l = 0; l < BC_LANES; l++) {
		const unsigned long want = strtoul(at, &end, 10);

		ck_assert_msg(c->pattern.offset[l] == want, "%s: lane %u is at %u, not at %lu", c->id, l,
			      c->pattern.offset[l], want);
		at = end + 1;
	}
	ck_assert_uint_eq(c->pattern.count, 1);
}

START_TEST(cases_have_the_libraries_addresses)
{
	size_t n = 0, all = 0;
	char id[BC_ID_MAX];

	for (const char *line = cases.data; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const size_t len = strcspn(line, "\t");
		const char *name = line + len + 1;
		const struct bc_case *c;

		ck_assert_uint_lt(len, sizeof(id));
		(void)bc_strlcpy(id, line, len + 1);
		c = bc_catalog_find(&cat, id);
		ck_assert_msg(c != NULL, "%s is no case", id);
		ck_assert_msg(row_of(name, strcspn(name, "\n")) != NULL, "%s: no such layout", id);
		compare(c, row_of(name, strcspn(name, "\n")));
		n++;
	}
	for (size_t i = 0; i < cat.n; i++)
		all += strcmp(cat.cases[i].suite->name, "layouts") == 0;
	ck_assert_uint_eq(n, all);
	ck_assert_uint_eq(n, 135);
}
END_TEST

Suite *bc_test_library_layouts(void)
{
	Suite *s = suite_create("library_layouts");
	TCase *tc = tcase_create("addresses");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, cases_have_the_libraries_addresses);
	suite_add_tcase(s, tc);
	return s;
}
