/* SPDX-License-Identifier: MIT */
#include "harness/report/junit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"
#include "harness/base/escape.h"
#include "harness/report/keys.h"
#include "harness/report/render.h"
#include "harness/report/xml.h"

#define DEATHS_MAX 20u /* workers that died of which a report has the words; it has the count of all */

/* A document being written. */
struct doc {
	struct bc_xml x;
	const struct bc_run *run;
	enum bc_junit_form form;
	const char *name; /* of the file */
};

/* What a testsuite or the whole document adds up to. */
struct sums {
	size_t tests, failures, errors, skipped;
	uint64_t ms;
};

const char *bc_junit_form_name(enum bc_junit_form form)
{
	return form == BC_JUNIT_COMPACT ? "compact" : "full";
}

static void property(struct doc *d, const char *name, const char *value)
{
	bc_xml_property(&d->x, name, value[0] ? value : "none");
}

static void property_u64(struct doc *d, const char *name, uint64_t v, const char *unit)
{
	char buf[BC_NUMBER_MAX] = "unknown";

	if (v)
		(void)snprintf(buf, sizeof(buf), "%" PRIu64 "%s", v, unit);
	property(d, name, buf);
}

static void property_hash(struct doc *d, const char *name, uint64_t v)
{
	char buf[BC_NUMBER_MAX];

	(void)snprintf(buf, sizeof(buf), "%016" PRIx64, v);
	property(d, name, buf);
}

