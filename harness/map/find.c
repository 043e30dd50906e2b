/* SPDX-License-Identifier: MIT */
#include "harness/map/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/map/parts.h"

#define ROUNDS 12 /* of each kind of request, for an operation */
#define SAMPLES (ROUNDS * BC_PARTS_KINDS)
#define ONE_UNIT 0.25 /* further wavefronts of two loads take as long, but for this part */

/* What is known on the way. */
struct finding {
	struct bc_probe p;
	struct bc_linear f;
	struct bc_geometry own; /* wins where laws explain all alike */
	const struct bc_arch *a;
	struct bc_map_law *out;
	double unit[BC_NOPS]; /* by clock */
};

static bool by_clock(const struct finding *t)
{
	return t->p.by == BC_MAP_CLOCK;
}

/* Samples of one operation, measured. */
static enum bc_status sample_op(struct finding *t, enum bc_op op, struct bc_sample *s, size_t n, struct bc_error *err)
{
	for (size_t i = 0; i < n; i++)
		bc_parts_draw(&t->p, &t->f, op, (unsigned)i, &s[i]);
	return bc_probe_measure(&t->p, s, n, err);
}

/* How badly a geometry explains 4- and 8-byte loads. By clock it must also give both one price for a wavefront. */
static enum bc_status judge_geometry(struct finding *t, const struct bc_geometry *g, unsigned long *bad,
				     struct bc_error *err)
{
	static const enum bc_op ops[] = { BC_OP_LD32, BC_OP_LD64 };
	struct bc_sample *s = calloc(SAMPLES, sizeof(*s));
	double unit[2] = { 1, 1 };
	bool ok = true;
	enum bc_status st = s ? BC_OK : bc_fail(err, BC_ENOMEM, "map: out of memory");

	*bad = 0;
	for (unsigned i = 0; !st && ok && i < 2; i++) {
		struct bc_geometry tried = *g;
		struct bc_map_op found;

		if (by_clock(t))
			st = bc_parts_unit(&t->p, &t->f, g, ops[i], &unit[i], &ok, err);
		if (!st && ok)
			st = sample_op(t, ops[i], s, SAMPLES, err);
		if (st || !ok)
			break;
		bc_parts_find(&t->p, &tried, ops[i], s, SAMPLES, &unit[i], &t->own, &found);
		*bad += found.weight.contradicts;
	}
	if (!st && (!ok || fabs(unit[1] / unit[0] - 1) > ONE_UNIT))
		*bad += SAMPLES;
	free(s);
	return st;
}

static enum bc_status choose_geometry(struct finding *t, struct bc_geometry *out, struct bc_error *err)
{
	unsigned long bad[2] = { 0, 0 };
	enum bc_status st = BC_OK;

	for (unsigned i = 0; !st && t->f.n > 1 && i < t->f.n; i++)
		st = judge_geometry(t, &t->f.geometry[i], &bad[i], err);
	*out = t->f.geometry[bad[1] < bad[0] ? 1 : 0];
	return st;
}

/* One operation after the other. What cannot be measured is not in the law. */
static enum bc_status find_ops(struct finding *t, struct bc_geometry *g, struct bc_error *err)
{
	struct bc_sample *s = calloc(SAMPLES, sizeof(*s));
	enum bc_status st = s ? BC_OK : bc_fail(err, BC_ENOMEM, "map: out of memory");

	for (unsigned k = 0; !st && k < BC_NOPS; k++) {
		const enum bc_op op = (enum bc_op)k;
		bool ok = true;

		if (!bc_parts_has_op(t->a, t->p.by, op))
			continue;
		if (by_clock(t))
			st = bc_parts_unit(&t->p, &t->f, g, op, &t->unit[k], &ok, err);
		if (!st && ok)
			st = sample_op(t, op, s, SAMPLES, err);
		if (st || !ok || !s[0].has)
			continue;
		bc_parts_find(&t->p, g, op, s, SAMPLES, &t->unit[k], &t->own, &t->out->op[k]);
		t->out->ops[k] = true;
		t->out->cas = t->out->cas || bc_op_info(op)->law == BC_LAW_CAS;
	}
	free(s);
	return st;
}

static int by_op(const void *left, const void *right)
{
	const struct bc_sample *a = left, *b = right;

	return (a->op > b->op) - (a->op < b->op);
}

static void add_weight(struct bc_map_weight *to, const struct bc_map_weight *w)
{
	if (w->contradicts && !to->contradicts)
		(void)bc_strlcpy(to->against, w->against, sizeof(to->against));
	to->supports += w->supports;
	to->contradicts += w->contradicts;
}

