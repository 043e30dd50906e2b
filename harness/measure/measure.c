/* SPDX-License-Identifier: MIT */
#include "harness/base/clock.h"
#include "harness/measure/measure_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/measure/code.h"
#include "harness/measure/launch.h"

enum bc_status bc_measure_open(const struct bc_device_ops *ops, struct bc_device *dev, const struct bc_arch *arch,
			       const struct bc_expect *expect, const struct bc_measure_options *o,
			       struct bc_measure **out, struct bc_error *err)
{
	struct bc_measure *m = calloc(1, sizeof(*m));
	enum bc_status st;

	if (!m)
		return bc_fail(err, BC_ENOMEM, "measure: out of memory");
	m->ops = ops;
	m->dev = dev;
	m->arch = arch;
	m->geometry = bc_arch_geometry(arch);
	m->expect = expect;
	m->o = *o;
	if (!m->o.pack)
		m->o.pack = ops->pack;
	st = bc_counter_session_open(ops, dev, arch, &m->counting, err);
	if (!st && o->kernels_dir)
		st = bc_code_open(o->kernels_dir, &m->code, err);
	if (st)
		goto out;
	*out = m;
	m = NULL;
out:
	bc_measure_close(m);
	return st;
}

void bc_measure_close(struct bc_measure *m)
{
	if (!m)
		return;
	bc_code_close(m->code);
	bc_counter_session_close(m->counting);
	free(m);
}

static void tool_error(struct bc_observation *o, const char *why)
{
	if (o->outcome != BC_RAN)
		return; /* the first reason stands */
	o->outcome = BC_TOOL_ERROR;
	(void)bc_strlcpy(o->reason, why, sizeof(o->reason));
}

/* Run the launches of some recipes; when that fails on a device that is still usable, each alone, so that one bad
 * launch does not take its neighbours along. @obs[i] belongs to recipe i, NULL: none. */
static enum bc_status run_recipes(struct bc_measure *m, struct bc_case_launch *const *r,
				  struct bc_observation *const *obs, size_t n, struct bc_error *err)
{
	struct bc_launch *l = calloc(n ? n : 1, sizeof(*l));
	enum bc_status st;

	if (!l)
		return bc_fail(err, BC_ENOMEM, "measure: out of memory");
	for (size_t i = 0; i < n; i++)
		l[i] = r[i]->launch;
	st = m->ops->run(m->dev, l, n, err);
	if (st && m->ops->alive(m->dev)) {
		struct bc_error one;

		st = BC_OK;
		for (size_t i = 0; !st && i < n; i++) {
			if (!m->ops->run(m->dev, &l[i], 1, &one))
				continue;
			if (!m->ops->alive(m->dev))
				st = bc_fail(err, BC_EDEVICE, "%s", one.msg);
			else if (obs[i])
				tool_error(obs[i], one.msg);
			else
				st = bc_fail(err, one.status, "%s", one.msg);
		}
	}
	free(l);
	return st;
}

static enum bc_status make_data(struct bc_measure *m, const struct bc_measure_item *it, unsigned seed,
				struct bc_case_launch *r, struct bc_error *err)
{
	return it->program ? bc_case_launch_program(it->c, m->arch, seed, r, err)
			   : bc_case_launch_data(&it->pattern, m->arch, it->c->id, seed, r, err);
}

/* The clock reads of a program. */
static void take_clock(struct bc_measure *m, const struct bc_measure_item *it, const struct bc_case_launch *r,
		       struct bc_observation *o)
{
	struct bc_clock_reading k = { 0 };

	if (!it->clocked)
		return;
	if (!it->c->rule->clock(it->c, m->arch, r->data, &k) || k.n > BC_SAMPLES_MAX) {
		(void)bc_strlcpy(o->clock_absent, "the kernel's clock reads make no sense", sizeof(o->clock_absent));
		return;
	}
	o->clock_value_has = true;
	o->clock_value = k.value;
	o->nsamples = k.n;
	memcpy(o->samples, k.samples, k.n * sizeof(k.samples[0]));
}

