/* SPDX-License-Identifier: MIT */
/* The summary as a page that asks for nothing else. */
#include "harness/app/page.h"

#include <inttypes.h>

#include "harness/app/print.h"
#include "harness/html/page.h"

static const struct {
	const char *title;
	enum bc_figure figure;
} columns[] = {
	{ "ld", BC_FIGURE_LD_CONFLICTS },	  { "st", BC_FIGURE_ST_CONFLICTS },
	{ "atom", BC_FIGURE_ATOM_CONFLICTS },	  { "ldgsts", BC_FIGURE_LDGSTS_CONFLICTS },
	{ "gmma", BC_FIGURE_GMMA_CONFLICTS },	  { "sectors", BC_FIGURE_SECTORS },
	{ "arbitration", BC_FIGURE_ARBITRATION }, { "\u00b5s", BC_FIGURE_DURATION },
};

static void put_lines(struct bc_html *p, const char *const *line)
{
	for (; *line; line++)
		bc_put(&p->out, *line);
}

static void put_head(struct bc_html *p, const struct bc_app_report *r)
{
	const struct bc_app_summary *s = r->summary;

	bc_put(&p->out, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta "
			"http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
			"form-action 'none'; style-src 'sha256-");
	bc_put(&p->out, bc_app_style_hash);
	bc_put(&p->out, "'; script-src 'sha256-");
	bc_put(&p->out, bc_app_script_hash);
	bc_put(&p->out, "'\">\n<meta name=viewport content=\"width=device-width, initial-scale=1\">\n<meta "
			"name=color-scheme content=\"light dark\">\n<title>");
	if (r->budget)
		bc_put(&p->out, s->count[BC_APP_FAIL] ? "FAIL: " : s->count[BC_APP_ERROR] ? "ERROR: " : "PASS: ");
	bc_html_text(p, r->command);
	bc_put(&p->out, " - bankcheck app</title>\n<style>");
	put_lines(p, bc_app_style);
	bc_put(&p->out, "</style>\n</head>\n<body>\n<h1>bankcheck app</h1>\n<p><code>");
	bc_html_text(p, r->command);
	bc_putf(&p->out,
		"</code>\n<p>%" PRIu64 " launches of %zu kernels; %" PRIu64 " measured, %.2f ms more each; %" PRIu64
		" counter sessions, %" PRIu64 " void.\n<p>",
		s->launches, s->nnames, s->measured, s->measured ? (double)s->extra_us / 1e3 / (double)s->measured : 0,
		s->sessions, s->voids);
	for (size_t i = 0; i < s->nrecords; i++)
		for (size_t d = 0; d < s->record[i].ndevices; d++) {
			bc_html_text(p, s->record[i].device[d].name);
			bc_putf(&p->out, " (%s) ", s->record[i].device[d].arch);
		}
	bc_put(&p->out, "\n");
}

static void put_figure(struct bc_html *p, const struct bc_app_kernel *k, enum bc_figure f)
{
	uint64_t launches;
	double v;

	switch (bc_figure_of(k, f, &v, &launches)) {
	case BC_FIGURE_THERE:
		bc_putf(&p->out, "<td data-v=%.6g title=\"on %" PRIu64 " launches\">%.*f", v, launches, v < 100 ? 3 : 1,
			v);
		return;
	case BC_FIGURE_NONE: bc_put(&p->out, "<td data-v=-1 title=\"makes no such request\">\u2013"); return;
	case BC_FIGURE_UNCOUNTED: bc_put(&p->out, "<td data-v=-2 title=\"not counted\">?"); return;
	}
}

