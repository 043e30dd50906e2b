/* SPDX-License-Identifier: MIT */
/* Clusters: where their blocks are, whose memory an address names, mapa and getctarank. */
#include "harness/device/reference/ptx_cluster.h"

enum bc_status bc_ptx_cluster_check(struct bc_ptx_grid *g, struct bc_error *err)
{
	const struct bc_ptx_entry *e = g->k->entry;
	const struct bc_ptx_launch *l = g->l;
	uint64_t ranks = 1;
	bool given = false;

	for (unsigned i = 0; i < 3; i++)
		given = given || l->cluster[i] > 1;
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t own = e->reqcluster[i], asked = l->cluster[i] ? l->cluster[i] : 1;

		if (given && own && own != asked)
			return bc_fail(err, BC_EUSAGE, "kernel %s: clusters must be (%u,%u,%u) (.reqnctapercluster)",
				       e->cname, e->reqcluster[0], e->reqcluster[1], e->reqcluster[2]);
		g->cluster[i] = own ? own : asked;
		if (g->cluster[i] > BC_PTX_CLUSTER_MAX || l->grid[i] % g->cluster[i] != 0)
			return bc_fail(err, BC_EUSAGE,
				       "kernel %s: a grid of (%u,%u,%u) blocks cannot be cut into clusters of %u "
				       "blocks in dimension %u",
				       e->cname, l->grid[0], l->grid[1], l->grid[2], g->cluster[i], i);
		ranks *= g->cluster[i];
	}
	if (ranks > 1 && !g->k->arch.cluster)
		return bc_fail(err, BC_EUSAGE, "kernel %s: %s has no clusters", e->cname, g->k->arch.name);
	if (ranks > BC_PTX_CLUSTER_MAX || (e->maxrank && ranks > e->maxrank))
		return bc_fail(err, BC_EUSAGE, "kernel %s: a cluster of %llu blocks, at most %u are possible", e->cname,
			       (unsigned long long)ranks, e->maxrank ? e->maxrank : BC_PTX_CLUSTER_MAX);
	if (ranks > 1 && l->cooperative)
		return bc_fail(err, BC_EUSAGE, "kernel %s: a cooperative launch with clusters is not supported",
			       e->cname);
	g->ranks = (unsigned)ranks;
	return BC_OK;
}

void bc_ptx_cluster_place(const struct bc_ptx_grid *g, uint64_t n, struct bc_ptx_block *b)
{
	const uint32_t *c = g->cluster, *grid = g->l->grid;
	const uint64_t cluster = n / g->ranks, row = grid[0] / c[0], plane = row * (grid[1] / c[1]);

	b->rank = (uint32_t)(n % g->ranks);
	b->id[0] = (uint32_t)(cluster % row) * c[0] + b->rank % c[0];
	b->id[1] = (uint32_t)(cluster / row % (grid[1] / c[1])) * c[1] + b->rank / c[0] % c[1];
	b->id[2] = (uint32_t)(cluster / plane) * c[2] + b->rank / c[0] / c[1];
	b->linear = ((uint64_t)b->id[2] * grid[1] + b->id[1]) * grid[0] + b->id[0];
}

void bc_ptx_cluster_specials(const struct bc_ptx_grid *g, const struct bc_ptx_block *b, uint64_t *v)
{
	for (unsigned i = 0; i < 3; i++) {
		v[BC_PTX_SR_CLUSTERID_X + i] = b->id[i] / g->cluster[i];
		v[BC_PTX_SR_NCLUSTERID_X + i] = g->l->grid[i] / g->cluster[i];
		v[BC_PTX_SR_CLUSTER_CTAID_X + i] = b->id[i] % g->cluster[i];
		v[BC_PTX_SR_CLUSTER_NCTAID_X + i] = g->cluster[i];
	}
	v[BC_PTX_SR_CLUSTER_CTARANK] = b->rank;
	v[BC_PTX_SR_CLUSTER_NCTARANK] = g->ranks;
}

/* The shared memory of the block @code - 1 of the cluster; NULL: @w's own, or a failure. */
static struct bc_ptx_shared *memory_of(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				       uint64_t code)
{
	const struct bc_ptx_block *b;

	if (code == 0 || code == (uint64_t)w->b->rank + 1)
		return NULL;
	if (code > x->g->ranks) {
		bc_ptx_fail_at(x, w->b, in,
			       "the address names the shared memory of block %llu of a cluster of %u blocks",
			       (unsigned long long)(code - 1), x->g->ranks);
		return NULL;
	}
	b = &x->block[code - 1];
	if (b->ndone == b->nwarps) {
		bc_ptx_fail_at(x, w->b, in,
			       "the address names the shared memory of block (%u,%u,%u), which has ended (a barrier of "
			       "the cluster is needed before a block ends)",
			       b->id[0], b->id[1], b->id[2]);
		return NULL;
	}
	return b->shared;
}

