/* SPDX-License-Identifier: MIT */
/* The page as JUnit: a suite a device, in it a testcase a step and one for the verdict. */
#include <stdio.h>

#include "harness/qualify/qualify.h"
#include "harness/report/xml.h"

static void begin_case(struct bc_xml *x, const struct bc_qualify_device *d, const char *name, double seconds)
{
	char class[120];

	(void)snprintf(class, sizeof(class), "bankcheck.qualify.%s", d->name);
	bc_xml_start(x, "testcase");
	bc_xml_attr(x, "classname", class);
	bc_xml_attr(x, "name", name);
	bc_xml_attr_seconds(x, "time", (uint64_t)(seconds * 1000));
}

static void put_step(struct bc_xml *x, const struct bc_qualify_device *d, enum bc_qualify_kind k,
		     const struct bc_qualify_step *s)
{
	begin_case(x, d, bc_qualify_step_name(k), s->seconds);
	if (!s->done) {
		bc_xml_start(x, "skipped");
		bc_xml_attr(x, "message", s->why_not ? s->why_not : "it did not come so far");
		bc_xml_end(x);
	}
	bc_xml_end(x);
}

static void put_verdict(struct bc_xml *x, const struct bc_qualify_device *d)
{
	begin_case(x, d, "qualified", 0);
	for (size_t i = 0; i < d->nremarks; i++) {
		if (!d->remark[i].reason)
			continue;
		bc_xml_start(x, "failure");
		bc_xml_attr(x, "type", bc_qualified_name(BC_NOT_QUALIFIED));
		bc_xml_attr(x, "message", d->remark[i].text);
		bc_xml_end(x);
		break; /* one is allowed: the first; the page has all */
	}
	bc_xml_end(x);
}

static void put_device(struct bc_xml *x, const struct bc_qualify *q, const struct bc_qualify_device *d)
{
	size_t skipped = 0;
	double seconds = q->selftest.seconds;

	for (enum bc_qualify_kind k = BC_QUALIFY_MAP; k < BC_QUALIFY_STEPS; k++) {
		skipped += !d->step[k].done;
		seconds += d->step[k].seconds;
	}
	bc_xml_start(x, "testsuite");
	bc_xml_attr(x, "name", d->option);
	bc_xml_attr_count(x, "tests", BC_QUALIFY_STEPS + 1);
	bc_xml_attr_count(x, "failures", bc_qualify_verdict(d) == BC_NOT_QUALIFIED);
	bc_xml_attr_count(x, "errors", 0);
	bc_xml_attr_count(x, "skipped", skipped + !q->selftest.done);
	bc_xml_attr_seconds(x, "time", (uint64_t)(seconds * 1000));
	bc_xml_start(x, "properties");
	bc_xml_property(x, "verdict", bc_qualified_name(bc_qualify_verdict(d)));
	bc_xml_property(x, "gpu", d->gpu[0] ? d->gpu : "none");
	bc_xml_property(x, "driver", d->driver[0] ? d->driver : "none");
	bc_xml_end(x);
	put_verdict(x, d);
	put_step(x, d, BC_QUALIFY_SELFTEST, &q->selftest);
	for (enum bc_qualify_kind k = BC_QUALIFY_MAP; k < BC_QUALIFY_STEPS; k++)
		put_step(x, d, k, &d->step[k]);
	bc_xml_end(x);
}

enum bc_status bc_qualify_junit(const struct bc_qualify *q, const struct bc_qualify_device *d, struct bc_text *out,
				struct bc_error *err)
{
	struct bc_xml x = { .buffer = NULL };

	bc_xml_open(&x, "qualify.xml", err);
	bc_xml_start(&x, "testsuites");
	for (size_t i = 0; i < q->n; i++)
		if (!d || d == &q->device[i])
			put_device(&x, q, &q->device[i]);
	bc_xml_end(&x);
	return bc_xml_close(&x, out);
}
