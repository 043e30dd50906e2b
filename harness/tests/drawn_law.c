/* SPDX-License-Identifier: MIT */
#include "harness/tests/drawn_law.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct drawn_op drawn_ops[DRAWN_OPS] = {
	{ "ld8", 1, 32, 'l', true },	   { "ld16", 2, 32, 'l', true },     { "ld32", 4, 32, 'l', true },
	{ "ld64", 8, 32, 'l', true },	   { "ld128", 16, 32, 'l', true },   { "st8", 1, 32, 's', true },
	{ "st16", 2, 32, 's', true },	   { "st32", 4, 32, 's', true },     { "st64", 8, 32, 's', true },
	{ "st128", 16, 32, 's', true },	   { "gld32", 4, 32, 'g', false },   { "gld64", 8, 32, 'g', false },
	{ "gld128", 16, 32, 'g', false },  { "gst32", 4, 32, 'g', false },   { "gst64", 8, 32, 'g', false },
	{ "gst128", 16, 32, 'g', false },  { "atom32", 4, 32, 'a', false },  { "max32", 4, 32, 'a', false },
	{ "and32", 4, 32, 'a', false },	   { "inc32", 4, 32, 'a', false },   { "exch32", 4, 32, 'a', false },
	{ "cas32", 4, 32, 'c', false },	   { "exch64", 8, 32, 'a', false },  { "cas64", 8, 32, 'c', false },
	{ "red32", 4, 32, 'r', false },	   { "redv32", 4, 32, 'a', false },  { "redmax32", 4, 32, 'a', false },
	{ "ldsm1", 16, 8, 'm', false },	   { "ldsm2", 16, 16, 'm', false },  { "ldsm4", 16, 32, 'm', false },
	{ "ldsm1t", 16, 8, 'm', false },   { "ldsm2t", 16, 16, 'm', false }, { "ldsm4t", 16, 32, 'm', false },
	{ "stsm1", 16, 8, 'm', false },	   { "stsm2", 16, 16, 'm', false },  { "stsm4", 16, 32, 'm', false },
	{ "stsm4t", 16, 32, 'm', false },  { "cpa4", 4, 32, 'p', false },    { "cpa8", 8, 32, 'p', false },
	{ "cpa16ca", 16, 32, 'p', false },
};

uint64_t drawn_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static unsigned below(uint64_t *state, unsigned n)
{
	return n ? (unsigned)(drawn_next(state) % n) : 0;
}

static unsigned own_group(const struct drawn_op *op)
{
	if (op->kind == 'm' || op->bytes == 16)
		return 8;
	return op->bytes == 8 ? 16 : 32;
}

static const char *own_merge(const struct drawn_op *op)
{
	if (op->kind == 'a' || op->kind == 'c' || op->kind == 'p')
		return "none";
	return op->kind == 'l' && op->bytes >= 8 ? "pairs" : "word";
}

void drawn_law_sound(struct drawn_law *d, unsigned window_base)
{
	memset(d, 0, sizeof(*d));
	d->banks = 32;
	d->bits = 5;
	d->bank_bytes = 4;
	d->cas_factor = 2;
	d->window_base = window_base;
	for (unsigned i = 0; i < 5; i++)
		d->rows[i] = UINT32_C(4) << i;
	for (unsigned i = 0; drawn_ops[i].name; i++) {
		d->group[i] = own_group(&drawn_ops[i]);
		(void)snprintf(d->merge[i], sizeof(d->merge[i]), "%s", own_merge(&drawn_ops[i]));
	}
}

/* Is some XOR of rows 0 ... n - 1, with row n in it, nothing? All are tried. */
static bool depends(const uint32_t *rows, unsigned n)
{
	for (unsigned chosen = 1u << n; chosen < 2u << n; chosen++) {
		uint32_t sum = 0;

		for (unsigned i = 0; i <= n; i++)
			sum ^= chosen >> i & 1u ? rows[i] : 0;
		if (!sum)
			return true;
	}
	return false;
}

static void draw_rows(struct drawn_law *d, uint64_t *s, uint32_t window)
{
	const unsigned first = d->bank_bytes == 8 ? 3 : 2;
	unsigned bits = first;

	while ((UINT32_C(1) << bits) < d->window_base + window)
		bits++;
	for (unsigned i = 0; i < d->bits; i++) {
		do {
			/* Some are plain, some hashed a little, some thoroughly. */
			const unsigned terms = 1 + below(s, below(s, 3) ? 3 : bits - first);

			d->rows[i] = 0;
			for (unsigned k = 0; k < terms; k++)
				d->rows[i] |= UINT32_C(1) << (first + below(s, bits - first));
		} while (depends(d->rows, i));
	}
}

