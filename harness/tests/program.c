/* SPDX-License-Identifier: MIT */
#include "harness/tests/program.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libxml/xmlschemas.h>
#include <libxml/xpath.h>

#include "harness/tests/report/report_sample.h"

#define OUT "stdout.txt"
#define ERR "stderr.txt"

/* Variables of the machine that the tests run on and that the program heeds. */
static const char *const heeded[] = { "CK_RUN_SUITE",
				      "CK_RUN_CASE",
				      "CK_TAP_LOG_FILE_NAME",
				      "CK_XML_LOG_FILE_NAME",
				      "CK_LOG_FILE_NAME",
				      "CK_FORK",
				      "NO_COLOR",
				      "GITHUB_ACTIONS",
				      "GITHUB_STEP_SUMMARY",
				      "POSIXLY_CORRECT",
				      "SLURMD_NODENAME",
				      "NODE_NAME",
				      "SLURM_JOB_ID",
				      "SLURM_RESTART_COUNT",
				      "BANKCHECK_REPORTS",
				      "BANKCHECK_EXPECTED",
				      "BANKCHECK_KERNELS",
				      "BANKCHECK_DEVICE" };

void bc_program_init(struct bc_program_call *p)
{
	memset(p, 0, sizeof(*p));
	bc_sample_folder(p->dir);
}

void bc_program_release(struct bc_program_call *p)
{
	bc_text_release(&p->out);
	bc_text_release(&p->err);
}

static void path_of(const struct bc_program_call *p, const char *name, char *buf, size_t size)
{
	ck_assert_int_lt(snprintf(buf, size, "%s/%s", p->dir, name), (int)size);
}

struct bc_text bc_program_file(const struct bc_program_call *p, const char *name)
{
	char path[BC_PATH_MAX + 64];
	struct bc_text t = { 0 };

	path_of(p, name, path, sizeof(path));
	if (bc_file_read(path, (size_t)64 << 20, &t, NULL) || !t.data)
		ck_assert_int_eq(bc_text_add(&t, "", 0, NULL), BC_OK);
	return t;
}

/* In the child. */
static void become(const struct bc_program_call *p, char *const *argv)
{
	const struct rlimit limit = { .rlim_cur = p->file_limit, .rlim_max = p->file_limit };
	const struct rlimit most = { .rlim_cur = p->open_limit, .rlim_max = p->open_limit };
	const char *out = p->out_path ? p->out_path : OUT;
	int fd;

	if (setpgid(0, 0) || chdir(p->dir)) /* a group of its own, as a shell gives it one */
		_exit(126);
	fd = p->out_fd > 0 ? p->out_fd : open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		_exit(126);
	fd = open(ERR, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(126);
	for (size_t i = 0; i < BC_ARRAY_LEN(heeded); i++)
		(void)unsetenv(heeded[i]);
	for (size_t i = 0; i < BC_ARRAY_LEN(p->set) && p->set[i][0]; i++)
		if (p->set[i][1] ? setenv(p->set[i][0], p->set[i][1], 1) : unsetenv(p->set[i][0]))
			_exit(126);
	if (p->file_limit && (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &limit)))
		_exit(126);
	if (close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC) || (p->open_limit && setrlimit(RLIMIT_NOFILE, &most)))
		_exit(126);
	if (p->out_fd < 0 && (close(STDIN_FILENO) || close(STDOUT_FILENO) || close(STDERR_FILENO)))
		_exit(126);
	(void)signal(SIGINT, SIG_DFL); /* Check's own handlers are none of the program's business */
	(void)signal(SIGTERM, SIG_DFL);
	(void)execv(argv[0], argv);
	_exit(127);
}

pid_t bc_program_launch(struct bc_program_call *p, const char *words)
{
	char *argv[BC_PROGRAM_WORDS + 2] = { (char *)(p->binary ? p->binary : BC_TEST_BINARY) }, *copy = strdup(words),
				      *next = copy;
	size_t n = 1;
	pid_t pid;

	ck_assert_ptr_nonnull(copy);
	while (*words && next) {
		ck_assert_uint_le(n, BC_PROGRAM_WORDS);
		argv[n++] = strsep(&next, " ");
	}
	(void)fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		become(p, argv);
	free(copy);
	return pid;
}

bool bc_emulated(void)
{
	const char *by = getenv("BC_TEST_EMULATED");

	return by && by[0];
}

bool bc_leave_to_hardware(const char *why)
{
	if (!bc_emulated())
		return false;
	(void)printf("not tried under %s: %s\n", getenv("BC_TEST_EMULATED"), why);
	(void)fflush(stdout);
	return true;
}

/* qemu tells of each signal that ends what it runs: those lines are not the program's words. */
static void drop_emulator_words(struct bc_text *t)
{
	static const char words[] = "qemu: uncaught target signal";
	char *at;

	while (bc_emulated() && (at = strstr(t->data, words)) != NULL) {
		const char *next = at + strcspn(at, "\n");

		next += *next == '\n';
		t->len -= (size_t)(next - at);
		memmove(at, next, strlen(next) + 1);
	}
}

void bc_program_end(struct bc_program_call *p, pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		ck_assert_int_eq(errno, EINTR);
	p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	bc_program_release(p);
	p->out = bc_program_file(p, OUT);
	p->err = bc_program_file(p, ERR);
	drop_emulator_words(&p->err);
}

void bc_program_run(struct bc_program_call *p, const char *words)
{
	bc_program_end(p, bc_program_launch(p, words));
}

struct bc_program_call bc_call;

