/* SPDX-License-Identifier: MIT */
/* Patterns measured in a worker process: on the wire and back, and by workers that die, hang or talk nonsense. */
#include "harness/run/remote.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/run/pattern_message.h"

Suite *bc_test_remote(void);

static struct bc_run_options o;
static struct bc_facts facts = { .kind = BC_DEVICE_REFERENCE, .arch = "sm_90" };
static struct bc_remote *remote;
static struct bc_error err;
static char script[200], flag[200];

static void setup(void)
{
	bc_run_options_init(&o);
	o.self = BC_TEST_BINARY;
	o.kernels_dir = BC_TEST_KERNELS;
	o.expected_dir = BC_TEST_EXPECTED;
	o.reference_clock = true;
	o.inactivity_s = 60;
	remote = NULL;
}

static void teardown(void)
{
	bc_remote_close(remote);
	bc_run_options_release(&o);
}

/* A worker that does @first, in the shell, before it is one. */
static void worker_is(const char *first)
{
	FILE *f;

	(void)snprintf(script, sizeof(script), "%s/worker.%d.sh", BC_TEST_TMP, (int)getpid());
	(void)snprintf(flag, sizeof(flag), "%s/worker.%d.flag", BC_TEST_TMP, (int)getpid());
	(void)unlink(flag);
	f = fopen(script, "w");
	ck_assert_ptr_nonnull(f);
	(void)fprintf(f, "#!/bin/sh\nflag='%s'\n%s\nexec '%s' \"$@\"\n", flag, first, BC_TEST_BINARY);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(script, 0755), 0);
	o.self = script;
}

static struct bc_pattern stride(enum bc_op op, uint32_t bytes)
{
	struct bc_pattern p = { .op = op, .mask = UINT32_MAX, .count = 1 };

	for (unsigned l = 0; l < BC_LANES; l++)
		p.offset[l] = l * bytes;
	return p;
}

/* Two patterns, counted and timed as the laws say. */
static void measures(void)
{
	const struct bc_pattern p[2] = { stride(BC_OP_LD32, 8), stride(BC_OP_ST32, 4) };
	struct bc_pattern_count n[2];
	struct bc_pattern_time t[2];
	char absent[200];

	ck_assert_msg(!bc_remote_count(remote, p, 2, n, absent, sizeof(absent), &err), "%s", err.msg);
	ck_assert_str_eq(absent, "");
	ck_assert(n[0].has && n[0].wavefronts == 2 * n[0].requests && n[0].conflicts == n[0].requests);
	ck_assert(n[1].has && n[1].wavefronts == n[1].requests && n[1].conflicts == 0);
	ck_assert_msg(!bc_remote_time(remote, p, 2, t, absent, sizeof(absent), &err), "%s", err.msg);
	ck_assert(t[0].has && t[0].cycles > 600 && t[0].cycles < 1000 && t[1].has);
}

static unsigned deaths(const char **why)
{
	return bc_remote_deaths(remote, why);
}

START_TEST(a_worker_measures)
{
	struct bc_observation *obs = calloc(1, sizeof(*obs));
	struct bc_window w;
	const char *why;

	ck_assert_msg(!bc_remote_open(&o, &facts, &remote, &err), "%s", err.msg);
	measures();
	ck_assert(!bc_remote_window(remote, &w, &err));
	ck_assert_uint_eq(w.base, 1024);
	ck_assert_uint_eq(w.optin_bytes, 232448);
	ck_assert(!bc_remote_case(remote, "clock/latency/l1_over_shared", obs, &err));
	ck_assert(obs->clock_value_has && obs->clock_value > 1);
	measures(); /* in any order */
	ck_assert_uint_eq(deaths(&why), 0);
	free(obs);
}
END_TEST

START_TEST(a_worker_that_dies_at_once_is_started_again)
{
	const char *why;

	worker_is("if [ ! -e \"$flag\" ]; then : >\"$flag\"; kill -SEGV $$; fi");
	ck_assert_msg(!bc_remote_open(&o, &facts, &remote, &err), "%s", err.msg);
	measures();
	ck_assert_uint_eq(deaths(&why), 1);
	ck_assert_msg(strstr(why, "SIGSEGV"), "%s", why);
}
END_TEST

/* The worker, whose pid only the kernel tells. */
static void kill_worker(int how)
{
	char path[80];
	int pid = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(path, sizeof(path), f))
		pid = (int)strtol(path, NULL, 10);
	(void)fclose(f);
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(kill(pid, how), 0);
}

