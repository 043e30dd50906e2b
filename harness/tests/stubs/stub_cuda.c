/* SPDX-License-Identifier: MIT */
/* harness/tests/stubs/stub_cuda.c - a libcuda.so.1 for tests of the CUDA device where no GPU is.
 *
 * One GPU of compute capability 9.0 whose memory is the host's. It knows the kernels bc_ld32, bc_ld32_clock and
 * bc_gld32: right data, the counts, and an H200's cycles (23 for a load, 2 for each further wavefront).
 * BC_STUB_CUDA=12000: it is the driver of CUDA 12.0. It loads anything but an image that begins with "refused" and one
 * that begins with "CUDA 13" while its own release is older.
 * BC_STUB_SMS: its number of SMs (1); block b is on SM 2 b + 1. BC_STUB_SM: what is wrong with block 2: "data", "slow",
 * "place" (it is where block 1 is).
 */
#include <cuda.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/bc_kernel.h"

#define BASE 1024u /* where dynamic shared memory starts */
#define LANES 32u

static const char *const kernels[] = { "bc_ld32", "bc_ld32_clock", "bc_gld32", "bc_sms_compare", "bc_tma_load_2d" };

static unsigned number_of_sms(void)
{
	const char *text = getenv("BC_STUB_SMS");

	return text ? (unsigned)strtoul(text, NULL, 10) : 1;
}

static bool wrong(const char *what)
{
	const char *text = getenv("BC_STUB_SM");

	return text && strcmp(text, what) == 0;
}

