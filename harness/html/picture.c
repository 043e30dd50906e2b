/* SPDX-License-Identifier: MIT */
/* The picture of a pattern: 32 banks across, a row for each wavefront, the lanes in the cells.
 *
 * A page has thousands of them, so a drawing is a path for the cells of a kind and one text a row (three characters a
 * bank), the frame is one definition, and equal drawings (a load and a store of the same words) are one definition.
 */
#include "harness/html/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explain/patternfile.h"
#include "harness/base/textfile.h"
#include "harness/explain/explain_picture.h"

#define BANKS 32u
#define ROWS_MAX (BC_LANES * BC_LANE_WORDS_MAX)
#define CELL_W 20
#define CELL_H 18
#define LEFT 38 /* of bank 0 */
#define TOP 18	/* of wavefront 0 */
#define RIGHT 86
#define GAP 12	      /* cells */
#define FRAME_ROWS 64 /* the most wavefronts of a request: 64-bit atomics */

/* A pattern, scheduled. */
struct drawing {
	struct bc_case c; /* its pattern alone */
	struct bc_arch arch;
	struct bc_wavefronts w;
	struct bc_bank_access touch[ROWS_MAX];
	size_t n;
	unsigned rows;
	bool lawful;			 /* wavefronts by a law; else words by bank */
	uint32_t lanes[ROWS_MAX][BANKS]; /* which lanes are in a cell */
	unsigned group[ROWS_MAX];	 /* of a row's lanes */
	bool agrees;			 /* with the report's model */
};

static bool word_of(const char *pattern, const char *name, char *buf, size_t size)
{
	const size_t n = strlen(name);

	for (const char *at = pattern; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
		const size_t len = strcspn(at, " ");

		if (strncmp(at, name, n) != 0 || at[n] != ':' || len - n - 1 >= size)
			continue;
		memcpy(buf, at + n + 1, len - n - 1);
		buf[len - n - 1] = '\0';
		return true;
	}
	return false;
}

/* pattern= of a report. Return: false when it is not one that can be drawn. */
static bool parse(const char *pattern, struct bc_pattern *out)
{
	char op[16], mask[16], origin[16], count[16], step[16], offsets[BC_LANES * 12];
	struct bc_error err;

	if (!word_of(pattern, "op", op, sizeof(op)) || !word_of(pattern, "mask", mask, sizeof(mask)) ||
	    !word_of(pattern, "origin", origin, sizeof(origin)) || !word_of(pattern, "count", count, sizeof(count)) ||
	    !word_of(pattern, "step", step, sizeof(step)) || !word_of(pattern, "offsets", offsets, sizeof(offsets)) ||
	    bc_pattern_make(op, mask, offsets, out, &err) || !bc_u32_parse(count, &out->count) ||
	    !bc_u32_parse(step, &out->step) || !out->count || out->count > 32)
		return false;
	out->origin = strcmp(origin, "absolute") == 0	 ? BC_FROM_ABSOLUTE
		      : strcmp(origin, "optin_end") == 0 ? BC_FROM_OPTIN_END
							 : BC_FROM_START;
	return true;
}

/* Total wavefronts that the report's model names; 0: none. */
static uint64_t reported(const struct bc_read_case *c)
{
	const char *model = bc_key_get(&c->keys, "model");
	char n[16];
	uint32_t v = 0;

	return model && word_of(model, "wavefronts", n, sizeof(n)) && bc_u32_parse(n, &v) ? v : 0;
}

static const char *pattern_of(const struct bc_html *p, const struct bc_html_case *c, size_t *run)
{
	for (*run = 0; *run < p->nruns; ++*run) {
		const char *s = c->of[*run] ? bc_key_get(&c->of[*run]->keys, "pattern") : NULL;

		if (s)
			return s;
	}
	return NULL;
}

