/* SPDX-License-Identifier: MIT */
/* harness/map/parts.h - groups of lanes and merging of one operation, the bank function being known. */
#ifndef BC_MAP_PARTS_H
#define BC_MAP_PARTS_H

#include "harness/map/linear.h"

/* Does the architecture have the operation, and the witness a way to see it? */
bool bc_parts_has_op(const struct bc_arch *a, enum bc_map_by by, enum bc_op op);

/**
 * bc_parts_draw - a random request that tells groups and merging apart
 * @kind: any; all are met when it counts up
 *
 * Addresses are of the window: random, on one word, in one bank, in equal pairs.
 */
void bc_parts_draw(struct bc_probe *p, const struct bc_linear *f, enum bc_op op, unsigned kind, struct bc_sample *out);

#define BC_PARTS_KINDS 14

/**
 * bc_parts_weigh - how many samples of one operation a law explains
 * @unit: by clock: cycles of a further wavefront of this operation; NULL by counters
 *
 * By counters a sample is explained when its numbers are the law's. By clock, when it takes as long as others that by
 * the law have as many groups and merged alike, but for @unit a wavefront.
 */
void bc_parts_weigh(const struct bc_probe *p, const struct bc_geometry *g, const struct bc_sample *s, size_t n,
		    const double *unit, struct bc_map_weight *out);

/**
 * bc_parts_find - the law of one operation
 * @g:   the bank function; gets the operation's group, merging and cas factor
 * @s:   [n] samples of the operation, measured
 * @own: the law that wins where several explain all samples
 */
void bc_parts_find(const struct bc_probe *p, struct bc_geometry *g, enum bc_op op, const struct bc_sample *s, size_t n,
		   const double *unit, const struct bc_geometry *own, struct bc_map_op *out);

/**
 * bc_parts_unit - by clock: what a further wavefront of an operation costs
 * @g:  the bank function, by which wavefronts are counted
 * @ok: false, with p->absent, when it cannot be told
 */
enum bc_status bc_parts_unit(struct bc_probe *p, const struct bc_linear *f, const struct bc_geometry *g, enum bc_op op,
			     double *unit, bool *ok, struct bc_error *err);

#endif
