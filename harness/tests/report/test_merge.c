/* SPDX-License-Identifier: MIT */
/* `bankcheck merge`: many reports as one, read back by the reader. */
#include "harness/report/junit_merge.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/xmlschemas.h>

#include "harness/report/junit.h"
#include "harness/report/reader.h"
#include "harness/tests/program.h"
#include "harness/tests/report/report_sample.h"

Suite *bc_test_merge(void);

#define NCASES 4

static struct bc_error err;
static struct bc_program_call call;
static struct bc_sample sample;
static struct bc_read_file file;

static void setup(void)
{
	bc_program_init(&call);
	bc_sample_init(&sample, NCASES);
	file = (struct bc_read_file){ 0 };
}

static void teardown(void)
{
	bc_report_release(&file);
	bc_sample_release(&sample);
	bc_program_release(&call);
}

/* Write the sample as the run of a host and GPU. */
static void put(const char *name, const char *host, const char *uuid, const char *run_id)
{
	struct bc_text text = { 0 };

	(void)bc_strlcpy(sample.run.host, host, sizeof(sample.run.host));
	(void)bc_strlcpy(sample.run.run_id, run_id, sizeof(sample.run.run_id));
	(void)bc_strlcpy(sample.devices[0].facts.uuid, uuid, sizeof(sample.devices[0].facts.uuid));
	ck_assert_msg(bc_junit_format(&sample.run, BC_JUNIT_FULL, "sm_90.xml", &text, &err) == BC_OK, "%s", err.msg);
	ck_assert_msg(bc_file_replace(&bc_file_system, call.dir, name, text.data, text.len, &err) == BC_OK, "%s",
		      err.msg);
	bc_text_release(&text);
}

static void merge(const char *words, int status)
{
	char line[400];

	(void)snprintf(line, sizeof(line), "merge %s", words);
	bc_program_run(&call, line);
	ck_assert_msg(call.status == status, "merge %s: exit status %d: %s", words, call.status, call.err.data);
}

static void read_back(const char *name)
{
	char path[BC_PATH_MAX + 64];

	(void)snprintf(path, sizeof(path), "%s/%s", call.dir, name);
	bc_report_release(&file);
	ck_assert_msg(bc_report_read(path, &file, &err) == BC_OK, "%s", err.msg);
}

static void expect_device(size_t i, const char *dev)
{
	ck_assert_uint_gt(file.ndevices, i);
	ck_assert_str_eq(file.devices[i].dev, dev);
	ck_assert_uint_eq(file.devices[i].ncases, NCASES);
}

static int system_in(const char *dir, const char *command)
{
	char line[BC_PATH_MAX + 400];

	(void)snprintf(line, sizeof(line), "cd '%s' && { %s; }", dir, command);
	return system(line); /* NOLINT(cert-env33-c) */
}

START_TEST(names_say_host_and_gpu)
{
	put("a.xml", "node-1.example", "GPU-ABCDEF01-2345", "run1");
	bc_sample_set(&sample, 0, 2, BC_FAIL, "a < b & c");
	put("b.xml", "node-2", "none", "run2");
	merge("a.xml b.xml -o all.xml", 0);
	ck_assert_str_eq(call.out.data,
			 "all.xml: 2 reports, 2 devices, 8 cases: 7 passed, 1 failures, 0 errors, 0 skipped\n");
	read_back("all.xml");
	ck_assert_uint_eq(file.ndevices, 2);
	expect_device(0, "sm_90_node_1_example_nvidia_h200_abcdef01");
	expect_device(1, "sm_90_node_2_nvidia_h200");
	ck_assert_str_eq(file.devices[0].host, "node-1.example");
	ck_assert_str_eq(bc_read_property(&file.devices[1], "run_id"), "run2");
	ck_assert_int_eq(bc_read_find(&file.devices[0], sample.cases[2].id)->verdict, BC_PASS);
	ck_assert_int_eq(bc_read_find(&file.devices[1], sample.cases[2].id)->verdict, BC_FAIL);
	ck_assert_str_eq(bc_read_find(&file.devices[1], sample.cases[2].id)->message, "a < b & c");
}
END_TEST

START_TEST(two_runs_of_a_gpu_have_two_names)
{
	put("a.xml", "h", "GPU-1", "20261129T1-h-7");
	put("b.xml", "h", "GPU-1", "20261130T1-h-8");
	merge("b.xml a.xml -o all.xml", 0);
	read_back("all.xml");
	expect_device(0, "sm_90_20261130t1_h_8");
	expect_device(1, "sm_90_20261129t1_h_7");
	merge("all.xml -o again.xml", 0);
	read_back("again.xml");
	expect_device(0, "sm_90_20261130t1_h_8");
}
END_TEST

