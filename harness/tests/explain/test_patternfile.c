/* SPDX-License-Identifier: MIT */
#include "harness/explain/patternfile.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *bc_test_patternfile(void);

#define O32 "0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,76,80,84,88,92,96,100,104,108,112,116,120,124"
#define Z31 "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"
#define HEAD "op\tpattern\tlane_mask\tbyte_offsets_lane0_to_31\n"

static const struct {
	const char *what, *text;
	size_t len;	  /* 0: strlen */
	unsigned good;	  /* patterns before the end or the error */
	const char *want; /* start of the error, behind the path; NULL: none */
} tables[] = {
	{ "nothing", "", 0, 0, NULL },
	{ "comments only", "# a\n#\n\n", 0, 0, NULL },
	{ "no header", "ld32\ta\tffffffff\t" O32 "\n", 0, 1, NULL },
	{ "no end of the last line", "ld32\ta\tf\t" O32, 0, 1, NULL },
	{ "CR LF", "ld32\ta\tf\t" O32 "\r\n\r\n# c\r\nld32\tb\tf\t" O32 "\r\n", 0, 2, NULL },
	{ "header", "# c\n" HEAD "ld32\ta\tf\t" O32 "\n", 0, 1, NULL },
	{ "header in another order, with more columns",
	  "op\tx\tbyte_offsets_lane0_to_31\ty\tlane_mask\tpattern\tz\nld32\t\t" O32 "\t?\tf\ta\t\n", 0, 1, NULL },
	{ "header with CR LF", "op\tpattern\tlane_mask\tbyte_offsets_lane0_to_31\r\nld32\ta\tf\t" O32 "\r\n", 0, 1,
	  NULL },
	{ "byte order mark", "\xef\xbb\xbf" HEAD "ld32\ta\tf\t" O32 "\n", 0, 1, NULL },
	{ "hexadecimal, blanks, capitals", "ld32\ta\t0xF\t0x80, 4 ," Z31 "\n", 0, 0, ":1: 33 offsets: 32 are needed" },
	{ "hexadecimal, blanks", "ld32\ta b\t0XfF\t 0x80 ," Z31 "\n", 0, 1, NULL },
	{ "an empty name", "ld32\t\tf\t" O32 "\n", 0, 1, NULL },
	{ "inactive lanes may be misaligned", "ld32\ta\tfffffffe\t3," Z31 "\n", 0, 1, NULL },
	{ "lanes without a row may be misaligned",
	  "ldsm1\ta\tffffffff\t0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n", 0, 1, NULL },
	{ "unknown op", "ld32\ta\tf\t" O32 "\nld33\ta\tf\t" O32 "\n", 0, 1,
	  ":2: unknown operation 'ld33'; there are: ld8 ld16" },
	{ "the op none is none", "none\ta\tf\t" O32 "\n", 0, 0, ":1: unknown operation 'none'" },
	{ "a second header", HEAD HEAD, 0, 0, ":2: unknown operation 'op'" },
	{ "misaligned",
	  "# c\n\nld32\ta\tf\t0,2,"
	  "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n",
	  0, 0, ":3: lane 1's offset 2 is not a multiple of the 4 bytes of ld32" },
	{ "a matrix row is 16 bytes", "ldsm1\ta\tffffffff\t8," Z31 "\n", 0, 0,
	  ":1: lane 0's offset 8 is not a multiple of the 16" },
	{ "a matrix needs all lanes", "ldsm4\ta\t7fffffff\t" Z31 ",0\n", 0, 0,
	  ":1: mask 7fffffff: ldsm4 needs all 32 lanes" },
	{ "31 offsets", "ld32\ta\tf\t" Z31 "\n", 0, 0, ":1: 31 offsets: 32 are needed" },
	{ "33 offsets", "ld32\ta\tf\t" Z31 ",0,0\n", 0, 0, ":1: 33 offsets: 32 are needed" },
	{ "no offsets", "ld32\ta\tf\t\n", 0, 0, ":1: offset 1 of 32: '' is not a number" },
	{ "an empty offset", "ld32\ta\tf\t0,,0\n", 0, 0, ":1: offset 2 of 32: '' is not a number" },
	{ "a comma too many", "ld32\ta\tf\t" Z31 ",0,\n", 0, 0, ":1: offset 33 of 32: '' is not a number" },
	{ "a negative offset", "ld32\ta\tf\t-4," Z31 "\n", 0, 0,
	  ":1: offset 1 of 32: '-4' is not a number of bytes from 0 to 2147483647" },
	{ "an offset too large", "ld32\ta\tf\t2147483648," Z31 "\n", 0, 0, ":1: offset 1 of 32: '2147483648'" },
	{ "2^64 does not wrap", "ld32\ta\tf\t18446744073709551616," Z31 "\n", 0, 0,
	  ":1: offset 1 of 32: '18446744073709551616'" },
	{ "the largest offset", "ld8\ta\tf\t2147483647," Z31 "\n", 0, 1, NULL },
	{ "words for an offset", "ld32\ta\tf\t4x," Z31 "\n", 0, 0, ":1: offset 1 of 32: '4x'" },
	{ "two numbers for one", "ld32\ta\tf\t4 4," Z31 "\n", 0, 0, ":1: offset 1 of 32: '4 4'" },
	{ "bad mask", "ld32\ta\tg\t" O32 "\n", 0, 0, ":1: mask 'g': it is hexadecimal" },
	{ "empty mask", "ld32\ta\t\t" O32 "\n", 0, 0, ":1: mask '': it is hexadecimal" },
	{ "mask of 33 bits", "ld32\ta\t1ffffffff\t" O32 "\n", 0, 0, ":1: mask '1ffffffff': it is hexadecimal" },
	{ "mask of 9 digits", "ld32\ta\t00000000f\t" O32 "\n", 0, 0,
	  ":1: mask '00000000f': it is hexadecimal, 1 to 8 digits" },
	{ "signed mask", "ld32\ta\t-1\t" O32 "\n", 0, 0, ":1: mask '-1': it is hexadecimal" },
	{ "missing column", "ld32\ta\tf\n", 0, 0,
	  ":1: the column byte_offsets_lane0_to_31 is missing: the line has 3 fields" },
	{ "missing column in a header", "op\tpattern\tbyte_offsets_lane0_to_31\n", 0, 0,
	  ":1: the header has no column lane_mask" },
	{ "short line below a header", HEAD "ld32\ta\n", 0, 0,
	  ":2: the column lane_mask is missing: the line has 2 fields" },
	{ "column twice", "op\tpattern\tpattern\tlane_mask\tbyte_offsets_lane0_to_31\n", 0, 0,
	  ":1: the column pattern is there twice" },
	{ "a field too many", "ld32\ta\tf\t" O32 "\t7\n", 0, 0,
	  ":1: 5 fields: without a header line they are op, name, mask" },
	{ "blanks instead of tabs", "ld32 a f " O32 "\n", 0, 0,
	  ":1: the column pattern is missing: the line has 1 field," },
	{ "a NUL byte", "ld32\ta\0b\tf\t" O32 "\n", 13 + sizeof(O32), 0, ":1: control character 0x00 in column 7" },
	{ "an escape in a name", "ld32\t\x1b[2J\tf\t" O32 "\n", 0, 0, ":1: control character 0x1b in column 6" },
	{ "CR in the middle", "ld32\ta\rb\tf\t" O32 "\n", 0, 0, ":1: control character 0x0d in column 7" },
};

