/* SPDX-License-Identifier: MIT */
#include "harness/map/linear.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Two lanes conflict when their words differ and their bank is one. For a bank function f that is linear over the bits
 * of the address, f(a) = f(b) says only f(a ^ b) = 0: whether a difference is in the kernel of f, whatever the place.
 * Bits are taken from the lowest on. The first whose banks are no XOR of others become pivots; of each other bit the
 * one combination of pivots is found that has its bank: the XOR of the bit and that combination is in the kernel. So
 * the kernel is found, and with it f, up to an invertible mix of the bank's number.
 */

#define LOWEST 3	  /* bit 2 is looked at last: it may be within a word */
#define PLACES 8	  /* of each difference that was found */
#define SEARCH_PAIRS 4096 /* for a counter-example */
#define SEARCH_TRIED 12

/* All pairs that were measured, and the columns found so far. */
struct search {
	struct bc_probe *p;
	struct bc_linear *out;
	struct bc_pair *seen;
	size_t nseen, cap;
	unsigned pivot[BC_BANK_BITS_MAX], npivots; /* bits of addresses */
	uint32_t column[32];			   /* of each bit, in terms of the pivots */
	bool ok;
};

static enum bc_status measure(struct search *s, struct bc_pair *pair, size_t n, struct bc_error *err)
{
	enum bc_status st = bc_probe_pairs(s->p, pair, n, &s->ok, err);

	if (st || !s->ok)
		return st;
	if (s->nseen + n > s->cap) {
		struct bc_pair *grown = realloc(s->seen, (2 * s->cap + n) * sizeof(*grown));

		if (!grown)
			return bc_fail(err, BC_ENOMEM, "map: out of memory");
		s->seen = grown;
		s->cap = 2 * s->cap + n;
	}
	memcpy(s->seen + s->nseen, pair, n * sizeof(*pair));
	s->nseen += n;
	return BC_OK;
}

static void tell_not_linear(struct search *s, const struct bc_pair *with, const struct bc_pair *without)
{
	s->out->linear = false;
	(void)snprintf(s->out->why, sizeof(s->out->why),
		       "0x%x and 0x%x share a bank, 0x%x and 0x%x do not, though the same address bits (0x%x) differ",
		       with->a, with->b, without->a, without->b, with->a ^ with->b);
}

/* A difference in several places. @all: true when it conflicts in all of them; in some: not linear. */
static enum bc_status in_many_places(struct search *s, uint32_t difference, bool *all, struct bc_error *err)
{
	struct bc_pair pair[PLACES];
	const struct bc_pair *with = NULL, *without = NULL;
	size_t n = 0;
	enum bc_status st;

	while (n < PLACES && bc_probe_pair_of(s->p, difference, &pair[n]))
		n++;
	st = measure(s, pair, n, err);
	for (size_t i = 0; !st && s->ok && i < n; i++) {
		if (pair[i].conflict)
			with = &pair[i];
		else
			without = &pair[i];
	}
	if (with && without)
		tell_not_linear(s, with, without);
	*all = with && !without;
	return st;
}

/* The XOR of the pivots that the bits of @chosen name. */
static uint32_t combination(const struct search *s, unsigned chosen)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < s->npivots; i++)
		bits ^= chosen >> i & 1u ? UINT32_C(1) << s->pivot[i] : 0;
	return bits;
}

/* The combination of pivots that has the bank of @bit: 0 for none of them. @found: false: there is none. */
static enum bc_status find_column(struct search *s, unsigned bit, bool *found, unsigned *chosen, struct bc_error *err)
{
	struct bc_pair pair[1u << BC_BANK_BITS_MAX];
	unsigned which[1u << BC_BANK_BITS_MAX];
	size_t n = 0;
	enum bc_status st;

	*found = false;
	for (unsigned c = 0; c < 1u << s->npivots; c++)
		if (bc_probe_pair_of(s->p, UINT32_C(1) << bit ^ combination(s, c), &pair[n]))
			which[n++] = c;
	st = measure(s, pair, n, err);
	for (size_t i = 0; !st && s->ok && s->out->linear && !*found && i < n; i++) {
		bool all = false;

		if (!pair[i].conflict)
			continue;
		st = in_many_places(s, pair[i].a ^ pair[i].b, &all, err);
		*found = all;
		*chosen = which[i];
	}
	return st;
}

/* Random pairs that share a bank, each difference then in other places. */
static enum bc_status find_counter_example(struct search *s, struct bc_error *err)
{
	struct bc_pair *pair = calloc(SEARCH_PAIRS, sizeof(*pair));
	unsigned tried = 0;
	enum bc_status st = pair ? BC_OK : bc_fail(err, BC_ENOMEM, "map: out of memory");

