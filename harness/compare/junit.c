/* SPDX-License-Identifier: MIT */
/* The comparison as JUnit: a testcase a case of either run, so that a CI shows a regression as a failed test. */
#include <stdio.h>
#include <string.h>

#include "harness/compare/print.h"
#include "harness/compare/describe.h"
#include "harness/report/xml.h"

struct doc {
	struct bc_xml x;
	bool strict;
};

struct sums {
	size_t tests, failures, errors, skipped;
};

/* What a case's testcase holds: "failure" for what is worse, "skipped" for what could not be told, NULL: it passed. */
static const char *element(const struct doc *d, const struct bc_compared *c)
{
	const bool undecided = c->speed && c->speed->speed == BC_SPEED_UNDECIDED;

	return c->worse || (undecided && d->strict) ? "failure" : undecided ? "skipped" : NULL;
}

static void add_up(const struct doc *d, const struct bc_pair_diff *p, struct sums *s)
{
	for (size_t i = 0; i < p->ncases; i++) {
		const char *e = element(d, &p->cases[i]);

		s->tests++;
		s->failures += e && strcmp(e, "failure") == 0;
		s->skipped += e && strcmp(e, "skipped") == 0;
	}
	s->tests += p->obstacle != BC_COMPARABLE;
	s->errors += p->obstacle != BC_COMPARABLE;
}

static const struct bc_read_device *either(const struct bc_pair_diff *p)
{
	return p->now ? p->now : p->old;
}

/* "bankcheck.diff.<dev>"; devices of several hosts may have one name, then the later ones are numbered. */
static void device_class(const struct bc_diff *diff, size_t at, char *buf, size_t size)
{
	const char *dev = either(&diff->pairs[at])->dev;
	size_t before = 0;

	for (size_t i = 0; i < at; i++)
		before += strcmp(either(&diff->pairs[i])->dev, dev) == 0;
	if (before)
		(void)snprintf(buf, size, "bankcheck.diff.%s_%zu", dev, before + 1);
	else
		(void)snprintf(buf, size, "bankcheck.diff.%s", dev);
}

static void put_case(struct doc *d, const char *device, const struct bc_compared *c)
{
	const char *slash = strchr(c->id, '/'), *e = element(d, c);
	struct bc_text change = { 0 };
	struct bc_out o = bc_out_part(&d->x.text, &change);
	char class[400];

	(void)snprintf(class, sizeof(class), "%s.%.*s", device, (int)strcspn(c->id, "/"), c->id);
	bc_describe_change(&o, c);
	bc_out_join(&d->x.text, &o);
	bc_xml_start(&d->x, "testcase");
	bc_xml_attr(&d->x, "classname", class);
	bc_xml_attr(&d->x, "name", slash ? slash + 1 : c->id);
	bc_xml_attr(&d->x, "time", "0.000");
	if (e) {
		bc_xml_start(&d->x, e);
		bc_xml_attr(&d->x, "type", bc_describe_type(c));
		bc_xml_attr(&d->x, "message", bc_out_text(&o));
		bc_xml_end(&d->x);
	} else if (change.len) {
		bc_xml_start(&d->x, "system-out");
		bc_put_line(&d->x.text, change.data);
		bc_xml_text(&d->x);
		bc_xml_end(&d->x);
	}
	bc_xml_end(&d->x);
	bc_text_release(&change);
}

/* Differences between the runs are properties "differs.<name>": old -> new. */
static void put_properties(struct doc *d, const struct bc_pair_diff *p)
{
	bc_xml_start(&d->x, "properties");
	bc_xml_property(&d->x, "old", p->old ? p->old_path : "none");
	bc_xml_property(&d->x, "new", p->now ? p->now_path : "none");
	bc_xml_property(&d->x, "bankcheck", BC_VERSION);
	if (p->nverdict_only) {
		struct bc_text words = { 0 };
		struct bc_out o = bc_out_part(&d->x.text, &words);

		bc_describe_verdict_only(&o, p);
		bc_out_join(&d->x.text, &o);
		bc_xml_property(&d->x, "verdict_only", bc_out_text(&o));
		bc_text_release(&words);
	}
	for (size_t i = 0; i < p->ndifferences; i++) {
		const struct bc_difference *x = &p->difference[i];
		struct bc_text value = { 0 };
		struct bc_out o = bc_out_part(&d->x.text, &value);
		char name[64];

		(void)snprintf(name, sizeof(name), "differs.%s", x->name);
		bc_putf(&o, "%s -> %s", x->old, x->now);
		bc_out_join(&d->x.text, &o);
		bc_xml_property(&d->x, name, bc_out_text(&o));
		bc_text_release(&value);
	}
	bc_xml_end(&d->x);
}

static void put_obstacle(struct doc *d, const struct bc_pair_diff *p, const char *class)
{
	bc_xml_start(&d->x, "testcase");
	bc_xml_attr(&d->x, "classname", class);
	bc_xml_attr(&d->x, "name", "comparable");
	bc_xml_attr(&d->x, "time", "0.000");
	bc_xml_start(&d->x, "error");
	bc_xml_attr(&d->x, "type", "INCOMPARABLE");
	bc_xml_attr(&d->x, "message", bc_describe_comparability(p->obstacle));
	bc_xml_end(&d->x);
	bc_xml_end(&d->x);
}

static void put_pair(struct doc *d, const struct bc_diff *diff, size_t at)
{
	const struct bc_pair_diff *p = &diff->pairs[at];
	struct sums s = { 0 };
	char class[300];

	device_class(diff, at, class, sizeof(class));
	add_up(d, p, &s);
	bc_xml_start(&d->x, "testsuite");
	bc_xml_attr(&d->x, "name", class);
	bc_xml_attr_count(&d->x, "tests", s.tests);
	bc_xml_attr_count(&d->x, "failures", s.failures);
	bc_xml_attr_count(&d->x, "errors", s.errors);
	bc_xml_attr_count(&d->x, "skipped", s.skipped);
	bc_xml_attr(&d->x, "time", "0.000");
	bc_xml_attr(&d->x, "timestamp", either(p)->timestamp);
	bc_xml_attr(&d->x, "hostname", either(p)->host);
	put_properties(d, p);
	if (p->obstacle)
		put_obstacle(d, p, class);
	for (size_t i = 0; i < p->ncases; i++)
		put_case(d, class, &p->cases[i]);
	bc_xml_end(&d->x);
}

static void put_document(struct doc *d, const struct bc_diff *diff)
{
	struct sums s = { 0 };

	for (size_t i = 0; i < diff->npairs; i++)
		add_up(d, &diff->pairs[i], &s);
	bc_xml_start(&d->x, "testsuites");
	bc_xml_attr(&d->x, "name", "bankcheck diff");
	bc_xml_attr_count(&d->x, "tests", s.tests);
	bc_xml_attr_count(&d->x, "failures", s.failures);
	bc_xml_attr_count(&d->x, "errors", s.errors);
	bc_xml_attr(&d->x, "time", "0.000");
	for (size_t i = 0; i < diff->npairs; i++)
		put_pair(d, diff, i);
	bc_xml_end(&d->x);
}

enum bc_status bc_diff_junit(const struct bc_diff_show *s, struct bc_text *out, struct bc_error *err)
{
	struct doc d = { .strict = s->strict };

	bc_xml_open(&d.x, "diff", err);
	put_document(&d, s->d);
	return bc_xml_close(&d.x, out);
}
