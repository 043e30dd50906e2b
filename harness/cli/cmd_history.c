/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/terminal.h"
#include "harness/base/textfile.h"
#include "harness/history/print.h"
#include "harness/report/read_shards.h"
#include "harness/base/escape.h"

#define DEFAULT_DB "reports/history.db"

/* Bits: the options of an action. */
enum { BY = 1, FORMAT = 2, PRUNE = 4, POOL = 8 };

struct action {
	const char *name, *words; /* words: for the message */
	size_t min, max;	  /* words after the name */
	enum bc_history_mode mode;
	unsigned options;
	enum bc_status (*run)(const struct bc_cli *c, struct bc_history *h, struct bc_text *out, struct bc_error *err);
};

static enum bc_status print_added(const char *path, const struct bc_history_added *a, struct bc_error *err)
{
	struct bc_text line = { 0 };
	enum bc_status st = bc_escape_str(&line, BC_ESCAPE_LINE, path, err);

	if (!st)
		st = bc_text_addf(&line, err, ": %zu run%s added, %zu replaced, %zu already there; %zu cases\n",
				  a->added, a->added == 1 ? "" : "s", a->replaced, a->known, a->cases);
	if (!st && a->verdict_only)
		st = bc_text_addf(&line, err,
				  "%zu of these cases have no values: the report is compact (--junit compact)\n",
				  a->verdict_only);
	if (!st && fputs(line.data, stdout) == EOF)
		st = bc_fail(err, BC_EWRITE, "standard output could not be written");
	bc_text_release(&line);
	return st;
}

static enum bc_status add_runs(struct bc_history *h, const struct bc_read_file *f, struct bc_error *err)
{
	struct bc_history_added sum = { 0 };
	enum bc_status st = bc_history_add(h, f, &sum, err);

	return st ? st : print_added(f->path, &sum, err);
}

/* One report. Shards wait in @shards, [*n] with room, for the others of their run. */
static enum bc_status add_file(struct bc_history *h, const char *path, struct bc_read_file *shards, size_t *n,
			       struct bc_error *err)
{
	struct bc_read_file f = { 0 };
	enum bc_status st = bc_report_read(path, &f, err);

	if (!st && bc_report_has_shard(&f)) {
		shards[(*n)++] = f;
		return BC_OK;
	}
	if (!st)
		st = add_runs(h, &f, err);
	bc_report_release(&f);
	return st;
}

/* The runs that the shards make; none when one is not whole. */
static enum bc_status add_shards(struct bc_history *h, struct bc_read_file *shards, size_t n, struct bc_error *err)
{
	enum bc_status st = bc_report_join(shards, n, err);

	for (size_t i = 0; !st && i < n; i++)
		if (shards[i].ndevices)
			st = add_runs(h, &shards[i], err);
	return st;
}

/* Keep the worse of two failures for the caller and print the other. */
static void keep_worse(enum bc_status st, const struct bc_error *why, enum bc_status *worst, struct bc_error *err)
{
	if (st && *worst && bc_status_exit(st) >= bc_status_exit(*worst)) {
		(void)bc_cli_fail(why);
	} else if (st) {
		if (*worst)
			(void)bc_cli_fail(err);
		*worst = st;
		*err = *why;
	}
}

/* All reports are tried: one that is broken does not keep the others out. Output that cannot be written ends it. Exit
 * status 2 when some were taken and some not, 3 when none could be. */
static enum bc_status act_add(const struct bc_cli *c, struct bc_history *h, struct bc_text *out, struct bc_error *err)
{
	struct bc_read_file *shards;
	char **paths = NULL;
	size_t n = 0, nshards = 0, taken = 0;
	enum bc_status worst = BC_OK;
	struct bc_error why = { .msg = "" };

	(void)out;
	for (size_t i = 1; i < c->noperands; i++)
		keep_worse(bc_report_paths_below(c->operands[i], &paths, &n, &why), &why, &worst, err);
	shards = calloc(n + 1, sizeof(*shards));
	if (!shards)
		keep_worse(bc_fail(&why, BC_ENOMEM, "history: out of memory"), &why, &worst, err);
	for (size_t i = 0; i < n; i++) {
		if (shards && bc_status_exit(worst) != 2) {
			const enum bc_status st = add_file(h, paths[i], shards, &nshards, &why);

			keep_worse(st, &why, &worst, err);
			taken += !st;
		}
		free(paths[i]);
	}
	if (shards && bc_status_exit(worst) != 2)
		keep_worse(add_shards(h, shards, nshards, &why), &why, &worst, err);
	for (size_t i = 0; i < nshards; i++)
		bc_report_release(&shards[i]);
	free(shards);
	free(paths);
	if (!taken || !worst || bc_status_exit(worst) == 2)
		return worst;
	(void)bc_cli_fail(err);
	return bc_fail(err, BC_EDEVICE, "history: not all reports could be taken; the others were");
}

static enum bc_status act_list(const struct bc_cli *c, struct bc_history *h, struct bc_text *out, struct bc_error *err)
{
	(void)c;
	return bc_history_list(h, bc_locale_is_utf8(), out, err);
}