/* The name of a test is the same every night, on whatever host of the farm it ran. */
START_TEST(one_unit_of_a_kind_keeps_its_name)
{
	put("a.xml", "node-1", "GPU-ABCDEF01-2345", "run1");
	merge("a.xml -o all.xml", 0);
	read_back("all.xml");
	expect_device(0, "sm_90");
	merge("all.xml -o again.xml", 0);
	read_back("again.xml");
	expect_device(0, "sm_90");
}
END_TEST

START_TEST(a_merged_report_can_be_merged)
{
	struct bc_text once, again;

	put("a.xml", "h", "GPU-1", "r1");
	put("b.xml", "h2", "GPU-2", "r2");
	put("c.xml", "h3", "GPU-3", "r3");
	merge("a.xml b.xml -o ab.xml", 0);
	merge("ab.xml c.xml --output abc.xml", 0);
	merge("a.xml b.xml c.xml -o at_once.xml", 0);
	once = bc_program_file(&call, "at_once.xml");
	again = bc_program_file(&call, "abc.xml");
	ck_assert_uint_gt(once.len, 1000);
	ck_assert_str_eq(once.data, again.data);
	bc_text_release(&once);
	bc_text_release(&again);
}
END_TEST

/* Sum of an integer attribute over the testsuites. */
static unsigned long sum_of(xmlNodePtr root, const char *name)
{
	unsigned long sum = 0;

	for (xmlNodePtr n = root->children; n; n = n->next) {
		xmlChar *v = n->type == XML_ELEMENT_NODE ? xmlGetProp(n, BAD_CAST name) : NULL;

		sum += v ? strtoul((const char *)v, NULL, 10) : 0;
		xmlFree(v);
	}
	return sum;
}

static unsigned long of(xmlNodePtr n, const char *name)
{
	xmlChar *v = xmlGetProp(n, BAD_CAST name);
	const unsigned long u = v ? strtoul((const char *)v, NULL, 10) : 999999;

	xmlFree(v);
	return u;
}

START_TEST(counts_add_up_and_the_schema_holds)
{
	xmlSchemaParserCtxtPtr parser = xmlSchemaNewParserCtxt(BC_TEST_DATA "/report/junit-10.xsd");
	xmlSchemaPtr schema = xmlSchemaParse(parser);
	xmlSchemaValidCtxtPtr valid = xmlSchemaNewValidCtxt(schema);
	struct bc_text text;
	xmlDocPtr doc;
	xmlNodePtr root;
	xmlChar *time;

	bc_sample_set(&sample, 0, 0, BC_FAIL, "f");
	bc_sample_set(&sample, 0, 1, BC_LOST, "l");
	put("a.xml", "h", "GPU-1", "r1");
	bc_sample_set(&sample, 0, 1, BC_SKIP, "s");
	put("b.xml", "h", "GPU-2", "r2");
	merge("a.xml b.xml -o all.xml", 0);
	text = bc_program_file(&call, "all.xml");
	doc = xmlReadMemory(text.data, (int)text.len, "all.xml", NULL, XML_PARSE_NONET);
	ck_assert_ptr_nonnull(doc);
	ck_assert_int_eq(xmlSchemaValidateDoc(valid, doc), 0);
	root = xmlDocGetRootElement(doc);
	ck_assert_uint_eq(of(root, "tests"), 8);
	ck_assert_uint_eq(of(root, "failures"), 2);
	ck_assert_uint_eq(of(root, "errors"), 1);
	ck_assert_uint_eq(sum_of(root, "tests"), 8);
	ck_assert_uint_eq(sum_of(root, "failures"), 2);
	ck_assert_uint_eq(sum_of(root, "errors"), 1);
	ck_assert_uint_eq(sum_of(root, "skipped"), 1);
	time = xmlGetProp(root, BAD_CAST "time");
	ck_assert_str_eq((const char *)time, "0.012"); /* case i took i ms: 0 + 1 + 2 + 3, twice */
	xmlFree(time);
	xmlFreeDoc(doc);
	bc_text_release(&text);
	xmlSchemaFreeValidCtxt(valid);
	xmlSchemaFree(schema);
	xmlSchemaFreeParserCtxt(parser);
}
END_TEST

START_TEST(a_run_twice_is_refused_and_nothing_is_written)
{
	struct bc_text text;

	put("a.xml", "h", "GPU-1", "r1");
	put("b.xml", "h", "GPU-1", "r1");
	merge("a.xml b.xml -o all.xml", 3);
	ck_assert_ptr_nonnull(strstr(call.err.data, "b.xml: the run r1 of the device sm_90 is in a.xml as well"));
	text = bc_program_file(&call, "all.xml");
	ck_assert_uint_eq(text.len, 0);
	bc_text_release(&text);
}
END_TEST

