/* SPDX-License-Identifier: MIT */
/* harness/device/reference/reference.c - the reference device: the PTX interpreter under the table of device.h. */
#include "harness/device/device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/device/reference/faults.h"
#include "harness/device/reference/ptx.h"

#define MEMORY_MAX (UINT64_C(8) << 30) /* simulated global memory */
#define TOGETHER_MAX 256	       /* launches whose buffers are there at once */
#define TOGETHER_BYTES (UINT64_C(256) << 20)
#define THREADS_MAX 64
#define NOISE_SEED 20260u
#define LAUNCH_BUDGET (UINT64_C(1) << 25) /* warp instructions: seconds; a launch that needs more hangs */

struct image {
	char name[64];
	char path[1152];
	uint64_t hash;
	struct bc_ptx_module *module;
	struct bc_ptx_image *placed;
};

struct kernel {
	char name[64];
	size_t image;
	struct bc_ptx_kernel *prepared;
};

struct bc_device {
	struct bc_facts facts;
	struct bc_arch arch;
	char kernels_dir[1024];
	bool racecheck, timed;
	struct bc_ptx_timing timing;  /* when timed */
	const struct bc_fault *fault; /* NULL: sound */
	unsigned cpus;
	struct bc_ptx_mem *mem;
	struct image *images;
	size_t nimages;
	struct kernel *kernels;
	size_t nkernels;
	struct bc_error died; /* a kernel did what leaves no CUDA context behind: what; status 0: none did */
};

/* One launch of a batch on its way through the interpreter. */
struct job {
	const struct bc_launch *launch;
	const struct bc_ptx_kernel *kernel;
	uint64_t address[BC_LAUNCH_BUFFERS];
	unsigned char params[BC_LAUNCH_PARAMS_MAX];
	struct bc_ptx_counts counts;
	struct bc_error err; /* status 0: it ran */
	bool died;	     /* it was the kernel's doing */
};

/* Jobs that several threads take one after another. */
struct crew {
	const struct bc_device *d;
	struct job *job;
	size_t n;
	atomic_size_t next;
	atomic_bool failed;
	unsigned workers; /* of one launch */
	bool counted;	  /* nobody looks at its time */
};

static void fill_facts(struct bc_facts *f, const struct bc_arch *a, unsigned index)
{
	memset(f, 0, sizeof(*f));
	f->kind = BC_DEVICE_REFERENCE;
	f->index = index;
	(void)bc_strlcpy(f->arch, a->name, sizeof(f->arch));
	(void)bc_strlcpy(f->name, "reference device", sizeof(f->name));
	f->optin_bytes = a->optin_bytes;
	f->sm_bytes = a->sm_bytes;
	f->reserved_bytes = a->reserved_bytes;
	f->static_bytes = a->static_bytes;
	f->ecc = -1;
	f->sms = 1;
	(void)bc_strlcpy(f->clock_absent, "the reference device has no clock", sizeof(f->clock_absent));
	f->counters_are_model = true;
}

static enum bc_status list(const struct bc_open_options *o, struct bc_facts **facts, size_t *n, struct bc_error *err)
{
	struct bc_arch *archs = NULL;
	size_t count = 0;
	struct bc_facts *f = NULL;
	enum bc_status st = bc_arch_list(o->expected_dir, &archs, &count, err);

	if (st)
		return st;
	f = calloc(count ? count : 1, sizeof(*f));
	if (!f) {
		st = bc_fail(err, BC_ENOMEM, "device list: out of memory");
		goto out;
	}
	for (size_t i = 0; i < count; i++)
		fill_facts(&f[i], &archs[i], (unsigned)i);
	*facts = f;
	*n = count;
out:
	free(archs);
	return st;
}

/* A fault of one SM needs others beside it. */
static uint32_t number_of_sms(const struct bc_open_options *o, const struct bc_fault *fault)
{
	const uint32_t asked = o->reference_sms ? o->reference_sms : 1;

	return fault && fault->sms > asked ? fault->sms : asked;
}

static void close_device(struct bc_device *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nkernels; i++)
		bc_ptx_release(d->kernels[i].prepared);
	for (size_t i = 0; i < d->nimages; i++) {
		bc_ptx_unload(d->images[i].placed);
		bc_ptx_free(d->images[i].module);
	}
	bc_ptx_mem_destroy(d->mem);
	free(d->kernels);
	free(d->images);
	free(d);
}

