/* SPDX-License-Identifier: MIT */
#include "harness/explain/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/textfile.h"
#include "harness/explain/explain_picture.h"
#include "harness/explain/drawing.h"
#include "harness/report/render.h"

#define INDENT 12
#define LISTED_MAX 4 /* shared words that are named one by one */

/* All requests of a case. */
struct totals {
	uint64_t requests, wavefronts, conflicts;
	uint64_t differs;	    /* the first request that counts otherwise than request 0; 0: none */
	struct bc_wavefronts other; /* its counts */
};

static bool is_program(const struct bc_case *c)
{
	return c->rule && c->rule->program;
}

const char *bc_explain_undrawable(const struct bc_explain *e)
{
	if (is_program(e->c) && !e->c->rule->request)
		return "the rule lists no addresses: the kernel is judged by what it is seen to do";
	if (e->c->pattern.origin == BC_FROM_OPTIN_END && bc_case_extent(e->c, e->arch) > e->arch->optin_bytes)
		return "the pattern does not fit into the window at whose end it lies";
	return NULL;
}

bool bc_explain_request(const struct bc_explain *e, uint64_t k, struct bc_program_request *r)
{
	const struct bc_pattern *p = &e->c->pattern;

	if (is_program(e->c))
		return e->c->rule->request(e->c, e->arch, k, r);
	if (k >= p->count)
		return false;
	r->op = p->op;
	r->mask = p->mask;
	bc_case_addresses(e->c, e->arch, (uint32_t)k, r->addr);
	return true;
}

static enum bc_status picture_of(const struct bc_explain *e, struct bc_program_request *r, struct bc_picture *p,
				 struct bc_error *err)
{
	memset(p, 0, sizeof(*p));
	p->geometry = bc_arch_geometry(e->arch);
	p->op = bc_op_info(r->op);
	p->mask = r->mask;
	if (p->op->matrices)
		p->mask &= UINT32_MAX >> (BC_LANES - 8 * p->op->matrices);
	p->ignored = r->mask & ~p->mask;
	memcpy(p->addr, r->addr, sizeof(p->addr));
	if (p->op->law == BC_LAW_UNKNOWN)
		return BC_OK;
	return bc_banks_schedule(&p->geometry, r->op, r->addr, r->mask, &p->w, p->touch, BC_ARRAY_LEN(p->touch),
				 &p->ntouches, err);
}

static enum bc_status sum_up(const struct bc_explain *e, const struct bc_picture *p, struct totals *t,
			     struct bc_error *err)
{
	struct bc_program_request r;

	*t = (struct totals){ 0 };
	for (; bc_explain_request(e, t->requests, &r); t->requests++) {
		struct bc_wavefronts w = { 0 };
		const enum bc_status st = bc_op_info(r.op)->law == BC_LAW_UNKNOWN
						  ? BC_OK
						  : bc_banks_count(&p->geometry, r.op, r.addr, r.mask, &w, err);

		if (st)
			return st;
		t->wavefronts += w.wavefronts;
		t->conflicts += w.conflicts;
		if (!t->differs && (w.wavefronts != p->w.wavefronts || w.conflicts != p->w.conflicts)) {
			t->differs = t->requests;
			t->other = w;
		}
	}
	return BC_OK;
}

/* Generic accesses move the counters of shared memory, but have no request counter of their own. */
static bool is_generic(const struct bc_op_info *op)
{
	return (op->cls == BC_CLASS_LD || op->cls == BC_CLASS_ST) && !op->counter_requests;
}

/* "gld32: 4-byte generic load, instruction LD.E" */
static void put_operation(const struct bc_op_info *op, struct bc_drawing *d)
{
	char what[96];

	if (op->matrices)
		(void)snprintf(what, sizeof(what), "%s of %u matri%s, a row of 16 bytes from each of %u lanes",
			       op->store ? "stmatrix" : "ldmatrix", op->matrices, op->matrices == 1 ? "x" : "ces",
			       8 * op->matrices);
	else if (op->cls == BC_CLASS_LDGSTS)
		(void)snprintf(what, sizeof(what), "cp.async.%s of %u bytes a lane%s",
			       strstr(op->mnemonic, "BYPASS") ? "cg" : "ca", op->bytes,
			       op->law == BC_LAW_UNKNOWN ? ", with zeros filled in" : "");
	else if (op->cls == BC_CLASS_LD || op->cls == BC_CLASS_ST)
		(void)snprintf(what, sizeof(what), "%u-byte %s%s", op->bytes, is_generic(op) ? "generic " : "",
			       op->store ? "store" : "load");
	else
		(void)snprintf(what, sizeof(what), "%u-byte %s", op->bytes, op->store ? "reduction" : "atomic");
	bc_drawing_field(d, "operation", "%s: %s, instruction %s", op->name, what, op->mnemonic);
}

