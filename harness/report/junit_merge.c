/* SPDX-License-Identifier: MIT */
#include "harness/report/junit_merge.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/tree.h>

#include "harness/base/escape.h"
#include "harness/report/read_xml.h"
#include "harness/report/render.h"
#include "harness/report/read_shards.h"
#include "harness/report/reader.h"

#define NAME_MAX_BYTES 256

/* A device of one of the reports. */
struct member {
	const char *path;
	char dev[NAME_MAX_BYTES];  /* as its report calls it */
	char base[NAME_MAX_BYTES]; /* that without what an earlier merge added */
	char run_id[NAME_MAX_BYTES];
	char name[2 * NAME_MAX_BYTES]; /* in the merged report */
	char suffix[NAME_MAX_BYTES];
	bool twice;			    /* another run of the device is there */
	bool begun;			    /* a testsuite of it was written */
	uint64_t run_key;		    /* of a shard: its run's; 0: it is none */
	const struct bc_read_device *whole; /* of a shard: what all shards of its run make */
};

struct merge {
	struct member *m;
	size_t n;
	const struct bc_merge_out *out;
	struct bc_read_file *shards; /* reports with shards of runs that have names, to be joined */
	size_t nshards;
	struct bc_merge_sums *sums;
	uint64_t ms;
	struct bc_merge_sums written; /* of the testsuites, for the check that no file changed */
	struct bc_error *err;
};

static bool is(const xmlNode *n, const char *name)
{
	return n->type == XML_ELEMENT_NODE && strcmp((const char *)n->name, name) == 0;
}

static enum bc_status no_memory(struct bc_error *err)
{
	return bc_fail(err, BC_ENOMEM, "merge: out of memory");
}

/* Append '_' and @s, which may hold anything, as [a-z0-9_]; at most @most characters of it. */
static void add_part(char *name, size_t size, const char *s, size_t most)
{
	size_t n = strlen(name);

	if (n + 1 < size)
		name[n++] = '_';
	for (; *s && most && n + 1 < size; s++, most--) {
		const char c = *s >= 'A' && *s <= 'Z' ? (char)(*s - 'A' + 'a') : *s;

		name[n++] = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
	}
	name[n] = '\0';
}

static void name_member(const struct bc_read_device *d, const char *path, struct member *m)
{
	const char *uuid = bc_read_property(d, "uuid");
	const char *added;
	char run[NAME_MAX_BYTES] = "";

	m->path = path;
	(void)bc_strlcpy(m->dev, d->dev, sizeof(m->dev));
	(void)bc_strlcpy(m->run_id, bc_read_property(d, "run_id"), sizeof(m->run_id));
	add_part(m->suffix, sizeof(m->suffix), d->host[0] ? d->host : "unknown_host", 64);
	add_part(m->suffix, sizeof(m->suffix), bc_read_property(d, "gpu"), 64);
	if (strncmp(uuid, "GPU-", 4) == 0 || strncmp(uuid, "MIG-", 4) == 0)
		add_part(m->suffix, sizeof(m->suffix), uuid + 4, 8);
	(void)bc_strlcpy(m->base, m->dev, sizeof(m->base));
	add_part(run, sizeof(run), m->run_id, sizeof(m->run_id));
	added = strstr(m->dev, m->suffix); /* by a merge, perhaps with a run_id behind it */
	if (!added)
		added = strstr(m->dev, run);
	if (added && added > m->dev)
		m->base[added - m->dev] = '\0';
}

static void add_up(struct merge *g, const struct bc_read_device *d)
{
	for (size_t i = 0; i < d->ncases; i++) {
		const char *element = bc_verdict_style(d->cases[i].verdict)->element; /* the reader saw that it is so */

		g->sums->tests++;
		g->ms += bc_milliseconds(d->cases[i].seconds);
		g->sums->failures += element && strcmp(element, "failure") == 0;
		g->sums->errors += element && strcmp(element, "error") == 0;
		g->sums->skipped += element && strcmp(element, "skipped") == 0;
	}
}

static enum bc_status add_members(struct merge *g, const char *path)
{
	struct bc_read_file file = { 0 };
	enum bc_status st = bc_report_read(path, &file, g->err);
	struct member *grown;

