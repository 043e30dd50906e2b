/* SPDX-License-Identifier: MIT */
#include "harness/measure/launch.h"
#include "harness/measure/operation.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/measure/fake_device.h"
#include "harness/tests/measure/launch_fixture.h"

Suite *bc_test_launch(void);

#define ALL UINT32_MAX

/* What shared memory holds, byte by byte, as bc_kernel.h states it: little-endian words that name their offset. */
static uint8_t filled(uint32_t offset)
{
	const uint32_t word = bc_fill_word(offset - offset % 4, bc_made.seed);

	return (uint8_t)(word >> 8 * (offset % 4));
}

static void *param_buffer(size_t offset)
{
	for (size_t i = 0; i < bc_made.launch.nbuffers; i++)
		if (bc_made.launch.buffers[i].param_offset == offset)
			return &bc_made.launch.buffers[i];
	return NULL;
}

static struct bc_pattern_params params_of(const struct bc_launch *l)
{
	struct bc_pattern_params p;

	ck_assert_uint_eq(l->params_size, sizeof(p));
	memcpy(&p, l->params, sizeof(p));
	return p;
}

/* --- what is launched ------------------------------------------------------------------------------------------ */

static const struct {
	const char *what;
	enum bc_op op;
	uint32_t mask, first, stride, count, step;
	const char *image, *kernel;
	uint32_t shared;
	uint32_t nlines, line[8]; /* of loads */
	size_t out;
} shapes[] = {
	{ "a row", BC_OP_LD32, ALL, 0, 4, 1, 0, "pattern_ld", "bc_ld32", 4096, 1, { 0 }, 128 },
	{ "a byte of one lane", BC_OP_LD8, 0x80000000, 0, 1, 1, 0, "pattern_ld", "bc_ld8", 4096, 1, { 0 }, 128 },
	{ "two lines", BC_OP_LD64, ALL, 0, 8, 1, 0, "pattern_ld", "bc_ld64", 4096, 2, { 0, 1 }, 256 },
	{ "16 bytes a lane", BC_OP_LD128, ALL, 0, 16, 1, 0, "pattern_ld", "bc_ld128", 4096, 4, { 0, 1, 2, 3 }, 512 },
	{ "two bytes a lane", BC_OP_LD16, ALL, 128, 2, 1, 0, "pattern_ld", "bc_ld16", 4096, 1, { 1 }, 128 },
	{ "requests beside each other",
	  BC_OP_LD32,
	  ALL,
	  0,
	  4,
	  4,
	  128,
	  "pattern_ld",
	  "bc_ld32",
	  4096,
	  4,
	  { 0, 1, 2, 3 },
	  4 * 128 },
	{ "more than 4 KB: whole lines", BC_OP_LD32, 1, 4096, 4, 1, 0, "pattern_ld", "bc_ld32", 4224, 1, { 32 }, 128 },
	{ "exactly 4 KB", BC_OP_LD32, 1, 4092, 4, 1, 0, "pattern_ld", "bc_ld32", 4096, 1, { 31 }, 128 },
	{ "the end of the window", BC_OP_LD32, 1, 232444, 4, 1, 0, "pattern_ld", "bc_ld32", 232448, 1, { 1815 }, 128 },
	{ "a store looks at all the block has",
	  BC_OP_ST32,
	  ALL,
	  256,
	  4,
	  1,
	  0,
	  "pattern_st",
	  "bc_st32",
	  8192,
	  64,
	  { 0 },
	  8192 },
	{ "a store higher up", BC_OP_ST8, ALL, 12288, 1, 1, 0, "pattern_st", "bc_st8", 16512, 129, { 0 }, 16512 },
	{ "a store in the last line",
	  BC_OP_ST128,
	  1,
	  232432,
	  0,
	  1,
	  0,
	  "pattern_st",
	  "bc_st128",
	  232448,
	  1816,
	  { 0 },
	  232448 },
	{ "an atomic", BC_OP_ATOM32, 1, 512, 128, 1, 0, "pattern_atom", "bc_atom32", 8192, 64, { 0 }, 128 },
};

