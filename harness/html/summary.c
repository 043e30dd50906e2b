/* SPDX-License-Identifier: MIT */
/* Above the cases: the runs and what differs between them, the findings, the matrices. */
#include "harness/html/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/render.h"

static size_t count_cases(const struct bc_html_run *run, bool findings)
{
	size_t n = 0;

	for (size_t v = 0; v < BC_NVERDICTS; v++)
		n += !findings || bc_verdict_is_finding((enum bc_verdict)v) ? run->n[v] : 0;
	return n;
}

/* Does any run have the verdict? */
static bool any_run_has(const struct bc_html *p, size_t v)
{
	for (size_t r = 0; r < p->nruns; r++)
		if (p->run[r].n[v])
			return true;
	return v == BC_PASS;
}

/* Shares of the verdicts as a bar; a share is at least a sliver, so that one failure of thousands is seen. */
static void put_bar(struct bc_html *p, const size_t n[BC_NVERDICTS], size_t all)
{
	unsigned left = 1000, at = 0, kinds = 0;

	for (size_t v = 0; v < BC_NVERDICTS; v++)
		kinds += n[v] > 0;
	bc_put(&p->out, "<svg class=bar viewBox=\"0 0 1000 10\" preserveAspectRatio=none aria-hidden=true>");
	for (size_t v = 0; v < BC_NVERDICTS && all; v++) {
		unsigned width = (unsigned)(n[v] * (1000 - 12 * (size_t)kinds) / all) + 12;

		if (!n[v])
			continue;
		kinds--;
		width = kinds ? width : left;
		bc_putf(&p->out, "<rect class=f%c x=%u width=%u height=10 />", bc_verdict_letter((enum bc_verdict)v),
			at, width);
		at += width;
		left -= width < left ? width : left;
	}
	bc_put(&p->out, "</svg>");
}

static const char *property(const struct bc_html *p, size_t r, const char *name)
{
	const char *s = bc_read_property(p->run[r].d, name);

	return s[0] ? s : "\u2013";
}

/* "NVIDIA H200", or what the reference device calls itself. */
static void put_device(struct bc_html *p, size_t r)
{
	const char *gpu = bc_read_property(p->run[r].d, "gpu");

	bc_html_text(p, gpu[0] ? gpu : p->run[r].d->dev);
}

/* Number, device, driver: the head of a run's column. */
static void put_run_head(struct bc_html *p, size_t r)
{
	bc_putf(&p->out, "<th scope=col><span class=r>run %zu</span> ", r + 1);
	put_device(p, r);
	bc_put(&p->out, "<br><small>");
	bc_html_text(p, p->run[r].d->dev);
	bc_put(&p->out, "<br>driver ");
	bc_html_text(p, property(p, r, "driver"));
	bc_put(&p->out, "</small>");
}

static void put_count(struct bc_html *p, size_t r, size_t v)
{
	const size_t n = p->run[r].n[v];

	bc_putf(&p->out, "<td class=\"num%s%c\" data-l=%s data-run=%zu data-verdict=%s>%zu", n ? " v" : " z",
		n ? bc_verdict_letter((enum bc_verdict)v) : ' ', bc_verdict_name((enum bc_verdict)v), r + 1,
		bc_verdict_name((enum bc_verdict)v), n);
}

/* "confirmed NVIDIA H200, driver ...": the first word is what matters. */
static void put_confirmation(struct bc_html *p, const char *s)
{
	char word[24];

	(void)bc_strlcpy(word, s, strcspn(s, " ") < sizeof(word) ? strcspn(s, " ") + 1 : sizeof(word));
	bc_html_text(p, word);
	bc_put(&p->out, "<br><small>");
	bc_html_text(p, strcspn(s, " ") < sizeof(word) ? s + strcspn(s, " ") : s);
	bc_put(&p->out, "</small>");
}

