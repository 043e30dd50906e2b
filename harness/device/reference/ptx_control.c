/* SPDX-License-Identifier: MIT */
/* Decoding of branches, exits, fences and what has no effect here. */
#include "harness/device/reference/ptx_exec.h"

static void fence(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)w;
	(void)in;
	(void)mask;
	(void)atomic_fetch_add(&x->g->fence, 1u); /* sequentially consistent */
}

static void nothing(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	(void)x;
	(void)w;
	(void)in;
	(void)mask;
}

static enum bc_status find_label(struct bc_ptx_decoder *d, const struct bc_ptx_operand *o, bool targets, uint32_t *out)
{
	const int32_t i = o && o->kind == BC_PTX_O_NAME ? bc_ptx_label_find(d->e, o->scope, o->text) : -1;

	if (i < 0 || ((i & BC_PTX_TARGETS_BIT) != 0) != targets)
		return bc_ptx_refuse(d, targets ? "the list of branch targets is not defined"
						: "the label is not defined");
	*out = (uint32_t)(i & ~BC_PTX_TARGETS_BIT);
	return BC_OK;
}

static enum bc_status decode_branch(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	uint32_t label = 0;
	enum bc_status st = bc_ptx_noperands(d, 1, 1);

	(void)bc_ptx_take_modifier(d, "uni");
	if (!bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	in->flow = BC_PTX_F_BRANCH;
	if (!st)
		st = find_label(d, bc_ptx_operand_at(d, 0), false, &label);
	if (!st)
		in->target = d->e->label[label].stmt;
	return st;
}

static enum bc_status decode_indexed(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	uint32_t index = 0;
	enum bc_status st = bc_ptx_noperands(d, 2, 2);

	if (!bc_ptx_take_modifier(d, "idx"))
		return bc_ptx_unknown(d);
	(void)bc_ptx_take_modifier(d, "uni");
	if (!bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	in->flow = BC_PTX_F_INDEXED;
	in->list = (uint32_t)d->k->nlist;
	if (!st)
		st = bc_ptx_src(d, 0, BC_PTX_U32, false, &in->src[0]);
	if (!st)
		st = find_label(d, bc_ptx_operand_at(d, 1), true, &index);
	if (st)
		return st;
	in->nlist = d->e->targets[index].count;
	for (uint32_t i = 0; i < in->nlist && !st; i++) {
		uint32_t label = 0;

		st = find_label(d, &d->e->operand[d->e->targets[index].first + i], false, &label);
		if (!st)
			st = bc_ptx_list_add(d, d->e->label[label].stmt);
	}
	return st;
}

/* membar.{cta,gl,sys}, fence{.sem}.{cta,cluster,gpu,sys}, *.proxy.alias, *.proxy.async{.space} */
static enum bc_status decode_fence(struct bc_ptx_decoder *d)
{
	static const char *const sems[] = { "sc", "acq_rel", "acquire", "release" };
	static const char *const scopes[] = { "cta", "cluster", "gpu", "gl", "sys" };
	static const char *const spaces[] = { "global", "shared::cta", "shared::cluster" };
	bool scope = false;

	d->in->exec = fence;
	if (bc_ptx_take_modifier(d, "proxy")) {
		scope = bc_ptx_take_modifier(d, "alias");
		if (!scope && bc_ptx_take_modifier(d, "async")) {
			scope = true;
			for (size_t i = 0; i < BC_ARRAY_LEN(spaces); i++)
				if (bc_ptx_take_modifier(d, spaces[i]))
					break;
		}
	} else {
		for (size_t i = 0; i < BC_ARRAY_LEN(sems); i++)
			if (bc_ptx_take_modifier(d, sems[i]))
				break;
		for (size_t i = 0; i < BC_ARRAY_LEN(scopes) && !scope; i++)
			scope = bc_ptx_take_modifier(d, scopes[i]);
	}
	return scope && bc_ptx_modifiers_done(d) ? bc_ptx_noperands(d, 0, 0) : bc_ptx_unknown(d);
}

static enum bc_status decode_bare(struct bc_ptx_decoder *d, enum bc_ptx_flow flow)
{
	d->in->flow = (uint8_t)flow;
	(void)bc_ptx_take_modifier(d, "uni");
	return bc_ptx_modifiers_done(d) ? bc_ptx_noperands(d, 0, 0) : bc_ptx_unknown(d);
}

static enum bc_status decode_sleep(struct bc_ptx_decoder *d)
{
	enum bc_status st = bc_ptx_noperands(d, 1, 1);

	d->in->flow = BC_PTX_F_YIELD;
	if (bc_ptx_take_type(d) != BC_PTX_U32 || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	return st ? st : bc_ptx_src(d, 0, BC_PTX_U32, false, &d->in->src[0]);
}

enum bc_status bc_ptx_decode_control(struct bc_ptx_decoder *d)
{
	const struct bc_ptx_slice name = d->mod[0];

	if (bc_ptx_slice_is(name, "bra"))
		return decode_branch(d);
	if (bc_ptx_slice_is(name, "brx"))
		return decode_indexed(d);
	if (bc_ptx_slice_is(name, "exit") || bc_ptx_slice_is(name, "ret"))
		return decode_bare(d, BC_PTX_F_EXIT);
	if (bc_ptx_slice_is(name, "trap"))
		return decode_bare(d, BC_PTX_F_TRAP);
	if (bc_ptx_slice_is(name, "nanosleep"))
		return decode_sleep(d);
	if (bc_ptx_slice_is(name, "membar") || bc_ptx_slice_is(name, "fence"))
		return decode_fence(d);
	/* prefetch, prefetchu, pmevent: hints without effect on results. */
	d->in->exec = nothing;
	return BC_OK;
}
