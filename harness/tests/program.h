/* SPDX-License-Identifier: MIT */
/* harness/tests/program.h - runs the program under test (BC_TEST_BINARY) as a user does and keeps what it said. */
#ifndef BC_TESTS_PROGRAM_H
#define BC_TESTS_PROGRAM_H

#include <sys/resource.h>
#include <sys/types.h>

#include <libxml/tree.h>

#include "harness/base/base.h"
#include "harness/base/file.h"

#define BC_PROGRAM_WORDS 32

/* A call of the program. Zero-initialise, then bc_program_init. */
struct bc_program_call {
	char dir[BC_PATH_MAX];	 /* a folder of its own: the program's working directory; its output goes there */
	const char *set[8][2];	 /* environment variables, NULL-terminated; value NULL: not set */
	const char *binary;	 /* NULL: BC_TEST_BINARY */
	const char *out_path;	 /* where standard output goes instead, NULL: nowhere else */
	int out_fd;		 /* a descriptor that becomes standard output; 0: none; -1: all three are closed */
	rlim_t file_limit;	 /* RLIMIT_FSIZE with SIGXFSZ ignored; 0: none */
	rlim_t open_limit;	 /* RLIMIT_NOFILE; 0: what it is */
	int status;		 /* exit status, 128 + signal when one ended it */
	struct bc_text out, err; /* what it said; data is never NULL after a call */
};

/* A new folder; variables that change what the program does are unset in the child. */
void bc_program_init(struct bc_program_call *p);
void bc_program_release(struct bc_program_call *p);

/* Start it with @words, separated by single blanks ("" is no word). Return: its pid. */
pid_t bc_program_launch(struct bc_program_call *p, const char *words);

/* Wait for its end and read what it said. */
void bc_program_end(struct bc_program_call *p, pid_t pid);

/* Both; a failed test prints everything. */
void bc_program_run(struct bc_program_call *p, const char *words);

/* Do the tests run under an emulator (BC_TEST_EMULATED names it)? */
bool bc_emulated(void);

/* The same, for a test that would then measure the emulator and not the program: says that it is left out, and @why. */
bool bc_leave_to_hardware(const char *why);

/* Text of <dir>/<name>; "" when there is no such file. Free it with bc_text_release. */
struct bc_text bc_program_file(const struct bc_program_call *p, const char *name);

/* The call that the functions below are about, and its fixture. */
extern struct bc_program_call bc_call;
void bc_call_setup(void);
void bc_call_teardown(void);

void bc_run_program(const char *words);

/* The last call ended with @status; its errors hold @words, NULL: there is none. */
void bc_expect_status(int status, const char *words);

/* Its output holds @words, or does not. */
void bc_expect_output(const char *words);
void bc_expect_no_output(const char *words);

/* Files of its folder. */
bool bc_file_exists(const char *name);
void bc_write_file(const char *name, const char *mode, const char *text);
void bc_shell(const char *command);

/* The cases of a suite, by expected/case-ids.txt. */
size_t bc_cases_of(const char *suite);

/* A copy of expected/ in <dir>/expected that may be changed. */
void bc_copy_expected(void);

/* A report, parsed and valid by the schema. Free it with xmlFreeDoc. */
xmlDocPtr bc_report(const char *name);

/* Value of an XPath expression. */
double bc_report_number(xmlDocPtr doc, const char *expression);

/* The report has so many testcases, failures, errors and skipped ones, and says so. */
void bc_report_holds(const char *name, double tests, double failures, double errors, double skipped);

#endif
