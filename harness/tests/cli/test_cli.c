/* SPDX-License-Identifier: MIT */
/* The program as a user calls it: usage, help, lists, and expectations that are wrong. */
#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/program.h"

Suite *bc_test_cli(void);

#define ONE "--device reference --filter stride/ld_b32/2"
#define REPORT "reports/reference-sm_90.xml"

/* --- usage ----------------------------------------------------------------------------------------------------- */

static const struct {
	const char *args, *words;
} wrong[] = {
	{ "", "which command?" },
	{ "frobnicate", "`frobnicate` is not a command" },
	{ "--frobnicate", "--frobnicate: the command comes first" },
	{ "Run", "`Run` is not a command" },
	{ "help frobnicate", "help: `frobnicate` is not a command; `bankcheck help` lists them" },
	{ "help run list", "help: it takes one command, not 2" },
	{ "help --frobnicate", "--frobnicate: unknown or ambiguous option of `bankcheck help`" },
	{ "completion", "completion: for which shell?" },
	{ "completion fish", "completion: for which shell?" },
	{ "run --color sometimes", "--color sometimes: it takes auto, always or never" },
	{ "run --frobnicate", "--frobnicate: unknown or ambiguous option of `bankcheck run`" },
	{ "run -x", "-x: unknown or ambiguous option of `bankcheck run`" },
	{ "run -qx", "-x: unknown or ambiguous option of `bankcheck run`" },
	{ "run --quiet=yes",
	  "--quiet=yes: unknown or ambiguous option of `bankcheck run`, or an argument that it does not take" },
	{ "run --filter", "--filter needs an argument" },
	{ "run --reports=", "--reports: its argument DIR is empty" },
	{ "run stride", "`stride`: run takes options only; --filter selects cases" },
	{ "run --timeout 0", "--timeout 0: a whole number of seconds" },
	{ "run --timeout ten", "--timeout ten: a whole number of seconds" },
	{ "run --timeout -1", "--timeout -1: a whole number of seconds" },
	{ "run --timeout 1.5", "--timeout 1.5: a whole number of seconds" },
	{ "run --timeout 99999999999999999999", "--timeout 99999999999999999999: a whole number" },
	{ "run --inactivity 86401", "--inactivity 86401: a whole number of seconds, 1 to 86400" },
	{ "run --witness oracle", "--witness oracle: it takes auto, counters or clock" },
	{ "run --require clock", "--require clock: it takes counters" },
	{ "run --arch sm_90", "--arch: unknown or ambiguous option of `bankcheck run`" },
	{ "list --device reference", "--device: unknown or ambiguous option of `bankcheck list`" },
	{ "list stride", "`stride`: list takes options only" },
	{ "devices --filter x", "--filter: unknown or ambiguous option of `bankcheck devices`" },
	{ "run --device gpu0", "--device gpu0: not a device" },
	{ "run --device reference:sm_12", "--device reference:sm_12: no such architecture" },
	{ "run --device reference --filter nonsense", "--filter 'nonsense' matches no case; the nearest is" },
	{ "run --device reference --filter stride --filter strid",
	  "--filter 'strid' matches no case; the nearest is 'stride'" },
	{ "run --device reference --exclude nonsense", "--exclude 'nonsense' matches no case" },
	{ "run --device reference --fault nonsense", "nonsense" },
	{ "list --filter nonsense", "--filter 'nonsense' matches no case" },
	{ "list --long --arch sm_12", "no folder for sm_12 and none older" },
	{ "list --arch sm_12", "no folder for sm_12 and none older" },
	{ "list --arch hopper", "--arch hopper: an architecture is sm_ and its compute capability, for example sm_90" },
	{ "selftest --arch sm_12", "sm_12/arch.txt: no such file; architectures are the folders of " },
	{ "run --re 1", "--re: unknown or ambiguous option of `bankcheck run`" },
	{ "run --shard 3/2", "--shard 3/2: I/N with I from 1 to N" },
	{ "run --shuffle x", "--shuffle x: a whole number, 0 to 4294967295" },
	{ "run --isolate gpu", "--isolate gpu: it takes device or case" },
	{ "run --repeat 2 --retries 1", "--repeat and --retries exclude each other" },
	{ "run --pack 0", "--pack 0: a whole number, 1 to 3" },
	{ "run --repeat 1001", "--repeat 1001: a whole number, 1 to 1000" },
	{ "run --device reference --expected /nonexistent", "/nonexistent" },
	{ "list --long --expected /nonexistent", "/nonexistent" },
};

