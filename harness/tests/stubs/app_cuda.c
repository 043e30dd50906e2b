/* SPDX-License-Identifier: MIT */
/* harness/tests/stubs/app_cuda.c - a libcuda.so.1 for tests of `bankcheck app`: launches that do nothing but count.
 *
 * As a driver does, it loads the library that CUDA_INJECTION64_PATH names when it is initialised, and tells the
 * subscriber of libcupti.so.13, where that is loaded, of each call, before and after. A pattern kernel counts what its
 * addresses say. Of other kernels the name decides:
 *
 *	clean*     8 ld requests without conflicts
 *	conflict*  8 ld requests of 32 wavefronts
 *	stores*    4 st requests of 2 wavefronts
 *	trap*      ends in an error
 *	hang*      its stream is not ready for 3 seconds
 */
#include <cuda.h>
#include <cupti_driver_cbid.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/tests/stubs/app_stub.h"
#include "kernels/bc_kernel.h"

#define HANG_S 3
#define LANES 32u
#define KERNELS 64
#define GRAPH_NODES 16

/* A function, module, graph or stream is its address. */
struct kernel {
	char name[80];
};

static struct kernel kernels[KERNELS];
static size_t nkernels;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local CUcontext current;
#define GPUS 2

static int primary[GPUS]; /* the address is the primary context of that GPU */
static bool broken;	  /* a kernel has trapped */
static time_t busy_until;
static bool capturing;
static struct node {
	const struct kernel *kernel;
	unsigned grid[3], block[3], shared;
} nodes[GRAPH_NODES];
static size_t nnodes;

/* What libcupti.so.13 has for us, when it is loaded. */
static void *cupti(const char *name)
{
	void *lib = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);

	return lib ? dlsym(lib, name) : NULL;
}

static void tell(unsigned cbid, bool after, const char *symbol, const void *params, CUresult *result)
{
	bc_stub_call_fn *call;
	void *f = cupti("bc_stub_call");

	memcpy(&call, &f, sizeof(f));
	if (f)
		call(cbid, after, symbol, params, result, current);
}

static void count(const char *metric, uint64_t n)
{
	bc_stub_count_fn *add;
	void *f = cupti("bc_stub_count");

	memcpy(&add, &f, sizeof(f));
	if (f)
		add(metric, n);
}

