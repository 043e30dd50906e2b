/* SPDX-License-Identifier: MIT */
#include "harness/measure/patterns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stats.h"
#include "harness/measure/launch.h"

#define REPS_OF_DEAR_RANGES 8 /* requests of a counted launch, where a range costs more than they do */
#define CANARIES_MAX 4
#define TIMED_AT_ONCE 256
#define STEP 128u /* of limits, bytes */
#define BIT(c) (UINT32_C(1) << (c))

/* Operations that are counted together, in one configuration of the counters. */
enum family { PLAIN = 0, ATOMICS, MATRICES, COPIES, NFAMILIES };

static const uint32_t wanted[NFAMILIES] = {
	[PLAIN] = BIT(BC_CTR_LD_REQUESTS) | BIT(BC_CTR_LD_WAVEFRONTS) | BIT(BC_CTR_LD_CONFLICTS) |
		  BIT(BC_CTR_ST_REQUESTS) | BIT(BC_CTR_ST_WAVEFRONTS) | BIT(BC_CTR_ST_CONFLICTS),
	[ATOMICS] = BIT(BC_CTR_ATOM_REQUESTS) | BIT(BC_CTR_ATOM_WAVEFRONTS) | BIT(BC_CTR_ATOM_CONFLICTS),
	[MATRICES] = BIT(BC_CTR_LDSM_REQUESTS) | BIT(BC_CTR_STSM_REQUESTS) | BIT(BC_CTR_LD_WAVEFRONTS) |
		     BIT(BC_CTR_LD_CONFLICTS) | BIT(BC_CTR_ST_WAVEFRONTS) | BIT(BC_CTR_ST_CONFLICTS),
	[COPIES] = BIT(BC_CTR_LDGSTS_REQUESTS) | BIT(BC_CTR_LDGSTS_CONFLICTS),
};

/* Counters of an operation; BC_NCOUNTERS: it has none. */
struct op_counters {
	enum bc_counter requests, wavefronts, conflicts;
};

/* What one launch counted. */
struct raw {
	uint64_t requests, wavefronts, conflicts;
};

struct bc_patterns {
	const struct bc_device_ops *ops;
	struct bc_device *dev;
	const struct bc_arch *arch;
	uint32_t reps;
	struct raw base[BC_NOPS];
	bool has_base[BC_NOPS];
};

/* A session on its way: canaries, baselines, patterns, canaries. */
struct session {
	struct bc_patterns *t;
	struct bc_case_launch *made;
	struct bc_launch *launch;
	struct bc_counts *counts;
	enum bc_op *op; /* of each launch */
	size_t n, max;
};

enum bc_status bc_patterns_open(const struct bc_device_ops *ops, struct bc_device *dev, const struct bc_arch *arch,
				struct bc_patterns **out, struct bc_error *err)
{
	struct bc_patterns *t = calloc(1, sizeof(*t));

	if (!t)
		return bc_fail(err, BC_ENOMEM, "patterns: out of memory");
	t->ops = ops;
	t->dev = dev;
	t->arch = arch;
	t->reps = ops->pack > 1 ? REPS_OF_DEAR_RANGES : 1;
	*out = t;
	return BC_OK;
}

void bc_patterns_close(struct bc_patterns *t)
{
	free(t);
}

static enum family family_of(enum bc_op op)
{
	const struct bc_op_info *info = bc_op_info(op);

	if (info->matrices)
		return MATRICES;
	return info->cls == BC_CLASS_ATOM ? ATOMICS : info->cls == BC_CLASS_LDGSTS ? COPIES : PLAIN;
}

static struct op_counters counters_of(enum bc_op op)
{
	const struct bc_op_info *info = bc_op_info(op);
	struct op_counters c = { BC_NCOUNTERS, BC_NCOUNTERS, BC_NCOUNTERS };