/* A night of hosts, a folder each, some compressed: the damaged one is named, the others are merged. */
START_TEST(a_night_of_folders_is_merged_but_what_is_damaged)
{
	bc_sample_set(&sample, 0, 2, BC_FAIL, "f");
	put("a.xml", "h1", "GPU-1", "r1");
	put("b.xml", "h2", "GPU-2", "r2");
	put("c.xml", "h3", "GPU-3", "r3");
	bc_program_run(&call, "merge a.xml b.xml c.xml -o at_once.xml");
	ck_assert_int_eq(system_in(call.dir,
				   "mkdir -p n/h1/7 n/h2/8 n/h3 n/h4 n/.hidden && mv a.xml n/h1/7 && "
				   "gzip -n b.xml && mv b.xml.gz n/h2/8 && cp c.xml n/.hidden && mv c.xml n/h3 && "
				   "ln -s .. n/h4/circle"),
			 0);
	merge("n -o all.xml", 0);
	ck_assert_int_eq(system_in(call.dir, "cmp all.xml at_once.xml"), 0);
	ck_assert_int_eq(system_in(call.dir,
				   "head -c 900 n/h3/c.xml > n/h4/cut.xml; gzip -nc n/h3/c.xml | head -c 700 > "
				   "n/h4/d.xml.gz"),
			 0);
	merge("n -o again.xml", 2);
	ck_assert_ptr_nonnull(strstr(call.err.data, "n/h4/cut.xml:"));
	ck_assert_ptr_nonnull(strstr(call.err.data, "n/h4/d.xml.gz: the gzip file is cut short"));
	ck_assert_ptr_nonnull(strstr(call.err.data, "2 reports were left out"));
	ck_assert_ptr_nonnull(strstr(call.out.data, "again.xml: 3 reports, 3 devices, 12 cases: 9 passed, 3 failures"));
	ck_assert_int_eq(system_in(call.dir, "cmp all.xml again.xml"), 0);
}
END_TEST

static const struct {
	const char *what, *words, *says;
	int status;
} wrong[] = {
	{ "no report", "-o all.xml", "merge: name the reports", 3 },
	{ "no file to write", "a.xml", "-o FILE", 3 },
	{ "-o without its file", "a.xml -o", "needs an argument", 3 },
	{ "a folder to write", "a.xml -o x/", "the name of a file", 3 },
	{ "one of those that are read", "a.xml -o ./a.xml", "--output ./a.xml: is a.xml, a report that is read", 3 },
	{ "no such report", "b.xml -o all.xml", "b.xml: No such file", 3 },
	{ "another tool's", BC_TEST_DATA "/compare/diff/other_tool/new.xml -o all.xml",
	  "not a report that bankcheck wrote", 3 },
	{ "one that is truncated", BC_TEST_DATA "/compare/diff/truncated/new.xml -o all.xml", "not well-formed", 3 },
	{ "none that can be taken",
	  BC_TEST_DATA "/compare/diff/truncated/new.xml " BC_TEST_DATA "/compare/diff/other_tool/new.xml -o all.xml",
	  "merge: none of the 2 reports could be taken", 3 },
	{ "a folder that is not there", "a.xml -o none/all.xml", "none", 2 },
};

START_TEST(wrong_usage_is_refused)
{
	put("a.xml", "h", "GPU-1", "r1");
	merge(wrong[_i].words, wrong[_i].status);
	ck_assert_msg(strstr(call.err.data, wrong[_i].says), "%s: %s", wrong[_i].what, call.err.data);
}
END_TEST

Suite *bc_test_merge(void)
{
	Suite *s = suite_create("merge");
	TCase *tc = tcase_create("merge");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, names_say_host_and_gpu);
	tcase_add_test(tc, one_unit_of_a_kind_keeps_its_name);
	tcase_add_test(tc, two_runs_of_a_gpu_have_two_names);
	tcase_add_test(tc, a_merged_report_can_be_merged);
	tcase_add_test(tc, counts_add_up_and_the_schema_holds);
	tcase_add_test(tc, a_run_twice_is_refused_and_nothing_is_written);
	tcase_add_test(tc, a_night_of_folders_is_merged_but_what_is_damaged);
	tcase_add_loop_test(tc, wrong_usage_is_refused, 0, (int)BC_ARRAY_LEN(wrong));
	suite_add_tcase(s, tc);
	return s;
}
