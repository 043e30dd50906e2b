/* SPDX-License-Identifier: MIT */
/* The budget as JUnit: a testsuite, a testcase a kernel and bound. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "harness/app/print.h"
#include "harness/report/xml.h"

#define CLASS_MAX 200u

/* "bankcheck.app." and the kernel's short name; what a dot or a blank would cut is an underscore. */
static void class_name(const char *kernel, char out[CLASS_MAX])
{
	(void)snprintf(out, CLASS_MAX, "bankcheck.app.%.180s", kernel);
	for (char *at = out + strlen("bankcheck.app."); *at; at++)
		if (*at == '.' || *at == ' ' || *at == '/')
			*at = '_';
}

static void put_check(struct bc_xml *x, const struct bc_app_summary *s, const struct bc_app_check *c)
{
	static const char *const elements[BC_NAPP_VERDICTS] = { [BC_APP_FAIL] = "failure",
								[BC_APP_ERROR] = "error",
								[BC_APP_XFAIL] = "skipped",
								[BC_APP_SKIP] = "skipped" };
	const struct bc_app_name *n = c->name == SIZE_MAX ? NULL : &s->name[c->name];
	const char *element = elements[c->verdict];
	char class[CLASS_MAX], name[80];
	size_t same = 0;

	/* Two kernels may be equal in short: the later ones are numbered. */
	for (size_t i = 0; n && i < c->name; i++)
		same += strcmp(s->name[i].brief, n->brief) == 0;
	class_name(n ? n->brief : c->line->glob, class);
	if (same)
		(void)snprintf(class + strlen(class), sizeof(class) - strlen(class), "_%zu", same + 1);
	(void)snprintf(name, sizeof(name), "%s%s", bc_figure_name(c->bound->figure), c->bound->least ? "_least" : "");
	bc_xml_start(x, "testcase");
	bc_xml_attr(x, "classname", class);
	bc_xml_attr(x, "name", name);
	bc_xml_attr(x, "time", "0.000");
	if (element) {
		bc_xml_start(x, element);
		if (strcmp(element, "skipped") != 0)
			bc_xml_attr(x, "type", bc_app_verdict_name(c->verdict));
		bc_xml_attr(x, "message", c->message);
		bc_xml_end(x);
	}
	bc_xml_start(x, "system-out");
	bc_put_line(&x->text, n ? n->full : c->line->glob);
	bc_put(&x->text, "\n");
	bc_put_line(&x->text, c->message);
	bc_xml_text(x);
	bc_xml_end(x);
	bc_xml_end(x);
}

static void put_sums(struct bc_xml *x, const struct bc_app_report *r, bool suites)
{
	const struct bc_app_summary *s = r->summary;

	bc_xml_attr_count(x, "tests", s->nchecks);
	bc_xml_attr_count(x, "failures", s->count[BC_APP_FAIL]);
	bc_xml_attr_count(x, "errors", s->count[BC_APP_ERROR]);
	if (!suites)
		bc_xml_attr_count(x, "skipped", s->count[BC_APP_SKIP] + s->count[BC_APP_XFAIL]);
	bc_xml_attr_seconds(x, "time", bc_milliseconds(r->end->seconds));
}

enum bc_status bc_app_print_junit(const struct bc_app_report *r, struct bc_text *out, struct bc_error *err)
{
	struct bc_xml x;
	char stamp[32];
	const time_t now = time(NULL);
	struct tm utc;

	bc_xml_open(&x, "app.xml", err);
	bc_xml_start(&x, "testsuites");
	bc_xml_attr(&x, "name", "bankcheck app");
	put_sums(&x, r, true);
	bc_xml_start(&x, "testsuite");
	bc_xml_attr(&x, "name", "bankcheck.app");
	put_sums(&x, r, false);
	if (gmtime_r(&now, &utc) && strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &utc))
		bc_xml_attr(&x, "timestamp", stamp);
	bc_xml_start(&x, "properties");
	bc_xml_property(&x, "command", r->command);
	bc_xml_property(&x, "bankcheck", BC_VERSION);
	for (size_t i = 0; i < r->summary->nrecords; i++)
		for (size_t d = 0; d < r->summary->record[i].ndevices; d++)
			bc_xml_property(&x, "gpu", r->summary->record[i].device[d].name);
	bc_xml_end(&x);
	for (size_t i = 0; i < r->summary->nchecks; i++)
		put_check(&x, r->summary, &r->summary->check[i]);
	bc_xml_end(&x);
	bc_xml_end(&x);
	return bc_xml_close(&x, out);
}
