/* SPDX-License-Identifier: MIT */
#include "harness/compare/print.h"

#include <stdio.h>
#include <string.h>

#include "harness/compare/say.h"

static const struct {
	const char *name;
	bc_diff_printer *print;
} formats[] = {
	{ "text", bc_diff_text },
	{ "markdown", bc_diff_markdown },
	{ "json", bc_diff_json },
	{ "junit", bc_diff_junit },
};

bc_diff_printer *bc_diff_printer_find(const char *name)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(formats); i++)
		if (!name || strcmp(formats[i].name, name) == 0)
			return formats[i].print;
	return NULL;
}

/* A phrase of say.h in one safe line. */
static void put_change(struct bc_ink *ink, const struct bc_compared *c, bool markdown)
{
	struct bc_text said = { 0 };
	struct bc_ink own = { .out = &said, .err = ink->err };

	bc_describe_change(&own, c);
	if (own.st && !ink->st)
		ink->st = own.st;
	if (markdown)
		bc_ink_markdown(ink, said.data ? said.data : "");
	else
		bc_ink_line(ink, said.data ? said.data : "");
	bc_text_release(&said);
}

static void put_device(struct bc_ink *ink, const struct bc_pair_diff *p, bool markdown)
{
	struct bc_text said = { 0 };
	struct bc_ink own = { .out = &said, .err = ink->err };

	bc_describe_device(&own, p->now ? p->now : p->old);
	if (p->matched_by_uuid)
		bc_ink_put(&own, ", called %s before (the same UUID)", p->old->dev);
	else if (p->matched_by_arch)
		bc_ink_put(&own, ", compared with %s, the other run's only one of the architecture", p->old->dev);
	if (!p->old && p->obstacle != BC_NO_PARTNER)
		bc_ink_put(&own, ": in the new run only");
	else if (!p->now && p->obstacle != BC_NO_PARTNER)
		bc_ink_put(&own, ": in the old run only");
	if (own.st && !ink->st)
		ink->st = own.st;
	if (markdown)
		bc_ink_markdown(ink, said.data ? said.data : "");
	else
		bc_ink_line(ink, said.data ? said.data : "");
	bc_text_release(&said);
}

static void text_run(struct bc_ink *ink, const char *label, const struct bc_read_device *d, const char *path)
{
	if (!d)
		return;
	bc_ink_put(ink, "  %s  ", label);
	bc_ink_line(ink, path);
	bc_ink_put(ink, ": run ");
	bc_ink_line(ink, bc_read_property(d, "run_id"));
	bc_ink_put(ink, " of ");
	bc_ink_line(ink, d->timestamp);
	bc_ink_put(ink, ", %zu cases%s\n", d->ncases,
		   strcmp(bc_read_property(d, "complete"), "no") == 0 ? " (not complete: filtered or ended early)"
								      : "");
}

static void text_differences(struct bc_ink *ink, const struct bc_pair_diff *p)
{
	struct bc_text said = { 0 };
	struct bc_ink own = { .out = &said, .err = ink->err };

	for (size_t i = 0; i < p->ndifferences; i++) {
		bc_ink_put(ink, "  differs: %s: ", p->difference[i].label);
		bc_ink_line(ink, p->difference[i].old);
		bc_ink_put(ink, " -> ");
		bc_ink_line(ink, p->difference[i].now);
		bc_ink_put(ink, "\n");
	}
	if (!p->old || !p->now)
		return;
	bc_describe_other_changes(&own, p);
	if (own.st && !ink->st)
		ink->st = own.st;
	if (strcmp(bc_read_property(p->old, "run_id"), bc_read_property(p->now, "run_id")) == 0)
		bc_ink_put(ink, "  the same run on both sides\n");
	else if (said.len)
		bc_ink_put(ink, "  a change may come from: %s\n", said.data);
	else
		bc_ink_put(ink, "  nothing recorded differs that a change may come from\n");
	bc_text_release(&said);
}

/* The cases of one kind. @rows: lines that may be printed still. Return: cases that were told of. */
static size_t put_cases(struct bc_ink *ink, const struct bc_pair_diff *p, const char *kind, bool markdown, size_t *rows)
{
	const char *const middle = markdown ? " | " : ": ";
	void (*const put)(struct bc_ink *, const char *) = markdown ? bc_ink_markdown : bc_ink_line;
	size_t told = 0;

	for (size_t i = 0; i < p->ncases && *rows; i++) {
		const struct bc_compared *c = &p->cases[i];
		const size_t whole = bc_describe_whole_suite(p, i);
		char suite[BC_ID_MAX + 2];

		if (strcmp(bc_describe_kind(c), kind) != 0)
			continue;
		bc_ink_put(ink, markdown ? "| %s | " : "  %-9s ", kind);
		if (whole) {
			(void)snprintf(suite, sizeof(suite), "%.*s/", (int)strcspn(c->id, "/"), c->id);
			put(ink, suite);
			bc_ink_put(ink, "%sthe whole suite is %s: %zu cases", middle, c->now ? "new" : "ABSENT", whole);
			told += whole;
			i += whole - 1;
		} else {
			put(ink, c->id);
			bc_ink_put(ink, "%s", middle);
			put_change(ink, c, markdown);
			told++;
		}
		bc_ink_put(ink, markdown ? " |\n" : "\n");
		--*rows;
	}
	return told;
}

