/* SPDX-License-Identifier: MIT */
/* The CUDA device where no GPU is: driver and CUPTI are the libraries of harness/tests/stubs/. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/tests/program.h"

Suite *bc_test_cuda_stub(void);

#ifdef BC_WITH_CUDA

#define RUN                                                                                                           \
	"run --device cuda:0 --filter stride/ld_b32/? --expected " BC_TEST_EXPECTED " --kernels . --reports reports " \
	"--inactivity 2 --timeout 20"

/* The stub goes wrong as @mode says, NULL: not. Any file serves as an image. */
static void stub(const char *mode)
{
	static const char *const images[] = { "pattern_ld", "pattern_generic", "sms", "tma" };

	bc_call.set[0][0] = "LD_LIBRARY_PATH";
	bc_call.set[0][1] = BC_TEST_STUBS;
	bc_call.set[1][0] = "BC_STUB_CUPTI";
	bc_call.set[1][1] = mode;
	bc_call.set[2][0] = "CUDA_HOME"; /* a toolkit there would come before the stub */
	bc_call.set[2][1] = NULL;
	for (size_t i = 0; i < BC_ARRAY_LEN(images); i++) {
		char path[BC_PATH_MAX + 32];
		FILE *f;

		(void)snprintf(path, sizeof(path), "%s/%s.fatbin", bc_call.dir, images[i]);
		f = fopen(path, "w");
		ck_assert(f && fputs("an image\n", f) >= 0 && fclose(f) == 0);
	}
}

static const struct {
	const char *mode, *why; /* that the output and the report give for there being no counters */
	int status;		/* a worker that died or hung is told of, and is a finding */
} libraries[] = {
	{ "open_segv", "takes down the process that calls it (the worker ended: signal SIGSEGV)", 1 },
	{ "session_segv", "takes down the process that calls it (the worker ended: signal SIGSEGV)", 1 },
	{ "session_hang", "takes down the process that calls it (hung: the worker sent nothing for 2 s)", 1 },
	{ "refuse", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35): counters need permission", 0 },
};

/* The clock carries the run: every case is judged, and the reason is told. */
START_TEST(the_clock_carries_a_run_without_cupti)
{
	struct bc_text report;

	stub(libraries[_i].mode);
	bc_run_program(RUN);
	bc_expect_status(libraries[_i].status, NULL);
	bc_expect_output(libraries[_i].why);
	report = bc_program_file(&bc_call, "reports/sm_90.xml");
	ck_assert_msg(strstr(report.data, "verdict=PASS") != NULL, "%s", report.data);
	ck_assert(!strstr(report.data, "verdict=LOST") && !strstr(report.data, "verdict=BROKEN"));
	ck_assert(strstr(report.data, "counters_absent") && strstr(report.data, "CUPTI"));
	ck_assert_ptr_null(strstr(report.data, "given up"));
	bc_text_release(&report);
}
END_TEST

/*
 * What a nightly job sees of a CUPTI that crashes: the death with its trace, which is exit status 1; where a place
 * knows of it (--flaky-ok), 0 if the clock judges every case, 4 if it cannot: counters were asked for and could not be
 * had.
 */
