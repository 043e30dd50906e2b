/* SPDX-License-Identifier: MIT */
/* harness/device/device.h - what a device is: one table of operations that cuda and reference implement.
 *
 * A device runs kernels by name and counts. It knows nothing of cases, expectations or verdicts: launches,
 * oracles, canaries, baselines and the clock's calibration are made by harness/measure, once, for all devices.
 */
#ifndef BC_DEVICE_DEVICE_H
#define BC_DEVICE_DEVICE_H

#include "harness/base/base.h"
#include "harness/core/facts.h"
#include "harness/core/op.h"
#include "harness/core/tensor_map.h"
#include "harness/device/state.h"

/* Counters, under one name for all devices. The key is what reports print. */
enum bc_counter {
	BC_CTR_LD_REQUESTS = 0,
	BC_CTR_LD_WAVEFRONTS,
	BC_CTR_LD_CONFLICTS,
	BC_CTR_ST_REQUESTS,
	BC_CTR_ST_WAVEFRONTS,
	BC_CTR_ST_CONFLICTS,
	BC_CTR_ATOM_REQUESTS,
	BC_CTR_ATOM_WAVEFRONTS,
	BC_CTR_ATOM_CONFLICTS,
	BC_CTR_LDSM_REQUESTS,
	BC_CTR_STSM_REQUESTS,
	BC_CTR_LDGSTS_REQUESTS,
	BC_CTR_LDGSTS_CONFLICTS,
	BC_CTR_GLOBAL_LD_REQUESTS,
	BC_CTR_GLOBAL_LD_SECTORS,
	BC_CTR_GLOBAL_ST_REQUESTS,
	BC_CTR_GLOBAL_ST_SECTORS,
	BC_CTR_ARBITRATION,
	BC_CTR_INSTRUCTIONS,
	BC_CTR_BARRIERS,
	BC_CTR_GMMA_WAVEFRONTS,
	BC_CTR_GMMA_CONFLICTS,
	BC_CTR_TMA_LD_SECTORS,
	BC_CTR_TMA_ST_SECTORS,
	BC_CTR_DURATION, /* nanoseconds */
	BC_NCOUNTERS
};
const char *bc_counter_name(enum bc_counter c); /* "ld_requests" */

struct bc_counts {
	uint64_t v[BC_NCOUNTERS];
	uint32_t present; /* bit c set: v[c] was read */
};

/* Multiprocessors that the reference device can have. */
#define BC_REFERENCE_SMS_MAX 256

/* Ranges that one call of count takes in one session; more are counted in several. */
#define BC_SESSION_RANGES 96

/* Most cases that measure/ counts in one range: the third makes 5,184 requests, 0.2 ms at worst. */
#define BC_PACK_MAX 3

#define BC_LAUNCH_BUFFERS 8
#define BC_LAUNCH_PARAMS_MAX 512 /* at least BC_PROGRAM_PARAMS_MAX */
#define BC_LAUNCH_MAPS 2

/* One buffer of global memory, made for the launch. Its device address is written into the parameters. */
struct bc_buffer {
	size_t bytes;
	const void *init; /* [bytes] contents before the launch; NULL: every byte is poison */
	uint8_t poison;
	void *out;	     /* [bytes] copied back after the launch; NULL: not wanted */
	size_t param_offset; /* where in the parameters its 64-bit address goes */
	/* It is there once for each block of the launch, all poisoned, one after another; @out is [blocks][bytes], and
	 * @bytes a multiple of 4. */
	bool per_block;
	/* per_block: [blocks] how many of its 4-byte words differ from block 0's: compared on the device, and only
	 * block 0's part and those that differ come back. NULL: all come back. */
	uint32_t *differ;
};

/* One kernel launch. Parameters are laid out as C and CUDA lay out a struct of them. */
struct bc_launch {
	const char *image;	    /* kernel file without suffix: "pattern_ld" */
	const char *kernel;	    /* entry name: "bc_ld32" */
	const char *label;	    /* case id, for messages */
	uint32_t grid[3], block[3]; /* each at least 1 */
	uint32_t cluster[3];	    /* blocks of a cluster; 0 is 1, all 0 or 1: no clusters */
	uint32_t shared_bytes;	    /* dynamic shared memory of a block; where it needs that, the device opts in */
	bool no_optin; /* it does not: more than 48 KB, static and dynamic, is then an error; run it alone */
	unsigned char params[BC_LAUNCH_PARAMS_MAX];
	size_t params_size;
	struct bc_buffer buffers[BC_LAUNCH_BUFFERS];
	size_t nbuffers;
	/* Made when the buffers have their addresses. One that the device refuses is a refused launch. */
	struct bc_tensor_map maps[BC_LAUNCH_MAPS];
	size_t nmaps;
	/* What the reference device's checks may not report for this kernel. */
	bool multi_writer, reads_unwritten;
	bool repeats;	  /* the kernel repeats its requests with no barrier between: it is not checked for races */
	bool cooperative; /* all blocks at once, at most one an SM: they may wait for one another */
	bool joined;	  /* when counted: in one range with the launch before it; the first of an array never is */
};

/* Bytes of a buffer of a launch, over all its blocks. */
size_t bc_buffer_bytes(const struct bc_launch *l, const struct bc_buffer *b);

/* Does a tensor map of a launch name a buffer, and a place in the parameters? BC_EUSAGE. */
enum bc_status bc_launch_map_check(const struct bc_launch *l, const struct bc_tensor_map *m, struct bc_error *err);

/* From counts of launches to counts of ranges: what joined launches counted is added to the first of their range. */
void bc_counts_join(const struct bc_launch *l, size_t n, struct bc_counts *counts);

