/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/cli/find_arch.h"
#include "harness/core/select.h"
#include "harness/explain/json_case.h"

/* The rule's sentence and the expectation, under the id. */
static void print_long(const struct bc_case *c, const struct bc_arch *arch, const struct bc_expect *e)
{
	struct bc_bounds b;
	char unmet[200];

	(void)printf("    %s\n", c->rule->sentence);
	if (bc_case_unmet(c, arch, unmet, sizeof(unmet)))
		(void)printf("    skipped on %s: needs %s\n", arch->name, unmet);
	bc_expect_find(e, c->id, &b);
	for (int q = 0; q < BC_NQUANTITIES; q++) {
		const struct bc_row *r = b.row[q];
		char bounds[BC_BOUNDS_MAX];

		if (r)
			(void)printf("    %s %s (%s: %s)\n", bc_quantity_name(r->quantity), bc_bounds_text(r, bounds),
				     bc_origin_name(r->origin), r->basis);
	}
	if (c->twin[0])
		(void)printf("    clean twin %s\n", c->twin);
}

static enum bc_status print_json(const struct bc_catalog *cat, const bool *chosen, const struct bc_arch *arch,
				 const struct bc_expect *e, struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st = bc_json_list(cat, chosen, arch, e, &text, err);

	if (!st && fwrite(text.data, 1, text.len, stdout) != text.len)
		st = bc_fail(err, BC_EWRITE, "standard output could not be written");
	bc_text_release(&text);
	return st;
}

int bc_cmd_list(const struct bc_cli *c, const struct bc_catalog *cat)
{
	const struct bc_selection sel = {
		.filter = c->run.filter.item,
		.nfilter = c->run.filter.n,
		.exclude = c->run.exclude.item,
		.nexclude = c->run.exclude.n,
	};
	bool *chosen = calloc(cat->n + cat->nhidden + 1, sizeof(*chosen));
	struct bc_error err = { .msg = "" };
	struct bc_expect expect = { 0 };
	struct bc_arch arch;
	bool json = false;
	size_t n = 0;
	enum bc_status st =
		chosen ? bc_select(cat, &sel, chosen, &n, &err) : bc_fail(&err, BC_ENOMEM, "list: out of memory");

	if (!st)
		st = bc_cli_json(c->format, &json, &err);
	if (!st && (c->long_format || json || c->arch)) {
		st = bc_cli_find_arch(c, &arch, &err);
		if (!st)
			st = bc_expect_load(c->expected_dir, arch.name, cat, &expect, &err);
		if (!st && arch.provisional)
			(void)fprintf(stderr,
				      "bankcheck: note: %s is provisional: it has no folder in %s, the nearest older "
				      "architecture stands in for it\n",
				      arch.name, c->expected_dir);
	}
	if (!st && json)
		st = print_json(cat, chosen, &arch, &expect, &err);
	for (size_t i = 0; !st && !json && i < cat->n + cat->nhidden; i++) {
		if (!chosen[i])
			continue;
		(void)puts(cat->cases[i].id);
		if (c->long_format)
			print_long(&cat->cases[i], &arch, &expect);
	}
	if (!st)
		st = bc_cli_flush(&err);
	bc_expect_release(&expect);
	free(chosen);
	return st ? bc_cli_fail(&err) : 0;
}
