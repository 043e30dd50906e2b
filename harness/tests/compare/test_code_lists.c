/* SPDX-License-Identifier: MIT */
/* harness/tests/compare/test_code_lists.c - lists of instructions, compared: what differs, what counts, what is broken.
 */
#include "harness/compare/code_lists.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/tests/program.h"

Suite *bc_test_code_lists(void);

#define DIR BC_TEST_TMP "/test_code_lists"

static struct bc_error err;

static void write_list(const char *side, const char *image, const char *text)
{
	char path[512];
	FILE *f;

	(void)mkdir(DIR, 0777);
	(void)snprintf(path, sizeof(path), DIR "/%s", side);
	(void)mkdir(path, 0777);
	(void)snprintf(path, sizeof(path), DIR "/%s/%s.code", side, image);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

static void setup(void)
{
	(void)unlink(DIR "/old/sync.code");
	(void)unlink(DIR "/new/sync.code");
	(void)unlink(DIR "/old/clock.code");
	(void)unlink(DIR "/new/clock.code");
}

#define HEAD "sha256\t0\n"

static const struct {
	const char *name;
	enum bc_code_class class;
	const char *key;
} names[] = {
	{ "LDS", BC_CODE_SHARED, "LDS" },
	{ "LDS.U.128", BC_CODE_SHARED, "LDS.U.128" },
	{ "LDSM.16.M88.4", BC_CODE_SHARED, "LDSM.16.M88.4" },
	{ "LDGSTS.E.BYPASS.128", BC_CODE_SHARED, "LDGSTS.E.BYPASS.128" },
	{ "LD.E", BC_CODE_SHARED, "LD.E" },
	{ "ATOMS.POPC.INC.32", BC_CODE_ATOMIC, "ATOMS.POPC.INC.32" },
	{ "ATOMG.E.ADD.STRONG.GPU", BC_CODE_GLOBAL, "ATOMG.E.ADD.STRONG.GPU" },
	{ "REDG.E.ADD.STRONG.GPU", BC_CODE_GLOBAL, "REDG.E.ADD.STRONG.GPU" },
	{ "BAR.SYNC.DEFER_BLOCKING", BC_CODE_BARRIER, "BAR" },
	{ "BAR.RED.POPC", BC_CODE_BARRIER, "BAR" },
	{ "HMMA.16816.F32", BC_CODE_MATRIX, "HMMA.16816.F32" },
	{ "STL.64", BC_CODE_SPILLS, "STL.64" },
	{ "stack", BC_CODE_SPILLS, "stack" },
	{ "shared", BC_CODE_BYTES, "shared" },
	{ "LDG.E", BC_CODE_GLOBAL, "LDG.E" },
	{ "registers", BC_CODE_REGISTERS, "registers" },
	{ "timed:STS.64*32,LDS", BC_CODE_TIMED, "timed:STS.64*32,LDS" },
	{ "timed:", BC_CODE_TIMED, "timed:" },
	{ "LDC", BC_CODE_NCLASSES, NULL },
	{ "IADD3", BC_CODE_NCLASSES, NULL },
	{ "LDSX", BC_CODE_NCLASSES, NULL },
	{ "L", BC_CODE_NCLASSES, NULL },
};

START_TEST(an_instruction_has_its_class)
{
	char key[48] = "";

	ck_assert_msg(bc_code_class_of(names[_i].name, key, sizeof(key)) == names[_i].class, "%s", names[_i].name);
	if (names[_i].key)
		ck_assert_str_eq(key, names[_i].key);
}
END_TEST

/* Two lists of one image, and the only difference that there is. */
static const struct {
	const char *what, *old, *now;
	size_t n; /* differences */
	const char *kernel, *key;
	enum bc_code_class class;
	uint64_t was, is;
} pairs[] = {
	{ "the same", "arch\tsm_90\nk\tLDS\t2\n", "arch\tsm_90\nk\tLDS\t2\n", 0, "", "", 0, 0, 0 },
	{ "a load dropped", "arch\tsm_90\na\tLDS\t2\nk\tLDS\t2\n", "arch\tsm_90\na\tLDS\t2\nk\tLDS\t1\n", 1, "k", "LDS",
	  BC_CODE_SHARED, 2, 1 },
	{ "a load of another width", "arch\tsm_90\nk\tIADD3\t1\nk\tLDS.64\t2\n",
	  "arch\tsm_90\nk\tIADD3\t1\nk\tLDS\t2\nk\tLDS.64\t2\n", 1, "k", "LDS", BC_CODE_SHARED, 0, 2 },
	{ "what is not compared", "arch\tsm_90\nk\tLDS\t2\nk\tIADD3\t1\n", "arch\tsm_90\nk\tLDS\t2\nk\tNOP\t99\n", 0,
	  "", "", 0, 0, 0 },
	{ "barriers without their modifiers", "arch\tsm_90\nk\tBAR.SYNC\t3\nk\tBAR.RED.POPC\t1\n",
	  "arch\tsm_90\nk\tBAR.SYNC.DEFER_BLOCKING\t2\nk\tBAR.RED.POPC.DEFER_BLOCKING\t2\n", 0, "", "", 0, 0, 0 },
	{ "a barrier more", "arch\tsm_90\nk\tBAR.SYNC\t3\n", "arch\tsm_90\nk\tBAR.SYNC.DEFER_BLOCKING\t4\n", 1, "k",
	  "BAR", BC_CODE_BARRIER, 3, 4 },
	{ "another order between the clock reads", "arch\tsm_90\nk\tSTS\t2\nk\tLDS\t1\nk\ttimed:STS*2,LDS\t1\n",
	  "arch\tsm_90\nk\tSTS\t2\nk\tLDS\t1\nk\ttimed:STS,LDS,STS\t1\n", 2, "k", "timed:STS*2,LDS", BC_CODE_TIMED, 1,
	  0 },
	{ "a kernel gone", "arch\tsm_90\nk\tLDS\t2\nz\tNOP\t1\n", "arch\tsm_90\nk\tLDS\t2\n", 1, "z", "",
	  BC_CODE_SHARED, 1, 0 },
	{ "a kernel new", "arch\tsm_90\nk\tLDS\t2\n", "arch\tsm_90\na\tNOP\t1\nk\tLDS\t2\n", 1, "a", "", BC_CODE_SHARED,
	  0, 1 },
	{ "registers", "arch\tsm_90\nk\tregisters\t168\nk\tstack\t0\n", "arch\tsm_90\nk\tregisters\t80\nk\tstack\t0\n",
	  1, "k", "registers", BC_CODE_REGISTERS, 168, 80 },
	{ "a stack", "arch\tsm_90\nk\tregisters\t80\nk\tstack\t0\n", "arch\tsm_90\nk\tregisters\t80\nk\tstack\t4400\n",
	  1, "k", "stack", BC_CODE_SPILLS, 0, 4400 },
	{ "a list that tells no registers", "arch\tsm_90\nk\tregisters\t80\nk\tstack\t16\nk\tLDS\t1\n",
	  "arch\tsm_90\nk\tLDS\t1\n", 0, "", "", 0, 0, 0 },
	{ "the same kernel of another architecture", "arch\tsm_80\nk\tLDS\t1\narch\tsm_90\nk\tLDS\t2\n",
	  "arch\tsm_80\nk\tLDS\t1\narch\tsm_90\nk\tLDS\t2\n", 0, "", "", 0, 0, 0 },
	{ "in one of two architectures", "arch\tsm_80\nk\tLDS\t1\narch\tsm_90\nk\tLDS\t2\n",
	  "arch\tsm_80\nk\tLDS\t3\narch\tsm_90\nk\tLDS\t2\n", 1, "k", "LDS", BC_CODE_SHARED, 1, 3 },
};

START_TEST(the_difference_is_found)
{
	struct bc_code_comparison c;
	char old[400], now[400];

	(void)snprintf(old, sizeof(old), HEAD "%s", pairs[_i].old);
	(void)snprintf(now, sizeof(now), HEAD "%s", pairs[_i].now);
	write_list("old", "sync", old);
	write_list("new", "sync", now);
	ck_assert_msg(bc_code_compare(DIR "/old", DIR "/new", &c, &err) == BC_OK, "%s: %s", pairs[_i].what, err.msg);
	ck_assert_msg(c.n == pairs[_i].n, "%s: %zu differences", pairs[_i].what, c.n);
	if (c.n) {
		ck_assert_str_eq(c.difference[0].image, "sync");
		ck_assert_str_eq(c.difference[0].kernel, pairs[_i].kernel);
		ck_assert_str_eq(c.difference[0].key, pairs[_i].key);
		ck_assert_msg(c.difference[0].class == pairs[_i].class, "%s", pairs[_i].what);
		ck_assert_uint_eq(c.difference[0].was, pairs[_i].was);
		ck_assert_uint_eq(c.difference[0].now, pairs[_i].is);
		ck_assert_uint_eq(c.differ[pairs[_i].class], 1);
	}
	bc_code_comparison_release(&c);
}
END_TEST

START_TEST(what_is_in_one_folder_alone_is_told)
{
	struct bc_code_comparison c;

	write_list("old", "sync", HEAD "arch\tsm_70\nk\tLDS\t1\narch\tsm_90\nk\tLDS\t1\n");
	write_list("new", "sync", HEAD "arch\tsm_90\nk\tLDS\t1\narch\tsm_107\nk\tLDS\t1\n");
	write_list("new", "clock", HEAD "arch\tsm_90\nk\tLDS\t1\n");
	ck_assert_msg(bc_code_compare(DIR "/old", DIR "/new", &c, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(c.kernels, 1);
	ck_assert_uint_eq(c.n, 0);
	ck_assert_uint_eq(c.only_old, 1);
	ck_assert_str_eq(c.only[0], "sync sm_70");
	ck_assert_uint_eq(c.only_now, 2);
	ck_assert_str_eq(c.only[1], "clock sm_90");
	bc_code_comparison_release(&c);
}
END_TEST

static const struct {
	const char *what, *text, *said;
} broken[] = {
	{ "empty", "", "sync.code:1: no list" },
	{ "another file", "hello\n", "sync.code:1: no list" },
	{ "a count that is none", HEAD "arch\tsm_90\nk\tLDS\tmany\n", "sync.code:3: a kernel" },
	{ "a negative count", HEAD "arch\tsm_90\nk\tLDS\t-1\n", "sync.code:3: a kernel" },
	{ "a count too large", HEAD "arch\tsm_90\nk\tLDS\t99999999999999999999\n", "sync.code:3: a kernel" },
	{ "no instruction", HEAD "arch\tsm_90\nk\t\t1\n", "sync.code:3: a kernel" },
	{ "no architecture", HEAD "k\tLDS\t1\n", "sync.code:2: no line `arch`" },
	{ "words", HEAD "arch\tsm_90\nwords\n", "sync.code:3: no line" },
};

START_TEST(a_broken_list_is_named)
{
	struct bc_code_comparison c;

	write_list("old", "sync", broken[_i].text);
	write_list("new", "sync", HEAD "arch\tsm_90\nk\tLDS\t1\n");
	ck_assert_msg(bc_code_compare(DIR "/old", DIR "/new", &c, &err) == BC_EDATA, "%s", broken[_i].what);
	ck_assert_msg(strstr(err.msg, broken[_i].said) != NULL, "%s: %s", broken[_i].what, err.msg);
	ck_assert_int_eq(bc_code_compare(DIR "/new", DIR "/old", &c, &err), BC_EDATA);
}
END_TEST

START_TEST(a_folder_without_lists_is_named)
{
	struct bc_code_comparison c;

	write_list("new", "sync", HEAD "arch\tsm_90\nk\tLDS\t1\n");
	(void)mkdir(DIR "/none", 0777);
	ck_assert_int_eq(bc_code_compare(DIR "/none", DIR "/new", &c, &err), BC_EREAD);
	ck_assert_msg(strstr(err.msg, "/none: no lists") != NULL, "%s", err.msg);
	ck_assert_int_eq(bc_code_compare(DIR "/new", DIR "/not there", &c, &err), BC_EREAD);
	ck_assert_msg(strstr(err.msg, "/not there: ") != NULL, "%s", err.msg);
}
END_TEST

/* The last output as JSON: its status, and the first difference of the one comparison. */
static void json_says(int status, size_t differences, const char *instruction, json_int_t was, json_int_t now)
{
	json_error_t why;
	json_t *root = json_loads(bc_call.out.data, JSON_REJECT_DUPLICATES, &why), *one, *list, *d;

	ck_assert_msg(root != NULL, "%s: %s", why.text, bc_call.out.data);
	ck_assert_str_eq(json_string_value(json_object_get(root, "schema")), "bankcheck-code-1");
	ck_assert_int_eq(json_integer_value(json_object_get(root, "exit_status")), status);
	one = json_array_get(json_object_get(root, "comparisons"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(one, "now")), DIR "/new");
	list = json_object_get(one, "differences");
	ck_assert_uint_eq(json_array_size(list), differences);
	d = json_array_get(list, 0);
	ck_assert_str_eq(json_string_value(json_object_get(d, "instruction")), instruction);
	ck_assert_int_eq(json_integer_value(json_object_get(d, "was")), was);
	ck_assert_int_eq(json_integer_value(json_object_get(d, "now")), now);
	ck_assert_int_eq(json_is_true(json_object_get(d, "counts")), status);
	json_decref(root);
}

/* As a user sees it. A planted image with one instruction changed is found; registers alone make no finding. */
START_TEST(the_program_says_so)
{
	write_list("old", "sync", HEAD "arch\tsm_90\nk\tLDS\t2\nk\tregisters\t10\n");
	write_list("new", "sync", HEAD "arch\tsm_90\nk\tLDS\t1\nk\tregisters\t12\n");
	bc_run_program("code " DIR "/old " DIR "/new");
	bc_expect_status(1, NULL);
	bc_expect_output("  sync sm_90 k: LDS 1, was 2 (shared)\n");
	bc_expect_output(
		"shared 1, atomic 0, barrier 0, matrix 0, spills 0, shared bytes 0, timed 0, global 0, registers 1\n");
	bc_expect_output("(static)");
	bc_expect_no_output("registers 12");
	write_list("new", "sync", HEAD "arch\tsm_90\nk\tLDS\t2\nk\tregisters\t12\n");
	bc_run_program("code -v " DIR "/old " DIR "/old " DIR "/new");
	bc_expect_status(0, NULL);
	bc_expect_output("k: registers 12, was 10 (registers)\n");
	bc_run_program("code --format json " DIR "/old " DIR "/new");
	bc_expect_status(0, NULL);
	json_says(0, 1, "registers", 10, 12);
	write_list("new", "sync", HEAD "arch\tsm_90\nk\tLDS\t1\nk\tregisters\t10\n");
	bc_run_program("code --format json " DIR "/old " DIR "/new");
	bc_expect_status(1, NULL);
	json_says(1, 1, "LDS", 2, 1);
	write_list("new", "sync", HEAD "arch\tsm_80\nk\tLDS\t2\n");
	bc_run_program("code " DIR "/old " DIR "/new");
	bc_expect_status(3, "no image of one architecture in common");
	bc_run_program("code " DIR "/old");
	bc_expect_status(3, "code: which images?");
}
END_TEST

Suite *bc_test_code_lists(void)
{
	Suite *s = suite_create("code_lists");
	TCase *tc = tcase_create("lists"), *program = tcase_create("program");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, an_instruction_has_its_class, 0, (int)BC_ARRAY_LEN(names));
	tcase_add_loop_test(tc, the_difference_is_found, 0, (int)BC_ARRAY_LEN(pairs));
	tcase_add_test(tc, what_is_in_one_folder_alone_is_told);
	tcase_add_loop_test(tc, a_broken_list_is_named, 0, (int)BC_ARRAY_LEN(broken));
	tcase_add_test(tc, a_folder_without_lists_is_named);
	suite_add_tcase(s, tc);
	tcase_add_checked_fixture(program, setup, NULL);
	tcase_add_checked_fixture(program, bc_call_setup, bc_call_teardown);
	tcase_add_test(program, the_program_says_so);
	suite_add_tcase(s, program);
	return s;
}
