/* SPDX-License-Identifier: MIT */
#include "harness/map/parts.h"

#include "kernels/bc_kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * There are few laws that an operation can have: so many lanes served together, merged so or so. Each says how many
 * wavefronts and conflicts a request takes, and the one that is right of all samples is the law. By clock the offset of
 * a time is not known, only what a wavefront more costs: a law is right when samples that it says are alike (as many
 * groups that are not empty, merged or not) differ by their wavefronts alone.
 */

#define STEADY 0.25	/* of a unit */
#define UNIT_PLACES 32	/* of the samples that show the unit */
#define UNIT_STRAY 0.12 /* how far all samples may move it */
#define CLASSES 20	/* groups 0 to 8, merged or not */

bool bc_parts_has_op(const struct bc_arch *a, enum bc_map_by by, enum bc_op op)
{
	const struct bc_op_info *info = bc_op_info(op);

	if (!bc_op_has_law(op) || (by == BC_MAP_CLOCK && !info->timed))
		return false;
	if (info->matrices)
		return info->store ? a->stmatrix : a->ldmatrix;
	if (info->cls == BC_CLASS_LDGSTS)
		return a->cp_async && a->ldgsts_conflicts;
	return op != BC_OP_RED32 || a->popc_inc;
}

/* An address that shares its bank with @a, in another chunk of @bytes where that is possible. */
static uint32_t of_same_bank(struct bc_probe *p, const struct bc_linear *f, uint32_t a, uint32_t bytes)
{
	for (unsigned tries = 0; tries < 400; tries++) {
		uint32_t b = a;

		for (unsigned i = 0; i < f->nkernel; i++)
			b ^= bc_probe_below(p, 2) ? f->kernel[i] : 0;
		if (b != a && (b ^ a) % bytes == 0 && b >= p->base && b < p->end)
			return b;
	}
	return a;
}

/* Lanes @l whose address is that of lane @like(l). */
static unsigned like(unsigned kind, unsigned lane)
{
	switch (kind % BC_PARTS_KINDS) {
	case 2:
	case 4:
	case 12: return lane & ~1u;
	case 3: return lane & ~2u;
	case 9: return lane & ~4u;
	case 13: return lane & ~3u;
	default: return lane;
	}
}

static uint32_t draw_address(struct bc_probe *p, const struct bc_linear *f, unsigned kind, unsigned lane,
			     uint32_t bytes, uint32_t first, uint32_t second, uint32_t span)
{
	const uint32_t word = bytes < 4 ? 4 : bytes;
	/* A word's bytes and halves are told from each other where accesses are that small. */
	const uint32_t within = bytes < 4 ? bc_probe_below(p, 4 / bytes) * bytes : 0;

	switch (kind % BC_PARTS_KINDS) {
	case 1:
	case 12: return p->base + bc_probe_below(p, span) * word + within;
	case 5: return first + within;
	case 6: return (lane == 7 ? second : first) + within;
	case 7: return of_same_bank(p, f, first, word) + within;
	case 8: return (lane & 1u ? first : second) + within;
	case 10: return (bc_probe_below(p, 4) ? of_same_bank(p, f, first, word) : bc_probe_address(p, word)) + within;
	case 11: return (bc_probe_below(p, 3) ? first : bc_probe_address(p, word)) + within;
	default: return bc_probe_address(p, bytes);
	}
}

void bc_parts_draw(struct bc_probe *p, const struct bc_linear *f, enum bc_op op, unsigned kind, struct bc_sample *out)
{
	const uint32_t bytes = bc_op_info(op)->bytes, word = bytes < 4 ? 4 : bytes;
	const uint32_t first = bc_probe_address(p, word), second = bc_probe_address(p, word);
	const uint32_t most = (p->end - p->base) / word, span = 2 + bc_probe_below(p, most < 128 ? most - 1 : 126);

	*out = (struct bc_sample){ .op = op, .mask = UINT32_MAX };
	if (!bc_op_info(op)->matrices && kind / BC_PARTS_KINDS % 3 == 1)
		out->mask = (uint32_t)bc_probe_random(p);
	if (!bc_op_info(op)->matrices && kind / BC_PARTS_KINDS % 6 == 2)
		out->mask = UINT32_MAX >> bc_probe_below(p, 32) << bc_probe_below(p, 8);
	out->mask = out->mask ? out->mask : 1;
	for (unsigned l = 0; l < BC_LANES; l++)
		out->addr[l] = like(kind, l) != l ? out->addr[like(kind, l)]
						  : draw_address(p, f, kind, l, bytes, first, second, span);
	if (kind % BC_PARTS_KINDS == 4) /* one pair is broken */
		out->addr[bc_probe_below(p, 32)] = bc_probe_address(p, bytes);
}

