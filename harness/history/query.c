/* SPDX-License-Identifier: MIT */
/* What there is: runs, cases, results in order, and what differs between two runs. */
#include "harness/history/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/core/select.h"
#include "harness/history/db.h"
#include "harness/history/profile.h"

const char *const bc_history_fact_names[BC_NFACTS] = {
	[BC_FACT_TIME] = "time",
	[BC_FACT_RUN_ID] = "run_id",
	[BC_FACT_DEVICE] = "device",
	[BC_FACT_UNIT] = "unit",
	[BC_FACT_ARCH] = "arch",
	[BC_FACT_GPU] = "gpu",
	[BC_FACT_HOST] = "host",
	[BC_FACT_DRIVER] = "driver",
	[BC_FACT_CUDA] = "cuda",
	[BC_FACT_IMAGE] = "image_hash",
	[BC_FACT_EXPECTED] = "expectations_hash",
	[BC_FACT_VERSION] = "bankcheck",
	[BC_FACT_COMPLETE] = "complete",
	[BC_FACT_OPTIONS] = "options",
	[BC_FACT_JUNIT] = "junit",
};

const char *const bc_history_value_names[BC_NVALUES] = {
	[BC_VALUE_WAVEFRONTS] = "wavefronts",
	[BC_VALUE_CONFLICTS] = "conflicts",
	[BC_VALUE_CLOCK] = "clock",
	[BC_VALUE_CYCLES] = "cycles",
};

/* Room for one more of @n elements: grows at powers of two. */
static void *grow_list(struct bc_history *h, void *list, size_t n, size_t size, struct bc_error *err)
{
	void *grown = list;

	if ((n & (n - 1)) == 0)
		grown = realloc(list, (n ? 2 * n : 1) * size);
	if (!grown)
		(void)bc_fail(err, BC_ENOMEM, "%s: out of memory", h->path);
	return grown;
}

static enum bc_status read_run(struct bc_history *h, sqlite3_stmt *s, struct bc_history_run *r, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	r->id = sqlite3_column_int64(s, 0);
	for (int i = 0; !st && i < BC_NFACTS; i++)
		st = bc_db_copy(h, s, 1 + i, &r->fact[i], err);
	r->cases = (unsigned)sqlite3_column_int64(s, 1 + BC_NFACTS);
	r->passed = (unsigned)sqlite3_column_int64(s, 2 + BC_NFACTS);
	r->findings = (unsigned)sqlite3_column_int64(s, 3 + BC_NFACTS);
	r->skipped = (unsigned)sqlite3_column_int64(s, 4 + BC_NFACTS);
	return st;
}

enum bc_status bc_history_runs(struct bc_history *h, struct bc_history_runs *out, struct bc_error *err)
{
	sqlite3_stmt *s;
	bool row = true;
	enum bc_status st =
		bc_db_prepare(h,
			      "SELECT id, time, run_id, device, unit, arch, gpu, host, driver, cuda, image_hash, "
			      "expectations_hash, bankcheck, complete, "
			      "coalesce((SELECT value FROM fact WHERE run = run.id AND name = 'options'), ''), "
			      "coalesce((SELECT value FROM fact WHERE run = run.id AND name = 'junit'), ''), cases, "
			      "passed, findings, skipped FROM run "
			      "ORDER BY time, run_id, device",
			      &s, err);

	*out = (struct bc_history_runs){ 0 };
	while (!st && row) {
		struct bc_history_run *grown;

		st = bc_db_row(h, s, &row, err);
		if (st || !row)
			break;
		grown = grow_list(h, out->run, out->n, sizeof(*grown), err);
		if (!grown) {
			st = BC_ENOMEM;
			break;
		}
		out->run = grown;
		memset(&grown[out->n], 0, sizeof(*grown));
		st = read_run(h, s, &grown[out->n++], err);
	}
	(void)sqlite3_finalize(s);
	if (st)
		bc_history_runs_release(out);
	return st;
}

enum bc_status bc_history_pool(struct bc_history_runs *r, struct bc_error *err)
{
	for (size_t i = 0; i < r->n; i++) {
		struct bc_history_run *run = &r->run[i];
		const char *gpu = run->fact[BC_FACT_GPU], *arch = run->fact[BC_FACT_ARCH];
		char *name;

		if (strncmp(run->fact[BC_FACT_DEVICE], "reference", 9) == 0)
			continue;
		name = malloc(strlen(gpu) + strlen(arch) + 8);
		if (!name)
			return bc_fail(err, BC_ENOMEM, "history: out of memory");
		(void)sprintf(name, "any %s", gpu[0] ? gpu : arch);
		free(run->fact[BC_FACT_UNIT]);
		run->fact[BC_FACT_UNIT] = name;
	}
	return BC_OK;
}

void bc_history_runs_release(struct bc_history_runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < BC_NFACTS; k++)
			free(r->run[i].fact[k]);
	free(r->run);
	*r = (struct bc_history_runs){ 0 };
}

enum bc_status bc_history_cases(struct bc_history *h, const char *glob, struct bc_history_cases *out,
				struct bc_error *err)
{
	sqlite3_stmt *s;
	bool row = true;
	enum bc_status st = bc_db_prepare(h, "SELECT id, name FROM case_name ORDER BY name", &s, err);

