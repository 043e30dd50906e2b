/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/terminal.h"
#include "harness/fleet/fleet.h"

/* A call: the night, by its folder or by its name in a history. */
struct call {
	const struct bc_cli *c;
	const char *action;
	struct bc_fleet_night night; /* of its folder; zeroed when only --db was given */
	bool has_folder;
	char *name; /* of the night */
	struct bc_history *h;
	struct bc_fleet_gathered gathered;
	struct bc_sheet sheet;
};

static enum bc_status check_arguments(const struct bc_cli *c, enum bc_sheet_format *format, struct bc_error *err)
{
	static const char *const actions[] = { "gather", "check", "table", "outliers" };
	const char *action = c->noperands ? c->operands[0] : "";
	bool known = false;

	for (size_t i = 0; i < BC_ARRAY_LEN(actions); i++)
		known = known || strcmp(action, actions[i]) == 0;
	if (!known)
		return bc_fail(err, BC_EUSAGE, "fleet %s: the actions are gather, check, table and outliers",
			       c->noperands ? action : "without an action");
	if (c->noperands > 2)
		return bc_fail(err, BC_EUSAGE, "fleet %s: one night: `bankcheck fleet %s NIGHT`", action, action);
	if (c->noperands < 2 && (!c->db || strcmp(action, "gather") == 0 || strcmp(action, "check") == 0))
		return bc_fail(err, BC_EUSAGE, "fleet %s: name the folder of the night: `bankcheck fleet %s NIGHT`",
			       action, action);
	if (c->by && strcmp(action, "table") != 0)
		return bc_fail(err, BC_EUSAGE, "fleet %s does not take --by", action);
	if (!bc_sheet_format_parse(c->format, format) || (c->format && strcmp(action, "gather") == 0))
		return bc_fail(err, BC_EUSAGE, "--format %s: check, table and outliers take text, json, html or junit",
			       c->format);
	return BC_OK;
}

/* --db, else history.db beside the folder of the night: nights of one farm lie side by side. */
static enum bc_status open_history(struct call *k, struct bc_error *err)
{
	char path[BC_PATH_MAX];
	const char *slash = k->has_folder ? strrchr(k->night.dir, '/') : NULL;

	if (k->c->db)
		return bc_history_open(k->c->db, k->has_folder ? BC_HISTORY_WRITE : BC_HISTORY_READ, &k->h, err);
	if (snprintf(path, sizeof(path), "%.*s/history.db", (int)(slash - k->night.dir), k->night.dir) >=
	    (int)sizeof(path))
		return bc_fail(err, BC_EREAD, "%.200s...: the path is too long", k->night.dir);
	return bc_history_open(path, BC_HISTORY_WRITE, &k->h, err);
}

/* The last night of the history, or the folder's. */
static enum bc_status name_night(struct call *k, struct bc_error *err)
{
	if (!k->has_folder)
		return bc_night_before(k->h, NULL, &k->name, err);
	k->name = strdup(k->night.name);
	return k->name ? BC_OK : bc_fail(err, BC_ENOMEM, "fleet: out of memory");
}

/* What is missing is never green, whatever is asked: the other actions say that there is something, and weigh it. */
static enum bc_status weigh_missing(struct call *k, struct bc_error *err)
{
	struct bc_sheet check = { 0 };
	size_t n = 0;
	enum bc_status st;

	if (!k->has_folder)
		return BC_OK;
	if (!k->night.has_expected)
		return bc_sheet_note(&k->sheet, 0, err, "there is no expected.tsv: nobody knows what is missing");
	st = bc_fleet_check(k->h, &k->night, &check, err);
	for (size_t i = 0; !st && i < check.nrows; i++)
		n += check.row[i].weight == 2;
	if (!st && n)
		st = bc_sheet_note(&k->sheet, 2, err, "%zu of %zu nodes are not OK: see `bankcheck fleet check`", n,
				   check.nrows);
	bc_sheet_release(&check);
	return st;
}

static enum bc_status act(struct call *k, enum bc_sheet_format format, struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st;

	if (strcmp(k->action, "check") == 0)
		st = bc_fleet_check(k->h, &k->night, &k->sheet, err);
	else if (strcmp(k->action, "table") == 0)
		st = bc_fleet_table(k->h, k->name, k->c->by, &k->sheet, err);
	else
		st = bc_fleet_outliers(k->h, k->name, &k->sheet, err);
	if (!st && strcmp(k->action, "check") != 0)
		st = weigh_missing(k, err);
	if (!st && k->gathered.damaged)
		st = bc_sheet_note(&k->sheet, 2, err, "%zu report%s could not be taken", k->gathered.damaged,
				   k->gathered.damaged == 1 ? "" : "s");
	if (!st)
		st = bc_sheet_write(&k->sheet, format, bc_locale_is_utf8(), &text, err);
	if (!st && fwrite(text.data ? text.data : "", 1, text.len, stdout) != text.len)
		st = bc_fail(err, BC_EWRITE, "standard output could not be written");
	bc_text_release(&text);
	return st;
}

static void print_gathered(const struct call *k)
{
	const struct bc_fleet_gathered *g = &k->gathered;

	(void)printf(
		"%s: %zu folder%s gathered: %zu run%s, %zu already there; %zu folder%s of before, %zu unfinished, %zu "
		"damaged report%s\n",
		k->name, g->folders, g->folders == 1 ? "" : "s", g->runs, g->runs == 1 ? "" : "s", g->known, g->before,
		g->before == 1 ? "" : "s", g->unfinished, g->damaged, g->damaged == 1 ? "" : "s");
}

int bc_cmd_fleet(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct call k = { .c = c, .action = c->noperands ? c->operands[0] : "", .has_folder = c->noperands > 1 };
	enum bc_sheet_format format = BC_SHEET_TEXT;
	struct bc_error err = { .msg = "" };
	int status;
	enum bc_status st = check_arguments(c, &format, &err);

	(void)cat;
	if (!st && k.has_folder)
		st = bc_fleet_open(c->operands[1], &k.night, &err);
	if (!st)
		st = open_history(&k, &err);
	if (!st)
		st = name_night(&k, &err);
	if (!st && k.has_folder)
		st = bc_fleet_gather(k.h, &k.night, bc_cli_refused, NULL, &k.gathered, &err);
	if (!st && strcmp(k.action, "gather") == 0)
		print_gathered(&k);
	else if (!st)
		st = act(&k, format, &err);
	if (!st)
		st = bc_cli_flush(&err);
	status = st ? bc_cli_fail(&err) : k.gathered.damaged ? 2 : (int)k.sheet.weight;
	bc_sheet_release(&k.sheet);
	bc_history_close(k.h);
	bc_fleet_close(&k.night);
	free(k.name);
	return status;
}
