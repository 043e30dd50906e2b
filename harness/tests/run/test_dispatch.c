/* SPDX-License-Identifier: MIT */
#include "harness/run/dispatch.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/base/clock.h"
#include "harness/measure/measure.h"
#include "harness/tests/report/report_sample.h"

Suite *bc_test_dispatch(void);

#define LANES 2

static struct bc_sample sample;
static struct bc_error err;
static char dir[BC_PATH_MAX], log_path[BC_PATH_MAX + 16];
static struct bc_device_queue queue[LANES];
static volatile sig_atomic_t caught;

/* What result() saw, and what it does. */
static struct seen {
	size_t n, last;
	size_t stop_after, fail_after; /* results; 0: never */
	size_t ndeaths;
	struct bc_death death; /* the last one */
} seen;

static enum bc_status on_result(void *ctx, struct bc_device_run *d, size_t index, struct bc_error *e)
{
	struct seen *s = ctx;

	(void)d;
	s->last = index;
	if (++s->n == s->stop_after)
		caught = SIGINT;
	return s->n == s->fail_after ? bc_fail(e, BC_EWRITE, "the journal is full") : BC_OK;
}

static enum bc_status on_death(void *ctx, struct bc_device_run *d, const struct bc_death *death, struct bc_error *e)
{
	struct seen *s = ctx;

	(void)d;
	(void)e;
	s->ndeaths++;
	s->death = *death;
	return BC_OK;
}

static void setup(void)
{
	bc_sample_folder(dir);
	(void)snprintf(log_path, sizeof(log_path), "%s/log", dir);
	memset(queue, 0, sizeof(queue));
	memset(&sample, 0, sizeof(sample));
	seen = (struct seen){ 0 };
	caught = 0;
	(void)signal(SIGPIPE, SIG_IGN);
}

static void teardown(void)
{
	for (size_t i = 0; i < LANES; i++) {
		/* a worker that is left was told that nothing more is asked of it, and only waits to be reaped */
		ck_assert(queue[i].worker.pid == 0 || (queue[i].state == BC_QUEUE_DONE && queue[i].worker.to < 0));
		bc_proc_stop(&queue[i].worker, -1, NULL, 0);
		free(queue[i].todo);
		free(queue[i].observed);
		free(queue[i].batches);
	}
	bc_sample_release(&sample);
}

/* Lane @i: all cases of device @i of the sample, none observed. */
static void fill_queue(size_t i)
{
	struct bc_device_queue *q = &queue[i];

	q->run = &sample.devices[i];
	q->todo = calloc(sample.n + 1, sizeof(*q->todo));
	q->observed = calloc(sample.n + 1, sizeof(*q->observed));
	ck_assert(q->todo && q->observed);
	for (size_t k = 0; k < sample.n; k++) {
		q->todo[q->ntodo++] = k;
		memset(&q->run->results[k].obs, 0xff, sizeof(q->run->results[k].obs)); /* none is taken for measured */
	}
}

static enum bc_status dispatch(size_t ncases, const char *mode, const char *bad, unsigned timeout_s,
			       unsigned inactivity_s)
{
	const char *argv[] = { "/bin/sh", BC_TEST_DATA "/run/worker.sh", mode, bad, log_path, NULL };
	const struct bc_dispatch_options o = { .timeout_s = timeout_s,
					       .inactivity_s = inactivity_s,
					       .argv = argv,
					       .result = on_result,
					       .death = on_death,
					       .ctx = &seen,
					       .signal_caught = &caught };

	bc_sample_init(&sample, ncases);
	fill_queue(0);
	return bc_dispatch(queue, 1, &o, &err);
}

/* Lines of the worker's log that are @word. */
static unsigned logged(const char *word)
{
	char line[256];
	unsigned n = 0;
	FILE *f = fopen(log_path, "r");

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		n += strcmp(line, word) == 0;
	}
	if (f)
		(void)fclose(f);
	return n;
}

static const struct bc_observation *obs(size_t i)
{
	return &sample.devices[0].results[i].obs;
}

