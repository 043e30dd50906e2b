/* SPDX-License-Identifier: MIT */
/* Race check of shared bytes.
 *
 * A barrier of the whole block starts a new epoch: what was touched in an older one is ordered before all that
 * follows. Inside an epoch, barriers of fewer threads (bar.warp.sync, named barriers) are followed with vector
 * clocks: thread t comes after all that thread u did while u's clock was below known[t][u].
 */
#include "harness/device/reference/ptx_exec.h"

#include <stdlib.h>
#include <string.h>

#define THREADS (BC_PTX_WARPS_MAX * BC_LANES)

struct touch {
	uint32_t epoch;
	uint32_t writer, write_clock, write_stmt; /* writer: thread + 1, 0: none */
	uint64_t write_when;
	bool write_atomic;
	bool word;					 /* of an aligned word's first byte: it stands for all four */
	uint32_t reader[2], read_clock[2], read_stmt[2]; /* the last two different readers; the newest first */
};

struct bc_ptx_race {
	uint32_t bytes, epoch;
	uint32_t clock[THREADS];
	uint32_t *known; /* [THREADS][THREADS], NULL until a partial barrier was seen */
	bool partial;	 /* known holds something in this epoch */
	struct touch touch[];
};

enum bc_status bc_ptx_race_create(uint32_t bytes, struct bc_ptx_race **out, struct bc_error *err)
{
	struct bc_ptx_race *r = calloc(1, sizeof(*r) + (size_t)bytes * sizeof(r->touch[0]));

	if (!r)
		return bc_fail(err, BC_ENOMEM, "out of memory for the race check of %u shared bytes", bytes);
	r->bytes = bytes;
	r->epoch = 1;
	*out = r;
	return BC_OK;
}

void bc_ptx_race_destroy(struct bc_ptx_race *r)
{
	if (!r)
		return;
	free(r->known);
	free(r);
}

void bc_ptx_race_barrier_all(struct bc_ptx_race *r)
{
	r->partial = false;
	r->epoch++;
	if (r->epoch == 0) { /* wrapped: no old record may look new */
		memset(r->touch, 0, (size_t)r->bytes * sizeof(r->touch[0]));
		r->epoch = 1;
	}
}

void bc_ptx_race_reset(struct bc_ptx_race *r)
{
	memset(r->clock, 0, sizeof(r->clock));
	bc_ptx_race_barrier_all(r);
}

struct bc_ptx_race_clock {
	uint32_t epoch;
	uint32_t now[THREADS], finished[THREADS]; /* of those that arrived; of them, up to the last phase that ended */
};

/* The clocks of threads follow one another now, not the block's barriers alone. */
static enum bc_status begin_partial(struct bc_ptx_race *r, struct bc_error *err)
{
	if (!r->known) {
		r->known = calloc((size_t)THREADS * THREADS, sizeof(*r->known));
		if (!r->known)
			return bc_fail(err, BC_ENOMEM, "out of memory for the race check's clocks");
	}
	if (!r->partial) {
		memset(r->known, 0, sizeof(*r->known) * THREADS * THREADS);
		r->partial = true;
	}
	return BC_OK;
}

/* What an object heard of before the last barrier of the block is ordered by that. */
static void bring_up(const struct bc_ptx_race *r, struct bc_ptx_race_clock *c)
{
	if (c->epoch == r->epoch)
		return;
	memset(c, 0, sizeof(*c));
	c->epoch = r->epoch;
}

static void join(uint32_t into[THREADS], const uint32_t from[THREADS])
{
	for (unsigned u = 0; u < THREADS; u++)
		if (from[u] > into[u])
			into[u] = from[u];
}

enum bc_status bc_ptx_race_clock_start(struct bc_ptx_race *r, struct bc_ptx_race_clock **c, struct bc_error *err)
{
	if (!*c)
		*c = malloc(sizeof(**c));
	if (!*c)
		return bc_fail(err, BC_ENOMEM, "out of memory for the race check of an mbarrier");
	memset(*c, 0, sizeof(**c));
	(*c)->epoch = r->epoch;
	return BC_OK;
}

enum bc_status bc_ptx_race_release(struct bc_ptx_race *r, uint32_t thread, struct bc_ptx_race_clock *c,
				   struct bc_error *err)
{
	const enum bc_status st = begin_partial(r, err);

	if (st)
		return st;
	bring_up(r, c);
	join(c->now, &r->known[(size_t)thread * THREADS]);
	c->now[thread] = ++r->clock[thread];
	return BC_OK;
}

void bc_ptx_race_phase(struct bc_ptx_race *r, struct bc_ptx_race_clock *c)
{
	bring_up(r, c);
	join(c->finished, c->now);
}

void bc_ptx_race_acquire(struct bc_ptx_race *r, uint32_t thread, struct bc_ptx_race_clock *c)
{
	bring_up(r, c);
	if (r->partial) /* else nobody has arrived since the block's last barrier */
		join(&r->known[(size_t)thread * THREADS], c->finished);
}

