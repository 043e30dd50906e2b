/* SPDX-License-Identifier: MIT */
#include "harness/report/github.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/out.h"
#include "harness/report/render.h"

/* Text from outside in Markdown: a link begins with a colon or a dot. */
#define PLAIN ",/=+()-"

/* Called with each finding. @index counts findings from 0. */
typedef void finding_fn(void *ctx, size_t index, const struct bc_device_run *d, const struct bc_result *r);

static void each_finding(const struct bc_run *run, finding_fn *call, void *ctx)
{
	size_t index = 0;

	for (size_t i = 0; i < run->ndevices; i++)
		for (size_t k = 0; k < run->devices[i].nresults; k++)
			if (bc_verdict_is_finding(run->devices[i].results[k].judged.verdict))
				call(ctx, index++, &run->devices[i], &run->devices[i].results[k]);
}

static size_t count_findings(const struct bc_run *run)
{
	size_t n[BC_NVERDICTS] = { 0 }, findings = 0;

	for (size_t i = 0; i < run->ndevices; i++)
		bc_count_verdicts(&run->devices[i], n);
	for (size_t v = 0; v < BC_NVERDICTS; v++)
		findings += bc_verdict_is_finding((enum bc_verdict)v) ? n[v] : 0;
	return findings;
}

bool bc_github_wanted(void)
{
	const char *set = getenv("GITHUB_ACTIONS");

	return set && set[0];
}

/* The runner's own escapes: '%', CR and LF everywhere, ':' and ',' in a property such as the title. */
static void put_command(struct bc_out *o, const char *s, bool property)
{
	for (; *s; s++) {
		if (strchr("%\r\n", *s) || (property && strchr(":,", *s)))
			bc_putf(o, "%%%02X", (unsigned)(unsigned char)*s);
		else
			bc_put_bytes(o, s, 1);
	}
}

/* Append the line to run a case again. */
static void put_rerun(struct bc_out *o, const struct bc_run *run, const struct bc_device_run *d,
		      const struct bc_result *r)
{
	if (!o->st)
		o->st = bc_rerun_line(run, d, r->c->id, o->to, o->err);
}

struct annotate {
	const struct bc_run *run;
	size_t findings;
	struct bc_out out;
};

static size_t annotations_shown(size_t findings)
{
	return findings <= BC_GITHUB_ANNOTATIONS ? findings : BC_GITHUB_ANNOTATIONS - 1;
}

static void annotate(void *ctx, size_t index, const struct bc_device_run *d, const struct bc_result *r)
{
	struct annotate *a = ctx;
	struct bc_text text = { 0 };
	struct bc_out part = bc_out_part(&a->out, &text);

	if (index >= annotations_shown(a->findings))
		return;
	bc_putf(&part, "%s ", bc_verdict_name(r->judged.verdict));
	bc_put_line(&part, d->dev);
	bc_put(&part, " ");
	bc_put_line(&part, r->c->id);
	bc_out_join(&a->out, &part);
	bc_put(&a->out, "::error title=");
	put_command(&a->out, bc_out_text(&part), true);
	bc_text_clear(&text);
	bc_put_line(&part, r->judged.message);
	bc_put(&part, "\nrun again: ");
	put_rerun(&part, a->run, d, r);
	bc_out_join(&a->out, &part);
	bc_put(&a->out, "::");
	put_command(&a->out, bc_out_text(&part), false);
	bc_put(&a->out, "\n");
	bc_text_release(&text);
}

enum bc_status bc_github_annotate(const struct bc_run *run, FILE *out, struct bc_error *err)
{
	struct bc_text text = { 0 };
	struct annotate a = { .run = run, .findings = count_findings(run), .out = { .to = &text, .err = err } };
	enum bc_status st;

	each_finding(run, annotate, &a);
	if (a.findings > BC_GITHUB_ANNOTATIONS)
		bc_putf(&a.out,
			"::error title=bankcheck::%zu more findings are not shown here; see the step summary and the "
			"report\n",
			a.findings - annotations_shown(a.findings));
	st = a.out.st;
	errno = 0;
	if (!st && text.len > 0 && (fwrite(text.data, 1, text.len, out) != text.len || fflush(out) != 0))
		st = bc_fail(err, BC_EWRITE, "workflow annotations: cannot write: %s", strerror(errno ? errno : EIO));
	bc_text_release(&text);
	return st;
}

