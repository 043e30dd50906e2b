/* SPDX-License-Identifier: MIT */
#include "harness/report/read_agreement.h"

#include <stdio.h>
#include <string.h>

#include "harness/report/render.h"

static const char *const elements[] = { "failure", "error", "skipped" };

/* The index in elements of what @n is; BC_ARRAY_LEN(elements): none of them. */
static size_t kind_of(const xmlNode *n)
{
	size_t i = 0;

	while (i < BC_ARRAY_LEN(elements) &&
	       (n->type != XML_ELEMENT_NODE || strcmp((const char *)n->name, elements[i]) != 0))
		i++;
	return i;
}

static enum bc_status contradicts(const char *path, const xmlNode *n, const char *what, struct bc_error *err)
{
	return bc_fail(err, BC_EDATA,
		       "%s:%ld: %s: the report contradicts itself: it was changed or is damaged; run the cases again",
		       path, xmlGetLineNo(n), what);
}

static enum bc_status check_child(const char *path, const xmlNode *child, const char *id, enum bc_verdict verdict,
				  struct bc_error *err)
{
	const char *element = bc_verdict_style(verdict)->element, *name = (const char *)child->name;
	xmlChar *type = xmlGetNoNsProp(child, BAD_CAST "type");
	enum bc_status st = BC_OK;
	char what[BC_ID_MAX + 200];

	if (!element || strcmp(element, name) != 0) {
		(void)snprintf(what, sizeof(what), "%.95s: verdict=%s beside the element %s", id,
			       bc_verdict_name(verdict), name);
		st = contradicts(path, child, what, err);
	} else if (type && strcmp((const char *)type, bc_verdict_name(verdict)) != 0) {
		(void)snprintf(what, sizeof(what), "%.95s: verdict=%s, and its %s is of type %.40s", id,
			       bc_verdict_name(verdict), name, (const char *)type);
		st = contradicts(path, child, what, err);
	}
	xmlFree(type);
	return st;
}

enum bc_status bc_agreement_case(const char *path, const xmlNode *testcase, const char *id, enum bc_verdict verdict,
				 struct bc_read_sums *sums, struct bc_error *err)
{
	size_t *const count[] = { &sums->failures, &sums->errors, &sums->skipped };
	const char *element = bc_verdict_style(verdict)->element;
	size_t children = 0;
	enum bc_status st = BC_OK;
	char what[BC_ID_MAX + 200];

	for (const xmlNode *n = testcase->children; !st && n; n = n->next) {
		const size_t kind = kind_of(n);

		if (kind == BC_ARRAY_LEN(elements))
			continue;
		st = check_child(path, n, id, verdict, err);
		children++;
		++*count[kind];
	}
	if (st)
		return st;
	sums->tests++;
	if (children == (element ? 1 : 0))
		return BC_OK;
	(void)snprintf(what, sizeof(what), "%.95s: verdict=%s, and %s element %s", id, bc_verdict_name(verdict),
		       children ? "more than one" : "no", element);
	return contradicts(path, testcase, what, err);
}

enum bc_status bc_agreement_sums(const char *path, const xmlNode *n, const struct bc_read_sums *sums,
				 struct bc_error *err)
{
	const struct {
		const char *name;
		size_t is;
	} sum[] = { { "tests", sums->tests },
		    { "failures", sums->failures },
		    { "errors", sums->errors },
		    { "skipped", sums->skipped } };
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < BC_ARRAY_LEN(sum); i++) {
		xmlChar *says = xmlGetNoNsProp(n, BAD_CAST sum[i].name);
		char is[24], what[200];

		(void)snprintf(is, sizeof(is), "%zu", sum[i].is);
		(void)snprintf(what, sizeof(what), "%s=\"%.40s\", and its testcases make %s", sum[i].name,
			       says ? (const char *)says : "", is);
		if (says && strcmp((const char *)says, is) != 0)
			st = contradicts(path, n, what, err);
		xmlFree(says);
	}
	return st;
}
