/* SPDX-License-Identifier: MIT */
/* harness/tests/explain/test_explain_program.c - `bankcheck explain` as it is typed. */
#include "harness/core/select.h"
#include "harness/tests/invented.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

Suite *bc_test_explain_program(void);

#define PATTERNS BC_TEST_DATA "/core/h200-sm90-patterns.tsv"
#define TABLE BC_TEST_TMP "/explain-bad.tsv"
#define O32 "0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,76,80,84,88,92,96,100,104,108,112,116,120,124"
#define Z31 "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"

START_TEST(nearest_ids)
{
	struct bc_catalog cat = bc_invented_catalog();
	const struct bc_case *near[2];

	ck_assert_uint_eq(bc_select_nearest(&cat, "alpha/st/3", near, 2), 2);
	ck_assert_str_eq(near[0]->id, "alpha/st/1"); /* one edit each: the catalogue's order */
	ck_assert_str_eq(near[1]->id, "alpha/st/2");
	ck_assert_uint_eq(bc_select_nearest(&cat, "alpa/ld/32", near, 1), 1);
	ck_assert_str_eq(near[0]->id, "alpha/ld/32"); /* stands behind alpha/ld/2 and is nearer */
	ck_assert_uint_eq(bc_select_nearest(&cat, "beta", near, 0), 0);
	bc_catalog_release(&cat);
}
END_TEST

/* Run a shell command line with $B the program's explain; its output, and its exit status in *status. */
static struct bc_text shell(const char *line, int *status)
{
	struct bc_text t = { 0 }, cmd = { 0 };
	struct bc_error err;
	char buf[4096];
	size_t n;
	FILE *p;
	int rc;

	ck_assert(!bc_text_addf(&cmd, &err, "exec 2>&1; E='--expected %s'; B='%s explain'; %s", BC_TEST_EXPECTED,
				BC_TEST_BINARY, line));
	p = popen(cmd.data, "r");
	ck_assert_ptr_nonnull(p);
	ck_assert(!bc_text_add(&t, "", 0, &err));
	while ((n = fread(buf, 1, sizeof(buf), p)) > 0)
		ck_assert(!bc_text_add(&t, buf, n, &err));
	rc = pclose(p);
	ck_assert_msg(WIFEXITED(rc), "%s: died", line);
	*status = WEXITSTATUS(rc);
	bc_text_release(&cmd);
	return t;
}

/* The measured table as it should be answered: op, pattern, wavefronts, bank_conflicts. */
static struct bc_text measured(bool headerless)
{
	struct bc_text text = { 0 }, out = { 0 };
	struct bc_error err;
	unsigned n = 0;

	ck_assert_msg(!bc_file_read(PATTERNS, 16 << 20, &text, &err), "%s", err.msg);
	for (char *next = text.data, *line; next && (line = strsep(&next, "\n"));) {
		char *field[8];
		unsigned k = 0;

		while (k < 8 && line && *line)
			field[k++] = strsep(&line, "\t");
		if (k < 8 || strcmp(field[0], "op") == 0)
			continue;
		n++;
		if (headerless)
			ck_assert(
				!bc_text_addf(&out, &err, "%s\t%s\t%s\t%s\n", field[0], field[1], field[2], field[7]));
		else
			ck_assert(
				!bc_text_addf(&out, &err, "%s\t%s\t%s\t%s\n", field[0], field[1], field[4], field[5]));
	}
	ck_assert_uint_eq(n, 4715);
	bc_text_release(&text);
	return out;
}

static void write_file(const char *path, const struct bc_text *t)
{
	FILE *f = fopen(path, "we");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(t->data, 1, t->len, f), t->len);
	ck_assert_int_eq(fclose(f), 0);
}

START_TEST(measured_patterns_are_exact)
{
	static const char *const lines[] = {
		"$B --patterns " PATTERNS " $E",
		"cat " PATTERNS " | $B --patterns - $E",
		"sed 's/$/\\r/' " PATTERNS " | $B --patterns - $E",
		"cat " BC_TEST_TMP "/explain-headerless.tsv | $B $E --patterns=-",
		"$B --patterns " PATTERNS " $E --arch sm_120",
	};
	struct bc_text want = measured(false), bare = measured(true), got;
	int status;

	write_file(BC_TEST_TMP "/explain-headerless.tsv", &bare);
	got = shell(lines[_i], &status);
	ck_assert_msg(status == 0, "%s: exit %d: %s", lines[_i], status, got.data);
	ck_assert_msg(got.len == want.len && strcmp(got.data, want.data) == 0, "%s: other counts", lines[_i]);
	bc_text_release(&got);
	bc_text_release(&bare);
	bc_text_release(&want);
}
END_TEST