static void draw_op(struct drawn_law *d, uint64_t *s, unsigned op)
{
	static const char *const merges[] = { "none", "word", "whole", "pair1", "pair2", "pairs" };
	const struct drawn_op *o = &drawn_ops[op];
	const bool accesses = o->kind == 'l' || o->kind == 's' || o->kind == 'g' || o->kind == 'r';
	unsigned least = o->kind == 'm' ? 8 : 4, n = 0;

	while (least << n < o->lanes)
		n++;
	if (below(s, 2))
		return; /* as it is today */
	d->group[op] = least << below(s, n + 1);
	(void)snprintf(d->merge[op], sizeof(d->merge[op]), "%s",
		       merges[below(s, accesses && d->group[op] < 32 ? 6 : 3)]);
}

void drawn_law_make(struct drawn_law *d, uint64_t seed, uint32_t window, bool not_linear)
{
	uint64_t s = seed;

	drawn_law_sound(d, 128 * below(&s, 17));
	d->bits = 3 + below(&s, 4);
	d->banks = 1u << d->bits;
	d->bank_bytes = below(&s, 4) ? 4 : 8;
	d->cas_factor = 1 + below(&s, 4);
	d->not_linear = not_linear;
	d->seed = (uint32_t)drawn_next(&s);
	draw_rows(d, &s, window);
	for (unsigned op = 0; drawn_ops[op].name; op++)
		draw_op(d, &s, op);
}

static void add(char *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *fmt, ...)
{
	const size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text + len, DRAWN_TEXT - len, fmt, ap);
	va_end(ap);
}

static void add_rows(const uint32_t *rows, unsigned n, char *text)
{
	for (unsigned i = 0; i < n; i++) {
		add(text, "bank_bit %u =", i);
		for (unsigned b = 0; b < 32; b++)
			if (rows[i] >> b & 1u)
				add(text, " %u", b);
		add(text, "\n");
	}
}

static void add_ops(const struct drawn_law *d, bool timed, char *text)
{
	for (unsigned op = 0; drawn_ops[op].name; op++)
		if (!timed || drawn_ops[op].timed)
			add(text, "group %s %u\n", drawn_ops[op].name, d->group[op]);
	for (unsigned op = 0; drawn_ops[op].name; op++)
		if (!timed || drawn_ops[op].timed)
			add(text, "merge %s %s\n", drawn_ops[op].name, d->merge[op]);
	if (!timed)
		add(text, "cas_factor %u\n", d->cas_factor);
	add(text, "window_base %u\n", d->window_base);
}

void drawn_law_text(const struct drawn_law *d, char text[DRAWN_TEXT])
{
	text[0] = '\0';
	add(text, "# drawn\nbanks %u\nbank_bytes %u\n", d->banks, d->bank_bytes);
	if (d->not_linear)
		add(text, "not_linear %u\n", d->seed);
	else
		add_rows(d->rows, d->bits, text);
	add_ops(d, false, text);
}

/* The row space has one member for each pivot that has that pivot and no other; the pivots are the lowest bits of the
 * members. Found by going through all members: 63 at most. */
static void reduce(const struct drawn_law *d, uint32_t out[6])
{
	uint32_t pivots = 0;
	unsigned n = 0;

	for (unsigned chosen = 1; chosen < d->banks; chosen++) {
		uint32_t sum = 0;

		for (unsigned i = 0; i < d->bits; i++)
			sum ^= chosen >> i & 1u ? d->rows[i] : 0;
		pivots |= sum & (0u - sum);
	}
	for (unsigned b = 0; b < 32; b++)
		for (unsigned chosen = 1; chosen < d->banks && (pivots >> b & 1u); chosen++) {
			uint32_t sum = 0;

			for (unsigned i = 0; i < d->bits; i++)
				sum ^= chosen >> i & 1u ? d->rows[i] : 0;
			if ((sum & pivots) == UINT32_C(1) << b)
				out[n++] = sum;
		}
}

void drawn_law_found(const struct drawn_law *d, bool timed, char text[DRAWN_TEXT])
{
	uint32_t rows[6] = { 0 };

	reduce(d, rows);
	text[0] = '\0';
	add(text, "banks %u\nbank_bytes %u\n", d->banks, d->bank_bytes);
	add_rows(rows, d->bits, text);
	add_ops(d, timed, text);
}

