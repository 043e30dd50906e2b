/* SPDX-License-Identifier: MIT */
#include "harness/app/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/out.h"
#include "harness/base/textfile.h"

#define ROWS 20

/* The columns: a class's requests a launch and its conflicts a request. */
static const struct {
	const char *title;
	enum bc_figure figure;
} columns[] = {
	{ "ld", BC_FIGURE_LD_CONFLICTS },     { "st", BC_FIGURE_ST_CONFLICTS },
	{ "atom", BC_FIGURE_ATOM_CONFLICTS }, { "ldgsts", BC_FIGURE_LDGSTS_CONFLICTS },
	{ "gmma", BC_FIGURE_GMMA_CONFLICTS }, { "sectors", BC_FIGURE_SECTORS },
};

static void put_figure(struct bc_out *o, const struct bc_app_kernel *k, enum bc_figure f)
{
	char text[BC_NUMBER_MAX + 2] = "?";
	uint64_t launches;
	double v;

	switch (bc_figure_of(k, f, &v, &launches)) {
	case BC_FIGURE_THERE: (void)snprintf(text, sizeof(text), v < 100 ? "%.3f" : "%.1f", v); break;
	case BC_FIGURE_NONE: (void)bc_strlcpy(text, "-", sizeof(text)); break;
	case BC_FIGURE_UNCOUNTED: break;
	}
	bc_putf(o, " %8s", text);
}

static void put_table(const struct bc_app_report *r, bool all, struct bc_out *o)
{
	const struct bc_app_summary *s = r->summary;
	const size_t n = all || s->nrows < ROWS ? s->nrows : ROWS;

	bc_putf(o, "%8s %8s", "lost", "launches");
	for (size_t c = 0; c < BC_ARRAY_LEN(columns); c++)
		bc_putf(o, " %8s", columns[c].title);
	bc_put(o, "  kernel (grid, block, shared bytes)\n");
	for (size_t i = 0; i < n; i++) {
		const struct bc_app_row *row = &s->row[i];
		const double lost = bc_lost_wavefronts(&row->k);

		bc_putf(o, "%7.1f%% %8" PRIu64, s->lost > 0 ? 100 * lost / s->lost : 0, row->k.launches);
		for (size_t c = 0; c < BC_ARRAY_LEN(columns); c++)
			put_figure(o, &row->k, columns[c].figure);
		bc_put(o, "  ");
		bc_put_line(o, s->name[row->name].brief);
		if (row->k.kind == BC_APP_KERNEL)
			bc_putf(o, " (%u,%u,%u; %u,%u,%u; %u)", row->k.grid[0], row->k.grid[1], row->k.grid[2],
				row->k.block[0], row->k.block[1], row->k.block[2], row->k.shared_bytes);
		bc_put(o, "\n");
	}
	if (n < s->nrows)
		bc_putf(o, "and %zu more (-v, or --reports DIR)\n", s->nrows - n);
	bc_put(o, "lost: share of the program's wavefronts beyond the ideal. Columns: conflicts a request (gmma: a "
		  "wavefront), sectors a request; -: none made, ?: not counted\n");
}

static void put_checks(const struct bc_app_report *r, bool all, struct bc_out *o)
{
	const struct bc_app_summary *s = r->summary;

	for (size_t i = 0; i < s->nchecks; i++) {
		const struct bc_app_check *c = &s->check[i];

		if (!all && (c->verdict == BC_APP_PASS || c->verdict == BC_APP_SKIP))
			continue;
		bc_putf(o, "%-5s ", bc_app_verdict_name(c->verdict));
		bc_put_line(o, c->name == SIZE_MAX ? c->line->glob : s->name[c->name].brief);
		bc_put(o, ": ");
		bc_put_line(o, c->message);
		bc_put(o, "\n");
	}
	bc_putf(o, "budget: %zu passed, %zu failed, %zu known, %zu without such requests, %zu could not be judged\n",
		s->count[BC_APP_PASS], s->count[BC_APP_FAIL], s->count[BC_APP_XFAIL], s->count[BC_APP_SKIP],
		s->count[BC_APP_ERROR]);
}

static void put_notes(const struct bc_app_summary *s, struct bc_out *o)
{
	for (size_t i = 0; i < s->nrecords; i++) {
		const struct bc_app_record *p = &s->record[i];

		for (size_t k = 0; k < p->nleft; k++)
			bc_putf(o, "process %ld: %" PRIu64 " launches not measured: %s\n", p->pid, p->left[k].launches,
				p->left[k].why);
		for (size_t k = 0; k < p->nnotes; k++) {
			bc_putf(o, "process %ld: ", p->pid);
			bc_put_line(o, p->note[k]);
			bc_put(o, "\n");
		}
		if (!p->ended)
			bc_putf(o, "process %ld ended without its last counts: it was killed, or left by _exit\n",
				p->pid);
	}
}

enum bc_status bc_app_print_text(const struct bc_app_report *r, bool all, struct bc_text *out, struct bc_error *err)
{
	const struct bc_app_summary *s = r->summary;
	struct bc_out o = { .to = out, .err = err };

	bc_put(&o, "bankcheck app: ");
	bc_put_line(&o, r->command);
	bc_putf(&o, "\n%zu process%s with CUDA, %" PRIu64 " launches of %zu kernels", s->nrecords,
		s->nrecords == 1 ? "" : "es", s->launches, s->nnames);
	bc_putf(&o, "; %" PRIu64 " measured in %" PRIu64 " sessions (%" PRIu64 " void)", s->measured, s->sessions,
		s->voids);
	if (s->measured)
		bc_putf(&o, ", %.2f ms more each, %.2f s to start", (double)s->extra_us / 1e3 / (double)s->measured,
			(double)s->start_us / 1e6);
	bc_put(&o, "\n");
	if (s->nrows)
		put_table(r, all, &o);
	put_notes(s, &o);
	if (r->budget)
		put_checks(r, all, &o);
	return o.st;
}
