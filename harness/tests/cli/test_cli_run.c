/* SPDX-License-Identifier: MIT */
/* The program as a user calls it: runs on the reference device, their reports, and what can go wrong with both. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/core/arch.h"
#include "harness/tests/program.h"

Suite *bc_test_cli_run(void);

#define ONE "--device reference --filter stride/ld_b32/2"
#define REPORT "reports/reference-sm_90.xml"

/* --- runs ------------------------------------------------------------------------------------------------------ */

START_TEST(a_run_that_passes_is_status_0)
{
	bc_run_program("run " ONE);
	bc_expect_status(0, NULL);
	bc_expect_output("this is the reference device, not hardware");
	bc_expect_output("1 case: 1 PASS\n");
	bc_expect_output("report: " REPORT "\n");
	bc_expect_no_output("run again");
	bc_expect_no_output("\033"); /* no terminal: no colour, no bar */
	bc_expect_no_output("\r");
	bc_report_holds(REPORT, 1, 0, 0, 0);
	ck_assert(bc_file_exists("reports/journal.tsv"));
}
END_TEST

START_TEST(the_whole_catalogue_passes)
{
	xmlDocPtr doc;

	bc_run_program("run --device reference");
	bc_expect_status(0, NULL);
	bc_expect_no_output("FAIL");
	doc = bc_report(REPORT);
	ck_assert_double_ge(bc_report_number(doc, "count(//testcase)"), 500);
	ck_assert_double_eq(bc_report_number(doc, "count(//failure) + count(//error)"), 0);
	ck_assert_double_eq(bc_report_number(doc, "count(//property[@name='complete'][@value='yes'])"),
			    bc_report_number(doc, "count(//testsuite)"));
	xmlFreeDoc(doc);
}
END_TEST

/* One expected number changed by hand: exactly that failure, and a line that shows it again. */
START_TEST(one_wrong_number_is_one_failure)
{
	char again[1024], *at;
	xmlDocPtr doc;

	bc_copy_expected();
	bc_shell("sed -i 's/^row stride\\/ld_b32\\/6 *wavefronts=2 /row stride\\/ld_b32\\/6 wavefronts=3 /' "
		 "expected/common/stride.txt "
		 "&& grep -q 'ld_b32/6 wavefronts=3' expected/common/stride.txt");
	bc_run_program("run --device reference --filter stride --expected expected");
	bc_expect_status(1, NULL);
	bc_expect_output("FAIL     reference_sm_90 stride/ld_b32/6: ratio wavefronts=2 conflicts=1; expected "
			 "wavefronts=3 conflicts=1 "
			 "(expected/common/stride.txt:");
	bc_report_holds(REPORT, (double)bc_cases_of("stride"), 1, 0, 0);
	doc = bc_report(REPORT);
	ck_assert_double_eq(bc_report_number(doc, "count(//testcase[@name='ld_b32/6']/failure[@type='FAIL'])"), 1);
	ck_assert_double_eq(bc_report_number(doc, "count(//property[@name='complete'][@value='filtered'])"), 1);
	xmlFreeDoc(doc);
	at = strstr(bc_call.out.data, "run again:\n  bankcheck ");
	ck_assert_ptr_nonnull(at);
	ck_assert(bc_strlcpy(again, at + strlen("run again:\n  bankcheck "), sizeof(again)));
	again[strcspn(again, "\n")] = '\0';
	bc_run_program(again);
	bc_expect_status(1, NULL);
	bc_expect_output("1 case: 1 FAIL\n");
}
END_TEST

/* The same, where the expectation is gone: nobody said what must come out, so it is not a pass. */
START_TEST(no_expectation_is_no_pass)
{
	bc_copy_expected();
	bc_write_file("expected/sm_90/zz.txt", "w", "absent stride/ld_b32/2\n");
	bc_run_program("run " ONE " --expected expected");
	bc_expect_status(1, NULL);
	bc_expect_output("UNJUDGED reference_sm_90 stride/ld_b32/2: no expectation for sm_90");
	bc_report_holds(REPORT, 1, 0, 1, 0);
}
END_TEST

