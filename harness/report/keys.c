/* SPDX-License-Identifier: MIT */
#include "harness/report/keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"
#include "harness/base/escape.h"
#include "harness/report/render.h"

/* A row of the table. put appends the raw value; nothing appended: the key is left out. */
struct key {
	const char *name;
	enum bc_status (*put)(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err);
	unsigned arg;
	const char *what;
};

static enum bc_status add(struct bc_text *v, const char *s, struct bc_error *err)
{
	return bc_text_add(v, s, strlen(s), err);
}

static enum bc_status put_format(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	(void)s;
	(void)arg;
	return add(v, BC_KEYS_FORMAT, err);
}

enum plain {
	PLAIN_CASE,
	PLAIN_VERDICT,
	PLAIN_OUTCOME,
	PLAIN_REASON,
	PLAIN_COUNTERS_ABSENT,
	PLAIN_CLOCK_ABSENT,
	PLAIN_READ_AGAIN,
	PLAIN_MODEL_ABSENT,
	PLAIN_CODE_ABSENT,
	PLAIN_DATA_DETAIL,
	PLAIN_TWIN,
	PLAIN_RULE,
	PLAIN_SOURCE
};

/* A string of the result as it is. */
static enum bc_status put_plain(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	const struct bc_result *r = s->r;
	const char *text = NULL;

	switch ((enum plain)arg) {
	case PLAIN_CASE: text = r->c->id; break;
	case PLAIN_VERDICT: text = bc_verdict_name(r->judged.verdict); break;
	case PLAIN_OUTCOME: text = r->judged.outcome; break;
	case PLAIN_REASON: text = r->obs.reason; break;
	case PLAIN_COUNTERS_ABSENT: text = r->obs.counters_absent; break;
	case PLAIN_CLOCK_ABSENT: text = r->obs.clock_absent; break;
	case PLAIN_READ_AGAIN: text = r->obs.read_again; break;
	case PLAIN_MODEL_ABSENT: text = r->obs.model_absent; break;
	case PLAIN_CODE_ABSENT: text = r->obs.code_absent; break;
	case PLAIN_DATA_DETAIL: text = r->obs.data_detail; break;
	case PLAIN_TWIN: text = r->c->twin; break;
	case PLAIN_RULE: text = r->c->rule ? r->c->rule->sentence : NULL; break;
	case PLAIN_SOURCE: text = r->c->rule ? r->c->rule->source : NULL; break;
	}
	return text ? add(v, text, err) : BC_OK;
}

static enum bc_status put_bounds(const struct bc_key_source *s, unsigned q, struct bc_text *v, struct bc_error *err)
{
	const struct bc_row *row = s->r->bounds.row[q];
	char lo[BC_NUMBER_MAX], hi[BC_NUMBER_MAX];

	if (!row)
		return BC_OK;
	if (row->unknown)
		return add(v, "unknown", err);
	return bc_text_addf(v, err, "%s..%s", bc_number_text(row->lo, lo), bc_number_text(row->hi, hi));
}

static enum bc_status put_origin(const struct bc_key_source *s, unsigned q, struct bc_text *v, struct bc_error *err)
{
	const struct bc_row *row = s->r->bounds.row[q];

	return row ? add(v, bc_origin_name(row->origin), err) : BC_OK;
}

static enum bc_status put_basis(const struct bc_key_source *s, unsigned q, struct bc_text *v, struct bc_error *err)
{
	const struct bc_row *row = s->r->bounds.row[q];

	return row ? add(v, row->basis, err) : BC_OK;
}

static enum bc_status put_data(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	(void)arg;
	if (!s->r->obs.data_checked)
		return add(v, "unchecked", err);
	return add(v, s->r->obs.data_ok ? "right" : "wrong", err);
}

static enum bc_status put_stated(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	(void)arg;
	return s->r->obs.attempts ? bc_text_addf(v, err, "%" PRIu64, s->r->obs.requests_stated) : BC_OK;
}

static enum bc_status put_counted_with(const struct bc_key_source *s, unsigned arg, struct bc_text *v,
				       struct bc_error *err)
{
	(void)arg;
	return s->r->obs.counted_with ? bc_text_addf(v, err, "%" PRIu64, s->r->obs.counted_with) : BC_OK;
}

