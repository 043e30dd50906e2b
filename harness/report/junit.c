/* SPDX-License-Identifier: MIT */
#include "harness/report/junit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/xmlwriter.h>

#include "harness/base/textfile.h"
#include "harness/base/escape.h"
#include "harness/report/keys.h"
#include "harness/report/read_xml.h"
#include "harness/report/render.h"

/* A document being written. */
struct doc {
	xmlTextWriterPtr w;
	const struct bc_run *run;
	const char *name;	/* of the file */
	struct bc_text scratch; /* text on its way to the writer */
	struct bc_error *err;
};

/* What a testsuite or the whole document adds up to. */
struct sums {
	size_t tests, failures, errors, skipped;
	uint64_t ms;
};

/* libxml2 counts bytes written and gives -1 for a failure. */
static enum bc_status check(const struct doc *d, int rc)
{
	return rc < 0 ? bc_fail(d->err, BC_EWRITE, "%s: libxml2 cannot write the report (out of memory?)", d->name)
		      : BC_OK;
}

static enum bc_status start(const struct doc *d, const char *element)
{
	return check(d, xmlTextWriterStartElement(d->w, BAD_CAST element));
}

static enum bc_status end(const struct doc *d)
{
	return check(d, xmlTextWriterEndElement(d->w));
}

/* An attribute, its value made one safe line. */
static enum bc_status attr(struct doc *d, const char *name, const char *value)
{
	enum bc_status st;

	bc_text_clear(&d->scratch);
	st = bc_escape_str(&d->scratch, BC_ESCAPE_LINE, value, d->err);
	if (st)
		return st;
	return check(
		d, xmlTextWriterWriteAttribute(d->w, BAD_CAST name, BAD_CAST(d->scratch.data ? d->scratch.data : "")));
}

static enum bc_status attr_count(struct doc *d, const char *name, size_t n)
{
	char buf[BC_NUMBER_MAX];

	(void)snprintf(buf, sizeof(buf), "%zu", n);
	return attr(d, name, buf);
}

static enum bc_status attr_ms(struct doc *d, const char *name, uint64_t ms)
{
	char buf[BC_SECONDS_MAX];

	bc_seconds(ms, buf);
	return attr(d, name, buf);
}

static enum bc_status property(struct doc *d, const char *name, const char *value)
{
	enum bc_status st = start(d, "property");

	if (!st)
		st = attr(d, "name", name);
	if (!st)
		st = attr(d, "value", value[0] ? value : "none");
	return st ? st : end(d);
}

static enum bc_status property_u64(struct doc *d, const char *name, uint64_t v, const char *unit)
{
	char buf[BC_NUMBER_MAX] = "unknown";

	if (v)
		(void)snprintf(buf, sizeof(buf), "%" PRIu64 "%s", v, unit);
	return property(d, name, buf);
}

static enum bc_status property_hash(struct doc *d, const char *name, uint64_t v)
{
	char buf[BC_NUMBER_MAX];

	(void)snprintf(buf, sizeof(buf), "%016" PRIx64, v);
	return property(d, name, buf);
}

/* Properties that say what the device is. */
static enum bc_status device_properties(struct doc *d, const struct bc_device_run *dev)
{
	const struct bc_facts *f = &dev->facts;
	const bool reference = f->kind == BC_DEVICE_REFERENCE;
	char label[BC_DEVICE_LABEL_MAX], standing[BC_CONFIRMATION_MAX];
	const struct {
		const char *name, *value;
	} text[] = {
		{ "device", label },
		{ "hardware", reference ? "no: this is the reference device; its counters are the bank laws" : "yes" },
		{ "arch", bc_device_arch(dev) },
		{ "standing", standing },
		{ "gpu", f->name },
		{ "uuid", f->uuid },
		{ "pci", f->pci },
		{ "driver", f->driver },
		{ "cuda", f->cuda },
		{ "cupti", f->cupti },
		{ "toolkit", f->toolkit },
		{ "ecc", f->ecc < 0 ? "unknown"
			 : f->ecc   ? "on"
				    : "off" },
		{ "counters_by", f->counters_are_model ? "model" : "hardware" },
		{ "counters_absent", f->counters_absent },
		{ "clock_absent", f->clock_absent },
		{ "state_before", dev->state_before },
		{ "state_after", dev->state_after },
		{ "events", dev->events },
		{ "note", dev->note },
	};
	enum bc_status st = BC_OK;