static const struct {
	const char *change, *says;
} listed[] = {
	{ "echo stride/ld_b32/999 >> expected/case-ids.txt",
	  "the case stride/ld_b32/999 is in the list and not in this program" },
	{ "sed -i '/^stride.ld_b32.2$/d' expected/case-ids.txt",
	  "the case stride/ld_b32/2 is in this program and not in the list" },
	{ "rm expected/case-ids.txt", "case-ids.txt: cannot be opened" },
	{ "sed -i '/^row stride.ld_b32.2 /s/conflicts=1//' expected/common/stride.txt",
	  "stride/ld_b32/2: the row lacks conflicts, which the case counts on sm_90" },
};

/* A suite that vanished with its expectations, a case that nobody listed, half a row: nothing is run. */
START_TEST(the_catalogue_is_the_listed_one)
{
	bc_copy_expected();
	bc_shell(listed[_i].change);
	bc_run_program("run " ONE " --expected expected");
	bc_expect_status(3, listed[_i].says);
	bc_run_program("selftest --fault banks-16 --expected expected");
	bc_expect_status(3, listed[_i].says);
}
END_TEST

static const struct {
	const char *what, *args;
	int status;
	const char *said;
} runs[] = {
	{ "nothing but a skip", "--device reference:sm_75 --filter mapping/distance/32768", 4,
	  "1 SKIP; nothing was judged" },
	{ "a skip and a pass", "--device reference:sm_75 --filter mapping/distance/32768 --filter stride/ld_b32/2", 0,
	  "2 cases: 1 PASS, 1 SKIP" },
	{ "no witness but the model", "--witness clock " ONE, 4, "1 SKIP; nothing was judged" },
	{ "two devices", "--device reference:sm_90,reference:sm_75 --filter stride/ld_b32/2", 0, "2 cases: 2 PASS" },
	{ "no kernels", "--kernels /nonexistent " ONE, 2, "/nonexistent/ptx/pattern_ld.ptx: cannot be opened" },
	{ "verbose", "-v " ONE, 0, "PASS     reference_sm_90 stride/ld_b32/2\n" },
	{ "strict, of a known architecture", "--strict " ONE, 0, "1 PASS" },
	{ "an option cut short", "--dev reference --filt stride/ld_b32/2", 0, "1 PASS" },
	{ "an option with an equals sign", "--device=reference --filter=stride/ld_b32/2", 0, "1 PASS" },
};

START_TEST(a_run_ends_as_the_row_says)
{
	char words[256];

	(void)snprintf(words, sizeof(words), "run %s", runs[_i].args);
	bc_run_program(words);
	bc_expect_status(runs[_i].status, NULL);
	bc_expect_output(runs[_i].said);
}
END_TEST

static const char *const empty[] = { "--filter stride --exclude stride", "--exclude *",
				     "--filter stride --exclude stride --shard 1/2" };

/* Nothing was run, so nothing is green, and no report is replaced by one of nothing. */
START_TEST(an_empty_selection_is_status_4_and_leaves_the_reports)
{
	char words[200];

	bc_run_program("run " ONE);
	bc_shell("cp -r reports before");
	(void)snprintf(words, sizeof(words), "run --device reference %s", empty[_i]);
	bc_run_program(words);
	bc_expect_status(4, "bankcheck: the selection is empty, so no case was run; the reports in reports are as they "
			    "were");
	bc_shell("rm reports/.lock before/.lock && diff -r before reports");
}
END_TEST

/* What the reference device counts is the model: it is no witness of hardware. */
START_TEST(counters_that_are_required_are_hardware)
{
	bc_run_program("run --require counters " ONE);
	bc_expect_status(3, "--require counters: the reference device has no hardware counters");
	ck_assert(!bc_file_exists(REPORT));
}
END_TEST

