/* SPDX-License-Identifier: MIT */
/* harness/compare/code_lists.h - two folders of kernel images by their lists of instructions (tools/code-list.sh).
 *
 * The counts are of instructions in the code, not of executed ones: a loop that is unrolled otherwise has others.
 */
#ifndef BC_COMPARE_CODE_LISTS_H
#define BC_COMPARE_CODE_LISTS_H

#include "harness/base/base.h"

/* What an instruction is for the comparison. Those up to BC_CODE_TIMED decide what the suites measure. */
enum bc_code_class {
	BC_CODE_SHARED = 0, /* LDS STS LDSM STSM LDGSTS UBLKCP, and LD ST, which may reach shared memory */
	BC_CODE_ATOMIC,	    /* ATOMS REDS, and ATOM RED, which may reach shared memory */
	BC_CODE_BARRIER,    /* BAR, its modifiers dropped; SYNCS */
	BC_CODE_MATRIX,	    /* HMMA IMMA DMMA ... */
	BC_CODE_SPILLS,	    /* LDL STL, and bytes of the stack */
	BC_CODE_BYTES,	    /* of static shared memory */
	BC_CODE_TIMED,	    /* "timed:STS*32,LDS": what stands between two reads of the clock, in its order */
	BC_CODE_GLOBAL,	    /* LDG STG ATOMG REDG */
	BC_CODE_REGISTERS,
	BC_CODE_NCLASSES
};
const char *bc_code_class_name(enum bc_code_class c); /* "shared" */

/* Is a difference of this class one of what the suites measure? Global accesses and registers are told only. */
bool bc_code_class_counts(enum bc_code_class c);

/**
 * bc_code_class_of - the class of a line of a list
 * @name: mnemonic with modifiers, or "registers", "stack" ...
 * @key:  [size] the name as it is compared: "BAR" of "BAR.SYNC.DEFER_BLOCKING", else the name itself
 *
 * Return: BC_CODE_NCLASSES for what is not compared.
 */
enum bc_code_class bc_code_class_of(const char *name, char *key, size_t size);

/* One difference; the texts are the comparison's. */
struct bc_code_difference {
	const char *image, *arch, *kernel, *key; /* key "": the kernel is in one list alone */
	enum bc_code_class class;
	uint64_t was, now;
};

struct bc_code_lists;

struct bc_code_comparison {
	struct bc_code_lists *old, *now;
	struct bc_code_difference *difference; /* by image, architecture, kernel and key */
	size_t n;
	size_t kernels;			 /* compared: of each architecture that both have */
	size_t differ[BC_CODE_NCLASSES]; /* kernels that differ in a class */
	size_t only_old, only_now;	 /* images of an architecture that are in one folder alone */
	char only[2][80];		 /* the first of each: "sync sm_70" */
	bool stack[2];			 /* the lists tell registers, stack and bytes */
};

/**
 * bc_code_compare - compare the lists of two folders
 *
 * Return: BC_EREAD for a folder without lists; BC_EDATA naming file:line; BC_ENOMEM.
 */
enum bc_status bc_code_compare(const char *old, const char *now, struct bc_code_comparison *out, struct bc_error *err);
void bc_code_comparison_release(struct bc_code_comparison *c);

#endif