/* Every case has one observation, all but those from @first to @last are measured. */
static void others_are_measured(size_t first, size_t last)
{
	ck_assert_uint_eq(seen.n, sample.n);
	for (size_t i = 0; i < sample.n; i++) {
		ck_assert_str_eq(obs(i)->id, sample.cases[i].id);
		ck_assert(queue[0].observed[i]);
		if (i < first || i > last)
			ck_assert_msg(obs(i)->outcome == BC_RAN && obs(i)->data_ok, "%s: %s", obs(i)->id,
				      obs(i)->reason);
	}
}

/* --- all is well ----------------------------------------------------------------------------------------------- */

START_TEST(every_case_is_measured_once)
{
	static const size_t sizes[] = { 0, 1, BC_BATCH_MAX, 2 * BC_BATCH_MAX + 1 };
	const size_t n = sizes[_i];

	ck_assert_int_eq(dispatch(n, "good", "", 10, 10), BC_OK);
	others_are_measured(n, n);
	ck_assert_uint_eq(logged("start"), n > 0); /* no case, no worker */
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(logged(sample.cases[i].id), 1);
	ck_assert(n == 0 || seen.last == n - 1);
	ck_assert_uint_eq(sample.devices[0].images_hash, n ? 0xabcd : 0x1234);
	ck_assert_str_eq(sample.devices[0].facts.name,
			 n ? "Invented GPU" : "NVIDIA H200"); /* as the opened device says */
}
END_TEST

START_TEST(devices_run_side_by_side)
{
	const char *argv[] = { "/bin/sh", BC_TEST_DATA "/run/worker.sh", "good", "", log_path, NULL };
	const struct bc_dispatch_options o = { .timeout_s = 10,
					       .inactivity_s = 10,
					       .argv = argv,
					       .result = on_result,
					       .ctx = &seen,
					       .signal_caught = &caught };

	bc_sample_init(&sample, 30);
	(void)bc_sample_add(&sample, BC_DEVICE_REFERENCE, "sm_80", "reference_sm_80");
	fill_queue(0);
	fill_queue(1);
	ck_assert_int_eq(bc_dispatch(queue, 2, &o, &err), BC_OK);
	ck_assert_uint_eq(seen.n, 60);
	ck_assert_uint_eq(logged("start"), 2);
	for (size_t k = 0; k < 30; k++)
		ck_assert(sample.devices[0].results[k].obs.data_ok && sample.devices[1].results[k].obs.data_ok);
}
END_TEST

/* --- one case takes its worker down ---------------------------------------------------------------------------- */

static const struct {
	const char *mode;
	enum bc_outcome outcome;
	const char *reason;
} accidents[] = {
	{ "crash", BC_LOST_WORKER, "the worker ended: signal SIGSEGV" },
	{ "exit", BC_LOST_WORKER, "the worker ended: exit status 3" },
	{ "quit", BC_LOST_WORKER, "the worker ended: exit status 0" },
	{ "failed", BC_TOOL_ERROR, "cudaDeviceSynchronize: cudaErrorIllegalAddress: stride/ld_b32/3" },
	{ "dead", BC_LOST_WORKER, "cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700): stride/ld_b32/3" },
	{ "words", BC_LOST_WORKER, "the worker sent `Segmentation fault (core dumped)`, which is unexpected here" },
	{ "tabs", BC_LOST_WORKER, "message obs: a field without `=`" },
	{ "endless", BC_LOST_WORKER, "a line without end" },
	{ "early", BC_LOST_WORKER, "ended its batch without a result of stride/ld_b32/3" },
	{ "stranger", BC_LOST_WORKER, "not/a/case, which is not in its batch" },
	{ "torn", BC_LOST_WORKER, "message obs: attempts is missing" },
	{ "broken", BC_TOOL_ERROR, "no kernel" }, /* measured, with a bad end of its own */
};

START_TEST(the_guilty_case_is_found)
{
	ck_assert_int_eq(dispatch(8, accidents[_i].mode, "stride/ld_b32/3", 10, 10), BC_OK);
	others_are_measured(3, 3);
	ck_assert_msg(obs(3)->outcome == accidents[_i].outcome, "%s: outcome %d", accidents[_i].mode, obs(3)->outcome);
	ck_assert_msg(strstr(obs(3)->reason, accidents[_i].reason), "%s: %s", accidents[_i].mode, obs(3)->reason);
	/* neighbours are not measured again once they have their observation */
	for (size_t i = 0; i < 3; i++)
		ck_assert_uint_eq(logged(sample.cases[i].id), 1);
}
END_TEST

