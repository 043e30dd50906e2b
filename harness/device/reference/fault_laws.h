/* SPDX-License-Identifier: MIT */
/* harness/device/reference/fault_laws.h - false bank laws, each in the form of the interpreter's hook `count`.
 *
 * Each counts as bc_banks_count does but for one thing. Pure; @ctx is not used. Canaries of the harness stay within the
 * first 16 KB, so that the hashed bank and the bad line do not move them.
 */
#ifndef BC_DEVICE_REFERENCE_FAULT_LAWS_H
#define BC_DEVICE_REFERENCE_FAULT_LAWS_H

#include "harness/core/banks.h"

typedef enum bc_status bc_law_fn(void *ctx, const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				 uint32_t mask, struct bc_wavefronts *out, struct bc_error *err);

bc_law_fn bc_law_half_the_banks;	 /* 16 banks where there should be 32 */
bc_law_fn bc_law_twice_the_banks;	 /* 64 banks */
bc_law_fn bc_law_wide_banks;		 /* banks twice as wide */
bc_law_fn bc_law_hashed;		 /* address bits from 14 up are XORed into the bank */
bc_law_fn bc_law_no_broadcast;		 /* loads: each lane counts, whatever word it touches */
bc_law_fn bc_law_whole_warp_broadcast;	 /* loads: the same unless all lanes are at one word */
bc_law_fn bc_law_no_store_broadcast;	 /* stores: each lane counts */
bc_law_fn bc_law_no_pair_rule;		 /* law 4 does not exist */
bc_law_fn bc_law_wide_pair_rule;	 /* law 4 with x = 4 too */
bc_law_fn bc_law_one_group_of_8_bytes;	 /* 8-byte accesses: one group of 32 lanes */
bc_law_fn bc_law_two_groups_of_16_bytes; /* 16-byte accesses: two groups of 16 lanes */
bc_law_fn bc_law_subwords_apart;	 /* bytes and halves of one word are words of their own */
bc_law_fn bc_law_all_lanes;		 /* inactive lanes count */
bc_law_fn bc_law_paired_lanes;	    /* an inactive lane counts when lane l ^ 1 is active (not of matrix operations) */
bc_law_fn bc_law_adds_of_one_apart; /* adds of the constant 1 with unused result count as other atomics do */
bc_law_fn bc_law_atomics_merge;	    /* atomics on one word are served together */
bc_law_fn bc_law_cas_as_add;	    /* a compare-and-swap takes the wavefronts of an add */
bc_law_fn bc_law_bad_line; /* an access that touches the line at absolute address 0xe380 costs one wavefront more */

#endif