START_TEST(wrong_usage_is_status_3)
{
	bc_run_program(wrong[_i].args);
	bc_expect_status(3, wrong[_i].words);
	ck_assert_msg(strncmp(bc_call.err.data, "bankcheck: ", 11) == 0, "%s", bc_call.err.data);
	ck_assert_msg(strchr(bc_call.err.data, '\n') == bc_call.err.data + bc_call.err.len - 1, "more than a line: %s",
		      bc_call.err.data);
	ck_assert_str_eq(bc_call.out.data, "");
	ck_assert(!bc_file_exists(REPORT));
}
END_TEST

START_TEST(a_message_moves_no_terminal)
{
	bc_write_file("hostile.tsv", "w", "\033[2J\033]0;x\a\tnothing\n");
	bc_run_program("report hostile.tsv");
	bc_expect_status(3, "\\x1b[2J");
	for (const char *c = bc_call.err.data; *c; c++)
		ck_assert_msg(!iscntrl((unsigned char)*c) || (*c == '\n' && !c[1]), "control character %#x",
			      (unsigned)*c);
}
END_TEST

START_TEST(help_is_there)
{
	static const char *const options[] = { "--device",	"--filter",    "--exclude",  "--reports",
					       "--expected",	"--kernels",   "--witness",  "--require",
					       "--timeout",	"--fault",     "--strict",   "--tap",
					       "-v, --verbose", "-q, --quiet", "-h, --help", "-V, --version" };

	bc_run_program("--help");
	bc_expect_status(0, NULL);
	bc_expect_output("usage: bankcheck COMMAND");
	bc_expect_output("\n  run\n");
	bc_expect_output("\n  list\n");
	bc_expect_output("\n  devices\n");
	bc_expect_no_output("143");
	bc_expect_no_output("  worker ");
	bc_run_program("run --help");
	bc_expect_status(0, NULL);
	bc_expect_output("usage: bankcheck run");
	for (size_t i = 0; i < BC_ARRAY_LEN(options); i++)
		bc_expect_output(options[i]);
	bc_run_program("list -h");
	bc_expect_status(0, NULL);
	bc_expect_output("--long");
	bc_expect_no_output("--device");
	bc_run_program("run --filter x --help"); /* help wins over what is wrong beside it */
	bc_expect_status(0, NULL);
}
END_TEST

/* What `help` lists: "  name operands" a line. Return: how many, their names in @name. */
static size_t list_commands(char name[][32], size_t max)
{
	size_t n = 0;

	bc_run_program("help");
	bc_expect_status(0, NULL);
	for (const char *line = bc_call.out.data; (line = strchr(line, '\n')); line++) {
		if (strncmp(line, "\n  ", 3) != 0 || !islower((unsigned char)line[3]))
			continue;
		ck_assert_uint_lt(n, max);
		(void)snprintf(name[n++], 32, "%.*s", (int)strcspn(line + 3, " \n"), line + 3);
	}
	return n;
}

static void expect_80_columns(const char *words)
{
	for (const char *line = bc_call.out.data, *end; (end = strchr(line, '\n')); line = end + 1)
		ck_assert_msg(end - line <= 80, "%s: %td columns: %.*s", words, end - line, (int)(end - line), line);
}

START_TEST(help_fits_a_terminal_and_is_of_its_command)
{
	static const struct {
		const char *command, *has, *lacks;
	} rows[] = {
		{ "run", "\n    4  a case was not judged", "something is worse" },
		{ "run", "\n  143  ended by SIGTERM", "selftest:" },
		{ "diff", "\n    1  something is worse", "XPASS" },
		{ "diff", "\n    2  the runs cannot be compared", "\n    4" },
		{ "merge", "\n    2  a shard of a run is missing", "\n    1" },
		{ "list", "\n    3  wrong usage", "\n  130" },
		{ "selftest", "\n    1  a fault is not caught", "\n    4" },
		{ "code", "\n    1  an instruction that the suites measure differs", "XPASS" },
		{ "report", "\n    1  a case is FAIL", "another number of GPUs" },
	};
	char name[40][32], words[64], text[64];
	const size_t n = list_commands(name, 40);

	ck_assert_uint_ge(n, 14);
	expect_80_columns("help");
	for (size_t i = 0; i < n; i++) {
		(void)snprintf(words, sizeof(words), "help %.31s", name[i]);
		bc_run_program(words);
		bc_expect_status(0, NULL);
		expect_80_columns(words);
		(void)snprintf(text, sizeof(text), "usage: bankcheck %.31s", name[i]);
		bc_expect_output(text);
		bc_expect_output("\n    0  ");
		bc_expect_output("\n    2  ");
		bc_expect_output("\n    3  ");
	}
	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		(void)snprintf(words, sizeof(words), "%s --help", rows[i].command);
		bc_run_program(words);
		bc_expect_output(rows[i].has);
		bc_expect_no_output(rows[i].lacks);
	}
}
END_TEST