	bc_device_label(dev, label);
	bc_confirmation_text(&dev->arch, standing);
	for (size_t i = 0; i < BC_ARRAY_LEN(text) && !st; i++)
		st = property(d, text[i].name, text[i].value);
	if (!st)
		st = property_u64(d, "clock", f->clock_khz, " kHz");
	if (!st)
		st = property_u64(d, "memory_clock", f->memory_clock_khz, " kHz");
	if (!st)
		st = property_u64(d, "sms", f->sms, "");
	if (!st)
		st = property_u64(d, "optin_bytes", f->optin_bytes, "");
	return st;
}

static enum bc_status properties(struct doc *d, const struct bc_device_run *dev)
{
	char seconds[BC_SECONDS_MAX];
	enum bc_status st = start(d, "properties");

	bc_seconds(bc_milliseconds(d->run->seconds), seconds);
	if (!st)
		st = device_properties(d, dev);
	if (!st)
		st = property_hash(d, "image_hash", dev->images_hash);
	if (!st)
		st = property_hash(d, "expectations_hash", dev->expect_hash);
	if (!st)
		st = property_hash(d, "plan_hash", d->run->plan_hash);
	if (!st)
		st = property(d, "run_id", d->run->run_id);
	if (!st)
		st = property(d, "run_seconds", seconds);
	if (!st)
		st = property(d, "host", d->run->host);
	if (!st)
		st = property(d, "complete", dev->complete ? "yes" : "no");
	if (!st)
		st = property(d, "bankcheck", BC_VERSION);
	return st ? st : end(d);
}

/* Letters and digits of ASCII, whatever the locale. */
static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* "bankcheck.<dev>" or "bankcheck.<dev>.<suite>"; a part keeps [a-z0-9_], all else becomes '_'. */
static void class_name(const struct bc_device_run *dev, const char *suite, char *buf, size_t size)
{
	const int n =
		snprintf(buf, size, "bankcheck/%s%s%s", dev->dev[0] ? dev->dev : "unknown", suite[0] ? "/" : "", suite);

	for (int i = 0; i < n && (size_t)i < size && buf[i]; i++)
		if (buf[i] == '/')
			buf[i] = '.';
		else if (!is_plain(buf[i]))
			buf[i] = '_';
}

/* The body of a failure or error: what its attributes say, where the expectation is written, how to run it again. */
static enum bc_status body(struct doc *d, const struct bc_device_run *dev, const struct bc_result *r)
{
	struct bc_text t = { 0 };
	enum bc_status st = bc_text_addf(&t, d->err, "%s: %s\n", bc_verdict_name(r->judged.verdict), r->judged.message);

	for (unsigned q = 0; q < BC_NQUANTITIES && !st; q++) {
		const struct bc_row *row = r->bounds.row[q];
		char lo[BC_NUMBER_MAX], hi[BC_NUMBER_MAX];

		if (!row)
			continue;
		st = bc_text_addf(&t, d->err, "expected: %s %s..%s (%s: %s), %s:%u\n",
				  bc_quantity_name((enum bc_quantity)q), bc_number_text(row->lo, lo),
				  bc_number_text(row->hi, hi), bc_origin_name(row->origin), row->basis,
				  row->path ? row->path : "unknown file", row->line);
	}
	if (!st && r->c->rule)
		st = bc_text_addf(&t, d->err, "rule: %s\n", r->c->rule->sentence);
	if (!st)
		st = bc_text_addf(&t, d->err, "run again: ");
	if (!st)
		st = bc_rerun_line(d->run, dev, r->c->id, &t, d->err);
	bc_text_clear(&d->scratch);
	if (!st)
		st = bc_escape(&d->scratch, BC_ESCAPE_TEXT, t.data, t.len, d->err);
	bc_text_release(&t);
	return st ? st : check(d, xmlTextWriterWriteString(d->w, BAD_CAST d->scratch.data));
}

/* Attempts that went wrong, as surefire writes them: flaky ones when the case passed in the end, else reruns. The
 * attempt that the case's own child tells of is left out. */