START_TEST(a_crash_in_cupti_is_told_and_what_only_counters_judge_is_not_green)
{
	static const char *const trace = "a worker died or hung: the worker ended: signal SIGSEGV; it had in hand: ";
	struct bc_text file;

	stub("session_segv");
	bc_run_program(RUN " --filter generic/stride_gld32/2");
	bc_expect_status(1, NULL);
	bc_expect_output(trace);
	bc_expect_output(", inside CUPTI");
	bc_expect_output("11 cases: 10 PASS, 1 SKIP; 1 not judged");
	file = bc_program_file(&bc_call, "reports/sm_90.xml");
	ck_assert_msg(strstr(file.data, "\"deaths\" value=\"1: the worker ended: signal SIGSEGV") != NULL, "%s",
		      file.data);
	ck_assert_ptr_nonnull(strstr(file.data, "no witness: counters absent: CUPTI does not refuse"));
	bc_text_release(&file);
	file = bc_program_file(&bc_call, "reports/journal.tsv");
	ck_assert_msg(strstr(file.data, "\ndeath\tdev=sm_90\treason=the worker ended: signal SIGSEGV") != NULL, "%s",
		      file.data);
	bc_text_release(&file);
	bc_run_program(RUN " --flaky-ok --filter generic/stride_gld32/2");
	bc_expect_status(4, NULL);
	bc_expect_output(trace);
	bc_run_program(RUN " --flaky-ok");
	bc_expect_status(0, NULL);
	bc_expect_output(trace);
	bc_run_program(RUN " --witness clock --filter generic/stride_gld32/2"); /* nobody calls it */
	bc_expect_status(0, NULL);
	bc_expect_output("11 cases: 10 PASS, 1 SKIP");
}
END_TEST

/* A stub that counts 0 does not pass: what the canaries are for, and that the stub is asked at all. */
START_TEST(counters_that_read_nothing_are_void)
{
	struct bc_text report;

	stub(NULL);
	bc_run_program(RUN);
	report = bc_program_file(&bc_call, "reports/sm_90.xml");
	ck_assert_msg(strstr(report.data, "counters are void") != NULL, "%s", report.data);
	bc_text_release(&report);
}
END_TEST

/* What the stub of NVML says of the board comes into the report, by the worker, the journal and the wire. */
START_TEST(the_board_is_in_the_report)
{
	static const char *const said[] = { "\"serial\" value=\"1650000000001\"",
					    "\"board_part\" value=\"900-21010-0040-000\"",
					    "\"vbios\" value=\"96.00.A5.00.01\"",
					    "\"gsp_firmware\" value=\"580.00.01\"",
					    "\"mig\" value=\"off\"",
					    "\"pcie_width\" value=\"x16 of x16\"" };

	stub("refuse");
	bc_run_program(RUN);
	for (int again = 0; again < 2; again++) {
		struct bc_text report = bc_program_file(&bc_call, "reports/sm_90.xml");

		for (size_t i = 0; i < BC_ARRAY_LEN(said); i++)
			ck_assert_msg(strstr(report.data, said[i]) != NULL, "%s: %s", said[i], report.data);
		bc_text_release(&report);
		bc_run_program("report reports/journal.tsv --expected " BC_TEST_EXPECTED);
	}
}
END_TEST

START_TEST(required_counters_are_missed)
{
	stub("session_segv");
	bc_run_program(RUN " --require counters");
	bc_expect_status(2, NULL);
	bc_expect_output("counters are required and absent");
}
END_TEST

START_TEST(devices_names_the_library_that_crashes)
{
	stub("open_segv");
	bc_run_program("devices");
	bc_expect_output("Stub GPU");
	bc_expect_output("CUPTI takes down the process that calls it: runs go on without counters");
}
END_TEST

START_TEST(metrics_tells_chips_and_counters)
{
	stub(NULL);
	bc_run_program("metrics --cupti " BC_TEST_STUBS "/libcupti.so.13");
	bc_expect_status(0, NULL);
	bc_expect_output("/libcupti.so.13, API ");
	bc_expect_output("refused  GV11B: cuptiProfilerHostInitialize: ");
	bc_expect_output("chips    2: GA102 GH100\n");
	bc_expect_output("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum       1 of 2: GH100\n");
	bc_expect_output("smsp__inst_executed_op_shared_ld.sum                               2 of 2\n");
}
END_TEST