/* Layouts of real libraries (cub, CuTe, Triton, CUTLASS, FFTs ...), whose counts were worked out from the laws apart
 * from this program: all 414 are answered so. One that is changed is seen. */
START_TEST(layouts_of_libraries_are_exact)
{
	static const char line[] =
		"cd " BC_TEST_TMP " && T=" BC_TEST_DATA
		"/core/library-layouts.tsv; cut -f 1,2,4,5 $T | grep -v '^op' >want.$$; "
		"$B --patterns $T $E >got.$$; r=$?; wc -l <got.$$ | tr -d ' '; cmp want.$$ got.$$ || r=9; "
		"sed 's/^\\(ld32\tscan_d4_one_ai\t[^\t]*\t\\)1/\\12/' $T | cut -f 1,2,4,5 | grep -v '^op' | "
		"cmp -s - got.$$ && r=8; rm -f want.$$ got.$$; exit $r";
	struct bc_text got;
	int status;

	got = shell(line, &status);
	ck_assert_msg(status == 0, "exit %d: %s", status, got.data);
	ck_assert_str_eq(got.data, "414\n");
	bc_text_release(&got);
}
END_TEST

static const struct {
	const char *line; /* sh: $B is `bankcheck explain`, $E the options it needs */
	int status;
	const char *want; /* somewhere in the output */
} commands[] = {
	{ "LC_ALL=C $B stride/ld_b32/2 $E", 0, "\n---+-- group 0, lanes 0-31: 2 wavefronts, 2-way -" },
	{ "LC_ALL=C.UTF-8 $B stride/ld_b32/2 $E", 0, "\n───┼── group 0, lanes 0-31: 2 wavefronts, 2-way ─" },
	{ "LC_ALL= LC_CTYPE=C.UTF-8 LANG=C $B stride/ld_b32/2 $E", 0, "───┼──" },
	{ "LC_ALL= LC_CTYPE= LANG=C.UTF-8 $B stride/ld_b32/2 $E", 0, "───┼──" },
	{ "LC_ALL=C LC_CTYPE=C.UTF-8 LANG=C.UTF-8 $B stride/ld_b32/2 $E", 0, "---+--" },
	{ "LC_ALL=xx_XX.UTF-8 $B stride/ld_b32/2 $E", 0, "---+--" }, /* a locale that is not there */
	{ "$B stride/ld_b32/2 $E", 0, "\nexpected    wavefronts 2 (" },
	{ "$B stride/ld_b32/2 $E", 0, "\nclean twin  stride/ld_b32/1\n" },
	{ "$B stride/ld_b32/2 $E", 0, "\narch        sm_90, confirmed NVIDIA H200" },
	{ "$B stride/ld_b32/2 $E --arch sm_75", 0, "\narch        sm_75, unconfirmed\n" },
	{ "$B stride/ld_b32/2 $E --arch sm_95", 0, "\narch        sm_95, provisional" },
	{ "$B --op ld32 --offsets " O32 " $E", 0, "\nmask        ffffffff: all 32 lanes are active\n" },
	{ "$B --op ld32 --offsets " O32 " --mask 0x3 $E", 0,
	  "\nmask        00000003: 2 of 32 lanes are active: 0-1\n" },
	{ "$B --op cpa4 --offsets " O32 " $E --arch sm_75", 0, "skipped     needs cp.async (not on sm_75)\n" },
	{ "$B --op ldsm1 --offsets " Z31 ",0 $E --arch sm_70", 0, "skipped     needs ldmatrix (not on sm_70)\n" },
	{ "$B --op stsm1 --offsets " Z31 ",0 $E --arch sm_89", 0, "skipped     needs stmatrix (not on sm_89)\n" },
	{ "$B --op ld32 --offsets 100000," Z31 " $E --arch sm_75", 0,
	  "skipped     needs 100004 bytes of shared memory (sm_75 has 65536)\n" },
	{ "$B $E", 3,
	  "type `bankcheck explain CASE`, `bankcheck explain --op OP --offsets A,B,... [--mask HEX]`, `bankcheck "
	  "explain "
	  "--patterns FILE` or `bankcheck explain --layout LAYOUT`" },
	{ "$B stride/ld_b32/99 $E", 3, "there is no case `stride/ld_b32/99`; the nearest are stride/ld_b32/9, " },
	{ "$B stride $E", 3, "`stride` is not a case, it selects " },
	{ "$B '' $E", 3, "there is no case ``; the nearest are " },
	{ "$B stride/ld_b32/2 stride/ld_b32/3 $E", 3, "`stride/ld_b32/2` and `stride/ld_b32/3`: one case at a time" },
	{ "$B stride/ld_b32/2 --op ld32 $E", 3, "exclude each other; type `bankcheck explain CASE`" },
	{ "$B stride/ld_b32/2 --mask f $E", 3, "exclude each other" },
	{ "$B stride/ld_b32/2 --patterns - $E", 3, "exclude each other" },
	{ "$B --op ld32 --patterns - $E", 3, "exclude each other" },
	{ "$B --op ld32 $E", 3, "--op needs --offsets A,B,..." },
	{ "$B --offsets 1 $E", 3, "--offsets needs --op OP" },
	{ "$B --mask 1 $E", 3, "--mask needs --op OP" },
	{ "$B --op ld31 --offsets " O32 " $E", 3, "unknown operation 'ld31'; there are: ld8 " },
	{ "$B --op ld64 --offsets " O32 " $E", 3, "lane 1's offset 4 is not a multiple of the 8 bytes of ld64" },
	{ "$B --op ld32 --offsets 1,2 $E", 3, "2 offsets: 32 are needed, one a lane" },
	{ "$B --op ld32 --offsets " O32 " --mask xyz $E", 3, "mask 'xyz': it is hexadecimal" },
	{ "$B stride/ld_b32/2 $E --arch hopper", 3,
	  "--arch hopper: an architecture is sm_ and its compute capability" },
	{ "$B stride/ld_b32/2 $E --arch sm_90a", 3, "--arch sm_90a: an architecture is" },
	{ "$B stride/ld_b32/2 $E --arch sm_35", 3, "no folder for sm_35 and none older" },
	{ "$B stride/ld_b32/2 --expected /nowhere", 3, "/nowhere" },
	{ "$B --patterns /nowhere/p.tsv $E", 3, "/nowhere/p.tsv: cannot be opened: No such file" },
	{ "$B --patterns / $E", 3, "/:1: cannot be read: Is a directory" },
	{ "printf 'ld32\\ta\\tf\\t" O32 "\\nld32\\tb\\tf\\t0,1\\n' | $B --patterns - $E", 3,
	  "ld32\ta\t1\t0\nbankcheck: <stdin>:2: 2 offsets: 32 are needed" },
	{ "printf 'ld32\\ta\\tf\\t" O32 "\\nld33\\tb\\tf\\t" O32 "\\nld32\\tc\\033\\tf\\t" O32 "\\nld32\\td\\n"
	  "ld64\\te\\tf\\t" O32 "\\nldsm4\\tf\\tffffffff\\t" Z31 ",0\\nst32\\tg\\tf\\t" O32
	  "\\n' | $B --patterns - $E 2>/dev/null",
	  3, "ld32\ta\t1\t0\nldsm4\tf\t4\t0\nst32\tg\t1\t0\n" },
	{ "printf 'ld32\\ta\\tf\\t" O32 "\\nld33\\tb\\tf\\t" O32 "\\nld32\\tc\\033\\tf\\t" O32 "\\nld32\\td\\n"
	  "ld64\\te\\tf\\t" O32 "\\nst32\\tg\\tf\\t" O32
	  "\\n' | $B --patterns - $E 2>&1 >/dev/null | cut -c 1-50; exit 3",
	  3,
	  "bankcheck: <stdin>:2: unknown operation 'ld33'; th\nbankcheck: <stdin>:3: control character 0x1b in co\n"
	  "bankcheck: <stdin>:4: the column lane_mask is miss\nbankcheck: <stdin>:5: lane 1's offset 4 is not a m\n"
	  "bankcheck: <stdin>: 4 of 6 rows have no answer\n" },
	{ "printf 'stsm4\\ta\\tffffffff\\t" Z31 ",0\\nld32\\tb\\tf\\t" O32 "\\n' | $B --patterns - $E --arch sm_80", 3,
	  "bankcheck: <stdin>:1: stsm4 needs stmatrix (not on sm_80)\nld32\tb\t1\t0\n" },
	{ "printf 'ldsm4\\ta\\tffffffff\\t" Z31 ",0\\n' | $B --patterns - $E --arch sm_70", 3,
	  "<stdin>:1: ldsm4 needs ldmatrix (not on sm_70)\nbankcheck: <stdin>: 1 of 1 rows have no answer\n" },
	{ "printf 'cpa4\\ta\\tf\\t" O32 "\\n' | $B --patterns - $E --arch sm_75", 3,
	  "<stdin>:1: cpa4 needs cp.async (not on sm_75)\n" },
	{ "printf 'ld32\\ta\\tf\\t100000," Z31 "\\n' | $B --patterns - $E --arch sm_75", 3,
	  "<stdin>:1: ld32 needs 100004 bytes of shared memory (sm_75 has 65536)\n" },
	{ "printf 'ld32\\tb\\tf\\t" O32 "\\n' | $B --patterns - $E --arch sm_130", 0,
	  "# sm_130 is provisional: there is no folder for it in expected/, the laws are those of the nearest older "
	  "one\nld32\tb\t1\t0\n" },
	{ "printf 'ld32\\tb\\tf\\t" O32 "\\n' | $B --patterns - $E --arch sm_130 --format json", 0,
	  "\"conflicts\":0,\"arch\":\"sm_130\",\"provisional\":true}\n" },
	{ "printf '#\\n\\nld33\\ta\\tf\\t" O32 "\\n' >" TABLE "; $B --patterns " TABLE " $E", 3,
	  TABLE ":3: unknown operation 'ld33'" },
	{ "printf 'ld32\\ta\\tg\\t" O32 "\\n' >" TABLE "; $B --patterns " TABLE " $E", 3, TABLE ":1: mask 'g'" },
	{ "printf 'ld32\\ta\\tf\\t2," Z31 "\\n' >" TABLE "; $B --patterns " TABLE " $E", 3,
	  TABLE ":1: lane 0's offset 2 is not" },
	{ "printf 'ld32\\ta\\tf\\n' >" TABLE "; $B --patterns " TABLE " $E", 3,
	  TABLE ":1: the column byte_offsets_lane0_to_31 is missing" },
	{ "printf 'op\\tpattern\\n' >" TABLE "; $B --patterns " TABLE " $E", 3,
	  TABLE ":1: the header has no column lane_mask" },
	{ "$B --op addf32 --offsets " O32 " $E", 0, "\nwavefronts  not known: no law gives them\n" },
	{ "printf 'ld8\\ta\\tf\\t" O32 "\\naddf32\\ta\\tf\\t" O32 "\\n' | $B --patterns - $E", 3,
	  "<stdin>:2: addf32 has no bank law" },
	{ "$B stride/ld_b32/2 $E >/dev/full", 2, "standard output could not be written" },
	{ "$B --patterns " PATTERNS " $E >/dev/full", 2, "standard output could not be written" },
	{ "$B --help", 0, "usage: bankcheck explain [options] [CASE]\n" },
};

