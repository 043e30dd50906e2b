/* SPDX-License-Identifier: MIT */
#include "harness/run/check_run.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/report/tap.h"

/* Check calls a test with nothing but a number, so what it is about has to be found here. */
static const struct bc_result *const *result_of_test;

static void assert_verdict(int i)
{
	const struct bc_result *r = result_of_test[i];

	tcase_fn_start(r->c->id, __FILE__, __LINE__);
	ck_assert_msg(!bc_verdict_is_finding(r->judged.verdict), "%s: %s", bc_verdict_name(r->judged.verdict),
		      r->judged.message);
}

/* What Check needs until srunner_run is over. */
struct tests {
	const struct bc_result **result;
	TTest *test;
	size_t n, failing;
};

static enum bc_status collect(const struct bc_run *run, struct tests *t, struct bc_error *err)
{
	size_t total = 0;

	for (size_t i = 0; i < run->ndevices; i++)
		total += run->devices[i].nresults;
	t->result = calloc(total + 1, sizeof(*t->result));
	t->test = calloc(total + 1, sizeof(*t->test));
	if (!t->result || !t->test)
		return bc_fail(err, BC_ENOMEM, "judging: out of memory");
	for (size_t i = 0; i < run->ndevices; i++) {
		for (size_t k = 0; k < run->devices[i].nresults; k++) {
			const struct bc_result *r = &run->devices[i].results[k];

			if (r->judged.verdict == BC_SKIP)
				continue;
			t->result[t->n] = r;
			t->test[t->n++] = (TTest){ r->c->id, assert_verdict, __FILE__, __LINE__ };
			t->failing += bc_verdict_is_finding(r->judged.verdict);
		}
	}
	return BC_OK;
}

/* Suites and test cases in the order of the results: suite = suite, TCase = rule, test = case id. */
static SRunner *build(const struct tests *t)
{
	SRunner *sr = srunner_create(NULL);
	const struct bc_suite *suite = NULL;
	const struct bc_rule *rule = NULL;
	Suite *s = NULL;
	TCase *tc = NULL;

	for (size_t i = 0; i < t->n; i++) {
		const struct bc_case *c = t->result[i]->c;

		if (!s || c->suite != suite) {
			suite = c->suite;
			rule = NULL;
			s = suite_create(suite ? suite->name : "none");
			srunner_add_suite(sr, s);
		}
		if (c->rule != rule) {
			rule = c->rule;
			tc = tcase_create(c->rule->name);
			suite_add_tcase(s, tc);
		}
		_tcase_add_test(tc, &t->test[i], 0, 0, (int)i, (int)i + 1);
	}
	return sr;
}

/* A log. Check ends the process when it cannot open one and passes over a full disk, so it writes into memory, and what
 * it wrote is put in its place here. */
struct log {
	const char *path;			    /* NULL: none is wanted */
	void (*set)(SRunner *sr, const char *path); /* who writes it; NULL: bc_tap_format */
	int memory;				    /* descriptor */
	char name[32];				    /* of the memory */
};

/* Take the name of a log: @path, "-" being standard output; NULL or "": none. */
static enum bc_status open_log(struct log *l, const char *path, struct bc_error *err)
{
	if (!path || !*path)
		return BC_OK;
	l->path = path;
	l->memory = memfd_create("log", MFD_CLOEXEC);
	if (l->memory < 0)
		return bc_fail(err, BC_EWRITE, "%s: no memory for the log: %s", path, strerror(errno));
	(void)snprintf(l->name, sizeof(l->name), "/proc/self/fd/%d", l->memory);
	return BC_OK;
}

/* All of @from to @to. */
static enum bc_status copy(int from, int to, const char *path, struct bc_error *err)
{
	char buf[16384];
	off_t at = 0;
	ssize_t n;
	enum bc_status st = BC_OK;

