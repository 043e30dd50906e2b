/* SPDX-License-Identifier: MIT */
#include "harness/history/profile.h"
#include "harness/history/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROFILES_MAX 64			 /* in memory; each some 150 KB for 3,400 cases */
#define MOST_EXCEPTIONS(n) ((n) / 4 + 8) /* with more a run makes a profile of its own */

struct bc_kept_cache {
	sqlite3_stmt *kept, *exceptions; /* of a run; NULL: not yet prepared */
	struct bc_outcome_list outcomes;
	struct bc_profile *profile[PROFILES_MAX];
	size_t nprofiles, next; /* next: to be replaced when all are there */
};

static void free_profile(struct bc_profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; p->name && i < p->kept.n; i++)
		free((void *)(uintptr_t)p->name[i]);
	free(p->name);
	bc_kept_release(&p->kept);
	free(p);
}

void bc_kept_cache_free(struct bc_kept_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nprofiles; i++)
		free_profile(c->profile[i]);
	(void)sqlite3_finalize(c->kept);
	(void)sqlite3_finalize(c->exceptions);
	bc_outcome_list_release(&c->outcomes);
	free(c);
}

enum bc_status bc_kept_refresh(struct bc_history *h, struct bc_error *err)
{
	int64_t version = 0;
	const enum bc_status st = bc_db_number(h, "PRAGMA data_version", &version, err);

	if (!st && version != h->data_version) {
		bc_kept_cache_free(h->cache);
		h->cache = NULL;
		h->data_version = version;
	}
	return st;
}

static enum bc_status no_memory(const struct bc_history *h, struct bc_error *err)
{
	return bc_fail(err, BC_ENOMEM, "%s: out of memory", h->path);
}

static enum bc_status damaged(const struct bc_history *h, const char *what, struct bc_error *err)
{
	return bc_fail(err, BC_EDATA, "%s: is damaged (%s); move it away and add the reports anew", h->path, what);
}

static enum bc_status need_cache(struct bc_history *h, struct bc_error *err)
{
	if (!h->cache)
		h->cache = calloc(1, sizeof(*h->cache));
	h->free_cache = bc_kept_cache_free;
	return h->cache ? BC_OK : no_memory(h, err);
}

void bc_kept_release(struct bc_kept *k)
{
	free(k->c);
	*k = (struct bc_kept){ 0 };
}

/* Append a case; room grows at powers of two. */
static enum bc_status append(struct bc_history *h, struct bc_kept *k, int64_t case_id, const struct bc_kept_outcome *o,
			     struct bc_error *err)
{
	if ((k->n & (k->n - 1)) == 0) {
		struct bc_kept_case *grown = realloc(k->c, (k->n ? 2 * k->n : 1) * sizeof(*grown));

		if (!grown)
			return no_memory(h, err);
		k->c = grown;
	}
	k->c[k->n++] = (struct bc_kept_case){ case_id, o, { (double)NAN, (double)NAN } };
	return BC_OK;
}

/* Rows of case_id and outcome of the run or profile @id; an outcome of NULL is kept as such. */
static enum bc_status step_cases(struct bc_history *h, sqlite3_stmt *s, int64_t id, struct bc_kept *out,
				 struct bc_error *err)
{
	bool row = true;
	enum bc_status st = bc_db_int(h, s, 1, id, err);

	while (!st && row) {
		const struct bc_kept_outcome *o = NULL;

		st = bc_db_row(h, s, &row, err);
		if (st || !row)
			break;
		if (sqlite3_column_type(s, 1) != SQLITE_NULL)
			st = bc_outcome_by_id(h, &h->cache->outcomes, sqlite3_column_int64(s, 1), &o, err);
		if (!st)
			st = append(h, out, sqlite3_column_int64(s, 0), o, err);
	}
	(void)sqlite3_reset(s);
	return st;
}

static enum bc_status read_cases(struct bc_history *h, const char *sql, int64_t id, struct bc_kept *out,
				 struct bc_error *err)
{
	sqlite3_stmt *s;
	enum bc_status st = bc_db_prepare(h, sql, &s, err);

	if (!st)
		st = step_cases(h, s, id, out, err);
	(void)sqlite3_finalize(s);
	return st;
}

enum bc_status bc_kept_outcome_of(struct bc_history *h, const struct bc_kept_outcome *want,
				  const struct bc_kept_outcome **out, struct bc_error *err)
{
	const enum bc_status st = need_cache(h, err);

	return st ? st : bc_outcome_find(h, &h->cache->outcomes, want, out, err);
}

