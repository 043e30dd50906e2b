/* SPDX-License-Identifier: MIT */
#include "harness/report/console.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/tests/report/report_sample.h"

Suite *bc_test_console(void);

static struct bc_error err;
static struct bc_sample sample;
static struct bc_console *c;
static struct bc_console_options o;
static struct bc_paths paths;
static char *mem;
static size_t mem_len, mark;

static void setup(void)
{
	bc_sample_init(&sample, 9);
	o = (struct bc_console_options){ .out = open_memstream(&mem, &mem_len), .width = 80 };
	ck_assert_ptr_nonnull(o.out);
}

static void teardown(void)
{
	bc_console_close(c);
	c = NULL;
	if (o.out)
		(void)fclose(o.out);
	free(mem);
	mem = NULL;
	mark = 0;
	bc_paths_release(&paths);
	bc_sample_release(&sample);
}

static void open_console(void)
{
	ck_assert_int_eq(bc_console_open(&o, &c, &err), BC_OK);
}

/* What was written since forget(); NUL-terminated. */
static const char *seen(void)
{
	ck_assert_int_eq(fflush(o.out), 0);
	return mem + mark;
}

static void forget(void)
{
	(void)seen();
	mark = mem_len;
}

static const struct {
	enum bc_verdict v;
	const char *line; /* without options; NULL: none */
	const char *verbose;
} lines[] = {
	{ BC_PASS, NULL, "PASS     sm_90 stride/ld_b32/0\n" },
	{ BC_FAIL, "FAIL     sm_90 stride/ld_b32/0: m 1\n", "FAIL     sm_90 stride/ld_b32/0: m 1\n" },
	{ BC_DISAGREE, "DISAGREE sm_90 stride/ld_b32/0: m 1\n", "DISAGREE sm_90 stride/ld_b32/0: m 1\n" },
	{ BC_BROKEN, "BROKEN   sm_90 stride/ld_b32/0: m 1\n", "BROKEN   sm_90 stride/ld_b32/0: m 1\n" },
	{ BC_LOST, "LOST     sm_90 stride/ld_b32/0: m 1\n", "LOST     sm_90 stride/ld_b32/0: m 1\n" },
	{ BC_UNJUDGED, "UNJUDGED sm_90 stride/ld_b32/0: m 1\n", "UNJUDGED sm_90 stride/ld_b32/0: m 1\n" },
	{ BC_XPASS, "XPASS    sm_90 stride/ld_b32/0: m 1\n", "XPASS    sm_90 stride/ld_b32/0: m 1\n" },
	{ BC_SKIP, NULL, "SKIP     sm_90 stride/ld_b32/0: m 1\n" },
	{ BC_XFAIL, NULL, "XFAIL    sm_90 stride/ld_b32/0: m 1\n" },
};

START_TEST(a_finding_is_one_line)
{
	const char *message = lines[_i].v == BC_PASS ? "" : "m 1";

	bc_sample_set(&sample, 0, 0, lines[_i].v, message);
	for (int mode = 0; mode < 4; mode++) { /* bit 0: verbose, bit 1: quiet, which wins */
		const char *want = mode == 1 ? lines[_i].verbose : lines[_i].line;

		o.verbose = mode & 1;
		o.quiet = mode & 2;
		open_console();
		bc_console_result(c, &sample.devices[0], &sample.devices[0].results[0]);
		ck_assert_msg(strcmp(seen(), want ? want : "") == 0, "mode %d: %s", mode, seen());
		bc_console_close(c);
		forget();
	}
	c = NULL;
}
END_TEST

START_TEST(a_message_cannot_move_the_cursor)
{
	bc_sample_set(&sample, 0, 0, BC_FAIL, "a\033[2J\nFAIL b\r\xff");
	open_console();
	bc_console_result(c, &sample.devices[0], &sample.devices[0].results[0]);
	ck_assert_str_eq(seen(), "FAIL     sm_90 stride/ld_b32/0: a\\x1b[2J\\nFAIL b\\r\\xff\n");
}
END_TEST

START_TEST(colour_is_asked_for)
{
	bc_sample_set(&sample, 0, 0, BC_FAIL, "m");
	o.color = true;
	open_console();
	bc_console_result(c, &sample.devices[0], &sample.devices[0].results[0]);
	ck_assert_str_eq(seen(), "\033[31mFAIL    \033[0m sm_90 stride/ld_b32/0: m\n");
}
END_TEST

