/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx_text.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	uint8_t bytes;
	bool is_signed, is_float;
} types[BC_PTX_NTYPES] = {
	[BC_PTX_NONE] = { "", 0, false, false },      [BC_PTX_B8] = { "b8", 1, false, false },
	[BC_PTX_B16] = { "b16", 2, false, false },    [BC_PTX_B32] = { "b32", 4, false, false },
	[BC_PTX_B64] = { "b64", 8, false, false },    [BC_PTX_B128] = { "b128", 16, false, false },
	[BC_PTX_U8] = { "u8", 1, false, false },      [BC_PTX_U16] = { "u16", 2, false, false },
	[BC_PTX_U32] = { "u32", 4, false, false },    [BC_PTX_U64] = { "u64", 8, false, false },
	[BC_PTX_S8] = { "s8", 1, true, false },	      [BC_PTX_S16] = { "s16", 2, true, false },
	[BC_PTX_S32] = { "s32", 4, true, false },     [BC_PTX_S64] = { "s64", 8, true, false },
	[BC_PTX_F16] = { "f16", 2, false, true },     [BC_PTX_F16X2] = { "f16x2", 4, false, true },
	[BC_PTX_BF16] = { "bf16", 2, false, true },   [BC_PTX_BF16X2] = { "bf16x2", 4, false, true },
	[BC_PTX_F32] = { "f32", 4, false, true },     [BC_PTX_F64] = { "f64", 8, false, true },
	[BC_PTX_F32X2] = { "f32x2", 8, false, true }, [BC_PTX_U16X2] = { "u16x2", 4, false, false },
	[BC_PTX_S16X2] = { "s16x2", 4, true, false }, [BC_PTX_PRED] = { "pred", 0, false, false },
};

enum bc_ptx_type bc_ptx_type_parse(struct bc_ptx_slice s)
{
	for (unsigned t = 1; t < BC_PTX_NTYPES; t++)
		if (bc_ptx_slice_is(s, types[t].name))
			return (enum bc_ptx_type)t;
	return BC_PTX_NONE;
}

unsigned bc_ptx_type_bytes(enum bc_ptx_type t)
{
	return types[t].bytes;
}

bool bc_ptx_type_signed(enum bc_ptx_type t)
{
	return types[t].is_signed;
}

bool bc_ptx_type_float(enum bc_ptx_type t)
{
	return types[t].is_float;
}

static size_t map_home(const struct bc_ptx_map *m, uint32_t scope, struct bc_ptx_slice name)
{
	return (size_t)bc_hash(bc_hash(BC_HASH_INIT, &scope, sizeof(scope)), name.s, name.len) & (m->cap - 1);
}

void bc_ptx_map_release(struct bc_ptx_map *m)
{
	free(m->slot);
	*m = (struct bc_ptx_map){ 0 };
}

int32_t bc_ptx_map_get(const struct bc_ptx_map *m, uint32_t scope, struct bc_ptx_slice name)
{
	if (m->cap == 0)
		return -1;
	for (size_t i = map_home(m, scope, name); m->slot[i].index >= 0; i = (i + 1) & (m->cap - 1))
		if (m->slot[i].scope == scope && bc_ptx_slice_same(m->slot[i].name, name))
			return m->slot[i].index;
	return -1;
}

static void map_insert(struct bc_ptx_map *m, uint32_t scope, struct bc_ptx_slice name, int32_t index)
{
	size_t i = map_home(m, scope, name);

	while (m->slot[i].index >= 0)
		i = (i + 1) & (m->cap - 1);
	m->slot[i].name = name;
	m->slot[i].scope = scope;
	m->slot[i].index = index;
	m->n++;
}

static bool map_grow(struct bc_ptx_map *m)
{
	const size_t cap = m->cap ? m->cap * 2 : 64;
	struct bc_ptx_map_slot *slot = calloc(cap, sizeof(*slot));
	const struct bc_ptx_map old = *m;

	if (!slot)
		return false;
	for (size_t i = 0; i < cap; i++)
		slot[i].index = -1;
	*m = (struct bc_ptx_map){ .slot = slot, .cap = cap };
	for (size_t i = 0; i < old.cap; i++)
		if (old.slot[i].index >= 0)
			map_insert(m, old.slot[i].scope, old.slot[i].name, old.slot[i].index);
	free(old.slot);
	return true;
}

enum bc_status bc_ptx_map_put(struct bc_ptx_map *m, uint32_t scope, struct bc_ptx_slice name, int32_t index,
			      struct bc_error *err)
{
	if (m->n * 2 >= m->cap && !map_grow(m))
		return bc_fail(err, BC_ENOMEM, "out of memory for the names of a PTX text");
	map_insert(m, scope, name, index);
	return BC_OK;
}

enum bc_status bc_ptx_array_grow(void *array, size_t n, size_t *cap, size_t size, size_t max, struct bc_error *err)
{
	void *old, *bigger;
	size_t want;

	if (n >= max)
		return bc_fail(err, BC_EDATA, "more than %zu registers, names or statements of one kind", max);
	if (n < *cap)
		return BC_OK;
	want = *cap ? *cap * 2 : 16;
	memcpy(&old, array, sizeof(old));
	bigger = realloc(old, want * size);
	if (!bigger)
		return bc_fail(err, BC_ENOMEM, "out of memory reading a PTX text");
	memcpy(array, &bigger, sizeof(bigger));
	*cap = want;
	return BC_OK; /* cppcheck-suppress memleak ; *array has it */
}

int32_t bc_ptx_label_find(const struct bc_ptx_entry *e, uint32_t scope, struct bc_ptx_slice name)
{
	for (;;) {
		const int32_t i = bc_ptx_map_get(&e->labels, scope, name);

		if (i >= 0 || scope == 0)
			return i;
		scope = e->scope_parent[scope];
	}
}

void bc_ptx_free(struct bc_ptx_module *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nvar; i++) {
		free(m->var[i].data);
		free(m->var[i].reloc);
	}
	for (size_t i = 0; i < m->nentry; i++) {
		struct bc_ptx_entry *e = &m->entry[i];

		free(e->cname);
		free(e->stmt);
		free(e->operand);
		free(e->reg);
		free(e->scope_parent);
		free(e->label);
		free(e->targets);
		bc_ptx_map_release(&e->labels);
	}
	bc_ptx_map_release(&m->vars);
	free(m->var);
	free(m->entry);
	free(m->text);
	free(m->path);
	free(m);
}

size_t bc_ptx_nentries(const struct bc_ptx_module *m)
{
	return m->nentry;
}

const char *bc_ptx_entry_name(const struct bc_ptx_module *m, size_t i)
{
	return i < m->nentry ? m->entry[i].cname : NULL;
}

long bc_ptx_entry_find(const struct bc_ptx_module *m, const char *name)
{
	for (size_t i = 0; i < m->nentry; i++)
		if (strcmp(m->entry[i].cname, name) == 0)
			return (long)i;
	return -1;
}

size_t bc_ptx_entry_params(const struct bc_ptx_module *m, size_t i)
{
	return i < m->nentry ? (size_t)m->entry[i].params_bytes : 0;
}

size_t bc_ptx_entry_nparams(const struct bc_ptx_module *m, size_t i)
{
	return i < m->nentry ? m->entry[i].nparams : 0;
}

struct bc_ptx_param bc_ptx_entry_param(const struct bc_ptx_module *m, size_t i, size_t k)
{
	const struct bc_ptx_var *v = &m->var[m->entry[i].first_param + k];

	return (struct bc_ptx_param){ v->name.s, v->name.len, (size_t)v->offset, (size_t)v->bytes };
}
