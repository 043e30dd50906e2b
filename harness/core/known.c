/* SPDX-License-Identifier: MIT */
#include "harness/core/known.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/file.h"
#include "harness/base/textfile.h"

enum { ID = 0, ARCHS, DRIVER, CUDA, EXPIRES, LINK, OUTCOME, REASON, NFIELDS };

static const char *const field_names[NFIELDS] = { "case id",	 "architectures", "driver range", "CUDA range",
						  "expiry date", "link",	  "outcome",	  "reason" };

/* A version: numbers and points. */
static bool is_version(const char *s)
{
	return s[0] >= '0' && s[0] <= '9' && s[strspn(s, "0123456789.")] == '\0';
}

/* Order of two versions, number by number, over at most the numbers that @b has. */
static int compare_versions(const char *a, const char *b)
{
	while (*b) {
		char *enda, *endb;
		const unsigned long x = strtoul(a, &enda, 10), y = strtoul(b, &endb, 10);

		if (x != y)
			return x < y ? -1 : 1;
		a = enda + (*enda == '.');
		b = endb + (*endb == '.');
	}
	return 0;
}

bool bc_version_in(const struct bc_version_range *r, const char *version)
{
	if (r->any)
		return true;
	return is_version(version) && (!r->lo[0] || compare_versions(version, r->lo) >= 0) &&
	       (!r->hi[0] || compare_versions(version, r->hi) <= 0);
}

static bool parse_range(const char *s, struct bc_version_range *r)
{
	const char *dash = strchr(s, '-');

	if (strcmp(s, "*") == 0) {
		r->any = true;
		return true;
	}
	if (!dash || s[1] == '\0' || (size_t)(dash - s) >= sizeof(r->lo) || !bc_strlcpy(r->hi, dash + 1, sizeof(r->hi)))
		return false;
	memcpy(r->lo, s, (size_t)(dash - s));
	r->lo[dash - s] = '\0';
	if ((r->lo[0] && !is_version(r->lo)) || (r->hi[0] && !is_version(r->hi)))
		return false;
	return !r->lo[0] || !r->hi[0] || compare_versions(r->lo, r->hi) <= 0;
}

/* sm_NN, several with commas between, or `*`. */
static bool archs_ok(const char *s)
{
	if (strcmp(s, "*") == 0)
		return true;
	for (;;) {
		size_t digits;

		if (strncmp(s, "sm_", 3) != 0)
			return false;
		digits = strspn(s + 3, "0123456789");
		if (digits < 2 || digits > 3)
			return false;
		s += 3 + digits;
		if (*s == '\0')
			return true;
		if (*s++ != ',')
			return false;
	}
}

