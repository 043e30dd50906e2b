/* SPDX-License-Identifier: MIT */
/* kernel: real kernels of nvcc (data/kernel/kernels.cu), whose requests, wavefronts and conflicts are derived by hand.
 */
#include <check.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "harness/kernel/kernel.h"
#include "harness/tests/program.h"

Suite *bc_test_kernel(void);

#define FILES BC_TEST_DATA "/kernel/"
#define PTX FILES "kernels.ptx"

static json_t *report;

static void teardown(void)
{
	json_decref(report);
	report = NULL;
	bc_call_teardown();
}

static void kernel(const char *words, int status)
{
	char line[1200];

	(void)snprintf(line, sizeof(line), "kernel %s", words);
	bc_run_program(line);
	ck_assert_msg(bc_call.status == status, "%s: exit status %d, not %d\n%s%s", line, bc_call.status, status,
		      bc_call.out.data, bc_call.err.data);
}

/* The row of an operation of a line, of the JSON. */
static const json_t *row(const char *words, unsigned line, const char *op)
{
	char all[1200];
	json_t *r;
	size_t i;

	if (words) {
		(void)snprintf(all, sizeof(all), "%s --format json", words);
		bc_run_program(all);
		json_decref(report);
		report = json_loads(bc_call.out.data, 0, NULL);
		ck_assert_msg(report != NULL, "%s: no JSON:\n%s%s", all, bc_call.out.data, bc_call.err.data);
	}
	json_array_foreach(json_object_get(report, "lines"), i, r)
	{
		if (json_integer_value(json_object_get(r, "line")) == line &&
		    strcmp(json_string_value(json_object_get(r, "operation")), op) == 0)
			return r;
	}
	ck_abort_msg("no %s in line %u:\n%s", op, line, bc_call.out.data);
	return NULL;
}

static void counts(const json_t *r, const char *key, long long want)
{
	const json_t *v = json_object_get(r, key);

	ck_assert_msg(json_is_integer(v) && json_integer_value(v) == want, "%s: %lld, not %lld",
		      json_string_value(json_object_get(r, "operation")), (long long)json_integer_value(v), want);
}

/* 32 warps, each reads a column of 32 words with a pitch of 32: 32 wavefronts a request; with 33 it is one. */
START_TEST(a_transpose_conflicts_in_its_line_and_the_pad_cures_it)
{
	const json_t *r =
		row("kernel " PTX " --entry transpose --block 32,32 --arg buf=4K:iota-f32 --arg out=4K", 11, "ld32");

	ck_assert_int_eq(bc_call.status, 0);
	counts(r, "requests", 32);
	counts(r, "lanes", 1024);
	counts(r, "wavefronts", 1024);
	counts(r, "conflicts", 992);
	counts(json_object_get(r, "worst"), "wavefronts", 32);
	counts(json_object_get(r, "worst"), "ideal", 1);
	ck_assert_str_eq(
		json_string_value(json_object_get(r, "hint")),
		"lanes are 128 bytes apart: 132 bytes apart (4 of padding a row) takes 1 wavefront, not 32; column "
		"^ row takes 1");
	r = row(NULL, 9, "st32");
	counts(r, "wavefronts", 32);
	counts(r, "conflicts", 0);
	r = row(NULL, 9, "ld.global 4 B"); /* 128 bytes side by side: four sectors of 32 */
	counts(r, "sectors", 128);
	counts(r, "ideal_sectors", 128);
	r = row("kernel " PTX " --entry padded --block 32,32 --arg buf=4K:iota-f32 --arg out=4K --max-conflicts 0", 20,
		"ld32");
	ck_assert_int_eq(bc_call.status, 0);
	counts(r, "wavefronts", 32);
	counts(r, "conflicts", 0);
	ck_assert(json_is_null(json_object_get(r, "hint")));
}
END_TEST

/* Several blocks on several host threads: every count is so many times that of one, and the worst is the first. */
START_TEST(blocks_add_up)
{
	const json_t *r =
		row("kernel " PTX " --entry transpose --grid 64 --block 32,32 --arg buf=4K:iota-f32 --arg out=4K", 11,
		    "ld32");

	counts(r, "requests", 64 * 32);
	counts(r, "conflicts", 64 * 992);
	counts(json_object_get(r, "worst"), "block", 0);
	counts(json_object_get(r, "worst"), "warp", 0);
}
END_TEST

