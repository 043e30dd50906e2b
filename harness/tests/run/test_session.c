/* SPDX-License-Identifier: MIT */
#include "harness/run/session.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/run/probe.h"
#include "harness/tests/invented.h"
#include "harness/tests/report/report_sample.h"

Suite *bc_test_session(void);

static struct bc_error err;
static struct bc_catalog cat;
static struct bc_session *session;
static char dir[BC_PATH_MAX], self[BC_PATH_MAX + 16], log_path[BC_PATH_MAX + 16], journal[BC_PATH_MAX + 16];
static struct bc_run_options options;

static void setup(void)
{
	bc_sample_folder(dir);
	(void)snprintf(self, sizeof(self), "%s/self", dir);
	(void)snprintf(log_path, sizeof(log_path), "%s/log", dir);
	(void)snprintf(journal, sizeof(journal), "%s/journal.tsv", dir);
	cat = bc_invented_catalog();
	session = NULL;
	bc_run_options_init(&options);
	options.self = self;
	options.expected_dir = BC_TEST_DATA "/core/expected";
	options.kernels_dir = "/kernels";
	options.reports_dir = dir;
	options.inactivity_s = 10;
	(void)unsetenv("OPTIN");
}

static void teardown(void)
{
	bc_session_close(session);
	bc_catalog_release(&cat);
}

/* The program that the session starts as its worker: worker.sh with a mode. */
static void worker(const char *mode, const char *bad)
{
	FILE *f = fopen(self, "w");

	ck_assert_ptr_nonnull(f);
	(void)fprintf(f, "#!/bin/sh\necho \"$@\" > %s/args\nexec /bin/sh %s/run/worker.sh '%s' '%s' '%s' \"$@\"\n", dir,
		      BC_TEST_DATA, mode, bad, log_path);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(self, 0755), 0);
}

/* @filter is copied, as long as it is short. */
static void select_cases(const char **filter, size_t n)
{
	static const char *item[4];

	ck_assert_uint_le(n, BC_ARRAY_LEN(item));
	memcpy(item, filter, n * sizeof(item[0]));
	options.filter = (struct bc_option_list){ .item = item, .n = n };
}

static void open_session(void)
{
	ck_assert_msg(bc_session_open(&options, &cat, &session, &err) == BC_OK, "%s", err.msg);
}

static void run(const struct bc_session_events *ev)
{
	open_session();
	ck_assert_msg(bc_session_run(session, ev, &err) == BC_OK, "%s", err.msg);
}

static const struct bc_result *result(size_t device, const char *id)
{
	const struct bc_device_run *d = &bc_session_result(session)->devices[device];

	for (size_t i = 0; i < d->nresults; i++)
		if (strcmp(d->results[i].c->id, id) == 0)
			return &d->results[i];
	ck_abort_msg("no result of %s", id);
	return NULL;
}

static bool in_file(const char *path, const char *words)
{
	struct bc_text t = { 0 };
	bool there;

	ck_assert_msg(bc_file_read(path, 1 << 20, &t, &err) == BC_OK, "%s", err.msg);
	there = t.data && strstr(t.data, words);
	bc_text_release(&t);
	return there;
}

static const char *two[] = { "alpha/ld/1", "alpha/st/2" };

START_TEST(the_gpus_that_are_here_are_run)
{
	const struct bc_run *r;

	worker("good", "");
	select_cases(two, 2);
	run(NULL);
	r = bc_session_result(session);
	ck_assert_uint_eq(r->ndevices, 2);
	ck_assert_str_eq(r->devices[0].dev, "sm_00");
	ck_assert_str_eq(r->devices[1].dev, "sm_12");
	ck_assert(!r->devices[0].arch.provisional && r->devices[1].arch.provisional);
	ck_assert_str_eq(r->devices[0].rerun, "bankcheck run --device cuda:0");
	ck_assert_str_eq(r->devices[1].rerun, "bankcheck run --device cuda:1");
	ck_assert_str_eq(r->devices[0].facts.driver, "1.0"); /* from the opening */
	ck_assert_uint_eq(r->devices[0].images_hash, 0xabcd);
	ck_assert_uint_ne(r->devices[0].expect_hash, r->devices[1].expect_hash);
	ck_assert_uint_ne(r->plan_hash, 0);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(r->devices[i].nresults, 2);
		ck_assert(!r->devices[i].complete); /* two cases are not the catalogue */
		ck_assert_int_eq(result(i, "alpha/ld/1")->judged.verdict, BC_PASS);
	}
	ck_assert_int_eq(result(0, "alpha/st/2")->judged.verdict, BC_UNJUDGED);
	ck_assert_int_eq(bc_session_signal(session), 0);
	ck_assert(strlen(r->run_id) > 16 && strlen(r->timestamp) == 19 && r->timestamp[10] == 'T' && r->host[0]);
}
END_TEST