START_TEST(table_of_patterns)
{
	const size_t len = tables[_i].len ? tables[_i].len : strlen(tables[_i].text);
	struct bc_patternfile *f = calloc(1, sizeof(*f));
	struct bc_error err = { .msg = "" };
	struct bc_pattern p;
	const char *name = NULL;
	unsigned good = 0;
	bool more = true;
	enum bc_status st = BC_OK;

	ck_assert_ptr_nonnull(f);
	f->path = "t.tsv";
	f->file = len ? fmemopen((void *)(uintptr_t)tables[_i].text, len, "r") : fopen("/dev/null", "re");
	ck_assert_ptr_nonnull(f->file);
	while (!st && more) {
		st = bc_patternfile_next(f, &p, &name, &more, &err);
		good += !st && more;
	}
	ck_assert_msg(good == tables[_i].good, "%s: %u patterns, then: %s", tables[_i].what, good, err.msg);
	ck_assert_msg((st == BC_OK) == (tables[_i].want == NULL), "%s: %s", tables[_i].what, err.msg);
	if (st) {
		ck_assert_int_eq(st, BC_EDATA);
		ck_assert_msg(strncmp(err.msg, "t.tsv", 5) == 0 &&
				      strncmp(err.msg + 5, tables[_i].want, strlen(tables[_i].want)) == 0,
			      "%s: %s", tables[_i].what, err.msg);
	}
	(void)fclose(f->file);
	free(f);
}
END_TEST

