/* SPDX-License-Identifier: MIT */
#include "harness/report/json.h"

#include <math.h>
#include <stdlib.h>

#include "harness/report/escape.h"

json_t *bc_json_text(const char *s)
{
	struct bc_text t = { 0 };
	json_t *j = NULL;

	if (!s)
		return json_null();
	if (!bc_escape_str(&t, BC_ESCAPE_LINE, s, NULL))
		j = json_string(t.data ? t.data : "");
	bc_text_release(&t);
	return j;
}

json_t *bc_json_known(const char *s)
{
	return bc_json_text(s && s[0] ? s : NULL);
}

json_t *bc_json_number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *bc_json_expected(const struct bc_bounds *b)
{
	json_t *list = json_array();

	for (int q = 0; list && b && q < BC_NQUANTITIES; q++) {
		const struct bc_row *r = b->row[q];

		if (r && json_array_append_new(
				 list, json_pack("{ss, so, so, ss, so}", "quantity", bc_quantity_name(r->quantity),
						 "lo", bc_json_number(r->lo), "hi", bc_json_number(r->hi), "origin",
						 bc_origin_name(r->origin), "basis", bc_json_text(r->basis)))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

enum bc_status bc_json_write(json_t *root, bool compact, struct bc_text *out, struct bc_error *err)
{
	const size_t form = compact ? JSON_COMPACT : JSON_INDENT(1);
	char *text = root ? json_dumps(root, form | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(10)) : NULL;
	enum bc_status st = text ? bc_text_addf(out, err, "%s\n", text)
				 : bc_fail(err, BC_ENOMEM, "the JSON text cannot be made (out of memory?)");

	free(text);
	json_decref(root);
	return st;
}