static const char *const without_gpu[] = { "run", "run --require counters", "run --device all" };

/* A host that lost its GPU must not become green by itself. Without a visible GPU every host is one. */
START_TEST(no_gpu_is_status_3)
{
	bc_call.set[0][0] = "CUDA_VISIBLE_DEVICES";
	bc_call.set[0][1] = "";
	bc_run_program(without_gpu[_i]);
	bc_expect_status(3, "this host has no GPU");
	bc_expect_status(3, "name the reference device: --device reference");
	bc_expect_no_output("PASS");
	ck_assert(!bc_file_exists(REPORT));
	bc_run_program("run --gpus 1");
	bc_expect_status(2, "--gpus 1: the run would have 0");
	bc_run_program("run --gpus 1 " ONE);
	bc_expect_status(2, "--gpus 1: the run would have 0");
}
END_TEST

#define TWO "--device reference:sm_90,reference:sm_75 --filter stride/ld_b32/2"

/* The reports of the run before go when a run begins, so that none of them is taken for today's; nothing else does. */
START_TEST(the_reports_of_the_run_before_are_removed)
{
	bc_run_program("run " TWO);
	bc_shell("cd reports && cp reference-sm_75.xml sm_75.xml && echo x > index.html && echo x > other.xml");
	bc_run_program("run --device reference --filter stride/ld_b32/no");
	bc_expect_status(3, "matches no case"); /* a run that does not begin removes nothing, its journal neither */
	bc_run_program("run --device reference --filter stride --exclude stride");
	bc_expect_status(4, "the selection is empty");
	bc_run_program("run --resume " TWO);
	bc_expect_status(0, NULL);
	ck_assert(bc_file_exists("reports/reference-sm_75.xml"));
	bc_run_program("run " ONE);
	bc_expect_status(0, NULL);
	ck_assert(!bc_file_exists("reports/reference-sm_75.xml"));
	ck_assert(bc_file_exists(REPORT));
	ck_assert(!bc_file_exists("reports/journal.tsv.last"));
	bc_shell("cd reports && test -f sm_75.xml && test -f index.html && test -f other.xml");
}
END_TEST

/* A journal is a text that anyone may have changed: what it names is removed only if a run could have written it. */
START_TEST(a_journal_names_reports_only)
{
	bc_run_program("run " ONE);
	bc_shell("echo x > precious.xml && echo x > reports/notes.txt && sed -i '/^device/s/report=[^\\t]*/"
		 "report=..\\/precious.xml/;$a device\\tdev=x\\treport=notes.txt' reports/journal.tsv && "
		 "grep -q 'report=../precious.xml' reports/journal.tsv");
	bc_run_program("run " ONE);
	bc_expect_status(0, NULL);
	ck_assert(bc_file_exists("precious.xml"));
	ck_assert(bc_file_exists("reports/notes.txt"));
}
END_TEST

START_TEST(paths_in_messages_are_plain)
{
	bc_run_program("run --fault banks-16 " ONE);
	bc_expect_status(1, NULL);
	bc_expect_output("(expected/common/stride.txt:");
	bc_expect_no_output("/../");
}
END_TEST

/* Whoever reads a report need not know where the program lies. A copy of it lacks its kernels and says so. */
START_TEST(reports_name_no_folder_of_the_machine)
{
	bc_run_program("run --fault banks-16 --tap tap.txt " ONE);
	bc_shell("! grep -F -e '" BC_TEST_KERNELS "' -e '" BC_TEST_EXPECTED "' reports/*.xml tap.txt stdout.txt");
	bc_copy_expected();
	bc_shell("mkdir -p build/kernels/ptx && cp '" BC_TEST_BINARY "' build/bankcheck");
	bc_call.binary = "build/bankcheck";
	bc_run_program("run --reports r " ONE);
	bc_expect_status(2, NULL);
	bc_expect_output("stride/ld_b32/2: kernels/ptx/pattern_ld.ptx: cannot be opened");
	bc_shell("! grep -F \"$PWD\" stdout.txt r/*.xml r/journal.tsv");
}
END_TEST

