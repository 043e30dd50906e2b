/* SPDX-License-Identifier: MIT */
#include "harness/measure/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 128u /* 32 banks of 4 bytes: addresses a line apart share their bank */
#define SURE 0.2

/* Lanes of a group: 32 for 1, 2 and 4 bytes, 16 for 8, 8 for 16; twice as many when the pair rule merged them. */
static unsigned group_lanes(const struct bc_clock_key *key)
{
	const unsigned bytes = bc_op_info(key->op)->bytes;
	const unsigned lanes = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;

	return key->merged ? 2 * lanes : lanes;
}

/* @ways in each of the first key->groups groups. */
static void known_pattern(const struct bc_clock_key *key, unsigned ways, struct bc_pattern *p)
{
	const unsigned lanes = group_lanes(key), bytes = bc_op_info(key->op)->bytes;

	memset(p, 0, sizeof(*p));
	p->op = key->op;
	p->count = 1;
	for (unsigned l = 0; l < key->groups * lanes; l++) {
		const unsigned place = key->merged ? l % lanes / 2 : l % lanes;

		p->mask |= UINT32_C(1) << l;
		if (ways > 1)
			p->offset[l] = place < ways ? place * LINE_BYTES : 0;
		else /* clean, and no two lanes alike, so that no pair merges unless it is meant to */
			p->offset[l] = place * (bytes < 4 ? 4 : bytes);
	}
}

enum bc_status bc_clock_patterns(const struct bc_clock_key *key, struct bc_clock_line *out, struct bc_error *err)
{
	static const unsigned ways[] = { 1, 2, 3, 4, 8, 16, 32 };
	const struct bc_op_info *op = bc_op_info(key->op);
	const unsigned lanes = group_lanes(key), distinct = key->merged ? lanes / 2 : lanes;

	if (!op->timed || !key->groups || key->groups * lanes > BC_LANES || (key->merged && op->store))
		return bc_fail(err, BC_EDEVICE, "no clock protocol for %s with %u groups%s", op->name, key->groups,
			       key->merged ? ", merged" : "");
	memset(out, 0, sizeof(*out));
	out->key = *key;
	for (size_t i = 0; i < BC_ARRAY_LEN(ways) && ways[i] <= distinct; i++) {
		known_pattern(key, ways[i], &out->point[out->n].pattern);
		out->point[out->n++].wavefronts = key->groups * ways[i];
	}
	return BC_OK;
}

enum bc_status bc_clock_wavefronts(const struct bc_clock_line *line, double cycles, double *wavefronts,
				   struct bc_error *err)
{
	const struct bc_clock_point *p = line->point;
	unsigned i = 0;
	double w;

	for (unsigned k = 1; k < line->n; k++)
		if (p[k].cycles <= p[k - 1].cycles)
			return bc_fail(err, BC_EDEVICE,
				       "the clock's calibration of %s does not rise: %u wavefronts in %.1f "
				       "cycles, %u in %.1f (GPU busy or throttled?)",
				       bc_op_info(line->key.op)->name, p[k - 1].wavefronts, p[k - 1].cycles,
				       p[k].wavefronts, p[k].cycles);
	if (line->n < 2)
		return bc_fail(err, BC_EDEVICE, "the clock's calibration has fewer than two points");
	while (i + 2 < line->n && cycles > p[i + 1].cycles)
		i++;
	w = p[i].wavefronts +
	    (cycles - p[i].cycles) * (p[i + 1].wavefronts - p[i].wavefronts) / (p[i + 1].cycles - p[i].cycles);
	*wavefronts = fabs(w - round(w)) <= SURE && round(w) >= 1 ? round(w) : w;
	return BC_OK;
}
