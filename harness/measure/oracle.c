/* SPDX-License-Identifier: MIT */
#include "harness/measure/oracle.h"

#include <stdio.h>
#include <string.h>

#include "harness/measure/oracle_atom.h"
#include "kernels/bc_kernel.h"

#define ROW_BYTES 16u /* of a matrix */
#define ROWS 8u

static bool transposed(enum bc_op op)
{
	return (op >= BC_OP_LDSM1T && op <= BC_OP_LDSM4T) || op == BC_OP_STSM4T;
}

/* Lanes whose address counts: of matrix operations those that give rows. */
static uint32_t lanes_used(const struct bc_pattern *p)
{
	const unsigned rows = bc_op_info(p->op)->matrices * ROWS;

	return rows == 0 || rows >= BC_LANES ? p->mask : p->mask & ((UINT32_C(1) << rows) - 1);
}

/*
 * Which lane holds halfword @half (0..7) of row @row of a matrix, and in which half of its register: lane 4 row + half
 * / 2; transposed, rows and columns are exchanged.
 */
static unsigned lane_holding(bool trans, unsigned row, unsigned half, unsigned *upper)
{
	*upper = trans ? row % 2 : half % 2;
	return trans ? 4 * half + row / 2 : 4 * row + half / 2;
}

void bc_oracle_source(const struct bc_pattern *p, uint32_t seed, uint32_t *source)
{
	const unsigned words = bc_operation_words(p->op);

	for (uint32_t k = 0; k < p->count; k++)
		for (uint32_t lane = 0; lane < BC_LANES; lane++)
			for (unsigned j = 0; j < words; j++)
				source[(k * BC_LANES + lane) * words + j] = bc_store_word(k, lane, j, seed);
}

/* Byte @offset of what shared memory holds before the operation. */
static uint8_t fill_byte(enum bc_op op, uint32_t offset, uint32_t seed)
{
	return (uint8_t)(bc_oracle_fill(op, offset & ~3u, seed) >> 8 * (offset & 3u));
}

/* ---- what the lanes got ---- */

/* Word @j of what @lane must get in request @k. */
static uint32_t loaded_word(const struct bc_operation_result *r, uint32_t k, uint32_t lane, unsigned j)
{
	const struct bc_pattern *p = r->pattern;
	const struct bc_op_info *info = bc_op_info(p->op);
	uint32_t want = 0;

	if (!info->matrices) {
		for (unsigned b = 0; b < 4 && j * 4 + b < info->bytes; b++)
			want |= (uint32_t)fill_byte(p->op, p->offset[lane] + k * p->step + j * 4 + b, r->seed) << 8 * b;
		return want;
	}
	for (unsigned row = 0; row < ROWS; row++) {
		for (unsigned half = 0; half < ROW_BYTES / 2; half++) {
			const uint32_t offset = p->offset[ROWS * j + row] + k * p->step + 2 * half;
			unsigned upper;

			if (lane_holding(transposed(p->op), row, half, &upper) == lane)
				want |= (bc_oracle_fill(p->op, offset & ~3u, r->seed) >> 8 * (offset & 3u) & 0xffffu)
					<< 16 * upper;
		}
	}
	return want;
}

static bool check_loads(const struct bc_operation_result *r, char *detail, size_t size)
{
	const struct bc_pattern *p = r->pattern;
	const unsigned words = bc_operation_words(p->op);
	const uint32_t poison = r->poison * 0x01010101u;

	for (uint32_t k = 0; k < p->count; k++) {
		for (uint32_t lane = 0; lane < BC_LANES; lane++) {
			const bool active = p->mask >> lane & 1u;

			for (unsigned j = 0; j < words; j++) {
				const uint32_t got = r->out[(k * BC_LANES + lane) * words + j];
				const uint32_t want = active ? loaded_word(r, k, lane, j) : poison;

				if (got == want)
					continue;
				(void)snprintf(
					detail, size,
					"lane %u, request %u, offset 0x%x, word %u: %s 0x%08x, expected 0x%08x%s", lane,
					k, p->offset[lane] + k * p->step, j, got == poison ? "wrote nothing," : "read",
					got, want, active ? "" : " (the lane is not active)");
				return false;
			}
		}
	}
	return true;
}

/* ---- what memory holds after stores and copies ---- */

/* Last request that wrote an element, and the lanes that wrote it then. */
struct writers {
	uint32_t lanes;
	uint32_t request;
	uint16_t part; /* which element of the lanes' access it is */
};

/* Byte @b of what @lane puts into memory in request @k; of a matrix: of the row whose address it gives. */
static uint8_t stored_byte(const struct bc_operation_result *r, uint32_t k, uint32_t lane, unsigned b)
{
	const enum bc_op op = r->pattern->op;
	const unsigned bytes = bc_op_info(op)->bytes;
	unsigned upper;

	if (op >= BC_OP_CPA4Z && op <= BC_OP_CPA16CGZ && b >= bc_copy_bytes(k, lane, bytes))
		return 0;
	if (!bc_op_info(op)->matrices)
		return (uint8_t)(bc_store_word(k, lane, b / 4, r->seed) >> 8 * (b & 3u));

	const unsigned from = lane_holding(transposed(op), lane % ROWS, b / 2, &upper);

	return (uint8_t)(bc_store_word(k, from, lane / ROWS, r->seed) >> (16 * upper + 8 * (b & 1u)));
}

/* Bytes that one writer leaves whole: the access; of a matrix's row each word, for lanes hold words of it. Copies that
 * race for one place have no order in PTX; on an H200 those of cp.async.cg with zero fill mix their bytes, all others
 * leave one lane's copy whole. */