static enum bc_status tries(struct doc *d, const struct bc_result *r)
{
	bool told = r->judged.verdict == BC_PASS;
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < r->ntries && r->ntries > 1 && !st; i++) {
		const struct bc_attempt *t = &r->tries[i];
		const struct bc_verdict_style *look = bc_verdict_style(t->verdict);
		char element[32];

		if (!look->finding)
			continue;
		if (!told && t->verdict == r->judged.verdict && strcmp(t->message, r->judged.message) == 0) {
			told = true;
			continue;
		}
		(void)snprintf(element, sizeof(element), "%s%s", r->flaky ? "flaky" : "rerun",
			       strcmp(look->element, "failure") == 0 ? "Failure" : "Error");
		st = start(d, element);
		if (!st)
			st = attr(d, "message", t->message[0] ? t->message : bc_verdict_name(t->verdict));
		if (!st)
			st = attr(d, "type", bc_verdict_name(t->verdict));
		if (!st)
			st = end(d);
	}
	return st;
}

/* "attempt 2: FAIL: ..." a line, below the keys. */
static enum bc_status tries_text(const struct bc_result *r, struct bc_text *t, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < r->ntries && r->ntries > 1 && !st; i++)
		st = bc_text_addf(t, err, "%sattempt %zu: %s%s%s", t->len ? "\n" : "", i + 1,
				  bc_verdict_name(r->tries[i].verdict), r->tries[i].message[0] ? ": " : "",
				  r->tries[i].message);
	return st;
}

static enum bc_status system_out(struct doc *d, const struct bc_device_run *dev, const struct bc_result *r)
{
	const struct bc_key_source source = { .run = d->run, .dev = dev, .r = r };
	struct bc_text text = { 0 };
	enum bc_status st = start(d, "system-out");

	bc_text_clear(&d->scratch);
	if (!st)
		st = bc_keys_write(&source, &d->scratch, d->err);
	if (!st && bc_verdict_style(r->judged.verdict)->finding && dev->note[0])
		st = bc_text_addf(&text, d->err, "%s", dev->note);
	if (!st)
		st = tries_text(r, &text, d->err);
	if (!st && text.len)
		st = bc_keys_free_text(text.data, &d->scratch, d->err);
	bc_text_release(&text);
	if (!st)
		st = check(d, xmlTextWriterWriteString(d->w, BAD_CAST d->scratch.data));
	return st ? st : end(d);
}

/* The child that tells the verdict; a pass has none. */
static enum bc_status verdict_child(struct doc *d, const struct bc_device_run *dev, const struct bc_result *r)
{
	const struct bc_verdict_style *look = bc_verdict_style(r->judged.verdict);
	enum bc_status st;

	if (!look->element)
		return BC_OK;
	st = start(d, look->element);
	if (!st)
		st = attr(d, "type", bc_verdict_name(r->judged.verdict));
	if (!st)
		st = attr(d, "message", r->judged.message[0] ? r->judged.message : bc_verdict_name(r->judged.verdict));
	if (!st && look->finding)
		st = body(d, dev, r);
	return st ? st : end(d);
}

static enum bc_status testcase(struct doc *d, const struct bc_device_run *dev, const struct bc_result *r)
{
	const char *slash = strchr(r->c->id, '/');
	char class[BC_ID_MAX * 2];
	enum bc_status st = start(d, "testcase");

	class_name(dev, r->c->suite->name, class, sizeof(class));
	if (!st)
		st = attr(d, "classname", class);
	if (!st)
		st = attr(d, "name", slash ? slash + 1 : r->c->id);
	if (!st)
		st = attr_ms(d, "time", bc_milliseconds(r->obs.seconds));
	if (!st)
		st = verdict_child(d, dev, r);
	if (!st)
		st = tries(d, r);
	if (!st)
		st = system_out(d, dev, r);
	return st ? st : end(d);
}

static bool in_suite(const struct bc_result *r, const char *suite)
{
	return strcmp(r->c->suite->name, suite) == 0;
}

