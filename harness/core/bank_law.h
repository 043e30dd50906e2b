/* SPDX-License-Identifier: MIT */
/* harness/core/bank_law.h - what a law may say beside the number and width of banks and the pair rule: which address
 * bits make the bank, which lanes are served together, which of them merge. Words of `--law FILE` and of arch.txt.
 */
#ifndef BC_CORE_BANK_LAW_H
#define BC_CORE_BANK_LAW_H

#include "harness/base/textfile.h"
#include "harness/core/op.h"

#define BC_BANK_BITS_MAX 6     /* 64 banks */
#define BC_ADDRESS_BITS_MAX 20 /* address bits that a law may name: below this */
#define BC_CAS_FACTOR 2u       /* law 7 */
#define BC_CAS_FACTOR_MAX 16u

/* Which lanes of a group are served together. */
enum bc_merge {
	BC_MERGE_OWN = 0, /* as docs/bank-laws.md says of the operation */
	BC_MERGE_NONE,	  /* none: each lane counts, whatever word it touches */
	BC_MERGE_WORD,	  /* lanes on one word */
	BC_MERGE_WHOLE,	  /* all active lanes of the warp, when they are all on one word; else each lane counts */
	BC_MERGE_PAIR1,	  /* lanes on one word; and two groups are one where lanes l and l ^ 1 have one address */
	BC_MERGE_PAIR2,	  /* the same for lanes l and l ^ 2 */
	BC_MERGE_PAIRS,	  /* the same for l ^ 1 or l ^ 2: law 4 */
	BC_NMERGES
};

const char *bc_merge_name(enum bc_merge m); /* "pair1"; "own" */

/* All 0: the law of docs/bank-laws.md, banks of consecutive words. */
struct bc_bank_law {
	bool given;	 /* something below is not 0 */
	bool mapped;	 /* bank_bit is given */
	bool not_linear; /* the bank of a word is drawn at random, by @seed */
	uint32_t seed;
	uint32_t bank_bit[BC_BANK_BITS_MAX]; /* bit i of the bank's number is the XOR of these bits of the address */
	uint8_t group[BC_NOPS];		     /* lanes served together, 4 to 32; 0: the operation's own */
	uint8_t merge[BC_NOPS];		     /* enum bc_merge */
	uint32_t cas_factor;		     /* wavefronts of a compare-and-swap for one of an atomic; 0: 2 */
};

/* Lines that set the parts of a law, 0: none did. */
struct bc_law_lines {
	unsigned bank_bit[BC_BANK_BITS_MAX], group[BC_NOPS], merge[BC_NOPS];
	unsigned cas_factor, not_linear;
};

/**
 * bc_bank_law_line - take a line that is a law's
 * @key:    the line's first field
 * @cursor: behind it
 * @is_law: false: @key is none of a law's words, and nothing was done
 *
 * Return: BC_EDATA with path:line.
 */
enum bc_status bc_bank_law_line(const struct bc_lines *l, const char *key, char **cursor, struct bc_law_lines *lines,
				struct bc_bank_law *law, bool *is_law, struct bc_error *err);

/**
 * bc_bank_law_check - a law that was read whole, against the banks that it is for
 * @window_end: first absolute shared address behind the window
 * @pair_rule:  loads merge groups by themselves
 *
 * All bits of the bank's number are there, independent, of addresses in the window; what merges groups has groups.
 * Return: BC_EDATA with path:line.
 */
enum bc_status bc_bank_law_check(const struct bc_bank_law *law, const struct bc_law_lines *lines, const char *path,
				 uint32_t banks, uint32_t bank_bytes, uint32_t window_end, struct bc_error *err);

/**
 * bc_rows_reduce - the reduced row echelon form of a matrix over GF(2), pivots at the lowest bits
 * @row: [n] rows, bit i: column i; replaced: pivots ascend, no pivot's column has another row; the rest is 0
 *
 * Return: the rank.
 */
unsigned bc_rows_reduce(uint32_t *row, unsigned n);

/* The lines that give this law: what is 0 has none. */
enum bc_status bc_bank_law_print(const struct bc_bank_law *law, struct bc_text *out, struct bc_error *err);

/* Lanes that an operation is served in when no law says otherwise: 32, 16 or 8. */
unsigned bc_op_group(enum bc_op op);

/* Does the operation have a law whose parts can be given? */
bool bc_op_has_law(enum bc_op op);

/* Can the operation merge so? BC_MERGE_OWN is none that can be given. */
bool bc_op_can_merge(enum bc_op op, enum bc_merge m, unsigned group);

#endif
