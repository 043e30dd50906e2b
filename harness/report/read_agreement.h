/* SPDX-License-Identifier: MIT */
/* harness/report/read_agreement.h - what a report says twice it must say the same way: reader.h refuses it otherwise.
 */
#ifndef BC_REPORT_READ_AGREEMENT_H
#define BC_REPORT_READ_AGREEMENT_H

#include <libxml/tree.h>

#include "harness/core/judge.h"

/* What the testcases of a testsuite, or of a whole report, add up to. */
struct bc_read_sums {
	size_t tests, failures, errors, skipped;
};

/**
 * bc_agreement_case - do the verdict and the child element of a testcase fit? Then it is added to @sums
 * @path:    of the report, for the message
 * @id:      of the case
 * @verdict: verdict= of its system-out
 *
 * The child is the one that bc_verdict_style names, once; its type=, where there is one, is the verdict.
 * Return: BC_EDATA with path:line.
 */
enum bc_status bc_agreement_case(const char *path, const xmlNode *testcase, const char *id, enum bc_verdict verdict,
				 struct bc_read_sums *sums, struct bc_error *err);

/**
 * bc_agreement_sums - do tests=, failures=, errors= and skipped= of an element say what is in it?
 * @n:    a testsuite or testsuites
 * @sums: of the testcases in it
 *
 * An attribute that is not there says nothing. Return: BC_EDATA with path:line.
 */
enum bc_status bc_agreement_sums(const char *path, const xmlNode *n, const struct bc_read_sums *sums,
				 struct bc_error *err);

#endif
