/* SPDX-License-Identifier: MIT */
/* `bankcheck history`: what goes in, and what is answered. The file itself: test_history_file.c. */
#include "harness/history/history.h"

#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/history/measure.h"
#include "harness/report/values.h"
#include "harness/history/table.h"
#include "harness/tests/history/history_sample.h"

Suite *bc_test_history(void);

#define HASH 0x1234u

static struct bc_history_added add(const char *name)
{
	struct bc_history *h = bc_hs_open(BC_HISTORY_WRITE);
	struct bc_history_added sum = { 0 };

	bc_hs_write(name);
	ck_assert_msg(bc_hs_add_file(h, name, &sum) == BC_OK, "%s", bc_hs_err.msg);
	bc_history_close(h);
	return sum;
}

START_TEST(a_run_is_known_by_its_id_and_device)
{
	struct bc_history_added sum = add("a.xml");

	ck_assert_uint_eq(sum.added, 1);
	ck_assert_uint_eq(sum.cases, BC_HS_CASES);
	sum = add("b.xml"); /* the same, another file */
	ck_assert_uint_eq(sum.added, 0);
	ck_assert_uint_eq(sum.known, 1);
	(void)bc_sample_add(&bc_hs_sample, BC_DEVICE_CUDA, "sm_90", "sm_90_cuda1");
	sum = add("c.xml"); /* a second device of the run */
	ck_assert_uint_eq(sum.added, 1);
	ck_assert_uint_eq(sum.known, 1);
	(void)bc_strlcpy(bc_hs_sample.run.run_id, "another", sizeof(bc_hs_sample.run.run_id));
	sum = add("d.xml");
	ck_assert_uint_eq(sum.added, 2);
	bc_hs_whole(4);
}
END_TEST

/* Where all hosts have one name, two of them may start a run in one second: the GPU tells them apart. */
START_TEST(gpus_with_one_run_id_are_two_runs)
{
	ck_assert_uint_eq(add("a.xml").added, 1);
	(void)bc_strlcpy(bc_hs_sample.devices[0].facts.uuid, "GPU-another",
			 BC_ARRAY_LEN(bc_hs_sample.devices[0].facts.uuid));
	ck_assert_uint_eq(add("b.xml").added, 1);
	ck_assert_uint_eq(add("b.xml").known, 1);
	bc_hs_whole(2);
	ck_assert_int_eq(bc_hs_number("SELECT count(DISTINCT unit) FROM run"), 2);
}
END_TEST

/* One that the system named is the same everywhere; hosts with names of their own have one each. */
START_TEST(a_fleet_of_reference_devices_has_a_unit_a_host)
{
	static const struct {
		const char *host, *by, *run_id;
		int64_t units;
	} hosts[] = {
		{ "c1", "system", "r1", 1 }, { "c2", "system", "r2", 1 },	   { "c3", "", "r3", 1 },
		{ "n1", "option", "r4", 2 }, { "n2", "SLURMD_NODENAME", "r5", 3 }, { "n1", "NODE_NAME", "r6", 3 },
	};
	struct bc_run *r = &bc_hs_sample.run;
	char units[200];

	bc_hs_sample.devices[0].facts.kind = BC_DEVICE_REFERENCE;
	bc_hs_sample.devices[0].facts.uuid[0] = '\0';
	for (size_t i = 0; i < BC_ARRAY_LEN(hosts); i++) {
		(void)bc_strlcpy(r->host, hosts[i].host, sizeof(r->host));
		(void)bc_strlcpy(r->host_by, hosts[i].by, sizeof(r->host_by));
		(void)bc_strlcpy(r->run_id, hosts[i].run_id, sizeof(r->run_id));
		ck_assert_uint_eq(add("a.xml").added, 1);
		ck_assert_int_eq(bc_hs_number("SELECT count(DISTINCT unit) FROM run"), hosts[i].units);
	}
	bc_hs_text("SELECT group_concat(unit, ';') FROM (SELECT DISTINCT unit FROM run ORDER BY unit)", units,
		   sizeof(units));
	ck_assert_str_eq(units, "n1 reference:sm_90;n2 reference:sm_90;reference:sm_90");
}
END_TEST