/* The worker that listed the GPUs goes on with the first: one start less. */
START_TEST(the_listing_worker_is_kept)
{
	worker("good", "");
	options.devices = "cuda:0";
	select_cases(two, 1);
	run(NULL);
	ck_assert(!in_file(log_path, "start\nalpha/ld/1\nstart") && in_file(log_path, "start\nalpha/ld/1\n"));
}
END_TEST

START_TEST(workers_are_told_what_they_need)
{
	char args[BC_PATH_MAX + 16];

	(void)snprintf(args, sizeof(args), "%s/args", dir);
	worker("good", "");
	options.devices = "cuda:0";
	select_cases(two, 1);
	options.fault = "banks16";
	options.racecheck = true;
	options.witness = BC_WITNESS_CLOCK;
	options.pack = 2;
	run(NULL);
	ck_assert(in_file(args, "worker --") && in_file(args, "--kernels /kernels"));
	ck_assert(in_file(args, "--expected " BC_TEST_DATA "/core/expected"));
	ck_assert(in_file(args, "--fault banks16") && in_file(args, "--racecheck") && in_file(args, "--witness clock"));
	ck_assert(in_file(args, "--pack 2"));
}
END_TEST

/* What the architecture lacks is not asked of the device; loads go before stores, whatever the suites' order. */
START_TEST(the_plan_leaves_out_what_cannot_run)
{
	const struct bc_device_run *d;

	worker("good", "");
	options.devices = "cuda:0";
	run(NULL);
	d = &bc_session_result(session)->devices[0];
	ck_assert_uint_eq(d->nresults, cat.n);
	ck_assert(d->complete);
	ck_assert_int_eq(result(0, "beta/needs/stsm")->judged.verdict, BC_SKIP);
	ck_assert_str_eq(result(0, "beta/needs/stsm")->judged.message, "needs stmatrix (not on sm_00)");
	ck_assert_int_eq(result(0, "beta/edge/low")->judged.verdict, BC_SKIP);
	ck_assert(!in_file(log_path, "beta/needs/stsm") && !in_file(log_path, "beta/edge/low"));
	ck_assert(in_file(log_path, "alpha/st/1\nalpha/st/2\n"));
	for (size_t i = 0; i < d->nresults; i++)
		ck_assert_str_eq(d->results[i].c->id, cat.cases[i].id); /* results in the catalogue's order */
}
END_TEST

/* A device that has less than its arch.txt says fails the cases that need it. */
START_TEST(a_device_that_lacks_memory_fails)
{
	static const char *last[] = { "beta/edge/last", "alpha/ld/1" };

	worker("good", "");
	(void)setenv("OPTIN", "65535", 1);
	options.devices = "cuda:0";
	select_cases(last, 2);
	run(NULL);
	ck_assert_int_eq(result(0, "beta/edge/last")->judged.verdict, BC_FAIL);
	ck_assert_msg(strstr(result(0, "beta/edge/last")->judged.message,
			     "has 65535 bytes of shared memory a block, arch.txt of sm_00 says 65536"),
		      "%s", result(0, "beta/edge/last")->judged.message);
	ck_assert(!in_file(log_path, "last"));
	ck_assert_int_eq(result(0, "alpha/ld/1")->judged.verdict, BC_PASS);
}
END_TEST

/* A bigger one of an architecture without a folder has room for more. */
START_TEST(a_provisional_device_has_its_own_memory)
{
	static const char *deep[] = { "beta/edge/deep" };

	worker("good", "");
	(void)setenv("OPTIN", "4096", 1);
	options.devices = "cuda:1";
	select_cases(deep, 1);
	run(NULL);
	ck_assert_int_eq(result(0, "beta/edge/deep")->judged.verdict, BC_SKIP);
	ck_assert_msg(strstr(result(0, "beta/edge/deep")->judged.message, "(sm_12 has 4096)"), "%s",
		      result(0, "beta/edge/deep")->judged.message);
}
END_TEST

