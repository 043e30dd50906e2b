/* SPDX-License-Identifier: MIT */
/* The page: what was found, the lines by what they lose, and the source with a margin of counts. */
#include <string.h>

#include "harness/base/out.h"
#include "harness/html/sheet.h"
#include "harness/kernel/kernel.h"

static void put_rows(struct bc_out *o, const struct bc_kernel_report *r, double max)
{
	bc_put(o,
	       "<h2>Lines</h2>\n<div class=scroll><table class=grid><thead><tr><th scope=col>line<th scope=col>"
	       "operation<th scope=col>requests<th scope=col>wavefronts or sectors<th scope=col>conflicts<th scope=col>"
	       "a request<th scope=col>what would cure it<tbody>\n");
	for (size_t i = 0; i < r->nrows; i++) {
		const struct bc_kernel_row *row = &r->row[i];
		const bool shared = row->n.space == BC_PTX_SHARED;
		char op[48];

		bc_put(o, "<tr><th scope=row>");
		bc_sheet_text(o, bc_kernel_file(r, row->place));
		bc_putf(o, ":%u<td>%s<td class=num>%llu<td class=num>%llu<td class=num>", row->place.line,
			bc_kernel_op_text(&row->n, op), (unsigned long long)row->n.requests,
			(unsigned long long)(shared ? row->n.wavefronts : row->n.sectors));
		if (shared)
			bc_putf(o, "%llu<td class=num>%.3f%s<td>", (unsigned long long)row->n.conflicts,
				bc_kernel_conflicts(row), max >= 0 && bc_kernel_conflicts(row) > max ? " (above)" : "");
		else
			bc_putf(o, "<td class=num>%.3f sectors<td>", (double)row->n.sectors / (double)row->n.requests);
		bc_sheet_text(o, row->hint);
		bc_put(o, "\n");
	}
	bc_put(o, "</table></div>\n");
}

/* Of a line: requests and conflicts of all its operations of shared memory. */
static void margin_of(const struct bc_kernel_report *r, uint32_t file, uint32_t line, uint64_t *requests,
		      uint64_t *conflicts)
{
	*requests = *conflicts = 0;
	for (size_t i = 0; i < r->nrows; i++) {
		const struct bc_kernel_row *row = &r->row[i];

		if (row->place.file != file || row->place.line != line || row->n.space != BC_PTX_SHARED)
			continue;
		*requests += row->n.requests;
		*conflicts += row->n.conflicts;
	}
}

static void put_source(struct bc_out *o, const struct bc_kernel_report *r, uint32_t file)
{
	const char *at = r->source[file].text.data;

	bc_put(o, "<h2>");
	bc_sheet_text(o, r->source[file].path);
	bc_put(o, "</h2>\n<p>In the margin: requests of shared memory, and their conflicts.\n<div class=scroll><pre>");
	for (uint32_t line = 1; at && *at; line++) {
		const size_t len = strcspn(at, "\n");
		uint64_t requests, conflicts;
		struct bc_text one = { 0 };

		margin_of(r, file, line, &requests, &conflicts);
		if (!requests)
			bc_putf(o, "%27s %5u  ", "", line);
		else
			bc_putf(o, "%s%13llu %13llu%s %5u  ", conflicts ? "<b>" : "", (unsigned long long)requests,
				(unsigned long long)conflicts, conflicts ? "</b>" : "", line);
		for (size_t i = 0; !o->st && i < len; i++) /* a tab is as wide as a terminal shows it */
			o->st = at[i] == '\t' ? bc_text_addf(&one, o->err, "%*s", (int)(8 - one.len % 8), "")
					      : bc_text_add(&one, at + i, 1, o->err);
		if (one.data)
			bc_sheet_text(o, one.data);
		bc_text_release(&one);
		bc_put(o, "\n");
		at += len + (at[len] == '\n');
	}
	bc_put(o, "</pre></div>\n");
}

enum bc_status bc_kernel_page(const struct bc_kernel_report *r, double max, struct bc_text *out, struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };

	bc_sheet_begin(&o, r->name);
	bc_putf(&o,
		"<p>grid %u,%u,%u block %u,%u,%u, %u bytes of static and %u of dynamic shared memory; laws of %s "
		"applied "
		"to the PTX; ptxas may merge, widen or hoist\n",
		r->grid[0], r->grid[1], r->grid[2], r->block[0], r->block[1], r->block[2], r->static_bytes,
		r->dynamic_bytes, r->arch);
	for (size_t i = 0; i < r->nfindings; i++) {
		bc_put(&o, i ? "<li>" : "<h2>Findings</h2>\n<ul>\n<li>");
		bc_sheet_text(&o, r->finding[i]);
		bc_put(&o, i + 1 == r->nfindings ? "\n</ul>\n" : "\n");
	}
	put_rows(&o, r, max);
	for (uint32_t file = 0; file < (r->lines.nfiles ? r->lines.nfiles : 1); file++) {
		bool named = false;

		for (size_t i = 0; i < r->nrows; i++)
			named = named || r->row[i].place.file == file;
		if (named && r->source[file].text.len)
			put_source(&o, r, file);
	}
	bc_sheet_end(&o);
	return o.st;
}
