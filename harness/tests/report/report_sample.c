/* SPDX-License-Identifier: MIT */
#include "harness/tests/report/report_sample.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct bc_rule rules[] = {
	{ .name = "ld_b32", .sentence = "gcd(s, 32) wavefronts & no more", .source = "a guide, page 1" },
	{ .name = "st_b32", .sentence = "n lanes in a bank take n wavefronts", .source = "a guide, page 2" },
};

static const struct bc_suite suites[] = { { .name = "stride", .rules = &rules[0], .nrules = 1 },
					  { .name = "ways", .rules = &rules[1], .nrules = 1 } };

static void fill_case(struct bc_case *c, size_t i, bool late)
{
	const struct bc_suite *s = &suites[late];

	*c = (struct bc_case){ .suite = s, .rule = s->rules };
	(void)snprintf(c->variant, sizeof(c->variant), "%zu", i);
	(void)snprintf(c->id, sizeof(c->id), "%s/%s/%zu", s->name, s->rules->name, i);
	(void)snprintf(c->twin, sizeof(c->twin), "stride/ld_b32/1");
	c->pattern = (struct bc_pattern){ .op = late ? BC_OP_ST32 : BC_OP_LD32,
					  .origin = BC_FROM_ABSOLUTE,
					  .mask = 0x0fffffff,
					  .count = 16,
					  .step = 128 };
	for (uint32_t lane = 0; lane < BC_LANES; lane++)
		c->pattern.offset[lane] = 8 * lane;
}

static void fill_result(const struct bc_sample *s, struct bc_result *r, size_t i)
{
	struct bc_observation *o = &r->obs;

	*r = (struct bc_result){ .c = &s->cases[i] };
	r->bounds.row[BC_Q_WAVEFRONTS] = &s->row;
	o->data_checked = o->data_ok = true;
	o->attempts = 3;
	for (unsigned k = 0; k < 3; k++)
		o->count[k] = (struct bc_count){ .requests = 16, .wavefronts = 32 + k, .conflicts = 16 + k };
	o->requests_stated = 16;
	o->requests_counted = true;
	o->clock_has = true;
	o->clock_wavefronts = 2.5;
	o->nsamples = 10;
	for (uint32_t k = 0; k < 10; k++)
		o->samples[k] = 100 + k;
	o->model_has = true;
	o->model_requests = 16;
	o->model_wavefronts = 32;
	o->model_conflicts = 16;
	o->seconds = (double)i / 1000;
}

static void fill_device(const struct bc_sample *s, struct bc_device_run *d)
{
	d->nresults = s->n;
	d->results = calloc(s->n + 1, sizeof(*d->results));
	ck_assert_ptr_nonnull(d->results);
	for (size_t i = 0; i < s->n; i++)
		fill_result(s, &d->results[i], i);
}

void bc_sample_init(struct bc_sample *s, size_t n)
{
	*s = (struct bc_sample){ .n = n };
	s->run = (struct bc_run){ .run_id = "20261129T213000Z-host-77",
				  .host = "host",
				  .timestamp = "2026-11-29T21:30:00",
				  .plan_hash = 0xabcd,
				  .seconds = 12.3456,
				  .rerun = "bankcheck run --device cuda:0" };
	s->run.devices = s->devices;
	s->row = (struct bc_row){ .quantity = BC_Q_WAVEFRONTS,
				  .lo = 1.5,
				  .hi = 2.5,
				  .origin = BC_ORIGIN_PUBLISHED,
				  .basis = "two \\ words a bank",
				  .path = "expected/common/stride.txt",
				  .line = 12 };
	s->cases = calloc(n + 1, sizeof(*s->cases));
	ck_assert_ptr_nonnull(s->cases);
	for (size_t i = 0; i < n; i++)
		fill_case(&s->cases[i], i, i >= (n + 1) / 2);
	(void)bc_sample_add(s, BC_DEVICE_CUDA, "sm_90", "sm_90");
	s->devices[0].complete = true;
}

struct bc_device_run *bc_sample_add(struct bc_sample *s, enum bc_device_kind kind, const char *arch, const char *dev)
{
	struct bc_device_run *d = &s->devices[s->run.ndevices];
	struct bc_facts *f = &d->facts;

	ck_assert_uint_lt(s->run.ndevices, BC_SAMPLE_DEVICES);
	*d = (struct bc_device_run){ .images_hash = 0x1234, .expect_hash = 0x5678 };
	f->kind = kind;
	f->index = (unsigned)s->run.ndevices++;
	f->ecc = -1;
	ck_assert(bc_strlcpy(f->arch, arch, sizeof(f->arch)) && bc_strlcpy(d->arch.name, arch, sizeof(d->arch.name)) &&
		  bc_strlcpy(d->dev, dev, sizeof(d->dev)));
	if (kind == BC_DEVICE_CUDA) {
		(void)bc_strlcpy(f->name, "NVIDIA H200", sizeof(f->name));
		(void)bc_strlcpy(f->uuid, "GPU-00-11", sizeof(f->uuid));
		(void)bc_strlcpy(f->driver, "580.159.04", sizeof(f->driver));
		(void)bc_strlcpy(f->cuda, "13.0", sizeof(f->cuda));
		(void)bc_strlcpy(f->cupti, "13.0.85", sizeof(f->cupti));
		(void)bc_strlcpy(d->arch.confirmed, "NVIDIA H200, 580.159.04, 2026-11", sizeof(d->arch.confirmed));
		f->clock_khz = 1980000;
		f->ecc = 1;
	} else {
		(void)bc_strlcpy(f->name, "reference device", sizeof(f->name));
		(void)bc_strlcpy(d->arch.confirmed, "none", sizeof(d->arch.confirmed));
		f->counters_are_model = true;
	}
	fill_device(s, d);
	return d;
}

void bc_sample_set(struct bc_sample *s, size_t d, size_t i, enum bc_verdict v, const char *message)
{
	struct bc_judgement *j = &s->devices[d].results[i].judged;

	j->verdict = v;
	(void)bc_strlcpy(j->message, message, sizeof(j->message));
}

void bc_sample_release(struct bc_sample *s)
{
	for (size_t i = 0; i < s->run.ndevices; i++)
		free(s->devices[i].results);
	free(s->cases);
	*s = (struct bc_sample){ 0 };
}

void bc_sample_folder(char dir[BC_PATH_MAX])
{
	(void)mkdir(BC_TEST_TMP, 0777); /* it may be there; mkdtemp tells when it is not */
	(void)snprintf(dir, BC_PATH_MAX, "%s/report-XXXXXX", BC_TEST_TMP);
	ck_assert_msg(mkdtemp(dir), "cannot make a folder in %s", BC_TEST_TMP);
}

size_t bc_sample_entries(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	ck_assert_ptr_nonnull(d);
	for (const struct dirent *e = readdir(d); e; e = readdir(d))
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	(void)closedir(d);
	return n;
}
