/* SPDX-License-Identifier: MIT */
#include "harness/kernel/tally.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR_BYTES 32

struct cell {
	struct bc_kernel_count n;
	struct cell *next; /* of the same line */
};

/* What one host thread saw. */
struct part {
	struct cell **line; /* [lines + 1] */
	struct bc_error failed;
	bool out_of_memory;
};

struct bc_kernel_tally {
	struct bc_ptx_hooks hooks;
	struct bc_geometry geometry;
	size_t lines;
	struct part *part; /* [nparts] */
	unsigned nparts, taken;
	pthread_mutex_t lock;
};

/* The part of this thread in the tally that it last worked for. */
static _Thread_local const struct bc_kernel_tally *my_tally;
static _Thread_local struct part *my_part;

static struct part *part_of(struct bc_kernel_tally *t)
{
	if (my_tally == t)
		return my_part;
	(void)pthread_mutex_lock(&t->lock);
	my_part = t->taken < t->nparts ? &t->part[t->taken++] : NULL;
	(void)pthread_mutex_unlock(&t->lock);
	my_tally = my_part ? t : NULL;
	return my_part;
}

static struct cell *cell_of(struct bc_kernel_tally *t, struct part *p, const struct bc_ptx_access *a)
{
	struct cell **at = &p->line[a->line <= t->lines ? a->line : 0];

	for (; *at; at = &(*at)->next) {
		const struct bc_kernel_count *n = &(*at)->n;

		if (n->kind == a->kind && n->space == a->space && n->op == a->op && n->bytes == a->bytes)
			return *at;
	}
	*at = calloc(1, sizeof(**at));
	if (!*at) {
		p->out_of_memory = true;
		return NULL;
	}
	(*at)->n = (struct bc_kernel_count){
		.ptx_line = a->line, .kind = a->kind, .space = a->space, .op = a->op, .bytes = a->bytes
	};
	return *at;
}

static uint32_t sectors_of(const struct bc_ptx_access *a)
{
	uint64_t seen[2 * BC_LANES];
	uint32_t n = 0;

	for (uint32_t m = a->mask; m; m &= m - 1) {
		const uint64_t first = a->addr[__builtin_ctz(m)] / SECTOR_BYTES;
		const uint64_t last = (a->addr[__builtin_ctz(m)] + a->bytes - 1) / SECTOR_BYTES;

		for (uint64_t s = first; s <= last && n < BC_ARRAY_LEN(seen); s++) {
			uint32_t i = n;

			while (i > 0 && seen[i - 1] != s)
				i--;
			if (!i)
				seen[n++] = s;
		}
	}
	return n;
}

/* Is @lost, of block @block and warp @warp, to be shown rather than what is shown? */
static bool is_worse(const struct bc_kernel_worst *w, uint32_t lost, uint64_t block, uint32_t warp)
{
	if (w->mask == 0 || lost != w->lost)
		return w->mask == 0 || lost > w->lost;
	return block != w->block ? block < w->block : warp < w->warp;
}

static void note(struct bc_kernel_count *n, const struct bc_ptx_access *a, uint32_t wavefronts, uint32_t ideal)
{
	const uint32_t lost = wavefronts > ideal ? wavefronts - ideal : 0;
	struct bc_kernel_worst *w = &n->worst;

	if (!is_worse(w, lost, a->block, a->warp))
		return;
	*w = (struct bc_kernel_worst){ .lost = lost,
				       .wavefronts = wavefronts,
				       .ideal = ideal,
				       .block = a->block,
				       .warp = a->warp,
				       .mask = a->mask };
	memcpy(w->addr, a->addr, sizeof(w->addr));
}

static void look(struct bc_kernel_tally *t, const struct bc_ptx_access *a)
{
	struct part *p = part_of(t);
	struct bc_wavefronts w = { 0 };
	uint32_t addr[BC_LANES];
	struct cell *c;

	if (!p || !a->mask || (a->space != BC_PTX_SHARED && a->space != BC_PTX_GLOBAL))
		return;
	c = cell_of(t, p, a);
	if (!c)
		return;
	c->n.requests++;
	c->n.lanes += (unsigned)__builtin_popcount(a->mask);
	if (a->space == BC_PTX_GLOBAL) {
		const uint32_t bytes = (uint32_t)__builtin_popcount(a->mask) * a->bytes;
		const uint32_t sectors = sectors_of(a), ideal = (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;

		c->n.sectors += sectors;
		c->n.ideal_sectors += ideal < sectors ? ideal : sectors; /* lanes that share bytes need fewer */
		note(&c->n, a, sectors, ideal);
		return;
	}
	if (a->op == BC_OP_NONE || bc_op_info(a->op)->law == BC_LAW_UNKNOWN)
		return;
	for (unsigned l = 0; l < BC_LANES; l++)
		addr[l] = (uint32_t)a->addr[l] & ~(uint32_t)(bc_op_info(a->op)->bytes - 1);
	if (bc_banks_count(&t->geometry, a->op, addr, bc_op_info(a->op)->matrices ? UINT32_MAX : a->mask, &w,
			   &p->failed))
		return;
	c->n.wavefronts += w.wavefronts;
	c->n.conflicts += w.conflicts;
	c->n.ideal += w.wavefronts - (w.conflicts < w.wavefronts ? w.conflicts : w.wavefronts);
	note(&c->n, a, w.wavefronts, w.wavefronts - (w.conflicts < w.wavefronts ? w.conflicts : w.wavefronts));
}

static void on_load(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES])
{
	(void)data;
	look(ctx, a);
}

