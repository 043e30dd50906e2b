/* SPDX-License-Identifier: MIT */
/* What a run is called: host, labels, job; and hosts that share a folder. By the real program. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/tests/program.h"

Suite *bc_test_naming(void);

#define RUN "run --device reference --filter stride/ld_b32/1 -q"
#define REPORT "reports/reference-sm_90.xml"

/* So many testsuites of a report have the property with this value. */
static double property(const char *report, const char *name, const char *value)
{
	char path[300];
	xmlDocPtr doc = bc_report(report);
	double n;

	(void)snprintf(path, sizeof(path), "count(//property[@name='%s'][@value='%s'])", name, value);
	n = bc_report_number(doc, path);
	xmlFreeDoc(doc);
	return n;
}

static void set(size_t i, const char *name, const char *value)
{
	bc_call.set[i][0] = name;
	bc_call.set[i][1] = value;
}

static const struct {
	const char *option, *slurmd, *node, *host, *by;
} hosts[] = {
	{ " --host n1", "n2", "n3", "n1", "option" },
	{ "", "n2", "n3", "n2", "SLURMD_NODENAME" },
	{ "", "", "n3", "n3", "NODE_NAME" },
	{ "", NULL, "n3", "n3", "NODE_NAME" },
};

START_TEST(the_first_that_names_the_host_counts)
{
	char words[200];
	xmlDocPtr doc;

	set(0, "SLURMD_NODENAME", hosts[_i].slurmd);
	set(1, "NODE_NAME", hosts[_i].node);
	(void)snprintf(words, sizeof(words), RUN "%s", hosts[_i].option);
	bc_run_program(words);
	bc_expect_status(0, NULL);
	ck_assert_double_eq(property(REPORT, "host", hosts[_i].host), 1);
	ck_assert_double_eq(property(REPORT, "host_by", hosts[_i].by), 1);
	doc = bc_report(REPORT);
	(void)snprintf(words, sizeof(words), "count(//testsuite[@hostname='%s'])", hosts[_i].host);
	ck_assert_double_eq(bc_report_number(doc, words), 1);
	xmlFreeDoc(doc);
}
END_TEST

START_TEST(without_a_name_the_system_has_one)
{
	bc_run_program(RUN);
	ck_assert_double_eq(property(REPORT, "host_by", "system"), 1);
	bc_shell("grep -F \"hostname=\\\"$(uname -n)\\\"\" " REPORT);
}
END_TEST

/* Slurm's job and its restarts, labels, and a hash of the machine's id (never the id): in the report, and in one that
 * is made of the journal. */
START_TEST(a_report_says_what_the_run_was_told)
{
	set(0, "SLURM_JOB_ID", "4711");
	set(1, "SLURM_RESTART_COUNT", "2");
	bc_run_program(RUN " --label night=2026-12-01 --label site=a=b --host n1");
	bc_expect_status(0, NULL);
	for (int again = 0; again < 2; again++) {
		ck_assert_double_eq(property(REPORT, "slurm_job", "4711"), 1);
		ck_assert_double_eq(property(REPORT, "slurm_restart", "2"), 1);
		ck_assert_double_eq(property(REPORT, "label_night", "2026-12-01"), 1);
		ck_assert_double_eq(property(REPORT, "label_site", "a=b"), 1);
		ck_assert_double_eq(property(REPORT, "host_by", "option"), 1);
		bc_shell("id=$(cat /etc/machine-id 2>/dev/null) || exit 0; [ -n \"$id\" ] || exit 0; ! grep -q "
			 "$id " REPORT " && want=$(printf 'bankcheck machine-id %s' $id | sha256sum | cut -c1-32) && "
			 "grep -q $want " REPORT);
		bc_shell("rm " REPORT);
		set(0, "SLURM_JOB_ID", NULL);
		bc_run_program("report reports/journal.tsv -q");
	}
	set(1, "SLURM_RESTART_COUNT", NULL);
	set(0, "SLURM_JOB_ID", "4712");
	bc_run_program(RUN " --host n1");
	ck_assert_double_eq(property(REPORT, "slurm_restart", "0"), 1);
	set(0, "SLURM_JOB_ID", NULL);
	bc_run_program(RUN " --host n1");
	ck_assert_double_eq(property(REPORT, "slurm_job", "none"), 1);
}
END_TEST

