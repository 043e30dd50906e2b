/* SPDX-License-Identifier: MIT */
/* harness/report/cause.h - what is wrong with a case in a few words, the same words for cases with the same cause.
 *
 * The console and the page put findings together by verdict, rule and these words.
 */
#ifndef BC_REPORT_CAUSE_H
#define BC_REPORT_CAUSE_H

#define BC_CAUSE_MAX 160

/**
 * bc_cause_text - the cause that a message of bc_judge names
 * @message: of a result or of a report, one line
 * @buf:     "2 instead of 1 wavefronts", "counters 2, clock 1 instead of 1 wavefronts"; without measured and expected
 *           numbers the message up to its first `: `, `; ` or ` (`. "" for "". What does not fit is cut.
 *
 * Of several quantities the first is taken that is not as expected. Pure.
 */
void bc_cause_text(const char *message, char buf[BC_CAUSE_MAX]);

#endif