/* Launches of the range that begins at @l, of @n (at least 1) that there are: @l and those joined to it. */
size_t bc_range_launches(const struct bc_launch *l, size_t n);

/* @counts: [n], the first @ranges of which are those of the ranges of @l, in order. Each goes to its range's first
 * launch; joined launches get none. */
void bc_counts_spread(const struct bc_launch *l, size_t n, size_t ranges, struct bc_counts *counts);

struct bc_open_options {
	const char *kernels_dir;  /* images: <dir>/<image>.fatbin; PTX: <dir>/ptx/<image>.ptx */
	bool images_beside;	  /* cuda: the first that the driver takes of that folder and those beside it */
	const char *expected_dir; /* reference device: arch.txt */
	const char *fault;	  /* reference device: planted fault, NULL: none */
	const char *law;	  /* reference device: file of its bank law (core/arch.h), NULL: the architecture's */
	bool racecheck;		  /* reference device */
	bool reference_clock;	  /* reference device: it has a clock (docs/reference-device.md) */
	uint32_t reference_noise; /* its reads are late by 0 to so many cycles */
	uint32_t reference_sms;	  /* reference device: multiprocessors, at most BC_REFERENCE_SMS_MAX; 0: 1 */
	bool no_counters;	  /* --witness clock: do not open CUPTI */
	const char *cupti;	  /* cuda: the libcupti to open, this one alone; NULL: looked for */
	const char *counters_off; /* why CUPTI must not be called, for facts and reports; NULL: it may be */
	/* Called before the device first calls the profiler's library and after, when it is opened and round the first
	 * session that ends well: a process that ends between the two was ended by that library, or hangs in it. NULL:
	 * nobody wants to know. */
	void (*profiler)(void *ctx, bool begins);
	void *profiler_ctx;
};

struct bc_device; /* each backend defines its own */

struct bc_device_ops {
	const char *name; /* "cuda", "reference": what --device takes */

	/* List what is here. @facts: malloc'ed array, the caller frees it. None is no error (*n = 0). */
	enum bc_status (*list)(const struct bc_open_options *o, struct bc_facts **facts, size_t *n,
			       struct bc_error *err);

	/* Open one; facts of the opened device are complete (counters_absent is known). Return: BC_EIMAGES with the
	 * cure when it takes none of the images. */
	enum bc_status (*open)(const struct bc_open_options *o, const struct bc_facts *which, struct bc_device **out,
			       struct bc_error *err);
	const struct bc_facts *(*facts)(const struct bc_device *d);

	/* The folder of the images that it runs. NULL: the one of the open options. */
	const char *(*kernels_dir)(const struct bc_device *d);

	/* Identity of an image on this device: hash of the file's bytes. */
	enum bc_status (*image)(struct bc_device *d, const char *image, uint64_t *hash, struct bc_error *err);

	/* Run @n launches in order, unprofiled, and copy their buffers back.
	 * Return: BC_EDEVICE when the device refuses or fails, BC_ENOMEM when the host lacks memory. */
	enum bc_status (*run)(struct bc_device *d, const struct bc_launch *launch, size_t n, struct bc_error *err);

	/* Run @n launches under the counters of @want (bits of enum bc_counter). A launch and those joined to it are
	 * one range, counted together.
	 * @counts: [n]; a range's are at its first launch, those of joined launches are all 0 and none is present.
	 * Counters the chip lacks are left out of counts[i].present. Return: BC_EDEVICE when counting is impossible
	 * (the reason belongs in counters_absent), and for a CUDA error of a kernel; BC_ENOMEM when the host lacks
	 * memory: no witness may be absent for that. */
	enum bc_status (*count)(struct bc_device *d, const struct bc_launch *launch, size_t n, uint32_t want,
				struct bc_counts *counts, struct bc_error *err);

	unsigned pack; /* cases worth counting in one range, as a range is dear: 1 to BC_PACK_MAX */

	/* Blocks of @launch that an SM holds at a time, by the device's own calculation. NULL: it has none. */
	enum bc_status (*occupancy)(struct bc_device *d, const struct bc_launch *launch, uint32_t *blocks,
				    struct bc_error *err);

	/* The state the device is in now. NULL: it has none. */
	void (*state)(struct bc_device *d, struct bc_device_state *out);

	/* What has happened to it (errors it told of, slowdowns) since this was last asked, or since it was opened. On
	 * a device that is not alive it may wait a moment for the news. NULL: it knows of nothing. */
	void (*events_since)(struct bc_device *d, struct bc_device_events *out);

	/* After a failure: true when the device is still usable. False after an error that ended its context (sticky:
	 * an illegal address, a trap ...): every later call fails, and only a new process gets a new context. */
	bool (*alive)(const struct bc_device *d);

	/* Which chips the profiler's library knows, and which of them has which counter; needs no device. Lines of
	 * cells divided by tabs: "library", its file and version; "chip", a name, "" or why it is refused; "counter",
	 * its name, its metric, and the chips that have it, by blanks.
	 * @o: o->cupti counts alone. The library may end or hang the process: call it in a child. NULL: it has none. */
	enum bc_status (*metrics)(const struct bc_open_options *o, struct bc_text *out, struct bc_error *err);

	void (*close)(struct bc_device *d); /* NULL is allowed */
};

extern const struct bc_device_ops bc_device_reference; /* always built */
#ifdef BC_WITH_CUDA
extern const struct bc_device_ops bc_device_cuda; /* the one #ifdef outside device/cuda */
#endif

#endif