static enum bc_status open_device(const struct bc_open_options *o, const struct bc_facts *which, struct bc_device **out,
				  struct bc_error *err)
{
	struct bc_device *d = calloc(1, sizeof(*d));
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	enum bc_status st = BC_OK;

	if (!d)
		return bc_fail(err, BC_ENOMEM, "reference device: out of memory");
	d->racecheck = o->racecheck;
	d->timed = o->reference_clock;
	d->cpus = cpus < 1 ? 1 : cpus > THREADS_MAX ? THREADS_MAX : (unsigned)cpus;
	if (!bc_strlcpy(d->kernels_dir, o->kernels_dir, sizeof(d->kernels_dir)))
		st = bc_fail(err, BC_EUSAGE, "--kernels: the path is longer than %zu bytes",
			     sizeof(d->kernels_dir) - 1);
	if (!st && o->fault)
		st = bc_fault_require(o->fault, &d->fault, err);
	if (!st)
		st = bc_arch_load(o->expected_dir, which->arch, &d->arch, err);
	if (!st && o->law)
		st = bc_arch_law_load(o->law, &d->arch, err);
	if (!st && d->fault && d->fault->arch)
		d->fault->arch(&d->arch);
	if (!st)
		st = bc_ptx_mem_create(MEMORY_MAX, &d->mem, err);
	if (st)
		goto out;
	fill_facts(&d->facts, &d->arch, which->index);
	d->facts.sms = number_of_sms(o, d->fault);
	if (d->timed) {
		d->facts.clock_absent[0] = '\0';
		d->timing = bc_ptx_timing_of(&d->arch);
		if (d->fault && d->fault->timing)
			d->fault->timing(&d->timing);
		d->timing.noise = o->reference_noise;
		d->timing.seed = NOISE_SEED;
	}
	if (o->law)
		(void)snprintf(d->facts.name, sizeof(d->facts.name), "reference device with a law of its own");
	if (d->fault)
		(void)snprintf(d->facts.name, sizeof(d->facts.name), "reference device, planted fault %s",
			       d->fault->name);
	*out = d;
	d = NULL;
out:
	close_device(d);
	return st;
}

static const struct bc_facts *facts_of(const struct bc_device *d)
{
	return &d->facts;
}

static enum bc_status load_image(struct bc_device *d, const char *name, struct image *im, struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st = BC_OK;

	if (!bc_strlcpy(im->name, name, sizeof(im->name)))
		return bc_fail(err, BC_EUSAGE, "image %s: the name is too long", name);
	(void)snprintf(im->path, sizeof(im->path), "%s/ptx/%s.ptx", d->kernels_dir, name);
	st = bc_file_read(im->path, BC_PTX_TEXT_MAX, &text, err);
	if (!st) {
		im->hash = bc_hash(BC_HASH_INIT, text.data, text.len);
		st = bc_ptx_parse(text.data, text.len, im->path, &im->module, err);
	}
	if (!st)
		st = bc_ptx_load(im->module, d->mem, &im->placed, err);
	bc_text_release(&text);
	return st;
}

/* Index of an image, loaded on first use. */
static enum bc_status find_image(struct bc_device *d, const char *name, size_t *index, struct bc_error *err)
{
	struct image im = { .hash = 0 }, *grown;
	enum bc_status st;

	for (size_t i = 0; i < d->nimages; i++) {
		if (strcmp(d->images[i].name, name) == 0) {
			*index = i;
			return BC_OK;
		}
	}
	st = load_image(d, name, &im, err);
	if (st)
		goto out;
	grown = realloc(d->images, (d->nimages + 1) * sizeof(*grown));
	if (!grown) {
		st = bc_fail(err, BC_ENOMEM, "images: out of memory");
		goto out;
	}
	d->images = grown;
	grown[d->nimages] = im;
	*index = d->nimages++;
	return BC_OK;
out:
	bc_ptx_unload(im.placed);
	bc_ptx_free(im.module);
	return st;
}

static enum bc_status image(struct bc_device *d, const char *name, uint64_t *hash, struct bc_error *err)
{
	size_t i = 0;
	enum bc_status st = find_image(d, name, &i, err);

