/* SPDX-License-Identifier: MIT */
/* harness/report/junit_merge.h - the reports of many hosts and GPUs as one: unique names, counts that add up. */
#ifndef BC_REPORT_JUNIT_MERGE_H
#define BC_REPORT_JUNIT_MERGE_H

#include "harness/base/base.h"

/* What went into a merged report. */
struct bc_merge_sums {
	size_t reports, devices, tests, failures, errors, skipped;
};

/**
 * bc_junit_merge - append the document that holds all testsuites of some reports
 * @paths: [n] files that bankcheck wrote, also merged ones
 *
 * A device keeps its name, so that its tests have the same names every night, unless several units have it: then it
 * becomes <dev>_<host>_<GPU>_<start of its UUID>. With the run_id when two runs of one unit are among them. A merged
 * report may be merged again. Testcases are copied as they are; the counts and times of
 * testsuites and of the whole are added up anew.
 *
 * The shards of a run that has a name become one device. Return: as bc_report_join; BC_EREAD, BC_EDATA as
 * bc_report_read; BC_EDATA when one run of a device is there twice; BC_ENOMEM.
 */
enum bc_status bc_junit_merge(char *const *paths, size_t n, struct bc_text *out, struct bc_merge_sums *sums,
			      struct bc_error *err);

#endif
