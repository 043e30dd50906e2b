/* SPDX-License-Identifier: MIT */
#include "harness/core/banks.h"
#include "harness/base/textfile.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *bc_test_banks(void);

#define ALL UINT32_MAX

#define GEOMETRY(n, bytes, pairs)                                         \
	{                                                                 \
		.banks = (n), .bank_bytes = (bytes), .pair_rule = (pairs) \
	}

static const struct bc_geometry h200 = { .banks = 32, .bank_bytes = 4, .pair_rule = true };

/*
 * Rows by hand from the laws. Lane l touches first + (l / share) % wrap * stride bytes (wrap 0: no wrap).
 */
static const struct {
	const char *what;
	enum bc_op op;
	uint32_t stride, share, wrap, mask;
	unsigned wavefronts, conflicts, groups;
} laws[] = {
	/* Laws 1 and 2 */
	{ "no lane active", BC_OP_LD32, 4, 1, 0, 0, 0, 0, 0 },
	{ "one lane", BC_OP_LD32, 4, 1, 0, 0x00010000, 1, 0, 1 },
	{ "all lanes read one word", BC_OP_LD32, 0, 1, 0, ALL, 1, 0, 1 },
	{ "one word per bank", BC_OP_LD32, 4, 1, 0, ALL, 1, 0, 1 },
	{ "stride 2", BC_OP_LD32, 8, 1, 0, ALL, 2, 1, 1 },
	{ "stride 6 is 2-way, not 6-way", BC_OP_LD32, 24, 1, 0, ALL, 2, 1, 1 },
	{ "stride 12", BC_OP_LD32, 48, 1, 0, ALL, 4, 3, 1 },
	{ "all lanes in bank 0", BC_OP_LD32, 128, 1, 0, ALL, 32, 31, 1 },
	{ "one word of padding clears it", BC_OP_LD32, 132, 1, 0, ALL, 1, 0, 1 },
	{ "stride 64 stays 32-way", BC_OP_LD32, 256, 1, 0, ALL, 32, 31, 1 },
	{ "inactive lanes do not count", BC_OP_LD32, 128, 1, 0, 0x0000000f, 4, 3, 1 },
	{ "8 lanes a word, 4 words of one bank", BC_OP_LD32, 128, 8, 0, ALL, 4, 3, 1 },
	{ "interleaved broadcast of 4 words of one bank", BC_OP_LD32, 128, 1, 4, ALL, 4, 3, 1 },
	{ "bytes of 8 words", BC_OP_LD8, 1, 1, 0, ALL, 1, 0, 1 },
	{ "halves of 16 words", BC_OP_ST16, 2, 1, 0, ALL, 1, 0, 1 },
	{ "bytes at stride 128", BC_OP_ST8, 128, 1, 0, ALL, 32, 31, 1 },
	{ "stores of all lanes to one word merge", BC_OP_ST32, 0, 1, 0, ALL, 1, 0, 1 },
	/* Laws 3 and 5 */
	{ "clean 8-byte load: 2 wavefronts, no conflict", BC_OP_LD64, 8, 1, 0, ALL, 2, 0, 2 },
	{ "clean 16-byte load: 4 wavefronts, no conflict", BC_OP_LD128, 16, 1, 0, ALL, 4, 0, 4 },
	{ "16-byte stride 8: 32 wavefronts, 28 conflicts", BC_OP_LD128, 128, 1, 0, ALL, 32, 28, 4 },
	{ "16-byte stride 2", BC_OP_LD128, 32, 1, 0, ALL, 8, 4, 4 },
	{ "8-byte stride 2", BC_OP_LD64, 16, 1, 0, ALL, 4, 2, 2 },
	{ "8-byte stride 16", BC_OP_LD64, 128, 1, 0, ALL, 32, 30, 2 },
	{ "only the first half warp", BC_OP_ST64, 8, 1, 0, 0x0000ffff, 1, 0, 1 },
	{ "only lanes 8 and 31 of a 16-byte store", BC_OP_ST128, 16, 1, 0, 0x80000100, 2, 0, 2 },
	/* Law 4 */
	{ "8-byte load of one address by all lanes", BC_OP_LD64, 0, 1, 0, ALL, 1, 0, 1 },
	{ "16-byte load of one address by all lanes", BC_OP_LD128, 0, 1, 0, ALL, 2, 0, 2 },
	{ "8-byte load, neighbours share", BC_OP_LD64, 8, 2, 0, ALL, 1, 0, 1 },
	{ "16-byte load, neighbours share", BC_OP_LD128, 16, 2, 0, ALL, 2, 0, 2 },
	{ "8-byte load, 4 lanes share", BC_OP_LD64, 8, 4, 0, ALL, 1, 0, 1 },
	{ "a store never merges", BC_OP_ST64, 0, 1, 0, ALL, 2, 0, 2 },
	{ "a 16-byte store never merges", BC_OP_ST128, 0, 1, 0, ALL, 4, 0, 4 },
	{ "an inactive partner is a match", BC_OP_LD64, 8, 2, 0, 0x55555555, 1, 0, 1 },
	{ "lanes l and l ^ 8 share: no merging", BC_OP_LD64, 8, 1, 8, ALL, 2, 0, 2 },
	{ "lanes l and l ^ 4 share: no merging", BC_OP_LD64, 8, 1, 4, ALL, 2, 0, 2 },
	{ "lanes l and l ^ 2 share: they merge", BC_OP_LD64, 8, 1, 2, ALL, 1, 0, 1 },
	/* Law 6 */
	{ "atomics on one word by all lanes", BC_OP_ATOM32, 0, 1, 0, ALL, 32, 31, 1 },
	{ "atomics on 32 words", BC_OP_MAX32, 4, 1, 0, ALL, 1, 0, 1 },
	{ "atomics, neighbours on one word", BC_OP_AND32, 4, 2, 0, ALL, 2, 1, 1 },
	{ "inc, stride 2", BC_OP_INC32, 8, 1, 0, ALL, 2, 1, 1 },
	{ "exch by 5 lanes", BC_OP_EXCH32, 0, 1, 0, 0x1f, 5, 4, 1 },
	{ "red of a value that differs by lane", BC_OP_REDV32, 0, 1, 0, ALL, 32, 31, 1 },
	{ "red.max", BC_OP_REDMAX32, 128, 1, 0, 0xff, 8, 7, 1 },
	{ "64-bit exch of one word by all", BC_OP_EXCH64, 0, 1, 0, ALL, 32, 30, 2 },
	{ "64-bit exch, clean", BC_OP_EXCH64, 8, 1, 0, ALL, 2, 0, 2 },
	/* Law 7 */
	{ "cas on one word by all lanes", BC_OP_CAS32, 0, 1, 0, ALL, 64, 31, 1 },
	{ "cas, clean", BC_OP_CAS32, 4, 1, 0, ALL, 2, 0, 1 },
	{ "64-bit cas on one word by all", BC_OP_CAS64, 0, 1, 0, ALL, 64, 30, 2 },
	{ "64-bit cas, clean", BC_OP_CAS64, 8, 1, 0, ALL, 4, 0, 2 },
	/* Law 8 */
	{ "red of a constant 1 merges as a store", BC_OP_RED32, 0, 1, 0, ALL, 1, 0, 1 },
	{ "red of a constant 1, stride 4", BC_OP_RED32, 16, 1, 0, ALL, 4, 3, 1 },
	/* Law 9 */
	{ "ldmatrix.x4, pitch 16", BC_OP_LDSM4, 16, 1, 0, ALL, 4, 0, 4 },
	{ "ldmatrix.x4, pitch 32", BC_OP_LDSM4, 32, 1, 0, ALL, 8, 4, 4 },
	{ "ldmatrix.x4, pitch 64", BC_OP_LDSM4T, 64, 1, 0, ALL, 16, 12, 4 },
	{ "ldmatrix.x4, pitch 128", BC_OP_LDSM4, 128, 1, 0, ALL, 32, 28, 4 },
	{ "ldmatrix.x4, pitch 144: a pad cures it", BC_OP_LDSM4, 144, 1, 0, ALL, 4, 0, 4 },
	{ "ldmatrix.x1 ignores lanes from 8 on", BC_OP_LDSM1, 128, 1, 0, ALL, 8, 7, 1 },
	{ "ldmatrix.x2, one row address: broadcast", BC_OP_LDSM2, 0, 1, 0, ALL, 2, 0, 2 },
	{ "stmatrix.x2, pitch 128", BC_OP_STSM2, 128, 1, 0, ALL, 16, 14, 2 },
	{ "stmatrix.x1", BC_OP_STSM1, 16, 1, 0, ALL, 1, 0, 1 },
	/* Law 10 */
	{ "cp.async 4, clean", BC_OP_CPA4, 4, 1, 0, ALL, 1, 0, 1 },
	{ "cp.async 4, all lanes to one word: no merging", BC_OP_CPA4, 0, 1, 0, ALL, 32, 31, 1 },
	{ "cp.async 8, clean", BC_OP_CPA8, 8, 1, 0, ALL, 2, 0, 2 },
	{ "cp.async 16, stride 8", BC_OP_CPA16CA, 128, 1, 0, ALL, 32, 28, 4 },
	{ "cp.async.cg moves nothing", BC_OP_CPA16CG, 128, 1, 0, ALL, 0, 0, 0 },
	/* Law 11 */
	{ "generic load, stride 32", BC_OP_GLD32, 128, 1, 0, ALL, 32, 31, 1 },
	{ "generic store, one word", BC_OP_GST32, 0, 1, 0, ALL, 1, 0, 1 },
};

