/* SPDX-License-Identifier: MIT */
#include "harness/run/worker_patterns.h"

#include <stdlib.h>
#include <string.h>

static enum bc_status take_pattern(struct bc_worker_patterns *w, const struct bc_fields *m, struct bc_error *err)
{
	if (!w->p)
		w->p = calloc(BC_PATTERNS_AT_ONCE, sizeof(*w->p));
	if (!w->p)
		return bc_fail(err, BC_ENOMEM, "patterns: out of memory");
	if (w->n == BC_PATTERNS_AT_ONCE)
		return bc_fail(err, BC_EDATA, "more than %d patterns at once", BC_PATTERNS_AT_ONCE);

	const enum bc_status st = bc_pattern_parse(m, &w->p[w->n], err);

	w->n += st == BC_OK;
	return st;
}

/* The end of an answer: why some were not measured. */
static enum bc_status end_answer(const char *absent, struct bc_text *line, struct bc_text *answer, struct bc_error *err)
{
	enum bc_status st = bc_message_begin(line, "measured", err);

	if (!st && absent[0])
		st = bc_message_add(line, err, "absent", "%s", absent);
	if (!st)
		st = bc_message_end(line, err);
	return st ? st : bc_text_add(answer, line->data, line->len, err);
}

static enum bc_status count(struct bc_worker_patterns *w, struct bc_text *answer, struct bc_error *err)
{
	struct bc_pattern_count *out = calloc(w->n ? w->n : 1, sizeof(*out));
	struct bc_text line = { 0 };
	char absent[400] = "";
	enum bc_status st = out ? BC_OK : bc_fail(err, BC_ENOMEM, "patterns: out of memory");

	if (!st)
		st = bc_patterns_count(w->t, w->p, w->n, out, absent, sizeof(absent), err);
	for (size_t i = 0; !st && i < w->n; i++) {
		st = bc_counted_message(&out[i], &line, err);
		if (!st)
			st = bc_text_add(answer, line.data, line.len, err);
	}
	if (!st)
		st = end_answer(absent, &line, answer, err);
	bc_text_release(&line);
	free(out);
	return st;
}

static enum bc_status time_them(struct bc_worker_patterns *w, struct bc_text *answer, struct bc_error *err)
{
	struct bc_pattern_time *out = calloc(w->n ? w->n : 1, sizeof(*out));
	struct bc_text line = { 0 };
	char absent[400] = "";
	enum bc_status st = out ? BC_OK : bc_fail(err, BC_ENOMEM, "patterns: out of memory");

	if (!st)
		st = bc_patterns_time(w->t, w->p, w->n, out, absent, sizeof(absent), err);
	for (size_t i = 0; !st && i < w->n; i++) {
		st = bc_timed_message(&out[i], &line, err);
		if (!st)
			st = bc_text_add(answer, line.data, line.len, err);
	}
	if (!st)
		st = end_answer(absent, &line, answer, err);
	bc_text_release(&line);
	free(out);
	return st;
}

enum bc_status bc_worker_patterns_handle(struct bc_worker_patterns *w, const struct bc_fields *m, bool *is_one,
					 struct bc_text *answer, struct bc_error *err)
{
	const bool counts = strcmp(m->kind, "count") == 0, times = strcmp(m->kind, "time") == 0;
	const bool window = strcmp(m->kind, "window") == 0;
	struct bc_window seen;
	enum bc_status st = BC_OK;

	*is_one = counts || times || window || strcmp(m->kind, "pattern") == 0;
	answer->len = 0;
	if (!*is_one)
		return BC_OK;
	if (!w->dev)
		return bc_fail(err, BC_EDEVICE, "a pattern before open");
	if (!w->t)
		st = bc_patterns_open(w->ops, w->dev, w->arch, &w->t, err);
	if (st)
		return st;
	if (window)
		st = bc_patterns_window(w->t, &seen, err);
	if (!st && window)
		return bc_window_message(&seen, answer, err);
	if (st || window)
		return st;
	if (!counts && !times)
		return take_pattern(w, m, err);
	st = counts ? count(w, answer, err) : time_them(w, answer, err);
	w->n = 0;
	return st;
}

void bc_worker_patterns_release(struct bc_worker_patterns *w)
{
	bc_patterns_close(w->t);
	free(w->p);
}