static bool has_arch(const char *archs, const char *arch)
{
	const size_t len = strlen(arch);

	if (strcmp(archs, "*") == 0)
		return true;
	for (const char *at = archs; (at = strstr(at, arch)); at += len)
		if ((at == archs || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
			return true;
	return false;
}

/* The outcomes that the judge can write. */
static bool outcome_ok(const char *s)
{
	static const char *const starts[] = { "ratio ", "unstable ", "disagree " };

	if (strcmp(s, "data") == 0 || strcmp(s, "unsupported") == 0)
		return true;
	for (size_t i = 0; i < BC_ARRAY_LEN(starts); i++)
		if (strncmp(s, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

static bool same_key(const struct bc_known_entry *a, const struct bc_known_entry *b)
{
	return strcmp(a->id, b->id) == 0 && strcmp(a->archs, b->archs) == 0 && a->driver.any == b->driver.any &&
	       strcmp(a->driver.lo, b->driver.lo) == 0 && strcmp(a->driver.hi, b->driver.hi) == 0 &&
	       a->cuda.any == b->cuda.any && strcmp(a->cuda.lo, b->cuda.lo) == 0 && strcmp(a->cuda.hi, b->cuda.hi) == 0;
}

/* Fields to an entry. Return: the number of the field that is wrong, NFIELDS when none is. */
static unsigned take_fields(char *const field[NFIELDS], struct bc_known_entry *e)
{
	if (!bc_strlcpy(e->id, field[ID], sizeof(e->id)))
		return ID;
	if (!bc_strlcpy(e->archs, field[ARCHS], sizeof(e->archs)) || !archs_ok(e->archs))
		return ARCHS;
	if (!parse_range(field[DRIVER], &e->driver))
		return DRIVER;
	if (!parse_range(field[CUDA], &e->cuda))
		return CUDA;
	if (!bc_strlcpy(e->expires, field[EXPIRES], sizeof(e->expires)) || !bc_is_day(e->expires) ||
	    strcmp(e->expires, "2000") < 0)
		return EXPIRES;
	if (!field[LINK][0] || !bc_strlcpy(e->link, field[LINK], sizeof(e->link)))
		return LINK;
	if (!bc_strlcpy(e->outcome, field[OUTCOME], sizeof(e->outcome)) || !outcome_ok(e->outcome))
		return OUTCOME;
	if (!field[REASON][0] || !bc_strlcpy(e->reason, field[REASON], sizeof(e->reason)))
		return REASON;
	return NFIELDS;
}

static enum bc_status parse_line(struct bc_lines *l, const struct bc_catalog *cat, struct bc_known_entry *e,
				 struct bc_error *err)
{
	char *field[NFIELDS] = { 0 }, *next = l->text;
	unsigned n = 0, bad;

	e->line = l->number;
	e->text = strdup(l->text);
	if (!e->text)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", l->path);
	while (next && n < NFIELDS)
		field[n++] = strsep(&next, "\t");
	if (n < NFIELDS || next)
		return bc_fail(err, BC_EDATA,
			       "%s:%u: %s fields: an entry has 8, with one TAB between each two (the head of the "
			       "file names them)",
			       l->path, l->number, next ? "too many" : "too few");
	bad = take_fields(field, e);
	if (bad < NFIELDS)
		return bc_fail(err, BC_EDATA, "%s:%u: `%.80s` is no %s; the head of the file says how it is written",
			       l->path, l->number, field[bad], field_names[bad]);
	if (!bc_catalog_find(cat, e->id))
		return bc_fail(err, BC_EDATA, "%s:%u: there is no case `%s` (`bankcheck list` prints all ids)", l->path,
			       l->number, e->id);
	return BC_OK;
}

enum bc_status bc_known_parse(const char *text, const char *path, const struct bc_catalog *cat,
			      struct bc_known_list *out, struct bc_error *err)
{
	struct bc_known_list list = { .path = strdup(path) };
	struct bc_lines l;
	bool more = true;
	enum bc_status st = list.path ? BC_OK : bc_fail(err, BC_ENOMEM, "%s: out of memory", path);

	bc_lines_start(&l, text, path);
	while (!st) {
		struct bc_known_entry *grown;

		st = bc_lines_next(&l, &more, err);
		if (st || !more)
			break;
		grown = realloc(list.entry, (list.n + 1) * sizeof(*grown));
		if (!grown) {
			st = bc_fail(err, BC_ENOMEM, "%s: out of memory", path);
			break;
		}
		list.entry = grown;
		memset(&grown[list.n], 0, sizeof(*grown));
		st = parse_line(&l, cat, &grown[list.n++], err);
		for (size_t i = 0; !st && i + 1 < list.n; i++)
			if (same_key(&grown[i], &grown[list.n - 1]))
				st = bc_fail(err, BC_EDATA,
					     "%s:%u: the same case, architectures and ranges as line %u: remove one",
					     path, l.number, grown[i].line);
	}
	if (st)
		bc_known_release(&list);
	else
		*out = list;
	return st;
}

enum bc_status bc_known_load(const char *expected_dir, const struct bc_catalog *cat, struct bc_known_list *out,
			     struct bc_error *err)
{
	struct bc_text text = { 0 };
	struct stat s;
	char path[1200];
	enum bc_status st;

	memset(out, 0, sizeof(*out));
	(void)snprintf(path, sizeof(path), "%s/known.txt", expected_dir);
	if (stat(path, &s) && errno == ENOENT)
		return BC_OK;
	st = bc_textfile_read(path, &text, err);
	if (!st)
		st = bc_known_parse(text.data ? text.data : "", path, cat, out, err);
	bc_text_release(&text);
	return st;
}

void bc_known_release(struct bc_known_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->entry[i].text);
	free(l->entry);
	free(l->path);
	*l = (struct bc_known_list){ 0 };
}

bool bc_known_expired(const struct bc_known_entry *e, const char *today)
{
	return strncmp(today, e->expires, BC_DATE_MAX - 1) > 0;
}

void bc_known_find(const struct bc_known_list *l, const char *id, const char *arch, const struct bc_facts *facts,
		   const char *today, struct bc_known *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < l->n && !out->applies; i++) {
		const struct bc_known_entry *e = &l->entry[i];
		const bool expired = bc_known_expired(e, today);

		if (strcmp(e->id, id) != 0 || !has_arch(e->archs, arch) || !bc_version_in(&e->driver, facts->driver) ||
		    !bc_version_in(&e->cuda, facts->cuda) || (expired && out->expired))
			continue;
		out->applies = !expired;
		out->expired = expired;
		(void)bc_strlcpy(out->outcome, e->outcome, sizeof(out->outcome));
		(void)bc_strlcpy(out->reason, e->reason, sizeof(out->reason));
		(void)bc_strlcpy(out->link, e->link, sizeof(out->link));
		(void)snprintf(out->where, sizeof(out->where), "%.150s:%u", bc_path_end(l->path, 2), e->line);
	}
}
