/* SPDX-License-Identifier: MIT */
#include "harness/core/banks.h"

#include <stdlib.h>
#include <string.h>

#define BANKS_MAX 64

/*
 * The groups of lanes that are served together: @ngroups groups of @lanes consecutive lanes. A lane's access is one
 * chunk, aligned to its size, so all its banks are equally busy: banks are counted in columns as wide as a chunk, and
 * a chunk takes @weight passes of its column (more than 1 only where it is wider than all banks together).
 * @every_lane: each lane counts, even on a word that another lane of the group touches (laws 6, 10); else lanes on one
 * word are served together.
 */
struct lane_groups {
	unsigned ngroups, lanes;
	unsigned shift;	  /* log2 of a chunk's bytes; at least a bank's */
	unsigned columns; /* a power of two, 1..64 */
	unsigned weight;
	bool every_lane;
};

struct bc_geometry bc_arch_geometry(const struct bc_arch *a)
{
	return (struct bc_geometry){
		.banks = a->banks, .bank_bytes = a->bank_bytes, .pair_rule = a->pair_rule != 0, .law = a->law
	};
}

/* The request is one the operation can make: known op, sound geometry, aligned addresses, a mask it can have. */
static enum bc_status check_request(const struct bc_geometry *g, const struct bc_op_info *info,
				    const uint32_t addr[BC_LANES], uint32_t mask, struct bc_error *err)
{
	uint32_t bits = 0;

	if (info->law == BC_LAW_NONE)
		return bc_fail(err, BC_EDATA, "no operation given: a bank law needs one");
	if (g->banks == 0 || g->banks > BANKS_MAX || (g->banks & (g->banks - 1)) != 0 ||
	    (g->bank_bytes != 4 && g->bank_bytes != 8))
		return bc_fail(err, BC_EDATA, "%u banks of %u bytes: 1 to 64 banks, a power of two, of 4 or 8 bytes",
			       g->banks, g->bank_bytes);
	if (info->law == BC_LAW_MATRIX && mask != 0 && mask != UINT32_MAX)
		return bc_fail(err, BC_EDATA, "%s needs all 32 lanes, the mask is %08x", info->name, mask);
	for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
		bits |= addr[__builtin_ctz(lanes)];
	if ((bits & (info->bytes - 1)) == 0)
		return BC_OK;
	for (unsigned lane = 0; lane < BC_LANES; lane++)
		if ((mask >> lane & 1) != 0 && (addr[lane] & (info->bytes - 1)) != 0)
			return bc_fail(err, BC_EDATA, "%s: lane %u's address 0x%x is not a multiple of %u bytes",
				       info->name, lane, addr[lane], info->bytes);
	return BC_OK;
}

/* Law 4: for one x of 1 and 2, every active lane with an active partner l ^ x has the partner's address. */
static bool pairs_match(const uint32_t addr[BC_LANES], uint32_t mask, unsigned x)
{
	for (unsigned lane = 0; lane < BC_LANES; lane++)
		if ((mask >> lane & 1) != 0 && (mask >> (lane ^ x) & 1) != 0 && addr[lane] != addr[lane ^ x])
			return false;
	return true;
}

/* All active lanes are in one word. */
static bool one_word(const struct lane_groups *lg, const uint32_t addr[BC_LANES], uint32_t mask)
{
	uint32_t differ = 0;

	for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
		differ |= (addr[__builtin_ctz(lanes)] ^ addr[__builtin_ctz(mask)]) >> lg->shift;
	return differ == 0;
}

/* Groups and merging of a law that differs. */
static void groups_by_law(const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES], uint32_t mask,
			  struct lane_groups *lg, bool *merged)
{
	const struct bc_op_info *info = bc_op_info(op);
	const enum bc_merge m = bc_geometry_merge(g, op);
	const unsigned lanes = info->matrices ? 8 * info->matrices : BC_LANES;