	if (st)
		return st;
	grown = realloc(g->m, (g->n + file.ndevices) * sizeof(*grown));
	if (!grown)
		st = no_memory(g->err);
	else
		g->m = grown;
	for (size_t i = 0; !st && i < file.ndevices; i++) {
		add_up(g, &file.devices[i]);
		g->sums->verdict_only += file.devices[i].nverdict_only;
		memset(&g->m[g->n], 0, sizeof(*g->m));
		if (bc_report_has_shard(&file))
			g->m[g->n].run_key = bc_report_run_key(&file.devices[i]);
		name_member(&file.devices[i], path, &g->m[g->n++]);
	}
	if (!st && bc_report_has_shard(&file))
		g->shards[g->nshards++] = file;
	else
		bc_report_release(&file);
	return st;
}

/* Shards of one run become one device: they have the names of the first. */
static enum bc_status join_shards(struct merge *g)
{
	const enum bc_status st = bc_report_join(g->shards, g->nshards, g->err);

	g->sums->devices = g->n;
	for (size_t i = 0; !st && i < g->n; i++) {
		for (size_t f = 0; g->m[i].run_key && f < g->nshards; f++)
			for (size_t d = 0; d < g->shards[f].ndevices; d++)
				if (bc_report_run_key(&g->shards[f].devices[d]) == g->m[i].run_key)
					g->m[i].whole = &g->shards[f].devices[d];
		for (size_t k = 0; g->m[i].run_key && k < i; k++) {
			if (g->m[k].run_key != g->m[i].run_key)
				continue;
			(void)bc_strlcpy(g->m[i].suffix, g->m[k].suffix, sizeof(g->m[i].suffix));
			(void)bc_strlcpy(g->m[i].run_id, g->m[k].run_id, sizeof(g->m[i].run_id));
			g->sums->devices--;
			break;
		}
	}
	return st;
}

/* The properties that say what a testsuite is part of: the run that the shards make. */
static enum bc_status say_whole(struct merge *g, xmlNodePtr suite, const struct bc_read_device *whole)
{
	static const char *const names[] = { "shard", "complete", "plan_hash" };

	for (xmlNodePtr ps = suite->children; ps; ps = ps->next)
		for (xmlNodePtr p = is(ps, "properties") ? ps->children : NULL; p; p = p->next) {
			char *name = is(p, "property") ? (char *)xmlGetNoNsProp(p, BAD_CAST "name") : NULL;
			bool done = true;

			for (size_t i = 0; name && i < BC_ARRAY_LEN(names); i++)
				if (strcmp(name, names[i]) == 0)
					done = xmlSetProp(p, BAD_CAST "value",
							  BAD_CAST bc_read_property(whole, names[i])) != NULL;
			xmlFree(name);
			if (!done)
				return no_memory(g->err);
		}
	return BC_OK;
}

/* A device keeps its name, which is the same every night, unless several units have it: then host and GPU tell them
 * apart. */
static void name_units(struct merge *g)
{
	for (size_t i = 0; i < g->n; i++) {
		bool several = false;

		for (size_t k = 0; !several && k < g->n; k++)
			several =
				strcmp(g->m[i].base, g->m[k].base) == 0 && strcmp(g->m[i].suffix, g->m[k].suffix) != 0;
		(void)snprintf(g->m[i].name, sizeof(g->m[i].name), "%s%s", g->m[i].base, several ? g->m[i].suffix : "");
	}
}