START_TEST(a_second_answer_ends_the_worker_and_costs_nothing)
{
	ck_assert_int_eq(dispatch(8, "twice", "stride/ld_b32/3", 10, 10), BC_OK);
	others_are_measured(8, 8);
	ck_assert_uint_eq(seen.ndeaths, 1); /* but it is told */
	ck_assert_str_eq(seen.death.during, "4 cases, from ways/st_b32/4 to ways/st_b32/7");
	ck_assert_ptr_nonnull(strstr(seen.death.reason, "stride/ld_b32/3, which is not in its batch"));
}
END_TEST

START_TEST(a_worker_that_failed_and_hangs_is_ended)
{
	ck_assert_int_eq(dispatch(1, "failed_hangs", "*", 60, 60), BC_OK);
	ck_assert_int_eq(obs(0)->outcome, BC_TOOL_ERROR);
	ck_assert_str_eq(obs(0)->reason, "sticky: stride/ld_b32/0");
}
END_TEST

START_TEST(the_only_case_may_be_the_guilty_one)
{
	ck_assert_int_eq(dispatch(1, "crash", "*", 10, 10), BC_OK);
	ck_assert_int_eq(obs(0)->outcome, BC_LOST_WORKER);
	ck_assert_uint_eq(logged("start"), 1);
}
END_TEST

/* A worker that answers when its whole batch is measured: a batch is halved, and halved again. */
START_TEST(a_batch_is_halved)
{
	static const size_t guilty[] = { 0, 41, 63 };
	const size_t n = guilty[_i];
	char id[32];

	ck_assert_uint_ge(BC_BATCH_MAX, 64);
	(void)snprintf(id, sizeof(id), n < 32 ? "stride/ld_b32/%zu" : "ways/st_b32/%zu", n);
	ck_assert_int_eq(dispatch(64, "late", id, 10, 10), BC_OK);
	others_are_measured(n, n);
	ck_assert_int_eq(obs(n)->outcome, BC_LOST_WORKER);
	ck_assert_uint_le(logged("start"), 8); /* 64, 32, 16, 8, 4, 2, 1, and one for what is left */
	ck_assert_uint_eq(seen.ndeaths, 7);    /* none of them is forgotten */
	ck_assert_str_eq(seen.death.during, id);
}
END_TEST

/* Each event once, whoever told of it; the state of the last worker does not wash it away. */
START_TEST(events_are_kept)
{
	ck_assert_int_eq(dispatch(2 * BC_BATCH_MAX + 1, "events", "", 10, 10), BC_OK);
	ck_assert_str_eq(sample.devices[0].events, "Xid 63");
}
END_TEST

/* One that another begins with is an event of its own. */
START_TEST(like_events_are_told_apart)
{
	ck_assert_int_eq(dispatch(2 * BC_BATCH_MAX + 1, "prefix", "", 10, 10), BC_OK);
	ck_assert_str_eq(sample.devices[0].events, "Xid 63; Xid 6");
}
END_TEST

START_TEST(last_words_have_events)
{
	ck_assert_int_eq(dispatch(8, "dead", "*/[36]", 10, 10), BC_OK);
	ck_assert_int_eq(obs(3)->outcome, BC_LOST_WORKER);
	ck_assert_int_eq(obs(6)->outcome, BC_LOST_WORKER);
	ck_assert_str_eq(sample.devices[0].events, "Xid 31");
	ck_assert_uint_ge(seen.ndeaths, 2);
	ck_assert_str_eq(seen.death.events, "Xid 31"); /* of this worker */
}
END_TEST

/* --- hanging --------------------------------------------------------------------------------------------------- */

START_TEST(a_case_has_a_limit)
{
	ck_assert_int_eq(dispatch(1, "hang", "*", 1, 60), BC_OK);
	ck_assert_int_eq(obs(0)->outcome, BC_LOST_WORKER);
	ck_assert_str_eq(obs(0)->reason, "hung: no result within the limit of 1 s");
}
END_TEST