/* Half a warp, 4-byte words 8 words apart: 16 lanes in banks 0, 8, 16, 24: 4 wavefronts. 8-byte words: 2 lanes are 16
 * words apart, so 16 lanes fall into 2 pairs of banks, in one group of 16 lanes: 8 wavefronts. */
START_TEST(part_of_a_warp_and_templates)
{
	const json_t *r =
		row("kernel " PTX " --entry ns::strided<int> --shared 1K --arg out=64 --arg s32=8", 34, "ld32");

	counts(r, "requests", 1);
	counts(r, "lanes", 16);
	counts(r, "wavefronts", 4);
	counts(r, "conflicts", 3);
	r = row("kernel " PTX " --entry ns::strided<double> --shared 2K --arg out=128 --arg s32=8", 34, "ld64");
	counts(r, "lanes", 16);
	counts(r, "wavefronts", 8);
}
END_TEST

/* 16 lanes. Rows of 8 words start in banks 0, 8, 16, 24: 4 lanes each, and column ^ row spreads a row's start over 8
 * columns, so that rows 8 apart meet: 2. Rows of 24 start in the same four banks, but column ^ row leaves such a row
 * (16 ^ 15 is 31). A pitch of 9 or of 25 is odd: 1. */
START_TEST(column_xor_row_is_for_rows_of_a_power_of_two)
{
	const json_t *r =
		row("kernel " PTX " --entry ns::strided<int> --shared 1K --arg out=64 --arg s32=8", 34, "ld32");

	ck_assert_str_eq(json_string_value(json_object_get(r, "hint")),
			 "lanes are 32 bytes apart: 36 bytes apart (4 of padding a row) takes 1 wavefront, not 4; "
			 "column ^ row takes 2");
	r = row("kernel " PTX " --entry ns::strided<int> --shared 3K --arg out=64 --arg s32=24", 34, "ld32");
	counts(r, "wavefronts", 4);
	ck_assert_str_eq(json_string_value(json_object_get(r, "hint")),
			 "lanes are 96 bytes apart: 100 bytes apart (4 of padding a row) takes 1 wavefront, not 4");
}
END_TEST

/* An add to one word by all lanes: no broadcast, so 32 wavefronts (law 6). It stands in a header that was inlined. */
START_TEST(an_atomic_of_a_header_counts_for_its_caller)
{
	const json_t *r = row("kernel " PTX " --entry histogram --arg out=128", 46,
			      "redv32"); /* its result is not used: a red of a value */

	counts(r, "requests", 1);
	counts(r, "wavefronts", 32);
	counts(r, "conflicts", 31);
	ck_assert_str_eq(json_string_value(json_object_get(r, "file")), "kernels.cu");
}
END_TEST

/* Lanes that write 32 bytes apart take a sector each; 32 lanes of 4 bytes would need four. */
START_TEST(sectors_of_global_memory)
{
	const json_t *r = row("kernel " PTX " --entry scatter --arg buf=128:zero --arg out=1K --arg f32=2 --arg s16=8 "
			      "--arg f64=0.5 --arg s8=-1",
			      61, "st.global 4 B");

	counts(r, "sectors", 32);
	counts(r, "ideal_sectors", 4);
}
END_TEST

START_TEST(what_out_holds_is_saved)
{
	struct bc_text saved;
	float v[16];

	kernel(PTX
	       " --entry scatter --arg buf=128:iota-f32 --arg out=1K --arg f32=2 --arg s16=1 --arg f64=0.5 --arg s8=-1 "
	       "--save kept",
	       0);
	saved = bc_program_file(&bc_call, "kept/arg2.bin");
	ck_assert_uint_eq(saved.len, 1024);
	memcpy(v, saved.data, sizeof(v));
	for (int i = 0; i < 16; i++)
		ck_assert(v[i] == (float)i * 2 + 0.5f - 1);
	bc_text_release(&saved);
}
END_TEST

