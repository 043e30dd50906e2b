/* SPDX-License-Identifier: MIT */
#include "harness/measure/canary.h"

#include <string.h>

#include "harness/measure/same_bank.h"
#include "kernels/bc_kernel.h"

/*
 * The canaries prove counters, not bank laws: they must read the same on a device whose banks are 16, 64, or 8 bytes
 * wide, or that has no broadcast, so that a broken law is found by the cases and not by a void session. Addresses 256
 * bytes apart share a bank on all of these; one active lane, in another bank than address 0, conflicts with nobody on
 * any.
 */
#define LONE_BYTES 52u

/* Global memory: one warp, consecutive words (4 sectors of 32 bytes) or a word in each of 32 sectors. */
#define GLOBAL_STRIDE 8u
#define GLOBAL_REPS 8u
#define WORDS (32u * GLOBAL_STRIDE * GLOBAL_REPS)

static void fill(const struct bc_case *c, void *data, size_t bytes, uint32_t seed)
{
	(void)c;
	memset(data, (int)(seed & 0x7fu), bytes);
}

static bool program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const bool store = c->arg[0];
	const uint32_t stride = (uint32_t)c->arg[1];
	const struct bc_coalesce_params p = { .stride = stride, .reps = GLOBAL_REPS, .step = 32 * stride, .lanes = 32 };

	(void)a;
	*out = (struct bc_program){ .image = "coalesce",
				    .kernel = store ? "bc_coalesce_st32" : "bc_coalesce_ld32",
				    .block = { 32 },
				    .params_size = sizeof(p),
				    .nbuffers = 2,
				    .requests = p.reps,
				    .cls = store ? BC_CLASS_GLOBAL_ST : BC_CLASS_GLOBAL_LD };
	memcpy(out->params, &p, sizeof(p));
	out->buffers[0] = (struct bc_program_buffer){ .bytes = WORDS * 4,
						      .use = BC_BUFFER_INOUT,
						      .param_offset = offsetof(struct bc_coalesce_params, in),
						      .fill = fill };
	out->buffers[1] = (struct bc_program_buffer){ .bytes = WORDS * 4,
						      .use = BC_BUFFER_OUT,
						      .param_offset = offsetof(struct bc_coalesce_params, out) };
	return true;
}

/* A tensor copy of 32 sectors, or of 4: 8 rows, or one, of 128 bytes. */
#define BOX_ROW 128u
#define BOX_ROWS 8u
#define BOX_TRIES (1u << 16)

static bool copy_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	const bool store = c->arg[0];
	const uint32_t rows = (uint32_t)c->arg[1], bytes = rows * BOX_ROW;
	const struct bc_tma_params p = { .bytes = bytes, .tries = BOX_TRIES, .words = bytes / 4 };
	const struct bc_program_buffer buffers[] = {
		{ .bytes = BOX_ROWS * BOX_ROW,
		  .use = BC_BUFFER_INOUT,
		  .param_offset = offsetof(struct bc_tma_params, tensor),
		  .fill = fill },
		{ .bytes = 8, .use = BC_BUFFER_OUT, .param_offset = offsetof(struct bc_tma_params, info) },
		{ .bytes = bytes,
		  .use = store ? BC_BUFFER_INOUT : BC_BUFFER_OUT,
		  .param_offset = store ? offsetof(struct bc_tma_params, source) : offsetof(struct bc_tma_params, out),
		  .fill = fill },
	};

	(void)a;
	*out = (struct bc_program){ .image = "tma",
				    .kernel = store ? "bc_tma_store_2d" : "bc_tma_load_2d",
				    .block = { 32 },
				    .shared_bytes = bytes + 16,
				    .params_size = sizeof(p),
				    .nbuffers = BC_ARRAY_LEN(buffers),
				    .nmaps = 1,
				    .requests = 1,
				    .cls = store ? BC_CLASS_TMA_ST : BC_CLASS_TMA_LD };
	memcpy(out->params, &p, sizeof(p));
	memcpy(out->buffers, buffers, sizeof(buffers));
	out->maps[0] = (struct bc_tensor_map){ .param_offset = offsetof(struct bc_tma_params, map),
					       .type = BC_TENSOR_U32,
					       .rank = 2,
					       .dim = { BOX_ROW / 4, BOX_ROWS },
					       .stride = { BOX_ROW },
					       .box = { BOX_ROW / 4, rows },
					       .step = { 1, 1 } };
	return true;
}

