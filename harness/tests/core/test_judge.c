/* SPDX-License-Identifier: MIT */
#include "harness/core/judge.h"
#include "harness/tests/invented.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

Suite *bc_test_judge(void);

/* What the tests expect of the case: a bit a quantity. The bounds: see bounds_of(). */
enum {
	W = 1 << BC_Q_WAVEFRONTS,  /* 2 to 2 */
	C = 1 << BC_Q_CONFLICTS,   /* 1 to 1 */
	R = 1 << BC_Q_REQUESTS,	   /* 8 to 8 */
	S = 1 << BC_Q_SECTORS,	   /* 4 to 4 */
	T = 1 << BC_Q_CLOCK_RATIO, /* 3 to 3 */
	D = 1 << BC_Q_DATA,
	SLACK = 1 << 16, /* wavefronts 1.5 to 2.5 instead */
	R9 = 1 << 17,	 /* requests 9 to 9 instead */
	R0 = 1 << 18,	 /* requests 0 to 0 instead */
};

#define DENIED "no permission: set NVreg_RestrictProfilingToAdminUsers=0"
#define NO_CLOCK "the reference device has no clock"
/* clang-format off */
#define FITS { 8, 16, 8, 0 }      /* 8 requests of 2 wavefronts and 1 conflict */
#define AS_31 { 8, 248, 240, 0 }  /* 8 requests of 31 wavefronts and 30 conflicts */
#define AS_32 { 8, 256, 248, 0 }
/* clang-format on */
#define CANARY                                                                                                      \
	"void: the canary of the counter session did not read what it must; end other tools that use the counters " \
	"(DCGM, ncu) and run again"

struct row {
	const char *what;
	const char *id; /* NULL: alpha/ld/2, which needs nothing */
	unsigned rows;
	/* the observation; data is right and 8 requests are stated unless said otherwise */
	enum bc_outcome outcome;
	const char *reason;
	bool data_wrong, data_unchecked;
	unsigned attempts;
	struct bc_count count[BC_ATTEMPTS_MAX];
	uint64_t stated; /* 0: 8 */
	bool none_stated, uncounted, voided;
	bool no_wavefronts, no_conflicts, sectors; /* what the class has counters of */
	const char *counters_absent;
	double clock;	    /* wavefronts; 0: absent */
	double clock_value; /* a program's own; 0: absent */
	const char *clock_absent, *clock_flat;
	struct bc_count model; /* no requests: absent */
	const char *code_absent;
	/* the run */
	bool require;
	bool counters_not_asked, clock_not_asked, no_clock, reference; /* as in struct bc_judge_in */
	const char *known;					       /* outcome of a known failure */
	bool expired, elsewhere;
	/* what must come out */
	enum bc_verdict verdict;
	enum bc_skip skip;
	const char *message, *out; /* NULL: "" */
};