START_TEST(help_and_version_have_short_forms)
{
	struct bc_text help;

	bc_run_program("run --help");
	help = bc_call.out;
	bc_call.out = (struct bc_text){ 0 };
	bc_run_program("help run");
	ck_assert_str_eq(bc_call.out.data, help.data);
	bc_text_release(&help);
	bc_run_program("--help");
	help = bc_call.out;
	bc_call.out = (struct bc_text){ 0 };
	bc_run_program("help");
	ck_assert_str_eq(bc_call.out.data, help.data);
	bc_text_release(&help);
	bc_run_program("-V");
	bc_expect_status(0, NULL);
	ck_assert_str_eq(bc_call.out.data, "bankcheck " BC_VERSION "\n");
	bc_run_program("run -V");
	bc_expect_status(0, NULL);
	ck_assert_str_eq(bc_call.out.data, "bankcheck " BC_VERSION "\n");
}
END_TEST

/* --- the environment ------------------------------------------------------------------------------------------- */

START_TEST(the_environment_gives_defaults)
{
	bc_call.set[0][0] = "BANKCHECK_REPORTS";
	bc_call.set[0][1] = "mine";
	bc_call.set[1][0] = "BANKCHECK_DEVICE";
	bc_call.set[1][1] = "reference:sm_80";
	bc_run_program("run --filter stride/ld_b32/2");
	bc_expect_status(0, NULL);
	ck_assert(bc_file_exists("mine/reference-sm_80.xml") && !bc_file_exists(REPORT));
	bc_run_program("run --reports theirs --device reference:sm_75 --filter stride/ld_b32/2");
	bc_expect_status(0, NULL); /* the command line wins */
	ck_assert(bc_file_exists("theirs/reference-sm_75.xml") && !bc_file_exists("mine/reference-sm_75.xml"));
	bc_run_program("report theirs/journal.tsv"); /* stays beside its journal */
	bc_expect_status(0, NULL);
	bc_expect_output("report: theirs/reference-sm_75.xml");
	bc_run_program("run --help");
	bc_expect_output("[environment: BANKCHECK_REPORTS=mine]");
	bc_expect_output("[environment: BANKCHECK_DEVICE=reference:sm_80]");
	bc_call.set[0][1] = ""; /* empty: as if it were not set */
	bc_run_program("run --filter stride/ld_b32/2");
	bc_expect_status(0, NULL);
	ck_assert(bc_file_exists("reports/reference-sm_80.xml"));
	bc_call.set[1][0] = "BANKCHECK_EXPECTED";
	bc_call.set[1][1] = "/nonexistent";
	bc_run_program("list --long");
	bc_expect_status(3, "/nonexistent");
	bc_run_program("run " ONE);
	bc_expect_status(3, "/nonexistent");
	bc_call.set[1][0] = "BANKCHECK_KERNELS";
	bc_run_program("run " ONE);
	bc_expect_status(2, NULL);
	bc_expect_output("nonexistent/ptx/pattern_ld.ptx: cannot be opened");
	bc_expect_output("\n  bankcheck run --device reference:sm_90 --filter"); /* it finds them where this run did */
	bc_run_program("run --kernels none " ONE);
	bc_expect_output("\n  bankcheck run --kernels none --device");
	bc_run_program("man");
	for (const char *const *v = (const char *const[]){ "REPORTS", "EXPECTED", "KERNELS", "DEVICE", NULL }; *v;
	     v++) {
		char words[40];

		(void)snprintf(words, sizeof(words), ".B BANKCHECK_%s\n", *v);
		bc_expect_output(words);
	}
}
END_TEST

/* --- completion ------------------------------------------------------------------------------------------------ */