/* A row of one blob, of which a copy is made; nothing when there is no row. */
static enum bc_status read_blob(sqlite3_stmt *s, int column, struct bc_text *out, struct bc_error *err)
{
	const void *blob = sqlite3_column_blob(s, column);
	const int n = sqlite3_column_bytes(s, column);

	return bc_text_add(out, blob ? blob : "", blob && n > 0 ? (size_t)n : 0, err);
}

static enum bc_status unpack(struct bc_history *h, const struct bc_text *blob, struct bc_kept *k,
			     const struct bc_kept *base, struct bc_error *err)
{
	struct bc_error why;
	const enum bc_status st = bc_numbers_unpack(blob, k, base, &why);

	return st == BC_EDATA ? damaged(h, why.msg, err) : st ? no_memory(h, err) : BC_OK;
}

static enum bc_status read_profile(struct bc_history *h, struct bc_profile *p, struct bc_error *err)
{
	const struct bc_kept none = { 0 };
	struct bc_text blob = { 0 };
	sqlite3_stmt *s;
	bool row = false;
	enum bc_status st =
		read_cases(h, "SELECT case_id, outcome FROM profile_outcome WHERE profile = ? ORDER BY case_id", p->id,
			   &p->kept, err);

	if (st)
		return st;
	st = bc_db_prepare(h, "SELECT numbers FROM profile WHERE id = ?", &s, err);
	if (!st)
		st = bc_db_int(h, s, 1, p->id, err);
	if (!st)
		st = bc_db_row(h, s, &row, err);
	if (!st && !row)
		st = damaged(h, "a profile is missing", err);
	if (!st)
		st = read_blob(s, 0, &blob, err);
	(void)sqlite3_finalize(s);
	if (!st)
		st = unpack(h, &blob, &p->kept, &none, err);
	bc_text_release(&blob);
	return st;
}

static enum bc_status profile_by_id(struct bc_history *h, int64_t id, struct bc_profile **out, struct bc_error *err)
{
	struct bc_profile *p;
	struct bc_kept_cache *c;
	enum bc_status st = need_cache(h, err);

	if (st)
		return st;
	c = h->cache;
	for (size_t i = 0; i < c->nprofiles; i++)
		if (c->profile[i]->id == id) {
			*out = c->profile[i];
			return BC_OK;
		}
	p = calloc(1, sizeof(*p));
	if (!p)
		return no_memory(h, err);
	p->id = id;
	st = read_profile(h, p, err);
	if (st) {
		free_profile(p);
		return st;
	}
	if (c->nprofiles < PROFILES_MAX) {
		c->profile[c->nprofiles++] = p;
	} else {
		free_profile(c->profile[c->next]);
		c->profile[c->next] = p;
		c->next = (c->next + 1) % PROFILES_MAX;
	}
	*out = p;
	return BC_OK;
}

static enum bc_status name_cases(struct bc_history *h, struct bc_profile *p, struct bc_error *err)
{
	sqlite3_stmt *s;
	const char **name = calloc(p->kept.n + 1, sizeof(*name));
	enum bc_status st = bc_db_prepare(h, "SELECT name FROM case_name WHERE id = ?", &s, err);

	if (!st && !name)
		st = no_memory(h, err);
	p->name = name;
	for (size_t i = 0; !st && i < p->kept.n; i++) {
		bool row = false;
		char *copy = NULL;

		st = bc_db_int(h, s, 1, p->kept.c[i].case_id, err);
		if (!st)
			st = bc_db_row(h, s, &row, err);
		if (!st)
			st = row ? bc_db_copy(h, s, 0, &copy, err) : damaged(h, "a case has no name", err);
		(void)sqlite3_reset(s);
		name[i] = copy;
	}
	(void)sqlite3_finalize(s);
	return st;
}

/* Id of the profile, 0: there is none. That of the number of cases first, then the newest. */
static enum bc_status find_profile(struct bc_history *h, const char *kind, size_t cases, int64_t *id,
				   struct bc_error *err)
{
	sqlite3_stmt *s;
	bool row = false;
	enum bc_status st =
		bc_db_prepare(h, "SELECT id FROM profile WHERE kind = ? ORDER BY cases != ?, id DESC LIMIT 1", &s, err);

	*id = 0;
	if (!st)
		st = bc_db_text(h, s, 1, kind, err);
	if (!st)
		st = bc_db_int(h, s, 2, (int64_t)cases, err);
	if (!st)
		st = bc_db_row(h, s, &row, err);
	if (!st && row)
		*id = sqlite3_column_int64(s, 0);
	(void)sqlite3_finalize(s);
	return st;
}

