/* SPDX-License-Identifier: MIT */
/* harness/map/map.h - a device's bank law, found from addresses alone (docs/map.md has the method).
 *
 * Nothing is taken from expected/: patterns of lane addresses go to the device, counts or cycles come back, and the law
 * is what explains them all.
 */
#ifndef BC_MAP_MAP_H
#define BC_MAP_MAP_H

#include "harness/core/banks.h"
#include "harness/core/case.h"
#include "harness/measure/patterns.h"

#define BC_MAP_TEXT 400
#define BC_MAP_CONFIRM 10000 /* random patterns that confirm a law */

enum bc_map_by { BC_MAP_COUNTERS = 0, BC_MAP_CLOCK, BC_MAP_NBY };
const char *bc_map_by_name(enum bc_map_by by); /* "counters", "clock" */

/* Who measures patterns. As bc_patterns_count and bc_patterns_time. */
struct bc_map_source {
	void *ctx;
	enum bc_status (*count)(void *ctx, const struct bc_pattern *p, size_t n, struct bc_pattern_count *out,
				char *absent, size_t size, struct bc_error *err);
	enum bc_status (*time)(void *ctx, const struct bc_pattern *p, size_t n, struct bc_pattern_time *out,
			       char *absent, size_t size, struct bc_error *err);
};

/* How well something is founded. */
struct bc_map_weight {
	unsigned long supports, contradicts; /* patterns */
	char against[BC_MAP_TEXT];	     /* the first that contradicts */
};

/* What was found of one operation. */
struct bc_map_op {
	bool seen;
	unsigned group;	     /* lanes served together */
	enum bc_merge merge; /* which of them merge */
	unsigned cas_factor; /* compare-and-swap only */
	unsigned alike;	     /* other laws that explain all patterns as well */
	struct bc_map_weight weight;
	unsigned long bytes_together, bytes_apart; /* patterns with different bytes of one word that were served so */
	double cycles;				   /* by clock: what a further wavefront takes */
};

struct bc_map_law {
	enum bc_map_by by;
	bool found;	       /* false: @why */
	char why[BC_MAP_TEXT]; /* this witness could not be had, or could not tell */
	bool linear;	       /* false: @not_linear has the counter-example, and nothing below is known */
	char not_linear[BC_MAP_TEXT];
	struct bc_geometry geometry; /* the law: rows in reduced row echelon form, groups, merging, cas factor */
	bool ops[BC_NOPS];	     /* operations that were seen */
	struct bc_map_op op[BC_NOPS];
	bool cas;		     /* the factor of compare-and-swap was seen */
	struct bc_map_weight pairs;  /* of the bank function: pairs of addresses */
	struct bc_map_weight random; /* of the whole law: random patterns */
	double seconds;
};

struct bc_map_options {
	unsigned confirm; /* random patterns */
	uint64_t seed;
};

/**
 * bc_map_find - find the law by one witness
 * @a:      which operations there are, and its limits; its law only breaks ties between laws that explain all alike
 * @window: base and opt-in size, as the device showed them
 *
 * Return: BC_EDEVICE when the device died; a witness that is not to be had or cannot tell is no error (found: false).
 */
enum bc_status bc_map_find(const struct bc_map_source *s, enum bc_map_by by, const struct bc_arch *a,
			   const struct bc_window *window, const struct bc_map_options *o, struct bc_map_law *out,
			   struct bc_error *err);

/* Is the law one that has a text: found, linear, and nothing contradicts it? */
bool bc_map_law_is_sound(const struct bc_map_law *l);

/* The law in the words of --law, with the window's base; comments say what is not sound. */
enum bc_status bc_map_law_text(const struct bc_map_law *l, uint32_t window_base, struct bc_text *out,
			       struct bc_error *err);

#endif