/* A batch has the sum of its cases' limits. */
START_TEST(a_batch_has_the_sum)
{
	ck_assert_int_eq(dispatch(4, "slow", "*", 1, 60), BC_OK);
	others_are_measured(4, 4);
	ck_assert_uint_eq(logged("start"), 1);
}
END_TEST

START_TEST(a_silent_worker_is_hung)
{
	ck_assert_int_eq(dispatch(3, "hang", "stride/ld_b32/1", 60, 1), BC_OK);
	others_are_measured(1, 1);
	ck_assert_int_eq(obs(1)->outcome, BC_LOST_WORKER);
	ck_assert_str_eq(obs(1)->reason, "hung: the worker sent nothing for 1 s");
	ck_assert_uint_eq(seen.ndeaths, 2); /* with two cases in hand, and with the one */
	ck_assert_str_eq(seen.death.reason, obs(1)->reason);
}
END_TEST

/* --- the device is at fault ------------------------------------------------------------------------------------ */

START_TEST(three_deaths_in_a_row_end_a_device)
{
	static const struct {
		const char *mode, *reason;
	} ways[] = { { "crash", "the worker ended: signal SIGSEGV" },
		     { "dead", "cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700): stride/ld_b32/" } };

	ck_assert_int_eq(dispatch(40, ways[_i].mode, "*", 10, 10), BC_OK);
	ck_assert_uint_eq(seen.n, 40);
	for (size_t i = 0; i < 40; i++) {
		const char *want =
			i < 3 ? ways[_i].reason : "device abandoned: three cases in a row took their worker down";

		ck_assert_int_eq(obs(i)->outcome, BC_LOST_WORKER);
		ck_assert_msg(strncmp(obs(i)->reason, want, strlen(want)) == 0, "%s: %s", ways[_i].mode,
			      obs(i)->reason);
	}
}
END_TEST

START_TEST(deaths_with_passes_between_do_not)
{
	ck_assert_int_eq(dispatch(12, "crash", "*[02468]", 10, 10), BC_OK);
	ck_assert_uint_eq(seen.n, 12);
	for (size_t i = 0; i < 12; i++)
		ck_assert_int_eq(obs(i)->outcome, i % 2 ? BC_RAN : BC_LOST_WORKER);
}
END_TEST

START_TEST(a_device_that_does_not_open_breaks_its_cases)
{
	ck_assert_int_eq(dispatch(5, "noopen", "", 10, 10), BC_OK);
	ck_assert_uint_eq(seen.n, 5);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_int_eq(obs(i)->outcome, BC_TOOL_ERROR);
		ck_assert_str_eq(obs(i)->reason, "the device could not be opened: cuInit: CUDA_ERROR_NO_DEVICE");
	}
	ck_assert_uint_eq(logged("start"), 1);
	ck_assert_uint_eq(seen.ndeaths, 0); /* it said so itself */
}
END_TEST

START_TEST(a_worker_that_dies_while_it_opens_has_a_successor)
{
	ck_assert_int_eq(dispatch(5, "opendies1", "", 10, 10), BC_OK);
	others_are_measured(5, 5);
	ck_assert_uint_eq(logged("start"), 2);
	ck_assert_uint_eq(seen.ndeaths, 1);
	ck_assert_str_eq(seen.death.reason, "the worker ended: signal SIGKILL");
	ck_assert_str_eq(seen.death.during, "opening the device");
}
END_TEST

START_TEST(two_that_die_while_they_open_break_the_cases)
{
	ck_assert_int_eq(dispatch(5, "opendies", "", 10, 10), BC_OK);
	ck_assert_uint_eq(logged("start"), 2);
	ck_assert_uint_eq(seen.ndeaths, 2);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_int_eq(obs(i)->outcome, BC_TOOL_ERROR);
		ck_assert_str_eq(obs(i)->reason, "the device could not be opened: the worker ended: signal SIGKILL");
	}
}
END_TEST

START_TEST(a_device_that_does_not_come_back_is_given_up)
{
	ck_assert_int_eq(dispatch(6, "once", "stride/ld_b32/2", 10, 10), BC_OK);
	ck_assert_uint_eq(seen.n, 6);
	for (size_t i = 0; i < 6; i++)
		ck_assert_int_eq(obs(i)->outcome, i < 2 ? BC_RAN : BC_LOST_WORKER);
	ck_assert_str_eq(obs(5)->reason,
			 "device abandoned: it did not come back after its worker was lost: it fell off the bus");
}
END_TEST