static void addresses(uint32_t addr[BC_LANES], uint32_t stride, uint32_t share, uint32_t wrap)
{
	for (uint32_t lane = 0; lane < BC_LANES; lane++) {
		const uint32_t i = lane / share;

		addr[lane] = (wrap ? i % wrap : i) * stride;
	}
}

START_TEST(law_gives_the_row)
{
	uint32_t addr[BC_LANES];
	struct bc_wavefronts w;
	struct bc_error err = { 0 };

	addresses(addr, laws[_i].stride, laws[_i].share, laws[_i].wrap);
	ck_assert_msg(bc_banks_count(&h200, laws[_i].op, addr, laws[_i].mask, &w, &err) == BC_OK, "%s: %s",
		      laws[_i].what, err.msg);
	ck_assert_msg(
		w.wavefronts == laws[_i].wavefronts && w.conflicts == laws[_i].conflicts && w.groups == laws[_i].groups,
		"%s: got %u wavefronts, %u conflicts, %u groups", laws[_i].what, w.wavefronts, w.conflicts, w.groups);
}
END_TEST

static unsigned gcd(unsigned a, unsigned b)
{
	return b ? gcd(b, a % b) : a;
}

/* Closed forms of strided accesses: stride s of w-byte elements, forwards and backwards. */
START_TEST(strides_follow_gcd)
{
	static const struct {
		enum bc_op op;
		unsigned bytes;
	} ops[] = {
		{ BC_OP_LD32, 4 }, { BC_OP_ST32, 4 },	{ BC_OP_LD64, 8 },
		{ BC_OP_ST64, 8 }, { BC_OP_LD128, 16 }, { BC_OP_ST128, 16 },
	};
	const unsigned bytes = ops[_i].bytes, groups = bytes / 4;

	for (unsigned s = 1; s <= 64; s++) {
		uint32_t up[BC_LANES], down[BC_LANES];
		struct bc_wavefronts u, d;

		for (unsigned lane = 0; lane < BC_LANES; lane++) {
			up[lane] = lane * s * bytes;
			down[lane] = (31 - lane) * s * bytes;
		}
		ck_assert_int_eq(bc_banks_count(&h200, ops[_i].op, up, ALL, &u, NULL), BC_OK);
		ck_assert_int_eq(bc_banks_count(&h200, ops[_i].op, down, ALL, &d, NULL), BC_OK);
		ck_assert_msg(u.wavefronts == groups * gcd(s, 32 / groups), "%u bytes, stride %u: %u", bytes, s,
			      u.wavefronts);
		ck_assert_msg(d.wavefronts == u.wavefronts, "%u bytes, stride -%u: %u", bytes, s, d.wavefronts);
	}
}
END_TEST

