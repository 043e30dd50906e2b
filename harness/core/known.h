/* SPDX-License-Identifier: MIT */
/* harness/core/known.h - expected/known.txt: wrong outcomes that are understood and tracked.
 *
 * One entry a line, eight fields separated by one TAB each: case id, architectures, driver range, CUDA range, expiry
 * date, link, outcome, reason. The head of the file documents them.
 */
#ifndef BC_CORE_KNOWN_H
#define BC_CORE_KNOWN_H

#include "harness/core/facts.h"
#include "harness/core/judge.h"

#define BC_DATE_MAX 11 /* "2026-11-29" */

struct bc_version_range {
	char lo[32], hi[32]; /* "": open */
	bool any;	     /* `*` */
};

struct bc_known_entry {
	char id[BC_ID_MAX];
	char archs[160]; /* `*`, or comma-separated */
	struct bc_version_range driver, cuda;
	char expires[BC_DATE_MAX]; /* the last day on which it counts */
	char link[160], outcome[160], reason[160];
	unsigned line;
	char *text; /* the line as written */
};

struct bc_known_list {
	struct bc_known_entry *entry; /* in the file's order */
	size_t n;
	char *path;
};

/**
 * bc_known_parse - read the text of a known.txt
 * @path: for messages, and kept
 * @cat:  to refuse entries of cases that do not exist
 *
 * Return: BC_EDATA with path:line for a line that has not eight fields, an unknown case, a malformed architecture,
 * range, date or outcome, or the same case, architectures and ranges a second time.
 */
enum bc_status bc_known_parse(const char *text, const char *path, const struct bc_catalog *cat,
			      struct bc_known_list *out, struct bc_error *err);

/* <expected_dir>/known.txt; none is an empty list. */
enum bc_status bc_known_load(const char *expected_dir, const struct bc_catalog *cat, struct bc_known_list *out,
			     struct bc_error *err);
void bc_known_release(struct bc_known_list *l);

/* Is @version in the range? An upper end counts as far as it is written: 580.95 holds 580.95.05. An unknown version (""
 * or one that is not numbers and points) is in `*` only. */
bool bc_version_in(const struct bc_version_range *r, const char *version);

/* Is the day @today ("YYYY-MM-DD") after the entry's last? */
bool bc_known_expired(const struct bc_known_entry *e, const char *today);

/**
 * bc_known_find - the entry of a case on a device, for the judge
 * @arch:   the architecture that the case is judged as
 * @facts:  driver and CUDA version
 * @today:  "YYYY-MM-DD"
 * @out:    neither applies nor expired when there is none; one that applies comes before one that has expired
 */
void bc_known_find(const struct bc_known_list *l, const char *id, const char *arch, const struct bc_facts *facts,
		   const char *today, struct bc_known *out);

#endif