/* What the device says, for a program that asks. What it cannot say stays 0. */
static void tell(struct bc_measure *m, const struct bc_case_launch *r)
{
	const struct bc_facts *f = m->ops->facts(m->dev);
	struct bc_device_limits told = { .optin_bytes = f->optin_bytes,
					 .sm_bytes = f->sm_bytes,
					 .reserved_bytes = f->reserved_bytes,
					 .static_bytes = f->static_bytes };
	struct bc_error ignored;

	for (size_t i = 0; i < r->program.nbuffers; i++) {
		const struct bc_program_buffer *b = &r->program.buffers[i];

		if (b->use != BC_BUFFER_DEVICE_LIMITS || b->bytes != sizeof(told))
			continue;
		if (m->ops->occupancy && m->ops->occupancy(m->dev, &r->launch, &told.blocks_per_sm, &ignored))
			told.blocks_per_sm = 0;
		memcpy(r->data[i], &told, sizeof(told));
	}
}

static void check_data(struct bc_measure *m, const struct bc_measure_item *it, const struct bc_case_launch *r,
		       struct bc_observation *o)
{
	if (!o->data_checked)
		o->data_ok = true;
	o->data_checked = true;
	if (!o->data_ok)
		return;
	if (it->program)
		tell(m, r);
	o->data_ok = it->program
			     ? bc_case_launch_check_program(r, it->c, m->arch, o->data_detail, sizeof(o->data_detail))
			     : bc_case_launch_check(r, m->arch, o->data_detail, sizeof(o->data_detail));
	if (o->data_ok)
		take_clock(m, it, r, o);
}

/* A launch that must be refused: right when the device says so, and then runs the same one with less shared memory. */
static enum bc_status observe_refusal(struct bc_measure *m, const struct bc_measure_item *it, struct bc_observation *o,
				      struct bc_error *err)
{
	struct bc_case_launch r = { 0 };
	struct bc_error one = { .msg = "" };
	uint64_t hash = 0;
	enum bc_status st = bc_case_launch_program(it->c, m->arch, 0, &r, &one), ran = BC_OK;

	if (!st)
		st = m->ops->image(m->dev, r.launch.image, &hash,
				   &one); /* without it, it is not the launch that is refused */
	if (!st)
		ran = m->ops->run(m->dev, &r.launch, 1, &one);
	if (!st && ran == BC_ENOMEM) /* ours: the device refused nothing */
		st = ran;
	if (st)
		tool_error(o, one.msg);
	if (!st) {
		o->data_checked = true;
		o->data_ok = ran != BC_OK && m->ops->alive(m->dev);
		(void)snprintf(o->data_detail, sizeof(o->data_detail), "%s%.300s",
			       ran ? "" : "the launch was not refused", one.msg);
	}
	if (!st && o->data_ok) {
		r.launch.shared_bytes = r.program.accepted_bytes;
		ran = m->ops->run(m->dev, &r.launch, 1, &one);
		o->data_ok = ran == BC_OK;
		if (ran == BC_ENOMEM)
			tool_error(o, one.msg);
		else if (!o->data_ok)
			(void)snprintf(o->data_detail, sizeof(o->data_detail), "refused, but with %u bytes too: %.300s",
				       r.program.accepted_bytes, one.msg);
	}
	bc_case_launch_release(&r);
	if (!m->ops->alive(m->dev))
		return bc_fail(err, BC_EDEVICE, "%s", one.msg);
	return BC_OK;
}

/* The data witness: both seeds of every case in one run. */
static enum bc_status observe_data(struct bc_measure *m, const struct bc_measure_item *it, struct bc_observation *obs,
				   size_t n, struct bc_error *err)
{
	struct bc_case_launch *r = calloc(2 * n, sizeof(*r)), **ref = calloc(2 * n, sizeof(struct bc_case_launch *));
	struct bc_observation **own = calloc(2 * n, sizeof(struct bc_observation *));
	size_t *which = calloc(2 * n, sizeof(*which)), k = 0;
	enum bc_status st = r && ref && own && which ? BC_OK : bc_fail(err, BC_ENOMEM, "measure: out of memory");

	for (size_t i = 0; !st && i < n; i++)
		if (it[i].refused)
			st = observe_refusal(m, &it[i], &obs[i], err);
	for (size_t i = 0; !st && i < 2 * n; i++) {
		struct bc_observation *o = &obs[i / 2];
		struct bc_error one;

		if (o->outcome != BC_RAN || it[i / 2].refused)
			continue;
		if (make_data(m, &it[i / 2], i % 2, &r[k], &one)) {
			bc_case_launch_release(&r[k]);
			tool_error(o, one.msg);
			continue;
		}
		ref[k] = &r[k];
		which[k] = i / 2;
		own[k++] = o;
	}
	if (!st && k)
		st = run_recipes(m, ref, own, k, err);
	for (size_t i = 0; !st && i < k; i++)
		if (own[i]->outcome == BC_RAN)
			check_data(m, &it[which[i]], &r[i], own[i]);
	for (size_t i = 0; i < k; i++)
		bc_case_launch_release(&r[i]);
	free(which);
	free(own);
	free(ref);
	free(r);
	return st;
}