static enum bc_status act_trend(const struct bc_cli *c, struct bc_history *h, struct bc_text *out, struct bc_error *err)
{
	return bc_history_trend(h, c->operands[1], c->by ? c->by : "date", c->pool, bc_locale_is_utf8(), out, err);
}

static enum bc_status act_flaky(const struct bc_cli *c, struct bc_history *h, struct bc_text *out, struct bc_error *err)
{
	(void)c;
	return bc_history_flaky(h, bc_locale_is_utf8(), out, err);
}

static enum bc_status act_first_bad(const struct bc_cli *c, struct bc_history *h, struct bc_text *out,
				    struct bc_error *err)
{
	return bc_history_first_bad(h, c->operands[1], c->pool, bc_locale_is_utf8(), out, err);
}

static enum bc_status act_export(const struct bc_cli *c, struct bc_history *h, struct bc_text *out,
				 struct bc_error *err)
{
	const bool jsonl = c->format && strcmp(c->format, "jsonl") == 0;

	(void)out;
	if (c->format && !jsonl && strcmp(c->format, "csv") != 0)
		return bc_fail(err, BC_EUSAGE, "--format %s: it takes csv or jsonl", c->format);
	return bc_history_export(h, c->noperands > 1 ? c->operands[1] : NULL, jsonl, stdout, err);
}

static enum bc_status act_prune(const struct bc_cli *c, struct bc_history *h, struct bc_text *out, struct bc_error *err)
{
	uint32_t keep = 0;
	size_t gone = 0, left = 0;
	enum bc_status st;

	if (!c->keep == !c->before)
		return bc_fail(err, BC_EUSAGE, "history prune: give either --keep N or --before YYYY-MM-DD");
	if (c->keep && (!bc_u32_parse(c->keep, &keep) || !keep))
		return bc_fail(err, BC_EUSAGE, "--keep %s: a whole number, at least 1", c->keep);
	st = bc_history_prune(h, keep, c->before, &gone, &left, err);
	return st ? st : bc_text_addf(out, err, "%zu run%s removed, %zu left\n", gone, gone == 1 ? "" : "s", left);
}

static const struct action actions[] = {
	{ "add", "REPORT...", 1, SIZE_MAX, BC_HISTORY_WRITE, 0, act_add },
	{ "list", "", 0, 0, BC_HISTORY_READ, 0, act_list },
	{ "trend", "CASE|GLOB", 1, 1, BC_HISTORY_READ, BY | POOL, act_trend },
	{ "flaky", "", 0, 0, BC_HISTORY_READ, 0, act_flaky },
	{ "first-bad", "CASE", 1, 1, BC_HISTORY_READ, POOL, act_first_bad },
	{ "export", "[CASE|GLOB]", 0, 1, BC_HISTORY_READ, FORMAT, act_export },
	{ "prune", "--keep N | --before DATE", 0, 0, BC_HISTORY_READ, PRUNE, act_prune },
};

static enum bc_status find_action(const struct bc_cli *c, const struct action **out, struct bc_error *err)
{
	const struct action *a = NULL;
	const char *unwanted;

	for (size_t i = 0; c->noperands && i < BC_ARRAY_LEN(actions); i++)
		if (strcmp(c->operands[0], actions[i].name) == 0)
			a = &actions[i];
	if (!a)
		return bc_fail(err, BC_EUSAGE,
			       "history %s: the actions are add, list, trend, flaky, first-bad, export or prune",
			       c->noperands ? c->operands[0] : "without an action");
	if (c->noperands - 1 < a->min || c->noperands - 1 > a->max)
		return bc_fail(err, BC_EUSAGE, "history %s: type `bankcheck history %s%s%s`", a->name, a->name,
			       a->words[0] ? " " : "", a->words);
	unwanted = c->by && !(a->options & BY)			     ? "--by"
		   : c->pool && !(a->options & POOL)		     ? "--pool"
		   : c->format && !(a->options & FORMAT)	     ? "--format"
		   : (c->keep || c->before) && !(a->options & PRUNE) ? "--keep and --before"
								     : NULL;
	if (unwanted)
		return bc_fail(err, BC_EUSAGE, "history %s does not take %s", a->name, unwanted);
	*out = a;
	return BC_OK;
}

int bc_cmd_history(const struct bc_cli *c, const struct bc_catalog *cat)
{
	const struct action *a = NULL;
	struct bc_history *h = NULL;
	struct bc_text out = { 0 };
	struct bc_error err = { .msg = "" }, flush;
	enum bc_status st = find_action(c, &a, &err);

	(void)cat;
	if (!st)
		st = bc_history_open(c->db ? c->db : DEFAULT_DB, a->mode, &h, &err);
	if (!st)
		st = a->run(c, h, &out, &err);
	if (!st && out.len && fwrite(out.data, 1, out.len, stdout) != out.len)
		st = bc_fail(&err, BC_EWRITE, "standard output could not be written");
	if (bc_cli_flush(&flush) && !st) {
		st = flush.status;
		err = flush;
	}
	bc_history_close(h);
	bc_text_release(&out);
	if (!st)
		return 0;
	err.status = st;
	return bc_cli_fail(&err);
}
