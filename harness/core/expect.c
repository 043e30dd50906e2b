/* SPDX-License-Identifier: MIT */
#include "harness/core/expect.h"
#include "harness/base/textfile.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	double min, max; /* bounds outside of these are a slip of the pen */
} quantities[BC_NQUANTITIES] = {
	[BC_Q_WAVEFRONTS] = { "wavefronts", 0, 1e12 },
	[BC_Q_CONFLICTS] = { "conflicts", 0, 1e12 },
	[BC_Q_SECTORS] = { "sectors", 0, 1e12 },
	[BC_Q_CLOCK_RATIO] = { "clock_ratio", 0, 1e12 },
	[BC_Q_CLOCK_SLOPE] = { "clock_slope", -1e12, 1e12 },
	[BC_Q_REQUESTS] = { "requests", 0, 1e12 },
	[BC_Q_DATA] = { "data", 1, 1 },
};

static const char *const origins[] = {
	[BC_ORIGIN_RULE] = "rule",
	[BC_ORIGIN_DOCUMENTED] = "documented",
	[BC_ORIGIN_PUBLISHED] = "published",
	[BC_ORIGIN_MEASURED] = "measured",
};

#define ROW_FORM "row <case id> <quantity>=<n or lo..hi> ... <origin> <basis in words>"
#define ABSENT_FORM "absent <case id>"

const char *bc_quantity_name(enum bc_quantity q)
{
	return (unsigned)q < BC_NQUANTITIES ? quantities[q].name : "?";
}

bool bc_quantity_parse(const char *name, enum bc_quantity *out)
{
	for (unsigned q = 0; q < BC_NQUANTITIES; q++) {
		if (strcmp(quantities[q].name, name) != 0)
			continue;
		*out = (enum bc_quantity)q;
		return true;
	}
	return false;
}

const char *bc_origin_name(enum bc_origin_of_row o)
{
	return (unsigned)o < BC_ARRAY_LEN(origins) ? origins[o] : "?";
}

const char *bc_bounds_text(const struct bc_row *r, char buf[BC_BOUNDS_MAX])
{
	char lo[BC_NUMBER_MAX], hi[BC_NUMBER_MAX];

	if (r->unknown)
		(void)bc_strlcpy(buf, "unknown", BC_BOUNDS_MAX);
	else if (r->lo < r->hi)
		(void)snprintf(buf, BC_BOUNDS_MAX, "%s..%s", bc_number_text(r->lo, lo), bc_number_text(r->hi, hi));
	else
		(void)bc_strlcpy(buf, bc_number_text(r->lo, lo), BC_BOUNDS_MAX);
	return buf;
}

static enum bc_status ends_early(const struct bc_lines *l, const char *form, struct bc_error *err)
{
	return bc_fail(err, BC_EDATA, "%s:%u: the line ends early: %s", l->path, l->number, form);
}

/* "2", "0..0.25" or "unknown" into the row of its quantity. */
static enum bc_status parse_bounds(const struct bc_lines *l, char *value, struct bc_row *r, struct bc_error *err)
{
	const char *name = quantities[r->quantity].name;
	char *dots = strstr(value, "..");
	const char *hi = dots ? dots + 2 : value;
	const char *wrong = NULL;

	if (strcmp(value, "unknown") == 0 && r->quantity != BC_Q_DATA) {
		r->unknown = true;
		r->lo = -HUGE_VAL;
		r->hi = HUGE_VAL;
		return BC_OK;
	}
	if (dots)
		*dots = '\0';
	if (!bc_number_parse(value, &r->lo))
		wrong = value;
	else if (!bc_number_parse(hi, &r->hi))
		wrong = hi;
	if (wrong)
		return bc_fail(err, BC_EDATA, "%s:%u: %s=%s: '%s' is not a number such as 2 or 3.51", l->path,
			       l->number, name, value, wrong);
	if (r->lo > r->hi)
		return bc_fail(err, BC_EDATA, "%s:%u: %s: the lower bound %s is above the upper bound %s", l->path,
			       l->number, name, value, hi);
	if (r->quantity == BC_Q_DATA && (r->lo < 1 || r->hi > 1))
		return bc_fail(err, BC_EDATA, "%s:%u: data is written data=1: the case is judged by its data alone",
			       l->path, l->number);
	if (r->lo < quantities[r->quantity].min || r->hi > quantities[r->quantity].max)
		return bc_fail(err, BC_EDATA, "%s:%u: %s %s to %s: %s is never negative, nor above 1e12", l->path,
			       l->number, name, value, hi, name);
	return BC_OK;
}

