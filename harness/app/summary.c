/* SPDX-License-Identifier: MIT */
#include "harness/app/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/demangle.h"
#include "harness/base/out.h"
#include "harness/base/textfile.h"

#define BRIEF_MAX 64u
#define EPSILON 1e-9 /* a quotient of counts that equals its bound is inside */

static const char *const verdicts[] = { [BC_APP_PASS] = "PASS",
					[BC_APP_FAIL] = "FAIL",
					[BC_APP_XFAIL] = "XFAIL",
					[BC_APP_SKIP] = "SKIP",
					[BC_APP_ERROR] = "ERROR" };

const char *bc_app_verdict_name(enum bc_app_verdict v)
{
	return (unsigned)v < BC_NAPP_VERDICTS ? verdicts[v] : "unknown";
}

static const char *gpu_of(const struct bc_app_record *r, unsigned device)
{
	for (size_t i = 0; i < r->ndevices; i++)
		if (r->device[i].index == device)
			return r->device[i].name;
	return "no GPU";
}

static enum bc_status find_name(struct bc_app_summary *s, const char *mangled, enum bc_app_kind kind, size_t *index,
				struct bc_error *err)
{
	struct bc_app_name *n;

	for (size_t i = 0; i < s->nnames; i++) {
		if (strcmp(s->name[i].mangled, mangled) != 0)
			continue;
		*index = i;
		return BC_OK;
	}
	n = realloc(s->name, (s->nnames + 1) * sizeof(*n));
	if (!n)
		return bc_fail(err, BC_ENOMEM, "out of memory");
	s->name = n;
	n = &s->name[s->nnames++];
	*n = (struct bc_app_name){ .mangled = strdup(mangled), .full = bc_demangle(mangled) };
	n->brief = !n->full ? NULL : kind == BC_APP_GRAPH ? strdup(n->full) : bc_name_short(n->full, BRIEF_MAX);
	*index = s->nnames - 1;
	return n->mangled && n->full && n->brief ? BC_OK : bc_fail(err, BC_ENOMEM, "out of memory");
}

static bool same_row(const struct bc_app_row *r, size_t name, const char *gpu, const struct bc_app_kernel *k)
{
	return r->name == name && r->k.kind == k->kind && strcmp(r->gpu, gpu) == 0 &&
	       memcmp(r->k.grid, k->grid, sizeof(k->grid)) == 0 &&
	       memcmp(r->k.block, k->block, sizeof(k->block)) == 0 && r->k.shared_bytes == k->shared_bytes;
}

static enum bc_status add_kernel(struct bc_app_summary *s, const struct bc_app_record *r, const struct bc_app_kernel *k,
				 struct bc_error *err)
{
	const char *gpu = gpu_of(r, k->device);
	struct bc_app_row *row = NULL, *grown;
	size_t name = 0;
	enum bc_status st = find_name(s, k->name, k->kind, &name, err);

	if (st)
		return st;
	for (size_t i = 0; !row && i < s->nrows; i++)
		if (same_row(&s->row[i], name, gpu, k))
			row = &s->row[i];
	if (!row) {
		grown = realloc(s->row, (s->nrows + 1) * sizeof(*grown));
		if (!grown)
			return bc_fail(err, BC_ENOMEM, "out of memory");
		s->row = grown;
		row = &s->row[s->nrows++];
		*row = (struct bc_app_row){ .k = *k, .name = name, .gpu = gpu };
		row->k.name = NULL;
		return BC_OK;
	}
	row->k.launches += k->launches;
	for (unsigned c = 0; c < BC_NCOUNTERS; c++) {
		row->k.count[c].launches += k->count[c].launches;
		row->k.count[c].sum += k->count[c].sum;
	}
	return BC_OK;
}

static int by_lost(const void *a, const void *b)
{
	const struct bc_app_row *x = a, *y = b;
	const double lx = bc_lost_wavefronts(&x->k), ly = bc_lost_wavefronts(&y->k);

	if (lx != ly)
		return lx > ly ? -1 : 1;
	if (x->k.launches != y->k.launches)
		return x->k.launches > y->k.launches ? -1 : 1;
	return x->name != y->name ? (x->name < y->name ? -1 : 1) : memcmp(x->k.grid, y->k.grid, sizeof(x->k.grid));
}

enum bc_status bc_app_summary_make(struct bc_app_record *records, size_t n, struct bc_app_summary *out,
				   struct bc_error *err)
{
	enum bc_status st = BC_OK;

