/* SPDX-License-Identifier: MIT */
/* Every access of every lane is checked here: where it points, and whether it may. */
#include "harness/device/reference/ptx_cluster.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const space_names[] = {
	[BC_PTX_GLOBAL] = "global", [BC_PTX_SHARED] = "shared", [BC_PTX_LOCAL] = "local",
	[BC_PTX_CONST] = "const",   [BC_PTX_PARAM] = "param",	[BC_PTX_GENERIC] = "generic",
};

static const char *const fault_names[] = {
	[BC_PTX_UNMAPPED] = "unmapped address",
	[BC_PTX_OUT_OF_BOUNDS] = "out of bounds",
	[BC_PTX_MISALIGNED] = "misaligned address",
	[BC_PTX_SHARED_LIMIT] = "outside the block's shared memory",
	[BC_PTX_READ_ONLY] = "write to read-only memory",
	[BC_PTX_UNWRITTEN] = "read of shared memory never written",
	[BC_PTX_RACE] = "race",
};

static void stop(struct bc_ptx_run *x, const struct bc_ptx_block *b)
{
	if (x->failed)
		return;
	x->failed = true;
	x->error_block = b->linear;
}

void bc_ptx_fail_at(struct bc_ptx_run *x, const struct bc_ptx_block *b, const struct bc_ptx_insn *in, const char *fmt,
		    ...)
{
	char what[400];
	va_list ap;

	if (x->failed)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	stop(x, b);
	(void)bc_fail(&x->error, BC_EDEVICE, "%s: kernel %s, %s:%u, block (%u,%u,%u)", what, x->k->entry->cname,
		      x->k->module->path, in->line, b->id[0], b->id[1], b->id[2]);
}

static bool seen_before(struct bc_ptx_run *x, uint64_t block, enum bc_ptx_fault_kind kind, unsigned line)
{
	for (size_t i = 0; i < x->nseen; i++)
		if (x->seen[i].block == block && x->seen[i].kind == (uint8_t)kind && x->seen[i].line == line)
			return true;
	if (x->nseen == BC_ARRAY_LEN(x->seen))
		return true;
	x->seen[x->nseen++] = (struct bc_ptx_seen){ .block = block, .kind = (uint8_t)kind, .line = line };
	return false;
}

static void thread_of(const struct bc_ptx_run *x, uint32_t linear, uint32_t out[3])
{
	const uint32_t *n = x->g->l->block;

	out[0] = linear % n[0];
	out[1] = linear / n[0] % n[1];
	out[2] = linear / n[0] / n[1];
}

static void describe(const struct bc_ptx_run *x, struct bc_ptx_finding *f, const char *detail)
{
	char other[160] = "";

	if (f->kind == BC_PTX_RACE) {
		uint32_t t[3];

		thread_of(x, f->other_thread, t);
		(void)snprintf(other, sizeof(other), ", with line %u of thread (%u,%u,%u)", f->other_line, t[0], t[1],
			       t[2]);
	}
	(void)snprintf(f->text, sizeof(f->text),
		       "%s: kernel %s, %s:%u, block (%u,%u,%u), thread (%u,%u,%u), lane %u: "
		       "%u-byte %s at %s address 0x%llx%s%s%s",
		       fault_names[f->kind], x->k->entry->cname, x->k->module->path, f->line, f->block[0], f->block[1],
		       f->block[2], f->thread[0], f->thread[1], f->thread[2], f->lane, f->bytes,
		       f->write ? "write" : "read", space_names[f->space], (unsigned long long)f->address, other,
		       detail ? ", " : "", detail ? detail : "");
}

