/* SPDX-License-Identifier: MIT */
/* harness/tests/matrix/test_matrix.c - what a difference is attributed to: made-up reports, and whole matrices with a
 * compiler that drops a load, a CUPTI that doubles a counter, and a CUPTI that refuses. */
#include "harness/matrix/matrix.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/junit.h"
#include "harness/tests/program.h"
#include "harness/tests/report/report_sample.h"

Suite *bc_test_matrix(void);

static struct bc_error err;

/* ------------------------------------------------------------------------------------ attribution of made-up reports
 */

#define CELLS 8

/* What is otherwise in the first case of a run; one letter each: d data wrong, c counts, s slow, f a finding in words.
 */
static void spoil(struct bc_sample *s, const char *how)
{
	struct bc_observation *o = &s->devices[0].results[0].obs;

	if (strchr(how, 'd')) {
		o->data_ok = false;
		bc_sample_set(s, 0, 0, BC_FAIL, "data");
	}
	if (strchr(how, 'c')) {
		for (unsigned k = 0; k < 3; k++)
			o->count[k].wavefronts = 64;
		bc_sample_set(s, 0, 0, BC_FAIL, "ratio");
	}
	for (uint32_t k = 0; strchr(how, 's') && k < o->nsamples; k++)
		o->samples[k] = 200 + k;
	if (strchr(how, 'f'))
		bc_sample_set(s, 0, 0, BC_BROKEN, "broken");
}

static void make_cell(struct bc_matrix *m, enum bc_cell_kind kind, const char *how)
{
	const bool baseline = kind == BC_CELL_BASELINE;
	struct bc_cell *c = &m->cell[m->ncells];
	char dir[BC_PATH_MAX], path[BC_PATH_MAX + 16];
	struct bc_paths paths = { 0 };
	struct bc_sample s;

	bc_sample_init(&s, 4);
	spoil(&s, how);
	bc_sample_folder(dir);
	ck_assert_msg(bc_junit_write(&s.run, BC_JUNIT_FULL, dir, &paths, &err) == BC_OK, "%s", err.msg);
	*c = (struct bc_cell){ .kind = kind, .kernels = "nowhere", .files = calloc(1, sizeof(*c->files)) };
	ck_assert_ptr_nonnull(c->files);
	(void)snprintf(c->name, sizeof(c->name), "cell-%zu", m->ncells);
	(void)snprintf(path, sizeof(path), "%s/sm_90.xml", dir);
	ck_assert_msg(bc_report_read(path, c->files, &err) == BC_OK, "%s", err.msg);
	c->nfiles = 1;
	m->ncells += !baseline;
	m->has_baseline = m->has_baseline || baseline;
	bc_paths_release(&paths);
	bc_sample_release(&s);
}

/* Runs: B base, k other compiler, p other CUPTI, j the driver's compiler, A the base again, L the baseline. */
static void make_matrix(struct bc_matrix *m, const char *kinds, const char *const how[CELLS])
{
	static const char letters[] = "BkpjAL";

	m->tolerance = BC_SPEED_TOLERANCE;
	for (size_t i = 0; kinds[i]; i++)
		make_cell(m, (enum bc_cell_kind)(strchr(letters, kinds[i]) - letters), how[i] ? how[i] : "");
	ck_assert_msg(bc_matrix_compare(m, &err) == BC_OK, "%s", err.msg);
}

