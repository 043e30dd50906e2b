/* SPDX-License-Identifier: MIT */
/* Drawings that are not of a case: a tile's banks in three layouts, the clock against wavefronts. */
#include "harness/html/page.h"
#include "harness/base/stats.h"
#include "harness/report/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"
#include "kernels/bc_kernel.h"

#define BANKS 32u
#define TILE 32u
#define CELL 11 /* units of a side */
#define EDGE 20 /* left of and above the tile */

static unsigned bank_of(struct bc_layout l, unsigned row, unsigned col)
{
	return bc_layout_index(row, col, l) % BANKS;
}

/* Most words of one bank in a column of the tile: the wavefronts of a warp that reads it. */
static unsigned column_wavefronts(struct bc_layout l, unsigned col)
{
	unsigned n[BANKS] = { 0 }, most = 0;

	for (unsigned row = 0; row < TILE; row++)
		if (++n[bank_of(l, row, col)] > most)
			most = n[bank_of(l, row, col)];
	return most;
}

static void put_tile(struct bc_html *p, const char *name, const char *code, struct bc_layout l)
{
	const unsigned ways = column_wavefronts(l, 0), side = EDGE + CELL * TILE + 2;

	bc_putf(&p->out,
		"<figure class=tile><svg viewBox=\"0 0 %u %u\" role=img aria-label=\"%s: banks of a tile of 32 by "
		"32 words; a column "
		"takes %u wavefront%s\">",
		side, side, name, ways, ways == 1 ? "" : "s");
	for (unsigned bank = 0; bank < BANKS; bank++) {
		bc_putf(&p->out, "<path class=tb stroke-opacity=.%02u d=\"", bank * 85 / 31 + 2);
		for (unsigned row = 0; row < TILE; row++)
			for (unsigned col = 0; col < TILE; col++)
				if (bank_of(l, row, col) == bank)
					bc_putf(&p->out, "M%u %uh1", col, row);
		bc_put(&p->out, "\"/>");
	}
	for (unsigned row = 0; row < TILE; row++) {
		bc_putf(&p->out, "<text class=%s x=%u y=%u textLength=%u>", "tn", EDGE, EDGE + CELL * row + 8,
			CELL * TILE);
		for (unsigned col = 0; col < TILE; col++)
			bc_putf(&p->out, "%2u ", bank_of(l, row, col));
		bc_put(&p->out, "</text>");
	}
	bc_putf(&p->out, "<rect class=tc x=%u y=%u width=%u height=%u />", EDGE, EDGE, CELL, CELL * TILE);
	bc_putf(&p->out,
		"<text class=tl x=%u y=12>column \u2192</text><text class=tl transform=\"translate(12 "
		"%u)rotate(90)\">row \u2192</text>",
		EDGE, EDGE);
	bc_putf(&p->out,
		"</svg><figcaption><strong>%s</strong> <code>%s</code><br>a warp reads column 0: <b>%u "
		"wavefront%s</b>%s</figcaption></figure>\n",
		name, code, ways, ways == 1 ? "" : "s", ways == 1 ? ", no conflict" : ", all in bank 0");
}

void bc_html_layouts(struct bc_html *p)
{
	bc_put(&p->out,
	       "<h2 id=layouts>A tile\u2019s banks in three layouts</h2>\n<p class=note>A tile of 32 \u00d7 32 "
	       "words in shared memory: each number "
	       "is the bank of the element in that row and column. Rows are free of conflicts in all three; "
	       "the frame marks a column.\n"
	       "<div class=tiles>");
	put_tile(p, "plain", "tile[32][32]", (struct bc_layout){ BC_LAYOUT_PLAIN, TILE, 0 });
	put_tile(p, "padded", "tile[32][33]", (struct bc_layout){ BC_LAYOUT_PADDED, TILE, 1 });
	put_tile(p, "xor", "tile[row][col ^ row]", (struct bc_layout){ BC_LAYOUT_XOR, TILE, TILE - 1 });
	bc_put(&p->out, "</div>\n");
}

/* Cycles of an operation by wavefronts. */
#define WAYS 32u

struct series {
	const char *op, *what;
	char mark;		 /* c circle, s square */
	double cycles[WAYS + 1]; /* sum of medians, by wavefronts of a request */
	unsigned n[WAYS + 1];
	double slope, offset;
	unsigned points;
};