enum bc_status bc_profile_of_kind(struct bc_history *h, const char *kind, size_t cases, const struct bc_profile **out,
				  struct bc_error *err)
{
	struct bc_profile *p = NULL;
	int64_t id = 0;
	enum bc_status st = find_profile(h, kind, cases, &id, err);

	if (!st && id)
		st = profile_by_id(h, id, &p, err);
	if (!st && p && !p->name)
		st = name_cases(h, p, err);
	if (!st)
		*out = p;
	return st;
}

static enum bc_status insert_cases(struct bc_history *h, const char *sql, int64_t id, const struct bc_kept *k,
				   struct bc_error *err)
{
	sqlite3_stmt *s;
	enum bc_status st = bc_db_prepare(h, sql, &s, err);

	for (size_t i = 0; !st && i < k->n; i++) {
		st = bc_db_int(h, s, 1, id, err);
		if (!st)
			st = bc_db_int(h, s, 2, k->c[i].case_id, err);
		if (!st && sqlite3_bind_null(s, 3) != SQLITE_OK)
			st = bc_db_fail(h, "query", err);
		if (!st && k->c[i].o)
			st = bc_db_int(h, s, 3, k->c[i].o->id, err);
		if (!st)
			st = bc_db_done(h, s, err);
	}
	(void)sqlite3_finalize(s);
	return st;
}

static enum bc_status bind_blob(struct bc_history *h, sqlite3_stmt *s, int at, const struct bc_text *blob,
				struct bc_error *err)
{
	return sqlite3_bind_blob64(s, at, blob->data, blob->len, SQLITE_STATIC) == SQLITE_OK
		       ? BC_OK
		       : bc_db_fail(h, "query", err);
}

static enum bc_status make_profile(struct bc_history *h, const char *kind, const struct bc_kept *k, int64_t *id,
				   struct bc_error *err)
{
	const struct bc_kept none = { 0 };
	struct bc_text blob = { 0 };
	sqlite3_stmt *s = NULL;
	enum bc_status st = bc_numbers_pack(k, &none, &blob, err);

	if (!st)
		st = bc_db_prepare(h, "INSERT INTO profile (kind, cases, numbers) VALUES (?, ?, ?)", &s, err);
	if (!st)
		st = bc_db_text(h, s, 1, kind, err);
	if (!st)
		st = bc_db_int(h, s, 2, (int64_t)k->n, err);
	if (!st)
		st = bind_blob(h, s, 3, &blob, err);
	if (!st)
		st = bc_db_done(h, s, err);
	*id = sqlite3_last_insert_rowid(h->db);
	(void)sqlite3_finalize(s);
	if (!st)
		st = insert_cases(h, "INSERT INTO profile_outcome (profile, case_id, outcome) VALUES (?, ?, ?)", *id, k,
				  err);
	bc_text_release(&blob);
	return st;
}

/* Where a run differs from a profile: other outcomes, cases that only one of them has. */
static enum bc_status find_exceptions(struct bc_history *h, const struct bc_kept *run, const struct bc_kept *profile,
				      struct bc_kept *out, struct bc_error *err)
{
	size_t i = 0, k = 0;
	enum bc_status st = BC_OK;

	while (!st && (i < run->n || k < profile->n)) {
		const bool of_run = k == profile->n || (i < run->n && run->c[i].case_id <= profile->c[k].case_id);
		const bool both = of_run && k < profile->n && run->c[i].case_id == profile->c[k].case_id;

		if (!of_run)
			st = append(h, out, profile->c[k].case_id, NULL, err);
		else if (!both || run->c[i].o != profile->c[k].o)
			st = append(h, out, run->c[i].case_id, run->c[i].o, err);
		i += of_run;
		k += both || !of_run;
	}
	return st;
}

static enum bc_status write_numbers(struct bc_history *h, int64_t run, int64_t profile, const struct bc_kept *k,
				    const struct bc_kept *base, struct bc_error *err)
{
	struct bc_text blob = { 0 };
	sqlite3_stmt *s = NULL;
	enum bc_status st = bc_numbers_pack(k, base, &blob, err);

	if (!st)
		st = bc_db_prepare(h, "INSERT INTO kept (run, profile, numbers) VALUES (?, ?, ?)", &s, err);
	if (!st)
		st = bc_db_int(h, s, 1, run, err);
	if (!st)
		st = bc_db_int(h, s, 2, profile, err);
	if (!st)
		st = bind_blob(h, s, 3, &blob, err);
	if (!st)
		st = bc_db_done(h, s, err);
	(void)sqlite3_finalize(s);
	bc_text_release(&blob);
	return st;
}