/* Runs of one kind share a profile: what a run adds is where it differs. A part of the cases gets a profile of its own,
 * and does not take the place of the whole one. */
START_TEST(runs_of_a_kind_share_a_profile)
{
	for (unsigned n = 1; n <= 9; n++) {
		bc_hs_run(n, "580.1", n == 5 ? BC_FAIL : BC_PASS);
		bc_hs_sample.devices[0].nresults = n == 7 ? 1 : BC_HS_CASES;
		ck_assert_uint_eq(add("a.xml").added, 1);
	}
	bc_hs_sample.devices[0].nresults = BC_HS_CASES;
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM outcome"), BC_HS_CASES + 1);
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM exception WHERE run = 5"), 1);
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM exception WHERE run NOT IN (5, 7)"), 0);
	bc_hs_whole(9);
	bc_hs_run(10, "590.1", BC_PASS); /* another kind */
	ck_assert_uint_eq(add("a.xml").added, 1);
	ck_assert_int_eq(bc_hs_number("SELECT count(DISTINCT kind) FROM profile"), 2);
	bc_hs_cli("prune --keep 1 --db h.db", 0, "9 runs removed, 1 left");
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM profile"), 1);
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM outcome"), BC_HS_CASES);
	bc_hs_whole(1);
}
END_TEST

START_TEST(a_resumed_run_takes_the_place_of_the_part)
{
	struct bc_history_added sum;

	bc_hs_sample.devices[0].nresults = 2;
	ck_assert_uint_eq(add("part.xml").added, 1);
	bc_hs_sample.devices[0].nresults = BC_HS_CASES;
	sum = add("whole.xml");
	ck_assert_uint_eq(sum.replaced, 1);
	ck_assert_uint_eq(sum.added, 0);
	bc_hs_sample.devices[0].nresults = 2;
	ck_assert_uint_eq(add("part.xml").known, 1); /* the part does not take the place of the whole */
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM result"), BC_HS_CASES);
	bc_hs_whole(1);
}
END_TEST

static const struct {
	const char *what, *keys;
	double value[BC_NVALUES]; /* -1: none */
	enum bc_status st;
} measures[] = {
	{ "nothing measured", "", { -1, -1, -1, -1 }, BC_OK },
	{ "per request", "counters=requests:8 wavefronts:16 conflicts:8\n", { 2, 1, -1, -1 }, BC_OK },
	{ "the most of the attempts",
	  "counters=requests:8 wavefronts:24 conflicts:0;requests:8 wavefronts:8 conflicts:8\n",
	  { 3, 1, -1, -1 },
	  BC_OK },
	{ "requests as stated", "requests_stated=4\ncounters=wavefronts:8\n", { 2, -1, -1, -1 }, BC_OK },
	{ "void counters", "counters=requests:8 wavefronts:16\ncounters_void=yes\n", { -1, -1, -1, -1 }, BC_OK },
	{ "the clock", "clock=1.5\nclock_samples=7\n", { -1, -1, 1.5, 7 }, BC_OK },
	{ "median of an odd number", "clock_samples=9,1,5\n", { -1, -1, -1, 5 }, BC_OK },
	{ "median of an even number", "clock_samples=100,1,2,4\n", { -1, -1, -1, 3 }, BC_OK },
	{ "no clock", "clock=nan\n", { -1, -1, -1, -1 }, BC_OK },
	{ "a word for a number", "counters=requests:8 wavefronts:many\n", { 0 }, BC_EDATA },
	{ "no colon", "counters=8\n", { 0 }, BC_EDATA },
	{ "a number that is too long", "counters=wavefronts:9999999999999999999\n", { 0 }, BC_EDATA },
	{ "samples that end early", "clock_samples=1,2,\n", { 0 }, BC_EDATA },
	{ "a clock that is none", "clock=1e5\n", { 0 }, BC_EDATA },
};

