/* SPDX-License-Identifier: MIT */
/* What a launch came to: its memory instructions by source line, in order of what they lose, and what would cure them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kernel/kernel.h"

/* Wavefronts of the worst request with its lanes @step bytes apart. @element not 0: lane k of them is k elements of so
 * many bytes further on in its row, where column ^ row puts column 0. Return: 0: the law does not apply. */
static unsigned cost_of(const struct bc_kernel_row *row, const struct bc_geometry *g, uint32_t base, uint32_t step,
			uint32_t element)
{
	struct bc_wavefronts n = { 0 };
	uint32_t addr[BC_LANES] = { 0 }, k = 0;

	for (uint32_t m = row->n.worst.mask; m; m &= m - 1, k++)
		addr[__builtin_ctz(m)] = (base & ~15u) + k * step + (element ? k % (step / element) * element : 0);
	return bc_banks_count(g, row->n.op, addr, row->n.worst.mask, &n, NULL) ? 0 : n.wavefronts;
}

/* Equal distances between the lanes: what the same request with one more element between them would cost. */
static void find_hint(struct bc_kernel_row *row, const struct bc_arch *arch)
{
	const struct bc_kernel_worst *w = &row->n.worst;
	const struct bc_geometry g = bc_arch_geometry(arch);
	const struct bc_op_info *op = bc_op_info(row->n.op);
	uint32_t step = 0, previous = 0, base = 0;
	bool first = true, second = false;

	if (row->n.space != BC_PTX_SHARED || !w->lost || op->matrices)
		return;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		const uint32_t a = (uint32_t)w->addr[__builtin_ctz(m)];

		if (first)
			base = a;
		else if (!second)
			step = a - previous;
		else if (a - previous != step)
			return;
		second = !first;
		first = false;
		previous = a;
	}
	if (step % 4 || step <= op->bytes || step > 1u << 16)
		return;
	row->hint[0] = '\0';
	for (uint32_t pad = op->bytes < 4 ? 4 : op->bytes; pad <= 16 && !row->hint[0]; pad *= 2) {
		const unsigned n = cost_of(row, &g, base, step + pad, 0);

		if (n && n < w->wavefronts)
			(void)snprintf(
				row->hint, sizeof(row->hint),
				"lanes are %u bytes apart: %u bytes apart (%u of padding a row) takes %u wavefront%s, "
				"not %u",
				step, step + pad, pad, n, n == 1 ? "" : "s", w->wavefronts);
	}
	const uint32_t columns = step / op->bytes;

	/* In a row of 24, column 16 ^ row 15 is 31, which is in the next one. */
	if (row->hint[0] && op->bytes >= 4 && step % op->bytes == 0 && (columns & (columns - 1)) == 0) {
		const unsigned n = cost_of(row, &g, base, step, op->bytes);
		const size_t len = strlen(row->hint);

		if (n && n < w->wavefronts)
			(void)snprintf(row->hint + len, sizeof(row->hint) - len, "; column ^ row takes %u", n);
	}
}

static uint64_t lost(const struct bc_kernel_count *n)
{
	return n->space == BC_PTX_SHARED ? n->conflicts : n->sectors - n->ideal_sectors;
}

static int by_loss(const void *a, const void *b)
{
	const struct bc_kernel_row *x = a, *y = b;

	if (x->n.space != y->n.space)
		return x->n.space == BC_PTX_SHARED ? -1 : 1;
	if (lost(&x->n) != lost(&y->n))
		return lost(&x->n) > lost(&y->n) ? -1 : 1;
	if (x->place.file != y->place.file)
		return x->place.file < y->place.file ? -1 : 1;
	if (x->place.line != y->place.line)
		return x->place.line < y->place.line ? -1 : 1;
	return x->n.ptx_line < y->n.ptx_line ? -1 : 1;
}

static bool same_row(const struct bc_kernel_row *r, struct bc_source_place p, const struct bc_kernel_count *n)
{
	return r->place.file == p.file && r->place.line == p.line && r->n.space == n->space && r->n.kind == n->kind &&
	       r->n.op == n->op && r->n.bytes == n->bytes;
}

enum bc_status bc_kernel_rows(struct bc_kernel_tally *t, const struct bc_arch *arch, struct bc_kernel_report *r,
			      struct bc_error *err)
{
	struct bc_kernel_count *count = NULL;
	size_t n = 0;
	enum bc_status st = bc_kernel_tally_take(t, &count, &n, err);

	r->row = st ? NULL : calloc(n + 1, sizeof(*r->row));
	if (!st && !r->row)
		st = bc_fail(err, BC_ENOMEM, "kernel: out of memory");
	for (size_t i = 0; !st && i < n; i++) {
		const unsigned line = count[i].ptx_line <= r->lines.nlines ? count[i].ptx_line : 0;
		const struct bc_source_place p = r->lines.at[line];
		size_t k = 0;

		while (k < r->nrows && !same_row(&r->row[k], p, &count[i]))
			k++;
		if (k == r->nrows) {
			r->row[r->nrows++] = (struct bc_kernel_row){ .place = p, .n = count[i] };
			continue;
		}
		const uint32_t before = r->row[k].n.worst.lost;

		bc_kernel_count_add(&r->row[k].n, &count[i]);
		if (r->row[k].n.worst.lost != before)
			r->row[k].n.ptx_line = line;
	}
	free(count);
	if (!st && r->nrows)
		qsort(r->row, r->nrows, sizeof(*r->row), by_loss);
	for (size_t i = 0; i < r->nrows; i++)
		find_hint(&r->row[i], arch);
	return st;
}