	if (!st)
		*hash = d->images[i].hash;
	return st;
}

/* A kernel, prepared on first use. */
static enum bc_status find_kernel(struct bc_device *d, const struct bc_launch *l, const struct bc_ptx_kernel **out,
				  struct bc_error *err)
{
	struct kernel k = { .prepared = NULL }, *grown;
	enum bc_status st = find_image(d, l->image, &k.image, err);

	if (st)
		return st;
	for (size_t i = 0; i < d->nkernels; i++) {
		if (d->kernels[i].image == k.image && strcmp(d->kernels[i].name, l->kernel) == 0) {
			*out = d->kernels[i].prepared;
			return BC_OK;
		}
	}
	if (!bc_strlcpy(k.name, l->kernel, sizeof(k.name)))
		return bc_fail(err, BC_EUSAGE, "kernel %s: the name is too long", l->kernel);
	st = bc_ptx_prepare(d->images[k.image].placed, l->kernel, &d->arch, &k.prepared, err);
	if (st)
		return st;
	grown = realloc(d->kernels, (d->nkernels + 1) * sizeof(*grown));
	if (!grown) {
		bc_ptx_release(k.prepared);
		return bc_fail(err, BC_ENOMEM, "kernels: out of memory");
	}
	d->kernels = grown;
	grown[d->nkernels++] = k;
	*out = k.prepared;
	return BC_OK;
}

/* @bytes of poison at @address. */
static enum bc_status poison(struct bc_device *d, uint64_t address, const struct bc_buffer *b, size_t bytes,
			     struct bc_error *err)
{
	unsigned char chunk[4096];
	enum bc_status st = BC_OK;

	memset(chunk, b->poison, sizeof(chunk));
	for (size_t at = 0; !st && at < bytes; at += sizeof(chunk))
		st = bc_ptx_mem_write(d->mem, address + at, chunk,
				      bytes - at < sizeof(chunk) ? bytes - at : sizeof(chunk), err);
	return st;
}

/* Without opt-in a block has what static shared memory can have at most. */
static enum bc_status check_optin(const struct bc_device *d, const struct job *j, struct bc_error *err)
{
	const struct bc_launch *l = j->launch;
	const uint64_t total = (uint64_t)bc_ptx_static_shared(j->kernel) + l->shared_bytes;

	if (l->no_optin && total > d->arch.static_bytes)
		return bc_fail(err, BC_EUSAGE, "kernel %s: %llu bytes of shared memory, %u without opt-in", l->kernel,
			       (unsigned long long)total, d->arch.static_bytes);
	return BC_OK;
}

/* Kernel, buffers and parameters of one launch. */
static enum bc_status make(struct bc_device *d, struct job *j, struct bc_error *err)
{
	const struct bc_launch *l = j->launch;
	enum bc_status st = find_kernel(d, l, &j->kernel, err);

	if (!st)
		st = check_optin(d, j, err);
	if (st)
		return st;
	if (l->params_size > sizeof(j->params) || l->nbuffers > BC_LAUNCH_BUFFERS)
		return bc_fail(err, BC_EUSAGE, "%zu bytes of parameters, %zu buffers: at most %zu and %d",
			       l->params_size, l->nbuffers, sizeof(j->params), BC_LAUNCH_BUFFERS);
	memcpy(j->params, l->params, l->params_size);
	for (size_t b = 0; !st && b < l->nbuffers; b++) {
		const struct bc_buffer *buf = &l->buffers[b];
		const size_t bytes = bc_buffer_bytes(l, buf);

		if (buf->param_offset > l->params_size || l->params_size - buf->param_offset < sizeof(uint64_t))
			return bc_fail(err, BC_EUSAGE,
				       "buffer %zu: its address at byte %zu lies outside %zu bytes of parameters", b,
				       buf->param_offset, l->params_size);
		st = bc_ptx_mem_alloc(d->mem, bytes ? bytes : 1, &j->address[b], err);
		if (!st && buf->init && !buf->per_block)
			st = bc_ptx_mem_write(d->mem, j->address[b], buf->init, buf->bytes, err);
		else if (!st)
			st = poison(d, j->address[b], buf, bytes, err);
		memcpy(j->params + buf->param_offset, &j->address[b], sizeof(uint64_t));
	}
	for (size_t i = 0; !st && i < l->nmaps; i++) {
		const struct bc_tensor_map *m = &l->maps[i];

		st = bc_launch_map_check(l, m, err);
		if (!st)
			st = bc_ptx_tensor_encode(m, j->address[m->buffer] + m->offset, &d->arch,
						  d->fault ? &d->fault->hooks : NULL, j->params + m->param_offset, err);
	}
	return st;
}

