/* SPDX-License-Identifier: MIT */
/* The page as text. */
#include "harness/base/out.h"
#include "harness/qualify/qualify.h"

static void put_fact(struct bc_out *o, const char *before, const char *fact)
{
	if (!fact[0])
		return;
	bc_put(o, before);
	bc_put_line(o, fact);
}

static void put_remarks(struct bc_out *o, const struct bc_qualify_device *d, bool reasons)
{
	bool any = false;

	for (size_t i = 0; i < d->nremarks; i++) {
		if (d->remark[i].reason != reasons)
			continue;
		if (!any)
			bc_put(o, reasons ? "\nReasons\n" : "\nRemarks\n");
		any = true;
		bc_put(o, "  - ");
		bc_put_line(o, d->remark[i].text);
		bc_put(o, "\n");
	}
}

static void put_step(struct bc_out *o, enum bc_qualify_kind k, const struct bc_qualify_step *s)
{
	bc_putf(o, "  %-10s %8.1f s  ", bc_qualify_step_name(k), s->seconds);
	bc_put_line(o, s->result[0] ? s->result : "no result");
	if (s->status)
		bc_putf(o, " (status %d)", s->status);
	bc_put(o, "\n");
}

static void put_device(struct bc_out *o, const struct bc_qualify *q, const struct bc_qualify_device *d)
{
	bool missing = false;

	bc_putf(o, "%s: %s\n", d->option, bc_qualified_name(bc_qualify_verdict(d)));
	put_fact(o, "", d->gpu);
	put_fact(o, ", ", d->arch);
	put_fact(o, ", driver ", d->driver);
	put_fact(o, ", CUDA ", d->cuda);
	put_fact(o, ", SMs ", d->sms);
	put_fact(o, ", ", d->uuid);
	put_fact(o, "\nimages: ", d->toolkit);
	put_fact(o, "\nexpectations: ", d->standing);
	bc_put(o, "\n");
	put_remarks(o, d, true);
	put_remarks(o, d, false);
	bc_put(o, "\nTested\n");
	put_step(o, BC_QUALIFY_SELFTEST, &q->selftest);
	for (enum bc_qualify_kind k = BC_QUALIFY_MAP; k < BC_QUALIFY_STEPS; k++)
		if (d->step[k].done)
			put_step(o, k, &d->step[k]);
	for (enum bc_qualify_kind k = BC_QUALIFY_MAP; k < BC_QUALIFY_STEPS; k++) {
		if (d->step[k].done)
			continue;
		bc_put(o, missing ? "" : "\nNot tested\n");
		missing = true;
		bc_putf(o, "  %-10s %s\n", bc_qualify_step_name(k),
			d->step[k].why_not ? d->step[k].why_not : "it did not come so far");
	}
	bc_put(o, "\nBank law\n  found:  ");
	bc_put_line(o, d->law[0] ? d->law : "none");
	bc_putf(o, "\n  %s\n",
		d->differences[0] ? "differs from what is expected:" : "no difference from what is expected");
	for (const char *at = d->differences; *at;) {
		struct bc_text line = { 0 };
		const char *end = at;

		while (*end && *end != '\n')
			end++;
		if (!bc_text_add(&line, at, (size_t)(end - at), o->err)) {
			bc_put(o, "    ");
			bc_put_line(o, line.data);
			bc_put(o, "\n");
		}
		bc_text_release(&line);
		at = *end ? end + 1 : end;
	}
	bc_put(o, "\nClock\n  ");
	bc_put(o, d->clock[0] ? d->clock : "not compared: no --baseline was given, and no GPU of its kind before it");
	bc_put(o, "\n");
}

enum bc_status bc_qualify_text(const struct bc_qualify *q, const struct bc_qualify_device *d, struct bc_text *out,
			       struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };

	bc_putf(&o, "bankcheck %s qualify: %s\n\n", q->bankcheck,
		bc_qualified_name(d ? bc_qualify_verdict(d) : bc_qualify_worst(q)));
	for (size_t i = 0; i < q->n; i++) {
		if (d && d != &q->device[i])
			continue;
		if (!d && i)
			bc_put(&o, "\n");
		put_device(&o, q, &q->device[i]);
	}
	return o.st;
}
