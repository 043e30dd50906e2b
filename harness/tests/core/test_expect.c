/* SPDX-License-Identifier: MIT */
#include "harness/core/expect.h"
#include "harness/tests/invented.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *bc_test_expect(void);

static struct bc_catalog cat;

static void set_up(void)
{
	cat = bc_invented_catalog();
}

static void tear_down(void)
{
	bc_catalog_release(&cat);
}

/* Parse one text into a layer of its own and finish it. */
static enum bc_status parse(const char *text, struct bc_layer *l, struct bc_error *err)
{
	enum bc_status st;

	*l = (struct bc_layer){ 0 };
	st = bc_layer_parse(l, text, "dir/e.txt", &cat, err);
	return st ? st : bc_layer_finish(l, err);
}

static const struct {
	const char *text;
	const char *want;
} bad[] = {
	{ "row",
	  "dir/e.txt:1: the line ends early: row <case id> <quantity>=<n or lo..hi> ... <origin> <basis in words>" },
	{ "row alpha/ld/1", "dir/e.txt:1: the line ends early: row <" },
	{ "row alpha/ld/1 wavefronts=1", "dir/e.txt:1: the line ends early: row <" },
	{ "\n# two\nrow alpha/ld/1 wavefronts=1 rule", "dir/e.txt:3: the basis is missing" },
	{ "Row alpha/ld/1 wavefronts=1 rule x", "dir/e.txt:1: unknown line 'Row'" },
	{ "unit wavefronts", "dir/e.txt:1: unknown line 'unit'" },
	{ "row alpha/ld/3 wavefronts=1 rule x", "dir/e.txt:1: there is no case 'alpha/ld/3'" },
	{ "row alpha/ld wavefronts=1 rule x", "dir/e.txt:1: there is no case 'alpha/ld'" },
	{ "row alpha/*/1 wavefronts=1 rule x", "dir/e.txt:1: there is no case 'alpha/*/1'" },
	{ "row alpha/ld/1 wavefront=1 rule x", "dir/e.txt:1: unknown quantity 'wavefront'" },
	{ "row alpha/ld/1 WAVEFRONTS=1 rule x", "dir/e.txt:1: unknown quantity 'WAVEFRONTS'" },
	{ "row alpha/ld/1 =1 rule x", "dir/e.txt:1: unknown quantity ''" },
	{ "row alpha/ld/1 wavefronts=one rule x",
	  "dir/e.txt:1: wavefronts=one: 'one' is not a number such as 2 or 3.51" },
	{ "row alpha/ld/1 wavefronts= rule x", "dir/e.txt:1: wavefronts=: '' is not a number such as 2 or 3.51" },
	{ "row alpha/ld/1 wavefronts=1..1,5 rule x",
	  "dir/e.txt:1: wavefronts=1: '1,5' is not a number such as 2 or 3.51" },
	{ "row alpha/ld/1 wavefronts=1.. rule x", "dir/e.txt:1: wavefronts=1: '' is not a number" },
	{ "row alpha/ld/1 wavefronts=..1 rule x", "dir/e.txt:1: wavefronts=: '' is not a number" },
	{ "row alpha/ld/1 wavefronts=1..2..3 rule x", "dir/e.txt:1: wavefronts=1: '2..3' is not a number" },
	{ "row alpha/ld/1 wavefronts=nan rule x", "dir/e.txt:1: wavefronts=nan: 'nan' is not a number" },
	{ "row alpha/ld/1 wavefronts=1..inf rule x", "dir/e.txt:1: wavefronts=1: 'inf' is not a number" },
	{ "row alpha/ld/1 wavefronts=Unknown rule x", "dir/e.txt:1: wavefronts=Unknown: 'Unknown' is not a number" },
	{ "row alpha/ld/1 wavefronts 1 1 rule words", "dir/e.txt:1: 'wavefronts' where a quantity is due: row <" },
	{ "row alpha/ld/1 wavefronts=2..1 rule x",
	  "dir/e.txt:1: wavefronts: the lower bound 2 is above the upper bound 1" },
	{ "row alpha/ld/1 wavefronts=-1..1 rule x", "dir/e.txt:1: wavefronts -1 to 1: wavefronts is never negative" },
	{ "row alpha/ld/1 conflicts=0..9000000000000 rule x",
	  "dir/e.txt:1: conflicts 0 to 9000000000000: conflicts is never" },
	{ "row alpha/ld/1 wavefronts=1 conflicts=0 wavefronts=1 rule x",
	  "dir/e.txt:1: wavefronts is given twice: keep one" },
	{ "row alpha/ld/1 data=0..1 rule x", "dir/e.txt:1: data is written data=1" },
	{ "row alpha/ld/1 data=1..2 rule x", "dir/e.txt:1: data is written data=1" },
	{ "row alpha/ld/1 data=unknown rule x", "dir/e.txt:1: data=unknown: 'unknown' is not a number" },
	{ "row alpha/ld/1 conflicts=0 data=1 rule x",
	  "dir/e.txt:1: data=1 says that the case is judged by its data alone" },
	{ "row alpha/ld/1 wavefronts=1 vendor x", "dir/e.txt:1: unknown origin 'vendor': rule, documented, published" },
	{ "row alpha/ld/1 wavefronts=1 rule \x02", "dir/e.txt:1: control character 0x02" },
	{ "absent", "dir/e.txt:1: the line ends early: absent <case id>" },
	{ "absent alpha/ld/9", "dir/e.txt:1: there is no case 'alpha/ld/9'" },
	{ "absent alpha/ld/1 data", "dir/e.txt:1: the line goes on: absent <case id>" },
	{ "row alpha/ld/1 wavefronts=1 rule x\nrow alpha/ld/2 wavefronts=1 rule x\n\nrow alpha/ld/1 conflicts=2 rule y",
	  "dir/e.txt:4: alpha/ld/1 is already written in dir/e.txt:1: keep one" },
	{ "absent alpha/ld/1\nrow alpha/ld/1 data=1 rule x",
	  "dir/e.txt:2: alpha/ld/1 is already written in dir/e.txt:1: keep one" },
	{ "absent alpha/ld/1\n\n\nabsent alpha/ld/1",
	  "dir/e.txt:4: alpha/ld/1 is already written in dir/e.txt:1: keep one" },
};

