/* SPDX-License-Identifier: MIT */
#include "harness/html/fold.h"

#include <stdlib.h>
#include <string.h>

#include "harness/report/read_shards.h"

#define HOSTS_MAX 160 /* bytes of the list of hosts */

static uint64_t add_text(uint64_t h, const char *s)
{
	return bc_hash(h, s ? s : "", (s ? strlen(s) : 0) + 1);
}

/* Equal for runs that the page would show as equal, but for their clocks. */
static uint64_t key_of(const struct bc_read_device *d)
{
	static const char *const facts[] = {
		"gpu",	     "arch",	 "mig",	 "driver", "cuda", "image_hash", "expectations_hash",
		"bankcheck", "complete", "junit"
	};
	static const char *const keys[] = { "counters", "counters_absent", "clock_absent", "data", "flaky" };
	uint64_t h = BC_HASH_INIT;

	for (size_t i = 0; i < BC_ARRAY_LEN(facts); i++)
		h = add_text(h, bc_read_property(d, facts[i]));
	for (size_t i = 0; i < d->ncases; i++) {
		h = add_text(h, d->cases[i].id);
		h = add_text(h, bc_verdict_name(d->cases[i].verdict));
		h = add_text(h, d->cases[i].message);
		for (size_t k = 0; k < BC_ARRAY_LEN(keys); k++)
			h = add_text(h, bc_key_get(&d->cases[i].keys, keys[k]));
	}
	return h;
}

static enum bc_status let_go(struct bc_html_kept *like, struct bc_read_device *d, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	like->alike++;
	if (like->hosts.len < HOSTS_MAX)
		st = bc_text_addf(&like->hosts, err, "%s%s", like->hosts.len ? ", " : "", d->host);
	else if (like->hosts.data[like->hosts.len - 1] != '.')
		st = bc_text_addf(&like->hosts, err, " ...");
	bc_read_device_release(d);
	d->joined = true; /* bc_report_join takes it out */
	return st;
}

static struct bc_html_kept *find(struct bc_html_fold *f, uint64_t key, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (f->kept[i].key == key)
			return &f->kept[i];
	return NULL;
}

/* The first time: all that were kept until now. */
static enum bc_status fold_all(struct bc_html_fold *f, struct bc_error *err)
{
	const size_t all = f->n;
	enum bc_status st = BC_OK;

	f->folding = true;
	f->n = 0;
	for (size_t i = 0; i < all; i++) {
		struct bc_html_kept *like = find(f, f->kept[i].key, f->n);

		if (!like)
			f->kept[f->n++] = f->kept[i];
		else if (!st)
			st = let_go(like, f->kept[i].d, err);
	}
	return st;
}

static enum bc_status add_run(struct bc_html_fold *f, struct bc_read_device *d, struct bc_error *err)
{
	const uint64_t key = key_of(d);
	struct bc_html_kept *like = f->folding ? find(f, key, f->n) : NULL, *grown;

	f->runs++;
	f->verdicts += d->ncases;
	if (like)
		return let_go(like, d, err);
	grown = realloc(f->kept, (f->n + 1) * sizeof(*grown));
	if (!grown)
		return bc_fail(err, BC_ENOMEM, "html: out of memory");
	f->kept = grown;
	grown[f->n++] = (struct bc_html_kept){ .key = key, .d = d };
	return f->n > BC_HTML_RUNS_MAX && !f->folding ? fold_all(f, err) : BC_OK;
}

enum bc_status bc_html_fold_add(struct bc_html_fold *f, struct bc_read_file *file, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	if (bc_report_has_shard(file)) {
		for (size_t i = 0; i < file->ndevices; i++)
			f->verdicts += file->devices[i].ncases;
		f->runs += file->ndevices;
		return BC_OK;
	}
	for (size_t i = 0; !st && i < file->ndevices; i++)
		st = add_run(f, &file->devices[i], err);
	return st;
}

static enum bc_status say_alike(struct bc_html_kept *k, struct bc_error *err)
{
	struct bc_read_device *d = k->d;
	struct bc_pair *grown = realloc(d->property, (d->nproperties + 1) * sizeof(*grown));
	struct bc_text value = { 0 };
	enum bc_status st = grown ? BC_OK : bc_fail(err, BC_ENOMEM, "html: out of memory");

	if (grown)
		d->property = grown;
	if (!st)
		st = bc_text_addf(&value, err, "%zu more: %s", k->alike, k->hosts.data);
	if (!st) {
		grown[d->nproperties] = (struct bc_pair){ .name = strdup("alike"), .value = value.data };
		value = (struct bc_text){ 0 }; /* the property's now */
		if (!grown[d->nproperties++].name)
			st = bc_fail(err, BC_ENOMEM, "html: out of memory");
	}
	bc_text_release(&value);
	return st;
}

enum bc_status bc_html_fold_end(struct bc_html_fold *f, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < f->n; i++) {
		if (!st && f->kept[i].alike)
			st = say_alike(&f->kept[i], err);
		bc_text_release(&f->kept[i].hosts);
	}
	free(f->kept);
	f->kept = NULL;
	f->n = 0;
	return st;
}
