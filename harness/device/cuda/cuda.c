/* SPDX-License-Identifier: MIT */
/* harness/device/cuda/cuda.c - the CUDA device: the driver API under the table of device.h. */
#include "harness/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/xxh64.h"
#include "harness/device/cuda/api.h"
#include "harness/device/cuda/choose.h"
#include "harness/device/cuda/counters.h"
#include "harness/device/cuda/facts.h"
#include "harness/device/cuda/metrics.h"
#include "harness/device/cuda/slices.h"
#include "harness/device/cuda/tensor.h"
#include "harness/device/environment.h"
#include "harness/device/images.h"
#include "harness/device/nvml.h"
#include "harness/device/refusal.h"

#define PORTABLE_CLUSTER 8u /* blocks that every device with clusters can have in one */
#define XID_WAIT_MS 300u    /* after a sticky error: for the Xid to arrive */
#define IMAGE_MAX (64u << 20)
#define ARENA_MAX ((size_t)24 << 20)   /* buffers of the launches that travel together ... */
#define SLICES_MAX ((size_t)256 << 20) /* ... and what of them stays on the GPU */

struct image {
	char name[64];
	CUmodule module;
};

struct function {
	char kernel[64];
	size_t image;
	CUfunction f;
	uint32_t statics; /* static shared memory */
	uint32_t opted;	  /* dynamic shared memory it was opted in for */
};

struct bc_device {
	const struct bc_cuda_api *cu;
	struct bc_facts facts;
	char kernels_dir[1200];
	struct bc_images looked; /* what the images are, of those that were asked for their hash */
	CUdevice dev;
	CUcontext ctx;
	struct bc_cuda_counters *counters;
	void (*profiler)(void *ctx, bool begins); /* NULL: not wanted, or a session has ended well */
	void *profiler_ctx;
	struct bc_nvml *nvml; /* NULL: its state is not known */
	struct image *images;
	size_t nimages;
	struct function *functions;
	size_t nfunctions;
	CUdeviceptr arena;
	unsigned char *staging; /* page-locked */
	size_t arena_size;
	CUdeviceptr slices; /* what the blocks of launches on every SM write */
	size_t slices_size;
	bool context_lost; /* an error was sticky: every later call fails */
};

static void cuda_close(struct bc_device *d)
{
	if (!d)
		return;
	bc_cuda_counters_close(d->counters);
	if (d->ctx && !d->context_lost) { /* a lost context cannot be taken down in order; the process ends soon */
		if (d->arena)
			(void)d->cu->cuMemFree(d->arena);
		if (d->staging)
			(void)d->cu->cuMemFreeHost(d->staging);
		if (d->slices)
			(void)d->cu->cuMemFree(d->slices);
		for (size_t i = 0; i < d->nimages; i++)
			(void)d->cu->cuModuleUnload(d->images[i].module);
		(void)d->cu->cuDevicePrimaryCtxRelease(d->dev);
	}
	bc_nvml_close(d->nvml);
	bc_images_release(&d->looked);
	free(d->functions);
	free(d->images);
	free(d);
}

/* Are the contexts of this device shared through an MPS server? */
static bool under_mps(const struct bc_device *d)
{
	return bc_cuda_attribute(d->cu, d->dev, CU_DEVICE_ATTRIBUTE_MPS_ENABLED) != 0;
}

/* Say that CUPTI is called from here on, or no longer (see bc_open_options). */
static void tell_profiler(const struct bc_device *d, bool begins)
{
	if (d->profiler)
		d->profiler(d->profiler_ctx, begins);
}

/* CUPTI, unless it is not wanted; without it the facts say why. Counters that are refused are a fact of the device; a
 * library that was asked for by name and cannot be opened is a failure. */
static enum bc_status open_counters(struct bc_device *d, const struct bc_open_options *o, struct bc_error *err)
{
	const struct bc_cupti_api *cupti = NULL;
	struct bc_error why = { .msg = "" };
	const char *off = o->no_counters ? "not asked for (--witness clock)" : o->counters_off;
	enum bc_status st, opened;
	uint32_t v = 0;

