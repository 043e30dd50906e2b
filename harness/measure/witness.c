/* SPDX-License-Identifier: MIT */
#include "harness/measure/witness.h"

#include <stdlib.h>

const char *bc_witness_no_clock(const struct bc_measure *m, const struct bc_case *c)
{
	const struct bc_facts *f = m->ops->facts(m->dev);

	if (!m->clock)
		return "not asked for (--witness counters)";
	if (!f->clock_absent[0] && f->kind == BC_DEVICE_REFERENCE && (c->needs & BC_NEED_HARDWARE_CLOCK))
		return "only hardware has this time: no published law gives it";
	return f->clock_absent;
}

void bc_witness_tool_error(struct bc_observation *o, const char *why)
{
	if (o->outcome != BC_RAN)
		return; /* the first reason stands */
	o->outcome = BC_TOOL_ERROR;
	(void)bc_strlcpy(o->reason, why, sizeof(o->reason));
}

enum bc_status bc_witness_run(struct bc_measure *m, struct bc_case_launch *const *r, struct bc_observation *const *obs,
			      size_t n, struct bc_error *err)
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
				bc_witness_tool_error(obs[i], one.msg);
			else
				st = bc_fail(err, one.status, "%s", one.msg);
		}
	}
	free(l);
	return st;
}
