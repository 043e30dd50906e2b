/* SPDX-License-Identifier: MIT */
#include "harness/base/file.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/report/junit.h"
#include "harness/tests/report/report_sample.h"

Suite *bc_test_file(void);

static struct bc_error err;
static char dir[BC_PATH_MAX];

/* Calls that may still succeed; the next one fails with fail_errno. */
static unsigned allowance;
static int fail_errno;
static const char *failed_call;

static bool fails(const char *call)
{
	if (allowance-- > 0)
		return false;
	allowance = UINT32_MAX; /* one failure */
	failed_call = call;
	errno = fail_errno;
	return true;
}

static ssize_t poor_write(int fd, const void *buf, size_t len)
{
	/* at most 3 bytes at a time, so that short writes are seen */
	return fails("write") ? -1 : write(fd, buf, len < 3 ? len : 3);
}

static int poor_fsync(int fd)
{
	return fails("fsync") ? -1 : fsync(fd);
}

static int poor_close(int fd)
{
	/* like the system's: the descriptor is gone even when it fails */
	const int rc = close(fd);

	return fails("close") ? -1 : rc;
}

static int poor_rename(const char *from, const char *to)
{
	return fails("rename") ? -1 : rename(from, to);
}

static const struct bc_file_calls poor = {
	.write = poor_write,
	.fsync = poor_fsync,
	.close = poor_close,
	.rename = poor_rename,
};

static void setup(void)
{
	bc_sample_folder(dir);
	allowance = UINT32_MAX;
	failed_call = NULL;
}

static void put_old(void)
{
	ck_assert_msg(bc_file_replace(&bc_file_system, dir, "r.xml", "old", 3, &err) == BC_OK, "%s", err.msg);
}

static bool holds(const char *want)
{
	char path[BC_PATH_MAX + 16];
	struct bc_text t = { 0 };
	bool same;

	(void)snprintf(path, sizeof(path), "%s/r.xml", dir);
	ck_assert_msg(bc_file_read(path, 1 << 20, &t, &err) == BC_OK, "%s", err.msg);
	same = t.len == strlen(want) && (t.len == 0 || memcmp(t.data, want, t.len) == 0);
	bc_text_release(&t);
	return same;
}

START_TEST(a_file_is_replaced)
{
	put_old();
	ck_assert(holds("old"));
	ck_assert_int_eq(bc_file_replace(&poor, dir, "r.xml", "a new report", 12, &err), BC_OK);
	ck_assert(holds("a new report"));
	ck_assert_int_eq(bc_file_replace(&poor, dir, "r.xml", "", 0, &err), BC_OK);
	ck_assert(holds(""));
	ck_assert_uint_eq(bc_sample_entries(dir), 1);
}
END_TEST

/* 4 writes, fsync, close, rename, fsync and close of the folder: whichever fails is told, nothing is half-written. */
START_TEST(every_call_is_checked)
{
	static const char *const order[] = {
		"write", "write", "write", "write", "fsync", "close", "rename", "fsync", "close",
	};
	unsigned n;

	for (n = 0; n < 100; n++) {
		enum bc_status st;

		put_old();
		allowance = n;
		fail_errno = ENOSPC;
		failed_call = NULL;
		st = bc_file_replace(&poor, dir, "r.xml", "a new report", 12, &err);
		if (!failed_call)
			break;
		ck_assert_uint_lt(n, BC_ARRAY_LEN(order));
		ck_assert_str_eq(failed_call, order[n]);
		ck_assert_msg(st == BC_EWRITE, "call %u (%s) is not checked", n, failed_call);
		ck_assert_msg(strstr(err.msg, dir) && strstr(err.msg, strerror(ENOSPC)), "%s", err.msg);
		ck_assert_msg(holds(n < 7 ? "old" : "a new report"), "after call %u (%s)", n, failed_call);
		ck_assert_msg(bc_sample_entries(dir) == 1, "call %u (%s) leaves a file", n, failed_call);
	}
	ck_assert_uint_eq(n, BC_ARRAY_LEN(order));
	ck_assert(holds("a new report"));
}
END_TEST

START_TEST(a_signal_is_no_failure)
{
	put_old();
	allowance = 1; /* the second write */
	fail_errno = EINTR;
	ck_assert_msg(bc_file_replace(&poor, dir, "r.xml", "a new report", 12, &err) == BC_OK, "%s", err.msg);
	ck_assert_str_eq(failed_call, "write");
	ck_assert(holds("a new report"));
}
END_TEST

static ssize_t stuck_write(int fd, const void *buf, size_t len)
{
	(void)fd;
	(void)buf;
	(void)len;
	return 0;
}

START_TEST(no_progress_ends)
{
	const struct bc_file_calls stuck = { .write = stuck_write, .fsync = fsync, .close = close, .rename = rename };

	put_old();
	ck_assert_int_eq(bc_file_replace(&stuck, dir, "r.xml", "x", 1, &err), BC_EWRITE);
	ck_assert(holds("old"));
}
END_TEST

