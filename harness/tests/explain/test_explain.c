/* SPDX-License-Identifier: MIT */
/* harness/tests/explain/test_explain.c - pictures of cases: golden ones, single sentences, and every case of the
 * catalogue.
 *
 * The pictures in data/explain/ were laid out by a script that shares no line with this program: it has the laws as
 * docs/bank-laws.md words them, with the groups of lanes of each picture written by hand, and its heads and feet are
 * written by hand. They were read over against the laws before they were first compared.
 */
#include "harness/explain/explain.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *bc_test_explain(void);

static struct bc_arch h200(void)
{
	struct bc_arch a = { .name = "sm_90",
			     .cc = 90,
			     .warp_lanes = 32,
			     .banks = 32,
			     .bank_bytes = 4,
			     .window_base = 1024,
			     .optin_bytes = 232448,
			     .pair_rule = 1,
			     .ldmatrix = 1,
			     .stmatrix = 1,
			     .cp_async = 1,
			     .confirmed = "NVIDIA H200, driver 580.159.04, 2026-11-29" };

	return a;
}

static struct bc_text drawn(const struct bc_explain *e)
{
	struct bc_text t = { 0 };
	struct bc_error err = { .msg = "" };
	const enum bc_status st = bc_explain_draw(e, &t, &err);

	ck_assert_msg(!st, "%s", err.msg);
	return t;
}

/* ------------------------------------------------------------------------------------------- golden pictures */
static bool no_program(unsigned i, struct bc_case *c)
{
	(void)i;
	(void)c;
	return false;
}

static const struct bc_rule golden_rules[] = {
	{ .name = "ld", .sentence = "a load at a stride of s words takes gcd(s, 32) wavefronts", .build = no_program },
	{ .name = "ld", .sentence = "bytes", .build = no_program },
};

static const struct bc_row stride2_rows[] = {
	{ .quantity = BC_Q_WAVEFRONTS, .lo = 2, .hi = 2, .origin = BC_ORIGIN_RULE, .basis = "16 banks, 2 words each" },
	{ .quantity = BC_Q_CONFLICTS, .lo = 0, .hi = 1, .origin = BC_ORIGIN_MEASURED, .basis = "one less" },
};
static const struct bc_bounds stride2_bounds = { .row = { &stride2_rows[0], &stride2_rows[1] } };
static const struct bc_bounds no_bounds = { .row = { NULL } };

/* Lane l touches offset l / share * (l < split ? first : second). */
static const struct {
	const char *file;
	struct bc_case c;
	uint32_t share, first, split, second;
	const struct bc_bounds *bounds;
	uint32_t banks, no_pair_rule, no_ldmatrix;
	bool utf8;
} golden[] = {
	{ .file = "stride2_utf8.txt",
	  .share = 1,
	  .first = 8,
	  .split = 32,
	  .bounds = &stride2_bounds,
	  .utf8 = true,
	  .c = { .id = "golden/ld/stride2",
		 .twin = "golden/ld/stride1",
		 .rule = &golden_rules[0],
		 .pattern = { .op = BC_OP_LD32, .mask = UINT32_MAX, .count = 1 } } },
	{ .file = "pair_ascii.txt",
	  .share = 2,
	  .first = 16,
	  .split = 32,
	  .c = { .pattern = { .op = BC_OP_LD128, .mask = UINT32_MAX, .count = 1 } } },
	{ .file = "no_pair_rule.txt",
	  .share = 2,
	  .first = 16,
	  .split = 32,
	  .no_pair_rule = 1,
	  .c = { .pattern = { .op = BC_OP_LD128, .mask = UINT32_MAX, .count = 1 } } },
	{ .file = "wide_32.txt",
	  .share = 1,
	  .first = 128,
	  .split = 32,
	  .c = { .pattern = { .op = BC_OP_ST128, .mask = 0xffff00fe, .count = 1 } } },
	{ .file = "cas.txt",
	  .share = 4,
	  .first = 4,
	  .split = 32,
	  .c = { .pattern = { .op = BC_OP_CAS32, .mask = 0x00000f0f, .count = 1 } } },
	{ .file = "matrix_utf8.txt",
	  .share = 1,
	  .first = 144,
	  .split = 8,
	  .second = 32,
	  .no_ldmatrix = 1,
	  .utf8 = true,
	  .c = { .needs = BC_NEED_LDMATRIX, .pattern = { .op = BC_OP_LDSM2, .mask = UINT32_MAX, .count = 1 } } },
	{ .file = "bytes_many.txt",
	  .share = 1,
	  .first = 1,
	  .split = 20,
	  .second = 128,
	  .bounds = &no_bounds,
	  .c = { .id = "golden/ld/bytes",
		 .rule = &golden_rules[1],
		 .pattern = { .op = BC_OP_LD8, .mask = UINT32_MAX, .count = 2, .step = 108 } } },
	{ .file = "banks64.txt",
	  .share = 1,
	  .first = 8,
	  .split = 32,
	  .banks = 64,
	  .c = { .pattern = { .op = BC_OP_LD32, .mask = UINT32_MAX, .count = 1 } } },
};