START_TEST(a_variable_is_set)
{
	struct bc_text saved;
	float v[32];

	kernel(PTX " --entry looked_up --arg out=128 --symbol table=iota-f32 --save kept", 0);
	saved = bc_program_file(&bc_call, "kept/arg1.bin");
	ck_assert_uint_eq(saved.len, 128);
	memcpy(v, saved.data, sizeof(v));
	for (int i = 0; i < 32; i++)
		ck_assert(v[i] == (float)(i ^ 1));
	bc_text_release(&saved);
	bc_shell("head -c 128 /dev/zero > zeroes && head -c 100 /dev/zero > short");
	kernel(PTX " --entry looked_up --arg out=128 --symbol table=file=zeroes", 0);
	kernel(PTX " --entry looked_up --arg out=128 --symbol table=file=short", 3);
	bc_expect_status(3, "the file has 100 bytes, the variable 128");
	kernel(PTX " --entry looked_up --arg out=128 --symbol tables=zero", 3);
	bc_expect_status(3, "no .global or .const variable of that name");
	kernel(PTX " --entry looked_up --arg out=128 --symbol table", 3);
	bc_expect_status(3, "NAME=FILL is wanted");
	kernel(PTX " --entry looked_up --arg out=128 --symbol table=ones", 3);
	bc_expect_status(3, "a filling is wanted");
}
END_TEST

START_TEST(a_bound_gates)
{
	kernel(PTX " --entry transpose --block 32,32 --arg buf=4K:zero --arg out=4K --max-conflicts 30.9", 1);
	bc_expect_output("1 line above 30.9 conflicts a request");
	kernel(PTX " --entry transpose --block 32,32 --arg buf=4K:zero --arg out=4K --max-conflicts 31", 0);
}
END_TEST

START_TEST(findings_come_first_with_their_lines)
{
	kernel(PTX " --entry racy --block 64 --arg buf=256:zero --arg out=256", 1);
	bc_expect_output("FINDING kernels.cu:56: read of shared memory never written");
	bc_expect_output("FINDING kernels.cu:56: race");
	kernel(PTX " --entry histogram --arg out=64", 1);
	bc_expect_output("FINDING kernels.cu:48: out of bounds");
	kernel(PTX " --entry forever --block 1 --arg buf=4:zero --max-instructions 1M", 1);
	bc_expect_output("hang: instruction budget used up");
}
END_TEST

START_TEST(a_line_is_drawn)
{
	kernel(PTX " --entry transpose --block 32,32 --arg buf=4K:zero --arg out=4K --draw 11", 0);
	bc_expect_output("group 0, lanes 0-31: 32 wavefronts, 32-way");
	kernel(PTX " --entry transpose --block 32,32 --arg buf=4K:zero --arg out=4K --draw 12", 3);
	bc_expect_status(3, "--draw 12: that line has no request of shared memory");
}
END_TEST

/* With the source beside it, each line is there with its counts, and nothing of it is markup. */
START_TEST(a_page_has_the_source_with_its_margin)
{
	struct bc_text page;

	bc_shell("cp " FILES "kernels.cu .");
	kernel(PTX " --entry transpose --block 32,32 --arg buf=4K:zero --arg out=4K --format html -o page.html", 0);
	page = bc_program_file(&bc_call, "page.html");
	ck_assert_ptr_nonnull(strstr(page.data, "<b>           32           992</b>    11  "));
	ck_assert_ptr_nonnull(strstr(page.data, "template &lt;typename T&gt; __global__"));
	ck_assert_ptr_null(strstr(page.data, "<typename"));
	bc_text_release(&page);
	kernel(PTX " --entry transpose --block 32,32 --arg buf=4K:zero --arg out=4K", 0);
	bc_expect_output("tile[threadIdx.x][threadIdx.y]; // line 11");
}
END_TEST

