/* SPDX-License-Identifier: MIT */
/* harness/core/arch.h - an architecture as data: expected/sm_NN/arch.txt, one table parses, checks and documents it. */
#ifndef BC_CORE_ARCH_H
#define BC_CORE_ARCH_H

#include "harness/base/base.h"
#include "harness/core/bank_law.h"
#include "harness/core/facts.h"

#define BC_ARCH_NAME_MAX 16

/* All values are u32 so that one table of offsets serves them. Units in the table of arch.c. */
/* The architecture that is taken where none is named. */
#define BC_DEFAULT_REFERENCE "sm_90"

struct bc_arch {
	char name[BC_ARCH_NAME_MAX]; /* "sm_90" */
	unsigned cc;		     /* 90: ten times major plus minor */
	uint32_t warp_lanes;	     /* 32 */
	uint32_t banks;		     /* 32 */
	uint32_t bank_bytes;	     /* 4 */
	uint32_t window_base;	     /* absolute shared address where dynamic shared memory starts: 0 or 1024 */
	uint32_t optin_bytes;	     /* most dynamic shared memory of a block */
	uint32_t sm_bytes;	     /* shared memory of an SM */
	uint32_t reserved_bytes;     /* taken by the system from every block: 0 or 1024 */
	uint32_t static_bytes;	     /* static limit: 49152 */
	uint32_t pair_rule;	     /* 0, 1: 8- and 16-byte loads of equal lane pairs merge (law 4) */
	uint32_t ldmatrix, stmatrix, cp_async; /* 0, 1: the instruction exists */
	uint32_t ldgsts_conflicts;	       /* 0, 1: the conflict counter op_ldgsts exists on the chip */
	uint32_t redux;			       /* 0, 1: redux.sync */
	uint32_t mma_sync;		       /* 0, 1: mma.sync m16n8k16 of 16-bit floats */
	uint32_t mbarrier;		       /* 0, 1: mbarrier objects */
	uint32_t cluster;		       /* 0, 1: thread block clusters, and shared memory of other blocks */
	uint32_t bulk_copy;		       /* 0, 1: cp.async.bulk, tensor maps, mbarriers that count bytes */
	uint32_t wgmma;			       /* 0, 1: wgmma (sm_90a) */
	uint32_t tensor_atoms;		       /* 0, 1: swizzles 128B_ATOM_* of tensor maps */
	uint32_t popc_inc; /* 0, 1: ptxas turns a shared add of 1 whose result is unused into ATOMS.POPC.INC (law 8) */
	uint32_t max_warps_sm, max_blocks_sm; /* residency limits */
	char confirmed[128];		      /* "none", or "GPU, driver, date" */
	struct bc_bank_law law;		      /* where the bank laws differ from docs/bank-laws.md */
	bool provisional; /* no folder of its own: capacities from the device, laws from the nearest older folder */
};

/**
 * bc_arch_parse - parse the text of an arch.txt
 * @text: NUL-terminated; lines `key value`, `#` comments; every key of the table exactly once, and lines of a bank law
 *        that differs (bank_law.h)
 * @path: for messages only
 * @name: "sm_90"; gives cc
 *
 * Return: BC_EDATA with path:line for an unknown, missing or repeated key or a value out of range.
 */
enum bc_status bc_arch_parse(const char *text, const char *path, const char *name, struct bc_arch *out,
			     struct bc_error *err);

/**
 * bc_arch_law_load - give an architecture the law of a file (`--law FILE`, docs/bank-laws.md)
 * @a: what the file does not say stays; changed only on success
 *
 * Return: BC_EREAD when it cannot be read, BC_EDATA with path:line.
 */
enum bc_status bc_arch_law_load(const char *path, struct bc_arch *a, struct bc_error *err);

/* The same from text; @path is for messages only. */
enum bc_status bc_arch_law_parse(const char *text, const char *path, struct bc_arch *a, struct bc_error *err);

/* Parse <expected>/<name>/arch.txt. BC_EREAD when there is none. */
enum bc_status bc_arch_load(const char *expected_dir, const char *name, struct bc_arch *out, struct bc_error *err);

/* Sorted (by cc) list of the architectures with a folder in <expected>. Free with free(). */
enum bc_status bc_arch_list(const char *expected_dir, struct bc_arch **out, size_t *n, struct bc_error *err);

/* An architecture as the text of an arch.txt, law lines that are given included. */
enum bc_status bc_arch_print(const struct bc_arch *a, struct bc_text *out, struct bc_error *err);

/* A line `proposed` of a text of expected/: nobody has accepted the file yet. @word: the line's first. BC_EDATA. */
enum bc_status bc_text_is_proposal(const char *path, unsigned line, const char *word, struct bc_error *err);

/* The key table as text for the manual: one line a key: name, unit, range, meaning. */
enum bc_status bc_arch_manual(struct bc_text *out, struct bc_error *err);

/**
 * bc_arch_of_device - the architecture a device is judged as
 *
 * Its own folder in expected/; without one: the laws of the nearest older folder, capacities from the device, and
 * `provisional` set.
 */
enum bc_status bc_arch_of_device(const char *expected, const struct bc_facts *f, struct bc_arch *out,
				 struct bc_error *err);

#endif
