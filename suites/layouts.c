/* SPDX-License-Identifier: MIT */
/* suites/layouts.c - layouts of shared memory that libraries use: the right form, and the usual wrong ones.
 *
 * Rows are of elements of the operation's size; halves where a matrix is loaded (ldmatrix): lane l gives row l % 16,
 * columns 8 * (l / 16) on. Swizzle<B,M,S> XORs bits M .. M+B-1 of an index with the bits S above them.
 */
#include "suites/patterns.h"

#include <string.h>

#define HALF 2u

static uint32_t swizzle(unsigned b, unsigned m, unsigned s, uint32_t x)
{
	return x ^ ((x >> (m + s) & ((1u << b) - 1)) << m);
}

/* Three numbers with words before them: "sw_3_3_3". */
static void name_numbers(struct bc_case *c, const char *before, unsigned x, unsigned y, unsigned z)
{
	const unsigned n[] = { x, y, z };

	bc_variant_add(c, before);
	for (size_t i = 0; i < BC_ARRAY_LEN(n); i++) {
		bc_variant_add(c, i ? "_" : "");
		bc_variant_add_int(c, (int)n[i]);
	}
}

/* Blocked to striped: lane l writes its first of N items at l * N; padded: one item more after every 32. */
static bool exchange(unsigned i, struct bc_case *c)
{
	static const struct {
		const char *rule;
		uint8_t items;
		bool padded, conflicts;
	} shapes[] = {
		{ "exchange_st_b32", 1, false, false },	 { "exchange_st_b32", 2, false, true },
		{ "exchange_st_b32", 4, false, true },	 { "exchange_st_b32", 5, false, false },
		{ "exchange_st_b32", 6, false, true },	 { "exchange_st_b32", 7, false, false },
		{ "exchange_st_b32", 8, false, true },	 { "exchange_st_b32", 9, false, false },
		{ "exchange_st_b32", 10, false, true },	 { "exchange_st_b32", 11, false, false },
		{ "exchange_st_b32", 12, false, true },	 { "exchange_st_b32", 14, false, true },
		{ "exchange_st_b32", 15, false, false }, { "exchange_st_b32", 16, false, true },
		{ "exchange_st_b32", 17, false, false }, { "exchange_st_b32", 19, false, false },
		{ "exchange_st_b32", 20, false, true },	 { "exchange_st_b32", 24, false, true },
		{ "exchange_st_b32", 1, true, false },	 { "exchange_st_b32", 2, true, false },
		{ "exchange_st_b32", 4, true, false },	 { "exchange_st_b32", 7, true, true },
		{ "exchange_st_b32", 8, true, false },	 { "exchange_st_b32", 12, true, true },
		{ "exchange_st_b32", 16, true, false },	 { "exchange_st_b32", 17, true, true },
		{ "exchange_st_b16", 8, true, false },	 { "exchange_st_b16", 16, true, false },
		{ "exchange_st_b16", 32, true, false },	 { "exchange_st_b8", 8, true, false },
		{ "exchange_st_b8", 16, true, false },	 { "exchange_st_b8", 32, true, false },
		{ "exchange_st_b128", 5, false, false }, { "exchange_st_b128", 8, true, true },
		{ "exchange_st_b128", 16, true, true },
	};
	const enum bc_op op = bc_rule_op(c->rule);
	const uint32_t bytes = bc_op_info(op)->bytes;

	for (size_t k = 0; k < BC_ARRAY_LEN(shapes); k++) {
		if (strcmp(shapes[k].rule, c->rule->name) != 0 || i-- > 0)
			continue;
		bc_pattern_start(c, op, BC_MASK_ALL);
		for (uint32_t l = 0; l < BC_LANES; l++) {
			const uint32_t at = l * shapes[k].items;

			c->pattern.offset[l] = bytes * (at + (shapes[k].padded ? at >> 5 : 0));
		}
		bc_variant_add(c, "items_");
		bc_variant_add_int(c, shapes[k].items);
		bc_variant_add(c, shapes[k].padded ? "_padded" : "");
		if (shapes[k].conflicts)
			bc_twin_set(c, NULL, bytes == 16 ? "items_5" : "items_1");
		return true;
	}
	return false;
}

/* Work-efficient scan, up-sweep: lane l reads element d * (2 l + 1) - 1. Offsets: none, n / 32, n / 32 + n / 1024, and
 * the macro whose precedence makes it zero always. */