/* The wavefronts by the bank laws. Whether the architecture merges pairs (law 4) the report's model tells. */
static bool apply_bank_laws(struct drawing *d, const struct bc_read_case *c, const char *optin)
{
	const uint64_t want = reported(c);
	uint32_t addr[BC_LANES];
	struct bc_geometry g;
	struct bc_error err;

	d->arch = (struct bc_arch){ .banks = BANKS, .bank_bytes = 4, .optin_bytes = 232448, .pair_rule = 1 };
	(void)bc_u32_parse(optin, &d->arch.optin_bytes);
	if (d->c.pattern.origin == BC_FROM_OPTIN_END && bc_case_extent(&d->c, &d->arch) > d->arch.optin_bytes)
		return false;
	bc_case_addresses(&d->c, &d->arch, 0, addr);
	for (unsigned merge = 2; merge-- > 0 && !d->agrees;) {
		uint64_t wavefronts = 0, conflicts = 0;

		d->arch.pair_rule = merge;
		d->agrees = !bc_case_model(&d->c, &d->arch, &wavefronts, &conflicts, &err) && wavefronts == want;
	}
	if (!d->agrees)
		d->arch.pair_rule = 1;
	d->agrees = d->agrees || !want;
	g = bc_arch_geometry(&d->arch);
	return !bc_banks_schedule(&g, d->c.pattern.op, addr, d->c.pattern.mask, &d->w, d->touch, ROWS_MAX, &d->n,
				  &err) &&
	       d->n;
}

/* An operation without a law: the words of each bank one below the other, in the order of the first lane. */
static void stack_by_bank(struct drawing *d)
{
	const struct bc_op_info *op = bc_op_info(d->c.pattern.op);
	uint32_t addr[BC_LANES], word[ROWS_MAX][BANKS];
	unsigned fill[BANKS] = { 0 };

	bc_case_addresses(&d->c, &d->arch, 0, addr);
	for (unsigned lane = 0; lane < (op->matrices ? 8 * op->matrices : BC_LANES); lane++) {
		for (uint32_t at = addr[lane] / 4;
		     (d->c.pattern.mask >> lane & 1) && at <= (addr[lane] + op->bytes - 1) / 4; at++) {
			const unsigned bank = at % BANKS;
			unsigned row = 0;

			while (row < fill[bank] && word[row][bank] != at)
				row++;
			if (row == fill[bank])
				word[fill[bank]++][bank] = at;
			d->lanes[row][bank] |= UINT32_C(1) << lane;
			d->rows = row + 1 > d->rows ? row + 1 : d->rows;
		}
	}
}

static bool draw(struct drawing *d, const struct bc_read_case *c, const char *pattern, const char *optin)
{
	if (!parse(pattern, &d->c.pattern))
		return false;
	d->lawful = apply_bank_laws(d, c, optin);
	if (!d->lawful) {
		stack_by_bank(d);
		return d->rows > 0;
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct bc_bank_access *t = &d->touch[i];

		if (t->wavefront >= ROWS_MAX || t->bank >= BANKS)
			return false;
		d->lanes[t->wavefront][t->bank] |= UINT32_C(1) << t->lane;
		d->group[t->wavefront] = t->group;
		d->rows = t->wavefront + 1u > d->rows ? t->wavefront + 1u : d->rows;
	}
	return true;
}

/* Is it the first wavefront of its group of lanes? The others are conflicts. */
static bool first_of_group(const struct drawing *d, unsigned row)
{
	return !row || d->group[row] != d->group[row - 1];
}

/* Cells of a kind, as horizontal strokes. */
static void put_cells(struct bc_html *p, const struct drawing *d, bool first)
{
	bool any = false;

	for (unsigned row = 0; row < d->rows; row++) {
		for (unsigned bank = 0; bank < BANKS && (d->lawful ? first_of_group(d, row) : true) == first; bank++) {
			const unsigned start = bank;

			while (bank < BANKS && d->lanes[row][bank])
				bank++;
			if (bank == start)
				continue;
			bc_putf(&p->out, "%sM%u %uh%u",
				any	     ? ""
				: !d->lawful ? "<path class=pn d=\""
				: first	     ? "<path class=pa d=\""
					     : "<path class=px d=\"",
				start, row, bank - start);
			any = true;
		}
	}
	bc_put(&p->out, any ? "\"/>" : "");
}

/* "7", or how many. Three characters, or the last of a row as many as it needs. */
static void cell_text(uint32_t lanes, char buf[8])
{
	if (!lanes)
		(void)snprintf(buf, 8, "   ");
	else if (lanes & (lanes - 1))
		(void)snprintf(buf, 8, "\u00d7%-2d", __builtin_popcount(lanes));
	else
		(void)snprintf(buf, 8, "%2d ", __builtin_ctz(lanes));
}

