/* SPDX-License-Identifier: MIT */
/* harness/tests/ptx/ptx_run.h - run one PTX kernel in a test: parse, load, prepare, launch, copy out. */
#ifndef BC_TESTS_PTX_PTX_RUN_H
#define BC_TESTS_PTX_PTX_RUN_H

#include "harness/device/reference/ptx.h"

#define BC_PTX_RUN_LINE 9    /* line of the first line of a wrapped body */
#define BC_PTX_RUN_FILL 0xee /* every byte of out before the launch */

/*
 * The kernel has the parameters (u64 in, u64 out, u32 n). A body is wrapped into an entry `k` that declares
 * %p0..15, %h0..31 (b16), %r0..63 (b32), %d0..63 (b64) and dynamic shared memory `window`, and starts with
 *   %d0 in, %d1 out, %r0 n, %r1 thread of the block, %r2 window, %r3 thread of the grid (x only),
 *   %d2 in + 4 * %r3, %d3 out + 4 * %r3.
 */
struct bc_ptx_run_spec {
	const char *text; /* whole PTX, or */
	const char *body;
	const char *entry;	     /* NULL: the first */
	const char *path;	     /* NULL: "test.ptx" */
	const struct bc_arch *arch;  /* NULL: bc_ptx_run_arch() */
	struct bc_ptx_launch launch; /* 0 in grid: 1; block all 0: 32; the parameters are filled in */
	const void *in;
	size_t in_bytes;
	void *out;
	size_t out_bytes;
	bool keep_out; /* out goes in as it is, instead of being filled */
	uint32_t n;
};

/* An architecture like sm_90, with everything. */
struct bc_arch bc_ptx_run_arch(void);

/* Return: the first failure of any step. @r may be NULL. */
enum bc_status bc_ptx_run_kernel(const struct bc_ptx_run_spec *s, struct bc_ptx_result *r, struct bc_error *err);

/* A file of harness/tests/data/ptx; ends the test when it cannot be read. Free with free(). */
char *bc_ptx_run_file(const char *name);

#endif