static const struct {
	const char *words, *said;
} wrong[] = {
	{ "--arch sm_90", "one file is wanted" },
	{ PTX, "which kernel? There are: --entry 'transpose(float const*, float*)'" },
	{ PTX " --entry nobody", "there is no such kernel" },
	{ "nowhere.ptx", "nowhere.ptx" },
	{ "nowhere.cu", "nowhere.cu: cannot be opened" },
	{ FILES "kernels.cu --entry x --nvcc-flags=-DX --format yaml",
	  "--format yaml: kernel has text, json and html" },
	{ PTX " --entry padded --nvcc-flags -O1", "--nvcc-flags are for a .cu file" },
	{ PTX " --entry padded", "0 --arg, 2 parameters; its parameters: 1. 8 bytes: --arg buf=SIZE:FILL" },
	{ PTX " --entry padded --arg u32=1 --arg out=4K", "--arg u32=1 is of 4 bytes, parameter 1 of 8" },
	{ PTX " --entry padded --arg buf=4K:zero --arg out=4K --grid 0", "--grid 0: one to three numbers" },
	{ PTX " --entry padded --arg buf=4K:zero --arg out=4K --block 2000", "2000" },
	{ PTX " --entry padded --arg buf=4K:zero --arg out=4K --block 1,2,3,4", "--block 1,2,3,4" },
	{ PTX " --entry padded --arg buf=4K:zero --arg out=4K --shared lots", "--shared lots: bytes of dynamic" },
	{ PTX " --entry padded --arg buf=4K:zero --arg out=4K --shared 300K", "shared" },
	{ PTX " --entry padded --arg buf=4K:zero --arg out=4K --max-conflicts many", "--max-conflicts many" },
	{ PTX " --entry padded --arg buf=4K:zero --arg out=4K --max-instructions 0", "--max-instructions 0: a number" },
	{ PTX " --entry padded --arg buf=4K:zero --arg out=4K --draw x", "--draw x: the number of a line" },
};

START_TEST(wrong_use_is_told)
{
	kernel(wrong[_i].words, 3);
	bc_expect_status(3, wrong[_i].said);
}
END_TEST

/* ---- arguments ---- */

static const struct {
	const char *text;
	bool good, pointer;
	size_t bytes;
	unsigned char first[8]; /* of the data */
	const char *said;	/* bad */
} args[] = {
	{ "u8=255", true, false, 1, { 0xff }, NULL },
	{ "u16=0x1234", true, false, 2, { 0x34, 0x12 }, NULL },
	{ "u32=4294967295", true, false, 4, { 0xff, 0xff, 0xff, 0xff }, NULL },
	{ "u64=18446744073709551615", true, false, 8, { 255, 255, 255, 255, 255, 255, 255, 255 }, NULL },
	{ "s8=-128", true, false, 1, { 0x80 }, NULL },
	{ "s32=-2", true, false, 4, { 0xfe, 0xff, 0xff, 0xff }, NULL },
	{ "s64=-9223372036854775808", true, false, 8, { 0, 0, 0, 0, 0, 0, 0, 0x80 }, NULL },
	{ "f32=1.5", true, false, 4, { 0, 0, 0xc0, 0x3f }, NULL },
	{ "f64=-2", true, false, 8, { 0, 0, 0, 0, 0, 0, 0, 0xc0 }, NULL },
	{ "struct=0a0b0C", true, false, 3, { 10, 11, 12 }, NULL },
	{ "buf=1K:zero", true, true, 1024, { 0 }, NULL },
	{ "buf=12:iota", true, true, 12, { 0, 0, 0, 0, 1, 0, 0, 0 }, NULL },
	{ "buf=8:iota-f32", true, true, 8, { 0, 0, 0, 0, 0, 0, 0x80, 0x3f }, NULL },
	{ "out=2M", true, true, 2097152, { 0 }, NULL },
	{ "u8=256", .said = "does not fit" },
	{ "s8=128", .said = "does not fit" },
	{ "s8=-129", .said = "does not fit" },
	{ "u32=-1", .said = "no minus" },
	{ "u32=", .said = "whole number" },
	{ "u32= 5", .said = "whole number" },
	{ "u32=5x", .said = "whole number" },
	{ "u32=0x", .said = "whole number" },
	{ "u64=18446744073709551616", .said = "whole number" },
	{ "f32=", .said = "a number is wanted" },
	{ "f32=1.5f", .said = "a number is wanted" },
	{ "5", .said = "TYPE=VALUE" },
	{ "u33=5", .said = "no such type" },
	{ "=5", .said = "no such type" },
	{ "struct=0", .said = "two hexadecimal digits" },
	{ "struct=", .said = "two hexadecimal digits" },
	{ "struct=0g", .said = "two hexadecimal digits" },
	{ "buf=1K", .said = "a filling is wanted" },
	{ "buf=1K:ones", .said = "a filling is wanted" },
	{ "buf=1K:random:", .said = "a filling is wanted" },
	{ "buf=1K:random:-1", .said = "a filling is wanted" },
	{ "buf=0:zero", .said = "a size is wanted" },
	{ "buf=2G:zero", .said = "a size is wanted" },
	{ "buf=99999999999999999999:zero", .said = "a size is wanted" },
	{ "buf=1T:zero", .said = "a size is wanted" },
	{ "buf=file=nowhere", .said = "nowhere" },
	{ "out=1K:zero", .said = "no filling" },
	{ "out=", .said = "a size is wanted" },
};

