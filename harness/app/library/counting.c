/* SPDX-License-Identifier: MIT */
#include "harness/app/library/counting.h"

#include <stdlib.h>
#include <string.h>

#include "harness/app/library/canaries.h"
#include "harness/base/clock.h"
#include "harness/device/cuda/counters.h"

#define TURN 16u       /* sessions: some 1,300 launches, of which a change of counters takes the time of 200 */
#define FIRST_TURN 24u /* launches: once round, so that a short program too has each figure */
#define REFUSED SIZE_MAX

#define BIT(c) (UINT32_C(1) << BC_CTR_##c)

/* Counters that belong together: a figure of a class needs them from the same launches. In the order in which they
 * share a pass as long as it holds them. */
static const uint32_t units[] = {
	BIT(LD_REQUESTS) | BIT(LD_WAVEFRONTS) | BIT(LD_CONFLICTS) | BIT(LDSM_REQUESTS),
	BIT(ST_REQUESTS) | BIT(ST_WAVEFRONTS) | BIT(ST_CONFLICTS) | BIT(STSM_REQUESTS),
	BIT(ATOM_REQUESTS) | BIT(ATOM_WAVEFRONTS) | BIT(ATOM_CONFLICTS),
	BIT(LDGSTS_REQUESTS) | BIT(LDGSTS_CONFLICTS),
	BIT(GMMA_WAVEFRONTS) | BIT(GMMA_CONFLICTS),
	BIT(GLOBAL_LD_REQUESTS) | BIT(GLOBAL_LD_SECTORS),
	BIT(GLOBAL_ST_REQUESTS) | BIT(GLOBAL_ST_SECTORS),
	BIT(ARBITRATION),
	BIT(DURATION),
};

struct group {
	uint32_t want;
	struct bc_app_canaries *canaries; /* NULL: not made yet */
};

struct bc_app_counting {
	struct bc_app_counting_to to;
	struct bc_cuda_counters *counters;
	struct group group[BC_APP_GROUPS];
	unsigned ngroups, now;
	unsigned turn, left;	  /* sessions of a turn, of this one */
	bool open, replay, round; /* round: each set has had a turn */
	double opening_s;
	size_t n;			  /* ranges of the session that were opened, canaries first */
	size_t kernel[BC_SESSION_RANGES]; /* in the tally; REFUSED: its launch was refused */
	struct bc_counts counts[BC_SESSION_RANGES];
};

static enum bc_status add_group(struct bc_app_counting *c, uint32_t want, struct bc_error *err)
{
	if (!want)
		return BC_OK;
	if (c->ngroups == BC_APP_GROUPS)
		return bc_fail(err, BC_EDEVICE, "the counters need more than %d sets", BC_APP_GROUPS);
	c->group[c->ngroups++].want = want;
	return BC_OK;
}

/* Take @unit into the set @now if both fit in one pass; else the set is full and @unit begins the next. @fits: false:
 * @unit alone does not fit. */
static enum bc_status take(struct bc_app_counting *c, uint32_t *now, uint32_t unit, bool *fits, struct bc_error *err)
{
	size_t passes = 0;
	uint32_t has = 0;
	struct bc_error why = { .msg = "" };
	enum bc_status st = bc_cuda_counters_passes(c->counters, *now | unit, &passes, &has, &why);

	*fits = true;
	if (!st && passes <= 1) {
		*now = has;
		return BC_OK;
	}
	st = bc_cuda_counters_passes(c->counters, unit, &passes, &has, &why);
	if (st) /* the chip has none of these */
		return BC_OK;
	*fits = passes <= 1;
	if (!*fits)
		return BC_OK;
	st = add_group(c, *now, err);
	*now = has;
	return st;
}

/* Cut what is wanted into sets of one pass. */
static enum bc_status plan(struct bc_app_counting *c, struct bc_error *err)
{
	const uint32_t want = c->to.config->want;
	uint32_t now = 0;
	enum bc_status st = BC_OK;

