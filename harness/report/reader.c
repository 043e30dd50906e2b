/* SPDX-License-Identifier: MIT */
#include "harness/report/reader.h"
#include "harness/report/values.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <libxml/tree.h>

#include "harness/base/file.h"
#include "harness/core/select.h"
#include "harness/report/read_agreement.h"
#include "harness/report/read_xml.h"

/* What a file is being read into. */
struct reading {
	const char *path;
	struct bc_read_file *file;
	size_t ncases;		  /* of all devices */
	struct bc_read_sums sums; /* likewise */
	bool starved;		  /* memory lacked for an attribute: what was made of it does not count */
	struct bc_error *err;
};

/* An attribute's value; "" when it is not there, or memory lacks, which is kept. */
static const char *attribute(struct reading *r, const xmlNode *n, const char *name, char **owned)
{
	xmlChar *v = xmlGetNoNsProp(n, BAD_CAST name);

	if (!v && xmlHasProp(n, BAD_CAST name))
		r->starved = true;
	*owned = (char *)v;
	return v ? (const char *)v : "";
}

static enum bc_status refuse(struct reading *r, const xmlNode *n, const char *what)
{
	return bc_fail(r->err, BC_EDATA,
		       "%s:%ld: %s: not a report that bankcheck wrote; give reports/*.xml of `bankcheck run`", r->path,
		       xmlGetLineNo(n), what);
}

static enum bc_status no_memory(struct reading *r)
{
	return bc_fail(r->err, BC_ENOMEM, "%s: out of memory", r->path);
}

static bool is(const xmlNode *n, const char *name)
{
	return n->type == XML_ELEMENT_NODE && strcmp((const char *)n->name, name) == 0;
}

static enum bc_status copy(struct reading *r, const char *from, char **to)
{
	*to = strdup(from);
	return *to ? BC_OK : no_memory(r);
}

/* Properties of a testsuite, into a device that has none yet. */
static enum bc_status read_properties(struct reading *r, const xmlNode *suite, struct bc_read_device *d)
{
	enum bc_status st = BC_OK;

	for (const xmlNode *ps = suite->children; !st && ps; ps = ps->next) {
		for (const xmlNode *p = is(ps, "properties") ? ps->children : NULL; !st && p; p = p->next) {
			char *name = NULL, *value = NULL;
			struct bc_pair *grown;

			if (!is(p, "property"))
				continue;
			grown = realloc(d->property, (d->nproperties + 1) * sizeof(*grown));
			if (!grown)
				return no_memory(r);
			d->property = grown;
			grown[d->nproperties] = (struct bc_pair){ 0 };
			st = copy(r, attribute(r, p, "name", &name), &grown[d->nproperties].name);
			if (!st)
				st = copy(r, attribute(r, p, "value", &value), &grown[d->nproperties].value);
			d->nproperties++;
			xmlFree(name);
			xmlFree(value);
		}
	}
	return st;
}

/* Middle of the name "bankcheck.<dev>.<suite>" or "bankcheck.<dev>" of a testsuite, malloc'ed. */
static enum bc_status device_of(struct reading *r, const xmlNode *suite, char **dev)
{
	static const char head[] = "bankcheck.";
	char *owned = NULL;
	const char *name = attribute(r, suite, "name", &owned);
	const bool ours = strncmp(name, head, sizeof(head) - 1) == 0;
	const size_t n = ours ? strcspn(name + sizeof(head) - 1, ".") : 0;
	enum bc_status st = BC_OK;

	if (!n)
		st = refuse(r, suite, "a testsuite whose name is not bankcheck.<device>.<suite>");
	else if (!(*dev = strndup(name + sizeof(head) - 1, n)))
		st = no_memory(r);
	xmlFree(owned);
	return st;
}

static struct bc_read_device *find_device(struct reading *r, const char *dev)
{
	for (size_t i = 0; i < r->file->ndevices; i++)
		if (strcmp(r->file->devices[i].dev, dev) == 0)
			return &r->file->devices[i];
	return NULL;
}