static const struct {
	const char *words, *said;
} refused[] = {
	{ "--host a/b", "--host a/b: a host's name" },
	{ "--host 0123456789012345678901234567890123456789012345678901234567890123",
	  "a host's name has 1 to 63 bytes" },
	{ "--label night", "--label night: KEY=VALUE is needed" },
	{ "--label Night=1", "KEY=VALUE is needed" },
	{ "--label 1n=1", "KEY=VALUE is needed" },
	{ "--label =1", "KEY=VALUE is needed" },
	{ "--label night=", "the value is one line of 1 to 127 bytes" },
	{ "--label a=1 --label b=1 --label a=2", "--label a=2: this key is there twice" },
};

START_TEST(a_name_that_cannot_be_one_is_refused)
{
	char words[300];

	(void)snprintf(words, sizeof(words), RUN " %s", refused[_i].words);
	bc_run_program(words);
	bc_expect_status(3, refused[_i].said);
	ck_assert(!bc_file_exists(REPORT));
}
END_TEST

/* Sixteen hexadecimal digits that differ from run to run, though host and second are the same. */
START_TEST(no_two_runs_have_one_name)
{
	bc_shell("unset CK_RUN_SUITE; for i in 1 2 3 4; do " BC_TEST_BINARY " " RUN
		 " --host n1 --reports r$i & done; wait");
	bc_shell("grep -ho 'name=\"run_id\" value=\"[^\"]*' r?/*.xml | sort -u > ids; [ $(wc -l < ids) = 4 ]");
	bc_shell("! grep -vE 'value=\"[0-9]{8}T[0-9]{6}Z-n1-[0-9a-f]{16}$' ids");
	bc_shell("[ $(sed 's/.*-//' ids | sort -u | wc -l) = 4 ]");
}
END_TEST

START_TEST(hosts_that_share_a_folder_keep_their_reports)
{
	bc_run_program(RUN " --host N.1");
	bc_run_program(RUN " --host n2");
	bc_expect_status(0, "the reports here were of the host N.1");
	ck_assert_double_eq(property("reports/reference-sm_90-n_1.xml", "host", "N.1"), 1);
	ck_assert_double_eq(property(REPORT, "host", "n2"), 1);
	bc_run_program("report reports/journal-n_1.tsv -q --reports other");
	ck_assert_double_eq(property("other/reference-sm_90.xml", "host", "N.1"), 1);
	bc_run_program(RUN " --host N.1"); /* its own older report is the one that it replaces */
	ck_assert_double_eq(property(REPORT, "host", "N.1"), 1);
	ck_assert_double_eq(property("reports/reference-sm_90-n2.xml", "host", "n2"), 1);
	ck_assert(!bc_file_exists("reports/reference-sm_90-n_1.xml") && !bc_file_exists("reports/journal-n_1.tsv"));
	bc_run_program("merge reports -o all.xml");
	bc_expect_output("2 reports, 2 devices");
}
END_TEST

/* A container has another name each time: it replaces what it made. */
START_TEST(a_name_of_the_system_alone_tells_no_hosts_apart)
{
	bc_run_program(RUN);
	bc_shell("sed -i '1s/host=[^\\t]*/host=another/' reports/journal.tsv");
	bc_run_program(RUN);
	bc_expect_status(0, NULL);
	ck_assert(!bc_file_exists("reports/reference-sm_90-another.xml"));
}
END_TEST

START_TEST(a_run_of_another_host_is_not_resumed)
{
	bc_run_program(RUN " --host n1");
	bc_shell("cp -r reports before");
	bc_run_program(RUN " --host n2 --resume");
	bc_expect_status(3,
			 "reports/journal.tsv: is the journal of the host n1, and this is n2: give each host a folder");
	bc_shell("diff -r -x .lock reports before");
	bc_run_program(RUN " --host n1 --resume");
	bc_expect_status(0, NULL);
}
END_TEST

Suite *bc_test_naming(void)
{
	Suite *s = suite_create("naming");
	TCase *tc = tcase_create("program");

	tcase_add_checked_fixture(tc, bc_call_setup, bc_call_teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, the_first_that_names_the_host_counts, 0, (int)BC_ARRAY_LEN(hosts));
	tcase_add_test(tc, without_a_name_the_system_has_one);
	tcase_add_test(tc, a_report_says_what_the_run_was_told);
	tcase_add_loop_test(tc, a_name_that_cannot_be_one_is_refused, 0, (int)BC_ARRAY_LEN(refused));
	tcase_add_test(tc, no_two_runs_have_one_name);
	tcase_add_test(tc, hosts_that_share_a_folder_keep_their_reports);
	tcase_add_test(tc, a_name_of_the_system_alone_tells_no_hosts_apart);
	tcase_add_test(tc, a_run_of_another_host_is_not_resumed);
	suite_add_tcase(s, tc);
	return s;
}
