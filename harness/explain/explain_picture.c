/* SPDX-License-Identifier: MIT */
#include "harness/explain/explain_picture.h"

#include <stdio.h>
#include <string.h>

#define BAND 32 /* banks side by side: 4 + 32 * 3 columns */

/* What lines and cells are drawn with. */
struct glyphs {
	const char *down, *across, *cross, *idle, *many;
};

static const struct glyphs *glyphs_of(const struct bc_drawing *d)
{
	static const struct glyphs ascii = { "|", "-", "+", ".", "*" }, boxes = { "│", "─", "┼", "·", "×" };

	return d->wrap.utf8 ? &boxes : &ascii;
}

void bc_lanes_text(uint32_t mask, char buf[BC_LANES_TEXT_MAX])
{
	size_t len = 0;

	(void)snprintf(buf, BC_LANES_TEXT_MAX, "none");
	for (unsigned lane = 0; lane < BC_LANES; lane++) {
		unsigned last = lane;

		if (!(mask >> lane & 1))
			continue;
		while (last + 1 < BC_LANES && (mask >> (last + 1) & 1))
			last++;
		len += (size_t)snprintf(buf + len, BC_LANES_TEXT_MAX - len, "%s%u", len ? ", " : "", lane);
		if (last > lane)
			len += (size_t)snprintf(buf + len, BC_LANES_TEXT_MAX - len, "-%u", last);
		lane = last;
	}
}

/* The first touch of a lane in the schedule; NULL when it has none. */
static const struct bc_bank_access *touch_of(const struct bc_picture *p, unsigned lane)
{
	for (size_t i = 0; i < p->ntouches; i++)
		if (p->touch[i].lane == lane)
			return &p->touch[i];
	return NULL;
}

/* Law 1, for a lane that touches memory: its bank, or the first and the last of its banks. */
static void banks_text(const struct bc_picture *p, unsigned lane, char buf[8])
{
	const struct bc_geometry *g = &p->geometry;
	const unsigned first = bc_geometry_bank(g, p->addr[lane]);
	const unsigned last = bc_geometry_bank(g, p->addr[lane] + p->op->bytes - 1);

	if (g->law.given && p->op->bytes > g->bank_bytes) /* its words may lie in any banks */
		(void)snprintf(buf, 8, "%u..", first & 63);
	else if (first == last)
		(void)snprintf(buf, 8, "%u", first & 63);
	else
		(void)snprintf(buf, 8, "%u-%u", first & 63, last & 63);
}

static void lane_entry(const struct bc_picture *p, struct bc_drawing *d, unsigned lane, int width)
{
	const struct bc_bank_access *touch = touch_of(p, lane);
	char address[16] = "inactive", banks[8] = "-", wavefront[4] = "-";

	if (p->mask >> lane & 1)
		banks_text(p, lane, banks);
	if (p->mask >> lane & 1)
		(void)snprintf(address, sizeof(address), "0x%0*x", width == 10 ? 8 : 5, p->addr[lane]);
	else if (p->ignored >> lane & 1)
		(void)snprintf(address, sizeof(address), "ignored");
	if (touch)
		(void)snprintf(wavefront, sizeof(wavefront), "%u", (unsigned)touch->wavefront);
	bc_putf(&d->out, "%4u %*s %5s %2s", lane, width, address, banks, wavefront);
}

void bc_picture_lanes(const struct bc_picture *p, struct bc_drawing *d)
{
	uint32_t all = 0;
	int width = 8; /* of an address */
	const char *gap = "  ";

	for (unsigned lane = 0; lane < BC_LANES; lane++)
		all |= p->mask >> lane & 1 ? p->addr[lane] : 0;
	if (all > 0xffffff) {
		width = 10;
		gap = " ";
	}
	for (unsigned k = 0; k < 4; k++)
		bc_putf(&d->out, "%slane %*s %5s wf", k ? gap : "", width, "address", "bank");
	bc_drawing_end_line(d);
	for (unsigned row = 0; row < 8; row++) {
		for (unsigned k = 0; k < 4; k++) {
			bc_putf(&d->out, "%s", k ? gap : "");
			lane_entry(p, d, 8 * k + row, width);
		}
		bc_drawing_end_line(d);
	}
	bc_drawing_end_line(d);
}

/* Wavefronts of a group: [*first, *end). */
static void span(const struct bc_picture *p, unsigned group, unsigned *first, unsigned *end)
{
	*first = *end = 0;
	for (size_t i = 0; i < p->ntouches; i++) {
		const struct bc_bank_access *t = &p->touch[i];

		if (t->group != group)
			continue;
		if (*end == 0 || t->wavefront < *first)
			*first = t->wavefront;
		if (t->wavefront >= *end)
			*end = t->wavefront + 1u;
	}
}

