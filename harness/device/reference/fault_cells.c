/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/fault_cells.h"

#include <string.h>

#define FORGETS_AFTER UINT64_C(50000000) /* nanoseconds */
#define BIT_BYTE (BC_FAULT_WORD + BC_FAULT_BIT / 8)
#define BIT_MASK (1u << BC_FAULT_BIT % 8)

/* An access to shared memory of the faulty SM. */
static bool there(const struct bc_ptx_access *a)
{
	return a->space == BC_PTX_SHARED && a->sm == BC_FAULT_SM;
}

/* Where in lane @l's data the byte at @address is; -1: the lane is not active, or does not touch it. */
static int byte_of(const struct bc_ptx_access *a, unsigned l, uint64_t address)
{
	if (!(a->mask >> l & 1u) || address < a->addr[l] || address >= a->addr[l] + a->bytes)
		return -1;
	return (int)(address - a->addr[l]);
}

/* The byte of shared memory at @address; NULL: the block has none there. */
static unsigned char *memory_at(const struct bc_ptx_access *a, uint32_t address)
{
	const bool has = address >= a->shared_base && address - a->shared_base < a->shared_bytes;

	return has ? a->shared + (address - a->shared_base) : NULL;
}

void bc_fault_cell_stuck(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES])
{
	(void)ctx;
	for (unsigned l = 0; there(a) && l < BC_LANES; l++)
		if (byte_of(a, l, BIT_BYTE) >= 0)
			data[l][byte_of(a, l, BIT_BYTE)] |= BIT_MASK;
}

/* Would the access make the bit 1 that is 0? The lane that does, -1: none. */
static int sets_bit(const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES])
{
	const unsigned char *now = memory_at(a, BIT_BYTE);

	for (unsigned l = 0; there(a) && now && l < BC_LANES; l++) {
		const int i = byte_of(a, l, BIT_BYTE);

		if (i >= 0 && !(*now & BIT_MASK) && data[l][i] & BIT_MASK)
			return (int)l;
	}
	return -1;
}

void bc_fault_cell_transition(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
			      uint32_t bytes[BC_LANES])
{
	(void)ctx;
	(void)bytes;
	for (int l = sets_bit(a, data); l >= 0; l = sets_bit(a, data))
		data[l][byte_of(a, (unsigned)l, BIT_BYTE)] &= (unsigned char)~BIT_MASK;
}

void bc_fault_cell_coupling(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
			    uint32_t bytes[BC_LANES])
{
	unsigned char *neighbour = memory_at(a, BIT_BYTE + 4);

	(void)ctx;
	(void)bytes;
	if (neighbour && sets_bit(a, data) >= 0)
		*neighbour ^= BIT_MASK;
}

void bc_fault_decoder_load(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES])
{
	(void)ctx;
	for (unsigned l = 0; there(a) && l < BC_LANES; l++) {
		for (uint32_t i = 0; i < 4; i++) {
			const int at = byte_of(a, l, BC_FAULT_WORD + i);
			const unsigned char *other = memory_at(a, BC_FAULT_OTHER + i);

			if (at >= 0 && other)
				data[l][at] = *other;
		}
	}
}

void bc_fault_decoder_store(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
			    uint32_t bytes[BC_LANES])
{
	(void)ctx;
	for (unsigned l = 0; there(a) && l < BC_LANES; l++) {
		for (uint32_t i = 0; i < 4; i++) {
			const int at = byte_of(a, l, BC_FAULT_WORD + i);
			unsigned char *other = memory_at(a, BC_FAULT_OTHER + i);

			if (at < 0 || !other)
				continue;
			*other = data[l][at];
			bytes[l] &= ~(UINT32_C(1) << at);
		}
	}
}

void bc_fault_cell_retention(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES])
{
	(void)ctx;
	for (unsigned l = 0; there(a) && a->time > FORGETS_AFTER && l < BC_LANES; l++)
		if (byte_of(a, l, BIT_BYTE) >= 0)
			data[l][byte_of(a, l, BIT_BYTE)] &= (unsigned char)~BIT_MASK;
}

/* Does lane @l touch the faulty bank? */
static bool touches_bank(const struct bc_ptx_access *a, unsigned l)
{
	bool touches = false;

	for (uint64_t at = a->addr[l] & ~UINT64_C(3); a->mask >> l & 1u && at < a->addr[l] + a->bytes; at += 4)
		touches |= at / 4 % 32 == BC_FAULT_BANK;
	return touches;
}

void bc_fault_bank_slow(void *ctx, const struct bc_ptx_access *a, struct bc_wavefronts *n)
{
	(void)ctx;
	for (unsigned l = 0; there(a) && l < BC_LANES; l++) {
		if (!touches_bank(a, l))
			continue;
		n->wavefronts++;
		return;
	}
}

void bc_fault_sm_bank_stuck(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES])
{
	(void)ctx;
	for (unsigned l = 0; there(a) && l < BC_LANES; l++)
		for (uint32_t i = 0; a->mask >> l & 1u && i < a->bytes; i++)
			if ((a->addr[l] + i) / 4 % 32 == BC_FAULT_BANK)
				data[l][i] = 0;
}

void bc_fault_sm_counts(void *ctx, const struct bc_ptx_access *a, struct bc_wavefronts *n)
{
	(void)ctx;
	if (!there(a))
		return;
	n->wavefronts++;
	n->conflicts++;
}
