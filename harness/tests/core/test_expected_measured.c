/* SPDX-License-Identifier: MIT */
/* harness/tests/core/test_expected_measured.c - rows against the patterns measured on an H200, where both are the same.
 */
#include "harness/core/expect.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *bc_test_expected_measured(void);

#define PATTERNS_FILE BC_TEST_DATA "/core/h200-sm90-patterns.tsv"
#define FEWEST_SAME 250 /* cases that were measured as they are */

struct measured {
	enum bc_op op;
	uint32_t mask, offset[BC_LANES];
	unsigned wavefronts, conflicts;
};

/* A line of the table: op, name, mask, requests, wavefronts, conflicts, cycles, 32 offsets. */
static struct measured read_line(char *line)
{
	struct measured m = { 0 };
	char *save = NULL, *field[8], *at;

	for (size_t i = 0; i < BC_ARRAY_LEN(field); i++) {
		field[i] = strtok_r(i == 0 ? line : NULL, "\t", &save);
		ck_assert_msg(field[i] != NULL, PATTERNS_FILE ": %s: a line of fewer than 8 fields", line);
	}
	ck_assert_str_eq(field[3], "1");
	m.op = bc_op_parse(field[0]);
	m.mask = (uint32_t)strtoul(field[2], NULL, 16);
	m.wavefronts = (unsigned)strtoul(field[4], NULL, 10);
	m.conflicts = (unsigned)strtoul(field[5], NULL, 10);
	at = field[7];
	for (unsigned l = 0; l < BC_LANES; l++) {
		const uint32_t offset = (uint32_t)strtoul(at, &at, 10);

		ck_assert_msg(*at == (l < BC_LANES - 1 ? ',' : '\0'), PATTERNS_FILE ": %s: not 32 offsets", field[1]);
		at++;
		m.offset[l] = m.mask >> l & 1 ? offset : 0;
	}
	return m;
}

/* The same operation, active lanes and offsets from the first byte of the window. */
static bool same(const struct bc_case *c, const struct measured *m)
{
	const struct bc_pattern *p = &c->pattern;

	if (p->op != m->op || p->mask != m->mask || p->origin != BC_FROM_START)
		return false;
	for (unsigned l = 0; l < BC_LANES; l++)
		if ((m->mask >> l & 1) && p->offset[l] != m->offset[l])
			return false;
	return true;
}

/* Compare the rows of every case that is this pattern. Return: how many were. */
static size_t compare(const struct bc_catalog *cat, const struct bc_expect *e, const struct measured *m)
{
	size_t n = 0;

	for (size_t i = 0; i < cat->n; i++) {
		struct bc_bounds b;

		if (!same(&cat->cases[i], m))
			continue;
		bc_expect_find(e, cat->cases[i].id, &b);

		const struct bc_row *w = b.row[BC_Q_WAVEFRONTS], *k = b.row[BC_Q_CONFLICTS];

		if (b.row[BC_Q_DATA])
			continue; /* judged by its data */
		ck_assert_msg(k && (w || m->op >= BC_OP_CPA4), "%s: no rows",
			      cat->cases[i].id); /* copies: conflicts only */
		ck_assert_msg(!w || (w->lo <= m->wavefronts && w->hi >= m->wavefronts),
			      "%s:%u: %s: measured %u wavefronts", w->path, w->line, w->id, m->wavefronts);
		ck_assert_msg(k->lo <= m->conflicts && k->hi >= m->conflicts, "%s:%u: %s: measured %u conflicts",
			      k->path, k->line, k->id, m->conflicts);
		n++;
	}
	return n;
}

START_TEST(rows_are_what_was_measured)
{
	struct bc_error err;
	struct bc_catalog cat;
	struct bc_expect e;
	struct bc_text text = { 0 };
	size_t n = 0, lines = 0;
	char *save = NULL;

	ck_assert_msg(!bc_catalog_build(bc_suites, &cat, &err), "%s", err.msg);
	ck_assert_msg(!bc_expect_load(BC_TEST_EXPECTED, "sm_90", &cat, &e, &err), "%s", err.msg);
	ck_assert_msg(!bc_file_read(PATTERNS_FILE, 10u << 20, &text, &err), "%s", err.msg);
	for (char *l = strtok_r(text.data, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		if (l[0] == '#' || lines++ == 0) /* the first line names the columns */
			continue;

		const struct measured m = read_line(l);

		n += compare(&cat, &e, &m);
	}
	ck_assert_msg(n >= FEWEST_SAME, "%zu cases were measured as they are", n);
	bc_text_release(&text);
	bc_expect_release(&e);
	bc_catalog_release(&cat);
}
END_TEST

Suite *bc_test_expected_measured(void)
{
	Suite *s = suite_create("expected_measured");
	TCase *tc = tcase_create("rows");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, rows_are_what_was_measured);
	suite_add_tcase(s, tc);
	return s;
}
