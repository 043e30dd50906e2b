/* SPDX-License-Identifier: MIT */
#include "harness/measure/witness.h"
#include "harness/base/stats.h"

#include <stdio.h>
#include <stdlib.h>

static struct bc_calibration *find_calibration(struct bc_measure *m, const struct bc_clock_key *key)
{
	for (size_t i = 0; i < m->nlines; i++) {
		const struct bc_clock_key *k = &m->lines[i].line.key;

		if (k->op == key->op && k->groups == key->groups && k->merged == key->merged)
			return &m->lines[i];
	}
	return NULL;
}

/* Time the known patterns of @line. */
static enum bc_status time_patterns(struct bc_measure *m, struct bc_clock_line *line, struct bc_error *err)
{
	struct bc_case_launch r[BC_CLOCK_POINTS] = { 0 }, *ref[BC_CLOCK_POINTS] = { 0 };
	struct bc_observation *none[BC_CLOCK_POINTS] = { 0 };
	unsigned made = 0;
	enum bc_status st = BC_OK;

	for (; !st && made < line->n; made++) {
		st = bc_case_launch_clock(&line->point[made].pattern, m->arch, "clock calibration", BC_CLOCK_SAMPLES,
					  &r[made], err);
		ref[made] = &r[made];
	}
	if (!st)
		st = bc_witness_run(m, ref, none, line->n, err);
	for (unsigned i = 0; !st && i < line->n; i++) {
		uint32_t cycles[BC_SAMPLES_MAX], least = UINT32_MAX, most = 0;

		bc_case_launch_samples(&r[i], cycles);
		for (unsigned s = 0; s < BC_CLOCK_SAMPLES; s++) {
			least = cycles[s] < least ? cycles[s] : least;
			most = cycles[s] > most ? cycles[s] : most;
		}
		line->point[i].cycles = bc_median(cycles, BC_CLOCK_SAMPLES);
		line->point[i].spread = most - least;
	}
	for (unsigned i = 0; i < made; i++)
		bc_case_launch_release(&r[i]);
	return st;
}

/* Calibrate a key and keep its line; one that does not rise is timed once more, for what disturbed it may be over.
 * @known: the one to replace; NULL: there is none. */
static enum bc_status calibrate(struct bc_measure *m, const struct bc_clock_key *key, struct bc_calibration *known,
				struct bc_error *err)
{
	struct bc_calibration c = { .batch = m->batch };
	enum bc_status st;

	if (!known && m->nlines == BC_CLOCK_LINES_MAX)
		return bc_fail(err, BC_EDEVICE, "more than %d clock calibrations", BC_CLOCK_LINES_MAX);
	st = bc_clock_patterns(key, m->arch, &c.line, err);
	if (!st)
		st = time_patterns(m, &c.line, err);
	if (!st && bc_clock_shape_of(&c.line, c.again, sizeof(c.again)) != BC_CLOCK_RISES)
		st = time_patterns(m, &c.line, err);
	if (!st)
		*(known ? known : &m->lines[m->nlines++]) = c;
	return st;
}

/* May it rise if it is timed now? One that strayed in an earlier batch may; a flat one is the device's. */
static bool worth_another_try(const struct bc_measure *m, const struct bc_calibration *c)
{
	char why[BC_REASON_MAX];

	return c->batch != m->batch && bc_clock_shape_of(&c->line, why, sizeof(why)) == BC_CLOCK_UNSURE;
}

/* Why a case has no clock; its key when it has one. "" when it has. */
static enum bc_status clock_key(struct bc_measure *m, const struct bc_witness_item *it, struct bc_observation *o,
				struct bc_clock_key *key, struct bc_error *err)
{
	const char *no_clock = bc_witness_no_clock(m, it->c);
	const struct bc_pattern *p = &it->pattern;
	struct bc_calibration *known;
	struct bc_wavefronts w;
	struct bc_error one = { 0 };
	uint32_t addr[BC_LANES];
	enum bc_status st = BC_OK;