static const struct {
	const char *what, *kinds, *how[CELLS];
	int status;
	const char *said; /* aspect, cause and cells of each attribution, in order */
} rows[] = {
	{ "nothing differs", "BkkppjA", { NULL }, 0, "" },
	{ "data wrong under one compiler", "BkkpA", { [1] = "d" }, 1, "data:compiler:cell-1;" },
	{ "data wrong under all other compilers",
	  "BkkpA",
	  { [1] = "d", [2] = "d" },
	  1,
	  "data:compiler:cell-1, cell-2 (all others: the base's own is the odd one);" },
	{ "data wrong in the base alone of all compilers",
	  "BkkA",
	  { [0] = "d", [3] = "d" },
	  1,
	  "data:compiler:cell-1, cell-2 (all others: the base's own is the odd one);" },
	{ "data wrong under a CUPTI is not CUPTI's", "BkppA", { [2] = "d" }, 1, "data:not told apart:cell-2;" },
	{ "counts under one CUPTI", "BkppA", { [2] = "c" }, 1, "counts:CUPTI:cell-2;" },
	{ "counts under a compiler and a CUPTI",
	  "BkppA",
	  { [1] = "c", [2] = "c" },
	  1,
	  "counts:not told apart:cell-1, cell-2;" },
	{ "data under a compiler, counts under a CUPTI",
	  "BkpA",
	  { [1] = "d", [2] = "c" },
	  1,
	  "data:compiler:cell-1;counts:CUPTI:cell-2;" },
	{ "slow under a compiler", "BkpA", { [1] = "s" }, 1, "clock:compiler:cell-1;" },
	{ "slow where the driver compiles", "BkpjA", { [3] = "s" }, 1, "clock:driver's compiler:cell-3;" },
	{ "the base again is slow", "BkpA", { [3] = "s" }, 1, "clock:noise:cell-3;" },
	{ "the base was slow: all others differ", "BkpA", { [0] = "s" }, 1, "clock:noise:cell-1, cell-2, cell-3;" },
	{ "noise of the clock does not hide a compiler's data",
	  "BkpA",
	  { [1] = "ds", [3] = "s" },
	  1,
	  "data:compiler:cell-1;clock:noise:cell-1, cell-3;" },
	{ "broken under a compiler", "BkpA", { [1] = "f" }, 1, "verdict:compiler:cell-1;" },
	{ "other than in the baseline", "BkpAL", { "c", "c", "c", "c" }, 1, "counts:driver or GPU:every cell;" },
	{ "as in the baseline, and wrong", "BkpAL", { "c", "c", "c", "c", "c" }, 1, "verdict:every cell:every cell;" },
	{ "wrong in every cell, no baseline", "BkpA", { "c", "c", "c", "c" }, 1, "verdict:every cell:every cell;" },
	{ "slower than in the baseline", "BkpAL", { "s", "s", "s", "s" }, 1, "clock:driver or GPU:every cell;" },
	{ "faster than in the baseline", "BkpAL", { [4] = "s" }, 0, "clock:driver or GPU:every cell;" },
};

START_TEST(a_difference_has_its_cause)
{
	struct bc_matrix *m = calloc(1, sizeof(*m));
	struct bc_text said = { 0 };
	struct bc_out o = { .to = &said, .err = &err };

	ck_assert_ptr_nonnull(m);
	make_matrix(m, rows[_i].kinds, rows[_i].how);
	for (size_t i = 0; i < m->n; i++) {
		ck_assert_str_eq(m->attribution[i].id, "stride/ld_b32/0");
		bc_putf(&o, "%s:%s:", bc_aspect_name(m->attribution[i].aspect), bc_cause_name(m->attribution[i].cause));
		bc_matrix_put_cells(&o, m, &m->attribution[i]);
		bc_put(&o, ";");
	}
	ck_assert_msg(strcmp(bc_out_text(&o), rows[_i].said) == 0, "%s: %s", rows[_i].what, bc_out_text(&o));
	ck_assert_msg(bc_matrix_status(m) == rows[_i].status, "%s: %d", rows[_i].what, bc_matrix_status(m));
	bc_text_release(&said);
	bc_matrix_release(m);
	free(m);
}
END_TEST

/* A cell without a report is not green, and not worse than a difference. */
START_TEST(a_cell_that_did_not_run_is_not_green)
{
	struct bc_matrix *m = calloc(1, sizeof(*m));
	const char *const how[CELLS] = { NULL };

	ck_assert_ptr_nonnull(m);
	make_matrix(m, "BkA", how);
	m->cell[1].why_status = 4;
	ck_assert_int_eq(bc_matrix_status(m), 4);
	m->cell[2].why_status = 2;
	ck_assert_int_eq(bc_matrix_status(m), 2);
	m->signal = 15;
	ck_assert_int_eq(bc_matrix_status(m), 143);
	bc_matrix_release(m);
	free(m);
}
END_TEST