	for (unsigned i = 0; info->counter_requests && i < BC_NCOUNTERS; i++)
		if (strcmp(bc_counter_name((enum bc_counter)i), info->counter_requests) == 0)
			c.requests = (enum bc_counter)i;
	switch (family_of(op)) {
	case ATOMICS:
		c.wavefronts = BC_CTR_ATOM_WAVEFRONTS;
		c.conflicts = BC_CTR_ATOM_CONFLICTS;
		break;
	case COPIES: c.conflicts = BC_CTR_LDGSTS_CONFLICTS; break;
	case PLAIN:
	case MATRICES:
		c.wavefronts = info->cls == BC_CLASS_ST ? BC_CTR_ST_WAVEFRONTS : BC_CTR_LD_WAVEFRONTS;
		c.conflicts = info->cls == BC_CLASS_ST ? BC_CTR_ST_CONFLICTS : BC_CTR_LD_CONFLICTS;
		break;
	case NFAMILIES: break;
	}
	return c;
}

static enum bc_status add(struct session *s, const struct bc_pattern *p, uint32_t reps, struct bc_error *err)
{
	struct bc_case_launch *r = &s->made[s->n];

	s->op[s->n] = p->op;
	s->n++;
	return bc_case_launch_count(p, s->t->arch, bc_op_info(p->op)->name, reps, r, err);
}

/* One lane on one word, or 32 lanes side by side. */
static struct bc_pattern canary(enum bc_op op, bool all)
{
	struct bc_pattern p = { .op = op, .mask = all ? UINT32_MAX : 1, .count = 1 };

	for (unsigned l = 0; all && l < BC_LANES; l++)
		p.offset[l] = l * bc_op_info(op)->bytes;
	return p;
}

/* Canaries of the operations' class as they are met: of each operation one lane, and all lanes. */
static enum bc_status add_canaries(struct session *s, enum family f, bool all, struct bc_error *err)
{
	static const enum bc_op of[NFAMILIES][2] = {
		[PLAIN] = { BC_OP_LD32, BC_OP_ST32 },
		[ATOMICS] = { BC_OP_ATOM32, BC_OP_NONE },
		[MATRICES] = { BC_OP_LDSM1, BC_OP_NONE },
		[COPIES] = { BC_OP_CPA4, BC_OP_NONE },
	};
	enum bc_status st = BC_OK;

	for (unsigned i = 0; !st && i < 2 && of[f][i] != BC_OP_NONE; i++) {
		const struct bc_pattern p = canary(of[f][i], all || f == MATRICES);

		st = add(s, &p, s->t->reps, err);
	}
	return st;
}

static bool read_raw(const struct session *s, size_t i, struct raw *out)
{
	const struct op_counters c = counters_of(s->op[i]);
	const struct bc_counts *n = &s->counts[i];
	const uint32_t need = (c.requests < BC_NCOUNTERS ? BIT(c.requests) : 0) |
			      (c.wavefronts < BC_NCOUNTERS ? BIT(c.wavefronts) : 0) |
			      (c.conflicts < BC_NCOUNTERS ? BIT(c.conflicts) : 0);

	if ((n->present & need) != need)
		return false;
	out->requests = c.requests < BC_NCOUNTERS ? n->v[c.requests] : 0;
	out->wavefronts = c.wavefronts < BC_NCOUNTERS ? n->v[c.wavefronts] : 0;
	out->conflicts = c.conflicts < BC_NCOUNTERS ? n->v[c.conflicts] : 0;
	return true;
}

/* What launch @i counted beyond its baseline. False, with @why: it lacks a counter, or did not count what it did. */
static bool read_launch(const struct session *s, size_t i, struct bc_pattern_count *out, char *why, size_t size)
{
	const struct op_counters c = counters_of(s->op[i]);
	const char *name = bc_op_info(s->op[i])->name;
	const struct raw *base = &s->t->base[s->op[i]];
	struct raw r;

	if (!read_raw(s, i, &r)) {
		(void)snprintf(why, size, "the chip has not the counters of %s", name);
		return false;
	}
	if (r.requests < base->requests || r.wavefronts < base->wavefronts || r.conflicts < base->conflicts ||
	    (c.requests < BC_NCOUNTERS && r.requests - base->requests != s->made[i].requests)) {
		(void)snprintf(why, size, "the counters are void: %llu requests of %s were counted, %llu were made",
			       (unsigned long long)(r.requests - base->requests), name,
			       (unsigned long long)s->made[i].requests);
		return false;
	}
	*out = (struct bc_pattern_count){ .has = true,
					  .wavefronts_counted = c.wavefronts < BC_NCOUNTERS,
					  .requests = s->made[i].requests,
					  .wavefronts = r.wavefronts - base->wavefronts,
					  .conflicts = r.conflicts - base->conflicts };
	return true;
}

