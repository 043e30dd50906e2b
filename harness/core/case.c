/* SPDX-License-Identifier: MIT */
#include "harness/core/case.h"
#include "kernels/bc_kernel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lanes of a pattern whose addresses count: the active ones; of a matrix operation those that give rows. */
static uint32_t lanes_used(const struct bc_pattern *p)
{
	const unsigned rows = bc_op_info(p->op)->matrices * 8;

	return rows == 0 || rows >= BC_LANES ? p->mask : p->mask & ((UINT32_C(1) << rows) - 1);
}

/* [first, end) of the bytes the pattern touches, counted from its own origin. */
static void byte_range(const struct bc_pattern *p, uint64_t *first, uint64_t *end)
{
	const uint64_t last_step = p->count ? (uint64_t)(p->count - 1) * p->step : 0;

	*first = UINT64_MAX;
	*end = 0;
	for (uint32_t lanes = lanes_used(p); lanes; lanes &= lanes - 1) {
		const uint64_t offset = p->offset[__builtin_ctz(lanes)];
		const uint64_t past = offset + last_step + bc_op_info(p->op)->bytes;

		*first = offset < *first ? offset : *first;
		*end = past > *end ? past : *end;
	}
}

enum bc_class bc_case_class(const struct bc_case *c, const struct bc_arch *a)
{
	struct bc_case first = { .suite = c->of_suite, .rule = c->of_rule };
	struct bc_program p = { 0 };

	if (c->of_rule)
		return c->of_rule->build(0, &first) ? bc_op_info(first.pattern.op)->cls : BC_CLASS_NONE;
	if (!c->rule->program)
		return bc_op_info(c->pattern.op)->cls;
	return c->rule->program(c, a, &p) ? p.cls : BC_CLASS_NONE;
}

uint64_t bc_case_extent(const struct bc_case *c, const struct bc_arch *a)
{
	uint64_t first, end;

	if (c->rule && c->rule->program)
		return c->shared_bytes;
	byte_range(&c->pattern, &first, &end);
	switch (c->pattern.origin) {
	case BC_FROM_START: return end;
	case BC_FROM_ABSOLUTE: return first < a->window_base ? 0 : end - a->window_base;
	case BC_FROM_OPTIN_END: return end > a->optin_bytes ? end : a->optin_bytes;
	}
	return end;
}

void bc_case_addresses(const struct bc_case *c, const struct bc_arch *a, uint32_t k, uint32_t addr[BC_LANES])
{
	const struct bc_pattern *p = &c->pattern;
	uint64_t first, end, base = 0;

	byte_range(p, &first, &end);
	switch (p->origin) {
	case BC_FROM_START: base = a->window_base; break;
	case BC_FROM_ABSOLUTE: base = 0; break;
	case BC_FROM_OPTIN_END: base = (uint64_t)a->window_base + a->optin_bytes - end; break;
	}
	for (unsigned lane = 0; lane < BC_LANES; lane++) {
		const bool active = (p->mask >> lane & 1) != 0;

		addr[lane] = active ? (uint32_t)(base + p->offset[lane] + (uint64_t)k * p->step) : 0;
	}
}

/* The model of a program: the requests that its rule lists. */
static enum bc_status model_program(const struct bc_case *c, const struct bc_arch *a, const struct bc_geometry *g,
				    struct bc_model *out, struct bc_error *err)
{
	struct bc_program_request r;

	if (!c->rule->request)
		return bc_fail(err, BC_EDATA,
			       "the rule lists no addresses: the kernel is judged by what it is seen to do");
	for (uint64_t k = 0; c->rule->request(c, a, k, &r); k++) {
		struct bc_wavefronts w;
		const enum bc_status st = bc_banks_count(g, r.op, r.addr, r.mask, &w, err);

		if (st)
			return st;
		out->wavefronts += w.wavefronts;
		out->conflicts += w.conflicts;
		out->requests++;
	}
	if (!out->requests)
		return bc_fail(err, BC_EDATA, "the rule lists no request");
	return BC_OK;
}

enum bc_status bc_case_model_all(const struct bc_case *c, const struct bc_arch *a, struct bc_model *out,
				 struct bc_error *err)
{
	const struct bc_geometry g = bc_arch_geometry(a);
	enum bc_status st;

	*out = (struct bc_model){ 0 };
	if (c->rule && c->rule->program)
		return model_program(c, a, &g, out, err);
	st = bc_case_model(c, a, &out->wavefronts, &out->conflicts, err);
	out->requests = c->pattern.count;
	return st;
}