static void put_run_row(struct bc_html *p, size_t r)
{
	const char *complete = property(p, r, "complete");
	const struct bc_read_device *d = p->run[r].d;

	bc_putf(&p->out, "<tr><th scope=row data-l=run>%zu<td><strong>", r + 1);
	put_device(p, r);
	bc_put(&p->out, "</strong><br><small>");
	bc_html_text(p, d->dev);
	bc_put(&p->out, strcmp(property(p, r, "counters_by"), "model") == 0 ? ", counters are the model" : "");
	bc_put(&p->out, "</small><td data-l=driver>");
	bc_html_text(p, property(p, r, "driver"));
	bc_put(&p->out, "<td data-l=CUDA>");
	bc_html_text(p, property(p, r, "cuda"));
	bc_put(&p->out, "<td class=t>");
	bc_html_text(p, d->timestamp[0] ? d->timestamp : "\u2013");
	bc_put(&p->out, "<br><small>");
	bc_html_text(p, property(p, r, "host"));
	if (bc_read_property(d, "alike")[0]) {
		bc_put(&p->out, "<br>the same verdicts and counts: ");
		bc_html_text(p, bc_read_property(d, "alike"));
	}
	bc_put(&p->out, "</small><td class=st>");
	put_confirmation(p, property(p, r, "standing"));
	if (strcmp(complete, "yes") != 0) {
		bc_put(&p->out, "<br><small>not the whole catalogue: ");
		bc_html_text(p, complete[0] && strcmp(complete, "no") != 0 ? complete
									   : "cases were chosen, or the run was ended");
		bc_put(&p->out, "</small>");
	}
	for (size_t v = 0; v < BC_NVERDICTS; v++)
		if (any_run_has(p, v))
			put_count(p, r, v);
	bc_putf(&p->out, "<td class=num data-l=cases data-run=%zu data-verdict=all>%zu<td class=barcell>", r + 1,
		count_cases(&p->run[r], false));
	put_bar(p, p->run[r].n, count_cases(&p->run[r], false));
	bc_put(&p->out, "\n");
}

static void put_fact(struct bc_html *p, const char *name, bool path)
{
	bool differ = false;

	for (size_t r = 1; r < p->nruns; r++)
		differ = differ ||
			 (path ? false
			       : strcmp(bc_read_property(p->run[r].d, name), bc_read_property(p->run[0].d, name)) != 0);
	bc_put(&p->out, differ ? "<tr class=differs><th scope=row><b class=d>\u2260</b> " : "<tr><th scope=row>");
	bc_html_text(p, name);
	for (size_t r = 0; r < p->nruns; r++) {
		bc_put(&p->out, "<td>");
		bc_html_text(p, path ? p->run[r].path : property(p, r, name));
	}
	bc_put(&p->out, "\n");
}

/* Every property of every run: the first run's order, then what only later ones have. */
static void put_facts(struct bc_html *p)
{
	bc_put(&p->out, "<details class=facts><summary>All facts of the run");
	bc_put(&p->out, p->nruns > 1 ? "s; \u2260 marks what differs</summary>" : "</summary>");
	bc_put(&p->out, "<div class=scroll><table class=grid><thead><tr><th>");
	for (size_t r = 0; r < p->nruns; r++)
		put_run_head(p, r);
	bc_put(&p->out, "<tbody>");
	put_fact(p, "report", true);
	for (size_t r = 0; r < p->nruns; r++) {
		for (size_t i = 0; i < p->run[r].d->nproperties; i++) {
			const char *name = p->run[r].d->property[i].name;
			bool before = false;

			for (size_t k = 0; k < r && !before; k++)
				for (size_t j = 0; j < p->run[k].d->nproperties && !before; j++)
					before = strcmp(p->run[k].d->property[j].name, name) == 0;
			if (!before)
				put_fact(p, name, false);
		}
	}
	bc_put(&p->out, "</table></div></details>\n");
}

enum outcome { PASSED, FAILED, NOTHING_JUDGED };

/* What all runs come to, and how many cases there are of what. */
static enum outcome add_up(const struct bc_html *p, size_t *all, size_t *findings, size_t *skipped)
{
	*all = *findings = *skipped = 0;
	for (size_t r = 0; r < p->nruns; r++) {
		*all += count_cases(&p->run[r], false);
		*findings += count_cases(&p->run[r], true);
		*skipped += p->run[r].n[BC_SKIP];
	}
	return *findings ? FAILED : *all > *skipped ? PASSED : NOTHING_JUDGED;
}

void bc_html_title(struct bc_html *p)
{
	static const char *const words[] = { "PASSED", "FAILED", "NOTHING JUDGED" };
	size_t all, findings, skipped;
	const enum outcome o = add_up(p, &all, &findings, &skipped);

	bc_put(&p->out, words[o]);
	if (findings)
		bc_putf(&p->out, " %zu", findings);
	bc_put(&p->out, " \u00b7 bankcheck: ");
	put_device(p, 0);
	if (p->nruns > 1)
		bc_putf(&p->out, " and %zu more run%s", p->nruns - 1, p->nruns == 2 ? "" : "s");
}