START_TEST(picture_is_as_laid_out_by_hand)
{
	struct bc_case c = golden[_i].c;
	struct bc_arch a = h200();
	const struct bc_explain e = { .c = &c, .arch = &a, .bounds = golden[_i].bounds, .utf8 = golden[_i].utf8 };
	struct bc_text got, want = { 0 };
	struct bc_error err;
	char path[512];

	for (uint32_t l = 0; l < 32; l++)
		c.pattern.offset[l] =
			l / golden[_i].share * (l < golden[_i].split ? golden[_i].first : golden[_i].second);
	a.banks = golden[_i].banks ? golden[_i].banks : a.banks;
	a.pair_rule = !golden[_i].no_pair_rule;
	a.ldmatrix = !golden[_i].no_ldmatrix;
	got = drawn(&e);
	(void)snprintf(path, sizeof(path), "%s/explain/%s", BC_TEST_DATA, golden[_i].file);
	ck_assert_msg(!bc_file_read(path, 1 << 20, &want, &err), "%s", err.msg);
	ck_assert_msg(strcmp(got.data, want.data) == 0, "%s: drawn was\n%.3000s", golden[_i].file, got.data);
	bc_text_release(&want);
	bc_text_release(&got);
}
END_TEST

/* ------------------------------------------------------------------------------------------- single sentences */
static const struct {
	const char *what;
	enum bc_op op;
	uint32_t mask, stride, share, count, step;
	const char *want; /* somewhere in the picture */
} sentences[] = {
	{ "all lanes on one word", BC_OP_LD32, UINT32_MAX, 0, 1, 1, 0,
	  "\nbroadcast   the word at 0x00400: lanes 0-31\n" },
	{ "stores merge, they do not broadcast", BC_OP_ST32, 0x0000000f, 0, 1, 1, 0,
	  "\nmerged      the word at 0x00400: lanes 0-3\n" },
	{ "atomics stand in line", BC_OP_ATOM32, 0x80000001, 0, 1, 1, 0,
	  "\nin turn     the word at 0x00400: lanes 0, 31\n" },
	{ "atomics: one row a lane", BC_OP_MAX32, UINT32_MAX, 0, 1, 1, 0, "\n31 |31  ." },
	{ "cp.async stands in line", BC_OP_CPA4, 0x00000003, 0, 1, 1, 0,
	  "\nin turn     the word at 0x00400: lanes 0-1\n" },
	{ "sharing within a group only", BC_OP_ST64, UINT32_MAX, 0, 1, 1, 0,
	  "\nmerged      the element at 0x00400: lanes 0-15\n            the element at 0x00400: lanes 16-31\n" },
	{ "cp.async.cg is not counted", BC_OP_CPA16CG, UINT32_MAX, 16, 1, 1, 0,
	  "\nwavefronts  none: the operation bypasses" },
	{ "no lane", BC_OP_LD32, 0, 4, 1, 1, 0, "\nmask        00000000: no lane is active\n" },
	{ "no lane, nothing served", BC_OP_LD32, 0, 4, 1, 1, 0, "\nwavefronts  none: no lane is active\n" },
	{ "pairs l ^ 2, whose partners are inactive", BC_OP_LD64, 0x33333333, 8, 1, 1, 0,
	  "lanes l and l ^ 2 have one address throughout" },
	{ "an inactive partner matches", BC_OP_LD64, 0x55555555, 8, 2, 1, 0,
	  "lanes l and l ^ 1 have one address throughout: 2 groups became 1" },
	{ "quads match for x = 1 first", BC_OP_LD64, UINT32_MAX, 8, 4, 1, 0, "lanes l and l ^ 1 have" },
	{ "nothing merges", BC_OP_LD64, UINT32_MAX, 8, 1, 1, 0,
	  "merges nothing: lanes 0 and 1 differ (x = 1), lanes 0 and 2 differ (x = 2)" },
	{ "4-byte accesses know no pair rule", BC_OP_LD32, UINT32_MAX, 4, 1, 1, 0,
	  "\nbroadcast   nothing: no two lanes of a group touch one word\n" },
	{ "red of a constant", BC_OP_RED32, UINT32_MAX, 0, 1, 1, 0, "\nlaw         law 8, " },
	{ "generic", BC_OP_GLD32, UINT32_MAX, 4, 1, 1, 0, "\nlaw         law 11, " },
	{ "generic, wide", BC_OP_GST64, UINT32_MAX, 8, 1, 1, 0,
	  "\nlaw         law 11, generic accesses that hit shared memory: as laws 2 to 5\n"
	  "            law 3, groups: 16 lanes are a group; each" },
	{ "a loop has no law", BC_OP_ADDF32, UINT32_MAX, 128, 1, 1, 0,
	  "\nlaw         none: the operation becomes a loop (law 12)" },
	{ "a loop has banks", BC_OP_ADD64, UINT32_MAX, 8, 1, 1, 0, "\n   1  0x00408   2-3  -" },
	{ "a loop has no count", BC_OP_REDF32, UINT32_MAX, 128, 1, 1, 0,
	  "\nwavefronts  not known: no law gives them\n" },
	{ "an atomic that is a loop", BC_OP_ADD64, UINT32_MAX, 8, 1, 1, 0,
	  "operation   add64: 8-byte atomic, instruction ATOMS.CAST" },
	{ "zeros filled in", BC_OP_CPA16CGZ, UINT32_MAX, 16, 1, 1, 0,
	  "operation   cpa16cgz: cp.async.cg of 16 bytes a lane, with zeros filled in," },
	{ "cp.async.cg has banks", BC_OP_CPA16CG, UINT32_MAX, 16, 1, 1, 0, "\n   1  0x00410   4-7  -" },
	{ "atomic", BC_OP_ATOM32, UINT32_MAX, 4, 1, 1, 0, "\nlaw         law 6, " },
	{ "8 bytes: groups of 16", BC_OP_ST64, UINT32_MAX, 8, 1, 1, 0,
	  "\nlaw         law 3, groups: 16 lanes are a group; each" },
	{ "8-byte loads may merge", BC_OP_LD64, UINT32_MAX, 8, 1, 1, 0,
	  "\nlaw         law 3, groups: 16 lanes are a group (unless law 4" },
	{ "an idle group", BC_OP_ST64, 0xffff0000, 8, 1, 1, 0, "group 0, lanes 0-15: none active, no wavefront -" },
	{ "requests that count the same", BC_OP_LD128, 0x00000003, 112, 1, 4, 16,
	  "\nrequests    4, 16 bytes apart; request 0 is drawn; all together 4 wavefronts, 0 conflicts\n"
	  "            all of them count the same\n" },
	{ "requests that differ: bytes 0 and 129 meet in bank 0, bytes 3 and 132 do not", BC_OP_LD8, 0x00000003, 129, 1,
	  2, 3,
	  "\nrequests    2, 3 bytes apart; request 0 is drawn; all together 3 wavefronts, 1 conflict\n"
	  "            they differ: request 1 takes 1 wavefront, 0 conflicts\n" },
	{ "large addresses stay in their columns", BC_OP_LD32, UINT32_MAX, 0x1000000, 1, 1, 0,
	  "\n   0 0x00000400     0  0    8 0x08000400     0  8   16 0x10000400     0 16   24 0x18000400     0 24\n" },
};

