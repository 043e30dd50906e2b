/* SPDX-License-Identifier: MIT */
/* harness/report/junit_merge.h - the reports of many hosts and GPUs as one: unique names, counts that add up. */
#ifndef BC_REPORT_JUNIT_MERGE_H
#define BC_REPORT_JUNIT_MERGE_H

#include "harness/report/junit.h"
#include "harness/report/reader.h"

/* What went into a merged report. */
struct bc_merge_sums {
	size_t reports, refused, devices, tests, failures, errors, skipped;
	size_t verdict_only; /* tests of which the document has the verdict alone */
};

/* Where the document goes, piece by piece, and who is told of a report that is left out. */
struct bc_merge_out {
	enum bc_junit_form form; /* compact: values of cases without a finding are left out */
	enum bc_status (*write)(void *ctx, const char *bytes, size_t len, struct bc_error *err);
	bc_report_refused_fn *refused;
	void *ctx;
};

/**
 * bc_junit_merge - write the document that holds all testsuites of some reports
 * @paths: [n] files that bankcheck wrote, also merged ones
 *
 * A device keeps its name, so that its tests have the same names every night, unless several units have it: then it
 * becomes <dev>_<host>_<GPU>_<start of its UUID>. With the run_id when two runs of one unit are among them. A merged
 * report may be merged again. Testcases are copied as they are, but for what --junit compact leaves out; what a compact
 * report lacks stays missing. The counts and times of
 * testsuites and of the whole are added up anew. Each report is read twice and only one is in memory at a time (the
 * shards of a run that has a name: all).
 *
 * The shards of a run that has a name become one device. A report that cannot be read, or is none of ours, is left out
 * and told of. Return: as bc_report_join; the status of the last such report when none could be taken; BC_EDATA when
 * one run of a device is there twice, or a file changed meanwhile; BC_ENOMEM; what @out->write returns.
 */
enum bc_status bc_junit_merge(char *const *paths, size_t n, const struct bc_merge_out *out, struct bc_merge_sums *sums,
			      struct bc_error *err);

#endif