void bc_ptx_add_finding(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
			const struct bc_ptx_where_at *at)
{
	const struct bc_ptx_block *b = w->b;
	const bool stops = at->kind != BC_PTX_UNWRITTEN && at->kind != BC_PTX_RACE;
	struct bc_ptx_finding f = {
		.kind = at->kind,
		.space = at->space,
		.write = at->write,
		.line = in->line,
		.other_line = at->other_line,
		.other_thread = at->other_thread,
		.lane = at->lane,
		.bytes = at->bytes,
		.address = at->addr,
		.block = { b->id[0], b->id[1], b->id[2] },
	};

	if (x->failed || seen_before(x, b->linear, at->kind, in->line))
		return;
	thread_of(x, w->index * BC_LANES + at->lane, f.thread);
	describe(x, &f, at->detail);
	x->findings++;
	if (x->nfinding < BC_PTX_FINDINGS_MAX) {
		x->finding_block[x->nfinding] = b->linear;
		x->finding[x->nfinding++] = f;
	}
	if (stops) {
		stop(x, b);
		(void)bc_fail(&x->error, BC_EDEVICE, "%s", f.text);
	}
}

/* A finding about a whole access; always NULL, for the caller to return. */
static unsigned char *add_bad_access(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				     enum bc_ptx_fault_kind kind, enum bc_ptx_space space, uint32_t lane, uint64_t addr,
				     uint32_t bytes, bool write, const char *detail)
{
	const struct bc_ptx_where_at at = { .kind = kind,
					    .space = space,
					    .lane = lane,
					    .addr = addr,
					    .bytes = bytes,
					    .write = write,
					    .detail = detail };

	bc_ptx_add_finding(x, w, in, &at);
	return NULL;
}

/* The memory that the current access reaches. */
static const struct bc_ptx_shared *reached(const struct bc_ptx_run *x, const struct bc_ptx_warp *w)
{
	return x->remote ? x->remote : w->b->shared;
}

unsigned char *bc_ptx_shared_at(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				uint32_t lane, uint64_t addr, uint32_t bytes, uint32_t align, bool write)
{
	const struct bc_ptx_shared *s = reached(x, w);
	char detail[96];

	if (addr < s->base || addr - s->base > s->bytes || bytes > s->bytes - (addr - s->base)) {
		(void)snprintf(detail, sizeof(detail), "the block has 0x%x..0x%x", s->base, s->base + s->bytes);
		return add_bad_access(x, w, in, BC_PTX_SHARED_LIMIT, BC_PTX_SHARED, lane, addr, bytes, write, detail);
	}
	if ((addr & (align - 1)) != 0)
		return add_bad_access(x, w, in, BC_PTX_MISALIGNED, BC_PTX_SHARED, lane, addr, bytes, write, NULL);
	return s->data + (addr - s->base);
}

/* Nothing is mapped at all of @addr's bytes: say how it lies to the allocation below. */
static unsigned char *outside(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
			      uint64_t addr, uint32_t bytes, bool write, const struct bc_ptx_map_entry *below)
{
	char detail[120];

	if (!below || addr - below->addr >= below->bytes + 4096)
		return add_bad_access(x, w, in, BC_PTX_UNMAPPED, BC_PTX_GLOBAL, lane, addr, bytes, write, NULL);
	(void)snprintf(detail, sizeof(detail), "%llu bytes into an allocation of %llu at 0x%llx",
		       (unsigned long long)(addr - below->addr), (unsigned long long)below->bytes,
		       (unsigned long long)below->addr);
	return add_bad_access(x, w, in, BC_PTX_OUT_OF_BOUNDS, BC_PTX_GLOBAL, lane, addr, bytes, write, detail);
}

unsigned char *bc_ptx_global_at(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				uint32_t lane, uint64_t addr, uint32_t bytes, uint32_t align, bool write)
{
	const struct bc_ptx_map_entry *below = NULL;
	const struct bc_ptx_map_entry *e = bc_ptx_mem_find(x->g->mem, addr, x->last_map, &below);

	if (!e)
		return outside(x, w, in, lane, addr, bytes, write, below);
	if (bytes > e->bytes - (addr - e->addr))
		return outside(x, w, in, lane, addr, bytes, write, e);
	if ((addr & (align - 1)) != 0)
		return add_bad_access(x, w, in, BC_PTX_MISALIGNED, BC_PTX_GLOBAL, lane, addr, bytes, write, NULL);
	if (write && e->constant)
		return add_bad_access(x, w, in, BC_PTX_READ_ONLY, BC_PTX_CONST, lane, addr, bytes, write, NULL);
	x->last_map = e;
	return e->data + (addr - e->addr);
}