static enum bc_status parse_origin(const struct bc_lines *l, const char *origin, const char *basis, struct bc_row *r,
				   struct bc_error *err)
{
	size_t o = 0;

	while (o < BC_ARRAY_LEN(origins) && strcmp(origins[o], origin) != 0)
		o++;
	if (o == BC_ARRAY_LEN(origins))
		return bc_fail(err, BC_EDATA, "%s:%u: unknown origin '%s': rule, documented, published or measured",
			       l->path, l->number, origin);
	r->origin = (enum bc_origin_of_row)o;
	if (!basis)
		return bc_fail(err, BC_EDATA, "%s:%u: the basis is missing: say in words why the bounds hold", l->path,
			       l->number);
	if (!bc_strlcpy(r->basis, basis, sizeof(r->basis)))
		return bc_fail(err, BC_EDATA, "%s:%u: a basis of %zu bytes: at most %zu are allowed", l->path,
			       l->number, strlen(basis), sizeof(r->basis) - 1);
	return BC_OK;
}

/* One `quantity=bounds` into row[*n], of which the line has had *n. */
static enum bc_status parse_quantity(const struct bc_lines *l, char *field, struct bc_row row[BC_NQUANTITIES],
				     size_t *n, struct bc_error *err)
{
	char *value = strchr(field, '=');
	struct bc_row *r = &row[*n];

	*value++ = '\0';
	if (!bc_quantity_parse(field, &r->quantity))
		return bc_fail(
			err, BC_EDATA,
			"%s:%u: unknown quantity '%s': wavefronts, conflicts, sectors, clock_ratio, clock_slope, "
			"requests or data",
			l->path, l->number, field);
	for (size_t i = 0; i < *n; i++)
		if (row[i].quantity == r->quantity)
			return bc_fail(err, BC_EDATA, "%s:%u: %s is given twice: keep one", l->path, l->number, field);
	++*n;
	return parse_bounds(l, value, r, err);
}

/*
 * The quantities, origin and basis of a row into row[0..*n), which share their case.
 * Data stands alone: it says that nothing else of the case is judged.
 */
static enum bc_status parse_row(const struct bc_lines *l, char *cursor, struct bc_row row[BC_NQUANTITIES], size_t *n,
				struct bc_error *err)
{
	char *field = bc_field(&cursor);
	enum bc_status st = BC_OK;

	*n = 0;
	while (!st && field && strchr(field, '=') && *n < BC_NQUANTITIES) {
		st = parse_quantity(l, field, row, n, err);
		field = bc_field(&cursor);
	}
	if (st)
		return st;
	if (!field)
		return ends_early(l, ROW_FORM, err);
	if (*n == 0)
		return bc_fail(err, BC_EDATA, "%s:%u: '%s' where a quantity is due: " ROW_FORM, l->path, l->number,
			       field);
	for (size_t i = 0; i<*n && * n> 1; i++)
		if (row[i].quantity == BC_Q_DATA)
			return bc_fail(
				err, BC_EDATA,
				"%s:%u: data=1 says that the case is judged by its data alone: no other quantity goes "
				"with it (data is always judged)",
				l->path, l->number);
	st = parse_origin(l, field, bc_rest(&cursor), &row[0], err);
	for (size_t i = 1; !st && i < *n; i++) {
		row[i].origin = row[0].origin;
		memcpy(row[i].basis, row[0].basis, sizeof(row[0].basis));
	}
	return st;
}

