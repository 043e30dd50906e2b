/* SPDX-License-Identifier: MIT */
/* harness/device/reference/fault_cells.h - faults of one SM of several, and of single cells of its shared memory, in
 * the form of the interpreter's hooks.
 *
 * All are on SM BC_FAULT_SM. Cells: bit BC_FAULT_BIT of the word at the absolute shared address BC_FAULT_WORD, which is
 * in bank 7. Pure: they go by SM, address, content and the time since the launch began; @ctx is not used.
 */
#ifndef BC_DEVICE_REFERENCE_FAULT_CELLS_H
#define BC_DEVICE_REFERENCE_FAULT_CELLS_H

#include "harness/device/reference/ptx.h"

#define BC_FAULT_SMS 4u /* that the device has at least */
#define BC_FAULT_SM 2u
#define BC_FAULT_BANK 7u
#define BC_FAULT_WORD 0x2a1cu
#define BC_FAULT_OTHER 0x4a1cu /* bank 7 too */
#define BC_FAULT_BIT 5u

typedef void bc_fault_load_fn(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES]);
typedef void bc_fault_store_fn(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
			       uint32_t bytes[BC_LANES]);
typedef void bc_fault_serve_fn(void *ctx, const struct bc_ptx_access *a, struct bc_wavefronts *n);

bc_fault_load_fn bc_fault_cell_stuck;	    /* the bit reads 1 */
bc_fault_store_fn bc_fault_cell_transition; /* the bit cannot go from 0 to 1 */
bc_fault_store_fn bc_fault_cell_coupling;   /* when it does, the same bit of the next word (bank 8) changes */
bc_fault_load_fn bc_fault_decoder_load;	    /* the address BC_FAULT_WORD reads the cells of BC_FAULT_OTHER ... */
bc_fault_store_fn bc_fault_decoder_store;   /* ... and writes them */
bc_fault_load_fn bc_fault_cell_retention;   /* the bit is 0 from 50 ms after the launch began */
bc_fault_serve_fn bc_fault_bank_slow;	    /* each access to bank 7 costs a wavefront more */
bc_fault_load_fn bc_fault_sm_bank_stuck;    /* the words of bank 7 read 0 */
bc_fault_serve_fn bc_fault_sm_counts;	    /* each request counts a wavefront and a conflict more */

#endif
