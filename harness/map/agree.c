/* SPDX-License-Identifier: MIT */
#include "harness/map/agree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/values.h"

#define RUNS_MAX 1024

/* Counts of a case in one run, of all its requests. */
struct counted {
	uint64_t requests, wavefronts, conflicts;
	bool has_wavefronts, has_conflicts;
};

/* The runs of one architecture. */
struct runs {
	const struct bc_read_device *d[RUNS_MAX];
	size_t n;
};

static bool is_hardware(const struct bc_read_device *d)
{
	return strcmp(bc_read_property(d, "hardware"), "yes") == 0;
}

size_t bc_agree_archs(const struct bc_read_file *files, size_t n, const char **out, size_t max)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < files[i].ndevices; k++) {
			const char *arch = bc_read_property(&files[i].devices[k], "arch");
			size_t at = 0;

			while (at < found && strcmp(out[at], arch) != 0)
				at++;
			if (at == found && found < max && is_hardware(&files[i].devices[k]))
				out[found++] = arch;
		}
	return found;
}

/* Another run than those before it: a report given twice is one. */
static bool is_new(const struct runs *r, const struct bc_read_device *d)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(bc_read_property(r->d[i], "run_id"), bc_read_property(d, "run_id")) == 0 &&
		    strcmp(bc_read_property(r->d[i], "uuid"), bc_read_property(d, "uuid")) == 0)
			return false;
	return true;
}

static enum bc_status gather(const struct bc_read_file *files, size_t n, const char *arch, struct runs *r,
			     struct bc_agreement *out, struct bc_error *err)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < files[i].ndevices; k++) {
			const struct bc_read_device *d = &files[i].devices[k];
			bool same_gpu = false;

			if (!is_hardware(d) || strcmp(bc_read_property(d, "arch"), arch) != 0 || !is_new(r, d))
				continue;
			if (r->n == RUNS_MAX)
				return bc_fail(err, BC_EUSAGE, "propose: more than %d runs", RUNS_MAX);
			for (size_t m = 0; m < r->n; m++)
				same_gpu = same_gpu ||
					   strcmp(bc_read_property(r->d[m], "uuid"), bc_read_property(d, "uuid")) == 0;
			out->gpus += !same_gpu;
			r->d[r->n++] = d;
		}
	out->runs = (unsigned)r->n;
	if (out->runs < BC_AGREE_RUNS && out->gpus < 2)
		return bc_fail(err, BC_EUSAGE,
			       "propose: %s: the reports hold %u run%s of one GPU: %d runs, or two GPUs, can agree",
			       arch, out->runs, out->runs == 1 ? "" : "s", BC_AGREE_RUNS);
	return BC_OK;
}

/* What a run counted of a case; false: it has no sound count of it. */
static bool read_counted(const struct bc_read_device *d, const char *id, struct counted *out)
{
	const struct bc_read_case *c = bc_read_find(d, id);
	const char *counters = c ? bc_key_get(&c->keys, "counters") : NULL;
	const char *data = c ? bc_key_get(&c->keys, "data") : NULL;
	struct bc_value_counts n, again;
	bool more;

	*out = (struct counted){ 0 };
	if (!counters || !data || strcmp(data, "right") != 0 || !bc_values_stated(&c->keys, &out->requests) ||
	    !bc_values_attempt(&counters, &n, &more) || !more)
		return false;
	/* A case that was counted again, because it was not as expected, must have counted the same each time. */
	while (bc_values_attempt(&counters, &again, &more) && more)
		if (memcmp(again.total, n.total, sizeof(n.total)) != 0)
			return false;
	out->has_wavefronts = n.has[BC_Q_WAVEFRONTS];
	out->has_conflicts = n.has[BC_Q_CONFLICTS];
	out->wavefronts = n.has[BC_Q_WAVEFRONTS] ? n.total[BC_Q_WAVEFRONTS] : 0;
	out->conflicts = n.has[BC_Q_CONFLICTS] ? n.total[BC_Q_CONFLICTS] : 0;
	return out->requests > 0 && (out->has_wavefronts || out->has_conflicts);
}

static bool alike(const struct counted *a, const struct counted *b)
{
	return a->has_wavefronts == b->has_wavefronts && a->has_conflicts == b->has_conflicts &&
	       a->wavefronts * b->requests == b->wavefronts * a->requests &&
	       a->conflicts * b->requests == b->conflicts * a->requests;
}

static enum bc_status tell_disputed(const struct runs *r, const char *id, struct bc_agreement *out,
				    struct bc_error *err)
{
	enum bc_status st = bc_text_addf(&out->words, err, "%s:", id);