/* What a law says of a sample. */
struct said {
	struct bc_wavefronts w;
	bool ok;
};

static struct said say(const struct bc_geometry *g, const struct bc_sample *s)
{
	struct said t;

	t.ok = !bc_banks_count(g, s->op, s->addr, s->mask, &t.w, NULL);
	return t;
}

static void tell_against(const struct bc_sample *s, const struct said *t, struct bc_map_weight *out)
{
	size_t at;
	int n = snprintf(out->against, sizeof(out->against), "%s, lanes %08x, at", bc_op_info(s->op)->name, s->mask);

	at = n > 0 ? (size_t)n : 0;
	for (uint32_t lanes = s->mask; lanes && at + 40 < sizeof(out->against) - 120; lanes &= lanes - 1) {
		n = snprintf(out->against + at, sizeof(out->against) - at, " %x%s", s->addr[__builtin_ctz(lanes)],
			     at + 80 > sizeof(out->against) - 120 ? " ..." : "");
		at += n > 0 ? (size_t)n : 0;
	}
	if (s->cycles > 0)
		(void)snprintf(out->against + at, sizeof(out->against) - at, ": %.1f cycles do not fit %u wavefronts",
			       s->cycles, t->w.wavefronts);
	else
		(void)snprintf(out->against + at, sizeof(out->against) - at,
			       ": %u wavefronts and %u conflicts, by the law %u and %u", s->wavefronts, s->conflicts,
			       t->w.wavefronts, t->w.conflicts);
}

static void weigh_counts(const struct bc_geometry *g, const struct bc_sample *s, size_t n, struct bc_map_weight *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct said t = say(g, &s[i]);

		if (!s[i].has || !t.ok)
			continue;
		if (s[i].whole && s[i].conflicts == t.w.conflicts &&
		    (!s[i].wavefronts_counted || s[i].wavefronts == t.w.wavefronts))
			out->supports++;
		else if (!out->contradicts++)
			tell_against(&s[i], &t, out);
	}
}

static unsigned class_of(const struct bc_wavefronts *w)
{
	return (w->groups < CLASSES / 2 ? w->groups : CLASSES / 2 - 1) * 2 + w->merged;
}

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Cycles a wavefront by all samples, each class about its own mean; as near to @unit as it may be. */
static double fit_unit(const struct bc_sample *s, const struct said *t, size_t n, double unit)
{
	double mean_w[CLASSES] = { 0 }, mean_c[CLASSES] = { 0 }, num[CLASSES] = { 0 }, up = 0, down = 0, fitted;

	for (size_t i = 0; i < n; i++) {
		const unsigned k = class_of(&t[i].w);

		num[k]++;
		mean_w[k] += t[i].w.wavefronts;
		mean_c[k] += s[i].cycles;
	}
	for (size_t i = 0; i < n; i++) {
		const unsigned k = class_of(&t[i].w);
		const double dw = t[i].w.wavefronts - mean_w[k] / num[k];

		up += dw * (s[i].cycles - mean_c[k] / num[k]);
		down += dw * dw;
	}
	if (down <= 0)
		return unit;
	fitted = up / down;
	return fitted < unit * (1 - UNIT_STRAY)	  ? unit * (1 - UNIT_STRAY)
	       : fitted > unit * (1 + UNIT_STRAY) ? unit * (1 + UNIT_STRAY)
						  : fitted;
}

