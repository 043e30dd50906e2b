/* SPDX-License-Identifier: MIT */
#include "harness/core/bank_law.h"

#include <stdlib.h>
#include <string.h>

static const char *const merge_names[BC_NMERGES] = {
	[BC_MERGE_OWN] = "own",	    [BC_MERGE_NONE] = "none",	[BC_MERGE_WORD] = "word",   [BC_MERGE_WHOLE] = "whole",
	[BC_MERGE_PAIR1] = "pair1", [BC_MERGE_PAIR2] = "pair2", [BC_MERGE_PAIRS] = "pairs",
};

const char *bc_merge_name(enum bc_merge m)
{
	return (unsigned)m < BC_NMERGES ? merge_names[m] : merge_names[BC_MERGE_OWN];
}

bool bc_op_has_law(enum bc_op op)
{
	const enum bc_law law = bc_op_info(op)->law;

	return law != BC_LAW_NONE && law != BC_LAW_UNCOUNTED && law != BC_LAW_UNKNOWN;
}

unsigned bc_op_group(enum bc_op op)
{
	const struct bc_op_info *info = bc_op_info(op);

	if (info->matrices)
		return 8;
	return info->bytes <= 4 ? 32 : info->bytes == 8 ? 16 : 8;
}

/* Lanes that give addresses. */
static unsigned lanes_of(enum bc_op op)
{
	return bc_op_info(op)->matrices ? 8 * bc_op_info(op)->matrices : 32;
}

bool bc_op_can_merge(enum bc_op op, enum bc_merge m, unsigned group)
{
	switch (m) {
	case BC_MERGE_NONE:
	case BC_MERGE_WORD:
	case BC_MERGE_WHOLE: return true;
	case BC_MERGE_PAIR1:
	case BC_MERGE_PAIR2:
	case BC_MERGE_PAIRS: return bc_op_info(op)->law == BC_LAW_ACCESS && group < 32;
	case BC_MERGE_OWN:
	case BC_NMERGES: break;
	}
	return false;
}

unsigned bc_rows_reduce(uint32_t *row, unsigned n)
{
	unsigned rank = 0;

	for (unsigned bit = 0; bit < 32 && rank < n; bit++) {
		unsigned k = rank;

		while (k < n && (row[k] >> bit & 1u) == 0)
			k++;
		if (k == n)
			continue;

		const uint32_t pivot = row[k];

		row[k] = row[rank];
		row[rank] = pivot;
		for (unsigned i = 0; i < n; i++)
			if (i != rank && (row[i] >> bit & 1u) != 0)
				row[i] ^= pivot;
		rank++;
	}
	return rank;
}

static enum bc_status already(const struct bc_lines *l, const char *what, unsigned line, struct bc_error *err)
{
	return bc_fail(err, BC_EDATA, "%s:%u: %s is already set in line %u", l->path, l->number, what, line);
}

/* bank_bit I = B B ... */
static enum bc_status set_bank_bit(const struct bc_lines *l, char **cursor, struct bc_law_lines *lines,
				   struct bc_bank_law *law, struct bc_error *err)
{
	const char *which = bc_field(cursor), *equals = bc_field(cursor), *word = bc_field(cursor);
	uint32_t i = 0, bit, bits = 0;

	if (!which || !bc_u32_parse(which, &i) || i >= BC_BANK_BITS_MAX || !equals || strcmp(equals, "=") != 0 || !word)
		return bc_fail(err, BC_EDATA,
			       "%s:%u: write `bank_bit I = B B ...`: I from 0 to %d, B the address bits whose XOR it "
			       "is",
			       l->path, l->number, BC_BANK_BITS_MAX - 1);
	if (lines->bank_bit[i])
		return already(l, "this bank_bit", lines->bank_bit[i], err);
	for (; word; word = bc_field(cursor)) {
		if (!bc_u32_parse(word, &bit) || bit >= BC_ADDRESS_BITS_MAX)
			return bc_fail(err, BC_EDATA, "%s:%u: address bit '%.40s': allowed is 0 to %d", l->path,
				       l->number, word, BC_ADDRESS_BITS_MAX - 1);
		if (bits >> bit & 1u)
			return bc_fail(err, BC_EDATA, "%s:%u: address bit %u is there twice: an XOR of it with itself",
				       l->path, l->number, bit);
		bits |= UINT32_C(1) << bit;
	}
	lines->bank_bit[i] = l->number;
	law->bank_bit[i] = bits;
	law->mapped = true;
	return BC_OK;
}

/* The operation that `group` or `merge` is of. */
static enum bc_status read_op(const struct bc_lines *l, const char *key, char **cursor, enum bc_op *op,
			      struct bc_error *err)
{
	const char *name = bc_field(cursor);