	if (off) {
		(void)bc_strlcpy(d->facts.counters_absent, off, sizeof(d->facts.counters_absent));
		return BC_OK;
	}
	tell_profiler(d, true);
	st = opened = bc_cupti_api_open(o->cupti, &cupti, &why);
	if (!opened) {
		(void)bc_strlcpy(d->facts.cupti_file, cupti->path, sizeof(d->facts.cupti_file));
		if (cupti->cuptiGetVersion(&v) == CUPTI_SUCCESS)
			(void)snprintf(d->facts.cupti, sizeof(d->facts.cupti), "API %u", v);
		st = bc_cuda_counters_open(cupti, d->ctx, d->facts.index, &d->counters, &why);
	}
	tell_profiler(d, false);
	if (opened && o->cupti)
		return bc_fail(err, opened, "%s", why.msg);
	if (st && under_mps(d))
		bc_refusal_mps(why.msg, sizeof(why.msg));
	if (st)
		(void)bc_strlcpy(d->facts.counters_absent, why.msg, sizeof(d->facts.counters_absent));
	return BC_OK;
}

static enum bc_status cuda_open(const struct bc_open_options *o, const struct bc_facts *which, struct bc_device **out,
				struct bc_error *err)
{
	struct bc_device *d = calloc(1, sizeof(*d));
	enum bc_status st;

	if (!d)
		return bc_fail(err, BC_ENOMEM, "device: out of memory");
	d->profiler = o->profiler;
	d->profiler_ctx = o->profiler_ctx;
	st = bc_cuda_api_open(&d->cu, err);
	if (!st)
		st = bc_cuda_check(d->cu->cuInit(0), "cuInit", NULL, err);
	if (!st)
		st = bc_cuda_facts(d->cu, which->index, &d->facts, err);
	if (!st)
		st = bc_cuda_check(d->cu->cuDeviceGet(&d->dev, (int)which->index), "cuDeviceGet", NULL, err);
	if (!st)
		st = bc_cuda_check(d->cu->cuDevicePrimaryCtxRetain(&d->ctx, d->dev), "cuDevicePrimaryCtxRetain", NULL,
				   err);
	if (!st)
		st = bc_cuda_check(d->cu->cuCtxSetCurrent(d->ctx), "cuCtxSetCurrent", NULL, err);
	if (!st)
		st = bc_cuda_choose_images(d->cu, o->kernels_dir, o->images_beside, &d->facts, d->kernels_dir,
					   sizeof(d->kernels_dir), err);
	if (st)
		goto out;
	bc_environment(d->facts.environment, sizeof(d->facts.environment));
	st = bc_images_begin(&d->looked, d->kernels_dir, (unsigned)strtoul(d->facts.arch + 3, NULL, 10), err);
	if (st)
		goto out;
	d->nvml = bc_nvml_open(bc_nvml_api_open(), d->facts.uuid, d->facts.pci);
	bc_nvml_identify(d->nvml, &d->facts);
	st = open_counters(d, o, err);
	if (st)
		goto out;
	*out = d;
	d = NULL;
out:
	cuda_close(d);
	return st;
}

static const struct bc_facts *cuda_facts(const struct bc_device *d)
{
	return &d->facts;
}

static const char *cuda_kernels_dir(const struct bc_device *d)
{
	return d->kernels_dir;
}

static enum bc_status read_image(const struct bc_device *d, const char *name, struct bc_text *text,
				 struct bc_error *err)
{
	char path[1400];

	(void)snprintf(path, sizeof(path), "%s/%s.fatbin", d->kernels_dir, name);
	return bc_file_read(path, IMAGE_MAX, text, err);
}

static enum bc_status load_image(struct bc_device *d, const char *name, size_t *index, struct bc_error *err)
{
	struct bc_text text = { 0 };
	struct image *grown;
	CUmodule module = NULL;
	enum bc_status st;

