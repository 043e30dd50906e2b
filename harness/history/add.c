/* SPDX-License-Identifier: MIT */
/* Adding reports. */
#include "harness/history/history.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/history/db.h"
#include "harness/history/measure.h"
#include "harness/history/night.h"
#include "harness/history/profile.h"

/* Statements of one transaction. */
enum statement { FIND_RUN, FIND_CASE, ADD_RUN, ADD_FACT, ADD_CASE, NSTATEMENTS };

static const char *const sql_of[NSTATEMENTS] = {
	[FIND_RUN] = "SELECT id, cases, EXISTS (SELECT 1 FROM fact WHERE run = run.id AND name = 'junit' AND value = "
		     "'compact') FROM run WHERE run_id = ? AND device = ? AND unit = ?",
	[FIND_CASE] = "SELECT id FROM case_name WHERE name = ?",
	[ADD_RUN] = ("INSERT INTO run (run_id, device, time, unit, arch, gpu, host, driver, cuda, image_hash, "
		     "expectations_hash, bankcheck, complete, cases, passed, findings, skipped) "
		     "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	[ADD_FACT] = "INSERT OR REPLACE INTO fact (run, name, value) VALUES (?, ?, ?)",
	[ADD_CASE] = "INSERT INTO case_name (name) VALUES (?)",
};

struct adding {
	struct bc_history *h;
	const char *path;		      /* of the report */
	const struct bc_history_place *place; /* NULL: none */
	sqlite3_stmt *s[NSTATEMENTS];
	struct bc_error *err;
};

/* A property; "" also for "none". */
static const char *property(const struct bc_read_device *d, const char *name)
{
	const char *v = bc_read_property(d, name);

	return strcmp(v, "none") == 0 ? "" : v;
}

/* YYYY-MM-DDTHH:MM:SS and nothing else. */
static bool is_time(const char *s)
{
	static const char form[] = "0000-00-00T00:00:00";

	if (strlen(s) != sizeof(form) - 1)
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == '0' ? !isdigit((unsigned char)s[i]) : s[i] != form[i])
			return false;
	return true;
}

/* Id of a text in a table of texts; it is put there when it is new. */
static enum bc_status id_of(struct adding *a, enum statement find, enum statement add, const char *text, int64_t *id)
{
	bool row = false;
	enum bc_status st = bc_db_text(a->h, a->s[find], 1, text, a->err);

	if (!st)
		st = bc_db_row(a->h, a->s[find], &row, a->err);
	if (st)
		return st;
	if (row) {
		*id = sqlite3_column_int64(a->s[find], 0);
		(void)sqlite3_reset(a->s[find]);
		return BC_OK;
	}
	st = bc_db_text(a->h, a->s[add], 1, text, a->err);
	if (!st)
		st = bc_db_done(a->h, a->s[add], a->err);
	*id = sqlite3_last_insert_rowid(a->h->db);
	return st;
}

/* One case; as it is in the profile at @like, if that is its. */
static enum bc_status add_case(struct adding *a, const struct bc_read_case *c, const struct bc_kept_case *like,
			       struct bc_kept_case *out)
{
	const char *flaky = bc_key_get(&c->keys, "flaky");
	double value[BC_NVALUES];
	struct bc_kept_outcome want = { .verdict = c->verdict,
					.flaky = flaky && strcmp(flaky, "yes") == 0,
					.text = c->message };
	enum bc_status st = BC_OK;

	bc_history_measure(c, value);
	want.wavefronts = value[BC_VALUE_WAVEFRONTS];
	want.conflicts = value[BC_VALUE_CONFLICTS];
	if (like)
		want.case_id = like->case_id;
	else
		st = id_of(a, FIND_CASE, ADD_CASE, c->id, &want.case_id);
	*out = (struct bc_kept_case){ want.case_id, NULL, { value[BC_VALUE_CLOCK], value[BC_VALUE_CYCLES] } };
	if (!st && like && bc_kept_outcome_same(like->o, &want))
		out->o = like->o;
	else if (!st)
		st = bc_kept_outcome_of(a->h, &want, &out->o, a->err);
	return st;
}

struct named_case {
	const char *name;
	const struct bc_kept_case *c;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named_case *)a)->name, ((const struct named_case *)b)->name);
}

/* The cases of a profile by name, as a report has them. */
static struct named_case *sort_profile(const struct bc_profile *p)
{
	struct named_case *n = calloc((p ? p->kept.n : 0) + 1, sizeof(*n));

	for (size_t i = 0; n && p && i < p->kept.n; i++)
		n[i] = (struct named_case){ p->name[i], &p->kept.c[i] };
	if (n && p && p->kept.n)
		qsort(n, p->kept.n, sizeof(*n), by_name);
	return n;
}