/* What each block wrote, beside what block 0 wrote. */
static void compare_blocks(const struct bc_launch *l, const struct bc_buffer *b)
{
	const size_t blocks = b->bytes ? bc_buffer_bytes(l, b) / b->bytes : 0;
	const unsigned char *first = b->out;

	for (size_t i = 0; i < blocks; i++) {
		b->differ[i] = 0;
		for (size_t at = 0; at + 4 <= b->bytes; at += 4)
			b->differ[i] += memcmp(first + at, first + i * b->bytes + at, 4) != 0;
	}
}

static enum bc_status read_back(struct bc_device *d, const struct job *j, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t b = 0; !st && b < j->launch->nbuffers; b++)
		if (j->launch->buffers[b].out)
			st = bc_ptx_mem_read(d->mem, j->address[b], j->launch->buffers[b].out,
					     bc_buffer_bytes(j->launch, &j->launch->buffers[b]), err);
	for (size_t b = 0; !st && b < j->launch->nbuffers; b++)
		if (j->launch->buffers[b].out && j->launch->buffers[b].differ)
			compare_blocks(j->launch, &j->launch->buffers[b]);
	return st;
}

/* The last first: what the memory keeps of the others then need not move. */
static void free_buffers(struct bc_device *d, const struct job *j)
{
	for (size_t b = BC_LAUNCH_BUFFERS; b-- > 0;)
		if (j->address[b])
			(void)bc_ptx_mem_free(d->mem, j->address[b], NULL); /* it was given by alloc */
}

/* Run one launch; what failed is in the job. A planted fault is the hardware's: what the kernel then reads is judged by
 * its data, so the check of unwritten bytes, which vouches for the kernel, is off, and a kernel that goes astray with
 * the wrong data is stopped and the device goes on, so that the other cases meet the fault too. */
static void run_job(const struct crew *c, struct job *j, struct bc_ptx_result *r)
{
	const struct bc_launch *l = j->launch;
	const struct bc_fault *fault = c->d->fault;
	struct bc_ptx_launch p = { .shared_bytes = l->shared_bytes,
				   .params = j->params,
				   .params_size = l->params_size,
				   .budget = LAUNCH_BUDGET * c->d->facts.sms,
				   .workers = c->workers,
				   .racecheck = c->d->racecheck && !l->repeats,
				   .multi_writer = l->multi_writer,
				   .reads_unwritten = l->reads_unwritten || fault,
				   .hooks = fault ? &fault->hooks : NULL,
				   .timing = c->d->timed && !c->counted ? &c->d->timing : NULL,
				   .sms = c->d->facts.sms,
				   .cooperative = l->cooperative };
	struct bc_error why = { .msg = "" };
	char more[48] = "";
	enum bc_status st;

	memcpy(p.grid, l->grid, sizeof(p.grid));
	memcpy(p.block, l->block, sizeof(p.block));
	memcpy(p.cluster, l->cluster, sizeof(p.cluster));
	st = bc_ptx_launch(j->kernel, &p, r, &why);
	j->died = st == BC_EDEVICE && !fault;
	if (st) {
		(void)bc_fail(&j->err, st == BC_ENOMEM ? BC_ENOMEM : BC_EDEVICE, "%s: %s", l->label, why.msg);
	} else if (r->nfindings) {
		if (r->nfindings > 1)
			(void)snprintf(more, sizeof(more), " (and %zu more)", r->nfindings - 1);
		(void)bc_fail(&j->err, BC_EDEVICE, "%s: %s%s", l->label, r->finding[0].text, more);
	}
	j->counts = r->counts;
	if (fault && fault->counters)
		fault->counters(&j->counts);
}