	for (size_t i = 0; i < d->nimages; i++) {
		if (strcmp(d->images[i].name, name) == 0) {
			*index = i;
			return BC_OK;
		}
	}
	st = read_image(d, name, &text, err);
	if (!st)
		st = bc_cuda_check(d->cu->cuModuleLoadData(&module, text.data), "cuModuleLoadData", name, err);
	if (st)
		goto out;
	grown = realloc(d->images, (d->nimages + 1) * sizeof(*grown));
	if (!grown) {
		st = bc_fail(err, BC_ENOMEM, "%s: out of memory", name);
		(void)d->cu->cuModuleUnload(module);
		goto out;
	}
	d->images = grown;
	memset(&d->images[d->nimages], 0, sizeof(*grown));
	(void)bc_strlcpy(d->images[d->nimages].name, name, sizeof(d->images[0].name));
	d->images[d->nimages].module = module;
	*index = d->nimages++;
out:
	bc_text_release(&text);
	return st;
}

/* The file's identity. It is loaded when one of its kernels is first launched: loading all would cost start-up time. */
static enum bc_status cuda_image(struct bc_device *d, const char *image, uint64_t *hash, struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st = read_image(d, image, &text, err);

	if (!st) {
		*hash = bc_xxh64(0, text.data, text.len);
		bc_images_add(&d->looked, image, text.data, text.len);
		bc_images_facts(&d->looked, &d->facts);
	}
	bc_text_release(&text);
	return st;
}

/* Let @fn have as much dynamic shared memory as the launch needs, or take back what an earlier one was given. */
static enum bc_status opt_in(struct bc_device *d, struct function *fn, const struct bc_launch *l, struct bc_error *err)
{
	const uint32_t limit = 48u << 10, plain = limit > fn->statics ? limit - fn->statics : 0;
	const uint32_t want = l->no_optin ? plain : l->shared_bytes;
	enum bc_status st;

	if (l->no_optin ? !fn->opted : want <= plain || want <= fn->opted)
		return BC_OK;
	st = bc_cuda_check(d->cu->cuFuncSetAttribute(fn->f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)want),
			   "cuFuncSetAttribute", l->label, err);
	if (!st)
		fn->opted = l->no_optin ? 0 : want;
	return st;
}

static enum bc_status find_function(struct bc_device *d, const struct bc_launch *l, CUfunction *out,
				    struct bc_error *err)
{
	struct function *fn = NULL, *grown;
	size_t image = 0;
	enum bc_status st = load_image(d, l->image, &image, err);

	if (st)
		return st;
	for (size_t i = 0; !fn && i < d->nfunctions; i++)
		if (d->functions[i].image == image && strcmp(d->functions[i].kernel, l->kernel) == 0)
			fn = &d->functions[i];
	if (!fn) {
		CUfunction f = NULL;
		int statics = 0;

		st = bc_cuda_check(d->cu->cuModuleGetFunction(&f, d->images[image].module, l->kernel),
				   "cuModuleGetFunction", l->kernel, err);
		if (!st)
			st = bc_cuda_check(d->cu->cuFuncGetAttribute(&statics, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f),
					   "cuFuncGetAttribute", l->kernel, err);
		if (st)
			return st;
		grown = realloc(d->functions, (d->nfunctions + 1) * sizeof(*grown));
		if (!grown)
			return bc_fail(err, BC_ENOMEM, "%s: out of memory", l->kernel);
		d->functions = grown;
		fn = &d->functions[d->nfunctions++];
		memset(fn, 0, sizeof(*fn));
		(void)bc_strlcpy(fn->kernel, l->kernel, sizeof(fn->kernel));
		fn->image = image;
		fn->f = f;
		fn->statics = statics > 0 ? (uint32_t)statics : 0;
	}
	st = opt_in(d, fn, l, err);
	if (!st)
		*out = fn->f;
	return st;
}

static size_t launch_bytes(const struct bc_launch *l)
{
	size_t n = 0;

	for (size_t b = 0; b < l->nbuffers; b++)
		n += bc_cuda_travelling(l, &l->buffers[b]);
	return n;
}

/* Of what stays on the GPU. */
static size_t slice_bytes(const struct bc_launch *l)
{
	size_t n = 0;

	for (size_t b = 0; b < l->nbuffers; b++)
		n += bc_cuda_staying(l, &l->buffers[b]);
	return n;
}