START_TEST(values_are_measured)
{
	struct bc_read_case c = { .id = (char *)(uintptr_t) "s/r/v", .line = 7 };
	char text[400];
	double value[BC_NVALUES];
	bool damaged;

	(void)snprintf(text, sizeof(text), "format=1\n%s", measures[_i].keys);
	ck_assert_int_eq(bc_junit_keys(text, &c.keys, &bc_hs_err), BC_OK);
	damaged = bc_values_check(&c.keys) != NULL;
	ck_assert_msg(damaged == (measures[_i].st != BC_OK), "%s", measures[_i].what);
	bc_history_measure(&c, value);
	for (size_t i = 0; !damaged && i < BC_NVALUES; i++) {
		const double want = measures[_i].value[i];

		ck_assert_msg(want < 0 ? isnan(value[i]) : value[i] >= want && value[i] <= want, "%s: value %zu is %g",
			      measures[_i].what, i, value[i]);
	}
	bc_key_values_release(&c.keys);
}
END_TEST

static const struct {
	const char *what;
	double v[4];
	size_t n;
	const char *ascii, *utf8;
} sparks[] = {
	{ "nothing", { 0 }, 0, "", "" },
	{ "one", { 5 }, 1, "_", "\u2581" },
	{ "all the same", { 5, 5, 5 }, 3, "___", "\u2581\u2581\u2581" },
	{ "lowest and highest", { 1, 8, 1, 4.5 }, 4, "_#_=", "\u2581\u2588\u2581\u2585" },
	{ "a hole", { 1, (double)NAN, 2 }, 3, "_ #", "\u2581 \u2588" },
	{ "below zero", { -1, 0 }, 2, "_#", "\u2581\u2588" },
};

START_TEST(sparklines)
{
	for (int utf8 = 0; utf8 < 2; utf8++) {
		struct bc_text t = { 0 };
		const char *want = utf8 ? sparks[_i].utf8 : sparks[_i].ascii;

		struct bc_out o = { .to = &t };

		bc_put_sparkline(&o, sparks[_i].v, sparks[_i].n, utf8);
		ck_assert_int_eq(o.st, BC_OK);
		ck_assert_msg(strcmp(t.data ? t.data : "", want) == 0, "%s: %s", sparks[_i].what, t.data);
		bc_text_release(&t);
	}
}
END_TEST

START_TEST(many_runs_share_columns_and_the_worst_shows)
{
	enum bc_verdict v[1000] = { BC_PASS };
	double d[1000] = { 0 };
	struct bc_text t = { 0 };
	struct bc_out o = { .to = &t };

	v[499] = BC_FAIL;
	d[999] = 1;
	bc_put_verdict_strip(&o, v, 1000);
	ck_assert_int_eq(o.st, BC_OK);
	ck_assert_uint_eq(t.len, BC_VERDICT_STRIP_COLUMNS);
	ck_assert_int_eq(strchr(t.data, 'F') - t.data, 499 * BC_VERDICT_STRIP_COLUMNS / 1000);
	bc_put_sparkline(&o, d, 1000, false);
	ck_assert_int_eq(o.st, BC_OK);
	ck_assert_uint_eq(t.len, 2 * BC_VERDICT_STRIP_COLUMNS);
	ck_assert_int_eq(t.data[2 * BC_VERDICT_STRIP_COLUMNS - 1], '#');
	bc_text_release(&t);
}
END_TEST

/* A history of one letter a run, day by day: P, F, S (SKIP), x (XFAIL), f (PASS, flaky). The context of each run: a
 * digit is its driver, a letter below: image (i), expectations (e), GPU (g), CUDA (c), version (v), and what was asked
 * for: witness (w), pack (p), repeat (r), fault (f). */