CUresult cuInit(unsigned flags)
{
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
	const char *said = getenv("BC_STUB_CUDA");

	*version = said ? (int)strtol(said, NULL, 10) : CUDA_VERSION;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
	*count = 1;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	*device = ordinal;
	return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
	(void)dev;
	(void)snprintf(name, (size_t)len, "Stub GPU");
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
	(void)dev;
	memset(uuid, 0x11, sizeof(*uuid));
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int len, CUdevice dev)
{
	(void)dev;
	(void)snprintf(id, (size_t)len, "0000:01:00.0");
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice dev)
{
	(void)dev;
	switch (attribute) {
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 9; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 232448; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = 233472; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 49152; break;
	case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK: *value = 1024; break;
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = (int)number_of_sms(); break;
	default: *value = 0;
	}
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice dev)
{
	static int context;

	(void)dev;
	*ctx = (void *)&context;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
	(void)dev;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
	*device = 0;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
	return ctx ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxSynchronize(void)
{
	return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	static int loaded;
	int version = 0;

	*module = (void *)&loaded;
	(void)cuDriverGetVersion(&version);
	if (image && strncmp(image, "refused", 7) == 0)
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	if (image && strncmp(image, "CUDA ", 5) == 0 && strtol((const char *)image + 5, NULL, 10) > version / 1000)
		return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
	return image ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

CUresult cuModuleUnload(CUmodule module)
{
	return module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleGetFunction(CUfunction *f, CUmodule module, const char *name)
{
	(void)module;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		if (strcmp(kernels[i], name) != 0)
			continue;
		*f = (void *)(uintptr_t)&kernels[i];
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value)
{
	(void)attribute;
	return f && value >= 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f)
{
	(void)attribute;
	*value = 0;
	return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t dynamic)
{
	(void)threads;
	(void)dynamic;
	*blocks = 1;
	return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static uint32_t *words(bc_u64 address)
{
	return (uint32_t *)(uintptr_t)address;
}

/* Offset of @lane's word in request @k. */
static uint32_t offset(const struct bc_pattern_params *p, uint32_t k, uint32_t lane)
{
	return words(p->offsets)[lane] + k * p->step;
}

static void run_data(const struct bc_pattern_params *p, uint32_t shared_bytes)
{
	if (p->info) {
		words(p->info)[0] = BASE;
		words(p->info)[1] = shared_bytes;
	}
	for (uint32_t k = 0; p->results && k < p->count; k++)
		for (uint32_t lane = 0; lane < LANES; lane++)
			if (p->mask >> lane & 1u)
				words(p->results)[k * LANES + lane] = bc_fill_word(offset(p, k, lane), p->seed);
}

/* The most distinct words that request @k wants of one bank. */
static uint32_t wavefronts(const struct bc_pattern_params *p, uint32_t k)
{
	uint32_t most = 0;

	for (uint32_t bank = 0; bank < LANES; bank++) {
		uint32_t seen[LANES] = { 0 }, n = 0;

		for (uint32_t lane = 0; lane < LANES; lane++) {
			const uint32_t word = (BASE + offset(p, k, lane)) / 4;
			bool known = word % LANES != bank || !(p->mask >> lane & 1u);

			for (uint32_t i = 0; i < n; i++)
				known = known || seen[i] == word;
			if (!known)
				seen[n++] = word;
		}
		most = n > most ? n : most;
	}
	return most;
}

/* What the GPU's counters of shared loads have counted: requests, wavefronts, conflicts. The stub of CUPTI reads them.
 */
uint64_t bc_stub_counted[3];

static void count(const struct bc_pattern_params *p)
{
	for (uint32_t k = 0; k < p->count; k++) {
		const uint32_t n = wavefronts(p, k);

		bc_stub_counted[0] += p->reps;
		bc_stub_counted[1] += (uint64_t)p->reps * n;
		bc_stub_counted[2] += (uint64_t)p->reps * (n - 1);
	}
}

static void run_clock(const struct bc_pattern_params *p)
{
	uint32_t cycles = 0;

	for (uint32_t k = 0; k < BC_TIMED_ACCESSES; k++)
		cycles += 23 + 2 * (wavefronts(p, k) - 1);
	for (uint32_t s = 0; s < p->nsamples; s++) {
		memset(words(p->samples) + (size_t)s * 8, 0, 8 * sizeof(uint32_t));
		words(p->samples)[s * 8] = 5000;
		words(p->samples)[s * 8 + 1] = 5000 + cycles;
	}
}

static bool is_kernel(CUfunction f, unsigned i)
{
	return (void *)f == (void *)(uintptr_t)&kernels[i];
}

/* Clusters are for kernels that no stub runs: where there is one it is refused, else it is a launch. */
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra)
{
	return c->numAttrs ? CUDA_ERROR_NOT_SUPPORTED
			   : cuLaunchKernel(f, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY,
					    c->blockDimZ, c->sharedMemBytes, c->hStream, params, extra);
}

/* As kernels/pattern.cuh moves on what a block writes. */
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
				   unsigned bz, unsigned shared_bytes, CUstream stream, void **params)
{
	const struct bc_pattern_params *p = params[0];

	(void)stream;
	if (gx != number_of_sms() || gy * gz != 1 || bx != LANES || by * bz != 1 || shared_bytes <= 233472 / 2)
		return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
	for (unsigned b = 0; b < gx; b++) {
		struct bc_pattern_params q = *p;
		const bc_u64 block = b;

		q.results = p->results ? p->results + block * p->count * LANES * 4 : 0;
		q.info = p->info ? p->info + block * 8 : 0;
		q.samples = p->samples ? p->samples + block * p->nsamples * 8 * 4 : 0;
		words(p->sms)[0]++;
		words(p->sms)[1 + b] = 2 * (b == 2 && wrong("place") ? 1 : b) + 1;
		if (is_kernel(f, 1))
			run_clock(&q);
		else
			run_data(&q, shared_bytes);
		if (b == 2 && q.results && wrong("data"))
			words(q.results)[9] ^= 0x100;
		for (unsigned s = 0; b == 2 && is_kernel(f, 1) && wrong("slow") && s < p->nsamples; s++)
			words(q.samples)[s * 8 + 1] += 100;
	}
	return CUDA_SUCCESS;
}

static CUresult compare(const struct bc_compare_params *p, unsigned blocks)
{
	for (unsigned b = 0; b < blocks; b++)
		for (uint32_t i = 0; i < p->words; i++)
			words(p->differ)[b] += words(p->slices)[b * p->words + i] != words(p->slices)[i];
	memcpy(words(p->first), words(p->slices), (size_t)p->words * 4);
	return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
			unsigned shared_bytes, CUstream stream, void **params, void **extra)
{
	const struct bc_pattern_params *p = params ? params[0] : NULL;

	(void)stream;
	if (p && is_kernel(f, 3) && gy * gz * by * bz == 1)
		return compare(params[0], gx);
	if (is_kernel(f, 4)) /* it copies nothing: the tensor maps are what a test of it is about */
		return CUDA_SUCCESS;
	if (!p || extra || gx * gy * gz != 1 || bx != LANES || by * bz != 1 || shared_bytes > 232448)
		return CUDA_ERROR_INVALID_VALUE;
	if (is_kernel(f, 1))
		run_clock(p);
	else
		run_data(p, shared_bytes);
	if ((void *)f == (void *)(uintptr_t)&kernels[0])
		count(p);
	return CUDA_SUCCESS;
}

/* The requirements that the documentation of CUDA 13.0 lists, for no interleave; of the swizzles those of an H200. */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
				const cuuint64_t *dim, const cuuint64_t *strides, const cuuint32_t *box,
				const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
	static const unsigned bytes[] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2 }, spans[] = { 256 * 8, 32, 64, 128 };
	bool ok = (uintptr_t)map % 64 == 0 && type < 10 && rank >= 1 && rank <= 5 && (uintptr_t)address % 16 == 0 &&
		  interleave == CU_TENSOR_MAP_INTERLEAVE_NONE && promotion == CU_TENSOR_MAP_L2_PROMOTION_NONE &&
		  swizzle <= CU_TENSOR_MAP_SWIZZLE_128B &&
		  (!fill || (type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && type <= CU_TENSOR_MAP_DATA_TYPE_BFLOAT16));

	for (unsigned i = 0; ok && i < rank; i++)
		ok = dim[i] >= 1 && dim[i] <= (cuuint64_t)1 << 32 && box[i] >= 1 && box[i] <= 256 && steps[i] >= 1 &&
		     steps[i] <= 8 && (i == 0 || (strides[i - 1] % 16 == 0 && strides[i - 1] < (cuuint64_t)1 << 40));
	ok = ok && box[0] * bytes[type] % 16 == 0 && box[0] * bytes[type] <= spans[swizzle];
	if (!ok && !getenv("BC_STUB_TENSOR"))
		return CUDA_ERROR_INVALID_VALUE;
	memset(map, 0x77, sizeof(*map));
	return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
	*name = error == CUDA_ERROR_NOT_FOUND ? "CUDA_ERROR_NOT_FOUND" : "CUDA_ERROR_OF_THE_STUB";
	return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
	*text = error == CUDA_ERROR_NOT_FOUND ? "named symbol not found" : "the stub refuses";
	return CUDA_SUCCESS;
}

/* What `app` needs of a driver and a run does not: no test of this stub calls it. */
#define REFUSED(name, ...)                       \
	CUresult name(__VA_ARGS__)               \
	{                                        \
		return CUDA_ERROR_NOT_SUPPORTED; \
	}

REFUSED(cuStreamCreate, CUstream *stream __attribute__((unused)), unsigned flags __attribute__((unused)))
REFUSED(cuStreamDestroy, CUstream stream __attribute__((unused)))
REFUSED(cuStreamQuery, CUstream stream __attribute__((unused)))
REFUSED(cuStreamIsCapturing, CUstream stream __attribute__((unused)), CUstreamCaptureStatus *s __attribute__((unused)))
REFUSED(cuGraphGetNodes, CUgraph graph __attribute__((unused)), CUgraphNode *nodes __attribute__((unused)),
	size_t *n __attribute__((unused)))
REFUSED(cuGraphNodeGetType, CUgraphNode node __attribute__((unused)), CUgraphNodeType *type __attribute__((unused)))
REFUSED(cuGraphKernelNodeGetParams, CUgraphNode node __attribute__((unused)),
	CUDA_KERNEL_NODE_PARAMS *params __attribute__((unused)))
