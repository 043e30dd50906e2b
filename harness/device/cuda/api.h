/* SPDX-License-Identifier: MIT */
/* harness/device/cuda/api.h - the CUDA driver and CUPTI, opened at run time.
 *
 * Nothing is linked: the program starts where there is no driver, and names the library that is missing.
 * Only the driver API is used, so there is no CUDA runtime in the binary.
 */
#ifndef BC_DEVICE_CUDA_API_H
#define BC_DEVICE_CUDA_API_H

#include <stdbool.h> /* before CUPTI: a header of 13.1 uses bool without it */

#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include "harness/base/base.h"

/* One call on each line. */
/* clang-format off */
#define BC_CUDA_CALLS(X) \
	X(cuInit) \
	X(cuDriverGetVersion) \
	X(cuDeviceGetCount) \
	X(cuDeviceGet) \
	X(cuDeviceGetName) \
	X(cuDeviceGetUuid) \
	X(cuDeviceGetPCIBusId) \
	X(cuDeviceGetAttribute) \
	X(cuDevicePrimaryCtxRetain) \
	X(cuDevicePrimaryCtxRelease) \
	X(cuCtxSetCurrent) \
	X(cuModuleLoadData) \
	X(cuModuleUnload) \
	X(cuModuleGetFunction) \
	X(cuFuncSetAttribute) \
	X(cuFuncGetAttribute) \
	X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
	X(cuMemAlloc) \
	X(cuMemFree) \
	X(cuMemcpyHtoD) \
	X(cuMemcpyDtoH) \
	X(cuMemsetD8) \
	X(cuMemHostAlloc) \
	X(cuMemFreeHost) \
	X(cuLaunchKernel) \
	X(cuLaunchCooperativeKernel) \
	X(cuLaunchKernelEx) \
	X(cuTensorMapEncodeTiled) \
	X(cuCtxSynchronize) \
	X(cuCtxGetDevice) \
	X(cuStreamCreate) \
	X(cuStreamDestroy) \
	X(cuStreamQuery) \
	X(cuStreamIsCapturing) \
	X(cuGraphGetNodes) \
	X(cuGraphNodeGetType) \
	X(cuGraphKernelNodeGetParams) \
	X(cuGetErrorName) \
	X(cuGetErrorString)

#define BC_CUPTI_CALLS(X) \
	X(cuptiGetVersion) \
	X(cuptiGetResultString) \
	X(cuptiSubscribe) \
	X(cuptiEnableCallback) \
	X(cuptiProfilerInitialize) \
	X(cuptiDeviceGetChipName) \
	X(cuptiProfilerGetCounterAvailability) \
	X(cuptiProfilerHostGetSupportedChips) \
	X(cuptiProfilerHostInitialize) \
	X(cuptiProfilerHostDeinitialize) \
	X(cuptiProfilerHostConfigAddMetrics) \
	X(cuptiProfilerHostGetConfigImageSize) \
	X(cuptiProfilerHostGetConfigImage) \
	X(cuptiProfilerHostGetNumOfPasses) \
	X(cuptiProfilerHostEvaluateToGpuValues) \
	X(cuptiRangeProfilerEnable) \
	X(cuptiRangeProfilerDisable) \
	X(cuptiRangeProfilerSetConfig) \
	X(cuptiRangeProfilerStart) \
	X(cuptiRangeProfilerStop) \
	X(cuptiRangeProfilerPushRange) \
	X(cuptiRangeProfilerPopRange) \
	X(cuptiRangeProfilerDecodeData) \
	X(cuptiRangeProfilerGetCounterDataInfo) \
	X(cuptiRangeProfilerGetCounterDataSize) \
	X(cuptiRangeProfilerCounterDataImageInitialize)

#define BC_DECLARE_CALL(name) __typeof__(name) *name;

struct bc_cuda_api {
	BC_CUDA_CALLS(BC_DECLARE_CALL)
};

struct bc_cupti_api {
	BC_CUPTI_CALLS(BC_DECLARE_CALL)
	char path[256]; /* the file that was opened, links resolved, ~ for the user's home */
};
/* clang-format on */

/**
 * bc_cuda_api_open - the driver's functions
 *
 * Opens libcuda.so.1 once a process and never closes it. Return: BC_EDEVICE naming the library and what to
 * install when it, or a function, is not there.
 */
enum bc_status bc_cuda_api_open(const struct bc_cuda_api **out, struct bc_error *err);

/**
 * bc_cupti_api_open - CUPTI's functions
 * @file: the library, this one alone; NULL: looked for
 *
 * Looked for, .13 before .12 in each place: below CUDA_HOME, where the system's loader finds it (LD_LIBRARY_PATH ...),
 * below /usr/local/cuda, below /opt/cuda. Opened once a process: @file plays no part afterwards. Return: BC_EDEVICE
 * naming the library and what to do.
 */
enum bc_status bc_cupti_api_open(const char *file, const struct bc_cupti_api **out, struct bc_error *err);

/**
 * bc_cuda_check - turn a CUDA result into a status
 * @call:  the function's name
 * @label: case or image the call was made for; NULL: none
 */
enum bc_status bc_cuda_check(CUresult r, const char *call, const char *label, struct bc_error *err);

/* The same for CUPTI; codes with a known cure (permission, other profiler, MIG ...) say it. */
enum bc_status bc_cupti_check(CUptiResult r, const char *call, struct bc_error *err);

#endif