static void make_runs(const char *verdicts, const char *context)
{
	struct bc_history *h = bc_hs_open(BC_HISTORY_WRITE);
	struct bc_device_run *d = &bc_hs_sample.devices[0];

	for (unsigned i = 0; verdicts[i]; i++) {
		const char driver[] = {
			'5', '8', '0', '.', context[i] >= '0' && context[i] <= '9' ? context[i] : '1', 0
		};

		(void)snprintf(bc_hs_sample.run.options, sizeof(bc_hs_sample.run.options),
			       "witness %s, pack %d, fault %s, repeat %d", context[i] == 'w' ? "clock" : "auto",
			       context[i] == 'p' ? 1 : 3, context[i] == 'f' ? "banks-16" : "none",
			       context[i] == 'r' ? 9 : 1);
		bc_hs_version = context[i] == 'v' ? "0.0.9" : NULL;
		d->images_hash = HASH + (context[i] == 'i');
		d->expect_hash = HASH + (context[i] == 'e');
		(void)bc_strlcpy(d->facts.uuid, context[i] == 'g' ? "GPU-other" : "GPU-00-11", sizeof(d->facts.uuid));
		(void)bc_strlcpy(d->facts.cuda, context[i] == 'c' ? "13.1" : "13.0", sizeof(d->facts.cuda));
		bc_hs_run(i + 1, driver,
			  verdicts[i] == 'F'   ? BC_FAIL
			  : verdicts[i] == 'S' ? BC_SKIP
			  : verdicts[i] == 'x' ? BC_XFAIL
					       : BC_PASS);
		d->results[1].flaky = verdicts[i] == 'f';
		bc_hs_add(h);
	}
	bc_history_close(h);
}

static const struct {
	const char *verdicts, *context, *says; /* says: NULL: not flaky */
} flakes[] = {
	{ "PFP", "111", "stride/ld_b32/1  2      0        PASS 2, FAIL 1" },
	{ "PFF", "122", NULL }, /* the driver changed with it */
	{ "PF", "1i", NULL },
	{ "PF", "1e", NULL },
	{ "PF", "1c", NULL },
	{ "PF", "1g", NULL },
	{ "PF", "1v", NULL },
	{ "PF", "1w", NULL },
	{ "PF", "1p", NULL },
	{ "PF", "1r", NULL },
	{ "PF", "1f", NULL },
	{ "PFPF", "1w1w", NULL },
	{ "PFP", "www", "stride/ld_b32/1  2      0        PASS 2, FAIL 1" },
	{ "PFPF", "1212", NULL }, /* two drivers in turn */
	{ "PFFF", "1211", "stride/ld_b32/1  1      0        PASS 1, FAIL 2" },
	{ "PPP", "111", NULL },
	{ "PfP", "111", "stride/ld_b32/1  0      1        PASS 3" },
	{ "SP", "11", NULL }, /* what was not judged tells nothing */
	{ "PSP", "111", NULL },
	{ "FSSF", "1111", NULL },
	{ "PSF", "111", "stride/ld_b32/1  1      0        PASS 1, FAIL 1, SKIP 1" },
	{ "SPSFSP", "111111", "stride/ld_b32/1  2      0        PASS 2, FAIL 1, SKIP 3" },
};

START_TEST(flaky_is_a_flip_with_nothing_else_changed)
{
	make_runs(flakes[_i].verdicts, flakes[_i].context);
	bc_hs_cli("flaky --db h.db", 0, flakes[_i].says ? flakes[_i].says : "flips with nothing else changed");
	if (!flakes[_i].says)
		ck_assert_ptr_null(strstr(bc_hs_call.out.data, "stride"));
	ck_assert_ptr_null(strstr(bc_hs_call.out.data, "stride/ld_b32/0"));
}
END_TEST

