/* SPDX-License-Identifier: MIT */
#include "harness/map/report.h"

#include <stdio.h>
#include <string.h>

#define KEY 12 /* columns of the names on the left */

/* A line, or lines, under a name. */
static enum bc_status put(struct bc_text *out, struct bc_error *err, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static enum bc_status put(struct bc_text *out, struct bc_error *err, const char *key, const char *fmt, ...)
{
	va_list ap;
	enum bc_status st = bc_text_addf(out, err, "%-*s", KEY, key);

	va_start(ap, fmt);
	if (!st)
		st = bc_text_vaddf(out, err, fmt, ap);
	va_end(ap);
	return st ? st : bc_text_add(out, "\n", 1, err);
}

static enum bc_status put_window(const struct bc_map_report *r, struct bc_text *out, struct bc_error *err)
{
	const struct bc_window *w = &r->window;
	enum bc_status st =
		put(out, err, "window", "starts at 0x%x; a block gets %u bytes, %u without opt-in; %u an SM%s", w->base,
		    w->optin_bytes, w->static_bytes, w->sm_bytes,
		    w->blocks ? "" : "; the device does not tell of resident blocks");

	if (!st && w->blocks)
		st = put(out, err, "", "%u bytes of each block are reserved; an SM holds %u blocks of one warp",
			 w->reserved_bytes, w->blocks);
	if (!st && r->l1_over_shared > 0)
		st = put(out, err, "latency",
			 "a load from L1 takes %.3f times one from shared memory, from L2 %.3f times",
			 r->l1_over_shared, r->l2_over_shared);
	else if (!st)
		st = put(out, err, "latency", "not measured: %s", r->latency_absent);
	return st;
}

static enum bc_status put_weight(const struct bc_map_weight *w, const char *of, struct bc_text *out,
				 struct bc_error *err)
{
	enum bc_status st = bc_text_addf(out, err, "%*s%lu %s support it, %lu contradict it\n", KEY, "", w->supports,
					 of, w->contradicts);

	if (!st && w->contradicts)
		st = bc_text_addf(out, err, "%*sthe first: %s\n", KEY, "", w->against);
	return st;
}

static enum bc_status put_banks(const struct bc_map_law *l, struct bc_text *out, struct bc_error *err)
{
	const struct bc_geometry *g = &l->geometry;
	uint32_t rows[BC_BANK_BITS_MAX];
	const unsigned n = bc_geometry_bank_bits(g, rows);
	enum bc_status st = put(out, err, "banks", "%u of %u bytes", g->banks, g->bank_bytes);

	for (unsigned i = 0; !st && i < n; i++) {
		st = bc_text_addf(out, err, "%*sbit %u of the bank = address bit", KEY, "", i);
		for (uint32_t bits = rows[i], first = 1; !st && bits; bits &= bits - 1, first = 0)
			st = bc_text_addf(out, err, "%s %d", first ? "" : " xor", __builtin_ctz(bits));
		if (!st)
			st = bc_text_add(out, "\n", 1, err);
	}
	return st ? st : put_weight(&l->pairs, "pairs of addresses", out, err);
}

/* One operation's row of the table. */
static enum bc_status put_op(const struct bc_map_law *l, enum bc_op op, struct bc_text *out, struct bc_error *err)
{
	const struct bc_map_op *o = &l->op[op];
	enum bc_status st = bc_text_addf(out, err, "%*s%-9s %5u  %-6s", KEY, "", bc_op_info(op)->name, o->group,
					 bc_merge_name(o->merge));

	if (!st && o->cycles > 0)
		st = bc_text_addf(out, err, " %6.2f", o->cycles);
	else if (!st)
		st = bc_text_addf(out, err, " %6s", "-");
	if (!st)
		st = bc_text_addf(out, err, " %8lu %11lu", o->weight.supports, o->weight.contradicts);
	if (!st && o->cas_factor)
		st = bc_text_addf(out, err, "  %u times an atomic's wavefronts", o->cas_factor);
	if (!st && o->bytes_together + o->bytes_apart)
		st = bc_text_addf(out, err, "  bytes of a word %s (%lu)", o->bytes_together ? "together" : "apart",
				  o->bytes_together + o->bytes_apart);
	if (!st && o->alike)
		st = bc_text_addf(out, err, "  (%u other laws explain them as well)", o->alike);
	if (!st)
		st = bc_text_add(out, "\n", 1, err);
	if (!st && o->weight.contradicts)
		st = bc_text_addf(out, err, "%*s  the first that contradicts: %s\n", KEY, "", o->weight.against);
	return st;
}

static enum bc_status put_law(const struct bc_map_law *l, struct bc_text *out, struct bc_error *err)
{
	enum bc_status st;

	if (!l->found)
		return put(out, err, bc_map_by_name(l->by), "no law found: %s", l->why);
	st = put(out, err, bc_map_by_name(l->by), "%s, in %.1f s",
		 !l->linear		  ? "the bank function is not linear"
		 : bc_map_law_is_sound(l) ? "a law that nothing contradicts"
					  : "no law of these words: the nearest is contradicted",
		 l->seconds);
	if (!st && !l->linear)
		return put(out, err, "", "%s", l->not_linear);
	if (!st)
		st = put_banks(l, out, err);
	if (!st)
		st = put(out, err, "operations", "%-9s %5s  %-6s %6s %8s %11s", "", "lanes", "merge", "cycles",
			 "support", "contradict");
	for (unsigned op = 0; !st && op < BC_NOPS; op++)
		if (l->ops[op])
			st = put_op(l, (enum bc_op)op, out, err);
	if (!st)
		st = put(out, err, "whole law", "%lu random patterns support it, %lu contradict it", l->random.supports,
			 l->random.contradicts);
	if (!st && l->random.contradicts)
		st = bc_text_addf(out, err, "%*sthe first: %s\n", KEY, "", l->random.against);
	return st;
}

static enum bc_status put_conclusion(const struct bc_map_report *r, struct bc_text *out, struct bc_error *err)
{
	const struct bc_arch *a = &r->target.arch;
	enum bc_status st = BC_OK;

	if (r->differences.len)
		st = bc_text_addf(out, err, "\n%s", r->differences.data);
	if (!st && r->deaths)
		st = put(out, err, "workers", "%u died or hung: %s", r->deaths, r->why);
	if (!st && !bc_map_best(r))
		return put(out, err, "conclusion", "no witness found a law");
	for (unsigned by = 0; !st && by < BC_MAP_NBY; by++)
		if (r->asked[by] && r->law[by].found && r->law[by].linear && !bc_map_law_is_sound(&r->law[by]))
			st = put(out, err, "", "by %s no law of these words explains every pattern",
				 bc_map_by_name((enum bc_map_by)by));
	if (!st)
		st = put(out, err, "conclusion", "%s%s%s%s",
			 r->differs	? "other than expected of "
			 : r->disagrees ? "counters and clock disagree; expected of "
					: "as expected of ",
			 a->name, a->provisional ? ", which has no folder: the nearest older one's laws" : "",
			 r->facts.counters_are_model ? "; a reference device, whose counters are a model" : "");
	return st;
}

enum bc_status bc_map_print(const struct bc_map_report *r, struct bc_text *out, struct bc_error *err)
{
	enum bc_status st = put(out, err, "device", "%s  %s%s%s", r->target.option, r->facts.name,
				r->facts.driver[0] ? ", driver " : "", r->facts.driver);

	if (!st)
		st = put_window(r, out, err);
	for (unsigned by = 0; !st && by < BC_MAP_NBY; by++) {
		if (!r->asked[by])
			continue;
		st = bc_text_add(out, "\n", 1, err);
		if (!st)
			st = put_law(&r->law[by], out, err);
	}
	return st ? st : put_conclusion(r, out, err);
}
