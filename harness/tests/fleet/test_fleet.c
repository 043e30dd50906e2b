/* SPDX-License-Identifier: MIT */
/* `bankcheck fleet`: nights of made-up hosts, each with something wrong, and the words that it must get. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/gzip.h"
#include "harness/report/junit.h"
#include "harness/tests/program.h"
#include "harness/tests/report/report_sample.h"

Suite *bc_test_fleet(void);

#define NCASES 6
#define NIGHT "nights/2026-12-02"
#define BEFORE "nights/2026-12-01"

static struct bc_sample sample;
static struct bc_error err;
static char row[200]; /* lines of expected.tsv */

static void setup(void)
{
	bc_call_setup();
	bc_sample_init(&sample, NCASES);
	(void)bc_sample_add(&sample, BC_DEVICE_CUDA, "sm_90", "sm_90_cuda1");
	for (size_t d = 0; d < 2; d++) {
		struct bc_facts *f = &sample.devices[d].facts;

		sample.devices[d].complete = true;
		(void)bc_strlcpy(sample.devices[d].state_after, "1980 MHz, memory 3201 MHz, 41 C",
				 sizeof(sample.devices[d].state_after));
		(void)bc_strlcpy(f->vbios, "96.00.A5", sizeof(f->vbios));
		f->sms = 132;
	}
}

static void teardown(void)
{
	bc_sample_release(&sample);
	bc_call_teardown();
}

/* A report of @node: GPUs GPU-NODE-0 and so on, run at the hour @hour of the night. */
static void name_run(const char *night, const char *node, const char *job, unsigned hour)
{
	struct bc_run *r = &sample.run;

	(void)snprintf(r->host, sizeof(r->host), "%s", node);
	(void)snprintf(r->host_by, sizeof(r->host_by), "option");
	(void)snprintf(r->run_id, sizeof(r->run_id), "run-%s-%s-%s", strrchr(night, '/') + 1, node, job);
	(void)snprintf(r->timestamp, sizeof(r->timestamp), "%sT%02u:00:00", strrchr(night, '/') + 1, hour);
	for (size_t d = 0; d < r->ndevices; d++)
		(void)snprintf(sample.devices[d].facts.uuid, sizeof(sample.devices[d].facts.uuid), "GPU-%s-%zu", node,
			       d);
}

/* Write the sample into the folder of the job; with `done`, unless it is not. */
static void write_report(const char *night, const char *node, const char *job, bool done, bool zip)
{
	struct bc_text text = { 0 }, packed = { 0 };
	char line[300], dir[BC_PATH_MAX + 200], file[40];

	(void)snprintf(file, sizeof(file), "%s.xml", sample.devices[0].facts.arch);
	(void)snprintf(line, sizeof(line), "mkdir -p %s/nodes/%s/%s", night, node, job);
	bc_shell(line);
	(void)snprintf(dir, sizeof(dir), "%s/%s/nodes/%s/%s", bc_call.dir, night, node, job);
	ck_assert_msg(bc_junit_format(&sample.run, BC_JUNIT_FULL, file, &text, &err) == BC_OK, "%s", err.msg);
	ck_assert_int_eq(bc_gzip(text.data, text.len, &packed, &err), BC_OK);
	if (zip)
		(void)bc_strlcpy(file + strlen(file), ".gz", sizeof(file) - strlen(file));
	ck_assert_int_eq(bc_file_replace(&bc_file_system, dir, file, zip ? packed.data : text.data,
					 zip ? packed.len : text.len, &err),
			 BC_OK);
	if (done)
		ck_assert_int_eq(bc_file_replace(&bc_file_system, dir, "done", "", 0, &err), BC_OK);
	bc_text_release(&text);
	bc_text_release(&packed);
}

static void put(const char *night, const char *node, const char *job, unsigned hour)
{
	name_run(night, node, job, hour);
	write_report(night, node, job, true, false);
}