/* Law 4 where one detail is off. */
START_TEST(pair_rule_needs_every_pair)
{
	struct bc_geometry no_rule = h200;
	uint32_t addr[BC_LANES];
	struct bc_wavefronts w;

	addresses(addr, 8, 2, 0);
	ck_assert_int_eq(bc_banks_count(&h200, BC_OP_LD64, addr, ALL, &w, NULL), BC_OK);
	ck_assert(w.merged && w.wavefronts == 1);

	no_rule.pair_rule = false;
	ck_assert_int_eq(bc_banks_count(&no_rule, BC_OP_LD64, addr, ALL, &w, NULL), BC_OK);
	ck_assert(!w.merged && w.wavefronts == 2);

	addr[31] += 8; /* one broken pair */
	ck_assert_int_eq(bc_banks_count(&h200, BC_OP_LD64, addr, ALL, &w, NULL), BC_OK);
	ck_assert(!w.merged && w.wavefronts == 2);
	ck_assert_int_eq(bc_banks_count(&h200, BC_OP_LD64, addr, ALL >> 1, &w, NULL), BC_OK);
	ck_assert_msg(w.merged && w.wavefronts == 1, "the partner of lane 30 is inactive");

	for (unsigned lane = 0; lane < BC_LANES; lane++) /* pairs of x = 1 in the first half, of x = 2 in the second */
		addr[lane] = lane < 16 ? lane / 2 * 8 : 256 + (lane & ~2u) * 8;
	ck_assert_int_eq(bc_banks_count(&h200, BC_OP_LD64, addr, ALL, &w, NULL), BC_OK);
	ck_assert_msg(!w.merged, "one x for the whole warp");
}
END_TEST