/* One line into row[0..*n). */
static enum bc_status parse_line(struct bc_lines *l, const struct bc_catalog *cat, struct bc_row row[BC_NQUANTITIES],
				 size_t *n, struct bc_error *err)
{
	char *cursor = l->text;
	const char *form = bc_field(&cursor);
	const char *id = bc_field(&cursor);
	const bool absent = strcmp(form, "absent") == 0;
	const enum bc_status st = bc_text_is_proposal(l->path, l->number, form, err);

	if (st)
		return st;
	memset(row, 0, BC_NQUANTITIES * sizeof(row[0]));
	if (!absent && strcmp(form, "row") != 0)
		return bc_fail(err, BC_EDATA, "%s:%u: unknown line '%s': " ROW_FORM ", or " ABSENT_FORM, l->path,
			       l->number, form);
	if (!id)
		return ends_early(l, absent ? ABSENT_FORM : ROW_FORM, err);
	if (!bc_catalog_find(cat, id))
		return bc_fail(err, BC_EDATA, "%s:%u: there is no case '%s' (`bankcheck list` prints all ids)", l->path,
			       l->number, id);
	for (unsigned q = 0; q < BC_NQUANTITIES; q++) {
		(void)bc_strlcpy(row[q].id, id, sizeof(row[q].id));
		row[q].line = l->number;
		row[q].absent = absent;
		row[q].path = l->path;
	}
	if (!absent)
		return parse_row(l, cursor, row, n, err);
	*n = 1;
	if (bc_field(&cursor))
		return bc_fail(err, BC_EDATA, "%s:%u: the line goes on: " ABSENT_FORM, l->path, l->number);
	return BC_OK;
}

/* Keep a copy of @path as long as the layer lives. */
static enum bc_status own_path(struct bc_layer *l, const char *path, struct bc_error *err)
{
	char **paths = realloc(l->paths, (l->npaths + 1) * sizeof(paths[0]));

	if (!paths)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", path);
	l->paths = paths;
	paths[l->npaths] = strdup(path);
	if (!paths[l->npaths])
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", path);
	l->npaths++;
	return BC_OK;
}

/* Room for @more rows in the layer. */
static enum bc_status reserve(struct bc_layer *l, size_t more, const char *path, struct bc_error *err)
{
	struct bc_row *rows;
	size_t cap = l->cap ? l->cap : 64;

	while (cap < l->n + more)
		cap *= 2;
	if (cap == l->cap)
		return BC_OK;
	rows = realloc(l->rows, cap * sizeof(rows[0]));
	if (!rows)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory: %zu rows", path, cap);
	l->rows = rows;
	l->cap = cap;
	return BC_OK;
}

enum bc_status bc_layer_parse(struct bc_layer *l, const char *text, const char *path, const struct bc_catalog *cat,
			      struct bc_error *err)
{
	struct bc_lines lines;
	struct bc_row row[BC_NQUANTITIES];
	enum bc_status st = own_path(l, path, err);

	if (st)
		return st;
	bc_lines_start(&lines, text, l->paths[l->npaths - 1]);
	for (;;) {
		bool more;
		size_t n = 0;

		st = bc_lines_next(&lines, &more, err);
		if (st || !more)
			return st;
		st = parse_line(&lines, cat, row, &n, err);
		if (!st)
			st = reserve(l, n, path, err);
		if (st)
			return st;
		memcpy(&l->rows[l->n], row, n * sizeof(row[0]));
		l->n += n;
	}
}

/* By case and place, so that the lines of a case follow one another; within a line by quantity. */
static int by_case_and_place(const void *left, const void *right)
{
	const struct bc_row *a = left, *b = right;
	int order = strcmp(a->id, b->id);

	if (!order)
		order = strcmp(a->path, b->path);
	if (!order)
		order = (a->line > b->line) - (a->line < b->line);
	return order ? order : (a->quantity > b->quantity) - (a->quantity < b->quantity);
}

