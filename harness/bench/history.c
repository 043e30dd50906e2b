/* SPDX-License-Identifier: MIT */
/* harness/bench/history.c - 1,000 runs of 1,200 cases: time to read and add the reports, to ask for a trend and a first
 * bad run (medians of five, with opening the file). Writing the made-up reports is not counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/history/print.h"

#define RUNS 1000u
#define CASES 1200u
#define REPEATS 5
#define FOLDER BC_TEST_TMP "/bench-history"
#define REPORT FOLDER "/report.xml"
#define DB FOLDER "/history.db"
#define CASE "stride/ld_b32/600" /* bad from run 700 on */

static void write_case(FILE *f, unsigned run, unsigned i)
{
	const bool bad = i == 600 && run >= 700;

	(void)fprintf(f, "<testcase classname=\"bankcheck.sm_90.stride\" name=\"ld_b32/%u\" time=\"0.005\">", i);
	if (bad)
		(void)fprintf(f, "<failure message=\"FAIL ratio: wavefronts 2, expected 1\" type=\"FAIL\"/>");
	(void)fprintf(f,
		      "<system-out>format=1\ncase=stride/ld_b32/%u\nverdict=%s\nwavefronts=1..1\n"
		      "wavefronts_origin=documented\n"
		      "wavefronts_basis=one word a bank\nconflicts=0..0\ndata=right\nrequests_stated=8\n"
		      "counters=requests:8 wavefronts:8 conflicts:0\ncounters_by=hardware\nclock=1\nclock_samples=",
		      i, bad ? "FAIL" : "PASS");
	for (unsigned k = 0; k < 32; k++)
		(void)fprintf(f, "%s%u", k ? "," : "", 912 + (run * 7 + i * 3 + k) % 5);
	(void)fprintf(f, "\nmodel=requests:1 wavefronts:1 conflicts:0\n"
			 "pattern=op:ld32 mask:ffffffff origin:start count:1 step:0 offsets:");
	for (unsigned k = 0; k < 32; k++)
		(void)fprintf(f, "%s%u", k ? "," : "", 4 * k);
	(void)fprintf(f, "\nrule=a word a bank is one wavefront\nstanding=confirmed\n</system-out></testcase>\n");
}

static bool write_report(unsigned run)
{
	FILE *f = fopen(REPORT, "w");
	bool ok;

	if (!f)
		return false;
	(void)fprintf(f,
		      "<testsuites name=\"bankcheck\"><testsuite name=\"bankcheck.sm_90.stride\" "
		      "timestamp=\"20%02u-%02u-%02uT01:02:03\" hostname=\"farm\"><properties>",
		      run / 336, run / 28 % 12 + 1, run % 28 + 1);
	(void)fprintf(f,
		      "<property name=\"device\" value=\"cuda:0\"/><property name=\"gpu\" value=\"NVIDIA H200\"/>"
		      "<property name=\"arch\" value=\"sm_90\"/><property name=\"uuid\" value=\"GPU-1\"/>"
		      "<property name=\"driver\" value=\"580.%u\"/><property name=\"cuda\" value=\"13.%u\"/>"
		      "<property name=\"image_hash\" value=\"8b5e064b1e4ba647\"/>"
		      "<property name=\"run_id\" value=\"run%u\"/>"
		      "<property name=\"bankcheck\" value=\"0.1.0\"/></properties>\n",
		      run / 50, run / 300, run);
	for (unsigned i = 0; i < CASES; i++)
		write_case(f, run, i);
	(void)fputs("</testsuite></testsuites>\n", f);
	ok = !ferror(f);
	return !fclose(f) && ok;
}

/* Seconds of reading and adding; negative when it failed. */
static double add_all(struct bc_history *h, struct bc_error *err)
{
	double sum = 0;

	for (unsigned run = 0; run < RUNS; run++) {
		struct bc_read_file f = { 0 };
		struct bc_history_added added = { 0 };
		double start;

		if (!write_report(run))
			return -1;
		start = bc_now();
		if (bc_report_read(REPORT, &f, err) || bc_history_add(h, &f, &added, err) || added.cases != CASES)
			return -1;
		bc_report_release(&f);
		sum += bc_now() - start;
	}
	return sum;
}

static enum bc_status ask(unsigned what, struct bc_history *h, struct bc_text *out, struct bc_error *err)
{
	switch (what) {
	case 0: return bc_history_trend(h, CASE, "driver", false, true, out, err);
	case 1: return bc_history_first_bad(h, CASE, false, true, out, err);
	case 2: return bc_history_trend(h, "stride/ld_b32/1*", "cuda", false, true, out, err);
	case 3: return bc_history_trend(h, "*", "date", false, true, out, err);
	default: return bc_history_flaky(h, true, out, err);
	}
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median_of(unsigned what, struct bc_error *err)
{
	double t[REPEATS];

	for (size_t i = 0; i < REPEATS; i++) {
		const double start = bc_now();
		struct bc_history *h = NULL;
		struct bc_text out = { 0 };
		enum bc_status st = bc_history_open(DB, BC_HISTORY_READ, &h, err);

		if (!st)
			st = ask(what, h, &out, err);
		bc_history_close(h);
		bc_text_release(&out);
		if (st)
			return -1;
		t[i] = bc_now() - start;
	}
	qsort(t, REPEATS, sizeof(t[0]), by_value);
	return t[REPEATS / 2];
}

int main(void)
{
	static const char *const names[] = { "trend of a case", "first-bad", "trend of 311 cases", "trend of all cases",
					     "flaky" };
	struct bc_error err = { .msg = "a report could not be written" };
	struct bc_history *h = NULL;
	struct stat s;
	double seconds = -1;

	(void)mkdir(BC_TEST_TMP, 0777);
	(void)mkdir(FOLDER, 0777);
	(void)unlink(DB);
	(void)unlink(DB "-wal");
	(void)unlink(DB "-shm");
	if (!bc_history_open(DB, BC_HISTORY_WRITE, &h, &err))
		seconds = add_all(h, &err);
	bc_history_close(h);
	for (unsigned i = 0; seconds >= 0 && i < 5; i++) {
		const double t = median_of(i, &err);

		seconds = t < 0 ? -1 : seconds;
		if (i == 0)
			(void)printf("%u runs x %u cases added  %.1f s (limit: 60)\n", RUNS, CASES, seconds);
		(void)printf("%-22s %.3f s%s\n", names[i], t, i < 2 ? " (limit: 0.1)" : "");
	}
	if (seconds < 0) {
		(void)fprintf(stderr, "bench: %s\n", err.msg);
		return 1;
	}
	if (!stat(DB, &s))
		(void)printf("size of the file       %.1f MB\n", (double)s.st_size / 1e6);
	(void)unlink(REPORT);
	(void)unlink(DB);
	return 0;
}