static const struct bc_rule copy_rule = { .name = "canary", .sentence = "canary", .program = copy_program };

static const struct bc_case copy_cases[2][2] = {
	{ { .id = "canary/tma_ld/8", .rule = &copy_rule, .arg = { 0, BOX_ROWS } },
	  { .id = "canary/tma_ld/1", .rule = &copy_rule, .arg = { 0, 1 } } },
	{ { .id = "canary/tma_st/8", .rule = &copy_rule, .arg = { 1, BOX_ROWS } },
	  { .id = "canary/tma_st/1", .rule = &copy_rule, .arg = { 1, 1 } } },
};

static const struct bc_rule rule = { .name = "canary", .sentence = "canary", .program = program };

static const struct bc_case global_cases[2][2] = {
	{ { .id = "canary/global_ld/32", .rule = &rule, .arg = { 0, GLOBAL_STRIDE } },
	  { .id = "canary/global_ld/1", .rule = &rule, .arg = { 0, 1 } } },
	{ { .id = "canary/global_st/32", .rule = &rule, .arg = { 1, GLOBAL_STRIDE } },
	  { .id = "canary/global_st/1", .rule = &rule, .arg = { 1, 1 } } },
};

/* ldmatrix and stmatrix: rows in one bank are 8-way in each matrix; one row given eight times is clean. */
static void matrix(enum bc_op op, unsigned which, struct bc_canary *out)
{
	const unsigned n = bc_op_info(op)->matrices;

	for (unsigned l = 0; l < BC_LANES && !which; l++)
		out->pattern.offset[l] = l % (8 * n) * BC_SAME_BANK_BYTES;
	out->wavefronts = which ? n : 8 * n;
	out->conflicts = which ? 0 : 7 * n;
}

/* By a law of the architecture's own: other lanes of one bank, and what the law says of them. */
static void follow_law(const struct bc_arch *a, unsigned which, struct bc_canary *out)
{
	const struct bc_geometry g = bc_arch_geometry(a);
	struct bc_pattern *p = &out->pattern;
	uint32_t addr[BC_LANES];
	struct bc_wavefronts w;

	if (!which)
		(void)bc_same_bank(a, BC_LANES, p->offset); /* where there are too few, those that there are count */
	for (unsigned l = 0; l < BC_LANES; l++)
		addr[l] = a->window_base + p->offset[l];
	if (!bc_banks_count(&g, p->op, addr, p->mask, &w, NULL)) {
		out->wavefronts = w.wavefronts;
		out->conflicts = w.conflicts;
	}
}

void bc_canary_get(enum bc_op op, enum bc_class cls, unsigned which, const struct bc_arch *a, struct bc_canary *out)
{
	memset(out, 0, sizeof(*out));
	if (op == BC_OP_NONE) {
		out->program = cls == BC_CLASS_TMA_LD || cls == BC_CLASS_TMA_ST
				       ? &copy_cases[cls == BC_CLASS_TMA_ST][which]
				       : &global_cases[cls == BC_CLASS_GLOBAL_ST][which];
		out->sectors = which ? 4 : 32;
		return;
	}
	out->pattern.op = op;
	out->pattern.mask = UINT32_MAX;
	out->pattern.count = 1;
	if (bc_op_info(op)->matrices) {
		matrix(op, which, out);
		if (a->law.given)
			follow_law(a, which, out);
		return;
	}
	for (unsigned l = 0; l < BC_LANES && !which; l++)
		out->pattern.offset[l] = l * BC_SAME_BANK_BYTES;
	if (which) {
		out->pattern.mask = 1;
		out->pattern.offset[0] = LONE_BYTES;
	}
	out->wavefronts = which ? 1 : 32;
	out->conflicts = out->wavefronts - 1;
	if (a->law.given)
		follow_law(a, which, out);
}