START_TEST(a_worker_that_dies_costs_one_case)
{
	worker("crash", "alpha/ld/2");
	options.devices = "cuda:0";
	run(NULL);
	ck_assert_int_eq(result(0, "alpha/ld/2")->judged.verdict, BC_LOST);
	ck_assert_str_eq(result(0, "alpha/ld/2")->judged.message, "the worker ended: signal SIGSEGV");
	ck_assert_int_eq(result(0, "alpha/ld/1")->judged.verdict, BC_PASS);
	ck_assert_int_eq(result(0, "beta/edge/last")->judged.verdict, BC_PASS);
	ck_assert(bc_session_result(session)->devices[0].complete); /* each case has its observation */
}
END_TEST

START_TEST(every_observation_is_journalled)
{
	char words[128];

	worker("crash", "alpha/ld/2");
	options.devices = "cuda:0";
	options.journal = journal;
	run(NULL);
	ck_assert(in_file(journal, "run\tformat=2\tversion=" BC_VERSION "\trun_id="));
	for (size_t i = 0; i < cat.n; i++) {
		(void)snprintf(words, sizeof(words), "obs\tdev=sm_00\tid=%s\t", cat.cases[i].id);
		ck_assert_msg(in_file(journal, words), "%s", cat.cases[i].id);
	}
	ck_assert(in_file(journal, "id=alpha/ld/2\toutcome=1\treason=the worker ended: signal SIGSEGV"));
}
END_TEST

static const struct {
	const char *what, *mode, *devices, *filter, *expected, *journal;
	enum bc_status st;
	const char *words;
} bad[] = {
	{ "no GPU", "nogpu", "all", NULL, NULL, NULL, BC_EUSAGE, "--device all: this host has no GPU: no driver" },
	{ "no such GPU", "good", "cuda:2", NULL, NULL, NULL, BC_EUSAGE, "no such GPU: this host has 2" },
	{ "no such device", "good", "tpu", NULL, NULL, NULL, BC_EUSAGE, "--device tpu: not a device" },
	{ "a driver that crashes", "nolist", NULL, NULL, NULL, NULL, BC_EDEVICE,
	  "lists the GPUs ended without an answer" },
	{ "a driver that hangs", "listhang", NULL, NULL, NULL, NULL, BC_EDEVICE,
	  "sent nothing for 1 s: the driver hangs" },
	{ "a glob without a case", "good", "cuda:0", "gamma", NULL, NULL, BC_EUSAGE,
	  "--filter 'gamma' matches no case" },
	{ "no expectations", "good", "cuda:0", NULL, "/nonexistent", NULL, BC_EREAD, "/nonexistent" },
	{ "bad expectations", "good", "cuda:0", NULL, "", NULL, BC_EDATA, "common/bad.txt:2: " },
	{ "no room for a journal", "good", "cuda:0", "alpha", NULL, "/dev/full", BC_EWRITE, "/dev/full" },
};

/* expected/ of the tests and one file that is malformed in line 2. */
static const char *bad_expected(void)
{
	static char root[BC_PATH_MAX + 32];
	char command[3 * BC_PATH_MAX];

	(void)snprintf(root, sizeof(root), "%s/expected", dir);
	(void)snprintf(command, sizeof(command),
		       "cp -r '%s/core/expected' '%s' && printf '# a comment\\nrow alpha/ld/1 colour=1 rule x\\n' "
		       "> '%s/common/bad.txt'",
		       BC_TEST_DATA, dir, root);
	ck_assert_int_eq(system(command), 0);
	return root;
}