START_TEST(the_devices_come_first)
{
	open_console();
	bc_console_begin(c, &sample.run);
	ck_assert_str_eq(seen(), "bankcheck " BC_VERSION " on 1 GPU\n"
				 "cuda:0  NVIDIA H200, sm_90, driver 580.159.04, CUDA 13.0, CUPTI 13.0.85; "
				 "expectations confirmed NVIDIA H200, 580.159.04, 2026-11\n");
}
END_TEST

START_TEST(what_a_device_lacks_is_said)
{
	(void)bc_strlcpy(sample.devices[0].facts.counters_absent, "no permission\033",
			 sizeof(sample.devices[0].facts.counters_absent));
	(void)bc_strlcpy(sample.devices[0].facts.clock_absent, "throttled",
			 sizeof(sample.devices[0].facts.clock_absent));
	(void)bc_strlcpy(sample.devices[0].note, "another process is on the GPU", sizeof(sample.devices[0].note));
	(void)bc_strlcpy(sample.devices[0].facts.name, "Evil\nGPU", sizeof(sample.devices[0].facts.name));
	open_console();
	bc_console_begin(c, &sample.run);
	ck_assert_ptr_nonnull(strstr(seen(), "  Evil\\nGPU, sm_90"));
	ck_assert_ptr_nonnull(strstr(mem, "\n  no counters: no permission\\x1b\n  no clock: throttled\n"
					  "  another process is on the GPU\n"));
}
END_TEST

/* A GPU tells at its opening, after the beginning, that it has no counters: then the summary says so; once is enough.
 */
START_TEST(counters_that_turn_out_to_be_absent_are_said)
{
	struct bc_device_run *d = &sample.devices[0];

	for (size_t i = 0; i < d->nresults; i++) {
		d->results[i].obs.attempts = 0;
		(void)bc_strlcpy(d->results[i].obs.counters_absent, "no permission", 20);
	}
	if (_i)
		(void)bc_strlcpy(d->facts.counters_absent, "no permission", sizeof(d->facts.counters_absent));
	open_console();
	bc_console_begin(c, &sample.run);
	(void)bc_strlcpy(d->facts.counters_absent, "no permission", sizeof(d->facts.counters_absent));
	ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
	(void)seen();
	ck_assert_msg((strstr(mem, " judged without counters: no permission\n") != NULL) == (_i == 0), "%s", mem);
	ck_assert_msg((strstr(mem, "  no counters: no permission\n") != NULL) == (_i == 1), "%s", mem);
}
END_TEST

/* A case that passes in the second try passes, and it is told: at the end, and with -v at the case. */
START_TEST(what_was_read_again_is_said)
{
	struct bc_device_run *d = &sample.devices[0];

	for (size_t i = 0; i < 2; i++)
		(void)bc_strlcpy(d->results[i].obs.read_again, "the baseline of ld8", BC_REASON_MAX);
	bc_sample_set(&sample, 0, 0, BC_PASS, "");
	o.verbose = true;
	open_console();
	bc_console_result(c, d, &d->results[0]);
	ck_assert_str_eq(seen(), "PASS     sm_90 stride/ld_b32/0: read again: the baseline of ld8\n");
	ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
	ck_assert_msg(strstr(seen(), "cuda:0: 2 of ") && strstr(mem, " read again: the baseline of ld8\n"), "%s", mem);
}
END_TEST

START_TEST(what_the_gpu_told_of_is_said)
{
	open_console();
	ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
	ck_assert_ptr_null(strstr(seen(), "told of"));
	(void)bc_strlcpy(sample.devices[0].events, "Xid 63\033", sizeof(sample.devices[0].events));
	ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
	ck_assert_ptr_nonnull(strstr(seen(), "\ncuda:0: the GPU told of Xid 63\\x1b\n"));
}
END_TEST

/* One that a script or a person looks at first: the first line. */
START_TEST(the_first_line_says_reference_device)
{
	char *line;

	if (_i == 0) /* the reference device alone, else a GPU and it */
		sample.run.ndevices = 0;
	free(sample.devices[_i].results);
	(void)bc_sample_add(&sample, BC_DEVICE_REFERENCE, "sm_90", "reference_sm_90");
	if (_i == 1)
		(void)bc_sample_add(&sample, BC_DEVICE_REFERENCE, "sm_80", "reference_sm_80");
	open_console();
	bc_console_begin(c, &sample.run);
	(void)seen();
	line = strtok(mem, "\n");
	if (_i == 0)
		ck_assert_str_eq(line, "bankcheck " BC_VERSION
				       ": this is the reference device, not hardware: its counters are the bank laws");
	else
		ck_assert_str_eq(line, "bankcheck " BC_VERSION
				       " on 1 GPU and on the reference device, which is not hardware: its counters "
				       "are the bank laws");
}
END_TEST

