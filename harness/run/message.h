/* SPDX-License-Identifier: MIT */
/* harness/run/message.h - one line of text a message: what parent and worker say to each other, and the journal.
 *
 *     kind<TAB>key=value<TAB>key=value<NEWLINE>
 *
 * Keys are [a-z0-9_]+; in values backslash, tab, newline and carriage return are written \\ \t \n \r.
 */
#ifndef BC_RUN_MESSAGE_H
#define BC_RUN_MESSAGE_H

#include "harness/base/base.h"
#include "harness/core/facts.h"
#include "harness/core/observe.h"

#define BC_MESSAGE_FIELDS 64
#define BC_MESSAGE_BYTES (64u << 10) /* longest line */

/* A parsed line; the strings point into the buffer that was parsed. */
struct bc_fields {
	const char *kind;
	struct {
		const char *key, *value;
	} field[BC_MESSAGE_FIELDS];
	size_t n;
};

/* Start a message in @t (its content is replaced), add fields, end it with the newline. */
enum bc_status bc_message_begin(struct bc_text *t, const char *kind, struct bc_error *err);
enum bc_status bc_message_add(struct bc_text *t, struct bc_error *err, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
enum bc_status bc_message_end(struct bc_text *t, struct bc_error *err);

/**
 * bc_message_parse - take a line apart, in place
 * @line: without its newline; changed
 *
 * Return: BC_EDATA for a line that is no message (BC_MESSAGE_FIELDS exceeded, a field without `=`, a bad escape).
 */
enum bc_status bc_message_parse(char *line, struct bc_fields *out, struct bc_error *err);

/* Return: the value of @key, "" when it is not there. */
const char *bc_message_get(const struct bc_fields *f, const char *key);

/* An observation as fields of a message that was begun, and back. Parsing checks ranges: a line of another program or a
 * torn one gives BC_EDATA. Numbers in the C locale. */
enum bc_status bc_observation_add(struct bc_text *t, const struct bc_observation *o, struct bc_error *err);
enum bc_status bc_observation_parse(const struct bc_fields *f, struct bc_observation *o, struct bc_error *err);

/* The same for the facts of a device. */
enum bc_status bc_facts_add(struct bc_text *t, const struct bc_facts *f, struct bc_error *err);
enum bc_status bc_facts_parse(const struct bc_fields *m, struct bc_facts *f, struct bc_error *err);

#endif
