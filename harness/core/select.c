/* SPDX-License-Identifier: MIT */
#include "harness/core/select.h"

#include <fnmatch.h>
#include <string.h>

bool bc_glob_matches(const char *glob, const char *id)
{
	const size_t len = strlen(glob);

	if (strncmp(glob, id, len) == 0 && id[len] == '/')
		return true; /* a bare suite or suite/rule */
	return fnmatch(glob, id, 0) == 0;
}

/* Does @glob name the suite of a case: `suite` or `suite/...`? Hidden suites are taken no other way. */
static bool names_suite(const char *glob, const struct bc_case *c)
{
	const size_t len = strlen(c->suite->name);

	return strncmp(glob, c->suite->name, len) == 0 && (glob[len] == '\0' || glob[len] == '/');
}

/* Must a case be named to be taken? */
static bool is_hidden(const struct bc_selection *s, const struct bc_case *c)
{
	return c->suite->hidden && !(s->every_sm && c->suite->every_sm);
}

static bool takes(const struct bc_selection *s, const char *glob, const struct bc_case *c)
{
	return (!is_hidden(s, c) || names_suite(glob, c)) && bc_glob_matches(glob, c->id);
}

/* Edits (insert, delete, replace) that turn @a into @b[0..blen). Texts over BC_ID_MAX - 1 bytes are cut. */
static unsigned edits(const char *a, const char *b, size_t blen)
{
	unsigned row[BC_ID_MAX + 1];

	if (blen > BC_ID_MAX)
		blen = BC_ID_MAX;
	for (size_t k = 0; k <= blen; k++)
		row[k] = (unsigned)k;
	for (size_t i = 0; i < BC_ID_MAX && a[i] != '\0'; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i + 1;
		for (size_t k = 1; k <= blen; k++) {
			const unsigned replace = diagonal + (a[i] != b[k - 1]);

			diagonal = row[k];
			if (row[k] > row[k - 1])
				row[k] = row[k - 1];
			row[k]++;
			if (replace < row[k])
				row[k] = replace;
		}
	}
	return row[blen];
}

/* The suite, suite/rule or id nearest to @glob, into @near. */
static void nearest(const struct bc_catalog *cat, const char *glob, char near[BC_ID_MAX])
{
	unsigned best = ~0u;

	near[0] = '\0';
	for (size_t i = 0; i < cat->n + cat->nhidden; i++) {
		const char *id = cat->cases[i].id;

		if (cat->cases[i].suite->hidden && !names_suite(glob, &cat->cases[i]))
			continue;
		for (size_t len = strcspn(id, "/");; len += 1 + strcspn(id + len + 1, "/")) {
			const unsigned d = edits(glob, id, len);

			if (d < best) {
				best = d;
				memcpy(near, id, len);
				near[len] = '\0';
			}
			if (id[len] == '\0')
				break;
		}
	}
}

size_t bc_select_nearest(const struct bc_catalog *cat, const char *word, const struct bc_case **near, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; max > 0 && i < cat->n; i++) {
		const char *id = cat->cases[i].id;
		const unsigned d = edits(word, id, strlen(id));
		size_t at = n < max ? n++ : max; /* max: past the end, it takes the last one's place or none */

		while (at > 0 && d < edits(word, near[at - 1]->id, strlen(near[at - 1]->id))) {
			if (at < max)
				near[at] = near[at - 1];
			at--;
		}
		if (at < max)
			near[at] = &cat->cases[i];
	}
	return n;
}

/* Every glob of @globs matches a case. */
static enum bc_status check_globs(const struct bc_catalog *cat, const struct bc_selection *s, const char *const *globs,
				  size_t n, const char *option, struct bc_error *err)
{
	char near[BC_ID_MAX];

	for (size_t g = 0; g < n; g++) {
		size_t i = 0;

		while (i < cat->n + cat->nhidden && !takes(s, globs[g], &cat->cases[i]))
			i++;
		if (i < cat->n + cat->nhidden)
			continue;
		nearest(cat, globs[g], near);
		if (near[0] == '\0')
			return bc_fail(err, BC_EUSAGE, "%s '%s' matches no case: there are none", option, globs[g]);
		return bc_fail(err, BC_EUSAGE,
			       "%s '%s' matches no case; the nearest is '%s' (`bankcheck list` prints all ids)", option,
			       globs[g], near);
	}
	return BC_OK;
}

/* The variables name a suite and a rule that exist: one left over from elsewhere would make any run empty, and good. */
static enum bc_status check_only(const struct bc_catalog *cat, const struct bc_selection *s, struct bc_error *err)
{
	bool suite = !s->only_suite, rule = !s->only_rule;

	for (size_t i = 0; i < cat->n + cat->nhidden && !(suite && rule); i++) {
		suite = suite || strcmp(s->only_suite, cat->cases[i].suite->name) == 0;
		rule = rule || strcmp(s->only_rule, cat->cases[i].rule->name) == 0;
	}
	if (suite && rule)
		return BC_OK;
	return bc_fail(err, BC_EUSAGE,
		       "the environment has %s='%s', which is no %s; unset it, or set it to one of `bankcheck list`",
		       suite ? "CK_RUN_CASE" : "CK_RUN_SUITE", suite ? s->only_rule : s->only_suite,
		       suite ? "rule" : "suite");
}

static bool any_takes(const struct bc_selection *s, const char *const *globs, size_t n, const struct bc_case *c)
{
	for (size_t g = 0; g < n; g++)
		if (takes(s, globs[g], c))
			return true;
	return false;
}

enum bc_status bc_select(const struct bc_catalog *cat, const struct bc_selection *s, bool *chosen, size_t *n,
			 struct bc_error *err)
{
	enum bc_status st = check_globs(cat, s, s->filter, s->nfilter, "--filter", err);
	size_t taken = 0;

	if (!st)
		st = check_globs(cat, s, s->exclude, s->nexclude, "--exclude", err);
	if (!st)
		st = check_only(cat, s, err);
	if (st)
		return st;
	for (size_t i = 0; i < cat->n + cat->nhidden; i++) {
		const struct bc_case *c = &cat->cases[i];
		const bool named = s->only_suite && strcmp(s->only_suite, c->suite->name) == 0;

		chosen[i] = (s->nfilter == 0 ? !is_hidden(s, c) || named : any_takes(s, s->filter, s->nfilter, c)) &&
			    !any_takes(s, s->exclude, s->nexclude, c) && (!s->only_suite || named) &&
			    (!s->only_rule || strcmp(s->only_rule, c->rule->name) == 0);
		taken += chosen[i];
	}
	*n = taken;
	return BC_OK;
}
