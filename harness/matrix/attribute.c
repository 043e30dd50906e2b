/* SPDX-License-Identifier: MIT */
#include "harness/matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

/* One case that differs from the base in one cell, in one aspect. @cell: of the baseline, m->ncells. */
struct difference {
	const struct bc_read_device *device;
	size_t device_at, cell;
	enum bc_aspect aspect;
	const struct bc_compared *c;
};

struct differences {
	struct difference *d;
	size_t n, cap;
};

/* Counters that the canaries proved wrong are not compared; that they are void is a difference of its own. */
static bool is_void(const struct bc_read_case *c)
{
	return c && bc_key_get(&c->keys, "counters_void");
}

static bool counts_changed(const struct bc_compared *c)
{
	return (c->old && c->now && is_void(c->old) != is_void(c->now)) || c->count[BC_COUNT_WAVEFRONTS].changed ||
	       c->count[BC_COUNT_CONFLICTS].changed || c->count[BC_COUNT_SECTORS].changed;
}

static bool clock_changed(const struct bc_compared *c)
{
	const enum bc_speed s = c->speed ? c->speed->speed : BC_SPEED_NONE;

	return c->count[BC_COUNT_CLOCK].changed || s == BC_SPEED_SLOWER || s == BC_SPEED_FASTER;
}

static bool differs_in(const struct bc_compared *c, enum bc_aspect a)
{
	const bool data = c->data_worse || c->data_better, counts = counts_changed(c), clock = clock_changed(c);

	switch (a) {
	case BC_ASPECT_DATA: return data;
	case BC_ASPECT_COUNTS: return counts;
	case BC_ASPECT_CLOCK: return clock;
	case BC_ASPECT_VERDICT: return (c->verdict || c->reason || c->outcome) && !data && !counts && !clock;
	case BC_NASPECTS: break;
	}
	return false;
}

static enum bc_status add(struct differences *all, const struct difference *d, struct bc_error *err)
{
	if (all->n == all->cap) {
		const size_t cap = all->cap ? 2 * all->cap : 256;
		struct difference *grown = realloc(all->d, cap * sizeof(*grown));

		if (!grown)
			return bc_fail(err, BC_ENOMEM, "matrix: out of memory");
		all->d = grown;
		all->cap = cap;
	}
	all->d[all->n++] = *d;
	return BC_OK;
}

/* Number of a device of the base, in the order of its files. */
static size_t device_number(const struct bc_matrix *m, const struct bc_read_device *d)
{
	const struct bc_cell *base = &m->cell[0];
	size_t at = 0;

	for (size_t f = 0; f < base->nfiles; f++)
		for (size_t i = 0; i < base->files[f].ndevices; i++, at++)
			if (&base->files[f].devices[i] == d)
				return at;
	return at;
}

static enum bc_status collect_cell(const struct bc_matrix *m, size_t cell, struct differences *all,
				   struct bc_error *err)
{
	const struct bc_diff *diff = &m->cell[cell].diff;
	enum bc_status st = BC_OK;

	for (size_t p = 0; !st && p < diff->npairs; p++) {
		const struct bc_pair_diff *pair = &diff->pairs[p];
		struct difference d = { .device = cell == m->ncells ? pair->now : pair->old, .cell = cell };

		if (!pair->old || !pair->now) /* said by the cell: it has other devices */
			continue;
		d.device_at = device_number(m, d.device);
		for (size_t i = 0; !st && i < pair->ncases; i++) {
			d.c = &pair->cases[i];
			for (d.aspect = 0; !st && d.aspect < BC_NASPECTS; d.aspect++)
				if (differs_in(d.c, d.aspect))
					st = add(all, &d, err);
		}
	}
	return st;
}

static int order(const void *va, const void *vb)
{
	const struct difference *a = va, *b = vb;
	const int id = strcmp(a->c->id, b->c->id);

	if (a->device_at != b->device_at)
		return a->device_at < b->device_at ? -1 : 1;
	if (id)
		return id;
	if (a->aspect != b->aspect)
		return a->aspect < b->aspect ? -1 : 1;
	return (a->cell > b->cell) - (a->cell < b->cell);
}

/* Cells of a kind that were compared: all of them, and those among @cells. */
static size_t count_kind(const struct bc_matrix *m, enum bc_cell_kind kind, uint64_t cells, size_t *among)
{
	size_t n = 0;

	*among = 0;
	for (size_t i = 0; i < m->ncells; i++) {
		if (m->cell[i].kind != kind || !m->cell[i].compared)
			continue;
		n++;
		*among += cells >> i & 1;
	}
	return n;
}