	*op = name ? bc_op_parse(name) : BC_OP_NONE;
	if (*op == BC_OP_NONE)
		return bc_fail(err, BC_EDATA, "%s:%u: %s: '%.40s' is no operation (ld32, st128, atom32, ldsm4 ...)",
			       l->path, l->number, key, name ? name : "");
	if (!bc_op_has_law(*op))
		return bc_fail(err, BC_EDATA, "%s:%u: %s %s: this operation has no bank law that could be another",
			       l->path, l->number, key, name);
	return BC_OK;
}

static enum bc_status set_group(const struct bc_lines *l, char **cursor, struct bc_law_lines *lines,
				struct bc_bank_law *law, struct bc_error *err)
{
	enum bc_op op;
	uint32_t n = 0;
	enum bc_status st = read_op(l, "group", cursor, &op, err);

	if (st)
		return st;

	const char *word = bc_field(cursor);
	const uint32_t least = bc_op_info(op)->matrices ? 8 : 4, most = lanes_of(op);

	if (!word || !bc_u32_parse(word, &n) || n < least || n > most || (n & (n - 1)) != 0 || bc_rest(cursor))
		return bc_fail(err, BC_EDATA,
			       "%s:%u: write `group %s N`: lanes served together, %u to %u, a power of two", l->path,
			       l->number, bc_op_info(op)->name, least, most);
	if (lines->group[op])
		return already(l, "this group", lines->group[op], err);
	lines->group[op] = l->number;
	law->group[op] = (uint8_t)n;
	return BC_OK;
}

static enum bc_status set_merge(const struct bc_lines *l, char **cursor, struct bc_law_lines *lines,
				struct bc_bank_law *law, struct bc_error *err)
{
	enum bc_op op;
	unsigned m = BC_MERGE_NONE;
	enum bc_status st = read_op(l, "merge", cursor, &op, err);

	if (st)
		return st;

	const char *word = bc_field(cursor);

	while (word && m < BC_NMERGES && strcmp(word, merge_names[m]) != 0)
		m++;
	if (!word || m == BC_NMERGES || bc_rest(cursor))
		return bc_fail(err, BC_EDATA, "%s:%u: write `merge %s none|word|whole|pair1|pair2|pairs`", l->path,
			       l->number, bc_op_info(op)->name);
	if (lines->merge[op])
		return already(l, "this merge", lines->merge[op], err);
	lines->merge[op] = l->number;
	law->merge[op] = (uint8_t)m;
	return BC_OK;
}

static enum bc_status set_cas_factor(const struct bc_lines *l, char **cursor, struct bc_law_lines *lines,
				     struct bc_bank_law *law, struct bc_error *err)
{
	const char *word = bc_field(cursor);
	uint32_t n = 0;

	if (!word || !bc_u32_parse(word, &n) || n < 1 || n > BC_CAS_FACTOR_MAX || bc_rest(cursor))
		return bc_fail(err, BC_EDATA, "%s:%u: cas_factor takes one number, 1 to %u", l->path, l->number,
			       BC_CAS_FACTOR_MAX);
	if (lines->cas_factor)
		return already(l, "cas_factor", lines->cas_factor, err);
	lines->cas_factor = l->number;
	law->cas_factor = n;
	return BC_OK;
}

static enum bc_status set_not_linear(const struct bc_lines *l, char **cursor, struct bc_law_lines *lines,
				     struct bc_bank_law *law, struct bc_error *err)
{
	const char *word = bc_field(cursor);
	uint32_t n = 0;

	if (!word || !bc_u32_parse(word, &n) || bc_rest(cursor))
		return bc_fail(err, BC_EDATA, "%s:%u: not_linear takes one number, the seed of its table of banks",
			       l->path, l->number);
	if (lines->not_linear)
		return already(l, "not_linear", lines->not_linear, err);
	lines->not_linear = l->number;
	law->not_linear = true;
	law->seed = n;
	return BC_OK;
}

enum bc_status bc_bank_law_line(const struct bc_lines *l, const char *key, char **cursor, struct bc_law_lines *lines,
				struct bc_bank_law *law, bool *is_law, struct bc_error *err)
{
	static const struct {
		const char *key;
		enum bc_status (*set)(const struct bc_lines *l, char **cursor, struct bc_law_lines *lines,
				      struct bc_bank_law *law, struct bc_error *err);
	} words[] = {
		{ "bank_bit", set_bank_bit },	  { "group", set_group },	    { "merge", set_merge },
		{ "cas_factor", set_cas_factor }, { "not_linear", set_not_linear },
	};

