/* SPDX-License-Identifier: MIT */
/* Global memory of a simulated device, and images placed in it. */
#include "harness/device/reference/ptx_exec.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ADDRESS UINT64_C(0x0000100000000000)
#define LAST_ADDRESS UINT64_C(0x00007e0000000000)
#define ALIGNMENT 256u
#define GAP 4096u
#define ALLOCATIONS_MAX (1u << 20)

struct bc_ptx_mem {
	uint64_t limit, used, next;
	struct bc_ptx_map_entry *map; /* by address */
	size_t n, cap;
};

enum bc_status bc_ptx_mem_create(uint64_t limit, struct bc_ptx_mem **out, struct bc_error *err)
{
	struct bc_ptx_mem *m = calloc(1, sizeof(*m));

	if (!m)
		return bc_fail(err, BC_ENOMEM, "out of memory for a simulated device");
	m->limit = limit;
	m->next = FIRST_ADDRESS;
	*out = m;
	return BC_OK;
}

void bc_ptx_mem_destroy(struct bc_ptx_mem *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++)
		free(m->map[i].data);
	free(m->map);
	free(m);
}

static enum bc_status place(struct bc_ptx_mem *m, uint64_t bytes, bool constant, uint64_t *addr, struct bc_error *err)
{
	struct bc_ptx_map_entry e = { .addr = m->next, .bytes = bytes, .constant = constant };
	enum bc_status st;

