/* SPDX-License-Identifier: MIT */
/* The findings: by cause, then case by case. */
#include "harness/html/page.h"

#include <stdlib.h>
#include <string.h>

#include "harness/report/cause.h"

#define OPEN_MAX 50u /* findings that are shown one by one without being asked for */

/* Findings of a rule with one verdict and one cause; what is BROKEN is not for its rule's sake, so of all rules. */
struct group {
	enum bc_verdict verdict;
	char cause[BC_CAUSE_MAX];
	const struct bc_html_case *first, *last;
	size_t rules; /* that they are of */
	size_t n;     /* verdicts, of all runs */
	size_t order; /* of its first case */
	size_t at;    /* of its runs in groups.in */
};

struct groups {
	struct group *v;
	bool *in; /* [n][nruns] */
	size_t n, room;
};

static bool same_rule(const char *a, const char *b)
{
	const size_t len = bc_html_rule_len(a);

	return len == bc_html_rule_len(b) && strncmp(a, b, len) == 0;
}

static struct group *find_group(const struct groups *g, const char *id, enum bc_verdict v, const char *cause)
{
	/* cases of a rule stand together: what is sought is near the end, or not there */
	for (size_t i = g->n; i-- > 0 && (v == BC_BROKEN || same_rule(g->v[i].last->id, id));)
		if (g->v[i].verdict == v && strcmp(g->v[i].cause, cause) == 0)
			return &g->v[i];
	return NULL;
}

static struct group *add_group(struct bc_html *p, struct groups *g)
{
	if (g->n == g->room) {
		const size_t room = g->room ? 2 * g->room : 64;
		struct group *v = realloc(g->v, room * sizeof(*v));
		bool *in = NULL;

		if (v)
			g->v = v;
		in = v ? realloc(g->in, room * p->nruns * sizeof(*in)) : NULL;
		if (!in) {
			p->out.st = bc_fail(p->out.err, BC_ENOMEM, "html: out of memory");
			return NULL;
		}
		g->in = in;
		g->room = room;
	}
	memset(g->in + g->n * p->nruns, 0, p->nruns * sizeof(*g->in));
	g->v[g->n] = (struct group){ .order = g->n, .at = g->n * p->nruns };
	return &g->v[g->n++];
}

static void gather_groups(struct bc_html *p, struct groups *g)
{
	for (size_t i = 0; i < p->ncases && !p->out.st; i++) {
		const struct bc_html_case *c = &p->cases[i];

		for (size_t r = 0; r < p->nruns && !p->out.st; r++) {
			const struct bc_read_case *of = c->of[r];
			char cause[BC_CAUSE_MAX];
			struct group *to;

			if (!of || !bc_verdict_is_finding(of->verdict))
				continue;
			bc_cause_text(of->message, cause);
			to = find_group(g, c->id, of->verdict, cause);
			if (!to) {
				to = add_group(p, g);
				if (!to)
					break;
				to->verdict = of->verdict;
				to->first = to->last = c;
				to->rules = 1;
				(void)bc_strlcpy(to->cause, cause, sizeof(to->cause));
			}
			to->n++;
			to->rules += !same_rule(to->last->id, c->id);
			to->last = c;
			if (g->in)
				g->in[to->at + r] = true;
		}
	}
}