static void collect(struct series *s, const struct bc_read_device *d)
{
	for (size_t i = 0; i < d->ncases; i++) {
		const struct bc_key_values *k = &d->cases[i].keys;
		const char *pattern = bc_key_get(k, "pattern");
		const size_t len = strlen(s->op);
		char per[BC_HTML_VALUE_MAX];
		struct bc_samples samples;
		uint32_t ways;
		double cycles;

		if (!bc_values_samples(k, &samples) || !pattern || !samples.n || strncmp(pattern, "op:", 3) != 0 ||
		    strncmp(pattern + 3, s->op, len) != 0 || pattern[3 + len] != ' ')
			continue;
		bc_html_value(&d->cases[i], BC_HTML_MODEL, "wavefronts", per);
		cycles = bc_median(samples.v, samples.n) / BC_TIMED_ACCESSES;
		if (!bc_u32_parse(per, &ways) || !ways || ways > WAYS || cycles <= 0)
			continue;
		s->cycles[ways] += cycles;
		s->n[ways]++;
	}
}

/* The line of least squares through the points, from 3 wavefronts on: below them one warp's issue hides some. */
static void fit_line(struct series *s)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0;

	for (unsigned w = 1; w <= WAYS; w++) {
		s->points += s->n[w] > 0;
		if (!s->n[w] || w < 3)
			continue;
		n++;
		x += w;
		y += s->cycles[w] / s->n[w];
		xx += (double)w * w;
		xy += w * s->cycles[w] / s->n[w];
	}
	if (n < 2)
		return;
	s->slope = (n * xy - x * y) / (n * xx - x * x);
	s->offset = (y - s->slope * x) / n;
}

#define PLOT_W 420
#define PLOT_H 260
#define PLOT_X 44
#define PLOT_Y 14

static double highest(const struct series *s, size_t n)
{
	double top = 8;

	for (size_t i = 0; i < n; i++)
		for (unsigned w = 1; w <= WAYS; w++)
			if (s[i].n[w] && s[i].cycles[w] / s[i].n[w] > top)
				top = s[i].cycles[w] / s[i].n[w];
	return top;
}

/* Tenths of a unit, without the locale's point. */
static void put_tenths(struct bc_html *p, double v)
{
	const long t = (long)(v * 10 + .5);

	bc_putf(&p->out, "%ld.%ld", t / 10, t % 10);
}

static double at_x(double w)
{
	return PLOT_X + w * PLOT_W / WAYS;
}

static double at_y(double cycles, double top)
{
	const double y = PLOT_Y + PLOT_H - cycles * PLOT_H / top;

	return y > 0 ? y : 0;
}

static void put_axes(struct bc_html *p, double top)
{
	const unsigned step = top > 200 ? 50 : top > 100 ? 25 : top > 40 ? 20 : top > 20 ? 10 : 2;

	bc_putf(&p->out, "<path class=ax d=\"M%d %dv%dh%d", PLOT_X, PLOT_Y, PLOT_H, PLOT_W);
	bc_put(&p->out, "\"/>");
	for (unsigned w = 0; w <= WAYS; w += 4)
		bc_putf(&p->out, "<text class=al x=%d y=%d text-anchor=middle>%u</text>",
			PLOT_X + (int)w * PLOT_W / (int)WAYS, PLOT_Y + PLOT_H + 15, w);
	for (unsigned c = 0; c <= (unsigned)top && c < 100 * step; c += step) {
		bc_putf(&p->out, "<path class=gl d=\"M%d ", PLOT_X);
		put_tenths(p, at_y(c, top));
		bc_putf(&p->out, "h%d\"/><text class=al text-anchor=end x=%d y=", PLOT_W, PLOT_X - 6);
		put_tenths(p, at_y(c, top) + 4);
		bc_putf(&p->out, ">%u</text>", c);
	}
	bc_putf(&p->out, "<text class=al x=%d y=%d text-anchor=middle>wavefronts a request</text>", PLOT_X + PLOT_W / 2,
		PLOT_Y + PLOT_H + 32);
	bc_putf(&p->out,
		"<text class=al text-anchor=middle transform=\"translate(11 %d)rotate(-90)\">cycles a request</text>",
		PLOT_Y + PLOT_H / 2);
}