START_TEST(an_argument_is_taken_or_told_what_it_should_be)
{
	struct bc_kernel_arg a = { 0 };
	struct bc_error err = { .msg = "" };
	const enum bc_status st = bc_kernel_arg_parse(args[_i].text, &a, &err);

	ck_assert_msg((st == BC_OK) == args[_i].good, "%s: %s", args[_i].text, err.msg);
	if (st) {
		ck_assert_msg(strstr(err.msg, args[_i].said) != NULL, "%s: no `%s` in `%s`", args[_i].text,
			      args[_i].said, err.msg);
	} else {
		ck_assert_uint_eq(a.bytes, args[_i].bytes);
		ck_assert(a.pointer == args[_i].pointer);
		ck_assert_mem_eq(a.data, args[_i].first, a.bytes < 8 ? a.bytes : 8);
	}
	bc_kernel_arg_release(&a);
}
END_TEST

/* The same seed gives the same bytes, another seed others. */
START_TEST(random_fillings_repeat)
{
	static const char *const texts[] = { "buf=64:random:7", "buf=64:random:7", "buf=64:random:8" };
	struct bc_kernel_arg a[3];
	struct bc_error err;

	for (size_t i = 0; i < 3; i++)
		ck_assert_int_eq(bc_kernel_arg_parse(texts[i], &a[i], &err), BC_OK);
	ck_assert_mem_eq(a[0].data, a[1].data, 64);
	ck_assert_mem_ne(a[0].data, a[2].data, 64);
	for (size_t i = 0; i < 3; i++)
		bc_kernel_arg_release(&a[i]);
}
END_TEST

/* ---- .file and .loc ---- */

