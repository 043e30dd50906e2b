/* SPDX-License-Identifier: MIT */
#include "harness/compare/print.h"

#include <stdio.h>
#include <string.h>

#include "harness/compare/describe.h"

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

/* How words from a report are put: into one line of text, or of Markdown. */
typedef void putter(struct bc_out *o, const char *s);

static void put_markdown(struct bc_out *o, const char *s)
{
	bc_put_markdown(o, s, ",/=+()-.%:;");
}

static void put_change(struct bc_out *o, const struct bc_compared *c, putter *put)
{
	struct bc_text change = { 0 };
	struct bc_out part = bc_out_part(o, &change);

	bc_describe_change(&part, c);
	bc_out_join(o, &part);
	put(o, bc_out_text(&part));
	bc_text_release(&change);
}

static void put_device(struct bc_out *o, const struct bc_pair_diff *p, putter *put)
{
	struct bc_text device = { 0 };
	struct bc_out part = bc_out_part(o, &device);

	bc_describe_device(&part, p->now ? p->now : p->old);
	if (p->matched_by_uuid)
		bc_putf(&part, ", called %s before (the same UUID)", p->old->dev);
	else if (p->matched_by_arch)
		bc_putf(&part, ", compared with %s, the other run's only one of the architecture", p->old->dev);
	if (!p->old && p->obstacle != BC_NO_PARTNER)
		bc_put(&part, ": in the new run only");
	else if (!p->now && p->obstacle != BC_NO_PARTNER)
		bc_put(&part, ": in the old run only");
	bc_out_join(o, &part);
	put(o, bc_out_text(&part));
	bc_text_release(&device);
}

static void text_run(struct bc_out *o, const char *label, const struct bc_read_device *d, const char *path)
{
	const char *complete;

	if (!d)
		return;
	complete = bc_read_property(d, "complete");
	bc_putf(o, "  %s  ", label);
	bc_put_line(o, path);
	bc_put(o, ": run ");
	bc_put_line(o, bc_read_property(d, "run_id"));
	bc_put(o, " of ");
	bc_put_line(o, d->timestamp);
	bc_putf(o, ", %zu cases", d->ncases);
	if (strcmp(complete, "no") == 0) {
		bc_put(o, " (not complete: filtered or ended early)"); /* of a report that has no words for it */
	} else if (complete[0] && strcmp(complete, "yes") != 0) {
		bc_put(o, " (not complete: ");
		bc_put_line(o, complete);
		bc_put(o, ")");
	}
	bc_put(o, "\n");
}

static void text_differences(struct bc_out *o, const struct bc_pair_diff *p)
{
	struct bc_text causes = { 0 };
	struct bc_out part = bc_out_part(o, &causes);

	for (size_t i = 0; i < p->ndifferences; i++) {
		bc_putf(o, "  differs: %s: ", p->difference[i].label);
		bc_put_line(o, p->difference[i].old);
		bc_put(o, " -> ");
		bc_put_line(o, p->difference[i].now);
		bc_put(o, "\n");
	}
	if (!p->old || !p->now)
		return;
	bc_describe_other_changes(&part, p);
	bc_out_join(o, &part);
	if (strcmp(bc_read_property(p->old, "run_id"), bc_read_property(p->now, "run_id")) == 0)
		bc_put(o, "  the same run on both sides\n");
	else if (causes.len)
		bc_putf(o, "  a change may come from: %s\n", causes.data);
	else
		bc_put(o, "  nothing recorded differs that a change may come from\n");
	bc_text_release(&causes);
}

/* The cases of one kind. @rows: lines that may be printed still. Return: cases that are shown. */
static size_t put_cases(struct bc_out *o, const struct bc_pair_diff *p, const char *kind, bool markdown, size_t *rows)
{
	const char *const middle = markdown ? " | " : ": ";
	putter *const put = markdown ? put_markdown : bc_put_line;
	size_t shown = 0;

	for (size_t i = 0; i < p->ncases && *rows; i++) {
		const struct bc_compared *c = &p->cases[i];
		const size_t whole = bc_describe_whole_suite(p, i);
		char suite[BC_ID_MAX + 2];

		if (strcmp(bc_describe_kind(c), kind) != 0)
			continue;
		bc_putf(o, markdown ? "| %s | " : "  %-9s ", kind);
		if (whole) {
			(void)snprintf(suite, sizeof(suite), "%.*s/", (int)strcspn(c->id, "/"), c->id);
			put(o, suite);
			bc_putf(o, "%sthe whole suite is %s: %zu cases", middle, c->now ? "new" : "ABSENT", whole);
			shown += whole;
			i += whole - 1;
		} else {
			put(o, c->id);
			bc_put(o, middle);
			put_change(o, c, put);
			shown++;
		}
		bc_putf(o, markdown ? " |\n" : "\n");
		--*rows;
	}
	return shown;
}

