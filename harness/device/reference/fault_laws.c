/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/fault_laws.h"

#define ROW_BYTES 128u	   /* one word of each bank */
#define HASHED_FROM_BIT 14 /* above all that the canaries touch: they vouch for counters, not for laws */
#define BAD_LINE 0xe380u   /* absolute shared address; in the window of every architecture */

static enum bc_status with_banks(const struct bc_geometry *g, uint32_t banks, uint32_t bytes, enum bc_op op,
				 const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out,
				 struct bc_error *err)
{
	struct bc_geometry other = *g;

	other.banks = banks;
	other.bank_bytes = bytes;
	return bc_banks_count(&other, op, addr, mask, out, err);
}

enum bc_status bc_law_half_the_banks(void *ctx, const struct bc_geometry *g, enum bc_op op,
				     const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out,
				     struct bc_error *err)
{
	(void)ctx;
	return with_banks(g, g->banks / 2, g->bank_bytes, op, addr, mask, out, err);
}

enum bc_status bc_law_twice_the_banks(void *ctx, const struct bc_geometry *g, enum bc_op op,
				      const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out,
				      struct bc_error *err)
{
	(void)ctx;
	return with_banks(g, g->banks * 2, g->bank_bytes, op, addr, mask, out, err);
}

enum bc_status bc_law_wide_banks(void *ctx, const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				 uint32_t mask, struct bc_wavefronts *out, struct bc_error *err)
{
	(void)ctx;
	return with_banks(g, g->banks, g->bank_bytes * 2, op, addr, mask, out, err);
}

/* Bits 14 to 16 and 17 are XORed into bits 4 to 6, which name the bank of a 16-byte chunk. One to one: what was one
 * word stays one word, and accesses of 16 bytes stay aligned. */
enum bc_status bc_law_hashed(void *ctx, const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
			     uint32_t mask, struct bc_wavefronts *out, struct bc_error *err)
{
	uint32_t moved[BC_LANES];

	(void)ctx;
	for (unsigned l = 0; l < BC_LANES; l++)
		moved[l] = addr[l] ^ ((addr[l] >> HASHED_FROM_BIT ^ addr[l] >> (HASHED_FROM_BIT + 3)) & 7u) << 4;
	return bc_banks_count(g, op, moved, mask, out, err);
}

static bool is_load(enum bc_op op)
{
	return bc_op_info(op)->law == BC_LAW_ACCESS && !bc_op_info(op)->store;
}

/* Every lane counts, whatever word it touches: cp.async has that law, with the same groups. */
static enum bc_status each_lane(const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				uint32_t mask, struct bc_wavefronts *out, struct bc_error *err)
{
	const unsigned bytes = bc_op_info(op)->bytes;
	const enum bc_op as = bytes == 16 ? BC_OP_CPA16CA : bytes == 8 ? BC_OP_CPA8 : BC_OP_CPA4;
	uint32_t word[BC_LANES];

	for (unsigned l = 0; l < BC_LANES; l++)
		word[l] = bytes < 4 ? addr[l] & ~3u : addr[l];
	return bc_banks_count(g, as, word, mask, out, err);
}

enum bc_status bc_law_no_broadcast(void *ctx, const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				   uint32_t mask, struct bc_wavefronts *out, struct bc_error *err)
{
	(void)ctx;
	if (is_load(op))
		return each_lane(g, op, addr, mask, out, err);
	return bc_banks_count(g, op, addr, mask, out, err);
}

enum bc_status bc_law_whole_warp_broadcast(void *ctx, const struct bc_geometry *g, enum bc_op op,
					   const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out,
					   struct bc_error *err)
{
	uint32_t first = 0, differ = 0;

	(void)ctx;
	if (mask)
		first = addr[__builtin_ctz(mask)];
	for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
		differ |= (addr[__builtin_ctz(lanes)] ^ first) & ~3u;
	if (is_load(op) && differ)
		return each_lane(g, op, addr, mask, out, err);
	return bc_banks_count(g, op, addr, mask, out, err);
}

enum bc_status bc_law_no_store_broadcast(void *ctx, const struct bc_geometry *g, enum bc_op op,
					 const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out,
					 struct bc_error *err)
{
	(void)ctx;
	if (bc_op_info(op)->law == BC_LAW_ACCESS && bc_op_info(op)->cls == BC_CLASS_ST)
		return each_lane(g, op, addr, mask, out, err);
	return bc_banks_count(g, op, addr, mask, out, err);
}

enum bc_status bc_law_no_pair_rule(void *ctx, const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				   uint32_t mask, struct bc_wavefronts *out, struct bc_error *err)
{
	struct bc_geometry other = *g;

	(void)ctx;
	other.pair_rule = false;
	return bc_banks_count(&other, op, addr, mask, out, err);
}

/* Lane @l with its bits 0 and 2 exchanged: pairs l ^ 4 become pairs l ^ 1, and groups of 8 and more stay what they are.
 */
static unsigned exchanged(unsigned l)
{
	return (l & ~5u) | (l & 1u) << 2 | (l & 4u) >> 2;
}

enum bc_status bc_law_wide_pair_rule(void *ctx, const struct bc_geometry *g, enum bc_op op,
				     const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out,
				     struct bc_error *err)
{
	uint32_t moved[BC_LANES], moved_mask = 0;
	struct bc_wavefronts w;
	enum bc_status st = bc_banks_count(g, op, addr, mask, out, err);

