/* SPDX-License-Identifier: MIT */
#include "harness/app/tally.h"

#include <stdlib.h>
#include <string.h>

/* Launches of one kernel under one set of counters: each @stride-th is kept, and the stride doubles when there are
 * twice as many as wanted, so that those kept are evenly over the run, however long it is. */
struct sample {
	struct bc_counts *kept;
	size_t n;
	uint64_t seen, stride;
};

struct entry {
	struct sample sample[BC_APP_GROUPS];
};

struct bc_app_tally {
	struct bc_app_record *r;
	struct entry *entry; /* [capacity], beside the record's kernels */
	size_t capacity;
	size_t *slot; /* [nslots] index + 1 of a kernel by the hash of what it is; 0: free */
	size_t nslots;
	unsigned wanted; /* size of a sample; 0: all */
};

struct bc_app_tally *bc_app_tally_open(struct bc_app_record *r, unsigned sample)
{
	struct bc_app_tally *t = calloc(1, sizeof(*t));

	if (t) {
		t->r = r;
		t->wanted = sample;
	}
	return t;
}

void bc_app_tally_close(struct bc_app_tally *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->r->nkernels; i++)
		for (size_t g = 0; g < BC_APP_GROUPS; g++)
			free(t->entry[i].sample[g].kept);
	free(t->entry);
	free(t->slot);
	free(t);
}

static uint64_t hash_of(const struct bc_app_kernel *k, const char *name)
{
	const uint32_t what[] = { (uint32_t)k->kind, k->device,	  k->grid[0],  k->grid[1],     k->grid[2],
				  k->block[0],	     k->block[1], k->block[2], k->shared_bytes };

	return bc_hash(bc_hash(BC_HASH_INIT, what, sizeof(what)), name, strlen(name));
}

static bool same(const struct bc_app_kernel *a, const struct bc_app_kernel *b, const char *name)
{
	return a->kind == b->kind && a->device == b->device && memcmp(a->grid, b->grid, sizeof(a->grid)) == 0 &&
	       memcmp(a->block, b->block, sizeof(a->block)) == 0 && a->shared_bytes == b->shared_bytes &&
	       strcmp(a->name, name) == 0;
}

/* The slot of the kernel, or the free one it belongs in. */
static size_t *find(const struct bc_app_tally *t, const struct bc_app_kernel *k, const char *name)
{
	size_t i = (size_t)hash_of(k, name) & (t->nslots - 1);

	while (t->slot[i] && !same(&t->r->kernel[t->slot[i] - 1], k, name))
		i = (i + 1) & (t->nslots - 1);
	return &t->slot[i];
}

static enum bc_status grow(struct bc_app_tally *t, struct bc_error *err)
{
	const size_t capacity = t->capacity ? t->capacity * 2 : 64;
	struct bc_app_kernel *kernels;
	struct entry *entries;
	size_t *slots;

	kernels = realloc(t->r->kernel, capacity * sizeof(*kernels));
	if (kernels)
		t->r->kernel = kernels;
	entries = realloc(t->entry, capacity * sizeof(*entries));
	if (entries)
		t->entry = entries;
	slots = calloc(capacity * 2, sizeof(*slots));
	if (!kernels || !entries || !slots) {
		free(slots);
		return bc_fail(err, BC_ENOMEM, "out of memory for %zu kernels", capacity);
	}
	free(t->slot);
	t->slot = slots;
	t->nslots = capacity * 2;
	t->capacity = capacity;
	for (size_t i = 0; i < t->r->nkernels; i++)
		*find(t, &t->r->kernel[i], t->r->kernel[i].name) = i + 1;
	return BC_OK;
}

enum bc_status bc_app_tally_launch(struct bc_app_tally *t, const struct bc_app_kernel *like, const char *name,
				   size_t *index, struct bc_error *err)
{
	size_t *slot = t->nslots ? find(t, like, name) : NULL;

	if (!slot || !*slot) {
		enum bc_status st = t->r->nkernels == t->capacity ? grow(t, err) : BC_OK;
		char *copy = st ? NULL : strdup(name);

		if (!copy)
			return st ? st : bc_fail(err, BC_ENOMEM, "out of memory for a kernel's name");
		slot = find(t, like, name);
		t->r->kernel[t->r->nkernels] = *like;
		t->r->kernel[t->r->nkernels].name = copy;
		memset(&t->entry[t->r->nkernels], 0, sizeof(*t->entry));
		*slot = ++t->r->nkernels;
	}
	*index = *slot - 1;
	t->r->kernel[*index].launches++;
	return BC_OK;
}

bool bc_app_tally_sampled(struct bc_app_tally *t, size_t index, unsigned group)
{
	struct sample *s = &t->entry[index].sample[group];

	return !t->wanted || s->seen++ % (s->stride ? s->stride : 1) == 0;
}

static void add(struct bc_app_kernel *k, const struct bc_counts *c)
{
	for (unsigned i = 0; i < BC_NCOUNTERS; i++) {
		if (!(c->present >> i & 1u))
			continue;
		k->count[i].launches++;
		k->count[i].sum += c->v[i];
	}
}

enum bc_status bc_app_tally_add(struct bc_app_tally *t, size_t index, unsigned group, const struct bc_counts *c,
				struct bc_error *err)
{
	struct sample *s = &t->entry[index].sample[group];

	if (!t->wanted) {
		add(&t->r->kernel[index], c);
		return BC_OK;
	}
	if (!s->kept) {
		s->kept = malloc(2 * (size_t)t->wanted * sizeof(*s->kept));
		s->stride = 1;
	}
	if (!s->kept)
		return bc_fail(err, BC_ENOMEM, "out of memory for a sample of %u launches", t->wanted);
	s->kept[s->n++] = *c;
	if (s->n < 2 * (size_t)t->wanted)
		return BC_OK;
	for (size_t i = 0; i < t->wanted; i++)
		s->kept[i] = s->kept[2 * i];
	s->n = t->wanted;
	s->stride *= 2;
	return BC_OK;
}

void bc_app_tally_sum(struct bc_app_tally *t)
{
	for (size_t k = 0; t->wanted && k < t->r->nkernels; k++) {
		memset(t->r->kernel[k].count, 0, sizeof(t->r->kernel[k].count));
		for (size_t g = 0; g < BC_APP_GROUPS; g++) {
			const struct sample *s = &t->entry[k].sample[g];
			const size_t take = s->n < t->wanted ? s->n : t->wanted;

			for (size_t i = 0; i < take; i++)
				add(&t->r->kernel[k], &s->kept[i * s->n / take]);
		}
	}
}
