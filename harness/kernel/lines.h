/* SPDX-License-Identifier: MIT */
/* harness/kernel/lines.h - which line of the source an instruction of PTX comes from (.file and .loc). */
#ifndef BC_KERNEL_LINES_H
#define BC_KERNEL_LINES_H

#include "harness/base/base.h"

struct bc_source_place {
	uint32_t file; /* index into the files, 0: the PTX text itself */
	uint32_t line; /* from 1 */
};

struct bc_source_lines {
	char **file; /* [nfiles] paths; [0] NULL */
	size_t nfiles;
	struct bc_source_place *at; /* [nlines + 1] by line of the text, from 1 */
	size_t nlines;
};

/**
 * bc_source_lines_read - the places of all lines of a PTX text
 * @text: NUL-terminated
 *
 * A line without a .loc before it in its function is its own place (file 0). What was inlined has the innermost place,
 * of its own and those of the calls around it, in the file of the outermost call: an instruction of a header counts for
 * the line that used it, also where one function of the header called another.
 * A .loc or .file that cannot be read is passed over. Return: BC_ENOMEM.
 */
enum bc_status bc_source_lines_read(const char *text, struct bc_source_lines *out, struct bc_error *err);
void bc_source_lines_release(struct bc_source_lines *s); /* a zeroed one is allowed */

#endif