static bool scan(unsigned i, struct bc_case *c)
{
	static const struct {
		const char *name;
		bool one, two;
	} kinds[] = {
		{ "none", false, false }, { "one", true, false }, { "two", true, true }, { "zero_macro", false, false }
	};
	const unsigned d = 1u << i / BC_ARRAY_LEN(kinds), k = i % BC_ARRAY_LEN(kinds);

	if (i >= 6 * BC_ARRAY_LEN(kinds))
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t n = d * (2 * l + 1) - 1;

		c->pattern.offset[l] = BC_WORD_BYTES * (n + (kinds[k].one ? n >> 5 : 0) + (kinds[k].two ? n >> 10 : 0));
	}
	bc_variant_add(c, "d_");
	bc_variant_add_int(c, (int)d);
	bc_variant_add(c, "_");
	bc_variant_add(c, kinds[k].name);
	if (!kinds[k].one || (d == 32 && !kinds[k].two))
		bc_twin_set(c, NULL, "d_32_two");
	return true;
}

/* One lane a segment of N words: the raking lanes read their first words. */
static bool raking(unsigned i, struct bc_case *c)
{
	static const uint8_t words[] = { 8, 16, 17, 32, 33 };

	if (i >= BC_ARRAY_LEN(words))
		return false;
	bc_pattern_strided(c, bc_rule_op(c->rule), 0, words[i] * (int)BC_WORD_BYTES);
	bc_variant_add(c, "segment_");
	bc_variant_add_int(c, words[i]);
	if (words[i] % 2 == 0)
		bc_twin_set(c, NULL, "segment_17");
	return true;
}

/* Rows of halves under Swizzle<B,M,S>: M = 3 acts on halves, M = 4 on bytes, which is the same 16-byte chunk. */
static bool cute(unsigned i, struct bc_case *c)
{
	static const struct {
		uint8_t b, m, s;
		uint16_t row;
		bool second, conflicts; /* second: 16 columns further on */
	} shapes[] = {
		{ 0, 3, 3, 64, false, true },	{ 1, 3, 3, 64, false, true },	{ 2, 3, 3, 64, false, true },
		{ 3, 3, 3, 64, false, false },	{ 2, 3, 3, 32, false, false },	{ 1, 3, 3, 16, false, false },
		{ 3, 3, 3, 32, false, false },	{ 3, 3, 3, 16, false, false },	{ 3, 3, 3, 128, false, true },
		{ 3, 3, 4, 128, false, false }, { 3, 3, 5, 256, false, false }, { 3, 4, 3, 64, false, false },
		{ 2, 4, 3, 32, false, false },	{ 1, 4, 3, 16, false, false },	{ 3, 3, 3, 64, true, false },
		{ 2, 3, 3, 32, true, false },
	};

	if (i >= BC_ARRAY_LEN(shapes))
		return false;

	const unsigned element = shapes[i].m == 4 ? 1 : HALF; /* bytes of what is swizzled */

	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t x = l % 16 * shapes[i].row + l / 16 * 8 + (shapes[i].second ? 16 : 0);

		c->pattern.offset[l] = element * swizzle(shapes[i].b, shapes[i].m, shapes[i].s, x * HALF / element);
	}
	name_numbers(c, "sw_", shapes[i].b, shapes[i].m, shapes[i].s);
	bc_variant_add(c, "_row_");
	bc_variant_add_int(c, shapes[i].row);
	bc_variant_add(c, shapes[i].second ? "_k1" : "");
	c->needs = BC_NEED_LDMATRIX;
	if (shapes[i].conflicts)
		bc_twin_set(c, NULL, "sw_3_3_3_row_64");
	return true;
}

/* A radix-N step of an FFT writes with stride N; padded: a word more after every 32 (8-byte items: an item after 16).
 */
static bool fft(unsigned i, struct bc_case *c)
{
	const uint32_t items = 2u << i / 2, bytes = bc_op_info(bc_rule_op(c->rule))->bytes;
	const bool padded = i % 2;

	if (i >= 10)
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = bytes * (l * items + (padded ? l * items / (BC_ROW_BYTES / bytes) : 0));
	bc_variant_add(c, "items_");
	bc_variant_add_int(c, (int)items);
	bc_variant_add(c, padded ? "_padded" : "");
	if (!padded || (bytes == 8 && items == 32))
		bc_twin_set(c, NULL, "items_2_padded");
	return true;
}