/* --------------------------------------------------------------------------------------------- whole matrices */

#define SELECTED " --filter stride/ld_b32/? --expected " BC_TEST_EXPECTED " --reports m -q"

/* What the report of the matrix as JUnit says of a cell. */
static void suite_holds(const char *cell, double tests, double failures, double errors)
{
	xmlDocPtr doc = bc_report("m/matrix.xml");
	const char *const attributes[] = { "tests", "failures", "errors" };
	const double want[] = { tests, failures, errors };
	char expression[200];

	for (size_t i = 0; i < 3; i++) {
		(void)snprintf(expression, sizeof(expression),
			       "number(/testsuites/testsuite[@name='bankcheck.matrix.%s']/@%s)", cell, attributes[i]);
		ck_assert_msg(bc_report_number(doc, expression) == want[i], "%s %s: %g", cell, attributes[i],
			      bc_report_number(doc, expression));
	}
	(void)snprintf(expression, sizeof(expression),
		       "count(/testsuites/testsuite[@name='bankcheck.matrix.%s']/testcase)", cell);
	ck_assert(bc_report_number(doc, expression) == tests);
	xmlFreeDoc(doc);
}

/* Differences of a cause, by matrix.json. */
static json_int_t count_of(const char *cause)
{
	struct bc_text text = bc_program_file(&bc_call, "m/matrix.json");
	json_error_t why;
	json_t *root = json_loads(text.data, JSON_REJECT_DUPLICATES, &why), *sums;
	json_int_t n;

	ck_assert_msg(root != NULL, "%s: %s", why.text, text.data);
	ck_assert_str_eq(json_string_value(json_object_get(root, "schema")), "bankcheck-matrix-1");
	sums = json_object_get(root, "differences");
	ck_assert_ptr_nonnull(json_object_get(sums, cause));
	n = json_integer_value(json_object_get(sums, cause));
	json_decref(root);
	bc_text_release(&text);
	return n;
}

/* Kernels whose bc_ld32 gives 0 instead of what it loads, and lists that say so. */
static void drop_the_load(void)
{
	bc_shell("mkdir -p good/ptx bad/ptx && cp '" BC_TEST_KERNELS "'/ptx/pattern_ld.ptx good/ptx/ && awk '"
		 "/\\.entry/ { is = /bc_ld32\\(/ } is && /ld.volatile.shared.u32/ { sub(/ld.volatile.shared.u32/, "
		 "\"mov.u32\"); sub(/\\[.*\\]/, \"0\") } { print }' good/ptx/pattern_ld.ptx >bad/ptx/pattern_ld.ptx && "
		 "! cmp -s good/ptx/pattern_ld.ptx bad/ptx/pattern_ld.ptx");
	bc_write_file("good/pattern_ld.code", "w", "sha256\t0\narch\tsm_90\nbc_ld32\tLDS\t1\nbc_ld64\tLDS.64\t1\n");
	bc_write_file("bad/pattern_ld.code", "w", "sha256\t0\narch\tsm_90\nbc_ld32\tMOV\t1\nbc_ld64\tLDS.64\t1\n");
}

START_TEST(a_compiler_that_drops_a_load_is_found)
{
	struct bc_text page;

	drop_the_load();
	bc_shell("cp -r good same");
	bc_run_program("matrix --device reference --kernels good --kernels same --kernels bad" SELECTED);
	bc_expect_status(1, NULL);
	bc_expect_output("compiler: differs under other compilers only: 10 data 10 counts");
	bc_expect_output("data reference_sm_90 stride/ld_b32/2 [compiler-3] PASS -> ");
	bc_expect_output("data right -> wrong");
	bc_expect_output("instructions: pattern_ld sm_90 bc_ld32: LDS 0, base 1");
	bc_expect_output("instructions: those that the suites measure are the same in 2 kernels");
	bc_expect_no_output("CUPTI: differs");
	suite_holds("base", 10, 0, 0);
	suite_holds("compiler-2", 10, 0, 0);
	suite_holds("compiler-3", 10, 10, 0);
	suite_holds("base-again", 10, 0, 0);
	ck_assert_int_eq(count_of("compiler"), 20); /* no load, so no requests */
	ck_assert_int_eq(count_of("CUPTI"), 0);
	page = bc_program_file(&bc_call, "m/matrix.html");
	ck_assert_ptr_nonnull(strstr(page.data, "<td>data<td><code>stride/ld_b32/2</code>"));
	ck_assert_ptr_nonnull(strstr(page.data, "<td>bc_ld32<td>LDS<td class=num>0<td class=num>1"));
	bc_text_release(&page);
	bc_run_program("diff m/base m/compiler-3");
	bc_expect_status(1, NULL);
}
END_TEST

