/* SPDX-License-Identifier: MIT */
#include "harness/map/report.h"

#include <string.h>

#include "harness/report/json.h"

#define SCHEMA "bankcheck-map-1"

static json_t *weight_json(const struct bc_map_weight *w)
{
	return json_pack("{sI, sI, so}", "supports", (json_int_t)w->supports, "contradicts", (json_int_t)w->contradicts,
			 "against", bc_json_known(w->against));
}

static json_t *number_or_null(double v)
{
	return v > 0 ? bc_json_number(v) : json_null();
}

static json_t *ops_json(const struct bc_map_law *l)
{
	json_t *list = json_array();

	for (unsigned k = 0; list && k < BC_NOPS; k++) {
		const struct bc_map_op *o = &l->op[k];

		if (!l->ops[k])
			continue;
		if (json_array_append_new(list, json_pack("{ss, si, ss, so, so, sI, sI, si, so}", "op",
							  bc_op_info((enum bc_op)k)->name, "group", (int)o->group,
							  "merge", bc_merge_name(o->merge), "cas_factor",
							  o->cas_factor ? json_integer(o->cas_factor) : json_null(),
							  "cycles", number_or_null(o->cycles), "bytes_together",
							  (json_int_t)o->bytes_together, "bytes_apart",
							  (json_int_t)o->bytes_apart, "alike", (int)o->alike,
							  "patterns", weight_json(&o->weight)))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *bits_json(const struct bc_map_law *l)
{
	uint32_t rows[BC_BANK_BITS_MAX];
	const unsigned n = bc_geometry_bank_bits(&l->geometry, rows);
	json_t *list = json_array();

	for (unsigned i = 0; list && i < n; i++) {
		json_t *row = json_array();

		for (uint32_t bits = rows[i]; row && bits; bits &= bits - 1)
			(void)json_array_append_new(row, json_integer(__builtin_ctz(bits)));
		if (json_array_append_new(list, row)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* A law by one witness; null: it was not asked for. */
static json_t *law_json(const struct bc_map_report *r, enum bc_map_by by)
{
	const struct bc_map_law *l = &r->law[by];
	struct bc_text text = { 0 };
	json_t *j;

	if (!r->asked[by])
		return json_null();
	if (!l->found)
		return json_pack("{sb, so}", "found", 0, "why", bc_json_text(l->why));
	if (!l->linear)
		return json_pack("{sb, sb, so, so}", "found", 1, "linear", 0, "counter_example",
				 bc_json_text(l->not_linear), "seconds", bc_json_number(l->seconds));
	if (bc_map_law_text(l, r->window.base, &text, NULL))
		return NULL;
	j = json_pack("{sb, sb, sb, si, si, so, so, so, so, so, so}", "found", 1, "linear", 1, "sound",
		      (int)bc_map_law_is_sound(l), "banks", (int)l->geometry.banks, "bank_bytes",
		      (int)l->geometry.bank_bytes, "bank_bits", bits_json(l), "pairs", weight_json(&l->pairs),
		      "operations", ops_json(l), "random", weight_json(&l->random), "law",
		      json_stringn(text.data, text.len), "seconds", bc_json_number(l->seconds));
	bc_text_release(&text);
	return j;
}

static json_t *lines_json(const char *text)
{
	json_t *list = json_array();

	for (const char *at = text ? text : ""; list && *at;) {
		const size_t n = strcspn(at, "\n");

		if (json_array_append_new(list, json_stringn(at, n))) {
			json_decref(list);
			return NULL;
		}
		at += n + (at[n] == '\n');
	}
	return list;
}

static json_t *device_json(const struct bc_map_report *r)
{
	const struct bc_window *w = &r->window;
	json_t *window = json_pack("{sI, sI, sI, sI, so, so}", "base", (json_int_t)w->base, "optin_bytes",
				   (json_int_t)w->optin_bytes, "static_bytes", (json_int_t)w->static_bytes, "sm_bytes",
				   (json_int_t)w->sm_bytes, "reserved_bytes",
				   w->blocks ? json_integer(w->reserved_bytes) : json_null(), "blocks",
				   w->blocks ? json_integer(w->blocks) : json_null());

	return json_pack("{so, so, so, so, so, sb, so, so, so, so, so, so, sb, sb, so, si, so, si}", "device",
			 bc_json_text(r->target.option), "name", bc_json_text(r->facts.name), "arch",
			 bc_json_text(r->target.arch.name), "uuid", bc_json_known(r->facts.uuid), "driver",
			 bc_json_known(r->facts.driver), "provisional", (int)r->target.arch.provisional, "window",
			 window, "l1_over_shared", number_or_null(r->l1_over_shared), "l2_over_shared",
			 number_or_null(r->l2_over_shared), "latency_absent", bc_json_known(r->latency_absent),
			 "counters", law_json(r, BC_MAP_COUNTERS), "clock", law_json(r, BC_MAP_CLOCK), "as_expected",
			 (int)!r->differs, "witnesses_agree", (int)!r->disagrees, "differences",
			 lines_json(r->differences.data), "deaths", (int)r->deaths, "death", bc_json_known(r->why),
			 "exit_status", bc_map_status(r));
}

enum bc_status bc_map_json(const struct bc_map_report *r, size_t n, int status, struct bc_text *out,
			   struct bc_error *err)
{
	json_t *devices = json_array();
	bool ok = devices != NULL;

	for (size_t i = 0; ok && i < n; i++)
		ok = json_array_append_new(devices, device_json(&r[i])) == 0;
	if (!ok) {
		json_decref(devices);
		return bc_fail(err, BC_ENOMEM, "map: out of memory");
	}
	return bc_json_write(json_pack("{ss, ss, si, so}", "schema", SCHEMA, "bankcheck", BC_VERSION, "exit_status",
				       status, "devices", devices),
			     false, out, err);
}
