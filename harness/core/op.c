/* SPDX-License-Identifier: MIT */
#include "harness/core/op.h"

#include <string.h>

/* Loads and stores that name shared memory: their counts, and their time. */
#define LOAD(op_name, size, sass)                                                                        \
	{                                                                                                \
		.name = op_name, .bytes = size, .cls = BC_CLASS_LD, .law = BC_LAW_ACCESS,                \
		.counter_requests = "ld_requests", .mnemonic = sass, .timed = true, .pairs = (size) >= 8 \
	}
#define STORE(op_name, size, sass)                                                                       \
	{                                                                                                \
		.name = op_name, .bytes = size, .cls = BC_CLASS_ST, .law = BC_LAW_ACCESS, .store = true, \
		.counter_requests = "st_requests", .mnemonic = sass, .timed = true                       \
	}

/* Generic accesses move the wavefront and conflict counters of shared memory, but no request counter. */
#define GENERIC_LOAD(op_name, size, sass)                                                                  \
	{                                                                                                  \
		.name = op_name, .bytes = size, .cls = BC_CLASS_LD, .law = BC_LAW_ACCESS, .mnemonic = sass \
	}
#define GENERIC_STORE(op_name, size, sass)                                                               \
	{                                                                                                \
		.name = op_name, .bytes = size, .cls = BC_CLASS_ST, .law = BC_LAW_ACCESS, .store = true, \
		.mnemonic = sass                                                                         \
	}

/* An atomic returns what memory held; a reduction returns nothing. */
#define ATOMIC(op_name, size, its_law, sass)                                          \
	{                                                                             \
		.name = op_name, .bytes = size, .cls = BC_CLASS_ATOM, .law = its_law, \
		.counter_requests = "atom_requests", .mnemonic = sass                 \
	}
#define REDUCTION(op_name, size, its_law, sass)                                                      \
	{                                                                                            \
		.name = op_name, .bytes = size, .cls = BC_CLASS_ATOM, .law = its_law, .store = true, \
		.counter_requests = "atom_requests", .mnemonic = sass                                \
	}

/* Float and 64-bit adds are loops whose counts depend on the contention: none is taken. */
#define LOOP_ATOMIC(op_name, size, sass)                                                                      \
	{                                                                                                     \
		.name = op_name, .bytes = size, .cls = BC_CLASS_NONE, .law = BC_LAW_UNKNOWN, .mnemonic = sass \
	}
#define LOOP_REDUCTION(op_name, size, sass)                                                                 \
	{                                                                                                   \
		.name = op_name, .bytes = size, .cls = BC_CLASS_NONE, .law = BC_LAW_UNKNOWN, .store = true, \
		.mnemonic = sass                                                                            \
	}

#define MATRIX_LOAD(op_name, count, sass)                                                                  \
	{                                                                                                  \
		.name = op_name, .bytes = 16, .cls = BC_CLASS_LD, .law = BC_LAW_MATRIX, .matrices = count, \
		.counter_requests = "ldsm_requests", .mnemonic = sass                                      \
	}
#define MATRIX_STORE(op_name, count, sass)                                                                 \
	{                                                                                                  \
		.name = op_name, .bytes = 16, .cls = BC_CLASS_ST, .law = BC_LAW_MATRIX, .matrices = count, \
		.store = true, .counter_requests = "stsm_requests", .mnemonic = sass                       \
	}

#define COPY(op_name, size, its_law, sass)                                                             \
	{                                                                                              \
		.name = op_name, .bytes = size, .cls = BC_CLASS_LDGSTS, .law = its_law, .store = true, \
		.counter_requests = "ldgsts_requests", .mnemonic = sass                                \
	}

