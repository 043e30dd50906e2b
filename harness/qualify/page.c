/* SPDX-License-Identifier: MIT */
/* The page: reasons first, then what was tested, what not, the law as a picture, and the clock. */
#include "harness/base/out.h"
#include "harness/html/sheet.h"
#include "harness/qualify/qualify.h"

#define ADDRESS_BITS 18u /* drawn: 256 KB */
#define CELL 14u

static void put_remarks(struct bc_out *o, const struct bc_qualify_device *d, bool reasons)
{
	bool any = false;

	for (size_t i = 0; i < d->nremarks; i++) {
		if (d->remark[i].reason != reasons)
			continue;
		bc_put(o, any ? "" : reasons ? "<h3>Reasons</h3>\n<ul>\n" : "<h3>Remarks</h3>\n<ul>\n");
		any = true;
		bc_put(o, "<li>");
		bc_sheet_text(o, d->remark[i].text);
		bc_put(o, "\n");
	}
	bc_put(o, any ? "</ul>\n" : "");
}

static void put_step(struct bc_out *o, enum bc_qualify_kind k, const struct bc_qualify_step *s)
{
	bc_putf(o, "<tr><th scope=row>%s<td>%s<td>", bc_qualify_step_name(k), bc_qualify_step_about(k));
	if (s->done) {
		bc_sheet_text(o, s->result[0] ? s->result : "no result");
		bc_putf(o, "<td class=num>%d<td class=num>%.1f s\n", s->status, s->seconds);
		return;
	}
	bc_put(o, "<b>not tested:</b> ");
	bc_sheet_text(o, s->why_not ? s->why_not : "it did not come so far");
	bc_put(o, "<td><td>\n");
}

/* Rows are bits of the bank's number, columns bits of the address; a square: the address bit is in the sum. */
static void put_law(struct bc_out *o, const char *title, const struct bc_qualify_law *law)
{
	const unsigned left = 64, top = 34;

	bc_putf(o, "<figure><figcaption>%s</figcaption>", title);
	if (!law->known) {
		bc_put(o, "<p class=note>not known</figure>\n");
		return;
	}
	bc_putf(o,
		"<svg role=img width=%u height=%u viewBox=\"0 0 %u %u\"><title>%s</title><text x=%u y=12 "
		"font-size=10 fill=currentColor>address bit</text>",
		left + ADDRESS_BITS * CELL + 4, top + law->rows * CELL + 4, left + ADDRESS_BITS * CELL + 4,
		top + law->rows * CELL + 4, title, left);
	for (unsigned b = 0; b < ADDRESS_BITS; b++)
		bc_putf(o, "<text x=%u y=%u font-size=9 text-anchor=middle fill=currentColor>%u</text>",
			left + b * CELL + CELL / 2, top - 6, b);
	for (unsigned i = 0; i < law->rows; i++) {
		bc_putf(o, "<text x=0 y=%u font-size=10 fill=currentColor>bank bit %u</text>", top + i * CELL + 10, i);
		for (unsigned b = 0; b < ADDRESS_BITS; b++)
			bc_putf(o, "<rect x=%u y=%u width=%u height=%u stroke=currentColor stroke-width=.4 fill=%s />",
				left + b * CELL + 1, top + i * CELL + 1, CELL - 2, CELL - 2,
				law->row[i] >> b & 1u ? "currentColor" : "none");
	}
	bc_put(o, "</svg></figure>\n");
}

static void put_device(struct bc_out *o, const struct bc_qualify *q, const struct bc_qualify_device *d)
{
	const enum bc_qualified v = bc_qualify_verdict(d);
	const struct {
		const char *name, *value;
	} facts[] = { { "GPU", d->gpu },	{ "Architecture", d->arch },	{ "SMs", d->sms },
		      { "UUID", d->uuid },	{ "Driver", d->driver },	{ "CUDA", d->cuda },
		      { "Images", d->toolkit }, { "Expectations", d->standing } };

	bc_putf(o, "<h2>%s</h2>\n<p class=\"big%s\"><strong>%s</strong>\n", d->option,
		v == BC_NOT_QUALIFIED ? " bad" : "", bc_qualified_name(v));
	put_remarks(o, d, true);
	put_remarks(o, d, false);
	bc_put(o, "<h3>What it is</h3>\n<div class=scroll><table class=grid>\n");
	for (size_t i = 0; i < BC_ARRAY_LEN(facts); i++) {
		if (!facts[i].value[0])
			continue;
		bc_putf(o, "<tr><th scope=row>%s<td>", facts[i].name);
		bc_sheet_text(o, facts[i].value);
		bc_put(o, "\n");
	}
	bc_put(o,
	       "</table></div>\n<h3>What was tested, and what not</h3>\n<div class=scroll><table class=grid><thead><tr>"
	       "<th>Step<th>What<th>Result<th>Status<th>Time</thead>\n");
	put_step(o, BC_QUALIFY_SELFTEST, &q->selftest);
	for (enum bc_qualify_kind k = BC_QUALIFY_MAP; k < BC_QUALIFY_STEPS; k++)
		put_step(o, k, &d->step[k]);
	bc_put(o, "</table></div>\n<h3>Bank law</h3>\n");
	put_law(o, "Found", &d->found);
	put_law(o, "Expected", &d->expected);
	bc_put(o, "<p>");
	bc_sheet_text(o, d->differences[0] ? d->differences : "No difference.");
	bc_put(o, "\n<h3>Clock</h3>\n<p>");
	bc_sheet_text(o, d->clock[0] ? d->clock
				     : "Not compared: no --baseline was given, and no GPU of its kind before it.");
	bc_put(o, "\n");
}

enum bc_status bc_qualify_page(const struct bc_qualify *q, const struct bc_qualify_device *d, struct bc_text *out,
			       struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };

	bc_sheet_begin(&o, "bankcheck qualify");
	if (!d && q->n > 1) {
		bc_putf(&o, "<p class=\"big%s\"><strong>%s</strong>\n<ul>\n",
			bc_qualify_worst(q) == BC_NOT_QUALIFIED ? " bad" : "", bc_qualified_name(bc_qualify_worst(q)));
		for (size_t i = 0; i < q->n; i++)
			bc_putf(&o, "<li>%s: %s\n", q->device[i].option,
				bc_qualified_name(bc_qualify_verdict(&q->device[i])));
		bc_put(&o, "</ul>\n");
	}
	for (size_t i = 0; i < q->n; i++)
		if (!d || d == &q->device[i])
			put_device(&o, q, &q->device[i]);
	bc_sheet_end(&o);
	return o.st;
}
