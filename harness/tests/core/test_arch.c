/* SPDX-License-Identifier: MIT */
#include "harness/core/arch.h"
#include "harness/tests/invented.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *bc_test_arch(void);

static void expect_invented(const struct bc_arch *a)
{
	const struct bc_arch want = bc_invented_arch();

	ck_assert_str_eq(a->name, want.name);
	ck_assert_uint_eq(a->cc, want.cc);
	ck_assert_uint_eq(a->warp_lanes, want.warp_lanes);
	ck_assert_uint_eq(a->banks, want.banks);
	ck_assert_uint_eq(a->bank_bytes, want.bank_bytes);
	ck_assert_uint_eq(a->window_base, want.window_base);
	ck_assert_uint_eq(a->optin_bytes, want.optin_bytes);
	ck_assert_uint_eq(a->sm_bytes, want.sm_bytes);
	ck_assert_uint_eq(a->reserved_bytes, want.reserved_bytes);
	ck_assert_uint_eq(a->static_bytes, want.static_bytes);
	ck_assert_uint_eq(a->pair_rule, want.pair_rule);
	ck_assert_uint_eq(a->ldmatrix, want.ldmatrix);
	ck_assert_uint_eq(a->stmatrix, want.stmatrix);
	ck_assert_uint_eq(a->cp_async, want.cp_async);
	ck_assert_uint_eq(a->ldgsts_conflicts, want.ldgsts_conflicts);
	ck_assert_uint_eq(a->redux, want.redux);
	ck_assert_uint_eq(a->mma_sync, want.mma_sync);
	ck_assert_uint_eq(a->mbarrier, want.mbarrier);
	ck_assert_uint_eq(a->cluster, want.cluster);
	ck_assert_uint_eq(a->bulk_copy, want.bulk_copy);
	ck_assert_uint_eq(a->wgmma, want.wgmma);
	ck_assert_uint_eq(a->tensor_atoms, want.tensor_atoms);
	ck_assert_uint_eq(a->popc_inc, want.popc_inc);
	ck_assert_uint_eq(a->max_warps_sm, want.max_warps_sm);
	ck_assert_uint_eq(a->max_blocks_sm, want.max_blocks_sm);
	ck_assert_str_eq(a->confirmed, want.confirmed);
	ck_assert(!a->provisional);
}

START_TEST(invented_arch_is_loaded)
{
	struct bc_arch a;
	struct bc_error err = { 0 };

	ck_assert_msg(bc_arch_load(BC_TEST_DATA "/core/expected", "sm_00", &a, &err) == BC_OK, "%s", err.msg);
	expect_invented(&a);

	const struct bc_geometry g = bc_arch_geometry(&a);

	ck_assert(g.banks == 16 && g.bank_bytes == 8 && !g.pair_rule);
	a.pair_rule = 1;
	ck_assert(bc_arch_geometry(&a).pair_rule);
}
END_TEST

/* A good text; the rows below replace its line @line (from 1), 0: append. */
static const char *const good[] = {
	"# comment",	      "warp_lanes 32",	    "banks 32",	       "bank_bytes 4",
	"window_base 1024",   "optin_bytes 232448", "sm_bytes 233472", "reserved_bytes 1024",
	"static_bytes 49152", "pair_rule 1",	    "ldmatrix 1",      "stmatrix 1",
	"cp_async 1",	      "ldgsts_conflicts 1", "redux 1",	       "max_warps_sm 64",
	"max_blocks_sm 32",   "popc_inc 1",	    "mma_sync 1",      "mbarrier 1",
	"cluster 1",	      "bulk_copy 1",	    "wgmma 1",	       "tensor_atoms 1",
	"confirmed none",
};

