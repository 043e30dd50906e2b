/* SPDX-License-Identifier: MIT */
/* harness/report/reader.h - our own JUnit files read back: the record that diff, history, html, merge and rerun use.
 *
 * Only files that bankcheck wrote are taken: testsuites > testsuite with our properties (`bankcheck`, `run_id`,
 * `device`) > testcase whose system-out starts with format=1, or in a compact report a testcase without a finding.
 * Anything else is refused with path:line and what to do.
 */
#ifndef BC_REPORT_READER_H
#define BC_REPORT_READER_H

#include "harness/core/judge.h"
#include "harness/report/keys.h"

#define BC_REPORT_CASES_MAX 1000000u

/* A testcase. */
struct bc_read_case {
	char *id;		 /* case= */
	enum bc_verdict verdict; /* verdict= */
	char *message;		 /* of its failure, error or skipped element; "" for PASS */
	double seconds;
	struct bc_key_values keys; /* all of system-out */
	bool verdict_only;	   /* of a compact report (junit.h): no keys, so no value is known */
	unsigned line;		   /* in the file */
};

/* One device of one run: all testsuites with the same device in one file. */
struct bc_read_device {
	char *dev; /* middle of the class name: "sm_90", "sm_90_cuda1", "reference_sm_90" */
	struct bc_pair {
		char *name, *value;
	} * property; /* of its first testsuite: device, gpu, uuid, driver, cuda, image_hash ... */
	size_t nproperties;
	char *timestamp, *host;	    /* "" when absent */
	struct bc_read_case *cases; /* sorted by id */
	size_t ncases;
	size_t nverdict_only; /* of them */
	bool joined;	      /* its cases are another's now (read_shards.h) */
};

struct bc_read_file {
	char *path;
	struct bc_read_device *devices; /* in the file's order */
	size_t ndevices;
};

/**
 * bc_report_read - read one file
 *
 * No network, no external entities, no DTD. Return: BC_EREAD when it cannot be read; BC_EDATA with path:line for XML
 * that is not well-formed or truncated, a file of another tool, a later format, a case id that is there twice, or a
 * report that contradicts itself (read_agreement.h).
 */
enum bc_status bc_report_read(const char *path, struct bc_read_file *out, struct bc_error *err);
void bc_report_release(struct bc_read_file *f); /* a zeroed one is allowed */

void bc_read_device_release(struct bc_read_device *d);

/* Return: the property, "" when it is not there. */
const char *bc_read_property(const struct bc_read_device *d, const char *name);

/* Return: the case, NULL when it is not there. O(log n). */
const struct bc_read_case *bc_read_find(const struct bc_read_device *d, const char *id);

/**
 * bc_report_select - leave out the cases that are not chosen
 * @filter, @exclude: globs as of `run` (bc_glob_matches); no filter: everything; exclude wins
 *
 * Return: how many cases are left. Which of two files has how many is no error here.
 */
size_t bc_report_select(struct bc_read_file *f, const char *const *filter, size_t nfilter, const char *const *exclude,
			size_t nexclude);

/**
 * bc_report_paths - the report files that a word of the command line names
 * @word: a file, or a folder: all *.xml and *.xml.gz in it, sorted by name, not below it
 *
 * Return: BC_EREAD when there is no such thing; BC_EDATA when the folder has none. Appends malloc'ed paths.
 */
enum bc_status bc_report_paths(const char *word, char ***paths, size_t *n, struct bc_error *err);

/* The same, with the folders below it, but for hidden ones (`.name`) and links: a night of many hosts. */
enum bc_status bc_report_paths_below(const char *word, char ***paths, size_t *n, struct bc_error *err);

/* Told of a report that cannot be taken, while the others still are. */
typedef void bc_report_refused_fn(void *ctx, const struct bc_error *why);

#endif