static const struct {
	const char *what, *text;
	unsigned line; /* of the text */
	const char *file;
	unsigned source; /* file NULL: the text's own line */
} places[] = {
	{ "a .loc holds until the next", ".file 1 \"a.cu\"\n\t.loc\t1 12 5\n\tx;\n\ty;\n", 4, "a.cu", 12 },
	{ "files may be named at the end", "\t.loc\t2 7 1\n\tx;\n\t.file\t2 \"b.cu\", 1, 2\n", 2, "b.cu", 7 },
	{ "inlined from another file: the call",
	  ".file 1 \"a.cu\"\n.file 2 \"h\"\n\t.loc 2 99 1, function_name L, "
	  "inlined_at 1 12 7\n\tx;\n",
	  4, "a.cu", 12 },
	{ "inlined from the same file: itself",
	  ".file 1 \"a.cu\"\n\t.loc 1 99 1, function_name L+10, inlined_at 1 12 7\n\tx;\n", 3, "a.cu", 99 },
	{ "a header's function in one of the same header: the call in the .cu",
	  ".file 1 \"a.cu\"\n.file 2 \"h\"\n"
	  "\t.loc 2 7 2, function_name L, inlined_at 1 12 7\n\t.loc 2 3 2, function_name M, inlined_at 2 7 2\n\tx;\n",
	  5, "a.cu", 12 },
	{ "what a header called back in the .cu: itself",
	  ".file 1 \"a.cu\"\n.file 2 \"h\"\n"
	  "\t.loc 2 7 2, function_name L, inlined_at 1 12 7\n\t.loc 1 4 9, function_name M, inlined_at 2 7 2\n\tx;\n",
	  5, "a.cu", 4 },
	{ "three deep, through two headers",
	  ".file 1 \"a.cu\"\n.file 2 \"h\"\n.file 3 \"i\"\n"
	  "\t.loc 2 7 2, function_name L, inlined_at 1 12 7\n\t.loc 3 8 2, function_name M, inlined_at 2 7 2\n"
	  "\t.loc 2 5 2, function_name N, inlined_at 3 8 2\n\tx;\n",
	  7, "a.cu", 12 },
	{ "called twice: the call before it",
	  ".file 1 \"a.cu\"\n.file 2 \"h\"\n"
	  "\t.loc 2 7 2, function_name L, inlined_at 1 12 7\n\t.loc 2 7 2, function_name L, inlined_at 1 13 7\n"
	  "\t.loc 2 3 2, function_name M, inlined_at 2 7 2\n\tx;\n",
	  6, "a.cu", 13 },
	{ "another column of that line is another call",
	  ".file 1 \"a.cu\"\n.file 2 \"h\"\n"
	  "\t.loc 2 7 2, function_name L, inlined_at 1 12 7\n\t.loc 2 3 2, function_name M, inlined_at 2 7 9\n\tx;\n",
	  5, "h", 3 },
	{ "calls of another function are none of this one",
	  ".file 1 \"a.cu\"\n.file 2 \"h\"\n"
	  "\t.loc 2 7 2, function_name L, inlined_at 1 12 7\n}\n\t.loc 2 3 2, function_name M, inlined_at 2 7 "
	  "2\n\tx;\n",
	  6, "h", 3 },
	{ "inlined into no file: itself",
	  ".file 1 \"a.cu\"\n\t.loc 1 99 1, function_name L, inlined_at 0 127 1\n\tx;\n", 3, "a.cu", 99 },
	{ "line 0 is nobody's", ".file 1 \"a.cu\"\n\t.loc 1 0 0\n\tx;\n", 3, NULL, 0 },
	{ "a file without a name", "\t.loc 3 5 1\n\tx;\n", 2, NULL, 0 },
	{ "a function ends", ".file 1 \"a.cu\"\n\t.loc 1 5 1\n\tx;\n}\n\ty;\n", 5, NULL, 0 },
	{ "not a number", ".file 1 \"a.cu\"\n\t.loc 1 x 1\n\tx;\n", 3, NULL, 0 },
	{ "above 32 bits", ".file 1 \"a.cu\"\n\t.loc 1 99999999999 1\n\tx;\n", 3, NULL, 0 },
	{ "a file number that is too large", ".file 99999999 \"a.cu\"\n\t.loc 99999999 5 1\n\tx;\n", 3, NULL, 0 },
	{ "a name that does not end", ".file 1 \"a.cu\n\t.loc 1 5 1\n\tx;\n", 3, NULL, 0 },
	{ "another word", ".file 1 \"a.cu\"\n\t.location 1 5 1\n\tx;\n", 3, NULL, 0 },
	{ "no line feed at the end", ".file 1 \"a.cu\"\n\t.loc 1 5 1\n\tx;", 3, "a.cu", 5 },
};

START_TEST(a_place_is_found)
{
	struct bc_source_lines s;
	struct bc_error err;
	struct bc_source_place p;

	ck_assert_int_eq(bc_source_lines_read(places[_i].text, &s, &err), BC_OK);
	p = s.at[places[_i].line];
	ck_assert_msg((p.file != 0) == (places[_i].file != NULL), "%s: file %u", places[_i].what, p.file);
	if (p.file)
		ck_assert_str_eq(s.file[p.file], places[_i].file);
	ck_assert_msg(p.line == (p.file ? places[_i].source : places[_i].line), "%s: line %u", places[_i].what, p.line);
	bc_source_lines_release(&s);
}
END_TEST

/* Where nvcc is: a .cu file is compiled, and one that does not compile is told with its line. */
START_TEST(nvcc_compiles_what_is_here)
{
	if (system("command -v nvcc >/dev/null 2>&1 || test -x /usr/local/cuda/bin/nvcc") != 0)
		return; /* its absence is in wrong_use_is_told's words, by CUDA_HOME below */
	bc_shell("cp " FILES
		 "kernels.cu . && printf '__global__ void f(int *p)\\n{\\n\\t*p = nothing;\\n}\\n' > bad.cu");
	kernel("kernels.cu --entry transpose --block 32,32 --arg buf=4K:zero --arg out=4K --max-conflicts 1", 1);
	bc_expect_output("kernels.cu:11");
	kernel("bad.cu --arg out=4", 3);
	bc_expect_status(3, "bad.cu(3): error");
	bc_shell("BANKCHECK=" BC_TEST_BINARY " " BC_TEST_EXPECTED "/../examples/transpose/gate.sh >clean");
	bc_shell("BANKCHECK=" BC_TEST_BINARY " " BC_TEST_EXPECTED
		 "/../examples/transpose/gate.sh -DPAD=0 >red; test $? = 1");
	bc_shell("grep -q 'transpose.cu:21 .* 31.000 !' red");
}
END_TEST