/* red32 adds a constant 1: ptxas makes ATOMS.POPC.INC of it, counted as an atomic, served as a 4-byte store. */
static const struct bc_op_info ops[BC_NOPS] = {
	[BC_OP_NONE] = { .name = "none", .mnemonic = "" },
	[BC_OP_LD8] = LOAD("ld8", 1, "LDS.U8"),
	[BC_OP_LD16] = LOAD("ld16", 2, "LDS.U16"),
	[BC_OP_LD32] = LOAD("ld32", 4, "LDS"),
	[BC_OP_LD64] = LOAD("ld64", 8, "LDS.64"),
	[BC_OP_LD128] = LOAD("ld128", 16, "LDS.128"),
	[BC_OP_ST8] = STORE("st8", 1, "STS.U8"),
	[BC_OP_ST16] = STORE("st16", 2, "STS.U16"),
	[BC_OP_ST32] = STORE("st32", 4, "STS"),
	[BC_OP_ST64] = STORE("st64", 8, "STS.64"),
	[BC_OP_ST128] = STORE("st128", 16, "STS.128"),
	[BC_OP_GLD32] = GENERIC_LOAD("gld32", 4, "LD.E"),
	[BC_OP_GLD64] = GENERIC_LOAD("gld64", 8, "LD.E.64"),
	[BC_OP_GLD128] = GENERIC_LOAD("gld128", 16, "LD.E.128"),
	[BC_OP_GST32] = GENERIC_STORE("gst32", 4, "ST.E"),
	[BC_OP_GST64] = GENERIC_STORE("gst64", 8, "ST.E.64"),
	[BC_OP_GST128] = GENERIC_STORE("gst128", 16, "ST.E.128"),
	[BC_OP_ATOM32] = ATOMIC("atom32", 4, BC_LAW_ATOM, "ATOMS.ADD"),
	[BC_OP_MAX32] = ATOMIC("max32", 4, BC_LAW_ATOM, "ATOMS.MAX"),
	[BC_OP_MIN32] = ATOMIC("min32", 4, BC_LAW_UNKNOWN, "ATOMS.MIN"),
	[BC_OP_AND32] = ATOMIC("and32", 4, BC_LAW_ATOM, "ATOMS.AND"),
	[BC_OP_OR32] = ATOMIC("or32", 4, BC_LAW_UNKNOWN, "ATOMS.OR"),
	[BC_OP_XOR32] = ATOMIC("xor32", 4, BC_LAW_UNKNOWN, "ATOMS.XOR"),
	[BC_OP_INC32] = ATOMIC("inc32", 4, BC_LAW_ATOM, "ATOMS.INC"),
	[BC_OP_EXCH32] = ATOMIC("exch32", 4, BC_LAW_ATOM, "ATOMS.EXCH"),
	[BC_OP_CAS32] = ATOMIC("cas32", 4, BC_LAW_CAS, "ATOMS.CAS"),
	[BC_OP_ADD64] = LOOP_ATOMIC("add64", 8, "ATOMS.CAST.SPIN.64"),
	[BC_OP_EXCH64] = ATOMIC("exch64", 8, BC_LAW_ATOM, "ATOMS.EXCH.64"),
	[BC_OP_CAS64] = ATOMIC("cas64", 8, BC_LAW_CAS, "ATOMS.CAS.64"),
	[BC_OP_ADDF32] = LOOP_ATOMIC("addf32", 4, "ATOMS.CAST.SPIN"),
	[BC_OP_RED32] = REDUCTION("red32", 4, BC_LAW_ACCESS, "ATOMS.POPC.INC"),
	[BC_OP_REDV32] = REDUCTION("redv32", 4, BC_LAW_ATOM, "ATOMS.ADD"),
	[BC_OP_REDMAX32] = REDUCTION("redmax32", 4, BC_LAW_ATOM, "ATOMS.MAX"),
	[BC_OP_RED64] = LOOP_REDUCTION("red64", 8, "ATOMS.CAST.SPIN.64"),
	[BC_OP_REDF32] = LOOP_REDUCTION("redf32", 4, "ATOMS.CAST.SPIN"),
	[BC_OP_LDSM1] = MATRIX_LOAD("ldsm1", 1, "LDSM.16.M88"),
	[BC_OP_LDSM2] = MATRIX_LOAD("ldsm2", 2, "LDSM.16.M88.2"),
	[BC_OP_LDSM4] = MATRIX_LOAD("ldsm4", 4, "LDSM.16.M88.4"),
	[BC_OP_LDSM1T] = MATRIX_LOAD("ldsm1t", 1, "LDSM.16.MT88"),
	[BC_OP_LDSM2T] = MATRIX_LOAD("ldsm2t", 2, "LDSM.16.MT88.2"),
	[BC_OP_LDSM4T] = MATRIX_LOAD("ldsm4t", 4, "LDSM.16.MT88.4"),
	[BC_OP_STSM1] = MATRIX_STORE("stsm1", 1, "STSM.16.M88"),
	[BC_OP_STSM2] = MATRIX_STORE("stsm2", 2, "STSM.16.M88.2"),
	[BC_OP_STSM4] = MATRIX_STORE("stsm4", 4, "STSM.16.M88.4"),
	[BC_OP_STSM4T] = MATRIX_STORE("stsm4t", 4, "STSM.16.MT88.4"),
	[BC_OP_CPA4] = COPY("cpa4", 4, BC_LAW_COPY, "LDGSTS.E"),
	[BC_OP_CPA8] = COPY("cpa8", 8, BC_LAW_COPY, "LDGSTS.E.64"),
	[BC_OP_CPA16CA] = COPY("cpa16ca", 16, BC_LAW_COPY, "LDGSTS.E.128"),
	[BC_OP_CPA16CG] = COPY("cpa16cg", 16, BC_LAW_UNCOUNTED, "LDGSTS.E.BYPASS"),
	[BC_OP_CPA4Z] = COPY("cpa4z", 4, BC_LAW_UNKNOWN, "LDGSTS.E"),
	[BC_OP_CPA8Z] = COPY("cpa8z", 8, BC_LAW_UNKNOWN, "LDGSTS.E.64"),
	[BC_OP_CPA16CAZ] = COPY("cpa16caz", 16, BC_LAW_UNKNOWN, "LDGSTS.E.128"),
	[BC_OP_CPA16CGZ] = COPY("cpa16cgz", 16, BC_LAW_UNKNOWN, "LDGSTS.E.BYPASS"),
};

const struct bc_op_info *bc_op_info(enum bc_op op)
{
	return (unsigned)op < BC_NOPS ? &ops[op] : &ops[BC_OP_NONE];
}

enum bc_op bc_op_parse(const char *name)
{
	for (unsigned op = BC_OP_NONE + 1; op < BC_NOPS; op++)
		if (strcmp(ops[op].name, name) == 0)
			return (enum bc_op)op;
	return BC_OP_NONE;
}

const char *bc_class_name(enum bc_class c)
{
	static const char *const names[BC_NCLASSES] = {
		[BC_CLASS_NONE] = "none",	    [BC_CLASS_LD] = "ld",	  [BC_CLASS_ST] = "st",
		[BC_CLASS_ATOM] = "atom",	    [BC_CLASS_LDGSTS] = "ldgsts", [BC_CLASS_GLOBAL_LD] = "global_ld",
		[BC_CLASS_GLOBAL_ST] = "global_st", [BC_CLASS_TMA_LD] = "tma_ld", [BC_CLASS_TMA_ST] = "tma_st",
	};

	return (unsigned)c < BC_NCLASSES ? names[c] : names[BC_CLASS_NONE];
}
