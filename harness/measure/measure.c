/* SPDX-License-Identifier: MIT */
#include "harness/measure/counter_set.h"
#include "harness/measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/measure/sms.h"
#include "harness/measure/witness.h"

const char *const *const bc_measure_images = bc_case_launch_images;

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
	m->counters = o->counters;
	m->clock = o->clock;
	m->sm = o->sm;
	m->nsm = o->nsm;
	m->pack = o->pack ? o->pack : ops->pack;
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

enum bc_status bc_measure_check_health(struct bc_measure *m, struct bc_error *err)
{
	struct bc_pattern p = { .op = BC_OP_LD32, .mask = UINT32_MAX, .count = 1 };
	struct bc_case_launch r = { 0 };
	char detail[BC_REASON_MAX] = "";
	enum bc_status st;

	for (uint32_t l = 0; l < BC_LANES; l++)
		p.offset[l] = 4 * l;
	st = bc_case_launch_data(&p, m->arch, "health check", 0, &r, err);
	if (!st)
		st = m->ops->run(m->dev, &r.launch, 1, err);
	if (!st && !bc_case_launch_check(&r, m->arch, detail, sizeof(detail)))
		st = bc_fail(err, BC_EDEVICE, "health check: %s", detail);
	bc_case_launch_release(&r);
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
static enum bc_status observe_code(struct bc_measure *m, const struct bc_witness_item *it, struct bc_observation *o,
				   struct bc_error *err)
{
	if (o->outcome != BC_RAN || m->ops->facts(m->dev)->kind == BC_DEVICE_REFERENCE)
		return BC_OK;
	return bc_code_observe(m->code, it->c, m->arch, o, err);
}

static enum bc_status make_item(const struct bc_measure *m, const struct bc_case *c, struct bc_witness_item *it,
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
	it->counted_as = p.counted_as;
	it->refused = p.refused;
	it->shared_bytes = p.refused ? p.accepted_bytes : p.shared_bytes;
	it->clocked = c->rule->clock && !bc_witness_no_clock(m, c)[0];
	return BC_OK;
}

/* A program that asks for more than the device grants, though arch.txt promises it. */
static bool lacks_memory(const struct bc_measure *m, const struct bc_witness_item *it, struct bc_observation *o)
{
	const struct bc_facts *f = m->ops->facts(m->dev);

	if (!bc_device_lacks(m->arch, f, it->shared_bytes, o->reason, sizeof(o->reason)))
		return false;
	o->outcome = BC_UNSUPPORTED;
	return true;
}

/* A kernel that the toolkit of the images could not compile is not in them: that is no fault of the device. Where it is
 * not known what made them, the kernel is asked for. */
static bool lacks_kernel(const struct bc_measure *m, const struct bc_case *c, struct bc_observation *o)
{
	static const char head[] = "CUDA ";
	const struct bc_facts *f = m->ops->facts(m->dev);
	unsigned long major, minor;
	char *end;

	if (!c->release || f->kind == BC_DEVICE_REFERENCE || strncmp(f->toolkit, head, sizeof(head) - 1) != 0)
		return false;
	major = strtoul(f->toolkit + sizeof(head) - 1, &end, 10);
	minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	if (!major || 10 * major + minor >= c->release)
		return false;
	o->outcome = BC_NO_KERNEL;
	(void)snprintf(o->reason, sizeof(o->reason), "kernels of CUDA %u.%u or newer (these are of CUDA %lu.%lu)",
		       c->release / 10u, c->release % 10u, major, minor);
	return true;
}

/* Cases that are measured together: none runs on every SM beside others of its rule. */
static enum bc_status measure_together(struct bc_measure *m, const struct bc_case *const *cases, size_t n,
				       struct bc_observation *obs, struct bc_error *err)
{
	struct bc_witness_item *it;
	const double start = bc_now();
	enum bc_status st = BC_OK;

	m->batch++;
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
		else if (lacks_kernel(m, cases[i], &obs[i]))
			continue;
		else if (make_item(m, cases[i], &it[i], &one))
			bc_witness_tool_error(&obs[i], one.msg);
		else
			(void)lacks_memory(m, &it[i], &obs[i]); /* the outcome says so */
	}
	st = bc_witness_data(m, it, obs, n, err);
	if (!st)
		st = bc_witness_counters(m, it, obs, n, err);
	if (!st)
		st = bc_witness_clock(m, it, obs, n, err);
	for (size_t i = 0; !st && i < n; i++)
		st = observe_code(m, &it[i], &obs[i], err);
	for (size_t i = 0; !st && i < n; i++)
		obs[i].seconds = (bc_now() - start) / (double)n;
	free(it);
	return st;
}

/* All patterns of a rule on every SM. */
static enum bc_status measure_sms(struct bc_measure *m, const struct bc_case *c, struct bc_observation *o,
				  struct bc_error *err)
{
	const double start = bc_now();
	enum bc_status st;

	memset(o, 0, sizeof(*o));
	(void)bc_strlcpy(o->id, c->id, sizeof(o->id));
	(void)bc_strlcpy(o->model_absent, "SMs are compared with one another", sizeof(o->model_absent));
	st = bc_sms_observe(m, c, o, err);
	o->seconds = bc_now() - start;
	return st;
}

/* Cases of the SMs and others, in any order: turn by turn, the others of a turn all at once. */
static enum bc_status measure_mixed(struct bc_measure *m, const struct bc_case *const *cases, size_t n,
				    struct bc_observation *obs, struct bc_error *err)
{
	const struct bc_case **others = calloc(n, sizeof(*others));
	struct bc_observation *of_others = calloc(n, sizeof(*of_others));
	unsigned turns[BC_BATCH_MAX];
	enum bc_status st = BC_OK;

	if (!others || !of_others)
		st = bc_fail(err, BC_ENOMEM, "measure: out of memory");
	for (size_t i = 0; i < n; i++)
		turns[i] = bc_counter_turn(bc_case_class(cases[i], m->arch));
	for (unsigned turn = 0; !st && turn < BC_COUNTER_TURNS; turn++) {
		size_t k = 0, from = 0;

		for (size_t i = 0; i < n; i++)
			if (!cases[i]->of_rule && turns[i] == turn)
				others[k++] = cases[i];
		if (k)
			st = measure_together(m, others, k, of_others, err);
		for (size_t i = 0; !st && i < n; i++) {
			if (turns[i] != turn)
				continue;
			if (cases[i]->of_rule)
				st = measure_sms(m, cases[i], &obs[i], err);
			else
				obs[i] = of_others[from++];
		}
	}
	free(others);
	free(of_others);
	return st;
}

enum bc_status bc_measure_batch(struct bc_measure *m, const struct bc_case *const *cases, size_t n,
				struct bc_observation *obs, struct bc_error *err)
{
	bool mixed = false;

	if (n > BC_BATCH_MAX)
		return bc_fail(err, BC_EUSAGE, "a batch of %zu cases, at most %d", n, BC_BATCH_MAX);
	for (size_t i = 0; i < n; i++)
		mixed = mixed || cases[i]->of_rule;
	return mixed ? measure_mixed(m, cases, n, obs, err) : measure_together(m, cases, n, obs, err);
}
