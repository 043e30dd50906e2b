/* SPDX-License-Identifier: MIT */
#include "harness/measure/oracle_atom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/bc_kernel.h"

bool bc_oracle_is_atomic(enum bc_op op)
{
	return op >= BC_OP_ATOM32 && op <= BC_OP_REDF32;
}

static uint32_t bits_of(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static float float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

uint32_t bc_oracle_fill(enum bc_op op, uint32_t offset, uint32_t seed)
{
	if (op == BC_OP_ADDF32 || op == BC_OP_REDF32)
		return bits_of((float)bc_fill_whole(offset, seed));
	return bc_fill_word(offset, seed);
}

static int by_value(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

size_t bc_oracle_place(const struct bc_operation_result *r, uint32_t offset)
{
	const uint32_t line = offset / BC_LINE_BYTES;
	const uint32_t *at = bsearch(&line, r->lines, r->nlines, sizeof(line), by_value);

	return (size_t)(at - r->lines) * BC_LINE_BYTES + offset % BC_LINE_BYTES;
}

uint64_t bc_oracle_apply(enum bc_op op, uint64_t state, const uint64_t operand[2])
{
	const uint64_t x = operand[0];

	switch (op) {
	case BC_OP_ATOM32:
	case BC_OP_RED32:
	case BC_OP_REDV32: return (uint32_t)(state + x);
	case BC_OP_ADD64:
	case BC_OP_RED64: return state + x;
	case BC_OP_ADDF32:
	case BC_OP_REDF32: return bits_of(float_of((uint32_t)state) + float_of((uint32_t)x));
	case BC_OP_MAX32:
	case BC_OP_REDMAX32: return state > x ? state : x;
	case BC_OP_MIN32: return state < x ? state : x;
	case BC_OP_AND32: return state & x;
	case BC_OP_OR32: return state | x;
	case BC_OP_XOR32: return state ^ x;
	case BC_OP_INC32: return state >= x ? 0 : state + 1;
	case BC_OP_EXCH32:
	case BC_OP_EXCH64: return x;
	case BC_OP_CAS32:
	case BC_OP_CAS64: return state == x ? operand[1] : state;
	default: return state;
	}
}

/* What @lane brings in request @k to @offset, as the kernels of pattern_atom.cu make it. */
static void operands(const struct bc_operation_result *r, uint32_t k, uint32_t lane, uint32_t offset,
		     uint64_t operand[2])
{
	const uint32_t seed = r->seed;
	const uint64_t word = bc_store_word(k, lane, 0, seed),
		       pair = (uint64_t)bc_store_word(k, lane, 1, seed) << 32 | word;

	operand[0] = word;
	operand[1] = 0;
	switch (r->pattern->op) {
	case BC_OP_RED32: operand[0] = 1; break;
	case BC_OP_AND32: operand[0] = (uint32_t)~bc_sparse_word(k, lane, seed); break;
	case BC_OP_OR32: operand[0] = bc_sparse_word(k, lane, seed); break;
	case BC_OP_ADD64:
	case BC_OP_RED64:
	case BC_OP_EXCH64: operand[0] = pair; break;
	case BC_OP_ADDF32:
	case BC_OP_REDF32: operand[0] = bits_of((float)bc_add_whole(k, lane, seed)); break;
	case BC_OP_CAS32:
		operand[0] = bc_compare_word(offset, lane, 1, seed);
		operand[1] = word;
		break;
	case BC_OP_CAS64:
		operand[0] = (uint64_t)bc_compare_word(offset + 4, lane, 1, seed) << 32 |
			     bc_compare_word(offset, lane, 0, seed);
		operand[1] = pair;
		break;
	default: break;
	}
}

/* What @lane returned in request @k. */
static uint64_t returned(const struct bc_operation_result *r, uint32_t k, uint32_t lane)
{
	const unsigned words = bc_operation_words(r->pattern->op);
	const uint32_t *at = &r->out[(k * BC_LANES + lane) * words];

	return words == 2 ? (uint64_t)at[1] << 32 | at[0] : at[0];
}

/* The next lane of @lanes, whose values returned are @got, when memory holds @state; BC_LANES: none can be. */
static unsigned next_lane(enum bc_op op, uint32_t lanes, const uint64_t got[BC_LANES], uint64_t operand[BC_LANES][2],
			  uint64_t state)
{
	unsigned changing = BC_LANES;

	for (; lanes; lanes &= lanes - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(lanes);

		if (got[lane] != state)
			continue;
		if (bc_oracle_apply(op, state, operand[lane]) == state)
			return lane;
		changing = lane;
	}
	return changing;
}

/* All of @lanes did the operation at @offset in request @k; @state: what memory held, then what it holds. */
static bool one_place(const struct bc_operation_result *r, uint32_t k, uint32_t lanes, uint32_t offset, uint64_t *state,
		      char *detail, size_t size)
{
	const enum bc_op op = r->pattern->op;
	const bool returns = bc_operation_of(op)->returns;
	uint64_t operand[BC_LANES][2], got[BC_LANES] = { 0 };
	uint32_t left = lanes;

	for (uint32_t m = lanes; m; m &= m - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(m);

		operands(r, k, lane, offset, operand[lane]);
		if (returns)
			got[lane] = returned(r, k, lane);
	}
	while (left) {
		const unsigned lane =
			returns ? next_lane(op, left, got, operand, *state) : (unsigned)__builtin_ctz(left);

		if (lane == BC_LANES) {
			const unsigned first = (unsigned)__builtin_ctz(left);

			(void)snprintf(
				detail, size,
				"offset 0x%x, request %u: no order of the lanes 0x%08x explains what they returned: "
				"after %d of them memory holds 0x%llx, lane %u returned 0x%llx",
				offset, k, lanes, __builtin_popcount(lanes & ~left), (unsigned long long)*state, first,
				(unsigned long long)got[first]);
			return false;
		}
		*state = bc_oracle_apply(op, *state, operand[lane]);
		left &= ~(UINT32_C(1) << lane);
	}
	return true;
}

/* Request @k on @state, a value an element of the dump. */
static bool one_request(const struct bc_operation_result *r, uint32_t k, uint64_t *state, char *detail, size_t size)
{
	const struct bc_pattern *p = r->pattern;
	uint32_t left = p->mask;

	while (left) {
		const uint32_t at = p->offset[__builtin_ctz(left)], offset = at + k * p->step;
		uint32_t lanes = 0;

		for (uint32_t m = left; m; m &= m - 1)
			if (p->offset[__builtin_ctz(m)] == at)
				lanes |= m & (0u - m);
		if (!one_place(r, k, lanes, offset, &state[bc_oracle_place(r, offset) / bc_op_info(p->op)->bytes],
			       detail, size))
			return false;
		left &= ~lanes;
	}
	return true;
}

/* Lanes that are not active returned nothing. */
static bool poison_left(const struct bc_operation_result *r, char *detail, size_t size)
{
	const unsigned words = bc_operation_words(r->pattern->op);

	for (size_t i = 0; i < r->out_bytes / 4; i++) {
		const unsigned lane = (unsigned)(i / words % BC_LANES);

		if (r->pattern->mask >> lane & 1u || r->out[i] == r->poison * 0x01010101u)
			continue;
		(void)snprintf(detail, size, "lane %u, request %zu: returned 0x%08x (the lane is not active)", lane,
			       i / words / BC_LANES, r->out[i]);
		return false;
	}
	return true;
}

bool bc_oracle_check_atomics(const struct bc_operation_result *r, char *detail, size_t size)
{
	const struct bc_pattern *p = r->pattern;
	const bool returns = bc_operation_of(p->op)->returns;
	const uint32_t *dump = returns ? r->dump : r->out;
	const unsigned words = bc_operation_words(p->op);
	const size_t n = (size_t)r->nlines * BC_LINE_WORDS / words;
	uint64_t *state = r->scratch;
	bool ok = !returns || poison_left(r, detail, size);

	memset(state, 0, n * sizeof(*state));
	for (size_t i = 0; ok && i < n * words; i++) {
		const uint32_t offset = r->lines[i / BC_LINE_WORDS] * BC_LINE_BYTES + (uint32_t)(i % BC_LINE_WORDS * 4);

		state[i / words] |= (uint64_t)bc_oracle_fill(p->op, offset, r->seed) << 32 * (i % words);
	}
	for (uint32_t k = 0; ok && k < p->count; k++)
		ok = one_request(r, k, state, detail, size);
	for (size_t i = 0; ok && i < n * words; i++) {
		const uint32_t want = (uint32_t)(state[i / words] >> 32 * (i % words));

		if (dump[i] == want)
			continue;
		(void)snprintf(detail, size, "offset 0x%x: memory holds 0x%08x afterwards, expected 0x%08x",
			       r->lines[i / BC_LINE_WORDS] * BC_LINE_BYTES + (uint32_t)(i % BC_LINE_WORDS * 4), dump[i],
			       want);
		ok = false;
	}
	return ok;
}
