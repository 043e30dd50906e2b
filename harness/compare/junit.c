/* SPDX-License-Identifier: MIT */
/* The comparison as JUnit: a testcase a case of either run, so that a CI shows a regression as a failed test. */
#include <stdio.h>
#include <string.h>

#include <libxml/xmlwriter.h>

#include "harness/compare/print.h"
#include "harness/compare/say.h"
#include "harness/base/escape.h"
#include "harness/report/read_xml.h"

struct doc {
	xmlTextWriterPtr w;
	bool strict;
	enum bc_status st; /* the first failure; what comes after it is dropped */
	struct bc_error *err;
};

struct sums {
	size_t tests, failures, errors, skipped;
};

static void check(struct doc *d, int rc)
{
	if (rc < 0 && !d->st)
		d->st = bc_fail(d->err, BC_EWRITE, "diff: libxml2 cannot write the document (out of memory?)");
}

static void start(struct doc *d, const char *element)
{
	if (!d->st)
		check(d, xmlTextWriterStartElement(d->w, BAD_CAST element));
}

static void end(struct doc *d)
{
	if (!d->st)
		check(d, xmlTextWriterEndElement(d->w));
}

static void attr(struct doc *d, const char *name, const char *value)
{
	struct bc_text t = { 0 };

	if (!d->st)
		d->st = bc_escape_str(&t, BC_ESCAPE_LINE, value, d->err);
	if (!d->st)
		check(d, xmlTextWriterWriteAttribute(d->w, BAD_CAST name, BAD_CAST(t.data ? t.data : "")));
	bc_text_release(&t);
}

static void attr_count(struct doc *d, const char *name, size_t n)
{
	char buf[24];

	(void)snprintf(buf, sizeof(buf), "%zu", n);
	attr(d, name, buf);
}

static void property(struct doc *d, const char *name, const char *value)
{
	start(d, "property");
	attr(d, "name", name);
	attr(d, "value", value);
	end(d);
}

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
	struct bc_text said = { 0 };
	struct bc_ink ink = { .out = &said, .err = d->err, .st = d->st };
	char class[400];

	(void)snprintf(class, sizeof(class), "%s.%.*s", device, (int)strcspn(c->id, "/"), c->id);
	bc_describe_change(&ink, c);
	d->st = ink.st;
	start(d, "testcase");
	attr(d, "classname", class);
	attr(d, "name", slash ? slash + 1 : c->id);
	attr(d, "time", "0.000");
	if (e) {
		start(d, e);
		attr(d, "type", bc_describe_type(c));
		attr(d, "message", said.data ? said.data : "");
		end(d);
	} else if (said.len) {
		struct bc_text safe = { 0 };

		if (!d->st)
			d->st = bc_escape_str(&safe, BC_ESCAPE_LINE, said.data, d->err);
		if (!d->st)
			check(d, xmlTextWriterWriteElement(d->w, BAD_CAST "system-out", BAD_CAST safe.data));
		bc_text_release(&safe);
	}
	end(d);
	bc_text_release(&said);
}

/* Differences between the runs are properties "differs.<name>": old -> new. */
static void put_properties(struct doc *d, const struct bc_pair_diff *p)
{
	start(d, "properties");
	property(d, "old", p->old ? p->old_path : "none");
	property(d, "new", p->now ? p->now_path : "none");
	property(d, "bankcheck", BC_VERSION);
	for (size_t i = 0; i < p->ndifferences; i++) {
		const struct bc_difference *x = &p->difference[i];
		struct bc_text value = { 0 };
		char name[64];

		(void)snprintf(name, sizeof(name), "differs.%s", x->name);
		if (!d->st)
			d->st = bc_text_addf(&value, d->err, "%s -> %s", x->old, x->now);
		property(d, name, value.data ? value.data : "");
		bc_text_release(&value);
	}
	end(d);
}

static void put_obstacle(struct doc *d, const struct bc_pair_diff *p, const char *class)
{
	start(d, "testcase");
	attr(d, "classname", class);
	attr(d, "name", "comparable");
	attr(d, "time", "0.000");
	start(d, "error");
	attr(d, "type", "INCOMPARABLE");
	attr(d, "message", bc_describe_comparability(p->obstacle));
	end(d);
	end(d);
}

static void put_pair(struct doc *d, const struct bc_diff *diff, size_t at)
{
	const struct bc_pair_diff *p = &diff->pairs[at];
	struct sums s = { 0 };
	char class[300];

	device_class(diff, at, class, sizeof(class));
	add_up(d, p, &s);
	start(d, "testsuite");
	attr(d, "name", class);
	attr_count(d, "tests", s.tests);
	attr_count(d, "failures", s.failures);
	attr_count(d, "errors", s.errors);
	attr_count(d, "skipped", s.skipped);
	attr(d, "time", "0.000");
	attr(d, "timestamp", either(p)->timestamp);
	attr(d, "hostname", either(p)->host);
	put_properties(d, p);
	if (p->obstacle)
		put_obstacle(d, p, class);
	for (size_t i = 0; i < p->ncases; i++)
		put_case(d, class, &p->cases[i]);
	end(d);
}

static void put_document(struct doc *d, const struct bc_diff *diff)
{
	struct sums s = { 0 };

	for (size_t i = 0; i < diff->npairs; i++)
		add_up(d, &diff->pairs[i], &s);
	check(d, xmlTextWriterSetIndent(d->w, 1));
	if (!d->st)
		check(d, xmlTextWriterStartDocument(d->w, NULL, "UTF-8", NULL));
	start(d, "testsuites");
	attr(d, "name", "bankcheck diff");
	attr_count(d, "tests", s.tests);
	attr_count(d, "failures", s.failures);
	attr_count(d, "errors", s.errors);
	attr(d, "time", "0.000");
	for (size_t i = 0; i < diff->npairs; i++)
		put_pair(d, diff, i);
	end(d);
	if (!d->st)
		check(d, xmlTextWriterEndDocument(d->w));
	if (!d->st)
		check(d, xmlTextWriterFlush(d->w));
}

enum bc_status bc_diff_junit(const struct bc_diff_show *s, struct bc_text *out, struct bc_error *err)
{
	struct doc d = { .strict = s->strict, .err = err };
	xmlBufferPtr buf;

	bc_xml_begin();
	buf = xmlBufferCreate();
	if (buf)
		d.w = xmlNewTextWriterMemory(buf, 0);
	if (!d.w) {
		xmlBufferFree(buf);
		return bc_fail(err, BC_ENOMEM, "diff: out of memory");
	}
	xmlBufferSetAllocationScheme(buf, XML_BUFFER_ALLOC_DOUBLEIT);
	put_document(&d, s->d);
	d.st = bc_xml_end("diff", d.st, err);
	if (!d.st)
		d.st = bc_text_add(out, (const char *)xmlBufferContent(buf), (size_t)xmlBufferLength(buf), err);
	xmlFreeTextWriter(d.w);
	xmlBufferFree(buf);
	return d.st;
}
