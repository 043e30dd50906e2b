/* SPDX-License-Identifier: MIT */
/* harness/tests/measure/fake_device.h - a device for tests only: it runs the pattern kernels in C and misbehaves when
 * told to.
 *
 * It knows the pattern kernels of loads and stores by name (bc_ld32, bc_st128_clock ...), reads the parameter struct as
 * they do, checks that the launch gives them what they need, and counts by the bank laws. Cycles are an H200's: a
 * chain of loads takes 23 cycles and 2 for each further wavefront, four warps of stores take 4 cycles per wavefront.
 */
#ifndef BC_TESTS_MEASURE_FAKE_DEVICE_H
#define BC_TESTS_MEASURE_FAKE_DEVICE_H

#include "harness/core/arch.h"
#include "harness/device/device.h"

/* What the counters do wrong. */
enum bc_fake_fault {
	BC_FAKE_RIGHT = 0,
	BC_FAKE_STUCK,	  /* every counter reads 0 */
	BC_FAKE_DOUBLED,  /* every counter reads twice what it should */
	BC_FAKE_ONE_MORE, /* one wavefront and conflict more than there are */
	BC_FAKE_ONE_REQUEST_MORE,
	BC_FAKE_NOTHING, /* a launch with repetitions reads less than one without */
};

/* State and switches. Zero: a device that behaves. Numbers of calls and launches count from 1; 0: never. */
struct bc_fake {
	struct bc_facts facts;
	struct bc_arch arch;
	uint32_t overhead; /* requests, wavefronts and conflicts of every counted launch beside the pattern's */
	/* misbehaviour */
	unsigned fail_run, fail_count;	/* this call of run, count fails */
	unsigned refuse_from;		/* from this call on count is refused, on a device that is well */
	bool dies;			/* with the failure above, or at bad_label, the device is no longer usable */
	const char *bad_label;		/* a launch with this label fails, whoever else is in the call */
	const char *wrong_label;	/* a data launch with this label brings back ... */
	unsigned wrong_lane;		/* ... one wrong bit in what this lane loaded or stored */
	enum bc_fake_fault fault;	/* of the counters ... */
	const char *fault_label;	/* ... in launches with this label, NULL: in all ... */
	unsigned fault_from, fault_to;	/* ... and in these calls of count; 0, 0: in all */
	unsigned wrong_baseline;	/* this counted launch with 0 repetitions, from 1, reads ... */
	int wrong_by;			/* ... so many of everything more than it should */
	bool baselines_stray;		/* each reads more than the one before it */
	uint32_t missing;		/* bits of enum bc_counter: the chip lacks them */
	bool flat_clock;		/* every section takes the same time ... */
	unsigned flat_clock_runs;	/* ... or so in the first calls of run alone */
	bool noisy_clock;		/* every fourth sample is far off */
	struct bc_device_state state;	/* in which it says it is */
	struct bc_device_events events; /* told once */
	/* what was seen */
	unsigned runs, counts; /* calls */
	unsigned baselines;    /* counted launches with 0 repetitions */
	unsigned launches;     /* counted launches */
	unsigned looks;	       /* at its state */
	bool dead;
	char bad_launch[200]; /* the first launch that no pattern kernel can run; "" */
};

extern const struct bc_device_ops bc_device_fake;

/* sm_90 as an H200 is, written by hand. */
struct bc_arch bc_fake_arch(void);

/* A device of @f, which outlives it; @f->arch is set when it has no name. Close it with bc_device_fake.close. */
struct bc_device *bc_fake_open(struct bc_fake *f);

#endif
