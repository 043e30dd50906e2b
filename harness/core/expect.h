/* SPDX-License-Identifier: MIT */
/* harness/core/expect.h - expected/: what must come out, as reviewed text.
 *
 * Line forms:  row <case id> <quantity> <lo> <hi> <origin> <basis in words>
 *              absent <case id> <quantity>
 * `#` starts a comment line; numbers in the C locale; fields separated by blanks.
 * (case, quantity) is looked up in sm_NN, then common; sm folders never chain.
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

struct bc_row {
	char id[BC_ID_MAX];
	enum bc_quantity quantity;
	bool absent;
	double lo, hi; /* closed interval */
	enum bc_origin_of_row origin;
	char basis[160];
	const char *path; /* where it is written; owned by the layer */
	unsigned line;
};

/* The rows of one folder (common or sm_NN), sorted by id, then quantity. */
struct bc_layer {
	struct bc_row *rows;
	size_t n;
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

/**
 * bc_layer_parse - add the rows of one text to a layer
 * @cat: to refuse rows of cases that do not exist
 *
 * Return: BC_EDATA with path:line for an unknown case, quantity, origin or line form, lo > hi, a number that is
 * not finite, a missing basis, or the same key twice in the layer (bc_layer_finish finds those).
 */
enum bc_status bc_layer_parse(struct bc_layer *l, const char *text, const char *path, const struct bc_catalog *cat,
			      struct bc_error *err);
/* Sort and refuse a key that is there twice (BC_EDATA naming both places). */
enum bc_status bc_layer_finish(struct bc_layer *l, struct bc_error *err);
/* All *.txt of <dir> but arch.txt and known.txt; then finish. A missing folder is an empty layer when @optional. */
enum bc_status bc_layer_load(const char *dir, bool optional, const struct bc_catalog *cat, struct bc_layer *out,
			     struct bc_error *err);
void bc_layer_release(struct bc_layer *l);

/* common and <arch> of an expected/ root. */
enum bc_status bc_expect_load(const char *expected_dir, const char *arch, const struct bc_catalog *cat,
			      struct bc_expect *out, struct bc_error *err);
void bc_expect_release(struct bc_expect *e);

/* Rows of a case: per quantity the arch's row, else common's; an `absent` row hides common's. */
void bc_expect_find(const struct bc_expect *e, const char *id, struct bc_bounds *out);

/* Identity of what was expected: hash over both layers. */
uint64_t bc_expect_hash(const struct bc_expect *e);

#endif