START_TEST(quiet_is_quiet)
{
	bc_run_program("run -q " ONE);
	bc_expect_status(0, NULL);
	ck_assert_str_eq(bc_call.out.data, "");
	bc_run_program("run -q --kernels /nonexistent " ONE);
	bc_expect_status(2, NULL);
	ck_assert_msg(strncmp(bc_call.out.data, "BROKEN   reference_sm_90 stride/ld_b32/2: ", 42) == 0, "%s",
		      bc_call.out.data);
}
END_TEST

START_TEST(tap_and_checks_variables)
{
	struct bc_text t;

	bc_run_program("run --tap tap.txt " ONE);
	bc_expect_status(0, NULL);
	t = bc_program_file(&bc_call, "tap.txt");
	ck_assert_str_eq(t.data, "1..1\nok 1 - reference_sm_90 stride/ld_b32/2\n");
	bc_text_release(&t);
	bc_call.set[0][0] = "CK_RUN_SUITE";
	bc_call.set[0][1] = "broadcast";
	bc_call.set[1][0] = "CK_RUN_CASE";
	bc_call.set[1][1] = "one_word_ld_b32";
	bc_run_program("run --device reference");
	bc_expect_status(0, NULL);
	bc_expect_output("4 cases: 4 PASS");
	bc_call.set[0][0] = NULL;
	bc_run_program("run --tap gone/tap.txt " ONE);
	bc_expect_status(2, "gone/tap.txt: No such file or directory");
	ck_assert(bc_file_exists(REPORT)); /* the other reports are written all the same */
	bc_run_program("run --tap /dev/full " ONE);
	bc_expect_status(2, "/dev/full: cannot write: No space left on device");
}
END_TEST

START_TEST(github_gets_annotations)
{
	struct bc_text t;

	bc_write_file("summary.md", "w", "before\n");
	bc_call.set[0][0] = "GITHUB_ACTIONS";
	bc_call.set[0][1] = "true";
	bc_call.set[1][0] = "GITHUB_STEP_SUMMARY";
	bc_call.set[1][1] = "summary.md";
	bc_run_program("run --kernels /nonexistent " ONE);
	bc_expect_status(2, NULL);
	bc_expect_output("::error title=BROKEN reference_sm_90 stride/ld_b32/2");
	t = bc_program_file(&bc_call, "summary.md");
	ck_assert_msg(strncmp(t.data, "before\n### bankcheck: 1 finding\n", 31) == 0, "%s", t.data);
	bc_text_release(&t);
	bc_call.set[0][0] = NULL;
	bc_run_program("run --kernels /nonexistent " ONE);
	bc_expect_no_output("::error");
}
END_TEST

/* --- a terminal ------------------------------------------------------------------------------------------------ */

/* Run with a terminal as standard output and give back all that it showed. */
static void run_on_terminal(const char *words)
{
	const int master = posix_openpt(O_RDWR | O_NOCTTY);
	char buf[4096];
	ssize_t n;
	int slave;
	pid_t pid;

	ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(slave, 0);
	bc_call.out_fd = slave;
	pid = bc_program_launch(&bc_call, words);
	(void)close(slave);
	bc_call.out_fd = 0;
	bc_program_release(&bc_call);
	while ((n = read(master, buf, sizeof(buf))) > 0) /* EIO when the last one closes it */
		ck_assert_int_eq(bc_text_add(&bc_call.err, buf, (size_t)n, NULL), BC_OK);
	(void)close(master);
	{
		struct bc_text shown = bc_call.err;

		bc_call.err = (struct bc_text){ 0 };
		bc_program_end(&bc_call, pid);
		bc_text_release(&bc_call.out);
		bc_call.out = shown;
	}
}