unsigned bc_picture_ways(const struct bc_picture *p, unsigned group)
{
	unsigned first, end;

	span(p, group, &first, &end);
	return end - first;
}

/* "----+-- group 1: lanes 8-15, 2 wavefronts (2-way) ------" */
static void group_line(const struct bc_picture *p, struct bc_drawing *d, unsigned group, unsigned columns)
{
	const struct glyphs *g = glyphs_of(d);
	const uint32_t lanes = p->w.group_lanes == BC_LANES ? UINT32_MAX : (UINT32_C(1) << p->w.group_lanes) - 1;
	const unsigned first = group * p->w.group_lanes, ways = bc_picture_ways(p, group);
	const uint32_t active = p->mask & (lanes << first);
	char text[96], count[40];

	(void)snprintf(count, sizeof(count), "%u wavefront%s, %u-way", ways, ways == 1 ? "" : "s", ways);
	(void)snprintf(text, sizeof(text), " group %u, lanes %u-%u%s: %s ", group, first, first + p->w.group_lanes - 1,
		       active == (lanes << first) || active == 0 ? "" : " (some inactive)",
		       active == 0 ? "none active, no wavefront" : count);
	bc_putf(&d->out, "%s%s%s%s%s%s", g->across, g->across, g->across, g->cross, g->across, g->across);
	bc_putf(&d->out, "%s", text);
	for (size_t at = 6 + strlen(text); at < columns; at++)
		bc_putf(&d->out, "%s", g->across);
	bc_drawing_end_line(d);
}

/* The lanes that @bank serves in @wavefront. */
static uint32_t served(const struct bc_picture *p, unsigned wavefront, unsigned bank)
{
	uint32_t lanes = 0;

	for (size_t i = 0; i < p->ntouches; i++)
		if (p->touch[i].wavefront == wavefront && p->touch[i].bank == bank)
			lanes |= UINT32_C(1) << p->touch[i].lane;
	return lanes;
}

static void wavefront_line(const struct bc_picture *p, struct bc_drawing *d, unsigned wavefront, unsigned from,
			   unsigned to)
{
	const struct glyphs *g = glyphs_of(d);

	bc_putf(&d->out, "%2u %s", wavefront, g->down);
	for (unsigned bank = from; bank < to; bank++) {
		const uint32_t lanes = served(p, wavefront, bank);
		const unsigned n = (unsigned)__builtin_popcount(lanes);

		if (n == 0)
			bc_putf(&d->out, " %s ", g->idle);
		else if (n == 1)
			bc_putf(&d->out, "%2u ", (unsigned)__builtin_ctz(lanes));
		else
			bc_putf(&d->out, "%2u%s", n, g->many);
	}
	bc_drawing_end_line(d);
}

static bool any_shared(const struct bc_picture *p)
{
	for (size_t i = 0; i < p->ntouches; i++) {
		const uint32_t lanes = served(p, p->touch[i].wavefront, p->touch[i].bank);

		if ((lanes & (lanes - 1)) != 0)
			return true;
	}
	return false;
}

void bc_picture_banks(const struct bc_picture *p, struct bc_drawing *d)
{
	const struct glyphs *g = glyphs_of(d);
	const unsigned ngroups = (p->op->matrices ? 8 * p->op->matrices : BC_LANES) / p->w.group_lanes;

	for (unsigned from = 0; from < p->geometry.banks; from += BAND) {
		const unsigned to = from + BAND < p->geometry.banks ? from + BAND : p->geometry.banks;

		bc_putf(&d->out, "wf %s", g->down);
		for (unsigned bank = from; bank < to; bank++)
			bc_putf(&d->out, "%2u ", bank);
		bc_drawing_end_line(d);
		for (unsigned group = 0; group < ngroups; group++) {
			unsigned first, end;

			group_line(p, d, group, 4 + 3 * (to - from));
			span(p, group, &first, &end);
			for (unsigned w = first; w < end; w++)
				wavefront_line(p, d, w, from, to);
		}
		bc_drawing_end_line(d);
	}
	bc_putf(&d->out, "wf: wavefront; columns: banks; cell: the lane served, %s idle", g->idle);
	if (any_shared(p))
		bc_putf(&d->out, ", 4%s one word served to 4 lanes at once", g->many);
	bc_drawing_end_line(d);
	bc_drawing_end_line(d);
}