static unsigned element_bytes(enum bc_op op)
{
	if (op == BC_OP_CPA16CGZ)
		return 1;
	return bc_op_info(op)->matrices ? 4 : bc_op_info(op)->bytes;
}

static bool holds(const struct bc_operation_result *r, const unsigned char *at, unsigned bytes, const struct writers *w,
		  uint32_t lane)
{
	for (unsigned b = 0; b < bytes; b++)
		if (at[b] != stored_byte(r, w->request, lane, w->part * bytes + b))
			return false;
	return true;
}

/* @at: what the element of @bytes at @offset holds afterwards. */
static bool check_element(const struct bc_operation_result *r, const struct writers *w, const unsigned char *at,
			  uint32_t offset, unsigned bytes, char *detail, size_t size)
{
	char got[2 * 16 + 1] = "";

	for (unsigned lane = 0; lane < BC_LANES; lane++)
		if (w->lanes >> lane & 1u && holds(r, at, bytes, w, lane))
			return true;
	if (!w->lanes) {
		unsigned b = 0;

		while (b < bytes && at[b] == fill_byte(r->pattern->op, offset + b, r->seed))
			b++;
		if (b == bytes)
			return true;
	}
	for (unsigned b = 0; b < bytes; b++)
		(void)snprintf(got + 2 * b, sizeof(got) - 2 * b, "%02x", at[b]);
	if (w->lanes)
		(void)snprintf(detail, size,
			       "offset 0x%x (%u bytes) holds %s, not what any of the lanes 0x%08x stored there whole "
			       "in request %u",
			       offset, bytes, got, w->lanes, w->request);
	else
		(void)snprintf(detail, size,
			       "offset 0x%x (%u bytes) holds %s: nobody stores there, it must keep what it was "
			       "filled with",
			       offset, bytes, got);
	return false;
}

static void note_writer(const struct bc_operation_result *r, struct writers *w, uint32_t k, uint32_t lane)
{
	const struct bc_pattern *p = r->pattern;
	const unsigned bytes = element_bytes(p->op), parts = bc_op_info(p->op)->bytes / bytes;

	for (unsigned i = 0; i < parts; i++) {
		struct writers *e = &w[bc_oracle_place(r, p->offset[lane] + k * p->step + i * bytes) / bytes];

		if (e->lanes && e->request != k)
			e->lanes = 0;
		e->lanes |= UINT32_C(1) << lane;
		e->request = k;
		e->part = (uint16_t)i;
	}
}

/* Nobody stores to line @line of the list, whose @n elements are @w, and it holds what it was filled with. */
static bool is_as_filled(const struct bc_operation_result *r, uint32_t line, const struct writers *w, unsigned n)
{
	const uint32_t *word = r->out + (size_t)line * BC_LINE_WORDS;
	uint32_t lanes = 0, differ = 0;

	for (unsigned i = 0; i < n; i++)
		lanes |= w[i].lanes;
	for (uint32_t i = 0; !lanes && i < BC_LINE_WORDS; i++)
		differ |= word[i] ^ bc_oracle_fill(r->pattern->op, r->lines[line] * BC_LINE_BYTES + 4 * i, r->seed);
	return !lanes && !differ;
}

static bool check_line(const struct bc_operation_result *r, uint32_t line, const struct writers *w, unsigned n,
		       char *detail, size_t size)
{
	const unsigned char *at = (const unsigned char *)r->out + (size_t)line * BC_LINE_BYTES;
	const unsigned bytes = BC_LINE_BYTES / n;
	bool ok = true;

	for (unsigned i = 0; ok && i < n; i++)
		ok = check_element(r, &w[i], at + i * bytes, r->lines[line] * BC_LINE_BYTES + i * bytes, bytes, detail,
				   size);
	return ok;
}

static bool check_stores(const struct bc_operation_result *r, char *detail, size_t size)
{
	const struct bc_pattern *p = r->pattern;
	const unsigned bytes = element_bytes(p->op), per_line = BC_LINE_BYTES / bytes;
	const size_t n = r->out_bytes / bytes;
	struct writers *w = r->scratch;
	bool ok = true;

	memset(w, 0, n * sizeof(*w));
	for (uint32_t k = 0; k < p->count; k++)
		for (uint32_t lanes = lanes_used(p); lanes; lanes &= lanes - 1)
			note_writer(r, w, k, (uint32_t)__builtin_ctz(lanes));
	for (uint32_t line = 0; ok && line < r->nlines; line++)
		ok = is_as_filled(r, line, w + line * per_line, per_line) ||
		     check_line(r, line, w + line * per_line, per_line, detail, size);
	return ok;
}

size_t bc_oracle_scratch_bytes(const struct bc_operation_result *r)
{
	const struct bc_operation *o = bc_operation_of(r->pattern->op);

	if (bc_oracle_is_atomic(r->pattern->op))
		return (size_t)r->nlines * BC_LINE_WORDS / bc_operation_words(r->pattern->op) * sizeof(uint64_t);
	return o->returns ? 0 : r->out_bytes / element_bytes(r->pattern->op) * sizeof(struct writers);
}

bool bc_oracle_check(const struct bc_operation_result *r, char *detail, size_t size)
{
	const struct bc_operation *o = bc_operation_of(r->pattern->op);

	if (bc_oracle_is_atomic(r->pattern->op))
		return bc_oracle_check_atomics(r, detail, size);
	return o->returns ? check_loads(r, detail, size) : check_stores(r, detail, size);
}