/* What a compact report lacks. */
static void put_verdict_only(struct bc_html *p)
{
	size_t all = 0, n = 0, reports = 0;

	for (size_t r = 0; r < p->nruns; r++) {
		all += p->run[r].d->ncases;
		n += p->run[r].d->nverdict_only;
		reports += p->run[r].d->nverdict_only > 0;
	}
	if (n)
		bc_putf(&p->out,
			"<p class=note id=compact>%zu of %zu verdicts are without expectation, values and picture: %s "
			"compact (<code>--junit compact</code>). What they lack is no difference between runs.\n",
			n, all, reports == 1 ? "the report is" : "their reports are");
}

void bc_html_summary(struct bc_html *p)
{
	static const char *const words[] = { "PASSED", "FAILED", "NOTHING WAS JUDGED" };
	size_t all, findings, skipped, partial = 0;
	const enum outcome o = add_up(p, &all, &findings, &skipped);

	for (size_t r = 0; r < p->nruns; r++)
		partial += strcmp(property(p, r, "complete"), "yes") != 0;
	bc_putf(&p->out, "<p class=\"big %s\"><strong>%s</strong> ", o == PASSED ? "good" : "bad", words[o]);
	bc_putf(&p->out, "%zu run%s, %zu verdict%s: ", p->nruns, p->nruns == 1 ? "" : "s", all, all == 1 ? "" : "s");
	bc_putf(&p->out, "<b>%zu</b> to look at, %zu skipped, the others as expected.", findings, skipped);
	if (partial && p->nruns == 1)
		bc_put(&p->out, " The run does not hold the whole catalogue.");
	else if (partial)
		bc_putf(&p->out, " %zu run%s not hold the whole catalogue.", partial, partial == 1 ? " does" : "s do");
	bc_put(&p->out, "\n");
	put_verdict_only(p);
	bc_put(&p->out, "<div class=scroll><table class=\"grid cards\" id=runs><thead><tr><th scope=col>run<th "
			"scope=col>device<th scope=col>driver"
			"<th scope=col>CUDA<th scope=col>when, where<th scope=col>expectations");
	for (size_t v = 0; v < BC_NVERDICTS; v++)
		if (any_run_has(p, v))
			bc_putf(&p->out, "<th scope=col class=num>%s", bc_verdict_name((enum bc_verdict)v));
	bc_put(&p->out, "<th scope=col class=num>cases<th scope=col class=barcell>share<tbody>\n");
	for (size_t r = 0; r < p->nruns; r++)
		put_run_row(p, r);
	bc_put(&p->out, "</table></div>\n");
	put_facts(p);
}

/* Cases @from to @to are a suite: how many of a run's, how many to look at. */
static void put_suite_cell(struct bc_html *p, size_t from, size_t to, size_t r, size_t other)
{
	size_t n[BC_NVERDICTS] = { 0 }, all = 0, differ = 0;

	for (size_t i = from; i < to; i++) {
		const struct bc_read_case *c = p->cases[i].of[r], *o = p->cases[i].of[other];

		if (c) {
			n[c->verdict]++;
			all++;
		}
		differ += !c != !o || (c && o && c->verdict != o->verdict);
	}
	bc_put(&p->out, differ ? "<td class=\"cell differs\"><div>" : "<td class=cell><div>");
	if (all)
		bc_putf(&p->out, "<span class=cn>%zu of %zu</span>", n[BC_PASS], all);
	else
		bc_put(&p->out, "<span class=z>not run</span>");
	for (size_t v = BC_PASS + 1; v < BC_NVERDICTS; v++)
		if (n[v])
			bc_putf(&p->out, " <b class=\"v v%c\">%zu %s</b>", bc_verdict_letter((enum bc_verdict)v), n[v],
				bc_verdict_name((enum bc_verdict)v));
	if (differ)
		bc_putf(&p->out, " <b class=d>\u2260 %zu</b>", differ);
	if (all)
		put_bar(p, n, all);
	bc_put(&p->out, "</div>");
}

static void put_suite_row(struct bc_html *p, size_t from, size_t to)
{
	const size_t len = bc_html_suite_len(p->cases[from].id);
	char name[BC_ID_MAX];

	(void)bc_strlcpy(name, p->cases[from].id, len < sizeof(name) ? len + 1 : sizeof(name));
	bc_put(&p->out, "<tr><th scope=row><a href=\"#suite-");
	bc_html_text(p, name);
	bc_put(&p->out, "\">");
	bc_html_text(p, name);
	bc_put(&p->out, "</a>");
	for (size_t r = 0; r < p->nruns; r++)
		put_suite_cell(p, from, to, r, 0);
	bc_put(&p->out, "\n");
}