	*is_law = false;
	for (size_t i = 0; i < BC_ARRAY_LEN(words); i++) {
		if (strcmp(words[i].key, key) != 0)
			continue;
		*is_law = law->given = true;
		return words[i].set(l, cursor, lines, law, err);
	}
	return BC_OK;
}

enum bc_status bc_bank_law_print(const struct bc_bank_law *law, struct bc_text *out, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (unsigned i = 0; !st && i < BC_BANK_BITS_MAX; i++) {
		if (law->bank_bit[i])
			st = bc_text_addf(out, err, "bank_bit %u =", i);
		for (uint32_t bits = law->bank_bit[i]; !st && bits; bits &= bits - 1)
			st = bc_text_addf(out, err, " %d", __builtin_ctz(bits));
		if (!st && law->bank_bit[i])
			st = bc_text_add(out, "\n", 1, err);
	}
	for (unsigned op = 0; !st && op < BC_NOPS; op++) {
		if (law->group[op])
			st = bc_text_addf(out, err, "group %s %u\n", bc_op_info((enum bc_op)op)->name, law->group[op]);
		if (!st && law->merge[op])
			st = bc_text_addf(out, err, "merge %s %s\n", bc_op_info((enum bc_op)op)->name,
					  bc_merge_name((enum bc_merge)law->merge[op]));
	}
	if (!st && law->cas_factor)
		st = bc_text_addf(out, err, "cas_factor %u\n", law->cas_factor);
	return !st && law->not_linear ? bc_text_addf(out, err, "not_linear %u\n", law->seed) : st;
}

static unsigned log2_of(uint32_t n)
{
	return n ? (unsigned)__builtin_ctz(n) : 0;
}

/* The bank function. */
static enum bc_status check_bits(const struct bc_bank_law *law, const struct bc_law_lines *lines, const char *path,
				 uint32_t banks, uint32_t bank_bytes, uint32_t window_end, struct bc_error *err)
{
	const unsigned nbits = log2_of(banks);
	uint32_t rows[BC_BANK_BITS_MAX] = { 0 };

	for (unsigned i = 0; i < BC_BANK_BITS_MAX; i++) {
		const uint32_t row = law->bank_bit[i];
		const unsigned line = lines->bank_bit[i];

		if (i >= nbits && line)
			return bc_fail(err, BC_EDATA, "%s:%u: bank_bit %u: %u banks have %u bits", path, line, i, banks,
				       nbits);
		if (i < nbits && !line)
			return bc_fail(err, BC_EDATA,
				       "%s: bank_bit %u is missing: %u banks have bits 0 to %u, and all are given",
				       path, i, banks, nbits - 1);
		if (row & (bank_bytes - 1))
			return bc_fail(err, BC_EDATA, "%s:%u: bank_bit %u: address bit %u is within a word of %u bytes",
				       path, line, i, log2_of(row), bank_bytes);
		if (row && (UINT32_C(1) << (31 - __builtin_clz(row))) >= window_end)
			return bc_fail(err, BC_EDATA,
				       "%s:%u: bank_bit %u: no address of the window, which ends at 0x%x, has bit %u",
				       path, line, i, window_end, 31 - (unsigned)__builtin_clz(row));
		rows[i] = row;
		if (bc_rows_reduce(rows, i + 1) < i + 1 && i < nbits)
			return bc_fail(err, BC_EDATA,
				       "%s:%u: bank_bit %u is the XOR of those before it: half of the %u banks would "
				       "never be used",
				       path, line, i, banks);
	}
	return BC_OK;
}

enum bc_status bc_bank_law_check(const struct bc_bank_law *law, const struct bc_law_lines *lines, const char *path,
				 uint32_t banks, uint32_t bank_bytes, uint32_t window_end, struct bc_error *err)
{
	if (law->mapped && law->not_linear)
		return bc_fail(err, BC_EDATA, "%s:%u: not_linear and bank_bit exclude each other", path,
			       lines->not_linear);
	for (unsigned op = 0; op < BC_NOPS; op++) {
		const unsigned group = law->group[op] ? law->group[op] : bc_op_group((enum bc_op)op);

		if (law->merge[op] && !bc_op_can_merge((enum bc_op)op, (enum bc_merge)law->merge[op], group))
			return bc_fail(err, BC_EDATA,
				       "%s:%u: merge %s %s: only loads and stores in groups of fewer than 32 lanes "
				       "have groups to merge",
				       path, lines->merge[op], bc_op_info((enum bc_op)op)->name,
				       bc_merge_name((enum bc_merge)law->merge[op]));
	}
	return law->mapped ? check_bits(law, lines, path, banks, bank_bytes, window_end, err) : BC_OK;
}