	for (size_t i = 0; !st && i < SEARCH_PAIRS; i++)
		pair[i] = (struct bc_pair){ .a = bc_probe_address(s->p, 4), .b = bc_probe_address(s->p, 4) };
	if (!st)
		st = measure(s, pair, SEARCH_PAIRS, err);
	for (size_t i = 0; !st && s->ok && s->out->linear && tried < SEARCH_TRIED && i < SEARCH_PAIRS; i++) {
		bool all = true;

		if (!pair[i].conflict || pair[i].a == pair[i].b)
			continue;
		tried++;
		st = in_many_places(s, pair[i].a ^ pair[i].b, &all, err);
		if (!st && s->ok && s->out->linear && !all) /* nowhere else */
			tell_not_linear(s, &pair[i], &s->seen[s->nseen - 1]);
	}
	free(pair);
	return st;
}

/* The column of one bit. */
static enum bc_status take_bit(struct search *s, unsigned bit, struct bc_error *err)
{
	unsigned chosen = 0;
	bool found = false;
	enum bc_status st = find_column(s, bit, &found, &chosen, err);

	if (st || !s->ok || !s->out->linear)
		return st;
	if (found) {
		s->column[bit] = chosen;
		if (bit >= LOWEST)
			s->out->kernel[s->out->nkernel++] = UINT32_C(1) << bit ^ combination(s, chosen);
		return BC_OK;
	}
	if (s->npivots < BC_BANK_BITS_MAX) {
		s->column[bit] = UINT32_C(1) << s->npivots;
		s->pivot[s->npivots++] = bit;
		return BC_OK;
	}
	st = find_counter_example(s, err);
	if (!st && s->ok && s->out->linear) {
		s->ok = false;
		(void)snprintf(s->p->absent, sizeof(s->p->absent),
			       "more than %u banks: address bit %u shares its bank with no combination of %u others",
			       1u << BC_BANK_BITS_MAX, bit, (unsigned)BC_BANK_BITS_MAX);
	}
	return st;
}

/* A geometry of the columns found, from bit @first on. */
static void make_geometry(const struct search *s, unsigned first, unsigned top, uint32_t bank_bytes)
{
	struct bc_geometry *g = &s->out->geometry[s->out->n++];

	*g = (struct bc_geometry){ .bank_bytes = bank_bytes, .law = { .given = true, .mapped = true } };
	for (unsigned i = 0; i < s->npivots; i++)
		for (unsigned bit = first; bit <= top; bit++)
			g->law.bank_bit[i] |= (s->column[bit] >> i & 1u) << bit;
	g->banks = UINT32_C(1) << bc_rows_reduce(g->law.bank_bit, s->npivots);
}

/* Bit 2: within a word of 8 bytes, or one that may take part in the bank's number. */
static enum bc_status take_lowest_bit(struct search *s, unsigned top, struct bc_error *err)
{
	bool alone = false, with_kernel = false;
	enum bc_status st = in_many_places(s, 4, &alone, err);

	if (!st && s->ok && s->out->linear && s->out->nkernel)
		st = in_many_places(s, 4 ^ s->out->kernel[0], &with_kernel, err);
	if (st || !s->ok || !s->out->linear)
		return st;
	if (alone) { /* it plays no part; or it is within a word, and lanes on one word are not served together */
		make_geometry(s, 2, top, 4);
		make_geometry(s, LOWEST, top, 8);
	} else if (with_kernel) {
		make_geometry(s, LOWEST, top, 8);
	} else {
		st = take_bit(s, 2, err);
		if (!st && s->ok && s->out->linear)
			make_geometry(s, 2, top, 4);
	}
	return st;
}

/* Which of the pairs that were measured the law explains. */
static void weigh(struct search *s)
{
	const struct bc_geometry *g = &s->out->geometry[0];
	struct bc_map_weight *w = &s->out->pairs;

	for (size_t i = 0; i < s->nseen; i++) {
		const struct bc_pair *pair = &s->seen[i];
		const bool one_word = pair->a / g->bank_bytes == pair->b / g->bank_bytes;
		const bool share = bc_geometry_bank(g, pair->a) == bc_geometry_bank(g, pair->b);

		if (one_word || share == pair->conflict) {
			w->supports++;
			continue;
		}
		if (!w->contradicts++)
			(void)snprintf(w->against, sizeof(w->against), "0x%x and 0x%x %s a bank, by the law they %s",
				       pair->a, pair->b, pair->conflict ? "share" : "do not share",
				       share ? "do" : "do not");
	}
}

enum bc_status bc_linear_find(struct bc_probe *p, struct bc_linear *out, struct bc_error *err)
{
	struct search s = { .p = p, .out = out, .ok = true };
	unsigned top = LOWEST;
	enum bc_status st = BC_OK;

	*out = (struct bc_linear){ .linear = true };
	while ((UINT32_C(2) << top) < p->end)
		top++;
	for (unsigned bit = LOWEST; !st && s.ok && out->linear && bit <= top; bit++)
		st = take_bit(&s, bit, err);
	if (!st && s.ok && out->linear)
		st = take_lowest_bit(&s, top, err);
	if (!st && s.ok && out->linear)
		weigh(&s);
	out->found = s.ok;
	if (!s.ok)
		(void)bc_strlcpy(out->why, p->absent, sizeof(out->why));
	free(s.seen);
	return st;
}
