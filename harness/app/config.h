/* SPDX-License-Identifier: MIT */
/* harness/app/config.h - what `bankcheck app` tells the library that it puts into the program: a file of lines
 * "key<TAB>value", named in BANKCHECK_APP. The records of the processes go to the folder that the file is in.
 */
#ifndef BC_APP_CONFIG_H
#define BC_APP_CONFIG_H

#include "harness/base/base.h"
#include "harness/base/option.h"

#define BC_APP_ENVIRONMENT "BANKCHECK_APP" /* path of the file */
#define BC_APP_SAMPLE_MAX 10000u

struct bc_app_config {
	const char *dir;		       /* of the records */
	const char *kernels;		       /* folder of the canaries' images */
	const char *cupti;		       /* NULL: the one that the process holds, else looked for */
	struct bc_option_list filter, exclude; /* globs of kernel names */
	uint32_t want;			       /* bits of enum bc_counter */
	unsigned sample;		       /* launches of a kernel; 0: all */
	unsigned timeout_s;		       /* of one launch */
	unsigned deadline_s;		       /* of measuring; 0: none */
	bool replay, split_graphs;
	char *text; /* that the strings lie in when it was read; malloc'ed */
};

/* As text. */
enum bc_status bc_app_config_write(const struct bc_app_config *c, struct bc_text *out, struct bc_error *err);

/**
 * bc_app_config_read - from the file at @path
 * @out: to be released in any case
 *
 * Return: BC_EREAD, or BC_EDATA with path:line.
 */
enum bc_status bc_app_config_read(const char *path, struct bc_app_config *out, struct bc_error *err);

void bc_app_config_release(struct bc_app_config *c);

/**
 * bc_app_chosen - is a kernel to be measured?
 * @mangled, @name: as the driver has it, and demangled; a glob that matches either counts
 *
 * Chosen: one of filter's globs matches, or there is none, and none of exclude's does.
 */
bool bc_app_chosen(const struct bc_app_config *c, const char *mangled, const char *name);

#endif
