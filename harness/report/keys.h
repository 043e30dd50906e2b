/* SPDX-License-Identifier: MIT */
/* harness/report/keys.h - the key=value lines of a testcase's system-out: one table writes, documents and reads them.
 *
 * Form: `format=1` is the first line; then one `key=value` line each, in the table's order; an empty line or the end
 * of the text ends them; what follows is free text. A key that has nothing to say is left out. Values are escaped
 * (BC_ESCAPE_VALUE of escape.h), numbers have a point in every locale. Lists inside a value: items are
 * `name:number`, separated by a blank; attempts are separated by `;`, samples and offsets by `,`.
 */
#ifndef BC_REPORT_KEYS_H
#define BC_REPORT_KEYS_H

#include "harness/core/results.h"

#define BC_KEYS_FORMAT "1"
#define BC_FREE_TEXT_MAX 4096 /* bytes of free text after the keys */

/* What a line may speak of. */
struct bc_key_source {
	const struct bc_run *run;
	const struct bc_device_run *dev;
	const struct bc_result *r;
};

/* Append all lines of one result, none of them cut. */
enum bc_status bc_keys_write(const struct bc_key_source *s, struct bc_text *out, struct bc_error *err);

/* Append an empty line and @text, escaped, at most BC_FREE_TEXT_MAX bytes of it; nothing when @text is "". */
enum bc_status bc_keys_free_text(const char *text, struct bc_text *out, struct bc_error *err);

/* Name of the @i-th key (0 is "format"), its meaning in *what (NULL: not wanted); NULL past the end. */
const char *bc_keys_name(size_t i, const char **what);

/* The key table as text for the manual: one line a key. */
enum bc_status bc_keys_manual(struct bc_text *out, struct bc_error *err);

/* One line, read back. */
struct bc_key_value {
	char *key, *value; /* NUL-terminated; value is unescaped and may hold further NULs */
	size_t value_len;
};

struct bc_key_values {
	struct bc_key_value *kv; /* in the text's order */
	size_t n;
	char *free_text; /* after the keys, still escaped; "" when there is none */
};

/**
 * bc_junit_keys - read the system-out text of a testcase
 * @text: NUL-terminated, as an XML reader gives it
 * @out:  zeroed by the caller; filled on success only
 *
 * Keys that are not in the table are kept: a later version of format 1 may add some.
 * Return: BC_EDATA naming the line when the first is not format=1, a line has no '=' or no proper key, a key is
 * there twice, or a value has a wrong escape.
 */
enum bc_status bc_junit_keys(const char *text, struct bc_key_values *out, struct bc_error *err);

/* Return: the value of @key, NULL when it is not there. */
const char *bc_key_get(const struct bc_key_values *k, const char *key);

void bc_key_values_release(struct bc_key_values *k);

#endif