static void expect(const char *night, const char *lines)
{
	char name[64];

	(void)snprintf(row, sizeof(row), "mkdir -p %s/nodes", night);
	bc_shell(row);
	(void)snprintf(name, sizeof(name), "%s/expected.tsv", night);
	bc_write_file(name, "w", lines);
}

static void fleet(const char *words, int status)
{
	char line[200];

	(void)snprintf(line, sizeof(line), "fleet %s", words);
	bc_run_program(line);
	ck_assert_msg(bc_call.status == status, "%s: exit status %d, not %d\n%s%s", words, bc_call.status, status,
		      bc_call.out.data, bc_call.err.data);
}

/* The line of a node says this. */
static void says(const char *word, const char *node, const char *what)
{
	char start[100];
	const char *at;

	(void)snprintf(start, sizeof(start), "  %s  ", node);
	at = strstr(bc_call.out.data, start);
	ck_assert_msg(at != NULL, "no line of %s:\n%s", node, bc_call.out.data);
	while (at > bc_call.out.data && at[-1] != '\n')
		at--;
	ck_assert_msg(strncmp(at, word, strlen(word)) == 0 && at[strlen(word)] == ' ', "%s is not %s:\n%s", node, word,
		      bc_call.out.data);
	(void)bc_strlcpy(row, at, strcspn(at, "\n") + 1 < sizeof(row) ? strcspn(at, "\n") + 1 : sizeof(row));
	ck_assert_msg(strstr(row, what) != NULL || strstr(at, what) != NULL, "no `%s` for %s:\n%s", what, node,
		      bc_call.out.data);
}

#define FOUR                                                 \
	"# begun 2026-12-02T00:00:00\nn1\t2\tsm_90\tNVIDIA " \
	"H200\t580.159.04\nn2\t2\nn3\t-\nn4\t2\t-\t-\t-\tGPU-n4-0,GPU-n4-1\n"

START_TEST(a_whole_night_is_ok)
{
	expect(NIGHT, FOUR);
	for (unsigned i = 1; i <= 4; i++) {
		char node[8];

		(void)snprintf(node, sizeof(node), "n%u", i);
		name_run(NIGHT, node, "7", i);
		write_report(NIGHT, node, "7", true, i % 2);
	}
	fleet("gather " NIGHT, 0);
	bc_expect_output("2026-12-02: 4 folders gathered: 8 runs, 0 already there; 0 folders of before, 0 unfinished, "
			 "0 damaged");
	bc_shell("cp nights/history.db once.db");
	fleet("gather " NIGHT, 0); /* twice changes nothing */
	bc_expect_output("0 folders gathered: 0 runs, 0 already there; 4 folders of before");
	bc_shell("cmp nights/history.db once.db");
	fleet("check " NIGHT, 0);
	says("OK", "n1", "2 of 2");
	bc_expect_output("4 of 4 nodes are OK\n");
	fleet("outliers " NIGHT, 0);
	bc_expect_output("0 odd");
	fleet("table " NIGHT, 0);
	bc_expect_output("6 cases are unanimous: 6 PASS");
	bc_sample_set(&sample, 1, 2, BC_FAIL, "ratio");
	put(NIGHT, "n3", "8", 9); /* once more, and the later one counts: it has a finding, and n3 ran twice */
	bc_write_file(NIGHT "/expected.tsv", "w", "n1\t2\nn2\t2\nn3\t-\nn4\t-\n");
	bc_shell("rm -r " NIGHT "/nodes/n3/7; sqlite3 x.db '' 2>/dev/null; rm -f nights/history.db");
	fleet("check " NIGHT, 1);
	says("OK", "n3", "1 finding");
	bc_expect_output("4 of 4 nodes are OK\n");
}
END_TEST