enum bc_status bc_layer_finish(struct bc_layer *l, struct bc_error *err)
{
	if (l->n > 1)
		qsort(l->rows, l->n, sizeof(l->rows[0]), by_case_and_place);
	for (size_t i = 1; i < l->n; i++) {
		const struct bc_row *first = &l->rows[i - 1], *again = &l->rows[i];

		if (strcmp(first->id, again->id) == 0 &&
		    (first->line != again->line || strcmp(first->path, again->path) != 0))
			return bc_fail(err, BC_EDATA, "%s:%u: %s is already written in %s:%u: keep one", again->path,
				       again->line, again->id, first->path, first->line);
	}
	return BC_OK;
}

/* Texts of rows: *.txt but the two that have a form of their own; no hidden files. */
static int is_rows_file(const struct dirent *entry)
{
	const char *name = entry->d_name;
	const size_t len = strlen(name);

	return name[0] != '.' && len > 4 && strcmp(name + len - 4, ".txt") == 0 && strcmp(name, "arch.txt") != 0 &&
	       strcmp(name, "known.txt") != 0;
}

static int by_file_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static enum bc_status load_file(struct bc_layer *l, const char *dir, const char *name, const struct bc_catalog *cat,
				struct bc_error *err)
{
	struct bc_text path = { 0 }, text = { 0 };
	enum bc_status st = bc_text_addf(&path, err, "%s/%s", dir, name);

	if (!st)
		st = bc_textfile_read(path.data, &text, err);
	if (!st) {
		l->hash = bc_hash(l->hash, name, strlen(name) + 1);
		l->hash = bc_hash(l->hash, text.data, text.len + 1);
		st = bc_layer_parse(l, text.data, path.data, cat, err);
	}
	bc_text_release(&text);
	bc_text_release(&path);
	return st;
}

enum bc_status bc_layer_load(const char *dir, bool optional, const struct bc_catalog *cat, struct bc_layer *out,
			     struct bc_error *err)
{
	struct bc_layer l = { .hash = BC_HASH_INIT };
	struct dirent **names = NULL;
	const int n = scandir(dir, &names, is_rows_file, by_file_name);
	enum bc_status st = BC_OK;

	if (n < 0 && errno != ENOENT)
		return bc_fail(err, BC_EREAD, "%s: cannot be listed: %s", dir, strerror(errno));
	if (n < 0 && !optional)
		return bc_fail(err, BC_EREAD, "%s: no such folder (--expected names the folder above it)", dir);
	for (int i = 0; i < n; i++) {
		if (!st)
			st = load_file(&l, dir, names[i]->d_name, cat, err);
		free(names[i]);
	}
	free(names);
	if (!st)
		st = bc_layer_finish(&l, err);
	if (st) {
		bc_layer_release(&l);
		return st;
	}
	*out = l;
	return BC_OK;
}

void bc_layer_release(struct bc_layer *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->npaths; i++)
		free(l->paths[i]);
	free(l->paths);
	free(l->rows);
	*l = (struct bc_layer){ 0 };
}

enum bc_status bc_expect_load(const char *expected_dir, const char *arch, const struct bc_catalog *cat,
			      struct bc_expect *out, struct bc_error *err)
{
	struct bc_text common = { 0 }, own = { 0 };
	struct bc_expect e = { 0 };
	enum bc_status st = bc_text_addf(&common, err, "%s/common", expected_dir);

	if (!st)
		st = bc_text_addf(&own, err, "%s/%s", expected_dir, arch);
	if (!st)
		st = bc_layer_load(common.data, false, cat, &e.common, err);
	if (!st)
		st = bc_layer_load(own.data, true, cat, &e.arch, err);
	if (st)
		bc_expect_release(&e);
	else
		*out = e;
	bc_text_release(&own);
	bc_text_release(&common);
	return st;
}

void bc_expect_release(struct bc_expect *e)
{
	if (!e)
		return;
	bc_layer_release(&e->common);
	bc_layer_release(&e->arch);
}