static void put_law(const struct bc_op_info *op, struct bc_drawing *d)
{
	static const char *const texts[] = {
		[BC_LAW_NONE] = "none",
		[BC_LAW_ACCESS] = "law 2, words: wavefronts = the most distinct words in one bank; lanes on "
				  "one word are served together",
		[BC_LAW_ATOM] = "law 6, atomics: wavefronts = the most lanes in one bank; lanes on one word "
				"are not served together",
		[BC_LAW_CAS] = "law 7, compare and swap: twice the wavefronts of law 6 (the most lanes in one "
			       "bank), its conflicts once",
		[BC_LAW_MATRIX] = "law 9, matrices: each matrix's 8 rows are a group; it takes the most "
				  "distinct words in one bank",
		[BC_LAW_COPY] = "law 10, copies: as a store, but lanes on one word are not served together",
		[BC_LAW_UNCOUNTED] = "law 10, copies: cp.async.cg moves none of these counters, whatever the pattern",
		[BC_LAW_UNKNOWN] =
			"none: the operation becomes a loop (law 12) or was never measured; its data is judged",
	};
	const char *label = is_generic(op) ? "" : "law";

	if (is_generic(op))
		bc_drawing_field(d, "law", "law 11, generic accesses that hit shared memory: as laws 2 to 5");
	if (op->law == BC_LAW_ACCESS && op->bytes > 4)
		bc_drawing_field(
			d, label,
			"law 3, groups: %u lanes are a group%s; each takes the most distinct words in one bank",
			128 / op->bytes, op->store ? "" : " (unless law 4 merges groups of a load)");
	else if (op->law == BC_LAW_ACCESS && op->cls == BC_CLASS_ATOM)
		bc_drawing_field(
			d, label,
			"law 8, reduction of a constant 1 whose result is unused: served as a 4-byte store (law 2)");
	else
		bc_drawing_field(d, label, "%s", texts[op->law]);
}

static void put_mask(const struct bc_picture *p, struct bc_drawing *d)
{
	const uint32_t active = p->mask | p->ignored;
	const int n = __builtin_popcount(active);
	char lanes[BC_LANES_TEXT_MAX];

	bc_lanes_text(active, lanes);
	if (active == UINT32_MAX)
		bc_drawing_field(d, "mask", "%08x: all 32 lanes are active", active);
	else if (active == 0)
		bc_drawing_field(d, "mask", "%08x: no lane is active", active);
	else
		bc_drawing_field(d, "mask", "%08x: %d of 32 lanes %s active: %s", active, n, n == 1 ? "is" : "are",
				 lanes);
	bc_lanes_text(p->ignored, lanes);
	if (p->ignored)
		bc_drawing_field(d, "", "addresses of lanes %s are ignored", lanes);
}

/* Case and rule above the operation. */
static void put_case(const struct bc_explain *e, struct bc_drawing *d)
{
	char unmet[200];

	if (e->c->id[0])
		bc_drawing_field(d, "case", "%s", e->c->id);
	if (e->c->rule)
		bc_drawing_field(d, "rule", "%s", e->c->rule->sentence);
	if (bc_case_unmet(e->c, e->arch, unmet, sizeof(unmet)))
		bc_drawing_field(d, "skipped", "needs %s", unmet);
}