	*out = (struct bc_history_cases){ 0 };
	while (!st && row) {
		struct bc_history_case *grown, *c;

		st = bc_db_row(h, s, &row, err);
		if (st || !row)
			break;
		grown = grow_list(h, out->c, out->n, sizeof(*grown), err);
		if (!grown) {
			st = BC_ENOMEM;
			break;
		}
		out->c = grown;
		c = &grown[out->n++];
		*c = (struct bc_history_case){ .id = sqlite3_column_int64(s, 0) };
		st = bc_db_copy(h, s, 1, &c->name, err);
		c->chosen = !st && (!glob || bc_glob_matches(glob, c->name));
		out->nchosen += c->chosen;
	}
	(void)sqlite3_finalize(s);
	if (!st && glob && !out->nchosen)
		st = bc_fail(err, BC_EUSAGE, "%s: no case of the history %s matches; `bankcheck list` prints the ids",
			     glob, h->path);
	if (st)
		bc_history_cases_release(out);
	return st;
}

void bc_history_cases_release(struct bc_history_cases *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->c[i].name);
	free(c->c);
	*c = (struct bc_history_cases){ 0 };
}

static int by_case_id(const void *a, const void *b)
{
	const struct bc_history_case *const *x = a, *const *y = b;

	return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

/* The chosen cases of one run. */
static enum bc_status visit_run(const struct bc_history_run *r, const struct bc_kept *kept,
				const struct bc_history_case *const *by_id, size_t n, bc_history_fn *fn, void *ctx,
				struct bc_error *err)
{
	size_t at = 0;
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < kept->n; i++) {
		const struct bc_kept_case *k = &kept->c[i];

		while (at < n && by_id[at]->id < k->case_id)
			at++;
		if (at == n)
			break;
		if (by_id[at]->id == k->case_id) {
			const struct bc_history_point p = { .run = r,
							    .c = by_id[at],
							    .verdict = k->o->verdict,
							    .value = { [BC_VALUE_WAVEFRONTS] = k->o->wavefronts,
								       [BC_VALUE_CONFLICTS] = k->o->conflicts,
								       [BC_VALUE_CLOCK] = k->number[BC_KEPT_CLOCK],
								       [BC_VALUE_CYCLES] = k->number[BC_KEPT_CYCLES] },
							    .flaky = k->o->flaky,
							    .message = k->o->text,
							    .outcome = k->o->id };

			st = fn(ctx, &p, err);
		}
	}
	return st;
}

enum bc_status bc_history_visit(struct bc_history *h, const struct bc_history_run *run, size_t n,
				const struct bc_history_cases *cases, bc_history_fn *fn, void *ctx,
				struct bc_error *err)
{
	const struct bc_history_case **by_id = calloc(cases->nchosen + 1, sizeof(*by_id));
	struct bc_kept kept = { 0 };
	size_t nby = 0;
	enum bc_status st = by_id ? BC_OK : bc_fail(err, BC_ENOMEM, "%s: out of memory", h->path);

	for (size_t i = 0; !st && i < cases->n; i++)
		if (cases->c[i].chosen)
			by_id[nby++] = &cases->c[i];
	if (!st && nby)
		qsort(by_id, nby, sizeof(*by_id), by_case_id);
	if (!st)
		st = bc_kept_refresh(h, err);
	for (size_t i = 0; !st && i < n; i++) {
		st = bc_kept_read(h, run[i].id, &kept, err);
		if (!st)
			st = visit_run(&run[i], &kept, by_id, nby, fn, ctx, err);
	}
	bc_kept_release(&kept);
	free(by_id);
	return st;
}

/* Those that differ in any two runs say nothing. */
#define CHANGES                                                                                                       \
	"SELECT n.name, coalesce(a.value, ''), coalesce(b.value, '') FROM "                                           \
	"(SELECT name FROM fact WHERE run = ?1 UNION SELECT name FROM fact WHERE run = ?2) n "                        \
	"LEFT JOIN fact a ON a.run = ?1 AND a.name = n.name LEFT JOIN fact b ON b.run = ?2 AND b.name = n.name "      \
	"WHERE a.value IS NOT b.value AND n.name NOT IN ('run_id', 'run_seconds', 'plan_hash', 'run_name', 'shard', " \
	"'slurm_job', 'slurm_restart') AND n.name NOT LIKE 'label\\_%' ESCAPE '\\' "                                  \
	"ORDER BY n.name"

enum bc_status bc_history_changes(struct bc_history *h, const struct bc_history_run *old,
				  const struct bc_history_run *now, struct bc_history_change **out, size_t *n,
				  struct bc_error *err)
{
	sqlite3_stmt *s;
	bool row = true;
	enum bc_status st = bc_db_prepare(h, CHANGES, &s, err);

	*out = NULL;
	*n = 0;
	if (!st)
		st = bc_db_int(h, s, 1, old->id, err);
	if (!st)
		st = bc_db_int(h, s, 2, now->id, err);
	while (!st && row) {
		struct bc_history_change *grown, *c;

		st = bc_db_row(h, s, &row, err);
		if (st || !row)
			break;
		grown = grow_list(h, *out, *n, sizeof(*grown), err);
		if (!grown) {
			st = BC_ENOMEM;
			break;
		}
		*out = grown;
		c = &grown[(*n)++];
		*c = (struct bc_history_change){ 0 };
		st = bc_db_copy(h, s, 0, &c->name, err);
		if (!st)
			st = bc_db_copy(h, s, 1, &c->old, err);
		if (!st)
			st = bc_db_copy(h, s, 2, &c->now, err);
	}
	(void)sqlite3_finalize(s);
	if (st) {
		bc_history_changes_release(*out, *n);
		*out = NULL;
		*n = 0;
	}
	return st;
}

void bc_history_changes_release(struct bc_history_change *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(c[i].name);
		free(c[i].old);
		free(c[i].now);
	}
	free(c);
}