/* Add the results of @dev in @suite, NULL: all. */
static void add_up(const struct bc_device_run *dev, const char *suite, struct sums *s)
{
	for (size_t i = 0; i < dev->nresults; i++) {
		const struct bc_result *r = &dev->results[i];
		const char *element = bc_verdict_style(r->judged.verdict)->element;

		if (suite && !in_suite(r, suite))
			continue;
		s->tests++;
		s->ms += bc_milliseconds(r->obs.seconds);
		if (!element)
			continue;
		s->failures += strcmp(element, "failure") == 0;
		s->errors += strcmp(element, "error") == 0;
		s->skipped += strcmp(element, "skipped") == 0;
	}
}

static enum bc_status sum_attrs(struct doc *d, const struct sums *s)
{
	enum bc_status st = attr_count(d, "tests", s->tests);

	if (!st)
		st = attr_count(d, "failures", s->failures);
	if (!st)
		st = attr_count(d, "errors", s->errors);
	return st ? st : attr_ms(d, "time", s->ms);
}

/* One suite of one device; @suite "": the device has no result and only its facts are told. */
static enum bc_status testsuite(struct doc *d, const struct bc_device_run *dev, const char *suite)
{
	char class[BC_ID_MAX * 2];
	struct sums s = { 0 };
	enum bc_status st = start(d, "testsuite");

	class_name(dev, suite, class, sizeof(class));
	add_up(dev, suite, &s);
	if (!st)
		st = attr(d, "name", class);
	if (!st)
		st = sum_attrs(d, &s);
	if (!st)
		st = attr_count(d, "skipped", s.skipped);
	if (!st)
		st = attr(d, "timestamp", d->run->timestamp);
	if (!st)
		st = attr(d, "hostname", d->run->host);
	if (!st)
		st = properties(d, dev);
	for (size_t i = 0; i < dev->nresults && !st; i++)
		if (in_suite(&dev->results[i], suite))
			st = testcase(d, dev, &dev->results[i]);
	return st ? st : end(d);
}

/* Whether an earlier result of @dev is of the same suite as the @i-th. */
static bool suite_seen(const struct bc_device_run *dev, size_t i)
{
	const char *suite = dev->results[i].c->suite->name;

	/* results come in order of suite, so the one before usually answers */
	for (size_t k = i; k-- > 0;)
		if (in_suite(&dev->results[k], suite))
			return true;
	return false;
}

static enum bc_status device_suites(struct doc *d, const struct bc_device_run *dev)
{
	enum bc_status st = BC_OK;

	if (dev->nresults == 0)
		return testsuite(d, dev, "");
	for (size_t i = 0; i < dev->nresults && !st; i++)
		if (!suite_seen(dev, i))
			st = testsuite(d, dev, dev->results[i].c->suite->name);
	return st;
}

static bool in_file(const struct bc_device_run *dev, const char *name)
{
	char own[BC_JUNIT_NAME_MAX];

	bc_junit_name(dev, own);
	return strcmp(own, name) == 0;
}

static enum bc_status document(struct doc *d)
{
	const struct bc_run *run = d->run;
	struct sums s = { 0 };
	enum bc_status st = check(d, xmlTextWriterStartDocument(d->w, NULL, "UTF-8", NULL));

	for (size_t i = 0; i < run->ndevices; i++)
		if (in_file(&run->devices[i], d->name))
			add_up(&run->devices[i], NULL, &s);
	if (!st)
		st = start(d, "testsuites");
	if (!st)
		st = attr(d, "name", "bankcheck");
	if (!st)
		st = sum_attrs(d, &s);
	for (size_t i = 0; i < run->ndevices && !st; i++)
		if (in_file(&run->devices[i], d->name))
			st = device_suites(d, &run->devices[i]);
	if (!st)
		st = end(d);
	if (!st)
		st = check(d, xmlTextWriterEndDocument(d->w));
	return st ? st : check(d, xmlTextWriterFlush(d->w));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Case ids of one device, sorted, must differ; @dev names must differ in one file. */
static enum bc_status check_ids(const struct bc_device_run *dev, const char *name, struct bc_error *err)
{
	const char **ids = calloc(dev->nresults + 1, sizeof(*ids));
	enum bc_status st = BC_OK;