START_TEST(picture_says)
{
	struct bc_case c = { .pattern = { .op = sentences[_i].op,
					  .mask = sentences[_i].mask,
					  .count = sentences[_i].count,
					  .step = sentences[_i].step } };
	struct bc_arch a = h200();
	const struct bc_explain e = { .c = &c, .arch = &a };
	struct bc_text got;

	for (uint32_t l = 0; l < 32; l++)
		c.pattern.offset[l] = l / sentences[_i].share * sentences[_i].stride;
	got = drawn(&e);
	ck_assert_msg(strstr(got.data, sentences[_i].want) != NULL, "%s: not there: \"%s\" in\n%.3000s",
		      sentences[_i].what, sentences[_i].want, got.data);
	bc_text_release(&got);
}
END_TEST

/* A program of two requests: a clean one, then a 32-way one. */
static bool two_requests(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *r)
{
	(void)c;
	*r = (struct bc_program_request){ .op = BC_OP_LD32, .mask = UINT32_MAX };
	for (uint32_t l = 0; l < 32; l++)
		r->addr[l] = a->window_base + l * (k == 0 ? 4 : 128);
	return k < 2;
}

static bool two_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)c;
	(void)a;
	*out = (struct bc_program){ .image = "transpose",
				    .kernel = "tile_naive",
				    .grid = { 7, 0, 0 },
				    .block = { 32, 8, 0 },
				    .cls = BC_CLASS_LD,
				    .requests = 2 };
	return true;
}