void bc_call_setup(void)
{
	bc_program_init(&bc_call);
}

void bc_call_teardown(void)
{
	bc_program_release(&bc_call);
}

void bc_run_program(const char *words)
{
	bc_program_run(&bc_call, words);
}

/* The last call ended with @status; its errors hold @words, NULL: there is none. */
void bc_expect_status(int status, const char *words)
{
	ck_assert_msg(bc_call.status == status, "exit status %d, not %d\n%s\n%s", bc_call.status, status,
		      bc_call.out.data, bc_call.err.data);
	if (words)
		ck_assert_msg(strstr(bc_call.err.data, words), "no `%s` in: %s", words, bc_call.err.data);
	else
		ck_assert_msg(bc_call.err.len == 0, "%s", bc_call.err.data);
}

void bc_expect_output(const char *words)
{
	ck_assert_msg(strstr(bc_call.out.data, words), "no `%s` in:\n%s", words, bc_call.out.data);
}

void bc_expect_no_output(const char *words)
{
	ck_assert_msg(!strstr(bc_call.out.data, words), "`%s` in:\n%s", words, bc_call.out.data);
}

bool bc_file_exists(const char *name)
{
	char path[BC_PATH_MAX + 64];

	ck_assert_int_lt(snprintf(path, sizeof(path), "%s/%s", bc_call.dir, name), (int)sizeof(path));
	return access(path, F_OK) == 0;
}

void bc_write_file(const char *name, const char *mode, const char *text)
{
	char path[BC_PATH_MAX + 64];
	FILE *f;

	ck_assert_int_lt(snprintf(path, sizeof(path), "%s/%s", bc_call.dir, name), (int)sizeof(path));
	f = fopen(path, mode);
	ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

void bc_shell(const char *command)
{
	char text[4 * BC_PATH_MAX];

	ck_assert_int_lt(snprintf(text, sizeof(text), "cd '%s' && %s", bc_call.dir, command), (int)sizeof(text));
	ck_assert_msg(system(text) == 0, "%s", text);
}

size_t bc_cases_of(const char *suite)
{
	struct bc_text ids = { 0 };
	const size_t len = strlen(suite);
	size_t n = 0;

	ck_assert_int_eq(bc_file_read(BC_TEST_EXPECTED "/case-ids.txt", (size_t)1 << 20, &ids, NULL), BC_OK);
	for (const char *line = ids.data; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
		n += strncmp(line, suite, len) == 0 && line[len] == '/';
	bc_text_release(&ids);
	return n;
}

/* A copy of expected/ that may be changed. */
void bc_copy_expected(void)
{
	bc_shell("cp -r '" BC_TEST_EXPECTED "' expected && chmod -R u+w expected");
}

static void schema_says(void *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void schema_says(void *ctx, const char *fmt, ...)
{
	(void)ctx;
	(void)fmt;
}

/* The report, parsed and valid. */
xmlDocPtr bc_report(const char *name)
{
	char path[BC_PATH_MAX + 64];
	xmlDocPtr doc;
	xmlSchemaParserCtxtPtr parser = xmlSchemaNewParserCtxt(BC_TEST_DATA "/report/junit-10.xsd");
	xmlSchemaPtr schema = xmlSchemaParse(parser);
	xmlSchemaValidCtxtPtr valid = xmlSchemaNewValidCtxt(schema);

	ck_assert_int_lt(snprintf(path, sizeof(path), "%s/%s", bc_call.dir, name), (int)sizeof(path));
	doc = xmlReadFile(path, NULL, XML_PARSE_NONET);
	ck_assert_msg(doc != NULL, "%s is no XML", path);
	ck_assert_ptr_nonnull(valid);
	xmlSchemaSetValidErrors(valid, schema_says, schema_says, NULL);
	ck_assert_msg(xmlSchemaValidateDoc(valid, doc) == 0, "%s is not valid", path);
	xmlSchemaFreeValidCtxt(valid);
	xmlSchemaFree(schema);
	xmlSchemaFreeParserCtxt(parser);
	return doc;
}

double bc_report_number(xmlDocPtr doc, const char *expression)
{
	xmlXPathContextPtr ctx = xmlXPathNewContext(doc);
	xmlXPathObjectPtr value = xmlXPathEvalExpression(BAD_CAST expression, ctx);
	double n;

	ck_assert_msg(value != NULL, "%s", expression);
	n = xmlXPathCastToNumber(value);
	xmlXPathFreeObject(value);
	xmlXPathFreeContext(ctx);
	return n;
}

/* Numbers of testcases, failures, errors and skipped ones; the attributes say the same. */
void bc_report_holds(const char *name, double tests, double failures, double errors, double skipped)
{
	xmlDocPtr doc = bc_report(name);

	ck_assert_double_eq(bc_report_number(doc, "count(//testcase)"), tests);
	ck_assert_double_eq(bc_report_number(doc, "sum(//testsuite/@tests)"), tests);
	ck_assert_double_eq(bc_report_number(doc, "count(//failure)"), failures);
	ck_assert_double_eq(bc_report_number(doc, "sum(//testsuite/@failures)"), failures);
	ck_assert_double_eq(bc_report_number(doc, "count(//error)"), errors);
	ck_assert_double_eq(bc_report_number(doc, "sum(//testsuite/@errors)"), errors);
	ck_assert_double_eq(bc_report_number(doc, "count(//skipped)"), skipped);
	ck_assert_double_eq(bc_report_number(doc, "sum(//testsuite/@skipped)"), skipped);
	xmlFreeDoc(doc);
}