/* --- a profiler's library that does not refuse ------------------------------------------------------------------- */

static const struct {
	const char *mode, *why;
} crashes[] = {
	{ "cupti_open_segv", "the worker ended: signal SIGSEGV" },
	{ "cupti_open_exit", "the worker ended: exit status 1" },
	{ "cupti_open_hang", "hung: " },
	{ "cupti_first_segv", "the worker ended: signal SIGSEGV" },
	{ "cupti_first_abort", "the worker ended: signal SIGABRT" },
	{ "cupti_first_hang", "hung: the worker sent nothing for 1 s" },
};

/* The run goes on without counters: every case is measured, none is lost, and the device's facts say why. */
START_TEST(cupti_that_crashes_is_left_alone)
{
	const bool hangs = strstr(crashes[_i].mode, "hang") != NULL;

	ck_assert_int_eq(dispatch(BC_BATCH_MAX + 3, crashes[_i].mode, "", 10, hangs ? 1 : 10), BC_OK);
	others_are_measured(sample.n, sample.n);
	ck_assert_uint_eq(logged("start"), 2);
	ck_assert_uint_eq(logged("without counters"), 1);
	for (size_t i = 0; i < sample.n; i++)
		ck_assert_uint_eq(logged(sample.cases[i].id), 1);
	ck_assert_msg(strstr(sample.devices[0].facts.counters_absent, "CUPTI") &&
			      strstr(sample.devices[0].facts.counters_absent, crashes[_i].why),
		      "%s: %s", crashes[_i].mode, sample.devices[0].facts.counters_absent);
	ck_assert(!queue[0].abandoned && queue[0].deaths_in_row == 0);
}
END_TEST

/* Without counters a worker that dies is a worker that dies: the guilty case is found. */
START_TEST(a_case_may_be_guilty_without_counters_too)
{
	ck_assert_int_eq(dispatch(8, "cupti_first_segv", "stride/ld_b32/3", 10, 10), BC_OK);
	others_are_measured(3, 3);
	ck_assert_int_eq(obs(3)->outcome, BC_LOST_WORKER);
	ck_assert_str_eq(obs(3)->reason, "the worker ended: signal SIGSEGV");
	ck_assert_uint_eq(logged("without counters"), logged("start") - 1);
}
END_TEST

/* Not the library's doing: what the worker says itself, and SIGKILL. */
START_TEST(not_every_death_in_cupti_is_cuptis)
{
	static const char *const modes[] = { "cupti_first_says", "cupti_first_kill" };

	ck_assert_int_eq(dispatch(4, modes[_i], "", 10, 10), BC_OK);
	ck_assert_uint_eq(seen.n, sample.n);
	ck_assert_uint_eq(logged("without counters"), 0);
	ck_assert_str_eq(queue[0].counters_off, "");
	ck_assert_int_eq(obs(0)->outcome, BC_LOST_WORKER);
}
END_TEST

START_TEST(a_worker_that_cannot_start_breaks_its_cases)
{
	const char *argv[] = { "/nonexistent/bankcheck", "worker", NULL };
	const struct bc_dispatch_options o = { .timeout_s = 10,
					       .inactivity_s = 10,
					       .argv = argv,
					       .result = on_result,
					       .ctx = &seen,
					       .signal_caught = &caught };

	bc_sample_init(&sample, 2);
	fill_queue(0);
	ck_assert_int_eq(bc_dispatch(queue, 1, &o, &err), BC_OK);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(obs(i)->outcome, BC_TOOL_ERROR);
		ck_assert_msg(strstr(obs(i)->reason, "could not be opened: the worker ended: exit status 127"), "%s",
			      obs(i)->reason);
	}
}
END_TEST

/* --- stopping -------------------------------------------------------------------------------------------------- */

