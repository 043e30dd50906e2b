/* SPDX-License-Identifier: MIT */
#include "harness/history/night.h"

#include <stdlib.h>
#include <string.h>

#include "harness/history/db.h"

static enum bc_status bind_place(struct bc_history *h, sqlite3_stmt *s, const struct bc_history_place *p,
				 struct bc_error *err)
{
	enum bc_status st = bc_db_text(h, s, 1, p->night, err);

	if (!st)
		st = bc_db_text(h, s, 2, p->node, err);
	return st ? st : bc_db_text(h, s, 3, p->job, err);
}

enum bc_status bc_history_place_done(struct bc_history *h, const struct bc_history_place *place, struct bc_error *err)
{
	sqlite3_stmt *s;
	enum bc_status st =
		bc_db_prepare(h, "INSERT OR IGNORE INTO gathered_folder (night, node, job) VALUES (?, ?, ?)", &s, err);

	if (!st)
		st = bind_place(h, s, place, err);
	if (!st)
		st = bc_db_done(h, s, err);
	(void)sqlite3_finalize(s);
	return st;
}

enum bc_status bc_history_is_gathered(struct bc_history *h, const struct bc_history_place *place, bool *is,
				      struct bc_error *err)
{
	sqlite3_stmt *s;
	enum bc_status st =
		bc_db_prepare(h, "SELECT 1 FROM gathered_folder WHERE night = ? AND node = ? AND job = ?", &s, err);

	*is = false;
	if (!st)
		st = bind_place(h, s, place, err);
	if (!st)
		st = bc_db_row(h, s, is, err);
	(void)sqlite3_finalize(s);
	return st;
}

#define RUNS                                                                                                     \
	"SELECT g.node, g.job, coalesce((SELECT max(o.night) FROM gathered o WHERE o.run = g.run AND o.night < " \
	"g.night), ''), r.id, r.time, r.run_id, r.device, r.unit, r.arch, r.gpu, r.host, r.driver, r.cuda, "     \
	"r.image_hash, r.expectations_hash, r.bankcheck, r.complete, "                                           \
	"coalesce((SELECT value FROM fact WHERE run = r.id AND name = 'options'), ''), "                         \
	"coalesce((SELECT value FROM fact WHERE run = r.id AND name = 'junit'), ''), r.cases, r.passed, "        \
	"r.findings, r.skipped FROM gathered g JOIN run r ON r.id = g.run WHERE g.night = ? "                    \
	"ORDER BY g.node, g.job, r.device, r.id"

static enum bc_status read_run(struct bc_history *h, sqlite3_stmt *s, struct bc_night_run *r, struct bc_error *err)
{
	enum bc_status st = bc_db_copy(h, s, 0, &r->node, err);

	if (!st)
		st = bc_db_copy(h, s, 1, &r->job, err);
	if (!st)
		st = bc_db_copy(h, s, 2, &r->earlier, err);
	r->run.id = sqlite3_column_int64(s, 3);
	for (int i = 0; !st && i < BC_NFACTS; i++)
		st = bc_db_copy(h, s, 4 + i, &r->run.fact[i], err);
	r->run.cases = (unsigned)sqlite3_column_int64(s, 4 + BC_NFACTS);
	r->run.passed = (unsigned)sqlite3_column_int64(s, 5 + BC_NFACTS);
	r->run.findings = (unsigned)sqlite3_column_int64(s, 6 + BC_NFACTS);
	r->run.skipped = (unsigned)sqlite3_column_int64(s, 7 + BC_NFACTS);
	return st;
}

enum bc_status bc_night_runs(struct bc_history *h, const char *night, struct bc_night_runs *out, struct bc_error *err)
{
	sqlite3_stmt *s;
	size_t room = 0;
	bool row = true;
	enum bc_status st = bc_db_prepare(h, RUNS, &s, err);

	*out = (struct bc_night_runs){ 0 };
	if (!st)
		st = bc_db_text(h, s, 1, night, err);
	while (!st && row) {
		st = bc_db_row(h, s, &row, err);
		if (st || !row)
			break;
		if (out->n == room) {
			struct bc_night_run *grown = realloc(out->r, (room ? 2 * room : 64) * sizeof(*grown));

			if (!grown) {
				st = bc_fail(err, BC_ENOMEM, "%s: out of memory", h->path);
				break;
			}
			out->r = grown;
			room = room ? 2 * room : 64;
		}
		memset(&out->r[out->n], 0, sizeof(*out->r));
		st = read_run(h, s, &out->r[out->n++], err);
	}
	(void)sqlite3_finalize(s);
	if (st)
		bc_night_runs_release(out);
	return st;
}

void bc_night_runs_release(struct bc_night_runs *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->r[i].node);
		free(r->r[i].job);
		free(r->r[i].earlier);
		for (size_t k = 0; k < BC_NFACTS; k++)
			free(r->r[i].run.fact[k]);
	}
	free(r->r);
	*r = (struct bc_night_runs){ 0 };
}

/* The first column of the only row as text, "" without one. */
static enum bc_status read_text(struct bc_history *h, sqlite3_stmt *s, char **out, struct bc_error *err)
{
	bool row = false;
	enum bc_status st = bc_db_row(h, s, &row, err);

	if (st)
		return st;
	if (row)
		return bc_db_copy(h, s, 0, out, err);
	*out = strdup("");
	return *out ? BC_OK : bc_fail(err, BC_ENOMEM, "%s: out of memory", h->path);
}

enum bc_status bc_night_before(struct bc_history *h, const char *night, char **out, struct bc_error *err)
{
	sqlite3_stmt *s;
	enum bc_status st = bc_db_prepare(
		h, "SELECT coalesce(max(night), '') FROM gathered WHERE ?1 IS NULL OR night < ?1", &s, err);

	if (!st && night)
		st = bc_db_text(h, s, 1, night, err);
	if (!st)
		st = read_text(h, s, out, err);
	(void)sqlite3_finalize(s);
	return st;
}

enum bc_status bc_history_fact(struct bc_history *h, int64_t run, const char *name, char **out, struct bc_error *err)
{
	sqlite3_stmt *s;
	enum bc_status st =
		bc_db_prepare(h, "SELECT value FROM fact WHERE run = ? AND name = ? AND value != 'none'", &s, err);

	if (!st)
		st = bc_db_int(h, s, 1, run, err);
	if (!st)
		st = bc_db_text(h, s, 2, name, err);
	if (!st)
		st = read_text(h, s, out, err);
	(void)sqlite3_finalize(s);
	return st;
}
