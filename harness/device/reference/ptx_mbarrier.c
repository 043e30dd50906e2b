/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx_mbarrier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/device/reference/ptx_pending.h"

#define OBJECT_BYTES 8u
#define OBJECTS_MAX 4096u

enum { INIT = 0, INVAL, ARRIVE, DROP, EXPECT_TX, COMPLETE_TX, WAIT_STATE, WAIT_PARITY, PENDING };

/* What an object holds. */
struct state {
	uint32_t pending, expected;
	int32_t tx;
	uint32_t phase;
};

static struct state unpack(uint64_t word)
{
	return (struct state){ .pending = (uint32_t)(word & 0xfffff),
			       .expected = (uint32_t)(word >> 20 & 0xfffff),
			       .tx = (int32_t)(word >> 40 & 0x1fffff) - (1 << 20),
			       .phase = (uint32_t)(word >> 61) };
}

static uint64_t pack(struct state s)
{
	return (uint64_t)s.pending | (uint64_t)s.expected << 20 | (uint64_t)(uint32_t)(s.tx + (1 << 20)) << 40 |
	       (uint64_t)(s.phase & 7) << 61;
}

static uint64_t held(const struct bc_ptx_shared *s, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, s->data + offset, sizeof(word));
	return word;
}

static struct bc_ptx_mbarrier *lookup(const struct bc_ptx_shared *s, uint64_t addr)
{
	for (size_t i = 0; i < s->nmbarrier; i++)
		if (s->mbarrier[i].offset == addr - s->base)
			return &s->mbarrier[i];
	return NULL;
}

static void forget(struct bc_ptx_shared *s, struct bc_ptx_mbarrier *m)
{
	struct bc_ptx_race_clock *clock = m->clock;

	/* the record's memory is kept behind the last one, for the next object */
	*m = s->mbarrier[--s->nmbarrier];
	s->mbarrier[s->nmbarrier] = (struct bc_ptx_mbarrier){ .clock = clock };
}

/* The object at @addr, as it was left; else a failure. */
static struct bc_ptx_mbarrier *object_at(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
					 struct bc_ptx_shared *s, uint64_t addr)
{
	struct bc_ptx_mbarrier *m = lookup(s, addr);

	if (!m) {
		bc_ptx_fail_at(x, w->b, in, "no mbarrier at shared address 0x%" PRIx64 ": mbarrier.init makes one",
			       addr);
		return NULL;
	}
	if (held(s, m->offset) == m->word)
		return m;
	bc_ptx_fail_at(x, w->b, in, "the mbarrier at shared address 0x%" PRIx64 " was overwritten", addr);
	return NULL;
}

static void put(struct bc_ptx_shared *s, struct bc_ptx_mbarrier *m, struct state now)
{
	m->word = pack(now);
	memcpy(s->data + m->offset, &m->word, sizeof(m->word));
}

/* The phase ends when neither arrivals nor bytes are pending. The warp's turn ends with it, so that those who waited
 * come next: what they do is then seen by the race check before what nothing orders after it. */
static void settle(struct bc_ptx_run *x, struct bc_ptx_shared *s, struct bc_ptx_mbarrier *m, struct state now)
{
	if (now.pending == 0 && now.tx == 0) {
		now.phase++;
		now.pending = now.expected;
		x->yielded = true;
		if (m->clock)
			bc_ptx_race_phase(s->race, m->clock);
	}
	put(s, m, now);
}

static bool lost(const struct bc_ptx_run *x, enum bc_ptx_mbarrier_event e, uint32_t lane)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;

	return h && h->mbarrier && h->mbarrier(h->ctx, e, lane);
}

