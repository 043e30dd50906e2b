/* SPDX-License-Identifier: MIT */
/* The cases, by suite and rule: a line each, which opens to its rows and its picture. */
#include "harness/html/page.h"

#include <stdlib.h>
#include <string.h>

/* Text of the first run that has the key. */
static const char *first_value(const struct bc_html *p, const struct bc_html_case *c, const char *key)
{
	for (size_t r = 0; r < p->nruns; r++) {
		const char *s = c->of[r] ? bc_key_get(&c->of[r]->keys, key) : NULL;

		if (s)
			return s;
	}
	return "";
}

/* The command of the first run that did not pass; "" when all did. */
static const char *rerun(const struct bc_html *p, const struct bc_html_case *c)
{
	for (size_t r = 0; r < p->nruns; r++) {
		const char *s = c->of[r] && c->of[r]->verdict != BC_PASS ? bc_key_get(&c->of[r]->keys, "rerun") : NULL;

		if (s)
			return s;
	}
	return "";
}

/* What the runs say when they agree, into @buf; false: they do not. "" when none says anything. */
static bool agreed(const struct bc_html *p, const struct bc_html_case *c, enum bc_html_witness w, const char *quantity,
		   char buf[BC_HTML_VALUE_MAX])
{
	char other[BC_HTML_VALUE_MAX];
	bool agree = true;

	buf[0] = '\0';
	for (size_t r = 0; r < p->nruns; r++) {
		if (!c->of[r])
			continue;
		bc_html_value(c->of[r], w, quantity, other);
		agree = agree && (!buf[0] || !other[0] || strcmp(buf, other) == 0);
		if (!buf[0])
			(void)bc_strlcpy(buf, other, BC_HTML_VALUE_MAX);
	}
	return agree;
}

/* A cell of a case's line: what the runs say when they agree; marked when it is not what is expected. */
static void put_cell(struct bc_html *p, const struct bc_html_case *c, enum bc_html_witness w, const char *quantity)
{
	char value[BC_HTML_VALUE_MAX];
	const bool agree = agreed(p, c, w, quantity, value);
	const bool odd = agree && bc_html_is_odd(first_value(p, c, quantity), w, quantity, value);

	bc_put(&p->out, odd ? "<span class=odd>\u2260 " : "<span>");
	if (!agree)
		bc_put(&p->out, "<em>varies</em>");
	else
		bc_html_text(p, value[0] ? value : "\u2013");
	bc_put(&p->out, "</span>");
}

/* "32 wavefronts" */
static void put_expected(struct bc_html *p, const struct bc_html_case *c, const char *quantity)
{
	const char *bounds = strcmp(quantity, "data") != 0 ? first_value(p, c, quantity) : "";
	char name[32];

	bc_put(&p->out, "<span>");
	if (bounds[0]) {
		bc_html_bounds(p, bounds);
		(void)bc_strlcpy(name, quantity, sizeof(name));
		for (char *at = name; *at; at++)
			*at = *at == '_' ? ' ' : *at;
		if (strcmp(bounds, "1..1") == 0 && name[strlen(name) - 1] == 's')
			name[strlen(name) - 1] = '\0';
		bc_putf(&p->out, " %s", name);
	} else {
		bc_put(&p->out, first_value(p, c, "data_origin")[0] ? "right data" : "nothing");
	}
	bc_put(&p->out, "</span>");
}

/* "expected 1 wavefront · counters ≠ 2 · clock 1 · model 1": the numbers of a case beside each other. */
static void put_numbers(struct bc_html *p, const struct bc_html_case *c, const char *quantity)
{
	static const char *const names[] = {
		[BC_HTML_COUNTERS] = "counters", [BC_HTML_CLOCK] = "clock", [BC_HTML_MODEL] = "model"
	};

	if (!first_value(p, c, quantity)[0] || strcmp(quantity, "data") == 0)
		return;
	bc_put(&p->out, "<p class=numbers><span>expected ");
	put_expected(p, c, quantity);
	bc_put(&p->out, "</span>");
	for (unsigned w = 0; w < BC_ARRAY_LEN(names); w++) {
		bc_putf(&p->out, " <span>%s ", names[w]);
		put_cell(p, c, (enum bc_html_witness)w, quantity);
		bc_put(&p->out, "</span>");
	}
	bc_put(&p->out, "\n");
}

/* Have all runs the verdict alone? Their reports are compact. */
static bool is_verdict_only(const struct bc_html *p, const struct bc_html_case *c)
{
	for (size_t r = 0; r < p->nruns; r++)
		if (c->of[r] && !c->of[r]->verdict_only)
			return false;
	return true;
}

