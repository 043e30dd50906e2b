/* SPDX-License-Identifier: MIT */
#include "harness/report/github.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/escape.h"
#include "harness/report/render.h"

/* One finding, to be told. @index counts findings from 0. */
typedef enum bc_status finding_fn(void *ctx, size_t index, const struct bc_device_run *d, const struct bc_result *r,
				  struct bc_error *err);

static enum bc_status each_finding(const struct bc_run *run, finding_fn *tell, void *ctx, struct bc_error *err)
{
	size_t index = 0;
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < run->ndevices; i++)
		for (size_t k = 0; k < run->devices[i].nresults && !st; k++)
			if (bc_verdict_style(run->devices[i].results[k].judged.verdict)->finding)
				st = tell(ctx, index++, &run->devices[i], &run->devices[i].results[k], err);
	return st;
}

static size_t count_findings(const struct bc_run *run)
{
	size_t n[BC_NVERDICTS] = { 0 }, findings = 0;

	for (size_t i = 0; i < run->ndevices; i++)
		bc_count_verdicts(&run->devices[i], n);
	for (size_t v = 0; v < BC_NVERDICTS; v++)
		findings += bc_verdict_style((enum bc_verdict)v)->finding ? n[v] : 0;
	return findings;
}

bool bc_github_wanted(void)
{
	const char *set = getenv("GITHUB_ACTIONS");

	return set && set[0];
}

/* The runner's own escapes: '%', CR and LF everywhere, ':' and ',' in a property such as the title. */
static enum bc_status add_command(struct bc_text *out, const char *s, bool property, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (; *s && !st; s++) {
		if (strchr("%\r\n", *s) || (property && strchr(":,", *s)))
			st = bc_text_addf(out, err, "%%%02X", (unsigned)(unsigned char)*s);
		else
			st = bc_text_add(out, s, 1, err);
	}
	return st;
}

struct annotate {
	const struct bc_run *run;
	size_t findings;
	struct bc_text *out;
};

static size_t annotations_shown(size_t findings)
{
	return findings <= BC_GITHUB_ANNOTATIONS ? findings : BC_GITHUB_ANNOTATIONS - 1;
}

static enum bc_status annotate(void *ctx, size_t index, const struct bc_device_run *d, const struct bc_result *r,
			       struct bc_error *err)
{
	const struct annotate *a = ctx;
	struct bc_text title = { 0 }, message = { 0 };
	enum bc_status st;

	if (index >= annotations_shown(a->findings))
		return BC_OK;
	st = bc_text_addf(&title, err, "%s ", bc_verdict_name(r->judged.verdict));
	if (!st)
		st = bc_escape_str(&title, BC_ESCAPE_LINE, d->dev, err);
	if (!st)
		st = bc_text_add(&title, " ", 1, err);
	if (!st)
		st = bc_escape_str(&title, BC_ESCAPE_LINE, r->c->id, err);
	if (!st)
		st = bc_escape_str(&message, BC_ESCAPE_LINE, r->judged.message, err);
	if (!st)
		st = bc_text_addf(&message, err, "\nrun again: ");
	if (!st)
		st = bc_rerun_line(a->run, d, r->c->id, &message, err);
	if (!st)
		st = bc_text_addf(a->out, err, "::error title=");
	if (!st)
		st = add_command(a->out, title.data, true, err);
	if (!st)
		st = bc_text_add(a->out, "::", 2, err);
	if (!st)
		st = add_command(a->out, message.data, false, err);
	if (!st)
		st = bc_text_add(a->out, "\n", 1, err);
	bc_text_release(&title);
	bc_text_release(&message);
	return st;
}

enum bc_status bc_github_annotate(const struct bc_run *run, FILE *out, struct bc_error *err)
{
	struct bc_text text = { 0 };
	struct annotate a = { .run = run, .findings = count_findings(run), .out = &text };
	enum bc_status st = each_finding(run, annotate, &a, err);

	if (!st && a.findings > BC_GITHUB_ANNOTATIONS)
		st = bc_text_addf(&text, err,
				  "::error title=bankcheck::%zu more findings are not shown here; see the "
				  "step summary and the report\n",
				  a.findings - annotations_shown(a.findings));
	errno = 0;
	if (!st && text.len > 0 && (fwrite(text.data, 1, text.len, out) != text.len || fflush(out) != 0))
		st = bc_fail(err, BC_EWRITE, "workflow annotations: cannot write: %s", strerror(errno ? errno : EIO));
	bc_text_release(&text);
	return st;
}

/* One line of foreign text in Markdown: all punctuation that could format, link or open a tag becomes an entity. */
static enum bc_status add_markdown(struct bc_text *out, const char *s, struct bc_error *err)
{
	struct bc_text line = { 0 };
	enum bc_status st = bc_escape_str(&line, BC_ESCAPE_LINE, s, err);

	for (size_t i = 0; i < line.len && !st; i++) {
		const unsigned char c = (unsigned char)line.data[i];
		const bool plain = c >= 0x80 || c == ' ' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
				   (c >= 'A' && c <= 'Z') || strchr(",/=+()-", c);

		st = plain ? bc_text_add(out, line.data + i, 1, err) : bc_text_addf(out, err, "&#%u;", c);
	}
	bc_text_release(&line);
	return st;
}

static enum bc_status add_code(struct bc_text *out, const char *s, struct bc_error *err)
{
	enum bc_status st = bc_text_addf(out, err, "<code>");

	if (!st)
		st = add_markdown(out, s, err);
	return st ? st : bc_text_addf(out, err, "</code>");
}

/* The head of the table of devices, and a row each. */
static enum bc_status add_devices(const struct bc_run *run, struct bc_text *out, struct bc_error *err)
{
	enum bc_status st = bc_text_addf(out, err, "\n| device | GPU | driver | expectations |");

