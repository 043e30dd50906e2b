/* SPDX-License-Identifier: MIT */
#include "harness/map/proposal.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/file.h"
#include "harness/base/textfile.h"

#define FIRST_LINE "proposed\n"

static size_t count_suites(void)
{
	size_t n = 0;

	while (bc_suites[n])
		n++;
	return n;
}

enum bc_status bc_proposal_begin(struct bc_proposal *p, const struct bc_catalog *cat, const char *expected_dir,
				 const char *dir, const char *arch, struct bc_error *err)
{
	*p = (struct bc_proposal){ .cat = cat, .expected_dir = expected_dir, .dir = dir, .nsuites = count_suites() };
	(void)bc_strlcpy(p->arch, arch, sizeof(p->arch));
	p->suite = calloc(p->nsuites, sizeof(*p->suite));
	return p->suite ? BC_OK : bc_fail(err, BC_ENOMEM, "proposal: out of memory");
}

void bc_proposal_release(struct bc_proposal *p)
{
	for (size_t i = 0; p->suite && i < p->nsuites; i++)
		bc_text_release(&p->suite[i]);
	free(p->suite);
	bc_text_release(&p->arch_text);
	memset(p, 0, sizeof(*p));
}

/* A count of one request: whole, or between the nearest sixth decimals. */
static enum bc_status add_count(struct bc_text *t, const char *name, double v, struct bc_error *err)
{
	char lo[BC_NUMBER_MAX], hi[BC_NUMBER_MAX];

	if (fabs(v - round(v)) < 1e-9)
		return bc_text_addf(t, err, " %s=%s", name, bc_number_text(round(v), lo));
	return bc_text_addf(t, err, " %s=%s..%s", name, bc_number_text(floor(v * 1e6) / 1e6, lo),
			    bc_number_text(ceil(v * 1e6) / 1e6, hi));
}

enum bc_status bc_proposal_row(struct bc_proposal *p, const struct bc_case *c, const struct bc_bounds *now,
			       double wavefronts, double conflicts, const char *basis, struct bc_error *err)
{
	struct bc_text *t = NULL;
	enum bc_status st;

	for (size_t i = 0; i < p->nsuites; i++)
		if (bc_suites[i] == c->suite)
			t = &p->suite[i];
	if (!t)
		return BC_OK;
	st = bc_text_addf(t, err, "row %s", c->id);
	if (!st && !isnan(wavefronts))
		st = add_count(t, "wavefronts", wavefronts, err);
	if (!st && !isnan(conflicts))
		st = add_count(t, "conflicts", conflicts, err);
	for (unsigned q = 0; !st && q < BC_NQUANTITIES; q++) {
		char buf[BC_BOUNDS_MAX];

		if (q != BC_Q_WAVEFRONTS && q != BC_Q_CONFLICTS && now->row[q])
			st = bc_text_addf(t, err, " %s=%s", bc_quantity_name((enum bc_quantity)q),
					  bc_bounds_text(now->row[q], buf));
	}
	p->rows++;
	return st ? st : bc_text_addf(t, err, " measured %s\n", basis);
}

/* Make @dir and its parents. */
static enum bc_status make_folder(const char *dir, struct bc_error *err)
{
	char path[PATH_MAX];

	if (!bc_strlcpy(path, dir, sizeof(path)))
		return bc_fail(err, BC_EUSAGE, "--proposal: the path is longer than %zu bytes", sizeof(path) - 1);
	for (char *c = path + 1;; c++) {
		const char was = *c;

		if (was != '/' && was != '\0')
			continue;
		*c = '\0';
		if (mkdir(path, 0777) && errno != EEXIST)
			return bc_fail(err, BC_EWRITE, "%s: cannot be made: %s", path, strerror(errno));
		*c = was;
		if (!was)
			return BC_OK;
	}
}

/* The proposal must not be expected/ itself, nor an architecture's folder that runs read. */
static enum bc_status check_folder(const struct bc_proposal *p, struct bc_error *err)
{
	struct stat a, b;

	if (stat(p->dir, &a) || stat(p->expected_dir, &b) || a.st_dev != b.st_dev || a.st_ino != b.st_ino)
		return BC_OK;
	return bc_fail(err, BC_EUSAGE,
		       "--proposal %s: that is the folder of the expectations: a proposal goes elsewhere, "
		       "and a person takes over what is right of it",
		       p->dir);
}