/* What the cells that differ have in common. */
static void find_cause(const struct bc_matrix *m, bool baseline, struct bc_attribution *a)
{
	size_t compilers, cuptis, ptx, again, all_compilers, all_cuptis;

	all_compilers = count_kind(m, BC_CELL_COMPILER, a->cells, &compilers);
	all_cuptis = count_kind(m, BC_CELL_CUPTI, a->cells, &cuptis);
	(void)count_kind(m, BC_CELL_PTX, a->cells, &ptx);
	(void)count_kind(m, BC_CELL_AGAIN, a->cells, &again);
	if (again) {
		a->cause = BC_CAUSE_NOISE;
	} else if (!a->cells) {
		a->cause = baseline ? BC_CAUSE_DRIVER : BC_CAUSE_EVERYWHERE;
	} else if (!cuptis) {
		a->cause = compilers ? BC_CAUSE_COMPILER : BC_CAUSE_PTX;
		a->odd_base = compilers > 1 && compilers == all_compilers;
	} else if (!compilers && !ptx && a->aspect != BC_ASPECT_DATA) {
		a->cause = BC_CAUSE_CUPTI;
		a->odd_base = cuptis > 1 && cuptis == all_cuptis;
	} else {
		a->cause = BC_CAUSE_UNTOLD;
	}
}

static bool is_finding(const struct bc_read_case *c)
{
	return c && bc_verdict_is_finding(c->verdict);
}

/* The differences of one case and aspect, from @d on. Return: how many there are. */
static size_t attribute(const struct bc_matrix *m, const struct difference *d, size_t n, struct bc_attribution *out)
{
	bool baseline = false;
	size_t k = 0;

	*out = (struct bc_attribution){
		.device = d->device, .device_at = d->device_at, .id = d->c->id, .aspect = d->aspect
	};
	for (; k < n && d[k].device_at == d->device_at && d[k].aspect == d->aspect && strcmp(d[k].c->id, out->id) == 0;
	     k++) {
		const struct bc_compared *c = d[k].c;
		const bool is_baseline = d[k].cell == m->ncells;

		out->bad = out->bad || c->worse || (is_void(c->now) && !is_void(c->old)) || is_finding(c->old) ||
			   is_finding(c->now);
		out->base = is_baseline ? c->now : c->old;
		if (is_baseline)
			baseline = true;
		else
			out->cells |= UINT64_C(1) << d[k].cell;
		if (!out->change || (!is_baseline && c->worse && !out->change->worse)) /* the baseline sorts last */
			out->change = c;
	}
	find_cause(m, baseline, out);
	/* Which of two runs of one thing came first says nothing. */
	out->bad = out->bad || out->cause == BC_CAUSE_NOISE;
	return k;
}

static int attribution_order(const void *va, const void *vb)
{
	const struct bc_attribution *a = va, *b = vb;
	const int id = strcmp(a->id, b->id);

	if (a->device_at != b->device_at)
		return a->device_at < b->device_at ? -1 : 1;
	return id ? id : (int)a->aspect - (int)b->aspect;
}

static bool is_attributed(const struct bc_matrix *m, size_t n, const struct bc_read_device *d, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (m->attribution[i].device == d && strcmp(m->attribution[i].id, id) == 0)
			return true;
	return false;
}

/* Findings of the base that no cell lacks. */
static size_t add_everywhere(struct bc_matrix *m, size_t room)
{
	const size_t attributed = m->n;
	const struct bc_cell *base = &m->cell[0];
	size_t at = 0;

	for (size_t f = 0; f < base->nfiles; f++) {
		for (size_t i = 0; i < base->files[f].ndevices; i++, at++) {
			const struct bc_read_device *d = &base->files[f].devices[i];

			for (size_t k = 0; k < d->ncases && m->n < room; k++)
				if (is_finding(&d->cases[k]) && !is_attributed(m, attributed, d, d->cases[k].id))
					m->attribution[m->n++] = (struct bc_attribution){ .device = d,
											  .device_at = at,
											  .id = d->cases[k].id,
											  .aspect = BC_ASPECT_VERDICT,
											  .cause = BC_CAUSE_EVERYWHERE,
											  .bad = true,
											  .base = &d->cases[k] };
		}
	}
	return m->n;
}

static enum bc_status attribute_all(struct bc_matrix *m, struct bc_error *err)
{
	struct differences all = { .n = 0 };
	size_t room = 0;
	enum bc_status st = BC_OK;

