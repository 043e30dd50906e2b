/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/faults.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/selftest_rules.h"

Suite *bc_test_faults(void);

#define ALL 0xffffffffu

static const struct bc_geometry geometry = { .banks = 32, .bank_bytes = 4, .pair_rule = true };

static const struct bc_fault *find(const char *name)
{
	const struct bc_fault *f = bc_fault_find(name);

	ck_assert_msg(f != NULL, "no fault %s", name);
	return f;
}

/*
 * Lane l at base + element * stride, where element is l without its bit @pair (PAIR: lanes l and l ^ (1 << pair) share
 * one), l / 16 (HALVES) or l. What a sound device and the faulty one count, by the rules on paper.
 */
enum { EACH = -1, HALVES = -2 };

static const struct {
	const char *fault, *what;
	enum bc_op op;
	uint32_t base, stride, mask;
	int pair;
	unsigned sound_w, sound_c, want_w, want_c;
} laws[] = {
	{ "banks-16", "32 words in 16 banks", BC_OP_LD32, 1024, 4, ALL, EACH, 1, 0, 2, 1 },
	{ "banks-16", "16 words in 16 banks", BC_OP_LD32, 1024, 4, 0xffff, EACH, 1, 0, 1, 0 },
	{ "banks-16", "16 words apart", BC_OP_ST32, 0, 64, ALL, EACH, 16, 15, 32, 31 },
	{ "banks-64", "32 words apart: every second in bank 32", BC_OP_LD32, 1024, 128, ALL, EACH, 32, 31, 16, 15 },
	{ "banks-64", "64 words apart", BC_OP_LD32, 1024, 256, ALL, EACH, 32, 31, 32, 31 },
	{ "banks-8-byte", "two words apart", BC_OP_ST32, 0, 8, ALL, EACH, 2, 1, 1, 0 },
	{ "banks-8-byte", "32 words apart", BC_OP_LD32, 0, 128, ALL, EACH, 32, 31, 16, 15 },
	{ "banks-8-byte", "32 consecutive words", BC_OP_LD32, 0, 4, ALL, EACH, 1, 0, 1, 0 },
	{ "banks-hashed", "addresses that differ in bit 14", BC_OP_LD32, 1024, 0x4000, 3, EACH, 2, 1, 1, 0 },
	{ "banks-hashed", "addresses that differ in bit 17", BC_OP_LD32, 1024, 0x20000, 3, EACH, 2, 1, 1, 0 },
	{ "banks-hashed", "addresses that differ in bit 13", BC_OP_LD32, 1024, 0x2000, 3, EACH, 2, 1, 2, 1 },
	{ "banks-hashed", "16-byte accesses stay aligned", BC_OP_LD128, 0x4000, 16, ALL, EACH, 4, 0, 4, 0 },
	{ "line-conflict", "the line itself", BC_OP_LD32, 0xe380, 4, ALL, EACH, 1, 0, 2, 1 },
	{ "line-conflict", "its last word by one lane", BC_OP_LD32, 0xe3fc, 4, 1, EACH, 1, 0, 2, 1 },
	{ "line-conflict", "the line before", BC_OP_LD32, 0xe300, 4, ALL, EACH, 1, 0, 1, 0 },
	{ "line-conflict", "the line after", BC_OP_LD32, 0xe400, 4, ALL, EACH, 1, 0, 1, 0 },
	{ "line-conflict", "no lane", BC_OP_LD32, 0xe380, 4, 0, EACH, 0, 0, 0, 0 },
	{ "broadcast-none", "one word by all", BC_OP_LD32, 0, 0, ALL, EACH, 1, 0, 32, 31 },
	{ "broadcast-none", "four bytes a word", BC_OP_LD8, 0, 1, ALL, EACH, 1, 0, 4, 3 },
	{ "broadcast-none", "one double by all", BC_OP_LD64, 0, 0, ALL, EACH, 1, 0, 32, 30 },
	{ "broadcast-none", "one 16-byte element by all", BC_OP_LD128, 0, 0, ALL, EACH, 2, 0, 32, 28 },
	{ "broadcast-none", "distinct words", BC_OP_LD32, 0, 4, ALL, EACH, 1, 0, 1, 0 },
	{ "broadcast-none", "stores merge as ever", BC_OP_ST32, 0, 0, ALL, EACH, 1, 0, 1, 0 },
	{ "broadcast-whole-warp", "one word by all", BC_OP_LD32, 64, 0, ALL, EACH, 1, 0, 1, 0 },
	{ "broadcast-whole-warp", "two words by 16 lanes each", BC_OP_LD32, 64, 4, ALL, HALVES, 1, 0, 16, 15 },
	{ "broadcast-whole-warp", "stores merge as ever", BC_OP_ST32, 64, 4, ALL, HALVES, 1, 0, 1, 0 },
	{ "broadcast-whole-warp", "one 16-byte element by all", BC_OP_LD128, 0, 0, ALL, EACH, 2, 0, 2, 0 },
	{ "broadcast-whole-warp", "no lane", BC_OP_LD32, 0, 4, 0, EACH, 0, 0, 0, 0 },
	{ "broadcast-none-stores", "one word by all", BC_OP_ST32, 64, 0, ALL, EACH, 1, 0, 32, 31 },
	{ "broadcast-none-stores", "two halves a word", BC_OP_ST16, 64, 2, ALL, EACH, 1, 0, 2, 1 },
	{ "broadcast-none-stores", "one double by all", BC_OP_ST64, 0, 0, ALL, EACH, 2, 0, 32, 30 },
	{ "broadcast-none-stores", "distinct words", BC_OP_ST32, 0, 4, ALL, EACH, 1, 0, 1, 0 },
	{ "broadcast-none-stores", "loads merge as ever", BC_OP_LD32, 64, 0, ALL, EACH, 1, 0, 1, 0 },
	{ "broadcast-none-stores", "so do adds of 1", BC_OP_RED32, 64, 0, ALL, EACH, 1, 0, 1, 0 },
	{ "pair-rule-missing", "pairs l ^ 1", BC_OP_LD64, 0, 8, ALL, 0, 1, 0, 2, 0 },
	{ "pair-rule-missing", "pairs l ^ 2", BC_OP_LD128, 0, 16, ALL, 1, 2, 0, 4, 0 },
	{ "pair-rule-wide", "pairs l ^ 4 of 8 bytes", BC_OP_LD64, 0, 8, ALL, 2, 2, 0, 1, 0 },
	{ "pair-rule-wide", "pairs l ^ 4 of 16 bytes", BC_OP_LD128, 0, 16, ALL, 2, 4, 0, 2, 0 },
	{ "pair-rule-wide", "pairs l ^ 4, partners off", BC_OP_LD64, 0, 8, 0x0f0f0f0f, 2, 2, 0, 1, 0 },
	{ "pair-rule-wide", "lanes 0 to 2 only, 128 bytes apart", BC_OP_LD64, 0, 128, 0x7, 2, 3, 2, 3, 2 },
	{ "pair-rule-wide", "pairs l ^ 8 still do not", BC_OP_LD64, 0, 8, ALL, 3, 2, 0, 2, 0 },
	{ "pair-rule-wide", "nor does a store", BC_OP_ST64, 0, 8, ALL, 2, 2, 0, 2, 0 },
	{ "pair-rule-wide", "pairs l ^ 1 as ever", BC_OP_LD64, 0, 8, ALL, 0, 1, 0, 1, 0 },
	{ "groups-8-byte", "consecutive doubles conflict", BC_OP_LD64, 0, 8, ALL, EACH, 2, 0, 2, 1 },
	{ "groups-8-byte", "of stores too", BC_OP_ST64, 0, 128, ALL, EACH, 32, 30, 32, 31 },
	{ "groups-8-byte", "16 lanes are one group anyway", BC_OP_LD64, 0, 8, 0xffff, EACH, 1, 0, 1, 0 },
	{ "groups-8-byte", "16 bytes as ever", BC_OP_ST128, 0, 16, ALL, EACH, 4, 0, 4, 0 },
	{ "groups-16-byte", "consecutive elements conflict", BC_OP_ST128, 0, 16, ALL, EACH, 4, 0, 4, 2 },
	{ "groups-16-byte", "8 lanes are one group anyway", BC_OP_LD128, 0, 16, 0xff, EACH, 1, 0, 1, 0 },
	{ "groups-16-byte", "8 bytes as ever", BC_OP_ST64, 0, 8, ALL, EACH, 2, 0, 2, 0 },
	{ "subword-conflict", "four bytes a word", BC_OP_LD8, 1024, 1, ALL, EACH, 1, 0, 4, 3 },
	{ "subword-conflict", "two halves a word", BC_OP_ST16, 1024, 2, ALL, EACH, 1, 0, 2, 1 },
	{ "subword-conflict", "one byte by all", BC_OP_LD8, 1025, 0, ALL, EACH, 1, 0, 1, 0 },
	{ "subword-conflict", "a byte of each of 32 rows", BC_OP_ST8, 3, 128, ALL, EACH, 32, 31, 32, 31 },
	{ "subword-conflict", "words as ever", BC_OP_LD32, 0, 0, ALL, EACH, 1, 0, 1, 0 },
	{ "inactive-counted", "one lane of 32 rows", BC_OP_LD32, 0, 128, 1, EACH, 1, 0, 32, 31 },
	{ "inactive-counted", "no lane at all", BC_OP_LD32, 0, 128, 0, EACH, 0, 0, 0, 0 },
	{ "inactive-paired", "one lane of 32 rows, and its neighbour", BC_OP_LD32, 0, 128, 1, EACH, 1, 0, 2, 1 },
	{ "inactive-paired", "an odd lane, and its neighbour", BC_OP_ST32, 0, 128, 0x80000000, EACH, 1, 0, 2, 1 },
	{ "inactive-paired", "both of two pairs", BC_OP_LD32, 0, 128, 0x33, EACH, 4, 3, 4, 3 },
	{ "inactive-paired", "lanes 1 and 2 are no pair", BC_OP_CPA4, 0, 128, 0x6, EACH, 2, 1, 4, 3 },
	{ "inactive-paired", "a neighbour in another bank", BC_OP_ATOM32, 0, 4, 1, EACH, 1, 0, 1, 0 },
	{ "inactive-paired", "no lane at all", BC_OP_LD32, 0, 128, 0, EACH, 0, 0, 0, 0 },
	{ "inactive-paired", "matrices as ever", BC_OP_LDSM1, 0, 16, ALL, EACH, 1, 0, 1, 0 },
	{ "atomic-add-one", "one word by all", BC_OP_RED32, 0, 0, ALL, EACH, 1, 0, 32, 31 },
	{ "atomic-add-one", "distinct words", BC_OP_RED32, 0, 4, ALL, EACH, 1, 0, 1, 0 },
	{ "atomic-add-one", "other adds as ever", BC_OP_REDV32, 0, 0, ALL, EACH, 32, 31, 32, 31 },
	{ "atomic-add-one", "stores as ever", BC_OP_ST32, 0, 0, ALL, EACH, 1, 0, 1, 0 },
	{ "atomic-broadcast", "one word by all", BC_OP_ATOM32, 0, 0, ALL, EACH, 32, 31, 1, 0 },
	{ "atomic-broadcast", "cas of one word", BC_OP_CAS32, 0, 0, ALL, EACH, 64, 31, 2, 0 },
	{ "atomic-broadcast", "8 bytes by all", BC_OP_EXCH64, 0, 0, ALL, EACH, 32, 30, 2, 0 },
	{ "cas-as-add", "one word by all", BC_OP_CAS32, 0, 0, ALL, EACH, 64, 31, 32, 31 },
	{ "cas-as-add", "8 bytes by all", BC_OP_CAS64, 0, 0, ALL, EACH, 64, 30, 32, 30 },
	{ "cas-as-add", "adds as ever", BC_OP_ATOM32, 0, 128, ALL, EACH, 32, 31, 32, 31 },
	{ "atomic-broadcast", "32 rows", BC_OP_ATOM32, 0, 128, ALL, EACH, 32, 31, 32, 31 },
	{ "atomic-broadcast", "loads as ever", BC_OP_LD32, 0, 128, ALL, EACH, 32, 31, 32, 31 },
};