/* Names that are there twice get their run's id; the same run twice is refused. */
static enum bc_status make_unique(struct merge *g)
{
	name_units(g);
	for (size_t i = 0; i < g->n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (strcmp(g->m[i].name, g->m[k].name) != 0)
				continue;
			if (g->m[i].run_key && g->m[i].run_key == g->m[k].run_key)
				continue; /* shards of one run */
			if (strcmp(g->m[i].run_id, g->m[k].run_id) == 0)
				return bc_fail(g->err, BC_EDATA,
					       "%s: the run %s of the device %s is in %s as well: give each run once",
					       g->m[i].path, g->m[i].run_id, g->m[i].dev, g->m[k].path);
			g->m[i].twice = g->m[k].twice = true;
		}
	}
	for (size_t i = 0; i < g->n; i++)
		if (g->m[i].twice)
			add_part(g->m[i].name, sizeof(g->m[i].name), g->m[i].run_id, sizeof(g->m[i].run_id));
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(g->m[i].name, g->m[k].name) == 0 &&
			    (!g->m[i].run_key || g->m[i].run_key != g->m[k].run_key))
				return bc_fail(
					g->err, BC_EDATA,
					"%s: the device %s would have the name of one in %s: %s: merge them apart",
					g->m[i].path, g->m[i].dev, g->m[k].path, g->m[i].name);
	return BC_OK;
}

/* "bankcheck.<dev>[.<suite>]" of attribute @key with the device's new name. */
static enum bc_status rename_class(struct merge *g, xmlNodePtr n, const char *key, const struct member *m)
{
	char *old = (char *)xmlGetNoNsProp(n, BAD_CAST key);
	const char *dot = old ? strchr(old, '.') : NULL, *rest = dot ? strchr(dot + 1, '.') : NULL;
	struct bc_text t = { 0 };
	enum bc_status st = bc_text_addf(&t, g->err, "bankcheck.%s%s", m->name, rest ? rest : "");

	if (!st && !xmlSetProp(n, BAD_CAST key, BAD_CAST t.data))
		st = no_memory(g->err);
	bc_text_release(&t);
	xmlFree(old);
	return st;
}

/* Thousandths of a second of time="1.234"; 0 where there is none. */
static uint64_t milliseconds(const xmlNode *n)
{
	xmlChar *text = xmlGetNoNsProp(n, BAD_CAST "time");
	const char *s = (const char *)text;
	uint64_t ms = 0;
	unsigned decimals = 0;

	for (; s && *s && *s != '.' && ms < UINT64_MAX / 100000; s++)
		ms = *s >= '0' && *s <= '9' ? ms * 10 + (uint64_t)(*s - '0') : ms;
	for (s = s && *s == '.' ? s + 1 : NULL; decimals < 3; decimals++) {
		ms *= 10;
		if (s && *s >= '0' && *s <= '9')
			ms += (uint64_t)(*s++ - '0');
	}
	xmlFree(text);
	return ms;
}

static enum bc_status set_count(struct merge *g, xmlNodePtr n, const char *name, size_t v)
{
	char buf[24];

	(void)snprintf(buf, sizeof(buf), "%zu", v);
	return xmlSetProp(n, BAD_CAST name, BAD_CAST buf) ? BC_OK : no_memory(g->err);
}

static enum bc_status set_sums(struct merge *g, xmlNodePtr n, const struct bc_merge_sums *s, uint64_t ms)
{
	char buf[BC_SECONDS_MAX];
	enum bc_status st = set_count(g, n, "tests", s->tests);

	if (!st)
		st = set_count(g, n, "failures", s->failures);
	if (!st)
		st = set_count(g, n, "errors", s->errors);
	bc_seconds(ms, buf);
	if (!st && !xmlSetProp(n, BAD_CAST "time", BAD_CAST buf))
		st = no_memory(g->err);
	return st;
}

static void count_case(const xmlNode *testcase, struct bc_merge_sums *s)
{
	bool failure = false, error = false, skipped = false;

	for (const xmlNode *n = testcase->children; n; n = n->next) {
		failure = failure || is(n, "failure");
		error = error || is(n, "error");
		skipped = skipped || is(n, "skipped");
	}
	s->tests++;
	s->failures += failure;
	s->errors += !failure && error;
	s->skipped += !failure && !error && skipped;
}

static enum bc_status put(struct merge *g, const char *bytes, size_t len)
{
	return g->out->write(g->out->ctx, bytes, len, g->err);
}

/* Does a testcase of a compact report keep its system-out? */
static bool keeps_values(const xmlNode *testcase)
{
	static const char *const told[] = { "failure", "error", "flakyFailure", "flakyError" };

	for (const xmlNode *n = testcase->children; n; n = n->next)
		for (size_t i = 0; i < BC_ARRAY_LEN(told); i++)
			if (is(n, told[i]))
				return true;
	return false;
}

