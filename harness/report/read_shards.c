/* SPDX-License-Identifier: MIT */
#include "harness/report/read_shards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/option.h"

/* A shard, where it was read. */
struct shard {
	struct bc_read_device *d;
	const char *path;
	unsigned part, of;
	bool taken;
};

/* What shards of one run have in common. */
static const char *const common[] = { "run_name",	   "options",	 "selection_hash",
				      "bankcheck",	   "image_hash", "arch",
				      "expectations_hash", "gpu",	 "hardware" };

/* Is @d a shard of a run that has a name? Then which. */
static bool is_shard(const struct bc_read_device *d, unsigned *part, unsigned *of)
{
	const char *name = bc_read_property(d, "run_name");
	struct bc_option_part shard;

	if (!name[0] || strcmp(name, "none") == 0 || !bc_part_parse(bc_read_property(d, "shard"), &shard))
		return false;
	*part = shard.part;
	*of = shard.of;
	return true;
}

static bool same_run(const struct shard *a, const struct shard *b)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(common); i++)
		if (strcmp(bc_read_property(a->d, common[i]), bc_read_property(b->d, common[i])) != 0)
			return false;
	return a->of == b->of && strcmp(a->d->dev, b->d->dev) == 0; /* a host may have several GPUs of a model */
}

static enum bc_status set_property(struct bc_read_device *d, const char *name, const char *value, struct bc_error *err)
{
	for (size_t i = 0; i < d->nproperties; i++) {
		char *copy;

		if (strcmp(d->property[i].name, name) != 0)
			continue;
		copy = strdup(value);
		if (!copy)
			return bc_fail(err, BC_ENOMEM, "shards: out of memory");
		free(d->property[i].value);
		d->property[i].value = copy;
	}
	return BC_OK;
}

/* Move the cases of @from behind those of @to. */
static enum bc_status move_cases(struct shard *to, struct shard *from, struct bc_error *err)
{
	const size_t n = to->d->ncases + from->d->ncases;
	struct bc_read_case *grown = realloc(to->d->cases, (n + 1) * sizeof(*grown));

	if (!grown)
		return bc_fail(err, BC_ENOMEM, "shards: out of memory");
	to->d->cases = grown;
	if (from->d->ncases)
		memcpy(&grown[to->d->ncases], from->d->cases, from->d->ncases * sizeof(*grown));
	to->d->ncases = n;
	to->d->nverdict_only += from->d->nverdict_only;
	from->d->ncases = 0;
	from->d->joined = true;
	from->taken = true;
	return BC_OK;
}

/* Add the words of complete= that are not of a shard to @words: "filtered, shard 1/5, deadline". */
static void add_words(char *words, size_t size, const char *complete)
{
	while (*complete) {
		const size_t n = strcspn(complete, ","), have = strlen(words);
		char word[64];

		(void)snprintf(word, sizeof(word), "%.*s", (int)(n < 60 ? n : 60), complete);
		if (strncmp(word, "shard ", 6) != 0 && strcmp(word, "yes") != 0 && !strstr(words, word))
			(void)snprintf(words + have, size - have, "%s%s", have ? ", " : "", word);
		complete += n;
		complete += strspn(complete, ", ");
	}
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct bc_read_case *)a)->id, ((const struct bc_read_case *)b)->id);
}

static enum bc_status finish(struct shard *first, const char *words, struct bc_error *err)
{
	struct bc_read_device *d = first->d;
	char all[40];
	enum bc_status st;

	if (d->ncases)
		qsort(d->cases, d->ncases, sizeof(*d->cases), by_id);
	for (size_t k = 1; k < d->ncases; k++)
		if (strcmp(d->cases[k - 1].id, d->cases[k].id) == 0)
			return bc_fail(err, BC_EDATA, "%s: the case %s is in two shards of the run %s", first->path,
				       d->cases[k].id, bc_read_property(d, "run_name"));
	(void)snprintf(all, sizeof(all), "all %u", first->of);
	st = set_property(d, "complete", words[0] ? words : "yes", err);
	if (!st)
		st = set_property(d, "shard", all, err);
	return st ? st : set_property(d, "plan_hash", bc_read_property(d, "selection_hash"), err);
}