START_TEST(a_terminal_gets_colours_and_a_bar)
{
	bc_call.set[0][0] = "TERM";
	bc_call.set[0][1] = "xterm";
	run_on_terminal("run -v " ONE);
	ck_assert_int_eq(bc_call.status, 0);
	bc_expect_output("\033[32mPASS");
	bc_expect_output("1/1");
	bc_call.set[1][0] = "NO_COLOR";
	bc_call.set[1][1] = "1";
	run_on_terminal("run -v " ONE);
	bc_expect_output("PASS");
	bc_expect_no_output("\033");
	bc_call.set[1][1] = ""; /* empty: as if it were not set */
	run_on_terminal("run -v " ONE);
	bc_expect_output("\033[32mPASS");
	bc_call.set[1][1] = "1";
	run_on_terminal("run -v --color=always " ONE); /* who asks for it gets it */
	bc_expect_output("\033[32mPASS");
	bc_call.set[1][1] = "";
	run_on_terminal("run -v --color=never " ONE);
	bc_expect_output("PASS");
	bc_expect_no_output("\033[3");
	bc_run_program("run -v --color=always " ONE);
	bc_expect_output("\033[32mPASS");
	bc_run_program("report --color=always -v reports/journal.tsv");
	bc_expect_output("\033[32mPASS");
	bc_call.set[0][1] = "dumb";
	run_on_terminal("run -v " ONE);
	bc_expect_no_output("\033");
	bc_expect_no_output("1/1");
}
END_TEST

/* --- the reports folder ---------------------------------------------------------------------------------------- */

START_TEST(a_folder_that_cannot_be_written_is_status_2)
{
	bc_write_file("file", "w", "");
	bc_run_program("run " ONE " --reports file");
	bc_expect_status(2, "file: cannot make the reports folder: file: there is a file of that name; choose another "
			    "folder with --reports DIR");
	bc_run_program("run " ONE " --reports file/below");
	bc_expect_status(2, "cannot make the reports folder");
	bc_run_program("run " ONE " --reports /proc/reports");
	bc_expect_status(2, "/proc/reports: cannot make the reports folder");
	bc_run_program("run " ONE " --reports deep/er/still");
	bc_expect_status(0, NULL);
	ck_assert(bc_file_exists("deep/er/still/reference-sm_90.xml"));
	bc_shell("mkdir -p odd/reference-sm_90.xml");
	bc_run_program("run " ONE " --reports odd");
	bc_expect_status(2, "reference-sm_90.xml");
}
END_TEST

/* Copy what follows @key in the last output, up to the line's end. */
static void said(const char *key, char out[200])
{
	const char *at = strstr(bc_call.out.data, key);

	ck_assert_msg(at != NULL, "no `%s` in: %s", key, bc_call.out.data);
	at += strlen(key);
	(void)snprintf(out, 200, "%.*s", (int)strcspn(at, "\n"), at);
}

/* A commit and nothing made up in its place; every report has the same. */
START_TEST(a_report_says_what_the_program_is_made_of)
{
	char commit[200], with[200], property[300];
	struct bc_text report;
	size_t digits;

	bc_run_program("--version --long");
	bc_expect_status(0, NULL);
	bc_expect_output("bankcheck " BC_VERSION "\n");
	said("commit     ", commit);
	said("built with ", with);
	digits = strspn(commit, "0123456789abcdef");
	ck_assert_msg(strcmp(commit, "unknown") == 0 ||
			      (digits == 40 && (!commit[40] || strcmp(commit + 40, "-changed") == 0)),
		      "commit %s", commit);
	bc_run_program("--version");
	bc_expect_no_output("commit");
	bc_run_program("run " ONE);
	report = bc_program_file(&bc_call, REPORT);
	(void)snprintf(property, sizeof(property), "name=\"commit\" value=\"%s\"", commit);
	ck_assert_msg(strstr(report.data, property) != NULL, "%s", report.data);
	(void)snprintf(property, sizeof(property), "name=\"built_with\" value=\"%s\"", with);
	ck_assert_msg(strstr(report.data, property) != NULL, "%s", report.data);
	bc_text_release(&report);
	bc_shell("rm " REPORT); /* written anew from the journal: still of the run */
	bc_run_program("report reports/journal.tsv");
	report = bc_program_file(&bc_call, REPORT);
	ck_assert_msg(strstr(report.data, property) != NULL, "%s", report.data);
	bc_text_release(&report);
}
END_TEST