START_TEST(a_baseline_tells_what_all_cells_share)
{
	drop_the_load();
	bc_run_program("run --device reference --kernels good --filter stride/ld_b32/? --expected " BC_TEST_EXPECTED
		       " --reports before -q");
	bc_run_program("matrix --device reference --kernels bad --baseline before" SELECTED);
	bc_expect_status(1, NULL);
	bc_expect_output("driver or GPU: the same in every cell, and other than in the baseline: 10 data 10 counts");
	bc_expect_output("differs from the baseline: kernel image hash");
	ck_assert_int_eq(count_of("driver or GPU"), 20);
	suite_holds("base", 10, 10, 0);
	bc_run_program("matrix --device reference --kernels good --baseline before" SELECTED);
	bc_expect_status(0, NULL);
	bc_run_program("matrix --device reference --kernels good --baseline nowhere" SELECTED);
	bc_expect_status(3, "nowhere");
}
END_TEST

static const struct {
	const char *words, *said;
} usage[] = {
	{ "matrix", "nothing to compare" },
	{ "matrix --kernels a --cupti b", "nothing to compare" },
	{ "matrix --kernels a --kernels a", "--kernels a is there twice" },
	{ "matrix --cupti a --cupti b --cupti a", "--cupti a is there twice" },
	{ "matrix --ptx-jit --tolerance x", "--tolerance x: a percentage" },
	{ "matrix --ptx-jit --resume", "--resume: unknown" },
	{ "matrix --ptx-jit word", "takes options only" },
	{ "matrix --ptx-jit --format csv", "--format csv" },
};

START_TEST(wrong_usage_is_told)
{
	bc_run_program(usage[_i].words);
	bc_expect_status(3, usage[_i].said);
}
END_TEST

/* What a cell says instead of a report: here that there are no such kernels. */
START_TEST(a_cell_that_cannot_begin_says_why)
{
	bc_shell("mkdir -p good && cp -r '" BC_TEST_KERNELS "'/ptx good/");
	bc_run_program("matrix --device reference --kernels good --kernels 99.9" SELECTED);
	bc_expect_status(2, NULL);
	bc_expect_output("NOT COMPARED WHOLE: no report, status 3: --kernels 99.9: no folder of that name");
	suite_holds("compiler-2", 1, 0, 1);
	suite_holds("base-again", 10, 0, 0);
}
END_TEST

#ifdef BC_WITH_CUDA

/* The stub GPU, and three libraries beside the right one. */
static void stub(void)
{
	bc_call.set[0][0] = "LD_LIBRARY_PATH";
	bc_call.set[0][1] = BC_TEST_STUBS;
	bc_call.set[1][0] = "BC_STUB_CUPTI";
	bc_call.set[1][1] = "counts";
	bc_call.set[2][0] = "CUDA_HOME";
	bc_call.set[2][1] = NULL;
	bc_shell("mkdir good double sly refuse images && echo 'an image' >images/pattern_ld.fatbin && for d in good "
		 "double "
		 "sly refuse; do cp '" BC_TEST_STUBS "'/libcupti.so.13 $d/; done");
}

#define STUB "matrix --device cuda:0 --kernels images --cupti good/libcupti.so.13"