static const struct {
	const char *mode, *words, *said;
} refusals[] = {
	{ "chips_segv", "metrics --cupti " BC_TEST_STUBS "/libcupti.so.13",
	  "CUPTI took its process down (Segmentation fault)" },
	{ "chips_refuse", "metrics --cupti " BC_TEST_STUBS "/libcupti.so.13", "cuptiProfilerHostGetSupportedChips: " },
	{ NULL, "metrics --cupti nothing.so", "--cupti ./nothing.so: " },
	{ NULL, "metrics --cupti " BC_TEST_STUBS "/libcuda.so.1", "has no function cupti" },
};

START_TEST(a_cupti_that_cannot_answer_is_named)
{
	stub(refusals[_i].mode);
	bc_run_program(refusals[_i].words);
	bc_expect_status(2, refusals[_i].said);
}
END_TEST

/* A folder of images beside a copy of the program: one image, @text, made by a CUDA release. */
static void make_images(const char *folder, const char *release, const char *text)
{
	char command[600];

	(void)snprintf(command, sizeof(command),
		       "mkdir -p %s && cd %s && echo '%s' >pattern_ld.fatbin && { printf 'release %s\\nroute "
		       "nvcc\\nnvcc %s.88\\n' && sha256sum pattern_ld.fatbin | sed 's/^/image /'; } >toolkit",
		       folder, folder, text, release, release);
	bc_shell(command);
}

#define BESIDE "run --device cuda:0 --filter stride/ld_b32/? --expected " BC_TEST_EXPECTED " --witness clock"
#define TOO_NEW_13 "kernels (CUDA 13.0) needs a driver of 580.65.06 or newer"
#define TOO_NEW_12 "kernels-12.9 (CUDA 12.9) needs a driver of 525.60.13 or newer"

static const struct {
	const char *driver; /* the release of the driver, as it says it */
	const char *first;  /* what is in the image of kernels/ */
	const char *words;  /* further ones of the command line */
	int status;
	const char *images, *toolkit; /* in the report; NULL: not there */
	const char *skip;	      /* a part of the reason why nothing ran */
} drivers[] = {
	{ "13000", "CUDA 13", "", 0, "\"kernels\"", "CUDA 13.0 by nvcc 13.0.88", NULL },
	{ "14010", "CUDA 13", "", 0, "\"kernels\"", "CUDA 13.0 by nvcc 13.0.88", NULL },
	{ "12000", "CUDA 13", "", 0, "\"kernels-12.9 (" TOO_NEW_13 ")\"", "CUDA 12.9 by nvcc 12.9.88", NULL },
	{ "12080", "CUDA 13", "", 0, "\"kernels-12.9 (" TOO_NEW_13 ")\"", "CUDA 12.9 by nvcc 12.9.88", NULL },
	{ "13000", "refused", "", 0, "\"kernels-12.9 (kernels (CUDA 13.0): ", "CUDA 12.9 by nvcc 12.9.88", NULL },
	{ "13000", "CUDA 13", " --kernels 12.9", 0, "\"kernels-12.9\"", "CUDA 12.9 by nvcc 12.9.88", NULL },
	{ "12000", "CUDA 12", " --kernels kernels", 0, "\"kernels\"", "CUDA 13.0 by nvcc 13.0.88", NULL },
	{ "11040", "CUDA 13", "", 4, NULL, NULL, TOO_NEW_13 "; " TOO_NEW_12 ": update the driver" },
	{ "12000", "CUDA 13", " --kernels 13.0", 4, NULL, NULL, TOO_NEW_13 ": update the driver" },
};