static void text_pair(struct bc_out *o, const struct bc_pair_diff *p)
{
	static const char *const kinds[] = { "WORSE", "BETTER", "CHANGED", "UNDECIDED" };
	size_t rows = SIZE_MAX;

	put_device(o, p, bc_put_line);
	bc_put(o, "\n");
	text_run(o, "old", p->old, p->old_path);
	text_run(o, "new", p->now, p->now_path);
	if (p->obstacle)
		bc_putf(o, "  CANNOT BE COMPARED: %s\n", bc_describe_comparability(p->obstacle));
	if (p->nverdict_only) {
		bc_put(o, "  ");
		bc_describe_verdict_only(o, p);
		bc_put(o, "\n");
	}
	text_differences(o, p);
	for (size_t k = 0; k < BC_ARRAY_LEN(kinds); k++)
		(void)put_cases(o, p, kinds[k], false, &rows);
	bc_put(o, "\n");
}

enum bc_status bc_diff_text(const struct bc_diff_show *s, struct bc_text *out, struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };

	for (size_t i = 0; i < s->d->npairs; i++)
		text_pair(&o, &s->d->pairs[i]);
	bc_describe_sums(&o, s->d);
	bc_describe_clocks(&o, s->d);
	if (s->d->none_comparable)
		bc_put(&o, "these runs cannot be compared: they have no architecture in common\n");
	return o.st;
}

static void markdown_differences(struct bc_out *o, const struct bc_pair_diff *p)
{
	if (!p->ndifferences) {
		if (p->old && p->now)
			bc_put(o, "Nothing recorded differs between the runs.\n\n");
		return;
	}
	bc_put(o, "| differs | old | new | a change may come from it |\n|---|---|---|---|\n");
	for (size_t i = 0; i < p->ndifferences; i++) {
		const struct bc_difference *x = &p->difference[i];

		bc_putf(o, "| %s | ", x->label);
		put_markdown(o, x->old);
		bc_put(o, " | ");
		put_markdown(o, x->now);
		bc_putf(o, " | %s |\n", x->blame ? "yes" : "no");
	}
	bc_put(o, "\n");
}

static void markdown_cases(struct bc_out *o, const struct bc_pair_diff *p)
{
	static const char *const kinds[] = { "WORSE", "BETTER", "CHANGED", "UNDECIDED" };
	size_t shown = 0, changed = 0, rows = BC_DIFF_MARKDOWN_ROWS;

	for (size_t i = 0; i < p->ncases; i++)
		changed += bc_compared_changed(&p->cases[i]);
	if (changed)
		bc_put(o, "| | case | change |\n|---|---|---|\n");
	for (size_t k = 0; k < BC_ARRAY_LEN(kinds); k++)
		shown += put_cases(o, p, kinds[k], true, &rows);
	if (shown < changed)
		bc_putf(o, "\n%zu more changes are not shown here; `--format text` has all.\n", changed - shown);
	if (changed)
		bc_put(o, "\n");
}

static void markdown_pair(struct bc_out *o, const struct bc_pair_diff *p)
{
	bc_put(o, "## ");
	put_device(o, p, put_markdown);
	bc_put(o, "\n\n");
	if (p->obstacle)
		bc_putf(o, "**Cannot be compared:** %s.\n\n", bc_describe_comparability(p->obstacle));
	if (p->nverdict_only) {
		bc_put(o, "**");
		bc_describe_verdict_only(o, p);
		bc_put(o, ".**\n\n");
	}
	markdown_differences(o, p);
	markdown_cases(o, p);
}

enum bc_status bc_diff_markdown(const struct bc_diff_show *s, struct bc_text *out, struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };

	bc_put(&o, "# bankcheck diff: ");
	put_markdown(&o, s->old->word);
	bc_put(&o, " → ");
	put_markdown(&o, s->now->word);
	bc_put(&o, "\n\n");
	if (s->d->none_comparable)
		bc_put(&o, "**These runs cannot be compared:** they have no architecture in common.\n\n");
	for (size_t i = 0; i < s->d->npairs; i++)
		markdown_pair(&o, &s->d->pairs[i]);
	bc_describe_sums(&o, s->d);
	bc_put(&o, "\n");
	bc_describe_clocks(&o, s->d);
	return o.st;
}