static enum bc_status add_device(struct reading *r, const xmlNode *suite, const char *dev, struct bc_read_device **out)
{
	struct bc_read_device *grown = realloc(r->file->devices, (r->file->ndevices + 1) * sizeof(*grown)), *d;
	char *timestamp = NULL, *host = NULL;
	enum bc_status st;

	if (!grown)
		return no_memory(r);
	r->file->devices = grown;
	d = &grown[r->file->ndevices++];
	memset(d, 0, sizeof(*d));
	st = copy(r, dev, &d->dev);
	if (!st)
		st = copy(r, attribute(r, suite, "timestamp", &timestamp), &d->timestamp);
	if (!st)
		st = copy(r, attribute(r, suite, "hostname", &host), &d->host);
	if (!st)
		st = read_properties(r, suite, d);
	xmlFree(timestamp);
	xmlFree(host);
	if (!st && (!bc_read_property(d, "bankcheck")[0] || !bc_read_property(d, "run_id")[0]))
		st = refuse(r, suite, "the testsuite lacks the properties `bankcheck` and `run_id`");
	*out = d;
	return st;
}

/* failure, error or skipped: its message. */
static enum bc_status read_message(struct reading *r, const xmlNode *testcase, struct bc_read_case *c)
{
	for (const xmlNode *n = testcase->children; n; n = n->next) {
		char *owned = NULL;
		enum bc_status st;

		if (!is(n, "failure") && !is(n, "error") && !is(n, "skipped"))
			continue;
		st = copy(r, attribute(r, n, "message", &owned), &c->message);
		xmlFree(owned);
		return st;
	}
	return copy(r, "", &c->message);
}

static double seconds_of(const char *s)
{
	double v = 0, unit = 1;

	for (; *s >= '0' && *s <= '9'; s++)
		v = v * 10 + (*s - '0');
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9'; s++)
			v += (*s - '0') * (unit /= 10);
	return v;
}

/* Is it a testsuite of a compact report? */
static bool is_compact(struct reading *r, const xmlNode *suite)
{
	bool compact = false;

	for (const xmlNode *ps = suite->children; ps; ps = ps->next)
		for (const xmlNode *p = is(ps, "properties") ? ps->children : NULL; p; p = p->next) {
			char *name = NULL, *value = NULL;

			compact =
				compact || (is(p, "property") && strcmp(attribute(r, p, "name", &name), "junit") == 0 &&
					    strcmp(attribute(r, p, "value", &value), "compact") == 0);
			xmlFree(name);
			xmlFree(value);
		}
	return compact;
}

/* "suite/rule/variant" of bankcheck.<dev>.<suite> and <rule>/<variant>. */
static enum bc_status read_id(struct reading *r, const xmlNode *testcase, struct bc_read_case *c)
{
	char *class = NULL, *name = NULL;
	const char *dot = strrchr(attribute(r, testcase, "classname", &class), '.');
	struct bc_text id = { 0 };
	enum bc_status st = BC_OK;

	if (!dot || !dot[1] || !strchr(attribute(r, testcase, "name", &name), '/'))
		st = refuse(r, testcase, "a testcase that is not bankcheck.<device>.<suite> and <rule>/<variant>");
	else
		st = bc_text_addf(&id, r->err, "%s/%s", dot + 1, name);
	xmlFree(class);
	xmlFree(name);
	c->id = id.data;
	return st;
}

