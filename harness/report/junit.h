/* SPDX-License-Identifier: MIT */
/* harness/report/junit.h - JUnit XML, one file an architecture, for Jenkins' xUnit plugin, GitLab, GitHub actions.
 *
 * testsuites > testsuite (a device's suite, or the device itself when it has no result) > testcase. Facts of the
 * device are properties of its testsuites, measured values are key=value lines in a testcase's system-out (keys.h).
 * What each verdict becomes is in render.c. Times are seconds with three decimals; a sum is the sum of what it holds.
 */
#ifndef BC_REPORT_JUNIT_H
#define BC_REPORT_JUNIT_H

#include "harness/core/results.h"
#include "harness/base/file.h"

#define BC_JUNIT_NAME_MAX 64

/* How much a report has. Compact: system-out, with the measured values, for findings and flaky cases only; the others
 * have their verdict, and the properties stand in the first testsuite of a device. The property `junit` of each
 * testsuite says which. */
enum bc_junit_form { BC_JUNIT_FULL = 0, BC_JUNIT_COMPACT };
const char *bc_junit_form_name(enum bc_junit_form form); /* "full", "compact" */

/* The file that a device's results go to: "sm_90.xml", "reference-sm_90.xml". */
void bc_junit_name(const struct bc_device_run *d, char buf[BC_JUNIT_NAME_MAX]);

/**
 * bc_junit_format - append the document that holds every device of @run whose bc_junit_name is @name
 * @name: NULL: all devices of the run
 *
 * Return: BC_EWRITE when libxml2 fails, or when two testcases would have the same class name and name.
 */
enum bc_status bc_junit_format(const struct bc_run *run, enum bc_junit_form form, const char *name, struct bc_text *out,
			       struct bc_error *err);

/**
 * bc_junit_write - write all files of a run into the folder @dir (which exists and is locked, folder.h)
 * @paths: those that were written are appended
 *
 * Each file replaces the one before it whole or not at all. When one cannot be written the others still are.
 * Return: the first failure.
 */
enum bc_status bc_junit_write(const struct bc_run *run, enum bc_junit_form form, const char *dir,
			      struct bc_paths *paths, struct bc_error *err);

#endif