START_TEST(a_signal_leaves_the_rest_lost)
{
	seen.stop_after = 4;
	ck_assert_int_eq(dispatch(300, "good", "", 10, 10), BC_OK);
	ck_assert_uint_eq(seen.n, 300); /* each case has its one result */
	for (size_t i = 0; i < 300; i++) {
		ck_assert_str_eq(obs(i)->id, sample.cases[i].id);
		ck_assert_msg(i >= 4 || obs(i)->outcome == BC_RAN, "%s: %s", obs(i)->id, obs(i)->reason);
		if (obs(i)->outcome != BC_RAN)
			ck_assert_str_eq(obs(i)->reason, "interrupted");
	}
	ck_assert_int_eq(obs(299)->outcome, BC_LOST_WORKER);
}
END_TEST

static void on_alarm(int sig)
{
	caught = sig;
}

/* The signal comes while the only worker hangs: it is not waited for. */
START_TEST(a_signal_ends_a_hanging_worker)
{
	const struct sigaction act = { .sa_handler = on_alarm };
	const struct itimerspec soon = { .it_value = { .tv_nsec = 300000000 } };
	timer_t timer;
	double before;

	ck_assert_int_eq(sigaction(SIGUSR1, &act, NULL), 0);
	ck_assert_int_eq(timer_create(CLOCK_MONOTONIC,
				      &(struct sigevent){ .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 },
				      &timer),
			 0);
	ck_assert_int_eq(timer_settime(timer, 0, &soon, NULL), 0);
	before = bc_now();
	ck_assert_int_eq(dispatch(2, "hang", "*", 60, 60), BC_OK);
	ck_assert_double_lt(bc_now() - before, 10);
	ck_assert_str_eq(obs(0)->reason, "interrupted");
	ck_assert_str_eq(obs(1)->reason, "interrupted");
	(void)timer_delete(timer);
}
END_TEST

START_TEST(a_result_that_cannot_be_kept_stops_everything)
{
	seen.fail_after = 3;
	ck_assert_int_eq(dispatch(300, "good", "", 10, 10), BC_EWRITE);
	ck_assert_str_eq(err.msg, "the journal is full");
	ck_assert_uint_eq(seen.n, 3);
}
END_TEST

Suite *bc_test_dispatch(void)
{
	Suite *s = suite_create("dispatch");
	TCase *tc = tcase_create("dispatch");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, every_case_is_measured_once, 0, 4);
	tcase_add_test(tc, devices_run_side_by_side);
	tcase_add_loop_test(tc, the_guilty_case_is_found, 0, (int)BC_ARRAY_LEN(accidents));
	tcase_add_test(tc, a_second_answer_ends_the_worker_and_costs_nothing);
	tcase_add_test(tc, a_worker_that_failed_and_hangs_is_ended);
	tcase_add_test(tc, the_only_case_may_be_the_guilty_one);
	tcase_add_loop_test(tc, a_batch_is_halved, 0, 3);
	tcase_add_test(tc, events_are_kept);
	tcase_add_test(tc, like_events_are_told_apart);
	tcase_add_test(tc, last_words_have_events);
	tcase_add_test(tc, a_case_has_a_limit);
	tcase_add_test(tc, a_batch_has_the_sum);
	tcase_add_test(tc, a_silent_worker_is_hung);
	tcase_add_loop_test(tc, three_deaths_in_a_row_end_a_device, 0, 2);
	tcase_add_test(tc, deaths_with_passes_between_do_not);
	tcase_add_test(tc, a_device_that_does_not_open_breaks_its_cases);
	tcase_add_test(tc, a_worker_that_dies_while_it_opens_has_a_successor);
	tcase_add_test(tc, two_that_die_while_they_open_break_the_cases);
	tcase_add_test(tc, a_device_that_does_not_come_back_is_given_up);
	tcase_add_test(tc, a_worker_that_cannot_start_breaks_its_cases);
	tcase_add_loop_test(tc, cupti_that_crashes_is_left_alone, 0, (int)BC_ARRAY_LEN(crashes));
	tcase_add_test(tc, a_case_may_be_guilty_without_counters_too);
	tcase_add_loop_test(tc, not_every_death_in_cupti_is_cuptis, 0, 2);
	tcase_add_test(tc, a_signal_leaves_the_rest_lost);
	tcase_add_test(tc, a_signal_ends_a_hanging_worker);
	tcase_add_test(tc, a_result_that_cannot_be_kept_stops_everything);
	suite_add_tcase(s, tc);
	return s;
}