const unsigned char *bc_ptx_const_at(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				     uint32_t lane, uint64_t addr, uint32_t bytes, uint32_t align)
{
	const struct bc_ptx_map_entry *e = bc_ptx_mem_find(x->g->mem, addr, x->last_map, NULL);

	if (!e || !e->constant)
		return add_bad_access(x, w, in, BC_PTX_UNMAPPED, BC_PTX_CONST, lane, addr, bytes, false, NULL);
	if (bytes > e->bytes - (addr - e->addr))
		return add_bad_access(x, w, in, BC_PTX_OUT_OF_BOUNDS, BC_PTX_CONST, lane, addr, bytes, false, NULL);
	if ((addr & (align - 1)) != 0)
		return add_bad_access(x, w, in, BC_PTX_MISALIGNED, BC_PTX_CONST, lane, addr, bytes, false, NULL);
	return e->data + (addr - e->addr);
}

unsigned char *bc_ptx_local_at(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
			       uint64_t addr, uint32_t bytes, uint32_t align, bool write)
{
	const uint32_t size = x->k->local_bytes;

	if (addr < BC_PTX_LOCAL_BASE || addr - BC_PTX_LOCAL_BASE > size || bytes > size - (addr - BC_PTX_LOCAL_BASE))
		return add_bad_access(x, w, in, BC_PTX_OUT_OF_BOUNDS, BC_PTX_LOCAL, lane, addr, bytes, write, NULL);
	if ((addr & (align - 1)) != 0)
		return add_bad_access(x, w, in, BC_PTX_MISALIGNED, BC_PTX_LOCAL, lane, addr, bytes, write, NULL);
	return w->local + (size_t)lane * size + (addr - BC_PTX_LOCAL_BASE);
}

const unsigned char *bc_ptx_param_at(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				     uint32_t lane, uint64_t addr, uint32_t bytes, uint32_t align)
{
	const uint64_t size = x->k->entry->params_bytes;

	if (addr < BC_PTX_PARAM_WINDOW || addr - BC_PTX_PARAM_WINDOW > size ||
	    bytes > size - (addr - BC_PTX_PARAM_WINDOW))
		return add_bad_access(x, w, in, BC_PTX_OUT_OF_BOUNDS, BC_PTX_PARAM, lane, addr, bytes, false, NULL);
	if ((addr & (align - 1)) != 0)
		return add_bad_access(x, w, in, BC_PTX_MISALIGNED, BC_PTX_PARAM, lane, addr, bytes, false, NULL);
	return (const unsigned char *)x->g->l->params + (addr - BC_PTX_PARAM_WINDOW);
}

enum bc_ptx_space bc_ptx_space_of(struct bc_ptx_run *x, uint64_t addr)
{
	const struct bc_ptx_map_entry *e;

	if (addr - BC_PTX_SHARED_WINDOW < BC_PTX_WINDOW_BYTES * (x->g->ranks > 1 ? x->g->ranks + 1 : 1))
		return BC_PTX_SHARED;
	if (addr - BC_PTX_LOCAL_WINDOW < BC_PTX_WINDOW_BYTES)
		return BC_PTX_LOCAL;
	if (addr - BC_PTX_PARAM_WINDOW < BC_PTX_WINDOW_BYTES)
		return BC_PTX_PARAM;
	e = bc_ptx_mem_find(x->g->mem, addr, x->last_map, NULL);
	return e && e->constant ? BC_PTX_CONST : BC_PTX_GLOBAL;
}