/* A canary that does not read what every device must read: whatever is between it and the other is void. */
static bool canary_is_sound(const struct session *s, size_t i, bool one_lane, char *why, size_t size)
{
	struct bc_pattern_count n;

	if (!read_launch(s, i, &n, why, size))
		return false;
	if (!n.wavefronts_counted ? n.conflicts == 0 || !one_lane
	    : one_lane		  ? n.wavefronts == n.requests && n.conflicts == 0
				  : n.wavefronts >= n.requests)
		return true;
	(void)snprintf(why, size,
		       "the counters are void: %llu requests of %s by %s lane count %llu wavefronts and %llu conflicts",
		       (unsigned long long)n.requests, bc_op_info(s->op[i])->name, one_lane ? "one" : "every",
		       (unsigned long long)n.wavefronts, (unsigned long long)n.conflicts);
	return false;
}

static enum bc_status session_make(struct session *s, struct bc_patterns *t, size_t n, struct bc_error *err)
{
	*s = (struct session){ .t = t, .max = n + 2 * CANARIES_MAX + BC_NOPS };
	s->made = calloc(s->max, sizeof(*s->made));
	s->launch = calloc(s->max, sizeof(*s->launch));
	s->counts = calloc(s->max, sizeof(*s->counts));
	s->op = calloc(s->max, sizeof(*s->op));
	return s->made && s->launch && s->counts && s->op ? BC_OK : bc_fail(err, BC_ENOMEM, "counting: out of memory");
}

static void session_release(struct session *s)
{
	for (size_t i = 0; i < s->n; i++)
		bc_case_launch_release(&s->made[i]);
	free(s->made);
	free(s->launch);
	free(s->counts);
	free(s->op);
}

/* Baselines of operations that have none yet: canaries' and patterns'. */
static enum bc_status add_bases(struct session *s, const struct bc_pattern *const *p, size_t n, struct bc_error *err)
{
	bool made[BC_NOPS] = { false };
	const size_t canaries = s->n;
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < canaries + n; i++) {
		const enum bc_op op = i < canaries ? s->op[i] : p[i - canaries]->op;
		const struct bc_pattern lone = canary(op, bc_op_info(op)->matrices > 0);

		if (s->t->has_base[op] || made[op])
			continue;
		made[op] = true;
		st = add(s, &lone, 0, err);
	}
	return st;
}

/* One session. @p: [n] of one family; @out: as @p. */
static enum bc_status count_session(struct bc_patterns *t, enum family f, const struct bc_pattern *const *p, size_t n,
				    struct bc_pattern_count *const *out, char *absent, size_t size,
				    struct bc_error *err)
{
	struct session s;
	struct bc_error one = { .msg = "" };
	char why[400] = "";
	size_t opening = 0, first = 0, closing;
	bool sound = true;
	enum bc_status st = session_make(&s, t, n, err);

	if (!st)
		st = add_canaries(&s, f, false, err);
	opening = s.n;
	if (!st)
		st = add_bases(&s, p, n, err);
	first = s.n;
	for (size_t i = 0; !st && i < n; i++)
		st = add(&s, p[i], t->reps, err);
	closing = s.n;
	if (!st)
		st = add_canaries(&s, f, true, err);
	for (size_t i = 0; !st && i < s.n; i++)
		s.launch[i] = s.made[i].launch;
	if (st)
		goto out;
	st = t->ops->count(t->dev, s.launch, s.n, wanted[f], s.counts, &one);
	if (st == BC_ENOMEM || (st && !t->ops->alive(t->dev))) {
		st = bc_fail(err, st, "%s", one.msg);
		goto out;
	}
	if (st) {
		(void)bc_strlcpy(absent, one.msg, size);
		st = BC_OK;
		goto out;
	}
	for (size_t i = opening; i < first; i++)
		(void)read_raw(&s, i, &t->base[s.op[i]]);
	for (size_t i = 0; sound && i < opening; i++)
		sound = canary_is_sound(&s, i, f != MATRICES, why, sizeof(why));
	for (size_t i = closing; sound && i < s.n; i++)
		sound = canary_is_sound(&s, i, false, why, sizeof(why));
	for (size_t i = opening; sound && i < first; i++)
		t->has_base[s.op[i]] = true;
	for (size_t i = 0; sound && i < n; i++)
		(void)read_launch(&s, first + i, out[i], why, sizeof(why));
	if (why[0])
		(void)bc_strlcpy(absent, why, size);
out:
	session_release(&s);
	return st;
}