static enum bc_status slices_reserve(struct bc_device *d, size_t bytes, struct bc_error *err)
{
	enum bc_status st;

	if (bytes <= d->slices_size)
		return BC_OK;
	if (d->slices)
		(void)d->cu->cuMemFree(d->slices);
	d->slices = 0;
	d->slices_size = 0;
	st = bc_cuda_check(d->cu->cuMemAlloc(&d->slices, bytes), "cuMemAlloc", NULL, err);
	if (!st)
		d->slices_size = bytes;
	return st;
}

static enum bc_status arena_reserve(struct bc_device *d, size_t bytes, struct bc_error *err)
{
	enum bc_status st;
	void *host = NULL;

	if (bytes <= d->arena_size)
		return BC_OK;
	if (d->arena)
		(void)d->cu->cuMemFree(d->arena);
	if (d->staging)
		(void)d->cu->cuMemFreeHost(d->staging);
	d->arena = 0;
	d->staging = NULL;
	d->arena_size = 0;
	st = bc_cuda_check(d->cu->cuMemAlloc(&d->arena, bytes), "cuMemAlloc", NULL, err);
	if (!st)
		st = bc_cuda_check(d->cu->cuMemHostAlloc(&host, bytes, 0), "cuMemHostAlloc", NULL, err);
	if (st)
		return st;
	d->staging = host;
	d->arena_size = bytes;
	return BC_OK;
}

/* How many launches from @l on travel together, whole ranges of them and at most @most ranges, and the bytes of their
 * buffers. */
static size_t chunk(const struct bc_launch *l, size_t n, size_t most, size_t *bytes)
{
	size_t k = 0, stays = 0;

	*bytes = 0;
	for (size_t ranges = 0; k < n && ranges < most; ranges++) {
		const size_t len = bc_range_launches(l + k, n - k);
		size_t b = 0, s = 0;

		for (size_t i = 0; i < len; i++) {
			b += launch_bytes(&l[k + i]);
			s += slice_bytes(&l[k + i]);
		}
		if (k > 0 && (*bytes + b > ARENA_MAX || stays + s > SLICES_MAX))
			break;
		*bytes += b;
		stays += s;
		k += len;
	}
	return k;
}

/* What a pass over a chunk needs; @functions and @params are made once. */
struct pass {
	struct bc_device *d;
	const struct bc_launch *launch;
	size_t n;
	CUfunction *functions;
	unsigned char (*params)[BC_LAUNCH_PARAMS_MAX];
	CUfunction compare;		   /* of what the blocks wrote; NULL: no launch needs it */
	struct bc_cuda_counters *counters; /* that they are counted by; NULL: not counted */
};

/* Before launch @i: the range that ends here is closed, the one that begins is opened. */
static enum bc_status begin_range(const struct pass *p, size_t i, size_t *ranges, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	if (!p->counters || p->launch[i].joined)
		return BC_OK;
	if (i)
		st = bc_cuda_counters_pop(p->counters, err);
	return st ? st : bc_cuda_counters_push(p->counters, (*ranges)++, err);
}

static bool has_clusters(const struct bc_launch *l)
{
	return l->cluster[0] > 1 || l->cluster[1] > 1 || l->cluster[2] > 1;
}

/* A launch with clusters. More than 8 blocks are possible on some devices, and the kernel must opt in. */
static enum bc_status launch_clusters(const struct bc_cuda_api *cu, CUfunction f, const struct bc_launch *l,
				      void **params, struct bc_error *err)
{
	CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
	const CUlaunchConfig config = {
		.gridDimX = l->grid[0],
		.gridDimY = l->grid[1],
		.gridDimZ = l->grid[2],
		.blockDimX = l->block[0],
		.blockDimY = l->block[1],
		.blockDimZ = l->block[2],
		.sharedMemBytes = l->shared_bytes,
		.attrs = &a,
		.numAttrs = 1,
	};
	enum bc_status st = BC_OK;

	a.value.clusterDim.x = l->cluster[0] ? l->cluster[0] : 1;
	a.value.clusterDim.y = l->cluster[1] ? l->cluster[1] : 1;
	a.value.clusterDim.z = l->cluster[2] ? l->cluster[2] : 1;
	if (a.value.clusterDim.x * a.value.clusterDim.y * a.value.clusterDim.z > PORTABLE_CLUSTER)
		st = bc_cuda_check(cu->cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
				   "cuFuncSetAttribute (clusters of more than 8 blocks)", l->label, err);
	return st ? st
		  : bc_cuda_check(cu->cuLaunchKernelEx(&config, f, params, NULL), "cuLaunchKernelEx", l->label, err);
}