static const struct {
	const char *verdicts, *context, *says[3];
} firsts[] = {
	{ "PPFF",
	  "1122",
	  { "first bad   2026-01-03T01:02:03 FAIL (run run03)", "last good   2026-01-02T01:02:03 PASS (run run02)",
	    "changed     driver  580.1 -> 580.2\n" } },
	{ "PFPSFF", "111112", { "first bad   2026-01-05", "last good   2026-01-03", "changed     nothing" } },
	{ "PxP", "111", { "good        now\n", "last bad    2026-01-02T01:02:03 XFAIL", "good again  2026-01-03" } },
	{ "Px", "1i", { "first bad   2026-01-02", "image_hash  0000000000001234 -> 0000000000001235", "it is wrong" } },
	{ "FF", "11", { "first bad   2026-01-01", "2 of 2 runs: it never passed", "it is wrong" } },
	{ "PPP", "111", { "good        PASS in 3 of 3 runs", "GPU-00-11 (NVIDIA H200, sm_90)", "" } },
	{ "SS", "11", { "SKIP        in 2 of 2 runs", "", "" } },
	{ "PFPPF", "1g11g", { "good        PASS in 3 of 3 runs", "on GPU-other", "in 2 of 2 runs: it never passed" } },
};

START_TEST(first_bad_is_the_first_after_the_last_good)
{
	make_runs(firsts[_i].verdicts, firsts[_i].context);
	for (size_t i = 0; i < 3; i++)
		bc_hs_cli("first-bad " BC_HS_CASE " --db h.db", 0, firsts[_i].says[i]);
}
END_TEST

START_TEST(first_bad_leaves_out_what_always_differs)
{
	make_runs("PF", "12");
	bc_hs_cli("first-bad " BC_HS_CASE " --db h.db", 0, "driver");
	ck_assert_ptr_null(strstr(bc_hs_call.out.data, "run_id"));
}
END_TEST

START_TEST(gpus_of_a_model_can_be_one)
{
	make_runs("PPFF", "1ggg");
	bc_hs_cli("first-bad " BC_HS_CASE " --db h.db --pool", 0, "first bad   2026-01-03");
	bc_hs_cli("trend " BC_HS_CASE " --db h.db --pool", 0, "on any NVIDIA H200 (NVIDIA H200, sm_90): 4 runs");
}
END_TEST

START_TEST(trend_of_a_case)
{
	make_runs("PPFxP", "11223");
	bc_hs_cli("trend " BC_HS_CASE " --by driver --db h.db", 0, "  verdict     ..Fx.\n");
	ck_assert_str_eq(bc_hs_call.out.data,
			 BC_HS_CASE " on GPU-00-11 (NVIDIA H200, sm_90): 5 runs, 2026-01-01 to 2026-01-05\n"
				    "  driver  runs  verdicts         wavefronts  conflicts  clock  cycles\n"
				    "  580.1   2     PASS 2           2.125       1.125      2.5    104.5\n"
				    "  580.2   2     FAIL 1, XFAIL 1  2.125       1.125      2.5    104.5\n"
				    "  580.3   1     PASS 1           2.125       1.125      2.5    104.5\n"
				    "  verdict     ..Fx.\n"
				    "  cycles      _____  104.5\n");
	bc_hs_cli("trend " BC_HS_CASE " --by cuda --db h.db", 0, "  13.0  5     PASS 3, FAIL 1, XFAIL 1");
	bc_hs_cli("trend " BC_HS_CASE " --db h.db", 0, "  2026-01-04  1     XFAIL 1");
}
END_TEST

START_TEST(trend_of_a_glob)
{
	make_runs("PFP", "122");
	bc_hs_cli("trend stride --by driver --db h.db", 0,
		  "  580.1   1     PASS 2          0\n  580.2   2     PASS 3, FAIL 1  1\n  verdict     .F.\n"
		  "  findings    _#_  0..1\n");
	bc_hs_cli("trend ways/* --db h.db", 0, "  verdict     ...\n");
	bc_hs_cli("trend * --db h.db", 0, "PASS 4");
	bc_hs_cli("trend stride* --by gpu --db h.db", 3, "driver, cuda or date");
	bc_hs_cli("trend nothing* --db h.db", 3, "no case of the history h.db matches");
}
END_TEST

