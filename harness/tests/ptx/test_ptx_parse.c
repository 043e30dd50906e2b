/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/ptx/ptx_run.h"

Suite *bc_test_ptx_parse(void);

static struct bc_error err;

#define HEAD ".version 7.8\n.target sm_90\n.address_size 64\n"
#define ENTRY HEAD ".visible .entry k()\n{\n"

static enum bc_status parse(const char *text, struct bc_ptx_module **m)
{
	return bc_ptx_parse(text, strlen(text), "some/file.ptx", m, &err);
}

/* ---------------------------------------------------------------- malformed texts */

static const struct {
	const char *what, *text, *message;
	unsigned line;
} bad[] = {
	{ "an empty text", "", "expected '.version'", 1 },
	{ "only a comment", "// nothing\n/* here */\n", "expected '.version'", 3 },
	{ "no target", ".version 7.8\n.address_size 64\n", "expected '.target'", 2 },
	{ "32-bit addresses", ".version 7.8\n.target sm_90\n.address_size 32\n", "only 64 is supported", 4 },
	{ "an open comment", HEAD "/* \n\n", "comment is not closed", 4 },
	{ "an error behind a comment of three lines", HEAD "/*\n\n*/ .frobnicate", "a directive of a PTX module", 6 },
	{ "an open string", HEAD ".pragma \"abc\n;", "string is not closed", 4 },
	{ "a strange character", HEAD "\x01", "unexpected character 0x01", 4 },
	{ "an unknown directive", HEAD ".frobnicate 3;", "a directive of a PTX module", 4 },
	{ "an open body", ENTRY "ret;\n", "found the end of the text", 7 },
	{ "an open parameter list", HEAD ".entry k(.param .u64 a", "found the end of the text", 4 },
	{ "two entries of one name", HEAD ".entry k() { ret; }\n.entry k() { ret; }", "'k' is defined twice", 5 },
	{ "two variables of one name", HEAD ".global .u32 a;\n.global .u32 a;", "'a' is declared twice", 5 },
	{ "two registers of one name", ENTRY ".reg .b32 a;\n.reg .b32 a; ret; }", "'a' is declared twice", 7 },
	{ "two labels of one name", ENTRY "L: ret;\nL: ret; }", "label 'L' is defined twice", 7 },
	{ "a register of no type", ENTRY ".reg .x32 a; }", "a register type", 6 },
	{ "a guard that is not declared", ENTRY "@%p1 ret; }", "a predicate register that is declared", 6 },
	{ "a guard that is no predicate", ENTRY ".reg .b32 a; @a ret; }", "a predicate register that is declared", 6 },
	{ "an address of nothing", ENTRY ".reg .b32 a;\nld.global.u32 a, [b]; }", "'b' is not declared", 7 },
	{ "a range that ends below", ENTRY ".reg .b32 a<3>;\nld.shared.u32 a2, [a3]; }", "'a3' is not declared", 7 },
	{ "a register of a block that is closed", ENTRY ".reg .b32 a;\n{ .reg .b32 b; }\nld.shared.u32 a, [b]; }",
	  "'b' is not declared", 8 },
	{ "a missing bracket", ENTRY ".reg .b32 a;\nld.shared.u32 a, [a; }", "expected ']'", 7 },
	{ "a missing operand", ENTRY ".reg .b32 a;\nadd.u32 a, a, ; }", "expected an operand", 7 },
	{ "no semicolon", ENTRY ".reg .b32 a;\nmov.u32 a, 1\n}", "expected ',' or ';'", 8 },
	{ "a call that is not closed", ENTRY "call f, (a\n; }", "expected the closing bracket", 7 },
	{ "an integer above 64 bits", HEAD ".global .u64 a = 18446744073709551616;", "above 64 bits", 4 },
	{ "a float with too few digits", HEAD ".global .f32 a = 0f3F8000;", "8 hex digits", 4 },
	{ "a number with letters", HEAD ".global .u32 a[12x];", "malformed number", 4 },
	{ "an alignment of 3", HEAD ".global .align 3 .b8 a[3];", "not a power of two", 4 },
	{ "an alignment of 0", HEAD ".global .align 0 .b8 a[3];", "not a power of two", 4 },
	{ "an array of nothing", HEAD ".global .b8 a[0];", "is 0 or too large", 4 },
	{ "an array beyond all bounds", HEAD ".global .b8 a[65536][65536];", "is 0 or too large", 4 },
	{ "an array without size", HEAD ".global .b8 a[];", "must be .extern", 4 },
	{ "shared memory beyond all bounds", HEAD ".shared .b8 a[1048577];", "at most 1048576 are allowed", 4 },
	{ "parameters beyond all bounds", HEAD ".entry k(.param .b8 a[30000],\n.param .b8 b[30000]) { ret; }",
	  "bytes of parameters", 5 },
	{ "too many initial values", HEAD ".global .u16 a[2] = {1, 2, 3};", "6 bytes of initial values for 4 bytes",
	  4 },
	{ "nested initial values", HEAD ".global .u16 a[2][2] = {{1, 2}, {3, 4}};", "a number or a variable's name",
	  4 },
	{ "shared memory with initial values", HEAD ".shared .u32 a = 1;", "only .global and .const", 4 },
	{ "an integer for a float", HEAD ".global .f32 a = 1;", "a floating-point constant", 4 },
	{ "an address in 32 bits", HEAD ".global .u32 b; .global .u32 a = b;", "an address needs 8 bytes", 4 },
	{ "65 nested blocks", ENTRY "{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{ }",
	  "nested blocks", 6 },
	{ "clusters for blocks", HEAD ".entry k()\n.blocksareclusters\n{ ret; }", "directive of an entry", 5 },
};