static void init(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
		 uint64_t addr, uint64_t count)
{
	struct bc_ptx_shared *s = w->b->shared;
	struct bc_ptx_mbarrier *m = lookup(s, addr);
	const struct state first = { .pending = (uint32_t)count, .expected = (uint32_t)count };
	struct bc_error err;

	if (count == 0 || count > BC_PTX_MBARRIER_COUNT_MAX) {
		bc_ptx_fail_at(x, w->b, in, "mbarrier.init with a count of %" PRIu64 "; it is 1 to %u", count,
			       BC_PTX_MBARRIER_COUNT_MAX);
		return;
	}
	if (m && held(s, m->offset) == m->word) {
		bc_ptx_fail_at(x, w->b, in,
			       "mbarrier.init at shared address 0x%" PRIx64
			       ", where there is one: mbarrier.inval first",
			       addr);
		return;
	}
	bc_ptx_shared_write(x, w, in, lane, addr, OBJECT_BYTES, UINT32_MAX, false);
	if (!m) {
		const size_t had = s->mbarrier_cap;

		if (bc_ptx_array_grow(&s->mbarrier, s->nmbarrier, &s->mbarrier_cap, sizeof(*m), OBJECTS_MAX, &err)) {
			bc_ptx_fail_at(x, w->b, in, "%s", err.msg);
			return;
		}
		for (size_t i = had; i < s->mbarrier_cap; i++)
			s->mbarrier[i].clock = NULL;
		m = &s->mbarrier[s->nmbarrier++];
		m->offset = (uint32_t)(addr - s->base);
	}
	if (s->race && bc_ptx_race_clock_start(s->race, &m->clock, &err)) {
		bc_ptx_fail_at(x, w->b, in, "%s", err.msg);
		return;
	}
	put(s, m, first);
}

static void inval(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
		  uint64_t addr)
{
	struct bc_ptx_shared *s = w->b->shared;
	struct bc_ptx_mbarrier *m = object_at(x, w, in, s, addr);

	if (!m)
		return;
	bc_ptx_shared_write(x, w, in, lane, addr, OBJECT_BYTES, UINT32_MAX, false);
	forget(s, m);
}

/* @bytes more, or less, are to come. */
static bool change_tx(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, struct state *now,
		      uint64_t addr, int64_t bytes)
{
	const int64_t tx = now->tx + bytes;

	if (tx <= (int64_t)BC_PTX_MBARRIER_COUNT_MAX && tx >= -(int64_t)BC_PTX_MBARRIER_COUNT_MAX) {
		now->tx = (int32_t)tx;
		return true;
	}
	bc_ptx_fail_at(x, w->b, in,
		       "the mbarrier at shared address 0x%" PRIx64 " would have %" PRId64 " bytes pending; the most is "
		       "%u either way",
		       addr, tx, BC_PTX_MBARRIER_COUNT_MAX);
	return false;
}

static void release(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
		    struct bc_ptx_mbarrier *m, uint32_t lane)
{
	struct bc_error err;

	if (m->clock && !(in->flags & BC_PTX_FL_RELAXED) &&
	    bc_ptx_race_release(w->b->shared->race, w->index * BC_LANES + lane, m->clock, &err))
		bc_ptx_fail_at(x, w->b, in, "%s", err.msg);
}

/* arrive and arrive_drop, with or without bytes to expect. Return: what the object held before. */
static uint64_t arrive(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
		       uint64_t addr, uint64_t operand)
{
	struct bc_ptx_shared *s = w->b->shared;
	struct bc_ptx_mbarrier *m = object_at(x, w, in, s, addr);
	const bool expects = (in->flags & BC_PTX_FL_TX) != 0;
	const uint64_t count = expects ? 1 : operand, before = m ? m->word : 0;
	struct state now = unpack(before);

	if (!m)
		return 0;
	if (count == 0 || count > now.pending) {
		bc_ptx_fail_at(x, w->b, in,
			       "%" PRIu64 " arrivals at the mbarrier at shared address 0x%" PRIx64
			       ", of which %u of %u are pending",
			       count, addr, now.pending, now.expected);
		return 0;
	}
	bc_ptx_shared_write(x, w, in, lane, addr, OBJECT_BYTES, UINT32_MAX, true);
	if (expects && !lost(x, BC_PTX_MBARRIER_EXPECT, lane) && !change_tx(x, w, in, &now, addr, (int64_t)operand))
		return 0;
	release(x, w, in, m, lane);
	if (lost(x, BC_PTX_MBARRIER_ARRIVE, lane))
		return before;
	now.pending -= (uint32_t)count;
	if (in->mode == DROP && !lost(x, BC_PTX_MBARRIER_DROP, lane))
		now.expected -= (uint32_t)count;
	if ((in->flags & BC_PTX_FL_NO_COMPLETE) && now.pending == 0 && now.tx == 0) {
		bc_ptx_fail_at(x, w->b, in,
			       "an arrival with .noComplete completes the phase of the mbarrier at shared address "
			       "0x%" PRIx64,
			       addr);
		return 0;
	}
	settle(x, s, m, now);
	return before;
}