START_TEST(a_locked_folder_is_status_2)
{
	char path[BC_PATH_MAX + 32];
	int fd;

	bc_run_program("run " ONE);
	(void)snprintf(path, sizeof(path), "%s/reports/.lock", bc_call.dir);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
	bc_shell("rm " REPORT);
	bc_run_program("run " ONE);
	bc_expect_status(2, "reports: another bankcheck (pid ");
	ck_assert(!bc_file_exists(REPORT));
	(void)close(fd);
	bc_run_program("run " ONE);
	bc_expect_status(0, NULL);
}
END_TEST

/* Room for the journal, not for the report: none is left half written, and none of the run before is taken for its own.
 * No room for the journal: the run does not begin, and what was there stays. */
START_TEST(a_full_disk_is_status_2)
{
	struct bc_text old, now;

	bc_run_program("run " ONE);
	bc_expect_status(0, NULL);
	old = bc_program_file(&bc_call, REPORT);
	ck_assert_uint_gt(old.len, 2048);
	bc_call.file_limit = 2048;
	bc_run_program("run " ONE);
	bc_expect_status(2, "reference-sm_90.xml");
	ck_assert_ptr_nonnull(strstr(bc_call.err.data, strerror(EFBIG)));
	ck_assert(!bc_file_exists(REPORT));
	ck_assert(!bc_file_exists("reports/.reference-sm_90.xml.tmp"));
	bc_text_release(&old);
	bc_call.file_limit = 0;
	bc_run_program("run " ONE);
	old = bc_program_file(&bc_call, REPORT);
	bc_call.file_limit = 512; /* not even for the journal */
	bc_run_program("run --device reference --filter stride");
	bc_expect_status(2, "reports/journal.tsv: ");
	now = bc_program_file(&bc_call, REPORT);
	ck_assert_str_eq(now.data, old.data);
	bc_text_release(&now);
	bc_text_release(&old);
}
END_TEST

START_TEST(lost_output_is_status_2)
{
	bc_call.out_path = "/dev/full";
	bc_run_program("run " ONE);
	bc_expect_status(2, "console output: cannot write");
	bc_report_holds(REPORT, 1, 0, 0, 0); /* the report is written all the same */
}
END_TEST

/* The numbers of streams that are closed must not become those of the lock, the journal or a pipe of a worker. */
START_TEST(closed_streams_leave_the_files_alone)
{
	struct bc_text t;

	bc_call.out_fd = -1;
	bc_run_program("run " ONE);
	ck_assert_int_eq(bc_call.status, 2);
	bc_report_holds(REPORT, 1, 0, 0, 0);
	t = bc_program_file(&bc_call, "reports/.lock");
	ck_assert_msg(strspn(t.data, "0123456789") == t.len - 1 && t.data[t.len - 1] == '\n', "%s", t.data);
	bc_text_release(&t);
	bc_call.out_fd = 0;
	bc_run_program("report reports/journal.tsv");
	bc_expect_status(0, NULL);
}
END_TEST

/* --- signals --------------------------------------------------------------------------------------------------- */