static const struct row rows[] = {
	/* 4: all inside */
	{ "three witnesses inside", .rows = W | C, .attempts = 1, .count = { FITS }, .clock = 2, .model = FITS,
	  .verdict = BC_PASS },
	{ "no clock", .rows = W | C, .attempts = 1, .count = { FITS }, .clock_absent = NO_CLOCK, .model = FITS,
	  .verdict = BC_PASS },
	{ "no counters: the clock carries it", .rows = W | C, .counters_absent = DENIED, .clock = 2, .model = FITS,
	  .verdict = BC_PASS },
	{ "the clock alone", .rows = W | C, .counters_absent = DENIED, .clock = 2, .verdict = BC_PASS },
	{ "the counters alone", .rows = W | C, .attempts = 1, .count = { FITS }, .verdict = BC_PASS },
	{ "three equal counts", .rows = W | C, .attempts = 3, .count = { FITS, FITS, FITS }, .clock = 2, .model = FITS,
	  .verdict = BC_PASS },
	{ "different numbers, all inside the slack", .rows = W | SLACK, .attempts = 1, .count = { { 8, 17, 9, 0 } },
	  .clock = 2, .model = FITS, .verdict = BC_PASS },
	{ "on both edges of the slack", .rows = W | SLACK, .attempts = 2, .count = { { 8, 12, 0, 0 }, { 8, 12, 0, 0 } },
	  .verdict = BC_PASS },
	{ "on the upper edge", .rows = W | SLACK, .attempts = 1, .count = { { 8, 20, 0, 0 } }, .clock = 2,
	  .verdict = BC_PASS },
	{ "a class without request counter", .rows = W | C, .uncounted = true, .attempts = 1,
	  .count = { { 0, 16, 8, 0 } }, .clock = 2, .model = FITS, .verdict = BC_PASS },
	{ "conflicts alone have a row: the clock says nothing of it", .rows = C, .attempts = 1, .count = { FITS },
	  .clock = 7, .model = FITS, .verdict = BC_PASS },
	{ "requests", .rows = R, .attempts = 1, .count = { FITS }, .model = FITS, .verdict = BC_PASS },
	{ "requests of one run, two runs counted", .rows = W | R, .stated = 16, .attempts = 1,
	  .count = { { 16, 32, 16, 0 } }, .model = FITS, .verdict = BC_PASS },

	/* 4: all outside, one number */
	{ "31-way by all three", .rows = W | C, .attempts = 3, .count = { AS_31, AS_31, AS_31 }, .clock = 31,
	  .model = AS_31, .verdict = BC_FAIL, .out = "ratio wavefronts=31 conflicts=30",
	  .message = "ratio wavefronts=31 conflicts=30; expected wavefronts=2 conflicts=1 (e.txt:3); counters "
		     "wavefronts=31 conflicts=30; clock wavefronts=31; model wavefronts=31 conflicts=30 (as the law)" },
	{ "31-way by clock and model", .rows = W | C, .counters_absent = DENIED, .clock = 31, .model = AS_31,
	  .verdict = BC_FAIL, .out = "ratio wavefronts=31",
	  .message = "ratio wavefronts=31; expected wavefronts=2 conflicts=1 (e.txt:3); clock "
		     "wavefronts=31; model wavefronts=31 conflicts=30 (as the law)" },
	{ "3-way by the clock alone", .rows = W | C, .clock = 3, .verdict = BC_FAIL, .out = "ratio wavefronts=3",
	  .message = "ratio wavefronts=3; expected wavefronts=2 conflicts=1 (e.txt:3); clock wavefronts=3" },
	{ "only what has a row is named", .rows = W, .attempts = 1, .count = { AS_31 }, .model = { 8, 248, 0, 0 },
	  .verdict = BC_FAIL, .out = "ratio wavefronts=31",
	  .message = "ratio wavefronts=31; expected wavefronts=2 (e.txt:3); counters wavefronts=31; model "
		     "wavefronts=31 (other than the law)" },
	{ "conflicts alone", .rows = C, .attempts = 1, .count = { AS_31 }, .clock = 2, .verdict = BC_FAIL,
	  .out = "ratio conflicts=30",
	  .message = "ratio conflicts=30; expected conflicts=1 (e.txt:4); counters conflicts=30" },
	{ "a fraction, and bounds with slack", .rows = W | SLACK, .stated = 100, .attempts = 1,
	  .count = { { 100, 351, 251, 0 } }, .model = { 100, 351, 251, 0 }, .verdict = BC_FAIL,
	  .out = "ratio wavefronts=3.51",
	  .message = "ratio wavefronts=3.51; expected wavefronts=1.5..2.5 (e.txt:3); counters wavefronts=3.51; "
		     "model wavefronts=3.51 (as the law)" },
	{ "below the bounds", .rows = W, .attempts = 1, .count = { { 8, 8, 0, 0 } }, .clock = 1, .verdict = BC_FAIL,
	  .out = "ratio wavefronts=1",
	  .message = "ratio wavefronts=1; expected wavefronts=2 (e.txt:3); counters wavefronts=1; clock "
		     "wavefronts=1" },
	{ "requests outside", .rows = R9, .attempts = 1, .count = { FITS }, .model = FITS, .verdict = BC_FAIL,
	  .out = "ratio requests=8",
	  .message = "ratio requests=8; expected requests=9 (e.txt:8); counters requests=8" },

	/* 4: one inside and one outside, or different numbers */
	{ "counters outside, clock inside", .rows = W | C, .attempts = 3, .count = { AS_31, AS_31, AS_31 }, .clock = 2,
	  .verdict = BC_DISAGREE, .out = "disagree counters wavefronts=31 conflicts=30; clock wavefronts=2",
	  .message = "disagree counters wavefronts=31 conflicts=30; clock wavefronts=2; expected wavefronts=2 "
		     "conflicts=1 (e.txt:3)" },
	{ "counters inside, clock outside", .rows = W, .attempts = 1, .count = { FITS }, .clock = 3,
	  .verdict = BC_DISAGREE, .out = "disagree counters wavefronts=2; clock wavefronts=3",
	  .message = "disagree counters wavefronts=2; clock wavefronts=3; expected wavefronts=2 (e.txt:3)" },
	{ "the model is no witness: outside", .rows = W, .attempts = 1, .count = { FITS }, .clock = 2, .model = AS_31,
	  .verdict = BC_PASS },
	{ "the model is no witness: inside", .rows = W, .attempts = 1, .count = { AS_31 }, .clock = 31, .model = FITS,
	  .verdict = BC_FAIL, .out = "ratio wavefronts=31",
	  .message = "ratio wavefronts=31; expected wavefronts=2 (e.txt:3); counters wavefronts=31; clock "
		     "wavefronts=31; model wavefronts=2 (other than the law)" },
	{ "a disagreement beside the model", .rows = W, .attempts = 1, .count = { AS_31 }, .clock = 2, .model = FITS,
	  .verdict = BC_DISAGREE, .out = "disagree counters wavefronts=31; clock wavefronts=2",
	  .message = "disagree counters wavefronts=31; clock wavefronts=2; expected wavefronts=2 (e.txt:3); model "
		     "wavefronts=2 (other than the law)" },
	{ "all outside, different numbers", .rows = W, .attempts = 1, .count = { AS_31 }, .clock = 32,
	  .verdict = BC_DISAGREE, .out = "disagree counters wavefronts=31; clock wavefronts=32",
	  .message = "disagree counters wavefronts=31; clock wavefronts=32; expected wavefronts=2 (e.txt:3)" },
	{ "wavefronts inside, conflicts outside: whoever names conflicts says so", .rows = W | C, .attempts = 1,
	  .count = { { 8, 16, 0, 0 } }, .clock = 2, .verdict = BC_FAIL, .out = "ratio wavefronts=2 conflicts=0",
	  .message = "ratio wavefronts=2 conflicts=0; expected wavefronts=2 conflicts=1 (e.txt:3); counters "
		     "wavefronts=2 conflicts=0; clock wavefronts=2" },
	{ "conflicts outside, and the witnesses differ in wavefronts", .rows = W | C, .attempts = 1, .count = { AS_31 },
	  .clock = 2, .verdict = BC_DISAGREE, .out = "disagree counters wavefronts=31 conflicts=30; clock wavefronts=2",
	  .message = "disagree counters wavefronts=31 conflicts=30; clock wavefronts=2; expected wavefronts=2 "
		     "conflicts=1 (e.txt:3)" },
	{ "a clock between two whole numbers names none", .rows = W, .attempts = 1, .count = { FITS }, .clock = 2.4,
	  .verdict = BC_DISAGREE, .out = "disagree counters wavefronts=2; clock=fraction",
	  .message =
		  "disagree counters wavefronts=2; clock=fraction (2.4 wavefronts); expected wavefronts=2 (e.txt:3)" },
	{ "even alone", .rows = W | C, .counters_absent = DENIED, .clock = 2.4, .verdict = BC_DISAGREE,
	  .out = "disagree clock=fraction",
	  .message = "disagree clock=fraction (2.4 wavefronts); expected wavefronts=2 conflicts=1 (e.txt:3)" },
	{ "and inside the slack", .rows = W | SLACK, .attempts = 1, .count = { FITS }, .clock = 2.4,
	  .verdict = BC_DISAGREE, .out = "disagree counters wavefronts=2; clock=fraction",
	  .message = "disagree counters wavefronts=2; clock=fraction (2.4 wavefronts); expected wavefronts=1.5..2.5 "
		     "(e.txt:3)" },
	{ "a flat clock names none", .rows = W, .attempts = 1, .count = { FITS }, .clock_flat = "1 as long as 2",
	  .verdict = BC_DISAGREE, .out = "disagree counters wavefronts=2; clock=flat",
	  .message = "disagree counters wavefronts=2; clock=flat (1 as long as 2); expected wavefronts=2 (e.txt:3)" },
	{ "even alone", .rows = W | C, .counters_absent = DENIED, .clock_flat = "1 as long as 2",
	  .verdict = BC_DISAGREE, .out = "disagree clock=flat",
	  .message = "disagree clock=flat (1 as long as 2); expected wavefronts=2 conflicts=1 (e.txt:3)" },
	{ "even with a void session", .rows = W, .voided = true, .counters_absent = CANARY,
	  .clock_flat = "1 as long as 2", .verdict = BC_DISAGREE, .out = "disagree clock=flat",
	  .message = "disagree clock=flat (1 as long as 2); expected wavefronts=2 (e.txt:3)" },
	{ "a flat clock where wavefronts have no row", .rows = C, .attempts = 1, .count = { FITS },
	  .clock_flat = "1 as long as 2", .verdict = BC_PASS },
	{ "but not where wavefronts have no row", .rows = C, .attempts = 1, .count = { FITS }, .clock = 2.4,
	  .verdict = BC_PASS },
	{ "a clock that is not a number", .rows = W, .attempts = 1, .count = { AS_31 }, .clock = (double)NAN,
	  .verdict = BC_DISAGREE, .out = "disagree counters wavefronts=31; clock=fraction",
	  .message =
		  "disagree counters wavefronts=31; clock=fraction (nan wavefronts); expected wavefronts=2 (e.txt:3)" },

	/* 4: the reference device, whose counters are the laws */
	{ "there a count is the model's", .rows = W | SLACK, .reference = true, .attempts = 1, .count = { FITS },
	  .model = FITS, .verdict = BC_PASS },
	{ "or wrong, also inside the row", .rows = W | SLACK, .reference = true, .attempts = 1,
	  .count = { { 8, 17, 9, 0 } }, .model = FITS, .verdict = BC_FAIL, .out = "ratio wavefronts=2.125",
	  .message = "ratio wavefronts=2.125; expected wavefronts=1.5..2.5 (e.txt:3); counters wavefronts=2.125; model "
		     "wavefronts=2 (other than the law)" },
	{ "a GPU's may be more, inside the row", .rows = W | SLACK, .attempts = 1, .count = { { 8, 17, 9, 0 } },
	  .model = FITS, .verdict = BC_PASS },

	/* 1: LOST and BROKEN */
	{ "worker died", .rows = W, .outcome = BC_LOST_WORKER, .reason = "the worker died of signal 11", .attempts = 1,
	  .count = { FITS }, .verdict = BC_LOST, .message = "the worker died of signal 11" },
	{ "worker died before a case that cannot run here", .id = "beta/needs/stsm", .outcome = BC_LOST_WORKER,
	  .verdict = BC_LOST, .message = "no reason was recorded" },
	{ "tool error, two lines", .rows = W, .outcome = BC_TOOL_ERROR,
	  .reason = "cuLaunchKernel:\n\tCUDA_ERROR_INVALID_VALUE", .data_wrong = true, .verdict = BC_BROKEN,
	  .message = "cuLaunchKernel:  CUDA_ERROR_INVALID_VALUE" },
	{ "one request too few", .rows = W, .attempts = 1, .count = { { 7, 14, 7, 0 } }, .clock = 2, .model = FITS,
	  .verdict = BC_BROKEN, .message = "executed 7 requests, kernel states 8" },
	{ "one request too many in the third count, data wrong", .rows = W, .data_wrong = true, .attempts = 3,
	  .count = { AS_31, AS_31, { 9, 248, 240, 0 } }, .verdict = BC_BROKEN,
	  .message = "executed 9 requests, kernel states 8" },
	{ "nothing stated", .rows = W, .none_stated = true, .uncounted = true, .attempts = 1, .count = { FITS },
	  .clock = 2, .verdict = BC_BROKEN, .message = "the kernel states 0 requests: nothing to count" },
	{ "nothing stated, and a row of requests that are there", .rows = R, .none_stated = true, .attempts = 1,
	  .count = { { 0, 0, 0, 0 } }, .verdict = BC_BROKEN,
	  .message = "the kernel states 0 requests: nothing to count" },
	{ "nothing stated, a row of none, and no counter of requests", .rows = R0, .none_stated = true,
	  .uncounted = true, .attempts = 1, .count = { { 0, 0, 0, 0 } }, .verdict = BC_BROKEN,
	  .message = "the kernel states 0 requests: nothing to count" },
	{ "none stated, none expected, none counted", .rows = R0, .none_stated = true, .attempts = 1,
	  .count = { { 0, 0, 0, 0 } }, .verdict = BC_PASS },
	{ "none stated, none expected, one counted", .rows = R0, .none_stated = true, .attempts = 1,
	  .count = { { 1, 1, 0, 0 } }, .verdict = BC_FAIL,
	  .message = "ratio requests=1; expected requests=0 (e.txt:8); counters requests=1",
	  .out = "ratio requests=1" },
	{ "none stated, none expected, counters absent", .rows = R0, .none_stated = true, .counters_absent = DENIED,
	  .verdict = BC_SKIP, .skip = BC_SKIPPED_NOT_JUDGED, .message = "no witness: counters absent: " DENIED },
	{ "data not compared", .rows = W, .data_unchecked = true, .attempts = 1, .count = { FITS }, .clock = 2,
	  .verdict = BC_BROKEN, .message = "the data was not compared: data is always judged" },
	{ "void and no clock", .rows = W, .voided = true, .attempts = 1, .count = { FITS }, .clock_absent = NO_CLOCK,
	  .model = FITS, .verdict = BC_BROKEN,
	  .message = "counters " CANARY "; no clock to take their place: " NO_CLOCK },
	{ "void, no clock, data wrong", .rows = W, .voided = true, .data_wrong = true, .clock_absent = NO_CLOCK,
	  .verdict = BC_BROKEN, .message = "counters " CANARY "; no clock to take their place: " NO_CLOCK },
	{ "void, but a clock", .rows = W, .voided = true, .attempts = 1, .count = { { 8, 0, 0, 0 } }, .clock = 2,
	  .model = FITS, .verdict = BC_PASS },
	{ "void, but a clock; the request counter reads 0 too", .rows = W, .voided = true, .attempts = 3,
	  .count = { { 0, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 2, 0, 0 } }, .clock = 2, .model = FITS, .verdict = BC_PASS },
	{ "void, the clock outside", .rows = W, .voided = true, .attempts = 1, .count = { FITS }, .clock = 3,
	  .verdict = BC_FAIL, .out = "ratio wavefronts=3",
	  .message = "ratio wavefronts=3; expected wavefronts=2 (e.txt:3); clock wavefronts=3" },
	{ "void, a clock, and only conflicts have a row", .rows = C, .voided = true, .attempts = 1, .count = { FITS },
	  .clock = 2, .verdict = BC_SKIP, .skip = BC_SKIPPED_NOT_JUDGED,
	  .message = "no witness: counters absent: " CANARY },
	{ "void, but data alone is judged", .rows = D, .voided = true, .attempts = 1, .verdict = BC_PASS },
	{ "counters required and absent", .rows = W, .require = true, .counters_absent = DENIED, .clock = 2,
	  .model = FITS, .verdict = BC_BROKEN, .message = "counters are required and absent: " DENIED },
	{ "counters required and void", .rows = W, .require = true, .voided = true, .attempts = 1, .count = { FITS },
	  .clock = 2, .verdict = BC_BROKEN, .message = "counters are required and absent: " CANARY },
	{ "counters required, no row", .require = true, .counters_absent = DENIED, .clock = 2, .verdict = BC_BROKEN,
	  .message = "counters are required and absent: " DENIED },
	{ "counters required and there", .rows = W, .require = true, .attempts = 1, .count = { FITS },
	  .verdict = BC_PASS },
	{ "counters required, data alone is judged", .rows = D, .require = true, .verdict = BC_PASS },
	{ "counters required, the case cannot run here", .id = "beta/needs/stsm", .rows = W, .require = true,
	  .verdict = BC_SKIP, .skip = BC_SKIPPED_NEED, .message = "needs stmatrix (not on sm_00)" },

	/* 2: needs */
	{ "an instruction that is not there", .id = "beta/needs/stsm", .rows = W, .data_unchecked = true,
	  .verdict = BC_SKIP, .skip = BC_SKIPPED_NEED, .message = "needs stmatrix (not on sm_00)" },
	{ "memory that is not there", .id = "beta/edge/deep", .rows = W, .data_unchecked = true, .verdict = BC_SKIP,
	  .skip = BC_SKIPPED_NEED, .message = "needs 65540 bytes of shared memory (sm_00 has 65536)" },
	{ "unsupported, as arch.txt says", .id = "beta/needs/stsm", .rows = W, .outcome = BC_UNSUPPORTED,
	  .reason = "no image", .verdict = BC_SKIP, .skip = BC_SKIPPED_NEED,
	  .message = "needs stmatrix (not on sm_00)" },
	{ "a kernel that the compiler of the images could not make", .rows = W, .outcome = BC_NO_KERNEL,
	  .reason = "kernels of CUDA 12.0 or newer (these are of CUDA 11.8)", .verdict = BC_SKIP,
	  .skip = BC_SKIPPED_NEED, .message = "needs kernels of CUDA 12.0 or newer (these are of CUDA 11.8)" },
	{ "unsupported, against arch.txt", .rows = W, .outcome = BC_UNSUPPORTED, .reason = "49152 bytes at most",
	  .verdict = BC_FAIL, .out = "unsupported",
	  .message = "unsupported: the device cannot run the case although arch.txt of sm_00 says that it can: "
		     "49152 bytes at most" },
	{ "the rule is about time: no clock", .id = "beta/needs/clock", .rows = W, .attempts = 1, .count = { FITS },
	  .clock_absent = NO_CLOCK, .model = FITS, .verdict = BC_SKIP, .skip = BC_SKIPPED_NOT_JUDGED,
	  .message = "needs the clock: " NO_CLOCK },
	{ "the rule is about time: a clock", .id = "beta/needs/clock", .rows = W, .clock = 2, .verdict = BC_PASS },
	{ "no code listing", .id = "beta/needs/code", .rows = W, .attempts = 1, .count = { FITS },
	  .code_absent = "cuobjdump was not found", .verdict = BC_SKIP, .skip = BC_SKIPPED_NO_LISTING,
	  .message = "needs the image's code listing: cuobjdump was not found" },
	{ "a code listing", .id = "beta/needs/code", .rows = W, .attempts = 1, .count = { FITS }, .verdict = BC_PASS },
	{ "no code listing, and none needed", .rows = W, .attempts = 1, .count = { FITS },
	  .code_absent = "cuobjdump was not found", .verdict = BC_PASS },
	{ "the model alone is no observation", .rows = W | C, .counters_absent = DENIED, .clock_absent = NO_CLOCK,
	  .model = FITS, .verdict = BC_SKIP, .skip = BC_SKIPPED_NOT_JUDGED,
	  .message = "no witness: counters absent: " DENIED "; clock absent: " NO_CLOCK },
	{ "nor when it is outside", .rows = W, .model = AS_31, .verdict = BC_SKIP, .skip = BC_SKIPPED_NOT_JUDGED,
	  .message = "no witness: counters absent: no reason was recorded; clock absent: no reason was recorded" },
	{ "conflicts alone have a row: the clock is not needed", .rows = C, .counters_absent = DENIED,
	  .clock_absent = NO_CLOCK, .model = FITS, .verdict = BC_SKIP, .skip = BC_SKIPPED_NOT_JUDGED,
	  .message = "no witness: counters absent: " DENIED },
	{ "a ratio of the clock: the counters are not needed", .rows = T, .attempts = 1, .count = { FITS },
	  .clock_absent = NO_CLOCK, .verdict = BC_SKIP, .skip = BC_SKIPPED_NOT_JUDGED,
	  .message = "no witness: clock absent: " NO_CLOCK },
	{ "the rule is about time: its own clock", .id = "beta/needs/clock", .rows = T, .clock_value = 3,
	  .verdict = BC_PASS },

	/* what was asked for, and what could have been had */
	{ "counters not asked for, the clock lost", .rows = W | C, .counters_not_asked = true, .clock_absent = NO_CLOCK,
	  .verdict = BC_SKIP, .skip = BC_SKIPPED_NOT_JUDGED, .message = "no witness: clock absent: " NO_CLOCK },
	{ "counters not asked for, and no clock can tell", .rows = C, .counters_not_asked = true, .verdict = BC_SKIP,
	  .skip = BC_SKIPPED_NOT_ASKED, .message = "needs counters, not asked for" },
	{ "a case without clock protocol", .id = "beta/needs/code", .rows = W | C, .counters_not_asked = true,
	  .clock_absent = NO_CLOCK, .verdict = BC_SKIP, .skip = BC_SKIPPED_NOT_ASKED,
	  .message = "needs counters, not asked for" },
	{ "the clock not asked for, the counters refused", .rows = W, .clock_not_asked = true,
	  .counters_absent = DENIED, .verdict = BC_SKIP, .skip = BC_SKIPPED_NOT_JUDGED,
	  .message = "no witness: counters absent: " DENIED },
	{ "the rule is about time: the clock not asked for", .id = "beta/needs/clock", .rows = T,
	  .clock_not_asked = true, .verdict = BC_SKIP, .skip = BC_SKIPPED_NOT_ASKED,
	  .message = "needs the clock, not asked for" },
	{ "the rule is about time: the device has none", .id = "beta/needs/clock", .rows = T, .no_clock = true,
	  .clock_absent = NO_CLOCK, .verdict = BC_SKIP, .skip = BC_SKIPPED_NEED,
	  .message = "needs the clock: " NO_CLOCK },
	{ "the device has no clock, the counters are refused", .rows = W, .no_clock = true, .counters_absent = DENIED,
	  .clock_absent = NO_CLOCK, .verdict = BC_SKIP, .skip = BC_SKIPPED_NOT_JUDGED,
	  .message = "no witness: counters absent: " DENIED "; clock absent: " NO_CLOCK },

	/* 3: data */
	{ "data wrong, counts right", .rows = W | C, .data_wrong = true, .attempts = 1, .count = { FITS }, .clock = 2,
	  .model = FITS, .verdict = BC_FAIL, .out = "data", .message = "data: lane 3: read 1, expected 2" },
	{ "data wrong, counts too", .rows = W, .data_wrong = true, .attempts = 3, .count = { AS_31, AS_32, AS_31 },
	  .clock = 2, .verdict = BC_FAIL, .out = "data", .message = "data: lane 3: read 1, expected 2" },
	{ "data wrong, no witness", .rows = W, .data_wrong = true, .verdict = BC_FAIL, .out = "data",
	  .message = "data: lane 3: read 1, expected 2" },
	{ "data wrong, no row", .data_wrong = true, .attempts = 1, .count = { FITS }, .verdict = BC_FAIL, .out = "data",
	  .message = "data: lane 3: read 1, expected 2" },
	{ "data wrong, and a needed clock absent", .id = "beta/needs/clock", .rows = W, .data_wrong = true,
	  .verdict = BC_FAIL, .out = "data", .message = "data: lane 3: read 1, expected 2" },
	{ "data wrong, judged by data alone", .rows = D, .data_wrong = true, .verdict = BC_FAIL, .out = "data",
	  .message = "data: lane 3: read 1, expected 2" },
	{ "judged by data alone", .rows = D, .attempts = 1, .count = { AS_31 }, .clock = 3, .model = FITS,
	  .verdict = BC_PASS },
	{ "judged by data alone, no witness", .rows = D, .counters_absent = DENIED, .verdict = BC_PASS },
	{ "a data row does not hide the counts", .rows = D | W, .attempts = 1, .count = { AS_31 }, .verdict = BC_FAIL,
	  .out = "ratio wavefronts=31",
	  .message = "ratio wavefronts=31; expected wavefronts=2 (e.txt:3); counters wavefronts=31" },

	/* 4: unstable */
	{ "differing repeats", .rows = W | C, .attempts = 3, .count = { AS_31, AS_32, AS_31 }, .clock = 31,
	  .model = AS_31, .verdict = BC_FAIL, .out = "unstable 31,32,31",
	  .message = "unstable 31,32,31: wavefronts per request of 3 counts of the same case" },
	{ "the first fits, the second does not", .rows = W, .attempts = 2, .count = { FITS, AS_31 }, .clock = 2,
	  .model = FITS, .verdict = BC_FAIL, .out = "unstable 2,31",
	  .message = "unstable 2,31: wavefronts per request of 2 counts of the same case" },
	{ "the last fits", .rows = W, .attempts = 3, .count = { AS_31, AS_31, FITS }, .clock = 2, .model = FITS,
	  .verdict = BC_FAIL, .out = "unstable 31,31,2",
	  .message = "unstable 31,31,2: wavefronts per request of 3 counts of the same case" },
	{ "only the conflicts differ", .rows = W | C, .attempts = 3, .count = { FITS, FITS, { 8, 16, 9, 0 } },
	  .clock = 2, .verdict = BC_FAIL, .out = "unstable 1,1,1.125",
	  .message = "unstable 1,1,1.125: conflicts per request of 3 counts of the same case" },
	{ "unstable, and a needed clock absent", .id = "beta/needs/clock", .rows = W, .attempts = 2,
	  .count = { AS_31, AS_32 }, .verdict = BC_FAIL, .out = "unstable 31,32",
	  .message = "unstable 31,32: wavefronts per request of 2 counts of the same case" },
	{ "more attempts said than there can be", .rows = W, .attempts = 9, .count = { FITS, FITS, FITS }, .clock = 2,
	  .verdict = BC_PASS },

	/* 5: no row */
	{ "no row", .attempts = 1, .count = { FITS }, .clock = 2, .model = FITS, .verdict = BC_UNJUDGED,
	  .message = "no expectation for sm_00: write rows for it in expected/; measured: counters wavefronts=2 "
		     "conflicts=1 requests=8; clock wavefronts=2" },
	{ "no row, no witness", .verdict = BC_UNJUDGED,
	  .message = "no expectation for sm_00: write rows for it in expected/; measured: nothing" },
	{ "sectors, and no counter of sectors", .rows = S, .attempts = 1, .count = { FITS }, .verdict = BC_UNJUDGED,
	  .message = "no witness names sectors, so its row (e.txt:5) cannot be judged; measured: counters "
		     "wavefronts=2 conflicts=1 requests=8" },
	{ "such a row beside one that fits", .rows = W | S, .attempts = 1, .count = { FITS }, .uncounted = true,
	  .clock = 2, .verdict = BC_UNJUDGED,
	  .message = "no witness names sectors, so its row (e.txt:5) cannot be judged; measured: counters "
		     "wavefronts=2 conflicts=1; clock wavefronts=2" },
	{ "such a row beside data", .rows = D | S, .attempts = 1, .count = { FITS }, .uncounted = true,
	  .verdict = BC_UNJUDGED,
	  .message = "no witness names sectors, so its row (e.txt:5) cannot be judged; measured: counters "
		     "wavefronts=2 conflicts=1" },
	{ "such a row beside one that does not fit", .rows = W | S, .attempts = 1, .count = { AS_31 },
	  .verdict = BC_FAIL, .out = "ratio wavefronts=31",
	  .message = "ratio wavefronts=31; expected wavefronts=2 sectors=4 (e.txt:3); counters wavefronts=31" },
	{ "such a row, and the counters absent: that is what is said of it", .rows = W | S, .counters_absent = DENIED,
	  .clock = 2, .verdict = BC_PASS },
	{ "a ratio, and a clock that has none", .rows = W | T, .clock = 2, .verdict = BC_UNJUDGED,
	  .message = "no witness names clock_ratio, so its row (e.txt:6) cannot be judged; measured: clock "
		     "wavefronts=2" },
	{ "a ratio, and no clock", .rows = W | T, .attempts = 1, .count = { FITS }, .clock_absent = NO_CLOCK,
	  .verdict = BC_PASS },
	{ "requests, and no request counter", .rows = R, .uncounted = true, .attempts = 1, .count = { { 0, 16, 8, 0 } },
	  .model = FITS, .verdict = BC_UNJUDGED,
	  .message = "no witness names requests, so its row (e.txt:8) cannot be judged; measured: counters "
		     "wavefronts=2 conflicts=1" },

	/* 4: what some classes and programs have and others not */
	{ "sectors inside", .rows = S, .no_wavefronts = true, .no_conflicts = true, .sectors = true, .attempts = 1,
	  .count = { { 8, 0, 0, 32 } }, .verdict = BC_PASS },
	{ "sectors outside", .rows = S, .no_wavefronts = true, .no_conflicts = true, .sectors = true, .attempts = 3,
	  .count = { { 8, 0, 0, 36 }, { 8, 0, 0, 36 }, { 8, 0, 0, 36 } }, .verdict = BC_FAIL,
	  .out = "ratio sectors=4.5",
	  .message = "ratio sectors=4.5; expected sectors=4 (e.txt:5); counters sectors=4.5" },
	{ "sectors unstable", .rows = S, .no_wavefronts = true, .no_conflicts = true, .sectors = true, .attempts = 2,
	  .count = { { 8, 0, 0, 36 }, { 8, 0, 0, 32 } }, .verdict = BC_FAIL, .out = "unstable 4.5,4",
	  .message = "unstable 4.5,4: sectors per request of 2 counts of the same case" },
	{ "no counter of wavefronts: conflicts carry it", .rows = W | C, .no_wavefronts = true, .attempts = 1,
	  .count = { { 8, 0, 8, 0 } }, .clock_absent = NO_CLOCK, .model = FITS, .verdict = BC_PASS },
	{ "no counter of conflicts", .rows = C, .no_conflicts = true, .attempts = 1, .count = { FITS }, .model = FITS,
	  .verdict = BC_UNJUDGED,
	  .message = "no witness names conflicts, so its row (e.txt:4) cannot be judged; measured: counters "
		     "wavefronts=2 requests=8" },
	{ "a ratio of the clock inside", .rows = W | T, .attempts = 1, .count = { FITS }, .clock_value = 3,
	  .verdict = BC_PASS },
	{ "a ratio of the clock outside, counts inside", .rows = W | T, .attempts = 1, .count = { FITS },
	  .clock_value = 3.51, .verdict = BC_FAIL, .out = "ratio wavefronts=2 clock_ratio=3.51",
	  .message = "ratio wavefronts=2 clock_ratio=3.51; expected wavefronts=2 clock_ratio=3 (e.txt:3); counters "
		     "wavefronts=2; clock clock_ratio=3.51" },
	{ "a ratio of the clock outside, alone", .rows = T, .clock_value = 2, .verdict = BC_FAIL,
	  .out = "ratio clock_ratio=2",
	  .message = "ratio clock_ratio=2; expected clock_ratio=3 (e.txt:6); clock clock_ratio=2" },
	{ "void, but a clock of its own", .rows = T, .voided = true, .attempts = 1, .count = { FITS }, .clock_value = 3,
	  .verdict = BC_PASS },

	/* 6: known failures */
	{ "known, exactly", .rows = W, .clock = 3, .known = "ratio wavefronts=3", .verdict = BC_XFAIL,
	  .out = "ratio wavefronts=3",
	  .message = "ratio wavefronts=3; expected wavefronts=2 (e.txt:3); clock wavefronts=3; known: driver bug, "
		     "https://bugs.invalid/1" },
	{ "known, another number", .rows = W, .clock = 3, .known = "ratio wavefronts=33", .verdict = BC_FAIL,
	  .out = "ratio wavefronts=3",
	  .message = "ratio wavefronts=3; expected wavefronts=2 (e.txt:3); clock wavefronts=3; not the known "
		     "failure 'ratio wavefronts=33'" },
	{ "known, only the beginning", .rows = W, .clock = 33, .known = "ratio wavefronts=3", .verdict = BC_FAIL,
	  .out = "ratio wavefronts=33",
	  .message = "ratio wavefronts=33; expected wavefronts=2 (e.txt:3); clock wavefronts=33; not the known "
		     "failure 'ratio wavefronts=3'" },
	{ "known data", .rows = W, .data_wrong = true, .known = "data", .verdict = BC_XFAIL, .out = "data",
	  .message = "data: lane 3: read 1, expected 2; known: driver bug, https://bugs.invalid/1" },
	{ "known ratio, but now the data is wrong", .rows = W, .data_wrong = true, .clock = 3,
	  .known = "ratio wavefronts=3", .verdict = BC_FAIL, .out = "data",
	  .message = "data: lane 3: read 1, expected 2; not the known failure 'ratio wavefronts=3'" },
	{ "known unstable", .rows = W, .attempts = 3, .count = { AS_31, AS_32, AS_31 }, .known = "unstable 31,32,31",
	  .verdict = BC_XFAIL, .out = "unstable 31,32,31",
	  .message = "unstable 31,32,31: wavefronts per request of 3 counts of the same case; known: driver bug, "
		     "https://bugs.invalid/1" },
	{ "known unsupported", .rows = W, .outcome = BC_UNSUPPORTED, .reason = "MIG", .known = "unsupported",
	  .verdict = BC_XFAIL, .out = "unsupported",
	  .message = "unsupported: the device cannot run the case although arch.txt of sm_00 says that it can: "
		     "MIG; known: driver bug, https://bugs.invalid/1" },
	{ "known, and passes", .rows = W, .clock = 2, .known = "ratio wavefronts=3", .verdict = BC_XPASS,
	  .message = "passes, but is known to fail with 'ratio wavefronts=3' (driver bug, "
		     "https://bugs.invalid/1): delete its line in known.txt" },
	{ "known, and the witnesses disagree", .rows = W, .attempts = 1, .count = { FITS }, .clock = 3,
	  .known = "disagree counters wavefronts=2; clock wavefronts=3", .verdict = BC_XFAIL,
	  .out = "disagree counters wavefronts=2; clock wavefronts=3",
	  .message = "disagree counters wavefronts=2; clock wavefronts=3; expected wavefronts=2 (e.txt:3); "
		     "known: driver bug, https://bugs.invalid/1" },
	{ "known, and the witnesses disagree otherwise", .rows = W, .attempts = 1, .count = { FITS }, .clock = 4,
	  .known = "disagree counters wavefronts=2; clock wavefronts=3", .verdict = BC_DISAGREE,
	  .out = "disagree counters wavefronts=2; clock wavefronts=4",
	  .message = "disagree counters wavefronts=2; clock wavefronts=4; expected wavefronts=2 (e.txt:3); not "
		     "the known failure 'disagree counters wavefronts=2; clock wavefronts=3'" },
	{ "known and expired, fails", .rows = W, .clock = 3, .known = "ratio wavefronts=3", .expired = true,
	  .verdict = BC_FAIL, .out = "ratio wavefronts=3",
	  .message = "ratio wavefronts=3; expected wavefronts=2 (e.txt:3); clock wavefronts=3; the known failure "
		     "'ratio wavefronts=3' has expired (driver bug, https://bugs.invalid/1)" },
	{ "known and expired, passes", .rows = W, .clock = 2, .known = "ratio wavefronts=3", .expired = true,
	  .verdict = BC_PASS,
	  .message = "the known failure 'ratio wavefronts=3' has expired (driver bug, https://bugs.invalid/1)" },
	{ "known elsewhere, fails", .rows = W, .clock = 3, .known = "ratio wavefronts=3", .elsewhere = true,
	  .verdict = BC_FAIL, .out = "ratio wavefronts=3",
	  .message = "ratio wavefronts=3; expected wavefronts=2 (e.txt:3); clock wavefronts=3" },
	{ "known elsewhere, passes", .rows = W, .clock = 2, .known = "data", .elsewhere = true, .verdict = BC_PASS },
	{ "known, but skipped", .id = "beta/needs/stsm", .rows = W, .known = "data", .verdict = BC_SKIP,
	  .skip = BC_SKIPPED_NEED, .message = "needs stmatrix (not on sm_00)" },
	{ "known, but broken", .rows = W, .outcome = BC_TOOL_ERROR, .reason = "out of memory", .known = "data",
	  .verdict = BC_BROKEN, .message = "out of memory" },
	{ "known, but lost", .rows = W, .outcome = BC_LOST_WORKER, .reason = "hung", .known = "data",
	  .verdict = BC_LOST, .message = "hung" },
	{ "known, but no row", .clock = 2, .known = "data", .verdict = BC_UNJUDGED,
	  .message = "no expectation for sm_00: write rows for it in expected/; measured: clock wavefronts=2" },
};