	out->disputed++;
	for (size_t i = 0; !st && i < r->n; i++) {
		const struct bc_read_case *c = bc_read_find(r->d[i], id);
		const char *counters = c ? bc_key_get(&c->keys, "counters") : NULL;

		st = bc_text_addf(&out->words, err, "%s %s (%s)", i ? ";" : "", counters ? counters : "not counted",
				  bc_read_property(r->d[i], "run_id"));
	}
	return st ? st : bc_text_add(&out->words, "\n", 1, err);
}

static bool inside(const struct bc_bounds *now, enum bc_quantity q, double v)
{
	const struct bc_row *row = now->row[q];

	return isnan(v) || (row && !row->unknown && bc_row_holds(row, v));
}

static enum bc_status propose_case(const struct runs *r, const struct bc_case *c, const struct bc_bounds *now,
				   struct bc_proposal *p, struct bc_agreement *out, struct bc_error *err)
{
	struct counted first = { 0 }, other;
	char basis[160];
	double w, k;
	size_t have = 0;
	bool agree = true;

	for (size_t i = 0; i < r->n; i++) {
		if (!read_counted(r->d[i], c->id, &other))
			continue;
		first = have++ ? first : other;
		agree = agree && alike(&first, &other);
	}
	if (!have)
		return BC_OK;
	if (have < r->n || !agree)
		return tell_disputed(r, c->id, out, err);
	out->cases++;
	w = first.has_wavefronts ? (double)first.wavefronts / (double)first.requests : NAN;
	k = first.has_conflicts ? (double)first.conflicts / (double)first.requests : NAN;
	if (now->row[BC_Q_DATA] || (inside(now, BC_Q_WAVEFRONTS, w) && inside(now, BC_Q_CONFLICTS, k)))
		return BC_OK;
	(void)snprintf(basis, sizeof(basis), "%u runs on %u GPUs (%.60s) count so", out->runs, out->gpus,
		       bc_read_property(r->d[0], "gpu"));
	out->rows++;
	return bc_proposal_row(p, c, now, w, k, basis, err);
}

enum bc_status bc_agree_propose(const struct bc_read_file *files, size_t n, const char *arch,
				const struct bc_catalog *cat, const char *expected_dir, const char *dir,
				struct bc_agreement *out, struct bc_error *err)
{
	struct runs *r = calloc(1, sizeof(*r));
	struct bc_expect e = { 0 };
	struct bc_proposal p = { 0 };
	enum bc_status st = r ? BC_OK : bc_fail(err, BC_ENOMEM, "propose: out of memory");

	*out = (struct bc_agreement){ .runs = 0 };
	(void)bc_strlcpy(out->arch, arch, sizeof(out->arch));
	if (!st)
		st = gather(files, n, arch, r, out, err);
	if (!st)
		st = bc_expect_load(expected_dir, arch, cat, &e, err);
	if (!st)
		st = bc_proposal_begin(&p, cat, expected_dir, dir, arch, err);
	for (size_t i = 0; !st && i < cat->n; i++) {
		struct bc_bounds now;

		bc_expect_find(&e, cat->cases[i].id, &now);
		st = propose_case(r, &cat->cases[i], &now, &p, out, err);
	}
	if (!st)
		st = bc_proposal_write(&p, err);
	bc_proposal_release(&p);
	bc_expect_release(&e);
	free(r);
	return st;
}

void bc_agreement_release(struct bc_agreement *a)
{
	bc_text_release(&a->words);
}

bool bc_agree_confirm(const struct bc_read_device *d, char *line, size_t size, char *why, size_t why_size)
{
	const char *counters = bc_read_property(d, "counters_absent"), *gpu = bc_read_property(d, "gpu");
	unsigned long pass = 0;

	if (!is_hardware(d)) {
		(void)snprintf(why, why_size, "it is a reference device: only hardware confirms");
		return false;
	}
	if (strcmp(bc_read_property(d, "complete"), "yes") != 0) {
		(void)snprintf(why, why_size, "the run is not complete (complete=%s)", bc_read_property(d, "complete"));
		return false;
	}
	if (counters[0] && strcmp(counters, "none") != 0) {
		(void)snprintf(why, why_size, "counters were not read: %s", counters);
		return false;
	}
	for (size_t i = 0; i < d->ncases; i++) {
		const struct bc_read_case *c = &d->cases[i];

		pass += c->verdict == BC_PASS;
		if (c->verdict == BC_PASS || c->verdict == BC_SKIP)
			continue;
		(void)snprintf(why, why_size, "%s is %s", c->id, bc_verdict_name(c->verdict));
		return false;
	}
	if (!pass || !gpu[0] || strchr(gpu, ',')) {
		(void)snprintf(why, why_size, pass ? "the report names no GPU" : "no case passed");
		return false;
	}
	(void)snprintf(line, size, "confirmed %s, driver %s, %.10s", gpu, bc_read_property(d, "driver"), d->timestamp);
	return true;
}