START_TEST(quiet_is_quiet)
{
	o.quiet = o.tty = true;
	open_console();
	bc_console_begin(c, &sample.run);
	bc_console_progress(c, 1, 9, "a/b/c");
	bc_console_result(c, &sample.devices[0], &sample.devices[0].results[0]);
	ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
	ck_assert_str_eq(seen(), "");
}
END_TEST

START_TEST(no_terminal_no_bar)
{
	open_console();
	bc_console_progress(c, 1, 9, "a/b/c");
	bc_console_erase(c);
	ck_assert_str_eq(seen(), "");
}
END_TEST

static const struct {
	unsigned width;
	size_t done, total;
	const char *now, *want;
} bars[] = {
	{ 80, 0, 4, "", "[.......................................] 0/4" },
	{ 80, 2, 4, "a/b/c", "[###################....................] 2/4 a/b/c" },
	{ 80, 4, 4, "", "[#######################################] 4/4" },
	{ 80, 0, 0, "", "[.......................................] 0/0" },
	{ 200, 1, 2, "", "[####################....................] 1/2" },
	{ 31, 1, 3, "stride/ld_b32/2", "[#####..........] 1/3 stride/l" },
	{ 12, 1, 2, "x", "[##...] 1/2" },
	{ 11, 1, 2, "x", "[##..] 1/2" },
	{ 8, 10, 20, "x", "10/20 x" },
	{ 4, 10, 20, "x", "10/" },
	{ 1, 10, 20, "x", "" },
	{ 80, 1, 4, "\033\n\xff", "[#########..............................] 1/4 ???" },
};

START_TEST(a_bar_fits_its_line)
{
	o.tty = true;
	o.width = bars[_i].width;
	open_console();
	bc_console_progress(c, bars[_i].done, bars[_i].total, bars[_i].now);
	ck_assert_str_eq(seen() + 1, bars[_i].want);
	ck_assert_int_eq(mem[0], '\r');
	ck_assert_uint_lt(strlen(mem + 1), bars[_i].width);
}
END_TEST

START_TEST(a_shorter_bar_covers_the_longer)
{
	o.tty = true;
	o.width = 20;
	open_console();
	bc_console_progress(c, 1, 8, "a/b");
	ck_assert_str_eq(seen(), "\r[#........] 1/8 a/b");
	bc_console_progress(c, 8, 8, "");
	ck_assert_str_eq(seen(), "\r[#........] 1/8 a/b\r[#########] 8/8    ");
	forget();
	bc_console_erase(c);
	ck_assert_str_eq(seen(), "\r               \r");
	forget();
	bc_console_erase(c); /* once */
	ck_assert_str_eq(seen(), "");
}
END_TEST

START_TEST(a_bar_gives_way_to_a_finding)
{
	o.tty = true;
	o.width = 20;
	bc_sample_set(&sample, 0, 0, BC_FAIL, "m");
	open_console();
	bc_console_progress(c, 1, 8, "");
	forget();
	bc_console_result(c, &sample.devices[0], &sample.devices[0].results[0]);
	ck_assert_str_eq(seen(), "\r               \rFAIL     sm_90 stride/ld_b32/0: m\n");
	forget();
	bc_console_result(c, &sample.devices[0], &sample.devices[0].results[1]); /* a pass leaves the bar alone */
	ck_assert_str_eq(seen(), "");
	bc_console_progress(c, 8, 8, "");
	forget();
	ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
	ck_assert_int_eq(strncmp(seen(), "\r               \r\n9 cases", 24), 0);
}
END_TEST

/* Pass all results, with a wait before the one at @wait. Return: what that wrote. */
static const char *pass_all(size_t wait)
{
	const struct timespec longer = { .tv_nsec = 30000000 };

	open_console();
	bc_console_begin(c, &sample.run);
	forget();
	for (size_t i = 0; i < 9; i++) {
		if (i == wait)
			(void)nanosleep(&longer, NULL);
		bc_console_result(c, &sample.devices[0], &sample.devices[0].results[i]);
	}
	bc_console_close(c);
	c = NULL;
	return seen();
}

