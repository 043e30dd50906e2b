/* SPDX-License-Identifier: MIT */
#include "harness/history/db.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum bc_status bc_db_fail(const struct bc_history *h, const char *doing, struct bc_error *err)
{
	const int rc = h->db ? sqlite3_errcode(h->db) : SQLITE_NOMEM;
	const char *what = h->db ? sqlite3_errmsg(h->db) : "out of memory";

	switch (rc & 0xff) {
	case SQLITE_NOMEM: return bc_fail(err, BC_ENOMEM, "%s: out of memory", h->path);
	case SQLITE_NOTADB:
		return bc_fail(err, BC_EDATA,
			       "%s: is no history: not an SQLite database; name another with --db, or move it "
			       "away",
			       h->path);
	case SQLITE_CORRUPT:
		return bc_fail(err, BC_EDATA, "%s: is damaged (%s); move it away and add the reports anew", h->path,
			       what);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return bc_fail(err, BC_EWRITE,
			       "%s: %s: another process has been writing for over %d s; try again later", h->path,
			       doing, BC_HISTORY_WAIT_MS / 1000);
	case SQLITE_READONLY:
		return bc_fail(err, BC_EWRITE, "%s: %s: the file or its folder cannot be written", h->path, doing);
	case SQLITE_FULL: return bc_fail(err, BC_EWRITE, "%s: %s: no room is left", h->path, doing);
	case SQLITE_CANTOPEN: return bc_fail(err, BC_EREAD, "%s: %s: cannot be opened", h->path, doing);
	case SQLITE_ERROR:
		return bc_fail(err, BC_EDATA,
			       "%s: %s: not the tables of a history (%s); move it away and add the reports "
			       "anew",
			       h->path, doing, what);
	default: return bc_fail(err, BC_EWRITE, "%s: %s: %s", h->path, doing, what);
	}
}

enum bc_status bc_db_exec(struct bc_history *h, const char *sql, const char *doing, struct bc_error *err)
{
	return sqlite3_exec(h->db, sql, NULL, NULL, NULL) == SQLITE_OK ? BC_OK : bc_db_fail(h, doing, err);
}

enum bc_status bc_db_prepare(struct bc_history *h, const char *sql, sqlite3_stmt **out, struct bc_error *err)
{
	*out = NULL;
	return sqlite3_prepare_v2(h->db, sql, -1, out, NULL) == SQLITE_OK ? BC_OK : bc_db_fail(h, "query", err);
}

enum bc_status bc_db_text(struct bc_history *h, sqlite3_stmt *s, int i, const char *v, struct bc_error *err)
{
	return sqlite3_bind_text(s, i, v, -1, SQLITE_STATIC) == SQLITE_OK ? BC_OK : bc_db_fail(h, "query", err);
}

enum bc_status bc_db_int(struct bc_history *h, sqlite3_stmt *s, int i, int64_t v, struct bc_error *err)
{
	return sqlite3_bind_int64(s, i, v) == SQLITE_OK ? BC_OK : bc_db_fail(h, "query", err);
}

enum bc_status bc_db_real(struct bc_history *h, sqlite3_stmt *s, int i, double v, struct bc_error *err)
{
	const int rc = isnan(v) ? sqlite3_bind_null(s, i) : sqlite3_bind_double(s, i, v);

	return rc == SQLITE_OK ? BC_OK : bc_db_fail(h, "query", err);
}

enum bc_status bc_db_row(struct bc_history *h, sqlite3_stmt *s, bool *row, struct bc_error *err)
{
	const int rc = sqlite3_step(s);

	*row = rc == SQLITE_ROW;
	if (*row)
		return BC_OK;
	if (rc != SQLITE_DONE) {
		const enum bc_status st = bc_db_fail(h, "query", err);

		(void)sqlite3_reset(s); /* says the failure once more */
		return st;
	}
	return sqlite3_reset(s) == SQLITE_OK ? BC_OK : bc_db_fail(h, "query", err);
}

enum bc_status bc_db_done(struct bc_history *h, sqlite3_stmt *s, struct bc_error *err)
{
	bool row;

	return bc_db_row(h, s, &row, err);
}

enum bc_status bc_db_number(struct bc_history *h, const char *sql, int64_t *out, struct bc_error *err)
{
	sqlite3_stmt *s;
	bool row = false;
	enum bc_status st = bc_db_prepare(h, sql, &s, err);

	*out = 0;
	if (!st)
		st = bc_db_row(h, s, &row, err);
	if (!st && row)
		*out = sqlite3_column_int64(s, 0);
	(void)sqlite3_finalize(s); /* its failure was the step's */
	return st;
}

enum bc_status bc_db_copy(struct bc_history *h, sqlite3_stmt *s, int column, char **out, struct bc_error *err)
{
	const unsigned char *v = sqlite3_column_text(s, column);

	*out = strdup(v ? (const char *)v : "");
	return *out ? BC_OK : bc_fail(err, BC_ENOMEM, "%s: out of memory", h->path);
}

enum bc_status bc_db_begin(struct bc_history *h, struct bc_error *err)
{
	return bc_db_exec(h, "BEGIN IMMEDIATE", "begin", err);
}

enum bc_status bc_db_end(struct bc_history *h, enum bc_status st, struct bc_error *err)
{
	if (!st)
		st = bc_db_exec(h, "COMMIT", "write", err);
	if (st && !sqlite3_get_autocommit(h->db))
		(void)sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL); /* the failure at hand is the one to tell */
	if (st) {							 /* it may know what was taken back */
		if (h->cache)
			h->free_cache(h->cache);
		h->cache = NULL;
	}
	return st;
}