static void weigh_times(const struct bc_geometry *g, const struct bc_sample *s, size_t n, double unit,
			struct bc_map_weight *out)
{
	struct said *t = calloc(n ? n : 1, sizeof(*t));
	double *rest = calloc(n ? n : 1, sizeof(*rest));
	double fitted;

	if (!t || !rest) {
		out->contradicts = n; /* no memory: no law is found for it */
		(void)bc_strlcpy(out->against, "out of memory", sizeof(out->against));
		goto out;
	}
	for (size_t i = 0; i < n; i++)
		t[i] = say(g, &s[i]);
	fitted = fit_unit(s, t, n, unit);
	for (unsigned k = 0; k < CLASSES; k++) {
		size_t m = 0;
		double offset;

		for (size_t i = 0; i < n; i++)
			if (s[i].has && class_of(&t[i].w) == k)
				rest[m++] = s[i].cycles - fitted * t[i].w.wavefronts;
		if (!m)
			continue;
		qsort(rest, m, sizeof(*rest), by_value);
		offset = rest[m / 2];
		for (size_t i = 0; i < n; i++) {
			if (!s[i].has || class_of(&t[i].w) != k)
				continue;
			if (fabs(s[i].cycles - fitted * t[i].w.wavefronts - offset) <= STEADY * unit)
				out->supports++;
			else if (!out->contradicts++)
				tell_against(&s[i], &t[i], out);
		}
	}
out:
	free(rest);
	free(t);
}

void bc_parts_weigh(const struct bc_probe *p, const struct bc_geometry *g, const struct bc_sample *s, size_t n,
		    const double *unit, struct bc_map_weight *out)
{
	*out = (struct bc_map_weight){ 0 };
	if (p->by == BC_MAP_COUNTERS)
		weigh_counts(g, s, n, out);
	else if (unit)
		weigh_times(g, s, n, *unit, out);
}

/* Different bytes of one word that lanes of one group touch: served together where the law is right of the sample. */
static void weigh_bytes(const struct bc_geometry *g, const struct bc_sample *s, size_t n, bool together,
			struct bc_map_op *out)
{
	const unsigned group = bc_geometry_group(g, s->op);

	for (size_t i = 0; i < n; i++) {
		bool differ = false;

		for (unsigned a = 0; a < BC_LANES; a++)
			for (unsigned b = a + 1; b < BC_LANES && b / group == a / group; b++)
				differ = differ ||
					 ((s[i].mask >> a & s[i].mask >> b & 1u) && s[i].addr[a] != s[i].addr[b] &&
					  s[i].addr[a] / 4 == s[i].addr[b] / 4);
		if (differ && together)
			out->bytes_together++;
		else if (differ)
			out->bytes_apart++;
	}
}

static bool is_own(const struct bc_geometry *g, const struct bc_geometry *own, enum bc_op op)
{
	return bc_geometry_group(g, op) == bc_geometry_group(own, op) &&
	       bc_geometry_merge(g, op) == bc_geometry_merge(own, op) &&
	       (bc_op_info(op)->law != BC_LAW_CAS || bc_geometry_cas_factor(g) == bc_geometry_cas_factor(own));
}