static void put_body(struct bc_html *p, const struct bc_html_case *c, const char *sentence, const char *quantity,
		     struct bc_html_shown *s)
{
	const char *own = first_value(p, c, "rule"), *twin = first_value(p, c, "twin"), *again = rerun(p, c);

	bc_put(&p->out, "<div class=body id=\"");
	bc_html_anchor(p, c);
	bc_put(&p->out, "\">");
	if (own[0] && strcmp(own, sentence) != 0) {
		bc_put(&p->out, "<p>");
		bc_html_text(p, own);
	}
	if (is_verdict_only(p, c))
		bc_put(&p->out, "<p>The report is compact (--junit compact): of this case it has the verdict alone, no "
				"expectation, values or picture.");
	put_numbers(p, c, quantity);
	bc_put(&p->out, "<table class=kv>");
	bc_html_rows(p, c, s);
	if (twin[0]) {
		bc_put(&p->out, "<tr><th>clean twin<td><a href=\"#");
		bc_html_text(p, twin);
		bc_put(&p->out, "\">");
		bc_html_text(p, twin);
		bc_put(&p->out, "</a>");
	}
	if (again[0]) {
		bc_put(&p->out, "<tr><th>run again<td><code>");
		bc_html_text(p, again);
		bc_put(&p->out, "</code>");
	}
	bc_put(&p->out, "</table>");
	bc_html_picture(p, c);
	bc_put(&p->out, "</div>");
}

/* A character a run: a point for PASS, the verdict's letter, a dash where the case is not there. */
static void put_strip(struct bc_html *p, const struct bc_html_case *c)
{
	bc_put(&p->out, "<span class=s>");
	for (size_t r = 0; r < p->nruns; r++) {
		if (!c->of[r])
			bc_put(&p->out, "<b>\u2013</b>");
		else if (c->of[r]->verdict == BC_PASS)
			bc_put(&p->out, "\u00b7");
		else
			bc_putf(&p->out, "<b class=v%c>%c</b>", bc_verdict_letter(c->of[r]->verdict),
				bc_verdict_letter(c->of[r]->verdict));
	}
	bc_put(&p->out, "</span>");
}

/* The verdicts of a case, each once, in @has. Return: the first run's that has the case. */
static enum bc_verdict verdicts(const struct bc_html *p, const struct bc_html_case *c, bool has[BC_NVERDICTS],
				size_t *n)
{
	enum bc_verdict first = BC_PASS;

	memset(has, 0, BC_NVERDICTS * sizeof(*has));
	*n = 0;
	for (size_t r = p->nruns; r-- > 0;) {
		if (!c->of[r])
			continue;
		first = c->of[r]->verdict;
		*n += !has[first];
		has[first] = true;
	}
	return first;
}

static void put_case(struct bc_html *p, const struct bc_html_case *c, const char *sentence, struct bc_html_shown *s)
{
	const size_t rule = bc_html_rule_len(c->id);
	const struct bc_read_case *one = NULL;
	bool has[BC_NVERDICTS];
	size_t n;
	const enum bc_verdict first = verdicts(p, c, has, &n);
	const char *quantity;

	for (size_t r = 0; r < p->nruns && !one; r++)
		one = c->of[r];
	quantity = bc_html_quantity(one);
	bc_put(&p->out, "<details class=k data-v=");
	for (size_t v = 0; v < BC_NVERDICTS; v++)
		if (has[v])
			bc_putf(&p->out, "%c", bc_verdict_letter((enum bc_verdict)v));
	bc_put(&p->out, c->differs ? " data-d><summary>" : "><summary>");
	if (n > 1)
		bc_put(&p->out, "<b class=\"v vM\">MIXED</b>");
	else
		bc_html_verdict(p, first);
	bc_put(&p->out, "<span class=n>");
	bc_html_text(p, c->id[rule] ? c->id + rule + 1 : c->id);
	bc_put(&p->out, c->differs ? " <b class=d>\u2260</b></span>" : "</span>");
	if (is_verdict_only(p, c))
		bc_put(&p->out, "<span><em>not in the report</em></span>");
	else
		put_expected(p, c, quantity);
	put_cell(p, c, BC_HTML_COUNTERS, quantity);
	put_cell(p, c, BC_HTML_CLOCK, quantity);
	put_cell(p, c, BC_HTML_MODEL, quantity);
	if (p->nruns > 1)
		put_strip(p, c);
	bc_put(&p->out, "</summary>");
	put_body(p, c, sentence, quantity, s);
	bc_put(&p->out, "</details>\n");
}

