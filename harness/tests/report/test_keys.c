/* SPDX-License-Identifier: MIT */
#include "harness/report/keys.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/report/report_sample.h"

Suite *bc_test_keys(void);

static struct bc_error err;
static struct bc_sample sample;
static struct bc_text text;
static struct bc_key_values k;

static void setup(void)
{
	bc_sample_init(&sample, 2);
}

static void teardown(void)
{
	bc_key_values_release(&k);
	bc_text_release(&text);
	bc_sample_release(&sample);
}

/* Write case @i of the only device and read it back. */
static void write_and_read(size_t i)
{
	const struct bc_key_source s = { .run = &sample.run,
					 .dev = &sample.devices[0],
					 .r = &sample.devices[0].results[i] };

	ck_assert_int_eq(bc_keys_write(&s, &text, &err), BC_OK);
	ck_assert_msg(bc_junit_keys(text.data, &k, &err) == BC_OK, "%s", err.msg);
}

static void expect(const char *key, const char *want)
{
	const char *got = bc_key_get(&k, key);

	if (!want)
		ck_assert_msg(!got, "%s=%s, it must not be there", key, got);
	else
		ck_assert_msg(got && strcmp(got, want) == 0, "%s=%s, expected %s", key, got ? got : "(none)", want);
}

START_TEST(all_values_are_there)
{
	struct bc_result *r = &sample.devices[0].results[1];

	bc_sample_set(&sample, 0, 1, BC_FAIL, "ratio");
	(void)bc_strlcpy(r->judged.outcome, "ratio wavefronts=2 conflicts=1", sizeof(r->judged.outcome));
	write_and_read(1);
	ck_assert_int_eq(strncmp(text.data, "format=1\n", 9), 0);
	expect("case", "ways/st_b32/1");
	expect("verdict", "FAIL");
	expect("outcome", "ratio wavefronts=2 conflicts=1");
	expect("wavefronts", "1.5..2.5");
	expect("wavefronts_origin", "published");
	expect("wavefronts_basis", "two \\ words a bank");
	ck_assert_ptr_nonnull(strstr(text.data, "\nwavefronts_basis=two \\\\ words a bank\n"));
	expect("data", "right");
	expect("requests_stated", "16");
	expect("counters", "requests:16 wavefronts:32 conflicts:16;requests:16 wavefronts:33 conflicts:17;"
			   "requests:16 wavefronts:34 conflicts:18");
	expect("counters_by", "hardware");
	expect("clock", "2.5");
	expect("clock_samples", "100,101,102,103,104,105,106,107,108,109");
	expect("model", "requests:16 wavefronts:32 conflicts:16");
	expect("twin", "stride/ld_b32/1");
	expect("pattern", "op:st32 mask:0fffffff origin:absolute count:16 step:128 offsets:0,8,16,24,32,40,48,56,64,72,"
			  "80,88,96,104,112,120,128,136,144,152,160,168,176,184,192,200,208,216,224,232,240,248");
	expect("rule", "n lanes in a bank take n wavefronts");
	expect("source", "a guide, page 2");
	expect("standing", "confirmed NVIDIA H200, 580.159.04, 2026-11");
	expect("rerun", "bankcheck run --device cuda:0 --filter ways/st_b32/1");
	ck_assert_str_eq(k.free_text, "");
}
END_TEST

START_TEST(what_is_not_there_has_no_line)
{
	static const char *const gone[] = {
		"outcome",
		"reason",
		"wavefronts",
		"wavefronts_origin",
		"wavefronts_basis",
		"conflicts",
		"sectors",
		"requests",
		"data_detail",
		"requests_stated",
		"counters",
		"counters_by",
		"counters_void",
		"counters_absent",
		"clock",
		"clock_samples",
		"clock_absent",
		"read_again",
		"model",
		"model_absent",
		"code_absent",
		"twin",
		"pattern",
	};
	struct bc_result *r = &sample.devices[0].results[0];

	r->obs = (struct bc_observation){ .id = "" };
	r->bounds = (struct bc_bounds){ { NULL } };
	sample.cases[0].pattern.op = BC_OP_NONE;
	sample.cases[0].twin[0] = '\0';
	write_and_read(0);
	for (size_t i = 0; i < BC_ARRAY_LEN(gone); i++)
		expect(gone[i], NULL);
	expect("data", "unchecked");
	expect("verdict", "PASS");
}
END_TEST