START_TEST(what_is_missing_has_the_engines_reason)
{
	expect(NIGHT, "n1\t2\nn2\t2\nn3\t2\nn4\t2\n");
	bc_write_file(
		NIGHT "/jobs.tsv", "w",
		"# from the engine\nn2\t11\tPENDING\nn2\t12\tDEADLINE\t-\tdrained: bad DIMM\nn3\t13\tNODE_FAIL\t0:0\n");
	put(NIGHT, "n1", "10", 1);
	name_run(NIGHT, "n3", "13", 1);
	write_report(NIGHT, "n3", "13", false, false); /* no `done`: it never ended */
	fleet("check " NIGHT, 2);
	says("OK", "n1", "");
	says("MISSING", "n2", "job 12: DEADLINE: drained: bad DIMM");
	says("MISSING", "n3", "job 13: NODE_FAIL, exit 0:0; nodes/n3/13 is not finished (no `done`)");
	says("MISSING", "n4", "no job of it is known");
	bc_expect_output("1 of 4 nodes are OK");
	fleet("outliers " NIGHT, 2); /* missing is never green, whatever is asked */
	bc_expect_output("3 of 4 nodes are not OK: see `bankcheck fleet check`");
	fleet("table " NIGHT, 2);
}
END_TEST

START_TEST(gpus_are_counted)
{
	expect(NIGHT, "n1\t2\t-\t-\t-\tGPU-n1-0,GPU-n1-1\nn2\t2\nn3\t1\nn5\t2\t-\t-\t-\tGPU-n5-0,GPU-x\n");
	put(BEFORE, "n2", "1", 1);
	fleet("gather " BEFORE, 0);
	put(NIGHT, "n3", "3", 1);
	put(NIGHT, "n4", "3", 1);
	put(NIGHT, "n5", "3", 1);
	sample.run.ndevices = 1;
	put(NIGHT, "n1", "1", 1);
	put(NIGHT, "n2", "2", 1);
	sample.run.ndevices = 2;
	fleet("check " NIGHT, 2);
	says("SHORT", "n1", "1 of 2 GPUs; GPU-n1-1 is not there");
	says("SHORT", "n2", "1 of 2 GPUs; GPU-n2-1 was there the night before");
	says("EXTRA", "n3", "2 GPUs, 1 are expected");
	says("EXTRA", "n4", "the node is not expected");
	says("EXTRA", "n5", "GPU-n5-1 is not expected");
}
END_TEST

START_TEST(a_run_that_is_there_twice_is_told)
{
	expect(NIGHT, "n1\t2\nn2\t2\nn3\t2\nn4\t2\n");
	put(NIGHT, "n1", "1", 1);
	put(NIGHT, "n1", "2", 2); /* two jobs, both whole */
	put(NIGHT, "n2", "3", 1);
	bc_shell("cp -r " NIGHT "/nodes/n2/3 " NIGHT "/nodes/n2/4"); /* the same folder twice */
	sample.devices[0].complete = sample.devices[1].complete = false;
	(void)bc_strlcpy(sample.devices[0].incomplete, "interrupted", sizeof(sample.devices[0].incomplete));
	put(NIGHT, "n3", "5", 1);
	put(NIGHT, "n4", "7", 1);
	sample.devices[0].complete = sample.devices[1].complete = true;
	put(NIGHT, "n3", "6", 2); /* a part, then the whole: an attempt, and that is all */
	fleet("check " NIGHT, 2);
	says("TWICE", "n1", "GPU-n1-0 ran in the jobs 1 and 2; GPU-n1-1 ran in the jobs 1 and 2");
	says("TWICE", "n2", "the run run-2026-12-02-n2-3 is in nodes/n2/3 and in nodes/n2/4");
	says("OK", "n3", "");
	says("PARTIAL", "n4", "GPU-n4-0: the run is not complete (interrupted), 6 cases");
}
END_TEST

