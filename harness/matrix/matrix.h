/* SPDX-License-Identifier: MIT */
/* harness/matrix/matrix.h - the same cases with several compilers and several CUPTIs: what a difference comes from.
 *
 * A star of runs, a cell each: the base, each other compiler (folder of kernel images) with the base's CUPTI, each
 * other CUPTI with the base's images, the driver's compiler (PTX) when it is asked for, and the base again. Each is a
 * process of its own, for two CUPTIs do not share one. The reports are compared with the base's by compare/; what
 * differs is attributed to what the cells that differ have in common.
 */
#ifndef BC_MATRIX_MATRIX_H
#define BC_MATRIX_MATRIX_H

#include <sys/types.h>

#include "harness/base/out.h"
#include "harness/compare/code_lists.h"
#include "harness/compare/compare.h"
#include "harness/run/run_options.h"

#define BC_MATRIX_CELLS_MAX 60

enum bc_cell_kind {
	BC_CELL_BASE = 0,
	BC_CELL_COMPILER,
	BC_CELL_CUPTI,
	BC_CELL_PTX, /* the base's images, of which the driver compiles the PTX (CUDA_FORCE_PTX_JIT=1) */
	BC_CELL_AGAIN,
	BC_CELL_BASELINE, /* a report from elsewhere; not run */
};

struct bc_cell {
	enum bc_cell_kind kind;
	char name[32];		     /* of its folder: "base", "compiler-2", "cupti-3", "ptx", "base-again" */
	const char *kernels, *cupti; /* as given; NULL: the run's default */
	int status;		     /* exit status of its run; 128 + signal */
	char why[400];		     /* "": it ran and is compared; else why it is not, or what it lacks */
	bool idle;		     /* none of its cases ran: it is not compared */
	int why_status;		     /* exit status that this makes: 2 or 4; 0: none */
	struct bc_read_file *files;  /* its reports */
	size_t nfiles;
	struct bc_side side;
	struct bc_diff diff; /* against the base; of the baseline: the base against it */
	bool compared;
	struct bc_code_comparison code; /* of a compiler: its instructions against the base's */
	bool has_code;
	char no_code[400]; /* why not */
};

/* What differs. One case may differ in several. */
enum bc_aspect {
	BC_ASPECT_DATA = 0,
	BC_ASPECT_COUNTS,
	BC_ASPECT_CLOCK,
	BC_ASPECT_VERDICT, /* the verdict, for none of these reasons: LOST, BROKEN, SKIP */
	BC_NASPECTS
};
const char *bc_aspect_name(enum bc_aspect a); /* "data" */

enum bc_cause {
	BC_CAUSE_NOISE = 0,  /* the base differs from the base */
	BC_CAUSE_COMPILER,   /* only under other compilers */
	BC_CAUSE_PTX,	     /* only where the driver compiles */
	BC_CAUSE_CUPTI,	     /* only under other CUPTIs; never of data */
	BC_CAUSE_DRIVER,     /* all cells agree, and the baseline does not */
	BC_CAUSE_EVERYWHERE, /* a finding in every cell, and no baseline says that it was none */
	BC_CAUSE_UNTOLD,     /* under other compilers and under other CUPTIs; data under a CUPTI */
	BC_NCAUSES
};
const char *bc_cause_name(enum bc_cause c);  /* "driver or GPU" */
const char *bc_cause_words(enum bc_cause c); /* a sentence's part: what the cells show */

struct bc_attribution {
	const struct bc_read_device *device; /* of the base, the device_at-th */
	size_t device_at;
	const char *id;
	enum bc_aspect aspect;
	enum bc_cause cause;
	uint64_t cells;			  /* bit i: cell i differs from the base in this */
	bool odd_base;			  /* every other compiler (CUPTI) differs, two or more: it is the base's own */
	bool bad;			  /* worse, or a finding on either side, or noise */
	const struct bc_compared *change; /* in the first of these cells, or against the baseline; NULL: everywhere */
	const struct bc_read_case *base;  /* NULL: the base lacks the case */
};