/* Runs of one kind have the same outcomes, but for what is odd. */
static enum bc_status kind_of(const struct bc_read_device *d, struct bc_text *out, struct bc_error *err)
{
	return bc_text_addf(out, err, "%s|%s|%s|%s|%s|%s", property(d, "arch"), property(d, "gpu"),
			    property(d, "driver"), property(d, "cuda"), property(d, "image_hash"),
			    property(d, "expectations_hash"));
}

static enum bc_status add_results(struct adding *a, int64_t run, const struct bc_read_device *d)
{
	const struct bc_profile *p = NULL;
	struct named_case *like = NULL;
	struct bc_kept kept = { .c = calloc(d->ncases + 1, sizeof(*kept.c)) };
	struct bc_text kind = { 0 };
	size_t at = 0;
	enum bc_status st =
		kept.c ? kind_of(d, &kind, a->err) : bc_fail(a->err, BC_ENOMEM, "%s: out of memory", a->path);

	if (!st)
		st = bc_profile_of_kind(a->h, kind.data, d->ncases, &p, a->err);
	if (!st) {
		like = sort_profile(p);
		st = like ? BC_OK : bc_fail(a->err, BC_ENOMEM, "%s: out of memory", a->path);
	}
	for (size_t i = 0; !st && i < d->ncases; i++) {
		while (p && at < p->kept.n && strcmp(like[at].name, d->cases[i].id) < 0)
			at++;
		st = add_case(a, &d->cases[i],
			      p && at < p->kept.n && strcmp(like[at].name, d->cases[i].id) == 0 ? like[at].c : NULL,
			      &kept.c[kept.n++]);
	}
	if (!st)
		st = bc_kept_write(a->h, run, kind.data, &kept, a->err);
	free(like);
	bc_kept_release(&kept);
	bc_text_release(&kind);
	return st;
}

static enum bc_status add_run(struct adding *a, const struct bc_read_device *d, const char *device, const char *unit)
{
	sqlite3_stmt *s = a->s[ADD_RUN];
	const char *const text[] = { bc_read_property(d, "run_id"),
				     device,
				     d->timestamp,
				     unit,
				     property(d, "arch"),
				     property(d, "gpu"),
				     d->host,
				     property(d, "driver"),
				     property(d, "cuda"),
				     property(d, "image_hash"),
				     property(d, "expectations_hash"),
				     property(d, "bankcheck"),
				     property(d, "complete") };
	int64_t n[BC_NVERDICTS] = { 0 };
	enum bc_status st = BC_OK;
	int at = 0;

	for (size_t i = 0; i < d->ncases; i++)
		n[d->cases[i].verdict]++;
	for (size_t i = 0; !st && i < BC_ARRAY_LEN(text); i++)
		st = bc_db_text(a->h, s, ++at, text[i], a->err);
	if (!st)
		st = bc_db_int(a->h, s, ++at, (int64_t)d->ncases, a->err);
	if (!st)
		st = bc_db_int(a->h, s, ++at, n[BC_PASS], a->err);
	if (!st)
		st = bc_db_int(a->h, s, ++at, (int64_t)d->ncases - n[BC_PASS] - n[BC_XFAIL] - n[BC_SKIP], a->err);
	if (!st)
		st = bc_db_int(a->h, s, ++at, n[BC_SKIP], a->err);
	return st ? st : bc_db_done(a->h, s, a->err);
}

static enum bc_status add_facts(struct adding *a, int64_t run, const struct bc_read_device *d)
{
	sqlite3_stmt *s = a->s[ADD_FACT];
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < d->nproperties; i++) {
		st = bc_db_int(a->h, s, 1, run, a->err);
		if (!st)
			st = bc_db_text(a->h, s, 2, d->property[i].name, a->err);
		if (!st)
			st = bc_db_text(a->h, s, 3, d->property[i].value, a->err);
		if (!st)
			st = bc_db_done(a->h, s, a->err);
	}
	return st;
}

/* The piece of hardware that the results are of. */
static enum bc_status unit_of(const struct bc_read_device *d, const char *device, struct bc_text *out,
			      struct bc_error *err)
{
	const char *uuid = property(d, "uuid"), *by = property(d, "host_by");

	/* A reference device is the same everywhere; hosts that were named are a fleet of them. */
	if (strncmp(device, "reference", 9) == 0 && (!by[0] || strcmp(by, "system") == 0))
		return bc_text_addf(out, err, "%s", device);
	if (uuid[0])
		return bc_text_addf(out, err, "%s", uuid);
	return bc_text_addf(out, err, "%s %s", d->host, device);
}