START_TEST(a_worker_that_dies_at_work_is_started_again)
{
	const char *why;

	ck_assert_msg(!bc_remote_open(&o, &facts, &remote, &err), "%s", err.msg);
	measures();
	kill_worker(SIGKILL);
	measures();
	ck_assert_uint_eq(deaths(&why), 1);
	o.inactivity_s = 1;
	kill_worker(SIGSTOP);
	measures();
	ck_assert_uint_eq(deaths(&why), 2);
	ck_assert_msg(strstr(why, "sent nothing for 1 s"), "%s", why);
}
END_TEST

START_TEST(a_worker_that_always_dies_is_an_error)
{
	worker_is("kill -SEGV $$");
	ck_assert_int_eq(bc_remote_open(&o, &facts, &remote, &err), BC_EDEVICE);
	ck_assert_msg(strstr(err.msg, "SIGSEGV, twice"), "%s", err.msg);
	ck_assert_ptr_null(remote);
}
END_TEST

START_TEST(nonsense_is_an_error)
{
	worker_is("echo nonsense >&4; cat <&3 >/dev/null");
	ck_assert_int_eq(bc_remote_open(&o, &facts, &remote, &err), BC_EDEVICE);
	ck_assert_msg(strstr(err.msg, "`nonsense`"), "%s", err.msg);
}
END_TEST

START_TEST(a_device_that_is_not_there_is_an_error)
{
	struct bc_facts none = facts;

	(void)bc_strlcpy(none.arch, "sm_01", sizeof(none.arch));
	ck_assert_int_eq(bc_remote_open(&o, &none, &remote, &err), BC_EDEVICE);
	ck_assert_msg(strstr(err.msg, "sm_01"), "%s", err.msg);
}
END_TEST

/* Lines that are no pattern. */
static const char *const bad_patterns[] = {
	"pattern\top=ld33\tmask=1\tat=0,",	     "pattern\top=ld32\tmask=0\tat=",
	"pattern\top=ld32\tmask=3\tat=0,",	     "pattern\top=ld32\tmask=1\tat=0,4,",
	"pattern\top=ld32\tmask=1\tat=x,",	     "pattern\top=ld32\tmask=x\tat=0,",
	"pattern\top=ld32\tmask=1\tat=99999999999,",
};

START_TEST(what_is_no_pattern_is_refused)
{
	char line[200];
	struct bc_fields m;
	struct bc_pattern p;

	ck_assert(bc_strlcpy(line, bad_patterns[_i], sizeof(line)));
	ck_assert(!bc_message_parse(line, &m, &err));
	ck_assert_int_eq(bc_pattern_parse(&m, &p, &err), BC_EDATA);
}
END_TEST

START_TEST(patterns_come_through)
{
	struct bc_pattern in = stride(BC_OP_ST128, 16), out;
	struct bc_text t = { 0 };
	struct bc_fields m;

	in.mask = 0x80000101u;
	ck_assert(!bc_pattern_message(&in, &t, &err));
	t.data[t.len - 1] = '\0';
	ck_assert(!bc_message_parse(t.data, &m, &err));
	ck_assert(!bc_pattern_parse(&m, &out, &err));
	ck_assert_int_eq(out.op, in.op);
	ck_assert_uint_eq(out.mask, in.mask);
	for (unsigned l = 0; l < BC_LANES; l++)
		ck_assert_uint_eq(out.offset[l], in.mask >> l & 1u ? in.offset[l] : 0);
	bc_text_release(&t);
}
END_TEST

Suite *bc_test_remote(void)
{
	Suite *s = suite_create("remote");
	TCase *tc = tcase_create("worker");

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_worker_measures);
	tcase_add_test(tc, a_worker_that_dies_at_once_is_started_again);
	tcase_add_test(tc, a_worker_that_dies_at_work_is_started_again);
	tcase_add_test(tc, a_worker_that_always_dies_is_an_error);
	tcase_add_test(tc, nonsense_is_an_error);
	tcase_add_test(tc, a_device_that_is_not_there_is_an_error);
	tcase_add_loop_test(tc, what_is_no_pattern_is_refused, 0, (int)BC_ARRAY_LEN(bad_patterns));
	tcase_add_test(tc, patterns_come_through);
	suite_add_tcase(s, tc);
	return s;
}
