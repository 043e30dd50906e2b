/* SPDX-License-Identifier: MIT */
/* harness/core/case_ids.h - expected/case-ids.txt: every case that a run must have, so that none can vanish unseen. */
#ifndef BC_CORE_CASE_IDS_H
#define BC_CORE_CASE_IDS_H

#include "harness/core/case.h"

/**
 * bc_case_ids_check - is the catalogue the list?
 * @expected_dir: holds case-ids.txt: an id a line, `#` lines are comments; hidden suites are not in it,
 *		   unless they are run with --sms
 *
 * Return: BC_EREAD when the list cannot be read; BC_EDATA with path:line for an id that is no case of this program, one
 * that is there twice or goes on after the id, and BC_EDATA naming a case of the program that is not in the list.
 */
enum bc_status bc_case_ids_check(const char *expected_dir, const struct bc_catalog *cat, struct bc_error *err);

#endif