static enum bc_status put_counters(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	const struct bc_observation *o = &s->r->obs;
	enum bc_status st = BC_OK;

	(void)arg;
	for (unsigned i = 0; i < o->attempts && i < BC_ATTEMPTS_MAX && !st; i++) {
		const struct bc_count *c = &o->count[i];

		if (i > 0)
			st = add(v, ";", err);
		if (!st && o->requests_counted)
			st = bc_text_addf(v, err, "requests:%" PRIu64 " ", c->requests);
		if (!st && !o->wavefronts_uncounted)
			st = bc_text_addf(v, err, "wavefronts:%" PRIu64 " ", c->wavefronts);
		if (!st && !o->conflicts_uncounted)
			st = bc_text_addf(v, err, "conflicts:%" PRIu64 " ", c->conflicts);
		if (!st && o->sectors_counted)
			st = bc_text_addf(v, err, "sectors:%" PRIu64 " ", c->sectors);
		if (!st && v->len && v->data[v->len - 1] == ' ')
			v->data[--v->len] = '\0';
	}
	return st;
}

static enum bc_status put_counted_by(const struct bc_key_source *s, unsigned arg, struct bc_text *v,
				     struct bc_error *err)
{
	(void)arg;
	if (s->r->obs.attempts == 0)
		return BC_OK;
	return add(v, s->dev->facts.counters_are_model ? "model" : "hardware", err);
}

static enum bc_status put_void(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	(void)arg;
	return s->r->obs.counters_void ? add(v, "yes", err) : BC_OK;
}

static enum bc_status put_clock(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	char n[BC_NUMBER_MAX];

	(void)arg;
	if (s->r->obs.clock_value_has)
		return add(v, bc_number_text(s->r->obs.clock_value, n), err);
	if (!s->r->obs.clock_has)
		return BC_OK;
	return add(v, bc_number_text(s->r->obs.clock_wavefronts, n), err);
}

static enum bc_status put_samples(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	const struct bc_observation *o = &s->r->obs;
	enum bc_status st = BC_OK;

	(void)arg;
	for (unsigned i = 0; i < o->nsamples && i < BC_SAMPLES_MAX && !st; i++)
		st = bc_text_addf(v, err, "%s%" PRIu32, i ? "," : "", o->samples[i]);
	return st;
}

static enum bc_status put_model(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	const struct bc_observation *o = &s->r->obs;

	(void)arg;
	if (!o->model_has)
		return BC_OK;
	return bc_text_addf(v, err, "requests:%" PRIu64 " wavefronts:%" PRIu64 " conflicts:%" PRIu64, o->model_requests,
			    o->model_wavefronts, o->model_conflicts);
}

static enum bc_status put_pattern(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	static const char *const origins[] = {
		[BC_FROM_START] = "start",
		[BC_FROM_ABSOLUTE] = "absolute",
		[BC_FROM_OPTIN_END] = "optin_end",
	};
	const struct bc_pattern *p = &s->r->c->pattern;
	enum bc_status st;

	(void)arg;
	if (p->op == BC_OP_NONE)
		return BC_OK;
	st = bc_text_addf(v, err, "op:%s mask:%08" PRIx32 " origin:%s count:%" PRIu32 " step:%" PRIu32 " offsets:",
			  bc_op_info(p->op)->name, p->mask,
			  (unsigned)p->origin < BC_ARRAY_LEN(origins) ? origins[p->origin] : "unknown", p->count,
			  p->step);
	for (unsigned lane = 0; lane < BC_LANES && !st; lane++)
		st = bc_text_addf(v, err, "%s%" PRIu32, lane ? "," : "", p->offset[lane]);
	return st;
}

static enum bc_status put_standing(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	char buf[BC_CONFIRMATION_MAX];

	(void)arg;
	bc_confirmation_text(&s->dev->arch, buf);
	return add(v, buf, err);
}

static enum bc_status put_tries(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	(void)arg;
	for (size_t i = 0; s->r->ntries > 1 && i < s->r->ntries && !st; i++)
		st = bc_text_addf(v, err, "%s%s", i ? "," : "", bc_verdict_name(s->r->tries[i].verdict));
	return st;
}

static enum bc_status put_flaky(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	(void)arg;
	return s->r->flaky ? add(v, "yes", err) : BC_OK;
}

static enum bc_status put_rerun(const struct bc_key_source *s, unsigned arg, struct bc_text *v, struct bc_error *err)
{
	(void)arg;
	return bc_rerun_line(s->run, s->dev, s->r->c->id, v, err);
}

