/* SPDX-License-Identifier: MIT */
/* The file of `bankcheck history`: schemas, files that are none, two writers, a writer that is killed. */
#include "harness/history/history.h"

#include <check.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/tests/history/history_sample.h"

Suite *bc_test_history_file(void);

/* SQL on the file, outside the code under test. */
static void sql(const char *text)
{
	sqlite3 *db = NULL;
	char *why = NULL;

	ck_assert_int_eq(sqlite3_open(bc_hs_db, &db), SQLITE_OK);
	ck_assert_msg(sqlite3_exec(db, text, NULL, NULL, &why) == SQLITE_OK, "%s", why);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

static struct bc_text contents(void)
{
	struct bc_text t = { 0 };

	ck_assert_msg(bc_file_read(bc_hs_db, (size_t)64 << 20, &t, &bc_hs_err) == BC_OK, "%s", bc_hs_err.msg);
	return t;
}

static void add_run(unsigned n)
{
	struct bc_history *h = bc_hs_open(BC_HISTORY_WRITE);

	bc_hs_run(n, "580.1", BC_PASS);
	bc_hs_add(h);
	bc_history_close(h);
}

START_TEST(schema_1_is_brought_up_to_date)
{
	struct bc_text text = { 0 };

	ck_assert_int_eq(bc_file_read(BC_TEST_DATA "/history/version1.sql", 1 << 20, &text, &bc_hs_err), BC_OK);
	sql(text.data);
	bc_text_release(&text);
	bc_hs_cli("first-bad stride/ld_b32/1 --db h.db", 0, "driver  570.1 -> 575.2");
	ck_assert_int_eq(bc_hs_number("PRAGMA user_version"), BC_HISTORY_SCHEMA);
	bc_hs_cli("trend stride/ld_b32/1 --by driver --db h.db", 0,
		  "  575.2   1     FAIL 1    3           2          3      -\n");
	add_run(1);
	bc_hs_whole(3);
	bc_hs_cli("trend stride/ld_b32/1 --by driver --db h.db", 0,
		  "  580.1   1     PASS 1    2.125       1.125      2.5    104.5\n");
	bc_hs_cli("flaky --db h.db", 0, "no case of 3 runs");
}
END_TEST

/* All that schema 2 had in its rows comes out as it was; version2.sql has what these lines say. */
START_TEST(schema_2_is_brought_up_to_date)
{
	static const char *const rows[] = {
		"2026-01-01T00:00:00,a1,cuda:0,GPU-1,sm_90,NVIDIA H200,h1,580.1,13.0,aa,bb,0.1.0,yes,--pack 1,,"
		"s/r/a,PASS,1,0,1.000001,100.5,no,\r\n",
		",--pack 1,,s/r/b,PASS,2,1,,104,yes,\r\n",
		",--pack 1,,s/r/c,SKIP,,,,,no,\"needs, \"\"it\"\"\"\r\n",
		",a2,cuda:0,GPU-2,sm_90,NVIDIA H200,h2,580.1,13.0,aa,bb,0.1.0,yes,,,s/r/a,FAIL,2,1,1.25,101,no,FAIL "
		"ratio\r\n",
		",a2,cuda:0,GPU-2,sm_90,NVIDIA H200,h2,580.1,13.0,aa,bb,0.1.0,yes,,,s/r/b,PASS,2,1,2.000003,99.5,no,"
		"\r\n",
		",a3,cuda:0,GPU-1,sm_90,NVIDIA H200,h1,580.1,13.0,aa,bb,0.1.0,filtered,,,s/r/b,PASS,2,1,2.1,104,no,"
		"\r\n",
		",s/r/d,LOST,,,,,no,the worker ended\r\n",
	};
	struct bc_text text = { 0 };

	ck_assert_int_eq(bc_file_read(BC_TEST_DATA "/history/version2.sql", 1 << 20, &text, &bc_hs_err), BC_OK);
	sql(text.data);
	bc_text_release(&text);
	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++)
		bc_hs_cli("export --db h.db", 0, rows[i]);
	ck_assert_int_eq(bc_hs_number("PRAGMA user_version"), 3);
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM result"), 7);
	bc_hs_whole(3);
	add_run(1);
	bc_hs_whole(4);
}
END_TEST

/* Tables, columns and indices in words. */
#define SHAPE                                                              \
	"SELECT group_concat(line, ' ') FROM (SELECT m.type || m.name || " \
	"coalesce(c.name || c.type || c.\"notnull\" || c.pk, '') "         \
	"AS line FROM sqlite_schema m LEFT JOIN pragma_table_info(m.name) c ORDER BY line)"