/* A testcase of a compact report that has no system-out: it passed, or was skipped and says how. */
static enum bc_status read_compact(struct reading *r, const xmlNode *testcase, struct bc_read_case *c)
{
	c->verdict_only = true;
	c->verdict = BC_PASS;
	for (const xmlNode *n = testcase->children; n; n = n->next) {
		char *type = NULL;
		bool known;

		if (is(n, "failure") || is(n, "error"))
			return refuse(r, testcase, "a finding without system-out");
		if (!is(n, "skipped"))
			continue;
		known = bc_verdict_parse(attribute(r, n, "type", &type), &c->verdict);
		xmlFree(type);
		if (!known)
			return refuse(r, testcase, "unknown verdict (a report of a later version?)");
	}
	return read_id(r, testcase, c);
}

static bool has_system_out(const xmlNode *testcase)
{
	for (const xmlNode *n = testcase->children; n; n = n->next)
		if (is(n, "system-out"))
			return true;
	return false;
}

static enum bc_status read_keys(struct reading *r, const xmlNode *testcase, struct bc_read_case *c)
{
	struct bc_error why = { .msg = "" };
	enum bc_status st = BC_EDATA;

	for (const xmlNode *n = testcase->children; n; n = n->next) {
		xmlChar *text;

		if (!is(n, "system-out"))
			continue;
		text = xmlNodeGetContent(n);
		if (!text)
			return no_memory(r);
		st = bc_junit_keys((const char *)text, &c->keys, &why);
		xmlFree(text);
		if (st)
			return bc_fail(r->err, st, "%s:%u: %s", r->path, c->line, why.msg);
		break;
	}
	if (st || !bc_key_get(&c->keys, "case") || !bc_key_get(&c->keys, "verdict"))
		return refuse(r, testcase, "the testcase has no system-out with `case=` and `verdict=`");
	if (!bc_verdict_parse(bc_key_get(&c->keys, "verdict"), &c->verdict))
		return refuse(r, testcase, "unknown verdict (a report of a later version?)");

	const char *damaged = bc_values_check(&c->keys);

	if (damaged)
		return bc_fail(r->err, BC_EDATA,
			       "%s:%u: %s: the value of %s= cannot be read: a damaged report; run the case again",
			       r->path, c->line, bc_key_get(&c->keys, "case"), damaged);
	return copy(r, bc_key_get(&c->keys, "case"), &c->id);
}

static enum bc_status read_case(struct reading *r, const xmlNode *testcase, bool compact, struct bc_read_device *d,
				size_t *cap, struct bc_read_sums *sums)
{
	char *time = NULL;
	const long line = xmlGetLineNo(testcase);
	struct bc_read_case *c;
	enum bc_status st;

	if (++r->ncases > BC_REPORT_CASES_MAX)
		return refuse(r, testcase, "too many cases");
	if (d->ncases == *cap) {
		const size_t more = *cap ? 2 * *cap : 256;
		struct bc_read_case *grown = realloc(d->cases, more * sizeof(*grown));

		if (!grown)
			return no_memory(r);
		d->cases = grown;
		*cap = more;
	}
	c = &d->cases[d->ncases++];
	memset(c, 0, sizeof(*c));
	c->line = line > 0 ? (unsigned)line : 0;
	c->seconds = seconds_of(attribute(r, testcase, "time", &time));
	xmlFree(time);
	st = compact && !has_system_out(testcase) ? read_compact(r, testcase, c) : read_keys(r, testcase, c);
	d->nverdict_only += c->verdict_only;
	if (!st)
		st = bc_agreement_case(r->path, testcase, c->id, c->verdict, sums, r->err);
	return st ? st : read_message(r, testcase, c);
}

static enum bc_status read_suite(struct reading *r, const xmlNode *suite)
{
	char *dev = NULL;
	const bool compact = is_compact(r, suite);
	struct bc_read_device *d = NULL;
	struct bc_read_sums sums = { 0 };
	size_t cap = 0;
	enum bc_status st = device_of(r, suite, &dev);