	if (c->replay)
		return add_group(c, want, err);
	for (size_t u = 0; !st && u < BC_ARRAY_LEN(units); u++) {
		bool fits = true;

		if (!(units[u] & want))
			continue;
		st = take(c, &now, units[u] & want, &fits, err);
		for (unsigned k = 0; !st && !fits && k < BC_NCOUNTERS; k++) {
			bool one = true;

			if (units[u] & want & (UINT32_C(1) << k))
				st = take(c, &now, UINT32_C(1) << k, &one, err);
			if (!one)
				bc_app_note(c->to.record, "%s needs several passes: only --replay counts it",
					    bc_counter_name((enum bc_counter)k));
		}
	}
	if (!st)
		st = add_group(c, now, err);
	if (!st && !c->ngroups)
		st = bc_fail(err, BC_EDEVICE, "the chip has none of the counters asked for");
	return st;
}

enum bc_status bc_app_counting_open(const struct bc_app_counting_to *to, CUcontext ctx, unsigned device,
				    struct bc_app_counting **out, struct bc_error *err)
{
	struct bc_app_counting *c = calloc(1, sizeof(*c));
	enum bc_status st;

	if (!c)
		return bc_fail(err, BC_ENOMEM, "out of memory");
	c->to = *to;
	c->replay = to->config->replay;
	c->turn = c->left = 1;
	st = bc_cuda_counters_open(to->cupti, ctx, device, &c->counters, err);
	if (!st)
		st = plan(c, err);
	if (st)
		bc_app_counting_close(c, false);
	else
		*out = c;
	return st;
}

/* A range of our own. */
static enum bc_status canary(struct bc_app_counting *c, size_t i, bool end, struct bc_error *err)
{
	enum bc_status st = c->replay ? BC_OK : bc_cuda_counters_push(c->counters, c->n, err);

	if (!st)
		st = bc_app_canaries_launch(c->group[c->now].canaries, i, end, err);
	if (!st && !c->replay)
		st = bc_cuda_counters_pop(c->counters, err);
	c->n++;
	return st;
}

/* Launches that the session takes. */
static size_t room(const struct bc_app_counting *c)
{
	const struct bc_app_canaries *canaries = c->group[c->now].canaries;
	const size_t most = BC_SESSION_RANGES - bc_app_canaries_first(canaries) - bc_app_canaries_last(canaries);

	return c->round || c->ngroups == 1 || most < FIRST_TURN ? most : FIRST_TURN;
}

static enum bc_status open_session(struct bc_app_counting *c, struct bc_error *err)
{
	struct group *g = &c->group[c->now];
	const double began = bc_now();
	enum bc_status st = BC_OK;

	if (!g->canaries)
		st = bc_app_canaries_open(c->to.cu, c->to.config->kernels, g->want, &g->canaries, err);
	if (!st)
		st = bc_cuda_counters_begin(c->counters, g->want, c->replay, err);
	c->open = !st;
	c->n = 0;
	for (size_t i = 0; !st && i < bc_app_canaries_first(g->canaries); i++)
		st = canary(c, i, false, err);
	c->opening_s += bc_now() - began;
	return st;
}

double bc_app_counting_opening(const struct bc_app_counting *c)
{
	return c->opening_s;
}

/* The next set's turn, when this one's is over; once round, turns get longer. */
static void next_turn(struct bc_app_counting *c)
{
	if (--c->left)
		return;
	c->now = (c->now + 1) % c->ngroups;
	c->round = c->round || !c->now;
	c->turn = c->round ? TURN : 1;
	c->left = c->turn;
}

/* The canaries at the end, and the counts of all ranges. */
static enum bc_status close_session(struct bc_app_counting *c, struct bc_error *err)
{
	struct group *g = &c->group[c->now];
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < bc_app_canaries_last(g->canaries); i++)
		st = canary(c, i, true, err);
	if (!st)
		st = bc_cuda_check(c->to.cu->cuCtxSynchronize(), "cuCtxSynchronize", "canary", err);
	c->open = false;
	if (!st)
		st = bc_cuda_counters_end(c->counters, &c->n, c->counts, err);
	c->to.record->sessions += !st;
	return st;
}