static struct bc_clock_line *find_line(struct bc_measure *m, const struct bc_clock_key *key)
{
	for (size_t i = 0; i < m->nlines; i++)
		if (m->lines[i].key.op == key->op && m->lines[i].key.groups == key->groups &&
		    m->lines[i].key.merged == key->merged)
			return &m->lines[i];
	return NULL;
}

/* Time the known patterns of a key and keep the line. */
static enum bc_status calibrate(struct bc_measure *m, const struct bc_clock_key *key, struct bc_error *err)
{
	struct bc_case_launch r[BC_CLOCK_POINTS] = { 0 }, *ref[BC_CLOCK_POINTS] = { 0 };
	struct bc_observation *none[BC_CLOCK_POINTS] = { 0 };
	struct bc_clock_line line;
	unsigned made = 0;
	enum bc_status st;

	if (m->nlines == BC_CLOCK_LINES_MAX)
		return bc_fail(err, BC_EDEVICE, "more than %d clock calibrations", BC_CLOCK_LINES_MAX);
	st = bc_clock_patterns(key, &line, err);
	if (st)
		return st;
	for (; !st && made < line.n; made++) {
		st = bc_case_launch_clock(&line.point[made].pattern, m->arch, "clock calibration", BC_CLOCK_SAMPLES,
					  &r[made], err);
		ref[made] = &r[made];
	}
	if (!st)
		st = run_recipes(m, ref, none, line.n, err);
	for (unsigned i = 0; !st && i < line.n; i++) {
		uint32_t cycles[BC_SAMPLES_MAX];

		bc_case_launch_samples(&r[i], cycles);
		line.point[i].cycles = bc_median(cycles, BC_CLOCK_SAMPLES);
	}
	if (!st)
		m->lines[m->nlines++] = line;
	for (unsigned i = 0; i < made; i++)
		bc_case_launch_release(&r[i]);
	return st;
}

/* Why a case has no clock; its key when it has one. "" when it has. */
static enum bc_status clock_key(struct bc_measure *m, const struct bc_measure_item *it, struct bc_observation *o,
				struct bc_clock_key *key, struct bc_error *err)
{
	const struct bc_facts *f = m->ops->facts(m->dev);
	const struct bc_pattern *p = &it->pattern;
	struct bc_wavefronts w;
	struct bc_error one = { 0 };
	uint32_t addr[BC_LANES];
	enum bc_status st = BC_OK;

	if (!m->o.clock || f->clock_absent[0]) {
		(void)bc_strlcpy(o->clock_absent, m->o.clock ? f->clock_absent : "not asked for (--witness counters)",
				 sizeof(o->clock_absent));
		return BC_OK;
	}
	if (it->program) {
		if (!o->clock_value_has && !o->clock_absent[0])
			(void)bc_strlcpy(o->clock_absent, "the kernel reads no clock", sizeof(o->clock_absent));
		return BC_OK;
	}
	if (!bc_op_info(p->op)->timed || (p->count != 1 && p->count != BC_TIMED_ACCESSES)) {
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
	if (!find_line(m, key)) {
		st = calibrate(m, key, &one);
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
	const struct bc_clock_line *line = find_line(m, key);
	struct bc_error one;

	bc_case_launch_samples(r, o->samples);
	o->nsamples = BC_CLOCK_SAMPLES;
	if (!line || bc_clock_wavefronts(line, bc_median(o->samples, o->nsamples), &o->clock_wavefronts, &one))
		(void)bc_strlcpy(o->clock_absent, line ? one.msg : "not calibrated", sizeof(o->clock_absent));
	else
		o->clock_has = true;
}

/* The clock witness, outside the profiler. */
static enum bc_status observe_clock(struct bc_measure *m, const struct bc_measure_item *it, struct bc_observation *obs,
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
			tool_error(&obs[i], one.msg);
			continue;
		}
		ref[k] = &r[k];
		own[k++] = &obs[i];
	}
	if (!st && k)
		st = run_recipes(m, ref, own, k, err);
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

static void observe_model(const struct bc_measure *m, const struct bc_case *c, struct bc_observation *o)
{
	struct bc_model model;
	struct bc_error one;

	if (bc_case_model_all(c, m->arch, &model, &one)) {
		(void)bc_strlcpy(o->model_absent, one.msg, sizeof(o->model_absent));
		return;
	}
	o->model_has = true;
	o->model_wavefronts = model.wavefronts;
	o->model_conflicts = model.conflicts;
	o->model_requests = model.requests;
}

/* The reference device has no machine code: it runs the PTX. */
static enum bc_status observe_code(struct bc_measure *m, const struct bc_measure_item *it, struct bc_observation *o,
				   struct bc_error *err)
{
	if (o->outcome != BC_RAN || m->ops->facts(m->dev)->kind == BC_DEVICE_REFERENCE)
		return BC_OK;
	return bc_code_observe(m->code, it->c, m->arch, o, err);
}

static enum bc_status make_item(const struct bc_measure *m, const struct bc_case *c, struct bc_measure_item *it,
				struct bc_error *err)
{
	struct bc_program p = { 0 };

