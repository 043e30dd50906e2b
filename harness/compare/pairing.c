/* SPDX-License-Identifier: MIT */
#include "harness/compare/pairing.h"

#include <stdlib.h>
#include <string.h>

/* A device of one side. */
struct member {
	const struct bc_read_device *d;
	const char *path;
	bool taken;
};

struct members {
	struct member *m;
	size_t n;
};

/* The properties that are compared; what is not here (run_id, timestamp, run_seconds) always differs. */
static const struct {
	const char *name, *label;
	bool blame;
} properties[] = {
	{ "hardware", "hardware", true },
	{ "gpu", "GPU", true },
	{ "uuid", "GPU's UUID", true },
	{ "pci", "PCI address", false },
	{ "host", "host", true },
	{ "device", "device", false },
	{ "serial", "serial number", true },
	{ "vbios", "VBIOS", true },
	{ "gsp_firmware", "GSP firmware", true },
	{ "mig", "MIG", true },
	{ "pcie_width", "PCIe width", true },
	{ "driver", "driver", true },
	{ "cuda", "CUDA", true },
	{ "cupti", "CUPTI", true },
	{ "cupti_file", "CUPTI's file", true },
	{ "toolkit", "kernels' toolkit", true },
	{ "code", "code that ran", true },
	{ "environment", "environment", true },
	{ "image_hash", "kernel image hash", true },
	{ "clock", "clock", true },
	{ "memory_clock", "memory clock", true },
	{ "ecc", "ECC", true },
	{ "sms", "SMs", true },
	{ "optin_bytes", "opt-in shared memory", true },
	{ "note", "note (throttling)", true },
	{ "counters_by", "counters by", true },
	{ "counters_absent", "reason for no counters", true },
	{ "clock_absent", "reason for no clock", true },
	{ "bankcheck", "bankcheck version", true },
	{ "commit", "bankcheck commit", true },
	{ "built_with", "bankcheck built with", true },
	{ "expectations_hash", "expectations hash", true },
	{ "standing", "standing", false },
	{ "plan_hash", "plan hash (which cases)", true },
	{ "options", "options of the run", true },
	{ "complete", "complete", true },
};

static bool known(const char *value)
{
	return value[0] && strcmp(value, "none") != 0 && strcmp(value, "unknown") != 0;
}

static const char *property(const struct bc_read_device *d, const char *name)
{
	return bc_read_property(d, name);
}

static bool same(const struct bc_read_device *a, const struct bc_read_device *b, const char *name)
{
	return strcmp(property(a, name), property(b, name)) == 0;
}

static bool same_uuid(const struct bc_read_device *a, const struct bc_read_device *b)
{
	return known(property(a, "uuid")) && same(a, b, "uuid");
}

static bool same_name_and_host(const struct bc_read_device *a, const struct bc_read_device *b)
{
	return strcmp(a->dev, b->dev) == 0 && strcmp(a->host, b->host) == 0;
}

static bool same_name(const struct bc_read_device *a, const struct bc_read_device *b)
{
	return strcmp(a->dev, b->dev) == 0;
}

/* The devices of one side, none of them twice. */
static enum bc_status collect(const struct bc_side *side, struct members *out, struct bc_error *err)
{
	size_t n = 0;

	for (size_t f = 0; f < side->nfiles; f++)
		n += side->files[f].ndevices;
	out->m = calloc(n ? n : 1, sizeof(*out->m));
	if (!out->m)
		return bc_fail(err, BC_ENOMEM, "comparison: out of memory");
	for (size_t f = 0; f < side->nfiles; f++)
		for (size_t i = 0; i < side->files[f].ndevices; i++)
			out->m[out->n++] = (struct member){ &side->files[f].devices[i], side->files[f].path, false };
	for (size_t i = 0; i < out->n; i++)
		for (size_t k = 0; k < i; k++)
			if (same(out->m[i].d, out->m[k].d, "arch") &&
			    (same_uuid(out->m[i].d, out->m[k].d) || same_name_and_host(out->m[i].d, out->m[k].d)))
				return bc_fail(err, BC_EDATA,
					       "%s: the device %s of host %s is in %s as well: give one run a side",
					       out->m[i].path, out->m[i].d->dev, out->m[i].d->host, out->m[k].path);
	return BC_OK;
}

/* The only free member of @side that is like @d; NULL when there is none or more than one. */
static struct member *only_match(const struct members *side, const struct bc_read_device *d,
				 bool (*like)(const struct bc_read_device *, const struct bc_read_device *))
{
	struct member *found = NULL;

	for (size_t i = 0; i < side->n; i++) {
		if (side->m[i].taken || !same(side->m[i].d, d, "arch") || (like && !like(side->m[i].d, d)))
			continue;
		if (found)
			return NULL;
		found = &side->m[i];
	}
	return found;
}

