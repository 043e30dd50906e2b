/* SPDX-License-Identifier: MIT */
/* harness/report/tap.h - the verdicts as TAP, the Test Anything Protocol (version 12).
 *
 * A result is a line `ok N - <device> <case>` or `not ok N - ...`, the same name every night; a finding's verdict and
 * message follow as a line that starts with `#`. A SKIP is `ok ... # SKIP <reason>`, an XFAIL, a failure that is
 * known, `not ok ... # TODO <message>`.
 */
#ifndef BC_REPORT_TAP_H
#define BC_REPORT_TAP_H

#include "harness/core/results.h"

/* Append the whole log of @run: the plan, then all results in their order. */
enum bc_status bc_tap_format(const struct bc_run *run, struct bc_text *out, struct bc_error *err);

#endif