/* The law that arch.txt or --law gives. */
static void put_given_law(const struct bc_picture *p, struct bc_drawing *d)
{
	const enum bc_op op = bc_op_parse(p->op->name);
	uint32_t rows[BC_BANK_BITS_MAX];
	char bits[200] = "", more[40];
	unsigned n = 0;

	if (p->geometry.law.not_linear)
		(void)snprintf(bits, sizeof(bits), "drawn at random for each word");
	else
		n = bc_geometry_bank_bits(&p->geometry, rows);
	for (unsigned i = 0; i < n; i++) {
		size_t at = strlen(bits);

		(void)snprintf(bits + at, sizeof(bits) - at, "%sbit %u =", i ? ", " : "", i);
		for (uint32_t b = rows[i]; b; b &= b - 1) {
			(void)snprintf(more, sizeof(more), " %d", __builtin_ctz(b));
			at = strlen(bits);
			(void)snprintf(bits + at, sizeof(bits) - at, "%s", more);
		}
	}
	bc_drawing_field(d, "law", "one that was given: lanes served together %u, merged %s; the bank: %s",
			 bc_geometry_group(&p->geometry, op), bc_merge_name(bc_geometry_merge(&p->geometry, op)), bits);
}

static void put_arch(const struct bc_arch *a, struct bc_drawing *d)
{
	char confirmation[BC_CONFIRMATION_MAX];

	bc_confirmation_text(a, confirmation);
	bc_drawing_field(d, "arch", "%s, %s%s", a->name, confirmation,
			 a->provisional ? ": not known, the laws are those of the nearest older one" : "");
	bc_drawing_field(d, "", "%u banks of %u bytes; dynamic shared memory starts at 0x%x", a->banks, a->bank_bytes,
			 a->window_base);
}

/* The first lane of a pair, both active, whose addresses differ; BC_LANES when none does. */
static unsigned unequal_pair(const struct bc_picture *p, unsigned x)
{
	for (unsigned lane = 0; lane < BC_LANES; lane++)
		if ((p->mask >> lane & 1) && (p->mask >> (lane ^ x) & 1) && p->addr[lane] != p->addr[lane ^ x])
			return lane;
	return BC_LANES;
}

/* Law 4: what it merged, or which pair kept it from doing so. */
static void put_pairs(const struct bc_picture *p, struct bc_drawing *d)
{
	const unsigned x1 = unequal_pair(p, 1), x2 = unequal_pair(p, 2), groups = p->op->bytes / 4;

	if (p->op->law != BC_LAW_ACCESS || p->op->bytes < 8)
		return;
	if (p->geometry.law.given)
		bc_drawing_field(d, "pair rule", "%s (merge %s)",
				 p->w.merged ? "the groups were merged in twos" : "merges nothing",
				 bc_merge_name(bc_geometry_merge(&p->geometry, bc_op_parse(p->op->name))));
	else if (p->op->store)
		bc_drawing_field(d, "pair rule", "stores never merge groups (law 4)");
	else if (!p->geometry.pair_rule)
		bc_drawing_field(d, "pair rule", "the architecture has none: groups are not merged (law 4)");
	else if (p->w.merged)
		bc_drawing_field(d, "pair rule",
				 "lanes l and l ^ %u have one address throughout: %u groups became %u (law 4)",
				 x1 == BC_LANES ? 1u : 2u, groups, groups / 2);
	else
		bc_drawing_field(
			d, "pair rule",
			"merges nothing: lanes %u and %u differ (x = 1), lanes %u and %u differ (x = 2) (law 4)", x1,
			x1 ^ 1, x2, x2 ^ 2);
}

/* A word (or wider element) that several lanes of one group touch. */
struct shared {
	uint32_t address, lanes;
};

/* All of them, in order of their first lane. Return: how many. */
static unsigned find_shared(const struct bc_picture *p, struct shared out[BC_LANES])
{
	const uint32_t bytes = p->op->bytes > p->geometry.bank_bytes ? p->op->bytes : p->geometry.bank_bytes;
	uint32_t seen = 0;
	unsigned n = 0;

	for (unsigned lane = 0; lane < BC_LANES; lane++) {
		uint32_t lanes = 0;

		for (unsigned l = lane; l < BC_LANES; l++)
			if ((p->mask >> l & 1) && p->addr[l] / bytes == p->addr[lane] / bytes &&
			    l / p->w.group_lanes == lane / p->w.group_lanes)
				lanes |= UINT32_C(1) << l;
		if ((seen >> lane & 1) || !(p->mask >> lane & 1) || !(lanes & (lanes - 1)))
			continue;
		seen |= lanes;
		out[n++] = (struct shared){ p->addr[lane] & ~(bytes - 1), lanes };
	}
	return n;
}

