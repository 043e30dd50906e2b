/* SPDX-License-Identifier: MIT */
/* The summary as JSON: docs/json.md has the schema. */
#include "harness/app/print.h"
#include "harness/report/json.h"

#define APP_SCHEMA "bankcheck-app-1"

static bool add(json_t *list, json_t *one)
{
	return json_array_append_new(list, one) == 0;
}

static json_t *figures(const struct bc_app_kernel *k)
{
	json_t *o = json_object();

	for (unsigned f = 0; o && f < BC_NFIGURES; f++) {
		uint64_t launches;
		double v;
		json_t *one;

		if (bc_figure_of(k, (enum bc_figure)f, &v, &launches) != BC_FIGURE_THERE)
			continue;
		one = json_pack("{so, sI}", "value", bc_json_number(v), "launches", (json_int_t)launches);
		if (json_object_set_new(o, bc_figure_name((enum bc_figure)f), one)) {
			json_decref(o);
			return NULL;
		}
	}
	return o;
}

static json_t *counts(const struct bc_app_kernel *k)
{
	json_t *o = json_object();

	for (unsigned c = 0; o && c < BC_NCOUNTERS; c++) {
		json_t *one;

		if (!k->count[c].launches)
			continue;
		one = json_pack("{sI, sI}", "launches", (json_int_t)k->count[c].launches, "sum",
				(json_int_t)k->count[c].sum);
		if (json_object_set_new(o, bc_counter_name((enum bc_counter)c), one)) {
			json_decref(o);
			return NULL;
		}
	}
	return o;
}

static json_t *row(const struct bc_app_summary *s, const struct bc_app_row *r)
{
	const struct bc_app_name *n = &s->name[r->name];

	return json_pack("{so, so, so, ss, so, s[iii], s[iii], sI, sI, so, so, so}", "kernel", bc_json_text(n->brief),
			 "name", bc_json_text(n->full), "mangled", bc_json_text(n->mangled), "kind",
			 bc_app_kind_name(r->k.kind), "gpu", bc_json_text(r->gpu), "grid", (int)r->k.grid[0],
			 (int)r->k.grid[1], (int)r->k.grid[2], "block", (int)r->k.block[0], (int)r->k.block[1],
			 (int)r->k.block[2], "shared_bytes", (json_int_t)r->k.shared_bytes, "launches",
			 (json_int_t)r->k.launches, "lost_wavefronts", bc_json_number(bc_lost_wavefronts(&r->k)),
			 "figures", figures(&r->k), "counts", counts(&r->k));
}

static json_t *check(const struct bc_app_summary *s, const struct bc_app_check *c)
{
	return json_pack("{so, ss, ss, sf, so, ss, so, si}", "kernel",
			 bc_json_text(c->name == SIZE_MAX ? c->line->glob : s->name[c->name].full), "figure",
			 bc_figure_name(c->bound->figure), "bound", c->bound->least ? ">=" : "<=", "limit",
			 c->bound->value, "value", c->row ? bc_json_number(c->value) : json_null(), "verdict",
			 bc_app_verdict_name(c->verdict), "message", bc_json_text(c->message), "line",
			 (int)c->line->line);
}

static json_t *process(const struct bc_app_record *p)
{
	json_t *notes = json_array(), *left = json_array();

	for (size_t i = 0; notes && i < p->nnotes; i++)
		if (!add(notes, bc_json_text(p->note[i])))
			goto failed;
	for (size_t i = 0; left && i < p->nleft; i++)
		if (!add(left, json_pack("{sI, so}", "launches", (json_int_t)p->left[i].launches, "why",
					 bc_json_text(p->left[i].why))))
			goto failed;
	return json_pack("{sI, so, sb, sI, sI, so, so}", "pid", (json_int_t)p->pid, "command",
			 bc_json_text(p->command ? p->command : ""), "ended", (int)p->ended, "sessions",
			 (json_int_t)p->sessions, "void_sessions", (json_int_t)p->voids, "not_measured", left, "notes",
			 notes);
failed:
	json_decref(notes);
	json_decref(left);
	return NULL;
}

enum bc_status bc_app_print_json(const struct bc_app_report *r, struct bc_text *out, struct bc_error *err)
{
	const struct bc_app_summary *s = r->summary;
	json_t *rows = json_array(), *checks = json_array(), *processes = json_array(), *root = NULL;
	bool ok = rows && checks && processes;

	for (size_t i = 0; ok && i < s->nrows; i++)
		ok = add(rows, row(s, &s->row[i]));
	for (size_t i = 0; ok && i < s->nchecks; i++)
		ok = add(checks, check(s, &s->check[i]));
	for (size_t i = 0; ok && i < s->nrecords; i++)
		ok = add(processes, process(&s->record[i]));
	if (ok)
		root = json_pack("{ss, ss, so, si, si, so, sI, sI, so, so, so, so, so, so}", "schema", APP_SCHEMA,
				 "bankcheck", BC_VERSION, "command", bc_json_text(r->command), "exit_status",
				 r->end->status, "signal", r->end->signal, "seconds", bc_json_number(r->end->seconds),
				 "launches", (json_int_t)s->launches, "measured", (json_int_t)s->measured,
				 "extra_seconds", bc_json_number((double)s->extra_us / 1e6), "start_seconds",
				 bc_json_number((double)s->start_us / 1e6), "lost_wavefronts", bc_json_number(s->lost),
				 "kernels", json_incref(rows), "checks", json_incref(checks), "processes",
				 json_incref(processes));
	json_decref(rows);
	json_decref(checks);
	json_decref(processes);
	return bc_json_write(root, false, out, err);
}