START_TEST(without_nvcc_a_cu_file_is_refused)
{
	bc_shell("cp " FILES "kernels.cu .");
	bc_call.set[0][0] = "CUDA_HOME";
	bc_call.set[0][1] = "/nowhere";
	kernel("kernels.cu --entry transpose", 3);
	bc_expect_status(3, "nvcc is not here to compile it");
}
END_TEST

/* A compiler that takes a minute is interrupted: it ends, and so does the program, by the signal, with nothing left. */
START_TEST(a_signal_ends_nvcc_and_leaves_no_folder)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	const struct timespec moment = { .tv_nsec = 10000000 };
	char tmp[BC_PATH_MAX + 8];
	pid_t pid;

	bc_shell("mkdir -p bin tmp && cp " FILES "kernels.cu . && "
		 "printf '#!/bin/sh\\nsleep 60 &\\necho $! >pid.new\\nmv pid.new pid\\nwait\\n' >bin/nvcc && "
		 "chmod +x bin/nvcc");
	(void)snprintf(tmp, sizeof(tmp), "%s/tmp", bc_call.dir);
	bc_call.set[0][0] = "CUDA_HOME";
	bc_call.set[0][1] = bc_call.dir;
	bc_call.set[1][0] = "TMPDIR";
	bc_call.set[1][1] = tmp;
	pid = bc_program_launch(&bc_call, "kernel kernels.cu --entry transpose --arg out=4K --arg out=4K");
	for (unsigned i = 0; i < 2000 && !bc_file_exists("pid"); i++)
		(void)nanosleep(&moment, NULL);
	ck_assert_msg(bc_file_exists("pid"), "nvcc was not started");
	bc_shell("ls tmp | grep -q bankcheck-kernel-");
	ck_assert_int_eq(kill(pid, signals[_i]), 0);
	bc_program_end(&bc_call, pid);
	ck_assert_int_eq(bc_call.status, 128 + signals[_i]);
	ck_assert_str_eq(bc_call.out.data, "");
	bc_shell("test -z \"$(ls tmp)\"");
	bc_shell("for i in 1 2 3 4 5 6 7 8 9; do kill -0 $(cat pid) 2>/dev/null || exit 0; "
		 "grep -q '^State:.Z' /proc/$(cat pid)/status && exit 0; sleep 0.1; done; exit 1");
}
END_TEST

Suite *bc_test_kernel(void)
{
	Suite *s = suite_create("kernel");
	TCase *tc = tcase_create("program");

	tcase_add_checked_fixture(tc, bc_call_setup, teardown);
	tcase_add_test(tc, a_transpose_conflicts_in_its_line_and_the_pad_cures_it);
	tcase_add_test(tc, blocks_add_up);
	tcase_add_test(tc, part_of_a_warp_and_templates);
	tcase_add_test(tc, column_xor_row_is_for_rows_of_a_power_of_two);
	tcase_add_test(tc, an_atomic_of_a_header_counts_for_its_caller);
	tcase_add_test(tc, sectors_of_global_memory);
	tcase_add_test(tc, what_out_holds_is_saved);
	tcase_add_test(tc, a_variable_is_set);
	tcase_add_test(tc, a_bound_gates);
	tcase_add_test(tc, findings_come_first_with_their_lines);
	tcase_add_test(tc, a_line_is_drawn);
	tcase_add_test(tc, a_page_has_the_source_with_its_margin);
	tcase_add_test(tc, nvcc_compiles_what_is_here);
	tcase_add_test(tc, without_nvcc_a_cu_file_is_refused);
	tcase_add_loop_test(tc, a_signal_ends_nvcc_and_leaves_no_folder, 0, 3);
	tcase_add_loop_test(tc, wrong_use_is_told, 0, (int)BC_ARRAY_LEN(wrong));
	suite_add_tcase(s, tc);
	tc = tcase_create("parts");
	tcase_add_loop_test(tc, an_argument_is_taken_or_told_what_it_should_be, 0, (int)BC_ARRAY_LEN(args));
	tcase_add_test(tc, random_fillings_repeat);
	tcase_add_loop_test(tc, a_place_is_found, 0, (int)BC_ARRAY_LEN(places));
	suite_add_tcase(s, tc);
	return s;
}