START_TEST(bad_line_is_named)
{
	struct bc_layer l;
	struct bc_error err = { 0 };

	ck_assert_int_eq(parse(bad[_i].text, &l, &err), BC_EDATA);
	ck_assert_msg(strncmp(err.msg, bad[_i].want, strlen(bad[_i].want)) == 0, "%s", err.msg);
	bc_layer_release(&l);
}
END_TEST

START_TEST(good_lines_are_kept)
{
	static const char text[] = "row alpha/st/1\tconflicts=0..0.25 published two  words\r\n"
				   "# none\n"
				   "row alpha/ld/1 clock_slope=-0.5..2 wavefronts=1  sectors=unknown measured x\n"
				   "absent alpha/ld/2";
	struct bc_error err = { 0 };
	struct bc_layer l;

	ck_assert_msg(parse(text, &l, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(l.n, 5); /* by id, then in the order of quantities */
	ck_assert_str_eq(l.rows[0].id, "alpha/ld/1");
	ck_assert_int_eq(l.rows[0].quantity, BC_Q_WAVEFRONTS);
	ck_assert(l.rows[0].lo == 1 && l.rows[0].hi == 1 && !l.rows[0].unknown &&
		  l.rows[0].origin == BC_ORIGIN_MEASURED);
	ck_assert_uint_eq(l.rows[0].line, 3);
	ck_assert(l.rows[1].quantity == BC_Q_SECTORS && l.rows[1].unknown);
	ck_assert(bc_row_holds(&l.rows[1], 1e300) && bc_row_holds(&l.rows[1], (double)NAN));
	ck_assert_int_eq(l.rows[2].quantity, BC_Q_CLOCK_SLOPE);
	ck_assert(l.rows[2].lo == -0.5 && l.rows[2].hi == 2);
	ck_assert(bc_row_holds(&l.rows[2], -0.5) && bc_row_holds(&l.rows[2], 2) && !bc_row_holds(&l.rows[2], 2.001) &&
		  !bc_row_holds(&l.rows[2], -0.501) && !bc_row_holds(&l.rows[2], (double)NAN));
	ck_assert_str_eq(l.rows[2].basis, "x");
	ck_assert(strcmp(l.rows[3].id, "alpha/ld/2") == 0 && l.rows[3].absent);
	ck_assert_str_eq(l.rows[4].id, "alpha/st/1");
	ck_assert(l.rows[4].lo == 0 && l.rows[4].hi == 0.25 && !l.rows[4].absent);
	ck_assert_int_eq(l.rows[4].origin, BC_ORIGIN_PUBLISHED);
	ck_assert_str_eq(l.rows[4].basis, "two  words");
	ck_assert_str_eq(l.rows[4].path, "dir/e.txt");
	ck_assert_uint_eq(l.rows[4].line, 1);
	bc_layer_release(&l);
	ck_assert_ptr_null(l.rows);
	bc_layer_release(NULL);

	ck_assert_int_eq(parse("", &l, &err), BC_OK);
	ck_assert_uint_eq(l.n, 0);
	bc_layer_release(&l);
}
END_TEST

START_TEST(basis_has_an_end)
{
	struct bc_layer l;
	struct bc_error err = { 0 };
	char text[400];

	snprintf(text, sizeof(text), "row alpha/ld/1 data=1 rule %0159d", 0);
	ck_assert_int_eq(parse(text, &l, &err), BC_OK);
	ck_assert_uint_eq(strlen(l.rows[0].basis), 159);
	bc_layer_release(&l);
	snprintf(text, sizeof(text), "row alpha/ld/1 data=1 rule %0160d", 0);
	ck_assert_int_eq(parse(text, &l, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "dir/e.txt:1: a basis of 160 bytes: at most 159 are allowed");
	bc_layer_release(&l);
}
END_TEST

/* The path of a row outlives further texts of the layer; the same key in two files names both. */
START_TEST(a_layer_has_many_texts)
{
	struct bc_layer l = { 0 };
	struct bc_error err = { 0 };
	char path[32];

	for (unsigned i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%c.txt", 'c' - (int)i);
		ck_assert_int_eq(bc_layer_parse(&l, i == 0 ? "\nrow alpha/ld/1 data=1 rule x\n" : "# nothing\n", path,
						&cat, &err),
				 BC_OK);
	}
	ck_assert_int_eq(bc_layer_finish(&l, &err), BC_OK);
	ck_assert_str_eq(l.rows[0].path, "c.txt");
	ck_assert_int_eq(bc_layer_parse(&l, "\n\nrow alpha/ld/1 data=1 rule x\n", "b.txt", &cat, &err), BC_OK);
	ck_assert_int_eq(bc_layer_finish(&l, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "c.txt:2: alpha/ld/1 is already written in b.txt:3: keep one");
	bc_layer_release(&l);
}
END_TEST

static double lo(const struct bc_bounds *b, enum bc_quantity q)
{
	ck_assert_msg(b->row[q], "no row of %s", bc_quantity_name(q));
	return b->row[q]->lo;
}

static void nothing_is_expected(const struct bc_expect *e, const char *id)
{
	struct bc_bounds b;

	bc_expect_find(e, id, &b);
	for (unsigned q = 0; q < BC_NQUANTITIES; q++)
		ck_assert_ptr_null(b.row[q]);
}

START_TEST(arch_lies_over_common)
{
	struct bc_expect e = { 0 }, other = { 0 };
	struct bc_error err = { 0 };
	struct bc_bounds b;

	ck_assert_msg(bc_expect_load(BC_TEST_DATA "/core/expected", "sm_00", &cat, &e, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(e.common.n, 10);
	ck_assert_uint_eq(e.arch.n, 5);

	bc_expect_find(&e, "alpha/ld/1", &b); /* common alone */
	ck_assert(lo(&b, BC_Q_WAVEFRONTS) == 1 && lo(&b, BC_Q_CONFLICTS) == 0);
	ck_assert_ptr_null(b.row[BC_Q_DATA]);
	bc_expect_find(&e, "alpha/ld/2", &b); /* replaced whole */
	ck_assert(lo(&b, BC_Q_WAVEFRONTS) == 1 && b.row[BC_Q_WAVEFRONTS]->hi == 2);
	ck_assert_str_eq(b.row[BC_Q_WAVEFRONTS]->path, BC_TEST_DATA "/core/expected/sm_00/alpha.txt");
	ck_assert_uint_eq(b.row[BC_Q_WAVEFRONTS]->line, 3);
	ck_assert(b.row[BC_Q_CONFLICTS]->hi == 1);
	bc_expect_find(&e, "alpha/st/1", &b); /* added */
	ck_assert(lo(&b, BC_Q_WAVEFRONTS) == 1);
	bc_expect_find(&e, "beta/needs/code", &b); /* from the second file */
	ck_assert(lo(&b, BC_Q_DATA) == 1);
	nothing_is_expected(&e, "alpha/ld/32");	       /* taken away */
	nothing_is_expected(&e, "alphabet/uniform/0"); /* never written */

	/* An architecture without a folder has what is common. */
	ck_assert_int_eq(bc_expect_load(BC_TEST_DATA "/core/expected", "sm_77", &cat, &other, &err), BC_OK);
	bc_expect_find(&other, "alpha/ld/2", &b);
	ck_assert(lo(&b, BC_Q_WAVEFRONTS) == 2 && lo(&b, BC_Q_CONFLICTS) == 1);
	bc_expect_find(&other, "alpha/ld/32", &b);
	ck_assert(lo(&b, BC_Q_CLOCK_RATIO) == 3.51);
	ck_assert_uint_ne(bc_expect_hash(&e), bc_expect_hash(&other));
	bc_expect_release(&other);
	bc_expect_release(&e);
	ck_assert_ptr_null(e.common.rows);
	bc_expect_release(NULL);
}
END_TEST

/* What the row in sm_NN does not name is not taken from common. */
START_TEST(a_row_replaces_the_whole_row)
{
	struct bc_expect e = { 0 };
	struct bc_error err = { 0 };
	struct bc_bounds b;

	ck_assert_int_eq(parse("row alpha/ld/1 wavefronts=1 conflicts=0 rule x", &e.common, &err), BC_OK);
	ck_assert_int_eq(parse("row alpha/ld/1 clock_ratio=2 rule x", &e.arch, &err), BC_OK);
	bc_expect_find(&e, "alpha/ld/1", &b);
	ck_assert(lo(&b, BC_Q_CLOCK_RATIO) == 2 && !b.row[BC_Q_WAVEFRONTS] && !b.row[BC_Q_CONFLICTS]);
	bc_expect_release(&e);
}
END_TEST

static const struct {
	const char *text, *want; /* NULL: nothing is lacking */
} complete[] = {
	{ "row alpha/ld/1 wavefronts=1 conflicts=0 rule x", NULL },
	{ "row alpha/ld/1 wavefronts=unknown conflicts=unknown rule x", NULL },
	{ "row alpha/ld/1 data=1 rule x", NULL },
	{ "# one\nrow alpha/ld/1 wavefronts=1 rule x",
	  "dir/e.txt:2: alpha/ld/1: the row lacks conflicts, which the case counts on sm_00" },
	{ "row alpha/ld/1 conflicts=0 rule x",
	  "dir/e.txt:1: alpha/ld/1: the row lacks wavefronts, which the case counts on sm_00" },
	{ "row alpha/ld/1 clock_ratio=1 rule x", "dir/e.txt:1: alpha/ld/1: the row lacks wavefronts, which the case" },
};

START_TEST(a_row_has_what_its_case_counts)
{
	const struct bc_arch a = bc_invented_arch();
	struct bc_expect e = { 0 };
	struct bc_error err = { 0 };

	ck_assert_msg(parse(complete[_i].text, &e.common, &err) == BC_OK, "%s", err.msg);
	ck_assert_int_eq(bc_expect_check(&e, &cat, &a, &err), complete[_i].want ? BC_EDATA : BC_OK);
	ck_assert_msg(!complete[_i].want || strncmp(err.msg, complete[_i].want, strlen(complete[_i].want)) == 0, "%s",
		      err.msg);
	bc_expect_release(&e);
}
END_TEST

START_TEST(bounds_as_text)
{
	char buf[BC_BOUNDS_MAX];

	ck_assert_str_eq(bc_bounds_text(&(struct bc_row){ .lo = 2, .hi = 2 }, buf), "2");
	ck_assert_str_eq(bc_bounds_text(&(struct bc_row){ .lo = 0, .hi = 0.25 }, buf), "0..0.25");
	ck_assert_str_eq(bc_bounds_text(&(struct bc_row){ .unknown = true, .lo = -HUGE_VAL, .hi = HUGE_VAL }, buf),
			 "unknown");
}
END_TEST

#define TREE BC_TEST_TMP "/test_expect"

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

static uint64_t hash_of_tree(void)
{
	struct bc_layer l;
	struct bc_error err = { 0 };

	ck_assert_msg(bc_layer_load(TREE, false, &cat, &l, &err) == BC_OK, "%s", err.msg);

	const uint64_t h = l.hash;

	bc_layer_release(&l);
	return h;
}

START_TEST(folder_is_read_by_name)
{
	struct bc_layer l;
	struct bc_error err = { 0 };

	ck_assert_int_eq(mkdir(TREE, 0777), 0);
	write_text(TREE "/arch.txt", "not rows");
	write_text(TREE "/known.txt", "not rows");
	write_text(TREE "/.hidden.txt", "not rows");
	write_text(TREE "/README.md", "not rows");
	write_text(TREE "/.txt", "not rows");
	write_text(TREE "/b.txt", "row alpha/ld/1 data=1 rule x\n");

	const uint64_t first = hash_of_tree();

	ck_assert_uint_eq(first, hash_of_tree());
	write_text(TREE "/b.txt", "row alpha/ld/1 data=1 rule y\n"); /* one letter */

	const uint64_t second = hash_of_tree();

	ck_assert_uint_ne(first, second);
	ck_assert_int_eq(rename(TREE "/b.txt", TREE "/c.txt"), 0); /* the name counts */
	ck_assert_uint_ne(second, hash_of_tree());
	write_text(TREE "/a.txt", "row alpha/ld/1 data=1 rule z\n");
	ck_assert_int_eq(bc_layer_load(TREE, false, &cat, &l, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, TREE "/c.txt:1: alpha/ld/1 is already written in " TREE "/a.txt:1: keep one");
	write_text(TREE "/a.txt", "\n\nrow alpha/ld/9 data=1 rule z\n");
	ck_assert_int_eq(bc_layer_load(TREE, false, &cat, &l, &err), BC_EDATA);
	ck_assert_ptr_nonnull(strstr(err.msg, TREE "/a.txt:3: there is no case"));

	static const char *const names[] = { "arch", "known", ".hidden", "", "a", "c" };

	for (size_t i = 0; i < BC_ARRAY_LEN(names); i++) {
		char path[512];

		snprintf(path, sizeof(path), TREE "/%s.txt", names[i]);
		ck_assert_int_eq(unlink(path), 0);
	}
	ck_assert_int_eq(unlink(TREE "/README.md"), 0);
	ck_assert_int_eq(rmdir(TREE), 0);
}
END_TEST

START_TEST(missing_folder)
{
	struct bc_layer l;
	struct bc_expect e;
	struct bc_error err = { 0 };

	ck_assert_int_eq(bc_layer_load(BC_TEST_TMP "/no_such", true, &cat, &l, &err), BC_OK);
	ck_assert_uint_eq(l.n, 0);
	bc_layer_release(&l);
	ck_assert_int_eq(bc_layer_load(BC_TEST_TMP "/no_such", false, &cat, &l, &err), BC_EREAD);
	ck_assert_str_eq(err.msg, BC_TEST_TMP "/no_such: no such folder (--expected names the folder above it)");
	ck_assert_int_eq(bc_expect_load(BC_TEST_TMP "/no_such", "sm_00", &cat, &e, &err), BC_EREAD);
	ck_assert_int_eq(bc_layer_load(BC_TEST_DATA "/core/h200-sm90-patterns.tsv", true, &cat, &l, &err), BC_EREAD);
}
END_TEST

START_TEST(names_of_quantities_and_origins)
{
	static const char *const names[] = { "wavefronts",  "conflicts", "sectors", "clock_ratio",
					     "clock_slope", "requests",	 "data" };
	enum bc_quantity q = BC_Q_DATA;

	ck_assert_uint_eq(BC_ARRAY_LEN(names), BC_NQUANTITIES);
	for (unsigned i = 0; i < BC_NQUANTITIES; i++) {
		ck_assert_str_eq(bc_quantity_name((enum bc_quantity)i), names[i]);
		ck_assert(bc_quantity_parse(names[i], &q));
		ck_assert_uint_eq(q, i);
	}
	ck_assert(!bc_quantity_parse("", &q));
	ck_assert(!bc_quantity_parse("datum", &q));
	ck_assert_str_eq(bc_origin_name(BC_ORIGIN_RULE), "rule");
	ck_assert_str_eq(bc_origin_name(BC_ORIGIN_DOCUMENTED), "documented");
	ck_assert_str_eq(bc_origin_name(BC_ORIGIN_PUBLISHED), "published");
	ck_assert_str_eq(bc_origin_name(BC_ORIGIN_MEASURED), "measured");
}
END_TEST

Suite *bc_test_expect(void)
{
	Suite *s = suite_create("expect");
	TCase *lines = tcase_create("lines"), *files = tcase_create("files");

	tcase_add_checked_fixture(lines, set_up, tear_down);
	tcase_add_loop_test(lines, bad_line_is_named, 0, (int)BC_ARRAY_LEN(bad));
	tcase_add_test(lines, good_lines_are_kept);
	tcase_add_test(lines, basis_has_an_end);
	tcase_add_test(lines, a_layer_has_many_texts);
	tcase_add_test(lines, a_row_replaces_the_whole_row);
	tcase_add_loop_test(lines, a_row_has_what_its_case_counts, 0, (int)BC_ARRAY_LEN(complete));
	tcase_add_test(lines, bounds_as_text);
	tcase_add_test(lines, names_of_quantities_and_origins);
	suite_add_tcase(s, lines);
	tcase_add_checked_fixture(files, set_up, tear_down);
	tcase_add_test(files, arch_lies_over_common);
	tcase_add_test(files, folder_is_read_by_name);
	tcase_add_test(files, missing_folder);
	suite_add_tcase(s, files);
	return s;
}