/* The only list of the keys. A quantity is the interval it must lie in; that of data would say nothing. */
static const struct key keys[] = {
	{ "format", put_format, 0, "version of this list, always the first line" },
	{ "case", put_plain, PLAIN_CASE, "suite/rule/variant" },
	{ "verdict", put_plain, PLAIN_VERDICT, "PASS, FAIL, ..." },
	{ "outcome", put_plain, PLAIN_OUTCOME, "what came out, as known.txt writes it" },
	{ "reason", put_plain, PLAIN_REASON, "why the case was lost, broken or cannot run" },
	{ "wavefronts", put_bounds, BC_Q_WAVEFRONTS, "lo..hi per request" },
	{ "wavefronts_origin", put_origin, BC_Q_WAVEFRONTS, "rule, documented, published, measured" },
	{ "wavefronts_basis", put_basis, BC_Q_WAVEFRONTS, "why, in words" },
	{ "conflicts", put_bounds, BC_Q_CONFLICTS, "lo..hi per request" },
	{ "conflicts_origin", put_origin, BC_Q_CONFLICTS, "as above" },
	{ "conflicts_basis", put_basis, BC_Q_CONFLICTS, "as above" },
	{ "sectors", put_bounds, BC_Q_SECTORS, "lo..hi per request to global memory" },
	{ "sectors_origin", put_origin, BC_Q_SECTORS, "as above" },
	{ "sectors_basis", put_basis, BC_Q_SECTORS, "as above" },
	{ "clock_ratio", put_bounds, BC_Q_CLOCK_RATIO, "lo..hi" },
	{ "clock_ratio_origin", put_origin, BC_Q_CLOCK_RATIO, "as above" },
	{ "clock_ratio_basis", put_basis, BC_Q_CLOCK_RATIO, "as above" },
	{ "clock_slope", put_bounds, BC_Q_CLOCK_SLOPE, "lo..hi, cycles per further wavefront" },
	{ "clock_slope_origin", put_origin, BC_Q_CLOCK_SLOPE, "as above" },
	{ "clock_slope_basis", put_basis, BC_Q_CLOCK_SLOPE, "as above" },
	{ "requests", put_bounds, BC_Q_REQUESTS, "lo..hi of one run of the case" },
	{ "requests_origin", put_origin, BC_Q_REQUESTS, "as above" },
	{ "requests_basis", put_basis, BC_Q_REQUESTS, "as above" },
	{ "data_origin", put_origin, BC_Q_DATA, "there when the case is judged by data alone" },
	{ "data_basis", put_basis, BC_Q_DATA, "as above" },
	{ "data", put_data, 0, "right, wrong, unchecked" },
	{ "data_detail", put_plain, PLAIN_DATA_DETAIL, "the first wrong element" },
	{ "requests_stated", put_stated, 0, "requests that the kernel says it executes" },
	{ "counted_with", put_counted_with, 0, "cases that shared its profiler range; left out: none" },
	{ "counters", put_counters, 0, "totals of each attempt" },
	{ "counters_by", put_counted_by, 0, "hardware, or model on the reference device" },
	{ "counters_void", put_void, 0, "yes: the canary did not read what it must" },
	{ "counters_absent", put_plain, PLAIN_COUNTERS_ABSENT, "why there is no count" },
	{ "clock", put_clock, 0, "wavefronts per request by the clock; or the ratio or slope" },
	{ "clock_samples", put_samples, 0, "cycles of each timed section" },
	{ "clock_absent", put_plain, PLAIN_CLOCK_ABSENT, "why there is no clock" },
	{ "read_again", put_plain, PLAIN_READ_AGAIN, "what was read anew before it counted, and why" },
	{ "model", put_model, 0, "totals by the bank laws" },
	{ "model_absent", put_plain, PLAIN_MODEL_ABSENT, "why there is no model" },
	{ "code_absent", put_plain, PLAIN_CODE_ABSENT, "why the code was not looked at" },
	{ "tries", put_tries, 0, "verdict of each attempt, when there were several" },
	{ "flaky", put_flaky, 0, "yes: it passed, but not in its first attempt" },
	{ "twin", put_plain, PLAIN_TWIN, "the clean case to compare with" },
	{ "pattern", put_pattern, 0, "the requests: byte offsets by lane" },
	{ "rule", put_plain, PLAIN_RULE, "the rule, one sentence" },
	{ "source", put_plain, PLAIN_SOURCE, "where the rule is taught or documented" },
	{ "standing", put_standing, 0, "confirmed, unconfirmed, provisional" },
	{ "rerun", put_rerun, 0, "command line that runs the case again" },
};

enum bc_status bc_keys_write(const struct bc_key_source *s, struct bc_text *out, struct bc_error *err)
{
	struct bc_text v = { 0 };
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < BC_ARRAY_LEN(keys) && !st; i++) {
		bc_text_clear(&v);
		st = keys[i].put(s, keys[i].arg, &v, err);
		if (st || v.len == 0)
			continue;
		st = bc_text_addf(out, err, "%s=", keys[i].name);
		if (!st)
			st = bc_escape(out, BC_ESCAPE_VALUE, v.data, v.len, err);
		if (!st)
			st = bc_text_add(out, "\n", 1, err);
	}
	bc_text_release(&v);
	return st;
}

