/* SPDX-License-Identifier: MIT */
/* --format json of list, explain and devices: docs/json.md. */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/json.h"
#include "harness/tests/program.h"

Suite *bc_test_json(void);

#define EXPECTED "--expected " BC_TEST_EXPECTED " "

static struct bc_program_call call;
static json_t *root;

static void setup(void)
{
	bc_program_init(&call);
	root = NULL;
}

static void teardown(void)
{
	json_decref(root);
	bc_program_release(&call);
}

static void run(const char *words, const char *schema)
{
	json_error_t why;

	bc_program_run(&call, words);
	ck_assert_msg(call.status == 0, "%s: %s", words, call.err.data);
	json_decref(root);
	root = json_loads(call.out.data, 0, &why);
	ck_assert_msg(root, "%s: line %d: %s", words, why.line, why.text);
	ck_assert_str_eq(json_string_value(json_object_get(root, "schema")), schema);
	ck_assert_str_eq(json_string_value(json_object_get(root, "bankcheck")), BC_VERSION);
}

static const char *text(const json_t *o, const char *key)
{
	ck_assert_msg(json_is_string(json_object_get(o, key)), "%s is no text", key);
	return json_string_value(json_object_get(o, key));
}

static json_int_t whole(const json_t *o, const char *key)
{
	ck_assert_msg(json_is_integer(json_object_get(o, key)), "%s is no whole number", key);
	return json_integer_value(json_object_get(o, key));
}

START_TEST(list_has_each_case_with_its_expectation)
{
	const json_t *cases, *c, *e;
	size_t lines = 0;

	bc_program_run(&call, "list " EXPECTED "--filter stride/ld_b32");
	for (const char *p = call.out.data; *p; p++)
		lines += *p == '\n';
	run("list " EXPECTED "--filter stride/ld_b32 --format json", "bankcheck-list-1");
	ck_assert_str_eq(text(root, "arch"), "sm_90");
	cases = json_object_get(root, "cases");
	ck_assert_uint_gt(lines, 10);
	ck_assert_uint_eq(json_array_size(cases), lines);
	run("list " EXPECTED "--filter stride/ld_b32/2 --format json", "bankcheck-list-1");
	c = json_array_get(json_object_get(root, "cases"), 0);
	ck_assert_str_eq(text(c, "case"), "stride/ld_b32/2");
	ck_assert_str_eq(text(c, "suite"), "stride");
	ck_assert_str_eq(text(c, "rule"), "ld_b32");
	ck_assert_str_eq(text(c, "variant"), "2");
	ck_assert_str_eq(text(c, "twin"), "stride/ld_b32/1");
	ck_assert(json_is_null(json_object_get(c, "unmet_need")));
	e = json_array_get(json_object_get(c, "expected"), 0);
	ck_assert_str_eq(text(e, "quantity"), "wavefronts");
	ck_assert_double_eq(json_number_value(json_object_get(e, "lo")), 2); /* gcd(2, 32) */
	ck_assert_double_eq(json_number_value(json_object_get(e, "hi")), 2);
}
END_TEST

START_TEST(explain_has_the_schedule)
{
	const json_t *request, *schedule;
	bool seen[32] = { false };

	run("explain " EXPECTED "--format json stride/ld_b32/2", "bankcheck-explain-1");
	ck_assert_str_eq(text(json_object_get(root, "about"), "case"), "stride/ld_b32/2");
	request = json_object_get(root, "request");
	ck_assert_str_eq(text(request, "op"), "ld32");
	ck_assert_str_eq(text(request, "mask"), "ffffffff");
	ck_assert_int_eq(whole(request, "wavefronts"), 2);
	ck_assert_int_eq(whole(request, "conflicts"), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(request, "addresses")), 32);
	schedule = json_object_get(request, "schedule");
	ck_assert_uint_eq(json_array_size(schedule), 32); /* a word a lane */
	for (size_t i = 0; i < 32; i++) {
		const json_t *t = json_array_get(schedule, i);

		ck_assert_int_lt(whole(t, "wavefront"), 2);
		ck_assert_int_eq(whole(t, "bank"), whole(t, "word") % 32);
		seen[whole(t, "lane") & 31] = true;
	}
	for (size_t i = 0; i < 32; i++)
		ck_assert(seen[i]);
	ck_assert_int_eq(whole(json_object_get(root, "all"), "requests"), 1);
}
END_TEST

#define OFFSETS "0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,76,80,84,88,92,96,100,104,108,112,116,120,124"

