/* SPDX-License-Identifier: MIT */
#include "harness/run/journal.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/run/message.h"
#include "harness/run/run_options.h"
#include "harness/tests/report/report_sample.h"

Suite *bc_test_journal(void);

static struct bc_error err;
static char dir[BC_PATH_MAX], path[BC_PATH_MAX + 32];
static struct bc_run run;
static struct bc_run_options options;
static struct bc_journal *journal;

static void setup(void)
{
	bc_sample_folder(dir);
	(void)snprintf(path, sizeof(path), "%s/journal.tsv", dir);
	run = (struct bc_run){ .run_id = "20261129T213000Z-host-77", .plan_hash = 0xabc };
	bc_run_options_init(&options);
	journal = NULL;
}

static void teardown(void)
{
	bc_journal_close(journal);
}

static void create(void)
{
	ck_assert_msg(bc_journal_create(path, &run, &options, &journal, &err) == BC_OK, "%s", err.msg);
}

static struct bc_observation observation(unsigned i)
{
	struct bc_observation o = { .outcome = BC_TOOL_ERROR, .reason = "two\nlines", .attempts = i };

	(void)snprintf(o.id, sizeof(o.id), "suite/rule/%u", i);
	return o;
}

static void add(unsigned i)
{
	const struct bc_observation o = observation(i);

	ck_assert_msg(bc_journal_add(journal, "sm_90_cuda1", &o, &err) == BC_OK, "%s", err.msg);
}

/* Line @i of the file, parsed; its text is in @t. */
static void line(struct bc_text *t, unsigned i, struct bc_fields *f)
{
	char *at;

	ck_assert_msg(bc_file_read(path, 1 << 20, t, &err) == BC_OK, "%s", err.msg);
	at = t->data;
	for (; i; i--) {
		at = strchr(at, '\n');
		ck_assert_ptr_nonnull(at);
		at++;
	}
	ck_assert_ptr_nonnull(strchr(at, '\n'));
	*strchr(at, '\n') = '\0';
	ck_assert_msg(bc_message_parse(at, f, &err) == BC_OK, "%s", err.msg);
}

static unsigned lines(void)
{
	struct bc_text t = { 0 };
	unsigned n = 0;

	ck_assert_msg(bc_file_read(path, 1 << 20, &t, &err) == BC_OK, "%s", err.msg);
	for (size_t i = 0; i < t.len; i++)
		n += t.data[i] == '\n';
	ck_assert(t.len > 0 && t.data[t.len - 1] == '\n');
	bc_text_release(&t);
	return n;
}

START_TEST(the_first_line_names_the_run)
{
	struct bc_text t = { 0 };
	struct bc_fields f;

	create();
	ck_assert_uint_eq(lines(), 1);
	line(&t, 0, &f);
	ck_assert_str_eq(f.kind, "run");
	ck_assert_str_eq(bc_message_get(&f, "format"), "2");
	ck_assert_str_eq(bc_message_get(&f, "run_id"), run.run_id);
	ck_assert_str_eq(bc_message_get(&f, "version"), BC_VERSION);
	ck_assert_str_eq(bc_message_get(&f, "plan_hash"), "0000000000000abc");
	bc_text_release(&t);
}
END_TEST

/* --- which journals are read ------------------------------------------------------------------------------------ */

static enum bc_status on_line(void *ctx, const struct bc_fields *f, struct bc_error *e)
{
	(void)f;
	(void)e;
	++*(unsigned *)ctx;
	return BC_OK;
}

static const struct {
	const char *head;
	enum bc_status st;
	const char *words;
} heads[] = {
	{ "run\tformat=2\tversion=0.1.0\n", BC_OK, "" },
	{ "run\tversion=0.1.0\toptions=witness auto, pack 0\n", BC_EDATA,
	  "journal.tsv:1: a journal of format 1, written by an older bankcheck (version 0.1.0); this one reads format "
	  "2: "
	  "use that version, or run again without --resume" },
	{ "run\tformat=1\n", BC_EDATA, "format 1, written by an older bankcheck" },
	{ "run\tformat=3\tversion=9.0\n", BC_EDATA,
	  "a journal of format 3, written by a newer bankcheck (version 9.0)" },
	{ "run\tformat=two\n", BC_EDATA, "format=two: the format of a journal is a whole number" },
	{ "run\tformat=-2\n", BC_EDATA, "format=-2" },
	{ "obs\tformat=2\n", BC_EDATA, "journal.tsv:1: not a journal of `bankcheck run`" },
};

START_TEST(a_journal_of_another_format_is_refused_by_name)
{
	unsigned n = 0;
	FILE *f = fopen(path, "we");

	ck_assert(f && fputs(heads[_i].head, f) >= 0 && fclose(f) == 0);
	ck_assert_msg(bc_journal_read(path, on_line, &n, NULL, &err) == heads[_i].st, "%s: %s", heads[_i].head,
		      err.msg);
	ck_assert_uint_eq(n, heads[_i].st == BC_OK); /* nothing of another format is handed on */
	ck_assert_msg(!heads[_i].st || strstr(err.msg, heads[_i].words), "%s", err.msg);
}
END_TEST

/* Read the options of the journal's first line. */
static enum bc_status read_options(struct bc_run_options *o, struct bc_text *t)
{
	struct bc_fields f;

	bc_run_options_init(o);
	line(t, 0, &f);
	return bc_run_options_parse(&f, o, &err);
}