START_TEST(what_is_not_of_tonight_is_old)
{
	expect(NIGHT, "# begun 2026-12-02T06:00:00\nn1\t2\nn2\t2\nn3\t2\n");
	put(NIGHT, "n1", "1", 5); /* an hour before the night began */
	put(BEFORE, "n2", "2", 7);
	fleet("gather " BEFORE, 0);
	bc_shell("mkdir -p " NIGHT "/nodes/n2 && cp -r " BEFORE "/nodes/n2/2 " NIGHT "/nodes/n2");
	sample.run.label[0] = (struct bc_label){ "night", "2026-11-30" };
	sample.run.nlabels = 1;
	put(NIGHT, "n3", "3", 7);
	sample.run.nlabels = 0;
	fleet("check " NIGHT, 2);
	says("OLD", "n1", "the run is of 2026-12-02T05:00:00, the night began 2026-12-02T06:00:00");
	says("OLD", "n2", "the run run-2026-12-01-n2-2 is of the night 2026-12-01");
	says("OLD", "n3", "the run says that it is of the night 2026-11-30");
}
END_TEST

START_TEST(what_is_not_where_it_should_be_is_told)
{
	expect(NIGHT, "n1\t2\nn2\t2\nn3\t2\t-\t-\t580.1\nn4\t2\tsm_80\tNVIDIA A100\nn5\t2\n"
		      "n7\t2\t-\t-\t580.1\nn8\t2\n");
	put(BEFORE, "n1", "1", 1);
	put(BEFORE, "n9", "9", 1);
	fleet("gather " BEFORE, 0);
	name_run(NIGHT, "n9", "8", 1);
	write_report(NIGHT, "n8", "8", true, false);
	put(NIGHT, "n1", "1", 1);
	(void)bc_strlcpy(sample.devices[0].facts.uuid, "GPU-n1-0", sizeof(sample.devices[0].facts.uuid));
	name_run(NIGHT, "n2", "2", 1);
	(void)bc_strlcpy(sample.devices[0].facts.uuid, "GPU-n1-0", sizeof(sample.devices[0].facts.uuid));
	write_report(NIGHT, "n2", "2", true, false);
	put(NIGHT, "n3", "3", 1);
	put(NIGHT, "n4", "4", 1);
	name_run(NIGHT, "n6", "5", 1);
	write_report(NIGHT, "n5", "5", true, false);
	name_run(NIGHT, "n7", "7", 1);
	(void)bc_strlcpy(sample.devices[0].facts.driver, "580.1", sizeof(sample.devices[0].facts.driver));
	sample.devices[1].facts.driver[0] = '\0';
	write_report(NIGHT, "n7", "7", true, false);
	fleet("check " NIGHT, 2);
	says("SWAPPED", "n2", "GPU-n1-0: should be in n1");
	says("SWAPPED", "n8", "  should be in n9; the report in nodes/n8/8 is of the host n9\n");
	says("DRIVER", "n3", "  driver 580.159.04, not 580.1"); /* of all its GPUs, said once */
	ck_assert_ptr_null(strstr(bc_call.out.data, "; driver"));
	says("DRIVER", "n7", "GPU-n7-1: no driver is named, 580.1 is expected");
	says("MODEL", "n4", "NVIDIA H200, not NVIDIA A100; sm_90, not sm_80");
	says("SWAPPED", "n5", "the report in nodes/n5/5 is of the host n6");
}
END_TEST

