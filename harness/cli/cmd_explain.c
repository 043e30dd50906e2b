/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/terminal.h"
#include "harness/cli/find_arch.h"
#include "harness/explain/layout.h"
#include "harness/explain/patternfile.h"
#include "harness/base/escape.h"
#include "harness/core/select.h"
#include "harness/explain/json_case.h"
#include "harness/run/targets.h"

#define FORMS                                                                                                       \
	"`bankcheck explain CASE`, `bankcheck explain --op OP --offsets A,B,... [--mask HEX]`, `bankcheck explain " \
	"--patterns FILE` or `bankcheck explain --layout LAYOUT`"

/* Exactly one of the three forms. */
static enum bc_status check_forms(const struct bc_cli *c, struct bc_error *err)
{
	const bool request = c->op || c->offsets || c->mask;

	if (c->noperands > 1)
		return bc_fail(err, BC_EUSAGE, "explain: `%s` and `%s`: one case at a time", c->operands[0],
			       c->operands[1]);
	if ((c->noperands > 0) + request + (c->patterns != NULL) + (c->layout != NULL) > 1)
		return bc_fail(err, BC_EUSAGE,
			       "explain: a case, --op with --offsets, --patterns and --layout exclude each other; "
			       "type " FORMS);
	if (!c->noperands && !request && !c->patterns && !c->layout)
		return bc_fail(err, BC_EUSAGE, "explain: name what to explain; type " FORMS);
	if (request && !c->op)
		return bc_fail(err, BC_EUSAGE, "explain: %s needs --op OP: ld32, st128, atom32, ldsm4, cpa16ca ...",
			       c->offsets ? "--offsets" : "--mask");
	if (request && !c->offsets)
		return bc_fail(err, BC_EUSAGE,
			       "explain: --op needs --offsets A,B,...: the byte offsets of the 32 lanes");
	return BC_OK;
}

/* No such case: what was probably meant. */
static enum bc_status unknown_case(const struct bc_catalog *cat, const char *word, struct bc_error *err)
{
	const struct bc_case *near[3];
	size_t matches = 0, first = 0;

	for (size_t i = cat->n; i-- > 0;) {
		if (bc_glob_matches(word, cat->cases[i].id)) {
			matches++;
			first = i;
		}
	}
	if (matches)
		return bc_fail(err, BC_EUSAGE,
			       "explain: `%s` is not a case, it selects %zu; name one, for example %s (`bankcheck list "
			       "--filter '%s'` "
			       "prints them)",
			       word, matches, cat->cases[first].id, word);
	matches = bc_select_nearest(cat, word, near, BC_ARRAY_LEN(near));
	return bc_fail(err, BC_EUSAGE, "explain: there is no case `%s`%s%s%s%s%s%s (`bankcheck list` prints all ids)",
		       word, matches > 0 ? "; the nearest are " : "", matches > 0 ? near[0]->id : "",
		       matches > 1 ? ", " : "", matches > 1 ? near[1]->id : "", matches > 2 ? ", " : "",
		       matches > 2 ? near[2]->id : "");
}

static enum bc_status draw(const struct bc_cli *c, const struct bc_explain *e, struct bc_error *err)
{
	struct bc_text text = { 0 };
	bool json = false;
	enum bc_status st = bc_cli_json(c->format, &json, err);

	if (!st)
		st = json ? bc_json_explain(e, &text, err) : bc_explain_draw(e, &text, err);

	if (!st && fwrite(text.data, 1, text.len, stdout) != text.len)
		st = bc_cli_flush(err);
	bc_text_release(&text);
	return st;
}

static enum bc_status explain_case(const struct bc_cli *c, const struct bc_catalog *cat, const struct bc_arch *arch,
				   struct bc_error *err)
{
	const struct bc_case *found = bc_catalog_find(cat, c->operands[0]);
	struct bc_expect expect = { 0 };
	struct bc_bounds bounds;
	enum bc_status st = found ? bc_expect_load(c->expected_dir, arch->name, cat, &expect, err)
				  : unknown_case(cat, c->operands[0], err);

	if (!st) {
		bc_expect_find(&expect, found->id, &bounds);
		st = draw(c,
			  &(struct bc_explain){
				  .c = found, .arch = arch, .bounds = &bounds, .utf8 = bc_locale_is_utf8() },
			  err);
	}
	bc_expect_release(&expect);
	return st;
}

/* What the operation of a pattern asks of an architecture. */
static unsigned needs_of(const struct bc_op_info *op)
{
	if (op->matrices)
		return op->store ? BC_NEED_STMATRIX : BC_NEED_LDMATRIX;
	if (op->law == BC_LAW_ACCESS && op->cls == BC_CLASS_ATOM)
		return BC_NEED_POPC_INC;
	return op->cls == BC_CLASS_LDGSTS ? BC_NEED_CP_ASYNC : 0;
}

static enum bc_status explain_request(const struct bc_cli *c, const struct bc_arch *arch, struct bc_error *err)
{
	struct bc_case made = { .id = "" };
	struct bc_error what;

	if (bc_pattern_make(c->op, c->mask ? c->mask : "ffffffff", c->offsets, &made.pattern, &what))
		return bc_fail(err, BC_EUSAGE, "explain: %s", what.msg);
	made.needs = needs_of(bc_op_info(made.pattern.op));
	return draw(c, &(struct bc_explain){ .c = &made, .arch = arch, .utf8 = bc_locale_is_utf8() }, err);
}