START_TEST(explain_takes_a_pattern_of_nobodys_catalogue)
{
	run("explain " EXPECTED "--format json --op ld32 --mask f --offsets " OFFSETS, "bankcheck-explain-1");
	ck_assert(json_is_null(json_object_get(json_object_get(root, "about"), "case")));
	ck_assert_int_eq(whole(json_object_get(root, "request"), "wavefronts"), 1);
	ck_assert(json_is_null(json_array_get(json_object_get(json_object_get(root, "request"), "addresses"), 4)));
	ck_assert(json_is_integer(json_array_get(json_object_get(json_object_get(root, "request"), "addresses"), 3)));
}
END_TEST

START_TEST(patterns_are_a_line_each)
{
	static const char table[] = "ld32\tone \"quoted\"\tffffffff\t" OFFSETS "\nst32\ttwo\t1\t" OFFSETS "\n";
	struct bc_error err;
	char *line;
	json_t *first;

	ck_assert_int_eq(bc_file_replace(&bc_file_system, call.dir, "p.tsv", table, sizeof(table) - 1, &err), BC_OK);
	bc_program_run(&call, "explain " EXPECTED "--format json --patterns p.tsv");
	ck_assert_msg(call.status == 0, "%s", call.err.data);
	line = strchr(call.out.data, '\n');
	ck_assert_ptr_nonnull(line);
	*line = '\0';
	first = json_loads(call.out.data, 0, NULL);
	ck_assert_str_eq(text(first, "schema"), "bankcheck-pattern-1");
	ck_assert_str_eq(text(first, "name"), "one \"quoted\"");
	ck_assert_int_eq(whole(first, "wavefronts"), 1);
	json_decref(first);
	ck_assert_str_eq(line + 1, "{\"schema\":\"bankcheck-pattern-1\",\"op\":\"st32\",\"name\":\"two\","
				   "\"wavefronts\":1,\"conflicts\":0,\"arch\":\"sm_90\",\"provisional\":false}\n");
}
END_TEST

START_TEST(devices_names_the_reference_device)
{
	bool found = false;

	run("devices --format json", "bankcheck-devices-1");
	ck_assert(json_is_array(json_object_get(root, "gpus")));
	for (size_t i = 0; i < json_array_size(json_object_get(root, "reference")); i++)
		found = found ||
			strcmp(json_string_value(json_array_get(json_object_get(root, "reference"), i)), "sm_90") == 0;
	ck_assert(found);
	ck_assert(json_is_boolean(json_object_get(root, "images")));
}
END_TEST

START_TEST(text_is_the_default_and_others_are_refused)
{
	bc_program_run(&call, "list " EXPECTED "--filter stride/ld_b32/2 --format text");
	ck_assert_str_eq(call.out.data, "stride/ld_b32/2\n");
	bc_program_run(&call, "list " EXPECTED "--format xml");
	ck_assert_int_eq(call.status, 3);
	ck_assert_ptr_nonnull(strstr(call.err.data, "text or json"));
	bc_program_run(&call, "explain " EXPECTED "--format xml stride/ld_b32/2");
	ck_assert_int_eq(call.status, 3);
	bc_program_run(&call, "devices --format markdown");
	ck_assert_int_eq(call.status, 3);
}
END_TEST

START_TEST(texts_are_made_safe)
{
	json_t *j = bc_json_text("bad \xff, escape \x1b, line\n");

	ck_assert_str_eq(json_string_value(j), "bad \\xff, escape \\x1b, line\\n");
	json_decref(j);
	j = bc_json_text(NULL);
	ck_assert(json_is_null(j));
	json_decref(j);
	j = bc_json_known("");
	ck_assert(json_is_null(j));
	json_decref(j);
	j = bc_json_text("");
	ck_assert(json_is_string(j));
	json_decref(j);
}
END_TEST

Suite *bc_test_json(void)
{
	Suite *s = suite_create("json");
	TCase *tc = tcase_create("json");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, list_has_each_case_with_its_expectation);
	tcase_add_test(tc, explain_has_the_schedule);
	tcase_add_test(tc, explain_takes_a_pattern_of_nobodys_catalogue);
	tcase_add_test(tc, patterns_are_a_line_each);
	tcase_add_test(tc, devices_names_the_reference_device);
	tcase_add_test(tc, text_is_the_default_and_others_are_refused);
	tcase_add_test(tc, texts_are_made_safe);
	suite_add_tcase(s, tc);
	return s;
}
