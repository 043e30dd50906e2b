/* SPDX-License-Identifier: MIT */
#include "harness/base/folder.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/tests/report/report_sample.h"

Suite *bc_test_folder(void);

static struct bc_error err;
static char base[BC_PATH_MAX];
static char dir[BC_PATH_MAX + 32];
static struct bc_folder *f;

static void setup(void)
{
	bc_sample_folder(base);
	(void)snprintf(dir, sizeof(dir), "%s/a/b//c/", base);
	f = NULL;
}

static void teardown(void)
{
	bc_folder_close(f);
}

START_TEST(the_folder_is_made_and_locked)
{
	struct bc_folder *second = NULL;
	char path[sizeof(dir) + 16], pid[32];
	struct bc_text t = { 0 };

	ck_assert_msg(bc_folder_open(dir, &f, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(bc_sample_entries(dir), 1); /* the lock, nothing else */
	(void)snprintf(path, sizeof(path), "%s/.lock", dir);
	ck_assert_int_eq(bc_file_read(path, 100, &t, &err), BC_OK);
	(void)snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
	ck_assert_str_eq(t.data, pid);
	bc_text_release(&t);
	/* twice in one process is refused too */
	ck_assert_int_eq(bc_folder_open(dir, &second, &err), BC_EWRITE);
	ck_assert_ptr_null(second);
	bc_folder_close(f);
	f = NULL;
	ck_assert_int_eq(bc_folder_open(dir, &f, &err), BC_OK);
}
END_TEST

START_TEST(close_takes_null)
{
	bc_folder_close(NULL);
}
END_TEST

START_TEST(a_relative_folder_is_made)
{
	char was[BC_PATH_MAX];

	ck_assert_ptr_nonnull(getcwd(was, sizeof(was)));
	ck_assert_int_eq(chdir(base), 0);
	ck_assert_msg(bc_folder_open("reports", &f, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(bc_sample_entries("reports"), 1);
	ck_assert_int_eq(chdir(was), 0);
}
END_TEST

/* A child holds the lock until its pipe is closed or it is killed. */
static pid_t holder(int *go)
{
	int ready[2], hold[2];
	char byte = 'x';
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	ck_assert_int_eq(pipe(hold), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct bc_folder *own = NULL;

		(void)close(hold[1]);
		if (bc_folder_open(dir, &own, NULL) != BC_OK || write(ready[1], &byte, 1) != 1)
			_exit(1);
		(void)!read(hold[0], &byte, 1); /* until the parent closes its end */
		_exit(0);			/* without bc_folder_close: the lock ends with the process */
	}
	(void)close(ready[1]);
	(void)close(hold[0]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	*go = hold[1];
	return pid;
}

START_TEST(a_second_run_is_told_who_holds_the_lock)
{
	char want[64];
	int go, status;
	const pid_t pid = holder(&go);

	for (int again = 0; again < 2; again++) { /* a refused try changes nothing */
		ck_assert_int_eq(bc_folder_open(dir, &f, &err), BC_EWRITE);
		(void)snprintf(want, sizeof(want), "(pid %ld)", (long)pid);
		ck_assert_msg(strstr(err.msg, want) && strstr(err.msg, dir) && strstr(err.msg, "--reports"), "%s",
			      err.msg);
	}
	if (_i == 0)
		(void)close(go);
	else
		(void)kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(bc_folder_open(dir, &f, &err) == BC_OK, "%s", err.msg);
	if (_i != 0)
		(void)close(go);
}
END_TEST

static const struct {
	const char *what, *name, *say;
} bad[] = {
	{ "empty", "", "1 to" },
	{ "below a device", "/dev/null/reports", "/dev/null: there is a file of that name" },
	{ "where nothing can be made", "/proc/self/reports", "--reports" },
};

START_TEST(an_impossible_folder_is_refused)
{
	ck_assert_msg(bc_folder_open(bad[_i].name, &f, &err) == BC_EWRITE, "%s: taken", bad[_i].what);
	ck_assert_msg(strstr(err.msg, bad[_i].say), "%s: %s", bad[_i].what, err.msg);
	ck_assert_ptr_null(f);
}
END_TEST

START_TEST(a_file_is_no_folder)
{
	FILE *file;

	(void)snprintf(dir, sizeof(dir), "%s/file", base);
	file = fopen(dir, "w");
	ck_assert_ptr_nonnull(file);
	(void)fclose(file);
	ck_assert_int_eq(bc_folder_open(dir, &f, &err), BC_EWRITE);
	ck_assert_msg(strstr(err.msg, "there is a file of that name"), "%s", err.msg);
}
END_TEST

START_TEST(a_long_name_is_refused)
{
	char name[BC_PATH_MAX + 1];

	memset(name, 'n', BC_PATH_MAX);
	name[BC_PATH_MAX] = '\0';
	ck_assert_int_eq(bc_folder_open(name, &f, &err), BC_EWRITE);
	ck_assert_ptr_nonnull(strstr(err.msg, "1 to 1023 bytes"));
}
END_TEST

/* In a child that is not root: a folder without permission to write, with and without a lock file left in it. */
START_TEST(a_read_only_folder_is_refused)
{
	char path[sizeof(dir) + 16];
	int status;
	pid_t pid;

	(void)snprintf(dir, sizeof(dir), "%s/ro", base);
	(void)snprintf(path, sizeof(path), "%s/.lock", dir);
	ck_assert_int_eq(mkdir(dir, 0777), 0);
	if (_i == 1) {
		FILE *file = fopen(path, "w");

		ck_assert_ptr_nonnull(file);
		(void)fclose(file);
		ck_assert_int_eq(chmod(path, 0666), 0);
	}
	ck_assert_int_eq(chmod(dir, 0555), 0);
	ck_assert_int_eq(chmod(base, 0755), 0); /* the folders above it may be closed to others: the name is relative */
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (chdir(base) != 0 || (geteuid() == 0 && setuid(65534) != 0))
			_exit(2);
		if (bc_folder_open("ro", &f, &err) != BC_EWRITE)
			_exit(3);
		_exit(strstr(err.msg, "cannot write in the reports folder: ") && strstr(err.msg, "Permission denied")
			      ? 0
			      : 4);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", WEXITSTATUS(status));
	ck_assert_int_eq(chmod(dir, 0777), 0);
}
END_TEST

Suite *bc_test_folder(void)
{
	Suite *s = suite_create("folder");
	TCase *tc = tcase_create("folder");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, the_folder_is_made_and_locked);
	tcase_add_test(tc, close_takes_null);
	tcase_add_test(tc, a_relative_folder_is_made);
	tcase_add_loop_test(tc, a_second_run_is_told_who_holds_the_lock, 0, 2);
	tcase_add_loop_test(tc, an_impossible_folder_is_refused, 0, (int)BC_ARRAY_LEN(bad));
	tcase_add_test(tc, a_file_is_no_folder);
	tcase_add_test(tc, a_long_name_is_refused);
	tcase_add_loop_test(tc, a_read_only_folder_is_refused, 0, 2);
	suite_add_tcase(s, tc);
	return s;
}