	if (st)
		return st;
	d = find_device(r, dev);
	if (!d)
		st = add_device(r, suite, dev, &d);
	if (!st)
		cap = d->ncases;
	for (const xmlNode *n = suite->children; !st && n; n = n->next)
		if (is(n, "testcase"))
			st = read_case(r, n, compact, d, &cap, &sums);
	if (!st)
		st = bc_agreement_sums(r->path, suite, &sums, r->err);
	r->sums.tests += sums.tests;
	r->sums.failures += sums.failures;
	r->sums.errors += sums.errors;
	r->sums.skipped += sums.skipped;
	free(dev);
	return st;
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct bc_read_case *)a)->id, ((const struct bc_read_case *)b)->id);
}

static enum bc_status finish(struct reading *r)
{
	for (size_t i = 0; i < r->file->ndevices; i++) {
		struct bc_read_device *d = &r->file->devices[i];

		if (d->ncases)
			qsort(d->cases, d->ncases, sizeof(*d->cases), by_id);
		for (size_t k = 1; k < d->ncases; k++)
			if (strcmp(d->cases[k - 1].id, d->cases[k].id) == 0)
				return bc_fail(r->err, BC_EDATA,
					       "%s:%u: the case %s is there twice for %s (also line %u)", r->path,
					       d->cases[k].line, d->cases[k].id, d->dev, d->cases[k - 1].line);
	}
	return BC_OK;
}

static enum bc_status read_document(struct reading *r, xmlDoc *doc)
{
	const xmlNode *root = xmlDocGetRootElement(doc);
	enum bc_status st = BC_OK;

	if (!root || !is(root, "testsuites"))
		return bc_fail(r->err, BC_EDATA,
			       "%s:1: the root element is not testsuites: not a report that bankcheck wrote; give "
			       "reports/*.xml of `bankcheck run`",
			       r->path);
	for (const xmlNode *n = root->children; !st && n; n = n->next)
		if (is(n, "testsuite"))
			st = read_suite(r, n);
	if (!st && !r->file->ndevices)
		st = refuse(r, root, "no testsuite");
	if (!st)
		st = finish(r); /* first: a case that is there twice spoils the sums too */
	return st ? st : bc_agreement_sums(r->path, root, &r->sums, r->err);
}

enum bc_status bc_report_read(const char *path, struct bc_read_file *out, struct bc_error *err)
{
	struct bc_read_file file = { 0 };
	struct reading r = { .path = path, .file = &file, .err = err };
	xmlDoc *doc = NULL;
	enum bc_status st;

	bc_libxml_begin();
	st = bc_read_xml(path, &doc, err);

	if (!st)
		st = copy(&r, path, &file.path);
	if (!st)
		st = read_document(&r, doc);
	if (r.starved)
		st = no_memory(&r);
	st = bc_libxml_end(path, st, err);
	if (!st) {
		*out = file;
		file = (struct bc_read_file){ 0 }; /* the caller owns it now */
	}
	if (doc)
		xmlFreeDoc(doc);
	bc_report_release(&file);
	return st;
}

static void release_case(struct bc_read_case *c)
{
	free(c->id);
	free(c->message);
	bc_key_values_release(&c->keys);
}

void bc_read_device_release(struct bc_read_device *d)
{
	for (size_t k = 0; k < d->nproperties; k++) {
		free(d->property[k].name);
		free(d->property[k].value);
	}
	for (size_t k = 0; k < d->ncases; k++)
		release_case(&d->cases[k]);
	free(d->property);
	free(d->cases);
	free(d->dev);
	free(d->timestamp);
	free(d->host);
	*d = (struct bc_read_device){ 0 };
}

static bool any_matches(const char *const *globs, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (bc_glob_matches(globs[i], id))
			return true;
	return false;
}

