/* SPDX-License-Identifier: MIT */
/* The most frequent access of shared memory, checked and done for all lanes at once. */
#include "harness/device/reference/ptx_lanes.h"

#include <string.h>

#define WORDS_BYTES (4u * BC_LANES)

/* Fill addr[] with the lanes' addresses. Return: true when they are one 32-bit word after the other. */
BC_PTX_WIDE static bool consecutive(uint64_t addr[BC_LANES], const uint64_t base[BC_LANES], uint64_t offset)
{
	uint64_t differs = 0;

	for (unsigned l = 0; l < BC_LANES; l++) {
		addr[l] = base[l] + offset;
		differs |= (base[l] - 4u * l) ^ base[0];
	}
	return differs == 0;
}

/* The low halves of 32 registers from words, and back. */
BC_PTX_WIDE static void widen(uint64_t d[BC_LANES], const uint32_t s[BC_LANES])
{
	for (unsigned l = 0; l < BC_LANES; l++)
		d[l] = s[l];
}

BC_PTX_WIDE static void narrow(uint32_t d[BC_LANES], const uint64_t s[BC_LANES])
{
	for (unsigned l = 0; l < BC_LANES; l++)
		d[l] = (uint32_t)s[l];
}

/* Are these 32 whole words inside the block's memory? Then x->addr is set, and *@at: of the first, from data[0]. */
static bool whole_words(struct bc_ptx_run *x, const struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask,
			uint64_t *at)
{
	const struct bc_ptx_shared *s = w->b->shared;

	if (mask != BC_PTX_FULL || in->space != BC_PTX_SHARED || in->elem != 4 || in->vec != 1 || x->g->l->hooks ||
	    s->touch || in->flags & BC_PTX_FL_CLUSTER || !consecutive(x->addr, w->r + in->src[0], in->imm))
		return false;
	*at = x->addr[0] - s->base;
	return x->addr[0] >= s->base && (x->addr[0] & 3) == 0 && s->bytes >= WORDS_BYTES &&
	       *at <= s->bytes - WORDS_BYTES;
}

static void check_races(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, bool write)
{
	for (uint32_t l = 0; l < BC_LANES && w->b->shared->race; l++)
		bc_ptx_shared_race(x, w, in, l, x->addr[l], 4, 15, write, false);
}

bool bc_ptx_load_words(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const struct bc_ptx_shared *s = w->b->shared;
	uint32_t words[BC_LANES];
	uint64_t at;

	if (in->reg_bytes != 4 || !whole_words(x, w, in, mask, &at))
		return false;
	if (!x->g->l->reads_unwritten && memchr(s->written + at, 0, WORDS_BYTES))
		return false;
	check_races(x, w, in, false);
	x->counts.ld_requests++;
	bc_ptx_count_shared(x, w, in, BC_OP_LD32, x->addr, mask);
	w->b->serial++;
	if (x->failed)
		return true;
	memcpy(words, s->data + at, sizeof(words));
	widen(w->r + x->k->list[in->list], words);
	return true;
}

bool bc_ptx_store_words(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const struct bc_ptx_shared *s = w->b->shared;
	uint32_t words[BC_LANES];
	uint64_t at;

	if (!whole_words(x, w, in, mask, &at))
		return false;
	x->counts.st_requests++;
	bc_ptx_count_shared(x, w, in, BC_OP_ST32, x->addr, mask);
	w->b->serial++;
	narrow(words, w->r + x->k->list[in->list]);
	memset(s->written + at, 1, WORDS_BYTES);
	check_races(x, w, in, true);
	memcpy(s->data + at, words, sizeof(words));
	return true;
}