/* Launches are taken in order, so all before one that failed are run, and the first failure is always the same. */
static void *work(void *arg)
{
	struct crew *c = arg;
	struct bc_ptx_result *r = malloc(sizeof(*r));
	size_t i;

	while (!atomic_load(&c->failed) && (i = atomic_fetch_add(&c->next, 1)) < c->n) {
		if (r)
			run_job(c, &c->job[i], r);
		else
			(void)bc_fail(&c->job[i].err, BC_ENOMEM, "%s: out of memory", c->job[i].launch->label);
		if (c->job[i].err.status)
			atomic_store(&c->failed, true);
	}
	free(r);
	return NULL;
}

/* All jobs, on as many threads as there are CPUs; a launch that is alone gets them all. */
static enum bc_status run_jobs(struct bc_device *d, struct job *job, size_t n, bool counted, struct bc_error *err)
{
	struct crew c = { .d = d, .job = job, .n = n, .workers = n == 1 ? d->cpus : 1, .counted = counted };
	pthread_t thread[THREADS_MAX];
	unsigned started = 0;

	atomic_init(&c.next, 0);
	atomic_init(&c.failed, false);
	while (started + 1 < d->cpus && started + 1 < n && pthread_create(&thread[started], NULL, work, &c) == 0)
		started++; /* one that cannot be started is not missed: this thread works too */
	(void)work(&c);
	for (unsigned i = 0; i < started; i++)
		(void)pthread_join(thread[i], NULL);
	for (size_t i = 0; i < n; i++) {
		if (!job[i].err.status)
			continue;
		if (job[i].died)
			d->died = job[i].err;
		return bc_fail(err, job[i].err.status, "%s", job[i].err.msg);
	}
	return BC_OK;
}

/* How many launches from @l on have their buffers there at once. */
static size_t launches_at_once(const struct bc_launch *l, size_t n)
{
	uint64_t bytes = 0;
	size_t k = 0;

	for (; k < n && k < TOGETHER_MAX; k++) {
		for (size_t b = 0; b < l[k].nbuffers; b++)
			bytes += bc_buffer_bytes(&l[k], &l[k].buffers[b]);
		if (k && bytes > TOGETHER_BYTES)
			break;
	}
	return k;
}

static void write_counts(const struct bc_device *d, const struct bc_ptx_counts *c, struct bc_counts *out)
{
	*out = (struct bc_counts){
		.v = {
			[BC_CTR_LD_REQUESTS] = c->ld_requests,
			[BC_CTR_LD_WAVEFRONTS] = c->ld_wavefronts,
			[BC_CTR_LD_CONFLICTS] = c->ld_conflicts,
			[BC_CTR_ST_REQUESTS] = c->st_requests,
			[BC_CTR_ST_WAVEFRONTS] = c->st_wavefronts,
			[BC_CTR_ST_CONFLICTS] = c->st_conflicts,
			[BC_CTR_ATOM_REQUESTS] = c->atom_requests,
			[BC_CTR_ATOM_WAVEFRONTS] = c->atom_wavefronts,
			[BC_CTR_ATOM_CONFLICTS] = c->atom_conflicts,
			[BC_CTR_LDSM_REQUESTS] = c->ldsm_requests,
			[BC_CTR_STSM_REQUESTS] = c->stsm_requests,
			[BC_CTR_LDGSTS_REQUESTS] = c->ldgsts_requests,
			[BC_CTR_LDGSTS_CONFLICTS] = c->ldgsts_conflicts,
			[BC_CTR_GLOBAL_LD_REQUESTS] = c->global_ld_requests,
			[BC_CTR_GLOBAL_LD_SECTORS] = c->global_ld_sectors,
			[BC_CTR_GLOBAL_ST_REQUESTS] = c->global_st_requests,
			[BC_CTR_GLOBAL_ST_SECTORS] = c->global_st_sectors,
			[BC_CTR_TMA_LD_SECTORS] = c->tma_ld_sectors,
			[BC_CTR_TMA_ST_SECTORS] = c->tma_st_sectors,
			[BC_CTR_ARBITRATION] = 0,
			[BC_CTR_INSTRUCTIONS] = c->instructions,
			[BC_CTR_BARRIERS] = c->barriers,
		},
		.present = (UINT32_C(1) << BC_CTR_DURATION) - 1, /* it has no time */
	};
	if (!d->arch.ldgsts_conflicts)
		out->present &= ~(UINT32_C(1) << BC_CTR_LDGSTS_CONFLICTS);
}