START_TEST(false_laws_count_as_the_row_says)
{
	const struct bc_fault *f = find(laws[_i].fault);
	struct bc_wavefronts sound, got;
	struct bc_error err = { .msg = "" };
	uint32_t addr[BC_LANES];

	ck_assert(f->hooks.count != NULL);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t below = laws[_i].pair >= 0 ? (1u << laws[_i].pair) - 1 : 0;
		const uint32_t element = laws[_i].pair == EACH	   ? l
					 : laws[_i].pair == HALVES ? l / 16
								   : (l & below) | (l >> 1 & ~below);

		addr[l] = laws[_i].base + element * laws[_i].stride;
	}
	ck_assert_msg(!bc_banks_count(&geometry, laws[_i].op, addr, laws[_i].mask, &sound, &err), "%s", err.msg);
	ck_assert_msg(!f->hooks.count(NULL, &geometry, laws[_i].op, addr, laws[_i].mask, &got, &err), "%s", err.msg);
	ck_assert_msg(sound.wavefronts == laws[_i].sound_w && sound.conflicts == laws[_i].sound_c,
		      "%s, %s: the sound device counts %u and %u", laws[_i].fault, laws[_i].what, sound.wavefronts,
		      sound.conflicts);
	ck_assert_msg(got.wavefronts == laws[_i].want_w && got.conflicts == laws[_i].want_c, "%s, %s: got %u and %u",
		      laws[_i].fault, laws[_i].what, got.wavefronts, got.conflicts);
}
END_TEST

