/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/out.h"
#include "harness/explain/explain.h"
#include "harness/kernel/kernel.h"

static const char *const kinds[] = {
	[BC_PTX_LOAD] = "ld",		[BC_PTX_STORE] = "st",		[BC_PTX_ATOMIC] = "atom",
	[BC_PTX_LDMATRIX] = "ldmatrix", [BC_PTX_STMATRIX] = "stmatrix", [BC_PTX_COPY] = "cp.async"
};

const char *bc_kernel_op_text(const struct bc_kernel_count *n, char buf[48])
{
	if (n->space == BC_PTX_SHARED && n->op != BC_OP_NONE)
		(void)snprintf(buf, 48, "%s", bc_op_info(n->op)->name);
	else
		(void)snprintf(buf, 48, "%s.%s %u B", kinds[n->kind], n->space == BC_PTX_SHARED ? "shared" : "global",
			       n->bytes);
	return buf;
}

const char *bc_kernel_file(const struct bc_kernel_report *r, struct bc_source_place p)
{
	const char *path = r->source[p.file].path;

	return path ? path : "?";
}

const char *bc_kernel_source_line(const struct bc_kernel_report *r, struct bc_source_place p, size_t *len)
{
	const char *at = r->source[p.file].text.data;

	for (uint32_t n = 1; at && n < p.line; n++) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	*len = at ? strcspn(at, "\r\n") : 0;
	return at ? at : "";
}

double bc_kernel_conflicts(const struct bc_kernel_row *row)
{
	return row->n.space == BC_PTX_SHARED && row->n.requests ? (double)row->n.conflicts / (double)row->n.requests
								: 0;
}

size_t bc_kernel_above(const struct bc_kernel_report *r, double max)
{
	size_t n = 0;

	for (size_t i = 0; max >= 0 && i < r->nrows; i++)
		n += bc_kernel_conflicts(&r->row[i]) > max;
	return n;
}

static bool has_law(const struct bc_kernel_count *n)
{
	return n->op != BC_OP_NONE && bc_op_info(n->op)->law != BC_LAW_UNKNOWN;
}

/* The line of the source, without what is in front of it. */
static void put_source(struct bc_out *o, const struct bc_kernel_report *r, struct bc_source_place p)
{
	struct bc_text line = { 0 };
	size_t len;
	const char *s = bc_kernel_source_line(r, p, &len);

	while (len && (*s == ' ' || *s == '\t'))
		s++, len--;
	if (!o->st)
		o->st = bc_escape(&line, BC_ESCAPE_LINE, s, len < 80 ? len : 80, o->err);
	bc_put(o, line.data ? line.data : "");
	bc_text_release(&line);
}

/* "kernel.cu:12" of the last part of the path. */
static void place_text(const struct bc_kernel_report *r, struct bc_source_place p, char *buf, size_t size)
{
	const char *path = bc_kernel_file(r, p), *slash = strrchr(path, '/');

	(void)snprintf(buf, size, "%.60s:%u", slash ? slash + 1 : path, p.line);
}

static void put_row(struct bc_out *o, const struct bc_kernel_report *r, const struct bc_kernel_row *row, double max)
{
	const struct bc_kernel_count *n = &row->n;
	const double per = 1.0 / (double)n->requests;
	char place[80], op[48];

	place_text(r, row->place, place, sizeof(place));
	bc_putf(o, "%-18s %-14s %9llu %6.1f", place, bc_kernel_op_text(n, op), (unsigned long long)n->requests,
		(double)n->lanes * per);
	if (n->space == BC_PTX_GLOBAL)
		bc_putf(o, " %10llu %10llu %10.3f   ", (unsigned long long)n->sectors,
			(unsigned long long)n->ideal_sectors, (double)n->sectors * per);
	else if (has_law(n))
		bc_putf(o, " %10llu %10llu %10.3f %s ", (unsigned long long)n->wavefronts,
			(unsigned long long)n->conflicts, (double)n->conflicts * per,
			max >= 0 && bc_kernel_conflicts(row) > max ? "!" : " ");
	else
		bc_putf(o, " %10s %10s %10s   ", "no law", "-", "-");
	put_source(o, r, row->place);
	bc_put(o, "\n");
	if (n->worst.lost && n->space == BC_PTX_SHARED)
		bc_putf(o, "%18s worst: %u wavefronts instead of %u (%u-way), block %llu, warp %u\n", "",
			n->worst.wavefronts, n->worst.ideal,
			(n->worst.wavefronts + n->worst.ideal - 1) / (n->worst.ideal ? n->worst.ideal : 1),
			(unsigned long long)n->worst.block, n->worst.warp);
	if (row->hint[0])
		bc_putf(o, "%18s hint: %s\n", "", row->hint);
}