	for (size_t v = 0; v < BC_NVERDICTS && !st; v++)
		st = bc_text_addf(out, err, " %s |", bc_verdict_name((enum bc_verdict)v));
	if (!st)
		st = bc_text_addf(out, err, "\n|---|---|---|---|");
	for (size_t v = 0; v < BC_NVERDICTS && !st; v++)
		st = bc_text_addf(out, err, "--:|");
	for (size_t i = 0; i < run->ndevices && !st; i++) {
		const struct bc_device_run *d = &run->devices[i];
		const bool reference = d->facts.kind == BC_DEVICE_REFERENCE;
		char standing[BC_CONFIRMATION_MAX];
		size_t n[BC_NVERDICTS] = { 0 };

		bc_count_verdicts(d, n);
		bc_confirmation_text(&d->arch, standing);
		st = bc_text_addf(out, err, "\n| ");
		if (!st)
			st = add_code(out, d->dev, err);
		if (!st)
			st = bc_text_addf(out, err, " | ");
		if (!st)
			st = add_markdown(out, reference ? "reference device, not hardware" : d->facts.name, err);
		if (!st)
			st = bc_text_addf(out, err, " | ");
		if (!st)
			st = add_markdown(out, d->facts.driver, err);
		if (!st)
			st = bc_text_addf(out, err, " | ");
		if (!st)
			st = add_markdown(out, standing, err);
		for (size_t v = 0; v < BC_NVERDICTS && !st; v++)
			st = bc_text_addf(out, err, " | %zu", n[v]);
		if (!st)
			st = bc_text_addf(out, err, " |");
	}
	return st ? st : bc_text_addf(out, err, "\n");
}

struct table {
	const struct bc_run *run;
	struct bc_text *out;
	size_t start; /* of this summary in out */
	size_t rows;  /* written */
};

static enum bc_status add_finding(void *ctx, size_t index, const struct bc_device_run *d, const struct bc_result *r,
				  struct bc_error *err)
{
	struct table *t = ctx;
	struct bc_text rerun = { 0 };
	const size_t before = t->out->len;
	enum bc_status st;

	if (index >= BC_GITHUB_ROWS || t->rows < index)
		return BC_OK;
	st = bc_rerun_line(t->run, d, r->c->id, &rerun, err);
	if (!st)
		st = bc_text_addf(t->out, err, "| %s | ", bc_verdict_name(r->judged.verdict));
	if (!st)
		st = add_code(t->out, d->dev, err);
	if (!st)
		st = bc_text_addf(t->out, err, " | ");
	if (!st)
		st = add_code(t->out, r->c->id, err);
	if (!st)
		st = bc_text_addf(t->out, err, " | ");
	if (!st)
		st = add_markdown(t->out, r->judged.message, err);
	if (!st)
		st = bc_text_addf(t->out, err, " | ");
	if (!st)
		st = add_code(t->out, rerun.data, err);
	if (!st)
		st = bc_text_addf(t->out, err, " |\n");
	bc_text_release(&rerun);
	if (t->out->len - t->start > BC_GITHUB_SUMMARY_MAX - 4096) { /* room for what follows the table */
		t->out->len = before;
		t->out->data[before] = '\0';
	} else {
		t->rows++;
	}
	return st;
}

enum bc_status bc_github_summary(const struct bc_run *run, const struct bc_paths *paths, struct bc_text *out,
				 struct bc_error *err)
{
	const size_t findings = count_findings(run);
	struct table t = { .run = run, .out = out, .start = out->len };
	char seconds[BC_SECONDS_MAX];
	enum bc_status st;

	bc_seconds(bc_milliseconds(run->seconds), seconds);
	st = bc_text_addf(out, err, "### bankcheck: %zu finding%s\n", findings, findings == 1 ? "" : "s");
	if (!st)
		st = add_devices(run, out, err);
	if (!st && findings > 0)
		st = bc_text_addf(out, err,
				  "\n| verdict | device | case | message | run again |\n"
				  "|---|---|---|---|---|\n");
	if (!st)
		st = each_finding(run, add_finding, &t, err);
	if (!st && t.rows < findings)
		st = bc_text_addf(out, err, "\n%zu more findings are not shown here; see the report.\n",
				  findings - t.rows);
	if (!st)
		st = bc_text_addf(out, err, "\nWall time %s s.", seconds);
	for (size_t i = 0; i < paths->n && i < 16 && !st; i++) {
		st = bc_text_addf(out, err, i ? ", " : " Reports: ");
		if (!st)
			st = add_code(out, paths->path[i], err);
	}
	return st ? st : bc_text_addf(out, err, "\n\n");
}

static enum bc_status append(const char *path, const struct bc_text *text, struct bc_error *err)
{
	const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	enum bc_status st;

	if (fd < 0)
		return bc_fail(err, BC_EWRITE, "%s (GITHUB_STEP_SUMMARY): cannot open: %s", path, strerror(errno));
	st = bc_write_all(&bc_file_system, fd, text->data, text->len, path, err);
	if (close(fd) != 0 && !st)
		st = bc_fail(err, BC_EWRITE, "%s (GITHUB_STEP_SUMMARY): cannot close: %s", path, strerror(errno));
	return st;
}

enum bc_status bc_github_report(const struct bc_run *run, const struct bc_paths *paths, FILE *out, struct bc_error *err)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	struct bc_text text = { 0 };
	enum bc_status st = bc_github_annotate(run, out, err);

	if (!st && path && path[0])
		st = bc_github_summary(run, paths, &text, err);
	if (!st && text.len > 0)
		st = append(path, &text, err);
	bc_text_release(&text);
	return st;
}