START_TEST(false_laws_pass_errors_on)
{
	uint32_t addr[BC_LANES] = { 2 };

	for (const struct bc_fault *f = bc_faults; f->name; f++) {
		struct bc_wavefronts w;
		struct bc_error err = { .msg = "" };

		if (f->hooks.count)
			ck_assert_msg(f->hooks.count(NULL, &geometry, BC_OP_LD128, addr, 1, &w, &err) == BC_EDATA,
				      "%s: a misaligned address is counted", f->name);
	}
}
END_TEST

/* A warp's access of @bytes bytes: lane l at base + l * stride; the data of lane l, byte i is 0x80 + l ^ i << 5. */
struct access {
	struct bc_ptx_access a;
	uint64_t addr[BC_LANES];
	unsigned char data[BC_LANES][BC_PTX_LANE_BYTES];
	uint32_t bytes[BC_LANES];
};

static unsigned char value(unsigned lane, unsigned i)
{
	return (unsigned char)((0x80 + lane) ^ i << 5);
}

static void make(struct access *x, enum bc_ptx_kind kind, enum bc_ptx_space space, uint32_t bytes, uint32_t mask,
		 uint32_t base, uint32_t stride)
{
	*x = (struct access){ .a = { .kind = kind, .space = space, .bytes = bytes, .mask = mask, .addr = NULL } };
	x->a.addr = x->addr;
	for (unsigned l = 0; l < BC_LANES; l++) {
		x->addr[l] = base + l * stride;
		x->bytes[l] = mask >> l & 1u ? (uint32_t)((UINT64_C(1) << bytes) - 1) : 0;
		for (unsigned i = 0; i < BC_PTX_LANE_BYTES; i++)
			x->data[l][i] = value(l, i);
	}
}