/* The first images that the driver takes; the report says which, and why none before them. */
START_TEST(the_driver_decides_about_the_images)
{
	char words[700];
	struct bc_text report;

	stub(NULL);
	bc_call.set[1][0] = "BC_STUB_CUDA";
	bc_call.set[1][1] = drivers[_i].driver;
	bc_call.binary = "./bankcheck";
	bc_shell("ln '" BC_TEST_BINARY "' bankcheck || cp '" BC_TEST_BINARY "' bankcheck");
	make_images("kernels", "13.0", drivers[_i].first);
	make_images("kernels-11.8", "11.8", "refused");
	make_images("kernels-12.9", "12.9", "CUDA 12");
	bc_shell("mkdir kernels-13.9"); /* no file says what it is: left alone */
	if (strcmp(drivers[_i].driver, "11040") == 0)
		bc_shell("rm -r kernels-11.8");
	(void)snprintf(words, sizeof(words), BESIDE "%s", drivers[_i].words);
	bc_run_program(words);
	bc_expect_status(drivers[_i].status, NULL);
	report = bc_program_file(&bc_call, "reports/sm_90.xml");
	if (drivers[_i].skip) {
		ck_assert_msg(strstr(report.data, drivers[_i].skip) != NULL, "%s", report.data);
		ck_assert(strstr(report.data, "verdict=SKIP") && !strstr(report.data, "verdict=PASS"));
		ck_assert_ptr_null(strstr(report.data, "verdict=BROKEN"));
		bc_expect_output(drivers[_i].skip);
	} else {
		ck_assert_msg(strstr(report.data, drivers[_i].images) != NULL, "%s", report.data);
		ck_assert_msg(strstr(report.data, drivers[_i].toolkit) != NULL, "%s", report.data);
		ck_assert_ptr_nonnull(strstr(report.data, "verdict=PASS"));
		if (!drivers[_i].words[0])
			ck_assert_ptr_nonnull(
				strstr(report.data, "name=\"toolkits\" value=\"CUDA 13.0 by nvcc 13.0.88; CUDA 12.9 by "
						    "nvcc 12.9.88; CUDA 11.8 by nvcc 11.8.88\""));
		bc_expect_output(drivers[_i].toolkit);
	}
	bc_text_release(&report);
}
END_TEST

START_TEST(a_release_that_is_not_there_is_refused)
{
	bc_run_program("run --device reference --filter stride/ld_b32/1 --kernels 99.9");
	bc_expect_status(3, "--kernels 99.9: no folder of that name, and no images of CUDA 99.9 beside the program");
}
END_TEST

/* The file that was named is opened and told, though the loader would find another one. */
START_TEST(the_cupti_that_was_named_is_the_one)
{
	struct bc_text report;

	stub(NULL);
	bc_call.set[1][0] = "CUDA_FORCE_PTX_JIT";
	bc_call.set[1][1] = "1";
	bc_run_program(RUN " --cupti " BC_TEST_STUBS "/libcupti.so.13");
	report = bc_program_file(&bc_call, "reports/sm_90.xml");
	ck_assert_msg(strstr(report.data, "name=\"cupti_file\" value=\"") &&
			      strstr(report.data, "stubs/libcupti.so.13\""),
		      "%s", report.data);
	ck_assert_msg(strstr(report.data, "name=\"environment\" value=\"CUDA_FORCE_PTX_JIT=1\"") != NULL, "%s",
		      report.data);
	ck_assert_msg(strstr(report.data, "--cupti ") != NULL, "no rerun line: %s", report.data);
	bc_text_release(&report);
	bc_run_program(RUN " --cupti nothing.so --reports other");
	bc_expect_status(2, NULL);
	bc_expect_output("--cupti ./nothing.so");
}
END_TEST

/* ---- every SM ---- */

#define RUN_SMS                                                                                                      \
	"run --device cuda:0 --sms all --filter sms/stride/ld_b32 --filter sms/stride_clock/ld_b32 --witness clock " \
	"--expected " BC_TEST_EXPECTED " --kernels . --reports reports --timeout 20"

static void stub_sms(const char *sms, const char *what)
{
	stub(NULL);
	bc_call.set[3][0] = "BC_STUB_SMS";
	bc_call.set[3][1] = sms;
	bc_call.set[4][0] = "BC_STUB_SM";
	bc_call.set[4][1] = what;
}

