/* SPDX-License-Identifier: MIT */
#include "harness/report/tap.h"

#include "harness/base/out.h"
#include "harness/report/render.h"

static void put_result(struct bc_out *o, const struct bc_device_run *d, const struct bc_result *r, size_t number)
{
	const struct bc_judgement *j = &r->judged;
	const bool finding = bc_verdict_is_finding(j->verdict);

	bc_putf(o, "%sok %zu - ", finding || j->verdict == BC_XFAIL ? "not " : "", number);
	bc_put_line(o, d->dev);
	bc_put(o, " ");
	bc_put_line(o, r->c->id);
	if (j->verdict == BC_SKIP) {
		bc_put(o, " # SKIP ");
		bc_put_line(o, j->message);
	} else if (j->verdict == BC_XFAIL) {
		bc_put(o, " # TODO ");
		bc_put_line(o, j->message);
	} else if (finding) {
		bc_putf(o, "\n# %s%s", bc_verdict_name(j->verdict), j->message[0] ? ": " : "");
		bc_put_line(o, j->message);
	}
	bc_put(o, "\n");
}

enum bc_status bc_tap_format(const struct bc_run *run, struct bc_text *out, struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };
	size_t total = 0, number = 0;

	for (size_t i = 0; i < run->ndevices; i++)
		total += run->devices[i].nresults;
	bc_putf(&o, "1..%zu%s\n", total, total ? "" : " # SKIP no case was selected");
	for (size_t i = 0; i < run->ndevices; i++)
		for (size_t k = 0; k < run->devices[i].nresults; k++)
			put_result(&o, &run->devices[i], &run->devices[i].results[k], ++number);
	return o.st;
}