static unsigned bank_of(const struct drawn_law *d, uint32_t address)
{
	unsigned bank = 0;

	for (unsigned i = 0; i < d->bits; i++) {
		unsigned ones = 0;

		for (unsigned b = 0; b < 32; b++)
			ones += (address & d->rows[i]) >> b & 1u;
		bank += (ones % 2) << i;
	}
	return bank;
}

static bool pairs_equal(const uint32_t *addr, uint32_t mask, unsigned x)
{
	for (unsigned l = 0; l < 32; l++)
		if ((mask >> l & 1u) && (mask >> (l ^ x) & 1u) && addr[l] != addr[l ^ x])
			return false;
	return true;
}

/* Passes of the fullest bank: what the lanes [first, end) ask of it, counted for each bank in turn. */
static unsigned passes(const struct drawn_law *d, unsigned op, bool each_lane, const uint32_t *addr, uint32_t mask,
		       unsigned first, unsigned end)
{
	const unsigned bytes = drawn_ops[op].bytes, words = bytes > d->bank_bytes ? bytes / d->bank_bytes : 1;
	unsigned most = 0;

	for (unsigned bank = 0; bank < d->banks; bank++) {
		uint32_t asked[32 * 4];
		unsigned n = 0;

		for (unsigned l = first; l < end; l++) {
			for (unsigned w = 0; w < words && (mask >> l & 1u); w++) {
				const uint32_t word = addr[l] / d->bank_bytes + w;
				bool known = false;

				if (bank_of(d, word * d->bank_bytes) != bank)
					continue;
				for (unsigned i = 0; i < n; i++)
					known = known || asked[i] == word;
				if (!known || each_lane)
					asked[n++] = word;
			}
		}
		most = n > most ? n : most;
	}
	return most;
}

struct drawn_count drawn_law_count(const struct drawn_law *d, unsigned op, const uint32_t addr[32], uint32_t mask)
{
	const struct drawn_op *o = &drawn_ops[op];
	const char *merge = d->merge[op];
	struct drawn_count c = { 0, 0 };
	unsigned group = d->group[op], groups = 0;
	bool one = true, each_lane = strcmp(merge, "none") == 0;
	const uint32_t wide = o->bytes > d->bank_bytes ? o->bytes : d->bank_bytes;
	uint32_t first = UINT32_MAX;

	if (o->lanes < 32)
		mask &= (UINT32_C(1) << o->lanes) - 1;
	for (unsigned l = 0; l < 32; l++) {
		if (!(mask >> l & 1u))
			continue;
		first = first == UINT32_MAX ? addr[l] / wide : first;
		one = one && addr[l] / wide == first;
	}
	if (strcmp(merge, "whole") == 0)
		each_lane = !one;
	if (((strcmp(merge, "pair1") == 0 || strcmp(merge, "pairs") == 0) && pairs_equal(addr, mask, 1)) ||
	    ((strcmp(merge, "pair2") == 0 || strcmp(merge, "pairs") == 0) && pairs_equal(addr, mask, 2)))
		group *= 2;
	for (unsigned l = 0; l < o->lanes; l += group) {
		const unsigned n = passes(d, op, each_lane, addr, mask, l, l + group);

		groups += n > 0;
		c.wavefronts += n;
	}
	c.conflicts = c.wavefronts - groups;
	if (o->kind == 'c')
		c.wavefronts *= d->cas_factor;
	return c;
}

void drawn_pattern(uint64_t *s, unsigned op, uint32_t base, uint32_t window, uint32_t addr[32], uint32_t *mask)
{
	const struct drawn_op *o = &drawn_ops[op];
	const uint32_t slots = window / o->bytes;
	const unsigned alike = below(s, 4), span = below(s, 2) ? slots : 1 + below(s, slots < 256 ? slots : 256);
	const uint32_t at = below(s, slots - span + 1), step = 1u << below(s, 6);

	*mask = o->kind == 'm' || below(s, 2) ? UINT32_MAX : (uint32_t)drawn_next(s);
	*mask = *mask ? *mask : 1;
	for (unsigned l = 0; l < 32; l++) {
		const unsigned like = alike == 1 ? l & ~1u : alike == 2 ? l & ~2u : l;

		if (like != l)
			addr[l] = addr[like];
		else if (alike == 3)
			addr[l] = base + (at + l * step) % slots * o->bytes;
		else
			addr[l] = base + (at + below(s, span)) * o->bytes;
	}
}