START_TEST(malformed_texts_are_refused)
{
	struct bc_ptx_module *m = NULL;
	char place[40];

	ck_assert_msg(parse(bad[_i].text, &m) == BC_EDATA, "%s was accepted", bad[_i].what);
	ck_assert_ptr_null(m);
	(void)snprintf(place, sizeof(place), "some/file.ptx:%u: ", bad[_i].line);
	ck_assert_msg(strncmp(err.msg, place, strlen(place)) == 0, "%s: not at line %u: %s", bad[_i].what, bad[_i].line,
		      err.msg);
	ck_assert_msg(strstr(err.msg, bad[_i].message) != NULL, "%s: %s", bad[_i].what, err.msg);
}
END_TEST

/* ---------------------------------------------------------------- what prepare refuses, and where */

static const struct {
	const char *what, *body, *message;
} refused[] = {
	{ "an instruction that does not exist", "frobnicate.u32 %r4, %r5;",
	  "not known to the reference device: `frobnicate.u32 %r4, %r5;`" },
	{ "a modifier that does not exist", "add.foo.u32 %r4, %r4, %r5;",
	  "not known to the reference device: `add.foo.u32 %r4, %r4, %r5;`" },
	{ "modifiers in the wrong order", "mul.u32.lo %r4, %r4, %r5;", "not known" },
	{ "a type that the operation has not", "mul.lo.b32 %r4, %r4, %r5;", "not known" },
	{ "no rounding where there must be one", "fma.f32 %r4, %r4, %r5, %r6;", "not known" },
	{ "texture operands", "tex.2d.v4.f32.f32 {%r4,%r5,%r6,%r7}, [%d4, {%r4, %r5}];",
	  "textures and surfaces are not supported by the reference device: `tex.2d.v4" },
	{ "a surface", "sust.b.1d.b32.trap [%d4, {%r4}], {%r5};", "textures and surfaces are not supported" },
	{ "a tensor core by its old form",
	  "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%r4}, {%r4}, {%r4}, {%r4};", "not known" },
	{ "a legacy shuffle", "shfl.idx.b32 %r4, %r5, 0, 31;", "not known" },
	{ "a tensor-core product", "mma.sync.aligned.m1n1k1.row.col.f32.f32.f32.f32 {%r4}, {%r4}, {%r4}, {%r4};",
	  "not known" },
	{ "a call", "call.uni f, (%r4);",
	  "calls are not supported (compile without -G, and inline the function): `call.uni f, "
	  "(%r4);` (kernel k)" },
	{ "what comes before a call", ".param .b64 p0; st.param.b64 [p0], %d4; call.uni (r), printf, (p0);",
	  "calls are not supported" },
	{ "a label that is not there", "bra L1;", "the label is not defined" },
	{ "a list of targets as a label", "T: .branchtargets END; bra T;", "the label is not defined" },
	{ "a label as a list of targets", "brx.idx %r4, END;", "the list of branch targets is not defined" },
	{ "a label of an inner block", "bra L; { L: }", "the label is not defined" },
	{ "a register that is not declared", "add.u32 %r4, %r5, %r99;", "not declared" },
	{ "a name that is not declared", "mov.u32 %r4, something;", "a name is not declared" },
	{ "a special register that is not known", "mov.u32 %r4, %aggr_smem_size;", "not known" },
	{ "a narrow destination", "add.u64 %r4, %d4, %d5;", "destination register has the wrong width" },
	{ "a wide source", "add.u32 %r4, %d4, %r5;", "operand has the wrong width" },
	{ "a predicate for a number", "add.u32 %r4, %p1, %r5;", "wrong width" },
	{ "a number for a predicate", "setp.eq.u32 %r4, %r4, %r5;", "not a predicate" },
	{ "too few operands", "add.u32 %r4, %r5;", "wrong number of operands" },
	{ "too many operands", "ret %r4;", "wrong number of operands" },
	{ "a 32-bit global address", "ld.global.u32 %r4, [%r5];", "address register has the wrong width" },
	{ "a shared variable as global", "ld.global.u32 %r4, [window];", "not in this state space" },
	{ "a float constant for an integer", "add.u32 %r4, %r4, 0f3F800000;", "does not fit" },
	{ "an integer constant for a float", "add.f32 %r4, %r4, 1;", "does not fit" },
	{ "a vector of the wrong size", "ld.shared.v4.u32 {%r4,%r5}, [%r2];", "does not match the vector" },
	{ "a vector that no memory has", "ld.shared.v4.u64 {%d4,%d5,%d6,%d7}, [%r2];", "not known" },
	{ "cp.async.cg of 8 bytes", "cp.async.cg.shared.global [%r2], [%d0], 8;", ".cg 16" },
	{ "cp.async of 5 bytes", "cp.async.ca.shared.global [%r2], [%d0], 5;", "4, 8 or 16" },
	{ "lop3 with a table of 9 bits", "lop3.b32 %r4, %r4, %r5, %r6, 256;", "8 bits" },
	{ "no operands at all", "add.u32;", "wrong number" },
	{ "operands without comma", "add.u32 %r4 %r5 %r6;", "not known" },
};

