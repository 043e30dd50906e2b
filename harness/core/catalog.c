/* SPDX-License-Identifier: MIT */
#include "harness/core/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool name_ok(const char *s)
{
	if (!s || *s == '\0')
		return false;
	return s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* Join three parts of an id. Return: false when they do not fit. */
static bool join_id(char id[BC_ID_MAX], const char *suite, const char *rule, const char *variant)
{
	const int n = snprintf(id, BC_ID_MAX, "%s/%s/%s", suite, rule, variant);

	return n > 0 && n < BC_ID_MAX;
}

static enum bc_status check_pattern(const struct bc_case *c, struct bc_error *err)
{
	const struct bc_pattern *p = &c->pattern;
	const struct bc_op_info *info = bc_op_info(p->op);

	if (info->law == BC_LAW_NONE)
		return bc_fail(err, BC_EDATA, "%s: the pattern has no operation", c->id);
	if (p->mask == 0)
		return bc_fail(err, BC_EDATA, "%s: the pattern has no active lane", c->id);
	if (info->matrices && p->mask != UINT32_MAX)
		return bc_fail(err, BC_EDATA, "%s: %s needs all 32 lanes, the mask is %08x", c->id, info->name,
			       p->mask);
	if (p->count == 0 || p->count > 32 || (p->count & (p->count - 1)) != 0)
		return bc_fail(err, BC_EDATA, "%s: %u requests: 1, 2, 4, 8, 16 or 32 are allowed", c->id, p->count);
	if (p->step % info->bytes != 0)
		return bc_fail(err, BC_EDATA, "%s: a step of %u bytes is not a multiple of the %u of %s", c->id,
			       p->step, info->bytes, info->name);
	if ((unsigned)p->origin > BC_FROM_OPTIN_END)
		return bc_fail(err, BC_EDATA, "%s: the pattern has no origin", c->id);
	for (unsigned lane = 0; lane < BC_LANES; lane++)
		if ((p->mask >> lane & 1) != 0 && p->offset[lane] % info->bytes != 0)
			return bc_fail(err, BC_EDATA, "%s: lane %u's offset %u is not a multiple of the %u bytes of %s",
				       c->id, lane, p->offset[lane], info->bytes, info->name);
	return BC_OK;
}

static enum bc_status check_program(const struct bc_case *c, struct bc_error *err)
{
	if (c->pattern.op != BC_OP_NONE)
		return bc_fail(err, BC_EDATA, "%s: a case of a rule with programs has no pattern", c->id);
	if (!c->rule->check)
		return bc_fail(err, BC_EDATA, "%s: a rule with programs needs a check function: data is always judged",
			       c->id);
	return BC_OK;
}

/* Give a built case its id, prefix its twin, and check both and the pattern. */
static enum bc_status finish_case(struct bc_case *c, struct bc_error *err)
{
	char twin[BC_ID_MAX];

	if (!memchr(c->variant, '\0', sizeof(c->variant)) || !memchr(c->twin, '\0', sizeof(c->twin)))
		return bc_fail(err, BC_EDATA, "%s/%s: a variant or twin without end: shorten it", c->suite->name,
			       c->rule->name);
	if (!name_ok(c->variant))
		return bc_fail(err, BC_EDATA, "%s/%s: variant '%s': only a-z, 0-9 and _ are allowed", c->suite->name,
			       c->rule->name, c->variant);
	if (!join_id(c->id, c->suite->name, c->rule->name, c->variant))
		return bc_fail(err, BC_EDATA, "%s/%s/%s: the id is longer than %d bytes", c->suite->name, c->rule->name,
			       c->variant, BC_ID_MAX - 1);

	const char *slash = strchr(c->twin, '/');

	if (slash && !strchr(slash + 1, '/')) { /* "rule/variant" of the same suite */
		const int n = snprintf(twin, sizeof(twin), "%s/%s", c->suite->name, c->twin);

		if (n < 0 || (size_t)n >= sizeof(twin))
			return bc_fail(err, BC_EDATA, "%s: the twin's id is longer than %d bytes", c->id,
				       BC_ID_MAX - 1);
		memcpy(c->twin, twin, (size_t)n + 1);
	}
	return c->rule->program ? check_program(c, err) : check_pattern(c, err);
}

static enum bc_status add_case(struct bc_catalog *cat, size_t *cap, const struct bc_case *c, struct bc_error *err)
{
	if (cat->n == BC_CASES_MAX)
		return bc_fail(err, BC_EDATA, "%s: more than %d cases: does its build function ever return false?",
			       c->id, BC_CASES_MAX);
	if (cat->n == *cap) {
		const size_t more = *cap ? *cap * 2 : 1024;
		struct bc_case *cases = realloc(cat->cases, more * sizeof(cases[0]));

		if (!cases)
			return bc_fail(err, BC_ENOMEM, "out of memory: %zu cases", more);
		cat->cases = cases;
		*cap = more;
	}
	cat->cases[cat->n++] = *c;
	return BC_OK;
}

static enum bc_status add_suite(struct bc_catalog *cat, size_t *cap, const struct bc_suite *s, struct bc_error *err)
{
	if (!name_ok(s->name))
		return bc_fail(err, BC_EDATA, "suite '%s': only a-z, 0-9 and _ are allowed in a name",
			       s->name ? s->name : "");
	for (size_t r = 0; r < s->nrules; r++) {
		const struct bc_rule *rule = &s->rules[r];
		const size_t before = cat->n;

		if (!name_ok(rule->name))
			return bc_fail(err, BC_EDATA, "%s: rule '%s': only a-z, 0-9 and _ are allowed in a name",
				       s->name, rule->name ? rule->name : "");
		if (!rule->sentence || !rule->build)
			return bc_fail(err, BC_EDATA, "%s/%s: a rule needs a sentence and a build function", s->name,
				       rule->name);
		for (unsigned i = 0;; i++) {
			struct bc_case c = { .suite = s, .rule = rule };

			if (!rule->build(i, &c))
				break;

			enum bc_status st = finish_case(&c, err);

			if (!st)
				st = add_case(cat, cap, &c, err);
			if (st)
				return st;
		}
		if (cat->n == before)
			return bc_fail(err, BC_EDATA, "%s/%s: the rule has no case", s->name, rule->name);
	}
	return BC_OK;
}

static int by_suite_name(const void *left, const void *right)
{
	const struct bc_suite *const *a = left, *const *b = right;

	if (!(*a)->name || !(*b)->name) /* refused later */
		return ((*a)->name != NULL) - ((*b)->name != NULL);
	if ((*a)->hidden != (*b)->hidden)
		return (*a)->hidden ? 1 : -1;
	return strcmp((*a)->name, (*b)->name);
}

static int by_id(const void *left, const void *right)
{
	const struct bc_case *const *a = left, *const *b = right;

	return strcmp((*a)->id, (*b)->id);
}

/* The index by id; refuses an id that is there twice. */
static enum bc_status make_index(struct bc_catalog *cat, struct bc_error *err)
{
	cat->by_id = malloc((cat->n + 1) * sizeof(cat->by_id[0]));
	if (!cat->by_id)
		return bc_fail(err, BC_ENOMEM, "out of memory: index of %zu cases", cat->n);
	for (size_t i = 0; i < cat->n; i++)
		cat->by_id[i] = &cat->cases[i];
	qsort(cat->by_id, cat->n, sizeof(cat->by_id[0]), by_id);
	for (size_t i = 1; i < cat->n; i++)
		if (strcmp(cat->by_id[i - 1]->id, cat->by_id[i]->id) == 0)
			return bc_fail(err, BC_EDATA, "%s: the id is there twice: give one variant another name",
				       cat->by_id[i]->id);
	return BC_OK;
}

static enum bc_status check_twins(const struct bc_catalog *cat, struct bc_error *err)
{
	for (size_t i = 0; i < cat->n; i++) {
		const struct bc_case *c = &cat->cases[i];

		if (c->twin[0] == '\0')
			continue;

		const struct bc_case *twin = bc_catalog_find(cat, c->twin);

		if (!twin)
			return bc_fail(err, BC_EDATA, "%s: its twin %s does not exist", c->id, c->twin);
		if (twin == c)
			return bc_fail(err, BC_EDATA, "%s: the case is its own twin", c->id);
		if (twin->twin[0] != '\0')
			return bc_fail(err, BC_EDATA, "%s: its twin %s names a twin itself, so it is not clean", c->id,
				       c->twin);
		if (twin->pattern.op != c->pattern.op)
			return bc_fail(err, BC_EDATA, "%s: %s, but its twin %s is %s: a twin runs the same kernel",
				       c->id, bc_op_info(c->pattern.op)->name, c->twin,
				       bc_op_info(twin->pattern.op)->name);
	}
	return BC_OK;
}

enum bc_status bc_catalog_build(const struct bc_suite *const *suites, struct bc_catalog *out, struct bc_error *err)
{
	struct bc_catalog cat = { 0 };
	const struct bc_suite **sorted = NULL;
	enum bc_status st = BC_OK;
	size_t n = 0, cap = 0;

	while (suites[n])
		n++;
	sorted = malloc((n + 1) * sizeof(sorted[0]));
	if (!sorted)
		return bc_fail(err, BC_ENOMEM, "out of memory: %zu suites", n);
	memcpy(sorted, suites, n * sizeof(sorted[0]));
	qsort(sorted, n, sizeof(sorted[0]), by_suite_name);
	for (size_t i = 0; i < n && !st; i++)
		st = add_suite(&cat, &cap, sorted[i], err);
	if (!st)
		st = make_index(&cat, err);
	if (!st)
		st = check_twins(&cat, err);
	if (!st) {
		const size_t all = cat.n;

		while (cat.n > 0 && cat.cases[cat.n - 1].suite->hidden)
			cat.n--;
		cat.nhidden = all - cat.n;
		*out = cat;
		cat = (struct bc_catalog){ 0 }; /* the caller owns it now */
	}
	bc_catalog_release(&cat);
	free(sorted);
	return st;
}

void bc_catalog_release(struct bc_catalog *c)
{
	if (!c)
		return;
	free(c->cases);
	free(c->by_id);
	*c = (struct bc_catalog){ 0 };
}

static int id_to_case(const void *key, const void *element)
{
	const struct bc_case *const *c = element;

	return strcmp(key, (*c)->id);
}

const struct bc_case *bc_catalog_find(const struct bc_catalog *c, const char *id)
{
	if (!c->by_id)
		return NULL;

	const struct bc_case *const *found = bsearch(id, c->by_id, c->n + c->nhidden, sizeof(c->by_id[0]), id_to_case);

	return found ? *found : NULL;
}