void bc_html_matrix(struct bc_html *p)
{
	bc_put(&p->out,
	       "<h2 id=suites>Suites by device</h2>\n<p class=note>Cases that passed, of those that were run.");
	if (p->nruns > 1)
		bc_put(&p->out, " <b class=d>\u2260</b> counts the cases whose verdict is not that of run 1.");
	bc_put(&p->out,
	       p->nruns > 1 ? "\n<div class=scroll><table class=\"grid matrix\"><thead><tr><th scope=col>suite"
			    : "\n<div class=scroll><table class=\"grid matrix single\"><thead><tr><th scope=col>suite");
	for (size_t r = 0; r < p->nruns; r++)
		put_run_head(p, r);
	bc_put(&p->out, "<tbody>\n");
	for (size_t i = 0, to; i < p->ncases; i = to) {
		const size_t len = bc_html_suite_len(p->cases[i].id);

		for (to = i + 1; to < p->ncases && bc_html_suite_len(p->cases[to].id) == len &&
				 strncmp(p->cases[to].id, p->cases[i].id, len) == 0;)
			to++;
		put_suite_row(p, i, to);
	}
	bc_put(&p->out, "</table></div>\n");
}

/* What a run says of a case, short: what the counters name of the quantity, else the clock, else all counts. */
static void short_value(const struct bc_read_case *c, const char *quantity, char buf[BC_HTML_VALUE_MAX])
{
	const char *counters = c ? bc_key_get(&c->keys, "counters") : NULL;

	buf[0] = '\0';
	if (!c)
		return;
	bc_html_value(c, BC_HTML_COUNTERS, quantity, buf);
	if (!buf[0])
		bc_html_value(c, BC_HTML_CLOCK, quantity, buf);
	if (!buf[0])
		(void)bc_strlcpy(buf, counters ? counters : "", BC_HTML_VALUE_MAX);
}

static void put_difference(struct bc_html *p, const struct bc_html_case *c)
{
	const struct bc_read_case *base = NULL;
	char first[BC_HTML_VALUE_MAX], value[BC_HTML_VALUE_MAX];
	const char *quantity;

	for (size_t r = 0; r < p->nruns && !base; r++)
		base = c->of[r];
	quantity = bc_html_quantity(base);
	short_value(c->of[0], quantity, first);
	bc_put(&p->out, "<tr><th scope=row>");
	bc_html_link(p, c);
	for (size_t r = 0; r < p->nruns; r++) {
		const struct bc_read_case *o = c->of[r];

		short_value(o, quantity, value);
		bc_put(&p->out, !o != !c->of[0] || (o && c->of[0] &&
						    (o->verdict != c->of[0]->verdict || strcmp(first, value) != 0))
					? "<td class=\"cell differs\"><b class=d>\u2260</b> "
					: "<td class=cell>");
		if (!o) {
			bc_put(&p->out, "<span class=z>absent</span>");
			continue;
		}
		bc_html_verdict(p, o->verdict);
		bc_put(&p->out, " ");
		bc_html_text(p, value);
	}
	bc_put(&p->out, "\n");
}

void bc_html_differences(struct bc_html *p)
{
	size_t n = 0;

	if (p->nruns < 2)
		return;
	for (size_t i = 0; i < p->ncases; i++)
		n += p->cases[i].differs;
	bc_putf(&p->out,
		"<h2 id=differences>Differences: case by device and driver</h2>\n<p class=note>%zu of %zu cases "
		"have a verdict, a count, "
		"data or a clock (by more than 1 %%) that is not that of run 1; <b class=d>\u2260</b> marks the "
		"runs. A witness "
		"that is absent on one side is no difference. The list of all cases has a column of runs too.\n",
		n, p->ncases);
	if (!n)
		return;
	bc_put(&p->out, "<div class=\"scroll tall\"><table class=\"grid matrix\"><thead><tr><th scope=col>case");
	for (size_t r = 0; r < p->nruns; r++)
		put_run_head(p, r);
	bc_put(&p->out, "<tbody>\n");
	for (size_t i = 0; i < p->ncases && !p->out.st; i++)
		if (p->cases[i].differs)
			put_difference(p, &p->cases[i]);
	bc_put(&p->out, "</table></div>\n");
}
