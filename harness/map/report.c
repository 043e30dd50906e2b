/* SPDX-License-Identifier: MIT */
#include "harness/map/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum bc_status count(void *ctx, const struct bc_pattern *p, size_t n, struct bc_pattern_count *out, char *absent,
			    size_t size, struct bc_error *err)
{
	return bc_remote_count(ctx, p, n, out, absent, size, err);
}

static enum bc_status take_time(void *ctx, const struct bc_pattern *p, size_t n, struct bc_pattern_time *out,
				char *absent, size_t size, struct bc_error *err)
{
	return bc_remote_time(ctx, p, n, out, absent, size, err);
}

static enum bc_status latency_of(struct bc_remote *d, const char *id, double *out, char *absent, size_t size,
				 struct bc_error *err)
{
	struct bc_observation *obs = calloc(1, sizeof(*obs));
	enum bc_status st = obs ? bc_remote_case(d, id, obs, err) : bc_fail(err, BC_ENOMEM, "map: out of memory");

	if (!st && obs->outcome == BC_RAN && obs->clock_value_has)
		*out = obs->clock_value;
	else if (!st)
		(void)bc_strlcpy(absent, obs->outcome == BC_RAN ? obs->clock_absent : obs->reason, size);
	free(obs);
	return st;
}

static enum bc_status measure_latencies(struct bc_remote *d, struct bc_map_report *r, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	if (r->facts.clock_absent[0] || !r->asked[BC_MAP_CLOCK]) {
		(void)bc_strlcpy(r->latency_absent,
				 r->facts.clock_absent[0] ? r->facts.clock_absent : "the clock was not asked for",
				 sizeof(r->latency_absent));
		return BC_OK;
	}
	st = latency_of(d, "clock/latency/l1_over_shared", &r->l1_over_shared, r->latency_absent,
			sizeof(r->latency_absent), err);
	return st ? st
		  : latency_of(d, "clock/latency/l2_over_shared", &r->l2_over_shared, r->latency_absent,
			       sizeof(r->latency_absent), err);
}

/* Does a text hold this line? */
static bool has_line(const char *text, const char *line, size_t len)
{
	for (const char *at = text; *at;) {
		const size_t n = strcspn(at, "\n");

		if (n == len && strncmp(at, line, n) == 0)
			return true;
		at += n + (at[n] == '\n');
	}
	return false;
}

/* Lines of @a that @b has not, after @what. */
static enum bc_status add_missing(struct bc_text *out, const char *what, const char *a, const char *b, bool *any,
				  struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (const char *at = a; !st && *at;) {
		const size_t n = strcspn(at, "\n");

		if (n && *at != '#' && !has_line(b, at, n)) {
			*any = true;
			st = bc_text_addf(out, err, "%s %.*s\n", what, (int)n, at);
		}
		at += n + (at[n] == '\n');
	}
	return st;
}

/* Two laws line by line, in both directions. */
static enum bc_status compare_texts(struct bc_text *out, const char *one, const char *a, const char *other,
				    const char *b, bool *differ, struct bc_error *err)
{
	enum bc_status st = add_missing(out, one, a ? a : "", b ? b : "", differ, err);

	return st ? st : add_missing(out, other, b ? b : "", a ? a : "", differ, err);
}

static enum bc_status add_limit(struct bc_map_report *r, const char *what, uint32_t found, uint32_t expected,
				struct bc_error *err)
{
	if (found == expected || (!found && expected)) /* 0: the device does not tell */
		return BC_OK;
	r->differs = true;
	return bc_text_addf(&r->differences, err, "found: %s %u\nexpected: %s %u\n", what, found, what, expected);
}

/* What is expected of the same operations, in the same words. */
static enum bc_status expected_text(const struct bc_map_report *r, const struct bc_map_law *l, struct bc_text *out,
				    struct bc_error *err)
{
	const struct bc_geometry g = bc_arch_geometry(&r->target.arch);
	enum bc_status st = bc_geometry_print(&g, l->ops, l->cas, out, err);

	return st ? st : bc_text_addf(out, err, "window_base %u\n", r->target.arch.window_base);
}

static enum bc_status compare_with_expected(struct bc_map_report *r, const struct bc_map_law *l, struct bc_error *err)
{
	struct bc_text found = { 0 }, want = { 0 };
	char name[2][40];
	bool differ = false;
	enum bc_status st = bc_map_law_text(l, r->window.base, &found, err);

	(void)snprintf(name[0], sizeof(name[0]), "found by %s:", bc_map_by_name(l->by));
	(void)snprintf(name[1], sizeof(name[1]), "expected:");
	if (!st)
		st = expected_text(r, l, &want, err);
	if (!st && !l->linear)
		differ = true; /* said with its counter-example */
	else if (!st)
		st = compare_texts(&r->differences, name[0], found.data, name[1], want.data, &differ, err);
	r->differs = r->differs || differ;
	bc_text_release(&want);
	bc_text_release(&found);
	return st;
}

