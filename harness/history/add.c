/* SPDX-License-Identifier: MIT */
/* Adding reports and removing runs: the two things that write. */
#include "harness/history/history.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/history/db.h"
#include "harness/history/measure.h"

/* Statements of one transaction. */
enum statement { FIND_RUN, FIND_CASE, FIND_MESSAGE, ADD_RUN, ADD_FACT, ADD_CASE, ADD_MESSAGE, ADD_RESULT, NSTATEMENTS };

static const char *const sql_of[NSTATEMENTS] = {
	[FIND_RUN] = "SELECT id, cases FROM run WHERE run_id = ? AND device = ?",
	[FIND_CASE] = "SELECT id FROM case_name WHERE name = ?",
	[FIND_MESSAGE] = "SELECT id FROM message WHERE text = ?",
	[ADD_RUN] = ("INSERT INTO run (run_id, device, time, unit, arch, gpu, host, driver, cuda, image_hash, "
		     "expectations_hash, bankcheck, complete, cases, passed, findings, skipped) "
		     "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	[ADD_FACT] = "INSERT OR REPLACE INTO fact (run, name, value) VALUES (?, ?, ?)",
	[ADD_CASE] = "INSERT INTO case_name (name) VALUES (?)",
	[ADD_MESSAGE] = "INSERT INTO message (text) VALUES (?)",
	[ADD_RESULT] = ("INSERT INTO result (run, case_id, verdict, wavefronts, conflicts, clock, cycles, flaky, "
			"message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
};

struct adding {
	struct bc_history *h;
	const char *path; /* of the report */
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

static enum bc_status add_case(struct adding *a, int64_t run, const struct bc_read_case *c)
{
	sqlite3_stmt *s = a->s[ADD_RESULT];
	const char *flaky = bc_key_get(&c->keys, "flaky");
	double value[BC_NVALUES];
	int64_t id = 0, message = 0;
	enum bc_status st = id_of(a, FIND_CASE, ADD_CASE, c->id, &id);

	bc_history_measure(c, value);
	if (!st && c->message[0])
		st = id_of(a, FIND_MESSAGE, ADD_MESSAGE, c->message, &message);
	if (!st)
		st = bc_db_int(a->h, s, 1, run, a->err);
	if (!st)
		st = bc_db_int(a->h, s, 2, id, a->err);
	if (!st)
		st = bc_db_text(a->h, s, 3, bc_verdict_name(c->verdict), a->err);
	for (int i = 0; !st && i < BC_NVALUES; i++)
		st = bc_db_real(a->h, s, 4 + i, value[i], a->err);
	if (!st)
		st = bc_db_int(a->h, s, 8, flaky && strcmp(flaky, "yes") == 0, a->err);
	if (!st && sqlite3_bind_null(s, 9) != SQLITE_OK)
		st = bc_db_fail(a->h, "query", a->err);
	if (!st && message)
		st = bc_db_int(a->h, s, 9, message, a->err);
	return st ? st : bc_db_done(a->h, s, a->err);
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
	const char *uuid = property(d, "uuid");

	if (strncmp(device, "reference", 9) == 0)
		return bc_text_addf(out, err, "%s", device);
	if (uuid[0])
		return bc_text_addf(out, err, "%s", uuid);
	return bc_text_addf(out, err, "%s %s", d->host, device);
}

static enum bc_status remove_run(struct bc_history *h, int64_t run, struct bc_error *err)
{
	static const char *const sql[] = { "DELETE FROM result WHERE run = ?", "DELETE FROM fact WHERE run = ?",
					   "DELETE FROM run WHERE id = ?" };
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < BC_ARRAY_LEN(sql); i++) {
		sqlite3_stmt *s;

		st = bc_db_prepare(h, sql[i], &s, err);
		if (!st)
			st = bc_db_int(h, s, 1, run, err);
		if (!st)
			st = bc_db_done(h, s, err);
		(void)sqlite3_finalize(s);
	}
	return st;
}

/* Is this run there? *known: with no fewer cases; else it is removed, to be put in anew. */
static enum bc_status find_earlier(struct adding *a, const struct bc_read_device *d, const char *device, bool *known,
				   bool *replaced)
{
	sqlite3_stmt *s = a->s[FIND_RUN];
	int64_t id = 0, ncases = 0;
	bool row = false;
	enum bc_status st = bc_db_text(a->h, s, 1, bc_read_property(d, "run_id"), a->err);

	if (!st)
		st = bc_db_text(a->h, s, 2, device, a->err);
	if (!st)
		st = bc_db_row(a->h, s, &row, a->err);
	if (!st && row) {
		id = sqlite3_column_int64(s, 0);
		ncases = sqlite3_column_int64(s, 1);
		(void)sqlite3_reset(s);
	}
	*known = row && ncases >= (int64_t)d->ncases;
	*replaced = row && !*known;
	return st || !*replaced ? st : remove_run(a->h, id, a->err);
}

static enum bc_status add_device(struct adding *a, const struct bc_read_device *d, struct bc_history_added *sum)
{
	const char *device = property(d, "device")[0] ? property(d, "device") : d->dev;
	struct bc_text unit = { 0 };
	bool known = false, replaced = false;
	int64_t run;
	enum bc_status st;

	if (!is_time(d->timestamp))
		return bc_fail(a->err, BC_EDATA,
			       "%s: the testsuites of %s have no timestamp YYYY-MM-DDTHH:MM:SS: not a report "
			       "that bankcheck wrote",
			       a->path, d->dev);
	st = find_earlier(a, d, device, &known, &replaced);
	if (st || known) {
		sum->known += known;
		return st;
	}
	st = unit_of(d, device, &unit, a->err);
	if (!st)
		st = add_run(a, d, device, unit.data);
	run = sqlite3_last_insert_rowid(a->h->db);
	if (!st)
		st = add_facts(a, run, d);
	for (size_t i = 0; !st && i < d->ncases; i++)
		st = add_case(a, run, &d->cases[i]);
	bc_text_release(&unit);
	sum->added += !replaced;
	sum->replaced += replaced;
	sum->cases += d->ncases;
	return st;
}

enum bc_status bc_history_add(struct bc_history *h, const struct bc_read_file *f, struct bc_history_added *out,
			      struct bc_error *err)
{
	struct adding a = { .h = h, .path = f->path, .err = err };
	struct bc_history_added sum = { 0 };
	enum bc_status st = bc_db_begin(h, err);

	if (st)
		return st;
	for (size_t i = 0; !st && i < NSTATEMENTS; i++)
		st = bc_db_prepare(h, sql_of[i], &a.s[i], err);
	for (size_t i = 0; !st && i < f->ndevices; i++)
		st = add_device(&a, &f->devices[i], &sum);
	for (size_t i = 0; i < NSTATEMENTS; i++)
		(void)sqlite3_finalize(a.s[i]);
	st = bc_db_end(h, st, err);
	if (!st)
		*out = sum;
	return st;
}

/* The runs to remove, into the table `gone` of this connection. */
#define CHOOSE                                                                                                        \
	"INSERT INTO temp.gone SELECT id FROM (SELECT id, time, row_number() OVER (PARTITION BY unit ORDER BY "       \
	"time DESC, run_id DESC, device DESC) AS age FROM run) WHERE (?1 > 0 AND age > ?1) OR substr(time, 1, 10) < " \
	"?2"

static enum bc_status choose_runs(struct bc_history *h, unsigned keep, const char *before, struct bc_error *err)
{
	sqlite3_stmt *s = NULL;
	enum bc_status st = bc_db_exec(
		h, "CREATE TEMP TABLE IF NOT EXISTS gone (id INTEGER PRIMARY KEY); DELETE FROM gone", "prune", err);

	if (!st)
		st = bc_db_prepare(h, CHOOSE, &s, err);
	if (!st)
		st = bc_db_int(h, s, 1, keep, err);
	if (!st)
		st = bc_db_text(h, s, 2, before ? before : "", err); /* no day is before "" */
	if (!st)
		st = bc_db_done(h, s, err);
	(void)sqlite3_finalize(s);
	return st;
}

static enum bc_status remove_runs(struct bc_history *h, unsigned keep, const char *before, size_t *gone, size_t *left,
				  struct bc_error *err)
{
	int64_t n = 0, rest = 0;
	enum bc_status st = choose_runs(h, keep, before, err);

	if (!st)
		st = bc_db_number(h, "SELECT count(*) FROM temp.gone", &n, err);
	if (!st && n)
		st = bc_db_exec(
			h,
			"DELETE FROM result WHERE run IN (SELECT id FROM temp.gone);"
			"DELETE FROM fact WHERE run IN (SELECT id FROM temp.gone);"
			"DELETE FROM run WHERE id IN (SELECT id FROM temp.gone);"
			"DELETE FROM case_name WHERE id NOT IN (SELECT case_id FROM result);"
			"DELETE FROM message WHERE id NOT IN (SELECT message FROM result WHERE message IS NOT NULL);",
			"prune", err);
	if (!st)
		st = bc_db_number(h, "SELECT count(*) FROM run", &rest, err);
	*gone = (size_t)n;
	*left = (size_t)rest;
	return st;
}

enum bc_status bc_history_prune(struct bc_history *h, unsigned keep, const char *before, size_t *gone, size_t *left,
				struct bc_error *err)
{
	enum bc_status st;

	if (before && !bc_is_day(before))
		return bc_fail(err, BC_EUSAGE, "--before %s: a day of the calendar is needed, YYYY-MM-DD", before);
	st = bc_db_begin(h, err);
	if (st)
		return st;
	st = remove_runs(h, keep, before, gone, left, err);
	st = bc_db_end(h, st, err);
	if (!st && *gone) /* another process at work only means that the room is used again later */
		(void)sqlite3_exec(h->db, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE);", NULL, NULL, NULL);
	return st;
}