/* A bad row does not end the table: the rows round it are read, and it is named by its line. */
START_TEST(rows_after_a_bad_one_are_read)
{
	static const char text[] = HEAD "ld32\ta\tf\t" O32 "\nld33\tb\tf\t" O32 "\nld32\tc\x01\tf\t" O32
					"\nld32\td\n# e\nld32\te\tf\t" O32 "\nld32\tf\tf\t1," Z31;
	static const char *const good[] = { "a", "e" };
	static const char *const bad[] = { "t:3: unknown", "t:4: control", "t:5: the column", "t:8: lane 0's" };
	struct bc_patternfile *f = calloc(1, sizeof(*f));
	size_t ngood = 0, nbad = 0;

	ck_assert_ptr_nonnull(f);
	f->path = "t";
	f->file = fmemopen((void *)(uintptr_t)text, sizeof(text) - 1, "r");
	ck_assert_ptr_nonnull(f->file);
	for (bool more = true; more;) {
		struct bc_error err = { .msg = "" };
		struct bc_pattern p;
		const char *name = NULL;
		const enum bc_status st = bc_patternfile_next(f, &p, &name, &more, &err);

		ck_assert(f->bad_row == (st != BC_OK));
		if (st) {
			ck_assert_uint_lt(nbad, BC_ARRAY_LEN(bad));
			ck_assert_msg(strncmp(err.msg, bad[nbad], strlen(bad[nbad])) == 0, "%s", err.msg);
			nbad++;
		} else if (more) {
			ck_assert_uint_lt(ngood, BC_ARRAY_LEN(good));
			ck_assert_str_eq(name, good[ngood]);
			ngood++;
		}
	}
	ck_assert_uint_eq(ngood, BC_ARRAY_LEN(good));
	ck_assert_uint_eq(nbad, BC_ARRAY_LEN(bad));
	(void)fclose(f->file);
	free(f);
}
END_TEST

START_TEST(endless_line_is_refused)
{
	struct bc_patternfile *f = calloc(1, sizeof(*f));
	struct bc_error err = { .msg = "" };
	struct bc_pattern p;
	const char *name;
	bool more;

	ck_assert_ptr_nonnull(f);
	f->path = "z";
	f->file = fopen("/dev/zero", "re");
	ck_assert_ptr_nonnull(f->file);
	ck_assert_int_eq(bc_patternfile_next(f, &p, &name, &more, &err), BC_EDATA);
	ck_assert_msg(strncmp(err.msg, "z:1: the line is longer than 65535 bytes", 40) == 0, "%s", err.msg);
	ck_assert(!f->bad_row); /* it may never end */
	(void)fclose(f->file);
	free(f);
}
END_TEST

START_TEST(fields_of_a_pattern)
{
	struct bc_patternfile *f = calloc(1, sizeof(*f));
	static const char text[] =
		"op\tlane_mask\tbyte_offsets_lane0_to_31\tpattern\nst64\tC0000001\t8," Z31 "\tmy name\n";
	struct bc_error err = { .msg = "" };
	struct bc_pattern p;
	const char *name = NULL;
	bool more = false;

	ck_assert_ptr_nonnull(f);
	f->path = "t";
	f->file = fmemopen((void *)(uintptr_t)text, sizeof(text) - 1, "r");
	ck_assert_ptr_nonnull(f->file);
	ck_assert_msg(!bc_patternfile_next(f, &p, &name, &more, &err), "%s", err.msg);
	ck_assert(more);
	ck_assert_str_eq(name, "my name");
	ck_assert_int_eq(p.op, BC_OP_ST64);
	ck_assert_uint_eq(p.mask, 0xc0000001);
	ck_assert_uint_eq(p.offset[0], 8);
	ck_assert_uint_eq(p.offset[31], 0);
	ck_assert_uint_eq(p.count, 1);
	ck_assert_int_eq(p.origin, BC_FROM_START);
	(void)fclose(f->file);
	free(f);
}
END_TEST

Suite *bc_test_patternfile(void)
{
	Suite *s = suite_create("patternfile");
	TCase *tc = tcase_create("table");

	tcase_add_loop_test(tc, table_of_patterns, 0, (int)BC_ARRAY_LEN(tables));
	tcase_add_test(tc, rows_after_a_bad_one_are_read);
	tcase_add_test(tc, endless_line_is_refused);
	tcase_add_test(tc, fields_of_a_pattern);
	suite_add_tcase(s, tc);
	return s;
}