START_TEST(what_is_not_known_is_refused_when_prepared)
{
	char body[400], want[64];
	const struct bc_ptx_run_spec s = { .body = body, .path = "dir/x.ptx", .launch = { .shared_bytes = 64 } };

	/* Never executed: the branch jumps over it. It is refused all the same. */
	(void)snprintf(body, sizeof(body), "bra END;\n\n%s\nEND:", refused[_i].body);
	ck_assert_msg(bc_ptx_run_kernel(&s, NULL, &err) == BC_EDATA, "%s was accepted", refused[_i].what);
	(void)snprintf(want, sizeof(want), "dir/x.ptx:%d: ", BC_PTX_RUN_LINE + 2);
	ck_assert_msg(strncmp(err.msg, want, strlen(want)) == 0, "%s: %s", refused[_i].what, err.msg);
	ck_assert_msg(strstr(err.msg, refused[_i].message) != NULL, "%s: %s", refused[_i].what, err.msg);
}
END_TEST

START_TEST(an_entry_beside_the_unknown_one_runs)
{
	static const char text[] = HEAD ".entry bad() { frob.x.y 1, {2}, [3, (4)]; ret; }\n"
					".func (.param .b32 r) helper(.param .b32 a) { ret; }\n"
					".extern .func vprintf (.param .b64 a, .param .b64 b);\n"
					".entry good(.param .u64 in, .param .u64 out, .param .u32 n) { .reg .b64 %d; "
					"ld.param.u64 %d, [out]; st.global.u32 [%d], 5; ret; }\n";
	uint32_t out = 0;
	struct bc_ptx_run_spec s = { .text = text, .entry = "good", .out = &out, .out_bytes = 4 };

	ck_assert_msg(bc_ptx_run_kernel(&s, NULL, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(out, 5);
	s.entry = "bad";
	ck_assert_int_eq(bc_ptx_run_kernel(&s, NULL, &err), BC_EDATA);
	s.entry = "neither";
	ck_assert_int_eq(bc_ptx_run_kernel(&s, NULL, &err), BC_EUSAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "no entry 'neither'"));
}
END_TEST

/* ---------------------------------------------------------------- features of the architecture */

static const struct {
	const char *body, *feature;
	size_t offset;
} features[] = {
	{ "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r2];", "ldmatrix", offsetof(struct bc_arch, ldmatrix) },
	{ "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r4};", "stmatrix", offsetof(struct bc_arch, stmatrix) },
	{ "cp.async.ca.shared.global [%r2], [%d0], 4;", "cp.async", offsetof(struct bc_arch, cp_async) },
	{ "cp.async.wait_all;", "cp.async", offsetof(struct bc_arch, cp_async) },
	{ "redux.sync.add.u32 %r4, %r1, 0xffffffff;", "redux.sync", offsetof(struct bc_arch, redux) },
};

START_TEST(a_feature_that_is_not_there_is_named)
{
	static uint32_t in[4];
	struct bc_arch arch = bc_ptx_run_arch();
	const struct bc_ptx_run_spec s = { .body = features[_i].body,
					   .arch = &arch,
					   .in = in,
					   .in_bytes = sizeof(in),
					   .launch = { .shared_bytes = 128, .reads_unwritten = true } };
	const uint32_t none = 0;
	char want[80];

	ck_assert_msg(bc_ptx_run_kernel(&s, NULL, &err) == BC_OK, "%s", err.msg);
	memcpy((char *)&arch + features[_i].offset, &none, sizeof(none));
	ck_assert_int_eq(bc_ptx_run_kernel(&s, NULL, &err), BC_EDATA);
	(void)snprintf(want, sizeof(want), "test.ptx:9: %s does not exist on sm_00: ", features[_i].feature);
	ck_assert_msg(strncmp(err.msg, want, strlen(want)) == 0, "%s", err.msg);
}
END_TEST

/* ---------------------------------------------------------------- texts that are right */

static const char odd[] =
	"/* as toolkits and people write it */ .version 6.0\n.target sm_70, debug // two targets\n.address_size 64\n"
	".file 1 \"a b.cu\"\n"
	".section .debug_str { .b8 1,2,3 {} }\n"
	".weak .global .attribute(.managed) .align 16 .v4 .f32 vec[2] = {1.5, -2.5, 0f00000000, 1e2};\n"
	".extern .global .align 4 .u32 elsewhere;\n"
	".visible .const .align 2 .u16 tab[] = {0x10, 017, 0b11, -1};\n"
	".common .global .u64 big;\n"
	".pragma \"nounroll\";\n"
	".visible .entry\nfirst_entry(\n\t.param .u64 .ptr .global .align 8 p0,\n"
	"\t.param .align 8 .b8 p1[72], .param .u8 p2\n)\n"
	".maxntid 256, 1, 1\n.minnctapersm 2\n.maxnreg 32\n{\n"
	"\t.reg .pred \t%p<3>;\n\t.reg .b32 %r<4>, x, y;\n\t.reg .f32 f;"
	"\n.loc 1 10 3, function_name $L__x, inlined_at 1 2 3\n"
	"\tmov.u32\t%r1,%tid.x;setp.eq.and.s32 %p1|%p2,%r1,-5,!%p1;\n"
	"\t@!%p1\tbra.uni\t$L__1;\n$L__1:\n\t{ // begin inline asm\n.reg .pred p; "
	"setp.ne.u32 p, %r1, 0; @p mov.u32 x, y; }\n"
	"mov.f32 f, 2.5;\n"
	"}\n";

START_TEST(layout_does_not_matter)
{
	struct bc_ptx_module *m = NULL;

	ck_assert_msg(parse(odd, &m) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(bc_ptx_nentries(m), 1);
	ck_assert_str_eq(bc_ptx_entry_name(m, 0), "first_entry");
	ck_assert_ptr_null(bc_ptx_entry_name(m, 1));
	ck_assert_int_eq(bc_ptx_entry_find(m, "first_entry"), 0);
	ck_assert_int_eq(bc_ptx_entry_find(m, "first_entr"), -1);
	ck_assert_uint_eq(bc_ptx_entry_params(m, 0), 81);
	ck_assert_uint_eq(bc_ptx_entry_params(m, 7), 0);
	bc_ptx_free(m);
	/* Cut short anywhere: an error or not, but never a crash; inside the entry always an error. */
	for (size_t n = sizeof(odd) - 1; n-- > 0;) {
		const bool inside = n > (size_t)(strstr(odd, ".visible .entry") - odd) + 8 && n < sizeof(odd) - 3;

		m = NULL;
		ck_assert_msg(bc_ptx_parse(odd, n, "cut", &m, &err) != BC_OK || !inside, "cut at %zu", n);
		bc_ptx_free(m);
	}
}
END_TEST

START_TEST(parameters_lie_as_in_a_c_struct)
{
	static const char text[] =
		HEAD ".entry k(.param .u64 in, .param .u64 out, .param .u8 a, .param .u32 b, "
		     ".param .u16 c, .param .align 8 .b8 d[12]) {\n"
		     ".reg .b32 %r<5>; .reg .b64 %d<5>; ld.param.u64 %d1, [out]; ld.param.u32 %r1, [b]; "
		     "ld.param.u32 %r2, [d+8]; mov.b64 %d2, d; ld.param.u32 %r3, [%d2+8];\n"
		     " cvta.param.u64 %d3, %d2; ld.u32 %r4, [%d3+8]; st.global.v4.u32 [%d1], {%r1,%r2,%r3,%r4}; ret; }";
	struct {
		uint64_t in, out;
		uint8_t a;
		uint32_t b;
		uint16_t c;
		struct {
			uint64_t x;
			uint32_t y;
		} d;
	} p = { .b = 11, .d = { .y = 22 } };
	struct bc_ptx_module *m = NULL;
	struct bc_ptx_mem *mem = NULL;
	struct bc_ptx_image *image = NULL;
	struct bc_ptx_kernel *k = NULL;
	const struct bc_arch arch = bc_ptx_run_arch();
	struct bc_ptx_launch l = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .params = &p, .params_size = sizeof(p) };
	static struct bc_ptx_result r;
	uint32_t got[4] = { 0 };

	ck_assert_msg(parse(text, &m) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(bc_ptx_entry_params(m, 0), 44);
	ck_assert_int_eq(bc_ptx_mem_create(4096, &mem, &err), BC_OK);
	ck_assert_int_eq(bc_ptx_mem_alloc(mem, 16, &p.out, &err), BC_OK);
	ck_assert_int_eq(bc_ptx_load(m, mem, &image, &err), BC_OK);
	ck_assert_msg(bc_ptx_prepare(image, "k", &arch, &k, &err) == BC_OK, "%s", err.msg);
	ck_assert_msg(bc_ptx_launch(k, &l, &r, &err) == BC_OK, "%s", err.msg);
	ck_assert_int_eq(bc_ptx_mem_read(mem, p.out, got, sizeof(got), &err), BC_OK);
	ck_assert_uint_eq(got[0], 11);
	for (unsigned i = 1; i < 4; i++)
		ck_assert_uint_eq(got[i], 22);
	l.params_size = 43;
	ck_assert_int_eq(bc_ptx_launch(k, &l, &r, &err), BC_EUSAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "takes 44 bytes of parameters, 43 were given"));
	l.params_size = 49;
	ck_assert_int_eq(bc_ptx_launch(k, &l, &r, &err), BC_EUSAGE);
	bc_ptx_release(k);
	bc_ptx_unload(image);
	bc_ptx_mem_destroy(mem);
	bc_ptx_free(m);
}
END_TEST

START_TEST(symbols_are_found)
{
	static const char text[] = HEAD ".global .align 8 .b8 a[40] = {7}; .shared .b8 s[4]; .extern .global .u32 e;";
	struct bc_ptx_module *m = NULL;
	struct bc_ptx_mem *mem = NULL;
	struct bc_ptx_image *image = NULL;
	uint64_t addr = 0;
	size_t bytes = 0;
	unsigned char v[2] = { 0 };

	ck_assert_msg(parse(text, &m) == BC_OK, "%s", err.msg);
	ck_assert_int_eq(bc_ptx_mem_create(40, &mem, &err), BC_OK);
	ck_assert_int_eq(bc_ptx_load(m, mem, &image, &err), BC_OK);
	ck_assert_int_eq(bc_ptx_symbol(image, "a", &addr, &bytes, &err), BC_OK);
	ck_assert_uint_eq(bytes, 40);
	ck_assert_int_eq(bc_ptx_mem_read(mem, addr, v, 2, &err), BC_OK);
	ck_assert_uint_eq(v[0], 7);
	ck_assert_uint_eq(v[1], 0);
	ck_assert_int_eq(bc_ptx_symbol(image, "s", &addr, &bytes, &err), BC_EUSAGE);
	ck_assert_int_eq(bc_ptx_symbol(image, "e", &addr, &bytes, &err), BC_EUSAGE);
	ck_assert_int_eq(bc_ptx_symbol(image, "nothing", &addr, &bytes, &err), BC_EUSAGE);
	bc_ptx_unload(image);
	/* The variables are gone with the image; a memory too small for them is told. */
	ck_assert_int_eq(bc_ptx_mem_alloc(mem, 40, &addr, &err), BC_OK);
	image = NULL;
	ck_assert_int_eq(bc_ptx_load(m, mem, &image, &err), BC_ENOMEM);
	ck_assert_ptr_null(image);
	bc_ptx_mem_destroy(mem);
	bc_ptx_free(m);
}
END_TEST

/* ---------------------------------------------------------------- what nvcc writes, both dialects */

static const char *const files[] = { "programs_90.ptx", "programs_100.ptx" };

START_TEST(what_nvcc_writes_is_understood)
{
	char *text = bc_ptx_run_file(files[_i]);
	const struct bc_arch arch = bc_ptx_run_arch();
	struct bc_ptx_module *m = NULL;
	struct bc_ptx_mem *mem = NULL;
	struct bc_ptx_image *image = NULL;

	ck_assert_msg(parse(text, &m) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(bc_ptx_nentries(m), 9);
	ck_assert_int_eq(bc_ptx_mem_create(1u << 20, &mem, &err), BC_OK);
	ck_assert_int_eq(bc_ptx_load(m, mem, &image, &err), BC_OK);
	for (size_t i = 0; i < bc_ptx_nentries(m); i++) {
		struct bc_ptx_kernel *k = NULL;

		ck_assert_msg(bc_ptx_prepare(image, bc_ptx_entry_name(m, i), &arch, &k, &err) == BC_OK, "%s", err.msg);
		bc_ptx_release(k);
	}
	bc_ptx_unload(image);
	bc_ptx_mem_destroy(mem);
	bc_ptx_free(m);
	bc_ptx_free(NULL);
	bc_ptx_unload(NULL);
	bc_ptx_release(NULL);
	free(text);
}
END_TEST

Suite *bc_test_ptx_parse(void)
{
	Suite *s = suite_create("ptx_parse");
	TCase *tc = tcase_create("parse");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, malformed_texts_are_refused, 0, (int)BC_ARRAY_LEN(bad));
	tcase_add_loop_test(tc, what_is_not_known_is_refused_when_prepared, 0, (int)BC_ARRAY_LEN(refused));
	tcase_add_test(tc, an_entry_beside_the_unknown_one_runs);
	tcase_add_loop_test(tc, a_feature_that_is_not_there_is_named, 0, (int)BC_ARRAY_LEN(features));
	tcase_add_test(tc, layout_does_not_matter);
	tcase_add_test(tc, parameters_lie_as_in_a_c_struct);
	tcase_add_test(tc, symbols_are_found);
	tcase_add_loop_test(tc, what_nvcc_writes_is_understood, 0, (int)BC_ARRAY_LEN(files));
	suite_add_tcase(s, tc);
	return s;
}