/* Two GPUs with all that can be wrong with one, each in words of its own: nothing of it is lost. */
START_TEST(all_that_is_wrong_with_a_gpu_is_told)
{
	static const char *const arch[] = { "sm_86", "sm_90" }, *const gpu[] = { "NVIDIA A10", "NVIDIA H200" };
	static const char *const night[] = { "2026-11-29", "2026-11-30" }, *const end[] = { "deadline", "interrupted" };
	struct bc_device_run *d = &sample.devices[0];

	expect(BEFORE, "m0\t1\nm1\t1\n");
	expect(NIGHT, "# begun 2026-12-02T06:00:00\nn1\t2\tsm_80\tNVIDIA A100\t580.1\nm0\t1\t-\t-\t-\tGPU-0\n"
		      "m1\t1\t-\t-\t-\tGPU-1\n");
	sample.run.ndevices = sample.run.nlabels = 1;
	d->complete = false;
	for (unsigned i = 0; i < 2; i++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "%u", i);
		name_run(NIGHT, i ? "x1" : "x0", name, 1 + i);
		(void)snprintf(d->facts.uuid, sizeof(d->facts.uuid), "GPU-%u", i);
		(void)bc_strlcpy(d->facts.name, gpu[i], sizeof(d->facts.name));
		(void)snprintf(d->facts.driver, sizeof(d->facts.driver), "57%u.1", i);
		(void)bc_strlcpy(d->facts.arch, arch[i], sizeof(d->facts.arch));
		(void)bc_strlcpy(d->incomplete, end[i], sizeof(d->incomplete));
		sample.run.label[0] = (struct bc_label){ "night", "" };
		(void)bc_strlcpy(sample.run.label[0].value, night[i], sizeof(sample.run.label[0].value));
		write_report(NIGHT, "n1", name, true, false);
	}
	sample.run.ndevices = 2; /* all that is to be released */
	fleet("check " NIGHT, 2);
	says("PARTIAL, OLD, SWAPPED, DRIVER, MODEL", "n1", "GPU-0: should be in m0");
	for (unsigned i = 0; i < 2; i++) {
		static const char *const complaints[][2] = {
			{ "the report in nodes/n1/0 is of the host x0", "the report in nodes/n1/1 is of the host x1" },
			{ "the run says that it is of the night 2026-11-29", "it is of the night 2026-11-30" },
			{ "the run is not complete (deadline)", "the run is not complete (interrupted)" },
			{ "the run is of 2026-12-02T01:00:00", "the run is of 2026-12-02T02:00:00" },
			{ "driver 570.1, not 580.1", "driver 571.1, not 580.1" },
			{ "NVIDIA A10, not NVIDIA A100", "NVIDIA H200, not NVIDIA A100" },
			{ "sm_86, not sm_80", "sm_90, not sm_80" },
			{ "GPU-0: should be in m0", "GPU-1: should be in m1" },
		};

		for (size_t k = 0; k < BC_ARRAY_LEN(complaints); k++)
			bc_expect_output(complaints[k][i]);
	}
}
END_TEST

/* The rest of the folder and of the night is taken; the damage is told again each time, and once it is mended, no more.
 */
START_TEST(a_damaged_report_is_told_until_it_is_mended)
{
	expect(NIGHT, "n1\t2\nn2\t2\nn3\t2\n");
	put(NIGHT, "n1", "1", 1);
	put(NIGHT, "n2", "2", 1);
	bc_shell("head -c 1000 " NIGHT "/nodes/n1/1/sm_90.xml > " NIGHT "/nodes/n2/2/other.xml");
	bc_shell("mkdir -p " NIGHT "/nodes/n3/3 && touch " NIGHT "/nodes/n3/3/done");
	for (int again = 0; again < 2; again++) {
		fleet("gather " NIGHT, 2);
		ck_assert_ptr_nonnull(strstr(bc_call.err.data, "nodes/n2/2/other.xml:"));
		bc_expect_output("2 damaged reports");
		fleet("check " NIGHT, 2);
		says("OK", "n1", "");
		says("DAMAGED", "n2", "nodes/n2/2/other.xml:");
		says("MISSING, DAMAGED", "n3", "no *.xml");
	}
	bc_shell("rm -r " NIGHT "/nodes/n2/2/other.xml " NIGHT "/nodes/n3");
	bc_write_file(NIGHT "/expected.tsv", "w", "n1\t2\nn2\t2\n");
	fleet("check " NIGHT, 0);
}
END_TEST

/* Seven hosts with two GPUs; @odd: what is wrong with n4's second. */
static void farm(const char *night, void (*odd)(void))
{
	for (unsigned i = 1; i <= 7; i++) {
		const struct bc_device_run kept = sample.devices[1];
		struct bc_result result[NCASES];
		char node[8];

		memcpy(result, kept.results, sizeof(result));
		(void)snprintf(node, sizeof(node), "n%u", i);
		name_run(night, node, "1", 1);
		if (i == 4 && odd)
			odd();
		write_report(night, node, "1", true, false);
		memcpy(kept.results, result, sizeof(result));
		sample.devices[1] = kept;
	}
}