/* Wait until the journal holds an observation. */
static void wait_for_an_observation(void)
{
	const struct timespec tick = { .tv_nsec = 5000000 };

	for (int i = 0; i < 4000; i++) {
		struct bc_text t = bc_program_file(&bc_call, "reports/journal.tsv");
		const bool there = strstr(t.data, "\nobs\t") != NULL;

		bc_text_release(&t);
		if (there)
			return;
		(void)nanosleep(&tick, NULL);
	}
	ck_abort_msg("no observation in 20 s");
}

/* All architectures take long enough for a signal to come in between. */
static void interrupt(int sig)
{
	pid_t pid;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1)) /* orphaned workers become ours */
		ck_assert(bc_leave_to_hardware("that no worker is left (it has no PR_SET_CHILD_SUBREAPER)"));
	pid = bc_program_launch(&bc_call, "run --device reference:all");
	wait_for_an_observation();
	ck_assert_int_eq(kill(-pid, sig), 0); /* the whole group, as Ctrl-C does */
	bc_program_end(&bc_call, pid);
}

/* The reports of the first and the last architecture that there is: a run of all starts them in this order. */
static void reference_reports(char first[BC_PATH_MAX], char last[BC_PATH_MAX])
{
	struct bc_arch *archs = NULL;
	struct bc_error err;
	size_t n = 0;

	ck_assert_msg(bc_arch_list(BC_TEST_EXPECTED, &archs, &n, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_ge(n, 2);
	(void)snprintf(first, BC_PATH_MAX, "reports/reference-%s.xml", archs[0].name);
	(void)snprintf(last, BC_PATH_MAX, "reports/reference-%s.xml", archs[n - 1].name);
	free(archs);
}

static void no_worker_is_left(void)
{
	const struct timespec tick = { .tv_nsec = 10000000 };

	for (int i = 0; i < 500; i++) {
		if (waitpid(-1, NULL, WNOHANG) < 0) {
			ck_assert_int_eq(errno, ECHILD);
			return;
		}
		(void)nanosleep(&tick, NULL);
	}
	ck_abort_msg("a worker is left");
}

START_TEST(a_signal_leaves_whole_reports)
{
	static const struct {
		int sig, status;
	} rows[] = { { SIGINT, 130 }, { SIGTERM, 143 } };
	char first[BC_PATH_MAX], last[BC_PATH_MAX];
	struct bc_text ids;
	size_t cases = 0;
	xmlDocPtr doc;

	interrupt(rows[_i].sig);
	bc_expect_status(rows[_i].status, NULL);
	no_worker_is_left();
	bc_expect_output("LOST");
	bc_expect_output("interrupted");
	reference_reports(first, last);
	ck_assert(bc_file_exists(first) && bc_file_exists(last));
	doc = bc_report(REPORT);
	bc_run_program("list");
	ids = bc_call.out;
	for (size_t i = 0; i < ids.len; i++)
		cases += ids.data[i] == '\n';
	ck_assert_double_eq(bc_report_number(doc, "count(//testcase)"), (double)cases); /* each has its result */
	xmlFreeDoc(doc);
	doc = bc_report(last); /* the last to be started */
	ck_assert_double_gt(bc_report_number(doc, "count(//error[@type='LOST'])"), 0);
	ck_assert_double_eq(bc_report_number(doc, "count(//property[@name='complete'][@value='yes'])"), 0);
	xmlFreeDoc(doc);
}
END_TEST

/* The worst signal: workers die with their parent, the lock is gone, the next run is as any. */
START_TEST(a_killed_run_leaves_nothing_behind)
{
	char first[BC_PATH_MAX], last[BC_PATH_MAX];

	interrupt(SIGKILL);
	bc_expect_status(128 + SIGKILL, NULL);
	no_worker_is_left();
	reference_reports(first, last);
	ck_assert(!bc_file_exists(last));
	bc_run_program("run " ONE);
	bc_expect_status(0, NULL);
}
END_TEST

START_TEST(a_worker_needs_a_parent)
{
	bc_run_program("worker");
	ck_assert_int_ne(bc_call.status, 0);
	ck_assert_int_lt(bc_call.status, 128);
}
END_TEST

/* --- another folder, another locale ---------------------------------------------------------------------------- */

START_TEST(a_locale_changes_nothing)
{
	struct bc_text plain, german;

	bc_run_program("run -v " ONE);
	plain = bc_program_file(&bc_call, "reports/journal.tsv");
	bc_call.set[0][0] = "LC_ALL";
	bc_call.set[0][1] = "de_DE.UTF-8";
	bc_run_program("run -v " ONE);
	bc_expect_status(0, NULL);
	bc_report_holds(REPORT, 1, 0, 0, 0);
	german = bc_program_file(&bc_call, "reports/journal.tsv");
	ck_assert(strstr(plain.data, "\tid=stride/ld_b32/2\t") && strstr(german.data, "\tid=stride/ld_b32/2\t"));
	bc_text_release(&plain);
	bc_text_release(&german);
}
END_TEST

Suite *bc_test_cli_run(void)
{
	Suite *s = suite_create("cli_run");
	TCase *runs_tc = tcase_create("run"), *folder = tcase_create("folder"), *signals = tcase_create("signals");
	TCase *all[] = { runs_tc, folder, signals };

	for (size_t i = 0; i < BC_ARRAY_LEN(all); i++) {
		tcase_add_checked_fixture(all[i], bc_call_setup, bc_call_teardown);
		tcase_set_timeout(all[i], 120);
		suite_add_tcase(s, all[i]);
	}
	tcase_add_test(runs_tc, a_run_that_passes_is_status_0);
	tcase_add_test(runs_tc, the_whole_catalogue_passes);
	tcase_add_test(runs_tc, one_wrong_number_is_one_failure);
	tcase_add_test(runs_tc, no_expectation_is_no_pass);
	tcase_add_loop_test(runs_tc, the_catalogue_is_the_listed_one, 0, (int)BC_ARRAY_LEN(listed));
	tcase_add_loop_test(runs_tc, a_run_ends_as_the_row_says, 0, (int)BC_ARRAY_LEN(runs));
	tcase_add_loop_test(runs_tc, an_empty_selection_is_status_4_and_leaves_the_reports, 0,
			    (int)BC_ARRAY_LEN(empty));
	tcase_add_test(runs_tc, counters_that_are_required_are_hardware);
	tcase_add_loop_test(runs_tc, no_gpu_is_status_3, 0, (int)BC_ARRAY_LEN(without_gpu));
	tcase_add_test(runs_tc, the_reports_of_the_run_before_are_removed);
	tcase_add_test(runs_tc, a_journal_names_reports_only);
	tcase_add_test(runs_tc, paths_in_messages_are_plain);
	tcase_add_test(runs_tc, reports_name_no_folder_of_the_machine);
	tcase_add_test(runs_tc, quiet_is_quiet);
	tcase_add_test(runs_tc, tap_and_checks_variables);
	tcase_add_test(runs_tc, github_gets_annotations);
	tcase_add_test(runs_tc, a_terminal_gets_colours_and_a_bar);
	tcase_add_test(runs_tc, a_locale_changes_nothing);
	tcase_add_test(folder, a_folder_that_cannot_be_written_is_status_2);
	tcase_add_test(folder, a_locked_folder_is_status_2);
	tcase_add_test(folder, a_report_says_what_the_program_is_made_of);
	tcase_add_test(folder, a_full_disk_is_status_2);
	tcase_add_test(folder, lost_output_is_status_2);
	tcase_add_test(folder, closed_streams_leave_the_files_alone);
	tcase_add_loop_test(signals, a_signal_leaves_whole_reports, 0, 2);
	tcase_add_test(signals, a_killed_run_leaves_nothing_behind);
	tcase_add_test(signals, a_worker_needs_a_parent);
	return s;
}