START_TEST(a_folder_without_sync_is_taken)
{
	put_old();
	allowance = 4; /* write, fsync, close, rename; the next is the folder's fsync */
	fail_errno = EINVAL;
	ck_assert_msg(bc_file_replace(&poor, dir, "r.xml", "abc", 3, &err) == BC_OK, "%s", err.msg);
	ck_assert_str_eq(failed_call, "fsync");
	ck_assert(holds("abc"));
}
END_TEST

/* A device, a pipe or a folder of that name is no report to replace, nor is what it is a link to. */
START_TEST(what_is_no_file_stays)
{
	static const struct {
		const char *make, *says;
		mode_t type;
	} rows[] = {
		{ "mkfifo %s/r.xml", "is a device or pipe", S_IFIFO },
		{ "ln -s /dev/null %s/r.xml", "is a device or pipe", S_IFLNK },
		{ "mkdir %s/r.xml", "is a folder", S_IFDIR },
	};
	char command[BC_PATH_MAX + 64], path[BC_PATH_MAX + 16];
	struct stat s;

	(void)snprintf(path, sizeof(path), "%s/r.xml", dir);
	(void)snprintf(command, sizeof(command), rows[_i].make, dir);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(bc_file_replace(&bc_file_system, dir, "r.xml", "x", 1, &err), BC_EWRITE);
	ck_assert_ptr_nonnull(strstr(err.msg, rows[_i].says));
	ck_assert_ptr_nonnull(strstr(err.msg, path));
	ck_assert_int_eq(lstat(path, &s), 0);
	ck_assert_uint_eq(s.st_mode & S_IFMT, rows[_i].type);
	ck_assert_uint_eq(bc_sample_entries(dir), 1);
}
END_TEST

START_TEST(no_folder_no_file)
{
	char gone[BC_PATH_MAX + 16];

	(void)snprintf(gone, sizeof(gone), "%s/gone", dir);
	ck_assert_int_eq(bc_file_replace(&bc_file_system, gone, "r.xml", "x", 1, &err), BC_EWRITE);
	ck_assert_ptr_nonnull(strstr(err.msg, "gone/.r.xml.tmp"));
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(ENOENT)));
}
END_TEST

START_TEST(a_long_path_is_refused)
{
	char name[BC_PATH_MAX];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(bc_file_replace(&bc_file_system, dir, name, "x", 1, &err), BC_EWRITE);
	ck_assert_uint_eq(bc_sample_entries(dir), 0);
}
END_TEST

/* A disk that is full after 4 KB, as the process sees it: write gives EFBIG for what is beyond RLIMIT_FSIZE. */
START_TEST(a_full_disk_keeps_the_old_report)
{
	struct bc_sample sample;
	struct bc_paths paths = { 0 };
	struct bc_text old = { 0 }, now = { 0 };
	struct rlimit was, less;
	char path[BC_PATH_MAX + 16];
	void (*handler)(int);
	enum bc_status st;

	bc_sample_init(&sample, 1);
	ck_assert_int_eq(bc_junit_write(&sample.run, BC_JUNIT_FULL, dir, &paths, &err), BC_OK);
	(void)snprintf(path, sizeof(path), "%s/sm_90.xml", dir);
	ck_assert_int_eq(bc_file_read(path, 1 << 20, &old, &err), BC_OK);
	bc_sample_release(&sample);
	bc_paths_release(&paths);

	bc_sample_init(&sample, 20); /* some 25 KB */
	handler = signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &was), 0);
	less = (struct rlimit){ .rlim_cur = 4096, .rlim_max = was.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &less), 0);
	st = bc_junit_write(&sample.run, BC_JUNIT_FULL, dir, &paths, &err);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &was), 0);
	(void)signal(SIGXFSZ, handler);

	ck_assert_int_eq(st, BC_EWRITE);
	ck_assert_msg(strstr(err.msg, "sm_90.xml") && strstr(err.msg, strerror(EFBIG)), "%s", err.msg);
	ck_assert_uint_eq(paths.n, 0);
	ck_assert_int_eq(bc_file_read(path, 1 << 20, &now, &err), BC_OK);
	ck_assert_str_eq(now.data, old.data);
	ck_assert_uint_eq(bc_sample_entries(dir), 1);
	bc_text_release(&now);
	bc_text_release(&old);
	bc_sample_release(&sample);
}
END_TEST

START_TEST(a_closed_pipe_is_a_failure)
{
	int fd[2];

	(void)signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(fd), 0);
	ck_assert_int_eq(bc_write_all(&bc_file_system, fd[1], "abc", 3, "the pipe", &err), BC_OK);
	(void)close(fd[0]);
	ck_assert_int_eq(bc_write_all(&bc_file_system, fd[1], "abc", 3, "the pipe", &err), BC_EWRITE);
	ck_assert_ptr_nonnull(strstr(err.msg, "the pipe: "));
	(void)close(fd[1]);
	ck_assert_int_eq(bc_write_all(&bc_file_system, fd[1], "", 0, "the pipe", &err), BC_OK); /* nothing to send */
}
END_TEST