void bc_parts_find(const struct bc_probe *p, struct bc_geometry *g, enum bc_op op, const struct bc_sample *s, size_t n,
		   const double *unit, const struct bc_geometry *own, struct bc_map_op *out)
{
	const struct bc_op_info *info = bc_op_info(op);
	const unsigned least = info->matrices ? 8 : 4, lanes = info->matrices ? 8 * info->matrices : BC_LANES;
	const unsigned factors = info->law == BC_LAW_CAS ? BC_CAS_FACTOR_MAX : 1;
	struct bc_geometry best = *g;
	bool any = false, best_is_own = false;

	*out = (struct bc_map_op){ .seen = true, .cycles = unit ? *unit / 32 : 0 };
	for (unsigned group = least; group <= lanes; group *= 2) {
		for (unsigned m = BC_MERGE_NONE; m < BC_NMERGES; m++) {
			for (unsigned factor = 1; factor <= factors; factor++) {
				struct bc_geometry tried = *g;
				struct bc_map_weight w;

				if (!bc_op_can_merge(op, (enum bc_merge)m, group))
					continue;
				tried.law.group[op] = (uint8_t)group;
				tried.law.merge[op] = (uint8_t)m;
				if (factors > 1)
					tried.law.cas_factor = factor;
				bc_parts_weigh(p, &tried, s, n, unit, &w);
				if (any && w.contradicts == out->weight.contradicts)
					out->alike++;
				if (any && (w.contradicts > out->weight.contradicts ||
					    (w.contradicts == out->weight.contradicts &&
					     (best_is_own || !is_own(&tried, own, op)))))
					continue;
				if (!any || w.contradicts < out->weight.contradicts)
					out->alike = 0;
				any = true;
				best = tried;
				best_is_own = is_own(&tried, own, op);
				out->weight = w;
			}
		}
	}
	*g = best;
	out->group = bc_geometry_group(&best, op);
	out->merge = bc_geometry_merge(&best, op);
	out->cas_factor = factors > 1 ? bc_geometry_cas_factor(&best) : 0;
	if (info->bytes < 4 && n)
		weigh_bytes(&best, s, n, out->weight.contradicts == 0 && out->merge != BC_MERGE_NONE, out);
}

/* Lanes 0 to @ways - 1 on chunks of one bank, no two alike: no group is smaller, and no pair merges from 3 on. */
static bool draw_ways(struct bc_probe *p, const struct bc_linear *f, enum bc_op op, unsigned ways,
		      struct bc_sample *out)
{
	const uint32_t bytes = bc_op_info(op)->bytes < 8 ? 8 : bc_op_info(op)->bytes;
	const uint32_t first = bc_probe_address(p, 16);

	*out = (struct bc_sample){ .op = op, .mask = (UINT32_C(1) << ways) - 1, .addr = { first } };
	for (unsigned l = 1; l < ways; l++) {
		bool alone = false;

		for (unsigned tries = 0; !alone && tries < 200; tries++) {
			out->addr[l] = of_same_bank(p, f, first, bytes < 16 ? 8 : 16);
			alone = true;
			for (unsigned k = 0; k < l; k++)
				alone = alone && out->addr[k] != out->addr[l];
		}
		if (!alone)
			return false;
	}
	return true;
}

enum bc_status bc_parts_unit(struct bc_probe *p, const struct bc_linear *f, const struct bc_geometry *g, enum bc_op op,
			     double *unit, bool *ok, struct bc_error *err)
{
	struct bc_sample s[2 * UNIT_PLACES];
	double sum = 0;
	struct said three, four;
	enum bc_status st;

	*ok = true;
	for (unsigned i = 0; *ok && i < UNIT_PLACES; i++)
		*ok = draw_ways(p, f, op, 3, &s[2 * i]) && draw_ways(p, f, op, 4, &s[2 * i + 1]);
	if (!*ok) {
		(void)snprintf(p->absent, sizeof(p->absent), "%s: no four addresses of one bank", bc_op_info(op)->name);
		return BC_OK;
	}
	st = bc_probe_measure(p, s, BC_ARRAY_LEN(s), err);
	for (unsigned i = 0; !st && i < UNIT_PLACES; i++) {
		three = say(g, &s[2 * i]);
		four = say(g, &s[2 * i + 1]);
		*ok = *ok && s[2 * i].has && s[2 * i + 1].has && four.w.wavefronts > three.w.wavefronts;
		if (*ok)
			sum += (s[2 * i + 1].cycles - s[2 * i].cycles) / (four.w.wavefronts - three.w.wavefronts);
	}
	if (st || !*ok)
		return st;
	*unit = sum / UNIT_PLACES;
	*ok = *unit > 0.5 * BC_TIMED_ACCESSES;
	if (!*ok)
		(void)snprintf(p->absent, sizeof(p->absent), "%s: a further wavefront takes %.1f cycles of %d accesses",
			       bc_op_info(op)->name, *unit, BC_TIMED_ACCESSES);
	return BC_OK;
}