START_TEST(what_cannot_be_planned_is_refused)
{
	const char *filter = bad[_i].filter;
	enum bc_status st;

	worker(bad[_i].mode, "");
	options.devices = bad[_i].devices;
	options.journal = bad[_i].journal;
	options.inactivity_s = 1;
	if (bad[_i].expected)
		options.expected_dir = bad[_i].expected[0] ? bad[_i].expected : bad_expected();
	if (filter)
		select_cases(&filter, 1);
	st = bc_session_open(&options, &cat, &session, &err);
	ck_assert_msg(st == bad[_i].st, "%s: status %d, %s", bad[_i].what, st, err.msg);
	ck_assert_msg(strstr(err.msg, bad[_i].words), "%s: %s", bad[_i].what, err.msg);
	ck_assert_ptr_null(session);
}
END_TEST

static const struct {
	const char *mode, *devices;
	unsigned gpus;
	const char *words; /* NULL: it is run */
} counted[] = {
	{ "good", NULL, 2, NULL }, /* worker.sh has two */
	{ "good", "all,cuda:1", 2, NULL },
	{ "good", "cuda:1", 1, NULL },
	{ "good", NULL, 3, "--gpus 3: the run would have 2 (see `bankcheck devices`)" },
	{ "good", NULL, 1, "--gpus 1: the run would have 2" },
	{ "good", "cuda:0", 2, "--gpus 2: the run would have 1" },
	{ "nogpu", NULL, 1, "--gpus 1: the run would have 0: no driver" },
	{ "nogpu", "all", 8, "--gpus 8: the run would have 0: no driver" },
};

/* Seven GPUs of eight are not green. */
START_TEST(the_gpus_are_as_many_as_was_said)
{
	enum bc_status st;

	worker(counted[_i].mode, "");
	options.devices = counted[_i].devices;
	options.gpus = counted[_i].gpus;
	select_cases(two, 2);
	st = bc_session_open(&options, &cat, &session, &err);
	ck_assert_int_eq(st, counted[_i].words ? BC_EDEVICE : BC_OK);
	ck_assert_msg(!counted[_i].words || strstr(err.msg, counted[_i].words), "%s", err.msg);
}
END_TEST

/* --- what happens meanwhile ------------------------------------------------------------------------------------ */

struct heard {
	unsigned begun, results, signal_at;
	size_t done, total;
};

static void on_begin(void *ctx, const struct bc_run *r)
{
	struct heard *h = ctx;

	ck_assert_uint_eq(r->ndevices, 1);
	ck_assert_uint_eq(h->results, 0);
	h->begun++;
}

static void on_progress(void *ctx, size_t done, size_t total, const char *id)
{
	struct heard *h = ctx;

	ck_assert_uint_eq(done, h->done + 1);
	ck_assert_ptr_nonnull(strchr(id, '/'));
	h->done = done;
	h->total = total;
}

static void on_result(void *ctx, const struct bc_device_run *d, const struct bc_result *r)
{
	struct heard *h = ctx;

	ck_assert_str_eq(d->dev, "sm_00");
	ck_assert_str_eq(r->obs.id, r->c->id);
	if (++h->results == h->signal_at)
		(void)raise(SIGTERM);
}

START_TEST(events_tell_everything)
{
	struct heard h = { 0 };
	const struct bc_session_events ev = {
		.ctx = &h, .begin = on_begin, .progress = on_progress, .result = on_result
	};

	worker("good", "");
	options.devices = "cuda:0";
	run(&ev);
	ck_assert_uint_eq(h.begun, 1);
	ck_assert_uint_eq(h.results, cat.n);
	ck_assert_uint_eq(h.done, cat.n);
	ck_assert_uint_eq(h.total, cat.n);
}
END_TEST

START_TEST(a_signal_ends_the_run_early)
{
	struct heard h = { .signal_at = 1 + 2 }; /* two are skipped by the plan */
	const struct bc_session_events ev = {
		.ctx = &h, .begin = on_begin, .progress = on_progress, .result = on_result
	};
	struct sigaction before, after;
	size_t lost = 0;

	worker("hang", "alpha/ld/32");
	options.devices = "cuda:0";
	ck_assert_int_eq(sigaction(SIGTERM, NULL, &before), 0);
	run(&ev);
	ck_assert_int_eq(bc_session_signal(session), SIGTERM);
	ck_assert_uint_eq(h.results, cat.n); /* each case has its result all the same */
	for (size_t i = 0; i < cat.n; i++) {
		const struct bc_result *r = &bc_session_result(session)->devices[0].results[i];

		lost += r->judged.verdict == BC_LOST;
		ck_assert(r->judged.verdict != BC_LOST || strcmp(r->judged.message, "interrupted") == 0);
	}
	ck_assert_uint_ge(lost, 5);
	ck_assert(!bc_session_result(session)->devices[0].complete);
	ck_assert_int_eq(sigaction(SIGTERM, NULL, &after), 0);
	ck_assert(after.sa_handler == before.sa_handler);
}
END_TEST