START_TEST(programs_are_explained)
{
	struct bc_rule rule = { .name = "p", .sentence = "a program", .program = two_program, .request = two_requests };
	struct bc_case c = { .id = "s/p/v", .rule = &rule };
	struct bc_arch a = h200();
	struct bc_explain e = { .c = &c, .arch = &a, .bounds = &no_bounds };
	struct bc_text got = drawn(&e);

	ck_assert_ptr_nonnull(
		strstr(got.data, "\nkernel      tile_naive of transpose, 7 x 1 x 1 blocks of 32 x 8 x 1 threads\n"));
	ck_assert_ptr_nonnull(strstr(got.data,
				     "\nrequests    2; request 0 is drawn; all together 33 wavefronts, 31 conflicts\n"
				     "            they differ: request 1 takes 32 wavefronts, 31 conflicts\n"));
	ck_assert_ptr_nonnull(strstr(got.data, "\nwavefronts  1; ideal 1"));
	bc_text_release(&got);
	rule.request = NULL;
	got = drawn(&e);
	ck_assert_ptr_nonnull(strstr(got.data, "\nnot drawn   the rule lists no addresses"));
	ck_assert_ptr_null(strstr(got.data, "lane  address"));
	bc_text_release(&got);
}
END_TEST

START_TEST(strange_text_stays_in_its_charset)
{
	static const struct bc_row row = {
		.quantity = BC_Q_WAVEFRONTS, .lo = 1, .hi = 1, .basis = "gr\xc3\xbc\xc3\x9f\x65 \x1b[31m \xff"
	};
	const struct bc_bounds b = { .row = { &row } };
	struct bc_rule rule = { .name = "r", .sentence = NULL };
	char word[260];
	struct bc_case c = { .id = "s/r/v", .rule = &rule, .pattern = { .op = BC_OP_LD32, .mask = 1, .count = 1 } };
	struct bc_arch a = h200();
	struct bc_explain e = { .c = &c, .arch = &a, .bounds = &b };
	struct bc_text got;

	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	rule.sentence = word;
	got = drawn(&e);
	ck_assert_ptr_nonnull(strstr(got.data, "wavefronts 1 (rule: gr??e \\x1b[31m \\xff)\n"));
	for (const char *s = got.data; *s; s += strcspn(s, "\n") + 1)
		ck_assert_uint_le(strcspn(s, "\n"), 100);
	bc_text_release(&got);
	e.utf8 = true;
	got = drawn(&e);
	ck_assert_ptr_nonnull(strstr(got.data, "wavefronts 1 (rule: gr\xc3\xbc\xc3\x9f\x65 \\x1b[31m \\xff)\n"));
	bc_text_release(&got);
}
END_TEST

