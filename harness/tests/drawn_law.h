/* SPDX-License-Identifier: MIT */
/* harness/tests/drawn_law.h - bank laws drawn at random: their text for --law, and what they count, by brute force.
 *
 * Written from docs/bank-laws.md alone; nothing of harness/core takes part, so that both can be compared.
 */
#ifndef BC_TESTS_DRAWN_LAW_H
#define BC_TESTS_DRAWN_LAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRAWN_OPS 41
#define DRAWN_TEXT 6000

struct drawn_op {
	const char *name;
	unsigned bytes, lanes; /* lanes that give addresses */
	char kind;	       /* l, s: load, store; g: generic; a: atomic; c: cas; m: matrix; p: copy; r: red32 */
	bool timed;
};

extern const struct drawn_op drawn_ops[DRAWN_OPS]; /* ended by a row without a name */

struct drawn_law {
	unsigned banks, bits, bank_bytes, cas_factor, window_base;
	uint32_t rows[6]; /* as drawn: any independent rows */
	bool not_linear;
	uint32_t seed; /* of not_linear */
	unsigned group[DRAWN_OPS];
	char merge[DRAWN_OPS][8];
};

/* A random law; @window: bytes behind the window's base; equal seeds, equal laws. */
void drawn_law_make(struct drawn_law *d, uint64_t seed, uint32_t window, bool not_linear);

/* The law of today: 32 banks of consecutive words. */
void drawn_law_sound(struct drawn_law *d, unsigned window_base);

/* The text for --law, rows as they were drawn. */
void drawn_law_text(const struct drawn_law *d, char text[DRAWN_TEXT]);

/* The text that `map --format law` must print: rows in reduced row echelon form; @timed: of timed operations only. */
void drawn_law_found(const struct drawn_law *d, bool timed, char text[DRAWN_TEXT]);

struct drawn_count {
	unsigned wavefronts, conflicts;
};

/* What a request counts; @op: index into drawn_ops. Not of a random table. */
struct drawn_count drawn_law_count(const struct drawn_law *d, unsigned op, const uint32_t addr[32], uint32_t mask);

/* A sequence of random numbers (splitmix64). */
uint64_t drawn_next(uint64_t *state);

/* A random pattern of an operation: addresses in [base, base + window), aligned; some near each other, some equal. */
void drawn_pattern(uint64_t *state, unsigned op, uint32_t base, uint32_t window, uint32_t addr[32], uint32_t *mask);

#endif