	if (!ids)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", name);
	for (size_t i = 0; i < dev->nresults; i++)
		ids[i] = dev->results[i].c->id;
	qsort(ids, dev->nresults, sizeof(*ids), by_text);
	for (size_t i = 1; i < dev->nresults && !st; i++)
		if (strcmp(ids[i - 1], ids[i]) == 0)
			st = bc_fail(err, BC_EWRITE, "%s: two results of %s on %s; report this as a bug", name, ids[i],
				     dev->dev);
	free(ids);
	return st;
}

static enum bc_status check_unique(const struct bc_run *run, const char *name, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < run->ndevices && !st; i++) {
		char own[BC_ID_MAX], other[BC_ID_MAX];

		if (!in_file(&run->devices[i], name))
			continue;
		class_name(&run->devices[i], "", own, sizeof(own));
		for (size_t k = 0; k < i && !st; k++) {
			class_name(&run->devices[k], "", other, sizeof(other));
			if (in_file(&run->devices[k], name) && strcmp(own, other) == 0)
				st = bc_fail(err, BC_EWRITE, "%s: two devices are called %s; report this as a bug",
					     name, own);
		}
		if (!st)
			st = check_ids(&run->devices[i], name, err);
	}
	return st;
}

void bc_junit_name(const struct bc_device_run *d, char buf[BC_JUNIT_NAME_MAX])
{
	char arch[BC_ARCH_NAME_MAX + 1];

	(void)bc_strlcpy(arch, bc_device_arch(d), sizeof(arch));
	for (char *p = arch; *p; p++)
		if (!is_plain(*p))
			*p = '_';
	(void)snprintf(buf, BC_JUNIT_NAME_MAX, "%s%s.xml", d->facts.kind == BC_DEVICE_REFERENCE ? "reference-" : "",
		       arch);
}

enum bc_status bc_junit_format(const struct bc_run *run, const char *name, struct bc_text *out, struct bc_error *err)
{
	struct doc d = { .run = run, .name = name, .err = err };
	xmlBufferPtr buf = NULL;
	enum bc_status st = check_unique(run, name, err);

	if (st)
		return st;
	bc_xml_begin();
	buf = xmlBufferCreate();
	if (buf)
		d.w = xmlNewTextWriterMemory(buf, 0);
	if (!d.w) {
		st = bc_fail(err, BC_ENOMEM, "%s: out of memory", name);
		goto out;
	}
	xmlBufferSetAllocationScheme(buf, XML_BUFFER_ALLOC_DOUBLEIT);
	st = check(&d, xmlTextWriterSetIndent(d.w, 1));
	if (!st)
		st = document(&d);
	st = bc_xml_end(name, st, err);
	if (!st)
		st = bc_text_add(out, (const char *)xmlBufferContent(buf), (size_t)xmlBufferLength(buf), err);
out:
	xmlFreeTextWriter(d.w);
	xmlBufferFree(buf);
	bc_text_release(&d.scratch);
	return st;
}

/* Whether a device before the @i-th goes to the same file. */
static bool file_seen(const struct bc_run *run, size_t i, const char *name)
{
	for (size_t k = 0; k < i; k++)
		if (in_file(&run->devices[k], name))
			return true;
	return false;
}

static enum bc_status write_one(const struct bc_run *run, const char *dir, const char *name, struct bc_paths *paths,
				struct bc_error *err)
{
	struct bc_text text = { 0 };
	char path[BC_PATH_MAX];
	enum bc_status st = bc_junit_format(run, name, &text, err);

	if (!st)
		st = bc_file_replace(&bc_file_system, dir, name, text.data, text.len, err);
	bc_text_release(&text);
	if (st)
		return st;
	(void)snprintf(path, sizeof(path), "%s/%s", dir, name); /* it fitted just now */
	return bc_paths_add(paths, path, err);
}

enum bc_status bc_junit_write(const struct bc_run *run, const char *dir, struct bc_paths *paths, struct bc_error *err)
{
	enum bc_status first = BC_OK;

	for (size_t i = 0; i < run->ndevices; i++) {
		char name[BC_JUNIT_NAME_MAX];
		struct bc_error later = { 0 };
		enum bc_status st;

		bc_junit_name(&run->devices[i], name);
		if (file_seen(run, i, name))
			continue;
		st = write_one(run, dir, name, paths, first ? &later : err);
		if (!first)
			first = st;
	}
	return first;
}