/* Lane @lane reads what lane @from should, the others their own. */
static void expect_from(const struct access *x, const char *what, unsigned lane, unsigned from)
{
	for (unsigned l = 0; l < BC_LANES; l++)
		for (unsigned i = 0; i < x->a.bytes; i++)
			ck_assert_msg(x->data[l][i] == value(l == lane ? from : l, i), "%s: byte %u of lane %u", what,
				      i, l);
}

START_TEST(the_neighbours_value_is_loaded)
{
	const struct bc_fault *f = find("load-neighbour");
	struct access x;

	make(&x, BC_PTX_LOAD, BC_PTX_SHARED, 16, ALL, 0, 16);
	f->hooks.load(NULL, &x.a, x.data);
	expect_from(&x, "a load by all", 9, 10);
	make(&x, BC_PTX_LOAD, BC_PTX_SHARED, 4, ALL & ~(1u << 10), 0, 4);
	f->hooks.load(NULL, &x.a, x.data);
	expect_from(&x, "the neighbour is not active", 9, 9);
	make(&x, BC_PTX_LOAD, BC_PTX_GLOBAL, 4, ALL, 0, 4);
	f->hooks.load(NULL, &x.a, x.data);
	expect_from(&x, "global memory", 9, 9);
}
END_TEST

START_TEST(the_stuck_bank_reads_zero)
{
	static const struct {
		const char *what;
		enum bc_ptx_space space;
		uint32_t bytes, mask, base, stride;
	} rows[] = {
		{ "words", BC_PTX_SHARED, 4, ALL, 1024, 4 },
		{ "words, all in bank 5", BC_PTX_SHARED, 4, ALL, 1024 + 20, 128 },
		{ "bytes", BC_PTX_SHARED, 1, ALL, 0, 1 },
		{ "16 bytes: their second word", BC_PTX_SHARED, 16, ALL, 0, 16 },
		{ "inactive lanes keep theirs", BC_PTX_SHARED, 4, 0xffff0000, 20, 128 },
		{ "global memory", BC_PTX_GLOBAL, 4, ALL, 0, 4 },
	};
	const struct bc_fault *f = find("bank-stuck");
	struct access x;

	make(&x, BC_PTX_LOAD, rows[_i].space, rows[_i].bytes, rows[_i].mask, rows[_i].base, rows[_i].stride);
	f->hooks.load(NULL, &x.a, x.data);
	for (unsigned l = 0; l < BC_LANES; l++) {
		for (unsigned i = 0; i < rows[_i].bytes; i++) {
			const uint64_t at = rows[_i].base + l * rows[_i].stride + i;
			const bool stuck =
				rows[_i].space == BC_PTX_SHARED && (rows[_i].mask >> l & 1u) && at % 128 / 4 == 5;

			ck_assert_msg(x.data[l][i] == (stuck ? 0 : value(l, i)), "%s: byte %u of lane %u",
				      rows[_i].what, i, l);
		}
	}
}
END_TEST