	while (!st && (n = pread(from, buf, sizeof(buf), at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bc_fail(err, BC_EWRITE, "%s: %s", path, strerror(errno));
		st = bc_write_all(&bc_file_system, to, buf, (size_t)n, path, err);
		at += n;
	}
	return st;
}

/* What Check wrote to its place. A file that cannot be written whole is removed. */
static enum bc_status save_log(const struct log *l, struct bc_error *err)
{
	struct stat s;
	int fd;
	enum bc_status st;

	if (!l->path)
		return BC_OK;
	if (strcmp(l->path, "-") == 0)
		return fflush(stdout) ? bc_fail(err, BC_EWRITE, "standard output: %s", strerror(errno))
				      : copy(l->memory, STDOUT_FILENO, "standard output", err);
	fd = open(l->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return bc_fail(err, BC_EWRITE, "%s: %s", l->path, strerror(errno));
	st = copy(l->memory, fd, l->path, err);
	if (st && fstat(fd, &s) == 0 && S_ISREG(s.st_mode))
		(void)unlink(l->path);
	if (close(fd) && !st)
		st = bc_fail(err, BC_EWRITE, "%s: %s", l->path, strerror(errno));
	return st;
}

/* When memory is out, Check continues and leaves texts out of its logs. Return: are they all there? */
static bool has_all_texts(SRunner *sr)
{
	TestResult **result = srunner_results(sr);
	bool all = result != NULL;

	for (int i = 0; all && i < srunner_ntests_run(sr); i++) {
		const char *file = tr_lfile(result[i]), *msg = tr_msg(result[i]);

		all = file && file[0] && msg && msg[0];
	}
	free(result);
	return all;
}

/* Check ends the process with status 1 when it cannot open what it needs: its log, and a file for its messages. */
static enum bc_status can_open(struct bc_error *err)
{
	int fd[3];
	size_t n = 0;
	enum bc_status st = BC_OK;

	while (n < BC_ARRAY_LEN(fd) && (fd[n] = open("/dev/null", O_WRONLY | O_CLOEXEC)) >= 0)
		n++;
	if (n < BC_ARRAY_LEN(fd))
		st = bc_fail(err, BC_EWRITE, "judging: /dev/null: %s", strerror(errno));
	while (n)
		(void)close(fd[--n]);
	return st;
}

/* Run what was collected. */
static enum bc_status assert_all(const struct tests *t, struct log *logs, size_t nlogs, size_t *failed,
				 struct bc_error *err)
{
	SRunner *sr = build(t);
	enum bc_status st = BC_OK;

	result_of_test = t->result;
	if (!getenv("CK_FORK"))
		srunner_set_fork_status(sr, CK_NOFORK);
	for (size_t i = 0; i < nlogs; i++)
		if (logs[i].path && logs[i].set)
			logs[i].set(sr, logs[i].name);
	srunner_set_tap(sr, "/dev/null");	/* else Check takes CK_TAP_LOG_FILE_NAME */
	srunner_run(sr, NULL, NULL, CK_SILENT); /* the selection was made when the run was planned */
	*failed = (size_t)srunner_ntests_failed(sr);
	if (*failed != t->failing)
		st = bc_fail(err, BC_EDEVICE,
			     "Check counts %zu failures, the verdicts %zu: it ran out of memory, or this is an error "
			     "of bankcheck",
			     *failed, t->failing);
	else if (!has_all_texts(sr))
		st = bc_fail(err, BC_ENOMEM, "judging: out of memory: texts would be missing from Check's logs");
	srunner_free(sr);
	result_of_test = NULL;
	return st;
}

/* Check's own TAP has a result in the name of its test, and no skips. */
static enum bc_status write_tap(const struct bc_run *run, const struct log *l, struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st = BC_OK;

	if (!l->path)
		return BC_OK;
	st = bc_tap_format(run, &text, err);
	if (!st)
		st = bc_write_all(&bc_file_system, l->memory, text.data, text.len, l->path, err);
	bc_text_release(&text);
	return st;
}

enum bc_status bc_check_run(const struct bc_run *run, const char *tap, size_t *failed, struct bc_error *err)
{
	struct tests t = { 0 };
	const char *const paths[] = { tap ? tap : getenv("CK_TAP_LOG_FILE_NAME"), getenv("CK_XML_LOG_FILE_NAME"),
				      getenv("CK_LOG_FILE_NAME") };
	struct log logs[] = { { .set = NULL, .memory = -1 },
			      { .set = srunner_set_xml, .memory = -1 },
			      { .set = srunner_set_log, .memory = -1 } };
	enum bc_status st = collect(run, &t, err);

	*failed = 0;
	for (size_t i = 0; !st && i < BC_ARRAY_LEN(logs); i++)
		st = open_log(&logs[i], paths[i], err);
	if (!st)
		st = write_tap(run, &logs[0], err);
	if (!st && t.n)
		st = can_open(err);
	if (!st && t.n)
		st = assert_all(&t, logs, BC_ARRAY_LEN(logs), failed, err);
	for (size_t i = 0; !st && i < BC_ARRAY_LEN(logs); i++)
		st = save_log(&logs[i], err);
	for (size_t i = 0; i < BC_ARRAY_LEN(logs); i++)
		if (logs[i].memory >= 0)
			(void)close(logs[i].memory);
	free(t.test);
	free(t.result);
	return st;
}
