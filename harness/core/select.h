/* SPDX-License-Identifier: MIT */
/* harness/core/select.h - which cases a run takes: globs over ids. */
#ifndef BC_CORE_SELECT_H
#define BC_CORE_SELECT_H

#include "harness/core/case.h"

struct bc_selection {
	const char *const *filter;
	size_t nfilter; /* or-ed; none: everything */
	const char *const *exclude;
	size_t nexclude;		    /* wins over filter */
	bool every_sm;			    /* suites that are hidden for it are not */
	const char *only_suite, *only_rule; /* CK_RUN_SUITE, CK_RUN_CASE; NULL: any */
};

/* fnmatch with flags 0 (`*` crosses `/`); a bare `suite` or `suite/rule` selects all below it. */
bool bc_glob_matches(const char *glob, const char *id);

/**
 * bc_select - mark the chosen cases
 * @chosen: [cat->n + cat->nhidden]
 * @n:      how many were chosen
 *
 * Cases of hidden suites are chosen only when a filter starts with the suite's name (`meta`, `meta/...`) or only_suite
 * is it. Return: BC_EUSAGE when a filter or exclude glob matches no case, naming it (with the nearest id or suite), or
 * when only_suite is no suite or only_rule no rule.
 */
enum bc_status bc_select(const struct bc_catalog *cat, const struct bc_selection *s, bool *chosen, size_t *n,
			 struct bc_error *err);

/**
 * bc_select_nearest - ids that a word that is no id may have meant
 * @near: [max] filled with the cases whose ids take the fewest edits (insert, delete, replace of one character) to
 *        become @word, nearest first; the catalogue's order among equals
 *
 * Return: how many were filled: @max, or all cases where there are fewer.
 */
size_t bc_select_nearest(const struct bc_catalog *cat, const char *word, const struct bc_case **near, size_t max);

#endif