static void expect_tx(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
		      uint64_t addr, uint64_t bytes)
{
	struct bc_ptx_mbarrier *m = object_at(x, w, in, w->b->shared, addr);
	struct state now = unpack(m ? m->word : 0);

	if (!m)
		return;
	bc_ptx_shared_write(x, w, in, lane, addr, OBJECT_BYTES, UINT32_MAX, true);
	if (!lost(x, BC_PTX_MBARRIER_EXPECT, lane) && change_tx(x, w, in, &now, addr, (int64_t)bytes))
		settle(x, w->b->shared, m, now);
}

void bc_ptx_mbarrier_complete_tx(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				 struct bc_ptx_shared *s, uint32_t lane, uint64_t addr, uint32_t bytes)
{
	struct bc_ptx_mbarrier *m = object_at(x, w, in, s, addr);
	struct state now = unpack(m ? m->word : 0);

	if (m && !lost(x, BC_PTX_MBARRIER_COMPLETE, lane) && change_tx(x, w, in, &now, addr, -(int64_t)bytes))
		settle(x, s, m, now);
}

/* A bulk copy has arrived: what it did is told to those that wait for the phase. */
static void copied(struct bc_ptx_run *x, const struct bc_ptx_pending *p)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	struct bc_ptx_shared *s = p->w->b->shared;
	struct bc_ptx_mbarrier *m = object_at(x, p->w, p->in, s, p->barrier);
	uint64_t bytes = p->bytes;
	struct bc_error err;

	if (!m)
		return;
	if (m->clock && bc_ptx_race_release(s->race, p->w->index * BC_LANES + p->lane, m->clock, &err)) {
		bc_ptx_fail_at(x, p->w->b, p->in, "%s", err.msg);
		return;
	}
	if (h && (h->tensor & BC_PTX_TENSOR_UNCOUNTED) != 0 && unpack(m->word).tx > 0)
		bytes = (uint64_t)unpack(m->word).tx;
	bc_ptx_mbarrier_complete_tx(x, p->w, p->in, s, p->lane, p->barrier, (uint32_t)bytes);
}

/* Has the phase that the lane asks for ended? */
static bool ended(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
		  uint64_t addr, uint64_t operand)
{
	struct bc_ptx_shared *s = w->b->shared;
	struct bc_ptx_mbarrier *m = object_at(x, w, in, s, addr);
	const uint32_t phase = unpack(m ? m->word : 0).phase, asked = unpack(operand).phase;
	bool is;

	if (!m)
		return false;
	if (in->mode == WAIT_PARITY && operand > 1) {
		bc_ptx_fail_at(x, w->b, in, "a phase parity of %" PRIu64 "; it is 0 or 1", operand);
		return false;
	}
	is = in->mode == WAIT_PARITY ? (phase & 1) != operand : phase != asked;
	if (in->mode == WAIT_STATE && is && phase != ((asked + 1) & 7)) {
		bc_ptx_fail_at(x, w->b, in,
			       "the state is not of the current phase of the mbarrier at shared address 0x%" PRIx64
			       ", nor of the one before",
			       addr);
		return false;
	}
	bc_ptx_shared_write(x, w, in, lane, addr, OBJECT_BYTES, UINT32_MAX, true);
	if (is && m->clock && !(in->flags & BC_PTX_FL_RELAXED))
		bc_ptx_race_acquire(s->race, w->index * BC_LANES + lane, m->clock);
	return is || lost(x, BC_PTX_MBARRIER_WAIT, lane);
}

static void wait(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
		 uint64_t addr)
{
	const uint32_t bit = UINT32_C(1) << lane;
	bool is;

	bc_ptx_pending_arrive(x, w->b, addr, copied);
	is = !x->failed && ended(x, w, in, lane, addr, w->r[in->src[1] + lane]);
	w->p[in->dst] = (w->p[in->dst] & ~bit) | (is ? bit : 0);
	if (is)
		return;
	w->asks = (uint32_t)addr; /* its turn ends: others may complete the phase */
	x->yielded = true;
}

