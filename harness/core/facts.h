/* SPDX-License-Identifier: MIT */
/* harness/core/facts.h - what is known of a device: planned with, and printed in reports. */
#ifndef BC_CORE_FACTS_H
#define BC_CORE_FACTS_H

#include "harness/base/base.h"

enum bc_device_kind { BC_DEVICE_CUDA = 0, BC_DEVICE_REFERENCE };

/* A device as listed, before it is opened. Strings are "" where unknown. */
struct bc_facts {
	enum bc_device_kind kind;
	unsigned index; /* cuda: CUDA's index; reference: place in the list */
	char arch[16];	/* "sm_90" */
	char name[128]; /* "NVIDIA H200"; "reference device" */
	char uuid[64], pci[32];
	char serial[32], board_part[32];      /* of the board */
	char vbios[32], gsp_firmware[64];     /* versions */
	char mig[64];			      /* "off"; "on"; "on, 1g.18gb": of an instance, with its profile */
	char pcie_width[24];		      /* "x8 of x16": the link's lanes now, and the most it can have */
	char driver[64], cuda[32], cupti[64]; /* versions; cuda: what the driver supports */
	char cupti_file[256];		      /* the library CUPTI came from; ~ is the user's home */
	char toolkit[96];		      /* what made the images: "CUDA 13.0 by nvcc 13.0.88" */
	char images[400];      /* the folder of images taken, and why none before it: "kernels-12.9 (...)" */
	char code[200];	       /* what of them runs: "machine code for sm_90" */
	char environment[400]; /* variables that change what runs: "CUDA_FORCE_PTX_JIT=1" */
	uint32_t optin_bytes, sm_bytes, reserved_bytes, static_bytes; /* as the driver states; 0: unknown */
	uint32_t sms;
	uint32_t clock_khz, memory_clock_khz;
	int ecc;		   /* 1, 0, -1 unknown */
	char counters_absent[400]; /* why counters cannot be read, with the cure; "" when they can or it is not known
				      yet */
	char clock_absent[400];	   /* why there is no clock witness; "" when there is one */
	bool counters_are_model;   /* reference device: the counters are the bank laws */
};

#endif