	if (bytes == 0)
		return bc_fail(err, BC_EUSAGE, "an allocation of 0 bytes of global memory");
	if (bytes > m->limit - m->used || bytes > LAST_ADDRESS - m->next)
		return bc_fail(err, BC_ENOMEM,
			       "the simulated device has %llu of %llu bytes of global memory left, %llu asked",
			       (unsigned long long)(m->limit - m->used), (unsigned long long)m->limit,
			       (unsigned long long)bytes);
	st = bc_ptx_array_grow(&m->map, m->n, &m->cap, sizeof(*m->map), ALLOCATIONS_MAX, err);
	if (st)
		return st;
	e.data = calloc(1, bytes);
	if (!e.data)
		return bc_fail(err, BC_ENOMEM, "out of memory for %llu bytes of simulated global memory",
			       (unsigned long long)bytes);
	m->map[m->n++] = e;
	m->used += bytes;
	m->next = (m->next + bytes + GAP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	*addr = e.addr;
	return BC_OK;
}

enum bc_status bc_ptx_mem_alloc(struct bc_ptx_mem *m, uint64_t bytes, uint64_t *addr, struct bc_error *err)
{
	return place(m, bytes, false, addr, err);
}

const struct bc_ptx_map_entry *bc_ptx_mem_find(const struct bc_ptx_mem *m, uint64_t addr, const void *hint,
					       const struct bc_ptx_map_entry **before)
{
	const struct bc_ptx_map_entry *e = hint;
	size_t lo = 0, hi = m->n;

	if (e && addr >= e->addr && addr - e->addr < e->bytes)
		return e;
	while (lo < hi) { /* the first that starts above addr */
		const size_t mid = lo + (hi - lo) / 2;

		if (m->map[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	e = lo > 0 ? &m->map[lo - 1] : NULL;
	if (before)
		*before = e;
	return e && addr - e->addr < e->bytes ? e : NULL;
}

enum bc_status bc_ptx_mem_free(struct bc_ptx_mem *m, uint64_t addr, struct bc_error *err)
{
	const struct bc_ptx_map_entry *e = bc_ptx_mem_find(m, addr, NULL, NULL);
	size_t i;

	if (!e || e->addr != addr)
		return bc_fail(err, BC_EUSAGE, "0x%llx is not the start of an allocation", (unsigned long long)addr);
	i = (size_t)(e - m->map);
	m->used -= e->bytes;
	free(m->map[i].data);
	memmove(&m->map[i], &m->map[i + 1], (m->n - i - 1) * sizeof(*m->map));
	m->n--;
	return BC_OK;
}

/* The host bytes of @bytes at @addr; NULL: not inside one allocation. */
static unsigned char *host_bytes(const struct bc_ptx_mem *m, uint64_t addr, size_t bytes)
{
	const struct bc_ptx_map_entry *e = bc_ptx_mem_find(m, addr, NULL, NULL);

	if (!e || bytes > e->bytes - (addr - e->addr))
		return NULL;
	return e->data + (addr - e->addr);
}

enum bc_status bc_ptx_mem_read(const struct bc_ptx_mem *m, uint64_t addr, void *dst, size_t bytes, struct bc_error *err)
{
	const unsigned char *p = host_bytes(m, addr, bytes);

	if (bytes == 0)
		return BC_OK;
	if (!p)
		return bc_fail(err, BC_EUSAGE, "%zu bytes at 0x%llx are not inside one allocation", bytes,
			       (unsigned long long)addr);
	memcpy(dst, p, bytes);
	return BC_OK;
}

enum bc_status bc_ptx_mem_write(struct bc_ptx_mem *m, uint64_t addr, const void *src, size_t bytes,
				struct bc_error *err)
{
	unsigned char *p = host_bytes(m, addr, bytes);

	if (bytes == 0)
		return BC_OK;
	if (!p)
		return bc_fail(err, BC_EUSAGE, "%zu bytes at 0x%llx are not inside one allocation", bytes,
			       (unsigned long long)addr);
	memcpy(p, src, bytes);
	return BC_OK;
}

/* Blocks on other threads may touch the same element: every access of an element is one host atomic. */
typedef uint16_t __attribute__((may_alias)) alias16;
typedef uint32_t __attribute__((may_alias)) alias32;
typedef uint64_t __attribute__((may_alias)) alias64;

void bc_ptx_global_load(void *dst, const unsigned char *src, uint32_t bytes, uint32_t elem)
{
	unsigned char *out = dst;

	for (uint32_t i = 0; i < bytes; i += elem) {
		uint64_t v64;
		uint32_t v32;
		uint16_t v16;

		switch (elem) {
		case 8:
			v64 = __atomic_load_n((const alias64 *)(const void *)(src + i), __ATOMIC_ACQUIRE);
			memcpy(out + i, &v64, 8);
			break;
		case 4:
			v32 = __atomic_load_n((const alias32 *)(const void *)(src + i), __ATOMIC_ACQUIRE);
			memcpy(out + i, &v32, 4);
			break;
		case 2:
			v16 = __atomic_load_n((const alias16 *)(const void *)(src + i), __ATOMIC_ACQUIRE);
			memcpy(out + i, &v16, 2);
			break;
		default: out[i] = __atomic_load_n(src + i, __ATOMIC_ACQUIRE); break;
		}
	}
}

static void store_element(unsigned char *dst, const unsigned char *src, uint32_t elem)
{
	uint64_t v64;
	uint32_t v32;
	uint16_t v16;

	switch (elem) {
	case 8:
		memcpy(&v64, src, 8);
		__atomic_store_n((alias64 *)(void *)dst, v64, __ATOMIC_RELEASE);
		break;
	case 4:
		memcpy(&v32, src, 4);
		__atomic_store_n((alias32 *)(void *)dst, v32, __ATOMIC_RELEASE);
		break;
	case 2:
		memcpy(&v16, src, 2);
		__atomic_store_n((alias16 *)(void *)dst, v16, __ATOMIC_RELEASE);
		break;
	default: __atomic_store_n(dst, *src, __ATOMIC_RELEASE); break;
	}
}

void bc_ptx_global_store(unsigned char *dst, const void *src, uint32_t bytes, uint32_t elem, uint32_t enable)
{
	const unsigned char *in = src;
	const uint32_t all = elem >= 32 ? UINT32_MAX : (1u << elem) - 1;

	for (uint32_t i = 0; i < bytes; i += elem) {
		if ((enable >> i & all) == all) {
			store_element(dst + i, in + i, elem);
			continue;
		}
		for (uint32_t j = 0; j < elem; j++)
			if (enable >> (i + j) & 1)
				store_element(dst + i + j, in + i + j, 1);
	}
}

bool bc_ptx_global_cas(unsigned char *at, uint32_t elem, uint64_t *expected, uint64_t desired)
{
	uint32_t e32 = (uint32_t)*expected;
	uint16_t e16 = (uint16_t)*expected;
	bool done;

	switch (elem) {
	case 8:
		return __atomic_compare_exchange_n((alias64 *)(void *)at, expected, desired, false, __ATOMIC_SEQ_CST,
						   __ATOMIC_SEQ_CST);
	case 4:
		done = __atomic_compare_exchange_n((alias32 *)(void *)at, &e32, (uint32_t)desired, false,
						   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		*expected = e32;
		return done;
	default:
		done = __atomic_compare_exchange_n((alias16 *)(void *)at, &e16, (uint16_t)desired, false,
						   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		*expected = e16;
		return done;
	}
}

void bc_ptx_unload(struct bc_ptx_image *i)
{
	if (!i)
		return;
	for (size_t v = 0; v < i->m->nvar; v++)
		if (i->addr[v] != BC_PTX_NO_ADDR)
			(void)bc_ptx_mem_free(i->mem, i->addr[v], NULL);
	free(i->addr);
	free(i);
}

/* Initial values, and the addresses among them. */
static enum bc_status initialise(struct bc_ptx_image *i, const struct bc_ptx_var *v, uint64_t addr,
				 struct bc_error *err)
{
	enum bc_status st = bc_ptx_mem_write(i->mem, addr, v->data, v->data_len, err);

	for (size_t r = 0; r < v->nreloc && !st; r++) {
		const struct bc_ptx_reloc *reloc = &v->reloc[r];
		const int32_t target = bc_ptx_map_get(&i->m->vars, 0, reloc->symbol);
		uint64_t value;

		if (target < 0 || i->addr[target] == BC_PTX_NO_ADDR)
			return bc_fail(err, BC_EDATA,
				       "%s:%u: the initial value names '%.*s', which is no variable in global memory",
				       i->m->path, reloc->line, reloc->symbol.len > 64 ? 64 : (int)reloc->symbol.len,
				       reloc->symbol.s);
		value = i->addr[target] + reloc->addend;
		st = bc_ptx_mem_write(i->mem, addr + reloc->offset, &value, reloc->bytes, err);
	}
	return st;
}

enum bc_status bc_ptx_load(const struct bc_ptx_module *m, struct bc_ptx_mem *mem, struct bc_ptx_image **out,
			   struct bc_error *err)
{
	struct bc_ptx_image *i = calloc(1, sizeof(*i));
	enum bc_status st = BC_OK;

	if (!i)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", m->path);
	i->m = m;
	i->mem = mem;
	i->addr = malloc((m->nvar + 1) * sizeof(*i->addr));
	if (!i->addr) {
		free(i);
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", m->path);
	}
	for (size_t v = 0; v < m->nvar; v++)
		i->addr[v] = BC_PTX_NO_ADDR;
	for (size_t v = 0; v < m->nvar && !st; v++) {
		const struct bc_ptx_var *var = &m->var[v];

		if ((var->where == BC_PTX_V_GLOBAL || var->where == BC_PTX_V_CONST) && var->bytes > 0 &&
		    !var->is_extern)
			st = place(mem, var->bytes, var->where == BC_PTX_V_CONST, &i->addr[v], err);
	}
	for (size_t v = 0; v < m->nvar && !st; v++)
		if (i->addr[v] != BC_PTX_NO_ADDR)
			st = initialise(i, &m->var[v], i->addr[v], err);
	if (st) {
		bc_ptx_unload(i);
		return st;
	}
	*out = i;
	return BC_OK;
}

enum bc_status bc_ptx_symbol(const struct bc_ptx_image *i, const char *name, uint64_t *addr, size_t *bytes,
			     struct bc_error *err)
{
	const int32_t v = bc_ptx_map_get(&i->m->vars, 0, (struct bc_ptx_slice){ name, (uint32_t)strlen(name) });

	if (v < 0 || i->addr[v] == BC_PTX_NO_ADDR)
		return bc_fail(err, BC_EUSAGE, "%s: there is no variable '%s' in global memory", i->m->path, name);
	*addr = i->addr[v];
	*bytes = (size_t)i->m->var[v].bytes;
	return BC_OK;
}
