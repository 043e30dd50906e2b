/* SPDX-License-Identifier: MIT */
/* Where an entry's variables lie, and which special registers it reads. */
#include "harness/device/reference/ptx_exec.h"

#include <string.h>

static const struct {
	const char *name;
	uint8_t special;
	uint8_t widths; /* 4 and 8 or-ed */
} specials[] = {
	{ "%tid.x", BC_PTX_SR_TID_X, 4 },
	{ "%tid.y", BC_PTX_SR_TID_Y, 4 },
	{ "%tid.z", BC_PTX_SR_TID_Z, 4 },
	{ "%ntid.x", BC_PTX_SR_NTID_X, 4 },
	{ "%ntid.y", BC_PTX_SR_NTID_Y, 4 },
	{ "%ntid.z", BC_PTX_SR_NTID_Z, 4 },
	{ "%ctaid.x", BC_PTX_SR_CTAID_X, 4 },
	{ "%ctaid.y", BC_PTX_SR_CTAID_Y, 4 },
	{ "%ctaid.z", BC_PTX_SR_CTAID_Z, 4 },
	{ "%nctaid.x", BC_PTX_SR_NCTAID_X, 4 },
	{ "%nctaid.y", BC_PTX_SR_NCTAID_Y, 4 },
	{ "%nctaid.z", BC_PTX_SR_NCTAID_Z, 4 },
	{ "%laneid", BC_PTX_SR_LANEID, 4 },
	{ "%warpid", BC_PTX_SR_WARPID, 4 },
	{ "%nwarpid", BC_PTX_SR_NWARPID, 4 },
	{ "%smid", BC_PTX_SR_SMID, 4 },
	{ "%nsmid", BC_PTX_SR_NSMID, 4 },
	{ "%gridid", BC_PTX_SR_GRIDID, 4 | 8 },
	{ "%lanemask_eq", BC_PTX_SR_LANEMASK_EQ, 4 },
	{ "%lanemask_le", BC_PTX_SR_LANEMASK_LE, 4 },
	{ "%lanemask_lt", BC_PTX_SR_LANEMASK_LT, 4 },
	{ "%lanemask_ge", BC_PTX_SR_LANEMASK_GE, 4 },
	{ "%lanemask_gt", BC_PTX_SR_LANEMASK_GT, 4 },
	{ "%clock", BC_PTX_SR_CLOCK, 4 },
	{ "%clock_hi", BC_PTX_SR_CLOCK_HI, 4 },
	{ "%clock64", BC_PTX_SR_CLOCK64, 8 },
	{ "%globaltimer", BC_PTX_SR_GLOBALTIMER, 8 },
	{ "%globaltimer_lo", BC_PTX_SR_GLOBALTIMER_LO, 4 },
	{ "%globaltimer_hi", BC_PTX_SR_GLOBALTIMER_HI, 4 },
	{ "%dynamic_smem_size", BC_PTX_SR_DYNAMIC_SMEM_SIZE, 4 },
	{ "%total_smem_size", BC_PTX_SR_TOTAL_SMEM_SIZE, 4 },
	{ "%clusterid.x", BC_PTX_SR_CLUSTERID_X, 4 },
	{ "%clusterid.y", BC_PTX_SR_CLUSTERID_X + 1, 4 },
	{ "%clusterid.z", BC_PTX_SR_CLUSTERID_X + 2, 4 },
	{ "%nclusterid.x", BC_PTX_SR_NCLUSTERID_X, 4 },
	{ "%nclusterid.y", BC_PTX_SR_NCLUSTERID_X + 1, 4 },
	{ "%nclusterid.z", BC_PTX_SR_NCLUSTERID_X + 2, 4 },
	{ "%cluster_ctaid.x", BC_PTX_SR_CLUSTER_CTAID_X, 4 },
	{ "%cluster_ctaid.y", BC_PTX_SR_CLUSTER_CTAID_X + 1, 4 },
	{ "%cluster_ctaid.z", BC_PTX_SR_CLUSTER_CTAID_X + 2, 4 },
	{ "%cluster_nctaid.x", BC_PTX_SR_CLUSTER_NCTAID_X, 4 },
	{ "%cluster_nctaid.y", BC_PTX_SR_CLUSTER_NCTAID_X + 1, 4 },
	{ "%cluster_nctaid.z", BC_PTX_SR_CLUSTER_NCTAID_X + 2, 4 },
	{ "%cluster_ctarank", BC_PTX_SR_CLUSTER_CTARANK, 4 },
	{ "%cluster_nctarank", BC_PTX_SR_CLUSTER_NCTARANK, 4 },
};

