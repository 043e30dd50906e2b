/* SPDX-License-Identifier: MIT */
#include "harness/measure/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/measure/same_bank.h"

/* Addresses so far apart share a bank, or lie in different ones, with 16, 32 or 64 banks of 4 or 8 bytes: the known
 * patterns take what they must on a device with other banks too, and the cases show that it has them. */
#define SAME_BANK_BYTES BC_SAME_BANK_BYTES
#define OTHER_BANK_BYTES 16u
#define SURE 0.2

/* Lanes of a group: 32 for 1, 2 and 4 bytes, 16 for 8, 8 for 16. */
static unsigned group_lanes(enum bc_op op)
{
	const unsigned bytes = bc_op_info(op)->bytes;

	return bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
}

static void add_lane(struct bc_pattern *p, unsigned lane, uint32_t offset)
{
	p->mask |= UINT32_C(1) << lane;
	p->offset[lane] = offset;
}

/*
 * @ways pairs of lanes in each of the first key->groups merged groups, each pair on one word, all words of one bank.
 * The pairs of a group lie in its first half, so a device without the pair rule takes as many wavefronts for them, and
 * in as many groups.
 */
static void known_merged(const struct bc_clock_key *key, unsigned ways, struct bc_pattern *p)
{
	const unsigned lanes = 2 * group_lanes(key->op);

	memset(p, 0, sizeof(*p));
	p->op = key->op;
	p->count = 1;
	for (unsigned l = 0; l < BC_LANES && l / lanes < key->groups; l++)
		if (l % lanes < 2 * ways)
			add_lane(p, l, (l / lanes * ways + l % lanes / 2) * SAME_BANK_BYTES);
}

/*
 * @ways lanes in each of the first key->groups groups, all on words of one bank and no two on one word. Where the pair
 * rule may apply, lanes 0, 1 and 2 are active and differ, so that it merges nothing; those of them that are not among
 * the ways are alone in a bank.
 */
static void known_pattern(const struct bc_clock_key *key, unsigned ways, struct bc_pattern *p)
{
	const unsigned lanes = group_lanes(key->op);

	if (key->merged) {
		known_merged(key, ways, p);
		return;
	}

	memset(p, 0, sizeof(*p));
	p->op = key->op;
	p->count = 1;
	for (unsigned l = 0; l < BC_LANES && l / lanes < key->groups; l++)
		if (l % lanes < ways)
			add_lane(p, l, (l / lanes * ways + l % lanes) * SAME_BANK_BYTES);
	for (unsigned l = ways; bc_op_info(key->op)->pairs && l <= 2; l++)
		add_lane(p, l, l * OTHER_BANK_BYTES);
}

/* The same by a law of the architecture's own. Return: the wavefronts; 0: it gives no such pattern. */
static unsigned pattern_by_law(const struct bc_clock_key *key, const struct bc_arch *a, unsigned ways,
			       struct bc_pattern *p)
{
	const struct bc_geometry g = bc_arch_geometry(a);
	const bool twos = bc_geometry_merge(&g, key->op) == BC_MERGE_PAIR2;
	const unsigned lanes = bc_geometry_group(&g, key->op) * (key->merged ? 2 : 1);
	uint32_t same[BC_LANES], addr[BC_LANES], other = 0;
	struct bc_wavefronts w;

	memset(p, 0, sizeof(*p));
	p->op = key->op;
	p->count = 1;
	if (!bc_same_bank(a, BC_LANES, same))
		return 0;
	for (unsigned l = 0; l < BC_LANES && l / lanes < key->groups; l++) {
		const unsigned pair = twos ? l / 4 * 2 + l % 2 : l / 2;

		if (l % lanes < ways * (key->merged ? 2 : 1))
			add_lane(p, l, same[key->merged ? pair : l]);
	}
	for (unsigned l = ways; !key->merged && l <= 2 && bc_op_info(key->op)->bytes >= 8; l++) {
		if (!bc_other_bank(a, other, &other))
			return 0;
		add_lane(p, l, other);
		other += OTHER_BANK_BYTES;
	}
	for (unsigned l = 0; l < BC_LANES; l++)
		addr[l] = a->window_base + p->offset[l];
	if (bc_banks_count(&g, key->op, addr, p->mask, &w, NULL) || w.groups != key->groups || w.merged != key->merged)
		return 0;
	return w.wavefronts;
}