static void put_rule_head(struct bc_html *p, const struct bc_html_case *c, size_t len, const char *sentence)
{
	const char *source = first_value(p, c, "source");
	char name[BC_ID_MAX];

	(void)bc_strlcpy(name, c->id, len < sizeof(name) ? len + 1 : sizeof(name));
	bc_put(&p->out, "<section class=rule><h4>");
	bc_html_text(p, name);
	bc_put(&p->out, "</h4><p class=law>");
	bc_html_text(p, sentence);
	if (source[0]) {
		bc_put(&p->out, " <cite>");
		bc_html_text(p, source);
		bc_put(&p->out, "</cite>");
	}
	bc_put(&p->out,
	       "<div class=head><span>verdict</span><span>case</span><span>expected</span><span>counters</span>"
	       "<span>clock</span><span>model</span>");
	bc_put(&p->out, p->nruns > 1 ? "<span>runs</span></div>" : "</div>");
}

static bool same_part(const char *a, const char *b, size_t len, size_t other)
{
	return len == other && strncmp(a, b, len) == 0;
}

/* Cases @from to @to are a suite. */
static void put_suite_head(struct bc_html *p, size_t from, size_t to)
{
	const size_t len = bc_html_suite_len(p->cases[from].id);
	size_t n[BC_NVERDICTS] = { 0 };
	char name[BC_ID_MAX];

	(void)bc_strlcpy(name, p->cases[from].id, len < sizeof(name) ? len + 1 : sizeof(name));
	for (size_t i = from; i < to; i++)
		for (size_t r = 0; r < p->nruns; r++)
			if (p->cases[i].of[r])
				n[p->cases[i].of[r]->verdict]++;
	bc_put(&p->out, "<details class=suite><summary><h3>");
	bc_html_text(p, name);
	bc_putf(&p->out, "</h3> <span class=count>%zu case%s</span>", to - from, to - from == 1 ? "" : "s");
	for (size_t v = 0; v < BC_NVERDICTS; v++)
		if (n[v])
			bc_putf(&p->out, " <span class=\"v v%c\">%zu %s</span>", bc_verdict_letter((enum bc_verdict)v),
				n[v], bc_verdict_name((enum bc_verdict)v));
	bc_put(&p->out, "</summary><div id=\"suite-");
	bc_html_text(p, name);
	bc_put(&p->out, "\">\n");
}

static void put_all(struct bc_html *p, struct bc_html_shown *s)
{
	const char *sentence = "";

	for (size_t i = 0; i < p->ncases && !p->out.st; i++) {
		const char *id = p->cases[i].id, *before = i ? p->cases[i - 1].id : "";
		const size_t suite = bc_html_suite_len(id), rule = bc_html_rule_len(id);
		const bool new_suite = !i || !same_part(id, before, suite, bc_html_suite_len(before));
		const bool new_rule = new_suite || !same_part(id, before, rule, bc_html_rule_len(before));

		if (i && new_rule)
			bc_put(&p->out, "</section>\n");
		if (new_suite) {
			size_t to = i + 1;

			while (to < p->ncases &&
			       same_part(id, p->cases[to].id, suite, bc_html_suite_len(p->cases[to].id)))
				to++;
			bc_put(&p->out, i ? "</div></details>\n" : "");
			put_suite_head(p, i, to);
		}
		if (new_rule) {
			sentence = first_value(p, &p->cases[i], "rule");
			put_rule_head(p, &p->cases[i], rule, sentence);
		}
		put_case(p, &p->cases[i], sentence, s);
	}
	bc_put(&p->out, p->ncases ? "</section></div></details>\n" : "<p>The reports hold no case.");
}

void bc_html_cases(struct bc_html *p)
{
	struct bc_html_shown s = { 0 };

	s.text = calloc(p->nruns + 1, sizeof(*s.text));
	s.in = calloc(p->nruns + 1, sizeof(*s.in));
	s.done = calloc(p->nruns + 1, sizeof(*s.done));
	if (!s.text || !s.in || !s.done)
		p->out.st = bc_fail(p->out.err, BC_ENOMEM, "html: out of memory");
	else
		put_all(p, &s);
	for (size_t r = 0; s.text && r < p->nruns; r++)
		bc_text_release(&s.text[r]);
	free(s.text);
	free(s.in);
	free(s.done);
}