/* ------------------------------------------------------------------------------------------- the whole catalogue */
struct cells {
	unsigned rows;	     /* wavefronts that were drawn */
	bool in_order;	     /* numbered 0, 1, 2 ... */
	unsigned served[32]; /* by bank: lanes in all cells */
};

/* What is wrong with the lines, NULL: nothing. At most 100 characters, no blank at an end, ASCII unless @utf8. */
static const char *fault_of_lines(const struct bc_text *t, bool utf8)
{
	unsigned columns = 0;

	if (strlen(t->data) != t->len || t->len == 0 || t->data[t->len - 1] != '\n')
		return "no text";
	for (size_t i = 0; i < t->len; i++) {
		const unsigned char b = (unsigned char)t->data[i];

		if (!utf8 && b >= 0x80)
			return "not ASCII";
		if (b < 0x20 && b != '\n')
			return "a control character";
		if (b == '\n' && i > 0 && t->data[i - 1] == ' ')
			return "a blank ends a line";
		columns = b == '\n' ? 0 : columns + ((b & 0xc0) != 0x80);
		if (columns > 100)
			return "more than 100 columns";
	}
	return NULL;
}

/* Read the ASCII picture back. */
static struct cells read_cells(const char *text)
{
	struct cells c = { .in_order = true };

	for (const char *s = text; *s; s += strcspn(s, "\n") + 1) {
		const size_t len = strcspn(s, "\n");

		if (len < 4 || s[3] != '|' || s[1] < '0' || s[1] > '9')
			continue;
		c.in_order = c.in_order && strtol(s, NULL, 10) == (long)c.rows;
		c.rows++;
		for (unsigned b = 0; b < 32 && 4 + 3 * b + 1 < len; b++) {
			const char *cell = s + 4 + 3 * b;
			const bool many = 4 + 3 * b + 2 < len && cell[2] == '*';

			if (cell[1] != '.')
				c.served[b] += many ? (unsigned)strtoul(cell, NULL, 10) : 1;
		}
	}
	return c;
}

/* Each active lane's words, counted by bank with law 1 alone: the picture must serve them all, once. */
static void check_cells(const struct bc_case *c, const struct bc_arch *a, const char *text)
{
	const uint32_t bytes = bc_op_info(c->pattern.op)->bytes;
	const struct cells got = read_cells(text);
	unsigned want[32] = { 0 };
	uint32_t addr[BC_LANES];

	bc_case_addresses(c, a, 0, addr);
	for (unsigned l = 0; l < 32; l++)
		for (uint32_t b = 0; (c->pattern.mask >> l & 1) && b < bytes; b += 4)
			want[(addr[l] + b) / 4 % 32]++;
	ck_assert_msg(got.in_order, "%s: wavefronts out of order:\n%.3000s", c->id, text);
	for (unsigned b = 0; b < 32; b++)
		if (got.served[b] != want[b])
			ck_abort_msg("%s: bank %u serves %u lanes, drawn are %u:\n%.3000s", c->id, b, want[b],
				     got.served[b], text);
}

