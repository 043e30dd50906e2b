/* SPDX-License-Identifier: MIT */
#include "harness/app/budget.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/demangle.h"
#include "harness/base/textfile.h"

/* A quoted glob at *@at, unquoted in place; *@at moves behind it. */
static enum bc_status take_glob(char **at, char **glob, struct bc_error *err)
{
	char *s = *at + strspn(*at, " \t"), *end;

	if (*s != '"')
		return bc_fail(err, BC_EDATA, "a glob stands in double quotes: kernel \"scale*\" ...");
	end = strchr(s + 1, '"');
	if (!end || end == s + 1)
		return bc_fail(err, BC_EDATA, end ? "the glob is empty" : "the glob's closing quote is missing");
	*end = '\0';
	*glob = strdup(s + 1);
	*at = end + 1;
	return *glob ? BC_OK : bc_fail(err, BC_ENOMEM, "out of memory");
}

static enum bc_status take_figure(const char *name, enum bc_figure *out, struct bc_error *err)
{
	char all[400] = "";

	if (bc_figure_parse(name, out))
		return BC_OK;
	for (unsigned f = 0; f < BC_NFIGURES; f++) {
		(void)strncat(all, f ? ", " : "", sizeof(all) - strlen(all) - 1);
		(void)strncat(all, bc_figure_name((enum bc_figure)f), sizeof(all) - strlen(all) - 1);
	}
	return bc_fail(err, BC_EDATA, "%.60s: not a figure; there are %s", name, all);
}

static enum bc_status take_bound(char *word, struct bc_budget_line *l, struct bc_error *err)
{
	char *sign = strpbrk(word, "<>=");
	struct bc_bound b = { .figure = BC_NFIGURES };
	enum bc_status st;

	if (!sign || *sign == '=' || sign[1] != '=')
		return bc_fail(err, BC_EDATA, "%.60s: a bound is FIGURE<=NUMBER or FIGURE>=NUMBER, without blanks",
			       word);
	b.least = *sign == '>';
	if (!bc_number_parse(sign + 2, &b.value) || b.value < 0)
		return bc_fail(err, BC_EDATA, "%.60s: not a number from 0 up", sign + 2);
	*sign = '\0';
	st = take_figure(word, &b.figure, err);
	if (st)
		return st;
	for (size_t i = 0; i < l->n; i++)
		if (l->bound[i].figure == b.figure && l->bound[i].least == b.least)
			return bc_fail(err, BC_EDATA, "%s: bounded twice in one line", word);
	l->bound[l->n++] = b;
	return BC_OK;
}