	out->record = records;
	out->nrecords = n;
	for (size_t i = 0; i < n; i++) {
		const struct bc_app_record *r = &records[i];

		for (size_t k = 0; !st && k < r->nkernels; k++)
			st = add_kernel(out, r, &r->kernel[k], err);
		out->measured += r->measured;
		out->extra_us += r->extra_us;
		out->start_us += r->start_us;
		out->sessions += r->sessions;
		out->voids += r->voids;
		out->incomplete += !r->ended || r->cut || r->voids;
	}
	if (out->nrows)
		qsort(out->row, out->nrows, sizeof(*out->row), by_lost);
	for (size_t i = 0; i < out->nrows; i++) {
		const struct bc_app_row *r = &out->row[i];

		out->launches += r->k.launches;
		out->name[r->name].launches += r->k.launches;
		out->name[r->name].lost += bc_lost_wavefronts(&r->k);
		out->lost += bc_lost_wavefronts(&r->k);
	}
	return st;
}

static struct bc_app_check *add_check(struct bc_app_summary *s, const struct bc_budget_line *l,
				      const struct bc_bound *b, size_t name)
{
	struct bc_app_check *grown = realloc(s->check, (s->nchecks + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	s->check = grown;
	s->check[s->nchecks] = (struct bc_app_check){ .line = l, .bound = b, .name = name };
	return &s->check[s->nchecks++];
}

/* The figure of the worst row of the name. */
static void worst(const struct bc_app_summary *s, struct bc_app_check *c, bool *uncounted)
{
	*uncounted = false;
	for (size_t i = 0; i < s->nrows; i++) {
		uint64_t launches;
		double v;
		enum bc_figure_state state;

		if (s->row[i].name != c->name)
			continue;
		state = bc_figure_of(&s->row[i].k, c->bound->figure, &v, &launches);
		*uncounted = *uncounted || state == BC_FIGURE_UNCOUNTED;
		if (state != BC_FIGURE_THERE || (c->row && (c->bound->least ? v >= c->value : v <= c->value)))
			continue;
		c->row = &s->row[i];
		c->value = v;
		c->launches = launches;
	}
	if (c->bound->figure == BC_FIGURE_LAUNCHES) {
		c->value = (double)s->name[c->name].launches;
		c->launches = s->name[c->name].launches;
	}
}

static void judge(const struct bc_app_summary *s, const struct bc_budget *b, const char *today, struct bc_app_check *c)
{
	const struct bc_app_name *n = &s->name[c->name];
	const char *figure = bc_figure_name(c->bound->figure);
	char value[BC_NUMBER_MAX], bound[BC_NUMBER_MAX];
	const struct bc_budget_known *known, *expired;
	bool uncounted, inside;

	worst(s, c, &uncounted);
	bc_number_text(c->bound->value, bound);
	bc_number_text(c->value, value);
	inside = c->bound->least ? c->value >= c->bound->value - EPSILON : c->value <= c->bound->value + EPSILON;
	if (!c->row && !uncounted && c->bound->figure != BC_FIGURE_LAUNCHES) {
		c->verdict = BC_APP_SKIP;
		(void)snprintf(c->message, sizeof(c->message), "%s: it makes no such request", figure);
		return;
	}
	if (c->row && !inside) {
		known = bc_budget_excuse(b, n->mangled, n->full, c->bound->figure, today, &expired);
		c->verdict = known ? BC_APP_XFAIL : BC_APP_FAIL;
		(void)snprintf(
			c->message, sizeof(c->message),
			"%s=%s, the budget is %s%s (grid %u,%u,%u, block %u,%u,%u, %" PRIu64 " launches)%s%.100s",
			figure, value, c->bound->least ? ">=" : "<=", bound, c->row->k.grid[0], c->row->k.grid[1],
			c->row->k.grid[2], c->row->k.block[0], c->row->k.block[1], c->row->k.block[2], c->launches,
			known	  ? "; known: "
			: expired ? "; known, but only until "
				  : "",
			known	  ? known->reason
			: expired ? expired->until
				  : "");
		if (strstr(figure, "conflicts") && bc_count_of(&c->row->k, BC_CTR_ARBITRATION) > 0) {
			const size_t len = strlen(c->message);

			(void)snprintf(c->message + len, sizeof(c->message) - len,
				       "; %.1f conflicts a launch are arbitration with other traffic, not addresses",
				       bc_count_of(&c->row->k, BC_CTR_ARBITRATION));
		}
		return;
	}
	if (uncounted) { /* a launch shape that nobody counted may be the one that breaks it */
		c->verdict = BC_APP_ERROR;
		(void)snprintf(c->message, sizeof(c->message),
			       "%s: no launch was counted for it%s: --replay counts all at each launch", figure,
			       c->row ? " at some grid and block" : "");
		return;
	}
	c->verdict = BC_APP_PASS;
	(void)snprintf(c->message, sizeof(c->message), "%s=%s, the budget is %s%s (%" PRIu64 " launches)", figure,
		       value, c->bound->least ? ">=" : "<=", bound, c->launches);
}

enum bc_status bc_app_summary_judge(struct bc_app_summary *s, const struct bc_budget *b, const char *today,
				    struct bc_error *err)
{
	for (size_t l = 0; l < b->n; l++) {
		const struct bc_budget_line *line = &b->lines[l];
		size_t matched = 0;

		for (size_t n = 0; n < s->nnames; n++) {
			if (bc_budget_find(b, s->name[n].mangled, s->name[n].full) != line)
				continue;
			matched++;
			for (size_t k = 0; k < line->n; k++) {
				struct bc_app_check *c = add_check(s, line, &line->bound[k], n);

				if (!c)
					return bc_fail(err, BC_ENOMEM, "out of memory");
				judge(s, b, today, c);
				s->count[c->verdict]++;
			}
		}
		if (!matched && line->glob) {
			struct bc_app_check *c = add_check(s, line, &line->bound[0], SIZE_MAX);

			if (!c)
				return bc_fail(err, BC_ENOMEM, "out of memory");
			c->verdict = BC_APP_ERROR;
			(void)snprintf(c->message, sizeof(c->message),
				       "no kernel whose first match is this line (%.200s:%u) ran", b->path, line->line);
			s->count[BC_APP_ERROR]++;
		}
	}
	return BC_OK;
}

bool bc_app_summary_counted(const struct bc_app_summary *s)
{
	for (size_t i = 0; i < s->nrows; i++)
		for (unsigned c = 0; c < BC_NCOUNTERS; c++)
			if (s->row[i].k.count[c].launches)
				return true;
	return false;
}

enum bc_status bc_app_summary_budget(const struct bc_app_summary *s, unsigned slack, struct bc_text *out,
				     struct bc_error *err)
{
	static const enum bc_figure bounded[] = { BC_FIGURE_LD_CONFLICTS,   BC_FIGURE_ST_CONFLICTS,
						  BC_FIGURE_ATOM_CONFLICTS, BC_FIGURE_LDGSTS_CONFLICTS,
						  BC_FIGURE_GMMA_CONFLICTS, BC_FIGURE_SECTORS };
	struct bc_out o = { .to = out, .err = err };

	bc_putf(&o,
		"# Proposed by bankcheck " BC_VERSION
		" from one run: each figure as it was, with a slack of %u %% and\n"
		"# 0.01. Counts that other traffic disturbs (arbitration) vary from run to run: look at each line.\n",
		slack);
	for (size_t n = 0; n < s->nnames; n++) {
		struct bc_text line = { 0 };
		struct bc_out p = bc_out_part(&o, &line);

		for (size_t f = 0; f < BC_ARRAY_LEN(bounded); f++) {
			const struct bc_bound bound = { .figure = bounded[f] };
			struct bc_app_check c = { .bound = &bound, .name = n };
			char value[BC_NUMBER_MAX];
			bool uncounted;

			worst(s, &c, &uncounted);
			if (!c.row)
				continue;
			/* up to four decimals, so that the value is inside */
			bc_number_text(ceil((c.value * (1 + slack / 100.0) + 0.01) * 1e4) / 1e4, value);
			bc_putf(&p, "  %s<=%s", bc_figure_name(bounded[f]), value);
		}
		bc_out_join(&o, &p);
		if (line.len && !strchr(s->name[n].full, '"')) {
			char *core = bc_name_core(s->name[n].full);

			bc_put(&o, "kernel \"");
			for (const char *at = core ? core : s->name[n].mangled; *at; at++) {
				if (strchr("*?[\\", *at)) /* as it is, not as a glob */
					bc_put(&o, "\\");
				bc_put_bytes(&o, at, 1);
			}
			bc_putf(&o, "\"%s\n", line.data);
			free(core);
		}
		bc_text_release(&line);
	}
	return o.st;
}

void bc_app_summary_release(struct bc_app_summary *s)
{
	for (size_t i = 0; i < s->nrecords; i++)
		bc_app_record_release(&s->record[i]);
	for (size_t i = 0; i < s->nnames; i++) {
		free(s->name[i].mangled);
		free(s->name[i].full);
		free(s->name[i].brief);
	}
	free(s->record);
	free(s->row);
	free(s->name);
	free(s->check);
	memset(s, 0, sizeof(*s));
}