static struct bc_catalog cat;
static struct bc_arch arch;

static void set_up(void)
{
	cat = bc_invented_catalog();
	arch = bc_invented_arch();
}

static void tear_down(void)
{
	bc_catalog_release(&cat);
}

static struct bc_bounds bounds_of(unsigned which, struct bc_row row[BC_NQUANTITIES])
{
	static const double usual[BC_NQUANTITIES] = {
		[BC_Q_WAVEFRONTS] = 2, [BC_Q_CONFLICTS] = 1,   [BC_Q_REQUESTS] = 8,
		[BC_Q_SECTORS] = 4,    [BC_Q_CLOCK_RATIO] = 3, [BC_Q_DATA] = 1
	};
	struct bc_bounds b = { 0 };

	for (unsigned q = 0; q < BC_NQUANTITIES; q++) {
		row[q] = (struct bc_row){
			.quantity = (enum bc_quantity)q, .lo = usual[q], .hi = usual[q], .path = "e.txt", .line = 3 + q
		};
		if ((which >> q & 1) != 0)
			b.row[q] = &row[q];
	}
	if ((which & SLACK) != 0) {
		row[BC_Q_WAVEFRONTS].lo = 1.5;
		row[BC_Q_WAVEFRONTS].hi = 2.5;
	}
	if ((which & R9) != 0) {
		row[BC_Q_REQUESTS].lo = row[BC_Q_REQUESTS].hi = 9;
		b.row[BC_Q_REQUESTS] = &row[BC_Q_REQUESTS];
	}
	if ((which & R0) != 0) {
		row[BC_Q_REQUESTS].lo = row[BC_Q_REQUESTS].hi = 0;
		b.row[BC_Q_REQUESTS] = &row[BC_Q_REQUESTS];
	}
	return b;
}