/* Take in a session whose launches were ranges up to @launches, canaries after. */
static enum bc_status take_in(struct bc_app_counting *c, size_t launches, struct bc_error *err)
{
	struct group *g = &c->group[c->now];
	const size_t first = bc_app_canaries_first(g->canaries);
	char why[BC_APP_NOTE_MAX];
	enum bc_status st = BC_OK;

	if (!bc_app_canaries_match(g->canaries, c->counts, c->counts + launches, why, sizeof(why))) {
		c->to.record->voids++;
		bc_app_note(c->to.record, "%s", why);
		for (size_t i = first; i < launches; i++)
			bc_app_leave(c->to.record, "void counters");
		next_turn(c);
		return BC_OK;
	}
	for (size_t i = first; !st && i < launches; i++)
		if (c->kernel[i] != REFUSED)
			st = bc_app_tally_add(c->to.tally, c->kernel[i], c->now, &c->counts[i], err);
	next_turn(c);
	return st;
}

enum bc_status bc_app_counting_flush(struct bc_app_counting *c, struct bc_error *err)
{
	const size_t launches = c->n;
	enum bc_status st;

	if (!c->open)
		return BC_OK;
	st = close_session(c, err);
	return st ? st : take_in(c, launches, err);
}

enum bc_status bc_app_counting_begin_graph(struct bc_app_counting *c, struct bc_error *err)
{
	enum bc_status st = bc_app_counting_flush(c, err);

	return st ? st : open_session(c, err);
}

enum bc_status bc_app_counting_end_graph(struct bc_app_counting *c, const size_t *kernel, size_t n,
					 struct bc_error *err)
{
	const size_t before = c->n, last = bc_app_canaries_last(c->group[c->now].canaries);
	enum bc_status st;

	st = close_session(c, err);
	if (st)
		return st;
	if (c->n != before + n + last) {
		(void)bc_fail(err, BC_EDATA, "a graph of %zu kernels made %zu ranges", n, c->n - before - last);
		c->n = 0;
		return BC_EDATA;
	}
	for (size_t i = 0; i < n; i++)
		c->kernel[before + i] = kernel[i];
	st = take_in(c, before + n, err);
	c->n = 0;
	return st;
}

enum bc_status bc_app_counting_pass(struct bc_app_counting *c, struct bc_error *err)
{
	return c->replay ? bc_app_counting_flush(c, err) : BC_OK;
}

enum bc_status bc_app_counting_begin(struct bc_app_counting *c, size_t kernel, bool *measured, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	*measured = bc_app_tally_sampled(c->to.tally, kernel, c->now);
	if (!*measured)
		return bc_app_counting_pass(c, err);
	if (!c->open)
		st = open_session(c, err);
	if (!st && !c->replay)
		st = bc_cuda_counters_push(c->counters, c->n, err);
	return st;
}

enum bc_status bc_app_counting_end(struct bc_app_counting *c, size_t kernel, bool refused, struct bc_error *err)
{
	enum bc_status st = c->replay ? BC_OK : bc_cuda_counters_pop(c->counters, err);

	if (!refused || !c->replay)
		c->kernel[c->n++] = refused ? REFUSED : kernel;
	if (!st && c->n >= bc_app_canaries_first(c->group[c->now].canaries) + room(c))
		st = bc_app_counting_flush(c, err);
	return st;
}

enum bc_status bc_app_counting_rest(struct bc_app_counting *c, struct bc_error *err)
{
	enum bc_status st = bc_app_counting_flush(c, err);

	return st ? st : bc_cuda_counters_rest(c->counters, err);
}

bool bc_app_counting_is_enabled(const struct bc_app_counting *c)
{
	return bc_cuda_counters_are_enabled(c->counters);
}

void bc_app_counting_close(struct bc_app_counting *c, bool lost)
{
	if (!c)
		return;
	for (unsigned g = 0; !lost && g < c->ngroups; g++)
		bc_app_canaries_close(c->group[g].canaries);
	if (!lost)
		bc_cuda_counters_close(c->counters);
	free(c);
}