START_TEST(a_data_launch_has_the_shape_of_the_row)
{
	const struct bc_pattern p = bc_made_strided(shapes[_i].op, shapes[_i].mask, shapes[_i].first, shapes[_i].stride,
						    shapes[_i].count, shapes[_i].step);
	const bool changes = bc_operation_of(p.op)->changes; /* then all lines of the block are looked at */
	const char *what = shapes[_i].what;
	struct bc_pattern_params params;
	const struct bc_buffer *lines;

	bc_make(&p, 0);
	params = params_of(&bc_made.launch);
	lines = param_buffer(offsetof(struct bc_pattern_params, lines));
	ck_assert_str_eq(bc_made.launch.image, shapes[_i].image);
	ck_assert_str_eq(bc_made.launch.kernel, shapes[_i].kernel);
	ck_assert_str_eq(bc_made.launch.label, "a/b/c");
	ck_assert_uint_eq(bc_made.launch.block[0], 32);
	ck_assert_msg(bc_made.launch.shared_bytes == shapes[_i].shared, "%s: %u bytes", what,
		      bc_made.launch.shared_bytes);
	ck_assert_msg(bc_made.nlines == shapes[_i].nlines, "%s: %u lines", what, bc_made.nlines);
	for (uint32_t i = 0; i < bc_made.nlines; i++)
		ck_assert_msg(bc_made.lines[i] == (changes ? i : shapes[_i].line[i]), "%s: line %u is %u", what, i,
			      bc_made.lines[i]);
	ck_assert_ptr_nonnull(lines);
	ck_assert_ptr_eq(lines->init, bc_made.lines);
	ck_assert_uint_eq(lines->bytes, bc_made.nlines * 4);
	ck_assert_msg(bc_made.out_bytes == shapes[_i].out, "%s: %zu bytes come back", what, bc_made.out_bytes);
	ck_assert_uint_eq(params.mask, p.mask);
	ck_assert_uint_eq(params.count, p.count);
	ck_assert_uint_eq(params.step, p.step);
	ck_assert_uint_eq(params.reps, 1);
	ck_assert_uint_eq(params.nlines, bc_made.nlines);
	ck_assert_uint_eq(params.seed, bc_seeds[0]);
	ck_assert_uint_eq(bc_made.requests, p.count);
	ck_assert_int_eq(bc_made.launch.multi_writer, bc_op_info(p.op)->store);
	ck_assert(!bc_made.launch.reads_unwritten);
}
END_TEST

START_TEST(the_seeds_differ_in_all_that_is_seen)
{
	const struct bc_pattern p = bc_made_strided(BC_OP_LD32, ALL, 0, 4, 1, 0);
	uint8_t poison;

	bc_make(&p, 0);
	poison = bc_made.poison;
	bc_make(&p, 1);
	ck_assert_uint_eq(params_of(&bc_made.launch).seed, bc_seeds[1]);
	ck_assert_uint_ne(bc_seeds[0], bc_seeds[1]);
	ck_assert_uint_ne(bc_made.poison, poison);
}
END_TEST

START_TEST(a_counted_launch_fills_nothing)
{
	static const struct {
		enum bc_op op;
		uint32_t count, reps; /* at least 8 requests */
	} rows[] = { { BC_OP_LD32, 1, 8 },  { BC_OP_ST64, 2, 4 },   { BC_OP_LD8, 4, 2 },
		     { BC_OP_ST128, 8, 1 }, { BC_OP_LD128, 16, 1 }, { BC_OP_ST8, 32, 1 } };

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		const struct bc_pattern p = bc_made_strided(rows[i].op, ALL, 0, 16, rows[i].count, 512);
		const uint32_t reps = bc_case_launch_reps(&p);
		struct bc_pattern_params params;

		ck_assert_uint_eq(reps, rows[i].reps);
		ck_assert_int_eq(bc_case_launch_count(&p, &bc_made_arch, "x", reps, &bc_made, &bc_made_err), BC_OK);
		params = params_of(&bc_made.launch);
		ck_assert_uint_eq(bc_made.requests, rows[i].count * reps);
		ck_assert_uint_eq(params.reps, reps);
		ck_assert_uint_eq(params.nlines, 0);
		ck_assert_uint_eq(bc_made.launch.nbuffers, 1);
		ck_assert(bc_made.launch.reads_unwritten);
		bc_case_launch_release(&bc_made);
		ck_assert_int_eq(bc_case_launch_count(&p, &bc_made_arch, "x", 0, &bc_made, &bc_made_err), BC_OK);
		ck_assert_uint_eq(bc_made.requests, 0);
		bc_case_launch_release(&bc_made);
	}
}
END_TEST

