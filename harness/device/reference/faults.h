/* SPDX-License-Identifier: MIT */
/* harness/device/reference/faults.h - faults that can be planted in the reference device, one table row each.
 *
 * A fault is a change of the device, not of the harness: of the architecture it is built by, of the bank laws, of
 * what memory does, or of what its counters read. All are deterministic: they go by lane, address and content of an
 * access, never by time, order of threads or a count kept from launch to launch.
 */
#ifndef BC_DEVICE_REFERENCE_FAULTS_H
#define BC_DEVICE_REFERENCE_FAULTS_H

#include "harness/device/reference/ptx.h"

/* How a fault is to be caught. */
enum bc_fault_kind {
	BC_FAULT_LAW = 0, /* counts by other laws, or other capacities: FAIL or DISAGREE */
	BC_FAULT_DATA,	  /* wrong data: FAIL */
	BC_FAULT_TIME,	  /* takes other times: FAIL by the clock, unseen by counters */
	BC_FAULT_COUNTER, /* lying counters: the canary of the class voids the session, so BROKEN */
};
const char *bc_fault_kind_name(enum bc_fault_kind k); /* "law", "data", "time", "counter" */

#define BC_FAULT_SUITES 12

struct bc_fault {
	const char *name;     /* [a-z0-9_-]+: what --fault takes */
	const char *sentence; /* what is wrong with the device */
	enum bc_fault_kind kind;
	const char *suites[BC_FAULT_SUITES]; /* those whose rule it breaks and that must catch it; NULL-terminated */
	bool quick;			     /* of the quick part of the self-test: one of each law */
	bool any_kernel; /* spoils the results of every kernel, whatever it does: a rule is not shown to be tested by it
			  */
	uint32_t sms;	 /* multiprocessors that the device has at least; 0: as it is asked for */
	size_t feature;	 /* offset in bc_arch of the 0/1 value that must be 1 for it; 0: none */
	void (*arch)(struct bc_arch *a);	 /* changes what the device is built by; NULL: nothing */
	struct bc_ptx_hooks hooks;		 /* all NULL: none */
	void (*timing)(struct bc_ptx_timing *t); /* changes what accesses take; NULL: nothing */
	/* With counters forbidden, the clock alone must find it, unless this says why no clock can; NULL: it must. */
	const char *no_clock;
	const char *clock_rule; /* "suite/rule": the only one whose time shows it; where the architecture has no figure
				   for it the clock need not find it; NULL: patterns show it, which need no figure */
	void (*counters)(struct bc_ptx_counts *c); /* changes what the counters read after a launch; NULL: nothing */
};

/* All of them, ended by a row without a name. */
extern const struct bc_fault bc_faults[];

/* Return: the fault called @name, NULL when there is none. */
const struct bc_fault *bc_fault_find(const char *name);

/**
 * bc_fault_require - the fault called @name
 *
 * Return: BC_EUSAGE with the list of names when there is none.
 */
enum bc_status bc_fault_require(const char *name, const struct bc_fault **out, struct bc_error *err);

/* Can a device of this architecture have the fault? False: the feature it is a fault of is not there. */
bool bc_fault_possible(const struct bc_fault *f, const struct bc_arch *a);

#endif