static enum bc_status write_text(const char *folder, const char *name, const char *about, const struct bc_text *t,
				 struct bc_error *err)
{
	struct bc_text file = { 0 };
	enum bc_status st =
		bc_text_addf(&file, err,
			     FIRST_LINE "# SPDX-License-Identifier: MIT\n# %s. Read it, correct its reasons, "
					"then take the first line out: runs refuse the folder until then.\n",
			     about);

	if (!st)
		st = bc_text_add(&file, t->data, t->len, err);
	if (!st)
		st = bc_file_replace(&bc_file_system, folder, name, file.data, file.len, err);
	bc_text_release(&file);
	return st;
}

enum bc_status bc_proposal_write(const struct bc_proposal *p, struct bc_error *err)
{
	struct bc_text folder = { 0 };
	char name[BC_NAME_MAX + 8];
	enum bc_status st = check_folder(p, err);

	if (!st)
		st = bc_text_addf(&folder, err, "%s/%s", p->dir, p->arch);
	if (!st)
		st = make_folder(folder.data, err);
	if (!st)
		st = check_folder(p, err);
	if (!st && p->arch_text.len)
		st = write_text(folder.data, "arch.txt", "What `bankcheck map` found", &p->arch_text, err);
	for (size_t i = 0; !st && i < p->nsuites; i++) {
		(void)snprintf(name, sizeof(name), "%s.txt", bc_suites[i]->name);
		if (p->suite[i].len)
			st = write_text(folder.data, name, "Rows that differ from those in expected/", &p->suite[i],
					err);
	}
	bc_text_release(&folder);
	return st;
}

/* The architecture as it was found: figures of the window, and the law in words where it differs. */
static void found_arch(const struct bc_map_report *r, const struct bc_map_law *l, struct bc_arch *a)
{
	const struct bc_geometry *g = &l->geometry;
	struct bc_geometry plain;

	*a = r->target.arch;
	a->banks = g->banks;
	a->bank_bytes = g->bank_bytes;
	a->window_base = r->window.base;
	a->optin_bytes = r->window.optin_bytes ? r->window.optin_bytes : a->optin_bytes;
	a->static_bytes = r->window.static_bytes ? r->window.static_bytes : a->static_bytes;
	a->sm_bytes = r->window.sm_bytes ? r->window.sm_bytes : a->sm_bytes;
	a->reserved_bytes = r->window.blocks ? r->window.reserved_bytes : a->reserved_bytes;
	a->pair_rule = l->op[BC_OP_LD64].merge == BC_MERGE_PAIRS || l->op[BC_OP_LD128].merge == BC_MERGE_PAIRS;
	a->law = (struct bc_bank_law){ 0 };
	(void)bc_strlcpy(a->confirmed, "none", sizeof(a->confirmed));
	plain = bc_arch_geometry(a);
	for (unsigned op = 0; op < BC_NOPS; op++) {
		if (!l->ops[op])
			continue;
		if (bc_geometry_group(g, (enum bc_op)op) != bc_geometry_group(&plain, (enum bc_op)op))
			a->law.group[op] = (uint8_t)bc_geometry_group(g, (enum bc_op)op);
		if (bc_geometry_merge(g, (enum bc_op)op) != bc_geometry_merge(&plain, (enum bc_op)op))
			a->law.merge[op] = (uint8_t)bc_geometry_merge(g, (enum bc_op)op);
	}
	if (l->cas && bc_geometry_cas_factor(g) != BC_CAS_FACTOR)
		a->law.cas_factor = bc_geometry_cas_factor(g);
	memcpy(a->law.bank_bit, g->law.bank_bit, sizeof(a->law.bank_bit));
	a->law.mapped = false;
	for (unsigned i = 0; i < BC_BANK_BITS_MAX; i++) {
		uint32_t rows[BC_BANK_BITS_MAX];

		a->law.mapped =
			a->law.mapped || (i < bc_geometry_bank_bits(&plain, rows) && rows[i] != g->law.bank_bit[i]);
	}
	if (!a->law.mapped)
		memset(a->law.bank_bit, 0, sizeof(a->law.bank_bit));
	a->law.given = true; /* what is not given above is as on every architecture */
}

