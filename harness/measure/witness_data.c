/* SPDX-License-Identifier: MIT */
#include "harness/measure/witness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t sms_of(const struct bc_measure *m)
{
	const struct bc_facts *f = m->ops->facts(m->dev);

	return f->sms ? f->sms : 1;
}

static enum bc_status make_data(struct bc_measure *m, const struct bc_witness_item *it, unsigned seed,
				struct bc_case_launch *r, struct bc_error *err)
{
	return it->program ? bc_case_launch_program(it->c, m->arch, sms_of(m), seed, r, err)
			   : bc_case_launch_data(&it->pattern, m->arch, it->c->id, seed, r, err);
}

/* The clock reads that a program made itself. */
static void read_own_clock(struct bc_measure *m, const struct bc_witness_item *it, const struct bc_case_launch *r,
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
	(void)bc_strlcpy(o->clock_detail, k.detail, sizeof(o->clock_detail));
	memcpy(o->samples, k.samples, k.n * sizeof(k.samples[0]));
}

/* What the device says of itself, for a program that asks. What it cannot say stays 0. */
static void fill_device_limits(struct bc_measure *m, const struct bc_case_launch *r)
{
	const struct bc_facts *f = m->ops->facts(m->dev);
	struct bc_device_limits limits = { .optin_bytes = f->optin_bytes,
					   .sm_bytes = f->sm_bytes,
					   .reserved_bytes = f->reserved_bytes,
					   .static_bytes = f->static_bytes };
	struct bc_error ignored;

	for (size_t i = 0; i < r->program.nbuffers; i++) {
		const struct bc_program_buffer *b = &r->program.buffers[i];

		if (b->use != BC_BUFFER_DEVICE_LIMITS || b->bytes != sizeof(limits))
			continue;
		if (m->ops->occupancy && m->ops->occupancy(m->dev, &r->launch, &limits.blocks_per_sm, &ignored))
			limits.blocks_per_sm = 0;
		memcpy(r->data[i], &limits, sizeof(limits));
	}
}

/* Were the blocks of a program on every SM each on one of its own? */
static bool spread(const struct bc_witness_item *it, const struct bc_case_launch *r, struct bc_observation *o)
{
	char why[BC_REASON_MAX];

	for (size_t i = 0; it->program && r->sms && i < r->program.nbuffers; i++) {
		if (r->program.buffers[i].use != BC_BUFFER_SMS ||
		    bc_case_launch_sms(r->data[i], r->sms, why, sizeof(why)))
			continue;
		bc_witness_tool_error(o, why);
		return false;
	}
	return true;
}

static uint64_t bytes_compared(const struct bc_witness_item *it, const struct bc_case_launch *r)
{
	uint64_t bytes = r->program.compared * (r->sms ? r->sms : 1);

	if (!it->program)
		return r->out_bytes + r->dump_bytes;
	for (size_t i = 0; i < r->program.nbuffers; i++)
		if (r->program.buffers[i].use != BC_BUFFER_SMS && !r->program.compared)
			bytes += r->program.buffers[i].bytes;
	return bytes;
}

static void check_data(struct bc_measure *m, const struct bc_witness_item *it, const struct bc_case_launch *r,
		       struct bc_observation *o)
{
	if (!o->data_checked)
		o->data_ok = true;
	o->data_checked = true;
	o->data_bytes += bytes_compared(it, r);
	if (!o->data_ok || !spread(it, r, o))
		return;
	if (it->program)
		fill_device_limits(m, r);
	o->data_ok = it->program
			     ? bc_case_launch_check_program(r, it->c, m->arch, o->data_detail, sizeof(o->data_detail))
			     : bc_case_launch_check(r, m->arch, o->data_detail, sizeof(o->data_detail));
	if (o->data_ok)
		read_own_clock(m, it, r, o);
}

/* A launch that must be refused: right when the device says so, and then runs the same one with less shared memory, or
 * with a tensor map that may be made. */
static enum bc_status observe_refusal(struct bc_measure *m, const struct bc_witness_item *it, struct bc_observation *o,
				      struct bc_error *err)
{
	struct bc_case_launch r = { 0 };
	struct bc_error one = { .msg = "" };
	uint64_t hash = 0;
	enum bc_status st = bc_case_launch_program(it->c, m->arch, 1, 0, &r, &one), ran = BC_OK;

	if (!st)
		st = m->ops->image(m->dev, r.launch.image, &hash,
				   &one); /* without it, it is not the launch that is refused */
	if (!st)
		ran = m->ops->run(m->dev, &r.launch, 1, &one);
	if (!st && ran == BC_ENOMEM) /* ours: the device refused nothing */
		st = ran;
	if (st)
		bc_witness_tool_error(o, one.msg);
	if (!st) {
		o->data_checked = true;
		o->data_ok = ran != BC_OK && m->ops->alive(m->dev);
		(void)snprintf(o->data_detail, sizeof(o->data_detail), "%s%.300s",
			       ran ? "" : "the launch was not refused", one.msg);
	}
	if (!st && o->data_ok) {
		r.launch.shared_bytes = r.program.accepted_bytes;
		if (r.program.accepted_map.rank)
			r.launch.maps[0] = r.program.accepted_map;
		ran = m->ops->run(m->dev, &r.launch, 1, &one);
		o->data_ok = ran == BC_OK;
		if (ran == BC_ENOMEM)
			bc_witness_tool_error(o, one.msg);
		else if (!o->data_ok)
			(void)snprintf(o->data_detail, sizeof(o->data_detail),
				       "refused, but with %u bytes%s too: %.300s", r.program.accepted_bytes,
				       r.program.accepted_map.rank ? " and another tensor map" : "", one.msg);
	}
	bc_case_launch_release(&r);
	if (!m->ops->alive(m->dev))
		return bc_fail(err, BC_EDEVICE, "%s", one.msg);
	return BC_OK;
}

enum bc_status bc_witness_data(struct bc_measure *m, const struct bc_witness_item *it, struct bc_observation *obs,
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
			bc_witness_tool_error(o, one.msg);
			continue;
		}
		ref[k] = &r[k];
		which[k] = i / 2;
		own[k++] = o;
	}
	if (!st && k)
		st = bc_witness_run(m, ref, own, k, err);
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
