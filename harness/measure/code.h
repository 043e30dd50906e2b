/* SPDX-License-Identifier: MIT */
/* harness/measure/code.h - which machine instructions a kernel has, for laws that depend on the instruction chosen.
 *
 * Read from <kernels>/<image>.code, which the build writes beside each image (tools/code-list.sh has the format). A
 * listing that is not of the image beside it is not believed.
 */
#ifndef BC_MEASURE_CODE_H
#define BC_MEASURE_CODE_H

#include "harness/core/observe.h"

struct bc_code; /* the listings of a folder, each read once */

/* @kernels_dir: not copied, outlives it. */
enum bc_status bc_code_open(const char *kernels_dir, struct bc_code **out, struct bc_error *err);
void bc_code_close(struct bc_code *c); /* NULL is allowed */

struct bc_code_answer {
	bool there;	  /* the kernel has the instruction */
	char absent[300]; /* why that cannot be told, "" when it can */
	char text[300];	  /* not there: what was looked for and where */
};

/**
 * bc_code_find - is an instruction in a kernel?
 * @mnemonic: opcode, or the first of its dot-separated parts: "ATOMS.POPC.INC" finds ATOMS.POPC.INC.32
 *
 * Looked at is the machine code that runs on @a: its own, or that of the next lower minor of the same major version.
 * A listing without either means that the driver compiles the image's PTX, and nothing is known of that code.
 * Return: BC_ENOMEM; every other trouble is in the answer.
 */
enum bc_status bc_code_find(struct bc_code *c, const struct bc_arch *a, const char *image, const char *kernel,
			    const char *mnemonic, struct bc_code_answer *out, struct bc_error *err);

/**
 * bc_code_observe - a case with BC_NEED_CODE: is its instruction in the code of its kernel?
 * @c: NULL: no folder of images was given
 * @o: code_absent is filled; the instruction not in the listing is BC_TOOL_ERROR. Untouched when the case needs no
 * code.
 */
enum bc_status bc_code_observe(struct bc_code *c, const struct bc_case *of, const struct bc_arch *a,
			       struct bc_observation *o, struct bc_error *err);

#endif
