/* SPDX-License-Identifier: MIT */
/* harness/core/observe.h - what a device reported of one case: witnesses, not verdicts. */
#ifndef BC_CORE_OBSERVE_H
#define BC_CORE_OBSERVE_H

#include "harness/core/case.h"

#define BC_SAMPLES_MAX 32
#define BC_ATTEMPTS_MAX 3
#define BC_REASON_MAX 400

enum bc_outcome {
	BC_RAN = 0,
	BC_LOST_WORKER, /* worker or CUDA context died, hung, was interrupted, or the device given up; why in reason */
	BC_TOOL_ERROR,	/* harness, tool or code at fault, a CUDA error that left its context alive; why in reason */
	BC_UNSUPPORTED, /* the device cannot run it although arch.txt says it can; why in reason */
	BC_NOT_RUN,	/* the run was told to end before its turn came; why in reason */
	BC_NO_IMAGES,	/* the driver or the GPU takes none of the kernel images; why, and the cure, in reason */
	BC_NO_KERNEL,	/* the compiler that made the images is too old for the kernel; what it lacks, in reason */
};

/* One count of a case: totals over the requests of the counted launch, baseline subtracted. */
struct bc_count {
	uint64_t requests, wavefronts, conflicts;
	uint64_t sectors; /* classes global_ld and global_st only */
};

struct bc_observation {
	char id[BC_ID_MAX];
	enum bc_outcome outcome;
	char reason[BC_REASON_MAX];

	bool data_checked, data_ok;
	char data_detail[BC_REASON_MAX]; /* first wrong element: "lane 3 request 0 at offset 0x40: read ..., expected
					    ..." */

	uint64_t data_bytes; /* that were compared, over all launches and SMs */

	/* Counters. requests_stated: what the kernel says it executes; a differing count is BROKEN. */
	unsigned attempts; /* counts made: 0 (witness absent), 1, or up to 3 when the first was not as expected */
	struct bc_count count[BC_ATTEMPTS_MAX];
	uint64_t requests_stated;
	uint64_t counted_with;		     /* cases that shared the counted range with it; 0: none */
	bool requests_counted;		     /* false: the class has no request counter (generic ld/st) */
	bool wavefronts_uncounted;	     /* the class has no wavefront counter (cp.async, global memory) */
	bool conflicts_uncounted;	     /* the class has no conflict counter (global memory) */
	bool sectors_counted;		     /* global memory */
	bool counters_void;		     /* the session's canary did not read what it must */
	char counters_absent[BC_REASON_MAX]; /* why there is no count, "" when there is one */

	/* What was read anew before it counted, and why: a void session, a baseline, a calibration of the clock that
	 * did not rise. "": nothing was. */
	char read_again[BC_REASON_MAX];

	/* Clock. */
	bool clock_has;
	double clock_wavefronts; /* per request, from the device's own calibration; a whole number when it is sure */
	bool clock_value_has;	 /* a program's own clock reads: clock_value is the ratio or slope of expected/ */
	double clock_value;
	char clock_detail[BC_REASON_MAX]; /* whose value it is: which SM's, of what; "": the kernel's */
	unsigned nsamples;
	uint32_t samples[BC_SAMPLES_MAX]; /* cycles of one timed section of 32 accesses (4 warps for stores) */
	char clock_absent[BC_REASON_MAX];
	/* More wavefronts took no more time in the calibration, and no sample strayed: the clock names no number, which
	 * is a finding about the device. "" when there is none; clock_has is false and clock_absent "" then. */
	char clock_flat[BC_REASON_MAX];

	/* Of a case that runs on every SM: what is not the same on all of them and is no data and no time; "": nothing.
	 */
	char sms_detail[BC_REASON_MAX];

	/* Model: the bank laws on the case's addresses, totals over one run of the pattern. */
	bool model_has;
	uint64_t model_wavefronts, model_conflicts, model_requests;
	char model_absent[BC_REASON_MAX];

	/* Code: cases with BC_NEED_CODE only. The instruction not in the listing is BC_TOOL_ERROR, not this. */
	char code_absent[BC_REASON_MAX]; /* why the image has no code listing, "" when it was looked at */

	double seconds; /* wall time spent on the case, shared work divided evenly */
};

/* @o->read_again tells @why too, once. */
void bc_observation_read_again(struct bc_observation *o, const char *why);

#endif