START_TEST(a_new_file_has_the_tables_of_a_migrated_one)
{
	struct bc_text text = { 0 };
	char made[8192], migrated[8192];

	add_run(1);
	bc_hs_text(SHAPE, made, sizeof(made));
	ck_assert_ptr_nonnull(strstr(made, "exception"));
	ck_assert_int_eq(unlink(bc_hs_db), 0);
	ck_assert_int_eq(bc_file_read(BC_TEST_DATA "/history/version1.sql", 1 << 20, &text, &bc_hs_err), BC_OK);
	sql(text.data);
	bc_text_release(&text);
	bc_history_close(bc_hs_open(BC_HISTORY_READ));
	bc_hs_text(SHAPE, migrated, sizeof(migrated));
	ck_assert_str_eq(made, migrated);
}
END_TEST

/* A file that is not ours is refused, and left as it is. */
static void refused(const char *says)
{
	struct bc_text before = contents(), after;

	bc_hs_cli("list --db h.db", 3, says);
	bc_hs_write("a.xml");
	bc_hs_cli("add a.xml --db h.db", 3, says);
	bc_hs_cli("prune --keep 1 --db h.db", 3, says);
	after = contents();
	ck_assert_uint_eq(before.len, after.len);
	ck_assert_mem_eq(before.data, after.data, before.len);
	bc_text_release(&before);
	bc_text_release(&after);
}

START_TEST(a_newer_schema_is_refused)
{
	add_run(1);
	sql("PRAGMA journal_mode = DELETE; PRAGMA user_version = 4");
	refused("has schema 4, this bankcheck (" BC_VERSION ") knows up to 3");
}
END_TEST

static const struct {
	const char *what, *sql, *text, *says;
} foreign[] = {
	{ "a text", NULL,
	  "This is no database, and it is longer than the head of one, which has 100 bytes. So it is said here "
	  "once more that this is no database.\n",
	  "not an SQLite database" },
	{ "a short text", NULL, "hello\n", "not an SQLite database" },
	{ "another program's tables", "CREATE TABLE run (a)", NULL, "a database of another program" },
	{ "another program's number", "PRAGMA application_id = 7", NULL, "a database of another program" },
	{ "another program's version", "PRAGMA user_version = 1; CREATE TABLE t (a)", NULL,
	  "a database of another program" },
	{ "our number, no tables", "PRAGMA application_id = 1650681704; PRAGMA user_version = 2", NULL,
	  "not the tables of a history" },
	{ "our number, a negative version", "PRAGMA application_id = 1650681704; PRAGMA user_version = -1", NULL,
	  "has schema -1" },
};

START_TEST(a_file_that_is_no_history_is_refused)
{
	if (foreign[_i].sql) {
		sql(foreign[_i].sql);
	} else {
		FILE *f = fopen(bc_hs_db, "w");

		ck_assert(f && fputs(foreign[_i].text, f) >= 0 && !fclose(f));
	}
	if (strstr(foreign[_i].what, "no tables")) /* going over to WAL marks the head */
		bc_hs_cli("list --db h.db", 3, foreign[_i].says);
	else
		refused(foreign[_i].says);
}
END_TEST

START_TEST(an_empty_file_becomes_a_history)
{
	FILE *f = fopen(bc_hs_db, "w");

	ck_assert(f && !fclose(f));
	add_run(1);
	bc_hs_whole(1);
}
END_TEST

START_TEST(a_damaged_file_is_said_to_be)
{
	add_run(1);
	sql("PRAGMA journal_mode = DELETE");
	ck_assert_int_eq(truncate(bc_hs_db, 8192), 0);
	bc_hs_cli("list --db h.db", 3, "is damaged");
}
END_TEST

START_TEST(a_folder_is_no_history)
{
	ck_assert_int_eq(mkdir(bc_hs_db, 0777), 0);
	bc_hs_cli("list --db h.db", 3, "not a regular file");
	bc_hs_write("a.xml");
	bc_hs_cli("add a.xml --db h.db", 3, "not a regular file");
	bc_hs_cli("add a.xml --db none/deep/h.db", 2, "cannot be made");
}
END_TEST

static const char *const odd_names[] = { ":memory:", "file:x.db?mode=memory", "a%20#b?c.db", "x';--.db" };

START_TEST(an_odd_name_is_a_file)
{
	char words[100];

	bc_hs_write("a.xml");
	(void)snprintf(words, sizeof(words), "add a.xml --db %s", odd_names[_i]);
	bc_hs_cli(words, 0, "1 run added");
	(void)snprintf(bc_hs_db, sizeof(bc_hs_db), "%s/%s", bc_hs_call.dir, odd_names[_i]);
	ck_assert_int_eq(access(bc_hs_db, R_OK), 0);
}
END_TEST

