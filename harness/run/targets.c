/* SPDX-License-Identifier: MIT */
#include "harness/run/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A growing list of targets. */
struct targets {
	struct bc_target *t;
	size_t n;
};

bool bc_targets_want_cuda(const char *list)
{
	while (list && *list) {
		const size_t len = strcspn(list, ",");

		if ((len == 3 && strncmp(list, "all", 3) == 0) || strncmp(list, "cuda:", 5) == 0)
			return true;
		list += len + (list[len] == ',');
	}
	return !list;
}

static enum bc_status add(struct targets *ts, const char *expected, const struct bc_facts *f, struct bc_error *err)
{
	struct bc_target *grown, t = { .facts = *f };
	enum bc_status st;

	if (f->kind == BC_DEVICE_CUDA)
		(void)snprintf(t.option, sizeof(t.option), "cuda:%u", f->index);
	else
		(void)snprintf(t.option, sizeof(t.option), "reference:%s", f->arch);
	for (size_t i = 0; i < ts->n; i++)
		if (strcmp(ts->t[i].option, t.option) == 0)
			return BC_OK;
	st = bc_arch_of_device(expected, f, &t.arch, err);
	if (st)
		return st;
	grown = realloc(ts->t, (ts->n + 1) * sizeof(*grown));
	if (!grown)
		return bc_fail(err, BC_ENOMEM, "device list: out of memory");
	ts->t = grown;
	ts->t[ts->n++] = t;
	return BC_OK;
}

static enum bc_status add_reference(struct targets *ts, const char *expected, const char *arch, struct bc_error *err)
{
	struct bc_arch *known = NULL;
	struct bc_text names = { 0 };
	size_t n = 0, found = 0;
	enum bc_status st = bc_arch_list(expected, &known, &n, err);

	for (size_t i = 0; !st && i < n; i++) {
		struct bc_facts f = { .kind = BC_DEVICE_REFERENCE, .index = (unsigned)i, .ecc = -1 };

		st = bc_text_addf(&names, err, " %s", known[i].name);
		if (st || (strcmp(arch, "all") != 0 && strcmp(arch, known[i].name) != 0))
			continue;
		(void)bc_strlcpy(f.arch, known[i].name, sizeof(f.arch));
		(void)bc_strlcpy(f.name, "reference device", sizeof(f.name));
		st = add(ts, expected, &f, err);
		found++;
	}
	if (!st && !found)
		st = bc_fail(err, BC_EUSAGE, "--device reference:%s: no such architecture in %s (it has:%s)", arch,
			     expected, names.data ? names.data : " none");
	bc_text_release(&names);
	free(known);
	return st;
}

static enum bc_status add_cuda(struct targets *ts, const char *expected, const struct bc_facts *gpus, size_t ngpus,
			       const char *word, const char *why, struct bc_error *err)
{
	char *end = NULL;
	unsigned long index;

	if (strncmp(word, "cuda:", 5) != 0 || word[5] < '0' || word[5] > '9')
		return bc_fail(err, BC_EUSAGE,
			       "--device %s: not a device; devices are cuda:N, all, reference, reference:sm_NN and "
			       "reference:all",
			       word);
	index = strtoul(word + 5, &end, 10);
	if (*end || index >= ngpus)
		return bc_fail(err, BC_EUSAGE,
			       "--device %s: no such GPU: this host has %zu%s%s (see `bankcheck devices`)", word, ngpus,
			       *why ? ": " : "", why);
	return add(ts, expected, &gpus[index], err);
}

/* Several GPUs of one architecture: each has its index in its name. */
static void name_devices(struct targets *ts)
{
	for (size_t i = 0; i < ts->n; i++) {
		struct bc_target *t = &ts->t[i];
		bool shared = false;

		for (size_t k = 0; k < ts->n; k++)
			shared = shared || (k != i && ts->t[k].facts.kind == BC_DEVICE_CUDA &&
					    strcmp(ts->t[k].arch.name, t->arch.name) == 0);
		if (t->facts.kind == BC_DEVICE_REFERENCE)
			(void)snprintf(t->dev, sizeof(t->dev), "reference_%s", t->arch.name);
		else if (shared)
			(void)snprintf(t->dev, sizeof(t->dev), "%s_cuda%u", t->arch.name, t->facts.index);
		else
			(void)snprintf(t->dev, sizeof(t->dev), "%s", t->arch.name);
	}
}

enum bc_status bc_targets_resolve(const char *list, const char *expected, const struct bc_facts *gpus, size_t ngpus,
				  const char *why, struct bc_target **out, size_t *n, struct bc_error *err)
{
	struct targets ts = { 0 };
	char *copy = strdup(list ? list : "all"), *next = copy;
	enum bc_status st = copy ? BC_OK : bc_fail(err, BC_ENOMEM, "device list: out of memory");

	while (!st && next) {
		const char *word = strsep(&next, ",");

		if (strcmp(word, "all") == 0) {
			if (!ngpus)
				st = bc_fail(err, BC_EUSAGE,
					     "%sthis host has no GPU%s%s; to test on a CPU instead, name the reference "
					     "device: --device reference",
					     list ? "--device all: " : "", *why ? ": " : "", why);
			for (size_t i = 0; !st && i < ngpus; i++)
				st = add(&ts, expected, &gpus[i], err);
		} else if (strcmp(word, "reference") == 0) {
			st = add_reference(&ts, expected, BC_DEFAULT_REFERENCE, err);
		} else if (strncmp(word, "reference:", 10) == 0) {
			st = add_reference(&ts, expected, word + 10, err);
		} else {
			st = add_cuda(&ts, expected, gpus, ngpus, word, why, err);
		}
	}
	free(copy);
	if (st) {
		free(ts.t);
		return st;
	}
	name_devices(&ts);
	*out = ts.t;
	*n = ts.n;
	return BC_OK;
}