START_TEST(matrix_rows_are_exchanged)
{
	const struct bc_fault *f = find("matrix-row");
	struct access x;

	make(&x, BC_PTX_LDMATRIX, BC_PTX_SHARED, 16, ALL, 0, 16);
	f->hooks.load(NULL, &x.a, x.data);
	for (unsigned l = 0; l < BC_LANES; l++)
		ck_assert_uint_eq(x.data[l][15], value(l == 2 ? 3 : l == 3 ? 2 : l, 15));
	make(&x, BC_PTX_LOAD, BC_PTX_SHARED, 16, ALL, 0, 16);
	f->hooks.load(NULL, &x.a, x.data);
	expect_from(&x, "a plain load", 2, 2);
}
END_TEST

static const struct {
	const char *fault, *what;
	enum bc_ptx_kind kind;
	enum bc_ptx_space space;
	uint32_t bytes, mask, stride;
	unsigned lane;
	uint32_t want; /* bytes that @lane writes afterwards */
} stores[] = {
	{ "store-lost", "lane 21", BC_PTX_STORE, BC_PTX_SHARED, 4, ALL, 4, 21, 0 },
	{ "store-lost", "lane 20", BC_PTX_STORE, BC_PTX_SHARED, 4, ALL, 4, 20, 0xf },
	{ "store-lost", "global memory", BC_PTX_STORE, BC_PTX_GLOBAL, 4, ALL, 4, 21, 0xf },
	{ "store-lost", "a copy", BC_PTX_COPY, BC_PTX_SHARED, 4, ALL, 4, 21, 0xf },
	{ "store-lost-global", "lane 21", BC_PTX_STORE, BC_PTX_GLOBAL, 4, ALL, 4, 21, 0 },
	{ "store-lost-global", "lane 22", BC_PTX_STORE, BC_PTX_GLOBAL, 4, ALL, 4, 22, 0xf },
	{ "store-lost-global", "shared memory", BC_PTX_STORE, BC_PTX_SHARED, 4, ALL, 4, 21, 0xf },
	{ "copy-lost", "lane 21", BC_PTX_COPY, BC_PTX_SHARED, 16, ALL, 16, 21, 0 },
	{ "copy-lost", "lane 20", BC_PTX_COPY, BC_PTX_SHARED, 16, ALL, 16, 20, 0xffff },
	{ "copy-lost", "a store", BC_PTX_STORE, BC_PTX_SHARED, 16, ALL, 16, 21, 0xffff },
	{ "matrix-row-lost", "row 5", BC_PTX_STMATRIX, BC_PTX_SHARED, 16, ALL, 16, 5, 0 },
	{ "matrix-row-lost", "row 4", BC_PTX_STMATRIX, BC_PTX_SHARED, 16, ALL, 16, 4, 0xffff },
	{ "matrix-row-lost", "a store", BC_PTX_STORE, BC_PTX_SHARED, 16, ALL, 16, 5, 0xffff },
	{ "store-torn", "16 bytes of lane 3", BC_PTX_STORE, BC_PTX_SHARED, 16, ALL, 16, 3, 0xff },
	{ "store-torn", "16 bytes of lane 4", BC_PTX_STORE, BC_PTX_SHARED, 16, ALL, 16, 4, 0xffff },
	{ "store-torn", "8 bytes of lane 3", BC_PTX_STORE, BC_PTX_SHARED, 8, ALL, 8, 3, 0xff },
	{ "store-torn", "lane 3 is not active", BC_PTX_STORE, BC_PTX_SHARED, 16, 0xf0, 16, 3, 0 },
	{ "store-mixed", "one word: the last lane's lower half", BC_PTX_STORE, BC_PTX_SHARED, 4, ALL, 0, 31, 0x3 },
	{ "store-mixed", "one word: the first lane writes it whole", BC_PTX_STORE, BC_PTX_SHARED, 4, ALL, 0, 0, 0xf },
	{ "store-mixed", "one word, the first active lane", BC_PTX_STORE, BC_PTX_SHARED, 4, 0xf0, 0, 4, 0xf },
	{ "store-mixed", "one half", BC_PTX_STORE, BC_PTX_SHARED, 2, ALL, 0, 31, 0x1 },
	{ "store-mixed", "16 bytes", BC_PTX_STORE, BC_PTX_SHARED, 16, ALL, 0, 31, 0xff },
	{ "store-mixed", "words of their own", BC_PTX_STORE, BC_PTX_SHARED, 4, ALL, 4, 31, 0xf },
	{ "store-mixed", "a byte has no halves", BC_PTX_STORE, BC_PTX_SHARED, 1, ALL, 0, 31, 0x1 },
};

