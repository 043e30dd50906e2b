/* SPDX-License-Identifier: MIT */
#include "harness/base/option.h"

#include <check.h>
#include <string.h>

Suite *bc_test_option(void);

struct values {
	const char *text;
	bool flag;
	unsigned number, preset, seconds, choice;
	struct bc_option_list list;
	struct bc_option_part part;
	struct bc_option_seed seed;
};

static const char *const colours[] = { "", "red", "green", "blue", NULL };

enum { TEXT, FLAG, NUMBER, PRESET, SECONDS, CHOICE, LIST, PART, SEED };

#define ROW(word, kind, field) .name = (word), .argument = "X", .type = (kind), .offset = offsetof(struct values, field)

static const struct bc_option rows[] = {
	[TEXT] = { ROW("text", BC_OPTION_TEXT, text) },
	[FLAG] = { .name = "flag", .type = BC_OPTION_FLAG, .offset = offsetof(struct values, flag) },
	[NUMBER] = { ROW("number", BC_OPTION_NUMBER, number), .min = 1, .max = 3 },
	[PRESET] = { ROW("preset", BC_OPTION_NUMBER, preset), .max = 9, .preset = 4 },
	[SECONDS] = { ROW("seconds", BC_OPTION_SECONDS, seconds), .preset = 10 },
	[CHOICE] = { ROW("choice", BC_OPTION_CHOICE, choice), .words = colours },
	[LIST] = { ROW("list", BC_OPTION_LIST, list) },
	[PART] = { ROW("part", BC_OPTION_PART, part), .max = 100 },
	[SEED] = { ROW("seed", BC_OPTION_SEED, seed) },
};

static struct values v;
static struct bc_error err;

static void setup(void)
{
	memset(&v, 0, sizeof(v));
	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++)
		bc_option_init(&rows[i], &v);
}

static void teardown(void)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++)
		bc_option_release(&rows[i], &v);
}

static const struct {
	int row;
	const char *arg, *text; /* text: what it is written as; NULL: refused ... */
	const char *words;	/* ... with these words */
} cases[] = {
	{ TEXT, "a b", "a b", NULL },
	{ TEXT, "", NULL, "--text: its argument X is empty" },
	{ FLAG, NULL, "yes", NULL },
	{ NUMBER, "1", "1", NULL },
	{ NUMBER, "3", "3", NULL },
	{ NUMBER, "03", "3", NULL },
	{ NUMBER, "0", NULL, "--number 0: a whole number, 1 to 3" },
	{ NUMBER, "4", NULL, "--number 4: a whole number, 1 to 3" },
	{ NUMBER, "-1", NULL, "--number -1: " },
	{ NUMBER, "2x", NULL, "--number 2x: " },
	{ NUMBER, " 2", NULL, "--number  2: " },
	{ NUMBER, "4294967297", NULL, "--number 4294967297: " }, /* 1 modulo 2^32 */
	{ PRESET, "0", "0", NULL },				 /* its least value is 0: it is given */
	{ PRESET, "9", "9", NULL },
	{ SECONDS, "1", "1", NULL },
	{ SECONDS, "86400", "86400", NULL },
	{ SECONDS, "86401", NULL, "--seconds 86401: a whole number of seconds, 1 to 86400" },
	{ SECONDS, "0", NULL, "--seconds 0: a whole number of seconds" },
	{ CHOICE, "red", "red", NULL },
	{ CHOICE, "blue", "blue", NULL },
	{ CHOICE, "", NULL, "--choice : it takes red, green or blue" },
	{ CHOICE, "bl", NULL, "--choice bl: it takes red, green or blue" },
	{ LIST, "*", "", NULL },
	{ PART, "1/1", "1/1", NULL },
	{ PART, "2/100", "2/100", NULL },
	{ PART, "0/3", NULL, "--part 0/3: I/N with I from 1 to N and N up to 100, for example 2/3" },
	{ PART, "4/3", NULL, "--part 4/3: " },
	{ PART, "1/101", NULL, "--part 1/101: " },
	{ PART, "2", NULL, "--part 2: " },
	{ PART, "/3", NULL, "--part /3: " },
	{ PART, "1/", NULL, "--part 1/: " },
	{ PART, "1/2/3", NULL, "--part 1/2/3: " },
	{ PART, "0000000000000001/2", NULL, "--part 0000000000000001/2: " },
	{ SEED, "0", "0", NULL },
	{ SEED, "4294967295", "4294967295", NULL },
	{ SEED, "4294967296", NULL, "--seed 4294967296: a whole number, 0 to 4294967295" },
	{ SEED, "x", NULL, "--seed x: " },
};

START_TEST(an_argument_is_taken_or_refused)
{
	const struct bc_option *o = &rows[cases[_i].row];
	const struct values before = v;
	char buf[BC_OPTION_BUF];
	const enum bc_status st = bc_option_set(o, &v, cases[_i].arg, &err);

	if (cases[_i].text) {
		ck_assert_msg(st == BC_OK, "%s", err.msg);
		ck_assert_str_eq(bc_option_text(o, &v, buf), cases[_i].text);
		ck_assert(!bc_option_is_preset(o, &v));
	} else {
		ck_assert_int_eq(st, BC_EUSAGE);
		ck_assert_msg(strncmp(err.msg, cases[_i].words, strlen(cases[_i].words)) == 0, "%s", err.msg);
		ck_assert_mem_eq(&before, &v, sizeof(v));
	}
}
END_TEST

START_TEST(what_was_not_given_has_its_preset)
{
	static const char *const texts[] = { "", "no", "", "4", "10", "", "", "", "" };
	static const char *const presets[] = { "", "", "", "4", "10", "", "", "", "" };
	char buf[BC_OPTION_BUF];

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		ck_assert_msg(bc_option_is_preset(&rows[i], &v), "%s", rows[i].name);
		ck_assert_str_eq(bc_option_text(&rows[i], &v, buf), texts[i]);
		ck_assert_str_eq(bc_option_preset_text(&rows[i], buf), presets[i]);
	}
}
END_TEST

START_TEST(a_list_keeps_all_in_their_order)
{
	static const char *const words[] = { "a", "b", "c" };

	for (size_t i = 0; i < 3; i++)
		ck_assert_int_eq(bc_option_set(&rows[LIST], &v, words[i], &err), BC_OK);
	ck_assert_uint_eq(v.list.n, 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_ptr_eq(v.list.item[i], words[i]);
	bc_option_release(&rows[LIST], &v);
	ck_assert_uint_eq(v.list.n, 0);
	ck_assert_ptr_null(v.list.item);
}
END_TEST

Suite *bc_test_option(void)
{
	Suite *s = suite_create("option");
	TCase *tc = tcase_create("option");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, an_argument_is_taken_or_refused, 0, (int)BC_ARRAY_LEN(cases));
	tcase_add_test(tc, what_was_not_given_has_its_preset);
	tcase_add_test(tc, a_list_keeps_all_in_their_order);
	suite_add_tcase(s, tc);
	return s;
}