void bc_ptx_cluster_access(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
			   bc_ptx_access_fn *fn, const uint64_t addr[BC_LANES], uint32_t mask)
{
	uint64_t own[BC_LANES];
	uint32_t left = mask;

	if (x->g->ranks == 1) {
		fn(x, w, in, BC_PTX_SHARED, addr, mask);
		return;
	}
	for (unsigned l = 0; l < BC_LANES; l++)
		own[l] = addr[l] & (BC_PTX_WINDOW_BYTES - 1);
	while (left != 0 && !x->failed) {
		const uint64_t code = addr[__builtin_ctz(left)] >> BC_PTX_RANK_SHIFT;
		uint32_t same = 0;

		for (uint32_t m = left; m != 0; m &= m - 1)
			if (addr[__builtin_ctz(m)] >> BC_PTX_RANK_SHIFT == code)
				same |= m & -m;
		x->remote = memory_of(x, w, in, code);
		if (!x->failed)
			fn(x, w, in, BC_PTX_SHARED, own, same);
		x->remote = NULL;
		left &= ~same;
	}
}

/* Space GENERIC: addresses are generic. */
static void map_address(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint64_t window = in->space == BC_PTX_GENERIC ? BC_PTX_SHARED_WINDOW : 0;
	const struct bc_ptx_hooks *h = x->g->l->hooks;

	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t a = (w->r[in->src[0] + l] - window) & (BC_PTX_WINDOW_BYTES - 1);
		const uint32_t rank =
			h && h->cluster & BC_PTX_CLUSTER_OWN ? w->b->rank : (uint32_t)w->r[in->src[1] + l];

		if (rank >= x->g->ranks) {
			bc_ptx_fail_at(x, w->b, in, "mapa to block %u of a cluster of %u blocks", rank, x->g->ranks);
			return;
		}
		w->r[in->dst + l] = window + ((uint64_t)(rank + 1) << BC_PTX_RANK_SHIFT | a);
	}
}

static void rank_of(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint64_t window = in->space == BC_PTX_GENERIC ? BC_PTX_SHARED_WINDOW : 0;

	(void)x;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		const uint64_t code = (w->r[in->src[0] + l] - window) >> BC_PTX_RANK_SHIFT;

		w->r[in->dst + l] = code ? code - 1 : w->b->rank;
	}
}

static enum bc_status decode_address(struct bc_ptx_decoder *d, bool map)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_noperands(d, map ? 3 : 2, map ? 3 : 2);
	enum bc_ptx_type type;

	in->space = bc_ptx_take_modifier(d, "shared::cluster") ? BC_PTX_SHARED : BC_PTX_GENERIC;
	type = bc_ptx_take_type(d);
	if ((type != BC_PTX_U32 && type != BC_PTX_U64) || !bc_ptx_modifiers_done(d) ||
	    (in->space == BC_PTX_GENERIC && type != BC_PTX_U64))
		return bc_ptx_unknown(d);
	in->exec = map ? map_address : rank_of;
	if (!st)
		st = bc_ptx_dst(d, 0, map ? bc_ptx_type_bytes(type) : 4, false, &in->dst);
	if (!st)
		st = bc_ptx_src(d, 1, type, false, &in->src[0]);
	return st || !map ? st : bc_ptx_src(d, 2, BC_PTX_U32, false, &in->src[1]);
}

enum bc_status bc_ptx_decode_cluster(struct bc_ptx_decoder *d)
{
	bool ordered;

	if (!d->k->arch.cluster)
		return bc_ptx_lacks(d, "clusters");
	if (!bc_ptx_slice_is(d->mod[0], "barrier"))
		return decode_address(d, bc_ptx_slice_is(d->mod[0], "mapa"));
	d->in->flow = BC_PTX_F_BARRIER;
	d->in->flags |= BC_PTX_FL_CLUSTER;
	if (!bc_ptx_take_modifier(d, "cluster"))
		return bc_ptx_unknown(d);
	if (bc_ptx_take_modifier(d, "arrive"))
		d->in->flags |= BC_PTX_FL_ARRIVE;
	else if (!bc_ptx_take_modifier(d, "wait"))
		return bc_ptx_unknown(d);
	ordered = bc_ptx_take_modifier(d, d->in->flags & BC_PTX_FL_ARRIVE ? "release" : "acquire");
	if (!ordered && d->in->flags & BC_PTX_FL_ARRIVE && bc_ptx_take_modifier(d, "relaxed"))
		d->in->flags |= BC_PTX_FL_RELAXED;
	(void)bc_ptx_take_modifier(d, "aligned");
	return bc_ptx_modifiers_done(d) ? bc_ptx_noperands(d, 0, 0) : bc_ptx_unknown(d);
}