/* One witness against the other, in the operations that both see. */
static enum bc_status compare_witnesses(struct bc_map_report *r, struct bc_error *err)
{
	struct bc_text text[BC_MAP_NBY] = { { 0 }, { 0 } };
	const struct bc_map_law *a = &r->law[BC_MAP_COUNTERS], *b = &r->law[BC_MAP_CLOCK];
	bool ops[BC_NOPS];
	enum bc_status st = BC_OK;

	if (!a->found || !b->found)
		return BC_OK;
	if (a->linear != b->linear) {
		r->disagrees = true;
		return bc_text_addf(&r->differences, err, "by counters the law is %slinear, by clock it is %slinear\n",
				    a->linear ? "" : "not ", b->linear ? "" : "not ");
	}
	if (!a->linear)
		return BC_OK;
	for (unsigned op = 0; op < BC_NOPS; op++)
		ops[op] = a->ops[op] && b->ops[op];
	st = bc_geometry_print(&a->geometry, ops, false, &text[0], err);
	if (!st)
		st = bc_geometry_print(&b->geometry, ops, false, &text[1], err);
	if (!st)
		st = compare_texts(&r->differences, "by counters, not by clock:", text[0].data,
				   "by clock, not by counters:", text[1].data, &r->disagrees, err);
	bc_text_release(&text[0]);
	bc_text_release(&text[1]);
	return st;
}

static enum bc_status compare(struct bc_map_report *r, struct bc_error *err)
{
	const struct bc_arch *a = &r->target.arch;
	enum bc_status st = add_limit(r, "optin_bytes", r->window.optin_bytes, a->optin_bytes, err);

	if (!st)
		st = add_limit(r, "static_bytes", r->window.static_bytes, a->static_bytes, err);
	if (!st)
		st = add_limit(r, "sm_bytes", r->window.sm_bytes, a->sm_bytes, err);
	if (!st)
		st = add_limit(r, "reserved_bytes", r->window.reserved_bytes, a->reserved_bytes, err);
	for (unsigned by = 0; !st && by < BC_MAP_NBY; by++)
		if (r->asked[by] && r->law[by].found)
			st = compare_with_expected(r, &r->law[by], err);
	return st ? st : compare_witnesses(r, err);
}

enum bc_status bc_map_measure(const struct bc_run_options *o, const struct bc_target *target,
			      const bool asked[BC_MAP_NBY], const struct bc_map_options *mo, struct bc_map_report *r,
			      struct bc_error *err)
{
	struct bc_remote *d = NULL;
	const char *why = "";
	enum bc_status st = bc_remote_open(o, &target->facts, &d, err);

	*r = (struct bc_map_report){ .target = *target };
	if (st)
		return st;

	const struct bc_map_source source = { .ctx = d, .count = count, .time = take_time };

	memcpy(r->asked, asked, sizeof(r->asked));
	r->facts = *bc_remote_facts(d);
	st = bc_remote_window(d, &r->window, err);
	if (!st && r->window.base + r->window.optin_bytes > UINT32_C(1) << BC_ADDRESS_BITS_MAX)
		st = bc_fail(err, BC_EDEVICE, "a window that ends at 0x%x: more than bankcheck knows",
			     r->window.base + r->window.optin_bytes);
	if (!st)
		st = measure_latencies(d, r, err);
	for (unsigned by = 0; !st && by < BC_MAP_NBY; by++)
		if (asked[by])
			st = bc_map_find(&source, (enum bc_map_by)by, &target->arch, &r->window, mo, &r->law[by], err);
	r->facts = *bc_remote_facts(d);
	r->deaths = bc_remote_deaths(d, &why);
	(void)bc_strlcpy(r->why, why, sizeof(r->why));
	if (!st)
		st = compare(r, err);
	bc_remote_close(d);
	return st;
}

void bc_map_report_release(struct bc_map_report *r)
{
	bc_text_release(&r->differences);
}

const struct bc_map_law *bc_map_best(const struct bc_map_report *r)
{
	for (unsigned by = 0; by < BC_MAP_NBY; by++)
		if (r->asked[by] && r->law[by].found)
			return &r->law[by];
	return NULL;
}

int bc_map_status(const struct bc_map_report *r)
{
	bool sound = true;

	if (!bc_map_best(r))
		return 4;
	for (unsigned by = 0; by < BC_MAP_NBY; by++)
		sound = sound && (!r->asked[by] || !r->law[by].found || bc_map_law_is_sound(&r->law[by]));
	return r->differs || r->disagrees || r->deaths || !sound ? 1 : 0;
}