	for (size_t i = 1; !st && i < m->ncells + m->has_baseline; i++)
		if (m->cell[i].compared)
			st = collect_cell(m, i, &all, err);
	for (size_t f = 0; f < m->cell[0].nfiles; f++)
		for (size_t i = 0; i < m->cell[0].files[f].ndevices; i++)
			room += m->cell[0].files[f].devices[i].ncases;
	room += all.n;
	m->attribution = st ? NULL : calloc(room + 1, sizeof(*m->attribution));
	if (!st && !m->attribution)
		st = bc_fail(err, BC_ENOMEM, "matrix: out of memory");
	if (!st && all.n)
		qsort(all.d, all.n, sizeof(*all.d), order);
	for (size_t i = 0; !st && i < all.n;)
		i += attribute(m, &all.d[i], all.n - i, &m->attribution[m->n++]);
	if (!st && add_everywhere(m, room))
		qsort(m->attribution, m->n, sizeof(*m->attribution), attribution_order);
	free(all.d);
	return st;
}

/* What a cell lacks against the base: a device, or its counters. */
static void find_lacks(struct bc_cell *c)
{
	for (size_t i = 0; i < c->diff.npairs && !c->why_status; i++) {
		const struct bc_pair_diff *p = &c->diff.pairs[i];
		const char *absent = p->now ? bc_read_property(p->now, "counters_absent") : "";

		if (!p->old || !p->now) {
			c->why_status = 2;
			(void)bc_strlcpy(c->why,
					 p->now ? "it has a device that the base lacks"
						: "it lacks a device that the base has",
					 sizeof(c->why));
		} else if (absent[0] && strcmp(absent, bc_read_property(p->old, "counters_absent")) != 0 &&
			   strcmp(absent, "none") != 0) {
			c->why_status = 4;
			(void)bc_strlcpy(c->why, "it counted nothing: ", sizeof(c->why));
			(void)bc_strlcpy(c->why + strlen(c->why), absent, sizeof(c->why) - strlen(c->why));
		} else if (p->obstacle) {
			c->why_status = 2;
			(void)bc_strlcpy(c->why, "the GPU was throttled: clocks are not compared", sizeof(c->why));
		}
	}
}

static enum bc_status compare_cell(struct bc_matrix *m, struct bc_cell *c, struct bc_error *err)
{
	struct bc_cell *base = &m->cell[0];
	const bool baseline = c->kind == BC_CELL_BASELINE;
	enum bc_status st = bc_compare(baseline ? &c->side : &base->side, baseline ? &base->side : &c->side,
				       m->tolerance, &c->diff, err);

	if (st)
		return st;
	c->compared = true;
	if (!baseline)
		find_lacks(c);
	else if (c->diff.none_comparable) {
		c->why_status = 2;
		(void)bc_strlcpy(c->why, "it has no device of the base's architecture", sizeof(c->why));
	}
	return BC_OK;
}

/* The lists of instructions, where both folders have them. */
static enum bc_status compare_code(const struct bc_matrix *m, struct bc_cell *c, struct bc_error *err)
{
	struct bc_error one = { .msg = "" };
	enum bc_status st;

	if (c->kind != BC_CELL_COMPILER)
		return BC_OK;
	st = bc_code_compare(m->cell[0].kernels, c->kernels, &c->code, &one);
	c->has_code = !st;
	if (st == BC_ENOMEM)
		return bc_fail(err, st, "%s", one.msg);
	if (st)
		(void)bc_strlcpy(c->no_code, one.msg, sizeof(c->no_code));
	return BC_OK;
}

enum bc_status bc_matrix_compare(struct bc_matrix *m, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < m->ncells + m->has_baseline; i++) {
		struct bc_cell *c = &m->cell[i];

		c->side = (struct bc_side){ c->name, c->files, c->nfiles };
	}
	if (!m->cell[0].nfiles || m->cell[0].idle)
		return BC_OK;
	for (size_t i = 1; !st && i < m->ncells + m->has_baseline; i++) {
		if (m->cell[i].nfiles && !m->cell[i].idle)
			st = compare_cell(m, &m->cell[i], err);
		if (!st)
			st = compare_code(m, &m->cell[i], err);
	}
	return st ? st : attribute_all(m, err);
}

int bc_matrix_status(const struct bc_matrix *m)
{
	int status = 0;

	if (m->signal)
		return 128 + m->signal;
	for (size_t i = 0; i < m->n; i++)
		if (m->attribution[i].bad)
			return 1;
	for (size_t i = 0; i < m->ncells + m->has_baseline; i++) {
		const int one = m->cell[i].why_status;

		status = status == 2 || one == 2 ? 2 : one ? one : status;
	}
	return status;
}

size_t bc_matrix_count(const struct bc_matrix *m, enum bc_cause c)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->attribution[i].cause == c;
	return n;
}
