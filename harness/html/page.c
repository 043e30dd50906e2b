/* SPDX-License-Identifier: MIT */
#include "harness/html/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"

static const char *entity(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	default: return "&#39;";
	}
}

void bc_html_text(struct bc_html *p, const char *s)
{
	static const char special[] = "&<>\"'";
	struct bc_out line = bc_out_part(&p->out, &p->scratch);

	bc_text_clear(&p->scratch);
	bc_put_line(&line, s);
	bc_out_join(&p->out, &line);
	for (const char *at = bc_out_text(&line); *at && !p->out.st;) {
		const size_t plain = strcspn(at, special);

		bc_put_bytes(&p->out, at, plain);
		at += plain;
		if (*at)
			bc_put(&p->out, entity(*at++));
	}
}

void bc_html_verdict(struct bc_html *p, enum bc_verdict v)
{
	bc_putf(&p->out, "<b class=\"v v%c\">%s</b>", bc_verdict_letter(v), bc_verdict_name(v));
}

/* suite/rule/variant of lower-case letters, digits and underscores */
static bool is_case_id(const char *id)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

	for (unsigned part = 0; part < 3; part++) {
		const size_t n = strspn(id, letters);

		if (!n || id[n] != (part < 2 ? '/' : '\0'))
			return false;
		id += n + 1;
	}
	return true;
}

void bc_html_anchor(struct bc_html *p, const struct bc_html_case *c)
{
	if (is_case_id(c->id))
		bc_put(&p->out, c->id);
	else
		bc_putf(&p->out, "case-%zu", (size_t)(c - p->cases) + 1);
}

void bc_html_link(struct bc_html *p, const struct bc_html_case *c)
{
	bc_put(&p->out, "<a href=\"#");
	bc_html_anchor(p, c);
	bc_put(&p->out, "\"><code>");
	bc_html_text(p, c->id);
	bc_put(&p->out, "</code></a>");
}

void bc_html_runs(struct bc_html *p, const bool *in)
{
	const char *sep = "";
	size_t n = 0;

	for (size_t r = 0; r < p->nruns; r++)
		n += in[r];
	if (n == p->nruns)
		return;
	bc_put(&p->out, n == 1 ? "<span class=r>run " : "<span class=r>runs ");
	for (size_t r = 0; r < p->nruns; r++) {
		size_t last = r;

		if (!in[r])
			continue;
		while (last + 1 < p->nruns && in[last + 1])
			last++;
		if (last > r)
			bc_putf(&p->out, "%s%zu\u2013%zu", sep, r + 1, last + 1);
		else
			bc_putf(&p->out, "%s%zu", sep, r + 1);
		sep = ", ";
		r = last;
	}
	bc_put(&p->out, "</span> ");
}

size_t bc_html_suite_len(const char *id)
{
	return strcspn(id, "/");
}

size_t bc_html_rule_len(const char *id)
{
	const size_t suite = bc_html_suite_len(id);

	return id[suite] ? suite + 1 + strcspn(id + suite + 1, "/") : suite;
}

int bc_html_order(const char *a, const char *b)
{
	const char *const first = a, *const second = b;

	while (*a && *b) {
		const size_t na = strspn(a, "0123456789"), nb = strspn(b, "0123456789");

		if (na && nb) {
			const size_t za = strspn(a, "0"), zb = strspn(b, "0");
			const size_t da = na > za ? na - za : 0, db = nb > zb ? nb - zb : 0;
			const int by = da != db ? (da < db ? -1 : 1) : memcmp(a + na - da, b + nb - db, da);

			if (by)
				return by;
			a += na;
			b += nb;
		} else if (*a != *b) {
			break;
		} else {
			a++;
			b++;
		}
	}
	if (*a != *b) {
		/* the end of a part comes first, so that a rule's cases stay together */
		const int x = *a == '/' ? 1 : (unsigned char)*a, y = *b == '/' ? 1 : (unsigned char)*b;

		return x - y;
	}
	return strcmp(first, second);
}

static int by_id(const void *a, const void *b)
{
	return bc_html_order(((const struct bc_html_case *)a)->id, ((const struct bc_html_case *)b)->id);
}

/* Are two values of a witness the same? One that is not there differs from none; a clock may move by a hundredth. */
static bool same(const struct bc_read_case *a, const struct bc_read_case *b, const char *key, bool number)
{
	const char *x = bc_key_get(&a->keys, key), *y = bc_key_get(&b->keys, key);
	double u, v;

	if (!x || !y || strcmp(x, y) == 0)
		return true;
	return number && bc_number_parse(x, &u) && bc_number_parse(y, &v) && fabs(u - v) <= 0.01 * fabs(u);
}

static bool differs(const struct bc_html *p, const struct bc_html_case *c)
{
	for (size_t r = 1; r < p->nruns; r++) {
		const struct bc_read_case *a = c->of[0], *b = c->of[r];

		if (!a != !b)
			return true;
		if (a && (a->verdict != b->verdict || !same(a, b, "counters", false) || !same(a, b, "data", false) ||
			  !same(a, b, "outcome", false) || !same(a, b, "clock", true)))
			return true;
	}
	return false;
}

/* All ids, each once, in the page's order. */
static enum bc_status gather_cases(struct bc_html *p, size_t most)
{
	size_t n = 0;

	p->cases = calloc(most + 1, sizeof(*p->cases));
	if (!p->cases)
		return bc_fail(p->out.err, BC_ENOMEM, "html: out of memory");
	for (size_t r = 0; r < p->nruns; r++) {
		const struct bc_read_device *d = p->run[r].d;

		for (size_t k = 0; d && k < d->ncases; k++)
			p->cases[n++].id = d->cases[k].id;
	}
	if (n)
		qsort(p->cases, n, sizeof(*p->cases), by_id);
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(p->cases[p->ncases - 1].id, p->cases[i].id) != 0)
			p->cases[p->ncases++].id = p->cases[i].id;
	p->pool = calloc(p->ncases * p->nruns + 1, sizeof(struct bc_read_case *));
	if (!p->pool)
		return bc_fail(p->out.err, BC_ENOMEM, "html: out of memory");
	for (size_t i = 0; i < p->ncases; i++) {
		p->cases[i].of = p->pool + i * p->nruns;
		for (size_t r = 0; r < p->nruns; r++)
			p->cases[i].of[r] = bc_read_find(p->run[r].d, p->cases[i].id);
		p->cases[i].differs = differs(p, &p->cases[i]);
	}
	return BC_OK;
}

enum bc_status bc_html_gather(struct bc_html *p, const struct bc_read_file *files, size_t n)
{
	size_t most = 0;

	for (size_t f = 0; f < n; f++)
		p->nruns += files[f].ndevices;
	p->run = calloc(p->nruns + 1, sizeof(*p->run));
	if (!p->run)
		return bc_fail(p->out.err, BC_ENOMEM, "html: out of memory");
	for (size_t f = 0, r = 0; f < n; f++) {
		for (size_t i = 0; i < files[f].ndevices; i++, r++) {
			const struct bc_read_device *d = &files[f].devices[i];

			p->run[r].d = d;
			p->run[r].path = files[f].path;
			for (size_t k = 0; k < d->ncases; k++)
				p->run[r].n[d->cases[k].verdict]++;
			most += d->ncases;
		}
	}
	return gather_cases(p, most);
}

void bc_html_release(struct bc_html *p)
{
	for (size_t i = 0; i < p->ncases; i++)
		free(p->cases[i].picture.caption);
	free(p->cases);
	free(p->pool);
	free(p->run);
	bc_text_release(&p->scratch);
	*p = (struct bc_html){ 0 };
}
