/* SPDX-License-Identifier: MIT */
#include "harness/explain/json_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/report/json.h"

#define LIST_SCHEMA "bankcheck-list-1"
#define EXPLAIN_SCHEMA "bankcheck-explain-1"
#define PATTERN_SCHEMA "bankcheck-pattern-1"

/* What is known of a case wherever it runs, and what @arch lacks for it. */
static json_t *identity(const struct bc_case *c, const struct bc_arch *arch, const struct bc_bounds *b)
{
	char unmet[200];

	return json_pack("{so, so, so, so, so, so, so, so, so}", "case", bc_json_known(c->id), "suite",
			 bc_json_text(c->suite ? c->suite->name : NULL), "rule",
			 bc_json_text(c->rule ? c->rule->name : NULL), "variant", bc_json_known(c->variant), "sentence",
			 bc_json_text(c->rule ? c->rule->sentence : NULL), "source",
			 bc_json_text(c->rule ? c->rule->source : NULL), "twin", bc_json_known(c->twin), "unmet_need",
			 bc_json_text(bc_case_unmet(c, arch, unmet, sizeof(unmet)) ? unmet : NULL), "expected",
			 bc_json_expected(b));
}

enum bc_status bc_json_list(const struct bc_catalog *cat, const bool *chosen, const struct bc_arch *arch,
			    const struct bc_expect *expect, struct bc_text *out, struct bc_error *err)
{
	json_t *cases = json_array(), *root;
	bool whole = cases != NULL;

	for (size_t i = 0; whole && i < cat->n + cat->nhidden; i++) {
		struct bc_bounds b;

		if (!chosen[i])
			continue;
		bc_expect_find(expect, cat->cases[i].id, &b);
		whole = json_array_append_new(cases, identity(&cat->cases[i], arch, &b)) == 0;
	}
	if (!whole) {
		json_decref(cases);
		cases = NULL;
	}
	root = cases ? json_pack("{ss, ss, ss, sb, so}", "schema", LIST_SCHEMA, "bankcheck", BC_VERSION, "arch",
				 arch->name, "provisional", (int)arch->provisional, "cases", cases)
		     : NULL;
	return bc_json_write(root, false, out, err);
}

static json_t *lanes(const struct bc_program_request *r)
{
	json_t *list = json_array();

	for (unsigned lane = 0; list && lane < BC_LANES; lane++) {
		json_t *one = r->mask >> lane & 1 ? json_integer(r->addr[lane]) : json_null();

		if (json_array_append_new(list, one)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *touches(const struct bc_bank_access *t, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < n; i++) {
		json_t *one = json_pack("{si, si, si, si, sI}", "wavefront", t[i].wavefront, "bank", t[i].bank, "lane",
					t[i].lane, "group", t[i].group, "word", (json_int_t)t[i].word);

		if (json_array_append_new(list, one)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* One request, scheduled. */
static json_t *first_request(const struct bc_explain *e, const struct bc_program_request *r, struct bc_error *err,
			     enum bc_status *st)
{
	const struct bc_geometry g = bc_arch_geometry(e->arch);
	const struct bc_op_info *op = bc_op_info(r->op);
	const bool known = op->law != BC_LAW_UNKNOWN;
	struct bc_bank_access touch[BC_LANES * BC_LANE_WORDS_MAX];
	struct bc_wavefronts w = { 0 };
	char mask[16];
	size_t n = 0;

	if (known)
		*st = bc_banks_schedule(&g, r->op, r->addr, r->mask, &w, touch, BC_ARRAY_LEN(touch), &n, err);
	if (*st)
		return NULL;
	(void)snprintf(mask, sizeof(mask), "%08" PRIx32, r->mask);
	return json_pack(
		"{ss, ss, ss, so, so, so, so, sb, so}", "op", op->name, "instruction", op->mnemonic ? op->mnemonic : "",
		"mask", mask, "addresses", lanes(r), "wavefronts", known ? json_integer(w.wavefronts) : json_null(),
		"conflicts", known ? json_integer(w.conflicts) : json_null(), "groups",
		known ? json_integer(w.groups) : json_null(), "merged", (int)w.merged, "schedule", touches(touch, n));
}

static enum bc_status count_all(const struct bc_explain *e, struct bc_model *m, bool *known, struct bc_error *err)
{
	const struct bc_geometry g = bc_arch_geometry(e->arch);
	struct bc_program_request r;
	enum bc_status st = BC_OK;

	*m = (struct bc_model){ 0 };
	*known = true;
	for (; !st && bc_explain_request(e, m->requests, &r); m->requests++) {
		struct bc_wavefronts w = { 0 };

		if (bc_op_info(r.op)->law == BC_LAW_UNKNOWN)
			*known = false;
		else
			st = bc_banks_count(&g, r.op, r.addr, r.mask, &w, err);
		m->wavefronts += w.wavefronts;
		m->conflicts += w.conflicts;
	}
	return st;
}

enum bc_status bc_json_explain(const struct bc_explain *e, struct bc_text *out, struct bc_error *err)
{
	struct bc_program_request r = { .op = BC_OP_NONE };
	const char *why = bc_explain_undrawable(e);
	const bool drawn = !why && bc_explain_request(e, 0, &r);
	struct bc_model all = { 0 };
	bool known = false;
	json_t *root, *request = NULL;
	enum bc_status st = drawn ? count_all(e, &all, &known, err) : BC_OK;

	if (!st && drawn)
		request = first_request(e, &r, err, &st);
	if (st)
		return st;
	root = json_pack("{ss, ss, ss, so, so, so, so, so, so}", "schema", EXPLAIN_SCHEMA, "bankcheck", BC_VERSION,
			 "arch", e->arch->name, "banks", json_integer(e->arch->banks), "bank_bytes",
			 json_integer(e->arch->bank_bytes), "about", identity(e->c, e->arch, e->bounds), "not_drawn",
			 drawn ? json_null() : bc_json_text(why ? why : "the rule lists no request here"), "request",
			 drawn ? request : json_null(), "all",
			 drawn ? json_pack("{sI, so, so}", "requests", (json_int_t)all.requests, "wavefronts",
					   known ? json_integer((json_int_t)all.wavefronts) : json_null(), "conflicts",
					   known ? json_integer((json_int_t)all.conflicts) : json_null())
			       : json_null());
	return bc_json_write(root, false, out, err);
}

enum bc_status bc_json_pattern(const char *op, const char *name, const struct bc_arch *arch,
			       const struct bc_wavefronts *w, struct bc_text *out, struct bc_error *err)
{
	return bc_json_write(json_pack("{ss, ss, so, si, si, ss, sb}", "schema", PATTERN_SCHEMA, "op", op, "name",
				       bc_json_text(name), "wavefronts", (int)w->wavefronts, "conflicts",
				       (int)w->conflicts, "arch", arch->name, "provisional", (int)arch->provisional),
			     true, out, err);
}