/* Where there is no bar, a line now and then says how far a device is. */
START_TEST(a_file_gets_lines)
{
	o.lines_ms = 25;
	ck_assert_str_eq(pass_all(2), "cuda:0: 3 of 9 cases after 0 s\n");
	ck_assert_str_eq(pass_all(8), ""); /* the summary comes at once */
	o.verbose = true;
	ck_assert_ptr_null(strstr(pass_all(2), " of 9"));
	o.verbose = false;
	o.quiet = true;
	ck_assert_str_eq(pass_all(2), "");
	o.quiet = false;
	o.tty = true;
	ck_assert_str_eq(pass_all(2), "");
	o.tty = false;
	o.lines_ms = 0;
	ck_assert_str_eq(pass_all(2), "");
	o.lines_ms = 60000; /* as bc_console_detect has it */
	ck_assert_str_eq(pass_all(2), "");
}
END_TEST

START_TEST(a_bar_is_not_drawn_too_often)
{
	o.tty = true;
	o.redraw_ms = 600000;
	open_console();
	bc_console_progress(c, 1, 8, "");
	forget();
	bc_console_progress(c, 2, 8, "");
	ck_assert_str_eq(seen(), "");
	bc_console_progress(c, 8, 8, ""); /* the end is always drawn */
	ck_assert_ptr_nonnull(strstr(seen(), "8/8"));
}
END_TEST

START_TEST(the_summary_has_all)
{
	bc_sample_set(&sample, 0, 1, BC_FAIL, "m");
	bc_sample_set(&sample, 0, 2, BC_SKIP, "m");
	bc_sample_set(&sample, 0, 8, BC_LOST, "m");
	(void)bc_sample_add(&sample, BC_DEVICE_CUDA, "sm_90", "sm_90_cuda1");
	(void)bc_strlcpy(sample.devices[1].rerun, "'./my bankcheck' run --device cuda:1",
			 sizeof(sample.devices[1].rerun));
	(void)bc_strlcpy(sample.cases[1].id, "it's/a/case", sizeof(sample.cases[1].id));
	bc_sample_set(&sample, 1, 1, BC_XPASS, "m");
	ck_assert_int_eq(bc_paths_add(&paths, "reports/sm_90.xml", &err), BC_OK);
	open_console();
	ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
	ck_assert_str_eq(seen(), "\n18 cases: 14 PASS, 1 FAIL, 1 LOST, 1 SKIP, 1 XPASS\n"
				 "time:   12.346 s\n"
				 "report: reports/sm_90.xml\n"
				 "run again:\n"
				 "  bankcheck run --device cuda:0 --filter 'it'\\''s/a/case'\n"
				 "  bankcheck run --device cuda:0 --filter ways/st_b32/8\n"
				 "  './my bankcheck' run --device cuda:1 --filter 'it'\\''s/a/case'\n");
}
END_TEST