/* What the law says of a case, of one request; NaN: the case has no such count. Return: false: nothing. */
static bool counts_of(const struct bc_case *c, const struct bc_arch *a, const struct bc_bounds *now, double *wavefronts,
		      double *conflicts)
{
	struct bc_model m;

	if (c->rule->program || bc_case_model_all(c, a, &m, NULL) || !m.requests)
		return false;
	*wavefronts = now->row[BC_Q_WAVEFRONTS] ? (double)m.wavefronts / (double)m.requests : NAN;
	*conflicts = now->row[BC_Q_CONFLICTS] ? (double)m.conflicts / (double)m.requests : NAN;
	return !isnan(*wavefronts) || !isnan(*conflicts);
}

static bool holds(const struct bc_bounds *b, enum bc_quantity q, double v)
{
	return isnan(v) || bc_row_holds(b->row[q], v);
}

static enum bc_status propose_rows(struct bc_proposal *p, const struct bc_arch *a, const char *basis,
				   struct bc_error *err)
{
	struct bc_expect e = { 0 };
	enum bc_status st = bc_expect_load(p->expected_dir, "common", p->cat, &e, err);

	bc_layer_release(&e.arch); /* the folder's own rows are of the law that was expected */
	for (size_t i = 0; !st && i < p->cat->n; i++) {
		const struct bc_case *c = &p->cat->cases[i];
		char unmet[200];
		struct bc_bounds now;
		double w, k;

		if (bc_case_unmet(c, a, unmet, sizeof(unmet)))
			continue;
		bc_expect_find(&e, c->id, &now);
		if (counts_of(c, a, &now, &w, &k) &&
		    (!holds(&now, BC_Q_WAVEFRONTS, w) || !holds(&now, BC_Q_CONFLICTS, k)))
			st = bc_proposal_row(p, c, &now, w, k, basis, err);
	}
	bc_expect_release(&e);
	return st;
}

static enum bc_status propose_one(const struct bc_map_report *r, const struct bc_map_law *l,
				  const struct bc_catalog *cat, const char *expected_dir, const char *dir,
				  struct bc_error *err)
{
	struct bc_proposal p;
	struct bc_arch *a = calloc(1, sizeof(*a));
	char basis[160];
	enum bc_status st = bc_proposal_begin(&p, cat, expected_dir, dir, r->target.arch.name, err);

	if (!st && !a)
		st = bc_fail(err, BC_ENOMEM, "proposal: out of memory");
	if (!st) {
		found_arch(r, l, a);
		(void)snprintf(basis, sizeof(basis), "by the law that map found by %s on %.60s", bc_map_by_name(l->by),
			       r->facts.name);
		st = bc_arch_print(a, &p.arch_text, err);
	}
	if (!st)
		st = propose_rows(&p, a, basis, err);
	if (!st)
		st = bc_proposal_write(&p, err);
	bc_proposal_release(&p);
	free(a);
	return st;
}

/* The law of an earlier device of the same architecture is another. */
static enum bc_status check_alike(const struct bc_map_report *r, size_t i, const struct bc_map_law *l, bool *known,
				  struct bc_error *err)
{
	struct bc_text text[2] = { { 0 }, { 0 } };
	enum bc_status st = bc_map_law_text(l, r[i].window.base, &text[0], err);

	*known = false;
	for (size_t k = 0; !st && k < i; k++) {
		if (strcmp(r[k].target.arch.name, r[i].target.arch.name) != 0)
			continue;
		*known = true;
		text[1].len = 0;
		st = bc_map_law_text(bc_map_best(&r[k]), r[k].window.base, &text[1], err);
		if (!st && strcmp(text[0].data, text[1].data) != 0)
			st = bc_fail(err, BC_EDATA, "no proposal: %s and %s are both %s and have different laws",
				     r[k].target.option, r[i].target.option, r[i].target.arch.name);
	}
	bc_text_release(&text[0]);
	bc_text_release(&text[1]);
	return st;
}

enum bc_status bc_map_propose(const struct bc_map_report *r, size_t n, const struct bc_catalog *cat,
			      const char *expected_dir, const char *dir, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < n; i++) {
		const struct bc_map_law *l = bc_map_best(&r[i]);

		if (!l || !bc_map_law_is_sound(l))
			st = bc_fail(err, BC_EDATA, "no proposal: %s has no law that all patterns support",
				     r[i].target.option);
	}
	for (size_t i = 0; !st && i < n; i++) {
		bool known;

		st = check_alike(r, i, bc_map_best(&r[i]), &known, err);
		if (!st && !known)
			st = propose_one(&r[i], bc_map_best(&r[i]), cat, expected_dir, dir, err);
	}
	return st;
}