static void copy(char *dst, const char *src, size_t size)
{
	ck_assert(bc_strlcpy(dst, src ? src : "", size));
}

static struct bc_observation observation_of(const struct row *r)
{
	struct bc_observation o = { .outcome = r->outcome, .attempts = r->attempts };

	copy(o.reason, r->reason, sizeof(o.reason));
	o.data_checked = !r->data_unchecked;
	o.data_ok = !r->data_wrong;
	if (r->data_wrong)
		copy(o.data_detail, "lane 3: read 1, expected 2", sizeof(o.data_detail));
	memcpy(o.count, r->count, sizeof(o.count));
	o.requests_stated = r->none_stated ? 0 : r->stated ? r->stated : 8;
	o.requests_counted = !r->uncounted;
	o.counters_void = r->voided;
	o.wavefronts_uncounted = r->no_wavefronts;
	o.conflicts_uncounted = r->no_conflicts;
	o.sectors_counted = r->sectors;
	copy(o.counters_absent, r->counters_absent, sizeof(o.counters_absent));
	o.clock_has = r->clock != 0;
	o.clock_wavefronts = r->clock;
	o.clock_value_has = r->clock_value != 0;
	o.clock_value = r->clock_value;
	copy(o.clock_absent, r->clock_absent, sizeof(o.clock_absent));
	copy(o.clock_flat, r->clock_flat, sizeof(o.clock_flat));
	o.model_has = r->model.requests != 0;
	o.model_requests = r->model.requests;
	o.model_wavefronts = r->model.wavefronts;
	o.model_conflicts = r->model.conflicts;
	copy(o.code_absent, r->code_absent, sizeof(o.code_absent));
	return o;
}