/* It still passes: the counts, 35 instead of 34 of 16 requests, are within the bounds. */
static void odd_counts(void)
{
	for (unsigned a = 0; a < BC_ATTEMPTS_MAX; a++)
		sample.devices[1].results[2].obs.count[a].wavefronts += 1;
}

static void slower(unsigned percent)
{
	for (size_t i = 0; i < NCASES; i++)
		for (unsigned k = 0; k < sample.devices[1].results[i].obs.nsamples; k++)
			sample.devices[1].results[i].obs.samples[k] =
				sample.devices[1].results[i].obs.samples[k] * (100 + percent) / 100;
}

/* Medians of 10 whole cycles, 100 to 109: 107.5 by 104.5. */
static void odd_clock(void)
{
	slower(3);
}

static void odd_vbios(void)
{
	(void)bc_strlcpy(sample.devices[1].facts.vbios, "96.00.00", sizeof(sample.devices[1].facts.vbios));
}

static void odd_ecc(void)
{
	sample.devices[1].facts.ecc = 0;
}

static void odd_mhz(void)
{
	(void)bc_strlcpy(sample.devices[1].state_after, "1200 MHz, memory 3201 MHz, 41 C",
			 sizeof(sample.devices[1].state_after));
}

static void odd_verdict(void)
{
	bc_sample_set(&sample, 1, 3, BC_FAIL, "ratio 3");
}

static const struct {
	void (*odd)(void);
	const char *what, *value;
} odds[] = {
	{ odd_counts, "counts", "1 case differs" },  { odd_clock, "clock", "1.02871" },
	{ odd_vbios, "fact vbios", "96.00.00" },     { odd_ecc, "fact ecc", "off" },
	{ odd_mhz, "fact state_after", "1200 MHz" }, { odd_verdict, "counts", "1 case differs" },
};

START_TEST(the_odd_one_is_found_and_nothing_else)
{
	farm(BEFORE, NULL);
	farm(NIGHT, odds[_i].odd);
	fleet("outliers " BEFORE " --db h.db", 0);
	bc_expect_output("0 odd");
	fleet("outliers " NIGHT " --db h.db", 1);
	bc_expect_output("1 odd; 0 of them also in the night before");
	bc_expect_output("1       n4    GPU-n4-1  ");
	bc_expect_output(odds[_i].what);
	bc_expect_output(odds[_i].value);
	farm("nights/2026-12-03", odds[_i].odd);
	fleet("outliers nights/2026-12-03 --db h.db", 1);
	bc_expect_output("2       n4    GPU-n4-1  "); /* two nights running */
	bc_expect_output("1 odd; 1 of them also in the night before (2026-12-02)");
	fleet("outliers --db h.db", 1); /* the last night of a history */
	bc_expect_output("2       n4    GPU-n4-1  ");
}
END_TEST

static void no_counts(void)
{
	for (size_t i = 0; i < NCASES; i++)
		sample.devices[1].results[i].obs.attempts = 0;
}

/* A GPU whose counters were refused has no odd counts. */
START_TEST(counts_that_are_not_known_are_not_odd)
{
	farm(NIGHT, no_counts);
	fleet("outliers " NIGHT, 0);
}
END_TEST

/* Half a percent is below the floor; four units are too few to have a majority. */
START_TEST(what_is_not_far_enough_off_is_not_odd)
{
	farm(NIGHT, NULL);
	for (size_t i = 0; i < NCASES; i++)
		for (unsigned k = 0; k < sample.devices[1].results[i].obs.nsamples; k++)
			sample.devices[1].results[i].obs.samples[k] = 100000 + (uint32_t)i;
	for (size_t i = 0; i < NCASES; i++)
		for (unsigned k = 0; k < sample.devices[0].results[i].obs.nsamples; k++)
			sample.devices[0].results[i].obs.samples[k] = 100500 + (uint32_t)i;
	farm("nights/2026-12-05", NULL);
	fleet("outliers nights/2026-12-05 --db h.db", 0);
	bc_shell("rm -r " NIGHT "/nodes/n[1-5]");
	fleet("outliers " NIGHT " --db i.db", 0);
	bc_expect_output("no majority: 4 units, 5 are needed");
}
END_TEST