enum bc_status bc_case_model(const struct bc_case *c, const struct bc_arch *a, uint64_t *wavefronts,
			     uint64_t *conflicts, struct bc_error *err)
{
	const struct bc_geometry g = bc_arch_geometry(a);
	uint64_t passes = 0, beyond = 0;

	for (uint32_t k = 0; k < c->pattern.count; k++) {
		uint32_t addr[BC_LANES];
		struct bc_wavefronts w;

		bc_case_addresses(c, a, k, addr);

		const enum bc_status st = bc_banks_count(&g, c->pattern.op, addr, c->pattern.mask, &w, err);

		if (st)
			return st;
		passes += w.wavefronts;
		beyond += w.conflicts;
	}
	*wavefronts = passes;
	*conflicts = beyond;
	return BC_OK;
}

/* Needs that one key of arch.txt answers. The clock and the code listing are the device's affair. */
static const struct {
	enum bc_need need;
	size_t offset;
	const char *what;
} needs[] = {
	{ BC_NEED_LDMATRIX, offsetof(struct bc_arch, ldmatrix), "ldmatrix" },
	{ BC_NEED_STMATRIX, offsetof(struct bc_arch, stmatrix), "stmatrix" },
	{ BC_NEED_CP_ASYNC, offsetof(struct bc_arch, cp_async), "cp.async" },
	{ BC_NEED_LDGSTS_COUNTER, offsetof(struct bc_arch, ldgsts_conflicts), "the op_ldgsts conflict counter" },
	{ BC_NEED_POPC_INC, offsetof(struct bc_arch, popc_inc), "ATOMS.POPC.INC for adds of 1" },
	{ BC_NEED_MMA_SYNC, offsetof(struct bc_arch, mma_sync), "mma.sync of 16-bit floats" },
	{ BC_NEED_MBARRIER, offsetof(struct bc_arch, mbarrier), "mbarrier" },
	{ BC_NEED_CLUSTER, offsetof(struct bc_arch, cluster), "clusters" },
	{ BC_NEED_BULK_COPY, offsetof(struct bc_arch, bulk_copy), "cp.async.bulk" },
	{ BC_NEED_WGMMA, offsetof(struct bc_arch, wgmma), "wgmma" },
};

static void write_text(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void write_text(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(buf, size, fmt, ap) < 0)
		bc_strlcpy(buf, "?", size);
	va_end(ap);
}

bool bc_case_unmet(const struct bc_case *c, const struct bc_arch *a, char *buf, size_t size)
{
	uint64_t first, end;

	for (size_t i = 0; i < BC_ARRAY_LEN(needs); i++) {
		uint32_t has;

		memcpy(&has, (const char *)a + needs[i].offset, sizeof(has));
		if ((c->needs & (unsigned)needs[i].need) == 0 || has != 0)
			continue;
		write_text(buf, size, "%s (not on %s)", needs[i].what, a->name);
		return true;
	}
	if (!c->rule || !c->rule->program)
		byte_range(&c->pattern, &first, &end);
	else
		first = UINT64_MAX;
	if (c->pattern.origin == BC_FROM_ABSOLUTE && first < a->window_base) {
		write_text(buf, size, "shared address 0x%" PRIx64 " (the window starts at 0x%x on %s)", first,
			   a->window_base, a->name);
		return true;
	}

	const uint64_t extent = bc_case_extent(c, a);

	if (extent > a->optin_bytes) {
		write_text(buf, size, "%" PRIu64 " bytes of shared memory (%s has %u)", extent, a->name,
			   a->optin_bytes);
		return true;
	}
	return false;
}

bool bc_device_lacks(const struct bc_arch *a, const struct bc_facts *f, uint64_t bytes, char *why, size_t size)
{
	if (!f->optin_bytes || bytes <= f->optin_bytes || bytes > a->optin_bytes)
		return false;
	(void)snprintf(why, size, "the device has %u bytes of shared memory a block, arch.txt of %s says %u",
		       f->optin_bytes, a->name, a->optin_bytes);
	return true;
}

bool bc_case_has_clock(const struct bc_case *c)
{
	if (c->pattern.op == BC_OP_NONE)
		return c->rule && c->rule->clock;
	return bc_op_info(c->pattern.op)->timed && (c->pattern.count == 1 || c->pattern.count == BC_TIMED_ACCESSES);
}