/* All blocks of a cooperative launch are there at once, or the launch is refused. Every kernel has one parameter, a
 * struct, and the driver is told where it is: in a buffer of all parameters (CU_LAUNCH_PARAM_BUFFER_POINTER) one that
 * is aligned to 64 bytes, as a tensor map is, does not begin at 0, for the parameters of sm_90 begin at 0x210 (seen on
 * an H200: the kernel found other parameters). */
static enum bc_status launch_one(const struct pass *p, size_t i, struct bc_error *err)
{
	const struct bc_launch *l = &p->launch[i];
	const struct bc_cuda_api *cu = p->d->cu;
	void *whole[] = { p->params[i] };

	if (has_clusters(l))
		return launch_clusters(cu, p->functions[i], l, whole, err);
	if (l->cooperative)
		return bc_cuda_check(cu->cuLaunchCooperativeKernel(p->functions[i], l->grid[0], l->grid[1], l->grid[2],
								   l->block[0], l->block[1], l->block[2],
								   l->shared_bytes, NULL, whole),
				     "cuLaunchCooperativeKernel", l->label, err);
	return bc_cuda_check(cu->cuLaunchKernel(p->functions[i], l->grid[0], l->grid[1], l->grid[2], l->block[0],
						l->block[1], l->block[2], l->shared_bytes, NULL, whole, NULL),
			     "cuLaunchKernel", l->label, err);
}

/* What the blocks of launch @i wrote; its buffers are at @travels and @stays, which go on to the next launch's. */
static enum bc_status compare_blocks(const struct pass *p, size_t i, size_t *travels, size_t *stays,
				     struct bc_error *err)
{
	const struct bc_launch *l = &p->launch[i];
	enum bc_status st = BC_OK;

	for (size_t b = 0; !st && b < l->nbuffers; b++) {
		const struct bc_buffer *buf = &l->buffers[b];

		if (buf->differ)
			st = bc_cuda_compare(p->d->cu, p->compare, l, buf, p->d->arena + *travels,
					     p->d->slices + *stays, err);
		*travels += bc_cuda_travelling(l, buf);
		*stays += bc_cuda_staying(l, buf);
	}
	return st;
}

static enum bc_status launch_all(void *ctx, struct bc_error *err)
{
	const struct pass *p = ctx;
	const struct bc_cuda_api *cu = p->d->cu;
	size_t ranges = 0, travels = 0, stays = 0;
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < p->n; i++) {
		st = begin_range(p, i, &ranges, err);
		if (st)
			break;
		st = launch_one(p, i, err);
		if (!st)
			st = compare_blocks(p, i, &travels, &stays, err);
	}
	if (!st && ranges)
		st = bc_cuda_counters_pop(p->counters, err);
	if (!st) {
		const char *first = p->launch[0].label, *last = p->launch[p->n - 1].label;
		char label[200];

		(void)snprintf(label, sizeof(label), strcmp(first, last) == 0 ? "%s" : "%s to %s", first, last);
		st = bc_cuda_check(cu->cuCtxSynchronize(), "cuCtxSynchronize", label, err);
	}
	return st;
}

