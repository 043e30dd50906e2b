/* SPDX-License-Identifier: MIT */
/* harness/explain/json_case.h - cases as JSON: `list` and `explain`. docs/json.md has the schemas. */
#ifndef BC_EXPLAIN_JSON_CASE_H
#define BC_EXPLAIN_JSON_CASE_H

#include "harness/explain/explain.h"

/* Append the chosen cases (@chosen: [cat->n + cat->nhidden]) as one document. BC_ENOMEM. */
enum bc_status bc_json_list(const struct bc_catalog *cat, const bool *chosen, const struct bc_arch *arch,
			    const struct bc_expect *expect, struct bc_text *out, struct bc_error *err);

/* Append what bc_explain_draw draws, as one document. BC_EDATA, BC_ENOMEM. */
enum bc_status bc_json_explain(const struct bc_explain *e, struct bc_text *out, struct bc_error *err);

/* Append the counts of one pattern of a table, as one line. BC_ENOMEM. */
enum bc_status bc_json_pattern(const char *op, const char *name, const struct bc_arch *arch,
			       const struct bc_wavefronts *w, struct bc_text *out, struct bc_error *err);

#endif