	lg->lanes = bc_geometry_group(g, op);
	if (((m == BC_MERGE_PAIR1 || m == BC_MERGE_PAIRS) && pairs_match(addr, mask, 1)) ||
	    ((m == BC_MERGE_PAIR2 || m == BC_MERGE_PAIRS) && pairs_match(addr, mask, 2))) {
		lg->lanes *= 2;
		*merged = true;
	}
	lg->ngroups = lanes / lg->lanes;
	lg->every_lane = m == BC_MERGE_NONE || (m == BC_MERGE_WHOLE && !one_word(lg, addr, mask));
}

static struct lane_groups groups_of(const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				    uint32_t mask, bool *merged)
{
	const struct bc_op_info *info = bc_op_info(op);
	const unsigned banks = g->banks ? g->banks : 1,
		       width = g->bank_bytes ? g->bank_bytes : 4; /* 0 is not allowed */
	const unsigned chunk = info->bytes > width ? info->bytes : width;
	const unsigned words = chunk / width;
	struct lane_groups lg = { .ngroups = 1, .lanes = BC_LANES, .weight = 1 };

	lg.shift = (unsigned)__builtin_ctz(chunk);
	if (words > banks) {
		lg.columns = 1;
		lg.weight = words / banks;
	} else {
		lg.columns = words ? banks / words : 1;
	}
	lg.every_lane = info->law == BC_LAW_ATOM || info->law == BC_LAW_CAS || info->law == BC_LAW_COPY;
	*merged = false;
	if (g->law.given) {
		groups_by_law(g, op, addr, mask, &lg, merged);
		return lg;
	}
	if (info->law == BC_LAW_MATRIX) {
		lg.ngroups = info->matrices;
		lg.lanes = 8;
	} else if (info->bytes >= 8) {
		lg.ngroups = info->bytes / 4;
		if (info->pairs && g->pair_rule && (pairs_match(addr, mask, 1) || pairs_match(addr, mask, 2))) {
			lg.ngroups /= 2;
			*merged = true;
		}
		lg.lanes = lg.ngroups ? BC_LANES / lg.ngroups : BC_LANES;
	}
	return lg;
}

/* Laws 6 and 10: the largest number of lanes in one column. */
static unsigned fullest_by_lanes(const struct lane_groups *lg, const uint32_t *addr, uint32_t mask)
{
	uint8_t count[BANKS_MAX] = { 0 };
	unsigned most = 0;

	for (; mask; mask &= mask - 1) {
		const unsigned n = ++count[(addr[__builtin_ctz(mask)] >> lg->shift) & (lg->columns - 1)];

		most = n > most ? n : most;
	}
	return most;
}

/* Laws 2, 3 and 9 where no column has two distinct chunks, which is most of real code. */
static bool one_chunk_a_column(const struct lane_groups *lg, const uint32_t *addr, uint32_t mask)
{
	uint32_t first[BANKS_MAX];
	uint64_t seen = 0;

	for (; mask; mask &= mask - 1) {
		const uint32_t chunk = addr[__builtin_ctz(mask)] >> lg->shift;
		const unsigned column = chunk & (lg->columns - 1);

		if ((seen >> column & 1) == 0)
			first[column] = chunk;
		else if (first[column] != chunk)
			return false;
		seen |= UINT64_C(1) << column;
	}
	return true;
}

/*
 * Laws 2, 3 and 9: the largest number of distinct chunks in one column. The chunks seen are kept in a set, open
 * addressing in 64 slots for at most 32 lanes.
 */
