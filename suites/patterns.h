/* SPDX-License-Identifier: MIT */
/* suites/patterns.h - small builders that the suites share. Pure: they write into the case and nowhere else.
 *
 * Offsets are bytes from the pattern's origin. Rows are 128 bytes: 32 banks of 4 bytes.
 */
#ifndef BC_SUITES_PATTERNS_H
#define BC_SUITES_PATTERNS_H

#include "harness/core/case.h"

#define BC_MASK_ALL 0xffffffffu
#define BC_ROW_BYTES 128u /* one word of each bank */
#define BC_WORD_BYTES 4u

/* Append to the variant's name. A negative number is written m3. A text that does not fit is cut, and the
 * catalogue then refuses the id as a duplicate. */
void bc_variant_add(struct bc_case *c, const char *text);
void bc_variant_add_int(struct bc_case *c, int n);

/* Name the clean twin: "rule/variant" of the same suite. @rule NULL: the case's own rule. */
void bc_twin_set(struct bc_case *c, const char *rule, const char *variant);

/**
 * bc_rule_op - the operation under test, which the rule's name ends with
 *
 * Return: BC_OP_LD64 for "stride_ld_b64", BC_OP_ST32 for "st_b32", BC_OP_CAS64 for "stride_cas64"; BC_OP_NONE, which
 * the catalogue refuses, when the name ends otherwise.
 */
enum bc_op bc_rule_op(const struct bc_rule *r);

/* Name the clean twin in the rule that is called @stem and the case's own operation: "<stem>_ld_b64/<variant>". */
void bc_twin_set_stem(struct bc_case *c, const char *stem, const char *variant);

/* One request of @op by the lanes of @mask; all offsets 0, from the first byte of the window. */
void bc_pattern_start(struct bc_case *c, enum bc_op op, uint32_t mask);

/**
 * bc_pattern_strided - all lanes, lane l at first + l * stride
 * @first:  byte offset of the lowest lane address
 * @stride: bytes, may be negative: lane 31 is then at @first
 */
void bc_pattern_strided(struct bc_case *c, enum bc_op op, uint32_t first, int stride);

/* Lanes 0 and 31 only, so that they stand in different halves and quarters of the warp. */
void bc_pattern_two_lanes(struct bc_case *c, enum bc_op op, uint32_t lane0, uint32_t lane31);

/* @l without its bit @bit, the bits above moved down: 0..15. Lanes l and l ^ (1 << bit) have the same one. */
uint32_t bc_lane_pair(uint32_t l, unsigned bit);

/**
 * bc_random_mask - the mask of @n lanes chosen at random, the same on every machine
 * @n: 0..32
 *
 * Draws without replacement (partial Fisher-Yates) with the linear congruential generator
 * x = 1664525 x + 1013904223 (mod 2^32), started at 20090 + n; each draw takes the bits from 16 up.
 */
uint32_t bc_random_mask(unsigned n);

#endif