static const struct {
	size_t line;
	const char *text;
	const char *want; /* the message; NULL: good */
} changes[] = {
	{ 1, "", NULL },
	{ 3, "\tbanks\t 16 ", NULL },
	{ 3, "banks 1", NULL },
	{ 3, "banks 64", NULL },
	{ 4, "bank_bytes 8", NULL },
	{ 5, "window_base 0", NULL },
	{ 7, "sm_bytes 232448", NULL },
	{ 25, "confirmed NVIDIA H200, driver 580.159.04, 2026-11-29", NULL },
	{ 0, "# more", NULL },
	{ 2, "warp_lanes 64", "a.txt:2: warp_lanes = '64': allowed is 32" },
	{ 3, "banks 0", "a.txt:3: banks = '0': allowed is 1 to 64, a power of two" },
	{ 3, "banks 24", "a.txt:3: banks = '24': allowed is 1 to 64, a power of two" },
	{ 3, "banks 128", "a.txt:3: banks = '128': allowed is 1 to 64, a power of two" },
	{ 3, "banks -32", "a.txt:3: banks = '-32': allowed is 1 to 64, a power of two" },
	{ 3, "banks 4294967328", "a.txt:3: banks = '4294967328': allowed is 1 to 64, a power of two" },
	{ 3, "banks 0x20", "a.txt:3: banks = '0x20': allowed is 1 to 64, a power of two" },
	{ 3, "banks", "a.txt:3: banks takes one number (1 to 64, a power of two)" },
	{ 3, "banks 32 4", "a.txt:3: banks takes one number (1 to 64, a power of two)" },
	{ 4, "bank_bytes 6", "a.txt:4: bank_bytes = '6': allowed is 4 or 8" },
	{ 5, "window_base 512", "a.txt:5: window_base = '512': allowed is 0 or 1024" },
	{ 6, "optin_bytes 0", "a.txt:6: optin_bytes = '0': allowed is 16384 to 1048576 in steps of 1024" },
	{ 6, "optin_bytes 232449", "a.txt:6: optin_bytes = '232449': allowed is 16384 to 1048576 in steps of 1024" },
	{ 7, "sm_bytes 231424", "a.txt:6: optin_bytes 232448 is more than sm_bytes 231424" },
	{ 10, "pair_rule 2", "a.txt:10: pair_rule = '2': allowed is 0 or 1" },
	{ 10, "pair_rule yes", "a.txt:10: pair_rule = 'yes': allowed is 0 or 1" },
	{ 16, "max_warps_sm 129", "a.txt:16: max_warps_sm = '129': allowed is 1 to 128" },
	{ 25, "confirmed", "a.txt:25: confirmed: write 'none' or 'GPU, driver, date'" },
	{ 25, "confirmed NVIDIA H200", "a.txt:25: confirmed: write 'none' or 'GPU, driver, date'" },
	{ 25, "confirmed NVIDIA H200, 2026-11-29", "a.txt:25: confirmed: write 'none' or 'GPU, driver, date'" },
	{ 25, "confirmed , , ", "a.txt:25: confirmed: write 'none' or 'GPU, driver, date'" },
	{ 25, "confirmed none so far", "a.txt:25: confirmed: write 'none' or 'GPU, driver, date'" },
	{ 25, "", "a.txt:25: the file ends without the key confirmed" },
	{ 3, "#", "a.txt:25: the file ends without the key banks" },
	{ 15, "redox 1", "a.txt:15: unknown key 'redox'" },
	{ 15, "Redux 1", "a.txt:15: unknown key 'Redux'" },
	{ 0, "banks 32", "a.txt:26: banks is already set in line 3" },
	{ 0, "confirmed none", "a.txt:26: confirmed is already set in line 25" },
	{ 12, "stmatrix\x01 1", "a.txt:12: control character 0x01: remove it" },
};

START_TEST(arch_text_is_checked)
{
	const size_t line = changes[_i].line;
	const char *want = changes[_i].want;
	struct bc_text t = { 0 };
	struct bc_error err = { 0 };
	struct bc_arch a = { .banks = 77 };

	for (size_t i = 0; i < BC_ARRAY_LEN(good); i++)
		ck_assert_int_eq(bc_text_addf(&t, NULL, "%s\n", i + 1 == line ? changes[_i].text : good[i]), BC_OK);
	if (line == 0)
		ck_assert_int_eq(bc_text_addf(&t, NULL, "%s", changes[_i].text), BC_OK);

	const enum bc_status st = bc_arch_parse(t.data, "a.txt", "sm_90", &a, &err);

	if (want) {
		ck_assert_int_eq(st, BC_EDATA);
		ck_assert_str_eq(err.msg, want);
		ck_assert_uint_eq(a.banks, 77);
	} else {
		ck_assert_msg(st == BC_OK, "%s", err.msg);
		ck_assert_uint_eq(a.cc, 90);
	}
	bc_text_release(&t);
}
END_TEST