/* A failure while a launch is made, with its label. */
static enum bc_status fail_with_label(const struct job *j, enum bc_status st, const struct bc_error *why,
				      struct bc_error *err)
{
	return bc_fail(err, st == BC_ENOMEM ? BC_ENOMEM : BC_EDEVICE, "%s: %s", j->launch->label, why->msg);
}

/* Launches whose buffers are there at once. @counts may be NULL. */
static enum bc_status run_some(struct bc_device *d, const struct bc_launch *l, size_t n, struct bc_counts *counts,
			       struct bc_error *err)
{
	struct job *job = calloc(n ? n : 1, sizeof(*job));
	struct bc_error why = { .msg = "" };
	enum bc_status st = BC_OK;

	if (!job)
		return bc_fail(err, BC_ENOMEM, "launches: out of memory");
	for (size_t i = 0; !st && i < n; i++) {
		job[i].launch = &l[i];
		st = make(d, &job[i], &why);
		if (st)
			st = fail_with_label(&job[i], st, &why, err);
	}
	if (!st)
		st = run_jobs(d, job, n, counts != NULL, err);
	for (size_t i = 0; !st && i < n; i++) {
		st = read_back(d, &job[i], &why);
		if (st)
			st = fail_with_label(&job[i], st, &why, err);
		else if (counts)
			write_counts(d, &job[i].counts, &counts[i]);
	}
	for (size_t i = n; i-- > 0;)
		free_buffers(d, &job[i]);
	free(job);
	return st;
}

static enum bc_status run_all(struct bc_device *d, const struct bc_launch *l, size_t n, struct bc_counts *counts,
			      struct bc_error *err)
{
	enum bc_status st = BC_OK;

	if (d->died.status)
		return bc_fail(err, d->died.status, "%s", d->died.msg);
	for (size_t first = 0, k = 0; !st && first < n; first += k) {
		k = launches_at_once(l + first, n - first);
		st = run_some(d, l + first, k, counts ? counts + first : NULL, err);
	}
	return st;
}

static enum bc_status run(struct bc_device *d, const struct bc_launch *l, size_t n, struct bc_error *err)
{
	return run_all(d, l, n, NULL, err);
}

static enum bc_status count(struct bc_device *d, const struct bc_launch *l, size_t n, uint32_t want,
			    struct bc_counts *counts, struct bc_error *err)
{
	const enum bc_status st = run_all(d, l, n, counts, err);

	(void)want; /* all are there at no cost */
	if (!st)
		bc_counts_join(l, n, counts);
	return st;
}

/* Shared memory is given in units of 128 bytes; registers are not looked at. */
static enum bc_status occupancy(struct bc_device *d, const struct bc_launch *l, uint32_t *blocks, struct bc_error *err)
{
	const struct bc_ptx_kernel *k = NULL;
	const uint32_t warps = (l->block[0] * l->block[1] * l->block[2] + BC_LANES - 1) / BC_LANES;
	enum bc_status st = find_kernel(d, l, &k, err);
	uint32_t bytes, most;

	if (st)
		return st;
	bytes = (bc_ptx_static_shared(k) + l->shared_bytes + 127) / 128 * 128 + d->arch.reserved_bytes;
	most = d->arch.max_warps_sm / (warps ? warps : 1);
	most = most < d->arch.max_blocks_sm ? most : d->arch.max_blocks_sm;
	*blocks = bytes && d->arch.sm_bytes / bytes < most ? d->arch.sm_bytes / bytes : most;
	return BC_OK;
}

/* The interpreter's state is made anew for every launch, but a kernel that trapped, hung or reached what is not there
 * ends the device as it ends a CUDA context. What only the checks find (races, bytes never written) does not. */
static bool alive(const struct bc_device *d)
{
	return !d->died.status;
}

const struct bc_device_ops bc_device_reference = {
	.name = "reference",
	.list = list,
	.open = open_device,
	.facts = facts_of,
	.image = image,
	.run = run,
	.count = count,
	.pack = 1, /* a range costs nothing, repetitions do */
	.occupancy = occupancy,
	.alive = alive,
	.close = close_device,
};