START_TEST(stores_write_what_the_row_says)
{
	const struct bc_fault *f = find(stores[_i].fault);
	struct access x;

	make(&x, stores[_i].kind, stores[_i].space, stores[_i].bytes, stores[_i].mask, 1024, stores[_i].stride);
	f->hooks.store(NULL, &x.a, x.data, x.bytes);
	ck_assert_msg(x.bytes[stores[_i].lane] == stores[_i].want, "%s, %s: writes bytes 0x%x", stores[_i].fault,
		      stores[_i].what, x.bytes[stores[_i].lane]);
	for (unsigned l = 0; l < BC_LANES; l++)
		ck_assert_uint_eq(x.data[l][0], value(l, 0));
}
END_TEST

START_TEST(one_update_is_lost)
{
	const struct bc_fault *f = find("atomic-lost");
	struct access x;
	uint32_t update = ALL;

	make(&x, BC_PTX_ATOMIC, BC_PTX_SHARED, 4, ALL, 0, 0);
	f->hooks.atomic(NULL, &x.a, &update);
	ck_assert_uint_eq(update, 0x7fffffff);
	update = x.a.mask = 0x00000011;
	f->hooks.atomic(NULL, &x.a, &update);
	ck_assert_uint_eq(update, 0x00000001);
	update = x.a.mask = ALL;
	x.a.space = BC_PTX_GLOBAL;
	f->hooks.atomic(NULL, &x.a, &update);
	ck_assert_uint_eq(update, ALL);
}
END_TEST

START_TEST(barriers_and_blocks)
{
	ck_assert(find("barrier-ignored")->hooks.skip_barrier(NULL, 0, 0, 1));
	ck_assert(find("blocks-share")->hooks.share_blocks);
	ck_assert(find("shuffle-counted")->hooks.count_shuffles);
	ck_assert(find("lines-whole")->hooks.whole_lines);
	ck_assert(find("global-by-words")->hooks.by_words);
}
END_TEST