START_TEST(confirmed_has_an_end)
{
	struct bc_text t = { 0 };
	struct bc_error err = { 0 };
	struct bc_arch a;

	for (size_t i = 0; i + 1 < BC_ARRAY_LEN(good); i++)
		ck_assert_int_eq(bc_text_addf(&t, NULL, "%s\n", good[i]), BC_OK);
	ck_assert_int_eq(bc_text_addf(&t, NULL, "confirmed %0120d, a, b", 0), BC_OK); /* 126 bytes fit */
	ck_assert_int_eq(bc_arch_parse(t.data, "a.txt", "sm_90", &a, &err), BC_OK);
	ck_assert_uint_eq(strlen(a.confirmed), 126);
	ck_assert_int_eq(bc_text_addf(&t, NULL, "cd"), BC_OK);
	ck_assert_int_eq(bc_arch_parse(t.data, "a.txt", "sm_90", &a, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "a.txt:25: confirmed: more than 127 bytes");
	bc_text_release(&t);
}
END_TEST

START_TEST(arch_names_are_checked)
{
	static const struct {
		const char *name;
		bool ok;
		unsigned cc;
	} names[] = {
		{ "sm_00", true, 0 },  { "sm_75", true, 75 },  { "sm_103", true, 103 },	 { "sm_120", true, 120 },
		{ "sm_9", false, 0 },  { "sm_090", false, 0 }, { "sm_1000", false, 0 },	 { "sm_90a", false, 0 },
		{ "sm_", false, 0 },   { "", false, 0 },       { "90", false, 0 },	 { "SM_90", false, 0 },
		{ "sm_-1", false, 0 }, { "common", false, 0 }, { "../sm_90", false, 0 },
	};
	struct bc_text t = { 0 };

	for (size_t i = 0; i < BC_ARRAY_LEN(good); i++)
		ck_assert_int_eq(bc_text_addf(&t, NULL, "%s\n", good[i]), BC_OK);
	for (size_t i = 0; i < BC_ARRAY_LEN(names); i++) {
		struct bc_arch a = { 0 };
		struct bc_error err = { 0 };
		const enum bc_status st = bc_arch_parse(t.data, "a.txt", names[i].name, &a, &err);

		ck_assert_msg(st == (names[i].ok ? BC_OK : BC_EDATA), "'%s': %s", names[i].name, err.msg);
		ck_assert_uint_eq(a.cc, names[i].cc);
		if (names[i].ok)
			ck_assert_str_eq(a.name, names[i].name);
		else
			ck_assert_int_eq(bc_arch_load(BC_TEST_DATA "/core/expected", names[i].name, &a, &err),
					 BC_EREAD);
	}
	bc_text_release(&t);
}
END_TEST

START_TEST(missing_arch_names_the_file)
{
	struct bc_arch a;
	struct bc_error err = { 0 };

	ck_assert_int_eq(bc_arch_load(BC_TEST_DATA "/core/expected", "sm_77", &a, &err), BC_EREAD);
	ck_assert_ptr_nonnull(strstr(err.msg, BC_TEST_DATA "/core/expected/sm_77/arch.txt: "));
}
END_TEST

#define TREE BC_TEST_TMP "/test_arch"

static void write_arch(const char *name, const char *last_line)
{
	char path[512];

	snprintf(path, sizeof(path), TREE "/%s", name);
	ck_assert_int_eq(mkdir(path, 0777), 0);
	snprintf(path, sizeof(path), TREE "/%s/arch.txt", name);

	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i + 1 < BC_ARRAY_LEN(good); i++)
		ck_assert_int_gt(fprintf(f, "%s\n", good[i]), 0);
	ck_assert_int_gt(fprintf(f, "%s\n", last_line), 0);
	ck_assert_int_eq(fclose(f), 0);
}

static void remove_arch(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), TREE "/%s/arch.txt", name);
	unlink(path);
	snprintf(path, sizeof(path), TREE "/%s", name);
	rmdir(path);
}

