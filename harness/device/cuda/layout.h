/* SPDX-License-Identifier: MIT */
/* harness/device/cuda/layout.h - CUPTI's parameter structs as CUDA 12.6 Update 2 laid them out: the oldest with a Range
 * Profiler.
 *
 * CUPTI reads a struct as far as its structSize says. A newer header's macro for it names members that an older library
 * refuses (CUPTI_ERROR_INVALID_PARAMETER), while every library takes an older size. So one program, whichever headers
 * it was built with, works with each libcupti from 12.6 Update 2 on.
 */
#ifndef BC_DEVICE_CUDA_LAYOUT_H
#define BC_DEVICE_CUDA_LAYOUT_H

/* Struct CUpti_NAME_Params, its last member that we count in, and the bytes up to the end of that member. */
/* clang-format off */
#define BC_CUPTI_STRUCTS(X) \
	X(Device_GetChipName, pChipName, 32) \
	X(Profiler_GetCounterAvailability, pCounterAvailabilityImage, 40) \
	X(Profiler_Host_ConfigAddMetrics, numMetrics, 40) \
	X(Profiler_Host_Deinitialize, pHostObject, 24) \
	X(Profiler_Host_EvaluateToGpuValues, pMetricValues, 72) \
	X(Profiler_Host_GetConfigImage, pConfigImage, 40) \
	X(Profiler_Host_GetNumOfPasses, numOfPasses, 40) \
	X(Profiler_Host_GetSupportedChips, ppChipNames, 32) \
	X(Profiler_Host_GetConfigImageSize, configImageSize, 32) \
	X(Profiler_Host_Initialize, pHostObject, 48) \
	X(Profiler_Initialize, pPriv, 16) \
	X(RangeProfiler_CounterDataImage_Initialize, pCounterData, 40) \
	X(RangeProfiler_DecodeData, numOfRangeDropped, 32) \
	X(RangeProfiler_Disable, pRangeProfilerObject, 24) \
	X(RangeProfiler_Enable, pRangeProfilerObject, 32) \
	X(RangeProfiler_GetCounterDataInfo, numTotalRanges, 40) \
	X(RangeProfiler_GetCounterDataSize, counterDataSize, 64) \
	X(RangeProfiler_PopRange, pRangeProfilerObject, 24) \
	X(RangeProfiler_PushRange, pRangeName, 32) \
	X(RangeProfiler_SetConfig, targetNestingLevel, 90) \
	X(RangeProfiler_Start, pRangeProfilerObject, 24) \
	X(RangeProfiler_Stop, isAllPassSubmitted, 41)
/* clang-format on */

/* BC_CUPTI_BYTES(Profiler_Initialize): its structSize. layout.c checks each against the headers of the build. */
#define BC_CUPTI_BYTES(name) ((size_t)BC_CUPTI_BYTES_##name)
#define BC_CUPTI_BYTES_OF(name, last, bytes) BC_CUPTI_BYTES_##name = (bytes),
enum bc_cupti_bytes { BC_CUPTI_STRUCTS(BC_CUPTI_BYTES_OF) };

#endif