static const struct {
	const char *what;
	int status;
	const char *said;
} sms[] = {
	{ NULL, 0, "2 PASS" },
	{ "data", 1, "sms/stride/ld_b32: data: SM 5, stride/ld_b32/0: lane 9, request 0, " },
	{ "data", 1, "; 1 of 7 SMs have wrong data" },
	{ "slow", 1, "(SM 5, stride/ld_b32/0: a timed section takes 836 cycles, the median of the SMs is 736)" },
	{ "place", 2, "sms/stride/ld_b32: the blocks of one launch ran on 6 SMs, the device has 7" },
};

START_TEST(every_sm_is_compared)
{
	stub_sms("7", sms[_i].what);
	bc_run_program(RUN_SMS);
	bc_expect_status(sms[_i].status, NULL);
	bc_expect_output(sms[_i].said);
}
END_TEST

START_TEST(an_sm_that_is_not_asked_for_is_not_compared)
{
	stub_sms("7", "data");
	bc_run_program(RUN_SMS " --sms 1,3,7");
	bc_expect_status(0, NULL);
	bc_run_program(RUN_SMS " --sms 3,5");
	bc_expect_status(1, NULL);
	bc_run_program(RUN_SMS " --sms 1,2");
	bc_expect_status(2, NULL);
	bc_expect_output("--sms: there is no SM 2");
}
END_TEST

/* The driver makes the tensor maps: what it refuses is a refused launch, after which the next one runs. */
START_TEST(the_driver_refuses_tensor_maps)
{
	stub(NULL);
	bc_run_program("run --device cuda:0 --filter tma/refused/* --expected " BC_TEST_EXPECTED
		       " --kernels . --reports reports --witness clock");
	bc_expect_status(0, NULL);
	bc_expect_output("12 cases: 12 PASS");
	/* One that it makes, though it must not. */
	bc_call.set[3][0] = "BC_STUB_TENSOR";
	bc_call.set[3][1] = "any";
	bc_run_program("run --device cuda:0 --filter tma/refused/128b_row_144 --expected " BC_TEST_EXPECTED
		       " --kernels . --reports reports --witness clock");
	bc_expect_status(1, NULL);
	bc_expect_output("the launch was not refused");
}
END_TEST

#endif

Suite *bc_test_cuda_stub(void)
{
	Suite *s = suite_create("cuda_stub");
	TCase *tc = tcase_create("stub");

	tcase_add_checked_fixture(tc, bc_call_setup, bc_call_teardown);
	tcase_set_timeout(tc, 120);
#ifdef BC_WITH_CUDA
	tcase_add_test(tc, a_crash_in_cupti_is_told_and_what_only_counters_judge_is_not_green);
	tcase_add_loop_test(tc, the_clock_carries_a_run_without_cupti, 0, (int)BC_ARRAY_LEN(libraries));
	tcase_add_test(tc, counters_that_read_nothing_are_void);
	tcase_add_test(tc, the_board_is_in_the_report);
	tcase_add_test(tc, required_counters_are_missed);
	tcase_add_test(tc, devices_names_the_library_that_crashes);
	tcase_add_test(tc, metrics_tells_chips_and_counters);
	tcase_add_loop_test(tc, a_cupti_that_cannot_answer_is_named, 0, (int)BC_ARRAY_LEN(refusals));
	tcase_add_test(tc, the_cupti_that_was_named_is_the_one);
	tcase_add_loop_test(tc, the_driver_decides_about_the_images, 0, (int)BC_ARRAY_LEN(drivers));
	tcase_add_test(tc, a_release_that_is_not_there_is_refused);
	tcase_add_test(tc, the_driver_refuses_tensor_maps);
	tcase_add_loop_test(tc, every_sm_is_compared, 0, (int)BC_ARRAY_LEN(sms));
	tcase_add_test(tc, an_sm_that_is_not_asked_for_is_not_compared);
#endif
	suite_add_tcase(s, tc);
	return s;
}