static const struct {
	const char *cell, *words, *said, *change;
	int status;
	double tests, failures, errors; /* of cupti-2 */
	json_int_t cupti;
} libraries[] = {
	/* The canaries see that all is doubled. */
	{ "a counter doubled", " --cupti double/libcupti.so.13", "CUPTI: differs under other CUPTIs only: 10 counts",
	  "[cupti-2] counters void: ", 1, 10, 10, 0, 10 },
	/* What they do not look at. */
	{ "a counter doubled but for the canaries", " --cupti sly/libcupti.so.13",
	  "CUPTI: differs under other CUPTIs only: 10 counts", "counters wavefronts=8 conflicts=6; clock wavefronts=4",
	  1, 10, 10, 0, 10 },
	{ "no permission", " --cupti refuse/libcupti.so.13",
	  "NOT COMPARED WHOLE: it counted nothing: ", "counters need permission", 4, 11, 0, 1, 0 },
	{ "no such file", " --cupti nothing.so", "NOT COMPARED WHOLE: ", "it could run no case: ", 2, 1, 0, 1, 0 },
};

START_TEST(a_cupti_is_found_out)
{
	char words[300];

	stub();
	(void)snprintf(words, sizeof(words), STUB "%s --ptx-jit" SELECTED, libraries[_i].words);
	bc_run_program(words);
	bc_expect_status(libraries[_i].status, NULL);
	bc_expect_output(libraries[_i].said);
	bc_expect_output(libraries[_i].change);
	bc_expect_no_output("compiler: differs");
	bc_expect_no_output("noise: the base");
	suite_holds("cupti-2", libraries[_i].tests, libraries[_i].failures, libraries[_i].errors);
	suite_holds("ptx", 10, 0, 0);
	suite_holds("base-again", 10, 0, 0);
	ck_assert_int_eq(count_of("CUPTI"), libraries[_i].cupti);
}
END_TEST

/* The right library under another name, and the driver's compiler: nothing differs, and the cells are what they say. */
START_TEST(equal_cells_are_green)
{
	struct bc_text report;

	stub();
	bc_shell("cp -r good other");
	bc_run_program(STUB " --cupti other/libcupti.so.13 --ptx-jit" SELECTED);
	bc_expect_status(0, NULL);
	bc_expect_output("differences: noise 0, compiler 0, driver's compiler 0, CUPTI 0, driver or GPU 0");
	report = bc_program_file(&bc_call, "m/ptx/sm_90.xml");
	ck_assert_msg(strstr(report.data, "value=\"CUDA_FORCE_PTX_JIT=1\"") != NULL, "%s", report.data);
	bc_text_release(&report);
	report = bc_program_file(&bc_call, "m/base-again/sm_90.xml");
	ck_assert_msg(!strstr(report.data, "CUDA_FORCE_PTX_JIT") && strstr(report.data, "counters=requests:"), "%s",
		      report.data);
	bc_text_release(&report);
	report = bc_program_file(&bc_call, "m/cupti-2/sm_90.xml");
	ck_assert_ptr_nonnull(strstr(report.data, "other/libcupti.so.13"));
	bc_text_release(&report);
}
END_TEST

#endif

Suite *bc_test_matrix(void)
{
	Suite *s = suite_create("matrix");
	TCase *pure = tcase_create("attribution"), *whole = tcase_create("program");

	tcase_add_loop_test(pure, a_difference_has_its_cause, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_test(pure, a_cell_that_did_not_run_is_not_green);
	tcase_add_checked_fixture(whole, bc_call_setup, bc_call_teardown);
	tcase_set_timeout(whole, 120);
	tcase_add_test(whole, a_compiler_that_drops_a_load_is_found);
	tcase_add_test(whole, a_baseline_tells_what_all_cells_share);
	tcase_add_loop_test(whole, wrong_usage_is_told, 0, (int)BC_ARRAY_LEN(usage));
	tcase_add_test(whole, a_cell_that_cannot_begin_says_why);
#ifdef BC_WITH_CUDA
	tcase_add_loop_test(whole, a_cupti_is_found_out, 0, (int)BC_ARRAY_LEN(libraries));
	tcase_add_test(whole, equal_cells_are_green);
#endif
	suite_add_tcase(s, pure);
	suite_add_tcase(s, whole);
	return s;
}