/* Those of them that rise. */
static enum bc_status patterns_by_law(const struct bc_clock_key *key, const struct bc_arch *a,
				      struct bc_clock_line *out, struct bc_error *err)
{
	static const unsigned ways[] = { 1, 2, 3, 4, 8, 16, 32 };

	for (size_t i = 0; bc_op_info(key->op)->timed && i < BC_ARRAY_LEN(ways); i++) {
		struct bc_clock_point *point = &out->point[out->n];
		const unsigned w = pattern_by_law(key, a, ways[i], &point->pattern);

		if (!w || (out->n && w <= point[-1].wavefronts))
			continue;
		point->wavefronts = w;
		out->n++;
	}
	return out->n >= 2 ? BC_OK
			   : bc_fail(err, BC_EDEVICE, "the law of %s gives no clock protocol for %s with %u groups",
				     a->name, bc_op_info(key->op)->name, key->groups);
}

enum bc_status bc_clock_patterns(const struct bc_clock_key *key, const struct bc_arch *a, struct bc_clock_line *out,
				 struct bc_error *err)
{
	static const unsigned ways[] = { 1, 2, 3, 4, 8, 16, 32 };
	const struct bc_op_info *op = bc_op_info(key->op);
	const unsigned lanes = group_lanes(key->op), most = key->merged ? lanes / 2 : lanes;

	memset(out, 0, sizeof(*out));
	out->key = *key;
	if (a->law.given)
		return patterns_by_law(key, a, out, err);
	if (!op->timed || !key->groups || key->groups * lanes * (key->merged ? 2 : 1) > BC_LANES ||
	    (key->merged && !op->pairs))
		return bc_fail(err, BC_EDEVICE, "no clock protocol for %s with %u groups", op->name, key->groups);
	for (size_t i = 0; i < BC_ARRAY_LEN(ways) && ways[i] <= most; i++) {
		known_pattern(key, ways[i], &out->point[out->n].pattern);
		out->point[out->n++].wavefronts = key->groups * ways[i];
	}
	return BC_OK;
}

enum bc_clock_shape bc_clock_shape_of(const struct bc_clock_line *line, char *why, size_t size)
{
	if (line->n < 2) {
		(void)snprintf(why, size, "the clock's calibration has fewer than two points");
		return BC_CLOCK_UNSURE;
	}
	for (unsigned k = 1; k < line->n; k++) {
		const struct bc_clock_point *a = &line->point[k - 1], *b = &line->point[k];
		const bool alike = !a->spread && !b->spread;

		if (b->cycles > a->cycles)
			continue;
		(void)snprintf(why, size,
			       "the clock's calibration of %s does not rise: %u wavefronts in %.1f cycles, %u in %.1f "
			       "(%s)",
			       bc_op_info(line->key.op)->name, a->wavefronts, a->cycles, b->wavefronts, b->cycles,
			       alike ? "every sample alike" : "GPU busy or throttled?");
		return alike ? BC_CLOCK_FLAT : BC_CLOCK_UNSURE;
	}
	return BC_CLOCK_RISES;
}

enum bc_status bc_clock_wavefronts(const struct bc_clock_line *line, double cycles, double *wavefronts,
				   struct bc_error *err)
{
	const struct bc_clock_point *p = line->point;
	char why[sizeof(err->msg)];
	unsigned i = 0;
	double w;

	if (bc_clock_shape_of(line, why, sizeof(why)) != BC_CLOCK_RISES)
		return bc_fail(err, BC_EDEVICE, "%s", why);
	while (i + 2 < line->n && cycles > p[i + 1].cycles)
		i++;
	w = p[i].wavefronts +
	    (cycles - p[i].cycles) * (p[i + 1].wavefronts - p[i].wavefronts) / (p[i + 1].cycles - p[i].cycles);
	*wavefronts = fabs(w - round(w)) <= SURE && round(w) >= 1 ? round(w) : w;
	return BC_OK;
}
