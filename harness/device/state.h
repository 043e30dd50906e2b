/* SPDX-License-Identifier: MIT */
/* harness/device/state.h - the state a GPU is in while it is measured: clocks, heat, throttling, errors, company. Pure. */
#ifndef BC_DEVICE_STATE_H
#define BC_DEVICE_STATE_H

#include "harness/core/base.h"

/* What could be read; what could not is false in has_*. */
struct bc_gpu_reading {
	bool has_clocks, has_celsius, has_reasons, has_errors, has_processes;
	unsigned sm_mhz, memory_mhz, celsius;
	uint64_t reasons;   /* NVML's clock event (throttle) reasons, bits */
	uint64_t errors;    /* uncorrected ECC errors since the driver was loaded */
	unsigned processes; /* compute processes on the GPU; one of them is the reader */
};

struct bc_device_state {
	char text[200];	     /* "1980 MHz, memory 3201 MHz, 45 C, ..."; "" when nothing could be read */
	char disturbed[160]; /* why times that are taken now mean nothing; "" when they do */
};

void bc_state_describe(const struct bc_gpu_reading *r, struct bc_device_state *out);

#endif
