/* SPDX-License-Identifier: MIT */
#include "harness/tests/history/history_sample.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "harness/report/junit.h"

struct bc_program_call bc_hs_call;
struct bc_sample bc_hs_sample;
struct bc_error bc_hs_err;
char bc_hs_db[BC_PATH_MAX + 64];

void bc_hs_setup(void)
{
	bc_program_init(&bc_hs_call);
	bc_sample_init(&bc_hs_sample, BC_HS_CASES);
	(void)snprintf(bc_hs_db, sizeof(bc_hs_db), "%s/h.db", bc_hs_call.dir);
}

void bc_hs_teardown(void)
{
	bc_sample_release(&bc_hs_sample);
	bc_program_release(&bc_hs_call);
}

const char *bc_hs_version;

/* The report as another version of bankcheck wrote it. */
static void rename_version(struct bc_text *text)
{
	static const char here[] = "name=\"bankcheck\" value=\"" BC_VERSION "\"";
	struct bc_text out = { 0 };
	const char *from = text->data;

	for (const char *at; (at = strstr(from, here)); from = at + sizeof(here) - 1) {
		ck_assert_int_eq(bc_text_add(&out, from, (size_t)(at - from), NULL), BC_OK);
		ck_assert_int_eq(bc_text_addf(&out, NULL, "name=\"bankcheck\" value=\"%s\"", bc_hs_version), BC_OK);
	}
	ck_assert(from != text->data);
	ck_assert_int_eq(bc_text_addf(&out, NULL, "%s", from), BC_OK);
	bc_text_release(text);
	*text = out;
}

void bc_hs_write(const char *name)
{
	struct bc_text text = { 0 };
	char own[BC_JUNIT_NAME_MAX];

	bc_junit_name(&bc_hs_sample.devices[0], own);
	ck_assert_msg(bc_junit_format(&bc_hs_sample.run, BC_JUNIT_FULL, own, &text, &bc_hs_err) == BC_OK, "%s",
		      bc_hs_err.msg);
	if (bc_hs_version)
		rename_version(&text);
	ck_assert_msg(bc_file_replace(&bc_file_system, bc_hs_call.dir, name, text.data, text.len, &bc_hs_err) == BC_OK,
		      "%s", bc_hs_err.msg);
	bc_text_release(&text);
}

void bc_hs_run(unsigned n, const char *driver, enum bc_verdict v)
{
	struct bc_run *r = &bc_hs_sample.run;

	(void)snprintf(r->run_id, sizeof(r->run_id), "run%02u", n);
	(void)snprintf(r->timestamp, sizeof(r->timestamp), "2026-01-%02uT01:02:03", n);
	(void)bc_strlcpy(r->devices[0].facts.driver, driver, sizeof(r->devices[0].facts.driver));
	bc_sample_set(&bc_hs_sample, 0, 1, v, v == BC_PASS ? "" : "it is wrong");
}

enum bc_status bc_hs_add_file(struct bc_history *h, const char *name, struct bc_history_added *sum)
{
	char path[BC_PATH_MAX + 64];
	struct bc_read_file f = { 0 };
	enum bc_status st;

	(void)snprintf(path, sizeof(path), "%s/%s", bc_hs_call.dir, name);
	st = bc_report_read(path, &f, &bc_hs_err);
	if (!st)
		st = bc_history_add(h, &f, sum, &bc_hs_err);
	bc_report_release(&f);
	return st;
}

void bc_hs_add(struct bc_history *h)
{
	struct bc_history_added sum = { 0 };

	bc_hs_write("sm_90.xml");
	ck_assert_msg(bc_hs_add_file(h, "sm_90.xml", &sum) == BC_OK, "%s", bc_hs_err.msg);
	ck_assert_uint_eq(sum.added, bc_hs_sample.run.ndevices);
}

struct bc_history *bc_hs_open(enum bc_history_mode mode)
{
	struct bc_history *h = NULL;

	ck_assert_msg(bc_history_open(bc_hs_db, mode, &h, &bc_hs_err) == BC_OK, "%s", bc_hs_err.msg);
	return h;
}

void bc_hs_text(const char *sql, char *buf, size_t size)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *s = NULL;

	ck_assert_int_eq(sqlite3_open_v2(bc_hs_db, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_busy_timeout(db, 10000), SQLITE_OK);
	ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
	ck_assert_msg(sqlite3_step(s) == SQLITE_ROW, "%s: %s", sql, sqlite3_errmsg(db));
	(void)bc_strlcpy(buf, (const char *)sqlite3_column_text(s, 0), size);
	ck_assert_int_eq(sqlite3_finalize(s), SQLITE_OK);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

int64_t bc_hs_number(const char *sql)
{
	char buf[32];
	long long v = -1;

	bc_hs_text(sql, buf, sizeof(buf));
	ck_assert_int_eq(sscanf(buf, "%lld", &v), 1);
	return v;
}

void bc_hs_whole(int runs)
{
	char buf[200];

	bc_hs_text("PRAGMA integrity_check", buf, sizeof(buf));
	ck_assert_str_eq(buf, "ok");
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM run"), runs);
	ck_assert_int_eq(
		bc_hs_number("SELECT count(*) FROM run WHERE cases != (SELECT count(*) FROM result WHERE run = id)"),
		0);
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM result WHERE run NOT IN (SELECT id FROM run)"), 0);
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM fact WHERE run NOT IN (SELECT id FROM run)"), 0);
}

void bc_hs_cli(const char *words, int status, const char *says)
{
	char line[400];

	bc_hs_call.set[0][0] = "LC_ALL";
	bc_hs_call.set[0][1] = "C";
	(void)snprintf(line, sizeof(line), "history %s", words);
	bc_program_run(&bc_hs_call, line);
	ck_assert_msg(bc_hs_call.status == status, "%s: exit status %d\n%s%s", words, bc_hs_call.status,
		      bc_hs_call.out.data, bc_hs_call.err.data);
	ck_assert_msg(strstr(status ? bc_hs_call.err.data : bc_hs_call.out.data, says) != NULL, "%s: no `%s` in\n%s%s",
		      words, says, bc_hs_call.out.data, bc_hs_call.err.data);
}
