/* SPDX-License-Identifier: MIT */
/* harness/tests/measure/test_code.c - code listings: found, believed, and what they make of a case. */
#include "harness/measure/code.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/core/judge.h"
#include "harness/measure/measure.h"
#include "harness/base/sha256.h"
#include "harness/tests/measure/fake_device.h"

Suite *bc_test_code(void);

#define DIR BC_TEST_TMP "/test_code"
#define IMAGE "not a real image"

static struct bc_error err;
static struct bc_code *code;

static void write_file(const char *name, const char *text)
{
	char path[512];
	FILE *f;

	ck_assert_int_gt(snprintf(path, sizeof(path), "%s/%s", DIR, name), 0);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

/* An image and its listing: @lines below the hash of @hashed. */
static void write_listing(const char *hashed, const char *lines)
{
	char hash[65], text[4096];

	bc_sha256_hex(hashed, strlen(hashed), hash);
	ck_assert_int_gt(snprintf(text, sizeof(text), "sha256\t%s\n%s", hash, lines), 0);
	write_file("pattern_ld.fatbin", IMAGE);
	write_file("pattern_ld.code", text);
}

static void setup(void)
{
	ck_assert(mkdir(DIR, 0777) == 0 || access(DIR, W_OK) == 0);
	(void)unlink(DIR "/pattern_ld.code");
	(void)unlink(DIR "/pattern_ld.fatbin");
	ck_assert_int_eq(bc_code_open(DIR, &code, &err), BC_OK);
}

static void teardown(void)
{
	bc_code_close(code);
	bc_code_close(NULL);
}

/* FIPS 180-4's examples, and lengths around the padding's block. */
static const struct {
	const char *text;
	size_t repeat;
	const char *hash;
} hashes[] = {
	{ "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ "a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
	{ "a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
	{ "a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
};

START_TEST(hashes_are_those_of_the_standard)
{
	const size_t len = strlen(hashes[_i].text), n = len * hashes[_i].repeat;
	char *text = malloc(n + 1), hex[65];

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < hashes[_i].repeat; i++)
		memcpy(text + i * len, hashes[_i].text, len);
	bc_sha256_hex(text, n, hex);
	ck_assert_str_eq(hex, hashes[_i].hash);
	free(text);
}
END_TEST

#define LISTING                                                                           \
	"arch\tsm_75\nbc_red32\tATOMS.ADD\t1\nbc_red32\tLDG.E\t2\n"                       \
	"arch\tsm_80\nbc_red32\tATOMS.POPC.INC.32\t1\nbc_red3\tEXIT\t1\n"                 \
	"arch\tsm_90\nbc_other\tATOMS.POPC.INC.32\t1\nbc_red32\tATOMS.POPC.INCREASE\t1\n" \
	"arch\tsm_90a\nbc_red32\tATOMS.POPC.INC.32\t1\n"                                  \
	"arch\tsm_100\nbc_red32\tATOMS.POPC.INC\t3\n"

static const struct {
	const char *what;
	unsigned cc;
	const char *kernel, *mnemonic;
	bool there;
	const char *absent, *text; /* part of them; NULL: empty */
} looks[] = {
	{ "there", 80, "bc_red32", "ATOMS.POPC.INC", true, NULL, NULL },
	{ "the whole opcode", 80, "bc_red32", "ATOMS.POPC.INC.32", true, NULL, NULL },
	{ "nothing after it", 100, "bc_red32", "ATOMS.POPC.INC", true, NULL, NULL },
	{ "the code of a lower minor runs", 86, "bc_red32", "ATOMS.POPC.INC", true, NULL, NULL },
	{ "another instruction", 75, "bc_red32", "ATOMS.POPC.INC", false, NULL,
	  "bc_red32 of pattern_ld has no ATOMS.POPC.INC on sm_75" },
	{ "another kernel's, and a longer word", 90, "bc_red32", "ATOMS.POPC.INC", false, NULL, "on sm_90" },
	{ "a kernel that is not there", 80, "bc_red", "ATOMS.POPC.INC", false, NULL, "bc_red of" },
	{ "the code of a higher minor does not run", 70, "bc_red32", "ATOMS.ADD", false, "no machine code for sm_70",
	  NULL },
	{ "another major", 120, "bc_red32", "ATOMS.ADD", false, "compiles the image's PTX", NULL },
};

START_TEST(an_instruction_is_looked_for)
{
	struct bc_arch a = { .cc = looks[_i].cc };
	struct bc_code_answer answer;

	(void)snprintf(a.name, sizeof(a.name), "sm_%u", a.cc);
	write_listing(IMAGE, LISTING);
	for (unsigned twice = 0; twice < 2; twice++) { /* read once, kept afterwards */
		ck_assert_int_eq(
			bc_code_find(code, &a, "pattern_ld", looks[_i].kernel, looks[_i].mnemonic, &answer, &err),
			BC_OK);
		ck_assert_msg(answer.there == looks[_i].there, "%s", looks[_i].what);
		ck_assert_msg(looks[_i].absent ? strstr(answer.absent, looks[_i].absent) != NULL : !answer.absent[0],
			      "%s: '%s'", looks[_i].what, answer.absent);
		ck_assert_msg(looks[_i].text ? strstr(answer.text, looks[_i].text) != NULL : !answer.text[0],
			      "%s: '%s'", looks[_i].what, answer.text);
		(void)unlink(DIR "/pattern_ld.code");
	}
}
END_TEST

START_TEST(a_listing_that_is_not_the_images_is_not_believed)
{
	const struct bc_arch a = { .name = "sm_80", .cc = 80 };
	struct bc_code_answer answer;

	ck_assert_int_eq(bc_code_find(code, &a, "pattern_ld", "bc_red32", "ATOMS", &answer, &err), BC_OK);
	ck_assert_msg(strstr(answer.absent, "pattern_ld.code") && strstr(answer.absent, "make kernels"), "%s",
		      answer.absent);
	teardown();
	setup();
	write_listing("an older image", LISTING);
	ck_assert_int_eq(bc_code_find(code, &a, "pattern_ld", "bc_red32", "ATOMS", &answer, &err), BC_OK);
	ck_assert_msg(strstr(answer.absent, "not of the image beside it"), "%s", answer.absent);
	teardown();
	setup();
	write_listing(IMAGE, LISTING);
	write_file("pattern_ld.code", "");
	ck_assert_int_eq(bc_code_find(code, &a, "pattern_ld", "bc_red32", "ATOMS", &answer, &err), BC_OK);
	ck_assert_msg(strstr(answer.absent, "not of the image beside it"), "%s", answer.absent);
	teardown();
	setup();
	write_listing(IMAGE, LISTING);
	(void)unlink(DIR "/pattern_ld.fatbin");
	ck_assert_int_eq(bc_code_find(code, &a, "pattern_ld", "bc_red32", "ATOMS", &answer, &err), BC_OK);
	ck_assert_msg(strstr(answer.absent, "pattern_ld.fatbin"), "%s", answer.absent);
}
END_TEST

/* What becomes of a case that needs the code of bc_ld32 to hold an LDS. */
static const struct {
	const char *what, *lines, *dir;
	enum bc_device_kind kind;
	enum bc_verdict verdict;
	const char *words;
} verdicts[] = {
	{ "the instruction is there", "arch\tsm_90\nbc_ld32\tLDS\t1\n", DIR, BC_DEVICE_CUDA, BC_PASS, "" },
	{ "it is not", "arch\tsm_90\nbc_ld32\tLD.E\t1\n", DIR, BC_DEVICE_CUDA, BC_BROKEN,
	  "bc_ld32 of pattern_ld has no LDS on sm_90" },
	{ "there is no listing", NULL, DIR, BC_DEVICE_CUDA, BC_SKIP, "needs the image's code listing: " },
	{ "no folder was given", NULL, NULL, BC_DEVICE_CUDA, BC_SKIP, "no folder of kernel images" },
	{ "the reference device has no machine code", NULL, DIR, BC_DEVICE_REFERENCE, BC_PASS, "" },
};

START_TEST(a_case_that_needs_code_is_judged_by_it)
{
	const struct bc_measure_options o = { .counters = true, .clock = true, .kernels_dir = verdicts[_i].dir };
	struct bc_fake fake = { .facts.kind = verdicts[_i].kind };
	struct bc_device *dev = bc_fake_open(&fake);
	struct bc_measure *m = NULL;
	struct bc_observation obs;
	struct bc_catalog cat;
	struct bc_expect expect;
	struct bc_bounds bounds;
	struct bc_judgement j;
	struct bc_case c;
	const struct bc_case *one = &c;

	ck_assert_msg(bc_catalog_build(bc_suites, &cat, &err) == BC_OK, "%s", err.msg);
	ck_assert_msg(bc_expect_load(BC_TEST_EXPECTED, "sm_90", &cat, &expect, &err) == BC_OK, "%s", err.msg);
	c = *bc_catalog_find(&cat, "stride/ld_b32/2");
	c.needs |= BC_NEED_CODE;
	if (verdicts[_i].lines)
		write_listing(IMAGE, verdicts[_i].lines);
	ck_assert_int_eq(bc_measure_open(&bc_device_fake, dev, &fake.arch, &expect, &o, &m, &err), BC_OK);
	ck_assert_int_eq(bc_measure_batch(m, &one, 1, &obs, &err), BC_OK);
	bc_expect_find(&expect, c.id, &bounds);
	bc_judge(&(struct bc_judge_in){ .c = &c, .arch = &fake.arch, .bounds = &bounds, .obs = &obs }, &j);
	ck_assert_msg(j.verdict == verdicts[_i].verdict, "%s: %s: %s", verdicts[_i].what, bc_verdict_name(j.verdict),
		      j.message);
	ck_assert_msg(strstr(j.message, verdicts[_i].words), "%s: %s", verdicts[_i].what, j.message);
	bc_measure_close(m);
	bc_device_fake.close(dev);
	bc_expect_release(&expect);
	bc_catalog_release(&cat);
}
END_TEST

Suite *bc_test_code(void)
{
	Suite *s = suite_create("code");
	TCase *tc = tcase_create("code");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, hashes_are_those_of_the_standard, 0, (int)BC_ARRAY_LEN(hashes));
	tcase_add_loop_test(tc, an_instruction_is_looked_for, 0, (int)BC_ARRAY_LEN(looks));
	tcase_add_test(tc, a_listing_that_is_not_the_images_is_not_believed);
	tcase_add_loop_test(tc, a_case_that_needs_code_is_judged_by_it, 0, (int)BC_ARRAY_LEN(verdicts));
	suite_add_tcase(s, tc);
	return s;
}
