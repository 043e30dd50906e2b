/* SPDX-License-Identifier: MIT */
#include <jansson.h>

#include "harness/kernel/kernel.h"
#include "harness/report/json.h"

#define SCHEMA "bankcheck-kernel-1"

static json_t *row_json(const struct bc_kernel_report *r, const struct bc_kernel_row *row)
{
	const struct bc_kernel_count *n = &row->n;
	const bool shared = n->space == BC_PTX_SHARED;
	const bool law = shared && n->op != BC_OP_NONE && bc_op_info(n->op)->law != BC_LAW_UNKNOWN;
	char op[48];

	return json_pack(
		"{so, sI, sI, so, ss, sI, sI, so, so, so, so, so, so}", "file",
		bc_json_text(bc_kernel_file(r, row->place)), "line", (json_int_t)row->place.line, "ptx_line",
		(json_int_t)n->ptx_line, "operation", bc_json_text(bc_kernel_op_text(n, op)), "space",
		shared ? "shared" : "global", "requests", (json_int_t)n->requests, "lanes", (json_int_t)n->lanes,
		"wavefronts", law ? json_integer((json_int_t)n->wavefronts) : json_null(), "conflicts",
		law ? json_integer((json_int_t)n->conflicts) : json_null(), "sectors",
		shared ? json_null() : json_integer((json_int_t)n->sectors), "ideal_sectors",
		shared ? json_null() : json_integer((json_int_t)n->ideal_sectors), "worst",
		law && n->worst.lost ? json_pack("{sI, sI, sI, sI}", "wavefronts", (json_int_t)n->worst.wavefronts,
						 "ideal", (json_int_t)n->worst.ideal, "block",
						 (json_int_t)n->worst.block, "warp", (json_int_t)n->worst.warp)
				     : json_null(),
		"hint", bc_json_known(row->hint));
}

enum bc_status bc_kernel_json(const struct bc_kernel_report *r, double max, struct bc_text *out, struct bc_error *err)
{
	json_t *rows = json_array(), *findings = json_array();
	bool failed = !rows || !findings;

	for (size_t i = 0; !failed && i < r->nrows; i++)
		failed = json_array_append_new(rows, row_json(r, &r->row[i])) != 0;
	for (size_t i = 0; !failed && i < r->nfindings; i++)
		failed = json_array_append_new(findings, bc_json_text(r->finding[i])) != 0;
	if (failed) {
		json_decref(rows);
		json_decref(findings);
		return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
	}
	return bc_json_write(
		json_pack("{ss, ss, so, so, ss, s[III], s[III], sI, sI, so, so, so, sI}", "schema", SCHEMA, "bankcheck",
			  BC_VERSION, "entry", bc_json_text(r->entry), "name", bc_json_text(r->name), "arch", r->arch,
			  "grid", (json_int_t)r->grid[0], (json_int_t)r->grid[1], (json_int_t)r->grid[2], "block",
			  (json_int_t)r->block[0], (json_int_t)r->block[1], (json_int_t)r->block[2],
			  "static_shared_bytes", (json_int_t)r->static_bytes, "dynamic_shared_bytes",
			  (json_int_t)r->dynamic_bytes, "findings", findings, "lines", rows, "max_conflicts",
			  max < 0 ? json_null() : json_real(max), "above", (json_int_t)bc_kernel_above(r, max)),
		false, out, err);
}