START_TEST(reasons_are_told)
{
	struct bc_observation *o = &sample.devices[0].results[0].obs;

	o->attempts = 0;
	o->data_ok = false;
	o->clock_has = o->model_has = false;
	o->counters_void = true;
	(void)bc_strlcpy(o->reason, "line 1\nverdict=PASS", sizeof(o->reason));
	(void)bc_strlcpy(o->data_detail, "lane 3: read a=b", sizeof(o->data_detail));
	(void)bc_strlcpy(o->counters_absent, "no permission", sizeof(o->counters_absent));
	(void)bc_strlcpy(o->clock_absent, "throttled", sizeof(o->clock_absent));
	(void)bc_strlcpy(o->read_again, "the baseline of ld8", sizeof(o->read_again));
	(void)bc_strlcpy(o->model_absent, "no law", sizeof(o->model_absent));
	(void)bc_strlcpy(o->code_absent, "no cuobjdump", sizeof(o->code_absent));
	sample.devices[0].arch.provisional = true;
	(void)bc_strlcpy(sample.devices[0].rerun, "'/a b/bankcheck' run --device cuda:7",
			 sizeof(sample.devices[0].rerun));
	sample.devices[0].facts.counters_are_model = true;
	write_and_read(0);
	expect("reason", "line 1\nverdict=PASS");
	expect("verdict", "PASS");
	expect("data", "wrong");
	expect("data_detail", "lane 3: read a=b");
	expect("counters", NULL);
	expect("counters_by", NULL);
	expect("counters_void", "yes");
	expect("counters_absent", "no permission");
	expect("clock", NULL);
	expect("clock_absent", "throttled");
	expect("read_again", "the baseline of ld8");
	expect("model", NULL);
	expect("model_absent", "no law");
	expect("code_absent", "no cuobjdump");
	expect("standing", "provisional");
	expect("rerun", "'/a b/bankcheck' run --device cuda:7 --filter stride/ld_b32/0");
}
END_TEST

START_TEST(the_reference_device_counts_by_the_model)
{
	sample.devices[0].facts.counters_are_model = true;
	(void)bc_strlcpy(sample.devices[0].arch.confirmed, "none", sizeof(sample.devices[0].arch.confirmed));
	sample.devices[0].results[0].obs.requests_counted = false;
	sample.devices[0].results[0].obs.attempts = 1;
	write_and_read(0);
	expect("counters_by", "model");
	expect("counters", "wavefronts:32 conflicts:16");
	expect("standing", "unconfirmed");
}
END_TEST

/* Each quantity that bounds something has its key, and data only says whence. */
START_TEST(every_quantity_has_keys)
{
	static const char *const origins[] = { "rule", "documented", "published", "measured" };
	struct bc_row rows[BC_NQUANTITIES];

	for (unsigned q = 0; q < BC_NQUANTITIES; q++) {
		rows[q] = (struct bc_row){ .quantity = (enum bc_quantity)q,
					   .lo = q,
					   .hi = q + 1.0,
					   .origin = (enum bc_origin_of_row)(q % 4) };
		(void)snprintf(rows[q].basis, sizeof(rows[q].basis), "why %u", q);
		sample.devices[0].results[0].bounds.row[q] = &rows[q];
	}
	write_and_read(0);
	for (unsigned q = 0; q < BC_NQUANTITIES; q++) {
		char key[64], want[64];

		(void)snprintf(want, sizeof(want), "%u..%u", q, q + 1);
		expect(bc_quantity_name((enum bc_quantity)q), q == BC_Q_DATA ? "right" : want);
		(void)snprintf(key, sizeof(key), "%s_origin", bc_quantity_name((enum bc_quantity)q));
		expect(key, origins[q % 4]);
		(void)snprintf(key, sizeof(key), "%s_basis", bc_quantity_name((enum bc_quantity)q));
		(void)snprintf(want, sizeof(want), "why %u", q);
		expect(key, want);
	}
}
END_TEST

START_TEST(key_lines_are_never_cut_and_free_text_is)
{
	struct bc_observation *o = &sample.devices[0].results[0].obs;
	char note[9000];

	memset(o->reason, '\001', sizeof(o->reason) - 1); /* 399 bytes, 1596 when escaped */
	memset(o->counters_absent, '\002', sizeof(o->counters_absent) - 1);
	memset(o->clock_absent, '\003', sizeof(o->clock_absent) - 1);
	memset(o->model_absent, '\004', sizeof(o->model_absent) - 1);
	memset(note, 'n', sizeof(note) - 1);
	note[sizeof(note) - 1] = '\0';
	note[3] = '\n';
	write_and_read(0);
	bc_key_values_release(&k);
	ck_assert_int_eq(bc_keys_free_text(note, &text, &err), BC_OK);
	ck_assert_msg(bc_junit_keys(text.data, &k, &err) == BC_OK, "%s", err.msg);
	expect("reason", o->reason);
	expect("model_absent", o->model_absent);
	expect("rerun", "bankcheck run --device cuda:0 --filter stride/ld_b32/0");
	ck_assert_uint_le(strlen(k.free_text), 4096);
	ck_assert_uint_gt(strlen(k.free_text), 4000);
	ck_assert_int_eq(strncmp(k.free_text, "nnn\nnnn", 7), 0);
	ck_assert_ptr_nonnull(strstr(k.free_text, "bytes cut)"));
}
END_TEST

