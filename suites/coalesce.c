/* SPDX-License-Identifier: MIT */
/* suites/coalesce.c - global memory is moved in sectors of 32 bytes: how many a request of a warp touches. */
#include "suites/patterns.h"
#include "suites/programs.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define REPS 8u
#define STRIDE_MAX 32

/* arg[]: what a case needs to know of itself. */
enum { STORE, BYTES, STRIDE, FIRST, ACTIVE };

static uint32_t arg(const struct bc_case *c, unsigned k)
{
	return (uint32_t)c->arg[k];
}

static struct bc_coalesce_params params_of(const struct bc_case *c)
{
	const uint32_t distance = (uint32_t)(c->arg[STRIDE] < 0 ? -c->arg[STRIDE] : c->arg[STRIDE]);

	/* Requests follow one another in whole lines and touch no element twice. */
	return (struct bc_coalesce_params){ .stride = arg(c, STRIDE),
					    .first = arg(c, FIRST),
					    .lanes = arg(c, ACTIVE),
					    .reps = REPS,
					    .step = BC_LANES * (distance ? distance : 1) };
}

/* Elements of the buffer: those that are touched and some above. */
static uint32_t elements_of(const struct bc_case *c)
{
	const struct bc_coalesce_params p = params_of(c);

	return p.step * (REPS + 1) + p.first;
}

static const char *kernel_of(const struct bc_case *c)
{
	static const char *const loads[] = { "bc_coalesce_ld32", "bc_coalesce_ld64", "bc_coalesce_ld128" };
	static const char *const stores[] = { "bc_coalesce_st32", "bc_coalesce_st64", "bc_coalesce_st128" };
	const unsigned width = c->arg[BYTES] == 4 ? 0 : c->arg[BYTES] == 8 ? 1 : 2;

	return c->arg[STORE] ? stores[width] : loads[width];
}

static bool program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const struct bc_coalesce_params p = params_of(c);
	const size_t in = offsetof(struct bc_coalesce_params, in), bytes = (size_t)elements_of(c) * arg(c, BYTES);

	(void)a;
	bc_program_start(out, "coalesce", kernel_of(c), BC_LANES, &p, sizeof(p));
	if (c->arg[STORE])
		bc_program_inout(out, in, bytes, bc_fill_words);
	else
		bc_program_in(out, in, bytes, bc_fill_words);
	bc_program_out(out, offsetof(struct bc_coalesce_params, out), (size_t)BC_LANES * arg(c, BYTES));
	bc_program_count(out, c->arg[STORE] ? BC_CLASS_GLOBAL_ST : BC_CLASS_GLOBAL_LD, REPS);
	return true;
}

/* Each active lane has the sum of what it read, word by word. */
static bool check_loads(const struct bc_case *c, const uint32_t *in, const uint32_t *out, struct bc_mismatch *bad)
{
	const struct bc_coalesce_params p = params_of(c);
	const uint32_t words = arg(c, BYTES) / 4;

	for (uint32_t i = 0; i < p.lanes * words; i++) {
		uint32_t sum = 0;

		for (uint32_t rep = 0; rep < REPS; rep++)
			sum += in[(p.first + i / words * p.stride + rep * p.step) * words + i % words];
		if (out[i] != sum)
			return bc_mismatch(bad, "word", i, out[i], sum);
	}
	return true;
}

/* Does element @element, at @at, hold what the launch must leave there? The lane that stored to it is found by trying
 * all; where several did, any one's value is right, if whole. */
static bool stored_right(const struct bc_case *c, const uint32_t *at, uint32_t element, uint32_t seed, uint32_t *want)
{
	const struct bc_coalesce_params p = params_of(c);
	const uint32_t words = arg(c, BYTES) / 4, rep = element / p.step;
	bool right = true, stored = false;

	for (uint32_t r = rep ? rep - 1 : 0; r <= rep && r < REPS; r++) {
		for (uint32_t lane = 0; lane < p.lanes; lane++) {
			if (p.first + lane * p.stride + r * p.step != element)
				continue;
			stored = true;
			right = true;
			*want = bc_store_word(r, lane, 0, 0);
			for (uint32_t j = 0; j < words; j++)
				right = right && at[j] == bc_store_word(r, lane, j, 0);
			if (right)
				return true;
		}
	}
	if (!stored)
		*want = bc_fill_word(4 * element * words, seed);
	for (uint32_t j = 0; !stored && j < words; j++)
		right = right && at[j] == bc_fill_word(4 * (element * words + j), seed);
	return right;
}

