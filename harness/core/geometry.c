/* SPDX-License-Identifier: MIT */
/* What a geometry says of an operation, and in the words of --law (banks.h). */
#include "harness/core/banks.h"

static unsigned parity(uint32_t x)
{
	return (unsigned)__builtin_parity(x);
}

/* A bank drawn at random for each word: two rounds of shifts and odd multiples (bijective). */
static uint32_t mix(uint32_t x)
{
	x ^= x >> 16;
	x *= UINT32_C(0x7feb352d);
	x ^= x >> 15;
	x *= UINT32_C(0x846ca68b);
	x ^= x >> 16;
	return x;
}

unsigned bc_geometry_bank(const struct bc_geometry *g, uint32_t addr)
{
	unsigned bank = 0;

	if (g->law.not_linear)
		return mix(addr / g->bank_bytes ^ mix(g->law.seed)) & (g->banks - 1);
	if (!g->law.mapped)
		return addr / g->bank_bytes & (g->banks - 1);
	for (unsigned i = 0; i < BC_BANK_BITS_MAX; i++)
		bank |= parity(addr & g->law.bank_bit[i]) << i;
	return bank & (g->banks - 1);
}

unsigned bc_geometry_group(const struct bc_geometry *g, enum bc_op op)
{
	return g->law.group[op] ? g->law.group[op] : bc_op_group(op);
}

enum bc_merge bc_geometry_merge(const struct bc_geometry *g, enum bc_op op)
{
	const struct bc_op_info *info = bc_op_info(op);

	if (g->law.merge[op])
		return (enum bc_merge)g->law.merge[op];
	if (info->law == BC_LAW_ATOM || info->law == BC_LAW_CAS || info->law == BC_LAW_COPY)
		return BC_MERGE_NONE;
	return info->pairs && g->pair_rule && bc_geometry_group(g, op) < BC_LANES ? BC_MERGE_PAIRS : BC_MERGE_WORD;
}

unsigned bc_geometry_cas_factor(const struct bc_geometry *g)
{
	return g->law.cas_factor ? g->law.cas_factor : BC_CAS_FACTOR;
}

unsigned bc_geometry_bank_bits(const struct bc_geometry *g, uint32_t rows[BC_BANK_BITS_MAX])
{
	const unsigned n = (unsigned)__builtin_ctz(g->banks), first = (unsigned)__builtin_ctz(g->bank_bytes);

	for (unsigned i = 0; i < BC_BANK_BITS_MAX; i++)
		rows[i] = i >= n ? 0 : g->law.mapped ? g->law.bank_bit[i] : UINT32_C(1) << (first + i);
	return n;
}

static enum bc_status print_bits(const struct bc_geometry *g, struct bc_text *out, struct bc_error *err)
{
	uint32_t rows[BC_BANK_BITS_MAX];
	const unsigned n = bc_geometry_bank_bits(g, rows);
	enum bc_status st = BC_OK;

	(void)bc_rows_reduce(rows, n);
	for (unsigned i = 0; !st && i < n; i++) {
		st = bc_text_addf(out, err, "bank_bit %u =", i);
		for (uint32_t bits = rows[i]; !st && bits; bits &= bits - 1)
			st = bc_text_addf(out, err, " %d", __builtin_ctz(bits));
		if (!st)
			st = bc_text_add(out, "\n", 1, err);
	}
	return st;
}

enum bc_status bc_geometry_print(const struct bc_geometry *g, const bool ops[BC_NOPS], bool cas, struct bc_text *out,
				 struct bc_error *err)
{
	enum bc_status st = bc_text_addf(out, err, "banks %u\nbank_bytes %u\n", g->banks, g->bank_bytes);

	if (!st && g->law.not_linear)
		st = bc_text_addf(out, err, "not_linear %u\n", g->law.seed);
	else if (!st)
		st = print_bits(g, out, err);
	for (unsigned op = 0; !st && op < BC_NOPS; op++)
		if (ops[op])
			st = bc_text_addf(out, err, "group %s %u\n", bc_op_info((enum bc_op)op)->name,
					  bc_geometry_group(g, (enum bc_op)op));
	for (unsigned op = 0; !st && op < BC_NOPS; op++)
		if (ops[op])
			st = bc_text_addf(out, err, "merge %s %s\n", bc_op_info((enum bc_op)op)->name,
					  bc_merge_name(bc_geometry_merge(g, (enum bc_op)op)));
	if (!st && cas)
		st = bc_text_addf(out, err, "cas_factor %u\n", bc_geometry_cas_factor(g));
	return st;
}