static void mbarrier(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	w->asks = 0;
	for (uint32_t m = mask; m != 0 && !x->failed; m &= m - 1) {
		const uint32_t l = (uint32_t)__builtin_ctz(m);
		const uint64_t operand = w->r[in->src[1] + l];
		uint64_t addr = w->r[in->src[0] + l] + in->imm, before = 0;

		if (in->mode == PENDING) {
			w->r[in->dst + l] = unpack(w->r[in->src[0] + l]).pending;
			continue;
		}
		if (in->space == BC_PTX_GENERIC && bc_ptx_space_of(x, addr) != BC_PTX_SHARED) {
			bc_ptx_fail_at(x, w->b, in, "0x%" PRIx64 " is no address of shared memory", addr);
			return;
		}
		addr -= in->space == BC_PTX_GENERIC ? BC_PTX_SHARED_WINDOW : 0;
		if (!bc_ptx_shared_at(x, w, in, l, addr, OBJECT_BYTES, OBJECT_BYTES, in->mode != WAIT_STATE))
			return;
		switch (in->mode) {
		case INIT: init(x, w, in, l, addr, operand); break;
		case INVAL: inval(x, w, in, l, addr); break;
		case ARRIVE:
		case DROP: before = arrive(x, w, in, l, addr, in->flags & BC_PTX_FL_COUNT_GIVEN ? operand : 1); break;
		case EXPECT_TX: expect_tx(x, w, in, l, addr, operand); break;
		case COMPLETE_TX:
			bc_ptx_mbarrier_complete_tx(x, w, in, w->b->shared, l, addr, (uint32_t)operand);
			break;
		default: wait(x, w, in, l, addr); break;
		}
		if (in->mode == ARRIVE || in->mode == DROP)
			w->r[in->dst + l] = before;
	}
}

void bc_ptx_mbarrier_stuck(const struct bc_ptx_block *b, char *buf, size_t size)
{
	buf[0] = '\0';
	for (uint32_t i = 0; i < b->nwarps; i++) {
		const struct bc_ptx_warp *w = &b->warp[i];
		const struct bc_ptx_mbarrier *m = w->done || !w->asks ? NULL : lookup(b->shared, w->asks);
		const struct state now = unpack(m ? m->word : 0);

		if (!m)
			continue;
		(void)snprintf(buf, size,
			       "; warp %u waits for the mbarrier at 0x%x, of which %u of %u arrivals and %d bytes are "
			       "pending",
			       i, w->asks, now.pending, now.expected, now.tx);
		return;
	}
}

void bc_ptx_mbarriers_reset(struct bc_ptx_shared *s)
{
	s->nmbarrier = 0;
}

void bc_ptx_mbarriers_release(struct bc_ptx_shared *s)
{
	for (size_t i = 0; i < s->mbarrier_cap; i++)
		free(s->mbarrier[i].clock);
	free(s->mbarrier);
}

/* .sem .scope .space, as far as they are there; the PTX ISA's order, but none is insisted on. */
static void take_qualifiers(struct bc_ptx_decoder *d)
{
	static const char *const words[] = { "acquire", "release", "cta", "cluster" };
	static const char *const spaces[] = { "shared", "shared::cta", "shared::cluster" };
	bool more = true;

	d->in->space = BC_PTX_GENERIC;
	while (more) {
		more = false;
		for (size_t i = 0; i < BC_ARRAY_LEN(words); i++)
			more = bc_ptx_take_modifier(d, words[i]) || more;
		if (bc_ptx_take_modifier(d, "relaxed")) {
			d->in->flags |= BC_PTX_FL_RELAXED;
			more = true;
		}
		for (size_t i = 0; i < BC_ARRAY_LEN(spaces); i++) {
			if (!bc_ptx_take_modifier(d, spaces[i]))
				continue;
			d->in->space = BC_PTX_SHARED;
			more = true;
		}
	}
}