/* What the law makes of lanes of one group on one word. */
static const char *sharing_label(const struct bc_picture *p)
{
	const struct bc_op_info *op = p->op;

	if (p->geometry.law.given)
		return bc_geometry_merge(&p->geometry, bc_op_parse(op->name)) == BC_MERGE_NONE ? "in turn" : "merged";
	if (op->law == BC_LAW_ATOM || op->law == BC_LAW_CAS || op->law == BC_LAW_COPY)
		return "in turn";
	return op->store ? "merged" : "broadcast";
}

static void put_shared(const struct bc_picture *p, struct bc_drawing *d)
{
	const char *label = sharing_label(p);
	struct shared shared[BC_LANES];
	const unsigned n = find_shared(p, shared);
	const uint32_t bytes = p->op->bytes > p->geometry.bank_bytes ? p->op->bytes : p->geometry.bank_bytes;
	char units[40] = "words", lanes[BC_LANES_TEXT_MAX];
	const bool wide = bytes > p->geometry.bank_bytes;
	const char *unit = wide ? "element" : "word";
	int least = BC_LANES, most = 0;

	if (wide)
		(void)snprintf(units, sizeof(units), "elements of %u bytes", bytes);
	if (n == 0)
		bc_drawing_field(d, label, "nothing: no two lanes of a group touch one %s", unit);
	for (unsigned i = 0; i < n && n <= LISTED_MAX; i++) {
		bc_lanes_text(shared[i].lanes, lanes);
		bc_drawing_field(d, i ? "" : label, "the %s at 0x%05x: lanes %s", unit, shared[i].address, lanes);
	}
	if (n <= LISTED_MAX)
		return;
	for (unsigned i = 0; i < n; i++) {
		const int k = __builtin_popcount(shared[i].lanes);

		least = k < least ? k : least;
		most = k > most ? k : most;
	}
	if (least == most)
		bc_drawing_field(d, label, "%u %s, %d lanes each", n, units, least);
	else
		bc_drawing_field(d, label, "%u %s, %d to %d lanes each", n, units, least, most);
}