static int by_case_id(const void *a, const void *b)
{
	const int64_t x = ((const struct bc_kept_case *)a)->case_id, y = ((const struct bc_kept_case *)b)->case_id;

	return (x > y) - (x < y);
}

enum bc_status bc_kept_write(struct bc_history *h, int64_t run, const char *kind, struct bc_kept *kept,
			     struct bc_error *err)
{
	struct bc_profile *p = NULL;
	struct bc_kept exceptions = { 0 };
	int64_t id = 0;
	enum bc_status st;

	if (kept->n)
		qsort(kept->c, kept->n, sizeof(*kept->c), by_case_id);
	st = find_profile(h, kind, kept->n, &id, err);
	if (!st && id)
		st = profile_by_id(h, id, &p, err);
	if (!st && p)
		st = find_exceptions(h, kept, &p->kept, &exceptions, err);
	if (!st && (!p || exceptions.n > MOST_EXCEPTIONS(kept->n))) {
		exceptions.n = 0;
		st = make_profile(h, kind, kept, &id, err);
		if (!st)
			st = profile_by_id(h, id, &p, err);
	}
	if (!st)
		st = insert_cases(h, "INSERT INTO exception (run, case_id, outcome) VALUES (?, ?, ?)", run, &exceptions,
				  err);
	if (!st)
		st = write_numbers(h, run, id, kept, &p->kept, err);
	bc_kept_release(&exceptions);
	return st;
}

/* The cases of a profile with a run's exceptions put in. */
static enum bc_status apply(struct bc_history *h, const struct bc_kept *profile, const struct bc_kept *exceptions,
			    struct bc_kept *out, struct bc_error *err)
{
	size_t i = 0, k = 0;
	enum bc_status st = BC_OK;

	out->n = 0;
	free(out->c);
	out->c = malloc((profile->n + exceptions->n + 1) * sizeof(*out->c));
	if (!out->c)
		return no_memory(h, err);
	while (i < profile->n || k < exceptions->n) {
		const bool special =
			i == profile->n || (k < exceptions->n && exceptions->c[k].case_id <= profile->c[i].case_id);
		const struct bc_kept_case *c = special ? &exceptions->c[k] : &profile->c[i];

		if (c->o)
			out->c[out->n++] = *c;
		i += !special || (i < profile->n && profile->c[i].case_id == c->case_id);
		k += special;
	}
	return st;
}

static enum bc_status prepare_reading(struct bc_history *h, struct bc_error *err)
{
	enum bc_status st = need_cache(h, err);

	if (!st && !h->cache->kept)
		st = bc_db_prepare(h, "SELECT profile, numbers FROM kept WHERE run = ?", &h->cache->kept, err);
	if (!st && !h->cache->exceptions)
		st = bc_db_prepare(h, "SELECT case_id, outcome FROM exception WHERE run = ? ORDER BY case_id",
				   &h->cache->exceptions, err);
	return st;
}

enum bc_status bc_kept_read(struct bc_history *h, int64_t run, struct bc_kept *out, struct bc_error *err)
{
	struct bc_profile *p = NULL;
	struct bc_kept exceptions = { 0 };
	struct bc_text blob = { 0 };
	int64_t profile = 0;
	bool row = false;
	enum bc_status st = prepare_reading(h, err);

	out->n = 0;
	if (!st)
		st = bc_db_int(h, h->cache->kept, 1, run, err);
	if (!st)
		st = bc_db_row(h, h->cache->kept, &row, err);
	if (!st && row) {
		profile = sqlite3_column_int64(h->cache->kept, 0);
		st = read_blob(h->cache->kept, 1, &blob, err);
	}
	if (h->cache && h->cache->kept)
		(void)sqlite3_reset(h->cache->kept);
	if (st || !row) { /* another process has just removed the run */
		bc_text_release(&blob);
		return st;
	}
	st = profile_by_id(h, profile, &p, err);
	if (!st)
		st = step_cases(h, h->cache->exceptions, run, &exceptions, err);
	if (!st)
		st = apply(h, &p->kept, &exceptions, out, err);
	if (!st)
		st = unpack(h, &blob, out, &p->kept, err);
	bc_kept_release(&exceptions);
	bc_text_release(&blob);
	return st;
}