static void text_pair(struct bc_ink *ink, const struct bc_pair_diff *p)
{
	static const char *const kinds[] = { "WORSE", "BETTER", "CHANGED", "UNDECIDED" };
	size_t rows = SIZE_MAX;

	put_device(ink, p, false);
	bc_ink_put(ink, "\n");
	text_run(ink, "old", p->old, p->old_path);
	text_run(ink, "new", p->now, p->now_path);
	if (p->obstacle)
		bc_ink_put(ink, "  CANNOT BE COMPARED: %s\n", bc_describe_comparability(p->obstacle));
	text_differences(ink, p);
	for (size_t k = 0; k < BC_ARRAY_LEN(kinds); k++)
		(void)put_cases(ink, p, kinds[k], false, &rows);
	bc_ink_put(ink, "\n");
}

enum bc_status bc_diff_text(const struct bc_diff_show *s, struct bc_text *out, struct bc_error *err)
{
	struct bc_ink ink = { .out = out, .err = err };

	for (size_t i = 0; i < s->d->npairs; i++)
		text_pair(&ink, &s->d->pairs[i]);
	bc_describe_sums(&ink, s->d);
	bc_describe_clocks(&ink, s->d);
	if (s->d->none_comparable)
		bc_ink_put(&ink, "these runs cannot be compared: they have no architecture in common\n");
	return ink.st;
}

static void markdown_differences(struct bc_ink *ink, const struct bc_pair_diff *p)
{
	if (!p->ndifferences) {
		if (p->old && p->now)
			bc_ink_put(ink, "Nothing recorded differs between the runs.\n\n");
		return;
	}
	bc_ink_put(ink, "| differs | old | new | a change may come from it |\n|---|---|---|---|\n");
	for (size_t i = 0; i < p->ndifferences; i++) {
		const struct bc_difference *x = &p->difference[i];

		bc_ink_put(ink, "| %s | ", x->label);
		bc_ink_markdown(ink, x->old);
		bc_ink_put(ink, " | ");
		bc_ink_markdown(ink, x->now);
		bc_ink_put(ink, " | %s |\n", x->blame ? "yes" : "no");
	}
	bc_ink_put(ink, "\n");
}

static void markdown_cases(struct bc_ink *ink, const struct bc_pair_diff *p)
{
	static const char *const kinds[] = { "WORSE", "BETTER", "CHANGED", "UNDECIDED" };
	size_t shown = 0, changed = 0, rows = BC_DIFF_MARKDOWN_ROWS;

	for (size_t i = 0; i < p->ncases; i++)
		changed += bc_compared_changed(&p->cases[i]);
	if (changed)
		bc_ink_put(ink, "| | case | change |\n|---|---|---|\n");
	for (size_t k = 0; k < BC_ARRAY_LEN(kinds); k++)
		shown += put_cases(ink, p, kinds[k], true, &rows);
	if (shown < changed)
		bc_ink_put(ink, "\n%zu more changes are not shown here; `--format text` has all.\n", changed - shown);
	if (changed)
		bc_ink_put(ink, "\n");
}

static void markdown_pair(struct bc_ink *ink, const struct bc_pair_diff *p)
{
	bc_ink_put(ink, "## ");
	put_device(ink, p, true);
	bc_ink_put(ink, "\n\n");
	if (p->obstacle)
		bc_ink_put(ink, "**Cannot be compared:** %s.\n\n", bc_describe_comparability(p->obstacle));
	markdown_differences(ink, p);
	markdown_cases(ink, p);
}

enum bc_status bc_diff_markdown(const struct bc_diff_show *s, struct bc_text *out, struct bc_error *err)
{
	struct bc_ink ink = { .out = out, .err = err };

	bc_ink_put(&ink, "# bankcheck diff: ");
	bc_ink_markdown(&ink, s->old->word);
	bc_ink_put(&ink, " → ");
	bc_ink_markdown(&ink, s->now->word);
	bc_ink_put(&ink, "\n\n");
	if (s->d->none_comparable)
		bc_ink_put(&ink, "**These runs cannot be compared:** they have no architecture in common.\n\n");
	for (size_t i = 0; i < s->d->npairs; i++)
		markdown_pair(&ink, &s->d->pairs[i]);
	bc_describe_sums(&ink, s->d);
	bc_ink_put(&ink, "\n");
	bc_describe_clocks(&ink, s->d);
	return ink.st;
}