/* Padding by interval: after every N halves a pad of P, in rows of C. */
static bool interval(unsigned i, struct bc_case *c)
{
	static const struct {
		uint16_t every, pad, row;
		bool conflicts;
	} shapes[] = {
		{ 64, 8, 64, false },  { 64, 8, 128, true },   { 32, 8, 64, true },  { 32, 8, 128, true },
		{ 128, 8, 64, true },  { 128, 8, 128, false }, { 256, 8, 64, true }, { 256, 8, 128, true },
		{ 512, 16, 64, true }, { 512, 16, 128, true },
	};

	if (i >= BC_ARRAY_LEN(shapes))
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++) {
		const uint32_t x = l % 16 * shapes[i].row + l / 16 * 8;

		c->pattern.offset[l] = HALF * (x + x / shapes[i].every * shapes[i].pad);
	}
	bc_variant_add(c, "every_");
	c->needs = BC_NEED_LDMATRIX;
	bc_variant_add_int(c, shapes[i].every);
	bc_variant_add(c, "_pad_");
	bc_variant_add_int(c, shapes[i].pad);
	bc_variant_add(c, "_row_");
	bc_variant_add_int(c, shapes[i].row);
	if (shapes[i].conflicts)
		bc_twin_set(c, NULL, "every_64_pad_8_row_64");
	return true;
}

/* Column 0 of rows of 32 floats whose column is XORed with row % maxPhase. */
static bool phase(unsigned i, struct bc_case *c)
{
	static const uint8_t phases[] = { 1, 4, 8, 16, 32 };

	if (i >= BC_ARRAY_LEN(phases))
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = BC_WORD_BYTES * (l * 32 + l % phases[i]);
	bc_variant_add(c, "max_");
	bc_variant_add_int(c, phases[i]);
	if (phases[i] != 32)
		bc_twin_set(c, NULL, "max_32");
	return true;
}

/* Accumulators of mma m16n8 to shared memory: lane l has columns 2 (l % 4) and on of row l / 4, floats. */
static bool mma_c(unsigned i, struct bc_case *c)
{
	static const struct {
		uint8_t row, b, m, s;
		bool conflicts;
	} shapes[] = {
		{ 32, 3, 2, 3, true },	{ 64, 2, 3, 3, false }, { 64, 3, 3, 3, false }, { 64, 3, 2, 4, true },
		{ 32, 3, 3, 2, false }, { 32, 2, 3, 2, false }, { 64, 3, 2, 3, false },
	};

	if (i >= BC_ARRAY_LEN(shapes))
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = BC_WORD_BYTES * swizzle(shapes[i].b, shapes[i].m, shapes[i].s,
							       l / 4 * shapes[i].row + l % 4 * 2);
	bc_variant_add(c, "row_");
	bc_variant_add_int(c, shapes[i].row);
	name_numbers(c, "_sw_", shapes[i].b, shapes[i].m, shapes[i].s);
	if (shapes[i].conflicts)
		bc_twin_set(c, NULL, "row_64_sw_2_3_3");
	return true;
}

/* Operand A of a tensor-core product of doubles: lane l reads [l / 4][l % 4], rows of so many doubles. */
static bool dmma(unsigned i, struct bc_case *c)
{
	static const uint8_t pitches[] = { 16, 18, 20, 32, 36 };

	if (i >= BC_ARRAY_LEN(pitches))
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = 8 * (l / 4 * pitches[i] + l % 4);
	bc_variant_add(c, "pitch_");
	bc_variant_add_int(c, pitches[i]);
	if (pitches[i] % 8 != 4)
		bc_twin_set(c, NULL, "pitch_20");
	return true;
}

/* The same of bytes (s8) and of tf32, a word of each row: pitches in bytes. */
static bool fragment(unsigned i, struct bc_case *c)
{
	static const struct {
		const char *name;
		uint8_t pitch;
	} shapes[] = { { "s8", 32 },   { "s8", 48 },   { "s8", 64 },	{ "s8", 80 },
		       { "tf32", 64 }, { "tf32", 80 }, { "tf32", 128 }, { "tf32", 144 } };

	if (i >= BC_ARRAY_LEN(shapes))
		return false;
	bc_pattern_start(c, bc_rule_op(c->rule), BC_MASK_ALL);
	for (uint32_t l = 0; l < BC_LANES; l++)
		c->pattern.offset[l] = l / 4 * shapes[i].pitch + l % 4 * BC_WORD_BYTES;
	bc_variant_add(c, shapes[i].name);
	bc_variant_add(c, "_pitch_");
	bc_variant_add_int(c, shapes[i].pitch);
	if (shapes[i].pitch % 32 == 0)
		bc_twin_set(c, NULL, shapes[i].name[0] == 's' ? "s8_pitch_48" : "tf32_pitch_80");
	return true;
}