static void put_series(struct bc_html *p, const struct series *s, double top)
{
	if (s->slope > 0) {
		bc_putf(&p->out, "<path class=\"sl %c\" d=\"M", s->mark);
		put_tenths(p, at_x(1));
		bc_put(&p->out, " ");
		put_tenths(p, at_y(s->offset + s->slope, top));
		bc_put(&p->out, "L");
		put_tenths(p, at_x(WAYS));
		bc_put(&p->out, " ");
		put_tenths(p, at_y(s->offset + s->slope * WAYS, top));
		bc_put(&p->out, "\"/>");
	}
	for (unsigned w = 1; w <= WAYS; w++) {
		if (!s->n[w])
			continue;
		bc_put(&p->out, "<use href=\"#m");
		bc_putf(&p->out, "%c\" x=", s->mark);
		put_tenths(p, at_x(w));
		bc_put(&p->out, " y=");
		put_tenths(p, at_y(s->cycles[w] / s->n[w], top));
		bc_put(&p->out, " />");
	}
}

static void put_legend(struct bc_html *p, const struct series *s, size_t n)
{
	bc_put(&p->out, "<ul class=legend>");
	for (size_t i = 0; i < n; i++) {
		char slope[BC_NUMBER_MAX];

		if (!s[i].points)
			continue;
		bc_putf(&p->out,
			"<li><svg class=mark viewBox=\"-6 -6 12 12\" aria-hidden=true><use href=\"#m%c\"/></svg> "
			"<b>%s</b> %s",
			s[i].mark, s[i].op, s[i].what);
		if (s[i].slope > 0)
			bc_putf(&p->out, ": <b>%s</b> cycles for each further wavefront",
				bc_number_text((double)(long)(s[i].slope * 1000 + .5) / 1000, slope));
	}
	bc_put(&p->out, "</ul>");
}

static void put_plot(struct bc_html *p, size_t r)
{
	struct series s[] = {
		{ .op = "ld32", .what = "loads, each waits for the one before it", .mark = 'c' },
		{ .op = "st32", .what = "stores of four warps", .mark = 's' },
	};
	const char *absent = bc_read_property(p->run[r].d, "clock_absent");
	double top;

	for (size_t i = 0; i < BC_ARRAY_LEN(s); i++) {
		collect(&s[i], p->run[r].d);
		fit_line(&s[i]);
	}
	bc_putf(&p->out, "<figure class=plot><figcaption><span class=r>run %zu</span> <strong>", r + 1);
	bc_html_text(p, bc_read_property(p->run[r].d, "gpu"));
	bc_put(&p->out, "</strong> ");
	bc_html_text(p, p->run[r].d->dev);
	bc_put(&p->out, "</figcaption>");
	if (!s[0].points && !s[1].points) {
		bc_put(&p->out,
		       p->run[r].d->nverdict_only ? "<p>No clock in the report, which is compact" : "<p>No clock");
		bc_put(&p->out, absent[0] && strcmp(absent, "none") != 0 ? ": " : ".");
		bc_html_text(p, absent[0] && strcmp(absent, "none") != 0 ? absent : "");
		bc_put(&p->out, "</figure>\n");
		return;
	}
	top = highest(s, BC_ARRAY_LEN(s)) * 1.04;
	bc_putf(&p->out,
		"<svg viewBox=\"0 0 %d %d\" role=img aria-label=\"Cycles of a request against its wavefronts\">",
		PLOT_X + PLOT_W + 12, PLOT_Y + PLOT_H + 38);
	put_axes(p, top);
	for (size_t i = 0; i < BC_ARRAY_LEN(s); i++)
		put_series(p, &s[i], top);
	bc_put(&p->out, "</svg>");
	put_legend(p, s, BC_ARRAY_LEN(s));
	bc_put(&p->out, "</figure>\n");
}

