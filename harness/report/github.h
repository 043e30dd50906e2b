/* SPDX-License-Identifier: MIT */
/* harness/report/github.h - findings for GitHub Actions, which reads no JUnit: annotations and a step summary. */
#ifndef BC_REPORT_GITHUB_H
#define BC_REPORT_GITHUB_H

#include <stdio.h>

#include "harness/core/results.h"
#include "harness/base/file.h"

#define BC_GITHUB_ANNOTATIONS 10	   /* the errors of a step that GitHub shows */
#define BC_GITHUB_ROWS 200		   /* findings in the summary's table */
#define BC_GITHUB_SUMMARY_MAX (900 * 1024) /* bytes; GitHub refuses a step's summary over 1 MiB */

/* Return: whether this process is a step of GitHub Actions (GITHUB_ACTIONS is set and not empty). */
bool bc_github_wanted(void);

/**
 * bc_github_annotate - one workflow command a finding on @out
 *
 * `::error title=FAIL sm_90 suite/rule/variant::message%0Arun again: ...`. At most BC_GITHUB_ANNOTATIONS lines; when
 * there are more findings, the last line says how many are not shown.
 * Return: BC_EWRITE when @out does not take them.
 */
enum bc_status bc_github_annotate(const struct bc_run *run, FILE *out, struct bc_error *err);

/* Append the summary to @out as Markdown, at most BC_GITHUB_SUMMARY_MAX bytes; nothing from outside can format it. */
enum bc_status bc_github_summary(const struct bc_run *run, const struct bc_paths *paths, struct bc_text *out,
				 struct bc_error *err);

/**
 * bc_github_report - annotations on @out, and the summary appended to the file that GITHUB_STEP_SUMMARY names, if any
 *
 * Return: BC_EWRITE naming what could not be written.
 */
enum bc_status bc_github_report(const struct bc_run *run, const struct bc_paths *paths, FILE *out,
				struct bc_error *err);

#endif
