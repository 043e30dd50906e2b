/* SPDX-License-Identifier: MIT */
#include "harness/core/op.h"

#include <string.h>

/*
 * Columns: name, bytes, counter class, law, matrices, store, request counter, SASS mnemonic, timed.
 * red32 adds a constant 1: ptxas makes ATOMS.POPC.INC of it, counted as an atomic, served as a 4-byte store.
 * Generic accesses move the wavefront and conflict counters of shared memory, but no request counter.
 * Float and 64-bit adds are loops whose counts depend on the contention: none is taken.
 */
static const struct bc_op_info ops[BC_NOPS] = {
	[BC_OP_NONE] = { "none", 0, BC_CLASS_NONE, BC_LAW_NONE, 0, false, NULL, "", false, false },
	[BC_OP_LD8] = { "ld8", 1, BC_CLASS_LD, BC_LAW_ACCESS, 0, false, "ld_requests", "LDS.U8", true, false },
	[BC_OP_LD16] = { "ld16", 2, BC_CLASS_LD, BC_LAW_ACCESS, 0, false, "ld_requests", "LDS.U16", true, false },
	[BC_OP_LD32] = { "ld32", 4, BC_CLASS_LD, BC_LAW_ACCESS, 0, false, "ld_requests", "LDS", true, false },
	[BC_OP_LD64] = { "ld64", 8, BC_CLASS_LD, BC_LAW_ACCESS, 0, false, "ld_requests", "LDS.64", true, true },
	[BC_OP_LD128] = { "ld128", 16, BC_CLASS_LD, BC_LAW_ACCESS, 0, false, "ld_requests", "LDS.128", true, true },
	[BC_OP_ST8] = { "st8", 1, BC_CLASS_ST, BC_LAW_ACCESS, 0, true, "st_requests", "STS.U8", true, false },
	[BC_OP_ST16] = { "st16", 2, BC_CLASS_ST, BC_LAW_ACCESS, 0, true, "st_requests", "STS.U16", true, false },
	[BC_OP_ST32] = { "st32", 4, BC_CLASS_ST, BC_LAW_ACCESS, 0, true, "st_requests", "STS", true, false },
	[BC_OP_ST64] = { "st64", 8, BC_CLASS_ST, BC_LAW_ACCESS, 0, true, "st_requests", "STS.64", true, false },
	[BC_OP_ST128] = { "st128", 16, BC_CLASS_ST, BC_LAW_ACCESS, 0, true, "st_requests", "STS.128", true, false },
	[BC_OP_GLD32] = { "gld32", 4, BC_CLASS_LD, BC_LAW_ACCESS, 0, false, NULL, "LD.E", false, false },
	[BC_OP_GLD64] = { "gld64", 8, BC_CLASS_LD, BC_LAW_ACCESS, 0, false, NULL, "LD.E.64", false, false },
	[BC_OP_GLD128] = { "gld128", 16, BC_CLASS_LD, BC_LAW_ACCESS, 0, false, NULL, "LD.E.128", false, false },
	[BC_OP_GST32] = { "gst32", 4, BC_CLASS_ST, BC_LAW_ACCESS, 0, true, NULL, "ST.E", false, false },
	[BC_OP_GST64] = { "gst64", 8, BC_CLASS_ST, BC_LAW_ACCESS, 0, true, NULL, "ST.E.64", false, false },
	[BC_OP_GST128] = { "gst128", 16, BC_CLASS_ST, BC_LAW_ACCESS, 0, true, NULL, "ST.E.128", false, false },
	[BC_OP_ATOM32] = { "atom32", 4, BC_CLASS_ATOM, BC_LAW_ATOM, 0, false, "atom_requests", "ATOMS.ADD", false,
			   false },
	[BC_OP_MAX32] = { "max32", 4, BC_CLASS_ATOM, BC_LAW_ATOM, 0, false, "atom_requests", "ATOMS.MAX", false,
			  false },
	[BC_OP_MIN32] = { "min32", 4, BC_CLASS_ATOM, BC_LAW_UNKNOWN, 0, false, "atom_requests", "ATOMS.MIN", false,
			  false },
	[BC_OP_AND32] = { "and32", 4, BC_CLASS_ATOM, BC_LAW_ATOM, 0, false, "atom_requests", "ATOMS.AND", false,
			  false },
	[BC_OP_OR32] = { "or32", 4, BC_CLASS_ATOM, BC_LAW_UNKNOWN, 0, false, "atom_requests", "ATOMS.OR", false,
			 false },
	[BC_OP_XOR32] = { "xor32", 4, BC_CLASS_ATOM, BC_LAW_UNKNOWN, 0, false, "atom_requests", "ATOMS.XOR", false,
			  false },
	[BC_OP_INC32] = { "inc32", 4, BC_CLASS_ATOM, BC_LAW_ATOM, 0, false, "atom_requests", "ATOMS.INC", false,
			  false },
	[BC_OP_EXCH32] = { "exch32", 4, BC_CLASS_ATOM, BC_LAW_ATOM, 0, false, "atom_requests", "ATOMS.EXCH", false,
			   false },
	[BC_OP_CAS32] = { "cas32", 4, BC_CLASS_ATOM, BC_LAW_CAS, 0, false, "atom_requests", "ATOMS.CAS", false, false },
	[BC_OP_ADD64] = { "add64", 8, BC_CLASS_NONE, BC_LAW_UNKNOWN, 0, false, NULL, "ATOMS.CAST.SPIN.64", false,
			  false },
	[BC_OP_EXCH64] = { "exch64", 8, BC_CLASS_ATOM, BC_LAW_ATOM, 0, false, "atom_requests", "ATOMS.EXCH.64", false,
			   false },
	[BC_OP_CAS64] = { "cas64", 8, BC_CLASS_ATOM, BC_LAW_CAS, 0, false, "atom_requests", "ATOMS.CAS.64", false,
			  false },
	[BC_OP_ADDF32] = { "addf32", 4, BC_CLASS_NONE, BC_LAW_UNKNOWN, 0, false, NULL, "ATOMS.CAST.SPIN", false,
			   false },
	[BC_OP_RED32] = { "red32", 4, BC_CLASS_ATOM, BC_LAW_ACCESS, 0, true, "atom_requests", "ATOMS.POPC.INC", false,
			  false },
	[BC_OP_REDV32] = { "redv32", 4, BC_CLASS_ATOM, BC_LAW_ATOM, 0, true, "atom_requests", "ATOMS.ADD", false,
			   false },
	[BC_OP_REDMAX32] = { "redmax32", 4, BC_CLASS_ATOM, BC_LAW_ATOM, 0, true, "atom_requests", "ATOMS.MAX", false,
			     false },
	[BC_OP_RED64] = { "red64", 8, BC_CLASS_NONE, BC_LAW_UNKNOWN, 0, true, NULL, "ATOMS.CAST.SPIN.64", false,
			  false },
	[BC_OP_REDF32] = { "redf32", 4, BC_CLASS_NONE, BC_LAW_UNKNOWN, 0, true, NULL, "ATOMS.CAST.SPIN", false, false },
	[BC_OP_LDSM1] = { "ldsm1", 16, BC_CLASS_LD, BC_LAW_MATRIX, 1, false, "ldsm_requests", "LDSM.16.M88", false,
			  false },
	[BC_OP_LDSM2] = { "ldsm2", 16, BC_CLASS_LD, BC_LAW_MATRIX, 2, false, "ldsm_requests", "LDSM.16.M88.2", false,
			  false },
	[BC_OP_LDSM4] = { "ldsm4", 16, BC_CLASS_LD, BC_LAW_MATRIX, 4, false, "ldsm_requests", "LDSM.16.M88.4", false,
			  false },
	[BC_OP_LDSM1T] = { "ldsm1t", 16, BC_CLASS_LD, BC_LAW_MATRIX, 1, false, "ldsm_requests", "LDSM.16.MT88", false,
			   false },
	[BC_OP_LDSM2T] = { "ldsm2t", 16, BC_CLASS_LD, BC_LAW_MATRIX, 2, false, "ldsm_requests", "LDSM.16.MT88.2", false,
			   false },
	[BC_OP_LDSM4T] = { "ldsm4t", 16, BC_CLASS_LD, BC_LAW_MATRIX, 4, false, "ldsm_requests", "LDSM.16.MT88.4", false,
			   false },
	[BC_OP_STSM1] = { "stsm1", 16, BC_CLASS_ST, BC_LAW_MATRIX, 1, true, "stsm_requests", "STSM.16.M88", false,
			  false },
	[BC_OP_STSM2] = { "stsm2", 16, BC_CLASS_ST, BC_LAW_MATRIX, 2, true, "stsm_requests", "STSM.16.M88.2", false,
			  false },
	[BC_OP_STSM4] = { "stsm4", 16, BC_CLASS_ST, BC_LAW_MATRIX, 4, true, "stsm_requests", "STSM.16.M88.4", false,
			  false },
	[BC_OP_STSM4T] = { "stsm4t", 16, BC_CLASS_ST, BC_LAW_MATRIX, 4, true, "stsm_requests", "STSM.16.MT88.4", false,
			   false },
	[BC_OP_CPA4] = { "cpa4", 4, BC_CLASS_LDGSTS, BC_LAW_COPY, 0, true, "ldgsts_requests", "LDGSTS.E", false,
			 false },
	[BC_OP_CPA8] = { "cpa8", 8, BC_CLASS_LDGSTS, BC_LAW_COPY, 0, true, "ldgsts_requests", "LDGSTS.E.64", false,
			 false },
	[BC_OP_CPA16CA] = { "cpa16ca", 16, BC_CLASS_LDGSTS, BC_LAW_COPY, 0, true, "ldgsts_requests", "LDGSTS.E.128",
			    false, false },
	[BC_OP_CPA16CG] = { "cpa16cg", 16, BC_CLASS_LDGSTS, BC_LAW_UNCOUNTED, 0, true, "ldgsts_requests",
			    "LDGSTS.E.BYPASS", false, false },
	[BC_OP_CPA4Z] = { "cpa4z", 4, BC_CLASS_LDGSTS, BC_LAW_UNKNOWN, 0, true, "ldgsts_requests", "LDGSTS.E", false,
			  false },
	[BC_OP_CPA8Z] = { "cpa8z", 8, BC_CLASS_LDGSTS, BC_LAW_UNKNOWN, 0, true, "ldgsts_requests", "LDGSTS.E.64", false,
			  false },
	[BC_OP_CPA16CAZ] = { "cpa16caz", 16, BC_CLASS_LDGSTS, BC_LAW_UNKNOWN, 0, true, "ldgsts_requests",
			     "LDGSTS.E.128", false, false },
	[BC_OP_CPA16CGZ] = { "cpa16cgz", 16, BC_CLASS_LDGSTS, BC_LAW_UNKNOWN, 0, true, "ldgsts_requests",
			     "LDGSTS.E.BYPASS", false, false },
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
		[BC_CLASS_GLOBAL_ST] = "global_st",
	};

	return (unsigned)c < BC_NCLASSES ? names[c] : names[BC_CLASS_NONE];
}