static struct bc_judgement judge(const struct row *r)
{
	struct bc_row row[BC_NQUANTITIES];
	const struct bc_bounds b = bounds_of(r->rows, row);
	const struct bc_observation o = observation_of(r);
	struct bc_known k = { .applies = !r->elsewhere,
			      .expired = r->expired,
			      .reason = "driver bug",
			      .link = "https://bugs.invalid/1" };
	struct bc_judgement out;

	copy(k.outcome, r->known, sizeof(k.outcome));

	const struct bc_judge_in in = { .c = bc_catalog_find(&cat, r->id ? r->id : "alpha/ld/2"),
					.arch = &arch,
					.bounds = &b,
					.obs = &o,
					.known = r->known ? &k : NULL,
					.require_counters = r->require,
					.counters_not_asked = r->counters_not_asked,
					.clock_not_asked = r->clock_not_asked,
					.has_no_clock = r->no_clock,
					.counters_are_model = r->reference };

	ck_assert_ptr_nonnull(in.c);
	memset(&out, 0x55, sizeof(out));
	bc_judge(&in, &out);
	return out;
}

START_TEST(verdict_is_the_rows)
{
	const struct row *r = &rows[_i];
	const struct bc_judgement got = judge(r);

	ck_assert_msg(got.skip == r->skip, "%s: skip %s, not %s", r->what, bc_skip_name(got.skip),
		      bc_skip_name(r->skip));
	ck_assert_msg(got.verdict == r->verdict, "%s: got %s, %s", r->what, bc_verdict_name(got.verdict), got.message);
	ck_assert_msg(strcmp(got.message, r->message ? r->message : "") == 0, "%s: got %s", r->what, got.message);
	ck_assert_msg(strcmp(got.outcome, r->out ? r->out : "") == 0, "%s: got %s", r->what, got.outcome);
}
END_TEST

