/* SPDX-License-Identifier: MIT */
/* harness/run/check_run.h - the judging step as Check runs it: one test per case, asserting its finished verdict.
 *
 * Check prints nothing of its own; its XML log (CK_XML_LOG_FILE_NAME) has each case but SKIPs. The TAP log (--tap,
 * CK_TAP_LOG_FILE_NAME) is ours: tap.h. It never touches a device.
 */
#ifndef BC_RUN_CHECK_RUN_H
#define BC_RUN_CHECK_RUN_H

#include "harness/core/results.h"

/**
 * bc_check_run - register every result but SKIPs and run them through Check
 * @tap:    file for the TAP log, "-": standard output, NULL: CK_TAP_LOG_FILE_NAME or none
 * @failed: how many Check counts as failed
 *
 * Return: BC_EWRITE when a log was asked for and cannot be written; BC_EDEVICE when Check's count of failures is not
 * the verdicts' (a harness error); BC_ENOMEM.
 */
enum bc_status bc_check_run(const struct bc_run *run, const char *tap, size_t *failed, struct bc_error *err);

#endif