/* Geometries that are wrong on purpose: what a device with a planted fault counts. */
START_TEST(other_geometries_count_their_own)
{
	static const struct {
		uint32_t banks, bank_bytes;
		enum bc_op op;
		uint32_t stride;
		unsigned wavefronts;
	} rows[] = {
		{ 16, 4, BC_OP_LD32, 4, 2 },   { 64, 4, BC_OP_LD32, 4, 1 },   { 64, 4, BC_OP_LD32, 8, 1 },
		{ 64, 4, BC_OP_LD32, 16, 2 },  { 32, 8, BC_OP_LD32, 4, 1 },   { 32, 8, BC_OP_LD32, 8, 1 },
		{ 32, 8, BC_OP_LD32, 16, 2 },  { 16, 8, BC_OP_LD32, 8, 2 },   { 32, 8, BC_OP_ATOM32, 4, 2 },
		{ 1, 4, BC_OP_LD32, 4, 32 },   { 1, 4, BC_OP_ST64, 8, 64 },   { 1, 4, BC_OP_ST128, 16, 128 },
		{ 2, 4, BC_OP_ST128, 16, 64 }, { 1, 8, BC_OP_ST128, 16, 64 }, { 16, 4, BC_OP_ST128, 16, 8 },
		{ 32, 8, BC_OP_ST128, 16, 4 }, { 32, 4, BC_OP_LD32, 0, 1 },   { 16, 4, BC_OP_LD32, 0, 1 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		const struct bc_geometry g = GEOMETRY(rows[i].banks, rows[i].bank_bytes, false);
		uint32_t addr[BC_LANES];
		struct bc_wavefronts w;

		addresses(addr, rows[i].stride, 1, 0);
		ck_assert_int_eq(bc_banks_count(&g, rows[i].op, addr, ALL, &w, NULL), BC_OK);
		ck_assert_msg(w.wavefronts == rows[i].wavefronts, "row %zu: got %u", i, w.wavefronts);
	}
}
END_TEST

START_TEST(impossible_requests_are_refused)
{
	static const struct {
		const char *want;
		struct bc_geometry g;
		enum bc_op op;
		uint32_t stride, mask;
	} rows[] = {
		{ "no operation given: a bank law needs one", GEOMETRY(32, 4, true), BC_OP_NONE, 4, ALL },
		{ "addf32 has no bank law: it is judged by its data", GEOMETRY(32, 4, true), BC_OP_ADDF32, 4, ALL },
		{ "48 banks of 4 bytes: 1 to 64", GEOMETRY(48, 4, true), BC_OP_LD32, 4, ALL },
		{ "0 banks of 4 bytes: 1 to 64", GEOMETRY(0, 4, true), BC_OP_LD32, 4, ALL },
		{ "128 banks of 4 bytes: 1 to 64", GEOMETRY(128, 4, true), BC_OP_LD32, 4, ALL },
		{ "32 banks of 16 bytes: 1 to 64", GEOMETRY(32, 16, true), BC_OP_LD32, 4, ALL },
		{ "ld32: lane 1's address 0x2 is not a multiple of 4 bytes", GEOMETRY(32, 4, true), BC_OP_LD32, 2,
		  ALL },
		{ "ld128: lane 3's address 0x18 is not a multiple of 16 bytes", GEOMETRY(32, 4, true), BC_OP_LD128, 8,
		  0x8 },
		{ "cpa8: lane 5's address 0x14 is not a multiple of 8 bytes", GEOMETRY(32, 4, true), BC_OP_CPA8, 4,
		  0x20 },
		{ "cpa16cg: lane 1's address 0x8 is not a", GEOMETRY(32, 4, true), BC_OP_CPA16CG, 8, ALL },
		{ "ldsm4 needs all 32 lanes, the mask is 7fffffff", GEOMETRY(32, 4, true), BC_OP_LDSM4, 16, ALL >> 1 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		uint32_t addr[BC_LANES];
		struct bc_wavefronts w = { .wavefronts = 99 };
		struct bc_bank_access touch[1];
		struct bc_error err = { 0 };
		size_t n = 77;

		addresses(addr, rows[i].stride, 1, 0);
		ck_assert_int_eq(bc_banks_count(&rows[i].g, rows[i].op, addr, rows[i].mask, &w, &err), BC_EDATA);
		ck_assert_msg(strncmp(err.msg, rows[i].want, strlen(rows[i].want)) == 0, "%s", err.msg);
		ck_assert_uint_eq(w.wavefronts, 99);
		ck_assert_int_eq(bc_banks_schedule(&rows[i].g, rows[i].op, addr, rows[i].mask, &w, touch, 1, &n, NULL),
				 BC_EDATA);
		ck_assert_uint_eq(n, 77);
	}
}
END_TEST

/* Requests that would be clean, were they aligned. */
START_TEST(misaligned_rows_are_refused)
{
	uint32_t row[BC_LANES], word[BC_LANES];
	struct bc_wavefronts w;
	struct bc_error err = { 0 };

	for (unsigned lane = 0; lane < BC_LANES; lane++) {
		row[lane] = 2 + 4 * lane;
		word[lane] = 7;
	}
	ck_assert_int_eq(bc_banks_count(&h200, BC_OP_LD32, row, ALL, &w, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "ld32: lane 0's address 0x2 is not a multiple of 4 bytes");
	ck_assert_int_eq(bc_banks_count(&h200, BC_OP_ST32, word, ALL, &w, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "st32: lane 0's address 0x7 is not a multiple of 4 bytes");
}
END_TEST

START_TEST(inactive_lanes_are_not_read)
{
	uint32_t addr[BC_LANES];
	struct bc_wavefronts w;

	for (unsigned lane = 0; lane < BC_LANES; lane++)
		addr[lane] = lane % 2 ? 1 : lane * 4; /* 1: misaligned */
	ck_assert_int_eq(bc_banks_count(&h200, BC_OP_LD32, addr, 0x55555555, &w, NULL), BC_OK);
	ck_assert_uint_eq(w.wavefronts, 1);
}
END_TEST

/* One row of the measured patterns. */
struct measured {
	enum bc_op op;
	char name[64];
	uint32_t mask, addr[BC_LANES];
	unsigned wavefronts, conflicts;
};

static bool parse_measured(char *line, struct measured *m)
{
	char *field[8], *save = NULL;
	size_t n = 0;

	for (char *f = strtok_r(line, "\t", &save); f && n < 8; f = strtok_r(NULL, "\t", &save))
		field[n++] = f;
	if (n != 8 || strcmp(field[3], "1") != 0)
		return false;
	m->op = bc_op_parse(field[0]);
	bc_strlcpy(m->name, field[1], sizeof(m->name));
	m->mask = (uint32_t)strtoul(field[2], NULL, 16);
	m->wavefronts = (unsigned)strtoul(field[4], NULL, 10);
	m->conflicts = (unsigned)strtoul(field[5], NULL, 10);
	n = 0;
	save = NULL;
	for (char *f = strtok_r(field[7], ",\n", &save); f && n < BC_LANES; f = strtok_r(NULL, ",\n", &save))
		m->addr[n++] = (uint32_t)strtoul(f, NULL, 10);
	return n == BC_LANES;
}

/* Call @visit for every measured row. Return: how many there were. */
static size_t each_measured(void (*visit)(const struct measured *m))
{
	FILE *f = fopen(BC_TEST_DATA "/core/h200-sm90-patterns.tsv", "r");
	char line[2048];
	size_t rows = 0;

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), f)); /* the header */
	while (fgets(line, sizeof(line), f)) {
		struct measured m;

		ck_assert_msg(parse_measured(line, &m), "row %zu is not a row", rows + 1);
		visit(&m);
		rows++;
	}
	fclose(f);
	return rows;
}

static void expect_measured(const struct measured *m)
{
	struct bc_wavefronts w;
	struct bc_error err = { 0 };

	ck_assert_msg(bc_banks_count(&h200, m->op, m->addr, m->mask, &w, &err) == BC_OK, "%s: %s", m->name, err.msg);
	ck_assert_msg(w.wavefronts == m->wavefronts && w.conflicts == m->conflicts,
		      "%s %s %08x: %u wavefronts, %u conflicts; measured %u, %u", bc_op_info(m->op)->name, m->name,
		      m->mask, w.wavefronts, w.conflicts, m->wavefronts, m->conflicts);
}

START_TEST(all_measured_patterns_are_reproduced)
{
	ck_assert_uint_eq(each_measured(expect_measured), 4715);
}
END_TEST

/* The sum of the bits that differ in bank, lane or address is not what a count may depend on. */
static void expect_invariant(const struct measured *m)
{
	uint32_t moved[BC_LANES], mirrored[BC_LANES], renamed[BC_LANES];
	struct bc_wavefronts w;

	for (unsigned lane = 0; lane < BC_LANES; lane++) {
		moved[lane] = m->addr[lane] + 128;	/* one row of banks further */
		mirrored[lane] = m->addr[lane] ^ 0x70;	/* banks exchanged, 16 bytes kept whole */
		renamed[lane] = m->addr[lane] ^ 0x8000; /* another row, the same bank */
	}

	const uint32_t *const variant[] = { moved, mirrored, renamed };

	for (size_t i = 0; i < BC_ARRAY_LEN(variant); i++) {
		ck_assert_int_eq(bc_banks_count(&h200, m->op, variant[i], m->mask, &w, NULL), BC_OK);
		ck_assert_msg(w.wavefronts == m->wavefronts && w.conflicts == m->conflicts, "%s %s, change %zu",
			      bc_op_info(m->op)->name, m->name, i);
	}
}

START_TEST(renaming_banks_and_rows_changes_nothing)
{
	ck_assert_uint_eq(each_measured(expect_invariant), 4715);
}
END_TEST

/* Each lane-word once, in order; no bank serves two words (where every lane counts: two lanes) in one wavefront. */
static void check_schedule(const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES], uint32_t mask)
{
	const struct bc_op_info *info = bc_op_info(op);
	const bool every = info->law == BC_LAW_ATOM || info->law == BC_LAW_CAS || info->law == BC_LAW_COPY;
	const uint32_t used = info->matrices == 1 ? mask & 0xff : info->matrices == 2 ? mask & 0xffff : mask;
	const unsigned words = info->bytes > g->bank_bytes ? info->bytes / g->bank_bytes : 1;
	const unsigned cas = info->law == BC_LAW_CAS ? 2 : 1;
	unsigned seen[BC_LANES] = { 0 }, last = 0, total = 0;
	struct bc_bank_access t[BC_LANES * BC_LANE_WORDS_MAX];
	struct bc_wavefronts w, again;
	size_t n;

	ck_assert_int_eq(bc_banks_schedule(g, op, addr, mask, &w, t, BC_ARRAY_LEN(t), &n, NULL), BC_OK);
	ck_assert_int_eq(bc_banks_count(g, op, addr, mask, &again, NULL), BC_OK);
	ck_assert(w.wavefronts == again.wavefronts && w.conflicts == again.conflicts && w.groups == again.groups &&
		  w.merged == again.merged && w.law == again.law);
	for (size_t i = 0; i < n; i++) {
		const unsigned j = t[i].word - addr[t[i].lane] / g->bank_bytes;

		ck_assert_uint_lt(j, words);
		ck_assert_uint_eq(t[i].bank, t[i].word % g->banks);
		ck_assert_uint_eq(t[i].group, t[i].lane / w.group_lanes);
		ck_assert_msg((used >> t[i].lane & 1) != 0 && (seen[t[i].lane] >> j & 1) == 0, "lane %u, word %u",
			      t[i].lane, j);
		seen[t[i].lane] |= 1u << j;
		last = t[i].wavefront > last ? t[i].wavefront : last;
		total++;
		if (i == 0)
			continue;

		const struct bc_bank_access *p = &t[i - 1];

		ck_assert_msg(p->wavefront < t[i].wavefront ||
				      (p->wavefront == t[i].wavefront &&
				       (p->bank < t[i].bank || (p->bank == t[i].bank && p->lane < t[i].lane))),
			      "touch %zu is out of order", i);
		if (p->wavefront == t[i].wavefront) {
			ck_assert_msg(p->group == t[i].group, "two groups in wavefront %u", p->wavefront);
			ck_assert_msg(p->bank != t[i].bank || (!every && p->word == t[i].word),
				      "bank %u serves two in wavefront %u", p->bank, p->wavefront);
		}
	}
	ck_assert_uint_eq(total, info->law == BC_LAW_UNCOUNTED ? 0 : (unsigned)__builtin_popcount(used) * words);
	if (total)
		ck_assert_msg((last + 1) * cas == w.wavefronts, "%s: %u of %u wavefronts used", info->name, last + 1,
			      w.wavefronts);
}