START_TEST(no_free_text_no_empty_line)
{
	ck_assert_int_eq(bc_keys_free_text("", &text, &err), BC_OK);
	ck_assert_uint_eq(text.len, 0);
}
END_TEST

static const struct {
	const char *what, *text, *say; /* say: what the error must hold */
} bad[] = {
	{ "empty", "", "line 1" },
	{ "free text only", "\nhello", "line 1" },
	{ "no format", "case=a/b/c\n", "line 1" },
	{ "a later format", "format=2\ncase=a/b/c\n", "format=2" },
	{ "format in the second line", "case=a/b/c\nformat=1\n", "line 1" },
	{ "no equals sign", "format=1\ncase\n", "line 2" },
	{ "equals sign in the next line", "format=1\ncase\nx=1\n", "line 2" },
	{ "no key", "format=1\n=a\n", "line 2" },
	{ "blank in the key", "format=1\nca se=a\n", "line 2" },
	{ "twice", "format=1\ncase=a\nverdict=b\ncase=a\n", "line 4" },
	{ "format twice", "format=1\nformat=1\n", "line 2" },
	{ "wrong escape", "format=1\ncase=a\nrule=\\z\n", "line 3" },
	{ "escape cut by the line's end", "format=1\nrule=\\\n", "line 2" },
};

START_TEST(malformed_texts_are_refused)
{
	ck_assert_msg(bc_junit_keys(bad[_i].text, &k, &err) == BC_EDATA, "%s: taken", bad[_i].what);
	ck_assert_msg(strstr(err.msg, bad[_i].say), "%s: %s", bad[_i].what, err.msg);
	ck_assert_ptr_null(k.kv);
}
END_TEST

START_TEST(texts_of_others_are_read)
{
	/* no newline at the end, an unknown key, an empty value, '=' and NUL in a value */
	ck_assert_int_eq(bc_junit_keys("format=1\nnew_key=a=b\nempty=\nnul=a\\x00b", &k, &err), BC_OK);
	ck_assert_uint_eq(k.n, 4);
	expect("new_key", "a=b");
	expect("empty", "");
	ck_assert_uint_eq(k.kv[3].value_len, 3);
	ck_assert_int_eq(memcmp(k.kv[3].value, "a\0b", 4), 0);
	expect("new", NULL);
	bc_key_values_release(&k);
	ck_assert_int_eq(bc_junit_keys("format=1\n\nx=1\n\nmore", &k, &err), BC_OK);
	ck_assert_uint_eq(k.n, 1);
	ck_assert_str_eq(k.free_text, "x=1\n\nmore");
}
END_TEST

/* Names are of the grammar that the reader takes, no two are the same, and all are in the manual. */
START_TEST(the_table_is_sound)
{
	const char *what = NULL;

	ck_assert_int_eq(bc_keys_manual(&text, &err), BC_OK);
	ck_assert_str_eq(bc_keys_name(0, &what), "format");
	for (size_t i = 0; bc_keys_name(i, &what); i++) {
		const char *name = bc_keys_name(i, NULL);
		char line[128];

		ck_assert_uint_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(name));
		ck_assert_uint_gt(strlen(what), 0);
		(void)snprintf(line, sizeof(line), "%-20s %s\n", name, what);
		ck_assert_msg(strstr(text.data, line), "%s is not in the manual", name);
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(name, bc_keys_name(j, NULL));
	}
}
END_TEST

Suite *bc_test_keys(void)
{
	Suite *s = suite_create("keys");
	TCase *tc = tcase_create("keys");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, all_values_are_there);
	tcase_add_test(tc, what_is_not_there_has_no_line);
	tcase_add_test(tc, reasons_are_told);
	tcase_add_test(tc, the_reference_device_counts_by_the_model);
	tcase_add_test(tc, every_quantity_has_keys);
	tcase_add_test(tc, key_lines_are_never_cut_and_free_text_is);
	tcase_add_test(tc, no_free_text_no_empty_line);
	tcase_add_loop_test(tc, malformed_texts_are_refused, 0, (int)BC_ARRAY_LEN(bad));
	tcase_add_test(tc, texts_of_others_are_read);
	tcase_add_test(tc, the_table_is_sound);
	suite_add_tcase(s, tc);
	return s;
}