START_TEST(the_default_is_in_reports)
{
	bc_hs_write("a.xml");
	bc_hs_cli("add a.xml", 0, "1 run added");
	(void)snprintf(bc_hs_db, sizeof(bc_hs_db), "%s/reports/history.db", bc_hs_call.dir);
	bc_hs_whole(1);
}
END_TEST

/* In a child that is not root: reading works where nothing can be written, adding says why not. */
static int try_read_only(void)
{
	struct bc_history *h = NULL;
	struct bc_history_runs runs = { 0 };
	struct bc_error err = { .msg = "" };
	int status = 0;

	if (chdir(bc_hs_call.dir) != 0 || (geteuid() == 0 && setuid(65534) != 0))
		return 2;
	if (bc_history_open("ro/h #1.db", BC_HISTORY_READ, &h, &err) || bc_history_runs(h, &runs, &err) || runs.n != 1)
		status = 3;
	bc_history_runs_release(&runs);
	bc_history_close(h);
	if (!status && (bc_history_open("ro/h #1.db", BC_HISTORY_WRITE, &h, &err) != BC_EWRITE ||
			!strstr(err.msg, "cannot be written")))
		status = 4;
	if (!status && bc_history_open("ro/new.db", BC_HISTORY_WRITE, &h, &err) != BC_EWRITE)
		status = 5;
	if (status)
		(void)fprintf(stderr, "%s\n", err.msg);
	return status;
}

START_TEST(a_read_only_folder_can_be_read)
{
	char dir[BC_PATH_MAX + 32];
	int status = 0;
	pid_t pid;

	(void)snprintf(dir, sizeof(dir), "%s/ro", bc_hs_call.dir);
	ck_assert_int_eq(mkdir(dir, 0777), 0);
	(void)snprintf(bc_hs_db, sizeof(bc_hs_db), "%s/ro/h #1.db", bc_hs_call.dir);
	add_run(1);
	ck_assert_int_eq(chmod(bc_hs_db, 0444), 0);
	ck_assert_int_eq(chmod(dir, 0555), 0);
	ck_assert_int_eq(chmod(bc_hs_call.dir, 0755), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(try_read_only());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(chmod(dir, 0777), 0);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", WEXITSTATUS(status));
}
END_TEST

/* Adds runs @from to @to, as a process of its own; each opens the file anew. */
static pid_t writer(const char *name, unsigned from, unsigned to)
{
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid)
		return pid;
	for (unsigned i = from; i <= to; i++) {
		struct bc_history *h = NULL;
		struct bc_history_added sum = { 0 };
		struct bc_error err = { .msg = "" };

		bc_hs_run(i, "580.1", BC_PASS);
		bc_hs_write(name);
		if (bc_history_open(bc_hs_db, BC_HISTORY_WRITE, &h, &err) || bc_hs_add_file(h, name, &sum)) {
			(void)fprintf(stderr, "%s%s\n", err.msg, bc_hs_err.msg);
			_exit(1);
		}
		bc_history_close(h);
	}
	_exit(0);
}

START_TEST(two_writers_wait_for_each_other)
{
	const pid_t pid[] = { writer("a.xml", 1, 20), writer("b.xml", 11, 30) };

	for (size_t i = 0; i < 2; i++) {
		int status = 0;

		ck_assert_int_eq(waitpid(pid[i], &status, 0), pid[i]);
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "writer %zu: %x", i, (unsigned)status);
	}
	bc_hs_whole(30); /* 11 to 20 were added by both */
}
END_TEST