/* Texts as long as they can be are cut, and never more. */
START_TEST(long_reasons_fit)
{
	static char longest[BC_REASON_MAX];
	struct row r = { .rows = W, .outcome = BC_UNSUPPORTED, .reason = longest };

	memset(longest, 'x', sizeof(longest) - 1);

	struct bc_judgement got = judge(&r);

	ck_assert_int_eq(got.verdict, BC_FAIL);
	r = (struct row){ .rows = W, .counters_absent = longest, .clock_absent = longest };
	got = judge(&r);
	ck_assert_int_eq(got.verdict, BC_SKIP);
	ck_assert_uint_eq(strlen(got.message), BC_MESSAGE_MAX - 1);
}
END_TEST

/* Each verdict is the outcome of some row. */
START_TEST(every_verdict_has_a_row)
{
	size_t n[BC_NVERDICTS] = { 0 };

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++)
		n[rows[i].verdict]++;
	for (unsigned v = 0; v < BC_NVERDICTS; v++)
		ck_assert_msg(n[v] > 0, "no row for %s", bc_verdict_name((enum bc_verdict)v));
}
END_TEST

START_TEST(verdicts_have_names)
{
	static const char *const names[] = { "PASS", "FAIL",	 "DISAGREE", "BROKEN", "LOST",
					     "SKIP", "UNJUDGED", "XFAIL",    "XPASS" };
	static const enum bc_verdict values[] = { BC_PASS, BC_FAIL,	BC_DISAGREE, BC_BROKEN, BC_LOST,
						  BC_SKIP, BC_UNJUDGED, BC_XFAIL,    BC_XPASS };
	enum bc_verdict v;

	ck_assert_uint_eq(BC_ARRAY_LEN(names), BC_NVERDICTS);
	for (size_t i = 0; i < BC_NVERDICTS; i++) {
		ck_assert_str_eq(bc_verdict_name(values[i]), names[i]);
		ck_assert(bc_verdict_parse(names[i], &v));
		ck_assert_int_eq(v, values[i]);
	}
	ck_assert(!bc_verdict_parse("pass", &v));
	ck_assert(!bc_verdict_parse("", &v));
}
END_TEST