START_TEST(a_timed_launch_is_a_chain_or_four_bursts)
{
	const struct bc_pattern ld = bc_made_strided(BC_OP_LD64, 0xffff, 0, 8, 1, 640),
				st = bc_made_strided(BC_OP_ST8, ALL, 64, 1, 32, 128);

	ck_assert_int_eq(bc_case_launch_clock(&ld, &bc_made_arch, "x", 10, &bc_made, &bc_made_err), BC_OK);
	ck_assert_str_eq(bc_made.launch.kernel, "bc_ld64_clock");
	ck_assert_uint_eq(bc_made.launch.block[0], 32);
	ck_assert_uint_eq(params_of(&bc_made.launch).step, 0); /* one request, again and again */
	ck_assert_uint_eq(params_of(&bc_made.launch).nsamples, 10);
	bc_case_launch_release(&bc_made);
	ck_assert_int_eq(bc_case_launch_clock(&st, &bc_made_arch, "x", 32, &bc_made, &bc_made_err), BC_OK);
	ck_assert_str_eq(bc_made.launch.kernel, "bc_st8_clock");
	ck_assert_uint_eq(bc_made.launch.block[0], 128);
	ck_assert_uint_eq(params_of(&bc_made.launch).step, 128);
	ck_assert_uint_eq(bc_made.nlines, 32); /* those it touches: nothing is compared */
}
END_TEST

static const struct {
	const char *what;
	enum bc_op op;
	uint32_t first, count;
	bool clock;
	const char *words;
} refused[] = {
	{ "no operation", BC_OP_NONE, 0, 1, false, "no kernel for the operation none" },
	{ "an atomic cannot be timed", BC_OP_ATOM32, 0, 1, true, "atom32 cannot be timed" },
	{ "one word too far", BC_OP_LD32, 232448, 1, false, "232452 bytes of shared memory" },
	{ "the last request too far", BC_OP_LD32, 232444, 2, false, "232452 bytes of shared memory" },
	{ "two requests cannot be timed", BC_OP_LD32, 0, 2, true, "2 requests cannot be timed" },
};

START_TEST(what_cannot_run_is_refused)
{
	const struct bc_pattern p = bc_made_strided(refused[_i].op, 1, refused[_i].first, 0, refused[_i].count, 4);
	const enum bc_status st = refused[_i].clock
					  ? bc_case_launch_clock(&p, &bc_made_arch, "a/b/c", 10, &bc_made, &bc_made_err)
					  : bc_case_launch_data(&p, &bc_made_arch, "a/b/c", 0, &bc_made, &bc_made_err);

	ck_assert_msg(st == BC_EDEVICE, "%s: status %d", refused[_i].what, st);
	ck_assert_msg(strstr(bc_made_err.msg, refused[_i].words) && strstr(bc_made_err.msg, "a/b/c"), "%s: %s",
		      refused[_i].what, bc_made_err.msg);
}
END_TEST