static unsigned fullest_by_words(const struct lane_groups *lg, const uint32_t *addr, uint32_t mask)
{
	uint32_t slot[64];
	uint64_t used = 0;
	uint8_t count[BANKS_MAX] = { 0 };
	unsigned most = 0;

	if (one_chunk_a_column(lg, addr, mask))
		return 1;
	for (; mask; mask &= mask - 1) {
		const uint32_t chunk = addr[__builtin_ctz(mask)] >> lg->shift;
		unsigned h = (chunk * UINT32_C(0x9e3779b1)) >> 26;

		while ((used >> h & 1) != 0 && slot[h] != chunk)
			h = (h + 1) & 63;
		if ((used >> h & 1) != 0)
			continue;
		used |= UINT64_C(1) << h;
		slot[h] = chunk;

		const unsigned n = ++count[chunk & (lg->columns - 1)];

		most = n > most ? n : most;
	}
	return most;
}

static uint32_t group_mask(const struct lane_groups *lg, unsigned group, uint32_t mask)
{
	const uint64_t lanes = (UINT64_C(1) << lg->lanes) - 1;

	return mask & (uint32_t)(lanes << (group * lg->lanes));
}

/* All 32 lanes of a 4-byte access on one word, or on 32 consecutive ones: what most requests of real code are. */
static bool is_plainly_clean(const struct bc_geometry *g, const struct bc_op_info *info, const uint32_t addr[BC_LANES],
			     uint32_t mask)
{
	uint32_t off_row = 0, off_word = 0;

	if (info->law != BC_LAW_ACCESS || info->bytes != 4 || mask != UINT32_MAX || g->bank_bytes != 4 ||
	    g->law.given || (g->banks != 32 && g->banks != 64))
		return false;
	for (unsigned lane = 0; lane < BC_LANES; lane++) {
		off_row |= addr[lane] ^ (addr[0] + 4 * lane);
		off_word |= addr[lane] ^ addr[0];
	}
	return (off_row == 0 || off_word == 0) && (addr[0] & 3) == 0;
}

/* The same for any bank function: the words of a lane's access may share a bank. */
static unsigned fullest_by_law(const struct bc_geometry *g, const struct bc_op_info *info, bool every_lane,
			       const uint32_t *addr, uint32_t mask)
{
	const unsigned words = info->bytes > g->bank_bytes ? info->bytes / g->bank_bytes : 1;
	uint32_t seen[BC_LANES * BC_LANE_WORDS_MAX];
	uint8_t count[BANKS_MAX] = { 0 };
	unsigned most = 0, nseen = 0;

	for (; mask; mask &= mask - 1) {
		for (unsigned j = 0; j < words; j++) {
			const uint32_t word = addr[__builtin_ctz(mask)] / g->bank_bytes + j;
			unsigned k = every_lane ? nseen : 0;

			while (k < nseen && seen[k] != word)
				k++;
			if (k < nseen)
				continue;
			seen[nseen++] = word;

			const unsigned n = ++count[bc_geometry_bank(g, word * g->bank_bytes)];

			most = n > most ? n : most;
		}
	}
	return most;
}

/* Sums over the groups, and laws 5 and 7. */
static void count_groups(const struct bc_geometry *g, const struct bc_op_info *info, const struct lane_groups *lg,
			 const uint32_t addr[BC_LANES], uint32_t mask, struct bc_wavefronts *out)
{
	for (unsigned group = 0; group < lg->ngroups; group++) {
		const uint32_t lanes = group_mask(lg, group, mask);

		if (lanes == 0)
			continue;
		out->groups++;
		if (g->law.given)
			out->wavefronts += fullest_by_law(g, info, lg->every_lane, addr, lanes);
		else
			out->wavefronts += lg->weight * (lg->every_lane ? fullest_by_lanes(lg, addr, lanes)
									: fullest_by_words(lg, addr, lanes));
	}
	out->conflicts = out->wavefronts - out->groups;
	if (info->law == BC_LAW_CAS)
		out->wavefronts *= bc_geometry_cas_factor(g);
}

enum bc_status bc_banks_count(const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES], uint32_t mask,
			      struct bc_wavefronts *out, struct bc_error *err)
{
	const struct bc_op_info *info = bc_op_info(op);