enum bc_status bc_keys_free_text(const char *text, struct bc_text *out, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	if (!text[0])
		return BC_OK;
	st = bc_text_add(out, "\n", 1, err);
	return st ? st : bc_escape_capped(out, BC_ESCAPE_TEXT, text, strlen(text), BC_FREE_TEXT_MAX, err);
}

const char *bc_keys_name(size_t i, const char **what)
{
	if (i >= BC_ARRAY_LEN(keys))
		return NULL;
	if (what)
		*what = keys[i].what;
	return keys[i].name;
}

enum bc_status bc_keys_manual(struct bc_text *out, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < BC_ARRAY_LEN(keys) && !st; i++)
		st = bc_text_addf(out, err, "%-20s %s\n", keys[i].name, keys[i].what);
	return st;
}

/* Read one line into @kv, which owns its strings afterwards. */
static enum bc_status read_line(const char *line, size_t len, size_t number, struct bc_key_value *kv,
				struct bc_error *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	const size_t key_len = strspn(line, letters);
	struct bc_error why = { 0 };
	struct bc_text value = { 0 };
	enum bc_status st;

	if (key_len == 0 || line[key_len] != '=') {
		(void)bc_fail(err, BC_EDATA, "system-out line %zu: not of the form key=value", number);
		return BC_EDATA;
	}
	kv->key = strndup(line, key_len);
	if (!kv->key) {
		(void)bc_fail(err, BC_ENOMEM, "system-out: out of memory");
		return BC_ENOMEM;
	}
	st = bc_unescape(&value, line + key_len + 1, len - key_len - 1, &why);
	if (!st)
		st = bc_text_add(&value, "", 1, &why); /* a NUL, and memory even for an empty value */
	if (st) {
		bc_text_release(&value);
		(void)bc_fail(err, st, "system-out line %zu, key %s: %s", number, kv->key, why.msg);
		return st;
	}
	kv->value = value.data;
	kv->value_len = value.len - 1;
	return BC_OK;
}

/* Check the newest pair against those before it. */
static enum bc_status check_pair(const struct bc_key_values *k, struct bc_error *err)
{
	const struct bc_key_value *last = &k->kv[k->n - 1];

	if (k->n == 1 && (strcmp(last->key, "format") != 0 || strcmp(last->value, BC_KEYS_FORMAT) != 0))
		return bc_fail(err, BC_EDATA, "system-out line 1: %s=%s, only format=" BC_KEYS_FORMAT " can be read",
			       last->key, last->value);
	for (size_t i = 0; i + 1 < k->n; i++)
		if (strcmp(k->kv[i].key, last->key) == 0)
			return bc_fail(err, BC_EDATA, "system-out line %zu: key %s is there twice (line %zu)", k->n,
				       last->key, i + 1);
	return BC_OK;
}

enum bc_status bc_junit_keys(const char *text, struct bc_key_values *out, struct bc_error *err)
{
	struct bc_key_values k = { 0 };
	enum bc_status st = BC_OK;
	size_t most = 1;

	for (const char *p = text; *p; p++)
		most += *p == '\n';
	k.kv = calloc(most, sizeof(*k.kv));
	if (!k.kv) {
		st = bc_fail(err, BC_ENOMEM, "system-out: out of memory");
		goto out;
	}
	while (*text && *text != '\n') {
		const size_t len = strcspn(text, "\n");

		k.n++;
		st = read_line(text, len, k.n, &k.kv[k.n - 1], err);
		if (!st)
			st = check_pair(&k, err);
		if (st)
			goto out;
		text += len + (text[len] == '\n');
	}
	if (k.n == 0) {
		st = bc_fail(err, BC_EDATA, "system-out line 1: empty, only format=" BC_KEYS_FORMAT " can be read");
		goto out;
	}
	k.free_text = strdup(*text == '\n' ? text + 1 : text);
	if (!k.free_text) {
		st = bc_fail(err, BC_ENOMEM, "system-out: out of memory");
		goto out;
	}
	*out = k;
	k = (struct bc_key_values){ 0 };
out:
	bc_key_values_release(&k);
	return st;
}

const char *bc_key_get(const struct bc_key_values *k, const char *key)
{
	for (size_t i = 0; i < k->n; i++)
		if (strcmp(k->kv[i].key, key) == 0)
			return k->kv[i].value;
	return NULL;
}

void bc_key_values_release(struct bc_key_values *k)
{
	for (size_t i = 0; i < k->n; i++) {
		free(k->kv[i].key);
		free(k->kv[i].value);
	}
	free(k->kv);
	free(k->free_text);
	*k = (struct bc_key_values){ 0 };
}