/* Put the run of the @k-th shard together. */
static enum bc_status join_run(struct shard *s, size_t n, size_t k, struct bc_error *err)
{
	const struct shard **found = calloc(s[k].of + (size_t)1, sizeof(const struct shard *));
	char words[200] = "";
	enum bc_status st = found ? BC_OK : bc_fail(err, BC_ENOMEM, "shards: out of memory");

	for (size_t i = k; !st && i < n; i++) {
		if (s[i].taken || !same_run(&s[k], &s[i]))
			continue;
		if (found[s[i].part])
			st = bc_fail(err, BC_EDEVICE, "%s: shard %u/%u of the run %s is in %s as well: give each once",
				     s[i].path, s[i].part, s[i].of, bc_read_property(s[i].d, "run_name"),
				     found[s[i].part]->path);
		found[s[i].part] = &s[i];
		add_words(words, sizeof(words), bc_read_property(s[i].d, "complete"));
		if (!st && i != k)
			st = move_cases(&s[k], &s[i], err);
	}
	for (unsigned p = 1; !st && p <= s[k].of; p++)
		if (!found[p])
			st = bc_fail(err, BC_EDEVICE,
				     "%s: shard %u/%u of the run %s is missing: give the reports of all shards",
				     s[k].path, p, s[k].of, bc_read_property(s[k].d, "run_name"));
	s[k].taken = true;
	free(found);
	return st ? st : finish(&s[k], words, err);
}

uint64_t bc_report_run_key(const struct bc_read_device *d)
{
	const char *name = bc_read_property(d, "run_name"), *shard = bc_read_property(d, "shard");
	uint64_t h = BC_HASH_INIT;

	if (!name[0] || strcmp(name, "none") == 0 || !shard[0] || strcmp(shard, "none") == 0)
		return 0;
	for (size_t i = 0; i < BC_ARRAY_LEN(common); i++) {
		const char *value = bc_read_property(d, common[i]);

		h = bc_hash(h, value, strlen(value) + 1);
	}
	return bc_hash(h, d->dev, strlen(d->dev) + 1);
}

bool bc_report_has_shard(const struct bc_read_file *f)
{
	unsigned part, of;

	for (size_t i = 0; i < f->ndevices; i++)
		if (is_shard(&f->devices[i], &part, &of))
			return true;
	return false;
}

/* Take out what was added to another. */
static void drop_joined(struct bc_read_file *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->ndevices; i++)
		if (f->devices[i].joined)
			bc_read_device_release(&f->devices[i]);
		else
			f->devices[n++] = f->devices[i];
	f->ndevices = n;
}

enum bc_status bc_report_join(struct bc_read_file *file, size_t n, struct bc_error *err)
{
	struct shard *s;
	size_t room = 0, ns = 0;
	enum bc_status st = BC_OK;

	for (size_t f = 0; f < n; f++)
		room += file[f].ndevices;
	s = calloc(room + 1, sizeof(*s));
	if (!s)
		return bc_fail(err, BC_ENOMEM, "shards: out of memory");
	for (size_t f = 0; f < n; f++)
		for (size_t i = 0; i < file[f].ndevices; i++) {
			s[ns] = (struct shard){ .d = &file[f].devices[i], .path = file[f].path };
			ns += is_shard(s[ns].d, &s[ns].part, &s[ns].of);
		}
	for (size_t k = 0; !st && k < ns; k++)
		if (!s[k].taken)
			st = join_run(s, ns, k, err);
	free(s);
	for (size_t f = 0; !st && f < n; f++)
		drop_joined(&file[f]);
	return st;
}