/* What stays on the GPU is poisoned there; the kernel that compares it is found. */
static enum bc_status poison_slices(struct pass *p, const struct bc_launch *l, const struct bc_buffer *b,
				    CUdeviceptr at, struct bc_error *err)
{
	const struct bc_launch compare = { .image = "sms", .kernel = "bc_sms_compare", .label = l->label };
	enum bc_status st = p->compare ? BC_OK : find_function(p->d, &compare, &p->compare, err);

	if (!st && b->bytes)
		st = bc_cuda_check(p->d->cu->cuMemsetD8(at, b->poison, bc_buffer_bytes(l, b)), "cuMemsetD8", l->label,
				   err);
	return st;
}

/* Buffers to the device, addresses into the parameters. */
static enum bc_status upload(struct pass *p, size_t bytes, struct bc_error *err)
{
	struct bc_device *d = p->d;
	size_t at = 0, stays = 0;
	enum bc_status st = arena_reserve(d, bytes, err);

	for (size_t i = 0; i < p->n; i++)
		stays += slice_bytes(&p->launch[i]);
	if (!st && stays)
		st = slices_reserve(d, stays, err);
	stays = 0;
	for (size_t i = 0; !st && i < p->n; i++) {
		const struct bc_launch *l = &p->launch[i];
		uint64_t addresses[BC_LAUNCH_BUFFERS] = { 0 };

		st = find_function(d, l, &p->functions[i], err);
		memcpy(p->params[i], l->params, l->params_size);
		for (size_t b = 0; b < l->nbuffers; b++) {
			const struct bc_buffer *buf = &l->buffers[b];
			const uint64_t address = buf->differ ? (uint64_t)d->slices + stays : (uint64_t)d->arena + at;

			addresses[b] = address;
			bc_cuda_fill(l, buf, d->staging + at);
			memcpy(p->params[i] + buf->param_offset, &address, sizeof(address));
			if (!st && buf->differ)
				st = poison_slices(p, l, buf, address, err);
			at += bc_cuda_travelling(l, buf);
			stays += bc_cuda_staying(l, buf);
		}
		if (!st)
			st = bc_cuda_tensor_maps(d->cu, l, addresses, p->params[i], err);
	}
	if (!st && bytes)
		st = bc_cuda_check(d->cu->cuMemcpyHtoD(d->arena, d->staging, bytes), "cuMemcpyHtoD", p->launch[0].label,
				   err);
	return st;
}

static enum bc_status download(struct pass *p, size_t bytes, struct bc_error *err)
{
	struct bc_device *d = p->d;
	size_t at = 0, stays = 0;
	enum bc_status st = BC_OK;

	if (bytes)
		st = bc_cuda_check(d->cu->cuMemcpyDtoH(d->staging, d->arena, bytes), "cuMemcpyDtoH", p->launch[0].label,
				   err);
	for (size_t i = 0; !st && i < p->n; i++) {
		const struct bc_launch *l = &p->launch[i];

		for (size_t b = 0; b < l->nbuffers; b++) {
			const struct bc_buffer *buf = &l->buffers[b];

			if (!st)
				st = bc_cuda_fetch(d->cu, l, buf, d->staging + at, d->slices + stays, err);
			at += bc_cuda_travelling(l, buf);
			stays += bc_cuda_staying(l, buf);
		}
	}
	return st;
}

/* One chunk: run it (@counts NULL) or count it. */
static enum bc_status do_chunk(struct bc_device *d, const struct bc_launch *l, size_t n, size_t bytes, uint32_t want,
			       struct bc_counts *counts, struct bc_error *err)
{
	struct pass p = { .d = d, .launch = l, .n = n, .counters = counts ? d->counters : NULL };
	size_t ranges = 0;
	enum bc_status st = BC_OK;

	p.functions = calloc(n, sizeof(CUfunction));
	p.params = calloc(n, sizeof(*p.params));
	if (!p.functions || !p.params)
		st = bc_fail(err, BC_ENOMEM, "launches: out of memory");
	if (!st)
		st = upload(&p, bytes, err);
	for (size_t i = 0; i < n; i++)
		ranges += !l[i].joined;
	if (!st && counts) {
		tell_profiler(d, true);
		st = bc_cuda_counters_session(d->counters, want, ranges, launch_all, &p, counts, err);
		tell_profiler(d, false);
		if (!st)
			d->profiler = NULL; /* it works: from here on nothing need be told */
	} else if (!st) {
		st = launch_all(&p, err);
	}
	if (!st && counts)
		bc_counts_spread(l, n, ranges, counts);
	if (!st && !counts)
		st = download(&p, bytes, err);
	free(p.functions);
	free(p.params);
	return st;
}

