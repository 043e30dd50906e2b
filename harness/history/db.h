/* SPDX-License-Identifier: MIT */
/* harness/history/db.h - SQLite with this project's errors. Only harness/history/ includes it. */
#ifndef BC_HISTORY_DB_H
#define BC_HISTORY_DB_H

#include <sqlite3.h>

#include "harness/history/history.h"

struct bc_kept_cache;

struct bc_history {
	sqlite3 *db;
	char *path;
	bool readonly;
	struct bc_kept_cache *cache;		     /* profile.h; NULL: nothing was read yet */
	void (*free_cache)(struct bc_kept_cache *c); /* set with it */
	int64_t data_version;			     /* of the file, when that was read */
};

/**
 * bc_db_fail - the status of the failure that SQLite has just reported, with the path and what was being done
 *
 * Return: BC_ENOMEM, BC_EDATA (no database, damaged), BC_EREAD (cannot be opened or read) or BC_EWRITE (busy, full,
 * read-only, other errors).
 */
enum bc_status bc_db_fail(const struct bc_history *h, const char *doing, struct bc_error *err);

/* Statements without parameters and results, separated by semicolons. */
enum bc_status bc_db_exec(struct bc_history *h, const char *sql, const char *doing, struct bc_error *err);

/* *out is NULL on failure; free it with sqlite3_finalize, which takes NULL. */
enum bc_status bc_db_prepare(struct bc_history *h, const char *sql, sqlite3_stmt **out, struct bc_error *err);

/* Parameters count from 1. NaN is stored as NULL. Strings must outlive the step. */
enum bc_status bc_db_text(struct bc_history *h, sqlite3_stmt *s, int i, const char *v, struct bc_error *err);
enum bc_status bc_db_int(struct bc_history *h, sqlite3_stmt *s, int i, int64_t v, struct bc_error *err);
enum bc_status bc_db_real(struct bc_history *h, sqlite3_stmt *s, int i, double v, struct bc_error *err);

/* The next row, if there is one; at the end the statement is reset. */
enum bc_status bc_db_row(struct bc_history *h, sqlite3_stmt *s, bool *row, struct bc_error *err);

/* A statement without rows: step and reset. */
enum bc_status bc_db_done(struct bc_history *h, sqlite3_stmt *s, struct bc_error *err);

/* One whole number. */
enum bc_status bc_db_number(struct bc_history *h, const char *sql, int64_t *out, struct bc_error *err);

/* A column, malloc'ed; "" for NULL. */
enum bc_status bc_db_copy(struct bc_history *h, sqlite3_stmt *s, int column, char **out, struct bc_error *err);

/* A transaction that writes: taken at once, so that two of them wait for each other. @st: BC_OK commits. */
enum bc_status bc_db_begin(struct bc_history *h, struct bc_error *err);
enum bc_status bc_db_end(struct bc_history *h, enum bc_status st, struct bc_error *err);

#endif