static void put_head(struct bc_out *o, const struct bc_kernel_report *r)
{
	bc_put_line(o, r->name);
	bc_putf(o,
		"\ngrid %u,%u,%u block %u,%u,%u, %u bytes of static and %u of dynamic shared memory\n"
		"laws of %s applied to the PTX; ptxas may merge, widen or hoist\n",
		r->grid[0], r->grid[1], r->grid[2], r->block[0], r->block[1], r->block[2], r->static_bytes,
		r->dynamic_bytes, r->arch);
}

static void put_sums(struct bc_out *o, const struct bc_ptx_counts *n)
{
	const struct {
		const char *name;
		uint64_t requests, wavefronts, conflicts;
	} rows[] = { { "ld", n->ld_requests + n->ldsm_requests, n->ld_wavefronts, n->ld_conflicts },
		     { "st", n->st_requests + n->stsm_requests, n->st_wavefronts, n->st_conflicts },
		     { "atom", n->atom_requests, n->atom_wavefronts, n->atom_conflicts } };

	bc_put(o, "\nAll of the kernel, as the counters of a class: requests, wavefronts, conflicts\n");
	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++)
		bc_putf(o, "  %-5s %10llu %10llu %10llu\n", rows[i].name, (unsigned long long)rows[i].requests,
			(unsigned long long)rows[i].wavefronts, (unsigned long long)rows[i].conflicts);
	bc_putf(o, "  %llu warp instructions\n", (unsigned long long)n->instructions);
}

enum bc_status bc_kernel_text(const struct bc_kernel_report *r, double max, struct bc_text *out, struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };
	const size_t above = bc_kernel_above(r, max);
	int space = -1;

	put_head(&o, r);
	for (size_t i = 0; i < r->nfindings; i++) {
		bc_put(&o, i ? "FINDING " : "\nFINDING ");
		bc_put_line(&o, r->finding[i]);
		bc_put(&o, "\n");
	}
	for (size_t i = 0; i < r->nrows; i++) {
		if ((int)r->row[i].n.space != space)
			bc_putf(&o, "\n%-18s %-14s %9s %6s %10s %10s %10s\n",
				r->row[i].n.space == BC_PTX_SHARED ? "Shared memory" : "Global memory", "operation",
				"requests", "lanes", r->row[i].n.space == BC_PTX_SHARED ? "wavefronts" : "sectors",
				r->row[i].n.space == BC_PTX_SHARED ? "conflicts" : "ideal", "a request");
		space = (int)r->row[i].n.space;
		put_row(&o, r, &r->row[i], max);
	}
	put_sums(&o, &r->counts);
	if (max >= 0)
		bc_putf(&o, "\n%zu line%s above %g conflicts a request (--max-conflicts)\n", above,
			above == 1 ? "" : "s", max);
	return o.st;
}

enum bc_status bc_kernel_draw(const struct bc_kernel_report *r, const struct bc_arch *arch, unsigned line,
			      struct bc_text *out, struct bc_error *err)
{
	const struct bc_kernel_row *row = NULL;
	struct bc_case made = { .id = "" };
	uint32_t low = UINT32_MAX;

	for (size_t i = 0; i < r->nrows && !row; i++)
		if (r->row[i].place.line == line && r->row[i].n.space == BC_PTX_SHARED && has_law(&r->row[i].n))
			row = &r->row[i];
	if (!row)
		return bc_fail(err, BC_EUSAGE, "--draw %u: that line has no request of shared memory with a bank law",
			       line);
	made.pattern.op = row->n.op;
	made.pattern.mask = bc_op_info(row->n.op)->matrices ? UINT32_MAX : row->n.worst.mask;
	made.pattern.count = 1;
	/* From the start of the window, or of the request's lines of 128 bytes where that is far away: banks stay. */
	for (uint32_t m = row->n.worst.mask; m; m &= m - 1) {
		const uint32_t a = (uint32_t)row->n.worst.addr[__builtin_ctz(m)];

		low = a < low ? a : low;
	}
	low &= ~127u;
	for (unsigned l = 0; l < BC_LANES; l++)
		made.pattern.offset[l] = row->n.worst.mask >> l & 1u ? (uint32_t)row->n.worst.addr[l] - low : 0;
	return bc_explain_draw(&(struct bc_explain){ .c = &made, .arch = arch }, out, err);
}