START_TEST(cycles_that_moved_are_drawn)
{
	struct bc_history *h = bc_hs_open(BC_HISTORY_WRITE);

	for (unsigned i = 1; i <= 3; i++) {
		for (uint32_t k = 0; k < 10; k++)
			bc_hs_sample.devices[0].results[1].obs.samples[k] = i == 2 ? 200 : 100;
		bc_hs_run(i, "580.1", BC_PASS);
		bc_hs_add(h);
	}
	bc_history_close(h);
	bc_hs_cli("trend " BC_HS_CASE " --by driver --db h.db", 0, "  cycles      _#_  100..200\n");
	ck_assert_ptr_nonnull(strstr(bc_hs_call.out.data, "  100..200\n  verdict"));
	bc_hs_call.set[0][1] = "C.UTF-8";
	bc_program_run(&bc_hs_call, "history trend " BC_HS_CASE " --db h.db");
	ck_assert_ptr_nonnull(strstr(bc_hs_call.out.data, "\u2581\u2588\u2581"));
}
END_TEST

START_TEST(list_has_a_line_a_run)
{
	bc_hs_cli("list --db h.db", 3, "no such file");
	make_runs("PF", "12");
	bc_hs_cli("list --db h.db", 0,
		  "2026-01-02T01:02:03  cuda:0  NVIDIA H200  580.2   13.0  4      3     1   "
		  "      0     yes       run02\n");
}
END_TEST

START_TEST(old_runs_are_pruned)
{
	make_runs("PPPgP", "1111g"); /* the last is of another GPU */
	bc_hs_cli("prune --keep 2 --db h.db", 0, "2 runs removed, 3 left");
	bc_hs_whole(3);
	ck_assert_int_eq(bc_hs_number("SELECT min(substr(time, 9, 2)) FROM run"), 3);
	bc_hs_cli("prune --before 2026-01-05 --db h.db", 0, "2 runs removed, 1 left");
	ck_assert_int_eq(bc_hs_number("SELECT substr(time, 9, 2) FROM run"), 5);
	bc_hs_cli("prune --before 2027-01-01 --db h.db", 0, "1 run removed, 0 left");
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM case_name"), 0);
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM message"), 0);
	bc_hs_whole(0);
	bc_hs_cli("list --db h.db", 0, "no runs yet");
}
END_TEST

/* A report whose strings are as bad as XML allows. */
#define EVIL "x','y'); DROP TABLE run; --"
#define REPORT_HEAD                                                                                           \
	"<testsuites><testsuite name=\"bankcheck.sm_90.s\" timestamp=\"2026-01-01T00:00:00\" hostname=\"h\">" \
	"<properties><property name=\"run_id\" value=\"r1\"/><property name=\"bankcheck\" value=\"0.1.0\"/>"  \
	"<property name=\"device\" value=\"cuda:0\"/>"
#define REPORT_END "</testsuite></testsuites>"

static void write_text(const char *name, const char *text)
{
	ck_assert_int_eq(bc_file_replace(&bc_file_system, bc_hs_call.dir, name, text, strlen(text), &bc_hs_err), BC_OK);
}