static void put_code(struct bc_out *o, const char *s)
{
	bc_put(o, "<code>");
	bc_put_markdown(o, s, PLAIN);
	bc_put(o, "</code>");
}

/* The head of the table of devices, and a row each. */
static void put_devices(struct bc_out *o, const struct bc_run *run)
{
	bc_put(o, "\n| device | GPU | driver | expectations |");
	for (size_t v = 0; v < BC_NVERDICTS; v++)
		bc_putf(o, " %s |", bc_verdict_name((enum bc_verdict)v));
	bc_put(o, "\n|---|---|---|---|");
	for (size_t v = 0; v < BC_NVERDICTS; v++)
		bc_put(o, "--:|");
	for (size_t i = 0; i < run->ndevices; i++) {
		const struct bc_device_run *d = &run->devices[i];
		const bool reference = d->facts.kind == BC_DEVICE_REFERENCE;
		char confirmation[BC_CONFIRMATION_MAX];
		size_t n[BC_NVERDICTS] = { 0 };

		bc_count_verdicts(d, n);
		bc_confirmation_text(&d->arch, confirmation);
		bc_put(o, "\n| ");
		put_code(o, d->dev);
		bc_put(o, " | ");
		bc_put_markdown(o, reference ? "reference device, not hardware" : d->facts.name, PLAIN);
		bc_put(o, " | ");
		bc_put_markdown(o, d->facts.driver, PLAIN);
		bc_put(o, " | ");
		bc_put_markdown(o, confirmation, PLAIN);
		for (size_t v = 0; v < BC_NVERDICTS; v++)
			bc_putf(o, " | %zu", n[v]);
		bc_put(o, " |");
	}
	bc_put(o, "\n");
}

struct table {
	const struct bc_run *run;
	struct bc_out *out;
	size_t start; /* of this summary in the text */
	size_t rows;  /* written */
};

static void put_finding(void *ctx, size_t index, const struct bc_device_run *d, const struct bc_result *r)
{
	struct table *t = ctx;
	struct bc_text *text = t->out->to, rerun = { 0 };
	struct bc_out part = bc_out_part(t->out, &rerun);
	const size_t before = text->len;

	if (index >= BC_GITHUB_ROWS || t->rows < index)
		return;
	put_rerun(&part, t->run, d, r);
	bc_out_join(t->out, &part);
	bc_putf(t->out, "| %s | ", bc_verdict_name(r->judged.verdict));
	put_code(t->out, d->dev);
	bc_put(t->out, " | ");
	put_code(t->out, r->c->id);
	bc_put(t->out, " | ");
	bc_put_markdown(t->out, r->judged.message, PLAIN);
	bc_put(t->out, " | ");
	put_code(t->out, bc_out_text(&part));
	bc_put(t->out, " |\n");
	bc_text_release(&rerun);
	if (text->len - t->start > BC_GITHUB_SUMMARY_MAX - 4096) { /* room for what follows the table */
		text->len = before;
		text->data[before] = '\0';
	} else {
		t->rows++;
	}
}

enum bc_status bc_github_summary(const struct bc_run *run, const struct bc_paths *paths, struct bc_text *out,
				 struct bc_error *err)
{
	const size_t findings = count_findings(run);
	struct bc_out o = { .to = out, .err = err };
	struct table t = { .run = run, .out = &o, .start = out->len };
	char seconds[BC_SECONDS_MAX];

	bc_seconds(bc_milliseconds(run->seconds), seconds);
	bc_putf(&o, "### bankcheck: %zu finding%s\n", findings, findings == 1 ? "" : "s");
	put_devices(&o, run);
	if (findings > 0)
		bc_put(&o, "\n| verdict | device | case | message | run again |\n"
			   "|---|---|---|---|---|\n");
	each_finding(run, put_finding, &t);
	if (t.rows < findings)
		bc_putf(&o, "\n%zu more findings are not shown here; see the report.\n", findings - t.rows);
	bc_putf(&o, "\nWall time %s s.", seconds);
	for (size_t i = 0; i < paths->n && i < 16; i++) {
		bc_put(&o, i ? ", " : " Reports: ");
		put_code(&o, paths->path[i]);
	}
	bc_put(&o, "\n\n");
	return o.st;
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