	if (no_clock[0]) {
		(void)bc_strlcpy(o->clock_absent, no_clock, sizeof(o->clock_absent));
		return BC_OK;
	}
	if (it->program) {
		if (!o->clock_value_has && !o->clock_absent[0])
			(void)bc_strlcpy(o->clock_absent, "the kernel reads no clock", sizeof(o->clock_absent));
		return BC_OK;
	}
	if (!bc_case_has_clock(it->c)) {
		(void)snprintf(o->clock_absent, sizeof(o->clock_absent), "no clock protocol for %u requests of %s",
			       p->count, bc_op_info(p->op)->name);
		return BC_OK;
	}
	for (unsigned l = 0; l < BC_LANES; l++)
		addr[l] = m->arch->window_base + p->offset[l];
	if (bc_banks_count(&m->geometry, p->op, addr, p->mask, &w, &one)) {
		(void)bc_strlcpy(o->clock_absent, one.msg, sizeof(o->clock_absent));
		return BC_OK;
	}
	*key = (struct bc_clock_key){ .op = p->op, .groups = w.groups, .merged = w.merged };
	known = find_calibration(m, key);
	if (!known || worth_another_try(m, known)) {
		st = calibrate(m, key, known, &one);
		if (st == BC_ENOMEM) {
			st = bc_fail(err, BC_ENOMEM, "%s", one.msg);
		} else if (st && m->ops->alive(m->dev)) { /* no calibration, no clock; the case has other witnesses */
			(void)bc_strlcpy(o->clock_absent, one.msg, sizeof(o->clock_absent));
			st = BC_OK;
		} else if (st) {
			st = bc_fail(err, BC_EDEVICE, "%s", one.msg);
		}
	}
	return st;
}

static void read_clock(struct bc_measure *m, const struct bc_clock_key *key, const struct bc_case_launch *r,
		       struct bc_observation *o)
{
	const struct bc_calibration *c = find_calibration(m, key);
	const struct bc_clock_line *line = c ? &c->line : NULL;
	struct bc_error one;
	char why[BC_REASON_MAX] = "not calibrated";

	bc_case_launch_samples(r, o->samples);
	o->nsamples = BC_CLOCK_SAMPLES;
	if (c && c->again[0])
		bc_observation_read_again(o, c->again);
	if (line && bc_clock_shape_of(line, why, sizeof(why)) == BC_CLOCK_FLAT)
		(void)bc_strlcpy(o->clock_flat, why, sizeof(o->clock_flat));
	else if (!line || bc_clock_wavefronts(line, bc_median(o->samples, o->nsamples), &o->clock_wavefronts, &one))
		(void)bc_strlcpy(o->clock_absent, why, sizeof(o->clock_absent));
	else
		o->clock_has = true;
}

enum bc_status bc_witness_clock(struct bc_measure *m, const struct bc_witness_item *it, struct bc_observation *obs,
				size_t n, struct bc_error *err)
{
	struct bc_case_launch *r = calloc(n, sizeof(*r)), **ref = calloc(n, sizeof(struct bc_case_launch *));
	struct bc_observation **own = calloc(n, sizeof(struct bc_observation *));
	struct bc_clock_key *key = calloc(n, sizeof(*key));
	size_t k = 0;
	enum bc_status st = r && ref && own && key ? BC_OK : bc_fail(err, BC_ENOMEM, "measure: out of memory");

	for (size_t i = 0; !st && i < n; i++) {
		struct bc_error one;

		if (obs[i].outcome != BC_RAN)
			continue;
		st = clock_key(m, &it[i], &obs[i], &key[k], err);
		if (st || obs[i].clock_absent[0] || it[i].program)
			continue;
		if (bc_case_launch_clock(&it[i].pattern, m->arch, obs[i].id, BC_CLOCK_SAMPLES, &r[k], &one)) {
			bc_case_launch_release(&r[k]);
			bc_witness_tool_error(&obs[i], one.msg);
			continue;
		}
		ref[k] = &r[k];
		own[k++] = &obs[i];
	}
	if (!st && k)
		st = bc_witness_run(m, ref, own, k, err);
	for (size_t i = 0; !st && i < k; i++)
		if (own[i]->outcome == BC_RAN)
			read_clock(m, &key[i], &r[i], own[i]);
	for (size_t i = 0; i < k; i++)
		bc_case_launch_release(&r[i]);
	free(key);
	free(own);
	free(ref);
	free(r);
	return st;
}