void bc_ptx_shared_race(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
			uint64_t addr, uint32_t bytes, uint32_t enable, bool write, bool atomic)
{
	const struct bc_ptx_shared *s = reached(x, w);
	const uint32_t thread = w->index * BC_LANES + lane;
	const uint64_t when = w->clock << 5 | w->index;

	if (bytes == 4 && !atomic && (enable & 15u) == 15u &&
	    bc_ptx_race_word(s->race, (uint32_t)(addr - s->base), thread, in->stmt, when, write, x->g->l->multi_writer))
		return;
	for (uint32_t i = 0; i < bytes; i++) {
		struct bc_ptx_race_hit hit;

		if (!(enable >> i & 1) || !bc_ptx_race_access(s->race, (uint32_t)(addr - s->base) + i, thread, in->stmt,
							      when, write, atomic, x->g->l->multi_writer, &hit))
			continue;
		const struct bc_ptx_where_at at = {
			.kind = BC_PTX_RACE,
			.space = BC_PTX_SHARED,
			.lane = lane,
			.addr = addr + i,
			.bytes = bytes,
			.write = write,
			.other_line = x->k->code[hit.stmt].line,
			.other_thread = hit.thread,
			.detail = hit.same_instruction ? "in one instruction" : NULL,
		};
		bc_ptx_add_finding(x, w, in, &at);
		return;
	}
}

void bc_ptx_shared_read(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
			uint64_t addr, uint32_t bytes, bool atomic)
{
	const struct bc_ptx_shared *s = reached(x, w);
	const unsigned char *written = s->written + (addr - s->base);
	const unsigned char *hole = memchr(written, 0, bytes);

	if (hole && !x->g->l->reads_unwritten) {
		const struct bc_ptx_where_at at = { .kind = BC_PTX_UNWRITTEN,
						    .space = BC_PTX_SHARED,
						    .lane = lane,
						    .addr = addr + (uint64_t)(hole - written),
						    .bytes = bytes };

		bc_ptx_add_finding(x, w, in, &at);
	}
	if (s->touch && !atomic)
		bc_ptx_cluster_touch(x, w, in, lane, addr, bytes, false, false);
	if (s->race && !atomic && !x->remote) /* the write that follows is checked */
		bc_ptx_shared_race(x, w, in, lane, addr, bytes, UINT32_MAX, false, false);
}

void bc_ptx_shared_write(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
			 uint64_t addr, uint32_t bytes, uint32_t enable, bool atomic)
{
	const struct bc_ptx_shared *s = reached(x, w);
	unsigned char *written = s->written + (addr - s->base);

	if (bytes < 32 && (enable & ((1u << bytes) - 1)) == (1u << bytes) - 1) {
		memset(written, 1, bytes);
	} else {
		for (uint32_t i = 0; i < bytes; i++)
			if (enable >> i & 1)
				written[i] = 1;
	}
	if (s->touch)
		bc_ptx_cluster_touch(x, w, in, lane, addr, bytes, true, atomic);
	if (s->race && !x->remote)
		bc_ptx_shared_race(x, w, in, lane, addr, bytes, enable, true, atomic);
}

/* The bytes that @enable names of what a lane stores. */
static void put_bytes(unsigned char *p, const unsigned char *data, uint32_t bytes, uint32_t enable)
{
	const uint32_t all = bytes >= 32 ? UINT32_MAX : (UINT32_C(1) << bytes) - 1;

	if ((enable & all) == all) {
		memcpy(p, data, bytes);
		return;
	}
	for (uint32_t i = 0; i < bytes; i++)
		if (enable >> i & 1)
			p[i] = data[i];
}

void bc_ptx_shared_put(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
		       uint64_t addr, uint32_t bytes, uint32_t enable)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	const struct bc_ptx_shared *s = reached(x, w);
	const uint64_t at = addr - s->base, also = h && h->also_at ? at + h->also_at : s->bytes;

	bc_ptx_shared_write(x, w, in, lane, addr, bytes, enable, false);
	put_bytes(s->data + at, x->data[lane], bytes, enable);
	if (also < s->bytes && bytes <= s->bytes - also)
		put_bytes(s->data + also, x->data[lane], bytes, enable);
}