/* What bash offers at the end of @line, joined by blanks, in the call's output. */
static void complete_in_bash(const char *line)
{
	char command[700];

	(void)snprintf(command, sizeof(command),
		       "bash -c '. ./c.bash; COMP_LINE=\"%s\"; COMP_POINT=${#COMP_LINE}; COMPREPLY=(); _bankcheck; "
		       "echo \" ${COMPREPLY[*]} \"' > out.txt 2> err.txt; test ! -s err.txt",
		       line);
	bc_shell(command);
	bc_text_release(&bc_call.out);
	bc_call.out = bc_program_file(&bc_call, "out.txt");
}

START_TEST(bash_completes)
{
	static const struct {
		const char *line, *has, *lacks;
	} rows[] = {
		{ "@ r", " run report ", "list" },
		{ "@ -", " --help -h --version -V ", "run" },
		{ "@ run --wit", " --witness ", "--format" },
		{ "@ run --witness ", " auto counters clock ", "--" },
		{ "@ run --witness=c", " counters clock ", "auto" },
		{ "@ run --color a", " auto always ", "never" },
		{ "@ run -", " --device ", "--format" },
		{ "@ run --device reference:sm_9", " sm_90 ", "sm_80" },
		{ "@ run --device all,ref", " all,reference ", " all " },
		{ "@ run --filter stride/ld_b32/12", " stride/ld_b32/12 ", "st_b32" },
		{ "@ run --fault banks-", " banks-16 ", "counters-zero" },
		{ "@ run --timeout ", "  ", "--" },
		{ "@ explain stride/ld_b32/12", " stride/ld_b32/12 ", "st_b32" },
		{ "@ diff --format ", " text json markdown junit ", "csv" },
		{ "@ list --format ", " text json ", "markdown" },
		{ "@ history ", " add list trend flaky first-bad export prune ", "--" },
		{ "@ history trend stride/ld_b32/12", " stride/ld_b32/12 ", "st_b32" },
		{ "@ help me", " merge metrics ", "run" },
		{ "@ completion ", " bash zsh ", "--" },
	};

	bc_run_program("completion bash");
	bc_expect_status(0, NULL);
	bc_shell("cp stdout.txt c.bash && bash -n c.bash");
	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		char line[512];

		(void)snprintf(line, sizeof(line), BC_TEST_BINARY "%s", rows[i].line + 1);
		complete_in_bash(line);
		bc_expect_output(rows[i].has);
		bc_expect_no_output(rows[i].lacks);
	}
}
END_TEST

/* Both scripts know every option of every command. */
START_TEST(completion_is_whole)
{
	char name[40][32], words[64];
	const size_t n = list_commands(name, 40);
	struct bc_text bash, zsh;

	bc_run_program("completion bash");
	bash = bc_call.out;
	bc_call.out = (struct bc_text){ 0 };
	bc_run_program("completion zsh");
	bc_shell("cp stdout.txt _c; command -v zsh >/dev/null || exit 0; zsh -n _c");
	zsh = bc_call.out;
	bc_call.out = (struct bc_text){ 0 };
	ck_assert(strncmp(zsh.data, "#compdef bankcheck\n", 19) == 0);
	for (size_t i = 0; i < n; i++) {
		char label[64];
		const char *in[2], *end[2];

		(void)snprintf(label, sizeof(label), "\n\t%.31s)\n", name[i]);
		in[0] = strstr(bash.data, label);
		in[1] = strstr(zsh.data, label);
		ck_assert_msg(in[0] && in[1], "no %s", name[i]);
		end[0] = strstr(in[0], " ;;\n");
		end[1] = strstr(in[1], "\t;;\n");
		ck_assert(end[0] && end[1]);
		(void)snprintf(words, sizeof(words), "help %.31s", name[i]);
		bc_run_program(words);
		for (const char *o = bc_call.out.data; (o = strstr(o, "--")); o += 2) {
			char want[64];
			const int len = (int)strspn(o, "-abcdefghijklmnopqrstuvwxyz");

			if (o[-1] != ' ' || (o[-2] != ' ' && o[-2] != ',') ||
			    o > strstr(bc_call.out.data, "exit status:"))
				continue;
			(void)snprintf(want, sizeof(want), "%.*s", len, o);
			for (size_t k = 0; k < 2; k++) {
				const char *at = strstr(in[k], want);

				ck_assert_msg(at && at < end[k], "%s: no %s in %s", name[i], want, k ? "zsh" : "bash");
			}
		}
	}
	bc_text_release(&bash);
	bc_text_release(&zsh);
}
END_TEST

