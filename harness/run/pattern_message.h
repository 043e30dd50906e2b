/* SPDX-License-Identifier: MIT */
/* harness/run/pattern_message.h - patterns and what was measured of them, on the wire between parent and worker.
 *
 * The parent sends `pattern` messages, then `count` or `time`; the worker answers `counted` or `timed` for each, in
 * their order, and `measured` with why some are missing. `window` is answered by `window`.
 */
#ifndef BC_RUN_PATTERN_MESSAGE_H
#define BC_RUN_PATTERN_MESSAGE_H

#include "harness/measure/patterns.h"
#include "harness/run/message.h"

#define BC_PATTERNS_AT_ONCE 1024 /* most that are measured by one message */

/* Each makes a whole message in @t, its end included. */
enum bc_status bc_pattern_message(const struct bc_pattern *p, struct bc_text *t, struct bc_error *err);
enum bc_status bc_counted_message(const struct bc_pattern_count *n, struct bc_text *t, struct bc_error *err);
enum bc_status bc_timed_message(const struct bc_pattern_time *n, struct bc_text *t, struct bc_error *err);
enum bc_status bc_window_message(const struct bc_window *w, struct bc_text *t, struct bc_error *err);

/* And back. Return: BC_EDATA for a message that is none such. */
enum bc_status bc_pattern_parse(const struct bc_fields *m, struct bc_pattern *out, struct bc_error *err);
enum bc_status bc_counted_parse(const struct bc_fields *m, struct bc_pattern_count *out, struct bc_error *err);
enum bc_status bc_timed_parse(const struct bc_fields *m, struct bc_pattern_time *out, struct bc_error *err);
enum bc_status bc_window_parse(const struct bc_fields *m, struct bc_window *out, struct bc_error *err);

#endif
