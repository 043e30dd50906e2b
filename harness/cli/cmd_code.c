/* SPDX-License-Identifier: MIT */
/* harness/cli/cmd_code.c - `bankcheck code`: did the compiler make other instructions of the kernels? */
#include "harness/cli/options.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/compare/code_lists.h"
#include "harness/report/json.h"

#define CODE_SCHEMA "bankcheck-code-1"

static void print_difference(const struct bc_code_difference *d)
{
	(void)printf("  %s %s %s: ", d->image, d->arch, d->kernel);
	if (d->key[0])
		(void)printf("%s %" PRIu64 ", was %" PRIu64 " (%s)\n", d->key, d->now, d->was,
			     bc_code_class_name(d->class));
	else
		(void)printf("the kernel is %s\n", d->was ? "gone" : "new");
}

/* @all: also what is told only. */
static void print(const char *old, const char *now, const struct bc_code_comparison *c, bool all)
{
	(void)printf("%s against %s: %zu kernels compared\n", now, old, c->kernels);
	for (size_t i = 0; i < c->n; i++) {
		const bool counts = bc_code_class_counts(c->difference[i].class);

		if (counts || all)
			print_difference(&c->difference[i]);
	}
	(void)printf("  kernels that differ:");
	for (unsigned k = 0; k < BC_CODE_NCLASSES; k++)
		(void)printf("%s %s %zu", k ? "," : "", bc_code_class_name((enum bc_code_class)k), c->differ[k]);
	(void)putchar('\n');
	if (!c->stack[0] || !c->stack[1])
		(void)printf("  registers, stack and shared bytes were not compared: cuobjdump was not there for %s\n",
			     c->stack[0] ? now : old);
	if (c->only_old)
		(void)printf("  only in %s: %zu of an image and an architecture (%s)\n", old, c->only_old, c->only[0]);
	if (c->only_now)
		(void)printf("  only in %s: %zu of an image and an architecture (%s)\n", now, c->only_now, c->only[1]);
}

static json_t *differences(const struct bc_code_comparison *c)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < c->n; i++) {
		const struct bc_code_difference *d = &c->difference[i];
		json_t *one = json_pack("{so, so, so, so, ss, sb, sI, sI}", "image", bc_json_text(d->image), "arch",
					bc_json_text(d->arch), "kernel", bc_json_text(d->kernel), "instruction",
					bc_json_known(d->key), "class", bc_code_class_name(d->class), "counts",
					(int)bc_code_class_counts(d->class), "was", (json_int_t)d->was, "now",
					(json_int_t)d->now);

		if (json_array_append_new(list, one)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* Kernels that differ, by class. */
static json_t *classes(const struct bc_code_comparison *c)
{
	json_t *j = json_object();

	for (unsigned k = 0; j && k < BC_CODE_NCLASSES; k++) {
		if (json_object_set_new(j, bc_code_class_name((enum bc_code_class)k),
					json_integer((json_int_t)c->differ[k]))) {
			json_decref(j);
			return NULL;
		}
	}
	return j;
}

/* Append the comparison with one folder to @list. */
static enum bc_status add_json(json_t *list, const char *now, const struct bc_code_comparison *c, struct bc_error *err)
{
	json_t *one = json_pack("{so, sI, so, sb, sI, sI, so}", "now", bc_json_text(now), "kernels",
				(json_int_t)c->kernels, "kernels_that_differ", classes(c), "resources_compared",
				(int)(c->stack[0] && c->stack[1]), "only_in_first", (json_int_t)c->only_old,
				"only_in_this", (json_int_t)c->only_now, "differences", differences(c));

	return json_array_append_new(list, one) ? bc_fail(err, BC_ENOMEM, "code: out of memory") : BC_OK;
}

/* Does anything differ that counts? */
static bool any_counts(const struct bc_code_comparison *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (bc_code_class_counts(c->difference[i].class))
			return true;
	return false;
}

/* Compare the @at-th folder with the first. @list: NULL: print. */
static enum bc_status compare(const struct bc_cli *c, size_t at, json_t *list, bool *found, struct bc_error *err)
{
	struct bc_code_comparison one = { .n = 0 };
	enum bc_status st = bc_code_compare(c->operands[0], c->operands[at], &one, err);

	if (!st && list)
		st = add_json(list, c->operands[at], &one, err);
	else if (!st)
		print(c->operands[0], c->operands[at], &one, c->verbose);
	*found = *found || (!st && any_counts(&one));
	if (!st && !one.kernels)
		st = bc_fail(err, BC_EDATA, "%s and %s have no image of one architecture in common", c->operands[0],
			     c->operands[at]);
	bc_code_comparison_release(&one);
	return st;
}

/* Print the comparisons as JSON; @list is taken. */
static enum bc_status print_json(const struct bc_cli *c, json_t *list, bool found, struct bc_error *err)
{
	struct bc_text text = { 0 };
	json_t *root = json_pack("{ss, ss, so, ss, si, so}", "schema", CODE_SCHEMA, "bankcheck", BC_VERSION, "first",
				 bc_json_text(c->operands[0]), "counted", "in the code, not as executed", "exit_status",
				 (int)found, "comparisons", list);
	enum bc_status st = bc_json_write(root, false, &text, err);

	if (!st)
		(void)fwrite(text.data, 1, text.len, stdout);
	bc_text_release(&text);
	return st;
}

int bc_cmd_code(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_error err = { .msg = "" };
	bool found = false, json = false;
	json_t *list = NULL;
	enum bc_status st = bc_cli_json(c->format, &json, &err);

	(void)cat;
	if (!st && c->noperands < 2)
		st = bc_fail(&err, BC_EUSAGE,
			     "code: which images? Type `bankcheck code DIR DIR...`: all are compared with the first");
	if (!st && json) {
		list = json_array();
		st = list ? BC_OK : bc_fail(&err, BC_ENOMEM, "code: out of memory");
	}
	for (size_t i = 1; !st && i < c->noperands; i++)
		st = compare(c, i, list, &found, &err);
	if (!st && json) {
		st = print_json(c, list, found, &err);
		list = NULL;
	} else if (!st) {
		(void)printf("counts are of instructions in the code (static), not of executed ones\n");
	}
	json_decref(list);
	if (!st)
		st = bc_cli_flush(&err);
	return st ? bc_cli_fail(&err) : found;
}
