/* SPDX-License-Identifier: MIT */
/* harness/report/json.h - what all JSON output shares. The schemas are in docs/json.md. */
#ifndef BC_REPORT_JSON_H
#define BC_REPORT_JSON_H

#include <jansson.h>

#include "harness/core/expect.h"

/* A string; what JSON or a terminal cannot carry is escaped (escape.h). NULL is null. Return: NULL: out of memory. */
json_t *bc_json_text(const char *s);

/* The same, but "" is null: a fact that is not known. */
json_t *bc_json_known(const char *s);

/* A number, null when it is not finite. */
json_t *bc_json_number(double v);

/* What is expected of a case: a list of quantity, lo, hi, origin, basis. */
json_t *bc_json_expected(const struct bc_bounds *b);

/**
 * bc_json_write - append @root and a line feed to @out, and release it
 * @root:    NULL: it could not be made
 * @compact: in one line
 *
 * Return: BC_ENOMEM.
 */
enum bc_status bc_json_write(json_t *root, bool compact, struct bc_text *out, struct bc_error *err);

#endif
