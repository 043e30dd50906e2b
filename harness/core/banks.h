/* SPDX-License-Identifier: MIT */
/* harness/core/banks.h - the bank laws: lane addresses to wavefronts and conflicts. Pure.
 *
 * Source: laws 1 to 11 of docs/bank-laws.md, each exact on 4,715 access patterns measured on an H200
 * (harness/tests/data/core/h200-sm90-patterns.tsv), law 4 also stated by NVIDIA for CC 7.0 to 7.5.
 */
#ifndef BC_CORE_BANKS_H
#define BC_CORE_BANKS_H

#include "harness/core/arch.h"
#include "harness/core/op.h"

#define BC_LANES 32
#define BC_LANE_WORDS_MAX 4 /* a 16-byte access touches 4 words */

/* What of an architecture the laws depend on. */
struct bc_geometry {
	uint32_t banks;		/* 1..64, a power of two */
	uint32_t bank_bytes;	/* 4 or 8 */
	bool pair_rule;		/* law 4 */
	struct bc_bank_law law; /* where the laws differ; all 0: nowhere */
};

/* One lane's part in one wavefront. Bank b's word w of lane l. */
struct bc_bank_access {
	uint8_t lane;
	uint8_t bank;
	uint8_t wavefront; /* 0-based, over the whole request */
	uint8_t group;	   /* 0-based group of lanes served together */
	uint32_t word;	   /* byte address / bank_bytes */
};

struct bc_wavefronts {
	unsigned wavefronts;  /* passes of the data stage for the request */
	unsigned conflicts;   /* what the conflict counter reads for the request */
	unsigned groups;      /* non-empty groups of lanes */
	unsigned group_lanes; /* lanes of a group, empty or not: 32, 16 or 8; 0: nothing is counted */
	bool merged;	      /* law 4 merged groups */
	enum bc_law law;
};

struct bc_geometry bc_arch_geometry(const struct bc_arch *a);

/* The bank that serves the word at a byte address; law 1 unless the geometry's law says otherwise. */
unsigned bc_geometry_bank(const struct bc_geometry *g, uint32_t addr);

/* Lanes that the geometry serves together in @op (before groups merge), and which of them merge: never BC_MERGE_OWN. */
unsigned bc_geometry_group(const struct bc_geometry *g, enum bc_op op);
enum bc_merge bc_geometry_merge(const struct bc_geometry *g, enum bc_op op);

/* Wavefronts of a compare-and-swap for one of another atomic. */
unsigned bc_geometry_cas_factor(const struct bc_geometry *g);

/* The bank function as rows: [0..n) bits of the bank's number, as address bits. Return: n. Not of a random table. */
unsigned bc_geometry_bank_bits(const struct bc_geometry *g, uint32_t rows[BC_BANK_BITS_MAX]);

/**
 * bc_geometry_print - the law in the words of --law: banks, bank_bytes, bank_bit, group, merge, cas_factor
 * @ops: [BC_NOPS] the operations whose lines are wanted
 * @cas: the line of cas_factor is wanted
 *
 * The bank function in its reduced row echelon form, so that laws that cannot be told apart have one text.
 */
enum bc_status bc_geometry_print(const struct bc_geometry *g, const bool ops[BC_NOPS], bool cas, struct bc_text *out,
				 struct bc_error *err);

/**
 * bc_banks_count - wavefronts and conflicts of one request
 * @g:    geometry
 * @op:   operation; BC_OP_NONE is refused
 * @addr: [32] absolute shared byte address of each lane, aligned to the access; entries of inactive lanes
 *        are not read. Matrix operations read lanes 0..8N-1 only.
 * @mask: bit i set: lane i is active. Matrix operations need all lanes.
 *
 * Return: BC_EDATA for an operation without a law, a misaligned address or a mask the operation cannot have; else
 * BC_OK. No lane active: all 0.
 */
enum bc_status bc_banks_count(const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES], uint32_t mask,
			      struct bc_wavefronts *out, struct bc_error *err);

/**
 * bc_banks_schedule - the same count, and a schedule that reaches it: which lane's word is served in which wavefront
 * @touch: [max] filled in order of wavefront, then bank, then lane
 * @max:   at least 32 * 4 entries suffice for every operation
 * @n:     touches written
 *
 * The hardware's own order inside a request is not observable; the schedule is one that needs exactly the
 * counted wavefronts. cas: law 7's second pass is not drawn (wavefronts of touches stay below law 6's count).
 */
enum bc_status bc_banks_schedule(const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				 uint32_t mask, struct bc_wavefronts *out, struct bc_bank_access *touch, size_t max,
				 size_t *n, struct bc_error *err);

#endif