	(void)ctx;
	if (st || !is_load(op) || bc_op_info(op)->bytes < 8)
		return st;
	for (unsigned l = 0; l < BC_LANES; l++) {
		moved[l] = addr[exchanged(l)];
		moved_mask |= (mask >> exchanged(l) & 1u) << l;
	}
	st = bc_banks_count(g, op, moved, moved_mask, &w, err);
	if (!st && w.merged)
		*out = w;
	return st;
}

/* Accesses of @bytes bytes with their groups merged in twos. Half the address in half the banks by an access of half
 * the size: the same chunks in the same columns, but the smaller access's groups. */
static enum bc_status bigger_groups(const struct bc_geometry *g, unsigned bytes, enum bc_op op,
				    const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out,
				    struct bc_error *err)
{
	const struct bc_op_info *info = bc_op_info(op);
	struct bc_geometry half = *g;
	uint32_t at[BC_LANES];

	half.banks /= 2;
	half.pair_rule = false;
	if (info->law != BC_LAW_ACCESS || info->bytes != bytes)
		return bc_banks_count(g, op, addr, mask, out, err);
	for (unsigned l = 0; l < BC_LANES; l++)
		at[l] = addr[l] / 2;
	return bc_banks_count(&half, bytes == 8 ? BC_OP_ST32 : BC_OP_ST64, at, mask, out, err);
}

enum bc_status bc_law_one_group_of_8_bytes(void *ctx, const struct bc_geometry *g, enum bc_op op,
					   const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out,
					   struct bc_error *err)
{
	(void)ctx;
	return bigger_groups(g, 8, op, addr, mask, out, err);
}

enum bc_status bc_law_two_groups_of_16_bytes(void *ctx, const struct bc_geometry *g, enum bc_op op,
					     const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out,
					     struct bc_error *err)
{
	(void)ctx;
	return bigger_groups(g, 16, op, addr, mask, out, err);
}

/* Each byte address is a word of its own, in the bank of its word. */
enum bc_status bc_law_subwords_apart(void *ctx, const struct bc_geometry *g, enum bc_op op,
				     const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out,
				     struct bc_error *err)
{
	const struct bc_op_info *info = bc_op_info(op);
	const uint32_t row = g->banks * g->bank_bytes;
	uint32_t moved[BC_LANES];

	(void)ctx;
	if (info->law != BC_LAW_ACCESS || info->bytes >= 4)
		return bc_banks_count(g, op, addr, mask, out, err);
	for (unsigned l = 0; l < BC_LANES; l++)
		moved[l] = (addr[l] / row * 4 + addr[l] % 4) * row + (addr[l] % row & ~3u);
	return bc_banks_count(g, BC_OP_LD32, moved, mask, out, err);
}

enum bc_status bc_law_all_lanes(void *ctx, const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				uint32_t mask, struct bc_wavefronts *out, struct bc_error *err)
{
	(void)ctx;
	return bc_banks_count(g, op, addr, mask ? UINT32_MAX : 0, out, err);
}

/* The law's canaries have one active lane, and its neighbour in another bank: they do not move. */
enum bc_status bc_law_paired_lanes(void *ctx, const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				   uint32_t mask, struct bc_wavefronts *out, struct bc_error *err)
{
	const uint32_t even = UINT32_C(0x55555555);
	const uint32_t pairs = mask | (mask & even) << 1 | (mask >> 1 & even);

	(void)ctx;
	return bc_banks_count(g, op, addr, bc_op_info(op)->law == BC_LAW_MATRIX ? mask : pairs, out, err);
}

enum bc_status bc_law_adds_of_one_apart(void *ctx, const struct bc_geometry *g, enum bc_op op,
					const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out,
					struct bc_error *err)
{
	(void)ctx;
	return bc_banks_count(g, op == BC_OP_RED32 ? BC_OP_ATOM32 : op, addr, mask, out, err);
}

/* Atomics as accesses of their size: lanes on one word are served together. */
enum bc_status bc_law_atomics_merge(void *ctx, const struct bc_geometry *g, enum bc_op op,
				    const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out,
				    struct bc_error *err)
{
	const struct bc_op_info *info = bc_op_info(op);
	enum bc_status st;

	(void)ctx;
	if (info->law != BC_LAW_ATOM && info->law != BC_LAW_CAS)
		return bc_banks_count(g, op, addr, mask, out, err);
	st = bc_banks_count(g, info->bytes == 8 ? BC_OP_ST64 : BC_OP_ST32, addr, mask, out, err);
	if (!st && info->law == BC_LAW_CAS)
		out->wavefronts *= 2;
	return st;
}

enum bc_status bc_law_cas_as_add(void *ctx, const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				 uint32_t mask, struct bc_wavefronts *out, struct bc_error *err)
{
	const enum bc_op as = bc_op_info(op)->law != BC_LAW_CAS ? op
			      : bc_op_info(op)->bytes == 8	? BC_OP_EXCH64
								: BC_OP_ATOM32;

	(void)ctx;
	return bc_banks_count(g, as, addr, mask, out, err);
}

enum bc_status bc_law_bad_line(void *ctx, const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
			       uint32_t mask, struct bc_wavefronts *out, struct bc_error *err)
{
	enum bc_status st = bc_banks_count(g, op, addr, mask, out, err);
	bool touched = false;

	(void)ctx;
	for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
		touched = touched || addr[__builtin_ctz(lanes)] / ROW_BYTES == BAD_LINE / ROW_BYTES;
	if (!st && touched && out->wavefronts) {
		out->wavefronts++;
		out->conflicts++;
	}
	return st;
}