/* What follows the name: which of the forms. */
static bool take_form(struct bc_ptx_decoder *d)
{
	static const struct {
		const char *name;
		uint8_t mode;
		bool newer; /* it came with bulk copies */
	} forms[] = {
		{ "init", INIT, false },
		{ "inval", INVAL, false },
		{ "arrive", ARRIVE, false },
		{ "arrive_drop", DROP, false },
		{ "expect_tx", EXPECT_TX, true },
		{ "complete_tx", COMPLETE_TX, true },
		{ "test_wait", WAIT_STATE, false },
		{ "try_wait", WAIT_STATE, true },
		{ "pending_count", PENDING, false },
	};
	struct bc_ptx_insn *in = d->in;

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++) {
		if (!bc_ptx_take_modifier(d, forms[i].name))
			continue;
		in->mode = forms[i].mode;
		in->flags |= forms[i].newer ? BC_PTX_FL_NEWER : 0;
		if (in->mode == ARRIVE || in->mode == DROP) {
			if (bc_ptx_take_modifier(d, "expect_tx"))
				in->flags |= BC_PTX_FL_TX | BC_PTX_FL_NEWER;
			else if (bc_ptx_take_modifier(d, "noComplete"))
				in->flags |= BC_PTX_FL_NO_COMPLETE;
		} else if (in->mode == WAIT_STATE && bc_ptx_take_modifier(d, "parity")) {
			in->mode = WAIT_PARITY;
		}
		return true;
	}
	return false;
}

static enum bc_status decode_pending(struct bc_ptx_decoder *d)
{
	enum bc_status st = bc_ptx_noperands(d, 2, 2);

	if (!st)
		st = bc_ptx_dst(d, 0, 4, false, &d->in->dst);
	return st ? st : bc_ptx_src(d, 1, BC_PTX_B64, false, &d->in->src[0]);
}

/* arrive, arrive_drop: state, [addr]{, count}. */
static enum bc_status decode_arrive(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const bool must = (in->flags & (BC_PTX_FL_TX | BC_PTX_FL_NO_COMPLETE)) != 0;
	enum bc_status st = bc_ptx_noperands(d, must ? 3 : 2, 3);

	if (!st)
		st = bc_ptx_dst(d, 0, 8, false, &in->dst);
	if (!st)
		st = bc_ptx_address(d, 1, (enum bc_ptx_space)in->space, &in->src[0], &in->imm);
	if (!st && d->s->noperands == 3) {
		in->flags |= BC_PTX_FL_COUNT_GIVEN | (must ? 0 : BC_PTX_FL_NEWER);
		st = bc_ptx_src(d, 2, BC_PTX_U32, false, &in->src[1]);
	}
	return st;
}

/* [addr], count; inval has no count. */
static enum bc_status decode_object(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const unsigned n = in->mode == INVAL ? 1 : 2;
	enum bc_status st = bc_ptx_noperands(d, n, n);

	if (!st)
		st = bc_ptx_address(d, 0, (enum bc_ptx_space)in->space, &in->src[0], &in->imm);
	return st || n == 1 ? st : bc_ptx_src(d, 1, BC_PTX_U32, false, &in->src[1]);
}

/* complete, [addr], state or parity {, time}. */
static enum bc_status decode_wait(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st = bc_ptx_noperands(d, 3, in->flags & BC_PTX_FL_NEWER ? 4 : 3);
	uint32_t unused;

	if (!st)
		st = bc_ptx_pred_dst(d, 0, &in->dst, NULL);
	if (!st)
		st = bc_ptx_address(d, 1, (enum bc_ptx_space)in->space, &in->src[0], &in->imm);
	if (!st)
		st = bc_ptx_src(d, 2, in->mode == WAIT_PARITY ? BC_PTX_U32 : BC_PTX_B64, false, &in->src[1]);
	if (!st && d->s->noperands == 4) /* how long it may be suspended: it is not */
		st = bc_ptx_src(d, 3, BC_PTX_U32, false, &unused);
	return st;
}

enum bc_status bc_ptx_decode_mbarrier(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	enum bc_status st;

	if (!d->k->arch.mbarrier)
		return bc_ptx_lacks(d, "mbarrier");
	if (!take_form(d))
		return bc_ptx_unknown(d);
	take_qualifiers(d);
	if (!bc_ptx_take_modifier(d, "b64") || !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	in->exec = mbarrier;
	switch (in->mode) {
	case PENDING: st = decode_pending(d); break;
	case ARRIVE:
	case DROP: st = decode_arrive(d); break;
	case WAIT_STATE:
	case WAIT_PARITY: st = decode_wait(d); break;
	default: st = decode_object(d); break;
	}
	if (!st && (in->flags & BC_PTX_FL_NEWER) && !d->k->arch.bulk_copy)
		return bc_ptx_lacks(d, "this form of mbarrier");
	return st;
}
