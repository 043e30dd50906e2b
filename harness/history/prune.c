/* SPDX-License-Identifier: MIT */
/* Removing runs. */
#include "harness/history/history.h"

#include "harness/history/db.h"
#include "harness/history/profile.h"

/* What no run refers to any more. */
#define SWEEP                                                                                          \
	"DELETE FROM profile WHERE id NOT IN (SELECT profile FROM kept);"                              \
	"DELETE FROM profile_outcome WHERE profile NOT IN (SELECT id FROM profile);"                   \
	"DELETE FROM outcome WHERE id NOT IN (SELECT outcome FROM profile_outcome) AND id NOT IN "     \
	"(SELECT outcome FROM exception WHERE outcome IS NOT NULL);"                                   \
	"DELETE FROM case_name WHERE id NOT IN (SELECT case_id FROM outcome) AND id NOT IN "           \
	"(SELECT case_id FROM exception);"                                                             \
	"DELETE FROM message WHERE id NOT IN (SELECT message FROM outcome WHERE message IS NOT NULL);" \
	"DELETE FROM gathered_folder WHERE night NOT IN (SELECT night FROM gathered);"

enum bc_status bc_kept_remove_run(struct bc_history *h, int64_t run, struct bc_error *err)
{
	static const char *const sql[] = { "DELETE FROM kept WHERE run = ?", "DELETE FROM exception WHERE run = ?",
					   "DELETE FROM gathered WHERE run = ?", "DELETE FROM fact WHERE run = ?",
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
		st = bc_db_exec(h,
				"DELETE FROM kept WHERE run IN (SELECT id FROM temp.gone);"
				"DELETE FROM exception WHERE run IN (SELECT id FROM temp.gone);"
				"DELETE FROM gathered WHERE run IN (SELECT id FROM temp.gone);"
				"DELETE FROM fact WHERE run IN (SELECT id FROM temp.gone);"
				"DELETE FROM run WHERE id IN (SELECT id FROM temp.gone);" SWEEP,
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
	bc_kept_cache_free(h->cache); /* of what may be gone */
	h->cache = NULL;
	if (!st && *gone) /* another process at work only means that the room is used again later */
		(void)sqlite3_exec(h->db, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE);", NULL, NULL, NULL);
	return st;
}