int bc_ptx_special_find(struct bc_ptx_slice name, unsigned *bytes)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(specials); i++) {
		if (!bc_ptx_slice_is(name, specials[i].name))
			continue;
		*bytes = specials[i].widths;
		return specials[i].special;
	}
	return -1;
}

bool bc_ptx_special_moves(int special)
{
	return special >= BC_PTX_SR_CLOCK && special <= BC_PTX_SR_GLOBALTIMER_HI;
}

static void place_local(struct bc_ptx_decoder *d, int32_t index, uint64_t *end)
{
	const struct bc_ptx_var *v = &d->k->module->var[index];

	*end = (*end + v->align - 1) / v->align * v->align;
	d->k->var_addr[index] = *end;
	*end += v->bytes;
}

/* Static shared variables that the entry names, in order of declaration, then the dynamic ones at one place. */
static enum bc_status place_shared(struct bc_ptx_decoder *d, const unsigned char *used)
{
	struct bc_ptx_kernel *k = d->k;
	const uint64_t base = k->arch.window_base;
	uint64_t end = base;
	uint32_t align = 1;

	for (size_t i = 0; i < k->module->nvar; i++) {
		const struct bc_ptx_var *v = &k->module->var[i];

		if (v->where != BC_PTX_V_SHARED || !used[i])
			continue;
		if (v->is_extern)
			align = v->align > align ? v->align : align;
		else
			place_local(d, (int32_t)i, &end);
		if (end - base > BC_PTX_SHARED_MAX)
			return bc_fail(d->err, BC_EDATA, "%s:%u: kernel %s: more than %u bytes of shared memory",
				       k->module->path, v->line, d->e->cname, BC_PTX_SHARED_MAX);
	}
	k->static_bytes = (uint32_t)(end - base);
	end = (end + align - 1) / align * align;
	k->dynamic_offset = (uint32_t)(end - base);
	for (size_t i = 0; i < k->module->nvar; i++) {
		const struct bc_ptx_var *v = &k->module->var[i];

		if (v->where == BC_PTX_V_SHARED && used[i] && v->is_extern)
			k->var_addr[i] = end;
	}
	return BC_OK;
}

static enum bc_status place_variables(struct bc_ptx_decoder *d, const unsigned char *used)
{
	struct bc_ptx_kernel *k = d->k;
	const struct bc_ptx_entry *e = d->e;
	uint64_t end = BC_PTX_LOCAL_BASE;

	for (size_t i = 0; i < k->module->nvar; i++)
		k->var_addr[i] = k->image->addr[i];
	for (uint32_t i = 0; i < e->nparams; i++)
		k->var_addr[e->first_param + i] = BC_PTX_PARAM_WINDOW + k->module->var[e->first_param + i].offset;
	for (uint32_t i = e->first_var; i < e->first_var + e->nvars; i++)
		if (k->module->var[i].where == BC_PTX_V_LOCAL)
			place_local(d, (int32_t)i, &end);
	if (end - BC_PTX_LOCAL_BASE > BC_PTX_LOCAL_MAX)
		return bc_fail(d->err, BC_EDATA, "%s:%u: kernel %s: more than %u bytes of local memory a thread",
			       k->module->path, e->line, e->cname, BC_PTX_LOCAL_MAX);
	k->local_bytes = (uint32_t)(end - BC_PTX_LOCAL_BASE);
	return place_shared(d, used);
}

/* A column for each special register that is read. */
static void place_specials(struct bc_ptx_decoder *d)
{
	for (size_t i = 0; i < d->e->noperand; i++) {
		unsigned bytes;
		int special = -1;

		if (d->e->operand[i].kind == BC_PTX_O_SPECIAL)
			special = bc_ptx_special_find(d->e->operand[i].text, &bytes);
		if (special >= 0 && d->k->special[special] == 0)
			d->k->special[special] = d->k->nslots++ * BC_LANES;
	}
}

enum bc_status bc_ptx_layout(struct bc_ptx_decoder *d, unsigned char *used)
{
	for (size_t i = 0; i < d->e->noperand; i++)
		if (d->e->operand[i].var >= 0)
			used[d->e->operand[i].var] = 1;
	place_specials(d);
	return place_variables(d, used);
}