CUresult cuInit(unsigned flags)
{
	static bool done;
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *lib, *f;
	int (*begin)(void);

	if (done || flags)
		return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	done = true;
	lib = path ? dlopen(path, RTLD_NOW) : NULL;
	if (path && !lib)
		(void)fprintf(stderr, "stub: %s\n", dlerror());
	f = lib ? dlsym(lib, "InitializeInjection") : NULL;
	memcpy(&begin, &f, sizeof(f));
	if (f)
		(void)begin();
	return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
	*version = CUDA_VERSION;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *n)
{
	*n = GPUS;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	*device = ordinal;
	return ordinal >= 0 && ordinal < GPUS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
	(void)snprintf(name, (size_t)len, dev ? "Second GPU" : "Stub GPU");
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
	memset(uuid, 0x22 + dev, sizeof(*uuid));
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int len, CUdevice dev)
{
	(void)dev;
	(void)snprintf(id, (size_t)len, "0000:02:00.0");
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice dev)
{
	*value = attribute != CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 0 : dev ? 8 : 9;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice dev)
{
	*ctx = (void *)&primary[dev];
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
	tell(BC_STUB_CONTEXT_DESTROYED, false, NULL, &primary[dev], NULL);
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
	current = ctx;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
	*device = current == (void *)&primary[1];
	return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxSynchronize(void)
{
	return broken ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	static int loaded;

	*module = (void *)&loaded;
	return image ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

CUresult cuModuleUnload(CUmodule module)
{
	return module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleGetFunction(CUfunction *f, CUmodule module, const char *name)
{
	size_t i = 0;

	(void)module;
	(void)pthread_mutex_lock(&lock);
	while (i < nkernels && strcmp(kernels[i].name, name) != 0)
		i++;
	if (i == nkernels && nkernels < KERNELS)
		(void)snprintf(kernels[nkernels++].name, sizeof(kernels[0].name), "%s", name);
	*f = (void *)&kernels[i];
	(void)pthread_mutex_unlock(&lock);
	return i < KERNELS ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value)
{
	(void)attribute;
	(void)value;
	return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f)
{
	(void)attribute;
	*value = 0;
	return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncGetName(const char **name, CUfunction f)
{
	*name = ((const struct kernel *)(void *)f)->name;
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t dynamic)
{
	(void)f;
	(void)threads;
	(void)dynamic;
	*blocks = 1;
	return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
	(void)flags;
	*stream = malloc(1);
	return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream)
{
	free(stream);
	return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream)
{
	(void)stream;
	if (broken)
		return CUDA_ERROR_LAUNCH_FAILED;
	return time(NULL) < busy_until ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	(void)stream;
	*status = capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
	return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
	CUresult r = CUDA_SUCCESS;

	(void)stream;
	(void)mode;
	tell(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, false, NULL, NULL, NULL);
	capturing = true;
	nnodes = 0;
	tell(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, true, NULL, NULL, &r);
	return r;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	CUresult r = CUDA_SUCCESS;

	(void)stream;
	tell(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, false, NULL, NULL, NULL);
	/* A profiler's call while a stream was being captured makes the capture invalid. */
	if (!capturing)
		r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	capturing = false;
	*graph = (void *)nodes;
	tell(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, true, NULL, NULL, &r);
	return r;
}

/* What bc_stub_cupti_touched calls: the profiler did something that a capture does not bear. */
void bc_stub_disturb(void);
void bc_stub_disturb(void)
{
	capturing = false;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	const struct {
		CUgraphExec *exec;
		CUgraph graph;
	} params = { exec, graph };
	CUresult r = CUDA_SUCCESS;

	(void)flags;
	*exec = (void *)&nnodes;
	tell(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, true, NULL, &params, &r);
	return r;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *out, size_t *n)
{
	(void)graph;
	for (size_t i = 0; out && i < nnodes && i < *n; i++)
		out[i] = (void *)&nodes[i];
	*n = nnodes;
	return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
	(void)node;
	*type = CU_GRAPH_NODE_TYPE_KERNEL;
	return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p)
{
	const struct node *n = (void *)node;

	memset(p, 0, sizeof(*p));
	p->func = (CUfunction)(uintptr_t)n->kernel;
	p->gridDimX = n->grid[0];
	p->gridDimY = n->grid[1];
	p->gridDimZ = n->grid[2];
	p->blockDimX = n->block[0];
	p->blockDimY = n->block[1];
	p->blockDimZ = n->block[2];
	p->sharedMemBytes = n->shared;
	return CUDA_SUCCESS;
}

/* The most lanes, or distinct words, in one bank of the pattern. */
static uint64_t wavefronts(const struct bc_pattern_params *p, bool merges)
{
	const uint32_t *offset = (const uint32_t *)(uintptr_t)p->offsets;
	uint64_t most = 0;

	for (uint32_t bank = 0; bank < LANES; bank++) {
		uint32_t seen[LANES] = { 0 };
		uint64_t n = 0;

		for (uint32_t lane = 0; lane < LANES; lane++) {
			const uint32_t word = offset[lane] / 4;
			bool known = word % LANES != bank || !(p->mask >> lane & 1u);

			for (uint64_t i = 0; merges && i < n; i++)
				known = known || seen[i] == word;
			if (!known)
				seen[n++] = word;
		}
		most = n > most ? n : most;
	}
	return most;
}

static void count_class(const char *cls, uint64_t requests, uint64_t each)
{
	char metric[120];

	(void)snprintf(metric, sizeof(metric), "smsp__inst_executed_op_shared_%s.sum", cls);
	count(metric, requests);
	(void)snprintf(metric, sizeof(metric), "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s.sum", cls);
	count(metric, requests * each);
	(void)snprintf(metric, sizeof(metric), "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_%s.sum", cls);
	count(metric, requests * (each ? each - 1 : 0));
}

static void count_pattern(const char *name, const void *params)
{
	const struct bc_pattern_params *p = params;
	const uint64_t requests = (uint64_t)p->count * p->reps;

	if (strcmp(name, "bc_ld32") == 0)
		count_class("ld", requests, wavefronts(p, true));
	if (strcmp(name, "bc_st32") == 0)
		count_class("st", requests, wavefronts(p, true));
	if (strcmp(name, "bc_atom32") == 0)
		count_class("atom", requests, wavefronts(p, false));
	if (strcmp(name, "bc_cpa4") == 0) {
		count("smsp__inst_executed_op_ldgsts.sum", requests);
		count("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
		      requests * (wavefronts(p, false) - 1));
	}
}

static void count_global(const char *name, const void *params)
{
	const struct bc_coalesce_params *p = params;
	const char *cls = strstr(name, "_st") ? "st" : "ld";
	char metric[120];

	(void)snprintf(metric, sizeof(metric), "smsp__inst_executed_op_global_%s.sum", cls);
	count(metric, p->reps);
	(void)snprintf(metric, sizeof(metric), "l1tex__t_sectors_pipe_lsu_mem_global_op_%s.sum", cls);
	count(metric, (uint64_t)p->reps * (p->stride == 1 ? 4 : 32));
}

static bool is(const char *name, const char *what)
{
	return strstr(name, what) != NULL;
}

static void execute(const char *name, void **extra)
{
	if (extra && strncmp(name, "bc_coalesce", 11) == 0)
		count_global(name, extra[1]);
	else if (extra && strncmp(name, "bc_", 3) == 0)
		count_pattern(name, extra[1]);
	else if (is(name, "clean"))
		count_class("ld", 8, 1);
	else if (is(name, "conflict"))
		count_class("ld", 8, 32);
	else if (is(name, "stores"))
		count_class("st", 4, 2);
	count("gpu__time_duration.sum", 1500);
	broken = broken || is(name, "trap");
	if (is(name, "hang"))
		busy_until = time(NULL) + HANG_S;
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
			unsigned shared, CUstream stream, void **params, void **extra)
{
	const struct {
		CUfunction f;
		unsigned grid[3], block[3], shared;
		CUstream stream;
		void **params, **extra;
	} call = { f, { gx, gy, gz }, { bx, by, bz }, shared, stream, params, extra };
	const struct kernel *k = (void *)f;
	CUresult r = broken ? CUDA_ERROR_LAUNCH_FAILED : gx ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

	tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, false, k->name, &call, NULL);
	(void)pthread_mutex_lock(&lock);
	if (!r && capturing && nnodes < GRAPH_NODES)
		nodes[nnodes++] = (struct node){ .kernel = k, { gx, gy, gz }, { bx, by, bz }, shared };
	else if (!r)
		execute(k->name, extra);
	(void)pthread_mutex_unlock(&lock);
	tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, true, k->name, &call, &r);
	return r;
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
				   unsigned bz, unsigned shared, CUstream stream, void **params)
{
	return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, params, NULL);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra)
{
	return cuLaunchKernel(f, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ,
			      c->sharedMemBytes, c->hStream, params, extra);
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	const struct {
		CUgraphExec exec;
		CUstream stream;
	} call = { exec, stream };
	CUresult r = CUDA_SUCCESS;

	tell(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, false, NULL, &call, NULL);
	for (size_t i = 0; i < nnodes; i++) {
		tell(BC_STUB_GRAPH_NODE, false, NULL, NULL, NULL);
		execute(nodes[i].kernel->name, NULL);
	}
	tell(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, true, NULL, &call, &r);
	return r;
}

/* No program that is watched needs it of us. */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
				const cuuint64_t *dim, const cuuint64_t *strides, const cuuint32_t *box,
				const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
	(void)map;
	(void)type;
	(void)rank;
	(void)address;
	(void)dim;
	(void)strides;
	(void)box;
	(void)steps;
	(void)interleave;
	(void)swizzle;
	(void)promotion;
	(void)fill;
	return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
	*name = error == CUDA_ERROR_LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_OF_THE_STUB";
	return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
	(void)error;
	*text = "the stub refuses";
	return CUDA_SUCCESS;
}
