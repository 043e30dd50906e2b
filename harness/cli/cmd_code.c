/* SPDX-License-Identifier: MIT */
/* harness/cli/cmd_code.c - `bankcheck code`: did the compiler make other instructions of the kernels? */
#include "harness/cli/options.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/compare/code_lists.h"

static void print_difference(const struct bc_code_difference *d)
{
	(void)printf("  %s %s %s: ", d->image, d->arch, d->kernel);
	if (d->key[0])
		(void)printf("%s %" PRIu64 ", was %" PRIu64 " (%s)\n", d->key, d->now, d->was,
			     bc_code_class_name(d->class));
	else
		(void)printf("the kernel is %s\n", d->was ? "gone" : "new");
}

/* @all: also what is told only. Return: does anything differ that counts? */
static bool print(const char *old, const char *now, const struct bc_code_comparison *c, bool all)
{
	bool found = false;

	(void)printf("%s against %s: %zu kernels compared\n", now, old, c->kernels);
	for (size_t i = 0; i < c->n; i++) {
		const bool counts = bc_code_class_counts(c->difference[i].class);

		found = found || counts;
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
	return found;
}

int bc_cmd_code(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_error err = { .msg = "" };
	enum bc_status st = BC_OK;
	bool found = false;

	(void)cat;
	if (c->noperands < 2)
		st = bc_fail(&err, BC_EUSAGE,
			     "code: which images? Type `bankcheck code DIR DIR...`: all are compared with the first");
	for (size_t i = 1; !st && i < c->noperands; i++) {
		struct bc_code_comparison one = { .n = 0 };

		st = bc_code_compare(c->operands[0], c->operands[i], &one, &err);
		if (!st && print(c->operands[0], c->operands[i], &one, c->verbose))
			found = true;
		if (!st && !one.kernels)
			st = bc_fail(&err, BC_EDATA, "%s and %s have no image of one architecture in common",
				     c->operands[0], c->operands[i]);
		bc_code_comparison_release(&one);
	}
	if (!st) {
		(void)printf("counts are of instructions in the code (static), not of executed ones\n");
		st = bc_cli_flush(&err);
	}
	return st ? bc_cli_fail(&err) : found;
}