static const struct {
	const char *fault;
	struct bc_ptx_counts want;
} counters[] = {
	{ "counters-zero", { 0 } },
	{ "counters-no-conflict",
	  { 8, 256, 0, 4, 128, 0, 4, 64, 0, 3, 1, 5, 0, 6, 24, 7, 28, 10, 12, 1000, 32000, 9 } },
	{ "counters-st-zero", { 8, 256, 248, 0, 0, 0, 4, 64, 62, 3, 0, 5, 155, 6, 24, 7, 28, 10, 12, 1000, 32000, 9 } },
	{ "counters-doubled",
	  { 8, 512, 496, 4, 256, 248, 4, 128, 124, 3, 1, 5, 310, 6, 48, 7, 56, 20, 24, 1000, 32000, 9 } },
	/* one in five requests: (8 + 3) / 5 = 2, (4 + 1) / 5 = 1, 4 / 5 = 0, 5 / 5 = 1, 6 / 5 = 1, 7 / 5 = 1 */
	{ "counters-off-by-one",
	  { 8, 258, 250, 4, 129, 125, 4, 64, 62, 3, 1, 5, 156, 6, 25, 7, 29, 11, 13, 1000, 32000, 9 } },
};

START_TEST(counters_read_what_the_row_says)
{
	struct bc_ptx_counts c = { 8, 256, 248, 4,  128, 124, 4,  64, 62,   3,	   1,
				   5, 155, 6,	24, 7,	 28,  10, 12, 1000, 32000, 9 };

	find(counters[_i].fault)->counters(&c);
	ck_assert_msg(memcmp(&c, &counters[_i].want, sizeof(c)) == 0, "%s: ld %lu, %lu, %lu; st %lu, %lu, %lu",
		      counters[_i].fault, (unsigned long)c.ld_requests, (unsigned long)c.ld_wavefronts,
		      (unsigned long)c.ld_conflicts, (unsigned long)c.st_requests, (unsigned long)c.st_wavefronts,
		      (unsigned long)c.st_conflicts);
}
END_TEST

START_TEST(less_shared_memory_than_it_should)
{
	struct bc_arch a = { .optin_bytes = 232448, .sm_bytes = 233472 };

	find("optin-small")->arch(&a);
	ck_assert_uint_eq(a.optin_bytes, 231424);
	ck_assert_uint_eq(a.sm_bytes, 233472);
	ck_assert_uint_eq(a.reserved_bytes, 0);
	find("reserved-more")->arch(&a);
	ck_assert_uint_eq(a.optin_bytes, 231424);
	ck_assert_uint_eq(a.sm_bytes, 233472);
	ck_assert_uint_eq(a.reserved_bytes, 2048);
}
END_TEST

START_TEST(shared_memory_later_than_the_cache)
{
	struct bc_ptx_timing t = { .shared = 23, .l1 = 34, .l2 = 284 };

	find("shared-late")->timing(&t);
	ck_assert_uint_gt(t.shared, 34);
	ck_assert_uint_eq(t.l1, 34);
	ck_assert_uint_eq(t.l2, 284);
}
END_TEST

START_TEST(faults_of_a_feature_need_it)
{
	const struct bc_arch with = { .ldmatrix = 1, .pair_rule = 1 }, without = { .ldmatrix = 0, .pair_rule = 0 };

	ck_assert(bc_fault_possible(find("matrix-row"), &with));
	ck_assert(!bc_fault_possible(find("matrix-row"), &without));
	ck_assert(!bc_fault_possible(find("pair-rule-missing"), &without));
	ck_assert(bc_fault_possible(find("banks-16"), &without));
}
END_TEST