/* The largest first, else in the page's order. */
static int by_size(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void put_group(struct bc_html *p, const struct groups *g, const struct group *group)
{
	char rule[BC_ID_MAX];
	const size_t len = bc_html_rule_len(group->first->id);

	(void)bc_strlcpy(rule, group->first->id, len < sizeof(rule) ? len + 1 : sizeof(rule));
	bc_putf(&p->out, "<tr><td class=num data-l=cases>%zu<td>", group->n);
	bc_html_verdict(p, group->verdict);
	bc_put(&p->out, "<td><code>");
	bc_html_text(p, rule);
	bc_put(&p->out, "</code>");
	if (group->rules > 1)
		bc_putf(&p->out, " and %zu more rule%s", group->rules - 1, group->rules == 2 ? "" : "s");
	bc_put(&p->out, "<td>");
	bc_html_runs(p, g->in + group->at);
	bc_html_text(p, group->cause[0] ? group->cause : "no reason is given");
	bc_put(&p->out, "<td data-l=first>");
	bc_html_link(p, group->first);
	bc_put(&p->out, "\n");
}

static void put_causes(struct bc_html *p)
{
	struct groups g = { 0 };

	gather_groups(p, &g);
	if (g.n)
		qsort(g.v, g.n, sizeof(*g.v), by_size);
	bc_put(&p->out, "<p class=note>By cause: the rule, and what came instead of what.\n"
			"<div class=\"scroll tall\"><table class=\"grid causes cards\"><thead><tr><th scope=col "
			"class=num>cases<th scope=col>verdict<th scope=col>rule<th scope=col>what is wrong<th "
			"scope=col>first case<tbody>\n");
	for (size_t i = 0; i < g.n && !p->out.st; i++)
		put_group(p, &g, &g.v[i]);
	bc_put(&p->out, "</table></div>\n");
	free(g.v);
	free(g.in);
}

/* Does run @r of the case say what run @first does? */
static bool agrees(const struct bc_html_case *c, size_t first, size_t r)
{
	const struct bc_read_case *a = c->of[first], *b = c->of[r];

	return a && b && a->verdict == b->verdict && strcmp(a->message, b->message) == 0;
}

/* Verdict and message of a case, each once, with the runs that have it. @in: [nruns] */
static void put_case_findings(struct bc_html *p, const struct bc_html_case *c, bool *in, bool findings)
{
	for (size_t r = 0; r < p->nruns; r++) {
		bool before = false;

		if (!c->of[r] || c->of[r]->verdict == BC_PASS || bc_verdict_is_finding(c->of[r]->verdict) != findings)
			continue;
		for (size_t k = 0; k < p->nruns; k++) {
			in[k] = agrees(c, r, k);
			before = before || (k < r && in[k]);
		}
		if (before)
			continue;
		bc_put(&p->out, "<tr><td>");
		bc_html_verdict(p, c->of[r]->verdict);
		bc_put(&p->out, "<td>");
		bc_html_link(p, c);
		bc_put(&p->out, "<td>");
		bc_html_runs(p, in);
		bc_html_text(p, c->of[r]->message);
		bc_put(&p->out, "\n");
	}
}

static void put_list(struct bc_html *p, bool *in, bool findings)
{
	bc_put(&p->out, "<div class=scroll><table class=\"grid list cards\"><thead><tr><th scope=col>verdict<th "
			"scope=col>case<th scope=col>what is "
			"wrong<tbody>\n");
	for (size_t i = 0; i < p->ncases && !p->out.st; i++)
		put_case_findings(p, &p->cases[i], in, findings);
	bc_put(&p->out, "</table></div>\n");
}

static void put_findings(struct bc_html *p, bool *in, size_t n)
{
	put_causes(p);
	bc_putf(&p->out, "<details class=facts%s><summary>Case by case: %zu</summary>\n", n <= OPEN_MAX ? " open" : "",
		n);
	put_list(p, in, true);
	bc_put(&p->out, "</details>\n");
}

void bc_html_findings(struct bc_html *p)
{
	bool *in = calloc(p->nruns + 1, sizeof(*in));
	size_t findings = 0, others = 0;

	if (!in) {
		p->out.st = bc_fail(p->out.err, BC_ENOMEM, "html: out of memory");
		return;
	}
	for (size_t r = 0; r < p->nruns; r++)
		for (size_t v = 0; v < BC_NVERDICTS; v++)
			*(bc_verdict_is_finding((enum bc_verdict)v) ? &findings : &others) +=
				v == BC_PASS ? 0 : p->run[r].n[v];
	bc_put(&p->out, "<h2 id=findings>Findings</h2>\n");
	if (findings)
		put_findings(p, in, findings);
	else
		bc_put(&p->out, "<p>None: every case that was judged came out as expected.\n");
	if (others) {
		bc_putf(&p->out, "<details class=facts><summary>Skipped and known failures: %zu</summary>\n", others);
		put_list(p, in, false);
		bc_put(&p->out, "</details>\n");
	}
	free(in);
}