START_TEST(the_options_come_back)
{
	struct bc_text t = { 0 };
	struct bc_run_options then;
	char difference[200];

	options.fault = "a fault,\twith = and, repeat 7";
	options.witness = BC_WITNESS_CLOCK;
	options.require = BC_REQUIRE_COUNTERS;
	options.racecheck = true;
	options.pack = 2;
	options.repeat = 3;
	options.retries = 4;
	options.retry_lost = 5;
	create();
	ck_assert_msg(read_options(&then, &t) == BC_OK, "%s", err.msg);
	ck_assert_str_eq(then.fault, options.fault);
	ck_assert_uint_eq(then.witness, BC_WITNESS_CLOCK);
	ck_assert_uint_eq(then.require, BC_REQUIRE_COUNTERS);
	ck_assert(then.racecheck);
	ck_assert_uint_eq(then.pack, 2);
	ck_assert_uint_eq(then.repeat, 3);
	ck_assert_uint_eq(then.retries, 4);
	ck_assert_uint_eq(then.retry_lost, 5);
	ck_assert_uint_eq(then.timeout_s, 10); /* not kept: a run may go on with another */
	ck_assert(!bc_run_options_differ(&then, &options, difference, sizeof(difference)));
	bc_text_release(&t);
}
END_TEST

START_TEST(options_that_were_not_given_come_back_as_their_presets)
{
	struct bc_text t = { 0 };
	struct bc_run_options then;
	char difference[200];

	create();
	ck_assert_msg(read_options(&then, &t) == BC_OK, "%s", err.msg);
	ck_assert(!bc_run_options_differ(&then, &options, difference, sizeof(difference)));
	ck_assert_ptr_null(then.fault);
	ck_assert_uint_eq(then.repeat, 1);
	bc_text_release(&t);
}
END_TEST

static const struct {
	const char *field, *words;
} bad_options[] = {
	{ "option_pack=4", "option_pack=4 is not valid (--pack 4: a whole number, 1 to 3)" },
	{ "option_pack=two", "option_pack=two" },
	{ "option_witness=oracle", "it takes auto, counters or clock" },
	{ "option_racecheck=1", "option_racecheck=1: it is yes or no" },
	{ "option_retry_lost=0", "option_retry_lost=0" },
};

START_TEST(an_option_that_cannot_be_is_malformed)
{
	struct bc_run_options o;
	struct bc_fields f;
	char text[100];

	bc_run_options_init(&o);
	(void)snprintf(text, sizeof(text), "run\t%s", bad_options[_i].field);
	ck_assert_int_eq(bc_message_parse(text, &f, &err), BC_OK);
	ck_assert_int_eq(bc_run_options_parse(&f, &o, &err), BC_EDATA);
	ck_assert_msg(strstr(err.msg, bad_options[_i].words), "%s", err.msg);
}
END_TEST

START_TEST(an_observation_is_on_disk_at_once)
{
	struct bc_observation o;

	create();
	for (unsigned i = 1; i <= 3; i++) {
		struct bc_text t = { 0 };
		struct bc_fields f;

		add(i);
		ck_assert_uint_eq(lines(), i + 1); /* though it is still open */
		line(&t, i, &f);
		ck_assert_str_eq(f.kind, "obs");
		ck_assert_str_eq(bc_message_get(&f, "dev"), "sm_90_cuda1");
		ck_assert_msg(bc_observation_parse(&f, &o, &err) == BC_OK, "%s", err.msg);
		ck_assert_uint_eq(o.attempts, i);
		ck_assert_str_eq(o.reason, "two\nlines");
		bc_text_release(&t);
	}
}
END_TEST

START_TEST(a_new_run_replaces_the_old_one)
{
	create();
	add(1);
	add(2);
	bc_journal_close(journal);
	create();
	ck_assert_uint_eq(lines(), 1);
}
END_TEST

START_TEST(a_journal_that_cannot_be_made_says_so)
{
	(void)snprintf(path, sizeof(path), "%s/gone/journal.tsv", dir);
	ck_assert_int_eq(bc_journal_create(path, &run, &options, &journal, &err), BC_EWRITE);
	ck_assert_msg(strstr(err.msg, path) && strstr(err.msg, strerror(ENOENT)), "%s", err.msg);
	ck_assert_ptr_null(journal);
	ck_assert_int_eq(bc_journal_create(dir, &run, &options, &journal, &err), BC_EWRITE);
	ck_assert_msg(strstr(err.msg, strerror(EISDIR)), "%s", err.msg);
}
END_TEST

START_TEST(a_full_disk_is_told)
{
	ck_assert_int_eq(bc_journal_create("/dev/full", &run, &options, &journal, &err), BC_EWRITE);
	ck_assert_msg(strstr(err.msg, "/dev/full") && strstr(err.msg, strerror(ENOSPC)), "%s", err.msg);
	bc_journal_close(NULL);
}
END_TEST

Suite *bc_test_journal(void)
{
	Suite *s = suite_create("journal");
	TCase *tc = tcase_create("journal");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, the_first_line_names_the_run);
	tcase_add_loop_test(tc, a_journal_of_another_format_is_refused_by_name, 0, (int)BC_ARRAY_LEN(heads));
	tcase_add_test(tc, the_options_come_back);
	tcase_add_test(tc, options_that_were_not_given_come_back_as_their_presets);
	tcase_add_loop_test(tc, an_option_that_cannot_be_is_malformed, 0, (int)BC_ARRAY_LEN(bad_options));
	tcase_add_test(tc, an_observation_is_on_disk_at_once);
	tcase_add_test(tc, a_new_run_replaces_the_old_one);
	tcase_add_test(tc, a_journal_that_cannot_be_made_says_so);
	tcase_add_test(tc, a_full_disk_is_told);
	suite_add_tcase(s, tc);
	return s;
}