/* What has no sync, as a pipe, needs none; another failure is told. */
START_TEST(a_pipe_needs_no_sync)
{
	int fd[2];

	ck_assert_int_eq(pipe(fd), 0);
	ck_assert_int_eq(bc_file_sync(&bc_file_system, fd[1], "the pipe", &err), BC_OK);
	(void)close(fd[0]);
	(void)close(fd[1]);
	ck_assert_int_eq(bc_file_sync(&bc_file_system, fd[1], "the pipe", &err), BC_EWRITE);
	ck_assert_ptr_nonnull(strstr(err.msg, "the pipe: "));
}
END_TEST

/* A rename that fails removes what was to be renamed, and leaves what is there. */
START_TEST(a_path_is_shown_from_its_end)
{
	ck_assert_str_eq(bc_path_end("/opt/x/expected/common/stride.txt", 3), "expected/common/stride.txt");
	ck_assert_str_eq(bc_path_end("expected/common/stride.txt", 3), "expected/common/stride.txt");
	ck_assert_str_eq(bc_path_end("/stride.txt", 3), "/stride.txt");
	ck_assert_str_eq(bc_path_end("stride.txt", 1), "stride.txt");
	ck_assert_str_eq(bc_path_end("", 2), "");
}
END_TEST

static const struct {
	const char *dir, *text, *want;
} shortened[] = {
	{ "/opt/x/kernels", "/opt/x/kernels/a.ptx: gone", "kernels/a.ptx: gone" },
	{ "/opt/x/kernels/", "/opt/x/kernels/a.ptx: gone", "kernels/a.ptx: gone" },
	{ "/opt/x/kernels", "took /opt/x/kernels-12.9 (not /opt/x/kernels)", "took kernels-12.9 (not kernels)" },
	{ "/opt/x/kernels", "/data/opt/x/kernels/a.ptx", "/data/opt/x/kernels/a.ptx" },
	{ "/opt/x/kernels", "/opt/y/a.ptx", "/opt/y/a.ptx" },
	{ "/kernels", "/kernels/a.ptx: 3/4", "/kernels/a.ptx: 3/4" },
	{ "build/kernels", "build/kernels/a.ptx", "build/kernels/a.ptx" },
	{ "", "/a", "/a" },
};

START_TEST(a_folder_of_the_machine_is_left_out)
{
	char text[100];

	(void)bc_strlcpy(text, shortened[_i].text, sizeof(text));
	bc_shorten_paths(text, shortened[_i].dir);
	ck_assert_str_eq(text, shortened[_i].want);
}
END_TEST

START_TEST(a_rename_that_fails_removes_the_new_file)
{
	char path[BC_PATH_MAX + 16], gone[BC_PATH_MAX + 16];

	put_old();
	(void)snprintf(path, sizeof(path), "%s/r.xml", dir);
	(void)snprintf(gone, sizeof(gone), "%s/gone", dir);
	ck_assert_int_eq(bc_file_rename(&bc_file_system, gone, path, &err), BC_EWRITE);
	ck_assert_ptr_nonnull(strstr(err.msg, gone));
	ck_assert(holds("old"));
	(void)snprintf(gone, sizeof(gone), "%s/gone/r.xml", dir);
	ck_assert_int_eq(bc_file_rename(&bc_file_system, path, gone, &err), BC_EWRITE);
	ck_assert_uint_eq(bc_sample_entries(dir), 0);
}
END_TEST

Suite *bc_test_file(void)
{
	Suite *s = suite_create("file");
	TCase *tc = tcase_create("file");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, a_file_is_replaced);
	tcase_add_test(tc, every_call_is_checked);
	tcase_add_test(tc, a_signal_is_no_failure);
	tcase_add_test(tc, no_progress_ends);
	tcase_add_test(tc, a_closed_pipe_is_a_failure);
	tcase_add_test(tc, a_pipe_needs_no_sync);
	tcase_add_test(tc, a_rename_that_fails_removes_the_new_file);
	tcase_add_test(tc, a_path_is_shown_from_its_end);
	tcase_add_loop_test(tc, a_folder_of_the_machine_is_left_out, 0, (int)BC_ARRAY_LEN(shortened));
	tcase_add_test(tc, a_folder_without_sync_is_taken);
	tcase_add_loop_test(tc, what_is_no_file_stays, 0, 3);
	tcase_add_test(tc, no_folder_no_file);
	tcase_add_test(tc, a_long_path_is_refused);
	tcase_add_test(tc, a_full_disk_keeps_the_old_report);
	suite_add_tcase(s, tc);
	return s;
}