static bool same_glob(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static enum bc_status take_line(struct bc_budget *b, bool is_default, char *rest, unsigned number, struct bc_error *err)
{
	struct bc_budget_line *grown = realloc(b->lines, (b->n + 1) * sizeof(*grown)), *l;
	enum bc_status st = BC_OK;

	if (!grown)
		return bc_fail(err, BC_ENOMEM, "out of memory");
	b->lines = grown;
	l = &b->lines[b->n++];
	*l = (struct bc_budget_line){ .line = number };
	if (!is_default)
		st = take_glob(&rest, &l->glob, err);
	for (size_t i = 0; !st && i + 1 < b->n; i++)
		if (is_default ? !b->lines[i].glob : same_glob(b->lines[i].glob, l->glob))
			return bc_fail(err, BC_EDATA, "%s: is in line %u already", is_default ? "default" : l->glob,
				       b->lines[i].line);
	for (char *word; !st && (word = bc_field(&rest));)
		st = take_bound(word, l, err);
	if (!st && !l->n)
		st = bc_fail(err, BC_EDATA, "the line bounds nothing: add FIGURE<=NUMBER");
	return st;
}

static enum bc_status take_known(struct bc_budget *b, char *rest, unsigned number, struct bc_error *err)
{
	struct bc_budget_known *grown = realloc(b->known, (b->nknown + 1) * sizeof(*grown)), *k;
	char *figure, *until, *reason;
	enum bc_status st;

	if (!grown)
		return bc_fail(err, BC_ENOMEM, "out of memory");
	b->known = grown;
	k = &b->known[b->nknown++];
	*k = (struct bc_budget_known){ .line = number };
	st = take_glob(&rest, &k->glob, err);
	if (st)
		return st;
	figure = bc_field(&rest);
	until = bc_field(&rest);
	reason = bc_rest(&rest);
	if (!figure || !until || !reason || strncmp(until, "until=", 6) != 0 || !bc_is_day(until + 6))
		return bc_fail(err, BC_EDATA,
			       "a known line is: known \"GLOB\" FIGURE until=YYYY-MM-DD reason in words");
	(void)bc_strlcpy(k->until, until + 6, sizeof(k->until));
	k->reason = strdup(reason);
	return k->reason ? take_figure(figure, &k->figure, err) : bc_fail(err, BC_ENOMEM, "out of memory");
}

enum bc_status bc_budget_parse(const char *text, const char *path, struct bc_budget *out, struct bc_error *err)
{
	struct bc_lines l;
	bool more = true;
	enum bc_status st = BC_OK;

	out->path = strdup(path);
	if (!out->path)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", path);
	out->hash = bc_hash(BC_HASH_INIT, text, strlen(text));
	bc_lines_start(&l, text, path);
	while (!st && !(st = bc_lines_next(&l, &more, err)) && more) {
		struct bc_error why = { .msg = "" };
		char *rest = l.text, *key = bc_field(&rest);

		if (!rest)
			rest = l.text + strlen(l.text);
		if (key && strcmp(key, "kernel") == 0)
			st = take_line(out, false, rest, l.number, &why);
		else if (key && strcmp(key, "default") == 0)
			st = take_line(out, true, rest, l.number, &why);
		else if (key && strcmp(key, "known") == 0)
			st = take_known(out, rest, l.number, &why);
		else
			st = bc_fail(&why, BC_EDATA, "%.40s: a line begins with kernel, default or known",
				     key ? key : "");
		if (st)
			st = bc_fail(err, st, "%s:%u: %s", path, l.number, why.msg);
	}
	if (!st && !out->n)
		st = bc_fail(err, BC_EDATA, "%s: bounds nothing", path);
	return st;
}

enum bc_status bc_budget_read(const char *path, struct bc_budget *out, struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st = bc_textfile_read(path, &text, err);

	if (!st)
		st = bc_budget_parse(text.data ? text.data : "", path, out, err);
	bc_text_release(&text);
	return st;
}

void bc_budget_release(struct bc_budget *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->lines[i].glob);
	}
	for (size_t i = 0; i < b->nknown; i++) {
		free(b->known[i].glob);
		free(b->known[i].reason);
	}
	free(b->lines);
	free(b->known);
	free(b->path);
	memset(b, 0, sizeof(*b));
}

bool bc_budget_matches(const char *glob, const char *mangled, const char *name)
{
	char *core = bc_name_core(name);
	const bool is =
		fnmatch(glob, name, 0) == 0 || fnmatch(glob, mangled, 0) == 0 || (core && fnmatch(glob, core, 0) == 0);

	free(core);
	return is;
}

const struct bc_budget_line *bc_budget_find(const struct bc_budget *b, const char *mangled, const char *name)
{
	const struct bc_budget_line *otherwise = NULL;

	for (size_t i = 0; i < b->n; i++) {
		if (!b->lines[i].glob)
			otherwise = &b->lines[i];
		else if (bc_budget_matches(b->lines[i].glob, mangled, name))
			return &b->lines[i];
	}
	return otherwise;
}

const struct bc_budget_known *bc_budget_excuse(const struct bc_budget *b, const char *mangled, const char *name,
					       enum bc_figure f, const char *today,
					       const struct bc_budget_known **expired)
{
	*expired = NULL;
	for (size_t i = 0; i < b->nknown; i++) {
		const struct bc_budget_known *k = &b->known[i];

		if (k->figure != f || !bc_budget_matches(k->glob, mangled, name))
			continue;
		if (strcmp(k->until, today) >= 0)
			return k;
		*expired = k;
	}
	return NULL;
}

uint32_t bc_budget_counters(const struct bc_budget *b)
{
	uint32_t want = 0;

	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; k < b->lines[i].n; k++)
			want |= bc_figure_counters(b->lines[i].bound[k].figure);
	return want;
}