START_TEST(archs_are_listed_by_capability)
{
	static const char *const folders[] = { "sm_90", "sm_100", "sm_75", "common", "sm_89x" };
	struct bc_arch *list = NULL;
	struct bc_error err = { 0 };
	size_t n = 0;

	ck_assert_int_eq(mkdir(TREE, 0777), 0);
	ck_assert_int_eq(bc_arch_list(TREE, &list, &n, &err), BC_OK);
	ck_assert_uint_eq(n, 0);
	for (size_t i = 0; i < BC_ARRAY_LEN(folders); i++)
		write_arch(folders[i], "confirmed none");
	ck_assert_msg(bc_arch_list(TREE, &list, &n, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(n, 3);
	ck_assert_str_eq(list[0].name, "sm_75");
	ck_assert_str_eq(list[1].name, "sm_90");
	ck_assert_str_eq(list[2].name, "sm_100");
	free(list);
	list = NULL;
	write_arch("sm_80", "confirmed perhaps");
	ck_assert_int_eq(bc_arch_list(TREE, &list, &n, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, TREE "/sm_80/arch.txt:25: confirmed: write 'none' or 'GPU, driver, date'");
	ck_assert_ptr_null(list);
	for (size_t i = 0; i < BC_ARRAY_LEN(folders); i++)
		remove_arch(folders[i]);
	remove_arch("sm_80");
	ck_assert_int_eq(rmdir(TREE), 0);
	ck_assert_int_eq(bc_arch_list(TREE, &list, &n, &err), BC_EREAD);
}
END_TEST

/* The folders that ship: each loads; a few figures of the programming guide. */
START_TEST(shipped_archs_are_sound)
{
	static const char *const names[] = { "sm_70", "sm_75",	"sm_80",  "sm_86",  "sm_87",  "sm_88",	"sm_89",
					     "sm_90", "sm_100", "sm_103", "sm_107", "sm_110", "sm_120", "sm_121" };
	static const uint32_t optin_kb[] = { 96, 64, 163, 99, 163, 99, 99, 227, 227, 227, 327, 227, 99, 99 };

	for (size_t i = 0; i < BC_ARRAY_LEN(names); i++) {
		struct bc_arch a;
		struct bc_error err = { 0 };

		ck_assert_msg(bc_arch_load(BC_TEST_EXPECTED, names[i], &a, &err) == BC_OK, "%s", err.msg);
		ck_assert_uint_eq(a.banks, 32);
		ck_assert_uint_eq(a.bank_bytes, 4);
		ck_assert_msg(a.optin_bytes == optin_kb[i] * 1024, "%s: %u", names[i], a.optin_bytes);
		ck_assert_uint_eq(a.reserved_bytes, a.cc >= 80 ? 1024 : 0);
		ck_assert_uint_eq(a.window_base, a.cc >= 90 ? 1024 : 0);
	}
}
END_TEST

/* Does @comment begin with a source: "# [ptxas] ...", of those that the head of the file explains? */
static bool names_a_source(const char *comment)
{
	static const char *const sources[] = { "guide", "ptxas", "occ", "cupti", "measured", "published", "as on " };

	for (size_t i = 0; i < BC_ARRAY_LEN(sources); i++)
		if (strncmp(comment, "# [", 3) == 0 && strncmp(comment + 3, sources[i], strlen(sources[i])) == 0)
			return true;
	return false;
}

/* Each figure of the folders that ship has its source in the line above it; `confirmed` is one itself. */
START_TEST(shipped_figures_have_sources)
{
	struct bc_arch *list = NULL;
	struct bc_error err = { 0 };
	size_t n = 0;

	ck_assert_msg(bc_arch_list(BC_TEST_EXPECTED, &list, &n, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_ge(n, 13);
	for (size_t i = 0; i < n; i++) {
		char path[512], line[512], above[512] = "";
		size_t figures = 0;

		snprintf(path, sizeof(path), BC_TEST_EXPECTED "/%s/arch.txt", list[i].name);

		FILE *f = fopen(path, "r");

		ck_assert_ptr_nonnull(f);
		for (; fgets(line, sizeof(line), f); memcpy(above, line, sizeof(above))) {
			if (line[0] == '#' || line[0] == '\n' || strncmp(line, "confirmed ", 10) == 0)
				continue;
			ck_assert_msg(names_a_source(above), "%s: no source above: %s", path, line);
			figures++;
		}
		ck_assert_uint_eq(figures, BC_ARRAY_LEN(good) - 2);
		fclose(f);
	}
	free(list);
}
END_TEST

START_TEST(manual_has_every_key)
{
	struct bc_text t = { 0 };
	size_t lines = 0;

	ck_assert_int_eq(bc_arch_manual(&t, NULL), BC_OK);
	for (size_t i = 1; i < BC_ARRAY_LEN(good); i++) { /* all but the comment are keys */
		char key[40];
		const size_t len = strcspn(good[i], " ");

		snprintf(key, sizeof(key), "%.*s ", (int)len, good[i]);
		ck_assert_msg(strstr(t.data, key), "no %s in the manual", key);
	}
	for (const char *p = t.data; *p != '\0'; p++)
		lines += *p == '\n';
	ck_assert_uint_eq(lines, BC_ARRAY_LEN(good) - 1);
	ck_assert_ptr_nonnull(strstr(t.data, "\nbanks             banks    1 to 64, a power of two "));
	bc_text_release(&t);
}
END_TEST

Suite *bc_test_arch(void)
{
	Suite *s = suite_create("arch");
	TCase *text = tcase_create("text"), *files = tcase_create("files");

	tcase_add_loop_test(text, arch_text_is_checked, 0, (int)BC_ARRAY_LEN(changes));
	tcase_add_test(text, confirmed_has_an_end);
	tcase_add_test(text, arch_names_are_checked);
	tcase_add_test(text, manual_has_every_key);
	suite_add_tcase(s, text);
	tcase_add_test(files, invented_arch_is_loaded);
	tcase_add_test(files, missing_arch_names_the_file);
	tcase_add_test(files, archs_are_listed_by_capability);
	tcase_add_test(files, shipped_archs_are_sound);
	tcase_add_test(files, shipped_figures_have_sources);
	suite_add_tcase(s, files);
	return s;
}