START_TEST(hostile_strings_stay_text)
{
	json_t *row;
	json_error_t why;

	write_text("evil.xml", REPORT_HEAD
		   "<property name=\"gpu\" value=\"" EVIL "\"/><property name=\"driver\" "
		   "value=\"1,&quot;2&quot;&#10;3&#x202e;\"/></properties><testcase name=\"r/v\">"
		   "<failure message=\"a&#10;&quot;b&quot;, "
		   "c\\\"/><system-out>format=1\ncase=s/r/v\nverdict=FAIL\n</system-out></testcase>" REPORT_END);
	bc_hs_cli("add evil.xml --db h.db", 0, "1 run added");
	bc_hs_whole(1);
	bc_hs_cli("list --db h.db", 0, EVIL);
	ck_assert_ptr_nonnull(strstr(bc_hs_call.out.data, "1,\"2\"\\n3\\u202e"));
	bc_hs_cli("first-bad s/r/v --db h.db", 0, "a\\n\"b\", c\\");
	bc_hs_cli("trend s --by driver --db h.db", 0, "FAIL 1");
	bc_hs_cli("export --db h.db", 0, ",\"x','y'); DROP TABLE run; --\",h,\"1,\"\"2\"\"\n3\u202e\",");
	ck_assert_ptr_nonnull(strstr(bc_hs_call.out.data, ",s/r/v,FAIL,,,,,no,\"a\n\"\"b\"\", c\\\"\r\n"));
	bc_hs_cli("export --format jsonl --db h.db", 0, "{");
	row = json_loads(bc_hs_call.out.data, 0, &why);
	ck_assert_msg(row != NULL, "%s: %s", why.text, bc_hs_call.out.data);
	ck_assert_str_eq(json_string_value(json_object_get(row, "gpu")), EVIL);
	ck_assert_str_eq(json_string_value(json_object_get(row, "message")), "a\n\"b\", c\\");
	ck_assert(json_is_null(json_object_get(row, "cycles")));
	json_decref(row);
}
END_TEST

START_TEST(export_has_a_row_a_result)
{
	size_t lines = 0;

	make_runs("PF", "12");
	bc_hs_cli("export --db h.db", 0,
		  "time,run_id,device,unit,arch,gpu,host,driver,cuda,image_hash,expectations_hash,bankcheck,complete,"
		  "options,junit,case,"
		  "verdict,"
		  "wavefronts,conflicts,clock,cycles,flaky,message\r\n"
		  "2026-01-01T01:02:03,run01,cuda:0,GPU-00-11,sm_90,NVIDIA H200,");
	for (const char *s = bc_hs_call.out.data; (s = strchr(s, '\n')); s++)
		lines++;
	ck_assert_uint_eq(lines, 1 + 2 * BC_HS_CASES);
	bc_hs_cli("export " BC_HS_CASE " --format jsonl --db h.db", 0,
		  "\"case\":\"" BC_HS_CASE
		  "\",\"verdict\":\"FAIL\",\"wavefronts\":2.125,\"conflicts\":1.125,\"clock\":2.5,"
		  "\"cycles\":104.5,\"flaky\":\"no\",\"message\":\"it is wrong\"}\n");
	ck_assert_ptr_null(strstr(bc_hs_call.out.data, "ways"));
}
END_TEST

static const struct {
	const char *what, *words, *says;
	int status;
} wrong[] = {
	{ "no action", "", "add, list, trend", 3 },
	{ "an unknown one", "look", "history look: the actions are add, list", 3 },
	{ "nothing to add", "add", "history add REPORT...", 3 },
	{ "trend of two", "trend a b", "history trend CASE|GLOB", 3 },
	{ "no such case", "first-bad a/b/c --db h.db", "no case of this name", 3 },
	{ "first-bad takes no glob", "first-bad stride* --db h.db", "no case of this name", 3 },
	{ "prune what", "prune --db h.db", "--keep N or --before", 3 },
	{ "prune by both", "prune --keep 1 --before 2026-01-01 --db h.db", "--keep N or --before", 3 },
	{ "keep none", "prune --keep 0 --db h.db", "a whole number, at least 1", 3 },
	{ "a day that is none", "prune --before 2026-1-1 --db h.db", "YYYY-MM-DD", 3 },
	{ "a month that is none", "prune --before 2026-13-01 --db h.db", "a day of the calendar", 3 },
	{ "a day that February lacks", "prune --before 2026-02-29 --db h.db", "a day of the calendar", 3 },
	{ "a day with a time", "prune --before 2026-01-01T00:00:00 --db h.db", "YYYY-MM-DD", 3 },
	{ "another's option", "list --by date --db h.db", "does not take --by", 3 },
	{ "a format that is none", "export --format xml --db h.db", "csv or jsonl", 3 },
};

START_TEST(wrong_usage_is_refused)
{
	make_runs("P", "1");
	bc_hs_cli(wrong[_i].words, wrong[_i].status, wrong[_i].says);
	bc_hs_whole(1);
}
END_TEST