/* Whichever call said so first: an error is sticky when the context says it again, and nothing else is. */
static enum bc_status after_failure(struct bc_device *d, enum bc_status st, struct bc_error *err)
{
	struct bc_error dead;
	size_t len;

	if (d->context_lost || !bc_cuda_check(d->cu->cuCtxSynchronize(), "cuCtxSynchronize", NULL, &dead))
		return st;
	d->context_lost = true;
	len = err ? strlen(err->msg) : 0;
	if (err && !strstr(err->msg, "CUDA_ERROR_")) /* CUPTI was the first to fail of it */
		(void)snprintf(err->msg + len, sizeof(err->msg) - len, "; %s", dead.msg);
	return st;
}

static enum bc_status cuda_run(struct bc_device *d, const struct bc_launch *launch, size_t n, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0, k; !st && i < n; i += k) {
		size_t bytes = 0;

		k = chunk(launch + i, n - i, n, &bytes);
		st = do_chunk(d, launch + i, k, bytes, 0, NULL, err);
	}
	return st ? after_failure(d, st, err) : BC_OK;
}

static enum bc_status cuda_count(struct bc_device *d, const struct bc_launch *launch, size_t n, uint32_t want,
				 struct bc_counts *counts, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	if (!d->counters)
		return bc_fail(err, BC_EDEVICE, "%s", d->facts.counters_absent);
	for (size_t i = 0, k; !st && i < n; i += k) {
		size_t bytes = 0;

		k = chunk(launch + i, n - i, BC_SESSION_RANGES, &bytes);
		st = do_chunk(d, launch + i, k, bytes, want, counts + i, err);
	}
	if (st)
		st = after_failure(d, st, err);
	if (st && err && !d->context_lost && under_mps(d))
		bc_refusal_mps(err->msg, sizeof(err->msg));
	return st;
}

static enum bc_status cuda_occupancy(struct bc_device *d, const struct bc_launch *l, uint32_t *blocks,
				     struct bc_error *err)
{
	CUfunction f = NULL;
	int n = 0;
	enum bc_status st = find_function(d, l, &f, err);

	if (!st)
		st = bc_cuda_check(d->cu->cuOccupancyMaxActiveBlocksPerMultiprocessor(
					   &n, f, (int)(l->block[0] * l->block[1] * l->block[2]), l->shared_bytes),
				   "cuOccupancyMaxActiveBlocksPerMultiprocessor", l->label, err);
	if (!st)
		*blocks = n > 0 ? (uint32_t)n : 0;
	return st;
}

static void cuda_state(struct bc_device *d, struct bc_device_state *out)
{
	struct bc_gpu_reading r;

	bc_nvml_read(d->nvml, &r);
	r.mps = under_mps(d);
	bc_state_describe(&r, out);
}

static void cuda_events_since(struct bc_device *d, struct bc_device_events *out)
{
	bc_nvml_events_since(d->nvml, d->context_lost ? XID_WAIT_MS : 0, out);
}

static bool cuda_alive(const struct bc_device *d)
{
	return !d->context_lost;
}

const struct bc_device_ops bc_device_cuda = {
	.name = "cuda",
	.list = bc_cuda_list,
	.open = cuda_open,
	.facts = cuda_facts,
	.kernels_dir = cuda_kernels_dir,
	.image = cuda_image,
	.run = cuda_run,
	.count = cuda_count,
	.pack = 3, /* a range costs two round trips to the GPU's firmware, 0.8 ms, whatever is in it */
	.occupancy = cuda_occupancy,
	.state = cuda_state,
	.events_since = cuda_events_since,
	.alive = cuda_alive,
	.metrics = bc_cuda_metrics,
	.close = cuda_close,
};