static void drop(xmlNodePtr n)
{
	xmlUnlinkNode(n);
	xmlFreeNode(n);
}

static void drop_values(xmlNodePtr testcase)
{
	bool blank = true; /* what is left */

	for (xmlNodePtr n = testcase->children, next; n; n = next) {
		next = n->next;
		if (!is(n, "system-out")) {
			blank = blank && n->type == XML_TEXT_NODE;
			continue;
		}
		if (n->prev && n->prev->type == XML_TEXT_NODE) /* the blanks before it */
			drop(n->prev);
		drop(n);
	}
	for (xmlNodePtr n = testcase->children, next; blank && n; n = next) {
		next = n->next;
		drop(n);
	}
}

/* Give a testsuite the property junit=compact. @alone: the others are in an earlier testsuite of its device. */
static enum bc_status say_compact(struct merge *g, xmlNodePtr suite, bool alone)
{
	xmlNodePtr list = suite->children, said = NULL;

	while (list && !is(list, "properties"))
		list = list->next;
	for (xmlNodePtr p = list ? list->children : NULL, next; p; p = next) {
		char *name = is(p, "property") ? (char *)xmlGetNoNsProp(p, BAD_CAST "name") : NULL;

		next = p->next;
		if (name && strcmp(name, "junit") == 0)
			said = p;
		else if (alone)
			drop(p);
		xmlFree(name);
	}
	if (list && !said) {
		said = xmlNewChild(list, NULL, BAD_CAST "property", NULL);
		if (!said || !xmlSetProp(said, BAD_CAST "name", BAD_CAST "junit"))
			return no_memory(g->err);
	}
	return said && !xmlSetProp(said, BAD_CAST "value", BAD_CAST "compact") ? no_memory(g->err) : BC_OK;
}

/* A testsuite as text. */
static enum bc_status put_suite(struct merge *g, xmlNodePtr suite)
{
	xmlBufferPtr text = xmlBufferCreate();
	xmlOutputBufferPtr to = text ? xmlOutputBufferCreateBuffer(text, NULL) : NULL;
	enum bc_status st = to ? BC_OK : no_memory(g->err);

	if (to)
		xmlNodeDumpOutput(to, suite->doc, suite, 0, 0, "UTF-8");
	if (to && xmlOutputBufferClose(to) < 0)
		st = no_memory(g->err);
	st = bc_libxml_end("merge", st, g->err);
	if (!st)
		st = put(g, "\n ", 2);
	if (!st)
		st = put(g, (const char *)xmlBufferContent(text), (size_t)xmlBufferLength(text));
	if (text)
		xmlBufferFree(text);
	return st;
}

/* Write a testsuite under its new name. */
static enum bc_status take_suite(struct merge *g, xmlNodePtr suite, struct member *m)
{
	struct bc_merge_sums s = { 0 };
	uint64_t ms = 0;
	enum bc_status st = rename_class(g, suite, "name", m);

	if (!st && m->whole)
		st = say_whole(g, suite, m->whole);
	if (!st && g->out->form == BC_JUNIT_COMPACT)
		st = say_compact(g, suite, m->begun);
	m->begun = true;
	for (xmlNodePtr n = suite->children; !st && n; n = n->next) {
		if (!is(n, "testcase"))
			continue;
		if (g->out->form == BC_JUNIT_COMPACT && !keeps_values(n))
			drop_values(n);
		st = rename_class(g, n, "classname", m);
		count_case(n, &s);
		ms += milliseconds(n);
	}
	if (!st)
		st = set_sums(g, suite, &s, ms);
	if (!st)
		st = set_count(g, suite, "skipped", s.skipped);
	g->written.tests += s.tests;
	g->written.failures += s.failures;
	g->written.errors += s.errors;
	g->written.skipped += s.skipped;
	return st ? st : put_suite(g, suite);
}

/* The member that a testsuite of @path belongs to. The reader took the file, so there is one. */
static struct member *find_member(const struct merge *g, const char *path, const xmlNode *suite)
{
	char *name = (char *)xmlGetNoNsProp(suite, BAD_CAST "name");
	const char *dev = name ? strchr(name, '.') : NULL;
	const size_t len = dev ? strcspn(dev + 1, ".") : 0;
	struct member *found = NULL;