#define CUB "CUB, BlockExchange: padding by item + (item >> 5), for powers of two"
#define HARRIS "GPU Gems 3, chapter 39 (Parallel Prefix Sum with CUDA): CONFLICT_FREE_OFFSET"
#define CUTE "CUTLASS, CuTe: Swizzle<B, M, S> for rows of 32, 64, 128 and 256 bytes"
#define FFT "block FFTs and their exchanges, padded by one in 33: CUDALibrarySamples issue 366, SMFFT issue 2"
#define TRITON "Triton, shared encodings: padded by interval, swizzled by vec, perPhase and maxPhase"
#define PTX_ISA "PTX ISA, fragments of mma: which lane has which element"
#define EXCHANGE "an exchange conflicts as gcd(items, 32) says; the pad cleans powers of two, others are 2-way with it"
#define SMALL "powers of two of items of 1 and 2 bytes are clean with the pad of one item after 32"
#define WIDE "items of 16 bytes: 8 and 16 stay 4- and 2-way with the pad of one after 32, an odd number needs none"
#define SCAN "one level of offsets cures a scan up to a stride of 16, two levels 32; the macro of zero cures nothing"
#define RAKING "raking lanes are clean when their segments have an odd number of words"
#define SWIZZLE "Swizzle<B,M,S> cures the row it is made for; fewer bits or another shift leave conflicts"
#define STEP "the step's stride conflicts as gcd(stride, 32); one word after 32 cures it"
#define WIDE_STEP "8-byte items: one item after 16 cures the step up to 16 items"
#define INTERVAL "a pad after every N halves cures rows of N halves, and only these"
#define PHASE "a column takes 32 / maxPhase wavefronts"
#define ACCUMULATOR "a swizzle of single floats leaves the store of accumulators 2-way where it moves pairs together"
#define DOUBLES "a fragment of doubles is clean when the pitch is 4 more than a multiple of 8 doubles"
#define WORDS "a fragment of words is clean when the pitch is 16 bytes more than a multiple of 32"

static const struct bc_rule rules[] = {
	{ .name = "exchange_st_b8", .source = CUB, .build = exchange, .sentence = SMALL },
	{ .name = "exchange_st_b16", .source = CUB, .build = exchange, .sentence = SMALL },
	{ .name = "exchange_st_b32", .source = CUB, .build = exchange, .sentence = EXCHANGE },
	{ .name = "exchange_st_b128", .source = CUB, .build = exchange, .sentence = WIDE },
	{ .name = "scan_ld_b32", .source = HARRIS, .build = scan, .sentence = SCAN },
	{ .name = "raking_ld_b32", .source = CUB, .build = raking, .sentence = RAKING },
	{ .name = "cute_ldsm4", .source = CUTE, .build = cute, .sentence = SWIZZLE },
	{ .name = "fft_st_b32", .source = FFT, .build = fft, .sentence = STEP },
	{ .name = "fft_st_b64", .source = FFT, .build = fft, .sentence = WIDE_STEP },
	{ .name = "interval_ldsm4", .source = TRITON, .build = interval, .sentence = INTERVAL },
	{ .name = "phase_ld_b32", .source = TRITON, .build = phase, .sentence = PHASE },
	{ .name = "mma_c_st_b64", .source = PTX_ISA, .build = mma_c, .sentence = ACCUMULATOR },
	{ .name = "dmma_ld_b64", .source = PTX_ISA, .build = dmma, .sentence = DOUBLES },
	{ .name = "fragment_ld_b32", .source = PTX_ISA, .build = fragment, .sentence = WORDS },
};

const struct bc_suite bc_suite_layouts = {
	.name = "layouts",
	.about = "layouts that libraries use (exchanges, scans, swizzles, fragments): the right form and the usual "
		 "wrong",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