	it->c = c;
	it->program = c->rule->program != NULL;
	if (!it->program) {
		it->cls = bc_op_info(c->pattern.op)->cls;
		return bc_pattern_at(c, m->arch, &it->pattern, err);
	}
	if (!c->rule->program(c, m->arch, &p))
		return bc_fail(err, BC_EDEVICE, "%s: the suite cannot say what to launch on %s", c->id, m->arch->name);
	it->cls = p.cls;
	it->refused = p.refused;
	it->shared_bytes = p.refused ? p.accepted_bytes : p.shared_bytes;
	it->clocked = c->rule->clock && m->o.clock && !m->ops->facts(m->dev)->clock_absent[0];
	return BC_OK;
}

/* A program that asks for more than the device grants, though arch.txt promises it. */
static bool lacks_memory(const struct bc_measure *m, const struct bc_measure_item *it, struct bc_observation *o)
{
	const struct bc_facts *f = m->ops->facts(m->dev);

	if (!bc_device_lacks(m->arch, f, it->shared_bytes, o->reason, sizeof(o->reason)))
		return false;
	o->outcome = BC_UNSUPPORTED;
	return true;
}

enum bc_status bc_measure_batch(struct bc_measure *m, const struct bc_case *const *cases, size_t n,
				struct bc_observation *obs, struct bc_error *err)
{
	struct bc_measure_item *it;
	const double start = bc_now();
	enum bc_status st = BC_OK;

	if (n > BC_BATCH_MAX)
		return bc_fail(err, BC_EUSAGE, "a batch of %zu cases, at most %d", n, BC_BATCH_MAX);
	if (!n)
		return BC_OK;
	it = calloc(n, sizeof(*it));
	if (!it)
		return bc_fail(err, BC_ENOMEM, "measure: out of memory");
	for (size_t i = 0; i < n; i++) {
		struct bc_error one;

		memset(&obs[i], 0, sizeof(obs[i]));
		(void)bc_strlcpy(obs[i].id, cases[i]->id, sizeof(obs[i].id));
		observe_model(m, cases[i], &obs[i]);
		if (bc_device_lacks(m->arch, m->ops->facts(m->dev), bc_case_extent(cases[i], m->arch), obs[i].reason,
				    sizeof(obs[i].reason)))
			obs[i].outcome = BC_UNSUPPORTED; /* known since it was opened */
		else if (make_item(m, cases[i], &it[i], &one))
			tool_error(&obs[i], one.msg);
		else
			(void)lacks_memory(m, &it[i], &obs[i]); /* the outcome says so */
	}
	st = observe_data(m, it, obs, n, err);
	if (!st)
		st = bc_witness_counters(m, it, obs, n, err);
	if (!st)
		st = observe_clock(m, it, obs, n, err);
	for (size_t i = 0; !st && i < n; i++)
		st = observe_code(m, &it[i], &obs[i], err);
	for (size_t i = 0; !st && i < n; i++)
		obs[i].seconds = (bc_now() - start) / (double)n;
	free(it);
	return st;
}