enum bc_status bc_patterns_count(struct bc_patterns *t, const struct bc_pattern *p, size_t n,
				 struct bc_pattern_count *out, char *absent, size_t size, struct bc_error *err)
{
	const size_t most = BC_SESSION_RANGES - 2 * CANARIES_MAX - 20; /* the rest: canaries and baselines */
	const struct bc_pattern **some = calloc(n ? n : 1, sizeof(const struct bc_pattern *));
	struct bc_pattern_count **to = calloc(n ? n : 1, sizeof(struct bc_pattern_count *));
	enum bc_status st = some && to ? BC_OK : bc_fail(err, BC_ENOMEM, "counting: out of memory");

	absent[0] = '\0';
	memset(out, 0, n * sizeof(*out));
	if (!st && t->ops->facts(t->dev)->counters_absent[0]) {
		(void)bc_strlcpy(absent, t->ops->facts(t->dev)->counters_absent, size);
		goto out;
	}
	for (unsigned f = 0; !st && f < NFAMILIES; f++) {
		size_t m = 0;

		for (size_t i = 0; i < n; i++) {
			if (family_of(p[i].op) != (enum family)f)
				continue;
			some[m] = &p[i];
			to[m++] = &out[i];
		}
		for (size_t i = 0, k; !st && i < m; i += k) {
			k = m - i < most ? m - i : most;
			st = count_session(t, (enum family)f, some + i, k, to + i, absent, size, err);
		}
	}
out:
	free(to);
	free(some);
	return st;
}

static enum bc_status time_some(struct bc_patterns *t, const struct bc_pattern *const *p,
				struct bc_pattern_time *const *out, size_t n, struct bc_error *err)
{
	struct bc_case_launch *r = calloc(n, sizeof(*r));
	struct bc_launch *launch = calloc(n, sizeof(*launch));
	size_t made = 0;
	enum bc_status st = r && launch ? BC_OK : bc_fail(err, BC_ENOMEM, "timing: out of memory");

	for (; !st && made < n; made++) {
		st = bc_case_launch_clock(p[made], t->arch, bc_op_info(p[made]->op)->name, BC_PATTERN_SAMPLES, &r[made],
					  err);
		launch[made] = r[made].launch;
	}
	if (!st)
		st = t->ops->run(t->dev, launch, n, err);
	for (size_t i = 0; !st && i < n; i++) {
		uint32_t cycles[BC_SAMPLES_MAX], least = UINT32_MAX, most = 0;

		bc_case_launch_samples(&r[i], cycles);
		for (unsigned k = 0; k < BC_PATTERN_SAMPLES; k++) {
			least = cycles[k] < least ? cycles[k] : least;
			most = cycles[k] > most ? cycles[k] : most;
		}
		*out[i] = (struct bc_pattern_time){ .has = true,
						    .cycles = bc_median(cycles, BC_PATTERN_SAMPLES),
						    .spread = most - least };
	}
	for (size_t i = 0; i < made; i++)
		bc_case_launch_release(&r[i]);
	free(launch);
	free(r);
	return st;
}

enum bc_status bc_patterns_time(struct bc_patterns *t, const struct bc_pattern *p, size_t n,
				struct bc_pattern_time *out, char *absent, size_t size, struct bc_error *err)
{
	const struct bc_pattern *some[TIMED_AT_ONCE];
	struct bc_pattern_time *to[TIMED_AT_ONCE];
	size_t m = 0;
	enum bc_status st = BC_OK;