/* Random requests of all operations that were seen, half of them 4-byte loads, against the whole law. */
static enum bc_status confirm(struct finding *t, unsigned n, struct bc_error *err)
{
	struct bc_sample *s = calloc(n ? n : 1, sizeof(*s));
	enum bc_op seen[BC_NOPS] = { BC_OP_NONE };
	unsigned nseen = 0;
	enum bc_status st = s ? BC_OK : bc_fail(err, BC_ENOMEM, "map: out of memory");

	for (unsigned k = 0; k < BC_NOPS; k++)
		if (t->out->ops[k])
			seen[nseen++] = (enum bc_op)k;
	for (unsigned i = 0; !st && nseen && i < n; i++) {
		const enum bc_op op =
			i % 2 && t->out->ops[BC_OP_LD32] ? BC_OP_LD32 : seen[bc_probe_below(&t->p, nseen)];

		bc_parts_draw(&t->p, &t->f, op, bc_probe_below(&t->p, 1u << 20), &s[i]);
	}
	if (!st && nseen) {
		qsort(s, n, sizeof(*s), by_op);
		st = bc_probe_measure(&t->p, s, n, err);
	}
	for (unsigned i = 0, k; !st && nseen && i < n; i += k) {
		struct bc_map_weight w;

		for (k = 1; i + k < n && s[i + k].op == s[i].op;)
			k++;
		bc_parts_weigh(&t->p, &t->out->geometry, s + i, k, &t->unit[s[i].op], &w);
		add_weight(&t->out->random, &w);
	}
	free(s);
	return st;
}

/* The law, the bank function being found. */
static enum bc_status find_law(struct finding *t, unsigned nconfirm, struct bc_error *err)
{
	struct bc_geometry g;
	enum bc_status st = choose_geometry(t, &g, err);

	if (!st)
		st = find_ops(t, &g, err);
	t->out->geometry = g;
	t->out->pairs = t->f.pairs;
	return st ? st : confirm(t, nconfirm, err);
}

enum bc_status bc_map_find(const struct bc_map_source *s, enum bc_map_by by, const struct bc_arch *a,
			   const struct bc_window *window, const struct bc_map_options *o, struct bc_map_law *out,
			   struct bc_error *err)
{
	struct finding *t = calloc(1, sizeof(*t));
	const double start = bc_now();
	bool ok = true;
	enum bc_status st = BC_OK;

	*out = (struct bc_map_law){ .by = by };
	if (!t)
		return bc_fail(err, BC_ENOMEM, "map: out of memory");
	t->p = (struct bc_probe){ .source = s,
				  .by = by,
				  .arch = a,
				  .base = window->base,
				  .end = window->base + window->optin_bytes,
				  .random = o->seed };
	t->own = bc_arch_geometry(a);
	t->a = a;
	t->out = out;
	st = bc_probe_prepare(&t->p, &ok, err);
	if (!st && ok)
		st = bc_linear_find(&t->p, &t->f, err);
	out->found = !st && ok && t->f.found;
	out->linear = t->f.linear;
	if (!st && !out->found)
		(void)bc_strlcpy(out->why, ok ? t->f.why : t->p.absent, sizeof(out->why));
	else if (!st && !out->linear)
		(void)bc_strlcpy(out->not_linear, t->f.why, sizeof(out->not_linear));
	else if (!st)
		st = find_law(t, o->confirm, err);
	out->seconds = bc_now() - start;
	free(t);
	return st;
}

bool bc_map_law_is_sound(const struct bc_map_law *l)
{
	bool sound = l->found && l->linear && !l->pairs.contradicts && !l->random.contradicts;

	for (unsigned op = 0; op < BC_NOPS; op++)
		sound = sound && (!l->ops[op] || !l->op[op].weight.contradicts);
	return sound;
}

enum bc_status bc_map_law_text(const struct bc_map_law *l, uint32_t window_base, struct bc_text *out,
			       struct bc_error *err)
{
	enum bc_status st = BC_OK;

	if (!l->found)
		return bc_text_addf(out, err, "# not found by %s: %s\n", bc_map_by_name(l->by), l->why);
	if (!l->linear)
		return bc_text_addf(out, err, "# not linear: %s\n", l->not_linear);
	if (!bc_map_law_is_sound(l))
		st = bc_text_addf(out, err, "# not sound: some patterns contradict it\n");
	if (!st)
		st = bc_geometry_print(&l->geometry, l->ops, l->cas, out, err);
	return st ? st : bc_text_addf(out, err, "window_base %u\n", window_base);
}