START_TEST(version_is_there)
{
	bc_run_program("--version");
	bc_expect_status(0, NULL);
	ck_assert_str_eq(bc_call.out.data, "bankcheck " BC_VERSION "\n");
	bc_run_program("run --version");
	bc_expect_status(0, NULL);
	ck_assert_str_eq(bc_call.out.data, "bankcheck " BC_VERSION "\n");
}
END_TEST

/* Every line of the man page is text or a macro of man(7), and every option of --help is in it. */
START_TEST(the_man_page_is_sound)
{
	static const char *const sections[] = {
		".TH BANKCHECK 1 ", ".SH NAME\nbankcheck \\- ", ".SH SYNOPSIS\n", ".SH DESCRIPTION\n", ".SH COMMANDS\n",
		".SH OPTIONS\n",    ".SH EXIT STATUS\n",	".SH FILES\n",	  ".SH ENVIRONMENT\n"
	};
	static const char *const macros[] = { ".TH ", ".SH ", ".TP\n", ".B ", ".I ", ".nf\n", ".fi\n" };
	struct bc_text man;
	const char *at;

	bc_run_program("man");
	bc_expect_status(0, NULL);
	man = bc_call.out;
	bc_call.out = (struct bc_text){ 0 };
	ck_assert(strncmp(man.data, sections[0], strlen(sections[0])) == 0);
	at = man.data;
	for (size_t i = 0; i < BC_ARRAY_LEN(sections); i++) {
		at = strstr(at, sections[i]);
		ck_assert_msg(at != NULL, "no %s in its place", sections[i]);
	}
	for (const char *line = man.data, *end; (end = strchr(line, '\n')); line = end + 1) {
		bool known = line[0] != '.' && line[0] != '\'';

		for (size_t i = 0; i < BC_ARRAY_LEN(macros); i++)
			known = known || strncmp(line, macros[i], strlen(macros[i])) == 0;
		ck_assert_msg(known, "%.*s", (int)(end - line), line);
	}
	bc_run_program("run --help");
	for (const char *o = bc_call.out.data; (o = strstr(o, " --")); o++) {
		const int len = (int)strspn(o + 3, "abcdefghijklmnopqrstuvwxyz");
		char want[64];

		(void)snprintf(want, sizeof(want), "\\-\\-%.*s", len, o + 3);
		ck_assert_msg(strstr(man.data, want), "no %s in the man page", want);
	}
	ck_assert_ptr_nonnull(strstr(man.data, "window_base"));
	bc_text_release(&man);
}
END_TEST

/* With groff at hand, it finds nothing to warn of. */
START_TEST(groff_takes_the_man_page)
{
	if (system("command -v groff >/dev/null 2>&1")) /* the_man_page_is_sound looks without it */
		return;
	bc_run_program("man");
	bc_shell("groff -man -Tascii -ww -z stdout.txt 2> groff.txt; test ! -s groff.txt");
}
END_TEST

/* README's "How to add a case" changes lines of a suite, as a diff shows it: they are there, each once. */
START_TEST(the_readme_changes_lines_that_are_there)
{
	bc_shell(
		"cd '" BC_TEST_EXPECTED "/..' && sed -n 's/^       -\t/\t/p' README.md >'" BC_TEST_TMP "/lines' && "
		"test $(wc -l <'" BC_TEST_TMP "/lines') -ge 2 && while IFS= read -r line; do "
		"test $(grep -cFx -e \"$line\" suites/stride.c) = 1 || { echo \"$line\"; exit 1; }; done <'" BC_TEST_TMP
		"/lines'");
}
END_TEST

/* --- list ------------------------------------------------------------------------------------------------------ */

