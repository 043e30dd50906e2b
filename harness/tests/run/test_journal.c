/* SPDX-License-Identifier: MIT */
#include "harness/run/journal.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/run/message.h"
#include "harness/tests/report/report_sample.h"

Suite *bc_test_journal(void);

static struct bc_error err;
static char dir[BC_PATH_MAX], path[BC_PATH_MAX + 32];
static struct bc_run run;
static struct bc_journal *journal;

static void setup(void)
{
	bc_sample_folder(dir);
	(void)snprintf(path, sizeof(path), "%s/journal.tsv", dir);
	run = (struct bc_run){ .run_id = "20261129T213000Z-host-77", .plan_hash = 0xabc };
	journal = NULL;
}

static void teardown(void)
{
	bc_journal_close(journal);
}

static void create(void)
{
	ck_assert_msg(bc_journal_create(path, &run, &journal, &err) == BC_OK, "%s", err.msg);
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
	ck_assert_str_eq(bc_message_get(&f, "run_id"), run.run_id);
	ck_assert_str_eq(bc_message_get(&f, "version"), BC_VERSION);
	ck_assert_str_eq(bc_message_get(&f, "plan_hash"), "0000000000000abc");
	bc_text_release(&t);
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
	ck_assert_int_eq(bc_journal_create(path, &run, &journal, &err), BC_EWRITE);
	ck_assert_msg(strstr(err.msg, path) && strstr(err.msg, strerror(ENOENT)), "%s", err.msg);
	ck_assert_ptr_null(journal);
	ck_assert_int_eq(bc_journal_create(dir, &run, &journal, &err), BC_EWRITE);
	ck_assert_msg(strstr(err.msg, strerror(EISDIR)), "%s", err.msg);
}
END_TEST

START_TEST(a_full_disk_is_told)
{
	ck_assert_int_eq(bc_journal_create("/dev/full", &run, &journal, &err), BC_EWRITE);
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
	tcase_add_test(tc, an_observation_is_on_disk_at_once);
	tcase_add_test(tc, a_new_run_replaces_the_old_one);
	tcase_add_test(tc, a_journal_that_cannot_be_made_says_so);
	tcase_add_test(tc, a_full_disk_is_told);
	suite_add_tcase(s, tc);
	return s;
}
