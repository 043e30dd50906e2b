/* SPDX-License-Identifier: MIT */
/* Results of schema 2, a row each, as schema 3 keeps them. */
#include "harness/history/profile.h"

#include <math.h>
#include <stdlib.h>

struct migration {
	struct bc_history *h;
	sqlite3_stmt *rows; /* of a run */
	struct bc_error *err;
};

static double real(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(s, column);
}

/* The row at hand; as it is in the profile at @like, if that is its. */
static enum bc_status take_row(struct migration *m, const struct bc_kept_case *like, struct bc_kept_case *out)
{
	sqlite3_stmt *s = m->rows;
	const char *verdict = (const char *)sqlite3_column_text(s, 1);
	struct bc_kept_outcome want = { .case_id = sqlite3_column_int64(s, 0),
					.wavefronts = real(s, 2),
					.conflicts = real(s, 3),
					.flaky = sqlite3_column_int(s, 6) != 0 };
	enum bc_status st;

	if (!verdict || !bc_verdict_parse(verdict, &want.verdict))
		return bc_fail(m->err, BC_EDATA, "%s: a result has a verdict that this bankcheck does not know: %.40s",
			       m->h->path, verdict ? verdict : "none");
	st = bc_db_copy(m->h, s, 7, &want.text, m->err);
	*out = (struct bc_kept_case){ want.case_id, NULL, { real(s, 4), real(s, 5) } };
	if (!st && like && bc_kept_outcome_same(like->o, &want))
		out->o = like->o;
	else if (!st)
		st = bc_kept_outcome_of(m->h, &want, &out->o, m->err);
	free(want.text);
	return st;
}

static enum bc_status take_run(struct migration *m, int64_t run, const char *kind, size_t cases)
{
	const struct bc_profile *p = NULL;
	struct bc_kept kept = { .c = calloc(cases + 1, sizeof(*kept.c)) };
	size_t at = 0;
	bool row = true;
	enum bc_status st = kept.c ? BC_OK : bc_fail(m->err, BC_ENOMEM, "%s: out of memory", m->h->path);

	if (!st)
		st = bc_profile_of_kind(m->h, kind, cases, &p, m->err);
	if (!st)
		st = bc_db_int(m->h, m->rows, 1, run, m->err);
	while (!st && row) {
		st = bc_db_row(m->h, m->rows, &row, m->err);
		if (st || !row)
			break;
		if (kept.n == cases) {
			st = bc_fail(m->err, BC_EDATA, "%s: is damaged (a run has more results than it says)",
				     m->h->path);
			break;
		}
		while (p && at < p->kept.n && p->kept.c[at].case_id < sqlite3_column_int64(m->rows, 0))
			at++;
		st = take_row(m,
			      p && at < p->kept.n && p->kept.c[at].case_id == sqlite3_column_int64(m->rows, 0)
				      ? &p->kept.c[at]
				      : NULL,
			      &kept.c[kept.n++]);
	}
	(void)sqlite3_reset(m->rows);
	if (!st)
		st = bc_kept_write(m->h, run, kind, &kept, m->err);
	bc_kept_release(&kept);
	return st;
}

enum bc_status bc_kept_migrate(struct bc_history *h, struct bc_error *err)
{
	struct migration m = { .h = h, .err = err };
	sqlite3_stmt *runs = NULL;
	bool row = true;
	enum bc_status st = bc_db_prepare(h,
					  "SELECT id, arch || '|' || gpu || '|' || driver || '|' || cuda || '|' || "
					  "image_hash || '|' || expectations_hash, cases FROM run ORDER BY id",
					  &runs, err);

	if (!st)
		st = bc_db_prepare(
			h,
			"SELECT r.case_id, r.verdict, r.wavefronts, r.conflicts, r.clock, r.cycles, r.flaky, "
			"m.text FROM result2 r LEFT JOIN message m ON m.id = r.message WHERE r.run = ? "
			"ORDER BY r.case_id",
			&m.rows, err);
	while (!st && row) {
		char *kind = NULL;

		st = bc_db_row(h, runs, &row, err);
		if (st || !row)
			break;
		st = bc_db_copy(h, runs, 1, &kind, err);
		if (!st)
			st = take_run(&m, sqlite3_column_int64(runs, 0), kind, (size_t)sqlite3_column_int64(runs, 2));
		free(kind);
	}
	(void)sqlite3_finalize(runs);
	(void)sqlite3_finalize(m.rows);
	return st ? st : bc_db_exec(h, "DROP TABLE result2", "migrate", err);
}