START_TEST(a_table_has_a_row_a_finding_and_a_column_a_kind)
{
	farm(NIGHT, odd_verdict);
	(void)bc_strlcpy(sample.devices[0].facts.driver, "590.1", sizeof(sample.devices[0].facts.driver));
	(void)bc_strlcpy(sample.devices[1].facts.driver, "590.1", sizeof(sample.devices[1].facts.driver));
	put(NIGHT, "n8", "1", 1);
	fleet("table " NIGHT, 1);
	bc_expect_output(
		"case           kind 1                         kind 2\n"
		"ways/st_b32/3  FAIL: 1 of 14; PASS: 13 of 14  PASS: 2 of 2\n"
		"5 cases are unanimous: 5 PASS\n"
		"kind 1: NVIDIA H200, sm_90, driver 580.159.04, CUDA 13.0, images 00000000, expectations 00000000: "
		"14 units\nkind 2: NVIDIA H200, sm_90, driver 590.1");
	fleet("table " NIGHT " --by gpu,arch", 1);
	bc_expect_output("FAIL: 1 of 16; PASS: 15 of 16\n");
	fleet("table " NIGHT " --by gpu,colour", 3);
	farm("nights/2026-12-07", odd_counts); /* a row though all pass */
	fleet("table nights/2026-12-07", 1);
	bc_expect_output("PASS, 2.1875 wavefronts, 1.125 conflicts: 1 of 14; PASS, 2.125 wavefronts, 1.125 "
			 "conflicts: 13 of 14");
}
END_TEST

static const struct {
	const char *words, *out[5];
} formats[] = {
	{ "check " NIGHT " --format json",
	  { "\"schema\": \"bankcheck-fleet-1\"", "\"command\": \"check\"", "\"status\": 2", "\"type\": \"MISSING\"",
	    "\"night\": \"2026-12-02\"" } },
	{ "check " NIGHT " --format html",
	  { "<title>not OK: check 2026-12-02</title>", "<tr class=w2><td>MISSING<td>n9", "&lt;b&gt;", "</html>\n",
	    "" } },
	{ "check " NIGHT " --format junit",
	  { "<testsuites name=\"bankcheck fleet\" tests=\"2\" failures=\"1\" errors=\"1\" time=\"0.000\">",
	    "<error type=\"MISSING\" message=\"job 3: LOST: &lt;b&gt;\"/>",
	    "classname=\"bankcheck.fleet.unknown\" name=\"n9\"", "<failure type=\"FINDINGS\"", "name=\"n4\"" } },
	{ "outliers " NIGHT " --format junit",
	  { "tests=\"1\" failures=\"1\" errors=\"0\"", "name=\"n4\"",
	    "<failure type=\"counts\" message=\"GPU-n4-1: 1 case", "", "" } },
	{ "table " NIGHT " --format html", { "<th>kind 1", "<td>FAIL: 1 of 14; PASS: 13 of 14", "", "", "" } },
};

START_TEST(all_formats_say_the_same)
{
	farm(NIGHT, odd_verdict);
	expect(NIGHT, "n1\t2\nn2\t2\nn3\t2\nn4\t2\nn5\t2\nn6\t2\nn7\t2\nn9\t2\n");
	bc_write_file(NIGHT "/jobs.tsv", "w", "n9\t3\tLOST\t\t<b>\n");
	fleet(formats[_i].words, 2);
	for (size_t k = 0; k < BC_ARRAY_LEN(formats[_i].out); k++)
		bc_expect_output(formats[_i].out[k]);
	if (strstr(formats[_i].words, "junit")) {
		bc_shell("cp stdout.txt j.xml");
		xmlFreeDoc(bc_report("j.xml")); /* by the schema */
	}
	if (strstr(formats[_i].words, "json"))
		bc_shell("python3 -m json.tool stdout.txt > /dev/null");
}
END_TEST