/* One text for cells side by side; a gap of a few cells is cheaper as blanks than as a further text. */
static void put_labels(struct bc_html *p, const struct drawing *d, unsigned row)
{
	for (unsigned from = 0; from < BANKS; from++) {
		unsigned to = from;
		char cell[8];

		if (!d->lanes[row][from])
			continue;
		for (unsigned bank = from; bank < BANKS && bank <= to + GAP; bank++)
			to = d->lanes[row][bank] ? bank : to;
		bc_putf(&p->out, "<text x=%u y=%u textLength=%u>", LEFT + CELL_W * from + 1, TOP + CELL_H * row + 13,
			CELL_W * (to + 1 - from));
		for (unsigned bank = from; bank <= to; bank++) {
			cell_text(d->lanes[row][bank], cell);
			bc_put(&p->out, cell);
		}
		bc_put(&p->out, "</text>");
		from = to;
	}
}

static bool has_groups(const struct drawing *d)
{
	return d->lawful && d->w.group_lanes && d->w.group_lanes < BC_LANES;
}

/* Where one group of lanes ends and the next starts, and who they are. */
static void put_groups(struct bc_html *p, const struct drawing *d)
{
	const unsigned n = d->w.group_lanes;

	for (unsigned row = 0; row < d->rows && has_groups(d); row++) {
		if (!first_of_group(d, row))
			continue;
		if (row)
			bc_putf(&p->out, "<path class=ps d=\"M0 %uH%u\"/>", TOP + CELL_H * row,
				LEFT + CELL_W * BANKS + RIGHT);
		bc_putf(&p->out, "<text class=pl x=%u y=%u>lanes %u\u2013%u</text>", LEFT + CELL_W * BANKS + 6,
			TOP + CELL_H * row + 13, d->group[row] * n, d->group[row] * n + n - 1);
	}
}

static void put_drawing(struct bc_html *p, const struct drawing *d)
{
	put_cells(p, d, true);
	if (d->lawful)
		put_cells(p, d, false);
	bc_put(&p->out, "<use href=\"#pg\"/>");
	for (unsigned row = 0; row < d->rows; row++)
		put_labels(p, d, row);
	put_groups(p, d);
}

/* "4 × lane" of offsets that are that; false when they are not. */
static bool put_progression(struct bc_html *p, const struct bc_pattern *q)
{
	const uint32_t step = q->offset[1] - q->offset[0];

	for (unsigned lane = 1; lane < BC_LANES; lane++)
		if (q->mask != UINT32_MAX || q->offset[lane] < q->offset[lane - 1] ||
		    q->offset[lane] - q->offset[lane - 1] != step)
			return false;
	if (!step)
		bc_putf(&p->out, "%" PRIu32 " for every lane", q->offset[0]);
	else if (q->offset[0])
		bc_putf(&p->out, "%" PRIu32 " + %" PRIu32 " \u00d7 lane", q->offset[0], step);
	else
		bc_putf(&p->out, "%" PRIu32 " \u00d7 lane", step);
	return true;
}

static void put_offsets(struct bc_html *p, const struct bc_pattern *q)
{
	static const char *const origins[] = {
		[BC_FROM_START] = "",
		[BC_FROM_ABSOLUTE] = " (absolute shared addresses)",
		[BC_FROM_OPTIN_END] = " (the last byte is the last of the opt-in window)",
	};

	bc_putf(&p->out, "<b>%s</b>, ", bc_op_info(q->op)->name);
	if (q->mask != UINT32_MAX) {
		char lanes[BC_LANES_TEXT_MAX];

		bc_lanes_text(q->mask, lanes);
		bc_putf(&p->out, "only lanes %s, their ", lanes);
	}
	bc_put(&p->out, "byte offsets ");
	if (!put_progression(p, q)) {
		const char *sep = "";

		for (unsigned lane = 0; lane < BC_LANES; lane++) {
			if (!(q->mask >> lane & 1))
				continue;
			bc_putf(&p->out, "%s%" PRIu32, sep, q->offset[lane]);
			sep = ", ";
		}
	}
	bc_put(&p->out, origins[q->origin]);
	if (q->count > 1)
		bc_putf(&p->out, "; %" PRIu32 " requests, %" PRIu32 " bytes apart, the first is drawn", q->count,
			q->step);
}

