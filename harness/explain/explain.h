/* SPDX-License-Identifier: MIT */
/* harness/explain/explain.h - a case drawn: lane, address, bank, wavefront, and the law behind the count. */
#ifndef BC_EXPLAIN_EXPLAIN_H
#define BC_EXPLAIN_EXPLAIN_H

#include "harness/core/expect.h"

#define BC_EXPLAIN_COLUMNS 100 /* no line is wider */

struct bc_explain {
	const struct bc_case *c; /* id "" and rule NULL: a pattern of nobody's catalogue */
	const struct bc_arch *arch;
	const struct bc_bounds *bounds; /* what is expected of the case; NULL: nothing is known */
	bool utf8;			/* false: nothing but ASCII */
};

/**
 * bc_explain_draw - append the picture of a case to @out
 *
 * Head: case, rule, operation, active lanes, law, architecture. Lanes: lane -> address -> bank -> wavefront. Banks: a
 * column each (32 a band), a row a wavefront, by the groups of lanes that are served together; a cell names the lane,
 * or how many lanes one word serves at once. Foot: counts, what was broadcast or merged, all requests of the case, what
 * is expected, the clean twin. Of several requests the first is drawn. A program whose rule lists no requests has no
 * lanes and no banks to draw, and says so.
 *
 * Return: BC_EDATA when the pattern is one that its operation cannot have, BC_ENOMEM.
 */
enum bc_status bc_explain_draw(const struct bc_explain *e, struct bc_text *out, struct bc_error *err);

/* Why a case has no addresses to draw; NULL: it has. */
const char *bc_explain_undrawable(const struct bc_explain *e);

/* Request @k of a case. Return: false when there is none. */
bool bc_explain_request(const struct bc_explain *e, uint64_t k, struct bc_program_request *r);

#endif