/* Properties that say what the device is. */
static void device_properties(struct doc *d, const struct bc_device_run *dev)
{
	const struct bc_facts *f = &dev->facts;
	const bool reference = f->kind == BC_DEVICE_REFERENCE;
	char label[BC_DEVICE_LABEL_MAX], confirmation[BC_CONFIRMATION_MAX];
	const struct {
		const char *name, *value;
	} text[] = {
		{ "device", label },
		{ "hardware", reference ? "no: this is the reference device; its counters are the bank laws" : "yes" },
		{ "arch", bc_device_arch(dev) },
		{ "standing", confirmation },
		{ "gpu", f->name },
		{ "uuid", f->uuid },
		{ "pci", f->pci },
		{ "serial", f->serial },
		{ "board_part", f->board_part },
		{ "vbios", f->vbios },
		{ "gsp_firmware", f->gsp_firmware },
		{ "mig", f->mig },
		{ "pcie_width", f->pcie_width },
		{ "driver", f->driver },
		{ "cuda", f->cuda },
		{ "cupti", f->cupti },
		{ "cupti_file", f->cupti_file },
		{ "toolkit", f->toolkit },
		{ "images", f->images },
		{ "code", f->code },
		{ "environment", f->environment },
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

	bc_device_label(dev, label);
	bc_confirmation_text(&dev->arch, confirmation);
	for (size_t i = 0; i < BC_ARRAY_LEN(text); i++)
		property(d, text[i].name, text[i].value);
	property_u64(d, "clock", f->clock_khz, " kHz");
	property_u64(d, "memory_clock", f->memory_clock_khz, " kHz");
	property_u64(d, "sms", f->sms, "");
	property_u64(d, "optin_bytes", f->optin_bytes, "");
}

/* "2: the worker ended: signal SIGSEGV; it had in hand: ... | the worker ended: ..." */
static void deaths(struct doc *d, const struct bc_device_run *dev)
{
	struct bc_text text = { 0 };
	struct bc_out o = bc_out_part(&d->x.text, &text);

	if (dev->ndeaths)
		bc_putf(&o, "%zu: ", dev->ndeaths);
	for (size_t i = 0; i < dev->ndeaths && i < DEATHS_MAX; i++) {
		char one[BC_DEATH_TEXT_MAX];

		bc_death_text(dev, &dev->deaths[i], one);
		bc_putf(&o, "%s%s", i ? " | " : "", one);
	}
	if (dev->ndeaths > DEATHS_MAX)
		bc_putf(&o, " | and %zu more, each in the journal", dev->ndeaths - DEATHS_MAX);
	bc_out_join(&d->x.text, &o);
	property(d, "deaths", bc_out_text(&o));
	bc_text_release(&text);
}

/* @all: else only what each testsuite must say; a compact report has the others in a device's first testsuite. */
static void properties(struct doc *d, const struct bc_device_run *dev, bool all)
{
	char seconds[BC_SECONDS_MAX], shard[BC_NUMBER_MAX] = "";

	if (d->run->shard.of)
		(void)snprintf(shard, sizeof(shard), "%u/%u", d->run->shard.part, d->run->shard.of);
	bc_xml_start(&d->x, "properties");
	property(d, "junit", bc_junit_form_name(d->form));
	if (!all) {
		bc_xml_end(&d->x);
		return;
	}
	bc_seconds(bc_milliseconds(d->run->seconds), seconds);
	device_properties(d, dev);
	deaths(d, dev);
	property_hash(d, "image_hash", dev->images_hash);
	property_hash(d, "expectations_hash", dev->expect_hash);
	property_hash(d, "plan_hash", d->run->plan_hash);
	property_hash(d, "selection_hash", d->run->select_hash);
	property(d, "run_name", d->run->run_name);
	property(d, "shard", shard);
	property(d, "options", d->run->options);
	property(d, "run_id", d->run->run_id);
	property(d, "run_seconds", seconds);
	property(d, "host", d->run->host);
	property(d, "host_by", d->run->host_by);
	property(d, "machine_id", d->run->machine_id);
	property(d, "slurm_job", d->run->slurm_job);
	property(d, "slurm_restart", d->run->slurm_restart);
	for (size_t i = 0; i < d->run->nlabels; i++) {
		char name[sizeof("label_") + sizeof(d->run->label[i].key)];

		(void)snprintf(name, sizeof(name), "label_%s", d->run->label[i].key);
		property(d, name, d->run->label[i].value);
	}
	property(d, "complete", dev->complete ? "yes" : dev->incomplete[0] ? dev->incomplete : "no");
	property(d, "bankcheck", BC_VERSION);
	property(d, "commit", d->run->commit);
	property(d, "built_with", d->run->built);
	property(d, "toolkits", d->run->toolkits);
	bc_xml_end(&d->x);
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
static void body(struct doc *d, const struct bc_device_run *dev, const struct bc_result *r)
{
	struct bc_text raw = { 0 };
	struct bc_out o = bc_out_part(&d->x.text, &raw);

	bc_putf(&o, "%s: %s\n", bc_verdict_name(r->judged.verdict), r->judged.message);
	for (unsigned q = 0; q < BC_NQUANTITIES; q++) {
		const struct bc_row *row = r->bounds.row[q];
		char bounds[BC_BOUNDS_MAX];

		if (row)
			bc_putf(&o, "expected: %s %s (%s: %s), %s:%u\n", bc_quantity_name(row->quantity),
				bc_bounds_text(row, bounds), bc_origin_name(row->origin), row->basis,
				row->path ? bc_path_end(row->path, 3) : "unknown file", row->line);
	}
	if (r->c->rule)
		bc_putf(&o, "rule: %s\n", r->c->rule->sentence);
	bc_put(&o, "run again: ");
	if (!o.st)
		o.st = bc_rerun_line(d->run, dev, r->c->id, &raw, o.err);
	bc_out_join(&d->x.text, &o);
	bc_put_escaped(&d->x.text, BC_ESCAPE_TEXT, bc_out_text(&o));
	bc_xml_text(&d->x);
	bc_text_release(&raw);
}

/* Attempts that went wrong, as surefire writes them: flaky ones when the case passed in the end, else reruns. The
 * attempt that the case's own child stands for is left out. */
static void tries(struct doc *d, const struct bc_result *r)
{
	bool written = r->judged.verdict == BC_PASS;

	for (size_t i = 0; i < r->ntries && r->ntries > 1; i++) {
		const struct bc_attempt *t = &r->tries[i];
		const struct bc_verdict_style *style = bc_verdict_style(t->verdict);
		char element[32];

		if (!bc_verdict_is_finding(t->verdict))
			continue;
		if (!written && t->verdict == r->judged.verdict && strcmp(t->message, r->judged.message) == 0) {
			written = true;
			continue;
		}
		(void)snprintf(element, sizeof(element), "%s%s", r->flaky ? "flaky" : "rerun",
			       strcmp(style->element, "failure") == 0 ? "Failure" : "Error");
		bc_xml_start(&d->x, element);
		bc_xml_attr(&d->x, "message", t->message[0] ? t->message : bc_verdict_name(t->verdict));
		bc_xml_attr(&d->x, "type", bc_verdict_name(t->verdict));
		bc_xml_end(&d->x);
	}
}

/* Keys, then as free text the device's note where something was found, and "attempt 2: FAIL: ..." a line. */
static void system_out(struct doc *d, const struct bc_device_run *dev, const struct bc_result *r)
{
	const struct bc_key_source source = { .run = d->run, .dev = dev, .r = r };
	struct bc_text text = { 0 };
	struct bc_out o = bc_out_part(&d->x.text, &text);

	if (bc_verdict_is_finding(r->judged.verdict))
		bc_put(&o, dev->note);
	for (size_t i = 0; i < r->ntries && r->ntries > 1; i++)
		bc_putf(&o, "%sattempt %zu: %s%s%s", text.len ? "\n" : "", i + 1, bc_verdict_name(r->tries[i].verdict),
			r->tries[i].message[0] ? ": " : "", r->tries[i].message);
	bc_out_join(&d->x.text, &o);
	bc_xml_start(&d->x, "system-out");
	if (!d->x.text.st)
		d->x.text.st = bc_keys_write(&source, &d->x.scratch, o.err);
	if (!d->x.text.st && text.len)
		d->x.text.st = bc_keys_free_text(text.data, &d->x.scratch, o.err);
	bc_xml_text(&d->x);
	bc_xml_end(&d->x);
	bc_text_release(&text);
}

/* The child that names the verdict; a pass has none. */
static void verdict_child(struct doc *d, const struct bc_device_run *dev, const struct bc_result *r)
{
	const struct bc_verdict_style *style = bc_verdict_style(r->judged.verdict);

	if (!style->element)
		return;
	bc_xml_start(&d->x, style->element);
	bc_xml_attr(&d->x, "type", bc_verdict_name(r->judged.verdict));
	bc_xml_attr(&d->x, "message", r->judged.message[0] ? r->judged.message : bc_verdict_name(r->judged.verdict));
	if (bc_verdict_is_finding(r->judged.verdict))
		body(d, dev, r);
	bc_xml_end(&d->x);
}

static void testcase(struct doc *d, const struct bc_device_run *dev, const struct bc_result *r)
{
	const char *slash = strchr(r->c->id, '/');
	char class[BC_ID_MAX * 2];

	bc_xml_start(&d->x, "testcase");
	class_name(dev, r->c->suite->name, class, sizeof(class));
	bc_xml_attr(&d->x, "classname", class);
	bc_xml_attr(&d->x, "name", slash ? slash + 1 : r->c->id);
	bc_xml_attr_seconds(&d->x, "time", bc_milliseconds(r->obs.seconds));
	verdict_child(d, dev, r);
	tries(d, r);
	if (d->form == BC_JUNIT_FULL || bc_verdict_is_finding(r->judged.verdict) || r->flaky)
		system_out(d, dev, r);
	bc_xml_end(&d->x);
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

static void sum_attrs(struct doc *d, const struct sums *s)
{
	bc_xml_attr_count(&d->x, "tests", s->tests);
	bc_xml_attr_count(&d->x, "failures", s->failures);
	bc_xml_attr_count(&d->x, "errors", s->errors);
	bc_xml_attr_seconds(&d->x, "time", s->ms);
}

/* One suite of one device; @suite "": the device has no result and only its facts are written. */
static void testsuite(struct doc *d, const struct bc_device_run *dev, const char *suite)
{
	char class[BC_ID_MAX * 2];
	struct sums s = { 0 };

	bc_xml_start(&d->x, "testsuite");
	class_name(dev, suite, class, sizeof(class));
	add_up(dev, suite, &s);
	bc_xml_attr(&d->x, "name", class);
	sum_attrs(d, &s);
	bc_xml_attr_count(&d->x, "skipped", s.skipped);
	bc_xml_attr(&d->x, "timestamp", d->run->timestamp);
	bc_xml_attr(&d->x, "hostname", d->run->host);
	properties(d, dev, d->form == BC_JUNIT_FULL || !dev->nresults || in_suite(&dev->results[0], suite));
	for (size_t i = 0; i < dev->nresults; i++)
		if (in_suite(&dev->results[i], suite))
			testcase(d, dev, &dev->results[i]);
	bc_xml_end(&d->x);
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

static void device_suites(struct doc *d, const struct bc_device_run *dev)
{
	if (dev->nresults == 0)
		testsuite(d, dev, "");
	for (size_t i = 0; i < dev->nresults; i++)
		if (!suite_seen(dev, i))
			testsuite(d, dev, dev->results[i].c->suite->name);
}

static bool in_file(const struct bc_device_run *dev, const char *name)
{
	char own[BC_JUNIT_NAME_MAX];

	bc_junit_name(dev, own);
	return !name || strcmp(own, name) == 0;
}

static void document(struct doc *d)
{
	const struct bc_run *run = d->run;
	struct sums s = { 0 };

	for (size_t i = 0; i < run->ndevices; i++)
		if (in_file(&run->devices[i], d->name))
			add_up(&run->devices[i], NULL, &s);
	bc_xml_start(&d->x, "testsuites");
	bc_xml_attr(&d->x, "name", "bankcheck");
	sum_attrs(d, &s);
	for (size_t i = 0; i < run->ndevices; i++)
		if (in_file(&run->devices[i], d->name))
			device_suites(d, &run->devices[i]);
	bc_xml_end(&d->x);
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

static enum bc_status check_unique(const struct bc_run *run, const char *name, const char *what, struct bc_error *err)
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
					     what, own);
		}
		if (!st)
			st = check_ids(&run->devices[i], what, err);
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

enum bc_status bc_junit_format(const struct bc_run *run, enum bc_junit_form form, const char *name, struct bc_text *out,
			       struct bc_error *err)
{
	struct doc d = { .run = run, .form = form, .name = name };
	const char *what = name ? name : "report";
	const enum bc_status st = check_unique(run, name, what, err);

	if (st)
		return st;
	bc_xml_open(&d.x, what, err);
	document(&d);
	return bc_xml_close(&d.x, out);
}

/* Whether a device before the @i-th goes to the same file. */
static bool file_seen(const struct bc_run *run, size_t i, const char *name)
{
	for (size_t k = 0; k < i; k++)
		if (in_file(&run->devices[k], name))
			return true;
	return false;
}

static enum bc_status write_one(const struct bc_run *run, enum bc_junit_form form, const char *dir, const char *name,
				struct bc_paths *paths, struct bc_error *err)
{
	struct bc_text text = { 0 };
	char path[BC_PATH_MAX];
	enum bc_status st = bc_junit_format(run, form, name, &text, err);

	if (!st)
		st = bc_file_replace(&bc_file_system, dir, name, text.data, text.len, err);
	bc_text_release(&text);
	if (st)
		return st;
	(void)snprintf(path, sizeof(path), "%s/%s", dir, name); /* it fitted just now */
	return bc_paths_add(paths, path, err);
}

enum bc_status bc_junit_write(const struct bc_run *run, enum bc_junit_form form, const char *dir,
			      struct bc_paths *paths, struct bc_error *err)
{
	enum bc_status first = BC_OK;

	for (size_t i = 0; i < run->ndevices; i++) {
		char name[BC_JUNIT_NAME_MAX];
		struct bc_error later = { 0 };
		enum bc_status st;

		bc_junit_name(&run->devices[i], name);
		if (file_seen(run, i, name))
			continue;
		st = write_one(run, form, dir, name, paths, first ? &later : err);
		if (!first)
			first = st;
	}
	return first;
}