	for (size_t i = 0; dev && i < g->n; i++)
		if (g->m[i].path == path && strlen(g->m[i].dev) == len && strncmp(g->m[i].dev, dev + 1, len) == 0)
			found = &g->m[i];
	xmlFree(name);
	return found;
}

static enum bc_status changed(struct merge *g, const char *path)
{
	return bc_fail(g->err, BC_EDATA, "%s: changed while it was read: try again", path);
}

static enum bc_status take_file(struct merge *g, const char *path)
{
	xmlDocPtr doc = NULL;
	xmlNodePtr root;
	enum bc_status st;

	bc_libxml_begin();
	st = bc_read_xml(path, &doc, g->err);
	root = st ? NULL : xmlDocGetRootElement(doc);
	for (xmlNodePtr n = root ? root->children : NULL; !st && n; n = n->next) {
		struct member *m = is(n, "testsuite") ? find_member(g, path, n) : NULL;

		if (m)
			st = take_suite(g, n, m);
		else if (is(n, "testsuite"))
			st = changed(g, path);
	}
	st = bc_libxml_end(path, st, g->err);
	if (doc)
		xmlFreeDoc(doc);
	return st;
}

static bool is_member(const struct merge *g, const char *path)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->m[i].path == path)
			return true;
	return false;
}

static enum bc_status build(struct merge *g, char *const *paths, size_t n)
{
	struct bc_text head = { 0 };
	char seconds[BC_SECONDS_MAX];
	enum bc_status st;

	bc_seconds(g->ms, seconds);
	st = bc_text_addf(&head, g->err,
			  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"bankcheck\" tests=\"%zu\" "
			  "failures=\"%zu\" errors=\"%zu\" time=\"%s\">",
			  g->sums->tests, g->sums->failures, g->sums->errors, seconds);
	if (!st)
		st = put(g, head.data, head.len);
	bc_text_release(&head);
	for (size_t i = 0; !st && i < n; i++)
		if (is_member(g, paths[i]))
			st = take_file(g, paths[i]);
	if (!st && (g->written.tests != g->sums->tests || g->written.failures != g->sums->failures ||
		    g->written.errors != g->sums->errors || g->written.skipped != g->sums->skipped))
		st = changed(g, "merge: a report");
	return st ? st : put(g, "</testsuites>\n", 14);
}

/* All reports, but those that cannot be taken. */
static enum bc_status read_reports(struct merge *g, char *const *paths, size_t n)
{
	struct bc_error why = { .msg = "" };
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < n; i++) {
		struct bc_error *const err = g->err;

		g->err = &why;
		st = add_members(g, paths[i]);
		g->err = err;
		if (st == BC_EDATA || st == BC_EREAD) {
			if (n > 1)
				g->out->refused(g->out->ctx, &why);
			g->sums->refused++;
			st = BC_OK;
		} else {
			g->sums->reports += !st;
		}
	}
	if (!st && !g->sums->reports)
		st = n == 1 ? why.status
			    : bc_fail(&why, why.status, "merge: none of the %zu reports could be taken", n);
	return st ? bc_fail(g->err, st, "%s", why.msg) : BC_OK;
}

enum bc_status bc_junit_merge(char *const *paths, size_t n, const struct bc_merge_out *out, struct bc_merge_sums *sums,
			      struct bc_error *err)
{
	struct merge g = { .out = out, .sums = sums, .err = err };
	enum bc_status st;

	*sums = (struct bc_merge_sums){ 0 };
	g.shards = calloc(n + 1, sizeof(*g.shards));
	if (!g.shards)
		return no_memory(err);
	st = read_reports(&g, paths, n);
	if (!st)
		st = join_shards(&g);
	if (!st)
		st = make_unique(&g);
	if (!st)
		st = build(&g, paths, n);
	for (size_t i = 0; i < g.nshards; i++)
		bc_report_release(&g.shards[i]);
	free(g.shards);
	free(g.m);
	return st;
}