/* A table of patterns on its way from a file to standard output. */
struct table {
	struct bc_patternfile *f;
	const struct bc_arch *arch;
	struct bc_geometry geometry;
	bool json;
	struct bc_text line; /* of JSON; keeps its memory */
	unsigned long rows, bad;
};

/* The answer to one row: BC_EDATA with its place when there is none. */
static enum bc_status count_pattern(struct table *t, struct bc_case *made, const char *name, struct bc_error *err)
{
	const struct bc_op_info *info = bc_op_info(made->pattern.op);
	struct bc_wavefronts w;
	struct bc_error what;
	uint32_t addr[BC_LANES];
	char unmet[200];
	enum bc_status st = BC_OK;

	made->needs = needs_of(info);
	if (bc_case_unmet(made, t->arch, unmet, sizeof(unmet)))
		return bc_fail(err, BC_EDATA, "%s:%lu: %s needs %s", t->f->path, t->f->line, info->name, unmet);
	bc_case_addresses(made, t->arch, 0, addr);
	if (bc_banks_count(&t->geometry, made->pattern.op, addr, made->pattern.mask, &w, &what))
		return bc_fail(err, BC_EDATA, "%s:%lu: %s", t->f->path, t->f->line, what.msg);
	if (!t->json)
		return printf("%s\t%s\t%u\t%u\n", info->name, name, w.wavefronts, w.conflicts) < 0 ? bc_cli_flush(err)
												   : BC_OK;
	bc_text_clear(&t->line);
	st = bc_json_pattern(info->name, name, t->arch, &w, &t->line, err);
	if (!st && fwrite(t->line.data, 1, t->line.len, stdout) != t->line.len)
		st = bc_cli_flush(err);
	return st;
}

/* A row that cannot be answered is named, and the others go on. */
static enum bc_status name_bad_row(struct table *t, const struct bc_error *why, struct bc_error *err)
{
	const enum bc_status st = bc_cli_flush(err); /* what was answered before it comes first */

	t->bad++;
	if (!st)
		(void)bc_cli_fail(why);
	return st;
}

/* One line per pattern, as it is read: a file of any length passes through. */
static enum bc_status count_patterns(struct table *t, struct bc_error *err)
{
	struct bc_case made = { .id = "" };
	const char *name;
	bool more = true;
	enum bc_status st = BC_OK;

	if (t->arch->provisional && !t->json &&
	    printf("# %s is provisional: there is no folder for it in expected/, the laws are those of the nearest "
		   "older "
		   "one\n",
		   t->arch->name) < 0)
		st = bc_cli_flush(err);
	while (!st && more) {
		struct bc_error why;

		st = bc_patternfile_next(t->f, &made.pattern, &name, &more, &why);
		if (st && !t->f->bad_row)
			return bc_fail(err, st, "%s", why.msg);
		if (!st && !more)
			break;
		t->rows++;
		if (!st)
			st = count_pattern(t, &made, name, &why);
		if (st == BC_EDATA)
			st = name_bad_row(t, &why, err);
		else if (st)
			return bc_fail(err, st, "%s", why.msg);
	}
	if (!st && t->bad)
		st = bc_fail(err, BC_EDATA, "%s: %lu of %lu rows have no answer", t->f->path, t->bad, t->rows);
	return st;
}

static enum bc_status explain_patterns(const struct bc_cli *c, const struct bc_arch *arch, struct bc_error *err)
{
	const bool from_stdin = strcmp(c->patterns, "-") == 0;
	struct bc_patternfile *f = calloc(1, sizeof(*f));
	struct table t = { .f = f, .arch = arch, .geometry = bc_arch_geometry(arch) };
	enum bc_status st = BC_OK;

	if (!f)
		return bc_fail(err, BC_ENOMEM, "explain: out of memory");
	f->path = from_stdin ? "<stdin>" : c->patterns;
	f->file = from_stdin ? stdin : fopen(c->patterns, "re");
	if (!f->file)
		st = bc_fail(err, BC_EREAD, "%s: cannot be opened: %s", c->patterns, strerror(errno));
	if (!st)
		st = bc_cli_json(c->format, &t.json, err);
	if (!st)
		st = count_patterns(&t, err);
	bc_text_release(&t.line);
	if (f->file && !from_stdin)
		(void)fclose(f->file); /* only read */
	free(f);
	return st;
}

static enum bc_status explain_layout(const struct bc_cli *c, const struct bc_arch *arch, struct bc_error *err)
{
	struct bc_tile_layout layout;
	struct bc_text text = { 0 };
	bool json = false;
	enum bc_status st = bc_tile_layout_parse(c->layout, &layout, err);

	if (!st)
		st = bc_cli_json(c->format, &json, err);
	if (!st)
		st = json ? bc_tile_json(&layout, arch, &text, err) : bc_tile_draw(&layout, arch, &text, err);
	if (!st && fwrite(text.data, 1, text.len, stdout) != text.len)
		st = bc_cli_flush(err);
	bc_text_release(&text);
	return st;
}

int bc_cmd_explain(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_error err = { .msg = "" }, late;
	struct bc_arch arch;
	enum bc_status st = check_forms(c, &err);

	if (!st)
		st = bc_cli_find_arch(c, &arch, &err);
	if (!st && c->noperands)
		st = explain_case(c, cat, &arch, &err);
	else if (!st && c->patterns)
		st = explain_patterns(c, &arch, &err);
	else if (!st && c->layout)
		st = explain_layout(c, &arch, &err);
	else if (!st)
		st = explain_request(c, &arch, &err);
	if (bc_cli_flush(st ? &late : &err) && !st)
		st = err.status;
	return st ? bc_cli_fail(&err) : 0;
}