START_TEST(command_line)
{
	int status = -1;
	struct bc_text got = shell(commands[_i].line, &status);

	ck_assert_msg(status == commands[_i].status, "%s: exit %d, expected %d:\n%.3000s", commands[_i].line, status,
		      commands[_i].status, got.data);
	ck_assert_msg(strstr(got.data, commands[_i].want) != NULL, "%s: not there: \"%s\" in\n%.3000s",
		      commands[_i].line, commands[_i].want, got.data);
	bc_text_release(&got);
}
END_TEST

/* A table larger than the memory that the program takes. */
START_TEST(long_tables_stream)
{
	struct rusage used;
	int status = -1;
	struct bc_text got = shell("line=$(printf 'ld32\\ta\\tffffffff\\t" O32
				   "'); yes \"$line\" | head -n 1000000 | $B --patterns - $E | uniq -c",
				   &status);

	ck_assert_int_eq(status, 0);
	ck_assert_msg(strstr(got.data, "1000000 ld32\ta\t1\t0\n") != NULL, "%s", got.data);
	ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
	ck_assert_msg(used.ru_maxrss < 100000, "%ld KB for a table of 133,000 KB", used.ru_maxrss);
	bc_text_release(&got);
}
END_TEST

Suite *bc_test_explain_program(void)
{
	Suite *s = suite_create("explain_program");
	TCase *tc = tcase_create("program");

	tcase_add_test(tc, nearest_ids);
	tcase_add_test(tc, layouts_of_libraries_are_exact);
	tcase_add_loop_test(tc, measured_patterns_are_exact, 0, 5);
	tcase_add_loop_test(tc, command_line, 0, (int)BC_ARRAY_LEN(commands));
	tcase_add_test(tc, long_tables_stream);
	suite_add_tcase(s, tc);
	return s;
}
