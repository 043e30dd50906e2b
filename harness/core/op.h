/* SPDX-License-Identifier: MIT */
/* harness/core/op.h - the shared-memory operations that have a bank law, one table row each. */
#ifndef BC_CORE_OP_H
#define BC_CORE_OP_H

#include "harness/base/base.h"

/* Sizes in bits, but for cp.async (cpa*) in bytes: the names the command line uses. A t at the end: transposed, a z:
 * the form of cp.async that fills with zeros. */
enum bc_op {
	BC_OP_NONE = 0,
	BC_OP_LD8,
	BC_OP_LD16,
	BC_OP_LD32,
	BC_OP_LD64,
	BC_OP_LD128,
	BC_OP_ST8,
	BC_OP_ST16,
	BC_OP_ST32,
	BC_OP_ST64,
	BC_OP_ST128,
	BC_OP_GLD32,
	BC_OP_GLD64,
	BC_OP_GLD128,
	BC_OP_GST32,
	BC_OP_GST64,
	BC_OP_GST128,
	BC_OP_ATOM32,
	BC_OP_MAX32,
	BC_OP_MIN32,
	BC_OP_AND32,
	BC_OP_OR32,
	BC_OP_XOR32,
	BC_OP_INC32,
	BC_OP_EXCH32,
	BC_OP_CAS32,
	BC_OP_ADD64,
	BC_OP_EXCH64,
	BC_OP_CAS64,
	BC_OP_ADDF32,
	BC_OP_RED32,
	BC_OP_REDV32,
	BC_OP_REDMAX32,
	BC_OP_RED64,
	BC_OP_REDF32,
	BC_OP_LDSM1,
	BC_OP_LDSM2,
	BC_OP_LDSM4,
	BC_OP_LDSM1T,
	BC_OP_LDSM2T,
	BC_OP_LDSM4T,
	BC_OP_STSM1,
	BC_OP_STSM2,
	BC_OP_STSM4,
	BC_OP_STSM4T,
	BC_OP_CPA4,
	BC_OP_CPA8,
	BC_OP_CPA16CA,
	BC_OP_CPA16CG,
	BC_OP_CPA4Z,
	BC_OP_CPA8Z,
	BC_OP_CPA16CAZ,
	BC_OP_CPA16CGZ,
	BC_NOPS
};

/* The counter class an operation is counted in: which of op_ld, op_st, op_atom, op_ldgsts moves; for programs also
 * global loads and stores (requests and sectors), and tensor and bulk copies to and from shared memory (sectors). */
enum bc_class {
	BC_CLASS_NONE = 0,
	BC_CLASS_LD,
	BC_CLASS_ST,
	BC_CLASS_ATOM,
	BC_CLASS_LDGSTS,
	BC_CLASS_GLOBAL_LD,
	BC_CLASS_GLOBAL_ST,
	BC_CLASS_TMA_LD,
	BC_CLASS_TMA_ST,
	BC_NCLASSES
};

/* Which law of docs/bank-laws.md gives the operation's wavefronts. */
enum bc_law {
	BC_LAW_NONE = 0,
	BC_LAW_ACCESS,	  /* laws 2 to 5: ld, st of 1 to 16 bytes; the pair rule for loads only */
	BC_LAW_ATOM,	  /* law 6: no broadcast, lanes count */
	BC_LAW_CAS,	  /* law 7: twice law 6's wavefronts, law 6's conflicts */
	BC_LAW_MATRIX,	  /* law 9: ldmatrix, stmatrix */
	BC_LAW_COPY,	  /* law 10: cp.async.ca, lanes writing one word do not merge */
	BC_LAW_UNCOUNTED, /* law 10: cp.async.cg moves nothing */
	BC_LAW_UNKNOWN, /* law 12, and operations that nobody measured: the model names no number, the data is judged */
};

struct bc_op_info {
	const char *name;  /* "ld32" */
	unsigned bytes;	   /* bytes that a lane touches; matrix ops: 16 per row address */
	enum bc_class cls; /* counter class of wavefronts and conflicts */
	enum bc_law law;
	unsigned matrices;	      /* matrix ops: 1, 2, 4; else 0 */
	bool store;		      /* it writes shared memory and returns nothing */
	const char *counter_requests; /* key of the counter of its requests (observe.h), NULL: not counted */
	const char *mnemonic;	      /* SASS opcode prefix of the instruction under test, "LDS.64" */
	bool timed;		      /* the clock can tell its wavefronts (kernels bc_<op>_clock) */
	bool pairs; /* law 4 applies: 8- and 16-byte loads that name shared memory, not generic ones (law 11) */
};

/**
 * bc_op_info - row of an operation
 *
 * Return: never NULL for 0 <= @op < BC_NOPS; the row of BC_OP_NONE has name "none".
 */
const struct bc_op_info *bc_op_info(enum bc_op op);

/* Return: the operation called @name, BC_OP_NONE when there is none. */
enum bc_op bc_op_parse(const char *name);

const char *bc_class_name(enum bc_class c); /* "none", "ld", "st", "atom", "ldgsts" */

#endif