/* The rows drawn are the wavefronts that expected/ has for the case. */
static void check_rows(const struct bc_case *c, const struct bc_bounds *b, const char *text)
{
	const struct bc_row *r = b->row[BC_Q_WAVEFRONTS];

	if (r && c->pattern.count == 1 && bc_op_info(c->pattern.op)->law != BC_LAW_CAS &&
	    bc_op_info(c->pattern.op)->law != BC_LAW_UNCOUNTED)
		ck_assert_msg(read_cells(text).rows == (unsigned)r->lo,
			      "%s: expected are %g wavefronts, drawn are\n%.3000s", c->id, r->lo, text);
}

static bool simple(const struct bc_case *c)
{
	const struct bc_op_info *op = bc_op_info(c->pattern.op);

	return op->law != BC_LAW_NONE && op->law != BC_LAW_MATRIX && op->law != BC_LAW_UNCOUNTED &&
	       op->law != BC_LAW_UNKNOWN;
}

START_TEST(whole_catalogue_fits)
{
	static const char *const archs[] = { "sm_90", "sm_70" };
	struct bc_catalog cat = { 0 };
	struct bc_expect expect = { 0 };
	struct bc_error err;
	struct bc_arch a;

	ck_assert_msg(!bc_catalog_build(bc_suites, &cat, &err), "%s", err.msg);
	ck_assert_msg(!bc_arch_load(BC_TEST_EXPECTED, archs[_i], &a, &err), "%s", err.msg);
	ck_assert_msg(!bc_expect_load(BC_TEST_EXPECTED, archs[_i], &cat, &expect, &err), "%s", err.msg);
	ck_assert_uint_gt(cat.n, 500);
	for (size_t i = 0; i < cat.n; i++) {
		const struct bc_case *c = &cat.cases[i];
		struct bc_bounds b;
		char unmet[200];

		bc_expect_find(&expect, c->id, &b);
		for (int utf8 = 0; utf8 < 2; utf8++) {
			const struct bc_explain e = { .c = c, .arch = &a, .bounds = &b, .utf8 = utf8 != 0 };
			struct bc_text t = drawn(&e);

			ck_assert_msg(!fault_of_lines(&t, e.utf8), "%s: %s:\n%.3000s", c->id,
				      fault_of_lines(&t, e.utf8), t.data);
			ck_assert_msg(strncmp(t.data, "case        ", 12) == 0 && strstr(t.data, c->id),
				      "%s: not named", c->id);
			ck_assert_msg(!strstr(t.data, "\nskipped ") == !bc_case_unmet(c, &a, unmet, sizeof(unmet)),
				      "%s: skipped?", c->id);
			if (!utf8 && simple(c)) {
				check_cells(c, &a, t.data);
				check_rows(c, &b, t.data);
			}
			bc_text_release(&t);
		}
	}
	bc_expect_release(&expect);
	bc_catalog_release(&cat);
}
END_TEST

Suite *bc_test_explain(void)
{
	Suite *s = suite_create("explain");
	TCase *picture = tcase_create("picture"), *catalog = tcase_create("catalog");

	tcase_add_loop_test(picture, picture_is_as_laid_out_by_hand, 0, (int)BC_ARRAY_LEN(golden));
	tcase_add_loop_test(picture, picture_says, 0, (int)BC_ARRAY_LEN(sentences));
	tcase_add_test(picture, programs_are_explained);
	tcase_add_test(picture, strange_text_stays_in_its_charset);
	tcase_add_loop_test(catalog, whole_catalogue_fits, 0, 2);
	suite_add_tcase(s, picture);
	suite_add_tcase(s, catalog);
	return s;
}