static const struct {
	const char *what, *text, *says;
} broken[] = {
	{ "cut short", REPORT_HEAD "</properties><testcase ", "not well-formed" },
	{ "another tool's", "<testsuites><testsuite name=\"x\"/></testsuites>", "not a report that bankcheck wrote" },
	{ "no time",
	  "<testsuites><testsuite name=\"bankcheck.sm_90.s\" timestamp=\"now\"><properties><property name=\"run_id\" "
	  "value=\"r9\"/><property name=\"bankcheck\" value=\"1\"/></properties></testsuite></testsuites>",
	  "no timestamp" },
	{ "a value in the second case",
	  REPORT_HEAD "</properties><testcase name=\"r/a\"><system-out>format=1\ncase=s/r/a\nverdict=PASS\n"
		      "</system-out></testcase><testcase name=\"r/b\"><system-out>format=1\ncase=s/r/b\nverdict=PASS\n"
		      "clock_samples=x\n</system-out>"
		      "</testcase>" REPORT_END,
	  "s/r/b: the value of clock_samples=" },
};

START_TEST(a_broken_file_changes_nothing)
{
	make_runs("P", "1");
	write_text("broken.xml", broken[_i].text);
	bc_hs_cli("add broken.xml --db h.db", 3, broken[_i].says);
	bc_hs_whole(1);
	ck_assert_int_eq(bc_hs_number("SELECT count(*) FROM case_name"), BC_HS_CASES);
	bc_hs_run(2, "580.1", BC_PASS); /* the whole one beside it is added */
	bc_hs_write("good.xml");
	bc_hs_cli("add broken.xml good.xml --db h.db", 2, broken[_i].says);
	bc_hs_whole(2);
}
END_TEST

Suite *bc_test_history(void)
{
	Suite *s = suite_create("history");
	TCase *tc = tcase_create("history");

	tcase_add_checked_fixture(tc, bc_hs_setup, bc_hs_teardown);
	tcase_add_test(tc, a_run_is_known_by_its_id_and_device);
	tcase_add_test(tc, gpus_with_one_run_id_are_two_runs);
	tcase_add_test(tc, a_fleet_of_reference_devices_has_a_unit_a_host);
	tcase_add_test(tc, runs_of_a_kind_share_a_profile);
	tcase_add_test(tc, a_resumed_run_takes_the_place_of_the_part);
	tcase_add_loop_test(tc, values_are_measured, 0, (int)BC_ARRAY_LEN(measures));
	tcase_add_loop_test(tc, sparklines, 0, (int)BC_ARRAY_LEN(sparks));
	tcase_add_test(tc, many_runs_share_columns_and_the_worst_shows);
	tcase_add_loop_test(tc, flaky_is_a_flip_with_nothing_else_changed, 0, (int)BC_ARRAY_LEN(flakes));
	tcase_add_loop_test(tc, first_bad_is_the_first_after_the_last_good, 0, (int)BC_ARRAY_LEN(firsts));
	tcase_add_test(tc, first_bad_leaves_out_what_always_differs);
	tcase_add_test(tc, gpus_of_a_model_can_be_one);
	tcase_add_test(tc, trend_of_a_case);
	tcase_add_test(tc, trend_of_a_glob);
	tcase_add_test(tc, cycles_that_moved_are_drawn);
	tcase_add_test(tc, list_has_a_line_a_run);
	tcase_add_test(tc, old_runs_are_pruned);
	tcase_add_test(tc, hostile_strings_stay_text);
	tcase_add_test(tc, export_has_a_row_a_result);
	tcase_add_loop_test(tc, wrong_usage_is_refused, 0, (int)BC_ARRAY_LEN(wrong));
	tcase_add_loop_test(tc, a_broken_file_changes_nothing, 0, (int)BC_ARRAY_LEN(broken));
	suite_add_tcase(s, tc);
	return s;
}