/* Lanes of cells with more than one, by bank; cells with the same lanes side by side together. */
static void put_shared(struct bc_html *p, const struct drawing *d)
{
	const char *sep = d->lawful ? ". \u00d7 served together: " : ". \u00d7 on one word: ";

	for (unsigned row = 0; row < d->rows; row++) {
		for (unsigned bank = 0; bank < BANKS; bank++) {
			const uint32_t lanes = d->lanes[row][bank];
			const unsigned first = bank;
			char text[BC_LANES_TEXT_MAX];

			if (!(lanes & (lanes - 1)))
				continue;
			while (bank + 1 < BANKS && d->lanes[row][bank + 1] == lanes)
				bank++;
			bc_lanes_text(lanes, text);
			if (bank > first)
				bc_putf(&p->out, "%sbanks %u\u2013%u lanes %s", sep, first, bank, text);
			else
				bc_putf(&p->out, "%sbank %u lanes %s", sep, first, text);
			sep = "; ";
		}
	}
}

static void put_caption(struct bc_html *p, const struct drawing *d)
{
	put_offsets(p, &d->c.pattern);
	put_shared(p, d);
	if (!d->lawful)
		bc_put(&p->out, ". <em>No law names wavefronts here: rows are the words of a bank, in no order of "
				"service</em>");
	else if (d->w.law == BC_LAW_CAS)
		bc_put(&p->out, ". <em>Compare and swap makes this pass twice</em>");
	if (!d->agrees)
		bc_put(&p->out, ". <em>The report\u2019s model counts otherwise than these laws</em>");
}

/* Drawings of the page, to find equal ones. */
struct known {
	uint64_t hash;
	size_t start, len; /* in the text of all */
	unsigned rows;
	size_t index, next; /* next: of the same bucket, from 1; 0: none */
};

struct store {
	struct known *k;
	size_t n;
	size_t bucket[4096]; /* from 1 */
	struct bc_text all;
};

/* The drawing in @svg among those that are known; a new one is added. */
static enum bc_status find(struct store *s, const struct bc_text *svg, unsigned rows, size_t *index,
			   struct bc_error *err)
{
	const uint64_t hash = bc_hash(BC_HASH_INIT, svg->data, svg->len);
	size_t *const bucket = &s->bucket[hash % BC_ARRAY_LEN(s->bucket)];
	struct known *grown;
	enum bc_status st;

	const struct known *have = s->k;

	for (size_t i = have ? *bucket : 0; i; i = have[i - 1].next) {
		const struct known *k = &have[i - 1];

		if (k->hash == hash && k->rows == rows && k->len == svg->len &&
		    memcmp(s->all.data + k->start, svg->data, svg->len) == 0) {
			*index = k->index;
			return BC_OK;
		}
	}
	grown = realloc(s->k, (s->n + 1) * sizeof(*grown));
	if (!grown)
		return bc_fail(err, BC_ENOMEM, "html: out of memory");
	s->k = grown;
	grown[s->n] = (struct known){
		.hash = hash, .start = s->all.len, .len = svg->len, .rows = rows, .index = s->n, .next = *bucket
	};
	*index = s->n;
	*bucket = ++s->n;
	st = bc_text_add(&s->all, svg->data, svg->len, err);
	return st;
}

/* Draw one case into the store and its caption into the case. */
static void add_picture(struct bc_html *p, struct bc_html_case *c, struct store *s)
{
	struct bc_text svg = { 0 }, caption = { 0 }, *const page = p->out.to;
	struct drawing d = { .agrees = false };
	size_t run = 0;
	const char *pattern = pattern_of(p, c, &run);

	if (p->out.st || !pattern)
		return;
	if (draw(&d, c->of[run], pattern, bc_read_property(p->run[run].d, "optin_bytes"))) {
		p->out.to = &svg;
		put_drawing(p, &d);
		p->out.to = &caption;
		put_caption(p, &d);
		c->picture.rows = d.rows;
		c->picture.drawn = true;
		c->picture.groups = has_groups(&d);
		if (!p->out.st)
			p->out.st = find(s, &svg, d.rows, &c->picture.index, p->out.err);
	} else {
		p->out.to = &caption;
		bc_put(&p->out, "<em>Not drawn: this pattern cannot be read: </em>");
		bc_html_text(p, pattern);
	}
	p->out.to = page;
	c->picture.caption = caption.data;
	bc_text_release(&svg);
}