START_TEST(list_prints_ids)
{
	const char *line;
	size_t n = 0;

	bc_run_program("list --filter stride");
	bc_expect_status(0, NULL);
	ck_assert(strncmp(bc_call.out.data, "stride/ld_b32/0\nstride/ld_b32/1\nstride/ld_b32/2\n", 48) == 0);
	line = "stride/offset_st_b32/s32_30\nstride/offset_st_b32/s32_31\n";
	ck_assert_str_eq(bc_call.out.data + bc_call.out.len - strlen(line), line);
	for (const char *p = bc_call.out.data; *p; p++)
		n += *p == '\n';
	ck_assert_uint_eq(n, bc_cases_of("stride"));
	bc_run_program("list --filter stride/ld_b32/* --exclude *m* --exclude */??");
	bc_expect_status(0, NULL);
	ck_assert_str_eq(bc_call.out.data,
			 "stride/ld_b32/0\nstride/ld_b32/1\nstride/ld_b32/2\nstride/ld_b32/3\nstride/ld_b32/4\n"
			 "stride/ld_b32/5\nstride/ld_b32/6\nstride/ld_b32/7\nstride/ld_b32/8\nstride/ld_b32/9\n");
	bc_run_program("list");
	bc_expect_status(0, NULL);
	for (const char *p = bc_call.out.data, *end; (end = strchr(p, '\n')); p = end + 1) {
		unsigned slashes = 0;

		for (const char *c = p; c < end; c++) {
			slashes += *c == '/';
			ck_assert_msg(*c == '/' || *c == '_' || islower((unsigned char)*c) ||
					      isdigit((unsigned char)*c),
				      "%.*s", (int)(end - p), p);
		}
		ck_assert_uint_eq(slashes, 2);
	}
}
END_TEST

START_TEST(list_long_says_what_is_expected)
{
	bc_run_program("list --long --filter stride/ld_b32/2");
	bc_expect_status(0, NULL);
	ck_assert_str_eq(bc_call.out.data,
			 "stride/ld_b32/2\n"
			 "    a load at a stride of s words takes gcd(s, 32) wavefronts; stride 0 is a broadcast\n"
			 "    wavefronts 2 (rule: gcd(2, 32) = 2: 16 banks, 2 words each)\n"
			 "    conflicts 1 (rule: gcd(2, 32) = 2: 16 banks, 2 words each)\n"
			 "    clean twin stride/ld_b32/1\n");
	bc_run_program("list --long --arch sm_75 --filter mapping/distance/32768");
	bc_expect_status(0, NULL);
	bc_expect_output("    skipped on sm_75: needs 131076 bytes of shared memory (sm_75 has 65536)\n");
}
END_TEST

/* Between two that are listed: the laws and rows of the older one, as explain takes it. */
START_TEST(list_takes_an_architecture_without_a_folder_as_provisional)
{
	struct bc_text older;

	bc_run_program("list --long --arch sm_90 --filter stride");
	older = bc_call.out;
	bc_call.out = (struct bc_text){ 0 };
	bc_run_program("list --long --arch sm_95 --filter stride");
	bc_expect_status(0, "note: sm_95 is provisional: it has no folder in ");
	ck_assert_str_eq(bc_call.out.data, older.data);
	bc_text_release(&older);
	bc_run_program("list --format json --arch sm_95 --filter stride/ld_b32/2");
	bc_expect_status(0, "note: sm_95 is provisional");
	bc_expect_output("\"arch\": \"sm_95\"");
	bc_expect_output("\"provisional\": true");
	bc_run_program("list --format json --arch sm_90 --filter stride/ld_b32/2");
	bc_expect_status(0, NULL);
	ck_assert_str_eq(bc_call.err.data, "");
	bc_expect_output("\"provisional\": false");
}
END_TEST

START_TEST(a_list_that_gets_lost_is_status_2)
{
	bc_call.out_path = "/dev/full";
	bc_run_program("list");
	bc_expect_status(2, "standard output could not be written");
	bc_run_program("--help");
	bc_expect_status(2, "standard output could not be written");
	bc_run_program("man");
	bc_expect_status(2, "standard output could not be written");
	bc_run_program("--version");
	bc_expect_status(2, "standard output could not be written");
}
END_TEST

START_TEST(devices_says_what_is_here)
{
	bc_run_program("devices");
	bc_expect_status(0, NULL);
	bc_expect_output("reference");
	bc_expect_output("sm_70 sm_75");
	bc_expect_output("kernels");
}
END_TEST

/* --- expectations that are wrong ------------------------------------------------------------------------------- */