	(void)bc_strlcpy(absent, t->ops->facts(t->dev)->clock_absent, size);
	memset(out, 0, n * sizeof(*out));
	if (absent[0])
		return BC_OK;
	for (size_t i = 0; !st && i < n; i++) {
		if (bc_op_info(p[i].op)->timed) {
			some[m] = &p[i];
			to[m++] = &out[i];
		} else {
			(void)snprintf(absent, size, "%s cannot be timed", bc_op_info(p[i].op)->name);
		}
		if (m == TIMED_AT_ONCE || (m && i + 1 == n)) {
			st = time_some(t, some, to, m, err);
			m = 0;
		}
	}
	return st;
}

/* Is a launch with so much dynamic shared memory taken? */
static enum bc_status is_taken(struct bc_patterns *t, uint32_t bytes, bool no_optin, bool *taken, struct bc_error *err)
{
	const struct bc_pattern p = canary(BC_OP_LD32, false);
	struct bc_case_launch r;
	struct bc_error one = { .msg = "" };
	enum bc_status st = bc_case_launch_count(&p, t->arch, "window", 1, &r, err);

	if (st)
		return st;
	r.launch.shared_bytes = bytes;
	r.launch.no_optin = no_optin;
	st = t->ops->run(t->dev, &r.launch, 1, &one);
	bc_case_launch_release(&r);
	if (st == BC_ENOMEM || !t->ops->alive(t->dev))
		return bc_fail(err, st, "%s", one.msg);
	*taken = st == BC_OK;
	return BC_OK;
}

/* The most dynamic shared memory that is taken, by halving; 0: none is. */
static enum bc_status find_most(struct bc_patterns *t, uint32_t top, bool no_optin, uint32_t *out, struct bc_error *err)
{
	uint32_t low = 0, high = top / STEP + 1; /* low is taken, high is not */
	enum bc_status st = BC_OK;

	while (!st && high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;
		bool taken = false;

		st = is_taken(t, middle * STEP, no_optin, &taken, err);
		if (taken)
			low = middle;
		else
			high = middle;
	}
	*out = low * STEP;
	return st;
}

/* Blocks of one warp with so much shared memory that an SM holds; 0 where the device does not tell. */
static uint32_t resident(struct bc_patterns *t, uint32_t bytes)
{
	const struct bc_pattern p = canary(BC_OP_LD32, false);
	struct bc_case_launch r;
	uint32_t blocks = 0;

	if (!t->ops->occupancy || bc_case_launch_count(&p, t->arch, "window", 1, &r, NULL))
		return 0;
	r.launch.shared_bytes = bytes;
	if (t->ops->occupancy(t->dev, &r.launch, &blocks, NULL))
		blocks = 0;
	bc_case_launch_release(&r);
	return blocks;
}

enum bc_status bc_patterns_window(struct bc_patterns *t, struct bc_window *out, struct bc_error *err)
{
	const struct bc_facts *f = t->ops->facts(t->dev);
	const struct bc_pattern p = canary(BC_OP_LD32, true);
	struct bc_case_launch r;
	uint32_t half;
	enum bc_status st = bc_case_launch_data(&p, t->arch, "window", 0, &r, err);

	*out = (struct bc_window){ .sm_bytes = f->sm_bytes };
	if (!st)
		st = t->ops->run(t->dev, &r.launch, 1, err);
	out->base = r.info[0];
	bc_case_launch_release(&r);
	if (!st)
		st = find_most(t, f->sm_bytes + 4096, false, &out->optin_bytes, err);
	if (!st)
		st = find_most(t, f->sm_bytes + 4096, true, &out->static_bytes, err);
	if (st)
		return st;
	out->blocks = resident(t, 0);
	half = f->sm_bytes / 2 / STEP * STEP;
	while (half > STEP && half + 8192 > f->sm_bytes / 2 && resident(t, half) < 2)
		half -= STEP;
	if (out->blocks && resident(t, half) >= 2)
		out->reserved_bytes = f->sm_bytes / 2 - half;
	return BC_OK;
}