START_TEST(a_writer_waits_for_one_that_takes_its_time)
{
	struct bc_history *h;
	struct bc_history_runs runs = { 0 };
	sqlite3 *db = NULL;
	int status = 0;
	pid_t pid;

	add_run(1);
	ck_assert_int_eq(sqlite3_open(bc_hs_db, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	bc_hs_run(2, "580.1", BC_PASS);
	bc_hs_write("a.xml");
	pid = bc_program_launch(&bc_hs_call,
				"history add a.xml --db h.db"); /* not a fork: SQLite's state is per process */
	(void)usleep(300000);
	ck_assert_int_eq(waitpid(pid, &status, WNOHANG), 0); /* still waiting */
	h = bc_hs_open(BC_HISTORY_READ);		     /* readers do not wait */
	ck_assert_int_eq(bc_history_runs(h, &runs, &bc_hs_err), BC_OK);
	ck_assert_uint_eq(runs.n, 1);
	bc_history_runs_release(&runs);
	bc_history_close(h);
	ck_assert_int_eq(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
	bc_program_end(&bc_hs_call, pid);
	ck_assert_msg(bc_hs_call.status == 0, "%s", bc_hs_call.err.data);
	bc_hs_whole(2);
}
END_TEST

/* How many rows are written before the process is killed; 0: at the commit. */
static int rows_until_death;

static int die_at_commit(void *ctx)
{
	(void)ctx;
	return rows_until_death == 0 ? raise(SIGKILL) : 0;
}

static void die_at_row(void *ctx, int op, const char *database, const char *table, sqlite3_int64 row)
{
	(void)ctx;
	(void)op;
	(void)database;
	(void)table;
	(void)row;
	if (rows_until_death && --rows_until_death == 0)
		(void)raise(SIGKILL);
}

static int set_hooks(sqlite3 *db, char **why, const struct sqlite3_api_routines *api)
{
	(void)why;
	(void)api;
	(void)sqlite3_commit_hook(db, die_at_commit, NULL);
	(void)sqlite3_update_hook(db, die_at_row, NULL);
	return SQLITE_OK;
}

static const int deaths[] = { 0, 1, 2, 1000 };

START_TEST(a_killed_add_leaves_the_file_whole)
{
	int status = 0;
	pid_t pid;

	add_run(1);
	/* many new cases, so that some of them are in the log before the end */
	bc_sample_release(&bc_hs_sample);
	bc_sample_init(&bc_hs_sample, 3000);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct bc_history *h = bc_hs_open(BC_HISTORY_WRITE);

		bc_history_close(h);
		bc_hs_run(2, "580.1", BC_PASS);
		rows_until_death = deaths[_i];
		(void)sqlite3_auto_extension((void (*)(void))set_hooks);
		h = bc_hs_open(BC_HISTORY_WRITE);
		bc_hs_add(h);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "%x", (unsigned)status);
	bc_hs_whole(1);
	add_run(2);
	bc_hs_whole(2);
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM result"), BC_HS_CASES + 3000);
}
END_TEST

START_TEST(a_full_disk_leaves_the_file_whole)
{
	add_run(1);
	bc_sample_release(&bc_hs_sample);
	bc_sample_init(&bc_hs_sample, 3000);
	bc_hs_run(2, "580.1", BC_PASS);
	bc_hs_write("big.xml");
	bc_hs_call.file_limit = 100000;
	bc_hs_cli("add big.xml --db h.db", 2, "h.db: ");
	bc_hs_whole(1);
	bc_hs_call.file_limit = 0;
	bc_hs_cli("add big.xml --db h.db", 0, "1 run added");
	bc_hs_whole(2);
}
END_TEST

START_TEST(output_that_does_not_get_out_is_an_error)
{
	add_run(1);
	bc_hs_call.out_path = "/dev/full";
	bc_hs_cli("list --db h.db", 2, "standard output");
	bc_hs_cli("export --db h.db", 2, "could not be written");
}
END_TEST

Suite *bc_test_history_file(void)
{
	Suite *s = suite_create("history_file");
	TCase *tc = tcase_create("history_file");

	tcase_add_checked_fixture(tc, bc_hs_setup, bc_hs_teardown);
	tcase_add_test(tc, schema_1_is_brought_up_to_date);
	tcase_add_test(tc, schema_2_is_brought_up_to_date);
	tcase_add_test(tc, a_new_file_has_the_tables_of_a_migrated_one);
	tcase_add_test(tc, a_newer_schema_is_refused);
	tcase_add_loop_test(tc, a_file_that_is_no_history_is_refused, 0, (int)BC_ARRAY_LEN(foreign));
	tcase_add_test(tc, an_empty_file_becomes_a_history);
	tcase_add_test(tc, a_damaged_file_is_said_to_be);
	tcase_add_test(tc, a_folder_is_no_history);
	tcase_add_loop_test(tc, an_odd_name_is_a_file, 0, (int)BC_ARRAY_LEN(odd_names));
	tcase_add_test(tc, the_default_is_in_reports);
	tcase_add_test(tc, a_read_only_folder_can_be_read);
	tcase_add_test(tc, two_writers_wait_for_each_other);
	tcase_add_test(tc, a_writer_waits_for_one_that_takes_its_time);
	tcase_add_loop_test(tc, a_killed_add_leaves_the_file_whole, 0, (int)BC_ARRAY_LEN(deaths));
	tcase_add_test(tc, a_full_disk_leaves_the_file_whole);
	tcase_add_test(tc, output_that_does_not_get_out_is_an_error);
	suite_add_tcase(s, tc);
	return s;
}