static void schedule_measured(const struct measured *m)
{
	static const struct bc_geometry others[] = { GEOMETRY(16, 4, false), GEOMETRY(64, 4, true),
						     GEOMETRY(32, 8, true), GEOMETRY(2, 4, false) };

	check_schedule(&h200, m->op, m->addr, m->mask);
	if (m->name[0] == 's') /* the strides and the few others: enough for geometries that are wrong on purpose */
		for (size_t i = 0; i < BC_ARRAY_LEN(others); i++)
			check_schedule(&others[i], m->op, m->addr, m->mask);
}

START_TEST(schedules_serve_each_word_once)
{
	ck_assert_uint_eq(each_measured(schedule_measured), 4715);
}
END_TEST

START_TEST(schedule_needs_room)
{
	uint32_t addr[BC_LANES];
	struct bc_bank_access t[BC_LANES];
	struct bc_wavefronts w;
	struct bc_error err = { 0 };
	size_t n = 0;

	addresses(addr, 4, 1, 0);
	ck_assert_int_eq(bc_banks_schedule(&h200, BC_OP_LD32, addr, ALL, &w, t, 31, &n, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "ld32: 32 touches do not fit into 31");
	ck_assert_int_eq(bc_banks_schedule(&h200, BC_OP_LD32, addr, ALL, &w, t, 32, &n, &err), BC_OK);
	ck_assert_uint_eq(n, 32);
	ck_assert_int_eq(bc_banks_schedule(&h200, BC_OP_LD32, addr, 0, &w, t, 0, &n, &err), BC_OK);
	ck_assert_uint_eq(n, 0);
}
END_TEST

/* The names that the command line promises, and the classes and counters of the operations. */
START_TEST(operations_are_as_promised)
{
	static const struct {
		const char *name;
		unsigned bytes;
		enum bc_class cls;
		const char *requests;
	} rows[] = {
		{ "ld8", 1, BC_CLASS_LD, "ld_requests" },
		{ "ld16", 2, BC_CLASS_LD, "ld_requests" },
		{ "ld32", 4, BC_CLASS_LD, "ld_requests" },
		{ "ld64", 8, BC_CLASS_LD, "ld_requests" },
		{ "ld128", 16, BC_CLASS_LD, "ld_requests" },
		{ "st8", 1, BC_CLASS_ST, "st_requests" },
		{ "st16", 2, BC_CLASS_ST, "st_requests" },
		{ "st32", 4, BC_CLASS_ST, "st_requests" },
		{ "st64", 8, BC_CLASS_ST, "st_requests" },
		{ "st128", 16, BC_CLASS_ST, "st_requests" },
		{ "gld32", 4, BC_CLASS_LD, NULL },
		{ "gld64", 8, BC_CLASS_LD, NULL },
		{ "gld128", 16, BC_CLASS_LD, NULL },
		{ "gst32", 4, BC_CLASS_ST, NULL },
		{ "gst64", 8, BC_CLASS_ST, NULL },
		{ "gst128", 16, BC_CLASS_ST, NULL },
		{ "atom32", 4, BC_CLASS_ATOM, "atom_requests" },
		{ "max32", 4, BC_CLASS_ATOM, "atom_requests" },
		{ "min32", 4, BC_CLASS_ATOM, "atom_requests" },
		{ "and32", 4, BC_CLASS_ATOM, "atom_requests" },
		{ "or32", 4, BC_CLASS_ATOM, "atom_requests" },
		{ "xor32", 4, BC_CLASS_ATOM, "atom_requests" },
		{ "inc32", 4, BC_CLASS_ATOM, "atom_requests" },
		{ "exch32", 4, BC_CLASS_ATOM, "atom_requests" },
		{ "cas32", 4, BC_CLASS_ATOM, "atom_requests" },
		{ "exch64", 8, BC_CLASS_ATOM, "atom_requests" },
		{ "add64", 8, BC_CLASS_NONE, NULL },
		{ "addf32", 4, BC_CLASS_NONE, NULL },
		{ "cas64", 8, BC_CLASS_ATOM, "atom_requests" },
		{ "red32", 4, BC_CLASS_ATOM, "atom_requests" },
		{ "redv32", 4, BC_CLASS_ATOM, "atom_requests" },
		{ "redmax32", 4, BC_CLASS_ATOM, "atom_requests" },
		{ "red64", 8, BC_CLASS_NONE, NULL },
		{ "redf32", 4, BC_CLASS_NONE, NULL },
		{ "ldsm1", 16, BC_CLASS_LD, "ldsm_requests" },
		{ "ldsm2", 16, BC_CLASS_LD, "ldsm_requests" },
		{ "ldsm4", 16, BC_CLASS_LD, "ldsm_requests" },
		{ "ldsm1t", 16, BC_CLASS_LD, "ldsm_requests" },
		{ "ldsm2t", 16, BC_CLASS_LD, "ldsm_requests" },
		{ "ldsm4t", 16, BC_CLASS_LD, "ldsm_requests" },
		{ "stsm1", 16, BC_CLASS_ST, "stsm_requests" },
		{ "stsm2", 16, BC_CLASS_ST, "stsm_requests" },
		{ "stsm4", 16, BC_CLASS_ST, "stsm_requests" },
		{ "stsm4t", 16, BC_CLASS_ST, "stsm_requests" },
		{ "cpa4", 4, BC_CLASS_LDGSTS, "ldgsts_requests" },
		{ "cpa8", 8, BC_CLASS_LDGSTS, "ldgsts_requests" },
		{ "cpa16ca", 16, BC_CLASS_LDGSTS, "ldgsts_requests" },
		{ "cpa16cg", 16, BC_CLASS_LDGSTS, "ldgsts_requests" },
		{ "cpa4z", 4, BC_CLASS_LDGSTS, "ldgsts_requests" },
		{ "cpa8z", 8, BC_CLASS_LDGSTS, "ldgsts_requests" },
		{ "cpa16caz", 16, BC_CLASS_LDGSTS, "ldgsts_requests" },
		{ "cpa16cgz", 16, BC_CLASS_LDGSTS, "ldgsts_requests" },
	};

	ck_assert_uint_eq(BC_ARRAY_LEN(rows), BC_NOPS - 1);
	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		const enum bc_op op = bc_op_parse(rows[i].name);
		const struct bc_op_info *info = bc_op_info(op);

		ck_assert_int_ne(op, BC_OP_NONE);
		ck_assert_str_eq(info->name, rows[i].name);
		ck_assert_uint_eq(info->bytes, rows[i].bytes);
		ck_assert_str_eq(bc_class_name(info->cls), bc_class_name(rows[i].cls));
		ck_assert_pstr_eq(info->counter_requests, rows[i].requests);
		ck_assert_str_ne(info->mnemonic, "");
	}
	ck_assert_int_eq(bc_op_parse("none"), BC_OP_NONE);
	ck_assert_int_eq(bc_op_parse(""), BC_OP_NONE);
	ck_assert_int_eq(bc_op_parse("ld320"), BC_OP_NONE);
	ck_assert_str_eq(bc_op_info(BC_OP_NONE)->name, "none");
	ck_assert_str_eq(bc_class_name(BC_CLASS_LDGSTS), "ldgsts");
	ck_assert_str_eq(bc_class_name(BC_CLASS_NONE), "none");
}
END_TEST

Suite *bc_test_banks(void)
{
	Suite *s = suite_create("banks");
	TCase *by_hand = tcase_create("laws"), *all = tcase_create("measured"), *ops = tcase_create("operations");

	tcase_add_loop_test(by_hand, law_gives_the_row, 0, (int)BC_ARRAY_LEN(laws));
	tcase_add_loop_test(by_hand, strides_follow_gcd, 0, 6);
	tcase_add_test(by_hand, pair_rule_needs_every_pair);
	tcase_add_test(by_hand, other_geometries_count_their_own);
	tcase_add_test(by_hand, impossible_requests_are_refused);
	tcase_add_test(by_hand, misaligned_rows_are_refused);
	tcase_add_test(by_hand, inactive_lanes_are_not_read);
	tcase_add_test(by_hand, schedule_needs_room);
	suite_add_tcase(s, by_hand);
	tcase_set_timeout(all, 60);
	tcase_add_test(all, all_measured_patterns_are_reproduced);
	tcase_add_test(all, renaming_banks_and_rows_changes_nothing);
	tcase_add_test(all, schedules_serve_each_word_once);
	suite_add_tcase(s, all);
	tcase_add_test(ops, operations_are_as_promised);
	suite_add_tcase(s, ops);
	return s;
}
