/* SPDX-License-Identifier: MIT */
#include "harness/run/pattern_message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"

enum bc_status bc_pattern_message(const struct bc_pattern *p, struct bc_text *t, struct bc_error *err)
{
	enum bc_status st = bc_message_begin(t, "pattern", err);

	if (!st)
		st = bc_text_addf(t, err, "\top=%s\tmask=%u\tat=", bc_op_info(p->op)->name, p->mask);
	for (uint32_t lanes = p->mask; !st && lanes; lanes &= lanes - 1)
		st = bc_text_addf(t, err, "%u,", p->offset[__builtin_ctz(lanes)]);
	return st ? st : bc_message_end(t, err);
}

enum bc_status bc_pattern_parse(const struct bc_fields *m, struct bc_pattern *out, struct bc_error *err)
{
	struct bc_pattern p = { .op = bc_op_parse(bc_message_get(m, "op")), .count = 1 };
	const char *at = bc_message_get(m, "at");

	if (p.op == BC_OP_NONE || !bc_u32_parse(bc_message_get(m, "mask"), &p.mask) || !p.mask)
		return bc_fail(err, BC_EDATA, "pattern: no such operation, or no lanes");
	for (uint32_t lanes = p.mask; lanes; lanes &= lanes - 1) {
		char *end;
		const unsigned long v = strtoul(at, &end, 10);

		if (end == at || *end != ',' || v > UINT32_MAX)
			return bc_fail(err, BC_EDATA, "pattern: an offset is missing");
		p.offset[__builtin_ctz(lanes)] = (uint32_t)v;
		at = end + 1;
	}
	if (*at)
		return bc_fail(err, BC_EDATA, "pattern: more offsets than lanes");
	*out = p;
	return BC_OK;
}

enum bc_status bc_counted_message(const struct bc_pattern_count *n, struct bc_text *t, struct bc_error *err)
{
	enum bc_status st = bc_message_begin(t, "counted", err);

	if (!st && n->has)
		st = bc_text_addf(t, err, "\trequests=%" PRIu64 "\tconflicts=%" PRIu64, n->requests, n->conflicts);
	if (!st && n->has && n->wavefronts_counted)
		st = bc_text_addf(t, err, "\twavefronts=%" PRIu64, n->wavefronts);
	return st ? st : bc_message_end(t, err);
}

/* A number that a message holds. Return: false when it is there and none. */
static bool take(const struct bc_fields *m, const char *key, uint64_t *out, bool *there)
{
	const char *text = bc_message_get(m, key);
	char *end;

	*there = text[0] != '\0';
	*out = *there ? strtoull(text, &end, 10) : 0;
	return !*there || (text[0] >= '0' && text[0] <= '9' && *end == '\0');
}

enum bc_status bc_counted_parse(const struct bc_fields *m, struct bc_pattern_count *out, struct bc_error *err)
{
	struct bc_pattern_count n = { .has = false };
	bool conflicts;

	if (!take(m, "requests", &n.requests, &n.has) || !take(m, "conflicts", &n.conflicts, &conflicts) ||
	    !take(m, "wavefronts", &n.wavefronts, &n.wavefronts_counted) || conflicts != n.has ||
	    (n.has && !n.requests))
		return bc_fail(err, BC_EDATA, "counted: not the counts of a pattern");
	*out = n;
	return BC_OK;
}

enum bc_status bc_timed_message(const struct bc_pattern_time *n, struct bc_text *t, struct bc_error *err)
{
	char buf[BC_NUMBER_MAX];
	enum bc_status st = bc_message_begin(t, "timed", err);

	if (!st && n->has)
		st = bc_text_addf(t, err, "\tcycles=%s\tspread=%u", bc_number_text(n->cycles, buf), n->spread);
	return st ? st : bc_message_end(t, err);
}

enum bc_status bc_timed_parse(const struct bc_fields *m, struct bc_pattern_time *out, struct bc_error *err)
{
	struct bc_pattern_time n = { .has = bc_message_get(m, "cycles")[0] != '\0' };

	if (n.has && (!bc_number_parse(bc_message_get(m, "cycles"), &n.cycles) || n.cycles < 0 ||
		      !bc_u32_parse(bc_message_get(m, "spread"), &n.spread)))
		return bc_fail(err, BC_EDATA, "timed: not the time of a pattern");
	*out = n;
	return BC_OK;
}

/* The numbers of a window, by name. */
static const struct {
	const char *key;
	size_t offset;
} window_fields[] = {
	{ "base", offsetof(struct bc_window, base) },
	{ "optin", offsetof(struct bc_window, optin_bytes) },
	{ "static", offsetof(struct bc_window, static_bytes) },
	{ "sm", offsetof(struct bc_window, sm_bytes) },
	{ "reserved", offsetof(struct bc_window, reserved_bytes) },
	{ "blocks", offsetof(struct bc_window, blocks) },
};

enum bc_status bc_window_message(const struct bc_window *w, struct bc_text *t, struct bc_error *err)
{
	enum bc_status st = bc_message_begin(t, "window", err);

	for (size_t i = 0; !st && i < BC_ARRAY_LEN(window_fields); i++) {
		uint32_t v;

		memcpy(&v, (const char *)w + window_fields[i].offset, sizeof(v));
		st = bc_text_addf(t, err, "\t%s=%u", window_fields[i].key, v);
	}
	return st ? st : bc_message_end(t, err);
}

enum bc_status bc_window_parse(const struct bc_fields *m, struct bc_window *out, struct bc_error *err)
{
	struct bc_window w = { 0 };

	for (size_t i = 0; i < BC_ARRAY_LEN(window_fields); i++) {
		uint32_t v;

		if (!bc_u32_parse(bc_message_get(m, window_fields[i].key), &v))
			return bc_fail(err, BC_EDATA, "window: %s is no number", window_fields[i].key);
		memcpy((char *)&w + window_fields[i].offset, &v, sizeof(v));
	}
	*out = w;
	return BC_OK;
}