static void on_store(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
		     uint32_t bytes[BC_LANES])
{
	(void)data;
	(void)bytes;
	look(ctx, a);
}

static void on_atomic(void *ctx, const struct bc_ptx_access *a, uint32_t *update)
{
	(void)update;
	look(ctx, a);
}

struct bc_kernel_tally *bc_kernel_tally_create(size_t lines, unsigned workers, const struct bc_arch *arch)
{
	struct bc_kernel_tally *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->hooks = (struct bc_ptx_hooks){ .ctx = t, .load = on_load, .store = on_store, .atomic = on_atomic };
	t->geometry = bc_arch_geometry(arch);
	t->lines = lines;
	t->nparts = workers;
	(void)pthread_mutex_init(&t->lock, NULL);
	t->part = calloc(workers, sizeof(*t->part));
	for (unsigned i = 0; t->part && i < workers; i++) {
		t->part[i].line = calloc(lines + 1, sizeof(*t->part[i].line));
		if (!t->part[i].line) {
			bc_kernel_tally_destroy(t);
			return NULL;
		}
	}
	if (!t->part) {
		bc_kernel_tally_destroy(t);
		return NULL;
	}
	return t;
}

void bc_kernel_tally_destroy(struct bc_kernel_tally *t)
{
	for (unsigned i = 0; t && t->part && i < t->nparts; i++) {
		for (size_t k = 0; t->part[i].line && k <= t->lines; k++) {
			for (struct cell *c = t->part[i].line[k], *next; c; c = next) {
				next = c->next;
				free(c);
			}
		}
		free(t->part[i].line);
	}
	if (!t)
		return;
	if (my_tally == t)
		my_tally = NULL; /* the next one may lie at the same place */
	free(t->part);
	(void)pthread_mutex_destroy(&t->lock);
	free(t);
}

const struct bc_ptx_hooks *bc_kernel_tally_hooks(struct bc_kernel_tally *t)
{
	return &t->hooks;
}

void bc_kernel_count_add(struct bc_kernel_count *sum, const struct bc_kernel_count *more)
{
	sum->requests += more->requests;
	sum->lanes += more->lanes;
	sum->wavefronts += more->wavefronts;
	sum->ideal += more->ideal;
	sum->conflicts += more->conflicts;
	sum->sectors += more->sectors;
	sum->ideal_sectors += more->ideal_sectors;
	if (more->worst.mask && is_worse(&sum->worst, more->worst.lost, more->worst.block, more->worst.warp))
		sum->worst = more->worst;
}

static int by_line(const void *a, const void *b)
{
	const struct bc_kernel_count *x = a, *y = b;
	const long d[] = { (long)x->ptx_line - (long)y->ptx_line, (long)x->space - (long)y->space,
			   (long)x->kind - (long)y->kind, (long)x->op - (long)y->op, (long)x->bytes - (long)y->bytes };

	for (size_t i = 0; i < BC_ARRAY_LEN(d); i++)
		if (d[i])
			return d[i] < 0 ? -1 : 1;
	return 0;
}

enum bc_status bc_kernel_tally_take(struct bc_kernel_tally *t, struct bc_kernel_count **out, size_t *n,
				    struct bc_error *err)
{
	size_t cells = 0, kept = 0;
	struct bc_kernel_count *list;

	for (unsigned i = 0; i < t->nparts; i++) {
		if (t->part[i].out_of_memory)
			return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
		if (t->part[i].failed.status)
			return bc_fail(err, BC_EDATA, "kernel: %s", t->part[i].failed.msg);
		for (size_t k = 0; k <= t->lines; k++)
			for (const struct cell *c = t->part[i].line[k]; c; c = c->next)
				cells++;
	}
	list = calloc(cells + 1, sizeof(*list));
	if (!list)
		return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
	cells = 0;
	for (unsigned i = 0; i < t->nparts; i++)
		for (size_t k = 0; k <= t->lines; k++)
			for (const struct cell *c = t->part[i].line[k]; c; c = c->next)
				list[cells++] = c->n;
	if (cells)
		qsort(list, cells, sizeof(*list), by_line);
	for (size_t i = 0; i < cells; i++) {
		if (kept && by_line(&list[kept - 1], &list[i]) == 0)
			bc_kernel_count_add(&list[kept - 1], &list[i]);
		else
			list[kept++] = list[i];
	}
	*out = list;
	*n = kept;
	return BC_OK;
}
