/* SPDX-License-Identifier: MIT */
/* The page as JSON: docs/json.md has the schema. */
#include "harness/report/json.h"

#include "harness/qualify/qualify.h"

#define SCHEMA "bankcheck-qualify-1"

static bool append(json_t **list, json_t *one)
{
	if (*list && !json_array_append_new(*list, one))
		return true;
	json_decref(*list);
	*list = NULL;
	return false;
}

static json_t *step(enum bc_qualify_kind k, const struct bc_qualify_step *s)
{
	return json_pack("{ss, sb, so, so, so, so}", "step", bc_qualify_step_name(k), "done", (int)s->done,
			 "exit_status", s->done ? json_integer(s->status) : json_null(), "seconds",
			 s->done ? bc_json_number(s->seconds) : json_null(), "result", bc_json_known(s->result),
			 "why_not", bc_json_known(s->done || !s->why_not ? "" : s->why_not));
}

static json_t *remarks(const struct bc_qualify_device *d, bool reasons)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->nremarks; i++)
		if (d->remark[i].reason == reasons && !append(&list, bc_json_text(d->remark[i].text)))
			break;
	return list;
}

static json_t *verdicts(const struct bc_qualify_device *d)
{
	json_t *j = json_object();

	for (unsigned v = 0; j && v < BC_NVERDICTS; v++)
		(void)json_object_set_new(j, bc_verdict_name((enum bc_verdict)v),
					  json_integer((json_int_t)d->verdict[v]));
	return j;
}

static json_t *device(const struct bc_qualify *q, const struct bc_qualify_device *d)
{
	json_t *steps = json_array();

	(void)append(&steps, step(BC_QUALIFY_SELFTEST, &q->selftest));
	for (enum bc_qualify_kind k = BC_QUALIFY_MAP; steps && k < BC_QUALIFY_STEPS; k++)
		(void)append(&steps, step(k, &d->step[k]));
	return json_pack("{ss, ss, so, so, so, so, so, so, so, so, so, so, so, so, so}", "device", d->option, "verdict",
			 bc_qualified_name(bc_qualify_verdict(d)), "reasons", remarks(d, true), "remarks",
			 remarks(d, false), "steps", steps, "name", bc_json_known(d->gpu), "arch",
			 bc_json_known(d->arch), "uuid", bc_json_known(d->uuid), "driver", bc_json_known(d->driver),
			 "cuda", bc_json_known(d->cuda), "expectations", bc_json_known(d->standing), "law",
			 bc_json_known(d->law), "differences", bc_json_known(d->differences), "clock",
			 bc_json_known(d->clock), "verdicts", verdicts(d));
}

enum bc_status bc_qualify_json(const struct bc_qualify *q, const struct bc_qualify_device *d, struct bc_text *out,
			       struct bc_error *err)
{
	json_t *devices = json_array();

	for (size_t i = 0; devices && i < q->n; i++)
		if (!d || d == &q->device[i])
			(void)append(&devices, device(q, &q->device[i]));
	if (!devices)
		return bc_fail(err, BC_ENOMEM, "qualify: out of memory");
	return bc_json_write(json_pack("{ss, ss, ss, si, so}", "schema", SCHEMA, "bankcheck", q->bankcheck, "verdict",
				       bc_qualified_name(d ? bc_qualify_verdict(d) : bc_qualify_worst(q)),
				       "exit_status", bc_qualify_status(q, false), "devices", devices),
			     false, out, err);
}