/* Each row can be named, says what it is, breaks exactly one thing, and somebody must catch it. */
START_TEST(the_table_is_sound)
{
	const struct bc_fault *f = bc_faults;

	for (; f->name; f++) {
		const struct bc_ptx_hooks *h = &f->hooks;
		const int ways = (h->count != NULL) + (h->serve != NULL) + (h->load != NULL || h->store != NULL) +
				 (h->atomic != NULL) + (h->skip_barrier != NULL) + (h->mbarrier != NULL) +
				 (h->tensor != 0) + (h->cluster != 0) + h->share_blocks + (f->arch != NULL) +
				 (f->timing != NULL) + (f->counters != NULL) + (h->also_at != 0) + h->count_shuffles +
				 h->whole_lines + h->by_words + h->lost_products;
		const bool law = h->count || h->serve || f->arch || h->count_shuffles || h->whole_lines || h->by_words;

		ck_assert_msg(f->name[0] &&
				      strspn(f->name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == strlen(f->name),
			      "%s: not a name", f->name);
		ck_assert_msg(strlen(f->sentence) > 10, "%s: no sentence", f->name);
		ck_assert_msg(ways == 1, "%s: breaks %d things", f->name, ways);
		ck_assert_msg(f->suites[0] != NULL, "%s: no suite must catch it", f->name);
		ck_assert_msg((f->kind == BC_FAULT_COUNTER) == (f->counters != NULL), "%s: of the wrong kind", f->name);
		ck_assert_msg((f->kind == BC_FAULT_LAW) == law, "%s: of the wrong kind", f->name);
		ck_assert_msg((f->kind == BC_FAULT_TIME) == (f->timing != NULL), "%s: of the wrong kind", f->name);
		/* Every law is found by the clock alone too, but for what is counted and takes no wavefront. */
		ck_assert_msg((f->no_clock == NULL) == (h->count || h->serve || f->arch || f->timing),
			      "%s: by the clock?", f->name);
		ck_assert_msg(!f->clock_rule || (!f->no_clock && bc_rules_find(f->clock_rule) >= 0), "%s: %s: no rule",
			      f->name, f->clock_rule);
		ck_assert_msg(bc_fault_find(f->name) == f, "%s: there twice", f->name);
	}
	ck_assert_int_ge(f - bc_faults, 25);
}
END_TEST

static const char *const unknown[] = { "", "banks", "banks-1", "banks-16 ", "BANKS-16", "none", "bank-stuck,banks-16" };

START_TEST(an_unknown_name_lists_them)
{
	const struct bc_fault *f = NULL;
	struct bc_error err = { .msg = "" };

	ck_assert_ptr_null(bc_fault_find(unknown[_i]));
	ck_assert_int_eq(bc_fault_require(unknown[_i], &f, &err), BC_EUSAGE);
	ck_assert_ptr_null(f);
	ck_assert_ptr_nonnull(strstr(err.msg, "no such fault"));
	for (const struct bc_fault *k = bc_faults; k->name; k++)
		ck_assert_msg(strstr(err.msg, k->name) != NULL, "%s is not in: %s", k->name, err.msg);
}
END_TEST

START_TEST(a_known_name_is_found)
{
	const struct bc_fault *f = NULL;
	struct bc_error err;

	ck_assert_int_eq(bc_fault_require("store-torn", &f, &err), BC_OK);
	ck_assert_str_eq(f->name, "store-torn");
	ck_assert_str_eq(bc_fault_kind_name(f->kind), "data");
}
END_TEST

Suite *bc_test_faults(void)
{
	Suite *s = suite_create("faults");
	TCase *laws_case = tcase_create("laws"), *data = tcase_create("data"), *table = tcase_create("table");

	tcase_add_loop_test(laws_case, false_laws_count_as_the_row_says, 0, (int)BC_ARRAY_LEN(laws));
	tcase_add_test(laws_case, false_laws_pass_errors_on);
	tcase_add_test(data, the_neighbours_value_is_loaded);
	tcase_add_loop_test(data, the_stuck_bank_reads_zero, 0, 6);
	tcase_add_test(data, matrix_rows_are_exchanged);
	tcase_add_loop_test(data, stores_write_what_the_row_says, 0, (int)BC_ARRAY_LEN(stores));
	tcase_add_test(data, one_update_is_lost);
	tcase_add_test(data, barriers_and_blocks);
	tcase_add_loop_test(data, counters_read_what_the_row_says, 0, (int)BC_ARRAY_LEN(counters));
	tcase_add_test(data, less_shared_memory_than_it_should);
	tcase_add_test(data, shared_memory_later_than_the_cache);
	tcase_add_test(data, faults_of_a_feature_need_it);
	tcase_add_test(table, the_table_is_sound);
	tcase_add_loop_test(table, an_unknown_name_lists_them, 0, (int)BC_ARRAY_LEN(unknown));
	tcase_add_test(table, a_known_name_is_found);
	suite_add_tcase(s, laws_case);
	suite_add_tcase(s, data);
	suite_add_tcase(s, table);
	return s;
}