struct bc_matrix {
	struct bc_cell cell[BC_MATRIX_CELLS_MAX + 1]; /* in the order in which they run; the baseline last */
	size_t ncells;				      /* without the baseline */
	bool has_baseline;
	double tolerance;
	struct bc_attribution *attribution; /* by device, case and aspect */
	size_t n;
	int signal; /* that ended it; 0: none */
};

struct bc_matrix_options {
	const struct bc_run_options *run;     /* given to each cell, but for kernels, cupti and reports */
	const char *self;		      /* path of this binary */
	const char *reports_dir;	      /* exists; a folder below it for each cell */
	struct bc_option_list kernels, cupti; /* the first is the base's; empty: the run's default */
	bool ptx;
	const char *baseline; /* report or folder of reports; NULL: none */
	double tolerance;     /* of the clocks: 0.01 is 1 % */
};

/**
 * bc_matrix_plan - the cells
 * @m: zeroed
 *
 * Return: BC_EUSAGE when there is nothing to compare, a word is there twice, or there are too many cells.
 */
enum bc_status bc_matrix_plan(const struct bc_matrix_options *o, struct bc_matrix *m, struct bc_error *err);

/* A cell is about to run, or has run. */
typedef void bc_matrix_event(void *ctx, const struct bc_matrix *m, const struct bc_cell *c, bool ended);

/**
 * bc_matrix_run - run the cells one after the other, and read their reports and the baseline's
 *
 * What a cell prints is in <reports>/<cell>/output.txt. A cell that cannot run says why. SIGINT and SIGTERM go to the
 * cell, which writes its reports; m->signal then ends the matrix.
 * Return: BC_EREAD, BC_EDATA of the baseline; BC_EWRITE, BC_EDEVICE, BC_ENOMEM.
 */
enum bc_status bc_matrix_run(const struct bc_matrix_options *o, struct bc_matrix *m, bc_matrix_event *event, void *ctx,
			     struct bc_error *err);

/**
 * bc_matrix_compare - compare each cell that has reports with the base, and attribute what differs
 *
 * Pure but for the lists of instructions, which are read. Return: BC_EDATA, BC_ENOMEM. A base without a report is no
 * failure: nothing is compared, and the status says so.
 */
enum bc_status bc_matrix_compare(struct bc_matrix *m, struct bc_error *err);

/* As `diff`: 1 something is worse or a finding; 2 a cell could not run or be compared; 4 one could not judge; 0. */
int bc_matrix_status(const struct bc_matrix *m);

void bc_matrix_release(struct bc_matrix *m);

/* Attributions of a cause. */
size_t bc_matrix_count(const struct bc_matrix *m, enum bc_cause c);

/* "build/kernels-12.4 (CUDA 12.4 by NVRTC and ptxas 12.4.131)", and the same of its CUPTI, as one line. */
void bc_cell_put_kernels(struct bc_out *o, const struct bc_cell *c);
void bc_cell_put_cupti(struct bc_out *o, const struct bc_cell *c);

/* "compiler-2, compiler-3" of the attribution. */
void bc_matrix_put_cells(struct bc_out *o, const struct bc_matrix *m, const struct bc_attribution *a);

/* "PASS -> FAIL: ..." of the attribution: what it is in the first cell that differs. */
void bc_matrix_put_change(struct bc_out *o, const struct bc_attribution *a);

/* Does the line of instructions decide what the suites measure? Those that do not are told by `code -v` alone. */
bool bc_matrix_shows(const struct bc_code_difference *d);

/* The matrix as text, JUnit (a suite a cell), JSON and a page. Return: BC_ENOMEM, BC_EWRITE. */
typedef enum bc_status bc_matrix_printer(const struct bc_matrix *m, struct bc_text *out, struct bc_error *err);
bc_matrix_printer bc_matrix_text, bc_matrix_junit, bc_matrix_json, bc_matrix_page;

#endif