/* The interval that is expected and the slopes that the runs measured in it. */
static void put_gauge(struct bc_html *p, const struct bc_html_case *c, double lo, double hi)
{
	const double from = lo - (hi - lo), width = 3 * (hi - lo);

	bc_put(&p->out,
	       "<svg class=gauge viewBox=\"0 0 300 20\" aria-hidden=true><rect class=gb y=9 width=300 height=2 "
	       "/><rect class=gi x=100 y=3 width=100 height=14 />");
	for (size_t r = 0; r < p->nruns && width > 0; r++) {
		const char *s = c->of[r] ? bc_key_get(&c->of[r]->keys, "clock") : NULL;
		double v;

		if (!s || !bc_number_parse(s, &v))
			continue;
		v = (v - from) * 300 / width;
		bc_put(&p->out, "<use href=\"#mg\" y=10 x=");
		put_tenths(p, v < 4 ? 4 : v > 296 ? 296 : v);
		bc_put(&p->out, " />");
	}
	bc_put(&p->out, "</svg>");
}

static const char *clock_of(const struct bc_html_case *c, size_t run)
{
	const char *s = c->of[run] ? bc_key_get(&c->of[run]->keys, "clock") : NULL;

	return s ? s : "\u2013";
}

static void put_slope(struct bc_html *p, const struct bc_html_case *c, const char *bounds)
{
	const char *dots = strstr(bounds, "..");
	char first[BC_NUMBER_MAX];
	double lo, hi;

	if (!dots || (size_t)(dots - bounds) >= sizeof(first))
		return;
	(void)bc_strlcpy(first, bounds, (size_t)(dots - bounds) + 1);
	if (!bc_number_parse(first, &lo) || !bc_number_parse(dots + 2, &hi))
		return;
	bc_put(&p->out, "<tr><th scope=row>");
	bc_html_link(p, c);
	bc_put(&p->out, "<td>");
	bc_html_text(p, first);
	bc_put(&p->out, "\u2013");
	bc_html_text(p, dots + 2);
	bc_put(&p->out, "<td>");
	for (size_t r = 0; r < p->nruns; r++) {
		const char *s = clock_of(c, r);
		bool before = false;

		for (size_t k = 0; k < r && !before; k++)
			before = strcmp(clock_of(c, k), s) == 0;
		if (before)
			continue;
		bc_put(&p->out, r ? " \u00b7 " : "");
		bc_html_text(p, s);
	}
	bc_put(&p->out, "<td>");
	put_gauge(p, c, lo, hi);
	bc_put(&p->out, "\n");
}

static const char *bounds_of(const struct bc_html *p, size_t i)
{
	for (size_t r = 0; r < p->nruns; r++) {
		const char *s = p->cases[i].of[r] ? bc_key_get(&p->cases[i].of[r]->keys, "clock_slope") : NULL;

		if (s)
			return s;
	}
	return NULL;
}

static void put_slopes(struct bc_html *p)
{
	bc_put(&p->out,
	       "<details class=\"facts slopes\" open><summary>Slopes that are judged: cycles for each further "
	       "wavefront</summary><div class=scroll>"
	       "<table class=grid><thead><tr><th scope=col>case<th scope=col>expected<th scope=col>measured<th "
	       "scope=col>in the interval<tbody>\n");
	for (size_t i = 0; i < p->ncases; i++) {
		const char *bounds = bounds_of(p, i);

		if (bounds)
			put_slope(p, &p->cases[i], bounds);
	}
	bc_put(&p->out, "</table></div></details>\n");
}

void bc_html_clock(struct bc_html *p)
{
	bool any = false;

	bc_put(&p->out,
	       "<h2 id=clock>The clock\u2019s slope</h2>\n<p class=note>Cycles against the wavefronts that the "
	       "bank laws give, from the recorded "
	       "samples (the median of a case, the mean of cases with as many wavefronts); the line is that of "
	       "least squares from 3 "
	       "wavefronts on.\n<svg class=defs width=0 height=0 aria-hidden=true><defs><circle id=mc class=c "
	       "r=3.4 /><rect id=ms class=s x=-3 y=-3 "
	       "width=6 height=6 /><path id=mg class=g d=\"M0 -7L5 0 0 7-5 0z\"/></defs></svg>");
	bc_put(&p->out, p->nruns > 2 ? "<div class=\"plots lots\">" : "<div class=\"plots few\">");
	for (size_t r = 0; r < p->nruns; r++)
		put_plot(p, r);
	for (size_t i = 0; i < p->ncases && !any; i++)
		any = bounds_of(p, i) != NULL;
	if (any)
		put_slopes(p);
	bc_put(&p->out, "</div>\n");
}
