/* SPDX-License-Identifier: MIT */
/* harness/device/state.h - the state a GPU is in while it is measured: clocks, heat, throttling, errors, company. Pure.
 */
#ifndef BC_DEVICE_STATE_H
#define BC_DEVICE_STATE_H

#include "harness/base/base.h"

/* What could be read; what could not is false in has_*. */
struct bc_gpu_reading {
	bool has_clocks, has_celsius, has_reasons, has_errors, has_processes;
	unsigned sm_mhz, memory_mhz, celsius;
	uint64_t reasons;   /* NVML's clock event (throttle) reasons, bits */
	uint64_t errors;    /* uncorrected ECC errors since the driver was loaded */
	unsigned processes; /* compute processes on the GPU; one of them is the reader */
	bool mps;	    /* contexts of the GPU are shared through MPS */
};

struct bc_device_state {
	char text[200];	     /* "1980 MHz, memory 3201 MHz, 45 C, ..."; "" when nothing could be read */
	char disturbed[160]; /* why times that are taken now mean nothing; "" when they do */
};

void bc_state_describe(const struct bc_gpu_reading *r, struct bc_device_state *out);

/* One event as NVML delivers it. */
struct bc_gpu_event {
	uint64_t type; /* nvmlEventType*, one bit */
	uint64_t data; /* of an Xid: its number */
};

#define BC_GPU_XID UINT64_C(0x8)
/* Event types that tell of an error, Xid and ECC; changes of clocks, power source and MIG do not. */
#define BC_GPU_ERROR_EVENTS UINT64_C(0xfe0b)
#define BC_GPU_EVENTS_MAX 16

struct bc_gpu_events {
	struct bc_gpu_event event[BC_GPU_EVENTS_MAX];
	size_t n;    /* that are there */
	size_t more; /* that found no room */
	bool lost;   /* the driver says that the GPU is lost */
};

/* Time for which the clocks were held down since the driver was loaded, ns; what is not known is false in has_*. */
struct bc_gpu_slowdown {
	bool has_heat, has_board;
	uint64_t heat_ns, board_ns; /* by heat; by the board's own limit (power brake) */
};

/* What has happened to a device in a span of time. */
struct bc_device_events {
	char events[200]; /* "Xid 31 (GPU memory page fault), double-bit ECC error 2 times"; "": none was seen */
	char slowed[160]; /* why times taken in the span mean nothing; "" when they do */
};

void bc_state_events_since(const struct bc_gpu_events *events, const struct bc_gpu_slowdown *before,
			   const struct bc_gpu_slowdown *after, struct bc_device_events *out);

/* What an Xid number means, in NVIDIA's words ("Xid Errors", docs.nvidia.com/deploy/xid-errors); NULL: not in the
 * table. */
const char *bc_xid_meaning(uint64_t xid);

#endif