static void put_counts(const struct bc_picture *p, struct bc_drawing *d)
{
	const bool cas = p->op->law == BC_LAW_CAS;
	unsigned ways = 0;

	for (unsigned group = 0; group < BC_LANES / 4; group++) {
		const unsigned n = bc_picture_ways(p, group);

		ways = n > ways ? n : ways;
	}
	if (cas)
		bc_drawing_field(
			d, "wavefronts",
			"%u = %u passes of %u, the first is drawn; ideal %u a pass: one for each group with an "
			"active lane",
			p->w.wavefronts, bc_geometry_cas_factor(&p->geometry),
			p->w.wavefronts / bc_geometry_cas_factor(&p->geometry), p->w.groups);
	else
		bc_drawing_field(d, "wavefronts", "%u; ideal %u: one for each group with an active lane",
				 p->w.wavefronts, p->w.groups);
	if (p->w.conflicts)
		bc_drawing_field(d, "conflicts", "%u = wavefronts%s - ideal (law 5): %u-way%s", p->w.conflicts,
				 cas ? " of one pass" : "", ways, p->w.groups > 1 ? " in the fullest group" : "");
	else
		bc_drawing_field(d, "conflicts", "0 = wavefronts%s - ideal (law 5): free of conflicts",
				 cas ? " of one pass" : "");
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void put_totals(const struct bc_explain *e, const struct totals *t, struct bc_drawing *d)
{
	char apart[32] = "";

	if (t->requests < 2)
		return;
	if (!is_program(e->c))
		(void)snprintf(apart, sizeof(apart), ", %u bytes apart", e->c->pattern.step);
	bc_drawing_field(d, "requests",
			 "%" PRIu64 "%s; request 0 is drawn; all together %" PRIu64 " wavefront%s, %" PRIu64
			 " conflict%s",
			 t->requests, apart, t->wavefronts, plural(t->wavefronts), t->conflicts, plural(t->conflicts));
	if (t->differs)
		bc_drawing_field(d, "", "they differ: request %" PRIu64 " takes %u wavefront%s, %u conflict%s",
				 t->differs, t->other.wavefronts, plural(t->other.wavefronts), t->other.conflicts,
				 plural(t->other.conflicts));
	else
		bc_drawing_field(d, "", "all of them count the same");
}

static void put_expected(const struct bc_explain *e, struct bc_drawing *d)
{
	bool any = false;

	for (int q = 0; e->bounds && q < BC_NQUANTITIES; q++) {
		const struct bc_row *r = e->bounds->row[q];
		char bounds[BC_BOUNDS_MAX];

		if (!r)
			continue;
		bc_drawing_field(d, any ? "" : "expected", "%s %s (%s: %s)", bc_quantity_name(r->quantity),
				 bc_bounds_text(r, bounds), bc_origin_name(r->origin), r->basis);
		any = true;
	}
	if (e->bounds && !any)
		bc_drawing_field(d, "expected", "nothing is written: the case is UNJUDGED");
	if (e->c->twin[0])
		bc_drawing_field(d, "clean twin", "%s", e->c->twin);
}

static void put_request(const struct bc_explain *e, const struct bc_picture *p, const struct totals *t,
			struct bc_drawing *d)
{
	put_operation(p->op, d);
	put_mask(p, d);
	if (p->geometry.law.given)
		put_given_law(p, d);
	else
		put_law(p->op, d);
	put_arch(e->arch, d);
	bc_drawing_end_line(d);
	bc_picture_lanes(p, d);
	if (p->w.group_lanes) {
		bc_picture_banks(p, d);
		put_counts(p, d);
		put_shared(p, d);
		put_pairs(p, d);
	} else {
		bc_drawing_field(d, "wavefronts", "%s",
				 p->op->law == BC_LAW_UNKNOWN ? "not known: no law gives them"
				 : p->mask		      ? "none: the operation bypasses what is counted"
							      : "none: no lane is active");
	}
	put_totals(e, t, d);
}

/* A program: what is launched. */
static void put_program(const struct bc_explain *e, struct bc_drawing *d)
{
	struct bc_program prog = { 0 };

	if (!is_program(e->c) || !e->c->rule->program(e->c, e->arch, &prog))
		return;
	if (e->c->of_rule) {
		bc_drawing_field(d, "kernels", "those of the patterns of %s/%s, a block on every SM",
				 e->c->of_suite->name, e->c->of_rule->name);
		return;
	}
	if (prog.every_sm)
		bc_drawing_field(d, "launch", "a block on every SM");
	bc_drawing_field(d, "kernel", "%s of %s, %u x %u x %u blocks of %u x %u x %u threads", prog.kernel, prog.image,
			 prog.grid[0] ? prog.grid[0] : 1, prog.grid[1] ? prog.grid[1] : 1,
			 prog.grid[2] ? prog.grid[2] : 1, prog.block[0] ? prog.block[0] : 1,
			 prog.block[1] ? prog.block[1] : 1, prog.block[2] ? prog.block[2] : 1);
	if (prog.cls != BC_CLASS_NONE)
		bc_drawing_field(d, "counted", "all of class %s: %" PRIu64 " requests", bc_class_name(prog.cls),
				 prog.requests);
}

enum bc_status bc_explain_draw(const struct bc_explain *e, struct bc_text *out, struct bc_error *err)
{
	struct bc_drawing d = {
		.out = { .to = out, .err = err },
		.wrap = { .indent = INDENT, .columns = BC_EXPLAIN_COLUMNS, .utf8 = e->utf8 },
	};
	struct bc_program_request r = { .op = BC_OP_NONE };
	struct bc_picture p;
	struct totals t = { 0 };
	const char *why = bc_explain_undrawable(e);
	const bool drawn = !why && bc_explain_request(e, 0, &r);
	enum bc_status st = drawn ? picture_of(e, &r, &p, err) : BC_OK;

	if (!st && drawn)
		st = sum_up(e, &p, &t, err);
	if (st)
		return st;
	put_case(e, &d);
	put_program(e, &d);
	if (drawn) {
		put_request(e, &p, &t, &d);
	} else {
		put_arch(e->arch, &d);
		bc_drawing_field(&d, "not drawn", "%s", why ? why : "the rule lists no request here");
	}
	put_expected(e, &d);
	return d.out.st;
}