static size_t times(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* A run of thousands that is interrupted fills no screen; what is LOST for something else is always told. */
START_TEST(the_same_loss_is_told_ten_times)
{
	struct bc_result *r = &sample.devices[0].results[0];

	for (int verbose = 0; verbose < 2; verbose++) {
		forget();
		o.verbose = verbose;
		open_console();
		bc_sample_set(&sample, 0, 0, BC_LOST, "interrupted");
		for (int i = 0; i < 12; i++)
			bc_console_result(c, &sample.devices[0], r);
		bc_sample_set(&sample, 0, 0, BC_FAIL, "interrupted"); /* no LOST: it neither counts nor ends the row */
		for (int i = 0; i < 12; i++)
			bc_console_result(c, &sample.devices[0], r);
		bc_sample_set(&sample, 0, 0, BC_LOST, "signal 11");
		bc_console_result(c, &sample.devices[0], r);
		ck_assert_uint_eq(times(seen(), "LOST "), verbose ? 13 : 11);
		ck_assert_uint_eq(times(seen(), "FAIL "), verbose ? 12 : 3);
		ck_assert_uint_eq(times(seen(), "signal 11"), 1);
		forget();
		ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
		ck_assert_uint_eq(times(seen(), "LOST     2 more"), verbose ? 0 : 1);
		bc_console_close(c);
		c = NULL;
	}
}
END_TEST

/* One cause is not a thousand lines; each other cause has its own. */
START_TEST(equal_findings_are_counted)
{
	struct bc_device_run *d = &sample.devices[0];

	for (int mode = 0; mode < 3; mode++) { /* 1: quiet, 2: verbose */
		forget();
		o.quiet = mode == 1;
		o.verbose = mode == 2;
		open_console();
		for (int i = 0; i < 5; i++) {
			bc_sample_set(&sample, 0, 0, BC_FAIL, "ratio wavefronts=2; expected wavefronts=1 (x.txt:7)");
			bc_console_result(c, d, &d->results[0]);
			bc_sample_set(&sample, 0, 0, BC_FAIL, "ratio wavefronts=4; expected wavefronts=2 (x.txt:8)");
			bc_console_result(c, d, &d->results[0]);
		}
		bc_sample_set(&sample, 0, 0, BC_BROKEN, "ratio wavefronts=2; expected wavefronts=1 (x.txt:7)");
		bc_console_result(c, d, &d->results[0]);
		ck_assert_uint_eq(times(seen(), "FAIL "), mode == 2 ? 10 : 6);
		ck_assert_uint_eq(times(seen(), "BROKEN "), 1);
		forget();
		ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
		ck_assert_uint_eq(times(seen(), "FAIL     sm_90 stride/ld_b32: 2 more: 2 instead of 1 wavefronts\n"),
				  mode != 2);
		ck_assert_uint_eq(times(seen(), "FAIL     sm_90 stride/ld_b32: 2 more: 4 instead of 2 wavefronts\n"),
				  mode != 2);
		ck_assert_uint_eq(times(seen(), " more: "), mode == 2 ? 0 : 2);
		bc_console_close(c);
		c = NULL;
	}
}
END_TEST

/* One session's counters are void, and thousands of cases of all rules with them. */
START_TEST(what_is_broken_is_one_whatever_the_rule)
{
	open_console();
	for (unsigned i = 0; i < 9; i++) { /* of two rules */
		bc_sample_set(&sample, 0, i, BC_BROKEN, "counters void: the canary did not read what it must");
		bc_console_result(c, &sample.devices[0], &sample.devices[0].results[i]);
	}
	ck_assert_uint_eq(times(seen(), "BROKEN "), 3);
	forget();
	ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
	ck_assert(strncmp(seen(), "BROKEN   sm_90: 6 more: counters void\n", 38) == 0);
}
END_TEST

START_TEST(fifty_lines_to_run_again)
{
	static struct bc_result many[51];
	struct bc_device_run *d = &sample.devices[0], own = *d;

	for (size_t n = 50; n <= BC_ARRAY_LEN(many); n++) {
		for (size_t i = 0; i < n; i++) {
			many[i] = own.results[0];
			many[i].judged.verdict = BC_FAIL;
		}
		d->results = many;
		d->nresults = n;
		forget();
		open_console();
		ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
		ck_assert_uint_eq(times(seen(), "\n  bankcheck run "), 50);
		ck_assert_uint_eq(
			times(seen(), "  and 1 more, each in its report; all of a report: --rerun-failed REPORT\n"),
			n - 50);
		bc_console_close(c);
		c = NULL;
	}
	*d = own; /* for the fixture to free */
}
END_TEST

START_TEST(nothing_judged_is_said)
{
	for (size_t i = 0; i < 9; i++)
		bc_sample_set(&sample, 0, i, BC_SKIP, i % 3 == 1 ? "needs a clock" : "needs\033 counters");
	open_console();
	ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
	ck_assert_str_eq(seen(), "\n9 cases: 9 SKIP; nothing was judged\n"
				 "cuda:0: 6 SKIP: needs\\x1b counters; 3 for other reasons (-v lists them)\n"
				 "time:   12.346 s\n");
}
END_TEST

START_TEST(no_case_no_verdict)
{
	sample.devices[0].nresults = 0;
	open_console();
	ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_OK);
	ck_assert_str_eq(seen(), "\n0 cases\ntime:   12.346 s\n");
}
END_TEST

/* A full disk or a closed pipe is told, however early it happened. */
START_TEST(a_full_output_is_an_error)
{
	(void)fclose(o.out);
	o.out = fopen("/dev/full", "w");
	ck_assert_ptr_nonnull(o.out);
	open_console();
	if (_i == 0) {
		bc_console_begin(c, &sample.run);
	} else {
		bc_sample_set(&sample, 0, 0, BC_FAIL, "m");
		bc_console_result(c, &sample.devices[0], &sample.devices[0].results[0]);
	}
	o.out = freopen("/dev/null", "w", o.out); /* there is room again, but something was lost */
	ck_assert_ptr_nonnull(o.out);
	ck_assert_int_eq(bc_console_end(c, &sample.run, &paths, &err), BC_EWRITE);
	ck_assert_ptr_nonnull(strstr(err.msg, "No space left"));
}
END_TEST