static void put_row(struct bc_html *p, const struct bc_app_summary *s, const struct bc_app_row *r)
{
	const double lost = bc_lost_wavefronts(&r->k), share = s->lost > 0 ? 100 * lost / s->lost : 0;

	/* the bar is a drawing, for the policy lets no style in that is not the page's */
	bc_putf(&p->out,
		"<tr><td data-v=%.6g>%.1f %%<svg class=bar viewBox=\"0 0 100 1\" preserveAspectRatio=none "
		"aria-hidden=true><rect width=%.2f height=1 fill=#c33></rect></svg><td data-v=%" PRIu64 ">%" PRIu64,
		lost, share, share, r->k.launches, r->k.launches);
	for (size_t c = 0; c < BC_ARRAY_LEN(columns); c++)
		put_figure(p, &r->k, columns[c].figure);
	bc_put(&p->out, "<td class=k><code>");
	bc_html_text(p, s->name[r->name].brief);
	bc_put(&p->out, "</code>");
	if (r->k.kind == BC_APP_KERNEL)
		bc_putf(&p->out, " grid %u,%u,%u block %u,%u,%u shared %u", r->k.grid[0], r->k.grid[1], r->k.grid[2],
			r->k.block[0], r->k.block[1], r->k.block[2], r->k.shared_bytes);
	bc_put(&p->out, "<small>");
	bc_html_text(p, s->name[r->name].full);
	bc_put(&p->out, "</small>\n");
}

static void put_kernels(struct bc_html *p, const struct bc_app_summary *s)
{
	bc_put(&p->out, "<h2>Kernels</h2>\n<p>Lost: share of the program's wavefronts beyond the ideal. ld to ldgsts: "
			"conflicts a request, gmma: a wavefront; sectors a request; arbitration a launch.\n<div "
			"class=wide><table id=kernels><thead><tr><th aria-sort=descending>lost<th>launches");
	for (size_t c = 0; c < BC_ARRAY_LEN(columns); c++)
		bc_putf(&p->out, "<th>%s", columns[c].title);
	bc_put(&p->out, "<th class=k>kernel</thead>\n<tbody>\n");
	for (size_t i = 0; i < s->nrows; i++)
		put_row(p, s, &s->row[i]);
	bc_put(&p->out, "</tbody></table></div>\n");
}

static void put_checks(struct bc_html *p, const struct bc_app_summary *s, bool findings)
{
	for (size_t i = 0; i < s->nchecks; i++) {
		const struct bc_app_check *c = &s->check[i];
		const char *verdict = bc_app_verdict_name(c->verdict);

		if ((c->verdict == BC_APP_FAIL || c->verdict == BC_APP_ERROR) != findings)
			continue;
		bc_putf(&p->out, "<tr><td class=\"v %s\">%s<td class=k><code>", verdict, verdict);
		bc_html_text(p, c->name == SIZE_MAX ? c->line->glob : s->name[c->name].brief);
		bc_put(&p->out, "</code><td class=k>");
		bc_html_text(p, c->message);
		bc_put(&p->out, "\n");
	}
}

static void put_notes(struct bc_html *p, const struct bc_app_summary *s)
{
	bc_put(&p->out, "<h2>Processes</h2>\n<ul>\n");
	for (size_t i = 0; i < s->nrecords; i++) {
		const struct bc_app_record *r = &s->record[i];

		bc_putf(&p->out, "<li>%ld: <code>", r->pid);
		bc_html_text(p, r->command ? r->command : "");
		bc_put(&p->out, r->ended ? "</code>" : "</code> (ended without its last counts)");
		for (size_t k = 0; k < r->nleft; k++) {
			bc_putf(&p->out, "; %" PRIu64 " launches not measured: ", r->left[k].launches);
			bc_html_text(p, r->left[k].why);
		}
		for (size_t k = 0; k < r->nnotes; k++) {
			bc_put(&p->out, "; ");
			bc_html_text(p, r->note[k]);
		}
		bc_put(&p->out, "\n");
	}
	bc_put(&p->out, "</ul>\n");
}

enum bc_status bc_app_print_html(const struct bc_app_report *r, struct bc_text *out, struct bc_error *err)
{
	struct bc_html p = { .out = { .to = out, .err = err } };

	put_head(&p, r);
	if (r->budget) {
		bc_put(&p.out, "<h2>Budget</h2>\n<div class=wide><table><tbody>\n");
		put_checks(&p, r->summary, true);
		put_checks(&p, r->summary, false);
		bc_put(&p.out, "</tbody></table></div>\n");
	}
	put_kernels(&p, r->summary);
	put_notes(&p, r->summary);
	bc_put(&p.out, "<script>");
	put_lines(&p, bc_app_script);
	bc_put(&p.out, "</script>\n</body>\n</html>\n");
	bc_text_release(&p.scratch);
	return p.out.st;
}