static const struct {
	const char *expected, *jobs, *words, *said;
} wrong[] = {
	{ "n1\t2\nn1\t2\n", "", "check " NIGHT, "expected.tsv:2: the node n1 is there twice" },
	{ "# c\nn1\tmany\n", "", "check " NIGHT, "expected.tsv:2: gpus is `many`" },
	{ "n1 2\n", "", "check " NIGHT, "expected.tsv:1: `n1 2` is no node" },
	{ "n1\t2\ta\tb\tc\td\te\n", "", "check " NIGHT, "expected.tsv:1: more than 6 fields" },
	{ "n1\t3\t-\t-\t-\tGPU-1,GPU-2\n", "", "check " NIGHT, "expected.tsv:1: 3 GPUs, but 2 UUIDs" },
	{ "n1\t2\n", "n1\t1\t2\t3\t4\t5\n", "check " NIGHT, "jobs.tsv:1: more than 5 fields" },
	{ NULL, "", "check " NIGHT, "expected.tsv: no such file: without it nobody knows what is missing" },
	{ "n1\t1\n", "", "check nights/none", "nights/none: No such file" },
	{ "n1\t1\n", "", "check", "name the folder of the night" },
	{ "n1\t1\n", "", "colour " NIGHT, "the actions are gather, check, table and outliers" },
	{ "n1\t1\n", "", "", "the actions are gather, check, table and outliers" },
	{ "n1\t1\n", "", "check " NIGHT " --format csv", "--format csv: check, table and outliers take" },
	{ "n1\t1\n", "", "outliers --db none.db", "none.db: no such file" },
	{ "n1\t1\n", "", "outliers " NIGHT, "has no runs in this history" },
	{ "n1\t1\n", "", "check " NIGHT " --by gpu", "does not take --by" },
};

START_TEST(wrong_use_is_refused)
{
	expect(NIGHT, wrong[_i].expected ? wrong[_i].expected : "");
	if (!wrong[_i].expected)
		bc_shell("rm " NIGHT "/expected.tsv");
	bc_write_file(NIGHT "/jobs.tsv", "w", wrong[_i].jobs);
	fleet(wrong[_i].words, 3);
	ck_assert_msg(strstr(bc_call.err.data, wrong[_i].said) != NULL, "no `%s` in %s", wrong[_i].said,
		      bc_call.err.data);
}
END_TEST

Suite *bc_test_fleet(void)
{
	Suite *s = suite_create("fleet");
	TCase *tc = tcase_create("program");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, a_whole_night_is_ok);
	tcase_add_test(tc, what_is_missing_has_the_engines_reason);
	tcase_add_test(tc, gpus_are_counted);
	tcase_add_test(tc, a_run_that_is_there_twice_is_told);
	tcase_add_test(tc, what_is_not_of_tonight_is_old);
	tcase_add_test(tc, what_is_not_where_it_should_be_is_told);
	tcase_add_test(tc, all_that_is_wrong_with_a_gpu_is_told);
	tcase_add_test(tc, a_damaged_report_is_told_until_it_is_mended);
	tcase_add_loop_test(tc, the_odd_one_is_found_and_nothing_else, 0, (int)BC_ARRAY_LEN(odds));
	tcase_add_test(tc, counts_that_are_not_known_are_not_odd);
	tcase_add_test(tc, what_is_not_far_enough_off_is_not_odd);
	tcase_add_test(tc, a_table_has_a_row_a_finding_and_a_column_a_kind);
	tcase_add_loop_test(tc, all_formats_say_the_same, 0, (int)BC_ARRAY_LEN(formats));
	tcase_add_loop_test(tc, wrong_use_is_refused, 0, (int)BC_ARRAY_LEN(wrong));
	suite_add_tcase(s, tc);
	return s;
}
