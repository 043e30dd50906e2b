/* SPDX-License-Identifier: MIT */
/* harness/kernel/kernel.h - a kernel of one's own on the reference device: what each line of its source costs in shared
 * memory, by the bank laws applied to its PTX. */
#ifndef BC_KERNEL_KERNEL_H
#define BC_KERNEL_KERNEL_H

#include "harness/base/file.h"
#include "harness/base/option.h"
#include "harness/kernel/args.h"
#include "harness/kernel/lines.h"
#include "harness/kernel/tally.h"

struct bc_kernel_options {
	const char *file;			 /* .ptx, or .cu where nvcc is found */
	const char *entry;			 /* mangled, demangled or its core (ns::scale); NULL: the only one */
	const char *grid, *block, *shared_bytes; /* NULL: 1, 32, 0 */
	const char *nvcc_flags;			 /* words separated by blanks; NULL: none */
	const struct bc_option_list *symbols;	 /* NAME=FILL: .global and .const variables, before the launch */
	const struct bc_option_list *args;	 /* one a parameter, in their order */
	uint64_t max_instructions; /* of all warps, before the kernel is one that never ends; 0: the default */
	const char *save;	   /* folder for what out= buffers hold afterwards, NULL: none */
	const struct bc_arch *arch;
};

/* One operation of one line of the source. */
struct bc_kernel_row {
	struct bc_source_place place;
	struct bc_kernel_count n; /* ptx_line: of the worst request */
	char hint[200];		  /* what would cure it, computed; "": nothing was found */
};

struct bc_kernel_source {    /* a file of the places */
	char *path;	     /* [0]: of the PTX */
	struct bc_text text; /* empty: it is not here */
};

struct bc_kernel_report {
	char *entry, *name; /* mangled, demangled */
	char arch[16];
	uint32_t grid[3], block[3], static_bytes, dynamic_bytes;
	struct bc_kernel_row *row; /* shared before global, each by what is lost, then by place */
	size_t nrows;
	struct bc_source_lines lines;
	struct bc_kernel_source *source; /* [lines.nfiles, at least 1] */
	struct bc_ptx_counts counts;
	char **finding; /* races, reads of what was never written, what ended the kernel: with their source lines */
	size_t nfindings;
};

/**
 * bc_kernel_run - compile (.cu), parse, launch, count
 *
 * Return: BC_EUSAGE for arguments that do not fit the kernel (with its parameters) and for an entry that is not there
 * (with those that are); BC_EREAD, BC_EDATA for a file that cannot be read or PTX that the interpreter does not know,
 * with path:line; BC_EDEVICE when nvcc fails; BC_EWRITE for --save. A kernel that fails is a finding, not an error.
 */
enum bc_status bc_kernel_run(const struct bc_kernel_options *o, struct bc_kernel_report *out, struct bc_error *err);
void bc_kernel_report_release(struct bc_kernel_report *r); /* a zeroed one is allowed */

/* The rows of a report, from what a launch's instructions asked for (rows.c). BC_ENOMEM, BC_EDATA. */
enum bc_status bc_kernel_rows(struct bc_kernel_tally *t, const struct bc_arch *arch, struct bc_kernel_report *r,
			      struct bc_error *err);

/* nvcc's PTX of a .cu file, with lines (compile.c). @arch: "sm_90". SIGINT, SIGTERM and SIGHUP end nvcc first, and
 * then, its temporary folder removed, the process as they always do. */
enum bc_status bc_kernel_compile(const char *file, const char *arch, const char *flags, struct bc_text *ptx,
				 struct bc_error *err);

/* The line of a source file (from 1), without its end; "" where the file or the line is not there. Not NUL-terminated:
 * @len. */
const char *bc_kernel_source_line(const struct bc_kernel_report *r, struct bc_source_place p, size_t *len);

/* "ld32", "atom.shared 8 B", "ld.global 16 B": @buf. */
const char *bc_kernel_op_text(const struct bc_kernel_count *n, char buf[48]);

/* The path of the place's file, for people. */
const char *bc_kernel_file(const struct bc_kernel_report *r, struct bc_source_place p);

/* Conflicts a request of a row; 0 where the law is not known. */
double bc_kernel_conflicts(const struct bc_kernel_row *row);

/* Of a row that has shared memory: is it above @max? */
typedef enum bc_status bc_kernel_printer(const struct bc_kernel_report *r, double max, struct bc_text *out,
					 struct bc_error *err);
/* @max: --max-conflicts, negative: none. Text; JSON (docs/json.md); a page with the source and its counts. */
bc_kernel_printer bc_kernel_text, bc_kernel_json, bc_kernel_page;

/* Rows above @max. */
size_t bc_kernel_above(const struct bc_kernel_report *r, double max);

/* The worst request of the source line @line, drawn as `explain` does; BC_EUSAGE when the line has none. */
enum bc_status bc_kernel_draw(const struct bc_kernel_report *r, const struct bc_arch *arch, unsigned line,
			      struct bc_text *out, struct bc_error *err);

#endif