/* Is this run there? *known: its id, with no fewer cases and values; else it is removed, to be put in anew. */
static enum bc_status find_earlier(struct adding *a, const struct bc_read_device *d, const char *device,
				   const char *unit, int64_t *known, bool *replaced)
{
	sqlite3_stmt *s = a->s[FIND_RUN];
	int64_t id = 0, ncases = 0;
	bool row = false, compact = false;
	enum bc_status st = bc_db_text(a->h, s, 1, bc_read_property(d, "run_id"), a->err);

	if (!st)
		st = bc_db_text(a->h, s, 2, device, a->err);
	if (!st)
		st = bc_db_text(a->h, s, 3, unit, a->err);
	if (!st)
		st = bc_db_row(a->h, s, &row, a->err);
	if (!st && row) {
		id = sqlite3_column_int64(s, 0);
		ncases = sqlite3_column_int64(s, 1);
		compact = sqlite3_column_int(s, 2) != 0;
		(void)sqlite3_reset(s);
	}
	*known = row && ncases >= (int64_t)d->ncases && !(compact && !d->nverdict_only && ncases == (int64_t)d->ncases)
			 ? id
			 : 0;
	*replaced = row && !*known;
	return st || !*replaced ? st : bc_kept_remove_run(a->h, id, a->err);
}

/* The run is of this folder of the night. */
static enum bc_status place_run(struct adding *a, int64_t run)
{
	const char *const text[] = { a->place->night, a->place->node, a->place->job };
	sqlite3_stmt *s;
	enum bc_status st = bc_db_prepare(
		a->h, "INSERT OR IGNORE INTO gathered (night, node, job, run) VALUES (?, ?, ?, ?)", &s, a->err);

	for (size_t i = 0; !st && i < BC_ARRAY_LEN(text); i++)
		st = bc_db_text(a->h, s, (int)i + 1, text[i], a->err);
	if (!st)
		st = bc_db_int(a->h, s, 4, run, a->err);
	if (!st)
		st = bc_db_done(a->h, s, a->err);
	(void)sqlite3_finalize(s);
	return st;
}

static enum bc_status add_device(struct adding *a, const struct bc_read_device *d, struct bc_history_added *sum)
{
	const char *device = property(d, "device")[0] ? property(d, "device") : d->dev;
	struct bc_text unit = { 0 };
	bool replaced = false;
	int64_t run = 0;
	enum bc_status st;

	if (!is_time(d->timestamp))
		return bc_fail(a->err, BC_EDATA,
			       "%s: the testsuites of %s have no timestamp YYYY-MM-DDTHH:MM:SS: not a report "
			       "that bankcheck wrote",
			       a->path, d->dev);
	st = unit_of(d, device, &unit, a->err);
	if (!st)
		st = find_earlier(a, d, device, unit.data, &run, &replaced);
	sum->known += run != 0;
	if (!st && !run) {
		st = add_run(a, d, device, unit.data);
		run = sqlite3_last_insert_rowid(a->h->db);
		if (!st)
			st = add_facts(a, run, d);
		if (!st)
			st = add_results(a, run, d);
		sum->added += !replaced;
		sum->replaced += replaced;
		sum->cases += d->ncases;
		sum->verdict_only += d->nverdict_only;
	}
	if (!st && a->place)
		st = place_run(a, run);
	bc_text_release(&unit);
	return st;
}

/* All devices of @n reports, in one transaction. */
static enum bc_status add_files(struct bc_history *h, const struct bc_history_place *place,
				const struct bc_read_file *f, size_t n, bool whole, struct bc_history_added *out,
				struct bc_error *err)
{
	struct adding a = { .h = h, .place = place, .err = err };
	struct bc_history_added sum = { 0 };
	enum bc_status st = bc_db_begin(h, err);

	if (st)
		return st;
	st = bc_kept_refresh(h, err);
	for (size_t i = 0; !st && i < NSTATEMENTS; i++)
		st = bc_db_prepare(h, sql_of[i], &a.s[i], err);
	for (size_t k = 0; !st && k < n; k++) {
		a.path = f[k].path;
		for (size_t i = 0; !st && i < f[k].ndevices; i++)
			st = add_device(&a, &f[k].devices[i], &sum);
	}
	if (!st && place && whole)
		st = bc_history_place_done(h, place, err);
	for (size_t i = 0; i < NSTATEMENTS; i++)
		(void)sqlite3_finalize(a.s[i]);
	st = bc_db_end(h, st, err);
	if (!st)
		*out = sum;
	return st;
}

enum bc_status bc_history_add(struct bc_history *h, const struct bc_read_file *f, struct bc_history_added *out,
			      struct bc_error *err)
{
	return add_files(h, NULL, f, 1, true, out, err);
}

enum bc_status bc_history_gather(struct bc_history *h, const struct bc_history_place *place,
				 const struct bc_read_file *f, size_t n, bool whole, struct bc_history_added *out,
				 struct bc_error *err)
{
	return add_files(h, place, f, n, whole, out, err);
}
