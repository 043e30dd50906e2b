/* SPDX-License-Identifier: MIT */
/* Counters of memory instructions, and what hooks are told of them. */
#include "harness/device/reference/ptx_exec.h"

#include <stdlib.h>
#include <string.h>

#define SECTOR_BYTES 32
#define LINE_SECTORS 4

enum bc_op bc_ptx_access_op(uint32_t bytes, bool store, bool generic)
{
	static const struct {
		uint32_t bytes;
		enum bc_op op[2][2]; /* by generic, by store */
	} ops[] = {
		{ 1, { { BC_OP_LD8, BC_OP_ST8 }, { BC_OP_LD8, BC_OP_ST8 } } },
		{ 2, { { BC_OP_LD16, BC_OP_ST16 }, { BC_OP_LD16, BC_OP_ST16 } } },
		{ 4, { { BC_OP_LD32, BC_OP_ST32 }, { BC_OP_GLD32, BC_OP_GST32 } } },
		{ 8, { { BC_OP_LD64, BC_OP_ST64 }, { BC_OP_GLD64, BC_OP_GST64 } } },
		{ 16, { { BC_OP_LD128, BC_OP_ST128 }, { BC_OP_GLD128, BC_OP_GST128 } } },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(ops); i++)
		if (ops[i].bytes == bytes)
			return ops[i].op[generic][store];
	return BC_OP_NONE;
}

/* bc_banks_count, or what it said of the same request of this statement the last time. */
static enum bc_status count_banks(struct bc_ptx_run *x, const struct bc_ptx_insn *in, enum bc_op op,
				  const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *n,
				  struct bc_error *err)
{
	struct bc_ptx_counted *c = &x->counted[in->stmt % BC_PTX_COUNTED];
	enum bc_status st;

	if (c->valid && c->op == op && c->mask == mask && memcmp(c->addr, addr, sizeof(c->addr)) == 0) {
		*n = c->n;
		return BC_OK;
	}
	st = bc_banks_count(&x->g->geometry, op, addr, mask, n, err);
	c->valid = !st;
	c->op = op;
	c->mask = mask;
	c->n = *n;
	memcpy(c->addr, addr, sizeof(c->addr));
	return st;
}

void bc_ptx_count_shared(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, enum bc_op op,
			 const uint64_t addr[BC_LANES], uint32_t mask)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	const uint32_t align = ~(uint32_t)(bc_op_info(op)->bytes - 1);
	struct bc_wavefronts n = { 0 };
	struct bc_error err = { 0 };
	uint32_t a[BC_LANES];
	enum bc_status st;

	if (x->remote && !(h && h->cluster & BC_PTX_CLUSTER_COUNTED))
		return;
	if (op == BC_OP_NONE || bc_op_info(op)->law == BC_LAW_UNKNOWN)
		return;
	for (unsigned l = 0; l < BC_LANES; l++)
		a[l] = (uint32_t)addr[l] & align;
	if (h && h->count)
		st = h->count(h->ctx, &x->g->geometry, op, a, mask, &n, &err);
	else
		st = count_banks(x, in, op, a, mask, &n, &err);
	if (!st && h && h->serve) {
		struct bc_ptx_access at =
			bc_ptx_access_of(x, w, in, BC_PTX_LOAD, BC_PTX_SHARED, bc_op_info(op)->bytes, mask, addr);

		at.op = op;
		w->b->serial--; /* the same instruction is told of once more, with its data */
		h->serve(h->ctx, &at, &n);
	}
	if (st) {
		bc_ptx_fail_at(x, w->b, in, "the bank laws do not apply: %s", err.msg);
		return;
	}
	x->served.wavefronts += n.wavefronts;
	x->served.groups += n.groups;
	switch (bc_op_info(op)->cls) {
	case BC_CLASS_LD:
		x->counts.ld_wavefronts += n.wavefronts;
		x->counts.ld_conflicts += n.conflicts;
		break;
	case BC_CLASS_ST:
		x->counts.st_wavefronts += n.wavefronts;
		x->counts.st_conflicts += n.conflicts;
		break;
	case BC_CLASS_ATOM:
		x->counts.atom_wavefronts += n.wavefronts;
		x->counts.atom_conflicts += n.conflicts;
		break;
	case BC_CLASS_LDGSTS: x->counts.ldgsts_conflicts += n.conflicts; break;
	default: break;
	}
}

void bc_ptx_count_global(struct bc_ptx_run *x, const uint64_t addr[BC_LANES], uint32_t bytes, uint32_t mask, bool store)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	const unsigned unit = h && h->whole_lines ? LINE_SECTORS : 1; /* sectors that come together */
	uint64_t sector[BC_LANES];
	unsigned n = 0;

	/* An aligned access of at most 32 bytes lies in one sector. */
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const uint64_t s = addr[__builtin_ctz(m)] / (SECTOR_BYTES * unit);
		unsigned i = n;

		while (i > 0 && sector[i - 1] != s)
			i--;
		if (i == 0)
			sector[n++] = s;
	}
	n *= unit;
	if (h && h->by_words && bytes > 4)
		n *= bytes / 4;
	if (store) {
		x->counts.global_st_requests++;
		x->counts.global_st_sectors += n;
	} else {
		x->served.global = true;
		x->counts.global_ld_requests++;
		x->counts.global_ld_sectors += n;
	}
}

bool bc_ptx_counts_request(const struct bc_ptx_run *x, const struct bc_ptx_insn *in)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;

	if (in->space != BC_PTX_SHARED)
		return false;
	return (!(in->flags & BC_PTX_FL_CLUSTER) && !x->remote) || (h && h->cluster & BC_PTX_CLUSTER_COUNTED);
}

struct bc_ptx_access bc_ptx_access_of(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				      enum bc_ptx_kind kind, enum bc_ptx_space space, uint32_t bytes, uint32_t mask,
				      const uint64_t addr[BC_LANES])
{
	const struct bc_ptx_shared *s = x->remote ? x->remote : w->b->shared;

	return (struct bc_ptx_access){
		.kind = kind,
		.space = space,
		.generic = in->space == BC_PTX_GENERIC,
		.bytes = bytes,
		.mask = mask,
		.addr = addr,
		.kernel = x->k->entry->cname,
		.line = in->line,
		.block = w->b->linear,
		.warp = w->index,
		.sm = w->b->sm,
		.time = x->g->timing ? w->time.issue : w->clock,
		.shared = s->data,
		.shared_base = s->base,
		.shared_bytes = s->bytes,
		.serial = w->b->serial++,
	};
}