/* Numbers of the wavefronts, one element for all: each digit has its place. */
static void put_row_numbers(struct bc_html *p)
{
	bc_put(&p->out, "<text class=ph x=\"");
	for (unsigned row = 0; row < FRAME_ROWS; row++)
		bc_put(&p->out, row < 10 ? "17 " : "10 17 ");
	bc_put(&p->out, "\" y=\"");
	for (unsigned row = 0; row < FRAME_ROWS; row++)
		for (unsigned digit = 0; digit < (row < 10 ? 1 : 2); digit++)
			bc_putf(&p->out, "%u ", TOP + CELL_H * row + 13);
	bc_put(&p->out, "\">");
	for (unsigned row = 0; row < FRAME_ROWS; row++)
		bc_putf(&p->out, "%u", row);
	bc_put(&p->out, "</text>");
}

/* The frame that every picture shows a part of: names of banks and wavefronts, lines between cells. */
static void put_frame(struct bc_html *p)
{
	bc_put(&p->out, "<g id=pg><path class=pw d=\"");
	for (unsigned bank = 0; bank <= BANKS; bank++)
		bc_putf(&p->out, "M%u %uv%u", LEFT + CELL_W * bank, TOP, CELL_H * FRAME_ROWS);
	for (unsigned row = 0; row <= FRAME_ROWS; row++)
		bc_putf(&p->out, "M%u %uh%u", LEFT, TOP + CELL_H * row, CELL_W * BANKS);
	bc_putf(&p->out, "\"/><text class=ph x=%u y=12 textLength=%u>", LEFT + 1, CELL_W * BANKS);
	for (unsigned bank = 0; bank < BANKS; bank++)
		bc_putf(&p->out, "%2u ", bank);
	bc_put(&p->out, "</text><text class=ph x=4 y=12>bank</text>");
	put_row_numbers(p);
	bc_put(&p->out, "</g>");
}

void bc_html_pictures(struct bc_html *p)
{
	struct store *s = calloc(1, sizeof(*s));

	if (!s) {
		p->out.st = bc_fail(p->out.err, BC_ENOMEM, "html: out of memory");
		return;
	}
	for (size_t i = 0; i < p->ncases; i++)
		add_picture(p, &p->cases[i], s);
	bc_put(&p->out,
	       "<svg class=defs width=0 height=0 aria-hidden=true><defs>"
	       "<pattern id=hatch width=.25 height=.25 patternUnits=userSpaceOnUse patternTransform=\"rotate(45)\">"
	       "<path class=hb d=\"M0 0h1v1h-1z\"/><path class=hl d=\"M0 0v.25\"/></pattern>");
	put_frame(p);
	for (size_t i = 0; i < s->n; i++) {
		bc_putf(&p->out, "<g id=p%zu>", i);
		bc_put_bytes(&p->out, s->all.data + s->k[i].start, s->k[i].len);
		bc_put(&p->out, "</g>\n");
	}
	bc_put(&p->out, "</defs></svg>\n");
	bc_text_release(&s->all);
	free(s->k);
	free(s);
}

void bc_html_picture(struct bc_html *p, const struct bc_html_case *c)
{
	const unsigned height = TOP + CELL_H * c->picture.rows + 2;

	if (!c->picture.caption)
		return;
	bc_put(&p->out, "<figure>");
	if (c->picture.drawn)
		bc_putf(&p->out,
			"<svg class=\"p%s\" viewBox=\"0 0 %u %u\" role=img aria-label=\"%u %s by 32 banks\"><use "
			"href=\"#p%zu\"/></svg>",
			c->picture.groups ? " w" : "", LEFT + CELL_W * BANKS + (c->picture.groups ? RIGHT : 2), height,
			c->picture.rows, c->picture.rows == 1 ? "row" : "rows", c->picture.index);
	bc_put(&p->out, "<figcaption>");
	bc_put(&p->out, c->picture.caption);
	bc_put(&p->out, "</figcaption></figure>");
}
