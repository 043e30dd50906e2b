/* SPDX-License-Identifier: MIT */
/* A launch: checks of its geometry, the workers, and what they bring together. */
#include "harness/device/reference/ptx_block.h"
#include "harness/device/reference/ptx_cluster.h"
#include "harness/device/reference/ptx_mbarrier.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 1024u
#define WORKERS_MAX 64u

static enum bc_status check_geometry(const struct bc_ptx_kernel *k, const struct bc_ptx_launch *l, struct bc_error *err)
{
	static const uint32_t block_max[3] = { 1024, 1024, 64 }, grid_max[3] = { 0x7fffffff, 65535, 65535 };
	const struct bc_ptx_entry *e = k->entry;
	uint64_t threads = 1;

	for (unsigned i = 0; i < 3; i++) {
		if (l->block[i] == 0 || l->block[i] > block_max[i] || l->grid[i] == 0 || l->grid[i] > grid_max[i])
			return bc_fail(err, BC_EUSAGE,
				       "kernel %s: grid (%u,%u,%u) of blocks (%u,%u,%u) is not possible", e->cname,
				       l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
		threads *= l->block[i];
		if (e->reqntid[0] != 0 && l->block[i] != e->reqntid[i])
			return bc_fail(err, BC_EUSAGE, "kernel %s: blocks must be (%u,%u,%u) (.reqntid)", e->cname,
				       e->reqntid[0], e->reqntid[1], e->reqntid[2]);
	}
	if (l->cooperative && (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > (l->sms ? l->sms : 1))
		return bc_fail(err, BC_EUSAGE,
			       "kernel %s: a cooperative launch of (%u,%u,%u) blocks, the device has %u SMs", e->cname,
			       l->grid[0], l->grid[1], l->grid[2], l->sms ? l->sms : 1);
	if (threads > THREADS_MAX || (e->maxntid != 0 && threads > e->maxntid))
		return bc_fail(err, BC_EUSAGE, "kernel %s: a block of %llu threads, at most %u are possible", e->cname,
			       (unsigned long long)threads,
			       e->maxntid != 0 && e->maxntid < THREADS_MAX ? e->maxntid : THREADS_MAX);
	return BC_OK;
}

static enum bc_status check_sizes(const struct bc_ptx_kernel *k, const struct bc_ptx_launch *l, uint32_t *shared,
				  struct bc_error *err)
{
	const struct bc_ptx_entry *e = k->entry;
	const uint64_t need = e->params_bytes;
	uint64_t total = k->static_bytes;

	if (l->params_size < need || l->params_size > (need + 15) / 16 * 16)
		return bc_fail(err, BC_EUSAGE, "kernel %s takes %llu bytes of parameters, %zu were given", e->cname,
			       (unsigned long long)need, l->params_size);
	if (l->shared_bytes > 0)
		total = (uint64_t)k->dynamic_offset + l->shared_bytes;
	if (k->static_bytes > k->arch.static_bytes)
		return bc_fail(err, BC_EUSAGE, "kernel %s has %u bytes of static shared memory, %s allows %u", e->cname,
			       k->static_bytes, k->arch.name, k->arch.static_bytes);
	if (total > k->arch.optin_bytes || total > BC_PTX_SHARED_MAX)
		return bc_fail(err, BC_EUSAGE,
			       "kernel %s: %llu bytes of shared memory (%u static), %s allows a block %u", e->cname,
			       (unsigned long long)total, k->static_bytes, k->arch.name, k->arch.optin_bytes);
	*shared = (uint32_t)total;
	return BC_OK;
}

static void free_shared(struct bc_ptx_shared *s)
{
	if (!s)
		return;
	bc_ptx_race_destroy(s->race);
	bc_ptx_mbarriers_release(s);
	free(s->touch);
	free(s->data);
	free(s->written);
	free(s);
}

static void free_run(struct bc_ptx_run *x, unsigned nblocks)
{
	for (unsigned i = 0; x->block && i < nblocks; i++) {
		struct bc_ptx_block *b = &x->block[i];

		for (unsigned w = 0; w < BC_PTX_WARPS_MAX; w++)
			free(b->warp[w].copy);
		/* Warp 0 owns the memory of all warps. */
		free(b->warp[0].r);
		free(b->warp[0].p);
		free(b->warp[0].time.ready);
		free(b->warp[0].local);
		free(b->pending);
	}
	for (unsigned i = 0; x->block && i < nblocks; i++)
		if (i == 0 || !x->g->share)
			free_shared(x->block[i].shared);
	free(x->block);
	x->block = NULL;
}

static enum bc_status make_shared(struct bc_ptx_run *x, struct bc_ptx_block *b, struct bc_error *err)
{
	const uint32_t bytes = x->g->shared_bytes;
	struct bc_ptx_shared *s = calloc(1, sizeof(*s));

	if (!s)
		return bc_fail(err, BC_ENOMEM, "out of memory for a block");
	b->shared = s;
	s->base = x->k->arch.window_base;
	s->bytes = bytes;
	s->data = calloc(1, bytes + 1u);
	s->written = calloc(1, bytes + 1u);
	if (!s->data || !s->written)
		return bc_fail(err, BC_ENOMEM, "out of memory for %u bytes of shared memory", bytes);
	if (x->g->l->racecheck && x->g->ranks > 1) {
		const enum bc_status st = bc_ptx_cluster_watch(s, err);

		if (st)
			return st;
	}
	return x->g->l->racecheck ? bc_ptx_race_create(bytes, &s->race, err) : BC_OK;
}

/* Registers, predicates and local memory of a block's warps; the constant columns are filled for good. */
static enum bc_status make_block(struct bc_ptx_run *x, struct bc_ptx_block *b, uint32_t nwarps, struct bc_error *err)
{
	const struct bc_ptx_kernel *k = x->k;
	const size_t columns = (size_t)k->nslots * BC_LANES, local = (size_t)k->local_bytes * BC_LANES;
	struct bc_ptx_warp *w = b->warp;

	w[0].r = calloc(nwarps, columns * sizeof(uint64_t));
	w[0].p = calloc(nwarps, k->npreds * sizeof(uint32_t));
	w[0].local = calloc(nwarps, local + 1);
	if (x->g->timing)
		w[0].time.ready = calloc(nwarps, k->nslots * sizeof(uint64_t));
	if (!w[0].r || !w[0].p || !w[0].local || (x->g->timing && !w[0].time.ready))
		return bc_fail(err, BC_ENOMEM, "out of memory for the registers of a block");
	for (uint32_t i = 0; i < nwarps; i++) {
		w[i].r = w[0].r + i * columns;
		w[i].p = w[0].p + (size_t)i * k->npreds;
		w[i].local = w[0].local + i * (local + 1);
		if (w[0].time.ready)
			w[i].time.ready = w[0].time.ready + (size_t)i * k->nslots;
		for (size_t c = 0; c < k->nconstant; c++)
			for (unsigned l = 0; l < BC_LANES; l++)
				w[i].r[(k->first_constant + c) * BC_LANES + l] = k->constant[c];
	}
	return BC_OK;
}

static enum bc_status make_run(struct bc_ptx_run *x, struct bc_ptx_grid *g, unsigned nblocks, struct bc_error *err)
{
	const uint32_t *n = g->l->block;
	const uint32_t nwarps = (n[0] * n[1] * n[2] + BC_LANES - 1) / BC_LANES;
	const uint64_t state = ((uint64_t)g->k->nslots * 8 + g->k->local_bytes) * BC_LANES * nwarps;
	enum bc_status st = BC_OK;

	*x = (struct bc_ptx_run){ .g = g, .k = g->k };
	if (state > BC_PTX_BLOCK_STATE_MAX)
		return bc_fail(err, BC_EUSAGE,
			       "kernel %s: %llu bytes of registers and local memory a block, at most %u are supported",
			       g->k->entry->cname, (unsigned long long)state, BC_PTX_BLOCK_STATE_MAX);
	x->block = calloc(nblocks, sizeof(*x->block));
	if (!x->block)
		return bc_fail(err, BC_ENOMEM, "out of memory for a block");
	for (unsigned i = 0; i < nblocks && !st; i++) {
		if (i > 0 && g->share)
			x->block[i].shared = x->block[0].shared;
		else
			st = make_shared(x, &x->block[i], err);
		if (!st)
			st = make_block(x, &x->block[i], nwarps, err);
	}
	return st;
}

/* Blocks in ascending order until there are none left, or one failed. */
static void *work(void *arg)
{
	struct bc_ptx_run *x = arg;
	struct bc_ptx_grid *g = x->g;
	const unsigned together = g->together;

	while (!x->failed) {
		const uint64_t first = atomic_fetch_add(&g->next, together);
		uint_fast64_t lowest = atomic_load(&g->failed);

		if (first >= g->nblocks || first > lowest)
			break;
		bc_ptx_block_run(x, first, g->nblocks - first < together ? (unsigned)(g->nblocks - first) : together);
		while (x->failed && x->error_block < lowest &&
		       !atomic_compare_exchange_weak(&g->failed, &lowest, x->error_block))
			;
	}
	return NULL;
}

static void add_counts(struct bc_ptx_counts *sum, const struct bc_ptx_counts *c)
{
	uint64_t *s = (uint64_t *)sum;
	const uint64_t *v = (const uint64_t *)c;

	_Static_assert(sizeof(*sum) % sizeof(uint64_t) == 0, "counts are 64-bit words");
	for (size_t i = 0; i < sizeof(*sum) / sizeof(*s); i++)
		s[i] += v[i];
}

/* Findings of all workers in order of block; those of blocks after the one that failed are left out. */
static void merge(struct bc_ptx_grid *g, const struct bc_ptx_run *x, unsigned n, struct bc_ptx_result *out)
{
	size_t at[WORKERS_MAX] = { 0 };
	const uint64_t last = atomic_load(&g->failed);
	size_t kept = 0;

	for (unsigned i = 0; i < n; i++) {
		add_counts(&out->counts, &x[i].counts);
		out->nfindings += x[i].findings;
	}
	while (kept < BC_PTX_FINDINGS_MAX) {
		unsigned best = n;

		for (unsigned i = 0; i < n; i++)
			if (at[i] < x[i].nfinding && x[i].finding_block[at[i]] <= last &&
			    (best == n || x[i].finding_block[at[i]] < x[best].finding_block[at[best]]))
				best = i;
		if (best == n)
			break;
		out->finding[kept++] = x[best].finding[at[best]++];
	}
	if (last != UINT64_MAX)
		out->nfindings = kept;
}

static enum bc_status first_error(const struct bc_ptx_run *x, unsigned n, struct bc_error *err)
{
	const struct bc_ptx_run *first = NULL;

	for (unsigned i = 0; i < n; i++)
		if (x[i].failed && (!first || x[i].error_block < first->error_block))
			first = &x[i];
	if (!first)
		return BC_OK;
	return bc_fail(err, first->error.status, "%s", first->error.msg);
}

/* Run all workers; the caller is the first of them. */
static enum bc_status run_workers(struct bc_ptx_grid *g, struct bc_ptx_run *x, unsigned n, struct bc_ptx_result *out,
				  struct bc_error *err)
{
	pthread_t thread[WORKERS_MAX];
	unsigned started = 0;

	for (unsigned i = 1; i < n; i++) {
		if (pthread_create(&thread[i], NULL, work, &x[i]) != 0)
			break; /* the others do its work */
		started = i;
	}
	(void)work(&x[0]);
	for (unsigned i = 1; i <= started; i++)
		(void)pthread_join(thread[i], NULL);
	merge(g, x, n, out);
	return first_error(x, n, err);
}

static bool reads_clock(const struct bc_ptx_kernel *k)
{
	for (unsigned s = 0; s < BC_PTX_NSPECIALS; s++)
		if (k->special[s] && bc_ptx_special_moves((int)s))
			return true;
	return false;
}

enum bc_status bc_ptx_launch(const struct bc_ptx_kernel *k, const struct bc_ptx_launch *l, struct bc_ptx_result *out,
			     struct bc_error *err)
{
	struct bc_ptx_grid g = { .k = k, .l = l, .mem = k->image->mem };
	struct bc_ptx_run *x;
	unsigned n = l->workers ? l->workers : 1;
	enum bc_status st;

	memset(out, 0, sizeof(*out));
	st = check_geometry(k, l, err);
	if (!st)
		st = check_sizes(k, l, &g.shared_bytes, err);
	if (!st)
		st = bc_ptx_cluster_check(&g, err);
	if (st)
		return st;
	g.geometry = bc_arch_geometry(&k->arch);
	g.timing = reads_clock(k) ? l->timing : NULL;
	g.nblocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	g.share = l->hooks && l->hooks->share_blocks && !l->cooperative && g.ranks == 1;
	g.together = l->cooperative ? (unsigned)g.nblocks : g.share ? 2 : g.ranks;
	atomic_init(&g.next, 0);
	atomic_init(&g.budget, l->budget ? l->budget : BC_PTX_BUDGET_DEFAULT);
	atomic_init(&g.failed, UINT64_MAX);
	atomic_init(&g.fence, 0);
	n = n > WORKERS_MAX ? WORKERS_MAX : n;
	n = l->cooperative ? 1 : n > g.nblocks ? (unsigned)g.nblocks : n;
	n = n ? n : 1;
	x = calloc(n, sizeof(*x));
	if (!x)
		return bc_fail(err, BC_ENOMEM, "out of memory for a launch");
	for (unsigned i = 0; i < n && !st; i++)
		st = make_run(&x[i], &g, g.together, err);
	if (!st)
		st = run_workers(&g, x, n, out, err);
	for (unsigned i = 0; i < n; i++)
		free_run(&x[i], g.together);
	free(x);
	return st;
}