enum bc_status bc_ptx_race_sync(struct bc_ptx_race *r, const uint32_t release[BC_PTX_WARPS_MAX],
				const uint32_t acquire[BC_PTX_WARPS_MAX], struct bc_error *err)
{
	uint32_t merged[THREADS] = { 0 };
	const enum bc_status st = begin_partial(r, err);

	if (st)
		return st;
	for (unsigned t = 0; t < THREADS; t++) {
		if (!(release[t / BC_LANES] >> t % BC_LANES & 1))
			continue;
		for (unsigned u = 0; u < THREADS; u++)
			if (r->known[(size_t)t * THREADS + u] > merged[u])
				merged[u] = r->known[(size_t)t * THREADS + u];
		r->clock[t]++;
		if (r->clock[t] > merged[t])
			merged[t] = r->clock[t];
	}
	for (unsigned t = 0; t < THREADS; t++) {
		if (!(acquire[t / BC_LANES] >> t % BC_LANES & 1))
			continue;
		for (unsigned u = 0; u < THREADS; u++)
			if (merged[u] > r->known[(size_t)t * THREADS + u])
				r->known[(size_t)t * THREADS + u] = merged[u];
	}
	return BC_OK;
}

/* Does what @thread does now come after what @other did at @clock? */
static bool ordered(const struct bc_ptx_race *r, uint32_t other, uint32_t clock, uint32_t thread)
{
	if (other == thread)
		return true;
	return r->partial && r->known[(size_t)thread * THREADS + other] > clock;
}

static bool conflicts(const struct bc_ptx_race *r, const struct touch *t, uint32_t thread, uint64_t when, bool write,
		      bool atomic, bool multi_writer, struct bc_ptx_race_hit *hit)
{
	if (t->writer != 0 && !ordered(r, t->writer - 1, t->write_clock, thread) && !(atomic && t->write_atomic)) {
		*hit = (struct bc_ptx_race_hit){ t->writer - 1, t->write_stmt, write && t->write_when == when };
		if (!(hit->same_instruction && multi_writer))
			return true;
	}
	for (unsigned i = 0; i < 2 && write; i++) {
		if (t->reader[i] == 0 || ordered(r, t->reader[i] - 1, t->read_clock[i], thread))
			continue;
		*hit = (struct bc_ptx_race_hit){ t->reader[i] - 1, t->read_stmt[i], false };
		return true;
	}
	return false;
}

static void note(const struct bc_ptx_race *r, struct touch *t, uint32_t thread, uint32_t stmt, uint64_t when,
		 bool write, bool atomic)
{
	if (write) {
		t->writer = thread + 1;
		t->write_clock = r->clock[thread];
		t->write_stmt = stmt;
		t->write_when = when;
		t->write_atomic = atomic;
		return;
	}
	if (t->reader[0] != thread + 1) {
		t->reader[1] = t->reader[0];
		t->read_clock[1] = t->read_clock[0];
		t->read_stmt[1] = t->read_stmt[0];
	}
	t->reader[0] = thread + 1;
	t->read_clock[0] = r->clock[thread];
	t->read_stmt[0] = stmt;
}

/* A word that was touched as one: its bytes get records of their own. */
static void split_word(struct bc_ptx_race *r, uint32_t offset)
{
	struct touch *t = &r->touch[offset & ~3u];

	if (!t->word)
		return;
	t->word = false;
	for (unsigned i = 1; i < 4; i++)
		t[i] = t[0];
}

bool bc_ptx_race_word(struct bc_ptx_race *r, uint32_t offset, uint32_t thread, uint32_t stmt, uint64_t when, bool write,
		      bool multi_writer)
{
	struct touch *t = &r->touch[offset];
	struct bc_ptx_race_hit hit;

	if ((offset & 3) != 0 || r->bytes < 4 || offset > r->bytes - 4)
		return false;
	if (t->epoch != r->epoch || !t->word) {
		for (unsigned i = 0; i < 4 && !t->word; i++)
			if (t[i].epoch == r->epoch)
				return false;
		*t = (struct touch){ .epoch = r->epoch, .word = true };
	} else if (conflicts(r, t, thread, when, write, false, multi_writer, &hit)) {
		return false;
	}
	note(r, t, thread, stmt, when, write, false);
	return true;
}

bool bc_ptx_race_access(struct bc_ptx_race *r, uint32_t offset, uint32_t thread, uint32_t stmt, uint64_t when,
			bool write, bool atomic, bool multi_writer, struct bc_ptx_race_hit *hit)
{
	struct touch *t = &r->touch[offset];
	bool found;

	split_word(r, offset);
	if (t->epoch != r->epoch)
		*t = (struct touch){ .epoch = r->epoch };
	found = conflicts(r, t, thread, when, write, atomic, multi_writer, hit);
	note(r, t, thread, stmt, when, write, atomic);
	return found;
}