/* Not a terminal: neither bar nor colour, whatever TERM says. */
START_TEST(a_pipe_is_no_terminal)
{
	FILE *null = fopen("/dev/null", "w");
	struct bc_console_options found;

	ck_assert_ptr_nonnull(null);
	ck_assert_int_eq(setenv("TERM", "xterm", 1), 0);
	found = bc_console_detect(null);
	ck_assert(!found.tty && !found.color && !found.quiet && !found.verbose);
	ck_assert_uint_eq(found.lines_ms, 60000);
	ck_assert_ptr_eq(found.out, null);
	(void)fclose(null);
}
END_TEST

static const struct {
	const char *term, *no_color;
	bool tty, color;
} terminals[] = {
	{ "xterm", NULL, true, true },	{ "xterm", "", true, true }, { "xterm", "1", true, false },
	{ "dumb", NULL, false, false }, { "", NULL, false, false },  { NULL, NULL, false, false },
};

START_TEST(a_terminal_is_asked_for)
{
	const int master = posix_openpt(O_RDWR | O_NOCTTY);
	struct bc_console_options found;
	FILE *tty;

	ck_assert_msg(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0, "no pseudo terminal here");
	tty = fopen(ptsname(master), "w");
	ck_assert_ptr_nonnull(tty);
	ck_assert_int_eq(terminals[_i].term ? setenv("TERM", terminals[_i].term, 1) : unsetenv("TERM"), 0);
	ck_assert_int_eq(terminals[_i].no_color ? setenv("NO_COLOR", terminals[_i].no_color, 1) : unsetenv("NO_COLOR"),
			 0);
	found = bc_console_detect(tty);
	ck_assert_int_eq(found.tty, terminals[_i].tty);
	ck_assert_int_eq(found.lines_ms > 0, !terminals[_i].tty);
	ck_assert_int_eq(found.color, terminals[_i].color);
	(void)fclose(tty);
	(void)close(master);
}
END_TEST

Suite *bc_test_console(void)
{
	Suite *s = suite_create("console");
	TCase *tc = tcase_create("console");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_finding_is_one_line, 0, (int)BC_ARRAY_LEN(lines));
	tcase_add_test(tc, a_message_cannot_move_the_cursor);
	tcase_add_test(tc, colour_is_asked_for);
	tcase_add_test(tc, the_devices_come_first);
	tcase_add_test(tc, what_a_device_lacks_is_said);
	tcase_add_test(tc, what_was_read_again_is_said);
	tcase_add_loop_test(tc, counters_that_turn_out_to_be_absent_are_said, 0, 2);
	tcase_add_test(tc, what_the_gpu_told_of_is_said);
	tcase_add_loop_test(tc, the_first_line_says_reference_device, 0, 2);
	tcase_add_test(tc, quiet_is_quiet);
	tcase_add_test(tc, no_terminal_no_bar);
	tcase_add_loop_test(tc, a_bar_fits_its_line, 0, (int)BC_ARRAY_LEN(bars));
	tcase_add_test(tc, a_shorter_bar_covers_the_longer);
	tcase_add_test(tc, a_bar_gives_way_to_a_finding);
	tcase_add_test(tc, a_bar_is_not_drawn_too_often);
	tcase_add_test(tc, a_file_gets_lines);
	tcase_add_test(tc, the_summary_has_all);
	tcase_add_test(tc, the_same_loss_is_told_ten_times);
	tcase_add_test(tc, equal_findings_are_counted);
	tcase_add_test(tc, what_is_broken_is_one_whatever_the_rule);
	tcase_add_test(tc, fifty_lines_to_run_again);
	tcase_add_test(tc, nothing_judged_is_said);
	tcase_add_test(tc, no_case_no_verdict);
	tcase_add_loop_test(tc, a_full_output_is_an_error, 0, 2);
	tcase_add_test(tc, a_pipe_is_no_terminal);
	tcase_add_loop_test(tc, a_terminal_is_asked_for, 0, (int)BC_ARRAY_LEN(terminals));
	suite_add_tcase(s, tc);
	return s;
}
