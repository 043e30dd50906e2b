/* SPDX-License-Identifier: MIT */
#include "harness/html/html.h"

#include "harness/html/page.h"

static void put_lines(struct bc_html *p, const char *const *line)
{
	for (; *line; line++)
		bc_put(&p->out, *line);
}

static void put_head(struct bc_html *p)
{
	bc_put(&p->out, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta "
			"http-equiv=\"Content-Security-Policy\" content=\""
			"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-");
	bc_put(&p->out, bc_html_style_hash);
	bc_put(&p->out, "'; script-src 'sha256-");
	bc_put(&p->out, bc_html_script_hash);
	bc_put(&p->out, "'\">\n<meta name=viewport content=\"width=device-width, initial-scale=1\">\n<meta "
			"name=color-scheme content=\"light dark\">\n"
			"<meta name=generator content=\"bankcheck " BC_VERSION "\">\n<title>");
	bc_html_title(p);
	bc_put(&p->out, "</title>\n<style>");
	put_lines(p, bc_html_style);
	bc_put(&p->out, "</style>\n</head>\n<body>\n");
}

static void put_top(struct bc_html *p)
{
	bc_put(&p->out, "<a class=skip href=\"#cases\">Skip to the cases</a>\n<header><svg class=logo viewBox=\"0 0 40 "
			"40\" aria-hidden=true>"
			"<path class=pa d=\"M0 0h1M2 0h1M3 0h1\"/><path class=px d=\"M1 1h1M1 2h1\"/><path class=pa "
			"d=\"M1 0h1\"/></svg>"
			"<h1>bankcheck</h1><nav aria-label=Parts><a href=\"#summary\">Summary</a> <a "
			"href=\"#findings\">Findings</a> "
			"<a href=\"#suites\">Suites</a> ");
	if (p->nruns > 1)
		bc_put(&p->out, "<a href=\"#differences\">Differences</a> ");
	bc_put(&p->out, "<a href=\"#layouts\">Layouts</a> <a href=\"#clock\">Clock</a> <a "
			"href=\"#cases\">Cases</a></nav></header>\n<main>\n"
			"<h2 id=summary>Summary by device</h2>\n");
}

/* Shown by the script, for it does nothing without. */
static void put_filters(struct bc_html *p)
{
	bc_put(&p->out, "<div id=filters role=search hidden><label>Filter <input id=q type=search autocomplete=off "
			"spellcheck=false "
			"placeholder=\"words of the id, rule, message \u2026\"></label> <span id=vs role=group "
			"aria-label=Verdicts></span>");
	if (p->nruns > 1)
		bc_put(&p->out, " <label><input id=dd type=checkbox> \u2260 differences only</label>");
	bc_putf(&p->out,
		" <button id=oa type=button>Open all shown</button> <button id=ca type=button>Close all</button> "
		"<output id=shown aria-live=polite>%zu of %zu cases</output></div>\n",
		p->ncases, p->ncases);
}

static void put_case_part(struct bc_html *p)
{
	bc_put(&p->out, p->nruns > 1 ? "<h2 id=cases>Cases by device and driver</h2>\n" : "<h2 id=cases>Cases</h2>\n");
	bc_put(&p->out, "<p class=note>A suite opens to its rules, a case to what is expected of it and why, what each "
			"witness says, and its "
			"picture: a column each bank, a row each wavefront, the lane in the cell (\u00d7n: n lanes on "
			"one word, served together).\n"
			"<p class=key><svg class=sample viewBox=\"0 0 20 18\" aria-hidden=true><path class=pa d=\"M0 "
			"0h1\"/></svg> the first wavefront "
			"of a group of lanes <svg class=sample viewBox=\"0 0 20 18\" aria-hidden=true><path class=px "
			"d=\"M0 0h1\"/></svg> hatched: further "
			"wavefronts, the conflicts <svg class=sample viewBox=\"0 0 20 18\" aria-hidden=true><path "
			"class=pn d=\"M0 0h1\"/></svg> dashed: "
			"no law");
	if (p->nruns > 1)
		bc_put(&p->out, ". Runs: \u00b7 PASS, F FAIL, D DISAGREE, B BROKEN, L LOST, S SKIP, U UNJUDGED, x "
				"XFAIL, X XPASS, \u2013 absent");
	bc_put(&p->out,
	       "\n<p class=\"note keys\" hidden>Keys: <kbd>/</kbd> filter, <kbd>Esc</kbd> clear it, <kbd>j</kbd> "
	       "and <kbd>k</kbd> next and "
	       "previous case, <kbd>Enter</kbd> opens it. The address holds the filter, so it can be passed on.\n");
	put_filters(p);
	bc_putf(&p->out, "<div id=list class=\"%s\">\n", p->nruns > 1 ? "many" : "one");
	bc_html_cases(p);
	bc_put(&p->out, "</div>\n");
}

enum bc_status bc_html_write(const struct bc_read_file *files, size_t n, struct bc_text *out, struct bc_error *err)
{
	struct bc_html p = { .out = { .to = out, .err = err } };
	enum bc_status st;

	p.out.st = bc_html_gather(&p, files, n);
	if (!p.out.st) {
		put_head(&p);
		put_top(&p);
		bc_html_pictures(&p);
		bc_html_summary(&p);
		bc_html_findings(&p);
		bc_html_matrix(&p);
		bc_html_differences(&p);
		bc_html_layouts(&p);
		bc_html_clock(&p);
		put_case_part(&p);
		bc_put(&p.out, "</main>\n<footer>Written by bankcheck " BC_VERSION
			       " from its JUnit reports. The page makes no network requests.</footer>\n"
			       "<script>");
		put_lines(&p, bc_html_script);
		bc_put(&p.out, "</script>\n</body>\n</html>\n");
	}
	st = p.out.st;
	bc_html_release(&p);
	return st;
}