static bool check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		  struct bc_mismatch *bad)
{
	const uint32_t *memory = data[0], words = arg(c, BYTES) / 4;
	uint32_t want = 0;

	(void)a;
	if (!c->arg[STORE])
		return check_loads(c, memory, data[1], bad);
	for (uint32_t e = 0; e < elements_of(c); e++)
		if (!stored_right(c, memory + (size_t)e * words, e, seed, &want))
			return bc_mismatch(bad, "element", e, memory[(size_t)e * words], want);
	return true;
}

/* What the rule's name says: "stride_st_b64" stores 8 bytes. */
static void start(struct bc_case *c)
{
	const struct bc_op_info *op = bc_op_info(bc_rule_op(c->rule));

	c->arg[STORE] = op->store;
	c->arg[BYTES] = (int32_t)op->bytes;
	c->arg[STRIDE] = 1;
	c->arg[ACTIVE] = BC_LANES;
}

/* Words at strides 0..32 and backwards. */
static bool strides(unsigned i, struct bc_case *c)
{
	const int s = i <= STRIDE_MAX ? (int)i : -1;

	if (i > STRIDE_MAX + 1)
		return false;
	start(c);
	c->arg[STRIDE] = s;
	c->arg[FIRST] = s < 0 ? BC_LANES - 1 : 0;
	bc_variant_add_int(c, s);
	if (s > 1)
		bc_twin_set(c, NULL, "1");
	return true;
}

static bool wide_strides(unsigned i, struct bc_case *c)
{
	static const int8_t stride[] = { 0, 1, 2, 3, 4, 8 };

	if (i >= BC_ARRAY_LEN(stride))
		return false;
	start(c);
	c->arg[STRIDE] = stride[i];
	bc_variant_add_int(c, stride[i]);
	if (stride[i] > 1)
		bc_twin_set(c, NULL, "1");
	return true;
}

/* Consecutive elements from an element that need not start a sector. */
static bool offsets(unsigned i, struct bc_case *c)
{
	static const int8_t first[] = { 0, 1, 2, 3, 4, 7, 8, 9, 16, 24, 31, 32 };

	if (i >= BC_ARRAY_LEN(first))
		return false;
	start(c);
	c->arg[FIRST] = first[i];
	bc_variant_add_int(c, first[i]);
	if (first[i] * c->arg[BYTES] % 32 != 0)
		bc_twin_set(c, NULL, "0");
	return true;
}

/* The first n lanes only. */
static bool active(unsigned i, struct bc_case *c)
{
	static const int8_t lanes[] = { 1, 2, 7, 8, 9, 15, 16, 17, 24, 25, 31, 32 };

	if (i >= BC_ARRAY_LEN(lanes))
		return false;
	start(c);
	c->arg[ACTIVE] = lanes[i];
	bc_variant_add_int(c, lanes[i]);
	return true;
}

#define GUIDE "CUDA C++ Best Practices Guide, Coalesced Access to Global Memory"
#define STRIDED "words at a stride of s touch 4 s sectors a request up to s = 8, then 32: a sector a lane"
#define WIDE "consecutive 8-byte elements touch 8 sectors a request, 16-byte ones 16, and a stride up to 32"
#define SHIFTED "consecutive elements touch a sector more when the first does not start one"
#define PART "n consecutive words from the start of a sector touch n / 8 sectors, rounded up"

#define RULE(rule_name, make, text)                                                                      \
	{                                                                                                \
		.name = rule_name, .source = GUIDE, .sentence = text, .build = make, .program = program, \
		.check = check                                                                           \
	}

static const struct bc_rule rules[] = {
	RULE("stride_ld_b32", strides, STRIDED),    RULE("stride_st_b32", strides, STRIDED),
	RULE("stride_ld_b64", wide_strides, WIDE),  RULE("stride_st_b64", wide_strides, WIDE),
	RULE("stride_ld_b128", wide_strides, WIDE), RULE("stride_st_b128", wide_strides, WIDE),
	RULE("offset_ld_b32", offsets, SHIFTED),    RULE("offset_st_b32", offsets, SHIFTED),
	RULE("offset_ld_b64", offsets, SHIFTED),    RULE("offset_st_b64", offsets, SHIFTED),
	RULE("offset_ld_b128", offsets, SHIFTED),   RULE("offset_st_b128", offsets, SHIFTED),
	RULE("active_ld_b32", active, PART),	    RULE("active_st_b32", active, PART),
};

const struct bc_suite bc_suite_coalesce = {
	.name = "coalesce",
	.about = "global loads and stores: sectors of 32 bytes that a request touches",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
