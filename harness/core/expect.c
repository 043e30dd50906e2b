/* SPDX-License-Identifier: MIT */
#include "harness/core/expect.h"
#include "harness/base/textfile.h"

#include <dirent.h>
#include <errno.h>
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

#define ROW_FORM "row <case id> <quantity> <lo> <hi> <origin> <basis in words>"
#define ABSENT_FORM "absent <case id> <quantity>"

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

/* Fields 2 and 3, which both line forms have. */
static enum bc_status parse_key(const struct bc_lines *l, const char *id, const char *quantity,
				const struct bc_catalog *cat, struct bc_row *r, struct bc_error *err)
{
	const char *form = r->absent ? ABSENT_FORM : ROW_FORM;

	if (!id || !quantity)
		return bc_fail(err, BC_EDATA, "%s:%u: the line ends early: %s", l->path, l->number, form);
	if (!bc_catalog_find(cat, id) || !bc_strlcpy(r->id, id, sizeof(r->id)))
		return bc_fail(err, BC_EDATA, "%s:%u: there is no case '%s' (`bankcheck list` prints all ids)", l->path,
			       l->number, id);
	if (!bc_quantity_parse(quantity, &r->quantity))
		return bc_fail(
			err, BC_EDATA,
			"%s:%u: unknown quantity '%s': wavefronts, conflicts, sectors, clock_ratio, clock_slope, "
			"requests or data",
			l->path, l->number, quantity);
	return BC_OK;
}

static enum bc_status parse_bounds(const struct bc_lines *l, const char *lo, const char *hi, struct bc_row *r,
				   struct bc_error *err)
{
	const char *wrong = NULL;

	if (!lo || !hi)
		return bc_fail(err, BC_EDATA, "%s:%u: the line ends early: " ROW_FORM, l->path, l->number);
	if (!bc_number_parse(lo, &r->lo))
		wrong = lo;
	else if (!bc_number_parse(hi, &r->hi))
		wrong = hi;
	if (wrong)
		return bc_fail(err, BC_EDATA, "%s:%u: '%s' is not a number such as 2 or 3.51", l->path, l->number,
			       wrong);
	if (r->lo > r->hi)
		return bc_fail(err, BC_EDATA, "%s:%u: the lower bound %s is above the upper bound %s", l->path,
			       l->number, lo, hi);
	if (r->quantity == BC_Q_DATA && (r->lo < 1 || r->hi > 1))
		return bc_fail(err, BC_EDATA, "%s:%u: the bounds of data are 1 1", l->path, l->number);
	if (r->lo < quantities[r->quantity].min || r->hi > quantities[r->quantity].max)
		return bc_fail(err, BC_EDATA, "%s:%u: %s %s to %s: %s is never negative, nor above 1e12", l->path,
			       l->number, quantities[r->quantity].name, lo, hi, quantities[r->quantity].name);
	return BC_OK;
}

static enum bc_status parse_origin(const struct bc_lines *l, const char *origin, const char *basis, struct bc_row *r,
				   struct bc_error *err)
{
	size_t o = 0;

	if (!origin)
		return bc_fail(err, BC_EDATA, "%s:%u: the line ends early: " ROW_FORM, l->path, l->number);
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

static enum bc_status parse_line(struct bc_lines *l, const struct bc_catalog *cat, struct bc_row *r,
				 struct bc_error *err)
{
	char *cursor = l->text;
	const char *form = bc_field(&cursor);

	*r = (struct bc_row){ .line = l->number, .absent = strcmp(form, "absent") == 0 };
	if (!r->absent && strcmp(form, "row") != 0)
		return bc_fail(err, BC_EDATA, "%s:%u: unknown line '%s': " ROW_FORM ", or " ABSENT_FORM, l->path,
			       l->number, form);

	const char *id = bc_field(&cursor);
	const char *quantity = bc_field(&cursor);
	enum bc_status st = parse_key(l, id, quantity, cat, r, err);

	if (st)
		return st;
	if (r->absent) {
		if (bc_field(&cursor))
			return bc_fail(err, BC_EDATA, "%s:%u: the line goes on: " ABSENT_FORM, l->path, l->number);
		return BC_OK;
	}

	const char *lo = bc_field(&cursor);
	const char *hi = bc_field(&cursor);

	st = parse_bounds(l, lo, hi, r, err);
	if (st)
		return st;

	const char *origin = bc_field(&cursor);

	return parse_origin(l, origin, bc_rest(&cursor), r, err);
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

enum bc_status bc_layer_parse(struct bc_layer *l, const char *text, const char *path, const struct bc_catalog *cat,
			      struct bc_error *err)
{
	struct bc_lines lines;
	enum bc_status st = own_path(l, path, err);
	size_t most = 1; /* lines of the text: no more rows than that */

	if (st)
		return st;
	for (const char *p = text; *p != '\0'; p++)
		most += *p == '\n';

	struct bc_row *rows = realloc(l->rows, (l->n + most) * sizeof(rows[0]));

	if (!rows)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory: %zu lines", path, most);
	l->rows = rows;
	bc_lines_start(&lines, text, l->paths[l->npaths - 1]);
	for (;;) {
		bool more;

		st = bc_lines_next(&lines, &more, err);
		if (st || !more)
			return st;
		st = parse_line(&lines, cat, &rows[l->n], err);
		if (st)
			return st;
		rows[l->n++].path = lines.path;
	}
}

static int by_key(const struct bc_row *a, const struct bc_row *b)
{
	const int order = strcmp(a->id, b->id);

	return order ? order : (a->quantity > b->quantity) - (a->quantity < b->quantity);
}

/* By key; the same key twice: by place, so that a message names the later one. */
static int by_key_and_place(const void *left, const void *right)
{
	const struct bc_row *a = left, *b = right;
	int order = by_key(a, b);

	if (!order)
		order = strcmp(a->path, b->path);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

enum bc_status bc_layer_finish(struct bc_layer *l, struct bc_error *err)
{
	if (l->n > 1)
		qsort(l->rows, l->n, sizeof(l->rows[0]), by_key_and_place);
	for (size_t i = 1; i < l->n; i++) {
		const struct bc_row *first = &l->rows[i - 1], *again = &l->rows[i];

		if (by_key(first, again) == 0)
			return bc_fail(err, BC_EDATA, "%s:%u: %s %s is already written in %s:%u: keep one", again->path,
				       again->line, again->id, quantities[again->quantity].name, first->path,
				       first->line);
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

/* Lay the rows of @id over what @out has. */
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
	for (; lo < l->n && strcmp(l->rows[lo].id, id) == 0; lo++)
		out->row[l->rows[lo].quantity] = l->rows[lo].absent ? NULL : &l->rows[lo];
}

void bc_expect_find(const struct bc_expect *e, const char *id, struct bc_bounds *out)
{
	*out = (struct bc_bounds){ 0 };
	lay_over(&e->common, id, out);
	lay_over(&e->arch, id, out);
}

uint64_t bc_expect_hash(const struct bc_expect *e)
{
	uint64_t h = bc_hash(BC_HASH_INIT, &e->common.hash, sizeof(e->common.hash));

	return bc_hash(h, &e->arch.hash, sizeof(e->arch.hash));
}