static void add_pair(struct bc_pair_diff *pairs, size_t *n, struct member *old, struct member *now)
{
	struct bc_pair_diff *p = &pairs[(*n)++];

	memset(p, 0, sizeof(*p));
	if (old) {
		p->old = old->d;
		p->old_path = old->path;
		old->taken = true;
	}
	if (now) {
		p->now = now->d;
		p->now_path = now->path;
		now->taken = true;
	}
}

/* One way to be partners after the other; both must be each other's only candidate. */
static void find_partners(struct members *old, struct members *now, struct bc_pair_diff *pairs, size_t *n)
{
	static bool (*const like[])(const struct bc_read_device *, const struct bc_read_device *) = {
		same_uuid,
		same_name_and_host,
		same_name,
		NULL,
	};

	for (size_t way = 0; way < BC_ARRAY_LEN(like); way++) {
		for (size_t i = 0; i < now->n; i++) {
			struct member *m = &now->m[i];
			struct member *other = m->taken ? NULL : only_match(old, m->d, like[way]);

			if (!other || only_match(now, other->d, like[way]) != m)
				continue;
			add_pair(pairs, n, other, m);
			pairs[*n - 1].matched_by_uuid = way == 0 && !same_name(other->d, m->d);
			pairs[*n - 1].matched_by_arch = like[way] == NULL;
		}
	}
	for (size_t i = 0; i < now->n; i++)
		if (!now->m[i].taken)
			add_pair(pairs, n, NULL, &now->m[i]);
	for (size_t i = 0; i < old->n; i++)
		if (!old->m[i].taken)
			add_pair(pairs, n, &old->m[i], NULL);
}

static enum bc_status find_differences(struct bc_pair_diff *p, struct bc_error *err)
{
	p->difference = calloc(BC_ARRAY_LEN(properties), sizeof(*p->difference));
	if (!p->difference)
		return bc_fail(err, BC_ENOMEM, "comparison: out of memory");
	for (size_t i = 0; i < BC_ARRAY_LEN(properties); i++) {
		const char *old = property(p->old, properties[i].name), *now = property(p->now, properties[i].name);

		if (strcmp(old, now) != 0 && (known(old) || known(now)))
			p->difference[p->ndifferences++] =
				(struct bc_difference){ properties[i].name, properties[i].label, old, now,
							properties[i].blame };
	}
	return BC_OK;
}

/* Does the run say that its device was throttled? */
static bool throttled(const struct bc_read_device *d)
{
	const char *value = property(d, "throttled");

	if (known(value) && strcmp(value, "no") != 0)
		return true;
	return strcasestr(property(d, "note"), "throttl") || strcasestr(property(d, "clock_absent"), "throttl");
}

static enum bc_status compare_properties(struct bc_pair_diff *p, struct bc_error *err)
{
	bool old, now;

	if (!p->old || !p->now)
		return BC_OK;
	old = throttled(p->old);
	now = throttled(p->now);
	p->obstacle = old && now ? BC_THROTTLED_BOTH : old ? BC_THROTTLED_OLD : now ? BC_THROTTLED_NOW : BC_COMPARABLE;
	return find_differences(p, err);
}

enum bc_status bc_pairing_make(const struct bc_side *old, const struct bc_side *now, struct bc_pair_diff **pairs,
			       size_t *npairs, struct bc_error *err)
{
	struct members before = { 0 }, after = { 0 };
	struct bc_pair_diff *made = NULL;
	size_t n = 0;
	enum bc_status st = collect(old, &before, err);

	if (!st)
		st = collect(now, &after, err);
	if (!st) {
		made = calloc(before.n + after.n + 1, sizeof(*made));
		if (!made)
			st = bc_fail(err, BC_ENOMEM, "comparison: out of memory");
	}
	if (!st)
		find_partners(&before, &after, made, &n);
	for (size_t i = 0; !st && i < n; i++)
		st = compare_properties(&made[i], err);
	if (!st) {
		*pairs = made;
		*npairs = n;
		made = NULL; /* the caller owns it now */
	}
	bc_pairing_release(made, n);
	free(before.m);
	free(after.m);
	return st;
}

void bc_pairing_release(struct bc_pair_diff *pairs, size_t npairs)
{
	for (size_t i = 0; pairs && i < npairs; i++) {
		free(pairs[i].difference);
		free(pairs[i].cases);
	}
	free(pairs);
}