START_TEST(exit_status_is_the_rows)
{
	static const struct {
		const char *what;
		size_t n[BC_NVERDICTS];
		bool strict;
		int want;
		size_t not_judged;
	} exits[] = {
		{ "no case at all", { 0 }, false, 0, 0 },
		{ "no case at all, strict", { 0 }, true, 0, 0 },
		{ "all pass", { [BC_PASS] = 5 }, false, 0, 0 },
		{ "a skip beside a pass", { [BC_PASS] = 1, [BC_SKIP] = 9 }, false, 0, 0 },
		{ "a skip beside an expected failure", { [BC_XFAIL] = 1, [BC_SKIP] = 9 }, false, 0, 0 },
		{ "only skips", { [BC_SKIP] = 3 }, false, 4, 0 },
		{ "a case not judged beside passes", { [BC_PASS] = 9, [BC_SKIP] = 1 }, false, 4, 1 },
		{ "not judged beside a failure", { [BC_FAIL] = 1, [BC_SKIP] = 1 }, false, 1, 1 },
		{ "not judged beside a lost one", { [BC_LOST] = 1, [BC_SKIP] = 1 }, false, 2, 1 },
		{ "not judged, strict and provisional", { [BC_PASS] = 1, [BC_SKIP] = 1 }, true, 1, 1 },
		{ "only skips, strict and provisional", { [BC_SKIP] = 3 }, true, 1, 0 },
		{ "strict and provisional", { [BC_PASS] = 3 }, true, 1, 0 },
		{ "a failure", { [BC_PASS] = 3, [BC_FAIL] = 1 }, false, 1, 0 },
		{ "a disagreement", { [BC_PASS] = 3, [BC_DISAGREE] = 1 }, false, 1, 0 },
		{ "an unexpected pass", { [BC_PASS] = 3, [BC_XPASS] = 1 }, false, 1, 0 },
		{ "a case without expectation", { [BC_PASS] = 3, [BC_UNJUDGED] = 1 }, false, 1, 0 },
		{ "an expectation missing beside skips", { [BC_SKIP] = 3, [BC_UNJUDGED] = 1 }, false, 1, 0 },
		{ "broken", { [BC_PASS] = 3, [BC_BROKEN] = 1 }, false, 2, 0 },
		{ "lost", { [BC_PASS] = 3, [BC_LOST] = 1 }, false, 2, 0 },
		{ "broken beats a failure", { [BC_FAIL] = 3, [BC_BROKEN] = 1 }, true, 2, 0 },
		{ "lost beats skips", { [BC_SKIP] = 3, [BC_LOST] = 1 }, false, 2, 0 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(exits); i++) {
		const int got = bc_exit_status(exits[i].n, exits[i].not_judged, exits[i].strict);

		ck_assert_msg(got == exits[i].want, "%s: got %d", exits[i].what, got);
	}
}
END_TEST

Suite *bc_test_judge(void)
{
	Suite *s = suite_create("judge");
	TCase *v = tcase_create("verdicts");

	tcase_add_checked_fixture(v, set_up, tear_down);
	tcase_add_loop_test(v, verdict_is_the_rows, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_test(v, long_reasons_fit);
	tcase_add_test(v, every_verdict_has_a_row);
	tcase_add_test(v, verdicts_have_names);
	tcase_add_test(v, exit_status_is_the_rows);
	suite_add_tcase(s, v);
	return s;
}
