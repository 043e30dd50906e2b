/* SPDX-License-Identifier: MIT */
#include "harness/history/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void bc_outcome_list_release(struct bc_outcome_list *list)
{
	for (size_t i = 0; i < list->room; i++) {
		if (list->outcome[i])
			free(list->outcome[i]->text);
		free(list->outcome[i]);
	}
	free(list->outcome);
	*list = (struct bc_outcome_list){ 0 };
}

static enum bc_status no_memory(const struct bc_history *h, struct bc_error *err)
{
	return bc_fail(err, BC_ENOMEM, "%s: out of memory", h->path);
}

/* Put an outcome into the cache, which then owns it. */
static enum bc_status remember(struct bc_history *h, struct bc_outcome_list *c, struct bc_kept_outcome *o,
			       struct bc_error *err)
{
	if (o->id <= 0 || o->id > INT32_MAX)
		return bc_fail(err, BC_EDATA, "%s: is damaged (the number of an outcome)", h->path);
	if ((size_t)o->id >= c->room) {
		const size_t room = 2 * (size_t)o->id + 64;
		struct bc_kept_outcome **grown = realloc(c->outcome, room * sizeof(*grown));

		if (!grown)
			return no_memory(h, err);
		memset(grown + c->room, 0, (room - c->room) * sizeof(*grown));
		c->outcome = grown;
		c->room = room;
	}
	c->outcome[o->id] = o;
	return BC_OK;
}

static double real(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(s, column);
}

/* An outcome of the cache, read when it is not there. */
enum bc_status bc_outcome_by_id(struct bc_history *h, struct bc_outcome_list *list, int64_t id,
				const struct bc_kept_outcome **out, struct bc_error *err)
{
	struct bc_kept_outcome *o;
	const char *verdict;
	sqlite3_stmt *s;
	bool row = false;
	enum bc_status st;

	if (id > 0 && (size_t)id < list->room && list->outcome[id]) {
		*out = list->outcome[id];
		return BC_OK;
	}
	st = bc_db_prepare(h,
			   "SELECT o.case_id, o.verdict, o.wavefronts, o.conflicts, o.flaky, o.message, m.text "
			   "FROM outcome o LEFT JOIN message m ON m.id = o.message WHERE o.id = ?",
			   &s, err);
	o = calloc(1, sizeof(*o));
	if (!st && !o)
		st = no_memory(h, err);
	if (!st)
		st = bc_db_int(h, s, 1, id, err);
	if (!st)
		st = bc_db_row(h, s, &row, err);
	if (!st && !row)
		st = bc_fail(err, BC_EDATA,
			     "%s: is damaged (an outcome is missing); move it away and add the reports anew", h->path);
	if (!st) {
		verdict = (const char *)sqlite3_column_text(s, 1);
		*o = (struct bc_kept_outcome){ .id = id,
					       .case_id = sqlite3_column_int64(s, 0),
					       .wavefronts = real(s, 2),
					       .conflicts = real(s, 3),
					       .flaky = sqlite3_column_int(s, 4) != 0,
					       .message = sqlite3_column_int64(s, 5) };
		if (!verdict || !bc_verdict_parse(verdict, &o->verdict))
			st = bc_fail(err, BC_EDATA,
				     "%s: a result has a verdict that this bankcheck does not know: %.40s", h->path,
				     verdict ? verdict : "none");
	}
	if (!st)
		st = bc_db_copy(h, s, 6, &o->text, err);
	if (!st)
		st = remember(h, list, o, err);
	(void)sqlite3_finalize(s);
	if (st) {
		if (o)
			free(o->text);
		free(o);
		return st;
	}
	*out = o;
	return BC_OK;
}

static bool same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

bool bc_kept_outcome_same(const struct bc_kept_outcome *a, const struct bc_kept_outcome *b)
{
	return a->case_id == b->case_id && a->verdict == b->verdict && a->flaky == b->flaky &&
	       same_number(a->wavefronts, b->wavefronts) && same_number(a->conflicts, b->conflicts) &&
	       strcmp(a->text, b->text) == 0;
}

/* Id of a message; it is added when it is new; 0 for "". */
static enum bc_status message_id(struct bc_history *h, const char *text, int64_t *id, struct bc_error *err)
{
	static const char *const sql[] = { "INSERT OR IGNORE INTO message (text) VALUES (?)",
					   "SELECT id FROM message WHERE text = ?" };
	enum bc_status st = BC_OK;

	*id = 0;
	for (size_t i = 0; !st && text[0] && i < BC_ARRAY_LEN(sql); i++) {
		sqlite3_stmt *s;
		bool row = false;

		st = bc_db_prepare(h, sql[i], &s, err);
		if (!st)
			st = bc_db_text(h, s, 1, text, err);
		if (!st)
			st = bc_db_row(h, s, &row, err);
		if (!st && row)
			*id = sqlite3_column_int64(s, 0);
		(void)sqlite3_finalize(s);
	}
	return st;
}

/* Bind the parameters of an outcome: case, verdict, counts, flaky, message. */
static enum bc_status bind_outcome(struct bc_history *h, sqlite3_stmt *s, const struct bc_kept_outcome *o,
				   int64_t message, struct bc_error *err)
{
	enum bc_status st = bc_db_int(h, s, 1, o->case_id, err);

	if (!st)
		st = bc_db_text(h, s, 2, bc_verdict_name(o->verdict), err);
	if (!st)
		st = bc_db_real(h, s, 3, o->wavefronts, err);
	if (!st)
		st = bc_db_real(h, s, 4, o->conflicts, err);
	if (!st)
		st = bc_db_int(h, s, 5, o->flaky, err);
	if (!st && message)
		st = bc_db_int(h, s, 6, message, err);
	return st;
}

enum bc_status bc_outcome_find(struct bc_history *h, struct bc_outcome_list *list, const struct bc_kept_outcome *want,
			       const struct bc_kept_outcome **out, struct bc_error *err)
{
	sqlite3_stmt *s = NULL;
	int64_t message = 0, id = 0;
	bool row = false;
	enum bc_status st = message_id(h, want->text, &message, err);
	if (!st)
		st = bc_db_prepare(h,
				   "SELECT id FROM outcome WHERE case_id = ? AND verdict = ? AND wavefronts IS ? AND "
				   "conflicts IS ? AND flaky = ? AND message IS ?",
				   &s, err);
	if (!st)
		st = bind_outcome(h, s, want, message, err);
	if (!st)
		st = bc_db_row(h, s, &row, err);
	if (!st && row)
		id = sqlite3_column_int64(s, 0);
	(void)sqlite3_finalize(s);
	if (!st && !row) {
		st = bc_db_prepare(h,
				   "INSERT INTO outcome (case_id, verdict, wavefronts, conflicts, flaky, message) "
				   "VALUES (?, ?, ?, ?, ?, ?)",
				   &s, err);
		if (!st)
			st = bind_outcome(h, s, want, message, err);
		if (!st)
			st = bc_db_done(h, s, err);
		id = sqlite3_last_insert_rowid(h->db);
		(void)sqlite3_finalize(s);
	}
	return st ? st : bc_outcome_by_id(h, list, id, out, err);
}