	if (is_plainly_clean(g, info, addr, mask)) {
		*out = (struct bc_wavefronts){
			.wavefronts = 1, .groups = 1, .group_lanes = BC_LANES, .law = BC_LAW_ACCESS
		};
		return BC_OK;
	}

	if (info->law == BC_LAW_UNKNOWN)
		return bc_fail(err, BC_EDATA, "%s has no bank law: it is judged by its data", info->name);

	const enum bc_status st = check_request(g, info, addr, mask, err);

	if (st)
		return st;
	*out = (struct bc_wavefronts){ .law = info->law };
	if (info->law == BC_LAW_UNCOUNTED || mask == 0)
		return BC_OK;

	const struct lane_groups lg = groups_of(g, op, addr, mask, &out->merged);

	out->group_lanes = lg.lanes;
	count_groups(g, info, &lg, addr, mask, out);
	return BC_OK;
}

/*
 * The touches of one group, each given the wavefront in which its bank serves it: a bank serves the words (or, where
 * every lane counts, the lanes) that meet in it one after another, in order of their first lane.
 */
static size_t schedule_group(const struct bc_geometry *g, const struct lane_groups *lg, unsigned words,
			     const uint32_t addr[BC_LANES], uint32_t mask, unsigned group, unsigned base,
			     struct bc_bank_access *touch)
{
	uint8_t next[BANKS_MAX] = { 0 };
	size_t n = 0;

	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);

		for (unsigned j = 0; j < words; j++) {
			const uint32_t word = addr[lane] / g->bank_bytes + j;
			const unsigned bank = bc_geometry_bank(g, word * g->bank_bytes);
			size_t same = n;

			if (!lg->every_lane)
				for (same = 0; same < n && touch[same].word != word; same++)
					;
			const unsigned turn = same < n ? touch[same].wavefront : base + next[bank]++;

			touch[n].lane = (uint8_t)lane;
			touch[n].bank = (uint8_t)bank;
			touch[n].wavefront = (uint8_t)turn;
			touch[n].group = (uint8_t)group;
			touch[n++].word = word;
		}
	}
	return n;
}

static int by_service(const void *left, const void *right)
{
	const struct bc_bank_access *a = left, *b = right;

	if (a->wavefront != b->wavefront)
		return a->wavefront < b->wavefront ? -1 : 1;
	if (a->bank != b->bank)
		return a->bank < b->bank ? -1 : 1;
	return (a->lane > b->lane) - (a->lane < b->lane);
}

enum bc_status bc_banks_schedule(const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				 uint32_t mask, struct bc_wavefronts *out, struct bc_bank_access *touch, size_t max,
				 size_t *n, struct bc_error *err)
{
	const struct bc_op_info *info = bc_op_info(op);
	struct bc_bank_access made[BC_LANES * BC_LANE_WORDS_MAX];
	struct bc_wavefronts w;
	size_t len = 0;
	unsigned base = 0;
	bool merged;
	const enum bc_status st = bc_banks_count(g, op, addr, mask, &w, err);

	if (st)
		return st;

	const struct lane_groups lg = groups_of(g, op, addr, mask, &merged);
	const unsigned words = info->bytes > g->bank_bytes ? info->bytes / g->bank_bytes : 1;

	for (unsigned group = 0; group < lg.ngroups && info->law != BC_LAW_UNCOUNTED; group++) {
		const size_t first = len;

		len += schedule_group(g, &lg, words, addr, group_mask(&lg, group, mask), group, base, made + len);
		for (size_t i = first; i < len; i++)
			base = made[i].wavefront >= base ? made[i].wavefront + 1u : base;
	}
	if (len > max)
		return bc_fail(err, BC_EDATA, "%s: %zu touches do not fit into %zu", info->name, len, max);
	qsort(made, len, sizeof(made[0]), by_service);
	memcpy(touch, made, len * sizeof(made[0]));
	*out = w;
	*n = len;
	return BC_OK;
}
