/* SPDX-License-Identifier: MIT */
/* harness/core/expect.h - expected/: what must come out, as reviewed text.
 *
 * Line forms:  row <case id> <quantity>=<n or lo..hi> ... <origin> <basis in words>
 *              absent <case id>
 * All quantities of a case stand in one row. `<quantity>=unknown`: nobody knows what it must be; it is reported, not
 * judged.
 * `#` starts a comment line; numbers in the C locale; fields separated by blanks.
 * A case is looked up in sm_NN, then common; a row there replaces the whole row here; sm folders never chain.
 */
#ifndef BC_CORE_EXPECT_H
#define BC_CORE_EXPECT_H

#include "harness/core/case.h"

enum bc_quantity {
	BC_Q_WAVEFRONTS = 0, /* per request */
	BC_Q_CONFLICTS,	     /* per request */
	BC_Q_SECTORS,	     /* per request, global memory */
	BC_Q_CLOCK_RATIO,
	BC_Q_CLOCK_SLOPE,
	BC_Q_REQUESTS, /* requests of one run of the case */
	BC_Q_DATA,     /* judged by data alone; lo = hi = 1 */
	BC_NQUANTITIES
};

enum bc_origin_of_row { BC_ORIGIN_RULE = 0, BC_ORIGIN_DOCUMENTED, BC_ORIGIN_PUBLISHED, BC_ORIGIN_MEASURED };

/* One quantity of a row. */
struct bc_row {
	char id[BC_ID_MAX];
	enum bc_quantity quantity;
	bool absent;   /* the line takes the case's row away; the quantity means nothing */
	bool unknown;  /* no figure: lo is -infinity, hi infinity */
	double lo, hi; /* closed interval */
	enum bc_origin_of_row origin;
	char basis[160];
	const char *path; /* where it is written; owned by the layer */
	unsigned line;
};

/* The rows of one folder (common or sm_NN), sorted by id, then quantity. */
struct bc_layer {
	struct bc_row *rows;
	size_t n, cap;
	char **paths;
	size_t npaths;
	uint64_t hash; /* of the folder's texts in order of file name */
};

struct bc_expect {
	struct bc_layer common, arch;
};

/* What the judge needs of one case: rows found by quantity, NULL where there is none. */
struct bc_bounds {
	const struct bc_row *row[BC_NQUANTITIES];
};

const char *bc_quantity_name(enum bc_quantity q);
bool bc_quantity_parse(const char *name, enum bc_quantity *out);
const char *bc_origin_name(enum bc_origin_of_row o);

#define BC_BOUNDS_MAX 72

/* "2", "0..0.25" or "unknown". Return: @buf. */
const char *bc_bounds_text(const struct bc_row *r, char buf[BC_BOUNDS_MAX]);

/* Is @v inside the row? NaN is outside of every row but an unknown one. The one formula for it. */
bool bc_row_holds(const struct bc_row *r, double v);

/**
 * bc_layer_parse - add the rows of one text to a layer
 * @cat: to refuse rows of cases that do not exist
 *
 * Return: BC_EDATA with path:line for an unknown case, quantity, origin or line form, lo > hi, a number that is
 * not finite, a missing basis, a quantity twice in a row, or a case twice in the layer (bc_layer_finish finds those).
 */
enum bc_status bc_layer_parse(struct bc_layer *l, const char *text, const char *path, const struct bc_catalog *cat,
			      struct bc_error *err);
/* Sort and refuse a case that is there twice (BC_EDATA naming both places). */
enum bc_status bc_layer_finish(struct bc_layer *l, struct bc_error *err);
/* All *.txt of <dir> but arch.txt and known.txt; then finish. A missing folder is an empty layer when @optional. */
enum bc_status bc_layer_load(const char *dir, bool optional, const struct bc_catalog *cat, struct bc_layer *out,
			     struct bc_error *err);
void bc_layer_release(struct bc_layer *l);

/* common and <arch> of an expected/ root. */
enum bc_status bc_expect_load(const char *expected_dir, const char *arch, const struct bc_catalog *cat,
			      struct bc_expect *out, struct bc_error *err);
void bc_expect_release(struct bc_expect *e);

/* The row of a case: the architecture's, else common's; `absent` in the architecture's folder hides common's. */
void bc_expect_find(const struct bc_expect *e, const char *id, struct bc_bounds *out);

/**
 * bc_expect_check - has every row the quantities that its case counts?
 *
 * Wavefronts and conflicts of loads, stores and atomics (conflicts alone of cp.async, which has no wavefront counter),
 * sectors of global accesses, requests of a kernel that states none, a ratio or slope of a case about time. A case that
 * the architecture cannot run, and one without a row, is passed over.
 *
 * Return: BC_EDATA with path:line, the case and the quantity that its row lacks.
 */
enum bc_status bc_expect_check(const struct bc_expect *e, const struct bc_catalog *cat, const struct bc_arch *a,
			       struct bc_error *err);

/* Identity of what was expected: hash over both layers. */
uint64_t bc_expect_hash(const struct bc_expect *e);

#endif