START_TEST(offsets_count_from_the_window)
{
	static const struct {
		const char *what;
		enum bc_origin origin;
		uint32_t base, first, want;
	} rows[] = {
		{ "the window's start", BC_FROM_START, 1024, 64, 64 },
		{ "an absolute address", BC_FROM_ABSOLUTE, 1024, 1024, 0 },
		{ "an absolute address, window at 0", BC_FROM_ABSOLUTE, 0, 1024, 1024 },
		{ "the window's end", BC_FROM_OPTIN_END, 1024, 0, 232448 - 128 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		struct bc_case c = { .id = "a/b/c" };
		struct bc_pattern p;

		bc_made_arch.window_base = rows[i].base;
		c.pattern =
			bc_made_strided(BC_OP_LD32, 0xfffffffe, rows[i].first - 4, 4, 1, 0); /* lane 1 comes first */
		c.pattern.origin = rows[i].origin;
		ck_assert_msg(bc_pattern_at(&c, &bc_made_arch, &p, &bc_made_err) == BC_OK, "%s", bc_made_err.msg);
		ck_assert_uint_eq(p.origin, BC_FROM_START);
		ck_assert_msg(p.offset[1] == rows[i].want + (i == 3 ? 4 : 0), "%s: %u", rows[i].what, p.offset[1]);
		ck_assert_uint_eq(p.offset[31] - p.offset[1], 120);
		ck_assert_uint_eq(p.offset[0], 0); /* not active: no address */
	}
}
END_TEST

START_TEST(below_the_window_is_refused)
{
	struct bc_case c = { .id = "a/b/c" };
	struct bc_pattern p;

	c.pattern = bc_made_strided(BC_OP_LD32, 0x10, 1020 - 16, 4, 1, 0);
	c.pattern.origin = BC_FROM_ABSOLUTE;
	ck_assert_int_eq(bc_pattern_at(&c, &bc_made_arch, &p, &bc_made_err), BC_EDATA);
	ck_assert_ptr_nonnull(strstr(bc_made_err.msg, "a/b/c: lane 4's address 0x3fc"));
}
END_TEST

/* --- the oracle of loads --------------------------------------------------------------------------------------- */

static const struct {
	const char *what;
	enum bc_op op;
	uint32_t mask, first, stride, count, step;
} loads[] = {
	{ "words", BC_OP_LD32, ALL, 0, 4, 1, 0 },
	{ "words of one bank, some lanes", BC_OP_LD32, 0x5a5a00ff, 0, 128, 2, 4 },
	{ "one word", BC_OP_LD32, ALL, 124, 0, 1, 0 },
	{ "bytes", BC_OP_LD8, ALL, 3, 1, 4, 32 },
	{ "halves", BC_OP_LD16, 0x7fffffff, 2, 6, 2, 2 },
	{ "eight bytes", BC_OP_LD64, 0xfffffffe, 0, 24, 1, 0 },
	{ "sixteen bytes", BC_OP_LD128, ALL, 0, 32, 2, 16 },
};

/* Results as a device that does all right brings them back. */
static void load_right(const struct bc_pattern *p)
{
	const unsigned bytes = bc_op_info(p->op)->bytes, room = bytes < 4 ? 4 : bytes;
	unsigned char *out = (unsigned char *)bc_made.out;

	memset(out, bc_made.poison, bc_made.out_bytes);
	for (uint32_t k = 0; k < p->count; k++) {
		for (uint32_t lane = 0; lane < BC_LANES; lane++) {
			unsigned char *at = out + (k * BC_LANES + lane) * room;

			if (!(p->mask >> lane & 1))
				continue;
			memset(at, 0, room);
			for (unsigned b = 0; b < bytes; b++)
				at[b] = filled(p->offset[lane] + k * p->step + b);
		}
	}
}

/* Right is right; each bit of each lane's result, active or not, is looked at. */
START_TEST(each_bit_that_was_loaded_is_compared)
{
	const struct bc_pattern p = bc_made_strided(loads[_i].op, loads[_i].mask, loads[_i].first, loads[_i].stride,
						    loads[_i].count, loads[_i].step);
	const unsigned bytes = bc_op_info(p.op)->bytes, room = bytes < 4 ? 4 : bytes;

	for (unsigned seed = 0; seed < 2; seed++) {
		bc_make(&p, seed);
		load_right(&p);
		ck_assert_msg(bc_made_accepted(), "%s: %s", loads[_i].what, bc_made_detail);
		for (size_t bit = 0; bit < bc_made.out_bytes * 8; bit++) {
			unsigned char *at = (unsigned char *)bc_made.out + bit / 8;
			char lane[24];

			*at ^= (unsigned char)(1u << bit % 8);
			(void)snprintf(lane, sizeof(lane), "lane %zu,", bit / 8 / room % BC_LANES);
			ck_assert_msg(!bc_made_accepted(), "%s: bit %zu is not looked at", loads[_i].what, bit);
			ck_assert_msg(strstr(bc_made_detail, lane), "%s: bit %zu: %s", loads[_i].what, bit,
				      bc_made_detail);
			*at ^= (unsigned char)(1u << bit % 8);
		}
	}
}
END_TEST

static const struct {
	const char *what;
	uint32_t offset;  /* what lane 5 read instead of offset 20 ... */
	bool from_poison; /* ... or nothing */
	const char *words;
} misread[] = {
	{ "the lane below", 16, false, "lane 5, request 0, offset 0x14, word 0: read" },
	{ "the lane above", 24, false, "lane 5, request 0, offset 0x14, word 0: read" },
	{ "the same bank, the next row", 148, false, "lane 5, request 0, offset 0x14, word 0: read" },
	{ "an address bit that was ignored", 20 | 64, false, "lane 5, request 0, offset 0x14, word 0: read" },
	{ "the first 16 bits only", 65536 + 20, false, "lane 5, request 0, offset 0x14, word 0: read" },
	{ "nothing", 0, true, "lane 5, request 0, offset 0x14, word 0: wrote nothing" },
};

START_TEST(a_misread_word_is_caught)
{
	const struct bc_pattern p = bc_made_strided(BC_OP_LD32, ALL, 0, 4, 1, 0);

	for (unsigned seed = 0; seed < 2; seed++) {
		bc_make(&p, seed);
		load_right(&p);
		bc_made.out[5] = misread[_i].from_poison ? bc_made.poison * 0x01010101u
							 : bc_fill_word(misread[_i].offset, bc_made.seed);
		ck_assert_msg(!bc_made_accepted(), "%s", misread[_i].what);
		ck_assert_msg(strstr(bc_made_detail, misread[_i].words), "%s: %s", misread[_i].what, bc_made_detail);
	}
}
END_TEST

START_TEST(a_lane_that_is_not_active_writes_nothing)
{
	const struct bc_pattern p = bc_made_strided(BC_OP_LD32, ~(1u << 9), 0, 4, 1, 0);

	bc_make(&p, 0);
	load_right(&p);
	ck_assert_msg(bc_made_accepted(), "%s", bc_made_detail);
	bc_made.out[9] = bc_fill_word(36, bc_made.seed); /* what it would have read */
	ck_assert(!bc_made_accepted());
	ck_assert_msg(strstr(bc_made_detail, "lane 9,") && strstr(bc_made_detail, "not active"), "%s", bc_made_detail);
}
END_TEST

START_TEST(the_window_must_be_where_it_should)
{
	const struct bc_pattern p = bc_made_strided(BC_OP_LD32, ALL, 0, 4, 1, 0);

	bc_make(&p, 0);
	load_right(&p);
	bc_made.info[0] = 0;
	ck_assert(!bc_made_accepted());
	ck_assert_msg(strstr(bc_made_detail, "starts at 0x0, arch.txt says 0x400"), "%s", bc_made_detail);
	bc_made.info[0] = 1024;
	bc_made.info[1] = 8192;
	ck_assert(!bc_made_accepted());
	ck_assert_msg(strstr(bc_made_detail, "is 8192, the launch asked for 4096"), "%s", bc_made_detail);
}
END_TEST

/* --- the oracle of stores -------------------------------------------------------------------------------------- */

/* Byte @offset of the dump. */
static unsigned char *dumped(uint32_t offset)
{
	for (uint32_t i = 0; i < bc_made.nlines; i++)
		if (bc_made.lines[i] == offset / BC_LINE_BYTES)
			return (unsigned char *)bc_made.out + i * BC_LINE_BYTES + offset % BC_LINE_BYTES;
	ck_abort_msg("offset 0x%x is not in the dump", offset);
	return NULL;
}

static void dump_filled(void)
{
	for (uint32_t i = 0; i < bc_made.nlines; i++)
		for (uint32_t b = 0; b < BC_LINE_BYTES; b++)
			((unsigned char *)bc_made.out)[i * BC_LINE_BYTES + b] =
				filled(bc_made.lines[i] * BC_LINE_BYTES + b);
}

/* What @lane stores in request @k, at @offset. */
static void store_at(const struct bc_pattern *p, uint32_t offset, uint32_t k, uint32_t lane)
{
	unsigned char *at = dumped(offset);

	for (unsigned b = 0; b < bc_op_info(p->op)->bytes; b++)
		at[b] = (unsigned char)(bc_store_word(k, lane, b / 4, bc_made.seed) >> 8 * (b % 4));
}

static void store(const struct bc_pattern *p, uint32_t k, uint32_t lane)
{
	store_at(p, p->offset[lane] + k * p->step, k, lane);
}

static void store_right(const struct bc_pattern *p)
{
	dump_filled();
	for (uint32_t k = 0; k < p->count; k++)
		for (uint32_t lane = 0; lane < BC_LANES; lane++)
			if (p->mask >> lane & 1)
				store(p, k, lane);
}

static const struct {
	const char *what;
	enum bc_op op;
	uint32_t mask, first, stride, count, step;
} stores[] = {
	{ "words", BC_OP_ST32, ALL, 0, 4, 1, 0 },
	{ "words of one bank, some lanes", BC_OP_ST32, 0x5a5a00ff, 0, 128, 1, 0 },
	{ "every other word", BC_OP_ST32, ALL, 256, 8, 2, 4 },
	{ "bytes", BC_OP_ST8, 0x0f0f0f0f, 129, 1, 2, 32 },
	{ "halves with gaps", BC_OP_ST16, ALL, 2, 6, 1, 0 },
	{ "eight bytes", BC_OP_ST64, 0xfffffffe, 8, 24, 1, 0 },
	{ "sixteen bytes", BC_OP_ST128, ALL, 16, 32, 1, 0 },
	{ "requests on the same words", BC_OP_ST32, ALL, 0, 4, 4, 0 },
	{ "requests that overlap by half", BC_OP_ST32, ALL, 0, 4, 2, 64 },
};

START_TEST(each_bit_of_the_dump_is_compared)
{
	const struct bc_pattern p = bc_made_strided(stores[_i].op, stores[_i].mask, stores[_i].first, stores[_i].stride,
						    stores[_i].count, stores[_i].step);

	bc_make(&p, 0);
	store_right(&p);
	ck_assert_msg(bc_made_accepted(), "%s: %s", stores[_i].what, bc_made_detail);
	for (size_t bit = 0; bit < bc_made.out_bytes * 8; bit += 11) {
		unsigned char *at = (unsigned char *)bc_made.out + bit / 8;

		*at ^= (unsigned char)(1u << bit % 8);
		ck_assert_msg(!bc_made_accepted(), "%s: bit %zu is not looked at", stores[_i].what, bit);
		*at ^= (unsigned char)(1u << bit % 8);
	}
}
END_TEST

static void put_word(uint32_t offset, uint32_t word)
{
	memcpy(dumped(offset), &word, 4);
}

/* One thing that goes wrong, in a dump that is right. */
enum accident {
	LOST_STORE,
	WRONG_LANE,
	WRONG_WORD,
	WRONG_REQUEST,
	TORN,
	STRAY_BELOW,
	STRAY_ABOVE,
	STRAY_BETWEEN,
	NOTHING_BACK
};

static const struct {
	const char *what;
	enum accident accident;
	const char *words;
} accidents[] = {
	{ "a store that never came", LOST_STORE, "offset 0x190 (16 bytes)" },
	{ "the value of the lane above", WRONG_LANE, "offset 0x190 (16 bytes)" },
	{ "the words in another order", WRONG_WORD, "offset 0x190 (16 bytes)" },
	{ "the value of another request", WRONG_REQUEST, "offset 0x190 (16 bytes)" },
	{ "half of the sixteen bytes", TORN, "not what any of the lanes 0x00000010 stored there whole" },
	{ "a write into the line below", STRAY_BELOW, "nobody stores there" },
	{ "a write into the line above", STRAY_ABOVE, "nobody stores there" },
	{ "a write between two lanes", STRAY_BETWEEN, "nobody stores there" },
	{ "no dump", NOTHING_BACK, "nobody stores there" },
};

START_TEST(an_accident_of_stores_is_caught)
{
	const struct bc_pattern p =
		bc_made_strided(BC_OP_ST128, ALL, 16 + 256, 32, 1, 0); /* lane 4 at 0x190, gaps of 16 bytes */
	unsigned char *lane4;

	for (unsigned seed = 0; seed < 2; seed++) {
		bc_make(&p, seed);
		store_right(&p);
		lane4 = dumped(0x190);
		switch (accidents[_i].accident) {
		case LOST_STORE:
			for (uint32_t b = 0; b < 16; b++)
				lane4[b] = filled(0x190 + b);
			break;
		case WRONG_LANE: memcpy(lane4, dumped(0x1b0), 16); break;
		case WRONG_WORD:
			put_word(0x190, bc_store_word(0, 4, 1, bc_made.seed));
			put_word(0x194, bc_store_word(0, 4, 0, bc_made.seed));
			break;
		case WRONG_REQUEST:
			for (uint32_t j = 0; j < 4; j++)
				put_word(0x190 + 4 * j, bc_store_word(1, 4, j, bc_made.seed));
			break;
		case TORN:
			for (uint32_t b = 8; b < 16; b++)
				lane4[b] = filled(0x190 + b);
			break;
		case STRAY_BELOW: put_word(0xfc, bc_store_word(0, 0, 0, bc_made.seed)); break;
		case STRAY_ABOVE: put_word(0x500, bc_store_word(0, 31, 3, bc_made.seed)); break;
		case STRAY_BETWEEN: memcpy(dumped(0x1a0), dumped(0x190), 16); break;
		case NOTHING_BACK: memset(bc_made.out, bc_made.poison, bc_made.out_bytes); break;
		}
		ck_assert_msg(!bc_made_accepted(), "%s", accidents[_i].what);
		ck_assert_msg(strstr(bc_made_detail, accidents[_i].words), "%s: %s", accidents[_i].what,
			      bc_made_detail);
	}
}
END_TEST

/* Many lanes on one place: any one of their values, whole. */
START_TEST(one_of_many_writers_must_have_won)
{
	static const enum bc_op ops[] = { BC_OP_ST8, BC_OP_ST16, BC_OP_ST32, BC_OP_ST64, BC_OP_ST128 };
	struct bc_pattern p;

	for (size_t i = 0; i < BC_ARRAY_LEN(ops); i++) {
		p = bc_made_strided(ops[i], 0x00ff00ff, 512, 0, 1, 0);
		for (uint32_t winner = 0; winner < BC_LANES; winner++) {
			bc_make(&p, 1);
			dump_filled();
			store_at(&p, 512, 0, winner);
			if (p.mask >> winner & 1 ||
			    bc_op_info(p.op)->bytes > 1) /* 256 bytes: two lanes may store the same */
				ck_assert_msg(bc_made_accepted() == (p.mask >> winner & 1), "%s, lane %u: %s",
					      bc_op_info(p.op)->name, winner, bc_made_detail);
		}
	}
	bc_make(&p, 1); /* sixteen bytes: the first half of one lane, the second of another */
	dump_filled();
	store(&p, 0, 3);
	put_word(512 + 8, bc_store_word(0, 4, 2, bc_made.seed));
	put_word(512 + 12, bc_store_word(0, 4, 3, bc_made.seed));
	ck_assert(!bc_made_accepted());
	ck_assert_msg(strstr(bc_made_detail, "lanes 0x00ff00ff stored there whole"), "%s", bc_made_detail);
}
END_TEST

/* Of requests on the same place the last one must be there. */
START_TEST(the_last_request_wins)
{
	const struct bc_pattern p = bc_made_strided(BC_OP_ST32, ALL, 0, 4, 2, 0),
				half = bc_made_strided(BC_OP_ST32, ALL, 0, 4, 2, 64);

	bc_make(&p, 0);
	store_right(&p);
	store(&p, 0, 7); /* came late */
	ck_assert(!bc_made_accepted());
	ck_assert_msg(strstr(bc_made_detail, "offset 0x1c (4 bytes)") && strstr(bc_made_detail, "in request 1"), "%s",
		      bc_made_detail);
	bc_make(&half, 0); /* lane 16 of request 0 and lane 0 of request 1 meet at 64 */
	store_right(&half);
	ck_assert_msg(bc_made_accepted(), "%s", bc_made_detail);
	store(&half, 0, 16);
	ck_assert(!bc_made_accepted());
}
END_TEST

/* --- clock samples --------------------------------------------------------------------------------------------- */

START_TEST(samples_span_from_the_first_start_to_the_last_end)
{
	static const struct {
		const char *what;
		uint32_t t[8], want;
		bool store;
	} rows[] = {
		{ "one warp", { 100, 836 }, 736, false },
		{ "one warp ignores what the others would be", { 100, 836, 1, 5000 }, 736, false },
		{ "the clock wraps", { UINT32_MAX - 5, 730 }, 736, false },
		{ "four warps at once", { 10, 20, 10, 20, 10, 20, 10, 20 }, 10, true },
		{ "one after another", { 10, 20, 12, 25, 14, 30, 16, 35 }, 25, true },
		{ "warp 0 comes last", { 40, 50, 12, 25, 14, 30, 10, 35 }, 40, true },
		{ "four warps round the wrap", { 3, 90, UINT32_MAX, 80, UINT32_MAX - 6, 95, 4, 93 }, 102, true },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		const struct bc_pattern p = bc_made_strided(rows[i].store ? BC_OP_ST32 : BC_OP_LD32, ALL, 0, 4, 1, 0);
		uint32_t cycles[BC_SAMPLES_MAX] = { 0 };

		ck_assert_int_eq(bc_case_launch_clock(&p, &bc_made_arch, "x", 2, &bc_made, &bc_made_err), BC_OK);
		memcpy(bc_made.samples + 8, rows[i].t, sizeof(rows[i].t)); /* the second of two */
		bc_case_launch_samples(&bc_made, cycles);
		ck_assert_uint_eq(cycles[0], 0);
		ck_assert_msg(cycles[1] == rows[i].want, "%s: %u", rows[i].what, cycles[1]);
		bc_case_launch_release(&bc_made);
	}
}
END_TEST

/* --- the seeds ------------------------------------------------------------------------------------------------- */

static uint32_t element(uint32_t offset, uint32_t bytes, unsigned seed)
{
	const uint32_t word = bc_fill_word(offset & ~3u, bc_seeds[seed]) >> 8 * (offset & 3);

	return bytes == 4 ? word : word & ((1u << 8 * bytes) - 1);
}

/* Over 256 KB no two neighbours are equal under both seeds: a lane that reads its neighbour's bytes is always seen. */
START_TEST(neighbours_differ_under_one_seed)
{
	const uint32_t bytes = 1u << _i; /* 1, 2, 4 */

	for (uint32_t at = 0; at + bytes < 256 * 1024; at += bytes)
		ck_assert_msg(element(at, bytes, 0) != element(at + bytes, bytes, 0) ||
				      element(at, bytes, 1) != element(at + bytes, bytes, 1),
			      "%u bytes at 0x%x and the next are alike under both seeds", bytes, at);
}
END_TEST

/* No two lanes of a request store the same bytes under both seeds, whatever the width: a wrong lane is always seen. */
START_TEST(lanes_store_their_own)
{
	const uint32_t mask = UINT32_MAX >> (32 - (8u << _i)); /* 1, 2, 4 bytes */

	for (uint32_t k = 0; k < 32; k++)
		for (uint32_t a = 0; a < 32; a++)
			for (uint32_t b = 0; b < a; b++)
				ck_assert_msg(
					(bc_store_word(k, a, 0, bc_seeds[0]) ^ bc_store_word(k, b, 0, bc_seeds[0])) &
							mask ||
						(bc_store_word(k, a, 0, bc_seeds[1]) ^
						 bc_store_word(k, b, 0, bc_seeds[1])) &
							mask,
					"request %u: lanes %u and %u store the same %u bytes", k, b, a, 1u << _i);
}
END_TEST

/* The kernels of the fake device and the oracle agree on every operation, lane mask and place. */
START_TEST(what_the_kernels_do_is_right)
{
	struct bc_fake f = { 0 };
	struct bc_device *d = bc_fake_open(&f);

	for (enum bc_op op = BC_OP_LD8; op <= BC_OP_ST128; op++) {
		for (uint32_t words = 0; words < 40; words += 13) {
			const uint32_t bytes = bc_op_info(op)->bytes;
			const struct bc_pattern p =
				bc_made_strided(op, 0xf0f0ffff >> words % 7, 4096, words * bytes, 32, 16);

			bc_case_launch_release(&bc_made);
			ck_assert_int_eq(bc_case_launch_data(&p, &bc_made_arch, "x", words % 2, &bc_made, &bc_made_err),
					 BC_OK);
			ck_assert_msg(bc_device_fake.run(d, &bc_made.launch, 1, &bc_made_err) == BC_OK, "%s",
				      bc_made_err.msg);
			ck_assert_msg(bc_made_accepted(), "%s: %s", bc_op_info(op)->name, bc_made_detail);
		}
	}
	bc_device_fake.close(d);
}
END_TEST

Suite *bc_test_launch(void)
{
	Suite *s = suite_create("launch");
	TCase *tc = tcase_create("recipe");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, bc_made_setup, bc_made_teardown);
	tcase_add_loop_test(tc, a_data_launch_has_the_shape_of_the_row, 0, (int)BC_ARRAY_LEN(shapes));
	tcase_add_test(tc, the_seeds_differ_in_all_that_is_seen);
	tcase_add_test(tc, a_counted_launch_fills_nothing);
	tcase_add_test(tc, a_timed_launch_is_a_chain_or_four_bursts);
	tcase_add_loop_test(tc, what_cannot_run_is_refused, 0, (int)BC_ARRAY_LEN(refused));
	tcase_add_test(tc, offsets_count_from_the_window);
	tcase_add_test(tc, below_the_window_is_refused);
	tcase_add_loop_test(tc, each_bit_that_was_loaded_is_compared, 0, (int)BC_ARRAY_LEN(loads));
	tcase_add_loop_test(tc, a_misread_word_is_caught, 0, (int)BC_ARRAY_LEN(misread));
	tcase_add_test(tc, a_lane_that_is_not_active_writes_nothing);
	tcase_add_test(tc, the_window_must_be_where_it_should);
	tcase_add_loop_test(tc, each_bit_of_the_dump_is_compared, 0, (int)BC_ARRAY_LEN(stores));
	tcase_add_loop_test(tc, an_accident_of_stores_is_caught, 0, (int)BC_ARRAY_LEN(accidents));
	tcase_add_test(tc, one_of_many_writers_must_have_won);
	tcase_add_test(tc, the_last_request_wins);
	tcase_add_test(tc, samples_span_from_the_first_start_to_the_last_end);
	tcase_add_loop_test(tc, neighbours_differ_under_one_seed, 0, 3);
	tcase_add_loop_test(tc, lanes_store_their_own, 0, 3);
	tcase_add_test(tc, what_the_kernels_do_is_right);
	suite_add_tcase(s, tc);
	return s;
}
