/* SPDX-License-Identifier: MIT */
#include "harness/report/json.h"

#include <math.h>

#include "harness/base/escape.h"

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

/* Where jansson's text goes. It does not heed every failure (of a key's, it does not), so the first one is kept here.
 */
struct sink {
	struct bc_text text;
	struct bc_error *err;
	enum bc_status st;
};

static int put(const char *bytes, size_t len, void *ctx)
{
	struct sink *s = ctx;

	if (!s->st)
		s->st = bc_text_add(&s->text, bytes, len, s->err);
	return s->st ? -1 : 0;
}

enum bc_status bc_json_write(json_t *root, bool compact, struct bc_text *out, struct bc_error *err)
{
	const size_t form = compact ? JSON_COMPACT : JSON_INDENT(1);
	struct sink s = { .err = err };

	if (!root || (json_dump_callback(root, put, &s, form | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(10)) && !s.st))
		s.st = bc_fail(err, BC_ENOMEM, "the JSON text cannot be made (out of memory?)");
	if (!s.st)
		s.st = bc_text_addf(out, err, "%s\n", s.text.data);
	bc_text_release(&s.text);
	json_decref(root);
	return s.st;
}