/* --- looking only ---------------------------------------------------------------------------------------------- */

START_TEST(devices_are_listed_and_probed)
{
	struct bc_facts *gpus = NULL;
	size_t n = 0;
	char why[200];

	worker("good", "");
	ck_assert_msg(bc_probe_list(&options, &gpus, &n, why, sizeof(why), &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(gpus[1].name, "Newer GPU");
	ck_assert_str_eq(gpus[0].driver, "");
	ck_assert_str_eq(why, "");
	ck_assert_int_eq(bc_probe_open(&options, gpus, 1, &err), BC_OK);
	ck_assert_str_eq(gpus[0].driver, "1.0");
	worker("noopen", "");
	ck_assert_int_eq(bc_probe_open(&options, gpus, 2, &err), BC_OK);
	ck_assert_str_eq(gpus[1].counters_absent, "cuInit: CUDA_ERROR_NO_DEVICE");
	worker("openhang", "");
	options.inactivity_s = 1;
	ck_assert_int_eq(bc_probe_open(&options, gpus, 1, &err), BC_OK);
	ck_assert_str_eq(gpus[0].counters_absent, "cuda:0 cannot be opened: the worker that tried hangs");
	worker("cupti_open_segv", ""); /* `bankcheck devices` names the library */
	ck_assert_int_eq(bc_probe_open(&options, gpus, 1, &err), BC_OK);
	ck_assert_str_eq(gpus[0].counters_absent,
			 "CUPTI takes down the process that calls it: runs go on without counters");
	worker("cupti_open_ok", "");
	gpus[0].driver[0] = '\0';
	ck_assert_int_eq(bc_probe_open(&options, gpus, 1, &err), BC_OK);
	ck_assert_str_eq(gpus[0].driver, "1.0");
	(void)unlink(self); /* a worker that ends without a word */
	ck_assert_int_eq(bc_probe_open(&options, gpus, 2, &err), BC_OK);
	ck_assert_msg(strstr(gpus[1].counters_absent, "cuda:1 cannot be opened"), "%s", gpus[1].counters_absent);
	free(gpus);
}
END_TEST

START_TEST(no_gpu_has_a_reason)
{
	struct bc_facts *gpus = NULL;
	size_t n = 7;
	char why[200];

	worker("nogpu", "");
	ck_assert_int_eq(bc_probe_list(&options, &gpus, &n, why, sizeof(why), &err), BC_OK);
	ck_assert_uint_eq(n, 0);
	ck_assert_str_eq(why, "no driver");
	bc_session_close(NULL);
}
END_TEST

Suite *bc_test_session(void)
{
	Suite *s = suite_create("session");
	TCase *tc = tcase_create("session");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, the_gpus_that_are_here_are_run);
	tcase_add_test(tc, the_listing_worker_is_kept);
	tcase_add_test(tc, workers_are_told_what_they_need);
	tcase_add_test(tc, the_plan_leaves_out_what_cannot_run);
	tcase_add_test(tc, a_device_that_lacks_memory_fails);
	tcase_add_test(tc, a_provisional_device_has_its_own_memory);
	tcase_add_test(tc, a_worker_that_dies_costs_one_case);
	tcase_add_test(tc, every_observation_is_journalled);
	tcase_add_loop_test(tc, the_gpus_are_as_many_as_was_said, 0, (int)BC_ARRAY_LEN(counted));
	tcase_add_loop_test(tc, what_cannot_be_planned_is_refused, 0, (int)BC_ARRAY_LEN(bad));
	tcase_add_test(tc, events_tell_everything);
	tcase_add_test(tc, a_signal_ends_the_run_early);
	tcase_add_test(tc, devices_are_listed_and_probed);
	tcase_add_test(tc, no_gpu_has_a_reason);
	suite_add_tcase(s, tc);
	return s;
}