/* The row of @id in a layer, all its quantities, in place of what @out has. */
static void lay_over(const struct bc_layer *l, const char *id, struct bc_bounds *out)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) { /* the first row whose id is not below @id */
		const size_t mid = lo + (hi - lo) / 2;

		if (strcmp(l->rows[mid].id, id) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < l->n && strcmp(l->rows[lo].id, id) == 0)
		*out = (struct bc_bounds){ 0 };
	for (; lo < l->n && strcmp(l->rows[lo].id, id) == 0; lo++)
		if (!l->rows[lo].absent)
			out->row[l->rows[lo].quantity] = &l->rows[lo];
}

void bc_expect_find(const struct bc_expect *e, const char *id, struct bc_bounds *out)
{
	*out = (struct bc_bounds){ 0 };
	lay_over(&e->common, id, out);
	lay_over(&e->arch, id, out);
}

bool bc_row_holds(const struct bc_row *r, double v)
{
	return r->unknown || (v >= r->lo && v <= r->hi);
}

static void counts_of_class(enum bc_class cls, bool need[BC_NQUANTITIES])
{
	const bool shared = cls == BC_CLASS_LD || cls == BC_CLASS_ST || cls == BC_CLASS_ATOM;

	need[BC_Q_WAVEFRONTS] = shared;
	need[BC_Q_CONFLICTS] = shared || cls == BC_CLASS_LDGSTS;
	need[BC_Q_SECTORS] = cls == BC_CLASS_GLOBAL_LD || cls == BC_CLASS_GLOBAL_ST || cls == BC_CLASS_TMA_LD ||
			     cls == BC_CLASS_TMA_ST;
}

/* What of a case is counted on an architecture that can run it. */
static void counts_of_case(const struct bc_case *c, const struct bc_arch *a, bool need[BC_NQUANTITIES])
{
	const struct bc_op_info *op = bc_op_info(c->pattern.op);
	struct bc_program p = { 0 };

	if (c->pattern.op != BC_OP_NONE) {
		if (op->law != BC_LAW_UNKNOWN && op->law != BC_LAW_UNCOUNTED)
			counts_of_class(op->cls, need);
		return;
	}
	if (!c->rule->program || !c->rule->program(c, a, &p) || p.refused)
		return;
	if (p.requests)
		counts_of_class(p.cls, need);
	else
		need[BC_Q_REQUESTS] = p.cls != BC_CLASS_NONE;
}

static enum bc_status check_case(const struct bc_case *c, const struct bc_arch *a, const struct bc_bounds *b,
				 struct bc_error *err)
{
	const struct bc_row *any = NULL;
	bool need[BC_NQUANTITIES] = { false };
	char unmet[200];

	for (unsigned q = 0; q < BC_NQUANTITIES; q++)
		any = b->row[q] ? b->row[q] : any;
	if (!any || b->row[BC_Q_DATA] || bc_case_unmet(c, a, unmet, sizeof(unmet)))
		return BC_OK;
	counts_of_case(c, a, need);
	for (unsigned q = 0; q < BC_NQUANTITIES; q++)
		if (need[q] && !b->row[q])
			return bc_fail(err, BC_EDATA, "%s:%u: %s: the row lacks %s, which the case counts on %s",
				       any->path, any->line, c->id, quantities[q].name, a->name);
	if ((c->needs & BC_NEED_CLOCK) != 0 && !b->row[BC_Q_CLOCK_RATIO] && !b->row[BC_Q_CLOCK_SLOPE])
		return bc_fail(err, BC_EDATA,
			       "%s:%u: %s: the row lacks clock_ratio or clock_slope, which the case is about",
			       any->path, any->line, c->id);
	return BC_OK;
}

enum bc_status bc_expect_check(const struct bc_expect *e, const struct bc_catalog *cat, const struct bc_arch *a,
			       struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < cat->n + cat->nhidden; i++) {
		struct bc_bounds b;

		bc_expect_find(e, cat->cases[i].id, &b);
		st = check_case(&cat->cases[i], a, &b, err);
	}
	return st;
}

uint64_t bc_expect_hash(const struct bc_expect *e)
{
	uint64_t h = bc_hash(BC_HASH_INIT, &e->common.hash, sizeof(e->common.hash));

	return bc_hash(h, &e->arch.hash, sizeof(e->arch.hash));
}