static const struct {
	const char *what, *file, *text, *words;
} bad_rows[] = {
	{ "a number that is none", "common/zz.txt", "# c\nrow stride/ld_b32/2 sectors=two rule x\n",
	  "common/zz.txt:2: " },
	{ "a case that does not exist", "common/zz.txt", "row stride/ld_b32/65 wavefronts=1 rule x\n",
	  "common/zz.txt:1: there is no case 'stride/ld_b32/65'" },
	{ "the same row twice in one folder", "common/zz.txt", "row stride/ld_b32/2 wavefronts=2 rule x\n",
	  "common/zz.txt:1" },
	{ "a quantity nobody knows", "sm_90/zz.txt", "\n\nrow stride/ld_b32/2 colour=1 rule x\n", "sm_90/zz.txt:3: " },
	{ "no basis", "common/zz.txt", "row stride/ld_b32/2 sectors=1 rule\n", "common/zz.txt:1: " },
	{ "bounds the wrong way round", "common/zz.txt", "row stride/ld_b32/2 sectors=2..1 rule x\n",
	  "common/zz.txt:1: " },
	{ "another language", "common/zz.txt", "expect stride/ld_b32/2 = 2\n", "common/zz.txt:1: " },
	{ "a key nobody knows", "sm_90/arch.txt", "colour 1\n", "sm_90/arch.txt:" },
};

START_TEST(a_bad_expectation_is_status_3)
{
	char name[128];

	bc_copy_expected();
	(void)snprintf(name, sizeof(name), "expected/%s", bad_rows[_i].file);
	bc_write_file(name, "a", bad_rows[_i].text);
	bc_run_program("run " ONE " --expected expected");
	bc_expect_status(3, bad_rows[_i].words);
	ck_assert(!bc_file_exists(REPORT));
	ck_assert_str_eq(bc_call.out.data, "");
}
END_TEST

START_TEST(an_unreadable_expectation_is_status_3)
{
	bc_copy_expected();
	bc_shell("ln -s nowhere expected/common/zz.txt");
	bc_run_program("run " ONE " --expected expected");
	bc_expect_status(3, "expected/common/zz.txt: cannot be opened: ");
	bc_shell("rm expected/common/zz.txt && mkdir expected/common/zz.txt");
	bc_run_program("run " ONE " --expected expected");
	bc_expect_status(3, "expected/common/zz.txt: is a folder");
	bc_shell("rmdir expected/common/zz.txt && printf 'row\\0' > expected/common/zz.txt");
	bc_run_program("run " ONE " --expected expected");
	bc_expect_status(3, "expected/common/zz.txt:1: ");
	bc_shell("rm -r expected/common/zz.txt expected/sm_90/arch.txt");
	bc_run_program("run " ONE " --expected expected");
	bc_expect_status(3, "sm_90");
}
END_TEST

Suite *bc_test_cli(void)
{
	Suite *s = suite_create("cli");
	TCase *usage = tcase_create("usage"), *lists = tcase_create("list"), *expected = tcase_create("expected");
	TCase *all[] = { usage, lists, expected };

	for (size_t i = 0; i < BC_ARRAY_LEN(all); i++) {
		tcase_add_checked_fixture(all[i], bc_call_setup, bc_call_teardown);
		tcase_set_timeout(all[i], 120);
		suite_add_tcase(s, all[i]);
	}
	tcase_add_loop_test(usage, wrong_usage_is_status_3, 0, (int)BC_ARRAY_LEN(wrong));
	tcase_add_test(usage, a_message_moves_no_terminal);
	tcase_add_test(usage, help_is_there);
	tcase_add_test(usage, help_fits_a_terminal_and_is_of_its_command);
	tcase_add_test(usage, help_and_version_have_short_forms);
	tcase_add_test(usage, the_environment_gives_defaults);
	tcase_add_test(usage, bash_completes);
	tcase_add_test(usage, completion_is_whole);
	tcase_add_test(usage, version_is_there);
	tcase_add_test(usage, the_man_page_is_sound);
	tcase_add_test(usage, groff_takes_the_man_page);
	tcase_add_test(lists, the_readme_changes_lines_that_are_there);
	tcase_add_test(lists, list_prints_ids);
	tcase_add_test(lists, list_long_says_what_is_expected);
	tcase_add_test(lists, list_takes_an_architecture_without_a_folder_as_provisional);
	tcase_add_test(lists, a_list_that_gets_lost_is_status_2);
	tcase_add_test(lists, devices_says_what_is_here);
	tcase_add_loop_test(expected, a_bad_expectation_is_status_3, 0, (int)BC_ARRAY_LEN(bad_rows));
	tcase_add_test(expected, an_unreadable_expectation_is_status_3);
	return s;
}