size_t bc_report_select(struct bc_read_file *f, const char *const *filter, size_t nfilter, const char *const *exclude,
			size_t nexclude)
{
	size_t left = 0;

	for (size_t i = 0; i < f->ndevices; i++) {
		struct bc_read_device *d = &f->devices[i];
		size_t n = 0;

		d->nverdict_only = 0;
		for (size_t k = 0; k < d->ncases; k++) {
			if ((nfilter && !any_matches(filter, nfilter, d->cases[k].id)) ||
			    any_matches(exclude, nexclude, d->cases[k].id)) {
				release_case(&d->cases[k]);
				continue;
			}
			d->nverdict_only += d->cases[k].verdict_only;
			d->cases[n++] = d->cases[k];
		}
		d->ncases = n;
		left += n;
	}
	return left;
}

void bc_report_release(struct bc_read_file *f)
{
	for (size_t i = 0; i < f->ndevices; i++)
		bc_read_device_release(&f->devices[i]);
	free(f->devices);
	free(f->path);
	*f = (struct bc_read_file){ 0 };
}

const char *bc_read_property(const struct bc_read_device *d, const char *name)
{
	for (size_t i = 0; i < d->nproperties; i++)
		if (strcmp(d->property[i].name, name) == 0)
			return d->property[i].value;
	return "";
}

static int id_to_case(const void *key, const void *element)
{
	return strcmp(key, ((const struct bc_read_case *)element)->id);
}

const struct bc_read_case *bc_read_find(const struct bc_read_device *d, const char *id)
{
	return d->ncases ? bsearch(id, d->cases, d->ncases, sizeof(*d->cases), id_to_case) : NULL;
}

static bool ends_with(const char *name, const char *end)
{
	const size_t n = strlen(name), m = strlen(end);

	return n > m && strcmp(name + n - m, end) == 0;
}

static bool is_report_name(const char *name)
{
	return ends_with(name, ".xml") || ends_with(name, ".xml.gz");
}

static int is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Reports of a folder, by name; with @below its folders too, each in its place by name. Links to folders are not
 * followed: they may lead in a circle. */
static enum bc_status list_folder(const char *dir, bool below, struct bc_paths *out, struct bc_error *err)
{
	struct dirent **entry = NULL;
	const int found = scandir(dir, &entry, is_shown, alphasort);
	enum bc_status st = BC_OK;

	if (found < 0)
		return bc_fail(err, BC_EREAD, "%s: %s", dir, strerror(errno));
	for (int i = 0; i < found; i++) {
		char path[PATH_MAX];
		const int len = snprintf(path, sizeof(path), "%s/%s", dir, entry[i]->d_name);
		struct stat s;

		if (!st && (len < 0 || (size_t)len >= sizeof(path)))
			st = bc_fail(err, BC_EREAD, "%s/%s: the path is too long", dir, entry[i]->d_name);
		else if (!st && below && lstat(path, &s) == 0 && S_ISDIR(s.st_mode))
			st = list_folder(path, below, out, err);
		else if (!st && is_report_name(entry[i]->d_name))
			st = bc_paths_add(out, path, err);
		free(entry[i]);
	}
	free(entry);
	return st;
}

static enum bc_status list_paths(const char *word, bool below, char ***paths, size_t *n, struct bc_error *err)
{
	struct bc_paths all = { .path = *paths, .n = *n };
	struct stat s;
	enum bc_status st;

	if (stat(word, &s))
		return bc_fail(err, BC_EREAD, "%s: %s", word, strerror(errno));
	st = S_ISDIR(s.st_mode) ? list_folder(word, below, &all, err) : bc_paths_add(&all, word, err);
	if (!st && all.n == *n)
		st = bc_fail(err, BC_EDATA, "%s: no *.xml and no *.xml.gz in this folder%s", word,
			     below ? ", nor below it" : "");
	*paths = all.path;
	*n = all.n;
	return st;
}

enum bc_status bc_report_paths(const char *word, char ***paths, size_t *n, struct bc_error *err)
{
	return list_paths(word, false, paths, n, err);
}

enum bc_status bc_report_paths_below(const char *word, char ***paths, size_t *n, struct bc_error *err)
{
	return list_paths(word, true, paths, n, err);
}
